/*
 * LOBPCG: the smallest eigenpair of a symmetric operator (Knyazev 2001).
 */
#ifndef GERSH_LINALG_H
#define GERSH_LINALG_H

#include "gersh/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* y_j = A x_j for `columns` vectors of n entries, each vector contiguous. */
typedef void (*gersh_operator)(void *context, size_t n, size_t columns, const double *x, double *y);

typedef struct gersh_lobpcg_options {
    double tol;    /* ‖Av − λv‖ <= tol · ‖A‖ (estimated); 0: the default, 1e-10 */
    int max_iter;  /* 0: the default, 20 000 */
    uint64_t seed; /* of the random part of the first block */
    gersh_operator preconditioner; /* approximates the inverse, positive definite; NULL: none */
    void *preconditioner_context;
    const gersh_cancel *cancel;
} gersh_lobpcg_options;

typedef struct gersh_lobpcg_result {
    double value;    /* Rayleigh quotient of the vector: an upper bound of the smallest eigenvalue */
    double residual; /* ‖Av − λv‖: an eigenvalue lies within this of value */
    int iterations;  /* 0 when LAPACK did it from the start */
    int converged;
} gersh_lobpcg_result;

/*
 * The state keeps the block of vectors from one solve to the next, so that a solve after a small change of
 * the operator starts where the last one ended. It also is the workspace: a solve allocates nothing, but
 * for the matrix that LAPACK needs where up to 2000 unknowns have not converged after as many iterations.
 */
typedef struct gersh_lobpcg gersh_lobpcg;

GERSH_API gersh_status gersh_lobpcg_new(gersh_lobpcg **out, size_t n);
GERSH_API void gersh_lobpcg_free(gersh_lobpcg *state);

/* Forgets the earlier solves; the next one starts from `vector` (n entries), or at random for NULL. */
GERSH_API void gersh_lobpcg_start(gersh_lobpcg *state, const double *vector);

/*
 * The smallest eigenpair of A; vector gets n entries of unit length. Small problems go to LAPACK. Reaching
 * max_iter is no error: result->converged says so. result and options may be NULL.
 */
GERSH_API gersh_status gersh_lobpcg_solve(gersh_lobpcg_result *result, double *vector, gersh_lobpcg *state,
                                          gersh_operator apply, void *context,
                                          const gersh_lobpcg_options *options);

#ifdef __cplusplus
}
#endif
#endif
