/*
 * The gradient G = D*(g) = Xᵀ L(g) X of an objective with respect to M, as Y = L(g) X and the diagonal;
 * other entries on demand: G_ij = x_i · y_j, n multiplications. Nothing of size K × K.
 */
#ifndef GERSH_SRC_PAIRS_SLOPE_H
#define GERSH_SRC_PAIRS_SLOPE_H

#include "pairs/pairs.h"

typedef struct gersh__slope {
    const gersh__pairs *pairs;
    double *y;        /* k × n: L(g) x_f */
    double *diagonal; /* G_ff */
    double *reach; /* q_f = Σ_p |g_p| Δ_pf²: then |G_ij| <= √(q_i q_j); filled by gersh__slope_reach */
    double *scratch; /* k × n and the pairs' count, for the reach */
    double *size;
    const double *g; /* of the last update */
} gersh__slope;

gersh_status gersh__slope_new(gersh__slope **out, const gersh__pairs *pairs);
void gersh__slope_free(gersh__slope *slope);

/* G for the gradient g in distance space, which must stay until the next update. */
void gersh__slope_update(gersh__slope *slope, const double *g);

/* Fills `reach` for the last update. */
gersh_status gersh__slope_reach(gersh__slope *slope);

double gersh__slope_entry(const gersh__slope *slope, size_t i, size_t j);

#endif
