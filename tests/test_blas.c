/* The buffers of OpenBLAS: taken while there is room, fewer threads where there is room for fewer, refused without any. */
#define _GNU_SOURCE
#include "check.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/blas.h"
#include "base/threads.h"
#include "gersh/gersh.h"

extern void *blas_memory_alloc(int place) __attribute__((weak));

enum { MB = 1 << 20 };
static struct rlimit before;

/* So many MB of address space beyond what the process has now. */
static void leave(size_t megabytes)
{
    size_t pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%zu", &pages), 1);
    fclose(file);
    struct rlimit limit = before;
    limit.rlim_cur = pages * (size_t)sysconf(_SC_PAGESIZE) + megabytes * MB;
    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
}

static void restore(void)
{
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
}

static gersh_status fit(void)
{
    static const double x[] = {0, 1, 2, 0, 1, 1, 3, 2, 4, 4, 5, 3};
    static const char *const labels[] = {"a", "a", "b", "b", "a", "b"};
    gersh_dataset *data;
    gersh_metric *metric = NULL;
    gersh_fit_info info;
    assert_ok(gersh_dataset_new(&data, 6, 2, x, 2, labels, NULL, NULL));
    gersh_status status = gersh_fit(&metric, &info, data, NULL, NULL);
    gersh_metric_free(metric);
    gersh_dataset_free(data);
    return status;
}

static void test_buffers(void **state)
{
    (void)state;
    gersh__pool *pool = NULL;
    if (blas_memory_alloc == NULL) {
        assert_int_equal(gersh__blas_reserve(7), 7);
        skip();
    }
    leave(100);
    gersh_status few = gersh__blas_check(), fitted = fit();
    restore();
    assert_int_equal(few, GERSH_ERROR_MEMORY);
    assert_int_equal(fitted, GERSH_ERROR_MEMORY);
    assert_non_null(strstr(gersh_last_error(), "OpenBLAS takes 128 MB of address space"));

    leave(140);
    int one = gersh__blas_reserve(8);
    gersh_status made = gersh__pool_new(&pool, 8);
    int threads = gersh__pool_threads(pool);
    gersh__pool_free(pool);
    fitted = fit();
    restore();
    assert_int_equal(one, 1);
    assert_int_equal(made, GERSH_OK);
    assert_int_equal(threads, 1);
    assert_int_equal(fitted, GERSH_OK);

    leave(300); /* for one more, with as much again beside it, but not for two */
    int two = gersh__blas_reserve(8);
    restore();
    assert_int_equal(two, 2);
    assert_int_equal(gersh__blas_reserve(8), 8);
    assert_int_equal(gersh__blas_reserve(1000), 1000);

    leave(1); /* what was made stays */
    int still = gersh__blas_reserve(8);
    restore();
    assert_int_equal(still, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_buffers)};
    if (getrlimit(RLIMIT_AS, &before) != 0)
        return 1;
    return cmocka_run_group_tests_name("blas", tests, NULL, NULL);
}
