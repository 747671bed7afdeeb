/*
 * Comparisons: every number against direct fits, put together here by hand; skipped folds, threads,
 * cancellation, failures and names.
 */
#include "check.h"

#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/random.h"
#include "base/threads.h"
#include "gersh/compare.h"
#include "registry.h"
#include "samples.h"

#define MOST 8

static int is_quick(const gersh__solver *solver)
{
    return learns(solver) && !goes_by_rows(solver->info.name);
}

/* "a,b,c" */
static void add_name(char *list, size_t size, const char *name)
{
    size_t used = strlen(list);
    snprintf(list + used, size - used, "%s%s", used > 0 ? "," : "", name);
}

static gersh_settings *settings_of(const char *threads)
{
    gersh_settings *settings = NULL;
    assert_ok(gersh_settings_new(&settings));
    assert_ok(gersh_settings_set(settings, "threads", threads));
    return settings;
}

/* n rows of k features and two classes, the second one of every `period` rows. */
static gersh_dataset *two_classes(uint64_t seed, size_t n, size_t k, size_t period)
{
    gersh__random random;
    gersh_dataset *data = NULL;
    double *x = calloc(n * k, sizeof *x);
    const char **labels = calloc(n, sizeof *labels);
    gersh__random_seed(&random, seed);
    for (size_t i = 0; i < n; i++) {
        labels[i] = i % period == 0 ? "b" : "a";
        for (size_t j = 0; j < k; j++)
            x[i * k + j] = gersh__random_normal(&random) + (j == 0 && i % period == 0);
    }
    assert_ok(gersh_dataset_new(&data, n, k, x, k, labels, NULL, NULL));
    free(x);
    free(labels);
    return data;
}

/* What a direct fit says. */
typedef struct direct {
    gersh_fit_info info;
    double lambda_min;
    size_t edges;
    int balanced;
} direct;

/* Scales and fits a part of the data; eigenvalues by LAPACK. */
static direct fit_directly(const gersh_dataset *data, const size_t *rows, size_t count, const char *scale,
                           const char *objective, const char *solver)
{
    direct result;
    gersh_dataset *part = NULL;
    gersh_scaling *scaling = NULL;
    gersh_metric *metric = NULL;
    gersh_graph *graph = NULL;
    gersh_balance *balance = NULL;
    gersh_settings *settings = settings_of("1");
    double m[MOST * MOST], values[MOST];
    lapack_int k = (lapack_int)gersh_dataset_features(data);
    assert_true(k <= MOST);
    assert_ok(gersh_settings_set(settings, "objective", objective));
    assert_ok(gersh_settings_set(settings, "solver", solver));
    assert_ok(gersh_dataset_subset(&part, data, rows, count));
    assert_ok(gersh_scaling_fit(&scaling, part, scale));
    assert_ok(gersh_scaling_apply(scaling, part));
    gersh_fit_options options = {.weights = gersh_dataset_weights(part)};
    assert_ok(gersh_fit(&metric, &result.info, part, settings, &options));
    assert_ok(gersh_metric_graph(&graph, metric));
    assert_ok(gersh_graph_balance(&balance, graph));
    gersh_metric_matrix(metric, m);
    assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'L', k, m, k, values), 0);
    result.lambda_min = values[0];
    result.edges = graph->edges;
    result.balanced = balance->balanced;
    gersh_balance_free(balance);
    gersh_graph_free(graph);
    gersh_metric_free(metric);
    gersh_scaling_free(scaling);
    gersh_dataset_free(part);
    gersh_settings_free(settings);
    return result;
}

static void assert_near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.17g and %.17g differ by more than %g", a, b, tolerance);
}

/* The best value of each objective is marked, and nothing else. */
static void check_best(const gersh_comparison *c)
{
    for (size_t r = 0; r < c->count; r++) {
        int maximized = objective_sign(c->row[r].objective) < 0;
        double best = maximized ? -HUGE_VAL : HUGE_VAL;
        for (size_t s = 0; s < c->count; s++)
            if (strcmp(c->row[r].objective, c->row[s].objective) == 0)
                best = maximized ? fmax(best, c->row[s].objective_value)
                                 : fmin(best, c->row[s].objective_value);
        assert_int_equal(c->row[r].maximized, maximized);
        assert_int_equal(c->row[r].best, c->row[r].objective_value == best);
    }
}

