/*
 * Incomplete Cholesky factor of A − shift·I, A the matrix of a connected graph with entries <= 0 off the
 * diagonal and every left-end above the shift: L keeps the pattern of A. Nodes are eliminated from the
 * leaves of a breadth-first tree inwards, so that on a tree nothing is left out and the factor is exact.
 */
#ifndef GERSH_SRC_GRAPH_FACTOR_H
#define GERSH_SRC_GRAPH_FACTOR_H

#include "gersh/graph.h"

typedef struct gersh__factor {
    size_t n;
    size_t *order;  /* node of each place in the elimination */
    size_t *start;  /* n + 1: row of each place, without the diagonal */
    size_t *place;  /* the other places of the row, ascending, all before it */
    double *entry;  /* of L */
    double *pivot;  /* diagonal of L */
    double *vector; /* n, scratch */
} gersh__factor;

gersh_status gersh__factor_new(gersh__factor **out, const gersh_graph *graph, double shift);
void gersh__factor_free(gersh__factor *factor);

/* y = (L Lᵀ)⁻¹ x for every column: a gersh_operator whose context is a gersh__factor *. */
void gersh__factor_solve(void *factor, size_t n, size_t columns, const double *x, double *y);

#endif
