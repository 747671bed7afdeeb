/*
 * Descent on a factor: M = ρI + (B/q) LLᵀ, q = ‖L‖² + s², with r columns in L and a number s, the slack: whatever L and s
 * are, M has its eigenvalues at ρ at least and a trace of C at most. F(M) then is a smooth function without
 * constraints, for L-BFGS. With P = (B/q) LLᵀ and G = D*(∇F(D(M))),
 *
 *     ∂F/∂L = (2B/q) (GL − τL),   ∂F/∂s = −(2B/q) τs,   τ = ⟨G, LLᵀ⟩/q,   ⟨G, P⟩ = Bτ.
 *
 * GL takes L(g) XL, r columns, where G takes as many as there are features. The function is not convex, but a point where the
 * gradient is 0 is optimal where G − min(0, τ) I is positive semidefinite: else the first eigenvector of G, as one more
 * column, leads down. F is within gap of its minimum over the cone where
 *
 *     Bτ − B min(0, λ) <= gap, or for τ <= gap/B: zᵀGz + (gap/B − τ) zᵀz >= 0 for all z.
 *
 * This is looked at after every step for z = Lv, as a matrix of order r; where it holds, the minimiser of the region says
 * whether it does for all, or gives the columns that are missing. What it says is no certificate: that is for the
 * engine to find, which begins at the atoms z_a = Lv_a, v_a the eigenvectors of LᵀL.
 *
 * Until steps tell of second derivatives, those of a column are taken for proportional to the root of the scatter of the samples,
 * (S + δI)^{1/2} with S of mean diagonal 1: features that go together would make for long valleys.
 *
 * Where log F is convex it is what is lowered. A smoothed objective has in F's place the function with that gradient that
 * is below it (frank_wolfe.c), and the width becomes half as large once the gap is below what is lost to it.
 */
#include "solver/factor.h"

#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/policy.h"
#include "base/random.h"
#include "solver/atoms.h"
#include "solver/dense.h"
#include "solver/lbfgs.h"

enum { MOST_TRIES = 20 }; /* of a step */

#define ARMIJO 1e-4
#define SINGULAR 1e-9 /* share of the largest number of a matrix below which it cannot be told from 0 */

/* Points and derivatives are s and then the columns of L: 1 + r k numbers, with room for `most` columns. */
typedef struct factor {
    gersh__solver_run *run;
    gersh__engine *engine;
    gersh__region *region;
    size_t k, n, r, most;
    double *memory;              /* of all the arrays: */
    double *x;                   /* k × n, with mean 0 */
    double *point, *next, *best; /* best: of a smoothed objective, whose value may rise */
    double *slope, *before,
        *along;             /* derivatives here and at the last point, and the direction of the step */
    double *t, *y, *weight; /* most × n: XL and L(g) XL; B/q for each column */
    double *forms, *products, *work; /* most × most: LᵀGL, LᵀL, and scratch */
    double *rooted; /* k × k: (S + δI)^{−1/2}; not where features are as many as samples */
    gersh__lbfgs past;
    double q, tau, best_value;
    int logarithm, wait;
} factor;

static double dot(const factor *f, const double *x, const double *y)
{
    return cblas_ddot((int)f->past.size, x, 1, y, 1);
}

/* What is lowered, of a value of F. */
static double lowered(const factor *f, double value)
{
    return f->logarithm ? log(value) : value;
}

/* q and the distances of a point, into the engine's next_d. */
static void set_distances(factor *f, const double *point)
{
    gersh__engine *e = f->engine;
    f->q = dot(f, point, point);
    for (size_t a = 0; a < f->r; a++)
        f->weight[a] = e->budget / f->q;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)f->r, (int)f->n, (int)f->k, 1, point + 1,
                (int)f->k, f->x, (int)f->n, 0, f->t, (int)f->n);
    gersh__terms terms = {f->r, NULL, f->t, f->weight};
    gersh__pairs_squared_distances(e->pairs, &terms, e->base, e->next_d);
}

static double evaluate(factor *f)
{
    gersh__engine *e = f->engine;
    double begin = gersh__clock_seconds(),
           value = e->objective->kind->evaluate(e->objective, e->next_d, e->next_g);
    e->seconds_objective += gersh__clock_seconds() - begin;
    return value;
}

/* The engine's d, g and value become those of next_d. */
static void take(factor *f, double value)
{
    gersh__engine *e = f->engine;
    double *d = e->d, *g = e->g;
    e->d = e->next_d;
    e->g = e->next_g;
    e->next_d = d;
    e->next_g = g;
    e->value = value;
    e->scored = 0;
    e->updated = 0;
}

