/*
 * Scaling of features: column means and sample deviations.
 *
 * Columns are first multiplied by a power of two (exactly) that brings their largest value near 1, so that
 * neither 1e300 nor 1e-300 leaves the range of double when squared. Then two passes: the mean, and the sum
 * of squared deviations, both corrected by what rounding left in the sum of the deviations (Chan, Golub and
 * LeVeque), so that a small variation around a large mean keeps its digits.
 *
 * A column whose deviation is at most 1e-14 of its largest value varies by rounding only; it counts as
 * constant. Its scale is 1, or its largest value if that is larger, so that what remains of it is tiny.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "data/build.h"
#include "data/scaling.h"
#include "linalg/kernels.h"

#define ROUNDING 1e-14

double gersh__safe_factor(double largest)
{
    int exponent = 0;
    if (largest == 0)
        return 1;
    frexp(largest, &exponent);
    /* Within ±1000 the factor and its inverse are normal numbers. */
    exponent = exponent > 1000 ? 1000 : exponent < -1000 ? -1000 : exponent;
    return ldexp(1, -exponent);
}

static void column_largest(double *largest, size_t n, size_t k, const double *x)
{
    memset(largest, 0, k * sizeof *largest);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < k; j++)
            largest[j] = fabs(x[i * k + j]) > largest[j] ? fabs(x[i * k + j]) : largest[j];
}

/* Means of the columns times their factors: the sum, and once more the sum of the deviations from it. */
static void safe_means(double *mean, double *rest, size_t n, size_t k, const double *x,
                       const double *factor)
{
    memset(mean, 0, k * sizeof *mean);
    memset(rest, 0, k * sizeof *rest);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < k; j++)
            mean[j] += x[i * k + j] * factor[j];
    for (size_t j = 0; j < k; j++)
        mean[j] /= (double)n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < k; j++)
            rest[j] += x[i * k + j] * factor[j] - mean[j];
    for (size_t j = 0; j < k; j++)
        mean[j] += rest[j] / (double)n;
}

void gersh__column_means(double *mean, double *scratch, size_t n, size_t k, const double *x)
{
    double *factor = scratch, *rest = scratch + k;
    column_largest(factor, n, k, x);
    for (size_t j = 0; j < k; j++)
        factor[j] = gersh__safe_factor(factor[j]);
    safe_means(mean, rest, n, k, x, factor);
    for (size_t j = 0; j < k; j++)
        mean[j] /= factor[j];
}

/*
 * From the sums over the columns to mean and scale. scale_j says whether the column varies at all; where it does
 * not, mean_j is its value.
 */
static void finish_columns(gersh_scaling *scaling, const gersh__column_sums *sums, size_t n)
{
    double *mean = scaling->mean, *scale = scaling->scale;
    for (size_t j = 0; j < scaling->features; j++) {
        double factor = sums->factor[j], largest = sums->largest[j];
        if (scale[j] == 0) {
            scale[j] = 1;
            continue;
        }
        double variance = (sums->square[j] - sums->rest[j] * sums->rest[j] / (double)n) / (double)(n - 1);
        double deviation = variance > 0 ? sqrt(variance) : 0;
        if (deviation <= ROUNDING * (largest * factor))
            scale[j] = largest > 1 ? largest : 1;
        else
            scale[j] = fmin(fmax(deviation / factor, DBL_MIN), DBL_MAX); /* its inverse is finite too */
        mean[j] /= factor;
    }
}

/* Fits mean and scale. */
static void fit_columns(gersh_scaling *scaling, gersh__column_sums *sums, size_t n, const double *x)
{
    size_t k = scaling->features;
    double *mean = scaling->mean, *scale = scaling->scale;
    column_largest(sums->largest, n, k, x);
    for (size_t j = 0; j < k; j++)
        sums->factor[j] = gersh__safe_factor(sums->largest[j]);
    safe_means(mean, sums->rest, n, k, x, sums->factor);
    memset(sums->rest, 0, k * sizeof *sums->rest);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < k; j++) {
            double deviation = x[i * k + j] * sums->factor[j] - mean[j];
            sums->rest[j] += deviation;
            sums->square[j] += deviation * deviation;
            scale[j] = x[i * k + j] != x[j] ? 1 : scale[j];
        }
    }
    for (size_t j = 0; j < k; j++)
        mean[j] = scale[j] == 0 ? x[j] : mean[j];
}

