/* Objectives at the edges: refusals, equal samples, extreme distances, custom ones, and short memory. */
#include "objectives.h"

#include "base/alloc.h"
#include "objective/custom.h"
#include "objective/sort.h"
#include "pairs/rows.h"

static void unknown_names_are_none(void **unused)
{
    (void)unused;
    assert_null(gersh__objective_find("mclm"));
    assert_null(gersh_objective_find("auto"));
    const char *name;
    for (size_t which = 0; (name = objective_name(which, any_objective)) != NULL; which++)
        assert_string_equal(gersh_objective_find(name)->name, name);
}

static void data_without_classes_are_refused(void **unused)
{
    static const double x[] = {1, 2, 3};
    gersh__random random;
    gersh__objective *f;
    (void)unused;
    gersh__random_seed(&random, 21);
    problem q = make(&random, (wish){.n = 5, .k = 2, .classes = 0});
    problem none = {.n = 3};
    assert_ok(gersh_dataset_new(&none.data, 3, 1, x, 1, NULL, NULL, NULL));
    assert_ok(gersh__pairs_new(&none.pairs, none.data, NULL, 0, NULL, NULL, NULL));
    const char *name;
    for (size_t which = 0; (name = objective_name(which, learns_classes)) != NULL; which++) {
        const gersh__objective_entry *entry = gersh__objective_find(name);
        assert_int_equal(gersh__objective_new(&f, entry, none.pairs), GERSH_ERROR_INPUT);
        assert_null(f);
        assert_non_null(strstr(gersh_last_error(), "--label"));
        assert_non_null(strstr(gersh_last_error(), name));
        if (entry->info.takes & GERSH__TARGETS)
            continue;
        assert_int_equal(gersh__objective_new(&f, entry, q.pairs), GERSH_ERROR_INPUT);
        assert_non_null(strstr(gersh_last_error(), "--task classify"));
    }
    drop(&q);
    drop(&none);
    static const double far[] = {-1e200, 1e200};
    problem apart = {.n = 2};
    assert_ok(gersh_dataset_new(&apart.data, 2, 1, x, 1, NULL, far, NULL));
    assert_ok(gersh__pairs_new(&apart.pairs, apart.data, NULL, 0, NULL, NULL, NULL));
    assert_int_equal(gersh__objective_new(&f, gersh__objective_find("glr"), apart.pairs),
                     GERSH_ERROR_INPUT);
    drop(&apart);
}

static void listed_pairs_are_refused_where_all_are_needed(void **unused)
{
    gersh__random random;
    gersh__objective *f;
    (void)unused;
    gersh__random_seed(&random, 22);
    problem q = make(&random, (wish){.n = 5, .k = 2, .classes = 2, .listed = 4});
    assert_int_equal(gersh__objective_new(&f, gersh__objective_find("mcml"), q.pairs),
                     GERSH_ERROR_ARGUMENT);
    assert_non_null(
        strstr(gersh_last_error(),
               "the objective mcml compares each sample with all others and cannot use a list of "
               "pairs; use all pairs, or one of the objectives deml, "));
    assert_int_equal(gersh__objective_new(&f, gersh__objective_find("lmnn"), q.pairs),
                     GERSH_ERROR_ARGUMENT);
    drop(&q);
}

static void all_finite(size_t count, const double *x)
{
    for (size_t i = 0; i < count; i++)
        assert_true(isfinite(x[i]));
}

/* Everything is finite, and the value right, at the distances. */
static void check_finite(const char *name, const problem *q, const double *d)
{
    size_t count = gersh__pairs_count(q->pairs), m = gersh__pairs_features(q->pairs) < 3 ? 1 : 3;
    gersh__objective *f = objective_of(name, q);
    double *g = malloc(count * sizeof *g), *out = malloc(count * sizeof *out), h[9];
    f->width = 0.1;
    double value = f->kind->evaluate(f, d, g), right = oracle(name, q, d, 0.1);
    assert_close(value, right, 1e-12 * (fabs(right) + (double)q->n));
    assert_true(!f->info->nonnegative || value >= 0);
    all_finite(count, g);
    f->kind->curvature(f, d, d, out);
    all_finite(count, out);
    assert_ok(gersh__objective_hessian(f, d, m, gersh__pairs_columns(q->pairs), h));
    all_finite(m * m, h);
    assert_true(isfinite(gersh__objective_value(f, d)));
    gersh__objective_free(f);
    free(g);
    free(out);
}