/* Derivatives at the point, whose t is there, LᵀGL and LᵀL. */
static void set_slope(factor *f)
{
    gersh__engine *e = f->engine;
    int r = (int)f->r, k = (int)f->k, n = (int)f->n;
    double begin = gersh__clock_seconds(), *l = f->point + 1, *gl = f->slope + 1;
    gersh__pairs_adjoint(e->pairs, e->g, f->r, f->t, f->y);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, r, k, n, 1, f->y, n, f->x, n, 0, gl, k);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, r, r, k, 1, gl, k, l, k, 0, f->forms, r);
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, r, k, 1, l, k, 0, f->products, r);
    f->tau = 0;
    for (size_t a = 0; a < f->r; a++)
        f->tau += f->forms[a * f->r + a] / f->q;
    double scale = 2 * e->budget / f->q / (f->logarithm && e->value > 0 ? e->value : 1);
    cblas_daxpy(r * k, -f->tau, l, 1, gl, 1);
    cblas_dscal(r * k, scale, gl, 1);
    f->slope[0] = -scale * f->tau * f->point[0];
    e->seconds_gradient += gersh__clock_seconds() - begin;
}

/* Whether the gap is at most this, as far as the columns of L can tell. */
static int is_within(factor *f, double gap)
{
    size_t r = f->r;
    double shift = gap / f->engine->budget - f->tau, largest = 0, *m = f->work;
    if (!(shift >= 0))
        return 0;
    for (size_t a = 0; a < r; a++)
        largest = fmax(largest, fabs(f->forms[a * r + a]) + shift * f->products[a * r + a]);
    for (size_t a = 0; a < r; a++)
        for (size_t b = 0; b <= a; b++)
            m[a * r + b] = 0.5 * (f->forms[a * r + b] + f->forms[b * r + a]) +
                           shift * f->products[a * r + b] + (a == b ? SINGULAR * largest : 0);
    return LAPACKE_dpotrf_work(LAPACK_ROW_MAJOR, 'L', (lapack_int)r, m, (lapack_int)r) == 0;
}

/* out = (S + δI)^{−1/2} times each column. */
static void apply_root(const void *context, const double *in, double *out)
{
    const factor *f = context;
    int r = (int)f->r, k = (int)f->k;
    out[0] = in[0];
    if (f->k < f->n)
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, r, k, k, 1, in + 1, k, f->rooted, k, 0,
                    out + 1, k);
    else
        memcpy(out, in, f->past.size * sizeof *out);
}

/* Goes along the direction until what is lowered falls enough; the value is in *value, the point in `next`. Returns 0 if not. */
static int search(factor *f, double *value)
{
    double here = lowered(f, f->engine->value), derivative = dot(f, f->slope, f->along),
           gamma = f->past.kept > 0 ? 1 : GERSH__FACTOR_FIRST * sqrt(f->q / dot(f, f->along, f->along)),
           q = f->q;
    for (int tries = 0; tries < MOST_TRIES && derivative < 0; tries++) {
        for (size_t c = 0, size = f->past.size; c < size; c++)
            f->next[c] = f->point[c] + gamma * f->along[c];
        set_distances(f, f->next);
        *value = evaluate(f);
        double there = lowered(f, *value), bent = there - here - gamma * derivative;
        if (there <= here + ARMIJO * gamma * derivative)
            return 1;
        double lowest = -0.5 * gamma * gamma * derivative / bent; /* of the parabola through both */
        gamma = fmin(fmax(isfinite(lowest) ? lowest : 0, 0.1 * gamma), 0.5 * gamma);
    }
    f->q = q;
    return 0;
}

/* One step. Returns 0 when there is none any more. */
static int advance(factor *f)
{
    double value;
    gersh__lbfgs_direct(&f->past, f->slope, f->along, apply_root, f, f->next);
    if (!search(f, &value)) {
        if (f->past.kept == 0)
            return 0;
        f->past.kept = 0;
        gersh__lbfgs_direct(&f->past, f->slope, f->along, apply_root, f, f->next);
        if (!search(f, &value))
            return 0;
    }
    double *point = f->next, *slope = f->before;
    f->next = f->point;
    f->point = point;
    f->before = f->slope;
    f->slope = slope;
    take(f, value);
    set_slope(f);
    gersh__lbfgs_keep(&f->past, f->next, f->point, f->before, f->slope);
    return 1;
}

/* The vector as one more column, as long as it may be without a rise of F. */
static int add_column(factor *f, const double *z)
{
    gersh__engine *e = f->engine;
    double *column = f->point + f->past.size, length = GERSH__FACTOR_NEW * sqrt(f->q), q = f->q;
    f->r++;
    f->past.size += f->k;
    for (int tries = 0; tries < MOST_TRIES; tries++, length *= 0.25) {
        for (size_t c = 0; c < f->k; c++)
            column[c] = length * z[c];
        set_distances(f, f->point);
        double value = evaluate(f);
        if (value <= e->value) {
            take(f, value);
            return 1;
        }
    }
    f->r--;
    f->past.size -= f->k;
    f->q = q;
    memset(column, 0, f->k * sizeof *column);
    return 0;
}

