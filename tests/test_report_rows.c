/* What a report is made of: the history of the fit, the rows in both spaces, and distances; against plain definitions. */
#include "models.h"

#include "base/alloc.h"
#include "data/dataset.h"
#include "random_metrics.h"
#include "report/accuracy.h"
#include "report/distances.h"
#include "scalings.h"

static void count_calls(void *context, const gersh_progress *progress)
{
    (void)progress;
    ++*(int *)context;
}

/* Told of n steps, it keeps the first, the last, and between them every so many; the caller is told of all. */
static void trajectories_are_thinned_evenly(void **state)
{
    (void)state;
    gersh__random random;
    gersh__random_seed(&random, 1);
    for (int c = 0; c < cases(400); c++) {
        int n = (int)gersh__random_below(&random, c < 200 ? 450 : 5000), told = 0;
        gersh_fit_options options = {.progress = count_calls, .progress_context = &told};
        gersh__trajectory *t = NULL;
        assert_ok(gersh__trajectory_start(&t, &options));
        for (int i = 0; i < n; i++) {
            gersh_progress step = {
                .stage = "s", .iteration = i, .value = 3.0 * i, .bound = i, .seconds = i};
            options.progress(options.progress_context, &step);
        }
        gersh__trajectory_end(t);
        assert_int_equal(told, n);
        assert_true(t->count <= GERSH_TRAJECTORY_POINTS);
        assert_true(t->count >= (size_t)(n < 100 ? n : 100));
        if (n > 0) {
            assert_int_equal(t->point[0].iteration, 0);
            assert_int_equal(t->point[t->count - 1].iteration, n - 1);
        }
        int stride = t->count > 1 ? t->point[1].iteration : 1;
        for (size_t i = 0; i + 1 < t->count; i++) {
            assert_int_equal(t->point[i].iteration, stride * (int)i);
            assert_true(t->point[i].value == 3.0 * stride * (double)i);
        }
        gersh__trajectory_free(t);
    }
}

static void values_that_are_not_finite_are_left_out(void **state)
{
    (void)state;
    gersh_fit_options options = {0};
    gersh__trajectory *t = NULL;
    const double values[] = {INFINITY, 4, NAN, 3};
    assert_ok(gersh__trajectory_start(&t, &options));
    for (int i = 0; i < 4; i++)
        options.progress(
            options.progress_context,
            &(gersh_progress){.stage = "s", .iteration = i, .value = values[i], .bound = -INFINITY});
    gersh__trajectory_end(t);
    assert_int_equal(t->count, 2);
    assert_true(t->point[0].value == 4 && t->point[1].value == 3);
    gersh__trajectory_free(t);
}

static void refuse_trajectory(const gersh_model *model)
{
    gersh_model *back = NULL;
    assert_ok(gersh_model_write(model, model_path, 1));
    assert_int_equal(gersh_model_read(&back, model_path), GERSH_ERROR_INPUT);
    assert_non_null(strstr(gersh_last_error(), "the history of the fit in the model is damaged"));
}

static void models_keep_the_course_of_their_fit(void **state)
{
    (void)state;
    static const char *const objectives[] = {"glr", "deml", "lmnn"}, *const solvers[] = {"hull", "balanced",
                                                                                         "sgml"};
    for (int which = 0; which < 3; which++) {
        gersh_model *model = random_model(7, 16, 5, 2, objectives[which], solvers[which], 0), *back = NULL;
        size_t count, again;
        const gersh_progress *a = gersh_model_trajectory(model, &count), *b;
        assert_true(count > 0);
        if (which == 0) { /* but for the merging of atoms at the end */
            assert_true(fabs(a[count - 1].value / model->info.objective_value - 1) < 1e-12);
            assert_true(a[count - 1].iteration == model->info.iterations);
        }
        assert_ok(gersh_model_write(model, model_path, 0));
        assert_ok(gersh_model_read(&back, model_path));
        b = gersh_model_trajectory(back, &again);
        assert_int_equal(count, again);
        assert_ptr_equal(gersh_model_trajectory(back, NULL), b);
        for (size_t i = 0; i < count; i++) {
            assert_string_equal(a[i].stage, b[i].stage);
            assert_true(a[i].iteration == b[i].iteration && a[i].atoms == b[i].atoms);
            assert_true(a[i].value == b[i].value && a[i].seconds == b[i].seconds);
            assert_true(a[i].bound == b[i].bound || (!isfinite(a[i].bound) && !isfinite(b[i].bound)));
        }
        gersh_model_free(back);
        gersh_progress kept = model->trajectory->point[0];
        model->trajectory->point[0].seconds = -1;
        refuse_trajectory(model);
        model->trajectory->point[0] = kept;
        model->trajectory->point[0].iteration = -1;
        refuse_trajectory(model);
        model->trajectory->count = 0; /* as a gersh writes that does not record */
        assert_ok(gersh_model_write(model, model_path, 0));
        assert_ok(gersh_model_read(&back, model_path));
        assert_null(gersh_model_trajectory(back, &again));
        assert_int_equal(again, 0);
        gersh_model_free(back);
        gersh_model_free(model);
    }
}

