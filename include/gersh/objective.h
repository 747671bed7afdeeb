/* Objectives: one of the user's own, a convex function of the distances of pairs of rows, and their
 * direction. */
#ifndef GERSH_OBJECTIVE_H
#define GERSH_OBJECTIVE_H

#include "gersh/base.h"

#ifdef __cplusplus
extern "C" {
#endif

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

/* Whether a larger value of the objective of that name is better; 0 for names that are none. */
GERSH_API int gersh_objective_is_maximized(const char *name);

#ifdef __cplusplus
}
#endif
#endif
