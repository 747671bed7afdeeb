/*
 * Writing a model file: 8 bytes with the length of the head, the head (JSON, padded with blanks to a
 * multiple of 8), and the tensors, all numbers little-endian. docs/model-file.md describes every member.
 */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "data/dataset.h"
#include "io/output.h"
#include "model/digest.h"
#include "model/maps.h"

static const gersh__tensor_kind kinds[GERSH__TENSORS] = {
    [GERSH__ATOM_WEIGHT] = {"atom_weight", 0, 1},
    [GERSH__ATOM_NODES] = {"atom_nodes", 1, 2},
    [GERSH__ATOM_ENTRIES] = {"atom_entries", 0, 2},
    [GERSH__DENSE_ATOMS] = {"dense_atoms", 0, 2},
    [GERSH__COLOR] = {"color", 1, 1},
    [GERSH__X] = {"x", 0, 2},
    [GERSH__X_START] = {"x_start", 1, 1},
    [GERSH__X_INDEX] = {"x_index", 1, 1},
    [GERSH__X_VALUE] = {"x_value", 0, 1},
    [GERSH__CLASS] = {"labels", 1, 1},
    [GERSH__TARGET] = {"targets", 0, 1},
    [GERSH__WEIGHT] = {"weights", 0, 1},
    [GERSH__TUPLES] = {"tuples", 1, 2},
    [GERSH__BOOTSTRAP_NODES] = {"bootstrap_nodes", 1, 2},
    [GERSH__BOOTSTRAP_COUNTS] = {"bootstrap_counts", 1, 2},
    [GERSH__BOOTSTRAP_MOMENTS] = {"bootstrap_moments", 0, 2},
    [GERSH__CONTRIBUTION] = {"contribution", 0, 1},
    [GERSH__PERMUTATION] = {"permutation", 0, 2},
    [GERSH__WITNESS_WEIGHT] = {"witness_weight", 0, 1},
    [GERSH__WITNESS_NODES] = {"witness_nodes", 1, 2},
    [GERSH__WITNESS_ENTRIES] = {"witness_entries", 0, 2},
    [GERSH__WITNESS_DENSE] = {"witness_dense", 0, 2},
};

gersh__tensor_kind gersh__tensor_kind_of(int id)
{
    if (id >= GERSH__MAPS_FIRST && id <= GERSH__MAPS_LAST)
        return (gersh__tensor_kind){gersh__maps_tensor_name(id), 0, 1};
    return kinds[id];
}

/* A model as its file holds it. */
typedef struct draft {
    const gersh_model *model;
    const gersh_dataset *data; /* NULL: left out */
} draft;

/* The metric that a tensor of atoms is of, M or the witness; NULL for the others, and without a witness of its own. */
static const gersh_metric *metric_of(const draft *d, int id)
{
    if (id >= GERSH__WITNESS_WEIGHT && id <= GERSH__WITNESS_DENSE)
        return d->model->witnessed == GERSH__WITNESS_OWN ? d->model->witness.metric : NULL;
    return id <= GERSH__DENSE_ATOMS ? d->model->metric : NULL;
}

