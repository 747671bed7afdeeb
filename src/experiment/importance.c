/*
 * Permutation importance over random splits; see gersh/importance.h. Splits run one after the other, each with all
 * threads: the fits have the memory that the settings allow to themselves.
 */
#include "gersh/importance.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/policy.h"
#include "base/settings.h"
#include "data/dataset.h"
#include "experiment/evaluate_trial.h"
#include "experiment/permute.h"

typedef struct work {
    const gersh_model *model;
    const gersh_settings *settings;
    const gersh_importance_options *options;
    gersh__pool *pool;
    size_t split;
    double start;
    size_t done;   /* splits that were measured */
    double *score; /* of each of these */
    double *loss;  /* splits × features */
    char failure[GERSH__MESSAGE_SIZE];
} work;

static void report(void *context, size_t done, size_t total)
{
    const work *w = context;
    gersh_importance_progress progress = {w->split, GERSH_IMPORTANCE_SPLITS, done, total,
                                          gersh__clock_seconds() - w->start};
    if (w->options->progress != NULL)
        w->options->progress(w->options->progress_context, &progress);
}

/* The samples of one part of a split. */
static gersh_status take(gersh_dataset **out, const gersh_dataset *data, const gersh_split *split, int part)
{
    size_t *rows = NULL, count = 0;
    gersh_status status = gersh_split_rows(&rows, &count, split, part, 1);
    if (status == GERSH_OK)
        status = gersh_dataset_subset(out, data, rows, count);
    gersh__free(rows);
    return status;
}

static gersh_status divide(gersh_dataset **train, gersh_dataset **test, const gersh_dataset *data,
                           uint64_t seed)
{
    gersh_split *split = NULL;
    double share = fmin(GERSH_IMPORTANCE_HELD_OUT, GERSH__HELD_OUT_ROWS / (double)data->n);
    gersh_status status = gersh_split_test(&split, data, share, seed);
    if (status == GERSH_OK)
        status = take(train, data, split, 0);
    if (status == GERSH_OK)
        status = take(test, data, split, 1);
    if (status == GERSH_OK)
        status = gersh__dataset_refill(*train, *test);
    gersh_split_free(split);
    return status;
}

static gersh_status learn(gersh_model **out, const work *w, const gersh_dataset *train)
{
    gersh_fit_options options = {
        .rules = w->model->rules, .rule_count = w->model->rule_count, .cancel = w->options->cancel};
    gersh_status status = gersh__model_learn(out, train, w->settings, &options);
    return status == GERSH_OK && (*out)->info.stop == GERSH_STOP_INTERRUPTED
               ? gersh__fail(GERSH_ERROR_CANCELLED,
                             "interrupted before the metric of split %zu was learned", w->split + 1)
               : status;
}

static gersh_status run_split(work *w)
{
    gersh_dataset *train = NULL, *test = NULL;
    gersh_model *learned = NULL;
    uint64_t seed = gersh__setting_whole(w->settings, GERSH__SEED) + w->split;
    report(w, 0, 0);
    gersh_status status = divide(&train, &test, w->model->data, seed);
    if (status == GERSH_OK)
        status = learn(&learned, w, train);
    if (status == GERSH_OK) {
        gersh__permute_task task = {.metric = learned->metric,
                                    .scaling = learned->scaling,
                                    .train = train,
                                    .test = test,
                                    .voters = {(size_t)gersh__setting_whole(w->settings, GERSH__NEIGHBORS),
                                               gersh__setting_is(w->settings, GERSH__VOTES, "distance")},
                                    .seed = seed,
                                    .pool = w->pool,
                                    .cancel = w->options->cancel,
                                    .progress = report,
                                    .context = w};
        status = gersh__permute(&w->score[w->done], w->loss + w->done * w->model->metric->features, &task);
    }
    gersh_model_free(learned);
    gersh_dataset_free(train);
    gersh_dataset_free(test);
    return status;
}

