/* The table of the feature maps that the verifier knows; see maps.h. */
#include "verify/maps.h"

const gersh__map_reference *const gersh__map_references[GERSH__MAP_REFERENCES] = {
    &gersh__reference_scale,
    &gersh__reference_unit_length,
};
