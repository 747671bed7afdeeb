/*
 * LOBPCG for the smallest eigenpair of a symmetric operator A (Knyazev 2001), with an orthonormal basis.
 *
 * A small block of vectors is iterated, not one: the others take up the eigenvalues next to the smallest,
 * so that a cluster does not slow the first one down, and a start orthogonal to the wanted vector does no
 * harm. Each iteration minimises the Rayleigh quotient over the span S of
 *     X  the current vectors,
 *     W  their residuals A x − λ x, preconditioned, and
 *     P  the directions of the last step.
 * S is made orthonormal by Gram-Schmidt, twice, and directions that vanish in it are left out, so that the
 * small problem is a standard one, SᵀAS y = λ y, and well conditioned.
 */
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/blas.h"
#include "base/error.h"
#include "base/policy.h"
#include "base/random.h"
#include "base/threads.h"
#include "gersh/linalg.h"
#include "linalg/kernels.h"

enum {
    LOBPCG_VECTORS = 3,                /* vectors iterated together */
    LOBPCG_BASIS = 3 * LOBPCG_VECTORS, /* X, W and P */

};

struct gersh_lobpcg {
    size_t n;
    int block;      /* vectors of x in use: 0 before the first solve, 1 after a start from a vector */
    double *s, *as; /* n × LOBPCG_BASIS: X, W, P and their images under A */
    double *t, *at; /* n × 2·LOBPCG_VECTORS: scratch for the new X and P */
    double *small;  /* order × order: SᵀAS, or the dense matrix */
    double *values; /* order */
    double *work;   /* of LAPACK */
    lapack_int *iwork;
    lapack_int lwork, liwork;
};

/* Room for LAPACK's dsyevr or dsyevd on a matrix of that order. */
static gersh_status reserve(gersh_lobpcg *state, size_t order)
{
    state->lwork = (lapack_int)(26 * order + (order > LOBPCG_BASIS ? 0 : 2 * order * order) + 1);
    state->liwork = (lapack_int)(10 * order + 3);
    void *blocks[] = {state->small, state->values, state->work, state->iwork};
    size_t sizes[] = {order * order * sizeof(double), order * sizeof(double),
                      (size_t)state->lwork * sizeof(double), (size_t)state->liwork * sizeof(lapack_int)};
    gersh_status status = GERSH_OK;
    for (int i = 0; i < 4 && status == GERSH_OK; i++) {
        void *moved = gersh__realloc(blocks[i], sizes[i], 1);
        status = moved != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
        blocks[i] = moved != NULL ? moved : blocks[i];
    }
    state->small = blocks[0];
    state->values = blocks[1];
    state->work = blocks[2];
    state->iwork = blocks[3];
    return status;
}

gersh_status gersh_lobpcg_new(gersh_lobpcg **out, size_t n)
{
    *out = NULL;
    if (n == 0 || n > INT32_MAX)
        return gersh__fail(GERSH_ERROR_ARGUMENT, "an eigenproblem of %zu unknowns is asked for", n);
    gersh_lobpcg *state = gersh__alloc(1, sizeof *state);
    if (state == NULL)
        return GERSH_ERROR_MEMORY;
    state->n = n;
    state->s = gersh__alloc(n, LOBPCG_BASIS * sizeof(double));
    state->as = gersh__alloc(n, LOBPCG_BASIS * sizeof(double));
    state->t = gersh__alloc(n, 2 * LOBPCG_VECTORS * sizeof(double));
    state->at = gersh__alloc(n, 2 * LOBPCG_VECTORS * sizeof(double));
    if (!state->s || !state->as || !state->t || !state->at ||
        reserve(state, n <= GERSH__LAPACK_UNKNOWNS ? n : LOBPCG_BASIS) != GERSH_OK) {
        gersh_lobpcg_free(state);
        return GERSH_ERROR_MEMORY;
    }
    *out = state;
    return GERSH_OK;
}

void gersh_lobpcg_free(gersh_lobpcg *state)
{
    if (state == NULL)
        return;
    gersh__free(state->s);
    gersh__free(state->as);
    gersh__free(state->t);
    gersh__free(state->at);
    gersh__free(state->small);
    gersh__free(state->values);
    gersh__free(state->work);
    gersh__free(state->iwork);
    gersh__free(state);
}

