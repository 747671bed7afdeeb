/*
 * What is known of rows besides labels: pairs that are similar or dissimilar, and comparisons of distances.
 * A metric can be learned from these alone; see the member `tuples` of gersh_fit_options.
 */
#ifndef GERSH_TUPLES_H
#define GERSH_TUPLES_H

#include "gersh/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gersh_tuple_kind {
    GERSH_PAIRS,      /* i, j: similar or dissimilar */
    GERSH_TRIPLETS,   /* a, p, n: a is nearer to p than to n */
    GERSH_QUADRUPLETS /* a, b, c, d: a and b are nearer to each other than c and d */
} gersh_tuple_kind;

GERSH_API const char *gersh_tuple_kind_name(gersh_tuple_kind kind); /* "pairs", "triplets", "quadruplets" */
GERSH_API size_t gersh_tuple_size(gersh_tuple_kind kind);           /* rows of one: 2, 3 or 4 */

typedef struct gersh_tuples {
    gersh_tuple_kind kind;
    size_t count;
    size_t *row;  /* gersh_tuple_size(kind) rows of each, counted from 0 */
    int *similar; /* of each pair: 1 similar, 0 dissimilar; NULL for triplets and quadruplets */
} gersh_tuples;

/*
 * Copies `count` tuples about a data set of `rows` rows; similar is NULL unless the kind is GERSH_PAIRS.
 * The same tuple may stand there twice, and then counts twice; two that contradict each other are an error.
 */
GERSH_API gersh_status gersh_tuples_new(gersh_tuples **out, gersh_tuple_kind kind, size_t count,
                                        const size_t *row, const int *similar, size_t rows);

/*
 * Reads a CSV file with or without a header: row numbers from 1 to `rows`, one tuple a line. Pairs have a
 * third column: 1 or similar, -1 or dissimilar.
 */
GERSH_API gersh_status gersh_tuples_read(gersh_tuples **out, const char *path, gersh_tuple_kind kind,
                                         size_t rows);
GERSH_API void gersh_tuples_free(gersh_tuples *tuples);

#ifdef __cplusplus
}
#endif
#endif
