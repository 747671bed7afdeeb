/* Contributions of features straight from their definition: every pair is looked at. */
#ifndef GERSH_TESTS_IMPORTANCE_H
#define GERSH_TESTS_IMPORTANCE_H

#include <math.h>

#include "check.h"
#include "gersh/gersh.h"

/* Sums of w ΔΔᵀ and of w over two sets of pairs: 0 near, 1 far. */
typedef struct pair_moments {
    size_t k;
    long double *sum[2], weight[2];
} pair_moments;

static inline void add_pair_to(pair_moments *p, int far, const double *x, size_t i, size_t j, long double w)
{
    for (size_t a = 0; a < p->k; a++)
        for (size_t b = 0; b < p->k; b++)
            p->sum[far][a * p->k + b] += w * ((long double)x[i * p->k + a] - x[j * p->k + a]) *
                                         ((long double)x[i * p->k + b] - x[j * p->k + b]);
    p->weight[far] += w;
}

static inline void add_labelled_pairs(pair_moments *p, const gersh_dataset *data, const double *x,
                                      const double *w)
{
    const int *label = gersh_dataset_labels(data);
    const double *y = gersh_dataset_targets(data);
    for (size_t i = 0; i < gersh_dataset_rows(data); i++)
        for (size_t j = 0; j < i; j++) {
            long double both = (w != NULL ? w[i] : 1) * (w != NULL ? w[j] : 1);
            if (label != NULL) {
                add_pair_to(p, label[i] != label[j], x, i, j, both);
                continue;
            }
            add_pair_to(p, 0, x, i, j, both);
            add_pair_to(p, 1, x, i, j, both * (y[i] - y[j]) * (y[i] - y[j]));
        }
}

static inline void add_tuple_pairs(pair_moments *p, const gersh_tuples *tuples, const double *x,
                                   const double *w)
{
    size_t size = gersh_tuple_size(tuples->kind);
    for (size_t t = 0; t < tuples->count; t++) {
        const size_t *r = tuples->row + t * size;
        long double all = 1;
        for (size_t c = 0; c < size; c++)
            all *= w != NULL ? w[r[c]] : 1;
        switch (tuples->kind) {
        case GERSH_PAIRS:
            add_pair_to(p, tuples->similar[t] == 0, x, r[0], r[1], all);
            break;
        case GERSH_TRIPLETS:
            add_pair_to(p, 0, x, r[0], r[1], all);
            add_pair_to(p, 1, x, r[0], r[2], all);
            break;
        case GERSH_QUADRUPLETS:
            add_pair_to(p, 0, x, r[0], r[1], all);
            add_pair_to(p, 1, x, r[2], r[3], all);
            break;
        }
    }
}

/*
 * c of each feature and tr(M S_b); *size is Σ |M_ij| (|S_b| + |S_w|)_ij, which rounding is in proportion to. x: the
 * scaled values. Returns 0 where there are no pairs of one kind.
 */
static inline int naive_contributions(double *c, double *between, double *size, const gersh_metric *metric,
                                      const gersh_dataset *data, const double *x, const double *w,
                                      const gersh_tuples *tuples)
{
    size_t k = metric->features;
    double *m = calloc(k * k, sizeof *m);
    pair_moments p = {.k = k,
                      .sum = {calloc(k * k, sizeof(long double)), calloc(k * k, sizeof(long double))}};
    if (tuples != NULL)
        add_tuple_pairs(&p, tuples, x, w);
    else
        add_labelled_pairs(&p, data, x, w);
    gersh_metric_matrix(metric, m);
    *between = *size = 0;
    for (size_t i = 0; i < k; i++) {
        long double own = 0;
        for (size_t j = 0; j < k; j++) {
            long double near = p.sum[0][i * k + j] / p.weight[0], far = p.sum[1][i * k + j] / p.weight[1];
            own += m[i * k + j] * (far - near);
            *between += (double)(m[i * k + j] * far);
            *size += (double)(fabs(m[i * k + j]) * (fabsl(far) + fabsl(near)));
        }
        c[i] = (double)own;
    }
    int there = p.weight[0] > 0 && p.weight[1] > 0;
    free(p.sum[0]);
    free(p.sum[1]);
    free(m);
    return there;
}

#endif
