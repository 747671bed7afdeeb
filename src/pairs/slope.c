/* G = Xᵀ L(g) X; see slope.h. */
#include "pairs/slope.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "linalg/kernels.h"
#include "pairs/storage.h"

enum { MOST_IN_BLOCK = 1024, BLOCK_DOUBLES = 1 << 22, NO_ROW = -1 };

/* Numbers from here to its inverse have squares, and so have all that are not lost in the rounding of these. */
#define SAFE 1e-100

gersh_status gersh__slope_new(gersh__slope **out, const gersh__pairs *pairs, int keep)
{
    size_t k = pairs->k, n = pairs->n;
    *out = NULL;
    gersh__slope *slope = gersh__alloc(1, sizeof *slope);
    if (slope == NULL)
        return GERSH_ERROR_MEMORY;
    slope->pairs = pairs;
    slope->row = (size_t)NO_ROW;
    slope->block = BLOCK_DOUBLES / n < 1 ? 1 : BLOCK_DOUBLES / n;
    slope->block = slope->block > MOST_IN_BLOCK ? MOST_IN_BLOCK : slope->block;
    slope->block = slope->block > k ? k : slope->block;
    slope->diagonal = gersh__alloc(k, sizeof(double));
    slope->reach = gersh__alloc(k, sizeof(double));
    slope->row_y = gersh__alloc(n, sizeof(double));
    slope->column = gersh__alloc(n, sizeof(double));
    int room;
    if (pairs->samples->values != NULL && (keep || k <= GERSH__FEW_FEATURES)) {
        slope->y = gersh__alloc(k, n * sizeof(double));
        room = slope->y != NULL;
    } else {
        slope->block_x = gersh__alloc(slope->block, n * sizeof(double));
        slope->block_y = gersh__alloc(slope->block, n * sizeof(double));
        slope->list = gersh__alloc(slope->block, sizeof *slope->list);
        room = slope->block_x && slope->block_y && slope->list;
    }
    if (!room || !slope->diagonal || !slope->reach || !slope->row_y || !slope->column) {
        gersh__slope_free(slope);
        return GERSH_ERROR_MEMORY;
    }
    *out = slope;
    return GERSH_OK;
}

void gersh__slope_free(gersh__slope *slope)
{
    if (slope == NULL)
        return;
    gersh__free(slope->y);
    gersh__free(slope->diagonal);
    gersh__free(slope->reach);
    gersh__free(slope->row_y);
    gersh__free(slope->column);
    gersh__free(slope->block_x);
    gersh__free(slope->block_y);
    gersh__free(slope->list);
    gersh__free(slope->size);
    gersh__free(slope);
}

static double largest_size(size_t count, const double *x)
{
    double most = 0;
    for (size_t i = 0; i < count; i++)
        most = fabs(x[i]) > most ? fabs(x[i]) : most;
    return most;
}

/* To units of slope->unit; exact but for what is too small for double as it is. */
static void change_unit(const gersh__slope *slope, size_t count, double *y)
{
    double factor = 1 / slope->unit;
    for (size_t e = 0; factor != 1 && e < count; e++)
        y[e] *= factor;
}

/* The power of two below the largest |g|. */
static void choose_unit(gersh__slope *slope)
{
    double most = largest_size(slope->pairs->count, slope->g);
    int exponent;
    if (!(most > 0 && isfinite(most)))
        return;
    frexp(most, &exponent);
    slope->unit = ldexp(1, exponent > DBL_MIN_EXP ? exponent - 1 : DBL_MIN_EXP - 1);
}

/* Columns of X and of L(weight) X for `count` listed features. */
static void multiply(const gersh__slope *slope, const double *weight, const size_t *feature, size_t count,
                     double *x, double *y)
{
    const gersh__pairs *pairs = slope->pairs;
    for (size_t c = 0; c < count; c++) {
        const double *column = gersh__pairs_column(pairs, feature[c], x + c * pairs->n);
        if (column != x + c * pairs->n)
            memcpy(x + c * pairs->n, column, pairs->n * sizeof *x);
    }
    gersh__pairs_adjoint(pairs, weight, count, x, y);
    change_unit(slope, count * pairs->n, y);
}

void gersh__slope_columns(const gersh__slope *slope, const size_t *feature, size_t count, double *x,
                          double *y)
{
    multiply(slope, slope->g, feature, count, x, y);
}

