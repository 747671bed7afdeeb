/*
 * Principal components by the singular value decomposition of the centred data.
 *
 * With the rows of C = X − 1 m^T, C = U S V^T gives the covariance C^T C / (n − 1) = V S² V^T / (n − 1):
 * the directions are the rows of V^T and the variances s²/(n − 1). The covariance matrix is never formed,
 * since that would square the condition number and lose the small variances. The memory of C is that of C^T
 * by columns, which is what LAPACK gets: its left singular vectors then are the directions, one after
 * another.
 */
#include <cblas.h>
#include <lapacke.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/blas.h"
#include "base/error.h"
#include "data/build.h"

/* Entries within this of the largest one, relatively, count as equal to it: the first decides the sign. */
#define EQUAL_ENTRIES 1e-10

/* Fails when samples or features do not fit LAPACK's integers, or BLAS has no memory; then *data is made dense. */
static gersh_status prepare(gersh_dataset **own, const gersh_dataset **given)
{
    const gersh_dataset *data = *given;
    if (data->n > INT_MAX || data->k > INT_MAX)
        return gersh__fail(
            GERSH_ERROR_INPUT,
            "%zu rows of %zu features are too many for principal components; the limit of either "
            "is %d",
            data->n, data->k, INT_MAX);
    gersh_status status = gersh__blas_check();
    return status == GERSH_OK ? gersh__dataset_dense(own, given) : status;
}

/* Rows less the mean; fails where the difference is beyond the range of double. */
static gersh_status center(double *centered, const gersh_dataset *data, const double *mean)
{
    for (size_t i = 0; i < data->n; i++) {
        for (size_t j = 0; j < data->k; j++) {
            double difference = data->x[i * data->k + j] - mean[j];
            centered[i * data->k + j] = difference;
            if (!isfinite(difference))
                return gersh__fail(
                    GERSH_ERROR_NUMERIC,
                    "row %zu, feature %zu: the value %g is too large for principal components; "
                    "scale the data first",
                    i + 1, j + 1, data->x[i * data->k + j]);
        }
    }
    return GERSH_OK;
}

/*
 * The singular value decomposition of the k × n matrix a (by columns), which is overwritten. singular gets
 * min(n, k) values; *left points to the left singular vectors: to a where k >= n, else to small (k × k).
 */
static gersh_status decompose(double *singular, const double **left, double *a, double *small, lapack_int k,
                              lapack_int n)
{
    gersh_status status = GERSH_ERROR_MEMORY;
    lapack_int least = k < n ? k : n;
    double size = 0;
    double *work = NULL;
    /* Job 'O' puts the longer of the two sets of singular vectors over a. */
    double *u = k < n ? small : NULL, *vt = k < n ? NULL : small;
    lapack_int *integers = gersh__alloc((size_t)least, 8 * sizeof *integers);
    if (integers == NULL)
        return GERSH_ERROR_MEMORY;
    lapack_int info = LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'O', k, n, a, k, singular, u, k < n ? k : 1, vt,
                                          k < n ? 1 : n, &size, -1, integers);
    if (info != 0 || !(size < INT_MAX)) {
        status = gersh__fail(
            GERSH_ERROR_INPUT,
            "%d rows of %d features are too many for LAPACK's singular value decomposition", n, k);
        goto out;
    }
    work = gersh__alloc((size_t)size + 1, sizeof *work);
    if (work == NULL)
        goto out;
    info = LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'O', k, n, a, k, singular, u, k < n ? k : 1, vt,
                               k < n ? 1 : n, work, (lapack_int)size, integers);
    if (info != 0) {
        status =
            gersh__fail(GERSH_ERROR_NUMERIC,
                        "the singular value decomposition for the principal components did not converge "
                        "(LAPACK dgesdd: %d)",
                        (int)info);
        goto out;
    }
    *left = k < n ? small : a;
    status = GERSH_OK;
out:
    gersh__free(work);
    gersh__free(integers);
    return status;
}

/* Copies a direction with the sign that makes its largest entry positive. */
static void set_direction(double *direction, const double *vector, size_t k)
{
    double largest = 0;
    size_t at = 0;
    for (size_t j = 0; j < k; j++)
        largest = fabs(vector[j]) > largest ? fabs(vector[j]) : largest;
    while (at + 1 < k && fabs(vector[at]) < (1 - EQUAL_ENTRIES) * largest)
        at++;
    for (size_t j = 0; j < k; j++)
        direction[j] = vector[at] < 0 ? -vector[j] : vector[j];
}

