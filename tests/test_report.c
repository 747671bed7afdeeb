/* Reports: what stands in their files, the command that repeats a fit, accuracies, and failures. */
#include "models.h"

#include "base/alloc.h"
#include "data/dataset.h"
#include "gersh/predict.h"
#include "gersh/report.h"
#include "registry.h"
#include "report/command.h"
#include "report/describe.h"

static int is_built(void)
{
    if (gersh_model_report_check() == GERSH_OK)
        return 1;
    assert_non_null(strstr(gersh_last_error(), "built without the page of its reports"));
    assert_int_equal(gersh_model_report(NULL, model_path, NULL), GERSH_ERROR_ARGUMENT);
    return 0;
}

/* The JSON of that id in the report at model_path. Nothing in it may look like markup. */
static json_t *part_of(const char *id)
{
    char mark[80];
    size_t size;
    json_error_t error;
    char *bytes = (char *)file_bytes(model_path, &size);
    snprintf(mark, sizeof mark, "<script type=\"application/json\" id=\"%s\">", id);
    char *begin = strstr(bytes, mark);
    assert_non_null(begin);
    begin += strlen(mark);
    char *end = strchr(begin, '<');
    assert_int_equal(strncmp(end, "</script>\n", 10), 0);
    for (char *p = begin; p < end; p++)
        assert_true(*p >= ' ' && *p < 127 && *p != '>' && *p != '&');
    json_t *document = json_loadb(begin, (size_t)(end - begin), JSON_DECODE_ANY, &error);
    if (document == NULL)
        fail_msg("%s: %s", id, error.text);
    free(bytes);
    return document;
}

static const char *const odd_names[] = {"</script><script>alert(1)</script>", "<!--", "&amp;'\"`\\",
                                        "\xE2\x80\xA8 line \xE2\x80\xAE", "Gr\366\337e"};

static gersh_model *odd_model(void)
{
    gersh__random random;
    gersh_model *model = NULL;
    double x[12 * 5];
    const char *labels[12];
    gersh_dataset *data = NULL;
    gersh__random_seed(&random, 2);
    for (size_t i = 0; i < 12; i++) {
        labels[i] = i % 2 ? "<b>yes" : "n\xFFo";
        for (size_t j = 0; j < 5; j++)
            x[5 * i + j] = gersh__random_normal(&random) + (double)(i % 2 * j);
    }
    assert_ok(gersh_dataset_new(&data, 12, 5, x, 5, labels, NULL, odd_names));
    assert_ok(gersh_model_fit(&model, NULL, data, NULL, NULL));
    gersh_dataset_free(data);
    return model;
}

static void names_stay_text(void **state)
{
    (void)state;
    if (!is_built())
        return;
    gersh_model *model = odd_model();
    gersh_model_report_options options = {
        .name = "a</script>.gersh", .data_name = "<b>&\xFF", .threads = 1};
    assert_ok(gersh_model_report(model, model_path, &options));
    json_t *about = part_of("model"), *rows = part_of("rows");
    const json_t *names = json_object_get(about, "feature_names");
    for (size_t j = 0; j < 3; j++)
        assert_string_equal(json_string_value(json_array_get(names, j)), odd_names[j]);
    assert_string_equal(json_string_value(json_array_get(names, 3)), "\\u2028 line \\u202E");
    assert_string_equal(json_string_value(json_array_get(names, 4)), "Gr\\xF6\\xDFe");
    assert_string_equal(json_string_value(json_object_get(about, "name")), "a</script>.gersh");
    assert_string_equal(json_string_value(json_object_get(rows, "name")), "<b>&\\xFF");
    assert_string_equal(json_string_value(json_array_get(json_object_get(rows, "class_names"), 0)),
                        "<b>yes");
    assert_string_equal(json_string_value(json_array_get(json_object_get(rows, "class_names"), 1)),
                        "n\\xFFo");
    json_decref(about);
    json_decref(rows);
    gersh_model_free(model);
}

/* Members of the page are those that the command line prints. */
static void one_source_of_numbers(void **state)
{
    (void)state;
    if (!is_built())
        return;
    const char *solver;
    for (size_t which = 0; (solver = solver_name(which, any_solver)) != NULL; which++) {
        gersh_model *model = random_model(30 + (uint64_t)which, 18, 6, 3, "glr", solver, 0);
        gersh_model_summary *summary = NULL;
        assert_ok(gersh_model_summarize(&summary, model));
        assert_ok(gersh_model_report(model, model_path, NULL));
        json_t *about = part_of("model"), *printed = gersh__describe_model(model, summary, SIZE_MAX),
               *value;
        const char *key;
        json_object_foreach(printed, key, value)
        {
            if (!json_equal(json_object_get(about, key), value))
                fail_msg("%s differs", key);
        }
        json_t *discs = json_object_get(about, "discs");
        assert_int_equal(json_is_null(json_object_get(discs, "aligned")), !summary->balance->balanced);
        json_decref(printed);
        json_decref(about);
        gersh_model_summary_free(summary);
        gersh_model_free(model);
    }
}

