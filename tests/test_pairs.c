/* Pairs made of data sets: which there are, what is known of them, and estimates of their Gram matrices. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random.h"
#include "pairs.h"
#include "samples.h"

typedef struct problem {
    gersh_dataset *data;
    gersh__pairs *pairs;
    gersh__pool *pool;
    double *weight;
    size_t *list_first, *list_second, listed;
} problem;

static double *randoms(gersh__random *random, size_t count)
{
    double *x = malloc((count + 1) * sizeof *x);
    for (size_t i = 0; i < count; i++)
        x[i] = gersh__random_normal(random);
    return x;
}

/* listed = 0: all pairs. */
static problem make(gersh__random *random, size_t n, size_t k, size_t classes, int weighted, size_t listed,
                    int threads)
{
    problem q = {.data = random_data(random, n, k, classes), .listed = listed};
    if (weighted) {
        q.weight = malloc(n * sizeof *q.weight);
        for (size_t i = 0; i < n; i++)
            q.weight[i] = (double)(1 + gersh__random_below(random, 3));
    }
    if (listed > 0) {
        q.list_first = malloc(listed * sizeof *q.list_first);
        q.list_second = malloc(listed * sizeof *q.list_second);
        for (size_t p = 0; p < listed; p++) {
            q.list_first[p] = (size_t)gersh__random_below(random, n);
            q.list_second[p] = (q.list_first[p] + 1 + (size_t)gersh__random_below(random, n - 1)) % n;
        }
    }
    assert_ok(gersh__pool_new(&q.pool, threads));
    assert_ok(gersh__pairs_new(&q.pairs, q.data, q.weight, listed, q.list_first, q.list_second, q.pool));
    return q;
}

static void drop(problem *q)
{
    gersh__pairs_free(q->pairs);
    gersh__pool_free(q->pool);
    gersh_dataset_free(q->data);
    free(q->weight);
    free(q->list_first);
    free(q->list_second);
}

static void samples_are_in_the_order_of_classes(void **unused)
{
    gersh__random random;
    (void)unused;
    gersh__random_seed(&random, 1);
    for (int round = 0; round < cases(200); round++) {
        size_t n = 2 + (size_t)gersh__random_below(&random, 30),
               k = 1 + (size_t)gersh__random_below(&random, 4);
        size_t classes = (size_t)gersh__random_below(&random, 5);
        problem q = make(&random, n, k, classes, round % 2, 0, 1);
        const gersh__pairs *pairs = q.pairs;
        const gersh__supervision *known = gersh__pairs_supervision(pairs);
        const int *labels = gersh_dataset_labels(q.data);
        assert_int_equal(gersh__pairs_samples(pairs), n);
        assert_int_equal(gersh__pairs_count(pairs), n * (n - 1) / 2);
        for (size_t i = 0; i < n; i++) {
            size_t row = gersh__pairs_row(pairs, i);
            for (size_t f = 0; f < k; f++)
                assert_true(
                    fabs(gersh__pairs_columns(pairs)[f * n + i] - gersh__pairs_columns(pairs)[f * n] -
                         (gersh_dataset_values(q.data)[row * k + f] -
                          gersh_dataset_values(q.data)[gersh__pairs_row(pairs, 0) * k + f])) < 1e-14);
            assert_true((gersh__supervision_weights(known) != NULL) == (q.weight != NULL));
            assert_true(gersh__supervision_weight(known, i) == (q.weight != NULL ? q.weight[row] : 1));
            assert_int_equal(gersh__supervision_class(known, i), labels != NULL ? labels[row] : 0);
            if (labels == NULL)
                assert_true(gersh__supervision_targets(known)[i] == gersh_dataset_targets(q.data)[row]);
            if (i > 0 && (labels == NULL || labels[row] == labels[gersh__pairs_row(pairs, i - 1)]))
                assert_true(row > gersh__pairs_row(pairs, i - 1));
        }
        drop(&q);
    }
}

