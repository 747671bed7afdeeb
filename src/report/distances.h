/*
 * Distances of pairs of rows that should be near and of pairs that should be far, Euclidean and learned: how many fall
 * into each of a number of equal intervals, and how well the two kinds are told apart.
 *
 * With class labels, pairs of one class should be near. With targets, those whose targets differ by no more than the
 * median difference. Of a model that learned from tuples, and rows that are its own, the pairs that the tuples name.
 */
#ifndef GERSH_SRC_REPORT_DISTANCES_H
#define GERSH_SRC_REPORT_DISTANCES_H

#include "report/space.h"

enum { GERSH__BINS = 40 };

/*
 * The probability that a pair of the first kind is nearer than one of the second, both drawn by chance; equal distances
 * count a half. Sorts both lists. NaN where either is empty.
 */
double gersh__nearer_share(double *near, size_t near_count, double *far, size_t far_count);

/* JSON for the page; null where nothing says which rows should be near. own: data is what the model learned from. */
gersh_status gersh__distances_json(json_t **out, const gersh_model *model, const gersh_dataset *data,
                                   int own, const gersh__shown *shown);

#endif
