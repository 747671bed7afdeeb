/* LOBPCG against LAPACK on random balanced matrices and on Laplacians, and its behaviour at the edges. */
#include "check.h"

#include <lapacke.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/threads.h"
#include "gersh/linalg.h"
#include "matrices.h"

#define MOST 400

typedef struct dense {
    const double *m;
    int calls; /* vectors multiplied so far */
    int spoil; /* from this call on, the result has a NaN; 0 never */
    gersh_cancel *cancel;
} dense;

static void dense_apply(void *context, size_t n, size_t columns, const double *x, double *y)
{
    dense *d = context;
    for (size_t c = 0; c < columns; c++) {
        for (size_t i = 0; i < n; i++) {
            double sum = 0;
            for (size_t j = 0; j < n; j++)
                sum += d->m[i * n + j] * x[c * n + j];
            y[c * n + i] = sum;
        }
        d->calls++;
        if (d->spoil > 0 && d->calls >= d->spoil)
            y[c * n] = NAN;
        if (d->cancel != NULL && d->calls > 30)
            gersh_cancel_request(d->cancel);
    }
}

static double oracle_smallest(const double *m, size_t n, double *norm, double *second)
{
    double *a = malloc(n * n * sizeof *a), *values = malloc(n * sizeof *values);
    memcpy(a, m, n * n * sizeof *a);
    assert_int_equal(LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'U', (lapack_int)n, a, (lapack_int)n, values), 0);
    double smallest = values[0];
    *norm = fmax(fabs(values[0]), fabs(values[n - 1]));
    *second = n > 1 ? values[1] : values[0];
    free(a);
    free(values);
    return smallest;
}

/* Solves from a random start and compares with LAPACK. */
static gersh_lobpcg_result compare(const double *m, size_t n)
{
    dense d = {.m = m};
    gersh_lobpcg *state;
    gersh_lobpcg_result r;
    double norm, second, lambda = oracle_smallest(m, n, &norm, &second), length = 0, residual = 0;
    double *v = malloc(n * sizeof *v), *image = malloc(n * sizeof *image);
    assert_ok(gersh_lobpcg_new(&state, n));
    assert_ok(gersh_lobpcg_solve(NULL, v, state, dense_apply, &d, NULL)); /* the vector alone */
    gersh_lobpcg_start(state, NULL);
    memcpy(image, v, n * sizeof *v);
    assert_ok(gersh_lobpcg_solve(&r, v, state, dense_apply, &d, NULL));
    assert_memory_equal(v, image, n * sizeof *v);
    dense_apply(&d, n, 1, v, image);
    for (size_t i = 0; i < n; i++) {
        length = hypot(length, v[i]);
        residual = hypot(residual, image[i] - r.value * v[i]);
    }
    assert_true(r.converged);
    assert_true(fabs(length - 1) < 1e-12);
    assert_true(fabs(residual - r.residual) <= 1e-12 * norm);
    assert_true(residual <= 2e-10 * norm);
    assert_true(fabs(r.value - lambda) <= 2e-10 * norm);
    assert_true(r.value >= lambda - 1e-13 * (double)n * norm);
    gersh_lobpcg_free(state);
    free(v);
    free(image);
    return r;
}

static void random_matrices_agree_with_lapack(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 7);
    double *m = malloc(MOST * MOST * sizeof *m);
    int color[MOST], total = cases(1000);
    long iterations = 0;
    for (int t = 0; t < total; t++) {
        size_t n = t % 3 == 0 ? 1 + (size_t)gersh__random_below(&random, 64)
                              : 65 + (size_t)gersh__random_below(&random, t % 20 == 1 ? MOST - 64 : 60);
        random_balanced(&random, m, color, n, t % SHAPES, t % 3);
        iterations += compare(m, n).iterations;
    }
    print_message("%d matrices of order 1 to %d, %.1f iterations on average\n", total, MOST,
                  (double)iterations / total);
    free(m);
}

static void add_edge(double *m, size_t n, size_t i, size_t j)
{
    m[i * n + j] -= 1;
    m[j * n + i] -= 1;
    m[i * n + i] += 1;
    m[j * n + j] += 1;
}

static void laplacians_agree_with_lapack(void **unused)
{
    (void)unused;
    double *m = malloc(MOST * MOST * sizeof *m);
    size_t sizes[] = {2, 9, 64, 65, 81, 100, 144, 225, 324, 400};
    for (int t = 0; t < (cases(100) > 1 ? 10 : 6); t++) {
        size_t n = sizes[t], width = (size_t)(sqrt((double)n) + 0.5);
        memset(m, 0, n * n * sizeof *m);
        for (size_t i = 0; i + 1 < n; i++) /* path */
            add_edge(m, n, i, i + 1);
        compare(m, n);
        memset(m, 0, n * n * sizeof *m);
        for (size_t i = 1; i < n; i++) /* star */
            add_edge(m, n, 0, i);
        compare(m, n);
        memset(m, 0, n * n * sizeof *m);
        for (size_t i = 0; i < n; i++) { /* grid */
            if ((i + 1) % width != 0 && i + 1 < n)
                add_edge(m, n, i, i + 1);
            if (i + width < n)
                add_edge(m, n, i, i + width);
        }
        compare(m, n);
    }
    free(m);
}

