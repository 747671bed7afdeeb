/*
 * The rows of all pairs, for objectives that compare each sample with all others: row i holds the pairs of sample i
 * with all earlier ones, pair (i, j), j < i, having the number i(i − 1)/2 + j.
 */
#ifndef GERSH_SRC_PAIRS_ROWS_H
#define GERSH_SRC_PAIRS_ROWS_H

#include "pairs/pairs.h"

/* Number of pair (i, j), i > j. */
static inline size_t gersh__pair(size_t i, size_t j)
{
    return i * (i - 1) / 2 + j;
}

/* Number of the first pair of row i, which for i = 0 has none. */
static inline size_t gersh__row_begin(size_t i)
{
    return i > 0 ? gersh__pair(i, 0) : 0;
}

/* Whether the pairs are all pairs, so that they have rows. */
int gersh__pairs_have_rows(const gersh__pairs *pairs);

/* Loops over the rows, with `width` numbers for each sample, its column, in each chunk. */
typedef struct gersh__rows gersh__rows;

/* For pairs that have rows. */
gersh_status gersh__rows_new(gersh__rows **out, const gersh__pairs *pairs, size_t width);
void gersh__rows_free(gersh__rows *rows);

/*
 * Rows begin..end − 1 side by side with other chunks of rows. What a row gives to its own sample is that chunk's alone to
 * write; what it gives to earlier samples goes into `column` (width × n), whatever is there. Returns a term of a sum.
 */
typedef double (*gersh__rows_chunk)(void *context, size_t begin, size_t end, double *column);

/* One chunk's columns, in the order of the chunks: their rows ended before sample `end`. */
typedef void (*gersh__rows_join)(void *context, size_t end, const double *column);

/* The sum; join may be NULL. */
double gersh__rows_reduce(const gersh__rows *rows, gersh__rows_chunk chunk, gersh__rows_join join,
                          void *context);

/* h (m × m, both triangles) = Σ over chunks of rows. */
gersh_status gersh__rows_gram(const gersh__rows *rows, gersh__gram_chunk chunk, void *context, size_t m,
                              double *h);

#endif
