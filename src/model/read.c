/*
 * Reading a model file. Nothing in the file is believed: every length, shape, offset and number is checked
 * against the file's size and against the others before memory is taken for it.
 */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "data/names.h"
#include "io/file.h"
#include "metric/metric.h"
#include "model/about.h"
#include "model/digest.h"
#include "model/reader.h"

static uint64_t bits_at(const unsigned char *bytes)
{
    uint64_t bits = 0;
    for (int i = 7; i >= 0; i--)
        bits = bits << 8 | bytes[i];
    return bits;
}

uint64_t gersh__tensor_bits(const gersh__model_reader *r, int id, size_t e)
{
    return bits_at(r->bytes + r->tensor[id].start + 8 * e);
}

double gersh__tensor_real(const gersh__model_reader *r, int id, size_t e)
{
    uint64_t bits = gersh__tensor_bits(r, id, e);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

size_t gersh__tensor_index(const gersh__model_reader *r, int id, size_t e, size_t limit)
{
    uint64_t bits = gersh__tensor_bits(r, id, e);
    return bits < limit ? (size_t)bits : GERSH__NONE;
}

/* The text as JSON, if the machine has the memory for it. */
static gersh_status parse_json(json_t **out, const char *text, size_t length, const char *what)
{
    json_error_t error;
    double bytes = gersh__json_bytes(text, length);
    if (bytes > gersh__memory_limit())
        return gersh__fail(
            GERSH_ERROR_INPUT,
            "%s is JSON that can take %.3g GB; at most %.3g GB, half of this machine's memory, "
            "are taken",
            what, bytes / 1e9, gersh__memory_limit() / 1e9);
    *out = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    return *out != NULL ? GERSH_OK : gersh__fail(GERSH_ERROR_INPUT, "%s is not JSON: %s", what, error.text);
}

static gersh_status parse_head(gersh__model_reader *r)
{
    const unsigned char *bytes = (const unsigned char *)r->content.bytes;
    if (r->content.size < 9 || bytes[8] != '{')
        return gersh__model_not_one();
    uint64_t length = bits_at(bytes);
    if (length > r->content.size - 8) {
        if (length >> 40 != 0)
            return gersh__model_not_one();
        return gersh__fail(GERSH_ERROR_INPUT,
                           "the head should have %llu bytes but the file has only %zu; it was cut off",
                           (unsigned long long)length, r->content.size);
    }
    gersh_status status = parse_json(&r->head, (const char *)bytes + 8, (size_t)length,
                                     "is not a gersh model, or a damaged one: the head");
    if (status != GERSH_OK)
        return status;
    if (!json_is_object(r->head))
        return gersh__model_not_one();
    r->bytes = bytes + 8 + length;
    r->size = r->content.size - 8 - (size_t)length;
    const char *text = NULL;
    json_t *metadata = json_object_get(r->head, "__metadata__");
    if (json_unpack(metadata, "{s:s}", "gersh", &text) != 0)
        return gersh__model_not_one();
    if (json_object_size(metadata) != 1)
        return gersh__fail(GERSH_ERROR_INPUT,
                           "__metadata__ has members besides 'gersh'; the model is damaged");
    return parse_json(&r->about, text, strlen(text), "the model is damaged: its description");
}

static int find_tensor(const char *name)
{
    for (int id = 0; id < GERSH__TENSORS; id++) {
        const char *known = gersh__tensor_kind_of(id).name;
        if (known != NULL && strcmp(known, name) == 0)
            return id;
    }
    return -1;
}

static gersh_status parse_tensor(gersh__model_reader *r, int id, json_t *entry)
{
    gersh__tensor_kind kind = gersh__tensor_kind_of(id);
    gersh__tensor *t = &r->tensor[id];
    const char *type = NULL;
    json_t *shape = NULL;
    json_int_t from = 0, to = 0;
    if (json_unpack_ex(entry, NULL, JSON_STRICT, "{s:s, s:o, s:[I, I!]}", "dtype", &type, "shape", &shape,
                       "data_offsets", &from, &to) != 0 ||
        !json_is_array(shape))
        return gersh__fail(GERSH_ERROR_INPUT,
                           "tensor '%s' is malformed; expected dtype, shape and two data_offsets",
                           kind.name);
    if (strcmp(type, kind.whole ? "I64" : "F64") != 0)
        return gersh__fail(GERSH_ERROR_INPUT, "tensor '%s' has another type than %s", kind.name,
                           kind.whole ? "I64" : "F64");
    if (json_array_size(shape) != (size_t)kind.dimensions)
        return gersh__fail(GERSH_ERROR_INPUT, "tensor '%s' has %zu dimensions instead of %d", kind.name,
                           json_array_size(shape), kind.dimensions);
    if (from < 0 || to < from || (uint64_t)to > r->size)
        return gersh__fail(
            GERSH_ERROR_INPUT,
            "tensor '%s' ends at byte %lld but the file has only %zu bytes of tensors; it was cut "
            "off or is damaged",
            kind.name, (long long)to, r->size);
    t->count = 1;
    for (int dimension = 0; dimension < kind.dimensions; dimension++) {
        json_t *size = json_array_get(shape, (size_t)dimension);
        json_int_t value = json_is_integer(size) ? json_integer_value(size) : -1;
        if (value < 0 || (value > 0 && t->count > SIZE_MAX / 8 / (size_t)value))
            return gersh__fail(GERSH_ERROR_INPUT, "tensor '%s' has an impossible shape", kind.name);
        t->shape[dimension] = (size_t)value;
        t->count *= (size_t)value;
    }
    if (t->count * 8 != (size_t)(to - from))
        return gersh__fail(GERSH_ERROR_INPUT, "tensor '%s' has %zu numbers but %lld bytes", kind.name,
                           t->count, (long long)(to - from));
    t->present = 1;
    t->start = (size_t)from;
    t->end = (size_t)to;
    return GERSH_OK;
}

/* Every tensor on its own, and together they fill the file. */
static gersh_status parse_tensors(gersh__model_reader *r)
{
    const char *name;
    json_t *entry;
    size_t total = 0;
    json_object_foreach(r->head, name, entry)
    {
        char excerpt[GERSH__EXCERPT_SIZE];
        int id = find_tensor(name);
        if (strcmp(name, "__metadata__") == 0)
            continue;
        if (id < 0)
            return gersh__fail(GERSH_ERROR_INPUT, "there is an unknown tensor '%s'; the model is damaged",
                               gersh__text_excerpt(excerpt, sizeof excerpt, name, strlen(name)));
        gersh_status status = parse_tensor(r, id, entry);
        if (status != GERSH_OK)
            return status;
        total += r->tensor[id].end - r->tensor[id].start;
    }
    for (int a = 0; a < GERSH__TENSORS; a++)
        for (int b = 0; b < a; b++)
            if (r->tensor[a].start < r->tensor[b].end && r->tensor[b].start < r->tensor[a].end)
                return gersh__fail(GERSH_ERROR_INPUT, "tensors '%s' and '%s' overlap; the model is damaged",
                                   gersh__tensor_kind_of(b).name, gersh__tensor_kind_of(a).name);
    if (total != r->size)
        return gersh__fail(GERSH_ERROR_INPUT,
                           "the tensors have %zu bytes but the file has %zu for them; the model is damaged",
                           total, r->size);
    return GERSH_OK;
}

/* The tensor is there, with these dimensions (the second counts for those that have two). */
gersh_status gersh__tensor_want(const gersh__model_reader *r, int id, size_t first, size_t second)
{
    const gersh__tensor *t = &r->tensor[id];
    if (!t->present)
        return gersh__fail(GERSH_ERROR_INPUT, "tensor '%s' is missing; the model is damaged",
                           gersh__tensor_kind_of(id).name);
    if (t->shape[0] != first || (gersh__tensor_kind_of(id).dimensions == 2 && t->shape[1] != second))
        return gersh__fail(GERSH_ERROR_INPUT, "tensor '%s' has another shape than the model needs",
                           gersh__tensor_kind_of(id).name);
    if (!gersh__tensor_kind_of(id).whole)
        for (size_t e = 0; e < t->count; e++)
            if (!isfinite(gersh__tensor_real(r, id, e)))
                return gersh__fail(GERSH_ERROR_INPUT, "number %zu of tensor '%s' is not finite", e + 1,
                                   gersh__tensor_kind_of(id).name);
    return GERSH_OK;
}

gersh_status gersh__tensor_reject(const gersh__model_reader *r, int id)
{
    return r->tensor[id].present
               ? gersh__fail(GERSH_ERROR_INPUT, "tensor '%s' does not belong to this kind of model",
                             gersh__tensor_kind_of(id).name)
               : GERSH_OK;
}

/* The tensors of a list of atoms. */
typedef struct atom_tensors {
    int weight, nodes, entries, dense;
} atom_tensors;

static const atom_tensors metric_tensors = {GERSH__ATOM_WEIGHT, GERSH__ATOM_NODES, GERSH__ATOM_ENTRIES,
                                            GERSH__DENSE_ATOMS};
static const atom_tensors witness_tensors = {GERSH__WITNESS_WEIGHT, GERSH__WITNESS_NODES,
                                             GERSH__WITNESS_ENTRIES, GERSH__WITNESS_DENSE};

/* Either sparse or dense atoms, of one shape. */
static gersh_status check_atoms(const gersh__model_reader *r, const atom_tensors *list)
{
    size_t atoms = r->tensor[list->weight].shape[0];
    int dense = r->tensor[list->dense].present;
    gersh_status status = gersh__tensor_want(r, list->weight, atoms, 0);
    if (status == GERSH_OK)
        status = dense ? gersh__tensor_want(r, list->dense, atoms, r->model->scaling->width)
                       : gersh__tensor_want(r, list->nodes, atoms, 2);
    if (status == GERSH_OK)
        status =
            dense ? gersh__tensor_reject(r, list->nodes) : gersh__tensor_want(r, list->entries, atoms, 2);
    return status == GERSH_OK && dense ? gersh__tensor_reject(r, list->entries) : status;
}

static gersh_status reject_atoms(const gersh__model_reader *r, const atom_tensors *list)
{
    const int ids[] = {list->weight, list->nodes, list->entries, list->dense};
    gersh_status status = GERSH_OK;
    for (size_t i = 0; i < sizeof ids / sizeof ids[0] && status == GERSH_OK; i++)
        status = gersh__tensor_reject(r, ids[i]);
    return status;
}

/* Those that only some models have. */
static gersh_status check_optional(const gersh__model_reader *r)
{
    const gersh_model *model = r->model;
    size_t tuples = r->tensor[GERSH__TUPLES].shape[0], edges = r->tensor[GERSH__BOOTSTRAP_NODES].shape[0];
    gersh_status status =
        model->tuples != NULL
            ? gersh__tensor_want(r, GERSH__TUPLES, tuples, gersh__tuple_columns(model->tuples->kind))
            : gersh__tensor_reject(r, GERSH__TUPLES);
    for (int id = GERSH__BOOTSTRAP_NODES; id <= GERSH__BOOTSTRAP_MOMENTS && status == GERSH_OK; id++)
        status =
            model->bootstrap != NULL ? gersh__tensor_want(r, id, edges, 2) : gersh__tensor_reject(r, id);
    if (status == GERSH_OK)
        status = model->importance.contribution != NULL
                     ? gersh__tensor_want(r, GERSH__CONTRIBUTION, model->scaling->width, 0)
                     : gersh__tensor_reject(r, GERSH__CONTRIBUTION);
    if (status == GERSH_OK)
        status = model->importance.permutation != NULL
                     ? gersh__tensor_want(r, GERSH__PERMUTATION, model->scaling->width, 2)
                     : gersh__tensor_reject(r, GERSH__PERMUTATION);
    return status;
}

/* The training rows, dense or sparse, where there are any. */
static gersh_status check_rows(const gersh__model_reader *r, int sparse)
{
    size_t n = r->model->rows, entries = r->tensor[GERSH__X_VALUE].count;
    if (!sparse) {
        gersh_status status = gersh__tensor_reject(r, GERSH__X_INDEX);
        if (status == GERSH_OK)
            status = gersh__tensor_reject(r, GERSH__X_VALUE);
        return status == GERSH_OK && r->tensor[GERSH__X].present
                   ? gersh__tensor_want(r, GERSH__X, n, r->model->features)
                   : status;
    }
    gersh_status status = gersh__tensor_reject(r, GERSH__X);
    if (status == GERSH_OK)
        status = gersh__tensor_want(r, GERSH__X_START, n + 1, 0);
    if (status == GERSH_OK)
        status = gersh__tensor_want(r, GERSH__X_VALUE, entries, 0);
    return status == GERSH_OK ? gersh__tensor_want(r, GERSH__X_INDEX, entries, 0) : status;
}

/* All tensors that the description asks for, and no other. */
static gersh_status check_shapes(const gersh__model_reader *r)
{
    const gersh_model *model = r->model;
    size_t k = model->scaling->width, n = model->rows;
    int sparse = r->tensor[GERSH__X_START].present, x = sparse || r->tensor[GERSH__X].present;
    gersh_status status = check_atoms(r, &metric_tensors);
    if (status == GERSH_OK)
        status = model->witnessed == GERSH__WITNESS_OWN ? check_atoms(r, &witness_tensors)
                                                        : reject_atoms(r, &witness_tensors);
    if (status == GERSH_OK && r->tensor[GERSH__COLOR].present)
        status = gersh__tensor_want(r, GERSH__COLOR, k, 0);
    if (status == GERSH_OK)
        status = check_rows(r, sparse);
    if (status == GERSH_OK)
        status = x && model->regress ? gersh__tensor_want(r, GERSH__TARGET, n, 0)
                                     : gersh__tensor_reject(r, GERSH__TARGET);
    if (status == GERSH_OK)
        status = x && model->classes > 0 ? gersh__tensor_want(r, GERSH__CLASS, n, 0)
                                         : gersh__tensor_reject(r, GERSH__CLASS);
    if (status == GERSH_OK && r->tensor[GERSH__WEIGHT].present)
        status = x ? gersh__tensor_want(r, GERSH__WEIGHT, n, 0) : gersh__tensor_reject(r, GERSH__WEIGHT);
    return status == GERSH_OK ? check_optional(r) : status;
}

static gersh_status bad_atom(size_t atom)
{
    return gersh__fail(GERSH_ERROR_INPUT,
                       "atom %zu of the metric or its witness is impossible: its weight must be positive, "
                       "its features among "
                       "those of the model, and its length 1",
                       atom + 1);
}

static gersh_status read_atoms(gersh_metric **out, gersh__model_reader *r, const atom_tensors *list,
                               double rho)
{
    size_t atoms = r->tensor[list->weight].count, k = r->model->scaling->width;
    int dense = r->tensor[list->dense].present;
    gersh_status status = gersh_metric_new(out, k, rho, atoms, dense);
    if (status != GERSH_OK)
        return status;
    gersh_metric *metric = *out;
    for (size_t t = 0; t < atoms; t++) {
        metric->weight[t] = gersh__tensor_real(r, list->weight, t);
        if (!(metric->weight[t] > 0))
            return bad_atom(t);
        if (dense) {
            for (size_t j = 0; j < k; j++)
                metric->dense[t * k + j] = gersh__tensor_real(r, list->dense, t * k + j);
        } else {
            gersh_atom *z = &metric->atom[t];
            z->i = gersh__tensor_index(r, list->nodes, 2 * t, k);
            z->j = gersh__tensor_index(r, list->nodes, 2 * t + 1, k);
            z->a = gersh__tensor_real(r, list->entries, 2 * t);
            z->b = gersh__tensor_real(r, list->entries, 2 * t + 1);
        }
        if (!gersh__metric_atom_holds(metric, t))
            return bad_atom(t);
    }
    /* No entry of M is larger than its trace. */
    if (!isfinite(gersh_metric_trace(metric)))
        return gersh__fail(GERSH_ERROR_INPUT,
                           "the weights of the metric are too large: its trace is infinite");
    return GERSH_OK;
}

static gersh_status read_colors(gersh__model_reader *r)
{
    size_t k = r->model->scaling->width;
    if (!r->tensor[GERSH__COLOR].present)
        return GERSH_OK;
    r->model->color = gersh__alloc(k, sizeof *r->model->color);
    if (r->model->color == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t j = 0; j < k; j++) {
        uint64_t bits = gersh__tensor_bits(r, GERSH__COLOR, j);
        if (bits != 1 && bits != UINT64_MAX)
            return gersh__fail(GERSH_ERROR_INPUT, "the colour of feature %zu is neither 1 nor -1", j + 1);
        r->model->color[j] = bits == 1 ? 1 : -1;
    }
    return GERSH_OK;
}

/* What is read is what was written, as far as the digests in the file tell. */
static gersh_status check_digests(const gersh__model_reader *r)
{
    char metric[GERSH__DIGEST_SIZE], samples[GERSH__DIGEST_SIZE];
    gersh__digest_metric(metric, r->model->metric);
    if (strcmp(metric, r->metric_digest) != 0)
        return gersh__fail(GERSH_ERROR_INPUT,
                           "the metric is not the one that the file has the digest of; the model is "
                           "damaged");
    if (r->model->data == NULL)
        return GERSH_OK;
    gersh__digest_samples(samples, r->model, r->model->data);
    return strcmp(samples, r->model->samples_digest) == 0
               ? GERSH_OK
               : gersh__fail(GERSH_ERROR_INPUT,
                             "the training samples are not those that the file has the digest of; "
                             "the model is damaged");
}

/* As in data: features have names, and no two of the features, or of the classes, have the same. */
static gersh_status check_names(const gersh_model *model)
{
    gersh_status status =
        gersh__names_check("the model's features", model->feature_names, model->features, 0);
    return status == GERSH_OK
               ? gersh__names_check("the model's classes", model->class_names, model->classes, 1)
               : status;
}

static gersh_status read_model(gersh__model_reader *r)
{
    double rho = 0;
    gersh_status status = parse_head(r);
    if (status == GERSH_OK)
        status = parse_tensors(r);
    if (status == GERSH_OK)
        status = gersh__model_read_about(r, &rho);
    if (status == GERSH_OK)
        status = check_names(r->model);
    if (status == GERSH_OK)
        status = check_shapes(r);
    if (status == GERSH_OK)
        status = read_atoms(&r->model->metric, r, &metric_tensors, rho);
    if (status == GERSH_OK && r->model->witnessed == GERSH__WITNESS_OWN)
        status = read_atoms(&r->model->witness.metric, r, &witness_tensors, rho);
    if (status == GERSH_OK)
        status = read_colors(r);
    if (status == GERSH_OK)
        status = gersh__model_read_data(r);
    if (status == GERSH_OK)
        status = gersh__model_read_tuples(r);
    if (status == GERSH_OK)
        status = gersh__model_read_bootstrap(r);
    if (status == GERSH_OK)
        status = gersh__model_read_importance(r);
    if (status == GERSH_OK)
        status = gersh__model_check_claims(r->model);
    return status == GERSH_OK ? check_digests(r) : status;
}

/* The model in the reader's content, which is freed; `shown` names where it came from. */
static gersh_status read_content(gersh_model **out, gersh__model_reader *r, const char *shown)
{
    gersh_status status = GERSH_ERROR_MEMORY;
    r->model = gersh__alloc(1, sizeof *r->model);
    if (r->model != NULL)
        status = read_model(r);
    if (status != GERSH_OK && status != GERSH_ERROR_MEMORY)
        gersh__fail_prefix(status, "%s: ", shown);
    if (status == GERSH_OK)
        *out = r->model;
    else
        gersh_model_free(r->model);
    json_decref(r->about);
    json_decref(r->head);
    gersh__free(r->content.bytes);
    return status;
}

gersh_status gersh_model_read(gersh_model **out, const char *path)
{
    const char *shown = strcmp(path, "-") == 0 ? "standard input" : path;
    gersh__model_reader r = {0};
    *out = NULL;
    gersh_status status = gersh__file_load(&r.content, path, shown);
    if (status == GERSH_OK)
        return read_content(out, &r, shown);
    gersh__free(r.content.bytes);
    return status;
}

gersh_status gersh_model_unpack(gersh_model **out, const char *bytes, size_t size)
{
    gersh__model_reader r = {0};
    *out = NULL;
    gersh_status status = gersh__check_array(size, 1, 1);
    if (status != GERSH_OK)
        return status;
    r.content.bytes = gersh__text_copy(bytes, size);
    if (r.content.bytes == NULL)
        return GERSH_ERROR_MEMORY;
    r.content.size = size;
    return read_content(out, &r, "the packed model");
}
