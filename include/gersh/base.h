/*
 * Status codes, the last error message, cancellation and version.
 *
 * Every function of the library that can fail returns a gersh_status; gersh_last_error() then holds
 * one sentence that names the file, line and column, or the argument, and says what to do. The message
 * belongs to the calling thread and stays until that thread's next failing call.
 *
 * A pointer may be NULL only where the comment on the function or member says so. What a function tells besides its main
 * result (info, count, ...) may always be left out so.
 */
#ifndef GERSH_BASE_H
#define GERSH_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GERSH_VERSION_MAJOR 0
#define GERSH_VERSION_MINOR 1
#define GERSH_VERSION_PATCH 0

#if defined(__GNUC__)
#define GERSH_API __attribute__((visibility("default")))
#else
#define GERSH_API
#endif

typedef enum gersh_status {
    GERSH_OK = 0,
    GERSH_ERROR_ARGUMENT,   /* a call or an option that makes no sense */
    GERSH_ERROR_INPUT,      /* a file or data set that is not what was expected */
    GERSH_ERROR_IO,         /* a file that cannot be opened, read or written */
    GERSH_ERROR_UNBALANCED, /* a signed graph with a cycle of an odd number of negative edges */
    GERSH_ERROR_MEMORY,     /* an allocation failed */
    GERSH_ERROR_NUMERIC,    /* a numerical routine did not succeed */
    GERSH_ERROR_CANCELLED,  /* the caller's gersh_cancel was requested before there was a result */
    GERSH_ERROR_DISK        /* a disk that is full or broken */
} gersh_status;

/* One sentence on the calling thread's last failure; "" when nothing failed yet. Never NULL. */
GERSH_API const char *gersh_last_error(void);

/* A short name such as "input" for messages and tests. */
GERSH_API const char *gersh_status_name(gersh_status status);

/*
 * A flag that asks a running computation to stop. Start it as {0}. gersh_cancel_request may be called
 * from another thread or from a signal handler.
 */
typedef struct gersh_cancel {
    int requested;
} gersh_cancel;

GERSH_API void gersh_cancel_request(gersh_cancel *cancel);
GERSH_API int gersh_cancel_requested(const gersh_cancel *cancel); /* 0 for NULL */

/*
 * Gives back memory that a function of the library handed out and whose comment says free(); NULL is left alone. It is what the C
 * library's free() does, for callers that do not have the one that the library uses, as from other languages.
 */
GERSH_API void gersh_free(void *memory);

/*
 * The text as it can be shown to people: control characters, bytes that are not UTF-8, and characters that change the direction of
 * text or break lines become escapes such as \x1B and \u202E. Names, labels and settings of files may hold anything, and a
 * terminal obeys it; messages of the library are clean already. `out` gets as much as its `size` bytes (at least 1) have room
 * for, in whole characters, with a final NUL; four times the text's bytes and 1 are always enough. Returns out. Any thread may call it.
 */
GERSH_API char *gersh_text_clean(char *out, size_t size, const char *text);

/* The library's version, "major.minor.patch". */
GERSH_API const char *gersh_version(void);

/* What the hot loops use on this machine: "baseline", "avx2" or "avx512". */
GERSH_API const char *gersh_cpu_level(void);

#ifdef __cplusplus
}
#endif
#endif
