/*
 * Sparse data against the same data written out: reading, scaling, distances, gradients, and fits; and models that
 * hold sparse rows.
 */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "base/alloc.h"
#include "gersh/compare.h"
#include "gersh/evaluate.h"
#include "gersh/fit.h"
#include "gersh/model.h"
#include "gersh/predict.h"
#include "gersh/report.h"
#include "gersh/transform.h"
#include "gersh/tune.h"
#include "pairs.h"
#include "pairs/gradient.h"
#include "region/region.h"
#include "registry.h"
#include "scalings.h"
#include "sparse.h"

static const char *const scales[] = {"none", "zscore", "paper"};

static void assert_near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.17g and %.17g differ by more than %g", a, b, tolerance);
}

/* Scales both; returns the largest mean in units of its scale, by which sparse values lose digits. */
static double scale(twins *t, const char *how)
{
    gersh_scaling *dense, *sparse;
    double largest = 1;
    assert_ok(gersh_scaling_fit(&dense, t->dense, how));
    assert_ok(gersh_scaling_fit(&sparse, t->sparse, how));
    for (size_t f = 0; f < t->k; f++) {
        assert_near(means_of(sparse)[f], means_of(dense)[f], 1e-13 * (1 + fabs(means_of(dense)[f])));
        assert_near(scales_of(sparse)[f], scales_of(dense)[f], 1e-12 * scales_of(dense)[f]);
        largest = fmax(largest, fabs(means_of(dense)[f]) / scales_of(dense)[f]);
    }
    assert_ok(gersh_scaling_apply(dense, t->dense));
    assert_ok(gersh_scaling_apply(sparse, t->sparse));
    assert_null(t->sparse->x);
    gersh_scaling_free(dense);
    gersh_scaling_free(sparse);
    return largest;
}

static void check_values(const twins *t, double tolerance)
{
    gersh_dataset *copy;
    assert_ok(gersh_dataset_copy(&copy, t->sparse));
    assert_null(gersh_dataset_values(copy));
    assert_ok(gersh_dataset_densify(copy));
    const double *x = gersh_dataset_values(copy), *y = gersh_dataset_values(t->dense);
    for (size_t e = 0; e < t->n * t->k; e++)
        assert_near(x[e], y[e], tolerance);
    assert_ok(gersh_dataset_densify(copy)); /* is dense already */
    assert_ptr_equal(gersh_dataset_values(copy), x);
    assert_null(gersh_dataset_values(t->sparse));
    gersh_dataset_free(copy);
}

static void scaling_is_that_of_dense_data(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 301);
    for (int c = 0; c < cases(200); c++) {
        twins t;
        twins_make(&t, &random, 2 + (size_t)gersh__random_below(&random, 20),
                   1 + (size_t)gersh__random_below(&random, 40), 0.05 + 0.4 * (c % 3), c % 2);
        check_values(&t, 0);
        double largest = scale(&t, scales[c % 3]);
        check_values(&t, 1e-13 * largest);
        if (c % 3 > 0) { /* once more: the data is scaled already */
            gersh_scaling *again;
            assert_ok(gersh_scaling_fit(&again, t.dense, "zscore"));
            assert_ok(gersh_scaling_apply(again, t.dense));
            assert_ok(gersh_scaling_apply(again, t.sparse));
            const double *x = gersh_dataset_values(t.sparse), *y = gersh_dataset_values(t.dense);
            for (size_t e = 0; e < t.n * t.k; e++)
                assert_near(x[e], y[e], 1e-9);
            gersh_scaling_free(again);
        }
        twins_free(&t);
    }
}

static void subsets_keep_their_rows(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 302);
    for (int c = 0; c < cases(60); c++) {
        twins t, part;
        size_t rows[30], count = 1 + (size_t)gersh__random_below(&random, 30);
        twins_make(&t, &random, 3 + (size_t)gersh__random_below(&random, 12), 30, 0.2, 0);
        scale(&t, scales[c % 3]);
        for (size_t i = 0; i < count; i++)
            rows[i] = (size_t)gersh__random_below(&random, t.n);
        part = (twins){.n = count, .k = t.k};
        assert_ok(gersh_dataset_subset(&part.dense, t.dense, rows, count));
        assert_ok(gersh_dataset_subset(&part.sparse, t.sparse, rows, count));
        check_values(&part, 1e-12);
        for (size_t i = 0; i < count; i++)
            assert_int_equal(gersh_dataset_labels(part.dense)[i], gersh_dataset_labels(part.sparse)[i]);
        twins_free(&part);
        twins_free(&t);
    }
}

