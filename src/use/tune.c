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
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/lock.h"
#include "base/policy.h"
#include "base/settings.h"
#include "base/threads.h"
#include "data/dataset.h"
#include "gersh/predict.h"
#include "objective/objective.h"
#include "use/tune_rows.h"
#include "use/tune_score.h"

enum { MOST_FAMILIES = 64 };

/* Each round: the most rows to learn from, the folds that are tried, and the candidates that go on. */
static const struct {
    size_t learn, folds, keep;
} rounds[] = {{200, GERSH__TUNE_FOLDS / 2, 8}, {400, GERSH__TUNE_FOLDS, 3}, {800, GERSH__TUNE_FOLDS, 1}};

enum { ROUNDS = sizeof rounds / sizeof rounds[0] };

static const char *const scales[] = {"zscore", "paper", "none"};

/*
 * The trace is the scale of the distances. With a large one a local objective (glr) is about the nearest rows alone, as a
 * vote is; others (mcml) ask for less. Each learner tries its bits of gersh__tune_traces.
 */
enum { ONE = 1 << 1, LESS_AND_MORE = 7, MORE = 14, LEARNERS = 3 };

static const gersh__tune_neighbors all_neighbors = {
    GERSH__TUNE_KS, {1, 3, 5, 7, 10, 15, 20, 30, 50, 75, 100}, GERSH__TUNE_RULES, {"equal", "distance"}};

/* What one candidate did on one fold. */
typedef struct outcome {
    int tried;
    gersh__tune_votes votes;
} outcome;

typedef struct candidate {
    size_t family, trace;
    outcome outcome[ROUNDS][GERSH__TUNE_FOLDS];
    double score, accuracy, uncertainty;
    double votes;      /* that the accuracy is of, in this round */
    size_t best, rule; /* of the numbers of neighbours, and of the rules of their votes */
    int round;         /* the last one that judged it */
    int failed;
    double seconds;
} candidate;

typedef struct search {
    const gersh_dataset *given, *data; /* as given, and dense */
    const gersh_settings *settings;
    const gersh_tune_options *options;
    gersh_tuning *result;
    double start;
    gersh__tune_neighbors neighbors;
    size_t families;
    gersh__tune_family family[MOST_FAMILIES];
    size_t count;
    candidate *all;   /* by family, then by trace */
    candidate **rank; /* the best first; the first `left` are in the race */
    size_t left;
    int round;
    size_t folds;
    gersh__tune_rows rows[GERSH__TUNE_FOLDS]; /* of the round */
    double weight[ROUNDS][GERSH__TUNE_FOLDS]; /* of the rows that are voted on */
    /* What follows is shared by the threads and guarded by the lock. */
    gersh__lock lock;
    size_t done, tasks;
    gersh_status failure;
    char message[GERSH__MESSAGE_SIZE]; /* of the first failure */
} search;

void gersh_tuning_free(gersh_tuning *tuning)
{
    if (tuning == NULL)
        return;
    gersh_model_free(tuning->model);
    gersh_settings_free(tuning->settings);
    gersh__free(tuning->row);
    gersh__free(tuning);
}

/* Whether the user left the choice open, or chose this. */
static int agrees(const search *s, int setting, const char *choice)
{
    return !gersh__setting_given(s->settings, setting) || gersh__setting_is(s->settings, setting, "auto") ||
           gersh__setting_is(s->settings, setting, choice);
}

static gersh__tune_family over_hull(const char *scale, const char *objective)
{
    return (gersh__tune_family){scale, objective, "hull",
                                gersh_objective_find(objective)->local ? MORE : ONE};
}

/* The Euclidean metric, and the best of the hull by the objectives that "auto" chooses from. */
static void list_learners(gersh__tune_family learner[LEARNERS], const char *scale)
{
    const char *usual = gersh__objective_resolve("auto", GERSH__CLASSES),
               *second = gersh__objective_second(GERSH__CLASSES);
    learner[0] = (gersh__tune_family){scale, second, "identity", ONE};
    learner[1] = over_hull(scale, second);
    learner[2] = over_hull(scale, usual);
}

/* All combinations that the user's settings allow; an objective or a solver that the list lacks joins it. */
static void list_families(search *s)
{
    gersh__tune_family learner[LEARNERS];
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++) {
        if (!agrees(s, GERSH__SCALE, scales[i]))
            continue;
        size_t before = s->families;
        list_learners(learner, scales[i]);
        for (size_t l = 0; l < LEARNERS; l++)
            if (agrees(s, GERSH__OBJECTIVE, learner[l].objective) &&
                agrees(s, GERSH__SOLVER, learner[l].solver))
                s->family[s->families++] = learner[l];
        if (s->families == before)
            s->family[s->families++] =
                (gersh__tune_family){scales[i], gersh__setting_text(s->settings, GERSH__OBJECTIVE),
                                     gersh__setting_text(s->settings, GERSH__SOLVER), LESS_AND_MORE};
    }
}

