/* Lines, blanks and cells of text, for all readers of text formats. */
#ifndef GERSH_SRC_IO_SCAN_H
#define GERSH_SRC_IO_SCAN_H

#include "io/read.h"

/* A physical line: LF, CRLF or a lone CR ends it. */
typedef struct gersh__line {
    char *text;
    size_t length; /* without what ends the line */
    size_t full;   /* with it */
    size_t number; /* from 1 */
} gersh__line;

/* Where the next line starts; begin with gersh__lines_of. */
typedef struct gersh__lines {
    char *at, *end;
    size_t number;
} gersh__lines;

gersh__lines gersh__lines_of(const gersh__content *content);
int gersh__lines_next(gersh__lines *lines, gersh__line *line); /* 0 at the end */

int gersh__scan_is_blank(char c); /* a space or a tab */

/* Takes blanks off both ends. */
void gersh__scan_trim(const char **text, size_t *length);

/* The next run of text[0..length) without blanks from *at on, or NULL; *at moves behind it. */
const char *gersh__scan_token(const char *text, size_t length, size_t *at, size_t *token_length);

typedef enum gersh__cell_kind {
    GERSH__CELL_NUMBER,
    GERSH__CELL_MISSING, /* empty, ?, NA, N/A, NaN, null, in any case */
    GERSH__CELL_INFINITE,
    GERSH__CELL_LARGE, /* a number beyond the range of double */
    GERSH__CELL_TEXT
} gersh__cell_kind;

/* What a cell holds, blanks around it left out; *value is set for a number, and NaN for a missing one. */
gersh__cell_kind gersh__scan_cell(const char *text, size_t length, double *value);

/* Fails with the sentence on an infinite or too large cell. */
gersh_status gersh__scan_fail(const gersh__table *table, size_t line, size_t column, gersh__cell_kind kind,
                              const char *text, size_t length);

/* Columns without names, text or odd rows. */
gersh_status gersh__table_make_columns(gersh__table *table, size_t columns);

/* The number of the word in its column as a cell; GERSH_ERROR_MEMORY when memory is short. */
gersh_status gersh__table_word(double *cell, gersh__table *table, size_t column, const char *text,
                               size_t length);

/* Room for one row more in cells and lines; the capacities belong to the reader. */
typedef struct gersh__capacity {
    size_t cells, lines;
} gersh__capacity;
gersh_status gersh__table_make_row(gersh__table *table, gersh__capacity *capacity);

#endif
