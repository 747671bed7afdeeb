/*
 * h = Σ_p c_p a_p a_pᵀ: the second derivatives of a sum over pairs, in the space of the atoms.
 *
 * Blocks of pairs become a matrix of √|c_p| a_p, whose product with itself is added to h; a block with negative c_p is
 * done once for each sign. Pairs with c_p = 0 at either end of a row of
 * pairs are left out: with the samples in the order of classes those are the pairs of, or between, classes.
 * Listed pairs with c_p = 0 are left out one by one.
 *
 * An estimate draws pairs with chances proportional to c_p, all at equal distances along the running sum of c: with S the
 * whole sum and N draws, h ≈ Σ S/N a_p a_pᵀ over them. A few pairs with most of the sum are then all there. Around
 * centres a pair is there twice, once for each of its samples.
 */
#include <cblas.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "linalg/kernels.h"
#include "pairs/listed.h"
#include "pairs/work.h"

#define BLOCK 256       /* pairs of one product */
#define MOST_DRAWS 4096 /* of an estimate: half as many as there are pairs, but not more, */
#define ALL_PAIRS 1024  /* and all pairs where they are so few */
#define FEW_TERMS 4096  /* count · m² up to which plain loops are used */
#define FEW_ATOMS 32
#define MUCH_WORK 4e6     /* count · m² of differences from which they are split, */
#define SPLIT 4           /* into so many parts */
#define DRAW_SPLIT 8      /* parts of an estimate, each of which has a sum of its own */
#define MANY_TERMS 500000 /* of the sums, that are worth waking threads for */

struct gersh__pairs_work {
    double *memory;
    size_t capacity;
};

gersh_status gersh__pairs_work_new(gersh__pairs_work **out)
{
    *out = gersh__alloc(1, sizeof **out);
    return *out != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
}

void gersh__pairs_work_free(gersh__pairs_work *work)
{
    if (work == NULL)
        return;
    gersh__free(work->memory);
    gersh__free(work);
}

/* Pairs begin..end as rows [begin, end) against samples; a run of a block. */
typedef struct run {
    size_t sample;  /* the larger one of every pair */
    size_t partner; /* the smaller one of the first pair */
    size_t length;
    size_t pair; /* number of the first pair */
} run;

typedef struct gram {
    const gersh__pairs *pairs;
    const double *c;
    double sign; /* −1: c has the opposite of what is meant */
    size_t m;
    const double *t;
    size_t parts;             /* each with a sum of its own: those of the pairs, or fewer */
    double *sums;             /* m × m for each part */
    double *blocks;           /* BLOCK × m for each worker */
    const double *turned;     /* n × m, the values of each sample side by side: of listed pairs */
    const double *other;      /* of an estimate around centres: the c of each pair for its second sample, */
    const double *center;     /* as t; else both are NULL */
    const double *minus_mean; /* of the atoms' distances, or NULL */
    double *before;           /* of an estimate: the sum of c before each part, and */
    double unit, per;         /* how much of it there is for each draw, and 1 / unit */
} gram;

/* The runs of a block with the √|c| of those pairs whose sign is wanted, 0 for others. */
typedef struct block {
    run runs[BLOCK];
    size_t run_count, pairs;
} block;

/* h += sign Σ over the pairs with that sign of c; tells whether there was one with another. */
static int add_sign(const gram *gm, const block *b, double sign, double *rows, double *h)
{
    const gersh__kernels *kernels = gersh__kernels_here();
    double root[BLOCK];
    size_t m = gm->m, n = gm->pairs->n;
    int other = 0;
    for (size_t r = 0, at = 0; r < b->run_count; at += b->runs[r++].length) {
        const double *c = gm->c + b->runs[r].pair;
        for (size_t j = 0; j < b->runs[r].length; j++) {
            double signed_c = sign * gm->sign * c[j];
            other |= signed_c < 0;
            root[at + j] = signed_c > 0 ? sqrt(signed_c) : 0.0;
        }
    }
    for (size_t a = 0; a < m; a++) {
        const double *t = gm->t + a * n;
        double *column = rows + a * b->pairs;
        for (size_t r = 0, at = 0; r < b->run_count; at += b->runs[r++].length) {
            const run *u = &b->runs[r];
            double own = gm->pairs->differences ? 0 : t[u->sample];
            kernels->square_scale(u->length, root + at, own, t + u->partner, column + at);
        }
    }
    kernels->gram(b->pairs, m, sign, rows, h);
    return other;
}

