/* Tables to data sets: columns, text, missing values, messages; data sets from memory. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "tables.h"

static void test_columns(void **state)
{
    (void)state;
    loads("", "1|2|a;3|4|b;", NULL, "x1 x2 -> a b | 1 2 : 0 | 3 4 : 1");
    loads("u|v|class", "1|2|a;3|4|b;", NULL, "u v -> a b | 1 2 : 0 | 3 4 : 1");
    loads("", "1|2|a;3|4|b;", WITH("ignore", "1"), "x2 -> a b | 2 : 0 | 4 : 1");
    loads("", "a|1|2;b|3|4;", WITH("label", "1"), "x2 x3 -> a b | 1 2 : 0 | 3 4 : 1");
    loads("u|v|w", "1|a|2;3|b|4;", WITH("label", "v"), "u w -> a b | 1 2 : 0 | 3 4 : 1");
    loads("u|v", "1|2;3|4;", WITH("label", "none"), "u v | 1 2 | 3 4");
    loads("a,b|c\"d|v|class", "1|2|3|0;4|5|6|1;", WITH("ignore", "\"a,b\" , \"c\"\"d\""),
          "v -> 0 1 | 3 : 0 | 6 : 1");
    loads("a b|v|class", "1|2|0;3|4|1;", WITH("ignore", " a b "), "v -> 0 1 | 2 : 0 | 4 : 1");
    /* A name wins over a position; "last" is always the last column. */
    loads("2|1|class", "5|6|0;7|8|1;", WITH("ignore", "1"), "2 -> 0 1 | 5 : 0 | 7 : 1");
    loads("last|v|c", "5|6|0;7|8|1;", NULL, "last v -> 0 1 | 5 6 : 0 | 7 8 : 1");
}

static void test_column_errors(void **state)
{
    (void)state;
    const char *rows = "1|2|a;3|4|b;";
    refused("u|width|class", rows, WITH("label", "clas"),
            "--label: there is no column 'clas' in f.csv; did you mean 'class'?");
    refused("u|width|class", rows, WITH("ignore", "u,wdith"),
            "--ignore: there is no column 'wdith' in f.csv; did you mean 'width'?");
    refused("u|width|class", rows, WITH("ignore", "unheard"),
            "--ignore: there is no column 'unheard' in f.csv; its columns are 'u', 'width', 'class'; give "
            "a name "
            "or a position from 1 to 3");
    refused("", rows, WITH("label", "class"),
            "--label: there is no column 'class' in f.csv, whose columns have no names; give a position "
            "from 1 to 3");
    refused("", rows, WITH("label", "9"), "--label: column 9 is asked for but f.csv has 3 columns");
    refused("", rows, WITH("label", "99999999999999999999999"),
            "--label: there is no column '99999999999999999999999' in f.csv, whose columns have no names; "
            "give a "
            "position from 1 to 3");
    refused("", rows, WITH("ignore", "0"), "--ignore: column 0 is asked for but positions count from 1");
    refused("", rows, WITH("ignore", "3"),
            "--ignore: column 3 of f.csv is the label column; name another one with --label, or say "
            "--label none");
    refused("", rows, WITH("ignore", "1,2"),
            "--ignore: every feature of f.csv is ignored; keep at least one");
    refused("", rows, WITH("ignore", "1,,2"),
            "--ignore: there is an empty name in the list; separate names with single commas");
    refused("", rows, WITH("ignore", "1,"),
            "--ignore: there is an empty name in the list; separate names with single commas");
    refused("", rows, WITH("ignore", "\"1"), "--ignore: a quoted name has no closing quote");
    refused("", rows, WITH("ignore", "\"1\"2"),
            "--ignore: a comma is missing after a quoted name; separate names with commas");
    refused("", "a;b;", NULL,
            "f.csv: there are no feature columns: the file has 1 column, which holds the labels; use "
            "--label none "
            "if it does not");
    refused("", rows, WITH("label", "2", "labels", "l.csv"),
            "--label names a column and --labels a file with the labels; give only one of them");
}

static void test_many_names(void **state)
{
    (void)state;
    char names[4000] = "", rows[4000] = "";
    for (int j = 0; j < 200; j++) {
        snprintf(names + strlen(names), sizeof names - strlen(names), "%sn%03d", j ? "|" : "", j);
        snprintf(rows + strlen(rows), sizeof rows - strlen(rows), "%s1", j ? "|" : "");
    }
    strcat(rows, ";");
    refused(
        names, rows, WITH("ignore", "somethingelse"),
        "--ignore: there is no column 'somethingelse' in f.csv; its columns are 'n000', 'n001', 'n002', "
        "'n003', 'n004', 'n005', 'n006', 'n007', 'n008', 'n009' and 190 more; give a name or a position "
        "from 1 "
        "to 200");
}

