/*
 * All pairs of many features, in single precision, with those looked at in double that may matter.
 *
 * With a level τ below every G_ii, a pair's value λ_min [a, b; b, c] is below τ exactly where
 * b² > (a − τ)(c − τ). So with s_f = 1/√(G_ff − τ) only pairs with |s_i s_j x_iᵀy_j| > 1 can be; where the
 * region fixes the sign of an edge, the sign of the product must be the same (σ_iσ_j goes into the columns).
 * An edge of gdpa has no value below that of the best edge of its sign. The products come from BLAS in
 * single precision, tile by tile. With p and r the two scaled columns, rounded to single precision, the
 * computed product is wrong by at most (n + 4) u |p| |r| (u = 2⁻²⁴: n for the sum, in any order, the rest
 * for rounding both columns), which is taken off the limit. What is beyond the limit is computed in double.
 * The limit is lower than it must be (GERSH__NEAR_PRODUCT), so that pairs that are nearly as good are found too, unless these are
 * many.
 *
 * Features are taken by decreasing bound q_f = Σ_p |g_p| Δ_pf²: no pair has a value below −(q_i + q_j), so
 * that row i ends where that can no longer come near τ.
 */
#include <cblas.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/policy.h"
#include "linalg/kernels.h"
#include "region/pairwise.h"

enum { SCREENED_ROWS = 256, SCREENED_COLUMNS = 256, GROUP_DOUBLES = 1 << 22, MOST_ROWS_IN_GROUP = 4096 };

#define UNIT 6.1e-8 /* 2⁻²⁴, and a little for what is of its second order */

typedef struct screen {
    const gersh__region *region;
    const gersh__pairs *pairs;
    gersh__pairwise *pairwise;
    const double *color; /* where the region fixes the signs of edges by colours; else NULL */
    const double *diagonal, *all_bounds;
    double level;
    size_t *order;     /* features by decreasing bound, but for those without partners */
    size_t count;      /* of them */
    double *bound;     /* in that order */
    double *scale;     /* σ_f s_f, in that order */
    double *length;    /* |p| = |x_f| s_f / balance, in that order */
    double balance;    /* rows are multiplied by it and columns divided, so that both are of one size */
    size_t first, end; /* rows of the group: places first..end−1 */
    double *x, *y;     /* their columns of X and Y */
    float *tiles;      /* of each thread */
    size_t tile_size;
} screen;

/* Partners of the row at `place` are at places before the one returned. */
static size_t row_end(const screen *s, size_t place)
{
    size_t low = place + 1, high = s->count;
    double need = -GERSH__WORTHY_BOUND * s->level - s->bound[place];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->bound[middle] >= need)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* A pair whose product is beyond the limit. */
static void look_at(const screen *s, size_t row, size_t column, double product)
{
    gersh__pairwise *w = s->pairwise;
    size_t i = s->order[row], j = s->order[column], n = gersh__pairs_samples(s->pairs);
    double a = s->diagonal[i], c = s->diagonal[j], half = 0.5 * (a - c);
    double most = product / (s->scale[row] * s->scale[column]);
    if (0.5 * (a + c) - sqrt(half * half + most * most) >= w->row_value[i])
        return;
    double b = gersh__pairs_column_dot(s->pairs, j, s->y + (row - s->first) * n);
    double value = gersh__region_score(s->region, i, j, a, b, c, NULL);
    if (value < w->row_value[i]) {
        w->row_value[i] = value;
        w->row_partner[i] = j;
    }
}

/*
 * The rows of a tile: y_i s_i · balance, one behind the other, or for sparse columns entry by entry. Returns the
 * length of the longest. fixed_i: what a column with the shift 1 gets from its shift.
 */
static double fill_rows(const screen *s, size_t from, size_t count, float *rows, float *fixed)
{
    const gersh__sparse *sparse = gersh__pairs_lists(s->pairs);
    size_t n = gersh__pairs_samples(s->pairs), row_step = sparse != NULL ? 1 : n,
           step = sparse != NULL ? count : 1;
    double longest = 0;
    for (size_t i = 0; i < count; i++) {
        const double *y = s->y + (from + i - s->first) * n;
        double factor = s->scale[from + i] * s->balance, square = 0, along = 0;
        for (size_t p = 0; p < n; p++) {
            double value = factor * y[p];
            square += value * value;
            rows[i * row_step + p * step] = (float)value;
        }
        if (sparse != NULL && sparse->factor != NULL)
            along = -factor * gersh__kernels_here()->dot(n, sparse->factor, y);
        fixed[i] = (float)along;
        longest = fmax(longest, sqrt(square + along * along));
    }
    return longest;
}

