/*
 * The objectives that there are, by name, in the order in which lists name them. Each is defined in a file of its own as
 * gersh__objective_<name>. Tests put one of theirs beside these: GERSH__PLUG names a header, which says so as
 *
 *     #define GERSH__PLUG_OBJECTIVES OBJECTIVE(toy)
 */
#include <string.h>

#include "base/settings.h"
#include "objective/objective.h"

#ifdef GERSH__PLUG
#include GERSH__PLUG
#endif
#ifndef GERSH__PLUG_OBJECTIVES
#define GERSH__PLUG_OBJECTIVES
#endif

#define OBJECTIVES                                                                                         \
    OBJECTIVE(mcml)                                                                                        \
    OBJECTIVE(deml)                                                                                        \
    OBJECTIVE(lsml)                                                                                        \
    OBJECTIVE(lmnn)                                                                                        \
    OBJECTIVE(glr)                                                                                         \
    GERSH__PLUG_OBJECTIVES

#define OBJECTIVE(name) extern const gersh__objective_entry gersh__objective_##name;
OBJECTIVES
#undef OBJECTIVE

#define OBJECTIVE(name) &gersh__objective_##name,
static const gersh__objective_entry *const registry[] = {OBJECTIVES};
#undef OBJECTIVE

#define OBJECTIVE(name) "|" #name
const char gersh__objective_choices[] = "auto" OBJECTIVES;
#undef OBJECTIVE

const gersh__objective_entry *gersh__objective_at(size_t index)
{
    return index < sizeof registry / sizeof registry[0] ? registry[index] : NULL;
}

const gersh__objective_entry *gersh__objective_find(const char *name)
{
    for (size_t i = 0; i < sizeof registry / sizeof registry[0]; i++)
        if (strcmp(registry[i]->info.name, name) == 0)
            return registry[i];
    return NULL;
}

const gersh_objective_info *gersh_objective_at(int index)
{
    const gersh__objective_entry *entry = index >= 0 ? gersh__objective_at((size_t)index) : NULL;
    return entry != NULL ? &entry->info : NULL;
}

const gersh_objective_info *gersh_objective_find(const char *name)
{
    const gersh__objective_entry *entry = gersh__objective_find(name);
    return entry != NULL ? &entry->info : NULL;
}
