/* What rounding may have added to a bound. */
#ifndef GERSH_SRC_SOLVER_DOUBT_H
#define GERSH_SRC_SOLVER_DOUBT_H

#include "solver/frank_wolfe.h"

/*
 * How far F(d) − Σ θ_a z_aᵀGz_a + B `least`, as computed from the engine's value, gradient and scores, may be above the
 * minimum of F over the region, `least` being a lower bound of zᵀGz; it may be infinite or not a number.
 */
gersh_status gersh__engine_doubt(double *doubt, const gersh__engine *engine, double least);

#endif
