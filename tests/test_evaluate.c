/*
 * Evaluations: every score against naive loops over the dense matrix of a direct fit; and test rows, which must not
 * matter for what is learned.
 */
#include "evaluate.h"
#include "scalings.h"

#include <unistd.h>

#include "base/alloc.h"
#include "data/dataset.h"
#include "experiment/evaluate_trial.h"

enum { FEATURES = 8 }; /* at most */

static void splits_are_disjoint_and_stratified(void **unused)
{
    (void)unused;
    gersh_dataset *data = make_data(11, 157, 2, 3, 0);
    gersh_settings *settings = settings_of("seed", "40");
    gersh_evaluate_options options = {.test_share = 0.2};
    size_t size[3] = {0}, differ = 0;
    int first[157];
    for (size_t i = 0; i < 157; i++)
        size[gersh_dataset_labels(data)[i]]++;
    for (size_t s = 0; s < 12; s++) {
        gersh_split *split = NULL, *again = NULL;
        size_t test = 0, in_test[3] = {0};
        assert_ok(gersh_evaluate_split(&split, data, settings, &options, s));
        assert_ok(gersh_split_test(&again, data, 0.2, 40 + s));
        assert_memory_equal(split->part, again->part, sizeof first);
        for (size_t i = 0; i < 157; i++) {
            assert_true(split->part[i] == 0 || split->part[i] == 1);
            test += split->part[i] == 1;
            in_test[gersh_dataset_labels(data)[i]] += split->part[i] == 1;
        }
        assert_int_equal(test, 31);
        for (size_t c = 0; c < 3; c++)
            assert_near((double)in_test[c], 31.0 * (double)size[c] / 157, 1);
        if (s == 0)
            memcpy(first, split->part, sizeof first);
        differ += memcmp(first, split->part, sizeof first) != 0;
        gersh_split_free(split);
        gersh_split_free(again);
    }
    assert_int_equal(differ, 11);
    gersh_settings_free(settings);
    gersh_dataset_free(data);
}

/* A score by plain loops. */
typedef struct naive {
    double accuracy, balanced, rmse, r2;
} naive;

/* z-scores of the training rows, and the k nearest of them for every test row, under the dense matrix m. */
static naive score_naively(const gersh_dataset *data, const gersh_split *split, size_t neighbors,
                           const double *m)
{
    size_t n = data->n, k = data->k, tests = 0, trains = 0, right[4] = {0}, all[4] = {0};
    double mean[FEATURES] = {0}, scale[FEATURES] = {0}, sum = 0, square = 0, error = 0;
    double *z = calloc(n * k, sizeof *z), *d = calloc(n, sizeof *d);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < k && split->part[i] == 0; j++)
            mean[j] += data->x[i * k + j], trains += j == 0;
    for (size_t j = 0; j < k; j++) {
        mean[j] /= (double)trains;
        for (size_t i = 0; i < n; i++)
            scale[j] += split->part[i] == 0 ? pow(data->x[i * k + j] - mean[j], 2) : 0;
        scale[j] = sqrt(scale[j] / (double)(trains - 1));
        for (size_t i = 0; i < n; i++)
            z[i * k + j] = (data->x[i * k + j] - mean[j]) / scale[j];
    }
    for (size_t i = 0; i < n; i++) {
        if (split->part[i] == 0)
            continue;
        for (size_t r = 0; r < n; r++) {
            d[r] = split->part[r] == 1 ? HUGE_VAL : 0;
            for (size_t a = 0; a < k; a++)
                for (size_t b = 0; b < k; b++)
                    d[r] += (z[i * k + a] - z[r * k + a]) * m[a * k + b] * (z[i * k + b] - z[r * k + b]);
        }
        double votes[4] = {0}, total = 0, value = 0;
        size_t first[4] = {n, n, n, n}, best = 0;
        for (size_t c = 0; c < neighbors && c < trains; c++) {
            size_t near = 0;
            for (size_t r = 1; r < n; r++)
                near = d[r] < d[near] ? r : near;
            d[near] = HUGE_VAL;
            double weight = data->weights != NULL ? data->weights[near] : 1;
            total += weight;
            if (data->labels != NULL) {
                votes[data->labels[near]] += weight;
                first[data->labels[near]] = first[data->labels[near]] == n ? c : first[data->labels[near]];
            } else {
                value += weight * data->targets[near];
            }
        }
        tests++;
        if (data->labels != NULL) {
            for (size_t c = 1; c < data->classes; c++)
                best = votes[c] > votes[best] || (votes[c] == votes[best] && first[c] < first[best]) ? c
                                                                                                     : best;
            all[data->labels[i]]++;
            right[data->labels[i]] += best == (size_t)data->labels[i];
        } else {
            sum += data->targets[i];
            square += data->targets[i] * data->targets[i];
            error += pow(data->targets[i] - value / total, 2);
        }
    }
    naive out = {.rmse = sqrt(error / (double)tests),
                 .r2 = 1 - error / (square - sum * sum / (double)tests)};
    double occurring = 0;
    for (size_t c = 0; c < 4; c++) {
        out.accuracy += (double)right[c] / (double)tests;
        out.balanced += all[c] > 0 ? (double)right[c] / (double)all[c] : 0;
        occurring += all[c] > 0;
    }
    out.balanced /= occurring;
    free(z);
    free(d);
    return out;
}

