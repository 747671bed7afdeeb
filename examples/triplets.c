/*
 * Learning from triplets: random rows, and a judge who finds two rows alike by two of their ten features
 * only. From 800 of the judge's answers "row a is nearer to p than to n" a metric is learned; of 2000
 * others it is then counted how many it gets right. Prints that share, the Euclidean one and the features
 * that weigh most; the status is 1 where less than 95 % are right.
 */
#include <gersh/gersh.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 150, FEATURES = 10, LEARNED = 800, ASKED = 2000 };

static double x[ROWS * FEATURES];

static double uniform(void)
{
    return rand() / ((double)RAND_MAX + 1);
}

static double judged(size_t i, size_t j)
{
    double first = x[i * FEATURES] - x[j * FEATURES], fourth = x[i * FEATURES + 3] - x[j * FEATURES + 3];
    return first * first + 0.5 * fourth * fourth;
}

/* Three different rows, the judge's nearer one second. */
static void ask(size_t *triplet)
{
    do {
        for (int r = 0; r < 3; r++)
            triplet[r] = (size_t)(uniform() * ROWS);
    } while (triplet[0] == triplet[1] || triplet[0] == triplet[2] || triplet[1] == triplet[2]);
    if (judged(triplet[0], triplet[1]) > judged(triplet[0], triplet[2])) {
        size_t swap = triplet[1];
        triplet[1] = triplet[2];
        triplet[2] = swap;
    }
}

static double distance(const gersh_metric *metric, size_t i, size_t j)
{
    return gersh_metric_distance(metric, x + i * FEATURES, x + j * FEATURES);
}

int main(void)
{
    static size_t triplets[3 * LEARNED];
    gersh_dataset *data;
    gersh_tuples *tuples;
    gersh_settings *settings;
    gersh_metric *metric, *identity;
    gersh_fit_info info;
    srand(3);
    for (size_t e = 0; e < ROWS * FEATURES; e++)
        x[e] = uniform() + uniform() + uniform();
    for (size_t t = 0; t < LEARNED; t++)
        ask(triplets + 3 * t);
    if (gersh_dataset_new(&data, ROWS, FEATURES, x, FEATURES, NULL, NULL, NULL) ||
        gersh_tuples_new(&tuples, GERSH_TRIPLETS, LEARNED, triplets, NULL, ROWS) ||
        gersh_settings_new(&settings) || gersh_settings_set(settings, "objective", "lsml"))
        return fprintf(stderr, "triplets: %s\n", gersh_last_error()), 1;
    gersh_fit_options options = {.tuples = tuples};
    if (gersh_fit(&metric, &info, data, settings, &options) ||
        gersh_metric_new(&identity, FEATURES, 1, 0, 0))
        return fprintf(stderr, "triplets: %s\n", gersh_last_error()), 1;

    size_t right = 0, euclidean = 0, t[3];
    for (int q = 0; q < ASKED; q++) {
        ask(t);
        right += distance(metric, t[0], t[1]) < distance(metric, t[0], t[2]);
        euclidean += distance(identity, t[0], t[1]) < distance(identity, t[0], t[2]);
    }
    printf("right: %.3f, Euclidean %.3f\n", right / (double)ASKED, euclidean / (double)ASKED);
    double m[FEATURES * FEATURES];
    gersh_metric_matrix(metric, m);
    for (size_t f = 0; f < FEATURES; f++)
        printf("%-4s %5.1f %%\n", gersh_dataset_feature_name(data, f),
               100 * m[f * FEATURES + f] / gersh_metric_trace(metric));
    gersh_metric_free(metric);
    gersh_metric_free(identity);
    gersh_settings_free(settings);
    gersh_tuples_free(tuples);
    gersh_dataset_free(data);
    return right >= 0.95 * ASKED ? 0 : 1;
}
