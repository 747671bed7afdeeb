/* xoshiro256**, unbiased bounded integers, uniforms and normals; see random.h. */
#include "base/random.h"

#include <math.h>

static uint64_t rotate_left(uint64_t x, int bits)
{
    return (x << bits) | (x >> (64 - bits));
}

static uint64_t splitmix64(uint64_t *counter)
{
    uint64_t z = (*counter += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

void gersh__random_seed(gersh__random *random, uint64_t seed)
{
    for (int i = 0; i < 4; i++)
        random->state[i] = splitmix64(&seed);
}

uint64_t gersh__random_bits(gersh__random *random)
{
    uint64_t *s = random->state;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    uint64_t shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate_left(s[3], 45);
    return result;
}

uint64_t gersh__random_below(gersh__random *random, uint64_t bound)
{
    /* Numbers below 2^64 mod bound are thrown away, so that every remainder is equally likely. */
    uint64_t reject = (0 - bound) % bound;
    uint64_t bits;
    do {
        bits = gersh__random_bits(random);
    } while (bits < reject);
    return bits % bound;
}

double gersh__random_uniform(gersh__random *random)
{
    return (double)(gersh__random_bits(random) >> 11) * 0x1.0p-53;
}

double gersh__random_normal(gersh__random *random)
{
    /* Ratio of uniforms (Kinderman and Monahan): accept x = v/u where x² <= -4 ln u. */
    const double width = 0x1.b72cd3f331398p-1; /* √(2/e) */
    for (;;) {
        double u = 1.0 - gersh__random_uniform(random);
        double v = (2.0 * gersh__random_uniform(random) - 1.0) * width;
        double x = v / u;
        if (x * x <= -4.0 * log(u))
            return x;
    }
}

void gersh__random_shuffle(gersh__random *random, size_t *items, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        size_t j = (size_t)gersh__random_below(random, i);
        size_t swap = items[i - 1];
        items[i - 1] = items[j];
        items[j] = swap;
    }
}
