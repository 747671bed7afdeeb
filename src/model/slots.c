/* Samples at the features that a metric has; see slots.h. */
#include "model/slots.h"

#include <cblas.h>
#include <string.h>

#include "base/alloc.h"

void gersh__slots_clear(gersh__slots *slots)
{
    gersh__free(slots->feature);
    gersh__free(slots->slot);
    gersh__free(slots->atom);
    *slots = (gersh__slots){0};
}

/* Numbers the features that atoms have. */
static gersh_status number_features(gersh__slots *slots)
{
    const gersh_metric *metric = slots->metric;
    size_t k = metric->features;
    slots->feature = gersh__alloc(k, sizeof *slots->feature);
    slots->slot = gersh__alloc(k, sizeof *slots->slot);
    if (slots->feature == NULL || slots->slot == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t t = 0; t < metric->atoms; t++)
        slots->slot[metric->atom[t].i] = slots->slot[metric->atom[t].j] = 1;
    slots->count = 0;
    for (size_t f = 0; f < k; f++) {
        if (slots->slot[f])
            slots->feature[slots->count] = f;
        slots->slot[f] = slots->slot[f] ? slots->count++ : GERSH__NONE;
    }
    for (size_t t = 0; t < metric->atoms; t++) {
        slots->atom[t].i = slots->slot[metric->atom[t].i];
        slots->atom[t].j = slots->slot[metric->atom[t].j];
    }
    return GERSH_OK;
}

gersh_status gersh__slots_choose(gersh__slots *slots, const gersh_metric *metric, const gersh_dataset *data)
{
    *slots = (gersh__slots){.metric = metric, .count = metric->features};
    if (metric->dense != NULL)
        return GERSH_OK;
    slots->atom = gersh__alloc(metric->atoms, sizeof *slots->atom);
    if (slots->atom == NULL)
        return GERSH_ERROR_MEMORY;
    if (metric->atoms > 0)
        memcpy(slots->atom, metric->atom, metric->atoms * sizeof *slots->atom);
    return data->x != NULL ? GERSH_OK : number_features(slots);
}

void gersh__slots_write(const gersh__slots *slots, const gersh_dataset *data, size_t i, double *out)
{
    const gersh__sparse *x = data->sparse;
    if (data->x != NULL) {
        memcpy(out, data->x + i * data->k, data->k * sizeof *out);
        return;
    }
    if (slots->feature == NULL) {
        gersh__sparse_row(x, i, data->k, out);
        return;
    }
    double factor = x->factor != NULL ? x->factor[i] : 1;
    for (size_t s = 0; s < slots->count; s++)
        out[s] = x->shift != NULL ? -factor * x->shift[slots->feature[s]] : 0;
    for (size_t e = x->start[i]; e < x->start[i + 1]; e++)
        if (slots->slot[x->index[e]] != GERSH__NONE)
            out[slots->slot[x->index[e]]] += x->value[e];
}

static void multiply_dense(const gersh_metric *metric, size_t rows, const double *u, double *v,
                           double *along)
{
    int k = (int)metric->features, atoms = (int)metric->atoms;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, atoms, k, 1.0, u, k, metric->dense, k,
                0.0, along, atoms);
    for (size_t e = 0; e < rows * metric->atoms; e++)
        along[e] *= metric->weight[e % metric->atoms];
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)rows, k, atoms, 1.0, along, atoms,
                metric->dense, k, 1.0, v, k);
}

void gersh__slots_multiply(const gersh__slots *slots, size_t rows, const double *u, double *v,
                           double *along)
{
    const gersh_metric *metric = slots->metric;
    for (size_t e = 0; e < rows * slots->count; e++)
        v[e] = metric->rho * u[e];
    if (slots->atom == NULL && metric->atoms > 0 && rows > 0)
        multiply_dense(metric, rows, u, v, along);
    for (size_t t = 0; slots->atom != NULL && t < metric->atoms; t++) {
        const gersh_atom *z = &slots->atom[t];
        for (size_t r = 0; r < rows; r++) {
            const double *x = u + r * slots->count;
            double *y = v + r * slots->count, product = z->a * x[z->i];
            if (z->i != z->j) {
                product += z->b * x[z->j];
                y[z->j] += metric->weight[t] * z->b * product;
            }
            y[z->i] += metric->weight[t] * z->a * product;
        }
    }
}
