/* The list of feature maps that samples go through; see scaling.h. */
#include "data/scaling.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/settings.h"
#include "base/text.h"

const gersh__feature_map_ops *gersh__feature_map_find(const char *name)
{
    for (int m = 0; m < GERSH__FEATURE_MAPS && gersh__feature_maps[m] != NULL; m++)
        if (strcmp(gersh__feature_maps[m]->name, name) == 0)
            return gersh__feature_maps[m];
    return NULL;
}

const gersh__feature_map *gersh__scaling_find(const gersh_scaling *scaling,
                                              const gersh__feature_map_ops *ops)
{
    for (size_t m = 0; m < scaling->count; m++)
        if (scaling->map[m].ops == ops)
            return &scaling->map[m];
    return NULL;
}

static void free_names(char **names, size_t count)
{
    for (size_t j = 0; names != NULL && j < count; j++)
        gersh__free(names[j]);
    gersh__free(names);
}

void gersh_scaling_free(gersh_scaling *scaling)
{
    if (scaling == NULL)
        return;
    for (size_t m = 0; m < scaling->count; m++)
        for (int v = 0; v < GERSH__MAP_VECTORS; v++)
            gersh__free(scaling->map[m].vector[v]);
    gersh__free(scaling->map);
    free_names(scaling->names, scaling->width);
    gersh__free(scaling);
}

gersh_status gersh__scaling_new(gersh_scaling **out, size_t inputs)
{
    gersh_scaling *scaling = *out = gersh__alloc(1, sizeof *scaling);
    if (scaling == NULL)
        return GERSH_ERROR_MEMORY;
    scaling->inputs = inputs;
    return GERSH_OK;
}

static size_t width_of(const gersh__feature_map *map)
{
    return map->ops->width != NULL ? map->ops->width(map) : map->inputs;
}

gersh_status gersh__scaling_append(gersh_scaling *scaling, const gersh__feature_map_ops *ops)
{
    size_t m = scaling->count, inputs = m > 0 ? width_of(&scaling->map[m - 1]) : scaling->inputs;
    gersh__feature_map *map = gersh__realloc(scaling->map, m + 1, sizeof *map);
    if (map == NULL)
        return GERSH_ERROR_MEMORY;
    map[m] = (gersh__feature_map){.ops = ops, .inputs = inputs};
    scaling->map = map;
    scaling->count++;
    return GERSH_OK;
}

/* Names of what the map makes of features with the names `inputs`. */
static gersh_status make_names(char ***out, const gersh__feature_map *map, char *const *inputs)
{
    size_t width = width_of(map);
    char **names = gersh__alloc(width, sizeof *names);
    gersh_status status = names != NULL ? map->ops->names(names, map, inputs) : GERSH_ERROR_MEMORY;
    if (status == GERSH_OK)
        *out = names;
    else
        free_names(names, width);
    return status;
}

gersh_status gersh__scaling_name(gersh_scaling *scaling, char *const *inputs)
{
    gersh_status status = GERSH_OK;
    scaling->names = gersh__alloc(scaling->inputs, sizeof *scaling->names);
    if (scaling->names == NULL)
        return GERSH_ERROR_MEMORY;
    for (scaling->width = 0; scaling->width < scaling->inputs; scaling->width++) {
        const char *name = inputs[scaling->width];
        scaling->names[scaling->width] = gersh__text_copy(name, strlen(name));
        if (scaling->names[scaling->width] == NULL)
            return GERSH_ERROR_MEMORY;
    }
    for (size_t m = 0; m < scaling->count; m++) {
        char **names = NULL;
        if (scaling->map[m].ops->names == NULL)
            continue;
        status = make_names(&names, &scaling->map[m], scaling->names);
        if (status != GERSH_OK)
            break;
        free_names(scaling->names, scaling->width);
        scaling->names = names;
        scaling->width = width_of(&scaling->map[m]);
    }
    return status;
}

static gersh_status apply_map(const gersh__feature_map *map, gersh_dataset *data)
{
    char **names = NULL;
    if (map->ops->names == NULL)
        return map->ops->apply(map, data);
    gersh_status status = make_names(&names, map, data->feature_names);
    if (status == GERSH_OK)
        status = map->ops->apply(map, data);
    if (status != GERSH_OK) {
        free_names(names, width_of(map));
        return status;
    }
    free_names(data->feature_names, data->k);
    data->feature_names = names;
    data->k = width_of(map);
    gersh__free(data->missing); /* of the features before */
    data->missing = NULL;
    return GERSH_OK;
}

