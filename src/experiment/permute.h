/* The permutation importance of features on one split; see permute.c. */
#ifndef GERSH_SRC_EXPERIMENT_PERMUTE_H
#define GERSH_SRC_EXPERIMENT_PERMUTE_H

#include "base/threads.h"
#include "model/model.h"
#include "predict/classify.h"

typedef struct gersh__permute_task {
    const gersh_metric *metric;
    const gersh_scaling *scaling;
    gersh_dataset *train, *test; /* not scaled; both are scaled by it */
    gersh__voters voters;
    uint64_t seed;
    gersh__pool *pool;
    const gersh_cancel *cancel;
    /* Called in the caller's thread with the samples that are done; or NULL. */
    void (*progress)(void *context, size_t done, size_t total);
    void *context;
} gersh__permute_task;

/*
 * *score: accuracy or R² on the test samples. loss, of each feature, gets what it loses when the feature is permuted.
 * GERSH_ERROR_INPUT where there is nothing to measure: fewer than two test samples that count, or all with the same
 * target.
 */
gersh_status gersh__permute(double *score, double *loss, gersh__permute_task *task);

#endif