/* Whether the gap is at most this; if not, the columns that G has for it. */
static gersh_status look(factor *f, double gap, int *done)
{
    gersh__engine *e = f->engine;
    gersh__lmo_answer answer;
    const gersh__lmo_request request = {.threshold = -INFINITY, .want = GERSH__FACTOR_AT_ONCE};
    size_t before = f->r;
    double begin = gersh__clock_seconds();
    gersh__engine_gradient(e);
    gersh_status status = gersh__region_minimize(f->region, e->gradient, &request, &answer);
    e->seconds_minimizer += gersh__clock_seconds() - begin;
    if (status != GERSH_OK)
        return status;
    *done = e->budget * (f->tau - fmin(0, answer.candidate[0].value)) <= gap || f->r == f->most;
    for (size_t c = 0; c < answer.found && f->r < f->most && !*done; c++)
        if (answer.candidate[c].value < fmin(0, f->tau))
            add_column(f, answer.candidate[c].vector);
    f->wait = GERSH__FACTOR_WAIT;
    if (f->r > before || !*done) { /* t belongs to the point again */
        set_distances(f, f->point);
        set_slope(f);
    }
    return GERSH_OK;
}

static void narrow(factor *f)
{
    gersh__engine *e = f->engine;
    e->objective->width *= 0.5;
    e->value = e->objective->kind->evaluate(e->objective, e->d, e->g);
    e->scored = e->updated = 0;
    set_slope(f);
}

/* What is to be done at the point: *done, where it is as good as it gets. */
static gersh_status judge(factor *f, int *done)
{
    gersh__engine *e = f->engine;
    const gersh_objective_info *info = e->objective->info;
    double value = gersh__engine_value(e), lost = info->smoothed ? value - gersh__engine_lower(e) : 0,
           allowed = GERSH__FACTOR_SHARE * f->run->limits.tol * fmax(fabs(value), e->floor);
    if (info->smoothed && value < f->best_value) {
        f->best_value = value;
        memcpy(f->best, f->point, f->past.size * sizeof *f->best);
    }
    *done = info->nonnegative && value <= allowed;
    if (*done)
        return GERSH_OK;
    f->wait -= f->wait > 0;
    if (f->wait == 0 && is_within(f, allowed - lost))
        return look(f, allowed - lost, done);
    if (info->smoothed && e->objective->width > GERSH__NARROWEST && is_within(f, lost))
        narrow(f);
    return GERSH_OK;
}

/* Whether a limit ends the descent. */
static int is_ended(const factor *f)
{
    return gersh__dense_halted(f->run) || f->engine->iterations >= f->run->limits.max_iter;
}

static gersh_status descend(factor *f)
{
    gersh__engine *e = f->engine;
    gersh_status status = GERSH_OK;
    double last = INFINITY;
    set_distances(f, f->point);
    take(f, evaluate(f));
    f->logarithm = e->objective->kind->log_hessian != NULL && e->value > 0;
    set_slope(f);
    for (int step = 0, done = 0; step < GERSH__FACTOR_STEPS && !is_ended(f); step++) {
        double width = e->objective->width;
        status = judge(f, &done);
        if (status != GERSH_OK || done || !advance(f))
            break;
        gersh__dense_report(f->run, "factor", f->r);
        if (step % GERSH__FACTOR_INTERVAL > 0 && width == e->objective->width)
            continue;
        if (step % GERSH__FACTOR_INTERVAL == 0 &&
            last - e->value <= GERSH__FACTOR_STILL * f->run->limits.tol * fabs(e->value))
            break;
        last = e->value;
    }
    if (status == GERSH_OK && is_ended(f) && f->best_value < gersh__engine_value(e))
        memcpy(f->point, f->best, f->past.size * sizeof *f->best);
    return status;
}

/* The engine's metric becomes that of the point. */
static gersh_status finish(factor *f)
{
    gersh__engine *e = f->engine;
    int r = (int)f->r, k = (int)f->k;
    double *l = f->point + 1, *z = f->next;
    size_t kept = 0;
    f->q = dot(f, f->point, f->point);
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, r, k, 1, l, k, 0, f->products, r);
    if (LAPACKE_dsyevd(LAPACK_ROW_MAJOR, 'V', 'L', r, f->products, r, f->work) != 0)
        return gersh__fail(GERSH_ERROR_NUMERIC, "LAPACK's dsyevd failed on a matrix of order %d", r);
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, r, k, r, 1, f->products, r, l, k, 0, z, k);
    for (size_t a = 0; a < f->r; a++) {
        double length = cblas_dnrm2(k, z + a * f->k, 1), weight = e->budget * length * length / f->q;
        if (!(weight > DBL_EPSILON * e->budget))
            continue;
        f->weight[kept] = weight;
        for (size_t c = 0; c < f->k; c++)
            z[kept * f->k + c] = z[a * f->k + c] / length;
        kept++;
    }
    gersh_metric metric = {.features = f->k, .rho = e->rho, .atoms = kept, .weight = f->weight, .dense = z};
    gersh_status status = gersh__engine_start(e, &metric);
    f->run->limits.widest = e->objective->width;
    e->iterations -= e->iterations > 0; /* the look at this metric belongs to the last one */
    return status;
}