/* The pairs of both, and a gradient with entries of either sign or of one. */
typedef struct gradients {
    gersh__pairs *pairs[2];
    gersh__gradient *gradient[2];
    double *g;
    double size; /* of G */
} gradients;

/* Σ_p |g_p| (x_if − x_jf)², from the dense values. */
static double bound_of(const gradients *s, size_t f)
{
    const gersh__pairs *pairs = s->pairs[0];
    const double *x = gersh__pairs_columns(pairs) + f * gersh__pairs_samples(pairs);
    double sum = 0;
    for (size_t p = 0; p < gersh__pairs_count(pairs); p++) {
        double difference = x[pair_first(pairs, p)] - x[pair_second(pairs, p)];
        sum += fabs(s->g[p]) * difference * difference;
    }
    return sum;
}

static void gradients_make(gradients *s, const twins *t, gersh__random *random, int listed, int one_sign)
{
    size_t first[40], second[40];
    for (size_t p = 0; p < 40; p++) {
        first[p] = (size_t)gersh__random_below(random, t->n);
        second[p] = (first[p] + 1 + (size_t)gersh__random_below(random, t->n - 1)) % t->n;
    }
    for (int w = 0; w < 2; w++) {
        assert_ok(gersh__pairs_new(&s->pairs[w], w ? t->sparse : t->dense, NULL, listed ? 40 : 0,
                                   listed ? first : NULL, listed ? second : NULL, NULL));
        assert_ok(gersh__gradient_new(&s->gradient[w], s->pairs[w], 0));
    }
    assert_true(gersh__pairs_columns(s->pairs[0]) != NULL && gersh__pairs_columns(s->pairs[1]) == NULL);
    s->g = calloc(gersh__pairs_count(s->pairs[0]), sizeof *s->g);
    for (size_t p = 0; p < gersh__pairs_count(s->pairs[0]); p++)
        s->g[p] = one_sign ? -gersh__random_uniform(random) : gersh__random_normal(random);
    s->size = 0;
    for (int w = 0; w < 2; w++)
        gersh__gradient_update(s->gradient[w], s->g);
    for (size_t f = 0; f < t->k; f++)
        s->size = fmax(s->size, bound_of(s, f));
}

static void gradients_free(gradients *s)
{
    for (int w = 0; w < 2; w++) {
        gersh__gradient_free(s->gradient[w]);
        gersh__pairs_free(s->pairs[w]);
    }
    free(s->g);
}

static void distances_and_gradients_agree(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 303);
    for (int c = 0; c < cases(120); c++) {
        twins t;
        gradients s;
        twins_make(&t, &random, 3 + (size_t)gersh__random_below(&random, 30),
                   1 + (size_t)gersh__random_below(&random, 50), 0.25, 0);
        scale(&t, scales[c % 3]);
        gradients_make(&s, &t, &random, c % 4 == 3, c % 2);
        size_t count = gersh__pairs_count(s.pairs[0]);
        double *d[2] = {calloc(count, sizeof(double)), calloc(count, sizeof(double))}, largest = 0;
        for (int w = 0; w < 2; w++)
            gersh__pairs_euclidean(s.pairs[w], d[w]);
        for (size_t p = 0; p < count; p++)
            largest = fmax(largest, d[0][p]);
        for (size_t p = 0; p < count; p++)
            assert_near(d[1][p], d[0][p], 1e-12 * largest);
        const double *diagonal = gersh__gradient_diagonal(s.gradient[1]), *bound;
        double unit = gersh__gradient_unit(s.gradient[1]);
        assert_ok(gersh__gradient_bounds(s.gradient[1], &bound));
        for (size_t i = 0; i < t.k; i++) {
            assert_near(unit * diagonal[i], gersh__gradient_entry(s.gradient[0], i, i), 1e-11 * s.size);
            assert_near(unit * bound[i], bound_of(&s, i), 1e-11 * s.size);
            for (size_t j = 0; j < t.k; j++)
                assert_near(gersh__gradient_entry(s.gradient[1], i, j),
                            gersh__gradient_entry(s.gradient[0], i, j), 1e-11 * s.size);
        }
        free(d[0]);
        free(d[1]);
        gradients_free(&s);
        twins_free(&t);
    }
}

