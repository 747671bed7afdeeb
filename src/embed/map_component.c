/*
 * The factor of one connected component of a sparse metric: M = LLᵀ on its features, the columns being
 * those of L.
 *
 * Features of the smallest degree are eliminated first. Eliminating f gives the column l = M_·f / √M_ff and
 * leaves M − l lᵀ on the features that are left, which joins all neighbours of f to each other. On a tree
 * no edge is ever added. When no feature of at most GERSH__MAP_NEIGHBORS neighbours is left, the rest is factorised as a
 * dense matrix.
 *
 * A pivot that is 0 but for rounding (M singular, ρ = 0) would let the error of a column be far larger than
 * rounding; the columns are then the atoms themselves.
 */
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/policy.h"
#include "embed/map.h"

static const double singular = 1e-12; /* of the diagonal entry */

typedef struct neighbor {
    size_t node;
    double value;
} neighbor;

/* Neighbours of one feature, ascending. */
typedef struct list {
    neighbor *item;
    size_t count, room;
} list;

/* A feature in the queue of those of its degree; out of date where its degree has changed since. */
typedef struct waiting {
    size_t node, next;
} waiting;

typedef struct elimination {
    size_t count;
    list *at;
    double *diagonal, *first; /* what is left of it; as it was */
    unsigned char *gone;
    size_t head[GERSH__MAP_NEIGHBORS + 1]; /* of the queues: 1 + place in queue, 0 for none */
    waiting *queue;
    size_t queued, queue_room;
} elimination;

static void clear(elimination *e)
{
    for (size_t i = 0; e->at != NULL && i < e->count; i++)
        gersh__free(e->at[i].item);
    gersh__free(e->at);
    gersh__free(e->diagonal);
    gersh__free(e->first);
    gersh__free(e->gone);
    gersh__free(e->queue);
}

