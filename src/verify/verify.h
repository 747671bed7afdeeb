/*
 * The independent verifier; see gersh_model_verify. It shares with the solvers nothing but the definitions: M is built
 * from the atoms, the objectives and their derivatives are sums over samples and tuples as docs/theory.md writes them,
 * and a bound is one gradient and one linear minimum.
 */
#ifndef GERSH_SRC_VERIFY_VERIFY_H
#define GERSH_SRC_VERIFY_VERIFY_H

#include "model/model.h"
#include "solver/solver.h"

/*
 * M from the atoms. Features that no atom touches have M_ii = ρ and nothing else, so that the matrix is
 * kept for the touched ones only.
 */
typedef struct gersh__dense {
    size_t features;
    double rho;
    size_t touched;
    size_t *feature; /* touched of them: their features, ascending */
    size_t *place;   /* features of them: the place among the touched, GERSH__NONE for the others */
    double *m;       /* touched × touched */
} gersh__dense;

gersh_status gersh__dense_build(gersh__dense *dense, const gersh_metric *metric);

/* The identity times `factor`. */
gersh_status gersh__dense_identity(gersh__dense *dense, size_t features, double factor);
void gersh__dense_clear(gersh__dense *dense);

/* Whether M_ij of two places is not 0 but for rounding. */
int gersh__dense_is_edge(const gersh__dense *dense, size_t a, size_t b);
double gersh__dense_trace(const gersh__dense *dense);
gersh_status gersh__dense_smallest(double *eigenvalue, const gersh__dense *dense);

/* A metric with the samples that it is held against, and what is found there. */
typedef struct gersh__problem {
    size_t n, k;
    const gersh_dataset *data;  /* scaled, not sparse */
    const gersh_tuples *tuples; /* or NULL */
    const gersh__dense *dense;
    double
        width; /* of the zone in which the slope of the hinge of lmnn is between 0 and 1; 0 for the hinge itself */
    double *image; /* n × touched: M (x − first row) on the touched features */
    double *row;   /* n: scratch */
    double value;
    double margins; /* the size of what was added up: rounding leaves some 1e-16 of it in the value */
    /* The gradient, unless y is NULL: G = Σ_p g_p Δ_p Δ_pᵀ = Xᵀ Y for the function that is minimised. */
    double *y;      /* n × k: Σ_j g_ij (x_i − x_j) */
    double *pulled; /* n: Σ_j |g_ij|, or the sizes of what cancelled in g_ij */
    double linear;  /* Σ g_p d_p */
    double size;    /* Σ |g_p| d_p */
    double
        shaken; /* lmnn: Σ w (1 + its distances) / width of the hinges in the zone: how rounding moves slopes */
    double floor; /* of the distances whose root is taken */
    int endless;  /* a derivative is infinite */
} gersh__problem;

/* What the verifier knows of an objective, beside its definition. */
typedef struct gersh__reference {
    const char *name;
    int maximized;
    int never_negative;
    double mean; /* that --trace auto gives the squared distances under (C/K) I */
    /* By what the metric is learned from; NULL: the objective is not defined for that. */
    gersh_status (*classes)(gersh__problem *p);
    gersh_status (*targets)(gersh__problem *p);
    gersh_status (*pairs)(gersh__problem *p);    /* similar and dissimilar ones */
    gersh_status (*compared)(gersh__problem *p); /* triplets and quadruplets */
} gersh__reference;

/* NULL when there is none of that name. */
const gersh__reference *gersh__reference_find(const char *name);

/* Value and, with `gradient`, derivatives at the metric; clear afterwards, also on failure. */
gersh_status gersh__problem_solve(gersh__problem *p, const gersh__reference *reference,
                                  const gersh__dense *dense, const gersh_dataset *scaled,
                                  const gersh_tuples *tuples, int gradient, double width);
void gersh__problem_clear(gersh__problem *p);

double gersh__problem_weight(const gersh__problem *p, size_t row);

/* (x − y)ᵀ M (x − y) of two samples. */
double gersh__problem_distance(const gersh__problem *p, size_t i, size_t j);

