/*
 * Writing files whole or not at all: the temporary file beside the target, its lock, and what others may have put in
 * its place; disks that are full.
 */
#define _GNU_SOURCE
#include "check.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/output.h"

static char folder[] = "/tmp/gersh-output-XXXXXX";

static int start(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL || chdir(folder) != 0 ? -1 : 0;
}

static int end(void **state)
{
    (void)state;
    return chdir("/") != 0 || rmdir(folder) != 0; /* which fails when a test left something behind */
}

static void put(const char *name, const char *text)
{
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void expect(const char *name, const char *text)
{
    char found[64] = "";
    FILE *file = fopen(name, "rb");
    assert_non_null(file);
    found[fread(found, 1, sizeof found - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(found, text);
}

static int entries(void)
{
    int count = 0;
    DIR *all = opendir(".");
    assert_non_null(all);
    while (readdir(all) != NULL)
        count++;
    closedir(all);
    return count - 2;
}

static void write_new(const char *name)
{
    gersh__output output = {0};
    assert_ok(gersh__output_open(&output, name));
    fputs("new", output.file);
    assert_ok(gersh__output_close(&output, GERSH_OK));
    expect(name, "new");
}

/* What killed processes left is gone after the next save, however often that happens. */
static void test_litter_is_swept(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        put("m", "old");
        put("m.0123456789abcdef.tmp", "half of something that is longer");
        put("m.fedcba9876543210.tmp", "");
        write_new("m");
        assert_int_equal(entries(), 1);
    }
    put("m.0123456789abcdef.tmp", "half");
    assert_ok(gersh__output_try("m"));
    assert_int_equal(entries(), 1);
    unlink("m");
}

/* Files that are only named alike are none of these. */
static void test_other_files_stay(void **state)
{
    static const char *const others[] = {"m.tmp",
                                         "m.0123.tmp",
                                         "m.0123456789abcdeg.tmp",
                                         "m.0123456789abcdef.tmp2",
                                         "mm.0123456789abcdef.tmp",
                                         "m.0123456789abcdef0.tmp"};
    enum { COUNT = sizeof others / sizeof others[0] };
    (void)state;
    for (size_t i = 0; i < COUNT; i++)
        put(others[i], "keep");
    write_new("m");
    assert_int_equal(entries(), COUNT + 1);
    for (size_t i = 0; i < COUNT; i++) {
        expect(others[i], "keep");
        unlink(others[i]);
    }
    unlink("m");
}

/* Two writers of one file at a time: both end well, and the later one's file stays. */
static void test_two_writers(void **state)
{
    gersh__output a = {0}, b = {0};
    (void)state;
    assert_ok(gersh__output_open(&a, "m"));
    assert_ok(gersh__output_open(&b, "m"));
    assert_string_not_equal(a.temporary, b.temporary);
    fputs("first", a.file);
    fputs("second", b.file);
    assert_ok(gersh__output_close(&b, GERSH_OK));
    expect("m", "second");
    assert_ok(gersh__output_close(&a, GERSH_OK));
    expect("m", "first");
    assert_int_equal(entries(), 1);
    unlink("m");
}

/* A link, a pipe and a folder of a temporary file's name are left as they are, and not followed or waited for. */
static void test_what_others_put_there(void **state)
{
    struct stat info;
    (void)state;
    put("secret", "keep");
    assert_int_equal(symlink("secret", "m.0000000000000000.tmp"), 0);
    assert_int_equal(mkfifo("m.0000000000000001.tmp", 0600), 0);
    assert_int_equal(mkdir("m.0000000000000002.tmp", 0700), 0);
    assert_int_equal(link("secret", "m.0000000000000003.tmp"), 0);
    write_new("m");
    expect("secret", "keep");
    assert_int_equal(lstat("m.0000000000000000.tmp", &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(entries(), 6);
    assert_int_equal(unlink("m.0000000000000000.tmp") | unlink("m.0000000000000001.tmp") |
                         rmdir("m.0000000000000002.tmp") | unlink("m.0000000000000003.tmp"),
                     0);
    assert_int_equal(unlink("m") | unlink("secret"), 0);
}

/* A limit stands for a full disk: the old file stays, in the middle of the writing and at its end. */
static void test_full_disk(void **state)
{
    static const size_t sizes[] = {100, 5000, 200000};
    struct rlimit old, tiny;
    (void)state;
    put("m", "old");
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    tiny = old;
    tiny.rlim_cur = 64;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        gersh__output output = {0};
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &tiny), 0);
        assert_ok(gersh__output_open(&output, "m"));
        for (size_t n = 0; n < sizes[i]; n++)
            fputc('x', output.file);
        gersh_status status = gersh__output_close(&output, GERSH_OK);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
        assert_int_equal(status, GERSH_ERROR_DISK);
        assert_string_equal(gersh_last_error(), "m: cannot be written: File too large");
        expect("m", "old");
        assert_int_equal(entries(), 1);
    }
    signal(SIGXFSZ, handler);
    unlink("m");
}

/* Killed with the file half written: the old one stays, one temporary file is left, and the next write takes it. */
static void test_killed_while_writing(void **state)
{
    (void)state;
    put("m", "old");
    for (int i = 0; i < 5; i++) {
        int ready[2];
        char byte;
        assert_int_equal(pipe(ready), 0);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            gersh__output output = {0};
            if (gersh__output_open(&output, "m") != GERSH_OK)
                _exit(1);
            fputs("half", output.file);
            fflush(output.file);
            if (write(ready[1], "x", 1) != 1)
                _exit(1);
            pause();
        }
        assert_int_equal(read(ready[0], &byte, 1), 1);
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, NULL, 0), child);
        close(ready[0]);
        close(ready[1]);
        expect("m", "old");
        assert_int_equal(entries(), 2);
    }
    write_new("m");
    assert_int_equal(entries(), 1);
    unlink("m");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_litter_is_swept), cmocka_unit_test(test_other_files_stay),
        cmocka_unit_test(test_two_writers),     cmocka_unit_test(test_what_others_put_there),
        cmocka_unit_test(test_full_disk),       cmocka_unit_test(test_killed_while_writing),
    };
    return cmocka_run_group_tests_name("output", tests, start, end);
}
