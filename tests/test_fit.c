/*
 * Learning: every solver and objective on small random problems, checked by definition; nesting of the
 * regions; rules, warm starts, limits and interruption.
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

#define MOST 12

typedef struct problem {
    gersh_dataset *data;
    double x[40 * MOST];
    char label[40][4];
    size_t n, k;
} problem;

static void make_problem(problem *p, gersh__random *random, size_t n, size_t k, int classes)
{
    const char *labels[40];
    p->n = n;
    p->k = k;
    for (size_t i = 0; i < n; i++) {
        int c = i < (size_t)classes ? (int)i : (int)gersh__random_below(random, (uint64_t)classes);
        snprintf(p->label[i], sizeof p->label[i], "%d", c);
        labels[i] = p->label[i];
        for (size_t f = 0; f < k; f++)
            p->x[i * k + f] = gersh__random_normal(random) + (f == (size_t)c % k ? 1.5 : 0);
    }
    assert_ok(gersh_dataset_new(&p->data, n, k, p->x, k, labels, NULL, NULL));
}

static gersh_settings *settings_of(const char *objective, const char *solver, const char *tol)
{
    gersh_settings *settings;
    assert_ok(gersh_settings_new(&settings));
    assert_ok(gersh_settings_set(settings, "objective", objective));
    assert_ok(gersh_settings_set(settings, "solver", solver));
    assert_ok(gersh_settings_set(settings, "tol", tol));
    assert_ok(gersh_settings_set(settings, "threads", "1"));
    return settings;
}

/* Positive definite to ρ by LAPACK, the trace within the budget, atoms of unit length. */
static void check_feasible(const gersh_metric *metric, const gersh_fit_info *info)
{
    size_t k = metric->features;
    double m[MOST * MOST], values[MOST], trace = 0;
    gersh_metric_matrix(metric, m);
    for (size_t i = 0; i < k; i++)
        trace += m[i * k + i];
    assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'L', (lapack_int)k, m, (lapack_int)k, values), 0);
    assert_true(values[0] >= info->rho - 1e-12 * info->budget);
    assert_true(trace <= info->budget * (1 + 1e-12));
    for (size_t a = 0; a < metric->atoms; a++) {
        assert_true(metric->weight[a] > 0);
        if (metric->atom != NULL)
            assert_true(fabs(hypot(metric->atom[a].a, metric->atom[a].b) - 1) < 1e-9);
    }
}

static int is_balanced(const gersh_metric *metric)
{
    gersh_graph *graph;
    gersh_balance *balance;
    assert_ok(gersh_metric_graph(&graph, metric));
    assert_ok(gersh_graph_balance(&balance, graph));
    int balanced = balance->balanced;
    gersh_balance_free(balance);
    gersh_graph_free(graph);
    return balanced;
}

/* A fit with one of the solvers: its value and bound as they are minimised. */
typedef struct end {
    const gersh_solver_info *solver;
    double value, bound, gap;
} end;

static end fit_by(const problem *p, const char *objective, const char *solver, const char *rho, int number)
{
    gersh_settings *settings = settings_of(objective, solver, "1e-3");
    gersh_metric *metric;
    gersh_fit_info info;
    int scheme = !solver_is(solver, is_certified);
    double sign = objective_sign(objective);
    if (rho != NULL)
        assert_ok(gersh_settings_set(settings, "rho", rho));
    if (scheme && goes_by_rows(solver))
        assert_ok(gersh_settings_set(settings, "max-iter", "2"));
    assert_ok(gersh_fit(&metric, &info, p->data, settings, NULL));
    end e = {gersh_solver_find(solver), sign * info.objective_value, sign * info.bound, info.gap};
    check_feasible(metric, &info);
    if (e.solver->signs != GERSH_SIGNS_FREE)
        assert_true(is_balanced(metric));
    /* What the hull leaves of the gap no search of balanced graphs can close. */
    int hull_gap = !solver_is(solver, is_convex) && info.stop == GERSH_STOP_SETTLED &&
                   info.search_gap / info.gap * info.relative_gap <= 3e-3;
    /* lsml often reaches 0, where a gap cannot be a small share of the value. */
    if (!scheme && (!info.has_bound || (info.stop != GERSH_STOP_CONVERGED && !hull_gap && info.gap > 1e-6)))
        fail_msg("%s %s of problem %d: %s at gap %g of %g", objective, solver, number,
                 gersh_stop_name(info.stop), info.gap, info.objective_value);
    if (!scheme)
        assert_true(info.gap >= 0 && fabs(e.value - e.bound - info.gap) <= 1e-12 * fabs(e.value));
    assert_int_equal(info.has_bound, !scheme);
    gersh_metric_free(metric);
    gersh_settings_free(settings);
    return e;
}

