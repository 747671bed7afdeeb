/* gersh transform: rows in the space of a learned metric. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "io/output.h"

static void put_csv(FILE *file, const gersh_dataset *data)
{
    size_t n = gersh_dataset_rows(data), k = gersh_dataset_features(data);
    const double *y = gersh_dataset_values(data), *target = gersh_dataset_targets(data);
    const int *label = gersh_dataset_labels(data);
    for (size_t j = 0; j < k; j++)
        fprintf(file, "%s%s", j > 0 ? "," : "", gersh_dataset_feature_name(data, j));
    fprintf(file, "%s\n", label != NULL ? ",label" : target != NULL ? ",target" : "");
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < k; j++)
            fprintf(file, "%s%.17g", j > 0 ? "," : "", y[i * k + j]);
        if (label != NULL) {
            fputc(',', file);
            cli_put_cell(file, gersh_dataset_class_name(data, (size_t)label[i]));
        } else if (target != NULL) {
            fprintf(file, ",%.17g", target[i]);
        }
        fputc('\n', file);
    }
}

static gersh_status write_data(const gersh_dataset *data, const char *path)
{
    gersh__output output = {0};
    gersh_status status = gersh__output_open(&output, path);
    if (status != GERSH_OK)
        return status;
    if (cli_ends_with(path, ".npy"))
        cli_put_npy(output.file, gersh_dataset_rows(data), gersh_dataset_features(data),
                    gersh_dataset_values(data));
    else
        put_csv(output.file, data);
    return gersh__output_close(&output, GERSH_OK);
}

static gersh_status read_options(const char **path, size_t *dim, const cli_args *args)
{
    char excerpt[GERSH__EXCERPT_SIZE];
    const char *text = cli_value(args, "dim");
    uint64_t number = 0;
    *path = cli_value(args, "output");
    if (*path == NULL)
        return gersh__fail(GERSH_ERROR_ARGUMENT, "no file to write to is named; name one with --output");
    if (!cli_ends_with(*path, ".npy") && !cli_ends_with(*path, ".csv"))
        return gersh__fail(GERSH_ERROR_ARGUMENT,
                           "--output: %s ends neither in .csv nor in .npy; the ending says the format",
                           *path);
    if (text != NULL && gersh__parse_whole(text, strlen(text), 1, INT32_MAX, &number) != 0)
        return gersh__fail(GERSH_ERROR_ARGUMENT, "--dim: '%s' is not a whole number of at least 1",
                           gersh__text_excerpt(excerpt, sizeof excerpt, text, strlen(text)));
    *dim = (size_t)number;
    return gersh__output_try(*path);
}

static gersh_status transform(gersh_dataset **moved, gersh_transform **map, gersh_matched **matched,
                              size_t dim, const cli_args *args)
{
    gersh_model *model = NULL;
    int threads = 0;
    uint64_t number = 0;
    const char *text = gersh_settings_get(args->settings, "threads");
    if (gersh__parse_whole(text, strlen(text), 0, 1024, &number) == 0)
        threads = (int)number;
    gersh_status status = gersh_model_read(&model, args->operand[0]);
    if (status == GERSH_OK)
        status = cli_match(matched, model, args->operand[1], args);
    if (status == GERSH_OK)
        status = gersh_scaling_apply(gersh_model_scaling(model), (*matched)->data);
    if (status == GERSH_OK)
        status = gersh_transform_new(map, gersh_model_metric(model), dim, threads, &cli_cancel);
    if (status == GERSH_OK)
        status = gersh_transform_data(moved, *map, (*matched)->data);
    gersh_model_free(model);
    return status;
}

static int print_result(const cli_args *args, const gersh_dataset *moved, const gersh_transform *map,
                        const gersh_matched *matched, const char *path)
{
    size_t rows = gersh_dataset_rows(moved), columns = gersh_dataset_features(moved);
    const double *values = gersh_transform_values(map);
    if (args->json)
        return cli_print_json(json_pack(
            "{s:I, s:I, s:o, s:o, s:o}", "n", (json_int_t)rows, "columns", (json_int_t)columns,
            "eigenvalues", values != NULL ? gersh__json_reals(values, columns) : json_null(), "output",
            gersh__json_text(path), "ignored", gersh__json_texts(matched->ignored_name, matched->ignored)));
    if (!args->quiet) {
        printf("%zu rows of %zu columns", rows, columns);
        cli_put_around(stdout, " written to ", path, "\n");
    }
    return cli_finish_output();
}

static int run(const cli_args *args)
{
    gersh_dataset *moved = NULL;
    gersh_matched *matched = NULL;
    gersh_transform *map = NULL;
    const char *path = NULL;
    size_t dim = 0;
    gersh_status status = read_options(&path, &dim, args);
    if (status == GERSH_OK)
        status = transform(&moved, &map, &matched, dim, args);
    if (status == GERSH_OK)
        status = write_data(moved, path);
    int code =
        status == GERSH_OK ? print_result(args, moved, map, matched, path) : cli_fail(args, status, NULL);
    gersh_transform_free(map);
    gersh_matched_free(matched);
    gersh_dataset_free(moved);
    return code;
}

static const cli_option options[] = {
    {"output", 'o', "FILE", "file to write, as CSV or NPY by its ending (.csv, .npy)"},
    {"dim", 0, "R", "only the R leading directions: the eigenvectors of M with the largest eigenvalues"},
    {0}};

const cli_command cli_transform = {
    .name = "transform",
    .operand_names = "MODEL DATA",
    .operands = 2,
    .summary = "write rows in the space of a learned metric",
    .about = "Scales the rows of a data file as the model does and maps them linearly, so that the "
             "Euclidean distance of "
             "two rows of the output is their distance under the metric. The columns are t1, t2, ...; in "
             "CSV the labels, "
             "if there are any, follow as the last column. With --dim, column i is the square root of the "
             "i-th largest "
             "eigenvalue of M times the row's component along its eigenvector.",
    .settings = "label labels format header ignore missing categorical threads",
    .options = options,
    .writes = "output",
    .example = "gersh transform model.gersh data.csv -o mapped.csv",
    .run = run,
};
