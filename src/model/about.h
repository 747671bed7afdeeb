/* The description in a model file; see about.c. */
#ifndef GERSH_SRC_MODEL_ABOUT_H
#define GERSH_SRC_MODEL_ABOUT_H

#include <jansson.h>

#include "model/model.h"

/* Fills the model's fields that are no tensors, and rho with the metric's. model->scaling is there already.
 */
gersh_status gersh__model_read_about(gersh_model *model, double *rho, char *metric_digest, json_t *about);

/* Fails with the sentence that the file is something else. */
gersh_status gersh__model_not_one(void);

#endif
