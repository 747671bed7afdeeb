/*
 * The linear minimisers of the regions whose atoms have one or two entries. G is made in blocks of rows,
 * G_block = X_block Yᵀ, scanned and forgotten.
 *
 * With many features most pairs need not be looked at. With q_i = Σ_p |g_p| Δ_pi² (the reach of i),
 * |G_ij| <= √(q_i q_j) and so no pair has a value below −(q_i + q_j). Features are taken by decreasing
 * reach; a first block of rows gives a value that is reached, and after that row i is scanned only as far
 * as −(q_i + q_j) can come near it.
 */
#include "region/region.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "linalg/kernels.h"
#include "region/psd.h"

enum { ROWS = 32, PRUNE_ABOVE = 384 };

/* A candidate as good as this share of the best may be proposed; what cannot be is not looked at. */
#define WORTH 0.25

void gersh__region_free(gersh__region *region)
{
    if (region == NULL)
        return;
    gersh__free(region->blocks);
    gersh__free(region->row_value);
    gersh__free(region->row_partner);
    gersh__free(region->ranked);
    gersh__free(region->order);
    gersh__free(region->sorted_x);
    gersh__free(region->sorted_y);
    gersh__free(region->sorted_diagonal);
    gersh__free(region->sorted_color);
    gersh_lobpcg_free(region->eigen);
    gersh__free(region->basis);
    gersh__free(region->image);
    gersh__free(region->ritz);
    gersh__free(region);
}

gersh_status gersh__region_new(gersh__region **out, gersh__region_kind kind, const gersh__pairs *pairs,
                               const gersh__rules *rules)
{
    size_t k = pairs->k, n = pairs->n;
    *out = NULL;
    gersh__region *region = gersh__alloc(1, sizeof *region);
    if (region == NULL)
        return GERSH_ERROR_MEMORY;
    region->kind = kind;
    region->rules = rules;
    region->row = GERSH__ALL_ROWS;
    region->k = k;
    region->n = n;
    region->threads = gersh__pool_threads(pairs->pool);
    region->row_value = gersh__alloc(k, sizeof(double));
    region->row_partner = gersh__alloc(k, sizeof(size_t));
    region->ranked = gersh__alloc(k, sizeof *region->ranked);
    gersh_status status =
        region->row_value && region->row_partner && region->ranked ? GERSH_OK : GERSH_ERROR_MEMORY;
    if (status == GERSH_OK && kind == GERSH__PSD) {
        status = gersh_lobpcg_new(&region->eigen, k);
        region->basis = gersh__alloc(1 + GERSH__MOST_CANDIDATES, k * sizeof(double));
        region->image = gersh__alloc(1 + GERSH__MOST_CANDIDATES, k * sizeof(double));
        region->ritz = gersh__alloc(1 + GERSH__MOST_CANDIDATES, k * sizeof(double));
        status = region->basis && region->image && region->ritz ? status : GERSH_ERROR_MEMORY;
    } else if (status == GERSH_OK && kind != GERSH__DIAGONAL) {
        region->blocks = gersh__alloc((size_t)region->threads * 2 * ROWS, k * sizeof(double));
        status = region->blocks ? GERSH_OK : GERSH_ERROR_MEMORY;
        if (status == GERSH_OK && k > PRUNE_ABOVE) {
            region->order = gersh__alloc(k, sizeof(size_t));
            region->sorted_x = gersh__alloc(k, n * sizeof(double));
            region->sorted_y = gersh__alloc(k, n * sizeof(double));
            region->sorted_diagonal = gersh__alloc(k, sizeof(double));
            region->sorted_color = gersh__alloc(k, sizeof(double));
            if (!region->order || !region->sorted_x || !region->sorted_y || !region->sorted_diagonal ||
                !region->sorted_color)
                status = GERSH_ERROR_MEMORY;
        }
    }
    if (status != GERSH_OK) {
        gersh__region_free(region);
        return status;
    }
    *out = region;
    return GERSH_OK;
}

/* One scan of G: the features in the order in which it goes through them. */
typedef struct scan {
    gersh__region *region;
    const double *x, *y, *diagonal, *color; /* in that order */
    const size_t *order;                    /* NULL: as they are */
    const double *reach;                    /* by feature; NULL: nothing is passed over */
    double threshold;                       /* pairs that cannot be below are passed over */
    size_t first_row;                       /* of part 0 */
} scan;

static size_t feature_at(const scan *s, size_t place)
{
    return s->order != NULL ? s->order[place] : place;
}

