/* gersh reproduce: the paper's tables, ours beside its figures. */
#include "cli.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

enum { BAR = 20, PLAIN_WIDTH = 120 };

#define DEFAULT_OUTPUT "gersh-reproduce"

static void put_duration(char *out, size_t size, double seconds)
{
    if (seconds < 100)
        snprintf(out, size, "%.0f s", seconds);
    else
        snprintf(out, size, "%.0f min", seconds / 60);
}

static void draw(void *context, const gersh_reproduce_progress *now)
{
    char text[320], marks[BAR + 1], spent[32], left[64] = "";
    memset(marks, '.', BAR);
    memset(marks, '#', (size_t)(now->done * BAR));
    marks[BAR] = '\0';
    put_duration(spent, sizeof spent, now->seconds);
    if (now->left >= 0) {
        char duration[32];
        put_duration(duration, sizeof duration, now->left);
        snprintf(left, sizeof left, ", about %s left", duration);
    }
    snprintf(text, sizeof text, "[%s] %s%s; %s", marks, spent, left, now->what);
    cli_line_draw(context, now->seconds, text);
}

static json_t *table_json(const gersh_report_table *table)
{
    json_t *rows = json_array(), *columns = gersh__json_texts(table->column, table->columns);
    for (size_t r = 0; r < table->rows; r++)
        json_array_append_new(rows, gersh__json_texts(table->cell + r * table->columns, table->columns));
    return json_pack("{s:s, s:s, s:o, s:o, s:o}", "name", table->name, "title", table->title, "columns",
                     columns, "rows", rows, "notes", gersh__json_texts(table->note, table->notes));
}

static json_t *report_json(const gersh_report *report)
{
    json_t *tables = json_array(), *claims = json_array();
    for (size_t t = 0; t < report->tables; t++)
        json_array_append_new(tables, table_json(report->table[t]));
    for (size_t c = 0; c < report->claims; c++)
        json_array_append_new(claims, json_pack("{s:s, s:s, s:s}", "claim", report->claim[c].text,
                                                "verdict", gersh_verdict_name(report->claim[c].verdict),
                                                "numbers", report->claim[c].detail));
    return json_pack("{s:s, s:s, s:o, s:o, s:o}", "name", report->name, "title", report->title, "tables",
                     tables, "notes", gersh__json_texts(report->note, report->notes), "claims", claims);
}

static int print_json(const gersh_reproduction *result)
{
    json_t *reports = json_array();
    for (size_t r = 0; r < result->reports; r++)
        json_array_append_new(reports, report_json(result->report[r]));
    return cli_print_json(json_pack("{s:o, s:o, s:o, s:I, s:I, s:b}", "reports", reports, "missing",
                                    gersh__json_texts(result->missing_name, result->missing), "files",
                                    gersh__json_texts(result->file, result->files), "computed",
                                    (json_int_t)result->computed, "reused", (json_int_t)result->reused,
                                    "interrupted", result->interrupted));
}

/* The claims alone, a line each. */
static int print_claims(const gersh_reproduction *result)
{
    for (size_t r = 0; r < result->reports; r++)
        for (size_t c = 0; c < result->report[r]->claims; c++)
            printf("%s: %s: %s\n", result->report[r]->name,
                   gersh_verdict_name(result->report[r]->claim[c].verdict),
                   result->report[r]->claim[c].text);
    return cli_finish_output();
}

static void print_counts(const gersh_reproduction *result)
{
    size_t count[3] = {0};
    for (size_t r = 0; r < result->reports; r++)
        for (size_t c = 0; c < result->report[r]->claims; c++)
            count[result->report[r]->claim[c].verdict]++;
    printf("%zu claims hold, %zu do not hold here, %zu are open; %zu cells computed, %zu taken from "
           "earlier runs\n",
           count[GERSH_CLAIM_HOLDS], count[GERSH_CLAIM_FAILS], count[GERSH_CLAIM_OPEN], result->computed,
           result->reused);
}

static int text_width(void)
{
    return isatty(STDOUT_FILENO) ? cli_width() : PLAIN_WIDTH;
}

