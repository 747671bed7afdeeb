/*
 * Lines 4-9 of the algorithm: the edges at one row, and all diagonal entries, with both colours of the row; see sgml.h.
 * It costs O(N²K) for each Frank-Wolfe step.
 */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "solver/sgml_step.h"

#define TOL 1e-3      /* of the diagonal and one row, from the paper's table */
#define FLIP_TOL 1e-5 /* by how much the other colour must be better: the main tolerance of that table */
#define DUST 1e-13    /* edges below this share of the budget go to the diagonal */

/* Takes the edges at r off the list and into s->row; returns the trace that the other edges hold. */
static double take_row(gersh__sgml *s, size_t r)
{
    size_t kept = 0;
    double held = 0;
    memset(s->row, 0, s->k * sizeof *s->row);
    for (size_t e = 0; e < s->edges; e++) {
        gersh__sgml_edge edge = s->edge[e];
        if (edge.i == r || edge.j == r) {
            s->row[edge.i == r ? edge.j : edge.i] = edge.size;
        } else {
            held += edge.size / gersh__sgml_edge_size(s, edge.i, edge.j);
            s->edge[kept++] = edge;
        }
    }
    s->edges = kept;
    return held;
}

void gersh__sgml_drop_negligible_edges(gersh__sgml *s)
{
    size_t kept = 0;
    for (size_t e = 0; e < s->edges; e++) {
        gersh__sgml_edge edge = s->edge[e];
        if (edge.size > DUST * s->engine->budget) {
            s->edge[kept++] = edge;
        } else {
            s->slack[edge.i] += edge.size * s->u[edge.j] / s->u[edge.i];
            s->slack[edge.j] += edge.size * s->u[edge.i] / s->u[edge.j];
        }
    }
    s->edges = kept;
}

/* Puts s->row back on the list. */
static gersh_status put_row(gersh__sgml *s, size_t r)
{
    for (size_t j = 0; j < s->k; j++) {
        if (s->row[j] <= 0)
            continue;
        if (gersh__grow(&s->edge, &s->capacity, s->edges + 1, sizeof *s->edge) != 0)
            return GERSH_ERROR_MEMORY;
        s->edge[s->edges++] = (gersh__sgml_edge){r, j, s->row[j]};
    }
    gersh__sgml_drop_negligible_edges(s);
    return GERSH_OK;
}

/* The free distances: of the slacks, and of the edges at r. */
static void free_distances(const gersh__sgml *s, size_t r, double *moving)
{
    memset(moving, 0, gersh__pairs_count(s->pairs) * sizeof *moving);
    for (size_t i = 0; i < s->k; i++) {
        if (s->slack[i] > 0)
            gersh__pairs_add(s->pairs, s->slack[i], gersh__pairs_column(s->pairs, i, s->scratch), moving);
        if (s->row[i] > 0)
            gersh__sgml_add_edge(s, s->u, s->color, r, i, s->row[i], moving);
    }
}

/* Exchanges the state of the row problem with the kept one. */
static void exchange(gersh__sgml *s)
{
    struct {
        double **a, **b;
    } pairs[] = {{&s->color, &s->kept_color},
                 {&s->u, &s->kept_u},
                 {&s->slack, &s->kept_slack},
                 {&s->row, &s->kept_row},
                 {&s->moving, &s->kept_moving}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        double *swap = *pairs[i].a;
        *pairs[i].a = *pairs[i].b;
        *pairs[i].b = swap;
    }
    size_t *part = s->part;
    s->part = s->kept_part;
    s->kept_part = part;
}

/* The start of the second try, in the kept state: r has the other colour, and its edges are on the diagonal. */
static void keep_flipped(gersh__sgml *s, size_t r)
{
    memcpy(s->kept_color, s->color, s->k * sizeof *s->color);
    memcpy(s->kept_u, s->u, s->k * sizeof *s->u);
    memcpy(s->kept_slack, s->slack, s->k * sizeof *s->slack);
    memcpy(s->kept_part, s->part, s->k * sizeof *s->part);
    memset(s->kept_row, 0, s->k * sizeof *s->row);
    s->kept_color[r] = -s->color[r];
    for (size_t j = 0; j < s->k; j++) {
        s->kept_slack[r] += s->row[j] * s->u[j] / s->u[r];
        s->kept_slack[j] += s->row[j] * s->u[r] / s->u[j];
    }
}

/* Sets d, the value and the gradient from the fixed and the moving part. */
static void combine(gersh__sgml *s)
{
    for (size_t p = 0, last = gersh__pairs_count(s->pairs); p < last; p++)
        s->d[p] = s->fixed[p] + s->moving[p];
    s->value = gersh__sgml_evaluate(s, s->d, s->g);
}

static int stands_alone(const gersh__sgml *s, size_t r)
{
    for (size_t j = 0; j < s->k; j++)
        if (j != r && s->part[j] == s->part[r])
            return 0;
    return 1;
}

gersh_status gersh__sgml_row(gersh__sgml *s, size_t r, int *changed, int *flipped)
{
    double budget = s->engine->budget - take_row(s, r);
    int twice = !s->positive && !stands_alone(s, r);
    int steps = s->engine->newton_steps;
    *flipped = 0;
    free_distances(s, r, s->moving);
    for (size_t p = 0, last = gersh__pairs_count(s->pairs); p < last; p++)
        s->fixed[p] = s->d[p] - s->moving[p];
    keep_flipped(s, r);
    combine(s);
    gersh_status status = gersh__sgml_minimize(s, (int)r, NULL, budget, TOL);
    double first = s->value;
    *changed = s->engine->newton_steps > steps;
    if (status == GERSH_OK && twice && s->run->stop == GERSH_STOP_CONVERGED) {
        exchange(s);
        free_distances(s, r, s->moving);
        combine(s);
        status = gersh__sgml_minimize(s, (int)r, NULL, budget, TOL);
        *flipped = first - s->value > FLIP_TOL * fmax(fabs(first), s->engine->floor);
        if (!*flipped) {
            exchange(s);
            combine(s);
        }
    }
    *changed = *changed || *flipped;
    return status == GERSH_OK ? put_row(s, r) : status;
}
