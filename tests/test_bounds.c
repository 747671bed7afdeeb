/*
 * Bounds: none is above a value that is attained, whatever the problem (the search of bench/false_bounds.c, some
 * thousands of fits of it), and linear minimisers are right at any size of the gradient. Over the diagonal metrics lmnn is
 * a linear program, whose optimum is between bound and value.
 */
#include "../bench/false_bounds.h"

#include "check.h"
#include "pairs/gradient.h"
#include "region/region.h"
#include "registry.h"
#include "simplex.h"

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

/* lmnn of a random problem: its hinges w [1 + d_ij − d_kl]₊ / 2, and the pairs that are pulled by w d_ij / 2. */
enum { LP_ROWS = 9, LP_FEATURES = 3, LP_MOST = LP_ROWS * LP_ROWS * 3, LP_TRIPLETS = 30 };

typedef struct margins {
    double x[LP_ROWS * LP_FEATURES], weight[LP_ROWS];
    const char *label[LP_ROWS];
    size_t hinges, pulls, row[4 * LP_MOST], pull[2 * LP_MOST];
    size_t triplet[3 * LP_TRIPLETS];
} margins;

static double square(const margins *m, size_t i, size_t j, size_t f)
{
    double difference = m->x[i * LP_FEATURES + f] - m->x[j * LP_FEATURES + f];
    return difference * difference;
}

static double squares(const margins *m, size_t i, size_t j)
{
    return square(m, i, j, 0) + square(m, i, j, 1) + square(m, i, j, 2);
}

static void add_pull(margins *m, size_t i, size_t j)
{
    m->pull[2 * m->pulls] = i;
    m->pull[2 * m->pulls++ + 1] = j;
}

static void add_hinge(margins *m, size_t i, size_t j, size_t l)
{
    size_t *row = &m->row[4 * m->hinges++];
    row[0] = row[2] = i;
    row[1] = j;
    row[3] = l;
}

static void margins_of_classes(margins *m)
{
    for (size_t i = 0; i < LP_ROWS; i++)
        for (size_t j = 0; j < LP_ROWS; j++) {
            size_t before = 0;
            for (size_t o = 0; o < LP_ROWS; o++)
                before += o != i && m->label[o] == m->label[i] && squares(m, i, o) < squares(m, i, j);
            if (i == j || m->label[i] != m->label[j] || before >= 3)
                continue;
            add_pull(m, i, j);
            for (size_t l = 0; l < LP_ROWS; l++)
                if (m->label[l] != m->label[i])
                    add_hinge(m, i, j, l);
        }
}

static void margins_of_triplets(margins *m, gersh__random *random)
{
    for (size_t t = 0; t < LP_TRIPLETS; t++) {
        size_t *row = &m->triplet[3 * t], known = 0;
        row[0] = (size_t)gersh__random_below(random, LP_ROWS);
        for (size_t c = 1; c < 3;
             c++) /* a pair is not to be shorter than one that is to be shorter than it */
            row[c] = (row[c - 1] + 1 + (size_t)gersh__random_below(random, LP_ROWS / 2 - 1)) % LP_ROWS;
        add_hinge(m, row[0], row[1], row[2]);
        for (size_t p = 0; p < m->pulls; p++)
            known += m->pull[2 * p] == row[0] && m->pull[2 * p + 1] == row[1];
        if (known == 0)
            add_pull(m, row[0], row[1]);
    }
}

/*
 * min Σ p_f θ_f + Σ c_t ξ_t over θ, ξ >= 0, Σθ <= B, ξ_t >= 1 + Σ_f (ρ + θ_f) a_tf, by its dual: max Σ e_t y_t − B μ over
 * y_t <= c_t, −Σ_t a_tf y_t − μ <= p_f, with e_t = 1 + ρ Σ_f a_tf.
 */
