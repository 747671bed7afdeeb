/* gersh compare: every objective with every solver, side by side. */
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "gersh/compare.h"
#include "io/output.h"

static const gersh_stop stops[] = {GERSH_STOP_CONVERGED, GERSH_STOP_SETTLED, GERSH_STOP_MAX_ITER,
                                   GERSH_STOP_MAX_TIME, GERSH_STOP_INTERRUPTED};

enum { STOPS = sizeof stops / sizeof stops[0] };

static void draw(void *context, const gersh_compare_progress *now)
{
    char words[160], inside[96] = "";
    if (now->fit != NULL)
        snprintf(inside, sizeof inside, " %d: value %.6g", now->fit->iteration, now->fit->value);
    snprintf(words, sizeof words, "%s %s%s", now->objective, now->solver, inside);
    cli_bar_draw(context, now->done, now->total, now->seconds, words);
}

static void print_heading(const cli_args *args, const gersh_dataset *data, const gersh_comparison *result)
{
    cli_put_text(stdout, args->operand[0]);
    printf(": %zu rows, %zu features, ", gersh_dataset_rows(data), gersh_dataset_features(data));
    if (gersh_dataset_classes(data) > 0)
        printf("%zu classes\n", gersh_dataset_classes(data));
    else
        printf("real-valued targets\n");
    if (cli_value(args, "folds") == NULL)
        printf("one fit on all rows for each line, scaled by '%s'\n",
               gersh_settings_get(args->settings, "scale"));
    else
        printf("%zu of %zu folds for each line; %zu skipped for having one class only\n", result->folds,
               result->all_folds, result->skipped);
}

/* What limit ended fits, and why they failed. */
static void print_remarks(const gersh_compare_row *row)
{
    const char *before = "  ";
    for (size_t s = 0; s < STOPS; s++) {
        size_t count = row->stops[stops[s]];
        if (stops[s] == GERSH_STOP_CONVERGED || stops[s] == GERSH_STOP_SETTLED || count == 0)
            continue;
        printf("%s%s", before, gersh_stop_name(stops[s]));
        if (row->folds > 1)
            printf(" %zu", count);
        before = ", ";
    }
    if (row->failed > 0)
        printf("%sfailed %zu: %s", before, row->failed, row->failure);
}

static void print_row(const gersh_compare_row *row)
{
    if (row->folds == 0 && row->failed == 0) {
        printf("  %-10s not run\n", row->solver);
        return;
    }
    if (row->folds == 0) {
        printf("  %-10s failed: %s\n", row->solver, row->failure);
        return;
    }
    char bound[32] = "none", gap[32] = "-";
    if (row->has_bound) {
        double size = fabs(row->objective_value);
        snprintf(bound, sizeof bound, "%.7g", row->bound);
        if (row->gap == 0 || size > 0)
            snprintf(gap, sizeof gap, "%.3g", row->gap == 0 ? 0 : 100 * row->gap / size);
    }
    printf("  %-10s %13.7g%c %13s %8s %9.4g %10.3g %8.6g %3s %6zu %5.0f %5.0f %5.0f %5.0f %5.0f",
           row->solver, row->objective_value, row->best ? '*' : ' ', bound, gap, row->seconds,
           row->lambda_min, row->edges, row->balanced ? "yes" : "no", row->iterations,
           100 * row->share_gradient, 100 * row->share_minimizer, 100 * row->share_objective,
           100 * row->share_step, 100 * row->share_eigen);
    print_remarks(row);
    putchar('\n');
}

static int print_table(const cli_args *args, const gersh_dataset *data, const gersh_comparison *result)
{
    print_heading(args, data, result);
    for (size_t r = 0; r < result->count; r++) {
        const gersh_compare_row *row = &result->row[r];
        if (r == 0 || strcmp(row->objective, row[-1].objective) != 0) {
            printf("\n%s (%s is better)\n", row->objective, row->maximized ? "larger" : "smaller");
            printf("  %-10s %13s  %13s %8s %9s %10s %8s %3s %6s %5s %5s %5s %5s %5s\n", "solver", "value",
                   "bound", "gap %", "seconds", "lambda_min", "edges", "bal", "iter", "grad%", "min%",
                   "obj%", "step%", "eig%");
        }
        print_row(row);
    }
    printf("\n* the best value of the objective; bal: the signed graph is balanced; iter: iterations;\n"
           "grad%%, min%%, obj%%, step%%, eig%%: shares of the seconds in gradients, linear minimiser, "
           "objective, steps, eigenvectors\n");
    return cli_finish_output();
}

/* The values alone, a line each. */
static int print_values(const gersh_comparison *result)
{
    for (size_t r = 0; r < result->count; r++) {
        const gersh_compare_row *row = &result->row[r];
        if (row->folds > 0)
            printf("%s %s %.17g\n", row->objective, row->solver, row->objective_value);
        else
            printf("%s %s %s\n", row->objective, row->solver, row->failed > 0 ? "failed" : "not run");
    }
    return cli_finish_output();
}

