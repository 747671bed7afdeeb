/* Checked allocation over the C library's, with the test hook that fails one of them. */
#include "base/alloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

static long fail_at;
static long made;

static int must_fail(void)
{
    if (__atomic_load_n(&fail_at, __ATOMIC_RELAXED) == 0)
        return 0;
    return __atomic_add_fetch(&made, 1, __ATOMIC_RELAXED) == __atomic_load_n(&fail_at, __ATOMIC_RELAXED);
}

long gersh__alloc_fail_at(long n)
{
    long count = __atomic_exchange_n(&made, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&fail_at, n, __ATOMIC_RELAXED);
    return count;
}

static size_t memory_size; /* 0: not known yet */

size_t gersh__memory_size(void)
{
    size_t size = __atomic_load_n(&memory_size, __ATOMIC_RELAXED);
    if (size == 0) {
        long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
        size = pages > 0 && page > 0 && (size_t)pages <= SIZE_MAX / (size_t)page
                   ? (size_t)pages * (size_t)page
                   : SIZE_MAX;
        gersh__memory_pretend(size);
    }
    return size;
}

double gersh__memory_limit(void)
{
    return (double)gersh__memory_size() / 2;
}

gersh_status gersh__check_matrix(size_t n)
{
    double bytes = (double)n * (double)n * sizeof(double);
    return bytes <= gersh__memory_limit()
               ? GERSH_OK
               : gersh__fail(
                     GERSH_ERROR_MEMORY,
                     "out of memory: a matrix of %zu features takes %.3g GB; at most %.3g GB, half of "
                     "this machine's memory, are taken",
                     n, bytes / 1e9, gersh__memory_limit() / 1e9);
}

void gersh__memory_pretend(size_t bytes)
{
    __atomic_store_n(&memory_size, bytes, __ATOMIC_RELAXED);
}

/* Whether such a block may be asked for. */
static int is_possible(size_t count, size_t size)
{
    return !must_fail() && (size == 0 || count <= gersh__memory_size() / size);
}

static void report(size_t count, size_t size)
{
    gersh__fail(GERSH_ERROR_MEMORY, "out of memory: could not get %.6g MB",
                (double)count * (double)size / 1e6);
}

void *gersh__alloc(size_t count, size_t size)
{
    void *block = NULL;
    if (is_possible(count, size))
        block = count > 0 && size > 0 ? calloc(count, size) : calloc(1, 1);
    if (block == NULL)
        report(count, size);
    return block;
}

void *gersh__realloc(void *block, size_t count, size_t size)
{
    void *moved = NULL;
    if (is_possible(count, size)) {
        size_t bytes = count * size;
        moved = realloc(block, bytes ? bytes : 1);
    }
    if (moved == NULL)
        report(count, size);
    return moved;
}

gersh_status gersh__check_array(size_t rows, size_t columns, size_t size)
{
    if (columns == 0 || rows <= PTRDIFF_MAX / size / columns)
        return GERSH_OK;
    return gersh__fail(GERSH_ERROR_MEMORY,
                       "out of memory: an array of %zu × %zu elements is more than any memory holds", rows,
                       columns);
}

void gersh__free(void *block)
{
    free(block);
}

void gersh_free(void *memory)
{
    gersh__free(memory);
}

char *gersh__text_copy(const char *text, size_t length)
{
    char *copy = gersh__alloc(length < SIZE_MAX ? length + 1 : length, 1);
    if (copy != NULL && length > 0)
        memcpy(copy, text, length);
    return copy;
}

int gersh__grow(void *block_pointer, size_t *capacity, size_t need, size_t size)
{
    if (need <= *capacity)
        return 0;
    size_t wanted = *capacity < 8 ? 8 : *capacity;
    while (wanted < need)
        wanted = wanted > SIZE_MAX / 2 ? need : wanted * 2;
    void *block;
    memcpy(&block, block_pointer, sizeof block);
    block = gersh__realloc(block, wanted, size);
    if (block == NULL)
        return -1;
    memcpy(block_pointer, &block, sizeof block);
    *capacity = wanted;
    return 0;
}
