/* What the two halves of the ARFF reader share: the declarations (arff_header.c) and the rows (arff.c). */
#ifndef GERSH_SRC_IO_ARFF_H
#define GERSH_SRC_IO_ARFF_H

#include "io/scan.h"

typedef enum gersh__arff_kind {
    GERSH__ARFF_NUMBER,
    GERSH__ARFF_NOMINAL,
    GERSH__ARFF_TEXT
} gersh__arff_kind;

typedef struct gersh__arff_attribute {
    gersh__arff_kind kind;
    gersh__words values; /* declared, of a nominal attribute */
    int numeric;         /* all of them are numbers */
    char *name;
} gersh__arff_attribute;

typedef struct gersh__arff {
    gersh__table *table;
    gersh__arff_attribute *attribute;
    size_t count, attribute_capacity;
    gersh__words names;
    gersh__capacity capacity;
} gersh__arff;

/* A place in a line. */
typedef struct gersh__cursor {
    char *at, *end;
    size_t line;
} gersh__cursor;

/* A value or name, its quotes and escapes taken off in place. */
typedef struct gersh__token {
    char *text;
    size_t length;
    int quoted;
} gersh__token;

gersh__cursor gersh__arff_cursor(const gersh__line *line); /* behind the blanks at the line's start */
void gersh__arff_skip_blanks(gersh__cursor *cursor);

/* Whether the line ends here, or a comment starts. */
int gersh__arff_at_end(const gersh__cursor *cursor);

/* Reads a quoted token, or one up to a blank, a comma or a brace; it may be empty. */
gersh_status gersh__arff_token(gersh__token *token, gersh__cursor *cursor, const gersh__table *table);

/* 1 when the token is the word, in any case. */
int gersh__arff_is(const gersh__token *token, const char *word);

/* Reads the declarations up to and with the line "@data". */
gersh_status gersh__arff_read_header(gersh__arff *arff, gersh__lines *lines);

#endif
