/*
 * The working set of features: with many features, those whose pairs a linear minimiser looks at first. It only grows, and
 * may be handed from one region to the next.
 */
#ifndef GERSH_SRC_REGION_WORKING_SET_H
#define GERSH_SRC_REGION_WORKING_SET_H

#include "gersh/base.h"

typedef struct gersh__working_set gersh__working_set;

gersh_status gersh__working_set_new(gersh__working_set **out, size_t features);
void gersh__working_set_free(gersh__working_set *set);

void gersh__working_set_add(gersh__working_set *set, size_t feature);
int gersh__working_set_has(const gersh__working_set *set, size_t feature);

/* In the order in which they joined. */
const size_t *gersh__working_set_list(const gersh__working_set *set, size_t *count);

#endif