/* Whether the file has the tensor, and its shape. */
static int has_tensor(const draft *d, int id, size_t shape[2])
{
    const gersh_metric *metric = metric_of(d, id);
    size_t rows = d->model->rows, features = d->model->features, outputs = d->model->scaling->width;
    shape[0] = metric != NULL ? metric->atoms : 0;
    shape[1] = 0;
    switch (id) {
    case GERSH__ATOM_WEIGHT:
    case GERSH__WITNESS_WEIGHT:
        return metric != NULL;
    case GERSH__ATOM_NODES:
    case GERSH__ATOM_ENTRIES:
    case GERSH__WITNESS_NODES:
    case GERSH__WITNESS_ENTRIES:
        shape[1] = 2;
        return metric != NULL && metric->dense == NULL;
    case GERSH__DENSE_ATOMS:
    case GERSH__WITNESS_DENSE:
        shape[1] = outputs;
        return metric != NULL && metric->dense != NULL;
    case GERSH__COLOR:
        shape[0] = outputs;
        return d->model->color != NULL;
    case GERSH__X:
        shape[0] = rows;
        shape[1] = features;
        return d->data != NULL && d->data->x != NULL;
    case GERSH__X_START:
        shape[0] = rows + 1;
        return d->data != NULL && d->data->x == NULL;
    case GERSH__X_INDEX:
    case GERSH__X_VALUE:
        if (d->data == NULL || d->data->x != NULL)
            return 0;
        shape[0] = d->data->sparse->start[rows];
        return 1;
    case GERSH__CLASS:
        shape[0] = rows;
        return d->data != NULL && gersh_dataset_labels(d->data) != NULL;
    case GERSH__TARGET:
        shape[0] = rows;
        return d->data != NULL && gersh_dataset_targets(d->data) != NULL;
    case GERSH__WEIGHT:
        shape[0] = rows;
        return d->data != NULL && gersh_dataset_weights(d->data) != NULL;
    case GERSH__TUPLES:
        if (d->model->tuples == NULL)
            return 0;
        shape[0] = d->model->tuples->count;
        shape[1] = gersh__tuple_columns(d->model->tuples->kind);
        return 1;
    case GERSH__BOOTSTRAP_NODES:
    case GERSH__BOOTSTRAP_COUNTS:
    case GERSH__BOOTSTRAP_MOMENTS:
        if (d->model->bootstrap == NULL)
            return 0;
        shape[0] = d->model->bootstrap->count;
        shape[1] = 2;
        return 1;
    case GERSH__CONTRIBUTION:
        shape[0] = outputs;
        return d->model->importance.contribution != NULL;
    case GERSH__PERMUTATION:
        shape[0] = outputs;
        shape[1] = 2;
        return d->model->importance.permutation != NULL;
    default:
        return gersh__maps_tensor(&shape[0], d->model->scaling, id) != NULL;
    }
}

static double real_entry(const draft *d, int id, size_t e)
{
    const gersh_metric *metric = metric_of(d, id);
    size_t count;
    switch (id) {
    case GERSH__ATOM_WEIGHT:
    case GERSH__WITNESS_WEIGHT:
        return metric->weight[e];
    case GERSH__ATOM_ENTRIES:
    case GERSH__WITNESS_ENTRIES:
        return e % 2 == 0 ? metric->atom[e / 2].a : metric->atom[e / 2].b;
    case GERSH__DENSE_ATOMS:
    case GERSH__WITNESS_DENSE:
        return metric->dense[e];
    case GERSH__X:
        return d->data->x[e];
    case GERSH__X_VALUE:
        return d->data->sparse->value[e];
    case GERSH__TARGET:
        return gersh_dataset_targets(d->data)[e];
    case GERSH__CONTRIBUTION:
        return d->model->importance.contribution[e];
    case GERSH__PERMUTATION:
        return e % 2 == 0 ? d->model->importance.permutation[e / 2] : d->model->importance.deviation[e / 2];
    case GERSH__BOOTSTRAP_MOMENTS:
        return e % 2 == 0 ? d->model->bootstrap->edge[e / 2].mean
                          : d->model->bootstrap->edge[e / 2].deviation;
    case GERSH__WEIGHT:
        return gersh_dataset_weights(d->data)[e];
    default:
        return gersh__maps_tensor(&count, d->model->scaling, id)[e];
    }
}

static int64_t tuple_entry(const gersh_tuples *tuples, size_t e)
{
    size_t columns = gersh__tuple_columns(tuples->kind), size = gersh_tuple_size(tuples->kind);
    if (e % columns < size)
        return (int64_t)tuples->row[e / columns * size + e % columns];
    return tuples->similar[e / columns] ? 1 : -1;
}

