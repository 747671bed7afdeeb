/* The paper's tables on small data sets of the paper's names: values, cells, files, failures. */
#include "reproduce_support.h"

#include <math.h>

#include "../reproduce/paper.h"
#include "gersh/compare.h"
#include "reproduce_memory.h"

enum { CELLS = 35 }; /* of a data set: objectives × solvers */

static repro_result *reproduce(const char *name, const char *output, int fresh)
{
    repro_result *result = NULL;
    repro_options options = {.data = in_folder("data"),
                             .output = output != NULL ? in_folder(output) : NULL,
                             .quick = 1,
                             .fresh = fresh};
    assert_ok(repro_tables(&result, name, NULL, &options));
    assert_int_equal(result->interrupted, 0);
    return result;
}

static void test_names(void **state)
{
    size_t count = 0;
    (void)state;
    while (repro_name(count) != NULL)
        count++;
    assert_int_equal(count, 5);
    assert_string_equal(repro_name(0), "gdpa");
}

static void write_small_data(void)
{
    write_data("heart", 16, 4, 1);
    write_data("sonar", 18, 12, 2);
    write_data("not-of-the-paper", 12, 3, 3);
}

static void test_paper(void **state)
{
    (void)state;
    double value = -1, sum = 0;
    assert_int_equal(repro_paper_value(&value, "objectives", "value", "mcml", "sgml", "australian"), 1);
    assert_true(value == 0.203);
    assert_int_equal(repro_paper_value(&value, "objectives", "value", "glr", "pdcone", "colon-cancer"), 1);
    assert_true(value == 0.000975);
    assert_int_equal(repro_paper_value(&value, "runtime", "lp", "madelon", "glr", "pdcone"),
                     0); /* an empty field */
    assert_int_equal(repro_paper_value(&value, "objectives", "value", "glr", "sgml", "iris"), 0);
    assert_int_equal(repro_paper_value(&value, "nothing", "value", "glr", "sgml", "iris"), 0);
    assert_int_equal(repro_paper_value(&value, "runtime", "nothing", "madelon", "glr", "sgml"), 0);
    static const char *const schemes[] = {"hbnb", "pgml", "sgml"};
    for (size_t s = 0; s < 3; s++) {
        assert_int_equal(repro_paper_value(&value, "summary", "best", "mcml", schemes[s], NULL), 1);
        sum += value;
    }
    assert_true(sum == 17);
    assert_non_null(repro_paper_row("datasets", 16));
    assert_null(repro_paper_row("datasets", 17));
    assert_null(repro_paper_row("nothing", 0));
}

/* The mean ratios that the paper states follow from its values. */
static void test_paper_ratios(void **state)
{
    (void)state;
    static const char *const objectives[] = {"mcml", "deml", "lsml", "lmnn", "glr"};
    static const char *const schemes[] = {"hbnb", "pgml", "sgml"};
    for (size_t i = 0; i < 15; i++) {
        double sum = 0, stated;
        for (size_t d = 0; d < 17; d++) {
            size_t length;
            char name[32];
            double value, cone;
            const char *text =
                repro_paper_field(&length, "datasets", repro_paper_row("datasets", d), "dataset");
            snprintf(name, sizeof name, "%.*s", (int)length, text);
            assert_true(
                repro_paper_value(&value, "objectives", "value", objectives[i / 3], schemes[i % 3], name));
            assert_true(repro_paper_value(&cone, "objectives", "value", objectives[i / 3], "pdcone", name));
            sum += value / cone / 17;
        }
        assert_true(
            repro_paper_value(&stated, "summary", "over_pdcone", objectives[i / 3], schemes[i % 3], NULL));
        assert_true(fabs(sum - stated) <= 0.005 * stated);
    }
}

static void test_gdpa(void **state)
{
    (void)state;
    repro_result *result = NULL;
    repro_options options = {.output = in_folder("gdpa")};
    assert_ok(repro_tables(&result, "gdpa", NULL, &options));
    assert_int_equal(result->reports, 1);
    const repro_report *report = result->report[0];
    size_t fails = 0;
    for (size_t c = 0; c < report->claims; c++)
        fails += report->claim[c].verdict != REPRO_CLAIM_HOLDS;
    assert_int_equal(fails, 2); /* the two slips of the paper */
    assert_int_equal(find_claim(result, "with the printed s")->verdict, REPRO_CLAIM_FAILS);
    assert_int_equal(find_claim(result, "with the printed M_ij")->verdict, REPRO_CLAIM_FAILS);
    const repro_table *table = find_table(result, "gdpa");
    for (size_t r = 0; r < table->rows; r++)
        assert_string_not_equal(table->cell[r * table->columns + 4], "no");
    /* λ_min of the 3×3 example is a root of its characteristic polynomial λ³ − 11λ² + 29λ − 3. */
    double root = 0;
    for (int i = 0; i < 50; i++)
        root = (3 + 11 * root * root - root * root * root) / 29;
    char expected[32];
    snprintf(expected, sizeof expected, "%.4f", root);
    assert_string_equal(table->cell[4 * table->columns + 1], "lambda_min");
    assert_string_equal(table->cell[4 * table->columns + 2], expected);
    assert_int_equal(result->files, 4);
    check_files(result);
    repro_result_free(result);
}

