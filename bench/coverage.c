/*
 * bench_coverage: whether the values and bounds that fits to sampled pairs state hold as often as they say.
 *
 * usage: bench_coverage [OBJECTIVES [RUNS [ROWS [MEMORY]]]]
 *
 * OBJECTIVES and ROWS are lists with commas; all that can be drawn and 1500 by default, with 400 runs of each. MEMORY is
 * the setting `memory`, by default as little as a fit to sampled pairs needs. A name with + is fitted with weights of 1 to 3, glr= to
 * real-valued targets. A quarter of the runs is on each of four data sets, made by the library's generator with the seeds
 * 1 to 4; runs differ by the setting `seed` alone. The value holds when the objective over all pairs at the metric of the
 * fit is within value_error of the stated one; the bound, when it is not above the best value over all pairs that is
 * known: that of a fit to all pairs, or of a drawn one. Widths are means, in percent of the value.
 */
#include <math.h>

#include "base/clock.h"
#include "base/random.h"
#include "bench.h"
#include "objective/objective.h"

enum { FEATURES = 6, SETS = 4, CLASSES = 3 };

/* How many runs held, and how wide the statements were. */
typedef struct tally {
    int runs, value, bound;
    double error, gap, seconds;
} tally;

typedef struct task {
    const char *name; /* of the objective */
    int weighted, regress;
    size_t rows;
    gersh_dataset *data;
    double *weight; /* or NULL */
    gersh__pairs *all;
    gersh__objective *objective; /* over all pairs */
    double *d, *t;
} task;

static task make(const char *word, size_t rows, uint64_t seed)
{
    static const char *const names[] = {"a", "b", "c"};
    static char name[16];
    size_t length = strcspn(word, "+=");
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    task q = {.name = name, .weighted = word[length] == '+', .regress = word[length] == '=', .rows = rows};
    double *x = room(rows * FEATURES, sizeof *x), *target = room(rows, sizeof *target);
    const char **label = room(rows, sizeof *label);
    gersh__random random;
    gersh__random_seed(&random, seed);
    q.weight = q.weighted ? room(rows, sizeof *q.weight) : NULL;
    for (size_t i = 0; i < rows; i++) {
        /* Classes of 1/2, 1/3 and 1/6 of the rows, whose centres are 1.5 apart along one feature each. */
        size_t class = (size_t)gersh__random_below(&random, 6);
        class = class < 3 ? 0 : class < 5 ? 1 : 2;
        label[i] = names[class];
        for (size_t f = 0; f < FEATURES; f++)
            x[i * FEATURES + f] = gersh__random_normal(&random) + (f == class ? 1.5 : 0);
        target[i] = x[i * FEATURES] - 0.5 * x[i * FEATURES + 1] + 0.5 * gersh__random_normal(&random);
        if (q.weighted)
            q.weight[i] = (double)(1 + gersh__random_below(&random, 3));
    }
    must(gersh_dataset_new(&q.data, rows, FEATURES, x, FEATURES, q.regress ? NULL : label,
                           q.regress ? target : NULL, NULL));
    must(gersh__pairs_new(&q.all, q.data, q.weight, 0, NULL, NULL, NULL));
    must(gersh__objective_new(&q.objective, gersh__objective_find(name), q.all));
    q.d = room(gersh__pairs_count(q.all), sizeof *q.d);
    q.t = room(rows, sizeof *q.t);
    free(x);
    free(target);
    free(label);
    return q;
}

static void drop(task *q)
{
    gersh__objective_free(q->objective);
    gersh__pairs_free(q->all);
    gersh_dataset_free(q->data);
    free(q->weight);
    free(q->d);
    free(q->t);
}

/* The objective over all pairs, as the user knows it. */
static double true_value(const task *q, const gersh_metric *metric)
{
    gersh__pairs_euclidean(q->all, q->d);
    for (size_t p = 0; p < gersh__pairs_count(q->all); p++)
        q->d[p] *= metric->rho;
    for (size_t a = 0; a < metric->atoms; a++) {
        gersh_atom z = metric->atom[a];
        gersh__pairs_project(q->all, z.i, z.a, z.j, z.i == z.j ? 0 : z.b, q->t);
        gersh__pairs_add(q->all, metric->weight[a], q->t, q->d);
    }
    return gersh__objective_value(q->objective, q->d);
}