/* Splits that nothing can be learned from, or measured on, are left out. */
static gersh_status run_splits(work *w)
{
    for (w->split = 0; w->split < GERSH_IMPORTANCE_SPLITS; w->split++) {
        gersh_status status = run_split(w);
        if (status == GERSH_ERROR_MEMORY || status == GERSH_ERROR_CANCELLED)
            return status;
        if (status == GERSH_OK)
            w->done++;
        else if (w->failure[0] == '\0')
            snprintf(w->failure, sizeof w->failure, "%s", gersh_last_error());
    }
    return w->done > 0 ? GERSH_OK
                       : gersh__fail(GERSH_ERROR_INPUT, "no split of the samples could be measured: %s",
                                     w->failure);
}

static gersh_status store(gersh_model *model, const work *w)
{
    gersh_importance *to = &model->importance;
    size_t k = model->metric->features;
    double *mean = gersh__alloc(k, sizeof *mean), *deviation = gersh__alloc(k, sizeof *deviation), spread;
    if (mean == NULL || deviation == NULL) {
        gersh__free(mean);
        gersh__free(deviation);
        return GERSH_ERROR_MEMORY;
    }
    for (size_t i = 0; i < k; i++) {
        double value[GERSH_IMPORTANCE_SPLITS];
        for (size_t s = 0; s < w->done; s++)
            value[s] = w->loss[s * k + i];
        gersh__mean_and_deviation(&mean[i], &deviation[i], w->done, value);
        deviation[i] = w->done > 1 ? deviation[i] : 0;
    }
    gersh__free(to->permutation);
    gersh__free(to->deviation);
    to->permutation = mean;
    to->deviation = deviation;
    to->splits = w->done;
    gersh__mean_and_deviation(&to->score, &spread, w->done, w->score);
    return gersh_importance_choose(model, GERSH_IMPORTANCE_PERMUTATION);
}

static gersh_status check_model(const gersh_model *model)
{
    if (model->data == NULL)
        return gersh__fail(
            GERSH_ERROR_ARGUMENT,
            "the model was written without its training samples, which the permutation importance is "
            "measured on; fit it without --no-data");
    if (model->tuples != NULL || (model->data->labels == NULL && model->data->targets == NULL))
        return gersh__fail(
            GERSH_ERROR_ARGUMENT,
            "the model was learned from tuples, so that there are no labels to predict; the permutation "
            "importance is of models of labels or targets");
    if (model->custom)
        return gersh__fail(
            GERSH_ERROR_ARGUMENT,
            "the model has a custom objective, which is not known for splits of the samples; the "
            "permutation importance is of the library's objectives");
    return GERSH_OK;
}

gersh_status gersh_importance_permute(gersh_model *model, const gersh_settings *settings,
                                      const gersh_importance_options *options)
{
    static const gersh_importance_options none = {0};
    gersh_settings *own = NULL;
    work w = {
        .model = model, .options = options != NULL ? options : &none, .start = gersh__clock_seconds()};
    gersh_status status = check_model(model);
    if (status == GERSH_OK)
        status = gersh_settings_copy(&own, settings != NULL ? settings : model->settings);
    if (status == GERSH_OK)
        status =
            gersh_settings_set(own, "objective", gersh__setting_text(model->settings, GERSH__OBJECTIVE));
    if (status != GERSH_OK) {
        gersh_settings_free(own);
        return status;
    }
    w.settings = own;
    status = gersh__pool_new(&w.pool, (int)gersh__setting_whole(w.settings, GERSH__THREADS));
    w.score = gersh__alloc(GERSH_IMPORTANCE_SPLITS, sizeof *w.score);
    w.loss = gersh__alloc(GERSH_IMPORTANCE_SPLITS, model->metric->features * sizeof *w.loss);
    if (status == GERSH_OK && (w.score == NULL || w.loss == NULL))
        status = GERSH_ERROR_MEMORY;
    if (status == GERSH_OK)
        status = run_splits(&w);
    if (status == GERSH_OK)
        status = store(model, &w);
    gersh__free(w.score);
    gersh__free(w.loss);
    gersh__pool_free(w.pool);
    gersh_settings_free(own);
    return status;
}
