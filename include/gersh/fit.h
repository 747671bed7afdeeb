/*
 * Learning a metric: minimises an objective over a region of metrics, with a certificate.
 */
#ifndef GERSH_FIT_H
#define GERSH_FIT_H

#include "gersh/data.h"
#include "gersh/metric.h"
#include "gersh/objective.h"
#include "gersh/settings.h"
#include "gersh/solver.h"
#include "gersh/tuples.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a search ended. */
typedef enum gersh_stop {
    GERSH_STOP_CONVERGED, /* the value is certified to be within the tolerance of the best possible */
    GERSH_STOP_MAX_ITER,  /* a limit ended it */
    GERSH_STOP_MAX_TIME,
    GERSH_STOP_INTERRUPTED, /* by the caller */
    GERSH_STOP_SETTLED /* it found nothing better, but the certificate is wider than the tolerance, or none */
} gersh_stop;

enum { GERSH_STOPS = 5 }; /* how many there are */

GERSH_API const char *gersh_stop_name(gersh_stop stop); /* "converged", "max_iter", ... */

/* Where a running fit is. value and bound are the user's (for a maximised objective the bound is above). */
typedef struct gersh_progress {
    const char *stage; /* "hull", "balanced", ... */
    int iteration;
    double value, bound, gap;
    size_t atoms;
    double seconds;
} gersh_progress;

typedef void (*gersh_progress_callback)(void *context, const gersh_progress *progress);

/* What may be said of a pair of features before learning. */
typedef enum gersh_edge_kind {
    GERSH_EDGE_ALLOWED,   /* once any pair is allowed, pairs that no rule names are forbidden */
    GERSH_EDGE_FORBIDDEN, /* M_ij = 0 */
    GERSH_EDGE_POSITIVE,  /* an edge only of positive weight: M_ij <= 0 */
    GERSH_EDGE_NEGATIVE   /* an edge only of negative weight: M_ij >= 0 */
} gersh_edge_kind;

typedef struct gersh_edge_rule {
    size_t first, second;
    gersh_edge_kind kind;
} gersh_edge_rule;

typedef struct gersh_fit_options {
    const double *weights;        /* one a row, 0 or from 1e-30 to 1e30, or NULL: all 1 */
    const gersh_edge_rule *rules; /* or NULL */
    size_t rule_count;
    const gersh_tuples *tuples; /* what to learn from, instead of labels, or NULL; weights are multiplied */
    const gersh_metric
        *start; /* where to begin, or NULL; its atoms are checked as those of a model file are */
    const gersh_custom_objective *custom; /* the objective, instead of the setting's, or NULL */
    gersh_progress_callback progress;     /* or NULL */
    void *progress_context;
    const gersh_cancel *cancel; /* or NULL; the best metric so far is then returned */
} gersh_fit_options;

/* Which pairs of rows a fit learned from. */
typedef enum gersh_pair_choice {
    GERSH_CHOICE_ALL,     /* all pairs */
    GERSH_CHOICE_TUPLES,  /* those of the tuples */
    GERSH_CHOICE_SAMPLED, /* random ones, that stand for all */
    GERSH_CHOICE_MINED /* of lmnn: targets, the nearest impostors, and random rows that stand for the others */
} gersh_pair_choice;

GERSH_API const char *gersh_pair_choice_name(gersh_pair_choice choice); /* "all", "tuples", ... */

typedef struct gersh_fit_info {
    double objective_value;
    int has_bound; /* 0: none is claimed, as with solvers that have none, or where rounding leaves none */
    double
        bound; /* certified, what rounding may have added being taken off (docs/theory.md, "Bounds in floating
                       point"): no metric is better of the set that was searched; of `balanced`, no balanced
                       graph metric, nor any of their convex hull */
    double gap; /* |objective_value − bound| */
    double
        relative_gap; /* gap over |objective_value|, or over 1e-6 times the value at (C/K) I where that is
                            more: what the tolerance is compared with; not a number without a bound */
    double
        search_gap; /* the part of gap that a longer search would close; the rest of it is between the best
                            balanced graph that was found and the convex hull, or is due to sampling */
    double tol;     /* the tolerance: the setting `tol` */
    int iterations; /* calls of the linear minimiser */
    int newton_steps;
    double seconds;
    gersh_stop stop;
    double budget; /* the trace allowed, C */
    double rho;
    double seconds_gradient, seconds_minimizer, seconds_objective, seconds_step; /* where the time went */
    double seconds_eigen; /* in eigenvectors and eigen-decompositions of M */

    gersh_pair_choice choice;
    double pairs;     /* that the fit learned from, at last */
    double pairs_all; /* that there are: of all rows (lmnn: of those it draws from), or of the tuples */
    double rows_used; /* that occur in these pairs */
    int rounds;       /* of drawing pairs and learning from them; 1 for all pairs and tuples */
    /* 0: objective_value is that of all pairs, and `bound` certain. Else the value is an unbiased estimate, off by
     * at most this with a confidence of 95 %, from pairs that neither taught nor chose the metric; and `bound` holds
     * over all pairs with 95 % */
    double value_error;
    double memory; /* bytes that the fit takes at most, as planned before it began */
} gersh_fit_info;

/*
 * Learns from data that is already scaled, as the settings of the group GERSH_SETTINGS_FIT say. info,
 * settings and options may be NULL. Stopping early (max_iter, max_time, cancel) is not an error; a setting that the
 * solver does not use, but is not at its default, is one. With tuples, labels and targets of the data count
 * for nothing.
 */
GERSH_API gersh_status gersh_fit(gersh_metric **out, gersh_fit_info *info, const gersh_dataset *data,
                                 const gersh_settings *settings, const gersh_fit_options *options);

#ifdef __cplusplus
}
#endif
#endif
