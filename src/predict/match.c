/* The features of data in the order of a model, by name or by position; see gersh/predict.h. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "data/build.h"
#include "data/names.h"
#include "data/scaling.h"
#include "gersh/predict.h"
#include "predict/match.h"

void gersh__free_texts(char **texts, size_t count)
{
    for (size_t i = 0; texts != NULL && i < count; i++)
        gersh__free(texts[i]);
    gersh__free(texts);
}

void gersh_matched_free(gersh_matched *matched)
{
    if (matched == NULL)
        return;
    gersh_dataset_free(matched->data);
    gersh__free_texts(matched->ignored_name, matched->ignored);
    gersh__free(matched);
}

int gersh__match_automatic(const char *name)
{
    size_t digits = strspn(name + (name[0] == 'x'), "0123456789");
    return name[0] == 'x' && name[1] != '0' && digits > 0 && name[1 + digits] == '\0';
}

gersh_status gersh__match_note(gersh_matched *matched, const char *name)
{
    char **list = gersh__realloc(matched->ignored_name, matched->ignored + 1, sizeof *list);
    if (list == NULL)
        return GERSH_ERROR_MEMORY;
    matched->ignored_name = list;
    list[matched->ignored] = gersh__text_copy(name, strlen(name));
    return list[matched->ignored++] != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
}

/* The features of the data in the order of their names, and which of them have no value. */
typedef struct sorted {
    size_t count;
    const char **name;
    size_t *feature;      /* of each name */
    unsigned char *empty; /* of each feature */
} sorted;

static void free_sorted(sorted *s)
{
    gersh__free(s->name);
    gersh__free(s->feature);
    gersh__free(s->empty);
}

typedef struct named {
    const char *name;
    size_t feature;
} named;

static int by_name(const void *left, const void *right)
{
    return strcmp(((const named *)left)->name, ((const named *)right)->name);
}

static gersh_status sort_features(sorted *out, const gersh_dataset *data)
{
    size_t k = data->k;
    named *list = gersh__alloc(k, sizeof *list);
    *out = (sorted){k, gersh__alloc(k, sizeof *out->name), gersh__alloc(k, sizeof *out->feature),
                    gersh__alloc(k, 1)};
    if (list == NULL || out->name == NULL || out->feature == NULL || out->empty == NULL) {
        gersh__free(list);
        return GERSH_ERROR_MEMORY;
    }
    for (size_t j = 0; j < k; j++)
        list[j] = (named){data->feature_names[j], j};
    qsort(list, k, sizeof *list, by_name);
    for (size_t j = 0; j < k; j++) {
        out->name[j] = list[j].name;
        out->feature[j] = list[j].feature;
    }
    gersh__free(list);
    memset(out->empty, data->missing != NULL, k);
    for (size_t i = 0; i < data->n && data->missing != NULL; i++)
        for (size_t j = 0; j < k; j++)
            out->empty[j] &= data->missing[i * k + j] != 0;
    return GERSH_OK;
}

