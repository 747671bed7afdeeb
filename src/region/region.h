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
 * Every region has all e_i. A region is a file here, which defines its gersh__region_ops, and its name in registry.c.
 */
#ifndef GERSH_SRC_REGION_REGION_H
#define GERSH_SRC_REGION_REGION_H

#include "pairs/gradient.h"
#include "region/rules.h"
#include "region/working_set.h"

typedef struct gersh__region gersh__region;

/* An atom that the minimiser proposes. Of dense regions: `vector`, in the region's memory until the next call. */
typedef struct gersh__candidate {
    gersh_atom atom;
    const double *vector;
    double value; /* zᵀ G z */
} gersh__candidate;

enum { GERSH__MOST_CANDIDATES = 64 };

/* A call of the linear minimiser. */
typedef struct gersh__lmo_request {
    double threshold;     /* a value below it is good enough; −INFINITY: none is */
    size_t want;          /* candidates at most, up to GERSH__MOST_CANDIDATES */
    const double *active; /* of dense regions: active_count vectors of k entries, the atoms in use */
    size_t active_count;
} gersh__lmo_request;

/*
 * Up to `want` atoms with small values, the best first, each of them the best of some feature's pairs, and no two on the same
 * pair; at least one where G has numbers, else the value of candidate 0 is NAN. least is a certified lower bound of zᵀ G z
 * over the region's atoms: the best candidate's value, but for psd and for rounding. With many features only pairs of a
 * working set are looked at where one of them is below the threshold; least is then −INFINITY, as it is where psd has no
 * certificate.
 */
typedef struct gersh__lmo_answer {
    gersh__candidate candidate[GERSH__MOST_CANDIDATES];
    size_t found;
    double least;
    int improved; /* a full pass over all pairs found one that is better than those of the working set */
} gersh__lmo_answer;

/* What a region is made for; all of it must last as long as the region does. */
typedef struct gersh__region_params {
    const gersh__rules *rules; /* or NULL */
    const double *color;       /* σ as ±1, of balanced and gdpa */
    const double *u;           /* of gdpa */
    gersh__working_set
        *working_set; /* to begin with and to keep up; NULL: one of its own, empty at first */
} gersh__region_params;

typedef struct gersh__region_ops {
    const char *name;
    int dense;      /* atoms are vectors of k entries */
    int free_signs; /* an edge may have either sign, as far as rules let it; else that of −σ_iσ_j, where there are colours */

    /* Required. init begins with what is in own.h, and free takes what a failed init leaves. */
    gersh_status (*init)(gersh__region *region);
    gersh_status (*minimize)(gersh__region *region, gersh__gradient *gradient,
                             const gersh__lmo_request *request, gersh__lmo_answer *answer);
    void (*free)(gersh__region *region);

    /* Required: whether the edge (two different features) is one of the region's atoms; rules are seen to elsewhere. */
    int (*allows)(const gersh__region *region, gersh_atom edge);

    /*
     * Required: the value of the best atom on the features i and j with G_ii = a, G_ij = b and G_jj = c, single features
     * among them, and that atom unless NULL. It is not below the smallest eigenvalue of [a, b; b, c], on which screening
     * relies.
     */
    double (*score)(const gersh__region *region, size_t i, size_t j, double a, double b, double c,
                    gersh_atom *best);

    /*
     * Or NULL: score_row has the scores of the feature at `place` with each of the `count` behind it, and returns the
     * smallest; places are those of the last list that `arrange` was told (NULL: features as they are).
     */
    void (*arrange)(gersh__region *region, const size_t *list, size_t count);
    double (*score_row)(const gersh__region *region, size_t place, size_t count, double a, const double *b,
                        const double *c, double *score);
} gersh__region_ops;

/* Those that solvers go through. */
extern const gersh__region_ops gersh__region_diagonal, gersh__region_gdpa, gersh__region_balanced,
    gersh__region_hull, gersh__region_psd;

/* The regions one after the other, from 0; NULL beyond the last. */
const gersh__region_ops *gersh__region_at(size_t index);

/* params NULL: none. Fails where `ops` lacks what is required. */
gersh_status gersh__region_new(gersh__region **out, const gersh__region_ops *ops, const gersh__pairs *pairs,
                               const gersh__region_params *params);

/* The same region for other pairs of the same features, with a working set of its own. */
gersh_status gersh__region_new_like(gersh__region **out, const gersh__region *region,
                                    const gersh__pairs *pairs);
void gersh__region_free(gersh__region *region);
const gersh__region_ops *gersh__region_ops_of(const gersh__region *region);

gersh_status gersh__region_minimize(gersh__region *region, gersh__gradient *gradient,
                                    const gersh__lmo_request *request, gersh__lmo_answer *answer);

/* Whether the atom, of one or two features, is one of the region's. */
int gersh__region_allows(const gersh__region *region, gersh_atom z);

/* As gersh__region_ops says, with rules. */
double gersh__region_score(const gersh__region *region, size_t i, size_t j, double a, double b, double c,
                           gersh_atom *best);

#endif
