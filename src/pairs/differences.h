/*
 * Pairs that are given by their differences x_i − x_j alone. Sample p is the difference of pair p, so that the maps are
 * those of one number for each: d_p = (zᵀx_p)², and L(g) is a diagonal matrix.
 */
#ifndef GERSH_SRC_PAIRS_DIFFERENCES_H
#define GERSH_SRC_PAIRS_DIFFERENCES_H

#include "pairs/pairs.h"

/* `count` of them, without classes, targets or weights, all 0. The pool is for what takes long. */
gersh_status gersh__pairs_new_differences(gersh__pairs **out, size_t k, size_t count, gersh__pool *pool);

/* The values of a feature, one for each difference, to be filled. */
double *gersh__differences_feature(gersh__pairs *differences, size_t f);

/* The first `count` become those of the picks among dense pairs of as many features. */
void gersh__differences_take(gersh__pairs *differences, const gersh__pairs *from, size_t count,
                             const gersh__pick *pick);

/*
 * r (k × columns, by columns) −= the columns from, from + 1, ... of Σ_p g_p x_p x_pᵀ over the first `count`. scratch: count ×
 * columns.
 */
void gersh__differences_subtract(const gersh__pairs *differences, const double *g, size_t count,
                                 size_t from, size_t columns, double *scratch, double *r);

#endif