void gersh_lobpcg_start(gersh_lobpcg *state, const double *vector)
{
    state->block = vector != NULL;
    if (vector != NULL)
        memcpy(state->s, vector, state->n * sizeof *vector);
}

static int all_finite(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return 0;
    return 1;
}

static gersh_status not_finite(void)
{
    return gersh__fail(GERSH_ERROR_NUMERIC,
                       "the operator of the eigenproblem gave a value that is not finite");
}

/* The smallest eigenpair of the dense matrix, by LAPACK. */
static gersh_status solve_dense(gersh_lobpcg_result *result, double *vector, gersh_lobpcg *state,
                                gersh_operator apply, void *context)
{
    size_t n = state->n;
    double *unit = state->s, *image = state->as;
    for (size_t first = 0; first < n; first += LOBPCG_BASIS) {
        size_t columns = n - first < LOBPCG_BASIS ? n - first : LOBPCG_BASIS;
        memset(unit, 0, columns * n * sizeof *unit);
        for (size_t j = 0; j < columns; j++)
            unit[j * n + first + j] = 1.0;
        apply(context, n, columns, unit, image);
        memcpy(state->small + first * n, image, columns * n * sizeof *image);
    }
    if (!all_finite(state->small, n * n))
        return not_finite();
    lapack_int found = 0, order = (lapack_int)n, support[2];
    lapack_int info = LAPACKE_dsyevr_work(LAPACK_COL_MAJOR, 'V', 'I', 'L', order, state->small, order, 0, 0,
                                          1, 1, 0, &found, state->values, vector, order, support,
                                          state->work, state->lwork, state->iwork, state->liwork);
    if (info != 0 || found != 1)
        return gersh__fail(GERSH_ERROR_NUMERIC, "LAPACK's dsyevr failed on a matrix of order %zu (info %d)",
                           n, (int)info);
    apply(context, n, 1, vector, image);
    result->value = state->values[0];
    cblas_daxpy((int)n, -result->value, vector, 1, image, 1);
    result->residual = cblas_dnrm2((int)n, image, 1);
    result->converged = 1;
    return GERSH_OK;
}

/*
 * Makes v orthogonal to the first `count` columns of s and of unit length; the same is done to av, its
 * image, unless that is NULL. Returns 0 when nothing but rounding is left of v.
 */
static int orthonormalize(size_t n, const double *s, const double *as, size_t count, double *v, double *av)
{
    const gersh__kernels *kernel = gersh__kernels_here();
    double before = cblas_dnrm2((int)n, v, 1);
    if (!(before > 0) || !isfinite(before))
        return 0;
    double length = before;
    for (int sweep = 0; sweep < 2; sweep++) {
        for (size_t j = 0; j < count; j++) {
            double c = kernel->dot(n, s + j * n, v);
            kernel->axpy(n, -c, s + j * n, v);
            if (av != NULL)
                kernel->axpy(n, -c, as + j * n, av);
        }
        length = cblas_dnrm2((int)n, v, 1);
        if (!(length > 1e-10 * before))
            return 0;
    }
    cblas_dscal((int)n, 1.0 / length, v, 1);
    if (av != NULL)
        cblas_dscal((int)n, 1.0 / length, av, 1);
    return 1;
}

/* Fills the block up with random vectors and makes it orthonormal. */
static void complete_block(gersh_lobpcg *state, gersh__random *random)
{
    size_t n = state->n;
    int given = state->block;
    for (int j = 0; j < LOBPCG_VECTORS; j++) {
        double *x = state->s + (size_t)j * n;
        int usable = j < given && all_finite(x, n);
        while (!usable || !orthonormalize(n, state->s, NULL, (size_t)j, x, NULL)) {
            for (size_t i = 0; i < n; i++)
                x[i] = gersh__random_normal(random);
            usable = 1;
        }
    }
    state->block = LOBPCG_VECTORS;
}

/*
 * Rayleigh-Ritz on the first `basis` columns of s: replaces X by the best vectors of the span, P by what
 * was added to X, and their images likewise. Returns LAPACK's info.
 */
