/*
 * Metrics whose graphs the colours σ balance: atoms a e_i − σ_iσ_j b e_j with a, b >= 0. Where z_i z_j, of the sign of −G_ij,
 * has that sign the best atom on a pair is the first eigenvector of its 2×2 block; elsewhere it is e_i or e_j.
 */
#include "base/alloc.h"
#include "base/error.h"
#include "linalg/kernels.h"
#include "region/pairwise.h"

/* Colours in the order of the rows: those of the region, or those listed. */
typedef struct order {
    const double *color;
    double *listed;
} order;

static gersh_status init(gersh__region *region)
{
    if (region->params.color == NULL)
        return gersh__fail(GERSH_ERROR_ARGUMENT, "internal error: the region 'balanced' needs colours");
    order *o = region->own = gersh__alloc(1, sizeof *o);
    if (o == NULL)
        return GERSH_ERROR_MEMORY;
    o->listed = gersh__alloc(gersh__pairs_features(region->pairs), sizeof *o->listed);
    return o->listed != NULL ? gersh__pairwise_init(region) : GERSH_ERROR_MEMORY;
}

static void free_own(gersh__region *region)
{
    order *o = region->own;
    if (o != NULL)
        gersh__free(o->listed);
    gersh__free(o);
    gersh__pairwise_free(region);
}

static int allows(const gersh__region *region, gersh_atom edge)
{
    const double *color = region->params.color;
    return (edge.a * edge.b < 0) == (color[edge.i] * color[edge.j] > 0);
}

static double score(const gersh__region *region, size_t i, size_t j, double a, double b, double c,
                    gersh_atom *best)
{
    const double *color = region->params.color;
    double value;
    if (best != NULL)
        *best = b * color[i] * color[j] > 0 ? gersh__pairwise_eigenvector(i, j, a, b, c)
                                            : gersh__pairwise_single(i, j, a, c);
    return gersh__kernels_here()->pair_values(1, a, &b, &c, color[i], color + j, &value);
}

static void arrange(gersh__region *region, const size_t *list, size_t count)
{
    order *o = region->own;
    o->color = list != NULL ? o->listed : region->params.color;
    for (size_t p = 0; list != NULL && p < count; p++)
        o->listed[p] = region->params.color[list[p]];
}

static double score_row(const gersh__region *region, size_t place, size_t count, double a, const double *b,
                        const double *c, double *score)
{
    const order *o = region->own;
    return gersh__kernels_here()->pair_values(count, a, b, c, o->color[place], o->color + place + 1, score);
}

const gersh__region_ops gersh__region_balanced = {
    .name = "balanced",
    .init = init,
    .minimize = gersh__pairwise_minimize,
    .free = free_own,
    .allows = allows,
    .score = score,
    .arrange = arrange,
    .score_row = score_row,
};
