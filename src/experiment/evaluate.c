/*
 * Evaluations; see gersh/evaluate.h.
 *
 * Every row of the result on every split is one part of a loop over the pool; it writes to a place of its own, and
 * the rows are summed up in the order of the splits when all are done. The parts go split by split, so that an
 * evaluation that is cut short has about as many splits in every row.
 */
#include "gersh/evaluate.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/settings.h"
#include "base/threads.h"
#include "data/dataset.h"
#include "experiment/evaluate_trial.h"
#include "experiment/names.h"
#include "objective/objective.h"

typedef enum state { NOT_RUN, DONE, FAILED } state;

typedef struct outcome {
    state state;
    gersh_status status;
    char *message; /* of a failure; NULL: there was no memory for it */
    gersh__trial_result result;
} outcome;

typedef struct work {
    const gersh_dataset *data;
    const gersh_settings *given;
    const gersh_evaluate_options *options;
    gersh_evaluation *result;
    gersh_settings **settings; /* of each row */
    outcome *outcome;          /* split × row */
    double start;
    size_t finished; /* counted by all threads */
} work;

void gersh_evaluation_free(gersh_evaluation *evaluation)
{
    if (evaluation == NULL)
        return;
    for (size_t r = 0; evaluation->row != NULL && r < evaluation->count; r++) {
        gersh__free(evaluation->row[r].objective);
        gersh__free(evaluation->row[r].solver);
        gersh__free(evaluation->row[r].failure);
        gersh__free(evaluation->row[r].score);
    }
    gersh__free(evaluation->row);
    gersh__free(evaluation);
}

gersh_status gersh_evaluate_split(gersh_split **out, const gersh_dataset *data,
                                  const gersh_settings *settings, const gersh_evaluate_options *options,
                                  size_t which)
{
    double share =
        options != NULL && options->test_share != 0 ? options->test_share : GERSH_EVALUATE_TEST_SHARE;
    return gersh_split_test(out, data, share, gersh__setting_whole(settings, GERSH__SEED) + which);
}

/* Sizes of the splits, and test rows whose class their training part lacks. */
static gersh_status look_at_splits(work *w)
{
    gersh_evaluation *result = w->result;
    const int *label = gersh_dataset_labels(w->data);
    const double *weight = gersh_dataset_weights(w->data);
    size_t n = gersh_dataset_rows(w->data), classes = gersh_dataset_classes(w->data);
    gersh_status status = GERSH_OK;
    unsigned char *seen = gersh__alloc(classes, 1);
    if (seen == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t s = 0; s < result->splits && status == GERSH_OK; s++) {
        gersh_split *split = NULL;
        status = gersh_evaluate_split(&split, w->data, w->given, w->options, s);
        if (status != GERSH_OK)
            break;
        result->test = 0;
        memset(seen, 0, classes);
        for (size_t i = 0; i < n; i++) {
            result->test += split->part[i] == 1;
            if (label != NULL && split->part[i] == 0 && (weight == NULL || weight[i] > 0))
                seen[label[i]] = 1;
        }
        result->train = n - result->test;
        for (size_t i = 0; i < n && label != NULL; i++)
            result->unseen += split->part[i] == 1 && !seen[label[i]];
        gersh_split_free(split);
    }
    gersh__free(seen);
    return status;
}

static gersh_status make_row(work *w, size_t at, gersh_evaluate_kind kind, const char *objective,
                             const char *solver)
{
    gersh_evaluate_row *row = &w->result->row[at];
    row->kind = kind;
    row->objective = gersh__text_copy(objective, strlen(objective));
    row->score = gersh__alloc(w->result->splits, sizeof *row->score);
    row->failure = gersh__alloc(GERSH__MESSAGE_SIZE, 1); /* now, as memory may be what is short later */
    if (solver != NULL)
        row->solver = gersh__text_copy(solver, strlen(solver));
    if (row->objective == NULL || row->score == NULL || row->failure == NULL ||
        (solver != NULL && row->solver == NULL))
        return GERSH_ERROR_MEMORY;
    return gersh__names_settings(&w->settings[at], w->given, solver != NULL ? objective : NULL, solver);
}

