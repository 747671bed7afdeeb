/*
 * A bound is F(d) + Σ_p g_p (d'_p − d_p), at its least over all d' = D(M), M in the region. F is convex, so that it holds whatever
 * d is, with exact F, g and sums. With u = 2⁻⁵³ and ε_n = min(n, 10 √n) u what sums of n terms may be off (gersh__rounding),
 * relative to the sizes of their terms, these are off by:
 *
 *   F          ε_P |F|, P the number of pairs: terms of one sign
 *   g_p        ε_n |g_p| (of kinds that are `chained` ε_P), and more where it is a difference (the kind's `doubt`)
 *   d_p        ε_m of the sizes of its terms, m atoms
 *   zᵀGz       ε_n for L(g) X, ε_n for the product with X, a few u for z and for an eigenvalue of order 2
 *
 * relative to 2 R, with R = 2 max R_f for z of two entries and Σ R_f for any, as (Σ |z_f| √R_f)² is no more than that
 * (gersh__gradient_sizes). zᵀGz counts twice, for the metric and for the minimum, and g_p for d and for d'. Eigenvalues of larger
 * order have their own margin (psd.c), here with that of their Cholesky factor. What is lost below the smallest normal
 * number is that number for each term at most.
 */
#include "solver/doubt.h"

#include <float.h>
#include <math.h>

#include "base/alloc.h"
#include "linalg/kernels.h"

enum { FEW_ROUNDINGS = 32 /* roundings of a single term, and of an eigenvalue of order 2 */ };

gersh_status gersh__engine_doubt(double *doubt, const gersh__engine *e, double least)
{
    const gersh__pairs *pairs = e->pairs;
    const gersh__objective_kind *kind = e->objective->kind;
    double largest, sum, k = (double)gersh__pairs_features(pairs), n = (double)gersh__pairs_samples(pairs),
                         count = (double)gersh__pairs_count(pairs);
    double *r = gersh__alloc(gersh__pairs_samples(pairs), sizeof *r);
    if (r == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t i = 0, last = gersh__pairs_samples(pairs); i < last; i++)
        r[i] = n * DBL_MIN;
    gersh__pairs_sizes(pairs, e->g, r);
    double own = kind->doubt != NULL ? kind->doubt(e->objective, e->d, e->g, r) : 0;
    gersh__gradient_sizes(e->gradient, r, &largest, &sum);
    gersh__free(r);
    double size = e->budget * (e->dense ? sum : 2 * largest) + e->rho * sum;
    double share =
        8 * gersh__rounding(gersh__pairs_samples(pairs)) +
        4 * gersh__rounding(kind->chained ? gersh__pairs_count(pairs) : gersh__pairs_samples(pairs)) +
        2 * gersh__rounding(e->atoms) + (k + FEW_ROUNDINGS) * DBL_EPSILON;
    double factor =
        e->dense ? e->budget * fmax(-least, 0) * (k + FEW_ROUNDINGS) * (k + FEW_ROUNDINGS) * DBL_EPSILON
                 : 0;
    *doubt = own + share * size + factor + 2 * gersh__rounding(gersh__pairs_count(pairs)) * fabs(e->value) +
             (count + n * e->budget) * DBL_MIN;
    return GERSH_OK;
}
