/*
 * Targets and impostors for lmnn, by blocks of anchors against all rows.
 *
 * A block holds anchors of one class. With x less the mean of the rows, as floats, one matrix product gives
 * (M x_i) · x_l for all anchors i of the block and a tile of rows l, and
 *
 *     d_il = x_i·M x_i + x_l·M x_l − 2 (M x_i) · x_l
 *
 * to the precision of floats, which is enough to choose by: what is chosen is measured anew by the fit. Each
 * anchor keeps its nearest rows in a heap of fixed size. Targets are searched for in the same way with M = I,
 * a few more than are needed, of which exact distances decide.
 */
#include "pairs/mine.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/policy.h"
#include "linalg/kernels.h"

enum { MINE_RUN = 32 }; /* distances that are looked at together */

static void sink(gersh__nearest *heap, size_t count, size_t at)
{
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= count)
            return;
        if (child + 1 < count && heap[child + 1].distance > heap[child].distance)
            child++;
        if (!(heap[child].distance > heap[at].distance))
            return;
        gersh__nearest swap = heap[at];
        heap[at] = heap[child];
        heap[child] = swap;
        at = child;
    }
}

/* Adds to a heap of at most `most`, the farthest on top. */
static void keep(gersh__nearest *heap, size_t *count, size_t most, gersh__nearest one)
{
    if (*count < most) {
        heap[(*count)++] = one;
        if (*count == most)
            for (size_t at = most / 2; at-- > 0;)
                sink(heap, most, at);
    } else if (one.distance < heap[0].distance) {
        heap[0] = one;
        sink(heap, most, 0);
    }
}

/* The rows begin..end for all anchors of the block, except an anchor itself. */
static void scan_rows(const gersh__mine *m, gersh__mine_block *b, const float *query, const float *norm,
                      size_t most, size_t begin, size_t end)
{
    size_t k = m->k;
    for (size_t from = begin; from < end; from += GERSH__MINE_ROWS) {
        size_t rows = end - from < GERSH__MINE_ROWS ? end - from : GERSH__MINE_ROWS;
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)b->count, (int)rows, (int)k, -2.0f, query,
                    (int)k, m->population->point + from * k, (int)k, 0.0f, b->tile, GERSH__MINE_ROWS);
        for (size_t a = 0; a < b->count; a++) {
            const float *product = b->tile + a * GERSH__MINE_ROWS, *other = norm + from;
            gersh__nearest *heap = b->heap + a * m->most;
            size_t own = m->anchor[b->first + a];
            for (size_t j = 0; j < rows; j += MINE_RUN) {
                size_t stop = rows - j < MINE_RUN ? rows : j + MINE_RUN;
                float limit = b->limit[a];
                int any = 0;
#pragma omp simd reduction(| : any)
                for (size_t i = j; i < stop; i++)
                    any |= product[i] + other[i] < limit;
                for (size_t i = j; any && i < stop; i++) {
                    float distance = product[i] + other[i];
                    if (!(distance < b->limit[a]) || from + i == own)
                        continue;
                    keep(heap, &b->found[a], most, (gersh__nearest){distance, from + i});
                    if (b->found[a] == most && heap[0].distance < b->limit[a])
                        b->limit[a] = heap[0].distance;
                }
            }
        }
    }
}

static const double *row_of(const gersh__mine *m, size_t place)
{
    return gersh_dataset_values(m->population->data) + m->population->row[place] * m->k;
}

