/*
 * Signed graphs of symmetric matrices, and Gershgorin disc perfect alignment (GDPA).
 *
 * A symmetric matrix M is read as the generalised Laplacian of a signed graph: an edge between i and j
 * wherever M_ij is not 0, of weight −M_ij. The graph is balanced when its nodes can be coloured blue (1)
 * and red (−1) so that positive edges join equal colours and negative edges different ones.
 */
#ifndef GERSH_GRAPH_H
#define GERSH_GRAPH_H

#include "gersh/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A symmetric matrix by rows; the neighbours of i are neighbor[start[i]..start[i+1]), ascending. */
typedef struct gersh_graph {
    size_t nodes;
    size_t edges;     /* pairs i < j */
    double *diagonal; /* M_ii */
    size_t *start;    /* nodes + 1 */
    size_t *neighbor; /* 2 · edges */
    double *entry;    /* M_ij of that neighbour */
} gersh_graph;

/*
 * The graph of the n × n matrix m (by rows). Off-diagonal entries of size at most `zero` are no edges.
 * M_ij and M_ji may differ by rounding (1e-12 of the largest entry; their mean is taken); else
 * GERSH_ERROR_INPUT, and asymmetric, unless NULL, gets the positions of the worst pair.
 */
GERSH_API gersh_status gersh_graph_from_dense(gersh_graph **out, size_t n, const double *m, double zero,
                                              size_t asymmetric[2]);

/* The graph of a diagonal and a list of edges (first[e] ≠ second[e], no pair twice, entries M_ij ≠ 0). */
GERSH_API gersh_status gersh_graph_from_edges(gersh_graph **out, size_t n, const double *diagonal,
                                              size_t edges, const size_t *first, const size_t *second,
                                              const double *entry);
GERSH_API void gersh_graph_free(gersh_graph *graph);

/* y_j = M x_j: a gersh_operator whose context is a const gersh_graph *. */
GERSH_API void gersh_graph_apply(void *graph, size_t n, size_t columns, const double *x, double *y);

/* What the signs of a graph say: connected components, and colours or a cycle that forbids them. */
typedef struct gersh_balance {
    size_t nodes;
    size_t components;
    size_t *component; /* of each node; numbered by their smallest node */
    int balanced;
    int *color; /* 1 or −1 of each node; the smallest of a component is 1. NULL if not balanced */
    size_t
        witness_length; /* nodes of a cycle with an odd number of negative edges, in order; 0 if balanced */
    size_t *witness;
} gersh_balance;

/* In time proportional to nodes and edges. An unbalanced graph is a result here, not an error. */
GERSH_API gersh_status gersh_graph_balance(gersh_balance **out, const gersh_graph *graph);
GERSH_API void gersh_balance_free(gersh_balance *balance);

/*
 * The spanning tree of the n × n symmetric `similarity` with the largest sum of |similarity|: parent[i] is
 * the parent of node i, parent[root] is root. Zero similarities join what is else not connected.
 */
GERSH_API gersh_status gersh_graph_spanning_tree(size_t *parent, size_t n, const double *similarity,
                                                 size_t root);

/* Gershgorin discs of M, and of S M S⁻¹ whose left-ends are aligned at λ_min of each component. */
typedef struct gersh_discs {
    size_t nodes;
    gersh_balance *balance;
    double *scalar;      /* s_i > 0: 1 / |v_i|, v the unit first eigenvector of i's component */
    double *center;      /* M_ii */
    double *radius;      /* Σ_j |M_ij| */
    double *aligned;     /* Σ_j |M_ij| s_i/s_j: the radius after scaling */
    double *lambda;      /* of each component: its smallest eigenvalue, as computed (an upper bound) */
    double *lower;       /* of each component: its smallest left-end less rounding: a lower bound */
    double lambda_min;   /* the smallest of lambda */
    double lambda_lower; /* the smallest of lower */
    double smallest;     /* smallest entry |v_i| of all components' unit eigenvectors */
    double below;        /* largest λ of the component − left-end, over all nodes; at least 0 */
    double above;        /* largest left-end − λ of the component; at least 0 */
} gersh_discs;

/*
 * GDPA (Theorems 1 and 2 of the paper). The graph must be balanced: GERSH_ERROR_UNBALANCED otherwise, and
 * gersh_graph_balance tells the cycle. cancel may be NULL.
 */
GERSH_API gersh_status gersh_discs_align(gersh_discs **out, const gersh_graph *graph,
                                         const gersh_cancel *cancel);
GERSH_API void gersh_discs_free(gersh_discs *discs);

#ifdef __cplusplus
}
#endif
#endif
