/*
 * Learning from tuples: optima against a grid, all solvers, a planted metric, refusals; models with tuples
 * and edge rules, and their verifier.
 */
#include "base/alloc.h"
#include "models.h"
#include "registry.h"
#include "tuples.h"

/* The least value over a grid of 2 × 2 matrices ρI + S, S of trace at most B. */
static double grid_minimum(const char *name, const gersh_dataset *data, const gersh_tuples *tuples,
                           const gersh_fit_info *info, double sign)
{
    enum { STEPS = 24 };
    size_t n = gersh_dataset_rows(data);
    const double *x = gersh_dataset_values(data);
    double *d = malloc(n * n * sizeof *d), best = INFINITY;
    for (int step = 0; step <= STEPS * STEPS * STEPS - 1; step++) {
        double trace = (info->budget - 2 * info->rho) * (step % STEPS) / (STEPS - 1),
               share = 0.5 + 0.5 * (step / STEPS % STEPS) / (STEPS - 1),
               angle = acos(-1) * (step / STEPS / STEPS) / STEPS;
        double c = cos(angle), s = sin(angle), a = trace * share, b = trace - a;
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) {
                double u = x[2 * i] - x[2 * j], v = x[2 * i + 1] - x[2 * j + 1];
                d[i * n + j] =
                    info->rho * (u * u + v * v) + a * pow(c * u + s * v, 2) + b * pow(c * v - s * u, 2);
            }
        tuple_case one = {n, tuples, NULL, d};
        best = fmin(best, naive_value(name, &one, 1e-200));
    }
    free(d);
    return sign * best;
}

static gersh_settings *settings_of(const char *objective, const char *solver, const char *tol)
{
    gersh_settings *settings = model_settings(objective, solver);
    assert_ok(gersh_settings_set(settings, "tol", tol));
    return settings;
}

/* Of two features it has all metrics. */
static int spans_planes(const gersh__solver *solver)
{
    return is_convex(solver) && solver->info.bound != GERSH_BOUND_DIAGONAL;
}

static void optima_are_those_of_a_grid(void **unused)
{
    static const double ones[] = {1, 0.2};
    gersh__random random;
    (void)unused;
    const char *name, *solver;
    visits objectives = {0}, solvers = {0};
    gersh__random_seed(&random, 37);
    for (size_t which = 0; (name = objective_name(which, learns_tuples)) != NULL; which++) {
        visit(&objectives, name);
        for (int kind = 0; kind < 3; kind++) {
            if (!takes_kind(name, (gersh_tuple_kind)kind))
                continue;
            gersh_dataset *data = plain_data(&random, 12, 2);
            gersh_tuples *tuples = true_tuples(&random, data, (gersh_tuple_kind)kind, 30, ones, 1.2);
            gersh_fit_options options = {.tuples = tuples};
            for (size_t s = 0; (solver = solver_name(s, spans_planes)) != NULL; s++) {
                gersh_settings *settings = settings_of(name, solver, "1e-6");
                visit(&solvers, solver);
                gersh_metric *metric = NULL;
                gersh_fit_info info;
                assert_ok(gersh_fit(&metric, &info, data, settings, &options));
                double sign = objective_sign(name);
                double grid = sign * grid_minimum(name, data, tuples, &info, sign),
                       value = sign * info.objective_value, bound = sign * info.bound;
                assert_true(info.has_bound && bound <= value * (1 + 1e-12 * sign) + 1e-12);
                assert_true(value <= grid + 1e-5 * fabs(grid) + 1e-9);
                assert_true(bound <= grid + 1e-12 * fabs(grid));
                gersh_metric_free(metric);
                gersh_settings_free(settings);
            }
            gersh_tuples_free(tuples);
            gersh_dataset_free(data);
        }
    }
    assert_all_objectives(&objectives, learns_tuples);
    assert_all_solvers(&solvers, spans_planes);
}

