/*
 * Pairs between classes. What belongs to the pairs of a class with all earlier ones, such as g or d, is a matrix as it
 * lies in memory: a row for each member of the class, a column for each sample of an earlier class. So BLAS takes it as
 * it is, and pairs within classes cost nothing.
 *
 * With G the matrix of class c, its members' rows of L(g) v have −G v of the earlier samples, and these have −Gᵀ v of
 * the members; each has the sum of its g times its own v.
 */
#include <cblas.h>
#include <string.h>

#include "base/alloc.h"
#include "linalg/kernels.h"
#include "pairs/storage.h"

enum { BETWEEN_STRIPE = 64 }; /* samples of one part */

typedef struct product {
    const gersh__rowed *rowed;
    size_t columns;
    const double *g, *v;
    double *y;
    size_t m;
    const double *s, *t, *base;
    double *d;
} product;

/* Runs over the samples begin..end of one class at a time: from, up to the end of the class or of the run. */
static size_t class_end(const gersh__rowed *r, size_t from, size_t end)
{
    const gersh__supervision *s = r->base.supervision;
    size_t stop = s->class_start[gersh__supervision_class(s, from) + 1];
    return stop < end ? stop : end;
}

/* y of a stripe of samples, as far as their pairs with earlier classes go. */
static void as_members(void *context, size_t stripe, int worker)
{
    const product *p = context;
    const gersh__rowed *r = p->rowed;
    size_t n = r->base.n, begin = stripe * BETWEEN_STRIPE,
           end = begin + BETWEEN_STRIPE < n ? begin + BETWEEN_STRIPE : n;
    (void)worker;
    double sum[BETWEEN_STRIPE];
    for (size_t i = begin; i < end; i++)
        sum[i - begin] = gersh__kernels_here()->sum(gersh__rowed_reach(r, i), p->g + r->row[i]);
    for (size_t c = 0; c < p->columns; c++)
        for (size_t i = begin; i < end; i++)
            p->y[c * n + i] = sum[i - begin] * p->v[c * n + i];
    for (size_t from = begin, to; from < end; from = to) {
        size_t reach = gersh__rowed_reach(r, from);
        to = class_end(r, from, end);
        if (reach > 0)
            cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)(to - from), (int)p->columns,
                        (int)reach, -1.0, p->g + r->row[from], (int)reach, p->v, (int)n, 1.0, p->y + from,
                        (int)n);
    }
}

/* What their pairs with later classes add. */
static void as_earlier(void *context, size_t stripe, int worker)
{
    const product *p = context;
    const gersh__rowed *r = p->rowed;
    size_t n = r->base.n, begin = stripe * BETWEEN_STRIPE,
           end = begin + BETWEEN_STRIPE < n ? begin + BETWEEN_STRIPE : n;
    double sum[BETWEEN_STRIPE] = {0};
    (void)worker;
    for (size_t from = class_end(r, begin, n), to; from < n; from = to) {
        size_t reach = gersh__rowed_reach(r, from), width = (reach < end ? reach : end) - begin;
        to = class_end(r, from, n);
        for (size_t i = from; i < to; i++)
            gersh__kernels_here()->axpy(width, 1.0, p->g + r->row[i] + begin, sum);
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)width, (int)p->columns,
                    (int)(to - from), -1.0, p->g + r->row[from] + begin, (int)reach, p->v + from, (int)n,
                    1.0, p->y + begin, (int)n);
    }
    for (size_t c = 0; c < p->columns; c++)
        for (size_t j = begin; j < end; j++)
            p->y[c * n + j] += sum[j - begin] * p->v[c * n + j];
}

static void adjoint(const gersh__pairs *pairs, const double *g, size_t columns, const double *v, double *y)
{
    gersh__pool *pool = gersh__pool_for(pairs->pool, (double)columns * (double)pairs->n * (double)pairs->n);
    product p = {.rowed = gersh__rowed_of(pairs), .columns = columns, .g = g, .v = v, .y = y};
    size_t stripes = (pairs->n + BETWEEN_STRIPE - 1) / BETWEEN_STRIPE;
    gersh__pool_run(pool, stripes, as_members, &p);
    gersh__pool_run(pool, stripes, as_earlier, &p);
}

/* The distances of a stripe of samples to those of earlier classes. */
static void distance_stripe(void *context, size_t stripe, int worker)
{
    const product *p = context;
    const gersh__rowed *r = p->rowed;
    size_t n = r->base.n, begin = stripe * BETWEEN_STRIPE,
           end = begin + BETWEEN_STRIPE < n ? begin + BETWEEN_STRIPE : n;
    (void)worker;
    for (size_t from = begin, to; from < end; from = to) {
        size_t reach = gersh__rowed_reach(r, from);
        to = class_end(r, from, end);
        if (reach == 0)
            continue;
        if (p->base != p->d)
            memcpy(p->d + r->row[from], p->base + r->row[from], (to - from) * reach * sizeof *p->d);
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)(to - from), (int)reach, (int)p->m, -2.0,
                    p->s + from, (int)n, p->t, (int)n, 1.0, p->d + r->row[from], (int)reach);
        for (size_t i = from; i < to; i++) {
            double *row = p->d + r->row[i], own = r->diagonal[i];
            for (size_t j = 0; j < reach; j++) {
                double distance = row[j] + (own + r->diagonal[j]);
                row[j] = distance > 0 ? distance : 0;
            }
        }
    }
}

static void add_product(const gersh__rowed *r, size_t m, const double *s, const double *t,
                        const double *base, double *d)
{
    const gersh__pairs *pairs = &r->base;
    product p = {.rowed = r, .m = m, .s = s, .t = t, .base = base, .d = d};
    gersh__pool_run(gersh__pool_for(pairs->pool, (double)m * (double)pairs->count),
                    (pairs->n + BETWEEN_STRIPE - 1) / BETWEEN_STRIPE, distance_stripe, &p);
}

static void squared_distances(const gersh__pairs *pairs, const gersh__terms *terms, const double *base,
                              double *d)
{
    gersh__rowed_distances(pairs, terms, base, d, add_product);
}

static void ends_of(const gersh__pairs *pairs, const size_t *pair, size_t count, uint32_t *i, uint32_t *j)
{
    for (size_t p = 0; p < count; p++)
        gersh__rowed_ends(pairs, pair[p], 1, i + p, j + p);
}

const gersh__pairs_ops gersh__pairs_between = {.name = "between",
                                               .squared_distances = squared_distances,
                                               .add = gersh__rowed_add,
                                               .euclidean = gersh__rowed_euclidean,
                                               .mean = gersh__rowed_mean,
                                               .adjoint = adjoint,
                                               .scores = gersh__storage_scores,
                                               .scores_by_entries = gersh__rowed_scores_by_entries,
                                               .sizes = gersh__rowed_sizes,
                                               .ends = gersh__rowed_ends,
                                               .ends_of = ends_of,
                                               .gram = gersh__rowed_gram,
                                               .sample = gersh__rowed_sample,
                                               .free = gersh__rowed_free};

gersh_status gersh__between_finish(gersh__pairs *pairs)
{
    gersh__rowed *r = (gersh__rowed *)pairs;
    gersh__supervision *s = pairs->supervision;
    r->row = gersh__alloc(pairs->n + 1, sizeof *r->row);
    if (r->row == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t i = 0; i < pairs->n; i++)
        r->row[i + 1] = r->row[i] + s->class_start[gersh__supervision_class(s, i)];
    s->all_dissimilar = 1;
    return gersh__rowed_finish(r, 0);
}
