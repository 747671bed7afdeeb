/* Many atoms at once: d_ij = b_ii + b_jj − 2 b_ij with B = T diag(weight) Tᵀ, a stripe of rows at a time. */
#include "pairs/combine.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

#include "linalg/kernels.h"
#include "pairs/between.h"
#include "pairs/listed.h"

enum { FEW_SAMPLES = 32, FEW_ATOMS = 4, STRIPE = 64 };

/* What the stripes of samples share. */
typedef struct product {
    const gersh__pairs *pairs;
    size_t m;
    const double *scaled;   /* m × n: √weight t */
    const double *diagonal; /* b_ii */
    double *d;
} product;

/* The rows of B of one stripe, up to the diagonal, and the distances from them. */
static void stripe(void *context, size_t part, int worker)
{
    const product *p = context;
    size_t n = p->pairs->n, from = part * STRIPE, to = from + STRIPE < n ? from + STRIPE : n;
    double *b = p->pairs->square + from * n;
    (void)worker;
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)(to - from), (int)to, (int)p->m, 1.0,
                p->scaled + from, (int)n, p->scaled, (int)n, 0.0, b, (int)n);
    for (size_t i = from; i < to; i++) {
        double *row = p->d + p->pairs->row[i], own = p->diagonal[i];
        const double *entry = b + (i - from) * n;
        for (size_t j = 0; j < i; j++) {
            double distance = own + p->diagonal[j] - 2 * entry[j];
            row[j] += distance > 0 ? distance : 0;
        }
    }
}

void gersh__pairs_combine(const gersh__pairs *pairs, size_t m, const double *t, const double *weight,
                          double *scratch, double *d)
{
    size_t n = pairs->n;
    if (pairs->first != NULL && m > FEW_ATOMS) {
        gersh__listed_turn(pairs, m, t, weight, scratch);
        gersh__listed_combine(pairs, m, scratch, d);
        return;
    }
    if (pairs->first != NULL || pairs->differences || n <= FEW_SAMPLES || m <= FEW_ATOMS) {
        for (size_t a = 0; a < m; a++)
            if (weight[a] != 0)
                gersh__pairs_add(pairs, weight[a], t + a * n, d);
        return;
    }
    double *diagonal = pairs->diagonal;
    memset(diagonal, 0, n * sizeof *diagonal);
    for (size_t a = 0; a < m; a++) {
        double root = sqrt(weight[a]);
        for (size_t i = 0; i < n; i++) {
            scratch[a * n + i] = root * t[a * n + i];
            diagonal[i] += scratch[a * n + i] * scratch[a * n + i];
        }
    }
    if (pairs->between) {
        gersh__between_combine(pairs, m, scratch, diagonal, d);
        return;
    }
    product p = {pairs, m, scratch, diagonal, d};
    gersh__pool_run(pairs->pool, (n + STRIPE - 1) / STRIPE, stripe, &p);
}

void gersh__pairs_scores(const gersh__pairs *pairs, const double *g, size_t m, const double *t,
                         double *scratch, double *score)
{
    size_t n = pairs->n;
    for (size_t a = 0; pairs->differences && a < m; a++)
        score[a] = gersh__kernels_here()->square_dot(n, g, t + a * n);
    if (pairs->differences)
        return;
    if (gersh__listed_many(pairs)) {
        gersh__listed_turn(pairs, m, t, NULL, scratch);
        gersh__listed_scores(pairs, g, m, scratch, scratch + m * n, score);
        return;
    }
    gersh__pairs_laplacian(pairs, g, m, t, scratch);
    for (size_t a = 0; a < m; a++)
        score[a] = gersh__kernels_here()->dot(n, t + a * n, scratch + a * n);
}
