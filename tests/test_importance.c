/*
 * What features contribute to telling samples apart: against sums over all pairs; what holds of any contributions; the
 * model file; and what is shown of features that are known to be of use or of none.
 */
#include "model/importance.h"

#include "base/alloc.h"
#include "importance.h"
#include "models.h"
#include "random_metrics.h"
#include "sparse.h"
#include "tuples.h"

enum { MOST_FEATURES = 40 };

/* The library's contributions of a metric on data, dense or sparse, are those of the definition on dense values x. */
static void compare_with_pairs(const gersh_metric *metric, const gersh_dataset *data, const double *x,
                               const double *w, const gersh_tuples *tuples)
{
    double c[MOST_FEATURES], between, size, sum = 0;
    int there = naive_contributions(c, &between, &size, metric, data, x, w, tuples);
    gersh_importance found = {0};
    assert_ok(gersh__importance_contribute(&found, metric, data, w, tuples, 2));
    assert_true((found.contribution != NULL) == there);
    for (size_t i = 0; there && i < metric->features; i++) {
        assert_close(found.contribution[i], c[i], 1e-12 * size);
        sum += found.contribution[i];
    }
    if (there)
        assert_close(found.separation, sum / between, 1e-10 * size / between);
    gersh__importance_clear(&found);
}

static void random_weights(gersh__random *random, size_t n, double *w)
{
    for (size_t i = 0; i < n; i++)
        w[i] = gersh__random_below(random, 4) == 0 ? 0 : gersh__random_uniform(random);
    w[0] = w[1] = 1;
}

/* Weights over fourteen powers of ten, where differences to the sum of all would have no digits. */
static void spread_weights(gersh__random *random, size_t n, double *w)
{
    for (size_t i = 0; i < n; i++)
        w[i] *= pow(10, -14 * gersh__random_uniform(random));
}

static void contributions_are_those_of_the_pairs(void **unused)
{
    enum { N = 30 };
    gersh__random random;
    (void)unused;
    gersh__random_seed(&random, 1);
    for (int round = 0; round < cases(300); round++) {
        size_t k = 1 + (size_t)gersh__random_below(&random, 9),
               n = 2 + (size_t)gersh__random_below(&random, N - 1);
        size_t classes = (size_t)gersh__random_below(&random, 5);
        double w[N];
        random_weights(&random, n, w);
        if (round % 6 == 1)
            spread_weights(&random, n, w);
        gersh_dataset *data = random_data(&random, n, k, classes);
        gersh_scaling *scaling = NULL;
        assert_ok(gersh_scaling_fit(&scaling, data, "zscore"));
        assert_ok(gersh_scaling_apply(scaling, data));
        for (int shape = SINGLE_METRIC; shape < METRICS; shape++) {
            gersh_metric *metric = random_metric(&random, k, shape);
            compare_with_pairs(metric, data, gersh_dataset_values(data), round % 2 ? w : NULL, NULL);
            gersh_metric_free(metric);
        }
        gersh_scaling_free(scaling);
        gersh_dataset_free(data);
    }
}

static void tuples_count_as_their_pairs(void **unused)
{
    enum { N = 14, K = 6 };
    static const double planted[] = {3, 1, 0.1, 0, 0, 2};
    gersh__random random;
    (void)unused;
    gersh__random_seed(&random, 2);
    for (int round = 0; round < cases(120); round++) {
        double w[N];
        random_weights(&random, N, w);
        gersh_dataset *data = plain_data(&random, N, K);
        gersh_tuples *tuples = true_tuples(&random, data, (gersh_tuple_kind)(round % 3), 25, planted, 8);
        for (int shape = SINGLE_METRIC; shape < METRICS; shape++) {
            gersh_metric *metric = random_metric(&random, K, shape);
            compare_with_pairs(metric, data, gersh_dataset_values(data), round % 2 ? w : NULL, tuples);
            gersh_metric_free(metric);
        }
        gersh_tuples_free(tuples);
        gersh_dataset_free(data);
    }
}

