/* Weights of rows: from a column of a table, from memory, and through copies of a data set. */
#include "tables.h"

#define NAMES "size|w|class"
#define ROWS "1|2|a;2|0|b;3|0.5|a;"

static void a_column_gives_the_weights(void **state)
{
    (void)state;
    for (int by_position = 0; by_position < 2; by_position++) {
        gersh_dataset *data = load(NAMES, ROWS, WITH("weights", by_position ? "2" : "w")), *part = NULL;
        assert_data(data, "size -> a b | 1 : 0 | 2 : 1 | 3 : 0");
        const double *w = gersh_dataset_weights(data);
        assert_true(w[0] == 2 && w[1] == 0 && w[2] == 0.5);
        assert_ok(gersh_dataset_subset(&part, data, (const size_t[]){2, 0}, 2));
        assert_true(gersh_dataset_weights(part)[0] == 0.5 && gersh_dataset_weights(part)[1] == 2);
        gersh_dataset_free(part);
        gersh_dataset_free(data);
    }
    gersh_dataset *data = load(NAMES, ROWS, WITH("weights", ""));
    assert_null(gersh_dataset_weights(data));
    assert_int_equal(gersh_dataset_features(data), 2);
    gersh_dataset_free(data);
}

static void bad_weights_are_refused(void **state)
{
    (void)state;
    refused(NAMES, ROWS, WITH("weights", "importance"),
            "--weights: there is no column 'importance' in f.csv; its columns are 'size', 'w', 'class'; "
            "give a name "
            "or a "
            "position from 1 to 3");
    refused(NAMES, ROWS, WITH("weights", "class"),
            "--weights: column 3 of f.csv is the label column; name another column");
    refused(NAMES, ROWS, WITH("weights", "w", "ignore", "w"),
            "--weights: column 2 of f.csv is ignored; name another column");
    refused(NAMES, "1|2|a;2|-1|b;", WITH("weights", "w"),
            "f.csv: line 5, column 2 ('w'): the weight is -1; weights must be finite and at least 0");
    refused(NAMES, "1|2|a;2||b;", WITH("weights", "w", "missing", "zero"),
            "f.csv: line 5, column 2 ('w'): the weight is missing; every row needs one");
    refused(NAMES, "1|2|a;2|much|b;", WITH("weights", "w"),
            "f.csv: line 5, column 2 ('w'): the weight is 'much'; weights must be numbers");
    refused(NAMES, "1|0|a;2|0|b;", WITH("weights", "w"),
            "f.csv: column 2 ('w'): all weights are 0; at least one must be positive");
    refused("w|class", "1|a;2|b;", WITH("weights", "w"),
            "f.csv: no feature columns are left beside the label and the weights");
}

static void weights_are_set_in_memory(void **state)
{
    (void)state;
    gersh_dataset *data = load(NAMES, ROWS, NULL);
    assert_ok(gersh_dataset_set_weights(data, (const double[]){1, 2, 0}));
    assert_int_equal(gersh_dataset_set_weights(data, (const double[]){1, NAN, 0}), GERSH_ERROR_INPUT);
    assert_string_equal(gersh_last_error(),
                        "row 2: the weight is nan; weights must be finite and at least 0");
    assert_int_equal(gersh_dataset_set_weights(data, (const double[]){0, 0, 0}), GERSH_ERROR_INPUT);
    gersh__alloc_fail_at(1);
    assert_int_equal(gersh_dataset_set_weights(data, (const double[]){5, 5, 5}), GERSH_ERROR_MEMORY);
    gersh__alloc_fail_at(0);
    assert_true(gersh_dataset_weights(data)[1] == 2); /* a failure changes nothing */
    assert_ok(gersh_dataset_set_weights(data, NULL));
    assert_null(gersh_dataset_weights(data));
    gersh_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_column_gives_the_weights),
        cmocka_unit_test(bad_weights_are_refused),
        cmocka_unit_test(weights_are_set_in_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
