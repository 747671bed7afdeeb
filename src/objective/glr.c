/*
 * glr, the graph Laplacian regulariser zᵀ L z of the labels on the graph of samples with edges exp(−d):
 *
 *     F(d) = Σ_{i<j} w_i w_j exp(−d_ij) (z_i − z_j)².
 *
 * Two classes are z = ±1. Of more classes too, any two count as that far apart: (z_i − z_j)² is 4 for
 * samples of different classes and 0 else. Real-valued targets are z themselves. Of listed pairs, (z_i −
 * z_j)² is 4 for dissimilar ones and 0 for similar ones.
 */
#include <math.h>

#include "base/error.h"
#include "objective/kinds.h"
#include "objective/separable.h"

static gersh_status set_targets(gersh__objective *objective)
{
    gersh__separable *s = (gersh__separable *)objective;
    const gersh__pairs *pairs = objective->pairs;
    const gersh__supervision *known = gersh__pairs_supervision(pairs);
    const double *z = gersh__supervision_targets(known);
    gersh__walk w;
    gersh__walk_start(&w, pairs, 0, gersh__pairs_count(pairs));
    while (gersh__walk_next(&w)) {
        double apart = z[w.i] - z[w.j],
               c = apart * apart * gersh__supervision_pair_weight(known, w.pair, w.i, w.j);
        s->c[w.pair] = c;
        if (!isfinite(c))
            return gersh__fail(
                GERSH_ERROR_INPUT,
                "rows %zu and %zu: the targets %g and %g are too far apart for the objective glr; "
                "divide the targets by a large number",
                gersh__pairs_row(pairs, w.i) + 1, gersh__pairs_row(pairs, w.j) + 1, z[w.i], z[w.j]);
    }
    return GERSH_OK;
}

static gersh_status init(gersh__objective *objective)
{
    gersh__separable_init(objective, 0);
    if (gersh__supervision_source(gersh__pairs_supervision(objective->pairs)) == GERSH__TARGETS)
        return set_targets(objective);
    gersh__separable_set_different(objective, 4.0, 0);
    return GERSH_OK;
}

static const gersh__objective_kind kind = {
    .prefers_spread = 1,
    .needs = GERSH__NEEDS_DISSIMILAR,
    .arrays = 1,
    .state_size = sizeof(gersh__separable),
    .init = init,
    .evaluate = gersh__separable_evaluate,
    .curvature = gersh__separable_curvature,
    .hessian = gersh__separable_hessian,
    .pair_terms = gersh__separable_pair_terms,
    .log_hessian = gersh__separable_log_hessian,
};

const gersh__objective_entry gersh__objective_glr = {
    .info = {.name = "glr",
             .help = "graph Laplacian regulariser: labels should change little between close samples",
             .takes = GERSH__CLASSES | GERSH__TARGETS | GERSH__PAIRS,
             .automatic = GERSH__TARGETS,
             .second = GERSH__CLASSES,
             .nonnegative = 1,
             .local = 1,
             /* the most accurate (bench/trace.py): glr only pushes apart, so that C is always reached */
             .mean = 20},
    .classes = &kind,
    .pairs = &kind,
};
