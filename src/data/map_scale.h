/* What the feature map "scale" has for dense and for sparse data. */
#ifndef GERSH_SRC_DATA_MAP_SCALE_H
#define GERSH_SRC_DATA_MAP_SCALE_H

#include "data/scaling.h"

enum { GERSH__SCALE_MEAN, GERSH__SCALE_DEVIATION }; /* its vectors */

/* Sums over the columns, k entries each; all but `largest` of the columns times their factors. */
typedef struct gersh__column_sums {
    double *largest; /* |x| */
    double *factor;  /* gersh__safe_factor of it */
    double *rest;    /* sum of the deviations from the mean, which rounding leaves */
    double *square;  /* sum of their squares */
} gersh__column_sums;

/*
 * The sums of sparse data, with `mean` the columns' means times their factors and `scale` 1 where the column varies; of
 * one that does not, the mean is its value and the scale 0. `scale` and `square` must be 0 before.
 */
void gersh__sparse_sums(double *mean, double *scale, gersh__column_sums *sums, size_t n, size_t k,
                        const gersh__sparse *rows);

/* Scales sparse data that is not scaled yet. factor: 1/scale of each feature. */
gersh_status gersh__sparse_scale(gersh_dataset *data, const gersh__feature_map *map, const double *factor);

/* The error of a value that cannot be scaled. */
gersh_status gersh__fail_scale(const gersh__feature_map *map, const gersh_dataset *data, size_t row,
                               size_t feature, double value);

#endif
