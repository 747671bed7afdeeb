/* gersh inspect: what a model holds; its matrix and graph as files; the independent check. */
#include "cli.h"

#include <stdio.h>

#include "base/error.h"
#include "base/settings.h"
#include "report/describe.h"

static void print_checks(const gersh_verification *report)
{
    for (size_t i = 0; i < report->count; i++) {
        const gersh_check *check = &report->check[i];
        printf("%-11s  %-22s  %s\n",
               check->result == GERSH_CHECK_FAILED ? "FAILED" : gersh_check_result_name(check->result),
               check->name, check->sentence);
    }
    puts(gersh_verification_verdict_name(report->verdict));
}

static json_t *checks_json(const gersh_verification *report)
{
    json_t *list = json_array();
    for (size_t i = 0; i < report->count; i++) {
        const gersh_check *check = &report->check[i];
        json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:o, s:o, s:s}", "name", check->name,
                                              "result", gersh_check_result_name(check->result), "stated",
                                              gersh__json_number(1, check->stated), "recomputed",
                                              gersh__json_number(1, check->recomputed), "tolerance",
                                              gersh__json_number(1, check->tolerance), "sentence",
                                              check->sentence));
    }
    return json_pack("{s:s, s:o}", "verdict", gersh_verification_verdict_name(report->verdict), "checks",
                     list);
}

static int print_json(const gersh_model *model, const gersh_model_summary *summary,
                      const gersh_verification *report, const gersh_discs *discs)
{
    char certainty[GERSH_CERTAINTY_SIZE];
    json_t *document = gersh__describe_model(model, summary, SIZE_MAX);
    json_t *more = json_pack("{s:s, s:s, s:o, s:o}", "standing", gersh_model_standing(model, report),
                             "certainty", gersh_model_certainty(certainty, sizeof certainty, model, report),
                             "verification", report != NULL ? checks_json(report) : json_null(), "scalars",
                             discs != NULL ? gersh__json_reals(discs->scalar, discs->nodes) : json_null());
    json_object_update(document, more);
    json_decref(more);
    return cli_print_json(document);
}

static gersh_status print_text(const gersh_model *model, const gersh_model_summary *summary)
{
    gersh_status status = cli_print_summary(model, summary, NULL);
    if (status != GERSH_OK)
        return status;
    printf("\nsettings\n");
    for (int i = 0; i < gersh_settings_count(); i++) {
        const char *name = gersh_settings_info(i)->name, *value;
        value = gersh_settings_get(gersh_model_settings(model), name);
        if (*value == '\0')
            continue;
        printf("  %-12s", name);
        cli_put_around(stdout, " ", value, "\n");
    }
    cli_put_around(stdout, "\nmade by gersh ", gersh_model_version(model), "");
    printf("; training rows: %s\n", gersh_model_data(model) != NULL ? "in the model" : "left out");
    return GERSH_OK;
}

/*
 * The file read as the model's data was, but for the file of labels: no file is opened because a model names it, only
 * because the user does.
 */
static gersh_status read_data(gersh_dataset **out, const gersh_model *model, const char *path,
                              const cli_args *args)
{
    gersh_settings *settings = NULL;
    const char *theirs = gersh__setting_text(gersh_model_settings(model), GERSH__LABELS);
    gersh_status status = gersh_settings_copy(&settings, gersh_model_settings(model));
    if (status == GERSH_OK && *theirs != '\0' && !gersh__setting_given(args->settings, GERSH__LABELS))
        status = gersh__fail(
            GERSH_ERROR_ARGUMENT,
            "the model was fitted with labels from a file of their own, %s; name it with --labels", theirs);
    if (status == GERSH_OK)
        status = gersh_settings_set(settings, "labels", gersh__setting_text(args->settings, GERSH__LABELS));
    if (status == GERSH_OK)
        status = gersh_dataset_read(out, path, settings);
    gersh_settings_free(settings);
    return status;
}

/* On the data of --data instead of the model's own samples. */
static gersh_status verify(gersh_verification *report, const gersh_model *model, const cli_args *args)
{
    gersh_dataset *data = NULL;
    gersh_status status = GERSH_OK;
    const char *path = cli_value(args, "data");
    if (path != NULL) {
        status = read_data(&data, model, path, args);
        if (status != GERSH_OK)
            return status;
    }
    status = gersh_model_verify(report, model, data);
    if (status != GERSH_OK && data != NULL)
        gersh__fail_prefix(status, "%s: ", path);
    gersh_dataset_free(data);
    return status;
}

enum { NAME_WIDTH = 28 };

/* The scalars that align the discs of M, and where the left-ends then are. */
static void print_scalars(const gersh_model *model, const gersh_discs *discs)
{
    printf("lambda_min = %.10g, at least %.10g by the aligned discs\n\n  ", discs->lambda_min,
           discs->lambda_lower);
    cli_print_cell("feature", NAME_WIDTH);
    printf(" %-6s %12s %15s %15s\n", "colour", "scalar", "left-end before", "left-end after");
    for (size_t i = 0; i < discs->nodes; i++) {
        printf("  ");
        cli_print_cell(cli_feature_name(model, i), NAME_WIDTH);
        printf(" %-6s %12.6g %15.6g %15.6g\n", discs->balance->color[i] > 0 ? "blue" : "red",
               discs->scalar[i], discs->center[i] - discs->radius[i], discs->center[i] - discs->aligned[i]);
    }
}