/* Votes that are given are the only ones tried. */
static void list_neighbors(search *s)
{
    s->neighbors = all_neighbors;
    if (gersh__setting_given(s->settings, GERSH__NEIGHBORS)) {
        s->neighbors.count = 1;
        s->neighbors.k[0] = (size_t)gersh__setting_whole(s->settings, GERSH__NEIGHBORS);
    }
    if (gersh__setting_given(s->settings, GERSH__VOTES)) {
        s->neighbors.rules = 1;
        s->neighbors.rule[0] = gersh__setting_text(s->settings, GERSH__VOTES);
    }
}

/* From the settings that the tuning owns, so that its rows can keep their words. */
static gersh_status list_candidates(search *s)
{
    s->settings = s->result->settings;
    int fixed = gersh__setting_given(s->settings, GERSH__TRACE);
    list_neighbors(s);
    list_families(s);
    s->all = gersh__alloc(s->families, GERSH__TUNE_TRACES * sizeof *s->all);
    s->rank = gersh__alloc(s->families, GERSH__TUNE_TRACES * sizeof *s->rank);
    if (s->all == NULL || s->rank == NULL)
        return GERSH_ERROR_MEMORY;
    s->count = s->families * GERSH__TUNE_TRACES;
    for (size_t f = 0; f < s->families; f++) {
        for (size_t t = 0; t < GERSH__TUNE_TRACES; t++) {
            candidate *c = &s->all[f * GERSH__TUNE_TRACES + t];
            c->family = f;
            c->trace = t;
            if (fixed ? gersh__tune_traces[t] == 1 : s->family[f].traces >> t & 1)
                s->rank[s->left++] = c;
        }
    }
    return GERSH_OK;
}

/* The rows that the round learns from in each fold, nearly. */
static size_t learned_rows(const search *s, int round)
{
    size_t n = gersh_dataset_rows(s->data), most = n - n / s->folds;
    return rounds[round].learn < most ? rounds[round].learn : most;
}

/* A round between the first and the last tells little unless it learns from many more rows than the one before. */
static int is_idle(const search *s)
{
    return s->round > 0 && s->round + 1 < ROUNDS &&
           2 * learned_rows(s, s->round) < 3 * learned_rows(s, s->round - 1);
}

/* The folds of the round. */
static gersh_status divide(search *s)
{
    gersh__tune_rows_clear(s->rows, GERSH__TUNE_FOLDS);
    gersh_status status =
        gersh__tune_rows_draw(s->rows, s->folds, s->data, GERSH__TUNE_ROWS, rounds[s->round].learn,
                              gersh__setting_whole(s->settings, GERSH__SEED) + s->round);
    for (size_t f = 0; f < s->folds; f++)
        s->weight[s->round][f] = s->rows[f].weight;
    return status;
}

static int out_of_time(const search *s)
{
    return gersh_cancel_requested(s->options->cancel) ||
           (s->options->budget > 0 && gersh__clock_seconds() - s->start >= s->options->budget);
}

/* The lock is held. */
static void report(search *s)
{
    if (s->options->progress == NULL)
        return;
    gersh_tune_progress progress = {.round = s->round + 1,
                                    .rounds = ROUNDS,
                                    .done = s->done,
                                    .total = s->tasks,
                                    .accuracy = s->round > 0 ? s->rank[0]->accuracy : 0,
                                    .seconds = gersh__clock_seconds() - s->start};
    s->options->progress(s->options->progress_context, &progress);
}

