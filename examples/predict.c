/*
 * Learns from the rows of a file and predicts others: every fourth row is left out of the fit, and its
 * label is predicted by the ten nearest rows under the learned metric and, beside it, by the nearest row
 * without a metric. Prints both accuracies; the status is 1 where the learned metric gets fewer than 90 %
 * right.
 */
#include <gersh/gersh.h>
#include <stdio.h>
#include <stdlib.h>

static int fail(void)
{
    return fprintf(stderr, "predict: %s\n", gersh_last_error()), 1;
}

int main(int argc, char **argv)
{
    gersh_dataset *all, *train, *test;
    gersh_settings *settings;
    gersh_model *model;
    gersh_prediction *prediction;
    gersh_neighbors *index;
    if (argc != 2)
        return fprintf(stderr, "usage: predict DATA\n"), 2;
    if (gersh_dataset_read(&all, argv[1], NULL))
        return fail();

    size_t n = gersh_dataset_rows(all), known = 0, fresh = 0;
    size_t *rows = malloc(2 * n * sizeof *rows), *others = rows + n;
    if (rows == NULL)
        return fprintf(stderr, "predict: memory is short\n"), 1;
    for (size_t i = 0; i < n; i++)
        if (i % 4 == 3)
            others[fresh++] = i;
        else
            rows[known++] = i;
    if (gersh_dataset_subset(&train, all, rows, known) || gersh_dataset_subset(&test, all, others, fresh) ||
        gersh_settings_new(&settings) || gersh_settings_set(settings, "neighbors", "10") ||
        gersh_model_fit(&model, NULL, train, settings, NULL) ||
        gersh_predict(&prediction, model, test, settings, NULL))
        return fail();
    printf("%zu of %zu rows, accuracy %.4f, balanced %.4f\n", fresh, n, prediction->accuracy,
           prediction->balanced_accuracy);

    /* Indexes of neighbours take scaled rows, dense ones. */
    size_t k = gersh_dataset_features(train), *nearest = malloc(fresh * sizeof *nearest), same = 0;
    if (nearest == NULL || gersh_scaling_apply(gersh_model_scaling(model), train) ||
        gersh_scaling_apply(gersh_model_scaling(model), test) || gersh_dataset_densify(train) ||
        gersh_dataset_densify(test) ||
        gersh_neighbors_new(&index, NULL, known, k, gersh_dataset_values(train), k, 0) ||
        gersh_neighbors_find(index, NULL, nearest, fresh, gersh_dataset_values(test), k, 1, NULL))
        return fail();
    for (size_t i = 0; i < fresh; i++)
        same += gersh_dataset_labels(train)[nearest[i]] == gersh_dataset_labels(test)[i];
    printf("by the nearest row without a metric: %.4f\n", (double)same / (double)fresh);

    int good = prediction->accuracy >= 0.9;
    gersh_neighbors_free(index);
    gersh_prediction_free(prediction);
    gersh_model_free(model);
    gersh_settings_free(settings);
    gersh_dataset_free(train);
    gersh_dataset_free(test);
    gersh_dataset_free(all);
    free(nearest);
    free(rows);
    return good ? 0 : 1;
}