/* The first place from low to high where the name has a byte of at least `byte` at `at`; before it they ascend. */
static size_t first_with(const sorted *s, size_t low, size_t high, size_t at, int byte)
{
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((unsigned char)s->name[middle][at] < byte)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/*
 * A feature of data from the same text column as the feature `name` of the model, or GERSH__NONE. A column without any
 * value is one feature, of the column's name. Byte by byte, the names that begin as this one does are fewer and fewer.
 */
static size_t find_sibling(const sorted *s, const char *name)
{
    size_t low = 0, high = s->count;
    for (size_t at = 0; name[at] != '\0' && low < high; at++) {
        int byte = (unsigned char)name[at];
        size_t begin = first_with(s, low, high, at, byte), end = first_with(s, begin, high, at, byte + 1);
        if (byte == '=' && begin < end)
            return s->feature[begin];
        if (byte == '=' && s->name[low][at] == '\0' && s->empty[s->feature[low]])
            return s->feature[low];
        low = begin;
        high = end;
    }
    return GERSH__NONE;
}

gersh_status gersh__match_missing(const char *name, const char *const *others, size_t count)
{
    char excerpt[GERSH__EXCERPT_SIZE], other[GERSH__EXCERPT_SIZE];
    const char *nearest = gersh__text_nearest(name, others, count);
    gersh__text_excerpt(excerpt, sizeof excerpt, name, strlen(name));
    if (nearest == NULL)
        return gersh__fail(GERSH_ERROR_INPUT, "there is no column '%s', which the model needs", excerpt);
    return gersh__fail(GERSH_ERROR_INPUT,
                       "there is no column '%s', which the model needs; is '%s' meant to be it?", excerpt,
                       gersh__text_excerpt(other, sizeof other, nearest, strlen(nearest)));
}

/* Whether the names stand for positions: as many in both, and those of one side all automatic. */
static int by_position(const gersh_model *model, const gersh_dataset *data)
{
    size_t k = gersh_model_features(model), theirs = 0, ours = 0;
    for (size_t j = 0; j < k; j++)
        theirs += (size_t)gersh__match_automatic(gersh_model_feature_name(model, j));
    for (size_t j = 0; j < data->k; j++)
        ours += (size_t)gersh__match_automatic(data->feature_names[j]);
    return data->k == k && (theirs == k || ours == k);
}

/*
 * from[f]: the feature of data that is feature f of the model, or GERSH__NONE for one that is 0 in all
 * rows. sibling[f]: the same, or then one of the same text column.
 */
static gersh_status find_features(size_t *from, size_t *sibling, gersh_matched *matched,
                                  const gersh_model *model, const gersh_dataset *data)
{
    size_t k = gersh_model_features(model), missing = GERSH__NONE;
    gersh__names names = {0};
    sorted order = {0};
    unsigned char *used = gersh__alloc(data->k, 1);
    gersh_status status = used != NULL ? sort_features(&order, data) : GERSH_ERROR_MEMORY;
    if (status == GERSH_OK)
        status = gersh__names_new(&names, "features", data->feature_names, data->k, 1);
    for (size_t f = 0; f < k && status == GERSH_OK; f++) {
        const char *name = gersh_model_feature_name(model, f);
        from[f] = gersh__words_find(&names.words, name, strlen(name));
        sibling[f] = from[f] != GERSH__NO_WORD ? from[f] : find_sibling(&order, name);
        if (sibling[f] != GERSH__NONE) /* one without a value, or a value of its own, is not another's */
            used[sibling[f]] |= from[f] != GERSH__NO_WORD || order.empty[sibling[f]];
        else if (missing == GERSH__NONE)
            missing = f;
    }
    if (status == GERSH_OK && missing != GERSH__NONE && by_position(model, data)) {
        for (size_t f = 0; f < k; f++)
            from[f] = sibling[f] = f;
    } else if (status == GERSH_OK && missing != GERSH__NONE) {
        const char **others = gersh__alloc(data->k, sizeof *others);
        size_t count = 0;
        for (size_t j = 0; others != NULL && j < data->k; j++)
            if (!used[j])
                others[count++] = data->feature_names[j];
        status = others != NULL
                     ? gersh__match_missing(gersh_model_feature_name(model, missing), others, count)
                     : GERSH_ERROR_MEMORY;
        gersh__free(others);
    } else {
        for (size_t j = 0; j < data->k && status == GERSH_OK; j++)
            if (!used[j])
                status = gersh__match_note(matched, data->feature_names[j]);
    }
    gersh__names_clear(&names);
    free_sorted(&order);
    gersh__free(used);
    return status;
}

/*
 * The means of the model's features in the rows that it learned from: those of its scaling, else of its rows. They, and
 * not those of new rows, are put for missing values: a row is the same point whichever rows come with it.
 */
static gersh_status model_means(double *mean, const gersh_model *model)
{
    const gersh_dataset *rows = gersh_model_data(model);
    const double *means = gersh__scaling_means(gersh_model_scaling(model));
    size_t k = gersh_model_features(model);
    if (means != NULL && strcmp(gersh_settings_get(gersh_model_settings(model), "scale"), "none") != 0) {
        memcpy(mean, means, k * sizeof *mean);
        return GERSH_OK;
    }
    if (rows == NULL)
        return gersh__fail(
            GERSH_ERROR_INPUT,
            "values are missing, and the model has no means to put for them: it was fitted with "
            "--scale none and written without its rows; use --missing zero");
    gersh_dataset *own = NULL;
    gersh_status status = gersh__dataset_dense(&own, &rows);
    double *scratch = status == GERSH_OK ? gersh__alloc(k, 2 * sizeof *scratch) : NULL;
    if (scratch != NULL)
        gersh__column_means(mean, scratch, rows->n, k, rows->x);
    gersh_dataset_free(own);
    gersh__free(scratch);
    return scratch != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
}

static gersh_status fill_missing(gersh_dataset *out, const gersh_model *model, const gersh_dataset *data,
                                 const size_t *sibling)
{
    if (data->missing == NULL)
        return GERSH_OK;
    double *mean = gersh__alloc(out->k, sizeof *mean);
    gersh_status status = mean != NULL ? model_means(mean, model) : GERSH_ERROR_MEMORY;
    for (size_t i = 0; i < out->n && status == GERSH_OK; i++)
        for (size_t f = 0; f < out->k; f++)
            if (data->missing[i * data->k + sibling[f]])
                out->x[i * out->k + f] = mean[f];
    gersh__free(mean);
    return status;
}

static gersh_status fill(gersh_dataset *out, const gersh_model *model, const gersh_dataset *data,
                         const size_t *from, const size_t *sibling)
{
    gersh_dataset *own = NULL;
    gersh_status status = gersh__dataset_dense(&own, &data);
    if (status == GERSH_OK)
        status = gersh__dataset_copy_labels(out, data);
    for (size_t f = 0; f < out->k && status == GERSH_OK; f++) {
        const char *name = gersh_model_feature_name(model, f);
        out->feature_names[f] = gersh__text_copy(name, strlen(name));
        status = out->feature_names[f] != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
    }
    for (size_t i = 0; i < out->n && status == GERSH_OK; i++)
        for (size_t f = 0; f < out->k; f++)
            out->x[i * out->k + f] = from[f] != GERSH__NONE ? data->x[i * data->k + from[f]] : 0;
    if (status == GERSH_OK)
        status = fill_missing(out, model, data, sibling);
    gersh_dataset_free(own);
    return status;
}

gersh_status gersh_match_data(gersh_matched **out, const gersh_model *model, const gersh_dataset *data)
{
    size_t k = gersh_model_features(model);
    gersh_status status = GERSH_ERROR_MEMORY;
    *out = NULL;
    gersh_matched *matched = gersh__alloc(1, sizeof *matched);
    size_t *from = gersh__alloc(k, sizeof *from), *sibling = gersh__alloc(k, sizeof *sibling);
    if (matched != NULL && from != NULL && sibling != NULL)
        status = find_features(from, sibling, matched, model, data);
    if (status == GERSH_OK)
        status = gersh__dataset_alloc(&matched->data, data->n, k);
    if (status == GERSH_OK)
        status = fill(matched->data, model, data, from, sibling);
    gersh__free(from);
    gersh__free(sibling);
    if (status == GERSH_OK)
        *out = matched;
    else
        gersh_matched_free(matched);
    return status;
}
