/*
 * mcml, maximally collapsing metric learning: F(d) = Σ_i w_i KL(P_i ‖ Q_i), where for sample i
 *
 *     Q_ik = w_k exp(−d_ik) / Z_i over all k ≠ i,      P_ij = w_j / W_i over i's class mates j ≠ i,
 *
 * Z_i and W_i being the sums that make these distributions. All w_k cancel but for
 *
 *     KL(P_i ‖ Q_i) = Σ_j w_j d_ij / W_i + log Z_i − log W_i  >=  0.
 *
 * A sample without class mates has no P_i and adds nothing. A weight w counts a sample as w samples at its
 * place that take no notice of each other: sample i is never among its own mates or neighbours, whatever
 * its weight.
 *
 * With low_i the smallest d_ik, exp(low_i − d_ik) neither overflows nor underflows as a whole, and both
 * Σ w_j (d_ij − low_i) / W_i and log Z_i keep their precision when all distances are large.
 *
 * The derivatives are those of log Σ exp: g_ij = w_i (P_ij − Q_ij) + w_j (P_ji − Q_ji), and the Hessian is
 * Σ_i w_i (diag(Q_i) − Q_i Q_iᵀ).
 *
 * A pair (i, j), j < i, stands in row i. What a row gives to its own sample is a sum; what it gives to the
 * earlier samples is added up by columns, for each chunk of rows on its own.
 */
#include <cblas.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "linalg/kernels.h"
#include "objective/kinds.h"
#include "objective/mcml.h"
#include "pairs/rows.h"

typedef struct mcml {
    gersh__objective base;
    double *weight;    /* of each sample */
    double *active;    /* the same, but 0 for a sample without class mates */
    double *mates;     /* W_i */
    double *inverse;   /* 1 / W_i, or 0 */
    double *low;       /* the smallest distance of each sample */
    double *total;     /* two sums of each sample: n, then n */
    double *factor;    /* active / Z of each sample */
    double size;       /* the sizes of the terms of the last value, added up */
    double *own;       /* w_i Q_ij of each pair, */
    double *other;     /* and w_j Q_ji: those of the last gradient */
    size_t *start;     /* first sample of each sample's class */
    gersh__rows *rows; /* with two columns */
} mcml;

static gersh_status init(gersh__objective *objective)
{
    mcml *s = (mcml *)objective;
    const gersh__pairs *pairs = objective->pairs;
    size_t n = gersh__pairs_samples(pairs);
    const gersh__supervision *known = gersh__pairs_supervision(pairs);
    const size_t *starts;
    size_t classes = gersh__supervision_classes(known, &starts);
    s->own = objective->scratch;
    s->other = objective->scratch + gersh__pairs_count(pairs);
    s->start = gersh__alloc(n, sizeof *s->start);
    s->weight = gersh__alloc(n, 8 * sizeof *s->weight);
    if (s->start == NULL || s->weight == NULL || gersh__rows_new(&s->rows, pairs, 2) != GERSH_OK)
        return GERSH_ERROR_MEMORY;
    s->active = s->weight + n;
    s->mates = s->active + n;
    s->inverse = s->mates + n;
    s->low = s->inverse + n;
    s->factor = s->low + n;
    s->total = s->factor + n; /* two of n */
    for (size_t i = 0; i < n; i++)
        s->weight[i] = gersh__supervision_weight(known, i);
    for (size_t c = 0; c < classes; c++) {
        size_t begin = starts[c], end = starts[c + 1];
        for (size_t i = begin; i < end; i++) {
            s->start[i] = begin;
            for (size_t j = begin; j < end; j++)
                s->mates[i] += i != j ? s->weight[j] : 0.0;
            s->active[i] = end - begin > 1 ? s->weight[i] : 0.0;
            s->inverse[i] = end - begin > 1 ? 1.0 / s->mates[i] : 0.0;
        }
    }
    return GERSH_OK;
}

static void clear(gersh__objective *objective)
{
    mcml *s = (mcml *)objective;
    gersh__free(s->start);
    gersh__rows_free(s->rows);
    gersh__free(s->weight);
}

typedef struct task {
    mcml *s;
    const double *d;
    const double *v;
    double *out; /* the gradient, or the product with the Hessian */
} task;

static double low_chunk(void *context, size_t begin, size_t end, double *column)
{
    const task *k = context;
    const gersh__kernels *kernels = gersh__kernels_here();
    for (size_t i = 0; i < end; i++)
        column[i] = INFINITY;
    for (size_t i = begin; i < end; i++)
        k->s->low[i] = i > 0 ? kernels->lowest(i, k->d + gersh__row_begin(i), column) : INFINITY;
    return 0;
}

