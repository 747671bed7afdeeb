/*
 * The paper's Algorithm 1, with the linear programs in closed form (see sgml.h and sgml_step.c).
 *
 *   1. Scalars of the first graph.
 *   2. For each row in turn: minimise over its edges and all diagonal entries by Frank-Wolfe, once as the row is
 *      coloured and once with the other colour (its edges taken off first); keep the better; new scalars. Passes over
 *      all rows until colours and objective settle.
 *   3. The whole matrix by Frank-Wolfe with the colours fixed; new scalars; until the objective settles.
 *
 * Or, with the edges left as they are: the diagonal by Frank-Wolfe; new scalars; until the objective settles.
 */
#include "solver/sgml.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/settings.h"
#include "solver/atoms.h"
#include "solver/sgml_step.h"

/*
 * Changes of the objective that count as settled: of the paper's table, that of the rows; the main one is that of
 * solver.h. They are relative to the objective, or to this many engine floors (1e-2 of the objective at the identity) where it is less.
 */
#define ROWS_TOL 1e-3
#define FLOORS 1e4
#define WHOLE_TOL 1e-4  /* of one Frank-Wolfe run on the whole matrix or the diagonal */
#define SGML_WIDTH 1e-3 /* smoothing of objectives with kinks */

static double main_tol(const gersh__sgml *s)
{
    return GERSH__SETTLED * s->run->limits.tol;
}

static void report(gersh__sgml *s, const char *stage)
{
    const gersh__limits *limits = &s->run->limits;
    if (s->observe != NULL)
        s->observe(s->observe_context, s);
    if (limits->progress == NULL)
        return;
    gersh__objective *objective = s->engine->objective;
    double value = objective->kind->exact != NULL ? objective->kind->exact(objective, s->d) : s->value;
    double sign = objective->info->maximized ? -1 : 1;
    gersh_progress progress = {stage,
                               s->engine->iterations,
                               sign * value,
                               sign * -INFINITY,
                               INFINITY,
                               s->edges,
                               gersh__clock_seconds() - limits->start};
    limits->progress(limits->progress_context, &progress);
}

static int settled(const gersh__sgml *s, double before, double tol)
{
    return before - s->value <= tol * fmax(fabs(s->value), FLOORS * s->engine->floor);
}

/* Counts a main iteration; whether there may be another. */
static int may_go_on(gersh__sgml *s)
{
    if (s->run->stop == GERSH_STOP_CONVERGED && ++s->engine->iterations >= s->run->limits.max_iter)
        s->run->stop = GERSH_STOP_MAX_ITER;
    return s->run->stop == GERSH_STOP_CONVERGED;
}

gersh_status gersh__sgml_rows(gersh__sgml *s)
{
    gersh_status status = GERSH_OK;
    int only = gersh__setting_is(s->run->settings, GERSH__ROWS_ONLY, "yes"), flips;
    double tol = only ? main_tol(s) : ROWS_TOL, before;
    do {
        before = s->value;
        flips = 0;
        for (size_t r = 0; r < s->k && status == GERSH_OK && !gersh__sgml_must_stop(s); r++) {
            int changed, flipped;
            status = gersh__sgml_row(s, r, &changed, &flipped);
            flips += flipped;
            if (status == GERSH_OK && changed)
                status = gersh__sgml_scalars(s);
            if (status == GERSH_OK)
                report(s, "rows");
        }
        gersh__sgml_refresh(s);
    } while (status == GERSH_OK && may_go_on(s) && (flips > 0 || !settled(s, before, tol)));
    return status;
}

/* Sets s->moving, the distances of the free part, and the gradient; returns the trace that the free part may hold. */
static double divide(gersh__sgml *s, int free)
{
    size_t count = gersh__pairs_count(s->pairs);
    double budget = s->engine->budget;
    if (free == GERSH__SGML_WHOLE) {
        for (size_t p = 0; p < count; p++)
            s->moving[p] = s->d[p] - s->engine->base[p];
    } else {
        memset(s->moving, 0, count * sizeof *s->moving);
        for (size_t i = 0; i < s->k; i++)
            if (s->slack[i] > 0)
                gersh__pairs_add(s->pairs, s->slack[i], gersh__pairs_column(s->pairs, i, s->scratch),
                                 s->moving);
        for (size_t e = 0; e < s->edges; e++)
            budget -= s->edge[e].size / gersh__sgml_edge_size(s, s->edge[e].i, s->edge[e].j);
    }
    gersh__sgml_evaluate(s, s->d, s->g);
    return budget;
}

