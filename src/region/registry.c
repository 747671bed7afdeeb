/*
 * The regions that there are, from the smallest to the largest. Each is defined in a file of its own as gersh__region_<name>.
 * Tests put one of theirs beside these: GERSH__PLUG names a header, which says so as
 *
 *     #define GERSH__PLUG_REGIONS REGION(toy)
 */
#include "region/region.h"

#ifdef GERSH__PLUG
#include GERSH__PLUG
#endif
#ifndef GERSH__PLUG_REGIONS
#define GERSH__PLUG_REGIONS
#endif

#define REGIONS                                                                                            \
    REGION(diagonal)                                                                                       \
    REGION(gdpa)                                                                                           \
    REGION(balanced)                                                                                       \
    REGION(hull)                                                                                           \
    REGION(psd)                                                                                            \
    GERSH__PLUG_REGIONS

#define REGION(name) extern const gersh__region_ops gersh__region_##name;
REGIONS
#undef REGION

#define REGION(name) &gersh__region_##name,
static const gersh__region_ops *const registry[] = {REGIONS};
#undef REGION

const gersh__region_ops *gersh__region_at(size_t index)
{
    return index < sizeof registry / sizeof registry[0] ? registry[index] : NULL;
}
