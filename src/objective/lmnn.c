/*
 * lmnn, large margin nearest neighbours. j → i says that j is a target of i: one of the TARGETS samples of
 * i's class nearest to i by Euclidean distance (of those that are as near as the last one, but for rounding,
 * those of earlier rows; all where there are fewer).
 *
 *     F(d) = (1 − μ) Σ_{i, j→i} w_i w_j d_ij  +  μ Σ_{i, j→i} Σ_l w_i w_j w_l h(1 + d_ij − d_il),
 *
 * l being all samples of other classes than i's, with μ = 1/2 and the hinge h(x) = max(x, 0). Weights have
 * no part in the choice of targets, but that samples of weight 0 are none.
 *
 * For the solver the kink of the hinge is made smooth: (x + width/2)²/(2 width) for x from −width/2 to width/2, and as it
 * was elsewhere. Its slopes α are between 0 and 1, so that αx is nowhere above the hinge, and
 *
 *     (1 − μ) Σ w_i w_j d_ij + μ Σ w_i w_j w_l α (1 + d_ij − d_il) = a + Σ_p g_p d_p
 *
 * with these α held fixed is nowhere above F: what bounds it bounds F. Each α is in g once for its near pair, and once, with
 * the other sign, for the far one, so that a is the sum of −g over the pairs of different classes.
 *
 * A pair (i, l) of different classes occurs with the bounds 1 + d_ij of i's targets and with those of l's.
 * In row i the former are scalars and the latter lie side by side for all l, so that both are vector loops
 * over the row.
 */
#include <cblas.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "linalg/kernels.h"
#include "objective/kinds.h"
#include "pairs/rows.h"

#define MU GERSH__LMNN_MU
#define TARGETS GERSH__LMNN_TARGETS
#define SAME_DISTANCE 1e-9 /* distances that differ by less, relatively, are the same */
#define BLOCK GERSH__GRAM_BLOCK

/* Arrays of TARGETS × n hold one entry for each target c of each sample i at c · n + i. */
typedef struct lmnn {
    gersh__objective base;
    size_t most;       /* targets of any sample */
    size_t *target;    /* TARGETS × n; the sample itself where there is none */
    double *factor;    /* TARGETS × n: μ w_i w_j, or 0 */
    double *weight;    /* of each sample */
    double *bound;     /* TARGETS × n: 1 + d_ij + width/2, or −∞ */
    double *along;     /* TARGETS × n: v_ij, or 0 */
    double *total;     /* TARGETS × n: sums over a sample's row */
    size_t *start;     /* first sample of each sample's class */
    gersh__rows *rows; /* with as many columns: sums over the later rows */
} lmnn;

static size_t pair_of(size_t i, size_t j)
{
    return i > j ? gersh__pair(i, j) : gersh__pair(j, i);
}

/* The TARGETS-th smallest distance of sample i within its class begin..end; infinite where there are fewer. */
static double reach_of(size_t i, size_t begin, size_t end, const double *distance)
{
    double near[TARGETS];
    for (size_t c = 0; c < TARGETS; c++)
        near[c] = INFINITY;
    for (size_t j = begin; j < end; j++) {
        double d = j != i ? distance[pair_of(i, j)] : INFINITY;
        for (size_t c = 0; c < TARGETS; c++) {
            double least = fmin(d, near[c]);
            d = fmax(d, near[c]);
            near[c] = least;
        }
    }
    return near[TARGETS - 1];
}

/*
 * The targets of sample i of the class begin..end: those within its reach, then those at it, in their order.
 * Rounding must not decide between samples that are equally near.
 */
static void choose_targets(lmnn *s, size_t i, size_t begin, size_t end, const double *distance)
{
    size_t n = gersh__pairs_samples(s->base.pairs), found = 0, chosen[TARGETS];
    double reach = reach_of(i, begin, end, distance), within = reach * (1 - SAME_DISTANCE),
           beyond = reach * (1 + SAME_DISTANCE);
    for (int at_reach = 0; at_reach < 2; at_reach++)
        for (size_t j = begin; j < end && found < TARGETS; j++) {
            double d = j != i ? distance[pair_of(i, j)] : INFINITY;
            if (j != i && (d < within) == !at_reach && d <= beyond)
                chosen[found++] = j;
        }
    for (size_t c = 0; c < TARGETS; c++) {
        s->target[c * n + i] = c < found ? chosen[c] : i;
        s->factor[c * n + i] = c < found ? MU * s->weight[i] * s->weight[chosen[c]] : 0.0;
    }
    s->most = found > s->most ? found : s->most;
}

