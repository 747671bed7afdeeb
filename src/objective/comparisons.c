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
#include "objective/kinds.h"
#include "objective/separable.h"

#define MU 0.5
#define NO_WIDTH 1e-300 /* stands for the width 0 */
#define BLOCK 256       /* terms of one product of the Hessian */

typedef struct compared {
    gersh__objective base;
    double *alpha, *beta; /* of each comparison at the last gradient */
    double *pull;         /* lmnn, of each pair: the factor of x in the first sum */
    double *frozen;       /* lsml, of each pair: 1 where the rows have the same features */
} compared;

/* Value and derivatives of a term. */
typedef struct term {
    double value, near, far, alpha, beta;
} term;

static gersh_status init(gersh__objective *objective, const gersh_settings *settings)
{
    compared *s = (compared *)objective;
    size_t count = objective->pairs->compared->count;
    (void)settings;
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

static gersh_status init_lsml(gersh__objective *objective, const gersh_settings *settings)
{
    compared *s = (compared *)objective;
    const gersh__pairs *pairs = objective->pairs;
    s->frozen = objective->scratch;
    for (size_t p = 0; p < pairs->count; p++)
        s->frozen[p] = gersh__same_features(pairs, pairs->first[p], pairs->second[p]);
    return init(objective, settings);
}

static gersh_status init_lmnn(gersh__objective *objective, const gersh_settings *settings)
{
    compared *s = (compared *)objective;
    const gersh__pairs *pairs = objective->pairs;
    const gersh__comparisons *c = pairs->compared;
    s->pull = objective->scratch;
    double *seen =
        s->pull + pairs->count; /* two of each pair: whether one end, or the other, was a first row */
    for (size_t t = 0; t < c->count; t++) {
        size_t p = c->near[t], i = pairs->first[p], j = pairs->second[p];
        double *mark = &seen[2 * p + (c->anchor != NULL && c->anchor[t] == j)];
        if (*mark == 0)
            s->pull[p] += (1 - MU) * (pairs->weight != NULL ? pairs->weight[i] * pairs->weight[j] : 1.0);
        *mark = 1;
    }
    return init(objective, settings);
}

static term term_lsml(double x, double y, double least, int near_frozen, int far_frozen)
{
    double near = sqrt(fmax(x, 0)), far = sqrt(fmax(y, 0)), excess = near - far;
    if (!(excess > 0))
        return (term){0};
    double a = near_frozen ? 0.0 : 1 / fmax(near, least), b = far_frozen ? 0.0 : 1 / fmax(far, least);
    return (term){excess * excess, excess * a, -excess * b, sqrt(0.5 * far * a) * a,
                  sqrt(0.5 * near * b) * b};
}

static term term_lmnn(double x, double y, double width)
{
    double over = 1 + x - y;
    if (!(over > 0))
        return (term){0};
    if (over >= width)
        return (term){MU * (over - width / 2), MU, -MU, 0, 0};
    double slope = MU * over / width, root = sqrt(MU / width);
    return (term){slope * over / 2, slope, -slope, root, root};
}

/* F at the smoothing `width`; with g the gradient, and what the Hessian needs. */
static double sum_terms(compared *s, double width, const double *d, double *g)
{
    const gersh__pairs *pairs = s->base.pairs;
    const gersh__comparisons *c = pairs->compared;
    int lsml = s->frozen != NULL;
    double least = lsml && g != NULL ? sqrt(gersh__root_floor(pairs->count, d)) : 0, value = 0;
    for (size_t p = 0; p < pairs->count; p++) {
        double slope = lsml ? 0.0 : s->pull[p];
        value += slope != 0 ? slope * d[p] : 0.0;
        if (g != NULL)
            g[p] = slope;
    }
    for (size_t t = 0; t < c->count; t++) {
        size_t near = c->near[t], far = c->far[t];
        term one = lsml ? term_lsml(d[near], d[far], least, s->frozen[near] != 0, s->frozen[far] != 0)
                        : term_lmnn(d[near], d[far], width);
        value += c->weight[t] * one.value;
        if (g == NULL)
            continue;
        double root = sqrt(c->weight[t]);
        g[near] += c->weight[t] * one.near;
        g[far] += c->weight[t] * one.far;
        s->alpha[t] = root * one.alpha;
        s->beta[t] = root * one.beta;
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

/* h += the products of a block of terms, the lower triangle by columns. */
static void add_block(const compared *s, const size_t *which, size_t count, size_t m, const double *t,
                      double *rows, double *h)
{
    const gersh__pairs *pairs = s->base.pairs;
    const gersh__comparisons *c = pairs->compared;
    for (size_t a = 0; a < m; a++) {
        const double *along = t + a * pairs->n;
        for (size_t e = 0; e < count; e++) {
            size_t near = c->near[which[e]], far = c->far[which[e]];
            double x = along[pairs->first[near]] - along[pairs->second[near]],
                   y = along[pairs->first[far]] - along[pairs->second[far]];
            rows[a * count + e] = s->alpha[which[e]] * x * x - s->beta[which[e]] * y * y;
        }
    }
    if (count > 0)
        cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, (int)m, (int)count, 1.0, rows, (int)count, 1.0,
                    h, (int)m);
}

static gersh_status hessian(gersh__objective *objective, const double *d, size_t m, const double *t,
                            double *h)
{
    compared *s = (compared *)objective;
    size_t terms = objective->pairs->compared->count, which[BLOCK], taken = 0;
    (void)d;
    gersh_status status = gersh__objective_work(objective, BLOCK * m);
    if (status != GERSH_OK)
        return status;
    memset(h, 0, m * m * sizeof *h);
    gersh__blas_hold();
    for (size_t e = 0; e < terms; e++) {
        if (s->alpha[e] != 0 || s->beta[e] != 0)
            which[taken++] = e;
        if (taken == BLOCK || e + 1 == terms) {
            add_block(s, which, taken, m, t, objective->work, h);
            taken = 0;
        }
    }
    gersh__blas_release();
    for (size_t a = 0; a < m; a++)
        for (size_t b = a + 1; b < m; b++)
            h[b * m + a] = h[a * m + b];
    return GERSH_OK;
}

const gersh__objective_kind gersh__lsml_compared = {
    .name = "lsml",
    .help = "a pair that is said to be nearer than another one should not be farther",
    .nonnegative = 1,
    .takes = GERSH__TRIPLETS | GERSH__QUADRUPLETS,
    .state_size = sizeof(compared),
    .init = init_lsml,
    .clear = clear,
    .evaluate = evaluate,
    .curvature = curvature,
    .hessian = hessian,
};

const gersh__objective_kind gersh__lmnn_compared = {
    .name = "lmnn",
    .help = "a pair that is said to be nearer than another one should be so by a margin",
    .nonnegative = 1,
    .smoothed = 1,
    .takes = GERSH__TRIPLETS | GERSH__QUADRUPLETS,
    .state_size = sizeof(compared),
    .init = init_lmnn,
    .clear = clear,
    .evaluate = evaluate,
    .curvature = curvature,
    .hessian = hessian,
    .exact = exact,
};
