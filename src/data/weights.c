/* Weights of rows: from memory, and from a column of a table. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "data/build.h"

static int any_positive(size_t n, const double *weights)
{
    for (size_t i = 0; i < n; i++)
        if (weights[i] > 0)
            return 1;
    return 0;
}

gersh_status gersh_dataset_set_weights(gersh_dataset *data, const double *weights)
{
    double *copy = NULL;
    if (weights != NULL) {
        for (size_t i = 0; i < data->n; i++)
            if (!isfinite(weights[i]) || weights[i] < 0)
                return gersh__fail(GERSH_ERROR_INPUT,
                                   "row %zu: the weight is %g; weights must be finite and at least 0",
                                   i + 1, weights[i]);
        if (!any_positive(data->n, weights))
            return gersh__fail(GERSH_ERROR_INPUT, "all weights are 0; at least one must be positive");
        copy = gersh__alloc(data->n, sizeof *copy);
        if (copy == NULL)
            return GERSH_ERROR_MEMORY;
        memcpy(copy, weights, data->n * sizeof *copy);
    }
    gersh__free(data->weights);
    data->weights = copy;
    return GERSH_OK;
}

gersh_status gersh__dataset_read_weights(gersh_dataset *data, const gersh__table *table, size_t column)
{
    const gersh__column *info = &table->column[column];
    char excerpt[GERSH__EXCERPT_SIZE];
    data->weights = gersh__alloc(data->n, sizeof *data->weights);
    if (data->weights == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t i = 0; i < data->n; i++) {
        double cell = gersh__table_cell(table, i, column);
        if (isnan(cell))
            return gersh__cell_fail(table, i, column, "the weight is missing; every row needs one");
        if (info->text) {
            const char *text = info->words.word[(size_t)cell];
            if (gersh__parse_double(text, strlen(text), &cell) != GERSH__NUMBER_OK)
                return gersh__cell_fail(table, i, column, "the weight is '%s'; weights must be numbers",
                                        gersh__text_excerpt(excerpt, sizeof excerpt, text, strlen(text)));
        }
        if (!isfinite(cell) || cell < 0)
            return gersh__cell_fail(table, i, column,
                                    "the weight is %g; weights must be finite and at least 0", cell);
        data->weights[i] = cell;
    }
    if (!any_positive(data->n, data->weights))
        return gersh__table_fail(table, 0, column, "all weights are 0; at least one must be positive");
    return GERSH_OK;
}
