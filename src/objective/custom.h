/* The objective of a user's own; see gersh/objective.h. */
#ifndef GERSH_SRC_OBJECTIVE_CUSTOM_H
#define GERSH_SRC_OBJECTIVE_CUSTOM_H

#include "gersh/objective.h"
#include "objective/objective.h"

extern const gersh__objective_entry gersh__objective_custom;

/* The struct is copied; what its context points to must last as long as the objective. */
gersh_status gersh__objective_new_custom(gersh__objective **out, const gersh_custom_objective *custom,
                                         const gersh__pairs *pairs);

#endif
