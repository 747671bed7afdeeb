/* Whole files in memory. */
#ifndef GERSH_SRC_IO_FILE_H
#define GERSH_SRC_IO_FILE_H

#include "io/read.h"

/*
 * Reads the file, or standard input for the path "-", and unzips it when it is gzipped. The content's bytes
 * are the caller's (gersh__free), also after a failure. `shown` names the file in messages.
 */
gersh_status gersh__file_load(gersh__content *content, const char *path, const char *shown);

#endif
