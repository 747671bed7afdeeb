/*
 * Errors, allocation, random numbers, clock, cancellation, settings, words, kernels and the version. Text
 * and threads have tests of their own.
 */
#include "check.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"
#include "gersh/gersh.h"
#include "linalg/kernels.h"

/* Errors. */

static void *other_thread_fails(void *argument)
{
    char *seen = argument;
    snprintf(seen, GERSH__MESSAGE_SIZE, "%s", gersh_last_error());
    gersh__fail(GERSH_ERROR_IO, "the other thread's message");
    return NULL;
}

static void test_error_belongs_to_thread(void **state)
{
    (void)state;
    char seen[GERSH__MESSAGE_SIZE] = "not run";
    pthread_t thread;
    assert_int_equal(gersh__fail(GERSH_ERROR_INPUT, "this thread's %s %d", "message", 1),
                     GERSH_ERROR_INPUT);
    assert_int_equal(pthread_create(&thread, NULL, other_thread_fails, seen), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_string_equal(seen, "");
    assert_string_equal(gersh_last_error(), "this thread's message 1");
}

/* Messages of all lengths around the end of the buffer, in characters of one to four bytes. */
static void test_error_cut_at_whole_characters(void **state)
{
    (void)state;
    static const char *const characters[] = {"a", "é", "…", "𝄞"};
    for (size_t which = 0; which < 4; which++) {
        size_t bytes = strlen(characters[which]);
        for (size_t lead = 0; lead < 8; lead++) {
            char text[2 * GERSH__MESSAGE_SIZE];
            size_t used = lead;
            memset(text, 'x', lead);
            while (used + bytes < sizeof text - 1) {
                memcpy(text + used, characters[which], bytes);
                used += bytes;
            }
            text[used] = '\0';
            gersh__fail(GERSH_ERROR_INPUT, "%s", text);
            size_t whole = (GERSH__MESSAGE_SIZE - 1 - lead) / bytes * bytes + lead;
            assert_int_equal(strlen(gersh_last_error()), whole);
            assert_memory_equal(gersh_last_error(), text, whole);
            gersh__fail_prefix(GERSH_ERROR_INPUT, "%s", text + lead);
            whole = (GERSH__MESSAGE_SIZE - 1) / bytes * bytes;
            assert_true(strlen(gersh_last_error()) >= whole);
            assert_memory_equal(gersh_last_error(), text + lead, whole);
        }
    }
    /* Only a cut removes bytes: of foreign text that ends in a stray byte, the byte is shown. */
    gersh__fail(GERSH_ERROR_INPUT, "caf\xC3");
    assert_string_equal(gersh_last_error(), "caf\\xC3");
}

static void test_error_prefix(void **state)
{
    (void)state;
    gersh__fail(GERSH_ERROR_IO, "cannot open");
    assert_int_equal(gersh__fail_prefix(GERSH_ERROR_INPUT, "--edges %s: ", "f.csv"), GERSH_ERROR_INPUT);
    assert_string_equal(gersh_last_error(), "--edges f.csv: cannot open");
    gersh__fail(GERSH_ERROR_IO, "%s; %s", gersh_last_error(), gersh_last_error());
    assert_string_equal(gersh_last_error(), "--edges f.csv: cannot open; --edges f.csv: cannot open");
}

static void test_errno(void **state)
{
    static const struct {
        int code;
        gersh_status status;
        const char *sentence;
    } all[] = {{ENOENT, GERSH_ERROR_IO, "f: cannot be read: No such file or directory"},
               {ENOMEM, GERSH_ERROR_MEMORY, "f: cannot be read: Cannot allocate memory"},
               {ENOSPC, GERSH_ERROR_DISK, "f: cannot be read: No space left on device"},
               {EDQUOT, GERSH_ERROR_DISK, "f: cannot be read: Disk quota exceeded"},
               {EIO, GERSH_ERROR_DISK, "f: cannot be read: Input/output error"},
               {99999, GERSH_ERROR_IO, "f: cannot be read: error 99999"}};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        assert_int_equal(gersh__fail_errno(all[i].code, "f", "cannot be read"), all[i].status);
        assert_string_equal(gersh_last_error(), all[i].sentence);
    }
}

