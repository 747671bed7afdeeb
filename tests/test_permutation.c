/*
 * Permutation importance: against predictions of samples whose values are permuted here; the number of threads,
 * interruption, models that have none, the model file; and what is shown of features that are known to be of use or of
 * none.
 */
#include "base/alloc.h"
#include "experiment/permute.h"
#include "importance.h"
#include "models.h"
#include "random_metrics.h"
#include "registry.h"
#include "sparse.h"
#include "tuples.h"

enum { SPLITS = GERSH_IMPORTANCE_SPLITS };

/* What predictions lose, weighted: the share of wrong classes, or of targets 1 − R². */
static double naive_loss(const gersh_model *model, const gersh_dataset *test,
                         const gersh_settings *settings)
{
    const double *w = gersh_dataset_weights(test), *y = gersh_dataset_targets(test);
    const int *label = gersh_dataset_labels(test);
    size_t n = gersh_dataset_rows(test);
    double lost = 0, total = 0, mean = 0, square = 0;
    gersh_prediction *p = NULL;
    assert_ok(gersh_predict(&p, model, test, settings, NULL));
    for (size_t i = 0; i < n; i++) {
        double own = w != NULL ? w[i] : 1;
        total += own;
        mean += y != NULL ? own * y[i] : 0;
        lost += own * (y != NULL ? (y[i] - p->value[i]) * (y[i] - p->value[i]) : label[i] != p->label[i]);
    }
    mean /= total;
    for (size_t i = 0; y != NULL && i < n; i++)
        square += (w != NULL ? w[i] : 1) * (y[i] - mean) * (y[i] - mean);
    gersh_prediction_free(p);
    return lost / (y != NULL ? square : total);
}

/* The part of the data that is trained on, or held out, in a split. */
static gersh_dataset *part_of(const gersh_dataset *data, uint64_t seed, int part)
{
    gersh_split *split = NULL;
    gersh_dataset *out = NULL;
    size_t *rows = NULL, count;
    assert_ok(gersh_split_test(&split, data, 0.2, seed));
    assert_ok(gersh_split_rows(&rows, &count, split, part, 1));
    assert_ok(gersh_dataset_subset(&out, data, rows, count));
    free(rows);
    gersh_split_free(split);
    return out;
}

/* What each feature loses on one split, with the permutations drawn by the library's rule. Returns 1 − score. */
static double naive_split(double *loss, const gersh_dataset *data, const gersh_settings *settings,
                          uint64_t seed)
{
    gersh_dataset *train = part_of(data, seed, 0), *test = part_of(data, seed, 1);
    size_t n = gersh_dataset_rows(test), k = gersh_dataset_features(test),
           *order = calloc(n, sizeof *order);
    size_t repeats = (400 + n - 1) / n < 10 ? (400 + n - 1) / n : 10;
    double *m = calloc(k * k, sizeof *m);
    gersh_model *model = NULL;
    gersh__random random;
    assert_ok(gersh_model_fit(&model, NULL, train, settings, NULL));
    double plain = naive_loss(model, test, settings);
    gersh_metric_matrix(gersh_model_metric(model), m);
    for (size_t i = 0; i < n; i++)
        order[i] = i;
    gersh__random_seed(&random, seed);
    gersh__random_shuffle(&random, order, n);
    for (size_t f = 0; f < k; f++) {
        loss[f] = 0;
        if (m[f * k + f] <= gersh_model_metric(model)->rho)
            continue;
        gersh__random_seed(&random, seed + (f + 1) * UINT64_C(0x9E3779B97F4A7C15));
        for (size_t repeat = 0; repeat < repeats; repeat++) {
            size_t shift = 1 + (size_t)gersh__random_below(&random, n - 1);
            gersh_dataset *changed = NULL;
            assert_ok(gersh_dataset_copy(&changed, test));
            assert_ok(gersh_dataset_densify(changed));
            for (size_t at = 0; at < n; at++)
                changed->x[order[at] * k + f] = gersh_dataset_values(test)[order[(at + shift) % n] * k + f];
            loss[f] += (naive_loss(model, changed, settings) - plain) / (double)repeats;
            gersh_dataset_free(changed);
        }
    }
    gersh_model_free(model);
    gersh_dataset_free(train);
    gersh_dataset_free(test);
    free(order);
    free(m);
    return plain;
}

