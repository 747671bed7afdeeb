/* How well the metric predicts; see accuracy.h. */
#include "report/accuracy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/json.h"
#include "base/settings.h"
#include "gersh/predict.h"
#include "model/model.h"
#include "report/command.h"

enum { MOST_SECONDS = 60 }; /* of one fit */

/* A row of values, to be found by its bits. */
typedef struct bits {
    const double *x;
    size_t size;
} bits;

static int by_bits(const void *left, const void *right)
{
    const bits *a = left, *b = right;
    return memcmp(a->x, b->x, a->size);
}

gersh_status gersh__find_new_rows(int *new_row, size_t *count, const gersh_dataset *data,
                                  const gersh_dataset *train)
{
    size_t n = gersh_dataset_rows(data), k = gersh_dataset_features(data);
    *count = 0;
    memset(new_row, 0, n * sizeof *new_row);
    if (train == NULL)
        return GERSH_OK;
    const double *old = gersh_dataset_values(train), *x = gersh_dataset_values(data);
    size_t rows = gersh_dataset_rows(train);
    bits *known = gersh__alloc(rows, sizeof *known);
    if (known == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t i = 0; i < rows; i++)
        known[i] = (bits){old + i * k, k * sizeof *old};
    qsort(known, rows, sizeof *known, by_bits);
    for (size_t i = 0; i < n; i++) {
        bits row = {x + i * k, k * sizeof *x};
        new_row[i] = bsearch(&row, known, rows, sizeof *known, by_bits) == NULL;
        *count += (size_t)new_row[i];
    }
    gersh__free(known);
    return GERSH_OK;
}

static gersh_status unmeasured(json_t **out, const char *reason)
{
    *out = json_pack("{s:s}", "reason", reason);
    return *out != NULL ? GERSH_OK
                        : gersh__fail(GERSH_ERROR_MEMORY, "out of memory: the accuracy of the report");
}

/* Members that both ways to measure have; measure is the accuracy, or the RMSE of targets. */
static gersh_status measured(json_t **out, const char *how, int regress, const gersh_settings *settings,
                             json_t *more)
{
    *out = json_pack("{s:s, s:s, s:s, s:s}", "how", how, "measure", regress ? "rmse" : "accuracy",
                     "classifier", gersh_settings_get(settings, "classifier"), "neighbors",
                     gersh_settings_get(settings, "neighbors"));
    if (*out == NULL || more == NULL || json_object_update(*out, more) != 0) {
        json_decref(*out);
        *out = NULL;
    }
    json_decref(more);
    return *out != NULL ? GERSH_OK
                        : gersh__fail(GERSH_ERROR_MEMORY, "out of memory: the accuracy of the report");
}

/* The rows that the model did not learn from, under its metric and, as one without a metric, the Euclidean one. */
static gersh_status predict_new(json_t **out, const gersh_model *model, const gersh_dataset *data,
                                const int *new_row, size_t count, const gersh_model_report_options *options)
{
    struct gersh_model plain = *model;
    gersh_dataset *part = NULL;
    gersh_prediction *learned = NULL, *euclidean = NULL;
    gersh_predict_options how = {.cancel = options->cancel, .labels_only = 1};
    size_t taken = 0, *rows = gersh__alloc(count, sizeof *rows);
    plain.metric = NULL;
    if (rows == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t i = 0; i < gersh_dataset_rows(data); i++)
        if (new_row[i])
            rows[taken++] = i;
    gersh_status status = gersh_dataset_subset(&part, data, rows, count);
    if (status == GERSH_OK)
        status = gersh_predict(&learned, model, part, NULL, &how);
    if (status == GERSH_OK)
        status = gersh_predict(&euclidean, &plain, part, NULL, &how);
    if (status == GERSH_ERROR_CANCELLED)
        status = unmeasured(out, "the predictions were interrupted");
    else if (status == GERSH_OK)
        status = measured(
            out, "new_rows", model->regress, model->settings,
            json_pack("{s:f, s:f, s:I, s:I}", "learned", model->regress ? learned->rmse : learned->accuracy,
                      "euclidean", model->regress ? euclidean->rmse : euclidean->accuracy, "rows",
                      (json_int_t)count, "known", (json_int_t)(gersh_dataset_rows(data) - count)));
    gersh_prediction_free(learned);
    gersh_prediction_free(euclidean);
    gersh_dataset_free(part);
    gersh__free(rows);
    return status;
}