static void test_status_names(void **state)
{
    (void)state;
    for (int a = GERSH_OK; a <= GERSH_ERROR_CANCELLED; a++) {
        assert_string_not_equal(gersh_status_name((gersh_status)a), "unknown");
        for (int b = GERSH_OK; b < a; b++)
            assert_string_not_equal(gersh_status_name((gersh_status)a), gersh_status_name((gersh_status)b));
    }
    assert_string_equal(gersh_status_name(GERSH_OK), "ok");
    assert_string_equal(gersh_status_name(GERSH_ERROR_CANCELLED), "cancelled");
    assert_string_equal(gersh_status_name((gersh_status)(GERSH_ERROR_DISK + 1)), "unknown");
}

static void test_version(void **state)
{
    (void)state;
    assert_string_equal(gersh_version(), GERSH_PROJECT_VERSION);
}

/* Allocation. */

static void test_alloc_sizes(void **state)
{
    (void)state;
    static const size_t pairs[][2] = {{0, 0}, {0, 8}, {8, 0}, {0, SIZE_MAX}, {SIZE_MAX, 0}, {3, 7}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        unsigned char *block = gersh__alloc(pairs[i][0], pairs[i][1]);
        assert_non_null(block);
        for (size_t j = 0; j < pairs[i][0] * pairs[i][1]; j++)
            assert_int_equal(block[j], 0);
        block = gersh__realloc(block, pairs[i][0], pairs[i][1]);
        assert_non_null(block);
        gersh__free(block);
    }
    assert_null(gersh__alloc(SIZE_MAX / 2, 3));
    assert_true(strncmp(gersh_last_error(), "out of memory", 13) == 0);
    char *kept = gersh__text_copy("kept\0half", 9);
    assert_non_null(kept);
    assert_memory_equal(kept, "kept\0half", 10);
    gersh__fail(GERSH_ERROR_INPUT, "-");
    assert_null(gersh__realloc(kept, SIZE_MAX / 4, 5));
    assert_true(strncmp(gersh_last_error(), "out of memory", 13) == 0);
    assert_string_equal(kept, "kept");
    gersh__free(kept);
}

/* Memory of the library, which the leak sanitizer follows. */
static void test_public_free(void **state)
{
    (void)state;
    gersh_free(gersh__alloc(3, 7));
    gersh_free(NULL);
}

static void test_alloc_hook(void **state)
{
    (void)state;
    enum { most = 6 };
    for (long n = 1; n <= most; n++) {
        gersh__alloc_fail_at(n);
        for (long i = 1; i <= most; i++) {
            void *block = i % 2 ? gersh__alloc(1, 1) : gersh__realloc(NULL, 1, 1);
            assert_int_equal(block == NULL, i == n);
            gersh__free(block);
        }
        assert_int_equal(gersh__alloc_fail_at(0), most);
    }
    void *block = gersh__alloc(1, 1);
    assert_non_null(block);
    gersh__free(block);
}

static void test_alloc_grow(void **state)
{
    (void)state;
    int *items = NULL;
    size_t capacity = 0;
    gersh__alloc_fail_at(1000000);
    for (size_t i = 0; i < 5000; i++) {
        assert_int_equal(gersh__grow(&items, &capacity, i + 1, sizeof *items), 0);
        assert_true(capacity > i);
        items[i] = (int)i;
    }
    assert_true(gersh__alloc_fail_at(1) <= 11);
    int *before = items;
    size_t capacity_before = capacity;
    assert_int_equal(gersh__grow(&items, &capacity, capacity, sizeof *items), 0);
    assert_int_equal(gersh__grow(&items, &capacity, capacity + 1, sizeof *items), -1);
    gersh__alloc_fail_at(0);
    assert_int_equal(gersh__grow(&items, &capacity, SIZE_MAX - 1, sizeof *items), -1);
    assert_ptr_equal(items, before);
    assert_int_equal(capacity, capacity_before);
    for (int i = 0; i < 5000; i++)
        assert_int_equal(items[i], i);
    gersh__free(items);
}

