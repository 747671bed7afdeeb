/*
 * The schemes pdcone and hbnb: results of the region, an objective that never rises, a step of pdcone by
 * definition, the optimum that pdcone shares with psd, the nuclear norm, odd inputs, limits and starts.
 */
#include "check.h"

#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random.h"
#include "base/threads.h"
#include "gersh/gersh.h"
#include "registry.h"
#include "solver/dense.h"

#define MOST_ROWS 40

static const char *const schemes[] = {"pdcone", "hbnb"};

static gersh_dataset *make_data(gersh__random *random, size_t n, size_t k, int classes)
{
    char text[MOST_ROWS][4];
    const char *labels[MOST_ROWS];
    double *x = calloc(n * k, sizeof *x);
    gersh_dataset *data = NULL;
    for (size_t i = 0; i < n; i++) {
        int c = i < (size_t)classes ? (int)i : (int)gersh__random_below(random, (uint64_t)classes);
        snprintf(text[i], sizeof text[i], "%d", c);
        labels[i] = text[i];
        for (size_t f = 0; f < k; f++)
            x[i * k + f] = gersh__random_normal(random) + (f == (size_t)c % k ? 1.5 : 0);
    }
    assert_ok(gersh_dataset_new(&data, n, k, x, k, labels, NULL, NULL));
    free(x);
    return data;
}

static gersh_settings *settings_of(const char *objective, const char *solver)
{
    gersh_settings *settings;
    assert_ok(gersh_settings_new(&settings));
    assert_ok(gersh_settings_set(settings, "objective", objective));
    assert_ok(gersh_settings_set(settings, "solver", solver));
    assert_ok(gersh_settings_set(settings, "threads", "1"));
    return settings;
}

/* λ_min(M) >= ρ by LAPACK, tr M <= C, weights above 0. */
static void check_feasible(const gersh_metric *metric, const gersh_fit_info *info)
{
    size_t k = metric->features;
    double *m = calloc(k * k, sizeof *m), *values = calloc(k, sizeof *values), trace = 0;
    gersh_metric_matrix(metric, m);
    for (size_t i = 0; i < k; i++)
        trace += m[i * k + i];
    assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'L', (lapack_int)k, m, (lapack_int)k, values), 0);
    assert_true(values[0] >= info->rho - 1e-12 * info->budget);
    assert_true(trace <= info->budget * (1 + 1e-12));
    for (size_t a = 0; a < metric->atoms; a++)
        assert_true(metric->weight[a] > 0);
    free(m);
    free(values);
}

/* Fits and checks what holds of every result. */
static double fit(gersh_metric **metric, gersh_fit_info *info, const gersh_dataset *data,
                  const gersh_settings *settings, const gersh_fit_options *options)
{
    assert_ok(gersh_fit(metric, info, data, settings, options));
    assert_false(info->has_bound);
    assert_true(isfinite(info->objective_value));
    check_feasible(*metric, info);
    return info->objective_value;
}

typedef struct history {
    int calls;
    double sign, last;
} history;

static void never_rises(void *context, const gersh_progress *progress)
{
    history *h = context;
    double value = h->sign * progress->value;
    h->calls++;
    assert_int_equal(progress->iteration, h->calls);
    if (h->calls > 1 && !(value <= h->last + 1e-12 * fabs(h->last)))
        fail_msg("%s: %.17g after %.17g", progress->stage, value, h->last);
    h->last = value;
}

static void results_are_of_the_region(void **unused)
{
    const char *objective;
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 71);
    for (int t = 0; t < cases(30); t++) {
        gersh_dataset *data = make_data(&random, 4 + (size_t)gersh__random_below(&random, 25),
                                        1 + (size_t)gersh__random_below(&random, 10), 2 + t % 2);
        for (size_t o = 0; (objective = objective_name(o, learns_classes)) != NULL; o++) {
            gersh_settings *settings = settings_of(objective, "psd");
            gersh_metric *metric;
            gersh_fit_info best, info;
            double sign = objective_sign(objective);
            assert_ok(gersh_fit(&metric, &best, data, settings, NULL));
            gersh_metric_free(metric);
            for (int s = 0; s < 2; s++) {
                history h = {.sign = sign};
                gersh_fit_options options = {.progress = never_rises, .progress_context = &h};
                assert_ok(gersh_settings_set(settings, "solver", schemes[s]));
                double value = sign * fit(&metric, &info, data, settings, &options);
                assert_int_equal(h.calls, info.iterations);
                assert_true(info.iterations >= 1 && info.iterations <= 1000);
                assert_true(info.stop ==
                            (info.iterations < 1000 ? GERSH_STOP_SETTLED : GERSH_STOP_MAX_ITER));
                assert_true(fabs(value - h.last) <= 1e-9 * (1e-3 + fabs(value)));
                assert_true(value >= sign * best.bound - 1e-9 * fabs(best.bound));
                gersh_metric_free(metric);
            }
            gersh_settings_free(settings);
        }
        gersh_dataset_free(data);
    }
}

