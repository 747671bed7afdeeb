/* The index of rows, for the search; see neighbors.c. */
#ifndef GERSH_SRC_EMBED_NEIGHBORS_H
#define GERSH_SRC_EMBED_NEIGHBORS_H

#include "base/threads.h"
#include "embed/map.h"
#include "gersh/neighbors.h"

enum { GERSH__MAPPED = 128 }; /* rows that are mapped at once, at most */

struct gersh_neighbors {
    const gersh_metric *metric;
    size_t rows, features, stride;
    const double *x;
    gersh__map *map;
    int threads;
    double *center;
    double scale; /* s */
    double zero;  /* distances up to this times ‖x − y‖² are rounding, and 0 */
    float *point; /* rows × columns */
    float *low;   /* n − err of each row, rounded down */
    double *high; /* n + err */
};

/*
 * Lets distances be 0 where they are nothing but rounding, as in directions that a singular M does not see.
 */
void gersh__neighbors_round(gersh_neighbors *index);

/*
 * Calls `visit` for all rows within the squared distance radius[q] of each query q. Those of a query are visited in one
 * thread, by their number; other queries' may be at the same time.
 */
typedef void (*gersh__neighbor_visit)(void *context, size_t query, size_t row, double distance);

gersh_status gersh__neighbors_within(gersh_neighbors *index, const double *radius, size_t queries,
                                     const double *x, size_t stride, gersh__neighbor_visit visit,
                                     void *context, const gersh_cancel *cancel);

gersh_status gersh__neighbors_check(const char *what, size_t rows, size_t features, const double *x,
                                    size_t stride);

/* Σ (x − y)² in this order, which may overflow to infinity. */
double gersh__neighbors_euclidean(size_t n, const double *x, const double *y);

/* The which-th smallest (from 0) of the values, whose order is lost. */
double gersh__neighbors_select(double *value, size_t count, size_t which);

/* Room for mapping GERSH__MAPPED rows: doubles that the index needs for it. */
size_t gersh__neighbors_room(const gersh_neighbors *index);

/* A point's n − err and n + err. */
typedef struct gersh__bounds {
    double low, high;
} gersh__bounds;

/*
 * The points of up to GERSH__MAPPED rows and their bounds. Of a row far beyond the range of floats the
 * point is 0 and the bounds say nothing.
 */
void gersh__neighbors_points(const gersh_neighbors *index, float *point, gersh__bounds *bounds, size_t rows,
                             const double *x, size_t stride, double *room);

#endif
