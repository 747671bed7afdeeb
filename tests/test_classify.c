/*
 * Classifiers against naive ones: votes and means by plain loops over the dense matrix, and the harmonic
 * labels by elimination with logarithms of the weights, which is right however small they are.
 */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/threads.h"
#include "predict/classify.h"
#include "random_metrics.h"

enum { MOST = 60, CLASSES = 4 };

typedef struct problem {
    size_t k;
    gersh_dataset *train, *test;
    gersh_metric *metric;
    double *m;
    const double *weights; /* of train, all 1 where it has none */
    double weight[MOST];
} problem;

static const char *const class_names[] = {"a", "b", "c", "d"};

/*
 * Random rows around the centres of their classes; the metric's size is such that distances are about
 * `size`.
 */
static problem random_problem(gersh__random *random, size_t k, int shape, double size, int regress,
                              int weights)
{
    problem p = {.k = k};
    double *x = calloc(2 * MOST * k, sizeof *x), target[2 * MOST], factor = sqrt(size / (double)k);
    const char *label[2 * MOST];
    size_t n = 4 + (size_t)gersh__random_below(random, MOST - 4),
           fresh = 1 + (size_t)gersh__random_below(random, MOST - 1);
    size_t classes = 2 + (size_t)gersh__random_below(random, CLASSES - 1);
    for (size_t i = 0; i < n + fresh; i++) {
        size_t c = i < classes ? i : (size_t)gersh__random_below(random, classes);
        label[i] = class_names[c];
        target[i] = gersh__random_normal(random) + (double)c;
        for (size_t j = 0; j < k; j++)
            x[i * k + j] = factor * (gersh__random_normal(random) + (j == c % k ? 1.5 : 0));
    }
    if (n % 2 == 0) /* a new row that is known */
        memcpy(x + n * k, x, k * sizeof *x);
    assert_ok(
        gersh_dataset_new(&p.train, n, k, x, k, regress ? NULL : label, regress ? target : NULL, NULL));
    assert_ok(gersh_dataset_new(&p.test, fresh, k, x + n * k, k, NULL, NULL, NULL));
    for (size_t i = 0; i < n; i++)
        p.weight[i] = !weights                     ? 1
                      : i % 5 == 0 && i >= classes ? 0
                                                   : 0.2 + 3 * gersh__random_uniform(random);
    if (weights)
        assert_ok(gersh_dataset_set_weights(p.train, p.weight));
    p.metric = random_metric(random, k, shape);
    p.m = metric_matrix(p.metric, k);
    free(x);
    return p;
}

static void free_problem(problem *p)
{
    gersh_dataset_free(p->train);
    gersh_dataset_free(p->test);
    gersh_metric_free(p->metric);
    free(p->m);
}

static double distance_to(const problem *p, const double *a, const double *b)
{
    return matrix_distance(p->k, p->m, a, b);
}

static const double *train_row(const problem *p, size_t i)
{
    return gersh_dataset_values(p->train) + i * p->k;
}

static const double *test_row(const problem *p, size_t i)
{
    return gersh_dataset_values(p->test) + i * p->k;
}

/* The k nearest training rows of weight above 0, by repeated search for the next one; returns how many. */
static size_t nearest_rows(size_t *near, const problem *p, const double *x, size_t k)
{
    unsigned char taken[MOST] = {0};
    size_t count = 0;
    for (; count < k; count++) {
        size_t best = MOST;
        double least = HUGE_VAL;
        for (size_t i = 0; i < gersh_dataset_rows(p->train); i++) {
            double d = distance_to(p, x, train_row(p, i));
            if (!taken[i] && p->weight[i] > 0 && d < least) {
                least = d;
                best = i;
            }
        }
        if (best == MOST)
            break;
        taken[best] = 1;
        near[count] = best;
    }
    return count;
}

/* Votes of the near rows: their weights, or by distance these over it; rows at distance 0 outvote all others. */
static void naive_votes(double *vote, const problem *p, const size_t *near, size_t count, const double *x,
                        int by_distance)
{
    int zero = 0;
    for (size_t c = 0; c < count; c++)
        zero |= distance_to(p, x, train_row(p, near[c])) == 0;
    for (size_t c = 0; c < count; c++) {
        double d = sqrt(distance_to(p, x, train_row(p, near[c])));
        double factor = !by_distance ? 1 : zero ? d == 0 : 1 / d;
        vote[c] = p->weight[near[c]] * factor;
    }
}

