/* gersh fit: learns a metric and writes the model. */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/settings.h"
#include "base/text.h"
#include "io/output.h"
#include "report/describe.h"

/* What a fit takes besides data and settings. */
typedef struct inputs {
    gersh_dataset *data;
    gersh_edge_rule *rules;
    size_t rule_count;
    gersh_tuples *tuples;
    gersh_model *start;
    size_t resamples; /* of the bootstrap; 0: none */
    cli_importance importance;
} inputs;

enum { MOST_RESAMPLES = 1000000 };

/* The option that names a file of tuples, of which there may be one; NULL for none. */
static gersh_status find_tuples(const char **option, gersh_tuple_kind *kind, const cli_args *args)
{
    *option = NULL;
    for (int k = GERSH_PAIRS; k <= GERSH_QUADRUPLETS; k++) {
        const char *name = gersh_tuple_kind_name((gersh_tuple_kind)k);
        if (cli_value(args, name) == NULL)
            continue;
        if (*option != NULL)
            return gersh__fail(GERSH_ERROR_ARGUMENT,
                               "--%s and --%s are both given; a fit learns from one of them", *option,
                               name);
        *option = name;
        *kind = (gersh_tuple_kind)k;
    }
    return GERSH_OK;
}

static gersh_status read_resamples(inputs *in, const cli_args *args)
{
    const char *text = cli_value(args, "bootstrap");
    uint64_t number = 0;
    char excerpt[GERSH__EXCERPT_SIZE];
    if (text != NULL && gersh__parse_whole(text, strlen(text), 1, MOST_RESAMPLES, &number) != 0)
        return gersh__fail(GERSH_ERROR_ARGUMENT, "--bootstrap: '%s' is not a whole number from 1 to %d",
                           gersh__text_excerpt(excerpt, sizeof excerpt, text, strlen(text)),
                           MOST_RESAMPLES);
    in->resamples = (size_t)number;
    return GERSH_OK;
}

/* The data and what is known of it. With tuples no column holds labels unless an option says so. */
static gersh_status read_data(inputs *in, const cli_args *args)
{
    const char *option;
    gersh_tuple_kind kind = GERSH_PAIRS;
    gersh_status status = find_tuples(&option, &kind, args);
    if (status == GERSH_OK && option != NULL && !gersh__setting_given(args->settings, GERSH__LABEL) &&
        !gersh__setting_given(args->settings, GERSH__LABELS))
        status = gersh_settings_set(args->settings, "label", "none");
    if (status == GERSH_OK)
        status = gersh_dataset_read(&in->data, args->operand[0], args->settings);
    if (status != GERSH_OK)
        return status;
    if (option == NULL) {
        status = gersh_dataset_check(in->data);
        return status != GERSH_OK ? gersh__fail_prefix(status, "%s: ", args->operand[0]) : GERSH_OK;
    }
    status = gersh_tuples_read(&in->tuples, cli_value(args, option), kind, gersh_dataset_rows(in->data));
    return status != GERSH_OK ? gersh__fail_prefix(status, "--%s: ", option) : GERSH_OK;
}

static gersh_status read_inputs(inputs *in, const cli_args *args)
{
    const char *edges = cli_value(args, "edges"), *start = cli_value(args, "start");
    gersh_status status = read_resamples(in, args);
    if (status == GERSH_OK)
        status = cli_importance_parse(&in->importance, args);
    if (status == GERSH_OK)
        status = read_data(in, args);
    if (status == GERSH_OK && in->tuples != NULL && in->importance == CLI_IMPORTANCE_PERMUTATION)
        status = gersh__fail(GERSH_ERROR_ARGUMENT,
                             "--importance permutation: a fit to %s has no labels to predict; leave it out",
                             gersh_tuple_kind_name(in->tuples->kind));
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
    gersh_tuples_free(in->tuples);
    gersh_model_free(in->start);
    free(in->rules);
}

static gersh_status fit(gersh_model **model, const inputs *in, const cli_args *args)
{
    cli_progress progress;
    gersh_fit_options options = {.rules = in->rules,
                                 .rule_count = in->rule_count,
                                 .tuples = in->tuples,
                                 .start = in->start != NULL ? gersh_model_metric(in->start) : NULL,
                                 .progress_context = &progress,
                                 .cancel = &cli_cancel};
    options.progress = cli_progress_start(&progress, args);
    gersh_status status = gersh_model_fit(model, NULL, in->data, args->settings, &options);
    cli_progress_end(&progress);
    return status;
}

