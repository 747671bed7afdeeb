/* Loops over chunks of pairs, of samples with their rows of pairs, or of comparisons. */
#ifndef GERSH_SRC_PAIRS_CHUNKS_H
#define GERSH_SRC_PAIRS_CHUNKS_H

#include "base/threads.h"

enum { GERSH__MOST_CHUNKS = 64 };

/* How many chunks there are follows from the problem alone, so that sums over them are the same on any number of threads. */
typedef struct gersh__chunks {
    size_t count;
    size_t start[GERSH__MOST_CHUNKS + 1];
} gersh__chunks;

/* Runs `part` for each chunk: where there is but one, in the caller and at no cost. */
static inline void gersh__chunks_run(const gersh__chunks *chunks, gersh__pool *pool, gersh__part part,
                                     void *context)
{
    if (chunks->count == 1)
        part(context, 0, 0);
    else
        gersh__pool_run(pool, chunks->count, part, context);
}

#endif
