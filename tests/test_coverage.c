/*
 * What fits to sampled pairs state of all pairs: mcml by rows and on sampled pairs against its definition, and how often stated
 * values and bounds hold. bench_coverage has more runs of the latter.
 */
#include "check.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random.h"
#include "gersh/gersh.h"
#include "objective/mcml_rows.h"
#include "objective/objective.h"
#include "pairs.h"
#include "random_metrics.h"
#include "registry.h"

enum { FEATURES = 4 };

typedef struct problem {
    size_t n;
    double *x, *weight;
    int *class;
    gersh_dataset *data;
    gersh__population *population;
} problem;

/* Three overlapping classes of 1/2, 1/3 and 1/6 of the rows, a single row of a fourth one, and weights of 1 to 3 or none. */
static problem make(uint64_t seed, size_t n, int weighted)
{
    static const char *const names[] = {"a", "b", "c", "alone"};
    gersh__random random;
    gersh__random_seed(&random, seed);
    problem q = {.n = n,
                 .x = malloc(n * FEATURES * sizeof(double)),
                 .weight = weighted ? malloc(n * sizeof(double)) : NULL,
                 .class = malloc(n * sizeof(int))};
    const char **labels = malloc(n * sizeof *labels);
    for (size_t i = 0; i < n; i++) {
        uint64_t place = gersh__random_below(&random, 6);
        q.class[i] = i == 0 ? 3 : place < 3 ? 0 : place < 5 ? 1 : 2;
        labels[i] = names[q.class[i]];
        if (weighted)
            q.weight[i] = (double)(1 + gersh__random_below(&random, 3));
        for (size_t f = 0; f < FEATURES; f++)
            q.x[i * FEATURES + f] = gersh__random_normal(&random) + (f == (size_t)q.class[i] ? 1.5 : 0.0);
    }
    assert_ok(gersh_dataset_new(&q.data, n, FEATURES, q.x, FEATURES, labels, NULL, NULL));
    assert_ok(gersh__population_new(&q.population, q.data, q.weight));
    free(labels);
    return q;
}

static void drop(problem *q)
{
    gersh__population_free(q->population);
    gersh_dataset_free(q->data);
    free(q->x);
    free(q->weight);
    free(q->class);
}

static double weight_of(const problem *q, size_t i)
{
    return q->weight != NULL ? q->weight[i] : 1;
}

/* mcml over all pairs by definition. */
static double mcml_of(const problem *q, const gersh_metric *metric)
{
    double value = 0;
    for (size_t i = 0; i < q->n; i++) {
        double mates = 0, pull = 0, total = 0;
        for (size_t j = 0; j < q->n; j++) {
            if (i == j)
                continue;
            double d = gersh_metric_distance(metric, q->x + i * FEATURES, q->x + j * FEATURES);
            total += weight_of(q, j) * exp(-d);
            if (q->class[i] != q->class[j])
                continue;
            mates += weight_of(q, j);
            pull += weight_of(q, j) * d;
        }
        if (mates > 0)
            value += weight_of(q, i) * (pull / mates + log(total) - log(mates));
    }
    return value;
}

static void assert_close(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance * fmax(fabs(a), fabs(b))))
        fail_msg("%.17g is not %.17g", a, b);
}

static double measure(double *error, const problem *q, const gersh_metric *metric, double work,
                      gersh__random *random)
{
    gersh__mcml_rows *rows;
    double value;
    assert_ok(gersh__mcml_rows_new(&rows, q->population, work, random));
    assert_ok(gersh__mcml_rows_measure(&value, error, rows, metric, NULL));
    gersh__mcml_rows_free(rows);
    return value;
}

/* With work enough for all rows the value is that of all pairs, for metrics of every shape. */
static void test_all_rows(void **state)
{
    gersh__random random;
    (void)state;
    gersh__random_seed(&random, 1);
    for (size_t n = 90; n < 1000; n *= 3)
        for (int shape = SINGLE_METRIC; shape < METRICS; shape++) {
            problem q = make(n + (size_t)shape, n, shape % 2);
            gersh_metric *metric = random_metric(&random, FEATURES, shape);
            double error, value = measure(&error, &q, metric, 1e9, &random);
            assert_true(error == 0);
            assert_close(value, mcml_of(&q, metric), 1e-11);
            gersh_metric_free(metric);
            drop(&q);
        }
}

