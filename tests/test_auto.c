/*
 * The objective auto: what it learns where a class lies in several places and where each lies in one, and the accuracies
 * that it goes by, against nearest neighbours by sorting all distances and binomial sums term by term.
 */
#include <string.h>

#include "gersh/bootstrap.h"
#include "gersh/evaluate.h"
#include "models.h"

enum { NOISE = 4, FOLDS = 10, NEIGHBORS = 10 };

/* How the classes lie: at the corners of a square, crosswise, or apart along two features. */
enum { CROSSWISE, APART };

/* Two features that the classes depend on, and NOISE others; the last `absent` samples have weight 0. */
static gersh_dataset *make_data(int how, size_t n, size_t absent, uint64_t seed)
{
    enum { K = 2 + NOISE };
    gersh__random random;
    gersh_dataset *data = NULL;
    double *x = calloc(n * K, sizeof *x), *weights = calloc(n, sizeof *weights);
    const char **labels = calloc(n, sizeof *labels);
    gersh__random_seed(&random, seed);
    for (size_t i = 0; i < n; i++) {
        size_t first = i % 2, second = i / 2 % 2, class = how == CROSSWISE ? first ^ second : first;
        labels[i] = class ? "odd" : "even";
        weights[i] = i + absent < n;
        for (size_t f = 0; f < K; f++)
            x[i * K + f] = 0.3 * gersh__random_normal(&random);
        x[i * K] += (double)first;
        x[i * K + 1] += (double)(how == CROSSWISE ? second : first);
    }
    assert_ok(gersh_dataset_new(&data, n, K, x, K, labels, NULL, NULL));
    if (absent > 0)
        assert_ok(gersh_dataset_set_weights(data, weights));
    free(x);
    free(weights);
    free(labels);
    return data;
}

static gersh_model *fit(const gersh_dataset *data, const char *objective)
{
    gersh_model *model = NULL;
    gersh_settings *settings = model_settings(objective, "balanced");
    assert_ok(gersh_model_fit(&model, NULL, data, settings, NULL));
    gersh_settings_free(settings);
    return model;
}

static const char *objective_of(const gersh_model *model)
{
    return gersh_settings_get(gersh_model_settings(model), "objective");
}

static void assert_same_metric(const gersh_model *a, const gersh_model *b)
{
    size_t k = gersh_model_features(a);
    double *m = calloc(2 * k * k, sizeof *m);
    gersh_metric_matrix(gersh_model_metric(a), m);
    gersh_metric_matrix(gersh_model_metric(b), m + k * k);
    assert_memory_equal(m, m + k * k, k * k * sizeof *m);
    free(m);
}

static void an_xor_is_learned_with_glr(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= (uint64_t)cases(10); seed++) {
        gersh_dataset *data = make_data(CROSSWISE, 300, 0, seed);
        gersh_model *model = fit(data, "auto"), *glr = fit(data, "glr"), *mcml = fit(data, "mcml");
        const gersh_training_accuracy *a = gersh_model_training_accuracy(model);
        const gersh_training_accuracy *explicit = gersh_model_training_accuracy(mcml);
        assert_string_equal(objective_of(model), "glr");
        assert_true(a->automatic && a->switched && a->samples == 300);
        assert_string_equal(a->other, "mcml");
        assert_true(a->accuracy > a->other_accuracy + 0.1);
        assert_true(a->other_accuracy == explicit->accuracy && a->euclidean == explicit->euclidean);
        assert_true(a->verdict >= 0);
        assert_same_metric(model, glr);

        double m[(2 + NOISE) * (2 + NOISE)];
        gersh_metric_matrix(gersh_model_metric(model), m);
        for (size_t f = 2; f < 2 + NOISE; f++)
            assert_true(m[0] > m[f * (3 + NOISE)] && m[3 + NOISE] > m[f * (3 + NOISE)]);

        assert_string_equal(objective_of(mcml), "mcml");
        assert_true(!explicit->automatic && !explicit->switched && explicit->other == NULL);
        assert_int_equal(explicit->verdict, -1);
        gersh_model_free(model);
        gersh_model_free(glr);
        gersh_model_free(mcml);
        gersh_dataset_free(data);
    }
}

static void classes_in_one_place_are_learned_with_mcml(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= (uint64_t)cases(20); seed++) {
        gersh_dataset *data = make_data(APART, 60 + 20 * seed, 0, seed);
        gersh_model *model = fit(data, "auto"), *mcml = fit(data, "mcml");
        const gersh_training_accuracy *a = gersh_model_training_accuracy(model);
        assert_string_equal(objective_of(model), "mcml");
        assert_true(a->automatic && !a->switched && a->verdict >= 0);
        assert_true(a->other == NULL || strcmp(a->other, "glr") == 0);
        assert_same_metric(model, mcml);
        gersh_model_free(model);
        gersh_model_free(mcml);
        gersh_dataset_free(data);
    }
}

typedef struct near {
    double distance;
    int label;
} near;

static int by_distance(const void *left, const void *right)
{
    const near *a = left, *b = right;
    return a->distance < b->distance ? -1 : a->distance > b->distance;
}