/* Given time, projected gradients end at the optimum of the cone, or near it where there are kinks (lmnn). */
static void pdcone_finds_the_optimum(void **unused)
{
    const char *objective;
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 72);
    for (int t = 0; t < cases(8); t++) {
        gersh_dataset *data = make_data(&random, 20 + (size_t)t, 2 + (size_t)t % 5, 2);
        for (size_t o = 0; (objective = objective_name(o, learns_classes)) != NULL; o++) {
            gersh_settings *settings = settings_of(objective, "psd");
            gersh_metric *metric;
            gersh_fit_info best, info;
            double sign = objective_sign(objective);
            assert_ok(gersh_settings_set(settings, "tol", "1e-6"));
            assert_ok(gersh_fit(&metric, &best, data, settings, NULL));
            gersh_metric_free(metric);
            assert_ok(gersh_settings_set(settings, "solver", "pdcone"));
            assert_ok(gersh_settings_set(settings, "tol", "1e-9"));
            assert_ok(gersh_settings_set(settings, "max-iter", "20000"));
            double value = sign * fit(&metric, &info, data, settings, NULL);
            double above = (value - sign * best.objective_value) / fabs(value);
            if (!(above <= (gersh_objective_find(objective)->smoothed ? 0.02 : 1e-6)))
                fail_msg("%s of problem %d: %g of the value above psd", objective, t, above);
            gersh_metric_free(metric);
            gersh_settings_free(settings);
        }
        gersh_dataset_free(data);
    }
}

/* Nearest point of {w >= 0, Σw <= budget} by bisection on the level. */
static void project_by_bisection(size_t k, const double *w, double budget, double *out)
{
    double low = 0, high = 0;
    for (size_t i = 0; i < k; i++)
        high = fmax(high, w[i]);
    for (int step = 0; step < 200; step++) {
        double level = step == 0 ? 0 : 0.5 * (low + high), sum = 0;
        for (size_t i = 0; i < k; i++)
            sum += fmax(w[i] - level, 0);
        if (sum > budget)
            low = level;
        else
            high = level;
    }
    for (size_t i = 0; i < k; i++)
        out[i] = fmax(w[i] - high, 0);
}

static void projections_are_nearest(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 73);
    for (int t = 0; t < cases(2000); t++) {
        double w[20], expected[20], budget = t % 7 == 0 ? 0 : 4 * gersh__random_uniform(&random);
        size_t k = 1 + (size_t)gersh__random_below(&random, 20);
        for (size_t i = 0; i < k; i++)
            w[i] = gersh__random_normal(&random) + (t % 3 - 1);
        project_by_bisection(k, w, budget, expected);
        gersh__dense_project(k, w, budget);
        for (size_t i = 0; i < k; i++)
            assert_true(fabs(w[i] - expected[i]) <= 1e-12);
    }
}

/* P(M − tG) of the first step, t = 0.1/N, for glr: ½ Σ_ij exp(−d_ij)(z_i − z_j)², with C = K and ρ = 0.1. */
static void first_step(const gersh_dataset *data, double *m)
{
    size_t n = gersh_dataset_rows(data), k = gersh_dataset_features(data);
    const double *x = gersh_dataset_values(data);
    const int *labels = gersh_dataset_labels(data);
    double a[64] = {0}, values[8], weights[8], t = 0.1 / (double)n;
    for (size_t f = 0; f < k; f++)
        a[f * k + f] = 1;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            double d = 0;
            for (size_t f = 0; f < k; f++)
                d += (x[i * k + f] - x[j * k + f]) * (x[i * k + f] - x[j * k + f]);
            double slope = labels[i] != labels[j] ? -4 * exp(-d) : 0;
            for (size_t f = 0; f < k; f++)
                for (size_t h = 0; h < k; h++)
                    a[f * k + h] -=
                        t * slope * (x[i * k + f] - x[j * k + f]) * (x[i * k + h] - x[j * k + h]);
        }
    }
    assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'V', 'L', (lapack_int)k, a, (lapack_int)k, values), 0);
    for (size_t e = 0; e < k; e++)
        values[e] -= 0.1;
    project_by_bisection(k, values, 0.9 * (double)k, weights);
    for (size_t f = 0; f < k; f++) {
        for (size_t h = 0; h < k; h++) {
            m[f * k + h] = f == h ? 0.1 : 0;
            for (size_t e = 0; e < k; e++)
                m[f * k + h] += weights[e] * a[f * k + e] * a[h * k + e];
        }
    }
}