static void equal_samples_and_extreme_distances(void **unused)
{
    static const double sizes[] = {0, 1e-300, 1e-20, 1, 1e3, 1e4};
    gersh__random random;
    (void)unused;
    const char *name;
    visits seen = {0};
    gersh__random_seed(&random, 23);
    for (size_t which = 0; (name = objective_name(which, learns_classes)) != NULL; which++) {
        visit(&seen, name);
        for (int round = 0; round < cases(200); round++) {
            problem q = make(&random, (wish){.n = 3 + (size_t)gersh__random_below(&random, 20),
                                             .k = 3,
                                             .classes = 3,
                                             .lone = round % 2,
                                             .duplicates = round % 3 == 0 ? 2 : 0});
            double *d = random_distances(&random, &q, sizes[round % 6]), largest = 1e4;
            for (size_t p = 0; p < gersh__pairs_count(q.pairs); p++)
                largest = fmax(largest, d[p]);
            for (size_t p = 0; p < gersh__pairs_count(q.pairs); p++)
                d[p] *= 1e4 / largest; /* exp(−1e4) is within the range of long double */
            check_finite(name, &q, d);
            free(d);
            drop(&q);
        }
    }
    assert_all_objectives(&seen, learns_classes);
}

/* Between equal samples no derivative counts; between others at the distance 0 it is large but finite. */
static void derivatives_at_the_distance_0(void **unused)
{
    static const double x[] = {0, 0, 1, 5, 7};
    static const char *const labels[] = {"a", "b", "b", "a", "b"};
    static const char *const rooted[] = {"deml", "lsml"};
    problem q = {.n = 5};
    double d[10], g[10], v[10], out[10];
    (void)unused;
    assert_ok(gersh_dataset_new(&q.data, 5, 1, x, 1, labels, NULL, NULL));
    assert_ok(gersh__pairs_new(&q.pairs, q.data, NULL, 0, NULL, NULL, NULL));
    /* In the order of classes: rows 0, 3, 1, 2, 4. */
    size_t equal = gersh__pair(2, 0), other = gersh__pair(3, 0);
    for (int which = 0; which < 2; which++) {
        gersh__objective *f = objective_of(rooted[which], &q);
        gersh__pairs_euclidean(q.pairs, d);
        assert_true(d[equal] == 0 && d[other] == 1);
        d[other] = 0;
        for (size_t p = 0; p < 10; p++)
            v[p] = 1;
        f->kind->evaluate(f, d, g);
        f->kind->curvature(f, d, v, out);
        assert_true(g[equal] == 0 && out[equal] == 0);
        assert_true(g[other] < -1e6 && out[other] > 1e6);
        all_finite(10, g);
        all_finite(10, out);
        gersh__objective_free(f);
    }
    drop(&q);
}

/* Rounding may leave a distance a little below 0. */
static void distances_below_0_count_as_0(void **unused)
{
    gersh__random random;
    (void)unused;
    gersh__random_seed(&random, 24);
    problem q = make(&random, (wish){.n = 8, .k = 3, .classes = 2});
    double *d = random_distances(&random, &q, 1), *e = malloc(gersh__pairs_count(q.pairs) * sizeof *e);
    memcpy(e, d, gersh__pairs_count(q.pairs) * sizeof *e);
    for (size_t p = 0; p < gersh__pairs_count(q.pairs); p += 3) {
        d[p] = -1e-17;
        e[p] = 0;
    }
    const char *name;
    for (size_t which = 0; (name = objective_name(which, learns_classes)) != NULL; which++) {
        gersh__objective *f = objective_of(name, &q);
        double *g = malloc(gersh__pairs_count(q.pairs) * sizeof *g), right = oracle(name, &q, e, 1e-200);
        assert_close(f->kind->evaluate(f, d, g), right, 1e-12 * fabs(right));
        all_finite(gersh__pairs_count(q.pairs), g);
        gersh__objective_free(f);
        free(g);
    }
    free(d);
    free(e);
    drop(&q);
}

