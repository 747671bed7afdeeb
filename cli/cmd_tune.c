/* gersh tune: the choice that does best in cross-validation. */
#include "cli.h"

#include <float.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "gersh/tune.h"
#include "io/output.h"

enum { SHOWN = 10 };

static void draw(void *context, const gersh_tune_progress *now)
{
    char words[96] = "";
    if (now->accuracy > 0)
        snprintf(words, sizeof words, "round %d of %d, best %.1f %%", now->round, now->rounds,
                 100 * now->accuracy);
    else
        snprintf(words, sizeof words, "round %d of %d", now->round, now->rounds);
    if (now->total > 0)
        cli_bar_draw(context, now->done, now->total, now->seconds, words);
}

static int is_plain(const gersh_tune_row *row)
{
    return !gersh_solver_find(row->solver)->learns;
}

static int print_table(const cli_args *args, const gersh_dataset *data, const gersh_tuning *result)
{
    const char *path = cli_value(args, "output");
    cli_put_text(stdout, args->operand[0]);
    printf(": %zu rows, %zu features, %zu classes\n", gersh_dataset_rows(data),
           gersh_dataset_features(data), gersh_dataset_classes(data));
    printf("%zu fits in %.1f s; accuracies of neighbours' votes on rows that were not learned from\n\n",
           result->fits, result->seconds);
    printf("  %-11s %-9s %-9s %8s %10s %-9s %18s %6s\n", "objective", "solver", "scale", "trace",
           "neighbors", "votes", "accuracy %", "round");
    for (size_t r = 0; r < result->count && r < SHOWN; r++) {
        const gersh_tune_row *row = &result->row[r];
        char accuracy[48];
        snprintf(accuracy, sizeof accuracy, "%.1f +- %.1f", 100 * row->accuracy, 100 * row->uncertainty);
        printf("%c %-11s %-9s %-9s %7.4gx %10zu %-9s %18s %6d\n", r == 0 ? '*' : ' ',
               is_plain(row) ? "-" : row->objective, row->solver, row->scale, row->trace, row->neighbors,
               row->votes, accuracy, row->round);
    }
    if (result->count > SHOWN)
        printf("  and %zu more; --json lists all\n", result->count - SHOWN);
    printf("\n* chosen; trace: multiple of the default budget; solver identity: the Euclidean metric;\n"
           "votes: one a neighbour, or by the inverse of its distance;\n"
           "round: how far the candidate came, with more rows in every round\n");
    if (path != NULL)
        cli_put_around(stdout, "\nmodel written to ", path, "\n");
    return cli_finish_output();
}

static int print_json(const gersh_dataset *data, const gersh_tuning *result, const char *path)
{
    json_t *rows = json_array();
    for (size_t r = 0; r < result->count; r++) {
        const gersh_tune_row *row = &result->row[r];
        json_t *one = json_pack("{s:s, s:s, s:s, s:f, s:I, s:s, s:f, s:f, s:f, s:i, s:f}", "objective",
                                row->objective, "solver", row->solver, "scale", row->scale, "trace_factor",
                                row->trace, "neighbors", (json_int_t)row->neighbors, "votes", row->votes,
                                "score", row->score, "accuracy", row->accuracy, "uncertainty",
                                row->uncertainty, "round", row->round, "seconds", row->seconds);
        json_array_append_new(rows, one);
    }
    return cli_print_json(json_pack(
        "{s:o, s:I, s:I, s:I, s:I, s:f, s:b, s:o, s:o}", "rows", rows, "n",
        (json_int_t)gersh_dataset_rows(data), "features", (json_int_t)gersh_dataset_features(data),
        "classes", (json_int_t)gersh_dataset_classes(data), "fits", (json_int_t)result->fits, "seconds",
        result->seconds, "interrupted", result->interrupted, "model",
        path != NULL ? gersh__json_text(path) : json_null(), "readable_by_others",
        cli_readable_json(path, NULL)));
}

static gersh_status read_budget(double *budget, const cli_args *args)
{
    char excerpt[GERSH__EXCERPT_SIZE];
    const char *text = cli_value(args, "budget");
    if (text != NULL && (gersh__parse_double(text, strlen(text), budget) != GERSH__NUMBER_OK ||
                         !(*budget > 0) || !(*budget <= DBL_MAX)))
        return gersh__fail(GERSH_ERROR_ARGUMENT, "--budget: '%s' is not a number of seconds above 0",
                           gersh__text_excerpt(excerpt, sizeof excerpt, text, strlen(text)));
    return GERSH_OK;
}

static gersh_status tune(gersh_tuning **result, gersh_dataset **data, const cli_args *args)
{
    const char *path = cli_value(args, "output");
    cli_progress line = {0};
    gersh_tune_options options = {.progress_context = &line, .cancel = &cli_cancel};
    if (!args->quiet && !args->json && isatty(STDERR_FILENO))
        options.progress = draw;
    gersh_status status = read_budget(&options.budget, args);
    if (status == GERSH_OK)
        status = gersh_dataset_read(data, args->operand[0], args->settings);
    if (status == GERSH_OK && path != NULL) {
        status = gersh__output_try(path); /* rather now than after the search */
        if (status != GERSH_OK)
            gersh__fail_prefix(status, "--output: ");
    }
    if (status == GERSH_OK)
        status = gersh_tune(result, *data, args->settings, &options);
    cli_progress_end(&line);
    if (status == GERSH_OK && path != NULL)
        status = gersh_model_write((*result)->model, path, 1);
    return status;
}

static int run(const cli_args *args)
{
    gersh_dataset *data = NULL;
    gersh_tuning *result = NULL;
    int code;
    gersh_status status = tune(&result, &data, args);
    if (status != GERSH_OK)
        code = cli_fail(args, status, NULL);
    else if (args->json)
        code = print_json(data, result, cli_value(args, "output"));
    else if (args->quiet) {
        printf("%.17g\n", result->row[0].accuracy);
        code = cli_finish_output();
    } else
        code = print_table(args, data, result);
    if (status == GERSH_OK && code == EXIT_DONE)
        cli_note_model(args, cli_value(args, "output"), NULL);
    if (status == GERSH_OK && code == EXIT_DONE && result->interrupted) {
        fprintf(stderr,
                "gersh tune: interrupted; the choice is the best of what was compared until then\n");
        code = EXIT_INTERRUPTED;
    }
    gersh_tuning_free(result);
    gersh_dataset_free(data);
    return code;
}

static const cli_option options[] = {
    {"output", 'o', "MODEL", "file to write the best model to, fitted to all rows"},
    {"budget", 0, "S", "seconds for the search (default: no limit); the last fit comes on top"},
    {0}};

const cli_command cli_tune = {
    .name = "tune",
    .operand_names = "DATA",
    .operands = 1,
    .summary = "find the scaling, objective, solver, trace and neighbours that classify best",
    .about = "Tries many ways to learn a metric and judges each by how well nearest neighbours under it "
             "classify "
             "rows that were held back: repeated stratified cross-validation, in rounds with more rows and "
             "fewer "
             "candidates. Prints the best of them and, with --output, writes the model of the best one, "
             "fitted to "
             "all rows; 'gersh predict' then uses its number of neighbours. Options that are given are not "
             "searched. The accuracy of the best is a little too good, as it is the best of many: 'gersh "
             "evaluate "
             "--tuned' measures on rows that the search never saw.",
    .settings =
        "label labels format header ignore missing categorical weights scale objective solver trace rho "
        "tol max-iter neighbors votes seed threads memory",
    .options = options,
    .writes = "output",
    .example = "gersh tune data.csv --label class -o model.gersh",
    .run = run,
};
