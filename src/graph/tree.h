/* Spanning trees of similarities that are made row by row. */
#ifndef GERSH_SRC_GRAPH_TREE_H
#define GERSH_SRC_GRAPH_TREE_H

#include "gersh/graph.h"

/* The similarities of node i to all n nodes. */
typedef void (*gersh__similarity)(void *context, size_t i, double *row);

/* As gersh_graph_spanning_tree; each row is asked for once. */
gersh_status gersh__spanning_tree(size_t *parent, size_t n, gersh__similarity similarity, void *context,
                                  size_t root);

#endif
