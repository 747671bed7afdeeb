/*
 * Every command of the command line with each of its allocations failing in turn, jansson's included: it must end with
 * one sentence and exit status 2, or, where it can do without, with the result of a whole run; and all memory must be
 * free then. The program is linked in, without its main(), and so is gersh-reproduce, which it starts. calloc, realloc and
 * free of the programs and the library are wrapped by the linker (--wrap), which keeps count of the blocks and lets one fail,
 * and so is fdopen, which fails too, and exit(), which comes back here.
 * With GERSH_TEST_QUICK set, some allocations of each command are tried, spread evenly.
 */
#define _GNU_SOURCE
#include "check.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../cli/cli.h"
#include "../reproduce/program.h"
#include "base/alloc.h"

enum { table = 1 << 16, capture = 1 << 20, never = 1000000000 };

void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);
FILE *__real_fdopen(int file, const char *mode);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void __wrap_free(void *block);
_Noreturn void __wrap_exit(int status);
FILE *__wrap_fdopen(int file, const char *mode);
int __wrap_fsync(int file);

/* The live blocks, by their address; threads are held to one, so that there are no races. */
static void *live[table];
static size_t live_count;
static jmp_buf ended;
static int ended_status;

static size_t place_of(const void *block)
{
    size_t at = (size_t)(((uintptr_t)block >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> 48);
    while (live[at] != NULL && live[at] != block)
        at = (at + 1) % table;
    return at;
}

static void *note(void *block)
{
    if (block != NULL) {
        live[place_of(block)] = block;
        live_count++;
    }
    return block;
}

/* A block that is not known is the C library's. */
static void forget(const void *block)
{
    size_t hole = place_of(block);
    if (block == NULL || live[hole] == NULL)
        return;
    live[hole] = NULL;
    live_count--;
    for (size_t at = (hole + 1) % table; live[at] != NULL; at = (at + 1) % table) { /* closes the gap */
        void *moved = live[at];
        live[at] = NULL;
        live[place_of(moved)] = moved;
    }
}

/* The n-th allocation fails; 0: none. What were made since it was set. */
static long fail_at, made;

static int must_fail(void)
{
    return fail_at != 0 && ++made == fail_at;
}

void *__wrap_calloc(size_t count, size_t size)
{
    return must_fail() ? NULL : note(__real_calloc(count, size));
}

void *__wrap_realloc(void *block, size_t size)
{
    void *moved = must_fail() ? NULL : __real_realloc(block, size);
    if (moved != NULL) {
        forget(block);
        note(moved);
    }
    return moved;
}

void __wrap_free(void *block)
{
    forget(block);
    __real_free(block);
}

void __wrap_exit(int status)
{
    ended_status = status;
    longjmp(ended, 1);
}

/* Whether the C library is to have memory for what it is asked for next. */
static int has_memory(void)
{
    void *block = gersh__realloc(NULL, 1, 1);
    gersh__free(block);
    errno = ENOMEM;
    return block != NULL;
}

FILE *__wrap_fdopen(int file, const char *mode)
{
    return has_memory() ? __real_fdopen(file, mode) : NULL;
}

/* Disks are slow, and nothing pulls the plug here. */
int __wrap_fsync(int file)
{
    (void)file;
    return 0;
}

/* What a process that ends gives back. */
static void free_all(void)
{
    for (size_t at = 0; at < table; at++)
        if (live[at] != NULL) {
            __real_free(live[at]);
            live[at] = NULL;
        }
    live_count = 0;
}

static char folder[] = "/tmp/gersh-memory-XXXXXX";
static char out_text[capture], err_text[capture], whole_text[capture];
static int saved[2], captured[2];

typedef struct outcome {
    int status;
    int by_exit; /* it ended by exit(), where nothing needs to be free */
    long made;   /* allocations */
} outcome;

static void redirect(const int to[2])
{
    fflush(stdout);
    dup2(to[0], STDOUT_FILENO);
    dup2(to[1], STDERR_FILENO);
}

static void read_back(char *text, int file)
{
    ssize_t size = pread(file, text, capture - 1, 0);
    text[size > 0 ? size : 0] = '\0';
    assert_int_equal(ftruncate(file, 0), 0);
    lseek(file, 0, SEEK_SET);
}

/* Runs a command line, words separated by blanks, with its n-th allocation failing. */
static outcome run(const char *line, long n)
{
    static char words[512], *argv[40];
    static outcome result; /* static, as longjmp may come between */
    volatile int argc = 0; /* kept over longjmp */
    snprintf(words, sizeof words, "gersh %s", line);
    for (char *word = strtok(words, " "); word != NULL; word = strtok(NULL, " "))
        argv[argc++] = word;
    result = (outcome){0};
    redirect(captured);
    fail_at = n;
    made = 0;
    if (setjmp(ended) == 0) {
        int reproduces = strcmp(argv[1], "reproduce") == 0;
        result.status = reproduces ? repro_program(argc - 1, argv + 1) : cli_run(argc, argv);
    } else {
        result.status = ended_status;
        result.by_exit = 1;
    }
    result.made = made;
    fail_at = 0;
    redirect(saved);
    read_back(out_text, captured[0]);
    read_back(err_text, captured[1]);
    return result;
}

/* Lines with times, or shares of them, differ from run to run. */
static int has_time(const char *line)
{
    static const char *const signs[] = {"seconds",  " s ",       "\"gradient\"",     "\"minimizer\"",
                                        "\"step\"", "\"eigen\"", "\"objective\": 0."};
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
        if (strstr(line, signs[i]) != NULL)
            return 1;
    return 0;
}

static void drop_times(char *text)
{
    char *to = text;
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        length += text[length] == '\n';
        char line[512];
        snprintf(line, sizeof line, "%.*s", (int)(length < 511 ? length : 511), text);
        if (!has_time(line)) {
            memmove(to, text, length);
            to += length;
        }
        text += length;
    }
    *to = '\0';
}