/* Q D Qᵀ with Q a product of reflections: any spectrum that we like, in no special basis. */
static void with_spectrum(gersh__random *random, double *m, const double *values, size_t n)
{
    double w[MOST], image[MOST];
    memset(m, 0, n * n * sizeof *m);
    for (size_t i = 0; i < n; i++)
        m[i * n + i] = values[i];
    for (int k = 0; k < 3; k++) {
        double length = 0, middle = 0;
        for (size_t i = 0; i < n; i++) {
            w[i] = gersh__random_normal(random);
            length = hypot(length, w[i]);
        }
        for (size_t i = 0; i < n; i++)
            w[i] /= length;
        for (size_t i = 0; i < n; i++) {
            image[i] = 0;
            for (size_t j = 0; j < n; j++)
                image[i] += m[i * n + j] * w[j];
            middle += w[i] * image[i];
        }
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                m[i * n + j] += 4 * middle * w[i] * w[j] - 2 * w[i] * image[j] - 2 * image[i] * w[j];
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            m[i * n + j] = m[j * n + i] = (m[i * n + j] + m[j * n + i]) / 2;
}

static void clusters_and_multiples_converge(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 8);
    double *m = malloc(MOST * MOST * sizeof *m), values[MOST];
    for (int t = 0; t < cases(60); t++) {
        size_t n = 65 + (size_t)gersh__random_below(&random, 100);
        size_t group = 1 + (size_t)gersh__random_below(&random, 20);
        double width = t % 3 == 0 ? 0 : pow(10, -1 - 11 * gersh__random_uniform(&random));
        for (size_t i = 0; i < n; i++)
            values[i] = i < group ? -1 + width * gersh__random_uniform(&random)
                                  : 10 * gersh__random_uniform(&random);
        with_spectrum(&random, m, values, n);
        assert_true(compare(m, n).iterations <= (int)n + 1);
    }
    for (size_t i = 0; i < 100; i++) /* a multiple of the identity: every vector will do */
        values[i] = 3;
    with_spectrum(&random, m, values, 100);
    assert_true(compare(m, 100).iterations <= 1);
    memset(m, 0, 100 * 100 * sizeof *m);
    dense d = {.m = m};
    gersh_lobpcg *state;
    gersh_lobpcg_result r;
    assert_ok(gersh_lobpcg_new(&state, 100));
    assert_ok(gersh_lobpcg_solve(&r, values, state, dense_apply, &d, NULL));
    assert_true(r.converged && r.value == 0);
    gersh_lobpcg_free(state);
    free(m);
}

/* After a small change the second solve takes a fraction of the first one's iterations. */
static void warm_starts_are_short(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 9);
    double *m = malloc(MOST * MOST * sizeof *m), v[MOST];
    int color[MOST];
    long cold = 0, warm = 0, from_vector = 0;
    for (int t = 0; t < (cases(100) > 1 ? 40 : 3); t++) {
        size_t n = 100 + (size_t)gersh__random_below(&random, 100);
        random_balanced(&random, m, color, n, t % 2 ? TREE_SHAPE : SPARSE_SHAPE, 1);
        dense d = {.m = m};
        gersh_lobpcg *state;
        gersh_lobpcg_result r;
        gersh_lobpcg_options options = {.tol = 1e-8};
        assert_ok(gersh_lobpcg_new(&state, n));
        assert_ok(gersh_lobpcg_solve(&r, v, state, dense_apply, &d, &options));
        cold += r.iterations;
        m[0] *= 1 + 1e-5;
        m[1] *= 1 + 1e-5;
        m[n] = m[1];
        assert_ok(gersh_lobpcg_solve(&r, v, state, dense_apply, &d, &options));
        warm += r.iterations;
        m[0] *= 1 + 1e-5;
        gersh_lobpcg_start(state, v);
        assert_ok(gersh_lobpcg_solve(&r, v, state, dense_apply, &d, &options));
        from_vector += r.iterations;
        double norm, second, lambda = oracle_smallest(m, n, &norm, &second);
        assert_true(fabs(r.value - lambda) <= 1e-8 * norm);
        gersh_lobpcg_free(state);
    }
    print_message("iterations: cold %ld, warm %ld, from the last vector alone %ld\n", cold, warm,
                  from_vector);
    assert_true(4 * warm < cold);
    assert_true(2 * from_vector < cold);
    free(m);
}