/* A value of the table is what gersh_compare gives with the same settings. */
static void check_value(const repro_table *table)
{
    gersh_dataset *data = NULL;
    gersh_settings *settings = NULL;
    gersh_comparison *c = NULL;
    gersh_compare_options options = {
        .objectives = "glr", .solvers = "balanced", .folds = GERSH_COMPARE_PAPER, .max_folds = 2};
    assert_ok(gersh_settings_new(&settings));
    assert_ok(gersh_settings_set(settings, "header", "no"));
    assert_ok(gersh_settings_set(settings, "trace", "K"));
    assert_ok(gersh_settings_set(settings, "rho", "1e-5"));
    assert_ok(gersh_settings_set(settings, "tol", "1e-3"));
    assert_ok(gersh_dataset_read(&data, in_folder("data/heart.csv"), settings));
    assert_ok(gersh_compare(&c, data, settings, &options));
    size_t found = 0;
    for (size_t r = 0; r < table->rows; r++) {
        char *const *cell = table->cell + r * table->columns;
        if (strcmp(cell[0], "glr") != 0 || strcmp(cell[1], "heart") != 0 ||
            strcmp(cell[2], "balanced") != 0)
            continue;
        found++;
        assert_true(strtod(cell[3], NULL) == c->row[0].objective_value);
        assert_true(strtod(cell[5], NULL) == c->row[0].bound);
        assert_string_equal(cell[12], "16×4, in the paper 270×13");
    }
    assert_int_equal(found, 1);
    gersh_comparison_free(c);
    gersh_dataset_free(data);
    gersh_settings_free(settings);
}

static void test_objectives(void **state)
{
    (void)state;
    write_small_data();
    repro_result *result = reproduce("objectives", "objectives", 0);
    assert_int_equal(result->missing, 15);
    for (size_t m = 0; m < result->missing; m++)
        assert_true(strcmp(result->missing_name[m], "heart") != 0 &&
                    strcmp(result->missing_name[m], "sonar") != 0);
    assert_int_equal(result->computed, 2 * CELLS);
    assert_int_equal(result->reused, 0);
    const repro_table *cells = find_table(result, "objectives"),
                      *shown = find_table(result, "objectives-glr");
    assert_int_equal(cells->rows, 2 * CELLS);
    assert_int_equal(shown->rows, 8);
    assert_int_equal(shown->columns, 20);
    assert_int_equal(shown->rule[4], 1);
    assert_string_equal(shown->cell[7 * 20], "certified bound");
    assert_string_equal(shown->cell[1], "- (0.0035)"); /* australian is not there, the paper's figure is */
    assert_string_equal(shown->column[7], "heart‡");
    check_value(cells);
    assert_int_equal(find_claim(result, "here: balanced is no worse")->verdict, REPRO_CLAIM_HOLDS);
    check_files(result);
    repro_result_free(result);
}

static void test_cells(void **state)
{
    (void)state;
    write_small_data();
    repro_result *first = reproduce("objectives", "cells-test", 0);
    repro_result *second = reproduce("objectives", "cells-test", 0);
    assert_int_equal(second->computed, 0);
    assert_int_equal(second->reused, 2 * CELLS);
    const repro_table *a = find_table(first, "objectives"), *b = find_table(second, "objectives");
    for (size_t i = 0; i < a->rows * a->columns; i++)
        assert_string_equal(a->cell[i], b->cell[i]);
    repro_result_free(first);
    repro_result_free(second);

    write_data("heart", 16, 4, 7); /* other data of the same name */
    second = reproduce("objectives", "cells-test", 0);
    assert_int_equal(second->computed, CELLS);
    assert_int_equal(second->reused, CELLS);
    repro_result_free(second);

    second = reproduce("objectives", "cells-test", 1);
    assert_int_equal(second->computed, 2 * CELLS);
    repro_result_free(second);

    gersh_settings *settings = NULL; /* another seed is another cell */
    repro_options options = {.data = in_folder("data"), .output = in_folder("cells-test"), .quick = 1};
    assert_ok(gersh_settings_new(&settings));
    assert_ok(gersh_settings_set(settings, "seed", "3"));
    assert_ok(repro_tables(&second, "objectives", settings, &options));
    assert_int_equal(second->computed, 2 * CELLS);
    repro_result_free(second);
    gersh_settings_free(settings);
}

