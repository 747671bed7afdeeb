/* One family of candidates on one division of the rows; see tune_score.h. */
#include "experiment/tune_score.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/settings.h"
#include "predict/classify.h"
#include "predict/votes.h"

const double gersh__tune_traces[GERSH__TUNE_TRACES] = {0.25, 1, 4, 16};

/* A metric that is a little short of the best does not vote worse, and takes a fraction of the time. */
#define TOL "0.1"
#define MAX_ITER "10"

double gersh__tune_trace(const gersh_dataset *scaled)
{
    size_t n = gersh_dataset_rows(scaled), k = gersh_dataset_features(scaled);
    const double *x = gersh_dataset_values(scaled);
    double total = 0; /* of the features' variances: half the mean squared distance */
    for (size_t f = 0; f < k; f++) {
        double mean = 0, square = 0;
        for (size_t i = 0; i < n; i++)
            mean += x[i * k + f] / (double)n;
        for (size_t i = 0; i < n; i++)
            square += (x[i * k + f] - mean) * (x[i * k + f] - mean);
        total += n > 1 ? square / (double)(n - 1) : 0;
    }
    return total > 0 ? (double)k / total : 0;
}

gersh_status gersh__tune_settings(gersh_settings **out, const gersh_settings *settings,
                                  const gersh__tune_family *family, double trace)
{
    char text[40];
    const char *own[][2] = {{"scale", family->scale},
                            {"objective", family->objective},
                            {"solver", family->solver},
                            {"trace", text}};
    snprintf(text, sizeof text, "%.17g", trace);
    gersh_status status = gersh_settings_copy(out, settings);
    for (size_t i = 0; i < sizeof own / sizeof own[0] && status == GERSH_OK; i++)
        if (i < 3 || !gersh__setting_given(settings, GERSH__TRACE))
            status = gersh_settings_set(*out, own[i][0], own[i][1]);
    if (status == GERSH_OK && !gersh__setting_given(settings, GERSH__TOL))
        status = gersh_settings_set(*out, "tol", TOL);
    if (status == GERSH_OK && !gersh__setting_given(settings, GERSH__MAX_ITER))
        status = gersh_settings_set(*out, "max-iter", MAX_ITER);
    return status;
}

/*
 * Adds the votes on a test sample for every number of neighbours, as knn counts them. A share of the votes is taken as if
 * one more neighbour had voted for all classes alike, so that no share is 0.
 */
static void add_votes(double *right, double *sure, const gersh__tune_neighbors *neighbors,
                      const gersh_dataset *train, const double *sum, const double *class_weight, int truth,
                      double weight)
{
    size_t classes = gersh_dataset_classes(train), n = gersh_dataset_rows(train);
    for (size_t g = 0; g < neighbors->count; g++, sum += classes) {
        double k = (double)(neighbors->k[g] < n ? neighbors->k[g] : n), total = 0;
        for (size_t c = 0; c < classes; c++)
            total += sum[c];
        right[g] += gersh__winner(sum, class_weight, classes, GERSH__EQUAL_VOTES) == truth ? weight : 0;
        sure[g] += weight * log((sum[truth] / total * k + 1 / (double)classes) / (k + 1));
    }
}

static gersh_status vote(gersh__tune_votes *out, const gersh__tune_neighbors *neighbors,
                         const gersh_metric *metric, const gersh_dataset *train, const gersh_dataset *test,
                         const gersh_cancel *cancel)
{
    gersh__votes votes = {0};
    gersh_dataset *kept = NULL;
    size_t most = neighbors->k[neighbors->count - 1], classes = gersh_dataset_classes(train);
    double *sums = gersh__alloc(classes, neighbors->count * sizeof *sums);
    double *class_weight = gersh__alloc(classes, sizeof *class_weight);
    *out = (gersh__tune_votes){0};
    gersh_status status = GERSH_ERROR_MEMORY;
    if (sums != NULL && class_weight != NULL)
        status = gersh__drop_weightless(&kept, train);
    train = kept != NULL ? kept : train;
    if (status == GERSH_OK)
        status = gersh__votes_find(&votes, metric, train, test, most, 1, cancel);
    if (status == GERSH_OK)
        gersh__class_weights(class_weight, train);
    for (size_t i = 0; i < gersh_dataset_rows(test) && status == GERSH_OK; i++)
        for (size_t r = 0; r < neighbors->rules; r++) {
            gersh__votes_count(sums, &votes, i, strcmp(neighbors->rule[r], "distance") == 0,
                               neighbors->count, neighbors->k);
            add_votes(out->right[r], out->sure[r], neighbors, train, sums, class_weight,
                      gersh_dataset_labels(test)[i], gersh__sample_weight(test, i));
        }
    gersh__votes_clear(&votes);
    gersh__free(class_weight);
    gersh__free(sums);
    gersh_dataset_free(kept);
    return status;
}

/* The rows of the data, scaled. */
static gersh_status take_rows(gersh_dataset **out, const gersh_dataset *data, const size_t *rows,
                              size_t count, const gersh_scaling *scaling)
{
    gersh_status status = gersh_dataset_subset(out, data, rows, count);
    return status == GERSH_OK ? gersh_scaling_apply(scaling, *out) : status;
}

/* The parts of the data, scaled as the rows that vote say. */
static gersh_status take_parts(gersh_dataset **learn, gersh_dataset **train, gersh_dataset **test,
                               const gersh_dataset *data, const gersh__tune_rows *rows, const char *how)
{
    gersh_scaling *scaling = NULL;
    gersh_status status = gersh_dataset_subset(train, data, rows->train, rows->trains);
    if (status == GERSH_OK)
        status = gersh_scaling_fit(&scaling, *train, how);
    if (status == GERSH_OK)
        status = gersh_scaling_apply(scaling, *train);
    if (status == GERSH_OK)
        status = take_rows(learn, data, rows->learn, rows->learns, scaling);
    if (status == GERSH_OK)
        status = take_rows(test, data, rows->test, rows->tests, scaling);
    gersh_scaling_free(scaling);
    return status;
}

gersh_status gersh__tune_score(gersh__tune_votes *votes, const gersh__tune_family *family,
                               const int *wanted, const gersh__tune_neighbors *neighbors,
                               const gersh_dataset *data, const gersh__tune_rows *rows,
                               const gersh_settings *settings, const gersh_cancel *cancel)
{
    gersh_dataset *learn = NULL, *train = NULL, *test = NULL;
    gersh_metric *metric = NULL;
    gersh_status status = take_parts(&learn, &train, &test, data, rows, family->scale);
    for (size_t t = 0; t < GERSH__TUNE_TRACES && status == GERSH_OK; t++) {
        if (!wanted[t])
            continue;
        gersh_settings *own = NULL;
        gersh_fit_options options = {
            .weights = gersh_dataset_weights(learn), .start = metric, .cancel = cancel};
        gersh_fit_info info;
        gersh_metric *next = NULL;
        status =
            gersh__tune_settings(&own, settings, family, gersh__tune_traces[t] * gersh__tune_trace(learn));
        if (status == GERSH_OK)
            status = gersh_settings_set(own, "threads", "1");
        if (status == GERSH_OK)
            status = gersh_fit(&next, &info, learn, own, &options);
        gersh_settings_free(own);
        gersh_metric_free(metric);
        metric = next;
        if (status == GERSH_OK)
            status = vote(&votes[t], neighbors, metric, train, test, cancel);
    }
    gersh_metric_free(metric);
    gersh_dataset_free(learn);
    gersh_dataset_free(train);
    gersh_dataset_free(test);
    return status;
}
