/* Small things that any program has; see tools.h. */
#include "tools.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static char message[REPRO_MESSAGE_SIZE];

/* What is made of it may be long: names of files are cut where the message ends. */
gersh_status repro_fail(gersh_status status, const char *format, ...)
{
    char fresh[4 * REPRO_MESSAGE_SIZE];
    va_list list;
    va_start(list, format);
    vsnprintf(fresh, sizeof fresh, format, list);
    va_end(list);
    gersh_text_clean(message, sizeof message, fresh);
    return status;
}

gersh_status repro_fail_errno(int code, const char *subject, const char *what)
{
    gersh_status status = GERSH_ERROR_IO;
    if (code == ENOMEM)
        status = GERSH_ERROR_MEMORY;
    else if (code == ENOSPC || code == EDQUOT || code == EFBIG || code == EIO)
        status = GERSH_ERROR_DISK;
    return repro_fail(status, "%s: %s: %s", subject, what, strerror(code));
}

const char *repro_error(void)
{
    return *message != '\0' ? message : gersh_last_error();
}

void repro_forget(void)
{
    *message = '\0';
}

static void *check_block(void *block, size_t count, size_t size)
{
    if (block == NULL)
        repro_fail(GERSH_ERROR_MEMORY, "out of memory: could not get %.6g MB",
                   (double)count * (double)size / 1e6);
    return block;
}

void *repro_alloc(size_t count, size_t size)
{
    return check_block(calloc(count > 0 ? count : 1, size), count, size);
}

void *repro_realloc(void *block, size_t count, size_t size)
{
    void *moved = count <= SIZE_MAX / size ? realloc(block, count > 0 ? count * size : size) : NULL;
    return check_block(moved, count, size);
}

char *repro_format_list(const char *format, va_list list)
{
    va_list again;
    va_copy(again, list);
    int length = vsnprintf(NULL, 0, format, list);
    char *text = length >= 0 ? repro_alloc((size_t)length + 1, 1) : NULL;
    if (text != NULL)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

char *repro_format(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    char *text = repro_format_list(format, list);
    va_end(list);
    return text;
}

char *repro_copy(const char *text)
{
    return repro_format("%s", text);
}

/* The program leaves the locale as it is at the start, "C", so that the point is '.'. */
int repro_parse_number(const char *text, size_t length, double *value)
{
    char *end;
    if (length == 0 || strspn(text, "+-.0123456789eE") < length)
        return 0;
    double number = strtod(text, &end);
    if (end != text + length || !isfinite(number))
        return 0;
    *value = number;
    return 1;
}

double repro_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static uint64_t rotate_left(uint64_t x, int bits)
{
    return (x << bits) | (x >> (64 - bits));
}

void repro_random_seed(repro_random *random, uint64_t seed)
{
    for (int i = 0; i < 4; i++) {
        uint64_t z = seed += UINT64_C(0x9E3779B97F4A7C15);
        z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
        random->state[i] = z ^ (z >> 31);
    }
}

double repro_random_uniform(repro_random *random)
{
    uint64_t *s = random->state, bits = rotate_left(s[1] * 5, 7) * 9, shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate_left(s[3], 45);
    return (double)(bits >> 11) * 0x1.0p-53;
}

/* Ratio of uniforms (Kinderman and Monahan): x = v/u is taken where x² <= -4 ln u. */
double repro_random_normal(repro_random *random)
{
    const double width = 0x1.b72cd3f331398p-1; /* √(2/e) */
    for (;;) {
        double u = 1.0 - repro_random_uniform(random);
        double x = (2.0 * repro_random_uniform(random) - 1.0) * width / u;
        if (x * x <= -4.0 * log(u))
            return x;
    }
}