/* A cell's file that is damaged, cut or of another key is computed anew. */
static void test_damaged_cells(void **state)
{
    (void)state;
    static const char *const contents[] = {"", "key,other\n", "nonsense"};
    write_small_data();
    repro_result_free(reproduce("objectives", "damaged", 0));
    DIR *folder = opendir(in_folder("damaged/cells"));
    struct dirent *entry;
    size_t damaged = 0;
    assert_non_null(folder);
    while ((entry = readdir(folder)) != NULL && damaged < 4) {
        if (entry->d_name[0] == '.')
            continue;
        char *name = repro_format("%s/%s", in_folder("damaged/cells"), entry->d_name);
        if (damaged == 3) {
            struct stat info;
            assert_int_equal(stat(name, &info), 0);
            assert_int_equal(truncate(name, info.st_size - 1), 0);
        } else {
            FILE *file = fopen(name, "w");
            fputs(contents[damaged], file);
            fclose(file);
        }
        free(name);
        damaged++;
    }
    closedir(folder);
    repro_result *result = reproduce("objectives", "damaged", 0);
    assert_int_equal(result->computed, 4);
    assert_int_equal(result->reused, 2 * CELLS - 4);
    repro_result_free(result);
}

static void test_low_rank(void **state)
{
    (void)state;
    write_small_data();
    repro_result *result = reproduce("low-rank", "low-rank", 0);
    const repro_table *table = find_table(result, "low-rank"),
                      *other = find_table(result, "low-rank-unscaled");
    assert_int_equal(table->rows, 11);
    assert_int_equal(other->rows, 10);
    assert_string_equal(table->cell[0], "12, PD-cone");
    assert_string_equal(table->cell[3], "43.6");
    assert_string_equal(table->cell[10 * table->columns + 3], "549");
    for (size_t r = 0; r < table->rows; r++) {
        double rank = strtod(table->cell[r * table->columns + 4], NULL);
        assert_true(rank >= 1 && rank <= 12);
        assert_true(strtod(table->cell[r * table->columns + 8], NULL) <= 12.1); /* trace at most K */
    }
    assert_string_equal(table->cell[2], other->cell[2]); /* no weight is no weight, by either rule */
    check_files(result);
    repro_result_free(result);

    unlink(in_folder("data/sonar.csv"));
    result = reproduce("low-rank", NULL, 0);
    assert_int_equal(result->report[0]->tables, 0);
    assert_int_equal(result->missing, 1);
    assert_string_equal(result->missing_name[0], "sonar");
    assert_int_equal(result->files, 0);
    repro_result_free(result);
}

static void test_runtime(void **state)
{
    (void)state;
    write_small_data();
    write_data("madelon", 12, 5, 4);
    write_data("colon-cancer", 12, 6, 5);
    repro_result *result = reproduce("all", "runtime", 0);
    const repro_table *table = find_table(result, "runtime"),
                      *ratios = find_table(result, "runtime-ratios");
    assert_int_equal(table->rows, 2 * CELLS);
    assert_int_equal(ratios->rows, 10);
    assert_string_equal(ratios->cell[2], "8.28");
    assert_string_equal(ratios->cell[3], "7.64"); /* by the paper's seconds */
    assert_string_equal(ratios->cell[7 * ratios->columns + 3], "0.415");
    assert_string_equal(table->cell[2], "62.2");
    assert_int_equal(result->reports, 5);
    check_files(result);
    repro_result_free(result);
    unlink(in_folder("data/madelon.csv"));
    unlink(in_folder("data/colon-cancer.csv"));
}

static void test_list(void **state)
{
    (void)state;
    repro_report *report = NULL;
    write_small_data();
    assert_ok(repro_list(&report, NULL));
    assert_int_equal(report->table[0]->rows, 17);
    assert_string_equal(report->table[0]->cell[4], "");
    repro_report_free(report);
    assert_ok(repro_list(&report, in_folder("data")));
    assert_string_equal(report->table[0]->cell[4], "missing");
    assert_int_equal(strncmp(report->table[0]->cell[6 * 6 + 4], "differs (", 9), 0);
    repro_report_free(report);
}

static void refuses(const char *name, const char *data, const char *output, gersh_status status,
                    const char *part)
{
    repro_result *result = NULL;
    repro_options options = {.data = data, .output = output, .quick = 1};
    assert_int_equal(repro_tables(&result, name, NULL, &options), status);
    assert_null(result);
    if (strstr(repro_error(), part) == NULL)
        fail_msg("'%s' lacks '%s'", repro_error(), part);
}

