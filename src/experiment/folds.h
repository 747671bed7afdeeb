/*
 * The small folds on which the paper compares solvers: round(N/4) stratified folds, each learned from on its
 * own, as if its three to five rows were all there is.
 */
#ifndef GERSH_SRC_EXPERIMENT_FOLDS_H
#define GERSH_SRC_EXPERIMENT_FOLDS_H

#include "gersh/data.h"

typedef struct gersh__folds {
    const gersh_dataset *data;
    uint64_t seed;
    size_t all;     /* folds that the data is divided into */
    size_t count;   /* folds to learn from */
    size_t skipped; /* of those looked at, folds with one class or one target only */
    size_t *fold;   /* count: which of all folds it is */
    size_t *start;  /* all + 1 */
    size_t *row;    /* rows of fold f: row[start[f]..start[f+1]), ascending */
} gersh__folds;

/* Looks at the first max_folds folds, at all for 0. The data must outlive the folds. */
gersh_status gersh__folds_new(gersh__folds **out, const gersh_dataset *data, uint64_t seed,
                              size_t max_folds);
void gersh__folds_free(gersh__folds *folds);

/* The rows of fold `which` of those to learn from, with their noise, not scaled. */
gersh_status gersh__folds_get(gersh_dataset **out, const gersh__folds *folds, size_t which);

#endif
