/*
 * A feature map that gives every feature twice, from the fit to the report. This program has registries of its own, in
 * which it is the first map; see plug_map.h.
 */
#include "models.h"

#include <math.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "gersh/predict.h"
#include "gersh/report.h"
#include "registry.h"
#include "report/describe.h"
#include "scalings.h"
#include "sparse.h"
#include "verify/maps.h"

enum { N = 40, K = 3 };

/* The map "hinge": x ↦ (x, max(x − knot, 0)) of each feature, with the mean for a knot. */
static int wanted(const char *scale)
{
    return strcmp(scale, "none") != 0;
}

static gersh_status fit(gersh__feature_map *map, const gersh_dataset *data, const char *scale)
{
    double *scratch = gersh__alloc(data->k, 2 * sizeof *scratch);
    gersh_dataset *dense = NULL;
    (void)scale;
    map->vector[0] = gersh__alloc(data->k, sizeof *map->vector[0]);
    map->count[0] = data->k;
    gersh_status status = gersh_dataset_copy(&dense, data);
    if (status == GERSH_OK)
        status = gersh_dataset_densify(dense);
    if (status == GERSH_OK && (scratch == NULL || map->vector[0] == NULL))
        status = GERSH_ERROR_MEMORY;
    if (status == GERSH_OK)
        gersh__column_means(map->vector[0], scratch, dense->n, dense->k, dense->x);
    gersh_dataset_free(dense);
    gersh__free(scratch);
    return status;
}

static gersh_status check(const gersh__feature_map *map)
{
    return map->count[0] == map->inputs
               ? GERSH_OK
               : gersh__fail(GERSH_ERROR_INPUT, "%zu knots for %zu features", map->count[0], map->inputs);
}

static gersh_status apply(const gersh__feature_map *map, gersh_dataset *data)
{
    size_t k = data->k;
    gersh_status status = gersh_dataset_densify(data);
    double *x = status == GERSH_OK ? gersh__alloc(data->n, 2 * k * sizeof *x) : NULL;
    if (x == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t e = 0; e < data->n * k; e++) {
        x[2 * e] = data->x[e];
        x[2 * e + 1] = fmax(data->x[e] - map->vector[0][e % k], 0);
    }
    gersh__free(data->x);
    data->x = x;
    gersh__sparse_free(data->sparse);
    data->sparse = NULL;
    return GERSH_OK;
}

static size_t width(const gersh__feature_map *map)
{
    return 2 * map->inputs;
}

static gersh_status names(char **out, const gersh__feature_map *map, char *const *inputs)
{
    for (size_t f = 0; f < map->inputs; f++) {
        char text[64];
        int length = snprintf(text, sizeof text, "%s beyond", inputs[f]);
        out[2 * f] = gersh__text_copy(inputs[f], strlen(inputs[f]));
        out[2 * f + 1] = gersh__text_copy(text, (size_t)length);
        if (out[2 * f] == NULL || out[2 * f + 1] == NULL)
            return GERSH_ERROR_MEMORY;
    }
    return GERSH_OK;
}

extern const gersh__feature_map_ops gersh__map_hinge;
const gersh__feature_map_ops gersh__map_hinge = {.name = "hinge",
                                                 .vector = {"knots"},
                                                 .wanted = wanted,
                                                 .fit = fit,
                                                 .check = check,
                                                 .apply = apply,
                                                 .width = width,
                                                 .names = names};

/* And its definition. */
static double difference(const gersh_scaling *scaling, const gersh__samples *rows, const char *scale)
{
    double worst = 0;
    (void)scale;
    for (size_t f = 0; f < rows->k; f++) {
        double mean = 0;
        for (size_t i = 0; i < rows->n; i++)
            mean += rows->x[i * rows->k + f] / (double)rows->n;
        worst = fmax(worst, fabs(mean - gersh_scaling_vector(scaling, "knots")[f]));
    }
    return worst;
}

static gersh_status define(const gersh_scaling *scaling, gersh__samples *rows)
{
    size_t k = rows->k;
    double *x = gersh__alloc(rows->n, 2 * k * sizeof *x);
    if (x == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t i = 0; i < rows->n; i++)
        for (size_t f = 0; f < k; f++) {
            double own = rows->x[i * k + f], knot = gersh_scaling_vector(scaling, "knots")[f];
            x[i * 2 * k + 2 * f] = own;
            x[i * 2 * k + 2 * f + 1] = own > knot ? own - knot : 0;
        }
    gersh__free(rows->x);
    *rows = (gersh__samples){rows->n, 2 * k, x};
    return GERSH_OK;
}

