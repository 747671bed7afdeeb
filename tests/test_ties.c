/*
 * Ties: equal distances and equal votes. Samples lie on grids of whole numbers, so that the oracle knows squared distances
 * without rounding, while the library gets them in steps of 0.1 and far from 0. The share of a sample's vote is found for
 * each on its own, from the numbers of samples that are nearer and as near.
 */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random.h"
#include "gersh/neighbors.h"
#include "gersh/predict.h"
#include "predict/classify.h"

enum { MOST = 60, FEATURES = 5, CLASSES = 4, SHAPES = 5 };

static const char *const names[] = {"a", "b", "c", "d"};

typedef struct grid {
    size_t n, fresh, k, classes;
    int whole[2 * MOST][FEATURES]; /* the samples of train, then those of test */
    int class[MOST];
    int weight[MOST]; /* of a sample; 0: it does not count */
    int weighted;
    int regress;
    gersh_metric *metric;
    long matrix[FEATURES][FEATURES]; /* M, in steps of the grid */
} grid;

/* A metric of whole numbers: none, or one-entry, two-entry or dense atoms, singular ones too. */
static void random_metric(gersh__random *random, grid *g, int shape)
{
    size_t atoms = 1 + (size_t)gersh__random_below(random, g->k), k = g->k;
    int rho = shape == 4 ? 0 : (int)gersh__random_below(random, 2);
    memset(g->matrix, 0, sizeof g->matrix);
    g->metric = NULL;
    for (size_t i = 0; i < k; i++)
        g->matrix[i][i] = shape == 0 ? 1 : rho;
    if (shape == 0)
        return;
    assert_ok(gersh_metric_new(&g->metric, k, rho, atoms, shape >= 3));
    for (size_t t = 0; t < atoms; t++) {
        long z[FEATURES] = {0}, weight = 1 + (long)gersh__random_below(random, 3);
        size_t i = (size_t)gersh__random_below(random, k), j = (size_t)gersh__random_below(random, k);
        if (shape < 3) {
            j = shape == 1 ? i : j;
            z[i] = 1;
            z[j] = i == j ? 1 : (long)gersh__random_below(random, 2) * 2 - 1;
            g->metric->atom[t] = (gersh_atom){.i = i, .j = j, .a = 1, .b = i == j ? 0 : (double)z[j]};
        }
        for (size_t f = 0; f < k && shape >= 3; f++) {
            z[f] = (long)gersh__random_below(random, 5) - 2;
            g->metric->dense[t * k + f] = (double)z[f];
        }
        g->metric->weight[t] = (double)weight;
        for (size_t a = 0; a < k; a++)
            for (size_t b = 0; b < k; b++)
                g->matrix[a][b] += weight * z[a] * z[b];
    }
}

static grid random_grid(gersh__random *random, int shape, int weighted, int regress)
{
    grid g = {
        .k = 1 + (size_t)gersh__random_below(random, FEATURES), .weighted = weighted, .regress = regress};
    g.n = 4 + (size_t)gersh__random_below(random, MOST - 4);
    g.fresh = 1 + (size_t)gersh__random_below(random, MOST - 1);
    g.classes = 2 + (size_t)gersh__random_below(random, CLASSES - 1);
    uint64_t values = 2 + gersh__random_below(random, 3);
    for (size_t i = 0; i < g.n + g.fresh; i++)
        for (size_t j = 0; j < g.k; j++)
            g.whole[i][j] = (int)gersh__random_below(random, values);
    for (size_t i = 0; i < g.n; i++) {
        g.class[i] = (int)(i < g.classes ? i : gersh__random_below(random, g.classes));
        g.weight[i] = !weighted ? 1 : i < g.classes ? 2 : (int)gersh__random_below(random, 4);
    }
    random_metric(random, &g, shape);
    return g;
}

