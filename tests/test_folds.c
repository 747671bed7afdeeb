/* The paper's folds: what is in them, which are skipped, and their noise. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "experiment/folds.h"
#include "samples.h"

/* Rows of the class in fold f, and whether the fold has two classes. */
static size_t count_class(const gersh__folds *folds, size_t f, int which, int *varied)
{
    const int *label = gersh_dataset_labels(folds->data);
    size_t count = 0;
    for (size_t i = folds->start[f]; i < folds->start[f + 1]; i++) {
        count += label[folds->row[i]] == which;
        *varied |= label[folds->row[i]] != label[folds->row[folds->start[f]]];
    }
    return count;
}

static void check_folds(const gersh__folds *folds, size_t n)
{
    const int *label = gersh_dataset_labels(folds->data);
    size_t *seen = calloc(n, sizeof *seen), chosen = 0;
    assert_int_equal(folds->all, lround((double)n / 4));
    for (size_t f = 0; f < folds->all; f++) {
        size_t size = folds->start[f + 1] - folds->start[f];
        int varied = 0;
        assert_true(size >= 3 && size <= 5);
        for (size_t i = folds->start[f]; i < folds->start[f + 1]; i++) {
            seen[folds->row[i]]++;
            assert_true(i == folds->start[f] || folds->row[i - 1] < folds->row[i]);
        }
        for (int c = 0; c < (int)gersh_dataset_classes(folds->data); c++) {
            size_t whole = 0, here = count_class(folds, f, c, &varied);
            for (size_t i = 0; i < n; i++)
                whole += label[i] == c;
            assert_true(here == whole / folds->all || here == whole / folds->all + 1);
        }
        if (varied) {
            assert_true(chosen < folds->count);
            assert_int_equal(folds->fold[chosen++], f);
        }
    }
    assert_int_equal(chosen, folds->count);
    assert_int_equal(folds->skipped, folds->all - chosen);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(seen[i], 1);
    free(seen);
}

/* Every row is in one fold, a class's counts differ by at most one, and folds of two classes are chosen. */
static void folds_cover_the_data(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 41);
    for (int t = 0; t < cases(200); t++) {
        size_t n = 6 + (size_t)gersh__random_below(&random, 90);
        gersh_dataset *data = random_data(&random, n, 2, 2 + (size_t)t % 3);
        gersh__folds *folds = NULL, *fewer = NULL;
        gersh_status status = gersh__folds_new(&folds, data, (uint64_t)t, 0);
        if (status != GERSH_OK) { /* all rows are of one class */
            assert_true(status == GERSH_ERROR_INPUT && folds == NULL && gersh_dataset_classes(data) == 1);
            gersh_dataset_free(data);
            continue;
        }
        check_folds(folds, n);
        size_t first = folds->fold[0] + 1;
        assert_ok(gersh__folds_new(&fewer, data, (uint64_t)t, first));
        assert_true(fewer->count == 1 && fewer->fold[0] + 1 == first && fewer->skipped == first - 1);
        assert_memory_equal(fewer->row, folds->row, n * sizeof *folds->row);
        gersh__folds_free(fewer);
        gersh__folds_free(folds);
        gersh_dataset_free(data);
    }
}

/* Of size 1e-12 and standard normal, the same again, another for another fold or seed. */
static void noise_is_as_stated(void **unused)
{
    (void)unused;
    enum { n = 80, k = 50, folds = 20 };
    static double x[n * k], noise[3][n * k];
    const char *labels[n];
    gersh_dataset *data = NULL;
    for (size_t i = 0; i < n; i++)
        labels[i] = i % 2 ? "a" : "b";
    assert_ok(gersh_dataset_new(&data, n, k, x, k, labels, NULL, NULL));
    for (int t = 0; t < 3; t++) {
        gersh__folds *made = NULL;
        size_t used = 0;
        assert_ok(gersh__folds_new(&made, data, t == 2 ? 8 : 7, 0));
        for (size_t f = 0; f < folds; f++) {
            gersh_dataset *part = NULL;
            assert_ok(gersh__folds_get(&part, made, f));
            size_t count = gersh_dataset_rows(part) * k;
            memcpy(noise[t] + used, gersh_dataset_values(part), count * sizeof(double));
            used += count;
            gersh_dataset_free(part);
        }
        assert_int_equal(used, n * k);
        gersh__folds_free(made);
    }
    assert_memory_equal(noise[0], noise[1], sizeof noise[0]);
    double mean = 0, square = 0;
    for (size_t e = 0; e < n * k; e++) {
        mean += noise[0][e] / (n * k);
        square += noise[0][e] * noise[0][e] / (n * k);
        assert_true(noise[0][e] != noise[2][e]);
        assert_true(e < 4 * k || noise[0][e] != noise[0][e - 4 * k]);
    }
    assert_true(fabs(mean) < 1e-13 && fabs(sqrt(square) - 1e-12) < 1e-13);
    gersh_dataset_free(data);
}

/* The rows are those of the data, moved by no more than the noise. */
static void rows_are_those_of_the_data(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 43);
    gersh_dataset *data = random_data(&random, 41, 3, 3);
    gersh__folds *folds = NULL;
    assert_ok(gersh__folds_new(&folds, data, 3, 0));
    for (size_t w = 0; w < folds->count; w++) {
        gersh_dataset *part = NULL;
        size_t start = folds->start[folds->fold[w]];
        assert_ok(gersh__folds_get(&part, folds, w));
        assert_int_equal(gersh_dataset_rows(part), folds->start[folds->fold[w] + 1] - start);
        for (size_t i = 0; i < gersh_dataset_rows(part); i++) {
            size_t row = folds->row[start + i];
            assert_int_equal(gersh_dataset_labels(part)[i], gersh_dataset_labels(data)[row]);
            for (size_t j = 0; j < 3; j++) {
                double a = gersh_dataset_values(part)[i * 3 + j],
                       b = gersh_dataset_values(data)[row * 3 + j];
                assert_true(fabs(a - b) <= 1e-11 + 1e-15 * fabs(b));
            }
        }
        gersh_dataset_free(part);
    }
    gersh__folds_free(folds);
    gersh_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folds_cover_the_data),
        cmocka_unit_test(noise_is_as_stated),
        cmocka_unit_test(rows_are_those_of_the_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