static void flush(const gram *gm, block *b, double *rows, double *h)
{
    if (b->pairs > 0 && add_sign(gm, b, 1.0, rows, h))
        add_sign(gm, b, -1.0, rows, h);
    b->run_count = b->pairs = 0;
}

static void add_run(const gram *gm, block *b, run u, double *rows, double *h)
{
    while (u.length > 0) {
        size_t taken = BLOCK - b->pairs < u.length ? BLOCK - b->pairs : u.length;
        b->runs[b->run_count++] = (run){u.sample, u.partner, taken, u.pair};
        b->pairs += taken;
        u.partner += taken;
        u.pair += taken;
        u.length -= taken;
        if (b->pairs == BLOCK)
            flush(gm, b, rows, h);
    }
}

/* One sign of c of a part of the listed pairs; tells whether there was a pair of the other. */
static int add_listed(const gram *gm, size_t part, double sign, double *rows, double *h)
{
    const gersh__kernels *kernels = gersh__kernels_here();
    const gersh__pairs *pairs = gm->pairs;
    size_t m = gm->m, filled = 0;
    int other = 0;
    for (size_t p = pairs->part[part]; p < pairs->part[part + 1]; p++) {
        double c = sign * gm->sign * gm->c[p];
        other |= c < 0;
        if (c > 0)
            kernels->set_squares(m, sqrt(c), gm->turned + pairs->first[p] * m,
                                 gm->turned + pairs->second[p] * m, rows + m * filled++);
        if (filled == BLOCK || (filled > 0 && p + 1 == pairs->part[part + 1])) {
            cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)m, (int)filled, sign, rows, (int)m,
                        1.0, h, (int)m);
            filled = 0;
        }
    }
    return other;
}

static void gram_part(void *context, size_t part, int worker)
{
    gram *gm = context;
    const gersh__pairs *pairs = gm->pairs;
    double *h = gm->sums + part * gm->m * gm->m, *rows = gm->blocks + (size_t)worker * BLOCK * gm->m;
    block b;
    b.run_count = b.pairs = 0;
    memset(h, 0, gm->m * gm->m * sizeof *h);
    if (pairs->first != NULL) {
        if (add_listed(gm, part, 1.0, rows, h))
            add_listed(gm, part, -1.0, rows, h);
        return;
    }
    if (pairs->differences) {
        size_t begin = pairs->count * part / gm->parts, end = pairs->count * (part + 1) / gm->parts;
        add_run(gm, &b, (run){0, begin, end - begin, begin}, rows, h);
        flush(gm, &b, rows, h);
        return;
    }
    for (size_t i = pairs->part[part]; i < pairs->part[part + 1]; i++) {
        size_t base = pairs->row[i], begin = 0, end = gersh__pairs_reach(pairs, i);
        while (begin < end && gm->c[base + begin] == 0)
            begin++;
        while (end > begin && gm->c[base + end - 1] == 0)
            end--;
        add_run(gm, &b, (run){i, begin, end - begin, base + begin}, rows, h);
    }
    flush(gm, &b, rows, h);
}

/* h += c a aᵀ for one pair, the lower triangle by columns. */
static void add_pair(double c, size_t i, size_t j, size_t n, size_t m, const double *t, double *h)
{
    double atoms[FEW_ATOMS];
    for (size_t a = 0; a < m; a++) {
        double difference = t[a * n + i] - t[a * n + j];
        atoms[a] = difference * difference;
    }
    for (size_t a = 0; a < m; a++)
        for (size_t b = a; b < m; b++)
            h[a * m + b] += c * atoms[a] * atoms[b];
}

