/*
 * bench_growth_k: how time and memory grow with the number of features.
 *
 * 100 rows in two classes, K features, standard normal but for 50 of them, whose means are two standard deviations
 * apart; from the library's generator with seed 1. Objective glr, solver balanced, --scale paper --trace K --tol 0.01.
 * Every run is a process of its own: seconds and processor seconds are those of scaling and fitting (medians of the
 * runs), the peak of its memory is the operating system's, data and all. *Used* are the features with M_ii above rho,
 * precision is the share of informative ones among the 50 heaviest of these, and recall the share of the informative
 * ones that are among them. The exponent is the slope of log seconds over log K, by least squares,
 * for K from 2,000 to 50,000; processor seconds hardly depend on what else the machine does.
 *
 *     bench_growth_k [REPEATS [LARGEST]]      default: 3 100000
 */
#define _GNU_SOURCE
#include <math.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/random.h"
#include "bench.h"

enum { ROWS = 100, INFORMATIVE = 50, MOST_REPEATS = 21 };

/* What a run tells the program that started it. */
typedef struct outcome {
    double seconds, processor, gap;
    size_t used, right; /* features with weight, at most 50; informative ones among them */
    int iterations, converged;
    double megabytes; /* from the operating system */
} outcome;

static size_t *choose_informative(gersh__random *random, size_t k)
{
    size_t *order = room(k, sizeof *order);
    for (size_t f = 0; f < k; f++)
        order[f] = f;
    gersh__random_shuffle(random, order, k);
    return order;
}

static gersh_dataset *make_data(size_t k, unsigned char *informative)
{
    gersh__random random;
    gersh_dataset *data;
    double *x = room(ROWS * k, sizeof *x);
    const char *labels[ROWS];
    gersh__random_seed(&random, 1);
    size_t *order = choose_informative(&random, k);
    for (size_t c = 0; c < INFORMATIVE; c++)
        informative[order[c]] = 1;
    for (size_t i = 0; i < ROWS; i++) {
        labels[i] = i % 2 ? "b" : "a";
        for (size_t f = 0; f < k; f++)
            x[i * k + f] = gersh__random_normal(&random) + (informative[f] && i % 2 ? 2 : 0);
    }
    must(gersh_dataset_new(&data, ROWS, k, x, k, labels, NULL, NULL));
    free(order);
    free(x);
    return data;
}

/* The heaviest features, and how many of them are informative. */
static void count_heaviest(outcome *out, const gersh_metric *metric, const unsigned char *informative)
{
    size_t k = metric->features;
    double *diagonal = room(k, sizeof *diagonal);
    for (size_t a = 0; a < metric->atoms; a++) {
        gersh_atom z = metric->atom[a];
        diagonal[z.i] += metric->weight[a] * z.a * z.a;
        if (z.i != z.j)
            diagonal[z.j] += metric->weight[a] * z.b * z.b;
    }
    for (size_t c = 0; c < INFORMATIVE; c++) {
        size_t best = 0;
        for (size_t f = 1; f < k; f++)
            best = diagonal[f] > diagonal[best] ? f : best;
        if (diagonal[best] == 0)
            break;
        out->used++;
        out->right += informative[best];
        diagonal[best] = 0;
    }
    free(diagonal);
}

static void fit_once(outcome *out, size_t k)
{
    const char *const pairs[] = {"scale", "paper", "trace", "K", "tol", "0.01", NULL};
    unsigned char *informative = room(k, 1);
    gersh_dataset *data = make_data(k, informative);
    gersh_settings *settings = settings_of(pairs);
    gersh_scaling *scaling;
    gersh_metric *metric;
    gersh_fit_info info;
    double begin = gersh__clock_seconds(), processor = processor_seconds();
    must(gersh_scaling_fit(&scaling, data, "paper"));
    must(gersh_scaling_apply(scaling, data));
    must(gersh_fit(&metric, &info, data, settings, NULL));
    *out = (outcome){.seconds = gersh__clock_seconds() - begin,
                     .processor = processor_seconds() - processor,
                     .gap = percent(info.gap, fabs(info.objective_value)),
                     .iterations = info.iterations,
                     .converged = info.stop == GERSH_STOP_CONVERGED};
    count_heaviest(out, metric, informative);
    gersh_metric_free(metric);
    gersh_scaling_free(scaling);
    gersh_settings_free(settings);
    gersh_dataset_free(data);
    free(informative);
}