static void the_strongest_edges(void **state)
{
    (void)state;
    gersh_model *model = random_model(5, 20, 9, 2, "glr", "psd", 0);
    gersh_model_summary *summary = NULL;
    assert_ok(gersh_model_summarize(&summary, model));
    json_t *all = gersh__describe_model(model, summary, SIZE_MAX),
           *few = gersh__describe_model(model, summary, 7);
    const json_t *every = json_object_get(all, "edge_list"), *kept = json_object_get(few, "edge_list");
    assert_int_equal(json_array_size(every), 36);
    assert_int_equal(json_array_size(kept), 7);
    for (size_t e = 0, at = 0; e < 36;
         e++) { /* kept are those that fewer than seven are stronger than, in order */
        const json_t *edge = json_array_get(every, e);
        double size = fabs(json_real_value(json_object_get(edge, "weight")));
        size_t stronger = 0;
        for (size_t o = 0; o < 36; o++)
            stronger += fabs(json_real_value(json_object_get(json_array_get(every, o), "weight"))) > size;
        if (stronger < 7)
            assert_true(json_equal(edge, json_array_get(kept, at++)));
    }
    json_decref(all);
    json_decref(few);
    gersh_model_summary_free(summary);
    gersh_model_free(model);
}

/* The shell takes the command apart again. */
static void commands_are_for_a_shell(void **state)
{
    (void)state;
    gersh_model *model = random_model(5, 8, 3, 2, "mcml", "hull", 0);
    char *command = NULL, line[600], text[700];
    static const char *const expected[] = {"gersh",
                                           "fit",
                                           "it's <my> $data.csv",
                                           "--label=a \"b\"; rm -rf x",
                                           "--objective=mcml",
                                           "--solver=hull",
                                           "--threads=1",
                                           "-o",
                                           "model.gersh"};
    assert_ok(gersh_settings_set(model->settings, "label", "a \"b\"; rm -rf x"));
    assert_ok(gersh__fit_command(&command, model, "it's <my> $data.csv"));
    snprintf(text, sizeof text, "printf '%%s\\n' %s", command);
    FILE *shell = popen(text, "r");
    assert_non_null(shell);
    for (size_t w = 0; w < sizeof expected / sizeof expected[0]; w++) {
        assert_non_null(fgets(line, sizeof line, shell));
        line[strcspn(line, "\n")] = '\0';
        assert_string_equal(line, expected[w]);
    }
    assert_null(fgets(line, sizeof line, shell));
    pclose(shell);
    gersh__free(command);
    model->custom = 1;
    assert_ok(gersh__fit_command(&command, model, NULL));
    assert_null(command);
    gersh_model_free(model);

    /* What auto chose, it chooses again. */
    model = random_model(5, 8, 3, 2, "auto", "hull", 0);
    assert_ok(gersh__fit_command(&command, model, NULL));
    assert_null(strstr(command, "--objective"));
    gersh__free(command);
    gersh_model_free(model);
}

static json_t *accuracy_of(const gersh_model *model, const gersh_dataset *data, size_t splits)
{
    gersh_model_report_options options = {.data = data, .splits = splits, .threads = 1};
    assert_ok(gersh_model_report(model, model_path, &options));
    json_t *rows = part_of("rows"), *accuracy = json_incref(json_object_get(rows, "accuracy"));
    json_decref(rows);
    return accuracy;
}

static void reason_is(const gersh_model *model, const gersh_dataset *data, size_t splits, const char *part)
{
    json_t *accuracy = accuracy_of(model, data, splits);
    const char *reason = json_string_value(json_object_get(accuracy, "reason"));
    if (reason == NULL || strstr(reason, part) == NULL)
        fail_msg("the reason is '%s' and not '%s'", reason, part);
    json_decref(accuracy);
}

