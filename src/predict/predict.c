/*
 * Predictions for new rows, and how good they are; see gersh/predict.h.
 *
 * The accuracy is the share of rows whose label is predicted, the balanced accuracy the mean of that share
 * over the labels that occur in the data. A label that the model does not know is predicted for no row. For
 * targets, R² = 1 − Σ (t − v)² / Σ (t − mean t)².
 */
#include "gersh/predict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/settings.h"
#include "data/names.h"
#include "data/table.h"
#include "model/model.h"
#include "predict/classify.h"
#include "predict/match.h"

void gersh_prediction_free(gersh_prediction *prediction)
{
    if (prediction == NULL)
        return;
    gersh__free(prediction->label);
    gersh__free(prediction->proba);
    gersh__free(prediction->value);
    gersh__free(prediction->truth);
    gersh__free(prediction->confusion);
    gersh__free_texts(prediction->unknown_label, prediction->unknown);
    gersh__free_texts(prediction->ignored_name, prediction->ignored);
    gersh__free(prediction);
}

/* of[c]: the class of the model that class c of the data is, or one of the unknown labels. */
static gersh_status match_classes(int *of, gersh_prediction *p, const gersh_model *model,
                                  const gersh_dataset *data)
{
    size_t classes = gersh_dataset_classes(data);
    p->unknown_label = gersh__alloc(classes, sizeof *p->unknown_label);
    if (p->unknown_label == NULL)
        return GERSH_ERROR_MEMORY;
    gersh__names known;
    gersh_status status = gersh__names_new(&known, "classes", model->class_names, model->classes, 1);
    for (size_t c = 0; c < classes && status == GERSH_OK; c++) {
        const char *name = gersh_dataset_class_name(data, c);
        size_t found = gersh__names_find(&known, name);
        if (found != GERSH__NO_WORD) {
            of[c] = (int)found;
            continue;
        }
        of[c] = (int)(p->classes + p->unknown);
        p->unknown_label[p->unknown] = gersh__text_copy(name, strlen(name));
        status = p->unknown_label[p->unknown] != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
        p->unknown += status == GERSH_OK;
    }
    gersh__names_clear(&known);
    return status;
}

static int by_label(const void *left, const void *right)
{
    const gersh_confusion *a = left, *b = right;
    if (a->label != b->label)
        return a->label < b->label ? -1 : 1;
    return a->predicted < b->predicted ? -1 : a->predicted > b->predicted;
}

/* Sorted, as a table of all labels and classes would be as large as the square of a file that names many. */
static void count_confusions(gersh_prediction *p)
{
    gersh_confusion *list = p->confusion;
    size_t count = 0;
    for (size_t i = 0; i < p->rows; i++)
        list[i] = (gersh_confusion){(size_t)p->truth[i], (size_t)p->label[i], 1};
    qsort(list, p->rows, sizeof *list, by_label);
    for (size_t i = 0; i < p->rows; i++) {
        if (count > 0 && by_label(&list[count - 1], &list[i]) == 0)
            list[count - 1].rows++;
        else
            list[count++] = list[i];
    }
    p->confusions = count;
}

static void count_right(gersh_prediction *p)
{
    size_t right = 0, occurring = 0;
    double shares = 0;
    count_confusions(p);
    for (size_t i = 0; i < p->rows; i++) {
        right += p->truth[i] == p->label[i];
        p->unknown_rows += (size_t)p->truth[i] >= p->classes;
    }
    for (size_t i = 0; i < p->confusions; occurring++) {
        size_t label = p->confusion[i].label, rows = 0, mine = 0;
        for (; i < p->confusions && p->confusion[i].label == label; i++) {
            rows += p->confusion[i].rows;
            mine += p->confusion[i].predicted == label ? p->confusion[i].rows : 0;
        }
        shares += (double)mine / (double)rows;
    }
    p->accuracy = (double)right / (double)p->rows;
    p->balanced_accuracy = shares / (double)occurring;
}

static gersh_status compare_labels(gersh_prediction *p, const gersh_model *model, const gersh_dataset *data)
{
    int *of = gersh__alloc(gersh_dataset_classes(data), sizeof *of);
    gersh_status status = of != NULL ? match_classes(of, p, model, data) : GERSH_ERROR_MEMORY;
    if (status == GERSH_OK) {
        p->truth = gersh__alloc(p->rows, sizeof *p->truth);
        p->confusion = gersh__alloc(p->rows, sizeof *p->confusion);
        status = p->truth != NULL && p->confusion != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
    }
    if (status == GERSH_OK) {
        for (size_t i = 0; i < p->rows; i++)
            p->truth[i] = of[gersh_dataset_labels(data)[i]];
        count_right(p);
        p->has_truth = 1;
    }
    gersh__free(of);
    return status;
}

