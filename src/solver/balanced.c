/*
 * The default solver: a balanced graph metric with a certificate.
 *
 *   1. Solve over the hull. Its bound holds for every balanced graph metric.
 *   2. If that solution is balanced it is the answer.
 *   3. Otherwise colour the nodes along the maximum spanning tree of |M_ij|, and solve over the metrics of
 *      these colours from there: convex, to the optimum.
 *   4. If that is not within the tolerance of the bound: try the paper's colours as well. These are those along the
 *      spanning tree of the correlations and all nodes alike, and on small problems what sgml and pgml end with, so
 *      that no answer of theirs is better.
 *   5. While its value and that of the hull's solution are apart: flip the colour of one end (or of one connected
 *      component) of the pairs that the hull would use most, and keep what pays. A try ends as soon as its own bound
 *      shows that it cannot pay, and all of them take about twice the full passes of steps 1 to 3. They begin where there
 *      is twice the tolerance to gain. With many pairs of samples, where tries take long and seldom pay, that is at least
 *      half a percent more than the tolerance, and they take as many full passes as steps 1 to 3.
 *
 * The searches over the hull and over the metrics of given colours each end within the tolerance. Where their values are
 * closer than that, but the value and the bound are not, both go on to half of it, so that these are as well.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/policy.h"
#include "solver/atoms.h"
#include "solver/correlations.h"
#include "solver/solver.h"

typedef struct edge {
    double size;
    size_t i, j;
    int sign; /* of σ_iσ_j that the edge asks for */
} edge;

static int by_size(const void *a, const void *b)
{
    const edge *x = a, *y = b;
    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    if (x->i != y->i)
        return x->i < y->i ? -1 : 1;
    return x->j < y->j ? -1 : x->j > y->j;
}

/* A forest over the features: each knows the one above it, and its colour relative to that. */
typedef struct forest {
    size_t *up;
    double *relative;
} forest;

static size_t root_of(const forest *f, size_t i, double *color)
{
    *color = 1;
    for (; f->up[i] != i; i = f->up[i])
        *color *= f->relative[i];
    return i;
}

/* Kruskal. */
gersh_status gersh__color_nodes(const gersh__engine *e, double *color, size_t *part, int *balanced)
{
    size_t k = gersh__pairs_features(e->pairs), count = 0;
    edge *list = gersh__alloc(e->atoms, sizeof *list);
    forest f = {gersh__alloc(k, sizeof *f.up), gersh__alloc(k, sizeof *f.relative)};
    gersh_status status = list && f.up && f.relative ? GERSH_OK : GERSH_ERROR_MEMORY;
    if (status != GERSH_OK)
        goto out;
    for (size_t a = 0; a < e->atoms; a++) {
        gersh_atom z = e->atom[a];
        if (z.i != z.j && z.a * z.b != 0)
            list[count++] = (edge){e->theta[a] * fabs(z.a * z.b), z.i, z.j, z.a * z.b < 0 ? 1 : -1};
    }
    qsort(list, count, sizeof *list, by_size);
    for (size_t i = 0; i < k; i++) {
        f.up[i] = i;
        f.relative[i] = 1;
    }
    *balanced = 1;
    for (size_t c = 0; c < count; c++) {
        double a, b;
        size_t x = root_of(&f, list[c].i, &a), y = root_of(&f, list[c].j, &b);
        if (x != y) {
            f.up[x] = y;
            f.relative[x] = a * b * list[c].sign;
        } else if (a * b != list[c].sign) {
            *balanced = 0;
        }
    }
    for (size_t i = 0; i < k; i++)
        part[i] = root_of(&f, i, &color[i]);
out:
    gersh__free(list);
    gersh__free(f.up);
    gersh__free(f.relative);
    return status;
}

/* What a try may have to be taken back to. */
typedef struct search {
    gersh__solver_run *run;
    gersh__region *hull;
    double *color, *tried;
    size_t *part;
    gersh_metric *best;
    double value, own_gap;  /* of best: the value, and how far above the bound of its colours it is */
    double bound, least;    /* of the hull: its bound, and the value of its solution */
    gersh__witness witness; /* of its bound */
    gersh_metric *solution;
    int last_pass; /* flips begin no later, */
    double near;   /* nor where the value is that of the hull's solution, to this share */
} search;

/* The connected components of the engine's graph; `tried` is overwritten. */
static gersh_status find_components(search *s)
{
    int balanced;
    return gersh__color_nodes(s->run->engine, s->tried, s->part, &balanced);
}

/* The engine's metric is the best so far. */
static gersh_status keep(search *s, const double *color)
{
    gersh__engine *e = s->run->engine;
    gersh_metric_free(s->best);
    s->best = NULL;
    s->value = gersh__engine_value(e);
    s->own_gap = s->value - e->bound;
    if (color != s->color)
        memcpy(s->color, color, gersh__pairs_features(e->pairs) * sizeof *s->color);
    gersh_status status = find_components(s);
    return status == GERSH_OK ? gersh__engine_metric(&s->best, e) : status;
}

