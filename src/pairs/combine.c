/* Many atoms at once: d_ij = b_ii + b_jj − 2 b_ij with B = T diag(weight) Tᵀ, one symmetric product. */
#include "pairs/combine.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

enum { FEW_SAMPLES = 32, FEW_ATOMS = 4 };

void gersh__pairs_combine(const gersh__pairs *pairs, size_t m, const double *t, const double *weight,
                          double *scratch, double *d)
{
    size_t n = pairs->n;
    if (pairs->first != NULL || n <= FEW_SAMPLES || m <= FEW_ATOMS) {
        for (size_t a = 0; a < m; a++)
            if (weight[a] != 0)
                gersh__pairs_add(pairs, weight[a], t + a * n, d);
        return;
    }
    for (size_t a = 0; a < m; a++) {
        double root = sqrt(weight[a]);
        for (size_t i = 0; i < n; i++)
            scratch[a * n + i] = root * t[a * n + i];
    }
    double *b = pairs->square;
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, (int)n, (int)m, 1.0, scratch, (int)n, 0.0, b,
                (int)n);
    double *diagonal = scratch; /* its projections are in B now */
    for (size_t i = 0; i < n; i++)
        diagonal[i] = b[i * n + i];
    for (size_t i = 1; i < n; i++) {
        double *row = d + gersh__pair(i, 0);
        const double *from = b + i * n;
        double own = diagonal[i];
        for (size_t j = 0; j < i; j++) {
            double distance = own + diagonal[j] - 2 * from[j];
            row[j] += distance > 0 ? distance : 0;
        }
    }
}
