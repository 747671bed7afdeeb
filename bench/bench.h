/* What the benchmarks share: data sets, read or generated, failing calls, medians, settings, and peak memory. */
#ifndef GERSH_BENCH_BENCH_H
#define GERSH_BENCH_BENCH_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/random.h"
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

/* The folder of the data sets: the argument where there is one, else GERSH_DATA; NULL where neither is. */
static inline const char *data_folder(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : getenv("GERSH_DATA");
    return folder != NULL && folder[0] != '\0' ? folder : NULL;
}

static inline void scale_data(gersh_dataset *data, const char *scale)
{
    gersh_scaling *scaling;
    must(gersh_scaling_fit(&scaling, data, scale));
    must(gersh_scaling_apply(scaling, data));
    gersh_scaling_free(scaling);
}

static inline gersh_dataset *read_data(const char *folder, const char *name, const char *scale)
{
    char path[4096];
    gersh_dataset *data;
    snprintf(path, sizeof path, "%s/%s.csv", folder, name);
    must(gersh_dataset_read(&data, path, NULL));
    scale_data(data, scale);
    return data;
}

/*
 * Two classes, standard normal features from the library's generator with seed 1, those of the second class
 * moved by 1.5 along the first feature and by 0.75 along the second.
 */
static inline gersh_dataset *make_two_classes(size_t rows, size_t features)
{
    gersh__random random;
    gersh_dataset *data;
    double *x = room(rows * features, sizeof *x);
    const char **labels = room(rows, sizeof *labels);
    gersh__random_seed(&random, 1);
    for (size_t i = 0; i < rows; i++) {
        double second = i % 2 ? 1 : 0;
        labels[i] = i % 2 ? "b" : "a";
        for (size_t f = 0; f < features; f++)
            x[i * features + f] = gersh__random_normal(&random) + second * (f == 0   ? 1.5
                                                                            : f == 1 ? 0.75
                                                                                     : 0);
    }
    must(gersh_dataset_new(&data, rows, features, x, features, labels, NULL, NULL));
    free(x);
    free(labels);
    return data;
}

/* Of all threads: unlike the clock, they do not depend on what else the machine does. */
static inline double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The most memory that the process had at any time, from the operating system. */
static inline double peak_megabytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

/* The last line of each benchmark. */
static inline void print_peak(void)
{
    printf("\npeak memory of this benchmark: %.0f MB\n\n", peak_megabytes());
}

static inline double percent(double part, double whole)
{
    return whole != 0 ? 100 * part / whole : 0;
}

#endif
