/*
 * Discriminants, by their definition: sums written out in long double, and random directions that are no better. Names,
 * trace and start of fits that have them; damaged files.
 */
#include <math.h>

#include "data/dataset.h"
#include "models.h"

enum { ROWS = 60, MOST = 12 };

/* What discriminants are to maximise: vᵀBv / vᵀSv. */
typedef struct ratio {
    size_t k;
    long double s[MOST][MOST], b[MOST][MOST];
} ratio;

/* S and B of scaled rows, B by the differences of all pairs of rows that are of the same class, or by targets. */
static ratio ratio_of(const gersh_dataset *scaled)
{
    ratio q = {.k = gersh_dataset_features(scaled)};
    size_t n = gersh_dataset_rows(scaled), k = q.k;
    const double *x = gersh_dataset_values(scaled), *t = gersh_dataset_targets(scaled),
                 *w = gersh_dataset_weights(scaled);
    const int *label = gersh_dataset_labels(scaled);
    long double total = 0, spread = 0, size[16] = {0}, along[MOST] = {0};
    for (size_t i = 0; i < n; i++) {
        total += w != NULL ? w[i] : 1;
        size[label != NULL ? label[i] : 0] += w != NULL ? w[i] : 1;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            long double both = w != NULL ? (long double)w[i] * w[j] : 1;
            for (size_t a = 0; a < k; a++) {
                long double first = (long double)x[i * k + a] - x[j * k + a];
                for (size_t b = 0; b < k; b++) {
                    long double second = (long double)x[i * k + b] - x[j * k + b];
                    q.s[a][b] += both / total / total * first * second;
                    if (label != NULL && label[i] == label[j]) /* what is within classes */
                        q.b[a][b] -= both / total / size[label[i]] * first * second;
                }
                along[a] += t != NULL ? both / total / total * first * (t[i] - t[j]) : 0;
            }
            spread += t != NULL ? both / total / total * (t[i] - t[j]) * (t[i] - t[j]) : 0;
        }
    for (size_t a = 0; a < k; a++)
        for (size_t b = 0; b < k; b++)
            q.b[a][b] = label != NULL ? q.b[a][b] + q.s[a][b] : along[a] * along[b] / spread;
    for (size_t a = 0; a < k; a++)
        for (size_t b = 0; b < k; b++)
            q.s[a][b] *= a == b ? 1 : 0.8L;
    return q;
}

static long double form(size_t k, long double (*m)[MOST], const double *v, const double *w)
{
    long double sum = 0;
    for (size_t a = 0; a < k; a++)
        for (size_t b = 0; b < k; b++)
            sum += m[a][b] * v[a] * w[b];
    return sum;
}

/* Takes away of v what the earlier discriminants have of it, in the product with S. */
static void make_free(ratio *q, double *v, const double *earlier, size_t count)
{
    for (size_t d = 0; d < count; d++) {
        const double *u = earlier + d * q->k;
        double share = (double)(form(q->k, q->s, v, u) / form(q->k, q->s, u, u));
        for (size_t a = 0; a < q->k; a++)
            v[a] -= share * u[a];
    }
}

static void check_directions(const gersh_scaling *scaling, const gersh_dataset *scaled,
                             gersh__random *random)
{
    ratio q = ratio_of(scaled);
    for (size_t d = 0; d < scaling->discriminants; d++) {
        const double *v = scaling->discriminant + d * q.k;
        double square = 0, largest = 0, other[MOST];
        long double best = form(q.k, q.b, v, v) / form(q.k, q.s, v, v);
        for (size_t a = 0; a < q.k; a++) {
            square += v[a] * v[a];
            largest = fabs(v[a]) > fabs(largest) ? v[a] : largest;
        }
        assert_true(fabs(square - 1) < 1e-12 && largest > 0);
        for (size_t e = 0; e < d; e++)
            assert_true(fabsl(form(q.k, q.s, v, scaling->discriminant + e * q.k)) < 1e-9);
        for (size_t a = 0; a < q.k; a++) { /* Bv = best · Sv */
            double unit[MOST] = {0};
            unit[a] = 1;
            assert_true(fabsl(form(q.k, q.b, unit, v) - best * form(q.k, q.s, unit, v)) < 1e-9);
        }
        for (int t = 0; t < 200; t++) {
            for (size_t a = 0; a < q.k; a++)
                other[a] = (t % 2 == 0 ? 0 : v[a]) + gersh__random_normal(random) * (t % 2 == 0 ? 1 : 0.01);
            make_free(&q, other, scaling->discriminant, d);
            assert_true(form(q.k, q.b, other, other) / form(q.k, q.s, other, other) <= best * (1 + 1e-9L));
        }
    }
}

/* Rows whose features depend on each other and on the class or target; the last feature is constant in some. */
static gersh_dataset *make_rows(gersh__random *random, size_t n, size_t k, size_t classes, int constant)
{
    gersh_dataset *data = ready_data(random, n, k, classes);
    for (size_t i = 0; i < n; i++)
        for (size_t f = 0; f < k; f++) {
            double known =
                data->labels != NULL ? (double)(data->labels[i] * (int)(f + 1) % 3) : data->targets[i];
            data->x[i * k + f] += 0.5 * known + (f > 0 ? 0.7 * data->x[i * k + f - 1] : 0);
        }
    for (size_t i = 0; constant && i < n; i++)
        data->x[i * k + k - 1] = 5;
    return data;
}

