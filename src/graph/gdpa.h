/* GDPA inside the library: with a start, and as exact as is needed. See gersh/graph.h. */
#ifndef GERSH_SRC_GRAPH_GDPA_H
#define GERSH_SRC_GRAPH_GDPA_H

#include "gersh/graph.h"

typedef struct gersh__align {
    double tol;          /* of the eigenvector; see gersh_lobpcg_options */
    int sweeps;          /* most sweeps over its small entries */
    const double *start; /* 1/scalar of each node from an earlier alignment, or NULL */
    const gersh_cancel *cancel;
} gersh__align;

gersh_status gersh__discs_align(gersh_discs **out, const gersh_graph *graph, const gersh__align *how);

#endif