/* products (width × height) = columns x_j s_j / balance from place `column` on, times the rows. */
static void multiply(const screen *s, size_t column, size_t width, size_t height, const float *rows,
                     const float *fixed, float *columns, float *products)
{
    const gersh__kernels *kernels = gersh__kernels_here();
    const gersh__pairs *pairs = s->pairs;
    const gersh__sparse *sparse = gersh__pairs_lists(pairs);
    size_t n = gersh__pairs_samples(pairs);
    for (size_t j = 0; j < width; j++) {
        size_t f = s->order[column + j];
        double factor = s->scale[column + j] / s->balance;
        if (sparse == NULL) {
            kernels->to_single(n, factor, s->pairwise->mean[f], gersh__pairs_columns(pairs) + f * n,
                               columns + j * n);
            continue;
        }
        float *product = products + j * height;
        memset(product, 0, height * sizeof *product);
        if (sparse->shift != NULL)
            kernels->single_axpy(height, (float)(factor * sparse->shift[f]), fixed, product);
        for (size_t e = sparse->start[f]; e < sparse->start[f + 1]; e++)
            kernels->single_axpy(height, (float)(factor * sparse->value[e]),
                                 rows + sparse->index[e] * height, product);
    }
    if (sparse == NULL)
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)width, (int)height, (int)n, 1.0f, columns,
                    (int)n, rows, (int)n, 0.0f, products, (int)height);
}

static void screen_rows(void *context, size_t part, int worker)
{
    const screen *s = context;
    const gersh__kernels *kernels = gersh__kernels_here();
    size_t n = gersh__pairs_samples(s->pairs), from = s->first + part * SCREENED_ROWS,
           to = from + SCREENED_ROWS < s->end ? from + SCREENED_ROWS : s->end;
    size_t end = row_end(s, from), height = to - from; /* bounds fall: no row ends later */
    float *rows = s->tiles + (size_t)worker * s->tile_size, *columns = rows + SCREENED_ROWS * n,
          *products = columns + SCREENED_COLUMNS * n, *fixed = products + SCREENED_ROWS * SCREENED_COLUMNS;
    size_t beyond = 0; /* products beyond the limit */
    double longest_row = fill_rows(s, from, height, rows, fixed);
    for (size_t column = from; column < end; column += SCREENED_COLUMNS) {
        size_t width = end - column < SCREENED_COLUMNS ? end - column : SCREENED_COLUMNS;
        double longest = 0;
        for (size_t j = 0; j < width; j++)
            longest = fmax(longest, s->length[column + j]);
        double error = (double)(n + 4) * UNIT * longest_row * longest / s->balance;
        float limit =
            (float)(beyond < GERSH__MOST_NEAR ? fmin(GERSH__NEAR_PRODUCT, 1 - error) : 1 - error - 1e-6);
        float low = s->color == NULL ? -limit : -INFINITY;
        multiply(s, column, width, height, rows, fixed, columns, products);
        for (size_t j = 0; j < width; j++) {
            const float *row = products + j * height;
            for (size_t i = kernels->outside(height, row, low, limit); i < height;
                 i += 1 + kernels->outside(height - i - 1, row + i + 1, low, limit), beyond++)
                if (column + j > from + i)
                    look_at(s, from + i, column + j, fabs((double)row[i]) + error);
        }
    }
}

/* Features by decreasing bound, and their scales and lengths. */
static void arrange(screen *s)
{
    gersh__pairwise *w = s->pairwise;
    size_t k = gersh__pairs_features(s->pairs);
    double largest = 0;
    for (size_t f = 0; f < k; f++)
        largest = fmax(largest, s->all_bounds[f]);
    s->count = 0;
    for (size_t f = 0; f < k; f++)
        if (s->all_bounds[f] + largest >= -GERSH__WORTHY_BOUND * s->level)
            w->ranked[s->count++] = (gersh__ranked){-s->all_bounds[f], f};
    gersh__ranked_sort(w->ranked, s->count);
    for (size_t p = 0; p < s->count; p++) {
        size_t f = s->order[p] = w->ranked[p].place;
        s->bound[p] = s->all_bounds[f];
        s->scale[p] = 1 / sqrt(s->diagonal[f] - s->level);
        s->length[p] = w->length[f] * s->scale[p];
        if (s->color != NULL)
            s->scale[p] *= s->color[f];
    }
}