/* M of a fit to the training rows of the split; the identity for the Euclidean row. */
static void learn_directly(double *m, const gersh_dataset *data, const gersh_split *split,
                           const gersh_evaluate_row *row)
{
    gersh_dataset *train = NULL;
    gersh_model *model = NULL;
    gersh_settings *settings = settings_of("threads", "1");
    size_t rows[256], count = 0;
    if (row->kind == GERSH_EVALUATE_EUCLIDEAN) {
        for (size_t e = 0; e < data->k * data->k; e++)
            m[e] = e % (data->k + 1) == 0;
    } else {
        for (size_t i = 0; i < data->n; i++)
            if (split->part[i] == 0)
                rows[count++] = i;
        assert_ok(gersh_dataset_subset(&train, data, rows, count));
        assert_ok(gersh_settings_set(settings, "objective", row->objective));
        assert_ok(gersh_settings_set(settings, "solver", row->solver));
        assert_ok(gersh_model_fit(&model, NULL, train, settings, NULL));
        gersh_metric_matrix(gersh_model_metric(model), m);
    }
    gersh_settings_free(settings);
    gersh_model_free(model);
    gersh_dataset_free(train);
}

static void check_row(const gersh_evaluation *e, size_t r, const gersh_dataset *data,
                      const gersh_settings *settings, const gersh_evaluate_options *options,
                      size_t neighbors)
{
    const gersh_evaluate_row *row = &e->row[r], *euclidean = &e->row[0];
    double m[FEATURES * FEATURES], balanced = 0, r2 = 0, mean = 0, square = 0, better = 0;
    size_t wins = 0, losses = 0;
    for (size_t s = 0; s < e->splits; s++) {
        gersh_split *split = NULL;
        assert_ok(gersh_evaluate_split(&split, data, settings, options, s));
        learn_directly(m, data, split, row);
        naive want = score_naively(data, split, neighbors, m);
        assert_near(row->score[s], e->regress ? want.rmse : want.accuracy, 1e-9);
        balanced += want.balanced / (double)e->splits;
        r2 += want.r2 / (double)e->splits;
        mean += row->score[s] / (double)e->splits;
        better += (e->regress ? -1 : 1) * (row->score[s] - euclidean->score[s]) / (double)e->splits;
        wins += e->regress ? row->score[s] < euclidean->score[s] : row->score[s] > euclidean->score[s];
        losses += e->regress ? row->score[s] > euclidean->score[s] : row->score[s] < euclidean->score[s];
        gersh_split_free(split);
    }
    for (size_t s = 0; s < e->splits; s++)
        square += pow(row->score[s] - mean, 2);
    assert_true(row->splits == e->splits && row->failed == 0 && row->failure[0] == '\0');
    assert_near(e->regress ? row->rmse_mean : row->accuracy_mean, mean, 1e-12);
    assert_near(e->regress ? row->rmse_std : row->accuracy_std, sqrt(square / (double)(e->splits - 1)),
                1e-12);
    assert_near(e->regress ? row->r2_mean : row->balanced_accuracy_mean, e->regress ? r2 : balanced, 1e-8);
    if (r == 0) {
        assert_true(row->compared == 0 && !row->has_p && row->seconds_mean == 0);
        return;
    }
    assert_true(row->compared == e->splits && row->has_p && row->p >= 0 && row->p <= 1);
    assert_near(row->difference_mean, better, 1e-12);
    assert_true(row->wins == wins && row->losses == losses && row->ties == e->splits - wins - losses);
    assert_true(row->seconds_mean > 0);
}

