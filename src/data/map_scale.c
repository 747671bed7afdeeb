/*
 * The feature map "scale": x ↦ (x − mean) / scale, of column means and sample deviations.
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
#include "data/map_scale.h"
#include "linalg/kernels.h"

#define DEVIATION_ROUNDING 1e-14

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
static void finish_columns(double *mean, double *scale, const gersh__column_sums *sums, size_t n, size_t k)
{
    for (size_t j = 0; j < k; j++) {
        double factor = sums->factor[j], largest = sums->largest[j];
        if (scale[j] == 0) {
            scale[j] = 1;
            continue;
        }
        double variance = (sums->square[j] - sums->rest[j] * sums->rest[j] / (double)n) / (double)(n - 1);
        double deviation = variance > 0 ? sqrt(variance) : 0;
        if (deviation <= DEVIATION_ROUNDING * (largest * factor))
            scale[j] = largest > 1 ? largest : 1;
        else
            scale[j] = fmin(fmax(deviation / factor, DBL_MIN), DBL_MAX); /* its inverse is finite too */
        mean[j] /= factor;
    }
}

/* Fits mean and scale. */
static void fit_columns(double *mean, double *scale, gersh__column_sums *sums, size_t n, size_t k,
                        const double *x)
{
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

static int wanted(const char *scale)
{
    (void)scale;
    return 1; /* with "none" as the identity */
}

static gersh_status fit(gersh__feature_map *map, const gersh_dataset *data, const char *how)
{
    size_t n = data->n, k = data->k;
    double *mean = map->vector[GERSH__SCALE_MEAN] = gersh__alloc(k, sizeof *mean);
    double *scale = map->vector[GERSH__SCALE_DEVIATION] = gersh__alloc(k, sizeof *scale);
    map->count[GERSH__SCALE_MEAN] = map->count[GERSH__SCALE_DEVIATION] = k;
    if (mean == NULL || scale == NULL)
        return GERSH_ERROR_MEMORY;
    if (strcmp(how, "none") == 0) {
        for (size_t j = 0; j < k; j++)
            scale[j] = 1;
        return GERSH_OK;
    }
    double *scratch = gersh__alloc(k, 4 * sizeof *scratch);
    if (scratch == NULL)
        return GERSH_ERROR_MEMORY;
    gersh__column_sums sums = {scratch, scratch + k, scratch + 2 * k, scratch + 3 * k};
    if (data->x == NULL)
        gersh__sparse_sums(mean, scale, &sums, n, k, data->sparse);
    else
        fit_columns(mean, scale, &sums, n, k, data->x);
    finish_columns(mean, scale, &sums, n, k);
    gersh__free(scratch);
    return GERSH_OK;
}

static gersh_status check(const gersh__feature_map *map)
{
    if (map->count[GERSH__SCALE_MEAN] != map->inputs || map->count[GERSH__SCALE_DEVIATION] != map->inputs)
        return gersh__fail(GERSH_ERROR_INPUT, "there are %zu means and %zu scales for %zu features",
                           map->count[GERSH__SCALE_MEAN], map->count[GERSH__SCALE_DEVIATION], map->inputs);
    for (size_t j = 0; j < map->inputs; j++)
        if (!(map->vector[GERSH__SCALE_DEVIATION][j] > 0))
            return gersh__fail(GERSH_ERROR_INPUT, "the scale of feature %zu is %g; it must be positive",
                               j + 1, map->vector[GERSH__SCALE_DEVIATION][j]);
    return GERSH_OK;
}

gersh_status gersh__fail_scale(const gersh__feature_map *map, const gersh_dataset *data, size_t row,
                               size_t feature, double value)
{
    char excerpt[GERSH__EXCERPT_SIZE];
    const char *name = data->feature_names[feature];
    return gersh__fail(GERSH_ERROR_NUMERIC,
                       "row %zu, feature '%s': %g is too large to be scaled by 1/%g; leave the feature "
                       "out or use --scale none",
                       row + 1, gersh__text_excerpt(excerpt, sizeof excerpt, name, strlen(name)), value,
                       map->vector[GERSH__SCALE_DEVIATION][feature]);
}

/* One row scaled; where the difference from the mean alone overflows, it is taken of halves. */
static gersh_status scale_row(double *scaled, const gersh__feature_map *map, const double *factor,
                              const gersh_dataset *data, size_t row)
{
    const double *x = data->x + row * data->k, *mean = map->vector[GERSH__SCALE_MEAN],
                 *scale = map->vector[GERSH__SCALE_DEVIATION];
    gersh__kernels_here()->standardize(data->k, x, mean, factor, scaled);
    for (size_t j = 0; j < data->k; j++) {
        if (isfinite(scaled[j]))
            continue;
        scaled[j] = (0.5 * x[j] - 0.5 * mean[j]) / (0.5 * scale[j]);
        if (!isfinite(scaled[j]))
            return gersh__fail_scale(map, data, row, j, x[j]);
    }
    return GERSH_OK;
}

static gersh_status apply_dense(const gersh__feature_map *map, gersh_dataset *data, const double *factor)
{
    double *scaled = gersh__alloc(data->n, data->k * sizeof *scaled);
    gersh_status status = scaled != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
    for (size_t i = 0; i < data->n && status == GERSH_OK; i++)
        status = scale_row(scaled + i * data->k, map, factor, data, i);
    if (status != GERSH_OK) {
        gersh__free(scaled);
        return status;
    }
    gersh__free(data->x);
    data->x = scaled;
    gersh__sparse_free(data->sparse);
    data->sparse = NULL;
    return GERSH_OK;
}

static gersh_status apply(const gersh__feature_map *map, gersh_dataset *data)
{
    const double *mean = map->vector[GERSH__SCALE_MEAN], *scale = map->vector[GERSH__SCALE_DEVIATION];
    gersh_status status = GERSH_OK;
    if (data->x == NULL && (data->sparse->shift != NULL || data->sparse->factor != NULL))
        status = gersh_dataset_densify(data); /* scaled once already */
    double *factor = status == GERSH_OK ? gersh__alloc(data->k, sizeof *factor) : NULL;
    if (factor == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t j = 0; j < data->k && status == GERSH_OK; j++) {
        factor[j] = 1 / scale[j];
        if (!isfinite(mean[j]) || !isfinite(factor[j]) || !(factor[j] > 0))
            status =
                gersh__fail(GERSH_ERROR_ARGUMENT,
                            "the scaling of feature %zu has mean %g and scale %g; the mean must be finite "
                            "and the scale positive",
                            j + 1, mean[j], scale[j]);
    }
    if (status == GERSH_OK)
        status = data->x == NULL ? gersh__sparse_scale(data, map, factor) : apply_dense(map, data, factor);
    gersh__free(factor);
    return status;
}

const gersh__feature_map_ops gersh__map_scale = {
    .name = "scale",
    .vector = {[GERSH__SCALE_MEAN] = "mean", [GERSH__SCALE_DEVIATION] = "scale"},
    .wanted = wanted,
    .fit = fit,
    .check = check,
    .apply = apply};
