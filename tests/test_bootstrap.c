/*
 * The bootstrap of edges: counts, means and deviations against fits of resamples drawn here; the number of
 * threads, interruption, resamples that fail, the model file.
 */
#include "base/alloc.h"
#include "models.h"
#include "registry.h"
#include "tuples.h"

enum { MOST = 6 };

/* How often each of the items of a stratum was drawn in resample b, by the rule of the library's
 * documentation. */
static void draw_again(gersh__random *random, size_t items, const int *stratum, int which, size_t *times)
{
    size_t member[64], count = 0;
    for (size_t i = 0; i < items; i++)
        if (stratum[i] == which)
            member[count++] = i;
    for (size_t i = 0; i < count; i++)
        times[member[gersh__random_below(random, count)]]++;
}

typedef struct tally {
    size_t positive, negative;
    double value[64];
} tally;

static void add_metric(tally *edges, size_t k, size_t b, const gersh_metric *metric)
{
    double m[MOST * MOST];
    gersh_metric_matrix(metric, m);
    for (size_t i = 0; i < k; i++)
        for (size_t j = i + 1; j < k; j++) {
            double entry = m[i * k + j];
            if (fabs(entry) <= 1e-6 * sqrt(m[i * k + i] * m[j * k + j]))
                continue;
            edges[i * k + j].value[b] = entry;
            edges[i * k + j].positive += entry < 0;
            edges[i * k + j].negative += entry > 0;
        }
}

static void compare_tallies(const tally *edges, size_t k, size_t resamples, const gersh_bootstrap *found)
{
    size_t count = 0;
    assert_true(found->done == resamples && found->asked == resamples && found->failed == 0);
    for (size_t i = 0; i < k; i++)
        for (size_t j = i + 1; j < k; j++) {
            const tally *t = &edges[i * k + j];
            const gersh_bootstrap_edge *edge = gersh_bootstrap_find(found, j, i);
            assert_true((edge != NULL) == (t->positive + t->negative > 0));
            if (edge == NULL)
                continue;
            double mean = 0, square = 0;
            for (size_t b = 0; b < resamples; b++)
                mean += t->value[b] / (double)resamples;
            for (size_t b = 0; b < resamples; b++)
                square += pow(t->value[b] - mean, 2) / (double)(resamples - 1);
            assert_true(edge->first == i && edge->second == j);
            assert_true(edge->positive == t->positive && edge->negative == t->negative);
            assert_close(edge->mean, mean, 1e-12 * fabs(mean) + 1e-15);
            assert_close(edge->deviation, sqrt(square), 1e-9 * sqrt(square) + 1e-12 * fabs(mean));
            count++;
        }
    assert_int_equal(found->count, count);
}

/* Scaled rows, and the limits of the model, for fits of one's own. */
static gersh_settings *same_limits(const gersh_model *model, const char *objective, const char *solver)
{
    char number[40];
    gersh_settings *settings = model_settings(objective, solver);
    snprintf(number, sizeof number, "%.17g", gersh_model_info(model)->budget);
    assert_ok(gersh_settings_set(settings, "trace", number));
    snprintf(number, sizeof number, "%.17g", gersh_model_info(model)->rho);
    assert_ok(gersh_settings_set(settings, "rho", number));
    return settings;
}

static int has_edges(const gersh__solver *solver)
{
    return is_certified(solver) && solver->info.signs != GERSH_SIGNS_NO_EDGES;
}

