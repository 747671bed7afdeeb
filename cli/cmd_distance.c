/* gersh distance: distances of rows under a learned metric. */
#include "cli.h"

#include <math.h>
#include <stdio.h>

#include "base/error.h"

typedef struct inputs {
    const cli_args *args;
    gersh_model *model;
    gersh_matched *a, *b;
    int all, squared;
} inputs;

static gersh_status read_scaled(gersh_matched **out, const inputs *in, const char *path)
{
    gersh_status status = cli_match(out, in->model, path, in->args);
    if (status != GERSH_OK)
        return status;
    status = gersh_scaling_apply(gersh_model_scaling(in->model), (*out)->data);
    return status != GERSH_OK ? gersh__fail_prefix(status, "%s: ", path) : GERSH_OK;
}

static gersh_status read_inputs(inputs *in)
{
    const cli_args *args = in->args;
    gersh_status status = gersh_model_read(&in->model, args->operand[0]);
    if (status == GERSH_OK)
        status = read_scaled(&in->a, in, args->operand[1]);
    if (status == GERSH_OK)
        status = read_scaled(&in->b, in, args->operand[2]);
    if (status != GERSH_OK || in->all)
        return status;
    size_t first = gersh_dataset_rows(in->a->data), second = gersh_dataset_rows(in->b->data);
    if (first != second && second != 1)
        return gersh__fail(
            GERSH_ERROR_INPUT,
            "%s has %zu rows and %s has %zu; rows go in pairs, so give files of as many rows, a second "
            "one of one row, or --all for all pairs",
            args->operand[1], first, args->operand[2], second);
    return GERSH_OK;
}

static double distance(const inputs *in, size_t i, size_t j)
{
    size_t k = gersh_model_metric(in->model)->features;
    double d =
        gersh_metric_distance(gersh_model_metric(in->model), gersh_dataset_values(in->a->data) + i * k,
                              gersh_dataset_values(in->b->data) + j * k);
    return in->squared ? d : sqrt(d);
}

static int print_csv(const inputs *in)
{
    size_t rows = gersh_dataset_rows(in->a->data), columns = gersh_dataset_rows(in->b->data);
    fputs("row", stdout);
    for (size_t j = 0; in->all && j < columns; j++)
        printf(",%zu", j + 1);
    puts(in->all ? "" : in->squared ? ",squared_distance" : ",distance");
    for (size_t i = 0; i < rows && !gersh_cancel_requested(&cli_cancel) && !ferror(stdout); i++) {
        printf("%zu", i + 1);
        if (!in->all)
            printf(",%.17g", distance(in, i, columns > 1 ? i : 0));
        for (size_t j = 0; in->all && j < columns; j++)
            printf(",%.17g", distance(in, i, j));
        putchar('\n');
    }
    return cli_finish_output();
}

static int print_json(const inputs *in)
{
    size_t rows = gersh_dataset_rows(in->a->data), columns = gersh_dataset_rows(in->b->data);
    json_t *list = json_array();
    for (size_t i = 0; i < rows; i++) {
        json_t *item = in->all ? json_array() : json_real(distance(in, i, columns > 1 ? i : 0));
        for (size_t j = 0; in->all && j < columns; j++)
            json_array_append_new(item, json_real(distance(in, i, j)));
        json_array_append_new(list, item);
    }
    return cli_print_json(json_pack("{s:o, s:b, s:b, s:[o, o]}", "distances", list, "squared", in->squared,
                                    "all", in->all, "ignored",
                                    gersh__json_texts(in->a->ignored_name, in->a->ignored),
                                    gersh__json_texts(in->b->ignored_name, in->b->ignored)));
}

static int run(const cli_args *args)
{
    inputs in = {
        .args = args, .all = cli_value(args, "all") != NULL, .squared = cli_value(args, "squared") != NULL};
    int code;
    gersh_status status = read_inputs(&in);
    if (status != GERSH_OK)
        code = cli_fail(args, status, NULL);
    else
        code = args->json ? print_json(&in) : print_csv(&in);
    if (code == EXIT_DONE && gersh_cancel_requested(&cli_cancel)) {
        fprintf(stderr, "gersh distance: interrupted\n");
        code = EXIT_INTERRUPTED;
    }
    gersh_matched_free(in.a);
    gersh_matched_free(in.b);
    gersh_model_free(in.model);
    return code;
}

static const cli_option options[] = {
    {"all", 0, NULL,
     "every row of A with every row of B: a line for each row of A, a column for each of B"},
    {"squared", 0, NULL,
     "print the squared distances d = (x - y)' M (x - y) instead of their square roots"},
    {0}};

const cli_command cli_distance = {
    .name = "distance",
    .operand_names = "MODEL A B",
    .operands = 3,
    .summary = "print distances of rows under a learned metric",
    .about = "Prints the distance of row i of file A and row i of file B as CSV, for all rows, or of every "
             "row of A and the "
             "only row of B. Rows are scaled as the model does. The distance is the metric, sqrt((x - y)' "
             "M (x - y)); its "
             "square is what the objectives of 'gersh fit' are made of.",
    .settings = "label format header ignore missing categorical",
    .options = options,
    .example = "gersh distance model.gersh before.csv after.csv",
    .run = run,
};
