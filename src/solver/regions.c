/*
 * The solvers that are one region from start to end: diagonal, hull, psd.
 * Of these psd begins with a descent on a factor of the metric, as dense atoms would come one by one.
 */
#include <math.h>

#include "base/alloc.h"
#include "base/policy.h"
#include "base/random.h"
#include "solver/atoms.h"
#include "solver/factor.h"
#include "solver/policy.h"

/* Puts all of the budget on the features alike or, of dense atoms, on a random one, which sees all differences. */
static gersh_status spread(gersh__engine *e)
{
    size_t k = gersh__pairs_features(e->pairs);
    gersh_status status = GERSH_OK;
    if (!e->dense) {
        for (size_t i = 0; i < k && status == GERSH_OK; i++)
            status = gersh__atoms_add(e, (gersh_atom){i, i, 1, 0}, NULL, e->budget / (double)k);
        return status;
    }
    gersh__random random;
    double *vector = gersh__alloc(k, sizeof *vector), square = 0;
    if (vector == NULL)
        return GERSH_ERROR_MEMORY;
    gersh__random_seed(&random, 0);
    for (size_t i = 0; i < k; i++) {
        vector[i] = gersh__random_normal(&random);
        square += vector[i] * vector[i];
    }
    for (size_t i = 0; i < k; i++)
        vector[i] /= sqrt(square);
    status = gersh__atoms_add(e, (gersh_atom){0, 0, 0, 0}, vector, e->budget);
    gersh__free(vector);
    return status;
}

/* Whether the objective cannot begin at ρI, or is nearer to its minimum with the budget on all features alike. */
static int begins_spread(const gersh__engine *e)
{
    const gersh__objective_kind *kind = e->objective->kind;
    return (kind->singular_at_zero && e->rho == 0) ||
           (kind->prefers_spread && !e->dense && gersh__pairs_features(e->pairs) <= GERSH__SPREAD_FEATURES);
}

gersh_status gersh__solve_region(gersh__solver_run *run, const gersh__region_ops *ops, const double *color)
{
    const gersh__region_params params = {
        .rules = run->rules, .color = color, .working_set = run->engine->working_set};
    gersh__region *region;
    gersh_status status = gersh__region_new(&region, ops, run->pairs, &params);
    if (status != GERSH_OK)
        return status;
    if (run->engine->atoms == 0 && begins_spread(run->engine))
        status = spread(run->engine);
    if (status == GERSH_OK)
        status = gersh__engine_solve(run->engine, region, ops->name, &run->limits, &run->stop);
    run->bound = run->engine->bound;
    gersh__witness_move(&run->witness, &run->engine->witness);
    gersh__region_free(region);
    return status;
}

static gersh_status solve_diagonal(gersh__solver_run *run)
{
    return gersh__solve_region(run, &gersh__region_diagonal, NULL);
}

static gersh_status solve_hull(gersh__solver_run *run)
{
    return gersh__solve_region(run, &gersh__region_hull, NULL);
}

static gersh_status solve_psd(gersh__solver_run *run)
{
    gersh_status status = run->engine->atoms == 0 ? gersh__factor_start(run) : GERSH_OK;
    return status != GERSH_OK ? status : gersh__solve_region(run, &gersh__region_psd, NULL);
}

const gersh__solver gersh__solver_diagonal = {
    .info = {.name = "diagonal",
             .help = "diagonal matrices: a weight for each feature",
             .bound = GERSH_BOUND_DIAGONAL,
             .signs = GERSH_SIGNS_NO_EDGES,
             .rules = 1,
             .learns = 1},
    .region = &gersh__region_diagonal,
    .run = solve_diagonal,
};

const gersh__solver gersh__solver_hull = {
    .info = {.name = "hull",
             .help = "the convex hull of balanced signed graphs",
             .bound = GERSH_BOUND_HULL,
             .signs = GERSH_SIGNS_FREE,
             .rules = 1,
             .learns = 1},
    .region = &gersh__region_hull,
    .run = solve_hull,
};

const gersh__solver gersh__solver_psd = {
    .info = {.name = "psd",
             .help = "all positive definite matrices",
             .bound = GERSH_BOUND_PSD,
             .signs = GERSH_SIGNS_FREE,
             .dense = 1,
             .learns = 1},
    .region = &gersh__region_psd,
    .run = solve_psd,
};