static void draw_resamples(void *context, const gersh_bootstrap_progress *now)
{
    char line[96];
    snprintf(line, sizeof line, "bootstrap: %zu of %zu resamples, %.1f s", now->done, now->total,
             now->seconds);
    cli_line_draw(context, now->seconds, line);
}

/* An interrupt is no failure: what was done until then is in the model. */
static gersh_status bootstrap(gersh_model *model, const inputs *in, const cli_args *args)
{
    cli_progress progress;
    gersh_bootstrap_options options = {.progress_context = &progress, .cancel = &cli_cancel};
    if (cli_progress_start(&progress, args) != NULL)
        options.progress = draw_resamples;
    gersh_status status = gersh_bootstrap_run(model, in->resamples, args->settings, &options);
    cli_progress_end(&progress);
    return status == GERSH_ERROR_CANCELLED ? GERSH_OK : status;
}

/*
 * Ranks the features as --importance says: by itself, where contributions are blind, by permutation, unless the time for the fit was
 * used up. There a failure for
 * other reasons than memory leaves M_ii, and so does an interrupt.
 */
static gersh_status rank_features(gersh_model *model, const inputs *in, int *interrupted,
                                  const cli_args *args)
{
    if (in->importance == CLI_IMPORTANCE_CONTRIBUTION)
        return gersh_importance_choose(model, GERSH_IMPORTANCE_CONTRIBUTION);
    int asked = in->importance == CLI_IMPORTANCE_PERMUTATION;
    gersh_stop stop = gersh_model_info(model)->stop;
    int late = stop == GERSH_STOP_MAX_TIME || stop == GERSH_STOP_INTERRUPTED;
    if (!asked && (late || !gersh_importance_is_blind(gersh_model_importance(model))))
        return GERSH_OK;
    gersh_status status = cli_importance_permute(model, args->settings, args);
    *interrupted = status == GERSH_ERROR_CANCELLED;
    return asked && !*interrupted ? status : status == GERSH_ERROR_MEMORY ? status : GERSH_OK;
}

/* Says what an interrupt left, and returns the exit status. */
static int print_interrupted(const gersh_model *model, const inputs *in, int unranked, const char *path)
{
    const gersh_bootstrap *b = gersh_model_bootstrap(model);
    size_t done = b != NULL ? b->done : 0, failed = b != NULL ? b->failed : 0;
    int fit = gersh_model_info(model)->stop == GERSH_STOP_INTERRUPTED;
    int short_of = in->resamples > 0 && done + failed < in->resamples;
    if (!fit && !unranked && !short_of)
        return EXIT_DONE;
    if (fit)
        cli_put_around(stderr,
                       path != NULL ? "gersh fit: interrupted; the best metric so far was written to "
                                    : "gersh fit: interrupted; the best metric so far is shown above, and "
                                      "no file was asked for",
                       path != NULL ? path : "", "\n");
    if (unranked && !fit)
        fprintf(stderr, "gersh fit: interrupted; the permutation importance was not measured\n");
    if (short_of)
        fprintf(stderr, "gersh fit: interrupted; %zu of %zu resamples were done%s\n", done, in->resamples,
                done > 0 ? " and are counted" : "");
    return EXIT_INTERRUPTED;
}

static int print_result(const cli_args *args, const gersh_model *model, const char *path,
                        const char *report)
{
    gersh_model_summary *summary = NULL;
    gersh_status status = gersh_model_summarize(&summary, model);
    if (status != GERSH_OK)
        return cli_fail(args, status, NULL);
    const char *label = gersh__setting_text(args->settings, GERSH__LABEL);
    cli_next next = {args->operand[0], gersh__setting_given(args->settings, GERSH__LABEL) ? label : NULL,
                     path};
    int result;
    if (args->json) {
        json_t *document = gersh__describe_fit(model, summary);
        json_object_set_new(document, "model", path != NULL ? gersh__json_text(path) : json_null());
        json_object_set_new(document, "report", report != NULL ? gersh__json_text(report) : json_null());
        json_object_set_new(document, "readable_by_others",
                            cli_readable_json(cli_value(args, "no-data") == NULL ? path : NULL, report));
        result = cli_print_json(document);
    } else if (args->quiet) {
        printf("%.17g\n", gersh_model_info(model)->objective_value);
        result = cli_finish_output();
    } else if (cli_print_summary(model, summary, &next) != GERSH_OK) {
        result = cli_fail(args, GERSH_ERROR_MEMORY, NULL);
    } else {
        if (path != NULL)
            cli_put_around(stdout, "\nmodel written to ", path, "\n");
        if (report != NULL)
            cli_put_around(stdout, path == NULL ? "\nreport written to " : "report written to ", report,
                           "; open it in a browser\n");
        result = cli_finish_output();
    }
    gersh_model_summary_free(summary);
    return result;
}

