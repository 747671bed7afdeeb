/*
 * Sparse matrices of samples and features, as lists of entries: a list for each row, or one for each column.
 * Scaled data stays sparse: the value of sample i and feature f is
 *
 *     entry(i, f) − factor_i shift_f ,
 *
 * with entry 0 where the list has none, so that taking off means costs one number a feature.
 */
#ifndef GERSH_SRC_DATA_SPARSE_H
#define GERSH_SRC_DATA_SPARSE_H

#include <stddef.h>

#include "gersh/base.h"

typedef struct gersh__sparse {
    size_t lists;
    size_t *start;       /* lists + 1: list l has the entries start[l]..start[l + 1] */
    size_t *index;       /* of each entry in its list, ascending */
    double *value;       /* of each entry */
    double *shift;       /* of each feature; NULL: all 0 */
    double *factor;      /* of each sample; NULL: all 1 */
    double shift_square; /* Σ shift_f² */
} gersh__sparse;

/* Room for `entries` entries in `lists` lists, all empty, without shifts and factors. */
gersh_status gersh__sparse_new(gersh__sparse **out, size_t lists, size_t entries);
void gersh__sparse_free(gersh__sparse *sparse);

/* The same with a list for each of the `width` indices: columns from rows. */
gersh_status gersh__sparse_transpose(gersh__sparse **out, const gersh__sparse *sparse, size_t width);

/* The given rows of `rows`, in that order. */
gersh_status gersh__sparse_rows(gersh__sparse **out, const gersh__sparse *rows, const size_t *which,
                                size_t count, size_t features);

/* The entry of a list at an index, 0 where it has none. */
double gersh__sparse_entry(const gersh__sparse *sparse, size_t list, size_t index);

/* Squared distance of the samples i and j of a matrix with a list for each sample. */
double gersh__sparse_distance(const gersh__sparse *rows, size_t i, size_t j);

/* Sample i of a matrix with a list for each sample, written out: `features` values. */
void gersh__sparse_row(const gersh__sparse *rows, size_t i, size_t features, double *out);

#endif
