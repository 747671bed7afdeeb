/* Numbers and words in text, without the locale's help. */
#ifndef GERSH_SRC_BASE_TEXT_H
#define GERSH_SRC_BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>

typedef enum gersh__number {
    GERSH__NUMBER_OK,
    GERSH__NUMBER_NONE,  /* not a number at all */
    GERSH__NUMBER_LARGE, /* a number beyond the range of double */
    GERSH__NUMBER_INF,   /* inf, infinity, with or without a sign */
    GERSH__NUMBER_NAN    /* nan, with or without a sign */
} gersh__number;

/*
 * Reads the whole of text[0..length) as a decimal number: [+-]digits[.digits][e[+-]digits], '.' whatever
 * the locale. Correctly rounded; too small becomes 0. *value is set only on GERSH__NUMBER_OK.
 */
gersh__number gersh__parse_double(const char *text, size_t length, double *value);

/* Reads the whole of text as a whole number from low to high; returns 0, or -1. */
int gersh__parse_whole(const char *text, size_t length, uint64_t low, uint64_t high, uint64_t *value);

/* 1 when the two are equal but for ASCII case. */
int gersh__text_same(const char *a, const char *b);

/* The word of names[0..count) nearest to word by at most a third of its letters wrong, or NULL. */
const char *gersh__text_nearest(const char *word, const char *const *names, size_t count);

/* 1 when the text is UTF-8. */
int gersh__text_is_utf8(const char *text);

/*
 * Writes text into out (size bytes) for use in a message: at most 40 characters, cleaned (see clean.h), and "…"
 * after a cut. Returns out.
 */
const char *gersh__text_excerpt(char *out, size_t size, const char *text, size_t length);
#define GERSH__EXCERPT_SIZE 192

/* Letters of a list of names in a message, and names at most. */
enum { GERSH__NAME_LIST = 256, GERSH__LISTED_NAMES = 64 };

/* "a, b or c" in `list`, of that size, with `last` (" or ") before the last name; what has no room is left out. Returns list. */
const char *gersh__text_list(char *list, size_t size, const char *const *names, size_t count,
                             const char *last);

#endif