/* form_f = x_fᵀ L(weight) x_f of every feature, a block at a time. */
static void forms(gersh__slope *slope, const double *weight, double *form)
{
    size_t n = slope->pairs->n, k = slope->pairs->k;
    for (size_t from = 0; from < k; from += slope->block) {
        size_t count = k - from < slope->block ? k - from : slope->block;
        for (size_t c = 0; c < count; c++)
            slope->list[c] = from + c;
        multiply(slope, weight, slope->list, count, slope->block_x, slope->block_y);
        for (size_t c = 0; c < count; c++)
            form[from + c] = gersh__kernels_here()->dot(n, slope->block_x + c * n, slope->block_y + c * n);
    }
}

static void diagonal_entry(void *context, size_t f, int worker)
{
    gersh__slope *slope = context;
    (void)worker;
    slope->diagonal[f] = gersh__slope_entry(slope, f, f);
}

static void fill_diagonal(gersh__slope *slope)
{
    const gersh__pairs *pairs = slope->pairs;
    gersh__pool_run(pairs->k * pairs->n > GERSH__MUCH_WORK ? pairs->pool : NULL, pairs->k, diagonal_entry,
                    slope);
    slope->has_diagonal = 1;
}

void gersh__slope_update(gersh__slope *slope, const double *g)
{
    slope->g = g;
    slope->unit = 1;
    slope->row = (size_t)NO_ROW;
    slope->has_diagonal = 0;
    if (slope->y == NULL) {
        choose_unit(slope);
        return;
    }
    const gersh__pairs *pairs = slope->pairs;
    gersh__pairs_adjoint(pairs, g, pairs->k, pairs->samples->values, slope->y);
    fill_diagonal(slope);
    double most = largest_size(pairs->k, slope->diagonal);
    if (most > SAFE && most < 1 / SAFE)
        return;
    choose_unit(slope);
    change_unit(slope, pairs->k * pairs->n, slope->y);
    fill_diagonal(slope);
}

void gersh__slope_diagonal(gersh__slope *slope)
{
    if (!slope->has_diagonal)
        forms(slope, slope->g, slope->diagonal);
    slope->has_diagonal = 1;
}

double gersh__slope_entry(gersh__slope *slope, size_t i, size_t j)
{
    const gersh__pairs *pairs = slope->pairs;
    size_t n = pairs->n;
    const double *y = slope->y != NULL ? slope->y + i * n : slope->row_y;
    if (slope->y == NULL && slope->row != i) {
        const double *x = gersh__pairs_column(pairs, i, slope->column);
        gersh__pairs_adjoint(pairs, slope->g, 1, x, slope->row_y);
        change_unit(slope, n, slope->row_y);
        slope->row = i;
    }
    return gersh__pairs_column_dot(pairs, j, y);
}

gersh_status gersh__slope_reach(gersh__slope *slope)
{
    const gersh__pairs *pairs = slope->pairs;
    int negative = 1, positive = 1;
    for (size_t p = 0; p < pairs->count && (negative || positive); p++) {
        negative = negative && slope->g[p] <= 0;
        positive = positive && slope->g[p] >= 0;
    }
    gersh__slope_diagonal(slope);
    if (negative || positive) { /* one sign: the diagonal says it all */
        for (size_t f = 0; f < pairs->k; f++)
            slope->reach[f] = fabs(slope->diagonal[f]);
        return GERSH_OK;
    }
    if (slope->size == NULL)
        slope->size = gersh__alloc(pairs->count, sizeof(double));
    if (slope->size == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t p = 0; p < pairs->count; p++)
        slope->size[p] = fabs(slope->g[p]);
    forms(slope, slope->size, slope->reach);
    return GERSH_OK;
}

void gersh__slope_sizes(gersh__slope *slope, const double *r, double *largest, double *sum)
{
    const gersh__pairs *pairs = slope->pairs;
    const gersh__kernels *kernels = gersh__kernels_here();
    size_t n = pairs->n;
    double all = kernels->sum(n, r);
    *largest = *sum = 0;
    for (size_t f = 0; f < pairs->k; f++) {
        const double *x = gersh__pairs_column(pairs, f, slope->column);
        double root = sqrt(kernels->square_dot(n, r, x)) + fabs(kernels->sum(n, x) / (double)n) * sqrt(all);
        *largest = fmax(*largest, root * root);
        *sum += root * root;
    }
}