/* The data sets of the library, the samples of train in this order. */
static void make_data(const grid *g, const size_t *order, gersh_dataset **train, gersh_dataset **test)
{
    double x[2 * MOST * FEATURES], target[MOST], weight[MOST];
    const char *label[MOST];
    for (size_t i = 0; i < g->n + g->fresh; i++)
        for (size_t j = 0; j < g->k; j++)
            x[i * g->k + j] = 1000 + (double)g->whole[i < g->n ? order[i] : i][j] / 10;
    for (size_t i = 0; i < g->n; i++) {
        label[i] = names[g->class[order[i]]];
        target[i] = 0.3 * g->class[order[i]];
        weight[i] = 0.7 * g->weight[order[i]];
    }
    assert_ok(gersh_dataset_new(train, g->n, g->k, x, g->k, g->regress ? NULL : label,
                                g->regress ? target : NULL, NULL));
    if (g->weighted)
        assert_ok(gersh_dataset_set_weights(*train, weight));
    assert_ok(gersh_dataset_new(test, g->fresh, g->k, x + g->n * g->k, g->k, NULL, NULL, NULL));
}

static long whole_distance(const grid *g, const int *x, const int *y)
{
    long sum = 0;
    for (size_t i = 0; i < g->k; i++)
        for (size_t j = 0; j < g->k; j++)
            sum += (x[i] - y[i]) * g->matrix[i][j] * (x[j] - y[j]);
    return sum;
}

/* The votes on test sample q by class. */
static void oracle_votes(const grid *g, size_t q, gersh__voters voters, double *vote)
{
    long d[MOST];
    int zero = 0;
    for (size_t i = 0; i < g->n; i++) {
        d[i] = whole_distance(g, g->whole[i], g->whole[g->n + q]);
        zero |= d[i] == 0 && g->weight[i] > 0;
    }
    memset(vote, 0, CLASSES * sizeof *vote);
    for (size_t i = 0; i < g->n; i++) {
        double nearer = 0, alike = 0;
        if (g->weight[i] == 0)
            continue;
        for (size_t j = 0; j < g->n; j++) {
            nearer += g->weight[j] > 0 && d[j] < d[i];
            alike += g->weight[j] > 0 && d[j] == d[i];
        }
        double share = fmin(1, fmax(0, ((double)voters.k - nearer) / alike));
        double factor = !voters.by_distance ? 1 : zero ? d[i] == 0 : 1 / sqrt((double)d[i]);
        vote[g->class[i]] += g->weight[i] * share * factor;
    }
}

/* Every class is compared with every other: it must not lose to any. */
static int oracle_winner(const grid *g, const double *vote)
{
    int weight[CLASSES] = {0};
    for (size_t i = 0; i < g->n; i++)
        weight[g->class[i]] += g->weight[i];
    for (int c = 0; c < (int)g->classes; c++) {
        int loses = 0;
        for (int e = 0; e < (int)g->classes; e++) {
            double more = vote[e] - vote[c];
            loses |= more > 1e-10 ||
                     (more > -1e-10 && (weight[e] > weight[c] || (weight[e] == weight[c] && e < c)));
        }
        if (!loses)
            return c;
    }
    return -1;
}

static void shuffle(gersh__random *random, size_t *order, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        size_t j = (size_t)gersh__random_below(random, i), other = order[i - 1];
        order[i - 1] = order[j];
        order[j] = other;
    }
}

