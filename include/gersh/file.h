/* Writing files so that they are there as a whole, or not at all. */
#ifndef GERSH_FILE_H
#define GERSH_FILE_H

#include <stdio.h>

#include "gersh/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes a file's content. Its errors are found afterwards, so that it need not look at them; it must not close the file. */
typedef void (*gersh_file_callback)(void *context, FILE *file);

/*
 * Calls `write` once, with a new file that takes the place of `path` when all of it is on the disk: whoever reads `path`
 * meanwhile, or after a crash, finds the old file or the new one, whole. An old file keeps its permissions; until the end only this
 * user can read the new one, which is a temporary file beside it and goes when anything fails. Symbolic links are followed. What is
 * not a regular file, such as /dev/stdout or a named pipe, is written to directly. Models and the command line's files are
 * written this way.
 *
 * GERSH_ERROR_ARGUMENT where the path is empty, GERSH_ERROR_DISK where the disk is full or broken, GERSH_ERROR_IO where the file cannot be written for another reason, with
 * the path in the message. context may be NULL where `write` takes it. Any number of threads may write, to one path too: the
 * last one wins. It waits for the disk (fsync).
 */
GERSH_API gersh_status gersh_file_write(const char *path, gersh_file_callback write, void *context);

#ifdef __cplusplus
}
#endif
#endif
