/*
 * The paper's Algorithm 1, with the linear programs in closed form (see sgml.h and src/region/region.h).
 *
 *   1. Scalars of the first graph.
 *   2. For each row r in turn: minimise over the edges at r and all diagonal entries by Frank-Wolfe, once with r as it
 *      is coloured and once with the other colour (its edges taken off first); keep the better; new scalars. Passes
 *      over all rows until colours and objective settle.
 *   3. The whole matrix by Frank-Wolfe with the colours fixed; new scalars; until the objective settles.
 *
 * A vertex of the row problem has the whole free budget on one feature or on one edge at r. Between connected parts
 * colour and scale are free, so an edge that joins two is chosen by the 2×2 eigenvector and the other part is turned
 * and scaled to fit. A row costs O(N²K) for each Frank-Wolfe step, and the eigenvector.
 */
#include "solver/sgml.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/settings.h"
#include "linalg/kernels.h"
#include "solver/atoms.h"

#define MAIN_TOL 1e-5  /* relative change of the objective that counts as settled, from the paper */
#define INNER_TOL 1e-4 /* of one Frank-Wolfe run */
#define WIDTH 1e-3     /* smoothing of objectives with kinks */
#define DUST 1e-13     /* edges below this share of the budget go to the diagonal */
enum { MOST_INNER = 1000, MOST_NEWTON = 20, ALL_ROWS = -1 };

/* A vertex: the whole free budget on feature i (i == j), on edge (i, j), or on nothing (value 0). */
typedef struct vertex {
    size_t i, j;
    double value; /* of ⟨G, zzᵀ⟩ at trace 1 */
    double ratio; /* u_j/u_i that the edge wants, where the two are not connected; else 0 */
    int turn;     /* the part of j must change its colours for it */
} vertex;

static vertex best_feature(const gersh__sgml *s)
{
    vertex best = {0, 0, 0, 0, 0};
    for (size_t i = 0; i < s->k; i++)
        if (s->engine->slope->diagonal[i] < best.value)
            best = (vertex){i, i, s->engine->slope->diagonal[i], 0, 0};
    return best;
}

/* An edge between r and a node j of another part: the first eigenvector of [G_rr, G_rj; G_rj, G_jj]. */
static vertex free_edge(const gersh__sgml *s, size_t r, size_t j, double entry)
{
    double a = s->engine->slope->diagonal[r], c = s->engine->slope->diagonal[j];
    double half = 0.5 * (a - c), root = hypot(half, entry);
    double top = root + half, bottom = root - half; /* a − λ and c − λ */
    int turn = entry * s->color[r] * s->color[j] < 0;
    if (entry == 0 || (s->positive && turn) || !(top > 0) || !(bottom > 0))
        return (vertex){r, j, 0, 0, 0};
    return (vertex){r, j, 0.5 * (a + c) - root, sqrt(bottom / top), turn};
}

static vertex best_at_row(const gersh__sgml *s, size_t r)
{
    const gersh__slope *slope = s->engine->slope;
    vertex best = best_feature(s);
    for (size_t j = 0; j < s->k; j++) {
        if (j == r)
            continue;
        double entry = gersh__slope_entry(slope, r, j), ratio = s->u[j] / s->u[r];
        vertex edge = {r, j, 0, 0, 0};
        if (s->part[j] != s->part[r])
            edge = free_edge(s, r, j, entry);
        else
            edge.value = (slope->diagonal[r] * ratio + slope->diagonal[j] / ratio -
                          2 * s->color[r] * s->color[j] * entry) /
                         (ratio + 1 / ratio);
        if (edge.value < best.value)
            best = edge;
    }
    return best;
}

/* The part of j is turned and scaled so that it fits to r, and is one with the part of r from now on. */
static void connect(gersh__sgml *s, const vertex *v)
{
    size_t joining = s->part[v->j], into = s->part[v->i];
    double factor = v->ratio * s->u[v->i] / s->u[v->j];
    for (size_t f = 0; f < s->k; f++) {
        if (s->part[f] == joining) {
            s->u[f] *= factor;
            s->color[f] = v->turn ? -s->color[f] : s->color[f];
            s->part[f] = into;
        }
    }
}

