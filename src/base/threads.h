/*
 * A pool of threads for loops over independent parts.
 *
 * The parts of a loop are numbered and fixed by the caller, never by the number of threads, and each
 * part writes to its own place: sums are then taken over the parts in order, so that results do not
 * depend on how the parts were spread.
 *
 * A pool lives for one public call. It starts its threads at the first loop that needs them. After fork() the child
 * has none of its parent's threads: the pool notices and starts new ones. While there is a pool, BLAS is held to one
 * thread per caller, so that p threads never turn into p × p, and results do not depend on BLAS's own threads.
 */
#ifndef GERSH_SRC_BASE_THREADS_H
#define GERSH_SRC_BASE_THREADS_H

#include <stddef.h>

#include "base/policy.h"
#include "gersh/base.h"

typedef struct gersh__pool gersh__pool;

/* One part of a loop: `worker` (0..threads-1) may index scratch memory of the caller. */
typedef void (*gersh__part)(void *context, size_t part, int worker);

/*
 * threads = 0: one per core that this process may use. Where memory is limited there are only as many as BLAS has buffers for
 * (blas.h), as every part may call it.
 */
gersh_status gersh__pool_new(gersh__pool **out, int threads);
void gersh__pool_free(gersh__pool *pool);
int gersh__pool_threads(const gersh__pool *pool);

/*
 * Runs parts 0..parts-1, the caller's thread among the workers, and returns when all are done. One
 * loop at a time per pool. A NULL pool runs everything in the caller. When threads cannot be started
 * the work is done with those there are.
 */
void gersh__pool_run(gersh__pool *pool, size_t parts, gersh__part part, void *context);

/* The pool for a loop with so many multiplications, or look-ups in memory; NULL where they are not worth waking threads. */
static inline gersh__pool *gersh__pool_for(gersh__pool *pool, double work)
{
    return work > GERSH__MUCH_WORK ? pool : NULL;
}

/*
 * Holds BLAS to one thread until the matching release, as every pool does from new to free; scopes may nest and overlap
 * between threads. Without OpenBLAS this does nothing.
 */
void gersh__blas_hold(void);
void gersh__blas_release(void);

#endif
