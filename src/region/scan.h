/* Going through pairs of features; see scan.c and screen.c. */
#ifndef GERSH_SRC_REGION_SCAN_H
#define GERSH_SRC_REGION_SCAN_H

#include "region/region.h"

/* By value, then by place. */
void gersh__ranked_sort(struct gersh__ranked *ranked, size_t count);

/*
 * All pairs of the `count` listed features (NULL: of all features): the best of each feature's pairs with those
 * behind it in the list, in row_value and row_partner.
 */
gersh_status gersh__region_scan(gersh__region *region, gersh__gradient *gradient, const size_t *list,
                                size_t count);

/*
 * All pairs of all features, of which most are passed over: row_value and row_partner, which hold what is known,
 * get what is better. No pair has a value below both what they then hold and `level`, which must be below
 * every entry of the diagonal. `bound`: of the gradient's columns.
 */
gersh_status gersh__region_screen(gersh__region *region, gersh__gradient *gradient, const double *bound,
                                  double level);

#endif