static void test_text_columns(void **state)
{
    (void)state;
    const char *names = "size|color|class", *rows = "1|red|a;2|blue|b;3|red|a;4||b;";
    refused(names, rows, NULL,
            "f.csv: line 3, column 2 ('color'): 'red' is not a number; use --categorical onehot for text "
            "columns, "
            "or --ignore color");
    refused("", "1|2|a;3|red|b;", NULL,
            "f.csv: line 5, column 2: 'red' is not a number; use --categorical onehot for text columns, or "
            "--ignore 2");
    refused("a, b|class", "1|a;red|b;", NULL,
            "f.csv: line 5, column 1 ('a, b'): 'red' is not a number; use --categorical onehot for text "
            "columns, "
            "or --ignore 1");
    refused("", "1|2|a;3|1,5|b;", NULL,
            "f.csv: line 5, column 2: '1,5' has a decimal comma; write numbers with a point");
    refused(names, rows, WITH("categorical", "onehot"),
            "f.csv: line 9, column 2 ('color'): the value is missing; use --missing mean or --missing zero "
            "to fill "
            "it in");
    loads(names, rows, WITH("categorical", "onehot", "missing", "zero"),
          "size color=blue color=red -> a b | 1 0 1 : 0 | 2 1 0 : 1 | 3 0 1 : 0 | 4 0 0 : 1");
    loads(names, rows, WITH("categorical", "onehot", "missing", "mean"),
          "size color=blue color=red -> a b | 1 0 1 : 0 | 2 1 0 : 1 | 3 0 1 : 0 | 4 0.333333 0.666667 : 1");
    loads(names, rows, WITH("ignore", "color"), "size -> a b | 1 : 0 | 2 : 1 | 3 : 0 | 4 : 1");
    /* Numbers among the words: the same number is the same value, and order is by bytes. */
    loads("", "10|a;9|b;x|a;9.0|b;", WITH("categorical", "onehot"),
          "x1=10 x1=9 x1=x -> a b | 1 0 0 : 0 | 0 1 0 : 1 | 0 0 1 : 0 | 0 1 0 : 1");
}

/* A nominal column of numbers, with a declared value that no row has, as an ARFF file may hold it. */
static void test_named_text(void **state)
{
    (void)state;
    gersh_settings *settings = settings_of(WITH("label", "none"));
    gersh_dataset *data = NULL;
    gersh__table *table = make_table("n|u", "10|1;2|2;2|3;", settings);
    gersh__column *column = &table->column[0];
    column->text = column->named_text = 1;
    gersh__words_add(&column->words, "7", 1);
    for (size_t i = 0; i < 3; i++)
        table->cells[2 * i] = (double)gersh__words_add(&column->words, i ? "2" : "10", i ? 1 : 2);
    assert_int_equal(gersh__dataset_from_table(&data, table, NULL, settings), GERSH_ERROR_INPUT);
    assert_string_equal(gersh_last_error(),
                        "f.csv: column 1 ('n'): the file declares this column as text; use "
                        "--categorical onehot for text columns, or --ignore n");
    assert_ok(gersh_settings_set(settings, "categorical", "onehot"));
    assert_ok(gersh__dataset_from_table(&data, table, NULL, settings));
    assert_data(data, "n=2 n=10 u | 0 1 1 | 1 0 2 | 1 0 3");
    gersh_dataset_free(data);

    /* As a label, a declared text is a class whatever it looks like, and only classes with rows count. */
    table->label = 0;
    assert_ok(gersh__dataset_from_table(&data, table, NULL, settings));
    assert_data(data, "u -> 2 10 | 1 : 1 | 2 : 0 | 3 : 0");
    gersh_dataset_free(data);

    for (size_t i = 0; i < 3; i++)
        table->cells[2 * i] = NAN;
    table->label = GERSH__NONE;
    assert_ok(gersh_settings_set(settings, "missing", "zero"));
    assert_int_equal(gersh__dataset_from_table(&data, table, NULL, settings), GERSH_ERROR_INPUT);
    assert_string_equal(gersh_last_error(),
                        "f.csv: column 1 ('n'): the column has no values at all; use --ignore n");
    gersh__table_free(table);
    gersh_settings_free(settings);
}

