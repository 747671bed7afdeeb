/*
 * Pairs that are given by their differences x_i − x_j alone. Sample p is the difference of pair p, so that the maps are
 * those of one number for each: d_p = (zᵀx_p)², and L(g) is a diagonal matrix.
 */
#ifndef GERSH_SRC_PAIRS_DIFFERENCES_H
#define GERSH_SRC_PAIRS_DIFFERENCES_H

#include "pairs/pairs.h"

/* `count` of them, without classes, targets or weights, all 0: x is the caller's to fill. The pool is for what takes long. */
gersh_status gersh__pairs_new_differences(gersh__pairs **out, size_t k, size_t count, gersh__pool *pool);

/* What the functions of pairs.h and combine.h do with them. */
void gersh__differences_add(const gersh__pairs *pairs, double factor, const double *t, double *d);
void gersh__differences_euclid(const gersh__pairs *pairs, double *d);
void gersh__differences_combine(const gersh__pairs *pairs, size_t m, const double *t, const double *weight,
                                double *d);
void gersh__differences_scores(const gersh__pairs *pairs, const double *g, size_t m, const double *t,
                               double *score);
void gersh__differences_laplacian(const gersh__pairs *pairs, const double *g, size_t columns,
                                  const double *v, double *y);

#endif