/* No value is below the bound of a solver that it is a metric of. Diagonal metrics have every colouring, too. */
static void check_nested(const char *objective, const end *ends, size_t count)
{
    for (size_t s = 0; s < count; s++)
        for (size_t o = 0; o < count; o++) {
            double rounding = 1e-9 * fabs(ends[o].value);
            if (!is_certified(gersh__solver_find(ends[s].solver->name)) ||
                !bound_holds_for(ends[s].solver, ends[o].solver))
                continue;
            if (!(ends[s].bound <= ends[o].value + rounding))
                fail_msg("%s: the bound %.17g of %s is above the value %.17g of %s", objective,
                         ends[s].bound, ends[s].solver->name, ends[o].value, ends[o].solver->name);
            if (ends[o].solver->bound == GERSH_BOUND_DIAGONAL)
                assert_true(ends[s].value <=
                            ends[o].value + ends[s].gap + 1e-3 * fabs(ends[s].value) + rounding);
        }
}

/* diagonal ⊂ balanced ⊂ hull ⊂ psd, and all others in these: values in that order, each within its own certified gap. */
static void regions_are_nested(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 11);
    visits objectives = {0}, solvers = {0};
    size_t count = count_solvers(learns);
    end *ends = calloc(count, sizeof *ends);
    for (int t = 0; t < cases(60); t++) {
        problem p;
        const char *name;
        make_problem(&p, &random, 5 + (size_t)gersh__random_below(&random, 20),
                     1 + (size_t)gersh__random_below(&random, 8), 2 + t % 3);
        for (size_t o = 0; (name = objective_name(o, learns_classes)) != NULL; o++) {
            /* Nothing below M, where the slope of deml is infinite; of others the best metric may then be 0. */
            const char *rho = t % 4 == 3 && objective_is(name, learns_apart) ? "0" : NULL;
            visit(&objectives, name);
            for (size_t s = 0; s < count; s++) {
                ends[s] = fit_by(&p, name, solver_name(s, learns), rho, t);
                visit(&solvers, ends[s].solver->name);
            }
            check_nested(name, ends, count);
        }
        gersh_dataset_free(p.data);
    }
    free(ends);
    assert_all_objectives(&objectives, learns_classes);
    assert_all_solvers(&solvers, learns);
}