/* Two samples, and classes that are all of one sample, or all samples of one class. */
static void the_smallest_problems(void **unused)
{
    static const double x[] = {0, 1, 3};
    static const char *const sets[][3] = {{"a", "b", "c"}, {"a", "a", "a"}, {"a", "a", "b"}};
    (void)unused;
    for (size_t n = 2; n <= 3; n++) {
        for (int set = 0; set < 3; set++) {
            problem q = {.n = n};
            double d[3];
            assert_ok(gersh_dataset_new(&q.data, n, 1, x, 1, sets[set], NULL, NULL));
            assert_ok(gersh__pairs_new(&q.pairs, q.data, NULL, 0, NULL, NULL, NULL));
            gersh__pairs_euclidean(q.pairs, d);
            const char *name;
            for (size_t which = 0; (name = objective_name(which, learns_classes)) != NULL; which++)
                check_finite(name, &q, d);
            drop(&q);
        }
    }
}

/* lsml keeps its relative precision when the margins are small. */
static void lsml_near_its_minimum(void **unused)
{
    gersh__random random;
    (void)unused;
    gersh__random_seed(&random, 25);
    for (int round = 0; round < cases(50); round++) {
        problem q = make(&random, (wish){.n = 14, .k = 2, .classes = 2});
        gersh__objective *f = objective_of("lsml", &q);
        double *d = malloc(gersh__pairs_count(q.pairs) * sizeof *d);
        for (size_t p = 0; p < gersh__pairs_count(q.pairs); p++)
            d[p] = pow(3 + 1e-5 * (double)gersh__random_below(&random, 1000) * 0x1p-10, 2);
        double right = oracle("lsml", &q, d, 0);
        assert_true(right < 1e-5);
        assert_close(f->kind->evaluate(f, d, NULL), right, 1e-8 * right);
        gersh__objective_free(f);
        free(d);
        drop(&q);
    }
}

/* F is above the true value, the less so the smaller the width. */
static void lmnn_is_smooth_near_its_kinks(void **unused)
{
    gersh__random random;
    (void)unused;
    gersh__random_seed(&random, 26);
    problem q = make(&random, (wish){.n = 40, .k = 3, .classes = 3});
    gersh__objective *f = objective_of("lmnn", &q);
    double *d = random_distances(&random, &q, 0.3), before = INFINITY,
           true_value = gersh__objective_value(f, d);
    for (double width = 4; width > 1e-12; width /= 4) {
        f->width = width;
        double smooth = f->kind->evaluate(f, d, NULL);
        assert_true(smooth >= true_value * (1 - 1e-13) && smooth <= before * (1 + 1e-13));
        assert_true(smooth <= true_value + 0.5 * 0.125 * width * 40 * 3 * 40 + 1e-9);
        before = smooth;
    }
    assert_close(before, true_value, 1e-8);
    gersh__objective_free(f);
    free(d);
    drop(&q);
}

/* Of targets equally far away those of earlier rows are taken. */
static void lmnn_ties(void **unused)
{
    static const double x[] = {0, 1, -1, 1, -1, 9};
    static const char *const labels[] = {"a", "a", "a", "a", "a", "b"};
    double d[15];
    (void)unused;
    problem q = {.n = 6};
    assert_ok(gersh_dataset_new(&q.data, 6, 1, x, 1, labels, NULL, NULL));
    assert_ok(gersh__pairs_new(&q.pairs, q.data, NULL, 0, NULL, NULL, NULL));
    for (size_t p = 0; p < 15; p++)
        d[p] = (double)(p + 1);
    gersh__objective *f = objective_of("lmnn", &q);
    double right = oracle("lmnn", &q, d, 1e-200);
    assert_close(gersh__objective_value(f, d), right, 1e-12 * right);
    gersh__objective_free(f);
    drop(&q);
}