static gersh_status init(gersh__objective *objective)
{
    lmnn *s = (lmnn *)objective;
    const gersh__pairs *pairs = objective->pairs;
    size_t n = gersh__pairs_samples(pairs);
    const gersh__supervision *known = gersh__pairs_supervision(pairs);
    const size_t *starts;
    size_t classes = gersh__supervision_classes(known, &starts);
    s->start = gersh__alloc(n, sizeof *s->start);
    s->target = gersh__alloc(n, TARGETS * sizeof *s->target);
    s->weight = gersh__alloc(n, (1 + 4 * TARGETS) * sizeof *s->weight);
    if (!s->start || !s->target || !s->weight || gersh__rows_new(&s->rows, pairs, TARGETS) != GERSH_OK)
        return GERSH_ERROR_MEMORY;
    s->factor = s->weight + n;
    s->bound = s->factor + TARGETS * n;
    s->along = s->bound + TARGETS * n;
    s->total = s->along + TARGETS * n;
    for (size_t i = 0; i < n; i++)
        s->weight[i] = gersh__supervision_weight(known, i);
    gersh__pairs_euclidean(pairs, objective->scratch);
    for (size_t c = 0; c < classes; c++) {
        for (size_t i = starts[c]; i < starts[c + 1]; i++) {
            s->start[i] = starts[c];
            choose_targets(s, i, starts[c], starts[c + 1], objective->scratch);
        }
    }
    return GERSH_OK;
}

static void clear(gersh__objective *objective)
{
    lmnn *s = (lmnn *)objective;
    gersh__free(s->start);
    gersh__free(s->target);
    gersh__rows_free(s->rows);
    gersh__free(s->weight);
}

typedef struct task {
    lmnn *s;
    double width;
    const double *d;
    const double *v; /* for products with the Hessian, else NULL */
    double *out;     /* the gradient or the product; NULL: the value */
} task;

/* Sets bound, and along when there is a v. */
static void set_bounds(const task *k)
{
    lmnn *s = k->s;
    size_t n = gersh__pairs_samples(s->base.pairs);
    for (size_t e = 0; e < s->most * n; e++) {
        size_t i = e % n, j = s->target[e];
        s->bound[e] = i != j ? 1 + k->d[pair_of(i, j)] + 0.5 * k->width : -INFINITY;
        s->along[e] = i != j && k->v != NULL ? k->v[pair_of(i, j)] : 0.0;
    }
}

static double sum_chunk(void *context, size_t begin, size_t end, double *column)
{
    const task *k = context;
    const lmnn *s = k->s;
    const gersh__kernels *kernels = gersh__kernels_here();
    size_t n = gersh__pairs_samples(s->base.pairs);
    double sum = 0;
    (void)column;
    for (size_t i = begin; i < end; i++) {
        const double *d = k->d + gersh__row_begin(i);
        for (size_t c = 0; c < s->most; c++)
            sum += kernels->hinge_sum(s->start[i], d, k->width, s->bound[c * n + i], s->factor[c * n + i],
                                      s->weight, s->bound + c * n, s->weight[i], s->factor + c * n);
    }
    return sum;
}

