/*
 * The linear minimisers of the regions whose atoms have one or two entries.
 *
 * With few features every pair is looked at (scan.c). With many, few of them matter: a few features are
 * watched, at first those with the smallest G_ff, and their pairs are looked at each time. When these have
 * nothing to offer all pairs are screened (screen.c), which certifies the minimum, and the features of the
 * best pairs are watched from then on. So a solution costs a few screenings, however many steps it takes.
 */
#include "region/region.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "linalg/kernels.h"
#include "region/psd.h"
#include "region/scan.h"

enum { FIRST_WATCHED = 512, MORE_WATCHED = 256, WATCHED_SHARE = 64 };

/* A candidate as good as this share of the best may be proposed. */
#define WORTH 0.25

void gersh__region_free(gersh__region *region)
{
    if (region == NULL)
        return;
    gersh__free(region->row_value);
    gersh__free(region->row_partner);
    gersh__free(region->ranked);
    gersh__free(region->watched);
    gersh__free(region->is_watched);
    gersh__free(region->memory);
    gersh__free(region->mean);
    gersh__free(region->length);
    gersh_lobpcg_free(region->eigen);
    gersh__free(region->basis);
    gersh__free(region->image);
    gersh__free(region->ritz);
    gersh__free(region);
}

gersh_status gersh__region_new(gersh__region **out, gersh__region_kind kind, const gersh__pairs *pairs,
                               const gersh__rules *rules)
{
    size_t k = gersh__pairs_features(pairs), n = gersh__pairs_samples(pairs);
    *out = NULL;
    gersh__region *region = gersh__alloc(1, sizeof *region);
    if (region == NULL)
        return GERSH_ERROR_MEMORY;
    region->kind = kind;
    region->rules = rules;
    region->row = GERSH__ALL_ROWS;
    region->pairs = pairs;
    region->k = k;
    region->n = n;
    region->threads = gersh__pool_threads(gersh__pairs_pool(pairs));
    region->row_value = gersh__alloc(k, sizeof(double));
    region->row_partner = gersh__alloc(k, sizeof(size_t));
    region->ranked = gersh__alloc(k, sizeof *region->ranked);
    region->watched = gersh__alloc(k, sizeof *region->watched);
    region->is_watched = gersh__alloc(k, 1);
    gersh_status status =
        region->row_value && region->row_partner && region->ranked && region->watched && region->is_watched
            ? GERSH_OK
            : GERSH_ERROR_MEMORY;
    if (status == GERSH_OK && kind == GERSH__PSD) {
        status = gersh_lobpcg_new(&region->eigen, k);
        region->basis = gersh__alloc(1 + GERSH__MOST_CANDIDATES, k * sizeof(double));
        region->image = gersh__alloc(1 + GERSH__MOST_CANDIDATES, k * sizeof(double));
        region->ritz = gersh__alloc(1 + GERSH__MOST_CANDIDATES, k * sizeof(double));
        status = region->basis && region->image && region->ritz ? status : GERSH_ERROR_MEMORY;
    }
    if (status != GERSH_OK) {
        gersh__region_free(region);
        return status;
    }
    *out = region;
    return GERSH_OK;
}

gersh_status gersh__region_reserve(gersh__region *r, size_t count)
{
    return gersh__grow(&r->memory, &r->memory_size, count, sizeof *r->memory) == 0 ? GERSH_OK
                                                                                   : GERSH_ERROR_MEMORY;
}

double gersh__region_value(const gersh__region *r, gersh__gradient *gradient, size_t i, size_t j, double *b)
{
    const gersh__kernels *kernels = gersh__kernels_here();
    double a = gersh__gradient_scaled_entry(gradient, i, i),
           c = gersh__gradient_scaled_entry(gradient, j, j), value;
    if (!gersh__rules_allow(r->rules, i, j, *b > 0 ? -1 : 1))
        *b = 0;
    if (r->kind == GERSH__GDPA)
        return kernels->disc_values(1, a, b, &c, r->u[i], &r->u[j], r->color[i], &r->color[j], &value);
    if (r->kind == GERSH__HULL)
        return kernels->pair_values(1, a, b, &c, 1, NULL, &value);
    return kernels->pair_values(1, a, b, &c, r->color[i], &r->color[j], &value);
}

