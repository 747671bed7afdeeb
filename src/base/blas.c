/* Buffers of OpenBLAS are made while there is room for them; see blas.h. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "base/blas.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"
#include "base/lock.h"

/* Of OpenBLAS alone; a buffer that is given back is kept for the next thread. */
extern void *blas_memory_alloc(int place) __attribute__((weak));
extern void blas_memory_free(void *buffer) __attribute__((weak));

enum { MOST_BUFFERS = 64, BUFFER_MB = 128 }; /* BUFFER_SIZE of x86-64; it is no larger elsewhere */

#ifndef GERSH_NO_THREADS
static gersh__lock lock = PTHREAD_MUTEX_INITIALIZER;
#else
static gersh__lock lock;
#endif
static int made; /* buffers that OpenBLAS is known to have */

static int has_room(size_t megabytes)
{
    void *block = mmap(NULL, megabytes << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED)
        return 0;
    munmap(block, megabytes << 20);
    return 1;
}

/*
 * Holding all at once makes OpenBLAS have that many. All but the first are made only where as much again is left for what the
 * threads work on.
 */
static void make_buffers(int wanted)
{
    void *held[MOST_BUFFERS];
    int count = 0;
    while (count < wanted && has_room(count == 0 ? BUFFER_MB : 2 * BUFFER_MB))
        held[count++] = blas_memory_alloc(0);
    for (int i = 0; i < count; i++)
        blas_memory_free(held[i]);
    if (count > made)
        made = count;
}

static void fail(void)
{
    size_t room = BUFFER_MB;
    const char *threads = getenv("OPENBLAS_NUM_THREADS");
    while (room > 0 && !has_room(room))
        room--;
    gersh__fail(GERSH_ERROR_MEMORY,
                "out of memory: OpenBLAS takes %d MB of address space for its products, and there are %zu "
                "MB; raise the "
                "limit (ulimit -v)%s",
                BUFFER_MB, room,
                threads != NULL && strcmp(threads, "1") == 0 ? "" : ", or set OPENBLAS_NUM_THREADS=1");
}

int gersh__blas_reserve(int threads)
{
    int wanted = threads < MOST_BUFFERS ? threads : MOST_BUFFERS;
    if (blas_memory_alloc == NULL || blas_memory_free == NULL)
        return threads;
    gersh__lock_take(&lock);
    if (made < wanted)
        make_buffers(wanted);
    int there = made;
    gersh__lock_leave(&lock);
    if (there == 0)
        fail();
    return there < wanted ? there : threads;
}

gersh_status gersh__blas_check(void)
{
    return gersh__blas_reserve(1) > 0 ? GERSH_OK : GERSH_ERROR_MEMORY;
}
