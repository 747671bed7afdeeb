/*
 * Tuning by successive halving; see gersh/tune.h.
 *
 * A candidate is a scaling, an objective, a solver and a trace budget. All of them learn from some of the rows and
 * are judged by the votes of neighbours on others: the folds of stratified cross-validation. In each round there are
 * other folds, the candidates that are left learn from more rows, and the best of them go on. A metric learned from
 * some hundred rows is nearly that of all rows, while its time grows with their square; so most candidates cost little,
 * and all rows vote. Fits that differ in the trace budget only are one task: each begins where the last one ended.
 *
 * The number of neighbours and the rule of their votes cost nothing: all are counted in one search.
 *
 * On some hundred rows, accuracies of a dozen candidates differ by luck as much as by merit. Two things take out luck:
 * the mean is taken with the next smaller and larger number of neighbours, which must do nearly as well; and the score
 * is the accuracy and a part of the mean logarithm of the right class's share of the votes, which tells a vote that was
 * nearly lost from one that was clear.
 */
#include "gersh/tune.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/lock.h"
#include "base/policy.h"
#include "base/settings.h"
#include "base/threads.h"
#include "data/dataset.h"
#include "experiment/tune_search.h"
#include "gersh/predict.h"

const gersh__tune_round gersh__tune_rounds[] = {
    {200, GERSH__TUNE_FOLDS / 2, 8}, {400, GERSH__TUNE_FOLDS, 3}, {800, GERSH__TUNE_FOLDS, 1}};

void gersh_tuning_free(gersh_tuning *tuning)
{
    if (tuning == NULL)
        return;
    gersh_model_free(tuning->model);
    gersh_settings_free(tuning->settings);
    gersh__free(tuning->row);
    gersh__free(tuning);
}

/* A round between the first and the last tells little unless it learns from many more rows than the one before. */
static int is_idle(const gersh__tune_search *s)
{
    return s->round > 0 && s->round + 1 < GERSH__TUNE_ROUNDS &&
           2 * gersh__tune_learned_rows(s, s->round) < 3 * gersh__tune_learned_rows(s, s->round - 1);
}

/* The folds of the round. */
static gersh_status divide(gersh__tune_search *s)
{
    gersh__tune_rows_clear(s->rows, GERSH__TUNE_FOLDS);
    gersh_status status = gersh__tune_rows_draw(s->rows, s->folds, s->data, GERSH__TUNE_ROWS,
                                                gersh__tune_rounds[s->round].learn,
                                                gersh__setting_whole(s->settings, GERSH__SEED) + s->round);
    for (size_t f = 0; f < s->folds; f++)
        s->weight[s->round][f] = s->rows[f].weight;
    return status;
}

static int out_of_time(const gersh__tune_search *s)
{
    return gersh_cancel_requested(s->options->cancel) ||
           (s->options->budget > 0 && gersh__clock_seconds() - s->start >= s->options->budget);
}

/* The lock is held. */
static void report(gersh__tune_search *s)
{
    if (s->options->progress == NULL)
        return;
    gersh_tune_progress progress = {.round = s->round + 1,
                                    .rounds = GERSH__TUNE_ROUNDS,
                                    .done = s->done,
                                    .total = s->tasks,
                                    .accuracy = s->round > 0 ? s->rank[0]->accuracy : 0,
                                    .seconds = gersh__clock_seconds() - s->start};
    s->options->progress(s->options->progress_context, &progress);
}

/* One family on one fold: the candidates that are in the race. */
static void run_task(void *context, size_t task, int worker)
{
    gersh__tune_search *s = context;
    size_t family = task % s->families, fold = task / s->families, wanted_count = 0;
    int wanted[GERSH__TUNE_TRACES] = {0};
    gersh__tune_votes votes[GERSH__TUNE_TRACES];
    (void)worker;
    for (size_t i = 0; i < s->left; i++) {
        const gersh__tune_candidate *c = s->rank[i];
        if (c->family ==
            family) /* one that fails on another fold meanwhile is tried all the same, in any order */
            wanted_count += (size_t)(wanted[c->trace] = 1);
    }
    if (wanted_count == 0 || out_of_time(s))
        return;
    double begin = gersh__clock_seconds();
    gersh_status status = gersh__tune_score(votes, &s->family[family], wanted, &s->neighbors, s->data,
                                            &s->rows[fold], s->settings, s->options->cancel);
    double seconds = (gersh__clock_seconds() - begin) / (double)wanted_count;
    gersh__lock_take(&s->lock);
    for (size_t t = 0; t < GERSH__TUNE_TRACES; t++) {
        gersh__tune_candidate *c = &s->all[family * GERSH__TUNE_TRACES + t];
        if (!wanted[t] || status == GERSH_ERROR_CANCELLED)
            continue;
        c->failed |= status != GERSH_OK;
        c->outcome[s->round][fold] = (gersh__tune_outcome){1, votes[t]};
        c->seconds += seconds;
        s->result->fits++;
    }
    if (status == GERSH_ERROR_MEMORY ||
        (status != GERSH_OK && status != GERSH_ERROR_CANCELLED && s->failure == GERSH_OK)) {
        s->failure = status;
        snprintf(s->message, sizeof s->message, "%s", gersh_last_error());
    }
    s->done++;
    report(s);
    gersh__lock_leave(&s->lock);
}

