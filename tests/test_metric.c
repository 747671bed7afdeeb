/* Metrics as atoms, against matrices that the test adds up from whole vectors. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random.h"
#include "gersh/metric.h"

enum { most = 12 };

/* A random metric; vectors (atoms × features) gets its atoms in full. */
static gersh_metric *random_metric(gersh__random *random, size_t k, size_t atoms, int dense,
                                   double *vectors)
{
    gersh_metric *metric = NULL;
    assert_ok(gersh_metric_new(&metric, k, gersh__random_uniform(random), atoms, dense));
    memset(vectors, 0, atoms * k * sizeof *vectors);
    for (size_t t = 0; t < atoms; t++) {
        double *z = vectors + t * k, length = 0;
        size_t i = gersh__random_below(random, k), j = gersh__random_below(random, k);
        if (dense)
            for (size_t f = 0; f < k; f++)
                z[f] = gersh__random_normal(random);
        else
            z[i] = gersh__random_normal(random) + 3;
        if (!dense && j != i)
            z[j] = gersh__random_normal(random);
        for (size_t f = 0; f < k; f++)
            length += z[f] * z[f];
        for (size_t f = 0; f < k; f++)
            z[f] /= sqrt(length);
        metric->weight[t] = gersh__random_uniform(random) + 0.01;
        if (dense)
            memcpy(metric->dense + t * k, z, k * sizeof *z);
        else
            metric->atom[t] = (gersh_atom){i, j, z[i], i != j ? z[j] : 0};
    }
    return metric;
}

static void add_up(double *m, const gersh_metric *metric, const double *vectors)
{
    size_t k = metric->features;
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < k; j++) {
            m[i * k + j] = i == j ? metric->rho : 0;
            for (size_t t = 0; t < metric->atoms; t++)
                m[i * k + j] += vectors[t * k + i] * metric->weight[t] * vectors[t * k + j];
        }
}

static void assert_near(double a, double b)
{
    if (!(fabs(a - b) <= 1e-12 * (1 + fabs(a) + fabs(b))))
        fail_msg("%.17g is not %.17g", a, b);
}

static void check_graph(const gersh_metric *metric, const double *m)
{
    size_t k = metric->features, edges = 0;
    gersh_graph *graph = NULL;
    assert_ok(gersh_metric_graph(&graph, metric));
    assert_int_equal(graph->nodes, k);
    for (size_t i = 0; i < k; i++) {
        double found[most] = {0};
        for (size_t e = graph->start[i]; e < graph->start[i + 1]; e++)
            found[graph->neighbor[e]] = graph->entry[e];
        assert_near(graph->diagonal[i], m[i * k + i]);
        for (size_t j = 0; j < k; j++)
            if (j != i) {
                assert_near(found[j], m[i * k + j]);
                edges += m[i * k + j] != 0;
            }
    }
    assert_int_equal(graph->edges, edges / 2);
    gersh_graph_free(graph);
}

static void metrics_agree_with_their_matrix(void **state)
{
    (void)state;
    gersh__random random;
    gersh__random_seed(&random, 1);
    for (int c = 0; c < cases(2000); c++) {
        double vectors[most * 20], expected[most * most], m[most * most], x[most], y[most];
        size_t k = 1 + gersh__random_below(&random, most), atoms = gersh__random_below(&random, 20);
        gersh_metric *metric = random_metric(&random, k, atoms, c % 3 == 0, vectors), *copy = NULL;
        add_up(expected, metric, vectors);
        assert_ok(gersh_metric_copy(&copy, metric));
        gersh_metric_matrix(copy, m);
        double trace = 0, d = 0;
        for (size_t f = 0; f < k; f++) {
            x[f] = gersh__random_normal(&random);
            y[f] = gersh__random_normal(&random);
            trace += expected[f * k + f];
        }
        for (size_t i = 0; i < k; i++)
            for (size_t j = 0; j < k; j++) {
                assert_near(m[i * k + j], expected[i * k + j]);
                assert_true(m[i * k + j] == m[j * k + i]);
                d += (x[i] - y[i]) * expected[i * k + j] * (x[j] - y[j]);
            }
        assert_near(gersh_metric_distance(metric, x, y), d);
        assert_true(gersh_metric_distance(metric, x, y) == gersh_metric_distance(copy, y, x));
        assert_true(gersh_metric_distance(metric, x, x) == 0);
        assert_near(gersh_metric_trace(metric), trace);
        check_graph(metric, expected);
        gersh_metric_free(copy);
        gersh_metric_free(metric);
    }
}

