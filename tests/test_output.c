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

#include "gersh/file.h"
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

static mode_t mode_of(const char *name)
{
    struct stat info;
    assert_int_equal(stat(name, &info), 0);
    return info.st_mode & 07777;
}

/* While it is written only this user can read the file, whatever it will be; then it has the mode of the old one or the umask's. */
static void test_private_until_whole(void **state)
{
    static const mode_t masks[] = {022, 077, 002}, modes[] = {0600, 0640, 0644, 0666};
    (void)state;
    for (size_t u = 0; u < sizeof masks / sizeof masks[0]; u++) {
        mode_t before = umask(masks[u]);
        for (size_t m = 0; m <= sizeof modes / sizeof modes[0]; m++) {
            gersh__output output = {0};
            int replaces = m > 0;
            if (replaces) {
                put("m", "old");
                assert_int_equal(chmod("m", modes[m - 1]), 0);
            }
            assert_ok(gersh__output_open(&output, "m"));
            assert_int_equal(entries(), replaces + 1);
            assert_int_equal(mode_of(output.temporary), 0600);
            fputs("new", output.file);
            assert_int_equal(fflush(output.file), 0);
            assert_int_equal(mode_of(output.temporary), 0600);
            assert_ok(gersh__output_close(&output, GERSH_OK));
            assert_int_equal(mode_of("m"), replaces ? modes[m - 1] : 0666 & ~masks[u]);
            unlink("m");
        }
        umask(before);
    }
}

/* Links stay links: to a file, through another link, and to one that does not exist yet. */
static void test_links_stay(void **state)
{
    struct stat info;
    (void)state;
    assert_int_equal(mkdir("sub", 0700) | symlink("sub/m", "near") | symlink("../near", "sub/far"), 0);
    for (int i = 0; i < 3; i++) {
        if (i == 1)
            put("sub/m", "old");
        write_new(i == 2 ? "near" : "sub/far");
        expect("sub/m", "new");
        assert_true(lstat("near", &info) == 0 && S_ISLNK(info.st_mode));
        assert_true(lstat("sub/far", &info) == 0 && S_ISLNK(info.st_mode));
        assert_int_equal(entries(), 2);
        unlink("sub/m");
    }
    assert_int_equal(unlink("sub/far") | rmdir("sub"), 0);
    assert_int_equal(gersh__output_try("near"), GERSH_ERROR_IO);
    assert_string_equal(gersh_last_error(), "near: cannot be written: No such file or directory");
    assert_int_equal(unlink("near") | symlink("b", "a") | symlink("a", "b"), 0);
    assert_int_equal(gersh__output_try("a"), GERSH_ERROR_IO);
    assert_string_equal(gersh_last_error(), "a: cannot be written: Too many levels of symbolic links");
    assert_int_equal(unlink("a") | unlink("b"), 0);
}

/* Who reads a named pipe sees one writer: that the pipe can be written is known without opening it. */
static void test_named_pipe(void **state)
{
    char found[16] = "";
    gersh__output output = {0};
    (void)state;
    assert_int_equal(mkfifo("p", 0600), 0);
    assert_ok(gersh__output_try("p")); /* would wait for a reader if it opened the pipe */
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int opened = gersh__output_open(&output, "p") == GERSH_OK;
        if (opened)
            fputs("new", output.file);
        _exit(!opened || gersh__output_close(&output, GERSH_OK) != GERSH_OK);
    }
    FILE *file = fopen("p", "rb");
    assert_non_null(file);
    assert_int_equal(fread(found, 1, sizeof found, file), 3);
    fclose(file);
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_string_equal(found, "new");
    assert_int_equal(entries(), 1);
    unlink("p");
}

/* The errors of file systems that have no locks; 0: those of the system. */
static int lock_error;
int __real_flock(int file, int operation);
int __wrap_flock(int file, int operation);

int __wrap_flock(int file, int operation)
{
    if (lock_error == 0)
        return __real_flock(file, operation);
    errno = lock_error;
    return -1;
}

