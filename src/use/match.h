/* What matching and predicting share; see gersh/predict.h. */
#ifndef GERSH_SRC_USE_MATCH_H
#define GERSH_SRC_USE_MATCH_H

#include "base/words.h"
#include "gersh/predict.h"

/* The classes of a model, to be found by name or by number. */
typedef struct gersh__match_classes {
    gersh__words names;                  /* in the order of the classes */
    struct gersh__match_number *numbers; /* ascending, those that are the same number by class */
    size_t count;
} gersh__match_classes;

gersh_status gersh__match_classes_new(gersh__match_classes *out, const gersh_model *model);
void gersh__match_classes_clear(gersh__match_classes *classes);

/*
 * The class with that name, or with the same number ("1" and "1.0"); GERSH__NONE when there is none.
 */
size_t gersh__match_class(const gersh__match_classes *classes, const char *name);

/* Whether it is x1, x2, ...: the name of a column without one. */
int gersh__match_automatic(const char *name);

/* Appends a copy of the name to the list of ignored columns. */
gersh_status gersh__match_note(gersh_matched *matched, const char *name);

/* The sentence for a column that is missing; `others`, count of them, are names that it may stand under. */
gersh_status gersh__match_missing(const char *name, const char *const *others, size_t count);

void gersh__free_texts(char **texts, size_t count);

#endif
