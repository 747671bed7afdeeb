/* What gersh_model_fit measures beside learning; see fit.c. */
#ifndef GERSH_SRC_EXPERIMENT_FIT_H
#define GERSH_SRC_EXPERIMENT_FIT_H

#include "gersh/model.h"

/*
 * How nearest neighbours classify the samples, not scaled, under the model's metric and without it: samples, accuracy,
 * euclidean and verdict of *out.
 */
gersh_status gersh__training_accuracy(gersh_training_accuracy *out, const gersh_model *model,
                                      const gersh_dataset *data);

#endif