static void directions_are_the_best(void **unused)
{
    gersh__random random;
    (void)unused;
    gersh__random_seed(&random, 11);
    for (int t = 0; t < cases(40); t++) {
        size_t classes = t % 4 == 3 ? 0 : 2 + (size_t)t % 4,
               k = 2 + (size_t)gersh__random_below(&random, 7);
        gersh_dataset *data = make_rows(&random, ROWS, k, classes, t % 5 == 0), *scaled = NULL;
        gersh_scaling *scaling = NULL;
        double weights[ROWS];
        for (size_t i = 0; i < ROWS; i++)
            weights[i] = i % 4 == 0 ? 0 : gersh__random_uniform(&random) + 0.2;
        if (t % 3 == 0)
            assert_ok(gersh_dataset_set_weights(data, weights));
        assert_ok(gersh_scaling_fit(&scaling, data, "zscore"));
        assert_ok(gersh_dataset_copy(&scaled, data));
        assert_ok(gersh_scaling_apply(scaling, scaled));
        assert_ok(gersh_scaling_discriminate(scaling, data));
        size_t own = t % 5 == 0 ? k - 1 : k, most = classes == 0 ? 1 : classes - 1;
        assert_int_equal(scaling->discriminants, most < own ? most : own);
        if (t % 5 != 0)
            check_directions(scaling, scaled, &random);
        else /* a constant feature has no part */
            for (size_t d = 0; d < scaling->discriminants; d++)
                assert_true(scaling->discriminant[d * k + k - 1] == 0);
        gersh_scaling_free(scaling);
        gersh_dataset_free(scaled);
        gersh_dataset_free(data);
    }
}

/* Scaled rows have them behind the features, under names of their own. */
static void rows_get_their_sums(void **unused)
{
    static const char *const names[] = {"discriminant", "b", "discriminant 2"};
    gersh__random random;
    (void)unused;
    gersh__random_seed(&random, 12);
    for (size_t classes = 2; classes <= 3; classes++) {
        gersh_dataset *made = make_rows(&random, 20, 3, classes, 0), *data = NULL, *part = NULL;
        gersh_scaling *scaling = NULL;
        const char *labels[20];
        for (size_t i = 0; i < 20; i++)
            labels[i] = gersh_dataset_class_name(made, (size_t)gersh_dataset_labels(made)[i]);
        assert_ok(gersh_dataset_new(&data, 20, 3, gersh_dataset_values(made), 3, labels, NULL, names));
        assert_ok(gersh_scaling_fit(&scaling, data, "paper"));
        assert_ok(gersh_scaling_discriminate(scaling, data));
        assert_ok(gersh_scaling_apply(scaling, data));
        size_t wide = 3 + scaling->discriminants;
        assert_true(scaling->discriminants == classes - 1 && gersh_dataset_features(data) == wide);
        assert_string_equal(gersh_dataset_feature_name(data, 3),
                            classes == 2 ? "discriminant'" : "discriminant 1");
        if (classes == 3)
            assert_string_equal(gersh_dataset_feature_name(data, 4), "discriminant 2'");
        for (size_t i = 0; i < 20; i++)
            for (size_t d = 0; d + 1 < classes; d++) {
                const double *x = gersh_dataset_values(data) + i * wide, *v = scaling->discriminant + d * 3;
                assert_true(fabs(x[3 + d] - (v[0] * x[0] + v[1] * x[1] + v[2] * x[2])) < 1e-12);
            }
        assert_ok(gersh_dataset_subset(&part, data, (size_t[]){4, 7}, 2));
        assert_true(part->discriminants == classes - 1);
        assert_true(gersh_dataset_values(part)[wide] == gersh_dataset_values(data)[7 * wide]);
        assert_int_equal(gersh_scaling_apply(scaling, data),
                         GERSH_ERROR_INPUT); /* it has more features now */
        gersh_scaling_free(scaling);
        gersh_dataset_free(part);
        gersh_dataset_free(data);
        gersh_dataset_free(made);
    }
}

static void there_are_eight_at_most_and_none_without_labels(void **unused)
{
    gersh__random random;
    gersh_scaling *scaling = NULL;
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"};
    gersh_dataset *many = NULL, *none = NULL;
    const char *label[ROWS];
    double rows[ROWS * 11], x[] = {1, 2, 3, 5};
    (void)unused;
    gersh__random_seed(&random, 13);
    for (size_t i = 0; i < ROWS; i++) {
        label[i] = names[i % 12];
        for (size_t f = 0; f < 11; f++)
            rows[i * 11 + f] = gersh__random_normal(&random);
    }
    assert_ok(gersh_dataset_new(&many, ROWS, 11, rows, 11, label, NULL, NULL));
    assert_ok(gersh_scaling_fit(&scaling, many, "zscore"));
    assert_ok(gersh_scaling_discriminate(scaling, many));
    assert_int_equal(scaling->discriminants, 8);
    gersh_scaling_free(scaling);
    gersh_dataset_free(many);
    assert_ok(gersh_dataset_new(&none, 2, 2, x, 2, NULL, NULL, NULL));
    assert_ok(gersh_scaling_fit(&scaling, none, "zscore"));
    assert_int_equal(gersh_scaling_discriminate(scaling, none), GERSH_ERROR_INPUT);
    assert_non_null(strstr(gersh_last_error(), "the data has neither"));
    gersh_scaling_free(scaling);
    gersh_dataset_free(none);
}

