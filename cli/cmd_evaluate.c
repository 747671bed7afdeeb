/* gersh evaluate: accuracy on rows that were not learned from, over repeated splits. */
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "gersh/evaluate.h"
#include "io/output.h"
#include "objective/objective.h"

enum { MOST_SPLITS = 100000 };

/* Interrupted fits are not among the splits of a row. */
static const gersh_stop stops[] = {GERSH_STOP_CONVERGED, GERSH_STOP_SETTLED, GERSH_STOP_MAX_ITER,
                                   GERSH_STOP_MAX_TIME};

enum { STOPS = sizeof stops / sizeof stops[0] };

static void draw(void *context, const gersh_evaluate_progress *now)
{
    char words[160], inside[96] = "";
    if (now->fit != NULL)
        snprintf(inside, sizeof inside, " %d: value %.6g", now->fit->iteration, now->fit->value);
    if (now->tune != NULL)
        snprintf(inside, sizeof inside, " round %d of %d: %zu of %zu", now->tune->round, now->tune->rounds,
                 now->tune->done, now->tune->total);
    snprintf(words, sizeof words, "split %zu: %s%s%s%s", now->split + 1, now->objective,
             now->solver != NULL ? " " : "", now->solver != NULL ? now->solver : "", inside);
    cli_bar_draw(context, now->done, now->total, now->seconds, words);
}

static void print_heading(const cli_args *args, const gersh_dataset *data, const gersh_evaluation *result)
{
    const char *classifier = gersh_settings_get(args->settings, "classifier");
    cli_put_text(stdout, args->operand[0]);
    printf(": %zu rows, %zu features, ", gersh_dataset_rows(data), gersh_dataset_features(data));
    if (result->regress)
        printf("real-valued targets\n");
    else
        printf("%zu classes\n", gersh_dataset_classes(data));
    printf("%zu split%s with %zu rows to learn from and %zu to predict; scaled by '%s'; %s", result->splits,
           result->splits == 1 ? "" : "s", result->train, result->test,
           gersh_settings_get(args->settings, "scale"), classifier);
    if (gersh_classifier_find(classifier)->votes)
        printf(" with %s neighbours%s", gersh_settings_get(args->settings, "neighbors"),
               strcmp(gersh_settings_get(args->settings, "votes"), "distance") == 0 ? ", votes by distance"
                                                                                    : "");
    printf("\n\n  %-10s %-9s", "objective", "solver");
    if (result->regress)
        printf(" %11s  %9s %8s %8s", "RMSE", "std", "R2", "std");
    else
        printf(" %10s  %6s %10s", "accuracy %", "std", "balanced %");
    printf(" %9s %9s %11s %8s\n", "seconds", "better by", "w/t/l", "p");
}

/* Fits that a limit ended or that failed, and splits that are not there. */
static void print_remarks(const gersh_evaluate_row *row, const gersh_evaluation *result)
{
    const char *before = "  ";
    for (size_t s = 0; s < STOPS; s++) {
        if (stops[s] == GERSH_STOP_CONVERGED || stops[s] == GERSH_STOP_SETTLED || row->stops[stops[s]] == 0)
            continue;
        printf("%s%s %zu", before, gersh_stop_name(stops[s]), row->stops[stops[s]]);
        before = ", ";
    }
    if (row->switched > 0) {
        printf("%swith %s %zu", before, gersh__objective_second(GERSH__CLASSES), row->switched);
        before = ", ";
    }
    if (row->splits + row->failed < result->splits) {
        printf("%sonly %zu split%s", before, row->splits, row->splits == 1 ? "" : "s");
        before = ", ";
    }
    if (row->failed > 0)
        printf("%sfailed %zu: %s", before, row->failed, row->failure);
}

/* The number in its column, or a dash. */
static void print_number(int width, int digits, double value)
{
    if (isfinite(value))
        printf(" %*.*f", width, digits, value);
    else
        printf(" %*s", width, "-");
}

static void print_row(const gersh_evaluate_row *row, const gersh_evaluation *result)
{
    printf("  %-10s %-9s", row->objective, row->solver != NULL ? row->solver : "-");
    if (row->splits == 0) {
        if (row->failed > 0)
            printf(" failed: %s\n", row->failure);
        else
            printf(" not run\n");
        return;
    }
    char mark = row->best ? '*' : ' ';
    if (result->regress) {
        printf(" %11.5g%c", row->rmse_mean, mark);
        if (isfinite(row->rmse_std))
            printf(" %9.4g", row->rmse_std);
        else
            printf(" %9s", "-");
        print_number(8, 4, row->r2_mean);
        print_number(8, 4, row->r2_std);
    } else {
        printf(" %10.2f%c", 100 * row->accuracy_mean, mark);
        print_number(6, 2, 100 * row->accuracy_std);
        print_number(10, 2, 100 * row->balanced_accuracy_mean);
    }
    printf(" %9.4g", row->seconds_mean);
    if (row->compared > 0) {
        char counts[64], by[32];
        snprintf(counts, sizeof counts, "%zu/%zu/%zu", row->wins, row->ties, row->losses);
        snprintf(by, sizeof by, result->regress ? "%.4g" : "%+.2f",
                 (result->regress ? 1 : 100) * row->difference_mean);
        printf(" %9s %11s", by, counts);
        if (row->has_p)
            printf(" %8.3g", row->p);
    }
    print_remarks(row, result);
    putchar('\n');
}

