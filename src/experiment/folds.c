/*
 * The paper's folds; see folds.h. The noise of 1e-12 keeps features that are constant within a fold from
 * being exactly constant; it depends on the seed and on the fold only, not on which folds are used.
 */
#include "experiment/folds.h"

#include <limits.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/random.h"
#include "data/dataset.h"

#define NOISE 1e-12

enum { FOLD_ROWS = 4 };

void gersh__folds_free(gersh__folds *folds)
{
    if (folds == NULL)
        return;
    gersh__free(folds->fold);
    gersh__free(folds->start);
    gersh__free(folds->row);
    gersh__free(folds);
}

/* The rows by fold, from the fold of each row. */
static gersh_status group_rows(gersh__folds *folds, const gersh_split *split)
{
    folds->start = gersh__alloc(folds->all + 2, sizeof *folds->start);
    folds->row = gersh__alloc(split->rows, sizeof *folds->row);
    folds->fold = gersh__alloc(folds->all, sizeof *folds->fold);
    if (folds->start == NULL || folds->row == NULL || folds->fold == NULL)
        return GERSH_ERROR_MEMORY;
    /* Counts two places up, sums one place up; filling the rows then moves the sums to their own place. */
    for (size_t i = 0; i < split->rows; i++)
        folds->start[split->part[i] + 2]++;
    for (size_t f = 2; f <= folds->all; f++)
        folds->start[f] += folds->start[f - 1];
    for (size_t i = 0; i < split->rows; i++)
        folds->row[folds->start[split->part[i] + 1]++] = i;
    return GERSH_OK;
}

/* Whether two of the rows differ in their class or target; a row of weight 0 counts as absent. */
static int is_varied(const gersh_dataset *data, const size_t *row, size_t count)
{
    size_t first = 0;
    while (data->weights != NULL && first < count && data->weights[row[first]] == 0)
        first++;
    for (size_t i = first + 1; i < count; i++) {
        if (data->weights != NULL && data->weights[row[i]] == 0)
            continue;
        if (data->labels != NULL ? data->labels[row[i]] != data->labels[row[first]]
                                 : data->targets[row[i]] != data->targets[row[first]])
            return 1;
    }
    return 0;
}

static gersh_status choose(gersh__folds *folds, size_t max_folds)
{
    size_t looked_at = max_folds > 0 && max_folds < folds->all ? max_folds : folds->all;
    for (size_t f = 0; f < looked_at; f++)
        if (is_varied(folds->data, folds->row + folds->start[f], folds->start[f + 1] - folds->start[f]))
            folds->fold[folds->count++] = f;
    folds->skipped = looked_at - folds->count;
    if (folds->count > 0)
        return GERSH_OK;
    return gersh__fail(
        GERSH_ERROR_INPUT,
        "the first %zu of %zu folds have one class each, so that nothing can be learned from "
        "them; use more folds (--max-folds), or leave out --folds",
        looked_at, folds->all);
}

gersh_status gersh__folds_new(gersh__folds **out, const gersh_dataset *data, uint64_t seed,
                              size_t max_folds)
{
    gersh_split *split = NULL;
    size_t n = gersh_dataset_rows(data);
    size_t all = n / FOLD_ROWS + (n % FOLD_ROWS >= FOLD_ROWS / 2);
    *out = NULL;
    if (all < 2 || all > INT_MAX)
        return gersh__fail(
            GERSH_ERROR_INPUT,
            "the data has %zu row%s, but folds of %d need from %d to %.0f; leave out --folds", n,
            n == 1 ? "" : "s", FOLD_ROWS, 2 * FOLD_ROWS - FOLD_ROWS / 2, (double)INT_MAX * FOLD_ROWS);
    gersh__folds *folds = gersh__alloc(1, sizeof *folds);
    if (folds == NULL)
        return GERSH_ERROR_MEMORY;
    folds->data = data;
    folds->seed = seed;
    folds->all = all;
    gersh_status status = gersh_split_folds(&split, data, (int)all, seed);
    if (status == GERSH_OK)
        status = group_rows(folds, split);
    if (status == GERSH_OK)
        status = choose(folds, max_folds);
    gersh_split_free(split);
    if (status != GERSH_OK) {
        gersh__folds_free(folds);
        return status;
    }
    *out = folds;
    return GERSH_OK;
}

gersh_status gersh__folds_get(gersh_dataset **out, const gersh__folds *folds, size_t which)
{
    gersh__random random;
    size_t f = folds->fold[which];
    gersh_status status = gersh_dataset_subset(out, folds->data, folds->row + folds->start[f],
                                               folds->start[f + 1] - folds->start[f]);
    if (status == GERSH_OK)
        status = gersh_dataset_densify(*out);
    if (status != GERSH_OK)
        return status;
    /* Through a first draw, so that fold 1 of seed 0 and fold 0 of seed 1 differ. */
    gersh__random_seed(&random, folds->seed);
    gersh__random_seed(&random, gersh__random_bits(&random) + f);
    for (size_t e = 0; e < (*out)->n * (*out)->k; e++)
        (*out)->x[e] += NOISE * gersh__random_normal(&random);
    return GERSH_OK;
}