/* Random numbers. */

/* The first numbers of three seeds, from another implementation that also gives the published values. */
static void test_random_reference(void **state)
{
    (void)state;
    static const struct {
        uint64_t seed, first[5];
    } known[] = {
        {0,
         {UINT64_C(0x99ec5f36cb75f2b4), UINT64_C(0xbf6e1f784956452a), UINT64_C(0x1a5f849d4933e6e0),
          UINT64_C(0x6aa594f1262d2d2c), UINT64_C(0xbba5ad4a1f842e59)}},
        {42,
         {UINT64_C(0x15780b2e0c2ec716), UINT64_C(0x6104d9866d113a7e), UINT64_C(0xae17533239e499a1),
          UINT64_C(0xecb8ad4703b360a1), UINT64_C(0xfde6dc7fe2ec5e64)}},
        {UINT64_MAX,
         {UINT64_C(0x8f5520d52a7ead08), UINT64_C(0xc476a018caa1802d), UINT64_C(0x81de31c0d260469e),
          UINT64_C(0xbf658d7e065f3c2f), UINT64_C(0x913593fda1bca32a)}},
    };
    gersh__random random;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        gersh__random_seed(&random, known[i].seed);
        for (int j = 0; j < 5; j++)
            assert_true(gersh__random_bits(&random) == known[i].first[j]);
    }
    uint64_t last = 0;
    gersh__random_seed(&random, 42);
    for (int j = 0; j < 1000; j++)
        last = gersh__random_bits(&random);
    assert_true(last == UINT64_C(0x8de5848c61ab8968));
    gersh__random_seed(&random, 42);
    assert_true(gersh__random_uniform(&random) ==
                (double)(UINT64_C(0x15780b2e0c2ec716) >> 11) / 9007199254740992.0);
    random = (gersh__random){{1, 2, 3, 4}};
    assert_true(gersh__random_bits(&random) == 11520);
    assert_true(gersh__random_bits(&random) == 0);
    assert_true(gersh__random_bits(&random) == 1509978240);
}

/* Whether the counts may come from equally likely bins: χ² within six deviations of its mean. */
static void check_even(const size_t *counts, size_t bins, size_t total)
{
    double expected = (double)total / (double)bins, chi = 0, freedom = (double)bins - 1;
    for (size_t i = 0; i < bins; i++)
        chi += ((double)counts[i] - expected) * ((double)counts[i] - expected) / expected;
    assert_true(fabs(chi - freedom) <= 6 * sqrt(2 * freedom) + 1e-9);
}

static void test_random_below(void **state)
{
    (void)state;
    static const size_t bounds[] = {1, 2, 3, 7, 10, 1000};
    enum { draws = 100000 };
    gersh__random random;
    gersh__random_seed(&random, 7);
    for (size_t b = 0; b < sizeof bounds / sizeof bounds[0]; b++) {
        size_t counts[1000] = {0};
        for (int i = 0; i < draws; i++) {
            uint64_t x = gersh__random_below(&random, bounds[b]);
            assert_true(x < bounds[b]);
            counts[x]++;
        }
        check_even(counts, bounds[b], draws);
    }
    /* 3/4 of 2^64: plain remainders would fall into the first third twice as often as into the others. */
    const uint64_t third = UINT64_C(1) << 62;
    size_t thirds[3] = {0};
    for (int i = 0; i < draws; i++) {
        uint64_t x = gersh__random_below(&random, 3 * third);
        assert_true(x < 3 * third);
        thirds[x / third]++;
    }
    check_even(thirds, 3, draws);
}

static void test_random_uniform(void **state)
{
    (void)state;
    enum { draws = 200000, bins = 64 };
    size_t counts[bins] = {0};
    double sum = 0, squares = 0;
    gersh__random random;
    gersh__random_seed(&random, 8);
    for (int i = 0; i < draws; i++) {
        double x = gersh__random_uniform(&random);
        assert_true(x >= 0 && x < 1);
        counts[(int)(x * bins)]++;
        sum += x;
        squares += x * x;
    }
    check_even(counts, bins, draws);
    assert_true(fabs(sum / draws - 0.5) < 6 * sqrt(1.0 / 12 / draws));
    assert_true(fabs(squares / draws - 1.0 / 3) < 6 * sqrt(4.0 / 45 / draws));
}

