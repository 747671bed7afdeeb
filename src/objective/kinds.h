/*
 * The objectives that there are; each is defined in the file of its name, those of comparisons in
 * comparisons.c.
 */
#ifndef GERSH_SRC_OBJECTIVE_KINDS_H
#define GERSH_SRC_OBJECTIVE_KINDS_H

#include "objective/objective.h"

extern const gersh__objective_kind gersh__glr;
extern const gersh__objective_kind gersh__mcml, gersh__mcml_pairs;
extern const gersh__objective_kind gersh__deml;
extern const gersh__objective_kind gersh__lsml, gersh__lsml_compared;
extern const gersh__objective_kind gersh__lmnn, gersh__lmnn_compared;

#endif
