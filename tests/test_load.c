/*
 * Load: ten thousand fits in one process leave no memory behind and give the same bits as the first time; fits of fifty
 * threads at once give the bits of one after the other, and every thread has its own message. With GERSH_TEST_LONG set
 * to a number of seconds, models are fitted, checked, packed and used on several threads for that long.
 */
#define _DEFAULT_SOURCE
#include "fits.h"

#include <malloc.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

enum { TABLES = 4, THREADS = 50, WORKERS = 4 };

/* Every objective with every solver, on each table. */
static size_t count_kinds(void)
{
    return TABLES * count_objectives(learns_classes) * count_solvers(any_solver);
}

/* Sanitizers keep freed memory back, so that only what is in use can be compared there. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

typedef struct footprint {
    double used, resident; /* bytes: what is allocated, and what the process holds */
} footprint;

static footprint measure(void)
{
    footprint f = {0};
    unsigned long all = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
    struct mallinfo2 info = mallinfo2();
    f.used = (double)info.uordblks + (double)info.hblkhd;
#endif
    if (file != NULL && fscanf(file, "%lu %lu", &all, &resident) == 2)
        f.resident = (double)resident * (double)sysconf(_SC_PAGESIZE);
    if (file != NULL)
        fclose(file);
    return f;
}

static void check_flat(footprint before, footprint after, double used, double resident)
{
    print_message("memory in use: %.0f, then %.0f bytes; resident: %.1f, then %.1f MB\n", before.used,
                  after.used, before.resident / 1e6, after.resident / 1e6);
    assert_true(after.used <= before.used + used);
    assert_true(SANITIZED || after.resident <= before.resident + resident);
}

/* What a fit gave, as bits. */
typedef struct outcome {
    gersh_status status;
    double value, bound;
    int iterations;
    double m[FITS_FEATURES * FITS_FEATURES];
} outcome;

typedef struct load {
    gersh_dataset *data[TABLES];
    size_t kinds;
    outcome *expected; /* of each kind */
} load;

/* One of the kinds of fits, on data that all threads share. Without assertions, for any thread. */
static outcome run(const load *l, size_t kind, const char *threads)
{
    outcome o = {0};
    gersh_settings *settings = NULL;
    gersh_metric *metric = NULL;
    gersh_fit_info info = {0};
    size_t objectives = count_objectives(learns_classes), solvers = count_solvers(any_solver);
    const gersh_solver_info *solver = fits_solver(kind / objectives % solvers);
    o.status = gersh_settings_new(&settings);
    if (o.status == GERSH_OK)
        o.status = gersh_settings_set(settings, "objective", fits_objective(kind % objectives));
    if (o.status == GERSH_OK)
        o.status = gersh_settings_set(settings, "solver", solver->name);
    if (o.status == GERSH_OK)
        o.status = gersh_settings_set(settings, "max-iter", solver->bound != GERSH_BOUND_NONE ? "20" : "2");
    if (o.status == GERSH_OK)
        o.status = gersh_settings_set(settings, "threads", threads);
    if (o.status == GERSH_OK)
        o.status = gersh_fit(&metric, &info, l->data[kind / objectives / solvers % TABLES], settings, NULL);
    if (o.status == GERSH_OK)
        fits_matrix(metric, o.m);
    o.value = info.objective_value;
    o.bound = info.bound;
    o.iterations = info.iterations;
    gersh_metric_free(metric);
    gersh_settings_free(settings);
    return o;
}

/* Bit by bit; there is no padding to be told apart. */
static int is_same(const outcome *a, const outcome *b)
{
    return a->status == b->status && memcmp(&a->value, &b->value, sizeof a->value) == 0 &&
           memcmp(&a->bound, &b->bound, sizeof a->bound) == 0 && a->iterations == b->iterations &&
           memcmp(a->m, b->m, sizeof a->m) == 0;
}

