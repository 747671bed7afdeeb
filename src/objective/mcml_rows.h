/* mcml over all pairs at a given metric, from some of the rows; see mcml_rows.c. */
#ifndef GERSH_SRC_OBJECTIVE_MCML_ROWS_H
#define GERSH_SRC_OBJECTIVE_MCML_ROWS_H

#include "pairs/population.h"

/* Rows that were chosen, so that metrics are compared by the same ones. */
typedef struct gersh__mcml_rows gersh__mcml_rows;

/* Takes about `work` distances for each metric, or all of them where these are hardly more. */
gersh_status gersh__mcml_rows_new(gersh__mcml_rows **out, const gersh__population *population, double work,
                                  gersh__random *random);
void gersh__mcml_rows_free(gersh__mcml_rows *rows);

/* An unbiased estimate of the value at the metric, and its error at 95 %: 0 where all rows were chosen. */
gersh_status gersh__mcml_rows_measure(double *value, double *error, const gersh__mcml_rows *rows,
                                      const gersh_metric *metric, gersh__pool *pool);

#endif