/* Every solver, from tuples to a model file and the verifier; no metric beats the bound of the cone. */
static void all_solvers_learn_from_tuples(void **unused)
{
    static const double planted[] = {3, 1, 0.1, 0};
    gersh__random random;
    (void)unused;
    const char *name;
    visits seen = {0};
    size_t count = count_solvers(learns);
    double *value = calloc(count, sizeof *value);
    gersh__random_seed(&random, 38);
    for (size_t which = 0; (name = objective_name(which, learns_tuples)) != NULL; which++) {
        visit(&seen, name);
        for (int kind = 0; kind < 3; kind++) {
            if (!takes_kind(name, (gersh_tuple_kind)kind))
                continue;
            gersh_dataset *data = plain_data(&random, 20, 4);
            gersh_tuples *tuples = true_tuples(&random, data, (gersh_tuple_kind)kind, 60, planted, 6);
            double weights[20], sign = objective_sign(name), bound = -INFINITY;
            gersh_fit_options options = {.tuples = tuples, .weights = kind == 0 ? weights : NULL};
            for (size_t i = 0; i < 20; i++)
                weights[i] = i == 3 ? 0 : 0.5 + gersh__random_uniform(&random);
            for (size_t s = 0; s < count; s++) {
                const char *solver = solver_name(s, learns);
                gersh_settings *settings = settings_of(name, solver, "1e-3");
                gersh_model *model = NULL, *back = NULL;
                gersh_fit_info info;
                gersh_verification report;
                assert_ok(gersh_settings_set(settings, "max-iter",
                                             solver_is(solver, is_certified) ? "1000" : "30"));
                assert_ok(gersh_model_fit(&model, &info, data, settings, &options));
                assert_ok(gersh_model_write(model, model_path, 1));
                assert_ok(gersh_model_read(&back, model_path));
                assert_ok(gersh_model_verify(&report, back, NULL));
                for (size_t c = 0; c < report.count; c++)
                    if (report.check[c].result == GERSH_CHECK_FAILED)
                        fail_msg("%s %s %d: %s: %s", name, solver, kind, report.check[c].name,
                                 report.check[c].sentence);
                assert_string_equal(gersh_model_task(back), "none");
                value[s] = sign * info.objective_value;
                if (gersh_solver_find(solver)->bound == GERSH_BOUND_PSD)
                    bound = sign * info.bound;
                gersh_model_free(model);
                gersh_model_free(back);
                gersh_settings_free(settings);
            }
            for (size_t s = 0; s < count; s++)
                assert_true(value[s] >= bound - 1e-9 * fabs(bound));
            gersh_tuples_free(tuples);
            gersh_dataset_free(data);
        }
    }
    free(value);
    assert_all_objectives(&seen, learns_tuples);
}

/* Comparisons that were held back are kept far better than by the Euclidean distance. */
static void a_planted_metric_is_found(void **unused)
{
    static const double planted[] = {4, 2, 1, 0.05, 0.02, 0, 0, 0};
    gersh__random random;
    (void)unused;
    gersh__random_seed(&random, 39);
    for (int kind = 1; kind < 3; kind++) {
        gersh_dataset *data = plain_data(&random, 120, 8);
        gersh_tuples *learned = true_tuples(&random, data, (gersh_tuple_kind)kind, 600, planted, 0),
                     *held = true_tuples(&random, data, (gersh_tuple_kind)kind, 2000, planted, 0);
        double plain = share_kept(data, held, NULL);
        const char *name;
        for (size_t which = 0; (name = objective_name(which, any_objective)) != NULL; which++) {
            if (!takes_kind(name, (gersh_tuple_kind)kind))
                continue;
            gersh_settings *settings = settings_of(name, "balanced", "1e-3");
            gersh_fit_options options = {.tuples = learned};
            gersh_metric *metric = NULL;
            gersh_fit_info info;
            assert_ok(gersh_fit(&metric, &info, data, settings, &options));
            double kept = share_kept(data, held, metric);
            if (!(kept > (strcmp(name, "lsml") == 0 ? 0.93 : 0.8) && kept > plain + 0.12))
                fail_msg("%s, %s: %g of the held-out ones, Euclidean %g", name,
                         gersh_tuple_kind_name((gersh_tuple_kind)kind), kept, plain);
            print_message("%s of %s: %.3f of those held out, Euclidean %.3f\n", name,
                          gersh_tuple_kind_name((gersh_tuple_kind)kind), kept, plain);
            gersh_metric_free(metric);
            gersh_settings_free(settings);
        }
        gersh_tuples_free(learned);
        gersh_tuples_free(held);
        gersh_dataset_free(data);
    }
}

/* A message that ends with a blank is the beginning of one that ends with a list. */
static void fails(const gersh_dataset *data, const char *objective, const gersh_fit_options *options,
                  const char *message)
{
    size_t length = strlen(message);
    gersh_settings *settings = model_settings(objective, "hull");
    gersh_metric *metric = NULL;
    gersh_fit_info info;
    assert_int_not_equal(gersh_fit(&metric, &info, data, settings, options), GERSH_OK);
    assert_null(metric);
    if (message[length - 1] == ' ')
        assert_int_equal(strncmp(gersh_last_error(), message, length), 0);
    else
        assert_string_equal(gersh_last_error(), message);
    gersh_settings_free(settings);
}

