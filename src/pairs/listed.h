/*
 * The maps of src/pairs for many listed pairs. The values of the atoms are turned round, so that those of one
 * sample lie side by side: a pair is then two short arrays that are read from end to end, where atom by atom
 * it would be two numbers from anywhere in memory.
 */
#ifndef GERSH_SRC_PAIRS_LISTED_H
#define GERSH_SRC_PAIRS_LISTED_H

#include <stdint.h>

#include "gersh/metric.h"
#include "pairs/pairs.h"

/* Whether there are enough listed pairs for these functions to pay. */
static inline int gersh__listed_many(const gersh__pairs *pairs)
{
    return pairs->around != NULL;
}

/* turned (n × m) = the m projections t of n entries each, times the square roots of weight unless NULL. */
void gersh__listed_turn(const gersh__pairs *pairs, size_t m, const double *t, const double *weight,
                        double *turned);

/* d_p += Σ_a (u_ia − u_ja)². */
void gersh__listed_combine(const gersh__pairs *pairs, size_t m, const double *turned, double *d);

/* score_a = Σ_p g_p (u_ia − u_ja)². sums: m · GERSH__MOST_PARTS doubles. */
void gersh__listed_scores(const gersh__pairs *pairs, const double *g, size_t m, const double *turned,
                          double *sums, double *score);

/*
 * For y = L(g) v: the pairs of each sample, so that every sample's sum is one thread's alone, and room to turn
 * a few vectors round.
 */
typedef struct gersh__around {
    size_t *start;   /* n + 1: the pairs of sample i are at start[i]..start[i + 1] */
    uint32_t *pair;  /* their numbers, */
    uint32_t *other; /* and the other sample of each */
    double *v, *y;   /* n × GERSH__TURNED each */
} gersh__around;

enum { GERSH__TURNED = 32 }; /* vectors that are turned round together */

gersh_status gersh__listed_around(gersh__around **out, const gersh__pairs *pairs);
void gersh__around_free(gersh__around *around);

/* y = L(g) v for `columns` vectors of n entries each. */
void gersh__listed_laplacian(const gersh__pairs *pairs, const double *g, size_t columns, const double *v,
                             double *y);

/*
 * Where there are more atoms than features, sums by features are shorter. d_p += (x_i − x_j)ᵀ S (x_i − x_j) with
 * S = Σ_a weight_a z_a z_aᵀ. scratch: k · (n + k + GERSH__EIGEN_ROOM) doubles. Returns 0, or −1 with d as it was
 * where the eigenvalues of S cannot be found.
 */
enum { GERSH__EIGEN_ROOM = 40 };

int gersh__listed_metric(const gersh__pairs *pairs, size_t m, const gersh_atom *atom, const double *weight,
                         double *scratch, double *d);

#endif
