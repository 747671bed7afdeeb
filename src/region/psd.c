/*
 * The smallest eigenpair (θ, z) of G = Xᵀ Y, warm-started from the last one. θ is at least λ_min(G): what
 * can be certified is θ − ‖r‖ − rounding, and only once G − (θ − ‖r‖ − rounding) I is seen to be positive
 * definite by its Cholesky factorisation. Without that there is no bound.
 */
#include "region/psd.h"

#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"

/* G v = Xᵀ(Y v) with X and Y held feature by feature; symmetrised, as rounding makes Xᵀ Y not quite
 * symmetric. */
typedef struct product {
    const double *x, *y;
    size_t n;
    double *middle; /* n */
} product;

static void apply(void *context, size_t k, size_t columns, const double *v, double *out)
{
    const product *p = context;
    int n = (int)p->n, features = (int)k;
    for (size_t c = 0; c < columns; c++, v += k, out += k) {
        cblas_dgemv(CblasRowMajor, CblasTrans, features, n, 0.5, p->y, n, v, 1, 0, p->middle, 1);
        cblas_dgemv(CblasRowMajor, CblasNoTrans, features, n, 1, p->x, n, p->middle, 1, 0, out, 1);
        cblas_dgemv(CblasRowMajor, CblasTrans, features, n, 0.5, p->x, n, v, 1, 0, p->middle, 1);
        cblas_dgemv(CblasRowMajor, CblasNoTrans, features, n, 1, p->y, n, p->middle, 1, 1, out, 1);
    }
}

/* Whether G − shift·I is positive definite. */
static gersh_status is_above(int *above, const product *p, size_t k, double shift)
{
    double *g = gersh__alloc(k, k * sizeof *g);
    if (g == NULL)
        return GERSH_ERROR_MEMORY;
    cblas_dsyr2k(CblasRowMajor, CblasLower, CblasNoTrans, (int)k, (int)p->n, 0.5, p->x, (int)p->n, p->y,
                 (int)p->n, 0, g, (int)k);
    for (size_t i = 0; i < k; i++)
        g[i * k + i] -= shift;
    *above = LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', (lapack_int)k, g, (lapack_int)k) == 0;
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
static gersh_status add_ritz_vectors(gersh__region *r, product *p, size_t want, gersh__candidate *out,
                                     size_t *found)
{
    double small[(1 + GERSH__MOST_CANDIDATES) * (1 + GERSH__MOST_CANDIDATES)],
        values[1 + GERSH__MOST_CANDIDATES];
    size_t k = r->k, count = 1; /* the first eigenvector is in place 0 */
    for (size_t a = 0; a < r->active_count && count <= GERSH__MOST_CANDIDATES && count < k; a++)
        count += append(r->basis, count, k, r->active + (r->active_count - 1 - a) * k);
    apply(p, k, count, r->basis, r->image);
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
static gersh_status find_first(gersh__region *region, product *p, double *value, double *least)
{
    gersh_lobpcg_result result;
    gersh_lobpcg_options options = {.tol = 1e-8, .max_iter = 2000};
    gersh_status status = GERSH_OK;
    double norm = 0;
    int above = 0;
    /* The size of what is added up in G, not of G, where it may have cancelled. */
    for (size_t i = 0; i < region->k; i++)
        norm += cblas_dnrm2((int)p->n, p->x + i * p->n, 1) * cblas_dnrm2((int)p->n, p->y + i * p->n, 1);
    *least = -INFINITY;
    for (int start = 0; start < 2 && !above && status == GERSH_OK; start++) {
        if (start > 0)
            gersh_lobpcg_start(region->eigen, NULL);
        status = gersh_lobpcg_solve(&result, region->basis, region->eigen, apply, p, &options);
        if (status != GERSH_OK)
            return status;
        *value = result.value;
        double margin = result.residual + 8 * DBL_EPSILON * (double)region->k * norm + DBL_MIN;
        for (int tries = 0; tries < 3 && !above && status == GERSH_OK; tries++, margin *= 10)
            status = is_above(&above, p, region->k, result.value - margin);
        if (above)
            *least = result.value - margin / 10;
    }
    return status;
}

gersh_status gersh__psd_minimize(gersh__region *region, gersh__slope *slope, size_t want,
                                 gersh__candidate *out, size_t *found, double *least)
{
    size_t n = region->n;
    double value = 0;
    product p = {slope->pairs->x, slope->y, n, gersh__alloc(n, sizeof(double))};
    if (p.middle == NULL)
        return GERSH_ERROR_MEMORY;
    *found = 0;
    gersh_status status = find_first(region, &p, &value, least);
    if (status == GERSH_OK) {
        out[(*found)++] = (gersh__candidate){{0, 0, 0, 0}, region->basis, value};
        status = add_ritz_vectors(region, &p, want, out, found);
    }
    gersh__free(p.middle);
    return status;
}