static void compare_targets(gersh_prediction *p, const double *target)
{
    double mean = 0, left = 0, all = 0;
    for (size_t i = 0; i < p->rows; i++)
        mean += target[i] / (double)p->rows;
    for (size_t i = 0; i < p->rows; i++) {
        left += (target[i] - p->value[i]) * (target[i] - p->value[i]);
        all += (target[i] - mean) * (target[i] - mean);
    }
    p->r2 = all > 0 ? 1 - left / all : NAN;
    p->rmse = sqrt(left / (double)p->rows);
    p->has_truth = 1;
}

/* The training rows, scaled. */
static gersh_status scaled_training(gersh_dataset **out, const gersh_model *model)
{
    const gersh_dataset *data = gersh_model_data(model);
    *out = NULL;
    if (data == NULL)
        return gersh__fail(
            GERSH_ERROR_INPUT,
            "the model was written without its training rows, which predictions need; fit it again "
            "without --no-data");
    if (gersh_dataset_labels(data) == NULL && gersh_dataset_targets(data) == NULL)
        return gersh__fail(GERSH_ERROR_INPUT,
                           "the model's training rows have no labels, so that there is nothing to predict");
    gersh_status status = gersh_dataset_copy(out, data);
    return status == GERSH_OK ? gersh_scaling_apply(gersh_model_scaling(model), *out) : status;
}

/* The settings that say how to classify: the caller's, or else those that the model was fitted with. */
static const gersh_settings *who_says(int which, const gersh_settings *settings, const gersh_model *model)
{
    return gersh__setting_given(settings, which) ? settings : gersh_model_settings(model);
}

static gersh_status predict(gersh_prediction *p, const gersh_model *model, const gersh_dataset *train,
                            const gersh_dataset *test, const gersh_settings *settings,
                            const gersh_predict_options *options)
{
    const gersh_cancel *cancel = options != NULL ? options->cancel : NULL;
    int labels_only = options != NULL && options->labels_only;
    const gersh__classifier *kind = gersh__classifier_find(
        gersh__setting_text(who_says(GERSH__CLASSIFIER, settings, model), GERSH__CLASSIFIER));
    gersh__voters voters = {
        (size_t)gersh__setting_whole(who_says(GERSH__NEIGHBORS, settings, model), GERSH__NEIGHBORS),
        gersh__setting_is(who_says(GERSH__VOTES, settings, model), GERSH__VOTES, "distance")};
    int threads = (int)gersh__setting_whole(settings, GERSH__THREADS);
    const gersh_metric *metric = gersh_model_metric(model);
    p->rows = gersh_dataset_rows(test);
    p->classes = gersh_dataset_classes(train);
    if (gersh_dataset_targets(train) != NULL) {
        p->value = gersh__alloc(p->rows, sizeof *p->value);
        return p->value != NULL
                   ? gersh__regress(p->value, kind, metric, train, test, voters, threads, cancel)
                   : GERSH_ERROR_MEMORY;
    }
    p->label = gersh__alloc(p->rows, sizeof *p->label);
    p->proba = labels_only ? NULL : gersh__alloc(p->rows, p->classes * sizeof *p->proba);
    if (p->label == NULL || (p->proba == NULL && !labels_only))
        return GERSH_ERROR_MEMORY;
    return gersh__classify(p->label, p->proba, kind, metric, train, test, voters, threads, cancel);
}

gersh_status gersh_predict(gersh_prediction **out, const gersh_model *model, const gersh_dataset *data,
                           const gersh_settings *settings, const gersh_predict_options *options)
{
    gersh_dataset *train = NULL;
    gersh_matched *matched = NULL;
    *out = NULL;
    gersh_prediction *p = gersh__alloc(1, sizeof *p);
    gersh_status status = p != NULL ? scaled_training(&train, model) : GERSH_ERROR_MEMORY;
    if (status == GERSH_OK)
        status = gersh_match_data(&matched, model, data);
    if (status == GERSH_OK)
        status = gersh_scaling_apply(gersh_model_scaling(model), matched->data);
    if (status == GERSH_OK)
        status = predict(p, model, train, matched->data, settings, options);
    if (status == GERSH_OK && p->label != NULL && gersh_dataset_labels(data) != NULL)
        status = compare_labels(p, model, data);
    if (status == GERSH_OK && p->value != NULL && gersh_dataset_targets(data) != NULL)
        compare_targets(p, gersh_dataset_targets(data));
    if (status == GERSH_OK) {
        p->ignored = matched->ignored;
        p->ignored_name = matched->ignored_name;
        matched->ignored = 0;
        matched->ignored_name = NULL;
        *out = p;
    } else {
        gersh_prediction_free(p);
    }
    gersh_matched_free(matched);
    gersh_dataset_free(train);
    return status;
}
