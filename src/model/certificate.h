/* What the certificate of a model says, in words. */
#ifndef GERSH_SRC_MODEL_CERTIFICATE_H
#define GERSH_SRC_MODEL_CERTIFICATE_H

#include "gersh/model.h"

/*
 * Whether the bound tells more than is known without it: of objectives that are never negative 0 is
 * one. Where the value is 0 as well, it does.
 */
int gersh__bound_tells(const gersh_model *model);

#endif
