/* What the settings ask for, from their definitions: the trace C and ρ. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/settings.h"
#include "data/dataset.h"
#include "verify/verify.h"

static double squared_distance(const gersh_dataset *data, size_t i, size_t j)
{
    double sum = 0;
    for (size_t f = 0; f < data->k; f++)
        sum += (data->x[i * data->k + f] - data->x[j * data->k + f]) *
               (data->x[i * data->k + f] - data->x[j * data->k + f]);
    return sum;
}

static int counts(const gersh_dataset *data, size_t row)
{
    return data->weights == NULL || data->weights[row] > 0;
}

/* Mean squared distance of two samples that count: twice the variance. */
static double mean_of_samples(const gersh_dataset *data)
{
    long double sum = 0;
    for (size_t f = 0; f < data->k; f++) {
        long double mean = 0, square = 0;
        size_t n = 0;
        for (size_t i = 0; i < data->n; i++) {
            if (!counts(data, i))
                continue;
            long double away = data->x[i * data->k + f] - mean; /* Welford's recurrence */
            mean += away / (long double)++n;
            square += away * (data->x[i * data->k + f] - mean);
        }
        sum += n > 1 ? 2 * square / (long double)(n - 1) : 0;
    }
    return (double)sum;
}

typedef struct couple {
    size_t low, high;
} couple;

static int by_couple(const void *left, const void *right)
{
    const couple *a = left, *b = right;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    return a->high < b->high ? -1 : a->high > b->high;
}

static couple couple_of(size_t i, size_t j)
{
    return i < j ? (couple){i, j} : (couple){j, i};
}

/* Over the pairs of the tuples that count; of comparisons, each pair once. */
static gersh_status mean_of_tuples(double *mean, const gersh_dataset *data, const gersh_tuples *tuples)
{
    size_t size = gersh_tuple_size(tuples->kind), count = 0, different = 0;
    couple *list = gersh__alloc(tuples->count, 2 * sizeof *list);
    if (list == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t t = 0; t < tuples->count; t++) {
        const size_t *row = tuples->row + t * size;
        int all = 1;
        for (size_t c = 0; c < size; c++)
            all = all && counts(data, row[c]);
        if (!all)
            continue;
        list[count++] = couple_of(row[0], row[1]);
        if (size > 2)
            list[count++] = couple_of(row[size == 3 ? 0 : 2], row[size - 1]);
    }
    if (size > 2)
        qsort(list, count, sizeof *list, by_couple);
    *mean = 0;
    for (size_t c = 0; c < count; c++) {
        if (size > 2 && c > 0 && by_couple(&list[c - 1], &list[c]) == 0)
            continue;
        different++;
        *mean += (squared_distance(data, list[c].low, list[c].high) - *mean) / (double)different;
    }
    gersh__free(list);
    return GERSH_OK;
}

gersh_status gersh__limits_find(double *trace, double *rho, int *known, const gersh_model *model,
                                const gersh__reference *reference, const gersh_dataset *scaled)
{
    double k = (double)model->metric->features, mean = 0;
    gersh_status status = GERSH_OK;
    *trace = model->info.budget;
    *known = 1;
    if (gersh__setting_is(model->settings, GERSH__TRACE, "K")) {
        *trace = k;
    } else if (!gersh__setting_is(model->settings, GERSH__TRACE, "auto")) {
        *trace = gersh__setting_number(model->settings, GERSH__TRACE);
    } else if (scaled == NULL || reference == NULL) {
        *known = 0;
    } else if (model->tuples != NULL) {
        status = mean_of_tuples(&mean, scaled, model->tuples);
        *trace = reference->mean * k / mean;
    } else {
        *trace = reference->mean * k / mean_of_samples(scaled);
    }
    *rho = gersh__setting_is(model->settings, GERSH__RHO, "auto")
               ? 1e-5 * *trace / k
               : gersh__setting_number(model->settings, GERSH__RHO);
    return status;
}
