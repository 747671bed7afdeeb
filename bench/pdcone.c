/*
 * bench_pdcone [DATA_DIR]: the solver psd beside pdcone, projected gradient, over the same set of metrics,
 * and the default, balanced, over its smaller set.
 *
 * F_0 is the objective at (C/K) I, where pdcone begins, and B the bound that psd certifies with a tolerance
 * of 1e-4. A metric of value F has left (F − B)/(F_0 − B) of the way; what is timed is until 1 % is left, and
 * until the solver stops of itself at its default tolerance. Seconds are those of the processor, by one
 * thread. A fit is stopped at the first iteration that ends after LIMIT seconds. A solver that never comes so
 * far counts with all its seconds, and the ratio is then a bound, so marked.
 *
 * Without a folder of data sets the data are generated.
 */
#include <math.h>

#include "bench.h"

enum { REPEATS = 3, GENERATED = 3 };

#define LIMIT 2.0 /* seconds */
#define GOAL 0.01 /* of the way left */

static const char *const solvers[] = {"psd", "pdcone", "balanced"};

enum { PSD, PDCONE, BALANCED, SOLVERS };

/* A fit, and how far it came: where the way begins and ends, and when only GOAL of it was left. */
typedef struct way {
    double start, bound;
    double begin, seconds; /* of the processor: when the fit began, and all of it */
    double reached;        /* seconds, or NAN */
    double left;           /* at the end */
    int stopped;           /* not of itself */
    gersh_cancel cancel;
} way;

static double left(const way *w, double value)
{
    return (value - w->bound) / (w->start - w->bound);
}

static void watch(void *context, const gersh_progress *progress)
{
    way *w = context;
    double seconds = processor_seconds() - w->begin;
    if (isnan(w->reached) && left(w, progress->value) <= GOAL)
        w->reached = seconds;
    if (seconds > LIMIT)
        gersh_cancel_request(&w->cancel);
}

static gersh_fit_info fit(way *w, const gersh_dataset *data, const char *objective, const char *solver,
                          const char *tol)
{
    const char *const pairs[] = {
        "objective", objective, "solver", solver, "trace", "K", "threads", "1", tol == NULL ? NULL : "tol",
        tol,         NULL};
    gersh_settings *settings = settings_of(pairs);
    gersh_fit_options options = {.progress = watch, .progress_context = w, .cancel = &w->cancel};
    gersh_metric *metric;
    gersh_fit_info info;
    w->cancel = (gersh_cancel){0};
    w->reached = NAN;
    w->begin = processor_seconds();
    must(gersh_fit(&metric, &info, data, settings, &options));
    w->seconds = processor_seconds() - w->begin;
    w->left = left(w, info.objective_value);
    w->stopped = info.stop != GERSH_STOP_CONVERGED;
    if (isnan(w->reached) && w->left <= GOAL)
        w->reached = w->seconds;
    gersh_metric_free(metric);
    gersh_settings_free(settings);
    return info;
}

/* A line of the table: the solvers in turn, medians of REPEATS, or once where the first round takes a second. */
static double print_row(const char *name, const gersh_dataset *data, const char *objective)
{
    double reached[SOLVERS][REPEATS], seconds[SOLVERS][REPEATS], until[SOLVERS], rest[SOLVERS], all = 0;
    int rounds = 0, cut[SOLVERS], never[SOLVERS];
    way w = {0};
    w.start = fit(&w, data, objective, "identity", NULL).objective_value;
    w.bound = fit(&w, data, objective, "psd", "1e-4").bound;
    for (; rounds < REPEATS && all < 1; rounds++)
        for (int s = 0; s < SOLVERS; s++) {
            fit(&w, data, objective, solvers[s], NULL);
            reached[s][rounds] = w.reached;
            seconds[s][rounds] = w.seconds;
            rest[s] = w.left;
            cut[s] = w.stopped;
            all += w.seconds;
        }
    printf("%-12s %4zu %4zu  %-5s", name, gersh_dataset_rows(data), gersh_dataset_features(data),
           objective);
    for (int s = PSD; s <= PDCONE; s++) {
        /* Never reached is later than the end. */
        never[s] = isnan(reached[s][0]);
        until[s] = median((size_t)rounds, never[s] ? seconds[s] : reached[s]);
        printf(" %c%9.4f", never[s] ? '>' : ' ', until[s]);
    }
    int known = !(never[PSD] && never[PDCONE]);
    double ratio = known ? until[PDCONE] / until[PSD] : NAN;
    if (known)
        printf(" %c%7.1f ", never[PDCONE] ? '>' : never[PSD] ? '<' : ' ', ratio);
    else
        printf(" %8s ", "-");
    for (int s = 0; s < SOLVERS; s++)
        printf("  %9.4f%s %8.4f", median((size_t)rounds, seconds[s]), cut[s] ? "*" : " ", 100 * rest[s]);
    printf("\n");
    fflush(stdout);
    return ratio;
}

static gersh_dataset *generated(size_t which)
{
    static const size_t sizes[GENERATED][2] = {{270, 13}, {200, 60}, {60, 500}};
    gersh_dataset *data = make_two_classes(sizes[which][0], sizes[which][1]);
    scale_data(data, "paper");
    return data;
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"heart", "sonar", "wdbc", "colon-cancer"};
    const gersh_objective_info *objective;
    const char *folder = data_folder(argc, argv);
    size_t count = folder != NULL ? sizeof names / sizeof names[0] : GENERATED;
    double *ratios = NULL;
    size_t known = 0, goals = 0;
    while (gersh_objective_at((int)goals) != NULL)
        goals++;
    ratios = room(count * goals, sizeof *ratios);
    print_version();
    printf("%s, scale paper, trace K; seconds of the processor, one thread, medians of %d;\n"
           "*: stopped after %.0f s or 1,000 iterations\n\n",
           folder != NULL ? "Data sets" : "Generated data", REPEATS, LIMIT);
    printf("%-12s %4s %4s  %-5s %10s %10s %8s  %19s  %19s  %19s\n", "", "", "", "", "psd to", "pdcone to",
           "", "psd", "pdcone", "balanced");
    printf("%-12s %4s %4s  %-5s %10s %10s %8s ", "data", "N", "K", "goal", "1 %", "1 %", "ratio");
    for (int s = 0; s < SOLVERS; s++)
        printf("  %9s  %8s", "seconds", "left %");
    printf("\n");
    for (size_t d = 0; d < count; d++) {
        gersh_dataset *data = folder != NULL ? read_data(folder, names[d], "paper") : generated(d);
        for (int o = 0; (objective = gersh_objective_at(o)) != NULL; o++) {
            double ratio = print_row(folder != NULL ? names[d] : "generated", data, objective->name);
            if (!isnan(ratio))
                ratios[known++] = ratio;
        }
        gersh_dataset_free(data);
    }
    printf("\nmedian of the %zu ratios: %.1f\n", known, known > 0 ? median(known, ratios) : 0);
    free(ratios);
    print_peak();
    return 0;
}
