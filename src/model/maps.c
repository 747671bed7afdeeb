/*
 * The feature maps of a model in its file: their names in the description, in the order of their application, and their
 * vectors as tensors.
 *
 * The member `unit_rows` says whether "unit length" is among them. The list of names, `maps`, is left out where it would
 * say no more than that: where it is "scale" alone, or "scale" and "unit length".
 */
#include "model/maps.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/json.h"
#include "base/text.h"

static const gersh__feature_map_ops *const usual[] = {&gersh__map_scale, &gersh__map_unit_length};

enum { USUAL = sizeof usual / sizeof usual[0] };

static int is_usual(const gersh_scaling *scaling)
{
    int same = scaling->count > 0 && scaling->count <= USUAL;
    for (size_t m = 0; same && m < scaling->count; m++)
        same = scaling->map[m].ops == usual[m];
    return same;
}

int gersh__maps_have_unit_length(const gersh_scaling *scaling)
{
    return gersh__scaling_find(scaling, &gersh__map_unit_length) != NULL;
}

json_t *gersh__maps_json(const gersh_scaling *scaling)
{
    if (is_usual(scaling))
        return NULL;
    json_t *list = json_array();
    for (size_t m = 0; m < scaling->count; m++)
        list = gersh__json_append(list, json_string(scaling->map[m].ops->name));
    return list;
}

/* The map and the vector that a tensor is of. */
static const gersh__feature_map_ops *ops_of(int *vector, int id)
{
    *vector = (id - GERSH__MAPS_FIRST) % GERSH__MAP_VECTORS;
    return gersh__feature_maps[(id - GERSH__MAPS_FIRST) / GERSH__MAP_VECTORS];
}

const char *gersh__maps_tensor_name(int id)
{
    int vector;
    const gersh__feature_map_ops *ops = ops_of(&vector, id);
    return ops != NULL ? ops->vector[vector] : NULL;
}

const double *gersh__maps_tensor(size_t *count, const gersh_scaling *scaling, int id)
{
    int vector;
    const gersh__feature_map_ops *ops = ops_of(&vector, id);
    const gersh__feature_map *map = ops != NULL ? gersh__scaling_find(scaling, ops) : NULL;
    *count = map != NULL ? map->count[vector] : 0;
    return map != NULL ? map->vector[vector] : NULL;
}

static gersh_status read_vector(gersh__feature_map *map, const gersh__model_reader *r, int id, int v)
{
    size_t count = r->tensor[id].count;
    gersh_status status = gersh__tensor_want(r, id, count, 0);
    if (status != GERSH_OK)
        return status;
    map->vector[v] = gersh__alloc(count, sizeof *map->vector[v]);
    if (map->vector[v] == NULL)
        return GERSH_ERROR_MEMORY;
    map->count[v] = count;
    for (size_t e = 0; e < count; e++)
        map->vector[v][e] = gersh__tensor_real(r, id, e);
    return GERSH_OK;
}

/* Appends the map of this name, with its vectors. */
static gersh_status read_map(gersh_scaling *scaling, const gersh__model_reader *r, const char *name)
{
    char excerpt[GERSH__EXCERPT_SIZE];
    const gersh__feature_map_ops *ops = gersh__feature_map_find(name);
    if (ops == NULL || gersh__scaling_find(scaling, ops) != NULL)
        return gersh__fail(GERSH_ERROR_INPUT, "the model has the feature map '%s', which %s",
                           gersh__text_excerpt(excerpt, sizeof excerpt, name, strlen(name)),
                           ops == NULL ? "is none that this gersh knows" : "stands in its list twice");
    gersh_status status = gersh__scaling_append(scaling, ops);
    for (int id = GERSH__MAPS_FIRST; id <= GERSH__MAPS_LAST && status == GERSH_OK; id++) {
        int v;
        if (ops_of(&v, id) == ops && ops->vector[v] != NULL)
            status = read_vector(&scaling->map[scaling->count - 1], r, id, v);
    }
    return status == GERSH_OK && ops->check != NULL ? ops->check(&scaling->map[scaling->count - 1])
                                                    : status;
}

gersh_status gersh__model_read_maps(gersh__model_reader *r, int unit_rows, const json_t *list)
{
    gersh_model *model = r->model;
    size_t count = list != NULL ? json_array_size(list) : unit_rows ? 2 : 1;
    if (count == 0 || count > GERSH__FEATURE_MAPS)
        return gersh__fail(GERSH_ERROR_INPUT, "the list of the model's feature maps is damaged");
    gersh_status status = gersh__scaling_new(&model->scaling, model->features);
    for (size_t m = 0; m < count && status == GERSH_OK; m++) {
        const char *name = list != NULL ? json_string_value(json_array_get(list, m)) : usual[m]->name;
        status = read_map(model->scaling, r, name != NULL ? name : "");
    }
    if (status == GERSH_OK && gersh__maps_have_unit_length(model->scaling) != (unit_rows != 0))
        status = gersh__fail(GERSH_ERROR_INPUT,
                             "the model's feature maps contradict what it says of the length of its rows");
    for (int id = GERSH__MAPS_FIRST; id <= GERSH__MAPS_LAST && status == GERSH_OK; id++) {
        int v;
        const gersh__feature_map_ops *ops = ops_of(&v, id);
        if (ops == NULL || gersh__scaling_find(model->scaling, ops) == NULL)
            status = gersh__tensor_reject(r, id);
    }
    return status == GERSH_OK ? gersh__scaling_name(model->scaling, model->feature_names) : status;
}
