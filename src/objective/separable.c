/* Sums over pairs, value, gradient and diagonal Hessian by parts; see separable.h. */
#include "objective/separable.h"

#include <math.h>

#include "linalg/kernels.h"

#define RELATIVE_FLOOR 1e-16
#define SMALLEST_FLOOR 1e-150 /* its power −3/2 is within the range of numbers */

void gersh__separable_init(gersh__objective *objective, int root)
{
    gersh__separable *s = (gersh__separable *)objective;
    const gersh__pairs *pairs = objective->pairs;
    s->root = root;
    s->c = objective->scratch;
    s->second = s->room = root ? objective->scratch + gersh__pairs_count(pairs) : NULL;
}

typedef struct setting {
    gersh__separable *s;
    double factor;
    int distinct_only;
} setting;

static void set_chunk(void *context, size_t begin, size_t end)
{
    const setting *t = context;
    const gersh__pairs *pairs = t->s->base.pairs;
    const gersh__supervision *known = gersh__pairs_supervision(pairs);
    gersh__walk w;
    gersh__walk_start(&w, pairs, begin, end);
    while (gersh__walk_next(&w))
        if (!gersh__supervision_similar(known, w.pair, w.i, w.j) &&
            (!t->distinct_only || !gersh__pairs_coincide(pairs, w.i, w.j)))
            t->s->c[w.pair] = t->factor * gersh__supervision_pair_weight(known, w.pair, w.i, w.j);
}

void gersh__separable_set_different(gersh__objective *objective, double factor, int distinct_only)
{
    gersh__separable *s = (gersh__separable *)objective;
    const gersh__pairs *pairs = objective->pairs;
    const gersh__supervision *known = gersh__pairs_supervision(pairs);
    if (gersh__supervision_all_dissimilar(known) && !gersh__supervision_weighted(known) && !distinct_only) {
        s->c = NULL;
        s->each = factor;
        return;
    }
    gersh__pairs_each(pairs, set_chunk, &(setting){s, factor, distinct_only});
}

double gersh__root_floor(size_t count, const double *d)
{
    double floor = RELATIVE_FLOOR * gersh__kernels_here()->sum(count, d) / (double)count;
    return floor > SMALLEST_FLOOR ? floor : SMALLEST_FLOOR;
}

typedef struct task {
    gersh__separable *s;
    const double *d;
    double *g;
    double floor;
} task;

/* Σ c φ over a run of pairs that lie side by side, and their derivatives when wanted. */
static double add_run(const task *k, size_t begin, size_t length)
{
    const gersh__kernels *kernels = gersh__kernels_here();
    const gersh__separable *s = k->s;
    const double *c = s->c != NULL ? s->c + begin : NULL, *d = k->d + begin;
    if (k->g == NULL)
        return s->root ? -kernels->root_sum(length, c, d) : kernels->exp_sum(length, c, s->each, d);
    double *g = k->g + begin;
    return s->root ? -kernels->root_terms(length, c, d, k->floor, g, s->room + begin)
                   : kernels->exp_terms(length, c, s->each, d, g);
}

static double evaluate_chunk(void *context, size_t begin, size_t end)
{
    return add_run(context, begin, end - begin);
}

double gersh__separable_terms(gersh__separable *s, size_t count, const double *d, double *g)
{
    task k = {s, d, g, s->root && g != NULL ? gersh__root_floor(count, d) : 0};
    double sum = add_run(&k, 0, count);
    for (size_t p = 0; !s->root && g != NULL && p < count; p++)
        s->room[p] = -g[p];
    return sum;
}

double gersh__separable_evaluate(gersh__objective *objective, const double *d, double *g)
{
    gersh__separable *s = (gersh__separable *)objective;
    const gersh__pairs *pairs = objective->pairs;
    task k = {s, d, g, 0};
    if (s->root && g != NULL)
        k.floor = gersh__root_floor(gersh__pairs_count(pairs), d);
    if (g != NULL)
        s->second = s->root ? s->room : g;
    return gersh__pairs_reduce(pairs, evaluate_chunk, &k);
}

void gersh__separable_curvature(gersh__objective *objective, const double *d, const double *v, double *out)
{
    gersh__separable *s = (gersh__separable *)objective;
    (void)d;
    for (size_t p = 0, last = gersh__pairs_count(objective->pairs); p < last; p++)
        out[p] = fabs(s->second[p]) * v[p];
}

gersh_status gersh__separable_hessian(gersh__objective *objective, const double *d, size_t m,
                                      const double *t, double *h)
{
    gersh__separable *s = (gersh__separable *)objective;
    (void)d;
    return gersh__pairs_gram_estimate(objective->pairs, s->second, m, t, NULL, h);
}

/* H − F (∇ log F)(∇ log F)ᵀ = Σ_p e_p (a_p − ā)(a_p − ā)ᵀ with e_p = c_p exp(−d_p), ā = Σ_p e_p a_p / Σ_p e_p = −∇ log F. */
gersh_status gersh__separable_log_hessian(gersh__objective *objective, size_t m, const double *t,
                                          const double *slope, double *h)
{
    gersh__separable *s = (gersh__separable *)objective;
    return gersh__pairs_gram_estimate(objective->pairs, s->second, m, t, slope, h);
}

gersh__pair_terms gersh__separable_pair_terms(const gersh__objective *objective)
{
    const gersh__separable *s = (const gersh__separable *)objective;
    return (gersh__pair_terms){s->root, s->c, s->each, s->second};
}