/* Sparse data, with every scaling, has what the same rows have when they are dense. */
static void sparse_data_contributes_the_same(void **unused)
{
    static const char *const scales[] = {"none", "zscore", "paper"};
    static const double planted[MOST_FEATURES] = {3, 1, 0.1, 2};
    enum { N = 24 };
    gersh__random random;
    (void)unused;
    gersh__random_seed(&random, 3);
    for (int round = 0; round < cases(240); round++) {
        twins t;
        double w[N];
        gersh_scaling *scaling = NULL;
        gersh_tuples *tuples = NULL;
        random_weights(&random, N, w);
        twins_make(&t, &random, N, MOST_FEATURES, 0.2, round % 2);
        assert_ok(gersh_scaling_fit(&scaling, t.dense, scales[round % 3]));
        assert_ok(gersh_scaling_apply(scaling, t.dense));
        assert_ok(gersh_scaling_apply(scaling, t.sparse));
        if (round % 4 == 3)
            tuples = true_tuples(&random, t.dense, (gersh_tuple_kind)(round / 4 % 3), 30, planted, 8);
        for (int shape = SINGLE_METRIC; shape < METRICS; shape++) {
            gersh_metric *metric = random_metric(&random, MOST_FEATURES, shape);
            compare_with_pairs(metric, t.sparse, gersh_dataset_values(t.dense), round % 8 < 4 ? NULL : w,
                               tuples);
            assert_null(t.sparse->x); /* it was not made dense */
            gersh_metric_free(metric);
        }
        gersh_tuples_free(tuples);
        gersh_scaling_free(scaling);
        twins_free(&t);
    }
}

static void threads_change_no_bit(void **unused)
{
    enum { N = 3000, K = 30 };
    gersh__random random;
    (void)unused;
    gersh__random_seed(&random, 4);
    for (int shape = TREE_METRIC; shape < METRICS; shape++) {
        gersh_dataset *data = random_data(&random, N, K, shape % 2 ? 3 : 0);
        gersh_metric *metric = random_metric(&random, K, shape);
        gersh_importance one = {0}, other = {0};
        assert_ok(gersh__importance_contribute(&one, metric, data, NULL, NULL, 1));
        for (int threads = 2; threads < 6; threads++) {
            assert_ok(gersh__importance_contribute(&other, metric, data, NULL, NULL, threads));
            assert_memory_equal(one.contribution, other.contribution, K * sizeof(double));
            assert_true(one.separation == other.separation);
            gersh__importance_clear(&other);
        }
        gersh__importance_clear(&one);
        gersh_metric_free(metric);
        gersh_dataset_free(data);
    }
}

static void no_pairs_no_contributions(void **unused)
{
    static const double x[] = {1, 2, 3, 4}, y[] = {1, 1, 1, 1};
    static const char *const alone[] = {"a", "b", "c", "d"}, *const together[] = {"a", "a", "a", "a"};
    static const char *const weighed[] = {"a", "a", "b", "b"};
    const double no_pair[] = {1, 0, 1, 0};
    gersh_metric *metric = NULL;
    gersh_importance found = {0};
    (void)unused;
    assert_ok(gersh_metric_new(&metric, 1, 1, 0, 0));
    for (int kind = 0; kind < 5; kind++) {
        gersh_dataset *data = NULL;
        assert_ok(gersh_dataset_new(&data, 4, 1, x, 1,
                                    kind == 0   ? alone
                                    : kind == 1 ? together
                                    : kind == 2 ? weighed
                                                : NULL,
                                    kind == 3 ? y : NULL, NULL));
        assert_ok(gersh__importance_contribute(&found, metric, data, kind == 2 ? no_pair : NULL, NULL, 1));
        assert_null(found.contribution);
        assert_false(gersh_importance_is_blind(&found));
        gersh_dataset_free(data);
    }
    gersh_metric_free(metric);
}