static void scores_are_those_of_naive_loops(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 5);
    for (int t = 0; t < 4; t++) { /* two and three classes, targets; weights */
        gersh_dataset *data = make_data(21 + (uint64_t)t, 90, 4, t == 3 ? 0 : t == 1 ? 3 : 2, 1);
        gersh_settings *settings = settings_of("neighbors", t % 2 == 0 ? "7" : "1");
        gersh_evaluate_options options = {.objectives = t == 3 ? "glr" : "glr,mcml",
                                          .solvers = "diagonal,hull",
                                          .splits = 4,
                                          .test_share = 0.2};
        gersh_evaluation *e = NULL;
        double weights[90];
        for (size_t i = 0; i < 90; i++)
            weights[i] = 0.5 + gersh__random_uniform(&random);
        if (t == 2)
            assert_ok(gersh_dataset_set_weights(data, weights));
        assert_ok(gersh_settings_set(settings, "threads", "2"));
        assert_ok(gersh_evaluate(&e, data, settings, &options));
        assert_int_equal(e->count, t == 3 ? 3 : 5);
        assert_true(e->train == 72 && e->test == 18 && e->splits == 4 && !e->interrupted && e->unseen == 0);
        assert_true(e->regress == (t == 3));
        assert_true(e->row[0].kind == GERSH_EVALUATE_EUCLIDEAN && e->row[0].solver == NULL);
        assert_string_equal(e->row[0].objective, "euclidean");
        assert_string_equal(e->row[2].objective, "glr");
        assert_string_equal(e->row[2].solver, "hull");
        double best = t == 3 ? HUGE_VAL : 0;
        for (size_t r = 0; r < e->count; r++) {
            check_row(e, r, data, settings, &options, t % 2 == 0 ? 7 : 1);
            best = t == 3 ? fmin(best, e->row[r].rmse_mean) : fmax(best, e->row[r].accuracy_mean);
        }
        for (size_t r = 0; r < e->count; r++)
            assert_int_equal(e->row[r].best,
                             fabs((t == 3 ? e->row[r].rmse_mean : e->row[r].accuracy_mean) - best) < 1e-13);
        gersh_evaluation_free(e);
        gersh_settings_free(settings);
        gersh_dataset_free(data);
    }
}

static void a_separated_class_is_always_right(void **unused)
{
    (void)unused;
    gersh_dataset *data = make_data(31, 60, 3, 2, 50);
    gersh_evaluation *e = NULL;
    assert_ok(gersh_evaluate(&e, data, NULL, NULL));
    assert_true(e->splits == 10 && e->test == 6 && e->train == 54 && e->count == 2);
    assert_string_equal(e->row[1].objective, "auto");
    assert_string_equal(e->row[1].solver, "balanced");
    for (size_t r = 0; r < 2; r++)
        assert_true(e->row[r].accuracy_mean == 1 && e->row[r].accuracy_std == 0 && e->row[r].best &&
                    e->row[r].balanced_accuracy_mean == 1);
    assert_true(e->row[1].ties == 10 && e->row[1].p == 1 && e->row[1].stops[GERSH_STOP_CONVERGED] == 10);
    gersh_evaluation_free(e);
    gersh_dataset_free(data);
}

