/*
 * hbnb: half-spaces, boxes and norm balls (Hu, Gao, Cheung, Guo 2020). Descent by blocks of M, each with a
 * simple set in which M stays positive definite:
 *
 *   the diagonal    M_ii >= b_i = ρ + Σ_j |M_ij| and tr M <= C: discs that stay right of ρ;
 *   each row r      ‖v‖ <= √((M_rr − ρ)(λ − ρ)), v the row without its diagonal entry and λ the smallest
 *                   eigenvalue of M without row and column r; and Σ b_i <= C, so that a diagonal exists for
 *                   the new entries.
 *
 * A main iteration is the diagonal, then every row, each by gradient steps that are projected on the set and
 * taken when they lower the objective. λ comes from LOBPCG less its residual. That is right but where
 * LOBPCG found another eigenvalue; so each iteration ends with a Cholesky factorisation of M − ρI. If that
 * fails M goes back, half way and half again, to where the iteration began.
 *
 * A norm ball is needed only for a step that leaves the ball of a radius that costs nothing: the one with
 * the discs' lower bound of λ.
 */
#include <cblas.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "gersh/linalg.h"
#include "solver/dense.h"

#define BLOCK_TOL 1e-3
#define HBNB_EIGEN_TOL 1e-4
enum { HBNB_STEPS = 1000, MOST_EIGEN = 200, MOST_HALVES = 50 };

#define INSIDE (1 - 1e-9)    /* of a ball's radius is used, against rounding */
#define EIGEN_ROUNDING 1e-14 /* share of the trace by which an eigenvalue may miss ρ */

typedef struct blocks {
    gersh__solver_run *run;
    size_t k;
    gersh__eigen eigen; /* of the result */
    gersh_lobpcg *lobpcg;
    double *memory;   /* of all the arrays */
    double *x;        /* samples, see gersh__dense_start */
    double *m;        /* both triangles */
    double *before;   /* M at the beginning of the iteration */
    double *factor;   /* of Cholesky */
    double *before_d; /* distances at the beginning of the iteration */
    double *rest;     /* distances without the diagonal's part */
    double *radius;   /* Σ_j |M_ij| of each row */
    double *next;     /* K: the block that a step leads to */
    double *gradient; /* K */
    double *eigenvector;
    double *t, *scratch; /* K × n */
    double *step;        /* the last of each row, and of the diagonal: K + 1 */
    size_t row;          /* that the operator leaves out */
    double hole;         /* its diagonal entry instead */
} blocks;

static void clear(blocks *b)
{
    gersh__eigen_clear(&b->eigen);
    gersh_lobpcg_free(b->lobpcg);
    gersh__free(b->memory);
}

static gersh_status init(blocks *b, gersh__solver_run *run)
{
    size_t k = gersh__pairs_features(run->pairs), n = gersh__pairs_samples(run->pairs),
           count = gersh__pairs_count(run->pairs);
    *b = (blocks){.run = run, .k = k};
    const gersh__array arrays[] = {{&b->x, k, n},
                                   {&b->m, k, k},
                                   {&b->before, k, k},
                                   {&b->factor, k, k},
                                   {&b->before_d, count, 1},
                                   {&b->rest, count, 1},
                                   {&b->radius, k, 1},
                                   {&b->next, k, 1},
                                   {&b->gradient, k, 1},
                                   {&b->eigenvector, k, 1},
                                   {&b->step, k + 1, 1},
                                   {&b->t, k, n},
                                   {&b->scratch, 2, n}};
    gersh_status status =
        gersh__dense_init(&b->eigen, &b->memory, run, arrays, sizeof arrays / sizeof arrays[0]);
    if (status == GERSH_OK)
        status = gersh__pairs_reserve(run->pairs, k);
    return status == GERSH_OK ? gersh_lobpcg_new(&b->lobpcg, k) : status;
}

/* Fills the rows' Σ_j |M_ij|; returns the sum of all of them. */
static double set_radii(blocks *b)
{
    double total = 0;
    for (size_t i = 0; i < b->k; i++) {
        const double *row = b->m + i * b->k;
        b->radius[i] = cblas_dasum((int)b->k, row, 1) - fabs(row[i]);
        b->radius[i] = fmax(b->radius[i], 0);
        total += b->radius[i];
    }
    return total;
}

/* The distances of a diagonal matrix. */
static void diagonal_distances(blocks *b, const double *diagonal, double *d)
{
    memset(d, 0, gersh__pairs_count(b->run->pairs) * sizeof *d);
    gersh__pairs_squared_distances(b->run->pairs, &(gersh__terms){b->k, NULL, b->x, diagonal}, d, d);
}

