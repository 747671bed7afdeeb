/*
 * Objectives of triplets and quadruplets. Each says that the distance x of one pair is to be below the
 * distance y of another one. With w the product of the weights of its rows,
 *
 *     lsml:  F(d) = Σ w (√x − √y)²  over those with x > y,
 *     lmnn:  F(d) = (1 − μ) Σ w x + μ Σ w h(1 + x − y),      μ = 1/2, h the hinge,
 *
 * where the first sum of lmnn has each pair that is to be the shorter one once: of triplets, once for each
 * of its two rows that is a first one (then w is that of the pair alone). For the triplets that lmnn.c
 * would make of classes it is the same function. The hinge is made smooth as there, but with sampled triplets from 0 to width
 * instead: those that stand for others, all of them beyond the margin, then have no slope in the linear function below F, which
 * so is one below the sum of all triplets too.
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
#include "base/policy.h"
#include "linalg/kernels.h"
#include "objective/kinds.h"
#include "objective/separable.h"

#define MU GERSH__LMNN_MU
#define BLOCK GERSH__GRAM_BLOCK

typedef struct compared {
    gersh__objective base;
    double *alpha, *beta; /* of each comparison at the last gradient */
    size_t curved;        /* comparisons where one of them is not 0 */
    double excess;        /* lsml, of the last gradient: how far the tangent may be above F */
    double slopes;        /* lmnn, of the last gradient: the sum of those of the hinges */
    const double *pull;   /* lmnn, of each pair: the factor of x in the first sum */
    double *frozen;       /* lsml, of each pair: 1 where the rows have the same features */
} compared;

/* Value and derivatives of a term, and how far the tangent may be above it. */
typedef struct term {
    double value, near, far, alpha, beta, excess;
} term;

static const gersh__comparisons *comparisons_of(const gersh__objective *objective)
{
    return gersh__supervision_comparisons(gersh__pairs_supervision(objective->pairs));
}

static double lead_of(const gersh__comparisons *c, double width)
{
    return c->pull != NULL ? 0 : 0.5 * width;
}