/* The objective of the settings: "auto" where there are classes, so that each fit chooses. */
static const char *own_objective(const work *w)
{
    const char *name = gersh__setting_text(w->given, GERSH__OBJECTIVE);
    gersh__source known = gersh__objective_source(w->data, NULL);
    return known == GERSH__CLASSES ? name : gersh__objective_resolve(name, known);
}

static gersh_status make_rows(work *w)
{
    gersh_evaluation *result = w->result;
    const gersh_evaluate_options *options = w->options;
    gersh__words objectives = {0}, solvers = {0};
    const char *own[] = {own_objective(w), gersh__setting_text(w->given, GERSH__SOLVER)};
    gersh_status status =
        options->objectives != NULL
            ? gersh__names_read(&objectives, options->objectives, GERSH__OBJECTIVE, "--objectives")
        : gersh__words_add(&objectives, own[0], strlen(own[0])) != GERSH__NO_WORD ? GERSH_OK
                                                                                  : GERSH_ERROR_MEMORY;
    if (status == GERSH_OK)
        status = gersh__names_read(&solvers, options->solvers ? options->solvers : own[1], GERSH__SOLVER,
                                   "--solvers");
    if (status != GERSH_OK)
        goto out;
    size_t cells = objectives.count * solvers.count;
    result->count = 1 + cells + (options->tuned != 0);
    result->row = gersh__alloc(result->count, sizeof *result->row);
    w->settings = gersh__alloc(result->count, sizeof *w->settings);
    status = result->row != NULL && w->settings != NULL
                 ? make_row(w, 0, GERSH_EVALUATE_EUCLIDEAN, "euclidean", NULL)
                 : GERSH_ERROR_MEMORY;
    for (size_t c = 0; c < cells && status == GERSH_OK; c++)
        status = make_row(w, 1 + c, GERSH_EVALUATE_FITTED, objectives.word[c / solvers.count],
                          solvers.word[c % solvers.count]);
    if (status == GERSH_OK && options->tuned)
        status = make_row(w, 1 + cells, GERSH_EVALUATE_TUNED, "tuned", NULL);
out:
    gersh__words_clear(&objectives);
    gersh__words_clear(&solvers);
    return status;
}

typedef struct part_context {
    work *work;
    size_t part;
} part_context;

static void report(const part_context *at, const gersh_progress *fit, const gersh_tune_progress *search)
{
    const work *w = at->work;
    const gersh_evaluate_row *row = &w->result->row[at->part % w->result->count];
    gersh_evaluate_progress progress = {.done = __atomic_load_n(&w->finished, __ATOMIC_RELAXED),
                                        .total = w->result->splits * w->result->count,
                                        .objective = row->objective,
                                        .solver = row->solver,
                                        .split = at->part / w->result->count,
                                        .fit = fit,
                                        .tune = search,
                                        .seconds = gersh__clock_seconds() - w->start};
    w->options->progress(w->options->progress_context, &progress);
}

static void on_fit(void *context, const gersh_progress *progress)
{
    report(context, progress, NULL);
}

static void on_tune(void *context, const gersh_tune_progress *progress)
{
    report(context, NULL, progress);
}

static void run_part(void *context, size_t part, int worker)
{
    work *w = context;
    size_t row = part % w->result->count;
    outcome *out = &w->outcome[part];
    part_context at = {w, part};
    int told = w->options->progress != NULL && worker == 0; /* the caller's thread */
    gersh__trial trial = {.kind = w->result->row[row].kind,
                          .settings = w->settings[row],
                          .budget = w->options->budget,
                          .on_fit = told ? on_fit : NULL,
                          .on_tune = told ? on_tune : NULL,
                          .context = &at,
                          .cancel = w->options->cancel};
    gersh_split *split = NULL;
    if (gersh_cancel_requested(w->options->cancel))
        return;
    if (told)
        report(&at, NULL, NULL);
    out->status = gersh_evaluate_split(&split, w->data, w->given, w->options, part / w->result->count);
    if (out->status == GERSH_OK)
        out->status = gersh__trial_run(&out->result, NULL, w->data, split, &trial);
    gersh_split_free(split);
    if (out->status == GERSH_ERROR_CANCELLED)
        return;
    out->state = out->status == GERSH_OK ? DONE : FAILED;
    if (out->status != GERSH_OK)
        out->message = gersh__text_copy(gersh_last_error(), strlen(gersh_last_error()));
    __atomic_fetch_add(&w->finished, 1, __ATOMIC_RELAXED);
    if (told)
        report(&at, NULL, NULL);
}

