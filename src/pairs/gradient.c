/* G = Xᵀ L(g) X; see gradient.h. */
#include "pairs/gradient.h"

#include <cblas.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/policy.h"
#include "linalg/kernels.h"
#include "pairs/storage.h"

enum { NO_ROW = -1 };

/* Numbers from here to its inverse have squares, and so have all that are not lost in the rounding of these. */
#define SAFE 1e-100

struct gersh__gradient {
    const gersh__pairs *pairs;
    const double *g;  /* of the last update */
    double unit;      /* of all below; 1 where the diagonal is there and has squares */
    double *y;        /* k × n: L(g) x_f; NULL: not kept */
    double *diagonal; /* G_ff, */
    int has_diagonal; /* all of it, */
    char *known;      /* or those that are marked here */
    double *bound;    /* Σ_p |g_p| Δ_pf², filled by gersh__gradient_bounds */
    size_t row;       /* feature whose L(g) x_f is in row_y */
    double *row_y;    /* n */
    double *column;   /* n, scratch */
    size_t block;     /* features whose x and y are held at a time */
    double *block_x, *block_y;
    size_t *list; /* of features, block of them */
    double *size; /* |g|, for the bounds */
};

/* Room for columns of X and Y, a block at a time, unless it is there. */
static int reserve_block(gersh__gradient *gradient)
{
    size_t k = gradient->pairs->k, n = gradient->pairs->n,
           block = GERSH__GRADIENT_NUMBERS / n < 1 ? 1 : GERSH__GRADIENT_NUMBERS / n;
    block = block > GERSH__GRADIENT_FEATURES ? GERSH__GRADIENT_FEATURES : block;
    gradient->block = block > k ? k : block;
    if (gradient->block_x == NULL)
        gradient->block_x = gersh__alloc(gradient->block, n * sizeof(double));
    if (gradient->block_y == NULL)
        gradient->block_y = gersh__alloc(gradient->block, n * sizeof(double));
    if (gradient->list == NULL)
        gradient->list = gersh__alloc(gradient->block, sizeof *gradient->list);
    return gradient->block_x && gradient->block_y && gradient->list;
}

gersh_status gersh__gradient_new(gersh__gradient **out, const gersh__pairs *pairs, int keep)
{
    size_t k = pairs->k, n = pairs->n;
    int kept = pairs->samples->values != NULL && (keep || k <= GERSH__KEPT_FEATURES);
    *out = NULL;
    gersh__gradient *gradient = gersh__alloc(1, sizeof *gradient);
    if (gradient == NULL)
        return GERSH_ERROR_MEMORY;
    gradient->pairs = pairs;
    gradient->row = (size_t)NO_ROW;
    gradient->diagonal = gersh__alloc(k, sizeof(double));
    gradient->known = gersh__alloc(k, 1);
    gradient->bound = gersh__alloc(k, sizeof(double));
    gradient->row_y = gersh__alloc(n, sizeof(double));
    gradient->column = gersh__alloc(n, sizeof(double));
    gradient->y = kept ? gersh__alloc(k, n * sizeof(double)) : NULL;
    int room = kept ? gradient->y != NULL : reserve_block(gradient);
    if (!room || !gradient->diagonal || !gradient->known || !gradient->bound || !gradient->row_y ||
        !gradient->column) {
        gersh__gradient_free(gradient);
        return GERSH_ERROR_MEMORY;
    }
    *out = gradient;
    return GERSH_OK;
}

void gersh__gradient_free(gersh__gradient *gradient)
{
    if (gradient == NULL)
        return;
    gersh__free(gradient->y);
    gersh__free(gradient->diagonal);
    gersh__free(gradient->known);
    gersh__free(gradient->bound);
    gersh__free(gradient->row_y);
    gersh__free(gradient->column);
    gersh__free(gradient->block_x);
    gersh__free(gradient->block_y);
    gersh__free(gradient->list);
    gersh__free(gradient->size);
    gersh__free(gradient);
}

static double largest_size(size_t count, const double *x)
{
    double most = 0;
    for (size_t i = 0; i < count; i++)
        most = fabs(x[i]) > most ? fabs(x[i]) : most;
    return most;
}

/* To units of gradient->unit; exact but for what is too small for double as it is. */
static void change_unit(const gersh__gradient *gradient, size_t count, double *y)
{
    double factor = 1 / gradient->unit;
    for (size_t e = 0; factor != 1 && e < count; e++)
        y[e] *= factor;
}

/* The power of two below the largest |g|. */
static void choose_unit(gersh__gradient *gradient)
{
    double most = largest_size(gradient->pairs->count, gradient->g);
    int exponent;
    if (!(most > 0 && isfinite(most)))
        return;
    frexp(most, &exponent);
    gradient->unit = ldexp(1, exponent > DBL_MIN_EXP ? exponent - 1 : DBL_MIN_EXP - 1);
}