/* Rules: forbidden pairs are 0, signs are kept, and the bound is that of the restricted set. */
static void rules_are_kept(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 12);
    visits solvers = {0};
    size_t count = count_objectives(learns_classes);
    for (int t = 0; t < cases(40); t++) {
        problem p;
        make_problem(&p, &random, 25, 5, 2);
        gersh_edge_rule rules[] = {{0, 1, GERSH_EDGE_FORBIDDEN},
                                   {1, 2, GERSH_EDGE_POSITIVE},
                                   {3, 2, GERSH_EDGE_NEGATIVE},
                                   {4, 0, t % 2 ? GERSH_EDGE_ALLOWED : GERSH_EDGE_FORBIDDEN}};
        gersh_fit_options options = {.rules = rules, .rule_count = 4};
        const char *solver, *objective = objective_name((size_t)t % count, learns_classes);
        for (size_t s = 0; (solver = solver_name(s, keeps_rules)) != NULL; s++) {
            gersh_settings *settings = settings_of(objective, solver, "1e-3");
            visit(&solvers, solver);
            gersh_metric *metric, *free_metric;
            gersh_fit_info info, free_info;
            double m[25];
            assert_ok(gersh_fit(&metric, &info, p.data, settings, &options));
            assert_ok(gersh_fit(&free_metric, &free_info, p.data, settings, NULL));
            gersh_metric_matrix(metric, m);
            check_feasible(metric, &info);
            assert_true(m[0 * 5 + 1] == 0 && m[1 * 5 + 2] <= 0 && m[3 * 5 + 2] >= 0);
            assert_true(t % 2 || m[4 * 5 + 0] == 0);
            assert_true(t % 2 == 0 || (m[1 * 5 + 3] == 0 && m[3 * 5 + 4] == 0));
            double sign = objective_sign(objective), free_bound = sign * free_info.bound;
            assert_int_equal(info.has_bound, solver_is(solver, is_certified));
            if (info.has_bound) {
                assert_true(sign * info.objective_value >= free_bound - 1e-12 * fabs(free_bound));
                assert_true(sign * info.bound >= free_bound - 2e-3 * fabs(free_bound));
            }
            gersh_metric_free(metric);
            gersh_metric_free(free_metric);
            gersh_settings_free(settings);
        }
        gersh_dataset_free(p.data);
    }
    assert_all_solvers(&solvers, keeps_rules);
}

static void count_calls(void *context, const gersh_progress *progress)
{
    int *calls = context;
    assert_true(progress->seconds >= 0 && progress->stage != NULL);
    ++*calls;
}

static void stop_after_three(void *context, const gersh_progress *progress)
{
    if (progress->iteration >= 3)
        gersh_cancel_request(context);
}

static void limits_and_starts(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 13);
    problem p;
    make_problem(&p, &random, 40, 10, 2);
    gersh_settings *settings = settings_of("mcml", "hull", "1e-6");
    gersh_metric *metric, *again, *cut;
    gersh_fit_info info, again_info, cut_info;
    int calls = 0;
    gersh_fit_options options = {.progress = count_calls, .progress_context = &calls};
    assert_ok(gersh_fit(&metric, &info, p.data, settings, &options));
    assert_int_equal(calls, info.iterations);
    assert_true(info.stop == GERSH_STOP_CONVERGED && info.iterations > 5);

    gersh_fit_options warm = {.start = metric};
    assert_ok(gersh_fit(&again, &again_info, p.data, settings, &warm));
    assert_true(again_info.iterations <= 3);
    assert_true(fabs(again_info.objective_value - info.objective_value) <= 2e-6 * info.objective_value);

    gersh_cancel cancel = {0};
    gersh_fit_options interrupted = {
        .progress = stop_after_three, .progress_context = &cancel, .cancel = &cancel};
    assert_ok(gersh_fit(&cut, &cut_info, p.data, settings, &interrupted));
    assert_true(cut_info.stop == GERSH_STOP_INTERRUPTED && cut_info.iterations == 3);
    assert_true(cut_info.objective_value >= info.bound && cut_info.bound <= info.objective_value);
    check_feasible(cut, &cut_info);
    gersh_metric_free(cut);

    assert_ok(gersh_settings_set(settings, "max-iter", "2"));
    assert_ok(gersh_fit(&cut, &cut_info, p.data, settings, NULL));
    assert_true(cut_info.stop == GERSH_STOP_MAX_ITER && cut_info.iterations == 2);
    gersh_metric_free(cut);
    assert_ok(gersh_settings_set(settings, "max-time", "0"));
    assert_ok(gersh_fit(&cut, &cut_info, p.data, settings, NULL));
    assert_true(cut_info.stop == GERSH_STOP_MAX_TIME);
    check_feasible(cut, &cut_info);
    gersh_metric_free(cut);

    assert_ok(gersh_settings_set(settings, "solver", "psd"));
    assert_int_equal(gersh_fit(&cut, &cut_info, p.data, settings, &warm), GERSH_ERROR_INPUT);
    assert_string_equal(gersh_last_error(),
                        "the metric to start from is sparse, which the solver 'psd' cannot use");
    gersh_edge_rule rule = {0, 1, GERSH_EDGE_FORBIDDEN};
    gersh_fit_options ruled = {.rules = &rule, .rule_count = 1};
    assert_int_equal(gersh_fit(&cut, &cut_info, p.data, settings, &ruled), GERSH_ERROR_ARGUMENT);
    assert_non_null(strstr(gersh_last_error(),
                           "the solver 'psd' cannot keep rules for pairs of features; use balanced"));
    /* The paper's algorithms choose their edges by themselves. */
    for (int i = 0; i < 2; i++) {
        assert_ok(gersh_settings_set(settings, "solver", i ? "sgml" : "pgml"));
        assert_int_equal(gersh_fit(&cut, &cut_info, p.data, settings, &ruled), GERSH_ERROR_ARGUMENT);
        assert_non_null(strstr(gersh_last_error(), "ml' cannot keep rules for pairs of features; "));
    }
    assert_ok(gersh_settings_set(settings, "solver", "psd"));
    /* Products of four weights, squared, must be within the range of double. */
    for (int i = 0; i < 2; i++) {
        double *w = calloc(gersh_dataset_rows(p.data), sizeof *w);
        gersh_fit_options weighted = {.weights = w};
        w[0] = i ? 1e-31 : 1e31;
        assert_int_equal(gersh_fit(&cut, &cut_info, p.data, settings, &weighted), GERSH_ERROR_ARGUMENT);
        free(w);
        assert_non_null(strstr(gersh_last_error(), "a weight must be 0, or from 1e-30 to 1e+30"));
    }
    assert_ok(gersh_settings_set(settings, "rho", "5"));
    assert_ok(gersh_settings_set(settings, "trace", "K"));
    assert_int_equal(gersh_fit(&cut, &cut_info, p.data, settings, NULL), GERSH_ERROR_ARGUMENT);
    gersh_metric_free(metric);
    gersh_metric_free(again);
    gersh_settings_free(settings);
    gersh_dataset_free(p.data);
}

