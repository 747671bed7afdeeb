/*
 * The verifier: its values against sums in long double over all tuples, its verdict on fitted models and on
 * models that were tampered with; and what a fit takes from files: edge rules and weights.
 */
#include "models.h"

#include "base/alloc.h"
#include "data/dataset.h"
#include "registry.h"
#include "verify/verify.h"

typedef long double wide;

/* A problem with all distances at hand. */
typedef struct oracle {
    size_t n;
    const gersh_dataset *data;
    wide *d;
} oracle;

static wide weight(const oracle *o, size_t i)
{
    return o->data->weights != NULL ? o->data->weights[i] : 1;
}

static int same(const oracle *o, size_t i, size_t j)
{
    return o->data->labels[i] == o->data->labels[j];
}

static wide oracle_mcml(const oracle *o)
{
    wide sum = 0;
    for (size_t i = 0; i < o->n; i++) {
        wide all = 0, mates = 0;
        for (size_t k = 0; k < o->n; k++) {
            all += k != i ? weight(o, k) * expl(-o->d[i * o->n + k]) : 0;
            mates += k != i && same(o, i, k) ? weight(o, k) : 0;
        }
        for (size_t j = 0; j < o->n; j++) {
            if (j == i || !same(o, i, j))
                continue;
            wide p = weight(o, j) / mates, q = weight(o, j) * expl(-o->d[i * o->n + j]) / all;
            sum += weight(o, i) * p * logl(p / q);
        }
    }
    return sum;
}

static wide oracle_lsml(const oracle *o)
{
    wide sum = 0;
    size_t n = o->n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            for (size_t k = 0; k < n && same(o, i, j); k++)
                for (size_t l = k + 1; l < n; l++) {
                    if (same(o, k, l) || o->d[i * n + j] <= o->d[k * n + l])
                        continue;
                    wide excess = sqrtl(o->d[i * n + j]) - sqrtl(o->d[k * n + l]);
                    sum += weight(o, i) * weight(o, j) * weight(o, k) * weight(o, l) * excess * excess;
                }
    return sum;
}

/* j is a target of i when fewer than three class mates of i come before it. */
static wide oracle_lmnn(const oracle *o)
{
    wide sum = 0;
    size_t n = o->n, k = o->data->k;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            size_t before = 0;
            double near_j = 0;
            if (j == i || !same(o, i, j))
                continue;
            for (size_t f = 0; f < k; f++)
                near_j += pow(o->data->x[i * k + f] - o->data->x[j * k + f], 2);
            for (size_t m = 0; m < n; m++) {
                double near_m = 0;
                for (size_t f = 0; f < k; f++)
                    near_m += pow(o->data->x[i * k + f] - o->data->x[m * k + f], 2);
                before +=
                    m != i && m != j && same(o, i, m) && (near_m < near_j || (near_m == near_j && m < j));
            }
            if (before >= 3)
                continue;
            sum += weight(o, i) * weight(o, j) * o->d[i * n + j] / 2;
            for (size_t l = 0; l < n; l++) {
                wide margin = 1 + o->d[i * n + j] - o->d[i * n + l];
                if (!same(o, i, l) && margin > 0)
                    sum += weight(o, i) * weight(o, j) * weight(o, l) * margin / 2;
            }
        }
    return sum;
}

/* deml and glr: over ordered pairs, each counted half. */
static wide oracle_pairs(const oracle *o, int glr)
{
    wide sum = 0;
    for (size_t i = 0; i < o->n; i++)
        for (size_t j = 0; j < o->n; j++) {
            wide w = weight(o, i) * weight(o, j) / 2, d = o->d[i * o->n + j];
            if (o->data->targets != NULL)
                sum += w * expl(-d) * powl(o->data->targets[i] - (wide)o->data->targets[j], 2);
            else if (!same(o, i, j))
                sum += w * (glr ? 4 * expl(-d) : sqrtl(d));
        }
    return sum;
}

static wide oracle_glr(const oracle *o)
{
    return oracle_pairs(o, 1);
}

static wide oracle_deml(const oracle *o)
{
    return oracle_pairs(o, 0);
}

