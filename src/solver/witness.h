/* What a bound rests on. */
#ifndef GERSH_SRC_SOLVER_WITNESS_H
#define GERSH_SRC_SOLVER_WITNESS_H

#include "gersh/metric.h"

/*
 * The metric at which value, gradient and linear minimum give the bound, and the smoothing of the objective there (lmnn).
 * No metric: the bound is 0, of an objective that is never negative, or there is none.
 */
typedef struct gersh__witness {
    gersh_metric *metric;
    double width;
} gersh__witness;

/* Gives `from` to `to`, which loses what it had. */
void gersh__witness_move(gersh__witness *to, gersh__witness *from);

#endif