static int run(const cli_args *args)
{
    const char *path = cli_value(args, "output"), *report = cli_value(args, "report");
    inputs in = {0};
    gersh_model *model = NULL;
    int result, unranked = 0;
    gersh_status status = GERSH_OK;
    if (cli_value(args, "no-data") != NULL && path == NULL)
        status =
            gersh__fail(GERSH_ERROR_ARGUMENT,
                        "--no-data is about the model file, but none is written; name one with --output");
    if (status == GERSH_OK)
        status = read_inputs(&in, args);
    if (status == GERSH_OK && path != NULL)
        status = gersh__output_try(path); /* rather now than after hours of learning */
    if (status == GERSH_OK && report != NULL)
        status = gersh_model_report_check();
    if (status == GERSH_OK && report != NULL)
        status = gersh__output_try(report);
    if (status == GERSH_OK)
        status = fit(&model, &in, args);
    if (status == GERSH_OK)
        status = rank_features(model, &in, &unranked, args);
    if (status == GERSH_OK && in.resamples > 0)
        status = bootstrap(model, &in, args);
    if (status == GERSH_OK && path != NULL)
        status = gersh_model_write(model, path, cli_value(args, "no-data") == NULL);
    if (status == GERSH_OK && report != NULL)
        status = cli_write_report(model, path, report, NULL, args->operand[0], GERSH_EVALUATE_SPLITS, NULL,
                                  args);
    if (status != GERSH_OK) {
        result = cli_fail(args, status, NULL);
        goto out;
    }
    result = print_result(args, model, path, report);
    if (result == EXIT_DONE && cli_value(args, "no-data") == NULL)
        cli_note_model(args, path, "--no-data leaves them out");
    if (result == EXIT_DONE)
        cli_note_report(args, report);
    if (result == EXIT_DONE)
        result = print_interrupted(model, &in, unranked, path);
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
    {"pairs", 0, "FILE",
     "learn from pairs of rows instead of labels: CSV with two row numbers from 1, and 1 (similar) or -1 "
     "(dissimilar)"},
    {"triplets", 0, "FILE", "learn from triplets a, p, n of row numbers, a nearer to p than to n"},
    {"quadruplets", 0, "FILE",
     "learn from quadruplets a, b, c, d of row numbers, a and b nearer to each other than c and d"},
    {"report", 0, "FILE",
     "write a report of what was learned to this HTML file; it learns anew on ten random splits, to "
     "measure the accuracy"},
    {"bootstrap", 0, "B", "fit B resamples of the data too, and count how often each edge appears"},
    {"importance", 0, "HOW",
     "rank features by their contribution to telling samples apart (contribution), by the accuracy that "
     "held-out "
     "samples lose when a feature is permuted (permutation; learns anew on five random splits), or by the "
     "latter only "
     "where the former sees hardly any difference, as in an XOR of two features (auto, the default)"},
    {0}};

const cli_command cli_fit = {
    .name = "fit",
    .operand_names = "DATA",
    .operands = 1,
    .summary = "learn a metric from labelled data, or from pairs, triplets or quadruplets of rows",
    .about =
        "Reads a data file, scales its features, and learns the metric M that is best for the objective "
        "among "
        "those that the solver searches, with a certified bound of how much better any other could be. "
        "Prints "
        "what was learned and, with --output, writes the model to a file. An interrupt (Ctrl-C) ends the "
        "search with the best metric so far, which is still written; the exit status is then 130. With "
        "--pairs, "
        "--triplets or --quadruplets, every column of DATA is a feature unless --label or --ignore names "
        "it. "
        "A feature's importance is its share in how much larger squared distances are between classes than "
        "within "
        "them; M_ii, its weight, stands beside it. " CLI_EDGES_HELP,
    .settings =
        "label labels format header ignore task missing categorical weights scale objective solver trace "
        "rho tol max-iter max-time init rows-only diagonals-only nuclear seed threads memory",
    .options = options,
    .reads = "edges start pairs triplets quadruplets",
    .writes = "output report",
    .example = "gersh fit data.csv --label class -o model.gersh",
    .run = run,
};
