/* Reading the parts of a model file that only some models have: training rows, tuples, a bootstrap,
 * contributions of the features. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "data/build.h"
#include "data/tuples.h"
#include "model/importance.h"
#include "model/reader.h"

/* One sample: its class, or its target, and its weight. */
static gersh_status read_row(const gersh__model_reader *r, gersh_dataset *data, size_t i)
{
    if (data->labels != NULL) {
        size_t which = gersh__tensor_index(r, GERSH__CLASS, i, data->classes);
        if (which == GERSH__NONE)
            return gersh__fail(GERSH_ERROR_INPUT,
                               "the label of training row %zu is not one of the %zu classes", i + 1,
                               data->classes);
        data->labels[i] = (int)which;
    }
    if (data->targets != NULL)
        data->targets[i] = gersh__tensor_real(r, GERSH__TARGET, i);
    if (data->weights != NULL) {
        data->weights[i] = gersh__tensor_real(r, GERSH__WEIGHT, i);
        if (data->weights[i] < 0)
            return gersh__fail(GERSH_ERROR_INPUT,
                               "the weight of training row %zu is %g; it must be at least 0", i + 1,
                               data->weights[i]);
    }
    return GERSH_OK;
}

static gersh_status copy_names(char **out, char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        out[i] = gersh__text_copy(names[i], strlen(names[i]));
        if (out[i] == NULL)
            return GERSH_ERROR_MEMORY;
    }
    return GERSH_OK;
}

/* Sparse rows: lists that are behind one another, each ascending. */
static gersh_status read_lists(const gersh__model_reader *r, gersh_dataset *data)
{
    size_t entries = r->tensor[GERSH__X_VALUE].count;
    gersh_status status = gersh__sparse_new(&data->sparse, data->n, entries);
    if (status != GERSH_OK)
        return status;
    gersh__sparse *x = data->sparse;
    for (size_t i = 0; i <= data->n; i++) {
        x->start[i] = gersh__tensor_index(r, GERSH__X_START, i, entries + 1);
        if (x->start[i] == GERSH__NONE || x->start[i] < (i > 0 ? x->start[i - 1] : 0) ||
            (i == 0 && x->start[i] != 0) || (i == data->n && x->start[i] != entries))
            return gersh__fail(GERSH_ERROR_INPUT,
                               "the list of training row %zu does not begin where it must", i + 1);
    }
    for (size_t i = 0; i < data->n; i++) {
        for (size_t e = x->start[i]; e < x->start[i + 1]; e++) {
            x->value[e] = gersh__tensor_real(r, GERSH__X_VALUE, e);
            x->index[e] = gersh__tensor_index(r, GERSH__X_INDEX, e, data->k);
            if (x->index[e] == GERSH__NONE || (e > x->start[i] && x->index[e] <= x->index[e - 1]))
                return gersh__fail(GERSH_ERROR_INPUT,
                                   "the features of training row %zu do not ascend, or are not the model's",
                                   i + 1);
        }
    }
    return GERSH_OK;
}

/* The rows' values. */
static gersh_status read_values(const gersh__model_reader *r, gersh_model *model)
{
    size_t n = model->rows, k = model->features;
    if (r->tensor[GERSH__X_START].present) {
        gersh_status status = gersh__dataset_alloc_empty(&model->data, n, k);
        return status == GERSH_OK ? read_lists(r, model->data) : status;
    }
    gersh_status status = gersh__dataset_alloc(&model->data, n, k);
    for (size_t e = 0; e < n * k && status == GERSH_OK; e++)
        model->data->x[e] = gersh__tensor_real(r, GERSH__X, e);
    return status;
}

gersh_status gersh__model_read_data(gersh__model_reader *r)
{
    gersh_model *model = r->model;
    size_t n = model->rows, k = model->features;
    if (!r->tensor[GERSH__X].present && !r->tensor[GERSH__X_START].present)
        return GERSH_OK;
    gersh_status status = read_values(r, model);
    if (status != GERSH_OK)
        return status;
    gersh_dataset *data = model->data;
    status = copy_names(data->feature_names, model->feature_names, k);
    if (status != GERSH_OK)
        return status;
    int classes = model->classes > 0, weights = r->tensor[GERSH__WEIGHT].present;
    if (model->regress)
        data->targets = gersh__alloc(n, sizeof *data->targets);
    if (classes) {
        data->labels = gersh__alloc(n, sizeof *data->labels);
        data->class_names = gersh__alloc(model->classes, sizeof *data->class_names);
    }
    if (weights)
        data->weights = gersh__alloc(n, sizeof *data->weights);
    if ((model->regress && !data->targets) || (classes && (!data->labels || !data->class_names)) ||
        (weights && !data->weights))
        return GERSH_ERROR_MEMORY;
    data->classes = model->classes;
    if (classes)
        status = copy_names(data->class_names, model->class_names, model->classes);
    for (size_t i = 0; i < n && status == GERSH_OK; i++)
        status = read_row(r, data, i);
    return status;
}

