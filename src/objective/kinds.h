/* Kinds of objectives that are in another file than their entry: those of comparisons are in comparisons.c. */
#ifndef GERSH_SRC_OBJECTIVE_KINDS_H
#define GERSH_SRC_OBJECTIVE_KINDS_H

#include "objective/objective.h"

extern const gersh__objective_kind gersh__mcml_pairs, gersh__lsml_compared, gersh__lmnn_compared;

/* Stands for the width 0 of what is smoothed. */
#define GERSH__NO_WIDTH 1e-300

/*
 * Of lmnn: what rounding leaves in a + Σ g_p d_p, as a sum over the pairs, and slopes of the hinge that come out above 1 by
 * some roundings. Where slopes are between 0 and 1 it does not matter which they are.
 */
double gersh__margin_doubt(const gersh__pairs *pairs, const double *d, const double *g);

#endif