/* Whether they agree but for rounding. */
static void near(double a, double b, double scale)
{
    if (!(fabs(a - b) <= 1e-9 * scale))
        fail_msg("%.17g is not %.17g (scale %g)", a, b, scale);
}

/* A model of random data whose metric is replaced by one of that shape. */
static gersh_model *shaped_model(uint64_t seed, size_t n, size_t k, size_t classes, int shape)
{
    gersh__random random;
    gersh_model *model = random_model(seed, n, k, classes, "glr", "diagonal", 0);
    gersh__random_seed(&random, seed);
    gersh_metric_free(model->metric);
    model->metric = random_metric(&random, k, shape);
    return model;
}

static double plain_distance(const double *a, const double *b, size_t k)
{
    double sum = 0;
    for (size_t j = 0; j < k; j++)
        sum += (a[j] - b[j]) * (a[j] - b[j]);
    return sum;
}

/* Of each row, the nearest in the JSON is as near as any. */
static void check_neighbors(const json_t *space, const gersh__shown *shown, const gersh_metric *metric)
{
    size_t n = shown->count, k = shown->scaled->k;
    const double *x = shown->scaled->x;
    for (size_t i = 0; i < n; i++) {
        double least = INFINITY,
               stated = json_real_value(json_array_get(json_object_get(space, "distance"), i));
        size_t nearest = (size_t)json_integer_value(json_array_get(json_object_get(space, "neighbor"), i));
        assert_true(nearest != i && nearest < n);
        for (size_t j = 0; j < n; j++)
            if (j != i)
                least = fmin(least, metric != NULL ? gersh_metric_distance(metric, x + i * k, x + j * k)
                                                   : plain_distance(x + i * k, x + j * k, k));
        near(stated * stated, least, 1e-4 + least); /* squares lose half of the digits near 0 */
        double own = metric != NULL ? gersh_metric_distance(metric, x + i * k, x + nearest * k)
                                    : plain_distance(x + i * k, x + nearest * k, k);
        near(own, least, 1e-4 + least);
    }
}

/* Components against the singular value decomposition of gersh_pca_fit; the sign is free. */
static void check_components(const json_t *space, const gersh_dataset *data, size_t components)
{
    gersh_pca *pca = NULL;
    gersh_dataset *moved = NULL;
    double all = 0, largest = 0;
    assert_ok(gersh_pca_fit(&pca, data, components));
    assert_ok(gersh_pca_apply(&moved, pca, data));
    for (size_t j = 0; j < data->k; j++) {
        double mean = 0;
        for (size_t i = 0; i < data->n; i++)
            mean += data->x[i * data->k + j] / (double)data->n;
        for (size_t i = 0; i < data->n; i++)
            all += pow(data->x[i * data->k + j] - mean, 2) / (double)(data->n - 1);
    }
    for (size_t i = 0; i < data->n * components; i++)
        largest = fmax(largest, fabs(moved->x[i]));
    for (size_t c = 0; c < components; c++) {
        const json_t *list = json_object_get(space, c == 0 ? "x" : "y");
        double same = 0, turned = 0;
        near(json_real_value(json_array_get(json_object_get(space, "share"), c)), pca->variance[c] / all,
             1);
        for (size_t i = 0; i < data->n; i++) {
            double value = json_real_value(json_array_get(list, i)), other = moved->x[i * components + c];
            same = fmax(same, fabs(value - other));
            turned = fmax(turned, fabs(value + other));
        }
        near(fmin(same, turned), 0, 100 * largest);
    }
    gersh_dataset_free(moved);
    gersh_pca_free(pca);
}