static int print_table(const cli_args *args, const gersh_dataset *data, const gersh_evaluation *result)
{
    print_heading(args, data, result);
    for (size_t r = 0; r < result->count; r++)
        print_row(&result->row[r], result);
    printf("\n* the best mean; std: sample deviation over the splits; seconds: mean of the fits\n"
           "better by, w/t/l: than the Euclidean metric, and splits won, tied and lost against it\n");
    if (result->splits > 1)
        printf("p: two-sided, of a paired t test with the variance times 1/%zu + %zu/%zu, as splits "
               "overlap (Nadeau and "
               "Bengio)\n",
               result->splits, result->test, result->train);
    if (cli_value(args, "tuned") != NULL)
        printf("tuned: with the scaling and the neighbours that the search in each split chose\n");
    if (result->unseen > 0)
        printf(
            "%zu of the %zu test rows are of a class that their split has no other rows of; they count as "
            "errors\n",
            result->unseen, result->splits * result->test);
    return cli_finish_output();
}

/* The means alone, a line each. */
static int print_values(const gersh_evaluation *result)
{
    for (size_t r = 0; r < result->count; r++) {
        const gersh_evaluate_row *row = &result->row[r];
        printf("%s %s ", row->objective, row->solver != NULL ? row->solver : "-");
        if (row->splits > 0)
            printf("%.17g\n", result->regress ? row->rmse_mean : row->accuracy_mean);
        else
            printf("%s\n", row->failed > 0 ? "failed" : "not run");
    }
    return cli_finish_output();
}

/* A member of the rows: a number, where `there` says so. */
typedef struct number {
    const char *name;
    enum { REAL, WHOLE, FLAG } kind;
    int there;
    double value;
} number;

enum { NUMBERS = 14 };

/* The numbers of a row, in the order of the columns of CSV. */
static void row_numbers(number *out, const gersh_evaluate_row *row, int regress)
{
    int there = row->splits > 0, classes = there && !regress, targets = there && regress;
    int compared = row->compared > 0;
    const number all[NUMBERS] = {
        {"accuracy_mean", REAL, classes, row->accuracy_mean},
        {"accuracy_std", REAL, classes, row->accuracy_std},
        {"balanced_accuracy_mean", REAL, classes, row->balanced_accuracy_mean},
        {"rmse_mean", REAL, targets, row->rmse_mean},
        {"rmse_std", REAL, targets, row->rmse_std},
        {"r2_mean", REAL, targets, row->r2_mean},
        {"r2_std", REAL, targets, row->r2_std},
        {"seconds_mean", REAL, there, row->seconds_mean},
        {"difference_mean", REAL, compared, row->difference_mean},
        {"wins", WHOLE, compared, (double)row->wins},
        {"ties", WHOLE, compared, (double)row->ties},
        {"losses", WHOLE, compared, (double)row->losses},
        {"p", REAL, row->has_p, row->p},
        {"best", FLAG, 1, row->best},
    };
    memcpy(out, all, sizeof all);
}

static json_t *number_json(const number *one)
{
    if (one->kind == FLAG)
        return json_boolean(one->value != 0);
    if (one->kind == WHOLE && one->there)
        return json_integer((json_int_t)one->value);
    return gersh__json_number(one->there, one->value);
}

static json_t *row_json(const gersh_evaluate_row *row, const gersh_evaluation *result,
                        const char *classifier)
{
    number numbers[NUMBERS];
    json_t *scores = json_array(), *counts = json_object(), *object;
    for (size_t s = 0; s < result->splits; s++)
        json_array_append_new(scores, gersh__json_number(1, row->score[s]));
    object = json_pack("{s:s, s:s?, s:s, s:I, s:I, s:o, s:o}", "objective", row->objective, "solver",
                       row->solver, "classifier", classifier, "splits", (json_int_t)row->splits, "failed",
                       (json_int_t)row->failed, "failure",
                       row->failed > 0 ? gersh__json_text(row->failure) : json_null(), "scores", scores);
    row_numbers(numbers, row, result->regress);
    for (size_t i = 0; i < NUMBERS; i++)
        json_object_set_new(object, numbers[i].name, number_json(&numbers[i]));
    for (size_t i = 0; i < STOPS; i++)
        json_object_set_new(counts, gersh_stop_name(stops[i]),
                            json_integer((json_int_t)row->stops[stops[i]]));
    json_object_set_new(object, "stops", counts);
    json_object_set_new(object, "switched", json_integer((json_int_t)row->switched));
    return object;
}