static void counts_are_those_of_the_resamples(void **unused)
{
    int solvers = (int)count_solvers(has_edges);
    enum { N = 24, K = 5, B = 7, SEED = 5 };
    gersh__random random;
    (void)unused;
    gersh__random_seed(&random, 51);
    for (int round = 0; round < 2 * solvers; round++) {
        const char *solver = solver_name((size_t)(round % solvers), has_edges);
        gersh_dataset *data = ready_data(&random, N, K, 3);
        double own[N];
        for (size_t i = 0; i < N; i++)
            own[i] = 1 + gersh__random_uniform(&random);
        if (round % 2)
            assert_ok(gersh_dataset_set_weights(data, own));
        gersh_settings *settings = model_settings("glr", solver);
        assert_ok(gersh_settings_set(settings, "seed", "5"));
        gersh_model *model = NULL;
        assert_ok(gersh_model_fit(&model, NULL, data, settings, NULL));
        assert_ok(gersh_bootstrap_run(model, B, settings, NULL));
        gersh_settings *fixed = same_limits(model, "glr", solver);
        assert_ok(gersh_scaling_apply(gersh_model_scaling(model), data));
        tally edges[MOST * MOST] = {{0, 0, {0}}};
        for (size_t b = 0; b < B; b++) {
            gersh__random draws;
            size_t times[N] = {0};
            double weights[N];
            gersh_metric *metric = NULL;
            gersh_fit_info info;
            gersh__random_seed(&draws, SEED + (b + 1) * UINT64_C(0x9E3779B97F4A7C15));
            for (int c = 0; c < 3; c++)
                draw_again(&draws, N, gersh_dataset_labels(data), c, times);
            for (size_t i = 0; i < N; i++)
                weights[i] = (double)times[i] * (round % 2 ? own[i] : 1);
            assert_ok(gersh_fit(&metric, &info, data, fixed, &(gersh_fit_options){.weights = weights}));
            add_metric(edges, K, b, metric);
            gersh_metric_free(metric);
        }
        compare_tallies(edges, K, B, gersh_model_bootstrap(model));
        gersh_model_free(model);
        gersh_settings_free(settings);
        gersh_settings_free(fixed);
        gersh_dataset_free(data);
    }
}

static void tuples_are_resampled(void **unused)
{
    enum { N = 16, K = 4, T = 40, B = 5 };
    static const double planted[] = {3, 1, 0.1, 0};
    static const char *const objectives[] = {"glr", "lmnn", "lmnn"};
    gersh__random random;
    (void)unused;
    gersh__random_seed(&random, 52);
    for (int kind = 0; kind < 3; kind++) {
        gersh_dataset *data = plain_data(&random, N, K);
        gersh_tuples *tuples = true_tuples(&random, data, (gersh_tuple_kind)kind, T, planted, 6);
        gersh_settings *settings = model_settings(objectives[kind], "hull");
        gersh_model *model = NULL;
        assert_ok(gersh_model_fit(&model, NULL, data, settings, &(gersh_fit_options){.tuples = tuples}));
        assert_ok(gersh_bootstrap_run(model, B, settings, NULL));
        gersh_settings *fixed = same_limits(model, objectives[kind], "hull");
        assert_ok(gersh_scaling_apply(gersh_model_scaling(model), data));
        tally edges[MOST * MOST] = {{0, 0, {0}}};
        for (size_t b = 0; b < B; b++) {
            gersh__random draws;
            size_t times[T] = {0}, row[4 * T], count = 0, size = gersh_tuple_size(tuples->kind);
            int stratum[T], similar[T];
            gersh_tuples *drawn = NULL;
            gersh_metric *metric = NULL;
            gersh_fit_info info;
            gersh__random_seed(&draws, (b + 1) * UINT64_C(0x9E3779B97F4A7C15));
            for (size_t t = 0; t < T; t++)
                stratum[t] = kind == 0 ? tuples->similar[t] : 0;
            draw_again(&draws, T, stratum, 0, times);
            draw_again(&draws, T, stratum, 1, times);
            for (size_t t = 0; t < T; t++)
                for (size_t copy = 0; copy < times[t]; copy++) {
                    memcpy(row + count * size, tuples->row + t * size, size * sizeof *row);
                    similar[count++] = stratum[t];
                }
            assert_int_equal(count, T);
            assert_ok(gersh_tuples_new(&drawn, tuples->kind, count, row, kind == 0 ? similar : NULL, N));
            assert_ok(gersh_fit(&metric, &info, data, fixed, &(gersh_fit_options){.tuples = drawn}));
            add_metric(edges, K, b, metric);
            gersh_metric_free(metric);
            gersh_tuples_free(drawn);
        }
        compare_tallies(edges, K, B, gersh_model_bootstrap(model));
        gersh_model_free(model);
        gersh_settings_free(settings);
        gersh_settings_free(fixed);
        gersh_tuples_free(tuples);
        gersh_dataset_free(data);
    }
}