/* |M_ij| of an edge that holds the trace 1 */
static double edge_size(const gersh__sgml *s, size_t i, size_t j)
{
    double ratio = s->u[j] / s->u[i];
    return 1 / (ratio + 1 / ratio);
}

static double evaluate(gersh__sgml *s, const double *d, double *g)
{
    double begin = gersh__clock_seconds();
    double value = s->engine->objective->kind->evaluate(s->engine->objective, d, g);
    s->engine->seconds_objective += gersh__clock_seconds() - begin;
    return value;
}

/* φ''(γ) at the distances of the last evaluation, in the direction s->vertex. */
static double second_derivative(gersh__sgml *s, const double *d)
{
    s->engine->objective->kind->curvature(s->engine->objective, d, s->vertex, s->product);
    return gersh__kernels_here()->dot(s->pairs->count, s->vertex, s->product);
}

/*
 * The step γ in [0, 1] along s->vertex from s->d by Newton-Raphson on φ', bisection where that leaves the bracket;
 * φ'(0) = −gap. next_d and next_g belong to it. Returns 0 when the objective does not fall.
 */
static double step_size(gersh__sgml *s, double gap, double *value)
{
    size_t count = s->pairs->count;
    double low = 0, high = 1, gamma = 1, taken = 1, curved = second_derivative(s, s->d);
    for (int tries = 0; tries < MOST_NEWTON; tries++) {
        for (size_t p = 0; p < count; p++)
            s->next_d[p] = s->d[p] + gamma * s->vertex[p];
        taken = gamma;
        *value = evaluate(s, s->next_d, s->next_g);
        double slope = gersh__kernels_here()->dot(count, s->next_g, s->vertex);
        if (*value <= s->value && (fabs(slope) <= 0.05 * gap || (gamma == 1 && slope <= 0)))
            return gamma;
        if (slope > 0 || !(*value <= s->value))
            high = gamma;
        else
            low = gamma;
        double next = tries == 0 ? gap / curved : gamma - slope / second_derivative(s, s->next_d);
        double cut = low > 0 ? 0.5 * (low + high) : 0.1 * high;
        gamma = next > low && next < high ? next : cut;
    }
    return *value < s->value ? taken : 0;
}

/* All free weights shrink by 1 − γ, and γ of the budget goes to the vertex. */
static gersh_status move_weights(gersh__sgml *s, int row, const vertex *v, double gamma, double budget)
{
    size_t e = 0;
    for (size_t i = 0; i < s->k; i++) {
        s->slack[i] *= 1 - gamma;
        s->row[i] *= row != ALL_ROWS ? 1 - gamma : 1;
    }
    for (size_t c = 0; c < s->edges && row == ALL_ROWS; c++)
        s->edge[c].size *= 1 - gamma;
    if (v->value >= 0)
        return GERSH_OK;
    if (v->i == v->j) {
        s->slack[v->i] += gamma * budget;
        return GERSH_OK;
    }
    double size = gamma * budget * edge_size(s, v->i, v->j);
    if (row != ALL_ROWS) {
        s->row[v->j] += size;
        return GERSH_OK;
    }
    while (e < s->edges && !((s->edge[e].i == v->i && s->edge[e].j == v->j) ||
                             (s->edge[e].i == v->j && s->edge[e].j == v->i)))
        e++;
    if (e == s->edges) {
        if (gersh__grow(&s->edge, &s->capacity, e + 1, sizeof *s->edge) != 0)
            return GERSH_ERROR_MEMORY;
        s->edge[s->edges++] = (gersh__sgml_edge){v->i, v->j, 0};
    }
    s->edge[e].size += size;
    return GERSH_OK;
}

/* The vertex for the gradient in s->g. */
static gersh_status find_vertex(gersh__sgml *s, int row, gersh__region *region, vertex *v)
{
    double begin = gersh__clock_seconds(), least;
    gersh_status status = GERSH_OK;
    gersh__slope_update(s->engine->slope, s->g);
    double middle = gersh__clock_seconds();
    s->engine->seconds_gradient += middle - begin;
    if (row != ALL_ROWS) {
        *v = best_at_row(s, (size_t)row);
    } else {
        gersh__candidate best;
        size_t found;
        status = gersh__region_minimize(region, s->engine->slope, 1, &best, &found, &least);
        *v = (vertex){best.atom.i, best.atom.j, fmin(best.value, 0), 0, 0};
    }
    s->engine->seconds_minimizer += gersh__clock_seconds() - middle;
    return status;
}