static int print_json(const cli_args *args, const gersh_dataset *data, const gersh_evaluation *result)
{
    json_t *rows = json_array();
    for (size_t r = 0; r < result->count; r++)
        json_array_append_new(
            rows, row_json(&result->row[r], result, gersh_settings_get(args->settings, "classifier")));
    return cli_print_json(
        json_pack("{s:o, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:b}", "rows", rows, "task",
                  result->regress ? "regress" : "classify", "n", (json_int_t)gersh_dataset_rows(data),
                  "features", (json_int_t)gersh_dataset_features(data), "classes",
                  (json_int_t)gersh_dataset_classes(data), "splits", (json_int_t)result->splits, "train",
                  (json_int_t)result->train, "test", (json_int_t)result->test, "unseen",
                  (json_int_t)result->unseen, "interrupted", result->interrupted));
}

static void put_rows(FILE *file, const gersh_evaluation *result, const char *classifier)
{
    number numbers[NUMBERS];
    row_numbers(numbers, &result->row[0], result->regress);
    fputs("objective,solver,classifier,splits,failed", file);
    for (size_t i = 0; i < NUMBERS; i++)
        fprintf(file, ",%s", numbers[i].name);
    fputs(",failure\n", file);
    for (size_t r = 0; r < result->count; r++) {
        const gersh_evaluate_row *row = &result->row[r];
        fprintf(file, "%s,%s,%s,%zu,%zu", row->objective, row->solver != NULL ? row->solver : "",
                classifier, row->splits, row->failed);
        row_numbers(numbers, row, result->regress);
        for (size_t i = 0; i < NUMBERS; i++)
            cli_put_number(file, numbers[i].there, numbers[i].value);
        fputc(',', file);
        cli_put_cell(file, row->failure);
        fputc('\n', file);
    }
}

static gersh_status write_csv(const gersh_evaluation *result, const cli_args *args)
{
    gersh__output output = {0};
    gersh_status status = gersh__output_open(&output, cli_value(args, "csv"));
    if (status == GERSH_OK) {
        put_rows(output.file, result, gersh_settings_get(args->settings, "classifier"));
        status = gersh__output_close(&output, GERSH_OK);
    }
    return status != GERSH_OK ? gersh__fail_prefix(status, "--csv: ") : GERSH_OK;
}

/* Which rows each split learns from and predicts, for other programs. */
static gersh_status write_splits(const cli_args *args, const gersh_dataset *data,
                                 const gersh_evaluate_options *options)
{
    gersh__output output = {0};
    size_t splits = options->splits > 0 ? options->splits : GERSH_EVALUATE_SPLITS;
    gersh_status status = gersh__output_open(&output, cli_value(args, "save-splits"));
    if (status == GERSH_OK) {
        fputs("split,row,part\n", output.file);
        for (size_t s = 0; s < splits && status == GERSH_OK; s++) {
            gersh_split *split = NULL;
            status = gersh_evaluate_split(&split, data, args->settings, options, s);
            for (size_t i = 0; status == GERSH_OK && i < split->rows; i++)
                fprintf(output.file, "%zu,%zu,%s\n", s + 1, i + 1, split->part[i] == 1 ? "test" : "train");
            gersh_split_free(split);
        }
        status = gersh__output_close(&output, status);
    }
    return status != GERSH_OK ? gersh__fail_prefix(status, "--save-splits: ") : GERSH_OK;
}

/* The option's value as a number above 0, 0 where it is not given. */
static gersh_status read_positive(double *out, const cli_args *args, const char *name, double below,
                                  const char *expected)
{
    char excerpt[GERSH__EXCERPT_SIZE];
    const char *text = cli_value(args, name);
    *out = 0;
    if (text == NULL ||
        (gersh__parse_double(text, strlen(text), out) == GERSH__NUMBER_OK && *out > 0 && *out < below))
        return GERSH_OK;
    return gersh__fail(GERSH_ERROR_ARGUMENT, "--%s: '%s' is not %s", name,
                       gersh__text_excerpt(excerpt, sizeof excerpt, text, strlen(text)), expected);
}