/* Ranks the features as --importance says; a permutation importance that the model has is not measured anew. */
static gersh_status rank_features(gersh_model *model, const cli_args *args)
{
    cli_importance how;
    gersh_status status = cli_importance_parse(&how, args);
    if (status != GERSH_OK || how == CLI_IMPORTANCE_AUTO)
        return status;
    if (how == CLI_IMPORTANCE_PERMUTATION && gersh_model_importance(model)->permutation == NULL)
        return cli_importance_permute(model, NULL, args);
    return gersh_importance_choose(model, how == CLI_IMPORTANCE_CONTRIBUTION
                                              ? GERSH_IMPORTANCE_CONTRIBUTION
                                              : GERSH_IMPORTANCE_PERMUTATION);
}

static int run(const cli_args *args)
{
    const char *matrix = cli_value(args, "matrix"), *dot = cli_value(args, "dot");
    int verifies = cli_value(args, "verify") != NULL, scalars = cli_value(args, "scalars") != NULL, result;
    gersh_discs *discs = NULL;
    gersh_model *model = NULL;
    gersh_model_summary *summary = NULL;
    gersh_verification report;
    gersh_status status = GERSH_OK;
    if (cli_value(args, "data") != NULL && !verifies)
        status = gersh__fail(GERSH_ERROR_ARGUMENT,
                             "--data is what --verify checks the model on; give both or neither");
    if (status == GERSH_OK)
        status = gersh_model_read(&model, args->operand[0]);
    if (status == GERSH_OK)
        status = rank_features(model, args);
    if (status == GERSH_OK)
        status = gersh_model_summarize(&summary, model);
    if (status == GERSH_OK && matrix != NULL)
        status = cli_write_matrix(model, matrix);
    if (status == GERSH_OK && dot != NULL)
        status = cli_write_dot(model, summary, dot);
    if (status == GERSH_OK && verifies)
        status = verify(&report, model, args);
    if (status == GERSH_OK && scalars)
        status = gersh_discs_align(&discs, summary->graph, &cli_cancel);
    int words = status == GERSH_OK && !args->json;
    if (words && verifies)
        print_checks(&report);
    else if (words && scalars)
        print_scalars(model, discs);
    else if (words && args->quiet)
        printf("%.17g\n", gersh_model_info(model)->objective_value);
    else if (words)
        status = print_text(model, summary);
    if (status != GERSH_OK)
        result = cli_fail(args, status, NULL);
    else
        result =
            args->json ? print_json(model, summary, verifies ? &report : NULL, discs) : cli_finish_output();
    if (result == EXIT_DONE && verifies)
        result = report.verdict == GERSH_VERIFICATION_VERIFIED  ? EXIT_DONE
                 : report.verdict == GERSH_VERIFICATION_PARTIAL ? EXIT_PARTIAL
                                                                : EXIT_BAD;
    gersh_discs_free(discs);
    gersh_model_summary_free(summary);
    gersh_model_free(model);
    return result;
}

static const cli_option options[] = {
    {"verify", 0, NULL,
     "check everything that the model states from its definition, the bound too; exit status 0 when it is "
     "verified, "
     "1 when a check fails, 3 when none fails but something could not be checked"},
    {"data", 0, "FILE",
     "with --verify: the data that the model was fitted to, instead of the samples in the model"},
    {"matrix", 0, "FILE", "write M to this file, as CSV or NPY by its ending (.csv, .npy)"},
    {"dot", 0, "FILE", "write the signed graph to this file, for Graphviz"},
    {"scalars", 0, NULL, "print the scalars that align the discs of M; its graph must be balanced"},
    {"importance", 0, "HOW",
     "rank features by their contribution to telling samples apart (contribution), or by the accuracy that "
     "held-out "
     "samples lose when a feature is permuted (permutation), which learns anew on five random splits "
     "unless the model "
     "has it; the default, auto, is what the model was fitted with"},
    {0}};

const cli_command cli_inspect = {
    .name = "inspect",
    .operand_names = "MODEL",
    .operands = 1,
    .summary = "show what a model learned, export its matrix and graph, verify it",
    .about =
        "Prints what 'gersh fit' learned: the value and its certificate, the features and edges that weigh "
        "most, the settings. What a file states is not checked on reading; --verify does that: instead of "
        "the "
        "model it prints the results of an independent check, in which the objective's value is computed "
        "from its "
        "definition, and the bound from the point in the file that it rests on. The file of --data is read "
        "with the "
        "model's own settings, but for --labels, which must be given again. " CLI_EDGES_HELP,
    .settings = "labels",
    .options = options,
    .reads = "data",
    .writes = "matrix dot",
    .example = "gersh inspect model.gersh --verify",
    .run = run,
};
