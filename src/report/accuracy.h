/*
 * How well the metric predicts rows that it was not learned from, beside the Euclidean metric.
 *
 * Rows of the data that are none of the model's training rows, bit by bit, are predicted by the model as it is. Where
 * there are no such rows, or the training rows are not known, a metric is learned anew as the model was on the training
 * rows of each of a number of random splits, and the rest is predicted.
 */
#ifndef GERSH_SRC_REPORT_ACCURACY_H
#define GERSH_SRC_REPORT_ACCURACY_H

#include <jansson.h>

#include "gersh/report.h"

/* new_row[i]: whether row i of data differs from every row of train, both dense; *count of them, 0 where train is NULL. */
gersh_status gersh__find_new_rows(int *new_row, size_t *count, const gersh_dataset *data,
                                  const gersh_dataset *train);

/*
 * The model may be anyone's: its settings do not decide how long a report takes, nor how much memory. Each fit ends after
 * a minute at the latest.
 */
gersh_status gersh__accuracy_limit(gersh_settings *settings);

/* JSON for the page; where nothing was measured, its member `reason` says why. Data and training rows are dense. */
gersh_status gersh__accuracy_json(json_t **out, const gersh_model *model, const gersh_dataset *data,
                                  const gersh_dataset *train, const gersh_model_report_options *options);

#endif