static int print_text(const cli_args *args, const gersh_reproduction *result)
{
    const char *output = cli_value(args, "output");
    for (size_t r = 0; r < result->reports; r++) {
        gersh_report_write(stdout, result->report[r], GERSH_REPORT_TEXT, text_width());
        putchar('\n');
    }
    print_counts(result);
    printf("%zu files", result->files);
    cli_put_around(stdout, " in ", output != NULL ? output : DEFAULT_OUTPUT, "\n");
    if (result->missing > 0) {
        printf("missing data, whose rows are empty:");
        for (size_t m = 0; m < result->missing; m++)
            printf("%s %s.csv", m > 0 ? "," : "", result->missing_name[m]);
        printf("; 'gersh reproduce --list' says where they come from\n");
    }
    return cli_finish_output();
}

static int list(const cli_args *args)
{
    gersh_report *report = NULL;
    gersh_status status = gersh_reproduce_list(&report, cli_value(args, "data"));
    if (status != GERSH_OK)
        return cli_fail(args, status, NULL);
    int code;
    if (args->json) {
        code = cli_print_json(report_json(report));
    } else {
        gersh_report_write(stdout, report, GERSH_REPORT_TEXT, 160);
        code = cli_finish_output();
    }
    gersh_report_free(report);
    return code;
}

static int run(const cli_args *args)
{
    cli_progress line = {0};
    const char *output = cli_value(args, "output");
    gersh_reproduction *result = NULL;
    gersh_reproduce_options options = {.data = cli_value(args, "data"),
                                       .output = output != NULL ? output : DEFAULT_OUTPUT,
                                       .quick = cli_value(args, "quick") != NULL,
                                       .fresh = cli_value(args, "fresh") != NULL,
                                       .progress_context = &line,
                                       .cancel = &cli_cancel};
    if (cli_value(args, "list") != NULL && args->operands == 0)
        return list(args);
    if (cli_value(args, "list") != NULL || args->operands == 0)
        return cli_fail(args,
                        gersh__fail(GERSH_ERROR_ARGUMENT,
                                    args->operands == 0
                                        ? "name a table, 'all', or --list; 'gersh help reproduce' "
                                          "lists the tables"
                                        : "--list takes no table; leave out one of the two"),
                        NULL);
    if (!args->quiet && !args->json && isatty(STDERR_FILENO))
        options.progress = draw;
    gersh_status status = gersh_reproduce(&result, args->operand[0], args->settings, &options);
    cli_progress_end(&line);
    if (status != GERSH_OK)
        return cli_fail(args, status, NULL);
    int code = args->json    ? print_json(result)
               : args->quiet ? print_claims(result)
                             : print_text(args, result);
    if (code == EXIT_DONE && result->interrupted) {
        fprintf(stderr, "gersh reproduce: interrupted; run it again to go on with what is not done yet\n");
        code = EXIT_INTERRUPTED;
    }
    gersh_reproduction_free(result);
    return code;
}

static const cli_option options[] = {
    {"data", 0, "DIR", "folder with the data sets: NAME.csv each, no header, the label last"},
    {"output", 'o', "DIR", "folder for tables, figures and finished cells (default: " DEFAULT_OUTPUT ")"},
    {"quick", 0, NULL, "few folds and short time limits: a minute in all, to see that it works"},
    {"fresh", 0, NULL, "compute everything anew, also what an earlier run has finished"},
    {"list", 0, NULL, "list the data files, and with --data which of them are missing or differ"},
    {0}};

const cli_command cli_reproduce = {
    .name = "reproduce",
    .operand_names = "TABLE",
    .operands = 0,
    .optional = 1,
    .summary = "compute the paper's tables anew, beside its figures",
    .about = "TABLE is gdpa (the numeric examples), low-rank (a nuclear-norm prior), runtime (seconds on "
             "madelon and "
             "colon-cancer), objectives (converged values of 17 data sets), accuracy (of nearest "
             "neighbours on 15 data sets), or all. Prints ours beside the "
             "paper's, "
             "and which of its claims hold here, and writes tables (CSV and Markdown) and figures (SVG) to "
             "a folder. "
             "Finished cells are kept there: a run that was interrupted (Ctrl-C, exit status 130) goes on "
             "where it "
             "was. Data sets that are not there are left out and named. --max-time is for each fit.",
    .settings = "max-time seed threads",
    .options = options,
    .example = "gersh reproduce all --data datasets --quick",
    .run = run,
};