/* More features than the first working set has, so that sparse columns are screened. */
static void regions_have_the_same_minimum(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 304);
    for (int c = 0; c < cases(9); c++) {
        twins t;
        gradients s;
        twins_make(&t, &random, 4 + (size_t)gersh__random_below(&random, 20),
                   600 + (size_t)gersh__random_below(&random, 500), 0.1, 0);
        scale(&t, scales[c % 3]);
        gradients_make(&s, &t, &random, 0, c % 2);
        double *color = calloc(t.k, sizeof *color), *u = calloc(t.k, sizeof *u);
        for (size_t f = 0; f < t.k; f++) {
            color[f] = gersh__random_below(&random, 2) == 0 ? -1 : 1;
            u[f] = exp(0.3 * gersh__random_normal(&random));
        }
        for (size_t r = 0; gersh__region_at(r) != NULL; r++) {
            static gersh__lmo_answer answer[2];
            if (gersh__region_at(r)->dense) /* needs dense samples */
                continue;
            for (int w = 0; w < 2; w++) {
                gersh__region *region;
                assert_ok(gersh__region_new(&region, gersh__region_at(r), s.pairs[w],
                                            &(gersh__region_params){.color = color, .u = u}));
                assert_ok(gersh__region_minimize(region, s.gradient[w],
                                                 &(gersh__lmo_request){.threshold = -INFINITY, .want = 8},
                                                 &answer[w]));
                assert_near(answer[w].candidate[0].value, answer[w].least, 1e-10 * s.size);
                gersh__region_free(region);
            }
            assert_near(answer[0].least, answer[1].least, 1e-10 * s.size);
        }
        free(color);
        free(u);
        gradients_free(&s);
        twins_free(&t);
    }
}

static gersh_settings *settings_of(const char *solver, const char *objective, const char *how)
{
    gersh_settings *settings;
    assert_ok(gersh_settings_new(&settings));
    assert_ok(gersh_settings_set(settings, "solver", solver));
    assert_ok(gersh_settings_set(settings, "objective", objective));
    assert_ok(gersh_settings_set(settings, "scale", how));
    assert_ok(gersh_settings_set(settings, "tol", "1e-4"));
    assert_ok(gersh_settings_set(settings, "max-iter", "60"));
    assert_ok(gersh_settings_set(settings, "threads", "1"));
    return settings;
}

/* All but hbnb, whose searches of so many features take long. */
static int is_tried(const gersh__solver *solver)
{
    return learns(solver) && strcmp(solver->info.name, "hbnb") != 0;
}

/*
 * Every solver and objective. Values and bounds of the convex problems agree; those of the others depend on the last
 * bits of the data. All models are what they say by the verifier's own account, which has the values written out.
 */
static void fits_agree(void **unused)
{
    (void)unused;
    size_t solvers = count_solvers(is_tried), objectives = count_objectives(learns_classes);
    gersh__random random;
    gersh__random_seed(&random, 305);
    for (size_t c = 0; c < (size_t)cases((int)(3 * solvers * objectives)); c++) {
        const char *solver = solver_name(c % solvers, is_tried),
                   *objective = objective_name(c / solvers % objectives, learns_classes);
        int convex = solver_is(solver, is_convex);
        twins t;
        gersh_model *model[2];
        gersh_fit_info info[2];
        gersh_verification verified;
        gersh_settings *settings = settings_of(solver, objective, scales[c / solvers / objectives]);
        twins_make(&t, &random, 12, 30, 0.3, 0);
        for (int w = 0; w < 2; w++)
            assert_ok(gersh_model_fit(&model[w], &info[w], w ? t.sparse : t.dense, settings, NULL));
        assert_null(t.sparse->x);
        assert_null(gersh_model_data(model[1])->x);
        double size = fmax(fabs(info[0].objective_value), 1e-3);
        int converged = info[0].stop == GERSH_STOP_CONVERGED && info[1].stop == GERSH_STOP_CONVERGED;
        if (converged && convex)
            assert_near(info[1].objective_value, info[0].objective_value, 1e-3 * size);
        if (converged && solver_is(solver, is_certified))
            assert_near(info[1].bound, info[0].bound, 1e-3 * size);
        assert_ok(gersh_model_verify(&verified, model[1], NULL));
        assert_int_equal(verified.verdict, GERSH_VERIFICATION_VERIFIED);
        for (int w = 0; w < 2; w++)
            gersh_model_free(model[w]);
        gersh_settings_free(settings);
        twins_free(&t);
    }
}

