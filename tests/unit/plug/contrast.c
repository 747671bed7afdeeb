/*
 * A toy objective: pairs of a class should be nearer than 1, pairs of two farther than 2,
 *
 *     F(d) = ½ Σ_{same class} w [d − 1]₊² + ½ Σ_{two classes} w [2 − d]₊²,
 *
 * or the similar and the dissimilar ones of listed pairs; w is the product of the weights of the samples.
 */
#include <float.h>
#include <math.h>

#include "data/dataset.h"
#include "objective/objective.h"
#include "verify/verify.h"

typedef struct contrast {
    gersh__objective base;
    double *w; /* of each pair, with a minus where it is to be short */
} contrast;

static gersh_status init(gersh__objective *objective)
{
    contrast *s = (contrast *)objective;
    const gersh__supervision *known = gersh__pairs_supervision(objective->pairs);
    gersh__walk w;
    s->w = objective->scratch;
    gersh__walk_start(&w, objective->pairs, 0, gersh__pairs_count(objective->pairs));
    while (gersh__walk_next(&w)) {
        double weight = gersh__supervision_pair_weight(known, w.pair, w.i, w.j);
        s->w[w.pair] = gersh__supervision_similar(known, w.pair, w.i, w.j) ? -weight : weight;
    }
    return GERSH_OK;
}

/* [d − 1]₊ or [2 − d]₊ */
static double excess(const contrast *s, size_t p, double d)
{
    return fmax(s->w[p] < 0 ? d - 1 : 2 - d, 0);
}

static double evaluate(gersh__objective *objective, const double *d, double *g)
{
    const contrast *s = (const contrast *)objective;
    double value = 0;
    for (size_t p = 0; p < gersh__pairs_count(objective->pairs); p++) {
        double over = excess(s, p, fmax(d[p], 0));
        value += 0.5 * fabs(s->w[p]) * over * over;
        if (g != NULL)
            g[p] = -s->w[p] * over;
    }
    return value;
}

static void curvature(gersh__objective *objective, const double *d, const double *v, double *out)
{
    const contrast *s = (const contrast *)objective;
    for (size_t p = 0; p < gersh__pairs_count(objective->pairs); p++)
        out[p] = excess(s, p, d[p]) > 0 ? fabs(s->w[p]) * v[p] : 0;
}

/* An excess is rounded in proportion to 2 + d, which shifts the point where the tangent is. */
static double doubt(gersh__objective *objective, const double *d, const double *g, double *r)
{
    double size = 0;
    (void)r;
    for (size_t p = 0; p < gersh__pairs_count(objective->pairs); p++)
        size += fabs(g[p]) * (2 + d[p]);
    return DBL_EPSILON * size;
}

static const gersh__objective_kind kind = {
    .prefers_spread = 1,
    .needs = GERSH__NEEDS_SIMILAR | GERSH__NEEDS_DISSIMILAR,
    .arrays = 1,
    .state_size = sizeof(contrast),
    .init = init,
    .evaluate = evaluate,
    .curvature = curvature,
    .doubt = doubt,
};

extern const gersh__objective_entry gersh__objective_contrast;
const gersh__objective_entry gersh__objective_contrast = {
    .info = {.name = "contrast",
             .help = "pairs of a class nearer than 1, pairs of two farther than 2",
             .takes = GERSH__CLASSES | GERSH__PAIRS,
             .nonnegative = 1,
             .mean = GERSH__MEAN_DISTANCE},
    .classes = &kind,
    .pairs = &kind,
};

/* And its definition. */
static void add(gersh__problem *p, size_t i, size_t j, int same)
{
    double w = gersh__problem_weight(p, i) * gersh__problem_weight(p, j),
           d = gersh__problem_distance(p, i, j);
    double over = same ? d - 1 : 2 - d;
    if (over <= 0)
        return;
    p->value += w * over * over / 2;
    p->margins += w * over * (2 + d);
    gersh__problem_pull(p, i, j, d, same ? w * over : -w * over, w * (2 + d));
}

static gersh_status of_classes(gersh__problem *p)
{
    for (size_t i = 0; i < p->n; i++)
        for (size_t j = 0; j < i; j++)
            add(p, i, j, p->data->labels[i] == p->data->labels[j]);
    return GERSH_OK;
}

static gersh_status of_pairs(gersh__problem *p)
{
    for (size_t t = 0; t < p->tuples->count; t++)
        add(p, p->tuples->row[2 * t], p->tuples->row[2 * t + 1], p->tuples->similar[t]);
    return GERSH_OK;
}

extern const gersh__reference gersh__reference_contrast;
const gersh__reference gersh__reference_contrast = {
    .name = "contrast", .never_negative = 1, .mean = 6, .classes = of_classes, .pairs = of_pairs};