static void whole_data_equals_direct_fits(void **unused)
{
    (void)unused;
    static const char *const scales[] = {"zscore", "paper", "none"};
    char objectives[512] = "", solvers[512] = "";
    const char *name;
    size_t count = count_solvers(is_quick);
    for (size_t o = 0; (name = objective_name(o, learns_classes)) != NULL; o++)
        add_name(objectives, sizeof objectives, name);
    for (size_t s = 0; (name = solver_name(s, is_quick)) != NULL; s++)
        add_name(solvers, sizeof solvers, name);
    for (int t = 0; t < 3; t++) {
        gersh_dataset *data = two_classes(20 + (uint64_t)t, 25, 5, 3);
        gersh_settings *settings = settings_of("2");
        gersh_comparison *c = NULL;
        size_t rows[25];
        double weights[25];
        for (size_t i = 0; i < 25; i++) {
            rows[i] = i;
            weights[i] = 0.5 + (double)(i % 4);
        }
        if (t == 1)
            assert_ok(gersh_dataset_set_weights(data, weights));
        assert_ok(gersh_settings_set(settings, "scale", scales[t]));
        gersh_compare_options options = {.objectives = objectives, .solvers = solvers};
        assert_ok(gersh_compare(&c, data, settings, &options));
        assert_int_equal(c->count, count * count_objectives(learns_classes));
        assert_true(c->all_folds == 1 && c->folds == 1 && c->skipped == 0 && !c->interrupted);
        for (size_t r = 0; r < c->count; r++) {
            const gersh_compare_row *row = &c->row[r];
            const char *objective = objective_name(r / count, learns_classes),
                       *solver = solver_name(r % count, is_quick);
            direct d = fit_directly(data, rows, 25, scales[t], objective, solver);
            assert_string_equal(row->objective, objective);
            assert_string_equal(row->solver, solver);
            assert_true(row->objective_value == d.info.objective_value);
            assert_int_equal(row->has_bound, d.info.has_bound);
            if (row->has_bound)
                assert_true(row->gap == d.info.gap && row->bound == d.info.bound);
            assert_int_equal(row->iterations, d.info.iterations);
            assert_int_equal(row->stops[d.info.stop], 1);
            assert_true(row->edges == (double)d.edges && row->balanced == d.balanced);
            assert_near(row->lambda_min, d.lambda_min, 1e-9 * d.info.budget);
            assert_true(row->folds == 1 && row->failed == 0 && row->failure[0] == '\0');
            double shares = row->share_gradient + row->share_minimizer + row->share_objective +
                            row->share_step + row->share_eigen;
            assert_true(row->seconds > 0 && shares > 0 && shares <= 1 + 1e-9);
        }
        check_best(c);
        gersh_comparison_free(c);
        gersh_settings_free(settings);
        gersh_dataset_free(data);
    }
}

/*
 * Means, sums and the smallest over the folds. The direct fits have no noise, which 1e-12 of moves the values
 * by about as much.
 */