static gersh_metric *learn(gersh_fit_info *info, const gersh_dataset *data, const char *solver)
{
    gersh_metric *metric = NULL;
    gersh_settings *settings = settings_of(solver, "glr", "none");
    assert_ok(gersh_fit(&metric, info, data, settings, NULL));
    gersh_settings_free(settings);
    return metric;
}

static int is_sparse(const gersh__solver *solver)
{
    return is_certified(solver) && !solver->info.dense;
}

/* To ask for values is no change: a fit afterwards is that of before, bit for bit. */
static void asking_for_values_changes_nothing(void **unused)
{
    (void)unused;
    const char *solver;
    gersh__random random;
    gersh__random_seed(&random, 311);
    for (size_t c = 0; (solver = solver_name(c, is_sparse)) != NULL; c++) {
        twins t;
        gersh_fit_info before, after;
        twins_make(&t, &random, 60, 200, 0.1, 0);
        gersh_metric *first = learn(&before, t.sparse, solver);
        assert_null(gersh_dataset_values(t.sparse));
        gersh_metric *second = learn(&after, t.sparse, solver);
        assert_int_equal(first->atoms, second->atoms);
        assert_memory_equal(first->weight, second->weight, first->atoms * sizeof *first->weight);
        assert_memory_equal(first->atom, second->atom, first->atoms * sizeof *first->atom);
        assert_memory_equal(&before.objective_value, &after.objective_value, sizeof(double));
        assert_memory_equal(&before.bound, &after.bound, sizeof(double));
        gersh_metric_free(first);
        gersh_metric_free(second);
        twins_free(&t);
    }
}

/* What works on dense values leaves sparse data as it was. */
static void data_stays_sparse(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 312);
    twins t;
    gersh_model *model;
    gersh_pca *pca;
    gersh_dataset *moved;
    gersh_transform *transform;
    gersh_prediction *prediction;
    gersh_evaluation *evaluation;
    gersh_comparison *comparison;
    gersh_tuning *tuning;
    gersh_settings *settings = settings_of("diagonal", "glr", "zscore");
    twins_make(&t, &random, 24, 30, 0.3, 0);
    const gersh_evaluate_options splits = {.splits = 1};
    const gersh_compare_options diagonal = {.solvers = "diagonal"};
    assert_ok(gersh_model_fit(&model, NULL, t.sparse, settings, NULL));
    assert_ok(gersh_pca_fit(&pca, t.sparse, 2));
    assert_ok(gersh_pca_apply(&moved, pca, t.sparse));
    gersh_dataset_free(moved);
    assert_ok(gersh_transform_new(&transform, gersh_model_metric(model), 0, 1, NULL));
    assert_ok(gersh_transform_data(&moved, transform, t.sparse));
    assert_ok(gersh_predict(&prediction, model, t.sparse, NULL, NULL));
    assert_ok(gersh_evaluate(&evaluation, t.sparse, settings, &splits));
    assert_ok(gersh_compare(&comparison, t.sparse, settings, &diagonal));
    assert_ok(gersh_tune(&tuning, t.sparse, settings, NULL));
    assert_null(gersh_dataset_values(gersh_model_data(tuning->model)));
    if (gersh_model_report_check() == GERSH_OK) {
        char path[] = "/tmp/gersh-sparse-XXXXXX";
        const gersh_model_report_options shown = {.data = t.sparse};
        int file = mkstemp(path);
        assert_true(file >= 0);
        close(file);
        assert_ok(gersh_model_report(model, path, &shown));
        remove(path);
    }
    assert_null(gersh_dataset_values(t.sparse));
    assert_null(gersh_dataset_values(gersh_model_data(model)));
    gersh_pca_free(pca);
    gersh_dataset_free(moved);
    gersh_transform_free(transform);
    gersh_prediction_free(prediction);
    gersh_evaluation_free(evaluation);
    gersh_comparison_free(comparison);
    gersh_tuning_free(tuning);
    gersh_model_free(model);
    gersh_settings_free(settings);
    twins_free(&t);
}

