/*
 * The bound that a gradient gives. F is convex, so that for every metric N of the set
 *
 *     F(N) >= F(M) + ⟨G, N − M⟩ >= F(M) − ⟨G, M⟩ + ρ tr G + B min(0, min_z zᵀGz),    G = D*(∇F(D(M))),
 *
 * whatever M is. ⟨G, M⟩ is Σ g_p d_p. The minimum is over the atoms z of the set: the least G_ii of the diagonal; of two
 * entries the least eigenvalue of [G_ii, G_ij; G_ij, G_jj], where the edge rules allow its sign; of the whole cone λ_min(G).
 */
#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>

#include "base/alloc.h"
#include "base/error.h"
#include "data/dataset.h"
#include "verify/verify.h"

enum { GRADIENT_ROWS = 64 }; /* rows of G at a time */

typedef struct slope {
    size_t n, k;
    double *x; /* n × k, less the means: they count for nothing as the columns of Y have sum 0 */
    const double *y;
    double *diagonal, *block; /* k, and GRADIENT_ROWS × k */
    double largest,
        sum; /* of R_f = 2 Σ_i r_i (x_if² + the mean of x_f²), r_i = Σ_j |g_ij|: the sizes of what adds up to G */
    double unsure; /* of an eigenvalue of G by LAPACK */
    double spread; /* no squared distance of two samples is larger */
} slope;

/* Whether the rules allow M_ij to be negative (sign −1) or positive (sign 1). */
static int allowed(const gersh_model *model, size_t i, size_t j, int sign)
{
    int others = 1;
    for (size_t r = 0; r < model->rule_count; r++) {
        const gersh_edge_rule *rule = &model->rules[r];
        others = others && rule->kind != GERSH_EDGE_ALLOWED;
        if ((rule->first != i || rule->second != j) && (rule->first != j || rule->second != i))
            continue;
        return rule->kind == GERSH_EDGE_ALLOWED || (rule->kind == GERSH_EDGE_POSITIVE && sign < 0) ||
               (rule->kind == GERSH_EDGE_NEGATIVE && sign > 0);
    }
    return others;
}

static double least_diagonal(const slope *s)
{
    double least = INFINITY;
    for (size_t a = 0; a < s->k; a++)
        least = fmin(least, s->diagonal[a]);
    return least;
}

static double least_pair(slope *s, const gersh_model *model)
{
    double least = least_diagonal(s);
    int k = (int)s->k, n = (int)s->n;
    for (size_t from = 0; from < s->k; from += GRADIENT_ROWS) {
        size_t count = s->k - from < GRADIENT_ROWS ? s->k - from : GRADIENT_ROWS;
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)count, k, n, 1, s->x + from, k, s->y, k,
                    0, s->block, k);
        for (size_t row = 0; row < count; row++)
            for (size_t b = from + row + 1; b < s->k; b++) {
                double g = s->block[row * s->k + b], aa = s->diagonal[from + row], bb = s->diagonal[b];
                double value = 0.5 * aa + 0.5 * bb - hypot(0.5 * aa - 0.5 * bb, g);
                if (value < least && allowed(model, from + row, b, g > 0 ? -1 : 1))
                    least = value;
            }
    }
    return least;
}

/* LAPACK's eigenvalues are off by some rounding of the largest. */
static gersh_status least_eigenvalue(double *least, slope *s)
{
    gersh_status status = gersh__check_matrix(s->k);
    if (status != GERSH_OK)
        return status;
    double *g = gersh__alloc(s->k, (s->k + 1) * sizeof *g), *values = g != NULL ? g + s->k * s->k : NULL,
           largest = 0;
    if (g == NULL)
        return GERSH_ERROR_MEMORY;
    int k = (int)s->k, n = (int)s->n;
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, k, k, n, 1, s->x, k, s->y, k, 0, g, k);
    for (size_t a = 0; a < s->k; a++)
        for (size_t b = 0; b <= a; b++) {
            g[a * s->k + b] = 0.5 * g[a * s->k + b] + 0.5 * g[b * s->k + a];
            largest = fmax(largest, fabs(g[a * s->k + b]));
        }
    double scale = largest > 0 ? ldexp(1, -ilogb(largest)) : 1;
    for (size_t e = 0; e < s->k * s->k; e++)
        g[e] *= scale;
    if (LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'L', k, g, k, values) != 0)
        status = gersh__fail(GERSH_ERROR_NUMERIC, "LAPACK found no eigenvalues of the gradient");
    *least = values[0] / scale;
    s->unsure = 16 * DBL_EPSILON * (double)s->k * (double)s->k * largest;
    gersh__free(g);
    return status;
}

