/* Class labels and targets of tables, and the distinct values among words. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "data/build.h"
#include "tables.h"

static void test_labels(void **state)
{
    (void)state;
    loads("", "1|1.0;2|1;3|1.00E+00;4|+1;5|-2;6|.1e1;", NULL,
          "x1 -> -2 1.0 | 1 : 1 | 2 : 1 | 3 : 1 | 4 : 1 | 5 : 0 | 6 : 1");
    loads("", "1|10;2|9;3|-0;4|0.0e7;", NULL, "x1 -> -0 9 10 | 1 : 2 | 2 : 1 | 3 : 0 | 4 : 0");
    loads("", "1|10;2|9;3|a;4|9.0;", NULL, "x1 -> 10 9 a | 1 : 0 | 2 : 1 | 3 : 2 | 4 : 1");
    loads("", "1|b;2|B;3|\xc3\xa4;", NULL, "x1 -> B b \xc3\xa4 | 1 : 1 | 2 : 0 | 3 : 2");
    /* Long identifiers that are the same double are still different labels. */
    loads("", "1|12345678901234567892;2|12345678901234567891;3|12345678901234567891.0;", NULL,
          "x1 -> 12345678901234567891 12345678901234567892 | 1 : 1 | 2 : 0 | 3 : 0");
    loads("", "1|100;2|1e2;3|1000e-1;4|0100;5|0.001e5;", NULL,
          "x1 -> 100 | 1 : 0 | 2 : 0 | 3 : 0 | 4 : 0 | 5 : 0");
    loads("", "1|1e-400;2|0;", WITH("task", "classify"), "x1 -> 0 1e-400 | 1 : 1 | 2 : 0");
}

static void test_task(void **state)
{
    (void)state;
    loads("", "1|0.5;2|1;", NULL, "x1 | 1 : 0.5 | 2 : 1");
    loads("", "1|0.5;2|1;", WITH("task", "classify"), "x1 -> 0.5 1 | 1 : 0 | 2 : 1");
    loads("", "1|3;2|4;", WITH("task", "regress"), "x1 | 1 : 3 | 2 : 4");
    refused("u|c", "1|3;2|tall;", WITH("task", "regress"),
            "f.csv: line 5, column 2 ('c'): the label 'tall' is not a number; --task regress needs "
            "numbers, or say "
            "--task classify");
    refused("", "1|3;2|1e999;", WITH("task", "regress"),
            "f.csv: line 5, column 2: the label '1e999' is not a finite number; --task regress needs "
            "numbers, or "
            "say --task classify");
    /* Whole numbers: classes up to 20 of them, or up to half of the rows. */
    for (int distinct = 19; distinct <= 23; distinct++) {
        for (int rows = distinct; rows <= 2 * distinct + 2; rows++) {
            char text[1000] = "";
            for (int i = 0; i < rows; i++)
                snprintf(text + strlen(text), sizeof text - strlen(text), "1|%d;", i % distinct);
            gersh_dataset *data = load("", text, NULL);
            int classes = distinct <= 20 || rows >= 2 * distinct;
            assert_int_equal(gersh_dataset_labels(data) != NULL, classes);
            assert_int_equal(gersh_dataset_targets(data) == NULL, classes);
            assert_int_equal(gersh_dataset_classes(data), classes ? distinct : 0);
            gersh_dataset_free(data);
        }
    }
}