/* Data that differs only in scale gives the same value; beyond the range of numbers it is refused. */
static void scales_do_not_matter(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 17);
    problem p;
    make_problem(&p, &random, 20, 4, 2);
    const char *labels[40];
    const double sizes[] = {1, 1e-60, 1e60, 1e-100, 1e100, 1e-200, 1e200};
    double first = 0;
    for (size_t i = 0; i < p.n; i++)
        labels[i] = p.label[i];
    for (int t = 0; t < 7; t++) {
        gersh_settings *settings = settings_of("mcml", "balanced", "1e-3");
        double x[80];
        gersh_dataset *data;
        gersh_metric *metric;
        gersh_fit_info info;
        for (size_t i = 0; i < 80; i++)
            x[i] = sizes[t] * p.x[i];
        assert_ok(gersh_dataset_new(&data, p.n, p.k, x, p.k, labels, NULL, NULL));
        gersh_status status = gersh_fit(&metric, &info, data, settings, NULL);
        if (t < 3) {
            assert_int_equal(status, GERSH_OK);
            first = t == 0 ? info.objective_value : first;
            assert_true(fabs(info.objective_value - first) <= 1e-9 * first);
        } else {
            assert_int_equal(status, GERSH_ERROR_INPUT);
        }
        gersh_metric_free(metric);
        gersh_dataset_free(data);
        gersh_settings_free(settings);
    }
    gersh_dataset_free(p.data);
}

/* The same bits again with the same number of threads; equal to 1e-10 with another. */
static void threads_do_not_matter(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 14);
    problem p;
    make_problem(&p, &random, 40, 8, 3);
    const char *name;
    visits seen = {0};
    for (size_t o = 0; (name = objective_name(o, learns_classes)) != NULL; o++) {
        visit(&seen, name);
        double value[3];
        const char *threads[] = {"1", "1", "3"};
        for (int t = 0; t < 3; t++) {
            gersh_settings *settings = settings_of(name, "balanced", "1e-3");
            gersh_metric *metric;
            gersh_fit_info info;
            assert_ok(gersh_settings_set(settings, "threads", threads[t]));
            assert_ok(gersh_fit(&metric, &info, p.data, settings, NULL));
            value[t] = info.objective_value;
            gersh_metric_free(metric);
            gersh_settings_free(settings);
        }
        assert_true(value[0] == value[1]);
        assert_true(fabs(value[2] - value[0]) <= 1e-10 * fabs(value[0]));
    }
    gersh_dataset_free(p.data);
    assert_all_objectives(&seen, learns_classes);
}