static void rows_are_where_they_are(void **state)
{
    (void)state;
    for (int shape = SINGLE_METRIC; shape < METRICS; shape++) {
        gersh_model *model = shaped_model(20 + (uint64_t)shape, 30, 7, 2, shape);
        gersh__shown *shown = NULL;
        json_t *space = NULL;
        assert_ok(gersh__shown_new(&shown, model, model->data, 1));
        assert_int_equal(shown->count, 30);
        const double *x = shown->scaled->x;
        for (size_t i = 0; i < 30; i++)
            for (size_t j = 0; j < 30; j++) {
                double learned = gersh_metric_distance(model->metric, x + 7 * i, x + 7 * j),
                       plain = plain_distance(x + 7 * i, x + 7 * j, 7);
                near(gersh__gram_distance(shown->learned, 30, i, j), learned, 1 + learned);
                near(gersh__gram_distance(shown->euclidean, 30, i, j), plain, 1 + plain);
            }
        assert_ok(gersh__space_json(&space, shown));
        check_neighbors(json_object_get(space, "learned"), shown, model->metric);
        check_neighbors(json_object_get(space, "euclidean"), shown, NULL);
        check_components(json_object_get(space, "euclidean"), shown->scaled, 2);
        for (size_t i = 0; i < 30; i++) {
            assert_int_equal(json_integer_value(json_array_get(json_object_get(space, "row"), i)), i + 1);
            assert_int_equal(json_integer_value(json_array_get(json_object_get(space, "label"), i)),
                             model->data->labels[i]);
        }
        json_decref(space);
        gersh__shown_free(shown);
        gersh_model_free(model);
    }
}

static void one_feature_has_one_component(void **state)
{
    (void)state;
    gersh_model *model = random_model(3, 9, 1, 2, "glr", "diagonal", 0);
    gersh__shown *shown = NULL;
    json_t *space = NULL;
    assert_ok(gersh__shown_new(&shown, model, model->data, 1));
    assert_ok(gersh__space_json(&space, shown));
    for (size_t i = 0; i < 9; i++)
        near(json_real_value(json_array_get(json_object_get(json_object_get(space, "learned"), "y"), i)), 0,
             10);
    json_decref(space);
    gersh__shown_free(shown);
    gersh_model_free(model);
}

static void of_many_rows_some_are_shown(void **state)
{
    (void)state;
    gersh__random random;
    gersh__random_seed(&random, 8);
    gersh_model *model = random_model(3, 12, 2, 2, "glr", "diagonal", 0);
    gersh_dataset *data = ready_data(&random, 3000, 2, 2);
    gersh__shown *shown = NULL;
    assert_ok(gersh__shown_new(&shown, model, data, 1));
    assert_int_equal(shown->count, GERSH__MOST_SHOWN);
    assert_true(shown->row[0] < 50 && shown->row[shown->count - 1] >= 2950 &&
                shown->row[shown->count - 1] < 3000);
    for (size_t i = 1; i < shown->count; i++)
        assert_true(shown->row[i - 1] < shown->row[i]);
    gersh__shown_free(shown);
    gersh_dataset_free(data);
    gersh_model_free(model);
}

static void the_share_of_nearer_pairs(void **state)
{
    (void)state;
    gersh__random random;
    gersh__random_seed(&random, 5);
    for (int c = 0; c < cases(2000); c++) {
        double a[40], b[40], won = 0;
        size_t n = 1 + gersh__random_below(&random, 40), m = 1 + gersh__random_below(&random, 40);
        for (size_t i = 0; i < n; i++)
            a[i] = (double)gersh__random_below(&random, 12);
        for (size_t j = 0; j < m; j++)
            b[j] = (double)gersh__random_below(&random, 12) + (c % 3);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < m; j++)
                won += a[i] < b[j] ? 1 : a[i] == b[j] ? 0.5 : 0;
        near(gersh__nearer_share(a, n, b, m), won / (double)(n * m), 1);
    }
}