static void a_step_is_as_defined(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 74);
    int taken = 0;
    for (int t = 0; t < cases(40); t++) {
        size_t k = 1 + (size_t)gersh__random_below(&random, 8);
        gersh_dataset *data = make_data(&random, 4 + (size_t)gersh__random_below(&random, 20), k, 2);
        gersh_settings *settings = settings_of("glr", "pdcone");
        gersh_metric *metric;
        gersh_fit_info info;
        double expected[64], m[64], identity = 1;
        assert_ok(gersh_settings_set(settings, "trace", "K"));
        assert_ok(gersh_settings_set(settings, "rho", "0.1"));
        assert_ok(gersh_settings_set(settings, "max-iter", "1"));
        fit(&metric, &info, data, settings, NULL);
        gersh_metric_matrix(metric, m);
        first_step(data, expected);
        for (size_t i = 0; i < k * k; i++) /* a step that would not lower the objective is not taken */
            identity = fmin(identity, fabs(m[i] - (i % (k + 1) == 0)) <= 1e-12);
        for (size_t i = 0; i < k * k && !identity; i++)
            assert_true(fabs(m[i] - expected[i]) <= 1e-11 * (double)k);
        taken += !identity;
        gersh_metric_free(metric);
        gersh_settings_free(settings);
        gersh_dataset_free(data);
    }
    assert_true(taken >= cases(40) / 2);
}

/* The larger τ, the smaller the trace; a very large one leaves ρI. */
static void nuclear_norm_shrinks(void **unused)
{
    const char *objective;
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 75);
    gersh_dataset *data = make_data(&random, 30, 8, 2);
    const char *weights[] = {"0", "0.3", "3", "30", "300", "1e300"};
    double trace[6];
    size_t atoms[6];
    for (size_t o = 0; (objective = objective_name(o, learns_classes)) != NULL; o++) {
        for (int t = 0; t < 6; t++) {
            gersh_settings *settings = settings_of(objective, "pdcone");
            gersh_metric *metric;
            gersh_fit_info info;
            assert_ok(gersh_settings_set(settings, "nuclear", weights[t]));
            assert_ok(gersh_settings_set(settings, "trace", "K"));
            assert_ok(gersh_settings_set(settings, "tol", "1e-7"));
            fit(&metric, &info, data, settings, NULL);
            trace[t] = gersh_metric_trace(metric);
            atoms[t] = metric->atoms;
            assert_true(t == 0 || trace[t] <= trace[t - 1] * (1 + 1e-3));
            assert_true(t == 0 || atoms[t] <= atoms[t - 1]);
            gersh_metric_free(metric);
            gersh_settings_free(settings);
        }
        assert_true(trace[5] < 1e-4 * 8 && atoms[5] == 0);
        assert_true(trace[4] < 0.9 * trace[0]);
    }
    gersh_dataset_free(data);
}

/* With one feature, −S √m + τ m, S the sum of the differences between classes, is least at (S / 2τ)². */
static void nuclear_norm_has_its_weight(void **unused)
{
    (void)unused;
    const double x[] = {0, 1, 3, 4.5};
    const char *labels[] = {"a", "b", "b", "a"};
    double sum = 1 + 3 + 3.5 + 1.5;
    gersh_dataset *data;
    assert_ok(gersh_dataset_new(&data, 4, 1, x, 1, labels, NULL, NULL));
    for (int tau = 3; tau <= 9; tau += 3) {
        gersh_settings *settings = settings_of("deml", "pdcone");
        gersh_metric *metric;
        gersh_fit_info info;
        char text[8];
        snprintf(text, sizeof text, "%d", tau);
        assert_ok(gersh_settings_set(settings, "nuclear", text));
        assert_ok(gersh_settings_set(settings, "trace", "10"));
        assert_ok(gersh_settings_set(settings, "tol", "1e-12"));
        fit(&metric, &info, data, settings, NULL);
        double best = sum * sum / (4.0 * tau * tau);
        assert_true(fabs(gersh_metric_trace(metric) - best) <= 1e-4 * best);
        assert_true(fabs(info.objective_value - sum * sqrt(best)) <= 1e-4 * sum);
        gersh_metric_free(metric);
        gersh_settings_free(settings);
    }
    gersh_dataset_free(data);
}

