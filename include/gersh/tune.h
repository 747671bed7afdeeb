/*
 * Tuning: the choice of scaling, objective, solver, trace budget and number of neighbours that does best in
 * cross-validation on the given rows, and the model fitted with it to all of them.
 */
#ifndef GERSH_TUNE_H
#define GERSH_TUNE_H

#include "gersh/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where a running search is. */
typedef struct gersh_tune_progress {
    int round;          /* from 1; of */
    int rounds;         /* so many */
    size_t done, total; /* fits of the round */
    double accuracy;    /* of the best candidate so far */
    double seconds;     /* since the search began */
} gersh_tune_progress;

/* Called by one thread at a time, but not always by the same one. */
typedef void (*gersh_tune_callback)(void *context, const gersh_tune_progress *progress);

typedef struct gersh_tune_options {
    double budget;                /* seconds for the search, without the last fit; 0: no limit */
    gersh_tune_callback progress; /* or NULL */
    void *progress_context;
    const gersh_cancel *cancel; /* or NULL; the best candidate so far is then fitted */
} gersh_tune_options;

/* A candidate: how it learns a metric, and how well its neighbours vote. Its words stay as long as the tuning. */
typedef struct gersh_tune_row {
    const char *objective, *solver; /* `identity` is the Euclidean metric */
    const char *scale;
    double trace;       /* multiple of the default trace budget */
    size_t neighbors;   /* the best number of neighbours, */
    const char *votes;  /* and rule of their votes, as the setting has it */
    double score;       /* by which the candidates are ranked: the accuracy, and how clear the votes were */
    double accuracy;    /* estimated by cross-validation */
    double uncertainty; /* standard error of that estimate */
    int round;          /* the last round that it took part in */
    double seconds;     /* spent on it */
} gersh_tune_row;

typedef struct gersh_tuning {
    gersh_model *model; /* the best candidate, fitted to all rows; its settings hold the choice */
    size_t count;
    gersh_tune_row *row; /* the best first */
    size_t fits;
    double seconds;
    int interrupted;
    gersh_settings *settings; /* a copy of the given ones, where words of the rows may stand */
} gersh_tuning;

/*
 * Searches on data that is not scaled, several fits at a time as the setting `threads` says, with the same
 * choice however many there are, unless the budget ends the search. Settings that are given and that the
 * search would choose (scale, objective, solver, trace, neighbors, votes) stay as they are. settings and options may
 * be NULL.
 */
GERSH_API gersh_status gersh_tune(gersh_tuning **out, const gersh_dataset *data,
                                  const gersh_settings *settings, const gersh_tune_options *options);
GERSH_API void gersh_tuning_free(gersh_tuning *tuning);

#ifdef __cplusplus
}
#endif
#endif