static void folds_equal_direct_fits(void **unused)
{
    (void)unused;
    enum { n = 45, k = 4, folds = 11 }; /* round(45 / 4) */
    gersh_dataset *data = two_classes(31, n, k, 2);
    gersh_settings *settings = settings_of("2");
    gersh_split *split = NULL;
    gersh_comparison *c = NULL;
    assert_ok(gersh_settings_set(settings, "seed", "5"));
    assert_ok(gersh_split_folds(&split, data, folds, 5));
    gersh_compare_options options = {
        .objectives = "mcml,deml", .solvers = "balanced,psd", .folds = GERSH_COMPARE_PAPER};
    assert_ok(gersh_compare(&c, data, settings, &options));
    assert_true(c->count == 4 && c->all_folds == folds && c->folds == folds && c->skipped == 0);
    for (size_t r = 0; r < 4; r++) {
        const gersh_compare_row *row = &c->row[r];
        double value = 0, bound = 0, smallest = HUGE_VAL, last = 0, budget = 0;
        for (int f = 0; f < folds; f++) {
            size_t *rows = NULL, count = 0;
            assert_ok(gersh_split_rows(&rows, &count, split, f, 1));
            direct d = fit_directly(data, rows, count, "paper", row->objective, row->solver);
            value += d.info.objective_value / folds;
            bound += d.info.bound / folds;
            smallest = fmin(smallest, d.lambda_min);
            last = d.lambda_min;
            budget = fmax(budget, d.info.budget);
            free(rows);
        }
        assert_int_equal(row->folds, folds);
        assert_near(row->objective_value, value, 1e-7 * fabs(value) + 1e-9);
        assert_near(row->bound, bound, 1e-7 * fabs(bound) + 1e-9);
        assert_near(row->gap, fabs(row->objective_value - row->bound), 1e-12 + 1e-12 * fabs(value));
        assert_near(row->lambda_min, smallest, 1e-9 * budget);
        assert_true(last > smallest + 1e-8 * budget); /* else the test could not tell them apart */
        assert_int_equal(row->stops[0] + row->stops[1] + row->stops[2] + row->stops[3] + row->stops[4],
                         folds);
        assert_true(row->balanced || strcmp(row->solver, "psd") == 0);
        assert_true(row->iterations >= folds && row->edges >= 0 && row->edges <= k * (k - 1) / 2.0);
    }
    check_best(c);
    gersh_comparison_free(c);
    gersh_split_free(split);
    gersh_settings_free(settings);
    gersh_dataset_free(data);
}

static void folds_of_one_class_are_skipped(void **unused)
{
    (void)unused;
    gersh_dataset *data = two_classes(51, 42, 3, 21); /* two rows of the second class in 11 folds */
    gersh_settings *settings = settings_of("1");
    gersh_comparison *c = NULL;
    gersh_compare_options options = {.solvers = "hull", .folds = GERSH_COMPARE_PAPER};
    assert_ok(gersh_compare(&c, data, settings, &options));
    assert_true(c->all_folds == 11 && c->folds == 2 && c->skipped == 9);
    assert_true(c->row[0].folds == 2 && c->row[0].failed == 0 && c->row[0].best);
    gersh_comparison_free(c);
    options.max_folds = 3;
    assert_int_equal(gersh_compare(&c, data, settings, &options), GERSH_ERROR_INPUT);
    assert_null(c);
    assert_string_equal(gersh_last_error(),
                        "the first 3 of 11 folds have one class each, so that nothing can be learned from "
                        "them; use more folds (--max-folds), or leave out --folds");
    /* A row of weight 0 is no class of its own: the folds of its class are skipped as well. */
    double weights[42];
    for (size_t i = 0; i < 42; i++)
        weights[i] = i == 21 ? 0 : 1;
    assert_ok(gersh_dataset_set_weights(data, weights));
    options.max_folds = 0;
    assert_ok(gersh_compare(&c, data, settings, &options));
    assert_true(c->folds == 1 && c->skipped == 10 && c->row[0].folds == 1 && c->row[0].failed == 0);
    gersh_comparison_free(c);
    gersh_settings_free(settings);
    gersh_dataset_free(data);
}

/* A callback that finds out whether two threads are in it, and cancels after a number of fits. */
typedef struct watch {
    int inside, overlaps, backwards, wrong;
    size_t calls, done;
    size_t cancel_after;
    int cancel_at_iteration;
    gersh_cancel cancel;
} watch;

