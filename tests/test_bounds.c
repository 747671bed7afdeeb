/*
 * Bounds: none is above a value that is attained, whatever the problem (the search of bench/false_bounds.c, some
 * thousands of fits of it), and linear minimisers are right at any size of the gradient.
 */
#include "../bench/false_bounds.h"

#include "check.h"
#include "pairs/gradient.h"
#include "region/region.h"
#include "registry.h"

enum { MANY_FEATURES = 560, SOME_ROWS = 12, MOST_PAIRS = SOME_ROWS * (SOME_ROWS - 1) / 2 };

static void no_bound_is_false(void **unused)
{
    (void)unused;
    bounds_search s = bounds_start(1);
    visits objectives = {0}, solvers = {0};
    for (int seed = 1; seed <= cases(400); seed++)
        bounds_run(&s, 1000000 + (unsigned long long)seed, 30);
    assert_int_equal(bounds_report(&s), 0);
    for (size_t o = 0; gersh_objective_at((int)o) != NULL; o++)
        for (size_t i = 0; gersh_solver_at((int)i) != NULL; i++)
            if (s.tally[o][i].compared > 0) {
                visit(&objectives, gersh_objective_at((int)o)->name);
                visit(&solvers, gersh_solver_at((int)i)->name);
            }
    assert_all_objectives(&objectives, any_objective);
    assert_all_solvers(&solvers, is_certified);
}

/* The search finds a bound that is too high by 1e-9. */
static void a_false_bound_is_found(void **unused)
{
    (void)unused;
    bounds_search s = bounds_start(0);
    bounds_problem q = {.n = 2};
    bounds_found found = {.values = 1, .bounds = 1};
    found.value[0] = (bounds_value){1, 1, BOUNDS_TWO};
    const gersh_solver_info *hull = gersh_solver_find("hull"), *diagonal = gersh_solver_find("diagonal");
    int h = bounds_place(hull), d = bounds_place(diagonal);
    found.bound[0].solver = hull;
    found.bound[0].place = h;
    found.bound[0].bound = 1 - 1e-9;
    bounds_compare(&s, &found, &q, 0, 0);
    assert_int_equal(s.tally[0][h].wrong, 0);
    found.bound[0].bound = 1 + 1e-9;
    s.shown = 20; /* nothing printed */
    bounds_compare(&s, &found, &q, 0, 0);
    assert_int_equal(s.tally[0][h].wrong, 1);
    found.bound[0].solver = diagonal;
    found.bound[0].place = d; /* an edge says nothing of diagonal metrics */
    bounds_compare(&s, &found, &q, 0, 0);
    assert_int_equal(s.tally[0][d].compared, 0);
}

/* The minimum of zᵀGz over the region for the gradient g. */
static double minimum(const gersh__pairs *pairs, const double *g, const gersh__region_ops *ops,
                      const double *color, const double *u)
{
    static gersh__lmo_answer answer;
    const gersh__lmo_request request = {.threshold = -INFINITY, .want = 4};
    gersh__gradient *gradient;
    gersh__region *region;
    assert_ok(gersh__gradient_new(&gradient, pairs, ops->dense));
    assert_ok(gersh__region_new(&region, ops, pairs, &(gersh__region_params){.color = color, .u = u}));
    gersh__gradient_update(gradient, g);
    assert_ok(gersh__region_minimize(region, gradient, &request, &answer));
    assert_true(answer.found > 0 && answer.candidate[0].value >= answer.least);
    gersh__region_free(region);
    gersh__gradient_free(gradient);
    return answer.least;
}

/* Powers of two change no digit: the minimum for g 2^p is that for g, times 2^p, few features or many. */
static void minima_scale_with_the_gradient(void **unused)
{
    (void)unused;
    static const int powers[] = {-990, -700, -520, -200, 200, 520, 900};
    static double x[SOME_ROWS * MANY_FEATURES], g[MOST_PAIRS], scaled[MOST_PAIRS];
    static double color[MANY_FEATURES], u[MANY_FEATURES];
    gersh__random random;
    gersh__random_seed(&random, 511);
    for (int c = 0; c < cases(60); c++) {
        size_t k = c % 3 == 2 ? MANY_FEATURES : 1 + (size_t)gersh__random_below(&random, 12);
        gersh_dataset *data = NULL;
        gersh__pairs *pairs = NULL;
        for (size_t e = 0; e < SOME_ROWS * k; e++)
            x[e] = gersh__random_normal(&random);
        for (size_t f = 0; f < k; f++) {
            color[f] = gersh__random_below(&random, 2) == 0 ? -1 : 1;
            u[f] = exp(gersh__random_normal(&random));
        }
        for (size_t p = 0; p < MOST_PAIRS; p++)
            g[p] = c % 2 ? -gersh__random_uniform(&random) : gersh__random_normal(&random);
        assert_ok(gersh_dataset_new(&data, SOME_ROWS, k, x, k, NULL, NULL, NULL));
        assert_ok(gersh__pairs_new(&pairs, data, NULL, 0, NULL, NULL, NULL));
        for (size_t r = 0; gersh__region_at(r) != NULL; r++) {
            const gersh__region_ops *ops = gersh__region_at(r);
            double least = minimum(pairs, g, ops, color, u);
            for (size_t s = 0; s < sizeof powers / sizeof powers[0] && isfinite(least); s++) {
                for (size_t p = 0; p < MOST_PAIRS; p++)
                    scaled[p] = ldexp(g[p], powers[s]);
                double there = minimum(pairs, scaled, ops, color, u), right = ldexp(least, powers[s]);
                if (!(fabs(there - right) <= (ops->dense ? 1e-6 : 1e-13) * fabs(right)))
                    fail_msg("region %s, %zu features, power %d: %.17g instead of %.17g", ops->name, k,
                             powers[s], there, right);
            }
        }
        gersh__pairs_free(pairs);
        gersh_dataset_free(data);
    }
}

/* Two classes of one row each, far apart: all squares of G underflow. */
static void tiny_values_have_true_bounds(void **unused)
{
    (void)unused;
    const double x[] = {0, 0, 0, 1, 1, 1};
    const char *const labels[] = {"a", "b"}, *const traces[] = {"100", "200", "300", "337", "345"};
    gersh_dataset *data = NULL;
    assert_ok(gersh_dataset_new(&data, 2, 3, x, 3, labels, NULL, NULL));
    for (size_t t = 0; t < sizeof traces / sizeof traces[0]; t++) {
        gersh_settings *settings = NULL;
        gersh_metric *metric = NULL;
        gersh_fit_info info;
        assert_ok(gersh_settings_new(&settings));
        assert_ok(gersh_settings_set(settings, "objective", "glr"));
        assert_ok(gersh_settings_set(settings, "trace", traces[t]));
        assert_ok(gersh_fit(&metric, &info, data, settings, NULL));
        /* All of the budget on one edge with z = (1, 1)/√2: the distance is 2 B + 3 ρ. */
        double budget = atof(traces[t]), rho = 1e-5 * budget / 3;
        long double best = 4 * expl(-(2 * ((long double)budget - 3 * rho) + 3 * rho));
        assert_true(info.has_bound && info.bound <= best &&
                    info.objective_value <= (double)best * (1 + 1e-3));
        assert_true(info.stop == GERSH_STOP_CONVERGED);
        gersh_metric_free(metric);
        gersh_settings_free(settings);
    }
    gersh_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_bound_is_false),
        cmocka_unit_test(a_false_bound_is_found),
        cmocka_unit_test(minima_scale_with_the_gradient),
        cmocka_unit_test(tiny_values_have_true_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