/* Whether most of the nearest samples of other folds are of the class of sample i; M NULL: Euclidean. Two classes. */
static int is_right(const gersh_dataset *data, const gersh_split *folds, const double *m, size_t i)
{
    size_t n = gersh_dataset_rows(data), k = gersh_dataset_features(data), count = 0;
    const double *x = gersh_dataset_values(data);
    const int *label = gersh_dataset_labels(data);
    int votes = 0, largest = 0;
    near *others = calloc(n, sizeof *others);
    for (size_t j = 0; j < n; j++) {
        double d = 0;
        if (folds->part[j] == folds->part[i])
            continue;
        for (size_t a = 0; a < k; a++)
            for (size_t b = 0; b < k; b++)
                d += (x[i * k + a] - x[j * k + a]) * (x[i * k + b] - x[j * k + b]) *
                     (m != NULL ? m[a * k + b] : a == b);
        others[count++] = (near){d, label[j]};
        largest += label[j] ? 1 : -1;
    }
    qsort(others, count, sizeof *others, by_distance);
    for (size_t j = 0; j < NEIGHBORS; j++)
        votes += others[j].label ? 1 : -1;
    votes = votes != 0 ? votes : largest; /* the larger class, and of equal ones the first */
    free(others);
    return (votes > 0) == (label[i] != 0);
}

/* The chance of at least k heads in n draws, term by term. */
static double chance(int k, int n)
{
    double sum = 0;
    for (int h = k; h <= n; h++)
        sum += exp(lgamma(n + 1.0) - lgamma(h + 1.0) - lgamma(n - h + 1.0) - n * log(2));
    return sum;
}

static void accuracies_are_those_of_sorted_distances(void **unused)
{
    (void)unused;
    int verdicts[3] = {0};
    for (uint64_t seed = 1; seed <= (uint64_t)cases(30); seed++) {
        size_t absent = seed % 3, n = 80 + 5 * (seed % 7);
        gersh_dataset *data = make_data(seed % 2 ? CROSSWISE : APART, n + absent, absent, seed),
                      *scaled = NULL;
        gersh_dataset *counted = make_data(seed % 2 ? CROSSWISE : APART, n + absent, 0, seed);
        gersh_model *model = fit(data, "mcml");
        const gersh_training_accuracy *a = gersh_model_training_accuracy(model);
        gersh_split *folds = NULL;
        size_t rows[200];
        for (size_t i = 0; i < n; i++)
            rows[i] = i;
        assert_ok(gersh_dataset_subset(&scaled, counted, rows, n));
        assert_ok(gersh_scaling_apply(gersh_model_scaling(model), scaled));
        assert_ok(gersh_split_folds(&folds, scaled, FOLDS, 0));
        double m[(2 + NOISE) * (2 + NOISE)];
        gersh_metric_matrix(gersh_model_metric(model), m);
        int right = 0, euclidean = 0, gained = 0, lost = 0;
        for (size_t i = 0; i < n; i++) {
            int with = is_right(scaled, folds, m, i), without = is_right(scaled, folds, NULL, i);
            right += with;
            euclidean += without;
            gained += with > without;
            lost += with < without;
        }
        int verdict = (gained > lost && chance(gained, gained + lost) < 0.01) -
                      (lost > gained && chance(lost, gained + lost) < 0.01);
        assert_int_equal(a->samples, n);
        assert_int_equal((int)round(a->accuracy * (double)n), right);
        assert_int_equal((int)round(a->euclidean * (double)n), euclidean);
        assert_int_equal(a->verdict, verdict);
        verdicts[verdict + 1]++;
        gersh_split_free(folds);
        gersh_model_free(model);
        gersh_dataset_free(scaled);
        gersh_dataset_free(counted);
        gersh_dataset_free(data);
    }
    if (getenv("GERSH_TEST_QUICK") == NULL)
        assert_true(verdicts[0] > 0 && verdicts[1] > 0);
}

static void a_model_keeps_its_accuracies(void **unused)
{
    (void)unused;
    for (int how = CROSSWISE; how <= APART; how++) {
        gersh_dataset *data = make_data(how, 200, 0, 1);
        gersh_model *model = fit(data, "auto"), *back = NULL;
        const gersh_training_accuracy *a = gersh_model_training_accuracy(model), *b;
        char *bytes;
        size_t size;
        assert_ok(gersh_model_pack(&bytes, &size, model, 0));
        assert_ok(gersh_model_unpack(&back, bytes, size));
        b = gersh_model_training_accuracy(back);
        assert_true(a->samples == b->samples && a->accuracy == b->accuracy &&
                    a->euclidean == b->euclidean && a->verdict == b->verdict &&
                    a->automatic == b->automatic && a->switched == b->switched && a->other == b->other &&
                    a->other_accuracy == b->other_accuracy);
        free(bytes);
        gersh_model_free(back);
        gersh_model_free(model);
        gersh_dataset_free(data);
    }
}

