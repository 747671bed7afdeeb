/* A model file that is being read; see read.c. */
#ifndef GERSH_SRC_MODEL_READER_H
#define GERSH_SRC_MODEL_READER_H

#include <jansson.h>

#include "io/read.h"
#include "model/model.h"

typedef struct gersh__tensor {
    int present;
    size_t shape[2], count;
    size_t start, end; /* bytes after the head */
} gersh__tensor;

typedef struct gersh__model_reader {
    gersh__content content;
    const unsigned char *bytes; /* the tensors */
    size_t size;
    json_t *head, *about; /* the head, and the text in its __metadata__ */
    gersh__tensor tensor[GERSH__TENSORS];
    gersh_model *model;
    char metric_digest[GERSH__DIGEST_SIZE];
} gersh__model_reader;

/* Entry e of a tensor: its bits, its value, or a whole number from 0 to limit − 1 (GERSH__NONE for any
 * other). */
uint64_t gersh__tensor_bits(const gersh__model_reader *r, int id, size_t e);
double gersh__tensor_real(const gersh__model_reader *r, int id, size_t e);
size_t gersh__tensor_index(const gersh__model_reader *r, int id, size_t e, size_t limit);

/* Fails unless the tensor is there with these dimensions (the second counts for those that have two) and finite; or if it is. */
gersh_status gersh__tensor_want(const gersh__model_reader *r, int id, size_t first, size_t second);
gersh_status gersh__tensor_reject(const gersh__model_reader *r, int id);

/*
 * The training rows, the tuples and the bootstrap's edges, where the file has them. The shapes are checked,
 * and what the description says of them is in the model.
 */
gersh_status gersh__model_read_data(gersh__model_reader *r);
gersh_status gersh__model_read_tuples(gersh__model_reader *r);
gersh_status gersh__model_read_bootstrap(gersh__model_reader *r);

/* Fails where what the model says contradicts itself. */
gersh_status gersh__model_check_claims(const gersh_model *model);

/* The contributions of the features; of a file without them, computed from its training samples where it has these. */
gersh_status gersh__model_read_importance(gersh__model_reader *r);

#endif