static void compare_with_predictions(const gersh_dataset *data, const gersh_settings *settings,
                                     uint64_t seed)
{
    size_t k = gersh_dataset_features(data);
    double *loss = calloc(SPLITS * k, sizeof *loss), score = 0;
    gersh_dataset *dense = NULL;
    gersh_model *model = NULL;
    assert_ok(gersh_dataset_copy(&dense, data));
    assert_ok(gersh_dataset_densify(dense));
    for (size_t s = 0; s < SPLITS; s++)
        score += (1 - naive_split(loss + s * k, dense, settings, seed + s)) / SPLITS;
    assert_ok(gersh_model_fit(&model, NULL, data, settings, NULL));
    assert_ok(gersh_importance_permute(model, settings, NULL));
    const gersh_importance *found = gersh_model_importance(model);
    assert_int_equal(found->splits, SPLITS);
    assert_int_equal(found->kind, GERSH_IMPORTANCE_PERMUTATION);
    assert_close(found->score, score, 1e-9);
    for (size_t f = 0; f < k; f++) {
        double mean = 0, square = 0;
        for (size_t s = 0; s < SPLITS; s++)
            mean += loss[s * k + f] / SPLITS;
        for (size_t s = 0; s < SPLITS; s++)
            square += pow(loss[s * k + f] - mean, 2) / (SPLITS - 1);
        assert_close(found->permutation[f], mean, 1e-9);
        assert_close(found->deviation[f], sqrt(square), 1e-8);
    }
    gersh_model_free(model);
    gersh_dataset_free(dense);
    free(loss);
}

static void losses_are_those_of_predictions(void **unused)
{
    static const char *const scales[] = {"zscore", "paper", "none"}, *const votes[] = {"equal", "distance"};
    size_t solvers = count_solvers(is_certified);
    gersh__random random;
    (void)unused;
    gersh__random_seed(&random, 1);
    for (int round = 0; round < (cases(100) > 1 ? 16 : 2); round++) {
        enum { N = 45, K = 5 };
        double w[N];
        gersh_settings *settings =
            model_settings("glr", solver_name((size_t)round % solvers, is_certified));
        assert_ok(gersh_settings_set(settings, "scale", scales[round % 3]));
        assert_ok(gersh_settings_set(settings, "votes", votes[round / 2 % 2]));
        assert_ok(gersh_settings_set(settings, "neighbors", "3"));
        assert_ok(gersh_settings_set(settings, "seed", "7"));
        gersh_dataset *data = ready_data(&random, N, K, round % 2 ? 0 : 3);
        for (size_t i = 0; i < N; i++)
            w[i] = i % 7 == 3 ? 0 : 0.5 + gersh__random_uniform(&random);
        if (round % 5 == 4)
            assert_ok(gersh_dataset_set_weights(data, w));
        compare_with_predictions(data, settings, 7);
        gersh_dataset_free(data);
        gersh_settings_free(settings);
    }
}

/* Sparse data has what the same rows have when they are dense; some features are in no atom. */
static void sparse_data_loses_the_same(void **unused)
{
    static const char *const scales[] = {"zscore", "paper", "none"};
    enum { N = 60, TESTS = 20, K = 14 };
    size_t held[TESTS], kept[N - TESTS];
    gersh__random random;
    (void)unused;
    for (size_t i = 0; i < N; i++)
        *(i % 3 ? &kept[i - i / 3 - 1] : &held[i / 3]) = i;
    gersh__random_seed(&random, 2);
    for (int round = 0; round < cases(60); round++) {
        twins t;
        double loss[2][K], score[2];
        gersh_scaling *scaling = NULL;
        gersh_metric *metric = random_metric(&random, K, round % 2 ? SINGULAR_METRIC : FLAT_DENSE_METRIC);
        twins_make(&t, &random, N, K, 0.9, round / 3 % 2);
        assert_ok(gersh_scaling_fit(&scaling, t.dense, scales[round % 3]));
        for (int sparse = 0; sparse < 2; sparse++) {
            gersh__permute_task task = {
                .metric = metric, .scaling = scaling, .voters = {3, round % 2}, .seed = (uint64_t)round};
            const gersh_dataset *data = sparse ? t.sparse : t.dense;
            assert_ok(gersh_dataset_subset(&task.train, data, kept, N - TESTS));
            assert_ok(gersh_dataset_subset(&task.test, data, held, TESTS));
            assert_ok(gersh__pool_new(&task.pool, 1));
            assert_ok(gersh__permute(&score[sparse], loss[sparse], &task));
            assert_true((task.test->x == NULL) == sparse);
            gersh__pool_free(task.pool);
            gersh_dataset_free(task.train);
            gersh_dataset_free(task.test);
        }
        assert_close(score[0], score[1], 1e-9);
        for (size_t f = 0; f < K; f++)
            assert_close(loss[0][f], loss[1][f], 1e-9);
        gersh_scaling_free(scaling);
        gersh_metric_free(metric);
        twins_free(&t);
    }
}

