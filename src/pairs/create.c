/* Makes pairs: the samples in the order of their classes, what is known of them, and the list of pairs; see pairs.h. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "pairs/storage.h"

#define LEAST_WEIGHT 1e-30
#define MOST_WEIGHT 1e30

/* Objectives multiply up to four weights and square that, which must stay within the range of double. */
static gersh_status check_weights(const double *weight, size_t n)
{
    for (size_t i = 0; weight != NULL && i < n; i++)
        if (weight[i] != 0 && !(weight[i] >= LEAST_WEIGHT && weight[i] <= MOST_WEIGHT))
            return gersh__fail(GERSH_ERROR_ARGUMENT,
                               "row %zu: the weight is %g; a weight must be 0, or from %g to %g", i + 1,
                               weight[i], LEAST_WEIGHT, MOST_WEIGHT);
    return GERSH_OK;
}

static gersh_status check_list(size_t n, size_t count, const size_t *first, const size_t *second)
{
    if ((first == NULL) != (second == NULL) || (first != NULL && count == 0))
        return gersh__fail(
            GERSH_ERROR_ARGUMENT,
            "the list of pairs %s; give both rows of at least one pair, or no list for all pairs",
            first == NULL    ? "has no first rows"
            : second == NULL ? "has no second rows"
                             : "is empty");
    for (size_t p = 0; first != NULL && p < count; p++) {
        if (first[p] >= n || second[p] >= n)
            return gersh__fail(GERSH_ERROR_ARGUMENT,
                               "pair %zu has row %zu (counted from 0), but the data set has %zu rows",
                               p + 1, first[p] >= n ? first[p] : second[p], n);
        if (first[p] == second[p])
            return gersh__fail(GERSH_ERROR_ARGUMENT,
                               "pair %zu joins row %zu (counted from 0) with itself; a pair needs two rows",
                               p + 1, first[p]);
    }
    return GERSH_OK;
}

static size_t count_present(const double *weight, size_t n)
{
    size_t present = 0;
    for (size_t i = 0; i < n; i++)
        present += weight == NULL || weight[i] > 0;
    return present;
}

gersh_status gersh__order_rows(size_t **row, size_t *count, size_t **start, size_t *classes,
                               const gersh_dataset *data, const double *weight)
{
    const int *labels = gersh_dataset_labels(data);
    size_t rows = gersh_dataset_rows(data), sorts = labels != NULL ? gersh_dataset_classes(data) : 1;
    gersh_status status = check_weights(weight, rows);
    if (status != GERSH_OK)
        return status;
    *count = count_present(weight, rows);
    if (*count < 2)
        return gersh__fail(GERSH_ERROR_INPUT, "the data set has %zu row%s%s; pairs need at least two",
                           *count, *count == 1 ? "" : "s", weight != NULL ? " of a weight above 0" : "");
    *classes = labels != NULL ? sorts : 0;
    *row = gersh__alloc(*count, sizeof **row);
    size_t *begin = *start = gersh__alloc(sorts + 1, sizeof *begin);
    if (*row == NULL || begin == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t i = 0; i < rows; i++)
        if (weight == NULL || weight[i] > 0)
            begin[labels != NULL ? labels[i] + 1 : 1]++;
    for (size_t c = 0; c < sorts; c++)
        begin[c + 1] += begin[c];
    for (size_t i = 0; i < rows; i++)
        if (weight == NULL || weight[i] > 0)
            (*row)[begin[labels != NULL ? labels[i] : 0]++] = i;
    /* Each start has moved on to the next one. */
    for (size_t c = sorts; c > 0; c--)
        begin[c] = begin[c - 1];
    begin[0] = 0;
    return GERSH_OK;
}

/* pairs->n samples, the rows of the data in pairs->row, with their values, targets and weights. */
gersh_status gersh__storage_samples(gersh__pairs *pairs, const gersh_dataset *data, const double *weight)
{
    gersh__supervision *s = pairs->supervision;
    size_t n = pairs->n;
    const double *targets = gersh_dataset_targets(data);
    pairs->k = gersh_dataset_features(data);
    gersh_status status = gersh__samples_new(&pairs->samples, data, pairs->row, n, pairs->pool);
    if (status != GERSH_OK)
        return status;
    if (targets != NULL)
        s->target = gersh__alloc(n, sizeof *s->target);
    if (weight != NULL)
        s->weight = gersh__alloc(n, sizeof *s->weight);
    if ((targets != NULL && s->target == NULL) || (weight != NULL && s->weight == NULL))
        return GERSH_ERROR_MEMORY;
    for (size_t i = 0; i < n; i++) {
        if (targets != NULL)
            s->target[i] = targets[pairs->row[i]];
        if (weight != NULL)
            s->weight[i] = weight[pairs->row[i]];
    }
    return GERSH_OK;
}

static gersh_status name_classes(gersh__supervision *s, size_t n)
{
    if (s->classes == 0)
        return GERSH_OK;
    s->class = gersh__alloc(n, sizeof *s->class);
    if (s->class == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t c = 0; c < s->classes; c++)
        for (size_t i = s->class_start[c]; i < s->class_start[c + 1]; i++)
            s->class[i] = (uint32_t)c;
    return GERSH_OK;
}