static void check_knn(const problem *p, gersh__voters voters, const int *label, const double *proba)
{
    size_t classes = gersh_dataset_classes(p->train), near[MOST];
    for (size_t i = 0; i < gersh_dataset_rows(p->test); i++) {
        double votes[CLASSES] = {0}, total = 0, vote[MOST], weight[CLASSES] = {0};
        size_t count = nearest_rows(near, p, test_row(p, i), voters.k), best = 0;
        naive_votes(vote, p, near, count, test_row(p, i), voters.by_distance);
        for (size_t t = 0; t < gersh_dataset_rows(p->train); t++)
            weight[gersh_dataset_labels(p->train)[t]] += p->weight[t];
        for (size_t c = 0; c < count; c++) {
            votes[gersh_dataset_labels(p->train)[near[c]]] += vote[c];
            total += vote[c];
        }
        for (size_t c = 1; c < classes; c++)
            if (votes[c] > votes[best] * (1 + 1e-12) ||
                (votes[c] >= votes[best] * (1 - 1e-12) && weight[c] > weight[best]))
                best = c;
        assert_int_equal(label[i], best);
        for (size_t c = 0; c < classes; c++)
            assert_true(fabs(proba[i * classes + c] - votes[c] / total) <
                        (voters.by_distance ? 1e-9 : 1e-12));
    }
}

static void check_mahalanobis(const problem *p, const int *label, const double *proba)
{
    size_t classes = gersh_dataset_classes(p->train), k = p->k;
    for (size_t i = 0; i < gersh_dataset_rows(p->test); i++) {
        double d[CLASSES], sum = 0;
        size_t best = CLASSES;
        for (size_t c = 0; c < classes; c++) {
            double total = 0, *mean = calloc(k, sizeof *mean);
            for (size_t t = 0; t < gersh_dataset_rows(p->train); t++)
                if (gersh_dataset_labels(p->train)[t] == (int)c) {
                    total += p->weight[t];
                    for (size_t j = 0; j < k; j++)
                        mean[j] += p->weight[t] * train_row(p, t)[j];
                }
            for (size_t j = 0; j < k; j++)
                mean[j] /= total;
            d[c] = total > 0 ? distance_to(p, test_row(p, i), mean) : HUGE_VAL;
            best = best == CLASSES || d[c] < d[best] ? c : best;
            free(mean);
        }
        for (size_t c = 0; c < classes; c++)
            sum += exp(-(d[c] - d[best]));
        assert_int_equal(label[i], best);
        for (size_t c = 0; c < classes; c++)
            assert_true(fabs(proba[i * classes + c] - exp(-(d[c] - d[best])) / sum) < 1e-9);
    }
}

/* log(exp(a) + exp(b)) */
static double log_add(double a, double b)
{
    double large = fmax(a, b), less = fmin(a, b);
    return isinf(less) ? large : large + log1p(exp(less - large));
}

/*
 * The harmonic values of all classes, by elimination with logarithms of all weights, so that none is too
 * small. New rows are taken out one after the other: with T the sum of a row's weights, every pair that it
 * was joined to gets w_ia w_ib / T more, and at the end f_i = Σ w_ia f_a / T backwards.
 */
static void harmonic(double *f, const problem *p)
{
    size_t n = gersh_dataset_rows(p->test), classes = gersh_dataset_classes(p->train), all = n + classes;
    double *w = calloc(all * all, sizeof *w);
    for (size_t e = 0; e < all * all; e++)
        w[e] = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++)
            w[i * all + j] = w[j * all + i] = -distance_to(p, test_row(p, i), test_row(p, j));
        for (size_t t = 0; t < gersh_dataset_rows(p->train); t++) {
            double *known = &w[i * all + n + (size_t)gersh_dataset_labels(p->train)[t]];
            *known = log_add(*known, log(p->weight[t]) - distance_to(p, test_row(p, i), train_row(p, t)));
        }
    }
    for (size_t i = n; i-- > 0;) {
        double total = -INFINITY;
        for (size_t a = 0; a < all; a++)
            total = a < i || a >= n ? log_add(total, w[i * all + a]) : total;
        for (size_t a = 0; a < i; a++)
            for (size_t b = 0; b < all; b++)
                if (b != a && (b < i || b >= n))
                    w[a * all + b] = log_add(w[a * all + b], w[i * all + a] - total + w[i * all + b]);
        for (size_t a = 0; a < all; a++)
            w[i * all + a] -= total;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < classes; c++) {
            f[i * classes + c] = exp(w[i * all + n + c]);
            for (size_t a = 0; a < i; a++)
                f[i * classes + c] += exp(w[i * all + a]) * f[a * classes + c];
        }
    free(w);
}

