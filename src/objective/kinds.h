/* Kinds of objectives that are in another file than their entry: those of comparisons are in comparisons.c. */
#ifndef GERSH_SRC_OBJECTIVE_KINDS_H
#define GERSH_SRC_OBJECTIVE_KINDS_H

#include "objective/objective.h"

extern const gersh__objective_kind gersh__mcml_pairs, gersh__lsml_compared, gersh__lmnn_compared;

/* Stands for the width 0 of what is smoothed. */
#define GERSH__NO_WIDTH 1e-300

/*
 * Of lmnn: 1 + x − y is rounded in proportion to 1 + x + y. That shifts the point where the hinge has its tangent, and the
 * tangent, which stays below the hinge, by no more than the shift times its slope.
 */
double gersh__margin_doubt(const gersh__pairs *pairs, const double *d, const double *g);

#endif
