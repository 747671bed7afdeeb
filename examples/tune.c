/*
 * From labelled rows to a classifier without a choice to make: tunes on nine tenths of the rows, writes the model, and
 * predicts the rest with it. The status is 1 where fewer than 90 % are right.
 */
#include <gersh/gersh.h>
#include <stdio.h>
#include <stdlib.h>

static int fail(void)
{
    fprintf(stderr, "tune: %s\n", gersh_last_error());
    return 1;
}

int main(int argc, char **argv)
{
    gersh_dataset *data, *part[2];
    gersh_split *split;
    gersh_tuning *tuning;
    gersh_prediction *prediction;
    if (argc != 3)
        return fprintf(stderr, "usage: tune DATA MODEL\n"), 2;
    if (gersh_dataset_read(&data, argv[1], NULL) || gersh_split_test(&split, data, 0.1, 0))
        return fail();
    for (int p = 0; p < 2; p++) {
        size_t *rows, count;
        if (gersh_split_rows(&rows, &count, split, p, 1) ||
            gersh_dataset_subset(&part[p], data, rows, count))
            return fail();
        free(rows);
    }
    if (gersh_tune(&tuning, part[0], NULL, NULL) || gersh_model_write(tuning->model, argv[2], 1) ||
        gersh_predict(&prediction, tuning->model, part[1], NULL, NULL))
        return fail();
    const gersh_tune_row *best = &tuning->row[0];
    printf(
        "%s with %s, scaled by %s, %zu neighbours: %.1f %% in cross-validation, %.1f %% of %zu new rows\n",
        best->objective, best->solver, best->scale, best->neighbors, 100 * best->accuracy,
        100 * prediction->accuracy, prediction->rows);
    int status = prediction->accuracy < 0.9;
    gersh_prediction_free(prediction);
    gersh_tuning_free(tuning);
    gersh_split_free(split);
    gersh_dataset_free(part[0]);
    gersh_dataset_free(part[1]);
    gersh_dataset_free(data);
    return status;
}
