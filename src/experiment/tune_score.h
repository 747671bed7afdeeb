/* How well the neighbours under a learned metric vote, on rows that it was not learned from. */
#ifndef GERSH_SRC_EXPERIMENT_TUNE_SCORE_H
#define GERSH_SRC_EXPERIMENT_TUNE_SCORE_H

#include "experiment/tune_rows.h"
#include "gersh/data.h"
#include "gersh/fit.h"

enum { GERSH__TUNE_KS = 11, GERSH__TUNE_RULES = 2, GERSH__TUNE_TRACES = 4 };

extern const double gersh__tune_traces[GERSH__TUNE_TRACES]; /* multiples of gersh__tune_trace, rising */

/* Numbers of neighbours that are tried, rising, and rules of their votes, as the setting `votes` has them. */
typedef struct gersh__tune_neighbors {
    size_t count;
    size_t k[GERSH__TUNE_KS];
    size_t rules;
    const char *rule[GERSH__TUNE_RULES];
} gersh__tune_neighbors;

/* How the neighbours voted, for each of these rules and numbers: sums over the test rows, by weight. */
typedef struct gersh__tune_votes {
    double right[GERSH__TUNE_RULES][GERSH__TUNE_KS]; /* rows that they get right */
    double sure[GERSH__TUNE_RULES][GERSH__TUNE_KS]; /* logarithms of the right class's share of the votes */
} gersh__tune_votes;

/* What the candidates of a family share; they differ in trace and neighbours. */
typedef struct gersh__tune_family {
    const char *scale, *objective, *solver;
    int traces; /* bits of those that are tried */
} gersh__tune_family;

/* The default trace budget of mcml for scaled rows: 2K over the mean squared distance of two rows; 0 where that is 0. */
double gersh__tune_trace(const gersh_dataset *scaled);

/* The settings of a candidate: those of the user, and its own. */
gersh_status gersh__tune_settings(gersh_settings **out, const gersh_settings *settings,
                                  const gersh__tune_family *family, double trace);

/*
 * Learns with the traces that are wanted, each fit beginning at the one before, and lets the neighbours vote on the
 * test rows: votes[trace] gets the result. The data is not scaled yet.
 */
gersh_status gersh__tune_score(gersh__tune_votes *votes, const gersh__tune_family *family,
                               const int *wanted, const gersh__tune_neighbors *neighbors,
                               const gersh_dataset *data, const gersh__tune_rows *rows,
                               const gersh_settings *settings, const gersh_cancel *cancel);

#endif
