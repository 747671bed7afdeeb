/* gersh fit: learns a metric and writes the model. */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "io/output.h"

/* What a fit takes besides data and settings. */
typedef struct inputs {
    gersh_dataset *data;
    gersh_edge_rule *rules;
    size_t rule_count;
    gersh_model *start;
} inputs;

static gersh_status read_inputs(inputs *in, const cli_args *args)
{
    const char *edges = cli_value(args, "edges"), *start = cli_value(args, "start");
    gersh_status status = gersh_dataset_read(&in->data, args->operand[0], args->settings);
    if (status == GERSH_OK) {
        status = gersh_dataset_check(in->data);
        if (status != GERSH_OK)
            return gersh__fail_prefix(status, "%s: ", args->operand[0]);
    }
    if (status == GERSH_OK && edges != NULL) {
        status = gersh_edge_rules_read(&in->rules, &in->rule_count, edges, in->data);
        if (status != GERSH_OK)
            return gersh__fail_prefix(status, "--edges: ");
    }
    if (status == GERSH_OK && start != NULL) {
        status = gersh_model_read(&in->start, start);
        if (status == GERSH_OK) {
            status = gersh_model_check_data(in->start, in->data);
            if (status != GERSH_OK)
                gersh__fail_prefix(status, "%s: ", start);
        }
        if (status != GERSH_OK)
            return gersh__fail_prefix(status, "--start: ");
    }
    return status;
}

static void free_inputs(inputs *in)
{
    gersh_dataset_free(in->data);
    gersh_model_free(in->start);
    free(in->rules);
}

static gersh_status fit(gersh_model **model, const inputs *in, const cli_args *args)
{
    cli_progress progress;
    gersh_fit_options options = {.rules = in->rules,
                                 .rule_count = in->rule_count,
                                 .start = in->start != NULL ? gersh_model_metric(in->start) : NULL,
                                 .progress_context = &progress,
                                 .cancel = &cli_cancel};
    options.progress = cli_progress_start(&progress, args);
    gersh_status status = gersh_model_fit(model, NULL, in->data, args->settings, &options);
    cli_progress_end(&progress);
    return status;
}

static int print_result(const cli_args *args, const gersh_model *model, const char *path)
{
    gersh_model_summary *summary = NULL;
    gersh_status status = gersh_model_summarize(&summary, model);
    if (status != GERSH_OK)
        return cli_fail(args, status, NULL);
    int result;
    if (args->json) {
        json_t *document = cli_json_summary(model, summary);
        if (document != NULL)
            json_object_set_new(document, "model", path != NULL ? cli_json_text(path) : json_null());
        result = cli_print_json(document);
    } else if (args->quiet) {
        printf("%.17g\n", gersh_model_info(model)->objective_value);
        result = cli_finish_output();
    } else {
        cli_print_summary(model, summary);
        if (path != NULL)
            printf("\nmodel written to %s\n", path);
        result = cli_finish_output();
    }
    gersh_model_summary_free(summary);
    return result;
}

static int run(const cli_args *args)
{
    const char *path = cli_value(args, "output");
    inputs in = {0};
    gersh_model *model = NULL;
    int result;
    gersh_status status = GERSH_OK;
    if (cli_value(args, "no-data") != NULL && path == NULL)
        status =
            gersh__fail(GERSH_ERROR_ARGUMENT,
                        "--no-data is about the model file, but none is written; name one with --output");
    if (status == GERSH_OK)
        status = read_inputs(&in, args);
    if (status == GERSH_OK && path != NULL)
        status = gersh__output_try(path); /* rather now than after hours of learning */
    if (status == GERSH_OK)
        status = fit(&model, &in, args);
    if (status == GERSH_OK && path != NULL)
        status = gersh_model_write(model, path, cli_value(args, "no-data") == NULL);
    if (status != GERSH_OK) {
        result = cli_fail(args, status, NULL);
        goto out;
    }
    result = print_result(args, model, path);
    if (result == EXIT_DONE && gersh_model_info(model)->stop == GERSH_STOP_INTERRUPTED) {
        fprintf(stderr, "gersh fit: interrupted; the best metric so far %s%s\n",
                path != NULL ? "was written to " : "is shown above, and no file was asked for",
                path != NULL ? path : "");
        result = EXIT_INTERRUPTED;
    }
out:
    gersh_model_free(model);
    free_inputs(&in);
    return result;
}

static const cli_option options[] = {
    {"output", 'o', "MODEL", "file to write the model to; without it, only the summary is printed"},
    {"no-data", 0, NULL, "leave the training rows out of the model file"},
    {"edges", 0, "FILE",
     "CSV file without a header: feature, feature, and allowed, forbidden, positive or negative"},
    {"start", 0, "MODEL", "begin at the metric of this model"},
    {0}};

const cli_command cli_fit = {
    .name = "fit",
    .operand_names = "DATA",
    .operands = 1,
    .summary = "learn a metric from labelled data",
    .about =
        "Reads a data file, scales its features, and learns the metric M that is best for the objective "
        "among "
        "those that the solver searches, with a certified bound of how much better any other could be. "
        "Prints "
        "what was learned and, with --output, writes the model to a file. An interrupt (Ctrl-C) ends the "
        "search with the best metric so far, which is still written; the exit status is then 130.",
    .settings =
        "label labels format header ignore task missing categorical weights scale objective solver trace "
        "rho tol max-iter max-time init rows-only diagonals-only nuclear seed threads",
    .options = options,
    .example = "gersh fit data.csv --label class -o model.gersh",
    .run = run,
};
