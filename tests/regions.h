/*
 * Random data sets and gradients for the regions, with G written out from its definition,
 * Σ_p g_p Δ_p Δ_pᵀ, and the smallest value of a region by a look at every feature and pair of features.
 */
#ifndef GERSH_TESTS_REGIONS_H
#define GERSH_TESTS_REGIONS_H

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "base/threads.h"
#include "check.h"
#include "region/region.h"
#include "registry.h"

/* The edges of a region that a program adds (tests/unit/plug), and the size of their angle; not there in others. */
typedef struct region_definition {
    int (*has)(gersh_atom edge);
    double angle;
} region_definition;

extern const region_definition plugged_region __attribute__((weak));

enum { NEGATIVE = 1, POSITIVE = 2 };                                      /* signs that M_ij may have */
enum { MIXED, BELOW_ZERO, ABOVE_ZERO, FEW, ALL_ZERO, DECOYS, GRADIENTS }; /* kinds of g */

typedef struct world {
    gersh_dataset *data;
    gersh__pool *pool;
    gersh__pairs *pairs;
    gersh__gradient *gradient;
    size_t n, k;
    size_t listed, *first, *second; /* rows of listed pairs; listed 0: all pairs */
    double *g, *dense;              /* dense: G, k × k */
    double norm;                    /* of G (Frobenius) */
    double *color, *u;
    gersh__rules *rules;  /* or NULL */
    unsigned char *signs; /* k × k, what the rules leave; NULL without rules */
} world;

static inline void *room(size_t count, size_t size)
{
    void *block = calloc(count + 1, size);
    assert_non_null(block);
    return block;
}

static inline void drop(world *w)
{
    gersh__gradient_free(w->gradient);
    gersh__pairs_free(w->pairs);
    gersh__pool_free(w->pool);
    gersh_dataset_free(w->data);
    gersh__rules_free(w->rules);
    free(w->first);
    free(w->second);
    free(w->g);
    free(w->dense);
    free(w->color);
    free(w->u);
    free(w->signs);
}

/*
 * Features of very different sizes, some of them constant or equal to another. With decoys the largest live
 * on the first half of the rows and all others on the second half.
 */
static inline double *make_values(gersh__random *random, size_t n, size_t k, int decoys)
{
    double *x = room(n * k, sizeof *x);
    for (size_t f = 0; f < k; f++) {
        double size = exp(1.2 * gersh__random_normal(random));
        int decoy = decoys && f % 5 == 0, constant = !decoys && gersh__random_below(random, 12) == 0;
        size_t twin = f > 0 && gersh__random_below(random, 12) == 0 ? f - 1 : f;
        for (size_t i = 0; i < n; i++) {
            double value = (decoy ? 50 : size) * gersh__random_normal(random);
            if (constant || (decoys && decoy != (i < n / 2)))
                value = 0;
            x[i * k + f] = twin != f && !decoys ? x[i * k + twin] : value;
        }
    }
    return x;
}

static inline void make_world(world *w, gersh__random *random, size_t n, size_t k, size_t listed,
                              int decoys, int threads)
{
    static const char *const names[] = {"a", "b", "c"};
    double *x = make_values(random, n, k, decoys);
    const char **labels = room(n, sizeof *labels);
    *w = (world){.n = n, .k = k, .listed = listed};
    for (size_t i = 0; i < n; i++)
        labels[i] = names[gersh__random_below(random, 3)];
    assert_ok(gersh_dataset_new(&w->data, n, k, x, k, labels, NULL, NULL));
    w->first = room(listed, sizeof *w->first);
    w->second = room(listed, sizeof *w->second);
    for (size_t p = 0; p < listed; p++) {
        w->first[p] = (size_t)gersh__random_below(random, n);
        w->second[p] = (w->first[p] + 1 + (size_t)gersh__random_below(random, n - 1)) % n;
    }
    assert_ok(gersh__pool_new(&w->pool, threads));
    assert_ok(gersh__pairs_new(&w->pairs, w->data, NULL, listed, listed > 0 ? w->first : NULL,
                               listed > 0 ? w->second : NULL, w->pool));
    assert_ok(gersh__gradient_new(&w->gradient, w->pairs, 0));
    w->g = room(gersh__pairs_count(w->pairs), sizeof *w->g);
    w->dense = room(k * k, sizeof *w->dense);
    w->color = room(k, sizeof *w->color);
    w->u = room(k, sizeof *w->u);
    for (size_t f = 0; f < k; f++) {
        w->color[f] = gersh__random_below(random, 2) == 0 ? -1 : 1;
        w->u[f] = exp(gersh__random_normal(random));
    }
    free(x);
    free(labels);
}

/* The rows of pair p. */
static inline void rows_of(const world *w, size_t p, size_t *a, size_t *b)
{
    if (w->listed > 0) {
        *a = w->first[p];
        *b = w->second[p];
        return;
    }
    size_t i = 1;
    while (p >= i)
        p -= i++;
    *a = gersh__pairs_row(w->pairs, i);
    *b = gersh__pairs_row(w->pairs, p);
}