static int must_stop(gersh__sgml *s)
{
    const gersh__limits *limits = &s->run->limits;
    if (gersh_cancel_requested(limits->cancel))
        s->run->stop = GERSH_STOP_INTERRUPTED;
    else if (gersh__clock_seconds() - limits->start >= limits->max_seconds)
        s->run->stop = GERSH_STOP_MAX_TIME;
    return s->run->stop != GERSH_STOP_CONVERGED;
}

/*
 * Frank-Wolfe over the free part: moving holds its distances, d all of them, g the gradient there. row: the row, or
 * ALL_ROWS, where the region finds the vertices.
 */
static gersh_status frank_wolfe(gersh__sgml *s, int row, gersh__region *region, double budget)
{
    const gersh__kernels *kernel = gersh__kernels_here();
    size_t count = s->pairs->count;
    for (int iteration = 0; iteration < MOST_INNER && !must_stop(s); iteration++) {
        vertex v;
        gersh_status status = find_vertex(s, row, region, &v);
        if (status != GERSH_OK)
            return status;
        double gap = kernel->dot(count, s->g, s->moving) - budget * v.value, value;
        if (!(gap > INNER_TOL * fmax(fabs(s->value), s->engine->floor)))
            break;
        if (v.ratio > 0)
            connect(s, &v);
        memset(s->vertex, 0, count * sizeof *s->vertex);
        if (v.value < 0 && v.i == v.j)
            gersh__pairs_add(s->pairs, budget, s->pairs->x + v.i * s->pairs->n, s->vertex);
        else if (v.value < 0)
            gersh__sgml_add_edge(s, s->u, s->color, v.i, v.j, budget * edge_size(s, v.i, v.j), s->vertex);
        kernel->axpy(count, -1, s->moving, s->vertex);
        double begin = gersh__clock_seconds(), inside = s->engine->seconds_objective;
        double gamma = step_size(s, gap, &value);
        s->engine->seconds_step += gersh__clock_seconds() - begin - (s->engine->seconds_objective - inside);
        if (gamma == 0) {
            evaluate(s, s->d, s->g);
            break;
        }
        status = move_weights(s, row, &v, gamma, budget);
        if (status != GERSH_OK)
            return status;
        kernel->axpy(count, gamma, s->vertex, s->moving);
        memcpy(s->d, s->next_d, count * sizeof *s->d);
        memcpy(s->g, s->next_g, count * sizeof *s->g);
        s->engine->newton_steps++;
        s->value = value;
    }
    return GERSH_OK;
}

static double main_tol(const gersh__sgml *s)
{
    return gersh__setting_given(s->run->settings, GERSH__TOL) ? s->run->limits.tol : MAIN_TOL;
}

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
            held += edge.size / edge_size(s, edge.i, edge.j);
            s->edge[kept++] = edge;
        }
    }
    s->edges = kept;
    return held;
}

/* Edges that are next to nothing go to the diagonal. */
static void sweep_dust(gersh__sgml *s)
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
    sweep_dust(s);
    return GERSH_OK;
}

