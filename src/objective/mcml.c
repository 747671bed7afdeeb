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
 * earlier samples is added up by columns, for each part of the loop on its own.
 */
#include <cblas.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "linalg/kernels.h"
#include "objective/kinds.h"
#include "objective/mcml.h"

#define FEW_TERMS 4096 /* n · m² up to which plain loops beat BLAS */

typedef struct mcml {
    gersh__objective base;
    double *weight;  /* of each sample */
    double *active;  /* the same, but 0 for a sample without class mates */
    double *mates;   /* W_i */
    double *inverse; /* 1 / W_i, or 0 */
    double *low;     /* the smallest distance of each sample */
    double *total;   /* two sums of each sample: n, then n */
    double *column;  /* two sums of each sample, for each part */
    double *factor;  /* active / Z of each sample */
    double size;     /* the sizes of the terms of the last value, added up */
    double *own;     /* w_i Q_ij of each pair, */
    double *other;   /* and w_j Q_ji: those of the last gradient */
    size_t *start;   /* first sample of each sample's class */
} mcml;

static gersh_status init(gersh__objective *objective)
{
    mcml *s = (mcml *)objective;
    const gersh__pairs *pairs = objective->pairs;
    size_t n = pairs->n;
    s->own = objective->scratch;
    s->other = objective->scratch + pairs->count;
    s->start = gersh__alloc(n, sizeof *s->start);
    s->column = gersh__alloc(n, 2 * pairs->parts * sizeof *s->column);
    s->weight = gersh__alloc(n, 8 * sizeof *s->weight);
    if (s->start == NULL || s->column == NULL || s->weight == NULL)
        return GERSH_ERROR_MEMORY;
    s->active = s->weight + n;
    s->mates = s->active + n;
    s->inverse = s->mates + n;
    s->low = s->inverse + n;
    s->factor = s->low + n;
    s->total = s->factor + n; /* two of n */
    for (size_t i = 0; i < n; i++)
        s->weight[i] = pairs->weight != NULL ? pairs->weight[i] : 1.0;
    for (size_t c = 0; c < pairs->classes; c++) {
        size_t begin = pairs->class_start[c], end = pairs->class_start[c + 1];
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
    gersh__free(s->column);
    gersh__free(s->weight);
}

typedef struct task {
    mcml *s;
    const double *d;
    const double *v;
    double *out; /* the gradient, or the product with the Hessian */
} task;

static double *columns(const mcml *s, size_t part)
{
    return s->column + part * 2 * s->base.pairs->n;
}

static void low_part(void *context, size_t part, int worker)
{
    task *k = context;
    const gersh__kernels *kernels = gersh__kernels_here();
    const gersh__pairs *pairs = k->s->base.pairs;
    double *column = columns(k->s, part);
    (void)worker;
    for (size_t i = 0; i < pairs->part[part + 1]; i++)
        column[i] = INFINITY;
    for (size_t i = pairs->part[part]; i < pairs->part[part + 1]; i++)
        k->s->total[i] = i > 0 ? kernels->lowest(i, k->d + gersh__pair(i, 0), column) : INFINITY;
}

static void find_low(task *k)
{
    mcml *s = k->s;
    const gersh__pairs *pairs = s->base.pairs;
    gersh__pairs_run(pairs, low_part, k);
    memcpy(s->low, s->total, pairs->n * sizeof *s->low);
    for (size_t part = 0; part < pairs->parts; part++)
        for (size_t i = 0; i < pairs->part[part + 1]; i++)
            s->low[i] = fmin(s->low[i], columns(s, part)[i]);
}

/* total += the columns of all parts in order; `sets` is 1 or 2 sums a sample. */
static void add_columns(mcml *s, size_t sets)
{
    const gersh__pairs *pairs = s->base.pairs;
    size_t n = pairs->n;
    for (size_t part = 0; part < pairs->parts; part++)
        for (size_t set = 0; set < sets; set++)
            gersh__kernels_here()->axpy(pairs->part[part + 1], 1.0, columns(s, part) + set * n,
                                        s->total + set * n);
}

/* Z, then Σ w_j (d_ij − low_i) over class mates. */
static void sums_part(void *context, size_t part, int worker)
{
    task *k = context;
    mcml *s = k->s;
    const gersh__kernels *kernels = gersh__kernels_here();
    const gersh__pairs *pairs = s->base.pairs;
    size_t n = pairs->n, end = pairs->part[part + 1];
    double *z = columns(s, part), *pull = z + n;
    (void)worker;
    memset(z, 0, end * sizeof *z);
    memset(pull, 0, end * sizeof *pull);
    for (size_t i = pairs->part[part]; i < end; i++) {
        size_t base = i > 0 ? gersh__pair(i, 0) : 0, start = s->start[i];
        const double *d = k->d + base;
        double low = s->low[i], w = s->weight[i];
        s->total[i] = k->out == NULL ? kernels->soft_sum(i, d, low, s->low, w, s->weight, z)
                                     : kernels->soft_terms(i, d, low, s->low, w, s->weight, z,
                                                           s->own + base, s->other + base);
        s->total[n + i] =
            kernels->pull(i - start, d + start, low, s->low + start, w, s->weight + start, pull + start);
    }
}

static void gradient_part(void *context, size_t part, int worker)
{
    task *k = context;
    mcml *s = k->s;
    const gersh__kernels *kernels = gersh__kernels_here();
    const gersh__pairs *pairs = s->base.pairs;
    (void)worker;
    for (size_t i = pairs->part[part]; i < pairs->part[part + 1]; i++) {
        size_t base = i > 0 ? gersh__pair(i, 0) : 0;
        double *g = k->out + base;
        kernels->soft_gradient(i, s->factor[i], s->factor, s->own + base, s->other + base, g);
        for (size_t j = s->start[i]; j < i; j++)
            g[j] += s->weight[i] * s->weight[j] * (s->inverse[i] + s->inverse[j]);
    }
}

static double evaluate(gersh__objective *objective, const double *d, double *g)
{
    mcml *s = (mcml *)objective;
    const gersh__pairs *pairs = objective->pairs;
    size_t n = pairs->n;
    task k = {s, d, NULL, g};
    find_low(&k);
    gersh__pairs_run(pairs, sums_part, &k);
    add_columns(s, 2);
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
        gersh__pairs_run(pairs, gradient_part, &k);
    }
    return value;
}

