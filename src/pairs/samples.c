/* Samples, dense or sparse; see samples.h. */
#include "pairs/samples.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "data/dataset.h"
#include "linalg/kernels.h"

enum { COLUMN_STRIPE = 16 };

static void dense_project(const gersh__samples *s, size_t i, double a, size_t j, double b, double *t)
{
    const double *first = s->values + i * s->n, *second = s->values + j * s->n;
    for (size_t e = 0; e < s->n; e++)
        t[e] = a * first[e] + b * second[e];
}

static void dense_project_vector(const gersh__samples *s, const double *z, double *t)
{
    cblas_dgemv(CblasRowMajor, CblasTrans, (int)s->k, (int)s->n, 1, s->values, (int)s->n, z, 1, 0, t, 1);
}

static const double *dense_column(const gersh__samples *s, size_t f, double *scratch)
{
    (void)scratch;
    return s->values + f * s->n;
}

static double dense_column_dot(const gersh__samples *s, size_t f, const double *y)
{
    return gersh__kernels_here()->dot(s->n, s->values + f * s->n, y);
}

static double dense_distance(const gersh__samples *s, size_t i, size_t j)
{
    double sum = 0;
    for (size_t f = 0; f < s->k; f++) {
        double difference = s->values[f * s->n + i] - s->values[f * s->n + j];
        sum += difference * difference;
    }
    return sum;
}

static void dense_distances(const gersh__samples *s, size_t i, size_t count, double *d)
{
    const gersh__kernels *kernels = gersh__kernels_here();
    memset(d, 0, count * sizeof *d);
    for (size_t f = 0; f < s->k; f++)
        kernels->square_add(count, 1.0, s->values[f * s->n + i], s->values + f * s->n, d);
}

static int dense_coincide(const gersh__samples *s, size_t i, size_t j)
{
    for (size_t f = 0; f < s->k; f++)
        if (s->values[f * s->n + i] != s->values[f * s->n + j])
            return 0;
    return 1;
}

static void dense_free(gersh__samples *s)
{
    gersh__free(s->values);
    gersh__free(s);
}

static const gersh__samples_ops dense_ops = {.project = dense_project,
                                             .project_vector = dense_project_vector,
                                             .column = dense_column,
                                             .column_dot = dense_column_dot,
                                             .distance = dense_distance,
                                             .distances = dense_distances,
                                             .coincide = dense_coincide,
                                             .free = dense_free};

typedef struct sparse_samples {
    gersh__samples base;
    gersh__sparse *columns; /* a list for each feature, of its samples */
    gersh__sparse *rows;    /* the same, a list for each sample */
} sparse_samples;

static const sparse_samples *sparse_of(const gersh__samples *s)
{
    return (const sparse_samples *)s;
}

/* t += a x_f of the sparse entries */
static void add_entries(const gersh__sparse *x, size_t f, double a, double *t)
{
    for (size_t e = x->start[f]; e < x->start[f + 1]; e++)
        t[x->index[e]] += a * x->value[e];
}

static void sparse_project(const gersh__samples *s, size_t i, double a, size_t j, double b, double *t)
{
    const gersh__sparse *x = sparse_of(s)->columns;
    double shift = x->shift != NULL ? a * x->shift[i] + b * x->shift[j] : 0;
    for (size_t e = 0; e < s->n; e++)
        t[e] = x->factor != NULL ? -x->factor[e] * shift : -shift;
    add_entries(x, i, a, t);
    add_entries(x, j, b, t);
}

static void sparse_project_vector(const gersh__samples *s, const double *z, double *t)
{
    const gersh__sparse *x = sparse_of(s)->columns;
    double shift = 0;
    for (size_t f = 0; x->shift != NULL && f < s->k; f++)
        shift += z[f] * x->shift[f];
    for (size_t e = 0; e < s->n; e++)
        t[e] = x->factor != NULL ? -x->factor[e] * shift : -shift;
    for (size_t f = 0; f < s->k; f++)
        add_entries(x, f, z[f], t);
}

static const double *sparse_column(const gersh__samples *s, size_t f, double *scratch)
{
    sparse_project(s, f, 1, f, 0, scratch);
    return scratch;
}

static double sparse_column_dot(const gersh__samples *s, size_t f, const double *y)
{
    const gersh__kernels *kernels = gersh__kernels_here();
    const gersh__sparse *x = sparse_of(s)->columns;
    size_t from = x->start[f], count = x->start[f + 1] - from;
    double sum = kernels->gather(count, x->value + from, x->index + from, y);
    if (x->shift == NULL || x->shift[f] == 0)
        return sum;
    return sum -
           x->shift[f] * (x->factor != NULL ? kernels->dot(s->n, x->factor, y) : kernels->sum(s->n, y));
}

