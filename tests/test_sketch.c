/* Sketches of the objective. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "check.h"
#include "gersh/gersh.h"
#include "pairs/differences.h"
#include "registry.h"
#include "samples.h"
#include "solver/atoms.h"
#include "solver/sketch.h"

enum {
    ROWS = 264,
    FEATURES = 5
}; /* of two classes alike: 17,424 pairs between them, enough for sketches */

#define assert_close(a, b, error) assert_true(fabs((a) - (b)) <= (error))

/* Rows of two classes whose means differ in two features. */
static gersh_dataset *two_classes(gersh__random *random)
{
    static double x[ROWS * FEATURES];
    static const char *label[ROWS];
    gersh_dataset *data;
    for (size_t i = 0; i < ROWS; i++) {
        double common = gersh__random_normal(random);
        label[i] = i % 2 == 0 ? "a" : "b";
        for (size_t f = 0; f < FEATURES; f++)
            x[i * FEATURES + f] = gersh__random_normal(random) + (f < 2 ? common + (double)(i % 2) : 0);
    }
    assert_ok(gersh_dataset_new(&data, ROWS, FEATURES, x, FEATURES, label, NULL, NULL));
    return data;
}

typedef struct problem {
    gersh_dataset *data;
    gersh_settings *settings;
    gersh__pairs *pairs;
    gersh__objective *objective;
    gersh__engine *engine;
    gersh__region *region;
} problem;

static problem make(gersh__random *random, const char *objective, int dense)
{
    problem q = {.data = two_classes(random)};
    assert_ok(gersh_settings_new(&q.settings));
    assert_ok(gersh__pairs_new_between(&q.pairs, q.data, NULL, NULL));
    assert_ok(gersh__objective_new(&q.objective, gersh__objective_find(objective), q.pairs));
    assert_ok(gersh__engine_new(&q.engine, q.pairs, q.objective, 1e-5, 3, dense));
    assert_ok(
        gersh__region_new(&q.region, dense ? &gersh__region_psd : &gersh__region_hull, q.pairs, NULL));
    return q;
}

static void drop(problem *q)
{
    gersh__region_free(q->region);
    gersh__engine_free(q->engine);
    gersh__objective_free(q->objective);
    gersh__pairs_free(q->pairs);
    gersh_settings_free(q->settings);
    gersh_dataset_free(q->data);
}

static gersh__limits limits_to(double tol)
{
    return (gersh__limits){.tol = tol,
                           .max_iter = 200,
                           .max_seconds = INFINITY,
                           .cutoff = INFINITY,
                           .enough = -INFINITY,
                           .widest = 1};
}

/* Those that sketches are made of: sums over pairs. */
static int is_a_sum(const gersh__objective_entry *entry)
{
    return learns_classes(entry) && entry->classes->pair_terms != NULL;
}

/* A term at the distance d of two samples of different classes. */
static double term_of(const char *objective, double d)
{
    if (strcmp(objective, "glr") != 0 && strcmp(objective, "deml") != 0)
        fail_msg("this test has no definition of the objective %s", objective);
    return strcmp(objective, "glr") == 0 ? 4 * exp(-d) : -sqrt(d);
}

/* F by its definition at the metric's matrix. */
static double value_of(const problem *q, const gersh_metric *metric, const char *objective)
{
    double m[FEATURES * FEATURES], sum = 0;
    const double *x = gersh_dataset_values(q->data);
    const int *label = gersh_dataset_labels(q->data);
    gersh_metric_matrix(metric, m);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < i; j++) {
            double d = 0;
            for (size_t e = 0; e < FEATURES * FEATURES; e++)
                d += (x[i * FEATURES + e / FEATURES] - x[j * FEATURES + e / FEATURES]) * m[e] *
                     (x[i * FEATURES + e % FEATURES] - x[j * FEATURES + e % FEATURES]);
            if (label[i] != label[j])
                sum += term_of(objective, d);
        }
    return sum;
}

/*
 * The gradient of a sketch is the exact one where it is drawn. So at the minimum of F over the region it has its own
 * minimum, and elsewhere its minimum is better than where it was drawn.
 */
static void a_sketch_has_the_exact_gradient(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 9);
    size_t count = count_objectives(is_a_sum);
    for (size_t t = 0; t < 2 * count; t++) {
        const char *objective = objective_name(t % count, is_a_sum);
        problem q = make(&random, objective, (int)(t / count));
        gersh_stop stop;
        gersh_metric *here, *there;
        double value, bound;
        gersh__limits rough = limits_to(0.3), tight = limits_to(1e-6);
        assert_true(gersh__sketch_pays(q.engine));
        assert_ok(gersh__engine_solve(q.engine, q.region, "rough", &rough, &stop));
        assert_ok(gersh__engine_measure(q.engine, q.region, 1, &value, &bound));
        assert_true(value - bound > 1e-3 * fabs(value));
        assert_ok(gersh__sketch_solve(&there, q.engine, q.region, &tight, value - bound));
        assert_true(value_of(&q, there, objective) < value);
        gersh_metric_free(there);
        assert_ok(gersh__engine_solve(q.engine, q.region, "tight", &tight, &stop));
        assert_true(stop == GERSH_STOP_CONVERGED);
        assert_ok(gersh__engine_measure(q.engine, q.region, 1, &value, &bound));
        assert_ok(gersh__engine_metric(&here, q.engine));
        assert_close(value_of(&q, here, objective), value, 1e-9 * fabs(value));
        assert_ok(gersh__sketch_solve(&there, q.engine, q.region, &tight, 1e-3 * fabs(value)));
        double moved = value_of(&q, there, objective) - value;
        if (!(moved <= 1e-3 * fabs(value)))
            fail_msg("%s: a sketch leads away from the minimum, by %g of %g", objective, moved, value);
        gersh_metric_free(here);
        gersh_metric_free(there);
        drop(&q);
    }
}

/* Every allocation of a fit with sketches fails in turn. */
static void failing_allocations_leak_nothing(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 12);
    gersh_dataset *data = two_classes(&random);
    gersh_settings *settings;
    gersh_status status = GERSH_ERROR_MEMORY;
    assert_ok(gersh_settings_new(&settings));
    assert_ok(gersh_settings_set(settings, "threads", "1"));
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
    gersh_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sketch_has_the_exact_gradient),
        cmocka_unit_test(failing_allocations_leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