extern const gersh__map_reference gersh__map_reference_hinge;
const gersh__map_reference gersh__map_reference_hinge = {"hinge", wanted, difference, define};

static gersh_model *fit_model(const gersh_dataset *data, const char *scale, const char *solver)
{
    gersh_model *model = NULL;
    gersh_settings *settings = model_settings("glr", solver);
    assert_ok(gersh_settings_set(settings, "scale", scale));
    assert_ok(gersh_settings_set(settings, "neighbors", "1"));
    assert_ok(gersh_settings_set(settings, "votes", "equal"));
    assert_ok(gersh_model_fit(&model, NULL, data, settings, NULL));
    gersh_settings_free(settings);
    return model;
}

static gersh_dataset *make_data(uint64_t seed)
{
    gersh__random random;
    gersh__random_seed(&random, seed);
    return ready_data(&random, N, K, 2);
}

/* The outputs, by hand in long double: hinges, z-scores of all columns, and for "paper" unit length. */
static void map_by_hand(long double *y, const gersh_dataset *data, int unit)
{
    for (size_t f = 0; f < 2 * K; f++) {
        long double knot = 0, mean = 0, square = 0;
        for (size_t i = 0; i < N; i++)
            knot += (long double)data->x[i * K + f / 2] / N;
        for (size_t i = 0; i < N; i++) {
            long double x = data->x[i * K + f / 2];
            y[i * 2 * K + f] = f % 2 == 0 ? x : fmaxl(x - knot, 0);
            mean += y[i * 2 * K + f] / N;
        }
        for (size_t i = 0; i < N; i++)
            square += (y[i * 2 * K + f] - mean) * (y[i * 2 * K + f] - mean);
        for (size_t i = 0; i < N; i++)
            y[i * 2 * K + f] = (y[i * 2 * K + f] - mean) / sqrtl(square / (N - 1));
    }
    for (size_t i = 0; unit && i < N; i++) {
        long double square = 0;
        for (size_t f = 0; f < 2 * K; f++)
            square += y[i * 2 * K + f] * y[i * 2 * K + f];
        for (size_t f = 0; f < 2 * K; f++)
            y[i * 2 * K + f] /= sqrtl(square);
    }
}

static void outputs_are_those_by_hand(void **state)
{
    (void)state;
    for (int unit = 0; unit < 2; unit++) {
        gersh_dataset *data = make_data(1), *mapped = NULL;
        gersh_scaling *scaling = NULL;
        long double y[N * 2 * K];
        map_by_hand(y, data, unit);
        assert_ok(gersh_scaling_fit(&scaling, data, unit ? "paper" : "zscore"));
        assert_true(gersh_scaling_inputs(scaling) == K && gersh_scaling_width(scaling) == 2 * K);
        assert_int_equal(gersh_scaling_maps(scaling), 2 + unit);
        assert_string_equal(gersh_scaling_map_name(scaling, 0), "hinge");
        assert_string_equal(gersh_scaling_map_name(scaling, (size_t)unit + 1),
                            unit ? "unit length" : "scale");
        assert_null(gersh_scaling_map_name(scaling, 3));
        assert_null(gersh_scaling_vector(scaling, "hinge"));
        assert_ok(gersh_dataset_copy(&mapped, data));
        assert_ok(gersh_scaling_apply(scaling, mapped));
        assert_int_equal(gersh_dataset_features(mapped), 2 * K);
        for (size_t f = 0; f < 2 * K; f++) {
            assert_string_equal(gersh_dataset_feature_name(mapped, f),
                                gersh_scaling_feature_name(scaling, f));
            for (size_t i = 0; i < N; i++)
                assert_true(fabsl(gersh_dataset_values(mapped)[i * 2 * K + f] - y[i * 2 * K + f]) < 1e-12L);
        }
        assert_string_equal(gersh_scaling_feature_name(scaling, 1), "x1 beyond");
        assert_null(gersh_scaling_feature_name(scaling, 2 * K));
        assert_int_equal(gersh_scaling_apply(scaling, mapped), GERSH_ERROR_INPUT); /* K inputs, not 2 K */
        gersh_scaling_free(scaling);
        gersh_dataset_free(mapped);
        gersh_dataset_free(data);
    }
}

