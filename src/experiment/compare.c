/*
 * Comparing objectives and solvers; see gersh/compare.h.
 *
 * A cell is an objective with a solver. Every pair of a fold and a cell is one fit, and one part of a loop
 * over the pool; it writes to a place of its own, and the rows are summed up in the order of the folds when
 * all are done. The parts go fold by fold, so that a comparison that is cut short has about as many folds
 * in every row.
 */
#include "gersh/compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/lock.h"
#include "base/settings.h"
#include "base/threads.h"
#include "data/dataset.h"
#include "experiment/folds.h"
#include "experiment/names.h"
#include "model/model.h"
#include "objective/objective.h"

typedef enum state { NOT_RUN, DONE, FAILED } state;

/* What became of one fit. */
typedef struct outcome {
    state state;
    gersh_fit_info info;
    double lambda_min;
    size_t edges;
    int balanced;
} outcome;

typedef struct work {
    const gersh_dataset *data;
    const gersh__folds *folds; /* NULL: the whole data */
    const gersh_compare_options *options;
    gersh_comparison *result;
    gersh_settings **settings; /* of each cell */
    outcome *outcome;          /* fold × cell */
    double start;
    /* What follows is shared by the threads and guarded by the lock. */
    gersh__lock lock;
    size_t done;
    size_t first_failed;  /* the first part that failed, */
    gersh_status failure; /* and how */
    size_t *failed;       /* of each cell: the fold whose message its row holds */
} work;

void gersh_comparison_free(gersh_comparison *comparison)
{
    if (comparison == NULL)
        return;
    for (size_t r = 0; comparison->row != NULL && r < comparison->count; r++) {
        gersh__free(comparison->row[r].objective);
        gersh__free(comparison->row[r].solver);
        gersh__free(comparison->row[r].failure);
    }
    gersh__free(comparison->row);
    gersh__free(comparison);
}

/* The settings of one fit, with the scaling that belongs to the folds. */
static gersh_status cell_settings(gersh_settings **out, const work *w, const gersh_settings *settings,
                                  const gersh_compare_row *row)
{
    gersh_status status = gersh__names_settings(out, settings, row->objective, row->solver);
    if (status == GERSH_OK && w->folds != NULL)
        status = gersh_settings_set(*out, "scale", "paper");
    return status;
}

/* Rows and settings of all cells. */
static gersh_status make_cells(work *w, const gersh_settings *settings)
{
    gersh_comparison *result = w->result;
    gersh__words objectives = {0}, solvers = {0};
    const char *own = gersh__objective_resolve(gersh__setting_text(settings, GERSH__OBJECTIVE),
                                               gersh__objective_source(w->data, NULL));
    gersh_status status =
        gersh__names_read(&objectives, w->options->objectives ? w->options->objectives : own,
                          GERSH__OBJECTIVE, "--objectives");
    if (status == GERSH_OK)
        status = gersh__names_read(&solvers, w->options->solvers ? w->options->solvers : "all",
                                   GERSH__SOLVER, "--solvers");
    if (status != GERSH_OK)
        goto out;
    result->count = objectives.count * solvers.count;
    result->row = gersh__alloc(result->count, sizeof *result->row);
    w->settings = gersh__alloc(result->count, sizeof *w->settings);
    w->failed = gersh__alloc(result->count, sizeof *w->failed);
    if (result->row == NULL || w->settings == NULL || w->failed == NULL)
        status = GERSH_ERROR_MEMORY;
    for (size_t c = 0; c < result->count && status == GERSH_OK; c++) {
        gersh_compare_row *row = &result->row[c];
        const char *objective = objectives.word[c / solvers.count],
                   *solver = solvers.word[c % solvers.count];
        row->objective = gersh__text_copy(objective, strlen(objective));
        row->solver = gersh__text_copy(solver, strlen(solver));
        row->failure = gersh__alloc(GERSH__MESSAGE_SIZE, 1); /* now, as memory may be what is short later */
        row->maximized = gersh_objective_find(objective)->maximized;
        status = row->objective != NULL && row->solver != NULL && row->failure != NULL
                     ? cell_settings(&w->settings[c], w, settings, row)
                     : GERSH_ERROR_MEMORY;
    }
out:
    gersh__words_clear(&objectives);
    gersh__words_clear(&solvers);
    return status;
}

/* Tells the caller where the part is; the lock is held. */
static void report(const work *w, size_t part, const gersh_progress *fit)
{
    if (w->options->progress == NULL)
        return;
    const gersh_compare_row *row = &w->result->row[part % w->result->count];
    size_t which = part / w->result->count;
    gersh_compare_progress progress = {.done = w->done,
                                       .total = w->result->folds * w->result->count,
                                       .objective = row->objective,
                                       .solver = row->solver,
                                       .fold = w->folds != NULL ? w->folds->fold[which] : 0,
                                       .fit = fit,
                                       .seconds = gersh__clock_seconds() - w->start};
    w->options->progress(w->options->progress_context, &progress);
}

typedef struct part_context {
    work *work;
    size_t part;
} part_context;

