/*
 * Untrusted text for people to read. Names, labels, settings and file names may hold anything; whatever shows them,
 * shows them through this.
 *
 * Written as escapes are: control characters (C0, DEL, and C1, also as UTF-8), which a terminal obeys; bytes that are
 * not UTF-8, among which 0x9B is a control character to some terminals; the characters that set the direction of text,
 * which make it read otherwise than it is (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069); and the
 * separators of lines and paragraphs (U+2028, U+2029).
 */
#ifndef GERSH_SRC_BASE_CLEAN_H
#define GERSH_SRC_BASE_CLEAN_H

#include <stddef.h>
#include <stdio.h>

typedef enum gersh__clean_form {
    GERSH__CLEAN_SHOWN, /* for terminals, messages and pages: \x1B for a byte, \u202E for a character of several */
    GERSH__CLEAN_JSON, /* the text of a JSON document, whose newlines stay: \u001B, which any parser takes back */
    GERSH__CLEAN_HTML, /* a JSON document within an element of a page: <, > and & are escaped as well */
    GERSH__CLEAN_DOT   /* within a quoted string of the DOT language, so that the picture shows \x1B */
} gersh__clean_form;

enum { GERSH__CLEAN_SIZE = 8 };

/*
 * Writes the first character of text, which has `left` bytes (at least 1), into out with a final NUL: as it is, or as an
 * escape. *length: bytes of out. Returns the bytes of text that it stands for.
 */
size_t gersh__clean_character(char out[GERSH__CLEAN_SIZE], size_t *length, gersh__clean_form form,
                              const char *text, size_t left);

/* As much of the text, cleaned, as out (size bytes) has room for in whole characters and escapes. Returns out. */
char *gersh__clean_text(char *out, size_t size, gersh__clean_form form, const char *text);

/* Gives `put` the cleaned text in pieces, and writes it into a file. */
typedef void (*gersh__clean_sink)(void *context, const char *piece, size_t length);
void gersh__clean_each(gersh__clean_form form, const char *text, size_t length, gersh__clean_sink put,
                       void *context);
void gersh__clean_put(FILE *file, gersh__clean_form form, const char *text, size_t length);

/* Bytes of the UTF-8 character at text, of which there are `left`; 0 when it is not UTF-8. */
size_t gersh__utf8_length(const char *text, size_t left);

#endif
