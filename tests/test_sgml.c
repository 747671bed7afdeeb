/*
 * The paper's algorithm, looked at after every step: feasible by its own discs and by LAPACK, balanced by its own
 * colours, the objective never rising; on random problems with every objective, and on odd ones.
 */
#include "check.h"

#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random.h"
#include "base/settings.h"
#include "base/threads.h"
#include "gersh/gersh.h"
#include "registry.h"
#include "solver/sgml.h"

#define MOST 12

static const char *objective_in_turn(int number)
{
    return objective_name((size_t)number % count_objectives(learns_classes), learns_classes);
}

static const char *const inits[] = {"tree", "chain", "hull", "identity"};

/* A random data set of two or three classes, every class with at least one row. */
static gersh_dataset *random_data(gersh__random *random, size_t n, size_t k, int classes)
{
    double x[30 * MOST];
    char text[30][4];
    const char *labels[30];
    gersh_dataset *data;
    for (size_t i = 0; i < n; i++) {
        int c = i < (size_t)classes ? (int)i : (int)gersh__random_below(random, (uint64_t)classes);
        snprintf(text[i], sizeof text[i], "%d", c);
        labels[i] = text[i];
        for (size_t f = 0; f < k; f++)
            x[i * k + f] = gersh__random_normal(random) + (f == (size_t)c % k ? 1.5 : 0);
    }
    assert_ok(gersh_dataset_new(&data, n, k, x, k, labels, NULL, NULL));
    return data;
}

typedef struct watch {
    double last; /* the objective after the last step */
    int steps;
    double trace, rho;
} watch;

/* One state: M from the definition M_ii = ρ + t_i + Σ_j |M_ij| u_j/u_i, and what must hold of it. */
static void look(void *context, const gersh__sgml *s)
{
    watch *w = context;
    double m[MOST * MOST] = {0}, values[MOST], trace = 0, held = 0;
    size_t k = s->k;
    w->steps++;
    assert_true(s->value <= w->last + 1e-9 * fabs(w->last) + 1e-12);
    w->last = s->value;
    for (size_t i = 0; i < k; i++) {
        assert_true(s->slack[i] >= 0 && s->u[i] > 0 && fabs(s->color[i]) == 1);
        assert_true(!s->positive || s->color[i] == 1);
        m[i * k + i] = w->rho + s->slack[i];
        held += s->slack[i];
    }
    for (size_t e = 0; e < s->edges; e++) {
        size_t i = s->edge[e].i, j = s->edge[e].j;
        assert_true(i != j && s->edge[e].size > 0 && m[i * k + j] == 0);
        m[i * k + j] = m[j * k + i] = -s->color[i] * s->color[j] * s->edge[e].size;
        m[i * k + i] += s->edge[e].size * s->u[j] / s->u[i];
        m[j * k + j] += s->edge[e].size * s->u[i] / s->u[j];
        held += s->edge[e].size * (s->u[j] / s->u[i] + s->u[i] / s->u[j]);
    }
    for (size_t i = 0; i < k; i++)
        trace += m[i * k + i];
    assert_true(trace <= w->trace * (1 + 1e-9));
    assert_true(fabs(held + (double)k * w->rho - trace) <= 1e-9 * w->trace);
    gersh_metric *metric;
    double again[MOST * MOST];
    assert_ok(gersh__sgml_metric(&metric, s));
    gersh_metric_matrix(metric, again);
    gersh_metric_free(metric);
    for (size_t i = 0; i < k * k; i++)
        assert_true(fabs(m[i] - again[i]) <= 1e-12 * w->trace);
    assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'L', (lapack_int)k, m, (lapack_int)k, values), 0);
    assert_true(values[0] >= w->rho - 1e-10 * w->trace);
}

