/* The objectives that there are; each is defined in the file of its name. */
#ifndef GERSH_SRC_OBJECTIVE_KINDS_H
#define GERSH_SRC_OBJECTIVE_KINDS_H

#include "objective/objective.h"

extern const gersh__objective_kind gersh__glr;
extern const gersh__objective_kind gersh__mcml;
extern const gersh__objective_kind gersh__deml;
extern const gersh__objective_kind gersh__lsml;
extern const gersh__objective_kind gersh__lmnn;

#endif
