/*
 * bench_growth_n: how time and memory of a fit grow with the number of rows.
 *
 * usage: bench_growth_n [OBJECTIVES [SIZES [FEATURES]]]
 *
 * OBJECTIVES and SIZES are lists with commas; lmnn,glr and 10000,30000,100000 by default, with 50 features.
 * Rows are of 3 classes of 3 clusters each, whose centres differ in 8 features, times a random matrix: made by
 * the library's generator with seed 1. Another 5,000 rows of the same sort are classified by 10-NN among all
 * rows, under the metric learned from all rows, and under that of an all-pairs fit (sampled pairs for lmnn, which
 * has 2^20 pairs at most) to the first 10,000 rows. Each fit runs in a process of its own, so that the
 * operating system's peak of memory is its own; that includes the rows.
 */
#include <math.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/random.h"
#include "bench.h"

enum {
    CLASSES = 3,
    CLUSTERS = 3,
    INFORMATIVE = 8,
    HELD_OUT = 20000,
    NEIGHBORS = 10,
    SUBSET = 10000,
    MOST = 16
};

#define LARGE "1000" /* GB: all pairs whatever the machine has */

/* What a fit in a process of its own tells. */
typedef struct outcome {
    double seconds, user, megabytes, accuracy;
    gersh_fit_info info;
} outcome;

typedef struct source {
    size_t k;
    double *mix; /* k × k */
    double center[CLASSES * CLUSTERS][INFORMATIVE];
    gersh__random random;
} source;

static source make_source(size_t k)
{
    source s = {.k = k, .mix = room(k * k, sizeof(double))};
    gersh__random_seed(&s.random, 1);
    for (size_t e = 0; e < k * k; e++)
        s.mix[e] = (e % (k + 1) == 0) + 0.3 * gersh__random_normal(&s.random) / sqrt((double)k);
    for (size_t c = 0; c < CLASSES * CLUSTERS; c++)
        for (size_t f = 0; f < INFORMATIVE; f++)
            s.center[c][f] = 1.6 * gersh__random_normal(&s.random);
    return s;
}

static gersh_dataset *make_rows(source *s, size_t rows, int *class)
{
    static const char *const names[] = {"a", "b", "c"};
    size_t k = s->k;
    double *x = room(rows * k, sizeof *x), *raw = room(k, sizeof *raw);
    const char **labels = room(rows, sizeof *labels);
    gersh_dataset *data;
    for (size_t i = 0; i < rows; i++) {
        size_t cluster = i < CLASSES ? i * CLUSTERS : gersh__random_below(&s->random, CLASSES * CLUSTERS);
        labels[i] = names[cluster / CLUSTERS];
        if (class != NULL)
            class[i] = (int)(cluster / CLUSTERS);
        for (size_t f = 0; f < k; f++)
            raw[f] = gersh__random_normal(&s->random) + (f < INFORMATIVE ? s->center[cluster][f] : 0);
        for (size_t f = 0; f < k; f++)
            for (size_t g = 0; g < k; g++)
                x[i * k + g] += raw[f] * s->mix[f * k + g];
    }
    must(gersh_dataset_new(&data, rows, k, x, k, labels, NULL, NULL));
    free(x);
    free(raw);
    free(labels);
    return data;
}

/* Share of the held-out rows that the model's own rows classify rightly. */
static double accuracy_of(const gersh_model *model, const gersh_dataset *voters, const gersh_dataset *held)
{
    gersh_dataset *rows, *queries;
    gersh_neighbors *index;
    size_t n = gersh_dataset_rows(held), k = gersh_dataset_features(held), right = 0;
    size_t *nearest = room(n * NEIGHBORS, sizeof *nearest);
    must(gersh_dataset_copy(&rows, voters));
    must(gersh_dataset_copy(&queries, held));
    must(gersh_scaling_apply(gersh_model_scaling(model), rows));
    must(gersh_scaling_apply(gersh_model_scaling(model), queries));
    must(gersh_neighbors_new(&index, gersh_model_metric(model), gersh_dataset_rows(rows), k,
                             gersh_dataset_values(rows), k, 0));
    must(gersh_neighbors_find(index, NULL, nearest, n, gersh_dataset_values(queries), k, NEIGHBORS, NULL));
    for (size_t i = 0; i < n; i++) {
        int votes[CLASSES] = {0}, best = 0;
        for (size_t c = 0; c < NEIGHBORS; c++)
            votes[gersh_dataset_labels(voters)[nearest[i * NEIGHBORS + c]]]++;
        for (int c = 1; c < CLASSES; c++)
            best = votes[c] > votes[best] ? c : best;
        right += best == gersh_dataset_labels(held)[i];
    }
    gersh_neighbors_free(index);
    gersh_dataset_free(rows);
    gersh_dataset_free(queries);
    free(nearest);
    return (double)right / (double)n;
}

