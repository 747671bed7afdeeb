/*
 * lsml, least squared residuals: with r = √d, S the pairs of one class and D the pairs of two
 * (or the similar and the dissimilar ones of listed pairs),
 *
 *     F(d) = Σ_{s∈S, t∈D, r_s > r_t} w_s w_t (r_s − r_t)²,
 *
 * the weight of a pair being the product of its samples'. The sum has |S| |D| terms but takes one sort:
 * going up through all pairs in the order of r, with r now at some value,
 *
 *     A0 = Σ w_t,   A1 = Σ w_t (r − r_t),   A2 = Σ w_t (r − r_t)²      over the t passed,
 *
 * a step from r to r + e gives A2 += e (2 A1 + e A0) and A1 += e A0. A pair s on the way adds w_s A2 to F,
 * and w_s A1 / r_s is its derivative. Going down with the sum B1 = Σ w_s (r_s − r) over the s passed,
 * −w_t B1 / r_t is the derivative of a pair t. No term is ever subtracted, so that F keeps its relative
 * precision as it nears 0.
 *
 * (r_s − r_t)² has the second derivatives r_t / (2 r_s³), r_s / (2 r_t³) and, mixed, −1 / (2 r_s r_t):
 * products with the Hessian need the sums of w r and of w v / r over the pairs passed. For the Hessian in
 * the space of atoms v is the vector of all atoms' distances, and the mixed part a sum of outer products.
 *
 * Only pairs with r from the smallest r_t up to the largest r_s meet a partner; the others are not sorted.
 *
 * Two samples of different classes with the same features have the distance 0 under every metric: it counts
 * in F, and the derivative with respect to it, which is infinite, is given as 0. For other pairs near 0 see
 * gersh__root_floor.
 */
#include <cblas.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "objective/kinds.h"
#include "objective/separable.h"
#include "objective/sort.h"

#define LSML_BLOCK 256 /* outer products of one matrix product */
#define LSML_RUN 64    /* pairs whose samples are asked for together */

/* Marks on the numbers of pairs that are sorted. */
#define FROZEN ((size_t)1 << (sizeof(size_t) * 8 - 1))
#define OF_D (FROZEN >> 1)
#define PAIR (OF_D - 1)

/* Pairs of D have positive weights here, pairs of S negative ones. */
typedef struct lsml {
    gersh__objective base;
    double *weight;        /* of each pair */
    gersh__entry *entries; /* two arrays to sort in */
    gersh__entry *other;
    size_t *frozen; /* pairs of D of samples with the same features, ascending */
    size_t frozen_count, frozen_capacity;

    /* Of the last gradient, in the order of distances: */
    size_t count;
    size_t *order;   /* the pairs, */
    double *sorted;  /* their weights, */
    double *root;    /* roots of distances, */
    double *inverse; /* and 1 / root for derivatives */
    double excess;   /* how far the tangent at d may be above F */
} lsml;

/* Called for all pairs in turn. */
static gersh_status set_pair(lsml *s, size_t pair, size_t i, size_t j)
{
    const gersh__supervision *known = gersh__pairs_supervision(s->base.pairs);
    int same = gersh__supervision_similar(known, pair, i, j);
    double weight = gersh__supervision_pair_weight(known, pair, i, j);
    s->weight[pair] = same ? -weight : weight;
    if (same || !gersh__pairs_coincide(s->base.pairs, i, j))
        return GERSH_OK;
    if (gersh__grow(&s->frozen, &s->frozen_capacity, s->frozen_count + 1, sizeof *s->frozen) != 0)
        return GERSH_ERROR_MEMORY;
    s->frozen[s->frozen_count++] = pair;
    return GERSH_OK;
}

