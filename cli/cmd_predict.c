/* gersh predict: labels of new rows, and how many are right. */
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "io/output.h"

enum { MOST_SHOWN = 20, MOST_CELLS = 1000000, NAME = 16, CELL = 9 };

typedef struct result {
    const cli_args *args;
    gersh_model *model;
    gersh_matched *matched;
    gersh_prediction *prediction;
    size_t *
        confusion; /* (classes + unknown) × classes, or NULL without labels and where it would be too large */
} result;

static void put_lines(FILE *file, const result *r)
{
    const gersh_prediction *p = r->prediction;
    int proba = cli_value(r->args, "proba") != NULL;
    fputs("row,prediction", file);
    for (size_t c = 0; proba && c < p->classes; c++) {
        fputc(',', file);
        cli_put_cell_around(file, "p(", gersh_model_class_name(r->model, c), ")");
    }
    fputc('\n', file);
    for (size_t i = 0; i < p->rows; i++) {
        fprintf(file, "%zu,", i + 1);
        if (p->value != NULL)
            fprintf(file, "%.17g", p->value[i]);
        else
            cli_put_cell(file, gersh_model_class_name(r->model, (size_t)p->label[i]));
        for (size_t c = 0; proba && c < p->classes; c++)
            fprintf(file, ",%.6g", p->proba[i * p->classes + c]);
        fputc('\n', file);
    }
}

static gersh_status write_csv(const result *r, const char *path)
{
    gersh__output output = {0};
    gersh_status status = gersh__output_open(&output, path);
    if (status == GERSH_OK) {
        put_lines(output.file, r);
        status = gersh__output_close(&output, GERSH_OK);
    }
    return status != GERSH_OK ? gersh__fail_prefix(status, "--csv: ") : GERSH_OK;
}

/* The name of a label of the data: a class of the model, or one that it does not know. */
static const char *label_name(const result *r, size_t label)
{
    const gersh_prediction *p = r->prediction;
    return label < p->classes ? gersh_model_class_name(r->model, label)
                              : p->unknown_label[label - p->classes];
}

static void print_confusion(const result *r)
{
    const gersh_prediction *p = r->prediction;
    const size_t *table = r->confusion;
    if (table == NULL || p->classes > MOST_SHOWN)
        return;
    fprintf(stderr, "\nrows by label (down) and prediction (across)\n  %*s", NAME, "");
    for (size_t c = 0; c < p->classes; c++) {
        fputc(' ', stderr);
        cli_put_start(stderr, label_name(r, c), CELL);
    }
    fputc('\n', stderr);
    for (size_t l = 0; l < p->classes + p->unknown; l++) {
        fputs("  ", stderr);
        cli_put_start(stderr, label_name(r, l), NAME);
        for (size_t c = 0; c < p->classes; c++)
            fprintf(stderr, " %-*zu", CELL, table[l * p->classes + c]);
        fputc('\n', stderr);
    }
}

static void print_summary(const result *r)
{
    const gersh_prediction *p = r->prediction;
    if (!p->has_truth) {
        fprintf(stderr, "%zu rows, without labels to compare with\n", p->rows);
    } else if (p->value != NULL) {
        fprintf(stderr, "%zu rows: RMSE %.6g, R2 %.6g\n", p->rows, p->rmse, p->r2);
    } else {
        size_t right = (size_t)lround(p->accuracy * (double)p->rows);
        fprintf(stderr, "accuracy %.4f (%zu of %zu rows), balanced accuracy %.4f\n", p->accuracy, right,
                p->rows, p->balanced_accuracy);
        for (size_t u = 0; u < p->unknown; u++) {
            fputs(u == 0 ? "labels that the model does not know, counted as wrong: " : ", ", stderr);
            cli_put_text(stderr, p->unknown_label[u]);
            fputs(u + 1 == p->unknown ? "\n" : "", stderr);
        }
        print_confusion(r);
    }
}

static json_t *confusion_json(const gersh_prediction *p, const size_t *table)
{
    json_t *rows = table != NULL ? json_array() : json_null();
    for (size_t l = 0; table != NULL && l < p->classes + p->unknown; l++) {
        json_t *row = json_array();
        for (size_t c = 0; c < p->classes; c++)
            json_array_append_new(row, json_integer((json_int_t)table[l * p->classes + c]));
        json_array_append_new(rows, row);
    }
    return rows;
}