/* A start whose discs need more than the trace: its entries off the diagonal become smaller. */
static void fit_start(blocks *b)
{
    gersh__engine *e = b->run->engine;
    double share = e->budget / set_radii(b);
    if (!(share < 1))
        return;
    for (size_t i = 0; i < b->k; i++) {
        b->next[i] = b->m[i * b->k + i];
        for (size_t j = 0; j < b->k; j++)
            b->m[i * b->k + j] *= i == j ? 1 : share;
    }
    diagonal_distances(b, b->next, b->rest);
    for (size_t p = 0, last = gersh__pairs_count(e->pairs); p < last; p++)
        e->d[p] = share * e->d[p] + (1 - share) * b->rest[p];
    e->value = e->objective->kind->evaluate(e->objective, e->d, e->g);
    set_radii(b);
}

/*
 * The descent of a row, or of the diagonal: number K. It begins with the first length of all, or with the
 * block's last one where that had grown, so that blocks of one step an iteration get on.
 */
static gersh__descent start_descent(const blocks *b, size_t which)
{
    gersh__descent descent = gersh__descent_start(b->run, BLOCK_TOL);
    descent.step = fmax(descent.step, b->step[which]);
    return descent;
}

/* The diagonal that a step leads to, into next, and its distances. */
static void propose_diagonal(blocks *b, double step)
{
    gersh__engine *e = b->run->engine;
    double free_budget = e->budget, begin = gersh__clock_seconds();
    for (size_t i = 0; i < b->k; i++) {
        free_budget -= b->radius[i];
        b->next[i] =
            b->m[i * b->k + i] - step * gersh__gradient_entry(e->gradient, i, i) - (e->rho + b->radius[i]);
    }
    gersh__dense_project(b->k, b->next, fmax(free_budget, 0));
    for (size_t i = 0; i < b->k; i++)
        b->next[i] += e->rho + b->radius[i];
    diagonal_distances(b, b->next, e->next_d);
    for (size_t p = 0, last = gersh__pairs_count(e->pairs); p < last; p++)
        e->next_d[p] = fmax(e->next_d[p] + b->rest[p], 0);
    e->seconds_step += gersh__clock_seconds() - begin;
}

static void descend_diagonal(blocks *b)
{
    gersh__engine *e = b->run->engine;
    gersh__descent descent = start_descent(b, b->k);
    for (size_t i = 0; i < b->k; i++)
        b->next[i] = b->m[i * b->k + i];
    diagonal_distances(b, b->next, b->rest);
    for (size_t p = 0, last = gersh__pairs_count(e->pairs); p < last; p++)
        b->rest[p] = e->d[p] - b->rest[p];
    for (int step = 0; step < HBNB_STEPS && !descent.done && !gersh__dense_halted(b->run); step++) {
        double begin = gersh__clock_seconds();
        if (step == 0 || descent.taken)
            gersh__gradient_update(e->gradient, e->g);
        e->seconds_gradient += gersh__clock_seconds() - begin;
        propose_diagonal(b, descent.step);
        gersh__descent_try(&descent, 0);
        for (size_t i = 0; i < b->k && descent.taken; i++)
            b->m[i * b->k + i] = b->next[i];
    }
    b->step[b->k] = descent.step;
}

/* M without row and column `row`, but for a diagonal entry that is not the smallest eigenvalue. */
static void apply(void *context, size_t k, size_t columns, const double *v, double *out)
{
    const blocks *b = context;
    size_t r = b->row;
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)k, (int)columns, (int)k, 1, b->m, (int)k, v,
                (int)k, 0, out, (int)k);
    for (size_t c = 0; c < columns; c++, v += k, out += k) {
        cblas_daxpy((int)k, -v[r], b->m + r * k, 1, out, 1);
        out[r] = b->hole * v[r];
    }
}

/* A lower bound of λ − ρ for the row, from LOBPCG. `least` is the smallest diagonal entry of the others. */
static gersh_status find_smallest(blocks *b, size_t row, double least, double *above)
{
    gersh__engine *e = b->run->engine;
    double begin = gersh__clock_seconds();
    gersh_lobpcg_result result;
    gersh_lobpcg_options options = {.tol = HBNB_EIGEN_TOL, .max_iter = MOST_EIGEN};
    b->row = row;
    b->hole = 0;
    for (size_t i = 0; i < b->k; i++)
        b->hole = fmax(b->hole, b->m[i * b->k + i]);
    gersh_status status = gersh_lobpcg_solve(&result, b->eigenvector, b->lobpcg, apply, b, &options);
    *above = fmin(result.value - result.residual, least) - e->rho;
    e->seconds_eigen += gersh__clock_seconds() - begin;
    return status;
}

