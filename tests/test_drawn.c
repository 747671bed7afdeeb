/*
 * Pairs drawn from many rows: estimates against sums over all pairs by plain loops, lmnn's mined triplets
 * against its definition, and fits within a budget of memory.
 */
#include "check.h"

#include <math.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/random.h"
#include "gersh/gersh.h"
#include "objective/objective.h"
#include "pairs.h"
#include "pairs/population.h"
#include "registry.h"
#include "samples.h"

enum { FEATURES = 4, TARGETS = 3 };

typedef struct problem {
    size_t n;
    double *x, *weight;
    int *class;
    gersh_dataset *data;
    gersh__population *population;
} problem;

/* Classes of falling sizes around centres that are so far from 0, and weights from 1 to 3, or 0 for a few rows. */
static problem make(uint64_t seed, size_t n, int weighted, int regress, double apart)
{
    static const char *const names[] = {"a", "b", "c"};
    gersh__random random;
    gersh__random_seed(&random, seed);
    problem q = {n,
                 malloc(n * FEATURES * sizeof(double)),
                 weighted ? malloc(n * sizeof(double)) : NULL,
                 malloc(n * sizeof(int)),
                 NULL,
                 NULL};
    const char **labels = malloc(n * sizeof *labels);
    double *targets = malloc(n * sizeof *targets);
    for (size_t i = 0; i < n; i++) {
        q.class[i] = i < 3 ? (int)i : (int)(gersh__random_below(&random, 6) % 5 % 3);
        labels[i] = names[q.class[i]];
        targets[i] = gersh__random_normal(&random);
        if (weighted)
            q.weight[i] = i % 9 == 8 ? 0 : (double)(1 + gersh__random_below(&random, 3));
        for (size_t f = 0; f < FEATURES; f++)
            q.x[i * FEATURES + f] = gersh__random_normal(&random) + (f == (size_t)q.class[i] ? apart : 0.0);
    }
    assert_ok(gersh_dataset_new(&q.data, n, FEATURES, q.x, FEATURES, regress ? NULL : labels,
                                regress ? targets : NULL, NULL));
    assert_ok(gersh__population_new(&q.population, q.data, q.weight));
    free(labels);
    free(targets);
    return q;
}

static void drop(problem *q)
{
    gersh__population_free(q->population);
    gersh_dataset_free(q->data);
    free(q->x);
    free(q->weight);
    free(q->class);
}

static double weight_of(const problem *q, size_t i)
{
    return q->weight != NULL ? q->weight[i] : 1;
}

/* Distance under diag(1, 1/2, 1/3, 1/4) times `scale`. */
static double distance(const problem *q, double scale, size_t i, size_t j)
{
    double sum = 0;
    for (size_t f = 0; f < FEATURES; f++) {
        double difference = q->x[i * FEATURES + f] - q->x[j * FEATURES + f];
        sum += scale * difference * difference / (double)(f + 1);
    }
    return sum;
}

/* The objective on sampled pairs at that metric. */
static double value_on(const problem *q, const gersh__pairs *pairs, const char *name, double scale)
{
    gersh__objective *objective;
    double *d = malloc(gersh__pairs_count(pairs) * sizeof *d);
    assert_ok(gersh__objective_new(&objective, gersh__objective_find(name), pairs));
    for (size_t p = 0; p < gersh__pairs_count(pairs); p++)
        d[p] = distance(q, scale, pair_row(pairs, p), pair_other_row(pairs, p));
    double value = gersh__objective_value(objective, d);
    gersh__objective_free(objective);
    free(d);
    return value;
}

/* glr and deml over all pairs, by definition. */
static double sum_all(const problem *q, const char *name, double scale)
{
    const double *z = gersh_dataset_targets(q->data);
    double sum = 0;
    for (size_t i = 0; i < q->n; i++)
        for (size_t j = 0; j < i; j++) {
            double w = weight_of(q, i) * weight_of(q, j), d = distance(q, scale, i, j);
            double apart = z != NULL ? (z[i] - z[j]) * (z[i] - z[j]) : 4.0 * (q->class[i] != q->class[j]);
            sum += strcmp(name, "glr") == 0 ? w * exp(-d) * apart : w * sqrt(d) * (apart > 0);
        }
    return sum;
}

