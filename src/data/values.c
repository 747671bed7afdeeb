/*
 * Distinct values among words. Two spellings of a number are one value when they are the same decimal
 * number, digit for digit: equal doubles would not do, since long identifiers that differ in their last
 * digits round to the same double.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "data/build.h"

typedef struct entry {
    const char *name;
    double number;
    size_t group; /* in order of first appearance */
} entry;

/*
 * Writes the number's normal form, sign, digits without zeros at either end, and exponent, into key
 * (strlen(text) + 32 bytes) and returns its length. The text is a number.
 */
static size_t normal_form(char *key, const char *text)
{
    const long long far = 1000000000000000;
    size_t used = 0, sign;
    long long exponent = 0, explicit_part = 0;
    int fraction = 0;
    key[used++] = 'n';
    if (*text == '-')
        key[used++] = '-';
    sign = used;
    for (text += *text == '-' || *text == '+'; *text == '.' || (*text >= '0' && *text <= '9'); text++) {
        if (*text == '.') {
            fraction = 1;
            continue;
        }
        exponent -= fraction;
        if (used > sign || *text != '0')
            key[used++] = *text;
    }
    if (used == sign) {
        memcpy(key, "n0", 2);
        return 2;
    }
    if (*text == 'e' || *text == 'E') {
        int minus = text[1] == '-';
        for (text += 1 + (text[1] == '-' || text[1] == '+'); *text != '\0'; text++)
            explicit_part = explicit_part < far ? explicit_part * 10 + (*text - '0') : explicit_part;
        exponent += minus ? -explicit_part : explicit_part;
    }
    for (; key[used - 1] == '0'; used--)
        exponent++;
    return used + (size_t)snprintf(key + used, 31, "e%lld", exponent);
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(((const entry *)a)->name, ((const entry *)b)->name);
}

static int by_number(const void *a, const void *b)
{
    double x = ((const entry *)a)->number, y = ((const entry *)b)->number;
    return x < y ? -1 : x > y ? 1 : by_bytes(a, b);
}

/* Groups the used words by value; entries gets one entry a group, of_word the group of each word. */
static gersh_status group_words(entry *entries, size_t *count, size_t *of_word, const gersh__words *words,
                                const unsigned char *used)
{
    gersh_status status = GERSH_ERROR_MEMORY;
    gersh__words keys = {0};
    size_t longest = 0;
    for (size_t w = 0; w < words->count; w++)
        longest = strlen(words->word[w]) > longest ? strlen(words->word[w]) : longest;
    char *key = gersh__alloc(longest + 32, 1);
    if (key == NULL)
        goto out;
    for (size_t w = 0; w < words->count; w++) {
        const char *text = words->word[w];
        size_t length = strlen(text);
        double number = NAN;
        of_word[w] = GERSH__NONE;
        if (used != NULL && !used[w])
            continue;
        if (gersh__parse_double(text, length, &number) == GERSH__NUMBER_OK) {
            length = normal_form(key, text);
        } else {
            key[0] = 't';
            memcpy(key + 1, text, length++);
        }
        size_t before = keys.count;
        size_t group = gersh__words_add(&keys, key, length);
        if (group == GERSH__NO_WORD)
            goto out;
        if (group == before)
            entries[group] = (entry){text, number, group};
        of_word[w] = group;
    }
    *count = keys.count;
    status = GERSH_OK;
out:
    gersh__words_clear(&keys);
    gersh__free(key);
    return status;
}

gersh_status gersh__values_find(gersh__values *out, const gersh__words *words, const unsigned char *used)
{
    gersh_status status = GERSH_ERROR_MEMORY;
    size_t count = 0;
    gersh__values values = {0};
    entry *entries = gersh__alloc(words->count, sizeof *entries);
    size_t *rank = gersh__alloc(words->count, sizeof *rank);
    *out = values;
    values.of_word = gersh__alloc(words->count, sizeof *values.of_word);
    if (entries == NULL || rank == NULL || values.of_word == NULL)
        goto out;
    status = group_words(entries, &count, values.of_word, words, used);
    if (status != GERSH_OK)
        goto out;
    values.numeric = 1;
    for (size_t g = 0; g < count; g++)
        values.numeric &= !isnan(entries[g].number);
    if (count > 1)
        qsort(entries, count, sizeof *entries, values.numeric ? by_number : by_bytes);

    status = GERSH_ERROR_MEMORY;
    values.name = gersh__alloc(count, sizeof *values.name);
    values.number = gersh__alloc(count, sizeof *values.number);
    if (values.name == NULL || values.number == NULL)
        goto out;
    values.count = count;
    for (size_t g = 0; g < count; g++) {
        rank[entries[g].group] = g;
        values.number[g] = entries[g].number;
        values.name[g] = gersh__text_copy(entries[g].name, strlen(entries[g].name));
        if (values.name[g] == NULL)
            goto out;
    }
    for (size_t w = 0; w < words->count; w++)
        if (values.of_word[w] != GERSH__NONE)
            values.of_word[w] = rank[values.of_word[w]];
    *out = values;
    status = GERSH_OK;
out:
    if (status != GERSH_OK)
        gersh__values_clear(&values);
    gersh__free(entries);
    gersh__free(rank);
    return status;
}

void gersh__values_clear(gersh__values *values)
{
    for (size_t g = 0; values->name != NULL && g < values->count; g++)
        gersh__free(values->name[g]);
    gersh__free(values->name);
    gersh__free(values->number);
    gersh__free(values->of_word);
    *values = (gersh__values){0};
}
