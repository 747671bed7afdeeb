/*
 * The correlations of features that an edge joins, in the training samples. Samples are taken in blocks, of which the
 * features that have an edge are written out by columns: O(N · edges), and memory for one block. Columns are multiplied
 * by powers of two so that no square overflows; the mean is taken of the deviations from one sample, so that a
 * constant feature has none, and no correlation.
 */
#include <math.h>

#include "base/alloc.h"
#include "data/build.h"
#include "linalg/kernels.h"
#include "model/model.h"

enum { BLOCK_ROWS = 256, BLOCK_ENTRIES = 1 << 20 };

typedef struct work {
    const gersh_dataset *data;
    const gersh_graph *graph;
    size_t slots;    /* features that have an edge */
    size_t *slot;    /* of each feature, or GERSH__NONE */
    size_t *feature; /* of each slot */
    size_t *next;    /* of each slot, for finish() */
    double *factor, *origin, *mean, *square;
    size_t rows;   /* of a block */
    double *block; /* slots × rows: √w times the deviations from the means */
} work;

/* The values of sample i at the slots, every `stride` numbers. */
static void write_sample(const work *w, size_t i, double *out, size_t stride)
{
    const gersh_dataset *data = w->data;
    for (size_t s = 0; s < w->slots; s++)
        out[s * stride] = data->x != NULL ? data->x[i * data->k + w->feature[s]] * w->factor[s] : 0;
    for (size_t e = data->x != NULL ? 0 : data->sparse->start[i];
         data->x == NULL && e < data->sparse->start[i + 1]; e++) {
        size_t s = w->slot[data->sparse->index[e]];
        if (s != GERSH__NONE)
            out[s * stride] = data->sparse->value[e] * w->factor[s];
    }
}

static double weight_of(const gersh_dataset *data, size_t i)
{
    return data->weights != NULL ? data->weights[i] : 1;
}

static void make_means(work *w)
{
    const gersh_dataset *data = w->data;
    double total = 0, *values = w->block;
    size_t first = 0;
    for (size_t s = 0; s < w->slots; s++)
        w->factor[s] = 1;
    for (size_t i = 0; i < data->n; i++) {
        write_sample(w, i, values, 1);
        total += weight_of(data, i);
        for (size_t s = 0; s < w->slots; s++)
            w->mean[s] = fmax(w->mean[s], fabs(values[s]));
    }
    for (size_t s = 0; s < w->slots; s++) {
        w->factor[s] = gersh__safe_factor(w->mean[s]);
        w->mean[s] = 0;
    }
    while (first + 1 < data->n && weight_of(data, first) == 0)
        first++;
    write_sample(w, first, w->origin, 1);
    for (size_t i = 0; i < data->n; i++) {
        double share = weight_of(data, i) / total;
        write_sample(w, i, values, 1);
        for (size_t s = 0; s < w->slots; s++)
            w->mean[s] += share * (values[s] - w->origin[s]);
    }
}

/* One block from sample `begin` on; the products are added to `out` at each edge once. */
static void add_block(work *w, size_t begin, double *out)
{
    const gersh__kernels *kernel = gersh__kernels_here();
    const gersh_graph *graph = w->graph;
    size_t rows = w->data->n - begin < w->rows ? w->data->n - begin : w->rows;
    for (size_t b = 0; b < rows; b++) {
        double root = sqrt(weight_of(w->data, begin + b));
        write_sample(w, begin + b, w->block + b, rows);
        for (size_t s = 0; s < w->slots; s++)
            w->block[s * rows + b] = root * (w->block[s * rows + b] - w->origin[s] - w->mean[s]);
    }
    for (size_t s = 0; s < w->slots; s++) {
        size_t i = w->feature[s];
        const double *own = w->block + s * rows;
        w->square[s] += kernel->dot(rows, own, own);
        for (size_t at = graph->start[i]; at < graph->start[i + 1]; at++)
            if (graph->neighbor[at] > i)
                out[at] += kernel->dot(rows, own, w->block + w->slot[graph->neighbor[at]] * rows);
    }
}

/*
 * Products to correlations, both ways of each edge. Neighbours ascend: those above j meet j in their order, so that
 * next[j], where the first of them is in j's list, need only be moved on.
 */
static void finish(const work *w, double *out)
{
    const gersh_graph *graph = w->graph;
    for (size_t s = 0; s < w->slots; s++) {
        size_t i = w->feature[s];
        w->next[s] = graph->start[i + 1];
        for (size_t at = graph->start[i]; at < graph->start[i + 1]; at++) {
            size_t other = w->slot[graph->neighbor[at]];
            if (other < s) {
                out[at] = out[w->next[other]++];
                continue;
            }
            double size = sqrt(w->square[s]) * sqrt(w->square[other]);
            out[at] = size > 0 ? fmax(-1, fmin(1, out[at] / size)) : NAN;
            w->next[s] = at < w->next[s] ? at : w->next[s];
        }
    }
}

static void choose_slots(work *w)
{
    for (size_t i = 0; i < w->graph->nodes; i++) {
        w->slot[i] = GERSH__NONE;
        if (w->graph->start[i] == w->graph->start[i + 1])
            continue;
        w->feature[w->slots] = i;
        w->slot[i] = w->slots++;
    }
}

/* The samples at the features of the metric; *own, which the caller frees, where these are not those of the data. */
static gersh_status find_samples(const gersh_dataset **samples, gersh_dataset **own,
                                 const gersh_model *model)
{
    size_t maps = gersh__scaling_to_features(model->scaling);
    *samples = model->data;
    *own = NULL;
    if (maps == 0)
        return GERSH_OK;
    gersh_status status = gersh_dataset_copy(own, model->data);
    if (status == GERSH_OK)
        status = gersh__scaling_apply_first(model->scaling, maps, *own);
    *samples = *own;
    return status;
}

gersh_status gersh_model_correlations(double *out, const gersh_model *model, const gersh_graph *graph)
{
    work w = {.graph = graph};
    gersh_dataset *own = NULL;
    size_t nodes = graph->nodes;
    for (size_t at = 0; at < graph->start[nodes]; at++)
        out[at] = model->data != NULL ? 0 : NAN;
    if (model->data == NULL || graph->edges == 0)
        return GERSH_OK;
    w.slot = gersh__alloc(nodes, sizeof *w.slot);
    w.feature = gersh__alloc(nodes, sizeof *w.feature);
    w.next = gersh__alloc(nodes, sizeof *w.next);
    if (w.slot != NULL && w.feature != NULL)
        choose_slots(&w);
    w.rows = w.slots > 0 && BLOCK_ENTRIES / w.slots < BLOCK_ROWS ? BLOCK_ENTRIES / w.slots + 1 : BLOCK_ROWS;
    double *room = gersh__alloc(w.slots, 4 * sizeof *room);
    w.block = gersh__alloc(w.slots, w.rows * sizeof *w.block);
    gersh_status status =
        w.slot != NULL && w.feature != NULL && w.next != NULL && room != NULL && w.block != NULL
            ? find_samples(&w.data, &own, model)
            : GERSH_ERROR_MEMORY;
    if (status == GERSH_OK) {
        w.factor = room;
        w.origin = room + w.slots;
        w.mean = room + 2 * w.slots;
        w.square = room + 3 * w.slots;
        make_means(&w);
        for (size_t begin = 0; begin < w.data->n; begin += w.rows)
            add_block(&w, begin, out);
        finish(&w, out);
    }
    gersh_dataset_free(own);
    gersh__free(w.slot);
    gersh__free(w.feature);
    gersh__free(w.next);
    gersh__free(room);
    gersh__free(w.block);
    return status;
}
