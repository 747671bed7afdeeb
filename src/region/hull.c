/* The convex hull of all balanced graph metrics: the best atom on a pair is the first eigenvector of its 2×2 block. */
#include "linalg/kernels.h"
#include "region/pairwise.h"

static int allows(const gersh__region *region, gersh_atom edge)
{
    (void)region;
    (void)edge;
    return 1;
}

static double score_row(const gersh__region *region, size_t place, size_t count, double a, const double *b,
                        const double *c, double *score)
{
    (void)region;
    (void)place;
    return gersh__kernels_here()->pair_values(count, a, b, c, 1, NULL, score);
}

static double score(const gersh__region *region, size_t i, size_t j, double a, double b, double c,
                    gersh_atom *best)
{
    double value;
    (void)region;
    if (best != NULL)
        *best = b != 0 ? gersh__pairwise_eigenvector(i, j, a, b, c) : gersh__pairwise_single(i, j, a, c);
    return gersh__kernels_here()->pair_values(1, a, &b, &c, 1, NULL, &value);
}

const gersh__region_ops gersh__region_hull = {
    .name = "hull",
    .free_signs = 1,
    .init = gersh__pairwise_init,
    .minimize = gersh__pairwise_minimize,
    .free = gersh__pairwise_free,
    .allows = allows,
    .score = score,
    .score_row = score_row,
};
