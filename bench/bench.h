/* What the benchmarks share: the folder of data sets, failing calls, medians, and a fit by settings. */
#ifndef GERSH_BENCH_BENCH_H
#define GERSH_BENCH_BENCH_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gersh/gersh.h"

/* A failing call ends the program with the library's own sentence. */
static inline void must(gersh_status status)
{
    if (status == GERSH_OK)
        return;
    fprintf(stderr, "bench: %s\n", gersh_last_error());
    exit(1);
}

static inline void *room(size_t count, size_t size)
{
    void *block = calloc(count, size);
    if (block == NULL) {
        fprintf(stderr, "bench: memory is short\n");
        exit(1);
    }
    return block;
}

static inline int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline double median(size_t count, double *values)
{
    qsort(values, count, sizeof *values, by_value);
    return count % 2 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

/* Settings from name and value pairs that end with NULL. */
static inline gersh_settings *settings_of(const char *const *pairs)
{
    gersh_settings *settings;
    must(gersh_settings_new(&settings));
    for (; *pairs != NULL; pairs += 2)
        must(gersh_settings_set(settings, pairs[0], pairs[1]));
    return settings;
}

static inline void print_version(void)
{
    printf("gersh %s, hot loops: %s\n", gersh_version(), gersh_cpu_level());
}

static inline double percent(double part, double whole)
{
    return whole != 0 ? 100 * part / whole : 0;
}

#endif