/* The fit in a process of its own. */
static outcome run(size_t k)
{
    outcome out = {0};
    int ends[2], status;
    struct rusage usage;
    fflush(stdout);
    if (pipe(ends) != 0)
        exit(1);
    pid_t child = fork();
    if (child == 0) {
        fit_once(&out, k);
        _exit(write(ends[1], &out, sizeof out) == (ssize_t)sizeof out ? 0 : 1);
    }
    close(ends[1]);
    if (child < 0 || read(ends[0], &out, sizeof out) != (ssize_t)sizeof out ||
        wait4(child, &status, 0, &usage) != child || status != 0) {
        fprintf(stderr, "bench: the fit of %zu features failed\n", k);
        exit(1);
    }
    close(ends[0]);
    out.megabytes = (double)usage.ru_maxrss / 1024;
    return out;
}

/* Medians over the repeats. */
static outcome repeat(size_t k, int repeats)
{
    double seconds[MOST_REPEATS], processor[MOST_REPEATS], megabytes[MOST_REPEATS];
    outcome out = {0};
    for (int r = 0; r < repeats; r++) {
        out = run(k);
        seconds[r] = out.seconds;
        processor[r] = out.processor;
        megabytes[r] = out.megabytes;
    }
    out.seconds = median((size_t)repeats, seconds);
    out.processor = median((size_t)repeats, processor);
    out.megabytes = median((size_t)repeats, megabytes);
    return out;
}

/* The slope of log y over log x. */
static double exponent(size_t count, const double *x, const double *y)
{
    double n = (double)count, sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (size_t i = 0; i < count; i++) {
        double a = log(x[i]), b = log(y[i]);
        sx += a;
        sy += b;
        sxx += a * a;
        sxy += a * b;
    }
    return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

int main(int argc, char **argv)
{
    static const size_t features[] = {2000, 5000, 10000, 20000, 50000, 100000};
    enum { COUNT = sizeof features / sizeof features[0] };
    int repeats = argc > 1 ? atoi(argv[1]) : 3;
    size_t largest = argc > 2 ? (size_t)atol(argv[2]) : features[COUNT - 1], fitted = 0;
    double k[COUNT], seconds[COUNT], processor[COUNT];
    if (repeats < 1 || repeats > MOST_REPEATS) {
        fprintf(stderr, "bench: from 1 to %d repeats, not '%s'\n", MOST_REPEATS, argv[1]);
        return 2;
    }
    print_version();
    printf("100 rows, 2 classes, 50 informative features: glr, balanced, scale paper, trace K, tol 0.01;\n"
           "medians of %d\n\n",
           repeats);
    printf("      K   seconds  processor s  steps   gap %%  used  precision  recall  peak MB\n");
    for (size_t c = 0; c < COUNT && features[c] <= largest; c++) {
        outcome out = repeat(features[c], repeats);
        printf("%7zu  %8.3f  %11.3f  %5d  %6.3f  %4zu  %9.2f  %6.2f  %7.0f%s\n", features[c], out.seconds,
               out.processor, out.iterations, out.gap, out.used, (double)out.right / (double)out.used,
               (double)out.right / INFORMATIVE, out.megabytes, out.converged ? "" : "  not converged");
        if (features[c] > 50000)
            continue;
        k[fitted] = (double)features[c];
        seconds[fitted] = out.seconds;
        processor[fitted++] = out.processor;
    }
    if (fitted > 1)
        printf("\nexponent in K up to %.0f: %.2f of seconds, %.2f of processor seconds\n", k[fitted - 1],
               exponent(fitted, k, seconds), exponent(fitted, k, processor));
    return 0;
}
