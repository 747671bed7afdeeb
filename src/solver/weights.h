/* The small quadratic problem over the weights of the active atoms. */
#ifndef GERSH_SRC_SOLVER_WEIGHTS_H
#define GERSH_SRC_SOLVER_WEIGHTS_H

#include <stddef.h>

/*
 * Minimises sᵀ(x − w) + ½ (x − w)ᵀ H (x − w) over x >= 0, Σx <= budget, from the feasible w. H is m × m,
 * symmetric, positive semidefinite. x gets m entries. work: m·m + 4·m doubles; free_set: 2·m ints.
 */
void gersh__weights_minimize(double *x, size_t m, const double *h, const double *s, const double *w,
                             double budget, double *work, int *free_set);

#endif
