/* What the settings ask for, from their definitions: the trace C, ρ, and the scaling of the features. */
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
    double k = (double)model->features, mean = 0;
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

/* Mean and sample deviation of a column, and its largest size. */
static void measure(long double *mean, long double *deviation, long double *largest,
                    const gersh_dataset *data, size_t f)
{
    long double square = 0, scale;
    *mean = *largest = 0;
    for (size_t i = 0; i < data->n; i++)
        *largest = fmaxl(*largest, fabsl((long double)data->x[i * data->k + f]));
    scale = *largest > 0 ? *largest : 1;
    for (size_t i = 0; i < data->n; i++)
        *mean += data->x[i * data->k + f] / scale / (long double)data->n;
    for (size_t i = 0; i < data->n; i++)
        square += (data->x[i * data->k + f] / scale - *mean) * (data->x[i * data->k + f] / scale - *mean);
    *deviation = data->n > 1 ? scale * sqrtl(square / (long double)(data->n - 1)) : 0;
    *mean *= scale;
}

double gersh__scaling_difference(const gersh_model *model, const gersh_dataset *data)
{
    const gersh_scaling *scaling = model->scaling;
    int none = gersh__setting_is(model->settings, GERSH__SCALE, "none");
    int unit = gersh__setting_is(model->settings, GERSH__SCALE, "paper");
    long double worst = (scaling->unit_rows != 0) == unit ? 0 : 1;
    for (size_t f = 0; f < data->k; f++) {
        long double mean = 0, deviation = 1, largest = 1, scale;
        if (!none)
            measure(&mean, &deviation, &largest, data, f);
        /* A feature that varies by rounding only counts as constant. */
        scale = deviation > 1e-13L * largest ? deviation : fmaxl(largest, 1);
        long double off = fabsl(scaling->scale[f] - scale) / scale;
        if (deviation <= 1e-13L * largest)
            off = fminl(off, fabsl(scaling->scale[f] - 1));
        worst = fmaxl(worst, fmaxl(off, fabsl(scaling->mean[f] - mean) / fmaxl(largest, scale)));
    }
    return (double)worst;
}

static void scale_row(double *x, const gersh_scaling *scaling)
{
    long double square = 0, largest = 0;
    for (size_t f = 0; f < scaling->features; f++) {
        x[f] = (double)(((long double)x[f] - scaling->mean[f]) / scaling->scale[f]);
        largest = fmaxl(largest, fabsl(x[f]));
    }
    if (!scaling->unit_rows || largest == 0)
        return;
    for (size_t f = 0; f < scaling->features; f++)
        square += x[f] / largest * (x[f] / largest);
    for (size_t f = 0; f < scaling->features; f++)
        x[f] = (double)(x[f] / largest / sqrtl(square));
}

/* Less the mean, divided by the sample deviation where there is any; in units of the largest, as for squares. */
static void standardize(size_t n, double *z)
{
    long double mean = 0, square = 0, largest = 0;
    for (size_t i = 0; i < n; i++)
        largest = fmaxl(largest, fabsl(z[i]));
    for (size_t i = 0; largest > 0 && i < n; i++) {
        z[i] = (double)(z[i] / largest);
        mean += (long double)z[i] / (long double)n;
    }
    for (size_t i = 0; i < n; i++)
        square += (z[i] - mean) * (z[i] - mean);
    long double deviation = n > 1 ? sqrtl(square / (long double)(n - 1)) : 0;
    for (size_t i = 0; i < n; i++)
        z[i] = (double)((z[i] - mean) / (deviation > 0 ? deviation : 1));
}

void gersh__verify_scale(gersh_dataset *data, const gersh_model *model)
{
    for (size_t i = 0; i < data->n; i++)
        scale_row(data->x + i * data->k, model->scaling);
    if (data->targets != NULL)
        standardize(data->n, data->targets);
}
