/* Divisions of the data into rows to learn from, rows that vote, and rows to vote on. */
#ifndef GERSH_SRC_EXPERIMENT_TUNE_ROWS_H
#define GERSH_SRC_EXPERIMENT_TUNE_ROWS_H

#include "gersh/data.h"

typedef struct gersh__tune_rows {
    size_t learns, trains, tests;
    size_t *train, *learn; /* those that vote; those of them that are learned from */
    size_t *test;          /* those that are voted on */
    double weight;         /* of the test rows */
} gersh__tune_rows;

/*
 * One division for each of the folds of stratified cross-validation. Of either kind of rows there are at most `most`,
 * and at most `learn` to learn from, the classes in their shares.
 */
gersh_status gersh__tune_rows_draw(gersh__tune_rows *rows, size_t folds, const gersh_dataset *data,
                                   size_t most, size_t learn, uint64_t seed);
void gersh__tune_rows_clear(gersh__tune_rows *rows, size_t count);

#endif