/* Solves with the colours of `tried`; keeps them when that pays, and else goes back. */
static gersh_status try_colors(search *s, int *kept)
{
    gersh__engine *e = s->run->engine;
    s->run->limits.cutoff = s->value;
    gersh_status status = gersh__solve_region(s->run, &gersh__region_balanced, s->tried);
    if (status != GERSH_OK)
        return status;
    *kept = gersh__engine_value(e) < s->value - 0.1 * s->run->limits.tol * fmax(fabs(s->value), e->floor);
    if (*kept)
        return keep(s, s->tried);
    status = gersh__engine_start(e, s->best);
    gersh__engine_refresh(e);
    return status;
}

static int may_try(const search *s)
{
    return s->run->stop == GERSH_STOP_CONVERGED && s->value > s->run->limits.enough;
}

/* From where the paper's algorithm ends. */
static gersh_status try_baseline(search *s, const gersh__solver *solver)
{
    gersh__solver_run *run = s->run;
    gersh_progress_callback progress = run->limits.progress;
    gersh_metric *nothing = NULL;
    int kept;
    gersh_status status =
        gersh_metric_new(&nothing, gersh__pairs_features(run->pairs), run->engine->rho, 0, 0);
    if (status == GERSH_OK)
        status = gersh__engine_start(run->engine, nothing);
    run->limits.progress = NULL; /* its values begin far above the best so far */
    if (status == GERSH_OK)
        status = solver->run(run);
    run->limits.progress = progress;
    if (status == GERSH_OK)
        status = find_components(s);
    if (status == GERSH_OK)
        status = try_colors(s, &kept);
    gersh_metric_free(nothing);
    return status;
}

/* Step 4. */
static gersh_status try_paper(search *s)
{
    const gersh__pairs *pairs = s->run->pairs;
    double k = (double)gersh__pairs_features(pairs);
    int kept;
    gersh_status status = GERSH_OK;
    if (may_try(s) && gersh__pairs_features(pairs) <= GERSH__TREE_FEATURES) {
        status = gersh__correlation_colors(s->tried, pairs);
        if (status == GERSH_OK)
            status = try_colors(s, &kept);
    }
    if (status == GERSH_OK && may_try(s)) {
        for (size_t f = 0; f < gersh__pairs_features(pairs); f++)
            s->tried[f] = 1;
        status = try_colors(s, &kept);
    }
    int small = s->run->rules == NULL && gersh__pairs_count(pairs) <= GERSH__SMALL_PAIRS &&
                (double)gersh__pairs_count(pairs) * k * k <= GERSH__SMALL_PROBLEM;
    if (status == GERSH_OK && may_try(s) && small)
        status = try_baseline(s, &gersh__solver_sgml);
    if (status == GERSH_OK && may_try(s) && small)
        status = try_baseline(s, &gersh__solver_pgml);
    return status == GERSH_OK ? find_components(s) : status;
}

static int may_flip(const search *s)
{
    return may_try(s) && s->run->engine->full_passes < s->last_pass;
}

/* Flips the features of one connected component, or one feature alone. */
static gersh_status try_flip(search *s, size_t feature, int whole_part, int *kept)
{
    for (size_t f = 0; f < gersh__pairs_features(s->run->pairs); f++) {
        int flip = whole_part ? s->part[f] == s->part[feature] : f == feature;
        s->tried[f] = flip ? -s->color[f] : s->color[f];
    }
    return try_colors(s, kept);
}

/* The pairs that the hull would use most against the colours: flips that would allow them. */
static gersh_status try_pairs(search *s, int *kept)
{
    gersh__engine *e = s->run->engine;
    gersh__lmo_answer answer;
    gersh__engine_gradient(e);
    gersh_status status = gersh__region_minimize(
        s->hull, e->gradient, &(gersh__lmo_request){.threshold = -INFINITY, .want = GERSH__FLIPPED_PAIRS},
        &answer);
    for (size_t c = 0; c < answer.found && status == GERSH_OK && !*kept && may_flip(s); c++) {
        gersh_atom z = answer.candidate[c].atom;
        if (z.i == z.j || z.a * z.b * s->color[z.i] * s->color[z.j] <= 0)
            continue;
        int apart = s->part[z.i] != s->part[z.j];
        status = try_flip(s, z.i, apart, kept);
        if (status == GERSH_OK && !*kept && !apart)
            status = try_flip(s, z.j, 0, kept);
    }
    return status;
}