static int has_litter(void)
{
    DIR *entries = opendir(folder);
    int found = 0;
    assert_non_null(entries);
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;)
        found |= strstr(entry->d_name, ".tmp") != NULL;
    closedir(entries);
    return found;
}

/* Returns whether the run failed, as it may. */
static int check_run(const char *line, long n, int expected)
{
    outcome result = run(line, n);
    if (result.by_exit)
        free_all();
    if (live_count != 0)
        fail_msg("%s: allocation %ld failed: %zu blocks leak", line, n, live_count);
    if (has_litter())
        fail_msg("%s: allocation %ld failed: a temporary file is left", line, n);
    drop_times(out_text);
    if (result.status == expected && strcmp(out_text, whole_text) == 0)
        return 0;
    size_t length = strlen(err_text);
    if (result.status != 2 || strncmp(err_text, "gersh", 5) != 0 ||
        (strstr(err_text, "out of memory") == NULL && strstr(err_text, "Cannot allocate memory") == NULL) ||
        strchr(err_text, '\n') != err_text + length - 1)
        fail_msg("%s: allocation %ld failed: exit status %d, message '%s', output '%s'", line, n,
                 result.status, err_text, out_text);
    return 1;
}

static void sweep(const char *line, int expected)
{
    outcome result = run(line, never);
    if (result.status != expected)
        fail_msg("%s: exit status %d: %s", line, result.status, err_text);
    drop_times(out_text);
    strcpy(whole_text, out_text);
    long count = run(line, never).made, tries = cases((int)count), failures = 0;
    for (long i = 1; i <= tries; i++)
        failures += check_run(line, i * count / tries, expected);
    printf("%5ld of %5ld allocations failed, %5ld times with exit status 2: %s\n", tries, count, failures,
           line);
    if (failures < tries * 9 / 10)
        fail_msg("%s: %ld of %ld failed allocations make no difference", line, tries - failures, tries);
}

static void sweep_all(const char *const *lines, int expected)
{
    for (; *lines != NULL; lines++)
        sweep(*lines, expected);
}

static void test_fits(void **state)
{
    static const char *const lines[] = {
        "fit small.csv -o m.gersh",
        "fit small.csv -o l.gersh --json --objective lmnn --solver hull --edges edges.csv --start m.gersh",
        "fit small.csv -o b.gersh --objective mcml --solver psd --no-data --quiet",
        "fit small.csv --objective lsml --solver sgml --quiet",
        "fit small.csv --objective deml --solver pgml --quiet",
        "fit small.csv --solver hbnb --max-iter 3 --quiet",
        "fit small.csv --solver pdcone --max-iter 3 --quiet",
        "fit small.csv --solver diagonal --scale paper --quiet",
        "fit small.csv --pairs pairs.csv --label class -o p.gersh --bootstrap 2",
        "fit sparse.txt --quiet",
        "tune small.csv -o t.gersh --json --objective glr --scale zscore --trace 1 --neighbors 3 --votes "
        "equal",
        NULL,
    };
    (void)state;
    sweep_all(lines, 0);
}