/* An XOR of the second and the fourth feature, a constant, the number of the row, and noise. */
static gersh_dataset *xor_data(size_t n)
{
    enum { K = 7 };
    gersh__random random;
    gersh_dataset *data = NULL;
    double *x = calloc(n * K, sizeof *x);
    const char **labels = calloc(n, sizeof *labels);
    gersh__random_seed(&random, 3);
    for (size_t i = 0; i < n; i++) {
        int a = (int)gersh__random_below(&random, 2), b = (int)gersh__random_below(&random, 2);
        for (size_t f = 0; f < K; f++)
            x[i * K + f] = gersh__random_normal(&random);
        x[i * K + 1] = (a ? 1 : -1) + 0.2 * x[i * K + 1];
        x[i * K + 3] = (b ? 1 : -1) + 0.2 * x[i * K + 3];
        x[i * K + 4] = 2;
        x[i * K + 6] = (double)i;
        labels[i] = a == b ? "even" : "odd";
    }
    assert_ok(gersh_dataset_new(&data, n, K, x, K, labels, NULL, NULL));
    free(x);
    free(labels);
    return data;
}

static gersh_model *xor_model(const char *threads, gersh_settings **settings)
{
    gersh_dataset *data = xor_data(200);
    gersh_model *model = NULL;
    *settings = model_settings("glr", "psd");
    assert_ok(gersh_settings_set(*settings, "threads", threads));
    assert_ok(gersh_model_fit(&model, NULL, data, *settings, NULL));
    gersh_dataset_free(data);
    return model;
}

static void xor_pair_is_on_top(void **unused)
{
    const char *solver;
    gersh_dataset *data = xor_data(300);
    (void)unused;
    for (size_t way = 0; (solver = solver_name(way, is_certified)) != NULL; way++) {
        double value[7];
        gersh_settings *settings = model_settings("lmnn", solver);
        gersh_model *model = NULL;
        assert_ok(gersh_model_fit(&model, NULL, data, settings, NULL));
        assert_true(gersh_importance_is_blind(gersh_model_importance(model)));
        assert_int_equal(gersh_importance_rank(value, model), GERSH_IMPORTANCE_WEIGHT);
        assert_ok(gersh_importance_permute(model, NULL, NULL));
        assert_int_equal(gersh_importance_rank(value, model), GERSH_IMPORTANCE_PERMUTATION);
        assert_true(gersh_model_importance(model)->score > 0.8);
        for (size_t f = 0; f < 7; f++)
            assert_true(f == 1 || f == 3 ? value[f] > 0.2 : fabs(value[f]) < 0.08);
        assert_true(value[4] == 0); /* the constant */
        /* What else there is can be asked for. */
        assert_ok(gersh_importance_choose(model, GERSH_IMPORTANCE_CONTRIBUTION));
        assert_int_equal(gersh_importance_rank(value, model), GERSH_IMPORTANCE_CONTRIBUTION);
        assert_ok(gersh_importance_choose(model, GERSH_IMPORTANCE_WEIGHT));
        assert_int_equal(gersh_importance_rank(value, model), GERSH_IMPORTANCE_WEIGHT);
        gersh_settings_free(settings);
        gersh_model_free(model);
    }
    gersh_dataset_free(data);
}

static void threads_change_no_bit(void **unused)
{
    static const char *const threads[] = {"1", "2", "5"};
    gersh_model *model[3];
    gersh_settings *settings[3];
    (void)unused;
    for (int t = 0; t < 3; t++) {
        model[t] = xor_model(threads[t], &settings[t]);
        assert_ok(gersh_importance_permute(model[t], settings[t], NULL));
        const gersh_importance *first = gersh_model_importance(model[0]),
                               *here = gersh_model_importance(model[t]);
        assert_memory_equal(here->permutation, first->permutation, 7 * sizeof(double));
        assert_memory_equal(here->deviation, first->deviation, 7 * sizeof(double));
        assert_true(here->score == first->score);
    }
    /* A second run with another seed replaces the first. */
    assert_ok(gersh_settings_set(settings[0], "seed", "1"));
    assert_ok(gersh_importance_permute(model[0], settings[0], NULL));
    assert_memory_not_equal(gersh_model_importance(model[0])->permutation,
                            gersh_model_importance(model[1])->permutation, 7 * sizeof(double));
    for (int t = 0; t < 3; t++) {
        gersh_model_free(model[t]);
        gersh_settings_free(settings[t]);
    }
}

