/*
 * pdcone: projected gradient on the matrix itself,
 *
 *     M ← P(M − t G),   G = D*(∇F(D(M))),
 *
 * with P the projection onto {M ⪰ ρI, tr M <= C}: of the eigenvalues w, onto {w >= ρ, Σw <= C}. It costs a
 * full eigen-decomposition an iteration. The length t adapts (see dense.h), and a step that does not lower
 * the objective is not taken; it counts as an iteration all the same.
 *
 * With the setting `nuclear`, τ, what is minimised is F + τ ‖M‖_*, where ‖M‖_* = tr M: the eigenvalues are
 * lowered by τt before they are projected. The value reported stays F, which may then rise.
 *
 * G has rank below N, so that M stays a multiple of the identity plus a part in the span of the samples'
 * differences, and where N is below K all could happen in N dimensions; this is the plain method, and does
 * not use that.
 *
 * Objectives with kinks (lmnn) are followed along subgradients: this may end above the optimum.
 */
#include <cblas.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/settings.h"
#include "solver/dense.h"

typedef struct cone {
    gersh__descent descent;
    gersh__eigen eigen;
    double *memory; /* of all the arrays */
    double tau;
    double *x;              /* samples, see gersh__dense_start */
    double *m, *gradient;   /* gradient: scratch too, once the step is made */
    double *vectors, *next; /* eigenvectors of M and of the matrix that the step leads to */
    double *weights, *next_weights;
    double *t; /* K × n */
} cone;

static gersh_status init(cone *c, gersh__solver_run *run, double tau)
{
    size_t k = gersh__pairs_features(run->pairs), n = gersh__pairs_samples(run->pairs);
    *c = (cone){.descent = gersh__descent_start(run, gersh__dense_tol(run)), .tau = tau};
    const gersh__array arrays[] = {
        {&c->x, k, n},    {&c->m, k, k},       {&c->gradient, k, k},     {&c->vectors, k, k},
        {&c->next, k, k}, {&c->weights, k, 1}, {&c->next_weights, k, 1}, {&c->t, k, n}};
    gersh_status status =
        gersh__dense_init(&c->eigen, &c->memory, run, arrays, sizeof arrays / sizeof arrays[0]);
    return status == GERSH_OK ? gersh__pairs_reserve(run->pairs, k) : status;
}

/* The weights of the projection, from the eigenvalues less `shift`. They ascend; returns how many are above 0. */
static size_t project(cone *c, double shift, double *weights)
{
    double budget = c->descent.run->engine->budget;
    size_t k = c->eigen.k, above = 0;
    for (size_t a = 0; a < k; a++)
        weights[a] = c->eigen.values[a] - shift;
    gersh__dense_project(k, weights, budget);
    for (size_t a = 0; a < k; a++) {
        weights[a] = weights[a] > GERSH__NO_BUDGET * budget ? weights[a] : 0;
        above += weights[a] > 0;
    }
    return above;
}

static double sum(size_t k, const double *weights)
{
    double total = 0;
    for (size_t a = 0; a < k; a++)
        total += weights[a];
    return total;
}

/* The eigenvectors and weights at the start. */
static gersh_status decompose_start(cone *c)
{
    gersh__engine *e = c->descent.run->engine;
    size_t k = c->eigen.k;
    memcpy(c->vectors, c->m, k * k * sizeof *c->m);
    if (e->atoms > 0) {
        gersh_status status = gersh__eigen_solve(&c->eigen, c->vectors);
        project(c, e->rho, c->weights);
        return status;
    }
    for (size_t a = 0; a < k; a++) {
        c->vectors[a * k + a] = 1;
        c->weights[a] = e->budget / (double)k;
    }
    return GERSH_OK;
}

static void set_gradient(cone *c)
{
    gersh__engine *e = c->descent.run->engine;
    double begin = gersh__clock_seconds();
    gersh__gradient_update(e->gradient, e->g);
    gersh__gradient_matrix(e->gradient, 1, 1, c->x, c->gradient);
    e->seconds_gradient += gersh__clock_seconds() - begin;
}