/* Classes and probabilities on grids, in any order of the training samples. */
static void classes_on_grids(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 1);
    for (int c = 0; c < cases(600); c++) {
        grid g = random_grid(&random, c % SHAPES, c % 2, 0);
        gersh__voters voters = {1 + (size_t)gersh__random_below(&random, c % 4 == 0 ? MOST : 8),
                                c % 3 == 0};
        size_t order[MOST];
        double first[MOST * CLASSES], proba[MOST * CLASSES];
        for (size_t i = 0; i < g.n; i++)
            order[i] = i;
        for (int turn = 0; turn < 3; turn++) {
            gersh_dataset *train = NULL, *test = NULL;
            int label[MOST];
            make_data(&g, order, &train, &test);
            assert_ok(gersh__classify(label, proba, &gersh__classifier_knn, g.metric, train, test, voters,
                                      1 + turn, NULL));
            for (size_t q = 0; q < g.fresh; q++) {
                double vote[CLASSES], total = 0;
                oracle_votes(&g, q, voters, vote);
                for (size_t e = 0; e < g.classes; e++)
                    total += vote[e];
                if (label[q] != oracle_winner(&g, vote))
                    fail_msg("case %d, order %d: class %d, expected %d: %g %g %g %g", c, turn, label[q],
                             oracle_winner(&g, vote), vote[0], vote[1], vote[2], vote[3]);
                for (size_t e = 0; e < g.classes; e++)
                    if (!(fabs(proba[q * g.classes + e] - vote[e] / total) < 1e-10))
                        fail_msg("case %d, order %d: probability %.17g, expected %.17g", c, turn,
                                 proba[q * g.classes + e], vote[e] / total);
            }
            if (turn == 0)
                memcpy(first, proba, sizeof first);
            for (size_t e = 0; e < g.fresh * g.classes; e++)
                if (g.weighted || voters.by_distance)
                    assert_true(fabs(proba[e] - first[e]) < 1e-10);
                else
                    assert_true(proba[e] == first[e]);
            gersh_dataset_free(train);
            gersh_dataset_free(test);
            shuffle(&random, order, g.n);
        }
        gersh_metric_free(g.metric);
    }
}

static void targets_on_grids(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 2);
    for (int c = 0; c < cases(300); c++) {
        grid g = random_grid(&random, c % SHAPES, c % 2, 1);
        gersh__voters voters = {1 + (size_t)gersh__random_below(&random, 12), c % 3 == 0};
        size_t order[MOST];
        for (size_t i = 0; i < g.n; i++)
            order[i] = i;
        for (int turn = 0; turn < 3; turn++) {
            gersh_dataset *train = NULL, *test = NULL;
            double value[MOST];
            make_data(&g, order, &train, &test);
            assert_ok(
                gersh__regress(value, &gersh__classifier_knn, g.metric, train, test, voters, 1, NULL));
            for (size_t q = 0; q < g.fresh; q++) {
                double vote[CLASSES], total = 0, sum = 0;
                oracle_votes(&g, q, voters, vote);
                for (int e = 0; e < CLASSES; e++) {
                    total += vote[e];
                    sum += 0.3 * e * vote[e];
                }
                assert_true(fabs(value[q] - sum / total) < 1e-10);
            }
            gersh_dataset_free(train);
            gersh_dataset_free(test);
            shuffle(&random, order, g.n);
        }
        gersh_metric_free(g.metric);
    }
}

/*
 * More samples than a tile has, all of them at one of a few points: nearly every prediction is a tie. The probabilities
 * are shares of the classes at these points.
 */
static void many_duplicates(void **unused)
{
    (void)unused;
    enum { n = 5000, fresh = 700, k = 3 };
    static const size_t points[] = {1, 7, 40};
    gersh__random random;
    gersh__random_seed(&random, 3);
    double *x = calloc((n + fresh) * k, sizeof *x), *proba = calloc(fresh * 2, sizeof *proba);
    const char **label = calloc(n, sizeof *label);
    size_t *at = calloc(n + fresh, sizeof *at);
    int *found = calloc(fresh, sizeof *found);
    for (size_t p = 0; p < 3; p++) {
        double point[40 * k], count[40][2] = {{0}}, all[2] = {0};
        gersh_dataset *train = NULL, *test = NULL;
        for (size_t e = 0; e < points[p] * k; e++)
            point[e] = gersh__random_normal(&random);
        for (size_t i = 0; i < n + fresh; i++) {
            at[i] = (size_t)gersh__random_below(&random, points[p]);
            memcpy(x + i * k, point + at[i] * k, k * sizeof *x);
            size_t c = (size_t)gersh__random_below(&random, 2);
            if (i < n) {
                label[i] = names[c];
                count[at[i]][c]++;
                all[c]++;
            }
        }
        assert_ok(gersh_dataset_new(&train, n, k, x, k, label, NULL, NULL));
        assert_ok(gersh_dataset_new(&test, fresh, k, x + n * k, k, NULL, NULL, NULL));
        assert_ok(gersh__classify(found, proba, &gersh__classifier_knn, NULL, train, test,
                                  (gersh__voters){10, 0}, 3, NULL));
        for (size_t q = 0; q < fresh; q++) {
            const double *here = count[at[n + q]];
            assert_true(fabs(proba[2 * q] - here[0] / (here[0] + here[1])) < 1e-12);
            assert_int_equal(found[q], here[0] != here[1] ? here[1] > here[0] : all[1] > all[0]);
        }
        gersh_dataset_free(train);
        gersh_dataset_free(test);
    }
    free(x);
    free(proba);
    free(label);
    free(at);
    free(found);
}