static gersh_status read_options(gersh_evaluate_options *options, const cli_args *args)
{
    char excerpt[GERSH__EXCERPT_SIZE];
    const char *splits = cli_value(args, "splits");
    uint64_t whole = 0;
    options->objectives = cli_value(args, "objectives");
    options->solvers = cli_value(args, "solvers");
    options->tuned = cli_value(args, "tuned") != NULL;
    if (splits != NULL && gersh__parse_whole(splits, strlen(splits), 1, MOST_SPLITS, &whole) != 0)
        return gersh__fail(GERSH_ERROR_ARGUMENT, "--splits: '%s' is not a whole number from 1 to %d",
                           gersh__text_excerpt(excerpt, sizeof excerpt, splits, strlen(splits)),
                           MOST_SPLITS);
    options->splits = (size_t)whole;
    gersh_status status =
        read_positive(&options->test_share, args, "test-share", 1, "a number above 0 and below 1");
    return status == GERSH_OK
               ? read_positive(&options->budget, args, "budget", HUGE_VAL, "a number of seconds above 0")
               : status;
}

static gersh_status evaluate(gersh_evaluation **result, gersh_dataset **data, const cli_args *args)
{
    const char *csv = cli_value(args, "csv");
    cli_progress line = {0};
    gersh_evaluate_options options = {.progress_context = &line, .cancel = &cli_cancel};
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
    if (status == GERSH_OK && cli_value(args, "save-splits") != NULL)
        status = write_splits(args, *data, &options);
    if (status == GERSH_OK)
        status = gersh_evaluate(result, *data, args->settings, &options);
    cli_progress_end(&line);
    return status == GERSH_OK && csv != NULL ? write_csv(*result, args) : status;
}

static int print_interrupted(const gersh_evaluation *result)
{
    size_t ended = 0;
    for (size_t r = 0; r < result->count; r++)
        ended += result->row[r].splits + result->row[r].failed;
    fprintf(stderr, "gersh evaluate: interrupted; %zu of %zu fits had ended, and the result is of these\n",
            ended, result->count * result->splits);
    return EXIT_INTERRUPTED;
}

static int run(const cli_args *args)
{
    gersh_dataset *data = NULL;
    gersh_evaluation *result = NULL;
    int code;
    gersh_status status = evaluate(&result, &data, args);
    if (status != GERSH_OK)
        code = cli_fail(args, status, NULL);
    else if (args->json)
        code = print_json(args, data, result);
    else
        code = args->quiet ? print_values(result) : print_table(args, data, result);
    if (status == GERSH_OK && code == EXIT_DONE && result->memory_short)
        code = cli_fits_short_of_memory(args);
    if (status == GERSH_OK && code == EXIT_DONE && result->interrupted)
        code = print_interrupted(result);
    gersh_evaluation_free(result);
    gersh_dataset_free(data);
    return code;
}

static const cli_option options[] = {
    {"objectives", 0, "LIST",
     "objectives of 'gersh fit', separated by commas, or all (default: auto; for real-valued targets glr)"},
    {"solvers", 0, "LIST", "solvers of 'gersh fit', separated by commas, or all (default: balanced)"},
    {"tuned", 0, NULL,
     "one more row: a search on the training rows of each split chooses scaling, objective, solver, trace "
     "and neighbours"},
    {"budget", 0, "S", "seconds of the search of --tuned in each split (default: no limit)"},
    {"splits", 0, "N", "number of random splits (default: 10)"},
    {"test-share", 0, "SHARE", "share of the rows that are predicted, not learned from (default: 0.1)"},
    {"save-splits", 0, "FILE",
     "write the splits to this file: lines of split, row and part, train or test"},
    {"csv", 0, "FILE", "write the table to this file too"},
    {0}};

const cli_command cli_evaluate = {
    .name = "evaluate",
    .operand_names = "DATA",
    .operands = 1,
    .summary = "accuracy on rows that were not learned from, over repeated splits",
    .about =
        "Divides the rows at random into a training and a test part, the classes in equal shares, learns "
        "scaling and metric from the training part and predicts the test part, for every objective with "
        "every "
        "solver; repeats this with other splits, and prints mean accuracies beside those of the Euclidean "
        "metric, with a paired t test. With real-valued targets, RMSE and R2 take the place of accuracies. "
        "Split s has the seed --seed + s - 1. Several fits run at a time, each in one thread; use "
        "--threads "
        "1 where the seconds matter. An interrupt (Ctrl-C) prints what is done until then; the exit status "
        "is "
        "then 130.",
    .settings =
        "label labels format header ignore task missing categorical weights scale trace rho tol max-iter "
        "max-time classifier neighbors votes seed threads memory",
    .options = options,
    .writes = "csv save-splits",
    .example = "gersh evaluate data.csv --objectives glr,mcml --solvers balanced,psd",
    .run = run,
};