/* Columns of X and of L(weight) X for `count` listed features. */
static void multiply(const gersh__gradient *gradient, const double *weight, const size_t *feature,
                     size_t count, double *x, double *y)
{
    const gersh__pairs *pairs = gradient->pairs;
    for (size_t c = 0; c < count; c++) {
        const double *column = gersh__pairs_column(pairs, feature[c], x + c * pairs->n);
        if (column != x + c * pairs->n)
            memcpy(x + c * pairs->n, column, pairs->n * sizeof *x);
    }
    gersh__pairs_adjoint(pairs, weight, count, x, y);
    change_unit(gradient, count * pairs->n, y);
}

/* form_f = x_fᵀ L(weight) x_f of each feature, a block at a time. */
static void forms(gersh__gradient *gradient, const double *weight, double *form)
{
    size_t n = gradient->pairs->n, k = gradient->pairs->k;
    for (size_t from = 0; from < k; from += gradient->block) {
        size_t count = k - from < gradient->block ? k - from : gradient->block;
        for (size_t c = 0; c < count; c++)
            gradient->list[c] = from + c;
        multiply(gradient, weight, gradient->list, count, gradient->block_x, gradient->block_y);
        for (size_t c = 0; c < count; c++)
            form[from + c] =
                gersh__kernels_here()->dot(n, gradient->block_x + c * n, gradient->block_y + c * n);
    }
}

/* L(g) x_i. */
static const double *row_of(gersh__gradient *gradient, size_t i)
{
    const gersh__pairs *pairs = gradient->pairs;
    if (gradient->y != NULL)
        return gradient->y + i * pairs->n;
    if (gradient->row != i) {
        const double *x = gersh__pairs_column(pairs, i, gradient->column);
        gersh__pairs_adjoint(pairs, gradient->g, 1, x, gradient->row_y);
        change_unit(gradient, pairs->n, gradient->row_y);
        gradient->row = i;
    }
    return gradient->row_y;
}

static void diagonal_entry(void *context, size_t f, int worker)
{
    gersh__gradient *gradient = context;
    (void)worker;
    gradient->diagonal[f] = gersh__pairs_column_dot(gradient->pairs, f, row_of(gradient, f));
}

static void fill_diagonal(gersh__gradient *gradient)
{
    const gersh__pairs *pairs = gradient->pairs;
    gersh__pool_run(gersh__pool_for(pairs->pool, (double)(pairs->k * pairs->n)), pairs->k, diagonal_entry,
                    gradient);
    gradient->has_diagonal = 1;
}

void gersh__gradient_update(gersh__gradient *gradient, const double *g)
{
    const gersh__pairs *pairs = gradient->pairs;
    gradient->g = g;
    gradient->unit = 1;
    gradient->row = (size_t)NO_ROW;
    gradient->has_diagonal = 0;
    if (gradient->y == NULL) {
        memset(gradient->known, 0, pairs->k);
        choose_unit(gradient);
        return;
    }
    gersh__pairs_adjoint(pairs, g, pairs->k, pairs->samples->values, gradient->y);
    fill_diagonal(gradient);
    double most = largest_size(pairs->k, gradient->diagonal);
    if (most > SAFE && most < 1 / SAFE)
        return;
    choose_unit(gradient);
    change_unit(gradient, pairs->k * pairs->n, gradient->y);
    fill_diagonal(gradient);
}

int gersh__gradient_kept(const gersh__gradient *gradient)
{
    return gradient->y != NULL;
}

double gersh__gradient_unit(const gersh__gradient *gradient)
{
    return gradient->unit;
}

const double *gersh__gradient_diagonal(gersh__gradient *gradient)
{
    if (!gradient->has_diagonal)
        forms(gradient, gradient->g, gradient->diagonal);
    gradient->has_diagonal = 1;
    return gradient->diagonal;
}

double gersh__gradient_scaled_entry(gersh__gradient *gradient, size_t i, size_t j)
{
    if (i == j && (gradient->has_diagonal || gradient->known[i]))
        return gradient->diagonal[i];
    return gersh__pairs_column_dot(gradient->pairs, j, row_of(gradient, i));
}

double gersh__gradient_entry(gersh__gradient *gradient, size_t i, size_t j)
{
    return gradient->unit * gersh__gradient_scaled_entry(gradient, i, j);
}

void gersh__gradient_columns(gersh__gradient *gradient, const size_t *feature, size_t count, double *x,
                             double *y, double *diagonal)
{
    size_t n = gradient->pairs->n;
    multiply(gradient, gradient->g, feature, count, x, y);
    for (size_t c = 0; diagonal != NULL && c < count; c++) {
        diagonal[c] = gersh__kernels_here()->dot(n, x + c * n, y + c * n);
        gradient->diagonal[feature[c]] = diagonal[c];
        gradient->known[feature[c]] = 1;
    }
}

int gersh__gradient_factors(const gersh__gradient *gradient, const double **x, const double **y)
{
    *x = gradient->pairs->samples->values;
    *y = gradient->y;
    return gradient->y != NULL;
}

