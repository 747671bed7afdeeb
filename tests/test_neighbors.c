/*
 * Nearest neighbours against sorting all distances taken from the dense matrix, to the row; ties,
 * duplicates, numbers of every size, threads, failing allocations; the map into Euclidean space against the
 * matrix.
 */
#include "check.h"

#include <float.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/threads.h"
#include "embed/map.h"
#include "gersh/neighbors.h"
#include "random_metrics.h"

typedef struct pair {
    double d;
    size_t row;
} pair;

static int by_distance(const void *a, const void *b)
{
    const pair *p = a, *q = b;
    return p->d != q->d ? (p->d < q->d ? -1 : 1) : p->row < q->row ? -1 : p->row > q->row;
}

static double *random_rows(gersh__random *random, size_t n, size_t k, double offset, double size)
{
    double *x = calloc(n * k + 1, sizeof *x);
    for (size_t e = 0; e < n * k; e++)
        x[e] = (gersh__random_normal(random) + offset) * size;
    return x;
}

/*
 * How the oracle takes distances: by the matrix, or as the library's own function does, for ties to the
 * bit.
 */
typedef struct oracle {
    size_t k;
    const double *m;
    const gersh_metric *metric;
} oracle;

static double oracle_distance(const oracle *o, const double *x, const double *y)
{
    double sum = 0;
    if (o->m != NULL)
        return matrix_distance(o->k, o->m, x, y);
    if (o->metric != NULL)
        return gersh_metric_distance(o->metric, x, y);
    for (size_t j = 0; j < o->k; j++)
        sum += (x[j] - y[j]) * (x[j] - y[j]);
    return sum;
}

/* The k nearest rows of x to q by sorting all of them; `own` is left out. */
static void brute_force(const oracle *o, pair *all, size_t n, const double *x, const double *q, size_t own)
{
    for (size_t i = 0; i < n; i++)
        all[i] = (pair){i == own ? HUGE_VAL : oracle_distance(o, x + i * o->k, q), i};
    qsort(all, n, sizeof *all, by_distance);
}

static void assert_lists(const oracle *o, const char *what, size_t n, const double *x, size_t queries,
                         const double *q, size_t k, const size_t *found, const double *distance,
                         double tolerance, int own)
{
    pair *all = calloc(n, sizeof *all);
    for (size_t i = 0; i < queries; i++) {
        brute_force(o, all, n, x, q + i * o->k, own ? i : n);
        for (size_t c = 0; c < k; c++) {
            if (found[i * k + c] != all[c].row)
                fail_msg("%s: neighbour %zu of query %zu is row %zu (%.17g), expected %zu (%.17g)", what, c,
                         i, found[i * k + c], distance[i * k + c], all[c].row, all[c].d);
            if (!(fabs(distance[i * k + c] - all[c].d) <= tolerance * all[c].d))
                fail_msg("%s: distance %zu of query %zu is %.17g, expected %.17g", what, c, i,
                         distance[i * k + c], all[c].d);
        }
    }
    free(all);
}

/* Both searches, with the oracle; x and q have no gaps. */
static void check_search(const char *what, const oracle *o, size_t n, const double *x, size_t queries,
                         const double *q, size_t k, int threads, double tolerance)
{
    gersh_neighbors *index = NULL;
    size_t most = n > queries ? n : queries;
    size_t *found = calloc(most * k, sizeof *found);
    double *distance = calloc(most * k, sizeof *distance);
    assert_ok(gersh_neighbors_new(&index, o->metric, n, o->k, x, o->k, threads));
    assert_ok(gersh_neighbors_find(index, distance, found, queries, q, o->k, k, NULL));
    assert_lists(o, what, n, x, queries, q, k, found, distance, tolerance, 0);
    if (k < n) {
        assert_ok(gersh_neighbors_find_own(index, distance, found, k, NULL));
        assert_lists(o, what, n, x, n, x, k, found, distance, tolerance, 1);
    }
    gersh_neighbors_free(index);
    free(found);
    free(distance);
}

