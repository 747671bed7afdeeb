/*
 * gersh_model_fit: learns a metric, and compares it with the Euclidean one; see gersh/model.h.
 *
 * What is compared is what a metric is for: how the nearest neighbours classify. On a random part of the training samples,
 * or all of them, every tenth is classified by the others, ten times. Of b samples that only one of two metrics gets
 * right, and c that only the other does, each is a fair coin where both are as good: the one-sided p of McNemar's exact test
 * is P(X >= b) of a binomial X with b + c draws.
 *
 * mcml wants each class in one place. Where a class lies in several (an XOR, rings), its best metric may show nothing of the
 * classes. glr only parts near samples of different classes and finds its way there, but elsewhere it gives more weight to
 * noise: it is tried where the metric of mcml is doubtful, and kept where it classifies better (bench/several.py).
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/policy.h"
#include "base/settings.h"
#include "data/dataset.h"
#include "experiment/evaluate_trial.h"
#include "experiment/fit.h"
#include "model/model.h"
#include "objective/objective.h"
#include "predict/classify.h"

/* A metric, and the samples that it gets right. */
typedef struct attempt {
    gersh_model *model; /* NULL: the Euclidean metric */
    unsigned char *right;
    size_t count; /* of them */
} attempt;

/* What all metrics are compared on. */
typedef struct comparison {
    gersh_dataset *sample; /* scaled */
    gersh_split *folds;
    gersh__voters voters;
    int threads;
    const gersh_cancel *cancel;
} comparison;

static void clear_attempt(attempt *a)
{
    gersh_model_free(a->model);
    gersh__free(a->right);
}

static void clear_comparison(comparison *c)
{
    gersh_dataset_free(c->sample);
    gersh_split_free(c->folds);
}

/* A random part of the samples that count, or all of them, scaled as the model says. */
static gersh_status take_sample(gersh_dataset **out, const gersh_model *model, const gersh_dataset *all,
                                uint64_t seed)
{
    gersh_dataset *counted = NULL, *part = NULL;
    gersh_split *split = NULL;
    size_t *rows = NULL, count = 0;
    gersh_status status = gersh__drop_weightless(&counted, all);
    const gersh_dataset *data = counted != NULL ? counted : all;
    double most = fmin(GERSH__COMPARED_SAMPLES, ceil((double)GERSH__COMPARED_ENTRIES / (double)data->k));
    if (status == GERSH_OK && (double)data->n > most) {
        status = gersh_split_test(&split, data, most / (double)data->n, seed);
        if (status == GERSH_OK)
            status = gersh_split_rows(&rows, &count, split, 1, 1);
        if (status == GERSH_OK)
            status = gersh_dataset_subset(&part, data, rows, count);
    }
    if (status == GERSH_OK)
        status = gersh__model_scale(out, model, part != NULL ? part : data);
    gersh__free(rows);
    gersh_split_free(split);
    gersh_dataset_free(part);
    gersh_dataset_free(counted);
    return status;
}

static gersh_status prepare(comparison *c, const gersh_model *model, const gersh_dataset *data,
                            const gersh_settings *settings, const gersh_cancel *cancel)
{
    uint64_t seed = gersh__setting_whole(settings, GERSH__SEED);
    c->voters = (gersh__voters){(size_t)gersh__setting_whole(settings, GERSH__NEIGHBORS),
                                gersh__setting_is(settings, GERSH__VOTES, "distance")};
    c->threads = (int)gersh__setting_whole(settings, GERSH__THREADS);
    c->cancel = cancel;
    gersh_status status = take_sample(&c->sample, model, data, seed);
    if (status != GERSH_OK)
        return status;
    double n = (double)c->sample->n;
    if (n * n / GERSH__COMPARED_FOLDS * (double)c->sample->k < GERSH__MUCH_WORK)
        c->threads = 1;
    return gersh_split_folds(&c->folds, c->sample,
                             n < GERSH__COMPARED_FOLDS ? (int)n : GERSH__COMPARED_FOLDS, seed);
}

