/* The data set: made from memory, copied by rows, checked, and its getters; see gersh/data.h. */
#include "data/dataset.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "data/build.h"
#include "data/names.h"

gersh_status gersh__dataset_alloc_empty(gersh_dataset **out, size_t n, size_t k)
{
    *out = NULL;
    if (k > SIZE_MAX / sizeof(double))
        return gersh__fail(GERSH_ERROR_MEMORY, "out of memory: %zu features are too many", k);
    gersh_dataset *data = gersh__alloc(1, sizeof *data);
    if (data == NULL)
        return GERSH_ERROR_MEMORY;
    data->n = n;
    data->k = k;
    data->format = "memory";
    data->feature_names = gersh__alloc(k, sizeof *data->feature_names);
    if (data->feature_names == NULL) {
        gersh_dataset_free(data);
        return GERSH_ERROR_MEMORY;
    }
    *out = data;
    return GERSH_OK;
}

gersh_status gersh__dataset_alloc(gersh_dataset **out, size_t n, size_t k)
{
    gersh_status status = gersh__dataset_alloc_empty(out, n, k);
    if (status != GERSH_OK)
        return status;
    (*out)->x = gersh__alloc(n, k * sizeof *(*out)->x);
    if ((*out)->x != NULL)
        return GERSH_OK;
    gersh_dataset_free(*out);
    *out = NULL;
    return GERSH_ERROR_MEMORY;
}

void gersh_dataset_free(gersh_dataset *data)
{
    if (data == NULL)
        return;
    for (size_t j = 0; data->feature_names != NULL && j < data->k; j++)
        gersh__free(data->feature_names[j]);
    for (size_t c = 0; data->class_names != NULL && c < data->classes; c++)
        gersh__free(data->class_names[c]);
    gersh__free(data->feature_names);
    gersh__free(data->class_names);
    gersh__free(data->label_name);
    gersh__free(data->labels);
    gersh__free(data->targets);
    gersh__free(data->weights);
    gersh__free(data->missing);
    gersh__free(data->x);
    gersh__sparse_free(data->sparse);
    gersh__free(data);
}

static gersh_status copy_values(gersh_dataset *data, const double *x, size_t stride,
                                const char *const *feature_names)
{
    char position[32], excerpt[GERSH__EXCERPT_SIZE];
    for (size_t j = 0; j < data->k; j++) {
        snprintf(position, sizeof position, "x%zu", j + 1);
        const char *name = feature_names != NULL ? feature_names[j] : position;
        if (name == NULL)
            return gersh__fail(GERSH_ERROR_ARGUMENT, "the name of feature %zu is NULL; name all or none",
                               j + 1);
        data->feature_names[j] = gersh__text_copy(name, strlen(name));
        if (data->feature_names[j] == NULL)
            return GERSH_ERROR_MEMORY;
    }
    for (size_t i = 0; i < data->n; i++) {
        for (size_t j = 0; j < data->k; j++) {
            double value = x[i * stride + j];
            const char *name = data->feature_names[j];
            if (!isfinite(value))
                return gersh__fail(GERSH_ERROR_INPUT,
                                   "row %zu, feature '%s': the value is %s; all values must be finite",
                                   i + 1, gersh__text_excerpt(excerpt, sizeof excerpt, name, strlen(name)),
                                   isnan(value) ? "not a number" : "infinite");
            data->x[i * data->k + j] = value;
        }
    }
    return GERSH_OK;
}

static gersh_status copy_targets(gersh_dataset *data, const double *targets)
{
    data->targets = gersh__alloc(data->n, sizeof *data->targets);
    if (data->targets == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t i = 0; i < data->n; i++) {
        if (!isfinite(targets[i]))
            return gersh__fail(GERSH_ERROR_INPUT, "row %zu: the target is %s; all targets must be finite",
                               i + 1, isnan(targets[i]) ? "not a number" : "infinite");
        data->targets[i] = targets[i];
    }
    return GERSH_OK;
}

static gersh_status copy_classes(gersh_dataset *data, const char *const *labels)
{
    gersh_status status = GERSH_ERROR_MEMORY;
    gersh__words words = {0};
    gersh__values values = {0};
    size_t *word = gersh__alloc(data->n, sizeof *word);
    if (word == NULL)
        goto out;
    for (size_t i = 0; i < data->n; i++) {
        if (labels[i] == NULL) {
            status = gersh__fail(GERSH_ERROR_ARGUMENT,
                                 "row %zu: the label is NULL; every row needs a label", i + 1);
            goto out;
        }
        word[i] = gersh__words_add(&words, labels[i], strlen(labels[i]));
        if (word[i] == GERSH__NO_WORD)
            goto out;
    }
    status = gersh__values_find(&values, &words, NULL);
    if (status == GERSH_OK)
        status = gersh__dataset_set_classes(data, &values, word);
out:
    gersh__values_clear(&values);
    gersh__words_clear(&words);
    gersh__free(word);
    return status;
}

