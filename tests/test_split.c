/* Folds and test splits: every row once, classes spread evenly, decided by the seed. */
#include "check.h"

#include <math.h>

#include "base/alloc.h"
#include "samples.h"

/* Rows of class c (all rows for c < 0) in the part. */
static size_t count_in(const gersh_split *split, const gersh_dataset *data, int part, int c)
{
    size_t count = 0;
    for (size_t i = 0; i < split->rows; i++)
        count += split->part[i] == part && (c < 0 || gersh_dataset_labels(data)[i] == c);
    return count;
}

static void test_folds_property(void **state)
{
    (void)state;
    gersh__random random;
    gersh__random_seed(&random, 21);
    for (int round = 0; round < cases(300); round++) {
        size_t n = 2 + gersh__random_below(&random, 60), classes = gersh__random_below(&random, 6);
        int folds = 2 + (int)gersh__random_below(&random, n - 1);
        gersh_dataset *data = random_data(&random, n, 1, classes);
        gersh_split *split = NULL, *again = NULL;
        unsigned char *seen = calloc(n, 1);
        assert_ok(gersh_split_folds(&split, data, folds, (uint64_t)round));
        assert_ok(gersh_split_folds(&again, data, folds, (uint64_t)round));
        assert_int_equal(split->parts, folds);
        assert_memory_equal(split->part, again->part, n * sizeof *split->part);
        for (int c = -1; c < (int)gersh_dataset_classes(data); c++) {
            size_t least = n, most = 0;
            for (int f = 0; f < folds; f++) {
                size_t count = count_in(split, data, f, c);
                least = count < least ? count : least;
                most = count > most ? count : most;
            }
            assert_true(most - least <= 1);
        }
        for (int f = 0; f < folds; f++) {
            size_t *inside, *outside, in, out;
            assert_ok(gersh_split_rows(&inside, &in, split, f, 1));
            assert_ok(gersh_split_rows(&outside, &out, split, f, 0));
            assert_int_equal(in + out, n);
            assert_true(in > 0 && out > 0);
            for (size_t i = 0; i < in; i++) {
                assert_true(i == 0 || inside[i] > inside[i - 1]);
                assert_int_equal(seen[inside[i]]++, 0);
            }
            for (size_t i = 0; i < out; i++)
                assert_true(split->part[outside[i]] != f && (i == 0 || outside[i] > outside[i - 1]));
            free(inside);
            free(outside);
        }
        for (size_t i = 0; i < n; i++)
            assert_int_equal(seen[i], 1);
        free(seen);
        gersh_split_free(split);
        gersh_split_free(again);
        gersh_dataset_free(data);
    }
}

static void test_test_split_property(void **state)
{
    (void)state;
    gersh__random random;
    gersh__random_seed(&random, 22);
    for (int round = 0; round < cases(1000); round++) {
        size_t n = 2 + gersh__random_below(&random, 40), classes = gersh__random_below(&random, 6);
        double share = 0.01 + 0.98 * gersh__random_uniform(&random);
        gersh_dataset *data = random_data(&random, n, 1, classes);
        gersh_split *split = NULL, *again = NULL;
        size_t test = (size_t)floor(share * (double)n + 0.5);
        gersh_status status = gersh_split_test(&split, data, share, (uint64_t)round);
        if (test == 0 || test == n) {
            assert_int_equal(status, GERSH_ERROR_ARGUMENT);
            assert_null(split);
            gersh_dataset_free(data);
            continue;
        }
        assert_int_equal(status, GERSH_OK);
        assert_int_equal(split->parts, 2);
        assert_ok(gersh_split_test(&again, data, share, (uint64_t)round));
        assert_memory_equal(split->part, again->part, n * sizeof *split->part);
        assert_int_equal(count_in(split, data, 1, -1), test);
        assert_int_equal(count_in(split, data, 0, -1), n - test);
        /* Shares are right to one row, but for the row that a class of two or more keeps for training. */
        int large = 0, emptied = 0;
        for (int c = 0; c < (int)gersh_dataset_classes(data); c++) {
            size_t in = count_in(split, data, 1, c), size = in + count_in(split, data, 0, c);
            double exact = (double)test * (double)size / (double)n;
            assert_true(fabs((double)in - exact) < 1 + (share > 0.5 ? (double)classes : 0));
            large += size >= 2;
            emptied += size >= 2 && in == size;
        }
        if (n - test >= (size_t)large)
            assert_int_equal(emptied, 0);
        gersh_split_free(split);
        gersh_split_free(again);
        gersh_dataset_free(data);
    }
}

