/*
 * Digests (SHA-256) of what a certificate is about: the training samples with their scaling, and the metric. They tell a
 * model apart from one of other data; they are no signature. docs/model-file.md says what is digested.
 */
#ifndef GERSH_SRC_MODEL_DIGEST_H
#define GERSH_SRC_MODEL_DIGEST_H

#include "model/model.h"

/* In lower-case hexadecimal digits. `data` is not scaled. */
void gersh__digest_samples(char out[GERSH__DIGEST_SIZE], const gersh_model *model,
                           const gersh_dataset *data);
void gersh__digest_metric(char out[GERSH__DIGEST_SIZE], const gersh_metric *metric);

#endif
