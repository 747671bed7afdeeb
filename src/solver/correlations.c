/* See correlations.h. */
#include "solver/correlations.h"

#include <math.h>

#include "base/alloc.h"
#include "graph/tree.h"
#include "linalg/kernels.h"

gersh_status gersh__correlations_new(gersh__correlations *out, const gersh__pairs *pairs)
{
    size_t n = gersh__pairs_samples(pairs);
    *out = (gersh__correlations){gersh__pairs_features(pairs), n,
                                 gersh__alloc(gersh__pairs_features(pairs), n * sizeof(double))};
    double *scratch = gersh__alloc(n, sizeof *scratch);
    for (size_t j = 0; out->column != NULL && scratch != NULL && j < gersh__pairs_features(pairs); j++) {
        const double *x = gersh__pairs_column(pairs, j, scratch);
        double *column = out->column + j * n, mean = 0, square = 0;
        for (size_t i = 0; i < n; i++)
            mean += x[i] / (double)n;
        for (size_t i = 0; i < n; i++)
            square += (x[i] - mean) * (x[i] - mean);
        for (size_t i = 0; i < n; i++)
            column[i] = square > 0 ? (x[i] - mean) / sqrt(square) : 0;
    }
    int made = out->column != NULL && scratch != NULL;
    gersh__free(scratch);
    if (!made)
        gersh__correlations_clear(out);
    return made ? GERSH_OK : GERSH_ERROR_MEMORY;
}

void gersh__correlations_clear(gersh__correlations *c)
{
    gersh__free(c->column);
    c->column = NULL;
}

double gersh__correlation(const gersh__correlations *c, size_t i, size_t j)
{
    return gersh__kernels_here()->dot(c->n, c->column + i * c->n, c->column + j * c->n);
}

static void correlations_of(void *context, size_t i, double *row)
{
    const gersh__correlations *c = context;
    for (size_t j = 0; j < c->k; j++)
        row[j] = gersh__correlation(c, i, j);
}

gersh_status gersh__correlation_tree(size_t *parent, const gersh__correlations *c, size_t root)
{
    gersh__correlations context = *c;
    return gersh__spanning_tree(parent, c->k, correlations_of, &context, root);
}

/* The colour of a feature is that of its parent, or the other one: upwards until one is known. */
static double color_of(double *color, size_t i, const size_t *parent, const gersh__correlations *c)
{
    double sign = 1;
    size_t at = i;
    for (; color[at] == 0; at = parent[at])
        sign = gersh__correlation(c, at, parent[at]) < 0 ? -sign : sign;
    return sign * color[at];
}

gersh_status gersh__correlation_colors(double *color, const gersh__pairs *pairs)
{
    gersh__correlations c;
    size_t *parent = gersh__alloc(gersh__pairs_features(pairs), sizeof *parent);
    gersh_status status = gersh__correlations_new(&c, pairs);
    if (status == GERSH_OK && parent == NULL)
        status = GERSH_ERROR_MEMORY;
    if (status == GERSH_OK)
        status = gersh__correlation_tree(parent, &c, 0);
    for (size_t i = 0; i < gersh__pairs_features(pairs); i++)
        color[i] = i == 0;
    for (size_t i = 1; i < gersh__pairs_features(pairs) && status == GERSH_OK; i++)
        color[i] = color_of(color, i, parent, &c);
    gersh__correlations_clear(&c);
    gersh__free(parent);
    return status;
}
