/* Principal components, against the plain covariance and Jacobi rotations. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "samples.h"

/* Eigenvalues and eigenvectors (columns of v) of the symmetric k × k matrix a, by Jacobi rotations. */
static void jacobi(size_t k, double *a, double *v)
{
    for (size_t i = 0; i < k * k; i++)
        v[i] = i % (k + 1) == 0;
    for (int sweep = 0; sweep < 60; sweep++) {
        for (size_t p = 0; p < k; p++) {
            for (size_t q = p + 1; q < k; q++) {
                double angle = 0.5 * atan2(2 * a[p * k + q], a[q * k + q] - a[p * k + p]);
                double c = cos(angle), s = sin(angle);
                for (size_t i = 0; i < k; i++) {
                    double x = a[i * k + p], y = a[i * k + q];
                    a[i * k + p] = c * x - s * y;
                    a[i * k + q] = s * x + c * y;
                }
                for (size_t i = 0; i < k; i++) {
                    double x = a[p * k + i], y = a[q * k + i];
                    a[p * k + i] = c * x - s * y;
                    a[q * k + i] = s * x + c * y;
                    x = v[i * k + p], y = v[i * k + q];
                    v[i * k + p] = c * x - s * y;
                    v[i * k + q] = s * x + c * y;
                }
            }
        }
    }
}

static int larger_first(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x > y ? -1 : x < y;
}

/* Variances against Jacobi on the plain covariance; directions by orthonormality and C d = variance d. */
static void check_pca(const gersh_pca *pca, const gersh_dataset *data)
{
    size_t n = gersh_dataset_rows(data), k = gersh_dataset_features(data);
    const double *x = gersh_dataset_values(data);
    double *c = calloc(k * k, sizeof *c), *rotated = calloc(k * k, sizeof *c),
           *v = calloc(k * k, sizeof *c);
    double *values = calloc(k, sizeof *values);
    for (size_t a = 0; a < k; a++) {
        for (size_t b = 0; b < k; b++) {
            long double sum = 0, mean_a = 0, mean_b = 0;
            for (size_t i = 0; i < n; i++) {
                mean_a += x[i * k + a] / (long double)n;
                mean_b += x[i * k + b] / (long double)n;
            }
            for (size_t i = 0; i < n; i++)
                sum += (x[i * k + a] - mean_a) * (x[i * k + b] - mean_b);
            c[a * k + b] = (double)(sum / (long double)(n - 1));
        }
    }
    memcpy(rotated, c, k * k * sizeof *c);
    jacobi(k, rotated, v);
    for (size_t j = 0; j < k; j++)
        values[j] = rotated[j * k + j];
    qsort(values, k, sizeof *values, larger_first);
    for (size_t p = 0; p < pca->components; p++) {
        const double *d = pca->direction + p * k;
        double largest = 0, smallest = 0;
        assert_true(fabs(pca->variance[p] - values[p]) <= 1e-12 * values[0]);
        for (size_t q = 0; q < pca->components; q++) {
            double dot = 0;
            for (size_t j = 0; j < k; j++)
                dot += d[j] * pca->direction[q * k + j];
            assert_true(fabs(dot - (p == q)) < 1e-13);
        }
        for (size_t a = 0; a < k; a++) {
            double image = 0;
            for (size_t b = 0; b < k; b++)
                image += c[a * k + b] * d[b];
            assert_true(fabs(image - pca->variance[p] * d[a]) <= 1e-11 * values[0]);
            largest = fmax(largest, d[a]);
            smallest = fmin(smallest, d[a]);
        }
        assert_true(largest >= -smallest * (1 - 1e-9));
    }
    free(c);
    free(rotated);
    free(v);
    free(values);
}

static void test_pca_property(void **state)
{
    (void)state;
    gersh__random random;
    gersh__random_seed(&random, 31);
    for (int round = 0; round < cases(100); round++) {
        size_t n = 2 + gersh__random_below(&random, 15), k = 1 + gersh__random_below(&random, 10);
        size_t least = n < k ? n : k, wanted = gersh__random_below(&random, least + 1);
        gersh_dataset *data = random_data(&random, n, k, gersh__random_below(&random, 3)), *moved = NULL;
        gersh_pca *pca = NULL;
        assert_ok(gersh_pca_fit(&pca, data, wanted));
        assert_int_equal(pca->components, wanted > 0 ? wanted : n - 1 < k ? n - 1 : k);
        assert_int_equal(pca->features, k);
        check_pca(pca, data);
        assert_ok(gersh_pca_apply(&moved, pca, data));
        assert_int_equal(gersh_dataset_rows(moved), n);
        assert_int_equal(gersh_dataset_features(moved), pca->components);
        assert_string_equal(gersh_dataset_feature_name(moved, 0), "pc1");
        assert_int_equal(gersh_dataset_classes(moved), gersh_dataset_classes(data));
        for (size_t i = 0; i < n; i++) {
            if (gersh_dataset_labels(data) != NULL)
                assert_int_equal(gersh_dataset_labels(moved)[i], gersh_dataset_labels(data)[i]);
            else
                assert_true(gersh_dataset_targets(moved)[i] == gersh_dataset_targets(data)[i]);
            for (size_t p = 0; p < pca->components; p++) {
                double sum = 0;
                for (size_t j = 0; j < k; j++)
                    sum +=
                        (gersh_dataset_values(data)[i * k + j] - pca->mean[j]) * pca->direction[p * k + j];
                assert_true(fabs(gersh_dataset_values(moved)[i * pca->components + p] - sum) < 1e-10);
            }
        }
        gersh_pca_free(pca);
        gersh_dataset_free(moved);
        gersh_dataset_free(data);
    }
}

