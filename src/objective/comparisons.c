/*
 * Objectives of triplets and quadruplets. Each says that the distance x of one pair is to be below the
 * distance y of another one. With w the product of the weights of its rows,
 *
 *     lsml:  F(d) = Σ w (√x − √y)²  over those with x > y,
 *     lmnn:  F(d) = (1 − μ) Σ w x + μ Σ w h(1 + x − y),      μ = 1/2, h the hinge,
 *
 * where the first sum of lmnn has each pair that is to be the shorter one once: of triplets, once for each
 * of its two rows that is a first one (then w is that of the pair alone). For the triplets that lmnn.c
 * would make of classes it is the same function. The hinge is smoothed from below as there.
 *
 * Both have terms of two distances whose Hessian has rank one, c cᵀ with c = (α, −β):
 *
 *     lsml:  α² = √y / (2 x^{3/2}),  β² = √x / (2 y^{3/2})   (and αβ = 1 / (2 √(x y))),
 *     lmnn:  α² = β² = μ / width     inside the smoothed zone.
 *
 * For pairs near the distance 0, and those of rows with the same features, see lsml.c.
 */
#include <cblas.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "linalg/kernels.h"
#include "objective/kinds.h"
#include "objective/separable.h"
#include "pairs/listed.h"

#define MU GERSH__LMNN_MU
#define NO_WIDTH 1e-300 /* stands for the width 0 */
#define BLOCK 256       /* terms of one product of the Hessian */

typedef struct compared {
    gersh__objective base;
    double *alpha, *beta; /* of each comparison at the last gradient */
    size_t curved;        /* comparisons where one of them is not 0 */
    double excess;        /* of the last gradient: how far the tangent may be above F */
    const double *pull;   /* lmnn, of each pair: the factor of x in the first sum */
    double *frozen;       /* lsml, of each pair: 1 where the rows have the same features */
} compared;

/* Value and derivatives of a term, and how far the tangent may be above it. */
typedef struct term {
    double value, near, far, alpha, beta, excess;
} term;

static gersh_status init(gersh__objective *objective)
{
    compared *s = (compared *)objective;
    size_t count = objective->pairs->compared->count;
    s->alpha = gersh__alloc(count, sizeof *s->alpha);
    s->beta = gersh__alloc(count, sizeof *s->beta);
    return s->alpha != NULL && s->beta != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
}

static void clear(gersh__objective *objective)
{
    compared *s = (compared *)objective;
    gersh__free(s->alpha);
    gersh__free(s->beta);
}

static gersh_status init_lsml(gersh__objective *objective)
{
    compared *s = (compared *)objective;
    const gersh__pairs *pairs = objective->pairs;
    s->frozen = objective->scratch;
    gersh__walk w;
    gersh__walk_start(&w, pairs, 0, gersh__pairs_count(pairs));
    while (gersh__walk_next(&w))
        s->frozen[w.pair] = gersh__pairs_coincide(pairs, w.i, w.j);
    return init(objective);
}

static gersh_status init_lmnn(gersh__objective *objective)
{
    compared *s = (compared *)objective;
    const gersh__pairs *pairs = objective->pairs;
    const gersh__comparisons *c = pairs->compared;
    double *pull = objective->scratch, *seen = pull + pairs->count; /* two of each pair: whether one end, or
                                                                       the other, was a first row */
    s->pull = c->pull != NULL ? c->pull : pull;
    if (c->pull != NULL)
        return init(objective);
    for (size_t t = 0; t < c->count; t++) {
        size_t p = c->near[t], i = pairs->first[p], j = pairs->second[p];
        double *mark = &seen[2 * p + (c->anchor != NULL && c->anchor[t] == j)];
        if (*mark == 0)
            pull[p] += (1 - MU) * (pairs->weight != NULL ? pairs->weight[i] * pairs->weight[j] : 1.0);
        *mark = 1;
    }
    return init(objective);
}

