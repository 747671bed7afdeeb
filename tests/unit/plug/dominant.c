/*
 * A toy region: the diagonally dominant matrices, with the atoms e_i and (e_i ± e_j)/√2; and a solver that ends in it, whose
 * bounds would be those of no set that models know, so that it has none.
 */
#include <math.h>

#include "region/pairwise.h"
#include "regions.h"
#include "registry.h"
#include "solver/solver.h"

static int allows(const gersh__region *region, gersh_atom edge)
{
    (void)region;
    return fabs(fabs(edge.a) - fabs(edge.b)) <= 1e-9;
}

static double score(const gersh__region *region, size_t i, size_t j, double a, double b, double c,
                    gersh_atom *best)
{
    double edge = 0.5 * (a + c) - fabs(b), single = fmin(a, c), half = sqrt(0.5);
    (void)region;
    if (best != NULL)
        *best = edge < single ? (gersh_atom){i, j, half, b > 0 ? -half : half}
                              : gersh__pairwise_single(i, j, a, c);
    return fmin(edge, single);
}

extern const gersh__region_ops gersh__region_dominant;
const gersh__region_ops gersh__region_dominant = {
    .name = "dominant",
    .free_signs = 1,
    .init = gersh__pairwise_init,
    .minimize = gersh__pairwise_minimize,
    .free = gersh__pairwise_free,
    .allows = allows,
    .score = score,
};

static gersh_status solve(gersh__solver_run *run)
{
    gersh_status status = gersh__solve_region(run, &gersh__region_dominant, NULL);
    run->bound = -INFINITY;
    gersh__witness_move(&run->witness, &(gersh__witness){NULL, 0});
    return status;
}

extern const gersh__solver gersh__solver_dominant;
const gersh__solver gersh__solver_dominant = {
    .info = {.name = "dominant",
             .help = "diagonally dominant matrices",
             .signs = GERSH_SIGNS_FREE,
             .rules = 1,
             .learns = 1},
    .run = solve,
};

/* What the tests know of it: edges at 45°. */
static int has(gersh_atom edge)
{
    return fabs(edge.a * edge.a - edge.b * edge.b) < 1e-9;
}

const plugged_names plugged = {"contrast", "dominant", "dominant"};
const region_definition plugged_region = {has, 0.78539816339744831};
