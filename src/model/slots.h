/*
 * Samples as vectors that a metric is applied to. Dense data is taken as it is; sparse data is written out only at the
 * features that an atom of a sparse metric has, so that nothing is dense in the number of all features. `slots` are the
 * features that are written out.
 */
#ifndef GERSH_SRC_MODEL_SLOTS_H
#define GERSH_SRC_MODEL_SLOTS_H

#include "data/dataset.h"
#include "gersh/metric.h"

typedef struct gersh__slots {
    const gersh_metric *metric;
    size_t count;
    size_t *feature;  /* of each slot; NULL: all features, in order */
    size_t *slot;     /* of each feature, or GERSH__NONE; NULL with the former */
    gersh_atom *atom; /* the metric's, on slots; NULL for dense ones */
} gersh__slots;

/* For data that is stored as `data` is. On failure, too, the slots are to be cleared. */
gersh_status gersh__slots_choose(gersh__slots *slots, const gersh_metric *metric,
                                 const gersh_dataset *data);
void gersh__slots_clear(gersh__slots *slots);

/* Sample i of the data at the slots. */
void gersh__slots_write(const gersh__slots *slots, const gersh_dataset *data, size_t i, double *out);

/*
 * v = M u for `rows` vectors at the slots. along: rows × atoms, for dense atoms. What rho weighs at other features is not
 * in it.
 */
void gersh__slots_multiply(const gersh__slots *slots, size_t rows, const double *u, double *v,
                           double *along);

#endif
