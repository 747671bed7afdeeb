/* Objectives: those that there are, and one of the user's own, a convex function of the squared distances of pairs of rows. */
#ifndef GERSH_OBJECTIVE_H
#define GERSH_OBJECTIVE_H

#include "gersh/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a metric may be learned from, as bits. */
typedef enum gersh_supervision {
    GERSH_SUPERVISION_CLASSES = 1,
    GERSH_SUPERVISION_TARGETS = 2, /* real-valued labels */
    GERSH_SUPERVISION_PAIRS = 4,   /* similar and dissimilar ones: see gersh/tuples.h */
    GERSH_SUPERVISION_TRIPLETS = 8,
    GERSH_SUPERVISION_QUADRUPLETS = 16
} gersh_supervision;

/* "classes", "targets", ...: of one bit. */
GERSH_API const char *gersh_supervision_name(gersh_supervision supervision);

/* What is true of an objective. Constant: threads may share it, and nobody frees it. */
typedef struct gersh_objective_info {
    const char *name;   /* as in the setting `objective` */
    const char *help;   /* a line for lists */
    unsigned takes;     /* what it can learn from: bits of gersh_supervision */
    unsigned automatic; /* those of them for which the setting `auto` is this objective, */
    unsigned second;    /* and for which it is tried where the first one helps little */
    int maximized;      /* a larger value is better, and a bound is above the value */
    int nonnegative;    /* no value is below 0: 0 is a bound from the start */
    int homogeneous;    /* F(c d) is a power of c times F(d): the size of the distances does not matter */
    int smoothed;       /* it is minimised by way of smooth functions near it */
    int local;          /* pairs that are far apart do not matter: a class may lie in several places */
    double mean;        /* mean squared distance under (C/K) I that --trace auto sets */
} gersh_objective_info;

/* The objectives one after the other, from 0, in the order of the setting's choices; NULL beyond the last. */
GERSH_API const gersh_objective_info *gersh_objective_at(int index);

/* The one of that name; NULL where there is none. */
GERSH_API const gersh_objective_info *gersh_objective_find(const char *name);

typedef struct gersh_custom_objective {
    void *context;

    /*
     * The value at the distances of all pairs of rows, to be minimised; it must be convex and
     * differentiable. Pair p joins the rows first[p] and second[p] of the data. gradient, unless NULL, gets
     * `pairs` entries.
     */
    double (*evaluate)(void *context, size_t pairs, const size_t *first, const size_t *second,
                       const double *distance, double *gradient);

    /* out = Hessian at `distance` times v; NULL: by differences of the gradient. */
    void (*curvature)(void *context, size_t pairs, const double *distance, const double *v, double *out);
} gersh_custom_objective;

#ifdef __cplusplus
}
#endif
#endif
