/* Open addressing with linear probing, at most half full; FNV-1a hash. */
#include "base/words.h"

#include <stdint.h>
#include <string.h>

#include "base/alloc.h"

static size_t hash(const char *text, size_t length)
{
    uint64_t h = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < length; i++)
        h = (h ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
    return (size_t)(h ^ (h >> 32));
}

/* The slot that holds the word, or the free one where it would go. */
static size_t probe(const gersh__words *words, const char *text, size_t length)
{
    size_t slot = hash(text, length) & (words->slot_count - 1);
    while (words->slots[slot] != 0) {
        const char *there = words->word[words->slots[slot] - 1];
        if (strlen(there) == length && memcmp(there, text, length) == 0)
            break;
        slot = (slot + 1) & (words->slot_count - 1);
    }
    return slot;
}

static int enlarge(gersh__words *words)
{
    gersh__words larger = *words;
    larger.slot_count = words->slot_count ? words->slot_count * 2 : 16;
    larger.slots = gersh__alloc(larger.slot_count, sizeof *larger.slots);
    if (larger.slots == NULL)
        return -1;
    for (size_t i = 0; i < words->count; i++)
        larger.slots[probe(&larger, words->word[i], strlen(words->word[i]))] = i + 1;
    gersh__free(words->slots);
    *words = larger;
    return 0;
}

size_t gersh__words_find(const gersh__words *words, const char *text, size_t length)
{
    if (words->slot_count == 0)
        return GERSH__NO_WORD;
    return words->slots[probe(words, text, length)] - 1; /* a free slot gives GERSH__NO_WORD */
}

size_t gersh__words_add(gersh__words *words, const char *text, size_t length)
{
    size_t found = gersh__words_find(words, text, length);
    if (found != GERSH__NO_WORD)
        return found;
    if (2 * (words->count + 1) > words->slot_count && enlarge(words) != 0)
        return GERSH__NO_WORD;
    if (gersh__grow(&words->word, &words->capacity, words->count + 1, sizeof *words->word) != 0)
        return GERSH__NO_WORD;
    char *copy = gersh__text_copy(text, length);
    if (copy == NULL)
        return GERSH__NO_WORD;
    size_t slot = probe(words, text, length);
    words->word[words->count] = copy;
    words->slots[slot] = ++words->count;
    return words->count - 1;
}

void gersh__words_clear(gersh__words *words)
{
    for (size_t i = 0; i < words->count; i++)
        gersh__free(words->word[i]);
    gersh__free(words->word);
    gersh__free(words->slots);
    *words = (gersh__words){0};
}
