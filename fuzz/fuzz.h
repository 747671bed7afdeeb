/*
 * What the fuzz targets share: the input as a file without a disk, the input as a stream of choices, a bound on memory,
 * and a way to say what is wrong. A target includes this file once.
 */
#ifndef GERSH_FUZZ_FUZZ_H
#define GERSH_FUZZ_FUZZ_H

#define _GNU_SOURCE /* memfd_create */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "gersh/gersh.h"

/* What the library takes for the machine's memory: blocks beyond it, and files beyond half of it, must be refused. */
#ifndef FUZZ_MEMORY
#define FUZZ_MEMORY (32 << 20)
#endif

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Where the target says what is wrong; what it runs may print to stdout and stderr, which the script closes. */
static FILE *fuzz_messages;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    fuzz_messages = fdopen(dup(STDERR_FILENO), "w");
    gersh__memory_pretend(FUZZ_MEMORY);
    return fuzz_messages == NULL;
}

/* Stops the fuzzer, which then keeps the input. */
#define fuzz_fail(...)                                                                                     \
    do {                                                                                                   \
        fprintf(fuzz_messages, "%s:%d: ", __FILE__, __LINE__);                                             \
        fprintf(fuzz_messages, __VA_ARGS__);                                                               \
        fprintf(fuzz_messages, "\n  last error: %s\n", gersh_last_error());                                \
        fflush(fuzz_messages);                                                                             \
        abort();                                                                                           \
    } while (0)

/* The path of a file with these bytes, in memory only; the next call takes its place. */
static inline const char *fuzz_file(const void *bytes, size_t size)
{
    static int file = -1;
    static char path[64];
    if (file < 0) {
        file = memfd_create("fuzz", MFD_CLOEXEC);
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    }
    if (file < 0 || ftruncate(file, 0) != 0 || pwrite(file, bytes, size, 0) != (ssize_t)size)
        fuzz_fail("the input cannot be put into a file");
    return path;
}

/* A failure is one sentence without control characters, and nothing comes out. */
static inline void fuzz_check_failure(gersh_status status, const void *out)
{
    const char *text = gersh_last_error();
    if (out != NULL)
        fuzz_fail("status %s, but something came out", gersh_status_name(status));
    if (*text == '\0')
        fuzz_fail("status %s without a sentence", gersh_status_name(status));
    for (const char *p = text; *p != '\0'; p++)
        if ((unsigned char)*p < ' ' || *p == 127)
            fuzz_fail("the sentence has the control character %d", *p);
}

/* The input as choices; beyond its end all are 0. */
typedef struct fuzz_choices {
    const uint8_t *at, *end;
} fuzz_choices;

static inline unsigned fuzz_byte(fuzz_choices *c)
{
    return c->at < c->end ? *c->at++ : 0;
}

static inline unsigned fuzz_below(fuzz_choices *c, unsigned limit)
{
    return fuzz_byte(c) % limit;
}

#endif
