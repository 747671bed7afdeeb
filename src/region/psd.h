/* The linear minimiser of the cone of all positive semidefinite matrices. */
#ifndef GERSH_SRC_REGION_PSD_H
#define GERSH_SRC_REGION_PSD_H

#include "region/region.h"

/*
 * The first eigenvector of G, and the lowest Ritz vectors of G in the span of it and region->active. *least
 * is certified. See gersh__region_minimize.
 */
gersh_status gersh__psd_minimize(gersh__region *region, gersh__gradient *gradient, size_t want,
                                 gersh__candidate *out, size_t *found, double *least);

#endif