/* glr of the data set in `context`, as a user would write it. */
static double user_glr(void *context, size_t pairs, const size_t *first, const size_t *second,
                       const double *distance, double *gradient)
{
    const int *labels = gersh_dataset_labels(context);
    double sum = 0;
    for (size_t p = 0; p < pairs; p++) {
        double term = labels[first[p]] != labels[second[p]] ? 4 * exp(-distance[p]) : 0;
        assert_true(distance[p] >= 0);
        sum += term;
        if (gradient != NULL)
            gradient[p] = -term;
    }
    return sum;
}

/* log Σ exp(−d), whose Hessian is not diagonal, and its product with v. */
static double user_soft(void *context, size_t pairs, const size_t *first, const size_t *second,
                        const double *distance, double *gradient)
{
    double sum = 0;
    (void)context;
    (void)first;
    (void)second;
    for (size_t p = 0; p < pairs; p++)
        sum += exp(-distance[p]);
    for (size_t p = 0; gradient != NULL && p < pairs; p++)
        gradient[p] = -exp(-distance[p]) / sum;
    return log(sum);
}

static void user_soft_curvature(void *context, size_t pairs, const double *distance, const double *v,
                                double *out)
{
    double sum = 0, mean = 0;
    (void)context;
    for (size_t p = 0; p < pairs; p++)
        sum += exp(-distance[p]);
    for (size_t p = 0; p < pairs; p++)
        mean += exp(-distance[p]) / sum * v[p];
    for (size_t p = 0; p < pairs; p++)
        out[p] = exp(-distance[p]) / sum * (v[p] - mean);
}

static void custom_objectives(void **unused)
{
    gersh__random random;
    (void)unused;
    gersh__random_seed(&random, 27);
    for (int round = 0; round < cases(100); round++) {
        problem q = make(&random, (wish){.n = 12, .k = 3, .classes = 3, .listed = round % 2 ? 30 : 0});
        size_t count = gersh__pairs_count(q.pairs);
        gersh__objective *f = objective_of("glr", &q), *e, *plain, *given;
        assert_ok(
            gersh__objective_new_custom(&e, &(gersh_custom_objective){q.data, user_glr, NULL}, q.pairs));
        assert_ok(
            gersh__objective_new_custom(&plain, &(gersh_custom_objective){NULL, user_soft, NULL}, q.pairs));
        assert_ok(gersh__objective_new_custom(
            &given, &(gersh_custom_objective){NULL, user_soft, user_soft_curvature}, q.pairs));
        double *d = random_distances(&random, &q, 0.3), *v = malloc(count * sizeof *v);
        double *g[4], *c[4], h[4][9], size[4];
        gersh__objective *all[] = {f, e, plain, given};
        for (size_t p = 0; p < count; p++)
            v[p] = gersh__random_normal(&random);
        d[0] = 0;
        for (int i = 0; i < 4; i++) {
            g[i] = malloc(count * sizeof *g[i]);
            c[i] = malloc(count * sizeof *c[i]);
            size[i] = all[i]->kind->evaluate(all[i], d, g[i]);
            all[i]->kind->curvature(all[i], d, v, c[i]);
            assert_ok(gersh__objective_hessian(all[i], d, 3, gersh__pairs_columns(q.pairs), h[i]));
            assert_close(gersh__objective_value(all[i], d), size[i], 1e-14 * fabs(size[i]));
        }
        for (int i = 0; i < 4; i += 2) {
            assert_close(size[i + 1], size[i], 1e-13 * fabs(size[i]));
            for (size_t p = 0; p < count; p++) {
                assert_close(g[i + 1][p], g[i][p], 1e-14);
                assert_close(c[i + 1][p], c[i][p], 1e-6);
            }
            for (int k = 0; k < 9; k++)
                assert_close(h[i + 1][k], h[i][k], 1e-6 * (fabs(h[i][0]) + fabs(h[i][4]) + fabs(h[i][8])));
        }
        for (int i = 0; i < 4; i++) {
            gersh__objective_free(all[i]);
            free(g[i]);
            free(c[i]);
        }
        free(d);
        free(v);
        drop(&q);
    }
}