static void random_cases_equal_brute_force(void **unused)
{
    (void)unused;
    static const double offsets[] = {0, 0, 10, 1e5};
    gersh__random random;
    gersh__random_seed(&random, 1);
    for (int c = 0; c < cases(200); c++) {
        char what[64];
        int shape = c % METRICS;
        size_t f = 1 + (size_t)gersh__random_below(&random, c % 7 == 0 ? 60 : 12);
        size_t n = 1 + (size_t)gersh__random_below(&random, 120),
               queries = (size_t)gersh__random_below(&random, 60);
        size_t k = 1 + (size_t)gersh__random_below(&random, c % 3 == 0 ? n : n < 5 ? n : 5);
        double offset = shape == SINGULAR_METRIC || shape == CIRCLE_METRIC ? 0 : offsets[c / METRICS % 4];
        double *x = random_rows(&random, n, f, offset, 1), *q = random_rows(&random, queries, f, offset, 1);
        gersh_metric *metric = random_metric(&random, f, shape);
        double *m = metric_matrix(metric, f);
        oracle o = {f, m, metric};
        /*
         * In a flat metric distances of 0 are rounding in both; the rows' order is then compared without
         * it.
         */
        int flat = metric != NULL && metric->rho == 0;
        snprintf(what, sizeof what, "case %d, metric %d", c, shape);
        if (flat)
            o.m = NULL;
        check_search(what, &o, n, x, queries, q, k, 1 + c % 3, 1e-8);
        free(m);
        free(x);
        free(q);
        gersh_metric_free(metric);
    }
}

/* More rows and queries than a tile has, and lists that fill up many times. */
static void many_rows_equal_brute_force(void **unused)
{
    (void)unused;
    static const size_t features[] = {1, 2, 9};
    gersh__random random;
    gersh__random_seed(&random, 2);
    for (int c = 0; c < cases(6); c++) {
        size_t n = 2600 + (size_t)c, queries = 700, f = features[c % 3];
        double *x = random_rows(&random, n, f, 0, 1), *q = random_rows(&random, queries, f, 0, 1);
        gersh_metric *metric = random_metric(&random, f, c < 3 ? NO_METRIC : TREE_METRIC);
        double *m = metric_matrix(metric, f);
        oracle o = {f, m, metric};
        size_t kk = c % 2 ? 7 : 200;
        pair *all = calloc(n, sizeof *all);
        gersh_neighbors *index = NULL;
        size_t *found = calloc(queries * kk, sizeof *found);
        double *distance = calloc(queries * kk, sizeof *distance);
        assert_ok(gersh_neighbors_new(&index, metric, n, f, x, f, 2));
        assert_ok(gersh_neighbors_find(index, distance, found, queries, q, f, kk, NULL));
        for (size_t i = 0; i < queries; i += 13) {
            brute_force(&o, all, n, x, q + i * f, n);
            for (size_t e = 0; e < kk; e++)
                assert_int_equal(found[i * kk + e], all[e].row);
        }
        gersh_neighbors_free(index);
        gersh_metric_free(metric);
        free(all);
        free(found);
        free(distance);
        free(m);
        free(x);
        free(q);
    }
}

/* On a grid most distances are shared by many rows: the smaller row number goes first, to the bit. */
static void ties_go_by_row_number(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 3);
    for (int c = 0; c < cases(40); c++) {
        size_t n = 500, f = 1 + (size_t)c % 4, queries = 40;
        double *x = calloc(n * f, sizeof *x), *q = calloc(queries * f, sizeof *q);
        for (size_t e = 0; e < n * f; e++)
            x[e] = (double)gersh__random_below(&random, 5) + (c % 2 ? 1e4 : 0);
        for (size_t e = 0; e < queries * f; e++)
            q[e] = (double)gersh__random_below(&random, 5) + (c % 2 ? 1e4 : 0);
        gersh_metric *metric = random_metric(&random, f,
                                             c % 3 == 0   ? NO_METRIC
                                             : c % 3 == 1 ? TREE_METRIC
                                                          : CROWDED_METRIC);
        oracle o = {f, NULL, metric};
        check_search("grid", &o, n, x, queries, q, 1 + (size_t)c * 7 % 60, 1 + c % 2, 0);
        gersh_metric_free(metric);
        free(x);
        free(q);
    }
}

/*
 * Equal rows under dense atoms: their distances are equal to the bit, so that their order is that of the
 * rows.
 */