gersh_status gersh_scaling_fit(gersh_scaling **out, const gersh_dataset *data, const char *how)
{
    gersh_status status = GERSH_ERROR_MEMORY;
    char excerpt[GERSH__EXCERPT_SIZE];
    double *scratch = NULL;
    int none = how != NULL && strcmp(how, "none") == 0;
    int paper = how != NULL && strcmp(how, "paper") == 0;
    *out = NULL;
    if (!none && !paper && (how == NULL || strcmp(how, "zscore") != 0))
        return gersh__fail(
            GERSH_ERROR_ARGUMENT, "scale: '%s' is not one of zscore|paper|none",
            gersh__text_excerpt(excerpt, sizeof excerpt, how ? how : "", how ? strlen(how) : 0));
    gersh_scaling *scaling = gersh__alloc(1, sizeof *scaling);
    if (scaling == NULL)
        return GERSH_ERROR_MEMORY;
    scaling->features = data->k;
    scaling->unit_rows = paper;
    scaling->mean = gersh__alloc(data->k, sizeof *scaling->mean);
    scaling->scale = gersh__alloc(data->k, sizeof *scaling->scale);
    scratch = gersh__alloc(data->k, 4 * sizeof *scratch);
    if (scaling->mean == NULL || scaling->scale == NULL || scratch == NULL)
        goto out;
    if (none) {
        for (size_t j = 0; j < data->k; j++)
            scaling->scale[j] = 1;
    } else {
        gersh__column_sums sums = {scratch, scratch + data->k, scratch + 2 * data->k,
                                   scratch + 3 * data->k};
        if (data->x == NULL)
            gersh__sparse_sums(scaling, &sums, data->n, data->sparse);
        else
            fit_columns(scaling, &sums, data->n, data->x);
        finish_columns(scaling, &sums, data->n);
    }
    *out = scaling;
    status = GERSH_OK;
out:
    gersh__free(scratch);
    if (status != GERSH_OK)
        gersh_scaling_free(scaling);
    return status;
}

/* Divides the row by its Euclidean length; a zero row stays. */
static void make_unit(double *row, size_t k)
{
    double largest = 0, square = 0;
    for (size_t j = 0; j < k; j++)
        largest = fabs(row[j]) > largest ? fabs(row[j]) : largest;
    if (largest == 0)
        return;
    double factor = gersh__safe_factor(largest);
    for (size_t j = 0; j < k; j++) {
        row[j] *= factor;
        square += row[j] * row[j];
    }
    double length = sqrt(square);
    for (size_t j = 0; j < k; j++)
        row[j] /= length;
}

gersh_status gersh__fail_scaling(const gersh_scaling *scaling, const gersh_dataset *data, size_t row,
                                 size_t feature, double value)
{
    char excerpt[GERSH__EXCERPT_SIZE];
    const char *name = data->feature_names[feature];
    return gersh__fail(GERSH_ERROR_NUMERIC,
                       "row %zu, feature '%s': %g is too large to be scaled by 1/%g; leave the feature "
                       "out or use --scale none",
                       row + 1, gersh__text_excerpt(excerpt, sizeof excerpt, name, strlen(name)), value,
                       scaling->scale[feature]);
}

/* One row scaled; where the difference from the mean alone overflows, it is taken of halves. */
static gersh_status scale_row(double *scaled, const gersh_scaling *scaling, const double *factor,
                              const gersh_dataset *data, size_t row)
{
    const double *x = data->x + row * data->k;
    gersh__kernels_here()->standardize(data->k, x, scaling->mean, factor, scaled);
    for (size_t j = 0; j < data->k; j++) {
        if (isfinite(scaled[j]))
            continue;
        scaled[j] = (0.5 * x[j] - 0.5 * scaling->mean[j]) / (0.5 * scaling->scale[j]);
        if (!isfinite(scaled[j]))
            return gersh__fail_scaling(scaling, data, row, j, x[j]);
    }
    if (scaling->unit_rows)
        make_unit(scaled, data->k);
    return GERSH_OK;
}

gersh_status gersh_scaling_apply(const gersh_scaling *scaling, gersh_dataset *data)
{
    gersh_status status = GERSH_ERROR_MEMORY;
    double *factor = NULL, *scaled = NULL;
    if (scaling->features != data->k)
        return gersh__fail(
            GERSH_ERROR_INPUT,
            "the scaling was fitted to %zu features but the data has %zu; use data with the same "
            "columns",
            scaling->features, data->k);
    int sparse = data->x == NULL;
    if (sparse && (data->sparse->shift != NULL || data->sparse->factor != NULL)) { /* scaled once already */
        if (gersh_dataset_densify(data) != GERSH_OK)
            return GERSH_ERROR_MEMORY;
        sparse = 0;
    }
    factor = gersh__alloc(data->k, sizeof *factor);
    scaled = sparse ? NULL : gersh__alloc(data->n, data->k * sizeof *scaled);
    if (factor == NULL || (!sparse && scaled == NULL))
        goto out;
    for (size_t j = 0; j < data->k; j++) {
        factor[j] = 1 / scaling->scale[j];
        if (!isfinite(scaling->mean[j]) || !isfinite(factor[j]) || !(factor[j] > 0)) {
            status =
                gersh__fail(GERSH_ERROR_ARGUMENT,
                            "the scaling of feature %zu has mean %g and scale %g; the mean must be finite "
                            "and the scale positive",
                            j + 1, scaling->mean[j], scaling->scale[j]);
            goto out;
        }
    }
    if (sparse) {
        status = gersh__sparse_scale(data, scaling, factor);
        goto out;
    }
    status = GERSH_OK;
    for (size_t i = 0; i < data->n && status == GERSH_OK; i++)
        status = scale_row(scaled + i * data->k, scaling, factor, data, i);
    if (status == GERSH_OK) { /* all rows or none */
        double *before = data->x;
        data->x = scaled;
        scaled = before;
        gersh__sparse_free(data->sparse);
        data->sparse = NULL;
    }
out:
    gersh__free(factor);
    gersh__free(scaled);
    return status;
}

void gersh_scaling_free(gersh_scaling *scaling)
{
    if (scaling == NULL)
        return;
    gersh__free(scaling->mean);
    gersh__free(scaling->scale);
    gersh__free(scaling);
}
