/*
 * Scaling of sparse data, which leaves it sparse: entries are divided, and the means go into the shift of each
 * feature; see sparse.h.
 */
#include "data/map_scale.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "data/build.h"

/* largest, and whether the column varies: against its first entry, and against 0 where it has fewer than n. */
static void find_ranges(double *first, double *scale, gersh__column_sums *sums, size_t n, size_t k,
                        const gersh__sparse *rows)
{
    double *count = sums->factor;
    memset(count, 0, k * sizeof *count);
    memset(first, 0, k * sizeof *first);
    memset(sums->largest, 0, k * sizeof *sums->largest);
    for (size_t e = 0; e < rows->start[n]; e++) {
        size_t j = rows->index[e];
        if (count[j]++ == 0)
            first[j] = rows->value[e];
        scale[j] = rows->value[e] != first[j] ? 1 : scale[j];
        sums->largest[j] = fmax(sums->largest[j], fabs(rows->value[e]));
    }
    for (size_t j = 0; j < k; j++)
        scale[j] = count[j] < (double)n && first[j] != 0 ? 1 : scale[j];
}

/* Sums of the deviations from the mean, and of their squares: of the entries, and of the zeros beside them. */
static void add_deviations(const double *mean, gersh__column_sums *sums, size_t n, size_t k,
                           const gersh__sparse *rows)
{
    for (size_t j = 0; j < k; j++)
        sums->rest[j] = (double)n; /* less the entries: the zeros */
    for (size_t e = 0; e < rows->start[n]; e++)
        sums->rest[rows->index[e]] -= 1;
    for (size_t j = 0; j < k; j++) {
        sums->square[j] = sums->rest[j] * mean[j] * mean[j];
        sums->rest[j] *= -mean[j];
    }
    for (size_t e = 0; e < rows->start[n]; e++) {
        size_t j = rows->index[e];
        double deviation = rows->value[e] * sums->factor[j] - mean[j];
        sums->rest[j] += deviation;
        sums->square[j] += deviation * deviation;
    }
}

void gersh__sparse_sums(double *mean, double *scale, gersh__column_sums *sums, size_t n, size_t k,
                        const gersh__sparse *rows)
{
    find_ranges(mean, scale, sums, n, k, rows);
    for (size_t j = 0; j < k; j++) {
        sums->factor[j] = gersh__safe_factor(sums->largest[j]);
        mean[j] = scale[j] == 0 ? mean[j] : 0; /* of a column that does not vary: its value */
    }
    for (size_t e = 0; e < rows->start[n]; e++) {
        size_t j = rows->index[e];
        if (scale[j] != 0)
            mean[j] += rows->value[e] * sums->factor[j] / (double)n;
    }
    add_deviations(mean, sums, n, k, rows);
    for (size_t j = 0; j < k; j++) /* what rounding left */
        mean[j] += scale[j] != 0 ? sums->rest[j] / (double)n : 0;
    add_deviations(mean, sums, n, k, rows);
}

/* shift_f = mean/scale, where there is one. */
static gersh_status make_shift(gersh__sparse *sparse, const double *mean, const double *factor, size_t k)
{
    int any = 0;
    for (size_t j = 0; j < k; j++)
        any = any || mean[j] != 0;
    if (!any)
        return GERSH_OK;
    sparse->shift = gersh__alloc(k, sizeof *sparse->shift);
    if (sparse->shift == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t j = 0; j < k; j++) {
        sparse->shift[j] = mean[j] * factor[j];
        sparse->shift_square += sparse->shift[j] * sparse->shift[j];
    }
    return GERSH_OK;
}

gersh_status gersh__sparse_scale(gersh_dataset *data, const gersh__feature_map *map, const double *factor)
{
    gersh__sparse *scaled, *old = data->sparse;
    gersh_status status = gersh__sparse_new(&scaled, data->n, old->start[data->n]);
    if (status != GERSH_OK)
        return status;
    memcpy(scaled->start, old->start, (data->n + 1) * sizeof *scaled->start);
    memcpy(scaled->index, old->index, old->start[data->n] * sizeof *scaled->index);
    status = make_shift(scaled, map->vector[GERSH__SCALE_MEAN], factor, data->k);
    for (size_t i = 0; i < data->n && status == GERSH_OK; i++) {
        for (size_t e = old->start[i]; e < old->start[i + 1] && status == GERSH_OK; e++) {
            size_t j = old->index[e];
            scaled->value[e] = old->value[e] * factor[j];
            if (!isfinite(scaled->value[e] - (scaled->shift != NULL ? scaled->shift[j] : 0)))
                status = gersh__fail_scale(map, data, i, j, old->value[e]);
        }
    }
    if (status != GERSH_OK) {
        gersh__sparse_free(scaled);
        return status;
    }
    gersh__sparse_free(old);
    data->sparse = scaled;
    return GERSH_OK;
}