static gersh_metric *plain_metric(double scale)
{
    gersh_metric *metric;
    assert_ok(gersh_metric_new(&metric, FEATURES, scale, 0, 0));
    return metric;
}

/* With some rows it is unbiased, and the stated errors are those that occur. */
static void test_some_rows(void **state)
{
    int draws = cases(300);
    (void)state;
    for (int weighted = 0; weighted < 2; weighted++)
        for (double scale = 0.3; scale < 4; scale *= 8) {
            problem q = make(3, 700, weighted);
            gersh_metric *metric = plain_metric(scale);
            double value = mcml_of(&q, metric), mean = 0, square = 0, stated = 0;
            gersh__random random;
            gersh__random_seed(&random, 5);
            for (int r = 0; r < draws; r++) {
                double error, off = measure(&error, &q, metric, 120000, &random) - value;
                assert_true(error > 0);
                mean += off / draws;
                square += off * off / draws;
                stated += error * error / draws;
            }
            if (draws >= 100) {
                assert_true(fabs(mean) <= 4 * sqrt(square / draws));
                assert_true(4 * square <= 1.2 * stated && 4 * square >= 0.6 * stated);
                assert_true(sqrt(square) < 0.1 * value);
            }
            gersh_metric_free(metric);
            drop(&q);
        }
}

/* mcml on one draw of pairs. */
static double drawn_value(const problem *q, const gersh_metric *metric, size_t count, gersh__random *random)
{
    gersh__pairs *pairs;
    gersh__objective *objective;
    assert_ok(gersh__pairs_new_sampled(&pairs, q->population, (gersh__wanted){1, 1}, count, random, NULL));
    assert_ok(gersh__objective_new(&objective, gersh__objective_find("mcml"), pairs));
    double *d = malloc(gersh__pairs_count(pairs) * sizeof *d);
    for (size_t p = 0; p < gersh__pairs_count(pairs); p++)
        d[p] = gersh_metric_distance(metric, q->x + pair_row(pairs, p) * FEATURES,
                                     q->x + pair_other_row(pairs, p) * FEATURES);
    double value = gersh__objective_value(objective, d);
    free(d);
    gersh__objective_free(objective);
    gersh__pairs_free(pairs);
    return value;
}

/* Where all distances are 0, mcml is what the sizes of the classes say: without weights every draw knows it. */
static void test_drawn_sizes(void **state)
{
    problem q = make(7, 300, 0);
    gersh_metric *metric = plain_metric(0);
    gersh__random random;
    (void)state;
    gersh__random_seed(&random, 1);
    for (int r = 0; r < 20; r++)
        assert_close(drawn_value(&q, metric, 1500, &random), mcml_of(&q, metric), 1e-12);
    gersh_metric_free(metric);
    drop(&q);
}

/* The mean over draws is at most the value, by as little as Jensen's inequality takes. */
static void test_drawn_below(void **state)
{
    int draws = cases(800);
    (void)state;
    for (int weighted = 0; weighted < 2; weighted++)
        for (double scale = 0.1; scale < 2; scale *= 4) {
            problem q = make(9, 300, weighted);
            gersh_metric *metric = plain_metric(scale);
            double value = mcml_of(&q, metric), mean = 0, square = 0;
            gersh__random random;
            gersh__random_seed(&random, 3);
            for (int r = 0; r < draws; r++) {
                double off = drawn_value(&q, metric, 1500, &random) - value;
                mean += off / draws;
                square += off * off / draws;
            }
            double error = sqrt(square / draws);
            if (draws >= 100 && !(mean <= 4 * error && mean >= -0.2 * value - 4 * error))
                fail_msg("drawn values are off by %g ± %g of %g", mean, error, value);
            gersh_metric_free(metric);
            drop(&q);
        }
}

static gersh_status fit(gersh_metric **metric, gersh_fit_info *info, const problem *q,
                        const char *objective, const char *memory, int seed, double trace)
{
    char number[2][32];
    gersh_settings *s;
    snprintf(number[0], sizeof number[0], "%d", seed);
    snprintf(number[1], sizeof number[1], "%.17g", trace);
    const char *const settings[][2] = {{"objective", objective}, {"memory", memory},   {"solver", "hull"},
                                       {"seed", number[0]},      {"trace", number[1]}, {"rho", "0.001"}};
    assert_ok(gersh_settings_new(&s));
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        assert_ok(gersh_settings_set(s, settings[i][0], settings[i][1]));
    gersh_status status = gersh_fit(metric, info, q->data, s, &(gersh_fit_options){.weights = q->weight});
    gersh_settings_free(s);
    return status;
}

