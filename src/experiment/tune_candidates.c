/* What a search of settings chooses from, and which of them is best; see tune_search.h. */
#include "experiment/tune_search.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/policy.h"
#include "base/settings.h"
#include "gersh/data.h"
#include "objective/objective.h"

static const char *const scales[] = {"zscore", "paper", "none"};

/*
 * The trace is the scale of the distances. With a large one a local objective (glr) is about the nearest rows alone, as a
 * vote is; others (mcml) ask for less. Each learner tries its bits of gersh__tune_traces.
 */
enum { ONE = 1 << 1, LESS_AND_MORE = 7, MORE = 14, LEARNERS = 3 };

static const gersh__tune_neighbors all_neighbors = {
    GERSH__TUNE_KS, {1, 3, 5, 7, 10, 15, 20, 30, 50, 75, 100}, GERSH__TUNE_RULES, {"equal", "distance"}};

/* Whether the user left the choice open, or chose this. */
static int agrees(const gersh__tune_search *s, int setting, const char *choice)
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
static void list_families(gersh__tune_search *s)
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
static void list_neighbors(gersh__tune_search *s)
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

gersh_status gersh__tune_list(gersh__tune_search *s)
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
            gersh__tune_candidate *c = &s->all[f * GERSH__TUNE_TRACES + t];
            c->family = f;
            c->trace = t;
            if (fixed ? gersh__tune_traces[t] == 1 : s->family[f].traces >> t & 1)
                s->rank[s->left++] = c;
        }
    }
    return GERSH_OK;
}

size_t gersh__tune_learned_rows(const gersh__tune_search *s, int round)
{
    size_t n = gersh_dataset_rows(s->data), most = n - n / s->folds;
    return gersh__tune_rounds[round].learn < most ? gersh__tune_rounds[round].learn : most;
}

/* Whether all that are in the race have been tried on the fold, with at least half as many rows as in this round. */
static int is_common(const gersh__tune_search *s, int round, size_t fold)
{
    if (2 * gersh__tune_learned_rows(s, round) < gersh__tune_learned_rows(s, s->round))
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
static void judge(const gersh__tune_search *s, gersh__tune_candidate *c,
                  int common[GERSH__TUNE_ROUNDS][GERSH__TUNE_FOLDS])
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
    const gersh__tune_candidate *x = *(gersh__tune_candidate *const *)a,
                                *y = *(gersh__tune_candidate *const *)b;
    if (x->failed != y->failed)
        return x->failed - y->failed;
    if (x->round != y->round)
        return y->round - x->round;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return x < y ? -1 : x > y;
}

int gersh__tune_rank(gersh__tune_search *s)
{
    int common[GERSH__TUNE_ROUNDS][GERSH__TUNE_FOLDS], any = 0;
    for (int r = 0; r <= s->round; r++)
        for (size_t f = 0; f < s->folds; f++)
            any |= (common[r][f] = is_common(s, r, f)) && r == s->round;
    if (!any)
        return 0;
    for (size_t i = 0; i < s->left; i++)
        if (!s->rank[i]->failed)
            judge(s, s->rank[i], common);
    qsort(s->rank, s->left, sizeof(gersh__tune_candidate *), by_score);
    return 1;
}