static lapack_int rayleigh_ritz(gersh_lobpcg *state, size_t basis, double *norm)
{
    int n = (int)state->n, b = (int)basis;
    double *y = state->small;
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, b, b, n, 1.0, state->s, n, state->as, n, 0.0, y,
                b);
    for (int i = 0; i < b; i++)
        for (int j = 0; j < i; j++)
            y[j * b + i] = 0.5 * (y[j * b + i] + y[i * b + j]);
    lapack_int info = LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'L', b, y, b, state->values, state->work,
                                          state->lwork, state->iwork, state->liwork);
    if (info != 0)
        return info;
    *norm = fmax(*norm, fmax(fabs(state->values[0]), fabs(state->values[b - 1])));
    for (int image = 0; image < 2; image++) {
        double *from = image ? state->as : state->s, *to = image ? state->at : state->t;
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, LOBPCG_VECTORS, b, 1.0, from, n, y, b,
                    0.0, to, n);
        if (b > LOBPCG_VECTORS)
            cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, LOBPCG_VECTORS, b - LOBPCG_VECTORS,
                        1.0, from + (size_t)LOBPCG_VECTORS * state->n, n, y + LOBPCG_VECTORS, b, 0.0,
                        to + (size_t)LOBPCG_VECTORS * state->n, n);
        memcpy(from, to, (size_t)LOBPCG_VECTORS * state->n * sizeof *to);
    }
    return 0;
}

/*
 * Appends W and P to X in s, each orthonormal to all before it, with their images. Returns the number of
 * columns, 0 when the operator gave something that is not finite.
 */
static size_t build_basis(gersh_lobpcg *state, int with_p, gersh_operator apply, void *context,
                          const gersh_lobpcg_options *options)
{
    size_t n = state->n, basis = LOBPCG_VECTORS;
    double *residual =
        state->as + LOBPCG_BASIS / 3 * 2 * n; /* the place of A P is free until P is appended */
    for (size_t j = 0; j < LOBPCG_VECTORS; j++) {
        double *w = state->s + basis * n, *r = options->preconditioner != NULL ? residual : w;
        memcpy(r, state->as + j * n, n * sizeof *r);
        cblas_daxpy((int)n, -state->values[j], state->s + j * n, 1, r, 1);
        if (options->preconditioner != NULL)
            options->preconditioner(options->preconditioner_context, n, 1, r, w);
        basis += (size_t)orthonormalize(n, state->s, NULL, basis, w, NULL);
    }
    if (basis > LOBPCG_VECTORS) {
        apply(context, n, basis - LOBPCG_VECTORS, state->s + LOBPCG_VECTORS * n,
              state->as + LOBPCG_VECTORS * n);
        if (!all_finite(state->as + LOBPCG_VECTORS * n, (basis - LOBPCG_VECTORS) * n))
            return 0;
    }
    for (size_t j = 0; with_p && j < LOBPCG_VECTORS; j++) {
        double *p = state->s + basis * n, *ap = state->as + basis * n;
        memcpy(p, state->t + (LOBPCG_VECTORS + j) * n, n * sizeof *p);
        memcpy(ap, state->at + (LOBPCG_VECTORS + j) * n, n * sizeof *ap);
        basis += (size_t)orthonormalize(n, state->s, state->as, basis, p, ap);
    }
    return basis;
}

static double first_residual(const gersh_lobpcg *state, double *scratch)
{
    size_t n = state->n;
    memcpy(scratch, state->as, n * sizeof *scratch);
    cblas_daxpy((int)n, -state->values[0], state->s, 1, scratch, 1);
    return cblas_dnrm2((int)n, scratch, 1);
}

/* A X anew from X, and X anew orthonormal: takes away what rounding has added up. */
static lapack_int refresh(gersh_lobpcg *state, gersh__random *random, gersh_operator apply, void *context,
                          double *norm)
{
    complete_block(state, random);
    apply(context, state->n, LOBPCG_VECTORS, state->s, state->as);
    if (!all_finite(state->as, LOBPCG_VECTORS * state->n))
        return -1;
    return rayleigh_ritz(state, LOBPCG_VECTORS, norm);
}