/* Classes that differ along f1 − f2: that edge is sure, and edges of noise are not. */
static gersh_model *sure_model(const char *threads, gersh_settings **settings)
{
    enum { N = 60, K = 5 };
    gersh__random random;
    double x[N * K];
    const char *labels[N];
    gersh_dataset *data = NULL;
    gersh_model *model = NULL;
    gersh__random_seed(&random, 53);
    for (size_t i = 0; i < N; i++) {
        labels[i] = i % 2 ? "a" : "b";
        for (size_t f = 0; f < K; f++)
            x[i * K + f] = gersh__random_normal(&random);
        x[i * K + 1] = x[i * K] + (i % 2 ? 0.8 : -0.8) + 0.1 * x[i * K + 1];
    }
    assert_ok(gersh_dataset_new(&data, N, K, x, K, labels, NULL, NULL));
    *settings = model_settings("mcml", "balanced");
    assert_ok(gersh_settings_set(*settings, "threads", threads));
    assert_ok(gersh_model_fit(&model, NULL, data, *settings, NULL));
    gersh_dataset_free(data);
    return model;
}

static void threads_change_no_bit(void **unused)
{
    static const char *const threads[] = {"1", "2", "5"};
    gersh_model *model[3];
    gersh_settings *settings[3];
    (void)unused;
    for (int t = 0; t < 3; t++) {
        model[t] = sure_model(threads[t], &settings[t]);
        assert_ok(gersh_bootstrap_run(model[t], 23, settings[t], NULL));
        const gersh_bootstrap *first = gersh_model_bootstrap(model[0]),
                              *here = gersh_model_bootstrap(model[t]);
        assert_true(here->done == 23 && here->count == first->count && here->count > 0);
        assert_memory_equal(here->edge, first->edge, first->count * sizeof *first->edge);
    }
    const gersh_bootstrap_edge *sure = gersh_bootstrap_find(gersh_model_bootstrap(model[0]), 0, 1);
    assert_true(sure != NULL && sure->positive == 23 && sure->negative == 0 && sure->mean < 0);
    const gersh_bootstrap_edge *noise = gersh_bootstrap_find(gersh_model_bootstrap(model[0]), 3, 4);
    assert_true(noise == NULL || noise->positive + noise->negative < 20);
    /* A second run with another seed replaces the first. */
    assert_ok(gersh_settings_set(settings[0], "seed", "1"));
    assert_ok(gersh_bootstrap_run(model[0], 23, settings[0], NULL));
    const gersh_bootstrap *again = gersh_model_bootstrap(model[0]), *old = gersh_model_bootstrap(model[1]);
    assert_true(again->count != old->count ||
                memcmp(again->edge, old->edge, old->count * sizeof *old->edge) != 0);
    for (int t = 0; t < 3; t++) {
        gersh_model_free(model[t]);
        gersh_settings_free(settings[t]);
    }
}

typedef struct watch {
    gersh_cancel cancel;
    size_t limit, last, calls;
} watch;

static void stop_at_limit(void *context, const gersh_bootstrap_progress *progress)
{
    watch *w = context;
    assert_true(progress->done <= progress->total && progress->done >= w->last && progress->seconds >= 0);
    w->last = progress->done;
    w->calls++;
    if (progress->done >= w->limit)
        gersh_cancel_request(&w->cancel);
}

