/* What the certificate of a model says, in words. */
#ifndef GERSH_SRC_MODEL_CERTIFICATE_H
#define GERSH_SRC_MODEL_CERTIFICATE_H

#include "gersh/model.h"

/* The objective's name, "custom" for the user's own. */
const char *gersh__objective_name(const gersh_model *model);

/*
 * Whether the bound tells more than is known without it: the library's objectives that are minimised have no value
 * below 0. Where the value is 0 as well, it does.
 */
int gersh__bound_tells(const gersh_model *model);

#endif