static gersh_status init(gersh__objective *objective)
{
    lsml *s = (lsml *)objective;
    const gersh__pairs *pairs = objective->pairs;
    gersh_status status = GERSH_OK;
    s->weight = objective->scratch;
    s->root = s->weight + gersh__pairs_count(pairs);
    s->inverse = s->root + gersh__pairs_count(pairs);
    s->entries = gersh__alloc(gersh__pairs_count(pairs), 2 * sizeof *s->entries);
    s->order = gersh__alloc(gersh__pairs_count(pairs), sizeof *s->order);
    s->sorted = gersh__alloc(gersh__pairs_count(pairs), sizeof *s->sorted);
    if (s->entries == NULL || s->order == NULL || s->sorted == NULL)
        return GERSH_ERROR_MEMORY;
    s->other = s->entries + gersh__pairs_count(pairs);
    gersh__walk w;
    gersh__walk_start(&w, pairs, 0, gersh__pairs_count(pairs));
    while (status == GERSH_OK && gersh__walk_next(&w))
        status = set_pair(s, w.pair, w.i, w.j);
    return status;
}

static void clear(gersh__objective *objective)
{
    lsml *s = (lsml *)objective;
    gersh__free(s->entries);
    gersh__free(s->order);
    gersh__free(s->sorted);
    gersh__free(s->frozen);
}

/* The pairs that may meet a partner, by distance. */
static gersh__entry *sorted(lsml *s, const double *d, size_t *count)
{
    size_t pairs = gersh__pairs_count(s->base.pairs), taken = 0;
    double nearest = INFINITY, farthest = 0;
    for (size_t p = 0; p < pairs; p++) {
        if (s->weight[p] > 0)
            nearest = d[p] < nearest ? d[p] : nearest;
        else
            farthest = d[p] > farthest ? d[p] : farthest;
    }
    uint64_t low = gersh__key(nearest), high = gersh__key(farthest);
    for (size_t p = 0, f = 0; p < pairs; p++) {
        uint64_t key = gersh__key(d[p]);
        int of_d = s->weight[p] > 0, frozen = f < s->frozen_count && s->frozen[f] == p;
        f += (size_t)frozen;
        s->entries[taken] = (gersh__entry){key, p | (of_d ? OF_D : 0) | (frozen ? FROZEN : 0)};
        taken += of_d ? key < high : key > low;
    }
    *count = taken;
    return gersh__sort(s->entries, s->other, taken);
}

/* Upwards: F, and with g the derivatives of the pairs of S. The order of S and D is random: no branches on
 * it. */
static double sweep_up(const lsml *s, const gersh__entry *entries, size_t count, double *g)
{
    int weighted = gersh__supervision_weighted(gersh__pairs_supervision(s->base.pairs));
    double value = 0, at = 0, a0 = 0, a1 = 0, a2 = 0;
    for (size_t e = 0; e < count; e++) {
        size_t mark = entries[e].pair;
        double r = sqrt(gersh__key_value(entries[e].key)), step = r - at;
        double w = weighted ? fabs(s->weight[mark & PAIR]) : 1.0, of_d = mark & OF_D ? w : 0.0,
               of_s = w - of_d;
        a2 += step * (2 * a1 + step * a0);
        a1 += step * a0;
        at = r;
        a0 += of_d;
        value += of_s * a2;
        if (g != NULL)
            g[mark & PAIR] = r > 0 ? of_s * a1 / r : 0.0;
    }
    return value;
}

/* Downwards: the derivatives of the pairs of D. */
static void sweep_down(const lsml *s, double *g)
{
    double b0 = 0, b1 = 0, at = s->count > 0 ? s->root[s->count - 1] : 0.0;
    for (size_t e = s->count; e-- > 0;) {
        double w = s->sorted[e];
        b1 += (at - s->root[e]) * b0;
        at = s->root[e];
        if (w > 0)
            g[s->order[e]] = -w * b1 * s->inverse[e];
        else
            b0 -= w;
    }
}

/* What derivatives need of the sorted pairs. */
static void keep_order(lsml *s, const gersh__entry *entries, size_t count, double least)
{
    s->count = count;
    for (size_t e = 0; e < count; e++) {
        size_t p = entries[e].pair & PAIR;
        s->order[e] = p;
        s->sorted[e] = s->weight[p];
        s->root[e] = sqrt(gersh__key_value(entries[e].key));
        s->inverse[e] = entries[e].pair & FROZEN ? 0.0 : 1.0 / (s->root[e] > least ? s->root[e] : least);
    }
}