static void test_missing(void **state)
{
    (void)state;
    const char *rows = "1||a;|4|b;5|8|a;";
    refused("", rows, NULL,
            "f.csv: line 3, column 2: the value is missing; use --missing mean or --missing zero to fill "
            "it in");
    refused("u|v|c", "1|2|a;|4|;", NULL,
            "f.csv: line 5, column 1 ('u'): the value is missing; use --missing mean or --missing zero to "
            "fill it in");
    gersh_dataset *data = load("", rows, WITH("missing", "mean"));
    assert_data(data, "x1 x2 -> a b | 1 6 : 0 | 3 4 : 1 | 5 8 : 0");
    assert_int_equal(gersh_dataset_filled(data), 2);
    assert_string_equal(gersh_dataset_format(data), "csv");
    gersh_dataset_free(data);
    loads("", rows, WITH("missing", "zero"), "x1 x2 -> a b | 1 0 : 0 | 0 4 : 1 | 5 8 : 0");
    loads("", "|a;1|b;", WITH("missing", "mean"), "x1 -> a b | 1 : 0 | 1 : 1");
    loads("", "1||a;2||b;", WITH("missing", "zero"), "x1 x2 -> a b | 1 0 : 0 | 2 0 : 1");
    refused(
        "u|v|c", "1||a;2||b;", WITH("missing", "mean"),
        "f.csv: column 2 ('v'): the column has no values, so no mean; use --missing zero or --ignore v");
    /* A missing value of an ignored column does not matter; a missing label always does. */
    loads("", rows, WITH("ignore", "1,2", "label", "none", "categorical", "onehot"),
          "x3=a x3=b | 1 0 | 0 1 | 1 0");
    refused("u|c", "1|a;2|;", WITH("missing", "zero"),
            "f.csv: line 5, column 2 ('c'): the label is missing; complete it or remove the row, or choose "
            "another "
            "column with --label");
    /* The mean of huge values is within their range. */
    data = load("", "1.5e308|0;1.7e308|1;|1;", WITH("missing", "mean"));
    assert_true(fabs(gersh_dataset_values(data)[2] - 1.6e308) < 1e294);
    gersh_dataset_free(data);
}

static void test_tables_without_lines(void **state)
{
    (void)state;
    gersh_settings *settings = settings_of(WITH("label", "none"));
    gersh__table *table = make_table("", "1|2;3|;5|6;", settings);
    gersh_dataset *data = NULL;
    gersh__free(table->lines);
    table->lines = NULL;
    assert_int_equal(gersh__dataset_from_table(&data, table, NULL, settings), GERSH_ERROR_INPUT);
    assert_string_equal(gersh_last_error(),
                        "f.csv: column 2: row 2: the value is missing; use --missing mean or "
                        "--missing zero to fill it in");
    table->cells[3] = -INFINITY;
    assert_int_equal(gersh__dataset_from_table(&data, table, NULL, settings), GERSH_ERROR_INPUT);
    assert_string_equal(gersh_last_error(),
                        "f.csv: column 2: row 2: the value is infinite; values must be finite numbers");
    table->rows = 0;
    assert_int_equal(gersh__dataset_from_table(&data, table, NULL, settings), GERSH_ERROR_INPUT);
    assert_string_equal(gersh_last_error(), "f.csv: there are no rows of data");
    gersh__table_free(table);
    gersh_settings_free(settings);
}

static void test_names_and_messages(void **state)
{
    (void)state;
    gersh__table *table = make_table("a|b|a", "1|2|3;", NULL);
    assert_int_equal(gersh__table_check_names(table), GERSH_ERROR_INPUT);
    assert_string_equal(gersh_last_error(),
                        "f.csv: columns 1 and 3 are both named 'a'; give each column its own "
                        "name, or say --header no if the first line is data");
    table->column[2].name[0] = 'A';
    assert_ok(gersh__table_check_names(table));
    assert_int_equal(gersh__table_fail(table, 0, GERSH__NONE, "it is %d", 3), GERSH_ERROR_INPUT);
    assert_string_equal(gersh_last_error(), "f.csv: it is 3");
    gersh__table_fail(table, 4, GERSH__NONE, "odd");
    assert_string_equal(gersh_last_error(), "f.csv: line 4: odd");
    gersh__table_fail(table, 4, 9, "odd");
    assert_string_equal(gersh_last_error(), "f.csv: line 4, column 10: odd");
    gersh__table_fail(table, 0, 1, "odd");
    assert_string_equal(gersh_last_error(), "f.csv: column 2 ('b'): odd");
    gersh__table_free(table);
    gersh__table_free(NULL);
    table = make_table("", "1|2|3;", NULL);
    assert_ok(gersh__table_check_names(table));
    gersh__table_free(table);
}

