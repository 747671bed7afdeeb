/*
 * Tuples: made from memory, copied, and checked.
 *
 * Two tuples contradict each other where one says the opposite of the other: a pair both similar and
 * dissimilar, or a comparison both ways. They are found by sorting: each tuple is written as a key, the
 * same for both ways, and a side.
 */
#include "data/tuples.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "data/build.h"

static const char *const singular[] = {"pair", "triplet", "quadruplet"};

const char *gersh_tuple_kind_name(gersh_tuple_kind kind)
{
    static const char *const names[] = {"pairs", "triplets", "quadruplets"};
    return (size_t)kind < sizeof names / sizeof names[0] ? names[kind] : "unknown";
}

size_t gersh_tuple_size(gersh_tuple_kind kind)
{
    return (size_t)kind + 2;
}

void gersh_tuples_free(gersh_tuples *tuples)
{
    if (tuples == NULL)
        return;
    gersh__free(tuples->row);
    gersh__free(tuples->similar);
    gersh__free(tuples);
}

gersh_status gersh__tuples_alloc(gersh_tuples **out, gersh_tuple_kind kind, size_t count)
{
    *out = NULL;
    gersh_tuples *tuples = gersh__alloc(1, sizeof *tuples);
    if (tuples == NULL)
        return GERSH_ERROR_MEMORY;
    tuples->kind = kind;
    tuples->count = count;
    tuples->row = gersh__alloc(count, gersh_tuple_size(kind) * sizeof *tuples->row);
    if (kind == GERSH_PAIRS)
        tuples->similar = gersh__alloc(count, sizeof *tuples->similar);
    if (tuples->row == NULL || (kind == GERSH_PAIRS && tuples->similar == NULL)) {
        gersh_tuples_free(tuples);
        return GERSH_ERROR_MEMORY;
    }
    *out = tuples;
    return GERSH_OK;
}

gersh_status gersh__tuples_copy(gersh_tuples **out, const gersh_tuples *tuples)
{
    gersh_status status = gersh__tuples_alloc(out, tuples->kind, tuples->count);
    if (status != GERSH_OK)
        return status;
    memcpy((*out)->row, tuples->row, tuples->count * gersh_tuple_size(tuples->kind) * sizeof *tuples->row);
    if (tuples->similar != NULL)
        memcpy((*out)->similar, tuples->similar, tuples->count * sizeof *tuples->similar);
    return GERSH_OK;
}

/* Where tuples come from, for messages. */
typedef struct source {
    const gersh_tuples *tuples;
    const gersh__table *table; /* or NULL */
} source;