/* Moments, and counts in bins that are equally likely under the normal distribution. */
static void test_random_normal(void **state)
{
    (void)state;
    enum { draws = 200000, bins = 32 };
    size_t counts[bins] = {0};
    double moment[5] = {0};
    gersh__random random;
    gersh__random_seed(&random, 9);
    for (int i = 0; i < draws; i++) {
        double x = gersh__random_normal(&random), power = 1;
        for (int m = 0; m < 5; m++, power *= x)
            moment[m] += power / draws;
        counts[(int)(0.5 * erfc(-x / sqrt(2)) * bins)]++;
    }
    check_even(counts, bins, draws);
    assert_true(fabs(moment[1]) < 6 * sqrt(1.0 / draws));
    assert_true(fabs(moment[2] - 1) < 6 * sqrt(2.0 / draws));
    assert_true(fabs(moment[3]) < 6 * sqrt(15.0 / draws));
    assert_true(fabs(moment[4] - 3) < 6 * sqrt(96.0 / draws));
}

static void test_random_shuffle(void **state)
{
    (void)state;
    enum { size = 8, rounds = 40000 };
    size_t where[size][size] = {{0}};
    gersh__random random;
    gersh__random_seed(&random, 10);
    for (int round = 0; round < rounds; round++) {
        size_t items[size];
        unsigned seen = 0;
        for (size_t i = 0; i < size; i++)
            items[i] = i;
        gersh__random_shuffle(&random, items, size);
        for (size_t i = 0; i < size; i++) {
            assert_true(items[i] < size);
            seen |= 1u << items[i];
            where[items[i]][i]++;
        }
        assert_int_equal(seen, (1u << size) - 1);
    }
    for (size_t i = 0; i < size; i++)
        check_even(where[i], size, rounds);
    gersh__random_shuffle(&random, NULL, 0);
}

/* Clock and cancellation. */

static void test_clock(void **state)
{
    (void)state;
    double start = gersh__clock_seconds(), last = start;
    for (int i = 0; i < 20000; i++) {
        double now = gersh__clock_seconds();
        assert_true(now >= last);
        last = now;
    }
    const struct timespec pause = {0, 20000000};
    nanosleep(&pause, NULL);
    assert_true(gersh__clock_seconds() - start >= 0.0199);
}

static gersh_cancel flag;

static void on_signal(int number)
{
    (void)number;
    gersh_cancel_request(&flag);
}

static void *request_in_thread(void *argument)
{
    gersh_cancel_request(argument);
    return NULL;
}

static void test_cancel(void **state)
{
    (void)state;
    gersh_cancel mine = {0};
    assert_false(gersh_cancel_requested(NULL));
    assert_false(gersh_cancel_requested(&mine));
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, request_in_thread, &mine), 0);
    double limit = gersh__clock_seconds() + 30;
    while (!gersh_cancel_requested(&mine) && gersh__clock_seconds() < limit)
        ;
    assert_true(gersh_cancel_requested(&mine));
    assert_int_equal(pthread_join(thread, NULL), 0);

    struct sigaction action = {.sa_handler = on_signal}, before;
    sigemptyset(&action.sa_mask);
    assert_int_equal(sigaction(SIGUSR1, &action, &before), 0);
    assert_false(gersh_cancel_requested(&flag));
    raise(SIGUSR1);
    assert_true(gersh_cancel_requested(&flag));
    sigaction(SIGUSR1, &before, NULL);
}

/* Kernels. */

extern const gersh__kernels gersh__kernels_baseline;
#if defined(__x86_64__)
extern const gersh__kernels gersh__kernels_avx2;
extern const gersh__kernels gersh__kernels_avx512;
#endif