/* Classifies one fold by the others. */
static gersh_status classify_fold(unsigned char *right, const comparison *c, const gersh_metric *metric,
                                  int fold)
{
    gersh_dataset *train = NULL, *test = NULL;
    size_t *others = NULL, *rows = NULL, trains = 0, tests = 0;
    int *label = NULL;
    gersh_status status = gersh_split_rows(&others, &trains, c->folds, fold, 0);
    if (status == GERSH_OK)
        status = gersh_split_rows(&rows, &tests, c->folds, fold, 1);
    if (status == GERSH_OK)
        status = gersh_dataset_subset(&train, c->sample, others, trains);
    if (status == GERSH_OK)
        status = gersh_dataset_subset(&test, c->sample, rows, tests);
    if (status == GERSH_OK) {
        label = gersh__alloc(tests, sizeof *label);
        status = label != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
    }
    if (status == GERSH_OK)
        status = gersh__classify(label, NULL, &gersh__classifier_knn, metric, train, test, c->voters,
                                 c->threads, c->cancel);
    for (size_t i = 0; i < tests && status == GERSH_OK; i++)
        right[rows[i]] = label[i] == test->labels[i];
    gersh__free(label);
    gersh__free(others);
    gersh__free(rows);
    gersh_dataset_free(train);
    gersh_dataset_free(test);
    return status;
}

/* All samples under a metric, or NULL for the Euclidean one. On failure a->right is NULL. */
static gersh_status classify(attempt *a, const comparison *c, const gersh_metric *metric)
{
    gersh_status status = GERSH_OK;
    a->right = gersh__alloc(c->sample->n, 1);
    if (a->right == NULL)
        return GERSH_ERROR_MEMORY;
    for (int fold = 0; fold < c->folds->parts && status == GERSH_OK; fold++)
        status = classify_fold(a->right, c, metric, fold);
    if (status != GERSH_OK) {
        gersh__free(a->right);
        a->right = NULL;
        return status;
    }
    for (size_t i = 0; i < c->sample->n; i++)
        a->count += a->right[i];
    return GERSH_OK;
}

/* Whether a gets more samples right than b, beyond chance. */
static int is_better(const attempt *a, const attempt *b, size_t samples)
{
    size_t only_a = 0, only_b = 0;
    for (size_t i = 0; i < samples; i++) {
        only_a += a->right[i] > b->right[i];
        only_b += a->right[i] < b->right[i];
    }
    /* P(X >= k) of n draws of a fair coin is I_{1/2}(k, n − k + 1). */
    return only_a > only_b &&
           gersh__incomplete_beta((double)only_a, (double)only_b + 1, 0.5) < GERSH_ACCURACY_LEVEL;
}

/* The settings with the local objective, and with what is left of the time. */
static gersh_status local_settings(gersh_settings **out, const gersh_settings *settings, double spent)
{
    char number[40];
    gersh_status status = gersh_settings_copy(out, settings);
    if (status == GERSH_OK)
        status = gersh_settings_set(*out, "objective", gersh__objective_second(GERSH__CLASSES));
    if (status == GERSH_OK && !gersh__setting_is(settings, GERSH__MAX_TIME, "none")) {
        double left = gersh__setting_number(settings, GERSH__MAX_TIME) - spent;
        snprintf(number, sizeof number, "%.17g", fmax(left, 0));
        status = gersh_settings_set(*out, "max-time", number);
    }
    return status;
}

/* Learns with the local objective too, and keeps the better one of both in *best. */
static gersh_status try_local(attempt *best, const comparison *c, const gersh_dataset *data,
                              const gersh_settings *settings, const gersh_fit_options *options)
{
    gersh_settings *own = NULL;
    attempt other = {0};
    double seconds = best->model->info.seconds;
    gersh_status status = local_settings(&own, settings, seconds);
    if (status == GERSH_OK)
        status = gersh__model_learn(&other.model, data, own, options);
    if (status == GERSH_OK)
        status = gersh_settings_set(other.model->settings, "max-time",
                                    gersh__setting_text(settings, GERSH__MAX_TIME));
    if (status == GERSH_OK && other.model->info.stop == GERSH_STOP_INTERRUPTED)
        status = GERSH_ERROR_CANCELLED;
    if (status == GERSH_OK)
        status = classify(&other, c, other.model->metric);
    if (status == GERSH_OK) {
        int better = is_better(&other, best, c->sample->n);
        seconds += other.model->info.seconds;
        if (better) {
            attempt kept = other;
            other = *best;
            *best = kept;
        }
        gersh_training_accuracy *accuracy = &best->model->accuracy;
        const char *name = gersh__setting_text(other.model->settings, GERSH__OBJECTIVE);
        best->model->info.seconds = seconds;
        accuracy->switched = better;
        accuracy->other = gersh_objective_find(name)->name;
        accuracy->other_accuracy = (double)other.count / (double)c->sample->n;
    }
    clear_attempt(&other);
    gersh_settings_free(own);
    return status;
}

