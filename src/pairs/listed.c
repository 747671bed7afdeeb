/* Sums over many listed pairs; see listed.h. */
#include "pairs/listed.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "linalg/kernels.h"

enum {
    STRIPE = 64,
    WIDE_STRIPE = 512,
    TILE = 8
}; /* samples of one part of turning, and atoms that are turned together */

typedef struct task {
    const gersh__pairs *pairs;
    size_t m;
    const double *t, *weight, *g;
    double *out;
} task;

static void turn_part(void *context, size_t part, int worker)
{
    const task *k = context;
    size_t n = k->pairs->n, begin = part * STRIPE, end = n - begin < STRIPE ? n : begin + STRIPE;
    (void)worker;
    for (size_t first = 0; first < k->m; first += TILE) {
        size_t last = k->m - first < TILE ? k->m : first + TILE;
        double root[TILE];
        for (size_t a = first; a < last; a++)
            root[a - first] = k->weight != NULL ? sqrt(k->weight[a]) : 1.0;
        for (size_t i = begin; i < end; i++)
            for (size_t a = first; a < last; a++)
                k->out[i * k->m + a] = root[a - first] * k->t[a * n + i];
    }
}

void gersh__listed_turn(const gersh__pairs *pairs, size_t m, const double *t, const double *weight,
                        double *turned)
{
    task k = {pairs, m, t, weight, NULL, turned};
    gersh__pool_run(pairs->pool, (pairs->n + STRIPE - 1) / STRIPE, turn_part, &k);
}

static void combine_part(void *context, size_t part, int worker)
{
    const task *k = context;
    const gersh__pairs *pairs = k->pairs;
    const gersh__kernels *kernels = gersh__kernels_here();
    (void)worker;
    for (size_t p = pairs->part[part]; p < pairs->part[part + 1]; p++)
        k->out[p] += kernels->distance(k->m, k->t + pairs->first[p] * k->m, k->t + pairs->second[p] * k->m);
}

void gersh__listed_combine(const gersh__pairs *pairs, size_t m, const double *turned, double *d)
{
    gersh__pairs_run(pairs, combine_part, &(task){pairs, m, turned, NULL, NULL, d});
}

static void score_part(void *context, size_t part, int worker)
{
    const task *k = context;
    const gersh__pairs *pairs = k->pairs;
    const gersh__kernels *kernels = gersh__kernels_here();
    double *sum = k->out + part * k->m;
    (void)worker;
    for (size_t p = pairs->part[part]; p < pairs->part[part + 1]; p++)
        if (k->g[p] != 0)
            kernels->add_squares(k->m, k->g[p], k->t + pairs->first[p] * k->m,
                                 k->t + pairs->second[p] * k->m, sum);
}

void gersh__listed_scores(const gersh__pairs *pairs, const double *g, size_t m, const double *turned,
                          double *sums, double *score)
{
    memset(sums, 0, pairs->parts * m * sizeof *sums);
    gersh__pairs_run(pairs, score_part, &(task){pairs, m, turned, NULL, g, sums});
    memset(score, 0, m * sizeof *score);
    for (size_t part = 0; part < pairs->parts; part++)
        for (size_t a = 0; a < m; a++)
            score[a] += sums[part * m + a];
}

void gersh__around_free(gersh__around *around)
{
    if (around == NULL)
        return;
    gersh__free(around->start);
    gersh__free(around->pair);
    gersh__free(around->other);
    gersh__free(around->v);
    gersh__free(around->y);
    gersh__free(around);
}

static void put(gersh__around *a, size_t sample, size_t pair, size_t other)
{
    size_t at = a->start[sample]++;
    a->pair[at] = (uint32_t)pair;
    a->other[at] = (uint32_t)other;
}

