/*
 * What the solvers that hold M as a matrix share: steps of descent, full eigen-decompositions, limits and
 * reports, and the way of the result into the engine. Matrices are K × K, of which the lower triangle by
 * columns counts unless both are named.
 */
#ifndef GERSH_SRC_SOLVER_DENSE_H
#define GERSH_SRC_SOLVER_DENSE_H

#include <lapacke.h>

#include "solver/solver.h"

/* Share of the budget that is 0 but for rounding. */
#define GERSH__NO_BUDGET 1e-14

/* A descent with steps of a length that adapts: a hundredth longer when the last was taken, else half. */
typedef struct gersh__descent {
    gersh__solver_run *run;
    double step; /* length of the next step */
    double tol;
    int taken; /* whether the last step was */
    int done;  /* whether the last step changed F, or could have, by no more than the tolerance */
} gersh__descent;

gersh__descent gersh__descent_start(gersh__solver_run *run, double tol);

/*
 * F at engine->next_d, the distances that the step leads to. `penalty` is what a term besides F loses by
 * the step. Where the sum falls the step is taken: d, g and value are then those of next_d; M is the
 * caller's to change.
 */
void gersh__descent_try(gersh__descent *descent, double penalty);

/* A step that is not taken, and with which F could have fallen by at most `possible`. */
void gersh__descent_refuse(gersh__descent *descent, double possible);

/* The nearest to w with w >= 0 and Σw <= budget, in its place. */
void gersh__dense_project(size_t k, double *w, double budget);

/* Workspace of eigen-decompositions. */
typedef struct gersh__eigen {
    size_t k;
    int threads; /* BLAS may use its own */
    double *values;
    double *work;
    lapack_int *iwork;
    lapack_int lwork, liwork;
} gersh__eigen;

void gersh__eigen_clear(gersh__eigen *eigen);

/* An array of numbers that a solver works with. */
typedef struct gersh__array {
    double **place;
    size_t rows, columns;
} gersh__array;

/*
 * The arrays, filled with 0, in one block: *memory, to be freed once. The eigen-decompositions are those of
 * the run's features. Clear and free in any case.
 */
gersh_status gersh__dense_init(gersh__eigen *eigen, double **memory, const gersh__solver_run *run,
                               const gersh__array *arrays, size_t count);

/* The eigenvalues, ascending, into eigen->values; the eigenvectors, side by side, in place of the matrix. */
gersh_status gersh__eigen_solve(gersh__eigen *eigen, double *matrix);

/* x gets the samples, K × n as in the pairs, with the mean of each feature taken off. */
void gersh__dense_center(const gersh__pairs *pairs, double *x);

/* out (k × k) = (S + ridge I)^{−1/2}, S the scatter of these samples over the mean of its diagonal. */
gersh_status gersh__dense_root_scatter(double *out, const double *x, size_t k, size_t n, double ridge);

/*
 * x gets the samples, K × n as in the pairs, with the mean of each feature taken off. m, both triangles,
 * gets the matrix to begin with: the engine's metric where there is one, else (C/K) I. The engine's d, g and
 * value become those of it; its objective is as sharp as it gets.
 */
void gersh__dense_start(gersh__solver_run *run, double *m, double *x);

/* The relative change of the objective that ends the main iterations. */
double gersh__dense_tol(const gersh__solver_run *run);

/* Whether to stop at once, with run->stop saying why: cancelled, or out of time. */
int gersh__dense_halted(gersh__solver_run *run);

/* The same, and whether another main iteration is one too many. */
int gersh__dense_ended(gersh__solver_run *run);

/* Counts a main iteration and tells of it. */
void gersh__dense_report(gersh__solver_run *run, const char *stage, size_t atoms);

/*
 * The engine's metric becomes ρI + Σ_a weight_a z_a z_aᵀ of K atoms, those of weight 0, to rounding, left out
 * (of the arrays too).
 */
gersh_status gersh__dense_finish(gersh__solver_run *run, double *vectors, double *weights);

#endif
