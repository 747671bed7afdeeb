/* A set of words, each with a number in the order of first appearance. Start it as {0}. */
#ifndef GERSH_SRC_BASE_WORDS_H
#define GERSH_SRC_BASE_WORDS_H

#include <stddef.h>

#define GERSH__NO_WORD ((size_t)-1)

typedef struct gersh__words {
    char **word; /* count words, each with a final NUL */
    size_t count;
    size_t capacity;
    size_t *slots; /* hash table of word numbers + 1; 0 is free */
    size_t slot_count;
} gersh__words;

/* The number of the word, added when it is new; GERSH__NO_WORD when memory is short. */
size_t gersh__words_add(gersh__words *words, const char *text, size_t length);

/* The number of the word, or GERSH__NO_WORD when it is not there. */
size_t gersh__words_find(const gersh__words *words, const char *text, size_t length);

void gersh__words_clear(gersh__words *words);

#endif