static void low_join(void *context, size_t end, const double *column)
{
    const task *k = context;
    for (size_t i = 0; i < end; i++)
        k->s->low[i] = fmin(k->s->low[i], column[i]);
}

/* Z, then Σ w_j (d_ij − low_i) over class mates. */
static double sums_chunk(void *context, size_t begin, size_t end, double *z)
{
    const task *k = context;
    mcml *s = k->s;
    const gersh__kernels *kernels = gersh__kernels_here();
    size_t n = gersh__pairs_samples(s->base.pairs);
    double *pull = z + n;
    memset(z, 0, end * sizeof *z);
    memset(pull, 0, end * sizeof *pull);
    for (size_t i = begin; i < end; i++) {
        size_t base = gersh__row_begin(i), start = s->start[i];
        const double *d = k->d + base;
        double low = s->low[i], w = s->weight[i];
        s->total[i] = k->out == NULL ? kernels->soft_sum(i, d, low, s->low, w, s->weight, z)
                                     : kernels->soft_terms(i, d, low, s->low, w, s->weight, z,
                                                           s->own + base, s->other + base);
        s->total[n + i] =
            kernels->pull(i - start, d + start, low, s->low + start, w, s->weight + start, pull + start);
    }
    return 0;
}

static void sums_join(void *context, size_t end, const double *column)
{
    mcml *s = ((const task *)context)->s;
    size_t n = gersh__pairs_samples(s->base.pairs);
    gersh__kernels_here()->axpy(end, 1.0, column, s->total);
    gersh__kernels_here()->axpy(end, 1.0, column + n, s->total + n);
}

static double gradient_chunk(void *context, size_t begin, size_t end, double *column)
{
    const task *k = context;
    const mcml *s = k->s;
    const gersh__kernels *kernels = gersh__kernels_here();
    (void)column;
    for (size_t i = begin; i < end; i++) {
        size_t base = gersh__row_begin(i);
        double *g = k->out + base;
        kernels->soft_gradient(i, s->factor[i], s->factor, s->own + base, s->other + base, g);
        for (size_t j = s->start[i]; j < i; j++)
            g[j] += s->weight[i] * s->weight[j] * (s->inverse[i] + s->inverse[j]);
    }
    return 0;
}

static double evaluate(gersh__objective *objective, const double *d, double *g)
{
    mcml *s = (mcml *)objective;
    size_t n = gersh__pairs_samples(objective->pairs);
    task k = {s, d, NULL, g};
    gersh__rows_reduce(s->rows, low_chunk, low_join, &k);
    gersh__rows_reduce(s->rows, sums_chunk, sums_join, &k);
    double value = 0, size = 0;
    for (size_t i = 0; i < n; i++) {
        if (s->active[i] > 0) {
            double pull = s->total[n + i] * s->inverse[i], push = log(s->total[i] * s->inverse[i]);
            value += s->active[i] * fmax(0.0, pull + push);
            size += s->active[i] * (1 + pull + fabs(push));
        }
        if (g != NULL)
            s->factor[i] = s->active[i] / s->total[i];
    }
    if (g != NULL) {
        s->size = size;
        gersh__rows_reduce(s->rows, gradient_chunk, NULL, &k);
    }
    return value;
}

/* g = P − Q for each of the two samples of a pair, so that P + Q <= |g| + 2 P. */
static double doubt(gersh__objective *objective, const double *d, const double *g, double *r)
{
    const mcml *s = (const mcml *)objective;
    const gersh__pairs *pairs = objective->pairs;
    const size_t *start;
    size_t classes = gersh__supervision_classes(gersh__pairs_supervision(pairs), &start);
    (void)d;
    (void)g;
    for (size_t c = 0; c < classes; c++) {
        double both = 0;
        for (size_t i = start[c]; i < start[c + 1]; i++)
            both += s->active[i] * s->inverse[i];
        for (size_t i = start[c]; i < start[c + 1]; i++)
            r[i] += 2 * (s->active[i] + s->weight[i] * both);
    }
    return gersh__rounding(gersh__pairs_samples(pairs)) * s->size;
}

static double means_chunk(void *context, size_t begin, size_t end, double *column)
{
    const task *k = context;
    mcml *s = k->s;
    memset(column, 0, end * sizeof *column);
    for (size_t i = begin; i < end; i++) {
        size_t base = gersh__row_begin(i);
        s->total[i] =
            gersh__kernels_here()->two_sums(i, s->own + base, s->other + base, k->v + base, column);
    }
    return 0;
}

static void means_join(void *context, size_t end, const double *column)
{
    gersh__kernels_here()->axpy(end, 1.0, column, ((const task *)context)->s->total);
}