/* One row of the gradient or of a product with the Hessian, and what its hinges give to the targets. */
static double derive_chunk(void *context, size_t begin, size_t end, double *column)
{
    const task *k = context;
    lmnn *s = k->s;
    const gersh__kernels *kernels = gersh__kernels_here();
    size_t n = gersh__pairs_samples(s->base.pairs);
    memset(column, 0, TARGETS * n * sizeof *column);
    for (size_t i = begin; i < end; i++) {
        size_t base = gersh__row_begin(i);
        double *out = k->out + base;
        memset(out, 0, i * sizeof *out);
        for (size_t c = 0; c < s->most; c++) {
            size_t e = c * n + i;
            s->total[e] =
                s->factor[e] *
                (k->v == NULL
                     ? kernels->hinge_gradient(s->start[i], k->d + base, k->width, s->bound[e],
                                               s->factor[e], s->weight, s->bound + c * n, s->weight[i],
                                               s->factor + c * n, out, column + c * n)
                     : kernels->hinge_product(s->start[i], k->d + base, k->v + base, k->width, s->bound[e],
                                              s->along[e], s->factor[e], s->weight, s->bound + c * n,
                                              s->along + c * n, s->weight[i], s->factor + c * n, out,
                                              column + c * n));
        }
    }
    return 0;
}

static void derive_join(void *context, size_t end, const double *column)
{
    lmnn *s = ((const task *)context)->s;
    (void)end;
    gersh__kernels_here()->axpy(s->most * gersh__pairs_samples(s->base.pairs), 1.0, column, s->total);
}

/* All of the hinges' part of the gradient or product. */
static void derive(task *k)
{
    lmnn *s = k->s;
    size_t n = gersh__pairs_samples(s->base.pairs);
    gersh__rows_reduce(s->rows, derive_chunk, derive_join, k);
    for (size_t e = 0; e < s->most * n; e++)
        if (s->target[e] != e % n)
            k->out[pair_of(e % n, s->target[e])] += s->total[e];
}

static double value_at(lmnn *s, double width, const double *d)
{
    size_t n = gersh__pairs_samples(s->base.pairs);
    task k = {s, width, d, NULL, NULL};
    double pull = 0;
    set_bounds(&k);
    for (size_t e = 0; e < s->most * n; e++)
        if (s->target[e] != e % n)
            pull += s->factor[e] * d[pair_of(e % n, s->target[e])];
    double push = gersh__rows_reduce(s->rows, sum_chunk, NULL, &k);
    return pull * ((1 - MU) / MU) + push;
}

static double width_of(const gersh__objective *objective)
{
    return objective->width > GERSH__NO_WIDTH ? objective->width : GERSH__NO_WIDTH;
}

static double evaluate(gersh__objective *objective, const double *d, double *g)
{
    lmnn *s = (lmnn *)objective;
    size_t n = gersh__pairs_samples(objective->pairs);
    double value = value_at(s, width_of(objective), d);
    if (g == NULL)
        return value;
    task k = {s, width_of(objective), d, NULL, g};
    derive(&k);
    for (size_t e = 0; e < s->most * n; e++)
        if (s->target[e] != e % n)
            g[pair_of(e % n, s->target[e])] += s->factor[e] * ((1 - MU) / MU);
    return value;
}

static double exact(gersh__objective *objective, const double *d)
{
    return value_at((lmnn *)objective, GERSH__NO_WIDTH, d);
}

typedef struct slopes {
    const lmnn *s;
    const double *g;
} slopes;

static double constant_chunk(void *context, size_t begin, size_t end, double *column)
{
    const slopes *k = context;
    double sum = 0;
    (void)column;
    for (size_t i = begin; i < end; i++)
        sum -= gersh__kernels_here()->sum(k->s->start[i], k->g + gersh__row_begin(i));
    return sum;
}

static double constant(gersh__objective *objective, const double *g)
{
    lmnn *s = (lmnn *)objective;
    return gersh__rows_reduce(s->rows, constant_chunk, NULL, &(slopes){s, g});
}

double gersh__margin_doubt(const gersh__pairs *pairs, const double *d, const double *g)
{
    double size = 0;
    for (size_t p = 0, last = gersh__pairs_count(pairs); p < last; p++)
        size += fabs(g[p]) * (1 + d[p]);
    return (gersh__rounding(16) + gersh__rounding(gersh__pairs_count(pairs))) * size;
}

static double doubt(gersh__objective *objective, const double *d, const double *g, double *r)
{
    (void)r;
    return gersh__margin_doubt(objective->pairs, d, g);
}

