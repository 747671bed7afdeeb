/*
 * A table as a file holds it: what every reader of src/io produces, and what src/data makes a data set
 * from. Cells are doubles in row order. In a numeric column a cell is the value; in a text column it is
 * the number of a word of that column. NaN is a missing value in both.
 */
#ifndef GERSH_SRC_DATA_TABLE_H
#define GERSH_SRC_DATA_TABLE_H

#include "base/words.h"
#include "data/sparse.h"
#include "gersh/base.h"
#include "gersh/settings.h"

#define GERSH__NONE ((size_t)-1)

typedef struct gersh__column {
    char *name;     /* NULL where the file names no columns */
    int text;       /* cells are numbers of words */
    int named_text; /* the file itself says that the column is text (ARFF nominal): no number is odd */
    gersh__words words;
    size_t odd_row; /* first row whose cell is not a number, GERSH__NONE when all are */
} gersh__column;

typedef struct gersh__table {
    char *path;
    const char *format;               /* "csv", "libsvm", ...: a literal */
    int own_label, unlisted_are_zero; /* of the format: see gersh__reader */
    size_t rows, columns;
    double *cells;         /* rows × columns; of a sparse table: of the label column alone */
    gersh__sparse *sparse; /* or NULL: the other cells, a list for each row; all are numbers */
    int may_be_sparse;     /* what the table is read for can do with that */
    int means_later; /* --missing mean marks what is missing, and what the table is read for puts the means */
    size_t *lines;   /* the line of each row, NULL where the format has no lines */
    gersh__column *column; /* columns of them */
    size_t label;          /* position of the label column, GERSH__NONE when there is none */
} gersh__table;

void gersh__table_free(gersh__table *table);

double gersh__table_cell(const gersh__table *table, size_t row, size_t column);

/*
 * Finds a column by name, or by position from 1, or as "last". Names win over positions. An unknown one
 * is an error that starts with `option`, such as "--label", and lists what there is.
 */
gersh_status gersh__table_find(size_t *out, const gersh__table *table, const char *option,
                               const char *which);

/* The names of a table's columns, for those who look for many of them. */
typedef struct gersh__table_names {
    gersh__words words;
    size_t *column; /* of each word, the first of that name */
} gersh__table_names;

gersh_status gersh__table_names_new(gersh__table_names *out, const gersh__table *table);
void gersh__table_names_clear(gersh__table_names *names);

/* gersh__table_find with these names. */
gersh_status gersh__table_find_among(size_t *out, const gersh__table_names *names,
                                     const gersh__table *table, const char *option, const char *which);

/*
 * Resolves the settings `label` and `labels` once the columns are known and marks the label column as
 * text, so that the reader keeps the labels' own spelling. Readers call it before the first row.
 */
gersh_status gersh__table_set_label(gersh__table *table, const gersh_settings *settings);

/* Two columns with the same name are an error. Readers call it when the names are known. */
gersh_status gersh__table_check_names(const gersh__table *table);

/*
 * Fails with one sentence: "PATH: line L, column C ('NAME'): ...". line 0 leaves the line out, column
 * GERSH__NONE the column (positions are from 0 here and from 1 in the message).
 */
gersh_status gersh__table_fail(const gersh__table *table, size_t line, size_t column, const char *format,
                               ...) __attribute__((format(printf, 4, 5)));

#endif