/* Rows in turn of two classes, so many that only one of every two is looked at. */
static void some_of_many_rows_are_enough(void **unused)
{
    enum { MANY = 100000 };
    double *x = malloc(MANY * 2 * sizeof *x);
    const char **label = malloc(MANY * sizeof *label);
    gersh__random random;
    gersh_dataset *data = NULL;
    gersh_scaling *scaling = NULL;
    (void)unused;
    gersh__random_seed(&random, 15);
    for (size_t i = 0; i < MANY; i++) {
        label[i] = i % 2 == 0 ? "even" : "odd";
        x[2 * i] = gersh__random_normal(&random);
        x[2 * i + 1] = gersh__random_normal(&random) + (i % 2 == 0 ? 1 : 0);
    }
    assert_ok(gersh_dataset_new(&data, MANY, 2, x, 2, label, NULL, NULL));
    assert_ok(gersh_scaling_fit(&scaling, data, "zscore"));
    assert_ok(gersh_scaling_discriminate(scaling, data));
    assert_true(scaling->discriminants == 1 && scaling->discriminant[1] > 0.999);
    gersh_scaling_free(scaling);
    gersh_dataset_free(data);
    free(label);
    free(x);
}

static gersh_model *fit_with(const gersh_dataset *data, const char *objective, const char *discriminants,
                             const gersh_metric *start)
{
    gersh_model *model = NULL;
    gersh_settings *settings = model_settings(objective, "hull");
    gersh_fit_options options = {.start = start};
    assert_ok(gersh_settings_set(settings, "discriminants", discriminants));
    assert_ok(gersh_settings_set(settings, "tol", "1e-4"));
    assert_ok(gersh_model_fit(&model, NULL, data, settings, &options));
    gersh_settings_free(settings);
    return model;
}

/* The trace goes by the features alone, and more nodes leave no worse a value; starts come from either kind of fit. */
static void fits_have_the_same_trace(void **unused)
{
    static const char *const objectives[] = {"glr", "mcml", "lmnn"};
    gersh__random random;
    (void)unused;
    gersh__random_seed(&random, 14);
    for (int o = 0; o < 3; o++) {
        gersh_dataset *data = make_rows(&random, 40, 5, 3, 0);
        gersh_model *plain = fit_with(data, objectives[o], "no", NULL),
                    *wide = fit_with(data, objectives[o], "yes", NULL),
                    *from_plain = fit_with(data, objectives[o], "yes", gersh_model_metric(plain)),
                    *from_wide = fit_with(data, objectives[o], "no", gersh_model_metric(wide));
        double value = gersh_model_info(plain)->objective_value,
               better = gersh_model_info(wide)->objective_value;
        assert_true(gersh_model_nodes(plain) == 5 && gersh_model_nodes(wide) == 7 &&
                    gersh_model_features(wide) == 5);
        assert_true(fabs(gersh_model_info(plain)->budget / gersh_model_info(wide)->budget - 1) < 1e-12);
        assert_true(gersh_model_info(plain)->rho == gersh_model_info(wide)->rho);
        assert_true(better <= value * (1 + 2e-4));
        assert_true(fabs(gersh_model_info(from_plain)->objective_value / better - 1) < 3e-4);
        assert_true(fabs(gersh_model_info(from_wide)->objective_value / value - 1) < 3e-4);
        gersh_model_free(plain);
        gersh_model_free(wide);
        gersh_model_free(from_plain);
        gersh_model_free(from_wide);
        gersh_dataset_free(data);
    }
}

static void damaged_files_are_refused(void **unused)
{
    gersh_model *model = random_model(5, 12, 3, 2, "glr", "balanced", 0);
    (void)unused;
    assert_true(model->nodes == 4 && model->scaling->discriminants == 1);
    model->scaling->discriminant[0] += 0.5;
    assert_damaged(model, "discriminant 1 has the length");
    model->scaling->discriminant[0] = NAN;
    assert_damaged(model, "discriminant");
    gersh_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(directions_are_the_best),
        cmocka_unit_test(rows_get_their_sums),
        cmocka_unit_test(there_are_eight_at_most_and_none_without_labels),
        cmocka_unit_test(some_of_many_rows_are_enough),
        cmocka_unit_test(fits_have_the_same_trace),
        cmocka_unit_test(damaged_files_are_refused),
    };
    return cmocka_run_group_tests(tests, models_start, models_end);
}
