/* Random metrics of many shapes for the tests of what uses a metric. */
#ifndef GERSH_TESTS_RANDOM_METRICS_H
#define GERSH_TESTS_RANDOM_METRICS_H

#include <math.h>

#include "base/random.h"
#include "check.h"
#include "gersh/metric.h"

enum {
    NO_METRIC,       /* NULL: Euclidean */
    SINGLE_METRIC,   /* one-entry atoms on some features */
    TREE_METRIC,     /* an edge from each feature to an earlier one */
    PIECES_METRIC,   /* edges within groups of features, some features left alone */
    CROWDED_METRIC,  /* many edges, several on a pair */
    SINGULAR_METRIC, /* few edges, and ρ = 0 */
    CIRCLE_METRIC,   /* ρ = 0, more edges than features, all orthogonal to one vector */
    FEW_DENSE_METRIC,
    MANY_DENSE_METRIC,
    FLAT_DENSE_METRIC, /* ρ = 0 */
    METRICS
};

static inline gersh_atom random_edge(gersh__random *random, size_t i, size_t j)
{
    double angle = 6.28 * gersh__random_uniform(random);
    return i == j ? (gersh_atom){.i = i, .j = i, .a = 1}
                  : (gersh_atom){.i = i, .j = j, .a = cos(angle), .b = sin(angle)};
}

static inline void fill_sparse(gersh__random *random, gersh_metric *metric, int shape)
{
    size_t k = metric->features;
    for (size_t t = 0; t < metric->atoms; t++) {
        size_t i = (size_t)gersh__random_below(random, k), j = (size_t)gersh__random_below(random, k);
        if (shape == SINGLE_METRIC)
            j = i;
        if (shape == TREE_METRIC) {
            i = t;
            j = t > 0 ? (size_t)gersh__random_below(random, t) : 0;
        }
        if (shape == PIECES_METRIC) {
            i = i % 3 == 0 && i + 1 < k ? i + 1 : i;
            j = j - j % 4 + i % 4 < k ? j - j % 4 + i % 4 : i;
        }
        metric->atom[t] = random_edge(random, i, j);
        if (shape == CIRCLE_METRIC &&
            k > 1) { /* e_i − e_j: a constant shift of all features costs nothing */
            j = i == j ? (i + 1) % k : j;
            metric->atom[t] = (gersh_atom){.i = i, .j = j, .a = sqrt(0.5), .b = -sqrt(0.5)};
        }
    }
}

static inline gersh_metric *random_metric(gersh__random *random, size_t k, int shape)
{
    gersh_metric *metric = NULL;
    if (shape == NO_METRIC)
        return NULL;
    int dense = shape >= FEW_DENSE_METRIC;
    size_t atoms = shape == CROWDED_METRIC      ? 4 * k * (size_t)ceil(sqrt((double)k))
                   : shape == CIRCLE_METRIC     ? 3 * k
                   : shape == FEW_DENSE_METRIC  ? 1 + k / 8
                   : shape == MANY_DENSE_METRIC ? 2 * k
                   : shape == SINGULAR_METRIC || shape == FLAT_DENSE_METRIC || shape == SINGLE_METRIC
                       ? (k + 1) / 2
                       : k;
    int flat = shape == SINGULAR_METRIC || shape == CIRCLE_METRIC || shape == FLAT_DENSE_METRIC;
    assert_ok(gersh_metric_new(&metric, k, flat ? 0 : 1e-4, atoms, dense));
    for (size_t t = 0; t < atoms; t++)
        metric->weight[t] = 0.01 + gersh__random_uniform(random);
    if (!dense)
        fill_sparse(random, metric, shape);
    for (size_t t = 0; dense && t < atoms; t++) {
        double square = 0, *z = metric->dense + t * k;
        for (size_t j = 0; j < k; j++) {
            z[j] = gersh__random_normal(random);
            square += z[j] * z[j];
        }
        for (size_t j = 0; j < k; j++)
            z[j] /= sqrt(square);
    }
    return metric;
}

/* M, or the identity for NULL; free() it. */
static inline double *metric_matrix(const gersh_metric *metric, size_t k)
{
    double *m = calloc(k * k, sizeof *m);
    if (metric != NULL)
        gersh_metric_matrix(metric, m);
    for (size_t i = 0; metric == NULL && i < k; i++)
        m[i * k + i] = 1;
    return m;
}

/* ΔᵀMΔ entry by entry. */
static inline double matrix_distance(size_t k, const double *m, const double *x, const double *y)
{
    long double sum = 0;
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < k; j++)
            sum += ((long double)x[i] - y[i]) * m[i * k + j] * ((long double)x[j] - y[j]);
    return (double)sum;
}

#endif