static void test_new(void **state)
{
    (void)state;
    double x[] = {1, 2, 99, 3, 4, 99, 5, 6, 99};
    const char *labels[] = {"10", "9", "10.0"}, *names[] = {"u", "v"}, *broken[] = {"a", NULL, "b"};
    double targets[] = {1, 1, 2};
    gersh_dataset *data = NULL, *part = NULL;
    assert_ok(gersh_dataset_new(&data, 3, 2, x, 3, labels, NULL, names));
    assert_data(data, "u v -> 9 10 | 1 2 : 1 | 3 4 : 0 | 5 6 : 1");
    assert_string_equal(gersh_dataset_format(data), "memory");
    assert_null(gersh_dataset_feature_name(data, 2));
    assert_null(gersh_dataset_class_name(data, 2));
    assert_ok(gersh_dataset_check(data));
    size_t rows[] = {2, 0, 2}, wrong[] = {0, 3};
    assert_ok(gersh_dataset_subset(&part, data, rows, 3));
    assert_data(part, "u v -> 9 10 | 5 6 : 1 | 1 2 : 1 | 5 6 : 1");
    assert_int_equal(gersh_dataset_check(part), GERSH_ERROR_INPUT);
    assert_string_equal(gersh_last_error(),
                        "all 3 rows have the label '10'; learning needs at least two classes");
    gersh_dataset_free(part);
    assert_int_equal(gersh_dataset_subset(&part, data, wrong, 2), GERSH_ERROR_ARGUMENT);
    assert_string_equal(gersh_last_error(),
                        "row 3 (counted from 0) is asked for but the data set has 3 rows");
    assert_int_equal(gersh_dataset_subset(&part, data, wrong, 0), GERSH_ERROR_ARGUMENT);
    assert_null(part);
    assert_ok(gersh_dataset_subset(&part, data, rows, 1));
    assert_int_equal(gersh_dataset_check(part), GERSH_ERROR_INPUT);
    assert_string_equal(gersh_last_error(), "there is only one row; learning needs at least two");
    gersh_dataset_free(part);
    gersh_dataset_free(data);

    assert_ok(gersh_dataset_new(&data, 3, 2, x, 3, NULL, targets, NULL));
    assert_data(data, "x1 x2 | 1 2 : 1 | 3 4 : 1 | 5 6 : 2");
    assert_ok(gersh_dataset_check(data));
    assert_ok(gersh_dataset_subset(&part, data, (size_t[]){1, 0}, 2));
    assert_int_equal(gersh_dataset_check(part), GERSH_ERROR_INPUT);
    assert_string_equal(gersh_last_error(),
                        "all 2 rows have the target 1; learning needs at least two different targets");
    gersh_dataset_free(part);
    gersh_dataset_free(data);

    assert_ok(gersh_dataset_new(&data, 3, 3, x, 3, NULL, NULL, NULL));
    assert_int_equal(gersh_dataset_check(data), GERSH_ERROR_INPUT);
    assert_string_equal(gersh_last_error(),
                        "there are no labels; name the column that holds them with --label");
    gersh_dataset_free(data);

    assert_int_equal(gersh_dataset_new(&data, 3, 2, x, 3, labels, targets, NULL), GERSH_ERROR_ARGUMENT);
    assert_int_equal(gersh_dataset_new(&data, 0, 2, x, 3, NULL, NULL, NULL), GERSH_ERROR_ARGUMENT);
    assert_int_equal(gersh_dataset_new(&data, 3, 0, x, 3, NULL, NULL, NULL), GERSH_ERROR_ARGUMENT);
    assert_int_equal(gersh_dataset_new(&data, 3, 4, x, 3, NULL, NULL, NULL), GERSH_ERROR_ARGUMENT);
    assert_int_equal(gersh_dataset_new(&data, 3, 2, x, 3, broken, NULL, NULL), GERSH_ERROR_ARGUMENT);
    assert_string_equal(gersh_last_error(), "row 2: the label is NULL; every row needs a label");
    assert_int_equal(gersh_dataset_new(&data, 3, 2, x, 3, NULL, NULL, broken), GERSH_ERROR_ARGUMENT);
    x[4] = NAN;
    assert_int_equal(gersh_dataset_new(&data, 3, 2, x, 3, NULL, NULL, names), GERSH_ERROR_INPUT);
    assert_string_equal(gersh_last_error(),
                        "row 2, feature 'v': the value is not a number; all values must be finite");
    x[4] = 1;
    targets[2] = INFINITY;
    assert_int_equal(gersh_dataset_new(&data, 3, 2, x, 3, NULL, targets, NULL), GERSH_ERROR_INPUT);
    assert_string_equal(gersh_last_error(), "row 3: the target is infinite; all targets must be finite");
    assert_int_equal(gersh_dataset_new(&data, 2, SIZE_MAX / 2, x, SIZE_MAX, NULL, NULL, NULL),
                     GERSH_ERROR_MEMORY);
    assert_null(data);
    gersh_dataset_free(NULL);
}