/* dF/dd of a pair is g (more), as a difference of numbers whose sizes add up to `size`: joins the gradient. */
void gersh__problem_pull(gersh__problem *p, size_t i, size_t j, double d, double g, double size);

/* A pair of samples: its length √d, its weight, and whether it is similar, or of one class. */
typedef struct gersh__span {
    double length, weight;
    size_t i, j;
    int same;
} gersh__span;

/* lsml: Σ w_s w_t (s − t)² over similar s and others t with s > t. */
gersh_status gersh__problem_lsml(gersh__problem *p, gersh__span *spans, size_t count);

/*
 * √d has no derivative at 0. For the gradient, distances below 1e-16 of their mean are lifted to that, both in the value
 * and in the gradient, which leaves the tangent below F. Samples with the same features have the distance 0 under every
 * metric, and no part in it. `sum`: of `count` distances. Lifted are those given to gersh__problem_lift.
 */
void gersh__problem_set_floor(gersh__problem *p, double sum, size_t count);
double gersh__problem_lift(const gersh__problem *p, size_t i, size_t j, double d);

/* Derivative of √d, to be multiplied by a factor; notes where it is infinite. */
double gersh__problem_root_slope(gersh__problem *p, size_t i, size_t j, double length);

/*
 * The line *slope · x, nowhere above the hinge max(x, 0): the slope rises from 0 to 1 over the width p->width around 0, and
 * with the width 0 the line is the hinge.
 */
double gersh__problem_hinge(gersh__problem *p, double x, double weight, double size, double *slope);

/* The objectives of tuples. */
gersh_status gersh__tuples_glr(gersh__problem *p), gersh__tuples_deml(gersh__problem *p),
    gersh__tuples_lsml(gersh__problem *p), gersh__tuples_mcml(gersh__problem *p),
    gersh__tuples_lsml_compared(gersh__problem *p), gersh__tuples_lmnn_compared(gersh__problem *p);

/*
 * A lower bound of the minimised function over the metrics ρI + Σ θ_a z_a z_aᵀ, θ >= 0, Σθ <= budget, z of the set, from
 * the value and the gradient of the problem. *error: what rounding may have done to it.
 */
gersh_status gersh__bound_from(double *bound, double *error, const gersh__problem *p, double value,
                               gersh_bound_set set, const gersh_model *model, double budget);

/* What the checks share. */
typedef struct gersh__verification {
    gersh_verification *report;
    const gersh_model *model;
    const gersh__solver *solver;
    const gersh__reference *reference; /* NULL: the objective is not known here, */
    const char *unknown;               /* and why */
    const char *without;               /* why a check that needs samples is not made */
    gersh_dataset *scaled;             /* the samples, dense; or NULL */
    gersh__dense dense;                /* M */
    double value;                      /* of the minimised function at M, once that is checked, */
    double slack;                      /* and what rounding may do to it */
    double scale; /* of relative gaps: the value, or 1e-6 of that under (C/K) I where it is more */
} gersh__verification;

gersh_check *gersh__verify_add(gersh__verification *v, const char *name, gersh_check_result result,
                               const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Passes where the two numbers differ by the tolerance at most. `what` begins the sentence. */
void gersh__verify_compare(gersh__verification *v, const char *name, const char *what, double stated,
                           double recomputed, double tolerance);

/* Signs, colours, edge rules, smallest eigenvalue and trace of M. */
gersh_status gersh__verify_metric(gersh__verification *v);

/*
 * Takes dense samples through the feature maps of the model, and standardises targets, by definition. *difference: the
 * largest relative one between what the maps have learned and what they should have; 1 where the maps are not those that
 * the settings ask for.
 */
gersh_status gersh__verify_scale(double *difference, gersh_dataset *data, const gersh_model *model);

/* C and ρ of the settings; with --trace auto from the scaled data, else that may be NULL. *known: whether C is found. */
gersh_status gersh__limits_find(double *trace, double *rho, int *known, const gersh_model *model,
                                const gersh__reference *reference, const gersh_dataset *scaled);

/* Largest difference between the contributions that the model states and their definition, relative to the largest. */
gersh_status gersh__contribution_difference(double *difference, const gersh_model *model,
                                            const gersh__dense *dense, const gersh_dataset *scaled);

#endif
