/*
 * What a search of settings is between its parts: the candidates and how they are ranked (tune_candidates.c), and the rounds
 * (tune.c).
 */
#ifndef GERSH_SRC_EXPERIMENT_TUNE_SEARCH_H
#define GERSH_SRC_EXPERIMENT_TUNE_SEARCH_H

#include "base/error.h"
#include "base/lock.h"
#include "base/policy.h"
#include "experiment/tune_rows.h"
#include "experiment/tune_score.h"
#include "gersh/tune.h"

enum { GERSH__TUNE_ROUNDS = 3, GERSH__TUNE_FAMILIES = 64 };

/* Each round: the most rows to learn from, the folds that are tried, and the candidates that go on. */
typedef struct gersh__tune_round {
    size_t learn, folds, keep;
} gersh__tune_round;

extern const gersh__tune_round gersh__tune_rounds[GERSH__TUNE_ROUNDS];

/* What one candidate did on one fold. */
typedef struct gersh__tune_outcome {
    int tried;
    gersh__tune_votes votes;
} gersh__tune_outcome;

typedef struct gersh__tune_candidate {
    size_t family, trace;
    gersh__tune_outcome outcome[GERSH__TUNE_ROUNDS][GERSH__TUNE_FOLDS];
    double score, accuracy, uncertainty;
    double votes;      /* that the accuracy is of, in this round */
    size_t best, rule; /* of the numbers of neighbours, and of the rules of their votes */
    int round;         /* the last one that judged it */
    int failed;
    double seconds;
} gersh__tune_candidate;

typedef struct gersh__tune_search {
    const gersh_dataset *given, *data; /* as given, and dense */
    const gersh_settings *settings;
    const gersh_tune_options *options;
    gersh_tuning *result;
    double start;
    gersh__tune_neighbors neighbors;
    size_t families;
    gersh__tune_family family[GERSH__TUNE_FAMILIES];
    size_t count;
    gersh__tune_candidate *all;   /* by family, then by trace */
    gersh__tune_candidate **rank; /* the best first; the first `left` are in the race */
    size_t left;
    int round;
    size_t folds;
    gersh__tune_rows rows[GERSH__TUNE_FOLDS];             /* of the round */
    double weight[GERSH__TUNE_ROUNDS][GERSH__TUNE_FOLDS]; /* of the rows that are voted on */
    /* What follows is shared by the threads and guarded by the lock. */
    gersh__lock lock;
    size_t done, tasks;
    gersh_status failure;
    char message[GERSH__MESSAGE_SIZE]; /* of the first failure */
} gersh__tune_search;

/*
 * The candidates that the settings allow, all in the race. The settings are from here on those that the result owns, so that its
 * rows can keep their words.
 */
gersh_status gersh__tune_list(gersh__tune_search *s);

/* The rows that a round learns from in each fold, nearly. */
size_t gersh__tune_learned_rows(const gersh__tune_search *s, int round);

/* Judges those in the race and sorts them; without a common fold of the round, all stay as they are, and 0 returns. */
int gersh__tune_rank(gersh__tune_search *s);

#endif
