/* Tuples from CSV files: row numbers from 1, and for pairs whether they are similar. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "data/build.h"
#include "data/tuples.h"
#include "io/plain.h"
#include "io/read.h"

gersh_status gersh__table_read_plain(gersh__table **out, const char *path, const char *header)
{
    gersh_settings *settings = NULL;
    *out = NULL;
    gersh_status status = gersh_settings_new(&settings);
    if (status == GERSH_OK)
        status = gersh_settings_set(settings, "header", header);
    if (status == GERSH_OK)
        status = gersh_settings_set(settings, "label", "none");
    if (status == GERSH_OK)
        status = gersh_settings_set(settings, "format", "csv");
    if (status == GERSH_OK)
        status = gersh__table_read(out, path, settings);
    gersh_settings_free(settings);
    return status;
}

/* The cell's word, or NULL where the column is of numbers; number gets its value, NaN where it is none. */
static const char *cell_at(double *number, const gersh__table *table, size_t row, size_t column)
{
    const char *word = NULL;
    *number = table->cells[row * table->columns + column];
    if (table->column[column].text && !isnan(*number)) {
        word = table->column[column].words.word[(size_t)*number];
        if (gersh__parse_double(word, strlen(word), number) != GERSH__NUMBER_OK)
            *number = NAN;
    }
    return word;
}

/* What the cell holds, for messages. */
static const char *shown(char *out, size_t size, const char *word, double number)
{
    if (word != NULL)
        return gersh__text_excerpt(out, size, word, strlen(word));
    snprintf(out, size, "%.15g", number);
    return out;
}

static gersh_status read_row(size_t *out, const gersh__table *table, size_t line, size_t column,
                             size_t rows)
{
    char text[GERSH__EXCERPT_SIZE];
    double number;
    const char *word = cell_at(&number, table, line, column);
    if (word == NULL && isnan(number))
        return gersh__cell_fail(table, line, column,
                                "the row number is missing; expected a whole number from 1 to %zu", rows);
    if (!(number >= 1 && number <= (double)rows && number == floor(number)))
        return gersh__cell_fail(
            table, line, column,
            "there is no row '%s'; expected a whole number from 1 to %zu, the rows of the data",
            shown(text, sizeof text, word, number), rows);
    *out = (size_t)number - 1;
    return GERSH_OK;
}

static gersh_status read_similar(int *out, const gersh__table *table, size_t line)
{
    char text[GERSH__EXCERPT_SIZE];
    double number;
    const char *word = cell_at(&number, table, line, 2);
    if (word == NULL && isnan(number))
        return gersh__cell_fail(table, line, 2,
                                "it is missing what the pair is; expected 1, similar, -1 or dissimilar");
    if (number == 1 || (word != NULL && gersh__text_same(word, "similar")))
        *out = 1;
    else if (number == -1 || (word != NULL && gersh__text_same(word, "dissimilar")))
        *out = 0;
    else
        return gersh__cell_fail(table, line, 2, "'%s' is not one of 1, similar, -1 and dissimilar",
                                shown(text, sizeof text, word, number));
    return GERSH_OK;
}

gersh_status gersh_tuples_read(gersh_tuples **out, const char *path, gersh_tuple_kind kind, size_t rows)
{
    static const char *const columns[] = {"row, row, and 1 or -1", "row, nearer row, farther row",
                                          "row, row nearer to it, row, row farther from it"};
    gersh__table *table = NULL;
    gersh_tuples *tuples = NULL;
    *out = NULL;
    if ((size_t)kind > GERSH_QUADRUPLETS)
        return gersh__fail(GERSH_ERROR_ARGUMENT,
                           "the kind of tuples is %d; expected one of gersh_tuple_kind", (int)kind);
    gersh_status status = gersh__table_read_plain(&table, path, "auto");
    if (status != GERSH_OK)
        return status;
    size_t size = gersh_tuple_size(kind), wanted = kind == GERSH_PAIRS ? 3 : size;
    if (table->columns != wanted)
        status = gersh__table_fail(table, 0, GERSH__NONE, "%s have %zu columns (%s), but there %s %zu",
                                   gersh_tuple_kind_name(kind), wanted, columns[kind],
                                   table->columns == 1 ? "is" : "are", table->columns);
    if (status == GERSH_OK)
        status = gersh__tuples_alloc(&tuples, kind, table->rows);
    for (size_t t = 0; status == GERSH_OK && t < table->rows; t++) {
        for (size_t c = 0; c < size && status == GERSH_OK; c++)
            status = read_row(&tuples->row[t * size + c], table, t, c, rows);
        if (status == GERSH_OK && kind == GERSH_PAIRS)
            status = read_similar(&tuples->similar[t], table, t);
    }
    if (status == GERSH_OK)
        status = gersh__tuples_check(tuples, rows, table);
    if (status == GERSH_OK)
        *out = tuples;
    else
        gersh_tuples_free(tuples);
    gersh__table_free(table);
    return status;
}
