/*
 * The bootstrap of edges; see gersh/bootstrap.h.
 *
 * Resamples are fitted from scratch: begun at the model's metric, a fit that may stop within its tolerance
 * would keep edges of that metric which the resample does not ask for, and every edge would seem surer than
 * it is.
 *
 * Resample b has a generator of its own, seeded by the setting and b. Fits run in rounds, one part of the
 * pool's loop each; after a round their edges are merged in the order of the resamples, so that neither the
 * counts nor the rounding of the means depend on the threads. Of M_ij over the c resamples that have the
 * edge, the mean m and the sum of squared deviations s are kept (Welford); with zeros for the others of all
 * B, the mean is c m / B and the sum s + m² c (B − c) / B.
 */
#include "gersh/bootstrap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/policy.h"
#include "base/random.h"
#include "base/settings.h"
#include "base/threads.h"
#include "data/dataset.h"
#include "data/tuples.h"
#include "model/model.h"

enum { FAILURE_SIZE = GERSH__MESSAGE_SIZE + 32 };

/* What became of one resample. */
typedef struct outcome {
    gersh_status status;
    int interrupted;
    size_t count;
    gersh_bootstrap_edge *edge; /* mean: M_ij */
    char message[GERSH__MESSAGE_SIZE];
} outcome;

typedef struct work {
    gersh_model *model;
    const gersh_dataset *scaled;
    const gersh_settings *settings; /* of each fit */
    const gersh_bootstrap_options *options;
    size_t *stratum; /* start of each: numbers of tuples or of rows, grouped */
    size_t strata;
    size_t *item;
    size_t begun; /* resamples before this round */
    size_t total;
    size_t finished; /* atomic: of all rounds */
    double start;
    uint64_t seed;
    int threads;
    outcome *outcome; /* of this round */
    gersh_bootstrap *result;
} work;

/* A draw with replacement within each stratum: times[i] says how often i was drawn. */
static void draw(size_t *times, const work *w, size_t resample)
{
    gersh__random random;
    gersh__random_seed(&random, w->seed + (resample + 1) * UINT64_C(0x9E3779B97F4A7C15));
    for (size_t s = 0; s < w->strata; s++) {
        size_t begin = w->stratum[s], size = w->stratum[s + 1] - begin;
        for (size_t i = 0; i < size; i++)
            times[w->item[begin + (size_t)gersh__random_below(&random, size)]]++;
    }
}

/* Which stratum a row or tuple is in; -1 for a row of weight 0, which counts as absent. */
static int stratum_of(const work *w, size_t i)
{
    const gersh_tuples *tuples = w->model->tuples;
    if (tuples != NULL)
        return tuples->kind == GERSH_PAIRS ? tuples->similar[i] != 0 : 0;
    if (w->scaled->weights != NULL && w->scaled->weights[i] == 0)
        return -1;
    return w->scaled->labels != NULL ? w->scaled->labels[i] : 0;
}

static gersh_status make_strata(work *w)
{
    const gersh_tuples *tuples = w->model->tuples;
    size_t items = tuples != NULL ? tuples->count : w->scaled->n, filled = 0;
    w->strata = tuples != NULL ? 2 : w->scaled->labels != NULL ? w->scaled->classes : 1;
    w->stratum = gersh__alloc(w->strata + 1, sizeof *w->stratum);
    w->item = gersh__alloc(items, sizeof *w->item);
    if (w->stratum == NULL || w->item == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t s = 0; s < w->strata; s++) {
        for (size_t i = 0; i < items; i++)
            if (stratum_of(w, i) == (int)s)
                w->item[filled++] = i;
        w->stratum[s + 1] = filled;
    }
    return GERSH_OK;
}

