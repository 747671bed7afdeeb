/* The map of a metric into Euclidean space, its parts and its application; see map.h. */
#include "embed/map.h"

#include <cblas.h>
#include <lapacke.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/blas.h"
#include "base/error.h"
#include "base/policy.h"
#include "linalg/kernels.h"

/* Up to this many features a dense metric's matrix is made, unless its atoms are few. */

void gersh__map_free(gersh__map *map)
{
    if (map == NULL)
        return;
    for (size_t b = 0; b < map->blocks; b++) {
        gersh__free(map->block[b].feature);
        gersh__free(map->block[b].matrix);
    }
    gersh__free(map->block);
    gersh__free(map->start);
    gersh__free(map->index);
    gersh__free(map->entry);
    gersh__free(map->gain);
    gersh__free(map->basis);
    gersh__free(map);
}

int gersh__map_add_column(gersh__map_column *out, gersh__map *map, size_t entries)
{
    size_t used = map->sparse > 0 ? map->start[map->sparse] : 0;
    if (gersh__grow(&map->start, &map->start_room, map->sparse + 2, sizeof *map->start) != 0 ||
        gersh__grow(&map->index, &map->index_room, used + entries, sizeof *map->index) != 0 ||
        gersh__grow(&map->entry, &map->entry_room, used + entries, sizeof *map->entry) != 0)
        return -1;
    map->start[0] = 0;
    map->start[++map->sparse] = used + entries;
    *out = (gersh__map_column){map->index + used, map->entry + used};
    return 0;
}

gersh__map_block *gersh__map_add_block(gersh__map *map, size_t features, size_t columns, int some)
{
    if (gersh__grow(&map->block, &map->block_room, map->blocks + 1, sizeof *map->block) != 0)
        return NULL;
    gersh__map_block *block = &map->block[map->blocks];
    *block = (gersh__map_block){.features = features, .columns = columns};
    block->matrix = gersh__alloc(columns, features * sizeof *block->matrix);
    if (block->matrix == NULL)
        return NULL;
    if (some) {
        block->feature = gersh__alloc(features, sizeof *block->feature);
        if (block->feature == NULL) {
            gersh__free(block->matrix);
            return NULL;
        }
    }
    map->blocks++;
    return block;
}

/* The root of x's component; the path is halved on the way. */
static size_t find_root(size_t *parent, size_t x)
{
    for (; parent[x] != x; x = parent[x])
        parent[x] = parent[parent[x]];
    return x;
}

/*
 * Numbers the components by their smallest feature: component[i] of each feature; returns how many there
 * are.
 */
static size_t number_components(size_t *component, size_t *parent, const gersh_metric *metric)
{
    size_t k = metric->features, count = 0;
    for (size_t i = 0; i < k; i++)
        parent[i] = i;
    for (size_t t = 0; t < metric->atoms; t++) {
        size_t a = find_root(parent, metric->atom[t].i), b = find_root(parent, metric->atom[t].j);
        parent[a < b ? b : a] = a < b ? a : b;
    }
    for (size_t i = 0; i < k; i++)
        component[i] = find_root(parent, i) == i ? count++ : component[find_root(parent, i)];
    return count;
}

/* Sorts items by their group: those of group g are order[start[g]..start[g+1]), ascending. */
static void group_items(size_t *order, size_t *start, size_t groups, size_t items, const size_t *group)
{
    memset(start, 0, (groups + 1) * sizeof *start);
    for (size_t i = 0; i < items; i++)
        start[group[i] + 1]++;
    for (size_t g = 0; g < groups; g++)
        start[g + 1] += start[g];
    for (size_t i = 0; i < items; i++)
        order[start[group[i]]++] = i;
    for (size_t g = groups; g > 0; g--)
        start[g] = start[g - 1];
    start[0] = 0;
}