static inline double random_g(gersh__random *random, int kind, int both_in_first_half)
{
    double value = gersh__random_normal(random);
    switch (kind) {
    case BELOW_ZERO:
        return -fabs(value);
    case ABOVE_ZERO:
        return fabs(value);
    case FEW:
        return gersh__random_below(random, 4) == 0 ? value : 0;
    case ALL_ZERO:
        return 0;
    case DECOYS:
        return both_in_first_half ? 20 * fabs(value) : -fabs(value);
    default:
        return value;
    }
}

/* A new g, its gradient, and G from the definition. */
static inline void set_gradient(world *w, gersh__random *random, int kind)
{
    const double *x = gersh_dataset_values(w->data);
    size_t k = w->k, a, b;
    memset(w->dense, 0, k * k * sizeof *w->dense);
    for (size_t p = 0; p < gersh__pairs_count(w->pairs); p++) {
        rows_of(w, p, &a, &b);
        w->g[p] = random_g(random, kind, a < w->n / 2 && b < w->n / 2);
        for (size_t i = 0; i < k; i++) {
            double left = w->g[p] * (x[a * k + i] - x[b * k + i]);
            for (size_t j = 0; left != 0 && j <= i; j++)
                w->dense[i * k + j] += left * (x[a * k + j] - x[b * k + j]);
        }
    }
    w->norm = 0;
    for (size_t i = 0; i < k; i++) {
        for (size_t j = 0; j <= i; j++) {
            w->dense[j * k + i] = w->dense[i * k + j];
            w->norm += (i == j ? 1 : 2) * w->dense[i * k + j] * w->dense[i * k + j];
        }
    }
    w->norm = sqrt(w->norm);
    gersh__gradient_update(w->gradient, w->g);
}

/* Random rules, each pair at most once, and what they leave of every pair. */
static inline void set_rules(world *w, gersh__random *random, int with_allowed)
{
    static const unsigned char left[] = {
        [GERSH_EDGE_ALLOWED] = NEGATIVE | POSITIVE,
        [GERSH_EDGE_FORBIDDEN] = 0,
        [GERSH_EDGE_POSITIVE] = NEGATIVE,
        [GERSH_EDGE_NEGATIVE] = POSITIVE,
    };
    static const gersh_edge_kind kinds[] = {GERSH_EDGE_FORBIDDEN, GERSH_EDGE_POSITIVE, GERSH_EDGE_NEGATIVE,
                                            GERSH_EDGE_ALLOWED};
    size_t k = w->k, count = 0;
    gersh_edge_rule *list = room(k * k / 2, sizeof *list);
    int allowed = 0;
    for (size_t i = 0; i < k; i++) {
        for (size_t j = 0; j < i; j++) {
            if (gersh__random_below(random, 3) == 0)
                continue;
            gersh_edge_kind kind = kinds[gersh__random_below(random, with_allowed ? 4 : 3)];
            int swap = (int)gersh__random_below(random, 2);
            list[count++] = (gersh_edge_rule){swap ? i : j, swap ? j : i, kind};
            allowed = allowed || kind == GERSH_EDGE_ALLOWED;
        }
    }
    w->signs = room(k * k, 1);
    memset(w->signs, allowed ? 0 : NEGATIVE | POSITIVE, k * k);
    for (size_t r = 0; r < count; r++)
        w->signs[list[r].first * k + list[r].second] = w->signs[list[r].second * k + list[r].first] =
            left[list[r].kind];
    for (size_t r = count; r > 1; r--) { /* any order */
        size_t other = (size_t)gersh__random_below(random, r);
        gersh_edge_rule kept = list[r - 1];
        list[r - 1] = list[other];
        list[other] = kept;
    }
    assert_ok(gersh__rules_new(&w->rules, k, list, count));
    free(list);
}

static inline double at_angle(double a, double b, double c, double angle)
{
    double x = cos(angle), y = sin(angle);
    return a * x * x + 2 * b * x * y + c * y * y;
}

/* The smallest value of (cos, sin) for angles of a quarter turn from `start`: a grid, then ever smaller
 * thirds about its best point. */
static inline double search_angles(double a, double b, double c, double start)
{
    const double quarter = acos(0.0);
    int best = 0;
    for (int s = 1; s <= 32; s++)
        if (at_angle(a, b, c, start + quarter * s / 32) < at_angle(a, b, c, start + quarter * best / 32))
            best = s;
    double low = start + quarter * (best > 0 ? best - 1 : 0) / 32;
    double high = start + quarter * (best < 32 ? best + 1 : 32) / 32;
    for (int step = 0; step < 50; step++) {
        double p = low + (high - low) / 3, q = high - (high - low) / 3;
        if (at_angle(a, b, c, p) < at_angle(a, b, c, q))
            high = q;
        else
            low = p;
    }
    return fmin(at_angle(a, b, c, start + quarter * best / 32), at_angle(a, b, c, low));
}