/* The rows of x, their sizes, and the diagonal of G. */
static gersh_status begin(slope *s, const gersh__problem *p)
{
    double all = 0;
    *s = (slope){.n = p->n, .k = p->k, .y = p->y};
    s->x = gersh__alloc(s->n, s->k * sizeof *s->x);
    s->diagonal = gersh__alloc(s->k, (1 + GRADIENT_ROWS) * sizeof *s->diagonal);
    if (s->x == NULL || s->diagonal == NULL)
        return GERSH_ERROR_MEMORY;
    s->block = s->diagonal + s->k;
    for (size_t i = 0; i < s->n; i++)
        all += p->pulled[i];
    for (size_t f = 0; f < s->k; f++) {
        double first = p->data->x[f], mean = 0, xx = 0, xy = 0, size = 0;
        for (size_t i = 0; i < s->n; i++)
            mean += (p->data->x[i * s->k + f] - first) / (double)s->n;
        for (size_t i = 0; i < s->n; i++) {
            double x = s->x[i * s->k + f] = p->data->x[i * s->k + f] - first - mean;
            xx += x * x;
            xy += x * s->y[i * s->k + f];
            size += 2 * p->pulled[i] * x * x;
        }
        s->diagonal[f] = xy;
        size += 2 * all * xx / (double)s->n;
        s->largest = fmax(s->largest, size);
        s->sum += size;
    }
    for (size_t i = 0; i < s->n; i++) {
        double square = 0;
        for (size_t f = 0; f < s->k; f++)
            square += s->x[i * s->k + f] * s->x[i * s->k + f];
        s->spread = fmax(s->spread, 4 * square);
    }
    return GERSH_OK;
}

/* What rounding may do to the bound here, and to the solver's, which leaves that much out. */
static double find_error(const slope *s, const gersh__problem *p, gersh_bound_set set, double budget,
                         double rho)
{
    double n = (double)s->n, terms = fmin(n, 10 * sqrt(n)) + (double)s->k + 32;
    double sizes = budget * (set == GERSH_BOUND_PSD ? s->sum : 2 * s->largest) + rho * s->sum;
    double shaken = p->shaken * (1 + (budget + rho) * s->spread), sums = (double)p->k + 8;
    return DBL_EPSILON *
               (8 * p->margins + 16 * terms * (sizes + p->size) + fmin(sums, 10 * sqrt(sums)) * shaken) +
           budget * s->unsure;
}

gersh_status gersh__bound_from(double *bound, double *error, const gersh__problem *p, double value,
                               gersh_bound_set set, const gersh_model *model, double budget)
{
    slope s;
    double least = 0, trace = 0, rho = p->dense->rho;
    gersh_status status = begin(&s, p);
    if (status == GERSH_OK && set == GERSH_BOUND_PSD)
        status = least_eigenvalue(&least, &s);
    else if (status == GERSH_OK)
        least = set == GERSH_BOUND_HULL ? least_pair(&s, model) : least_diagonal(&s);
    for (size_t f = 0; status == GERSH_OK && f < s.k; f++)
        trace += s.diagonal[f];
    *bound = value - p->linear + rho * trace + budget * fmin(0, least);
    *error = find_error(&s, p, set, budget, rho);
    gersh__free(s.x);
    gersh__free(s.diagonal);
    return status;
}
