/*
 * The C side of bench/python_overhead.py: reads a data file, and for each number on standard input makes that many fits,
 * from rows and labels in memory to a model that is freed, and prints the seconds and the value of each.
 *
 *     bench_python_overhead DATA OBJECTIVE SOLVER
 */
#include <time.h>

#include "bench.h"

/* The library's own clock is not among what its shared form shows. */
static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char **argv)
{
    gersh_dataset *read = NULL;
    int repeats;
    if (argc != 4)
        return fprintf(stderr, "usage: bench_python_overhead DATA OBJECTIVE SOLVER\n"), 2;
    free(room(31, 1 << 20)); /* as the Python package does, so that freed memory is kept for the next fit */
    const char *const pairs[] = {"objective", argv[2], "solver", argv[3], "threads", "1", NULL};
    must(gersh_dataset_read(&read, argv[1], NULL));
    size_t n = gersh_dataset_rows(read), k = gersh_dataset_features(read);
    const char **labels = room(n, sizeof *labels);
    if (gersh_dataset_labels(read) == NULL)
        return fprintf(stderr, "bench: %s has no classes\n", argv[1]), 1;
    for (size_t i = 0; i < n; i++)
        labels[i] = gersh_dataset_class_name(read, (size_t)gersh_dataset_labels(read)[i]);
    while (scanf("%d", &repeats) == 1) {
        for (int r = 0; r < repeats; r++) {
            gersh_dataset *data = NULL;
            gersh_model *model = NULL;
            double begin = seconds_now();
            gersh_settings *settings = settings_of(pairs);
            must(gersh_dataset_new(&data, n, k, gersh_dataset_values(read), k, labels, NULL, NULL));
            must(gersh_model_fit(&model, NULL, data, settings, NULL));
            double value = gersh_model_info(model)->objective_value;
            gersh_model_free(model);
            gersh_dataset_free(data);
            gersh_settings_free(settings);
            printf("%.9f %.17g\n", seconds_now() - begin, value);
        }
        fflush(stdout);
    }
    free(labels);
    gersh_dataset_free(read);
    return 0;
}