static void a_custom_objective_needs_a_function(void **unused)
{
    gersh__random random;
    gersh__objective *f;
    (void)unused;
    gersh__random_seed(&random, 28);
    problem q = make(&random, (wish){.n = 4, .k = 1, .classes = 2});
    assert_int_equal(gersh__objective_new_custom(&f, &(gersh_custom_objective){0}, q.pairs),
                     GERSH_ERROR_ARGUMENT);
    assert_int_equal(gersh__objective_new_custom(&f, NULL, q.pairs), GERSH_ERROR_ARGUMENT);
    assert_null(f);
    drop(&q);
}

static void sorting(void **unused)
{
    gersh__random random;
    gersh__entry *a = malloc(3000 * sizeof *a), *b = malloc(3000 * sizeof *b);
    (void)unused;
    gersh__random_seed(&random, 29);
    for (int round = 0; round < cases(200); round++) {
        size_t count = (size_t)gersh__random_below(&random, round % 2 ? 3000 : 60), seen = 0;
        double spread = pow(10, -12 * gersh__random_uniform(&random));
        for (size_t i = 0; i < count; i++) {
            double x = 1 + spread * (double)gersh__random_below(&random, 500);
            a[i] = (gersh__entry){gersh__key(round % 3 == 0 ? x : x - 1), i};
        }
        gersh__entry *sorted = gersh__sort(a, b, count);
        for (size_t i = 0; i < count; i++) {
            seen += sorted[i].pair + 1;
            assert_true(gersh__key(gersh__key_value(sorted[i].key)) == sorted[i].key);
            if (i > 0)
                assert_true(gersh__key_value(sorted[i - 1].key) < gersh__key_value(sorted[i].key) ||
                            (sorted[i - 1].key == sorted[i].key && sorted[i - 1].pair < sorted[i].pair));
        }
        assert_int_equal(seen, count * (count + 1) / 2);
    }
    assert_true(gersh__key(-1e-20) == gersh__key(0) && gersh__key(-0.0) == 0);
    free(a);
    free(b);
}

static void allocation_failures(void **unused)
{
    gersh__random random;
    (void)unused;
    gersh__random_seed(&random, 30);
    problem q = make(&random, (wish){.n = 30, .k = 12, .classes = 2, .duplicates = 3});
    double *d = random_distances(&random, &q, 1), *g = malloc(gersh__pairs_count(q.pairs) * sizeof *g),
           h[144];
    gersh_custom_objective custom = {q.data, user_glr, NULL};
    size_t count = count_objectives(learns_classes);
    for (size_t which = 0; which <= count; which++) {
        const char *name = objective_name(which, learns_classes);
        gersh_status status;
        long failures = 0;
        do {
            gersh__objective *f;
            gersh__alloc_fail_at(++failures);
            if (name != NULL)
                status = gersh__objective_new(&f, gersh__objective_find(name), q.pairs);
            else
                status = gersh__objective_new_custom(&f, &custom, q.pairs);
            if (status == GERSH_OK) {
                f->kind->evaluate(f, d, g);
                status = gersh__objective_hessian(f, d, 12, gersh__pairs_columns(q.pairs), h);
            }
            gersh__alloc_fail_at(0);
            assert_true(status == GERSH_OK || status == GERSH_ERROR_MEMORY);
            gersh__objective_free(f);
        } while (status != GERSH_OK);
        assert_in_range(failures, 3, 12);
    }
    free(d);
    free(g);
    drop(&q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_names_are_none),
        cmocka_unit_test(data_without_classes_are_refused),
        cmocka_unit_test(listed_pairs_are_refused_where_all_are_needed),
        cmocka_unit_test(equal_samples_and_extreme_distances),
        cmocka_unit_test(derivatives_at_the_distance_0),
        cmocka_unit_test(distances_below_0_count_as_0),
        cmocka_unit_test(the_smallest_problems),
        cmocka_unit_test(lsml_near_its_minimum),
        cmocka_unit_test(lmnn_is_smooth_near_its_kinks),
        cmocka_unit_test(lmnn_ties),
        cmocka_unit_test(custom_objectives),
        cmocka_unit_test(a_custom_objective_needs_a_function),
        cmocka_unit_test(sorting),
        cmocka_unit_test(allocation_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
