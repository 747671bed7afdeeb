/* The model's fields; see gersh/model.h. */
#ifndef GERSH_SRC_MODEL_MODEL_H
#define GERSH_SRC_MODEL_MODEL_H

#include "gersh/model.h"

struct gersh_model {
    gersh_metric *metric;
    gersh_scaling *scaling;
    gersh_settings *settings; /* every setting set to its value in force */
    gersh_fit_info info;
    char *version;
    int regress; /* real-valued targets instead of classes */
    int custom;
    size_t rows;
    size_t features;
    char **feature_names;
    size_t classes;
    char **class_names;
    int *color;          /* features of them, or NULL */
    gersh_dataset *data; /* or NULL */
};

/* Version of the file's layout. */
#define GERSH__MODEL_FORMAT 1

/* A tensor of the file; both directions of gersh_model_write and gersh_model_read go through this table. */
typedef enum gersh__tensor_id {
    GERSH__ATOM_WEIGHT,
    GERSH__ATOM_NODES,
    GERSH__ATOM_ENTRIES,
    GERSH__DENSE_ATOMS,
    GERSH__MEAN,
    GERSH__DEVIATION,
    GERSH__COLOR,
    GERSH__X,
    GERSH__CLASS,
    GERSH__TARGET,
    GERSH__WEIGHT,
    GERSH__TENSORS
} gersh__tensor_id;

typedef struct gersh__tensor_kind {
    const char *name;
    int whole; /* I64, else F64 */
    int dimensions;
} gersh__tensor_kind;

extern const gersh__tensor_kind gersh__tensor_kinds[GERSH__TENSORS];

#endif