/* Started exactly on the second eigenvector, it must still find the first. */
static void a_wrong_start_does_no_harm(void **unused)
{
    (void)unused;
    double *m = calloc(100 * 100, sizeof *m), v[100] = {0};
    for (size_t i = 0; i < 100; i++)
        m[i * 100 + i] = (double)i;
    v[1] = 1;
    dense d = {.m = m};
    gersh_lobpcg *state;
    gersh_lobpcg_result r;
    assert_ok(gersh_lobpcg_new(&state, 100));
    gersh_lobpcg_start(state, v);
    assert_ok(gersh_lobpcg_solve(&r, v, state, dense_apply, &d, NULL));
    assert_true(r.converged && fabs(r.value) < 1e-8);
    for (size_t i = 0; i < 100; i++)
        v[i] = i == 3 ? NAN : 0;
    gersh_lobpcg_start(state, v);
    assert_ok(gersh_lobpcg_solve(&r, v, state, dense_apply, &d, NULL));
    assert_true(r.converged && fabs(r.value) < 1e-8);
    gersh_lobpcg_free(state);
    free(m);
}

static void diagonal_apply(void *context, size_t n, size_t columns, const double *x, double *y)
{
    const double *values = context;
    for (size_t i = 0; i < n * columns; i++)
        y[i] = values[i % n] * x[i];
}

static void diagonal_inverse(void *context, size_t n, size_t columns, const double *x, double *y)
{
    const double *values = context;
    for (size_t i = 0; i < n * columns; i++)
        y[i] = x[i] / values[i % n];
}

static void preconditioners_help(void **unused)
{
    (void)unused;
    size_t n = 5000;
    double *values = malloc(n * sizeof *values), *v = malloc(n * sizeof *v);
    for (size_t i = 0; i < n; i++)
        values[i] = pow(10, 6 * (double)i / (double)n);
    gersh_lobpcg *state;
    gersh_lobpcg_result plain, helped;
    gersh_lobpcg_options options = {.max_iter = 200};
    assert_ok(gersh_lobpcg_new(&state, n));
    assert_ok(gersh_lobpcg_solve(&plain, v, state, diagonal_apply, values, &options));
    assert_false(plain.converged);
    assert_int_equal(plain.iterations, 200);
    gersh_lobpcg_start(state, NULL);
    options.preconditioner = diagonal_inverse;
    options.preconditioner_context = values;
    options.tol = 1e-14;
    assert_ok(gersh_lobpcg_solve(&helped, v, state, diagonal_apply, values, &options));
    assert_true(helped.converged && helped.iterations < 200);
    assert_true(fabs(helped.value - 1) < 1e-8);
    gersh_lobpcg_free(state);
    free(values);
    free(v);
}

static void faults_are_reported(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 10);
    double *m = malloc(MOST * MOST * sizeof *m), v[MOST];
    int color[MOST];
    size_t sizes[] = {20, 120};
    for (int t = 0; t < 2; t++) {
        size_t n = sizes[t];
        random_balanced(&random, m, color, n, TREE_SHAPE, 1);
        gersh_lobpcg *state;
        gersh_lobpcg_result r;
        assert_ok(gersh_lobpcg_new(&state, n));
        for (int spoil = 1; spoil < 40; spoil += 6) {
            dense d = {.m = m, .spoil = spoil};
            gersh_lobpcg_start(state, NULL);
            if (t == 1 || spoil <= 20) {
                assert_int_equal(gersh_lobpcg_solve(&r, v, state, dense_apply, &d, NULL),
                                 GERSH_ERROR_NUMERIC);
                assert_string_equal(gersh_last_error(),
                                    "the operator of the eigenproblem gave a value that is not finite");
            }
        }
        gersh_cancel cancel = {0};
        dense d = {.m = m, .cancel = &cancel};
        gersh_lobpcg_options options = {.cancel = &cancel};
        gersh_lobpcg_start(state, NULL);
        gersh_status status = gersh_lobpcg_solve(&r, v, state, dense_apply, &d, &options);
        assert_int_equal(status, t == 0 ? GERSH_OK : GERSH_ERROR_CANCELLED);
        gersh_lobpcg_free(state);
    }
    gersh_lobpcg *state;
    assert_int_equal(gersh_lobpcg_new(&state, 0), GERSH_ERROR_ARGUMENT);
    for (long at = 1;; at++) {
        gersh__alloc_fail_at(at);
        gersh_status status = gersh_lobpcg_new(&state, 100);
        gersh__alloc_fail_at(0);
        if (status == GERSH_OK)
            break;
        assert_int_equal(status, GERSH_ERROR_MEMORY);
        assert_null(state);
    }
    gersh_lobpcg_free(state);
    gersh_lobpcg_free(NULL);
    free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_matrices_agree_with_lapack),
        cmocka_unit_test(laplacians_agree_with_lapack),
        cmocka_unit_test(clusters_and_multiples_converge),
        cmocka_unit_test(warm_starts_are_short),
        cmocka_unit_test(a_wrong_start_does_no_harm),
        cmocka_unit_test(preconditioners_help),
        cmocka_unit_test(faults_are_reported),
    };
    gersh__blas_hold(); /* small matrices: threads of BLAS would only slow the oracle down */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