static size_t find(const list *l, size_t node)
{
    size_t low = 0, high = l->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (l->item[middle].node < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int add_half(elimination *e, size_t i, size_t j, double value)
{
    list *l = &e->at[i];
    size_t at = find(l, j);
    if (at == l->count || l->item[at].node != j) {
        if (gersh__grow(&l->item, &l->room, l->count + 1, sizeof *l->item) != 0)
            return -1;
        memmove(l->item + at + 1, l->item + at, (l->count - at) * sizeof *l->item);
        l->item[at] = (neighbor){j, 0};
        l->count++;
    }
    l->item[at].value += value;
    return 0;
}

static int add_edge(elimination *e, size_t i, size_t j, double value)
{
    return add_half(e, i, j, value) != 0 || add_half(e, j, i, value) != 0 ? -1 : 0;
}

static void remove_half(elimination *e, size_t i, size_t j)
{
    list *l = &e->at[i];
    size_t at = find(l, j);
    memmove(l->item + at, l->item + at + 1, (l->count - at - 1) * sizeof *l->item);
    l->count--;
}

static int enqueue(elimination *e, size_t node)
{
    size_t degree = e->at[node].count;
    if (degree > GERSH__MAP_NEIGHBORS)
        return 0;
    if (gersh__grow(&e->queue, &e->queue_room, e->queued + 1, sizeof *e->queue) != 0)
        return -1;
    e->queue[e->queued] = (waiting){node, e->head[degree]};
    e->head[degree] = ++e->queued;
    return 0;
}

/* A feature of the smallest degree, or e->count when all that are left have more than GERSH__MAP_NEIGHBORS neighbours. */
static size_t dequeue(elimination *e)
{
    for (size_t degree = 0; degree <= GERSH__MAP_NEIGHBORS; degree++)
        while (e->head[degree] > 0) {
            const waiting *first = &e->queue[e->head[degree] - 1];
            e->head[degree] = first->next;
            if (!e->gone[first->node] && e->at[first->node].count == degree)
                return first->node;
        }
    return e->count;
}

static gersh_status start(elimination *e, const gersh_metric *metric, size_t atoms, const size_t *atom,
                          const size_t *place)
{
    e->at = gersh__alloc(e->count, sizeof *e->at);
    e->diagonal = gersh__alloc(e->count, sizeof *e->diagonal);
    e->first = gersh__alloc(e->count, sizeof *e->first);
    e->gone = gersh__alloc(e->count, 1);
    if (e->at == NULL || e->diagonal == NULL || e->first == NULL || e->gone == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t i = 0; i < e->count; i++)
        e->diagonal[i] = metric->rho;
    for (size_t t = 0; t < atoms; t++) {
        double w = metric->weight[atom[t]];
        const gersh_atom *z = &metric->atom[atom[t]];
        size_t i = place[z->i], j = place[z->j];
        e->diagonal[i] += w * z->a * z->a;
        if (i == j)
            continue;
        e->diagonal[j] += w * z->b * z->b;
        if (add_edge(e, i, j, w * (z->a * z->b)) != 0)
            return GERSH_ERROR_MEMORY;
    }
    memcpy(e->first, e->diagonal, e->count * sizeof *e->first);
    for (size_t i = 0; i < e->count; i++)
        if (enqueue(e, i) != 0)
            return GERSH_ERROR_MEMORY;
    return GERSH_OK;
}

/* One column of L, and what it leaves; *failed where the pivot is 0 but for rounding. */
static gersh_status eliminate(int *failed, gersh__map *map, elimination *e, size_t f, const size_t *node)
{
    list *l = &e->at[f];
    gersh__map_column column;
    *failed = !(e->diagonal[f] > singular * e->first[f]);
    if (*failed)
        return GERSH_OK;
    if (gersh__map_add_column(&column, map, 1 + l->count) != 0)
        return GERSH_ERROR_MEMORY;
    double pivot = sqrt(e->diagonal[f]);
    column.index[0] = node[f];
    column.entry[0] = pivot;
    for (size_t a = 0; a < l->count; a++) {
        column.index[a + 1] = node[l->item[a].node];
        column.entry[a + 1] = l->item[a].value / pivot;
        e->diagonal[l->item[a].node] -= column.entry[a + 1] * column.entry[a + 1];
        remove_half(e, l->item[a].node, f);
    }
    e->gone[f] = 1;
    for (size_t a = 0; a < l->count; a++)
        for (size_t b = 0; b < a; b++)
            if (add_edge(e, l->item[a].node, l->item[b].node, -column.entry[a + 1] * column.entry[b + 1]) !=
                0)
                return GERSH_ERROR_MEMORY;
    for (size_t a = 0; a < l->count; a++)
        if (enqueue(e, l->item[a].node) != 0)
            return GERSH_ERROR_MEMORY;
    return GERSH_OK;
}

/* What is left, as one dense block. */
static gersh_status factorize_rest(int *failed, gersh__map *map, elimination *e, size_t left,
                                   const size_t *node)
{
    size_t *rank = gersh__alloc(e->count, sizeof *rank);
    gersh__map_block *block = rank != NULL ? gersh__map_add_block(map, left, left, 1) : NULL;
    if (block == NULL) {
        gersh__free(rank);
        return GERSH_ERROR_MEMORY;
    }
    size_t at = 0;
    for (size_t i = 0; i < e->count; i++)
        if (!e->gone[i]) {
            block->feature[at] = node[i];
            rank[i] = at++;
        }
    for (size_t i = 0; i < e->count; i++) {
        if (e->gone[i])
            continue;
        double *row = block->matrix + rank[i] * left;
        row[rank[i]] = e->diagonal[i];
        for (size_t a = 0; a < e->at[i].count; a++) /* L by columns is Lᵀ by rows */
            if (rank[e->at[i].item[a].node] > rank[i])
                row[rank[e->at[i].item[a].node]] = e->at[i].item[a].value;
    }
    *failed =
        LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (lapack_int)left, block->matrix, (lapack_int)left) != 0;
    for (size_t i = 0; i < e->count && !*failed; i++)
        if (!e->gone[i]) {
            double pivot = block->matrix[rank[i] * left + rank[i]];
            *failed = !(pivot * pivot > singular * e->first[i]);
        }
    gersh__free(rank);
    return GERSH_OK;
}

static gersh_status add_atoms(gersh__map *map, const gersh_metric *metric, size_t count, const size_t *node,
                              size_t atoms, const size_t *atom)
{
    gersh__map_column column;
    for (size_t i = 0; i < count && metric->rho > 0; i++) {
        if (gersh__map_add_column(&column, map, 1) != 0)
            return GERSH_ERROR_MEMORY;
        column.index[0] = node[i];
        column.entry[0] = sqrt(metric->rho);
    }
    for (size_t t = 0; t < atoms; t++) {
        const gersh_atom *z = &metric->atom[atom[t]];
        double root = sqrt(metric->weight[atom[t]]);
        if (gersh__map_add_column(&column, map, z->i == z->j ? 1 : 2) != 0)
            return GERSH_ERROR_MEMORY;
        column.index[0] = z->i;
        column.entry[0] = root * z->a;
        if (z->i != z->j) {
            column.index[1] = z->j;
            column.entry[1] = root * z->b;
        }
    }
    return GERSH_OK;
}

gersh_status gersh__map_add_component(gersh__map *map, const gersh_metric *metric, size_t count,
                                      const size_t *node, size_t atoms, const size_t *atom,
                                      const size_t *place)
{
    elimination e = {.count = count};
    size_t sparse = map->sparse, blocks = map->blocks, left = count, f;
    int failed = 0;
    if (metric->rho == 0 && atoms <= count)
        return add_atoms(map, metric, count, node, atoms, atom);
    gersh_status status = start(&e, metric, atoms, atom, place);
    while (status == GERSH_OK && !failed && (f = dequeue(&e)) < count) {
        status = eliminate(&failed, map, &e, f, node);
        left--;
    }
    if (status == GERSH_OK && !failed && left > 0) {
        failed = left > GERSH__MAP_LEFT;
        if (!failed)
            status = factorize_rest(&failed, map, &e, left, node);
    }
    clear(&e);
    if (status != GERSH_OK || !failed)
        return status;
    map->sparse = sparse;
    if (map->blocks > blocks) {
        map->blocks = blocks;
        gersh__free(map->block[blocks].feature);
        gersh__free(map->block[blocks].matrix);
    }
    if (map->narrow && count <= GERSH__MAP_NARROW)
        return gersh__map_add_narrow(map, metric, count, node, atoms, atom, place);
    return add_atoms(map, metric, count, node, atoms, atom);
}