static double product_chunk(void *context, size_t begin, size_t end, double *column)
{
    const task *k = context;
    const mcml *s = k->s;
    (void)column;
    for (size_t i = begin; i < end; i++) {
        size_t base = gersh__row_begin(i);
        gersh__kernels_here()->soft_product(i, s->own + base, s->other + base, k->v + base, s->total[i],
                                            s->total, k->out + base);
    }
    return 0;
}

static void curvature(gersh__objective *objective, const double *d, const double *v, double *out)
{
    mcml *s = (mcml *)objective;
    const gersh__pairs *pairs = objective->pairs;
    task k = {s, d, v, out};
    gersh__rows_reduce(s->rows, means_chunk, means_join, &k);
    for (size_t i = 0, last = gersh__pairs_samples(pairs); i < last; i++)
        s->total[i] = s->active[i] > 0 ? s->total[i] / s->active[i] : 0.0;
    gersh__rows_reduce(s->rows, product_chunk, NULL, &k);
}

typedef struct spread {
    const mcml *s;
    const double *t;
    double *b; /* n entries for each atom */
} spread;

/* √w_i Σ_k Q_ik (t_i − t_k)² for all i and one atom. */
static void spread_atom(void *context, size_t atom, int worker)
{
    spread *k = context;
    const mcml *s = k->s;
    size_t n = gersh__pairs_samples(s->base.pairs);
    const double *t = k->t + atom * n;
    double *b = k->b + atom * n;
    (void)worker;
    memset(b, 0, n * sizeof *b);
    for (size_t i = 1; i < n; i++) {
        size_t base = gersh__pair(i, 0);
        b[i] += gersh__kernels_here()->square_sums(i, s->own + base, s->other + base, t[i], t, b);
    }
    for (size_t i = 0; i < n; i++)
        b[i] = s->active[i] > 0 ? b[i] / sqrt(s->active[i]) : 0.0;
}

void gersh__mcml_subtract(size_t n, size_t m, const double *b, double *h)
{
    cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, (int)m, (int)n, -1.0, b, (int)n, 1.0, h, (int)m);
    for (size_t a = 0; a < m; a++)
        for (size_t c = a + 1; c < m; c++)
            h[c * m + a] = h[a * m + c];
}

/* Σ_i w_i Σ_k Q_ik (a_ik − ā_i)(a_ik − ā_i)ᵀ with ā_i = Σ_k Q_ik a_ik, from some of the pairs. */
static gersh_status estimate(const mcml *s, size_t m, const double *t, const double *b, double *center,
                             double *h)
{
    size_t n = gersh__pairs_samples(s->base.pairs);
    for (size_t a = 0; a < m; a++)
        for (size_t i = 0; i < n; i++)
            center[a * n + i] = s->active[i] > 0 ? b[a * n + i] / sqrt(s->active[i]) : 0.0;
    return gersh__pairs_spread_estimate(s->base.pairs, s->own, s->other, m, t, center, h);
}

static gersh_status hessian(gersh__objective *objective, const double *d, size_t m, const double *t,
                            double *h)
{
    mcml *s = (mcml *)objective;
    const gersh__pairs *pairs = objective->pairs;
    size_t n = gersh__pairs_samples(pairs);
    double *both = objective->scratch + 2 * gersh__pairs_count(pairs);
    (void)d;
    gersh_status status = gersh__objective_work(objective, 2 * m * n);
    if (status != GERSH_OK)
        return status;
    spread k = {s, t, objective->work};
    gersh__pool_run(gersh__pairs_many(pairs) ? gersh__pairs_pool(pairs) : NULL, m, spread_atom, &k);
    if (gersh__pairs_estimates(pairs))
        return estimate(s, m, t, k.b, k.b + m * n, h);
    for (size_t p = 0, last = gersh__pairs_count(pairs); p < last; p++)
        both[p] = s->own[p] + s->other[p];
    status = gersh__pairs_gram(pairs, both, m, t, h);
    if (status == GERSH_OK)
        gersh__mcml_subtract(n, m, k.b, h);
    return status;
}

static const gersh__objective_kind kind = {
    .needs = GERSH__NEEDS_DISSIMILAR | GERSH__NEEDS_SIMILAR,
    .all_pairs = 1,
    .by_rows = 1,
    .room = 16,
    .arrays = 3,
    .state_size = sizeof(mcml),
    .init = init,
    .clear = clear,
    .evaluate = evaluate,
    .curvature = curvature,
    .hessian = hessian,
    .doubt = doubt,
};

const gersh__objective_entry gersh__objective_mcml = {
    .info = {.name = "mcml",
             .help = "each class should collapse to a point, far from the other classes",
             .takes = GERSH__CLASSES | GERSH__PAIRS,
             .automatic = GERSH__CLASSES | GERSH__PAIRS,
             .nonnegative = 1,
             .mean = GERSH__MEAN_DISTANCE},
    .classes = &kind,
    .pairs = &gersh__mcml_pairs,
};
