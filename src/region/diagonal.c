/* Diagonal metrics: atoms e_i. */
#include "region/pairwise.h"

static int allows(const gersh__region *region, gersh_atom edge)
{
    (void)region;
    (void)edge;
    return 0;
}

static double score(const gersh__region *region, size_t i, size_t j, double a, double b, double c,
                    gersh_atom *best)
{
    (void)region;
    (void)b;
    if (best != NULL)
        *best = gersh__pairwise_single(i, j, a, c);
    return c < a ? c : a;
}

const gersh__region_ops gersh__region_diagonal = {
    .name = "diagonal",
    .init = gersh__pairwise_init,
    .minimize = gersh__pairwise_minimize_singles,
    .free = gersh__pairwise_free,
    .allows = allows,
    .score = score,
};