static const char *message_of(const outcome *one)
{
    return one->message != NULL ? one->message : "out of memory";
}

/* What the outcomes of a row have in one member, in the order of the splits; returns how many there are. */
static size_t collect(double *value, const work *w, size_t row, size_t member)
{
    size_t count = 0;
    for (size_t s = 0; s < w->result->splits; s++) {
        const outcome *one = &w->outcome[s * w->result->count + row];
        if (one->state == DONE)
            memcpy(&value[count++], (const char *)&one->result + member, sizeof *value);
    }
    return count;
}

static void sum_up(double *mean, double *deviation, double *value, const work *w, size_t row, size_t member)
{
    size_t count = collect(value, w, row, member);
    double unused;
    if (count > 0)
        gersh__mean_and_deviation(mean, deviation != NULL ? deviation : &unused, count, value);
}

/* Against the first row, over the splits that both have; room for all splits in `value`. */
static void compare_row(gersh_evaluate_row *row, double *value, const gersh_evaluation *result)
{
    const gersh_evaluate_row *euclidean = &result->row[0];
    double unused;
    for (size_t s = 0; s < result->splits; s++) {
        double better =
            result->regress ? euclidean->score[s] - row->score[s] : row->score[s] - euclidean->score[s];
        if (isnan(better))
            continue;
        value[row->compared++] = better;
        row->wins += better > 0;
        row->ties += better == 0;
        row->losses += better < 0;
    }
    row->has_p = row->compared > 1;
    if (row->compared > 0)
        gersh__mean_and_deviation(&row->difference_mean, &unused, row->compared, value);
    if (row->has_p)
        row->p = gersh__corrected_t_test(row->compared, value, result->train, result->test);
}

static void finish_row(work *w, size_t at, double *value)
{
    gersh_evaluate_row *row = &w->result->row[at];
    for (size_t s = 0; s < w->result->splits; s++) {
        const outcome *one = &w->outcome[s * w->result->count + at];
        const gersh__trial_result *r = &one->result;
        row->score[s] = one->state != DONE ? NAN : w->result->regress ? r->rmse : r->accuracy;
        row->splits += one->state == DONE;
        if (one->state == DONE && row->kind == GERSH_EVALUATE_FITTED)
            row->stops[r->stop]++;
        row->switched += one->state == DONE && r->switched;
        if (one->state == FAILED && row->failed++ == 0)
            strncat(row->failure, message_of(one), GERSH__MESSAGE_SIZE - 1);
        w->result->interrupted |= one->state == NOT_RUN;
        w->result->memory_short |= one->status == GERSH_ERROR_MEMORY;
    }
#define MEMBER(name) offsetof(gersh__trial_result, name)
    sum_up(&row->seconds_mean, NULL, value, w, at, MEMBER(seconds));
    if (w->result->regress) {
        sum_up(&row->rmse_mean, &row->rmse_std, value, w, at, MEMBER(rmse));
        sum_up(&row->r2_mean, &row->r2_std, value, w, at, MEMBER(r2));
    } else {
        sum_up(&row->accuracy_mean, &row->accuracy_std, value, w, at, MEMBER(accuracy));
        sum_up(&row->balanced_accuracy_mean, NULL, value, w, at, MEMBER(balanced_accuracy));
    }
#undef MEMBER
    if (at > 0)
        compare_row(row, value, w->result);
}

/* Whether the first mean is better, by more than what the order of a sum makes. */
static int is_better(const gersh_evaluation *result, const gersh_evaluate_row *a,
                     const gersh_evaluate_row *b)
{
    double gain = result->regress ? b->rmse_mean - a->rmse_mean : a->accuracy_mean - b->accuracy_mean;
    return gain > 1e-12 * (result->regress ? b->rmse_mean : 1);
}