static double no_value(void *context, size_t pairs, const size_t *first, const size_t *second,
                       const double *distance, double *gradient)
{
    (void)context;
    (void)pairs;
    (void)first;
    (void)second;
    (void)distance;
    (void)gradient;
    return 0;
}

static void what_cannot_be_learned_is_refused(void **unused)
{
    gersh__random random;
    (void)unused;
    gersh__random_seed(&random, 40);
    gersh_dataset *data = plain_data(&random, 6, 2);
    gersh_tuples *pairs = NULL, *near = NULL, *far = NULL, *triplets = NULL, *outside = NULL;
    size_t rows[] = {0, 1, 2, 3};
    assert_ok(gersh_tuples_new(&pairs, GERSH_PAIRS, 2, rows, (int[]){1, 0}, 6));
    assert_ok(gersh_tuples_new(&near, GERSH_PAIRS, 2, rows, (int[]){1, 1}, 6));
    assert_ok(gersh_tuples_new(&far, GERSH_PAIRS, 2, rows, (int[]){0, 0}, 6));
    assert_ok(gersh_tuples_new(&triplets, GERSH_TRIPLETS, 1, rows, NULL, 6));
    assert_ok(gersh_tuples_new(&outside, GERSH_PAIRS, 1, (size_t[]){0, 6}, (int[]){0}, 7));
    double weights[6] = {0, 1, 0, 1, 1, 1};
    gersh_custom_objective custom = {.evaluate = no_value};
    fails(data, "glr", &(gersh_fit_options){.tuples = triplets},
          "the objective glr cannot learn from triplets; use the objective ");
    fails(data, "lmnn", &(gersh_fit_options){.tuples = pairs},
          "the objective lmnn cannot learn from pairs; use the objective ");
    fails(data, "glr", &(gersh_fit_options){.tuples = near},
          "the objective glr needs dissimilar pairs, but all 2 are similar; add some");
    fails(data, "lsml", &(gersh_fit_options){.tuples = far},
          "the objective lsml needs similar pairs, but all 2 are dissimilar; add some");
    fails(data, "mcml", &(gersh_fit_options){.tuples = pairs},
          "the objective mcml needs a row that is in a similar pair and in a dissimilar one, but there is "
          "none; use the objective ");
    fails(data, "glr", &(gersh_fit_options){.tuples = pairs, .weights = weights},
          "all pairs have a row of weight 0; at least one of them must count");
    fails(data, "glr", &(gersh_fit_options){.tuples = outside},
          "pair 1: there is no row 6 (counted from 0); the data has 6 rows");
    fails(data, "glr", &(gersh_fit_options){.tuples = pairs, .custom = &custom},
          "a custom objective is a function of all pairs of rows and cannot learn from tuples; leave one "
          "of the two "
          "out");
    gersh_model *model = NULL;
    assert_int_equal(gersh_model_fit(&model, NULL, data, NULL, NULL), GERSH_ERROR_INPUT);
    gersh_tuples_free(pairs);
    gersh_tuples_free(near);
    gersh_tuples_free(far);
    gersh_tuples_free(triplets);
    gersh_tuples_free(outside);
    gersh_dataset_free(data);
}

/* A setting of another solver's is refused, not passed over; its default is fine. */
static void settings_of_other_solvers_are_refused(void **unused)
{
    static const char *const given[][2] = {{"nuclear", "0.5"}, {"init", "chain"}, {"rows-only", "yes"}};
    static const char *const initial[] = {"0.0", "tree", "no"};
    gersh__random random;
    (void)unused;
    gersh__random_seed(&random, 41);
    gersh_dataset *data = ready_data(&random, 12, 3, 2);
    for (int g = 0; g < 3; g++) {
        const char *solver;
        for (size_t s = 0; (solver = solver_name(s, learns)) != NULL; s++) {
            gersh_settings *settings = model_settings("glr", solver);
            gersh_model *model = NULL;
            int own = gersh_solver_reads(gersh_solver_find(solver), given[g][0]);
            assert_ok(gersh_settings_set(settings, given[g][0], given[g][1]));
            assert_int_equal(gersh_model_fit(&model, NULL, data, settings, NULL),
                             own ? GERSH_OK : GERSH_ERROR_ARGUMENT);
            if (!own)
                assert_non_null(
                    strstr(gersh_last_error(), "does not use it; leave it out, or use the solver"));
            gersh_model_free(model);
            assert_ok(gersh_settings_set(settings, given[g][0], initial[g]));
            assert_ok(gersh_model_fit(&model, NULL, data, settings, NULL));
            gersh_model_free(model);
            gersh_settings_free(settings);
        }
    }
    gersh_dataset_free(data);
}