/* How far the worst probability is off. */
static double check_graph(const problem *p, const int *label, const double *proba)
{
    size_t n = gersh_dataset_rows(p->test), classes = gersh_dataset_classes(p->train);
    double *f = calloc(n * classes, sizeof *f);
    double worst = 0;
    harmonic(f, p);
    for (size_t i = 0; i < n; i++) {
        size_t best = 0;
        double sum = 0;
        for (size_t c = 0; c < classes; c++) {
            best = f[i * classes + c] > f[i * classes + best] ? c : best;
            worst = fmax(worst, fabs(proba[i * classes + c] - f[i * classes + c]));
            sum += proba[i * classes + c];
            assert_true(proba[i * classes + c] >= 0);
        }
        assert_true(fabs(sum - 1) < 1e-12);
        if (fabs(f[i * classes + best] - f[i * classes + (size_t)label[i]]) > 1e-4)
            fail_msg("row %zu: class %d, expected %zu: %g and %g", i, label[i], best,
                     f[i * classes + (size_t)label[i]], f[i * classes + best]);
    }
    free(f);
    return worst;
}

static void equal_naive_classifiers(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 11);
    for (int c = 0; c < cases(300); c++) {
        size_t features = 1 + (size_t)gersh__random_below(&random, 8),
               k = 1 + (size_t)gersh__random_below(&random, 30);
        gersh__voters voters = {k, c % 3 == 1};
        problem p = random_problem(&random, features, c % METRICS, 4, 0, c % 2);
        int label[MOST];
        double proba[MOST * CLASSES];
        assert_ok(gersh__classify(label, proba, gersh__classifier_find("knn"), p.metric, p.train, p.test,
                                  voters, 1 + c % 2, NULL));
        check_knn(&p, voters, label, proba);
        assert_ok(gersh__classify(label, proba, gersh__classifier_find("mahalanobis"), p.metric, p.train,
                                  p.test, (gersh__voters){k, 0}, 1, NULL));
        check_mahalanobis(&p, label, proba);
        assert_ok(gersh__classify(label, proba, gersh__classifier_find("graph"), p.metric, p.train, p.test,
                                  voters, 1 + c % 2, NULL));
        double worst = check_graph(&p, label, proba);
        if (worst > 1e-6)
            fail_msg("case %d: a probability is off by %g", c, worst);
        free_problem(&p);
    }
}

/* Distances of hundreds and thousands: every weight underflows, and the solution is the same one. */
static void weights_that_underflow(void **unused)
{
    (void)unused;
    gersh__random random;
    static const double sizes[] = {40, 100, 400, 1000};
    gersh__random_seed(&random, 12);
    for (int s = 0; s < 4; s++) {
        double worst = 0, sum = 0;
        for (int c = 0; c < cases(100); c++) {
            problem p = random_problem(&random, 2 + (size_t)c % 4, c % 2 ? NO_METRIC : TREE_METRIC,
                                       sizes[s], 0, c % 2);
            int label[MOST];
            double proba[MOST * CLASSES];
            assert_ok(gersh__classify(label, proba, &gersh__classifier_graph, p.metric, p.train, p.test,
                                      (gersh__voters){1, 0}, 1, NULL));
            double off = check_graph(&p, label, proba);
            worst = fmax(worst, off);
            sum += off;
            free_problem(&p);
        }
        printf("distances about %g: largest error of a probability %.1e, mean of the cases' largest %.1e\n",
               sizes[s], worst, sum / cases(100));
    }
}

/*
 * With distances that are not kept nothing changes; sweeps instead of elimination are near, where they must
 * be.
 */
