/* The samples of single pairs, for tests. */
#ifndef GERSH_TESTS_PAIRS_H
#define GERSH_TESTS_PAIRS_H

#include "pairs/pairs.h"

static inline size_t pair_first(const gersh__pairs *pairs, size_t p)
{
    uint32_t i, j;
    gersh__pairs_ends(pairs, p, 1, &i, &j);
    return i;
}

static inline size_t pair_second(const gersh__pairs *pairs, size_t p)
{
    uint32_t i, j;
    gersh__pairs_ends(pairs, p, 1, &i, &j);
    return j;
}

/* Their rows of the data set. */
static inline size_t pair_row(const gersh__pairs *pairs, size_t p)
{
    return gersh__pairs_row(pairs, pair_first(pairs, p));
}

static inline size_t pair_other_row(const gersh__pairs *pairs, size_t p)
{
    return gersh__pairs_row(pairs, pair_second(pairs, p));
}

#endif