/* The whole matrix with the colours fixed, or the diagonal alone, and new scalars, until the objective settles. */
static gersh_status alternate(gersh__sgml *s, int free, const char *stage)
{
    gersh__region *region = NULL;
    gersh_status status = gersh__region_new(&region, &gersh__region_gdpa, s->pairs,
                                            &(gersh__region_params){.color = s->color, .u = s->u});
    while (status == GERSH_OK && !gersh__sgml_must_stop(s)) {
        double before = s->value, budget = divide(s, free);
        status = gersh__sgml_minimize(s, free, region, budget, WHOLE_TOL);
        gersh__sgml_drop_negligible_edges(s);
        if (status == GERSH_OK)
            status = gersh__sgml_scalars(s);
        gersh__sgml_refresh(s);
        report(s, stage);
        if (!may_go_on(s) || settled(s, before, main_tol(s)))
            break;
    }
    gersh__region_free(region);
    return status;
}

gersh_status gersh__sgml_whole(gersh__sgml *s)
{
    return alternate(s, GERSH__SGML_WHOLE, "whole matrix");
}

gersh_status gersh__sgml_diagonals(gersh__sgml *s)
{
    return alternate(s, GERSH__SGML_DIAGONALS, "diagonal");
}

static gersh_status solve(gersh__solver_run *run, int positive)
{
    gersh__sgml *s;
    gersh_metric *metric = NULL;
    gersh_status status = gersh__sgml_new(&s, run, positive);
    if (status != GERSH_OK)
        return status;
    run->engine->objective->width = SGML_WIDTH;
    run->stop = GERSH_STOP_CONVERGED;
    status = gersh__sgml_start(s);
    if (status == GERSH_OK)
        status = gersh__sgml_scalars(s);
    gersh__sgml_refresh(s);
    int diagonals = gersh__setting_is(run->settings, GERSH__DIAGONALS_ONLY, "yes");
    if (status == GERSH_OK)
        status = diagonals ? gersh__sgml_diagonals(s) : gersh__sgml_rows(s);
    if (status == GERSH_OK && !diagonals && !gersh__setting_is(run->settings, GERSH__ROWS_ONLY, "yes"))
        status = gersh__sgml_whole(s);
    if (status == GERSH_OK)
        status = gersh__sgml_metric(&metric, s);
    if (status == GERSH_OK)
        status = gersh__engine_start(run->engine, metric);
    if (status == GERSH_OK)
        gersh__engine_refresh(run->engine);
    run->bound = -INFINITY;
    gersh_metric_free(metric);
    gersh__sgml_free(s);
    return status;
}

static gersh_status solve_sgml(gersh__solver_run *run)
{
    return solve(run, 0);
}

static gersh_status solve_pgml(gersh__solver_run *run)
{
    return solve(run, 1);
}

#define READS                                                                                              \
    GERSH__READS(GERSH__INIT) | GERSH__READS(GERSH__ROWS_ONLY) | GERSH__READS(GERSH__DIAGONALS_ONLY)

const gersh__solver gersh__solver_sgml = {
    .info = {.name = "sgml",
             .help = "balanced signed graphs: signed graph metric learning, row by row",
             .signs = GERSH_SIGNS_BALANCED,
             .learns = 1},
    .reads = READS,
    .region = &gersh__region_hull,
    .run = solve_sgml,
};

const gersh__solver gersh__solver_pgml = {
    .info = {.name = "pgml",
             .help = "graphs with positive edges alone, row by row",
             .signs = GERSH_SIGNS_POSITIVE,
             .learns = 1},
    .reads = READS,
    .region = &gersh__region_hull,
    .run = solve_pgml,
};