/* A model with a data set of its own making; what ranks its features is in `value`. */
typedef struct shown {
    gersh_importance_kind kind;
    double value[8];
    const gersh_importance *importance;
    gersh_model *model;
} shown;

static shown show(size_t n, size_t k, const double *x, const char *const *labels, const char *objective,
                  const char *solver)
{
    shown s = {0};
    gersh_dataset *data = NULL;
    gersh_settings *settings = model_settings(objective, solver);
    assert_ok(gersh_dataset_new(&data, n, k, x, k, labels, NULL, NULL));
    assert_ok(gersh_model_fit(&s.model, NULL, data, settings, NULL));
    s.kind = gersh_importance_rank(s.value, s.model);
    s.importance = gersh_model_importance(s.model);
    gersh_settings_free(settings);
    gersh_dataset_free(data);
    return s;
}

static double sum_of(size_t k, const double *value)
{
    double sum = 0;
    for (size_t i = 0; i < k; i++)
        sum += value[i];
    return sum;
}

static const char *const ways[][2] = {
    {"glr", "balanced"}, {"mcml", "balanced"}, {"lmnn", "hull"}, {"glr", "psd"}, {"glr", "diagonal"}};
enum { WAYS = sizeof ways / sizeof ways[0] };

/*
 * Columns: informative (means ±1), its copy, a constant, noise, and the number of the row, in the order of the classes
 * (sorted) or mixed.
 */
static void known_features(double *x, const char **labels, size_t n, int sorted, uint64_t seed)
{
    gersh__random random;
    gersh__random_seed(&random, seed);
    for (size_t i = 0; i < n; i++) {
        int first = sorted ? i < n / 2 : (int)gersh__random_below(&random, 2);
        labels[i] = first ? "a" : "b";
        x[i * 5] = (first ? 1 : -1) + gersh__random_normal(&random);
        x[i * 5 + 1] = x[i * 5];
        x[i * 5 + 2] = 7.3;
        x[i * 5 + 3] = gersh__random_normal(&random);
        x[i * 5 + 4] = (double)i + 1;
    }
}

static void known_features_are_shown_as_they_are(void **unused)
{
    enum { N = 400, K = 5 };
    double *x = calloc(N * K, sizeof *x);
    const char **labels = calloc(N, sizeof *labels);
    (void)unused;
    for (int way = 0; way < WAYS; way++) {
        known_features(x, labels, N, 0, 11);
        shown s = show(N, K, x, labels, ways[way][0], ways[way][1]);
        assert_int_equal(s.kind, GERSH_IMPORTANCE_CONTRIBUTION);
        assert_false(gersh_importance_is_blind(s.importance));
        assert_close(sum_of(K, s.value), 1, 1e-12);
        /* The feature and its copy have all of it between them; the constant has nothing. */
        assert_true(s.value[0] + s.value[1] > 0.97);
        assert_true(s.value[2] == 0);
        assert_true(fabs(s.value[3]) < 0.03 && fabs(s.value[4]) < 0.03);
        gersh_model_free(s.model);
        /* In a file sorted by class, the number of the row does tell the classes apart, and is shown to. */
        known_features(x, labels, N, 1, 12);
        s = show(N, K, x, labels, ways[way][0], ways[way][1]);
        assert_int_equal(s.kind, GERSH_IMPORTANCE_CONTRIBUTION);
        assert_true(s.value[4] > s.value[0] && s.value[4] > s.value[1] && s.value[4] > 0.3);
        assert_true(fabs(s.value[3]) < 0.03);
        gersh_model_free(s.model);
    }
    free(x);
    free(labels);
}

