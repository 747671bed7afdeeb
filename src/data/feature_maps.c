/* The table of feature maps; see scaling.h. To add one: its file, and a line here. */
#include "data/scaling.h"

const gersh__feature_map_ops *const gersh__feature_maps[GERSH__FEATURE_MAPS] = {
    &gersh__map_scale,
    &gersh__map_unit_length,
};