/* F = Σ_p (1 − d_p)² / 2 for d < 1, 0 beyond: pushes all rows apart. */
static double spread(void *context, size_t pairs, const size_t *first, const size_t *second,
                     const double *d, double *g)
{
    double value = 0;
    (void)context;
    for (size_t p = 0; p < pairs; p++) {
        double short_by = d[p] < 1 ? 1 - d[p] : 0;
        assert_true(first[p] < 40 && second[p] < 40 && first[p] != second[p]);
        value += 0.5 * short_by * short_by;
        if (g != NULL)
            g[p] = -short_by;
    }
    return value;
}

/* A caller who wants the metric only names no place for the rest. */
static void info_may_be_left_out(void **unused)
{
    (void)unused;
    problem p;
    gersh_metric *with = NULL, *without = NULL;
    gersh_fit_info info;
    gersh__random random;
    gersh__random_seed(&random, 91);
    make_problem(&p, &random, 20, 3, 2);
    gersh_settings *settings = settings_of("mcml", "balanced", "1e-3");
    assert_ok(gersh_fit(&with, &info, p.data, settings, NULL));
    assert_ok(gersh_fit(&without, NULL, p.data, settings, NULL));
    assert_int_equal(with->atoms, without->atoms);
    assert_memory_equal(with->weight, without->weight, with->atoms * sizeof *with->weight);
    gersh_metric_free(with);
    gersh_metric_free(without);
    gersh_settings_free(settings);
    gersh_dataset_free(p.data);
}

static void custom_objectives_work(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 15);
    problem p;
    make_problem(&p, &random, 40, 6, 2);
    gersh_settings *settings = settings_of("glr", "hull", "1e-4");
    assert_ok(gersh_settings_set(settings, "trace", "0.5"));
    gersh_custom_objective custom = {.evaluate = spread};
    gersh_fit_options options = {.custom = &custom};
    gersh_metric *metric;
    gersh_fit_info info;
    assert_ok(gersh_fit(&metric, &info, p.data, settings, &options));
    check_feasible(metric, &info);
    assert_true(info.stop == GERSH_STOP_CONVERGED && info.gap <= 1e-4 * info.objective_value);
    gersh_metric_free(metric);
    gersh_settings_free(settings);
    gersh_dataset_free(p.data);
}

static void failing_allocations_leak_nothing(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 16);
    problem p;
    make_problem(&p, &random, 8, 5, 2);
    const char *name;
    for (size_t o = 0; (name = objective_name(o, learns_classes)) != NULL; o++) {
        gersh_settings *settings = settings_of(name, o % 2 ? "psd" : "balanced", "1e-2");
        gersh_status status = GERSH_ERROR_MEMORY;
        for (long n = 1; status != GERSH_OK; n++) {
            gersh_metric *metric;
            gersh_fit_info info;
            assert_true(n < 5000);
            gersh__alloc_fail_at(n);
            status = gersh_fit(&metric, &info, p.data, settings, NULL);
            gersh__alloc_fail_at(0);
            assert_true(status == GERSH_OK || status == GERSH_ERROR_MEMORY);
            gersh_metric_free(metric);
        }
        gersh_settings_free(settings);
    }
    gersh_dataset_free(p.data);
}

/* Spoils a start that is good in one place of its last atom, or rho. */
typedef enum damage { WEIGHT, ENTRY, FIRST, SECOND, RHO } damage;

static void spoil(gersh_metric *m, damage what, double number, size_t index)
{
    size_t last = m->atoms - 1;
    if (what == WEIGHT)
        m->weight[last] = number;
    else if (what == RHO)
        m->rho = number;
    else if (what == ENTRY && m->dense != NULL)
        m->dense[last * m->features + 1] = number;
    else if (what == ENTRY)
        m->atom[last].b = number;
    else if (what == FIRST)
        m->atom[last].i = index;
    else
        m->atom[last].j = index;
}

