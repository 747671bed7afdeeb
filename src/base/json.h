/* Values as JSON: each returns a new reference, or NULL when memory is short. And what JSON takes. */
#ifndef GERSH_SRC_BASE_JSON_H
#define GERSH_SRC_BASE_JSON_H

#include <jansson.h>

json_t *gersh__json_reals(const double *values, size_t count);
json_t *gersh__json_texts(char *const *texts, size_t count);

/* Text as a JSON string; where it is not UTF-8, which JSON cannot hold, as it is shown (base/clean.h). */
json_t *gersh__json_text(const char *text);

/* Makes every text of the array or object what is shown of it, for a page that only shows them. 0, or not when memory is short. */
int gersh__json_show(json_t *value);

/*
 * Bytes of memory that the values of the text take at most, whatever it holds: a text of a few bytes for each value can
 * take eighty times its own size.
 */
double gersh__json_bytes(const char *text, size_t length);

/* A number, or null where there is none or it is not finite. */
json_t *gersh__json_number(int there, double value);

/*
 * Append the value to the list, and set the member of the object. Both take the value over and return the list or the
 * object. When memory is short, now or when the list or the value was made, they free both and return NULL: of many in
 * a row, only the last result needs a look.
 */
json_t *gersh__json_append(json_t *list, json_t *value);
json_t *gersh__json_set(json_t *object, const char *name, json_t *value);

/*
 * The document as text (gersh__free), NULL when memory is short; flags as of json_dumps, which leaves out names of
 * members that it has no memory for. Characters that base/clean.h lists are \u escapes in it.
 */
char *gersh__json_dump(const json_t *document, size_t flags);

/* The same into a file. */
void gersh__json_write(FILE *file, const json_t *document, size_t flags);

#endif