static void equal_rows_keep_their_order(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 4);
    size_t n = 200, f = 9, k = 199, *found = calloc(n * k, sizeof *found);
    for (int shape = FEW_DENSE_METRIC; shape < METRICS; shape++) {
        double *x = random_rows(&random, n, f, 0, 1);
        for (size_t i = 10; i < n; i++)
            memcpy(x + i * f, x + i % 10 * f, f * sizeof *x);
        gersh_metric *metric = random_metric(&random, f, shape);
        gersh_neighbors *index = NULL;
        assert_ok(gersh_neighbors_new(&index, metric, n, f, x, f, 2));
        assert_ok(gersh_neighbors_find_own(index, NULL, found, k, NULL));
        for (size_t i = 0; i < n; i++)
            for (size_t c = 0; c < k; c++) {
                int begins = c == 0 || (c >= 19 && (c - 19) % 20 == 0); /* a group of equal rows */
                if (c < 19)
                    assert_int_equal(found[i * k + c] % 10, i % 10);
                if (!begins)
                    assert_true(found[i * k + c] > found[i * k + c - 1]);
            }
        gersh_neighbors_free(index);
        gersh_metric_free(metric);
        free(x);
    }
    free(found);
}

/* Numbers near the ends of the range, a row far from all others, and a query far from all rows. */
static void numbers_of_every_size(void **unused)
{
    (void)unused;
    static const double sizes[] = {1e-300, 1e-160, 1e-150, 1e-100, 1e-30, 1e-5, 1e5, 1e30, 1e100, 1e150};
    gersh__random random;
    gersh__random_seed(&random, 5);
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (int outlier = 0; outlier < 3; outlier++) {
            size_t n = 200, f = 3, queries = 20;
            double *x = random_rows(&random, n, f, 0, sizes[s]),
                   *q = random_rows(&random, queries, f, 0, sizes[s]);
            gersh_metric *metric = random_metric(&random, f, s % 2 ? NO_METRIC : TREE_METRIC);
            for (size_t j = 0; outlier == 1 && j < f; j++)
                x[7 * f + j] *= sizes[s] < 1 ? 1e40 : 2;
            for (size_t j = 0; outlier == 2 && j < f; j++)
                q[7 * f + j] *= sizes[s] < 1e60 ? 1e45 : 1e3;
            oracle o = {f, NULL, metric};
            check_search("sizes", &o, n, x, queries, q, 5, 1, 0);
            gersh_metric_free(metric);
            free(x);
            free(q);
        }
}

static void threads_do_not_matter(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 6);
    size_t n = 700, f = 20, k = 12, queries = 150;
    double *x = random_rows(&random, n, f, 0, 1), *q = random_rows(&random, queries, f, 0, 1);
    size_t *found[3];
    double *distance[3];
    for (int shape = 0; shape < METRICS; shape++) {
        gersh_metric *metric = random_metric(&random, f, shape);
        for (int t = 0; t < 3; t++) {
            gersh_neighbors *index = NULL;
            found[t] = calloc((queries + n) * k, sizeof *found[t]);
            distance[t] = calloc((queries + n) * k, sizeof *distance[t]);
            assert_ok(gersh_neighbors_new(&index, metric, n, f, x, f, t == 2 ? 5 : t + 1));
            assert_ok(gersh_neighbors_find(index, distance[t], found[t], queries, q, f, k, NULL));
            assert_ok(gersh_neighbors_find_own(index, distance[t] + queries * k, found[t] + queries * k, k,
                                               NULL));
            gersh_neighbors_free(index);
            assert_memory_equal(found[t], found[0], (queries + n) * k * sizeof *found[t]);
            assert_memory_equal(distance[t], distance[0], (queries + n) * k * sizeof *distance[t]);
        }
        for (int t = 0; t < 3; t++) {
            free(found[t]);
            free(distance[t]);
        }
        gersh_metric_free(metric);
    }
    free(x);
    free(q);
}

typedef struct shared_search {
    gersh_neighbors *index;
    size_t found[200 * 5];
    gersh_status status;
} shared_search;

static void *search_often(void *argument)
{
    shared_search *s = argument;
    for (int i = 0; i < cases(20) && s->status == GERSH_OK; i++)
        s->status = gersh_neighbors_find_own(s->index, NULL, s->found, 5, NULL);
    return NULL;
}

static void threads_share_an_index(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 8);
    enum { n = 200, f = 6, users = 3 };
    double *x = random_rows(&random, n, f, 0, 1);
    gersh_neighbors *index = NULL;
    static shared_search all[users];
    pthread_t thread[users];
    assert_ok(gersh_neighbors_new(&index, NULL, n, f, x, f, 2));
    for (int t = 0; t < users; t++) {
        all[t] = (shared_search){.index = index};
        assert_int_equal(pthread_create(&thread[t], NULL, search_often, &all[t]), 0);
    }
    for (int t = 0; t < users; t++) {
        assert_int_equal(pthread_join(thread[t], NULL), 0);
        assert_int_equal(all[t].status, GERSH_OK);
        assert_memory_equal(all[t].found, all[0].found, sizeof all[0].found);
    }
    gersh_neighbors_free(index);
    free(x);
}

