/* One split of an evaluation, and the statistics over all of them; see gersh/evaluate.h. */
#ifndef GERSH_SRC_EXPERIMENT_EVALUATE_TRIAL_H
#define GERSH_SRC_EXPERIMENT_EVALUATE_TRIAL_H

#include "gersh/evaluate.h"

/* A way to a metric. */
typedef struct gersh__trial {
    gersh_evaluate_kind kind;
    const gersh_settings *settings; /* of the fit or the search, and of the prediction; one thread */
    double budget;                  /* of a search */
    gersh_progress_callback on_fit; /* or NULL */
    gersh_tune_callback on_tune;    /* or NULL */
    void *context;                  /* of both */
    const gersh_cancel *cancel;
} gersh__trial;

typedef struct gersh__trial_result {
    double accuracy, balanced_accuracy; /* of classes */
    double rmse, r2;                    /* of targets; r2 may be NaN */
    double seconds;
    gersh_stop stop; /* of a fit */
    int switched;    /* it learned with another objective than mcml */
} gersh__trial_result;

/*
 * Learns from part 0 of the split and predicts part 1. *model, unless model is NULL, gets what was learned: NULL for
 * the Euclidean metric. GERSH_ERROR_CANCELLED also where there is only an interrupted result.
 */
gersh_status gersh__trial_run(gersh__trial_result *out, gersh_model **model, const gersh_dataset *data,
                              const gersh_split *split, const gersh__trial *trial);

/* Mean and sample deviation; the latter is NaN for one value. */
void gersh__mean_and_deviation(double *mean, double *deviation, size_t count, const double *value);

/* The regularised incomplete beta function I_x(a, b), for a, b > 0 and x from 0 to 1. */
double gersh__incomplete_beta(double a, double b, double x);

/* The probability that a variable of Student's distribution is at least as far from 0 as t. */
double gersh__student_tails(double t, double freedom);

/*
 * Two-sided p of the corrected paired t test on count >= 2 differences between two methods, for splits of so many
 * training and test rows.
 */
double gersh__corrected_t_test(size_t count, const double *difference, size_t train, size_t test);

#endif