/* Everything about the test rows is changed: values, classes or targets, weights, and which values are missing. */
static void spoil_test_rows(gersh_dataset *data, const gersh_split *split, gersh__random *random)
{
    for (size_t i = 0; i < data->n; i++) {
        if (split->part[i] == 0)
            continue;
        for (size_t j = 0; j < data->k; j++) {
            data->x[i * data->k + j] = 1e3 * gersh__random_normal(random);
            if (data->missing != NULL)
                data->missing[i * data->k + j] ^= 1;
        }
        if (data->labels != NULL)
            data->labels[i] = (int)gersh__random_below(random, data->classes);
        if (data->targets != NULL)
            data->targets[i] = -50 * data->targets[i];
        if (data->weights != NULL)
            data->weights[i] *= 9;
    }
}

/* Missing values as reading leaves them: the means over all rows, so that test rows are in them. */
static void fill_as_read(gersh_dataset *data)
{
    for (size_t j = 0; j < data->k && data->missing != NULL; j++) {
        double sum = 0, count = 0;
        for (size_t i = 0; i < data->n; i++)
            if (!data->missing[i * data->k + j])
                sum += data->x[i * data->k + j], count++;
        for (size_t i = 0; i < data->n; i++)
            if (data->missing[i * data->k + j])
                data->x[i * data->k + j] = sum / count;
    }
}

/* M and the scaling of what is learned, in `out`. */
static void learned(double *out, gersh_dataset *data, const gersh_split *split, const gersh__trial *trial)
{
    gersh__trial_result result;
    gersh_model *model = NULL;
    fill_as_read(data);
    assert_ok(gersh__trial_run(&result, &model, data, split, trial));
    gersh_metric_matrix(gersh_model_metric(model), out);
    memcpy(out + data->k * data->k, means_of(gersh_model_scaling(model)), data->k * sizeof *out);
    memcpy(out + data->k * (data->k + 1), scales_of(gersh_model_scaling(model)), data->k * sizeof *out);
    gersh_model_free(model);
}

static void test_rows_do_not_matter_for_what_is_learned(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 6);
    for (int t = 0; t < 8; t++) { /* targets or classes, weights, missing values, fitted or tuned */
        gersh_dataset *data = make_data(41 + (uint64_t)t, 60, 4, t % 4 == 0 ? 0 : 2, 1);
        gersh_settings *settings = settings_of("threads", "1");
        gersh_split *split = NULL;
        double before[FEATURES * (FEATURES + 2)] = {0}, after[FEATURES * (FEATURES + 2)] = {0}, weights[60];
        gersh__trial trial = {.kind = t < 6 ? GERSH_EVALUATE_FITTED : GERSH_EVALUATE_TUNED,
                              .settings = settings};
        if (t % 2 == 1) {
            for (size_t i = 0; i < 60; i++)
                weights[i] = 0.5 + gersh__random_uniform(&random);
            assert_ok(gersh_dataset_set_weights(data, weights));
        }
        if (t % 3 != 0) {
            data->missing = gersh__alloc(60, 4);
            for (size_t e = 0; e < 240; e++)
                data->missing[e] = gersh__random_below(&random, 6) == 0;
        }
        if (trial.kind == GERSH_EVALUATE_TUNED)
            assert_ok(gersh_settings_set(settings, "objective", "glr"));
        assert_ok(gersh_settings_set(settings, "solver", "hull"));
        assert_ok(gersh_split_test(&split, data, 0.2, 3));
        learned(before, data, split, &trial);
        spoil_test_rows(data, split, &random);
        learned(after, data, split, &trial);
        assert_memory_equal(before, after, sizeof before);
        size_t i = 0;
        while (split->part[i] == 1)
            i++;
        for (size_t j = 0; j < 4; j++) /* and it can differ: a training row matters */
            if (data->missing == NULL || !data->missing[i * 4 + j])
                data->x[i * 4 + j] += 5;
        learned(after, data, split, &trial);
        assert_memory_not_equal(before, after, sizeof before);
        gersh_split_free(split);
        gersh_settings_free(settings);
        gersh_dataset_free(data);
    }
}