/* Every allocation in turn fails: an error, no leak, and no half-built result. */
static void test_allocation_failures(void **state)
{
    (void)state;
    gersh_settings *settings =
        settings_of(WITH("label", "4", "categorical", "onehot", "missing", "mean", "ignore", "5"));
    gersh__table *table =
        make_table("a|b|c|d|e", "1|red|1|x|0;2||2|y|0;|blue|3|x|0;4|red|4|z|0;", settings);
    gersh__table *labels = make_table("", "1;2;2;1;", NULL);
    double x[] = {1, 2, 3, 4};
    const char *words[] = {"a", "b", "c", "a"};
    int done[5] = {0};
    for (long at = 1; !(done[0] && done[1] && done[2] && done[3] && done[4]); at++) {
        gersh_dataset *data = NULL, *part = NULL;
        for (int what = 0; what < 5; what++) {
            gersh_status status;
            size_t column, keep = table->label;
            if (what == 1)
                assert_ok(gersh_dataset_new(&part, 4, 1, x, 1, words, NULL, NULL));
            table->label = what == 3 ? GERSH__NONE : keep;
            gersh__alloc_fail_at(at);
            if (what == 0)
                status = gersh__dataset_from_table(&data, table, NULL, settings);
            else if (what == 1)
                status = gersh_dataset_subset(&data, part, (size_t[]){1, 0}, 2);
            else if (what == 2)
                status = gersh_dataset_new(&data, 4, 1, x, 1, words, NULL, NULL);
            else if (what == 3)
                status = gersh__dataset_from_table(&data, table, labels, settings);
            else
                status = gersh__table_check_names(table);
            if (what == 4 && status == GERSH_OK)
                status = gersh__table_find(&column, table, "--x", "zzz") == GERSH_ERROR_MEMORY
                             ? GERSH_ERROR_MEMORY
                             : GERSH_OK;
            gersh__alloc_fail_at(0);
            table->label = keep;
            assert_true(status == GERSH_OK || status == GERSH_ERROR_MEMORY);
            assert_int_equal(data != NULL, status == GERSH_OK && what < 4);
            done[what] = status == GERSH_OK;
            gersh_dataset_free(data);
            data = NULL;
            gersh_dataset_free(part);
            part = NULL;
        }
        assert_true(at < 1000);
    }
    gersh__table_free(table);
    gersh__table_free(labels);
    gersh_settings_free(settings);
}

/* A model has each name once, so data has too: names given twice, none, and the place of a column without a name. */
static void names_differ(void **state)
{
    (void)state;
    static const struct {
        const char *names[3], *message;
    } known[] = {
        {{"a", "b", "a"},
         "features: numbers 1 and 3 have the same name, 'a'; give each one a name of its own"},
        {{"a", "", "b"}, "features: number 2 has no name; give each one a name"},
        {{"a", "\x9B", "\x9B"},
         "features: numbers 2 and 3 have the same name, '\\x9B'; give each one a name of its own"},
    };
    const double x[] = {1, 2, 3, 4, 5, 6};
    gersh_dataset *data = NULL;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        assert_int_equal(gersh_dataset_new(&data, 2, 3, x, 3, NULL, NULL, known[i].names),
                         GERSH_ERROR_INPUT);
        assert_string_equal(gersh_last_error(), known[i].message);
        assert_null(data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_differ),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_column_errors),
        cmocka_unit_test(test_many_names),
        cmocka_unit_test(test_text_columns),
        cmocka_unit_test(test_named_text),
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_tables_without_lines),
        cmocka_unit_test(test_names_and_messages),
        cmocka_unit_test(test_new),
        cmocka_unit_test(test_allocation_failures),
    };
    return cmocka_run_group_tests_name("data", tests, NULL, NULL);
}
