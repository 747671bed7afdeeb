/* The spanning tree of largest total |similarity|: Prim's algorithm on a dense matrix, O(n²). */
#include <math.h>

#include "base/alloc.h"
#include "base/error.h"
#include "gersh/graph.h"

gersh_status gersh_graph_spanning_tree(size_t *parent, size_t n, const double *similarity, size_t root)
{
    if (root >= n)
        return gersh__fail(GERSH_ERROR_ARGUMENT, "the root is node %zu of a graph with %zu", root + 1, n);
    for (size_t i = 0; i < n * n; i++)
        if (!isfinite(similarity[i]))
            return gersh__fail(GERSH_ERROR_INPUT, "the similarity of nodes %zu and %zu is not finite",
                               i / n + 1, i % n + 1);
    double *best = gersh__alloc(n, sizeof *best); /* similarity to the tree; −1 once in it */
    if (best == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t i = 0; i < n; i++) {
        parent[i] = root;
        best[i] = fabs(similarity[root * n + i]);
    }
    best[root] = -1;
    for (size_t added = 1; added < n; added++) {
        size_t next = root;
        for (size_t i = 0; i < n; i++)
            if (best[i] > best[next])
                next = i;
        best[next] = -1;
        for (size_t i = 0; i < n; i++) {
            double s = fabs(similarity[next * n + i]);
            if (best[i] >= 0 && s > best[i]) {
                best[i] = s;
                parent[i] = next;
            }
        }
    }
    gersh__free(best);
    return GERSH_OK;
}
