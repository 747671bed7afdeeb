/*
 * bench_shares: where the time of a large fit goes, and how near its matrix products are to bare BLAS.
 *
 * 1,000 generated rows of 24 features in two classes (see bench.h), mcml over all 499,500 pairs.
 *
 * The parts that end in BLAS are timed at the solution of the fit: the Laplacian L(g) X beside one dsymm of
 * its size, the Hessian over the m atoms beside one dsyrk of m columns of all pairs, and the distances of m
 * atoms beside one dsyrk of m columns of all rows. BLAS has as many threads as gersh then.
 */
#include <cblas.h>
#include <math.h>

#include "base/clock.h"
#include "base/threads.h"
#include "bench.h"
#include "objective/objective.h"
#include "pairs/pairs.h"

enum { ROWS = 1000, FEATURES = 24, FITS = 3, REPEATS = 15 };

extern void openblas_set_num_threads(int threads) __attribute__((weak));

static gersh_settings *fit_settings(const char *solver, const char *threads)
{
    const char *const pairs[] = {"objective", "mcml",    "solver", solver, "tol",
                                 "1e-2",      "threads", threads,  NULL};
    return settings_of(pairs);
}

/* The parts' seconds are medians of their own, so the shares need not come from one and the same fit. */
static gersh_metric *print_shares(const gersh_dataset *data, const char *solver, const char *threads)
{
    gersh_settings *settings = fit_settings(solver, threads);
    gersh_metric *metric = NULL;
    gersh_fit_info info;
    double all[FITS], gradient[FITS], minimizer[FITS], objective[FITS], step[FITS];
    for (int r = 0; r < FITS; r++) {
        gersh_metric_free(metric);
        must(gersh_fit(&metric, &info, data, settings, NULL));
        all[r] = info.seconds;
        gradient[r] = info.seconds_gradient;
        minimizer[r] = info.seconds_minimizer;
        objective[r] = info.seconds_objective;
        step[r] = info.seconds_step;
    }
    double seconds = median(FITS, all);
    printf("%-9s %7s %9.4f %8.3f %6d %7d %6zu %8.1f %10.1f %10.1f %7.1f\n", solver, threads, seconds,
           percent(info.gap, fabs(info.objective_value)), info.iterations, info.newton_steps, metric->atoms,
           percent(median(FITS, gradient), seconds), percent(median(FITS, objective), seconds),
           percent(median(FITS, minimizer), seconds), percent(median(FITS, step), seconds));
    gersh_settings_free(settings);
    return metric;
}

/* All that the parts need: the pairs, the objective at the solution, the atoms' projections. */
typedef struct parts {
    gersh__pool *pool;
    gersh__pairs *pairs;
    gersh__objective *objective;
    size_t m;
    double *t, *weight;       /* m × n, m */
    double *d, *g, *next_d;   /* pairs */
    double *y, *h;            /* k × n, m × m */
    double *square, *product; /* n × n, and what bare BLAS makes of it: n × n */
    double *rows;             /* pairs × m: the atoms' distances */
} parts;

static void make_parts(parts *p, const gersh_dataset *data, const gersh_metric *metric, int threads)
{
    must(gersh__pool_new(&p->pool, threads));
    must(gersh__pairs_new(&p->pairs, data, NULL, 0, NULL, NULL, p->pool));
    must(gersh__objective_new(&p->objective, gersh__objective_find("mcml"), p->pairs));
    size_t n = gersh__pairs_samples(p->pairs), count = gersh__pairs_count(p->pairs),
           m = p->m = metric->atoms;
    p->t = room(m * n, sizeof(double));
    must(gersh__pairs_reserve(p->pairs, m));
    p->weight = room(m, sizeof(double));
    p->d = room(count, sizeof(double));
    p->g = room(count, sizeof(double));
    p->next_d = room(count, sizeof(double));
    p->y = room(n * gersh__pairs_features(p->pairs), sizeof(double));
    p->h = room(m * m, sizeof(double));
    p->square = room(n * n, sizeof(double));
    p->product = room(n * n, sizeof(double));
    p->rows = room(count * m, sizeof(double));
    for (size_t a = 0; a < m; a++) {
        gersh_atom z = metric->atom[a];
        double *t = p->t + a * n;
        p->weight[a] = metric->weight[a];
        for (size_t i = 0; i < n; i++)
            t[i] = z.a * gersh__pairs_columns(p->pairs)[z.i * n + i] +
                   z.b * gersh__pairs_columns(p->pairs)[z.j * n + i];
        gersh__pairs_add(p->pairs, p->weight[a], t, p->d);
        for (size_t i = 1; i < n; i++)
            for (size_t j = 0; j < i; j++)
                p->rows[a * count + i * (i - 1) / 2 + j] = (t[i] - t[j]) * (t[i] - t[j]);
    }
    p->objective->kind->evaluate(p->objective, p->d, p->g);
    for (size_t i = 1; i < n; i++)
        for (size_t j = 0; j < i; j++)
            p->square[i * n + j] = p->square[j * n + i] = -p->g[i * (i - 1) / 2 + j];
}

