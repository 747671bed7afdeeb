/*
 * All positive semidefinite matrices: the first eigenvector of G, and the lowest Ritz vectors of G in the span of it and the
 * atoms in use.
 *
 * The smallest eigenpair (θ, z) of G = Xᵀ Y, warm-started from the last one. θ is at least λ_min(G): what
 * can be certified is θ − m, and only once G − (θ − m) I is seen to be positive definite by its Cholesky
 * factorisation. The margin m is that of rounding, or else up to ten times the residual ‖r‖. Without either there is
 * no bound.
 *
 * With no more samples than features, n <= K, G is 0 but for the span of the samples: with the columns of Q an orthonormal basis
 * of it, the smallest eigenvalue of G is that of QᵀGQ = (XQ)ᵀ(YQ), of order n, or 0. There LAPACK finds it, and
 * the margin is that of rounding.
 */
#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "gersh/linalg.h"
#include "linalg/kernels.h"
#include "region/own.h"

enum { MOST_BASIS = 1 + GERSH__MOST_CANDIDATES }; /* the first eigenvector, and atoms in use */
enum {
    REFINEMENTS = 4
}; /* each multiplies the error of θ by that of the shift over the distance to the next eigenvalue */

typedef struct spectrum {
    gersh_lobpcg *eigen;
    double *basis, *image, *ritz; /* MOST_BASIS × k */
    double *span;                 /* n × k: the columns of Q; NULL: there are more samples than features */
    double *within, *turned;      /* n × n by columns: XQ and YQ */
    double *small, *values;       /* n × n, and n */
} spectrum;

/* Q, by a factorisation of the samples less their mean, and XQ. */
static gersh_status find_span(spectrum *s, const gersh__pairs *pairs)
{
    size_t k = gersh__pairs_features(pairs), n = gersh__pairs_samples(pairs);
    const double *x = gersh__pairs_columns(pairs);
    if (n > k || x == NULL)
        return GERSH_OK;
    s->within = gersh__alloc(n, n * sizeof *s->within);
    s->turned = gersh__alloc(n, n * sizeof *s->turned);
    s->small = gersh__alloc(n, n * sizeof *s->small);
    s->values = gersh__alloc(n, sizeof *s->values);
    s->span = gersh__alloc(n, k * sizeof *s->span);
    if (!s->within || !s->turned || !s->small || !s->values || !s->span)
        return GERSH_ERROR_MEMORY;
    for (size_t f = 0; f < k; f++) {
        double mean = gersh__kernels_here()->sum(n, x + f * n) / (double)n;
        for (size_t i = 0; i < n; i++)
            s->span[i * k + f] = x[f * n + i] - mean;
    }
    lapack_int rows = (lapack_int)k, columns = (lapack_int)n;
    if (LAPACKE_dgeqrf(LAPACK_COL_MAJOR, rows, columns, s->span, rows, s->values) != 0 ||
        LAPACKE_dorgqr(LAPACK_COL_MAJOR, rows, columns, columns, s->span, rows, s->values) != 0)
        return gersh__fail(GERSH_ERROR_NUMERIC, "LAPACK found no basis of the span of %zu samples", n);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)n, (int)n, (int)k, 1, s->span, (int)k, x,
                (int)n, 0, s->within, (int)n);
    return GERSH_OK;
}

static gersh_status init(gersh__region *region)
{
    size_t k = gersh__pairs_features(region->pairs);
    if (region->params.rules != NULL)
        return gersh__fail(GERSH_ERROR_ARGUMENT,
                           "internal error: the region 'psd' keeps no rules for edges");
    spectrum *s = region->own = gersh__alloc(1, sizeof *s);
    if (s == NULL)
        return GERSH_ERROR_MEMORY;
    s->basis = gersh__alloc(MOST_BASIS, k * sizeof *s->basis);
    s->image = gersh__alloc(MOST_BASIS, k * sizeof *s->image);
    s->ritz = gersh__alloc(MOST_BASIS, k * sizeof *s->ritz);
    if (!s->basis || !s->image || !s->ritz)
        return GERSH_ERROR_MEMORY;
    gersh_status status = find_span(s, region->pairs);
    return status == GERSH_OK ? gersh_lobpcg_new(&s->eigen, k) : status;
}

static void free_own(gersh__region *region)
{
    spectrum *s = region->own;
    if (s == NULL)
        return;
    gersh_lobpcg_free(s->eigen);
    gersh__free(s->basis);
    gersh__free(s->image);
    gersh__free(s->ritz);
    gersh__free(s->span);
    gersh__free(s->within);
    gersh__free(s->turned);
    gersh__free(s->small);
    gersh__free(s->values);
    gersh__free(s);
}

