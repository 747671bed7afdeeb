/* Divisions of the data into rows to learn from and rows to vote on. */
#ifndef GERSH_SRC_USE_TUNE_ROWS_H
#define GERSH_SRC_USE_TUNE_ROWS_H

#include "gersh/data.h"

typedef struct gersh__tune_rows {
    size_t trains, tests;
    size_t *train, *test;
    double weight; /* of the test rows */
} gersh__tune_rows;

/*
 * `count` divisions: one for each of the `folds` folds, then again for other folds, and so on. Of either kind of rows
 * there are at most `most`, the classes in their shares.
 */
gersh_status gersh__tune_rows_draw(gersh__tune_rows *rows, size_t count, const gersh_dataset *data,
                                   int folds, size_t most, uint64_t seed);
void gersh__tune_rows_clear(gersh__tune_rows *rows, size_t count);

#endif
