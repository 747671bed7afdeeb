/*
 * Pairs between classes. What belongs to the pairs of a class with all earlier ones, such as g or d, is a matrix as it
 * lies in memory: a row for each member of the class, a column for each sample of an earlier class. So BLAS takes it as
 * it is, and pairs within classes cost nothing.
 *
 * With G the matrix of class c, its members' rows of L(g) v have −G v of the earlier samples, and these have −Gᵀ v of
 * the members; each has the sum of its g times its own v.
 */
#include "pairs/between.h"

#include <cblas.h>
#include <string.h>

#include "linalg/kernels.h"

enum { STRIPE = 64 }; /* samples of one part */

typedef struct product {
    const gersh__pairs *pairs;
    size_t columns;
    const double *g, *v;
    double *y;
    size_t m;
    const double *s, *t, *diagonal, *base;
    double *d;
} product;

/* Runs over the samples begin..end of one class at a time: from, up to the end of the class or of the run. */
static size_t class_end(const gersh__pairs *pairs, size_t from, size_t end)
{
    size_t stop = pairs->class_start[gersh__pairs_class(pairs, from) + 1];
    return stop < end ? stop : end;
}

/* y of a stripe of samples, as far as their pairs with earlier classes go. */
static void as_members(void *context, size_t stripe, int worker)
{
    const product *p = context;
    const gersh__pairs *pairs = p->pairs;
    size_t n = pairs->n, begin = stripe * STRIPE, end = begin + STRIPE < n ? begin + STRIPE : n;
    (void)worker;
    double sum[STRIPE];
    for (size_t i = begin; i < end; i++)
        sum[i - begin] = gersh__kernels_here()->sum(gersh__pairs_reach(pairs, i), p->g + pairs->row[i]);
    for (size_t c = 0; c < p->columns; c++)
        for (size_t i = begin; i < end; i++)
            p->y[c * n + i] = sum[i - begin] * p->v[c * n + i];
    for (size_t from = begin, to; from < end; from = to) {
        size_t reach = gersh__pairs_reach(pairs, from);
        to = class_end(pairs, from, end);
        if (reach > 0)
            cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)(to - from), (int)p->columns,
                        (int)reach, -1.0, p->g + pairs->row[from], (int)reach, p->v, (int)n, 1.0,
                        p->y + from, (int)n);
    }
}

/* What their pairs with later classes add. */
static void as_earlier(void *context, size_t stripe, int worker)
{
    const product *p = context;
    const gersh__pairs *pairs = p->pairs;
    size_t n = pairs->n, begin = stripe * STRIPE, end = begin + STRIPE < n ? begin + STRIPE : n;
    double sum[STRIPE] = {0};
    (void)worker;
    for (size_t from = class_end(pairs, begin, n), to; from < n; from = to) {
        size_t reach = gersh__pairs_reach(pairs, from), width = (reach < end ? reach : end) - begin;
        to = class_end(pairs, from, n);
        for (size_t i = from; i < to; i++)
            gersh__kernels_here()->axpy(width, 1.0, p->g + pairs->row[i] + begin, sum);
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)width, (int)p->columns,
                    (int)(to - from), -1.0, p->g + pairs->row[from] + begin, (int)reach, p->v + from,
                    (int)n, 1.0, p->y + begin, (int)n);
    }
    for (size_t c = 0; c < p->columns; c++)
        for (size_t j = begin; j < end; j++)
            p->y[c * n + j] += sum[j - begin] * p->v[c * n + j];
}

void gersh__between_laplacian(const gersh__pairs *pairs, const double *g, size_t columns, const double *v,
                              double *y, gersh__pool *pool)
{
    product p = {.pairs = pairs, .columns = columns, .g = g, .v = v, .y = y};
    size_t stripes = (pairs->n + STRIPE - 1) / STRIPE;
    gersh__pool_run(pool, stripes, as_members, &p);
    gersh__pool_run(pool, stripes, as_earlier, &p);
}

/* The distances of a stripe of samples to those of earlier classes. */
static void distances(void *context, size_t stripe, int worker)
{
    const product *p = context;
    const gersh__pairs *pairs = p->pairs;
    size_t n = pairs->n, begin = stripe * STRIPE, end = begin + STRIPE < n ? begin + STRIPE : n;
    (void)worker;
    for (size_t from = begin, to; from < end; from = to) {
        size_t reach = gersh__pairs_reach(pairs, from);
        to = class_end(pairs, from, end);
        if (reach == 0)
            continue;
        if (p->base != p->d)
            memcpy(p->d + pairs->row[from], p->base + pairs->row[from], (to - from) * reach * sizeof *p->d);
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)(to - from), (int)reach, (int)p->m, -2.0,
                    p->s + from, (int)n, p->t, (int)n, 1.0, p->d + pairs->row[from], (int)reach);
        for (size_t i = from; i < to; i++) {
            double *row = p->d + pairs->row[i], own = p->diagonal[i];
            for (size_t j = 0; j < reach; j++) {
                double distance = row[j] + (own + p->diagonal[j]);
                row[j] = distance > 0 ? distance : 0;
            }
        }
    }
}

void gersh__between_combine(const gersh__pairs *pairs, size_t m, const double *s, const double *t,
                            const double *diagonal, const double *base, double *d)
{
    product p = {.pairs = pairs, .m = m, .s = s, .t = t, .diagonal = diagonal, .base = base, .d = d};
    gersh__pool_run(pairs->parts > 1 ? pairs->pool : NULL, (pairs->n + STRIPE - 1) / STRIPE, distances, &p);
}