/* The tuples as often as they were drawn. */
static gersh_status repeat_tuples(gersh_tuples **out, const gersh_tuples *tuples, const size_t *times)
{
    size_t size = gersh_tuple_size(tuples->kind), at = 0;
    gersh_status status = gersh__tuples_alloc(out, tuples->kind, tuples->count);
    for (size_t t = 0; t < tuples->count && status == GERSH_OK; t++)
        for (size_t copy = 0; copy < times[t]; copy++, at++) {
            memcpy((*out)->row + at * size, tuples->row + t * size, size * sizeof *tuples->row);
            if (tuples->similar != NULL)
                (*out)->similar[at] = tuples->similar[t];
        }
    return status;
}

/* The edges of a metric, by features. */
static gersh_status collect_edges(outcome *out, const gersh_metric *metric)
{
    gersh_graph *graph = NULL;
    gersh_status status = gersh_metric_graph(&graph, metric);
    if (status != GERSH_OK)
        return status;
    out->edge = gersh__alloc(graph->edges, sizeof *out->edge);
    if (out->edge == NULL)
        status = GERSH_ERROR_MEMORY;
    for (size_t i = 0; status == GERSH_OK && i < graph->nodes; i++)
        for (size_t e = graph->start[i]; e < graph->start[i + 1]; e++) {
            size_t j = graph->neighbor[e];
            double entry = graph->entry[e], size = sqrt(graph->diagonal[i]) * sqrt(graph->diagonal[j]);
            if (j > i && fabs(entry) > GERSH_BOOTSTRAP_EDGE * size)
                out->edge[out->count++] = (gersh_bootstrap_edge){
                    .first = i, .second = j, .positive = entry<0, .negative = entry> 0, .mean = entry};
        }
    gersh_graph_free(graph);
    return status;
}

static gersh_status fit_resample(outcome *out, const work *w, size_t resample)
{
    const gersh_tuples *tuples = w->model->tuples;
    size_t n = w->scaled->n, items = tuples != NULL ? tuples->count : n;
    gersh_tuples *drawn = NULL;
    gersh_metric *metric = NULL;
    gersh_fit_info info;
    size_t *times = gersh__alloc(items, sizeof *times);
    double *weights = gersh__alloc(n, sizeof *weights);
    gersh_status status = times != NULL && weights != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
    if (status != GERSH_OK)
        goto out;
    draw(times, w, resample);
    for (size_t i = 0; i < n; i++)
        weights[i] = (w->scaled->weights != NULL ? w->scaled->weights[i] : 1) *
                     (tuples != NULL ? 1.0 : (double)times[i]);
    if (tuples != NULL)
        status = repeat_tuples(&drawn, tuples, times);
    if (status == GERSH_OK) {
        gersh_fit_options options = {.weights = weights,
                                     .rules = w->model->rules,
                                     .rule_count = w->model->rule_count,
                                     .tuples = drawn,
                                     .custom = w->options->custom,
                                     .cancel = w->options->cancel};
        status = gersh_fit(&metric, &info, w->scaled, w->settings, &options);
    }
    if (status == GERSH_OK)
        out->interrupted = info.stop == GERSH_STOP_INTERRUPTED;
    if (status == GERSH_OK && !out->interrupted)
        status = collect_edges(out, metric);
out:
    gersh_metric_free(metric);
    gersh_tuples_free(drawn);
    gersh__free(weights);
    gersh__free(times);
    return status;
}

static void report(const work *w)
{
    gersh_bootstrap_progress progress = {.done = __atomic_load_n(&w->finished, __ATOMIC_RELAXED),
                                         .total = w->total,
                                         .seconds = gersh__clock_seconds() - w->start};
    if (w->options->progress != NULL)
        w->options->progress(w->options->progress_context, &progress);
}

static void run_part(void *context, size_t part, int worker)
{
    work *w = context;
    outcome *out = &w->outcome[part];
    out->interrupted = gersh_cancel_requested(w->options->cancel);
    if (out->interrupted)
        return;
    out->status = fit_resample(out, w, w->begun + part);
    out->interrupted |= out->status == GERSH_ERROR_CANCELLED;
    if (out->status != GERSH_OK)
        snprintf(out->message, sizeof out->message, "%s", gersh_last_error());
    __atomic_fetch_add(&w->finished, 1, __ATOMIC_RELAXED);
    if (worker == 0) /* the caller's thread */
        report(w);
}