gersh_status gersh_dataset_new(gersh_dataset **out, size_t n, size_t k, const double *x, size_t stride,
                               const char *const *labels, const double *targets,
                               const char *const *feature_names)
{
    gersh_dataset *data = NULL;
    *out = NULL;
    if (n == 0 || k == 0 || x == NULL)
        return gersh__fail(GERSH_ERROR_ARGUMENT,
                           "a data set needs at least one row and one feature, but %zu × %zu%s are given",
                           n, k, x == NULL ? " without values" : "");
    if (stride < k)
        return gersh__fail(GERSH_ERROR_ARGUMENT,
                           "the stride is %zu; it must be at least the number of features, %zu", stride, k);
    if (labels != NULL && targets != NULL)
        return gersh__fail(GERSH_ERROR_ARGUMENT,
                           "both labels and targets are given; give at most one of them");
    gersh_status status = gersh__check_array(n, stride, sizeof *x);
    if (status == GERSH_OK)
        status = gersh__dataset_alloc(&data, n, k);
    if (status == GERSH_OK)
        status = copy_values(data, x, stride, feature_names);
    if (status == GERSH_OK && feature_names != NULL)
        status = gersh__names_check("features", data->feature_names, k, 0);
    if (status == GERSH_OK && labels != NULL)
        status = copy_classes(data, labels);
    if (status == GERSH_OK && targets != NULL)
        status = copy_targets(data, targets);
    if (status == GERSH_OK)
        *out = data;
    else
        gersh_dataset_free(data);
    return status;
}

/* Room for the labels, classes, targets and weights that `from` has; the classes are copied. */
static gersh_status alloc_labels(gersh_dataset *data, const gersh_dataset *from)
{
    data->format = from->format;
    data->filled = from->filled;
    if (from->label_name != NULL) {
        data->label_name = gersh__text_copy(from->label_name, strlen(from->label_name));
        if (data->label_name == NULL)
            return GERSH_ERROR_MEMORY;
    }
    if (from->targets != NULL) {
        data->targets = gersh__alloc(data->n, sizeof *data->targets);
        if (data->targets == NULL)
            return GERSH_ERROR_MEMORY;
    }
    if (from->weights != NULL) {
        data->weights = gersh__alloc(data->n, sizeof *data->weights);
        if (data->weights == NULL)
            return GERSH_ERROR_MEMORY;
    }
    if (from->labels == NULL)
        return GERSH_OK;
    data->labels = gersh__alloc(data->n, sizeof *data->labels);
    data->class_names = gersh__alloc(from->classes, sizeof *data->class_names);
    if (data->labels == NULL || data->class_names == NULL)
        return GERSH_ERROR_MEMORY;
    data->classes = from->classes;
    for (size_t c = 0; c < from->classes; c++) {
        data->class_names[c] = gersh__text_copy(from->class_names[c], strlen(from->class_names[c]));
        if (data->class_names[c] == NULL)
            return GERSH_ERROR_MEMORY;
    }
    return GERSH_OK;
}

gersh_status gersh__dataset_copy_labels(gersh_dataset *data, const gersh_dataset *from)
{
    gersh_status status = alloc_labels(data, from);
    if (status != GERSH_OK)
        return status;
    if (from->labels != NULL)
        memcpy(data->labels, from->labels, data->n * sizeof *data->labels);
    if (from->targets != NULL)
        memcpy(data->targets, from->targets, data->n * sizeof *data->targets);
    if (from->weights != NULL)
        memcpy(data->weights, from->weights, data->n * sizeof *data->weights);
    return GERSH_OK;
}

gersh_status gersh_dataset_subset(gersh_dataset **out, const gersh_dataset *data, const size_t *rows,
                                  size_t count)
{
    gersh_dataset *part = NULL;
    *out = NULL;
    if (count == 0)
        return gersh__fail(GERSH_ERROR_ARGUMENT, "no rows are asked for; a data set needs at least one");
    gersh_status status = gersh__check_array(count, 1, sizeof *rows);
    for (size_t i = 0; i < count && status == GERSH_OK; i++)
        if (rows[i] >= data->n)
            return gersh__fail(GERSH_ERROR_ARGUMENT,
                               "row %zu (counted from 0) is asked for but the data set has %zu rows",
                               rows[i], data->n);
    if (status == GERSH_OK)
        status = data->x == NULL ? gersh__dataset_alloc_empty(&part, count, data->k)
                                 : gersh__dataset_alloc(&part, count, data->k);
    if (status == GERSH_OK)
        status = alloc_labels(part, data);
    if (status == GERSH_OK && data->x == NULL)
        status = gersh__sparse_rows(&part->sparse, data->sparse, rows, count, data->k);
    if (status == GERSH_OK && data->missing != NULL) {
        part->missing = gersh__alloc(count, data->k);
        status = part->missing != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
    }
    for (size_t j = 0; j < data->k && status == GERSH_OK; j++) {
        part->feature_names[j] = gersh__text_copy(data->feature_names[j], strlen(data->feature_names[j]));
        status = part->feature_names[j] != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
    }
    if (status != GERSH_OK) {
        gersh_dataset_free(part);
        return status;
    }
    for (size_t i = 0; i < count; i++) {
        if (data->x != NULL)
            memcpy(part->x + i * data->k, data->x + rows[i] * data->k, data->k * sizeof *data->x);
        if (data->labels != NULL)
            part->labels[i] = data->labels[rows[i]];
        if (data->targets != NULL)
            part->targets[i] = data->targets[rows[i]];
        if (data->weights != NULL)
            part->weights[i] = data->weights[rows[i]];
        if (data->missing != NULL)
            memcpy(part->missing + i * data->k, data->missing + rows[i] * data->k, data->k);
    }
    *out = part;
    return GERSH_OK;
}

