/* Setting the calling thread's message; see gersh/base.h. */
#ifndef GERSH_SRC_BASE_ERROR_H
#define GERSH_SRC_BASE_ERROR_H

#include "gersh/base.h"

/* Stores the sentence and returns status, so that a failure is one line: return gersh__fail(...). */
gersh_status gersh__fail(gersh_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Puts more text before the stored message, such as "--edges FILE: ". Returns status. */
gersh_status gersh__fail_prefix(gersh_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The sentence "SUBJECT: WHAT: why", of an errno; returns the status that belongs to it. */
gersh_status gersh__fail_errno(int code, const char *subject, const char *what);

/* Bytes of the message, the final NUL included; longer sentences are cut at a whole character. */
#define GERSH__MESSAGE_SIZE 1024

#endif
