/* The solvers that are one region from start to end: diagonal, hull, psd. */
#include "solver/solver.h"

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
    return gersh__solve_region(run, GERSH__PSD, NULL, "psd");
}

const gersh__solver gersh__solver_diagonal = {"diagonal", 0, solve_diagonal};
const gersh__solver gersh__solver_hull = {"hull", 0, solve_hull};
const gersh__solver gersh__solver_psd = {"psd", 1, solve_psd};
