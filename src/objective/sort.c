/*
 * Insertion sort of a few entries. Many are sorted by digits of 11 bits, first by the upper
 * three: 21 bits of the fraction, which leave few entries of like digits. An insertion sort finishes that; where so many
 * entries are alike that it would take long, all digits are sorted.
 */
#include "objective/sort.h"
#include "base/policy.h"

#define DIGIT 11
#define DIGIT_VALUES (1 << DIGIT)

/* Gives up, with 0, after so many moves of entries; the order is then between the old one and the new. */
static int insertion(gersh__entry *entries, size_t count, size_t moves)
{
    for (size_t i = 1; i < count; i++) {
        gersh__entry moved = entries[i];
        size_t at = i;
        for (; at > 0 && entries[at - 1].key > moved.key; at--)
            entries[at] = entries[at - 1];
        entries[at] = moved;
        if (i - at > moves)
            return 0;
        moves -= i - at;
    }
    return 1;
}

static size_t digit_of(uint64_t key, int shift)
{
    return (size_t)(key >> shift) & (DIGIT_VALUES - 1);
}

/* Sorts by the digit at `shift` into to; 0 when that would change nothing, and nothing is done. */
static int sort_digit(gersh__entry *to, const gersh__entry *from, size_t count, int shift)
{
    size_t places[DIGIT_VALUES] = {0}, before = 0;
    for (size_t i = 0; i < count; i++)
        places[digit_of(from[i].key, shift)]++;
    if (places[digit_of(from[0].key, shift)] == count)
        return 0;
    for (size_t value = 0; value < DIGIT_VALUES; value++) {
        size_t here = places[value];
        places[value] = before;
        before += here;
    }
    for (size_t i = 0; i < count; i++)
        to[places[digit_of(from[i].key, shift)]++] = from[i];
    return 1;
}

gersh__entry *gersh__sort(gersh__entry *entries, gersh__entry *other, size_t count)
{
    static const int shifts[] = {0, 11, 22, 31, 42, 53};
    if (count * count <= DIGIT_VALUES) { /* all moves are fewer than the places of one digit */
        insertion(entries, count, DIGIT_VALUES);
        return entries;
    }
    for (int first = 3; first >= 0; first -= 3) {
        for (int digit = first; digit < 6; digit++) {
            if (!sort_digit(other, entries, count, shifts[digit]))
                continue;
            gersh__entry *swap = entries;
            entries = other;
            other = swap;
        }
        if (first == 3 && insertion(entries, count, GERSH__INSERTION_MOVES * count))
            break;
    }
    return entries;
}
