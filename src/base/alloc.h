/*
 * Checked allocation. All memory of the library comes from here, so that a test can make the n-th
 * allocation fail and see that nothing leaks or crashes. A failure sets the thread's message; the
 * caller returns GERSH_ERROR_MEMORY.
 */
#ifndef GERSH_SRC_BASE_ALLOC_H
#define GERSH_SRC_BASE_ALLOC_H

#include <stddef.h>

#include "gersh/base.h"

/*
 * count × size zeroed bytes; NULL on overflow, beyond the machine's memory (which a system may promise, but cannot give),
 * or when memory is short. count × size may be 0.
 */
void *gersh__alloc(size_t count, size_t size);

/* As realloc, count × size bytes, new bytes not zeroed. On failure NULL, and the old block stays. */
void *gersh__realloc(void *block, size_t count, size_t size);

void gersh__free(void *block);

/*
 * An array that a caller says to have: GERSH_ERROR_MEMORY where rows × columns elements are more than any memory can
 * hold, so that products of the two may be used for places in it.
 */
gersh_status gersh__check_array(size_t rows, size_t columns, size_t size);

/* A copy of length bytes of text with a final NUL. */
char *gersh__text_copy(const char *text, size_t length);

/*
 * Makes room for at least `need` elements in a growing array (doubling). Returns 0, or -1 on failure
 * with *block and *capacity unchanged.
 */
int gersh__grow(void *block_pointer, size_t *capacity, size_t need, size_t size);

/* Bytes of memory that this machine has; SIZE_MAX where that is not known. */
size_t gersh__memory_size(void);

/* Bytes that one file, or one table or matrix that is made of it, may take: half of the machine's memory. */
double gersh__memory_limit(void);

/* GERSH_ERROR_MEMORY where a matrix of n × n numbers is beyond that: a small file can have many features. */
gersh_status gersh__check_matrix(size_t n);

/* Test hook: the machine has that much memory; 0: what it has in truth. */
void gersh__memory_pretend(size_t bytes);

/*
 * Test hook: the n-th allocation from now (1 is the next), in any thread, fails once; 0 switches off.
 * Returns how many allocations were made since the hook was last set.
 */
long gersh__alloc_fail_at(long n);

#endif
