/*
 * The thread pool and the hold on BLAS. In a build without threads every pool has one worker, and the same
 * tests pass.
 */
#include "check.h"

#include <cblas.h>
#include <pthread.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/random.h"
#include "base/threads.h"

extern void openblas_set_num_threads(int threads) __attribute__((weak));
extern int openblas_get_num_threads(void) __attribute__((weak));

enum { most_parts = 3000, most_threads = 16 };

typedef struct tally {
    int threads;
    int times[most_parts];          /* how often each part ran */
    int outsiders;                  /* parts run by a worker out of range */
    int busy[most_threads];         /* whether the worker is inside a part */
    int together;                   /* parts that met another one under the same worker's number */
    size_t by_worker[most_threads]; /* not atomic: a worker's own place */
} tally;

static void count_part(void *context, size_t part, int worker)
{
    tally *t = context;
    if (worker < 0 || worker >= t->threads || worker >= most_threads) {
        __atomic_add_fetch(&t->outsiders, 1, __ATOMIC_RELAXED);
        return;
    }
    if (__atomic_exchange_n(&t->busy[worker], 1, __ATOMIC_ACQUIRE))
        __atomic_add_fetch(&t->together, 1, __ATOMIC_RELAXED);
    t->by_worker[worker]++;
    __atomic_add_fetch(&t->times[part], 1, __ATOMIC_RELAXED);
    __atomic_store_n(&t->busy[worker], 0, __ATOMIC_RELEASE);
}

/* Runs one loop; 1 when each part ran once, in a worker of the pool. Without assertions, for any thread. */
static int loop_is_right(gersh__pool *pool, size_t parts)
{
    tally t = {.threads = gersh__pool_threads(pool)};
    gersh__pool_run(pool, parts, count_part, &t);
    size_t total = 0;
    for (size_t i = 0; i < most_parts; i++)
        if (t.times[i] != (i < parts))
            return 0;
    for (int w = 0; w < most_threads; w++)
        total += t.by_worker[w];
    return t.outsiders == 0 && t.together == 0 && total == parts;
}

static void test_parts_run_once(void **state)
{
    (void)state;
    static const size_t parts[] = {0, 1, 2, 3, 7, 8, 9, 100, most_parts};
    for (int threads = 0; threads <= 8; threads++) {
        gersh__pool *pool = NULL;
        assert_ok(gersh__pool_new(&pool, threads));
        assert_true(gersh__pool_threads(pool) >= 1);
        assert_true(threads == 0 || gersh__pool_threads(pool) == threads || gersh__pool_threads(pool) == 1);
        for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
            assert_true(loop_is_right(pool, parts[i]));
        gersh__pool_free(pool);
    }
    assert_int_equal(gersh__pool_threads(NULL), 1);
    assert_true(loop_is_right(NULL, 50));
    gersh__pool_free(NULL);
}

static void test_pool_refuses(void **state)
{
    (void)state;
    gersh__pool *pool = (gersh__pool *)state;
    assert_int_equal(gersh__pool_new(&pool, -2), GERSH_ERROR_ARGUMENT);
    assert_null(pool);
    assert_string_equal(gersh_last_error(), "the number of threads is -2; it must not be negative");
    for (long n = 1; n <= 3; n++) {
        gersh__alloc_fail_at(n);
        gersh_status status = gersh__pool_new(&pool, 4);
        long made = gersh__alloc_fail_at(0);
        assert_int_equal(status, made >= n ? GERSH_ERROR_MEMORY : GERSH_OK);
        assert_int_equal(pool == NULL, status != GERSH_OK);
        gersh__pool_free(pool);
    }
}

/* A pool whose threads never started, and one that has nothing to do for them. */
static void test_unused_pool(void **state)
{
    (void)state;
    gersh__pool *pool = NULL;
    assert_ok(gersh__pool_new(&pool, 4));
    gersh__pool_free(pool);
    assert_ok(gersh__pool_new(&pool, 4));
    assert_true(loop_is_right(pool, 0));
    assert_true(loop_is_right(pool, 1));
    gersh__pool_free(pool);
}

typedef struct slow {
    int threads;
    int begun; /* parts that a worker other than the caller has begun */
    int done;
} slow;

/* The caller's parts wait, for a second at most, until another worker has one; that one takes its time. */
static void slow_part(void *context, size_t part, int worker)
{
    (void)part;
    slow *s = context;
    const struct timespec pause = {0, worker == 0 ? 1000000 : 30000000};
    if (worker != 0) {
        __atomic_add_fetch(&s->begun, 1, __ATOMIC_RELAXED);
        nanosleep(&pause, NULL);
    } else {
        for (int i = 0; i < 1000 && s->threads > 1 && !__atomic_load_n(&s->begun, __ATOMIC_RELAXED); i++)
            nanosleep(&pause, NULL);
    }
    __atomic_add_fetch(&s->done, 1, __ATOMIC_RELAXED);
}

