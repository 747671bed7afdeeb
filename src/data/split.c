/*
 * Random splits that keep the classes' shares.
 *
 * The rows are sorted by class and shuffled within each. For folds they are then dealt like cards, one
 * class after another without starting anew: the counts of a class, and the sizes of the folds, differ by
 * one at most. For a test split every class gives its share, rounded by largest remainder.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/random.h"
#include "data/dataset.h"

/* The rows by group (class; one group of all rows without classes), shuffled within each group. */
typedef struct groups {
    size_t count;
    size_t *start; /* count + 1 */
    size_t *row;
} groups;

static void groups_clear(groups *all)
{
    gersh__free(all->start);
    gersh__free(all->row);
}

static gersh_status group_rows(groups *out, const gersh_dataset *data, uint64_t seed)
{
    gersh__random random;
    size_t count = data->labels != NULL ? data->classes : 1;
    groups all = {count, gersh__alloc(count + 2, sizeof *all.start),
                  gersh__alloc(data->n, sizeof *all.row)};
    *out = (groups){0};
    if (all.start == NULL || all.row == NULL) {
        groups_clear(&all);
        return GERSH_ERROR_MEMORY;
    }
    /* Counts two places up, sums one place up; filling the rows then moves the sums to their own place. */
    for (size_t i = 0; i < data->n; i++)
        all.start[(data->labels != NULL ? (size_t)data->labels[i] : 0) + 2]++;
    for (size_t g = 2; g <= count; g++)
        all.start[g] += all.start[g - 1];
    for (size_t i = 0; i < data->n; i++)
        all.row[all.start[(data->labels != NULL ? (size_t)data->labels[i] : 0) + 1]++] = i;
    gersh__random_seed(&random, seed);
    for (size_t g = 0; g < count; g++)
        gersh__random_shuffle(&random, all.row + all.start[g], all.start[g + 1] - all.start[g]);
    *out = all;
    return GERSH_OK;
}

static gersh_status split_new(gersh_split **out, size_t rows, int parts)
{
    gersh_split *split = gersh__alloc(1, sizeof *split);
    *out = NULL;
    if (split == NULL)
        return GERSH_ERROR_MEMORY;
    split->rows = rows;
    split->parts = parts;
    split->part = gersh__alloc(rows, sizeof *split->part);
    if (split->part == NULL) {
        gersh__free(split);
        return GERSH_ERROR_MEMORY;
    }
    *out = split;
    return GERSH_OK;
}

void gersh_split_free(gersh_split *split)
{
    if (split == NULL)
        return;
    gersh__free(split->part);
    gersh__free(split);
}

gersh_status gersh_split_folds(gersh_split **out, const gersh_dataset *data, int folds, uint64_t seed)
{
    groups all = {0};
    *out = NULL;
    if (folds < 2)
        return gersh__fail(GERSH_ERROR_ARGUMENT, "%d fold%s asked for; at least 2 are needed", folds,
                           folds == 1 ? " is" : "s are");
    if ((size_t)folds > data->n)
        return gersh__fail(
            GERSH_ERROR_ARGUMENT,
            "%d folds are asked for but there %s only %zu row%s; ask for at most one fold a row", folds,
            data->n == 1 ? "is" : "are", data->n, data->n == 1 ? "" : "s");
    gersh_status status = group_rows(&all, data, seed);
    if (status == GERSH_OK)
        status = split_new(out, data->n, folds);
    for (size_t i = 0; i < data->n && status == GERSH_OK; i++)
        (*out)->part[all.row[i]] = (int)(i % (size_t)folds);
    groups_clear(&all);
    return status;
}

typedef struct part_of_one {
    uint64_t remainder; /* of test × size after division by the rows */
    size_t group;
} part_of_one;

/* The largest remainder first, the first group first among equals. */
static int by_remainder(const void *a, const void *b)
{
    const part_of_one *x = a, *y = b;
    if (x->remainder != y->remainder)
        return x->remainder > y->remainder ? -1 : 1;
    return x->group < y->group ? -1 : x->group > y->group;
}

