/*
 * The space of a metric: distances of mapped rows against the dense matrix, leading directions against
 * LAPACK and against metrics whose eigenvectors are known.
 */
#include "check.h"

#include <lapacke.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/threads.h"
#include "gersh/transform.h"
#include "random_metrics.h"

static double *random_rows(gersh__random *random, size_t n, size_t k)
{
    double *x = calloc(n * k, sizeof *x);
    for (size_t e = 0; e < n * k; e++)
        x[e] = gersh__random_normal(random);
    return x;
}

static double squared_distance(size_t n, const double *x, const double *y)
{
    double sum = 0;
    for (size_t j = 0; j < n; j++)
        sum += (x[j] - y[j]) * (x[j] - y[j]);
    return sum;
}

static void distances_are_kept(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 21);
    for (int c = 0; c < cases(200); c++) {
        size_t k = 1 + (size_t)gersh__random_below(&random, 40),
               n = 2 + (size_t)gersh__random_below(&random, 200);
        gersh_metric *metric = random_metric(&random, k, 1 + c % (METRICS - 1));
        double *m = metric_matrix(metric, k), *x = random_rows(&random, n, k);
        gersh_transform *transform = NULL;
        assert_ok(gersh_transform_new(&transform, metric, 0, 1 + c % 3, NULL));
        size_t columns = gersh_transform_columns(transform);
        double *y = calloc(n * columns + 1, sizeof *y);
        assert_null(gersh_transform_values(transform));
        assert_ok(gersh_transform_apply(transform, y, n, x, k));
        for (size_t i = 1; i < n; i += 3) {
            double d = squared_distance(columns, y + i * columns, y + (i - 1) * columns);
            double expected = matrix_distance(k, m, x + i * k, x + (i - 1) * k);
            if (!(fabs(d - expected) <= 1e-12 * (double)k * (1 + expected)))
                fail_msg("case %d: %.17g, expected %.17g", c, d, expected);
        }
        gersh_transform_free(transform);
        gersh_metric_free(metric);
        free(m);
        free(x);
        free(y);
    }
}

/*
 * FᵀF = M, by the images of the unit vectors, with no more columns than features: also where M is singular or nearly
 * so, and where atoms are few, dense or more than the features. Half of the cases leave the last feature out.
 */
static void no_more_columns_than_features(void **unused)
{
    (void)unused;
    static const double rhos[] = {0, 1e-20, 1e-4};
    gersh__random random;
    gersh__random_seed(&random, 27);
    for (int c = 0; c < cases(600); c++) {
        size_t k = 2 + (size_t)gersh__random_below(&random, 40);
        gersh_metric *metric = random_metric(&random, k, 1 + c % (METRICS - 1));
        metric->rho = rhos[c / 9 % 3];
        for (size_t t = 0; t < metric->atoms && metric->dense != NULL && c % 2; t++)
            metric->dense[t * k + k - 1] = 0;
        double *m = metric_matrix(metric, k), *unit = calloc(k * k, sizeof *unit), *y, largest = 0;
        gersh_transform *transform = NULL;
        for (size_t i = 0; i < k; i++) {
            unit[i * k + i] = 1;
            largest = fmax(largest, m[i * k + i]);
        }
        assert_ok(gersh_transform_new(&transform, metric, 0, 1 + c % 2, NULL));
        size_t columns = gersh_transform_columns(transform);
        if (columns > k)
            fail_msg("case %d: %zu columns of %zu features", c, columns, k);
        y = calloc(k * columns + 1, sizeof *y);
        assert_ok(gersh_transform_apply(transform, y, k, unit, k));
        for (size_t i = 0; i < k; i++)
            for (size_t j = 0; j < k; j++) {
                double sum = 0;
                for (size_t l = 0; l < columns; l++)
                    sum += y[i * columns + l] * y[j * columns + l];
                if (!(fabs(sum - m[i * k + j]) <= 1e-13 * (double)k * largest))
                    fail_msg("case %d: entry %zu %zu is %.17g, expected %.17g", c, i, j, sum, m[i * k + j]);
            }
        gersh_transform_free(transform);
        gersh_metric_free(metric);
        free(m);
        free(unit);
        free(y);
    }
}

