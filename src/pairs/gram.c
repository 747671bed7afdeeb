/*
 * h = Σ_p c_p a_p a_pᵀ: the second derivatives of a sum over pairs, in the space of the atoms.
 *
 * Blocks of pairs become a matrix of √|c_p| a_p, whose product with itself is added to h; a block with negative c_p is
 * done once for each sign.
 *
 * An estimate draws pairs with chances proportional to c_p, all at equal distances along the running sum of c: with S the
 * whole sum and N draws, h ≈ Σ S/N a_p a_pᵀ over them. A few pairs with most of the sum are then all there. Around
 * centres a pair is there twice, once for each of its samples.
 */
#include "pairs/gram.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/policy.h"
#include "linalg/kernels.h"
#include "pairs/storage.h"

#define BLOCK GERSH__GRAM_BLOCK

/* h += sign Σ over the pairs with that sign of c; tells whether there was one with another. */
static int add_sign(const gersh__gram *gm, const gersh__gram_block *b, double sign, double *rows, double *h)
{
    const gersh__kernels *kernels = gersh__kernels_here();
    double root[BLOCK];
    size_t m = gm->m, n = gersh__pairs_samples(gm->pairs);
    int other = 0;
    for (size_t r = 0, at = 0; r < b->runs; at += b->run[r++].length) {
        const double *c = gm->c + b->run[r].pair;
        for (size_t j = 0; j < b->run[r].length; j++) {
            double signed_c = sign * gm->sign * c[j];
            other |= signed_c < 0;
            root[at + j] = signed_c > 0 ? sqrt(signed_c) : 0.0;
        }
    }
    for (size_t a = 0; a < m; a++) {
        const double *t = gm->t + a * n;
        double *column = rows + a * b->pairs;
        for (size_t r = 0, at = 0; r < b->runs; at += b->run[r++].length) {
            const gersh__gram_run *u = &b->run[r];
            double own = u->sample != GERSH__NO_SAMPLE ? t[u->sample] : 0;
            kernels->square_scale(u->length, root + at, own, t + u->partner, column + at);
        }
    }
    kernels->gram(b->pairs, m, sign, rows, h);
    return other;
}

void gersh__gram_end(const gersh__gram *gm, gersh__gram_block *b, double *rows, double *h)
{
    if (b->pairs > 0 && add_sign(gm, b, 1.0, rows, h))
        add_sign(gm, b, -1.0, rows, h);
    b->runs = b->pairs = 0;
}

void gersh__gram_add(const gersh__gram *gm, gersh__gram_block *b, gersh__gram_run u, double *rows,
                     double *h)
{
    while (u.length > 0) {
        size_t taken = BLOCK - b->pairs < u.length ? BLOCK - b->pairs : u.length;
        b->run[b->runs++] = (gersh__gram_run){u.sample, u.partner, taken, u.pair};
        b->pairs += taken;
        u.partner += taken;
        u.pair += taken;
        u.length -= taken;
        if (b->pairs == BLOCK)
            gersh__gram_end(gm, b, rows, h);
    }
}

/* A row of the sum over the parts. */
static void add_parts(void *context, size_t row, int worker)
{
    gersh__gram *gm = context;
    size_t m = gm->m;
    double *sum = gm->sums + row * m;
    (void)worker;
    for (size_t p = 1; p < gm->parts; p++)
        gersh__kernels_here()->axpy(m, 1.0, sum + p * m * m, sum);
}

typedef struct parts {
    gersh__gram *gram;
    gersh__gram_part part;
} parts;

static void run_part(void *context, size_t number, int worker)
{
    const parts *k = context;
    gersh__gram *gm = k->gram;
    double *h = gm->sums + number * gm->m * gm->m;
    memset(h, 0, gm->m * gm->m * sizeof *h);
    k->part(gm, number, gm->blocks + (size_t)worker * BLOCK * gm->m, h);
}

/* Scratch of so many numbers. */
static double *room_for(const gersh__pairs *pairs, size_t need)
{
    gersh__pairs_room *room = pairs->room;
    return gersh__grow(&room->gram, &room->gram_capacity, need, sizeof *room->gram) == 0 ? room->gram
                                                                                         : NULL;
}

