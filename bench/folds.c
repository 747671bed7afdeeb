/*
 * bench_folds [DATA_DIR]: how long fits take, and how good they are.
 *
 * First table: the ready folds of DATA_DIR/folds, 3 to 5 rows each, with the objective glr and the default
 * solver, beside the values and seconds of folds/reference.csv. Second table: whole data sets with every
 * objective, for the solvers hull and balanced, and where the time went.
 */
#include <math.h>

#include "base/clock.h"
#include "bench.h"

enum { FOLDS = 17, SUMMED = 15, REPEATS = 21, FEW = 3 };

#define WARM_UP 0.05

static const char *const fold_names[FOLDS] = {
    "australian", "breast-cancer", "diabetes",        "fourclass", "german",      "haberman",
    "heart",      "ilpd",          "liver-disorders", "monk1",     "pima",        "planning",
    "voting",     "wdbc",          "sonar",           "madelon",   "colon-cancer"};

typedef struct reference {
    int known;
    double value, seconds;
} reference;

/* Lines "fold,name,objective_value,seconds,lambda_min"; a fold without a value has empty fields. */
static void read_references(reference *out, const char *folder)
{
    char path[4096], line[256];
    snprintf(path, sizeof path, "%s/folds/reference.csv", folder);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        fprintf(stderr, "bench: cannot read %s; give the folder of the data sets, or set GERSH_DATA\n",
                path);
        exit(1);
    }
    while (fgets(line, sizeof line, file) != NULL) {
        char name[64];
        int fold = 0;
        reference r = {1, 0, 0};
        int fields = sscanf(line, "%d,%63[^,],%lf,%lf", &fold, name, &r.value, &r.seconds);
        if (fields == 4 && fold >= 1 && fold <= FOLDS && strcmp(name, fold_names[fold - 1]) == 0)
            out[fold - 1] = r;
        else if (fields != 2 && strncmp(line, "fold,", 5) != 0) {
            fprintf(stderr, "bench: %s: '%s' is not a line of a fold\n", path, line);
            exit(1);
        }
    }
    fclose(file);
}

static double time_once(gersh_fit_info *info, const gersh_dataset *data, const gersh_settings *settings)
{
    gersh_metric *metric;
    double begin = gersh__clock_seconds();
    must(gersh_fit(&metric, info, data, settings, NULL));
    double seconds = gersh__clock_seconds() - begin;
    gersh_metric_free(metric);
    return seconds;
}

/* Median seconds of gersh_fit, after fits for WARM_UP seconds; info is that of the last fit. */
static double time_fold(gersh_fit_info *info, const gersh_dataset *data, const gersh_settings *settings)
{
    double seconds[REPEATS];
    for (double begin = gersh__clock_seconds(); gersh__clock_seconds() - begin < WARM_UP;)
        time_once(info, data, settings);
    for (int r = 0; r < REPEATS; r++)
        seconds[r] = time_once(info, data, settings);
    return median(REPEATS, seconds);
}

static void print_folds(const char *folder)
{
    static const char *const pairs[] = {"objective", "glr", "solver", "balanced", "rho", "1e-5",
                                        "trace",     "K",   "tol",    "1e-3",     NULL};
    gersh_settings *settings = settings_of(pairs);
    reference known[FOLDS] = {{0, 0, 0}};
    double sum = 0, reference_sum = 0;
    read_references(known, folder);
    printf("Folds: glr, solver balanced, rho 1e-5, trace K, no scaling, tol %s; median of %d fits\n\n",
           gersh_settings_get(settings, "tol"), REPEATS);
    printf("%4s %-15s %12s %12s %12s %8s %6s %7s %10s %10s %9s\n", "fold", "data", "value", "reference",
           "bound", "gap %", "calls", "Newton", "seconds", "ref. s", "ratio");
    for (int f = 0; f < FOLDS; f++) {
        char name[64], other[32] = "-", other_seconds[32] = "-", ratio[32] = "-";
        gersh_fit_info info;
        snprintf(name, sizeof name, "folds/%02d-%s", f + 1, fold_names[f]);
        gersh_dataset *data = read_data(folder, name, "none");
        double seconds = time_fold(&info, data, settings);
        if (known[f].known) {
            snprintf(other, sizeof other, "%.6g", known[f].value);
            snprintf(other_seconds, sizeof other_seconds, "%.3f", known[f].seconds);
            snprintf(ratio, sizeof ratio, "%.0f", known[f].seconds / seconds);
        }
        if (f < SUMMED) {
            sum += seconds;
            reference_sum += known[f].seconds;
        }
        printf("%4d %-15s %12.6g %12s %12.6g %8.4f %6d %7d %10.6f %10s %9s\n", f + 1, fold_names[f],
               info.objective_value, other, info.bound, percent(info.gap, fabs(info.objective_value)),
               info.iterations, info.newton_steps, seconds, other_seconds, ratio);
        gersh_dataset_free(data);
    }
    printf("\nfolds 1 to %d: %.6f s; reference (of those it solves) %.3f s; ratio %.0f\n", SUMMED, sum,
           reference_sum, reference_sum / sum);
    gersh_settings_free(settings);
}

