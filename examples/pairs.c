/*
 * Learning from pairs: the classes of a data file decide which random pairs of its rows are similar, and
 * are then forgotten. Prints the value, its certified bound, and how often a row's nearest other row is of
 * its class under the learned metric and under the Euclidean one; the status is 1 where the former is
 * 1 % or more below the latter.
 */
#include <gersh/gersh.h>
#include <stdio.h>
#include <stdlib.h>

enum { PAIRS = 2000 };

static double nearest_right(const gersh_dataset *data, const gersh_metric *metric)
{
    size_t n = gersh_dataset_rows(data), k = gersh_dataset_features(data), right = 0;
    const double *x = gersh_dataset_values(data);
    const int *label = gersh_dataset_labels(data);
    for (size_t i = 0; i < n; i++) {
        size_t nearest = i;
        double least = 0;
        for (size_t j = 0; j < n; j++) {
            double d = gersh_metric_distance(metric, x + i * k, x + j * k);
            if (j != i && (nearest == i || d < least)) {
                nearest = j;
                least = d;
            }
        }
        right += label[i] == label[nearest];
    }
    return (double)right / (double)n;
}

int main(int argc, char **argv)
{
    gersh_dataset *data;
    gersh_scaling *scaling;
    gersh_settings *settings;
    gersh_tuples *pairs;
    gersh_metric *metric, *identity;
    gersh_fit_info info;
    static size_t row[2 * PAIRS];
    static int similar[PAIRS];
    if (argc != 2)
        return fprintf(stderr, "usage: pairs DATA\n"), 2;
    if (gersh_dataset_read(&data, argv[1], NULL) || gersh_scaling_fit(&scaling, data, "zscore") ||
        gersh_scaling_apply(scaling, data) || gersh_dataset_densify(data))
        return fprintf(stderr, "pairs: %s\n", gersh_last_error()), 1;
    const int *label = gersh_dataset_labels(data);
    if (label == NULL)
        return fprintf(stderr, "pairs: %s has no class labels\n", argv[1]), 1;

    size_t n = gersh_dataset_rows(data);
    srand(1);
    for (size_t p = 0; p < PAIRS; p++) {
        row[2 * p] = (size_t)rand() % n;
        row[2 * p + 1] = (row[2 * p] + 1 + (size_t)rand() % (n - 1)) % n;
        similar[p] = label[row[2 * p]] == label[row[2 * p + 1]];
    }
    if (gersh_tuples_new(&pairs, GERSH_PAIRS, PAIRS, row, similar, n) || gersh_settings_new(&settings) ||
        gersh_settings_set(settings, "objective", "mcml"))
        return fprintf(stderr, "pairs: %s\n", gersh_last_error()), 1;
    gersh_fit_options options = {.tuples = pairs};
    if (gersh_fit(&metric, &info, data, settings, &options) ||
        gersh_metric_new(&identity, gersh_dataset_features(data), 1, 0, 0))
        return fprintf(stderr, "pairs: %s\n", gersh_last_error()), 1;

    double learned = nearest_right(data, metric), euclidean = nearest_right(data, identity);
    printf("value %.6g, bound %.6g\n", info.objective_value, info.bound);
    printf("nearest row of the same class: %.3f, Euclidean %.3f\n", learned, euclidean);
    gersh_metric_free(metric);
    gersh_metric_free(identity);
    gersh_tuples_free(pairs);
    gersh_settings_free(settings);
    gersh_scaling_free(scaling);
    gersh_dataset_free(data);
    return learned > euclidean - 0.01 ? 0 : 1;
}
