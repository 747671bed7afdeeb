/* The feature maps of a model in its file; see maps.c. */
#ifndef GERSH_SRC_MODEL_MAPS_H
#define GERSH_SRC_MODEL_MAPS_H

#include <jansson.h>

#include "model/reader.h"

/* The members `unit_rows` and `maps` of the description; NULL where the latter is left out. */
int gersh__maps_have_unit_length(const gersh_scaling *scaling);
json_t *gersh__maps_json(const gersh_scaling *scaling);

/* Of a tensor from GERSH__MAPS_FIRST to GERSH__MAPS_LAST: its name, and the vector; NULL where there is none. */
const char *gersh__maps_tensor_name(int id);
const double *gersh__maps_tensor(size_t *count, const gersh_scaling *scaling, int id);

/* Makes the scaling of the reader's model, whose features have names already. list: the member `maps`, or NULL. */
gersh_status gersh__model_read_maps(gersh__model_reader *r, int unit_rows, const json_t *list);

#endif
