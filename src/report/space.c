/* The rows that a report shows; see space.h. */
#include "report/space.h"

#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/blas.h"
#include "base/error.h"
#include "base/json.h"
#include "base/random.h"
#include "base/threads.h"
#include "data/dataset.h"
#include "gersh/transform.h"

enum { COMPONENTS = 2 };

void gersh__shown_free(gersh__shown *shown)
{
    if (shown == NULL)
        return;
    gersh__free(shown->row);
    gersh_dataset_free(shown->scaled);
    gersh__free(shown->euclidean);
    gersh__free(shown->learned);
    gersh__free(shown);
}

static int ascending(const void *left, const void *right)
{
    size_t a = *(const size_t *)left, b = *(const size_t *)right;
    return a < b ? -1 : a > b;
}

static gersh_status choose_rows(gersh__shown *shown, size_t rows)
{
    gersh__random random;
    shown->count = rows < GERSH__MOST_SHOWN ? rows : GERSH__MOST_SHOWN;
    shown->row = gersh__alloc(rows, sizeof *shown->row);
    if (shown->row == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t i = 0; i < rows; i++)
        shown->row[i] = i;
    if (rows > shown->count) {
        gersh__random_seed(&random, 0);
        gersh__random_shuffle(&random, shown->row, rows);
        qsort(shown->row, shown->count, sizeof *shown->row, ascending);
    }
    return GERSH_OK;
}

/* Of the rows y, n × k, which are centred. */
static gersh_status make_gram(double **out, double *y, size_t n, size_t k)
{
    double *gram = *out = gersh__alloc(n, n * sizeof *gram);
    if (gram == NULL || gersh__blas_check() != GERSH_OK)
        return GERSH_ERROR_MEMORY;
    for (size_t j = 0; j < k; j++) {
        double mean = 0;
        for (size_t i = 0; i < n; i++)
            mean += y[i * k + j] / (double)n;
        for (size_t i = 0; i < n; i++)
            y[i * k + j] -= mean;
    }
    gersh__blas_hold(); /* the same bits whatever the number of threads */
    if (k > 0)
        cblas_dsyrk(CblasRowMajor, CblasUpper, CblasNoTrans, (int)n, (int)k, 1, y, (int)k, 0, gram, (int)n);
    gersh__blas_release();
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            gram[i * n + j] = gram[j * n + i];
    for (size_t e = 0; e < n * n; e++)
        if (!(fabs(gram[e]) < DBL_MAX / 8)) /* distances are sums of four entries */
            return gersh__rows_too_large();
    return GERSH_OK;
}

gersh_status gersh__rows_too_large(void)
{
    return gersh__fail(GERSH_ERROR_NUMERIC, "the rows are too large to be shown; scale the data first");
}

gersh_status gersh__shown_new(gersh__shown **out, const gersh_model *model, const gersh_dataset *data,
                              int threads)
{
    gersh_transform *map = NULL;
    double *y = NULL, *x = NULL;
    size_t k = gersh_model_metric(model)->features;
    *out = NULL;
    gersh__shown *shown = gersh__alloc(1, sizeof *shown);
    gersh_status status = shown != NULL ? choose_rows(shown, gersh_dataset_rows(data)) : GERSH_ERROR_MEMORY;
    if (status == GERSH_OK)
        status = gersh_dataset_subset(&shown->scaled, data, shown->row, shown->count);
    if (status == GERSH_OK)
        status = gersh_scaling_apply(gersh_model_scaling(model), shown->scaled);
    if (status == GERSH_OK)
        status = gersh_transform_new(&map, gersh_model_metric(model), 0, threads, NULL);
    if (status == GERSH_OK) {
        y = gersh__alloc(shown->count, gersh_transform_columns(map) * sizeof *y);
        x = gersh__alloc(shown->count, k * sizeof *x);
        status = y != NULL && x != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
    }
    if (status == GERSH_OK) {
        memcpy(x, shown->scaled->x, shown->count * k * sizeof *x);
        status = gersh_transform_apply(map, y, shown->count, x, k);
    }
    if (status == GERSH_OK)
        status = make_gram(&shown->euclidean, x, shown->count, k);
    if (status == GERSH_OK)
        status = make_gram(&shown->learned, y, shown->count, gersh_transform_columns(map));
    gersh__free(x);
    gersh__free(y);
    gersh_transform_free(map);
    if (status == GERSH_OK)
        *out = shown;
    else
        gersh__shown_free(shown);
    return status;
}

double gersh__gram_distance(const double *gram, size_t n, size_t i, size_t j)
{
    return fmax(gram[i * n + i] + gram[j * n + j] - 2 * gram[i * n + j], 0);
}