/* Algorithm 1 on one problem with `look` after every row and every whole-matrix round. */
static int run_watched(const gersh_dataset *data, const char *objective, const char *init, int positive)
{
    gersh_settings *settings;
    gersh__pairs *pairs;
    gersh__objective *f;
    gersh__solver_run run = {
        .limits = {
            .tol = 1e-5, .max_iter = 30, .max_seconds = INFINITY, .cutoff = INFINITY, .enough = -INFINITY}};
    gersh__sgml *s;
    double k = (double)gersh_dataset_features(data);
    assert_ok(gersh_settings_new(&settings));
    assert_ok(gersh_settings_set(settings, "init", init));
    assert_ok(gersh__pairs_new(&pairs, data, NULL, 0, NULL, NULL, NULL));
    assert_ok(gersh__objective_new(&f, gersh__objective_find(objective), pairs));
    f->width = 1e-3;
    watch w = {.last = INFINITY, .trace = k, .rho = 1e-3};
    assert_ok(gersh__engine_new(&run.engine, pairs, f, w.rho, k - k * w.rho, 0));
    run.pairs = pairs;
    run.settings = settings;
    assert_ok(gersh__sgml_new(&s, &run, positive));
    f->width = 1e-3;
    assert_ok(gersh__sgml_start(s));
    f->width = 1e-3;
    assert_ok(gersh__sgml_scalars(s));
    gersh__sgml_refresh(s);
    s->observe = look;
    s->observe_context = &w;
    look(&w, s);
    assert_ok(gersh__sgml_rows(s));
    assert_ok(gersh__sgml_whole(s));
    gersh__sgml_free(s);
    gersh__engine_free(run.engine);
    gersh__objective_free(f);
    gersh__pairs_free(pairs);
    gersh_settings_free(settings);
    return w.steps;
}

static void every_step_is_certified(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 21);
    int steps = 0, total = cases(100);
    for (int t = 0; t < total; t++) {
        gersh_dataset *data = random_data(&random, 4 + (size_t)gersh__random_below(&random, 8),
                                          1 + (size_t)gersh__random_below(&random, MOST - 2), 2 + t % 2);
        steps += run_watched(data, objective_in_turn(t),
                             inits[t / (int)count_objectives(learns_classes) % 4], t % 3 == 2);
        gersh_dataset_free(data);
    }
    print_message("%d problems, %d steps\n", total, steps);
    assert_true(steps > 10 * total);
}

static double fit_value(const gersh_dataset *data, const char *objective, const char *solver,
                        gersh_status expected, int *balanced)
{
    gersh_settings *settings;
    gersh_metric *metric;
    gersh_fit_info info = {0};
    assert_ok(gersh_settings_new(&settings));
    assert_ok(gersh_settings_set(settings, "objective", objective));
    assert_ok(gersh_settings_set(settings, "solver", solver));
    assert_ok(gersh_settings_set(settings, "threads", "1"));
    gersh_status status = gersh_fit(&metric, &info, data, settings, NULL);
    if (status != expected)
        fail_msg("%s %s: %s", objective, solver, gersh_last_error());
    if (status == GERSH_OK) {
        gersh_graph *graph;
        gersh_balance *balance;
        assert_ok(gersh_metric_graph(&graph, metric));
        assert_ok(gersh_graph_balance(&balance, graph));
        *balanced = balance->balanced;
        assert_false(strcmp(solver, "sgml") == 0 && info.has_bound);
        gersh_balance_free(balance);
        gersh_graph_free(graph);
    }
    gersh_metric_free(metric);
    gersh_settings_free(settings);
    return info.objective_value;
}

/* M of the solver sgml that keeps the edges of its first graph, and its value. */
static gersh_metric *diagonals_only(const gersh_dataset *data, const char *objective, const char *init,
                                    double *value)
{
    gersh_settings *settings;
    gersh_metric *metric;
    gersh_fit_info info;
    assert_ok(gersh_settings_new(&settings));
    assert_ok(gersh_settings_set(settings, "objective", objective));
    assert_ok(gersh_settings_set(settings, "solver", "sgml"));
    assert_ok(gersh_settings_set(settings, "init", init));
    assert_ok(gersh_settings_set(settings, "trace", "K"));
    assert_ok(gersh_settings_set(settings, "diagonals-only", "yes"));
    assert_ok(gersh_fit(&metric, &info, data, settings, NULL));
    gersh_settings_free(settings);
    *value = info.objective_value;
    return metric;
}

