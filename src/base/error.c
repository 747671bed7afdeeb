/* Status names and the thread-local message. */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clean.h"

static _Thread_local char message[GERSH__MESSAGE_SIZE];

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

/* Removes a UTF-8 character that a cut after the last byte of text left in two. */
static void drop_partial_character(char *text)
{
    size_t end = strlen(text);
    size_t start = end;
    while (start > 0 && ((unsigned char)text[start - 1] & 0xC0) == 0x80)
        start--;
    if (start == 0)
        return;
    unsigned char lead = (unsigned char)text[start - 1];
    size_t need = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
    if (end - (start - 1) < need)
        text[start - 1] = '\0';
}

__attribute__((format(printf, 2, 0))) static void write_whole_characters(char out[GERSH__MESSAGE_SIZE],
                                                                         const char *format, va_list args)
{
    int length = vsnprintf(out, GERSH__MESSAGE_SIZE, format, args);
    if (length >= GERSH__MESSAGE_SIZE)
        drop_partial_character(out);
}

gersh_status gersh__fail(gersh_status status, const char *format, ...)
{
    char fresh[GERSH__MESSAGE_SIZE]; /* an argument may be the old message itself */
    va_list args;
    va_start(args, format);
    write_whole_characters(fresh, format, args);
    va_end(args);
    gersh__clean_text(message, sizeof message, GERSH__CLEAN_SHOWN, fresh);
    return status;
}

gersh_status gersh__fail_prefix(gersh_status status, const char *format, ...)
{
    char prefix[GERSH__MESSAGE_SIZE];
    va_list args;
    va_start(args, format);
    write_whole_characters(prefix, format, args);
    va_end(args);
    return gersh__fail(status, "%s%s", prefix, message);
}

gersh_status gersh__fail_errno(int code, const char *subject, const char *what)
{
    char reason[128];
    if (strerror_r(code, reason, sizeof reason) != 0)
        snprintf(reason, sizeof reason, "error %d", code);
    gersh_status status = GERSH_ERROR_IO;
    if (code == ENOMEM)
        status = GERSH_ERROR_MEMORY;
    else if (code == EINTR)
        status = GERSH_ERROR_CANCELLED;
    else if (code == ENOSPC || code == EDQUOT || code == EFBIG || code == EIO)
        status = GERSH_ERROR_DISK;
    return gersh__fail(status, "%s: %s: %s", subject, what, reason);
}

const char *gersh_last_error(void)
{
    return message;
}

const char *gersh_status_name(gersh_status status)
{
    static const char *const names[] = {"ok",     "argument", "input",     "io",  "unbalanced",
                                        "memory", "numeric",  "cancelled", "disk"};
    size_t count = sizeof names / sizeof names[0];
    return (size_t)status < count ? names[status] : "unknown";
}

const char *gersh_version(void)
{
    return TEXT(GERSH_VERSION_MAJOR) "." TEXT(GERSH_VERSION_MINOR) "." TEXT(GERSH_VERSION_PATCH);
}
