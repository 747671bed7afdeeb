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
    const double *z = pairs->target;
    for (size_t p = 0, i = 1, j = 0; p < pairs->count; p++) {
        if (pairs->first != NULL) {
            i = pairs->first[p];
            j = pairs->second[p];
        }
        s->c[p] = (z[i] - z[j]) * (z[i] - z[j]) * gersh__pairs_weight(pairs, p, i, j);
        if (!isfinite(s->c[p]))
            return gersh__fail(
                GERSH_ERROR_INPUT,
                "rows %zu and %zu: the targets %g and %g are too far apart for the objective glr; "
                "divide the targets by a large number",
                pairs->sample[i] + 1, pairs->sample[j] + 1, z[i], z[j]);
        if (pairs->first == NULL && ++j == i) {
            i++;
            j = 0;
        }
    }
    return GERSH_OK;
}

static gersh_status init(gersh__objective *objective)
{
    gersh_status status = gersh__separable_init(objective, 0);
    if (status != GERSH_OK)
        return status;
    if (gersh__pairs_knowledge(objective->pairs) == GERSH__TARGETS)
        return set_targets(objective);
    gersh__separable_set_different(objective, 4.0, 0);
    return GERSH_OK;
}

static const gersh__objective_kind kind = {
    .spreads = 1,
    .separable = 1,
    .needs = GERSH__NEEDS_DISSIMILAR,
    .arrays = 1,
    .state_size = sizeof(gersh__separable),
    .init = init,
    .clear = gersh__separable_clear,
    .evaluate = gersh__separable_evaluate,
    .curvature = gersh__separable_curvature,
    .hessian = gersh__separable_hessian,
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
