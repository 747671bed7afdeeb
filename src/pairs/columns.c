/* The columns of X: dense in memory, or sparse; see pairs.h and data/sparse.h. */
#include <string.h>

#include "linalg/kernels.h"
#include "pairs/pairs.h"

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
