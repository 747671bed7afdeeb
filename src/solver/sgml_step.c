/*
 * Frank-Wolfe of sgml and pgml over the free part of M: all diagonal entries with one row's edges, with all edges or
 * with none, under fixed scalars. In trace, the free part is a simplex (see sgml.h): a vertex has the whole free
 * budget on one feature, on one edge or on nothing, and the best for a linear objective ⟨G, M⟩ is the least of
 *
 *     0  |  feature i: G_ii  |  edge ij: [G_ii u_j/u_i + G_jj u_i/u_j − 2 σ_iσ_j G_ij] / (u_i/u_j + u_j/u_i) .
 *
 * A step takes trace from the worst vertices in use and gives it to the best one, as pairwise Frank-Wolfe does: it
 * converges linearly, where steps from all vertices towards the best one slow down as 1/t. Newton-Raphson finds how
 * much.
 *
 * Between connected parts colour and scale are free, so an edge that joins two is chosen by the 2×2 eigenvector and
 * the other part is turned and scaled to fit.
 */
#include "solver/sgml_step.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "linalg/kernels.h"

#define UNUSED 1e-12 /* share of the budget below which none is left over */
enum { SGML_STEPS = 1000, MOST_NEWTON = 20 };

enum { NOTHING, FEATURE, EDGE }; /* places of a vertex */

double gersh__sgml_evaluate(gersh__sgml *s, const double *d, double *g)
{
    double begin = gersh__clock_seconds();
    double value = s->engine->objective->kind->evaluate(s->engine->objective, d, g);
    s->engine->seconds_objective += gersh__clock_seconds() - begin;
    return value;
}

double gersh__sgml_edge_size(const gersh__sgml *s, size_t i, size_t j)
{
    double ratio = s->u[j] / s->u[i];
    return 1 / (ratio + 1 / ratio);
}

int gersh__sgml_must_stop(gersh__sgml *s)
{
    const gersh__limits *limits = &s->run->limits;
    if (gersh_cancel_requested(limits->cancel))
        s->run->stop = GERSH_STOP_INTERRUPTED;
    else if (gersh__clock_seconds() - limits->start >= limits->max_seconds)
        s->run->stop = GERSH_STOP_MAX_TIME;
    return s->run->stop != GERSH_STOP_CONVERGED;
}

/* G_ij of the last gradient. */
static double entry_at(const gersh__sgml *s, size_t i, size_t j)
{
    return gersh__gradient_entry(s->engine->gradient, i, j);
}

static double edge_value(const gersh__sgml *s, size_t i, size_t j, double entry)
{
    double ratio = s->u[j] / s->u[i];
    return (entry_at(s, i, i) * ratio + entry_at(s, j, j) / ratio - 2 * s->color[i] * s->color[j] * entry) /
           (ratio + 1 / ratio);
}

static gersh__sgml_vertex used_edge(const gersh__sgml *s, size_t i, size_t j, double size, size_t edge)
{
    return (gersh__sgml_vertex){.place = EDGE,
                                .i = i,
                                .j = j,
                                .value = edge_value(s, i, j, entry_at(s, i, j)),
                                .held = size / gersh__sgml_edge_size(s, i, j),
                                .edge = edge};
}

/* An edge between r and a node j of another part: the first eigenvector of [G_rr, G_rj; G_rj, G_jj]. */
static gersh__sgml_vertex free_edge(const gersh__sgml *s, size_t r, size_t j, double entry)
{
    double a = entry_at(s, r, r), c = entry_at(s, j, j);
    double half = 0.5 * (a - c), root = hypot(half, entry);
    double top = root + half, bottom = root - half; /* a − λ and c − λ */
    int turn = entry * s->color[r] * s->color[j] < 0;
    if (entry == 0 || (s->positive && turn) || !(top > 0) || !(bottom > 0))
        return (gersh__sgml_vertex){.place = NOTHING};
    return (gersh__sgml_vertex){EDGE, r, j, 0.5 * (a + c) - root, 0, 0, sqrt(bottom / top), turn};
}

static gersh__sgml_vertex best_feature(const gersh__sgml *s)
{
    gersh__sgml_vertex best = {.place = NOTHING};
    for (size_t i = 0; i < s->k; i++)
        if (entry_at(s, i, i) < best.value)
            best = (gersh__sgml_vertex){.place = FEATURE, .i = i, .j = i, .value = entry_at(s, i, i)};
    return best;
}

static gersh__sgml_vertex best_at_row(const gersh__sgml *s, size_t r)
{
    gersh__sgml_vertex best = best_feature(s);
    for (size_t j = 0; j < s->k; j++) {
        if (j == r)
            continue;
        double entry = entry_at(s, r, j);
        gersh__sgml_vertex edge;
        if (s->part[j] != s->part[r])
            edge = free_edge(s, r, j, entry);
        else
            edge = (gersh__sgml_vertex){.place = EDGE, .i = r, .j = j, .value = edge_value(s, r, j, entry)};
        if (edge.value < best.value)
            best = edge;
    }
    return best;
}