static int print_json(const result *r)
{
    const gersh_prediction *p = r->prediction;
    int labels = p->has_truth && p->value == NULL, targets = p->has_truth && p->value != NULL;
    json_t *predictions = json_array(), *proba = NULL, *classes = json_array(), *names = NULL;
    for (size_t i = 0; i < p->rows; i++)
        json_array_append_new(predictions, p->value != NULL ? json_real(p->value[i])
                                                            : gersh__json_text(gersh_model_class_name(
                                                                  r->model, (size_t)p->label[i])));
    if (cli_value(r->args, "proba") != NULL && p->value == NULL) {
        proba = json_array();
        for (size_t i = 0; i < p->rows; i++)
            json_array_append_new(proba, gersh__json_reals(p->proba + i * p->classes, p->classes));
    }
    for (size_t c = 0; c < p->classes; c++)
        json_array_append_new(classes, gersh__json_text(gersh_model_class_name(r->model, c)));
    if (labels) {
        names = json_array();
        for (size_t l = 0; l < p->classes + p->unknown; l++)
            json_array_append_new(names, gersh__json_text(label_name(r, l)));
    }
    return cli_print_json(json_pack(
        "{s:I, s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "n", (json_int_t)p->rows,
        "classifier", gersh_settings_get(r->args->settings, "classifier"), "features",
        (json_int_t)gersh_model_features(r->model), "classes", classes, "predictions", predictions,
        "probabilities", proba != NULL ? proba : json_null(), "accuracy",
        gersh__json_number(labels, p->accuracy), "balanced_accuracy",
        gersh__json_number(labels, p->balanced_accuracy), "labels", names != NULL ? names : json_null(),
        "confusion", labels ? confusion_json(p, r->confusion) : json_null(), "unknown_labels",
        gersh__json_texts(p->unknown_label, p->unknown), "rmse", gersh__json_number(targets, p->rmse), "r2",
        gersh__json_number(targets, p->r2), "ignored",
        gersh__json_texts(r->matched->ignored_name, r->matched->ignored)));
}

static gersh_status spread_confusion(result *r)
{
    const gersh_prediction *p = r->prediction;
    if (p->confusions == 0 || p->classes + p->unknown > MOST_CELLS / p->classes)
        return GERSH_OK;
    r->confusion = gersh__alloc(p->classes + p->unknown, p->classes * sizeof *r->confusion);
    for (size_t i = 0; r->confusion != NULL && i < p->confusions; i++)
        r->confusion[p->confusion[i].label * p->classes + p->confusion[i].predicted] = p->confusion[i].rows;
    return r->confusion != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
}

static gersh_status predict(result *r)
{
    const cli_args *args = r->args;
    const char *csv = cli_value(args, "csv");
    gersh_predict_options options = {.cancel = &cli_cancel,
                                     .labels_only = cli_value(args, "proba") == NULL};
    gersh_status status = gersh_model_read(&r->model, args->operand[0]);
    if (status == GERSH_OK && gersh_model_classes(r->model) == 0 && cli_value(args, "proba") != NULL)
        status = gersh__fail(GERSH_ERROR_ARGUMENT,
                             "--proba: %s has no classes, so there are no probabilities", args->operand[0]);
    if (status == GERSH_OK)
        status = cli_match(&r->matched, r->model, args->operand[1], args);
    if (status == GERSH_OK) {
        status = gersh_predict(&r->prediction, r->model, r->matched->data, args->settings, &options);
        if (status == GERSH_ERROR_INPUT)
            gersh__fail_prefix(status, "%s: ", args->operand[0]);
    }
    if (status == GERSH_OK)
        status = spread_confusion(r);
    if (status == GERSH_OK && csv != NULL)
        status = write_csv(r, csv);
    return status;
}

static int run(const cli_args *args)
{
    result r = {.args = args};
    int code;
    gersh_status status = predict(&r);
    if (status != GERSH_OK) {
        code = cli_fail(args, status, NULL);
    } else if (args->json) {
        code = print_json(&r);
    } else {
        if (cli_value(args, "csv") == NULL)
            put_lines(stdout, &r);
        code = cli_finish_output();
        if (code == EXIT_DONE && !args->quiet)
            print_summary(&r);
    }
    gersh__free(r.confusion);
    gersh_prediction_free(r.prediction);
    gersh_matched_free(r.matched);
    gersh_model_free(r.model);
    return code;
}

static const cli_option options[] = {{"proba", 0, NULL, "add the probability of each class to the lines"},
                                     {"csv", 0, "FILE", "write the lines to this file instead of stdout"},
                                     {0}};

const cli_command cli_predict = {
    .name = "predict",
    .operand_names = "MODEL DATA",
    .operands = 2,
    .summary = "predict the labels of new rows with a learned metric",
    .about = "Predicts a label, or a real-valued target, for every row of a data file from the training "
             "rows that the "
             "model holds. Prints CSV lines: row, prediction and, with --proba, the probabilities of the "
             "classes. Columns "
             "are found by name, in any order; those that the model does not know are ignored. Where the "
             "file has labels, "
             "stderr shows how many predictions are right.",
    .settings = "label labels format header ignore missing categorical classifier neighbors votes threads",
    .options = options,
    .writes = "csv",
    .example = "gersh predict model.gersh new.csv --neighbors 5 --proba",
    .run = run,
};