static gersh_status fault(const source *s, size_t tuple, size_t column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static gersh_status fault(const source *s, size_t tuple, size_t column, const char *format, ...)
{
    char text[GERSH__MESSAGE_SIZE];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (s->table != NULL)
        return gersh__cell_fail(s->table, tuple, column, "%s", text);
    return gersh__fail(GERSH_ERROR_ARGUMENT, "%s %zu: %s", singular[s->tuples->kind], tuple + 1, text);
}

/* The two rows that must differ, by their columns. */
static gersh_status check_two(const source *s, size_t tuple, size_t first, size_t second)
{
    const size_t *row = s->tuples->row + tuple * gersh_tuple_size(s->tuples->kind);
    if (row[first] != row[second])
        return GERSH_OK;
    return fault(s, tuple, second, "row %zu%s is compared with itself; name two different rows",
                 row[first] + (s->table != NULL), s->table != NULL ? "" : " (counted from 0)");
}

static int same_pair(const size_t *a, const size_t *b)
{
    return (a[0] == b[0] && a[1] == b[1]) || (a[0] == b[1] && a[1] == b[0]);
}

static gersh_status check_one(const source *s, size_t tuple, size_t rows)
{
    size_t size = gersh_tuple_size(s->tuples->kind);
    const size_t *row = s->tuples->row + tuple * size;
    for (size_t c = 0; c < size; c++)
        if (row[c] >= rows)
            return fault(s, tuple, c, "there is no row %zu (counted from 0); the data has %zu rows", row[c],
                         rows);
    gersh_status status = check_two(s, tuple, 0, 1);
    if (status == GERSH_OK && s->tuples->kind == GERSH_TRIPLETS) {
        status = check_two(s, tuple, 0, 2);
        if (status == GERSH_OK)
            status = check_two(s, tuple, 1, 2);
    }
    if (status != GERSH_OK || s->tuples->kind != GERSH_QUADRUPLETS)
        return status;
    status = check_two(s, tuple, 2, 3);
    if (status == GERSH_OK && same_pair(row, row + 2))
        status = fault(s, tuple, 2, "a pair of rows is compared with itself; name two different pairs");
    return status;
}

typedef struct key {
    size_t part[4];
    int side;
    size_t tuple;
} key;

static void sort_two(size_t *a)
{
    if (a[0] > a[1]) {
        size_t swap = a[0];
        a[0] = a[1];
        a[1] = swap;
    }
}

static key key_of(const gersh_tuples *tuples, size_t tuple)
{
    key k = {.tuple = tuple};
    const size_t *row = tuples->row + tuple * gersh_tuple_size(tuples->kind);
    memcpy(k.part, row, gersh_tuple_size(tuples->kind) * sizeof *row);
    switch (tuples->kind) {
    case GERSH_PAIRS:
        k.side = tuples->similar[tuple] != 0;
        sort_two(k.part);
        break;
    case GERSH_TRIPLETS:
        k.side = row[1] < row[2];
        sort_two(k.part + 1);
        break;
    case GERSH_QUADRUPLETS:
        sort_two(k.part);
        sort_two(k.part + 2);
        k.side = k.part[0] != k.part[2] ? k.part[0] < k.part[2] : k.part[1] < k.part[3];
        if (!k.side) {
            size_t first[2] = {k.part[0], k.part[1]};
            memcpy(k.part, k.part + 2, sizeof first);
            memcpy(k.part + 2, first, sizeof first);
        }
        break;
    }
    return k;
}

static int compare_parts(const key *a, const key *b)
{
    for (int p = 0; p < 4; p++)
        if (a->part[p] != b->part[p])
            return a->part[p] < b->part[p] ? -1 : 1;
    return 0;
}

static int by_key(const void *left, const void *right)
{
    const key *a = left, *b = right;
    int order = compare_parts(a, b);
    return order != 0 ? order : a->tuple < b->tuple ? -1 : a->tuple > b->tuple;
}

static gersh_status check_contradictions(const source *s)
{
    size_t count = s->tuples->count, worst = count, other = 0;
    key *keys = gersh__alloc(count, sizeof *keys);
    if (keys == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t t = 0; t < count; t++)
        keys[t] = key_of(s->tuples, t);
    qsort(keys, count, sizeof *keys, by_key);
    for (size_t t = 1; t < count; t++)
        if (compare_parts(&keys[t - 1], &keys[t]) == 0 && keys[t - 1].side != keys[t].side &&
            keys[t].tuple < worst) {
            worst = keys[t].tuple;
            other = keys[t - 1].tuple;
        }
    gersh__free(keys);
    if (worst == count)
        return GERSH_OK;
    int lines = s->table != NULL && s->table->lines != NULL;
    return fault(s, worst, s->tuples->kind == GERSH_PAIRS ? 2 : 1,
                 "says the opposite of %s %zu; leave one of the two out",
                 lines ? "line" : singular[s->tuples->kind], lines ? s->table->lines[other] : other + 1);
}

gersh_status gersh__tuples_check(const gersh_tuples *tuples, size_t rows, const gersh__table *table)
{
    source s = {tuples, table};
    gersh_status status = GERSH_OK;
    if ((size_t)tuples->kind > GERSH_QUADRUPLETS || tuples->count == 0 || tuples->row == NULL ||
        (tuples->kind == GERSH_PAIRS) != (tuples->similar != NULL))
        return gersh__fail(
            GERSH_ERROR_ARGUMENT,
            "the tuples are of an unknown kind, or there are none, or not for exactly the kind "
            "GERSH_PAIRS is said which are similar");
    for (size_t t = 0; t < tuples->count && status == GERSH_OK; t++)
        status = check_one(&s, t, rows);
    return status == GERSH_OK ? check_contradictions(&s) : status;
}

gersh_status gersh_tuples_new(gersh_tuples **out, gersh_tuple_kind kind, size_t count, const size_t *row,
                              const int *similar, size_t rows)
{
    *out = NULL;
    /* Only looked at until it is copied. */
    gersh_tuples given = {kind, count, (size_t *)row, (int *)similar};
    gersh_status status = gersh__check_array(count, 4, sizeof *row);
    if (status == GERSH_OK)
        status = gersh__tuples_check(&given, rows, NULL);
    if (status == GERSH_OK)
        status = gersh__tuples_copy(out, &given);
    for (size_t t = 0; status == GERSH_OK && similar != NULL && t < count; t++)
        (*out)->similar[t] = similar[t] != 0;
    return status;
}