/* Numeric label cells, as an NPY file gives them, and a separate table of labels. */
static void test_numeric_labels(void **state)
{
    (void)state;
    gersh_settings *none = settings_of(WITH("label", "none"));
    gersh__table *table = make_table("", "1|2;3|4;5|6;7|8;", none), *three = make_table("", "1;1;2;", none);
    gersh_dataset *data = NULL;
    double values[] = {0.1, 1.0 / 3, 1e22, -0.0};
    table->label = 1;
    for (int i = 0; i < 4; i++)
        table->cells[2 * i + 1] = values[i];
    gersh_settings *classify = settings_of(WITH("task", "classify"));
    assert_ok(gersh__dataset_from_table(&data, table, NULL, classify));
    assert_data(data, "x1 -> 0 0.1 0.3333333333333333 1e+22 | 1 : 1 | 3 : 2 | 5 : 3 | 7 : 0");
    gersh_dataset_free(data);
    assert_ok(gersh__dataset_from_table(&data, table, NULL, NULL));
    for (int i = 0; i < 4; i++)
        assert_true(gersh_dataset_targets(data)[i] == values[i]);
    gersh_dataset_free(data);
    table->cells[3] = INFINITY;
    assert_int_equal(gersh__dataset_from_table(&data, table, NULL, NULL), GERSH_ERROR_INPUT);
    assert_string_equal(gersh_last_error(),
                        "f.csv: line 5, column 2: the label is infinite; labels must be finite numbers");
    table->cells[3] = 4;
    assert_int_equal(gersh__dataset_from_table(&data, table, three, NULL), GERSH_ERROR_INPUT);
    assert_string_equal(gersh_last_error(),
                        "f.csv: column 2: the file has labels of its own; leave out --labels to use them");
    table->label = GERSH__NONE;
    assert_int_equal(gersh__dataset_from_table(&data, table, three, NULL), GERSH_ERROR_INPUT);
    assert_string_equal(gersh_last_error(),
                        "f.csv: --labels needs one label for each row, but there are 3 labels "
                        "and 4 rows in f.csv");
    assert_int_equal(gersh__dataset_from_table(&data, three, table, NULL), GERSH_ERROR_INPUT);
    assert_string_equal(gersh_last_error(),
                        "f.csv: --labels needs a file with one label a row, but this one has 2 columns");
    table->rows = 3;
    assert_ok(gersh__dataset_from_table(&data, table, three, NULL));
    assert_int_equal(gersh_dataset_features(data), 2);
    assert_int_equal(gersh_dataset_classes(data), 2);
    gersh_dataset_free(data);
    gersh__table_free(three);
    three = make_table("", "a;b;a;", NULL);
    assert_ok(gersh__dataset_from_table(&data, table, three, NULL));
    assert_data(data, "x1 x2 -> a b | 1 0.1 : 0 | 3 4 : 1 | 5 1e+22 : 0");
    gersh_dataset_free(data);
    gersh__table_free(three);
    gersh__table_free(table);
    gersh_settings_free(none);
    gersh_settings_free(classify);
}

/* The order of values against the plain rule, on random words. */
static void test_values_property(void **state)
{
    (void)state;
    static const char *const pool[] = {"1",  "1.0", "01", "-3",  "2e1", "20", "0.5", "5e-1", "-3.00", "1e1",
                                       "10", "x",   "",   "inf", "nan", "z",  "7",   "-0.0", "0"};
    gersh__random random;
    gersh__random_seed(&random, 11);
    for (int round = 0; round < cases(500); round++) {
        gersh__words words = {0};
        gersh__values values;
        size_t limit = gersh__random_below(&random, 2) ? 19 : 11; /* the first 11 are numbers */
        for (int i = 0; i < 8; i++) {
            const char *text = pool[gersh__random_below(&random, limit)];
            gersh__words_add(&words, text, strlen(text));
        }
        assert_ok(gersh__values_find(&values, &words, NULL));
        for (size_t a = 0; a < words.count; a++) {
            for (size_t b = 0; b < words.count; b++) {
                char *end_a, *end_b;
                double x = strtod(words.word[a], &end_a), y = strtod(words.word[b], &end_b);
                int numbers =
                    *words.word[a] && *words.word[b] && !*end_a && !*end_b && isfinite(x) && isfinite(y);
                assert_int_equal(values.of_word[a] == values.of_word[b], a == b || (numbers && x == y));
                if (values.numeric && x < y)
                    assert_true(values.of_word[a] < values.of_word[b]);
            }
        }
        for (size_t v = 1; v < values.count && !values.numeric; v++)
            assert_true(strcmp(values.name[v - 1], values.name[v]) < 0);
        for (size_t w = words.count; w-- > 0;) /* the first spelling names the value */
            if (strcmp(values.name[values.of_word[w]], words.word[w]) != 0) {
                size_t first = 0;
                while (values.of_word[first] != values.of_word[w])
                    first++;
                assert_true(first < w);
                assert_string_equal(values.name[values.of_word[w]], words.word[first]);
            }
        gersh__values_clear(&values);
        gersh__words_clear(&words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_task),
        cmocka_unit_test(test_numeric_labels),
        cmocka_unit_test(test_values_property),
    };
    return cmocka_run_group_tests_name("labels", tests, NULL, NULL);
}
