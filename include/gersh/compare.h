/*
 * Comparing solvers and objectives on one data set: fits of every objective with every solver, on the whole
 * data or on many small folds of it, side by side.
 */
#ifndef GERSH_COMPARE_H
#define GERSH_COMPARE_H

#include "gersh/fit.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gersh_compare_folds {
    GERSH_COMPARE_WHOLE, /* one fit on all rows, scaled as the setting `scale` says */

    /*
     * round(N/4) stratified folds. Each fit gets the rows of one fold, 1e-12 times standard normal noise
     * added to the features, then the scaling `paper` fitted to the fold. Folds of one class are skipped.
     */
    GERSH_COMPARE_PAPER
} gersh_compare_folds;

/* Where a running comparison is. */
typedef struct gersh_compare_progress {
    size_t done, total;             /* fits */
    const char *objective, *solver; /* of the fit that begins, goes on or ends now */
    size_t fold;                    /* its fold, from 0 */
    const gersh_progress *fit;      /* where that fit is; NULL when it begins or ends */
    double seconds;                 /* since the comparison began */
} gersh_compare_progress;

/* Called by one thread at a time, but not always by the same one. */
typedef void (*gersh_compare_callback)(void *context, const gersh_compare_progress *progress);

typedef struct gersh_compare_options {
    const char *objectives; /* names separated by commas, or "all"; NULL: that of the settings */
    const char *solvers;    /* names separated by commas, or "all"; NULL: all */
    gersh_compare_folds folds;
    size_t max_folds;  /* of the paper's folds, only the first ones; 0: all */
    int no_eigenvalue; /* lambda_min is not computed, and 0: it may take longer than the fit */
    gersh_compare_callback progress; /* or NULL */
    void *progress_context;
    const gersh_cancel *cancel; /* or NULL; what was done until then is returned */
} gersh_compare_options;

/* One objective with one solver, over all folds whose fit gave a metric. */
typedef struct gersh_compare_row {
    char *objective, *solver;
    int maximized;          /* a larger value is better */
    int best;               /* no row of the objective has a better value; only rows without a failed, an
                               interrupted or a missing fit take part */
    size_t folds;           /* fits that gave a metric; with 0, all numbers below are 0 */
    size_t failed;          /* fits that gave none */
    char *failure;          /* why the first of these failed, or "" */
    double objective_value; /* mean */
    int has_bound;          /* every fit has one */
    double bound, gap;      /* means */
    double seconds;         /* sum */
    size_t iterations;      /* sum */
    double lambda_min;      /* smallest */
    double edges;           /* mean */
    int balanced;           /* all graphs are */
    double share_gradient, share_minimizer, share_objective, share_step, share_eigen; /* of the seconds */
    size_t stops[GERSH_STOPS]; /* fits by their gersh_stop */
} gersh_compare_row;

typedef struct gersh_comparison {
    size_t count;
    gersh_compare_row *row; /* by objective, then by solver, in the order in which they were named */
    size_t all_folds;       /* that the data was divided into; 1 for the whole data */
    size_t folds;           /* that every row is meant to have */
    size_t skipped;         /* folds that were left out as they have one class only */
    int interrupted;        /* not all fits are there, or not all ended by themselves */
    int memory_short;       /* a fit failed as memory was short, as its row says */
} gersh_comparison;

/*
 * Runs all fits, several at a time as the setting `threads` says, each of them in one thread: the numbers
 * do not depend on how many there are, the seconds apart. The data is not scaled yet. A fit that fails is
 * noted in its row; only when there is no metric at all, the comparison fails. settings and options may be
 * NULL.
 */
GERSH_API gersh_status gersh_compare(gersh_comparison **out, const gersh_dataset *data,
                                     const gersh_settings *settings, const gersh_compare_options *options);
GERSH_API void gersh_comparison_free(gersh_comparison *comparison);

#ifdef __cplusplus
}
#endif
#endif
