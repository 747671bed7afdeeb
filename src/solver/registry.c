/*
 * The solvers that there are, by name, in the order in which lists name them. Each is defined in a file of src/solver as
 * gersh__solver_<name>. Tests put one of theirs beside these: GERSH__PLUG names a header, which says so as
 *
 *     #define GERSH__PLUG_SOLVERS SOLVER(toy)
 */
#include <string.h>

#include "base/settings.h"
#include "solver/solver.h"

#ifdef GERSH__PLUG
#include GERSH__PLUG
#endif
#ifndef GERSH__PLUG_SOLVERS
#define GERSH__PLUG_SOLVERS
#endif

#define SOLVERS                                                                                            \
    SOLVER(diagonal)                                                                                       \
    SOLVER(balanced)                                                                                       \
    SOLVER(hull)                                                                                           \
    SOLVER(psd)                                                                                            \
    SOLVER(sgml)                                                                                           \
    SOLVER(pgml)                                                                                           \
    SOLVER(hbnb)                                                                                           \
    SOLVER(pdcone)                                                                                         \
    SOLVER(identity)                                                                                       \
    GERSH__PLUG_SOLVERS

#define SOLVER(name) extern const gersh__solver gersh__solver_##name;
SOLVERS
#undef SOLVER

#define SOLVER(name) &gersh__solver_##name,
static const gersh__solver *const registry[] = {SOLVERS};
#undef SOLVER

#define SOLVER(name) "|" #name
const char gersh__solver_choices[] = SOLVERS; /* with a bar before the first */
#undef SOLVER

const gersh__solver *gersh__solver_at(size_t index)
{
    return index < sizeof registry / sizeof registry[0] ? registry[index] : NULL;
}

const gersh__solver *gersh__solver_find(const char *name)
{
    for (size_t i = 0; i < sizeof registry / sizeof registry[0]; i++)
        if (strcmp(registry[i]->info.name, name) == 0)
            return registry[i];
    return NULL;
}

const gersh_solver_info *gersh_solver_at(int index)
{
    const gersh__solver *solver = index >= 0 ? gersh__solver_at((size_t)index) : NULL;
    return solver != NULL ? &solver->info : NULL;
}

const gersh_solver_info *gersh_solver_find(const char *name)
{
    const gersh__solver *solver = gersh__solver_find(name);
    return solver != NULL ? &solver->info : NULL;
}

int gersh_solver_reads(const gersh_solver_info *solver, const char *setting)
{
    uint64_t reads = gersh__solver_find(solver->name)->reads;
    for (int i = 0; i < gersh_settings_count(); i++)
        if ((reads & GERSH__READS(i)) != 0 && strcmp(gersh_settings_info(i)->name, setting) == 0)
            return 1;
    return 0;
}