static void watching(void *context, const gersh_compare_progress *now)
{
    watch *w = context;
    if (__atomic_add_fetch(&w->inside, 1, __ATOMIC_SEQ_CST) != 1)
        __atomic_store_n(&w->overlaps, 1, __ATOMIC_SEQ_CST);
    nanosleep(&(struct timespec){.tv_nsec = 1000},
              NULL); /* time for another thread to come in, if it can */
    w->calls++;
    w->backwards |= now->done < w->done;
    w->wrong |= now->done > now->total || now->objective == NULL || now->solver == NULL || now->seconds < 0;
    w->done = now->done;
    if (w->cancel_after > 0 && now->done >= w->cancel_after)
        gersh_cancel_request(&w->cancel);
    if (w->cancel_at_iteration > 0 && now->fit != NULL && now->fit->iteration >= w->cancel_at_iteration)
        gersh_cancel_request(&w->cancel);
    __atomic_sub_fetch(&w->inside, 1, __ATOMIC_SEQ_CST);
}

static void threads_do_not_matter(void **unused)
{
    (void)unused;
    static const char *const threads[] = {"1", "2", "5"};
    gersh_dataset *data = two_classes(61, 50, 6, 3);
    gersh_comparison *c[3] = {NULL};
    for (int t = 0; t < 3; t++) {
        gersh_settings *settings = settings_of(threads[t]);
        watch w = {0};
        gersh_compare_options options = {.objectives = "all",
                                         .solvers = "diagonal,balanced,hull,psd",
                                         .folds = GERSH_COMPARE_PAPER,
                                         .progress = watching,
                                         .progress_context = &w};
        assert_ok(gersh_compare(&c[t], data, settings, &options));
        assert_true(!w.overlaps && !w.backwards && !w.wrong);
        assert_int_equal(w.done, c[t]->count * c[t]->folds);
        assert_true(w.calls > 2 * w.done);
        gersh_settings_free(settings);
    }
    for (int t = 1; t < 3; t++) {
        assert_int_equal(c[t]->count, c[0]->count);
        for (size_t r = 0; r < c[0]->count; r++) {
            const gersh_compare_row *a = &c[0]->row[r], *b = &c[t]->row[r];
            assert_true(a->objective_value == b->objective_value && a->bound == b->bound);
            assert_true(a->gap == b->gap && a->lambda_min == b->lambda_min && a->edges == b->edges);
            assert_true(a->iterations == b->iterations && a->balanced == b->balanced && a->best == b->best);
            assert_true(a->folds == c[0]->folds && b->folds == c[0]->folds);
            assert_memory_equal(a->stops, b->stops, sizeof a->stops);
        }
    }
    for (int t = 0; t < 3; t++)
        gersh_comparison_free(c[t]);
    gersh_dataset_free(data);
}

static void cancelling_keeps_what_is_done(void **unused)
{
    (void)unused;
    gersh_dataset *data = two_classes(71, 40, 6, 2);
    gersh_settings *settings = settings_of("1");
    gersh_comparison *c = NULL;
    watch after = {.cancel_after = 7};
    gersh_compare_options options = {.objectives = "glr,deml",
                                     .solvers = "hull,psd",
                                     .folds = GERSH_COMPARE_PAPER,
                                     .progress = watching,
                                     .progress_context = &after,
                                     .cancel = &after.cancel};
    assert_ok(gersh_compare(&c, data, settings, &options));
    assert_true(c->interrupted && c->count == 4 && c->folds == 10);
    for (size_t r = 0; r < 4; r++) {
        assert_int_equal(c->row[r].folds, r < 3 ? 2 : 1);
        assert_true(!c->row[r].best && c->row[r].failed == 0);
    }
    gersh_comparison_free(c);

    watch within = {.cancel_at_iteration = 2};
    options = (gersh_compare_options){.objectives = "mcml",
                                      .solvers = "psd,hull",
                                      .progress = watching,
                                      .progress_context = &within,
                                      .cancel = &within.cancel};
    assert_ok(gersh_compare(&c, data, settings, &options));
    assert_true(c->interrupted && c->row[0].folds == 1 && c->row[0].stops[GERSH_STOP_INTERRUPTED] == 1);
    assert_true(c->row[0].iterations == 2 && !c->row[0].best && c->row[1].folds == 0);
    gersh_comparison_free(c);

    assert_int_equal(gersh_compare(&c, data, settings, &options), GERSH_ERROR_CANCELLED);
    assert_null(c);
    assert_string_equal(gersh_last_error(), "interrupted before the first fit was done");
    gersh_settings_free(settings);
    gersh_dataset_free(data);
}