/* Rows with gaps between them, in the index and in the queries. */
static void strides(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 7);
    enum { n = 60, f = 4, wide = 7, k = 5 };
    double *x = random_rows(&random, n, wide, 0, 1), packed[n * f];
    size_t found[n * k], again[n * k];
    gersh_metric *metric = random_metric(&random, f, CROWDED_METRIC);
    gersh_neighbors *index = NULL;
    for (size_t i = 0; i < n; i++)
        memcpy(packed + i * f, x + i * wide, f * sizeof *x);
    assert_ok(gersh_neighbors_new(&index, metric, n, f, x, wide, 1));
    assert_ok(gersh_neighbors_find(index, NULL, found, n, x, wide, k, NULL));
    gersh_neighbors_free(index);
    assert_ok(gersh_neighbors_new(&index, metric, n, f, packed, f, 1));
    assert_ok(gersh_neighbors_find(index, NULL, again, n, packed, f, k, NULL));
    assert_memory_equal(found, again, sizeof found);
    gersh_neighbors_free(index);
    gersh_metric_free(metric);
    free(x);
}

static void wrong_calls_are_refused(void **unused)
{
    (void)unused;
    double x[] = {0, 1, 2, 3, 4, NAN}, huge[] = {1e200, -1e200};
    size_t found[16];
    gersh_neighbors *index = NULL;
    gersh_metric *metric = NULL;
    gersh_cancel cancel = {1};
    assert_ok(gersh_metric_new(&metric, 3, 1, 0, 0));
    assert_int_equal(gersh_neighbors_new(&index, NULL, 0, 2, x, 2, 1), GERSH_ERROR_ARGUMENT);
    assert_int_equal(gersh_neighbors_new(&index, NULL, 3, 2, x, 1, 1), GERSH_ERROR_ARGUMENT);
    assert_string_equal(gersh_last_error(),
                        "the stride is 1; it must be at least the number of features, 2");
    assert_int_equal(gersh_neighbors_new(&index, NULL, 3, 2, x, 2, 1), GERSH_ERROR_INPUT);
    assert_string_equal(gersh_last_error(),
                        "row 3, feature 2: the value is not finite; all values must be");
    assert_int_equal(gersh_neighbors_new(&index, metric, 2, 2, x, 2, 1), GERSH_ERROR_ARGUMENT);
    assert_string_equal(gersh_last_error(),
                        "the metric has 3 features but the rows have 2; use rows of the metric's features");
    assert_int_equal(gersh_neighbors_new(&index, NULL, 2, 1, huge, 1, 1), GERSH_ERROR_NUMERIC);
    assert_int_equal(gersh_neighbors_new(&index, NULL, 2, 2, x, 2, -1), GERSH_ERROR_ARGUMENT);
    assert_null(index);
    assert_ok(gersh_neighbors_new(&index, NULL, 2, 2, x, 2, 1));
    assert_int_equal(gersh_neighbors_find(index, NULL, found, 1, x, 2, 3, NULL), GERSH_ERROR_ARGUMENT);
    assert_string_equal(gersh_last_error(),
                        "3 neighbours are asked for but there are 2 rows; ask for 1 to 2");
    assert_int_equal(gersh_neighbors_find(index, NULL, found, 1, x, 2, 0, NULL), GERSH_ERROR_ARGUMENT);
    assert_int_equal(gersh_neighbors_find(index, NULL, found, 3, x, 2, 1, NULL), GERSH_ERROR_INPUT);
    assert_int_equal(gersh_neighbors_find_own(index, NULL, found, 2, NULL), GERSH_ERROR_ARGUMENT);
    assert_string_equal(gersh_last_error(),
                        "2 other rows are asked for as neighbours but each of the 2 rows has 1");
    assert_int_equal(gersh_neighbors_find(index, NULL, found, 2, x, 2, 1, &cancel), GERSH_ERROR_CANCELLED);
    assert_ok(gersh_neighbors_find(index, NULL, found, 0, NULL, 2, 1, NULL));
    gersh_neighbors_free(index);
    gersh_neighbors_free(NULL);
    gersh_metric_free(metric);
}