/* Step 5. */
static gersh_status local_search(search *s)
{
    gersh_status status = GERSH_OK;
    for (int flips = 0; flips < GERSH__MOST_FLIPS && status == GERSH_OK; flips++) {
        int kept = 0;
        if (!may_flip(s) || gersh__engine_close(s->run->engine, s->least, s->near))
            return GERSH_OK;
        status = try_pairs(s, &kept);
        if (!kept)
            return status;
    }
    return status;
}

/* Over the hull, from where the engine is. */
static gersh_status solve_hull(search *s)
{
    gersh__solver_run *run = s->run;
    gersh_status status = gersh__solve_region(run, &gersh__region_hull, NULL);
    if (run->bound > s->bound) {
        s->bound = run->bound;
        gersh__witness_move(&s->witness, &run->witness);
    }
    s->least = gersh__engine_value(run->engine);
    gersh_metric_free(s->solution);
    s->solution = NULL;
    return status == GERSH_OK ? gersh__engine_metric(&s->solution, run->engine) : status;
}

/* The value that is within the tolerance of the hull's bound. */
static double certified_value(const search *s, double tol)
{
    return s->bound + tol * fmax((1 - tol) * fabs(s->bound), s->run->engine->floor);
}

/* Both searches go on to half of the tolerance, where that may be what the certificate lacks. */
static gersh_status tighten(search *s, double tol)
{
    gersh__solver_run *run = s->run;
    int kept;
    if (!may_try(s) || !gersh__engine_close(run->engine, s->least, tol))
        return GERSH_OK;
    run->limits.tol = tol / 2;
    run->limits.cutoff = INFINITY;
    run->limits.enough = -INFINITY;
    gersh_status status = gersh__engine_start(run->engine, s->solution);
    if (status == GERSH_OK)
        status = solve_hull(s);
    if (status == GERSH_OK)
        status = gersh__engine_start(run->engine, s->best);
    gersh__engine_refresh(run->engine);
    run->limits.enough = certified_value(s, tol);
    memcpy(s->tried, s->color, gersh__pairs_features(run->pairs) * sizeof *s->tried);
    if (status == GERSH_OK && may_try(s))
        status = try_colors(s, &kept);
    run->limits.tol = tol;
    return status;
}

/* Steps 3 to 5. */
static gersh_status search_colors(search *s)
{
    gersh__solver_run *run = s->run;
    double tol = run->limits.tol;
    run->limits.enough = certified_value(s, tol);
    gersh_status status = gersh__solve_region(run, &gersh__region_balanced, s->color);
    if (status == GERSH_OK)
        status = keep(s, s->color);
    if (status == GERSH_OK)
        status = tighten(s, tol);
    if (status == GERSH_OK)
        status = gersh__region_new(&s->hull, &gersh__region_hull, run->pairs,
                                   &(gersh__region_params){.rules = run->rules});
    int many = gersh__pairs_count(run->pairs) > GERSH__MANY_SAMPLE_PAIRS, tries = run->limits.tries;
    int passes = run->engine->full_passes;
    s->near = tol + fmax(tol, many ? GERSH__MUCH_TO_GAIN : 0);
    if (status == GERSH_OK && tries > 0)
        status = try_paper(s);
    s->last_pass = run->engine->full_passes + (many && tries > 1 ? 1 : tries) * passes;
    return status == GERSH_OK ? local_search(s) : status;
}

static gersh_status solve_balanced(gersh__solver_run *run)
{
    size_t k = gersh__pairs_features(run->pairs);
    search s = {.run = run,
                .bound = -INFINITY,
                .color = gersh__alloc(k, sizeof(double)),
                .tried = gersh__alloc(k, sizeof(double)),
                .part = gersh__alloc(k, sizeof(size_t))};
    int balanced = 1;
    gersh_status status = s.color && s.tried && s.part ? GERSH_OK : GERSH_ERROR_MEMORY;
    if (status == GERSH_OK)
        status = solve_hull(&s);
    gersh_stop hull_stop = run->stop;
    if (status == GERSH_OK)
        status = gersh__color_nodes(run->engine, s.color, s.part, &balanced);
    if (status == GERSH_OK && !balanced) {
        status = search_colors(&s);
        run->search_gap = s.least - s.bound + s.own_gap;
    }
    run->bound = s.bound;
    gersh__witness_move(&run->witness, &s.witness);
    run->stop = run->stop == GERSH_STOP_CONVERGED ? hull_stop : run->stop;
    gersh_metric_free(s.best);
    gersh_metric_free(s.solution);
    gersh__region_free(s.hull);
    gersh__free(s.color);
    gersh__free(s.tried);
    gersh__free(s.part);
    return status;
}

const gersh__solver gersh__solver_balanced = {
    .info = {.name = "balanced",
             .help = "balanced signed graphs: a metric each, with colours",
             .bound = GERSH_BOUND_HULL,
             .signs = GERSH_SIGNS_BALANCED,
             .rules = 1,
             .learns = 1},
    .region = &gersh__region_hull,
    .run = solve_balanced,
};