gersh_status gersh__gram_sum(gersh__gram *gm, gersh__gram_part part, size_t count, int transposed,
                             double *h)
{
    const gersh__pairs *pairs = gm->pairs;
    size_t m = gm->m, workers = count > 1 ? (size_t)gersh__pool_threads(pairs->pool) : 1;
    size_t before = m * (m * count + BLOCK * workers);
    gm->parts = count;
    gm->sums = room_for(pairs, before + (transposed ? m * pairs->n : 0));
    if (gm->sums == NULL)
        return GERSH_ERROR_MEMORY;
    gm->blocks = gm->sums + m * m * count;
    if (transposed) {
        gersh__pairs_transpose(pairs, m, gm->t, NULL, gm->sums + before);
        gm->transposed = gm->sums + before;
    }
    gersh__pool_run(count > 1 ? pairs->pool : NULL, count, run_part, &(parts){gm, part});
    gersh__pool_run(gersh__pool_for(pairs->pool, (double)(count * m * m)), m, add_parts, gm);
    memcpy(h, gm->sums, m * m * sizeof *h);
    return GERSH_OK;
}

/* The upper triangle, as rows lie, becomes that of both. */
static void mirror(size_t m, double *h)
{
    for (size_t a = 0; a < m; a++)
        for (size_t b = a; b < m; b++)
            h[b * m + a] = h[a * m + b];
}

static gersh_status gram_all(gersh__gram *gm, double *h)
{
    gersh_status status = gm->pairs->ops->gram(gm, h);
    if (status == GERSH_OK)
        mirror(gm->m, h);
    return status;
}

gersh_status gersh__pairs_gram(const gersh__pairs *pairs, const double *c, size_t m, const double *t,
                               double *h)
{
    return gram_all(&(gersh__gram){.pairs = pairs, .c = c, .sign = 1, .m = m, .t = t}, h);
}

void gersh__gram_empty(gersh__gram_sample *w)
{
    const gersh__gram *gm = w->gram;
    size_t n = gersh__pairs_samples(gm->pairs);
    double *root = w->times;
    for (size_t p = 0; p < w->filled; p++)
        root[p] = sqrt(w->times[p] * gm->unit);
    for (size_t a = 0; a < gm->m; a++) {
        double *row = w->rows + a * w->filled;
        gersh__kernels_here()->square_gather(w->filled, root, w->first, w->second, gm->t + a * n, row);
        for (size_t p = 0; gm->center != NULL && p < w->filled; p++)
            row[p] -= root[p] * gm->center[a * n + w->self[p]];
        if (gm->minus_mean != NULL)
            gersh__kernels_here()->axpy(w->filled, gm->minus_mean[a], root, row);
    }
    gersh__kernels_here()->gram(w->filled, gm->m, 1.0, w->rows, w->h);
    w->filled = 0;
}

/* Branch-free: writes every candidate, and advances only if it was drawn, which is hard to foresee. */
size_t gersh__gram_draw(gersh__gram_sample *w, const double *c, size_t p, size_t end)
{
    double at = w->at, per = w->gram->per;
    long reached = w->reached;
    size_t filled = w->filled;
    for (; p < end && filled < BLOCK; p++) {
        at += c[p] * per;
        long now = (long)at;
        w->place[filled] = p;
        w->times[filled] = (double)(now - reached);
        filled += now > reached;
        reached = now;
    }
    w->at = at;
    w->reached = reached;
    w->filled = filled;
    return p;
}

static void sample_part(gersh__gram *gm, size_t part, double *rows, double *h)
{
    const gersh__pairs *pairs = gm->pairs;
    size_t chunks = pairs->chunks.count, first = part * chunks / gm->parts;
    gersh__gram_sample w;
    w.gram = gm;
    w.rows = rows;
    w.h = h;
    w.filled = 0;
    w.at = gm->before[first] * gm->per + 0.5; /* the first draw is half a unit from the start */
    w.reached = (long)w.at;
    pairs->ops->sample(&w, first, (part + 1) * chunks / gm->parts);
    if (w.filled > 0)
        gersh__gram_empty(&w);
}

/* The sum of c of a chunk, put behind it. */
static void sum_chunk(void *context, size_t part, int worker)
{
    gersh__gram *gm = context;
    const gersh__kernels *kernels = gersh__kernels_here();
    const size_t *start = gm->pairs->chunks.start + part;
    (void)worker;
    gm->before[part + 1] = kernels->sum(start[1] - start[0], gm->c + start[0]);
    if (gm->other != NULL)
        gm->before[part + 1] += kernels->sum(start[1] - start[0], gm->other + start[0]);
}

