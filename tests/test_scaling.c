/* Scaling, against plain sums in long double, and at the ends of the range of double. */
#include "check.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "samples.h"
#include "scalings.h"

static void test_zscore_property(void **state)
{
    (void)state;
    gersh__random random;
    gersh__random_seed(&random, 3);
    for (int round = 0; round < cases(200); round++) {
        size_t n = 2 + gersh__random_below(&random, 40), k = 1 + gersh__random_below(&random, 9);
        gersh_dataset *data = random_data(&random, n, k, 0);
        gersh_scaling *scaling = NULL;
        double *before = calloc(n * k, sizeof *before);
        memcpy(before, gersh_dataset_values(data), n * k * sizeof *before);
        assert_ok(gersh_scaling_fit(&scaling, data, "zscore"));
        assert_ok(gersh_scaling_apply(scaling, data));
        for (size_t j = 0; j < k; j++) {
            long double mean = 0, square = 0;
            for (size_t i = 0; i < n; i++)
                mean += before[i * k + j];
            mean /= (long double)n;
            for (size_t i = 0; i < n; i++)
                square += (before[i * k + j] - mean) * (before[i * k + j] - mean);
            long double deviation = sqrtl(square / (long double)(n - 1));
            assert_true(fabsl(means_of(scaling)[j] - mean) <= 1e-15L * fabsl(mean));
            assert_true(fabsl(scales_of(scaling)[j] - deviation) <= 1e-14L * deviation);
            for (size_t i = 0; i < n; i++)
                assert_true(fabsl(gersh_dataset_values(data)[i * k + j] -
                                  (before[i * k + j] - mean) / deviation) < 1e-13L);
        }
        free(before);
        gersh_scaling_free(scaling);
        gersh_dataset_free(data);
    }
}

/* One column, scaled; the scaled values go to y. */
static gersh_scaling *scale_column(double *y, size_t n, const double *x)
{
    gersh_scaling *scaling = NULL;
    gersh_dataset *data = unlabelled(n, 1, x);
    assert_ok(gersh_scaling_fit(&scaling, data, "zscore"));
    assert_ok(gersh_scaling_apply(scaling, data));
    memcpy(y, gersh_dataset_values(data), n * sizeof *y);
    gersh_dataset_free(data);
    return scaling;
}

static void test_large_offset(void **state)
{
    (void)state;
    double x[1000], y[1000], small[1000], z[1000];
    gersh__random random;
    gersh__random_seed(&random, 5);
    for (int i = 0; i < 1000; i++) {
        /* Multiples of 2^-10, so that the sum with 1e9 is exact. */
        small[i] = (double)gersh__random_below(&random, 1000) / 1024;
        x[i] = 1e9 + small[i];
    }
    gersh_scaling *a = scale_column(y, 1000, x), *b = scale_column(z, 1000, small);
    assert_true(fabs(scales_of(a)[0] - scales_of(b)[0]) <= 1e-12 * scales_of(b)[0]);
    for (int i = 0; i < 1000; i++)
        assert_true(fabs(y[i] - z[i]) < 1e-6); /* 1e-7 is the rounding of a mean near 1e9 */
    gersh_scaling_free(a);
    gersh_scaling_free(b);
}

static void test_extreme_columns(void **state)
{
    (void)state;
    static const double sizes[] = {1e300, 1.7e308, 1e-200, 1e-300, 1, 4e-310};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        double x[] = {sizes[s], sizes[s], -sizes[s], sizes[s]}, y[4];
        gersh_scaling *scaling = scale_column(y, 4, x);
        /* Mean 1/2 and deviation 1 of the size: 1/2 and -3/2. Below the normal numbers the scale is cut. */
        double unit = sizes[s] < DBL_MIN ? sizes[s] / DBL_MIN : 1;
        for (int i = 0; i < 4; i++)
            assert_true(fabs(y[i] - unit * (i == 2 ? -1.5 : 0.5)) < 1e-13 + (unit < 1 ? 1e-6 : 0));
        gersh_scaling_free(scaling);
    }
}

