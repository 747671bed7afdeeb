/* What the features of a metric contribute to telling samples apart; see gersh/importance.h. */
#ifndef GERSH_SRC_MODEL_IMPORTANCE_H
#define GERSH_SRC_MODEL_IMPORTANCE_H

#include "data/dataset.h"
#include "gersh/importance.h"

void gersh__importance_clear(gersh_importance *importance);

/*
 * Contributions and separation of a metric on scaled data, by its tuples or else its labels or targets, with these
 * weights (NULL: all 1), into an importance that has none yet. None, which is no failure, where there are no pairs of one
 * kind or the sums overflow. The result does not depend on the number of threads (0: one for each core).
 */
gersh_status gersh__importance_contribute(gersh_importance *out, const gersh_metric *metric,
                                          const gersh_dataset *scaled, const double *weights,
                                          const gersh_tuples *tuples, int threads);

/*
 * S_b − S_w and S_b as sums of terms: Σ_t gain_t u_t u_tᵀ and Σ_t between_t u_t u_tᵀ. Without tuples, the first n terms
 * are the samples less the mean of their group (classes; of targets there is one group), and the last ones are the rows
 * of a matrix: the groups' means less the mean of all, or of targets b = Σ w y x. With tuples a term is the difference
 * of two samples.
 */
typedef struct gersh__moments {
    const gersh_dataset *data; /* scaled */
    size_t terms;
    double *gain, *between;
    /* Without tuples: */
    const int *group; /* of each sample; NULL: all are in one */
    size_t groups;
    double *weight; /* of each sample, at most 1 */
    double *total;  /* weight of each group */
    double *target; /* of each sample, with mean 0; or NULL */
    /* With tuples: */
    size_t *first, *second; /* samples of each term; NULL without tuples */
} gersh__moments;

/* Fails only for want of memory. Without pairs of one of the two kinds there are no terms. */
gersh_status gersh__moments_make(gersh__moments *out, const gersh_dataset *scaled, const double *weights,
                                 const gersh_tuples *tuples);
void gersh__moments_clear(gersh__moments *moments);

/* How many of the last terms are rows of a matrix. */
size_t gersh__moments_rows(const gersh__moments *moments);

/*
 * Adds rho (S_b − S_w)_ii to gain[i] of every feature i of sparse data for which slot[i] is GERSH__NONE, and rho (S_b)_ii
 * to *between.
 */
gersh_status gersh__importance_sparse(double *gain, double *between, const gersh__moments *moments,
                                      double rho, const size_t *slot);

#endif
