/*
 * Seeded random numbers: xoshiro256** (Blackman and Vigna), its state filled from the seed by
 * splitmix64. Integers and uniforms use integer arithmetic and exact scaling only, and normals are
 * ratios of uniforms, so that a seed gives the same numbers on every machine.
 */
#ifndef GERSH_SRC_BASE_RANDOM_H
#define GERSH_SRC_BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

typedef struct gersh__random {
    uint64_t state[4];
} gersh__random;

void gersh__random_seed(gersh__random *random, uint64_t seed);
uint64_t gersh__random_bits(gersh__random *random);
uint64_t gersh__random_below(gersh__random *random, uint64_t bound); /* 0..bound-1, unbiased; bound > 0 */
double gersh__random_uniform(gersh__random *random);                 /* multiples of 2^-53 in [0, 1) */
double gersh__random_normal(gersh__random *random);                  /* mean 0, variance 1 */
void gersh__random_shuffle(gersh__random *random, size_t *items, size_t count);

#endif
