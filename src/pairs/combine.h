/* D of a whole metric at once, and D* seen through its atoms. */
#ifndef GERSH_SRC_PAIRS_COMBINE_H
#define GERSH_SRC_PAIRS_COMBINE_H

#include "gersh/metric.h"
#include "pairs/pairs.h"

/*
 * d_p = base_p + Σ_a weight_a (t_ia − t_ja)² for m atoms with weights >= 0 and projections t (n entries each, with
 * mean 0). base may be d. scratch: n · m doubles.
 */
void gersh__pairs_combine(const gersh__pairs *pairs, size_t m, const double *t, const double *weight,
                          double *scratch, const double *base, double *d);

/*
 * The same for far more atoms of one or two features than there are features, where gersh__pairs_many_atoms says so.
 * scratch: (n + 1) · m doubles.
 */
void gersh__pairs_metric(const gersh__pairs *pairs, size_t m, const gersh_atom *atom, const double *t,
                         const double *weight, double *scratch, const double *base, double *d);
int gersh__pairs_many_atoms(const gersh__pairs *pairs, size_t m);

/*
 * score_a = Σ_p g_p (t_ia − t_ja)² = z_aᵀ D*(g) z_a for the m atoms with the projections t. scratch:
 * m · (n + GERSH__MOST_PARTS) doubles.
 */
void gersh__pairs_scores(const gersh__pairs *pairs, const double *g, size_t m, const double *t,
                         double *scratch, double *score);

#endif