static json_t *evaluation_json(const gersh_evaluation *e)
{
    const gersh_evaluate_row *plain = &e->row[0], *row = &e->row[1];
    int targets = e->regress;
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:I, s:b}", "learned",
        gersh__json_number(row->splits > 0, targets ? row->rmse_mean : row->accuracy_mean), "learned_std",
        gersh__json_number(row->splits > 1, targets ? row->rmse_std : row->accuracy_std), "euclidean",
        gersh__json_number(plain->splits > 0, targets ? plain->rmse_mean : plain->accuracy_mean),
        "euclidean_std",
        gersh__json_number(plain->splits > 1, targets ? plain->rmse_std : plain->accuracy_std),
        "difference", gersh__json_number(row->compared > 0, row->difference_mean), "p",
        gersh__json_number(row->has_p, row->p), "splits", (json_int_t)row->splits, "asked",
        (json_int_t)e->splits, "train", (json_int_t)e->train, "test", (json_int_t)e->test, "interrupted",
        e->interrupted);
}

gersh_status gersh__accuracy_limit(gersh_settings *settings)
{
    char seconds[16];
    snprintf(seconds, sizeof seconds, "%d", MOST_SECONDS);
    gersh_status status = gersh_settings_set(settings, "memory", "auto");
    if (status == GERSH_OK && (gersh__setting_is(settings, GERSH__MAX_TIME, "none") ||
                               gersh__setting_number(settings, GERSH__MAX_TIME) > MOST_SECONDS))
        status = gersh_settings_set(settings, "max-time", seconds);
    return status;
}

static gersh_status evaluate(json_t **out, const gersh_model *model, const gersh_dataset *data,
                             const gersh_model_report_options *options)
{
    gersh_settings *settings = NULL;
    gersh_evaluation *evaluation = NULL;
    gersh_evaluate_options how = {.splits = options->splits,
                                  .progress = options->progress,
                                  .progress_context = options->progress_context,
                                  .cancel = options->cancel};
    char threads[16];
    snprintf(threads, sizeof threads, "%d", options->threads);
    gersh_status status = gersh__given_settings(&settings, model);
    if (status == GERSH_OK)
        status = gersh_settings_set(settings, "threads", threads);
    if (status == GERSH_OK)
        status = gersh__accuracy_limit(settings);
    if (status == GERSH_OK)
        status = gersh_evaluate(&evaluation, data, settings, &how);
    if (status == GERSH_OK && evaluation->memory_short)
        status = gersh__fail(GERSH_ERROR_MEMORY, "out of memory: could not measure the accuracy");
    else if (status == GERSH_OK && evaluation->row[1].splits > 0)
        status = measured(out, "splits", evaluation->regress, settings, evaluation_json(evaluation));
    else if (status == GERSH_OK || status == GERSH_ERROR_CANCELLED)
        status = unmeasured(out, "the splits were interrupted before the first was done");
    else if (status == GERSH_ERROR_INPUT || status == GERSH_ERROR_NUMERIC)
        status = unmeasured(out, gersh_last_error());
    gersh_evaluation_free(evaluation);
    gersh_settings_free(settings);
    return status;
}

gersh_status gersh__accuracy_json(json_t **out, const gersh_model *model, const gersh_dataset *data,
                                  const gersh_dataset *train, const gersh_model_report_options *options)
{
    size_t count = 0, rules;
    int classes = gersh_dataset_labels(data) != NULL, targets = gersh_dataset_targets(data) != NULL;
    int *new_row = gersh__alloc(gersh_dataset_rows(data), sizeof *new_row);
    gersh_model_rules(model, &rules);
    gersh_status status =
        new_row != NULL ? gersh__find_new_rows(new_row, &count, data, train) : GERSH_ERROR_MEMORY;
    if (status == GERSH_OK) {
        if (!classes && !targets)
            status = unmeasured(out, "the rows have no labels");
        else if (count > 0 && (model->regress ? targets : classes && model->classes > 0))
            status = predict_new(out, model, data, new_row, count, options);
        else if (count > 0)
            status = unmeasured(out, "the labels of the rows are of another kind than those of the model");
        else if (options->splits == 0)
            status = unmeasured(
                out, "the rows are those that the model learned from, and splits were not asked for");
        else if (model->custom)
            status = unmeasured(
                out, "the rows are those that the model learned from, and the model's own objective "
                     "is not in its file");
        else if (model->tuples != NULL)
            status = unmeasured(
                out, "the rows are those that the model learned from, and tuples cannot be split");
        else if (rules > 0)
            status = unmeasured(
                out, "the rows are those that the model learned from, and splits do not know its edge "
                     "rules");
        else
            status = evaluate(out, model, data, options);
    }
    gersh__free(new_row);
    return status;
}