/* The free distances: of the slacks, and of the edges at r. */
static void free_distances(const gersh__sgml *s, size_t r, double *moving)
{
    memset(moving, 0, s->pairs->count * sizeof *moving);
    for (size_t i = 0; i < s->k; i++) {
        if (s->slack[i] > 0)
            gersh__pairs_add(s->pairs, s->slack[i], s->pairs->x + i * s->pairs->n, moving);
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
    for (size_t p = 0; p < s->pairs->count; p++)
        s->d[p] = s->fixed[p] + s->moving[p];
    s->value = evaluate(s, s->d, s->g);
}

static int stands_alone(const gersh__sgml *s, size_t r)
{
    for (size_t j = 0; j < s->k; j++)
        if (j != r && s->part[j] == s->part[r])
            return 0;
    return 1;
}

/* Lines 4-9 of the algorithm for row r. */
static gersh_status solve_row(gersh__sgml *s, size_t r, int *flipped)
{
    double budget = s->engine->budget - take_row(s, r);
    int twice = !s->positive && !stands_alone(s, r);
    *flipped = 0;
    free_distances(s, r, s->moving);
    for (size_t p = 0; p < s->pairs->count; p++)
        s->fixed[p] = s->d[p] - s->moving[p];
    keep_flipped(s, r);
    combine(s);
    gersh_status status = frank_wolfe(s, (int)r, NULL, budget);
    double first = s->value;
    if (status == GERSH_OK && twice && s->run->stop == GERSH_STOP_CONVERGED) {
        exchange(s);
        free_distances(s, r, s->moving);
        combine(s);
        status = frank_wolfe(s, (int)r, NULL, budget);
        *flipped = first - s->value > main_tol(s) * fmax(fabs(first), s->engine->floor);
        if (!*flipped) {
            exchange(s);
            combine(s);
        }
    }
    return status == GERSH_OK ? put_row(s, r) : status;
}

static void report(gersh__sgml *s, const char *stage)
{
    const gersh__limits *limits = &s->run->limits;
    if (s->observe != NULL)
        s->observe(s->observe_context, s);
    if (limits->progress == NULL)
        return;
    double sign = s->engine->objective->kind->maximized ? -1 : 1;
    gersh_progress progress = {stage,
                               s->engine->iterations,
                               sign * s->value,
                               sign * -INFINITY,
                               INFINITY,
                               s->edges,
                               gersh__clock_seconds() - limits->start};
    limits->progress(limits->progress_context, &progress);
}

static int settled(const gersh__sgml *s, double before)
{
    return before - s->value <= main_tol(s) * fmax(fabs(s->value), s->engine->floor);
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
    double before;
    int flips;
    do {
        before = s->value;
        flips = 0;
        for (size_t r = 0; r < s->k && status == GERSH_OK && !must_stop(s); r++) {
            int flipped;
            status = solve_row(s, r, &flipped);
            flips += flipped;
            if (status == GERSH_OK)
                status = gersh__sgml_scalars(s);
            if (status == GERSH_OK)
                report(s, "rows");
        }
        gersh__sgml_refresh(s);
    } while (status == GERSH_OK && may_go_on(s) && (flips > 0 || !settled(s, before)));
    return status;
}

gersh_status gersh__sgml_whole(gersh__sgml *s)
{
    gersh__region *region = NULL;
    gersh_status status = gersh__region_new(&region, GERSH__GDPA, s->pairs, s->run->rules);
    double before = INFINITY;
    while (status == GERSH_OK && !must_stop(s)) {
        before = s->value;
        region->color = s->color;
        region->u = s->u;
        for (size_t p = 0; p < s->pairs->count; p++)
            s->moving[p] = s->d[p] - s->engine->base[p];
        evaluate(s, s->d, s->g);
        status = frank_wolfe(s, ALL_ROWS, region, s->engine->budget);
        sweep_dust(s);
        if (status == GERSH_OK)
            status = gersh__sgml_scalars(s);
        gersh__sgml_refresh(s);
        report(s, "whole matrix");
        if (!may_go_on(s) || settled(s, before))
            break;
    }
    gersh__region_free(region);
    return status;
}

static gersh_status solve(gersh__solver_run *run, int positive)
{
    gersh__sgml *s;
    gersh_metric *metric = NULL;
    gersh_status status = gersh__sgml_new(&s, run, positive);
    if (status != GERSH_OK)
        return status;
    run->engine->objective->width = WIDTH;
    run->stop = GERSH_STOP_CONVERGED;
    status = gersh__sgml_start(s);
    if (status == GERSH_OK)
        status = gersh__sgml_scalars(s);
    gersh__sgml_refresh(s);
    if (status == GERSH_OK)
        status = gersh__sgml_rows(s);
    if (status == GERSH_OK && !gersh__setting_is(run->settings, GERSH__ROWS_ONLY, "yes"))
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

const gersh__solver gersh__solver_sgml = {"sgml", 0, solve_sgml};
const gersh__solver gersh__solver_pgml = {"pgml", 0, solve_pgml};