static void odd_inputs(void **unused)
{
    const char *objective;
    (void)unused;
    static const struct {
        size_t n, k;
        double x[12];
        const char *label[4];
    } odd[] = {
        {2, 3, {1, 2, 3, 4, 0, 6}, {"a", "b"}},                             /* two samples */
        {4, 1, {1, 2, 3, 5}, {"a", "b", "a", "b"}},                         /* one feature */
        {2, 1, {0, 1}, {"a", "b"}},                                         /* both */
        {4, 2, {1, 2, 1, 2, 3, 4, 3, 4}, {"a", "b", "a", "b"}},             /* the same samples twice */
        {4, 3, {1, 7, 0, 2, 7, 1, 3, 7, 0, 5, 7, 1}, {"a", "b", "a", "b"}}, /* a constant feature */
        {4, 2, {1, 2, 3, 4, 6, 5, 0, 1}, {"a", "a", "a", "b"}},             /* a class of one */
        {3, 4, {1, 2, 3, 4, 4, 1, 0, 2, 9, 1, 4, 3}, {"a", "b", "a"}}, /* fewer samples than features */
        {4,
         2,
         {1e6, 2e6, 1e6 + 1, 2e6, 1e6, 2e6 + 1, 1e6 + 1, 2e6 + 2},
         {"a", "b", "b", "a"}}, /* far away */
    };
    for (size_t c = 0; c < sizeof odd / sizeof odd[0]; c++) {
        gersh_dataset *data;
        assert_ok(
            gersh_dataset_new(&data, odd[c].n, odd[c].k, odd[c].x, odd[c].k, odd[c].label, NULL, NULL));
        for (size_t o = 0; (objective = objective_name(o, learns_classes)) != NULL; o++) {
            if (odd[c].n == 2 && objective_is(objective, needs_mates))
                continue; /* two rows of a class are needed */
            for (int s = 0; s < 2; s++) {
                gersh_settings *settings = settings_of(objective, schemes[s]);
                gersh_metric *metric;
                gersh_fit_info info;
                fit(&metric, &info, data, settings, NULL);
                gersh_metric_free(metric);
                assert_ok(gersh_settings_set(settings, "rho", "0"));
                if (objective_is(
                        objective,
                        learns_apart)) { /* of glr and deml alone the best metric is then never 0 */
                    fit(&metric, &info, data, settings, NULL);
                    gersh_metric_free(metric);
                }
                gersh_settings_free(settings);
            }
        }
        gersh_dataset_free(data);
    }
}

static void stop_after_two(void *context, const gersh_progress *progress)
{
    if (progress->iteration == 2)
        gersh_cancel_request(context);
}

static void limits_are_kept(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 76);
    gersh_dataset *data = make_data(&random, 30, 8, 2);
    for (int s = 0; s < 2; s++) {
        gersh_settings *settings = settings_of("mcml", schemes[s]);
        gersh_metric *metric;
        gersh_fit_info info;
        gersh_cancel cancel = {0};
        gersh_fit_options options = {
            .progress = stop_after_two, .progress_context = &cancel, .cancel = &cancel};
        assert_ok(gersh_settings_set(settings, "tol", "1e-12"));
        fit(&metric, &info, data, settings, &options);
        assert_true(info.stop == GERSH_STOP_INTERRUPTED && info.iterations == 2);
        gersh_metric_free(metric);
        fit(&metric, &info, data, settings, &options); /* cancelled before it begins: (C/K) I */
        assert_true(info.stop == GERSH_STOP_INTERRUPTED && info.iterations == 0 && metric->atoms == 8);
        assert_true(fabs(gersh_metric_trace(metric) - info.budget) <= 1e-12 * info.budget);
        gersh_metric_free(metric);
        assert_ok(gersh_settings_set(settings, "max-iter", "3"));
        fit(&metric, &info, data, settings, NULL);
        assert_true(info.stop == GERSH_STOP_MAX_ITER && info.iterations == 3);
        gersh_metric_free(metric);
        assert_ok(gersh_settings_set(settings, "max-time", "0"));
        fit(&metric, &info, data, settings, NULL);
        assert_true(info.stop == GERSH_STOP_MAX_TIME && info.iterations == 0);
        gersh_metric_free(metric);
        gersh_settings_free(settings);
    }
    gersh_dataset_free(data);
}