/* All pairs and listed ones, three times as many as are looked at and more: near the whole sum, and not it. */
static void gram_of_a_part_is_near_that_of_all(void **unused)
{
    enum { M = 3 };
    gersh__random random;
    (void)unused;
    gersh__random_seed(&random, 6);
    for (int round = 0; round < 8; round++) {
        problem q = make(&random, 400, 2, 2, 0, round % 2 ? 60000 : 0, 1 + round % 3);
        double *t = randoms(&random, gersh__pairs_samples(q.pairs) * M),
               *c = randoms(&random, gersh__pairs_count(q.pairs));
        double all[M * M], part[M * M];
        for (size_t p = 0; p < gersh__pairs_count(q.pairs); p++)
            c[p] = fabs(c[p]);
        assert_ok(gersh__pairs_gram(q.pairs, c, M, t, all));
        assert_ok(gersh__pairs_gram_estimate(q.pairs, c, M, t, NULL, part));
        for (size_t e = 0; e < M * M; e++) {
            assert_true(fabs(part[e] - all[e]) <= 0.15 * all[e]);
            assert_true(part[e] != all[e]);
        }
        free(t);
        free(c);
        drop(&q);
    }
}

/* c and its opposite give the same, to the bit: of sampled pairs, of all, and of so few that they are added one by one. */
static void gram_estimate_takes_either_sign(void **unused)
{
    enum { M = 3 };
    static const size_t rows[] = {400, 90, 5};
    gersh__random random;
    (void)unused;
    gersh__random_seed(&random, 9);
    for (int round = 0; round < 12; round++) {
        problem q = make(&random, rows[round / 4], 2, 2, 0, round % 2 ? 100 : 0, 1);
        size_t count = gersh__pairs_count(q.pairs);
        double *t = randoms(&random, gersh__pairs_samples(q.pairs) * M), *c = randoms(&random, count),
               h[2][M * M], minus_mean[M] = {-0.1, -0.2, -0.3};
        for (int run = 0; run < 2; run++) {
            for (size_t p = 0; p < count; p++)
                c[p] = run == 0 ? fabs(c[p]) : -c[p];
            assert_ok(
                gersh__pairs_gram_estimate(q.pairs, c, M, t, round % 4 < 2 ? minus_mean : NULL, h[run]));
        }
        assert_memory_equal(h[0], h[1], sizeof h[0]);
        free(t);
        free(c);
        drop(&q);
    }
}

static void rows_of_weight_0_are_left_out(void **unused)
{
    static const double x[] = {1, 2, 3, 4, 5};
    static const char *const labels[] = {"b", "a", "b", "a", "b"};
    static const double weight[] = {1, 0, 2, 3, 0.5};
    static const size_t first[] = {0, 1, 2}, second[] = {1, 2, 3};
    gersh_dataset *data;
    gersh__pairs *pairs;
    (void)unused;
    assert_ok(gersh_dataset_new(&data, 5, 1, x, 1, labels, NULL, NULL));
    assert_ok(gersh__pairs_new(&pairs, data, weight, 0, NULL, NULL, NULL));
    assert_int_equal(gersh__pairs_samples(pairs), 4);
    assert_int_equal(gersh__pairs_count(pairs), 6);
    static const size_t rows[] = {3, 0, 2, 4};
    const size_t *start;
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(gersh__pairs_row(pairs, i), rows[i]);
    assert_int_equal(gersh__supervision_classes(gersh__pairs_supervision(pairs), &start), 2);
    assert_true(start[1] == 1 && start[2] == 4);
    gersh__pairs_free(pairs);
    assert_ok(gersh__pairs_new(&pairs, data, weight, 3, first, second, NULL));
    assert_int_equal(gersh__pairs_count(pairs), 1);
    assert_true(pair_row(pairs, 0) == 2 && pair_other_row(pairs, 0) == 3);
    gersh__pairs_free(pairs);
    assert_int_equal(gersh__pairs_new(&pairs, data, weight, 1, first, second, NULL), GERSH_ERROR_INPUT);
    assert_string_equal(gersh_last_error(),
                        "every listed pair has a row of weight 0; at least one pair must count");
    gersh_dataset_free(data);
}