/* mcml needs classes: its rows hold why, and those of glr are whole. */
static void failures_stay_in_their_rows(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 81);
    gersh_dataset *data = random_data(&random, 16, 3, 0);
    gersh_settings *settings = settings_of("2"), *direct_settings = settings_of("1");
    gersh_comparison *c = NULL;
    gersh_metric *metric = NULL;
    gersh_fit_info info;
    char message[1024];
    assert_ok(gersh_settings_set(direct_settings, "objective", "mcml"));
    gersh_status status = gersh_fit(&metric, &info, data, direct_settings, NULL);
    assert_int_not_equal(status, GERSH_OK);
    snprintf(message, sizeof message, "%s", gersh_last_error());
    gersh_compare_options options = {
        .objectives = "mcml,glr", .solvers = "hull,diagonal", .folds = GERSH_COMPARE_PAPER};
    assert_ok(gersh_compare(&c, data, settings, &options));
    assert_true(c->count == 4 && c->folds == 4 && !c->interrupted);
    for (size_t r = 0; r < 4; r++) {
        assert_int_equal(c->row[r].folds, r < 2 ? 0 : 4);
        assert_int_equal(c->row[r].failed, r < 2 ? 4 : 0);
        assert_string_equal(c->row[r].failure, r < 2 ? message : "");
        assert_true(!c->row[r].best || r >= 2);
    }
    gersh_comparison_free(c);
    options.objectives = "mcml";
    assert_int_equal(gersh_compare(&c, data, settings, &options), status);
    assert_null(c);
    assert_string_equal(gersh_last_error(), message);
    gersh_settings_free(settings);
    gersh_settings_free(direct_settings);
    gersh_dataset_free(data);
}

/* The names of a list: its choices but for "auto". */
static const char *choices_of(const char *name)
{
    const char *choices = "";
    for (int i = 0; i < gersh_settings_count(); i++)
        if (strcmp(gersh_settings_info(i)->name, name) == 0)
            choices = gersh_settings_info(i)->choices;
    return strncmp(choices, "auto|", 5) == 0 ? choices + 5 : choices;
}

static void refuses(const gersh_dataset *data, const gersh_settings *settings,
                    gersh_compare_options options, gersh_status status, const char *message)
{
    gersh_comparison *c = NULL;
    assert_int_equal(gersh_compare(&c, data, settings, &options), status);
    assert_null(c);
    assert_string_equal(gersh_last_error(), message);
}