static void test_run_waits_for_all(void **state)
{
    (void)state;
    gersh__pool *pool = NULL;
    assert_ok(gersh__pool_new(&pool, 3));
    for (int i = 0; i < 5; i++) {
        slow s = {.threads = gersh__pool_threads(pool)};
        gersh__pool_run(pool, 4, slow_part, &s);
        assert_int_equal(s.done, 4);
        assert_int_equal(s.begun > 0, s.threads > 1);
    }
    gersh__pool_free(pool);
}

typedef struct summing {
    const double *values;
    double sums[64];
} summing;

static void sum_part(void *context, size_t part, int worker)
{
    (void)worker;
    summing *s = context;
    for (size_t i = 0; i < 500; i++)
        s->sums[part] += s->values[part * 500 + i];
}

static void test_sums_do_not_depend_on_threads(void **state)
{
    (void)state;
    static double values[64 * 500];
    double first = 0;
    gersh__random random;
    gersh__random_seed(&random, 31);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        values[i] = gersh__random_normal(&random);
    for (int threads = 1; threads <= 8; threads++) {
        gersh__pool *pool = NULL;
        summing s = {.values = values};
        double sum = 0;
        assert_ok(gersh__pool_new(&pool, threads));
        gersh__pool_run(pool, 64, sum_part, &s);
        gersh__pool_free(pool);
        for (size_t i = 0; i < 64; i++)
            sum += s.sums[i];
        if (threads == 1)
            first = sum;
        assert_memory_equal(&sum, &first, sizeof sum);
    }
}

static void test_many_loops(void **state)
{
    (void)state;
    gersh__pool *pool = NULL;
    assert_ok(gersh__pool_new(&pool, 4));
    for (int i = 0; i < cases(5000); i++)
        assert_true(loop_is_right(pool, (size_t)(i % 9)));
    gersh__pool_free(pool);
}

static void *run_own_pool(void *argument)
{
    int *right = argument;
    gersh__pool *pool = NULL;
    *right = gersh__pool_new(&pool, 3) == GERSH_OK;
    for (int i = 0; i < cases(500); i++)
        *right &= loop_is_right(pool, 20);
    gersh__pool_free(pool);
    return NULL;
}

static void test_pools_side_by_side(void **state)
{
    (void)state;
    pthread_t threads[4];
    int right[4] = {0};
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_own_pool, &right[i]), 0);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_true(right[i]);
    }
}

/* Starts a child that is killed when it hangs; 1 in the child. */
static int in_child(pid_t *child)
{
    *child = fork();
    assert_true(*child >= 0);
    if (*child == 0)
        alarm(60);
    return *child == 0;
}

static void check_child(pid_t child)
{
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void test_fork(void **state)
{
    (void)state;
    pid_t child, unused;
    gersh__pool *pool = NULL;
    assert_ok(gersh__pool_new(&pool, 4));
    assert_true(loop_is_right(pool, 100));
    if (in_child(&unused)) {
        gersh__pool_free(pool);
        _exit(0);
    }
    check_child(unused);
    if (in_child(&child)) {
        int right = 1;
        for (int i = 0; i < 50; i++)
            right &= loop_is_right(pool, 100);
        pid_t grandchild = fork();
        if (grandchild == 0) {
            alarm(60);
            right &= loop_is_right(pool, 100);
            gersh__pool_free(pool);
            _exit(right ? 0 : 1);
        }
        int status = -1;
        right &= waitpid(grandchild, &status, 0) == grandchild && status == 0;
        right &= loop_is_right(pool, 100);
        gersh__pool_free(pool);
        _exit(right ? 0 : 1);
    }
    check_child(child);
    assert_true(loop_is_right(pool, 100));
    gersh__pool_free(pool);
}

static int has_threads(void)
{
    gersh__pool *pool = NULL;
    assert_ok(gersh__pool_new(&pool, 2));
    int threads = gersh__pool_threads(pool);
    gersh__pool_free(pool);
    return threads == 2;
}

static void note_blas_threads(void *context, size_t part, int worker)
{
    (void)part;
    (void)worker;
    if (openblas_get_num_threads() != 1)
        __atomic_store_n((int *)context, 1, __ATOMIC_RELAXED);
}

static void test_blas_hold(void **state)
{
    (void)state;
    if (openblas_set_num_threads == NULL || openblas_get_num_threads == NULL)
        skip();
    int before = openblas_get_num_threads();
    for (int usual = 1; usual <= 2; usual++) {
        openblas_set_num_threads(usual);
        assert_int_equal(openblas_get_num_threads(), usual);
        int held = has_threads() ? 1 : usual;
        gersh__blas_hold();
        assert_int_equal(openblas_get_num_threads(), held);
        gersh__blas_hold();
        gersh__blas_release();
        assert_int_equal(openblas_get_num_threads(), held);
        gersh__pool *pool = NULL;
        assert_ok(gersh__pool_new(&pool, 2));
        assert_true(loop_is_right(pool, 10));
        assert_int_equal(openblas_get_num_threads(), held);
        gersh__blas_release();
        assert_int_equal(openblas_get_num_threads(), held); /* by the pool */
        int more_than_one = 0;
        gersh__pool_run(pool, 10, note_blas_threads, &more_than_one);
        gersh__pool_run(NULL, 10, note_blas_threads, &more_than_one);
        assert_int_equal(more_than_one, held != 1);
        gersh__pool_free(pool);
        assert_int_equal(openblas_get_num_threads(), usual);
    }
    openblas_set_num_threads(before);
}

/* A product large enough for BLAS to use its threads: ones times ones. 1 when it is right. */
static int product_is_right(void)
{
    enum { n = 200 };
    static double ones[n * n], product[n * n];
    for (size_t i = 0; i < n * n; i++)
        ones[i] = 1;
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, ones, n, ones, n, 0, product, n);
    for (size_t i = 0; i < n * n; i++)
        if (product[i] != n)
            return 0;
    return 1;
}