/* Two atoms: (e_0 + e_1)/√2 and one with the entries 0.6 and 0.8. */
static gersh_metric *make_start(size_t k, int dense)
{
    gersh_metric *m;
    assert_ok(gersh_metric_new(&m, k, 0.01, 2, dense));
    m->weight[0] = 0.5;
    m->weight[1] = 0; /* may be 0 */
    if (dense) {
        m->dense[0] = m->dense[1] = sqrt(0.5);
        m->dense[k] = 0.6;
        m->dense[k + 1] = 0.8;
    } else {
        m->atom[0] = (gersh_atom){0, 1, sqrt(0.5), sqrt(0.5)};
        m->atom[1] = (gersh_atom){1, 0, 0.6, 0.8};
    }
    return m;
}

/* A start that is no metric is refused by every solver and objective before its numbers are used. */
static void bad_starts_are_refused(void **state)
{
    static const struct {
        damage what;
        double number;
        size_t index;
        int sparse_only;
    } damages[] = {{WEIGHT, -1e-300, 0, 0},
                   {WEIGHT, NAN, 0, 0},
                   {WEIGHT, INFINITY, 0, 0},
                   {ENTRY, NAN, 0, 0},
                   {ENTRY, INFINITY, 0, 0},
                   {ENTRY, 1e200, 0, 0},
                   {ENTRY, 0.8001, 0, 0},
                   {ENTRY, 0, 0, 0},
                   {FIRST, 0, 5, 1},
                   {SECOND, 0, 5, 1},
                   {FIRST, 0, 1u << 30, 1},
                   {SECOND, 0, SIZE_MAX, 1},
                   {FIRST, 0, 0, 1} /* i = j with two entries */,
                   {RHO, NAN, 0, 0},
                   {RHO, -1, 0, 0},
                   {RHO, INFINITY, 0, 0}};
    (void)state;
    gersh__random random;
    gersh__random_seed(&random, 91);
    problem p;
    make_problem(&p, &random, 20, 5, 2);
    const char *solver;
    visits seen = {0};
    for (size_t s = 0; (solver = solver_name(s, any_solver)) != NULL; s++)
        for (int dense = 0; dense < 2; dense++) {
            gersh_settings *settings = settings_of("glr", solver, "1e-3");
            gersh_metric *start = make_start(p.k, dense), *metric = NULL;
            visit(&seen, solver);
            gersh_fit_info info;
            gersh_fit_options options = {.start = start};
            gersh_status good = gersh_fit(&metric, &info, p.data, settings, &options);
            assert_true(good == GERSH_OK ||
                        (good == GERSH_ERROR_INPUT && strstr(gersh_last_error(), "the solver") != NULL));
            gersh_metric_free(metric);
            gersh_metric_free(start);
            for (size_t d = 0; good == GERSH_OK && d < sizeof damages / sizeof damages[0]; d++) {
                if (dense && damages[d].sparse_only)
                    continue;
                start = make_start(p.k, dense);
                spoil(start, damages[d].what, damages[d].number, damages[d].index);
                options.start = start;
                assert_int_equal(gersh_fit(&metric, &info, p.data, settings, &options),
                                 GERSH_ERROR_ARGUMENT);
                assert_null(metric);
                assert_non_null(strstr(gersh_last_error(), "to start from"));
                gersh_metric_free(start);
            }
            gersh_settings_free(settings);
        }
    gersh_dataset_free(p.data);
    assert_all_solvers(&seen, any_solver);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regions_are_nested),
        cmocka_unit_test(rules_are_kept),
        cmocka_unit_test(limits_and_starts),
        cmocka_unit_test(bad_starts_are_refused),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(scales_do_not_matter),
        cmocka_unit_test(custom_objectives_work),
        cmocka_unit_test(info_may_be_left_out),
        cmocka_unit_test(failing_allocations_leak_nothing),
    };
    gersh__blas_hold(); /* small matrices: threads of BLAS would only slow the oracle down */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