static json_t *row_json(const gersh_compare_row *row)
{
    int there = row->folds > 0;
    json_t *counts = json_object();
    for (size_t s = 0; s < STOPS; s++)
        json_object_set_new(counts, gersh_stop_name(stops[s]),
                            json_integer((json_int_t)row->stops[stops[s]]));
    json_t *shares = json_pack(
        "{s:o, s:o, s:o, s:o, s:o}", "gradient", gersh__json_number(there, row->share_gradient),
        "minimizer", gersh__json_number(there, row->share_minimizer), "objective",
        gersh__json_number(there, row->share_objective), "step", gersh__json_number(there, row->share_step),
        "eigen", gersh__json_number(there, row->share_eigen));
    return json_pack(
        "{s:s, s:s, s:o, s:o, s:o, s:f, s:I, s:o, s:o, s:o, s:I, s:I, s:o, s:b, s:b, s:o, s:o}",
        "objective", row->objective, "solver", row->solver, "objective_value",
        gersh__json_number(there, row->objective_value), "bound",
        gersh__json_number(row->has_bound, row->bound), "gap", gersh__json_number(row->has_bound, row->gap),
        "seconds", row->seconds, "iterations", (json_int_t)row->iterations, "lambda_min",
        gersh__json_number(there, row->lambda_min), "edges", gersh__json_number(there, row->edges),
        "balanced", there ? json_boolean(row->balanced) : json_null(), "folds", (json_int_t)row->folds,
        "failed", (json_int_t)row->failed, "failure",
        row->failed > 0 ? gersh__json_text(row->failure) : json_null(), "maximized", row->maximized, "best",
        row->best, "stops", counts, "shares", shares);
}

static int print_json(const gersh_dataset *data, const gersh_comparison *result)
{
    json_t *rows = json_array();
    for (size_t r = 0; r < result->count; r++)
        json_array_append_new(rows, row_json(&result->row[r]));
    return cli_print_json(json_pack(
        "{s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:b}", "rows", rows, "n", (json_int_t)gersh_dataset_rows(data),
        "features", (json_int_t)gersh_dataset_features(data), "classes",
        (json_int_t)gersh_dataset_classes(data), "folds", (json_int_t)result->folds, "all_folds",
        (json_int_t)result->all_folds, "skipped", (json_int_t)result->skipped, "interrupted",
        result->interrupted));
}

static void put_row(FILE *file, const gersh_compare_row *row)
{
    int there = row->folds > 0;
    fprintf(file, "%s,%s", row->objective, row->solver);
    cli_put_number(file, there, row->objective_value);
    cli_put_number(file, row->has_bound, row->bound);
    cli_put_number(file, row->has_bound, row->gap);
    fprintf(file, ",%.17g,%zu", row->seconds, row->iterations);
    cli_put_number(file, there, row->lambda_min);
    cli_put_number(file, there, row->edges);
    fprintf(file, ",%s,%zu,%zu,%d,%d",
            !there          ? ""
            : row->balanced ? "1"
                            : "0",
            row->folds, row->failed, row->maximized, row->best);
    for (size_t s = 0; s < STOPS; s++)
        fprintf(file, ",%zu", row->stops[stops[s]]);
    cli_put_number(file, there, row->share_gradient);
    cli_put_number(file, there, row->share_minimizer);
    cli_put_number(file, there, row->share_objective);
    cli_put_number(file, there, row->share_step);
    cli_put_number(file, there, row->share_eigen);
    fputc(',', file);
    cli_put_cell(file, row->failure);
    fputc('\n', file);
}

static gersh_status write_csv(const gersh_comparison *result, const char *path)
{
    gersh__output output = {0};
    gersh_status status = gersh__output_open(&output, path);
    if (status == GERSH_OK) {
        fputs(
            "objective,solver,objective_value,bound,gap,seconds,iterations,lambda_min,edges,balanced,folds,"
            "failed,maximized,best",
            output.file);
        for (size_t s = 0; s < STOPS; s++)
            fprintf(output.file, ",%s", gersh_stop_name(stops[s]));
        fputs(",share_gradient,share_minimizer,share_objective,share_step,share_eigen,failure\n",
              output.file);
        for (size_t r = 0; r < result->count; r++)
            put_row(output.file, &result->row[r]);
        status = gersh__output_close(&output, GERSH_OK);
    }
    return status != GERSH_OK ? gersh__fail_prefix(status, "--csv: ") : GERSH_OK;
}