/* lmnn over all triplets, by definition. */
static double sum_lmnn(const problem *q, double scale)
{
    double sum = 0;
    for (size_t i = 0; i < q->n; i++) {
        size_t target[TARGETS], found = 0;
        while (weight_of(q, i) > 0 && found < TARGETS) { /* the nearest that is not yet one */
            size_t best = q->n;
            double nearest = INFINITY;
            for (size_t j = 0; j < q->n; j++) {
                double square = 0;
                int taken = j == i || q->class[j] != q->class[i] || weight_of(q, j) == 0;
                for (size_t c = 0; c < found; c++)
                    taken = taken || target[c] == j;
                for (size_t f = 0; f < FEATURES; f++)
                    square += pow(q->x[i * FEATURES + f] - q->x[j * FEATURES + f], 2);
                if (!taken && square < nearest) {
                    nearest = square;
                    best = j;
                }
            }
            if (best == q->n)
                break;
            target[found++] = best;
        }
        for (size_t c = 0; c < found; c++) {
            double near = distance(q, scale, i, target[c]), w = weight_of(q, i) * weight_of(q, target[c]);
            sum += 0.5 * w * near;
            for (size_t l = 0; l < q->n; l++)
                if (q->class[l] != q->class[i])
                    sum += 0.5 * w * weight_of(q, l) * fmax(0, 1 + near - distance(q, scale, i, l));
        }
    }
    return sum;
}

static void assert_close(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance * fmax(fabs(a), fabs(b))))
        fail_msg("%.17g is not %.17g", a, b);
}

/* The mean of estimates is the value, to five of its standard errors. */
static void assert_unbiased(size_t count, const double *estimate, double value)
{
    double mean = 0, square = 0;
    for (size_t r = 0; r < count; r++)
        mean += estimate[r] / (double)count;
    for (size_t r = 0; r < count; r++)
        square += pow(estimate[r] - mean, 2);
    double error = sqrt(square / (double)(count - 1) / (double)count);
    assert_true(error > 0 && error < 0.2 * fabs(value)); /* else this says nothing */
    if (!(fabs(mean - value) <= 5 * error))
        fail_msg("the mean of %zu estimates is %g ± %g, but the value is %g", count, mean, error, value);
}

static void test_sampled_unbiased(void **state)
{
    enum { DRAWS = 2000 };
    static const struct {
        const char *name;
        int weighted, regress;
        gersh__wanted wanted;
    } cases[] = {
        {"glr", 0, 0, {0, 1}}, {"glr", 1, 0, {1, 1}}, {"deml", 1, 0, {0, 1}}, {"glr", 1, 1, {0, 1}}};
    double *estimate = malloc(DRAWS * sizeof *estimate);
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        problem q = make(c + 1, 60, cases[c].weighted, cases[c].regress, 2);
        gersh__random random;
        gersh__random_seed(&random, c);
        for (size_t r = 0; r < DRAWS; r++) {
            gersh__pairs *pairs;
            assert_ok(gersh__pairs_new_sampled(&pairs, q.population, cases[c].wanted, 300, &random, NULL));
            assert_true(gersh__pairs_count(pairs) > 50 && gersh__pairs_count(pairs) < 1000);
            estimate[r] = value_on(&q, pairs, cases[c].name, 1);
            gersh__pairs_free(pairs);
        }
        assert_unbiased(DRAWS, estimate, sum_all(&q, cases[c].name, 1));
        drop(&q);
    }
    free(estimate);
}

/* Learns from pairs that are sampled rather than mined. */
static int is_sampled(const gersh__objective_entry *entry)
{
    return learns_classes(entry) && (entry->classes->needs & GERSH__NEEDS_TRIPLETS) == 0;
}

/* As many pairs as there are: then every objective has its value of all pairs. */
static void test_sampled_all(void **state)
{
    const char *name;
    visits seen = {0};
    (void)state;
    for (int weighted = 0; weighted < 2; weighted++) {
        problem q = make(7, 50, weighted, 0, 2);
        gersh__pairs *all, *drawn;
        gersh__random random;
        gersh__random_seed(&random, 1);
        assert_ok(gersh__pairs_new(&all, q.data, q.weight, 0, NULL, NULL, NULL));
        assert_ok(
            gersh__pairs_new_sampled(&drawn, q.population, (gersh__wanted){1, 1}, 100000, &random, NULL));
        assert_int_equal(gersh__pairs_count(all), gersh__pairs_count(drawn));
        double *d = malloc(gersh__pairs_count(all) * sizeof *d);
        for (size_t i = 1, p = 0; i < gersh__pairs_samples(all); i++)
            for (size_t j = 0; j < i; j++)
                d[p++] = distance(&q, 1, gersh__pairs_row(all, i), gersh__pairs_row(all, j));
        for (size_t o = 0; (name = objective_name(o, is_sampled)) != NULL; o++) {
            gersh__objective *objective;
            visit(&seen, name);
            assert_ok(gersh__objective_new(&objective, gersh__objective_find(name), all));
            assert_close(gersh__objective_value(objective, d), value_on(&q, drawn, name, 1), 1e-12);
            gersh__objective_free(objective);
        }
        free(d);
        gersh__pairs_free(all);
        gersh__pairs_free(drawn);
        drop(&q);
    }
    assert_all_objectives(&seen, is_sampled);
}