/* All eigenvectors by LAPACK's other routine, and the products by plain loops. */
static void directions_equal_lapack(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 22);
    for (int c = 0; c < cases(100); c++) {
        size_t k = 1 + (size_t)gersh__random_below(&random, 25), n = 5;
        size_t dim = 1 + (size_t)gersh__random_below(&random, k);
        gersh_metric *metric = random_metric(&random, k, c % 2 ? CROWDED_METRIC : MANY_DENSE_METRIC);
        double *m = metric_matrix(metric, k), *x = random_rows(&random, n, k),
               *y = calloc(n * dim, sizeof *y);
        double values[25];
        gersh_transform *transform = NULL;
        assert_ok(gersh_transform_new(&transform, metric, dim, 1, NULL));
        assert_int_equal(gersh_transform_columns(transform), dim);
        assert_ok(gersh_transform_apply(transform, y, n, x, k));
        assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'V', 'U', (lapack_int)k, m, (lapack_int)k, values),
                         0);
        for (size_t l = 0; l < dim; l++) {
            size_t column = k - 1 - l, largest = 0;
            double value = fmax(values[column], 0);
            assert_true(fabs(gersh_transform_values(transform)[l] - value) <= 1e-12 * values[k - 1]);
            for (size_t j = 0; j < k; j++)
                largest = fabs(m[j * k + column]) > fabs(m[largest * k + column]) + 1e-9 ? j : largest;
            double sign = m[largest * k + column] < 0 ? -1 : 1;
            for (size_t i = 0; i < n; i++) {
                double along = 0;
                for (size_t j = 0; j < k; j++)
                    along += sign * m[j * k + column] * x[i * k + j];
                assert_true(fabs(y[i * dim + l] - sqrt(value) * along) < 1e-6 * sqrt(values[k - 1]));
            }
        }
        gersh_transform_free(transform);
        gersh_metric_free(metric);
        free(m);
        free(x);
        free(y);
    }
}

/*
 * So many features that the matrix is never made: edges on separate pairs are themselves the eigenvectors.
 */
static void directions_of_many_features(void **unused)
{
    (void)unused;
    enum { dim = 6 };
    size_t k = cases(2) == 2 ? 5000 : 2010, pairs = k / 2, apart = pairs / 5;
    gersh__random random;
    gersh_metric *metric = NULL;
    gersh_transform *transform = NULL;
    gersh__random_seed(&random, 23);
    assert_ok(gersh_metric_new(&metric, k, 0.01, pairs, 0));
    for (size_t t = 0; t < pairs; t++) {
        metric->atom[t] = random_edge(&random, 2 * t, 2 * t + 1);
        metric->weight[t] = t % apart == 7 ? 1 + (double)(t / apart) : gersh__random_uniform(&random);
    }
    double *x = random_rows(&random, 3, k), y[3 * dim];
    assert_ok(gersh_transform_new(&transform, metric, dim, 2, NULL));
    assert_ok(gersh_transform_apply(transform, y, 3, x, k));
    for (size_t l = 0; l < dim; l++) {
        size_t t = l < 5 ? (4 - l) * apart + 7 : 0;
        for (size_t other = 0; l == 5 && other < pairs; other++)
            if (other % apart != 7 && metric->weight[other] > (t == 0 ? -1 : metric->weight[t]))
                t = other;
        const gersh_atom *z = &metric->atom[t];
        double sign = (fabs(z->a) >= fabs(z->b) ? z->a : z->b) < 0 ? -1 : 1;
        assert_true(fabs(gersh_transform_values(transform)[l] - metric->weight[t] - 0.01) < 1e-8);
        for (size_t i = 0; i < 3; i++) {
            double along = sign * (z->a * x[i * k + z->i] + z->b * x[i * k + z->j]);
            if (!(fabs(y[i * dim + l] - sqrt(metric->weight[t] + 0.01) * along) < 1e-4))
                fail_msg("direction %zu: %.10g, expected %.10g", l, y[i * dim + l],
                         sqrt(metric->weight[t] + 0.01) * along);
        }
    }
    gersh_transform_free(transform);
    gersh_metric_free(metric);
    free(x);
}

/* The same of dense atoms, unit vectors with one entry each. */
static void dense_directions_of_many_features(void **unused)
{
    (void)unused;
    enum { k = 5000, atoms = 4, dim = 3 };
    gersh__random random;
    gersh_metric *metric = NULL;
    gersh_transform *transform = NULL;
    double y[dim];
    gersh__random_seed(&random, 24);
    assert_ok(gersh_metric_new(&metric, k, 0.01, atoms, 1));
    for (size_t t = 0; t < atoms; t++) {
        metric->dense[t * k + 1000 * t] = 1;
        metric->weight[t] = 2 + (double)t;
    }
    double *x = random_rows(&random, 1, k);
    assert_ok(gersh_transform_new(&transform, metric, dim, 2, NULL));
    assert_ok(gersh_transform_apply(transform, y, 1, x, k));
    for (size_t l = 0; l < dim; l++) {
        size_t t = atoms - 1 - l;
        assert_true(fabs(gersh_transform_values(transform)[l] - metric->weight[t] - 0.01) < 1e-8);
        assert_true(fabs(y[l] - sqrt(metric->weight[t] + 0.01) * x[1000 * t]) < 1e-4);
    }
    gersh_transform_free(transform);
    gersh_metric_free(metric);
    free(x);
}