/* Means over different splits cannot be compared: only rows with all of them take part. */
static void mark_best(gersh_evaluation *result)
{
    for (size_t r = 0; r < result->count; r++) {
        gersh_evaluate_row *row = &result->row[r];
        row->best = row->splits == result->splits;
        for (size_t other = 0; other < result->count && row->best; other++) {
            const gersh_evaluate_row *rival = &result->row[other];
            row->best = rival->splits < result->splits || !is_better(result, rival, row);
        }
    }
}

/* Outcomes to rows. Fails where nothing was learned, or nothing done. */
static gersh_status gather(work *w)
{
    gersh_evaluation *result = w->result;
    size_t parts = result->splits * result->count, done = 0, learned = 0;
    double *value = gersh__alloc(result->splits, sizeof *value);
    if (value == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t r = 0; r < result->count; r++) {
        finish_row(w, r, value);
        done += result->row[r].splits;
        learned += r > 0 ? result->row[r].splits : 0;
    }
    gersh__free(value);
    mark_best(result);
    if (learned > 0 || (done > 0 && result->interrupted))
        return GERSH_OK;
    if (result->interrupted)
        return gersh__fail(GERSH_ERROR_CANCELLED, "interrupted before the first split was done");
    for (size_t p = 0; p < parts; p++)
        if (w->outcome[p].state == FAILED)
            return gersh__fail(w->outcome[p].status, "%s", message_of(&w->outcome[p]));
    return GERSH_OK;
}

static gersh_status run_all(work *w)
{
    gersh__pool *pool = NULL;
    size_t parts = w->result->splits * w->result->count;
    w->outcome = gersh__alloc(w->result->splits, w->result->count * sizeof *w->outcome);
    if (w->outcome == NULL)
        return GERSH_ERROR_MEMORY;
    gersh_status status = gersh__pool_new(&pool, (int)gersh__setting_whole(w->given, GERSH__THREADS));
    if (status == GERSH_OK) {
        gersh__pool_run(pool, parts, run_part, w);
        status = gather(w);
    }
    gersh__pool_free(pool);
    for (size_t p = 0; p < parts; p++)
        gersh__free(w->outcome[p].message);
    return status;
}

static gersh_status check_options(const gersh_evaluate_options *options)
{
    if (!(options->budget >= 0))
        return gersh__fail(GERSH_ERROR_ARGUMENT, "the budget is %g seconds; it must be at least 0",
                           options->budget);
    if (options->budget > 0 && !options->tuned)
        return gersh__fail(GERSH_ERROR_ARGUMENT,
                           "--budget is about the search of --tuned, which is not asked for; add --tuned");
    return GERSH_OK;
}

gersh_status gersh_evaluate(gersh_evaluation **out, const gersh_dataset *data,
                            const gersh_settings *settings, const gersh_evaluate_options *options)
{
    static const gersh_evaluate_options none = {0};
    gersh_dataset *own = NULL;
    work w = {
        .given = settings, .options = options != NULL ? options : &none, .start = gersh__clock_seconds()};
    *out = NULL;
    gersh_status status = check_options(w.options);
    if (status == GERSH_OK)
        status = gersh_dataset_check(data);
    if (status == GERSH_OK)
        status = gersh__dataset_dense(&own, &data);
    if (status != GERSH_OK)
        return status;
    w.data = data;
    w.result = gersh__alloc(1, sizeof *w.result);
    if (w.result == NULL) {
        gersh_dataset_free(own);
        return GERSH_ERROR_MEMORY;
    }
    w.result->regress = gersh_dataset_targets(data) != NULL;
    w.result->splits = w.options->splits > 0 ? w.options->splits : GERSH_EVALUATE_SPLITS;
    status = make_rows(&w);
    if (status == GERSH_OK)
        status = look_at_splits(&w);
    if (status == GERSH_OK)
        status = run_all(&w);
    for (size_t r = 0; w.settings != NULL && r < w.result->count; r++)
        gersh_settings_free(w.settings[r]);
    gersh__free(w.settings);
    gersh__free(w.outcome);
    gersh_dataset_free(own);
    if (status != GERSH_OK) {
        gersh_evaluation_free(w.result);
        return status;
    }
    *out = w.result;
    return GERSH_OK;
}