/* New rows are predicted by the model itself; its own rows are held out on splits. */
static void accuracy_is_of_rows_held_out(void **state)
{
    (void)state;
    if (!is_built())
        return;
    for (size_t classes = 0; classes < 3; classes += 2) {
        gersh_model *model = random_model(50, 40, 4, classes, "glr", "diagonal", 0);
        gersh_dataset *data = NULL;
        gersh_prediction *prediction = NULL;
        gersh_evaluation *evaluation = NULL;
        gersh_evaluate_options how = {.splits = 3};
        const char *measure = classes > 0 ? "accuracy" : "rmse";
        assert_ok(gersh_dataset_copy(&data, model->data));
        for (size_t i = 10; i < 40; i++)
            data->x[4 * i] += 0.5;
        json_t *accuracy = accuracy_of(model, data, 0);
        size_t rows[30];
        gersh_dataset *part = NULL;
        for (size_t i = 0; i < 30; i++)
            rows[i] = i + 10;
        assert_ok(gersh_dataset_subset(&part, data, rows, 30));
        assert_ok(gersh_predict(&prediction, model, part, NULL, NULL));
        assert_string_equal(json_string_value(json_object_get(accuracy, "how")), "new_rows");
        assert_string_equal(json_string_value(json_object_get(accuracy, "measure")), measure);
        assert_int_equal(json_integer_value(json_object_get(accuracy, "rows")), 30);
        assert_int_equal(json_integer_value(json_object_get(accuracy, "known")), 10);
        double expected = classes > 0 ? prediction->accuracy : prediction->rmse;
        assert_true(fabs(json_real_value(json_object_get(accuracy, "learned")) - expected) <
                    1e-5 * (1 + expected));
        json_decref(accuracy);

        accuracy = accuracy_of(model, NULL, 3);
        assert_ok(gersh_evaluate(&evaluation, model->data, model->settings, &how));
        assert_string_equal(json_string_value(json_object_get(accuracy, "how")), "splits");
        for (int r = 0; r < 2; r++) {
            expected = classes > 0 ? evaluation->row[r].accuracy_mean : evaluation->row[r].rmse_mean;
            double stated = json_real_value(json_object_get(accuracy, r == 0 ? "euclidean" : "learned"));
            assert_true(fabs(stated - expected) < 1e-5 * (1 + expected));
        }
        assert_int_equal(json_integer_value(json_object_get(accuracy, "splits")), 3);
        json_decref(accuracy);
        reason_is(model, NULL, 0, "splits were not asked for");
        model->custom = 1;
        reason_is(model, NULL, 3, "the model's own objective is not in its file");
        gersh_evaluation_free(evaluation);
        gersh_prediction_free(prediction);
        gersh_dataset_free(part);
        gersh_dataset_free(data);
        gersh_model_free(model);
    }
}

static void what_cannot_be_shown_is_said(void **state)
{
    (void)state;
    if (!is_built())
        return;
    gersh_model *model = random_model(50, 12, 3, 2, "glr", "diagonal", 0);
    double x[9] = {1, 2, 3, 4, 5, 7, 8, 1, 2}, targets[3] = {1, 2, 3};
    gersh_dataset *plain = unlabelled(3, 3, x), *numbers = NULL, *wide = unlabelled(1, 4, x);
    gersh_model_report_options options = {.data = wide};
    assert_ok(gersh_dataset_new(&numbers, 3, 3, x, 3, NULL, targets, NULL));
    reason_is(model, plain, 3, "the rows have no labels");
    reason_is(model, numbers, 3, "of another kind");
    assert_int_equal(gersh_model_report(model, model_path, &options), GERSH_ERROR_INPUT);
    assert_int_equal(gersh_model_report(model, "/tmp", NULL), GERSH_ERROR_IO);
    gersh_dataset_free(model->data);
    model->data = NULL;
    assert_ok(gersh_model_report(model, model_path, NULL));
    json_t *rows = part_of("rows");
    assert_true(json_is_null(rows));
    json_decref(rows);
    gersh_dataset_free(wide);
    gersh_dataset_free(numbers);
    gersh_dataset_free(plain);
    gersh_model_free(model);
}

static void failed_allocations_are_reported(void **state)
{
    (void)state;
    if (!is_built())
        return;
    gersh_model *model = random_model(50, 12, 3, 2, "glr", "balanced", 0);
    gersh_model_report_options options = {.splits = 2, .threads = 1};
    int failures = 0;
    gersh__alloc_fail_at(1000000000);
    assert_ok(gersh_model_report(model, model_path, &options));
    long count = gersh__alloc_fail_at(0), step = getenv("GERSH_TEST_QUICK") != NULL ? 41 : 3;
    for (long at = 1; at <= count; at += step) {
        gersh__alloc_fail_at(at);
        gersh_status status = gersh_model_report(model, model_path, &options);
        gersh__alloc_fail_at(0);
        assert_true(status == GERSH_OK || status == GERSH_ERROR_MEMORY);
        failures += status == GERSH_ERROR_MEMORY;
    }
    assert_true(failures > 50 / step);
    gersh_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_stay_text),
        cmocka_unit_test(one_source_of_numbers),
        cmocka_unit_test(the_strongest_edges),
        cmocka_unit_test(commands_are_for_a_shell),
        cmocka_unit_test(accuracy_is_of_rows_held_out),
        cmocka_unit_test(what_cannot_be_shown_is_said),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, models_start, models_end);
}