/* Partners of the row at `place`: places up to, not including, the one returned. */
static size_t scan_end(const scan *s, size_t place)
{
    size_t low = place + 1, high = s->region->k;
    if (s->reach == NULL)
        return high;
    double need = -s->threshold - s->reach[feature_at(s, place)];
    while (low < high) { /* reach falls along the order */
        size_t middle = low + (high - low) / 2;
        if (s->reach[feature_at(s, middle)] >= need)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Scans the row at `place` against places first..end−1, whose entries of G are in b. */
static void scan_row(const scan *s, size_t place, size_t first, size_t end, double *b, double *values)
{
    gersh__region *r = s->region;
    size_t count = end - first;
    if (r->rules != NULL) {
        for (size_t c = 0; c < count; c++) {
            size_t i = feature_at(s, place), j = feature_at(s, first + c);
            if (!gersh__rules_allow(r->rules, i, j, b[c] > 0 ? -1 : 1))
                b[c] = 0;
        }
    }
    double least;
    if (r->kind == GERSH__GDPA) /* in the features' own order */
        least = gersh__kernels_here()->disc_values(count, s->diagonal[place], b, s->diagonal + first,
                                                   r->u[place], r->u + first, r->color[place],
                                                   r->color + first, values);
    else
        least = gersh__kernels_here()->pair_values(count, s->diagonal[place], b, s->diagonal + first,
                                                   s->color != NULL ? s->color[place] : 1,
                                                   s->color != NULL ? s->color + first : NULL, values);
    if (least < r->row_value[place]) {
        size_t c = 0;
        while (values[c] != least)
            c++;
        r->row_value[place] = least;
        r->row_partner[place] = first + c;
    }
}

static void scan_block(void *context, size_t part, int worker)
{
    const scan *s = context;
    gersh__region *r = s->region;
    size_t k = r->k, n = r->n, from = s->first_row + part * ROWS, to = from + ROWS < k ? from + ROWS : k;
    size_t end = from + 1;
    for (size_t i = from; i < to; i++) {
        size_t own = scan_end(s, i);
        end = own > end ? own : end;
    }
    size_t width = end - from;
    double *block = r->blocks + (size_t)worker * 2 * ROWS * k, *values = block + ROWS * k;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)(to - from), (int)width, (int)n, 1.0,
                s->x + from * n, (int)n, s->y + from * n, (int)n, 0.0, block, (int)width);
    for (size_t i = from; i < to; i++) {
        r->row_value[i] = s->diagonal[i];
        r->row_partner[i] = i;
        size_t own = scan_end(s, i);
        if (own > i + 1)
            scan_row(s, i, i + 1, own, block + (i - from) * width + (i + 1 - from), values);
    }
}