/* The samples less their means, and the point to begin at. */
static void begin(factor *f)
{
    gersh__engine *e = f->engine;
    gersh__random random;
    double *l = f->point + 1;
    gersh__dense_center(e->pairs, f->x);
    gersh__random_seed(&random, 0);
    if (f->r == f->k) {
        for (size_t a = 0; a < f->r; a++)
            l[a * f->k + a] = 1;
    } else if (f->k < f->n) {
        for (size_t c = 0; c < f->r * f->k; c++)
            l[c] = gersh__random_normal(&random);
    } else { /* in the span of the samples: the rest of the space adds nothing to distances */
        for (size_t c = 0; c < f->r * f->n; c++)
            f->t[c] = gersh__random_normal(&random);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)f->r, (int)f->k, (int)f->n, 1, f->t,
                    (int)f->n, f->x, (int)f->n, 0, l, (int)f->k);
    }
    f->point[0] = GERSH__FACTOR_SLACK * cblas_dnrm2((int)(f->r * f->k), l, 1);
    e->objective->width = f->run->limits.widest;
    e->bound = e->objective->info->nonnegative ? 0 : -INFINITY;
}

static gersh_status init(factor *f, gersh__solver_run *run)
{
    size_t k = gersh__pairs_features(run->pairs), n = gersh__pairs_samples(run->pairs), total = 0;
    *f = (factor){.run = run, .engine = run->engine, .k = k, .n = n, .best_value = INFINITY};
    f->r = k < GERSH__FACTOR_COLUMNS ? k : GERSH__FACTOR_COLUMNS;
    f->most = f->r + GERSH__FACTOR_MORE;
    f->past.stride = 1 + f->most * k;
    f->past.size = 1 + f->r * k;
    double pairs = GERSH__LBFGS_NUMBERS / (double)f->past.stride;
    f->past.room = pairs >= GERSH__LBFGS_MOST ? GERSH__LBFGS_MOST : pairs < 5 ? 5 : (size_t)pairs;
    size_t square = f->most * f->most;
    const gersh__array arrays[] = {{&f->x, k, n},
                                   {&f->point, f->past.stride, 1},
                                   {&f->next, f->past.stride, 1},
                                   {&f->best, f->past.stride, 1},
                                   {&f->slope, f->past.stride, 1},
                                   {&f->before, f->past.stride, 1},
                                   {&f->along, f->past.stride, 1},
                                   {&f->t, f->most, n},
                                   {&f->y, f->most, n},
                                   {&f->weight, f->most, 1},
                                   {&f->forms, square, 1},
                                   {&f->products, square, 1},
                                   {&f->work, square, 1},
                                   {&f->past.steps, f->past.room, f->past.stride},
                                   {&f->past.turns, f->past.room, f->past.stride},
                                   {&f->past.inverse, f->past.room, 1},
                                   {&f->rooted, k < n ? k : 0, k}};
    enum { ARRAYS = sizeof arrays / sizeof arrays[0] };
    for (size_t a = 0; a < ARRAYS; a++)
        total += arrays[a].rows * arrays[a].columns;
    f->memory = gersh__alloc(total, sizeof *f->memory);
    if (f->memory == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t a = 0, at = 0; a < ARRAYS; at += arrays[a].rows * arrays[a].columns, a++)
        *arrays[a].place = f->memory + at;
    gersh_status status = gersh__region_new(&f->region, &gersh__region_psd, run->pairs, NULL);
    return status == GERSH_OK ? gersh__pairs_reserve(run->pairs, f->most) : status;
}

gersh_status gersh__factor_start(gersh__solver_run *run)
{
    factor f;
    gersh_status status = init(&f, run);
    if (status == GERSH_OK) {
        begin(&f);
        status =
            f.k < f.n ? gersh__dense_root_scatter(f.rooted, f.x, f.k, f.n, GERSH__FACTOR_RIDGE) : GERSH_OK;
    }
    if (status == GERSH_OK)
        status = descend(&f);
    if (status == GERSH_OK)
        status = finish(&f);
    gersh__region_free(f.region);
    gersh__free(f.memory);
    return status;
}