/* COMPONENTS × n by rows: √λ u of the largest eigenvalues, with the sign that makes the largest entry positive. */
static gersh_status find_components(double *component, double *value, const double *gram, size_t n)
{
    gersh_status status = GERSH_ERROR_MEMORY;
    lapack_int found = 0, wanted = n < COMPONENTS ? (lapack_int)n : COMPONENTS, order = (lapack_int)n;
    double *copy = gersh__alloc(n, n * sizeof *copy), *values = gersh__alloc(n, sizeof *values);
    double *vectors = gersh__alloc(COMPONENTS, n * sizeof *vectors),
           *work = gersh__alloc(n, 26 * sizeof *work);
    lapack_int *integers = gersh__alloc(n, 10 * sizeof *integers);
    lapack_int support[2 * COMPONENTS];
    if (!copy || !values || !vectors || !work || !integers)
        goto out;
    memcpy(copy, gram, n * n * sizeof *copy);
    gersh__blas_hold();
    lapack_int info = LAPACKE_dsyevr_work(LAPACK_COL_MAJOR, 'V', 'I', 'L', order, copy, order, 0, 0,
                                          order - wanted + 1, order, 0, &found, values, vectors, order,
                                          support, work, 26 * order, integers, 10 * order);
    gersh__blas_release();
    if (info != 0 || found != wanted) {
        status = gersh__fail(GERSH_ERROR_NUMERIC,
                             "LAPACK's dsyevr failed on a matrix of order %zu (info %d)", n, (int)info);
        goto out;
    }
    double rounding =
        10 * (double)n * DBL_EPSILON * fmax(values[wanted - 1], 0); /* of eigenvalues that are 0 */
    for (lapack_int c = 0; c < wanted; c++) {
        const double *u = vectors + (size_t)(wanted - 1 - c) * n;
        size_t largest = 0;
        value[c] = values[wanted - 1 - c] > rounding ? values[wanted - 1 - c] : 0;
        for (size_t i = 1; i < n; i++)
            largest = fabs(u[i]) > fabs(u[largest]) * (1 + 1e-10) ? i : largest;
        for (size_t i = 0; i < n; i++)
            component[(size_t)c * n + i] = (u[largest] < 0 ? -sqrt(value[c]) : sqrt(value[c])) * u[i];
    }
    status = GERSH_OK;
out:
    gersh__free(integers);
    gersh__free(work);
    gersh__free(vectors);
    gersh__free(values);
    gersh__free(copy);
    return status;
}

/* Of each row, the position of the nearest other one, the first of equally near ones, and how far it is. */
static void list_neighbors(json_t **nearest, json_t **distance, const double *gram, size_t n)
{
    *nearest = json_array();
    *distance = json_array();
    for (size_t i = 0; i < n; i++) {
        size_t best = i == 0 ? 1 : 0;
        for (size_t j = best + 1; j < n; j++)
            if (j != i && gersh__gram_distance(gram, n, i, j) < gersh__gram_distance(gram, n, i, best))
                best = j;
        *nearest = gersh__json_append(*nearest, n > 1 ? json_integer((json_int_t)best) : json_null());
        *distance = gersh__json_append(
            *distance, n > 1 ? json_real(sqrt(gersh__gram_distance(gram, n, i, best))) : json_null());
    }
}

/* One space: components, their shares of the variance, and neighbours. */
static gersh_status gram_json(json_t **out, const double *gram, size_t n)
{
    double value[COMPONENTS] = {0}, all = 0;
    double *component = gersh__alloc(COMPONENTS, n * sizeof *component);
    gersh_status status =
        component != NULL ? find_components(component, value, gram, n) : GERSH_ERROR_MEMORY;
    if (status == GERSH_OK) {
        json_t *nearest, *distance;
        for (size_t i = 0; i < n; i++)
            all += gram[i * n + i];
        for (int c = 0; c < COMPONENTS; c++)
            value[c] = all > 0 ? fmin(value[c] / all, 1) : 0;
        list_neighbors(&nearest, &distance, gram, n);
        *out = json_pack("{s:o, s:o, s:o, s:o, s:o}", "x", gersh__json_reals(component, n), "y",
                         gersh__json_reals(component + n, n), "share", gersh__json_reals(value, COMPONENTS),
                         "neighbor", nearest, "distance", distance);
        if (*out == NULL)
            status = gersh__fail(GERSH_ERROR_MEMORY, "out of memory: the rows of the report");
    }
    gersh__free(component);
    return status;
}

gersh_status gersh__space_json(json_t **out, const gersh__shown *shown)
{
    json_t *learned = NULL, *euclidean = NULL, *rows = NULL, *labels = json_null();
    const int *label = gersh_dataset_labels(shown->scaled);
    const double *target = gersh_dataset_targets(shown->scaled);
    *out = NULL;
    gersh_status status = gram_json(&learned, shown->learned, shown->count);
    if (status == GERSH_OK)
        status = gram_json(&euclidean, shown->euclidean, shown->count);
    if (status != GERSH_OK) {
        json_decref(learned);
        return status;
    }
    rows = json_array();
    for (size_t i = 0; i < shown->count; i++)
        rows = gersh__json_append(rows, json_integer((json_int_t)shown->row[i] + 1));
    if (label != NULL)
        labels = json_array();
    for (size_t i = 0; label != NULL && i < shown->count; i++)
        labels = gersh__json_append(labels, json_integer(label[i]));
    *out = json_pack("{s:o, s:o, s:o, s:o, s:o}", "row", rows, "label", labels, "target",
                     target != NULL ? gersh__json_reals(target, shown->count) : json_null(), "learned",
                     learned, "euclidean", euclidean);
    return *out != NULL ? GERSH_OK
                        : gersh__fail(GERSH_ERROR_MEMORY, "out of memory: the rows of the report");
}
