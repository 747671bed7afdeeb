/*
 * The hot loops, compiled once for each level of the processor (see CMakeLists.txt) and chosen at run time,
 * so that one binary runs on every x86-64 and uses AVX2 or AVX-512 where they are.
 */
#ifndef GERSH_SRC_LINALG_KERNELS_H
#define GERSH_SRC_LINALG_KERNELS_H

#include <stddef.h>

typedef struct gersh__kernels {
    const char *level;

    /* Σ_i x_i y_i */
    double (*dot)(size_t n, const double *x, const double *y);

    /* y_i += a x_i */
    void (*axpy)(size_t n, double a, const double *x, double *y);

    /* y_i = (x_i − mean_i) · factor_i: one row of a table scaled by features; x may be y */
    void (*standardize)(size_t n, const double *x, const double *mean, const double *factor, double *y);

    /* Σ_e |entry_e| u[index_e]: a disc's radius under the scalars 1/u, times u_i */
    double (*radius)(size_t n, const double *entry, const size_t *index, const double *u);

    /* Σ_e entry_e x[index_e]: a row of a sparse matrix times a vector */
    double (*gather)(size_t n, const double *entry, const size_t *index, const double *x);
} gersh__kernels;

const gersh__kernels *gersh__kernels_here(void);

#endif
