/*
 * Rows in the space of a metric; see gersh/transform.h.
 *
 * The leading eigenvectors of up to GERSH__TRANSFORM_DENSE features come from LAPACK. Beyond, M is applied through its
 * atoms, ρx + Σ θ_a z_a (z_aᵀx), and LOBPCG finds one vector after the other: the smallest eigenvalue of −M
 * + Σ (λ_i + λ_1) v_i v_iᵀ over the vectors v_i that are there already, whose eigenvalues are λ_1 ≥ 0 in
 * it.
 */
#include "gersh/transform.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/policy.h"
#include "base/threads.h"
#include "data/build.h"
#include "embed/map.h"
#include "gersh/linalg.h"
#include "linalg/kernels.h"

enum { TRANSFORMED_ROWS = 128 };

/*
 * A vector is taken for an eigenvector where its residual is at most this, beside the largest eigenvalue.
 */
static const double residual_limit = 1e-6;

struct gersh_transform {
    gersh__map *map;
    int threads;
    double *values; /* or NULL */
};

void gersh_transform_free(gersh_transform *transform)
{
    if (transform == NULL)
        return;
    gersh__map_free(transform->map);
    gersh__free(transform->values);
    gersh__free(transform);
}

/* The eigenvectors that are found, by rows, and what is needed to find the next. */
typedef struct directions {
    const gersh_metric *metric;
    size_t found;
    double *vector; /* dim × features */
    double *value;  /* dim */
} directions;

static void add_metric(const gersh_metric *metric, const double *x, double *y)
{
    const gersh__kernels *kernel = gersh__kernels_here();
    size_t k = metric->features;
    kernel->axpy(k, -metric->rho, x, y);
    for (size_t t = 0; t < metric->atoms; t++) {
        if (metric->dense != NULL) {
            const double *z = metric->dense + t * k;
            kernel->axpy(k, -metric->weight[t] * kernel->dot(k, z, x), z, y);
            continue;
        }
        const gersh_atom *z = &metric->atom[t];
        double along = z->a * x[z->i] + (z->i != z->j ? z->b * x[z->j] : 0);
        y[z->i] -= metric->weight[t] * along * z->a;
        if (z->i != z->j)
            y[z->j] -= metric->weight[t] * along * z->b;
    }
}

/* −M, and what lifts the vectors that are found: a gersh_operator. */
static void apply_lifted(void *context, size_t n, size_t columns, const double *x, double *y)
{
    const directions *d = context;
    const gersh__kernels *kernel = gersh__kernels_here();
    memset(y, 0, columns * n * sizeof *y);
    for (size_t c = 0; c < columns; c++, x += n, y += n) {
        add_metric(d->metric, x, y);
        for (size_t i = 0; i < d->found; i++) {
            const double *v = d->vector + i * n;
            kernel->axpy(n, (d->value[i] + d->value[0]) * kernel->dot(n, v, x), v, y);
        }
    }
}

static gersh_status find_sparse(directions *d, size_t dim, const gersh_cancel *cancel)
{
    size_t k = d->metric->features;
    gersh_lobpcg *state = NULL;
    gersh_lobpcg_result result;
    gersh_lobpcg_options options = {.cancel = cancel};
    gersh_status status = gersh_lobpcg_new(&state, k);
    for (d->found = 0; d->found < dim && status == GERSH_OK; d->found++) {
        /* The block of the last solve holds the next vectors, but first the one that is now lifted. */
        status = gersh_lobpcg_solve(&result, d->vector + d->found * k, state, apply_lifted, d, &options);
        if (status != GERSH_OK)
            break;
        d->value[d->found] = fmax(-result.value, 0);
        if (!result.converged && !(result.residual <= residual_limit * d->value[0]))
            status = gersh__fail(
                GERSH_ERROR_NUMERIC,
                "direction %zu of the metric was not found: LOBPCG's residual is %.3g after %d steps",
                d->found + 1, result.residual, result.iterations);
    }
    gersh_lobpcg_free(state);
    return status;
}