static void apply(void *context, size_t k, size_t columns, const double *v, double *out)
{
    (void)k;
    gersh__gradient_apply(context, columns, v, out);
}

/* Whether G − shift·I is positive definite; its Cholesky factor is then in `factor`. The lower half of g counts. */
static int is_above(double *factor, const double *g, size_t k, double shift)
{
    memcpy(factor, g, k * k * sizeof *factor);
    for (size_t i = 0; i < k; i++)
        factor[i * k + i] -= shift;
    return LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', (lapack_int)k, factor, (lapack_int)k) == 0;
}

/* One step of inverse iteration with the factor of G − shift·I, which brings z nearer to the first eigenvector; zᵀGz. */
static double refine(double *z, double *image, const double *factor, const double *g, size_t k)
{
    LAPACKE_dpotrs(LAPACK_ROW_MAJOR, 'L', (lapack_int)k, 1, factor, (lapack_int)k, z, 1);
    cblas_dscal((int)k, 1 / cblas_dnrm2((int)k, z, 1), z, 1);
    cblas_dsymv(CblasRowMajor, CblasLower, (int)k, 1, g, (int)k, z, 1, 0, image, 1);
    return cblas_ddot((int)k, z, 1, image, 1);
}

/* Of the lower half of a symmetric matrix. */
static double frobenius(const double *g, size_t k)
{
    double norm = 0;
    for (size_t i = 0; i < k; i++)
        norm = hypot(norm, cblas_dnrm2((int)(i + 1), g + i * k, 1));
    return sqrt(2) * norm;
}

/*
 * The largest θ − m that is seen to be below λ_min(G), −INFINITY where none is. Where a margin beyond rounding was needed,
 * its factor improves the eigenvector z and its value θ, until rounding is all that is in the margin. `added`: the size of
 * what was added up in G.
 */
static gersh_status certify(double *least, double *value, double *z, const gersh__gradient *gradient,
                            size_t k, double residual, double added)
{
    double *g = gersh__alloc(k, (2 * k + 1) * sizeof *g);
    *least = -INFINITY;
    if (g == NULL)
        return GERSH_ERROR_MEMORY;
    gersh__gradient_matrix(gradient, 0, gersh__gradient_unit(gradient), NULL, g);
    double *factor = g + k * k, *image = factor + k * k;
    double rounding = 8 * DBL_EPSILON * (added + (double)k * frobenius(g, k)) + DBL_MIN, margin = rounding;
    for (; margin <= 10 * (residual + rounding) && !isfinite(*least); margin *= 10)
        if (is_above(factor, g, k, *value - margin))
            *least = *value - margin;
    for (int step = 0; step < REFINEMENTS && isfinite(*least) && *least < *value - rounding; step++) {
        double better = refine(z, image, factor, g, k);
        if (!(better <= *value))
            break;
        *value = better;
        if (is_above(factor, g, k, *value - rounding))
            *least = *value - rounding;
        else if (!is_above(factor, g, k, *least))
            break;
    }
    gersh__free(g);
    return GERSH_OK;
}

/* Appends v to the basis, orthonormal to what is there; returns whether anything was left of it. */
static size_t append(double *basis, size_t count, size_t k, const double *v)
{
    double *place = basis + count * k;
    memcpy(place, v, k * sizeof *v);
    for (int sweep = 0; sweep < 2; sweep++) {
        for (size_t c = 0; c < count; c++)
            cblas_daxpy((int)k, -cblas_ddot((int)k, basis + c * k, 1, place, 1), basis + c * k, 1, place,
                        1);
        double length = cblas_dnrm2((int)k, place, 1);
        if (!(length > 1e-6))
            return 0;
        cblas_dscal((int)k, 1 / length, place, 1);
    }
    return 1;
}

/*
 * Atoms next to those there are: a face of the cone turns as its Ritz vectors do, so that these lead to the
 * optimum in far fewer calls than the first eigenvector alone.
 */
static void add_ritz_vectors(const spectrum *s, size_t k, gersh__gradient *gradient,
                             const gersh__lmo_request *request, gersh__lmo_answer *answer)
{
    double small[MOST_BASIS * MOST_BASIS], values[MOST_BASIS];
    size_t count = 1; /* the first eigenvector is in place 0 */
    for (size_t a = 0; a < request->active_count && count < MOST_BASIS && count < k; a++)
        count += append(s->basis, count, k, request->active + (request->active_count - 1 - a) * k);
    gersh__gradient_apply(gradient, count, s->basis, s->image);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)count, (int)count, (int)k, 1, s->basis,
                (int)k, s->image, (int)k, 0, small, (int)count);
    if (LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', (lapack_int)count, small, (lapack_int)count, values) !=
        0)
        return; /* the first eigenvector is enough */
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)count, (int)k, (int)count, 1, small,
                (int)count, s->basis, (int)k, 0, s->ritz, (int)k);
    for (size_t c = 1; c < count && answer->found < request->want && values[c] < 0; c++)
        answer->candidate[answer->found++] = (gersh__candidate){{0, 0, 0, 0}, s->ritz + c * k, values[c]};
}

