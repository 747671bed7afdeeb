/* Lines, blanks and cells; and the parts of a table that all readers fill in the same way. */
#include "io/scan.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

gersh__lines gersh__lines_of(const gersh__content *content)
{
    return (gersh__lines){content->bytes, content->bytes + content->size, 0};
}

int gersh__lines_next(gersh__lines *lines, gersh__line *line)
{
    if (lines->at >= lines->end)
        return 0;
    char *p = lines->at;
    while (p < lines->end && *p != '\n' && *p != '\r')
        p++;
    line->text = lines->at;
    line->length = (size_t)(p - lines->at);
    line->number = ++lines->number;
    if (p < lines->end)
        p += *p == '\r' && p + 1 < lines->end && p[1] == '\n' ? 2 : 1;
    line->full = (size_t)(p - lines->at);
    lines->at = p;
    return 1;
}

int gersh__scan_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

void gersh__scan_trim(const char **text, size_t *length)
{
    while (*length > 0 && gersh__scan_is_blank(**text)) {
        (*text)++;
        (*length)--;
    }
    while (*length > 0 && gersh__scan_is_blank((*text)[*length - 1]))
        (*length)--;
}

const char *gersh__scan_token(const char *text, size_t length, size_t *at, size_t *token_length)
{
    while (*at < length && gersh__scan_is_blank(text[*at]))
        (*at)++;
    size_t start = *at;
    while (*at < length && !gersh__scan_is_blank(text[*at]))
        (*at)++;
    *token_length = *at - start;
    return *at > start ? text + start : NULL;
}

static int is_marker(const char *text, size_t length)
{
    static const char *const markers[] = {"", "?", "na", "n/a", "null"};
    char word[8];
    if (length >= sizeof word)
        return 0;
    memcpy(word, text, length);
    word[length] = '\0';
    for (size_t i = 0; i < sizeof markers / sizeof markers[0]; i++)
        if (gersh__text_same(word, markers[i]))
            return 1;
    return 0;
}

gersh__cell_kind gersh__scan_cell(const char *text, size_t length, double *value)
{
    gersh__scan_trim(&text, &length);
    switch (gersh__parse_double(text, length, value)) {
    case GERSH__NUMBER_OK:
        return GERSH__CELL_NUMBER;
    case GERSH__NUMBER_LARGE:
        return GERSH__CELL_LARGE;
    case GERSH__NUMBER_INF:
        return GERSH__CELL_INFINITE;
    case GERSH__NUMBER_NAN:
        *value = NAN;
        return GERSH__CELL_MISSING;
    case GERSH__NUMBER_NONE:
        break;
    }
    if (!is_marker(text, length))
        return GERSH__CELL_TEXT;
    *value = NAN;
    return GERSH__CELL_MISSING;
}

gersh_status gersh__scan_fail(const gersh__table *table, size_t line, size_t column, gersh__cell_kind kind,
                              const char *text, size_t length)
{
    char excerpt[GERSH__EXCERPT_SIZE];
    gersh__text_excerpt(excerpt, sizeof excerpt, text, length);
    if (kind == GERSH__CELL_LARGE)
        return gersh__table_fail(table, line, column, "'%s' is too large; numbers go up to about 1.8e308",
                                 excerpt);
    return gersh__table_fail(table, line, column, "'%s' is not finite; only finite numbers can be used",
                             excerpt);
}

gersh_status gersh__table_make_columns(gersh__table *table, size_t columns)
{
    table->column = gersh__alloc(columns, sizeof *table->column);
    if (table->column == NULL)
        return GERSH_ERROR_MEMORY;
    table->columns = columns;
    for (size_t j = 0; j < columns; j++)
        table->column[j].odd_row = GERSH__NONE;
    return GERSH_OK;
}

gersh_status gersh__table_word(double *cell, gersh__table *table, size_t column, const char *text,
                               size_t length)
{
    size_t number = gersh__words_add(&table->column[column].words, text, length);
    *cell = (double)number;
    return number != GERSH__NO_WORD ? GERSH_OK : GERSH_ERROR_MEMORY;
}

gersh_status gersh__table_make_row(gersh__table *table, gersh__capacity *capacity)
{
    size_t rows = table->rows + 1;
    /* A product that overflows asks for more than there is, and fails as such. */
    size_t cells = rows <= SIZE_MAX / table->columns ? rows * table->columns : SIZE_MAX;
    if (gersh__grow(&table->cells, &capacity->cells, cells, sizeof *table->cells) != 0 ||
        gersh__grow(&table->lines, &capacity->lines, rows, sizeof *table->lines) != 0)
        return GERSH_ERROR_MEMORY;
    return GERSH_OK;
}