static gersh_status init(gersh__objective *objective)
{
    compared *s = (compared *)objective;
    size_t count = comparisons_of(objective)->count;
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
    const gersh__supervision *known = gersh__pairs_supervision(pairs);
    const gersh__comparisons *c = comparisons_of(objective);
    double *pull = objective->scratch;
    double *seen = pull + gersh__pairs_count(
                              pairs); /* two of each pair: whether one end, or the other, was a first row */
    s->pull = c->pull != NULL ? c->pull : pull;
    for (size_t t = 0; c->pull == NULL && t < c->count; t++) {
        size_t p = c->near[t];
        uint32_t i, j;
        gersh__pairs_ends(pairs, p, 1, &i, &j);
        double *mark = &seen[2 * p + (c->anchor != NULL && c->anchor[t] == j)];
        if (*mark == 0)
            pull[p] += (1 - MU) * gersh__supervision_pair_weight(known, p, i, j);
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

/* The hinge is smooth from −lead on. */
static term term_lmnn(double x, double y, double width, double lead)
{
    double over = 1 + x - y + lead;
    if (!(over > 0))
        return (term){0};
    if (over >= width)
        return (term){MU * (over - width / 2), MU, -MU, 0, 0, 0};
    double slope = MU * over / width, root = sqrt(MU / width);
    return (term){slope * over / 2, slope, -slope, root, root, 0};
}

typedef struct task {
    compared *s;
    const gersh__comparisons *comparisons;
    double width, lead, least;
    const double *d;
    double *g;
} task;

/* The first sum, and the gradient set to what it gives. */
static double pull_chunk(void *context, size_t begin, size_t end)
{
    const task *k = context;
    int lsml = k->s->frozen != NULL;
    double value = 0;
    for (size_t p = begin; p < end; p++) {
        double slope = lsml ? 0.0 : k->s->pull[p];
        value += slope != 0 ? slope * k->d[p] : 0.0;
        if (k->g != NULL)
            k->g[p] = slope;
    }
    return value;
}

/* The value, the excess, how many comparisons are curved, and the slopes of the near pairs. */
static void term_chunk(void *context, size_t begin, size_t end, double *sums)
{
    const task *k = context;
    compared *s = k->s;
    const gersh__comparisons *c = k->comparisons;
    int lsml = s->frozen != NULL;
    double value = 0, excess = 0, slopes = 0;
    size_t curved = 0;
    for (size_t t = begin; t < end; t++) {
        size_t near = c->near[t], far = c->far[t];
        term one =
            lsml ? term_lsml(k->d[near], k->d[far], k->least, s->frozen[near] != 0, s->frozen[far] != 0)
                 : term_lmnn(k->d[near], k->d[far], k->width, k->lead);
        value += c->weight[t] * one.value;
        if (k->g == NULL)
            continue;
        double root = sqrt(c->weight[t]);
        excess += c->weight[t] * fmax(one.excess, 0);
        slopes += c->weight[t] * one.near;
        k->g[near] += c->weight[t] * one.near;
        k->g[far] += c->weight[t] * one.far;
        s->alpha[t] = root * one.alpha;
        s->beta[t] = root * one.beta;
        curved += s->alpha[t] != 0 || s->beta[t] != 0;
    }
    sums[0] = value;
    sums[1] = excess;
    sums[2] = (double)curved;
    sums[3] = slopes;
}

/* F at the smoothing `width`; with g the gradient, and what the Hessian needs. */
static double sum_terms(compared *s, double width, const double *d, double *g)
{
    const gersh__pairs *pairs = s->base.pairs;
    double floor = s->frozen != NULL && g != NULL ? gersh__root_floor(gersh__pairs_count(pairs), d) : 0;
    const gersh__comparisons *c = comparisons_of(&s->base);
    task k = {s, c, width, lead_of(c, width), sqrt(floor), d, g};
    double sums[4] = {gersh__pairs_reduce(pairs, pull_chunk, &k), 0, 0, 0};
    gersh__comparisons_reduce(gersh__pairs_supervision(pairs), gersh__pairs_pool(pairs), 4, term_chunk, &k,
                              sums);
    if (g != NULL) {
        s->excess = sums[1];
        s->curved = (size_t)sums[2];
        s->slopes = sums[3];
    }
    return sums[0];
}

static double evaluate(gersh__objective *objective, const double *d, double *g)
{
    return sum_terms((compared *)objective, fmax(objective->width, GERSH__NO_WIDTH), d, g);
}

static double exact(gersh__objective *objective, const double *d)
{
    return sum_terms((compared *)objective, GERSH__NO_WIDTH, d, NULL);
}

static double constant(gersh__objective *objective, const double *g)
{
    (void)g;
    return ((const compared *)objective)->slopes;
}

/* A pair may be the near one of some comparisons and the far one of others: |near + far| + 2 |far| >= |near| + |far|. */
static double doubt(gersh__objective *objective, const double *d, const double *g, double *r)
{
    const compared *s = (const compared *)objective;
    const gersh__pairs *pairs = objective->pairs;
    const gersh__comparisons *c = comparisons_of(objective);
    double width = fmax(objective->width, GERSH__NO_WIDTH),
           least = sqrt(gersh__root_floor(gersh__pairs_count(pairs), d));
    for (size_t t = 0; t < c->count; t++) {
        size_t near = c->near[t], far = c->far[t];
        term one = s->frozen != NULL
                       ? term_lsml(d[near], d[far], least, s->frozen[near] != 0, s->frozen[far] != 0)
                       : term_lmnn(d[near], d[far], width, lead_of(c, width));
        uint32_t i, j;
        gersh__pairs_ends(pairs, far, 1, &i, &j);
        r[i] += 2 * c->weight[t] * fabs(one.far);
        r[j] += 2 * c->weight[t] * fabs(one.far);
    }
    return s->frozen != NULL ? s->excess : gersh__margin_doubt(pairs, d, g);
}

static void curvature(gersh__objective *objective, const double *d, const double *v, double *out)
{
    compared *s = (compared *)objective;
    const gersh__comparisons *c = comparisons_of(objective);
    (void)d;
    memset(out, 0, gersh__pairs_count(objective->pairs) * sizeof *out);
    for (size_t t = 0; t < c->count; t++) {
        double along = s->alpha[t] * v[c->near[t]] - s->beta[t] * v[c->far[t]];
        out[c->near[t]] += along * s->alpha[t];
        out[c->far[t]] -= along * s->beta[t];
    }
}

/*
 * Estimates of second derivatives use about GERSH__HESSIAN_SAMPLE of the terms of a sum, chosen by their numbers: as
 * good as drawn, and always the same. share of 2³² terms are used, all where it is UINT32_MAX, and each counts
 * `factor` times.
 */

static uint32_t used_share(size_t terms)
{
    return terms <= GERSH__HESSIAN_SAMPLE ? UINT32_MAX
                                          : (uint32_t)(0x1p32 * GERSH__HESSIAN_SAMPLE / (double)terms);
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
    const gersh__comparisons *comparisons;
    uint32_t share;
    const double *transposed; /* n × m */
} gram;

/* α times the distances of the near pair less β times those of the far one, under each atom. */
static void set_row(const gram *k, size_t t, size_t m, double *row)
{
    const gersh__kernels *kernels = gersh__kernels_here();
    uint32_t i, j;
    gersh__pairs_ends(k->s->base.pairs, k->comparisons->near[t], 1, &i, &j);
    kernels->set_squares(m, k->s->alpha[t], k->transposed + i * m, k->transposed + j * m, row);
    gersh__pairs_ends(k->s->base.pairs, k->comparisons->far[t], 1, &i, &j);
    kernels->add_squares(m, -k->s->beta[t], k->transposed + i * m, k->transposed + j * m, row);
}

static void gram_chunk(void *context, size_t begin, size_t end, size_t m, double *rows, double *h)
{
    const gram *k = context;
    size_t filled = 0;
    for (size_t t = begin; t < end; t++) {
        if ((k->s->alpha[t] != 0 || k->s->beta[t] != 0) && is_used(t, k->share))
            set_row(k, t, m, rows + m * filled++);
        if (filled == BLOCK || (filled > 0 && t + 1 == end)) {
            cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)m, (int)filled, 1.0, rows, (int)m,
                        1.0, h, (int)m);
            filled = 0;
        }
    }
}

static gersh_status hessian(gersh__objective *objective, const double *d, size_t m, const double *t,
                            double *h)
{
    compared *s = (compared *)objective;
    const gersh__pairs *pairs = objective->pairs;
    (void)d;
    gersh_status status = gersh__objective_work(objective, m * gersh__pairs_samples(pairs));
    if (status != GERSH_OK)
        return status;
    gram k = {s, comparisons_of(objective), used_share(s->curved), objective->work};
    gersh__pairs_transpose(pairs, m, t, NULL, objective->work);
    return gersh__comparisons_gram(pairs, gram_chunk, &k, m, used_factor(k.share), h);
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
    .constant = constant,
    .doubt = doubt,
};
