/*
 * All pairs: pair (i, j), j < i, has the number i(i − 1)/2 + j.
 *
 * With g on the pairs, (L(g) v)_i = Σ_j g_ij (v_i − v_j). L(g) is written out as a symmetric matrix, −g beside the
 * diagonal and the sums of g on it, and BLAS multiplies.
 */
#include <cblas.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "linalg/kernels.h"
#include "pairs/storage.h"

#define ALL_STRIPE 64 /* samples of one part of writing it out, and of the product */

typedef struct product {
    const gersh__rowed *rowed;
    size_t m;
    const double *s, *t; /* m × n, B = Sᵀ T */
    const double *base;
    double *d;
} product;

/* The rows of B of one stripe, up to the diagonal, and the distances from them. */
static void distance_stripe(void *context, size_t part, int worker)
{
    const product *p = context;
    const gersh__rowed *r = p->rowed;
    size_t n = r->base.n, from = part * ALL_STRIPE, to = from + ALL_STRIPE < n ? from + ALL_STRIPE : n;
    double *b = r->square + from * n;
    (void)worker;
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)(to - from), (int)to, (int)p->m, 1.0,
                p->s + from, (int)n, p->t, (int)n, 0.0, b, (int)n);
    for (size_t i = from; i < to; i++) {
        double *row = p->d + r->row[i], own = r->diagonal[i];
        const double *entry = b + (i - from) * n, *base = p->base + r->row[i];
        for (size_t j = 0; j < i; j++) {
            double distance = own + r->diagonal[j] - 2 * entry[j];
            row[j] = base[j] + (distance > 0 ? distance : 0);
        }
    }
}

static void add_product(const gersh__rowed *r, size_t m, const double *s, const double *t,
                        const double *base, double *d)
{
    gersh__pool_run(r->base.pool, (r->base.n + ALL_STRIPE - 1) / ALL_STRIPE, distance_stripe,
                    &(product){r, m, s, t, base, d});
}

static void squared_distances(const gersh__pairs *pairs, const gersh__terms *terms, const double *base,
                              double *d)
{
    gersh__rowed_distances(pairs, terms, base, d, add_product);
}

typedef struct multiplication {
    const gersh__rowed *rowed;
    const double *g;
    size_t columns;
    const double *v;
    double *y;
} multiplication;

/* Writes out the rows of a stripe of samples up to the diagonal, where the sums over all pairs go. */
static void square_stripe(void *context, size_t stripe, int worker)
{
    const multiplication *m = context;
    const gersh__kernels *kernels = gersh__kernels_here();
    const gersh__rowed *r = m->rowed;
    size_t n = r->base.n, begin = stripe * ALL_STRIPE;
    size_t end = n < begin + ALL_STRIPE ? n : begin + ALL_STRIPE;
    double sums[ALL_STRIPE] = {0};
    (void)worker;
    for (size_t i = begin > 0 ? begin : 1; i < n; i++) {
        const double *g = m->g + r->row[i];
        kernels->axpy((i < end ? i : end) - begin, 1.0, g + begin, sums);
        if (i >= end)
            continue;
        double *row = r->square + i * n;
        for (size_t j = 0; j < i; j++)
            row[j] = -g[j];
        sums[i - begin] += kernels->sum(i, g);
    }
    for (size_t i = begin; i < end; i++)
        r->square[i * n + i] = sums[i - begin];
}

/* The rows of y of a stripe of samples: by their entries before the stripe, within it, and after it. */
static void multiply_stripe(void *context, size_t stripe, int worker)
{
    const multiplication *m = context;
    size_t samples = m->rowed->base.n;
    int n = (int)samples, columns = (int)m->columns;
    size_t begin = stripe * ALL_STRIPE;
    size_t end = samples < begin + ALL_STRIPE ? samples : begin + ALL_STRIPE;
    int before = (int)begin, own = (int)(end - begin), after = n - (int)end;
    const double *square = m->rowed->square, *rows = square + begin * samples;
    double *y = m->y + begin;
    (void)worker;
    /* The lower triangle by rows is the upper one by columns. */
    cblas_dsymm(CblasColMajor, CblasLeft, CblasUpper, own, columns, 1.0, rows + begin, n, m->v + begin, n,
                0.0, y, n);
    if (before > 0)
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, own, columns, before, 1.0, rows, n, m->v, n,
                    1.0, y, n);
    if (after > 0)
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, own, columns, after, 1.0,
                    square + end * samples + begin, n, m->v + end, n, 1.0, y, n);
}

static void adjoint(const gersh__pairs *pairs, const double *g, size_t columns, const double *v, double *y)
{
    gersh__pool *pool = gersh__pool_for(pairs->pool, (double)columns * (double)pairs->n * (double)pairs->n);
    multiplication m = {gersh__rowed_of(pairs), g, columns, v, y};
    size_t stripes = (pairs->n + ALL_STRIPE - 1) / ALL_STRIPE;
    gersh__pool_run(pool, stripes, square_stripe, &m);
    gersh__pool_run(pool, stripes, multiply_stripe, &m);
}

/* The i with i(i − 1)/2 <= p, and what is left. */
static void ends_of(const gersh__pairs *pairs, const size_t *pair, size_t count, uint32_t *i, uint32_t *j)
{
    (void)pairs;
    for (size_t e = 0; e < count; e++) {
        size_t p = pair[e], row = (size_t)((1.0 + sqrt(1.0 + 8.0 * (double)p)) / 2.0);
        while (row * (row - 1) / 2 > p)
            row--;
        while ((row + 1) * row / 2 <= p)
            row++;
        i[e] = (uint32_t)row;
        j[e] = (uint32_t)(p - row * (row - 1) / 2);
    }
}

const gersh__pairs_ops gersh__pairs_all = {.name = "all",
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

gersh_status gersh__all_finish(gersh__pairs *pairs)
{
    gersh__rowed *r = (gersh__rowed *)pairs;
    r->row = gersh__alloc(pairs->n + 1, sizeof *r->row);
    if (r->row == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t i = 0; i < pairs->n; i++)
        r->row[i + 1] = r->row[i] + i;
    return gersh__rowed_finish(r, 1);
}
