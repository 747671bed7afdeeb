/* Names of features or classes: that they differ, and which one a text means, in time that their length decides. */
#ifndef GERSH_SRC_DATA_NAMES_H
#define GERSH_SRC_DATA_NAMES_H

#include "base/words.h"
#include "gersh/base.h"

typedef struct gersh__names {
    gersh__words words; /* in the order of the names */
    struct gersh__names_number
        *number; /* the names that are numbers, ascending, of equal ones the first name first */
    size_t numbers;
} gersh__names;

/*
 * Fails with a sentence that begins with `what`, such as "feature", where two names are the same, or where one is empty
 * and that is not allowed.
 */
gersh_status gersh__names_new(gersh__names *out, const char *what, char *const *names, size_t count,
                              int may_be_empty);
void gersh__names_clear(gersh__names *names);

/* The same check alone. */
gersh_status gersh__names_check(const char *what, char *const *names, size_t count, int may_be_empty);

/* Which name is this, or is this number ("1" and "1.0"); GERSH__NO_WORD for none. */
size_t gersh__names_find(const gersh__names *names, const char *text);
size_t gersh__names_find_number(const gersh__names *names, double number);

#endif