gersh_status gersh__scaling_apply_first(const gersh_scaling *scaling, size_t count, gersh_dataset *data)
{
    gersh_status status = GERSH_OK;
    if (scaling->inputs != data->k)
        return gersh__fail(
            GERSH_ERROR_INPUT,
            "the scaling was fitted to %zu features but the data has %zu; use data with the same "
            "columns",
            scaling->inputs, data->k);
    for (size_t m = 0; m < count && status == GERSH_OK; m++)
        status = apply_map(&scaling->map[m], data);
    return status;
}

gersh_status gersh_scaling_apply(const gersh_scaling *scaling, gersh_dataset *data)
{
    return gersh__scaling_apply_first(scaling, scaling->count, data);
}

/* Fits the last map: to the data, or to what the maps before it make of a copy of it. */
static gersh_status fit_last(gersh_scaling *scaling, const gersh_dataset *data, const char *how)
{
    gersh__feature_map *map = &scaling->map[scaling->count - 1];
    gersh_dataset *seen = NULL;
    if (map->ops->fit == NULL)
        return GERSH_OK;
    if (scaling->count == 1)
        return map->ops->fit(map, data, how);
    gersh_status status = gersh_dataset_copy(&seen, data);
    if (status == GERSH_OK)
        status = gersh__scaling_apply_first(scaling, scaling->count - 1, seen);
    if (status == GERSH_OK)
        status = map->ops->fit(map, seen, how);
    gersh_dataset_free(seen);
    return status;
}

gersh_status gersh_scaling_fit(gersh_scaling **out, const gersh_dataset *data, const char *how)
{
    gersh_scaling *scaling = NULL;
    *out = NULL;
    gersh_status status = gersh__setting_check(GERSH__SCALE, how != NULL ? how : "");
    if (status == GERSH_OK)
        status = gersh__scaling_new(&scaling, data->k);
    for (int m = 0; m < GERSH__FEATURE_MAPS && status == GERSH_OK; m++) {
        if (gersh__feature_maps[m] == NULL || !gersh__feature_maps[m]->wanted(how))
            continue;
        status = gersh__scaling_append(scaling, gersh__feature_maps[m]);
        if (status == GERSH_OK)
            status = fit_last(scaling, data, how);
    }
    if (status == GERSH_OK)
        status = gersh__scaling_name(scaling, data->feature_names);
    if (status == GERSH_OK)
        *out = scaling;
    else
        gersh_scaling_free(scaling);
    return status;
}

size_t gersh__scaling_to_features(const gersh_scaling *scaling)
{
    size_t count = scaling->count;
    while (count > 0 && scaling->map[count - 1].ops->names == NULL)
        count--;
    return count;
}

const double *gersh__scaling_means(const gersh_scaling *scaling)
{
    int first = scaling->count > 0 && scaling->map[0].ops == &gersh__map_scale;
    return first ? gersh_scaling_vector(scaling, "mean") : NULL;
}

size_t gersh_scaling_inputs(const gersh_scaling *scaling)
{
    return scaling->inputs;
}

size_t gersh_scaling_width(const gersh_scaling *scaling)
{
    return scaling->width;
}

const char *gersh_scaling_feature_name(const gersh_scaling *scaling, size_t feature)
{
    return feature < scaling->width ? scaling->names[feature] : NULL;
}

size_t gersh_scaling_maps(const gersh_scaling *scaling)
{
    return scaling->count;
}

const char *gersh_scaling_map_name(const gersh_scaling *scaling, size_t map)
{
    return map < scaling->count ? scaling->map[map].ops->name : NULL;
}

const double *gersh_scaling_vector(const gersh_scaling *scaling, const char *name)
{
    for (size_t m = 0; m < scaling->count; m++)
        for (int v = 0; v < GERSH__MAP_VECTORS; v++) {
            const char *own = scaling->map[m].ops->vector[v];
            if (own != NULL && strcmp(own, name) == 0)
                return scaling->map[m].vector[v];
        }
    return NULL;
}