static void interrupted_runs_keep_what_was_done(void **unused)
{
    gersh_settings *settings;
    gersh_model *model = sure_model("1", &settings);
    watch w = {.limit = 6};
    gersh_bootstrap_options options = {
        .progress = stop_at_limit, .progress_context = &w, .cancel = &w.cancel};
    (void)unused;
    assert_ok(gersh_bootstrap_run(model, 100, settings, &options));
    const gersh_bootstrap *b = gersh_model_bootstrap(model);
    assert_true(b->asked == 100 && b->done == 6 && b->failed == 0 && w.calls >= 6);
    /* Those six are the first six. */
    gersh_settings *other;
    gersh_model *whole = sure_model("1", &other);
    assert_ok(gersh_bootstrap_run(whole, 6, other, NULL));
    assert_memory_equal(b->edge, gersh_model_bootstrap(whole)->edge, b->count * sizeof *b->edge);
    /* Cancelled before the first: the old result stays. */
    w.last = 0;
    assert_int_equal(gersh_bootstrap_run(model, 100, settings, &options), GERSH_ERROR_CANCELLED);
    assert_true(gersh_model_bootstrap(model) == b);
    gersh_model_free(model);
    gersh_model_free(whole);
    gersh_settings_free(settings);
    gersh_settings_free(other);
}

/* One row alone has similar and dissimilar pairs, and not in every resample. */
static void failing_resamples_are_counted(void **unused)
{
    gersh__random random;
    (void)unused;
    gersh__random_seed(&random, 54);
    gersh_dataset *data = plain_data(&random, 12, 2);
    gersh_tuples *tuples = NULL;
    gersh_model *model = NULL, *back = NULL;
    static const size_t rows[] = {0, 1, 2, 3, 4, 5, 0, 6, 7, 8, 9, 10};
    assert_ok(gersh_tuples_new(&tuples, GERSH_PAIRS, 6, rows, (int[]){1, 1, 1, 0, 0, 0}, 12));
    gersh_settings *settings = model_settings("mcml", "hull");
    assert_ok(gersh_model_fit(&model, NULL, data, settings, &(gersh_fit_options){.tuples = tuples}));
    assert_ok(gersh_bootstrap_run(model, 40, settings, NULL));
    const gersh_bootstrap *b = gersh_model_bootstrap(model);
    assert_true(b->done + b->failed == 40 && b->failed > 5 && b->done > 5);
    assert_non_null(strstr(b->failure, "resample "));
    assert_non_null(strstr(b->failure, "the objective mcml needs a row"));
    assert_ok(gersh_model_write(model, model_path, 1));
    assert_ok(gersh_model_read(&back, model_path));
    assert_string_equal(gersh_model_bootstrap(back)->failure, b->failure);
    assert_true(gersh_model_bootstrap(back)->failed == b->failed);
    gersh_model_free(model);
    gersh_model_free(back);
    gersh_settings_free(settings);
    gersh_tuples_free(tuples);
    gersh_dataset_free(data);
}

static void refused_bootstrap(gersh_model *model, size_t resamples, const gersh_bootstrap_options *options,
                              const char *message)
{
    assert_int_equal(gersh_bootstrap_run(model, resamples, NULL, options), GERSH_ERROR_ARGUMENT);
    assert_string_equal(gersh_last_error(), message);
    assert_null(gersh_model_bootstrap(model));
}

static void damaged(gersh_model *model, const char *message)
{
    gersh_model *back = NULL;
    assert_ok(gersh_model_write(model, model_path, 0));
    assert_int_equal(gersh_model_read(&back, model_path), GERSH_ERROR_INPUT);
    assert_null(back);
    if (strstr(gersh_last_error(), message) == NULL)
        fail_msg("%s", gersh_last_error());
}