static void test_split_seeds_and_errors(void **state)
{
    (void)state;
    gersh__random random;
    gersh__random_seed(&random, 1);
    gersh_dataset *data = random_data(&random, 50, 1, 3), *one = random_data(&random, 1, 1, 1);
    gersh_split *a = NULL, *b = NULL;
    size_t *rows, count;
    assert_ok(gersh_split_folds(&a, data, 5, 1));
    assert_ok(gersh_split_folds(&b, data, 5, 2));
    assert_memory_not_equal(a->part, b->part, 50 * sizeof *a->part);
    assert_int_equal(gersh_split_rows(&rows, &count, a, 5, 1), GERSH_ERROR_ARGUMENT);
    assert_string_equal(gersh_last_error(), "part 5 is asked for but the parts are 0 to 4");
    assert_int_equal(gersh_split_rows(&rows, &count, a, -1, 1), GERSH_ERROR_ARGUMENT);
    gersh_split_free(a);
    gersh_split_free(b);
    assert_ok(gersh_split_test(&a, data, 0.3, 1));
    assert_ok(gersh_split_test(&b, data, 0.3, 2));
    assert_memory_not_equal(a->part, b->part, 50 * sizeof *a->part);
    gersh_split_free(a);
    gersh_split_free(b);
    assert_int_equal(gersh_split_folds(&a, data, 1, 0), GERSH_ERROR_ARGUMENT);
    assert_string_equal(gersh_last_error(), "1 fold is asked for; at least 2 are needed");
    assert_int_equal(gersh_split_folds(&a, data, -3, 0), GERSH_ERROR_ARGUMENT);
    assert_int_equal(gersh_split_folds(&a, data, 51, 0), GERSH_ERROR_ARGUMENT);
    assert_string_equal(
        gersh_last_error(),
        "51 folds are asked for but there are only 50 rows; ask for at most one fold a row");
    assert_int_equal(gersh_split_folds(&a, one, 2, 0), GERSH_ERROR_ARGUMENT);
    static const double shares[] = {0, 1, -0.5, 1.5, NAN, INFINITY, 0.001, 0.999};
    for (size_t s = 0; s < sizeof shares / sizeof *shares; s++) {
        assert_int_equal(gersh_split_test(&a, data, shares[s], 0), GERSH_ERROR_ARGUMENT);
        assert_null(a);
    }
    assert_string_equal(gersh_last_error(),
                        "a share of 0.999 of 50 rows leaves no rows for training; choose another share");
    gersh_split_test(&a, data, 2, 0);
    assert_string_equal(gersh_last_error(), "the share of test rows is 2; it must be above 0 and below 1");
    assert_int_equal(gersh_split_test(&a, one, 0.5, 0), GERSH_ERROR_ARGUMENT);
    gersh_dataset_free(data);
    gersh_dataset_free(one);
    gersh_split_free(NULL);
}

/* Every allocation in turn fails: an error, no leak, and no result. */
static void test_allocation_failures(void **state)
{
    (void)state;
    gersh__random random;
    gersh__random_seed(&random, 2);
    gersh_dataset *data = random_data(&random, 12, 3, 2);
    gersh_split *full = NULL;
    assert_ok(gersh_split_folds(&full, data, 3, 1));
    int unfinished = 1;
    for (long at = 1; unfinished; at++) {
        gersh_split *folds = NULL, *test = NULL;
        size_t *rows = NULL, count;
        gersh_status status[3];
        gersh__alloc_fail_at(at);
        status[0] = gersh_split_folds(&folds, data, 3, 1);
        gersh__alloc_fail_at(at);
        status[1] = gersh_split_test(&test, data, 0.5, 1);
        gersh__alloc_fail_at(at);
        status[2] = gersh_split_rows(&rows, &count, full, 0, 1);
        gersh__alloc_fail_at(0);
        const void *results[] = {folds, test, rows};
        unfinished = 0;
        for (int i = 0; i < 3; i++) {
            assert_true(status[i] == GERSH_OK || status[i] == GERSH_ERROR_MEMORY);
            assert_int_equal(results[i] != NULL, status[i] == GERSH_OK);
            unfinished |= status[i] != GERSH_OK;
        }
        assert_true(at < 100);
        gersh_split_free(folds);
        gersh_split_free(test);
        free(rows);
    }
    gersh_split_free(full);
    gersh_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_folds_property),
        cmocka_unit_test(test_test_split_property),
        cmocka_unit_test(test_split_seeds_and_errors),
        cmocka_unit_test(test_allocation_failures),
    };
    return cmocka_run_group_tests_name("split", tests, NULL, NULL);
}
