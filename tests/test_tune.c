/*
 * Tuning: divisions of the rows by counting, votes against the classifier, the choice on data where it is clear, and
 * that it depends on nothing that it should not.
 */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random.h"
#include "experiment/tune_rows.h"
#include "experiment/tune_score.h"
#include "gersh/gersh.h"
#include "predict/classify.h"

/*
 * Two classes that differ in the sum of the first two features only; the others, `noise` of them, are larger and say
 * nothing. The features are multiples of `step`, unless it is 0.
 */
static gersh_dataset *planted_on(gersh__random *random, size_t n, size_t noise, double step)
{
    size_t k = 2 + noise;
    double *x = calloc(n * k, sizeof *x);
    const char **labels = calloc(n, sizeof *labels);
    gersh_dataset *data;
    for (size_t i = 0; i < n; i++) {
        for (size_t f = 0; f < k; f++)
            x[i * k + f] = gersh__random_normal(random);
        for (size_t f = 0; f < k && step > 0; f++)
            x[i * k + f] = step * round(x[i * k + f] / step);
        labels[i] = x[i * k] + x[i * k + 1] > 0 ? "up" : "down";
    }
    assert_ok(gersh_dataset_new(&data, n, k, x, k, labels, NULL, NULL));
    free(x);
    free(labels);
    return data;
}

static gersh_dataset *planted(gersh__random *random, size_t n, size_t noise)
{
    return planted_on(random, n, noise, 0);
}

/* Share of the first class among the rows. */
static double share_of(const gersh_dataset *data, const size_t *rows, size_t count)
{
    size_t first = 0;
    for (size_t i = 0; i < count; i++)
        first += gersh_dataset_labels(data)[rows != NULL ? rows[i] : i] == 0;
    return (double)first / (double)count;
}

static void divisions_cover_the_rows(void **unused)
{
    (void)unused;
    enum { N = 103, FOLDS = 4 };
    gersh__random random;
    gersh__random_seed(&random, 1);
    gersh_dataset *data = planted(&random, N, 1);
    gersh__tune_rows rows[FOLDS] = {{0}};
    for (size_t most = 30; most <= 200; most += 170) {
        size_t voted[N] = {0}, learn = most - 10;
        assert_ok(gersh__tune_rows_draw(rows, FOLDS, data, most, learn, 5));
        for (size_t f = 0; f < FOLDS; f++) {
            const gersh__tune_rows *own = &rows[f];
            size_t train[N] = {0}, test[N] = {0}, learned[N] = {0};
            for (size_t i = 0; i < own->trains; i++)
                train[own->train[i]]++;
            for (size_t i = 0; i < own->learns; i++)
                learned[own->learn[i]]++;
            for (size_t i = 0; i < own->tests; i++) {
                test[own->test[i]]++;
                voted[own->test[i]]++;
            }
            for (size_t i = 0; i < N; i++)
                assert_true(train[i] + test[i] <= 1 && learned[i] <= train[i]);
            assert_true(own->weight == (double)own->tests);
            if (most >= N)
                assert_true(own->trains + own->tests == N && own->learns == own->trains);
            else
                assert_true(own->trains == most && own->learns == learn && own->tests <= most);
            double whole = share_of(data, NULL, N);
            assert_true(fabs(share_of(data, own->train, own->trains) - whole) <= 0.06);
            assert_true(fabs(share_of(data, own->learn, own->learns) - whole) <= 0.09);
            assert_true(fabs(share_of(data, own->test, own->tests) - whole) <= 0.09);
        }
        for (size_t i = 0; i < N && most >= N; i++)
            assert_true(voted[i] == 1);
        gersh__tune_rows_clear(rows, FOLDS);
    }
    gersh_dataset_free(data);
}

/*
 * Votes for all numbers of neighbours at once are those of the classifier, one number at a time; all rows vote, some are
 * learned from.
 */
