/* The cells of the table of accuracies, between their making, its tables and its claims. */
#ifndef GERSH_REPRODUCE_ACCURACY_H
#define GERSH_REPRODUCE_ACCURACY_H

#include "objectives.h"

enum { REPRO_ACCURACY_OBJECTIVES = 4, REPRO_ACCURACY_SETS = 15, REPRO_ACCURACY_NEIGHBORS = 10 };

extern const char *const repro_accuracy_objectives[REPRO_ACCURACY_OBJECTIVES];

/* A way to a metric on one data set: the mean over the splits. */
typedef struct repro_score {
    int there;                  /* whether it was evaluated, on all splits */
    double accuracy, deviation; /* in percent; the deviation is that of a split */
    double splits, cut;         /* fits, and those of them that the time limit ended */
    double seconds;             /* mean of a fit */
} repro_score;

typedef struct repro_accuracy {
    int quick; /* few splits of few data sets, and no tuned scores */
    repro_source *source[REPRO_ACCURACY_SETS];
    repro_score fitted[REPRO_ACCURACY_OBJECTIVES][REPRO_ACCURACY_SETS][REPRO_SCHEMES];
    repro_score euclidean[REPRO_ACCURACY_SETS], tuned[REPRO_ACCURACY_SETS];
} repro_accuracy;

/* How the evaluations are made. */
typedef struct repro_accuracy_plan {
    size_t splits;
    double limit;  /* seconds of a fit; INFINITY: none */
    double budget; /* seconds of a search; 0: there is none */
} repro_accuracy_plan;

/* What is evaluated: an objective with a solver; or, without one, the Euclidean metric or what a search chooses. */
typedef struct repro_way {
    const char *objective, *solver; /* as keys name it; NULL */
    int tuned;
} repro_way;

repro_accuracy_plan repro_accuracy_plan_of(const repro_run *run);

/* Whether the data set takes part: all but the large ones, the smallest ones in a quick run. */
int repro_accuracy_wants(const repro_run *run, const repro_source *source);

double repro_accuracy_cost(repro_run *run, repro_source *source, repro_way way);

/* Evaluates, or finds the cell. A stopped run, a missing file and fits that fail are no errors. */
gersh_status repro_accuracy_get(repro_score *out, repro_run *run, repro_builder *builder,
                                repro_source *source, repro_way way);

/* Which data sets an average is over: all, or those of the size that the paper states. */
typedef enum repro_accuracy_span { REPRO_ALL_SETS, REPRO_SETS_AS_IN_PAPER } repro_accuracy_span;

/* Whether the data has the size that the paper states. */
int repro_accuracy_as_in_paper(const repro_source *source);

/*
 * Means in percent over the data sets of the span where all solvers with the objective, and the Euclidean metric, have
 * a value: the same ones for every row of a table. The paper's is over these too. NAN where there are none, and of
 * tuned where one of them lacks it. `sets`, unless NULL, gets how many there are.
 */
double repro_accuracy_mean(const repro_accuracy *all, size_t objective, size_t scheme,
                           repro_accuracy_span span, size_t *sets);
double repro_accuracy_paper_mean(const repro_accuracy *all, size_t objective, size_t scheme,
                                 repro_accuracy_span span);
double repro_accuracy_euclidean_mean(const repro_accuracy *all, size_t objective, repro_accuracy_span span);
double repro_accuracy_tuned_mean(const repro_accuracy *all, size_t objective, repro_accuracy_span span);

/* The standard error of such a mean, for other splits of the same data sets. */
double repro_accuracy_error(const repro_accuracy *all, size_t objective, size_t scheme,
                            repro_accuracy_span span);

/* Ours less the paper's, and what the paper says of its accuracies; open unless all data sets are there. */
void repro_accuracy_summary(repro_builder *builder, const repro_accuracy *all);
void repro_accuracy_claims(repro_builder *builder, const repro_accuracy *all);

#endif
