/* The maps of src/pairs for the pairs between classes. */
#ifndef GERSH_SRC_PAIRS_BETWEEN_H
#define GERSH_SRC_PAIRS_BETWEEN_H

#include "pairs/pairs.h"

/* y = L(g) v for `columns` vectors of n entries each; pool may be NULL. */
void gersh__between_laplacian(const gersh__pairs *pairs, const double *g, size_t columns, const double *v,
                              double *y, gersh__pool *pool);

/*
 * d_ij = base_ij + b_ii + b_jj − 2 b_ij, the symmetric B being Sᵀ T for the m × n matrices `s` and `t`, and `diagonal` its
 * b_ii. base may be d.
 */
void gersh__between_combine(const gersh__pairs *pairs, size_t m, const double *s, const double *t,
                            const double *diagonal, const double *base, double *d);

#endif