/* Nearest neighbours of the model's own rows, left out one by one, are not asked for: those of other rows are. */
static void check_predictions(const gersh_model *model, const gersh_dataset *fresh)
{
    const gersh_metric *metric = gersh_model_metric(model);
    gersh_dataset *train = NULL, *test = NULL;
    gersh_prediction *prediction = NULL;
    size_t k = metric->features;
    assert_ok(gersh_predict(&prediction, model, fresh, gersh_model_settings(model), NULL));
    assert_ok(gersh_dataset_copy(&train, gersh_model_data(model)));
    assert_ok(gersh_dataset_copy(&test, fresh));
    assert_ok(gersh_scaling_apply(gersh_model_scaling(model), train));
    assert_ok(gersh_scaling_apply(gersh_model_scaling(model), test));
    for (size_t i = 0; i < N; i++) {
        size_t nearest = 0;
        double least = INFINITY;
        for (size_t j = 0; j < N; j++) {
            double d = gersh_metric_distance(metric, test->x + i * k, train->x + j * k);
            nearest = d < least ? j : nearest;
            least = fmin(d, least);
        }
        assert_int_equal(prediction->label[i], train->labels[nearest]);
    }
    gersh_prediction_free(prediction);
    gersh_dataset_free(train);
    gersh_dataset_free(test);
}

static void check_verdict(const gersh_model *model, const gersh_dataset *data,
                          gersh_verification_verdict verdict)
{
    gersh_verification report;
    assert_ok(gersh_model_verify(&report, model, data));
    if (report.verdict != verdict)
        for (size_t c = 0; c < report.count; c++)
            print_message("%s %s: %s\n", gersh_check_result_name(report.check[c].result),
                          report.check[c].name, report.check[c].sentence);
    assert_int_equal(report.verdict, verdict);
}

/* The description has the features of the metric, and so has the page. */
static void check_report(const gersh_model *model)
{
    gersh_model_summary *summary = NULL;
    assert_ok(gersh_model_summarize(&summary, model));
    json_t *document = gersh__describe_model(model, summary, 100);
    json_t *list = json_object_get(document, "feature_names");
    assert_int_equal(json_array_size(list), 2 * K);
    assert_string_equal(json_string_value(json_array_get(list, 5)), "x3 beyond");
    assert_int_equal(json_integer_value(json_object_get(document, "features")), 2 * K);
    for (size_t at = 0; at < summary->graph->start[2 * K]; at++)
        assert_true(fabs(summary->correlation[at]) <= 1);
    json_decref(document);
    gersh_model_summary_free(summary);
    if (gersh_model_report_check() != GERSH_OK)
        return;
    size_t size;
    assert_ok(gersh_model_report(model, model_path, NULL));
    FILE *file = fopen(model_path, "rb");
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    size = (size_t)ftell(file);
    rewind(file);
    char *bytes = calloc(1, size + 1);
    assert_int_equal(fread(bytes, 1, size, file), size);
    fclose(file);
    assert_non_null(strstr(bytes, "\"x3 beyond\""));
    free(bytes);
}

static void a_model_goes_all_the_way(void **state)
{
    (void)state;
    for (size_t which = 0; which < 2 * count_solvers(any_solver); which++) {
        gersh_dataset *data = make_data(2), *fresh = make_data(3), *mapped = NULL;
        gersh_model *model =
                        fit_model(data, which % 2 ? "paper" : "zscore", solver_name(which / 2, any_solver)),
                    *back;
        gersh_metric *direct = NULL;
        gersh_fit_info info;
        double m[4 * K * K], expected[4 * K * K];
        char *first = NULL, *second = NULL;
        size_t size, again;
        assert_ok(gersh_model_write(model, model_path, 1));
        assert_ok(gersh_model_read(&back, model_path));
        assert_int_equal(gersh_model_features(back), K);
        assert_string_equal(gersh_model_feature_name(back, 1), "x2");
        assert_int_equal(gersh_model_metric(back)->features, 2 * K);
        assert_ok(gersh_model_pack(&first, &size, model, 1));
        assert_ok(gersh_model_pack(&second, &again, back, 1));
        assert_int_equal(size, again);
        assert_memory_equal(first, second, size);
        /* The metric is the one of the mapped data: the solver has seen nothing else. */
        assert_ok(gersh_dataset_copy(&mapped, data));
        assert_ok(gersh_scaling_apply(gersh_model_scaling(back), mapped));
        assert_ok(gersh_fit(&direct, &info, mapped, gersh_model_settings(back), NULL));
        gersh_metric_matrix(direct, expected);
        gersh_metric_matrix(gersh_model_metric(back), m);
        assert_memory_equal(m, expected, sizeof m);
        check_predictions(back, fresh);
        check_verdict(back, data, GERSH_VERIFICATION_VERIFIED);
        check_report(back);
        back->scaling->map[0].vector[0][1] += 1e-3;
        check_verdict(back, NULL, GERSH_VERIFICATION_FAILED);
        free(first);
        free(second);
        gersh_metric_free(direct);
        gersh_model_free(model);
        gersh_model_free(back);
        gersh_dataset_free(data);
        gersh_dataset_free(fresh);
        gersh_dataset_free(mapped);
    }
}