static gersh_metric *fit(gersh_fit_info *info, const task *q, const char *memory, int seed,
                         const gersh_fit_info *as)
{
    char number[3][32];
    gersh_metric *metric;
    gersh_settings *settings = settings_of((const char *const[]){"objective", q->name, "solver", "hull",
                                                                 "memory", memory, "threads", "1", NULL});
    snprintf(number[0], sizeof number[0], "%d", seed);
    must(gersh_settings_set(settings, "seed", number[0]));
    if (as != NULL) {
        snprintf(number[1], sizeof number[1], "%.17g", as->budget);
        snprintf(number[2], sizeof number[2], "%.17g", as->rho);
        must(gersh_settings_set(settings, "trace", number[1]));
        must(gersh_settings_set(settings, "rho", number[2]));
    }
    must(gersh_fit(&metric, info, q->data, settings, &(gersh_fit_options){.weights = q->weight}));
    gersh_settings_free(settings);
    return metric;
}

/* As little memory as a fit to sampled pairs needs. */
static const char *least_memory(const task *q)
{
    static char memory[32];
    gersh_metric *metric;
    gersh_fit_info info;
    for (double m = 0.05;; m *= 1.05) {
        snprintf(memory, sizeof memory, "%.4f", m);
        gersh_settings *settings =
            settings_of((const char *const[]){"objective", q->name, "solver", "hull", "memory", memory,
                                              "threads", "1", "max_iter", "1", NULL});
        gersh_status status =
            gersh_fit(&metric, &info, q->data, settings, &(gersh_fit_options){.weights = q->weight});
        gersh_settings_free(settings);
        if (status == GERSH_OK) {
            gersh_metric_free(metric);
            return memory;
        }
    }
}

static void run_set(tally *out, const char *word, size_t rows, int runs, uint64_t set,
                    const char *gigabytes)
{
    task q = make(word, rows, set);
    const char *memory = gigabytes != NULL ? gigabytes : least_memory(&q);
    double *bound = room((size_t)runs, sizeof *bound);
    double sign = q.objective->info->maximized ? -1 : 1, best = INFINITY;
    gersh_fit_info info;
    for (int r = 0; r < runs; r++) {
        double begin = processor_seconds();
        gersh_metric *metric = fit(&info, &q, memory, r + 1, NULL);
        out->seconds += processor_seconds() - begin;
        double value = true_value(&q, metric);
        double rounding = 1e-9 * fabs(value);
        if (info.choice == GERSH_CHOICE_ALL) {
            fprintf(stderr, "bench: %s GB are enough for all pairs of %zu rows\n", memory, rows);
            exit(1);
        }
        out->runs++;
        out->value += fabs(value - info.objective_value) <= info.value_error + rounding;
        out->error += info.value_error / fabs(value);
        out->gap += info.relative_gap;
        bound[r] = sign * info.bound - rounding;
        best = fmin(best, sign * value);
        gersh_metric_free(metric);
    }
    gersh_fit_info full;
    gersh_metric *metric = fit(&full, &q, "1000", 1, &info);
    best = fmin(best, sign * true_value(&q, metric));
    for (int r = 0; r < runs; r++)
        out->bound += bound[r] <= best;
    gersh_metric_free(metric);
    free(bound);
    drop(&q);
}

static void run_size(const char *word, const char *size, int runs, const char *gigabytes)
{
    tally t = {0};
    for (int set = 0; set < SETS; set++)
        run_set(&t, word, (size_t)strtoull(size, NULL, 10), runs / SETS, (uint64_t)set + 1, gigabytes);
    double n = (double)t.runs;
    printf("%9s %6s %5d %8.1f %8.1f %11.3f %9.2f %9.4f\n", word, size, t.runs, percent(t.value, n),
           percent(t.bound, n), 100 * t.error / n, 100 * t.gap / n, t.seconds / n);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    char objectives[128], sizes[128], *rest, *more;
    int runs = argc > 2 ? atoi(argv[2]) : 400;
    snprintf(objectives, sizeof objectives, "%s",
             argc > 1 ? argv[1] : "mcml,mcml+,glr,glr+,glr=,deml,deml+,lsml,lsml+,lmnn,lmnn+");
    if (runs < SETS) {
        fprintf(stderr, "bench: RUNS is below %d\n", SETS);
        return 1;
    }
    print_version();
    printf("%9s %6s %5s %8s %8s %11s %9s %9s\n", "objective", "rows", "runs", "value %", "bound %",
           "error %", "gap %", "CPU s");
    for (char *word = strtok_r(objectives, ",", &rest); word != NULL; word = strtok_r(NULL, ",", &rest)) {
        snprintf(sizes, sizeof sizes, "%s", argc > 3 ? argv[3] : "1500");
        for (char *size = strtok_r(sizes, ",", &more); size != NULL; size = strtok_r(NULL, ",", &more))
            run_size(word, size, runs, argc > 4 ? argv[4] : NULL);
    }
    return 0;
}