static int compare_edges(const gersh_bootstrap_edge *a, const gersh_bootstrap_edge *b)
{
    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    return a->second < b->second ? -1 : a->second > b->second;
}

/* One more resample for the edge; deviation holds the sum of squared deviations. */
static void add_value(gersh_bootstrap_edge *to, const gersh_bootstrap_edge *from)
{
    to->positive += from->positive;
    to->negative += from->negative;
    double before = from->mean - to->mean;
    to->mean += before / (double)(to->positive + to->negative);
    to->deviation += before * (from->mean - to->mean);
}

static gersh_status merge(gersh_bootstrap *b, const outcome *out)
{
    size_t i = 0, j = 0, count = 0;
    gersh_bootstrap_edge *all = gersh__alloc(b->count + out->count, sizeof *all);
    if (all == NULL)
        return GERSH_ERROR_MEMORY;
    while (i < b->count || j < out->count) {
        int order = i == b->count ? 1 : j == out->count ? -1 : compare_edges(&b->edge[i], &out->edge[j]);
        all[count] = order <= 0 ? b->edge[i++] : out->edge[j++];
        if (order == 0)
            add_value(&all[count], &out->edge[j++]);
        count++;
    }
    gersh__free(b->edge);
    b->edge = all;
    b->count = count;
    b->done++;
    return GERSH_OK;
}

/* Sums to means and deviations over all resamples. */
static void finish(gersh_bootstrap *b)
{
    double all = (double)b->done;
    for (size_t e = 0; e < b->count; e++) {
        gersh_bootstrap_edge *edge = &b->edge[e];
        double have = (double)(edge->positive + edge->negative);
        double sum = edge->deviation + edge->mean * edge->mean * have * (all - have) / all;
        edge->mean *= have / all;
        edge->deviation = b->done > 1 ? sqrt(fmax(sum, 0) / (all - 1)) : 0;
    }
}

/* Everything that a fit is told, in one thread, with the objective and the limits of the model's metric. */
static gersh_status make_settings(gersh_settings **out, const gersh_settings *settings,
                                  const gersh_model *model)
{
    const gersh_fit_info *info = &model->info;
    char number[64];
    gersh_status status = gersh_settings_copy(out, settings);
    if (status == GERSH_OK)
        status = gersh_settings_set(*out, "threads", "1");
    if (status == GERSH_OK)
        status =
            gersh_settings_set(*out, "objective", gersh__setting_text(model->settings, GERSH__OBJECTIVE));
    snprintf(number, sizeof number, "%.17g", info->budget);
    if (status == GERSH_OK)
        status = gersh_settings_set(*out, "trace", number);
    snprintf(number, sizeof number, "%.17g", info->rho);
    if (status == GERSH_OK)
        status = gersh_settings_set(*out, "rho", number);
    return status;
}

/* The outcomes of a round in order. *ended: a resample was interrupted. */
static gersh_status gather(work *w, size_t parts, int *ended)
{
    gersh_status status = GERSH_OK;
    for (size_t part = 0; part < parts; part++) {
        outcome *out = &w->outcome[part];
        *ended |= out->interrupted;
        if (status == GERSH_OK && !out->interrupted && out->status == GERSH_ERROR_MEMORY)
            status = gersh__fail(GERSH_ERROR_MEMORY, "%s", out->message);
        if (status == GERSH_OK && !out->interrupted && out->status == GERSH_OK)
            status = merge(w->result, out);
        if (!out->interrupted && out->status != GERSH_OK && w->result->failed++ == 0)
            snprintf(w->result->failure, FAILURE_SIZE, "resample %zu: %s", w->begun + part + 1,
                     out->message);
        gersh__free(out->edge);
        *out = (outcome){0};
    }
    return status;
}

