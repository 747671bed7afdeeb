/*
 * The feature map "unit length": each sample divided by its Euclidean length; a zero sample stays. Of sparse data that
 * becomes the factor of each sample; see sparse.h.
 */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "data/build.h"
#include "data/scaling.h"

static int wanted(const char *scale)
{
    return strcmp(scale, "paper") == 0;
}

static void divide(double *row, size_t k)
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

/* The shifts are a part of the length. */
static void divide_sparse(gersh__sparse *sparse, size_t i)
{
    double square = sparse->shift_square;
    for (size_t e = sparse->start[i]; e < sparse->start[i + 1]; e++) {
        double shift = sparse->shift != NULL ? sparse->shift[sparse->index[e]] : 0;
        square += sparse->value[e] * (sparse->value[e] - 2 * shift);
    }
    sparse->factor[i] = square > 0 ? 1 / sqrt(square) : 1;
    for (size_t e = sparse->start[i]; e < sparse->start[i + 1]; e++)
        sparse->value[e] *= sparse->factor[i];
}

static gersh_status apply(const gersh__feature_map *map, gersh_dataset *data)
{
    (void)map;
    if (data->x == NULL && data->sparse->factor != NULL && gersh_dataset_densify(data) != GERSH_OK)
        return GERSH_ERROR_MEMORY; /* divided once already */
    if (data->x == NULL) {
        data->sparse->factor = gersh__alloc(data->n, sizeof *data->sparse->factor);
        if (data->sparse->factor == NULL)
            return GERSH_ERROR_MEMORY;
        for (size_t i = 0; i < data->n; i++)
            divide_sparse(data->sparse, i);
        return GERSH_OK;
    }
    gersh__sparse_free(data->sparse); /* the lists are of the values before */
    data->sparse = NULL;
    for (size_t i = 0; i < data->n; i++)
        divide(data->x + i * data->k, data->k);
    return GERSH_OK;
}

const gersh__feature_map_ops gersh__map_unit_length = {
    .name = "unit length", .wanted = wanted, .apply = apply};
