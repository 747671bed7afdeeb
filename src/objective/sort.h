/* Sorting pairs by their distance. */
#ifndef GERSH_SRC_OBJECTIVE_SORT_H
#define GERSH_SRC_OBJECTIVE_SORT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct gersh__entry {
    uint64_t key; /* see gersh__key */
    size_t pair;
} gersh__entry;

/* Bits that are in the order of the numbers, for x >= 0; negative numbers count as 0. */
static inline uint64_t gersh__key(double x)
{
    uint64_t bits;
    double positive = x > 0 ? x : 0.0;
    memcpy(&bits, &positive, sizeof bits);
    return bits;
}

static inline double gersh__key_value(uint64_t key)
{
    double x;
    memcpy(&x, &key, sizeof x);
    return x;
}

/*
 * Sorts by key; entries of the same key keep their order. `other` has room for as many; the result is in
 * the array that is returned, one of the two.
 */
gersh__entry *gersh__sort(gersh__entry *entries, gersh__entry *other, size_t count);

#endif