static void limits_hardly_matter(void **unused)
{
    (void)unused;
    gersh__random random;
    static const gersh__graph_limits wide = {.kept_bytes = 1 << 20, .eliminated = 100},
                                     anew = {.kept_bytes = 0, .eliminated = 100},
                                     swept = {.kept_bytes = 0, .eliminated = 0};
    size_t rows = 0, differ = 0;
    gersh__random_seed(&random, 17);
    for (int c = 0; c < cases(100); c++) {
        problem p = random_problem(&random, 3, TREE_METRIC, c % 2 ? 60 : 4, 0, 0);
        gersh__classify_task task = {p.metric, p.train, p.test, {1, 0}, 1, NULL};
        int first[MOST], second[MOST], third[MOST];
        double one[MOST * CLASSES] = {0}, two[MOST * CLASSES] = {0}, three[MOST * CLASSES] = {0};
        assert_ok(gersh__classify_graph(first, one, &task, &wide));
        assert_ok(gersh__classify_graph(second, two, &task, &anew));
        assert_ok(gersh__classify_graph(third, three, &task, &swept));
        assert_memory_equal(one, two, sizeof one);
        for (size_t i = 0; i < gersh_dataset_rows(p.test); i++) {
            rows++;
            differ += third[i] != first[i];
        }
        free_problem(&p);
    }
    printf("sweeps give another class to %zu of %zu rows\n", differ, rows);
    assert_true(differ * 50 < rows);
}

/* A pair of equal new rows that no weight ties to the rest: the class of the nearest training row. */
static void no_usable_weight(void **unused)
{
    (void)unused;
    double known[] = {0, 100, 1000}, fresh[] = {400, 400, 2000, 2000, 60, -30};
    const char *labels[] = {"a", "b", "c"};
    static const int expected[] = {1, 1, 2, 2, 1, 0};
    gersh_dataset *train = NULL, *test = NULL;
    int label[6];
    double proba[18];
    assert_ok(gersh_dataset_new(&train, 3, 1, known, 1, labels, NULL, NULL));
    assert_ok(gersh_dataset_new(&test, 6, 1, fresh, 1, NULL, NULL, NULL));
    assert_ok(gersh__classify(label, proba, &gersh__classifier_graph, NULL, train, test,
                              (gersh__voters){1, 0}, 1, NULL));
    for (int i = 0; i < 6; i++) {
        assert_int_equal(label[i], expected[i]);
        assert_true(proba[i * 3 + expected[i]] > 0.999);
    }
    gersh_dataset_free(train);
    gersh_dataset_free(test);
}

static void targets_are_means(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 13);
    for (int c = 0; c < cases(100); c++) {
        size_t k = 1 + (size_t)gersh__random_below(&random, 12), near[MOST];
        problem p = random_problem(&random, 3, c % METRICS, 4, 1, c % 2);
        double value[MOST], vote[MOST];
        int by_distance = c % 3 == 0;
        int label[MOST];
        assert_ok(gersh__regress(value, &gersh__classifier_knn, p.metric, p.train, p.test,
                                 (gersh__voters){k, by_distance}, 1, NULL));
        for (size_t i = 0; i < gersh_dataset_rows(p.test); i++) {
            double sum = 0, total = 0;
            size_t count = nearest_rows(near, &p, test_row(&p, i), k);
            naive_votes(vote, &p, near, count, test_row(&p, i), by_distance);
            for (size_t t = 0; t < count; t++) {
                sum += vote[t] * gersh_dataset_targets(p.train)[near[t]];
                total += vote[t];
            }
            assert_true(fabs(value[i] - sum / total) < (by_distance ? 1e-9 : 1e-12));
        }
        assert_int_equal(gersh__regress(value, &gersh__classifier_graph, p.metric, p.train, p.test,
                                        (gersh__voters){k, 0}, 1, NULL),
                         GERSH_ERROR_ARGUMENT);
        assert_string_equal(
            gersh_last_error(),
            "--classifier: 'graph' tells classes apart, but the targets are real numbers; use knn");
        assert_int_equal(gersh__classify(label, NULL, &gersh__classifier_knn, p.metric, p.train, p.test,
                                         (gersh__voters){k, 0}, 1, NULL),
                         GERSH_ERROR_ARGUMENT);
        free_problem(&p);
    }
}

/*
 * More rows than a tile has: the labels and probabilities of one thread and of many are the same to the
 * bit.
 */