static gersh_status build_sparse(gersh__map *map, const gersh_metric *metric)
{
    size_t k = metric->features, atoms = metric->atoms;
    gersh_status status = GERSH_ERROR_MEMORY;
    size_t *component = gersh__alloc(k, sizeof *component), *place = gersh__alloc(k, sizeof *place);
    size_t *node = gersh__alloc(k, sizeof *node), *node_start = gersh__alloc(k + 1, sizeof *node_start);
    size_t *atom = gersh__alloc(atoms, sizeof *atom), *atom_start = gersh__alloc(k + 1, sizeof *atom_start);
    size_t *owner = gersh__alloc(atoms, sizeof *owner);
    if (!component || !place || !node || !node_start || !atom || !atom_start || !owner)
        goto out;
    size_t count = number_components(component, place, metric);
    for (size_t t = 0; t < atoms; t++)
        owner[t] = component[metric->atom[t].i];
    group_items(node, node_start, count, k, component);
    group_items(atom, atom_start, count, atoms, owner);
    for (size_t c = 0; c < count; c++)
        for (size_t p = node_start[c]; p < node_start[c + 1]; p++)
            place[node[p]] = p - node_start[c];
    status = GERSH_OK;
    for (size_t c = 0; c < count && status == GERSH_OK; c++)
        status =
            gersh__map_add_component(map, metric, node_start[c + 1] - node_start[c], node + node_start[c],
                                     atom_start[c + 1] - atom_start[c], atom + atom_start[c], place);
out:
    gersh__free(owner);
    gersh__free(atom_start);
    gersh__free(atom);
    gersh__free(node_start);
    gersh__free(node);
    gersh__free(place);
    gersh__free(component);
    return status;
}

/* The Cholesky factor of the whole matrix; *made is 0 where M is not positive definite but for rounding. */
static gersh_status dense_cholesky(int *made, gersh__map *map, const gersh_metric *metric)
{
    size_t k = metric->features;
    gersh__map_block *block = gersh__map_add_block(map, k, k, 0);
    if (block == NULL)
        return GERSH_ERROR_MEMORY;
    gersh_metric_matrix(metric, block->matrix);
    *made = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (lapack_int)k, block->matrix, (lapack_int)k) == 0;
    if (!*made) {
        gersh__free(block->matrix);
        map->blocks--;
        return GERSH_OK;
    }
    /* L by columns is Lᵀ by rows; the other triangle still holds M. */
    for (size_t i = 0; i < k; i++)
        memset(block->matrix + i * k, 0, i * sizeof *block->matrix);
    return GERSH_OK;
}

static gersh_status build_dense(gersh__map *map, const gersh_metric *metric)
{
    size_t k = metric->features, m = metric->atoms;
    int made = 0;
    if (k <= GERSH__MAP_DENSE && (metric->rho > 0 ? GERSH__MAP_ATOMS_SHARE * m > k : m > k)) {
        gersh_status status = dense_cholesky(&made, map, metric);
        if (status != GERSH_OK || made)
            return status;
    }
    if (map->narrow && m > 0 && (metric->rho > 0 || m > k))
        return gersh__map_add_root(map, metric);
    for (size_t i = 0; i < k && metric->rho > 0; i++) {
        gersh__map_column column;
        if (gersh__map_add_column(&column, map, 1) != 0)
            return GERSH_ERROR_MEMORY;
        column.index[0] = i;
        column.entry[0] = sqrt(metric->rho);
    }
    if (m == 0)
        return GERSH_OK;
    gersh__map_block *block = gersh__map_add_block(map, k, m, 0);
    if (block == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t t = 0; t < m; t++)
        for (size_t i = 0; i < k; i++)
            block->matrix[t * k + i] = sqrt(metric->weight[t]) * metric->dense[t * k + i];
    return GERSH_OK;
}

/* Where the columns of the blocks begin, and what the whole comes to. */
static void finish(gersh__map *map)
{
    map->columns = map->sparse;
    for (size_t e = 0; map->sparse > 0 && e < map->start[map->sparse]; e++)
        map->square += map->entry[e] * map->entry[e];
    for (size_t b = 0; b < map->blocks; b++) {
        gersh__map_block *block = &map->block[b];
        block->first = map->columns;
        map->columns += block->columns;
        if (block->feature != NULL && block->features > map->widest)
            map->widest = block->features;
        for (size_t e = 0; e < block->features * block->columns; e++)
            map->square += block->matrix[e] * block->matrix[e];
    }
    if (map->rank > 0) { /* which is then all that there is */
        map->columns = map->features;
        map->widest = map->rank;
        map->square = (double)map->features * map->root * map->root;
        for (size_t r = 0; r < map->rank; r++)
            map->square += map->gain[r] * (2 * map->root + map->gain[r]);
    }
}