gersh_status gersh_dataset_copy(gersh_dataset **out, const gersh_dataset *data)
{
    size_t *rows = gersh__alloc(data->n, sizeof *rows);
    *out = NULL;
    if (rows == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t i = 0; i < data->n; i++)
        rows[i] = i;
    gersh_status status = gersh_dataset_subset(out, data, rows, data->n);
    gersh__free(rows);
    return status;
}

gersh_status gersh_dataset_check(const gersh_dataset *data)
{
    if (data->n < 2)
        return gersh__fail(GERSH_ERROR_INPUT, "there is only one row; learning needs at least two");
    if (data->labels == NULL && data->targets == NULL)
        return gersh__fail(GERSH_ERROR_INPUT,
                           "there are no labels; name the column that holds them with --label");
    for (size_t i = 1; i < data->n; i++) {
        if (data->labels != NULL && data->labels[i] != data->labels[0])
            return GERSH_OK;
        if (data->targets != NULL && data->targets[i] != data->targets[0])
            return GERSH_OK;
    }
    if (data->targets != NULL)
        return gersh__fail(
            GERSH_ERROR_INPUT,
            "all %zu rows have the target %.15g; learning needs at least two different targets", data->n,
            data->targets[0]);
    char excerpt[GERSH__EXCERPT_SIZE];
    const char *name = data->class_names[data->labels[0]];
    return gersh__fail(GERSH_ERROR_INPUT,
                       "all %zu rows have the label '%s'; learning needs at least two classes", data->n,
                       gersh__text_excerpt(excerpt, sizeof excerpt, name, strlen(name)));
}

const char *gersh_dataset_label_name(const gersh_dataset *data)
{
    return data->label_name;
}

size_t gersh_dataset_rows(const gersh_dataset *data)
{
    return data->n;
}

size_t gersh_dataset_features(const gersh_dataset *data)
{
    return data->k;
}

const double *gersh_dataset_values(const gersh_dataset *data)
{
    return data->x;
}

gersh_status gersh_dataset_densify(gersh_dataset *data)
{
    if (data->x != NULL)
        return GERSH_OK;
    data->x = gersh__alloc(data->n, data->k * sizeof *data->x);
    if (data->x == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t i = 0; i < data->n; i++)
        gersh__sparse_row(data->sparse, i, data->k, data->x + i * data->k);
    gersh__sparse_free(data->sparse);
    data->sparse = NULL;
    return GERSH_OK;
}

gersh_status gersh__dataset_dense(gersh_dataset **own, const gersh_dataset **data)
{
    *own = NULL;
    if ((*data)->x != NULL)
        return GERSH_OK;
    gersh_status status = gersh_dataset_copy(own, *data);
    if (status == GERSH_OK)
        status = gersh_dataset_densify(*own);
    if (status == GERSH_OK) {
        *data = *own;
    } else {
        gersh_dataset_free(*own);
        *own = NULL;
    }
    return status;
}

const char *gersh_dataset_feature_name(const gersh_dataset *data, size_t feature)
{
    return feature < data->k ? data->feature_names[feature] : NULL;
}

size_t gersh_dataset_classes(const gersh_dataset *data)
{
    return data->classes;
}

const char *gersh_dataset_class_name(const gersh_dataset *data, size_t which)
{
    return which < data->classes ? data->class_names[which] : NULL;
}

const int *gersh_dataset_labels(const gersh_dataset *data)
{
    return data->labels;
}

const double *gersh_dataset_targets(const gersh_dataset *data)
{
    return data->targets;
}

const double *gersh_dataset_weights(const gersh_dataset *data)
{
    return data->weights;
}

const char *gersh_dataset_format(const gersh_dataset *data)
{
    return data->format;
}

size_t gersh_dataset_filled(const gersh_dataset *data)
{
    return data->filled;
}
