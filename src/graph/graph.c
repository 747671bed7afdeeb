/* A symmetric matrix as a signed graph: building it, and multiplying with it. See gersh/graph.h. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "gersh/graph.h"
#include "linalg/kernels.h"

/* M_ij and M_ji count as equal when they differ by at most this share of the largest entry. */
#define SYMMETRY 1e-12

static gersh_graph *allocate(size_t n, size_t edges)
{
    gersh_graph *graph = gersh__alloc(1, sizeof *graph);
    if (graph == NULL)
        return NULL;
    graph->nodes = n;
    graph->edges = edges;
    graph->diagonal = gersh__alloc(n, sizeof *graph->diagonal);
    graph->start = gersh__alloc(n + 1, sizeof *graph->start);
    graph->neighbor = gersh__alloc(edges, 2 * sizeof *graph->neighbor);
    graph->entry = gersh__alloc(edges, 2 * sizeof *graph->entry);
    if (!graph->diagonal || !graph->start || !graph->neighbor || !graph->entry) {
        gersh_graph_free(graph);
        return NULL;
    }
    return graph;
}

void gersh_graph_free(gersh_graph *graph)
{
    if (graph == NULL)
        return;
    gersh__free(graph->diagonal);
    gersh__free(graph->start);
    gersh__free(graph->neighbor);
    gersh__free(graph->entry);
    gersh__free(graph);
}

/* Every entry finite, and M equal to its transpose up to rounding. */
static gersh_status check_symmetric(size_t n, const double *m, size_t asymmetric[2])
{
    double largest = 0, worst = 0;
    size_t at[2] = {0, 0};
    for (size_t i = 0; i < n * n; i++) {
        if (!isfinite(m[i]))
            return gersh__fail(GERSH_ERROR_INPUT, "entry (%zu, %zu) of the matrix is not finite", i / n + 1,
                               i % n + 1);
        largest = fmax(largest, fabs(m[i]));
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            double difference = fabs(m[i * n + j] / 2 - m[j * n + i] / 2);
            if (difference > worst) {
                worst = difference;
                at[0] = j;
                at[1] = i;
            }
        }
    }
    if (worst <= SYMMETRY / 2 * largest)
        return GERSH_OK;
    if (asymmetric != NULL)
        memcpy(asymmetric, at, sizeof at);
    return gersh__fail(GERSH_ERROR_INPUT,
                       "the matrix is not symmetric: entry (%zu, %zu) is %.9g but entry (%zu, %zu) is %.9g",
                       at[0] + 1, at[1] + 1, m[at[0] * n + at[1]], at[1] + 1, at[0] + 1,
                       m[at[1] * n + at[0]]);
}

static double symmetric_entry(const double *m, size_t n, size_t i, size_t j)
{
    double a = m[i * n + j], b = m[j * n + i];
    return a == b ? a : a / 2 + b / 2;
}

gersh_status gersh_graph_from_dense(gersh_graph **out, size_t n, const double *m, double zero,
                                    size_t asymmetric[2])
{
    *out = NULL;
    if (n == 0)
        return gersh__fail(GERSH_ERROR_ARGUMENT, "the matrix has no rows");
    if (!(zero >= 0))
        return gersh__fail(GERSH_ERROR_ARGUMENT,
                           "the size below which an entry is no edge must not be negative");
    gersh_status status = gersh__check_array(n, n, sizeof *m);
    if (status == GERSH_OK)
        status = check_symmetric(n, m, asymmetric);
    if (status != GERSH_OK)
        return status;
    size_t edges = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            edges += fabs(symmetric_entry(m, n, i, j)) > zero;
    gersh_graph *graph = allocate(n, edges);
    if (graph == NULL)
        return GERSH_ERROR_MEMORY;
    size_t next = 0;
    for (size_t i = 0; i < n; i++) {
        graph->diagonal[i] = m[i * n + i];
        graph->start[i] = next;
        for (size_t j = 0; j < n; j++) {
            double entry = symmetric_entry(m, n, i, j);
            if (j != i && fabs(entry) > zero) {
                graph->neighbor[next] = j;
                graph->entry[next++] = entry;
            }
        }
    }
    graph->start[n] = next;
    *out = graph;
    return GERSH_OK;
}

