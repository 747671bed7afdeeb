/* Solvers: each finds its metric with the engine. Adding one is a file here and a line in the registry of
 * fit.c. */
#ifndef GERSH_SRC_SOLVER_SOLVER_H
#define GERSH_SRC_SOLVER_SOLVER_H

#include "solver/frank_wolfe.h"

typedef struct gersh__solver_run {
    gersh__engine *engine;
    const gersh__pairs *pairs;
    const gersh__rules *rules;
    const gersh_settings *settings; /* or NULL: the defaults */
    gersh__limits limits;
    gersh_stop stop;
    double bound; /* certified lower bound of F over the hull (psd: over the cone; diagonal: none beyond
                     itself), */
    gersh__witness witness; /* and what it rests on */
    double search_gap; /* the part of value − bound that a longer search would close; infinite: all of it */
} gersh__solver_run;

/*
 * The paper's algorithms have no bound. They stop when an iteration changes the objective by less than this share of the
 * tolerance: with the default one by less than 1e-5, as in the paper's table.
 */
#define GERSH__SETTLED 0.01

/* Which metrics ρI + Σ θ_a z_a z_aᵀ a bound holds for: by the vectors z of one entry, of two, or all. */
typedef enum gersh__bound_set {
    GERSH__BOUND_NONE,
    GERSH__BOUND_DIAGONAL,
    GERSH__BOUND_HULL,
    GERSH__BOUND_PSD
} gersh__bound_set;

/* What the graph of a solver's metrics may be. */
typedef enum gersh__signs {
    GERSH__SIGNS_FREE,
    GERSH__SIGNS_BALANCED,
    GERSH__SIGNS_POSITIVE,
    GERSH__SIGNS_NO_EDGES
} gersh__signs;

typedef struct gersh__solver {
    const char *name;
    int dense; /* its atoms are dense vectors */
    int rules; /* it keeps rules for pairs of features */
    gersh__bound_set bound;
    gersh__signs signs;
    gersh_status (*run)(gersh__solver_run *run);
    const gersh__region_ops *region; /* whose bounds hold for its metrics; NULL: none is sought */
} gersh__solver;

/* The solvers one after the other, from 0; NULL beyond the last. */
const gersh__solver *gersh__solver_at(size_t index);

/* NULL when there is none of that name. */
const gersh__solver *gersh__solver_find(const char *name);

extern const gersh__solver gersh__solver_diagonal, gersh__solver_hull, gersh__solver_psd,
    gersh__solver_balanced, gersh__solver_pdcone, gersh__solver_hbnb, gersh__solver_sgml,
    gersh__solver_pgml, gersh__solver_identity;

/* One region from start to end, with those colours unless NULL; run->bound is the bound for it. */
gersh_status gersh__solve_region(gersh__solver_run *run, const gersh__region_ops *ops, const double *color);

/*
 * Colours along the maximum spanning forest of |M_ij|. part gets the same number for all nodes of a connected part.
 * *balanced says whether no edge contradicts the colours.
 */
gersh_status gersh__color_nodes(const gersh__engine *engine, double *color, size_t *part, int *balanced);

#endif
