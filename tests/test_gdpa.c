/* GDPA against LAPACK on thousands of random balanced matrices, the paper's example, and extremes. */
#include "check.h"

#include <lapacke.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/threads.h"
#include "gersh/graph.h"
#include "matrices.h"

#define MOST 60

/* λ_min of the rows and columns in one component, and the smallest |entry| of its unit eigenvector. */
static double oracle_lambda(const double *m, size_t n, const size_t *component, size_t which,
                            double *smallest)
{
    double *a = malloc(n * n * sizeof *a), *values = malloc(n * sizeof *values);
    size_t *node = malloc(n * sizeof *node), count = 0;
    for (size_t i = 0; i < n; i++)
        if (component[i] == which)
            node[count++] = i;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            a[i * count + j] = m[node[i] * n + node[j]];
    assert_int_equal(
        LAPACKE_dsyev(LAPACK_COL_MAJOR, 'V', 'U', (lapack_int)count, a, (lapack_int)count, values), 0);
    double lambda = values[0];
    *smallest = 1;
    for (size_t i = 0; i < count; i++)
        *smallest = fmin(*smallest, fabs(a[i]));
    free(a);
    free(values);
    free(node);
    return lambda;
}

static double norm_of(const double *m, size_t n)
{
    double norm = 0;
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t j = 0; j < n; j++)
            sum += fabs(m[i * n + j]);
        norm = fmax(norm, sum);
    }
    return norm;
}

/* The left-end of row i under the scalars, from the dense matrix and the definition. */
static double left_end(const double *m, size_t n, const double *scalar, size_t i)
{
    double end = m[i * n + i];
    for (size_t j = 0; j < n; j++)
        if (j != i && m[i * n + j] != 0)
            end -= fabs(m[i * n + j]) * (scalar[i] / scalar[j]);
    return end;
}

/* Returns 1 when every component's eigenvector is large enough to ask for a perfect alignment. */
static int verify(const double *m, size_t n, const gersh_discs *d, double *worst_aligned,
                  double *worst_bound)
{
    double scale = fmax(1, norm_of(m, n));
    int strict = 1;
    double all = INFINITY;
    for (size_t c = 0; c < d->balance->components; c++) {
        double smallest, lowest = INFINITY;
        double lambda = oracle_lambda(m, n, d->balance->component, c, &smallest);
        all = fmin(all, lambda);
        assert_true(fabs(d->lambda[c] - lambda) <= 1e-11 * scale);
        strict = strict && smallest >= 1e-6;
        for (size_t i = 0; i < n; i++) {
            if (d->balance->component[i] != c)
                continue;
            double end = left_end(m, n, d->scalar, i);
            lowest = fmin(lowest, end);
            assert_true(d->scalar[i] > 0 && isfinite(d->scalar[i]));
            assert_true(fabs(d->center[i] - d->aligned[i] - end) <= 1e-12 * scale);
            if (smallest >= 1e-6)
                *worst_aligned = fmax(*worst_aligned, fabs(end - lambda) / scale);
        }
        *worst_bound = fmax(*worst_bound, (lambda - lowest) / scale);
        assert_true(d->lower[c] <= lambda + 1e-13 * scale);
        assert_true(lowest <= lambda + 1e-12 * scale);
        assert_true(d->lower[c] <= lowest + 1e-15 * scale);
    }
    assert_true(fabs(d->lambda_min - all) <= 1e-11 * scale);
    return strict;
}

static void the_papers_example(void **unused)
{
    (void)unused;
    double m[] = {2, -2, -1, -2, 5, -2, -1, -2, 4};
    double before[] = {-1, 1, 1}, vector[] = {0.7511, 0.4886, 0.4440};
    gersh_graph *graph;
    gersh_discs *d;
    assert_ok(gersh_graph_from_dense(&graph, 3, m, 0, NULL));
    assert_ok(gersh_discs_align(&d, graph, NULL));
    assert_true(fabs(d->lambda_min - 0.1078) < 5e-5);
    for (int i = 0; i < 3; i++) {
        assert_true(d->center[i] - d->radius[i] == before[i]);
        assert_true(fabs(d->center[i] - d->aligned[i] - d->lambda_min) < 1e-14);
        assert_true(fabs(1 / d->scalar[i] - vector[i]) < 5e-5);
        assert_int_equal(d->balance->color[i], 1);
    }
    gersh_discs_free(d);
    gersh_graph_free(graph);
}

static void random_balanced_matrices_align(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 5);
    double m[MOST * MOST], worst_aligned = 0, worst_bound = 0;
    int color[MOST], strict = 0, total = cases(10000);
    for (int t = 0; t < total; t++) {
        size_t n = 2 + (size_t)gersh__random_below(&random, MOST - 1);
        random_balanced(&random, m, color, n, t % SHAPES, t % 5);
        double size = t % 7 == 0 ? pow(10, 6 * gersh__random_uniform(&random) - 3) : 1;
        for (size_t i = 0; i < n * n; i++)
            m[i] *= size;
        gersh_graph *graph;
        gersh_discs *d;
        assert_ok(gersh_graph_from_dense(&graph, n, m, 0, NULL));
        assert_ok(gersh_discs_align(&d, graph, NULL));
        strict += verify(m, n, d, &worst_aligned, &worst_bound);
        gersh_discs_free(d);
        gersh_graph_free(graph);
    }
    print_message("%d matrices, %d of them with all |v_i| >= 1e-6: worst left-end %.2g, worst bound below "
                  "lambda_min %.2g (of max(1, norm))\n",
                  total, strict, worst_aligned, worst_bound);
    assert_true(strict > total / 3);
    assert_true(strict < total);
    assert_true(worst_aligned <= 1e-8);
    assert_true(worst_bound <= 1e-8);
}