static void data_keeps_its_labels(void **unused)
{
    (void)unused;
    double x[] = {1, 2, 3, 4, 5, 6};
    const char *labels[] = {"u", "v", "u"};
    gersh_metric *metric = NULL;
    gersh_dataset *data = NULL, *moved = NULL, *narrow = NULL;
    gersh_transform *transform = NULL;
    assert_ok(gersh_metric_new(&metric, 2, 4, 0, 0));
    assert_ok(gersh_dataset_new(&data, 3, 2, x, 2, labels, NULL, NULL));
    assert_ok(gersh_dataset_new(&narrow, 3, 1, x, 2, NULL, NULL, NULL));
    assert_ok(gersh_transform_new(&transform, metric, 0, 1, NULL));
    assert_ok(gersh_transform_data(&moved, transform, data));
    assert_true(gersh_dataset_features(moved) == 2 && gersh_dataset_classes(moved) == 2);
    assert_string_equal(gersh_dataset_feature_name(moved, 1), "t2");
    for (size_t e = 0; e < 6; e++)
        assert_true(gersh_dataset_values(moved)[e] == 2 * x[e]);
    assert_memory_equal(gersh_dataset_labels(moved), gersh_dataset_labels(data), 3 * sizeof(int));
    gersh_dataset_free(moved);
    assert_int_equal(gersh_transform_data(&moved, transform, narrow), GERSH_ERROR_ARGUMENT);
    assert_null(moved);
    assert_int_equal(gersh_transform_apply(transform, x, 1, x, 1), GERSH_ERROR_ARGUMENT);
    gersh_transform_free(transform);
    assert_int_equal(gersh_transform_new(&transform, metric, 3, 1, NULL), GERSH_ERROR_ARGUMENT);
    assert_string_equal(gersh_last_error(), "--dim: 3 directions are asked for but there are 2 features");
    assert_null(transform);
    gersh_transform_free(NULL);
    gersh_metric_free(metric);
    assert_ok(gersh_metric_new(&metric, 2, 0, 0, 0));
    assert_ok(gersh_transform_new(&transform, metric, 0, 1, NULL));
    assert_int_equal(gersh_transform_data(&moved, transform, data), GERSH_ERROR_INPUT);
    assert_string_equal(gersh_last_error(), "the metric is 0, so that its space has no columns");
    gersh_transform_free(transform);
    gersh_metric_free(metric);
    gersh_dataset_free(narrow);
    gersh_dataset_free(data);
}

static void threads_do_not_matter(void **unused)
{
    (void)unused;
    gersh__random random;
    enum { n = 500, k = 60 };
    gersh__random_seed(&random, 24);
    double *x = random_rows(&random, n, k);
    for (int shape = 1; shape < METRICS; shape++)
        for (size_t dim = 0; dim < 8; dim += 7) {
            gersh_metric *metric = random_metric(&random, k, shape);
            double *y[3];
            for (int t = 0; t < 3; t++) {
                gersh_transform *transform = NULL;
                assert_ok(gersh_transform_new(&transform, metric, dim, t + 1, NULL));
                size_t columns = gersh_transform_columns(transform);
                y[t] = calloc(n * columns, sizeof *y[t]);
                assert_ok(gersh_transform_apply(transform, y[t], n, x, k));
                assert_memory_equal(y[t], y[0], n * columns * sizeof *y[t]);
                gersh_transform_free(transform);
            }
            for (int t = 0; t < 3; t++)
                free(y[t]);
            gersh_metric_free(metric);
        }
    free(x);
}

static void failing_allocations_leak_nothing(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 25);
    double *x = random_rows(&random, 4, 30);
    gersh_dataset *data = NULL;
    assert_ok(gersh_dataset_new(&data, 4, 30, x, 30, NULL, NULL, NULL));
    for (int shape = 1; shape < METRICS; shape++)
        for (size_t dim = 0; dim < 3; dim += 2) {
            gersh_metric *metric = random_metric(&random, 30, shape);
            long made = 1;
            for (long at = 1; made >= at || at == 1; at++) {
                gersh_transform *transform = NULL;
                gersh_dataset *moved = NULL;
                gersh__alloc_fail_at(at);
                gersh_status status = gersh_transform_new(&transform, metric, dim, 1, NULL);
                if (status == GERSH_OK)
                    status = gersh_transform_data(&moved, transform, data);
                made = gersh__alloc_fail_at(0);
                assert_int_equal(status, made >= at ? GERSH_ERROR_MEMORY : GERSH_OK);
                gersh_dataset_free(moved);
                gersh_transform_free(transform);
            }
            gersh_metric_free(metric);
        }
    gersh_dataset_free(data);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_are_kept),
        cmocka_unit_test(no_more_columns_than_features),
        cmocka_unit_test(directions_equal_lapack),
        cmocka_unit_test(directions_of_many_features),
        cmocka_unit_test(dense_directions_of_many_features),
        cmocka_unit_test(data_keeps_its_labels),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(failing_allocations_leak_nothing),
    };
    gersh__blas_hold();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