static gersh_check_result result_of(const gersh_model *model, const char *name)
{
    gersh_verification report;
    assert_ok(gersh_model_verify(&report, model, NULL));
    for (size_t c = 0; c < report.count; c++)
        if (strcmp(report.check[c].name, name) == 0)
            return report.check[c].result;
    fail_msg("there is no check '%s'", name);
    return GERSH_CHECK_SKIPPED;
}

/* Tuples and rules come back from the file, and the verifier sees when they are not those of the fit. */
static void models_keep_tuples_and_rules(void **unused)
{
    static const double planted[] = {3, 1, 1, 1};
    gersh__random random;
    (void)unused;
    gersh__random_seed(&random, 42);
    for (int kind = 0; kind < 3; kind++) {
        gersh_dataset *data = plain_data(&random, 25, 4);
        gersh_tuples *tuples = true_tuples(&random, data, (gersh_tuple_kind)kind, 50, planted, 8);
        gersh_edge_rule rules[] = {
            {0, 1, GERSH_EDGE_FORBIDDEN}, {1, 2, GERSH_EDGE_POSITIVE}, {3, 2, GERSH_EDGE_NEGATIVE}};
        gersh_fit_options options = {.tuples = tuples, .rules = rules, .rule_count = 3};
        gersh_settings *settings = model_settings(kind == 0 ? "glr" : "lmnn", "balanced");
        gersh_model *model = NULL, *back = NULL;
        size_t count = 0;
        assert_ok(gersh_model_fit(&model, NULL, data, settings, &options));
        for (int with_data = 0; with_data < 2; with_data++) {
            gersh_model_free(back);
            assert_ok(gersh_model_write(model, model_path, with_data));
            assert_ok(gersh_model_read(&back, model_path));
            const gersh_tuples *kept = gersh_model_tuples(back);
            assert_true(kept->kind == tuples->kind && kept->count == tuples->count);
            assert_memory_equal(kept->row, tuples->row,
                                tuples->count * gersh_tuple_size(tuples->kind) * sizeof *tuples->row);
            if (kind == 0)
                assert_memory_equal(kept->similar, tuples->similar,
                                    tuples->count * sizeof *tuples->similar);
            const gersh_edge_rule *ruled = gersh_model_rules(back, &count);
            assert_true(count == 3);
            assert_ptr_equal(gersh_model_rules(back, NULL), ruled);
            for (size_t r = 0; r < 3; r++)
                assert_true(ruled[r].first == rules[r].first && ruled[r].second == rules[r].second &&
                            ruled[r].kind == rules[r].kind);
        }
        assert_int_equal(result_of(back, "objective value"), GERSH_CHECK_PASSED);
        assert_int_equal(result_of(back, "edge rules"), GERSH_CHECK_PASSED);
        if (kind == 0)
            back->tuples->similar[0] = !back->tuples->similar[0];
        else
            back->tuples->row[1] = back->tuples->row[1] > 0 ? 0 : 9;
        assert_int_equal(result_of(back, "objective value"), GERSH_CHECK_FAILED);
        gersh_graph *graph = NULL;
        assert_ok(gersh_metric_graph(&graph, back->metric));
        if (graph->edges > 0) { /* the first edge is forbidden afterwards, or another one alone allowed */
            size_t i = 0;
            while (graph->start[i + 1] == 0)
                i++;
            back->rules[0] = (gersh_edge_rule){i, graph->neighbor[0], GERSH_EDGE_FORBIDDEN};
            assert_int_equal(result_of(back, "edge rules"), GERSH_CHECK_FAILED);
            back->rules[0].kind = graph->entry[0] > 0 ? GERSH_EDGE_POSITIVE : GERSH_EDGE_NEGATIVE;
            assert_int_equal(result_of(back, "edge rules"), GERSH_CHECK_FAILED);
            back->rules[0] = (gersh_edge_rule){0, 1, GERSH_EDGE_ALLOWED};
            back->rule_count = 1;
            assert_int_equal(result_of(back, "edge rules"), GERSH_CHECK_FAILED);
        } else {
            fail_msg("the metric of kind %d has no edge to forbid", kind);
        }
        gersh_graph_free(graph);
        gersh_model_free(model);
        gersh_model_free(back);
        gersh_settings_free(settings);
        gersh_tuples_free(tuples);
        gersh_dataset_free(data);
    }
}