typedef struct watch {
    gersh_cancel cancel;
    size_t calls, limit, split;
} watch;

static void stop_at_limit(void *context, const gersh_importance_progress *progress)
{
    watch *w = context;
    assert_true(progress->splits == SPLITS && progress->split < SPLITS && progress->split >= w->split);
    assert_true(progress->done <= progress->total && progress->seconds >= 0);
    w->split = progress->split;
    if (++w->calls == w->limit)
        gersh_cancel_request(&w->cancel);
}

static void interrupted_runs_leave_the_model(void **unused)
{
    gersh_settings *settings;
    gersh_model *model = xor_model("1", &settings);
    watch all = {.limit = 0};
    (void)unused;
    for (size_t limit = 1; limit < 60; limit += 7) {
        watch w = {.limit = limit};
        gersh_importance_options options = {stop_at_limit, &w, &w.cancel};
        assert_int_equal(gersh_importance_permute(model, settings, &options), GERSH_ERROR_CANCELLED);
        assert_null(gersh_model_importance(model)->permutation);
        assert_int_equal(gersh_model_importance(model)->kind, GERSH_IMPORTANCE_WEIGHT);
    }
    gersh_importance_options options = {stop_at_limit, &all, NULL};
    assert_ok(gersh_importance_permute(model, settings, &options));
    assert_true(all.split == SPLITS - 1 && all.calls == SPLITS * (1 + 40));
    gersh_model_free(model);
    gersh_settings_free(settings);
}

static void refused(gersh_model *model, const char *words)
{
    gersh_status status = gersh_importance_permute(model, NULL, NULL);
    assert_true(status == GERSH_ERROR_ARGUMENT || status == GERSH_ERROR_INPUT);
    if (strstr(gersh_last_error(), words) == NULL)
        fail_msg("%s", gersh_last_error());
    assert_null(gersh_model_importance(model)->permutation);
}

static void models_without_it(void **unused)
{
    static const double planted[] = {3, 1, 0.1, 0}, x[] = {1, 2, 3};
    static const char *const labels[] = {"a", "b", "a"};
    gersh__random random;
    gersh_model *model = NULL, *back = NULL;
    (void)unused;
    gersh__random_seed(&random, 4);
    gersh_dataset *data = plain_data(&random, 16, 4);
    gersh_tuples *tuples = true_tuples(&random, data, GERSH_PAIRS, 30, planted, 6);
    gersh_settings *settings = model_settings("glr", "balanced");
    assert_ok(gersh_model_fit(&model, NULL, data, settings, &(gersh_fit_options){.tuples = tuples}));
    refused(model, "the model was learned from tuples, so that there are no labels to predict");
    assert_int_equal(gersh_importance_choose(model, GERSH_IMPORTANCE_PERMUTATION), GERSH_ERROR_INPUT);
    assert_int_equal(gersh_importance_choose(model, (gersh_importance_kind)9), GERSH_ERROR_ARGUMENT);
    gersh_tuples_free(tuples);
    gersh_model_free(model);
    gersh_dataset_free(data);

    model = random_model(41, 30, 4, 2, "glr", "balanced", 0);
    assert_ok(gersh_model_write(model, model_path, 0));
    assert_ok(gersh_model_read(&back, model_path));
    refused(back, "the model was written without its training samples");
    gersh_model_free(back);
    model->custom = 1;
    refused(model, "the model has a custom objective");
    gersh_model_free(model);

    data = NULL;
    assert_ok(gersh_dataset_new(&data, 3, 1, x, 1, labels, NULL, NULL));
    assert_ok(gersh_model_fit(&model, NULL, data, settings, NULL));
    refused(model, "no split of the samples could be measured: ");
    gersh_model_free(model);
    gersh_dataset_free(data);
    gersh_settings_free(settings);
}

