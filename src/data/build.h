/* Parts of making a data set that the files of src/data share. */
#ifndef GERSH_SRC_DATA_BUILD_H
#define GERSH_SRC_DATA_BUILD_H

#include "data/dataset.h"

/*
 * The distinct values among words: words that are the same number ("1", "1.0") are one value, named by the
 * first of them. In order of value when all are numbers, else in byte order.
 */
typedef struct gersh__values {
    size_t count;
    char **name;     /* count */
    double *number;  /* count; of a value that is no number, NaN */
    size_t *of_word; /* value of each word, GERSH__NONE for an unused one */
    int numeric;     /* all values are numbers */
} gersh__values;

/* used[w] says whether word w occurs; NULL: all do. */
gersh_status gersh__values_find(gersh__values *out, const gersh__words *words, const unsigned char *used);
void gersh__values_clear(gersh__values *values);

/* An empty data set of n rows and k features, values 0 and names NULL. */
gersh_status gersh__dataset_alloc(gersh_dataset **out, size_t n, size_t k);

/* The same without room for values, which are to be sparse. */
gersh_status gersh__dataset_alloc_empty(gersh_dataset **out, size_t n, size_t k);

/* Makes the values the classes of data, and values->of_word[word[i]] the class of row i. */
gersh_status gersh__dataset_set_classes(gersh_dataset *data, const gersh__values *values,
                                        const size_t *word);

/* Labels or targets of data from a column of the table, as the setting `task` says. */
gersh_status gersh__dataset_set_labels(gersh_dataset *data, const gersh__table *table, size_t column,
                                       const gersh_settings *settings);

/* Weights of data from a column of the table. */
gersh_status gersh__dataset_read_weights(gersh_dataset *data, const gersh__table *table, size_t column);

/* Copies the labels, classes, targets, weights and format of `from`, which has as many rows. */
gersh_status gersh__dataset_copy_labels(gersh_dataset *data, const gersh_dataset *from);

/* gersh__table_fail at a cell; where the format has no lines, the sentence says the row instead. */
gersh_status gersh__cell_fail(const gersh__table *table, size_t row, size_t column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/*
 * A power of two whose product with values up to `largest` in size has squares and sums of squares within
 * the range of double; exact to multiply by. 1 for 0.
 */
double gersh__safe_factor(double largest);

/* Means of k columns of n rows, without overflow and to the last few bits. scratch: 2 k entries. */
void gersh__column_means(double *mean, double *scratch, size_t n, size_t k, const double *x);

#endif