static gersh_metric *metric_of(double scale)
{
    gersh_metric *metric;
    assert_ok(gersh_metric_new(&metric, FEATURES, 0, FEATURES, 0));
    for (size_t f = 0; f < FEATURES; f++) {
        metric->weight[f] = scale / (double)(f + 1);
        metric->atom[f] = (gersh_atom){f, f, 1, 0};
    }
    return metric;
}

static void test_mined_complete(void **state)
{
    (void)state;
    for (int weighted = 0; weighted < 2; weighted++) {
        problem q = make(3, 90, weighted, 0, 4);
        gersh_metric *metric = metric_of(1);
        gersh__pairs *pairs;
        gersh__random random;
        int complete;
        gersh__random_seed(&random, 1);
        assert_ok(gersh__population_set_metric(q.population, metric, NULL));
        assert_ok(gersh__pairs_new_mined(&pairs, &complete, q.population, 1000000, &random, NULL));
        assert_true(complete);
        assert_close(value_on(&q, pairs, "lmnn", 1), sum_lmnn(&q, 1), 1e-12);
        assert_close(value_on(&q, pairs, "lmnn", 0.2), sum_lmnn(&q, 0.2), 1e-12);
        gersh__pairs_free(pairs);
        /* Few impostors are enough where few are within the margin. */
        gersh_metric_free(metric);
        metric = metric_of(30);
        assert_ok(gersh__population_set_metric(q.population, metric, NULL));
        assert_ok(gersh__pairs_new_mined(&pairs, &complete, q.population, 90 * 60, &random, NULL));
        assert_true(complete && gersh__pairs_count(pairs) < 90 * 89);
        assert_close(value_on(&q, pairs, "lmnn", 30), sum_lmnn(&q, 30), 1e-12);
        gersh__pairs_free(pairs);
        gersh_metric_free(metric);
        drop(&q);
    }
}

static void test_mined_unbiased(void **state)
{
    enum { DRAWS = 1500 };
    double *here = malloc(DRAWS * sizeof *here), *there = malloc(DRAWS * sizeof *there);
    problem q = make(5, 120, 1, 0, 2);
    gersh_metric *metric = metric_of(0.5);
    gersh__random random;
    (void)state;
    gersh__random_seed(&random, 2);
    assert_ok(gersh__population_set_metric(q.population, metric, NULL));
    for (size_t r = 0; r < DRAWS; r++) {
        gersh__pairs *pairs;
        int complete;
        assert_ok(gersh__pairs_new_mined(&pairs, &complete, q.population, 35 * 12, &random, NULL));
        assert_false(complete);
        here[r] = value_on(&q, pairs, "lmnn", 0.5);
        there[r] = value_on(&q, pairs, "lmnn", 0.1);
        gersh__pairs_free(pairs);
    }
    assert_unbiased(DRAWS, here, sum_lmnn(&q, 0.5));
    assert_unbiased(DRAWS, there, sum_lmnn(&q, 0.1));
    gersh_metric_free(metric);
    free(here);
    free(there);
    drop(&q);
}

static gersh_status fit(gersh_metric **metric, gersh_fit_info *info, const problem *q,
                        const char *const *settings)
{
    gersh_settings *s;
    assert_ok(gersh_settings_new(&s));
    for (; *settings != NULL; settings += 2)
        assert_ok(gersh_settings_set(s, settings[0], settings[1]));
    gersh_status status = gersh_fit(metric, info, q->data, s, NULL);
    gersh_settings_free(s);
    return status;
}

/* The mined fit of lmnn has the true value, and reaches that of all pairs. */
static void test_fit_mined(void **state)
{
    problem q = make(11, 300, 0, 0, 5);
    gersh_metric *mined, *full;
    gersh_fit_info few, all;
    (void)state;
    assert_ok(fit(&mined, &few, &q,
                  (const char *const[]){"objective", "lmnn", "solver", "hull", "trace", "40", "tol", "1e-2",
                                        "memory", "0.056", NULL}));
    assert_ok(fit(
        &full, &all, &q,
        (const char *const[]){"objective", "lmnn", "solver", "hull", "trace", "40", "tol", "1e-2", NULL}));
    assert_int_equal(few.choice, GERSH_CHOICE_MINED);
    assert_int_equal(all.choice, GERSH_CHOICE_ALL);
    assert_true(few.value_error == 0 && few.pairs < all.pairs && few.pairs_all == all.pairs);
    assert_true(few.has_bound && few.bound <= all.objective_value && all.bound <= few.objective_value);
    assert_close(few.objective_value, all.objective_value, 0.03);
    gersh_metric_free(mined);
    gersh_metric_free(full);
    drop(&q);
}