static void test_refusals(void **state)
{
    (void)state;
    write_small_data();
    refuses("objectivs", NULL, NULL, GERSH_ERROR_ARGUMENT, "did you mean 'objectives'?");
    refuses("objectives", NULL, NULL, GERSH_ERROR_ARGUMENT, "--data");
    mkdir(in_folder("empty"), 0777);
    refuses("all", in_folder("empty"), NULL, GERSH_ERROR_INPUT, "has none of the paper's data sets");
    refuses("all", in_folder("nowhere"), NULL, GERSH_ERROR_INPUT, "has none of the paper's data sets");
    refuses("objectives", in_folder("data"), in_folder("data/heart.csv"), GERSH_ERROR_IO,
            "is not a folder");
    refuses("gdpa", NULL, in_folder("no/such/place"), GERSH_ERROR_IO, "the folder cannot be made");
    FILE *file = fopen(in_folder("data/heart.csv"), "w");
    fputs("1,2,1\n3,x,2\n", file);
    fclose(file);
    refuses("objectives", in_folder("data"), NULL, GERSH_ERROR_INPUT, "heart.csv: line 2");
    write_small_data();
}

static void test_cancel(void **state)
{
    (void)state;
    gersh_cancel cancel = {1};
    repro_result *result = NULL;
    repro_options options = {.data = in_folder("data"), .quick = 1, .cancel = &cancel};
    write_small_data();
    assert_ok(repro_tables(&result, "all", NULL, &options));
    assert_int_equal(result->interrupted, 1);
    assert_int_equal(result->computed, 0);
    assert_int_equal(find_claim(result, "SGML has the most best values (mcml)")->verdict, REPRO_CLAIM_OPEN);
    assert_int_equal(find_table(result, "objectives")->rows, 0);
    repro_result_free(result);
}

typedef struct watch {
    double done;
    size_t calls;
} watch;

static void on_progress(void *context, const repro_progress *now)
{
    watch *w = context;
    assert_true(now->done >= w->done - 1e-12 && now->done <= 1);
    assert_true(now->seconds >= 0);
    assert_non_null(now->what);
    w->done = now->done;
    w->calls++;
}

static void test_progress(void **state)
{
    (void)state;
    watch w = {0};
    repro_result *result = NULL;
    repro_options options = {
        .data = in_folder("data"), .quick = 1, .progress = on_progress, .progress_context = &w};
    write_small_data();
    assert_ok(repro_tables(&result, "objectives", NULL, &options));
    assert_true(w.calls >= 2 * CELLS);
    assert_true(w.done > 0.9);
    repro_result_free(result);
}

/* Each allocation fails in turn, or every step-th of them: a status, no crash, no leak. */
static void sweep(const char *name, const char *data, const char *output, long step)
{
    long count = 0;
    for (long n = 1; n == 1 || count >= n; n += step) {
        repro_result *result = NULL;
        repro_options options = {.data = data, .output = output, .quick = 1, .fresh = 1};
        fail_allocation(n);
        gersh_status status = repro_tables(&result, name, NULL, &options);
        count = fail_allocation(0);
        assert_int_equal(status == GERSH_OK, result != NULL);
        assert_true(status == GERSH_OK || status == GERSH_ERROR_MEMORY);
        repro_result_free(result);
    }
}

static void test_no_memory(void **state)
{
    (void)state;
    long step = getenv("GERSH_TEST_QUICK") != NULL ? 50 : 1;
    mkdir(in_folder("few"), 0777);
    write_small_data();
    rename(in_folder("data/heart.csv"), in_folder("few/heart.csv"));
    sweep("gdpa", NULL, in_folder("sweep"), step);
    sweep("objectives", in_folder("few"), in_folder("sweep"), 401 * step);
    sweep("low-rank", in_folder("data"), in_folder("sweep"), 97 * step);
    sweep("runtime", in_folder("few"), in_folder("sweep"), 41 * step);
    long count = 0;
    for (long n = 1; n == 1 || count >= n; n += step) {
        repro_report *report = NULL;
        fail_allocation(n);
        gersh_status status = repro_list(&report, in_folder("data"));
        count = fail_allocation(0);
        assert_true(status == GERSH_OK ? report != NULL : report == NULL);
        repro_report_free(report);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),         cmocka_unit_test(test_paper),
        cmocka_unit_test(test_paper_ratios),  cmocka_unit_test(test_gdpa),
        cmocka_unit_test(test_objectives),    cmocka_unit_test(test_cells),
        cmocka_unit_test(test_damaged_cells), cmocka_unit_test(test_low_rank),
        cmocka_unit_test(test_runtime),       cmocka_unit_test(test_list),
        cmocka_unit_test(test_refusals),      cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_progress),      cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests_name("reproduce", tests, make_work_folder, remove_work_folder);
}
