/* gersh describe: what a data file holds, as every other command reads it. */
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"

enum { MOST_FEATURES = 40, MOST_CLASSES = 20, NAME_WIDTH = 28 };

typedef struct summary {
    double mean, deviation, low, high;
} summary;

static void summarize(summary *s, const gersh_dataset *data, const gersh_scaling *scaling, size_t feature)
{
    size_t n = gersh_dataset_rows(data), k = gersh_dataset_features(data);
    const double *x = gersh_dataset_values(data) + feature;
    *s = (summary){gersh_scaling_vector(scaling, "mean")[feature],
                   gersh_scaling_vector(scaling, "scale")[feature], x[0], x[0]};
    for (size_t i = 1; i < n; i++) {
        s->low = fmin(s->low, x[i * k]);
        s->high = fmax(s->high, x[i * k]);
    }
    if (s->low == s->high)
        s->deviation = 0;
}

/* Rows of each class (gersh__free); NULL when memory is short. */
static size_t *class_counts(const gersh_dataset *data)
{
    size_t *count = gersh__alloc(gersh_dataset_classes(data), sizeof *count);
    for (size_t i = 0; count != NULL && gersh_dataset_labels(data) != NULL && i < gersh_dataset_rows(data);
         i++)
        count[gersh_dataset_labels(data)[i]]++;
    return count;
}

static const char *task_of(const gersh_dataset *data)
{
    return gersh_dataset_labels(data) != NULL    ? "classify"
           : gersh_dataset_targets(data) != NULL ? "regress"
                                                 : "none";
}

static void print_labels(const gersh_dataset *data, const size_t *rows)
{
    size_t classes = gersh_dataset_classes(data);
    if (gersh_dataset_targets(data) != NULL)
        printf("labels:   real-valued targets\n");
    else if (classes == 0)
        printf("labels:   none\n");
    for (size_t c = 0; c < classes && c < MOST_CLASSES; c++) {
        printf("%s", c == 0 ? "classes:  " : "          ");
        cli_print_cell(gersh_dataset_class_name(data, c), NAME_WIDTH);
        printf(" %zu rows\n", rows[c]);
    }
    if (classes > MOST_CLASSES)
        printf("          ... and %zu more classes; --json has them all\n", classes - MOST_CLASSES);
}

static int print_text(const cli_args *args, const gersh_dataset *data, const size_t *rows,
                      const gersh_scaling *scaling, const char *obstacle)
{
    size_t k = gersh_dataset_features(data), shown = k < MOST_FEATURES ? k : MOST_FEATURES;
    cli_put_text(stdout, args->operand[0]);
    printf(": %zu rows, %zu features\nformat:   %s\n", gersh_dataset_rows(data), k,
           gersh_dataset_format(data));
    if (gersh_dataset_filled(data) > 0)
        printf("missing:  %zu values filled in (%s)\n", gersh_dataset_filled(data),
               gersh_settings_get(args->settings, "missing"));
    print_labels(data, rows);
    printf("ready:    %s%s\n", obstacle == NULL ? "yes" : "no: ", obstacle == NULL ? "" : obstacle);
    if (args->quiet)
        return cli_finish_output();
    printf("\n  ");
    cli_print_cell("feature", NAME_WIDTH);
    printf(" %12s %12s %12s %12s\n", "mean", "deviation", "smallest", "largest");
    for (size_t j = 0; j < shown; j++) {
        summary s;
        summarize(&s, data, scaling, j);
        printf("  ");
        cli_print_cell(gersh_dataset_feature_name(data, j), NAME_WIDTH);
        printf(" %12.6g %12.6g %12.6g %12.6g%s\n", s.mean, s.deviation, s.low, s.high,
               s.low == s.high ? "  constant" : "");
    }
    if (shown < k)
        printf("  ... and %zu more features; --json has them all\n", k - shown);
    return cli_finish_output();
}

static int print_json(const gersh_dataset *data, const size_t *rows, const gersh_scaling *scaling,
                      const char *obstacle)
{
    json_t *features = json_array(), *classes = json_array();
    for (size_t j = 0; j < gersh_dataset_features(data); j++) {
        summary s;
        summarize(&s, data, scaling, j);
        json_array_append_new(features, json_pack("{s:o, s:f, s:f, s:f, s:f}", "name",
                                                  gersh__json_text(gersh_dataset_feature_name(data, j)),
                                                  "mean", s.mean, "deviation", s.deviation, "smallest",
                                                  s.low, "largest", s.high));
    }
    for (size_t c = 0; c < gersh_dataset_classes(data); c++)
        json_array_append_new(classes, json_pack("{s:o, s:I}", "name",
                                                 gersh__json_text(gersh_dataset_class_name(data, c)),
                                                 "rows", (json_int_t)rows[c]));
    return cli_print_json(json_pack(
        "{s:I, s:I, s:s, s:s, s:I, s:b, s:o, s:o, s:o}", "n", (json_int_t)gersh_dataset_rows(data),
        "features", (json_int_t)gersh_dataset_features(data), "format", gersh_dataset_format(data), "task",
        task_of(data), "filled", (json_int_t)gersh_dataset_filled(data), "ready", obstacle == NULL,
        "obstacle", obstacle != NULL ? json_string(obstacle) : json_null(), "classes", classes, "columns",
        features));
}

static int run(const cli_args *args)
{
    gersh_dataset *data = NULL;
    gersh_scaling *scaling = NULL;
    int result;
    gersh_status status = gersh_dataset_read(&data, args->operand[0], args->settings);
    if (status == GERSH_OK)
        status = gersh_dataset_densify(data);
    if (status == GERSH_OK)
        status = gersh_scaling_fit(&scaling, data, "zscore");
    size_t *rows = status == GERSH_OK ? class_counts(data) : NULL;
    if (status == GERSH_OK && rows == NULL)
        status = GERSH_ERROR_MEMORY;
    if (status != GERSH_OK) {
        result = cli_fail(args, status, NULL);
    } else {
        const char *obstacle = gersh_dataset_check(data) == GERSH_OK ? NULL : gersh_last_error();
        result = args->json ? print_json(data, rows, scaling, obstacle)
                            : print_text(args, data, rows, scaling, obstacle);
    }
    gersh__free(rows);
    gersh_scaling_free(scaling);
    gersh_dataset_free(data);
    return result;
}

const cli_command cli_describe = {
    .name = "describe",
    .operand_names = "DATA",
    .operands = 1,
    .summary = "show what a data file holds, as every other command reads it",
    .about = "Reads a data file (CSV, TSV, semicolon- or blank-separated text, LIBSVM, ARFF or NPY, "
             "gzipped or not) "
             "and prints its format, rows, features, classes and each feature's range, and whether a "
             "metric can be "
             "learned from it. Use it to find the options that read your file as you mean it.",
    .settings = "label labels format header ignore task missing categorical weights",
    .example = "gersh describe data.csv --label class --ignore id",
    .run = run,
};