/*
 * Whether the local objective is worth a try: the metric is no better than the Euclidean one, or means and variances hardly
 * tell the classes apart, as where each lies in several places around the same centre.
 */
static int is_doubtful(const attempt *learned, const attempt *euclidean, size_t samples)
{
    return gersh_importance_is_blind(&learned->model->importance) ||
           !is_better(learned, euclidean, samples);
}

static void state(gersh_training_accuracy *out, const attempt *learned, const attempt *euclidean,
                  size_t samples)
{
    out->samples = samples;
    out->accuracy = (double)learned->count / (double)samples;
    out->euclidean = (double)euclidean->count / (double)samples;
    out->verdict = is_better(learned, euclidean, samples) - is_better(euclidean, learned, samples);
}

gersh_status gersh__training_accuracy(gersh_training_accuracy *out, const gersh_model *model,
                                      const gersh_dataset *data)
{
    comparison c = {0};
    attempt learned = {0}, euclidean = {0};
    gersh_status status = prepare(&c, model, data, model->settings, NULL);
    if (status == GERSH_OK)
        status = classify(&learned, &c, model->metric);
    if (status == GERSH_OK)
        status = classify(&euclidean, &c, NULL);
    *out = (gersh_training_accuracy){.samples = 0};
    if (status == GERSH_OK)
        state(out, &learned, &euclidean, c.sample->n);
    clear_attempt(&learned);
    clear_attempt(&euclidean);
    clear_comparison(&c);
    return status;
}

/* Fills in the accuracies of the best model, which the local objective may have learned. */
static gersh_status compare(attempt *best, const gersh_dataset *data, const gersh_settings *settings,
                            const gersh_fit_options *options)
{
    comparison c = {0};
    attempt euclidean = {0};
    int automatic = gersh__setting_is(settings, GERSH__OBJECTIVE, "auto");
    gersh_status status = prepare(&c, best->model, best->model->data, settings, options->cancel);
    if (status == GERSH_OK)
        status = classify(best, &c, best->model->metric);
    if (status == GERSH_OK)
        status = classify(&euclidean, &c, NULL);
    if (status == GERSH_OK && automatic && best->model->info.stop != GERSH_STOP_MAX_TIME &&
        is_doubtful(best, &euclidean, c.sample->n))
        status = try_local(best, &c, data, settings, options);
    if (status == GERSH_ERROR_CANCELLED)
        best->model->info.stop = GERSH_STOP_INTERRUPTED;
    if (best->right != NULL && euclidean.right != NULL) {
        state(&best->model->accuracy, best, &euclidean, c.sample->n);
        best->model->accuracy.automatic = automatic;
    }
    clear_attempt(&euclidean);
    clear_comparison(&c);
    return status;
}

gersh_status gersh_model_fit(gersh_model **out, gersh_fit_info *info, const gersh_dataset *data,
                             const gersh_settings *settings, const gersh_fit_options *options)
{
    static const gersh_fit_options none = {0};
    attempt best = {0};
    options = options != NULL ? options : &none;
    *out = NULL;
    gersh_status status = gersh__model_learn(&best.model, data, settings, options);
    if (status != GERSH_OK)
        return status;
    if (best.model->classes > 0 && best.model->tuples == NULL && !best.model->custom &&
        best.model->info.stop != GERSH_STOP_INTERRUPTED)
        status = compare(&best, data, settings, options);
    if (status == GERSH_ERROR_MEMORY) {
        clear_attempt(&best);
        return status;
    }
    gersh__free(best.right);
    *out = best.model;
    if (info != NULL)
        *info = best.model->info;
    return GERSH_OK;
}