static void nothing_is_compared_without_classes(void **unused)
{
    (void)unused;
    gersh_model *real = random_model(1, 40, 3, 0, "auto", "balanced", 0);
    assert_int_equal(gersh_model_training_accuracy(real)->samples, 0);
    gersh_model_free(real);

    gersh_dataset *data = make_data(CROSSWISE, 100, 0, 1);
    size_t rows[] = {0, 1, 0, 2, 1, 3};
    int similar[] = {1, 0, 0};
    gersh_tuples *tuples = NULL;
    gersh_model *model = NULL;
    assert_ok(gersh_tuples_new(&tuples, GERSH_PAIRS, 3, rows, similar, 100));
    gersh_fit_options options = {.tuples = tuples};
    assert_ok(gersh_model_fit(&model, NULL, data, NULL, &options));
    assert_int_equal(gersh_model_training_accuracy(model)->samples, 0);
    gersh_model_free(model);
    gersh_tuples_free(tuples);
    gersh_dataset_free(data);
}

/* Cancels when a second fit begins: its first step is nothing that goes on from the last one. */
typedef struct watch {
    gersh_cancel cancel;
    int last, fits;
} watch;

static void see(void *context, const gersh_progress *progress)
{
    watch *w = context;
    w->fits += w->fits == 0 || progress->iteration < w->last;
    w->last = progress->iteration;
    w->cancel.requested = w->fits > 1;
}

static void an_interrupt_leaves_the_first_metric(void **unused)
{
    (void)unused;
    watch w = {0};
    gersh_fit_info info;
    gersh_dataset *data = make_data(CROSSWISE, 300, 0, 1);
    gersh_model *model = NULL, *mcml = fit(data, "mcml");
    gersh_settings *settings = model_settings("auto", "balanced");
    gersh_fit_options options = {.progress = see, .progress_context = &w, .cancel = &w.cancel};
    assert_ok(gersh_model_fit(&model, &info, data, settings, &options));
    assert_true(w.cancel.requested);
    assert_int_equal(info.stop, GERSH_STOP_INTERRUPTED);
    assert_string_equal(objective_of(model), "mcml");
    assert_int_equal(gersh_model_training_accuracy(model)->verdict, -1);
    assert_same_metric(model, mcml);
    gersh_model_free(model);

    /* What used up the time is compared, but nothing else is learned. */
    assert_ok(gersh_settings_set(settings, "max-time", "1e-9"));
    assert_ok(gersh_model_fit(&model, &info, data, settings, NULL));
    assert_int_equal(info.stop, GERSH_STOP_MAX_TIME);
    assert_true(gersh_model_training_accuracy(model)->samples == 300);
    assert_null(gersh_model_training_accuracy(model)->other);
    gersh_settings_free(settings);
    gersh_model_free(model);
    gersh_model_free(mcml);
    gersh_dataset_free(data);
}

static void what_follows_uses_the_objective_that_was_chosen(void **unused)
{
    (void)unused;
    gersh_dataset *data = make_data(CROSSWISE, 200, 0, 1);
    gersh_model *model = fit(data, "auto"), *glr = fit(data, "glr");
    gersh_settings *settings = model_settings("auto", "balanced"),
                   *same = model_settings("glr", "balanced");
    assert_ok(gersh_settings_set(settings, "max-time", "1000"));
    assert_ok(gersh_bootstrap_run(model, 5, settings, NULL));
    assert_ok(gersh_bootstrap_run(glr, 5, same, NULL));
    const gersh_bootstrap *a = gersh_model_bootstrap(model), *b = gersh_model_bootstrap(glr);
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->edge, b->edge, a->count * sizeof *a->edge);
    assert_ok(gersh_importance_permute(model, settings, NULL));
    assert_ok(gersh_importance_permute(glr, same, NULL));
    assert_memory_equal(gersh_model_importance(model)->permutation,
                        gersh_model_importance(glr)->permutation, (2 + NOISE) * sizeof(double));
    gersh_model_free(model);

    /* The limit of time is that of the user, not what the first fit left of it. */
    assert_ok(gersh_model_fit(&model, NULL, data, settings, NULL));
    assert_string_equal(objective_of(model), "glr");
    assert_string_equal(gersh_settings_get(gersh_model_settings(model), "max-time"), "1000");

    gersh_evaluation *evaluation = NULL;
    gersh_evaluate_options options = {.splits = 3};
    assert_ok(gersh_evaluate(&evaluation, data, settings, &options));
    assert_string_equal(evaluation->row[1].objective, "auto");
    assert_int_equal(evaluation->row[1].switched, 3);
    assert_int_equal(evaluation->row[0].switched, 0);
    gersh_evaluation_free(evaluation);
    gersh_settings_free(settings);
    gersh_settings_free(same);
    gersh_model_free(model);
    gersh_model_free(glr);
    gersh_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_xor_is_learned_with_glr),
        cmocka_unit_test(classes_in_one_place_are_learned_with_mcml),
        cmocka_unit_test(accuracies_are_those_of_sorted_distances),
        cmocka_unit_test(a_model_keeps_its_accuracies),
        cmocka_unit_test(nothing_is_compared_without_classes),
        cmocka_unit_test(an_interrupt_leaves_the_first_metric),
        cmocka_unit_test(what_follows_uses_the_objective_that_was_chosen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