gersh_status gersh__listed_around(gersh__around **out, const gersh__pairs *pairs)
{
    size_t n = pairs->n;
    gersh__around *a = *out = gersh__alloc(1, sizeof *a);
    if (a == NULL)
        return GERSH_ERROR_MEMORY;
    a->start = gersh__alloc(n + 1, sizeof *a->start);
    a->pair = gersh__alloc(pairs->count, 2 * sizeof *a->pair);
    a->other = gersh__alloc(pairs->count, 2 * sizeof *a->other);
    a->v = gersh__alloc(n, GERSH__TURNED * sizeof *a->v);
    a->y = gersh__alloc(n, GERSH__TURNED * sizeof *a->y);
    if (!a->start || !a->pair || !a->other || !a->v || !a->y)
        return GERSH_ERROR_MEMORY;
    for (size_t p = 0; p < pairs->count; p++) {
        a->start[pairs->first[p] + 1]++;
        a->start[pairs->second[p] + 1]++;
    }
    for (size_t i = 0; i < n; i++)
        a->start[i + 1] += a->start[i];
    for (size_t p = 0; p < pairs->count; p++) {
        put(a, pairs->first[p], p, pairs->second[p]);
        put(a, pairs->second[p], p, pairs->first[p]);
    }
    for (size_t i = n; i > 0; i--) /* each start has moved on to the next one */
        a->start[i] = a->start[i - 1];
    a->start[0] = 0;
    return GERSH_OK;
}

static void laplacian_part(void *context, size_t part, int worker)
{
    const task *k = context;
    const gersh__around *a = k->pairs->around;
    const gersh__kernels *kernels = gersh__kernels_here();
    size_t n = k->pairs->n, m = k->m, begin = part * STRIPE, end = n - begin < STRIPE ? n : begin + STRIPE;
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        double *y = a->y + i * m, total = 0;
        memset(y, 0, m * sizeof *y);
        for (size_t e = a->start[i]; e < a->start[i + 1]; e++) {
            double g = k->g[a->pair[e]];
            total += g;
            if (g != 0)
                kernels->axpy(m, -g, a->v + a->other[e] * m, y);
        }
        kernels->axpy(m, total, a->v + i * m, y);
        for (size_t c = 0; c < m; c++)
            k->out[c * n + i] = y[c];
    }
}

void gersh__listed_laplacian(const gersh__pairs *pairs, const double *g, size_t columns, const double *v,
                             double *y)
{
    for (size_t first = 0; first < columns; first += GERSH__TURNED) {
        size_t m = columns - first < GERSH__TURNED ? columns - first : GERSH__TURNED;
        gersh__listed_turn(pairs, m, v + first * pairs->n, NULL, pairs->around->v);
        task k = {pairs, m, NULL, NULL, g, y + first * pairs->n};
        gersh__pool_run(pairs->pool, (pairs->n + STRIPE - 1) / STRIPE, laplacian_part, &k);
    }
}

/* U = X W of a stripe of samples, W by columns. */
static void project_part(void *context, size_t part, int worker)
{
    const task *k = context;
    size_t n = k->pairs->n, begin = part * WIDE_STRIPE;
    size_t rows = n - begin < WIDE_STRIPE ? n - begin : WIDE_STRIPE;
    (void)worker;
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasTrans, (int)rows, (int)k->m, (int)k->m, 1.0,
                k->pairs->x + begin, (int)n, k->t, (int)k->m, 0.0, k->out + begin * k->m, (int)k->m);
}

/* S = V diag(λ) Vᵀ, so that with U = X V diag(√λ) the distances are those of the rows of U. */
int gersh__listed_metric(const gersh__pairs *pairs, size_t m, const gersh_atom *atom, const double *weight,
                         double *scratch, double *d)
{
    size_t n = pairs->n, k = pairs->k;
    double *u = scratch, *factor = u + n * k, *values = factor + k * k, *room = values + k;
    memset(factor, 0, k * k * sizeof *factor);
    for (size_t a = 0; a < m; a++) {
        gersh_atom z = atom[a]; /* the lower triangle by columns */
        factor[z.i * k + z.i] += weight[a] * z.a * z.a;
        if (z.i == z.j)
            continue;
        factor[z.j * k + z.j] += weight[a] * z.b * z.b;
        factor[z.i < z.j ? z.i * k + z.j : z.j * k + z.i] += weight[a] * z.a * z.b;
    }
    if (LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'L', (lapack_int)k, factor, (lapack_int)k, values, room,
                           (lapack_int)(k * (GERSH__EIGEN_ROOM - 1))) != 0)
        return -1;
    for (size_t e = 0; e < k; e++)
        for (size_t f = 0; f < k; f++)
            factor[e * k + f] *= values[e] > 0 ? sqrt(values[e]) : 0.0;
    gersh__pool_run(pairs->pool, (n + WIDE_STRIPE - 1) / WIDE_STRIPE, project_part,
                    &(task){pairs, k, factor, NULL, NULL, u});
    gersh__listed_combine(pairs, k, u, d);
    return 0;
}