static int same_metric(const gersh_metric *a, const gersh_metric *b)
{
    return a->atoms == b->atoms && memcmp(a->weight, b->weight, a->atoms * sizeof *a->weight) == 0 &&
           memcmp(a->atom, b->atom, a->atoms * sizeof *a->atom) == 0;
}

/* Drawn fits: near the fit to all pairs, the same for every number of threads, another for another seed. */
static void test_fit_sampled(void **state)
{
    const char *objective;
    problem q = make(13, 1500, 0, 0, 2);
    (void)state;
    for (size_t o = 0; (objective = objective_name(o, is_sampled)) != NULL; o += cases(2) == 2 ? 1 : 3) {
        gersh_metric *metric[4];
        gersh_fit_info info[4];
        static const char *const seed[] = {"0", "0", "5", "0"}, *const threads[] = {"1", "3", "1", "1"};
        for (int r = 0; r < 4; r++)
            assert_ok(fit(&metric[r], &info[r], &q,
                          (const char *const[]){"objective", objective, "trace", "3", "threads", threads[r],
                                                "seed", seed[r], "memory", r < 3 ? "0.09" : "auto", NULL}));
        assert_int_equal(info[0].choice, GERSH_CHOICE_SAMPLED);
        assert_int_equal(info[3].choice, GERSH_CHOICE_ALL);
        assert_true(info[0].memory <= 0.09e9 && info[0].value_error > 0);
        assert_true(same_metric(metric[0], metric[1]));
        assert_true(info[0].objective_value != info[2].objective_value);
        assert_true(info[0].objective_value == info[1].objective_value && info[0].bound == info[1].bound);
        assert_close(info[0].objective_value, info[3].objective_value, 0.1);
        for (int r = 0; r < 4; r++)
            gersh_metric_free(metric[r]);
    }
    drop(&q);
}

/* Of many rows some are kept: about as many as asked for, of every class its share, each once and in order. */
static void test_limited(void **state)
{
    problem q = make(15, 2000, 1, 0, 3);
    gersh__population *all, *some;
    gersh__random random;
    (void)state;
    gersh__random_seed(&random, 1);
    assert_ok(gersh__population_new(&all, q.data, q.weight));
    assert_ok(gersh__population_new(&some, q.data, q.weight));
    gersh__population_limit(some, all->n, &random);
    assert_true(!some->limited && some->n == all->n);
    gersh__population_limit(some, 300, &random);
    assert_true(some->limited && some->n >= 298 && some->n <= 302);
    for (size_t c = 0; c < all->classes; c++) {
        size_t begin = some->class_start[c], end = some->class_start[c + 1];
        double share = (double)(end - begin) / (double)(all->class_start[c + 1] - all->class_start[c]);
        assert_close(share, 300.0 / (double)all->n, 0.05);
        for (size_t i = begin; i < end; i++) {
            assert_int_equal(q.class[some->row[i]], c);
            assert_true(weight_of(&q, some->row[i]) > 0 && (i == begin || some->row[i] > some->row[i - 1]));
        }
    }
    assert_close(some->similar + some->dissimilar, (double)(some->n * (some->n - 1) / 2), 1e-12);
    assert_close(some->mean_square, all->mean_square, 0.2);
    gersh__population_free(all);
    gersh__population_free(some);
    drop(&q);
}

/* lmnn is learned from some of many rows, and says so. */
static void test_fit_limited(void **state)
{
    gersh_metric *metric;
    gersh_fit_info info;
    double most = GERSH__MINED_ROWS;
    (void)state;
    if (getenv("GERSH_TEST_QUICK") != NULL) /* too long for slow tools */
        skip();
    problem q = make(16, GERSH__MINED_ROWS + 1000, 0, 0, 2);
    assert_ok(fit(&metric, &info, &q, (const char *const[]){"objective", "lmnn", "tol", "0.05", NULL}));
    assert_int_equal(info.choice, GERSH_CHOICE_MINED);
    assert_true(info.value_error > 0 && info.rows_used <= most + 2);
    assert_close(info.pairs_all, most * (most - 1) / 2, 1e-3);
    gersh_metric_free(metric);
    drop(&q);
}

