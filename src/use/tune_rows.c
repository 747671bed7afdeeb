/* Divisions of the data for tuning: the folds of repeated stratified cross-validation, thinned out; see tune_rows.h. */
#include "use/tune_rows.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/random.h"

/* A row with its class and a random number, to be sorted. */
typedef struct shuffled {
    int class;
    uint64_t key;
    size_t row;
} shuffled;

static int by_class_and_key(const void *a, const void *b)
{
    const shuffled *x = a, *y = b;
    if (x->class != y->class)
        return x->class < y->class ? -1 : 1;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* The rows whose part is (or, for !inside, is not) `part`, at most `most` of them, by class in equal shares. */
static gersh_status draw_rows(size_t **out, size_t *count, const gersh_dataset *data,
                              const gersh_split *split, int part, int inside, size_t most, uint64_t seed)
{
    const int *labels = gersh_dataset_labels(data);
    gersh__random random;
    size_t *rows = NULL, found = 0;
    gersh_status status = gersh_split_rows(&rows, &found, split, part, inside);
    shuffled *order = status == GERSH_OK ? gersh__alloc(found, sizeof *order) : NULL;
    *out = rows;
    *count = found;
    if (status == GERSH_OK && order == NULL)
        status = GERSH_ERROR_MEMORY;
    if (status != GERSH_OK || found <= most)
        goto out;
    gersh__random_seed(&random, seed);
    for (size_t i = 0; i < found; i++)
        order[i] = (shuffled){labels[rows[i]], gersh__random_bits(&random), rows[i]};
    qsort(order, found, sizeof *order, by_class_and_key);
    *count = 0;
    for (size_t i = 0; i < found; i++)
        if ((i + 1) * most / found > i * most / found)
            rows[(*count)++] = order[i].row;
out:
    gersh__free(order);
    return status;
}

void gersh__tune_rows_clear(gersh__tune_rows *rows, size_t count)
{
    for (size_t p = 0; p < count; p++) {
        gersh__free(rows[p].train);
        gersh__free(rows[p].test);
        rows[p] = (gersh__tune_rows){0};
    }
}

gersh_status gersh__tune_rows_draw(gersh__tune_rows *rows, size_t count, const gersh_dataset *data,
                                   int folds, size_t most, uint64_t seed)
{
    const double *weights = gersh_dataset_weights(data);
    gersh_status status = GERSH_OK;
    for (size_t p = 0; p < count && status == GERSH_OK; p++) {
        int fold = (int)(p % (size_t)folds);
        gersh_split *split = NULL;
        status = gersh_split_folds(&split, data, folds, seed + p / (size_t)folds);
        if (status == GERSH_OK)
            status = draw_rows(&rows[p].train, &rows[p].trains, data, split, fold, 0, most, seed + p);
        if (status == GERSH_OK)
            status = draw_rows(&rows[p].test, &rows[p].tests, data, split, fold, 1, most, seed + p);
        rows[p].weight = 0;
        for (size_t i = 0; i < rows[p].tests && status == GERSH_OK; i++)
            rows[p].weight += weights != NULL ? weights[rows[p].test[i]] : 1;
        gersh_split_free(split);
    }
    return status;
}
