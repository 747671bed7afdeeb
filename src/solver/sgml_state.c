/* The state of sgml and pgml: memory, scalars, and M as a metric; see sgml.h. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "graph/gdpa.h"
#include "linalg/kernels.h"
#include "solver/atoms.h"
#include "solver/sgml.h"

#define SGML_EIGEN_TOL 1e-10
enum { EIGEN_SWEEPS = 200 };

/* A slack that is negative by no more than this share of the budget is 0 but for rounding. */
#define SLACK_ROUNDING 1e-13

void gersh__sgml_free(gersh__sgml *s)
{
    if (s == NULL)
        return;
    void *blocks[] = {s->color,   s->u,          s->slack,       s->part,      s->edge,     s->d,
                      s->scratch, s->column,     s->fixed,       s->moving,    s->vertex,   s->next_d,
                      s->next_g,  s->g,          s->product,     s->row,       s->kept_row, s->kept_color,
                      s->kept_u,  s->kept_slack, s->kept_moving, s->kept_part, s->used};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        gersh__free(blocks[i]);
    gersh__free(s);
}

gersh_status gersh__sgml_new(gersh__sgml **out, gersh__solver_run *run, int positive)
{
    const gersh__pairs *pairs = run->pairs;
    *out = NULL;
    gersh__sgml *s = gersh__alloc(1, sizeof *s);
    if (s == NULL)
        return GERSH_ERROR_MEMORY;
    s->run = run;
    s->engine = run->engine;
    s->pairs = pairs;
    s->k = gersh__pairs_features(pairs);
    s->positive = positive;
    struct {
        double **block;
        size_t count;
    } rows[] = {{&s->color, s->k},
                {&s->u, s->k},
                {&s->slack, s->k},
                {&s->row, s->k},
                {&s->kept_row, s->k},
                {&s->kept_color, s->k},
                {&s->kept_u, s->k},
                {&s->kept_slack, s->k},
                {&s->scratch, gersh__pairs_samples(pairs)},
                {&s->column, gersh__pairs_samples(pairs)},
                {&s->d, gersh__pairs_count(pairs)},
                {&s->fixed, gersh__pairs_count(pairs)},
                {&s->moving, gersh__pairs_count(pairs)},
                {&s->vertex, gersh__pairs_count(pairs)},
                {&s->next_d, gersh__pairs_count(pairs)},
                {&s->next_g, gersh__pairs_count(pairs)},
                {&s->g, gersh__pairs_count(pairs)},
                {&s->product, gersh__pairs_count(pairs)},
                {&s->kept_moving, gersh__pairs_count(pairs)}};
    gersh_status status = GERSH_OK;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        *rows[i].block = gersh__alloc(rows[i].count, sizeof(double));
        status = *rows[i].block != NULL ? status : GERSH_ERROR_MEMORY;
    }
    s->part = gersh__alloc(s->k, sizeof *s->part);
    s->kept_part = gersh__alloc(s->k, sizeof *s->kept_part);
    if (status != GERSH_OK || !s->part || !s->kept_part) {
        gersh__sgml_free(s);
        return GERSH_ERROR_MEMORY;
    }
    *out = s;
    return GERSH_OK;
}

void gersh__sgml_add_edge(const gersh__sgml *s, const double *u, const double *color, size_t i, size_t j,
                          double factor, double *d)
{
    double a = sqrt(u[j] / u[i]), b = -color[i] * color[j] / a;
    gersh__pairs_project(s->pairs, i, a, j, b, s->scratch);
    gersh__pairs_add(s->pairs, factor, s->scratch, d);
}

void gersh__sgml_refresh(gersh__sgml *s)
{
    memcpy(s->d, s->engine->base, gersh__pairs_count(s->pairs) * sizeof *s->d);
    for (size_t i = 0; i < s->k; i++)
        if (s->slack[i] > 0)
            gersh__pairs_add(s->pairs, s->slack[i], gersh__pairs_column(s->pairs, i, s->scratch), s->d);
    for (size_t e = 0; e < s->edges; e++)
        gersh__sgml_add_edge(s, s->u, s->color, s->edge[e].i, s->edge[e].j, s->edge[e].size, s->d);
    s->value = s->engine->objective->kind->evaluate(s->engine->objective, s->d, s->g);
}

/* M_ii of every node. */
static void diagonal_of(const gersh__sgml *s, double *diagonal)
{
    for (size_t i = 0; i < s->k; i++)
        diagonal[i] = s->engine->rho + s->slack[i];
    for (size_t e = 0; e < s->edges; e++) {
        size_t i = s->edge[e].i, j = s->edge[e].j;
        diagonal[i] += s->edge[e].size * s->u[j] / s->u[i];
        diagonal[j] += s->edge[e].size * s->u[i] / s->u[j];
    }
}