static void check_votes(double step)
{
    enum { N = 60, FOLDS = 4, LEARN = 31 };
    const gersh__tune_neighbors neighbors = {
        step > 0 ? 4 : 5, {1, 2, 4, 10, 90}, 2, {"distance", "equal"}}; /* 90: all training rows */
    static const gersh__tune_family families[] = {
        {"zscore", "glr", "identity", 0}, {"paper", "mcml", "hull", 1}, {"none", "lmnn", "psd", 1}};
    gersh__random random;
    gersh__random_seed(&random, 2);
    gersh_dataset *data = planted_on(&random, N, 2, step);
    double weights[N];
    for (size_t i = 0; i < N; i++)
        weights[i] = (step > 0 ? 0 : 1) + (double)gersh__random_below(&random, 3);
    gersh__tune_rows rows[FOLDS] = {{0}};
    for (int weighted = 0; weighted < 2; weighted++) {
        assert_ok(gersh_dataset_set_weights(data, weighted ? weights : NULL));
        assert_ok(gersh__tune_rows_draw(rows, FOLDS, data, 1000, LEARN, 7));
        for (size_t f = 0; f < sizeof families / sizeof families[0]; f++) {
            const int wanted[GERSH__TUNE_TRACES] = {0, 1, 0};
            gersh__tune_votes votes[GERSH__TUNE_TRACES];
            assert_ok(
                gersh__tune_score(votes, &families[f], wanted, &neighbors, data, &rows[1], NULL, NULL));
            gersh_dataset *learn, *train, *test;
            gersh_scaling *scaling;
            gersh_settings *settings;
            gersh_metric *metric;
            gersh_fit_info info;
            assert_ok(gersh_dataset_subset(&train, data, rows[1].train, rows[1].trains));
            assert_ok(gersh_dataset_subset(&learn, data, rows[1].learn, LEARN));
            assert_ok(gersh_dataset_subset(&test, data, rows[1].test, rows[1].tests));
            assert_ok(gersh_scaling_fit(&scaling, train, families[f].scale));
            assert_ok(gersh_scaling_apply(scaling, train));
            assert_ok(gersh_scaling_apply(scaling, learn));
            assert_ok(gersh_scaling_apply(scaling, test));
            assert_ok(gersh__tune_settings(&settings, NULL, &families[f], gersh__tune_trace(learn)));
            gersh_fit_options options = {.weights = gersh_dataset_weights(learn)};
            assert_ok(gersh_fit(&metric, &info, learn, settings, &options));
            for (size_t r = 0; r < 2 * neighbors.count; r++) {
                size_t g = r / 2, rule = r % 2;
                int label[N];
                double count = 0, sure = 0, proba[2 * N],
                       k = fmin((double)neighbors.k[g], (double)rows[1].trains);
                assert_ok(gersh__classify(label, proba, &gersh__classifier_knn, metric, train, test,
                                          (gersh__voters){neighbors.k[g], rule == 0}, 1, NULL));
                for (size_t i = 0; i < rows[1].tests; i++) {
                    int truth = gersh_dataset_labels(test)[i];
                    double weight = weighted ? weights[rows[1].test[i]] : 1;
                    count += label[i] == truth ? weight : 0;
                    sure += weight * log((k * proba[2 * i + (size_t)truth] + 0.5) / (k + 1));
                }
                assert_true(fabs(count - votes[1].right[rule][g]) <= 1e-9);
                assert_true(fabs(sure - votes[1].sure[rule][g]) <= 1e-9 * fabs(sure));
            }
            gersh_metric_free(metric);
            gersh_settings_free(settings);
            gersh_scaling_free(scaling);
            gersh_dataset_free(test);
            gersh_dataset_free(learn);
            gersh_dataset_free(train);
        }
        gersh__tune_rows_clear(rows, FOLDS);
    }
    gersh_dataset_free(data);
}

static void votes_are_those_of_the_classifier(void **unused)
{
    (void)unused;
    check_votes(0);
    check_votes(1); /* many equal distances, and rows without weight */
}

static void traces_have_a_mean_distance_of_two(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 3);
    gersh_dataset *data = planted(&random, 30, 3);
    gersh_metric *metric;
    gersh_fit_info info;
    gersh_settings *settings;
    assert_ok(gersh_settings_new(&settings));
    assert_ok(gersh_settings_set(settings, "objective", "mcml"));
    assert_ok(gersh_fit(&metric, &info, data, settings, NULL));
    assert_true(fabs(info.budget / gersh__tune_trace(data) - 3) <= 1e-8);
    gersh_settings_free(settings);
    gersh_metric_free(metric);
    gersh_dataset_free(data);
}

static gersh_tuning *tuned(const gersh_dataset *data, const char *const *set, size_t count)
{
    gersh_settings *settings;
    gersh_tuning *tuning;
    assert_ok(gersh_settings_new(&settings));
    for (size_t i = 0; i < count; i++)
        assert_ok(gersh_settings_set(settings, set[2 * i], set[2 * i + 1]));
    assert_ok(gersh_tune(&tuning, data, settings, NULL));
    gersh_settings_free(settings);
    return tuning;
}