/* A model of sparse rows comes back as it was, and needs no room for zeros. */
static void models_keep_sparse_rows(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 306);
    char path[] = "/tmp/gersh-sparse-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    twins t;
    gersh_model *model, *back;
    gersh_settings *settings = settings_of("balanced", "glr", "paper");
    twins_make(&t, &random, 20, 900, 0.02, 0);
    assert_ok(gersh_model_fit(&model, NULL, t.sparse, settings, NULL));
    assert_ok(gersh_model_write(model, path, 1));
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    assert_int_equal(fseek(stream, 0, SEEK_END), 0);
    long size = ftell(stream);
    fclose(stream);
    assert_true(size < 20 * 900 * 8);
    assert_ok(gersh_model_read(&back, path));
    gersh_dataset *rows = (gersh_dataset *)(uintptr_t)gersh_model_data(back);
    assert_null(gersh_dataset_values(rows));
    assert_ok(gersh_dataset_densify(rows));
    const double *x = gersh_dataset_values(rows), *y = gersh_dataset_values(t.dense);
    for (size_t e = 0; e < t.n * t.k; e++)
        assert_true(x[e] == y[e]);
    gersh_model_free(back);
    gersh_model_free(model);
    gersh_settings_free(settings);
    twins_free(&t);
    remove(path);
}

/* Each damaged list is written by the library itself from a damaged model. */
static void damaged_lists_are_refused(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 309);
    char path[] = "/tmp/gersh-sparse-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    gersh_settings *settings = settings_of("diagonal", "glr", "none");
    for (int which = 0; which < 6; which++) {
        twins t;
        gersh_model *model, *back;
        twins_make(&t, &random, 6, 20, 0.9, 0);
        assert_ok(gersh_model_fit(&model, NULL, t.sparse, settings, NULL));
        gersh__sparse *x = ((gersh_dataset *)(uintptr_t)gersh_model_data(model))->sparse;
        size_t last = x->start[6] - 1, kept = x->index[1];
        if (which == 1)
            x->index[1] = x->index[0];
        else if (which == 2)
            x->index[last] = 20;
        else if (which == 3)
            x->start[2] = x->start[3] + 1;
        else if (which == 4)
            x->value[3] = NAN;
        else if (which == 5)
            x->start[0] = 1;
        assert_ok(gersh_model_write(model, path, 1));
        gersh_status status = gersh_model_read(&back, path);
        assert_int_equal(status, which == 0 ? GERSH_OK : GERSH_ERROR_INPUT);
        gersh_model_free(status == GERSH_OK ? back : NULL);
        x->index[1] = kept;
        gersh_model_free(model);
        twins_free(&t);
    }
    gersh_settings_free(settings);
    remove(path);
}