/*
 * Means of the columns and their lengths, in the first screening. As Y has means of 0, means of X do not matter; but
 * for sparse columns, which would lose their zeros, they are taken off.
 */
static gersh_status measure(gersh__pairwise *w, const gersh__pairs *pairs)
{
    const gersh__sparse *sparse = gersh__pairs_lists(pairs);
    size_t k = gersh__pairs_features(pairs), n = gersh__pairs_samples(pairs);
    if (w->length != NULL)
        return GERSH_OK;
    w->length = gersh__alloc(k, sizeof *w->length);
    w->mean = gersh__alloc(k, sizeof *w->mean);
    if (w->length == NULL || w->mean == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t f = 0; f < k; f++) {
        double square = sparse != NULL && sparse->shift != NULL ? sparse->shift[f] * sparse->shift[f] : 0;
        if (sparse != NULL) {
            for (size_t e = sparse->start[f]; e < sparse->start[f + 1]; e++)
                square += sparse->value[e] * sparse->value[e];
        } else {
            const double *x = gersh__pairs_columns(pairs) + f * n;
            w->mean[f] = gersh__kernels_here()->sum(n, x) / (double)n;
            for (size_t p = 0; p < n; p++)
                square += (x[p] - w->mean[f]) * (x[p] - w->mean[f]);
        }
        w->length[f] = sqrt(square);
    }
    return GERSH_OK;
}

/* Rows and columns are to be of one size, so that neither leaves the range of single precision. */
static double find_balance(const screen *s)
{
    size_t n = gersh__pairs_samples(s->pairs);
    double rows = 0, columns = 0;
    for (size_t i = s->first; i < s->end; i++) {
        const double *y = s->y + (i - s->first) * n;
        rows = fmax(rows, fabs(s->scale[i]) * sqrt(gersh__kernels_here()->dot(n, y, y)));
    }
    for (size_t j = s->first; j < s->count; j++)
        columns = fmax(columns, s->length[j]);
    double balance = sqrt(columns / rows);
    return isfinite(balance) && balance > 0 ? balance : 1;
}

gersh_status gersh__pairwise_screen(gersh__region *region, gersh__gradient *gradient, const double *bound,
                                    double level)
{
    const gersh__pairs *pairs = region->pairs;
    gersh__pairwise *w = region->pairwise;
    size_t k = gersh__pairs_features(pairs), n = gersh__pairs_samples(pairs),
           group = GROUP_DOUBLES / n / SCREENED_ROWS * SCREENED_ROWS;
    group = group < SCREENED_ROWS ? SCREENED_ROWS : group > MOST_ROWS_IN_GROUP ? MOST_ROWS_IN_GROUP : group;
    size_t floats =
        (SCREENED_ROWS + SCREENED_COLUMNS) * n + SCREENED_ROWS * SCREENED_COLUMNS + SCREENED_ROWS;
    screen s = {.region = region,
                .pairs = pairs,
                .pairwise = w,
                .color = region->ops->free_signs ? NULL : region->params.color,
                .diagonal = gersh__gradient_diagonal(gradient),
                .all_bounds = bound,
                .level = level,
                .tile_size = floats + floats % 2};
    gersh_status status = measure(w, pairs);
    if (status == GERSH_OK)
        status = gersh__pairwise_reserve(w, 3 * k + 2 * group * n + (size_t)w->threads * s.tile_size / 2);
    s.order = status == GERSH_OK ? gersh__alloc(k, sizeof *s.order) : NULL;
    if (s.order == NULL)
        return GERSH_ERROR_MEMORY;
    s.bound = w->memory;
    s.scale = s.bound + k;
    s.length = s.scale + k;
    s.x = s.length + k;
    s.y = s.x + group * n;
    s.tiles = (float *)(void *)(s.y + group * n);
    arrange(&s);
    for (s.first = 0; s.first < s.count && row_end(&s, s.first) > s.first + 1; s.first += group) {
        s.end = s.first + group < s.count ? s.first + group : s.count;
        gersh__gradient_columns(gradient, s.order + s.first, s.end - s.first, s.x, s.y, NULL);
        s.balance = find_balance(&s);
        gersh__pool_run(gersh__pairs_pool(pairs), (s.end - s.first + SCREENED_ROWS - 1) / SCREENED_ROWS,
                        screen_rows, &s);
    }
    gersh__free(s.order);
    return GERSH_OK;
}