static double optimum_of(const margins *m, double rho, double budget)
{
    size_t count = m->hinges, k = LP_FEATURES;
    simplex s = simplex_new(k + count, count + 1);
    double fixed = 0;
    for (size_t p = 0; p < m->pulls; p++) {
        size_t i = m->pull[2 * p], j = m->pull[2 * p + 1];
        for (size_t f = 0; f < k; f++) {
            double pulled = 0.5 * m->weight[i] * m->weight[j] * square(m, i, j, f);
            *simplex_at(&s, f, count + 1) += pulled;
            fixed += rho * pulled;
        }
    }
    for (size_t t = 0; t < count; t++) {
        const size_t *row = &m->row[4 * t];
        *simplex_at(&s, k + count, t) = 1;
        *simplex_at(&s, k + t, t) = 1;
        *simplex_at(&s, k + t, count + 1) = 0.5 * m->weight[row[0]] * m->weight[row[1]] * m->weight[row[3]];
        for (size_t f = 0; f < k; f++) {
            double a = square(m, row[0], row[1], f) - square(m, row[2], row[3], f);
            *simplex_at(&s, f, t) = -a;
            *simplex_at(&s, k + count, t) += rho * a;
        }
    }
    for (size_t f = 0; f < k; f++)
        *simplex_at(&s, f, count) = -1;
    *simplex_at(&s, k + count, count) = -budget;
    double optimum = simplex_solve(&s);
    simplex_free(&s);
    return fixed + optimum;
}

static void fit_diagonal(gersh_fit_info *info, const margins *m, const char *trace, int triplets)
{
    gersh_dataset *data = NULL;
    gersh_settings *settings = NULL;
    gersh_tuples *tuples = NULL;
    gersh_metric *metric = NULL;
    assert_ok(gersh_dataset_new(&data, LP_ROWS, LP_FEATURES, m->x, LP_FEATURES, triplets ? NULL : m->label,
                                NULL, NULL));
    assert_ok(gersh_settings_new(&settings));
    assert_ok(gersh_settings_set(settings, "objective", "lmnn"));
    assert_ok(gersh_settings_set(settings, "solver", "diagonal"));
    assert_ok(gersh_settings_set(settings, "trace", trace));
    assert_ok(gersh_settings_set(settings, "tol", "1e-6"));
    if (triplets)
        assert_ok(gersh_tuples_new(&tuples, GERSH_TRIPLETS, LP_TRIPLETS, m->triplet, NULL, LP_ROWS));
    gersh_fit_options options = {.weights = m->weight, .tuples = tuples};
    assert_ok(gersh_fit(&metric, info, data, settings, &options));
    gersh_metric_free(metric);
    gersh_tuples_free(tuples);
    gersh_settings_free(settings);
    gersh_dataset_free(data);
}

static void lmnn_is_a_linear_program(void **unused)
{
    (void)unused;
    static const char *const names[] = {"a", "b", "c"}, *const traces[] = {"0.3", "2", "30"};
    gersh__random random;
    gersh__random_seed(&random, 513);
    for (int c = 0; c < cases(300); c++) {
        margins m = {.hinges = 0};
        gersh_fit_info info;
        for (size_t i = 0; i < LP_ROWS; i++) {
            size_t class = i < 6 ? i % 3 : (size_t)gersh__random_below(&random, 3);
            m.label[i] = names[class];
            m.weight[i] = c % 4 < 2 ? 1 : (double)(1 + gersh__random_below(&random, 3));
            for (size_t f = 0; f < LP_FEATURES; f++)
                m.x[i * LP_FEATURES + f] = gersh__random_normal(&random) + (class == f);
        }
        if (c % 2)
            margins_of_triplets(&m, &random);
        else
            margins_of_classes(&m);
        fit_diagonal(&info, &m, traces[c % 3], c % 2);
        double budget = info.budget - LP_FEATURES * info.rho, best = optimum_of(&m, info.rho, budget),
               rounding = 1e-11 * info.objective_value;
        if (!(info.bound <= best + rounding && best <= info.objective_value + rounding))
            fail_msg("problem %d: bound %.12g, optimum %.12g, value %.12g", c, info.bound, best,
                     info.objective_value);
        assert_true(info.stop == GERSH_STOP_CONVERGED);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_bound_is_false),
        cmocka_unit_test(a_false_bound_is_found),
        cmocka_unit_test(minima_scale_with_the_gradient),
        cmocka_unit_test(tiny_values_have_true_bounds),
        cmocka_unit_test(lmnn_is_a_linear_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