/*
 * The edges of the first graph stay as they are: C/K² in size on K − 1 of them. Without edges, the result is that of
 * the solver `diagonal`.
 */
static void the_diagonal_alone(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 24);
    for (int t = 0; t < cases(10); t++) {
        size_t k = 2 + (size_t)gersh__random_below(&random, MOST - 2);
        gersh_dataset *data = random_data(&random, 8, k, 2);
        double m[MOST * MOST], w[MOST], value, plain;
        size_t edges = 0;
        gersh_metric *metric = diagonals_only(data, objective_in_turn(t), "tree", &value);
        gersh_metric_matrix(metric, m);
        for (size_t i = 0; i < k; i++) {
            for (size_t j = 0; j < i; j++) {
                if (m[i * k + j] != 0) {
                    assert_true(fabs(fabs(m[i * k + j]) - 1 / (double)k) <= 1e-12);
                    edges++;
                }
            }
        }
        assert_int_equal(edges, k - 1);
        assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'L', (int)k, m, (int)k, w), 0);
        assert_true(w[0] >= metric->rho * (1 - 1e-9) &&
                    gersh_metric_trace(metric) <= (double)k * (1 + 1e-9));
        gersh_metric_free(metric);
        metric = diagonals_only(data, objective_in_turn(t), "identity", &value);
        assert_true(metric->atoms <= k);
        gersh_metric_free(metric);
        gersh_settings *settings;
        gersh_fit_info info;
        assert_ok(gersh_settings_new(&settings));
        assert_ok(gersh_settings_set(settings, "objective", objective_in_turn(t)));
        assert_ok(gersh_settings_set(settings, "solver", "diagonal"));
        assert_ok(gersh_settings_set(settings, "trace", "K"));
        assert_ok(gersh_settings_set(settings, "tol", "1e-3"));
        assert_ok(gersh_fit(&metric, &info, data, settings, NULL));
        plain = info.objective_value;
        assert_true(fabs(value - plain) <= 5e-3 * fabs(plain) + 1e-5);
        gersh_metric_free(metric);
        gersh_settings_free(settings);
        gersh_dataset_free(data);
    }
}

static double value_of(gersh_fit_info *info, const gersh_dataset *data, const char *objective,
                       const char *solver)
{
    gersh_settings *settings;
    gersh_metric *metric;
    assert_ok(gersh_settings_new(&settings));
    assert_ok(gersh_settings_set(settings, "objective", objective));
    assert_ok(gersh_settings_set(settings, "solver", solver));
    assert_ok(gersh_settings_set(settings, "trace", "K"));
    assert_ok(gersh_settings_set(settings, "rho", "1e-5"));
    assert_ok(gersh_fit(&metric, info, data, settings, NULL));
    gersh_metric_free(metric);
    gersh_settings_free(settings);
    return objective_sign(objective) * info->objective_value;
}

/* balanced begins at the paper's colours too: on folds such as the paper's none of its algorithms ends lower. */
static void balanced_is_never_above_sgml(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 23);
    for (int t = 0; t < cases(60); t++) {
        gersh_dataset *data = random_data(&random, 4 + (size_t)gersh__random_below(&random, 3),
                                          2 + (size_t)gersh__random_below(&random, MOST - 1), 2);
        gersh_fit_info info, baseline;
        double balanced = value_of(&info, data, objective_in_turn(t), "balanced");
        double scale = info.gap > 0 ? info.gap / info.relative_gap : fabs(balanced);
        const char *const solvers[] = {"sgml", "pgml"};
        for (int s = 0; s < 2; s++) {
            double other = value_of(&baseline, data, objective_in_turn(t), solvers[s]);
            if (balanced > other + 1.001e-3 * scale + 1e-12)
                fail_msg("problem %d, %s: balanced ends at %.9g, %s at %.9g", t, objective_in_turn(t),
                         balanced, solvers[s], other);
        }
        gersh_dataset_free(data);
    }
}

