/* What matching and predicting share; see gersh/predict.h. */
#ifndef GERSH_SRC_PREDICT_MATCH_H
#define GERSH_SRC_PREDICT_MATCH_H

#include "gersh/predict.h"

/* Whether it is x1, x2, ...: the name of a column without one. */
int gersh__match_automatic(const char *name);

/* Appends a copy of the name to the list of ignored columns. */
gersh_status gersh__match_note(gersh_matched *matched, const char *name);

/* The sentence for a column that is missing; `others`, count of them, are names that it may stand under. */
gersh_status gersh__match_missing(const char *name, const char *const *others, size_t count);

void gersh__free_texts(char **texts, size_t count);

#endif
