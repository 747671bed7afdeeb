/*
 * Metrics whose Gershgorin discs stay above ρ under the scalars 1/u, the graph balanced by the colours σ: one atom on each
 * pair, √(u_j/u_i) e_i − σ_iσ_j √(u_i/u_j) e_j but for its length, as sgml has it.
 */
#include <math.h>

#include "base/alloc.h"
#include "base/error.h"
#include "linalg/kernels.h"
#include "region/pairwise.h"

/* |z_i| u_i = |z_j| u_j, but for rounding. */
#define SAME_SCALAR 1e-9

/* Colours and scalars in the order of the rows: those of the region, or those listed. */
typedef struct order {
    const double *color, *u;
    double *listed_color, *listed_u;
} order;

static gersh_status init(gersh__region *region)
{
    if (region->params.color == NULL || region->params.u == NULL)
        return gersh__fail(GERSH_ERROR_ARGUMENT,
                           "internal error: the region 'gdpa' needs colours and scalars");
    order *o = region->own = gersh__alloc(1, sizeof *o);
    if (o == NULL)
        return GERSH_ERROR_MEMORY;
    o->listed_color = gersh__alloc(gersh__pairs_features(region->pairs), sizeof *o->listed_color);
    o->listed_u = gersh__alloc(gersh__pairs_features(region->pairs), sizeof *o->listed_u);
    return o->listed_color && o->listed_u ? gersh__pairwise_init(region) : GERSH_ERROR_MEMORY;
}

static void free_own(gersh__region *region)
{
    order *o = region->own;
    if (o != NULL) {
        gersh__free(o->listed_color);
        gersh__free(o->listed_u);
    }
    gersh__free(o);
    gersh__pairwise_free(region);
}

static int allows(const gersh__region *region, gersh_atom edge)
{
    const double *color = region->params.color, *u = region->params.u;
    double size = fabs(edge.a) * u[edge.i];
    return (edge.a * edge.b < 0) == (color[edge.i] * color[edge.j] > 0) &&
           fabs(size - fabs(edge.b) * u[edge.j]) <= SAME_SCALAR * size;
}

static double score(const gersh__region *region, size_t i, size_t j, double a, double b, double c,
                    gersh_atom *best)
{
    const double *color = region->params.color, *u = region->params.u;
    double value, ratio = sqrt(u[j] / u[i]), length = hypot(ratio, 1 / ratio);
    double least =
        gersh__kernels_here()->disc_values(1, a, &b, &c, u[i], u + j, color[i], color + j, &value);
    int edge = b * color[i] * color[j] > 0 && least < a && least < c;
    if (best != NULL)
        *best = edge ? (gersh_atom){i, j, ratio / length, -color[i] * color[j] / ratio / length}
                     : gersh__pairwise_single(i, j, a, c);
    return least;
}

static void arrange(gersh__region *region, const size_t *list, size_t count)
{
    order *o = region->own;
    o->color = list != NULL ? o->listed_color : region->params.color;
    o->u = list != NULL ? o->listed_u : region->params.u;
    for (size_t p = 0; list != NULL && p < count; p++) {
        o->listed_color[p] = region->params.color[list[p]];
        o->listed_u[p] = region->params.u[list[p]];
    }
}

static double score_row(const gersh__region *region, size_t place, size_t count, double a, const double *b,
                        const double *c, double *score)
{
    const order *o = region->own;
    return gersh__kernels_here()->disc_values(count, a, b, c, o->u[place], o->u + place + 1,
                                              o->color[place], o->color + place + 1, score);
}

const gersh__region_ops gersh__region_gdpa = {
    .name = "gdpa",
    .init = init,
    .minimize = gersh__pairwise_minimize,
    .free = free_own,
    .allows = allows,
    .score = score,
    .arrange = arrange,
    .score_row = score_row,
};