static int64_t whole_entry(const draft *d, int id, size_t e)
{
    const gersh_metric *metric = metric_of(d, id);
    switch (id) {
    case GERSH__ATOM_NODES:
    case GERSH__WITNESS_NODES:
        return (int64_t)(e % 2 == 0 ? metric->atom[e / 2].i : metric->atom[e / 2].j);
    case GERSH__COLOR:
        return d->model->color[e];
    case GERSH__X_START:
        return (int64_t)d->data->sparse->start[e];
    case GERSH__X_INDEX:
        return (int64_t)d->data->sparse->index[e];
    case GERSH__TUPLES:
        return tuple_entry(d->model->tuples, e);
    case GERSH__BOOTSTRAP_NODES:
        return (int64_t)(e % 2 == 0 ? d->model->bootstrap->edge[e / 2].first
                                    : d->model->bootstrap->edge[e / 2].second);
    case GERSH__BOOTSTRAP_COUNTS:
        return (int64_t)(e % 2 == 0 ? d->model->bootstrap->edge[e / 2].positive
                                    : d->model->bootstrap->edge[e / 2].negative);
    default:
        return gersh_dataset_labels(d->data)[e];
    }
}

static void put_bits(FILE *file, uint64_t bits)
{
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(bits >> (8 * i));
    fwrite(bytes, 1, sizeof bytes, file);
}

static void put_tensor(FILE *file, const draft *d, int id, size_t count)
{
    for (size_t e = 0; e < count && !ferror(file); e++) {
        uint64_t bits;
        if (kinds[id].whole) {
            bits = (uint64_t)whole_entry(d, id, e);
        } else {
            double value = real_entry(d, id, e);
            memcpy(&bits, &value, sizeof bits);
        }
        put_bits(file, bits);
    }
}

/* Text as a JSON string or, where it is not UTF-8, as the list of its bytes. */
static json_t *text_json(const char *text)
{
    if (gersh__text_is_utf8(text))
        return json_string(text);
    json_t *value = json_array();
    for (; *text != '\0'; text++)
        value = gersh__json_append(value, json_integer((unsigned char)*text));
    return value;
}

static json_t *names_json(char *const *names, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        list = gersh__json_append(list, text_json(names[i]));
    return list;
}

static json_t *settings_json(const gersh_settings *settings)
{
    json_t *object = json_object();
    for (int i = 0; i < gersh_settings_count(); i++) {
        const char *name = gersh_settings_info(i)->name;
        object = gersh__json_set(object, name, text_json(gersh_settings_get(settings, name)));
    }
    return object;
}

static json_t *pairs_json(const gersh_fit_info *info)
{
    return json_pack("{s:s, s:f, s:f, s:f, s:i, s:f, s:f}", "choice", gersh_pair_choice_name(info->choice),
                     "count", info->pairs, "all", info->pairs_all, "rows", info->rows_used, "rounds",
                     info->rounds, "value_error", info->value_error, "memory", info->memory);
}

static json_t *fit_json(const gersh_fit_info *info)
{
    return json_pack(
        "{s:f, s:o, s:o, s:o, s:o, s:f, s:i, s:i, s:f, s:s, s:f, s:f, s:f, s:f, s:f, s:f, s:o}",
        "objective_value", info->objective_value, "bound", gersh__json_number(info->has_bound, info->bound),
        "gap", gersh__json_number(info->has_bound, info->gap), "relative_gap",
        gersh__json_number(info->has_bound, info->relative_gap), "search_gap",
        gersh__json_number(info->has_bound, info->search_gap), "tol", info->tol, "iterations",
        info->iterations, "newton_steps", info->newton_steps, "seconds", info->seconds, "stop",
        gersh_stop_name(info->stop), "budget", info->budget, "rho", info->rho, "seconds_gradient",
        info->seconds_gradient, "seconds_minimizer", info->seconds_minimizer, "seconds_objective",
        info->seconds_objective, "seconds_step", info->seconds_step, "pairs", pairs_json(info));
}

static json_t *rules_json(const gersh_model *model)
{
    json_t *list = json_array();
    for (size_t r = 0; r < model->rule_count; r++) {
        const gersh_edge_rule *rule = &model->rules[r];
        list =
            gersh__json_append(list, json_pack("[I, I, s]", (json_int_t)rule->first,
                                               (json_int_t)rule->second, gersh_edge_kind_name(rule->kind)));
    }
    return list;
}

