/*
 * What is registered, for tests of all of it: objectives, solvers and regions by their facts, and which of them a test
 * has seen. Tests name one of them only where they are about that one.
 */
#ifndef GERSH_TESTS_REGISTRY_H
#define GERSH_TESTS_REGISTRY_H

#include <string.h>

#include "check.h"
#include "objective/objective.h"
#include "region/region.h"
#include "solver/solver.h"

/* What programs of tests/unit/plug add to the registries; not there in others. */
typedef struct plugged_names {
    const char *objective, *region, *solver;
} plugged_names;

extern const plugged_names plugged __attribute__((weak));

/* --- objectives --- */

typedef int (*objective_fact)(const gersh__objective_entry *entry);

static inline int any_objective(const gersh__objective_entry *entry)
{
    (void)entry;
    return 1;
}

static inline int learns_classes(const gersh__objective_entry *entry)
{
    return (entry->info.takes & GERSH__CLASSES) != 0;
}

static inline int learns_targets(const gersh__objective_entry *entry)
{
    return (entry->info.takes & GERSH__TARGETS) != 0;
}

static inline int learns_classes_alone(const gersh__objective_entry *entry)
{
    return learns_classes(entry) && !learns_targets(entry);
}

static inline int learns_pairs(const gersh__objective_entry *entry)
{
    return (entry->info.takes & GERSH__PAIRS) != 0;
}

static inline int learns_tuples(const gersh__objective_entry *entry)
{
    return (entry->info.takes & (GERSH__PAIRS | GERSH__TRIPLETS | GERSH__QUADRUPLETS)) != 0;
}

/* Of classes it is a function of some pairs, listed or drawn: it does not compare each sample with all others. */
static inline int uses_lists(const gersh__objective_entry *entry)
{
    return learns_classes(entry) && !entry->classes->all_pairs;
}

/* Pairs of different classes are enough. */
static inline int learns_apart(const gersh__objective_entry *entry)
{
    return learns_classes(entry) &&
           (entry->classes->needs & (GERSH__NEEDS_SIMILAR | GERSH__NEEDS_TRIPLETS)) == 0;
}

static inline int needs_mates(const gersh__objective_entry *entry)
{
    return learns_classes(entry) && !learns_apart(entry);
}

/* Pairs of copies of a row, at the distance 0, count for nothing: they are of one class, or as near as can be (lsml). */
static inline int copies_count_for_nothing(const gersh__objective_entry *entry)
{
    return learns_apart(entry) || strcmp(entry->info.name, "lsml") == 0;
}

static inline int is_smooth(const gersh__objective_entry *entry)
{
    return !entry->info.smoothed;
}

/* The one of that number of those that the fact is true of; NULL beyond the last. */
static inline const char *objective_name(size_t number, objective_fact fact)
{
    const gersh__objective_entry *entry;
    for (size_t i = 0; (entry = gersh__objective_at(i)) != NULL; i++)
        if (fact(entry) && number-- == 0)
            return entry->info.name;
    return NULL;
}

static inline size_t count_objectives(objective_fact fact)
{
    size_t count = 0;
    while (objective_name(count, fact) != NULL)
        count++;
    return count;
}

static inline int objective_is(const char *name, objective_fact fact)
{
    const gersh__objective_entry *entry = gersh__objective_find(name);
    assert_non_null(entry);
    return fact(entry);
}

/* −1 where it is maximised: times values, what is minimised. */
static inline double objective_sign(const char *name)
{
    return gersh_objective_find(name)->maximized ? -1 : 1;
}

static inline int takes_kind(const char *name, gersh_tuple_kind kind)
{
    return (gersh_objective_find(name)->takes & (unsigned)GERSH__PAIRS << kind) != 0;
}

/* --- solvers --- */

typedef int (*solver_fact)(const gersh__solver *solver);

static inline int any_solver(const gersh__solver *solver)
{
    (void)solver;
    return 1;
}

static inline int is_certified(const gersh__solver *solver)
{
    return solver->info.bound != GERSH_BOUND_NONE;
}

static inline int learns(const gersh__solver *solver)
{
    return solver->info.learns;
}

static inline int keeps_rules(const gersh__solver *solver)
{
    return solver->info.rules && solver->info.signs != GERSH_SIGNS_NO_EDGES;
}