static gersh_status make(gersh__map **out, const gersh_metric *metric, size_t features, int narrow)
{
    *out = NULL;
    if (metric != NULL && metric->features != features)
        return gersh__fail(
            GERSH_ERROR_ARGUMENT,
            "the metric has %zu features but the rows have %zu; use rows of the metric's features",
            metric->features, features);
    if (features > INT_MAX / 2 || (metric != NULL && metric->atoms > INT_MAX / 2))
        return gersh__fail(GERSH_ERROR_ARGUMENT, "%zu features and %zu atoms are too many; the limit is %d",
                           features, metric != NULL ? metric->atoms : 0, INT_MAX / 2);
    gersh_status status = gersh__blas_check();
    if (status != GERSH_OK)
        return status;
    gersh__map *map = gersh__alloc(1, sizeof *map);
    if (map == NULL)
        return GERSH_ERROR_MEMORY;
    map->features = features;
    map->narrow = narrow;
    if (metric == NULL) {
        map->identity = 1;
        map->columns = features;
        map->square = (double)features;
    } else {
        status = metric->dense != NULL ? build_dense(map, metric) : build_sparse(map, metric);
        finish(map);
    }
    if (status == GERSH_OK)
        *out = map;
    else
        gersh__map_free(map);
    return status;
}

gersh_status gersh__map_new(gersh__map **out, const gersh_metric *metric, size_t features)
{
    return make(out, metric, features, 0);
}

gersh_status gersh__map_new_narrow(gersh__map **out, const gersh_metric *metric)
{
    return make(out, metric, metric->features, 1);
}

static void apply_block(const gersh__map_block *block, double *y, size_t columns, size_t rows,
                        const double *x, size_t stride, double *scratch)
{
    int in = (int)block->features;
    if (block->feature != NULL) {
        for (size_t r = 0; r < rows; r++)
            for (size_t f = 0; f < block->features; f++)
                scratch[r * block->features + f] = x[r * stride + block->feature[f]];
        x = scratch;
        stride = block->features;
    }
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)block->columns, in, 1, x,
                (int)stride, block->matrix, in, 0, y + block->first, (int)columns);
}

static void apply_root(const gersh__map *map, double *y, size_t rows, const double *x, size_t stride,
                       double *scratch)
{
    int k = (int)map->features, rank = (int)map->rank;
    for (size_t r = 0; r < rows; r++)
        for (size_t f = 0; f < map->features; f++)
            y[r * map->columns + f] = map->root * x[r * stride + f];
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, rank, k, 1, x, (int)stride, map->basis,
                k, 0, scratch, rank);
    for (size_t r = 0; r < rows; r++)
        for (size_t a = 0; a < map->rank; a++)
            scratch[r * map->rank + a] *= map->gain[a];
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)rows, k, rank, 1, scratch, rank, map->basis,
                k, 1, y, (int)map->columns);
}

void gersh__map_apply(const gersh__map *map, double *y, size_t rows, const double *x, size_t stride,
                      double *scratch)
{
    const gersh__kernels *kernel = gersh__kernels_here();
    for (size_t r = 0; r < rows; r++) {
        double *to = y + r * map->columns;
        const double *from = x + r * stride;
        if (map->identity)
            memcpy(to, from, map->columns * sizeof *to);
        for (size_t c = 0; c < map->sparse; c++) {
            size_t begin = map->start[c], count = map->start[c + 1] - begin;
            to[c] = count == 1 ? map->entry[begin] * from[map->index[begin]]
                               : kernel->gather(count, map->entry + begin, map->index + begin, from);
        }
    }
    for (size_t b = 0; b < map->blocks; b++)
        apply_block(&map->block[b], y, map->columns, rows, x, stride, scratch);
    if (map->rank > 0)
        apply_root(map, y, rows, x, stride, scratch);
}
