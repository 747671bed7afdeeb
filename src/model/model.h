/* The model's fields; see gersh/model.h. */
#ifndef GERSH_SRC_MODEL_MODEL_H
#define GERSH_SRC_MODEL_MODEL_H

#include "data/scaling.h"
#include "gersh/bootstrap.h"
#include "gersh/importance.h"
#include "model/trajectory.h"
#include "solver/witness.h"

/* Where the point is that the bound rests on. */
typedef enum gersh__witness_place {
    GERSH__WITNESS_NONE,   /* there is no bound, or it is 0, of an objective that is never negative */
    GERSH__WITNESS_METRIC, /* it is the metric itself */
    GERSH__WITNESS_OWN
} gersh__witness_place;

const char *gersh__witness_place_name(gersh__witness_place place); /* "none", "metric", "own" */

/* Room for a digest (SHA-256) as hexadecimal digits; see digest.h. */
#define GERSH__DIGEST_SIZE 65

struct gersh_model {
    gersh_metric *metric;
    gersh_scaling *scaling;
    gersh_settings *settings; /* every setting set to its value in force */
    gersh_fit_info info;
    char *version;
    int regress; /* real-valued targets instead of classes */
    int custom;
    size_t rows;
    size_t features; /* of the data; those of the metric are what the scaling makes of them */
    char **feature_names;
    size_t classes;
    char **class_names;
    int *color;           /* features of them, or NULL */
    gersh_dataset *data;  /* or NULL */
    gersh_tuples *tuples; /* or NULL */
    gersh_edge_rule *rules;
    size_t rule_count;
    gersh_bootstrap *bootstrap;    /* or NULL */
    gersh__trajectory *trajectory; /* or NULL */
    gersh_importance importance;
    gersh_training_accuracy accuracy;
    int fitted;             /* by this process, instead of read from a file */
    gersh__witness witness; /* of the bound; no metric where `witnessed` is not GERSH__WITNESS_OWN */
    gersh__witness_place witnessed;
    char samples_digest
        [GERSH__DIGEST_SIZE]; /* of the training samples; "" until the model was written or read */
};

/* gersh_model_fit without the comparison with the Euclidean metric, for metrics that are measured in other ways. */
gersh_status gersh__model_learn(gersh_model **out, const gersh_dataset *data,
                                const gersh_settings *settings, const gersh_fit_options *options);

/*
 * The data as the fit sees it: the features scaled as in the model, and targets standardised. The data need
 * not be the model's.
 */
gersh_status gersh__model_scale(gersh_dataset **out, const gersh_model *model, const gersh_dataset *data);

void gersh__bootstrap_free(gersh_bootstrap *bootstrap);

/* The kind of rule of that name; -1 when there is none. */
int gersh__edge_kind_find(gersh_edge_kind *kind, const char *word);

/* Version of the file's layout. */
#define GERSH__MODEL_FORMAT 3

/* A tensor of the file; both directions of gersh_model_write and gersh_model_read go through this table. */
typedef enum gersh__tensor_id {
    GERSH__ATOM_WEIGHT,
    GERSH__ATOM_NODES,
    GERSH__ATOM_ENTRIES,
    GERSH__DENSE_ATOMS,
    GERSH__MAPS_FIRST, /* the vectors of the feature maps, by the table's order */
    GERSH__MAPS_LAST = GERSH__MAPS_FIRST + GERSH__FEATURE_MAPS * GERSH__MAP_VECTORS - 1,
    GERSH__COLOR,
    GERSH__X,
    GERSH__X_START,
    GERSH__X_INDEX,
    GERSH__X_VALUE,
    GERSH__CLASS,
    GERSH__TARGET,
    GERSH__WEIGHT,
    GERSH__TUPLES,
    GERSH__BOOTSTRAP_NODES,
    GERSH__BOOTSTRAP_COUNTS,
    GERSH__BOOTSTRAP_MOMENTS,
    GERSH__CONTRIBUTION,
    GERSH__PERMUTATION,
    GERSH__WITNESS_WEIGHT,
    GERSH__WITNESS_NODES,
    GERSH__WITNESS_ENTRIES,
    GERSH__WITNESS_DENSE,
    GERSH__TENSORS
} gersh__tensor_id;

typedef struct gersh__tensor_kind {
    const char *name; /* NULL: there is no such tensor */
    int whole;        /* I64, else F64 */
    int dimensions;
} gersh__tensor_kind;

gersh__tensor_kind gersh__tensor_kind_of(int id);

/* Columns of the tensor of tuples: their rows, and of pairs 1 (similar) or −1 (dissimilar). */
static inline size_t gersh__tuple_columns(gersh_tuple_kind kind)
{
    return kind == GERSH_PAIRS ? 3 : gersh_tuple_size(kind);
}

#endif