static void gram_small(const gram *gm, double *h)
{
    const gersh__pairs *pairs = gm->pairs;
    const double *c = gm->c, *t = gm->t;
    size_t m = gm->m;
    memset(h, 0, m * m * sizeof *h);
    if (pairs->first != NULL) {
        for (size_t p = 0; p < pairs->count; p++)
            add_pair(gm->sign * c[p], pairs->first[p], pairs->second[p], pairs->n, m, t, h);
        return;
    }
    for (size_t i = 0; i < pairs->n; i++)
        for (size_t j = 0; j < gersh__pairs_reach(pairs, i); j++)
            add_pair(gm->sign * c[pairs->row[i] + j], i, j, pairs->n, m, t, h);
}

/* A row of the sum over the parts. */
static void add_parts(void *context, size_t row, int worker)
{
    gram *gm = context;
    size_t m = gm->m;
    double *sum = gm->sums + row * m;
    (void)worker;
    for (size_t p = 1; p < gm->parts; p++)
        gersh__kernels_here()->axpy(m, 1.0, sum + p * m * m, sum);
}

/* What one of so many parts gives, summed over them; `turn`: with the values of each sample side by side. */
static gersh_status gram_parts(gram *gm, gersh__part part, size_t parts, int turn, double *h)
{
    const gersh__pairs *pairs = gm->pairs;
    size_t m = gm->m;
    gm->parts = parts;
    size_t workers = gm->parts > 1 ? (size_t)gersh__pool_threads(pairs->pool) : 1;
    gersh__pairs_work *work = pairs->work;
    size_t before = m * (m * gm->parts + BLOCK * workers);
    if (gersh__grow(&work->memory, &work->capacity, before + (turn ? m * pairs->n : 0),
                    sizeof *work->memory) != 0)
        return GERSH_ERROR_MEMORY;
    gm->sums = work->memory;
    gm->blocks = work->memory + m * m * gm->parts;
    if (turn) {
        gersh__listed_turn(pairs, m, gm->t, NULL, work->memory + before);
        gm->turned = work->memory + before;
    }
    gersh__pool_run(gm->parts > 1 ? pairs->pool : NULL, gm->parts, part, gm);
    gersh__pool_run(gm->parts * m * m > MANY_TERMS ? pairs->pool : NULL, m, add_parts, gm);
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

static gersh_status gram_all(gram *gm, double *h)
{
    gersh_status status = GERSH_OK;
    const gersh__pairs *pairs = gm->pairs;
    int split = pairs->differences && (double)pairs->count * (double)(gm->m * gm->m) > MUCH_WORK;
    if (gm->m <= FEW_ATOMS && !pairs->differences && pairs->count <= FEW_TERMS &&
        pairs->count * gm->m * gm->m <= FEW_TERMS)
        gram_small(gm, h);
    else
        status = gram_parts(gm, gram_part, split ? SPLIT : pairs->parts, pairs->first != NULL, h);
    if (status == GERSH_OK)
        mirror(gm->m, h);
    return status;
}

gersh_status gersh__pairs_gram(const gersh__pairs *pairs, const double *c, size_t m, const double *t,
                               double *h)
{
    return gram_all(&(gram){.pairs = pairs, .c = c, .sign = 1, .m = m, .t = t}, h);
}

/* A block of the drawn pairs of a part, and where among all draws it is. */
typedef struct drawn {
    gram *gm;
    double *rows, *h;
    size_t filled, place[BLOCK], first[BLOCK], second[BLOCK];
    size_t self[BLOCK];  /* one of the two, around whose centre the pair is drawn */
    double times[BLOCK]; /* how often the pair is */
    double at;           /* the running sum of c, in draws */
    long reached;        /* draws made */
} drawn;

static void flush_drawn(drawn *w)
{
    const gram *gm = w->gm;
    size_t n = gm->pairs->n;
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

/*
 * Draws from c[p], ..., c[end − 1] until the block is full; returns where to go on. Whether a pair is drawn is hard to
 * foresee: every one is put down, and overwritten by the next unless it was.
 */
static size_t draw(drawn *w, const double *c, size_t p, size_t end)
{
    double at = w->at, per = w->gm->per;
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

/* The pairs of sample i with the first `count` samples, around the centre of the one or of the others. */
static void draw_row(drawn *w, const double *c, size_t i, size_t count, int others)
{
    for (size_t p = 0; p < count;) {
        size_t from = w->filled;
        p = draw(w, c, p, count);
        for (size_t e = from; e < w->filled; e++) {
            w->first[e] = i;
            w->second[e] = w->place[e];
            w->self[e] = others ? w->place[e] : i;
        }
        if (w->filled == BLOCK)
            flush_drawn(w);
    }
}

static void draw_listed(drawn *w, size_t p, size_t end)
{
    const gersh__pairs *pairs = w->gm->pairs;
    while (p < end) {
        size_t from = w->filled;
        p = draw(w, w->gm->c, p, end);
        for (size_t e = from; e < w->filled; e++) {
            w->first[e] = pairs->first[w->place[e]];
            w->second[e] = pairs->second[w->place[e]];
        }
        if (w->filled == BLOCK)
            flush_drawn(w);
    }
}

static void estimate_part(void *context, size_t part, int worker)
{
    gram *gm = context;
    const gersh__pairs *pairs = gm->pairs;
    size_t m = gm->m, first = part * pairs->parts / gm->parts, last = (part + 1) * pairs->parts / gm->parts;
    drawn w;
    w.gm = gm;
    w.rows = gm->blocks + (size_t)worker * BLOCK * m;
    w.h = gm->sums + part * m * m;
    w.filled = 0;
    w.at = gm->before[first] * gm->per + 0.5; /* the first draw is half a unit from the start */
    w.reached = (long)w.at;
    memset(w.h, 0, m * m * sizeof *w.h);
    if (pairs->first != NULL)
        draw_listed(&w, pairs->part[first], pairs->part[last]);
    for (size_t i = pairs->part[first]; pairs->first == NULL && i < pairs->part[last]; i++) {
        draw_row(&w, gm->c + pairs->row[i], i, gersh__pairs_reach(pairs, i), 0);
        if (gm->other != NULL)
            draw_row(&w, gm->other + pairs->row[i], i, gersh__pairs_reach(pairs, i), 1);
    }
    if (w.filled > 0)
        flush_drawn(&w);
}

/* The sum of c of a part, put behind it. */
static void sum_part(void *context, size_t part, int worker)
{
    gram *gm = context;
    const gersh__kernels *kernels = gersh__kernels_here();
    size_t begin = gersh__pairs_begin(gm->pairs, part),
           count = gersh__pairs_begin(gm->pairs, part + 1) - begin;
    (void)worker;
    gm->before[part + 1] = kernels->sum(count, gm->c + begin);
    if (gm->other != NULL)
        gm->before[part + 1] += kernels->sum(count, gm->other + begin);
}

static gersh_status estimate(gram *gm, double *h)
{
    const gersh__pairs *pairs = gm->pairs;
    double before[GERSH__MOST_PARTS + 1] = {0};
    gm->before = before;
    gersh__pairs_run(pairs, sum_part, gm);
    for (size_t part = 0; part < pairs->parts; part++)
        before[part + 1] += before[part];
    double all = before[pairs->parts];
    if (all == 0 || !isfinite(all)) {
        memset(h, 0, gm->m * gm->m * sizeof *h);
        return GERSH_OK;
    }
    double draws = fmin((double)pairs->count / 2, MOST_DRAWS);
    gm->unit = fabs(all) / draws;
    gm->per = draws / all; /* of the sign of c */
    gersh_status status =
        gram_parts(gm, estimate_part, pairs->parts < DRAW_SPLIT ? pairs->parts : DRAW_SPLIT, 0, h);
    if (status == GERSH_OK)
        mirror(gm->m, h);
    return status;
}

int gersh__pairs_draws(const gersh__pairs *pairs)
{
    return pairs->count > ALL_PAIRS;
}

gersh_status gersh__pairs_gram_estimate(const gersh__pairs *pairs, const double *c, size_t m,
                                        const double *t, const double *minus_mean, double *h)
{
    gram gm = {.pairs = pairs, .c = c, .m = m, .t = t, .minus_mean = minus_mean};
    if (gersh__pairs_draws(pairs))
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
    return estimate(&(gram){.pairs = pairs, .c = own, .other = other, .m = m, .t = t, .center = center}, h);
}
