/*
 * The rows that a report shows, in two spaces: as they are after scaling, and as the metric sees them.
 *
 * In a space with the rows y_i, the Gram matrix of the centred rows is all that is needed: its entries give the
 * distances, g_ii + g_jj − 2 g_ij, and its first eigenvectors u, times √λ, are the principal components of the rows.
 */
#ifndef GERSH_SRC_REPORT_SPACE_H
#define GERSH_SRC_REPORT_SPACE_H

#include <jansson.h>

#include "gersh/model.h"

typedef struct gersh__shown {
    size_t count;
    size_t *row;           /* of the data, ascending */
    gersh_dataset *scaled; /* these rows, scaled as in the model, with their labels */
    double *euclidean;     /* Gram matrices, count × count */
    double *learned;
} gersh__shown;

/*
 * Takes at most GERSH__MOST_SHOWN of the rows, by chance where there are more. data has the features of the model and
 * is not scaled.
 */
enum { GERSH__MOST_SHOWN = 1000 };
gersh_status gersh__shown_new(gersh__shown **out, const gersh_model *model, const gersh_dataset *data,
                              int threads);
void gersh__shown_free(gersh__shown *shown);

/* Fails: squared distances are beyond the range of double. */
gersh_status gersh__rows_too_large(void);

/* The squared distance of two shown rows in the space of that Gram matrix. */
double gersh__gram_distance(const double *gram, size_t count, size_t i, size_t j);

/*
 * The first two components of each row in both spaces, and the row that is nearest in each: JSON for the page. A second
 * component that the rows do not have is 0.
 */
gersh_status gersh__space_json(json_t **out, const gersh__shown *shown);

#endif
