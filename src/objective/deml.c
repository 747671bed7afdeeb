/*
 * deml, distances between classes: the sum of w_i w_j √d_ij over the pairs i < j of different classes, or
 * over the dissimilar ones of listed pairs, maximised, so that F is its negative.
 *
 * Two samples of different classes with the same features have the distance 0 under every metric. Such a
 * pair adds 0 to the value and is left out of the derivatives, which are infinite there but never count.
 * For other pairs near 0 see gersh__root_floor.
 */
#include <math.h>

#include "objective/kinds.h"
#include "objective/separable.h"

static gersh_status init(gersh__objective *objective)
{
    gersh__separable_init(objective, 1);
    gersh__separable_set_different(objective, 1.0, 1);
    return GERSH_OK;
}

/* The tangent of −√ at the floor f is below it, and −√d − (d' − d)/(2√f) is above that by (√f − √d)²/(2√f). */
static double doubt(gersh__objective *objective, const double *d, const double *g, double *r)
{
    const gersh__separable *s = (const gersh__separable *)objective;
    size_t count = gersh__pairs_count(objective->pairs);
    double floor = gersh__root_floor(count, d), sum = 0;
    (void)g;
    (void)r;
    for (size_t p = 0; p < count; p++) {
        double below = d[p] < floor ? sqrt(floor) - sqrt(fmax(d[p], 0)) : 0;
        sum += gersh__separable_factor(s, p) * below * below;
    }
    return sum / (2 * sqrt(floor));
}

static const gersh__objective_kind kind = {
    .singular_at_zero = 1,
    .prefers_spread = 1,
    .needs = GERSH__NEEDS_DISSIMILAR,
    .arrays = 2,
    .state_size = sizeof(gersh__separable),
    .init = init,
    .evaluate = gersh__separable_evaluate,
    .curvature = gersh__separable_curvature,
    .hessian = gersh__separable_hessian,
    .pair_terms = gersh__separable_pair_terms,
    .doubt = doubt,
};

const gersh__objective_entry gersh__objective_deml = {
    .info = {.name = "deml",
             .help = "distances between samples of different classes should be large",
             .takes = GERSH__CLASSES | GERSH__PAIRS,
             .maximized = 1,
             .homogeneous = 1,
             .mean = GERSH__MEAN_DISTANCE},
    .classes = &kind,
    .pairs = &kind,
};