/* A feature and its copy that weigh the same share alike. */
static void copies_share(void **unused)
{
    enum { N = 200, K = 3 };
    double x[N * K];
    const char *labels[N];
    gersh__random random;
    (void)unused;
    gersh__random_seed(&random, 13);
    for (size_t i = 0; i < N; i++) {
        labels[i] = i % 2 ? "a" : "b";
        x[i * K] = (i % 2 ? 1 : -1) + gersh__random_normal(&random);
        x[i * K + 1] = 0;
        x[i * K + 2] = gersh__random_normal(&random);
    }
    shown one = show(N, K, x, labels, "glr", "identity");
    for (size_t i = 0; i < N; i++)
        x[i * K + 1] = x[i * K];
    shown two = show(N, K, x, labels, "glr", "identity");
    assert_true(two.value[0] == two.value[1]);
    assert_true(one.value[0] > 0.99 && two.value[0] > 0.49 && two.value[0] < 0.51);
    gersh_model_free(one.model);
    gersh_model_free(two.model);
}

static void units_do_not_matter(void **unused)
{
    enum { N = 60, K = 5 };
    static const double unit[K] = {1, 0.125, 1024, 4, 0.5}, zero[K] = {0, 3, -7, 100, 1};
    double *x = calloc(N * K, sizeof *x);
    const char **labels = calloc(N, sizeof *labels);
    (void)unused;
    for (int way = 0; way < WAYS; way++) {
        known_features(x, labels, N, 0, 14);
        shown before = show(N, K, x, labels, ways[way][0], ways[way][1]);
        for (size_t e = 0; e < N * K; e++)
            x[e] = unit[e % K] * x[e] + zero[e % K];
        shown after = show(N, K, x, labels, ways[way][0], ways[way][1]);
        /* What two fits may differ by. How the first two share, which are copies, is not determined; what they have is. */
        assert_close(after.value[0] + after.value[1], before.value[0] + before.value[1], 1e-3);
        for (size_t i = 2; i < K; i++)
            assert_close(after.value[i], before.value[i], 1e-3);
        gersh_model_free(before.model);
        gersh_model_free(after.model);
    }
    free(x);
    free(labels);
}

/* The classes are the quadrants of two features in turn: no second moment tells them apart. */
static void xor_data(double *x, const char **labels, size_t n, size_t k, uint64_t seed)
{
    gersh__random random;
    gersh__random_seed(&random, seed);
    for (size_t i = 0; i < n; i++) {
        int a = i % 2 == 0, b = i / 2 % 2 == 0;
        for (size_t f = 0; f < k; f++)
            x[i * k + f] = gersh__random_normal(&random);
        x[i * k + 1] = (a ? 1 : -1) + 0.2 * x[i * k + 1];
        x[i * k + 3] = (b ? 1 : -1) + 0.2 * x[i * k + 3];
        labels[i] = a == b ? "even" : "odd";
    }
}

static void xor_is_said_to_be_unseen(void **unused)
{
    enum { N = 200, K = 6 };
    double *x = calloc(N * K, sizeof *x);
    const char **labels = calloc(N, sizeof *labels);
    (void)unused;
    xor_data(x, labels, N, K, 15);
    for (int way = 0; way < WAYS; way++) {
        shown s = show(N, K, x, labels, ways[way][0], ways[way][1]);
        assert_non_null(s.importance->contribution);
        assert_true(gersh_importance_is_blind(s.importance));
        assert_int_equal(s.kind, GERSH_IMPORTANCE_WEIGHT);
        gersh_model_free(s.model);
    }
    free(x);
    free(labels);
}

static void names_of_kinds(void **unused)
{
    (void)unused;
    assert_string_equal(gersh_importance_kind_name(GERSH_IMPORTANCE_WEIGHT), "weight");
    assert_string_equal(gersh_importance_kind_name(GERSH_IMPORTANCE_CONTRIBUTION), "contribution");
    assert_string_equal(gersh_importance_kind_name(GERSH_IMPORTANCE_PERMUTATION), "permutation");
    assert_null(gersh_importance_kind_name((gersh_importance_kind)7));
}