/* A variance 1e-24 of the largest, which the covariance matrix would lose; and the sign among equals. */
static void test_pca_accuracy(void **state)
{
    (void)state;
    double x[] = {1, 1e-12, 1, -1e-12, -1, 1e-12, -1, -1e-12}, y[] = {1, -1, -1, 1, 2, -2, -2, 2};
    gersh_dataset *data = unlabelled(4, 2, x);
    gersh_pca *pca = NULL;
    assert_ok(gersh_pca_fit(&pca, data, 0));
    assert_true(fabs(pca->variance[0] - 4.0 / 3) < 1e-14);
    assert_true(fabs(pca->variance[1] - 4.0 / 3 * 1e-24) < 1e-36);
    gersh_pca_free(pca);
    gersh_dataset_free(data);
    data = unlabelled(4, 2, y);
    assert_ok(gersh_pca_fit(&pca, data, 1));
    assert_true(fabs(pca->direction[0] - sqrt(0.5)) < 1e-14 && fabs(pca->direction[1] + sqrt(0.5)) < 1e-14);
    gersh_pca_free(pca);
    gersh_dataset_free(data);
}

static void test_pca_errors(void **state)
{
    (void)state;
    double x[] = {1, 2, 3, 4, 5, 7}, huge[] = {1e300, -1e300, 1e300, 0},
           largest[] = {1.7e308, -1.7e308, 1.7e308};
    gersh_dataset *data = unlabelled(3, 2, x), *wide = unlabelled(2, 3, x), *one = unlabelled(1, 2, x),
                  *moved;
    gersh_pca *pca = NULL, *bad = NULL;
    assert_ok(gersh_pca_fit(&pca, data, 2));
    assert_int_equal(gersh_pca_fit(&bad, data, 3), GERSH_ERROR_ARGUMENT);
    assert_string_equal(gersh_last_error(),
                        "3 principal components are asked for but 3 rows of 2 features have at most 2");
    assert_int_equal(gersh_pca_fit(&bad, one, 0), GERSH_ERROR_INPUT);
    assert_string_equal(gersh_last_error(),
                        "there is only one row; principal components need at least two");
    assert_int_equal(gersh_pca_apply(&moved, pca, wide), GERSH_ERROR_INPUT);
    assert_string_equal(gersh_last_error(),
                        "the principal components are those of 2 features but the data has 3; "
                        "use data with the same columns");
    assert_null(moved);
    gersh_dataset_free(one);
    one = unlabelled(4, 1, huge);
    assert_int_equal(gersh_pca_fit(&bad, one, 1), GERSH_ERROR_NUMERIC);
    gersh_dataset_free(one);
    one = unlabelled(3, 1, largest);
    assert_int_equal(gersh_pca_fit(&bad, one, 1), GERSH_ERROR_NUMERIC);
    assert_null(bad);
    gersh_dataset_free(one);
    gersh_dataset_free(data);
    gersh_dataset_free(wide);
    gersh_pca_free(pca);
    gersh_pca_free(NULL);
}

/* Every allocation in turn fails: an error, no leak, and no result. */
static void test_allocation_failures(void **state)
{
    (void)state;
    gersh__random random;
    gersh__random_seed(&random, 2);
    gersh_dataset *data = random_data(&random, 12, 3, 2);
    gersh_pca *full = NULL;
    assert_ok(gersh_pca_fit(&full, data, 2));
    int unfinished = 1;
    for (long at = 1; unfinished; at++) {
        gersh_pca *pca = NULL;
        gersh_dataset *moved = NULL;
        gersh__alloc_fail_at(at);
        gersh_status fitted = gersh_pca_fit(&pca, data, 0);
        gersh__alloc_fail_at(at);
        gersh_status applied = gersh_pca_apply(&moved, full, data);
        gersh__alloc_fail_at(0);
        unfinished = fitted != GERSH_OK || applied != GERSH_OK;
        assert_true(fitted == GERSH_OK || fitted == GERSH_ERROR_MEMORY);
        assert_true(applied == GERSH_OK || applied == GERSH_ERROR_MEMORY);
        assert_int_equal(pca != NULL, fitted == GERSH_OK);
        assert_int_equal(moved != NULL, applied == GERSH_OK);
        assert_true(at < 100);
        gersh_pca_free(pca);
        gersh_dataset_free(moved);
    }
    gersh_pca_free(full);
    gersh_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pca_property),
        cmocka_unit_test(test_pca_accuracy),
        cmocka_unit_test(test_pca_errors),
        cmocka_unit_test(test_allocation_failures),
    };
    return cmocka_run_group_tests_name("pca", tests, NULL, NULL);
}