/* Without locks files are written all the same; what others may be writing is left alone. */
static void test_no_locks(void **state)
{
    static const int errors[] = {ENOSYS, EOPNOTSUPP, EINVAL, ENOLCK, EBADF, EIO, EPERM, EACCES};
    (void)state;
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        gersh__output output = {0};
        lock_error = errors[i];
        assert_ok(gersh__output_try("m"));
        assert_int_equal(entries(), 0);
        write_new("m");
        write_new("m");
        assert_int_equal(entries(), 1);
        assert_ok(gersh__output_open(&output, "m"));
        write_new("m");
        assert_int_equal(entries(), 2);
        assert_int_equal(gersh__output_close(&output, GERSH_ERROR_CANCELLED), GERSH_ERROR_CANCELLED);
        expect("m", "new");
        assert_int_equal(entries(), 1);
        unlink("m");
        lock_error = 0;
    }
}

/* The user that file systems with owners of their own, such as exported ones, are thought not to know. */
static int other_user;
uid_t __real_geteuid(void);
uid_t __wrap_geteuid(void);

uid_t __wrap_geteuid(void)
{
    return __real_geteuid() + (uid_t)other_user;
}

/* Where files belong to someone else as soon as they are made, they are written all the same. */
static void test_other_owners(void **state)
{
    (void)state;
    other_user = 1;
    put("m.0123456789abcdef.tmp", "someone's");
    write_new("m");
    write_new("m");
    other_user = 0;
    assert_int_equal(entries(), 2);
    assert_int_equal(unlink("m") | unlink("m.0123456789abcdef.tmp"), 0);
}

/* Where a sweeper always comes first, the tries end, and nothing is left of them. */
static void test_lock_is_taken(void **state)
{
    gersh__output output = {0};
    (void)state;
    lock_error = EWOULDBLOCK;
    assert_int_equal(gersh__output_open(&output, "m"), GERSH_ERROR_IO);
    lock_error = 0;
    assert_int_equal(entries(), 0);
}

static void write_context(void *context, FILE *file)
{
    fputs(context, file);
}

/* A file that is neither there nor what it was before all of it is written, as its content sees. */
static void write_late(void *context, FILE *file)
{
    (void)context;
    expect("m", "old");
    fputs("new", file);
    assert_int_equal(fflush(file), 0);
    expect("m", "old");
}

static void test_public_writing(void **state)
{
    struct stat info;
    (void)state;
    assert_ok(gersh_file_write("m", write_context, "old"));
    expect("m", "old");
    assert_int_equal(chmod("m", 0640), 0);
    assert_ok(gersh_file_write("m", write_late, NULL));
    expect("m", "new");
    assert_int_equal(stat("m", &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
    assert_int_equal(gersh_file_write("nowhere/m", write_context, "x"), GERSH_ERROR_IO);
    assert_non_null(strstr(gersh_last_error(), "nowhere/m: cannot be written"));
    assert_int_equal(gersh_file_write("", write_context, "x"), GERSH_ERROR_ARGUMENT);
    assert_int_equal(gersh_file_write("/dev/full", write_context, "x"), GERSH_ERROR_DISK);
    assert_int_equal(entries(), 1);
    assert_int_equal(unlink("m"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_litter_is_swept),     cmocka_unit_test(test_other_files_stay),
        cmocka_unit_test(test_two_writers),         cmocka_unit_test(test_what_others_put_there),
        cmocka_unit_test(test_full_disk),           cmocka_unit_test(test_killed_while_writing),
        cmocka_unit_test(test_private_until_whole), cmocka_unit_test(test_links_stay),
        cmocka_unit_test(test_named_pipe),          cmocka_unit_test(test_no_locks),
        cmocka_unit_test(test_lock_is_taken),       cmocka_unit_test(test_other_owners),
        cmocka_unit_test(test_public_writing),
    };
    return cmocka_run_group_tests_name("output", tests, start, end);
}