/* The rules for edges are those of the fits, too. */
static void edge_rules_hold(void **unused)
{
    const gersh_edge_rule rules[] = {{0, 1, GERSH_EDGE_FORBIDDEN}, {2, 3, GERSH_EDGE_POSITIVE}};
    gersh__random random;
    (void)unused;
    gersh__random_seed(&random, 5);
    gersh_dataset *data = ready_data(&random, 40, 4, 2);
    gersh_settings *settings = model_settings("glr", "balanced");
    gersh_model *model = NULL;
    assert_ok(gersh_model_fit(&model, NULL, data, settings,
                              &(gersh_fit_options){.rules = rules, .rule_count = 2}));
    assert_ok(gersh_importance_permute(model, settings, NULL));
    gersh_model_free(model);
    gersh_settings_free(settings);
    gersh_dataset_free(data);
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

static void files(void **unused)
{
    gersh_settings *settings;
    gersh_model *model = xor_model("1", &settings), *back = NULL;
    (void)unused;
    assert_ok(gersh_importance_permute(model, settings, NULL));
    gersh_importance *a = &model->importance;
    double *contribution = a->contribution;
    for (int without = 0; without < 2; without++)
        for (int with_data = 0; with_data < 2; with_data++) {
            a->contribution = without ? NULL : contribution;
            assert_ok(gersh_model_write(model, model_path, with_data));
            a->contribution = contribution;
            assert_ok(gersh_model_read(&back, model_path));
            const gersh_importance *b = gersh_model_importance(back);
            assert_true(a->kind == b->kind && a->splits == b->splits && a->score == b->score);
            assert_memory_equal(a->permutation, b->permutation, 7 * sizeof(double));
            assert_memory_equal(a->deviation, b->deviation, 7 * sizeof(double));
            assert_true((b->contribution != NULL) == (with_data || !without));
            assert_true(b->contribution == NULL || b->separation == a->separation);
            gersh_model_free(back);
        }
    gersh_importance kept = *a;
    a->deviation[1] = -1;
    damaged(model, "the deviation of feature 2's permutation importance is negative");
    a->deviation[1] = INFINITY;
    damaged(model, "number 4 of tensor 'permutation' is not finite");
    a->deviation[1] = 0;
    a->splits = 0;
    damaged(model, "the record of the features' importance is damaged");
    a->splits = 6;
    damaged(model, "the record of the features' importance is damaged");
    a->splits = kept.splits;
    a->score = 1.5;
    damaged(model, "the record of the features' importance is damaged");
    a->score = kept.score;
    a->permutation = NULL;
    damaged(model, "the record of the features' importance is damaged");
    a->permutation = kept.permutation;
    gersh_model_free(model);
    gersh_settings_free(settings);
}

static void allocation_failures(void **unused)
{
    int failures = 0;
    (void)unused;
    for (int unit = 0; unit < 2; unit++) {
        gersh__random random;
        gersh__random_seed(&random, 6);
        gersh_dataset *data = ready_data(&random, 20, 3, 2);
        gersh_settings *settings = model_settings("glr", "diagonal");
        gersh_model *model = NULL;
        assert_ok(gersh_settings_set(settings, "scale", unit ? "paper" : "zscore"));
        assert_ok(gersh_settings_set(settings, "tol", "0.1"));
        assert_ok(gersh_model_fit(&model, NULL, data, settings, NULL));
        gersh__alloc_fail_at(1000000000);
        assert_ok(gersh_importance_permute(model, settings, NULL));
        long count = gersh__alloc_fail_at(0), step = getenv("GERSH_TEST_QUICK") != NULL ? 17 : 1;
        double before = gersh_model_importance(model)->permutation[0];
        for (long at = 1; at <= count; at += step) {
            gersh__alloc_fail_at(at);
            gersh_status status = gersh_importance_permute(model, settings, NULL);
            gersh__alloc_fail_at(0);
            assert_true(status == GERSH_OK || status == GERSH_ERROR_MEMORY);
            failures += status == GERSH_ERROR_MEMORY;
            assert_true(gersh_model_importance(model)->permutation[0] == before);
        }
        gersh_model_free(model);
        gersh_settings_free(settings);
        gersh_dataset_free(data);
    }
    assert_true(failures > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_are_those_of_predictions),
        cmocka_unit_test(sparse_data_loses_the_same),
        cmocka_unit_test(xor_pair_is_on_top),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(interrupted_runs_leave_the_model),
        cmocka_unit_test(models_without_it),
        cmocka_unit_test(edge_rules_hold),
        cmocka_unit_test(files),
        cmocka_unit_test(allocation_failures),
    };
    return cmocka_run_group_tests(tests, models_start, models_end);
}
