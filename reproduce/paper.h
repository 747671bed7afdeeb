/* The paper's figures: the tables of bench/paper, which are compiled in. */
#ifndef GERSH_REPRODUCE_PAPER_H
#define GERSH_REPRODUCE_PAPER_H

#include <stddef.h>

typedef struct repro_paper_table {
    const char *name;
    const char *const *line; /* the first has the names of the columns; ends with NULL */
} repro_paper_table;

extern const repro_paper_table repro_paper_tables[]; /* ends with one without a name */

/* Row `row` (from 0) of the table, or NULL beyond the last. */
const char *repro_paper_row(const char *table, size_t row);

/* The text of a field of a row, without its end: its start, and its length. Empty where there is none. */
const char *repro_paper_field(size_t *length, const char *table, const char *row, const char *column);

/*
 * The number in the column, of the row whose first columns are a, b and c; NULL ends the list early. Returns 0 where
 * the paper has none.
 */
int repro_paper_value(double *value, const char *table, const char *column, const char *a, const char *b,
                      const char *c);

#endif
