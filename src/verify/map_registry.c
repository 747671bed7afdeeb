/*
 * The feature maps that the verifier knows, by name: gersh__map_reference_<name>, in the order in which they are applied.
 * Tests put one of theirs before these, as in src/data/registry.c.
 */
#include "verify/maps.h"

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

#define MAP(name) extern const gersh__map_reference gersh__map_reference_##name;
MAPS
#undef MAP

#define MAP(name) &gersh__map_reference_##name,
    const gersh__map_reference *const gersh__map_references[GERSH__MAP_REFERENCES] = {MAPS};
#undef MAP
