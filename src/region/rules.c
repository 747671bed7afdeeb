/* What may be said of pairs of features beforehand: a sorted list of rules for each feature. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "region/rules.h"

/* Signs that M_ij may have, as bits. */
enum { MAY_BE_NEGATIVE = 1, MAY_BE_POSITIVE = 2 };

typedef struct entry {
    size_t i, j;
    int signs;
} entry;

struct gersh__rules {
    size_t features;
    int others;    /* signs of pairs that no rule names */
    size_t *start; /* features + 1: the entries of each i */
    entry *list;   /* by i, then j; every rule twice */
};

void gersh__rules_free(gersh__rules *rules)
{
    if (rules == NULL)
        return;
    gersh__free(rules->start);
    gersh__free(rules->list);
    gersh__free(rules);
}

static int by_place(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->i != y->i)
        return x->i < y->i ? -1 : 1;
    return x->j < y->j ? -1 : x->j > y->j;
}

static int signs_of(gersh_edge_kind kind)
{
    switch (kind) {
    case GERSH_EDGE_FORBIDDEN:
        return 0;
    case GERSH_EDGE_POSITIVE: /* the weight is −M_ij */
        return MAY_BE_NEGATIVE;
    case GERSH_EDGE_NEGATIVE:
        return MAY_BE_POSITIVE;
    case GERSH_EDGE_ALLOWED:
        break;
    }
    return MAY_BE_NEGATIVE | MAY_BE_POSITIVE;
}

gersh_status gersh__rules_new(gersh__rules **out, size_t features, const gersh_edge_rule *rule,
                              size_t count)
{
    *out = NULL;
    gersh__rules *rules = gersh__alloc(1, sizeof *rules);
    if (rules == NULL)
        return GERSH_ERROR_MEMORY;
    rules->features = features;
    rules->others = MAY_BE_NEGATIVE | MAY_BE_POSITIVE;
    rules->start = gersh__alloc(features + 1, sizeof *rules->start);
    rules->list = gersh__alloc(count, 2 * sizeof *rules->list);
    gersh_status status = rules->start && rules->list ? GERSH_OK : GERSH_ERROR_MEMORY;
    for (size_t r = 0; r < count && status == GERSH_OK; r++) {
        size_t i = rule[r].first, j = rule[r].second;
        if (i >= features || j >= features || i == j)
            status =
                gersh__fail(GERSH_ERROR_ARGUMENT,
                            "edge rule %zu names features %zu and %zu; expected two different ones of %zu",
                            r + 1, i + 1, j + 1, features);
        rules->list[2 * r] = (entry){i, j, signs_of(rule[r].kind)};
        rules->list[2 * r + 1] = (entry){j, i, signs_of(rule[r].kind)};
        if (rule[r].kind == GERSH_EDGE_ALLOWED)
            rules->others = 0;
    }
    if (status == GERSH_OK) {
        qsort(rules->list, 2 * count, sizeof *rules->list, by_place);
        for (size_t r = 0; r < 2 * count; r++)
            rules->start[rules->list[r].i + 1] = r + 1;
        for (size_t i = 0; i < features; i++)
            if (rules->start[i + 1] < rules->start[i])
                rules->start[i + 1] = rules->start[i];
        for (size_t r = 1; r < 2 * count && status == GERSH_OK; r++)
            if (by_place(&rules->list[r - 1], &rules->list[r]) == 0)
                status = gersh__fail(GERSH_ERROR_ARGUMENT, "two edge rules name features %zu and %zu",
                                     rules->list[r].i + 1, rules->list[r].j + 1);
    }
    if (status != GERSH_OK) {
        gersh__rules_free(rules);
        return status;
    }
    *out = rules;
    return GERSH_OK;
}

static int signs_at(const gersh__rules *rules, size_t i, size_t j)
{
    size_t low = rules->start[i], high = rules->start[i + 1];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (rules->list[middle].j < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low < rules->start[i + 1] && rules->list[low].j == j ? rules->list[low].signs : rules->others;
}

int gersh__rules_allow(const gersh__rules *rules, size_t i, size_t j, int sign)
{
    if (rules == NULL)
        return 1;
    return (signs_at(rules, i, j) & (sign < 0 ? MAY_BE_NEGATIVE : MAY_BE_POSITIVE)) != 0;
}