gersh_status gersh__model_read_tuples(gersh__model_reader *r)
{
    gersh_model *model = r->model;
    gersh_tuples *tuples = NULL;
    if (model->tuples == NULL)
        return GERSH_OK;
    gersh_tuple_kind kind = model->tuples->kind;
    size_t count = r->tensor[GERSH__TUPLES].shape[0], columns = gersh__tuple_columns(kind),
           size = gersh_tuple_size(kind);
    gersh_status status = gersh__tuples_alloc(&tuples, kind, count);
    if (status != GERSH_OK)
        return status;
    gersh_tuples_free(model->tuples);
    model->tuples = tuples;
    for (size_t t = 0; t < count; t++) {
        for (size_t c = 0; c < size; c++)
            tuples->row[t * size + c] = gersh__tensor_index(r, GERSH__TUPLES, t * columns + c, model->rows);
        if (kind != GERSH_PAIRS)
            continue;
        uint64_t sign = gersh__tensor_bits(r, GERSH__TUPLES, t * columns + 2);
        if (sign != 1 && sign != UINT64_MAX)
            return gersh__fail(GERSH_ERROR_INPUT, "pair %zu of the model is neither similar nor dissimilar",
                               t + 1);
        tuples->similar[t] = sign == 1;
    }
    status = gersh__tuples_check(tuples, model->rows, NULL);
    return status == GERSH_ERROR_ARGUMENT
               ? gersh__fail_prefix(GERSH_ERROR_INPUT, "the tuples of the model are damaged: ")
               : status;
}

gersh_status gersh__model_read_bootstrap(gersh__model_reader *r)
{
    gersh_bootstrap *b = r->model->bootstrap;
    if (b == NULL)
        return GERSH_OK;
    size_t count = r->tensor[GERSH__BOOTSTRAP_NODES].shape[0], k = r->model->scaling->width;
    b->edge = gersh__alloc(count, sizeof *b->edge);
    if (b->edge == NULL)
        return GERSH_ERROR_MEMORY;
    for (b->count = 0; b->count < count; b->count++) {
        size_t e = b->count;
        gersh_bootstrap_edge edge = {
            .first = gersh__tensor_index(r, GERSH__BOOTSTRAP_NODES, 2 * e, k),
            .second = gersh__tensor_index(r, GERSH__BOOTSTRAP_NODES, 2 * e + 1, k),
            .positive = gersh__tensor_index(r, GERSH__BOOTSTRAP_COUNTS, 2 * e, b->done + 1),
            .negative = gersh__tensor_index(r, GERSH__BOOTSTRAP_COUNTS, 2 * e + 1, b->done + 1),
            .mean = gersh__tensor_real(r, GERSH__BOOTSTRAP_MOMENTS, 2 * e),
            .deviation = gersh__tensor_real(r, GERSH__BOOTSTRAP_MOMENTS, 2 * e + 1)};
        int ordered = e == 0 || b->edge[e - 1].first < edge.first ||
                      (b->edge[e - 1].first == edge.first && b->edge[e - 1].second < edge.second);
        if (edge.second == GERSH__NONE || edge.positive == GERSH__NONE || edge.negative == GERSH__NONE ||
            edge.first >= edge.second || edge.positive + edge.negative > b->done ||
            edge.positive + edge.negative == 0 || !(edge.deviation >= 0) || !ordered)
            return gersh__fail(
                GERSH_ERROR_INPUT,
                "edge %zu of the bootstrap is impossible: its features must be in order and among those "
                "of the model, and its counts from 1 to %zu together",
                e + 1, b->done);
        b->edge[e] = edge;
    }
    return GERSH_OK;
}

/*
 * What ranks the features stays as the file says. Data that cannot be scaled has no contributions, which is no reason not
 * to read the model.
 */
static gersh_status contribute(gersh_model *model)
{
    gersh_dataset *scaled = NULL;
    gersh_importance *importance = &model->importance;
    gersh_importance_kind kind = importance->kind;
    gersh_status status = gersh__model_scale(&scaled, model, model->data);
    if (status == GERSH_OK)
        status = gersh__importance_contribute(importance, model->metric, scaled, model->data->weights,
                                              model->tuples, 1);
    if (importance->permutation != NULL)
        importance->kind = kind;
    gersh_dataset_free(scaled);
    return status == GERSH_ERROR_MEMORY ? status : GERSH_OK;
}

gersh_status gersh__model_read_importance(gersh__model_reader *r)
{
    gersh_model *model = r->model;
    gersh_importance *importance = &model->importance;
    size_t k = model->scaling->width;
    for (size_t i = 0; importance->contribution != NULL && i < k; i++)
        importance->contribution[i] = gersh__tensor_real(r, GERSH__CONTRIBUTION, i);
    for (size_t i = 0; importance->permutation != NULL && i < k; i++) {
        importance->permutation[i] = gersh__tensor_real(r, GERSH__PERMUTATION, 2 * i);
        importance->deviation[i] = gersh__tensor_real(r, GERSH__PERMUTATION, 2 * i + 1);
        if (!(importance->deviation[i] >= 0))
            return gersh__fail(GERSH_ERROR_INPUT,
                               "the deviation of feature %zu's permutation importance is negative", i + 1);
    }
    return importance->contribution == NULL && model->data != NULL ? contribute(model) : GERSH_OK;
}
