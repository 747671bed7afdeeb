/*
 * The space of a metric: a linear map of rows after which d is the squared Euclidean distance, in full or
 * in the leading directions.
 */
#ifndef GERSH_TRANSFORM_H
#define GERSH_TRANSFORM_H

#include "gersh/data.h"
#include "gersh/metric.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gersh_transform gersh_transform;

/*
 * dim = 0: a factor F of the metric, FᵀF = M, so that ‖Fx − Fy‖² = (x − y)ᵀ M (x − y); it has at most as
 * many columns as features, but where M is sparse, singular but for rounding, and joins more than 2000 of them.
 * Else dim columns √λ vᵀx, where λ and v are the dim largest eigenvalues of M and their eigenvectors, largest first; the entry
 * of v that is largest in size is positive. threads = 0: one for each core. cancel may be NULL.
 */
GERSH_API gersh_status gersh_transform_new(gersh_transform **out, const gersh_metric *metric, size_t dim,
                                           int threads, const gersh_cancel *cancel);
GERSH_API void gersh_transform_free(gersh_transform *transform);

GERSH_API size_t gersh_transform_columns(const gersh_transform *transform);

/* The eigenvalues of the directions, or NULL for dim = 0. */
GERSH_API const double *gersh_transform_values(const gersh_transform *transform);

/*
 * y (rows × columns, by rows) of scaled rows of the metric's features, `stride` doubles from one to the
 * next.
 */
GERSH_API gersh_status gersh_transform_apply(gersh_transform *transform, double *y, size_t rows,
                                             const double *x, size_t stride);

/* A scaled data set in the metric's space, with its labels; features are named "t1", "t2", ... */
GERSH_API gersh_status gersh_transform_data(gersh_dataset **out, gersh_transform *transform,
                                            const gersh_dataset *data);

#ifdef __cplusplus
}
#endif
#endif
