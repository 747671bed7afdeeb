/* A table as a square matrix; see gersh/matrix.h. */
#include "gersh/matrix.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/settings.h"
#include "base/text.h"
#include "io/read.h"

void gersh_matrix_free(gersh_matrix *matrix)
{
    if (matrix == NULL)
        return;
    for (size_t i = 0; matrix->names != NULL && i < matrix->n; i++)
        gersh__free(matrix->names[i]);
    gersh__free(matrix->names);
    gersh__free(matrix->values);
    gersh__free(matrix);
}

/* The table without labels: every column is part of the matrix. */
static gersh_status read_table(gersh__table **out, const char *path, const gersh_settings *settings)
{
    gersh_settings *own = NULL;
    gersh_status status = gersh_settings_new(&own);
    if (status == GERSH_OK)
        status = gersh_settings_set(own, "label", "none");
    if (status == GERSH_OK)
        status = gersh_settings_set(own, "format", gersh__setting_text(settings, GERSH__FORMAT));
    if (status == GERSH_OK)
        status = gersh_settings_set(own, "header", gersh__setting_text(settings, GERSH__HEADER));
    if (status == GERSH_OK)
        status = gersh__table_read(out, path, own);
    gersh_settings_free(own);
    return status;
}

/* Every cell a number, and as many rows as columns after the column of names. */
static gersh_status check(const gersh__table *table, size_t skip)
{
    char excerpt[GERSH__EXCERPT_SIZE];
    if (table->own_label)
        return gersh__table_fail(table, 0, GERSH__NONE,
                                 "a matrix is expected, not data with labels, as the format %s has them",
                                 table->format);
    if (table->columns - skip != table->rows)
        return gersh__table_fail(table, 0, GERSH__NONE,
                                 "a square matrix is expected, but there are %zu rows of %zu numbers",
                                 table->rows, table->columns - skip);
    for (size_t i = 0; i < table->rows; i++) {
        for (size_t j = skip; j < table->columns; j++) {
            size_t line = table->lines != NULL ? table->lines[i] : 0;
            double cell = table->cells[i * table->columns + j];
            if (isnan(cell))
                return gersh__table_fail(table, line, j, "entry (%zu, %zu) of the matrix is missing", i + 1,
                                         j - skip + 1);
            if (table->column[j].text && i == table->column[j].odd_row) {
                const char *word = table->column[j].words.word[(size_t)cell];
                return gersh__table_fail(table, line, j,
                                         "'%s' is not a number; a matrix of numbers is expected",
                                         gersh__text_excerpt(excerpt, sizeof excerpt, word, strlen(word)));
            }
        }
    }
    return GERSH_OK;
}

/* The name of row i: the header's, the first column's, or its number. */
static char *name_of(const gersh__table *table, size_t skip, size_t i)
{
    char number[32];
    const char *name = table->column[i + skip].name;
    if (name == NULL && skip > 0)
        name = table->column[0].words.word[(size_t)table->cells[i * table->columns]];
    if (name == NULL) {
        snprintf(number, sizeof number, "%zu", i + 1);
        name = number;
    }
    return gersh__text_copy(name, strlen(name));
}

gersh_status gersh_matrix_read(gersh_matrix **out, const char *path, const gersh_settings *settings)
{
    gersh__table *table = NULL;
    gersh_matrix *matrix = NULL;
    *out = NULL;
    gersh_status status = read_table(&table, path, settings);
    if (status != GERSH_OK)
        goto out;
    /* A first column of text names the rows. */
    size_t skip =
        table->columns == table->rows + 1 && table->column[0].text && table->column[0].odd_row == 0;
    for (size_t i = 0; skip > 0 && i < table->rows; i++)
        if (isnan(table->cells[i * table->columns]))
            skip = 0;
    status = check(table, skip);
    if (status != GERSH_OK)
        goto out;
    size_t n = table->rows;
    status = GERSH_ERROR_MEMORY;
    matrix = gersh__alloc(1, sizeof *matrix);
    if (matrix == NULL)
        goto out;
    matrix->n = n;
    matrix->values = gersh__alloc(n * n, sizeof *matrix->values);
    matrix->names = gersh__alloc(n, sizeof *matrix->names);
    if (!matrix->values || !matrix->names)
        goto out;
    for (size_t i = 0; i < n; i++) {
        memcpy(matrix->values + i * n, table->cells + i * table->columns + skip, n * sizeof(double));
        matrix->names[i] = name_of(table, skip, i);
        if (matrix->names[i] == NULL)
            goto out;
    }
    status = GERSH_OK;
    *out = matrix;
    matrix = NULL;
out:
    gersh_matrix_free(matrix);
    gersh__table_free(table);
    return status;
}