/* The objective over all pairs, as the user knows it. */
static double value_of(const problem *q, const char *name, const gersh_metric *metric)
{
    gersh__pairs *pairs;
    gersh__objective *objective;
    assert_ok(gersh__pairs_new(&pairs, q->data, q->weight, 0, NULL, NULL, NULL));
    assert_ok(gersh__objective_new(&objective, gersh__objective_find(name), pairs));
    double *d = malloc(gersh__pairs_count(pairs) * sizeof *d);
    for (size_t i = 1, p = 0; i < gersh__pairs_samples(pairs); i++)
        for (size_t j = 0; j < i; j++)
            d[p++] = gersh_metric_distance(metric, q->x + gersh__pairs_row(pairs, i) * FEATURES,
                                           q->x + gersh__pairs_row(pairs, j) * FEATURES);
    double value = gersh__objective_value(objective, d);
    free(d);
    gersh__objective_free(objective);
    gersh__pairs_free(pairs);
    return value;
}

/*
 * Of 40 statements that hold with 95 % each, 9 or more fail once in 5,000 times. The bound is compared with the value that
 * a fit to all pairs attains.
 */
static void test_statements(void **state)
{
    enum { RUNS = 40, MOST_FAILED = 8 };
    int runs = cases(RUNS);
    size_t count = count_objectives(learns_classes);
    visits seen = {0};
    (void)state;
    for (size_t o = 0; o < 2 * count; o++) {
        const char *name = objective_name(o % count, learns_classes);
        if (o >= count && objective_is(name, uses_lists))
            continue; /* with weights, those that compare each sample with all others */
        visit(&seen, name);
        problem q = make(11, 1500, o >= count);
        double sign = objective_sign(name);
        int off = 0, above = 0;
        gersh_metric *metric;
        gersh_fit_info info, full;
        double best = INFINITY;
        if (runs > MOST_FAILED) { /* of fewer none could be too many */
            assert_ok(fit(&metric, &full, &q, name, "100", 1, 3));
            best = sign * value_of(&q, name, metric);
            gersh_metric_free(metric);
        }
        for (int r = 0; r < runs; r++) {
            assert_ok(fit(&metric, &info, &q, name, "0.08", r + 1, 3));
            assert_true(info.choice != GERSH_CHOICE_ALL && info.value_error > 0 && info.has_bound);
            off += fabs(value_of(&q, name, metric) - info.objective_value) > info.value_error;
            above += sign * info.bound > best + 1e-9 * fabs(best);
            gersh_metric_free(metric);
        }
        if (off > MOST_FAILED || above > MOST_FAILED)
            fail_msg("%s%s: of %d runs %d values and %d bounds do not hold", name,
                     q.weight != NULL ? " with weights" : "", runs, off, above);
        drop(&q);
    }
    assert_all_objectives(&seen, learns_classes);
}

static void test_short_memory(void **state)
{
    problem q = make(13, 600, 1);
    gersh_metric *metric = plain_metric(1);
    (void)state;
    for (long at = 1;; at++) {
        gersh__mcml_rows *rows = NULL;
        double value, error;
        gersh__random random;
        gersh__random_seed(&random, 1);
        gersh__alloc_fail_at(at);
        gersh_status status = gersh__mcml_rows_new(&rows, q.population, 100000, &random);
        if (status == GERSH_OK)
            status = gersh__mcml_rows_measure(&value, &error, rows, metric, NULL);
        long made = gersh__alloc_fail_at(0);
        gersh__mcml_rows_free(rows);
        if (status == GERSH_OK) {
            assert_true(made < at);
            break;
        }
        assert_int_equal(status, GERSH_ERROR_MEMORY);
    }
    gersh_metric_free(metric);
    drop(&q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_rows),    cmocka_unit_test(test_some_rows),
        cmocka_unit_test(test_drawn_sizes), cmocka_unit_test(test_drawn_below),
        cmocka_unit_test(test_statements),  cmocka_unit_test(test_short_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
