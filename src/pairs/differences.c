/* Pairs as differences; see differences.h. */
#include "pairs/differences.h"

#include <string.h>

#include "base/alloc.h"
#include "linalg/kernels.h"
#include "pairs/work.h"

enum { STRIPE = 512 }; /* pairs that are done together */

gersh_status gersh__pairs_new_differences(gersh__pairs **out, size_t k, size_t count, gersh__pool *pool)
{
    gersh__pairs *pairs = *out = gersh__alloc(1, sizeof *pairs);
    if (pairs == NULL)
        return GERSH_ERROR_MEMORY;
    pairs->k = k;
    pairs->pool = pool;
    pairs->n = pairs->count = count;
    pairs->differences = 1;
    pairs->parts = 1;
    pairs->part = gersh__alloc(2, sizeof *pairs->part);
    pairs->row = gersh__alloc(count + 1, sizeof *pairs->row);
    pairs->x = gersh__alloc(k, count * sizeof *pairs->x);
    gersh_status status = gersh__pairs_work_new(&pairs->work);
    if (status != GERSH_OK || pairs->part == NULL || pairs->row == NULL || pairs->x == NULL) {
        gersh__pairs_free(pairs);
        *out = NULL;
        return GERSH_ERROR_MEMORY;
    }
    pairs->part[1] = count;
    for (size_t p = 0; p <= count; p++)
        pairs->row[p] = p;
    return GERSH_OK;
}

void gersh__differences_add(const gersh__pairs *pairs, double factor, const double *t, double *d)
{
    gersh__kernels_here()->square_add(pairs->count, factor, 0.0, t, d);
}

void gersh__differences_euclid(const gersh__pairs *pairs, double *d)
{
    memset(d, 0, pairs->count * sizeof *d);
    for (size_t f = 0; f < pairs->k; f++)
        gersh__differences_add(pairs, 1.0, pairs->x + f * pairs->n, d);
}

/* Sums over m atoms. */
typedef struct atoms {
    const gersh__pairs *pairs;
    size_t m;
    const double *t, *weight, *g;
    double *out;
} atoms;

static gersh__pool *pool_for(const gersh__pairs *pairs, size_t m)
{
    return m * pairs->count > GERSH__MUCH_WORK ? pairs->pool : NULL;
}

static void combine_stripe(void *context, size_t part, int worker)
{
    const atoms *k = context;
    size_t n = k->pairs->n, from = part * STRIPE, count = n - from < STRIPE ? n - from : STRIPE;
    (void)worker;
    for (size_t a = 0; a < k->m; a++)
        if (k->weight[a] != 0)
            gersh__kernels_here()->square_add(count, k->weight[a], 0.0, k->t + a * n + from, k->out + from);
}

void gersh__differences_combine(const gersh__pairs *pairs, size_t m, const double *t, const double *weight,
                                double *d)
{
    gersh__pool_run(pool_for(pairs, m), (pairs->n + STRIPE - 1) / STRIPE, combine_stripe,
                    &(atoms){pairs, m, t, weight, NULL, d});
}

static void score_atom(void *context, size_t a, int worker)
{
    const atoms *k = context;
    (void)worker;
    k->out[a] = gersh__kernels_here()->square_dot(k->pairs->n, k->g, k->t + a * k->pairs->n);
}

void gersh__differences_scores(const gersh__pairs *pairs, const double *g, size_t m, const double *t,
                               double *score)
{
    gersh__pool_run(pool_for(pairs, m), m, score_atom, &(atoms){pairs, m, t, NULL, g, score});
}

static void scale_column(void *context, size_t c, int worker)
{
    const atoms *k = context;
    const double *v = k->t + c * k->pairs->n;
    double *y = k->out + c * k->pairs->n;
    (void)worker;
    for (size_t p = 0; p < k->pairs->n; p++)
        y[p] = k->g[p] * v[p];
}

void gersh__differences_laplacian(const gersh__pairs *pairs, const double *g, size_t columns,
                                  const double *v, double *y)
{
    gersh__pool_run(pool_for(pairs, columns), columns, scale_column,
                    &(atoms){pairs, columns, v, NULL, g, y});
}
