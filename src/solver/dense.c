/* Descent, eigen-decompositions and reports of the solvers that hold M as a matrix; see dense.h. */
#include "solver/dense.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/settings.h"
#include "linalg/kernels.h"
#include "solver/atoms.h"

#define FIRST_STEP 0.1 /* over the number of samples, where C = K */
#define LONGER 1.01
#define SHORTER 0.5
#define SHARP 1e-9 /* width of smoothed objectives: the value is exact, the gradient a subgradient */

enum { THREADED = 400 }; /* features from which the threads of BLAS are worth their while */

/*
 * With C = K the first step is 0.1/N. M and the step times the gradient must change alike with the units of
 * the data, which takes the factor (C/K)².
 */
gersh__descent gersh__descent_start(gersh__solver_run *run, double tol)
{
    const gersh__engine *e = run->engine;
    double level = e->rho + e->budget / (double)gersh__pairs_features(e->pairs);
    return (gersh__descent){.run = run,
                            .tol = tol,
                            .step = FIRST_STEP / (double)gersh__pairs_samples(e->pairs) * level * level};
}

static double enough(const gersh__descent *descent)
{
    const gersh__engine *e = descent->run->engine;
    return descent->tol * fmax(fabs(e->value), e->floor);
}

/* Shorter steps along the same gradient have less to gain still. */
void gersh__descent_refuse(gersh__descent *descent, double possible)
{
    descent->taken = 0;
    descent->done = possible <= enough(descent);
    descent->step *= SHORTER;
}

/* F is convex: no step from d to next_d gains more than g · (d − next_d). */
void gersh__descent_try(gersh__descent *descent, double penalty)
{
    gersh__engine *e = descent->run->engine;
    size_t count = gersh__pairs_count(e->pairs);
    double begin = gersh__clock_seconds();
    double next = e->objective->kind->evaluate(e->objective, e->next_d, e->next_g);
    double gain = e->value - next + penalty;
    if (gain > 0) {
        double *d = e->d, *g = e->g;
        descent->taken = 1;
        descent->done = gain <= enough(descent);
        descent->step *= LONGER;
        e->d = e->next_d;
        e->g = e->next_g;
        e->next_d = d;
        e->next_g = g;
        e->value = next;
    } else {
        for (size_t p = 0; p < count; p++)
            e->delta[p] = e->d[p] - e->next_d[p];
        gersh__descent_refuse(descent, gersh__kernels_here()->dot(count, e->g, e->delta) + penalty);
    }
    e->seconds_objective += gersh__clock_seconds() - begin;
}

/* w − level where that is above 0; the level rises until what is above it adds up to the budget. */
void gersh__dense_project(size_t k, double *w, double budget)
{
    double level = 0, next = 0;
    do {
        double sum = 0;
        size_t above = 0;
        level = next;
        for (size_t i = 0; i < k; i++) {
            if (w[i] > level) {
                sum += w[i];
                above++;
            }
        }
        next = above > 0 ? (sum - budget) / (double)above : 0;
    } while (next > level);
    for (size_t i = 0; i < k; i++)
        w[i] = w[i] > level ? w[i] - level : 0;
}

static gersh_status init_eigen(gersh__eigen *eigen, size_t k, int threads)
{
    *eigen = (gersh__eigen){.k = k, .threads = threads};
    if (k > 30000) /* LAPACK counts the workspace, 2 K² and more, in 32 bits */
        return gersh__fail(GERSH_ERROR_ARGUMENT,
                           "solver: there are %zu features, too many for full eigen-decompositions, which "
                           "take 30000 at most; use psd or balanced",
                           k);
    eigen->lwork = (lapack_int)(1 + 6 * k + 2 * k * k);
    eigen->liwork = (lapack_int)(3 + 5 * k);
    eigen->values = gersh__alloc(k, sizeof *eigen->values);
    eigen->work = gersh__alloc((size_t)eigen->lwork, sizeof *eigen->work);
    eigen->iwork = gersh__alloc((size_t)eigen->liwork, sizeof *eigen->iwork);
    return eigen->values && eigen->work && eigen->iwork ? GERSH_OK : GERSH_ERROR_MEMORY;
}

gersh_status gersh__dense_init(gersh__eigen *eigen, double **memory, const gersh__solver_run *run,
                               const gersh__array *arrays, size_t count)
{
    size_t total = 0;
    *memory = NULL;
    gersh_status status = init_eigen(eigen, gersh__pairs_features(run->pairs),
                                     gersh__pool_threads(gersh__pairs_pool(run->pairs)) > 1);
    for (size_t i = 0; i < count; i++)
        total += arrays[i].rows * arrays[i].columns;
    if (status == GERSH_OK)
        *memory = gersh__alloc(total, sizeof **memory);
    if (*memory == NULL)
        return status != GERSH_OK ? status : GERSH_ERROR_MEMORY;
    double *next = *memory;
    for (size_t i = 0; i < count; i++) {
        *arrays[i].place = next;
        next += arrays[i].rows * arrays[i].columns;
    }
    return GERSH_OK;
}

void gersh__eigen_clear(gersh__eigen *eigen)
{
    gersh__free(eigen->values);
    gersh__free(eigen->work);
    gersh__free(eigen->iwork);
}