static void test_constant_columns(void **state)
{
    (void)state;
    static const double values[] = {0, 0.1, -7, 1e9 + 0.1, 1e300, DBL_MAX, 5e-324, 1.0 / 3};
    double y[9];
    for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
        for (size_t n = 1; n <= 9; n++) {
            double x[9];
            for (size_t i = 0; i < n; i++)
                x[i] = values[v];
            gersh_scaling *scaling = scale_column(y, n, x);
            assert_true(means_of(scaling)[0] == values[v] && scales_of(scaling)[0] == 1);
            for (size_t i = 0; i < n; i++)
                assert_true(y[i] == 0);
            gersh_scaling_free(scaling);
        }
        /* Constant but for rounding: what remains is tiny. */
        if (values[v] == 0 || values[v] == DBL_MAX)
            continue;
        double noisy[] = {values[v], nextafter(values[v], INFINITY), values[v],
                          nextafter(values[v], -INFINITY)};
        gersh_scaling *scaling = scale_column(y, 4, noisy);
        if (values[v] > 1e-300)
            for (int i = 0; i < 4; i++)
                assert_true(fabs(y[i]) < 1e-13);
        gersh_scaling_free(scaling);
    }
    /* Just above the limit of 1e-14 the column is data, just below it is not. */
    double data[] = {0.5, 0.5 + 1e-13, 0.5}, rounding[] = {0.5, 0.5 + 5e-15, 0.5};
    gersh_scaling *a = scale_column(y, 3, data), *b = scale_column(y, 3, rounding);
    assert_true(scales_of(a)[0] < 1e-12);
    assert_true(scales_of(b)[0] == 1);
    gersh_scaling_free(a);
    gersh_scaling_free(b);
}

static void test_paper_and_none(void **state)
{
    (void)state;
    gersh__random random;
    gersh__random_seed(&random, 9);
    for (int round = 0; round < cases(100); round++) {
        size_t n = 3 + gersh__random_below(&random, 20), k = 1 + gersh__random_below(&random, 6);
        gersh_dataset *data = random_data(&random, n, k, 0), *plain = NULL, *same = NULL;
        size_t all[32];
        gersh_scaling *zscore = NULL, *paper = NULL, *none = NULL;
        for (size_t i = 0; i < n; i++)
            all[i] = i;
        assert_ok(gersh_dataset_subset(&plain, data, all, n));
        assert_ok(gersh_dataset_subset(&same, data, all, n));
        assert_ok(gersh_scaling_fit(&zscore, data, "zscore"));
        assert_ok(gersh_scaling_fit(&paper, data, "paper"));
        assert_ok(gersh_scaling_fit(&none, data, "none"));
        assert_int_equal(has_unit_length(paper), 1);
        assert_int_equal(has_unit_length(zscore) + has_unit_length(none), 0);
        assert_ok(gersh_scaling_apply(zscore, plain));
        assert_ok(gersh_scaling_apply(none, same));
        assert_memory_equal(gersh_dataset_values(same), gersh_dataset_values(data), n * k * sizeof(double));
        assert_ok(gersh_scaling_apply(paper, data));
        for (size_t i = 0; i < n; i++) {
            const double *z = gersh_dataset_values(plain) + i * k, *p = gersh_dataset_values(data) + i * k;
            double length = 0;
            for (size_t j = 0; j < k; j++)
                length = hypot(length, z[j]);
            for (size_t j = 0; j < k; j++)
                assert_true(fabs(p[j] * length - z[j]) < 1e-13 * (1 + length));
        }
        gersh_scaling_free(zscore);
        gersh_scaling_free(paper);
        gersh_scaling_free(none);
        gersh_dataset_free(data);
        gersh_dataset_free(plain);
        gersh_dataset_free(same);
    }
}

/* Unit rows of extreme length, given by hand; a zero row stays zero. */
static void test_unit_rows(void **state)
{
    (void)state;
    gersh__feature_map map = {.ops = &gersh__map_unit_length, .inputs = 2};
    gersh_scaling unit = {.inputs = 2, .width = 2, .count = 1, .map = &map};
    double x[] = {3e300, 4e300, 3e-310, 4e-310, 0, 0, -3, 4, DBL_MAX, DBL_MAX};
    double expected[] = {0.6, 0.8, 0.6, 0.8, 0, 0, -0.6, 0.8, sqrt(0.5), sqrt(0.5)};
    gersh_dataset *data = unlabelled(5, 2, x);
    assert_ok(gersh_scaling_apply(&unit, data));
    for (int i = 0; i < 10; i++)
        assert_true(fabs(gersh_dataset_values(data)[i] - expected[i]) < (i == 2 || i == 3 ? 1e-12 : 1e-15));
    gersh_dataset_free(data);
}