/* One family on one fold: the candidates that are in the race. */
static void run_task(void *context, size_t task, int worker)
{
    search *s = context;
    size_t family = task % s->families, fold = task / s->families, wanted_count = 0;
    int wanted[GERSH__TUNE_TRACES] = {0};
    gersh__tune_votes votes[GERSH__TUNE_TRACES];
    (void)worker;
    for (size_t i = 0; i < s->left; i++) {
        const candidate *c = s->rank[i];
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
        candidate *c = &s->all[family * GERSH__TUNE_TRACES + t];
        if (!wanted[t] || status == GERSH_ERROR_CANCELLED)
            continue;
        c->failed |= status != GERSH_OK;
        c->outcome[s->round][fold] = (outcome){1, votes[t]};
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

/* Whether all that are in the race have been tried on the fold, with at least half as many rows as in this round. */
static int is_common(const search *s, int round, size_t fold)
{
    if (2 * learned_rows(s, round) < learned_rows(s, s->round))
        return 0;
    for (size_t i = 0; i < s->left; i++)
        if (!s->rank[i]->failed && !s->rank[i]->outcome[round][fold].tried)
            return 0;
    return s->weight[round][fold] > 0;
}

/* Mean of three neighbours in the list, two at its ends. */
static double smooth(const double *values, size_t count, size_t at)
{
    size_t low = at > 0 ? at - 1 : 0, high = at + 1 < count ? at + 1 : at;
    double sum = 0;
    for (size_t i = low; i <= high; i++)
        sum += values[i];
    return sum / (double)(high - low + 1);
}

static void add_votes(gersh__tune_votes *sum, const gersh__tune_votes *votes)
{
    for (size_t r = 0; r < GERSH__TUNE_RULES; r++)
        for (size_t g = 0; g < GERSH__TUNE_KS; g++) {
            sum->right[r][g] += votes->right[r][g];
            sum->sure[r][g] += votes->sure[r][g];
        }
}

/* The best number of neighbours of a candidate, and rule of their votes, by the folds that are common. */
static void judge(const search *s, candidate *c, int common[ROUNDS][GERSH__TUNE_FOLDS])
{
    gersh__tune_votes sum = {0};
    double total = 0, own = 0;
    size_t count = s->neighbors.count;
    for (int r = 0; r <= s->round; r++) {
        for (size_t f = 0; f < s->folds; f++) {
            if (!common[r][f])
                continue;
            total += s->weight[r][f];
            own += r == s->round ? s->weight[r][f] : 0;
            add_votes(&sum, &c->outcome[r][f].votes);
        }
    }
    c->score = -INFINITY;
    for (size_t r = 0; r < s->neighbors.rules; r++)
        for (size_t g = 0; g < count; g++) {
            double accuracy = smooth(sum.right[r], count, g) / total;
            double score = accuracy + GERSH__TUNE_SURE * smooth(sum.sure[r], count, g) / total;
            if (score > c->score) {
                c->score = score;
                c->accuracy = accuracy;
                c->best = g;
                c->rule = r;
            }
        }
    c->uncertainty = sqrt(c->accuracy * (1 - c->accuracy) / own);
    c->votes = own;
    c->round = s->round + 1;
}

/* Judged in a later round before an earlier one; then the better score; then the first in the list. */
static int by_score(const void *a, const void *b)
{
    const candidate *x = *(candidate *const *)a, *y = *(candidate *const *)b;
    if (x->failed != y->failed)
        return x->failed - y->failed;
    if (x->round != y->round)
        return y->round - x->round;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Judges those in the race and sorts them; without a common fold of the round, all stay as they are, and 0 returns. */
static int rank_candidates(search *s)
{
    int common[ROUNDS][GERSH__TUNE_FOLDS], any = 0;
    for (int r = 0; r <= s->round; r++)
        for (size_t f = 0; f < s->folds; f++)
            any |= (common[r][f] = is_common(s, r, f)) && r == s->round;
    if (!any)
        return 0;
    for (size_t i = 0; i < s->left; i++)
        if (!s->rank[i]->failed)
            judge(s, s->rank[i], common);
    qsort(s->rank, s->left, sizeof(candidate *), by_score);
    return 1;
}

/* The folds that the round tries. */
static size_t folds_tried(const search *s)
{
    return rounds[s->round].folds < s->folds ? rounds[s->round].folds : s->folds;
}

static size_t count_tasks(const search *s)
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
static size_t count_survivors(const search *s)
{
    const candidate *best = s->rank[0];
    double right = (best->accuracy * best->votes + 1) / (best->votes + 2);
    double least = best->score - 2 * sqrt(right * (1 - right) / (best->votes + 2));
    size_t count = 0;
    while (count < s->left && count < rounds[s->round].keep && !s->rank[count]->failed &&
           s->rank[count]->score >= least)
        count++;
    return count;
}

static gersh_status run_rounds(search *s, gersh__pool *pool)
{
    gersh_status status = GERSH_OK;
    size_t all = s->left;
    for (s->round = 0; s->round < ROUNDS && status == GERSH_OK && !out_of_time(s); s->round++) {
        if (is_idle(s)) {
            s->left = s->left < rounds[s->round].keep ? s->left : rounds[s->round].keep;
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
        if (!rank_candidates(s))
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

static gersh_status make_rows(search *s)
{
    gersh_tuning *result = s->result;
    result->row = gersh__alloc(s->left, sizeof *result->row);
    if (result->row == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t i = 0; i < s->left; i++) {
        const candidate *c = s->rank[i];
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
static gersh_status whole_trace(double *trace, const search *s, const candidate *c)
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
static gersh_status fit_best(search *s)
{
    const candidate *best = s->rank[0];
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
    search *s = status == GERSH_OK ? gersh__alloc(1, sizeof *s) : NULL;
    if (s == NULL)
        return status == GERSH_OK ? GERSH_ERROR_MEMORY : status;
    s->given = s->data = data;
    s->options = options != NULL ? options : &none;
    s->start = gersh__clock_seconds();
    s->folds = gersh_dataset_rows(data) < GERSH__TUNE_FOLDS ? gersh_dataset_rows(data) : GERSH__TUNE_FOLDS;
    s->result = gersh__alloc(1, sizeof *s->result);
    status = s->result != NULL ? gersh__settings_copy(&s->result->settings, settings) : GERSH_ERROR_MEMORY;
    if (status == GERSH_OK)
        status = gersh__dataset_dense(&own, &s->data);
    if (status == GERSH_OK)
        status = gersh__pool_new(&pool, (int)gersh__setting_whole(settings, GERSH__THREADS));
    if (status == GERSH_OK)
        status = list_candidates(s);
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
