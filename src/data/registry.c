/*
 * The feature maps that there are, by name, in the order in which they are applied. Each is defined in a file of its own as
 * gersh__map_<name>. Tests put one of theirs before these: GERSH__PLUG names a header, which says so as
 *
 *     #define GERSH__PLUG_MAPS MAP(toy)
 */
#include "data/scaling.h"

#ifdef GERSH__PLUG
#include GERSH__PLUG
#endif
#ifndef GERSH__PLUG_MAPS
#define GERSH__PLUG_MAPS
#endif

#define MAPS                                                                                               \
    GERSH__PLUG_MAPS                                                                                       \
    MAP(scale)                                                                                             \
    MAP(unit_length)

#define MAP(name) extern const gersh__feature_map_ops gersh__map_##name;
MAPS
#undef MAP

#define MAP(name) &gersh__map_##name,
    const gersh__feature_map_ops *const gersh__feature_maps[GERSH__FEATURE_MAPS] = {MAPS};
#undef MAP