/* Fits to `rows` rows and classifies among `voters`; in a child, which writes the outcome to the pipe. */
static void fit_here(int to, size_t k, size_t rows, size_t voters, const char *objective,
                     const char *memory)
{
    source s = make_source(k);
    gersh_dataset *held = make_rows(&s, HELD_OUT, NULL), *data = make_rows(&s, rows, NULL), *all = data;
    gersh_settings *settings =
        settings_of((const char *const[]){"objective", objective, "memory", memory, NULL});
    gersh_model *model;
    outcome o;
    struct rusage usage;
    double begin = gersh__clock_seconds();
    must(gersh_model_fit(&model, &o.info, data, settings, NULL));
    o.seconds = gersh__clock_seconds() - begin;
    getrusage(RUSAGE_SELF, &usage);
    o.user = (double)usage.ru_utime.tv_sec + 1e-6 * (double)usage.ru_utime.tv_usec;
    o.megabytes = (double)usage.ru_maxrss / 1024;
    if (voters > rows) {
        source again = make_source(k);
        gersh_dataset_free(make_rows(&again, HELD_OUT, NULL));
        all = make_rows(&again, voters, NULL); /* the same rows, and those after them */
    }
    o.accuracy = accuracy_of(model, all, held);
    if (write(to, &o, sizeof o) != (ssize_t)sizeof o)
        _exit(1);
    _exit(0);
}

static outcome fit_apart(size_t k, size_t rows, size_t voters, const char *objective, const char *memory)
{
    int ends[2], status = 1;
    outcome o = {0};
    fflush(stdout);
    pid_t child = pipe(ends) == 0 ? fork() : -1;
    if (child == 0)
        fit_here(ends[1], k, rows, voters, objective, memory);
    close(ends[1]);
    if (child < 0 || read(ends[0], &o, sizeof o) != (ssize_t)sizeof o ||
        waitpid(child, &status, 0) != child || status != 0) {
        fprintf(stderr, "bench: a fit to %zu rows failed\n", rows);
        exit(1);
    }
    close(ends[0]);
    return o;
}

/* The slope of log y over log x by least squares. */
static double exponent(size_t count, const double *x, const double *y)
{
    double mx = 0, my = 0, xy = 0, xx = 0;
    for (size_t i = 0; i < count; i++) {
        mx += log(x[i]) / (double)count;
        my += log(y[i]) / (double)count;
    }
    for (size_t i = 0; i < count; i++) {
        xy += (log(x[i]) - mx) * (log(y[i]) - my);
        xx += (log(x[i]) - mx) * (log(x[i]) - mx);
    }
    return xy / xx;
}

static size_t read_sizes(size_t *size, char *text)
{
    size_t count = 0;
    for (char *word = strtok(text, ","); word != NULL && count < MOST; word = strtok(NULL, ","))
        size[count++] = (size_t)strtoull(word, NULL, 10);
    return count;
}

static void grow(const char *objective, size_t count, const size_t *size, size_t k)
{
    double seconds[MOST], rows[MOST];
    printf("\n%s\n%9s %-8s %9s %7s %9s %9s %9s %11s %11s\n", objective, "rows", "pairs", "used", "rounds",
           "seconds", "CPU s", "peak MB", "accuracy", "by subset");
    for (size_t i = 0; i < count; i++) {
        outcome o = fit_apart(k, size[i], size[i], objective, "auto");
        outcome subset = size[i] > SUBSET ? fit_apart(k, SUBSET, size[i], objective, LARGE) : o;
        seconds[i] = o.user;
        rows[i] = (double)size[i];
        printf("%9zu %-8s %9.0f %7d %9.2f %9.2f %9.0f %10.2f%% %10.2f%%\n", size[i],
               gersh_pair_choice_name(o.info.choice), o.info.pairs, o.info.rounds, o.seconds, o.user,
               o.megabytes, 100 * o.accuracy, 100 * subset.accuracy);
    }
    if (count > 1) {
        double e = exponent(count, rows, seconds);
        printf("CPU seconds grow as rows to the %.2f, or pairs to the %.2f\n", e, e / 2);
    }
}

int main(int argc, char **argv)
{
    char objectives[64], sizes[256];
    size_t size[MOST], k = argc > 3 ? (size_t)strtoull(argv[3], NULL, 10) : 50;
    snprintf(objectives, sizeof objectives, "%s", argc > 1 ? argv[1] : "lmnn,glr");
    snprintf(sizes, sizeof sizes, "%s", argc > 2 ? argv[2] : "10000,30000,100000");
    size_t count = read_sizes(size, sizes);
    if (k < INFORMATIVE || count == 0) {
        fprintf(stderr, "bench: SIZES is empty, or FEATURES below %d\n", INFORMATIVE);
        return 1;
    }
    print_version();
    printf(
        "%zu features; default settings, a thread for each core; 10-NN accuracy on %d other rows among all "
        "rows, by the\nmetric of all rows and by that of the first %d\n",
        k, HELD_OUT, SUBSET);
    char *rest = objectives;
    for (char *comma; rest != NULL; rest = comma != NULL ? comma + 1 : NULL) {
        comma = strchr(rest, ',');
        if (comma != NULL)
            *comma = '\0';
        grow(rest, count, size, k);
    }
    return 0;
}