/* A child forked inside a scope has its BLAS threads back, can leave the scope and hold again. */
static void test_blas_hold_and_fork(void **state)
{
    (void)state;
    if (openblas_set_num_threads == NULL || openblas_get_num_threads == NULL)
        skip();
    int before = openblas_get_num_threads(), threaded = has_threads();
    pid_t child;
    openblas_set_num_threads(2);
    assert_true(product_is_right());
    gersh__blas_hold();
    assert_true(product_is_right());
    if (in_child(&child)) {
        int right = openblas_get_num_threads() == 2 && product_is_right();
        for (int i = 0; i < 2; i++) {
            gersh__blas_hold();
            right &= openblas_get_num_threads() == (threaded ? 1 : 2) && product_is_right();
            gersh__blas_release();
            right &= openblas_get_num_threads() == 2 && product_is_right();
            if (i == 0)
                gersh__blas_release(); /* of the scope that it was forked in */
        }
        _exit(right ? 0 : 1);
    }
    check_child(child);
    assert_int_equal(openblas_get_num_threads(), threaded ? 1 : 2);
    gersh__blas_release();
    assert_int_equal(openblas_get_num_threads(), 2);
    openblas_set_num_threads(before);
}

/* A child has its BLAS threads back although the parent has a pool, and holds them as soon as it runs a loop of it. */
static void test_pool_holds_in_child(void **state)
{
    (void)state;
    if (openblas_set_num_threads == NULL || openblas_get_num_threads == NULL || !has_threads())
        skip();
    int before = openblas_get_num_threads();
    pid_t child;
    gersh__pool *pool = NULL;
    openblas_set_num_threads(2);
    assert_ok(gersh__pool_new(&pool, 3));
    for (int runs = 0; runs <= 2; runs++) {
        if (in_child(&child)) {
            int right = openblas_get_num_threads() == 2;
            for (int r = 0; r < runs; r++)
                right &= loop_is_right(pool, 20) && openblas_get_num_threads() == 1;
            gersh__pool_free(pool);
            _exit(right && openblas_get_num_threads() == 2 ? 0 : 1);
        }
        check_child(child);
        assert_true(loop_is_right(pool, 20));
        assert_int_equal(openblas_get_num_threads(), 1);
    }
    gersh__pool_free(pool);
    assert_int_equal(openblas_get_num_threads(), 2);
    openblas_set_num_threads(before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts_run_once),
        cmocka_unit_test(test_pool_refuses),
        cmocka_unit_test(test_unused_pool),
        cmocka_unit_test(test_run_waits_for_all),
        cmocka_unit_test(test_sums_do_not_depend_on_threads),
        cmocka_unit_test(test_many_loops),
        cmocka_unit_test(test_pools_side_by_side),
        cmocka_unit_test(test_fork),
        cmocka_unit_test(test_blas_hold),
        cmocka_unit_test(test_blas_hold_and_fork),
        cmocka_unit_test(test_pool_holds_in_child),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
