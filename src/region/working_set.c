/* A list of features, and a mark on each of them. */
#include "region/working_set.h"

#include "base/alloc.h"

struct gersh__working_set {
    size_t count, *feature;
    char *has;
};

gersh_status gersh__working_set_new(gersh__working_set **out, size_t features)
{
    gersh__working_set *set = *out = gersh__alloc(1, sizeof *set);
    if (set == NULL)
        return GERSH_ERROR_MEMORY;
    set->feature = gersh__alloc(features, sizeof *set->feature);
    set->has = gersh__alloc(features, sizeof *set->has);
    if (set->feature != NULL && set->has != NULL)
        return GERSH_OK;
    gersh__working_set_free(set);
    *out = NULL;
    return GERSH_ERROR_MEMORY;
}

void gersh__working_set_free(gersh__working_set *set)
{
    if (set == NULL)
        return;
    gersh__free(set->feature);
    gersh__free(set->has);
    gersh__free(set);
}

void gersh__working_set_add(gersh__working_set *set, size_t feature)
{
    if (!set->has[feature])
        set->feature[set->count++] = feature;
    set->has[feature] = 1;
}

int gersh__working_set_has(const gersh__working_set *set, size_t feature)
{
    return set->has[feature];
}

const size_t *gersh__working_set_list(const gersh__working_set *set, size_t *count)
{
    *count = set->count;
    return set->feature;
}