/* Its metrics are all of those that its bound holds for, so that it ends within its gap of the optimum. */
static inline int is_convex(const gersh__solver *solver)
{
    return solver->info.bound == GERSH_BOUND_DIAGONAL || solver->info.bound == GERSH_BOUND_PSD ||
           (solver->info.bound == GERSH_BOUND_HULL && solver->info.signs == GERSH_SIGNS_FREE);
}

/* Whether the bound of one solver holds for the metrics of another. */
static inline int bound_holds_for(const gersh_solver_info *solver, const gersh_solver_info *other)
{
    return solver->bound == GERSH_BOUND_PSD || (solver->bound == GERSH_BOUND_HULL && !other->dense) ||
           (solver->bound == GERSH_BOUND_DIAGONAL && other->signs == GERSH_SIGNS_NO_EDGES);
}

static inline const char *solver_name(size_t number, solver_fact fact)
{
    const gersh__solver *solver;
    for (size_t i = 0; (solver = gersh__solver_at(i)) != NULL; i++)
        if (fact(solver) && number-- == 0)
            return solver->info.name;
    return NULL;
}

static inline size_t count_solvers(solver_fact fact)
{
    size_t count = 0;
    while (solver_name(count, fact) != NULL)
        count++;
    return count;
}

static inline int solver_is(const char *name, solver_fact fact)
{
    const gersh__solver *solver = gersh__solver_find(name);
    assert_non_null(solver);
    return fact(solver);
}

/*
 * Its iterations go from row to row, so that the order of features matters and a step is a search of its own. Of hbnb no
 * fact says so.
 */
static inline int goes_by_rows(const char *solver)
{
    return gersh_solver_reads(gersh_solver_find(solver), "rows-only") || strcmp(solver, "hbnb") == 0;
}

/* --- what a test has seen --- */

enum { MOST_VISITS = 256 };

typedef struct visits {
    size_t count;
    const char *name[MOST_VISITS];
} visits;

static inline int is_visited(const visits *seen, const char *name)
{
    for (size_t v = 0; v < seen->count; v++)
        if (strcmp(seen->name[v], name) == 0)
            return 1;
    return 0;
}

static inline void visit(visits *seen, const char *name)
{
    if (is_visited(seen, name))
        return;
    assert_true(seen->count < MOST_VISITS);
    seen->name[seen->count++] = name;
}

/* Every objective that the fact is true of was there, one that was plugged in among them. */
static inline void check_visits(const char *test, const visits *seen, objective_fact fact)
{
    const char *name;
    for (size_t o = 0; (name = objective_name(o, fact)) != NULL; o++)
        if (!is_visited(seen, name))
            fail_msg("%s has not seen the objective %s", test, name);
    if (&plugged != NULL && objective_is(plugged.objective, fact) && !is_visited(seen, plugged.objective))
        fail_msg("%s has not seen the objective that was plugged in", test);
}

static inline void check_solver_visits(const char *test, const visits *seen, solver_fact fact)
{
    const char *name;
    for (size_t s = 0; (name = solver_name(s, fact)) != NULL; s++)
        if (!is_visited(seen, name))
            fail_msg("%s has not seen the solver %s", test, name);
    if (&plugged != NULL && solver_is(plugged.solver, fact) && !is_visited(seen, plugged.solver))
        fail_msg("%s has not seen the solver that was plugged in", test);
}

static inline int any_region(const gersh__region_ops *ops)
{
    (void)ops;
    return 1;
}

static inline int is_of_pairs(const gersh__region_ops *ops)
{
    return !ops->dense;
}

static inline void check_region_visits(const char *test, const visits *seen,
                                       int (*fact)(const gersh__region_ops *ops))
{
    const gersh__region_ops *ops;
    int missing = &plugged != NULL && !is_visited(seen, plugged.region);
    for (size_t r = 0; (ops = gersh__region_at(r)) != NULL; r++)
        if (fact(ops) && !is_visited(seen, ops->name))
            fail_msg("%s has not seen the region %s", test, ops->name);
    if (missing)
        fail_msg("%s has not seen the region that was plugged in", test);
}

#define assert_all_objectives(seen, fact) check_visits(__func__, seen, fact)
#define assert_all_solvers(seen, fact) check_solver_visits(__func__, seen, fact)
#define assert_all_regions(seen, fact) check_region_visits(__func__, seen, fact)

#endif