static void names_and_options_are_checked(void **unused)
{
    (void)unused;
    gersh_dataset *data = two_classes(91, 12, 3, 2), *small = two_classes(92, 5, 3, 2);
    gersh_settings *settings = settings_of("1");
    gersh_comparison *c = NULL;
    char message[512];
    gersh_compare_options all = {.objectives = "all", .solvers = " hull , diagonal "};
    assert_ok(gersh_compare(&c, data, settings, &all));
    size_t at = 0;
    for (const char *p = choices_of("objective"); *p != '\0'; at += 2) {
        size_t length = strcspn(p, "|");
        assert_true(at + 1 < c->count);
        assert_true(strlen(c->row[at].objective) == length);
        assert_memory_equal(c->row[at].objective, p, length);
        assert_string_equal(c->row[at].solver, "hull");
        assert_string_equal(c->row[at + 1].solver, "diagonal");
        p += length + (p[length] == '|');
    }
    assert_int_equal(at, c->count);
    gersh_comparison_free(c);
    assert_ok(gersh_settings_set(settings, "objective", "deml"));
    assert_ok(gersh_compare(&c, data, settings, &(gersh_compare_options){.solvers = "hull"}));
    assert_true(c->count == 1 && strcmp(c->row[0].objective, "deml") == 0);
    gersh_comparison_free(c);

    snprintf(message, sizeof message, "--solvers: 'hul' is not one of %s; did you mean 'hull'?",
             choices_of("solver"));
    refuses(data, settings, (gersh_compare_options){.solvers = "psd,hul"}, GERSH_ERROR_ARGUMENT, message);
    snprintf(message, sizeof message, "--objectives: 'xyzzyx' is not one of %s", choices_of("objective"));
    refuses(data, settings, (gersh_compare_options){.objectives = "xyzzyx"}, GERSH_ERROR_ARGUMENT, message);
    refuses(data, settings, (gersh_compare_options){.solvers = "psd,hull,psd"}, GERSH_ERROR_ARGUMENT,
            "--solvers: 'psd' is named twice; name it once");
    refuses(data, settings, (gersh_compare_options){.solvers = "psd,"}, GERSH_ERROR_ARGUMENT,
            "--solvers: a name is missing; separate names by single commas, or say all");
    refuses(data, settings, (gersh_compare_options){.objectives = ""}, GERSH_ERROR_ARGUMENT,
            "--objectives: a name is missing; separate names by single commas, or say all");
    refuses(data, settings, (gersh_compare_options){.solvers = "psd", .max_folds = 2}, GERSH_ERROR_ARGUMENT,
            "--max-folds is about folds, but none are made; add --folds paper");
    gersh_compare_options folds = {.solvers = "psd", .folds = GERSH_COMPARE_PAPER};
    refuses(small, settings, folds, GERSH_ERROR_INPUT,
            "the data has 5 rows, but folds of 4 need from 6 to 8589934588; leave out --folds");
    assert_ok(gersh_settings_set(settings, "scale", "none"));
    refuses(
        data, settings, folds, GERSH_ERROR_ARGUMENT,
        "--scale: 'none' cannot be had with --folds paper, whose folds are scaled by 'paper'; leave out "
        "one of the two");
    gersh_settings_free(settings);
    gersh_dataset_free(small);
    gersh_dataset_free(data);
}

/* Every allocation in turn: the comparison fails, or one of its fits does, and nothing leaks. */
static void failing_allocations_leak_nothing(void **unused)
{
    (void)unused;
    gersh_dataset *data = two_classes(95, 8, 2, 2);
    gersh_settings *settings = settings_of("1");
    for (int folds = 0; folds < 2; folds++) {
        gersh_compare_options options = {.objectives = "glr,lmnn",
                                         .solvers = "hull",
                                         .folds = folds ? GERSH_COMPARE_PAPER : GERSH_COMPARE_WHOLE};
        long made = 1;
        for (long n = 1; made >= n || n == 1; n++) {
            gersh_comparison *c = NULL;
            assert_true(n < 5000);
            gersh__alloc_fail_at(n);
            gersh_status status = gersh_compare(&c, data, settings, &options);
            made = gersh__alloc_fail_at(0);
            size_t failed = 0;
            for (size_t r = 0; c != NULL && r < c->count; r++) {
                failed += c->row[r].failed;
                assert_true(c->row[r].failed == 0 || strncmp(c->row[r].failure, "out of memory", 13) == 0);
            }
            assert_int_equal(status == GERSH_OK, c != NULL);
            assert_true(status == GERSH_OK ? failed == (made >= n) : status == GERSH_ERROR_MEMORY);
            gersh_comparison_free(c);
        }
    }
    gersh_settings_free(settings);
    gersh_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_data_equals_direct_fits),
        cmocka_unit_test(folds_equal_direct_fits),
        cmocka_unit_test(folds_of_one_class_are_skipped),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(cancelling_keeps_what_is_done),
        cmocka_unit_test(failures_stay_in_their_rows),
        cmocka_unit_test(names_and_options_are_checked),
        cmocka_unit_test(failing_allocations_leak_nothing),
    };
    gersh__blas_hold(); /* small matrices: threads of BLAS would only slow the oracle down */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
