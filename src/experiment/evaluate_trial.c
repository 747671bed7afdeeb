/*
 * One split: everything is learned from its training rows, and then asked about its test rows; see evaluate_trial.h.
 */
#include "experiment/evaluate_trial.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/settings.h"
#include "data/dataset.h"
#include "gersh/predict.h"
#include "model/model.h"

/* The rows of one part of the split. */
static gersh_status take_part(gersh_dataset **out, const gersh_dataset *data, const gersh_split *split,
                              int part)
{
    size_t *rows = NULL, count = 0;
    gersh_status status = gersh_split_rows(&rows, &count, split, part, 1);
    if (status == GERSH_OK)
        status = gersh_dataset_subset(out, data, rows, count);
    gersh__free(rows);
    return status;
}

static gersh_status interrupted(void)
{
    return gersh__fail(GERSH_ERROR_CANCELLED, "interrupted before the metric was learned");
}

static gersh_status learn(gersh_model **model, gersh__trial_result *out, const gersh_dataset *train,
                          const gersh__trial *trial)
{
    gersh_fit_options options = {
        .progress = trial->on_fit, .progress_context = trial->context, .cancel = trial->cancel};
    gersh_status status = gersh__setting_is(trial->settings, GERSH__OBJECTIVE, "auto")
                              ? gersh_model_fit(model, NULL, train, trial->settings, &options)
                              : gersh__model_learn(model, train, trial->settings, &options);
    if (status != GERSH_OK)
        return status;
    out->seconds = (*model)->info.seconds;
    out->stop = (*model)->info.stop;
    out->switched = (*model)->accuracy.switched;
    return out->stop == GERSH_STOP_INTERRUPTED ? interrupted() : GERSH_OK;
}

static gersh_status tune(gersh_model **model, gersh__trial_result *out, const gersh_dataset *train,
                         const gersh__trial *trial)
{
    double begin = gersh__clock_seconds();
    gersh_tuning *tuning = NULL;
    gersh_tune_options options = {.budget = trial->budget,
                                  .progress = trial->on_tune,
                                  .progress_context = trial->context,
                                  .cancel = trial->cancel};
    gersh_status status = gersh_tune(&tuning, train, trial->settings, &options);
    if (status != GERSH_OK)
        return status;
    *model = tuning->model;
    tuning->model = NULL;
    gersh_tuning_free(tuning);
    out->seconds = gersh__clock_seconds() - begin;
    return gersh_cancel_requested(trial->cancel) ? interrupted() : GERSH_OK;
}

static gersh_status predict(gersh__trial_result *out, const gersh_model *model, const gersh_dataset *test,
                            const gersh_settings *settings, const gersh_cancel *cancel)
{
    gersh_prediction *prediction = NULL;
    gersh_predict_options options = {.cancel = cancel, .labels_only = 1};
    gersh_status status = gersh_predict(&prediction, model, test, settings, &options);
    if (status == GERSH_OK) {
        out->accuracy = prediction->accuracy;
        out->balanced_accuracy = prediction->balanced_accuracy;
        out->rmse = prediction->rmse;
        out->r2 = prediction->r2;
    }
    gersh_prediction_free(prediction);
    return status;
}

/* A model without a metric is the Euclidean one; but for the scaling, all in it belongs to the training rows. */
static gersh_status predict_euclidean(gersh__trial_result *out, gersh_dataset *train,
                                      const gersh_dataset *test, const gersh__trial *trial)
{
    struct gersh_model model = {.regress = train->targets != NULL,
                                .rows = train->n,
                                .features = train->k,
                                .feature_names = train->feature_names,
                                .classes = train->classes,
                                .class_names = train->class_names,
                                .data = train};
    gersh_status status =
        gersh_scaling_fit(&model.scaling, train, gersh__setting_text(trial->settings, GERSH__SCALE));
    if (status == GERSH_OK)
        status = predict(out, &model, test, trial->settings, trial->cancel);
    gersh_scaling_free(model.scaling);
    return status;
}

gersh_status gersh__trial_run(gersh__trial_result *out, gersh_model **model, const gersh_dataset *data,
                              const gersh_split *split, const gersh__trial *trial)
{
    gersh_dataset *train = NULL, *test = NULL;
    gersh_model *learned = NULL;
    *out = (gersh__trial_result){0};
    if (model != NULL)
        *model = NULL;
    gersh_status status = take_part(&train, data, split, 0);
    if (status == GERSH_OK)
        status = take_part(&test, data, split, 1);
    if (status == GERSH_OK)
        status = gersh__dataset_refill(train, test);
    if (status == GERSH_OK && trial->kind == GERSH_EVALUATE_EUCLIDEAN) {
        status = predict_euclidean(out, train, test, trial);
    } else if (status == GERSH_OK && trial->kind == GERSH_EVALUATE_FITTED) {
        status = learn(&learned, out, train, trial);
        if (status == GERSH_OK)
            status = predict(out, learned, test, trial->settings, trial->cancel);
    } else if (status == GERSH_OK) {
        status = tune(&learned, out, train, trial);
        if (status == GERSH_OK)
            status = predict(out, learned, test, gersh_model_settings(learned), trial->cancel);
    }
    if (status == GERSH_OK && model != NULL) {
        *model = learned;
        learned = NULL;
    }
    gersh_model_free(learned);
    gersh_dataset_free(test);
    gersh_dataset_free(train);
    return status;
}
