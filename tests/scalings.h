/* What a scaling of the feature maps "scale" and "unit length" has learned, to be looked at and changed. */
#ifndef GERSH_TESTS_SCALINGS_H
#define GERSH_TESTS_SCALINGS_H

#include "data/map_scale.h"

static inline double *means_of(const gersh_scaling *scaling)
{
    return gersh__scaling_find(scaling, &gersh__map_scale)->vector[GERSH__SCALE_MEAN];
}

static inline double *scales_of(const gersh_scaling *scaling)
{
    return gersh__scaling_find(scaling, &gersh__map_scale)->vector[GERSH__SCALE_DEVIATION];
}

static inline int has_unit_length(const gersh_scaling *scaling)
{
    return gersh__scaling_find(scaling, &gersh__map_unit_length) != NULL;
}

#endif
