/* What the classifier `graph` is between its parts; see graph_classify.c and, for the rows that it calls weak, graph_weak.c. */
#ifndef GERSH_SRC_PREDICT_GRAPH_CLASSIFY_H
#define GERSH_SRC_PREDICT_GRAPH_CLASSIFY_H

#include "base/threads.h"
#include "embed/map.h"
#include "predict/classify.h"

/* Rows, and others of them, that are looked at together. */
enum { GERSH__GRAPH_TILE = 64, GERSH__GRAPH_WIDTH = 512 };

typedef struct gersh__graph_points {
    size_t n;
    double *x; /* n × columns, in the space where d is Euclidean */
    double *square;
} gersh__graph_points;

typedef struct gersh__graph_solution {
    const gersh__classify_task *task;
    const gersh__graph_limits *limits;
    gersh__map *map;
    gersh__pool *pool;
    double *center;
    gersh__graph_points known, fresh;
    double *log_weight; /* of the known rows, or NULL */
    size_t classes;
    double *kept;        /* distances of the new rows, n × n, or NULL */
    double *e;           /* e_i of each new row */
    double *log_root;    /* log √w_i, less the largest of them */
    double *b;           /* n × classes */
    unsigned char *weak; /* rows that are swept over */
    double *f;           /* n × classes */
    double *scratch;     /* of each worker: scratch_size doubles */
    size_t scratch_size;
    /* of the product that runs now */
    int sweeping; /* p_ij, else S_ij */
    const double *from;
    double *to;
} gersh__graph_solution;

/* d (count × GERSH__GRAPH_WIDTH): the new rows from `first` on against `width` others of them, from what is kept if it is. */
void gersh__graph_distances(const gersh__graph_solution *s, double *d, size_t first, size_t count,
                            size_t begin, size_t width);

/* to = S from or, while sweeping, P from. */
void gersh__graph_multiply(gersh__graph_solution *s, double *to, const double *from, int sweeping);

/* Finds the weak rows, and solves for them or sweeps over them. */
gersh_status gersh__graph_strengthen(gersh__graph_solution *s);

#endif