static void begin(load *l)
{
    gersh__random random;
    gersh__random_seed(&random, 71);
    l->kinds = count_kinds();
    l->expected = calloc(l->kinds, sizeof *l->expected);
    assert_non_null(l->expected);
    for (size_t t = 0; t < TABLES; t++) {
        table rows = table_random(&random, 6 + 2 * t, 2 + t, 2 + t % 2);
        l->data[t] = table_data(&rows, NULL);
    }
}

static void end(load *l)
{
    for (size_t t = 0; t < TABLES; t++)
        gersh_dataset_free(l->data[t]);
    free(l->expected);
    free(l);
}

static void ten_thousand_fits(void **unused)
{
    (void)unused;
    load *l = calloc(1, sizeof *l);
    footprint before = {0};
    begin(l);
    size_t fits = (size_t)cases(10000), warm = l->kinds < fits / 2 ? fits / 10 : 0;
    for (size_t i = 0; i < fits; i++) {
        size_t kind = i % l->kinds, round = i / l->kinds;
        outcome o = run(l, kind, round % 4 == 3 ? "2" : "1");
        if (o.status != GERSH_OK)
            fail_msg("fit %zu: %s", i, gersh_last_error());
        if (round == 0)
            l->expected[kind] = o;
        else if (round % 4 != 3 && !is_same(&o, &l->expected[kind]))
            fail_msg("fit %zu: the value is %.17g, not %.17g as the first time", i, o.value,
                     l->expected[kind].value);
        if (i == warm)
            before = measure();
    }
    if (warm > 0) /* else every kind of fit was there once at most */
        check_flat(before, measure(), 65536, 4e6);
    print_message("%zu fits\n", fits);
    end(l);
}

typedef struct worker {
    const load *load;
    size_t number;
    int wrong; /* fits that gave other bits, or another thread's message */
    int fits;
} worker;

static void *fit_some(void *argument)
{
    worker *w = argument;
    gersh_settings *settings = NULL;
    char name[32], expected[100];
    snprintf(name, sizeof name, "setting-%zu", w->number);
    snprintf(expected, sizeof expected, "there is no setting '%s'", name);
    w->wrong += gersh_settings_new(&settings) != GERSH_OK;
    for (size_t i = 0; i < 4 + (size_t)cases(60); i++) {
        size_t kind = (w->number * 7 + i * 11) % w->load->kinds;
        w->wrong +=
            gersh_settings_set(settings, name, "1") == GERSH_OK; /* every thread fails in its own way */
        outcome o = run(w->load, kind, "1");
        w->wrong += !is_same(&o, &w->load->expected[kind]);
        w->wrong += strncmp(gersh_last_error(), expected, strlen(expected)) != 0;
        w->fits++;
    }
    gersh_settings_free(settings);
    return NULL;
}

static void fifty_threads(void **unused)
{
    (void)unused;
    load *l = calloc(1, sizeof *l);
    pthread_t thread[THREADS];
    worker w[THREADS];
    int fits = 0;
    begin(l);
    for (size_t kind = 0; kind < l->kinds; kind++)
        l->expected[kind] = run(l, kind, "1");
    for (size_t t = 0; t < THREADS; t++) {
        w[t] = (worker){l, t, 0, 0};
        assert_int_equal(pthread_create(&thread[t], NULL, fit_some, &w[t]), 0);
    }
    for (size_t t = 0; t < THREADS; t++) {
        assert_int_equal(pthread_join(thread[t], NULL), 0);
        if (w[t].wrong > 0)
            fail_msg("thread %zu: %d of %d fits differ from those of one thread", t, w[t].wrong, w[t].fits);
        fits += w[t].fits;
    }
    print_message("%d fits on %d threads\n", fits, THREADS);
    end(l);
}