/* The library's own value, for objectives of which there is no other one here. */
static wide library_value(const char *objective, const oracle *o)
{
    gersh__pairs *pairs = NULL;
    gersh__objective *f = NULL;
    assert_ok(gersh__pairs_new(&pairs, o->data, o->data->weights, 0, NULL, NULL, NULL));
    assert_ok(gersh__objective_new(&f, gersh__objective_find(objective), pairs));
    double *d = calloc(gersh__pairs_count(pairs), sizeof *d);
    gersh__walk w;
    gersh__walk_start(&w, pairs, 0, gersh__pairs_count(pairs));
    while (gersh__walk_next(&w))
        d[w.pair] = (double)o->d[gersh__pairs_row(pairs, w.i) * o->n + gersh__pairs_row(pairs, w.j)];
    double value = gersh__objective_value(f, d);
    gersh__objective_free(f);
    gersh__pairs_free(pairs);
    free(d);
    return value;
}

static wide oracle_value(const char *objective, const oracle *o)
{
    static const struct {
        const char *name;
        wide (*value)(const oracle *o);
    } all[] = {{"mcml", oracle_mcml},
               {"lsml", oracle_lsml},
               {"lmnn", oracle_lmnn},
               {"glr", oracle_glr},
               {"deml", oracle_deml}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (strcmp(all[i].name, objective) == 0)
            return all[i].value(o);
    return library_value(objective, o);
}

static void fill_distances(oracle *o, const double *m)
{
    size_t k = o->data->k;
    for (size_t i = 0; i < o->n; i++)
        for (size_t j = 0; j < o->n; j++)
            for (size_t f = 0; f < k; f++)
                for (size_t g = 0; g < k; g++)
                    o->d[i * o->n + j] += (o->data->x[i * k + f] - (wide)o->data->x[j * k + f]) *
                                          m[f * k + g] *
                                          (o->data->x[i * k + g] - (wide)o->data->x[j * k + g]);
}

/* Random data with integer values, so that there are ties and equal rows; M of rank one and ρ. */
static void check_values(visits *seen, gersh__random *random, size_t n, size_t k, size_t classes,
                         int weights)
{
    double m[36], z[6], matrix[36];
    size_t feature[6], place[6], touched = 0;
    gersh_dataset *data = ready_data(random, n, k, classes);
    double *w = calloc(n, sizeof *w);
    for (size_t e = 0; e < n * k; e++)
        data->x[e] = (double)gersh__random_below(random, 4) - 1.5;
    for (size_t i = 0; i < n; i++)
        w[i] = gersh__random_uniform(random) + 0.5;
    if (weights)
        assert_ok(gersh_dataset_set_weights(data, w));
    for (size_t f = 0; f < k; f++) {
        z[f] = f == 1 ? 0 : gersh__random_normal(random) / 2; /* feature 1 is touched by no atom */
        place[f] = f == 1 ? GERSH__NONE : touched;
        if (f != 1)
            feature[touched++] = f;
    }
    for (size_t f = 0; f < k; f++)
        for (size_t g = 0; g < k; g++) {
            m[f * k + g] = z[f] * z[g] + (f == g ? 0.25 : 0);
            if (f != 1 && g != 1)
                matrix[place[f] * touched + place[g]] = m[f * k + g];
        }
    gersh__dense dense = {k, 0.25, touched, feature, place, matrix};
    oracle o = {n, data, calloc(n * n, sizeof(wide))};
    fill_distances(&o, m);
    const char *name;
    for (size_t c = 0; (name = objective_name(c, learns_classes)) != NULL; c++) {
        gersh__problem p = {0};
        gersh_status status =
            gersh__problem_solve(&p, gersh__reference_find(name), &dense, data, NULL, 0, 0);
        double found = p.value;
        gersh__problem_clear(&p);
        assert_int_equal(status, classes == 0 && !objective_is(name, learns_targets) ? GERSH_ERROR_INPUT
                                                                                     : GERSH_OK);
        if (status != GERSH_OK)
            continue;
        wide expected = oracle_value(name, &o);
        visit(seen, name);
        if (!(fabsl(found - expected) <= 1e-10L * (1e-3L + fabsl(expected))))
            fail_msg("%s, %zu rows: %.17g instead of %.17Lg", name, n, found, expected);
    }
    free(o.d);
    free(w);
    gersh_dataset_free(data);
}

static void values_agree_with_the_definitions(void **state)
{
    (void)state;
    gersh__random random;
    visits seen = {0};
    gersh__random_seed(&random, 11);
    for (int c = 0; c < cases(60); c++)
        check_values(&seen, &random, 2 + gersh__random_below(&random, 20),
                     2 + gersh__random_below(&random, 5),
                     gersh__random_below(&random, 5) == 0 ? 0 : 2 + gersh__random_below(&random, 3), c % 2);
    check_values(&seen, &random, 120, 3, 2, 1); /* more pairs of each kind than are compared one by one */
    assert_all_objectives(&seen, learns_classes);
}

static const gersh_check *find_check(const gersh_verification *report, const char *name)
{
    for (size_t i = 0; i < report->count; i++)
        if (strcmp(report->check[i].name, name) == 0)
            return &report->check[i];
    fail_msg("there is no check '%s'", name);
    return NULL;
}

/* What goes by rows takes longer; test_odd and test_tamper have its models, too. */
static int is_quick(const gersh__solver *solver)
{
    return !goes_by_rows(solver->info.name);
}

static void fitted_models_pass(void **state)
{
    (void)state;
    const char *objective, *solver;
    visits objectives = {0}, solvers = {0};
    for (size_t c = 0; (objective = objective_name(c, learns_classes)) != NULL; c++)
        for (size_t s = 0; (solver = solver_name(s, is_quick)) != NULL; s++)
            for (int weights = 0; weights < 2; weights++) {
                gersh_verification report;
                gersh_model *model = random_model(c * 10 + s, 24, 4, 2 + s % 2, objective, solver, weights);
                visit(&objectives, objective);
                visit(&solvers, solver);
                assert_ok(gersh_model_verify(&report, model, NULL));
                for (size_t i = 0; i < report.count; i++)
                    if (report.check[i].result == GERSH_CHECK_FAILED)
                        fail_msg("%s %s: %s: %s", objective, solver, report.check[i].name,
                                 report.check[i].sentence);
                assert_int_equal(report.verdict, GERSH_VERIFICATION_VERIFIED);
                assert_int_equal(find_check(&report, "objective value")->result, GERSH_CHECK_PASSED);
                gersh_model_free(model);
            }
    assert_all_objectives(&objectives, learns_classes);
    assert_all_solvers(&solvers, is_quick);
}

/* A row of weight 0 counts as absent: neither the fit nor the verifier sees it, not as a neighbour either. */
static void rows_of_weight_0_do_not_count(void **state)
{
    (void)state;
    gersh__random random;
    gersh__random_seed(&random, 31);
    const char *objective;
    visits seen = {0};
    for (size_t c = 0; (objective = objective_name(c, learns_classes)) != NULL; c++) {
        gersh_dataset *data = ready_data(&random, 24, 3, 2), *part = NULL;
        gersh_settings *settings = model_settings(objective, "hull");
        visit(&seen, objective);
        gersh_model *whole = NULL, *less = NULL;
        gersh_fit_info info[2];
        gersh_verification report;
        double w[24];
        size_t rows[24], count = 0;
        for (size_t i = 0; i < 24; i++) {
            w[i] = i % 3 == 0 ? 0 : 1;
            if (w[i] > 0)
                rows[count++] = i;
        }
        gersh_fit_options options = {.weights = w};
        assert_ok(gersh_settings_set(settings, "scale", "none")); /* which all rows have a part in */
        for (size_t e = 0; e < 24 * 3; e++)
            data->x[e] /= pow(10, (double)(e % 3));
        assert_ok(gersh_dataset_subset(&part, data, rows, count));
        assert_ok(gersh_model_fit(&whole, &info[0], data, settings, &options));
        assert_ok(gersh_model_fit(&less, &info[1], part, settings, NULL));
        if (fabs(info[0].objective_value - info[1].objective_value) > 1e-9 * fabs(info[1].objective_value))
            fail_msg("%s: %.17g instead of %.17g", objective, info[0].objective_value,
                     info[1].objective_value);
        assert_ok(gersh_model_verify(&report, whole, NULL));
        if (report.verdict != GERSH_VERIFICATION_VERIFIED)
            fail_msg("%s: %s", objective, find_check(&report, "objective value")->sentence);
        gersh_model_free(whole);
        gersh_model_free(less);
        gersh_settings_free(settings);
        gersh_dataset_free(part);
        gersh_dataset_free(data);
    }
    assert_all_objectives(&seen, learns_classes);
}

/*
 * A row far away from three that are nearly the same: all hinges of lmnn end where they are 0 but for rounding. Their slopes
 * are some 1e-13 there, so that rounding may decide about more of a bound of 7e-13 than can be let pass.
 */
static void hinges_near_0_pass(void **state)
{
    (void)state;
    static const double x[] = {-6, -3, -8, 6990848};
    static const char *const labels[] = {"b", "b", "b", "c"};
    gersh_dataset *data = NULL;
    gersh_model *model = NULL;
    gersh_settings *settings = model_settings("lmnn", "hull");
    gersh_verification report;
    assert_ok(gersh_dataset_new(&data, 4, 1, x, 1, labels, NULL, NULL));
    assert_ok(gersh_model_fit(&model, NULL, data, settings, NULL));
    assert_ok(gersh_model_verify(&report, model, NULL));
    for (size_t c = 0; c < report.count; c++)
        if (report.check[c].result != GERSH_CHECK_PASSED && strcmp(report.check[c].name, "bound") != 0)
            fail_msg("value %.17g: %s", model->info.objective_value, report.check[c].sentence);
    assert_true(report.verdict != GERSH_VERIFICATION_FAILED);
    /* The slack is for rounding only. */
    model->info.objective_value += 1e-9;
    assert_ok(gersh_model_verify(&report, model, NULL));
    assert_int_equal(report.verdict, GERSH_VERIFICATION_FAILED);
    gersh_model_free(model);
    gersh_settings_free(settings);
    gersh_dataset_free(data);
}

/* Four unit vectors of many features: distances are sums of many terms, whose rounding moves the slopes of narrow hinges. */
static void many_features_pass(void **state)
{
    (void)state;
    enum { ROWS = 4, FEATURES = 2000 };
    static const char *const labels[] = {"a", "a", "a", "b"};
    double *x = malloc(ROWS * FEATURES * sizeof *x);
    gersh__random random;
    gersh__random_seed(&random, 17);
    for (size_t e = 0; e < ROWS * FEATURES; e++)
        x[e] = gersh__random_normal(&random) / sqrt(FEATURES);
    gersh_dataset *data = NULL;
    gersh_model *model = NULL;
    gersh_settings *settings = model_settings("lmnn", "diagonal");
    gersh_verification report;
    assert_ok(gersh_settings_set(settings, "scale", "none"));
    assert_ok(gersh_settings_set(settings, "trace", "K"));
    assert_ok(gersh_settings_set(settings, "tol", "1e-3"));
    assert_ok(gersh_dataset_new(&data, ROWS, FEATURES, x, FEATURES, labels, NULL, NULL));
    assert_ok(gersh_model_fit(&model, NULL, data, settings, NULL));
    assert_ok(gersh_model_verify(&report, model, NULL));
    if (report.verdict != GERSH_VERIFICATION_VERIFIED)
        fail_msg("bound %.17g: %s", model->info.bound, find_check(&report, "bound")->sentence);
    gersh_model_free(model);
    gersh_settings_free(settings);
    gersh_dataset_free(data);
    free(x);
}

/* Where lsml is nearly 0, its squares of small differences are mostly rounding, however large the weights are. */
static void values_near_0_pass(void **state)
{
    (void)state;
    static const double x[] = {-7, -8, -8, -2, 2, 1, -6, -3, -6, 1, 2, -6};
    static const char *const labels[] = {"b", "a", "a"};
    for (double unit = 1e-20; unit < 1e21; unit *= 1e10) {
        const double w[] = {unit, 3 * unit, unit};
        gersh_dataset *data = NULL;
        gersh_model *model = NULL;
        gersh_settings *settings = model_settings("lsml", "hbnb");
        gersh_fit_options options = {.weights = w};
        gersh_verification report;
        assert_ok(gersh_dataset_new(&data, 3, 4, x, 4, labels, NULL, NULL));
        assert_ok(gersh_model_fit(&model, NULL, data, settings, &options));
        assert_ok(gersh_model_verify(&report, model, NULL));
        if (report.verdict != GERSH_VERIFICATION_VERIFIED)
            fail_msg("weights of %g: %s", unit, find_check(&report, "objective value")->sentence);
        gersh_model_free(model);
        gersh_settings_free(settings);
        gersh_dataset_free(data);
    }
}

/* Changes one thing and expects the check of that name to fail. */
static void tampered(const char *objective, int what, const char *name)
{
    gersh_verification report;
    gersh_model *model = random_model(21, 20, 4, 2, objective, "balanced", 0);
    gersh_graph *graph = NULL;
    assert_ok(gersh_model_verify(&report, model, NULL));
    assert_int_equal(report.verdict, GERSH_VERIFICATION_VERIFIED);
    assert_ok(gersh_metric_graph(&graph, model->metric));
    assert_true(graph->edges > 0);
    switch (what) {
    case 0: /* one end of an edge gets the other colour */
        for (size_t i = 0; i < 4; i++)
            if (graph->start[i] < graph->start[i + 1]) {
                model->color[i] = -model->color[i];
                break;
            }
        break;
    case 1: /* the smallest of four eigenvalues is at most a quarter of the trace */
        model->info.rho = 0.26 * gersh_metric_trace(model->metric);
        break;
    case 2:
        model->info.budget *= 0.999;
        break;
    case 3:
        model->info.objective_value *= 1 + 1e-6;
        break;
    case 4: /* on the wrong side of the value */
        model->info.bound = model->info.objective_value * (1 + 0.01 * objective_sign(objective));
        model->info.gap = 0.01 * model->info.objective_value;
        break;
    case 5:
        model->info.gap += 0.01 * fabs(model->info.objective_value);
        break;
    case 6:
        model->data->labels[0] = 1 - model->data->labels[0];
        break;
    default:
        gersh__free(model->color);
        model->color = NULL;
        break;
    }
    assert_ok(gersh_model_verify(&report, model, NULL));
    if (report.verdict == GERSH_VERIFICATION_VERIFIED)
        fail_msg("%s, change %d of %s goes unnoticed", objective, what, name);
    assert_int_equal(find_check(&report, name)->result, GERSH_CHECK_FAILED);
    gersh_graph_free(graph);
    gersh_model_free(model);
}

static void tampered_models_fail(void **state)
{
    (void)state;
    static const char *const names[] = {
        "colours", "smallest eigenvalue", "trace",           "objective value",
        "bound",   "relative gap",        "objective value", "colours"};
    for (int what = 0; what < 8; what++) {
        tampered("glr", what, names[what]);
        tampered("deml", what, names[what]);
    }
}

static void other_data_is_used_or_refused(void **state)
{
    (void)state;
    gersh_verification report;
    gersh_model *model = random_model(4, 12, 3, 2, "glr", "hull", 0), *bare = NULL;
    assert_ok(gersh_model_write(model, model_path, 0));
    assert_ok(gersh_model_read(&bare, model_path));
    assert_ok(gersh_model_verify(&report, bare, NULL));
    assert_int_equal(report.verdict, GERSH_VERIFICATION_PARTIAL);
    assert_int_equal(find_check(&report, "objective value")->result, GERSH_CHECK_SKIPPED);
    assert_int_equal(find_check(&report, "bound")->result, GERSH_CHECK_SKIPPED);
    assert_ok(gersh_model_verify(&report, bare, model->data));
    assert_int_equal(report.verdict, GERSH_VERIFICATION_VERIFIED);
    assert_int_equal(find_check(&report, "objective value")->result, GERSH_CHECK_PASSED);
    model->data->x[0] += 1;
    assert_ok(gersh_model_verify(&report, bare, model->data));
    assert_int_equal(report.verdict, GERSH_VERIFICATION_FAILED);
    gersh_dataset *part = NULL;
    assert_ok(gersh_dataset_subset(&part, model->data, (const size_t[]){0, 1, 2}, 3));
    assert_int_equal(gersh_model_verify(&report, bare, part), GERSH_ERROR_INPUT);
    assert_string_equal(gersh_last_error(),
                        "the data has 3 samples but the model was fitted to 12; verify it with the "
                        "data that it was fitted to");
    gersh_dataset_free(part);
    gersh_model_free(bare);
    gersh_model_free(model);
}

static void refused_rules(const char *text, const gersh_dataset *data, const char *sentence)
{
    gersh_edge_rule *rules = NULL;
    size_t count;
    char expected[300];
    write_bytes(model_path, text, strlen(text));
    assert_int_not_equal(gersh_edge_rules_read(&rules, &count, model_path, data), GERSH_OK);
    assert_null(rules);
    snprintf(expected, sizeof expected, "%s: %s", model_path, sentence);
    assert_string_equal(gersh_last_error(), expected);
}

static void edge_rules_are_read(void **state)
{
    (void)state;
    static const char text[] = "age,size,forbidden\n3,1,positive\n\"a,b\",age,negative\n2,2.5,allowed\n";
    const double x[] = {1, 2, 3, 4, 5, 6, 7, 8};
    const char *const names[] = {"age", "size", "a,b", "2.50"};
    const gersh_edge_rule expected[] = {{0, 1, GERSH_EDGE_FORBIDDEN},
                                        {2, 0, GERSH_EDGE_POSITIVE},
                                        {2, 0, GERSH_EDGE_NEGATIVE},
                                        {1, 3, GERSH_EDGE_ALLOWED}};
    gersh_dataset *data = NULL;
    gersh_edge_rule *rules = NULL;
    size_t count = 0;
    assert_ok(gersh_dataset_new(&data, 2, 4, x, 4, NULL, NULL, names));
    write_bytes(model_path, text, strlen(text));
    assert_ok(gersh_edge_rules_read(&rules, &count, model_path, data));
    assert_int_equal(count, 4);
    for (size_t i = 0; i < count; i++)
        assert_true(rules[i].first == expected[i].first && rules[i].second == expected[i].second &&
                    rules[i].kind == expected[i].kind);
    free(rules);
    refused_rules("age,size,forbidden\nage,sizes,forbidden\n", data,
                  "line 2, column 2: there is no feature 'sizes'; did you mean 'size'?");
    refused_rules("1,2,allowed\n1,5,allowed\n", data,
                  "line 2, column 2: there is no feature 5; expected a name or a position from 1 to 4");
    refused_rules(
        "1,2,allow\n", data,
        "line 1, column 3: the rule 'allow' is not one of allowed, forbidden, positive, negative");
    refused_rules("1,2,allowed\n\n1,1,allowed\n", data,
                  "line 3, column 2: both features are the same; an edge joins two different ones");
    refused_rules("1,2\n", data, "edge rules have three columns (feature, feature, rule), but there are 2");
    gersh_dataset_free(data);
}

/* A forbidden edge is not in the metric, and the verifier agrees with a fit from rules. */
static void rules_and_weights_reach_the_fit(void **state)
{
    (void)state;
    gersh_model *free_model = random_model(21, 20, 4, 2, "glr", "balanced", 0), *model = NULL;
    gersh_graph *graph = NULL;
    gersh_verification report;
    assert_ok(gersh_metric_graph(&graph, free_model->metric));
    assert_true(graph->edges > 0);
    size_t i = 0;
    while (graph->start[i] == graph->start[i + 1])
        i++;
    gersh_edge_rule rule = {i, graph->neighbor[graph->start[i]], GERSH_EDGE_FORBIDDEN};
    double w[20];
    for (int r = 0; r < 20; r++)
        w[r] = r % 3;
    gersh_fit_options options = {.rules = &rule, .rule_count = 1, .weights = w};
    gersh_graph_free(graph);
    assert_ok(gersh_model_fit(&model, NULL, free_model->data, free_model->settings, &options));
    assert_memory_equal(gersh_dataset_weights(model->data), w, sizeof w);
    assert_ok(gersh_metric_graph(&graph, model->metric));
    for (size_t e = graph->start[i]; e < graph->start[i + 1]; e++)
        assert_int_not_equal(graph->neighbor[e], rule.second);
    assert_ok(gersh_model_verify(&report, model, NULL));
    assert_int_equal(report.verdict, GERSH_VERIFICATION_VERIFIED);
    gersh_graph_free(graph);
    gersh_model_free(model);
    gersh_model_free(free_model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_agree_with_the_definitions),
        cmocka_unit_test(fitted_models_pass),
        cmocka_unit_test(rows_of_weight_0_do_not_count),
        cmocka_unit_test(hinges_near_0_pass),
        cmocka_unit_test(many_features_pass),
        cmocka_unit_test(values_near_0_pass),
        cmocka_unit_test(tampered_models_fail),
        cmocka_unit_test(other_data_is_used_or_refused),
        cmocka_unit_test(edge_rules_are_read),
        cmocka_unit_test(rules_and_weights_reach_the_fit),
    };
    return cmocka_run_group_tests(tests, models_start, models_end);
}
