/* Feature maps by their definitions, with nothing shared with src/data but the vectors that the model has. */
#ifndef GERSH_SRC_VERIFY_MAPS_H
#define GERSH_SRC_VERIFY_MAPS_H

#include "gersh/data.h"

/* n samples of k features, by rows. */
typedef struct gersh__samples {
    size_t n, k;
    double *x;
} gersh__samples;

typedef struct gersh__map_reference {
    const char *name; /* of the feature map */

    /* Whether the setting `scale` asks for it with this value. */
    int (*wanted)(const char *scale);

    /* Largest relative difference between its vectors and those that these samples have. NULL: it has no vectors. */
    double (*difference)(const gersh_scaling *scaling, const gersh__samples *samples, const char *scale);

    /* Maps the samples; one that gives them another k replaces x (gersh__alloc). */
    gersh_status (*apply)(const gersh_scaling *scaling, gersh__samples *samples);
} gersh__map_reference;

enum { GERSH__MAP_REFERENCES = 8 }; /* at most */

/* In the order in which they are applied; NULL at places that are free. */
extern const gersh__map_reference *const gersh__map_references[GERSH__MAP_REFERENCES];
extern const gersh__map_reference gersh__map_reference_scale, gersh__map_reference_unit_length;

#endif