/* A time limit ends hbnb inside an iteration: with 120 features a whole one takes longer. */
static void time_ends_a_row_loop(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 77);
    gersh_dataset *data = make_data(&random, 10, 120, 2);
    gersh_settings *settings = settings_of("mcml", "hbnb");
    gersh_metric *metric;
    gersh_fit_info info;
    assert_ok(gersh_settings_set(settings, "max-time", "0.002"));
    fit(&metric, &info, data, settings, NULL);
    assert_true(info.stop == GERSH_STOP_MAX_TIME && info.iterations <= 1);
    gersh_metric_free(metric);
    gersh_settings_free(settings);
    gersh_dataset_free(data);
}

/* More features than LAPACK alone is used for, and than one thread of BLAS. */
static void many_features(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 78);
    const size_t features[] = {getenv("GERSH_TEST_QUICK") != NULL ? 70 : 420, 100};
    for (int s = 0; s < 2; s++) {
        gersh_dataset *data = make_data(&random, 6, features[s], 2);
        gersh_settings *settings = settings_of("glr", schemes[s]);
        gersh_metric *metric;
        gersh_fit_info start, info;
        assert_ok(gersh_settings_set(settings, "threads", "2"));
        assert_ok(gersh_settings_set(settings, "max-time", "0"));
        fit(&metric, &start, data, settings, NULL);
        gersh_metric_free(metric);
        assert_ok(gersh_settings_set(settings, "max-time", "none"));
        assert_ok(gersh_settings_set(settings, "max-iter", "3"));
        history h = {.sign = 1};
        gersh_fit_options options = {.progress = never_rises, .progress_context = &h};
        assert_true(fit(&metric, &info, data, settings, &options) < start.objective_value);
        gersh_metric_free(metric);
        gersh_settings_free(settings);
        gersh_dataset_free(data);
    }
}

/* From psd's optimum, pdcone ends no higher; hbnb takes a start that its discs do not hold. */
static void starts_are_used(void **unused)
{
    const char *objective;
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 79);
    for (int t = 0; t < cases(10); t++) {
        gersh_dataset *data = make_data(&random, 20, 6, 2);
        for (size_t o = 0; (objective = objective_name(o, learns_classes)) != NULL; o++) {
            gersh_settings *settings = settings_of(objective, "psd");
            gersh_metric *start, *metric;
            gersh_fit_info best, info;
            double sign = objective_sign(objective);
            assert_ok(gersh_fit(&start, &best, data, settings, NULL));
            gersh_fit_options options = {.start = start};
            assert_ok(gersh_settings_set(settings, "solver", "pdcone"));
            double value = sign * fit(&metric, &info, data, settings, &options);
            assert_true(value <= sign * best.objective_value + 1e-9 * (1e-3 + fabs(value)));
            gersh_metric_free(metric);
            assert_ok(gersh_settings_set(settings, "solver", "hbnb"));
            value = sign * fit(&metric, &info, data, settings, &options);
            assert_true(value >= sign * best.bound - 1e-9 * fabs(value));
            gersh_metric_free(metric);
            gersh_metric_free(start);
            gersh_settings_free(settings);
        }
        gersh_dataset_free(data);
    }
}

static void failing_allocations_leak_nothing(void **unused)
{
    const char *objective;
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 80);
    gersh_dataset *data = make_data(&random, 8, 5, 2);
    for (size_t o = 0; (objective = objective_name(o, learns_classes)) != NULL; o++) {
        gersh_settings *settings = settings_of(objective, schemes[o % 2]);
        gersh_status status = GERSH_ERROR_MEMORY;
        assert_ok(gersh_settings_set(settings, "max-iter", "3"));
        for (long n = 1; status != GERSH_OK; n++) {
            gersh_metric *metric;
            gersh_fit_info info;
            assert_true(n < 5000);
            gersh__alloc_fail_at(n);
            status = gersh_fit(&metric, &info, data, settings, NULL);
            gersh__alloc_fail_at(0);
            assert_true(status == GERSH_OK || status == GERSH_ERROR_MEMORY);
            gersh_metric_free(metric);
        }
        gersh_settings_free(settings);
    }
    gersh_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_of_the_region),
        cmocka_unit_test(pdcone_finds_the_optimum),
        cmocka_unit_test(projections_are_nearest),
        cmocka_unit_test(a_step_is_as_defined),
        cmocka_unit_test(nuclear_norm_shrinks),
        cmocka_unit_test(nuclear_norm_has_its_weight),
        cmocka_unit_test(odd_inputs),
        cmocka_unit_test(limits_are_kept),
        cmocka_unit_test(time_ends_a_row_loop),
        cmocka_unit_test(many_features),
        cmocka_unit_test(starts_are_used),
        cmocka_unit_test(failing_allocations_leak_nothing),
    };
    gersh__blas_hold(); /* small matrices: threads of BLAS would only slow the oracle down */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