/* A model from random rows through all that is done with models; 0 where something is wrong. */
static int one_life(gersh__random *random)
{
    size_t k = 1 + (size_t)gersh__random_below(random, 6);
    table t = table_random(random, 8 + (size_t)gersh__random_below(random, 20), k, 2);
    const char *labels[FITS_ROWS];
    const gersh_solver_info *solver =
        fits_solver((size_t)gersh__random_below(random, count_solvers(any_solver)));
    const char *objective =
        fits_objective((size_t)gersh__random_below(random, count_objectives(learns_classes)));
    gersh_dataset *data = NULL;
    gersh_settings *settings = NULL;
    gersh_model *model = NULL, *back = NULL;
    gersh_prediction *prediction = NULL;
    gersh_transform *transform = NULL;
    gersh_verification report = {0};
    char *bytes = NULL;
    size_t size = 0;
    for (size_t i = 0; i < t.n; i++)
        labels[i] = t.class[i] ? "yes" : "no";
    int right =
        gersh_dataset_new(&data, t.n, k, t.x, k, labels, NULL, NULL) == GERSH_OK &&
        gersh_settings_new(&settings) == GERSH_OK &&
        gersh_settings_set(settings, "solver", solver->name) == GERSH_OK &&
        gersh_settings_set(settings, "max-iter", fits_iterations(solver)) == GERSH_OK &&
        gersh_settings_set(settings, "threads", gersh__random_below(random, 2) ? "2" : "1") == GERSH_OK &&
        gersh_settings_set(settings, "objective", objective) == GERSH_OK &&
        gersh_model_fit(&model, NULL, data, settings, NULL) == GERSH_OK &&
        gersh_model_verify(&report, model, NULL) == GERSH_OK &&
        report.verdict == GERSH_VERIFICATION_VERIFIED &&
        gersh_model_pack(&bytes, &size, model, 1) == GERSH_OK &&
        gersh_model_unpack(&back, bytes, size) == GERSH_OK &&
        gersh_predict(&prediction, back, data, settings, NULL) == GERSH_OK && prediction->accuracy > 0 &&
        gersh_transform_new(&transform, gersh_model_metric(back), 0, 1, NULL) == GERSH_OK &&
        gersh_transform_columns(transform) <= k;
    gersh_transform_free(transform);
    gersh_prediction_free(prediction);
    free(bytes);
    gersh_model_free(back);
    gersh_model_free(model);
    gersh_settings_free(settings);
    gersh_dataset_free(data);
    return right;
}

static void *live(void *argument)
{
    worker *w = argument;
    gersh__random random;
    gersh__random_seed(&random, 1000 + w->number);
    for (int i = 0; i < 100; i++) {
        w->wrong += !one_life(&random);
        w->fits++;
    }
    return NULL;
}

/* Rounds of threads that begin and end, so that nothing is in use between two of them. */
static void soak(void **unused)
{
    (void)unused;
    const char *asked = getenv("GERSH_TEST_LONG");
    double seconds = asked != NULL ? strtod(asked, NULL) : 0;
    struct timespec start, now;
    footprint before = {0};
    size_t lives = 0, round = 0;
    if (!(seconds > 0))
        skip();
    clock_gettime(CLOCK_MONOTONIC, &start);
    do {
        pthread_t thread[WORKERS];
        worker w[WORKERS];
        for (size_t t = 0; t < WORKERS; t++) {
            w[t] = (worker){NULL, round * WORKERS + t, 0, 0};
            assert_int_equal(pthread_create(&thread[t], NULL, live, &w[t]), 0);
        }
        for (size_t t = 0; t < WORKERS; t++) {
            assert_int_equal(pthread_join(thread[t], NULL), 0);
            assert_int_equal(w[t].wrong, 0);
            lives += (size_t)w[t].fits;
        }
        if (++round == 5)
            before = measure();
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((double)(now.tv_sec - start.tv_sec) < seconds || round < 6);
    check_flat(before, measure(), 262144, 16e6);
    print_message("%zu models in %.0f s\n", lives, (double)(now.tv_sec - start.tv_sec));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_thousand_fits),
        cmocka_unit_test(fifty_threads),
        cmocka_unit_test(soak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