/* Labels of the data are kept for later use, but the fit does not see them. */
static void labels_do_not_count(void **unused)
{
    static const double planted[] = {3, 1, 0.1};
    gersh__random random;
    (void)unused;
    gersh__random_seed(&random, 43);
    gersh_dataset *data = ready_data(&random, 20, 3, 3), *bare = NULL;
    assert_ok(gersh_dataset_new(&bare, 20, 3, gersh_dataset_values(data), 3, NULL, NULL, NULL));
    gersh_tuples *tuples = true_tuples(&random, data, GERSH_TRIPLETS, 40, planted, 0);
    gersh_fit_options options = {.tuples = tuples};
    gersh_settings *settings = model_settings("lmnn", "hull");
    gersh_model *with = NULL, *without = NULL;
    assert_ok(gersh_model_fit(&with, NULL, data, settings, &options));
    assert_ok(gersh_model_fit(&without, NULL, bare, settings, &options));
    assert_close(with->info.objective_value, without->info.objective_value,
                 1e-9 * without->info.objective_value);
    assert_string_equal(gersh_model_task(with), "classify");
    assert_int_equal(result_of(with, "objective value"), GERSH_CHECK_PASSED);
    gersh_model_free(with);
    gersh_model_free(without);
    gersh_settings_free(settings);
    gersh_tuples_free(tuples);
    gersh_dataset_free(data);
    gersh_dataset_free(bare);
}

static gersh_status whole_way(const gersh_dataset *data, const char *tuples_path, gersh_tuple_kind kind,
                              const gersh_settings *settings, int writes)
{
    gersh_tuples *tuples = NULL;
    gersh_model *model = NULL, *back = NULL;
    gersh_verification report;
    gersh_edge_rule rules[] = {{0, 1, GERSH_EDGE_FORBIDDEN}};
    gersh_status status = gersh_tuples_read(&tuples, tuples_path, kind, gersh_dataset_rows(data));
    gersh_fit_options options = {.tuples = tuples, .rules = rules, .rule_count = 1};
    if (status == GERSH_OK)
        status = gersh_model_fit(&model, NULL, data, settings, &options);
    if (status == GERSH_OK && writes) /* which takes long, as it syncs, and needs no memory for tuples */
        status = gersh_model_write(model, model_path, 1);
    if (status == GERSH_OK)
        status = gersh_model_read(&back, model_path);
    if (status == GERSH_OK)
        status = gersh_model_verify(&report, back, NULL);
    gersh_tuples_free(tuples);
    gersh_model_free(model);
    gersh_model_free(back);
    return status;
}

static void allocation_failures(void **unused)
{
    static const char *const texts[] = {"1,2,1\n1,3,-1\n2,4,-1\n4,5,1\n", "1,2,3\n2,3,4\n5,1,2\n",
                                        "1,2,3,4\n2,3,4,5\n"};
    gersh__random random;
    char path[80];
    (void)unused;
    gersh__random_seed(&random, 44);
    gersh_dataset *data = plain_data(&random, 6, 3);
    snprintf(path, sizeof path, "%s/tuples", model_folder);
    for (int kind = 0; kind < 3; kind++) {
        write_bytes(path, texts[kind], strlen(texts[kind]));
        const char *name;
        for (size_t o = 0; (name = objective_name(o, learns_tuples)) != NULL; o++) {
            if (!takes_kind(name, (gersh_tuple_kind)kind))
                continue;
            gersh_settings *settings = model_settings(name, "hull");
            int failures = 0;
            assert_ok(whole_way(data, path, (gersh_tuple_kind)kind, settings, 1));
            gersh__alloc_fail_at(1000000000);
            assert_ok(whole_way(data, path, (gersh_tuple_kind)kind, settings, 0));
            long count = gersh__alloc_fail_at(0);
            for (long at = 1; at <= count; at++) {
                gersh__alloc_fail_at(at);
                gersh_status status = whole_way(data, path, (gersh_tuple_kind)kind, settings, 0);
                gersh__alloc_fail_at(0);
                assert_true(status == GERSH_OK || status == GERSH_ERROR_MEMORY);
                failures += status == GERSH_ERROR_MEMORY;
            }
            assert_true(failures > 200);
            gersh_settings_free(settings);
        }
    }
    unlink(path);
    gersh_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(optima_are_those_of_a_grid),
        cmocka_unit_test(all_solvers_learn_from_tuples),
        cmocka_unit_test(a_planted_metric_is_found),
        cmocka_unit_test(what_cannot_be_learned_is_refused),
        cmocka_unit_test(settings_of_other_solvers_are_refused),
        cmocka_unit_test(models_keep_tuples_and_rules),
        cmocka_unit_test(labels_do_not_count),
        cmocka_unit_test(allocation_failures),
    };
    return cmocka_run_group_tests(tests, models_start, models_end);
}