static term term_lsml(double x, double y, double least, int near_frozen, int far_frozen)
{
    double near = sqrt(fmax(x, 0)), far = sqrt(fmax(y, 0)), over = near - far;
    if (!(over > 0) || near_frozen)
        return (term){0};
    term out = {.value = over * over};
    if (near < least || (far < least && !far_frozen)) { /* the tangent at max(x, least²), max(y, least²) */
        near = fmax(near, least);
        far = fmax(far, least);
        over = near - far;
    }
    double a = 1 / near, b = far_frozen ? 0.0 : 1 / far;
    out.near = over * a;
    out.far = -over * b;
    out.alpha = sqrt(0.5 * far * a) * a;
    out.beta = sqrt(0.5 * near * b) * b;
    out.excess = out.value - over * over + out.near * (near * near - x) + out.far * (far * far - y);
    return out;
}

static term term_lmnn(double x, double y, double width)
{
    double over = 1 + x - y;
    if (!(over > 0))
        return (term){0};
    if (over >= width)
        return (term){MU * (over - width / 2), MU, -MU, 0, 0, 0};
    double slope = MU * over / width, root = sqrt(MU / width);
    return (term){slope * over / 2, slope, -slope, root, root, 0};
}

typedef struct task {
    compared *s;
    double width, least;
    const double *d;
    double *g;
    double partial[GERSH__MOST_PARTS], excess[GERSH__MOST_PARTS];
    size_t curved[GERSH__MOST_PARTS];
} task;

/* The first sum, and the gradient set to what it gives. */
static void pull_part(void *context, size_t part, int worker)
{
    task *k = context;
    const gersh__pairs *pairs = k->s->base.pairs;
    int lsml = k->s->frozen != NULL;
    double value = 0;
    (void)worker;
    for (size_t p = pairs->part[part]; p < pairs->part[part + 1]; p++) {
        double slope = lsml ? 0.0 : k->s->pull[p];
        value += slope != 0 ? slope * k->d[p] : 0.0;
        if (k->g != NULL)
            k->g[p] = slope;
    }
    k->partial[part] = value;
}

static void term_part(void *context, size_t part, int worker)
{
    task *k = context;
    compared *s = k->s;
    const gersh__comparisons *c = s->base.pairs->compared;
    int lsml = s->frozen != NULL;
    size_t begin = c->part != NULL ? c->part[part] : 0,
           end = c->part != NULL ? c->part[part + 1] : c->count;
    double value = 0, excess = 0;
    size_t curved = 0;
    (void)worker;
    for (size_t t = begin; t < end; t++) {
        size_t near = c->near[t], far = c->far[t];
        term one =
            lsml ? term_lsml(k->d[near], k->d[far], k->least, s->frozen[near] != 0, s->frozen[far] != 0)
                 : term_lmnn(k->d[near], k->d[far], k->width);
        value += c->weight[t] * one.value;
        if (k->g == NULL)
            continue;
        double root = sqrt(c->weight[t]);
        excess += c->weight[t] * fmax(one.excess, 0);
        k->g[near] += c->weight[t] * one.near;
        k->g[far] += c->weight[t] * one.far;
        s->alpha[t] = root * one.alpha;
        s->beta[t] = root * one.beta;
        curved += s->alpha[t] != 0 || s->beta[t] != 0;
    }
    k->partial[part] = value;
    k->excess[part] = excess;
    k->curved[part] = curved;
}