static gersh_status best_of_all(gersh__sgml *s, gersh__region *region, gersh__sgml_vertex *out)
{
    gersh__lmo_answer answer;
    gersh_status status = gersh__region_minimize(
        region, s->engine->gradient, &(gersh__lmo_request){.threshold = -INFINITY, .want = 1}, &answer);
    gersh__candidate best = answer.candidate[0];
    *out = (gersh__sgml_vertex){.place = NOTHING};
    if (status == GERSH_OK && best.value < 0)
        *out = (gersh__sgml_vertex){.place = best.atom.i == best.atom.j ? FEATURE : EDGE,
                                    .i = best.atom.i,
                                    .j = best.atom.j,
                                    .value = best.value};
    return status;
}

static gersh_status add_used(gersh__sgml *s, gersh__sgml_vertex v)
{
    if (gersh__grow(&s->used, &s->used_capacity, s->used_count + 1, sizeof *s->used) != 0)
        return GERSH_ERROR_MEMORY;
    s->used[s->used_count++] = v;
    return GERSH_OK;
}

/* Lists the vertices that hold trace in s->used. */
static gersh_status find_used(gersh__sgml *s, int row, double budget)
{
    gersh_status status = GERSH_OK;
    double held = 0;
    s->used_count = 0;
    for (size_t i = 0; i < s->k && status == GERSH_OK; i++) {
        if (s->slack[i] > 0)
            status = add_used(
                s, (gersh__sgml_vertex){
                       .place = FEATURE, .i = i, .j = i, .value = entry_at(s, i, i), .held = s->slack[i]});
        if (row >= 0 && s->row[i] > 0 && status == GERSH_OK)
            status = add_used(s, used_edge(s, (size_t)row, i, s->row[i], 0));
    }
    for (size_t e = 0; e < s->edges && row == GERSH__SGML_WHOLE && status == GERSH_OK; e++)
        status = add_used(s, used_edge(s, s->edge[e].i, s->edge[e].j, s->edge[e].size, e));
    for (size_t a = 0; a < s->used_count; a++)
        held += s->used[a].held;
    if (status == GERSH_OK && budget - held > UNUSED * budget)
        status = add_used(s, (gersh__sgml_vertex){.place = NOTHING, .held = budget - held});
    return status;
}

/* Keeps of s->used what is nearer to the worst of them than to the best vertex; returns what they hold. */
static double keep_bad(gersh__sgml *s, double best)
{
    double worst = -INFINITY, held = 0;
    size_t kept = 0;
    for (size_t a = 0; a < s->used_count; a++)
        worst = fmax(worst, s->used[a].value);
    for (size_t a = 0; a < s->used_count; a++) {
        if (s->used[a].value >= 0.5 * (best + worst)) {
            held += s->used[a].held;
            s->used[kept++] = s->used[a];
        }
    }
    s->used_count = kept;
    return held;
}

/* The best vertex for the gradient in s->g, and those in use. */
static gersh_status find_vertices(gersh__sgml *s, int row, gersh__region *region, double budget,
                                  gersh__sgml_vertex *best)
{
    double begin = gersh__clock_seconds();
    gersh_status status = GERSH_OK;
    gersh__gradient_update(s->engine->gradient, s->g);
    gersh__gradient_diagonal(s->engine->gradient);
    double middle = gersh__clock_seconds();
    s->engine->seconds_gradient += middle - begin;
    if (row >= 0)
        *best = best_at_row(s, (size_t)row);
    else if (row == GERSH__SGML_DIAGONALS)
        *best = best_feature(s);
    else
        status = best_of_all(s, region, best);
    if (status == GERSH_OK)
        status = find_used(s, row, budget);
    s->engine->seconds_minimizer += gersh__clock_seconds() - middle;
    return status;
}

/* The part of j is turned and scaled so that it fits to i, and is one with the part of i from now on. */
static void connect(gersh__sgml *s, const gersh__sgml_vertex *v)
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

/* d += distances of the vertex with `trace` on it. */
static void add_distances(gersh__sgml *s, const gersh__sgml_vertex *v, double trace, double *d)
{
    if (v->place == FEATURE)
        gersh__pairs_add(s->pairs, trace, gersh__pairs_column(s->pairs, v->i, s->scratch), d);
    else if (v->place == EDGE)
        gersh__sgml_add_edge(s, s->u, s->color, v->i, v->j, trace * gersh__sgml_edge_size(s, v->i, v->j),
                             d);
}