/* Sorts the neighbours of each node by going through all entries in the order of the other end. */
static gersh_status sort_neighbors(gersh_graph *graph)
{
    size_t n = graph->nodes, count = graph->start[n];
    size_t *next = gersh__alloc(n, sizeof *next);
    size_t *neighbor = gersh__alloc(count, sizeof *neighbor);
    double *entry = gersh__alloc(count, sizeof *entry);
    gersh_status status = next && neighbor && entry ? GERSH_OK : GERSH_ERROR_MEMORY;
    if (status == GERSH_OK) {
        memcpy(next, graph->start, n * sizeof *next);
        for (size_t i = 0; i < n; i++) {
            for (size_t e = graph->start[i]; e < graph->start[i + 1]; e++) {
                size_t place = next[graph->neighbor[e]]++;
                neighbor[place] = i;
                entry[place] = graph->entry[e];
            }
        }
        memcpy(graph->neighbor, neighbor, count * sizeof *neighbor);
        memcpy(graph->entry, entry, count * sizeof *entry);
    }
    gersh__free(next);
    gersh__free(neighbor);
    gersh__free(entry);
    return status;
}

gersh_status gersh_graph_from_edges(gersh_graph **out, size_t n, const double *diagonal, size_t edges,
                                    const size_t *first, const size_t *second, const double *entry)
{
    *out = NULL;
    gersh_status status = gersh__check_array(n, 2, sizeof *diagonal);
    if (status == GERSH_OK)
        status = gersh__check_array(edges, 2, sizeof *entry);
    if (status != GERSH_OK)
        return status;
    for (size_t i = 0; i < n; i++)
        if (!isfinite(diagonal[i]))
            return gersh__fail(GERSH_ERROR_ARGUMENT, "entry %zu of the diagonal is not finite", i + 1);
    for (size_t e = 0; e < edges; e++)
        if (first[e] >= n || second[e] >= n || first[e] == second[e] || !isfinite(entry[e]) ||
            entry[e] == 0)
            return gersh__fail(
                GERSH_ERROR_ARGUMENT,
                "edge %zu joins nodes %zu and %zu of %zu with entry %g; expected two different "
                "nodes and a finite entry that is not 0",
                e + 1, first[e] + 1, second[e] + 1, n, entry[e]);
    gersh_graph *graph = n > 0 ? allocate(n, edges) : NULL;
    if (graph == NULL)
        return n > 0 ? GERSH_ERROR_MEMORY : gersh__fail(GERSH_ERROR_ARGUMENT, "the graph has no nodes");
    memcpy(graph->diagonal, diagonal, n * sizeof *diagonal);
    for (size_t e = 0; e < edges; e++) {
        graph->start[first[e] + 1]++;
        graph->start[second[e] + 1]++;
    }
    for (size_t i = 0; i < n; i++)
        graph->start[i + 1] += graph->start[i];
    for (size_t e = edges; e-- > 0;) { /* start[i + 1] goes down from the end of i's part to its start */
        size_t a = --graph->start[first[e] + 1], b = --graph->start[second[e] + 1];
        graph->neighbor[a] = second[e];
        graph->neighbor[b] = first[e];
        graph->entry[a] = graph->entry[b] = entry[e];
    }
    memmove(graph->start, graph->start + 1, n * sizeof *graph->start);
    graph->start[n] = 2 * edges;
    status = sort_neighbors(graph);
    for (size_t i = 0; i < n && status == GERSH_OK; i++)
        for (size_t e = graph->start[i] + 1; e < graph->start[i + 1]; e++)
            if (graph->neighbor[e] == graph->neighbor[e - 1])
                status =
                    gersh__fail(GERSH_ERROR_ARGUMENT, "the edge between nodes %zu and %zu is listed twice",
                                i + 1, graph->neighbor[e] + 1);
    if (status != GERSH_OK) {
        gersh_graph_free(graph);
        return status;
    }
    *out = graph;
    return GERSH_OK;
}

void gersh_graph_apply(void *context, size_t n, size_t columns, const double *x, double *y)
{
    const gersh_graph *graph = context;
    const gersh__kernels *kernel = gersh__kernels_here();
    for (size_t j = 0; j < columns; j++, x += n, y += n) {
        for (size_t i = 0; i < n; i++) {
            size_t from = graph->start[i], count = graph->start[i + 1] - from;
            y[i] = graph->diagonal[i] * x[i] +
                   kernel->gather(count, graph->entry + from, graph->neighbor + from, x);
        }
    }
}