static gersh_status run_rounds(work *w)
{
    gersh__pool *pool = NULL;
    int ended = 0;
    gersh_status status = gersh__pool_new(&pool, w->threads);
    size_t round = status == GERSH_OK ? GERSH__BOOTSTRAP_ROUND * (size_t)gersh__pool_threads(pool) : 0;
    w->outcome = gersh__alloc(round, sizeof *w->outcome);
    if (status == GERSH_OK && w->outcome == NULL)
        status = GERSH_ERROR_MEMORY;
    if (status == GERSH_OK)
        report(w);
    while (status == GERSH_OK && !ended && w->begun < w->total) {
        size_t parts = w->total - w->begun < round ? w->total - w->begun : round;
        gersh__pool_run(pool, parts, run_part, w);
        status = gather(w, parts, &ended);
        w->begun += parts;
        report(w);
    }
    gersh__free(w->outcome);
    gersh__pool_free(pool);
    if (status == GERSH_OK && w->result->done == 0)
        status = ended
                     ? gersh__fail(GERSH_ERROR_CANCELLED, "interrupted before the first resample was done")
                     : gersh__fail(GERSH_ERROR_INPUT, "no resample gave a metric: %s", w->result->failure);
    return status;
}

static gersh_status check_model(const gersh_model *model, size_t resamples,
                                const gersh_bootstrap_options *options)
{
    if (resamples == 0)
        return gersh__fail(GERSH_ERROR_ARGUMENT, "the number of resamples is 0; it must be at least 1");
    if (model->data == NULL)
        return gersh__fail(
            GERSH_ERROR_ARGUMENT,
            "the model was written without its training rows, which resamples are drawn from; fit it "
            "without --no-data");
    if (model->custom != (options->custom != NULL))
        return gersh__fail(GERSH_ERROR_ARGUMENT,
                           model->custom ? "the model has a custom objective; give it in the options"
                                         : "the model has no custom objective, but the options give one");
    return GERSH_OK;
}

gersh_status gersh_bootstrap_run(gersh_model *model, size_t resamples, const gersh_settings *settings,
                                 const gersh_bootstrap_options *options)
{
    static const gersh_bootstrap_options none = {0};
    gersh_dataset *scaled = NULL;
    gersh_settings *own = NULL;
    work w = {.model = model, .options = options != NULL ? options : &none, .total = resamples};
    gersh_status status = check_model(model, resamples, w.options);
    if (status != GERSH_OK)
        return status;
    w.start = gersh__clock_seconds();
    w.seed = gersh__setting_whole(settings, GERSH__SEED);
    w.threads = (int)gersh__setting_whole(settings, GERSH__THREADS);
    status = gersh__model_scale(&scaled, model, model->data);
    w.scaled = scaled;
    if (status == GERSH_OK)
        status = make_settings(&own, settings, model);
    w.settings = own;
    if (status == GERSH_OK)
        status = make_strata(&w);
    if (status == GERSH_OK) {
        w.result = gersh__alloc(1, sizeof *w.result);
        if (w.result != NULL)
            w.result->failure = gersh__alloc(FAILURE_SIZE, 1);
        status = w.result != NULL && w.result->failure != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
    }
    if (status == GERSH_OK) {
        w.result->asked = resamples;
        status = run_rounds(&w);
    }
    if (status == GERSH_OK) {
        finish(w.result);
        gersh__bootstrap_free(model->bootstrap);
        model->bootstrap = w.result;
        w.result = NULL;
    }
    gersh__bootstrap_free(w.result);
    gersh_settings_free(own);
    gersh_dataset_free(scaled);
    gersh__free(w.stratum);
    gersh__free(w.item);
    return status;
}

static int by_features(const void *wanted, const void *edge)
{
    return compare_edges(wanted, edge);
}

const gersh_bootstrap_edge *gersh_bootstrap_find(const gersh_bootstrap *bootstrap, size_t first,
                                                 size_t second)
{
    gersh_bootstrap_edge wanted = {.first = first < second ? first : second,
                                   .second = first < second ? second : first};
    if (bootstrap == NULL || bootstrap->count == 0)
        return NULL;
    return bsearch(&wanted, bootstrap->edge, bootstrap->count, sizeof wanted, by_features);
}