/* The samples of pairs of any storage, by class. */
static gersh_status take_rows(gersh__pairs *pairs, const gersh_dataset *data, const double *weight)
{
    gersh__supervision *s = pairs->supervision;
    gersh_status status =
        gersh__order_rows(&pairs->row, &pairs->n, &s->class_start, &s->classes, data, weight);
    if (status == GERSH_OK)
        status = gersh__storage_samples(pairs, data, weight);
    return status == GERSH_OK ? name_classes(s, pairs->n) : status;
}

/* The listed rows as samples. */
static gersh_status take_list(gersh__pairs *pairs, size_t rows, size_t count, const size_t *list_first,
                              const size_t *list_second)
{
    size_t *place =
        gersh__alloc(rows, sizeof *place); /* of each row among the samples, from 1; 0: left out */
    size_t *first = gersh__alloc(count, sizeof *first), *second = gersh__alloc(count, sizeof *second);
    size_t kept = 0;
    if (place == NULL || first == NULL || second == NULL) {
        gersh__free(place);
        gersh__free(first);
        gersh__free(second);
        return GERSH_ERROR_MEMORY;
    }
    for (size_t i = 0; i < pairs->n; i++)
        place[pairs->row[i]] = i + 1;
    for (size_t p = 0; p < count; p++) {
        size_t a = place[list_first[p]], b = place[list_second[p]];
        if (a == 0 || b == 0)
            continue;
        first[kept] = (a > b ? a : b) - 1;
        second[kept++] = (a > b ? b : a) - 1;
    }
    gersh__free(place);
    gersh_status status = gersh__explicit_finish(pairs, kept, first, second);
    if (status == GERSH_OK && kept == 0)
        return gersh__fail(GERSH_ERROR_INPUT,
                           "every listed pair has a row of weight 0; at least one pair must count");
    return status;
}

/* Keeps the pairs where nothing failed. */
static gersh_status hand_over(gersh__pairs **out, gersh__pairs *pairs, gersh_status status)
{
    *out = status == GERSH_OK ? pairs : NULL;
    if (status != GERSH_OK)
        gersh__pairs_free(pairs);
    return status;
}

gersh_status gersh__pairs_new(gersh__pairs **out, const gersh_dataset *data, const double *weight,
                              size_t count, const size_t *list_first, const size_t *list_second,
                              gersh__pool *pool)
{
    *out = NULL;
    gersh_status status = check_list(gersh_dataset_rows(data), count, list_first, list_second);
    if (status != GERSH_OK)
        return status;
    gersh__pairs *pairs = list_first != NULL
                              ? gersh__explicit_new(pool)
                              : gersh__storage_new(&gersh__pairs_all, sizeof(gersh__rowed), pool);
    if (pairs == NULL)
        return GERSH_ERROR_MEMORY;
    status = take_rows(pairs, data, weight);
    if (status == GERSH_OK)
        status = list_first != NULL
                     ? take_list(pairs, gersh_dataset_rows(data), count, list_first, list_second)
                     : gersh__all_finish(pairs);
    return hand_over(out, pairs, status);
}

gersh_status gersh__pairs_new_between(gersh__pairs **out, const gersh_dataset *data, const double *weight,
                                      gersh__pool *pool)
{
    gersh__pairs *pairs = gersh__storage_new(&gersh__pairs_between, sizeof(gersh__rowed), pool);
    *out = NULL;
    if (pairs == NULL)
        return GERSH_ERROR_MEMORY;
    gersh_status status = take_rows(pairs, data, weight);
    if (status == GERSH_OK)
        status = gersh__between_finish(pairs);
    return hand_over(out, pairs, status);
}

void gersh__list_clear(gersh__list *list)
{
    gersh__free(list->sample);
    gersh__free(list->first);
    gersh__free(list->second);
    gersh__free(list->similar);
    gersh__free(list->importance);
    *list = (gersh__list){0};
}

gersh_status gersh__pairs_new_list(gersh__pairs **out, const gersh_dataset *data, const double *weight,
                                   gersh__list list, gersh__pool *pool)
{
    gersh__pairs *pairs = gersh__explicit_new(pool);
    *out = NULL;
    if (pairs == NULL) {
        gersh__list_clear(&list);
        return GERSH_ERROR_MEMORY;
    }
    gersh__supervision *s = pairs->supervision;
    pairs->n = list.n;
    pairs->row = list.sample;
    s->similar = list.similar;
    s->importance = list.importance;
    s->class_start = gersh__alloc(2, sizeof *s->class_start);
    gersh_status finished = gersh__explicit_finish(pairs, list.count, list.first, list.second);
    gersh_status status = s->class_start != NULL ? finished : GERSH_ERROR_MEMORY;
    if (status == GERSH_OK) {
        s->class_start[1] = pairs->n;
        status = gersh__storage_samples(pairs, data, weight);
    }
    return hand_over(out, pairs, status);
}
