/* What a solver does not do, from its facts, and which ones do. */
#include "base/error.h"
#include "base/text.h"
#include "solver/solver.h"

static int reads(const gersh__solver *solver, int setting)
{
    return (solver->reads & GERSH__READS(setting)) != 0;
}

/* That have edges to keep them for. */
static int keeps_rules(const gersh__solver *solver, int unused)
{
    (void)unused;
    return solver->info.rules && solver->info.signs != GERSH_SIGNS_NO_EDGES;
}

/* "a, b or c": the names of the solvers that pass the test; how many these are. */
static size_t list_solvers(char list[GERSH__NAME_LIST],
                           int (*passes)(const gersh__solver *solver, int setting), int setting)
{
    const char *names[GERSH__LISTED_NAMES];
    const gersh__solver *solver;
    size_t count = 0;
    for (size_t i = 0; count < GERSH__LISTED_NAMES && (solver = gersh__solver_at(i)) != NULL; i++)
        if (passes(solver, setting))
            names[count++] = solver->info.name;
    gersh__text_list(list, GERSH__NAME_LIST, names, count, " or ");
    return count;
}

static int is_initial(const gersh_settings *settings, int setting)
{
    const gersh_setting_info *info = gersh_settings_info(setting);
    return info->kind == GERSH_SETTING_NUMBER
               ? gersh__setting_number(settings, setting) == gersh__setting_number(NULL, setting)
               : gersh__setting_is(settings, setting, info->initial);
}

gersh_status gersh__solver_check(const gersh__solver *solver, const gersh_settings *settings, int rules)
{
    char list[GERSH__NAME_LIST];
    for (int i = 0; i < gersh_settings_count(); i++)
        if (!reads(solver, i) && list_solvers(list, reads, i) > 0 && !is_initial(settings, i))
            return gersh__fail(GERSH_ERROR_ARGUMENT,
                               "%s: the solver '%s' does not use it; leave it out, or use the solver %s",
                               gersh_settings_info(i)->name, solver->info.name, list);
    if (!rules || solver->info.rules)
        return GERSH_OK;
    list_solvers(list, keeps_rules, 0);
    return gersh__fail(GERSH_ERROR_ARGUMENT,
                       "the solver '%s' cannot keep rules for pairs of features; use %s", solver->info.name,
                       list);
}
