/*
 * The solvers that are one region from start to end: diagonal, hull, psd.
 *
 * With few features and many samples an eigen-decomposition costs less than the objective. There psd begins
 * with a few steps of pdcone, which turn all eigenvectors at once, where atoms come one by one.
 */
#include "solver/dense.h"

enum { FIRST_STEPS = 8, FEW_FEATURES = 32, MANY_SAMPLES = 4 }; /* samples for each feature */

gersh_status gersh__solve_region(gersh__solver_run *run, gersh__region_kind kind, const double *color,
                                 const char *stage)
{
    gersh__region *region;
    gersh_status status = gersh__region_new(&region, kind, run->pairs, run->rules);
    if (status != GERSH_OK)
        return status;
    region->color = color;
    status = gersh__engine_solve(run->engine, region, stage, &run->limits, &run->stop);
    run->bound = run->engine->bound;
    gersh__region_free(region);
    return status;
}

static gersh_status solve_diagonal(gersh__solver_run *run)
{
    return gersh__solve_region(run, GERSH__DIAGONAL, NULL, "diagonal");
}

static gersh_status solve_hull(gersh__solver_run *run)
{
    return gersh__solve_region(run, GERSH__HULL, NULL, "hull");
}

static gersh_status solve_psd(gersh__solver_run *run)
{
    size_t k = run->pairs->k;
    gersh_status status = GERSH_OK;
    if (run->engine->atoms == 0 && k <= FEW_FEATURES && run->pairs->n >= MANY_SAMPLES * k)
        status = gersh__pdcone_start(run, FIRST_STEPS);
    return status != GERSH_OK ? status : gersh__solve_region(run, GERSH__PSD, NULL, "psd");
}

const gersh__solver gersh__solver_diagonal = {"diagonal", 0, solve_diagonal};
const gersh__solver gersh__solver_hull = {"hull", 0, solve_hull};
const gersh__solver gersh__solver_psd = {"psd", 1, solve_psd};
