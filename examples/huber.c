/*
 * An objective of one's own. With Huber's h(x) = x²/2 up to 1 and x − 1/2 beyond, pairs of one class cost h(d)
 * and pairs of two classes h(FAR − d) where d < FAR: convex in d, and less steep for outliers than squares.
 * Prints the value, its certified bound and the three features of the largest M_ii; the status is 1 where the
 * two are more than 1 % apart.
 */
#include <gersh/gersh.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define FAR 4.0

static double huber(void *labels, size_t pairs, const size_t *first, const size_t *second, const double *d,
                    double *gradient)
{
    const int *label = labels;
    double value = 0;
    for (size_t p = 0; p < pairs; p++) {
        int same = label[first[p]] == label[second[p]];
        double x = same ? d[p] : fmax(FAR - d[p], 0);
        value += x <= 1 ? 0.5 * x * x : x - 0.5;
        if (gradient != NULL)
            gradient[p] = same ? fmin(x, 1) : -fmin(x, 1);
    }
    return value;
}

int main(int argc, char **argv)
{
    gersh_dataset *data;
    gersh_scaling *scaling;
    gersh_metric *metric;
    gersh_fit_info info;
    gersh_custom_objective custom = {.evaluate = huber};
    gersh_fit_options options = {.custom = &custom};
    if (argc != 2)
        return fprintf(stderr, "usage: huber DATA\n"), 2;
    if (gersh_dataset_read(&data, argv[1], NULL) || gersh_scaling_fit(&scaling, data, "zscore") ||
        gersh_scaling_apply(scaling, data))
        return fprintf(stderr, "huber: %s\n", gersh_last_error()), 1;
    custom.context = (void *)gersh_dataset_labels(data);
    if (custom.context == NULL)
        return fprintf(stderr, "huber: %s has no class labels\n", argv[1]), 1;
    if (gersh_fit(&metric, &info, data, NULL, &options))
        return fprintf(stderr, "huber: %s\n", gersh_last_error()), 1;
    printf("value %.6g, bound %.6g\n", info.objective_value, info.bound);

    size_t k = metric->features;
    double *m = malloc(k * k * sizeof *m);
    if (m == NULL)
        return fprintf(stderr, "huber: memory is short\n"), 1;
    gersh_metric_matrix(metric, m);
    for (size_t rank = 0; rank < 3 && rank < k; rank++) {
        size_t heaviest = 0;
        for (size_t f = 1; f < k; f++)
            heaviest = m[f * k + f] > m[heaviest * k + heaviest] ? f : heaviest;
        printf("%-24s %g\n", gersh_dataset_feature_name(data, heaviest), m[heaviest * k + heaviest]);
        m[heaviest * k + heaviest] = 0;
    }
    free(m);
    gersh_metric_free(metric);
    gersh_scaling_free(scaling);
    gersh_dataset_free(data);
    return info.has_bound && info.gap <= 0.01 * info.objective_value ? 0 : 1;
}
