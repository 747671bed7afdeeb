/*
 * Writing a whole file or nothing: the bytes go to a temporary file in the same folder, which is synced and
 * takes the target's place at the end. Until then only this user can read it. It is locked meanwhile where the file
 * system has locks, and those that killed processes left behind are removed. What is not a regular file, such as
 * /dev/stdout or a named pipe, is opened once and written directly.
 */
#ifndef GERSH_SRC_IO_OUTPUT_H
#define GERSH_SRC_IO_OUTPUT_H

#include <stdio.h>
#include <sys/types.h>

#include "gersh/base.h"

typedef struct gersh__output {
    FILE *file; /* to write to; its errors are found at the end */
    char *path;
    char *target;    /* the path with symbolic links resolved */
    char *temporary; /* NULL when the file is written directly */
    mode_t mode;     /* that the file gets at the end */
} gersh__output;

/* Start it as {0}. Nothing is left behind on failure. */
gersh_status gersh__output_open(gersh__output *output, const char *path);

/*
 * The file that writing to path replaces or makes: its symbolic links are followed, to what does not exist yet too. It is the
 * caller's (gersh__free).
 */
gersh_status gersh__output_target(char **target, const char *path);

/* Whether the file could be written, as far as can be seen beforehand. */
gersh_status gersh__output_try(const char *path);

/* Ends the writing. With an earlier failure in `status`, or one here, the target stays as it was. */
gersh_status gersh__output_close(gersh__output *output, gersh_status status);

#endif
