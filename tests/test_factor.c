/*
 * The descent on a factor that psd begins with: L-BFGS against what is known of it on quadratic functions, and fits beside
 * those that begin elsewhere, with the engine alone.
 */
#include "check.h"

#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "gersh/gersh.h"
#include "registry.h"
#include "solver/lbfgs.h"

enum { SIZE = 12 };

static void same(const void *context, const double *v, double *out)
{
    (void)context;
    memcpy(out, v, SIZE * sizeof *out);
}

/* With exact steps, a quadratic function of SIZE unknowns is at its minimum after SIZE of them. */
static void quadratic_functions_end(void **unused)
{
    (void)unused;
    static double steps[GERSH__LBFGS_MOST * SIZE], turns[GERSH__LBFGS_MOST * SIZE],
        inverse[GERSH__LBFGS_MOST];
    gersh__random random;
    gersh__random_seed(&random, 61);
    for (int c = 0; c < cases(200); c++) {
        double v[SIZE * SIZE], h[SIZE * SIZE], x[SIZE], next[SIZE], g[SIZE], next_g[SIZE], along[SIZE],
            work[SIZE], first = 0;
        gersh__lbfgs l = {GERSH__LBFGS_MOST, SIZE, SIZE, 0, 0, steps, turns, inverse};
        for (size_t e = 0; e < SIZE * SIZE; e++)
            v[e] = gersh__random_normal(&random);
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, SIZE, SIZE, SIZE, 1, v, SIZE, v, SIZE, 0, h,
                    SIZE);
        for (size_t i = 0; i < SIZE; i++) {
            h[i * SIZE + i] += 1;
            x[i] = gersh__random_normal(&random);
        }
        cblas_dsymv(CblasRowMajor, CblasLower, SIZE, 1, h, SIZE, x, 1, 0, g, 1);
        first = cblas_dnrm2(SIZE, g, 1);
        for (int step = 0; step < SIZE + 2; step++) {
            gersh__lbfgs_direct(&l, g, along, same, NULL, work);
            cblas_dsymv(CblasRowMajor, CblasLower, SIZE, 1, h, SIZE, along, 1, 0, work, 1);
            double slope = cblas_ddot(SIZE, g, 1, along, 1),
                   curvature = cblas_ddot(SIZE, along, 1, work, 1);
            assert_true(slope <= 0);
            if (!(cblas_dnrm2(SIZE, g, 1) > 1e-9 * first))
                break;
            memcpy(next, x, sizeof next);
            cblas_daxpy(SIZE, -slope / curvature, along, 1, next, 1);
            cblas_dsymv(CblasRowMajor, CblasLower, SIZE, 1, h, SIZE, next, 1, 0, next_g, 1);
            gersh__lbfgs_keep(&l, x, next, g, next_g);
            memcpy(x, next, sizeof x);
            memcpy(g, next_g, sizeof g);
        }
        assert_true(cblas_dnrm2(SIZE, g, 1) <= 1e-7 * first);
    }
}

/* Two classes whose means differ in every third feature. */
static gersh_dataset *rows_of(gersh__random *random, size_t n, size_t k)
{
    gersh_dataset *data = NULL;
    double *x = malloc(n * k * sizeof *x);
    const char **label = malloc(n * sizeof *label);
    assert_true(x != NULL && label != NULL);
    for (size_t i = 0; i < n; i++) {
        label[i] = i % 2 ? "a" : "b";
        for (size_t f = 0; f < k; f++)
            x[i * k + f] = gersh__random_normal(random) + (f % 3 == 0 && i % 2 ? 0.7 : 0);
    }
    assert_ok(gersh_dataset_new(&data, n, k, x, k, label, NULL, NULL));
    free(x);
    free(label);
    return data;
}

static void fit(gersh_fit_info *info, const gersh_dataset *data, const char *objective, const char *threads,
                const char *max_iter, const gersh_metric *start)
{
    gersh_settings *settings = NULL;
    gersh_metric *metric = NULL;
    gersh_fit_options options = {.start = start};
    assert_ok(gersh_settings_new(&settings));
    assert_ok(gersh_settings_set(settings, "solver", "psd"));
    assert_ok(gersh_settings_set(settings, "objective", objective));
    assert_ok(gersh_settings_set(settings, "threads", threads));
    assert_ok(gersh_settings_set(settings, "max-iter", max_iter));
    assert_ok(gersh_fit(&metric, info, data, settings, &options));
    gersh_metric_free(metric);
    gersh_settings_free(settings);
}

static const struct {
    size_t n, k;
} shapes[] = {{60, 5}, {24, 50}, {70, 31}, {80, 40}};

/* Slow tools see the first shapes alone. */
static size_t some_shapes(void)
{
    return getenv("GERSH_TEST_QUICK") != NULL ? 2 : sizeof shapes / sizeof shapes[0];
}

/* A metric of one atom to begin with keeps psd to the engine: both ends are within their gaps of each other, and the
 * factor ends where the engine alone does. */
static void both_ways_meet(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 62);
    for (size_t s = 0; s < some_shapes(); s++) {
        gersh_dataset *data = rows_of(&random, shapes[s].n, shapes[s].k);
        const char *objective;
        for (size_t o = 0; (objective = objective_name(o, learns_classes)) != NULL; o++) {
            gersh_fit_info by_factor, by_atoms;
            gersh_metric *start = NULL;
            double sign = objective_sign(objective);
            fit(&by_factor, data, objective, "1", "300", NULL);
            assert_ok(gersh_metric_new(&start, shapes[s].k, by_factor.rho, 1, 1));
            start->weight[0] = 0.1 * by_factor.budget;
            for (size_t f = 0; f < shapes[s].k; f++)
                start->dense[f] = sqrt(1 / (double)shapes[s].k);
            fit(&by_atoms, data, objective, "1", "300", start);
            gersh_metric_free(start);
            double slack = 1e-9 * fabs(by_factor.objective_value) + 1e-12;
            assert_true(by_factor.stop == GERSH_STOP_CONVERGED || by_atoms.stop != GERSH_STOP_CONVERGED);
            assert_true(sign * by_factor.bound <= sign * by_atoms.objective_value + slack);
            assert_true(sign * by_atoms.bound <= sign * by_factor.objective_value + slack);
        }
        gersh_dataset_free(data);
    }
}

/* Threads change no bit, and a limit of steps is one of all of them. */
static void threads_and_limits(void **unused)
{
    (void)unused;
    static const char *const threads[] = {"1", "2", "3"};
    gersh__random random;
    gersh__random_seed(&random, 63);
    gersh_dataset *data = rows_of(&random, getenv("GERSH_TEST_QUICK") != NULL ? 60 : 260, 35);
    const char *objective;
    for (size_t o = 0; (objective = objective_name(o, learns_classes)) != NULL; o++) {
        gersh_fit_info info[3];
        for (size_t t = 0; t < 3; t++)
            fit(&info[t], data, objective, threads[t], "1000", NULL);
        for (size_t t = 1; t < 3; t++)
            assert_true(info[t].objective_value == info[0].objective_value &&
                        info[t].bound == info[0].bound && info[t].iterations == info[0].iterations);
        for (int most = 1; most < 4; most++) {
            char number[8];
            snprintf(number, sizeof number, "%d", most);
            fit(&info[0], data, objective, "1", number, NULL);
            assert_true(info[0].iterations == most && info[0].stop == GERSH_STOP_MAX_ITER);
        }
    }
    gersh_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quadratic_functions_end),
        cmocka_unit_test(both_ways_meet),
        cmocka_unit_test(threads_and_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
