/*
 * Many atoms at once: d_ij = b_ii + b_jj − 2 b_ij, a stripe of rows at a time. B = T diag(weight) Tᵀ, or X M Xᵀ where
 * there are far more atoms than features. X is centred, as T is, so that less cancels.
 */
#include "pairs/combine.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

#include "linalg/kernels.h"
#include "pairs/between.h"
#include "pairs/differences.h"
#include "pairs/listed.h"

enum { FEW_SAMPLES = 32, FEW_ATOMS = 4, STRIPE = 64, LONG_STRIPE = 512 };

/* What the stripes of samples share. */
typedef struct product {
    const gersh__pairs *pairs;
    size_t m;
    const double *s, *t;    /* m × n, B = Sᵀ T */
    const double *diagonal; /* b_ii */
    const double *base;
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
                p->s + from, (int)n, p->t, (int)n, 0.0, b, (int)n);
    for (size_t i = from; i < to; i++) {
        double *row = p->d + p->pairs->row[i], own = p->diagonal[i];
        const double *entry = b + (i - from) * n, *base = p->base + p->pairs->row[i];
        for (size_t j = 0; j < i; j++) {
            double distance = own + p->diagonal[j] - 2 * entry[j];
            row[j] = base[j] + (distance > 0 ? distance : 0);
        }
    }
}

static void combine(const gersh__pairs *pairs, size_t m, const double *s, const double *t,
                    const double *base, double *d)
{
    product p = {pairs, m, s, t, pairs->diagonal, base, d};
    if (pairs->between)
        gersh__between_combine(pairs, m, s, t, pairs->diagonal, base, d);
    else
        gersh__pool_run(pairs->pool, (pairs->n + STRIPE - 1) / STRIPE, stripe, &p);
}

int gersh__pairs_many_atoms(const gersh__pairs *pairs, size_t m)
{
    return pairs->x != NULL && pairs->first == NULL && !pairs->differences && pairs->n > FEW_SAMPLES &&
           m > 2 * pairs->k;
}

/* X M and b_ii, for some of the samples. */
typedef struct images {
    const gersh__pairs *pairs;
    size_t m;
    const gersh_atom *atom;
    const double *t, *weight, *mean;
    double *image, *x; /* k × n: X M, and X less its means */
} images;

static void image_stripe(void *context, size_t part, int worker)
{
    const images *p = context;
    const gersh__kernels *kernels = gersh__kernels_here();
    size_t n = p->pairs->n, from = part * LONG_STRIPE, rest = n - from;
    size_t count = rest < LONG_STRIPE ? rest : LONG_STRIPE;
    double *diagonal = p->pairs->diagonal + from;
    (void)worker;
    for (size_t f = 0; f < p->pairs->k; f++) {
        memset(p->image + f * n + from, 0, count * sizeof *p->image);
        for (size_t i = f * n + from; i < f * n + from + count; i++)
            p->x[i] = p->pairs->x[i] - p->mean[f];
    }
    memset(diagonal, 0, count * sizeof *diagonal);
    for (size_t a = 0; a < p->m; a++) {
        gersh_atom z = p->atom[a];
        const double *t = p->t + a * n + from;
        if (p->weight[a] == 0)
            continue;
        kernels->axpy(count, p->weight[a] * z.a, t, p->image + z.i * n + from);
        if (z.i != z.j)
            kernels->axpy(count, p->weight[a] * z.b, t, p->image + z.j * n + from);
        kernels->square_add(count, p->weight[a], 0.0, t, diagonal);
    }
}

void gersh__pairs_metric(const gersh__pairs *pairs, size_t m, const gersh_atom *atom, const double *t,
                         const double *weight, double *scratch, const double *base, double *d)
{
    size_t n = pairs->n, k = pairs->k;
    double *x = scratch + k * n, *mean = x + k * n;
    for (size_t f = 0; f < k; f++)
        mean[f] = gersh__kernels_here()->sum(n, pairs->x + f * n) / (double)n;
    gersh__pool_run(m * n > GERSH__MUCH_WORK ? pairs->pool : NULL, (n + LONG_STRIPE - 1) / LONG_STRIPE,
                    image_stripe, &(images){pairs, m, atom, t, weight, mean, scratch, x});
    combine(pairs, k, scratch, x, base, d);
}

static void copy_part(void *context, size_t part, int worker)
{
    const product *p = context;
    size_t begin = gersh__pairs_begin(p->pairs, part), end = gersh__pairs_begin(p->pairs, part + 1);
    (void)worker;
    memcpy(p->d + begin, p->base + begin, (end - begin) * sizeof *p->d);
}

/* d_p += Σ_a weight_a (t_ia − t_ja)², atom by atom. */
static void add_atoms(const gersh__pairs *pairs, size_t m, const double *t, const double *weight,
                      double *scratch, double *d)
{
    if (pairs->first != NULL && m > FEW_ATOMS) {
        gersh__listed_turn(pairs, m, t, weight, scratch);
        gersh__listed_combine(pairs, m, scratch, d);
        return;
    }
    if (pairs->differences) {
        gersh__differences_combine(pairs, m, t, weight, d);
        return;
    }
    for (size_t a = 0; a < m; a++)
        if (weight[a] != 0)
            gersh__pairs_add(pairs, weight[a], t + a * pairs->n, d);
}

void gersh__pairs_combine(const gersh__pairs *pairs, size_t m, const double *t, const double *weight,
                          double *scratch, const double *base, double *d)
{
    size_t n = pairs->n;
    if (pairs->first != NULL || pairs->differences || n <= FEW_SAMPLES || m <= FEW_ATOMS) {
        if (base != d)
            gersh__pairs_run(pairs, copy_part, &(product){.pairs = pairs, .base = base, .d = d});
        add_atoms(pairs, m, t, weight, scratch, d);
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
    combine(pairs, m, scratch, scratch, base, d);
}

void gersh__pairs_scores(const gersh__pairs *pairs, const double *g, size_t m, const double *t,
                         double *scratch, double *score)
{
    size_t n = pairs->n;
    if (pairs->differences) {
        gersh__differences_scores(pairs, g, m, t, score);
        return;
    }
    if (gersh__listed_many(pairs)) {
        gersh__listed_turn(pairs, m, t, NULL, scratch);
        gersh__listed_scores(pairs, g, m, scratch, scratch + m * n, score);
        return;
    }
    gersh__pairs_laplacian(pairs, g, m, t, scratch);
    for (size_t a = 0; a < m; a++)
        score[a] = gersh__kernels_here()->dot(n, t + a * n, scratch + a * n);
}
