/* Pairs as differences; see differences.h. */
#include "pairs/differences.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/policy.h"
#include "linalg/kernels.h"
#include "pairs/storage.h"

enum { DIFFERENCES_STRIPE = 512 }; /* pairs that are done together */

/* Sums over m atoms. */
typedef struct task {
    const gersh__pairs *pairs;
    size_t m;
    const double *t, *weight, *g;
    double *out;
} task;

static gersh__pool *pool_for(const gersh__pairs *pairs, size_t m)
{
    return gersh__pool_for(pairs->pool, (double)m * (double)pairs->count);
}

static void distance_stripe(void *context, size_t part, int worker)
{
    const task *k = context;
    size_t n = k->pairs->n, from = part * DIFFERENCES_STRIPE,
           count = n - from < DIFFERENCES_STRIPE ? n - from : DIFFERENCES_STRIPE;
    (void)worker;
    for (size_t a = 0; a < k->m; a++)
        if (k->weight[a] != 0)
            gersh__kernels_here()->square_add(count, k->weight[a], 0.0, k->t + a * n + from, k->out + from);
}

static void squared_distances(const gersh__pairs *pairs, const gersh__terms *terms, const double *base,
                              double *d)
{
    gersh__storage_copy(pairs, base, d);
    gersh__pool_run(pool_for(pairs, terms->m), (pairs->n + DIFFERENCES_STRIPE - 1) / DIFFERENCES_STRIPE,
                    distance_stripe, &(task){pairs, terms->m, terms->t, terms->weight, NULL, d});
}

static void add(const gersh__pairs *pairs, double factor, const double *t, double *d)
{
    squared_distances(pairs, &(gersh__terms){1, NULL, t, &factor}, d, d);
}

static void euclidean(const gersh__pairs *pairs, double *d)
{
    memset(d, 0, pairs->count * sizeof *d);
    for (size_t f = 0; f < pairs->k; f++)
        gersh__kernels_here()->square_add(pairs->count, 1.0, 0.0, pairs->samples->values + f * pairs->n, d);
}

static void scale_column(void *context, size_t c, int worker)
{
    const task *k = context;
    const double *v = k->t + c * k->pairs->n;
    double *y = k->out + c * k->pairs->n;
    (void)worker;
    for (size_t p = 0; p < k->pairs->n; p++)
        y[p] = k->g[p] * v[p];
}

static void adjoint(const gersh__pairs *pairs, const double *g, size_t columns, const double *v, double *y)
{
    gersh__pool_run(pool_for(pairs, columns), columns, scale_column,
                    &(task){pairs, columns, v, NULL, g, y});
}

static void score_atom(void *context, size_t a, int worker)
{
    const task *k = context;
    (void)worker;
    k->out[a] = gersh__kernels_here()->square_dot(k->pairs->n, k->g, k->t + a * k->pairs->n);
}

static void scores(const gersh__pairs *pairs, const double *g, size_t m, const double *t, double *score)
{
    gersh__pool_run(pool_for(pairs, m), m, score_atom, &(task){pairs, m, t, NULL, g, score});
}

static int scores_by_entries(const gersh__pairs *pairs, size_t m, int kept, int ready)
{
    (void)pairs;
    (void)m;
    (void)kept;
    (void)ready;
    return 0;
}

static void sizes(const gersh__pairs *pairs, const double *g, double *r)
{
    for (size_t p = 0; p < pairs->count; p++)
        r[p] += fabs(g[p]);
}

static void gram_part(gersh__gram *gm, size_t part, double *rows, double *h)
{
    size_t count = gm->pairs->count, begin = count * part / gm->parts, end = count * (part + 1) / gm->parts;
    gersh__gram_block b;
    b.runs = b.pairs = 0;
    gersh__gram_add(gm, &b, (gersh__gram_run){GERSH__NO_SAMPLE, begin, end - begin, begin}, rows, h);
    gersh__gram_end(gm, &b, rows, h);
}

static gersh_status gram(gersh__gram *gm, double *h)
{
    int split = (double)gm->pairs->count * (double)(gm->m * gm->m) > GERSH__MUCH_WORK;
    return gersh__gram_sum(gm, gram_part, split ? GERSH__DIFFERENCES_SPLIT : 1, 0, h);
}

static void release(gersh__pairs *pairs)
{
    (void)pairs;
}

static const gersh__pairs_ops ops = {.name = "differences",
                                     .squared_distances = squared_distances,
                                     .add = add,
                                     .euclidean = euclidean,
                                     .mean = gersh__storage_mean,
                                     .adjoint = adjoint,
                                     .scores = scores,
                                     .scores_by_entries = scores_by_entries,
                                     .sizes = sizes,
                                     .gram = gram,
                                     .free = release};

gersh_status gersh__pairs_new_differences(gersh__pairs **out, size_t k, size_t count, gersh__pool *pool)
{
    gersh__pairs *pairs = *out = gersh__storage_new(&ops, sizeof *pairs, pool);
    if (pairs == NULL)
        return GERSH_ERROR_MEMORY;
    gersh_status status = gersh__samples_new_zero(&pairs->samples, count, k);
    if (status != GERSH_OK) {
        gersh__pairs_free(pairs);
        *out = NULL;
        return status;
    }
    pairs->k = k;
    pairs->n = pairs->count = count;
    pairs->uncentered = 1;
    pairs->chunks = (gersh__chunks){1, {0, count}};
    return GERSH_OK;
}

double *gersh__differences_feature(gersh__pairs *pairs, size_t f)
{
    return pairs->samples->values + f * pairs->n;
}

typedef struct taking {
    gersh__pairs *to;
    const gersh__pairs *from;
    size_t count;
    const gersh__pick *pick;
} taking;

static void take_feature(void *context, size_t f, int worker)
{
    const taking *k = context;
    const double *from = k->from->samples->values + f * k->from->n;
    double *to = gersh__differences_feature(k->to, f);
    (void)worker;
    for (size_t p = 0; p < k->count; p++)
        to[p] = from[k->pick[p].i] - from[k->pick[p].j];
}

void gersh__differences_take(gersh__pairs *pairs, const gersh__pairs *from, size_t count,
                             const gersh__pick *pick)
{
    gersh__pool_run(gersh__pool_for(pairs->pool, (double)pairs->k * (double)count), pairs->k, take_feature,
                    &(taking){pairs, from, count, pick});
}

void gersh__differences_subtract(const gersh__pairs *pairs, const double *g, size_t count, size_t from,
                                 size_t columns, double *scratch, double *r)
{
    const double *x = pairs->samples->values;
    int n = (int)pairs->n, k = (int)pairs->k;
    for (size_t f = 0; f < columns; f++)
        for (size_t p = 0; p < count; p++)
            scratch[f * count + p] = g[p] * x[(from + f) * pairs->n + p];
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, k, (int)columns, (int)count, -1.0, x, n, scratch,
                (int)count, 1.0, r, k);
}