static size_t sum_of(const json_t *bins)
{
    size_t sum = 0;
    assert_int_equal(json_array_size(bins), GERSH__BINS);
    for (size_t b = 0; b < GERSH__BINS; b++)
        sum += (size_t)json_integer_value(json_array_get(bins, b));
    return sum;
}

/* Distances of rows in lists of the test's own, by the definition; expects the JSON to agree. */
static void check_distances(const gersh_model *model, const gersh_dataset *scaled, size_t pairs,
                            const size_t *first, const size_t *second, const int *is_near, const char *kind)
{
    gersh__shown *shown = NULL;
    json_t *document = NULL;
    assert_ok(gersh__shown_new(&shown, model, model->data, 1));
    assert_ok(gersh__distances_json(&document, model, model->data, 1, shown));
    assert_string_equal(json_string_value(json_object_get(document, "kind")), kind);
    for (int space = 0; space < 2; space++) {
        const json_t *object = json_object_get(document, space == 0 ? "euclidean" : "learned");
        double *near_list = calloc(pairs, sizeof(double)), *far_list = calloc(pairs, sizeof(double)),
               largest = 0;
        size_t n = 0, m = 0, k = scaled->k;
        for (size_t p = 0; p < pairs; p++) {
            const double *a = scaled->x + first[p] * k, *b = scaled->x + second[p] * k;
            double d = sqrt(
                fmax(space == 0 ? plain_distance(a, b, k) : gersh_metric_distance(model->metric, a, b), 0));
            largest = fmax(largest, d);
            if (is_near[p])
                near_list[n++] = d;
            else
                far_list[m++] = d;
        }
        double won = 0;
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < m; j++)
                won += near_list[i] < far_list[j] ? 1 : near_list[i] == far_list[j] ? 0.5 : 0;
        assert_true(n > 0 && m > 0);
        near(json_real_value(json_object_get(object, "nearer")), won / (double)(n * m), 1e4);
        near(json_real_value(json_object_get(object, "largest")), largest, 1 + largest);
        assert_int_equal(sum_of(json_object_get(object, "near")), n);
        assert_int_equal(sum_of(json_object_get(object, "far")), m);
        assert_int_equal(json_integer_value(json_object_get(document, "near")), n);
        free(near_list);
        free(far_list);
    }
    json_decref(document);
    gersh__shown_free(shown);
}