static void threads_do_not_matter(void **unused)
{
    (void)unused;
    gersh__random random;
    enum { n = 700, fresh = 600, k = 6 };
    double *x = calloc((n + fresh) * k, sizeof *x), *proba[3];
    const char *label[n];
    int *found[3];
    gersh_dataset *train = NULL, *test = NULL;
    gersh__random_seed(&random, 14);
    for (size_t e = 0; e < (n + fresh) * k; e++)
        x[e] = gersh__random_normal(&random);
    for (size_t i = 0; i < n; i++)
        label[i] = class_names[x[i * k] + 0.3 * x[i * k + 1] > 0];
    assert_ok(gersh_dataset_new(&train, n, k, x, k, label, NULL, NULL));
    assert_ok(gersh_dataset_new(&test, fresh, k, x + n * k, k, NULL, NULL, NULL));
    static const char *const names[] = {"knn", "mahalanobis", "graph"};
    for (int c = 0; c < 3; c++) {
        for (int t = 0; t < 3; t++) {
            found[t] = calloc(fresh, sizeof *found[t]);
            proba[t] = calloc(fresh * 2, sizeof *proba[t]);
            assert_ok(gersh__classify(found[t], proba[t], gersh__classifier_find(names[c]), NULL, train,
                                      test, (gersh__voters){5, 0}, t + 1, NULL));
            assert_memory_equal(found[t], found[0], fresh * sizeof *found[t]);
            assert_memory_equal(proba[t], proba[0], fresh * 2 * sizeof *proba[t]);
        }
        size_t right = 0;
        for (size_t i = 0; i < fresh; i++)
            right += found[0][i] == (x[(n + i) * k] + 0.3 * x[(n + i) * k + 1] > 0);
        assert_true(right > fresh * 8 / 10);
        for (int t = 0; t < 3; t++) {
            free(found[t]);
            free(proba[t]);
        }
    }
    gersh_dataset_free(train);
    gersh_dataset_free(test);
    free(x);
}

static void wrong_tasks_are_refused(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 15);
    problem p = random_problem(&random, 3, TREE_METRIC, 4, 0, 0),
            q = random_problem(&random, 2, NO_METRIC, 4, 0, 0);
    gersh_cancel cancel = {1};
    int label[MOST];
    assert_null(gersh__classifier_find("kn"));
    assert_int_equal(gersh__classify(label, NULL, &gersh__classifier_knn, p.metric, p.train, q.test,
                                     (gersh__voters){1, 0}, 1, NULL),
                     GERSH_ERROR_ARGUMENT);
    assert_string_equal(gersh_last_error(),
                        "the training rows have 3 features but the new rows have 2; use the same columns");
    assert_int_equal(gersh__classify(label, NULL, &gersh__classifier_knn, p.metric, q.train, q.test,
                                     (gersh__voters){1, 0}, 1, NULL),
                     GERSH_ERROR_ARGUMENT);
    assert_int_equal(gersh__classify(label, NULL, &gersh__classifier_knn, p.metric, p.train, p.test,
                                     (gersh__voters){0, 0}, 1, NULL),
                     GERSH_ERROR_ARGUMENT);
    assert_int_equal(gersh__classify(label, NULL, &gersh__classifier_knn, p.metric, p.test, p.test,
                                     (gersh__voters){1, 0}, 1, NULL),
                     GERSH_ERROR_ARGUMENT);
    static const char *const names[] = {"knn", "mahalanobis", "graph"};
    for (int c = 0; c < 3; c++)
        assert_int_equal(gersh__classify(label, NULL, gersh__classifier_find(names[c]), p.metric, p.train,
                                         p.test, (gersh__voters){1, 0}, 1, &cancel),
                         GERSH_ERROR_CANCELLED);
    free_problem(&p);
    free_problem(&q);
}

static void failing_allocations_leak_nothing(void **unused)
{
    (void)unused;
    gersh__random random;
    static const char *const names[] = {"knn", "mahalanobis", "graph"};
    gersh__random_seed(&random, 16);
    for (int c = 0; c < 3; c++) {
        problem p = random_problem(&random, 3, TREE_METRIC, c == 2 ? 4000 : 4, 0, 1);
        long made = 1;
        int label[MOST];
        for (long at = 1; made >= at || at == 1; at++) {
            gersh__alloc_fail_at(at);
            gersh_status status = gersh__classify(label, NULL, gersh__classifier_find(names[c]), p.metric,
                                                  p.train, p.test, (gersh__voters){3, 0}, 1, NULL);
            made = gersh__alloc_fail_at(0);
            assert_int_equal(status, made >= at ? GERSH_ERROR_MEMORY : GERSH_OK);
        }
        free_problem(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_naive_classifiers), cmocka_unit_test(weights_that_underflow),
        cmocka_unit_test(limits_hardly_matter),    cmocka_unit_test(no_usable_weight),
        cmocka_unit_test(targets_are_means),       cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(wrong_tasks_are_refused), cmocka_unit_test(failing_allocations_leak_nothing),
    };
    gersh__blas_hold();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