static void test_uses(void **state)
{
    static const char *const lines[] = {
        "predict m.gersh small.csv --proba --json",
        "predict m.gersh small.csv --classifier mahalanobis --csv p.csv",
        "predict m.gersh small.csv --classifier graph",
        "transform m.gersh small.csv -o t.csv --dim 2",
        "transform m.gersh small.csv -o t.npy --json",
        "distance m.gersh small.csv small.csv",
        "distance m.gersh small.csv small.csv --all --json",
        "inspect m.gersh",
        "inspect p.gersh --json",
        "inspect m.gersh --verify --matrix M.csv --dot graph.dot",
        "inspect m.gersh --scalars --matrix M.npy",
        "describe small.csv",
        "describe things.csv --categorical onehot --missing mean --json",
        "align matrix.csv",
        "align matrix.csv --json",
        "report m.gersh -o r.html --splits 1",
        "report m.gersh -o r.html --data other.csv --json",
        NULL,
    };
    (void)state;
    sweep_all(lines, 0);
}

static void test_comparisons(void **state)
{
    static const char *const lines[] = {
        "compare small.csv --solvers diagonal,balanced --csv c.csv --json",
        "evaluate small.csv --splits 2 --csv e.csv --save-splits s.csv --quiet",
        "evaluate small.csv --splits 1 --solvers diagonal --json",
        "reproduce gdpa --quick --fresh -o gdpa",
        "reproduce --list --json",
        NULL,
    };
    (void)state;
    sweep_all(lines, 0);
}

/* Refusals stay refusals, but where memory is short the sentence is about that. */
static void test_refusals(void **state)
{
    static const char *const lines[] = {"align odd.csv --json", "align skew.csv --json", NULL};
    (void)state;
    sweep_all(lines, 1);
}

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void write_rows(const char *name, unsigned seed)
{
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    fputs("a,b,c,class\n", file);
    for (int i = 0; i < 24; i++) {
        for (int j = 0; j < 3; j++) {
            seed = seed * 1664525u + 1013904223u;
            fprintf(file, "%.4f,", (double)(seed >> 8) / (1 << 24) + (j < 2 ? i % 2 : 0));
        }
        fputs(i % 2 ? "yes\n" : "no\n", file);
    }
    assert_int_equal(fclose(file), 0);
}

static int start(void **state)
{
    cpu_set_t one;
    (void)state;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu() < 0 ? 0 : sched_getcpu(), &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0 || mkdtemp(folder) == NULL || chdir(folder) != 0)
        return -1;
    write_rows("small.csv", 1);
    write_rows("other.csv", 2);
    write_file("edges.csv", "a,b,forbidden\n");
    write_file("pairs.csv", "1,2,-1\n1,3,1\n2,4,1\n3,4,-1\n5,7,1\n5,8,-1\n");
    write_file("sparse.txt", "1 1:2 3:1\n-1 2:5\n1 1:1 4:2\n-1 2:3 4:1\n1 3:1\n");
    write_file("things.csv", "id,size,color,class\n1,2.5,red,yes\n2,,blue,no\n3,1,red,yes\n");
    write_file("matrix.csv", "2,-2,-1\n-2,5,-2\n-1,-2,4\n");
    write_file("odd.csv", "A,B,C\n2,-1,1\n-1,2,-1\n1,-1,2\n");
    write_file("skew.csv", "2,1\n3,2\n");
    saved[0] = dup(STDOUT_FILENO);
    saved[1] = dup(STDERR_FILENO);
    for (int i = 0; i < 2; i++) {
        const char *name = i == 0 ? "stdout" : "stderr";
        captured[i] = open(name, O_RDWR | O_CREAT | O_TRUNC | O_APPEND, 0600);
        if (captured[i] < 0)
            return -1;
    }
    return 0;
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *walk)
{
    (void)info;
    (void)kind;
    (void)walk;
    return remove(path);
}

static int end(void **state)
{
    (void)state;
    return chdir("/") != 0 || nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS) != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fits),
        cmocka_unit_test(test_uses),
        cmocka_unit_test(test_comparisons),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests_name("cli_memory", tests, start, end);
}