static double sparse_distance(const gersh__samples *s, size_t i, size_t j)
{
    return gersh__sparse_distance(sparse_of(s)->rows, i, j);
}

static void sparse_distances(const gersh__samples *s, size_t i, size_t count, double *d)
{
    for (size_t j = 0; j < count; j++)
        d[j] = sparse_distance(s, i, j);
}

static int sparse_coincide(const gersh__samples *s, size_t i, size_t j)
{
    return sparse_distance(s, i, j) == 0;
}

static void sparse_free(gersh__samples *s)
{
    gersh__sparse_free(sparse_of(s)->columns);
    gersh__sparse_free(sparse_of(s)->rows);
    gersh__free(s);
}

static const gersh__samples_ops sparse_ops = {.project = sparse_project,
                                              .project_vector = sparse_project_vector,
                                              .column = sparse_column,
                                              .column_dot = sparse_column_dot,
                                              .distance = sparse_distance,
                                              .distances = sparse_distances,
                                              .coincide = sparse_coincide,
                                              .free = sparse_free};

const gersh__sparse *gersh__samples_lists(const gersh__samples *s)
{
    return s->ops == &sparse_ops ? sparse_of(s)->columns : NULL;
}

static gersh_status new_sparse(gersh__samples **out, const gersh__sparse *data, const size_t *row, size_t n,
                               size_t k)
{
    sparse_samples *s = gersh__alloc(1, sizeof *s);
    *out = NULL;
    if (s == NULL)
        return GERSH_ERROR_MEMORY;
    s->base = (gersh__samples){.ops = &sparse_ops, .n = n, .k = k};
    gersh_status status = gersh__sparse_rows(&s->rows, data, row, n, k);
    if (status == GERSH_OK &&
        s->rows->factor == NULL) { /* what all samples have in common is in no difference */
        gersh__free(s->rows->shift);
        s->rows->shift = NULL;
    }
    if (status == GERSH_OK)
        status = gersh__sparse_transpose(&s->columns, s->rows, k);
    if (status == GERSH_OK)
        *out = &s->base;
    else
        sparse_free(&s->base);
    return status;
}

gersh_status gersh__samples_new_zero(gersh__samples **out, size_t n, size_t k)
{
    gersh__samples *s = *out = gersh__alloc(1, sizeof *s);
    if (s == NULL)
        return GERSH_ERROR_MEMORY;
    *s = (gersh__samples){
        .ops = &dense_ops, .n = n, .k = k, .values = gersh__alloc(n, k * sizeof *s->values)};
    if (s->values != NULL)
        return GERSH_OK;
    gersh__free(s);
    *out = NULL;
    return GERSH_ERROR_MEMORY;
}

typedef struct copy {
    gersh__samples *samples;
    const double *x; /* by rows */
    const size_t *row;
} copy;

/* Values that differ little beside their size lose digits in products, so they begin at 0 where that is exact. */
static void shift_column(size_t n, double *x)
{
    double least = x[0], largest = x[0];
    for (size_t i = 1; i < n; i++) {
        least = fmin(least, x[i]);
        largest = fmax(largest, x[i]);
    }
    if (largest - least > fmin(fabs(least), fabs(largest)))
        return;
    for (size_t i = 0; i < n; i++) /* all are between least and twice as much */
        x[i] -= least;
}

/* A stripe of columns: few enough for their ends to stay in the cache. */
static void copy_stripe(void *context, size_t stripe, int worker)
{
    const copy *c = context;
    size_t n = c->samples->n, k = c->samples->k, begin = stripe * COLUMN_STRIPE;
    size_t end = begin + COLUMN_STRIPE < k ? begin + COLUMN_STRIPE : k;
    (void)worker;
    for (size_t i = 0; i < n; i++)
        for (size_t f = begin; f < end; f++)
            c->samples->values[f * n + i] = c->x[c->row[i] * k + f];
    for (size_t f = begin; f < end && n > 0; f++)
        shift_column(n, c->samples->values + f * n);
}

gersh_status gersh__samples_new(gersh__samples **out, const gersh_dataset *data, const size_t *row,
                                size_t n, gersh__pool *pool)
{
    size_t k = gersh_dataset_features(data);
    if (data->x == NULL)
        return new_sparse(out, data->sparse, row, n, k);
    gersh_status status = gersh__samples_new_zero(out, n, k);
    if (status == GERSH_OK)
        gersh__pool_run(gersh__pool_for(pool, (double)(k * n)), (k + COLUMN_STRIPE - 1) / COLUMN_STRIPE,
                        copy_stripe, &(copy){*out, data->x, row});
    return status;
}

void gersh__samples_free(gersh__samples *s)
{
    if (s != NULL)
        s->ops->free(s);
}