/* The folds that the round tries. */
static size_t folds_tried(const gersh__tune_search *s)
{
    return gersh__tune_rounds[s->round].folds < s->folds ? gersh__tune_rounds[s->round].folds : s->folds;
}

static size_t count_tasks(const gersh__tune_search *s)
{
    size_t tasks = 0;
    for (size_t f = 0; f < s->families; f++) {
        int in = 0;
        for (size_t i = 0; i < s->left; i++)
            in |= s->rank[i]->family == f;
        tasks += in ? folds_tried(s) : 0;
    }
    return tasks;
}

/*
 * How many go on: those that have not failed and are at most two standard errors behind the best, where one more right
 * and one more wrong vote are counted, so that no error is 0; and at most as many as the round keeps.
 */
static size_t count_survivors(const gersh__tune_search *s)
{
    const gersh__tune_candidate *best = s->rank[0];
    double right = (best->accuracy * best->votes + 1) / (best->votes + 2);
    double least = best->score - 2 * sqrt(right * (1 - right) / (best->votes + 2));
    size_t count = 0;
    while (count < s->left && count < gersh__tune_rounds[s->round].keep && !s->rank[count]->failed &&
           s->rank[count]->score >= least)
        count++;
    return count;
}

static gersh_status run_rounds(gersh__tune_search *s, gersh__pool *pool)
{
    gersh_status status = GERSH_OK;
    size_t all = s->left;
    for (s->round = 0; s->round < GERSH__TUNE_ROUNDS && status == GERSH_OK && !out_of_time(s); s->round++) {
        if (is_idle(s)) {
            s->left =
                s->left < gersh__tune_rounds[s->round].keep ? s->left : gersh__tune_rounds[s->round].keep;
            continue;
        }
        status = divide(s);
        if (status != GERSH_OK)
            break;
        s->done = 0;
        s->tasks = count_tasks(s);
        gersh__pool_run(pool, s->families * folds_tried(s), run_task, s);
        if (s->failure == GERSH_ERROR_MEMORY)
            return gersh__fail(s->failure, "%s", s->message);
        if (!gersh__tune_rank(s))
            break;
        s->left = count_survivors(s);
        if (s->left == 0)
            return gersh__fail(s->failure, "%s", s->message);
    }
    gersh__tune_rows_clear(s->rows, GERSH__TUNE_FOLDS);
    s->left = all;
    s->result->interrupted = gersh_cancel_requested(s->options->cancel);
    if (status == GERSH_OK && s->rank[0]->round == 0)
        status =
            s->result->interrupted
                ? gersh__fail(GERSH_ERROR_CANCELLED,
                              "interrupted before the first candidates were compared")
                : gersh__fail(GERSH_ERROR_ARGUMENT,
                              "budget: %g seconds are not enough to compare the candidates; allow more",
                              s->options->budget);
    return status;
}

static gersh_status make_rows(gersh__tune_search *s)
{
    gersh_tuning *result = s->result;
    result->row = gersh__alloc(s->left, sizeof *result->row);
    if (result->row == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t i = 0; i < s->left; i++) {
        const gersh__tune_candidate *c = s->rank[i];
        const gersh__tune_family *family = &s->family[c->family];
        if (c->round == 0 || c->failed)
            continue;
        result->row[result->count++] = (gersh_tune_row){.objective = family->objective,
                                                        .solver = family->solver,
                                                        .scale = family->scale,
                                                        .trace = gersh__tune_traces[c->trace],
                                                        .neighbors = s->neighbors.k[c->best],
                                                        .votes = s->neighbors.rule[c->rule],
                                                        .score = c->score,
                                                        .accuracy = c->accuracy,
                                                        .uncertainty = c->uncertainty,
                                                        .round = c->round,
                                                        .seconds = c->seconds};
    }
    return GERSH_OK;
}