static gersh_status find_dense(directions *d, size_t dim)
{
    size_t k = d->metric->features;
    gersh_status status = GERSH_ERROR_MEMORY;
    lapack_int n = (lapack_int)k, first = n - (lapack_int)dim + 1, found = 0, info = 0;
    double *m = gersh__alloc(k, k * sizeof *m), *vectors = gersh__alloc(dim, k * sizeof *vectors);
    double *values = gersh__alloc(k, sizeof *values), *work = gersh__alloc(k, 26 * sizeof *work);
    lapack_int *integers = gersh__alloc(k, 10 * sizeof *integers),
               *support = gersh__alloc(k, 2 * sizeof *support);
    if (!m || !vectors || !values || !work || !integers || !support)
        goto out;
    gersh_metric_matrix(d->metric, m);
    info = LAPACKE_dsyevr_work(LAPACK_COL_MAJOR, 'V', 'I', 'L', n, m, n, 0, 0, first, n, 0, &found, values,
                               vectors, n, support, work, 26 * n, integers, 10 * n);
    if (info != 0 || found != (lapack_int)dim) {
        status = gersh__fail(GERSH_ERROR_NUMERIC,
                             "LAPACK's dsyevr failed on a matrix of order %zu (info %d)", k, (int)info);
        goto out;
    }
    for (size_t i = 0; i < dim; i++) {
        d->value[i] = fmax(values[dim - 1 - i], 0);
        memcpy(d->vector + i * k, vectors + (dim - 1 - i) * k, k * sizeof *vectors);
    }
    status = GERSH_OK;
out:
    gersh__free(support);
    gersh__free(integers);
    gersh__free(work);
    gersh__free(values);
    gersh__free(vectors);
    gersh__free(m);
    return status;
}

/* √λ v, with the sign that makes the entry of the largest size positive. */
static void scale_direction(double *vector, size_t k, double value)
{
    size_t largest = 0;
    for (size_t j = 1; j < k; j++) /* of entries that are the same but for rounding, the first */
        largest = fabs(vector[j]) > fabs(vector[largest]) * (1 + 1e-10) ? j : largest;
    cblas_dscal((int)k, vector[largest] < 0 ? -sqrt(value) : sqrt(value), vector, 1);
}

/* A map whose one block has the directions as rows. */
static gersh_status make_directions(gersh_transform *transform, const gersh_metric *metric, size_t dim,
                                    const gersh_cancel *cancel)
{
    size_t k = metric->features;
    if (dim > k)
        return gersh__fail(GERSH_ERROR_ARGUMENT,
                           "--dim: %zu directions are asked for but there are %zu features", dim, k);
    transform->map = gersh__alloc(1, sizeof *transform->map);
    transform->values = gersh__alloc(dim, sizeof *transform->values);
    if (transform->map == NULL || transform->values == NULL)
        return GERSH_ERROR_MEMORY;
    gersh__map_block *block = gersh__map_add_block(transform->map, k, dim, 0);
    if (block == NULL)
        return GERSH_ERROR_MEMORY;
    directions d = {.metric = metric, .vector = block->matrix, .value = transform->values};
    gersh_status status = k <= GERSH__TRANSFORM_DENSE ? find_dense(&d, dim) : find_sparse(&d, dim, cancel);
    for (size_t i = 0; i < dim && status == GERSH_OK; i++)
        scale_direction(block->matrix + i * k, k, transform->values[i]);
    transform->map->features = k;
    transform->map->columns = dim;
    return status;
}

gersh_status gersh_transform_new(gersh_transform **out, const gersh_metric *metric, size_t dim, int threads,
                                 const gersh_cancel *cancel)
{
    *out = NULL;
    gersh_transform *transform = gersh__alloc(1, sizeof *transform);
    if (transform == NULL)
        return GERSH_ERROR_MEMORY;
    gersh__pool *pool = NULL; /* nothing is spread over it, but BLAS held */
    gersh_status status = gersh__pool_new(&pool, threads);
    transform->threads = threads;
    if (status == GERSH_OK)
        status = dim == 0 ? gersh__map_new_narrow(&transform->map, metric)
                          : make_directions(transform, metric, dim, cancel);
    gersh__pool_free(pool);
    if (status == GERSH_OK)
        *out = transform;
    else
        gersh_transform_free(transform);
    return status;
}

