/* Incomplete Cholesky of a sparse symmetric matrix; see factor.h. */
#include "graph/factor.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"

void gersh__factor_free(gersh__factor *factor)
{
    if (factor == NULL)
        return;
    gersh__free(factor->order);
    gersh__free(factor->start);
    gersh__free(factor->place);
    gersh__free(factor->entry);
    gersh__free(factor->pivot);
    gersh__free(factor->vector);
    gersh__free(factor);
}

/* Places from the last to the first in the order of a breadth-first search from node 0. */
static void eliminate_inwards(gersh__factor *f, const gersh_graph *graph, size_t *place_of)
{
    size_t n = f->n, head = n, tail = n;
    memset(place_of, 0xFF, n * sizeof *place_of); /* no place yet */
    f->order[--tail] = 0;
    place_of[0] = tail;
    while (head > tail) {
        size_t i = f->order[--head];
        for (size_t e = graph->start[i]; e < graph->start[i + 1]; e++) {
            size_t j = graph->neighbor[e];
            if (place_of[j] == (size_t)-1) {
                f->order[--tail] = j;
                place_of[j] = tail;
            }
        }
    }
}

/* The lower triangle in the new order, rows sorted: the entries of column q go to the rows below it. */
static void copy_lower(gersh__factor *f, const gersh_graph *graph, const size_t *place_of, size_t *next)
{
    size_t n = f->n;
    for (size_t p = 0; p < n; p++) {
        size_t i = f->order[p];
        for (size_t e = graph->start[i]; e < graph->start[i + 1]; e++)
            f->start[p + 1] += place_of[graph->neighbor[e]] < p;
    }
    for (size_t p = 0; p < n; p++)
        f->start[p + 1] += f->start[p];
    memcpy(next, f->start, n * sizeof *next);
    for (size_t q = 0; q < n; q++) {
        size_t j = f->order[q];
        for (size_t e = graph->start[j]; e < graph->start[j + 1]; e++) {
            size_t p = place_of[graph->neighbor[e]];
            if (p > q) {
                f->place[next[p]] = q;
                f->entry[next[p]++] = graph->entry[e];
            }
        }
    }
}

/* Σ over the places before q that rows p and q share */
static double shared(const gersh__factor *f, size_t p, size_t p_end, size_t q)
{
    size_t a = f->start[p], b = f->start[q], b_end = f->start[q + 1];
    double sum = 0;
    while (a < p_end && b < b_end) {
        if (f->place[a] == f->place[b])
            sum += f->entry[a++] * f->entry[b++];
        else if (f->place[a] < f->place[b])
            a++;
        else
            b++;
    }
    return sum;
}

gersh_status gersh__factor_new(gersh__factor **out, const gersh_graph *graph, double shift)
{
    size_t n = graph->nodes;
    *out = NULL;
    gersh__factor *f = gersh__alloc(1, sizeof *f);
    size_t *place_of = gersh__alloc(n, sizeof *place_of), *next = gersh__alloc(n, sizeof *next);
    gersh_status status = GERSH_ERROR_MEMORY;
    if (!f || !place_of || !next)
        goto out;
    f->n = n;
    f->order = gersh__alloc(n, sizeof *f->order);
    f->start = gersh__alloc(n + 1, sizeof *f->start);
    f->place = gersh__alloc(graph->edges, sizeof *f->place);
    f->entry = gersh__alloc(graph->edges, sizeof *f->entry);
    f->pivot = gersh__alloc(n, sizeof *f->pivot);
    f->vector = gersh__alloc(n, sizeof *f->vector);
    if (!f->order || !f->start || !f->place || !f->entry || !f->pivot || !f->vector)
        goto out;
    eliminate_inwards(f, graph, place_of);
    copy_lower(f, graph, place_of, next);
    for (size_t p = 0; p < n; p++) {
        double full = graph->diagonal[f->order[p]] - shift, rest = full;
        for (size_t e = f->start[p]; e < f->start[p + 1]; e++) {
            size_t q = f->place[e];
            f->entry[e] = (f->entry[e] - shared(f, p, e, q)) / f->pivot[q];
            rest -= f->entry[e] * f->entry[e];
        }
        f->pivot[p] = sqrt(rest > 0 ? rest : full); /* positive but for rounding */
    }
    *out = f;
    f = NULL;
    status = GERSH_OK;
out:
    gersh__factor_free(f);
    gersh__free(place_of);
    gersh__free(next);
    return status;
}

void gersh__factor_solve(void *context, size_t n, size_t columns, const double *x, double *y)
{
    const gersh__factor *f = context;
    double *t = f->vector;
    for (size_t c = 0; c < columns; c++, x += n, y += n) {
        for (size_t p = 0; p < n; p++) {
            double sum = x[f->order[p]];
            for (size_t e = f->start[p]; e < f->start[p + 1]; e++)
                sum -= f->entry[e] * t[f->place[e]];
            t[p] = sum / f->pivot[p];
        }
        for (size_t p = n; p-- > 0;) {
            t[p] /= f->pivot[p];
            for (size_t e = f->start[p]; e < f->start[p + 1]; e++)
                t[f->place[e]] -= f->entry[e] * t[p];
            y[f->order[p]] = t[p];
        }
    }
}
