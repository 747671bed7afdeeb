/* Random symmetric matrices of many shapes with a balanced signed graph, or with a planted odd cycle. */
#ifndef GERSH_TESTS_MATRICES_H
#define GERSH_TESTS_MATRICES_H

#include <math.h>
#include <string.h>

#include "base/random.h"

enum { DENSE_SHAPE, SPARSE_SHAPE, TREE_SHAPE, PATH_SHAPE, STAR_SHAPE, PIECES_SHAPE, SHAPES };

/* Whether the shape has an edge between i > j. */
static inline int shape_edge(gersh__random *random, int shape, size_t i, size_t j, const size_t *parent)
{
    switch (shape) {
    case DENSE_SHAPE:
        return 1;
    case SPARSE_SHAPE:
        return parent[i] == j || gersh__random_uniform(random) < 0.1;
    case TREE_SHAPE:
        return parent[i] == j;
    case PATH_SHAPE:
        return i == j + 1;
    case STAR_SHAPE:
        return j == 0;
    default: /* nodes that agree modulo 3 */
        return i % 3 == j % 3 && gersh__random_uniform(random) < 0.7;
    }
}

/*
 * Fills m (n × n) with a matrix of that shape whose graph is balanced, and color with its colours. Sizes
 * of entries spread over `decades` powers of ten; the diagonal is anything, so M need not be definite.
 */
static inline void random_balanced(gersh__random *random, double *m, int *color, size_t n, int shape,
                                   double decades)
{
    size_t parent[4096];
    memset(m, 0, n * n * sizeof *m);
    for (size_t i = 0; i < n; i++) {
        color[i] = gersh__random_below(random, 2) ? 1 : -1;
        parent[i] = i > 0 ? (size_t)gersh__random_below(random, i) : 0;
        m[i * n + i] = gersh__random_normal(random) + 2;
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            if (shape_edge(random, shape, i, j, parent)) {
                double size = pow(10, -decades * gersh__random_uniform(random)) + 1e-3;
                m[i * n + j] = m[j * n + i] = -color[i] * color[j] * size;
            }
        }
    }
}

#endif