static int by_value(const void *a, const void *b)
{
    const struct gersh__ranked *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

/* Features by decreasing reach, and x, y, the diagonal and the colours in that order. */
static gersh_status arrange(scan *s, gersh__slope *slope)
{
    gersh__region *r = s->region;
    size_t k = r->k, n = r->n;
    gersh_status status = gersh__slope_reach(slope);
    if (status != GERSH_OK)
        return status;
    for (size_t f = 0; f < k; f++)
        r->ranked[f] = (struct gersh__ranked){-slope->reach[f], f};
    qsort(r->ranked, k, sizeof *r->ranked, by_value);
    for (size_t p = 0; p < k; p++) {
        size_t f = r->order[p] = r->ranked[p].place;
        memcpy(r->sorted_x + p * n, slope->pairs->x + f * n, n * sizeof(double));
        memcpy(r->sorted_y + p * n, slope->y + f * n, n * sizeof(double));
        r->sorted_diagonal[p] = slope->diagonal[f];
        r->sorted_color[p] = r->color != NULL ? r->color[f] : 1;
    }
    s->x = r->sorted_x;
    s->y = r->sorted_y;
    s->diagonal = r->sorted_diagonal;
    s->color = r->color != NULL ? r->sorted_color : NULL;
    s->order = r->order;
    s->reach = slope->reach;
    return GERSH_OK;
}

static double smallest(const double *x, size_t count)
{
    double least = INFINITY;
    for (size_t i = 0; i < count; i++)
        least = fmin(least, x[i]);
    return least;
}

/* All rows: the best partner of each, in row_value and row_partner (by place). */
static gersh_status scan_all(scan *s, gersh__slope *slope)
{
    gersh__region *r = s->region;
    gersh__pool *pool = slope->pairs->pool;
    size_t parts = (r->k + ROWS - 1) / ROWS;
    if (r->k > PRUNE_ABOVE && r->kind != GERSH__GDPA) {
        gersh_status status = arrange(s, slope);
        if (status != GERSH_OK)
            return status;
        s->threshold = -INFINITY;
        s->reach = NULL; /* the first block sees every pair */
        scan_block(s, 0, 0);
        s->reach = slope->reach;
        s->threshold = WORTH * fmin(0, smallest(r->row_value, ROWS));
        s->first_row = ROWS;
        gersh__pool_run(pool, parts - 1, scan_block, s);
        return GERSH_OK;
    }
    /* Small problems are over before a thread has woken up. */
    gersh__pool_run(r->k * r->k * r->n > 2000000 ? pool : NULL, parts, scan_block, s);
    return GERSH_OK;
}

/* One row: every feature alone, and the edges at that row. */
static void scan_one(scan *s, gersh__slope *slope)
{
    gersh__region *r = s->region;
    size_t k = r->k, row = r->row;
    double *b = r->blocks, *values = b + k;
    for (size_t i = 0; i < k; i++) {
        r->row_value[i] = s->diagonal[i];
        r->row_partner[i] = i;
        b[i] = i != row ? gersh__slope_entry(slope, row, i) : 0;
    }
    if (row > 0)
        scan_row(s, row, 0, row, b, values);
    if (row + 1 < k)
        scan_row(s, row, row + 1, k, b + row + 1, values);
}

/* The unit eigenvector of [a, b; b, c] for its smallest eigenvalue. */
static void small_eigenvector(double a, double b, double c, double *z1, double *z2)
{
    double half = 0.5 * (a - c), root = hypot(half, b);
    /* (a − λ, b) and (b, c − λ) are orthogonal to it; the longer of them is the safer. */
    double top = root + half, bottom = root - half;
    double x = top >= bottom ? -b : bottom, y = top >= bottom ? top : -b;
    double length = hypot(x, y);
    *z1 = x / length;
    *z2 = y / length;
}

/* The atom on features i and j, and its value zᵀ G z. */
static gersh__candidate make_candidate(const gersh__region *r, const gersh__slope *slope, size_t i,
                                       size_t j)
{
    double a = slope->diagonal[i], c = slope->diagonal[j];
    gersh__candidate single = {{i, i, 1, 0}, NULL, a};
    if (i == j)
        return single;
    if (c < a)
        single = (gersh__candidate){{j, j, 1, 0}, NULL, c};
    double b = gersh__slope_entry(slope, i, j), z1, z2;
    int sign = b > 0 ? -1 : 1; /* of M_ij */
    if (b == 0 || !gersh__rules_allow(r->rules, i, j, sign) ||
        (r->color != NULL && r->kind != GERSH__GDPA && sign != (r->color[i] * r->color[j] > 0 ? -1 : 1)))
        return single;
    if (r->kind == GERSH__GDPA) {
        double ratio = sqrt(r->u[j] / r->u[i]), length = hypot(ratio, 1 / ratio);
        z1 = ratio / length;
        z2 = -r->color[i] * r->color[j] / ratio / length;
    } else {
        small_eigenvector(a, b, c, &z1, &z2);
    }
    gersh__candidate edge = {{i, j, z1, z2}, NULL, z1 * z1 * a + 2 * z1 * z2 * b + z2 * z2 * c};
    return edge.value < single.value ? edge : single;
}

/* The best rows; a single feature that several of them come down to is taken once. */
static void choose(const scan *s, const gersh__slope *slope, size_t want, gersh__candidate *out,
                   size_t *found)
{
    gersh__region *r = s->region;
    size_t rows = 0, count = 0;
    double best = smallest(r->row_value, r->k), limit = best < 0 ? WORTH * best : best;
    for (size_t p = 0; p < r->k; p++)
        if (r->row_value[p] <= limit)
            r->ranked[rows++] = (struct gersh__ranked){r->row_value[p], p};
    qsort(r->ranked, rows, sizeof *r->ranked, by_value);
    for (size_t c = 0; c < rows && count < want; c++) {
        size_t p = r->ranked[c].place;
        gersh__candidate next =
            make_candidate(r, slope, feature_at(s, p), feature_at(s, r->row_partner[p]));
        int taken = 0;
        for (size_t e = 0; e < count && !taken; e++) {
            gersh_atom a = out[e].atom, b = next.atom;
            taken = a.i == b.i && a.j == b.j;
        }
        if (!taken)
            out[count++] = next;
    }
    *found = count;
}

gersh_status gersh__region_minimize(gersh__region *r, gersh__slope *slope, size_t want,
                                    gersh__candidate *out, size_t *found, double *least)
{
    if (r->kind == GERSH__PSD)
        return gersh__psd_minimize(r, slope, want, out, found, least);
    scan s = {.region = r,
              .x = slope->pairs->x,
              .y = slope->y,
              .diagonal = slope->diagonal,
              .color = r->kind == GERSH__BALANCED ? r->color : NULL};
    gersh_status status = GERSH_OK;
    if (r->kind == GERSH__DIAGONAL) {
        for (size_t i = 0; i < r->k; i++) {
            r->row_value[i] = slope->diagonal[i];
            r->row_partner[i] = i;
        }
    } else if (r->row != GERSH__ALL_ROWS) {
        scan_one(&s, slope);
    } else {
        status = scan_all(&s, slope);
    }
    if (status != GERSH_OK)
        return status;
    choose(&s, slope, want, out, found);
    *least = fmin(smallest(r->row_value, r->k), out[0].value);
    return GERSH_OK;
}
