/*
 * With few features every pair is looked at (scan.c). With many, few of them matter: a working set of features, at first
 * those with the smallest G_ff, and their pairs are looked at each time. When these have nothing to offer all pairs are
 * screened (screen.c), which certifies the minimum, and the features of the best pairs join the working set. So a solution
 * costs a few screenings, however many steps it takes.
 */
#include "region/pairwise.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/policy.h"

gersh_status gersh__pairwise_init(gersh__region *region)
{
    size_t k = gersh__pairs_features(region->pairs);
    gersh__pairwise *p = region->pairwise = gersh__alloc(1, sizeof *p);
    if (p == NULL)
        return GERSH_ERROR_MEMORY;
    p->threads = gersh__pool_threads(gersh__pairs_pool(region->pairs));
    p->row_value = gersh__alloc(k, sizeof *p->row_value);
    p->row_partner = gersh__alloc(k, sizeof *p->row_partner);
    p->ranked = gersh__alloc(k, sizeof *p->ranked);
    p->working_set = region->params.working_set;
    if (p->row_value == NULL || p->row_partner == NULL || p->ranked == NULL)
        return GERSH_ERROR_MEMORY;
    if (p->working_set != NULL)
        return GERSH_OK;
    gersh_status status = gersh__working_set_new(&p->own_set, k);
    p->working_set = p->own_set;
    return status;
}

void gersh__pairwise_free(gersh__region *region)
{
    gersh__pairwise *p = region->pairwise;
    if (p == NULL)
        return;
    gersh__free(p->row_value);
    gersh__free(p->row_partner);
    gersh__free(p->ranked);
    gersh__working_set_free(p->own_set);
    gersh__free(p->memory);
    gersh__free(p->mean);
    gersh__free(p->length);
    gersh__free(p);
}

gersh_status gersh__pairwise_reserve(gersh__pairwise *p, size_t count)
{
    return gersh__grow(&p->memory, &p->memory_size, count, sizeof *p->memory) == 0 ? GERSH_OK
                                                                                   : GERSH_ERROR_MEMORY;
}

/* Every feature alone. */
static void take_singles(gersh__region *region, gersh__gradient *gradient)
{
    gersh__pairwise *p = region->pairwise;
    const double *diagonal = gersh__gradient_diagonal(gradient);
    for (size_t f = 0; f < gersh__pairs_features(region->pairs); f++) {
        p->row_value[f] = diagonal[f];
        p->row_partner[f] = f;
    }
}