/* Eigenvalues that lie too close together for the iteration: LAPACK, and its vector is the next start. */
static gersh_status rescue(gersh_lobpcg_result *result, double *vector, gersh_lobpcg *state,
                           gersh_operator apply, void *context)
{
    gersh_status status = reserve(state, state->n);
    if (status == GERSH_OK)
        status = solve_dense(result, vector, state, apply, context);
    if (status == GERSH_OK)
        memcpy(state->s, vector, state->n * sizeof *vector);
    return status;
}

static gersh_status iterate(gersh_lobpcg_result *result, double *vector, gersh_lobpcg *state,
                            gersh_operator apply, void *context, const gersh_lobpcg_options *o)
{
    size_t n = state->n;
    double tol = o->tol > 0 ? o->tol : 1e-10;
    int limit = o->max_iter > 0 ? o->max_iter : 20000;
    int least = state->block == 1 ? GERSH__LOBPCG_FIRST_LOOK : 0;
    int with_p = 0, fresh = 1; /* whether P is there; whether A X was just computed from X */
    double norm = 0;
    gersh__random random;
    gersh__random_seed(&random, o->seed);

    /* 1. Start from the block of the last solve, or at random. */
    lapack_int info = refresh(state, &random, apply, context, &norm);
    while (info == 0) {
        /* 2. Stop on a small residual, taken with A x computed from x itself. */
        result->residual = first_residual(state, state->as + LOBPCG_BASIS / 3 * n);
        if (result->residual <= tol * norm && result->iterations >= least) {
            result->converged = fresh;
            if (fresh)
                break;
            with_p = 0;
            fresh = 1;
            info = refresh(state, &random, apply, context, &norm);
            continue;
        }
        if (result->iterations >= limit || gersh_cancel_requested(o->cancel))
            break;
        if (n <= GERSH__RESCUED_UNKNOWNS && result->iterations > (int)n)
            return rescue(result, vector, state, apply, context);
        /* 3. The best vectors in the span of X, W and P. */
        size_t basis = build_basis(state, with_p, apply, context, o);
        if (basis == 0)
            return not_finite();
        if (basis == LOBPCG_VECTORS) { /* X spans an invariant subspace to the last digit */
            result->converged = result->residual <= sqrt(tol) * norm;
            break;
        }
        info = rayleigh_ritz(state, basis, &norm);
        result->iterations++;
        with_p = 1;
        fresh = 0;
        /* 4. Now and then, A X from X. P and its image stay in t and at. */
        if (info == 0 && result->iterations % GERSH__LOBPCG_REFRESH == 0) {
            apply(context, n, LOBPCG_VECTORS, state->s, state->as);
            if (!all_finite(state->as, LOBPCG_VECTORS * n))
                return not_finite();
        }
    }
    if (info < 0)
        return not_finite();
    if (info > 0)
        return gersh__fail(GERSH_ERROR_NUMERIC, "LAPACK's dsyevd failed in LOBPCG (info %d)", (int)info);
    if (!result->converged && gersh_cancel_requested(o->cancel))
        return gersh__fail(GERSH_ERROR_CANCELLED, "the eigenvector computation was cancelled");
    result->value = state->values[0];
    memcpy(vector, state->s, n * sizeof *vector);
    return GERSH_OK;
}

gersh_status gersh_lobpcg_solve(gersh_lobpcg_result *result, double *vector, gersh_lobpcg *state,
                                gersh_operator apply, void *context, const gersh_lobpcg_options *options)
{
    static const gersh_lobpcg_options defaults = {0};
    gersh_lobpcg_result own;
    result = result != NULL ? result : &own;
    *result = (gersh_lobpcg_result){0};
    if (gersh__blas_check() != GERSH_OK)
        return GERSH_ERROR_MEMORY;
    gersh__blas_hold(); /* small and narrow products: threads would only get in each other's way */
    gersh_status status =
        state->n <= GERSH__LAPACK_UNKNOWNS
            ? solve_dense(result, vector, state, apply, context)
            : iterate(result, vector, state, apply, context, options ? options : &defaults);
    gersh__blas_release();
    return status;
}
