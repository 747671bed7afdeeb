/* What the library has for itself and hands out to nobody: memory, failures, texts, numbers and time. */
#ifndef GERSH_REPRODUCE_TOOLS_H
#define GERSH_REPRODUCE_TOOLS_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "gersh/base.h"

#define REPRO_PRINTF(at) __attribute__((format(printf, at, at + 1)))

enum { REPRO_MESSAGE_SIZE = 1024 };

/* Memory, given back with free(): count × size zeroed bytes; and as realloc(), the old block staying on a failure. NULL where it
 * is short, which is a failure of GERSH_ERROR_MEMORY. */
void *repro_alloc(size_t count, size_t size);
void *repro_realloc(void *block, size_t count, size_t size);

/* Texts made by a format, and a copy; NULL when memory is short. */
char *repro_format(const char *format, ...) REPRO_PRINTF(1);
char *repro_format_list(const char *format, va_list list) __attribute__((format(printf, 1, 0)));
char *repro_copy(const char *text);

/* Keeps the sentence for repro_error and returns the status; the second makes it of an errno: "SUBJECT: WHAT: why". */
gersh_status repro_fail(gersh_status status, const char *format, ...) REPRO_PRINTF(2);
gersh_status repro_fail_errno(int code, const char *subject, const char *what);

/* The last failure since repro_forget, or else the library's. */
const char *repro_error(void);
void repro_forget(void);

/* Reads the whole of text[0..length) as a finite decimal number. Returns whether it is one; *value is set only then. */
int repro_parse_number(const char *text, size_t length, double *value);

double repro_seconds(void); /* of a clock that only goes forward */

/* The library's generator: xoshiro256**, its state filled by splitmix64, so that a seed gives the numbers that it gives there. */
typedef struct repro_random {
    uint64_t state[4];
} repro_random;

void repro_random_seed(repro_random *random, uint64_t seed);
double repro_random_uniform(repro_random *random); /* in [0, 1) */
double repro_random_normal(repro_random *random);  /* mean 0, variance 1 */

#endif