/* Paths on which the eigenvector dies out: 1e-100 and less, and below what a double holds. */
static void long_paths_keep_a_tight_bound(void **unused)
{
    (void)unused;
    size_t sizes[] = {100, 500, 2000};
    for (int t = 0; t < 6; t++) {
        size_t n = sizes[t % 3];
        double *diagonal = malloc(n * sizeof *diagonal), *entry = malloc(n * sizeof *entry);
        size_t *first = malloc(n * sizeof *first), *second = malloc(n * sizeof *second);
        for (size_t i = 0; i < n; i++) {
            diagonal[i] = i == n / 3 ? 1 : 10 + (t < 3 ? 0 : (double)(i % 7));
            first[i] = i;
            second[i] = i + 1;
            entry[i] = i % 2 ? 1 : -1;
        }
        gersh_graph *graph;
        gersh_discs *d;
        assert_ok(gersh_graph_from_edges(&graph, n, diagonal, n - 1, first, second, entry));
        assert_ok(gersh_discs_align(&d, graph, NULL));
        assert_true(d->smallest < 1e-50);
        assert_true(d->lambda_lower <= d->lambda_min);
        assert_true(d->lambda_min - d->lambda_lower < 1e-12);
        assert_true(d->below < 1e-12);
        for (size_t i = 0; i < n; i++)
            assert_true(isfinite(d->scalar[i]) && d->center[i] - d->aligned[i] > d->lambda_min - 1e-12);
        gersh_discs_free(d);
        gersh_graph_free(graph);
        free(diagonal);
        free(entry);
        free(first);
        free(second);
    }
}

static void extreme_sizes_stay_finite(void **unused)
{
    (void)unused;
    double sizes[] = {1e-300, 1e-150, 1, 1e150, 1e300};
    for (int t = 0; t < 5; t++) {
        double m[] = {2, -2, -1, -2, 5, -2, -1, -2, 4};
        for (int i = 0; i < 9; i++)
            m[i] *= sizes[t];
        gersh_graph *graph;
        gersh_discs *d;
        assert_ok(gersh_graph_from_dense(&graph, 3, m, 0, NULL));
        assert_ok(gersh_discs_align(&d, graph, NULL));
        assert_true(fabs(d->lambda_min / sizes[t] - 0.10775) < 1e-4);
        assert_true(fmax(d->below, d->above) <= 1e-13 * sizes[t]);
        gersh_discs_free(d);
        gersh_graph_free(graph);
    }
    double one[] = {-3};
    gersh_graph *graph;
    gersh_discs *d;
    assert_ok(gersh_graph_from_dense(&graph, 1, one, 0, NULL));
    assert_ok(gersh_discs_align(&d, graph, NULL));
    assert_true(d->lambda_min == -3 && d->lambda_lower == -3 && d->scalar[0] == 1);
    gersh_discs_free(d);
    gersh_graph_free(graph);
}

/* Two equal halves joined by almost nothing: the two smallest eigenvalues agree to the last digits. */
static void nearly_disconnected_graphs_align(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 6);
    for (int t = 0; t < cases(300); t++) {
        size_t half = 2 + (size_t)gersh__random_below(&random, 20), n = 2 * half;
        double m[MOST * MOST] = {0}, block[MOST * MOST], worst_aligned = 0, worst_bound = 0;
        int color[MOST];
        random_balanced(&random, block, color, half, t % 4, 1);
        for (size_t i = 0; i < half; i++)
            for (size_t j = 0; j < half; j++)
                m[i * n + j] = m[(half + i) * n + half + j] = block[i * half + j];
        m[half] = m[half * n] = pow(10, -6 - 12 * gersh__random_uniform(&random));
        gersh_graph *graph;
        gersh_discs *d;
        assert_ok(gersh_graph_from_dense(&graph, n, m, 0, NULL));
        assert_ok(gersh_discs_align(&d, graph, NULL));
        verify(m, n, d, &worst_aligned, &worst_bound);
        assert_true(worst_bound <= 1e-8);
        gersh_discs_free(d);
        gersh_graph_free(graph);
    }
}

static void failing_allocations_leak_nothing(void **unused)
{
    (void)unused;
    double m[] = {2, -2, 0, -2, 5, 0, 0, 0, 4};
    gersh_graph *graph;
    assert_ok(gersh_graph_from_dense(&graph, 3, m, 0, NULL));
    gersh_status status = GERSH_ERROR_MEMORY;
    for (long n = 1; status != GERSH_OK; n++) {
        gersh_discs *d;
        assert_true(n < 100);
        gersh__alloc_fail_at(n);
        status = gersh_discs_align(&d, graph, NULL);
        gersh__alloc_fail_at(0);
        assert_true(status == GERSH_OK || status == GERSH_ERROR_MEMORY);
        gersh_discs_free(d);
    }
    gersh_graph_free(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_papers_example),
        cmocka_unit_test(random_balanced_matrices_align),
        cmocka_unit_test(long_paths_keep_a_tight_bound),
        cmocka_unit_test(extreme_sizes_stay_finite),
        cmocka_unit_test(nearly_disconnected_graphs_align),
        cmocka_unit_test(failing_allocations_leak_nothing),
    };
    gersh__blas_hold(); /* small matrices: threads of BLAS would only slow the oracle down */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
