/* gersh report: what a model learned, as a page to look at. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/settings.h"
#include "base/text.h"
#include "io/output.h"

/* The last part of the path; NULL for none and for standard input. */
static const char *file_name(const char *path)
{
    if (path == NULL || strcmp(path, "-") == 0)
        return NULL;
    const char *slash = strrchr(path, '/');
    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

static void draw(void *context, const gersh_evaluate_progress *now)
{
    char words[64];
    snprintf(words, sizeof words, "measuring accuracy, split %zu", now->split + 1);
    cli_bar_draw(context, now->done, now->total, now->seconds, words);
}

gersh_status cli_write_report(const gersh_model *model, const char *model_path, const char *path,
                              const gersh_dataset *data, const char *data_path, size_t splits,
                              const gersh_verification *verification, const cli_args *args)
{
    cli_progress progress;
    gersh_model_report_options options = {.data = data,
                                          .verification = verification,
                                          .name = file_name(model_path),
                                          .data_name = file_name(data_path),
                                          .splits = splits,
                                          .threads =
                                              (int)gersh__setting_whole(args->settings, GERSH__THREADS),
                                          .progress_context = &progress,
                                          .cancel = &cli_cancel};
    if (cli_progress_start(&progress, args) != NULL)
        options.progress = draw;
    gersh_status status = gersh_model_report(model, path, &options);
    cli_progress_end(&progress);
    return status;
}

static gersh_status read_options(const char **path, size_t *splits, const cli_args *args)
{
    char excerpt[GERSH__EXCERPT_SIZE];
    const char *text = cli_value(args, "splits");
    uint64_t number = GERSH_EVALUATE_SPLITS;
    *path = cli_value(args, "output");
    if (*path == NULL)
        return gersh__fail(GERSH_ERROR_ARGUMENT,
                           "no file to write to is named; name one with --output, such as "
                           "-o report.html");
    if (text != NULL && gersh__parse_whole(text, strlen(text), 0, 100000, &number) != 0)
        return gersh__fail(GERSH_ERROR_ARGUMENT, "--splits: '%s' is not a whole number from 0 to 100000",
                           gersh__text_excerpt(excerpt, sizeof excerpt, text, strlen(text)));
    *splits = (size_t)number;
    return gersh__output_try(*path);
}

/* With --verify; a page is made only of a model that stands the check. */
static gersh_status verify(gersh_verification *found, const gersh_model *model, const cli_args *args)
{
    gersh_status status = gersh_model_verify(found, model, NULL);
    if (status == GERSH_OK && found->verdict == GERSH_VERIFICATION_FAILED)
        status = gersh__fail(GERSH_ERROR_INPUT,
                             "%s failed the verification; 'gersh inspect %s --verify' says where",
                             args->operand[0], args->operand[0]);
    return status;
}

static int run(const cli_args *args)
{
    const char *path = NULL, *data = cli_value(args, "data");
    int verifies = cli_value(args, "verify") != NULL;
    gersh_verification found;
    gersh_model *model = NULL;
    gersh_matched *matched = NULL;
    size_t splits = 0;
    gersh_status status = read_options(&path, &splits, args);
    if (status == GERSH_OK)
        status = gersh_model_read(&model, args->operand[0]);
    if (status == GERSH_OK && verifies)
        status = verify(&found, model, args);
    if (status == GERSH_OK && data != NULL)
        status = cli_match(&matched, model, data, args);
    if (status == GERSH_OK)
        status = cli_write_report(model, args->operand[0], path, matched != NULL ? matched->data : NULL,
                                  data, splits, verifies ? &found : NULL, args);
    int result, has_data = matched != NULL || (model != NULL && gersh_model_data(model) != NULL);
    if (status != GERSH_OK) {
        result = cli_fail(args, status, NULL);
    } else if (args->json) {
        result = cli_print_json(json_pack("{s:o, s:b, s:o}", "report", gersh__json_text(path), "has_data",
                                          has_data, "readable_by_others",
                                          cli_readable_json(NULL, has_data ? path : NULL)));
    } else {
        if (!args->quiet)
            cli_put_around(stdout, "report written to ", path, "; open it in a browser\n");
        result = cli_finish_output();
    }
    if (result == EXIT_DONE && has_data)
        cli_note_report(args, path);
    if (result == EXIT_DONE && gersh_cancel_requested(&cli_cancel)) {
        fprintf(stderr, "gersh report: interrupted; the report shows the splits that were done\n");
        result = EXIT_INTERRUPTED;
    }
    gersh_matched_free(matched);
    gersh_model_free(model);
    return result;
}

static const cli_option options[] = {
    {"output", 'o', "FILE", "HTML file to write"},
    {"data", 0, "DATA", "rows to show and to predict; without it, those that the model learned from"},
    {"splits", 0, "N",
     "where the rows are those that the model learned from: learn anew on N random splits, to measure the "
     "accuracy on "
     "rows that were held out (default: 10); 0 leaves that out"},
    {"verify", 0, NULL,
     "check the model as 'gersh inspect --verify' does before the page is made, which then says so; else "
     "it shows the "
     "certificate as stated by the model"},
    {0}};

const cli_command cli_report = {
    .name = "report",
    .operand_names = "MODEL",
    .operands = 1,
    .summary = "write what a model learned as an interactive page, one HTML file",
    .about = "Writes one HTML file that any browser opens, without a network: the feature graph, the "
             "Gershgorin discs, "
             "the matrix, the history of the fit, the rows in the learned space, distances within and "
             "between classes, "
             "a table of the features, and the command that repeats the fit. Rows come from the model, or "
             "from DATA, "
             "read as 'gersh predict' reads it; rows that are new to the model are predicted, others are "
             "held out on "
             "random splits.",
    .settings = "label labels format header ignore missing categorical threads",
    .options = options,
    .reads = "data",
    .writes = "output",
    .example = "gersh report model.gersh --data new.csv -o report.html",
    .run = run,
};