/* sgml, pgml and balanced share their search space: the certified bound holds for all of them. */
static void the_bound_holds_for_sgml(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 22);
    for (int t = 0; t < cases(10); t++) {
        gersh_dataset *data =
            random_data(&random, 4, 2 + (size_t)gersh__random_below(&random, MOST - 2), 2);
        const char *objective = objective_in_turn(t);
        double sign = objective_sign(objective);
        int balanced;
        gersh_settings *settings;
        gersh_metric *metric;
        gersh_fit_info hull;
        assert_ok(gersh_settings_new(&settings));
        assert_ok(gersh_settings_set(settings, "objective", objective));
        assert_ok(gersh_fit(&metric, &hull, data, settings, NULL));
        double bound = sign * hull.bound,
               value = sign * fit_value(data, objective, "sgml", GERSH_OK, &balanced);
        assert_true(balanced);
        assert_true(value >= bound - 1e-9 * fabs(bound) - 1e-12);
        value = sign * fit_value(data, objective, "pgml", GERSH_OK, &balanced);
        assert_true(balanced);
        assert_true(value >= bound - 1e-9 * fabs(bound) - 1e-12);
        gersh_metric_free(metric);
        gersh_settings_free(settings);
        gersh_dataset_free(data);
    }
}

/* Two rows; one feature; equal rows of different classes; constant features; a class of one; more features than rows. */
static void odd_inputs_work(void **unused)
{
    (void)unused;
    const struct {
        size_t n, k;
        double x[12];
        const char *labels[4];
    } odd[] = {{2, 2, {0, 1, 2, 3}, {"a", "b"}},
               {4, 1, {0, 1, 5, 6}, {"a", "a", "b", "b"}},
               {3, 2, {1, 2, 1, 2, 3, 3}, {"a", "b", "a"}},
               {4, 3, {0, 7, 1, 1, 7, 0, 5, 7, 2, 6, 7, 9}, {"a", "a", "b", "b"}},
               {3, 4, {0, 1, 2, 3, 1, 0, 4, 2, 9, 9, 1, 0}, {"a", "a", "b"}}};
    for (size_t c = 0; c < sizeof odd / sizeof odd[0]; c++) {
        gersh_dataset *data;
        int balanced;
        assert_ok(
            gersh_dataset_new(&data, odd[c].n, odd[c].k, odd[c].x, odd[c].k, odd[c].labels, NULL, NULL));
        const char *objective;
        for (size_t o = 0; (objective = objective_name(o, learns_classes)) != NULL; o++) {
            if (odd[c].n == 2 && objective_is(objective, needs_mates))
                continue; /* two rows of a class are needed */
            assert_true(isfinite(fit_value(data, objective, "sgml", GERSH_OK, &balanced)) && balanced);
            assert_true(isfinite(fit_value(data, objective, "pgml", GERSH_OK, &balanced)) && balanced);
        }
        gersh_dataset_free(data);
    }
}

static void failing_allocations_leak_nothing(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 23);
    gersh_dataset *data = random_data(&random, 5, 3, 2);
    for (int i = 0; i < 4; i++) {
        gersh_settings *settings;
        assert_ok(gersh_settings_new(&settings));
        assert_ok(gersh_settings_set(settings, "solver", "sgml"));
        assert_ok(gersh_settings_set(settings, "init", inits[i]));
        assert_ok(gersh_settings_set(settings, "max-iter", "2"));
        gersh_status status = GERSH_ERROR_MEMORY;
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
        cmocka_unit_test(every_step_is_certified),
        cmocka_unit_test(the_bound_holds_for_sgml),
        cmocka_unit_test(balanced_is_never_above_sgml),
        cmocka_unit_test(the_diagonal_alone),
        cmocka_unit_test(odd_inputs_work),
        cmocka_unit_test(failing_allocations_leak_nothing),
    };
    gersh__blas_hold(); /* small matrices: threads of BLAS would only slow the oracle down */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
