/* Solvers: each finds its metric with the engine. Adding one is a file here, which defines a gersh__solver, and its name in
 * registry.c. */
#ifndef GERSH_SRC_SOLVER_SOLVER_H
#define GERSH_SRC_SOLVER_SOLVER_H

#include <stdint.h>

#include "base/settings.h"
#include "gersh/solver.h"
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

typedef struct gersh__solver {
    gersh_solver_info info;
    uint64_t reads; /* settings that only it and others that say so read: a sum of GERSH__READS */
    gersh_status (*run)(gersh__solver_run *run);
    const gersh__region_ops *region; /* whose bounds hold for its metrics; NULL: none is sought */
} gersh__solver;

#define GERSH__READS(setting) (UINT64_C(1) << (setting))

/* The solvers one after the other, from 0; NULL beyond the last. */
const gersh__solver *gersh__solver_at(size_t index);

/* NULL when there is none of that name. */
const gersh__solver *gersh__solver_find(const char *name);

/*
 * Fails with one sentence where a setting that only other solvers read is not at its default, or where there are rules for
 * pairs of features that the solver does not keep, and says which solvers do.
 */
gersh_status gersh__solver_check(const gersh__solver *solver, const gersh_settings *settings, int rules);

extern const gersh__solver gersh__solver_sgml, gersh__solver_pgml; /* where balanced may start */

/* One region from start to end, with those colours unless NULL; run->bound is the bound for it. */
gersh_status gersh__solve_region(gersh__solver_run *run, const gersh__region_ops *ops, const double *color);

/*
 * Colours along the maximum spanning forest of |M_ij|. part gets the same number for all nodes of a connected part.
 * *balanced says whether no edge contradicts the colours.
 */
gersh_status gersh__color_nodes(const gersh__engine *engine, double *color, size_t *part, int *balanced);

#endif
