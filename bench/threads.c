/*
 * bench_threads: one thread beside two, or beside as many as are asked for.
 *
 * usage: bench_threads [THREADS]
 *
 * Fits to random rows of three classes, which take about a second or more: of sampled pairs, of mined triplets and of all
 * pairs, the last one of few rows and many features. The time is that of the clock, the median of five runs each, in
 * turn with one thread and with THREADS (2 by default).
 */
#include <math.h>

#include "base/clock.h"
#include "base/random.h"
#include "bench.h"

enum { REPEATS = 9 };

static gersh_dataset *make_rows(size_t rows, size_t k)
{
    static const char *const names[] = {"a", "b", "c"};
    gersh__random random;
    double *x = room(rows * k, sizeof *x);
    const char **labels = room(rows, sizeof *labels);
    gersh_dataset *data;
    gersh__random_seed(&random, 1);
    for (size_t i = 0; i < rows; i++) {
        labels[i] = names[i % 3];
        for (size_t f = 0; f < k; f++)
            x[i * k + f] = gersh__random_normal(&random) + (f % 3 == i % 3 && f < 12 ? 0.8 : 0);
    }
    must(gersh_dataset_new(&data, rows, k, x, k, labels, NULL, NULL));
    free(x);
    free(labels);
    return data;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *what, *objective, *tol;
        size_t rows, features;
    } cases[] = {{"sampled", "glr", "1e-4", 12000, 40},
                 {"mined", "lmnn", "1e-3", 6000, 27},
                 {"all", "glr", "1e-3", 2000, 40},
                 {"all", "mcml", "1e-3", 1200, 30},
                 {"all", "glr", "1e-3", 100, 20000}};
    const char *many = argc > 1 ? argv[1] : "2";
    print_version();
    printf("seconds with one thread and with %s, medians of %d\n\n%-9s %-9s %7s %9s %9s %9s %7s\n", many,
           REPEATS, "pairs", "objective", "rows", "features", "1", many, "ratio");
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        gersh_dataset *data = make_rows(cases[c].rows, cases[c].features);
        double seconds[2][REPEATS];
        for (int r = 0; r < 2 * REPEATS; r++) {
            gersh_settings *settings =
                settings_of((const char *const[]){"objective", cases[c].objective, "tol", cases[c].tol,
                                                  "memory", "2", "threads", r % 2 == 0 ? "1" : many, NULL});
            gersh_metric *metric;
            gersh_fit_info info;
            double begin = gersh__clock_seconds();
            must(gersh_fit(&metric, &info, data, settings, NULL));
            seconds[r % 2][r / 2] = gersh__clock_seconds() - begin;
            gersh_metric_free(metric);
            gersh_settings_free(settings);
        }
        double one = median(REPEATS, seconds[0]), two = median(REPEATS, seconds[1]);
        printf("%-9s %-9s %7zu %9zu %9.2f %9.2f %7.2f\n", cases[c].what, cases[c].objective, cases[c].rows,
               cases[c].features, one, two, one / two);
        fflush(stdout);
        gersh_dataset_free(data);
    }
    return 0;
}
