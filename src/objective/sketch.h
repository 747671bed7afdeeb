/*
 * A sketch of a separable objective: Σ_p c_p φ(d_p) over a few pairs that stand for all, and behind them pairs whose
 * distances count as they are, Σ_r λ_r d_r.
 */
#ifndef GERSH_SRC_OBJECTIVE_SKETCH_H
#define GERSH_SRC_OBJECTIVE_SKETCH_H

#include "objective/separable.h"

typedef struct gersh__sketch_objective {
    gersh__separable terms; /* whose c are the caller's to fill */
    size_t drawn;           /* pairs with a φ; those behind them are linear */
    double *lambda;         /* of the linear ones; the caller's to fill */
    double constant;        /* added to the value */
} gersh__sketch_objective;

/* With φ as `whole` has it. */
gersh_status gersh__sketch_objective_new(gersh__sketch_objective **out, const gersh__objective *whole,
                                         const gersh__pairs *pairs, size_t drawn);

#endif