/* φ''(γ) at the distances of the last evaluation, in the direction s->vertex. */
static double second_derivative(gersh__sgml *s, const double *d)
{
    s->engine->objective->kind->curvature(s->engine->objective, d, s->vertex, s->product);
    return gersh__kernels_here()->dot(gersh__pairs_count(s->pairs), s->vertex, s->product);
}

/*
 * The step γ in [0, 1] along s->vertex from s->d by Newton-Raphson on φ', bisection where that leaves the bracket;
 * φ'(0) = −fall. next_d and next_g belong to it. Returns 0 when the objective does not fall.
 */
static double step_size(gersh__sgml *s, double fall, double *value)
{
    size_t count = gersh__pairs_count(s->pairs);
    double low = 0, high = 1, first = fall / second_derivative(s, s->d);
    double gamma = first > 0 && first < 1 ? first : 1, taken = gamma;
    for (int tries = 0; tries < MOST_NEWTON; tries++) {
        for (size_t p = 0; p < count; p++)
            s->next_d[p] = s->d[p] + gamma * s->vertex[p];
        taken = gamma;
        *value = gersh__sgml_evaluate(s, s->next_d, s->next_g);
        double derivative = gersh__kernels_here()->dot(count, s->next_g, s->vertex);
        if (*value <= s->value && (fabs(derivative) <= 0.05 * fall || (gamma == 1 && derivative <= 0)))
            return gamma;
        if (derivative > 0 || !(*value <= s->value))
            high = gamma;
        else
            low = gamma;
        double next = gamma - derivative / second_derivative(s, s->next_d);
        double cut = low > 0 ? 0.5 * (low + high) : 0.1 * high;
        if (low == gamma && next >= 1 && high == 1)
            gamma = 1;
        else
            gamma = next > low && next < high ? next : cut;
    }
    return *value < s->value ? taken : 0;
}

/* Takes γ of the trace that the vertices in s->used hold from them. */
static void take_trace(gersh__sgml *s, int row, double gamma)
{
    double rest = gamma < 1 ? 1 - gamma : 0;
    size_t kept = 0;
    for (size_t a = 0; a < s->used_count; a++) {
        const gersh__sgml_vertex *v = &s->used[a];
        if (v->place == FEATURE)
            s->slack[v->i] *= rest;
        else if (v->place == EDGE && row >= 0)
            s->row[v->j] *= rest;
        else if (v->place == EDGE)
            s->edge[v->edge].size *= rest;
    }
    for (size_t e = 0; e < s->edges; e++)
        if (s->edge[e].size > 0)
            s->edge[kept++] = s->edge[e];
    s->edges = kept;
}

static gersh_status give_trace(gersh__sgml *s, int row, const gersh__sgml_vertex *v, double trace)
{
    if (v->place == NOTHING)
        return GERSH_OK;
    if (v->place == FEATURE) {
        s->slack[v->i] += trace;
        return GERSH_OK;
    }
    double size = trace * gersh__sgml_edge_size(s, v->i, v->j);
    if (row >= 0) {
        s->row[v->j] += size;
        return GERSH_OK;
    }
    size_t e = 0;
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

gersh_status gersh__sgml_minimize(gersh__sgml *s, int row, gersh__region *region, double budget, double tol)
{
    const gersh__kernels *kernel = gersh__kernels_here();
    size_t count = gersh__pairs_count(s->pairs);
    for (int step = 0; step < SGML_STEPS && !gersh__sgml_must_stop(s); step++) {
        gersh__sgml_vertex best;
        gersh_status status = find_vertices(s, row, region, budget, &best);
        if (status != GERSH_OK)
            return status;
        double gap = kernel->dot(count, s->g, s->moving) - budget * best.value, fall = 0, value;
        if (!(gap > tol * fmax(fabs(s->value), s->engine->floor)))
            break;
        double moved = keep_bad(s, best.value);
        for (size_t a = 0; a < s->used_count; a++)
            fall += s->used[a].held * (s->used[a].value - best.value);
        if (best.ratio > 0)
            connect(s, &best);
        memset(s->vertex, 0, count * sizeof *s->vertex);
        add_distances(s, &best, moved, s->vertex);
        for (size_t a = 0; a < s->used_count; a++)
            add_distances(s, &s->used[a], -s->used[a].held, s->vertex);
        double begin = gersh__clock_seconds(), inside = s->engine->seconds_objective;
        double gamma = fall > 0 ? step_size(s, fall, &value) : 0;
        s->engine->seconds_step += gersh__clock_seconds() - begin - (s->engine->seconds_objective - inside);
        if (gamma == 0) {
            gersh__sgml_evaluate(s, s->d, s->g);
            break;
        }
        take_trace(s, row, gamma);
        status = give_trace(s, row, &best, gamma * moved);
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
