/* The facts of a fit, for the rules of policy.c. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/settings.h"
#include "solver/fit.h"

#define GB 1e9

static double budget(const gersh__fit *fit)
{
    if (!gersh__setting_is(fit->settings, GERSH__MEMORY, "auto"))
        return GB * gersh__setting_number(fit->settings, GERSH__MEMORY);
    return gersh__memory_limit();
}

static gersh_status refuse(double needed, double allowed, size_t n, int custom)
{
    return gersh__fail(
        GERSH_ERROR_MEMORY,
        "memory: a fit to %zu rows%s needs %.3g GB, but %.3g GB are allowed; allow more with "
        "--memory, or use fewer rows",
        n, custom ? ", all pairs of which a custom objective is a function of," : "", needed / GB,
        allowed / GB);
}

gersh_status gersh__plan_make(gersh__plan *plan, const gersh__fit *fit, size_t n)
{
    gersh__facts facts = {.n = n,
                          .k = gersh_dataset_features(fit->data),
                          .memory = budget(fit),
                          .room = 32,
                          .all_pairs = fit->objective == NULL};
    if (fit->objective != NULL) {
        const gersh__objective_kind *kind = fit->objective->classes;
        facts.room = (double)kind->room;
        facts.triplets = (kind->needs & GERSH__NEEDS_TRIPLETS) != 0;
        facts.separable = kind->pair_terms != NULL;
    }
    *plan = gersh__policy_plan(&facts);
    return plan->fits ? GERSH_OK : refuse(plan->memory, facts.memory, n, facts.all_pairs);
}
