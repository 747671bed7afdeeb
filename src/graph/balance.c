/*
 * Balance of a signed graph (Cartwright and Harary): breadth-first, each node gets the colour that its
 * parent's edge asks for. An edge between coloured nodes that disagrees closes, with the two paths up the
 * tree to their nearest common ancestor, a cycle with an odd number of negative edges.
 */
#include <string.h>

#include "base/alloc.h"
#include "gersh/graph.h"

void gersh_balance_free(gersh_balance *balance)
{
    if (balance == NULL)
        return;
    gersh__free(balance->component);
    gersh__free(balance->color);
    gersh__free(balance->witness);
    gersh__free(balance);
}

/* The cycle through the tree and the edge (a, b); depths come from the breadth-first search. */
static gersh_status make_witness(gersh_balance *balance, const size_t *parent, const size_t *depth,
                                 size_t a, size_t b)
{
    size_t x = a, y = b, up = 1, down = 1; /* nodes on the two sides, the common ancestor on both */
    while (x != y) {
        if (depth[x] >= depth[y]) {
            x = parent[x];
            up++;
        } else {
            y = parent[y];
            down++;
        }
    }
    size_t length = up + down - 1;
    balance->witness = gersh__alloc(length, sizeof *balance->witness);
    if (balance->witness == NULL)
        return GERSH_ERROR_MEMORY;
    balance->witness_length = length;
    for (size_t i = 0; i < up; i++, a = parent[a])
        balance->witness[i] = a;
    for (size_t i = length; i > up; i--, b = parent[b])
        balance->witness[i - 1] = b;
    return GERSH_OK;
}

gersh_status gersh_graph_balance(gersh_balance **out, const gersh_graph *graph)
{
    size_t n = graph->nodes;
    *out = NULL;
    gersh_balance *balance = gersh__alloc(1, sizeof *balance);
    size_t *queue = gersh__alloc(n, sizeof *queue);
    size_t *parent = gersh__alloc(n, sizeof *parent);
    size_t *depth = gersh__alloc(n, sizeof *depth);
    gersh_status status = GERSH_ERROR_MEMORY;
    if (!balance || !queue || !parent || !depth)
        goto out;
    balance->nodes = n;
    balance->component = gersh__alloc(n, sizeof *balance->component);
    balance->color = gersh__alloc(n, sizeof *balance->color);
    if (!balance->component || !balance->color)
        goto out;

    status = GERSH_OK;
    for (size_t root = 0; root < n; root++) {
        if (balance->color[root] != 0)
            continue;
        size_t head = 0, tail = 0;
        queue[tail++] = parent[root] = root;
        balance->color[root] = 1;
        balance->component[root] = balance->components;
        while (head < tail) {
            size_t i = queue[head++];
            for (size_t e = graph->start[i]; e < graph->start[i + 1]; e++) {
                size_t j = graph->neighbor[e];
                int color = graph->entry[e] < 0 ? balance->color[i] : -balance->color[i]; /* w = −M */
                if (balance->color[j] == 0) {
                    balance->color[j] = color;
                    balance->component[j] = balance->components;
                    parent[j] = i;
                    depth[j] = depth[i] + 1;
                    queue[tail++] = j;
                } else if (balance->color[j] != color && balance->witness == NULL) {
                    status = make_witness(balance, parent, depth, i, j);
                    if (status != GERSH_OK)
                        goto out;
                }
            }
        }
        balance->components++;
    }
    balance->balanced = balance->witness == NULL;
    if (!balance->balanced) {
        gersh__free(balance->color);
        balance->color = NULL;
    }
    *out = balance;
    balance = NULL;
out:
    gersh_balance_free(balance);
    gersh__free(queue);
    gersh__free(parent);
    gersh__free(depth);
    return status;
}
