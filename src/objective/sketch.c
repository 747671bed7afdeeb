/* Sampled pairs and linear ones; see sketch.h. */
#include "objective/sketch.h"

#include <string.h>

#include "base/alloc.h"
#include "linalg/kernels.h"

static double evaluate(gersh__objective *objective, const double *d, double *g)
{
    gersh__sketch_objective *s = (gersh__sketch_objective *)objective;
    size_t tail = gersh__pairs_count(objective->pairs) - s->drawn;
    double value = gersh__separable_terms(&s->terms, s->drawn, d, g);
    if (g != NULL)
        memcpy(g + s->drawn, s->lambda, tail * sizeof *g);
    return s->constant + value + gersh__kernels_here()->dot(tail, s->lambda, d + s->drawn);
}

static gersh_status hessian(gersh__objective *objective, const double *d, size_t m, const double *t,
                            double *h)
{
    (void)d;
    return gersh__pairs_gram(objective->pairs, ((gersh__separable *)objective)->second, m, t, h);
}

static void clear(gersh__objective *objective)
{
    gersh__free(((gersh__sketch_objective *)objective)->lambda);
}

static const gersh__objective_kind kind = {
    .state_size = sizeof(gersh__sketch_objective),
    .clear = clear,
    .evaluate = evaluate,
    .hessian = hessian,
};

static const gersh_objective_info info = {.name = "sketch"};

gersh_status gersh__sketch_objective_new(gersh__sketch_objective **out, const gersh__objective *whole,
                                         const gersh__pairs *pairs, size_t drawn)
{
    gersh__sketch_objective *s = *out = gersh__alloc(1, kind.state_size);
    if (s == NULL)
        return GERSH_ERROR_MEMORY;
    gersh__objective *objective = &s->terms.base;
    objective->info = &info;
    objective->kind = &kind;
    objective->pairs = pairs;
    objective->scratch = gersh__alloc(gersh__pairs_count(pairs), 2 * sizeof *objective->scratch);
    s->lambda = gersh__alloc(gersh__pairs_count(pairs) - drawn, sizeof *s->lambda);
    s->drawn = drawn;
    if (objective->scratch == NULL || s->lambda == NULL) {
        gersh__objective_free(objective);
        *out = NULL;
        return GERSH_ERROR_MEMORY;
    }
    gersh__separable_init(objective, whole->kind->pair_terms(whole).root);
    s->terms.second = s->terms.room = objective->scratch + gersh__pairs_count(pairs);
    return GERSH_OK;
}
