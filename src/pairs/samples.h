/*
 * The samples of pairs: n samples of k features, of which only differences count, dense in memory or sparse
 * (data/sparse.h).
 */
#ifndef GERSH_SRC_PAIRS_SAMPLES_H
#define GERSH_SRC_PAIRS_SAMPLES_H

#include "base/threads.h"
#include "data/sparse.h"
#include "gersh/data.h"

typedef struct gersh__samples gersh__samples;

typedef struct gersh__samples_ops {
    void (*project)(const gersh__samples *samples, size_t i, double a, size_t j, double b, double *t);
    void (*project_vector)(const gersh__samples *samples, const double *z, double *t);
    const double *(*column)(const gersh__samples *samples, size_t f, double *scratch);
    double (*column_dot)(const gersh__samples *samples, size_t f, const double *y);
    double (*distance)(const gersh__samples *samples, size_t i, size_t j);
    void (*distances)(const gersh__samples *samples, size_t i, size_t count, double *d);
    int (*coincide)(const gersh__samples *samples, size_t i, size_t j);
    void (*free)(gersh__samples *samples);
} gersh__samples_ops;

struct gersh__samples {
    const gersh__samples_ops *ops;
    size_t n, k;
    double *values; /* k × n, feature by feature, where they are dense; else NULL */
};

/* The given rows of the data, dense or sparse as these are. */
gersh_status gersh__samples_new(gersh__samples **out, const gersh_dataset *data, const size_t *row,
                                size_t n, gersh__pool *pool);

/* Dense ones, all 0. */
gersh_status gersh__samples_new_zero(gersh__samples **out, size_t n, size_t k);
void gersh__samples_free(gersh__samples *samples);

/* The lists of the features where samples are sparse; else NULL. */
const gersh__sparse *gersh__samples_lists(const gersh__samples *samples);

#endif
