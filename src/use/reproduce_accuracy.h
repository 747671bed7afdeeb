/* The cells of the table of accuracies, between their making, its tables and its claims. */
#ifndef GERSH_SRC_USE_REPRODUCE_ACCURACY_H
#define GERSH_SRC_USE_REPRODUCE_ACCURACY_H

#include "use/reproduce_objectives.h"

enum { GERSH__ACCURACY_OBJECTIVES = 4, GERSH__ACCURACY_SETS = 15, GERSH__ACCURACY_NEIGHBORS = 10 };

extern const char *const gersh__accuracy_objectives[GERSH__ACCURACY_OBJECTIVES];

/* A way to a metric on one data set: the mean over the splits. */
typedef struct gersh__score {
    int there;                  /* whether it was evaluated, on all splits */
    double accuracy, deviation; /* in percent; the deviation is that of a split */
    double splits, cut;         /* fits, and those of them that the time limit ended */
    double seconds;             /* mean of a fit */
} gersh__score;

typedef struct gersh__accuracy {
    int quick; /* few splits of few data sets, and no tuned scores */
    gersh__source *source[GERSH__ACCURACY_SETS];
    gersh__score fitted[GERSH__ACCURACY_OBJECTIVES][GERSH__ACCURACY_SETS][GERSH__SCHEMES];
    gersh__score euclidean[GERSH__ACCURACY_SETS], tuned[GERSH__ACCURACY_SETS];
} gersh__accuracy;

/* How the evaluations are made. */
typedef struct gersh__accuracy_plan {
    size_t splits;
    double limit;  /* seconds of a fit; INFINITY: none */
    double budget; /* seconds of a search; 0: there is none */
} gersh__accuracy_plan;

/* What is evaluated: an objective with a solver; or, without one, the Euclidean metric or what a search chooses. */
typedef struct gersh__way {
    const char *objective, *solver; /* as keys name it; NULL */
    int tuned;
} gersh__way;

gersh__accuracy_plan gersh__accuracy_plan_of(const gersh__run *run);

/* Whether the data set takes part: all but the large ones, the smallest ones in a quick run. */
int gersh__accuracy_wants(const gersh__run *run, const gersh__source *source);

double gersh__accuracy_cost(gersh__run *run, gersh__source *source, gersh__way way);

/* Evaluates, or finds the cell. A stopped run, a missing file and fits that fail are no errors. */
gersh_status gersh__accuracy_get(gersh__score *out, gersh__run *run, gersh__builder *builder,
                                 gersh__source *source, gersh__way way);

/* Which data sets an average is over: all, or those of the size that the paper states. */
typedef enum gersh__accuracy_span { GERSH__ALL_SETS, GERSH__SETS_AS_IN_PAPER } gersh__accuracy_span;

/* Whether the data has the size that the paper states. */
int gersh__accuracy_as_in_paper(const gersh__source *source);

/*
 * Means in percent over the data sets of the span where all solvers with the objective, and the Euclidean metric, have
 * a value: the same ones for every row of a table. The paper's is over these too. NAN where there are none, and of
 * tuned where one of them lacks it. `sets`, unless NULL, gets how many there are.
 */
double gersh__accuracy_mean(const gersh__accuracy *all, size_t objective, size_t scheme,
                            gersh__accuracy_span span, size_t *sets);
double gersh__accuracy_paper_mean(const gersh__accuracy *all, size_t objective, size_t scheme,
                                  gersh__accuracy_span span);
double gersh__accuracy_euclidean_mean(const gersh__accuracy *all, size_t objective,
                                      gersh__accuracy_span span);
double gersh__accuracy_tuned_mean(const gersh__accuracy *all, size_t objective, gersh__accuracy_span span);

/* The standard error of such a mean, for other splits of the same data sets. */
double gersh__accuracy_error(const gersh__accuracy *all, size_t objective, size_t scheme,
                             gersh__accuracy_span span);

/* Ours less the paper's, and what the paper says of its accuracies; open unless all data sets are there. */
void gersh__accuracy_summary(gersh__builder *builder, const gersh__accuracy *all);
void gersh__accuracy_claims(gersh__builder *builder, const gersh__accuracy *all);

#endif