static void on_iteration(void *context, const gersh_progress *progress)
{
    part_context *at = context;
    gersh__lock_take(&at->work->lock);
    report(at->work, at->part, progress);
    gersh__lock_leave(&at->work->lock);
}

/* What the metric's graph looks like. */
static gersh_status look_at(outcome *out, const gersh_model *model, int no_eigenvalue)
{
    gersh_model_summary *summary = NULL;
    gersh_graph *graph = NULL;
    gersh_balance *balance = NULL;
    gersh_status status = no_eigenvalue ? gersh_metric_graph(&graph, gersh_model_metric(model))
                                        : gersh_model_summarize(&summary, model);
    if (status == GERSH_OK && no_eigenvalue)
        status = gersh_graph_balance(&balance, graph);
    if (status == GERSH_OK) {
        out->lambda_min = no_eigenvalue ? 0 : summary->lambda_min;
        out->edges = no_eigenvalue ? graph->edges : summary->graph->edges;
        out->balanced = no_eigenvalue ? balance->balanced : summary->balance->balanced;
    }
    gersh_balance_free(balance);
    gersh_graph_free(graph);
    gersh_model_summary_free(summary);
    return status;
}

/* One fit. */
static gersh_status fit_part(outcome *out, work *w, size_t part)
{
    size_t cell = part % w->result->count;
    part_context at = {w, part};
    gersh_fit_options options = {.progress = w->options->progress != NULL ? on_iteration : NULL,
                                 .progress_context = &at,
                                 .cancel = w->options->cancel};
    gersh_dataset *made = NULL;
    gersh_model *model = NULL;
    gersh_status status =
        w->folds != NULL ? gersh__folds_get(&made, w->folds, part / w->result->count) : GERSH_OK;
    if (status == GERSH_OK)
        status = gersh__model_learn(&model, made != NULL ? made : w->data, w->settings[cell], &options);
    if (status == GERSH_OK)
        out->info = *gersh_model_info(model);
    if (status == GERSH_OK)
        status = look_at(out, model, w->options->no_eigenvalue);
    gersh_model_free(model);
    gersh_dataset_free(made);
    return status;
}

/* Keeps the message of the row's first fold that failed, whichever failed first in time. */
static void note_failure(work *w, size_t part, gersh_status status)
{
    size_t cell = part % w->result->count, fold = part / w->result->count;
    gersh_compare_row *row = &w->result->row[cell];
    if (row->failure[0] == '\0' || fold < w->failed[cell]) {
        snprintf(row->failure, GERSH__MESSAGE_SIZE, "%s", gersh_last_error());
        w->failed[cell] = fold;
    }
    w->result->memory_short |= status == GERSH_ERROR_MEMORY;
    if (w->failure == GERSH_OK || part < w->first_failed) {
        w->failure = status;
        w->first_failed = part;
    }
}

static void run_part(void *context, size_t part, int worker)
{
    work *w = context;
    (void)worker;
    if (gersh_cancel_requested(w->options->cancel))
        return;
    gersh__lock_take(&w->lock);
    report(w, part, NULL);
    gersh__lock_leave(&w->lock);
    outcome *out = &w->outcome[part];
    gersh_status status = fit_part(out, w, part);
    if (status == GERSH_ERROR_CANCELLED)
        return;
    gersh__lock_take(&w->lock);
    out->state = status == GERSH_OK ? DONE : FAILED;
    if (status != GERSH_OK)
        note_failure(w, part, status);
    w->done++;
    report(w, part, NULL);
    gersh__lock_leave(&w->lock);
}

static void add_outcome(gersh_compare_row *row, const outcome *one)
{
    const gersh_fit_info *info = &one->info;
    int first = row->folds++ == 0;
    row->objective_value += info->objective_value;
    row->has_bound = info->has_bound && (first || row->has_bound);
    row->bound += info->has_bound ? info->bound : 0;
    row->gap += info->has_bound ? info->gap : 0;
    row->seconds += info->seconds;
    row->iterations += (size_t)info->iterations;
    row->lambda_min = first ? one->lambda_min : fmin(row->lambda_min, one->lambda_min);
    row->edges += (double)one->edges;
    row->balanced = one->balanced && (first || row->balanced);
    row->share_gradient += info->seconds_gradient;
    row->share_minimizer += info->seconds_minimizer;
    row->share_objective += info->seconds_objective;
    row->share_step += info->seconds_step;
    row->share_eigen += info->seconds_eigen;
    row->stops[info->stop]++;
}

/* Sums become means and shares. */
static void finish_row(gersh_compare_row *row)
{
    double folds = (double)row->folds, seconds = row->seconds > 0 ? row->seconds : 1;
    if (row->folds == 0)
        return;
    row->objective_value /= folds;
    row->bound = row->has_bound ? row->bound / folds : 0;
    row->gap = row->has_bound ? row->gap / folds : 0;
    row->edges /= folds;
    row->share_gradient /= seconds;
    row->share_minimizer /= seconds;
    row->share_objective /= seconds;
    row->share_step /= seconds;
    row->share_eigen /= seconds;
}

