/*
 * The engine: minimises F(D(M)) over M = ρI + Σ θ_a z_a z_aᵀ, θ >= 0, Σθ <= B, z the atoms of a region. It
 * keeps the weights θ, the atoms' projections X z, and the distances d; nothing of size K × K.
 */
#ifndef GERSH_SRC_SOLVER_FRANK_WOLFE_H
#define GERSH_SRC_SOLVER_FRANK_WOLFE_H

#include "gersh/fit.h"
#include "objective/objective.h"
#include "pairs/gradient.h"
#include "region/region.h"
#include "solver/witness.h"

#define GERSH__NARROWEST 1e-9 /* a width of the smoothing that is not made narrower */

/* When to stop, and whom to tell. Shared by all stages of a fit. */
typedef struct gersh__limits {
    double tol;
    int max_iter;
    double start; /* clock at the start of the fit */
    double max_seconds;
    double cutoff; /* a region that cannot get below this value is left */
    double enough; /* a search ends at this value */
    double widest; /* smoothing of the first iterations */
    int tries;     /* of `balanced`: flips of colours may take so many times the iterations before them */
    const gersh_cancel *cancel;
    gersh_progress_callback progress;
    void *progress_context;
} gersh__limits;

typedef struct gersh__engine {
    const gersh__pairs *pairs;
    gersh__objective *objective;
    gersh__gradient *gradient;
    double rho, budget; /* budget: B = C − Kρ */
    int dense;          /* atoms are dense vectors */
    size_t atoms, capacity;
    gersh_atom *atom;
    double *vector; /* capacity × k, of dense atoms */
    double *theta;
    size_t projected; /* atoms, from the first one on, whose t is there */
    double *t;        /* capacity × n: X z, with mean 0 */
    double *score, *step, *hessian, *work;
    int *free_set;
    double *base; /* distances under ρI */
    double *d, *g, *next_d, *next_g, *delta;
    size_t scored;          /* atoms, from the first one on, whose score is that of g */
    int updated;            /* whether the gradient is that of g */
    double value;           /* F(d), as minimised */
    double bound;           /* certified for the region of the last solve, */
    gersh__witness witness; /* and where it was found */
    double floor;           /* 1e-6 |F((C/K) I)|, the least scale of a relative gap */
    int iterations, newton_steps;
    int full_passes;                 /* calls of the linear minimiser over all pairs */
    struct gersh__sketch *sketch;    /* or NULL; see sketch.h */
    gersh__working_set *working_set; /* of the regions of one stage after the other */
    double *turned;                  /* k, scratch, of dense atoms */
    double seconds_gradient, seconds_minimizer, seconds_objective, seconds_step, seconds_eigen;
} gersh__engine;

gersh_status gersh__engine_new(gersh__engine **out, const gersh__pairs *pairs, gersh__objective *objective,
                               double rho, double budget, int dense);
void gersh__engine_free(gersh__engine *engine);

/* Begins at the metric's atoms, scaled down to the budget if need be. */
gersh_status gersh__engine_start(gersh__engine *engine, const gersh_metric *metric);

/*
 * Minimises over the region from where the engine is (edges that are not the region's are first turned into
 * their diagonal parts); engine->bound is then a lower bound of F over it. *stop says how it ended.
 */
gersh_status gersh__engine_solve(gersh__engine *engine, gersh__region *region, const char *stage,
                                 const gersh__limits *limits, gersh_stop *stop);

/*
 * The value at the atoms that are there, exact where the objective is smoothed, and unless `bound` is NULL a
 * lower bound of F over the region from the gradient there, at that width of the smoothing.
 */
gersh_status gersh__engine_measure(gersh__engine *engine, gersh__region *region, double width,
                                   double *value, double *bound);

/* Brings the gradient to g. */
void gersh__engine_gradient(gersh__engine *engine);

/* Value as minimised, exact where the objective is smoothed. */
double gersh__engine_value(const gersh__engine *engine);

/* The value at d of the linear function with the gradient g that is nowhere above the objective. */
double gersh__engine_lower(const gersh__engine *engine);

/* Whether value and bound agree to the tolerance. */
int gersh__engine_close(const gersh__engine *engine, double bound, double tol);

gersh_status gersh__engine_metric(gersh_metric **out, const gersh__engine *engine);

#endif