/* P(M − tG) as eigenvectors and weights, and its distances in engine->next_d. */
static gersh_status propose(cone *c)
{
    gersh__engine *e = c->descent.run->engine;
    size_t k = gersh__pairs_features(e->pairs), n = gersh__pairs_samples(e->pairs);
    double begin = gersh__clock_seconds();
    for (size_t j = 0; j < k; j++)
        for (size_t i = j; i < k; i++)
            c->next[j * k + i] = c->m[j * k + i] - c->descent.step * c->gradient[j * k + i];
    double middle = gersh__clock_seconds();
    gersh_status status = gersh__eigen_solve(&c->eigen, c->next);
    double end = gersh__clock_seconds();
    e->seconds_eigen += end - middle;
    if (status != GERSH_OK)
        return status;
    size_t above = project(c, e->rho + c->descent.step * c->tau, c->next_weights);
    if (above > 0)
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)above, (int)n, (int)k, 1,
                    c->next + (k - above) * k, (int)k, c->x, (int)n, 0, c->t, (int)n);
    gersh__terms terms = {above, NULL, c->t, c->next_weights + (k - above)};
    gersh__pairs_squared_distances(e->pairs, &terms, e->base, e->next_d);
    e->seconds_step += middle - begin + gersh__clock_seconds() - end;
    return GERSH_OK;
}

/* M becomes what was proposed. */
static void take(cone *c)
{
    gersh__engine *e = c->descent.run->engine;
    size_t k = gersh__pairs_features(e->pairs), above = 0;
    double begin = gersh__clock_seconds(), *vectors = c->vectors, *weights = c->weights;
    c->vectors = c->next;
    c->weights = c->next_weights;
    c->next = vectors;
    c->next_weights = weights;
    for (size_t a = 0; a < k; a++) {
        double root = sqrt(c->weights[a]);
        for (size_t f = 0; f < k && root > 0; f++)
            c->gradient[above * k + f] = root * c->vectors[a * k + f];
        above += root > 0;
    }
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)k, (int)above, 1, c->gradient, (int)k, 0,
                c->m, (int)k);
    for (size_t f = 0; f < k; f++)
        c->m[f * k + f] += e->rho;
    e->seconds_step += gersh__clock_seconds() - begin;
}

static gersh_status iterate(cone *c)
{
    gersh__solver_run *run = c->descent.run;
    size_t k = c->eigen.k;
    set_gradient(c);
    while (!gersh__dense_ended(run)) {
        gersh_status status = propose(c);
        if (status != GERSH_OK)
            return status;
        gersh__descent_try(&c->descent, c->tau * (sum(k, c->weights) - sum(k, c->next_weights)));
        if (c->descent.taken) {
            take(c);
            set_gradient(c);
        }
        size_t above = 0;
        for (size_t a = 0; a < k; a++)
            above += c->weights[a] > 0;
        gersh__dense_report(run, "pdcone", above);
        if (c->descent.done) {
            run->stop = GERSH_STOP_CONVERGED;
            break;
        }
    }
    return GERSH_OK;
}

/* From the engine's metric, or (C/K) I. */
static gersh_status solve(gersh__solver_run *run)
{
    cone c;
    gersh_status status = init(&c, run, gersh__setting_number(run->settings, GERSH__NUCLEAR));
    if (status == GERSH_OK) {
        gersh__dense_start(run, c.m, c.x);
        status = decompose_start(&c);
    }
    if (status == GERSH_OK)
        status = iterate(&c);
    if (status == GERSH_OK)
        status = gersh__dense_finish(run, c.vectors, c.weights);
    gersh__eigen_clear(&c.eigen);
    gersh__free(c.memory);
    return status;
}

const gersh__solver gersh__solver_pdcone = {
    .info = {.name = "pdcone",
             .help = "all positive definite matrices, by projected gradients",
             .signs = GERSH_SIGNS_FREE,
             .dense = 1,
             .learns = 1},
    .reads = GERSH__READS(GERSH__NUCLEAR),
    .region = &gersh__region_psd,
    .run = solve,
};