static void classify_points(int *label, double *proba, const gersh__classifier *kind, size_t n,
                            const double *x, const char *const *labels, const double *weights, size_t fresh,
                            const double *q, size_t k)
{
    gersh_dataset *train = NULL, *test = NULL;
    assert_ok(gersh_dataset_new(&train, n, 1, x, 1, labels, NULL, NULL));
    assert_ok(gersh_dataset_set_weights(train, weights));
    assert_ok(gersh_dataset_new(&test, fresh, 1, q, 1, NULL, NULL, NULL));
    assert_ok(gersh__classify(label, proba, kind, NULL, train, test, (gersh__voters){k, 0}, 1, NULL));
    gersh_dataset_free(train);
    gersh_dataset_free(test);
}

/* Two votes each: the larger class wins, then the heavier one, then the first name; numbers go by value. */
static void equal_votes(void **unused)
{
    (void)unused;
    static const double x[] = {2, -3, -1, 4, 50, 60, 70}, zero[] = {0};
    static const char *const larger[] = {"b", "b", "a", "a", "c", "b", "c"}, *const alike[] = {"b", "b",
                                                                                               "a", "a",
                                                                                               "c", "c",
                                                                                               "c"},
                             *const numbers[] = {"10", "10", "9", "9", "8", "8", "8"};
    static const double weights[] = {1, 1, 1, 1, 1, 5, 1};
    int label[1];
    double proba[3];
    classify_points(label, proba, &gersh__classifier_knn, 7, x, larger, NULL, 1, zero, 4);
    assert_true(label[0] == 1 && proba[0] == 0.5 && proba[1] == 0.5 && proba[2] == 0);
    classify_points(label, proba, &gersh__classifier_knn, 7, x, alike, NULL, 1, zero, 4);
    assert_int_equal(label[0], 0);
    classify_points(label, proba, &gersh__classifier_knn, 7, x, numbers, NULL, 1, zero, 4);
    assert_int_equal(label[0], 1); /* 8, 9, 10: that is 9 */
    static const char *const heavier[] = {"a", "a", "b", "b", "a", "b", "a"};
    classify_points(label, proba, &gersh__classifier_knn, 7, x, heavier, NULL, 1, zero, 4);
    assert_int_equal(label[0], 0);
    classify_points(label, proba, &gersh__classifier_knn, 7, x, heavier, weights, 1, zero, 4);
    assert_int_equal(label[0], 1);
}

/* Three samples for the second of two places, or for the last two of three. */
static void places_are_shared(void **unused)
{
    (void)unused;
    static const double x[] = {1, 2, -2, 2, 9}, q[] = {0};
    static const char *const labels[] = {"a", "b", "b", "c", "c"};
    int label[1];
    double proba[3];
    classify_points(label, proba, &gersh__classifier_knn, 5, x, labels, NULL, 1, q, 2);
    assert_int_equal(label[0], 0);
    assert_true(fabs(proba[0] - 0.5) < 1e-15 && fabs(proba[1] - 1.0 / 3) < 1e-15 &&
                fabs(proba[2] - 1.0 / 6) < 1e-15);
    classify_points(label, proba, &gersh__classifier_knn, 5, x, labels, NULL, 1, q, 3); /* 1 : 4/3 : 2/3 */
    assert_int_equal(label[0], 1);
    assert_true(fabs(proba[0] - 1.0 / 3) < 1e-15 && fabs(proba[1] - 4.0 / 9) < 1e-15);
}