/* F at the smoothing `width`; with g the gradient, and what the Hessian needs. */
static double sum_terms(compared *s, double width, const double *d, double *g)
{
    const gersh__pairs *pairs = s->base.pairs;
    const gersh__comparisons *c = pairs->compared;
    int lsml = s->frozen != NULL;
    task k = {s,   width, lsml && g != NULL ? sqrt(gersh__root_floor(pairs->count, d)) : 0, d, g, {0},
              {0}, {0}};
    double value = 0, excess = 0;
    size_t curved = 0;
    gersh__pairs_run(pairs, pull_part, &k);
    for (size_t part = 0; part < pairs->parts; part++)
        value += k.partial[part];
    gersh__pool_run(c->parts > 1 ? pairs->pool : NULL, c->parts, term_part, &k);
    for (size_t part = 0; part < c->parts; part++) {
        value += k.partial[part];
        excess += k.excess[part];
        curved += k.curved[part];
    }
    if (g != NULL) {
        s->curved = curved;
        s->excess = excess;
    }
    return value;
}

static double evaluate(gersh__objective *objective, const double *d, double *g)
{
    return sum_terms((compared *)objective, fmax(objective->width, NO_WIDTH), d, g);
}

static double exact(gersh__objective *objective, const double *d)
{
    return sum_terms((compared *)objective, NO_WIDTH, d, NULL);
}

/* A pair may be the near one of some comparisons and the far one of others: |near + far| + 2 |far| >= |near| + |far|. */
static double doubt(gersh__objective *objective, const double *d, const double *g, double *r)
{
    const compared *s = (const compared *)objective;
    const gersh__pairs *pairs = objective->pairs;
    const gersh__comparisons *c = pairs->compared;
    double width = fmax(objective->width, NO_WIDTH), least = sqrt(gersh__root_floor(pairs->count, d));
    for (size_t t = 0; t < c->count; t++) {
        size_t near = c->near[t], far = c->far[t];
        term one = s->frozen != NULL
                       ? term_lsml(d[near], d[far], least, s->frozen[near] != 0, s->frozen[far] != 0)
                       : term_lmnn(d[near], d[far], width);
        r[pairs->first[far]] += 2 * c->weight[t] * fabs(one.far);
        r[pairs->second[far]] += 2 * c->weight[t] * fabs(one.far);
    }
    return s->frozen != NULL ? s->excess : gersh__margin_doubt(pairs, d, g);
}

static void curvature(gersh__objective *objective, const double *d, const double *v, double *out)
{
    compared *s = (compared *)objective;
    const gersh__comparisons *c = objective->pairs->compared;
    (void)d;
    memset(out, 0, objective->pairs->count * sizeof *out);
    for (size_t t = 0; t < c->count; t++) {
        double along = s->alpha[t] * v[c->near[t]] - s->beta[t] * v[c->far[t]];
        out[c->near[t]] += along * s->alpha[t];
        out[c->far[t]] -= along * s->beta[t];
    }
}

/*
 * Estimates of second derivatives use about ENOUGH of the terms of a sum, chosen by their numbers: as
 * good as drawn, and always the same. share of 2³² terms are used, all where it is UINT32_MAX, and each counts
 * `factor` times.
 */
enum { ENOUGH = 16384 };

static uint32_t used_share(size_t terms)
{
    return terms <= ENOUGH ? UINT32_MAX : (uint32_t)(0x1p32 * ENOUGH / (double)terms);
}

static double used_factor(uint32_t share)
{
    return share < UINT32_MAX ? 0x1p32 / (double)share : 1.0;
}

static int is_used(size_t number, uint32_t share)
{
    uint64_t mixed = (uint64_t)number * 0x9E3779B97F4A7C15u;
    return share == UINT32_MAX || (uint32_t)((mixed ^ mixed >> 29) * 0xBF58476D1CE4E5B9u >> 32) < share;
}

typedef struct gram {
    const compared *s;
    size_t m;
    uint32_t share;
    const double *turned; /* n × m */
    double *sums;         /* m × m for each part, */
    double *rows;         /* and BLOCK × m for each worker */
} gram;