static void missing_values_are_means_of_training_rows(void **unused)
{
    (void)unused;
    static const char text[] =
        "size,colour,deep,class\n1,red,1,a\n,red,?,b\n3,blue,2,a\n8,?,?,b\n5,blue,?,a\n,,4,b\n";
    static const unsigned char want[] = {0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0,
                                         0, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 0};
    char path[] = "/tmp/gersh-evaluate-XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0 && write(descriptor, text, sizeof text - 1) == (ssize_t)sizeof text - 1);
    close(descriptor);
    gersh_settings *settings = settings_of("missing", "mean");
    gersh_dataset *data = NULL, *train = NULL, *test = NULL, *zero = NULL;
    assert_ok(gersh_settings_set(settings, "categorical", "onehot"));
    assert_ok(gersh_dataset_read(&data, path, settings));
    assert_ok(gersh_settings_set(settings, "missing", "zero"));
    assert_ok(gersh_dataset_read(&zero, path, settings));
    unlink(path);
    assert_true(data->k == 4 && data->filled == 7 && zero->missing == NULL);
    assert_memory_equal(data->missing, want, sizeof want);
    const size_t first[] = {1, 2, 3}, second[] = {5, 0, 4};
    assert_ok(gersh_dataset_subset(&train, data, first, 3));
    assert_ok(gersh_dataset_subset(&test, data, second, 3));
    assert_ok(gersh__dataset_refill(train, test));
    /* Of the rows 2 to 4: sizes 3 and 8; one blue and one red; deep 2. */
    static const double filled[] = {5.5, 0, 1, 2, 3, 1, 0, 2, 8, 0.5, 0.5, 2};
    static const double other[] = {5.5, 0.5, 0.5, 4, 1, 0, 1, 1, 5, 1, 0, 2};
    assert_memory_equal(train->x, filled, sizeof filled);
    assert_memory_equal(test->x, other, sizeof other);
    memset(train->missing, 1, 12);
    assert_ok(gersh__dataset_refill(train, test));
    assert_true(train->x[0] == 0 && test->x[0] == 0 && test->x[4] == 1);
    gersh_dataset_free(zero);
    gersh_dataset_free(test);
    gersh_dataset_free(train);
    gersh_dataset_free(data);
    gersh_settings_free(settings);
}

/* Labels that have nothing to do with the features: about half of the predictions are right, however chosen. */
static void shuffled_labels_give_chance(void **unused)
{
    (void)unused;
    enum { SETS = 3, ROWS = 6 };
    gersh_settings *settings = settings_of("solver", "hull");
    gersh_evaluate_options options = {.objectives = "glr,mcml",
                                      .solvers = "diagonal,hull",
                                      .tuned = cases(100) == 100, /* slow */
                                      .splits = 5,
                                      .test_share = 0.2};
    double accuracy[ROWS] = {0}, balanced[ROWS] = {0};
    size_t rows = options.tuned ? ROWS : ROWS - 1;
    for (uint64_t t = 0; t < SETS; t++) {
        gersh_dataset *data = make_data(51 + t, 80, 4, 2, 0);
        gersh_evaluation *e = NULL;
        assert_ok(gersh_evaluate(&e, data, settings, &options));
        assert_int_equal(e->count, rows);
        for (size_t r = 0; r < rows; r++) {
            const gersh_evaluate_row *row = &e->row[r];
            assert_true(r < ROWS - 1 || (row->kind == GERSH_EVALUATE_TUNED && row->solver == NULL));
            assert_true(r < ROWS - 1 || strcmp(row->objective, "tuned") == 0);
            assert_true(row->splits == 5 && (r == 0 || row->p > 1e-4));
            accuracy[r] += row->accuracy_mean / SETS;
            balanced[r] += row->balanced_accuracy_mean / SETS;
        }
        gersh_evaluation_free(e);
        gersh_dataset_free(data);
    }
    for (size_t r = 0; r < rows; r++) {
        assert_near(accuracy[r], 0.5, 0.12);
        assert_near(balanced[r], 0.5, 0.12);
    }
    gersh_settings_free(settings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splits_are_disjoint_and_stratified),
        cmocka_unit_test(scores_are_those_of_naive_loops),
        cmocka_unit_test(a_separated_class_is_always_right),
        cmocka_unit_test(test_rows_do_not_matter_for_what_is_learned),
        cmocka_unit_test(missing_values_are_means_of_training_rows),
        cmocka_unit_test(shuffled_labels_give_chance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