/* The pairs below the floor, if any of them is not frozen. */
static size_t count_low(const gersh__entry *entries, size_t count, double floor)
{
    size_t low = 0;
    int any = 0;
    for (; low < count && gersh__key_value(entries[low].key) < floor; low++)
        any |= (entries[low].pair & FROZEN) == 0;
    return any ? low : 0;
}

/*
 * Where pairs are below the floor f, all of these derivatives are those at d^ = max(d, f), so that F(d^) + g (d' − d^) is below
 * F(d'); F(d) + g (d' − d) is above that by the excess.
 */
static double evaluate(gersh__objective *objective, const double *d, double *g)
{
    lsml *s = (lsml *)objective;
    size_t pairs = gersh__pairs_count(objective->pairs), count;
    gersh__entry *entries = sorted(s, d, &count);
    if (g == NULL)
        return sweep_up(s, entries, count, NULL);
    double floor = gersh__root_floor(pairs, d);
    size_t low = count_low(entries, count, floor);
    memset(g, 0, pairs * sizeof *g);
    double value = sweep_up(s, entries, count, low > 0 ? NULL : g);
    for (size_t e = 0; e < low; e++)
        entries[e].key = gersh__key(floor);
    s->excess = low > 0 ? value - sweep_up(s, entries, count, g) : 0;
    keep_order(s, entries, count, sqrt(floor));
    sweep_down(s, g);
    for (size_t e = 0; e < low; e++)
        s->excess += g[s->order[e]] * (floor - d[s->order[e]]);
    return value;
}

static double doubt(gersh__objective *objective, const double *d, const double *g, double *r)
{
    (void)d;
    (void)g;
    (void)r;
    return fmax(((const lsml *)objective)->excess, 0);
}

static void curvature(gersh__objective *objective, const double *d, const double *v, double *out)
{
    lsml *s = (lsml *)objective;
    double roots = 0, slopes = 0; /* Σ w r and Σ w v / r of the pairs of the other kind passed */
    (void)d;
    memset(out, 0, gersh__pairs_count(objective->pairs) * sizeof *out);
    for (size_t e = 0; e < s->count; e++) {
        double w = s->sorted[e], inverse = s->inverse[e], along = v[s->order[e]];
        if (w > 0) {
            roots += w * s->root[e];
            slopes += w * along * inverse;
        } else {
            out[s->order[e]] = -0.5 * w * inverse * (roots * along * inverse * inverse - slopes);
        }
    }
    roots = slopes = 0;
    for (size_t e = s->count; e-- > 0;) {
        double w = s->sorted[e], inverse = s->inverse[e], along = v[s->order[e]];
        if (w < 0) {
            roots -= w * s->root[e];
            slopes -= w * along * inverse;
        } else {
            out[s->order[e]] = 0.5 * w * inverse * (roots * along * inverse * inverse - slopes);
        }
    }
}

/* Row by row of the two factors of Σ u Vᵀ, multiplied when the block is full. */
typedef struct mixed {
    size_t m, count;
    double *u, *v; /* LSML_BLOCK × m */
    double *sum;   /* m × m */
} mixed;

static void flush(mixed *x)
{
    if (x->count > 0)
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, (int)x->m, (int)x->m, (int)x->count, 1.0, x->u,
                    (int)x->m, x->v, (int)x->m, 1.0, x->sum, (int)x->m);
    x->count = 0;
}

/*
 * x->sum = Σ_{s, t below s} (w_s / r_s) (w_t / r_t) a_s a_tᵀ. t holds the m projections of each sample side
 * by side, passed is Σ (w_t / r_t) a_t of the t passed, and pending Σ (w_s / r_s) a_s of the s since the
 * last of them.
 */