/* α times the distances of the near pair less β times those of the far one, under each atom. */
static void set_row(const gram *k, size_t t, double *row)
{
    const gersh__kernels *kernels = gersh__kernels_here();
    const gersh__pairs *pairs = k->s->base.pairs;
    size_t near = pairs->compared->near[t], far = pairs->compared->far[t], m = k->m;
    kernels->set_squares(m, k->s->alpha[t], k->turned + pairs->first[near] * m,
                         k->turned + pairs->second[near] * m, row);
    kernels->add_squares(m, -k->s->beta[t], k->turned + pairs->first[far] * m,
                         k->turned + pairs->second[far] * m, row);
}

/* The products of a part of the terms, the lower triangle by columns. */
static void gram_part(void *context, size_t part, int worker)
{
    const gram *k = context;
    const gersh__comparisons *c = k->s->base.pairs->compared;
    size_t begin = c->part != NULL ? c->part[part] : 0,
           end = c->part != NULL ? c->part[part + 1] : c->count;
    size_t m = k->m, filled = 0;
    double *h = k->sums + part * m * m, *rows = k->rows + (size_t)worker * BLOCK * m;
    memset(h, 0, m * m * sizeof *h);
    for (size_t t = begin; t < end; t++) {
        if ((k->s->alpha[t] != 0 || k->s->beta[t] != 0) && is_used(t, k->share))
            set_row(k, t, rows + m * filled++);
        if (filled == BLOCK || (filled > 0 && t + 1 == end)) {
            cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)m, (int)filled, 1.0, rows, (int)m,
                        1.0, h, (int)m);
            filled = 0;
        }
    }
}

/* The parts' sums, and what becomes of them. */
typedef struct gathered {
    size_t m, parts;
    double factor;
    const double *sums; /* parts × m × m, upper triangles */
    double *h;
} gathered;

/* Row a of the Hessian from the diagonal on, and the column below it. */
static void gather_row(void *context, size_t a, int worker)
{
    const gathered *k = context;
    size_t m = k->m;
    double *row = k->h + a * m;
    (void)worker;
    memset(row + a, 0, (m - a) * sizeof *row);
    for (size_t part = 0; part < k->parts; part++) {
        const double *own = k->sums + (part * m + a) * m;
        for (size_t b = a; b < m; b++)
            row[b] += own[b];
    }
    for (size_t b = a; b < m; b++)
        k->h[b * m + a] = row[b] *= k->factor;
}

static gersh_status hessian(gersh__objective *objective, const double *d, size_t m, const double *t,
                            double *h)
{
    compared *s = (compared *)objective;
    const gersh__pairs *pairs = objective->pairs;
    const gersh__comparisons *c = pairs->compared;
    size_t workers = c->parts > 1 ? (size_t)gersh__pool_threads(pairs->pool) : 1;
    (void)d;
    gersh_status status = gersh__objective_work(objective, m * (pairs->n + m * c->parts + BLOCK * workers));
    if (status != GERSH_OK)
        return status;
    double *turned = objective->work, *sums = turned + m * pairs->n;
    gram k = {s, m, used_share(s->curved), turned, sums, sums + m * m * c->parts};
    gersh__listed_turn(pairs, m, t, NULL, turned);
    gersh__pool *pool = c->parts > 1 ? pairs->pool : NULL;
    gersh__pool_run(pool, c->parts, gram_part, &k);
    gersh__pool_run(pool, m, gather_row, &(gathered){m, c->parts, used_factor(k.share), sums, h});
    return GERSH_OK;
}

const gersh__objective_kind gersh__lsml_compared = {
    .chained = 1,
    .arrays = 1,
    .state_size = sizeof(compared),
    .init = init_lsml,
    .clear = clear,
    .evaluate = evaluate,
    .curvature = curvature,
    .hessian = hessian,
    .doubt = doubt,
};

const gersh__objective_kind gersh__lmnn_compared = {
    .chained = 1,
    .arrays = 3,
    .state_size = sizeof(compared),
    .init = init_lmnn,
    .clear = clear,
    .evaluate = evaluate,
    .curvature = curvature,
    .hessian = hessian,
    .exact = exact,
    .doubt = doubt,
};