/*
 * The first eigenvector, into the first place of the basis, its value, and the bound. Where the bound
 * cannot be had the last eigenvectors may span a part of the space that G leaves to itself but that does
 * not hold the first one: then once more, from a random start.
 */
static gersh_status find_first(const gersh__region *region, gersh__gradient *gradient, double *value,
                               double *least)
{
    const spectrum *s = region->own;
    gersh_lobpcg_result result;
    gersh_lobpcg_options options = {.tol = 1e-8, .max_iter = 2000};
    gersh_status status = GERSH_OK;
    const double *x, *y;
    double norm = 0;
    size_t k = gersh__pairs_features(region->pairs), n = gersh__pairs_samples(region->pairs);
    gersh__gradient_factors(gradient, &x, &y);
    /* The size of what is added up in G, not of G, where it may have cancelled. */
    for (size_t i = 0; i < k; i++)
        norm += cblas_dnrm2((int)n, x + i * n, 1) * cblas_dnrm2((int)n, y + i * n, 1);
    *least = -INFINITY;
    for (int start = 0; start < 2 && *least == -INFINITY && status == GERSH_OK; start++) {
        if (start > 0)
            gersh_lobpcg_start(s->eigen, NULL);
        status = gersh_lobpcg_solve(&result, s->basis, s->eigen, apply, gradient, &options);
        if (status != GERSH_OK)
            return status;
        *value = result.value;
        status = certify(least, value, s->basis, gradient, k, result.residual, norm);
    }
    return status;
}

/* The same in the span of the samples. */
static gersh_status find_within(const spectrum *s, gersh__gradient *gradient, size_t k, size_t n,
                                double *value, double *least)
{
    const double *x, *y;
    int order = (int)n, all = (int)k;
    gersh__gradient_factors(gradient, &x, &y);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, order, order, all, 1, s->span, all, y, order, 0,
                s->turned, order);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, order, order, order, 0.5, s->within, order,
                s->turned, order, 0, s->small, order);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, order, order, order, 0.5, s->turned, order,
                s->within, order, 1, s->small, order);
    if (LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', order, s->small, order, s->values) != 0)
        return gersh__fail(GERSH_ERROR_NUMERIC, "LAPACK's dsyevd failed on a matrix of order %d", order);
    cblas_dgemv(CblasRowMajor, CblasTrans, order, all, 1, s->span, all, s->small, 1, 0, s->basis, 1);
    cblas_dscal(all, 1 / cblas_dnrm2(all, s->basis, 1), s->basis, 1);
    double added = cblas_dnrm2(all * order, x, 1) * cblas_dnrm2(all * order, y, 1);
    *value = s->values[0];
    *least = fmin(*value, 0) - 8 * DBL_EPSILON * (double)n * added - DBL_MIN;
    return GERSH_OK;
}

static gersh_status minimize(gersh__region *region, gersh__gradient *gradient,
                             const gersh__lmo_request *request, gersh__lmo_answer *answer)
{
    const spectrum *s = region->own;
    double value = 0;
    size_t k = gersh__pairs_features(region->pairs), n = gersh__pairs_samples(region->pairs);
    gersh_status status = s->span != NULL ? find_within(s, gradient, k, n, &value, &answer->least)
                                          : find_first(region, gradient, &value, &answer->least);
    if (status != GERSH_OK)
        return status;
    answer->candidate[answer->found++] = (gersh__candidate){{0, 0, 0, 0}, s->basis, value};
    add_ritz_vectors(s, k, gradient, request, answer);
    return GERSH_OK;
}

static int allows(const gersh__region *region, gersh_atom edge)
{
    (void)region;
    (void)edge;
    return 1;
}

static double score(const gersh__region *region, size_t i, size_t j, double a, double b, double c,
                    gersh_atom *best)
{
    return gersh__region_hull.score(region, i, j, a, b, c, best);
}

const gersh__region_ops gersh__region_psd = {
    .name = "psd",
    .dense = 1,
    .free_signs = 1,
    .init = init,
    .minimize = minimize,
    .free = free_own,
    .allows = allows,
    .score = score,
};