/* Projects next on the row's norm ball. *above is λ − ρ once it was needed, and NaN before. */
static gersh_status project_row(blocks *b, size_t row, double *above)
{
    double rho = b->run->engine->rho, room = b->m[row * b->k + row] - rho;
    double length = cblas_dnrm2((int)b->k, b->next, 1), discs = INFINITY, least = INFINITY;
    for (size_t i = 0; i < b->k; i++) {
        double entry = b->m[i * b->k + i];
        if (i == row)
            continue;
        least = fmin(least, entry);
        discs = fmin(discs, entry - b->radius[i] + fabs(b->m[row * b->k + i]) - rho);
    }
    if (length <= INSIDE * sqrt(fmax(room * discs, 0)))
        return GERSH_OK;
    if (isnan(*above)) {
        gersh_status status = GERSH_OK;
        *above = 0;
        if (room > 0 && least > rho)
            status = find_smallest(b, row, least, above);
        if (status != GERSH_OK)
            return status;
        *above = fmax(*above, discs);
    }
    double radius = INSIDE * sqrt(fmax(room, 0) * fmax(*above, 0));
    if (length > radius)
        cblas_dscal((int)b->k, radius / length, b->next, 1);
    return GERSH_OK;
}

/*
 * The distances of M with next in place of the row, into engine->next_d. A change v of the row changes d by
 * 2 a b = ½ (a + b)² − ½ (a − b)², a and b the pair's differences in the feature and in X v; the two are
 * brought to the same size, so that nothing cancels.
 */
static void set_distances(blocks *b, size_t row, const double *change)
{
    gersh__engine *e = b->run->engine;
    size_t n = gersh__pairs_samples(e->pairs);
    double *sum = b->scratch, *difference = b->scratch + n;
    const double *x = b->x + row * n;
    cblas_dgemv(CblasRowMajor, CblasTrans, (int)b->k, (int)n, 1, b->x, (int)n, change, 1, 0, b->t, 1);
    double size = cblas_dnrm2((int)n, b->t, 1), own = cblas_dnrm2((int)n, x, 1);
    double scale = size > 0 && own > 0 ? sqrt(size / own) : 1;
    for (size_t i = 0; i < n; i++) {
        sum[i] = scale * x[i] + b->t[i] / scale;
        difference[i] = scale * x[i] - b->t[i] / scale;
    }
    memcpy(e->next_d, e->d, gersh__pairs_count(e->pairs) * sizeof *e->d);
    gersh__pairs_add(e->pairs, 0.5, sum, e->next_d);
    gersh__pairs_add(e->pairs, -0.5, difference, e->next_d);
    for (size_t p = 0, last = gersh__pairs_count(e->pairs); p < last; p++)
        e->next_d[p] = fmax(e->next_d[p], 0);
}

static void row_gradient(blocks *b, size_t row)
{
    gersh__engine *e = b->run->engine;
    size_t n = gersh__pairs_samples(e->pairs);
    double begin = gersh__clock_seconds();
    gersh__pairs_adjoint(e->pairs, e->g, 1, b->x + row * n, b->t);
    cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)b->k, (int)n, 2, b->x, (int)n, b->t, 1, 0, b->gradient,
                1);
    b->gradient[row] = 0;
    e->seconds_gradient += gersh__clock_seconds() - begin;
}

/* Puts next in place of the row. */
static void take_row(blocks *b, size_t row)
{
    size_t k = b->k;
    b->radius[row] = 0;
    for (size_t j = 0; j < k; j++) {
        if (j == row)
            continue;
        b->radius[j] = fmax(b->radius[j] - fabs(b->m[row * k + j]), 0) + fabs(b->next[j]);
        b->radius[row] += fabs(b->next[j]);
        b->m[row * k + j] = b->m[j * k + row] = b->next[j];
    }
}

static gersh_status descend_row(blocks *b, size_t row)
{
    gersh__engine *e = b->run->engine;
    size_t k = b->k;
    double above = NAN, *change = b->eigenvector;
    gersh__descent descent = start_descent(b, row);
    for (int step = 0; step < HBNB_STEPS && !descent.done && !gersh__dense_halted(b->run); step++) {
        if (step == 0 || descent.taken)
            row_gradient(b, row);
        for (size_t j = 0; j < k; j++)
            b->next[j] = j == row ? 0 : b->m[row * k + j] - descent.step * b->gradient[j];
        gersh_status status = project_row(b, row, &above);
        if (status != GERSH_OK)
            return status;
        double begin = gersh__clock_seconds(), discs = 0, possible = 0;
        for (size_t j = 0; j < k; j++) {
            change[j] = j == row ? 0 : b->next[j] - b->m[row * k + j];
            possible -= b->gradient[j] * change[j];
            discs += b->radius[j] + (j == row ? 0 : 2 * (fabs(b->next[j]) - fabs(b->m[row * k + j])));
        }
        if (!(discs <= e->budget) || possible <= 0) {
            gersh__descent_refuse(&descent, possible);
            continue;
        }
        set_distances(b, row, change);
        e->seconds_step += gersh__clock_seconds() - begin;
        gersh__descent_try(&descent, 0);
        if (descent.taken)
            take_row(b, row);
    }
    b->step[row] = descent.step;
    return GERSH_OK;
}