/* Atoms and where the value of each goes. */
typedef struct form_task {
    gersh__gradient *gradient;
    const gersh_atom *atom;
    double *value;
} form_task;

static void form_atom(void *context, size_t a, int worker)
{
    const form_task *task = context;
    gersh__gradient *gradient = task->gradient;
    gersh_atom z = task->atom[a];
    double edge = z.i == z.j ? 0
                             : z.b * z.b * gradient->diagonal[z.j] +
                                   2 * z.a * z.b * gersh__gradient_scaled_entry(gradient, z.i, z.j);
    (void)worker;
    task->value[a] = gradient->unit * (z.a * z.a * gradient->diagonal[z.i] + edge);
}

void gersh__gradient_forms(gersh__gradient *gradient, size_t count, const gersh_atom *atom, double *value)
{
    const gersh__pairs *pairs = gradient->pairs;
    gersh__pool *pool =
        gradient->y != NULL ? gersh__pool_for(pairs->pool, (double)(count * pairs->n)) : NULL;
    gersh__gradient_diagonal(gradient);
    gersh__pool_run(pool, count, form_atom, &(form_task){gradient, atom, value});
}

void gersh__gradient_block(const gersh__gradient *gradient, size_t from, size_t columns, double *out)
{
    int k = (int)gradient->pairs->k, n = (int)gradient->pairs->n;
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, k, (int)columns, n, gradient->unit,
                gradient->pairs->samples->values, n, gradient->y + from * gradient->pairs->n, n, 0.0, out,
                k);
}

void gersh__gradient_matrix(const gersh__gradient *gradient, int upper, double unit, const double *x,
                            double *out)
{
    int k = (int)gradient->pairs->k, n = (int)gradient->pairs->n;
    cblas_dsyr2k(CblasRowMajor, upper ? CblasUpper : CblasLower, CblasNoTrans, k, n,
                 0.5 * gradient->unit / unit, x != NULL ? x : gradient->pairs->samples->values, n,
                 gradient->y, n, 0, out, k);
}

/* G v = (Xᵀ(Y v) + Yᵀ(X v))/2, as rounding makes XᵀY not quite symmetric. */
void gersh__gradient_apply(gersh__gradient *gradient, size_t columns, const double *v, double *out)
{
    const gersh__pairs *pairs = gradient->pairs;
    const double *x = pairs->samples->values, *y = gradient->y;
    double *middle = gradient->column;
    int k = (int)pairs->k, n = (int)pairs->n;
    for (size_t c = 0; c < columns; c++, v += k, out += k) {
        cblas_dgemv(CblasRowMajor, CblasTrans, k, n, 0.5, y, n, v, 1, 0, middle, 1);
        cblas_dgemv(CblasRowMajor, CblasNoTrans, k, n, 1, x, n, middle, 1, 0, out, 1);
        cblas_dgemv(CblasRowMajor, CblasTrans, k, n, 0.5, x, n, v, 1, 0, middle, 1);
        cblas_dgemv(CblasRowMajor, CblasNoTrans, k, n, 1, y, n, middle, 1, 1, out, 1);
    }
}

gersh_status gersh__gradient_bounds(gersh__gradient *gradient, const double **bound)
{
    const gersh__pairs *pairs = gradient->pairs;
    const double *diagonal = gersh__gradient_diagonal(gradient);
    int negative = 1, positive = 1;
    *bound = gradient->bound;
    for (size_t p = 0; p < pairs->count && (negative || positive); p++) {
        negative = negative && gradient->g[p] <= 0;
        positive = positive && gradient->g[p] >= 0;
    }
    if (negative || positive) { /* one sign: the diagonal says it all */
        for (size_t f = 0; f < pairs->k; f++)
            gradient->bound[f] = fabs(diagonal[f]);
        return GERSH_OK;
    }
    if (gradient->size == NULL)
        gradient->size = gersh__alloc(pairs->count, sizeof(double));
    if (gradient->size == NULL || !reserve_block(gradient))
        return GERSH_ERROR_MEMORY;
    for (size_t p = 0; p < pairs->count; p++)
        gradient->size[p] = fabs(gradient->g[p]);
    forms(gradient, gradient->size, gradient->bound);
    return GERSH_OK;
}

void gersh__gradient_sizes(gersh__gradient *gradient, const double *r, double *largest, double *sum)
{
    const gersh__pairs *pairs = gradient->pairs;
    const gersh__kernels *kernels = gersh__kernels_here();
    size_t n = pairs->n;
    double all = kernels->sum(n, r);
    *largest = *sum = 0;
    for (size_t f = 0; f < pairs->k; f++) {
        const double *x = gersh__pairs_column(pairs, f, gradient->column);
        double root = sqrt(kernels->square_dot(n, r, x)) + fabs(kernels->sum(n, x) / (double)n) * sqrt(all);
        *largest = fmax(*largest, root * root);
        *sum += root * root;
    }
}