static void wrong_arguments_are_refused(void **unused)
{
    static const double x[] = {1, 2, 3}, negative[] = {1, -1, 1}, nan[] = {1, NAN, 1}, one[] = {0, 0, 1};
    static const size_t first[] = {0, 1}, second[] = {1, 3}, same[] = {0, 2};
    gersh_dataset *data, *single;
    gersh__pairs *pairs = (gersh__pairs *)x;
    (void)unused;
    assert_ok(gersh_dataset_new(&data, 3, 1, x, 1, NULL, x, NULL));
    assert_ok(gersh_dataset_new(&single, 1, 1, x, 1, NULL, x, NULL));
    assert_int_equal(gersh__pairs_new(&pairs, single, NULL, 0, NULL, NULL, NULL), GERSH_ERROR_INPUT);
    assert_null(pairs);
    assert_string_equal(gersh_last_error(), "the data set has 1 row; pairs need at least two");
    assert_int_equal(gersh__pairs_new(&pairs, data, one, 0, NULL, NULL, NULL), GERSH_ERROR_INPUT);
    assert_string_equal(gersh_last_error(),
                        "the data set has 1 row of a weight above 0; pairs need at least two");
    assert_int_equal(gersh__pairs_new(&pairs, data, negative, 0, NULL, NULL, NULL), GERSH_ERROR_ARGUMENT);
    assert_string_equal(gersh_last_error(),
                        "row 2: the weight is -1; a weight must be 0, or from 1e-30 to 1e+30");
    assert_int_equal(gersh__pairs_new(&pairs, data, nan, 0, NULL, NULL, NULL), GERSH_ERROR_ARGUMENT);
    assert_int_equal(gersh__pairs_new(&pairs, data, NULL, 2, first, second, NULL), GERSH_ERROR_ARGUMENT);
    assert_string_equal(gersh_last_error(),
                        "pair 2 has row 3 (counted from 0), but the data set has 3 rows");
    assert_int_equal(gersh__pairs_new(&pairs, data, NULL, 1, first, same, NULL), GERSH_ERROR_ARGUMENT);
    assert_string_equal(gersh_last_error(),
                        "pair 1 joins row 0 (counted from 0) with itself; a pair needs two rows");
    assert_int_equal(gersh__pairs_new(&pairs, data, NULL, 0, first, second, NULL), GERSH_ERROR_ARGUMENT);
    assert_int_equal(gersh__pairs_new(&pairs, data, NULL, 1, first, NULL, NULL), GERSH_ERROR_ARGUMENT);
    assert_int_equal(gersh__pairs_new(&pairs, data, NULL, 1, NULL, second, NULL), GERSH_ERROR_ARGUMENT);
    gersh_dataset_free(data);
    gersh_dataset_free(single);
}

static void allocation_failures(void **unused)
{
    gersh__random random;
    (void)unused;
    gersh__random_seed(&random, 7);
    for (int listed = 0; listed < 2; listed++) {
        problem q = make(&random, 20, 2, 2, 1, listed ? 40 : 0, 1);
        double *c = randoms(&random, gersh__pairs_count(q.pairs)), *t = randoms(&random, 20 * 40), h[1600];
        gersh_status status;
        long failures = 0;
        do {
            gersh__pairs *pairs;
            gersh__alloc_fail_at(++failures);
            status =
                gersh__pairs_new(&pairs, q.data, q.weight, q.listed, q.list_first, q.list_second, NULL);
            if (status == GERSH_OK)
                status = gersh__pairs_gram(pairs, c, 40, t, h);
            gersh__alloc_fail_at(0);
            assert_true(status == GERSH_OK || status == GERSH_ERROR_MEMORY);
            gersh__pairs_free(pairs);
        } while (status != GERSH_OK);
        assert_in_range(failures, 8, 20);
        free(c);
        free(t);
        drop(&q);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_in_the_order_of_classes),
        cmocka_unit_test(gram_of_a_part_is_near_that_of_all),
        cmocka_unit_test(gram_estimate_takes_either_sign),
        cmocka_unit_test(rows_of_weight_0_are_left_out),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(allocation_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