/* The trace budget of a candidate for all rows. */
static gersh_status whole_trace(double *trace, const gersh__tune_search *s, const gersh__tune_candidate *c)
{
    gersh_dataset *scaled = NULL;
    gersh_scaling *scaling = NULL;
    gersh_status status = gersh_dataset_copy(&scaled, s->data);
    if (status == GERSH_OK)
        status = gersh_scaling_fit(&scaling, scaled, s->family[c->family].scale);
    if (status == GERSH_OK)
        status = gersh_scaling_apply(scaling, scaled);
    if (status == GERSH_OK)
        *trace = gersh__tune_traces[c->trace] * gersh__tune_trace(scaled);
    gersh_scaling_free(scaling);
    gersh_dataset_free(scaled);
    return status;
}

/* Fits the best candidate to all rows. */
static gersh_status fit_best(gersh__tune_search *s)
{
    const gersh__tune_candidate *best = s->rank[0];
    gersh_settings *settings = NULL;
    gersh_fit_info info;
    double trace = 0;
    char neighbors[32];
    snprintf(neighbors, sizeof neighbors, "%zu", s->neighbors.k[best->best]);
    gersh_status status = whole_trace(&trace, s, best);
    if (status == GERSH_OK)
        status = gersh__tune_settings(&settings, s->settings, &s->family[best->family], trace);
    if (status == GERSH_OK)
        status = gersh_settings_set(settings, "neighbors", neighbors);
    if (status == GERSH_OK)
        status = gersh_settings_set(settings, "votes", s->neighbors.rule[best->rule]);
    if (status == GERSH_OK)
        status = gersh_model_fit(&s->result->model, &info, s->given, settings, NULL);
    gersh_settings_free(settings);
    return status;
}

static gersh_status check_data(const gersh_dataset *data, const gersh_settings *settings)
{
    gersh_status status = gersh_dataset_check(data);
    if (status == GERSH_OK && gersh_dataset_labels(data) == NULL)
        status = gersh__fail(GERSH_ERROR_INPUT,
                             "the labels are numbers; tuning is by the accuracy of classes, so "
                             "give it class labels, or --task classify");
    if (status == GERSH_OK && gersh_dataset_rows(data) < 4)
        status = gersh__fail(GERSH_ERROR_INPUT, "there are %zu rows; cross-validation needs at least 4",
                             gersh_dataset_rows(data));
    if (status == GERSH_OK &&
        !gersh_classifier_find(gersh__setting_text(settings, GERSH__CLASSIFIER))->votes)
        status = gersh__fail(
            GERSH_ERROR_ARGUMENT,
            "classifier: tuning is by the votes of neighbours, which '%s' does not use; leave it out",
            gersh__setting_text(settings, GERSH__CLASSIFIER));
    return status;
}

gersh_status gersh_tune(gersh_tuning **out, const gersh_dataset *data, const gersh_settings *settings,
                        const gersh_tune_options *options)
{
    static const gersh_tune_options none = {0};
    gersh__pool *pool = NULL;
    gersh_dataset *own = NULL;
    *out = NULL;
    gersh_status status = check_data(data, settings);
    gersh__tune_search *s = status == GERSH_OK ? gersh__alloc(1, sizeof *s) : NULL;
    if (s == NULL)
        return status == GERSH_OK ? GERSH_ERROR_MEMORY : status;
    s->given = s->data = data;
    s->options = options != NULL ? options : &none;
    s->start = gersh__clock_seconds();
    s->folds = gersh_dataset_rows(data) < GERSH__TUNE_FOLDS ? gersh_dataset_rows(data) : GERSH__TUNE_FOLDS;
    s->result = gersh__alloc(1, sizeof *s->result);
    status = s->result != NULL ? gersh_settings_copy(&s->result->settings, settings) : GERSH_ERROR_MEMORY;
    if (status == GERSH_OK)
        status = gersh__dataset_dense(&own, &s->data);
    if (status == GERSH_OK)
        status = gersh__pool_new(&pool, (int)gersh__setting_whole(settings, GERSH__THREADS));
    if (status == GERSH_OK)
        status = gersh__tune_list(s);
    gersh__lock_init(&s->lock);
    if (status == GERSH_OK)
        status = run_rounds(s, pool);
    gersh__lock_clear(&s->lock);
    gersh__pool_free(pool);
    if (status == GERSH_OK)
        status = make_rows(s);
    if (status == GERSH_OK)
        status = fit_best(s);
    if (status == GERSH_OK) {
        s->result->seconds = gersh__clock_seconds() - s->start;
        *out = s->result;
        s->result = NULL;
    }
    gersh_tuning_free(s->result);
    gersh__tune_rows_clear(s->rows, GERSH__TUNE_FOLDS);
    gersh__free(s->all);
    gersh__free(s->rank);
    gersh__free(s);
    gersh_dataset_free(own);
    return status;
}