/* The traces that sampled pairs give are about that of all pairs. */
static void test_sampled_trace(void **state)
{
    static const char *const seed[] = {"0", "1", "2", "3"};
    problem q = make(14, 1500, 0, 0, 2);
    gersh_metric *metric;
    gersh_fit_info all, drawn;
    (void)state;
    assert_ok(fit(&metric, &all, &q, (const char *const[]){NULL}));
    gersh_metric_free(metric);
    assert_int_equal(all.choice, GERSH_CHOICE_ALL);
    for (int r = 0; r < 4; r++) {
        assert_ok(fit(&metric, &drawn, &q, (const char *const[]){"seed", seed[r], "memory", "0.09", NULL}));
        gersh_metric_free(metric);
        assert_int_equal(drawn.choice, GERSH_CHOICE_SAMPLED);
        assert_close(drawn.budget, all.budget, 0.25);
    }
    drop(&q);
}

#if defined __has_feature
#define CHECKED __has_feature(address_sanitizer)
#elif defined __SANITIZE_ADDRESS__
#define CHECKED 1
#else
#define CHECKED 0
#endif

/* The memory of a fit stays within the budget, by the operating system's count in a process of its own. */
static void test_memory(void **state)
{
    static const char *const objectives[] = {"glr", "lmnn"};
    struct rusage before;
    (void)state;
    getrusage(RUSAGE_SELF, &before);
    if (CHECKED || before.ru_maxrss > 40000)
        skip(); /* a sanitizer or valgrind takes memory of its own */
    for (int o = 0; o < 2; o++) {
        pid_t child = fork();
        if (child == 0) {
            problem q = make(17, 20000, 0, 0, 2);
            gersh_metric *metric;
            gersh_fit_info info;
            struct rusage usage;
            gersh_status status = fit(
                &metric, &info, &q,
                (const char *const[]){"objective", objectives[o], "memory", "0.15", "tol", "0.05", NULL});
            getrusage(RUSAGE_SELF, &usage);
            _exit(status != GERSH_OK                        ? 1
                  : info.memory > 0.15e9                    ? 2
                  : (double)usage.ru_maxrss * 1024 > 0.15e9 ? 3
                  : info.choice == GERSH_CHOICE_ALL         ? 4
                                                            : 0);
        }
        int result;
        assert_int_equal(waitpid(child, &result, 0), child);
        assert_true(WIFEXITED(result));
        assert_int_equal(WEXITSTATUS(result), 0);
    }
}

static void test_too_little_memory(void **state)
{
    problem q = make(19, 300, 0, 0, 2);
    gersh_metric *metric;
    gersh_fit_info info;
    (void)state;
    assert_int_equal(fit(&metric, &info, &q, (const char *const[]){"memory", "0.01", NULL}),
                     GERSH_ERROR_MEMORY);
    assert_null(metric);
    assert_non_null(strstr(gersh_last_error(), "300 rows"));
    assert_non_null(strstr(gersh_last_error(), "--memory"));
    drop(&q);
}

static void test_short_memory(void **state)
{
    (void)state;
    for (int mined = 0; mined < 2; mined++) {
        problem q = make(23, 40, 1, 0, 2);
        gersh_metric *metric = metric_of(1);
        for (long at = 1;; at++) {
            gersh__pairs *pairs;
            gersh__random random;
            int complete;
            gersh__random_seed(&random, 1);
            pairs = NULL;
            gersh__alloc_fail_at(at);
            gersh_status status =
                mined ? gersh__population_set_metric(q.population, metric, NULL) : GERSH_OK;
            if (status == GERSH_OK)
                status = mined ? gersh__pairs_new_mined(&pairs, &complete, q.population, 700, &random, NULL)
                               : gersh__pairs_new_sampled(&pairs, q.population, (gersh__wanted){1, 1}, 300,
                                                          &random, NULL);
            long made = gersh__alloc_fail_at(0);
            gersh__pairs_free(pairs);
            if (status == GERSH_OK) {
                assert_true(made < at);
                break;
            }
            assert_int_equal(status, GERSH_ERROR_MEMORY);
            assert_null(pairs);
        }
        gersh_metric_free(metric);
        drop(&q);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory), /* first, while the process is small */
        cmocka_unit_test(test_sampled_unbiased), cmocka_unit_test(test_sampled_all),
        cmocka_unit_test(test_mined_complete),   cmocka_unit_test(test_mined_unbiased),
        cmocka_unit_test(test_fit_mined),        cmocka_unit_test(test_fit_sampled),
        cmocka_unit_test(test_sampled_trace),    cmocka_unit_test(test_limited),
        cmocka_unit_test(test_fit_limited),      cmocka_unit_test(test_too_little_memory),
        cmocka_unit_test(test_short_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