static void files_and_refusals(void **unused)
{
    gersh_settings *settings;
    gersh_model *model = sure_model("2", &settings), *back = NULL;
    gersh_custom_objective custom = {0};
    (void)unused;
    refused_bootstrap(model, 0, NULL, "the number of resamples is 0; it must be at least 1");
    refused_bootstrap(model, 3, &(gersh_bootstrap_options){.custom = &custom},
                      "the model has no custom objective, but the options give one");
    assert_ok(gersh_model_write(model, model_path, 0));
    assert_ok(gersh_model_read(&back, model_path));
    refused_bootstrap(
        back, 3, NULL,
        "the model was written without its training rows, which resamples are drawn from; fit it "
        "without --no-data");
    gersh_model_free(back);
    assert_null(gersh_bootstrap_find(NULL, 0, 1));
    assert_ok(gersh_bootstrap_run(model, 9, settings, NULL));
    for (int with_data = 0; with_data < 2; with_data++) {
        assert_ok(gersh_model_write(model, model_path, with_data));
        assert_ok(gersh_model_read(&back, model_path));
        const gersh_bootstrap *a = gersh_model_bootstrap(model), *b = gersh_model_bootstrap(back);
        assert_true(a->asked == b->asked && a->done == b->done && a->failed == b->failed &&
                    a->count == b->count);
        assert_memory_equal(a->edge, b->edge, a->count * sizeof *a->edge);
        assert_string_equal(b->failure, "");
        gersh_model_free(back);
        back = NULL;
    }
    gersh_bootstrap_edge kept = model->bootstrap->edge[0];
    gersh_bootstrap_edge bad[] = {kept, kept, kept, kept, kept, kept};
    bad[0].positive = 10;
    bad[1].negative = bad[1].positive = 5;
    bad[2].negative = bad[2].positive = 0;
    bad[3].second = bad[3].first;
    bad[4].second = 5;
    bad[5].deviation = -1;
    for (int i = 0; i < 6; i++) {
        model->bootstrap->edge[0] = bad[i];
        damaged(model, "edge 1 of the bootstrap is impossible");
    }
    model->bootstrap->edge[0] = kept;
    if (model->bootstrap->count > 1) {
        model->bootstrap->edge[1] = kept;
        damaged(model, "edge 2 of the bootstrap is impossible");
    }
    model->bootstrap->done = 0;
    damaged(model, "the numbers of resamples of the model's bootstrap are damaged");
    gersh_model_free(model);
    gersh_settings_free(settings);
}

static void allocation_failures(void **unused)
{
    gersh_settings *settings;
    gersh_model *model = sure_model("1", &settings);
    int failures = 0;
    (void)unused;
    assert_ok(gersh_settings_set(settings, "tol", "0.1"));
    gersh__alloc_fail_at(1000000000);
    assert_ok(gersh_bootstrap_run(model, 2, settings, NULL));
    long count = gersh__alloc_fail_at(0), step = getenv("GERSH_TEST_QUICK") != NULL ? 7 : 1;
    for (long at = 1; at <= count; at += step) {
        gersh__alloc_fail_at(at);
        gersh_status status = gersh_bootstrap_run(model, 2, settings, NULL);
        gersh__alloc_fail_at(0);
        assert_true(status == GERSH_OK || status == GERSH_ERROR_MEMORY);
        failures += status == GERSH_ERROR_MEMORY;
        assert_true(gersh_model_bootstrap(model)->done == 2);
    }
    assert_true(failures > 100 / step);
    gersh_model_free(model);
    gersh_settings_free(settings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_those_of_the_resamples),
        cmocka_unit_test(tuples_are_resampled),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(interrupted_runs_keep_what_was_done),
        cmocka_unit_test(failing_resamples_are_counted),
        cmocka_unit_test(files_and_refusals),
        cmocka_unit_test(allocation_failures),
    };
    return cmocka_run_group_tests(tests, models_start, models_end);
}