static void test_scaling_errors(void **state)
{
    (void)state;
    double x[] = {1, 2, 3, 4, 5, 6};
    gersh_dataset *two = unlabelled(3, 2, x), *three = unlabelled(2, 3, x);
    gersh_scaling *scaling = NULL, *bad = NULL;
    assert_ok(gersh_scaling_fit(&scaling, two, "zscore"));
    assert_int_equal(gersh_scaling_apply(scaling, three), GERSH_ERROR_INPUT);
    assert_string_equal(gersh_last_error(),
                        "the scaling was fitted to 2 features but the data has 3; use data "
                        "with the same columns");
    assert_int_equal(gersh_scaling_fit(&bad, two, "minmax"), GERSH_ERROR_ARGUMENT);
    assert_string_equal(gersh_last_error(), "scale: 'minmax' is not one of zscore|paper|none");
    assert_null(bad);
    assert_int_equal(gersh_scaling_fit(&bad, two, NULL), GERSH_ERROR_ARGUMENT);
    /* A value that cannot be scaled is an error, and no row has changed then. */
    scales_of(scaling)[1] = 1e-10;
    double far[] = {1, 2, 3, 1e300};
    gersh_dataset *data = unlabelled(2, 2, far);
    assert_int_equal(gersh_scaling_apply(scaling, data), GERSH_ERROR_NUMERIC);
    assert_string_equal(gersh_last_error(),
                        "row 2, feature 'x2': 1e+300 is too large to be scaled by 1/1e-10; "
                        "leave the feature out or use --scale none");
    assert_memory_equal(gersh_dataset_values(data), far, sizeof far);
    scales_of(scaling)[1] = 0;
    assert_int_equal(gersh_scaling_apply(scaling, data), GERSH_ERROR_ARGUMENT);
    gersh_dataset_free(data);
    gersh_dataset_free(two);
    gersh_dataset_free(three);
    gersh_scaling_free(scaling);
    gersh_scaling_free(NULL);
}

/* Every allocation in turn fails: an error, no leak, and no result. */
static void test_allocation_failures(void **state)
{
    (void)state;
    double x[] = {1, 2, 3, 4, 5, 7};
    gersh_dataset *data = unlabelled(3, 2, x);
    gersh_scaling *full = NULL;
    assert_ok(gersh_scaling_fit(&full, data, "paper"));
    int unfinished = 1;
    for (long at = 1; unfinished; at++) {
        gersh_scaling *scaling = NULL;
        gersh_dataset *copy = unlabelled(3, 2, x);
        gersh__alloc_fail_at(at);
        gersh_status fitted = gersh_scaling_fit(&scaling, data, "paper");
        gersh__alloc_fail_at(at);
        gersh_status applied = gersh_scaling_apply(full, copy);
        gersh__alloc_fail_at(0);
        unfinished = fitted != GERSH_OK || applied != GERSH_OK;
        assert_true(fitted == GERSH_OK || fitted == GERSH_ERROR_MEMORY);
        assert_true(applied == GERSH_OK || applied == GERSH_ERROR_MEMORY);
        assert_int_equal(scaling != NULL, fitted == GERSH_OK);
        assert_int_equal(memcmp(gersh_dataset_values(copy), x, sizeof x) != 0, applied == GERSH_OK);
        assert_true(at < 100);
        gersh_scaling_free(scaling);
        gersh_dataset_free(copy);
    }
    gersh_scaling_free(full);
    gersh_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zscore_property), cmocka_unit_test(test_large_offset),
        cmocka_unit_test(test_extreme_columns), cmocka_unit_test(test_constant_columns),
        cmocka_unit_test(test_paper_and_none),  cmocka_unit_test(test_unit_rows),
        cmocka_unit_test(test_scaling_errors),  cmocka_unit_test(test_allocation_failures),
    };
    return cmocka_run_group_tests_name("scaling", tests, NULL, NULL);
}