static json_t *importance_json(const gersh_importance *importance)
{
    json_t *object = json_pack("{s:s}", "kind", gersh_importance_kind_name(importance->kind));
    if (importance->contribution != NULL)
        object = gersh__json_set(object, "separation", json_real(importance->separation));
    if (importance->permutation != NULL) {
        object = gersh__json_set(object, "splits", json_integer((json_int_t)importance->splits));
        object = gersh__json_set(object, "score", json_real(importance->score));
    }
    return object;
}

static json_t *accuracy_json(const gersh_training_accuracy *a)
{
    json_t *object = json_pack("{s:I, s:f, s:f, s:i, s:b, s:b}", "samples", (json_int_t)a->samples,
                               "accuracy", a->accuracy, "euclidean", a->euclidean, "verdict", a->verdict,
                               "automatic", a->automatic, "switched", a->switched);
    if (a->other != NULL) {
        object = gersh__json_set(object, "other", json_string(a->other));
        object = gersh__json_set(object, "other_accuracy", json_real(a->other_accuracy));
    }
    return object;
}

/* Members that only some models have; 0 when all went well. */
static int add_optional(json_t *all, const gersh_model *model)
{
    const gersh_bootstrap *b = model->bootstrap;
    json_t *maps = gersh__maps_json(model->scaling);
    if (maps != NULL && json_object_set_new(all, "maps", maps) != 0)
        return -1;
    if (model->tuples != NULL &&
        json_object_set_new(all, "tuples", json_string(gersh_tuple_kind_name(model->tuples->kind))) != 0)
        return -1;
    if (model->rule_count > 0 && json_object_set_new(all, "rules", rules_json(model)) != 0)
        return -1;
    if (model->trajectory != NULL && model->trajectory->count > 0 &&
        json_object_set_new(all, "trajectory", gersh__trajectory_json(model->trajectory)) != 0)
        return -1;
    if ((model->importance.contribution != NULL || model->importance.permutation != NULL) &&
        json_object_set_new(all, "importance", importance_json(&model->importance)) != 0)
        return -1;
    if (model->accuracy.samples > 0 &&
        json_object_set_new(all, "training_accuracy", accuracy_json(&model->accuracy)) != 0)
        return -1;
    if (b == NULL)
        return 0;
    return json_object_set_new(all, "bootstrap",
                               json_pack("{s:I, s:I, s:I, s:o}", "asked", (json_int_t)b->asked, "done",
                                         (json_int_t)b->done, "failed", (json_int_t)b->failed, "failure",
                                         text_json(b->failure)));
}

static json_t *witness_json(const gersh_model *model)
{
    return json_pack("{s:s, s:f}", "place", gersh__witness_place_name(model->witnessed), "smoothing",
                     model->witness.width);
}

static json_t *digest_json(const gersh_model *model)
{
    char samples[GERSH__DIGEST_SIZE], metric[GERSH__DIGEST_SIZE];
    memcpy(samples, model->samples_digest, sizeof samples);
    if (model->data != NULL)
        gersh__digest_samples(samples, model, model->data);
    gersh__digest_metric(metric, model->metric);
    return json_pack("{s:s, s:s}", "samples", samples, "metric", metric);
}

/* What is not a tensor, as one JSON text. */
static json_t *metadata_json(const gersh_model *model)
{
    json_t *all = json_pack("{s:i, s:s, s:s, s:b, s:I, s:o, s:o, s:f, s:b, s:o, s:o, s:o, s:o}", "format",
                            GERSH__MODEL_FORMAT, "version", model->version, "task", gersh_model_task(model),
                            "custom", model->custom, "rows", (json_int_t)model->rows, "feature_names",
                            names_json(model->feature_names, model->features), "class_names",
                            names_json(model->class_names, model->classes), "rho", model->metric->rho,
                            "unit_rows", gersh__maps_have_unit_length(model->scaling), "settings",
                            settings_json(model->settings), "fit", fit_json(&model->info), "witness",
                            witness_json(model), "digest", digest_json(model));
    char *text = all != NULL && add_optional(all, model) == 0
                     ? gersh__json_dump(all, JSON_COMPACT | JSON_REAL_PRECISION(17))
                     : NULL;
    json_t *value = text != NULL ? json_pack("{s:s}", "gersh", text) : NULL;
    gersh__free(text);
    json_decref(all);
    return value;
}