/* The correlation of two of the metric's features, by the formula. */
static void correlations_are_those_of_the_outputs(void **state)
{
    (void)state;
    gersh_dataset *data = make_data(4);
    gersh_model *model = fit_model(data, "paper", "hull");
    gersh_model_summary *summary = NULL;
    long double y[N * 2 * K];
    size_t seen = 0;
    map_by_hand(y, data, 0); /* correlations are those of the features before they are scaled, too */
    assert_ok(gersh_model_summarize(&summary, model));
    const gersh_graph *graph = summary->graph;
    for (size_t i = 0; i < 2 * K; i++)
        for (size_t at = graph->start[i]; at < graph->start[i + 1]; at++, seen++) {
            long double sum = 0;
            for (size_t r = 0; r < N; r++)
                sum += y[r * 2 * K + i] * y[r * 2 * K + graph->neighbor[at]] / (N - 1);
            assert_true(fabsl(summary->correlation[at] - sum) < 1e-9L);
        }
    assert_true(seen > 0);
    gersh_model_summary_free(summary);
    gersh_model_free(model);
    gersh_dataset_free(data);
}

/* Permutations are of the metric's features; missing values, of the data's. */
static void importance_and_missing_values(void **state)
{
    (void)state;
    gersh_dataset *data = make_data(5), *gaps = make_data(6);
    gersh_model *model = fit_model(data, "paper", "balanced");
    gersh_matched *matched = NULL;
    double mean = 0;
    assert_ok(gersh_importance_permute(model, NULL, NULL));
    assert_ok(gersh_model_write(model, model_path, 1));
    gersh_model *back = NULL;
    assert_ok(gersh_model_read(&back, model_path));
    assert_memory_equal(back->importance.permutation, model->importance.permutation,
                        2 * K * sizeof(double));
    assert_memory_equal(back->importance.contribution, model->importance.contribution,
                        2 * K * sizeof(double));
    for (size_t i = 0; i < N; i++)
        mean += data->x[i * K + 2] / N;
    gaps->missing = gersh__alloc(N, K);
    assert_non_null(gaps->missing);
    gaps->missing[4 * K + 2] = 1;
    assert_ok(gersh_match_data(&matched, back, gaps));
    assert_true(fabs(matched->data->x[4 * K + 2] - mean) < 1e-12 * (1 + fabs(mean)));
    assert_ok(gersh_scaling_apply(gersh_model_scaling(back), matched->data));
    gersh_matched_free(matched);
    gersh_model_free(back);
    gersh_model_free(model);
    gersh_dataset_free(data);
    gersh_dataset_free(gaps);
}

static void sparse_data_is_mapped_alike(void **state)
{
    gersh__random random;
    (void)state;
    gersh__random_seed(&random, 7);
    for (int round = 0; round < cases(20); round++) {
        twins t;
        gersh_scaling *dense = NULL, *sparse = NULL;
        const char *scale = round % 2 ? "paper" : "zscore";
        twins_make(&t, &random, 20, 9, 0.4, 0);
        assert_ok(gersh_scaling_fit(&dense, t.dense, scale));
        assert_ok(gersh_scaling_fit(&sparse, t.sparse, scale));
        assert_ok(gersh_scaling_apply(dense, t.dense));
        assert_ok(gersh_scaling_apply(sparse, t.sparse));
        assert_memory_equal(gersh_dataset_values(t.dense), gersh_dataset_values(t.sparse),
                            20 * 18 * sizeof(double));
        gersh_scaling_free(dense);
        gersh_scaling_free(sparse);
        twins_free(&t);
    }
}

