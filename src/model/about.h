/* The description in a model file; see about.c. */
#ifndef GERSH_SRC_MODEL_ABOUT_H
#define GERSH_SRC_MODEL_ABOUT_H

#include <jansson.h>

#include "model/reader.h"

/* Fills the fields of the reader's model that are no tensors, its scaling, and rho with the metric's. */
gersh_status gersh__model_read_about(gersh__model_reader *r, double *rho);

/* Fails with the sentence that the file is something else. */
gersh_status gersh__model_not_one(void);

#endif