/* The head, as JSON text (gersh__free); NULL when memory is short. */
static char *make_head(const draft *d)
{
    json_t *head = gersh__json_set(json_object(), "__metadata__", metadata_json(d->model));
    size_t shape[2], offset = 0;
    for (int id = 0; id < GERSH__TENSORS && head != NULL; id++) {
        if (!has_tensor(d, id, shape))
            continue;
        gersh__tensor_kind kind = gersh__tensor_kind_of(id);
        size_t end = offset + 8 * shape[0] * (kind.dimensions == 2 ? shape[1] : 1);
        json_t *dimensions = kind.dimensions == 2
                                 ? json_pack("[I, I]", (json_int_t)shape[0], (json_int_t)shape[1])
                                 : json_pack("[I]", (json_int_t)shape[0]);
        head =
            gersh__json_set(head, kind.name,
                            json_pack("{s:s, s:o, s:[I, I]}", "dtype", kind.whole ? "I64" : "F64", "shape",
                                      dimensions, "data_offsets", (json_int_t)offset, (json_int_t)end));
        offset = end;
    }
    char *text = head != NULL ? gersh__json_dump(head, JSON_COMPACT) : NULL;
    json_decref(head);
    return text;
}

static gersh_status check_finite(const gersh_fit_info *info)
{
    const double values[] = {info->objective_value,
                             info->has_bound ? info->bound : 0,
                             info->has_bound ? info->gap : 0,
                             info->seconds,
                             info->budget,
                             info->rho,
                             info->seconds_gradient,
                             info->seconds_minimizer,
                             info->seconds_objective,
                             info->seconds_step,
                             info->value_error};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        if (!isfinite(values[i]))
            return gersh__fail(
                GERSH_ERROR_NUMERIC,
                "the model is not written because its objective value, bound or budget is not a "
                "finite number");
    return GERSH_OK;
}

/* The head of the file to be; NULL with a failure in *status. */
static char *begin_draft(gersh_status *status, const draft *d)
{
    *status = check_finite(&d->model->info);
    if (*status != GERSH_OK)
        return NULL;
    char *head = make_head(d);
    if (head == NULL)
        *status =
            gersh__fail(GERSH_ERROR_MEMORY, "out of memory: could not make the head of the model file");
    return head;
}

static void put_draft(FILE *file, const draft *d, const char *head)
{
    size_t length = strlen(head), padded = (length + 7) / 8 * 8, shape[2];
    put_bits(file, padded);
    fwrite(head, 1, length, file);
    for (size_t i = length; i < padded; i++)
        fputc(' ', file);
    for (int id = 0; id < GERSH__TENSORS; id++)
        if (has_tensor(d, id, shape))
            put_tensor(file, d, id, shape[0] * (gersh__tensor_kind_of(id).dimensions == 2 ? shape[1] : 1));
}

gersh_status gersh_model_write(const gersh_model *model, const char *path, int with_data)
{
    draft d = {model, with_data ? model->data : NULL};
    gersh__output output = {0};
    gersh_status status;
    char *head = begin_draft(&status, &d);
    if (head == NULL)
        return status;
    status = gersh__output_open(&output, path);
    if (status == GERSH_OK) {
        put_draft(output.file, &d, head);
        status = gersh__output_close(&output, GERSH_OK);
    }
    gersh__free(head);
    return status;
}

gersh_status gersh_model_pack(char **bytes, size_t *size, const gersh_model *model, int with_data)
{
    draft d = {model, with_data ? model->data : NULL};
    gersh_status status;
    *bytes = NULL;
    *size = 0;
    char *head = begin_draft(&status, &d);
    if (head == NULL)
        return status;
    FILE *file = open_memstream(bytes, size);
    if (file != NULL)
        put_draft(file, &d, head);
    gersh__free(head);
    if (file == NULL || (ferror(file) | fclose(file)) != 0) {
        free(*bytes);
        *bytes = NULL;
        status = gersh__fail(GERSH_ERROR_MEMORY, "out of memory: the model does not fit into it twice");
    }
    return status;
}
