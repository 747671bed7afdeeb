/* A start for psd: descent on a factor of the metric. */
#ifndef GERSH_SRC_SOLVER_FACTOR_H
#define GERSH_SRC_SOLVER_FACTOR_H

#include "solver/solver.h"

/*
 * The engine's metric, of no atoms, becomes one that is most often optimal to the tolerance, which the next look of the engine
 * is to certify. Its steps are iterations. run->limits.widest becomes the smoothing that was reached.
 */
gersh_status gersh__factor_start(gersh__solver_run *run);

#endif