static gersh_status fit(gersh_pca *pca, const gersh_dataset *data)
{
    gersh_status status = GERSH_ERROR_MEMORY;
    size_t n = data->n, k = data->k, least = n < k ? n : k;
    const double *left = NULL;
    double *centered = gersh__alloc(n, k * sizeof *centered);
    double *scratch = gersh__alloc(k, 2 * sizeof *scratch);
    double *small = gersh__alloc(least, least * sizeof *small);
    double *singular = gersh__alloc(least, sizeof *singular);
    if (centered == NULL || scratch == NULL || small == NULL || singular == NULL)
        goto out;
    gersh__column_means(pca->mean, scratch, n, k, data->x);
    status = center(centered, data, pca->mean);
    if (status == GERSH_OK)
        status = decompose(singular, &left, centered, small, (lapack_int)k, (lapack_int)n);
    for (size_t c = 0; c < pca->components && status == GERSH_OK; c++) {
        double deviation = singular[c] / sqrt((double)(n - 1));
        set_direction(pca->direction + c * k, left + c * k, k);
        pca->variance[c] = deviation * deviation;
        if (!isfinite(pca->variance[c]))
            status =
                gersh__fail(GERSH_ERROR_NUMERIC,
                            "the variance of principal component %zu is too large to be represented; scale "
                            "the data first",
                            c + 1);
    }
out:
    gersh__free(centered);
    gersh__free(scratch);
    gersh__free(small);
    gersh__free(singular);
    return status;
}

gersh_status gersh_pca_fit(gersh_pca **out, const gersh_dataset *data, size_t components)
{
    size_t n = data->n, k = data->k, least = n < k ? n : k;
    gersh_dataset *own = NULL;
    *out = NULL;
    if (n < 2)
        return gersh__fail(GERSH_ERROR_INPUT,
                           "there is only one row; principal components need at least two");
    if (components > least)
        return gersh__fail(
            GERSH_ERROR_ARGUMENT,
            "%zu principal components are asked for but %zu rows of %zu feature%s have at most %zu",
            components, n, k, k == 1 ? "" : "s", least);
    gersh_status status = prepare(&own, &data);
    if (status != GERSH_OK)
        return status;
    gersh_pca *pca = gersh__alloc(1, sizeof *pca);
    if (pca == NULL) {
        gersh_dataset_free(own);
        return GERSH_ERROR_MEMORY;
    }
    pca->features = k;
    pca->components = components > 0 ? components : n - 1 < k ? n - 1 : k;
    pca->mean = gersh__alloc(k, sizeof *pca->mean);
    pca->direction = gersh__alloc(pca->components, k * sizeof *pca->direction);
    pca->variance = gersh__alloc(pca->components, sizeof *pca->variance);
    status = GERSH_ERROR_MEMORY;
    if (pca->mean != NULL && pca->direction != NULL && pca->variance != NULL)
        status = fit(pca, data);
    gersh_dataset_free(own);
    if (status == GERSH_OK)
        *out = pca;
    else
        gersh_pca_free(pca);
    return status;
}

static gersh_status name_components(gersh_dataset *data)
{
    char name[32];
    for (size_t c = 0; c < data->k; c++) {
        int length = snprintf(name, sizeof name, "pc%zu", c + 1);
        data->feature_names[c] = gersh__text_copy(name, (size_t)length);
        if (data->feature_names[c] == NULL)
            return GERSH_ERROR_MEMORY;
    }
    return GERSH_OK;
}

gersh_status gersh_pca_apply(gersh_dataset **out, const gersh_pca *pca, const gersh_dataset *data)
{
    gersh_dataset *moved = NULL, *own = NULL;
    double *centered = NULL;
    *out = NULL;
    if (pca->features != data->k)
        return gersh__fail(
            GERSH_ERROR_INPUT,
            "the principal components are those of %zu features but the data has %zu; use data "
            "with the same columns",
            pca->features, data->k);
    gersh_status status = prepare(&own, &data);
    if (status == GERSH_OK)
        status = gersh__dataset_alloc(&moved, data->n, pca->components);
    if (status == GERSH_OK)
        status = gersh__dataset_copy_labels(moved, data);
    if (status == GERSH_OK)
        status = name_components(moved);
    if (status != GERSH_OK)
        goto out;
    status = GERSH_ERROR_MEMORY;
    centered = gersh__alloc(data->n, data->k * sizeof *centered);
    if (centered == NULL)
        goto out;
    status = center(centered, data, pca->mean);
    if (status != GERSH_OK)
        goto out;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)data->n, (int)pca->components, (int)data->k,
                1, centered, (int)data->k, pca->direction, (int)data->k, 0, moved->x, (int)pca->components);
    for (size_t i = 0; i < data->n * pca->components && status == GERSH_OK; i++)
        if (!isfinite(moved->x[i]))
            status = gersh__fail(
                GERSH_ERROR_NUMERIC,
                "row %zu is too far from the mean for principal components; scale the data first",
                i / pca->components + 1);
out:
    gersh__free(centered);
    gersh_dataset_free(own);
    if (status == GERSH_OK)
        *out = moved;
    else
        gersh_dataset_free(moved);
    return status;
}

void gersh_pca_free(gersh_pca *pca)
{
    if (pca == NULL)
        return;
    gersh__free(pca->mean);
    gersh__free(pca->direction);
    gersh__free(pca->variance);
    gersh__free(pca);
}
