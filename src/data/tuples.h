/* Checking and copying tuples; see gersh/tuples.h. */
#ifndef GERSH_SRC_DATA_TUPLES_H
#define GERSH_SRC_DATA_TUPLES_H

#include "data/table.h"
#include "gersh/tuples.h"

/* Room for so many tuples, all 0; also for `similar` where they are pairs. */
gersh_status gersh__tuples_alloc(gersh_tuples **out, gersh_tuple_kind kind, size_t count);

gersh_status gersh__tuples_copy(gersh_tuples **out, const gersh_tuples *tuples);

/*
 * Fails unless there is a tuple, all rows are below `rows`, every pair has two different rows, and no tuple
 * contradicts another one. The sentence names the line and column of the table that the tuples were read
 * from, one a row of it, or, with NULL, the tuple.
 */
gersh_status gersh__tuples_check(const gersh_tuples *tuples, size_t rows, const gersh__table *table);

#endif
