/*
 * Solves f_a = Σ_b p_ab f_b / Σ_b p_ab over rows and classes, f being given on the classes.
 *
 * Taking row i out adds p_ai p_ib / Σ_b p_ib to p_ab of every row a that is left; what falls on p_aa is
 * left out, and the rows may be scaled at will. At the end each row has weights to the rows before it and
 * to the classes only. Nothing is ever subtracted (Grassmann, Taksar and Heyman), so that every number is
 * right to the last digits, however small it is beside others.
 */
#include "predict/harmonic.h"

#include <string.h>

#include "linalg/kernels.h"

/* The sum of a row's weights from which it is scaled. */
static const double small = 1e-50;

void gersh__harmonic(double *f, double *p, size_t count, size_t classes, const gersh_cancel *cancel)
{
    const gersh__kernels *kernel = gersh__kernels_here();
    size_t stride = count + classes;
    for (size_t i = count; i-- > 0 && !gersh_cancel_requested(cancel);) {
        double *row = p + i * stride, total = kernel->sum(i, row) + kernel->sum(classes, row + count);
        for (size_t b = 0; b < stride; b++)
            row[b] = total > 0 && (b < i || b >= count) ? row[b] / total : 0;
        for (size_t a = 0; a < i; a++) {
            double *other = p + a * stride, factor = other[i];
            if (factor == 0)
                continue;
            kernel->axpy(i, factor, row, other);
            kernel->axpy(classes, factor, row + count, other + count);
            other[a] = 0;
            double left = kernel->sum(i, other) + kernel->sum(classes, other + count);
            for (size_t b = 0; b < stride && left > 0 && left < small; b++)
                other[b] /= left;
        }
    }
    for (size_t a = 0; a < count; a++) { /* those before it are known by now */
        memcpy(f + a * classes, p + a * stride + count, classes * sizeof *f);
        for (size_t b = 0; b < a; b++)
            kernel->axpy(classes, p[a * stride + b], f + b * classes, f + a * classes);
    }
}
