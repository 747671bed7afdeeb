/*
 * Missing values filled in from the training rows alone, so that test rows have no part in what is learned; see
 * dataset.h. A feature without any value in the training rows is constant there, and so is its difference from a
 * test row: whatever the constant is, it does not tell which training row is nearer.
 */
#include "base/alloc.h"
#include "data/build.h"

static void put(gersh_dataset *data, size_t feature, double value)
{
    for (size_t i = 0; i < data->n; i++)
        if (data->missing[i * data->k + feature])
            data->x[i * data->k + feature] = value;
}

gersh_status gersh__dataset_refill(gersh_dataset *train, gersh_dataset *test)
{
    if (train->missing == NULL || test->missing == NULL)
        return GERSH_OK;
    double *present = gersh__alloc(train->n, sizeof *present);
    if (present == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t j = 0; j < train->k; j++) {
        double mean = 0, scratch[2];
        size_t count = 0;
        for (size_t i = 0; i < train->n; i++)
            if (!train->missing[i * train->k + j])
                present[count++] = train->x[i * train->k + j];
        if (count > 0)
            gersh__column_means(&mean, scratch, count, 1, present);
        put(train, j, mean);
        put(test, j, mean);
    }
    gersh__free(present);
    return GERSH_OK;
}