/* The slacks under the scalars u; returns the smallest. */
static double slacks_under(const gersh__sgml *s, const double *u, const double *diagonal, double *slack)
{
    double least = INFINITY;
    for (size_t i = 0; i < s->k; i++)
        slack[i] = diagonal[i] - s->engine->rho;
    for (size_t e = 0; e < s->edges; e++) {
        size_t i = s->edge[e].i, j = s->edge[e].j;
        slack[i] -= s->edge[e].size * u[j] / u[i];
        slack[j] -= s->edge[e].size * u[i] / u[j];
    }
    for (size_t i = 0; i < s->k; i++)
        least = fmin(least, slack[i]);
    return least;
}

/*
 * Feasible is what the discs say for the scalars in hand: a part takes its new scalars only where they leave no slack
 * below 0, or less far than the old ones do.
 */
static void take_scalars(gersh__sgml *s, const gersh_discs *discs, double *diagonal, double *fresh)
{
    double *old_slack = s->kept_slack, *new_slack = s->kept_color,
           limit = -SLACK_ROUNDING * s->engine->budget;
    for (size_t i = 0; i < s->k; i++)
        fresh[i] = 1 / discs->scalar[i];
    slacks_under(s, s->u, diagonal, old_slack);
    slacks_under(s, fresh, diagonal, new_slack);
    memcpy(s->part, discs->balance->component, s->k * sizeof *s->part);
    double *old_least = s->row, *new_least = s->kept_row; /* by part */
    for (size_t i = 0; i < s->k; i++)
        old_least[i] = new_least[i] = INFINITY;
    for (size_t i = 0; i < s->k; i++) {
        old_least[s->part[i]] = fmin(old_least[s->part[i]], old_slack[i]);
        new_least[s->part[i]] = fmin(new_least[s->part[i]], new_slack[i]);
    }
    for (size_t i = 0; i < s->k; i++)
        if (new_least[s->part[i]] >= limit || new_least[s->part[i]] > old_least[s->part[i]])
            s->u[i] = fresh[i];
    slacks_under(s, s->u, diagonal, s->slack);
    for (size_t i = 0; i < s->k; i++)
        s->slack[i] = fmax(s->slack[i], 0);
}

gersh_status gersh__sgml_scalars(gersh__sgml *s)
{
    double begin = gersh__clock_seconds();
    size_t *first = gersh__alloc(s->edges, sizeof *first), *second = gersh__alloc(s->edges, sizeof *second);
    double *entry = gersh__alloc(s->edges, sizeof *entry);
    double *diagonal = gersh__alloc(s->k, sizeof *diagonal), *fresh = gersh__alloc(s->k, sizeof *fresh);
    gersh_graph *graph = NULL;
    gersh_discs *discs = NULL;
    gersh__align how = {SGML_EIGEN_TOL, EIGEN_SWEEPS, s->u, NULL};
    gersh_status status = first && second && entry && diagonal && fresh ? GERSH_OK : GERSH_ERROR_MEMORY;
    if (status != GERSH_OK)
        goto out;
    diagonal_of(s, diagonal);
    for (size_t e = 0; e < s->edges; e++) {
        first[e] = s->edge[e].i;
        second[e] = s->edge[e].j;
        entry[e] = -s->color[first[e]] * s->color[second[e]] * s->edge[e].size;
    }
    status = gersh_graph_from_edges(&graph, s->k, diagonal, s->edges, first, second, entry);
    if (status == GERSH_OK)
        status = gersh__discs_align(&discs, graph, &how);
    if (status == GERSH_OK)
        take_scalars(s, discs, diagonal, fresh);
out:
    s->engine->seconds_eigen += gersh__clock_seconds() - begin;
    gersh_discs_free(discs);
    gersh_graph_free(graph);
    gersh__free(first);
    gersh__free(second);
    gersh__free(entry);
    gersh__free(diagonal);
    gersh__free(fresh);
    return status;
}

gersh_status gersh__sgml_metric(gersh_metric **out, const gersh__sgml *s)
{
    size_t atoms = s->edges, a = 0;
    for (size_t i = 0; i < s->k; i++)
        atoms += s->slack[i] > 0;
    gersh_status status = gersh_metric_new(out, s->k, s->engine->rho, atoms, 0);
    if (status != GERSH_OK)
        return status;
    for (size_t i = 0; i < s->k; i++) {
        if (s->slack[i] > 0) {
            (*out)->weight[a] = s->slack[i];
            (*out)->atom[a++] = (gersh_atom){i, i, 1, 0};
        }
    }
    for (size_t e = 0; e < s->edges; e++, a++) {
        size_t i = s->edge[e].i, j = s->edge[e].j;
        double ratio = sqrt(s->u[j] / s->u[i]), length = hypot(ratio, 1 / ratio);
        (*out)->weight[a] = s->edge[e].size * length * length;
        (*out)->atom[a] = (gersh_atom){i, j, ratio / length, -s->color[i] * s->color[j] / ratio / length};
    }
    return GERSH_OK;
}