static int by_value(const void *a, const void *b)
{
    const gersh__ranked *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

void gersh__ranked_sort(gersh__ranked *ranked, size_t count)
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

/* The `count` features with the smallest values, of those with a partner or a value up to the limit, and their partners
 * join the working set. */
static void add_best(gersh__region *region, size_t count, double limit)
{
    gersh__pairwise *p = region->pairwise;
    size_t ranked = 0;
    for (size_t f = 0; f < gersh__pairs_features(region->pairs); f++)
        if (p->row_partner[f] != f || p->row_value[f] <= limit)
            p->ranked[ranked++] = (gersh__ranked){p->row_value[f], f};
    gersh__ranked_sort(p->ranked, ranked);
    for (size_t c = 0; c < count && c < ranked; c++) {
        gersh__working_set_add(p->working_set, p->ranked[c].place);
        gersh__working_set_add(p->working_set, p->row_partner[p->ranked[c].place]);
    }
}

/* The features that were looked at; list NULL: all. */
typedef struct looked {
    const size_t *list;
    size_t count;
} looked;

/* A full pass over all pairs; those of the working set, whose best value is `best`, are in row_value already. */
static gersh_status full_pass(gersh__region *region, gersh__gradient *gradient, double best,
                              gersh__lmo_answer *answer)
{
    gersh__pairwise *p = region->pairwise;
    size_t k = gersh__pairs_features(region->pairs),
           more = k / GERSH__MORE_FEATURES_SHARE > GERSH__MORE_FEATURES ? k / GERSH__MORE_FEATURES_SHARE
                                                                        : GERSH__MORE_FEATURES;
    const double *bound, *diagonal = gersh__gradient_diagonal(gradient);
    gersh_status status = gersh__gradient_bounds(gradient, &bound);
    if (status != GERSH_OK)
        return status;
    double lowest = best, largest = 0;
    for (size_t f = 0; f < k; f++) {
        largest = fmax(largest, bound[f]);
        lowest = fmin(lowest, diagonal[f]);
        if (!gersh__working_set_has(p->working_set, f)) {
            p->row_value[f] = diagonal[f];
            p->row_partner[f] = f;
        }
    }
    double level = lowest - 1e-12 * largest; /* below every G_ff, by more than rounding */
    if (largest > 0)                         /* else G is 0 */
        status = gersh__pairwise_screen(region, gradient, bound, level);
    double all = smallest(p->row_value, k);
    answer->improved = all < best - 1e-12 * largest;
    answer->least = fmin(level, all);
    if (status == GERSH_OK)
        add_best(region, more, all);
    return status;
}

/* Many features: the working set and, where its pairs have no value below the threshold, all. */
static gersh_status search(gersh__region *region, gersh__gradient *gradient, double threshold, looked *at,
                           gersh__lmo_answer *answer)
{
    gersh__pairwise *p = region->pairwise;
    size_t count;
    const size_t *list = gersh__working_set_list(p->working_set, &count);
    if (count == 0) {
        take_singles(region, gradient);
        add_best(region, GERSH__FIRST_FEATURES, INFINITY);
        list = gersh__working_set_list(p->working_set, &count);
    }
    gersh_status status = gersh__pairwise_scan(region, gradient, list, count);
    if (status != GERSH_OK)
        return status;
    double best = INFINITY;
    for (size_t w = 0; w < count; w++)
        best = fmin(best, p->row_value[list[w]]);
    if (count == gersh__pairs_features(region->pairs))
        answer->least = best;
    if (best < threshold || count == gersh__pairs_features(region->pairs)) {
        *at = (looked){list, count};
        return GERSH_OK;
    }
    return full_pass(region, gradient, best, answer);
}

gersh_atom gersh__pairwise_eigenvector(size_t i, size_t j, double a, double b, double c)
{
    double half = 0.5 * (a - c), root = hypot(half, b);
    /* (a − λ, b) and (b, c − λ) are orthogonal to it; the longer of them is the safer. */
    double top = root + half, bottom = root - half;
    double x = top >= bottom ? -b : bottom, y = top >= bottom ? top : -b;
    double length = hypot(x, y);
    return (gersh_atom){i, j, x / length, y / length};
}

/* The best atom on features i and j, and its value zᵀ G z. */
static gersh__candidate make_candidate(const gersh__region *region, gersh__gradient *gradient, size_t i,
                                       size_t j)
{
    double a = gersh__gradient_scaled_entry(gradient, i, i),
           c = gersh__gradient_scaled_entry(gradient, j, j);
    gersh__candidate single = {gersh__pairwise_single(i, j, a, c), NULL, c < a ? c : a};
    if (i == j)
        return single;
    double b = gersh__gradient_scaled_entry(gradient, i, j);
    gersh__candidate best = {.vector = NULL};
    gersh__region_score(region, i, j, a, b, c, &best.atom);
    gersh_atom z = best.atom;
    if (z.i == z.j)
        return single;
    best.value = z.a * z.a * a + 2 * z.a * z.b * b + z.b * z.b * c;
    return best.value < single.value ? best : single;
}

/* The best of the rows that were looked at; a single feature that several of them come down to is taken once. */
static void choose(gersh__region *region, gersh__gradient *gradient, looked at, size_t want,
                   gersh__lmo_answer *answer)
{
    gersh__pairwise *p = region->pairwise;
    gersh__candidate *out = answer->candidate;
    size_t rows = 0, count = 0;
    double best = INFINITY;
    for (size_t r = 0; r < at.count; r++)
        best = fmin(best, p->row_value[at.list != NULL ? at.list[r] : r]);
    double limit = best < 0 ? GERSH__WORTHY_CANDIDATE * best : best;
    for (size_t r = 0; r < at.count; r++) {
        size_t f = at.list != NULL ? at.list[r] : r;
        if (p->row_value[f] <= limit)
            p->ranked[rows++] = (gersh__ranked){p->row_value[f], f};
    }
    gersh__ranked_sort(p->ranked, rows);
    for (size_t c = 0; c < rows && count < want; c++) {
        size_t f = p->ranked[c].place;
        gersh__candidate next = make_candidate(region, gradient, f, p->row_partner[f]);
        int taken = 0;
        for (size_t e = 0; e < count && !taken; e++) {
            gersh_atom a = out[e].atom, b = next.atom;
            taken = (a.i == b.i && a.j == b.j) || (a.i == b.j && a.j == b.i);
        }
        if (!taken)
            out[count++] = next;
    }
    answer->found = count;
    answer->least = fmin(answer->least, out[0].value);
}

gersh_status gersh__pairwise_minimize(gersh__region *region, gersh__gradient *gradient,
                                      const gersh__lmo_request *request, gersh__lmo_answer *answer)
{
    looked at = {NULL, gersh__pairs_features(region->pairs)};
    gersh_status status;
    if (gersh__gradient_kept(gradient)) {
        status = gersh__pairwise_scan(region, gradient, NULL, at.count);
        answer->least = smallest(region->pairwise->row_value, at.count);
    } else {
        status = search(region, gradient, request->threshold, &at, answer);
    }
    if (status == GERSH_OK)
        choose(region, gradient, at, request->want, answer);
    return status;
}

gersh_status gersh__pairwise_minimize_singles(gersh__region *region, gersh__gradient *gradient,
                                              const gersh__lmo_request *request, gersh__lmo_answer *answer)
{
    looked at = {NULL, gersh__pairs_features(region->pairs)};
    take_singles(region, gradient);
    answer->least = smallest(region->pairwise->row_value, at.count);
    choose(region, gradient, at, request->want, answer);
    return GERSH_OK;
}