/* Means as far away as each other, and harmonic labels that are equal: the larger class, then the first name. */
static void other_classifiers(void **unused)
{
    (void)unused;
    static const gersh__classifier *const kinds[] = {&gersh__classifier_mahalanobis,
                                                     &gersh__classifier_graph};
    gersh__random random;
    gersh__random_seed(&random, 4);
    for (int c = 0; c < 2; c++)
        for (int turn = 0; turn < 20; turn++) {
            enum { n = 8 };
            static const double known[n] = {1.1, 1.3, 1.1, 1.3, -1.1, -1.3, -1.1, -1.3};
            size_t order[n] = {0, 1, 2, 3, 4, 5, 6, 7};
            double x[n], weight[n], q[] = {0, 0, 5, -5}, proba[4 * 2];
            const char *labels[n];
            int label[4];
            shuffle(&random, order, n);
            for (size_t i = 0; i < n; i++) {
                x[i] = known[order[i]];
                labels[i] = names[order[i] >= n / 2];
                weight[i] = order[i] >= n / 2 ? 3 : 2;
            }
            classify_points(label, proba, kinds[c], n, x, labels, NULL, 4, q, 1);
            assert_true(label[0] == 0 && label[1] == 0 && label[2] == 0 && label[3] == 1);
            assert_true(fabs(proba[0] - 0.5) < 1e-9);
            if (c == 0) { /* weights do not move these means */
                classify_points(label, proba, kinds[c], n, x, labels, weight, 4, q, 1);
                assert_true(label[0] == 1 && label[1] == 1 && label[2] == 0 && label[3] == 1);
            }
        }
    /* No weight of the graph reaches the test samples, which are equal: their nearest training samples decide. */
    static const double far[] = {0, 100, 100, 200}, away[] = {400, 400, 50, -300, -300};
    static const char *const labels[] = {"b", "b", "a", "a"};
    int label[5];
    double proba[5 * 2];
    classify_points(label, proba, &gersh__classifier_graph, 4, far, labels, NULL, 5, away, 1);
    assert_true(label[0] == 0 && label[1] == 0 && label[3] == 1 && label[4] == 1);
}

/* Means that are the same but for the rounding of their sums, and a test sample there. */
static void means_at_the_sample(void **unused)
{
    (void)unused;
    enum { n = 300 };
    gersh__random random;
    gersh__random_seed(&random, 5);
    for (int turn = 0; turn < 20; turn++) {
        size_t order[n];
        double x[n], q[] = {0.3}, proba[2];
        const char *labels[n];
        int label[1];
        for (size_t i = 0; i < n; i++)
            order[i] = i;
        shuffle(&random, order, n);
        for (size_t i = 0; i < n; i++) { /* the same numbers in both classes, in pairs around 0.3 */
            double away = 0.1 * (double)(order[i] / 4);
            x[i] = 0.3 + (order[i] % 2 ? away : -away);
            labels[i] = names[order[i] / 2 % 2];
        }
        classify_points(label, proba, &gersh__classifier_mahalanobis, n, x, labels, NULL, 1, q, 1);
        assert_int_equal(label[0], 0);
    }
}

/* Test samples so far away that their distances overflow: all training samples are equally far. */
static void infinitely_far(void **unused)
{
    (void)unused;
    static const double x[] = {0, 1, 2, 3, 4}, q[] = {1e200, -1e200};
    static const char *const labels[] = {"a", "b", "b", "a", "b"};
    int label[2];
    double proba[4];
    gersh_dataset *train = NULL, *test = NULL;
    assert_ok(gersh_dataset_new(&train, 5, 1, x, 1, labels, NULL, NULL));
    assert_ok(gersh_dataset_new(&test, 2, 1, q, 1, NULL, NULL, NULL));
    for (int by_distance = 0; by_distance < 2; by_distance++) {
        assert_ok(gersh__classify(label, proba, &gersh__classifier_knn, NULL, train, test,
                                  (gersh__voters){2, by_distance}, 1, NULL));
        for (int i = 0; i < 2; i++)
            assert_true(label[i] == 1 && fabs(proba[2 * i] - 0.4) < 1e-15);
    }
    gersh_dataset_free(train);
    gersh_dataset_free(test);
}

