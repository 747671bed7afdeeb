/*
 * The smallest eigenpair (θ, z) of G = Xᵀ Y, warm-started from the last one. θ is at least λ_min(G): what
 * can be certified is θ − m, and only once G − (θ − m) I is seen to be positive definite by its Cholesky
 * factorisation. The margin m is that of rounding, or else up to ten times the residual ‖r‖. Without either there is
 * no bound.
 */
#include "region/psd.h"

#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"

enum {
    REFINEMENTS = 4
}; /* each multiplies the error of θ by that of the shift over the distance to the next eigenvalue */

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
static gersh_status add_ritz_vectors(gersh__region *r, gersh__gradient *gradient, size_t want,
                                     gersh__candidate *out, size_t *found)
{
    double small[(1 + GERSH__MOST_CANDIDATES) * (1 + GERSH__MOST_CANDIDATES)],
        values[1 + GERSH__MOST_CANDIDATES];
    size_t k = r->k, count = 1; /* the first eigenvector is in place 0 */
    for (size_t a = 0; a < r->active_count && count <= GERSH__MOST_CANDIDATES && count < k; a++)
        count += append(r->basis, count, k, r->active + (r->active_count - 1 - a) * k);
    gersh__gradient_apply(gradient, count, r->basis, r->image);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)count, (int)count, (int)k, 1, r->basis,
                (int)k, r->image, (int)k, 0, small, (int)count);
    if (LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', (lapack_int)count, small, (lapack_int)count, values) !=
        0)
        return GERSH_OK; /* the first eigenvector is enough */
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)count, (int)k, (int)count, 1, small,
                (int)count, r->basis, (int)k, 0, r->ritz, (int)k);
    for (size_t c = 1; c < count && *found < want && values[c] < 0; c++)
        out[(*found)++] = (gersh__candidate){{0, 0, 0, 0}, r->ritz + c * k, values[c]};
    return GERSH_OK;
}

/*
 * The first eigenvector, into the first place of the basis, its value, and the bound. Where the bound
 * cannot be had the last eigenvectors may span a part of the space that G leaves to itself but that does
 * not hold the first one: then once more, from a random start.
 */
static gersh_status find_first(gersh__region *region, gersh__gradient *gradient, double *value,
                               double *least)
{
    gersh_lobpcg_result result;
    gersh_lobpcg_options options = {.tol = 1e-8, .max_iter = 2000};
    gersh_status status = GERSH_OK;
    const double *x, *y;
    double norm = 0;
    int n = (int)region->n;
    gersh__gradient_factors(gradient, &x, &y);
    /* The size of what is added up in G, not of G, where it may have cancelled. */
    for (size_t i = 0; i < region->k; i++)
        norm += cblas_dnrm2(n, x + i * region->n, 1) * cblas_dnrm2(n, y + i * region->n, 1);
    *least = -INFINITY;
    for (int start = 0; start < 2 && *least == -INFINITY && status == GERSH_OK; start++) {
        if (start > 0)
            gersh_lobpcg_start(region->eigen, NULL);
        status = gersh_lobpcg_solve(&result, region->basis, region->eigen, apply, gradient, &options);
        if (status != GERSH_OK)
            return status;
        *value = result.value;
        status = certify(least, value, region->basis, gradient, region->k, result.residual, norm);
    }
    return status;
}

gersh_status gersh__psd_minimize(gersh__region *region, gersh__gradient *gradient, size_t want,
                                 gersh__candidate *out, size_t *found, double *least)
{
    double value = 0;
    *found = 0;
    gersh_status status = find_first(region, gradient, &value, least);
    if (status == GERSH_OK) {
        out[(*found)++] = (gersh__candidate){{0, 0, 0, 0}, region->basis, value};
        status = add_ritz_vectors(region, gradient, want, out, found);
    }
    return status;
}
