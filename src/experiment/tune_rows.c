/* Divisions of the data for tuning: the folds of stratified cross-validation, thinned out; see tune_rows.h. */
#include "experiment/tune_rows.h"

#include <stdlib.h>
#include <string.h>

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

/* At most `most` of the rows, by class in equal shares, in place. */
static gersh_status thin_out(size_t *rows, size_t *count, const gersh_dataset *data, size_t most,
                             uint64_t seed)
{
    const int *labels = gersh_dataset_labels(data);
    size_t found = *count;
    gersh__random random;
    if (found <= most)
        return GERSH_OK;
    shuffled *order = gersh__alloc(found, sizeof *order);
    if (order == NULL)
        return GERSH_ERROR_MEMORY;
    gersh__random_seed(&random, seed);
    for (size_t i = 0; i < found; i++)
        order[i] = (shuffled){labels[rows[i]], gersh__random_bits(&random), rows[i]};
    qsort(order, found, sizeof *order, by_class_and_key);
    *count = 0;
    for (size_t i = 0; i < found; i++)
        if ((i + 1) * most / found > i * most / found)
            rows[(*count)++] = order[i].row;
    gersh__free(order);
    return GERSH_OK;
}

void gersh__tune_rows_clear(gersh__tune_rows *rows, size_t count)
{
    for (size_t f = 0; f < count; f++) {
        gersh__free(rows[f].learn);
        gersh__free(rows[f].train);
        gersh__free(rows[f].test);
        rows[f] = (gersh__tune_rows){0};
    }
}

gersh_status gersh__tune_rows_draw(gersh__tune_rows *rows, size_t folds, const gersh_dataset *data,
                                   size_t most, size_t learn, uint64_t seed)
{
    const double *weights = gersh_dataset_weights(data);
    gersh_split *split = NULL;
    gersh_status status = gersh_split_folds(&split, data, (int)folds, seed);
    for (size_t f = 0; f < folds && status == GERSH_OK; f++) {
        gersh__tune_rows *own = &rows[f];
        status = gersh_split_rows(&own->train, &own->trains, split, (int)f, 0);
        if (status == GERSH_OK)
            status = gersh_split_rows(&own->test, &own->tests, split, (int)f, 1);
        if (status == GERSH_OK)
            status = thin_out(own->train, &own->trains, data, most, seed + f);
        if (status == GERSH_OK)
            status = thin_out(own->test, &own->tests, data, most, seed + f);
        if (status == GERSH_OK && (own->learn = gersh__alloc(own->trains, sizeof *own->learn)) == NULL)
            status = GERSH_ERROR_MEMORY;
        if (status != GERSH_OK)
            break;
        memcpy(own->learn, own->train, own->trains * sizeof *own->learn);
        own->learns = own->trains;
        status = thin_out(own->learn, &own->learns, data, learn, seed + f);
        own->weight = 0;
        for (size_t i = 0; i < own->tests; i++)
            own->weight += weights != NULL ? weights[own->test[i]] : 1;
    }
    gersh_split_free(split);
    return status;
}