static void add_mixed(const lsml *s, mixed *x, const double *t, double *passed)
{
    const gersh__pairs *pairs = s->base.pairs;
    size_t m = x->m;
    uint32_t i[LSML_RUN], j[LSML_RUN];
    int pending = 0;
    memset(passed, 0, m * sizeof *passed);
    for (size_t e = 0; e < s->count; e++) {
        double w = s->sorted[e] * s->inverse[e];
        if (w > 0 && pending) {
            memcpy(x->v + x->count * m, passed, m * sizeof *passed);
            if (++x->count == LSML_BLOCK)
                flush(x);
            pending = 0;
        }
        if (w < 0 && !pending) {
            memset(x->u + x->count * m, 0, m * sizeof *x->u);
            pending = 1;
        }
        if (e % LSML_RUN == 0)
            gersh__pairs_ends_of(pairs, s->order + e, s->count - e < LSML_RUN ? s->count - e : LSML_RUN, i,
                                 j);
        const double *ti = t + i[e % LSML_RUN] * m, *tj = t + j[e % LSML_RUN] * m;
        double *to = w < 0 ? x->u + x->count * m : passed, size = fabs(w);
        for (size_t a = 0; a < m; a++)
            to[a] += size * ((ti[a] - tj[a]) * (ti[a] - tj[a]));
    }
    if (pending)
        memcpy(x->v + x->count++ * m, passed, m * sizeof *passed);
    flush(x);
}

/* The diagonal of the Hessian, for pairs that meet a partner. */
static void diagonal(const lsml *s, double *c)
{
    double roots = 0;
    memset(c, 0, gersh__pairs_count(s->base.pairs) * sizeof *c);
    for (size_t e = 0; e < s->count; e++) {
        if (s->sorted[e] > 0)
            roots += s->sorted[e] * s->root[e];
        else
            c[s->order[e]] = -0.5 * s->sorted[e] * roots * s->inverse[e] * s->inverse[e] * s->inverse[e];
    }
    roots = 0;
    for (size_t e = s->count; e-- > 0;) {
        if (s->sorted[e] < 0)
            roots -= s->sorted[e] * s->root[e];
        else
            c[s->order[e]] = 0.5 * s->sorted[e] * roots * s->inverse[e] * s->inverse[e] * s->inverse[e];
    }
}

static gersh_status hessian(gersh__objective *objective, const double *d, size_t m, const double *t,
                            double *h)
{
    lsml *s = (lsml *)objective;
    const gersh__pairs *pairs = objective->pairs;
    size_t n = gersh__pairs_samples(pairs);
    (void)d;
    gersh_status status =
        gersh__objective_work(objective, gersh__pairs_count(pairs) + m * (n + m + 2 * LSML_BLOCK + 1));
    if (status != GERSH_OK)
        return status;
    double *c = objective->work, *turned = c + gersh__pairs_count(pairs);
    mixed x = {.m = m, .u = turned + n * m};
    x.v = x.u + LSML_BLOCK * m;
    x.sum = x.v + LSML_BLOCK * m;
    memset(x.sum, 0, m * m * sizeof *x.sum);
    for (size_t a = 0; a < m; a++)
        for (size_t i = 0; i < n; i++)
            turned[i * m + a] = t[a * n + i];
    diagonal(s, c);
    status = gersh__pairs_gram(pairs, c, m, t, h);
    add_mixed(s, &x, turned, x.sum + m * m);
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b < m; b++)
            h[a * m + b] -= 0.5 * (x.sum[a * m + b] + x.sum[b * m + a]);
    return status;
}

static const gersh__objective_kind kind = {
    .chained = 1,
    .needs = GERSH__NEEDS_DISSIMILAR | GERSH__NEEDS_SIMILAR,
    .room = 56,
    .arrays = 3,
    .state_size = sizeof(lsml),
    .init = init,
    .clear = clear,
    .evaluate = evaluate,
    .curvature = curvature,
    .hessian = hessian,
    .doubt = doubt,
};

const gersh__objective_entry gersh__objective_lsml = {
    .info = {.name = "lsml",
             .help = "no pair of one class should be farther apart than a pair of different classes",
             .takes = GERSH__CLASSES | GERSH__PAIRS | GERSH__TRIPLETS | GERSH__QUADRUPLETS,
             .automatic = GERSH__TRIPLETS | GERSH__QUADRUPLETS,
             .nonnegative = 1,
             .homogeneous = 1,
             .mean = GERSH__MEAN_DISTANCE},
    .classes = &kind,
    .pairs = &kind,
    .compared = &gersh__lsml_compared,
};
