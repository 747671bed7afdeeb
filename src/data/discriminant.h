/* Names and number of discriminants; see gersh_scaling_discriminate. */
#ifndef GERSH_SRC_DATA_DISCRIMINANT_H
#define GERSH_SRC_DATA_DISCRIMINANT_H

#include "data/dataset.h"

enum { GERSH__MOST_DISCRIMINANTS = 8 };

/*
 * Adds the names of so many discriminants to the *count names of features: "discriminant", or "discriminant 1", ...
 * where there are several. The names and *count are good also where this fails.
 */
gersh_status gersh__discriminant_names(char ***names, size_t *count, size_t discriminants);

#endif
