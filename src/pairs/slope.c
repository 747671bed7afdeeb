/* G = Xᵀ L(g) X; see slope.h. */
#include "pairs/slope.h"

#include <math.h>

#include "base/alloc.h"
#include "linalg/kernels.h"

gersh_status gersh__slope_new(gersh__slope **out, const gersh__pairs *pairs)
{
    *out = NULL;
    gersh__slope *slope = gersh__alloc(1, sizeof *slope);
    if (slope == NULL)
        return GERSH_ERROR_MEMORY;
    slope->pairs = pairs;
    slope->y = gersh__alloc(pairs->k, pairs->n * sizeof(double));
    slope->diagonal = gersh__alloc(pairs->k, sizeof(double));
    slope->reach = gersh__alloc(pairs->k, sizeof(double));
    if (!slope->y || !slope->diagonal || !slope->reach) {
        gersh__slope_free(slope);
        return GERSH_ERROR_MEMORY;
    }
    *out = slope;
    return GERSH_OK;
}

void gersh__slope_free(gersh__slope *slope)
{
    if (slope == NULL)
        return;
    gersh__free(slope->y);
    gersh__free(slope->diagonal);
    gersh__free(slope->reach);
    gersh__free(slope->scratch);
    gersh__free(slope->size);
    gersh__free(slope);
}

double gersh__slope_entry(const gersh__slope *slope, size_t i, size_t j)
{
    size_t n = slope->pairs->n;
    return gersh__kernels_here()->dot(n, slope->pairs->x + i * n, slope->y + j * n);
}

void gersh__slope_update(gersh__slope *slope, const double *g)
{
    slope->g = g;
    gersh__pairs_laplacian(slope->pairs, g, slope->pairs->k, slope->pairs->x, slope->y);
    for (size_t f = 0; f < slope->pairs->k; f++)
        slope->diagonal[f] = gersh__slope_entry(slope, f, f);
}

gersh_status gersh__slope_reach(gersh__slope *slope)
{
    const gersh__pairs *pairs = slope->pairs;
    size_t n = pairs->n, k = pairs->k;
    int negative = 1, positive = 1;
    for (size_t p = 0; p < pairs->count && (negative || positive); p++) {
        negative = negative && slope->g[p] <= 0;
        positive = positive && slope->g[p] >= 0;
    }
    if (negative || positive) { /* one sign: the diagonal says it all */
        for (size_t f = 0; f < k; f++)
            slope->reach[f] = fabs(slope->diagonal[f]);
        return GERSH_OK;
    }
    if (slope->scratch == NULL)
        slope->scratch = gersh__alloc(k, n * sizeof(double));
    if (slope->size == NULL)
        slope->size = gersh__alloc(pairs->count, sizeof(double));
    if (!slope->scratch || !slope->size)
        return GERSH_ERROR_MEMORY;
    for (size_t p = 0; p < pairs->count; p++)
        slope->size[p] = fabs(slope->g[p]);
    gersh__pairs_laplacian(pairs, slope->size, k, pairs->x, slope->scratch);
    for (size_t f = 0; f < k; f++)
        slope->reach[f] = gersh__kernels_here()->dot(n, pairs->x + f * n, slope->scratch + f * n);
    return GERSH_OK;
}