gersh_status gersh__eigen_solve(gersh__eigen *eigen, double *matrix)
{
    lapack_int k = (lapack_int)eigen->k;
    int spread = eigen->threads && eigen->k >= THREADED;
    if (spread)
        gersh__blas_release();
    lapack_int info = LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'L', k, matrix, k, eigen->values,
                                          eigen->work, eigen->lwork, eigen->iwork, eigen->liwork);
    if (spread)
        gersh__blas_hold();
    if (info != 0)
        return gersh__fail(GERSH_ERROR_NUMERIC, "LAPACK's dsyevd failed on a matrix of order %d (info %d)",
                           (int)k, (int)info);
    return GERSH_OK;
}

void gersh__dense_center(const gersh__pairs *pairs, double *x)
{
    size_t k = gersh__pairs_features(pairs), n = gersh__pairs_samples(pairs);
    for (size_t f = 0; f < k; f++) {
        const double *from = gersh__pairs_column(pairs, f, x + f * n);
        double mean = gersh__kernels_here()->sum(n, from) / (double)n;
        for (size_t i = 0; i < n; i++)
            x[f * n + i] = from[i] - mean;
    }
}

gersh_status gersh__dense_root_scatter(double *out, const double *x, size_t k, size_t n, double ridge)
{
    double mean = 0, *vectors = gersh__alloc(k, (k + 1) * sizeof *vectors);
    int order = (int)k, samples = (int)n;
    if (vectors == NULL)
        return GERSH_ERROR_MEMORY;
    double *values = vectors + k * k;
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, order, samples, 1, x, samples, 0, vectors, order);
    for (size_t f = 0; f < k; f++)
        mean += vectors[f * k + f] / (double)k;
    int info = (int)LAPACKE_dsyevd(LAPACK_ROW_MAJOR, 'V', 'L', order, vectors, order, values);
    for (size_t e = 0; e < k * k; e++)
        vectors[e] *= pow(fmax(values[e % k], 0) / mean + ridge, -0.25);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, order, order, order, 1, vectors, order, vectors,
                order, 0, out, order);
    gersh__free(vectors);
    return info == 0
               ? GERSH_OK
               : gersh__fail(GERSH_ERROR_NUMERIC, "LAPACK's dsyevd failed on a matrix of order %d", order);
}

void gersh__dense_start(gersh__solver_run *run, double *m, double *x)
{
    gersh__engine *e = run->engine;
    size_t k = gersh__pairs_features(e->pairs);
    double level = e->rho + (e->atoms > 0 ? 0 : e->budget / (double)k);
    gersh__dense_center(e->pairs, x);
    e->objective->width = SHARP;
    e->bound = -INFINITY;
    memset(m, 0, k * k * sizeof *m);
    for (size_t f = 0; f < k; f++)
        m[f * k + f] = level;
    for (size_t a = 0; a < e->atoms; a++)
        for (size_t f = 0; f < k; f++)
            gersh__kernels_here()->axpy(k, e->theta[a] * e->vector[a * k + f], e->vector + a * k,
                                        m + f * k);
    if (e->atoms > 0) {
        gersh__engine_refresh(e);
        return;
    }
    gersh__pairs_euclidean(e->pairs, e->d);
    for (size_t p = 0, last = gersh__pairs_count(e->pairs); p < last; p++)
        e->d[p] *= level;
    e->value = e->objective->kind->evaluate(e->objective, e->d, e->g);
}

double gersh__dense_tol(const gersh__solver_run *run)
{
    return GERSH__SETTLED * run->limits.tol;
}

int gersh__dense_halted(gersh__solver_run *run)
{
    if (gersh_cancel_requested(run->limits.cancel))
        run->stop = GERSH_STOP_INTERRUPTED;
    else if (gersh__clock_seconds() - run->limits.start >= run->limits.max_seconds)
        run->stop = GERSH_STOP_MAX_TIME;
    else
        return 0;
    return 1;
}

int gersh__dense_ended(gersh__solver_run *run)
{
    if (gersh__dense_halted(run))
        return 1;
    run->stop = GERSH_STOP_MAX_ITER;
    return run->engine->iterations >= run->limits.max_iter;
}

void gersh__dense_report(gersh__solver_run *run, const char *stage, size_t atoms)
{
    gersh__engine *e = run->engine;
    e->iterations++;
    if (run->limits.progress == NULL)
        return;
    double sign = e->objective->info->maximized ? -1 : 1;
    gersh_progress progress = {stage,
                               e->iterations,
                               sign * gersh__engine_value(e),
                               sign * e->bound,
                               INFINITY,
                               atoms,
                               gersh__clock_seconds() - run->limits.start};
    run->limits.progress(run->limits.progress_context, &progress);
}

gersh_status gersh__dense_finish(gersh__solver_run *run, double *vectors, double *weights)
{
    gersh__engine *e = run->engine;
    size_t k = gersh__pairs_features(e->pairs), kept = 0;
    for (size_t a = 0; a < k; a++) {
        if (!(weights[a] > GERSH__NO_BUDGET * e->budget))
            continue;
        weights[kept] = weights[a];
        if (kept != a)
            memcpy(vectors + kept * k, vectors + a * k, k * sizeof *vectors);
        kept++;
    }
    gersh_metric metric = {
        .features = k, .rho = e->rho, .atoms = kept, .weight = weights, .dense = vectors};
    gersh_status status = gersh__engine_start(e, &metric);
    if (status == GERSH_OK)
        gersh__engine_refresh(e);
    run->bound = -INFINITY;
    return status;
}
