/* Allocations that fail, those of reproduce/ and of the library: the linker sends calloc and realloc here (--wrap). */
#ifndef GERSH_TESTS_REPRODUCE_MEMORY_H
#define GERSH_TESTS_REPRODUCE_MEMORY_H

#include <stddef.h>

static long fail_at, made;

void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);

static inline int must_fail(void)
{
    long at = __atomic_load_n(&fail_at, __ATOMIC_RELAXED);
    return at != 0 && __atomic_add_fetch(&made, 1, __ATOMIC_RELAXED) == at;
}

void *__wrap_calloc(size_t count, size_t size)
{
    return must_fail() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size)
{
    return must_fail() ? NULL : __real_realloc(block, size);
}

/* The n-th allocation from now fails; 0: none. Returns how many there were since the last call. */
static inline long fail_allocation(long n)
{
    __atomic_store_n(&fail_at, n, __ATOMIC_RELAXED);
    return __atomic_exchange_n(&made, 0, __ATOMIC_RELAXED);
}

#endif
