/*
 * What samples go through before a metric is learned from them: a list of feature maps, in order. Pairs, objectives,
 * regions and solvers see only what comes out of it, which may have other features than the data, in number and name.
 *
 * A feature map is an entry of the table in registry.c. What it learns from samples is a few named vectors: the model
 * file has a tensor of that name for each, and the digest of the samples goes over them.
 */
#ifndef GERSH_SRC_DATA_SCALING_H
#define GERSH_SRC_DATA_SCALING_H

#include "data/dataset.h"

enum { GERSH__FEATURE_MAPS = 8, GERSH__MAP_VECTORS = 2 }; /* at most; vectors of each */

typedef struct gersh__feature_map_ops gersh__feature_map_ops;

typedef struct gersh__feature_map {
    const gersh__feature_map_ops *ops;
    size_t inputs;
    size_t count[GERSH__MAP_VECTORS]; /* entries of each vector */
    double *vector[GERSH__MAP_VECTORS];
} gersh__feature_map;

struct gersh__feature_map_ops {
    const char *name;                       /* in the model file */
    const char *vector[GERSH__MAP_VECTORS]; /* names of its vectors; NULL: it has fewer */

    /* Whether the setting `scale` asks for it with this value. */
    int (*wanted)(const char *scale);

    /* Learns the vectors from samples, which have gone through the maps before. NULL: there is nothing to learn. */
    gersh_status (*fit)(gersh__feature_map *map, const gersh_dataset *data, const char *scale);

    /* Whether vectors that come from a file can be those of this map. NULL: it has none. */
    gersh_status (*check)(const gersh__feature_map *map);

    /* Puts the outputs in place of the values, dense or sparse; all of them or, on failure, none. */
    gersh_status (*apply)(const gersh__feature_map *map, gersh_dataset *data);

    /* Number of outputs, and their names (gersh__alloc). NULL, both: those of the inputs. */
    size_t (*width)(const gersh__feature_map *map);
    gersh_status (*names)(char **out, const gersh__feature_map *map, char *const *inputs);
};

/* Every feature map, in the order in which they are applied; NULL at places that are free. */
extern const gersh__feature_map_ops *const gersh__feature_maps[GERSH__FEATURE_MAPS];
extern const gersh__feature_map_ops gersh__map_scale, gersh__map_unit_length;

struct gersh_scaling {
    size_t inputs, width;
    char **names; /* of the outputs */
    size_t count;
    gersh__feature_map *map;
};

/* A list without maps; maps are appended to it with their vectors, and then its outputs are named. */
gersh_status gersh__scaling_new(gersh_scaling **out, size_t inputs);
gersh_status gersh__scaling_append(gersh_scaling *scaling, const gersh__feature_map_ops *ops);
gersh_status gersh__scaling_name(gersh_scaling *scaling, char *const *inputs);

/* The feature map of that name, or NULL; and the map of a list with these ops, or NULL. */
const gersh__feature_map_ops *gersh__feature_map_find(const char *name);
const gersh__feature_map *gersh__scaling_find(const gersh_scaling *scaling,
                                              const gersh__feature_map_ops *ops);

/* Applies the first `count` maps. */
gersh_status gersh__scaling_apply_first(const gersh_scaling *scaling, size_t count, gersh_dataset *data);

/* How many maps it takes, from the first, to the features that the metric has, as near to the data as they are. */
size_t gersh__scaling_to_features(const gersh_scaling *scaling);

/* Means of the inputs in the samples that it was fitted to; NULL where no map has learned them. */
const double *gersh__scaling_means(const gersh_scaling *scaling);

#endif