/* The region of that kind with the world's colours, scalars and, of those with edges, rules. */
static inline gersh__region *region_of(const world *w, const gersh__region_ops *ops)
{
    gersh__region *region;
    const gersh__region_params params = {
        .rules = ops->dense ? NULL : w->rules, .color = w->color, .u = w->u};
    assert_ok(gersh__region_new(&region, ops, w->pairs, &params));
    return region;
}

static inline int has_edge(const gersh__region *region, size_t i, size_t j, double angle)
{
    return gersh__region_allows(region, (gersh_atom){i, j, cos(angle), sin(angle)});
}

/* The atom with the smallest value by Jacobi's rotation, where the region has it. */
static inline double rotate(const gersh__region *region, size_t i, size_t j, double a, double b, double c)
{
    if (b == 0)
        return INFINITY;
    double cotangent = (c - a) / (2 * b);
    double tangent = (cotangent < 0 ? -1 : 1) / (fabs(cotangent) + sqrt(cotangent * cotangent + 1));
    int first = a - tangent * b < c + tangent * b;
    return !has_edge(region, i, j, first ? atan2(-tangent, 1) : atan2(1, tangent)) ? INFINITY
           : first                                                                 ? a - tangent * b
                                                                                   : c + tangent * b;
}

/* The smallest value over the angles of a quarter turn from `start`, where the region has them all. */
static inline double search_quarter(const gersh__region *region, size_t i, size_t j, double a, double b,
                                    double c, double start)
{
    for (int s = 1; s < 32; s++)
        if (!has_edge(region, i, j, start + acos(0.0) * s / 32))
            return INFINITY;
    return search_angles(a, b, c, start);
}

enum { MOST_ANGLES = 4 };

/* The single angles that edges on two features have in some region: that of gdpa, and of one that is added. */
static inline size_t single_angles(const world *w, size_t i, size_t j, double angle[MOST_ANGLES])
{
    size_t count = 0;
    angle[count++] = atan2(w->u[i], w->u[j]);
    if (&plugged_region != NULL)
        angle[count++] = plugged_region.angle;
    for (size_t s = 0, last = count; s < last; s++)
        angle[count++] = -angle[s];
    return count;
}

/*
 * The smallest value of an edge that the region has on two features. Regions have all edges of one sign or those of
 * single_angles. Only with few features is it found without the derivative.
 */
static inline double pair_least(const world *w, const gersh__region *region, size_t i, size_t j, double a,
                                double b, double c)
{
    double angles[MOST_ANGLES], least = INFINITY;
    size_t count = single_angles(w, i, j, angles);
    for (size_t s = 0; s < count; s++)
        if (has_edge(region, i, j, angles[s]))
            least = fmin(least, at_angle(a, b, c, angles[s]));
    if (w->k > 20)
        return fmin(least, rotate(region, i, j, a, b, c));
    least = fmin(least, search_quarter(region, i, j, a, b, c, 0));
    return fmin(least, search_quarter(region, i, j, a, b, c, -acos(0.0)));
}

/* The smallest value of all atoms of one or two entries that the region allows. */
static inline double brute_force(const world *w, const gersh__region *region)
{
    const double *g = w->dense;
    size_t k = w->k;
    double least = INFINITY;
    for (size_t i = 0; i < k; i++) {
        least = fmin(least, g[i * k + i]);
        for (size_t j = 0; j < i; j++)
            least = fmin(least, pair_least(w, region, i, j, g[i * k + i], g[i * k + j], g[j * k + j]));
    }
    return least;
}

/* Whether the region of that name has the atom, as the paper defines it. */
static inline int defined(const world *w, const char *name, gersh_atom z)
{
    int sign = z.a * z.b < 0 ? NEGATIVE : POSITIVE; /* of M_ij */
    double radius = fabs(z.a * z.b), ratio = w->u[z.j] / w->u[z.i];
    int aligned = fabs(z.a * z.a - radius * ratio) < 1e-9 && fabs(z.b * z.b - radius / ratio) < 1e-9;
    int colored = sign == (w->color[z.i] == w->color[z.j] ? NEGATIVE : POSITIVE);
    if (z.i == z.j)
        return 1;
    if (w->signs != NULL && !(w->signs[z.i * w->k + z.j] & sign) && strcmp(name, "psd") != 0)
        return 0;
    if (strcmp(name, "diagonal") == 0)
        return 0;
    if (strcmp(name, "gdpa") == 0) /* the discs of zzᵀ end at 0 */
        return colored && aligned;
    if (strcmp(name, "balanced") == 0)
        return colored;
    if (&plugged_region != NULL && strcmp(name, plugged.region) == 0)
        return plugged_region.has(z);
    if (strcmp(name, "hull") != 0 && strcmp(name, "psd") != 0)
        fail_msg("tests/regions.h does not say which atoms the region '%s' has", name);
    return 1;
}

static inline gersh__lmo_request full_pass(size_t want)
{
    return (gersh__lmo_request){.threshold = -INFINITY, .want = want};
}

#endif