/* A metric that is 0: every row is at distance 0, and the first ones are the nearest. */
static void nothing_counts(void **unused)
{
    (void)unused;
    double x[] = {5, 4, 3, 2, 1, 0};
    size_t found[6 * 3];
    gersh_metric *metric = NULL;
    gersh_neighbors *index = NULL;
    assert_ok(gersh_metric_new(&metric, 1, 0, 0, 0));
    assert_ok(gersh_neighbors_new(&index, metric, 6, 1, x, 1, 1));
    assert_ok(gersh_neighbors_find_own(index, NULL, found, 3, NULL));
    for (size_t i = 0; i < 6; i++)
        for (size_t c = 0; c < 3; c++)
            assert_int_equal(found[i * 3 + c], c + (i <= c));
    gersh_neighbors_free(index);
    gersh_metric_free(metric);
}

static void failing_allocations_leak_nothing(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 8);
    size_t n = 30, f = 20, found[30 * 3];
    double *x = random_rows(&random, n, f, 0, 1);
    for (int shape = 0; shape < METRICS; shape++) {
        gersh_metric *metric = random_metric(&random, f, shape);
        long made = 1;
        for (long at = 1; made >= at || at == 1; at++) {
            gersh_neighbors *index = NULL;
            gersh__alloc_fail_at(at);
            gersh_status status = gersh_neighbors_new(&index, metric, n, f, x, f, 1);
            assert_int_equal(status == GERSH_OK, index != NULL);
            if (status == GERSH_OK)
                status = gersh_neighbors_find(index, NULL, found, n, x, f, 3, NULL);
            made = gersh__alloc_fail_at(0);
            assert_int_equal(status, made >= at ? GERSH_ERROR_MEMORY : GERSH_OK);
            gersh_neighbors_free(index);
        }
        gersh_metric_free(metric);
    }
    free(x);
}

/* FᵀF = M, no more columns than features where M is definite, and few entries for sparse graphs. */
static void the_map_is_a_factor(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 9);
    for (int c = 0; c < cases(300); c++) {
        size_t k = 1 + (size_t)gersh__random_below(&random, c % 10 == 9 ? 150 : 25);
        gersh_metric *metric = random_metric(&random, k, 1 + c % (METRICS - 1));
        gersh__map *map = NULL;
        assert_ok(gersh__map_new(&map, metric, k));
        double *m = metric_matrix(metric, k), *unit = calloc(k * k, sizeof *unit), largest = 0;
        double *y = calloc(k * map->columns + 1, sizeof *y),
               *scratch = calloc(k * map->widest + 1, sizeof *scratch);
        for (size_t i = 0; i < k; i++) {
            unit[i * k + i] = 1;
            largest = fmax(largest, m[i * k + i]);
        }
        gersh__map_apply(map, y, k, unit, k, scratch);
        for (size_t i = 0; i < k; i++)
            for (size_t j = 0; j < k; j++) {
                double sum = 0;
                for (size_t l = 0; l < map->columns; l++)
                    sum += y[i * map->columns + l] * y[j * map->columns + l];
                if (!(fabs(sum - m[i * k + j]) <= 1e-13 * (double)k * largest))
                    fail_msg("case %d: entry %zu %zu is %.17g, expected %.17g", c, i, j, sum, m[i * k + j]);
            }
        assert_true(fabs(map->square - gersh_metric_trace(metric)) <= 1e-12 * map->square);
        if (metric->dense == NULL && metric->rho > 0)
            assert_int_equal(map->columns, k);
        free(m);
        free(unit);
        free(y);
        free(scratch);
        gersh__map_free(map);
        gersh_metric_free(metric);
    }
    size_t k = 20000; /* a tree: no fill */
    gersh_metric *metric = random_metric(&random, k, TREE_METRIC);
    gersh__map *map = NULL;
    assert_ok(gersh__map_new(&map, metric, k));
    assert_true(map->columns == k && map->blocks == 0 && map->start[k] <= 2 * k);
    gersh__map_free(map);
    gersh_metric_free(metric);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_cases_equal_brute_force),
        cmocka_unit_test(many_rows_equal_brute_force),
        cmocka_unit_test(ties_go_by_row_number),
        cmocka_unit_test(equal_rows_keep_their_order),
        cmocka_unit_test(numbers_of_every_size),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(threads_share_an_index),
        cmocka_unit_test(strides),
        cmocka_unit_test(wrong_calls_are_refused),
        cmocka_unit_test(nothing_counts),
        cmocka_unit_test(failing_allocations_leak_nothing),
        cmocka_unit_test(the_map_is_a_factor),
    };
    gersh__blas_hold(); /* small matrices: threads of BLAS would only slow the oracle down */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
