/*
 * How much better than the Euclidean metric: evaluates the default objective with two solvers on ten random splits and
 * prints the mean accuracy of the nearest neighbours' votes. The status is 1 where fewer than 90 % are right.
 */
#include <gersh/gersh.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    gersh_dataset *data;
    gersh_evaluation *result;
    gersh_evaluate_options options = {.solvers = "diagonal,balanced"};
    double least = 1;
    if (argc != 2)
        return fprintf(stderr, "usage: evaluate DATA\n"), 2;
    if (gersh_dataset_read(&data, argv[1], NULL) || gersh_evaluate(&result, data, NULL, &options))
        return fprintf(stderr, "evaluate: %s\n", gersh_last_error()), 1;
    if (result->regress)
        return fprintf(stderr, "evaluate: %s has no classes\n", argv[1]), 1;
    printf("%zu splits, %zu rows to learn from, %zu to predict\n", result->splits, result->train,
           result->test);
    for (size_t r = 0; r < result->count; r++) {
        const gersh_evaluate_row *row = &result->row[r];
        if (row->splits == 0)
            return fprintf(stderr, "evaluate: %s\n", row->failure), 1;
        printf("%-10s %-10s %6.2f %%", row->objective, row->solver != NULL ? row->solver : "",
               100 * row->accuracy_mean);
        if (row->has_p)
            printf("  better by %+.2f %%, p = %.3f", 100 * row->difference_mean, row->p);
        putchar('\n');
        least = row->accuracy_mean < least ? row->accuracy_mean : least;
    }
    gersh_evaluation_free(result);
    gersh_dataset_free(data);
    return least < 0.9;
}