static gersh_status read_options(gersh_compare_options *options, const cli_args *args)
{
    char excerpt[GERSH__EXCERPT_SIZE];
    const char *folds = cli_value(args, "folds"), *most = cli_value(args, "max-folds");
    uint64_t number = 0;
    options->objectives = cli_value(args, "objectives");
    options->solvers = cli_value(args, "solvers");
    if (folds != NULL && strcmp(folds, "paper") != 0)
        return gersh__fail(
            GERSH_ERROR_ARGUMENT,
            "--folds: '%s' is not 'paper'; leave the option out to compare on all rows at once",
            gersh__text_excerpt(excerpt, sizeof excerpt, folds, strlen(folds)));
    options->folds = folds != NULL ? GERSH_COMPARE_PAPER : GERSH_COMPARE_WHOLE;
    if (most != NULL && gersh__parse_whole(most, strlen(most), 1, SIZE_MAX, &number) != 0)
        return gersh__fail(GERSH_ERROR_ARGUMENT, "--max-folds: '%s' is not a whole number of at least 1",
                           gersh__text_excerpt(excerpt, sizeof excerpt, most, strlen(most)));
    options->max_folds = (size_t)number;
    return GERSH_OK;
}

static gersh_status compare(gersh_comparison **result, gersh_dataset **data, const cli_args *args)
{
    const char *csv = cli_value(args, "csv");
    cli_progress line = {0};
    gersh_compare_options options = {.progress_context = &line, .cancel = &cli_cancel};
    if (!args->quiet && !args->json && isatty(STDERR_FILENO))
        options.progress = draw;
    gersh_status status = read_options(&options, args);
    if (status == GERSH_OK)
        status = gersh_dataset_read(data, args->operand[0], args->settings);
    if (status == GERSH_OK) {
        status = gersh_dataset_check(*data);
        if (status != GERSH_OK)
            gersh__fail_prefix(status, "%s: ", args->operand[0]);
    }
    if (status == GERSH_OK && csv != NULL) {
        status = gersh__output_try(csv); /* rather now than after hours of learning */
        if (status != GERSH_OK)
            gersh__fail_prefix(status, "--csv: ");
    }
    if (status == GERSH_OK)
        status = gersh_compare(result, *data, args->settings, &options);
    cli_progress_end(&line);
    if (status == GERSH_OK && csv != NULL)
        status = write_csv(*result, csv);
    return status;
}

static int print_interrupted(const gersh_comparison *result)
{
    size_t ended = 0;
    for (size_t r = 0; r < result->count; r++)
        ended +=
            result->row[r].folds + result->row[r].failed - result->row[r].stops[GERSH_STOP_INTERRUPTED];
    fprintf(stderr,
            "gersh compare: interrupted; %zu of %zu fits had ended, and the result is of what was done\n",
            ended, result->count * result->folds);
    return EXIT_INTERRUPTED;
}

static int run(const cli_args *args)
{
    gersh_dataset *data = NULL;
    gersh_comparison *result = NULL;
    int code;
    gersh_status status = compare(&result, &data, args);
    if (status != GERSH_OK)
        code = cli_fail(args, status, NULL);
    else if (args->json)
        code = print_json(data, result);
    else
        code = args->quiet ? print_values(result) : print_table(args, data, result);
    if (status == GERSH_OK && code == EXIT_DONE && result->memory_short)
        code = cli_fits_short_of_memory(args);
    if (status == GERSH_OK && code == EXIT_DONE && result->interrupted)
        code = print_interrupted(result);
    gersh_comparison_free(result);
    gersh_dataset_free(data);
    return code;
}

static const cli_option options[] = {
    {"objectives", 0, "LIST",
     "objectives of 'gersh fit', separated by commas, or all (default: mcml; for real-valued targets glr)"},
    {"solvers", 0, "LIST", "solvers of 'gersh fit', separated by commas, or all (default: all)"},
    {"folds", 0, "paper",
     "compare on N/4 stratified folds of about four of the N rows each, with paper scaling, instead of on "
     "all rows at once"},
    {"max-folds", 0, "N", "use only the first N of these folds"},
    {"csv", 0, "FILE", "write the table to this file too"},
    {0}};

const cli_command cli_compare = {
    .name = "compare",
    .operand_names = "DATA",
    .operands = 1,
    .summary = "compare solvers and objectives on one data set",
    .about =
        "Reads a data file and learns a metric with every solver for every objective, and prints the "
        "values, "
        "certified bounds, gaps, times and graphs side by side. With --folds, values, bounds, gaps and "
        "edges "
        "are means over the folds, seconds and iterations are sums, and lambda_min is the smallest. "
        "Several "
        "fits run at a time, each in one thread; use --threads 1 where the seconds matter. An interrupt "
        "(Ctrl-C) prints what is done until then; the exit status is then 130.",
    .settings = "label labels format header ignore task missing categorical weights scale trace rho tol "
                "max-iter max-time seed threads memory",
    .options = options,
    .writes = "csv",
    .example = "gersh compare data.csv --objectives glr,mcml --solvers balanced,hull",
    .run = run,
};