static void curvature(gersh__objective *objective, const double *d, const double *v, double *out)
{
    task k = {(lmnn *)objective, width_of(objective), d, v, out};
    set_bounds(&k);
    derive(&k);
}

/* Terms of the Hessian: c (a_ij − a_il)(a_ij − a_il)ᵀ, those of one block. */
typedef struct block {
    size_t count;
    size_t sample[BLOCK], target[BLOCK], other[BLOCK];
    double root[BLOCK]; /* √c */
} block;

typedef struct gram {
    const lmnn *s;
    double width;
    const double *d;
    size_t m;
    const double *t;
} gram;

static void flush(const gram *k, block *b, double *rows, double *h)
{
    size_t n = gersh__pairs_samples(k->s->base.pairs);
    for (size_t a = 0; a < k->m; a++) {
        const double *t = k->t + a * n;
        for (size_t e = 0; e < b->count; e++) {
            double near = t[b->sample[e]] - t[b->target[e]], far = t[b->sample[e]] - t[b->other[e]];
            rows[a * b->count + e] = b->root[e] * (near * near - far * far);
        }
    }
    if (b->count > 0)
        cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, (int)k->m, (int)b->count, 1.0, rows,
                    (int)b->count, 1.0, h, (int)k->m);
    b->count = 0;
}

/* The terms in the smoothed zone of one row: with the c-th targets of sample i itself, or of the others. */
static void gram_row(const gram *k, size_t i, size_t c, int own, block *b, double *rows, double *h)
{
    const lmnn *s = k->s;
    size_t n = gersh__pairs_samples(s->base.pairs);
    const double *d = k->d + gersh__pair(i, 0);
    for (size_t j = 0; j < s->start[i]; j++) {
        size_t sample = own ? i : j, other = own ? j : i, e = c * n + sample;
        double x = s->bound[e] - d[j];
        if (!(x > 0 && x < k->width))
            continue;
        b->sample[b->count] = sample;
        b->target[b->count] = s->target[e];
        b->other[b->count] = other;
        b->root[b->count++] = sqrt(s->factor[e] * s->weight[other] / k->width);
        if (b->count == BLOCK)
            flush(k, b, rows, h);
    }
}

static void gram_chunk(void *context, size_t begin, size_t end, size_t m, double *rows, double *h)
{
    const gram *k = context;
    block b;
    b.count = 0;
    (void)m;
    for (size_t i = begin > 0 ? begin : 1; i < end; i++)
        for (size_t c = 0; c < k->s->most; c++)
            for (int own = 0; own < 2; own++)
                gram_row(k, i, c, own, &b, rows, h);
    flush(k, &b, rows, h);
}

static gersh_status hessian(gersh__objective *objective, const double *d, size_t m, const double *t,
                            double *h)
{
    lmnn *s = (lmnn *)objective;
    task k = {s, width_of(objective), d, NULL, NULL};
    set_bounds(&k);
    return gersh__rows_gram(s->rows, gram_chunk, &(gram){s, k.width, d, m, t}, m, h);
}

static const gersh__objective_kind kind = {
    .prefers_spread = 1,
    .needs = GERSH__NEEDS_TRIPLETS,
    .all_pairs = 1,
    .room = 120,
    .arrays = 1,
    .state_size = sizeof(lmnn),
    .init = init,
    .clear = clear,
    .evaluate = evaluate,
    .curvature = curvature,
    .hessian = hessian,
    .exact = exact,
    .constant = constant,
    .doubt = doubt,
};

const gersh__objective_entry gersh__objective_lmnn = {
    .info = {.name = "lmnn",
             .help = "the nearest neighbours of a sample should be of its class, by a margin",
             .takes = GERSH__CLASSES | GERSH__TRIPLETS | GERSH__QUADRUPLETS,
             .nonnegative = 1,
             .smoothed = 1,
             .local = 1,
             /* 6 and 20 are more accurate (bench/trace.py), but the search takes some ten times as long */
             .mean = 2},
    .classes = &kind,
    .compared = &gersh__lmnn_compared,
};