typedef struct outcome {
    gersh_fit_info info;
    size_t atoms, edges;
} outcome;

static int by_seconds(const void *a, const void *b)
{
    return by_value(&((const outcome *)a)->info.seconds, &((const outcome *)b)->info.seconds);
}

static outcome fit_once(const gersh_dataset *data, const gersh_settings *settings)
{
    outcome result;
    gersh_metric *metric;
    gersh_graph *graph;
    must(gersh_fit(&metric, &result.info, data, settings, NULL));
    must(gersh_metric_graph(&graph, metric));
    result.atoms = metric->atoms;
    result.edges = graph->edges;
    gersh_graph_free(graph);
    gersh_metric_free(metric);
    return result;
}

/* The fit of median time of three, or the first one where that takes more than a second. */
static outcome fit_whole(const gersh_dataset *data, const char *objective, const char *solver)
{
    const char *const pairs[] = {"objective", objective, "solver", solver, "trace",
                                 "K",         "tol",     "1e-3",   NULL};
    gersh_settings *settings = settings_of(pairs);
    outcome results[FEW];
    int count = 1;
    results[0] = fit_once(data, settings);
    for (; count < FEW && results[0].info.seconds <= 1; count++)
        results[count] = fit_once(data, settings);
    qsort(results, (size_t)count, sizeof *results, by_seconds);
    gersh_settings_free(settings);
    return results[count / 2];
}

static void print_wholes(const char *folder)
{
    static const char *const names[] = {"heart", "sonar", "wdbc", "german"};
    const gersh_objective_info *objective;
    static const char *const solvers[] = {"hull", "balanced"};
    printf("\nData sets: scale paper, trace K, default rho and tol, a thread for each core; shares of the "
           "time in %%\n\n");
    printf("%-7s %-5s %-9s %12s %12s %8s %6s %7s %6s %6s %9s %9s %6s %10s %6s\n", "data", "goal", "solver",
           "value", "bound", "gap %", "calls", "Newton", "atoms", "edges", "seconds", "gradient", "min.",
           "objective", "step");
    for (size_t d = 0; d < sizeof names / sizeof names[0]; d++) {
        gersh_dataset *data = read_data(folder, names[d], "paper");
        for (int o = 0; (objective = gersh_objective_at(o)) != NULL; o++)
            for (size_t s = 0; s < sizeof solvers / sizeof solvers[0]; s++) {
                outcome r = fit_whole(data, objective->name, solvers[s]);
                const gersh_fit_info *i = &r.info;
                printf("%-7s %-5s %-9s %12.6g %12.6g %8.3f %6d %7d %6zu %6zu %9.4f %9.1f %6.1f %10.1f "
                       "%6.1f\n",
                       names[d], objective->name, solvers[s], i->objective_value, i->bound,
                       percent(i->gap, fabs(i->objective_value)), i->iterations, i->newton_steps, r.atoms,
                       r.edges, i->seconds, percent(i->seconds_gradient, i->seconds),
                       percent(i->seconds_minimizer, i->seconds), percent(i->seconds_objective, i->seconds),
                       percent(i->seconds_step, i->seconds));
                fflush(stdout);
            }
        gersh_dataset_free(data);
    }
}

int main(int argc, char **argv)
{
    const char *folder = data_folder(argc, argv);
    if (folder == NULL) {
        printf("skipped: bench_folds needs the folder of the data sets: give it, or set GERSH_DATA\n\n");
        return 0;
    }
    print_version();
    print_folds(folder);
    print_wholes(folder);
    print_peak();
    return 0;
}