/* Levels up to the one that was chosen, each of which the processor must know too. */
static size_t usable_levels(const gersh__kernels *levels[3])
{
    size_t count = 0;
    levels[count++] = &gersh__kernels_baseline;
#if defined(__x86_64__)
    const gersh__kernels *here = gersh__kernels_here();
    if (here != &gersh__kernels_baseline)
        levels[count++] = &gersh__kernels_avx2;
    if (here == &gersh__kernels_avx512)
        levels[count++] = &gersh__kernels_avx512;
#endif
    return count;
}

enum { longest_vector = 300 };

typedef struct vectors {
    double x[longest_vector], y[longest_vector], factor[longest_vector], out[longest_vector + 1];
    size_t index[longest_vector];
} vectors;

static void check_kernels(const gersh__kernels *k, size_t n, const vectors *v, size_t offset)
{
    const double *x = v->x + offset, *y = v->y + offset, *factor = v->factor + offset;
    const size_t *index = v->index + offset;
    double dot = 0, radius = 0, gather = 0, size = 0, out[longest_vector + 1];
    for (size_t i = 0; i < n; i++) {
        dot += x[i] * y[i];
        radius += fabs(x[i]) * v->y[index[i]];
        gather += x[i] * v->y[index[i]];
        size += fabs(x[i]) * (fabs(y[i]) + fabs(v->y[index[i]]));
    }
    double bound = 2.3e-16 * (double)(n + 1) * size;
    assert_true(fabs(k->dot(n, x, y) - dot) <= bound);
    assert_true(fabs(k->radius(n, x, index, v->y) - radius) <= bound);
    assert_true(fabs(k->gather(n, x, index, v->y) - gather) <= bound);

    memcpy(out, v->out, sizeof out);
    k->axpy(n, 0.3, x, out + offset);
    for (size_t i = 0; i <= longest_vector; i++)
        assert_true(out[i] == (i < offset || i >= offset + n ? v->out[i] : v->out[i] + 0.3 * v->x[i]));
    memcpy(out, v->out, sizeof out);
    k->standardize(n, x, y, factor, out + offset);
    for (size_t i = 0; i <= longest_vector; i++)
        assert_true(out[i] ==
                    (i < offset || i >= offset + n ? v->out[i] : (v->x[i] - v->y[i]) * v->factor[i]));
    memcpy(out, v->x, sizeof v->x);
    k->standardize(n, out + offset, y, factor, out + offset);
    for (size_t i = offset; i < offset + n; i++)
        assert_true(out[i] == (v->x[i] - v->y[i]) * v->factor[i]);
}

static void test_kernels(void **state)
{
    (void)state;
    const gersh__kernels *levels[3];
    size_t count = usable_levels(levels);
    gersh__random random;
    gersh__random_seed(&random, 12);
    for (size_t n = 0; n < longest_vector - 3; n += n < 70 ? 1 : 37) {
        static vectors v;
        for (size_t i = 0; i < longest_vector; i++) {
            v.x[i] = gersh__random_normal(&random);
            v.y[i] = gersh__random_normal(&random);
            v.factor[i] = gersh__random_uniform(&random) + 0.1;
            v.out[i] = gersh__random_normal(&random);
            v.index[i] = (size_t)gersh__random_below(&random, longest_vector);
        }
        for (size_t level = 0; level < count; level++)
            for (size_t offset = 0; offset < 3; offset++)
                check_kernels(levels[level], n, &v, offset);
    }
    assert_string_equal(gersh_cpu_level(), levels[count - 1]->level);
    assert_string_equal(levels[0]->level, "baseline");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_error_belongs_to_thread),
        cmocka_unit_test(test_error_cut_at_whole_characters),
        cmocka_unit_test(test_error_prefix),
        cmocka_unit_test(test_errno),
        cmocka_unit_test(test_status_names),
        cmocka_unit_test(test_version),
        cmocka_unit_test(test_alloc_sizes),
        cmocka_unit_test(test_public_free),
        cmocka_unit_test(test_alloc_hook),
        cmocka_unit_test(test_alloc_grow),
        cmocka_unit_test(test_random_reference),
        cmocka_unit_test(test_random_below),
        cmocka_unit_test(test_random_uniform),
        cmocka_unit_test(test_random_normal),
        cmocka_unit_test(test_random_shuffle),
        cmocka_unit_test(test_clock),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
