/*
 * A process that saves two models in turn under one name, killed at random moments: one of the two is there, whole, and
 * at most one temporary file, however often that happens.
 */
#define _GNU_SOURCE
#include "models.h"

#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

static int count_entries(void)
{
    int count = 0;
    DIR *entries = opendir(model_folder);
    assert_non_null(entries);
    while (readdir(entries) != NULL)
        count++;
    closedir(entries);
    return count - 2;
}

/* The child: saves until it is killed. */
_Noreturn static void save_forever(gersh_model *const models[2], int ready)
{
    for (size_t i = 0;; i++) {
        if (gersh_model_write(models[i % 2], model_path, 1) != GERSH_OK)
            _exit(1);
        if (i == 1 && write(ready, "x", 1) != 1)
            _exit(1);
    }
}

static void kill_after(long nanoseconds, gersh_model *const models[2])
{
    int ready[2], status = 0;
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        save_forever(models, ready[1]);
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1); /* fails where the child has failed */
    close(ready[0]);
    nanosleep(&(struct timespec){.tv_nsec = nanoseconds}, NULL);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
}

static void test_kills(void **state)
{
    (void)state;
    gersh__random random;
    gersh_model *models[2] = {random_model(1, 200, 3, 2, "glr", "balanced", 0),
                              random_model(2, 800, 4, 2, "glr", "hull", 0)};
    unsigned char *whole[2];
    size_t size[2], found[2] = {0};
    int litter = 0, kills = cases(200);
    for (int m = 0; m < 2; m++) {
        assert_ok(gersh_model_write(models[m], model_path, 1));
        whole[m] = file_bytes(model_path, &size[m]);
    }
    gersh__random_seed(&random, 3);
    for (int i = 0; i < kills; i++) {
        size_t got_size;
        kill_after((long)gersh__random_below(&random, 4000000), models);
        unsigned char *got = file_bytes(model_path, &got_size);
        int which = got_size == size[0] ? 0 : 1;
        assert_int_equal(got_size, size[which]);
        assert_memory_equal(got, whole[which], size[which]);
        free(got);
        found[which]++;
        assert_in_range(count_entries(), 1, 2);
        litter += count_entries() - 1;
    }
    printf("%d kills: %zu times the one model, %zu times the other, %d times a temporary file\n", kills,
           found[0], found[1], litter);
    assert_ok(gersh_model_write(models[0], model_path, 1)); /* which takes what was left last */
    assert_int_equal(count_entries(), 1);
    for (int m = 0; m < 2; m++) {
        free(whole[m]);
        gersh_model_free(models[m]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kills)};
    return cmocka_run_group_tests_name("kill", tests, models_start, models_end);
}