/* Atoms on the same pair with opposite signs cancel: what rounding leaves is no edge. */
static void cancelled_entries_are_no_edges(void **state)
{
    (void)state;
    for (int dense = 0; dense < 2; dense++) {
        gersh_metric *metric = NULL;
        gersh_graph *graph = NULL;
        const double a = 0.6, b = 0.8, parts[3] = {0.1, 0.2, 0.3};
        assert_ok(gersh_metric_new(&metric, 3, 1e-3, 3, dense));
        for (int t = 0; t < 3; t++) {
            double sign = t < 2 ? 1 : -1; /* 0.1 + 0.2 - 0.3 is not 0 in floating point */
            metric->weight[t] = parts[t];
            if (dense) {
                metric->dense[3 * t + 2] = a;
                metric->dense[3 * t] = sign * b;
            } else {
                metric->atom[t] =
                    t == 1 ? (gersh_atom){2, 0, a, sign * b} : (gersh_atom){0, 2, sign * b, a};
            }
        }
        assert_ok(gersh_metric_graph(&graph, metric));
        assert_int_equal(graph->edges, 0);
        gersh_graph_free(graph);
        metric->weight[2] = 0.25;
        assert_ok(gersh_metric_graph(&graph, metric));
        assert_int_equal(graph->edges, 1);
        assert_near(graph->entry[0], 0.05 * a * b);
        gersh_graph_free(graph);
        gersh_metric_free(metric);
    }
}

static void impossible_metrics_are_refused(void **state)
{
    (void)state;
    gersh_metric *metric = NULL;
    assert_int_equal(gersh_metric_new(&metric, 0, 0, 1, 0), GERSH_ERROR_ARGUMENT);
    assert_int_equal(gersh_metric_new(&metric, 2, -1, 1, 0), GERSH_ERROR_ARGUMENT);
    assert_int_equal(gersh_metric_new(&metric, 2, NAN, 1, 0), GERSH_ERROR_ARGUMENT);
    assert_string_equal(gersh_last_error(), "rho is nan; it must be a number of at least 0");
    assert_int_equal(gersh_metric_new(&metric, SIZE_MAX / 2, 0, 4, 1), GERSH_ERROR_MEMORY);
    assert_null(metric);
    gersh_metric_free(NULL);
    assert_ok(gersh_metric_new(&metric, 2, 0.5, 0, 0));
    assert_true(gersh_metric_trace(metric) == 1);
    gersh_metric_free(metric);
}

static void failed_allocations_are_reported(void **state)
{
    (void)state;
    gersh__random random;
    double vectors[most * 20];
    gersh__random_seed(&random, 2);
    for (int dense = 0; dense < 2; dense++) {
        gersh_metric *metric = random_metric(&random, 5, 7, dense, vectors);
        gersh_status status = GERSH_ERROR_MEMORY;
        for (long n = 1; status != GERSH_OK; n++) {
            gersh_metric *copy = NULL;
            gersh_graph *graph = NULL;
            assert_true(n < 50);
            gersh__alloc_fail_at(n);
            status = gersh_metric_copy(&copy, metric);
            if (status == GERSH_OK)
                status = gersh_metric_graph(&graph, metric);
            gersh__alloc_fail_at(0);
            assert_true(status == GERSH_OK || status == GERSH_ERROR_MEMORY);
            gersh_graph_free(graph);
            gersh_metric_free(copy);
        }
        gersh_metric_free(metric);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metrics_agree_with_their_matrix),
        cmocka_unit_test(cancelled_entries_are_no_edges),
        cmocka_unit_test(impossible_metrics_are_refused),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
