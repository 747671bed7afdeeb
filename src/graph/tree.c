/* The spanning tree of largest total |similarity|: Prim's algorithm, O(n²) and a row at a time. */
#include "graph/tree.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

gersh_status gersh__spanning_tree(size_t *parent, size_t n, gersh__similarity similarity, void *context,
                                  size_t root)
{
    if (root >= n)
        return gersh__fail(GERSH_ERROR_ARGUMENT, "the root is node %zu of a graph with %zu", root + 1, n);
    double *best = gersh__alloc(n, sizeof *best); /* similarity to the tree; −1 once in it */
    double *row = gersh__alloc(n, sizeof *row);
    gersh_status status = best && row ? GERSH_OK : GERSH_ERROR_MEMORY;
    size_t last = root;
    for (size_t added = 0; added < n && status == GERSH_OK; added++) {
        similarity(context, last, row);
        best[last] = -1;
        for (size_t i = 0; i < n; i++) {
            if (!isfinite(row[i]))
                status = gersh__fail(GERSH_ERROR_INPUT, "the similarity of nodes %zu and %zu is not finite",
                                     last + 1, i + 1);
            if (best[i] >= 0 && (added == 0 || fabs(row[i]) > best[i])) {
                best[i] = fabs(row[i]);
                parent[i] = last;
            }
        }
        parent[root] = root;
        last = root; /* −1, so that any other is larger */
        for (size_t i = 0; i < n; i++)
            if (best[i] > best[last])
                last = i;
    }
    gersh__free(best);
    gersh__free(row);
    return status;
}

typedef struct dense {
    const double *values;
    size_t n;
} dense;

static void dense_row(void *context, size_t i, double *row)
{
    const dense *d = context;
    memcpy(row, d->values + i * d->n, d->n * sizeof *row);
}

gersh_status gersh_graph_spanning_tree(size_t *parent, size_t n, const double *similarity, size_t root)
{
    dense d = {similarity, n};
    gersh_status status = gersh__check_array(n, n, sizeof *similarity);
    return status == GERSH_OK ? gersh__spanning_tree(parent, n, dense_row, &d, root) : status;
}
