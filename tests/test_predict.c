/*
 * New data for a model: columns by name and by position, labels where they are, what is ignored and what is
 * missing; predictions against the classifiers themselves, and how good they are against counts by hand.
 */
#include "check.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "gersh/predict.h"
#include "predict/classify.h"
#include "tables.h"

static char folder[] = "/tmp/gersh-predict-XXXXXX";
static char path[64], labels_path[64];

static int begin(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(path, sizeof path, "%s/d", folder);
    snprintf(labels_path, sizeof labels_path, "%s/l", folder);
    return 0;
}

static int end(void **state)
{
    (void)state;
    unlink(path);
    unlink(labels_path);
    return rmdir(folder);
}

static void write_text(const char *where, const char *text)
{
    FILE *file = fopen(where, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static gersh_model *fit_text(const char *text, const char *const *pairs)
{
    gersh_settings *settings = settings_of(pairs);
    gersh_dataset *data = NULL;
    gersh_model *model = NULL;
    write_text(path, text);
    assert_ok(gersh_settings_set(settings, "threads", "1"));
    assert_ok(gersh_dataset_read(&data, path, settings));
    assert_ok(gersh_model_fit(&model, NULL, data, settings, NULL));
    gersh_dataset_free(data);
    gersh_settings_free(settings);
    return model;
}

/* The data as text, and behind it what was ignored. */
static void matches(const gersh_model *model, const char *text, const char *const *pairs,
                    const char *expected, const char *ignored)
{
    gersh_settings *settings = settings_of(pairs);
    gersh_matched *matched = NULL;
    char list[500] = "";
    write_text(path, text);
    assert_ok(gersh_match_file(&matched, model, path, settings));
    assert_data(matched->data, expected);
    for (size_t i = 0; i < matched->ignored; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? " " : "",
                 matched->ignored_name[i]);
    assert_string_equal(list, ignored);
    gersh_matched_free(matched);
    gersh_settings_free(settings);
}

static void fails(const gersh_model *model, const char *text, const char *const *pairs,
                  const char *sentence)
{
    gersh_settings *settings = settings_of(pairs);
    gersh_matched *matched = NULL;
    char expected[600];
    write_text(path, text);
    snprintf(expected, sizeof expected, sentence, path);
    assert_int_not_equal(gersh_match_file(&matched, model, path, settings), GERSH_OK);
    assert_null(matched);
    assert_string_equal(gersh_last_error(), expected);
    gersh_settings_free(settings);
}

static const char named[] = "a,b,class\n1,5,x\n2,3,y\n4,4,x\n7,1,y\n";

static void named_columns(void **unused)
{
    (void)unused;
    gersh_model *model = fit_text(named, NULL);
    matches(model, "a,b,class\n1,2,x\n3,4,y\n", NULL, "a b -> x y | 1 2 : 0 | 3 4 : 1", "");
    matches(model, "b,a\n1,2\n3,4\n", NULL, "a b | 2 1 | 4 3", "");
    matches(model, "class,b,id,a\ny,1,q,2\n", NULL, "a b | 2 1", "class id");
    matches(model, "class,b,id,a\ny,1,q,2\n", WITH("label", "class"), "a b -> y | 2 1 : 0", "id");
    matches(model, "id,b,a,class\nr1,1,2,z\nr2,3,4,x\n", NULL, "a b -> x z | 2 1 : 1 | 4 3 : 0", "id");
    matches(model, "a,b,comment\n1,2,good\n", NULL, "a b | 1 2", "comment");
    matches(model, "a,b,class\n1,2,\n3,4,\n", NULL, "a b | 1 2 | 3 4", "class");
    matches(model, "a,b,class\n1,2,x\n", WITH("label", "none"), "a b | 1 2", "class");
    matches(model, "a,\"q \"\"u\"\", v\",last,b\n1,2,3,4\n", NULL, "a b | 1 4", "q \"u\", v last");
    matches(model, "1,2\n3,4\n", NULL, "a b | 1 2 | 3 4", "");
    matches(model, "1,2,x\n3,4,x\n", NULL, "a b -> x | 1 2 : 0 | 3 4 : 0", "");
    matches(model, "y,1,2\nx,3,4\n", WITH("label", "1"), "a b -> x y | 1 2 : 1 | 3 4 : 0", "");
    matches(model, "9,1,2,x\n9,3,4,y\n", WITH("ignore", "1"), "a b -> x y | 1 2 : 0 | 3 4 : 1", "");
    matches(model, "9,1,2,8\n9,3,4,8\n", WITH("ignore", " 1 , last "), "a b | 1 2 | 3 4", "");
    write_text(labels_path, "y\nx\n");
    matches(model, "b,a\n1,2\n3,4\n", WITH("labels", labels_path), "a b -> x y | 2 1 : 1 | 4 3 : 0", "");
    fails(model, "a,bb,class\n1,2,x\n", NULL,
          "%s: there is no column 'b', which the model needs; is 'bb' meant to be it?");
    fails(model, "a,z,class\n1,2,x\n", WITH("label", "none"),
          "%s: there is no column 'b', which the model needs; is 'z' meant to be it?");
    fails(model, "1,2,3,4\n5,6,7,8\n", NULL,
          "%s: has 4 columns without names but the model has 2; leave some out with --ignore, or say with "
          "--label "
          "which one holds the labels");
    fails(model, "1\n2\n", NULL,
          "%s: has 1 column without names but the model has 2; leave some out with --ignore, or say with "
          "--label "
          "which one holds the labels");
    fails(model, "a,b\n1,no\n", NULL,
          "%s: line 2, column 2 ('b'): 'no' is not a number; use --categorical onehot for text columns, or "
          "--ignore b");
    fails(model, "a,b,class\n1,2,x\n", WITH("label", "clas"),
          "--label: there is no column 'clas' in %s; did you mean 'class'?");
    gersh_model_free(model);
}

/* Data that was read already: "" for success, and then the values of its only row, and what was ignored. */
static void matches_data(const gersh_model *model, const char *text, const char *sentence, double first,
                         double second, const char *ignored)
{
    gersh_settings *settings = settings_of(WITH("label", "none"));
    gersh_dataset *data = NULL;
    gersh_matched *matched = NULL;
    write_text(path, text);
    assert_ok(gersh_dataset_read(&data, path, settings));
    gersh_status status = gersh_match_data(&matched, model, data);
    assert_int_equal(status, *sentence == '\0' ? GERSH_OK : GERSH_ERROR_INPUT);
    if (status == GERSH_OK) {
        const double *x = gersh_dataset_values(matched->data);
        assert_true(x[0] == first && x[1] == second);
        assert_int_equal(matched->ignored, *ignored != '\0');
        assert_string_equal(matched->ignored > 0 ? matched->ignored_name[0] : "", ignored);
    } else {
        assert_null(matched);
        assert_string_equal(gersh_last_error(), sentence);
    }
    gersh_matched_free(matched);
    gersh_dataset_free(data);
    gersh_settings_free(settings);
}

static void data_in_memory(void **unused)
{
    (void)unused;
    gersh_model *model = fit_text(named, NULL);
    matches_data(model, "a,b\n1,2\n", "", 1, 2, "");
    matches_data(model, "b,c,a\n1,2,3\n", "", 3, 1, "c");
    matches_data(model, "1,2\n", "", 1, 2, "");
    matches_data(model, "a,bb\n1,2\n",
                 "there is no column 'b', which the model needs; is 'bb' meant to be it?", 0, 0, "");
    matches_data(model, "1,2,3\n", "there is no column 'a', which the model needs", 0, 0, "");
    gersh_model_free(model);
}

static void labels_by_the_models_own_place(void **unused)
{
    (void)unused;
    static const char first[] = "class,a,b\n1,1,5\n2,2,3\n1,4,4\n2,7,1\n";
    gersh_model *by_name = fit_text(first, WITH("label", "class")),
                *by_place = fit_text(first, WITH("label", "1"));
    matches(by_name, "b,class,a\n1,2.0,3\n", NULL, "a b -> 2 | 3 1 : 0", "");
    matches(by_name, "b,a\n1,3\n", NULL, "a b | 3 1", "");
    matches(by_place, "group,b,a\n2,1,3\n", NULL, "a b -> 2 | 3 1 : 0", "");
    matches(by_place, "2,3,1\n1,3,1\n", NULL, "a b -> 1 2 | 3 1 : 1 | 3 1 : 0", "");
    matches(by_place, "3,1\n4,1\n", NULL, "a b | 3 1 | 4 1", "");
    gersh_model_free(by_name);
    gersh_model_free(by_place);
}

static void columns_without_names(void **unused)
{
    (void)unused;
    gersh_model *model = fit_text("1,5,x\n2,3,y\n4,4,x\n7,1,y\n", NULL);
    matches(model, "1,2\n3,4\n", NULL, "x1 x2 | 1 2 | 3 4", "");
    matches(model, "a,b\n1,2\n3,4\n", NULL, "x1 x2 | 1 2 | 3 4", "");
    matches(model, "a,b,c\n1,2,y\n3,4,y\n", NULL, "x1 x2 -> y | 1 2 : 0 | 3 4 : 0", "");
    matches(model, "x2,x1\n1,2\n", NULL, "x1 x2 | 2 1", "");
    fails(model, "a,b,c,d\n1,2,3,4\n", NULL,
          "%s: has 4 columns without names but the model has 2; leave some out with --ignore, or say with "
          "--label "
          "which one holds the labels");
    gersh_model_free(model);
    model = fit_text("x 1:1 2:5\ny 1:2 2:3\nx 1:4 2:4\ny 1:7 2:1\n", NULL);
    matches(model, "y 1:3\nx 1:2\n", NULL, "x1 x2 -> x y | 3 0 : 1 | 2 0 : 0", "");
    matches(model, "y 1:3 2:4 3:5\n", NULL, "x1 x2 -> y | 3 4 : 0", "x3");
    matches(model, "y 1:3 2:4\n", WITH("label", "none"), "x1 x2 | 3 4", "");
    gersh_model_free(model);
}

static void text_columns(void **unused)
{
    (void)unused;
    gersh_model *model = fit_text("size,colour,class\n1,red,x\n2,blue,y\n4,red,x\n7,green,y\n",
                                  WITH("categorical", "onehot"));
    matches(model, "size,colour,class\n1,red,x\n", NULL,
            "size colour=blue colour=green colour=red -> x | 1 0 0 1 : 0", "");
    matches(model, "colour,size\ngreen,3\npink,4\n", NULL,
            "size colour=blue colour=green colour=red | 3 0 1 0 | 4 0 0 0", "colour=pink");
    matches(model, "3,blue\n4,red\n", NULL, "size colour=blue colour=green colour=red | 3 1 0 0 | 4 0 0 1",
            "");
    fails(model, "size,class\n1,x\n", NULL, "%s: there is no column 'colour', which the model needs");
    gersh_model_free(model);
}

/* The means are those of the rows that the model learned from, whatever the new file holds. */
static void missing_values(void **unused)
{
    (void)unused;
    static const char *const scales[] = {"zscore", "paper", "none"};
    const char *const *mean = WITH("missing", "mean");
    for (size_t s = 0; s < 3; s++) {
        gersh_model *model = fit_text(named, WITH("scale", scales[s])), *bare = NULL;
        matches(model, "a,b\n,2\n3,\n9,9\n", mean, "a b | 3.5 2 | 3 3.25 | 9 9", "");
        matches(model, "b,a\n2,\n", mean, "a b | 3.5 2", "");
        matches(model, "b,a\n2,\n", WITH("missing", "zero"), "a b | 0 2", "");
        fails(model, "a,b\n1,\n", NULL,
              "%s: line 2, column 2 ('b'): the value is missing; use --missing mean or --missing zero to "
              "fill "
              "it in");
        assert_ok(gersh_model_write(model, path, 0));
        assert_ok(gersh_model_read(&bare, path));
        if (s == 2)
            fails(bare, "a,b\n,2\n", mean,
                  "%s: values are missing, and the model has no means to put for them: it was fitted with "
                  "--scale none and written without its rows; use --missing zero");
        else
            matches(bare, "a,b\n,2\n", mean, "a b | 3.5 2", "");
        matches(bare, "a,b\n1,2\n", mean, "a b | 1 2", "");
        gersh_model_free(bare);
        gersh_model_free(model);
    }
    gersh_model *model = fit_text("size,colour,class\n1,red,x\n2,blue,y\n4,red,x\n7,green,y\n",
                                  WITH("categorical", "onehot", "missing", "mean"));
    matches(model, "size,colour\n3,\n5,red\n,pink\n", NULL,
            "size colour=blue colour=green colour=red | 3 0.25 0.25 0.5 | 5 0 0 1 | 3.5 0 0 0",
            "colour=pink");
    matches(model, "size,colour\n3,\n", NULL, "size colour=blue colour=green colour=red | 3 0.25 0.25 0.5",
            "");
    gersh_model_free(model);
}

/* A data set that was read with its own means gets those of the model too. */
static void missing_values_of_data(void **unused)
{
    (void)unused;
    gersh_model *model = fit_text(named, NULL);
    gersh_settings *settings = settings_of(WITH("missing", "mean", "label", "none"));
    gersh_dataset *data = NULL;
    gersh_matched *matched = NULL;
    write_text(path, "b,a\n2,\n4,6\n");
    assert_ok(gersh_dataset_read(&data, path, settings));
    assert_data(data, "b a | 2 6 | 4 6");
    assert_ok(gersh_match_data(&matched, model, data));
    assert_data(matched->data, "a b | 3.5 2 | 6 4");
    gersh_matched_free(matched);
    gersh_dataset_free(data);
    gersh_settings_free(settings);
    gersh_model_free(model);
}

static void targets(void **unused)
{
    (void)unused;
    gersh_model *model = fit_text("a,b,t\n1,5,0.5\n2,3,1.5\n4,4,2\n7,1,8.25\n", NULL);
    matches(model, "b,a,t\n1,2,3\n3,4,4.5\n", NULL, "a b | 2 1 : 3 | 4 3 : 4.5", "");
    matches(model, "b,a,note\n1,2,no\n", NULL, "a b | 2 1", "note");
    gersh_prediction *p = NULL;
    gersh_dataset *data = NULL;
    double x[] = {1, 5, 7, 1}, t[] = {0, 9}, same[] = {3, 3};
    gersh_settings *one = settings_of(WITH("neighbors", "1")),
                   *graph = settings_of(WITH("classifier", "graph"));
    assert_ok(gersh_dataset_new(&data, 2, 2, x, 2, NULL, t, NULL));
    assert_ok(gersh_predict(&p, model, data, one, NULL));
    assert_true(p->label == NULL && p->classes == 0 && p->value[0] == 0.5 && p->value[1] == 8.25 &&
                p->has_truth);
    assert_true(fabs(p->rmse - sqrt((0.25 + 0.5625) / 2)) < 1e-14 &&
                fabs(p->r2 - (1 - 0.8125 / 40.5)) < 1e-14);
    gersh_prediction_free(p);
    gersh_dataset_free(data);
    assert_ok(gersh_dataset_new(&data, 2, 2, x, 2, NULL, same, NULL));
    assert_ok(gersh_predict(&p, model, data, NULL, NULL));
    assert_true(isnan(p->r2) && fabs(p->value[0] - 12.25 / 4) < 1e-14);
    gersh_prediction_free(p);
    assert_int_equal(gersh_predict(&p, model, data, graph, NULL), GERSH_ERROR_ARGUMENT);
    assert_null(p);
    gersh_dataset_free(data);
    gersh_settings_free(one);
    gersh_settings_free(graph);
    gersh_model_free(model);
}

/* The confusion matrix and both accuracies by hand; "9" is no class of the model, and "1.0" is "1". */
static void how_good_predictions_are(void **unused)
{
    (void)unused;
    gersh_model *model = fit_text("a,class\n0,1\n1,1\n10,2\n11,2\n20,3\n21,3\n", NULL);
    double x[] = {0.5, 0.5, 0.5, 10.5, 10.5, 20.5, 20.5};
    const char *labels[] = {"1.0", "1.0", "2", "2", "9", "9", "1.0"}, *names[] = {"a"};
    static const gersh_confusion confusion[] = {{0, 0, 2}, {0, 2, 1}, {1, 0, 1},
                                                {1, 1, 1}, {3, 1, 1}, {3, 2, 1}};
    gersh_dataset *data = NULL;
    gersh_prediction *p = NULL;
    gersh_settings *settings = settings_of(WITH("neighbors", "2"));
    assert_ok(gersh_dataset_new(&data, 7, 1, x, 1, labels, NULL, names));
    assert_ok(gersh_predict(&p, model, data, settings, NULL));
    assert_true(p->has_truth && p->rows == 7 && p->classes == 3 && p->unknown == 1 && p->unknown_rows == 2);
    assert_string_equal(p->unknown_label[0], "9");
    assert_int_equal(p->confusions, 6);
    assert_memory_equal(p->confusion, confusion, sizeof confusion);
    assert_true(fabs(p->accuracy - 3.0 / 7) < 1e-15);
    assert_true(fabs(p->balanced_accuracy - (2.0 / 3 + 1.0 / 2 + 0) / 3) < 1e-15);
    assert_true(p->ignored == 0 && p->proba[0] == 1);
    gersh_prediction_free(p);
    gersh_dataset_free(data);
    gersh_settings_free(settings);
    gersh_model_free(model);
}

/* The same as scaling by hand and calling the classifier. */
static void equals_the_classifiers(void **unused)
{
    (void)unused;
    static const char *const classifiers[] = {"knn", "mahalanobis", "graph"};
    gersh__random random;
    enum { n = 60, fresh = 25, k = 4 };
    double x[(n + fresh) * k];
    const char *labels[n];
    gersh_dataset *data = NULL, *new_data = NULL, *train = NULL, *test = NULL;
    gersh_model *model = NULL;
    gersh__random_seed(&random, 31);
    for (size_t e = 0; e < (n + fresh) * k; e++)
        x[e] = 3 + gersh__random_normal(&random);
    for (size_t i = 0; i < n; i++)
        labels[i] = x[i * k] > 3 ? "p" : x[i * k + 1] > 3 ? "q" : "r";
    assert_ok(gersh_dataset_new(&data, n, k, x, k, labels, NULL, NULL));
    assert_ok(gersh_dataset_new(&train, n, k, x, k, labels, NULL, NULL));
    assert_ok(gersh_dataset_new(&new_data, fresh, k, x + n * k, k, NULL, NULL, NULL));
    assert_ok(gersh_dataset_new(&test, fresh, k, x + n * k, k, NULL, NULL, NULL));
    assert_ok(gersh_model_fit(&model, NULL, data, NULL, NULL));
    assert_ok(gersh_scaling_apply(gersh_model_scaling(model), train));
    assert_ok(gersh_scaling_apply(gersh_model_scaling(model), test));
    for (size_t c = 0; c < 3; c++) {
        gersh_settings *settings = settings_of(WITH("classifier", classifiers[c], "neighbors", "7"));
        gersh_prediction *p = NULL;
        int label[fresh];
        double proba[fresh * 3];
        assert_ok(gersh_predict(&p, model, new_data, settings, NULL));
        assert_ok(gersh__classify(label, proba, gersh__classifier_find(classifiers[c]),
                                  gersh_model_metric(model), train, test, (gersh__voters){7, 0}, 1, NULL));
        assert_memory_equal(p->label, label, sizeof label);
        assert_memory_equal(p->proba, proba, sizeof proba);
        assert_false(p->has_truth);
        gersh_prediction_free(p);
        gersh_settings_free(settings);
    }
    gersh_cancel cancel = {1};
    gersh_prediction *p = NULL;
    gersh_predict_options options = {.cancel = &cancel};
    assert_int_equal(gersh_predict(&p, model, new_data, NULL, &options), GERSH_ERROR_CANCELLED);
    assert_null(p);
    gersh_model_free(model);
    gersh_dataset_free(data);
    gersh_dataset_free(new_data);
    gersh_dataset_free(train);
    gersh_dataset_free(test);
}

static void models_without_rows(void **unused)
{
    (void)unused;
    gersh_model *model = fit_text(named, NULL), *bare = NULL;
    double x[] = {1, 2};
    gersh_dataset *data = NULL;
    gersh_prediction *p = NULL;
    assert_ok(gersh_model_write(model, path, 0));
    assert_ok(gersh_model_read(&bare, path));
    assert_ok(gersh_dataset_new(&data, 1, 2, x, 2, NULL, NULL, NULL));
    assert_int_equal(gersh_predict(&p, bare, data, NULL, NULL), GERSH_ERROR_INPUT);
    assert_string_equal(gersh_last_error(),
                        "the model was written without its training rows, which predictions need; "
                        "fit it again without --no-data");
    gersh_dataset_free(data);
    gersh_model_free(bare);
    gersh_model_free(model);
}

static void failing_allocations_leak_nothing(void **unused)
{
    (void)unused;
    const struct {
        const char *train, *fresh;
        const char *const *settings;
    } files[] = {{named, "id,b,a,class\nr,1,2,x\n", NULL},
                 {named, "a,b,note\n1,2,q\n", NULL},
                 {named, "1,2,x\n", NULL},
                 {"x 1:1 2:5\ny 1:2 2:3\nx 2:4\n", "y 1:3\n", NULL},
                 {named, "a,b\n,2\n3,4\n", WITH("missing", "mean", "scale", "none")}};
    for (size_t f = 0; f < sizeof files / sizeof files[0]; f++) {
        gersh_model *model = fit_text(files[f].train, files[f].settings);
        gersh_settings *settings = settings_of(WITH("threads", "1", "ignore", ""));
        long made = 1;
        write_text(path, files[f].fresh);
        for (long at = 1; made >= at || at == 1; at++) {
            gersh_matched *matched = NULL;
            gersh_prediction *p = NULL;
            gersh__alloc_fail_at(at);
            gersh_status status = gersh_match_file(&matched, model, path, settings);
            if (status == GERSH_OK)
                status = gersh_predict(&p, model, matched->data, settings, NULL);
            made = gersh__alloc_fail_at(0);
            assert_int_equal(status, made >= at ? GERSH_ERROR_MEMORY : GERSH_OK);
            gersh_prediction_free(p);
            gersh_matched_free(matched);
        }
        gersh_settings_free(settings);
        gersh_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(named_columns),
        cmocka_unit_test(data_in_memory),
        cmocka_unit_test(labels_by_the_models_own_place),
        cmocka_unit_test(columns_without_names),
        cmocka_unit_test(text_columns),
        cmocka_unit_test(missing_values),
        cmocka_unit_test(missing_values_of_data),
        cmocka_unit_test(targets),
        cmocka_unit_test(how_good_predictions_are),
        cmocka_unit_test(equals_the_classifiers),
        cmocka_unit_test(models_without_rows),
        cmocka_unit_test(failing_allocations_leak_nothing),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
