/* The index of rows, for the search; see neighbors.c. */
#ifndef GERSH_SRC_USE_NEIGHBORS_H
#define GERSH_SRC_USE_NEIGHBORS_H

#include "base/threads.h"
#include "gersh/neighbors.h"
#include "use/map.h"

enum { GERSH__MAPPED = 128 }; /* rows that are mapped at once, at most */

struct gersh_neighbors {
    const gersh_metric *metric;
    size_t rows, features, stride;
    const double *x;
    gersh__map *map;
    gersh__pool *pool;
    double *center;
    double scale; /* s */
    float *point; /* rows × columns */
    float *low;   /* n − err of each row, rounded down */
    double *high; /* n + err */
};

gersh_status gersh__neighbors_check(const char *what, size_t rows, size_t features, const double *x,
                                    size_t stride);

/* Σ (x − y)² in this order, which may overflow to infinity. */
double gersh__neighbors_euclidean(size_t n, const double *x, const double *y);

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
