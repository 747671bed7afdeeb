/* The columns of X: dense in memory, or sparse; see pairs.h and data/sparse.h. */
#include "pairs/columns.h"

#include <math.h>

#include "base/alloc.h"
#include "data/dataset.h"
#include "linalg/kernels.h"

enum { STRIPE = 16, FAR = 4 };

typedef struct copy {
    gersh__pairs *pairs;
    const double *x; /* by rows */
} copy;

/* Only differences count. Values that differ little beside their size lose digits in products, so they begin at 0. */
static void shift_column(size_t n, double *x)
{
    double least = x[0], largest = x[0];
    for (size_t i = 1; i < n; i++) {
        least = fmin(least, x[i]);
        largest = fmax(largest, x[i]);
    }
    for (size_t i = 0; fmax(fabs(least), fabs(largest)) > FAR * (largest - least) && i < n; i++)
        x[i] -= least;
}

/* A stripe of columns: few enough for their ends to stay in the cache. */
static void copy_stripe(void *context, size_t stripe, int worker)
{
    const copy *c = context;
    size_t n = c->pairs->n, k = c->pairs->k, begin = stripe * STRIPE;
    size_t end = begin + STRIPE < k ? begin + STRIPE : k;
    (void)worker;
    for (size_t i = 0; i < n; i++)
        for (size_t f = begin; f < end; f++)
            c->pairs->x[f * n + i] = c->x[c->pairs->sample[i] * k + f];
    for (size_t f = begin; f < end && n > 0; f++)
        shift_column(n, c->pairs->x + f * n);
}

gersh_status gersh__pairs_copy_columns(gersh__pairs *pairs, const gersh_dataset *data)
{
    size_t n = pairs->n, k = pairs->k;
    if (data->x == NULL) {
        gersh_status status = gersh__sparse_rows(&pairs->rows, data->sparse, pairs->sample, n, k);
        if (status != GERSH_OK)
            return status;
        if (pairs->rows->factor == NULL) { /* what all samples have in common is in no difference */
            gersh__free(pairs->rows->shift);
            pairs->rows->shift = NULL;
        }
        return gersh__sparse_transpose(&pairs->sparse, pairs->rows, k);
    }
    pairs->x = gersh__alloc(n, k * sizeof *pairs->x);
    if (pairs->x == NULL)
        return GERSH_ERROR_MEMORY;
    gersh__pool_run(k * n > GERSH__MUCH_WORK ? pairs->pool : NULL, (k + STRIPE - 1) / STRIPE, copy_stripe,
                    &(copy){pairs, data->x});
    return GERSH_OK;
}

void gersh__pairs_sparse_distances(const gersh__pairs *pairs, size_t begin, size_t end, double *d)
{
    for (size_t p = begin; p < end; p++) {
        if (pairs->first != NULL)
            d[p] = gersh__sparse_distance(pairs->rows, pairs->first[p], pairs->second[p]);
        for (size_t j = 0; pairs->first == NULL && j < gersh__pairs_reach(pairs, p); j++)
            d[pairs->row[p] + j] = gersh__sparse_distance(pairs->rows, p, j);
    }
}

/* t += a x_f of the sparse entries */
static void add_entries(const gersh__sparse *x, size_t f, double a, double *t)
{
    for (size_t e = x->start[f]; e < x->start[f + 1]; e++)
        t[x->index[e]] += a * x->value[e];
}

void gersh__pairs_project(const gersh__pairs *pairs, size_t i, double a, size_t j, double b, double *t)
{
    const gersh__sparse *x = pairs->sparse;
    size_t n = pairs->n;
    if (x == NULL) {
        const double *first = pairs->x + i * n, *second = pairs->x + j * n;
        for (size_t s = 0; s < n; s++)
            t[s] = a * first[s] + b * second[s];
        return;
    }
    double shift = x->shift != NULL ? a * x->shift[i] + b * x->shift[j] : 0;
    for (size_t s = 0; s < n; s++)
        t[s] = x->factor != NULL ? -x->factor[s] * shift : -shift;
    add_entries(x, i, a, t);
    add_entries(x, j, b, t);
}

int gersh__pairs_coincide(const gersh__pairs *pairs, size_t i, size_t j)
{
    if (pairs->sparse != NULL)
        return gersh__sparse_distance(pairs->rows, i, j) == 0;
    for (size_t f = 0; f < pairs->k; f++)
        if (pairs->x[f * pairs->n + i] != pairs->x[f * pairs->n + j])
            return 0;
    return 1;
}

const double *gersh__pairs_column(const gersh__pairs *pairs, size_t f, double *scratch)
{
    if (pairs->sparse == NULL)
        return pairs->x + f * pairs->n;
    gersh__pairs_project(pairs, f, 1, f, 0, scratch);
    return scratch;
}

double gersh__pairs_column_dot(const gersh__pairs *pairs, size_t f, const double *y)
{
    const gersh__kernels *kernels = gersh__kernels_here();
    const gersh__sparse *x = pairs->sparse;
    if (x == NULL)
        return kernels->dot(pairs->n, pairs->x + f * pairs->n, y);
    size_t from = x->start[f], count = x->start[f + 1] - from;
    double sum = kernels->gather(count, x->value + from, x->index + from, y);
    if (x->shift == NULL || x->shift[f] == 0)
        return sum;
    return sum - x->shift[f] *
                     (x->factor != NULL ? kernels->dot(pairs->n, x->factor, y) : kernels->sum(pairs->n, y));
}

/* Of all pairs, twice the variances of the features. Less their first sample, equal ones have none at all. */
gersh_status gersh__pairs_mean(const gersh__pairs *pairs, double *mean)
{
    size_t n = pairs->n, count = pairs->first != NULL ? pairs->count : n;
    double *scratch = gersh__alloc(count, sizeof *scratch), sum = 0;
    if (scratch == NULL)
        return GERSH_ERROR_MEMORY;
    if (pairs->first != NULL) {
        gersh__pairs_euclid(pairs, scratch);
        for (size_t p = 0; p < count; p++)
            sum += scratch[p] / (double)count;
    }
    for (size_t f = 0; pairs->first == NULL && f < pairs->k; f++) {
        const double *x = gersh__pairs_column(pairs, f, scratch);
        double first = x[0], center = 0;
        for (size_t i = 0; i < n; i++)
            center += (x[i] - first) / (double)n;
        for (size_t i = 0; i < n; i++)
            sum += 2 * ((x[i] - first) - center) * ((x[i] - first) - center) / (double)(n - 1);
    }
    gersh__free(scratch);
    *mean = sum;
    return GERSH_OK;
}