/* g = P − Q for each of the two samples of a pair, so that P + Q <= |g| + 2 P. */
static double doubt(gersh__objective *objective, const double *d, const double *g, double *r)
{
    const mcml *s = (const mcml *)objective;
    const gersh__pairs *pairs = objective->pairs;
    (void)d;
    (void)g;
    for (size_t c = 0; c < pairs->classes; c++) {
        double both = 0;
        for (size_t i = pairs->class_start[c]; i < pairs->class_start[c + 1]; i++)
            both += s->active[i] * s->inverse[i];
        for (size_t i = pairs->class_start[c]; i < pairs->class_start[c + 1]; i++)
            r[i] += 2 * (s->active[i] + s->weight[i] * both);
    }
    return gersh__rounding(pairs->n) * s->size;
}

static void means_part(void *context, size_t part, int worker)
{
    task *k = context;
    mcml *s = k->s;
    const gersh__pairs *pairs = s->base.pairs;
    size_t end = pairs->part[part + 1];
    double *column = columns(s, part);
    (void)worker;
    memset(column, 0, end * sizeof *column);
    for (size_t i = pairs->part[part]; i < end; i++) {
        size_t base = i > 0 ? gersh__pair(i, 0) : 0;
        s->total[i] =
            gersh__kernels_here()->two_sums(i, s->own + base, s->other + base, k->v + base, column);
    }
}

static void product_part(void *context, size_t part, int worker)
{
    task *k = context;
    mcml *s = k->s;
    const gersh__pairs *pairs = s->base.pairs;
    (void)worker;
    for (size_t i = pairs->part[part]; i < pairs->part[part + 1]; i++) {
        size_t base = i > 0 ? gersh__pair(i, 0) : 0;
        gersh__kernels_here()->soft_product(i, s->own + base, s->other + base, k->v + base, s->total[i],
                                            s->total, k->out + base);
    }
}

static void curvature(gersh__objective *objective, const double *d, const double *v, double *out)
{
    mcml *s = (mcml *)objective;
    const gersh__pairs *pairs = objective->pairs;
    task k = {s, d, v, out};
    gersh__pairs_run(pairs, means_part, &k);
    add_columns(s, 1);
    for (size_t i = 0; i < pairs->n; i++)
        s->total[i] = s->active[i] > 0 ? s->total[i] / s->active[i] : 0.0;
    gersh__pairs_run(pairs, product_part, &k);
}

typedef struct spread {
    const mcml *s;
    const double *t;
    double *b; /* n entries for each atom */
} spread;

/* √w_i Σ_k Q_ik (t_i − t_k)² for all i and one atom. */
static void spread_part(void *context, size_t atom, int worker)
{
    spread *k = context;
    const mcml *s = k->s;
    size_t n = s->base.pairs->n;
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
    if (n * m * m <= FEW_TERMS) {
        for (size_t a = 0; a < m; a++)
            for (size_t c = a; c < m; c++)
                h[a * m + c] -= gersh__kernels_here()->dot(n, b + a * n, b + c * n);
    } else {
        cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, (int)m, (int)n, -1.0, b, (int)n, 1.0, h, (int)m);
    }
    for (size_t a = 0; a < m; a++)
        for (size_t c = a + 1; c < m; c++)
            h[c * m + a] = h[a * m + c];
}

/* Σ_i w_i Σ_k Q_ik (a_ik − ā_i)(a_ik − ā_i)ᵀ with ā_i = Σ_k Q_ik a_ik, from some of the pairs. */
static gersh_status estimate(const mcml *s, size_t m, const double *t, const double *b, double *center,
                             double *h)
{
    size_t n = s->base.pairs->n;
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
    size_t n = pairs->n;
    double *both = objective->scratch + 2 * pairs->count;
    (void)d;
    gersh_status status = gersh__objective_work(objective, 2 * m * n);
    if (status != GERSH_OK)
        return status;
    spread k = {s, t, objective->work};
    gersh__pool_run(pairs->parts > 1 ? pairs->pool : NULL, m, spread_part, &k);
    if (gersh__pairs_draws(pairs))
        return estimate(s, m, t, k.b, k.b + m * n, h);
    for (size_t p = 0; p < pairs->count; p++)
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
