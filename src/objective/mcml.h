/* What the two kinds of mcml share. */
#ifndef GERSH_SRC_OBJECTIVE_MCML_H
#define GERSH_SRC_OBJECTIVE_MCML_H

#include <stddef.h>

/*
 * h (m × m, the lower triangle by columns) −= Bᵀ B, the columns of B being the m vectors b of n entries
 * each; then both triangles are filled.
 */
void gersh__mcml_subtract(size_t n, size_t m, const double *b, double *h);

#endif