static void free_parts(parts *p)
{
    gersh__objective_free(p->objective);
    gersh__pairs_free(p->pairs);
    gersh__pool_free(p->pool);
    free(p->t);
    free(p->weight);
    free(p->d);
    free(p->g);
    free(p->next_d);
    free(p->y);
    free(p->h);
    free(p->square);
    free(p->product);
    free(p->rows);
}

static void our_laplacian(parts *p)
{
    gersh__pairs_adjoint(p->pairs, p->g, gersh__pairs_features(p->pairs), gersh__pairs_columns(p->pairs),
                         p->y);
}

static void bare_laplacian(parts *p)
{
    int n = (int)gersh__pairs_samples(p->pairs);
    cblas_dsymm(CblasColMajor, CblasLeft, CblasUpper, n, (int)gersh__pairs_features(p->pairs), 1.0,
                p->square, n, gersh__pairs_columns(p->pairs), n, 0.0, p->y, n);
}

static void our_hessian(parts *p)
{
    must(gersh__objective_hessian(p->objective, p->d, p->m, p->t, p->h));
}

static void bare_hessian(parts *p)
{
    int count = (int)gersh__pairs_count(p->pairs), m = (int)p->m;
    cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, m, count, 1.0, p->rows, count, 0.0, p->h, m);
}

static void our_distances(parts *p)
{
    memset(p->next_d, 0, gersh__pairs_count(p->pairs) * sizeof *p->next_d);
    const gersh__terms terms = {.m = p->m, .t = p->t, .weight = p->weight};
    gersh__pairs_squared_distances(p->pairs, &terms, p->next_d, p->next_d);
}

static void bare_distances(parts *p)
{
    int n = (int)gersh__pairs_samples(p->pairs);
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, n, (int)p->m, 1.0, p->t, n, 0.0, p->product, n);
}

static double seconds_of(void (*call)(parts *), parts *p)
{
    double begin = gersh__clock_seconds();
    call(p);
    return gersh__clock_seconds() - begin;
}

/* Ours as the fit runs it, with BLAS held to one thread for each worker; theirs with all threads. */
static void print_part(const char *name, int threads, parts *p, void (*ours)(parts *),
                       void (*bare)(parts *))
{
    double own[REPEATS], other[REPEATS];
    for (int r = -1; r < REPEATS; r++) {
        gersh__blas_hold();
        double first = seconds_of(ours, p);
        gersh__blas_release();
        double second = seconds_of(bare, p);
        if (r >= 0) {
            own[r] = first;
            other[r] = second;
        }
    }
    double a = median(REPEATS, own), b = median(REPEATS, other);
    printf("%7d  %-44s %9.3f %9.3f %7.2f\n", threads, name, 1e3 * a, 1e3 * b, a / b);
}

static void print_parts(const gersh_dataset *data, const gersh_metric *metric, int threads)
{
    parts p = {0};
    char laplacian[64], hessian[64], distances[64];
    if (openblas_set_num_threads != NULL)
        openblas_set_num_threads(threads);
    make_parts(&p, data, metric, threads);
    snprintf(laplacian, sizeof laplacian, "Laplacian / dsymm %zu x %zu x %zu",
             gersh__pairs_samples(p.pairs), gersh__pairs_samples(p.pairs), gersh__pairs_features(p.pairs));
    snprintf(hessian, sizeof hessian, "Hessian / dsyrk %zu x %zu", p.m, gersh__pairs_count(p.pairs));
    snprintf(distances, sizeof distances, "distances / dsyrk %zu x %zu", gersh__pairs_samples(p.pairs),
             p.m);
    print_part(laplacian, threads, &p, our_laplacian, bare_laplacian);
    print_part(hessian, threads, &p, our_hessian, bare_hessian);
    print_part(distances, threads, &p, our_distances, bare_distances);
    free_parts(&p);
}

int main(void)
{
    static const char *const solvers[] = {"hull", "balanced"};
    static const char *const threads[] = {"1", "2"};
    gersh_dataset *data = make_two_classes(ROWS, FEATURES);
    gersh_metric *metric = NULL;
    print_version();
    printf(
        "mcml, %d generated rows of %d features, all pairs, tol 1e-2: median of %d fits; shares in %%\n\n",
        ROWS, FEATURES, FITS);
    printf("%-9s %7s %9s %8s %6s %7s %6s %8s %10s %10s %7s\n", "solver", "threads", "seconds", "gap %",
           "calls", "Newton", "atoms", "D*", "objective", "minimiser", "step");
    for (int s = 0; s < 2; s++)
        for (int t = 0; t < 2; t++) {
            gersh_metric_free(metric);
            metric = print_shares(data, solvers[s], threads[t]);
        }
    printf("\nParts beside bare BLAS calls of the same size, milliseconds, medians of %d\n\n", REPEATS);
    printf("%7s  %-44s %9s %9s %7s\n", "threads", "part", "gersh", "BLAS", "ratio");
    print_parts(data, metric, 1);
    print_parts(data, metric, 2);
    gersh_metric_free(metric);
    gersh_dataset_free(data);
    print_peak();
    return 0;
}
