/* Real-valued targets: values against the definition, the scale of the targets, refusals, from file to
 * verifier. */
#include "models.h"
#include "registry.h"
#include "tuples.h"

/* Σ exp(−d) (z_i − z_j)² with z standardised, under the model's metric. */
static double naive_glr(const gersh_model *model, const gersh_dataset *data)
{
    size_t n = gersh_dataset_rows(data), k = gersh_dataset_features(data);
    gersh_dataset *scaled = NULL;
    size_t *rows = malloc(n * sizeof *rows);
    for (size_t i = 0; i < n; i++)
        rows[i] = i;
    assert_ok(gersh_dataset_subset(&scaled, data, rows, n));
    assert_ok(gersh_scaling_apply(gersh_model_scaling(model), scaled));
    const double *x = gersh_dataset_values(scaled), *z = gersh_dataset_targets(data),
                 *w = gersh_dataset_weights(data);
    double mean = 0, variance = 0, sum = 0;
    for (size_t i = 0; i < n; i++)
        mean += z[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        variance += (z[i] - mean) * (z[i] - mean) / (double)(n - 1);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            sum += (w != NULL ? w[i] * w[j] : 1) * (z[i] - z[j]) * (z[i] - z[j]) / variance *
                   exp(-gersh_metric_distance(gersh_model_metric(model), x + i * k, x + j * k));
    gersh_dataset_free(scaled);
    free(rows);
    return sum;
}

/* Random rows; the target follows the first feature, times a factor and shifted. */
static gersh_dataset *target_data(uint64_t seed, size_t n, size_t k, double factor, double shift)
{
    gersh__random random;
    gersh_dataset *data = NULL;
    double *x = malloc(n * k * sizeof *x), *z = malloc(n * sizeof *z);
    gersh__random_seed(&random, seed);
    for (size_t i = 0; i < n; i++) {
        for (size_t f = 0; f < k; f++)
            x[i * k + f] = gersh__random_normal(&random);
        z[i] = factor * (x[i * k] + 0.1 * gersh__random_normal(&random)) + shift;
    }
    assert_ok(gersh_dataset_new(&data, n, k, x, k, NULL, z, NULL));
    free(x);
    free(z);
    return data;
}

static void all_pass(const gersh_model *model, const gersh_dataset *data)
{
    gersh_verification report;
    assert_ok(gersh_model_verify(&report, model, data));
    for (size_t c = 0; c < report.count; c++)
        if (report.check[c].result == GERSH_CHECK_FAILED)
            fail_msg("%s: %s", report.check[c].name, report.check[c].sentence);
    assert_int_equal(report.verdict, GERSH_VERIFICATION_VERIFIED);
}

static void values_are_those_of_standardised_targets(void **unused)
{
    const char *solver;
    (void)unused;
    for (size_t s = 0; (solver = solver_name(s, learns)) != NULL; s++)
        for (int weighted = 0; weighted < 2; weighted++) {
            gersh_dataset *data = target_data(61, 30, 4, 12, 100);
            gersh_settings *settings = model_settings("glr", solver);
            gersh_model *model = NULL, *back = NULL;
            double w[30], m[16];
            assert_ok(gersh_settings_set(settings, "trace", "6"));
            for (size_t i = 0; i < 30; i++)
                w[i] = (double)(i % 3);
            if (weighted)
                assert_ok(gersh_dataset_set_weights(data, w));
            assert_ok(gersh_model_fit(&model, NULL, data, settings, NULL));
            double right = naive_glr(model, data), value = gersh_model_info(model)->objective_value;
            assert_close(value, right, 1e-9 * right);
            assert_true(value > 0.1 &&
                        value < 30 * 30); /* a sum over 435 pairs of terms of the order of 1 */
            assert_ok(gersh_model_write(model, model_path, 1));
            assert_ok(gersh_model_read(&back, model_path));
            assert_string_equal(gersh_model_task(back), "regress");
            all_pass(back, NULL);
            all_pass(back, data);
            gersh_metric_matrix(gersh_model_metric(back), m);
            if (!weighted)
                for (size_t f = 1; f < 4; f++)
                    assert_true(m[0] > 2 * m[f * 5]); /* the feature that decides */
            gersh_model_free(model);
            gersh_model_free(back);
            gersh_settings_free(settings);
            gersh_dataset_free(data);
        }
}

/* Units of the targets change nothing, however large or small. */
static void units_do_not_matter(void **unused)
{
    static const double factors[] = {1, -3, 1e-200, 1e200};
    double value[4], m[4][9];
    (void)unused;
    for (int u = 0; u < 4; u++) {
        gersh_dataset *data = target_data(62, 25, 3, factors[u], 0);
        gersh_settings *settings = model_settings("glr", "hull");
        gersh_model *model = NULL;
        assert_ok(gersh_model_fit(&model, NULL, data, settings, NULL));
        value[u] = gersh_model_info(model)->objective_value;
        gersh_metric_matrix(gersh_model_metric(model), m[u]);
        assert_close(value[u], value[0], 1e-9 * value[0]);
        for (int e = 0; e < 9; e++)
            assert_close(m[u][e], m[0][e], 1e-6);
        all_pass(model, NULL);
        gersh_model_free(model);
        gersh_settings_free(settings);
        gersh_dataset_free(data);
    }
}

static void other_objectives_are_refused(void **unused)
{
    const char *name;
    gersh_dataset *data = target_data(63, 12, 3, 1, 0);
    gersh_model *model = NULL;
    (void)unused;
    for (size_t o = 0; (name = objective_name(o, learns_classes_alone)) != NULL; o++) {
        char message[256];
        gersh_settings *settings = model_settings(name, "hull");
        snprintf(message, sizeof message,
                 "the objective %s needs classes, but the labels are real-valued targets; read them as "
                 "classes with "
                 "--task classify, or use the objective glr",
                 name);
        assert_int_equal(gersh_model_fit(&model, NULL, data, settings, NULL), GERSH_ERROR_INPUT);
        assert_string_equal(gersh_last_error(), message);
        gersh_settings_free(settings);
    }
    gersh_dataset_free(data);
    double x[] = {1, 2, 3}, z[] = {4, 4, 4};
    assert_ok(gersh_dataset_new(&data, 3, 1, x, 1, NULL, z, NULL));
    assert_int_equal(gersh_model_fit(&model, NULL, data, NULL, NULL), GERSH_ERROR_INPUT);
    gersh_dataset_free(data);
}

/* From a file whose labels are whole numbers to a model, and a bootstrap of its rows. */
static void from_file_to_bootstrap(void **unused)
{
    gersh_settings *settings = model_settings("glr", "balanced");
    gersh_dataset *data = NULL;
    gersh_model *model = NULL;
    FILE *file = fopen(model_path, "w");
    (void)unused;
    assert_non_null(file);
    fprintf(file, "a,b,age\n");
    for (int i = 0; i < 40; i++)
        fprintf(file, "%d,%d,%d\n", i * 7 % 40, i * i % 13, 20 + i * 7 % 40 + i % 3);
    assert_int_equal(fclose(file), 0);
    assert_ok(gersh_settings_set(settings, "task", "regress"));
    assert_ok(gersh_dataset_read(&data, model_path, settings));
    assert_non_null(gersh_dataset_targets(data));
    assert_ok(gersh_model_fit(&model, NULL, data, settings, NULL));
    all_pass(model, data);
    assert_ok(gersh_bootstrap_run(model, 5, settings, NULL));
    assert_true(gersh_model_bootstrap(model)->done == 5);
    gersh_model_free(model);
    gersh_dataset_free(data);
    gersh_settings_free(settings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_those_of_standardised_targets),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(other_objectives_are_refused),
        cmocka_unit_test(from_file_to_bootstrap),
    };
    return cmocka_run_group_tests(tests, models_start, models_end);
}