/*
 * Test rows of each group: floors of the shares, and the rest to the largest remainders. All in whole
 * numbers: test × size fits as rows < 2^32.
 */
static void share_out(size_t *take, part_of_one *parts, const groups *all, size_t rows, size_t test)
{
    size_t left = test;
    for (size_t g = 0; g < all->count; g++) {
        uint64_t product = (uint64_t)test * (all->start[g + 1] - all->start[g]);
        take[g] = (size_t)(product / rows);
        parts[g] = (part_of_one){product % rows, g};
        left -= take[g];
    }
    qsort(parts, all->count, sizeof *parts, by_remainder);
    for (size_t i = 0; i < left; i++)
        take[parts[i].group]++;
}

/*
 * A group of two rows or more that gave all of them gets one back, and another gives one instead: the one
 * that keeps the most, so that nobody is emptied in turn as long as that is possible.
 */
static void keep_one(size_t *take, const groups *all)
{
    for (size_t g = 0; g < all->count; g++) {
        size_t size = all->start[g + 1] - all->start[g];
        if (size < 2 || take[g] < size)
            continue;
        size_t giver = g, most = 0;
        for (size_t h = 0; h < all->count; h++) {
            size_t its_size = all->start[h + 1] - all->start[h], keeps = its_size - take[h];
            if ((keeps >= 2 || (keeps == 1 && its_size == 1)) && keeps > most) {
                most = keeps;
                giver = h;
            }
        }
        if (giver == g)
            return;
        take[g]--;
        take[giver]++;
    }
}

gersh_status gersh_split_test(gersh_split **out, const gersh_dataset *data, double test_share,
                              uint64_t seed)
{
    gersh_status status;
    groups all = {0};
    size_t *take = NULL;
    part_of_one *parts = NULL;
    *out = NULL;
    if (!(test_share > 0 && test_share < 1))
        return gersh__fail(GERSH_ERROR_ARGUMENT,
                           "the share of test rows is %g; it must be above 0 and below 1", test_share);
    if (data->n > UINT32_MAX)
        return gersh__fail(GERSH_ERROR_INPUT, "there are %zu rows; a test split is possible for up to %lu",
                           data->n, (unsigned long)UINT32_MAX);
    size_t test = (size_t)round(test_share * (double)data->n);
    if (test == 0 || test == data->n)
        return gersh__fail(
            GERSH_ERROR_ARGUMENT, "a share of %g of %zu row%s leaves no rows for %s; choose another share",
            test_share, data->n, data->n == 1 ? "" : "s", test == 0 ? "the test" : "training");
    status = group_rows(&all, data, seed);
    if (status != GERSH_OK)
        goto out;
    status = GERSH_ERROR_MEMORY;
    take = gersh__alloc(all.count, sizeof *take);
    parts = gersh__alloc(all.count, sizeof *parts);
    if (take == NULL || parts == NULL)
        goto out;
    status = split_new(out, data->n, 2);
    if (status != GERSH_OK)
        goto out;
    share_out(take, parts, &all, data->n, test);
    keep_one(take, &all);
    for (size_t g = 0; g < all.count; g++)
        for (size_t i = 0; i < take[g]; i++)
            (*out)->part[all.row[all.start[g] + i]] = 1;
out:
    groups_clear(&all);
    gersh__free(take);
    gersh__free(parts);
    return status;
}

gersh_status gersh_split_rows(size_t **rows, size_t *count, const gersh_split *split, int part, int inside)
{
    *rows = NULL;
    *count = 0;
    if (part < 0 || part >= split->parts)
        return gersh__fail(GERSH_ERROR_ARGUMENT, "part %d is asked for but the parts are 0 to %d", part,
                           split->parts - 1);
    size_t found = 0;
    for (size_t i = 0; i < split->rows; i++)
        found += (split->part[i] == part) == (inside != 0);
    *rows = gersh__alloc(found, sizeof **rows);
    if (*rows == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t i = 0; i < split->rows; i++)
        if ((split->part[i] == part) == (inside != 0))
            (*rows)[(*count)++] = i;
    return GERSH_OK;
}
