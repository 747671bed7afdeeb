/* Correlations of the features, and the paper's first graph: the spanning tree of the largest ones. */
#ifndef GERSH_SRC_SOLVER_CORRELATIONS_H
#define GERSH_SRC_SOLVER_CORRELATIONS_H

#include "pairs/pairs.h"

/* The features' columns, less their means and of unit length; 0 where a feature is constant. */
typedef struct gersh__correlations {
    size_t k, n;
    double *column; /* k × n */
} gersh__correlations;

gersh_status gersh__correlations_new(gersh__correlations *out, const gersh__pairs *pairs);
void gersh__correlations_clear(gersh__correlations *correlations);

double gersh__correlation(const gersh__correlations *correlations, size_t i, size_t j);

/* parent[i] in the spanning tree of largest total |correlation|, that of the root being itself. O(K²N). */
gersh_status gersh__correlation_tree(size_t *parent, const gersh__correlations *correlations, size_t root);

/* Colours along that tree: features that go together have the same, 1 or −1. */
gersh_status gersh__correlation_colors(double *color, const gersh__pairs *pairs);

#endif
