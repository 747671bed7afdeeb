/* What a model is, as JSON: one source for the command line and for the page of gersh/report.h. */
#ifndef GERSH_SRC_REPORT_DESCRIBE_H
#define GERSH_SRC_REPORT_DESCRIBE_H

#include <jansson.h>

#include "gersh/bootstrap.h"
#include "model/certificate.h"

/* How well the nearest neighbours classify the training samples, in words; "" where it is not known. Returns text. */
const char *gersh__accuracy_sentence(char *text, size_t size, const gersh_model *model);

/*
 * What else there is to know of that: which objective auto chose, and whether the metric is of no use. Returns how many
 * sentences there are.
 */
enum { GERSH__REMARKS = 2, GERSH__REMARK_SIZE = 256 };
int gersh__accuracy_remarks(char text[GERSH__REMARKS][GERSH__REMARK_SIZE], const gersh_model *model);

/* Why the fit ended, in words. */
const char *gersh__stop_sentence(const gersh_model *model);

/*
 * Share of the resamples that have the edge, and of these, the share that agree on the sign; NaN for none.
 */
void gersh__edge_shares(double *frequency, double *agreement, const gersh_bootstrap *bootstrap, size_t i,
                        size_t j, int negative);

/* Data, value, certificate and numbers of the graph. NULL when memory is short, here and below. */
json_t *gersh__describe_fit(const gersh_model *model, const gersh_model_summary *summary);

/*
 * The same with names, settings, rules, the diagonal of M and its edges, by their features: the most_edges of them
 * whose weights are largest in size.
 */
json_t *gersh__describe_model(const gersh_model *model, const gersh_model_summary *summary,
                              size_t most_edges);

#endif
