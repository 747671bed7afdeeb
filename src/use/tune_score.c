/* One family of candidates on one division of the rows; see tune_score.h. */
#include "use/tune_score.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/settings.h"
#include "gersh/neighbors.h"
#include "use/classify.h"

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
    gersh_status status = gersh__settings_copy(out, settings);
    for (size_t i = 0; i < sizeof own / sizeof own[0] && status == GERSH_OK; i++)
        if (i < 3 || !gersh__setting_given(settings, GERSH__TRACE))
            status = gersh_settings_set(*out, own[i][0], own[i][1]);
    if (status == GERSH_OK && !gersh__setting_given(settings, GERSH__TOL))
        status = gersh_settings_set(*out, "tol", TOL);
    if (status == GERSH_OK && !gersh__setting_given(settings, GERSH__MAX_ITER))
        status = gersh_settings_set(*out, "max-iter", MAX_ITER);
    return status;
}

static double weight_of(const gersh_dataset *data, size_t row)
{
    return gersh_dataset_weights(data) != NULL ? gersh_dataset_weights(data)[row] : 1;
}

/*
 * Adds the votes on a row, one rule, for every number of neighbours, as knn counts them. A share of the votes is taken as
 * if one more neighbour had voted for all classes alike, so that no share is 0.
 */
static void add_votes(double *right, double *sure, const gersh__tune_neighbors *neighbors,
                      const gersh_dataset *train, const size_t *near, const double *vote, size_t most,
                      int truth, double weight, double *votes)
{
    const int *known = gersh_dataset_labels(train);
    double classes = (double)gersh_dataset_classes(train), total = 0;
    memset(votes, 0, gersh_dataset_classes(train) * sizeof *votes);
    size_t taken = 0;
    for (size_t g = 0; g < neighbors->count; g++) {
        size_t k = neighbors->k[g] < most ? neighbors->k[g] : most;
        for (; taken < k; taken++) {
            votes[known[near[taken]]] += vote[taken];
            total += vote[taken];
        }
        int label = known[near[0]];
        for (size_t c = 1; c < k; c++)
            if (votes[known[near[c]]] > votes[label])
                label = known[near[c]];
        double share = total > 0 ? votes[truth] / total : 0;
        right[g] += label == truth ? weight : 0;
        sure[g] += weight * log((share * (double)k + 1 / classes) / ((double)k + 1));
    }
}

static gersh_status vote(gersh__tune_votes *out, const gersh__tune_neighbors *neighbors,
                         const gersh_metric *metric, const gersh_dataset *train, const gersh_dataset *test,
                         const gersh_cancel *cancel)
{
    size_t n = gersh_dataset_rows(train), m = gersh_dataset_rows(test), k = gersh_dataset_features(train);
    size_t most = neighbors->k[neighbors->count - 1];
    gersh_neighbors *index = NULL;
    most = most < n ? most : n;
    size_t *near = gersh__alloc(m, most * sizeof *near);
    double *distance = gersh__alloc(m, most * sizeof *distance), *votes = gersh__alloc(most, sizeof *votes);
    double *sums = gersh__alloc(gersh_dataset_classes(train), sizeof *sums);
    gersh_status status = near && distance && votes && sums ? GERSH_OK : GERSH_ERROR_MEMORY;
    *out = (gersh__tune_votes){0};
    if (status == GERSH_OK)
        status = gersh_neighbors_new(&index, metric, n, k, gersh_dataset_values(train), k, 1);
    if (status == GERSH_OK)
        status =
            gersh_neighbors_find(index, distance, near, m, gersh_dataset_values(test), k, most, cancel);
    for (size_t i = 0; i < m && status == GERSH_OK; i++) {
        for (size_t r = 0; r < neighbors->rules; r++) {
            gersh__count_votes(votes, train, near + i * most, distance + i * most, most,
                               strcmp(neighbors->rule[r], "distance") == 0);
            add_votes(out->right[r], out->sure[r], neighbors, train, near + i * most, votes, most,
                      gersh_dataset_labels(test)[i], weight_of(test, i), sums);
        }
    }
    gersh_neighbors_free(index);
    gersh__free(near);
    gersh__free(distance);
    gersh__free(votes);
    gersh__free(sums);
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
