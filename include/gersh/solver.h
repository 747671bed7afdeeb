/* Solvers: which there are, and what is true of their metrics and bounds. */
#ifndef GERSH_SOLVER_H
#define GERSH_SOLVER_H

#include "gersh/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which metrics ρI + Σ θ_a z_a z_aᵀ a bound holds for: by the vectors z of one entry, of two, or all. */
typedef enum gersh_bound_set {
    GERSH_BOUND_NONE, /* there is no bound */
    GERSH_BOUND_DIAGONAL,
    GERSH_BOUND_HULL,
    GERSH_BOUND_PSD
} gersh_bound_set;

/* What the graph of a solver's metrics may be. */
typedef enum gersh_graph_signs {
    GERSH_SIGNS_FREE,
    GERSH_SIGNS_BALANCED,
    GERSH_SIGNS_POSITIVE,
    GERSH_SIGNS_NO_EDGES
} gersh_graph_signs;

/* What is true of a solver. Constant: threads may share it, and nobody frees it. */
typedef struct gersh_solver_info {
    const char *name;        /* as in the setting `solver` */
    const char *help;        /* a line for lists */
    gersh_bound_set bound;   /* which metrics its bound holds for */
    gersh_graph_signs signs; /* what its graphs may be */
    int dense;               /* its atoms are dense vectors, and such a metric is what it can start from */
    int rules;               /* it keeps rules for pairs of features */
    int learns;              /* 0: its metric is (C/K) I, whatever the data say */
} gersh_solver_info;

/* The solvers one after the other, from 0, in the order of the setting's choices; NULL beyond the last. */
GERSH_API const gersh_solver_info *gersh_solver_at(int index);

/* The one of that name; NULL where there is none. */
GERSH_API const gersh_solver_info *gersh_solver_find(const char *name);

/*
 * Whether the solver reads the setting of that name. Settings of the group GERSH_SETTINGS_FIT that some solvers read of
 * their own must be at their defaults for the others.
 */
GERSH_API int gersh_solver_reads(const gersh_solver_info *solver, const char *setting);

#ifdef __cplusplus
}
#endif
#endif