/* A learned metric wins where it must, by much, and the model holds the choice. */
static void the_choice_is_learned(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 4);
    gersh_dataset *data = planted(&random, 120, 8);
    static const char *const one[] = {"threads", "1"}, *const three[] = {"threads", "3"};
    gersh_tuning *first = tuned(data, one, 1), *second = tuned(data, three, 1);
    const gersh_tune_row *best = &first->row[0];
    double plain = 0;
    assert_true(first->count > 10 && first->count == second->count && first->fits == second->fits);
    for (size_t r = 0; r < first->count; r++) {
        const gersh_tune_row *a = &first->row[r], *b = &second->row[r];
        assert_true(strcmp(a->objective, b->objective) == 0 && strcmp(a->solver, b->solver) == 0);
        assert_true(a->accuracy == b->accuracy && a->neighbors == b->neighbors && a->round == b->round);
        assert_true(r == 0 || a->round <= a[-1].round);
        assert_true(r == 0 || a->round < a[-1].round || a->score <= a[-1].score);
        if (strcmp(a->solver, "identity") == 0)
            plain = fmax(plain, a->accuracy);
    }
    assert_string_not_equal(best->solver, "identity");
    assert_true(best->accuracy > plain + 0.05 && best->accuracy > 0.85);
    const gersh_settings *settings = gersh_model_settings(first->model);
    char neighbors[24];
    snprintf(neighbors, sizeof neighbors, "%zu", best->neighbors);
    assert_string_equal(gersh_settings_get(settings, "objective"), best->objective);
    assert_string_equal(gersh_settings_get(settings, "solver"), best->solver);
    assert_string_equal(gersh_settings_get(settings, "scale"), best->scale);
    assert_string_equal(gersh_settings_get(settings, "neighbors"), neighbors);
    assert_string_equal(gersh_settings_get(settings, "votes"), best->votes);
    gersh_verification report;
    assert_ok(gersh_model_verify(&report, first->model, NULL));
    assert_int_equal(report.verdict, GERSH_VERIFICATION_VERIFIED);
    gersh_tuning_free(first);
    gersh_tuning_free(second);
    gersh_dataset_free(data);
}

/* The settings themselves are freed by now; the words of the rows are still there. */
static void given_settings_are_kept(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 5);
    gersh_dataset *data = planted(&random, 40, 1);
    static const char *const set[] = {"objective", "deml", "solver",    "balanced", "scale", "paper",
                                      "trace",     "3",    "neighbors", "4",        "votes", "distance"};
    gersh_tuning *tuning = tuned(data, set, 6);
    assert_int_equal(tuning->count, 1);
    for (size_t i = 0; i < 6; i++)
        assert_string_equal(gersh_settings_get(gersh_model_settings(tuning->model), set[2 * i]),
                            set[2 * i + 1]);
    assert_int_equal(tuning->row[0].neighbors, 4);
    assert_string_equal(tuning->row[0].objective, "deml");
    assert_string_equal(tuning->row[0].solver, "balanced");
    assert_string_equal(tuning->row[0].scale, "paper");
    assert_string_equal(tuning->row[0].votes, "distance");
    gersh_tuning_free(tuning);
    static const char *const solver[] = {"solver", "hull"};
    tuning = tuned(data, solver, 1);
    for (size_t r = 0; r < tuning->count; r++)
        assert_string_equal(tuning->row[r].solver, "hull");
    gersh_tuning_free(tuning);
    gersh_dataset_free(data);
}

static void assert_refused(const gersh_dataset *data, const gersh_settings *settings,
                           const gersh_tune_options *options, gersh_status expected, const char *part)
{
    gersh_tuning *tuning = NULL;
    assert_int_equal(gersh_tune(&tuning, data, settings, options), expected);
    assert_null(tuning);
    assert_non_null(strstr(gersh_last_error(), part));
}

static void what_makes_no_sense_is_refused(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 6);
    gersh_dataset *data = planted(&random, 40, 1), *small = NULL, *real = NULL;
    const double x[] = {1, 2, 3, 4, 5, 6}, y[] = {0.5, 1, 2};
    const char *labels[] = {"a", "b", "a"};
    assert_ok(gersh_dataset_new(&small, 3, 2, x, 2, labels, NULL, NULL));
    assert_ok(gersh_dataset_new(&real, 3, 2, x, 2, NULL, y, NULL));
    assert_refused(small, NULL, NULL, GERSH_ERROR_INPUT, "at least 4");
    assert_refused(real, NULL, NULL, GERSH_ERROR_INPUT, "--task classify");
    gersh_cancel cancel = {1};
    gersh_tune_options options = {.cancel = &cancel};
    assert_refused(data, NULL, &options, GERSH_ERROR_CANCELLED, "interrupted");
    options = (gersh_tune_options){.budget = 1e-9};
    assert_refused(data, NULL, &options, GERSH_ERROR_ARGUMENT, "budget");
    gersh_settings *settings;
    assert_ok(gersh_settings_new(&settings));
    assert_ok(gersh_settings_set(settings, "classifier", "graph"));
    assert_refused(data, settings, NULL, GERSH_ERROR_ARGUMENT, "which 'graph' does not use");
    gersh_settings_free(settings);
    gersh_dataset_free(data);
    gersh_dataset_free(small);
    gersh_dataset_free(real);
}

