/*
 * Nearest neighbours under a metric, exact: the rows nearest to a query by d = (x − y)ᵀ M (x − y).
 */
#ifndef GERSH_NEIGHBORS_H
#define GERSH_NEIGHBORS_H

#include "gersh/metric.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gersh_neighbors gersh_neighbors;

/*
 * An index of `rows` rows of `features` scaled values (`stride` doubles from one row to the next). metric
 * may be NULL: the Euclidean distance. Both x and metric are used, not copied: they must outlive the index.
 * threads = 0: one for each core.
 */
GERSH_API gersh_status gersh_neighbors_new(gersh_neighbors **out, const gersh_metric *metric, size_t rows,
                                           size_t features, const double *x, size_t stride, int threads);
GERSH_API void gersh_neighbors_free(gersh_neighbors *index);

/*
 * The k nearest rows of each query, nearest first, those of equal distance by their number: neighbors gets
 * queries × k row numbers from 0, and distance, unless NULL, their squared distances d. k is from 1 to the
 * number of rows. The result is the same for every number of threads. Threads may share an index.
 * cancel may be NULL.
 */
GERSH_API gersh_status gersh_neighbors_find(gersh_neighbors *index, double *distance, size_t *neighbors,
                                            size_t queries, const double *x, size_t stride, size_t k,
                                            const gersh_cancel *cancel);

/* The same for the rows of the index themselves, each left out of its own list: k is below their number. */
GERSH_API gersh_status gersh_neighbors_find_own(gersh_neighbors *index, double *distance, size_t *neighbors,
                                                size_t k, const gersh_cancel *cancel);

#ifdef __cplusplus
}
#endif
#endif