static void distances_of_pairs(void **state)
{
    (void)state;
    for (int which = 0; which < 5; which++) { /* classes, targets, pairs, triplets, quadruplets */
        gersh_model *model = shaped_model(40 + (uint64_t)which, 14, 4, which == 1 ? 0 : 2, CROWDED_METRIC);
        gersh_dataset *scaled = NULL;
        size_t first[200], second[200], pairs = 0;
        int is_near[200];
        assert_ok(gersh_dataset_copy(&scaled, model->data));
        assert_ok(gersh_scaling_apply(model->scaling, scaled));
        if (which < 2) {
            double gaps[91], median = 0;
            for (size_t i = 0; i < 14; i++)
                for (size_t j = i + 1; j < 14; j++, pairs++) {
                    first[pairs] = i;
                    second[pairs] = j;
                    gaps[pairs] = which == 1 ? fabs(model->data->targets[i] - model->data->targets[j]) : 0;
                }
            for (size_t p = 0; p < pairs; p++) { /* the median is the one with 45 below it */
                size_t below = 0;
                for (size_t q = 0; q < pairs; q++)
                    below += gaps[q] < gaps[p];
                median = below == 45 ? gaps[p] : median;
            }
            for (size_t p = 0; p < pairs; p++)
                is_near[p] = which == 1 ? gaps[p] <= median
                                        : model->data->labels[first[p]] == model->data->labels[second[p]];
        } else {
            const size_t rows[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
            const int similar[] = {1, 0, 1, 0, 1, 0};
            gersh_tuple_kind kind = which == 2   ? GERSH_PAIRS
                                    : which == 3 ? GERSH_TRIPLETS
                                                 : GERSH_QUADRUPLETS;
            size_t size = gersh_tuple_size(kind), count = 12 / size;
            assert_ok(gersh_tuples_new(&model->tuples, kind, count, rows, which == 2 ? similar : NULL, 14));
            for (size_t t = 0; t < count; t++) {
                const size_t *row = rows + t * size;
                first[pairs] = row[0];
                second[pairs] = row[1];
                is_near[pairs++] = which == 2 ? similar[t] : 1;
                if (which == 2)
                    continue;
                first[pairs] = which == 3 ? row[0] : row[2];
                second[pairs] = which == 3 ? row[2] : row[3];
                is_near[pairs++] = 0;
            }
        }
        check_distances(model, scaled, pairs, first, second, is_near,
                        which == 0   ? "classes"
                        : which == 1 ? "targets"
                                     : "tuples");
        gersh_dataset_free(scaled);
        gersh_model_free(model);
    }
}

static void rows_that_are_new(void **state)
{
    (void)state;
    gersh_model *model = random_model(11, 20, 3, 2, "glr", "diagonal", 0);
    const size_t rows[] = {4, 4, 19, 0, 7};
    int new_row[5];
    size_t count;
    gersh_dataset *data = NULL;
    assert_ok(gersh_dataset_subset(&data, model->data, rows, 5));
    assert_ok(gersh__find_new_rows(new_row, &count, data, model->data));
    assert_int_equal(count, 0);
    data->x[3] = nextafter(data->x[3], 1e300);
    data->x[14] += 1;
    assert_ok(gersh__find_new_rows(new_row, &count, data, model->data));
    assert_int_equal(count, 2);
    const int expected[] = {0, 1, 0, 0, 1};
    assert_memory_equal(new_row, expected, sizeof expected);
    gersh_dataset_free(model->data);
    model->data = NULL;
    assert_ok(gersh__find_new_rows(new_row, &count, data, model->data));
    assert_int_equal(count, 0);
    gersh_dataset_free(data);
    gersh_model_free(model);
}

/* Entries of the Gram matrix that are finite, with distances that are not; found by fuzz/model.c. */
static void rows_too_far_apart_are_refused(void **state)
{
    (void)state;
    gersh_model *model = random_model(3, 12, 2, 2, "glr", "balanced", 0);
    memset(model->data->x, 0, 12 * 2 * sizeof(double));
    model->data->x[0] = 1.2e154;
    model->data->x[2] = -1.2e154;
    for (int j = 0; j < 2; j++) {
        means_of(model->scaling)[j] = 0;
        scales_of(model->scaling)[j] = 1;
    }
    gersh__shown *shown = NULL;
    assert_int_equal(gersh__shown_new(&shown, model, model->data, 1), GERSH_ERROR_NUMERIC);
    assert_string_equal(gersh_last_error(), "the rows are too large to be shown; scale the data first");
    assert_null(shown);
    gersh_model_free(model);
}

/* The settings in a model, which may be anyone's, do not decide how long a report takes. */
static void settings_of_the_model_are_limited(void **state)
{
    (void)state;
    static const struct {
        const char *given, *kept;
    } times[] = {{"none", "60"}, {"1e300", "60"}, {"60.5", "60"}, {"60", "60"}, {"2.5", "2.5"}, {"0", "0"}};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        gersh_settings *settings = NULL;
        assert_ok(gersh_settings_new(&settings));
        assert_ok(gersh_settings_set(settings, "max-time", times[i].given));
        assert_ok(gersh_settings_set(settings, "memory", "1e9"));
        assert_ok(gersh__accuracy_limit(settings));
        assert_string_equal(gersh_settings_get(settings, "max-time"), times[i].kept);
        assert_string_equal(gersh_settings_get(settings, "memory"), "auto");
        gersh_settings_free(settings);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_of_the_model_are_limited),
        cmocka_unit_test(rows_too_far_apart_are_refused),
        cmocka_unit_test(trajectories_are_thinned_evenly),
        cmocka_unit_test(values_that_are_not_finite_are_left_out),
        cmocka_unit_test(models_keep_the_course_of_their_fit),
        cmocka_unit_test(rows_are_where_they_are),
        cmocka_unit_test(one_feature_has_one_component),
        cmocka_unit_test(of_many_rows_some_are_shown),
        cmocka_unit_test(the_share_of_nearer_pairs),
        cmocka_unit_test(distances_of_pairs),
        cmocka_unit_test(rows_that_are_new),
    };
    return cmocka_run_group_tests(tests, models_start, models_end);
}
