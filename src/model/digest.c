/* See digest.h. Numbers are digested as a model file has them: 8 bytes each, little-endian. */
#include "model/digest.h"

#include <nettle/sha2.h>
#include <string.h>

#include "data/dataset.h"

enum { BATCH = 512 };

typedef struct digest {
    struct sha256_ctx state;
    unsigned char batch[8 * BATCH];
    size_t filled;
} digest;

static void flush(digest *d)
{
    sha256_update(&d->state, 8 * d->filled, d->batch);
    d->filled = 0;
}

static void add_bits(digest *d, uint64_t bits)
{
    if (d->filled == BATCH)
        flush(d);
    for (int b = 0; b < 8; b++)
        d->batch[8 * d->filled + (size_t)b] = (unsigned char)(bits >> (8 * b));
    d->filled++;
}

static void add_reals(digest *d, const double *value, size_t count)
{
    for (size_t e = 0; value != NULL && e < count; e++) {
        uint64_t bits;
        memcpy(&bits, &value[e], sizeof bits);
        add_bits(d, bits);
    }
}

/* With the zero at its end. */
static void add_text(digest *d, const char *text)
{
    flush(d);
    sha256_update(&d->state, strlen(text) + 1, (const uint8_t *)text);
}

static void finish(digest *d, char out[GERSH__DIGEST_SIZE])
{
    static const char digits[] = "0123456789abcdef";
    unsigned char bytes[SHA256_DIGEST_SIZE];
    flush(d);
    sha256_digest(&d->state, sizeof bytes, bytes);
    for (size_t b = 0; b < sizeof bytes; b++) {
        out[2 * b] = digits[bytes[b] >> 4];
        out[2 * b + 1] = digits[bytes[b] & 15];
    }
    out[2 * sizeof bytes] = '\0';
}

static void add_rows(digest *d, const gersh_dataset *data)
{
    size_t n = data->n;
    if (data->x != NULL) {
        add_reals(d, data->x, n * data->k);
        return;
    }
    const gersh__sparse *x = data->sparse;
    for (size_t i = 0; i <= n; i++)
        add_bits(d, x->start[i]);
    for (size_t e = 0; e < x->start[n]; e++)
        add_bits(d, x->index[e]);
    add_reals(d, x->value, x->start[n]);
}

static void add_tuples(digest *d, const gersh_tuples *tuples)
{
    size_t size = gersh_tuple_size(tuples->kind);
    for (size_t t = 0; t < tuples->count; t++) {
        for (size_t c = 0; c < size; c++)
            add_bits(d, tuples->row[t * size + c]);
        if (tuples->kind == GERSH_PAIRS)
            add_bits(d, tuples->similar[t] ? 1 : UINT64_MAX);
    }
}

void gersh__digest_samples(char out[GERSH__DIGEST_SIZE], const gersh_model *model,
                           const gersh_dataset *data)
{
    digest d = {.filled = 0};
    sha256_init(&d.state);
    for (size_t f = 0; f < model->features; f++)
        add_text(&d, data->feature_names[f]);
    for (size_t c = 0; data->labels != NULL && c < data->classes; c++)
        add_text(&d, data->class_names[c]);
    for (size_t m = 0; m < model->scaling->count; m++)
        for (int v = 0; v < GERSH__MAP_VECTORS; v++)
            add_reals(&d, model->scaling->map[m].vector[v], model->scaling->map[m].count[v]);
    add_rows(&d, data);
    for (size_t i = 0; data->labels != NULL && i < data->n; i++)
        add_bits(&d, (uint64_t)data->labels[i]);
    add_reals(&d, data->targets, data->n);
    add_reals(&d, data->weights, data->n);
    if (model->tuples != NULL)
        add_tuples(&d, model->tuples);
    finish(&d, out);
}

void gersh__digest_metric(char out[GERSH__DIGEST_SIZE], const gersh_metric *metric)
{
    digest d = {.filled = 0};
    sha256_init(&d.state);
    add_reals(&d, metric->weight, metric->atoms);
    for (size_t a = 0; metric->dense == NULL && a < metric->atoms; a++) {
        add_bits(&d, metric->atom[a].i);
        add_bits(&d, metric->atom[a].j);
    }
    for (size_t a = 0; metric->dense == NULL && a < metric->atoms; a++) {
        add_reals(&d, &metric->atom[a].a, 1);
        add_reals(&d, &metric->atom[a].b, 1);
    }
    if (metric->dense != NULL)
        add_reals(&d, metric->dense, metric->atoms * metric->features);
    add_reals(&d, &metric->rho, 1);
    finish(&d, out);
}
