/*
 * Tuples as explicit pairs. Pairs stay as they are; triplets and quadruplets compare two pairs each, and a
 * pair that occurs in several of them is listed once: sorted, without repetitions, and found by bisection.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "data/tuples.h"
#include "pairs/storage.h"

typedef struct ends {
    size_t low, high;
} ends;

/* The tuples all of whose rows have a weight above 0. */
static gersh_status keep_present(gersh_tuples **out, const gersh_tuples *tuples, const double *weight)
{
    size_t size = gersh_tuple_size(tuples->kind), kept = 0;
    gersh_status status = gersh__tuples_copy(out, tuples);
    if (status != GERSH_OK)
        return status;
    for (size_t t = 0; t < tuples->count; t++) {
        int present = 1;
        for (size_t c = 0; weight != NULL && c < size; c++)
            present = present && weight[tuples->row[t * size + c]] != 0;
        if (!present)
            continue;
        memcpy((*out)->row + kept * size, tuples->row + t * size, size * sizeof *tuples->row);
        if (tuples->similar != NULL)
            (*out)->similar[kept] = tuples->similar[t] != 0;
        kept++;
    }
    (*out)->count = kept;
    if (kept == 0) {
        gersh_tuples_free(*out);
        *out = NULL;
        return gersh__fail(GERSH_ERROR_INPUT,
                           "all %s have a row of weight 0; at least one of them must count",
                           gersh_tuple_kind_name(tuples->kind));
    }
    return GERSH_OK;
}

static ends ends_of(size_t a, size_t b)
{
    return a < b ? (ends){a, b} : (ends){b, a};
}

static int by_ends(const void *left, const void *right)
{
    const ends *a = left, *b = right;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    return a->high < b->high ? -1 : a->high > b->high;
}

/* The pair of tuple t that is to be the shorter one, or the longer one. */
static ends compared_ends(const gersh_tuples *tuples, size_t t, int far)
{
    const size_t *row = tuples->row + t * gersh_tuple_size(tuples->kind);
    if (tuples->kind == GERSH_TRIPLETS)
        return ends_of(row[0], row[far ? 2 : 1]);
    return ends_of(row[far ? 2 : 0], row[far ? 3 : 1]);
}

static size_t find(const ends *list, size_t count, ends wanted)
{
    const ends *found = bsearch(&wanted, list, count, sizeof *list, by_ends);
    return (size_t)(found - list);
}

/* All pairs of the tuples: for comparisons sorted, each once. */
static gersh_status list_ends(ends **out, size_t *count, const gersh_tuples *tuples)
{
    int pairs = tuples->kind == GERSH_PAIRS;
    size_t filled = 0;
    ends *list = *out = gersh__alloc(tuples->count, (pairs ? 1 : 2) * sizeof *list);
    if (list == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t t = 0; t < tuples->count; t++) {
        if (pairs) {
            list[filled++] = ends_of(tuples->row[2 * t], tuples->row[2 * t + 1]);
            continue;
        }
        list[filled++] = compared_ends(tuples, t, 0);
        list[filled++] = compared_ends(tuples, t, 1);
    }
    *count = filled;
    if (pairs)
        return GERSH_OK;
    qsort(list, filled, sizeof *list, by_ends);
    *count = 0;
    for (size_t e = 0; e < filled; e++)
        if (e == 0 || by_ends(&list[e - 1], &list[e]) != 0)
            list[(*count)++] = list[e];
    return GERSH_OK;
}

static gersh_status compare(gersh__pairs *pairs, const gersh_tuples *tuples, const ends *list,
                            const double *weight)
{
    size_t size = gersh_tuple_size(tuples->kind);
    gersh__supervision *s = pairs->supervision;
    gersh__comparisons *c = s->comparisons = gersh__alloc(1, sizeof *c);
    if (c == NULL)
        return GERSH_ERROR_MEMORY;
    s->kind = tuples->kind;
    s->chunks = (gersh__chunks){1, {0, tuples->count}};
    c->count = tuples->count;
    c->near = gersh__alloc(c->count, sizeof *c->near);
    c->far = gersh__alloc(c->count, sizeof *c->far);
    c->weight = gersh__alloc(c->count, sizeof *c->weight);
    if (s->kind == GERSH_TRIPLETS)
        c->anchor = gersh__alloc(c->count, sizeof *c->anchor);
    if (!c->near || !c->far || !c->weight || (s->kind == GERSH_TRIPLETS && !c->anchor))
        return GERSH_ERROR_MEMORY;
    for (size_t t = 0; t < c->count; t++) {
        c->near[t] = find(list, pairs->count, compared_ends(tuples, t, 0));
        c->far[t] = find(list, pairs->count, compared_ends(tuples, t, 1));
        c->weight[t] = 1;
        for (size_t r = 0; weight != NULL && r < size; r++)
            c->weight[t] *= weight[tuples->row[t * size + r]];
        if (c->anchor != NULL) {
            uint32_t first, second;
            gersh__pairs_ends(pairs, c->near[t], 1, &first, &second);
            c->anchor[t] = pairs->row[first] == tuples->row[t * size] ? first : second;
        }
    }
    return GERSH_OK;
}

gersh_status gersh__pairs_new_tuples(gersh__pairs **out, const gersh_dataset *data, const double *weight,
                                     const gersh_tuples *tuples, gersh__pool *pool)
{
    gersh_tuples *kept = NULL;
    ends *list = NULL;
    size_t count = 0, *first = NULL, *second = NULL;
    *out = NULL;
    gersh_status status = keep_present(&kept, tuples, weight);
    if (status == GERSH_OK)
        status = list_ends(&list, &count, kept);
    if (status == GERSH_OK) {
        first = gersh__alloc(count, sizeof *first);
        second = gersh__alloc(count, sizeof *second);
        status = first != NULL && second != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
    }
    for (size_t p = 0; status == GERSH_OK && p < count; p++) {
        first[p] = list[p].high;
        second[p] = list[p].low;
    }
    if (status == GERSH_OK)
        status = gersh__pairs_new(out, data, weight, count, first, second, pool);
    if (status == GERSH_OK && kept->kind == GERSH_PAIRS) {
        (*out)->supervision->similar = kept->similar;
        kept->similar = NULL;
    } else if (status == GERSH_OK) {
        status = compare(*out, kept, list, weight);
    }
    if (status != GERSH_OK) {
        gersh__pairs_free(*out);
        *out = NULL;
    }
    gersh_tuples_free(kept);
    gersh__free(list);
    gersh__free(first);
    gersh__free(second);
    return status;
}