static int by_distance(const void *left, const void *right)
{
    const gersh__nearest *a = left, *b = right;
    if (a->distance != b->distance)
        return a->distance < b->distance ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

static int by_place(const void *left, const void *right)
{
    const gersh__nearest *a = left, *b = right;
    return a->place < b->place ? -1 : a->place > b->place;
}

/* The targets of the block's anchors, nearest first, of equally near ones the earlier rows. */
static void find_targets(const gersh__mine *m, gersh__mine_block *b)
{
    const gersh__population *p = m->population;
    size_t most = m->targets + GERSH__SPARE_TARGETS;
    for (size_t a = 0; a < b->count; a++) {
        memcpy(b->query + a * m->k, p->point + m->anchor[b->first + a] * m->k, m->k * sizeof *b->query);
        b->limit[a] = INFINITY;
        b->found[a] = 0;
    }
    scan_rows(m, b, b->query, p->square, most, p->class_start[b->class], p->class_start[b->class + 1]);
    for (size_t a = 0; a < b->count; a++) {
        gersh__nearest *heap = b->heap + a * m->most;
        size_t anchor = b->first + a;
        const double *x = row_of(m, m->anchor[anchor]);
        for (size_t c = 0; c < b->found[a]; c++)
            heap[c].distance = gersh__kernels_here()->distance(m->k, x, row_of(m, heap[c].place));
        qsort(heap, b->found[a], sizeof *heap, by_distance);
        m->target_count[anchor] = b->found[a] < m->targets ? b->found[a] : m->targets;
        for (size_t c = 0; c < m->target_count[anchor]; c++)
            m->target[anchor * m->targets + c] = heap[c].place;
    }
}

/* M x, as floats. */
static void image(const gersh_metric *metric, size_t k, const float *x, float *out)
{
    for (size_t f = 0; f < k; f++)
        out[f] = (float)metric->rho * x[f];
    for (size_t t = 0; t < metric->atoms; t++) {
        double along = 0;
        if (metric->dense == NULL) {
            gersh_atom z = metric->atom[t];
            along = z.a * x[z.i] + (z.i != z.j ? z.b * x[z.j] : 0);
            out[z.i] += (float)(metric->weight[t] * along * z.a);
            if (z.i != z.j)
                out[z.j] += (float)(metric->weight[t] * along * z.b);
            continue;
        }
        for (size_t f = 0; f < k; f++)
            along += metric->dense[t * k + f] * x[f];
        for (size_t f = 0; f < k; f++)
            out[f] += (float)(metric->weight[t] * along * metric->dense[t * k + f]);
    }
}

/* Whether a place is of another class than the block's, and not among the nearest. */
static int is_rest(const gersh__mine *m, const gersh__mine_block *b, size_t place,
                   const gersh__nearest *near, size_t count)
{
    const gersh__population *p = m->population;
    gersh__nearest key = {0, place};
    return (place < p->class_start[b->class] || place >= p->class_start[b->class + 1]) &&
           bsearch(&key, near, count, sizeof key, by_place) == NULL;
}

/*
 * Random rows of the pool that are of other classes and not among the nearest: all of them where they are few.
 * The pool is random too, so that they stand for all such rows.
 */
static void draw_rest(const gersh__mine *m, const gersh__mine_block *b, size_t anchor,
                      const gersh__nearest *near, size_t count)
{
    const gersh__population *p = m->population;
    size_t others = p->n - (p->class_start[b->class + 1] - p->class_start[b->class]);
    size_t left = 0, drawn = 0, *to = m->impostor + anchor * m->impostors;
    gersh__random random;
    gersh__random_seed(&random, m->seed + anchor);
    for (size_t c = 0; c < count; c++)
        *to++ = near[c].place;
    for (size_t i = 0; i < m->pooled && left <= m->rest; i++)
        left += (size_t)is_rest(m, b, m->pool[i], near, count);
    for (size_t i = 0; left <= m->rest && i < m->pooled; i++)
        if (is_rest(m, b, m->pool[i], near, count))
            to[drawn++] = m->pool[i];
    while (left > m->rest && drawn < m->rest) {
        size_t place = m->pool[gersh__random_below(&random, m->pooled)];
        if (is_rest(m, b, place, near, count))
            to[drawn++] = place;
    }
    m->near_count[anchor] = count;
    m->rest_count[anchor] = drawn;
    m->rest_share[anchor] = drawn > 0 ? (double)(others - count) / (double)drawn : 0;
}

static void find_impostors(const gersh__mine *m, gersh__mine_block *b)
{
    const gersh__population *p = m->population;
    float reach[GERSH__MINE_ANCHORS];
    for (size_t a = 0; a < b->count; a++) {
        size_t anchor = b->first + a, place = m->anchor[anchor];
        double farthest = 0;
        for (size_t c = 0; c < m->target_count[anchor]; c++)
            farthest = fmax(farthest, gersh_metric_distance(p->metric, row_of(m, place),
                                                            row_of(m, m->target[anchor * m->targets + c])));
        /* The heap knows d_il less what belongs to the anchor alone. */
        reach[a] = (float)(1 + farthest) - p->norm[place];
        b->limit[a] = (float)(GERSH__IMPOSTOR_REACH * (1 + farthest)) - p->norm[place];
        b->found[a] = 0;
        image(p->metric, m->k, p->point + place * m->k, b->query + a * m->k);
    }
    scan_rows(m, b, b->query, p->norm, m->near, 0, p->class_start[b->class]);
    scan_rows(m, b, b->query, p->norm, m->near, p->class_start[b->class + 1], p->n);
    for (size_t a = 0; a < b->count; a++) {
        gersh__nearest *heap = b->heap + a * m->most;
        m->cut[b->first + a] = b->found[a] == m->near && heap[0].distance < reach[a];
        qsort(heap, b->found[a], sizeof *heap, by_place);
        draw_rest(m, b, b->first + a, heap, b->found[a]);
    }
}

static void mine_part(void *context, size_t part, int worker)
{
    const gersh__mine *m = context;
    gersh__mine_block b = m->block[part];
    const gersh__mine_block *mine = &m->scratch[worker];
    b.tile = mine->tile;
    b.query = mine->query;
    b.heap = mine->heap;
    b.limit = mine->limit;
    b.found = mine->found;
    find_targets(m, &b);
    find_impostors(m, &b);
}

void gersh__mine_run(gersh__mine *m, gersh__pool *pool)
{
    gersh__pool_run(pool, m->blocks, mine_part, m);
}

typedef struct target_search {
    gersh__population *population;
    size_t k;
    float *image; /* k for each worker */
} target_search;

/* x·M x and x·x of a stripe of rows. */
static void project_stripe(void *context, size_t part, int worker)
{
    const target_search *a = context;
    const gersh__population *p = a->population;
    size_t begin = part * GERSH__MINE_ROWS, k = a->k;
    float *product = a->image + (size_t)worker * k;
    for (size_t i = begin; i < p->n && i < begin + GERSH__MINE_ROWS; i++) {
        const float *x = p->point + i * k;
        double norm = 0, square = 0;
        image(p->metric, k, x, product);
        for (size_t f = 0; f < k; f++) {
            norm += (double)product[f] * x[f];
            square += (double)x[f] * x[f];
        }
        p->norm[i] = (float)norm;
        p->square[i] = (float)square;
    }
}

static gersh_status make_points(gersh__population *p, size_t k)
{
    const double *x = gersh_dataset_values(p->data);
    if (p->norm != NULL)
        return GERSH_OK;
    gersh__free(p->point);
    gersh__free(p->square);
    p->point = gersh__alloc(p->n, k * sizeof *p->point);
    p->square = gersh__alloc(p->n, sizeof *p->square);
    p->norm = p->point != NULL && p->square != NULL ? gersh__alloc(p->n, sizeof *p->norm) : NULL;
    if (p->norm == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t i = 0; i < p->n; i++)
        for (size_t f = 0; f < k; f++)
            p->point[i * k + f] = (float)(x[p->row[i] * k + f] - p->center[f]);
    return GERSH_OK;
}

gersh_status gersh__population_set_metric(gersh__population *p, const gersh_metric *metric,
                                          gersh__pool *pool)
{
    target_search a = {p, gersh_dataset_features(p->data), NULL};
    gersh_status status = make_points(p, a.k);
    if (status == GERSH_OK) {
        a.image = gersh__alloc((size_t)gersh__pool_threads(pool), a.k * sizeof *a.image);
        status = a.image != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
    }
    p->metric = metric;
    if (status == GERSH_OK)
        gersh__pool_run(pool, (p->n + GERSH__MINE_ROWS - 1) / GERSH__MINE_ROWS, project_stripe, &a);
    gersh__free(a.image);
    return status;
}