static gersh_status estimate(gersh__gram *gm, double *h)
{
    const gersh__pairs *pairs = gm->pairs;
    size_t chunks = pairs->chunks.count;
    double before[GERSH__MOST_CHUNKS + 1] = {0};
    gm->before = before;
    gersh__chunks_run(&pairs->chunks, pairs->pool, sum_chunk, gm);
    for (size_t part = 0; part < chunks; part++)
        before[part + 1] += before[part];
    double all = before[chunks];
    if (all == 0 || !isfinite(all)) {
        memset(h, 0, gm->m * gm->m * sizeof *h);
        return GERSH_OK;
    }
    double draws = GERSH__HESSIAN_SAMPLE;
    gm->unit = fabs(all) / draws;
    gm->per = draws / all; /* of the sign of c */
    gersh_status status = gersh__gram_sum(
        gm, sample_part, chunks < GERSH__ESTIMATE_SPLIT ? chunks : GERSH__ESTIMATE_SPLIT, 0, h);
    if (status == GERSH_OK)
        mirror(gm->m, h);
    return status;
}

int gersh__pairs_estimates(const gersh__pairs *pairs)
{
    return pairs->count > GERSH__HESSIAN_SAMPLE && pairs->ops->sample != NULL;
}

gersh_status gersh__pairs_gram_estimate(const gersh__pairs *pairs, const double *c, size_t m,
                                        const double *t, const double *minus_mean, double *h)
{
    gersh__gram gm = {.pairs = pairs, .c = c, .m = m, .t = t, .minus_mean = minus_mean};
    if (gersh__pairs_estimates(pairs))
        return estimate(&gm, h);
    double sum = gersh__kernels_here()->sum(pairs->count, c);
    gm.sign = sum < 0 ? -1 : 1;
    gersh_status status = gram_all(&gm, h);
    if (status != GERSH_OK || minus_mean == NULL)
        return status;
    for (size_t a = 0; a < m; a++)
        gersh__kernels_here()->axpy(m, -fabs(sum) * minus_mean[a], minus_mean, h + a * m);
    return GERSH_OK;
}

gersh_status gersh__pairs_spread_estimate(const gersh__pairs *pairs, const double *own, const double *other,
                                          size_t m, const double *t, const double *center, double *h)
{
    gersh__gram gm = {.pairs = pairs, .c = own, .other = other, .m = m, .t = t, .center = center};
    return estimate(&gm, h);
}

/* Chunks of anything, whose sums are added in order. */
typedef struct chunked {
    const gersh__chunks *chunks;
    gersh__gram_chunk chunk;
    void *context;
    size_t m;
    double *sums, *blocks; /* m × m for each chunk, and BLOCK × m for each worker */
    double factor;
    double *h;
} chunked;

static void run_chunk(void *context, size_t part, int worker)
{
    const chunked *k = context;
    double *h = k->sums + part * k->m * k->m;
    memset(h, 0, k->m * k->m * sizeof *h);
    k->chunk(k->context, k->chunks->start[part], k->chunks->start[part + 1], k->m,
             k->blocks + (size_t)worker * BLOCK * k->m, h);
}

/* Row a from the diagonal on, and the column below it. */
static void gather_row(void *context, size_t a, int worker)
{
    const chunked *k = context;
    size_t m = k->m;
    double *row = k->h + a * m;
    (void)worker;
    memset(row + a, 0, (m - a) * sizeof *row);
    for (size_t part = 0; part < k->chunks->count; part++) {
        const double *own = k->sums + (part * m + a) * m;
        for (size_t b = a; b < m; b++)
            row[b] += own[b];
    }
    for (size_t b = a; b < m; b++)
        k->h[b * m + a] = row[b] *= k->factor;
}

gersh_status gersh__gram_chunks(const gersh__pairs *pairs, const gersh__chunks *chunks,
                                gersh__gram_chunk chunk, void *context, size_t m, double factor, double *h)
{
    gersh__pool *pool = chunks->count > 1 ? pairs->pool : NULL;
    size_t sums = m * m * chunks->count;
    chunked k = {.chunks = chunks, .chunk = chunk, .context = context, .m = m, .factor = factor, .h = h};
    k.sums = room_for(pairs, sums + m * BLOCK * (size_t)gersh__pool_threads(pool));
    if (k.sums == NULL)
        return GERSH_ERROR_MEMORY;
    k.blocks = k.sums + sums;
    gersh__pool_run(pool, chunks->count, run_chunk, &k);
    gersh__pool_run(pool, m, gather_row, &k);
    return GERSH_OK;
}