/* LIBSVM files: sparse where there are many features and few entries, dense otherwise; the same values. */
static void files_are_read_sparse(void **unused)
{
    (void)unused;
    static const struct {
        size_t k;
        double share;
        int sparse;
    } kinds[] = {{600, 0.02, 1}, {600, 0.7, 0}, {100, 0.02, 0}};
    gersh__random random;
    gersh__random_seed(&random, 307);
    for (size_t c = 0; c < sizeof kinds / sizeof kinds[0]; c++) {
        twins t;
        gersh_dataset *data;
        gersh_settings *settings;
        char path[] = "/tmp/gersh-sparse-XXXXXX";
        int file = mkstemp(path);
        FILE *stream = fdopen(file, "w");
        assert_non_null(stream);
        twins_make(&t, &random, 9, kinds[c].k, kinds[c].share, 0);
        ((double *)gersh_dataset_values(t.dense))[t.k - 1] = 1.5; /* the last index is named */
        for (size_t i = 0; i < t.n; i++)
            ((double *)gersh_dataset_values(t.dense))[i * t.k + 4] = (double)(i % 4);
        for (size_t i = 0; i < t.n; i++) {
            fprintf(stream, "%d", gersh_dataset_labels(t.dense)[i]);
            for (size_t f = 0; f < t.k; f++)
                if (gersh_dataset_values(t.dense)[i * t.k + f] != 0)
                    fprintf(stream, " %zu:%.17g", f + 1, gersh_dataset_values(t.dense)[i * t.k + f]);
            fprintf(stream, "\n");
        }
        fclose(stream);
        assert_ok(gersh_dataset_read(&data, path, NULL));
        assert_int_equal(gersh_dataset_values(data) == NULL, kinds[c].sparse);
        assert_ok(gersh_dataset_densify(data));
        assert_int_equal(gersh_dataset_features(data), t.k);
        assert_int_equal(gersh_dataset_classes(data), 3);
        for (size_t e = 0; e < t.n * t.k; e++)
            assert_true(gersh_dataset_values(data)[e] == gersh_dataset_values(t.dense)[e]);
        gersh_dataset_free(data);
        assert_ok(gersh_settings_new(&settings)); /* columns may be left out, or be weights */
        assert_ok(gersh_settings_set(settings, "ignore", "1,3"));
        assert_ok(gersh_dataset_read(&data, path, settings));
        assert_ok(gersh_dataset_densify(data));
        assert_int_equal(gersh_dataset_features(data), t.k - 2);
        assert_string_equal(gersh_dataset_feature_name(data, 0), "x2");
        for (size_t i = 0; i < t.n; i++) {
            assert_true(gersh_dataset_values(data)[i * (t.k - 2)] ==
                        gersh_dataset_values(t.dense)[i * t.k + 1]);
            assert_true(gersh_dataset_values(data)[i * (t.k - 2) + 5] ==
                        gersh_dataset_values(t.dense)[i * t.k + 7]);
        }
        gersh_dataset_free(data);
        assert_ok(gersh_settings_set(settings, "ignore", ""));
        assert_ok(gersh_settings_set(settings, "weights", "5"));
        assert_ok(gersh_dataset_read(&data, path, settings));
        assert_int_equal(gersh_dataset_features(data), t.k - 1);
        for (size_t i = 0; i < t.n; i++)
            assert_true(gersh_dataset_weights(data)[i] == (double)(i % 4));
        gersh_settings_free(settings);
        gersh_dataset_free(data);
        twins_free(&t);
        remove(path);
    }
}

static void failing_allocations_leak_nothing(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 308);
    for (int c = 0; c < 3; c++) {
        twins t;
        gersh_settings *settings = settings_of(c == 2 ? "psd" : "hull", "glr", scales[c]);
        twins_make(&t, &random, 8, c == 0 ? 600 : 12, 0.2, 0);
        gersh_status status = GERSH_ERROR_MEMORY;
        /* Slow tools meet fewer of them. */
        long step = (c == 0 ? 37 : 1) * (getenv("GERSH_TEST_QUICK") != NULL ? 11 : 1);
        for (long n = 1; status != GERSH_OK; n += step) {
            gersh_model *model = NULL;
            gersh__alloc_fail_at(n);
            status = gersh_model_fit(&model, NULL, t.sparse, settings, NULL);
            gersh__alloc_fail_at(0);
            assert_true(status == GERSH_OK || status == GERSH_ERROR_MEMORY);
            gersh_model_free(model);
        }
        gersh_settings_free(settings);
        twins_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scaling_is_that_of_dense_data),
        cmocka_unit_test(subsets_keep_their_rows),
        cmocka_unit_test(distances_and_gradients_agree),
        cmocka_unit_test(regions_have_the_same_minimum),
        cmocka_unit_test(fits_agree),
        cmocka_unit_test(asking_for_values_changes_nothing),
        cmocka_unit_test(data_stays_sparse),
        cmocka_unit_test(models_keep_sparse_rows),
        cmocka_unit_test(damaged_lists_are_refused),
        cmocka_unit_test(files_are_read_sparse),
        cmocka_unit_test(failing_allocations_leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