/* Means over different folds cannot be compared: only rows with all of them take part. */
static int is_whole(const gersh_comparison *result, const gersh_compare_row *row)
{
    return row->folds == result->folds && row->stops[GERSH_STOP_INTERRUPTED] == 0;
}

static void mark_best(gersh_comparison *result)
{
    for (size_t r = 0; r < result->count; r++) {
        gersh_compare_row *row = &result->row[r];
        row->best = is_whole(result, row);
        for (size_t other = 0; other < result->count && row->best; other++) {
            const gersh_compare_row *rival = &result->row[other];
            if (is_whole(result, rival) && strcmp(rival->objective, row->objective) == 0 &&
                (row->maximized ? rival->objective_value > row->objective_value
                                : rival->objective_value < row->objective_value))
                row->best = 0;
        }
    }
}

/* Outcomes to rows. Fails where there is no metric in any of them. */
static gersh_status gather(work *w)
{
    gersh_comparison *result = w->result;
    size_t metrics = 0;
    for (size_t f = 0; f < result->folds; f++) {
        for (size_t c = 0; c < result->count; c++) {
            const outcome *one = &w->outcome[f * result->count + c];
            if (one->state == DONE)
                add_outcome(&result->row[c], one);
            result->row[c].failed += one->state == FAILED;
            result->interrupted |=
                one->state == NOT_RUN || (one->state == DONE && one->info.stop == GERSH_STOP_INTERRUPTED);
            metrics += one->state == DONE;
        }
    }
    for (size_t c = 0; c < result->count; c++)
        finish_row(&result->row[c]);
    mark_best(result);
    if (metrics > 0)
        return GERSH_OK;
    if (result->interrupted)
        return gersh__fail(GERSH_ERROR_CANCELLED, "interrupted before the first fit was done");
    return gersh__fail(w->failure, "%s", result->row[w->first_failed % result->count].failure);
}

static gersh_status make_folds(gersh__folds **folds, const gersh_dataset *data,
                               const gersh_settings *settings, const gersh_compare_options *options)
{
    if (options->folds == GERSH_COMPARE_WHOLE && options->max_folds > 0)
        return gersh__fail(GERSH_ERROR_ARGUMENT,
                           "--max-folds is about folds, but none are made; add --folds paper");
    if (options->folds == GERSH_COMPARE_WHOLE)
        return GERSH_OK;
    if (gersh__setting_given(settings, GERSH__SCALE) && !gersh__setting_is(settings, GERSH__SCALE, "paper"))
        return gersh__fail(GERSH_ERROR_ARGUMENT,
                           "--scale: '%s' cannot be had with --folds paper, whose folds are scaled by "
                           "'paper'; leave out one of the two",
                           gersh__setting_text(settings, GERSH__SCALE));
    return gersh__folds_new(folds, data, gersh__setting_whole(settings, GERSH__SEED), options->max_folds);
}

static gersh_status run_all(work *w, const gersh_settings *settings)
{
    gersh__pool *pool = NULL;
    size_t folds = w->result->folds, cells = w->result->count;
    w->outcome = gersh__alloc(folds, cells * sizeof *w->outcome);
    if (w->outcome == NULL)
        return GERSH_ERROR_MEMORY;
    gersh_status status = gersh__pool_new(&pool, (int)gersh__setting_whole(settings, GERSH__THREADS));
    if (status != GERSH_OK)
        return status;
    gersh__lock_init(&w->lock);
    gersh__pool_run(pool, folds * cells, run_part, w);
    gersh__pool_free(pool);
    gersh__lock_clear(&w->lock);
    return gather(w);
}

gersh_status gersh_compare(gersh_comparison **out, const gersh_dataset *data,
                           const gersh_settings *settings, const gersh_compare_options *options)
{
    static const gersh_compare_options none = {0};
    gersh__folds *folds = NULL;
    gersh_dataset *own = NULL;
    work w = {.options = options != NULL ? options : &none,
              .start = gersh__clock_seconds(),
              .result = gersh__alloc(1, sizeof *w.result)};
    *out = NULL;
    if (w.result == NULL)
        return GERSH_ERROR_MEMORY;
    gersh_status status = gersh_dataset_check(data);
    if (status == GERSH_OK)
        status = gersh__dataset_dense(&own, &data);
    w.data = data;
    if (status == GERSH_OK)
        status = make_folds(&folds, data, settings, w.options);
    if (status != GERSH_OK)
        goto out;
    w.folds = folds;
    w.result->all_folds = folds != NULL ? folds->all : 1;
    w.result->folds = folds != NULL ? folds->count : 1;
    w.result->skipped = folds != NULL ? folds->skipped : 0;
    status = make_cells(&w, settings);
    if (status == GERSH_OK)
        status = run_all(&w, settings);
out:
    for (size_t c = 0; w.settings != NULL && c < w.result->count; c++)
        gersh_settings_free(w.settings[c]);
    gersh__free(w.settings);
    gersh__free(w.failed);
    gersh__free(w.outcome);
    gersh__folds_free(folds);
    gersh_dataset_free(own);
    if (status != GERSH_OK) {
        gersh_comparison_free(w.result);
        return status;
    }
    *out = w.result;
    return GERSH_OK;
}
