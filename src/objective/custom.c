/*
 * The user's own objective: calls the user's functions with the pairs as rows of the user's data set.
 *
 * Without a function for it, the product of the Hessian with v comes from differences of the gradient. v is
 * split into its positive and its negative part, and from d only steps in the direction of a part are
 * taken, so that no distance becomes negative: with e a part of v and f(s) the gradient at d + s e,
 *
 *     H e  ≈  (4 f(h) − 3 f(0) − f(2h)) / (2h),
 *
 * with an error of the order of h² and of rounding / h; h is the cube root of the precision, times the size
 * of d.
 */
#include "objective/custom.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "linalg/kernels.h"

#define RELATIVE_STEP 6e-6

typedef struct custom {
    gersh__objective base;
    gersh_custom_objective user;
    size_t *first, *second; /* rows of the user's data set */
    double *gradient;       /* the last one */
    double *probe;          /* distances, */
    double *probed;         /* and the gradient there */
} custom;

static gersh_status init(gersh__objective *objective)
{
    custom *s = (custom *)objective;
    const gersh__pairs *pairs = objective->pairs;
    s->gradient = objective->scratch;
    s->probe = s->gradient + gersh__pairs_count(pairs);
    s->probed = s->probe + gersh__pairs_count(pairs);
    s->first = gersh__alloc(gersh__pairs_count(pairs), sizeof *s->first);
    s->second = gersh__alloc(gersh__pairs_count(pairs), sizeof *s->second);
    if (s->first == NULL || s->second == NULL)
        return GERSH_ERROR_MEMORY;
    gersh__walk w;
    gersh__walk_start(&w, pairs, 0, gersh__pairs_count(pairs));
    while (gersh__walk_next(&w)) {
        s->first[w.pair] = gersh__pairs_row(pairs, w.i);
        s->second[w.pair] = gersh__pairs_row(pairs, w.j);
    }
    return GERSH_OK;
}

static void clear(gersh__objective *objective)
{
    custom *s = (custom *)objective;
    gersh__free(s->first);
    gersh__free(s->second);
}

static double call(const custom *s, const double *d, double *g)
{
    return s->user.evaluate(s->user.context, gersh__pairs_count(s->base.pairs), s->first, s->second, d, g);
}

static double evaluate(gersh__objective *objective, const double *d, double *g)
{
    custom *s = (custom *)objective;
    double value = call(s, d, g);
    if (g != NULL)
        memcpy(s->gradient, g, gersh__pairs_count(objective->pairs) * sizeof *g);
    return value;
}

/* out += sign · H times the part of v of that sign. */
static void add_part(custom *s, const double *d, const double *v, double sign, double *out)
{
    size_t count = gersh__pairs_count(s->base.pairs);
    double largest = 0, mean = fabs(gersh__kernels_here()->sum(count, d)) / (double)count;
    for (size_t p = 0; p < count; p++)
        largest = fmax(largest, sign * v[p]);
    if (largest == 0)
        return;
    double step = RELATIVE_STEP * (mean > 0 ? mean : 1.0) / largest;
    for (int reach = 1; reach <= 2; reach++) {
        for (size_t p = 0; p < count; p++)
            s->probe[p] = d[p] + reach * step * fmax(0.0, sign * v[p]);
        call(s, s->probe, s->probed);
        double factor = sign * (reach == 1 ? 2.0 : -0.5) / step;
        for (size_t p = 0; p < count; p++)
            out[p] += factor * (s->probed[p] - s->gradient[p]);
    }
}

static void curvature(gersh__objective *objective, const double *d, const double *v, double *out)
{
    custom *s = (custom *)objective;
    if (s->user.curvature != NULL) {
        s->user.curvature(s->user.context, gersh__pairs_count(objective->pairs), d, v, out);
        return;
    }
    memset(out, 0, gersh__pairs_count(objective->pairs) * sizeof *out);
    add_part(s, d, v, 1.0, out);
    add_part(s, d, v, -1.0, out);
}

static const gersh__objective_kind kind = {
    .room = 32, /* rows of pairs, and the products of gersh__objective_hessian */
    .arrays = 3,
    .state_size = sizeof(custom),
    .init = init,
    .clear = clear,
    .evaluate = evaluate,
    .curvature = curvature,
};

const gersh__objective_entry gersh__objective_custom = {
    .info = {.name = "custom",
             .help = "a function of the caller's own",
             .takes = ~0U,
             .mean = GERSH__MEAN_DISTANCE},
    .classes = &kind,
    .pairs = &kind,
    .compared = &kind,
};

gersh_status gersh__objective_new_custom(gersh__objective **out, const gersh_custom_objective *user,
                                         const gersh__pairs *pairs)
{
    *out = NULL;
    if (user == NULL || user->evaluate == NULL)
        return gersh__fail(
            GERSH_ERROR_ARGUMENT,
            "the custom objective has no function `evaluate`; set it to one that gives the value");
    gersh_status status = gersh__objective_new(out, &gersh__objective_custom, pairs);
    if (status == GERSH_OK)
        ((custom *)*out)->user = *user;
    return status;
}