/* Distances of the report's pairs, too, are those of the mapped samples. */
static void tuples_go_all_the_way(void **state)
{
    (void)state;
    gersh_dataset *data = make_data(10);
    gersh_settings *settings = model_settings("lsml", "balanced");
    gersh_tuples *tuples = NULL;
    gersh_model *model = NULL;
    size_t row[3 * (N - 2)];
    for (size_t t = 0; t < N - 2; t++)
        for (size_t c = 0; c < 3; c++)
            row[3 * t + c] = t + c;
    assert_ok(gersh_tuples_new(&tuples, GERSH_TRIPLETS, N - 2, row, NULL, N));
    assert_ok(gersh_model_fit(&model, NULL, data, settings, &(gersh_fit_options){.tuples = tuples}));
    check_verdict(model, data, GERSH_VERIFICATION_VERIFIED);
    check_report(model);
    gersh_model_free(model);
    gersh_tuples_free(tuples);
    gersh_settings_free(settings);
    gersh_dataset_free(data);
}

/* The model's file with one text for another, which may be shorter. */
static void refuse(const gersh_model *model, const char *text, const char *other, const char *sentence)
{
    char *bytes = NULL;
    size_t size;
    gersh_model *back = NULL;
    assert_true(strlen(text) >= strlen(other));
    assert_ok(gersh_model_pack(&bytes, &size, model, 1));
    char *at = bytes;
    while (at + strlen(text) <= bytes + size && memcmp(at, text, strlen(text)) != 0)
        at++;
    assert_true(at + strlen(text) <= bytes + size);
    memset(at, ' ', strlen(text));
    memcpy(at, other, strlen(other));
    assert_int_equal(gersh_model_unpack(&back, bytes, size), GERSH_ERROR_INPUT);
    if (strstr(gersh_last_error(), sentence) == NULL)
        fail_msg("'%s' instead of '%s'", gersh_last_error(), sentence);
    free(bytes);
}

static void damaged_lists_are_refused(void **state)
{
    (void)state;
    gersh_dataset *data = make_data(8);
    gersh_model *model = fit_model(data, "paper", "balanced");
    refuse(model, "[\\\"hinge\\\",", "[\\\"henge\\\",", "'henge', which is none that this gersh knows");
    refuse(model, ",\\\"scale\\\",", ",\\\"hinge\\\",", "stands in its list twice");
    refuse(model, "\\\"maps\\\":[\\\"hinge\\\",\\\"scale\\\",\\\"unit length\\\"]", "\\\"maps\\\":[]",
           "feature maps is damaged");
    refuse(model, "\\\"hinge\\\",\\\"scale\\\",\\\"unit length\\\"", "\\\"hinge\\\",\\\"scale\\\"",
           "contradict");
    refuse(model, "\"knots\"", "\"color\"", "");
    gersh_model_free(model);
    gersh_dataset_free(data);
}

/* Every allocation in turn fails: an error, no leak, and no result. */
static void allocation_failures(void **state)
{
    (void)state;
    gersh_dataset *data = make_data(9);
    gersh_scaling *full = NULL;
    int unfinished = 1;
    assert_ok(gersh_scaling_fit(&full, data, "paper"));
    for (long at = 1; unfinished; at++) {
        gersh_scaling *scaling = NULL;
        gersh_dataset *copy = NULL;
        assert_ok(gersh_dataset_copy(&copy, data));
        gersh__alloc_fail_at(at);
        gersh_status fitted = gersh_scaling_fit(&scaling, data, "paper");
        gersh__alloc_fail_at(at);
        gersh_status applied = gersh_scaling_apply(full, copy);
        gersh__alloc_fail_at(0);
        unfinished = fitted != GERSH_OK || applied != GERSH_OK;
        assert_true(fitted == GERSH_OK || fitted == GERSH_ERROR_MEMORY);
        assert_true(applied == GERSH_OK || applied == GERSH_ERROR_MEMORY);
        assert_int_equal(scaling != NULL, fitted == GERSH_OK);
        assert_true(at < 1000);
        gersh_scaling_free(scaling);
        gersh_dataset_free(copy);
    }
    gersh_scaling_free(full);
    gersh_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_are_those_by_hand),
        cmocka_unit_test(a_model_goes_all_the_way),
        cmocka_unit_test(correlations_are_those_of_the_outputs),
        cmocka_unit_test(importance_and_missing_values),
        cmocka_unit_test(sparse_data_is_mapped_alike),
        cmocka_unit_test(tuples_go_all_the_way),
        cmocka_unit_test(damaged_lists_are_refused),
        cmocka_unit_test(allocation_failures),
    };
    return cmocka_run_group_tests_name("maps", tests, models_start, models_end);
}
