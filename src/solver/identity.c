/* The Euclidean metric (C/K) I, for comparison: nothing is learned. */
#include <math.h>

#include "solver/atoms.h"
#include "solver/solver.h"

static gersh_status solve_identity(gersh__solver_run *run)
{
    gersh__engine *e = run->engine;
    size_t k = gersh__pairs_features(run->pairs);
    gersh_status status = GERSH_OK;
    e->atoms = 0;
    for (size_t i = 0; i < k && status == GERSH_OK; i++)
        status = gersh__atoms_add(e, (gersh_atom){i, i, 1, 0}, NULL, e->budget / (double)k);
    gersh__engine_refresh(e);
    run->stop = GERSH_STOP_CONVERGED;
    run->bound = -INFINITY;
    return status;
}

const gersh__solver gersh__solver_identity = {
    .info = {.name = "identity",
             .help = "the Euclidean metric, for comparison",
             .signs = GERSH_SIGNS_NO_EDGES,
             .rules = 1},
    .run = solve_identity,
};