size_t gersh_transform_columns(const gersh_transform *transform)
{
    return transform->map->columns;
}

const double *gersh_transform_values(const gersh_transform *transform)
{
    return transform->values;
}

typedef struct work {
    const gersh__map *map;
    double *y;
    const double *x;
    size_t rows, stride;
    double *scratch;
} work;

static void apply_part(void *context, size_t part, int worker)
{
    const work *w = context;
    size_t begin = part * TRANSFORMED_ROWS,
           rows = w->rows - begin < TRANSFORMED_ROWS ? w->rows - begin : TRANSFORMED_ROWS;
    gersh__map_apply(w->map, w->y + begin * w->map->columns, rows, w->x + begin * w->stride, w->stride,
                     w->scratch + (size_t)worker * TRANSFORMED_ROWS * w->map->widest);
}

gersh_status gersh_transform_apply(gersh_transform *transform, double *y, size_t rows, const double *x,
                                   size_t stride)
{
    const gersh__map *map = transform->map;
    gersh__pool *pool = NULL;
    if (stride < map->features)
        return gersh__fail(GERSH_ERROR_ARGUMENT,
                           "the stride is %zu; it must be at least the number of features, %zu", stride,
                           map->features);
    gersh_status status = gersh__check_array(rows, stride, sizeof *x);
    if (status == GERSH_OK)
        status = gersh__check_array(rows, map->columns, sizeof *y);
    if (status == GERSH_OK)
        status = gersh__pool_new(&pool, transform->threads);
    if (status != GERSH_OK)
        return status;
    work w = {.map = map, .y = y, .x = x, .rows = rows, .stride = stride};
    w.scratch =
        gersh__alloc((size_t)gersh__pool_threads(pool), TRANSFORMED_ROWS * map->widest * sizeof *w.scratch);
    if (w.scratch != NULL)
        gersh__pool_run(pool, (rows + TRANSFORMED_ROWS - 1) / TRANSFORMED_ROWS, apply_part, &w);
    gersh__pool_free(pool);
    gersh__free(w.scratch);
    if (w.scratch == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t i = 0; i < rows * map->columns; i++)
        if (!isfinite(y[i]))
            return gersh__fail(GERSH_ERROR_NUMERIC,
                               "row %zu is too large to be mapped; scale the data first",
                               i / map->columns + 1);
    return GERSH_OK;
}

gersh_status gersh_transform_data(gersh_dataset **out, gersh_transform *transform,
                                  const gersh_dataset *data)
{
    gersh_dataset *moved = NULL, *own = NULL;
    char name[32];
    *out = NULL;
    if (data->k != transform->map->features)
        return gersh__fail(GERSH_ERROR_ARGUMENT, "the metric has %zu features but the data has %zu",
                           transform->map->features, data->k);
    if (transform->map->columns == 0)
        return gersh__fail(GERSH_ERROR_INPUT, "the metric is 0, so that its space has no columns");
    gersh_status status = gersh__dataset_dense(&own, &data);
    if (status == GERSH_OK)
        status = gersh__dataset_alloc(&moved, data->n, transform->map->columns);
    if (status == GERSH_OK)
        status = gersh__dataset_copy_labels(moved, data);
    for (size_t c = 0; status == GERSH_OK && c < moved->k; c++) {
        int length = snprintf(name, sizeof name, "t%zu", c + 1);
        moved->feature_names[c] = gersh__text_copy(name, (size_t)length);
        status = moved->feature_names[c] != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
    }
    if (status == GERSH_OK)
        status = gersh_transform_apply(transform, moved->x, data->n, data->x, data->k);
    gersh_dataset_free(own);
    if (status == GERSH_OK)
        *out = moved;
    else
        gersh_dataset_free(moved);
    return status;
}