/* The same through gersh_predict, where the scaling too is learned from the samples in their order. */
static void models_in_any_order(void **unused)
{
    (void)unused;
    enum { n = 200, fresh = 81, k = 4 };
    gersh__random random;
    gersh__random_seed(&random, 6);
    double whole[n * k], x[n * k], q[fresh * k], first[3][fresh * 3];
    int class[n], found[3][fresh];
    size_t order[n];
    gersh_settings *settings = NULL;
    gersh_dataset *test = NULL;
    for (size_t e = 0; e < n * k; e++)
        whole[e] = (double)gersh__random_below(&random, 3) / 10;
    for (size_t i = 0; i < n; i++) {
        order[i] = i;
        class[i] = (int)gersh__random_below(&random, 3);
    }
    for (size_t i = 0; i < fresh; i++)
        for (size_t j = 0, rest = i; j < k; j++, rest /= 3)
            q[i * k + j] = (double)(rest % 3) / 10;
    assert_ok(gersh_settings_new(&settings));
    assert_ok(gersh_settings_set(settings, "solver", "identity"));
    assert_ok(gersh_dataset_new(&test, fresh, k, q, k, NULL, NULL, NULL));
    for (int turn = 0; turn < 5; turn++) {
        static const char *const classifiers[] = {"knn", "mahalanobis", "graph"};
        gersh_dataset *data = NULL;
        gersh_model *model = NULL;
        const char *labels[n];
        for (size_t i = 0; i < n; i++) {
            memcpy(x + i * k, whole + order[i] * k, k * sizeof *x);
            labels[i] = names[class[order[i]]];
        }
        assert_ok(gersh_dataset_new(&data, n, k, x, k, labels, NULL, NULL));
        assert_ok(gersh_model_fit(&model, NULL, data, settings, NULL));
        for (int c = 0; c < 3; c++) {
            gersh_prediction *p = NULL;
            assert_ok(gersh_settings_set(settings, "classifier", classifiers[c]));
            assert_ok(gersh_predict(&p, model, test, settings, NULL));
            if (turn == 0) {
                memcpy(found[c], p->label, sizeof found[c]);
                memcpy(first[c], p->proba, sizeof first[c]);
            }
            assert_memory_equal(p->label, found[c], sizeof found[c]);
            for (size_t e = 0; e < fresh * 3; e++)
                assert_true(c == 0 ? p->proba[e] == first[c][e] : fabs(p->proba[e] - first[c][e]) < 1e-9);
            gersh_prediction_free(p);
        }
        gersh_model_free(model);
        gersh_dataset_free(data);
        shuffle(&random, order, n);
    }
    gersh_dataset_free(test);
    gersh_settings_free(settings);
}

static void failing_allocations_leak_nothing(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 7);
    for (int regress = 0; regress < 2; regress++) {
        grid g = random_grid(&random, 4, 1, regress);
        gersh_dataset *train = NULL, *test = NULL;
        size_t order[MOST];
        long made = 1;
        for (size_t i = 0; i < g.n; i++)
            order[i] = i;
        make_data(&g, order, &train, &test);
        for (long at = 1; made >= at || at == 1; at++) {
            int label[MOST];
            double value[MOST];
            gersh__voters voters = {2, 0};
            gersh__alloc_fail_at(at);
            gersh_status status = regress ? gersh__regress(value, &gersh__classifier_knn, g.metric, train,
                                                           test, voters, 1, NULL)
                                          : gersh__classify(label, NULL, &gersh__classifier_knn, g.metric,
                                                            train, test, voters, 1, NULL);
            made = gersh__alloc_fail_at(0);
            assert_int_equal(status, made >= at ? GERSH_ERROR_MEMORY : GERSH_OK);
        }
        gersh_dataset_free(train);
        gersh_dataset_free(test);
        gersh_metric_free(g.metric);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_on_grids),    cmocka_unit_test(targets_on_grids),
        cmocka_unit_test(many_duplicates),     cmocka_unit_test(equal_votes),
        cmocka_unit_test(places_are_shared),   cmocka_unit_test(other_classifiers),
        cmocka_unit_test(means_at_the_sample), cmocka_unit_test(infinitely_far),
        cmocka_unit_test(models_in_any_order), cmocka_unit_test(failing_allocations_leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
