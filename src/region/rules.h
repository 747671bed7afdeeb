/* What is known beforehand of pairs of features: which signs M_ij may have. */
#ifndef GERSH_SRC_REGION_RULES_H
#define GERSH_SRC_REGION_RULES_H

#include "gersh/fit.h"

typedef struct gersh__rules gersh__rules;

gersh_status gersh__rules_new(gersh__rules **out, size_t features, const gersh_edge_rule *rule,
                              size_t count);
void gersh__rules_free(gersh__rules *rules);

/* Whether M_ij may be negative (sign −1) or positive (sign 1); rules may be NULL. */
int gersh__rules_allow(const gersh__rules *rules, size_t i, size_t j, int sign);

#endif
