/* The samples' values in the pairs' memory; see columns.c. */
#ifndef GERSH_SRC_PAIRS_COLUMNS_H
#define GERSH_SRC_PAIRS_COLUMNS_H

#include "pairs/pairs.h"

/* Copies the values of pairs->sample, dense or sparse as the data are. */
gersh_status gersh__pairs_copy_columns(gersh__pairs *pairs, const gersh_dataset *data);

/* Euclidean distances of sparse samples: listed pairs begin..end−1, or all of the samples begin..end−1 with those
 * before them. */
void gersh__pairs_sparse_distances(const gersh__pairs *pairs, size_t begin, size_t end, double *d);

#endif
