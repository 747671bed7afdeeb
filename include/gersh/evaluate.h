/*
 * How well a learned metric predicts: accuracy on rows that it was not learned from, over repeated random splits,
 * beside that of the Euclidean metric.
 */
#ifndef GERSH_EVALUATE_H
#define GERSH_EVALUATE_H

#include "gersh/model.h"
#include "gersh/tune.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where a running evaluation is. */
typedef struct gersh_evaluate_progress {
    size_t done, total; /* rows of the result times splits */
    /* As in the row of what begins, goes on or ends now in the caller's thread. */
    const char *objective, *solver;
    size_t split;                    /* from 0 */
    const gersh_progress *fit;       /* where that fit is, or NULL */
    const gersh_tune_progress *tune; /* where that search is, or NULL */
    double seconds;                  /* since the evaluation began */
} gersh_evaluate_progress;

/* Called in the caller's thread. */
typedef void (*gersh_evaluate_callback)(void *context, const gersh_evaluate_progress *progress);

#define GERSH_EVALUATE_SPLITS 10
#define GERSH_EVALUATE_TEST_SHARE 0.1

typedef struct gersh_evaluate_options {
    const char *objectives;           /* names separated by commas, or "all"; NULL: that of the settings */
    const char *solvers;              /* names separated by commas, or "all"; NULL: that of the settings */
    int tuned;                        /* one more row: gersh_tune on the training rows of each split */
    double budget;                    /* seconds of each of these searches; 0: no limit */
    size_t splits;                    /* 0: GERSH_EVALUATE_SPLITS */
    double test_share;                /* of the rows, above 0 and below 1; 0: GERSH_EVALUATE_TEST_SHARE */
    gersh_evaluate_callback progress; /* or NULL */
    void *progress_context;
    const gersh_cancel *cancel; /* or NULL; what was done until then is returned */
} gersh_evaluate_options;

typedef enum gersh_evaluate_kind {
    GERSH_EVALUATE_EUCLIDEAN, /* the scaled rows as they are */
    GERSH_EVALUATE_FITTED,
    GERSH_EVALUATE_TUNED
} gersh_evaluate_kind;

/* One way to a metric, over all splits in which it gave predictions. */
typedef struct gersh_evaluate_row {
    gersh_evaluate_kind kind;
    char *
        objective; /* "euclidean", the objective ("auto" where gersh_model_fit is to choose it), or "tuned" */
    char *solver; /* NULL unless the kind is GERSH_EVALUATE_FITTED */
    /* No row has a better mean accuracy, or of targets a smaller mean RMSE; rows with all splits take part. */
    int best;
    size_t splits;             /* that gave predictions; with 0, all numbers below are 0 */
    size_t failed;             /* that gave none */
    char *failure;             /* why the first of these failed, or "" */
    size_t switched;           /* fits of the objective auto that learned with another one than mcml */
    size_t stops[GERSH_STOPS]; /* fits by their gersh_stop; none without fits, nor of searches */
    double *score; /* of each split, the accuracy, or of targets the RMSE; NaN where there is none */

    /* Means and sample deviations over the splits; a deviation is NaN with one split. Of classes: */
    double accuracy_mean, accuracy_std;
    double balanced_accuracy_mean; /* mean over the classes of the test rows of the share that is right */
    /* of targets: */
    double rmse_mean, rmse_std;
    double r2_mean, r2_std; /* NaN where any split has test rows of one and the same target */
    double seconds_mean;    /* of the fit, or of the search with its last fit; 0 for the Euclidean metric */

    /*
     * Against the Euclidean metric, over the splits that both have. The t test is paired, its variance multiplied by
     * 1/n + test/train instead of 1/n, as training rows of different splits overlap (Nadeau and Bengio, Inference
     * for the generalization error, 2003).
     */
    size_t compared; /* splits; with 0, what follows is 0 */
    double
        difference_mean; /* how much better the row is: accuracy less accuracy, or Euclidean RMSE less RMSE */
    size_t wins, ties, losses;
    int has_p; /* two splits at least */
    double p;  /* two-sided */
} gersh_evaluate_row;

typedef struct gersh_evaluation {
    int regress; /* real-valued targets: R² and RMSE instead of accuracies */
    size_t count;
    gersh_evaluate_row
        *row;           /* the Euclidean metric; by objective, then by solver, as named; the tuned one */
    size_t splits;      /* that every row is meant to have */
    size_t train, test; /* rows of each split */
    size_t unseen;   /* test rows, over all splits, of a class that no training row of their split has: they
                                count as errors */
    int interrupted; /* not all splits of all rows are there */
    int memory_short; /* a split of a row failed as memory was short, as the row says */
} gersh_evaluation;

/*
 * Split number `which` of an evaluation: gersh_split_test with the seed `seed` + which of the settings. settings and
 * options may be NULL.
 */
GERSH_API gersh_status gersh_evaluate_split(gersh_split **out, const gersh_dataset *data,
                                            const gersh_settings *settings,
                                            const gersh_evaluate_options *options, size_t which);

/*
 * For every split, learns from the training rows and predicts the test rows, as the settings `classifier` and
 * `neighbors` say. Scaling, and the means that stand for missing values, are those of the training rows. The data is
 * not scaled yet. Weights count in learning and voting; test rows all count the same.
 *
 * Several fits run at a time as the setting `threads` says, each of them in one thread: the numbers do not depend on
 * how many there are, seconds and what a limit of seconds ends apart. A fit that fails is noted in its row; only when
 * no metric was learned at all, the evaluation fails. What is interrupted does not count. settings and options may be
 * NULL.
 */
GERSH_API gersh_status gersh_evaluate(gersh_evaluation **out, const gersh_dataset *data,
                                      const gersh_settings *settings,
                                      const gersh_evaluate_options *options);
GERSH_API void gersh_evaluation_free(gersh_evaluation *evaluation);

#ifdef __cplusplus
}
#endif
#endif