/* Whether M is at least ρI, to rounding. */
static int is_definite(blocks *b)
{
    const gersh__engine *e = b->run->engine;
    lapack_int k = (lapack_int)b->k;
    double trace = e->budget + (double)b->k * e->rho;
    memcpy(b->factor, b->m, b->k * b->k * sizeof *b->m);
    for (size_t i = 0; i < b->k; i++)
        b->factor[i * b->k + i] -= e->rho - EIGEN_ROUNDING * (double)b->k * trace;
    return LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', k, b->factor, k) == 0;
}

/* The distances of M from its factor. */
static void refresh_distances(blocks *b)
{
    gersh__engine *e = b->run->engine;
    size_t k = b->k, n = gersh__pairs_samples(e->pairs);
    for (size_t j = 0; j < k; j++) {
        b->next[j] = 1;
        for (size_t i = 0; i < j; i++)
            b->factor[j * k + i] = 0;
    }
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)k, (int)n, (int)k, 1, b->factor, (int)k,
                b->x, (int)n, 0, b->t, (int)n);
    gersh__pairs_squared_distances(e->pairs, &(gersh__terms){k, NULL, b->t, b->next}, e->base, e->d);
}

/* Makes sure that the iteration ends with a matrix of the region, and no higher than at `value`, where it
 * began. */
static void settle(blocks *b, double value)
{
    gersh__engine *e = b->run->engine;
    size_t size = b->k * b->k * sizeof *b->m;
    int definite = is_definite(b);
    if (definite)
        return;
    for (int tries = 0; tries < MOST_HALVES && !definite; tries++) {
        for (size_t i = 0; i < b->k * b->k; i++)
            b->m[i] = 0.5 * (b->m[i] + b->before[i]);
        definite = is_definite(b);
    }
    if (definite) {
        refresh_distances(b);
        e->value = e->objective->kind->evaluate(e->objective, e->d, e->g);
    }
    if (!definite || !(e->value <= value)) {
        memcpy(b->m, b->before, size);
        memcpy(e->d, b->before_d, gersh__pairs_count(e->pairs) * sizeof *e->d);
        e->value = e->objective->kind->evaluate(e->objective, e->d, e->g);
    }
    set_radii(b);
    gersh_lobpcg_start(b->lobpcg, NULL); /* what it found was not the smallest eigenvalue */
}

static gersh_status iterate(blocks *b)
{
    gersh__solver_run *run = b->run;
    gersh__engine *e = run->engine;
    double tol = gersh__dense_tol(run);
    while (!gersh__dense_ended(run)) {
        double value = e->value;
        memcpy(b->before, b->m, b->k * b->k * sizeof *b->m);
        memcpy(b->before_d, e->d, gersh__pairs_count(e->pairs) * sizeof *e->d);
        descend_diagonal(b);
        for (size_t row = 0; row < b->k && b->k > 1 && !gersh__dense_halted(run); row++) {
            gersh_status status = descend_row(b, row);
            if (status != GERSH_OK)
                return status;
        }
        settle(b, value);
        gersh__dense_report(run, "hbnb", b->k);
        if (gersh__dense_halted(run))
            break;
        if (value - e->value <= tol * fmax(fabs(value), e->floor)) {
            run->stop = GERSH_STOP_CONVERGED;
            break;
        }
    }
    return GERSH_OK;
}

static gersh_status solve(gersh__solver_run *run)
{
    blocks b;
    gersh_status status = init(&b, run);
    if (status == GERSH_OK) {
        gersh__dense_start(run, b.m, b.x);
        fit_start(&b);
        status = iterate(&b);
    }
    if (status == GERSH_OK)
        status = gersh__eigen_solve(&b.eigen, b.m);
    for (size_t a = 0; a < b.k && status == GERSH_OK; a++)
        b.next[a] = b.eigen.values[a] - run->engine->rho;
    if (status == GERSH_OK)
        status = gersh__dense_finish(run, b.m, b.next);
    clear(&b);
    return status;
}

const gersh__solver gersh__solver_hbnb = {
    .info = {.name = "hbnb",
             .help =
                 "positive definite matrices, by half-spaces, boxes and norm balls for diagonal and rows",
             .signs = GERSH_SIGNS_FREE,
             .dense = 1,
             .learns = 1},
    .region = &gersh__region_psd,
    .run = solve,
};
