/*
 * Regions: sets of metrics ρI + Σ θ_a z_a z_aᵀ, θ >= 0, Σθ <= B, each given by its atoms z and a linear
 * minimiser: the atom with the smallest zᵀ G z.
 *
 *     diagonal ⊂ gdpa(u, σ) ⊂ balanced(σ) ⊂ hull ⊂ psd
 *
 *   diagonal   z = e_i
 *   gdpa       z ∝ √(u_j/u_i) e_i − σ_iσ_j √(u_i/u_j) e_j, and e_i: discs of the scalars 1/u stay above ρ
 *   balanced   z = a e_i − σ_iσ_j b e_j with a, b >= 0: graphs that the colours σ balance
 *   hull       any z with two entries: the convex hull of all balanced graph metrics
 *   psd        any z
 *
 * For a pair of features the best z is the first eigenvector of [G_ii, G_ij; G_ij, G_jj] where its sign is
 * free, or allowed: z_i z_j has the sign of −G_ij. Elsewhere it is e_i or e_j.
 */
#ifndef GERSH_SRC_REGION_REGION_H
#define GERSH_SRC_REGION_REGION_H

#include "gersh/fit.h"
#include "gersh/linalg.h"
#include "pairs/gradient.h"

typedef enum gersh__region_kind {
    GERSH__DIAGONAL,
    GERSH__GDPA,
    GERSH__BALANCED,
    GERSH__HULL,
    GERSH__PSD
} gersh__region_kind;

/* What is known beforehand of pairs of features: which signs M_ij may have. */
typedef struct gersh__rules gersh__rules;

gersh_status gersh__rules_new(gersh__rules **out, size_t features, const gersh_edge_rule *rule,
                              size_t count);
void gersh__rules_free(gersh__rules *rules);

/* Whether M_ij may be negative (sign −1) or positive (sign 1); rules may be NULL. */
int gersh__rules_allow(const gersh__rules *rules, size_t i, size_t j, int sign);

/* An atom that the minimiser proposes. Of the region psd: `vector`, in the region's memory. */
typedef struct gersh__candidate {
    gersh_atom atom;
    const double *vector;
    double value; /* zᵀ G z */
} gersh__candidate;

/* A number with its place, to be sorted. */
struct gersh__ranked {
    double value;
    size_t place;
};

typedef struct gersh__region {
    gersh__region_kind kind;
    const gersh__rules *rules; /* or NULL */
    const double *color;       /* σ as ±1.0, of balanced and gdpa */
    const double *u;           /* of gdpa */
    size_t row;                /* only edges at this feature (and single features); GERSH__ALL_ROWS */
    /* scratch */
    const gersh__pairs *pairs;
    size_t k, n;
    int threads;
    double *row_value;   /* best of each feature's pairs */
    size_t *row_partner; /* the feature itself where none is better than it alone */
    struct gersh__ranked *ranked;
    size_t *watched; /* with many features: those whose pairs are looked at first */
    size_t watched_count;
    unsigned char *is_watched;
    int news;       /* the last look at all pairs found one that is better than those watched */
    double *memory; /* of a scan or a screening */
    size_t memory_size;
    double *mean, *length; /* of each feature's column, of a screening */
    gersh_lobpcg *eigen;   /* of psd */
    const double *active;  /* the engine's atoms, active_count × k, of psd */
    size_t active_count;
    double *basis, *image, *ritz; /* (1 + GERSH__MOST_CANDIDATES) × k, of psd */
} gersh__region;

#define GERSH__ALL_ROWS ((size_t)-1)
enum { GERSH__MOST_CANDIDATES = 64 };

gersh_status gersh__region_new(gersh__region **out, gersh__region_kind kind, const gersh__pairs *pairs,
                               const gersh__rules *rules);
void gersh__region_free(gersh__region *region);

/*
 * Up to `want` atoms with small values, the best first, each of them the best of some feature's pairs, and no
 * two on the same pair; *found of them, at least one. *least is a certified lower bound of zᵀ G z over the
 * region's atoms: the best candidate's value, but for psd and for rounding. With many features a few of them
 * are watched, and where one of their pairs is below `enough`, other pairs are not looked at; *least is then
 * −INFINITY, as it is where psd has no certificate. With enough = −INFINITY all pairs are.
 */
gersh_status gersh__region_minimize(gersh__region *region, gersh__gradient *gradient, double enough,
                                    size_t want, gersh__candidate *out, size_t *found, double *least);

/* Watches the feature from now on. The first call of gersh__region_minimize chooses some where none is watched. */
void gersh__region_watch(gersh__region *region, size_t feature);

/*
 * The value, in the gradient's unit, of the best atom on features i and j with G_ij = b, which is set to 0 where the region has no edge
 * of its sign there.
 */
double gersh__region_value(const gersh__region *region, gersh__gradient *gradient, size_t i, size_t j,
                           double *b);

/* Room for `count` doubles in region->memory. */
gersh_status gersh__region_reserve(gersh__region *region, size_t count);

#endif
