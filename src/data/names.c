/* Names of features or classes; see names.h. */
#include "data/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"

struct gersh__names_number {
    double value;
    size_t which;
};

static int by_value(const void *left, const void *right)
{
    const struct gersh__names_number *a = left, *b = right;
    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    return a->which < b->which ? -1 : a->which > b->which;
}

gersh_status gersh__names_new(gersh__names *out, const char *what, char *const *names, size_t count,
                              int may_be_empty)
{
    *out = (gersh__names){.number = gersh__alloc(count, sizeof *out->number)};
    if (out->number == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t i = 0; i < count; i++) {
        char excerpt[GERSH__EXCERPT_SIZE];
        double value = 0;
        size_t length = strlen(names[i]), which = gersh__words_add(&out->words, names[i], length);
        if (which == GERSH__NO_WORD)
            return GERSH_ERROR_MEMORY;
        if (length == 0 && !may_be_empty)
            return gersh__fail(GERSH_ERROR_INPUT, "%s: number %zu has no name; give each one a name", what,
                               i + 1);
        if (which != i)
            return gersh__fail(
                GERSH_ERROR_INPUT,
                "%s: numbers %zu and %zu have the same name, '%s'; give each one a name of its own", what,
                which + 1, i + 1, gersh__text_excerpt(excerpt, sizeof excerpt, names[i], length));
        if (gersh__parse_double(names[i], length, &value) == GERSH__NUMBER_OK)
            out->number[out->numbers++] = (struct gersh__names_number){value, i};
    }
    qsort(out->number, out->numbers, sizeof *out->number, by_value);
    return GERSH_OK;
}

void gersh__names_clear(gersh__names *names)
{
    gersh__words_clear(&names->words);
    gersh__free(names->number);
    *names = (gersh__names){0};
}

gersh_status gersh__names_check(const char *what, char *const *names, size_t count, int may_be_empty)
{
    gersh__names all;
    gersh_status status = gersh__names_new(&all, what, names, count, may_be_empty);
    gersh__names_clear(&all);
    return status;
}

size_t gersh__names_find_number(const gersh__names *names, double number)
{
    size_t low = 0, high = names->numbers;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (names->number[middle].value < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < names->numbers && names->number[low].value == number ? names->number[low].which
                                                                      : GERSH__NO_WORD;
}

size_t gersh__names_find(const gersh__names *names, const char *text)
{
    double number = 0;
    size_t found = gersh__words_find(&names->words, text, strlen(text));
    if (found != GERSH__NO_WORD || gersh__parse_double(text, strlen(text), &number) != GERSH__NUMBER_OK)
        return found;
    return gersh__names_find_number(names, number);
}