typedef struct watch {
    int calls, last_round;
    gersh_cancel *cancel;
} watch;

static void on_progress(void *context, const gersh_tune_progress *progress)
{
    watch *w = context;
    w->calls++;
    assert_true(progress->done <= progress->total && progress->round >= w->last_round &&
                progress->round <= progress->rounds);
    w->last_round = progress->round;
    if (progress->round >= 2 && w->cancel != NULL)
        gersh_cancel_request(w->cancel);
}

/* Interrupted after the first round: its choice is there, fitted. */
static void an_interrupt_keeps_what_was_found(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 7);
    gersh_dataset *data = planted(&random, 40, 2);
    gersh_cancel cancel = {0};
    watch w = {.cancel = &cancel};
    gersh_tune_options options = {.progress = on_progress, .progress_context = &w, .cancel = &cancel};
    gersh_tuning *tuning;
    assert_ok(gersh_tune(&tuning, data, NULL, &options));
    assert_true(tuning->interrupted && tuning->model != NULL && w.last_round >= 2);
    gersh_tuning_free(tuning);
    w = (watch){0};
    cancel.requested = 0;
    assert_ok(gersh_tune(&tuning, data, NULL, &options));
    assert_true(!tuning->interrupted && w.last_round == 3 && w.calls > 10);
    gersh_tuning_free(tuning);
    gersh_dataset_free(data);
}

static void odd_data_work(void **unused)
{
    (void)unused;
    const double x[] = {0, 0, 1, 0, 0, 1, 5, 5, 5, 6, 9, 9};
    const char *classes[][6] = {{"a", "a", "a", "b", "b", "c"}, {"a", "a", "a", "a", "a", "b"}};
    for (size_t c = 0; c < 2; c++) {
        gersh_dataset *data;
        gersh_tuning *tuning = NULL;
        assert_ok(gersh_dataset_new(&data, 6, 2, x, 2, classes[c], NULL, NULL));
        gersh_status status = gersh_tune(&tuning, data, NULL, NULL);
        assert_true(status == GERSH_OK ? tuning->model != NULL : strlen(gersh_last_error()) > 10);
        gersh_tuning_free(tuning);
        gersh_dataset_free(data);
    }
}

static void failing_allocations_leak_nothing(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 8);
    gersh_dataset *data = planted(&random, 12, 0);
    gersh_settings *settings;
    gersh_tuning *tuning = NULL;
    assert_ok(gersh_settings_new(&settings));
    assert_ok(gersh_settings_set(settings, "threads", "1"));
    assert_ok(gersh_settings_set(settings, "scale", "none"));
    assert_ok(gersh_settings_set(settings, "solver", "hull"));
    assert_ok(gersh_settings_set(settings, "trace", "2"));
    long step = getenv("GERSH_TEST_QUICK") != NULL ? 997 : 53, n = 1;
    gersh_status status = GERSH_ERROR_MEMORY;
    for (; status != GERSH_OK; n += n < 60 ? 1 : step) {
        gersh__alloc_fail_at(n);
        status = gersh_tune(&tuning, data, settings, NULL);
        gersh__alloc_fail_at(0);
        if (status == GERSH_OK)
            gersh_tuning_free(tuning);
        else
            assert_int_equal(status, GERSH_ERROR_MEMORY);
        assert_true(n < 1000000);
    }
    gersh_settings_free(settings);
    gersh_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(divisions_cover_the_rows),
        cmocka_unit_test(votes_are_those_of_the_classifier),
        cmocka_unit_test(traces_have_a_mean_distance_of_two),
        cmocka_unit_test(the_choice_is_learned),
        cmocka_unit_test(given_settings_are_kept),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(an_interrupt_keeps_what_was_found),
        cmocka_unit_test(odd_data_work),
        cmocka_unit_test(failing_allocations_leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