static void same_importance(const gersh_model *one, const gersh_model *other)
{
    const gersh_importance *a = gersh_model_importance(one), *b = gersh_model_importance(other);
    assert_true(a->separation == b->separation);
    assert_memory_equal(a->contribution, b->contribution, gersh_model_features(one) * sizeof(double));
}

/* A file holds the contributions; of one without them they are computed where it holds the samples. */
static void files_hold_contributions(void **unused)
{
    (void)unused;
    for (int kind = 0; kind < 4; kind++) {
        gersh_model *model = random_model(20 + (uint64_t)kind, 30, 5, kind % 2 ? 0 : 3, "glr",
                                          kind < 2 ? "balanced" : "psd", kind > 1);
        gersh_model *back = NULL;
        double *own = model->importance.contribution;
        for (int with_data = 0; with_data < 2; with_data++) {
            assert_ok(gersh_model_write(model, model_path, with_data));
            assert_ok(gersh_model_read(&back, model_path));
            same_importance(model, back);
            gersh_model_free(back);
            model->importance.contribution = NULL; /* as files were before */
            assert_ok(gersh_model_write(model, model_path, with_data));
            model->importance.contribution = own;
            assert_ok(gersh_model_read(&back, model_path));
            if (with_data)
                same_importance(model, back);
            else
                assert_null(gersh_model_importance(back)->contribution);
            gersh_model_free(back);
            back = NULL;
        }
        gersh_model_free(model);
    }
}

static void damaged(const gersh_model *model, const char *words)
{
    gersh_model *back = NULL;
    assert_ok(gersh_model_write(model, model_path, 1));
    assert_int_equal(gersh_model_read(&back, model_path), GERSH_ERROR_INPUT);
    assert_null(back);
    if (strstr(gersh_last_error(), words) == NULL)
        fail_msg("%s", gersh_last_error());
}

static void damaged_files_are_refused(void **unused)
{
    gersh_model *model = random_model(31, 20, 4, 2, "glr", "balanced", 0);
    double kept = model->importance.contribution[2], separation = model->importance.separation;
    (void)unused;
    model->importance.contribution[2] = NAN;
    damaged(model, "number 3 of tensor 'contribution' is not finite");
    model->importance.contribution[2] = kept;
    model->importance.separation = 2;
    damaged(model, "the record of the features' importance is damaged");
    model->importance.separation = separation;
    gersh_model_free(model);
}

static void allocation_failures(void **unused)
{
    gersh__random random;
    twins t;
    (void)unused;
    gersh__random_seed(&random, 32);
    for (int kind = 0; kind < 6; kind++) {
        twins_make(&t, &random, 20, 12, 0.3, kind % 2);
        gersh_metric *metric = random_metric(&random, 12, kind < 2 ? FEW_DENSE_METRIC : SINGLE_METRIC);
        const gersh_dataset *data = kind < 4 ? t.dense : t.sparse;
        for (long at = 1;; at++) {
            gersh_importance found = {0};
            gersh__alloc_fail_at(at);
            gersh_status status = gersh__importance_contribute(&found, metric, data, NULL, NULL, 1);
            int done = gersh__alloc_fail_at(0) < at;
            assert_true(status == (done ? GERSH_OK : GERSH_ERROR_MEMORY));
            assert_true((found.contribution != NULL) == done);
            gersh__importance_clear(&found);
            if (done)
                break;
        }
        gersh_metric_free(metric);
        twins_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contributions_are_those_of_the_pairs),
        cmocka_unit_test(tuples_count_as_their_pairs),
        cmocka_unit_test(sparse_data_contributes_the_same),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(no_pairs_no_contributions),
        cmocka_unit_test(known_features_are_shown_as_they_are),
        cmocka_unit_test(copies_share),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(xor_is_said_to_be_unseen),
        cmocka_unit_test(names_of_kinds),
        cmocka_unit_test(files_hold_contributions),
        cmocka_unit_test(damaged_files_are_refused),
        cmocka_unit_test(allocation_failures),
    };
    return cmocka_run_group_tests(tests, models_start, models_end);
}