/* Every feature alone. */
static void take_singles(gersh__region *r, gersh__gradient *gradient)
{
    const double *diagonal = gersh__gradient_diagonal(gradient);
    for (size_t f = 0; f < r->k; f++) {
        r->row_value[f] = diagonal[f];
        r->row_partner[f] = f;
    }
}

/* One row: every feature alone, and the edges at that row. */
static void scan_one(gersh__region *r, gersh__gradient *gradient)
{
    size_t row = r->row;
    for (size_t j = 0; j < r->k; j++) {
        if (j == row)
            continue;
        double b = gersh__gradient_scaled_entry(gradient, row, j),
               value = gersh__region_value(r, gradient, row, j, &b);
        if (value < r->row_value[row]) {
            r->row_value[row] = value;
            r->row_partner[row] = j;
        }
    }
}

static int by_value(const void *a, const void *b)
{
    const struct gersh__ranked *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

void gersh__ranked_sort(struct gersh__ranked *ranked, size_t count)
{
    qsort(ranked, count, sizeof *ranked, by_value);
}

static double smallest(const double *x, size_t count)
{
    double least = INFINITY;
    for (size_t i = 0; i < count; i++)
        least = fmin(least, x[i]);
    return least;
}

void gersh__region_watch(gersh__region *r, size_t feature)
{
    if (!r->is_watched[feature])
        r->watched[r->watched_count++] = feature;
    r->is_watched[feature] = 1;
}

/* Watches the `count` features with the smallest values, of those with a partner or a value up to the limit, and
 * their partners. */
static void watch_best(gersh__region *r, size_t count, double limit)
{
    size_t ranked = 0;
    for (size_t f = 0; f < r->k; f++)
        if (r->row_partner[f] != f || r->row_value[f] <= limit)
            r->ranked[ranked++] = (struct gersh__ranked){r->row_value[f], f};
    gersh__ranked_sort(r->ranked, ranked);
    for (size_t c = 0; c < count && c < ranked; c++) {
        gersh__region_watch(r, r->ranked[c].place);
        gersh__region_watch(r, r->row_partner[r->ranked[c].place]);
    }
}

/* Many features: the watched ones and, where these do not have enough, all. *list: those looked at. */
static gersh_status search(gersh__region *r, gersh__gradient *gradient, double enough, const size_t **list,
                           size_t *count, double *least)
{
    if (r->watched_count == 0) {
        take_singles(r, gradient);
        watch_best(r, FIRST_WATCHED, INFINITY);
    }
    gersh_status status = gersh__region_scan(r, gradient, r->watched, r->watched_count);
    double watched = INFINITY;
    for (size_t w = 0; w < r->watched_count; w++)
        watched = fmin(watched, r->row_value[r->watched[w]]);
    *list = r->watched;
    *count = r->watched_count;
    *least = -INFINITY;
    if (status == GERSH_OK && r->watched_count == r->k)
        *least = watched;
    if (status != GERSH_OK || watched < enough || r->watched_count == r->k)
        return status;
    const double *bound, *diagonal = gersh__gradient_diagonal(gradient);
    status = gersh__gradient_bounds(gradient, &bound);
    if (status != GERSH_OK)
        return status;
    double best = watched, largest = 0;
    for (size_t f = 0; f < r->k; f++) {
        largest = fmax(largest, bound[f]);
        best = fmin(best, diagonal[f]);
        if (!r->is_watched[f]) {
            r->row_value[f] = diagonal[f];
            r->row_partner[f] = f;
        }
    }
    double level = best - 1e-12 * largest; /* below every G_ff, by more than rounding */
    if (largest > 0)                       /* else G is 0 */
        status = gersh__region_screen(r, gradient, bound, level);
    double all = smallest(r->row_value, r->k);
    r->news = all < watched - 1e-12 * largest;
    *list = NULL;
    *count = r->k;
    *least = fmin(level, all);
    if (status == GERSH_OK)
        watch_best(r, r->k / WATCHED_SHARE > MORE_WATCHED ? r->k / WATCHED_SHARE : MORE_WATCHED, all);
    return status;
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
static gersh__candidate make_candidate(const gersh__region *r, gersh__gradient *gradient, size_t i,
                                       size_t j)
{
    double a = gersh__gradient_scaled_entry(gradient, i, i),
           c = gersh__gradient_scaled_entry(gradient, j, j);
    gersh__candidate single = {{i, i, 1, 0}, NULL, a};
    if (i == j)
        return single;
    if (c < a)
        single = (gersh__candidate){{j, j, 1, 0}, NULL, c};
    double b = gersh__gradient_scaled_entry(gradient, i, j), z1, z2;
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

/* The best of the listed rows (NULL: of all); a single feature that several of them come down to is taken once. */
static void choose(gersh__region *r, gersh__gradient *gradient, const size_t *list, size_t listed,
                   size_t want, gersh__candidate *out, size_t *found)
{
    size_t rows = 0, count = 0;
    double best = INFINITY;
    for (size_t p = 0; p < listed; p++)
        best = fmin(best, r->row_value[list != NULL ? list[p] : p]);
    double limit = best < 0 ? WORTH * best : best;
    for (size_t p = 0; p < listed; p++) {
        size_t f = list != NULL ? list[p] : p;
        if (r->row_value[f] <= limit)
            r->ranked[rows++] = (struct gersh__ranked){r->row_value[f], f};
    }
    gersh__ranked_sort(r->ranked, rows);
    for (size_t c = 0; c < rows && count < want; c++) {
        size_t f = r->ranked[c].place;
        gersh__candidate next = make_candidate(r, gradient, f, r->row_partner[f]);
        int taken = 0;
        for (size_t e = 0; e < count && !taken; e++) {
            gersh_atom a = out[e].atom, b = next.atom;
            taken = (a.i == b.i && a.j == b.j) || (a.i == b.j && a.j == b.i);
        }
        if (!taken)
            out[count++] = next;
    }
    *found = count;
}

/* From the unit in which the gradient was asked. */
static void convert(gersh__gradient *gradient, size_t found, gersh__candidate *out, double *least)
{
    for (size_t c = 0; c < found; c++)
        out[c].value *= gersh__gradient_unit(gradient);
    *least *= gersh__gradient_unit(gradient);
}

gersh_status gersh__region_minimize(gersh__region *r, gersh__gradient *gradient, double enough, size_t want,
                                    gersh__candidate *out, size_t *found, double *least)
{
    const size_t *list = NULL;
    size_t count = r->k;
    gersh_status status = GERSH_OK;
    if (r->kind == GERSH__PSD) {
        status = gersh__psd_minimize(r, gradient, want, out, found, least);
        if (status == GERSH_OK)
            convert(gradient, *found, out, least);
        return status;
    }
    if (r->kind == GERSH__DIAGONAL || r->row != GERSH__ALL_ROWS) {
        take_singles(r, gradient);
        if (r->kind != GERSH__DIAGONAL)
            scan_one(r, gradient);
        *least = smallest(r->row_value, r->k);
    } else if (gersh__gradient_kept(gradient)) {
        status = gersh__region_scan(r, gradient, NULL, r->k);
        *least = smallest(r->row_value, r->k);
    } else {
        status = search(r, gradient, enough / gersh__gradient_unit(gradient), &list, &count, least);
    }
    if (status != GERSH_OK)
        return status;
    choose(r, gradient, list, count, want, out, found);
    *least = fmin(*least, out[0].value);
    convert(gradient, *found, out, least);
    return GERSH_OK;
}
