/*
 * The search for nearest neighbours; see gersh/neighbors.h and the head of neighbors.c.
 *
 * For a tile of queries a and rows b one product gives −2ab, so that every pair has a lower bound of d s²,
 * −2ab + (n_b − err_b) + (n_a − err_a), and an upper bound. A query keeps the rows whose lower bound is at
 * most the k-th smallest upper bound so far. When its list is full, those beyond are dropped, and where too
 * few are (many rows are equally far), exact distances decide at once and k rows stay. At the end the exact
 * distances of the few that are left, and then row numbers, give the order. Nothing depends on the tiles or
 * the threads. A search by radius has a fixed limit: rows whose lower bound is within it are visited when the list is
 * full, and at the end.
 */
#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/policy.h"
#include "embed/neighbors.h"
#include "linalg/kernels.h"

enum {
    TILE_QUERIES = 512, /* of one tile, at most */
    TILE_ROWS = 1024,   /* of one tile */
    EXACT = 16,         /* exact distances that are computed at once */
    TILE_RUN = 32,      /* columns of a tile that are looked at together */
    SPARE = 64          /* room of a list beyond 2 k */
};

/* A row that may be among the nearest; the bounds are those of d s² − (what belongs to the query). */
typedef struct candidate {
    double low, high;
    double exact; /* d; −1 while it is not known */
    size_t row;
} candidate;

typedef struct list {
    size_t query;
    size_t count;
    float limit;      /* rows with a larger lower bound are not among the nearest */
    double low, high; /* n − err and n + err of the query */
} list;

/* Memory of one worker. */
typedef struct scratch {
    double *room;         /* for mapping queries */
    float *query;         /* block × columns */
    float *tile;          /* block × TILE_ROWS */
    list *list;           /* block */
    candidate *candidate; /* block × room of a list */
    double *bound;        /* room of a list */
    double *difference;   /* EXACT × features */
} scratch;

typedef struct search {
    const gersh_neighbors *index;
    double *distance;
    size_t *neighbors;
    size_t queries, stride, k;
    const double *x;      /* NULL: the rows themselves */
    size_t block;         /* queries of a tile */
    size_t room;          /* of a list */
    const double *radius; /* of each query, for a search by radius; neighbors and k are not used then */
    gersh__neighbor_visit visit;
    void *context;
    int workers;
    scratch *worker;
    const gersh_cancel *cancel;
    int cancelled;
} search;

static gersh_status alloc_scratch(scratch *s, const search *all)
{
    const gersh_neighbors *index = all->index;
    s->room = gersh__alloc(gersh__neighbors_room(index), sizeof(double));
    s->query = gersh__alloc(all->block, index->map->columns * sizeof(float));
    s->tile = gersh__alloc(all->block, TILE_ROWS * sizeof(float));
    s->list = gersh__alloc(all->block, sizeof(list));
    s->candidate = gersh__alloc(all->block, all->room * sizeof(candidate));
    s->bound = gersh__alloc(all->room, sizeof(double));
    s->difference = gersh__alloc(EXACT, index->features * sizeof(double));
    return s->room && s->query && s->tile && s->list && s->candidate && s->bound && s->difference
               ? GERSH_OK
               : GERSH_ERROR_MEMORY;
}

static gersh_status alloc_workers(search *s)
{
    gersh_status status = GERSH_OK;
    s->worker = gersh__alloc((size_t)s->workers, sizeof *s->worker);
    if (s->worker == NULL)
        return GERSH_ERROR_MEMORY;
    for (int w = 0; w < s->workers && status == GERSH_OK; w++)
        status = alloc_scratch(&s->worker[w], s);
    return status;
}

static void free_workers(search *s)
{
    for (int w = 0; s->worker != NULL && w < s->workers; w++) {
        gersh__free(s->worker[w].room);
        gersh__free(s->worker[w].query);
        gersh__free(s->worker[w].tile);
        gersh__free(s->worker[w].list);
        gersh__free(s->worker[w].candidate);
        gersh__free(s->worker[w].bound);
        gersh__free(s->worker[w].difference);
    }
    gersh__free(s->worker);
}

/* The distances of up to EXACT candidates under dense atoms, each atom read once for all of them. */
static void dense_distances(const gersh_neighbors *index, const double *x, candidate *const *which,
                            size_t count, double *difference)
{
    const gersh__kernels *kernel = gersh__kernels_here();
    const gersh_metric *metric = index->metric;
    size_t k = index->features;
    for (size_t c = 0; c < count; c++) {
        const double *y = index->x + which[c]->row * index->stride;
        double *delta = difference + c * k;
        for (size_t j = 0; j < k; j++)
            delta[j] = x[j] - y[j];
        which[c]->exact = metric->rho * kernel->dot(k, delta, delta);
    }
    for (size_t t = 0; t < metric->atoms; t++)
        for (size_t c = 0; c < count; c++) {
            double along = kernel->dot(k, metric->dense + t * k, difference + c * k);
            which[c]->exact += metric->weight[t] * along * along;
        }
}

/* Distances that are no more than rounding become 0. */
static void round_distances(const gersh_neighbors *index, const double *x, candidate *all, size_t count)
{
    for (size_t c = 0; c < count; c++) {
        const double *y = index->x + all[c].row * index->stride;
        double square = gersh__neighbors_euclidean(index->features, x, y);
        if (isfinite(square) && all[c].exact <= index->zero * square)
            all[c].exact = 0;
    }
}

static void exact_distances(const gersh_neighbors *index, const double *x, candidate *all, size_t count,
                            const scratch *s)
{
    candidate *which[EXACT];
    size_t used = 0;
    for (size_t c = 0; c < count; c++) {
        const double *y = index->x + all[c].row * index->stride;
        if (all[c].exact >= 0)
            continue;
        if (index->metric == NULL) {
            all[c].exact = gersh__neighbors_euclidean(index->features, x, y);
        } else if (index->metric->dense == NULL) {
            all[c].exact = gersh_metric_distance(index->metric, x, y);
        } else {
            which[used++] = &all[c];
            if (used == EXACT) {
                dense_distances(index, x, which, used, s->difference);
                used = 0;
            }
        }
    }
    if (used > 0)
        dense_distances(index, x, which, used, s->difference);
    if (index->zero > 0)
        round_distances(index, x, all, count);
}

static int by_distance(const void *left, const void *right)
{
    const candidate *a = left, *b = right;
    if (a->exact != b->exact)
        return a->exact < b->exact ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

/* Leaves the k nearest of the list, in order, by exact distances. */
static void decide(const search *s, const scratch *mine, list *l, candidate *all, const double *x)
{
    double scale = s->index->scale * s->index->scale;
    exact_distances(s->index, x, all, l->count, mine);
    qsort(all, l->count, sizeof *all, by_distance);
    l->count = l->count < s->k ? l->count : s->k;
    for (size_t c = 0; c < l->count; c++) {
        all[c].low = all[c].exact * scale - l->low;
        all[c].high = all[c].exact * scale - l->high;
    }
}

/* A float that is not below the value. */
static float round_up(double value)
{
    float rounded = (float)value;
    return (double)rounded < value ? nextafterf(rounded, INFINITY) : rounded;
}

/*
 * Drops rows that cannot be among the k nearest. At least half of what the list has beyond k is free then.
 */
static void tighten(const search *s, const scratch *mine, list *l, candidate *all, const double *x)
{
    for (int decided = 0; decided < 2; decided++) {
        for (size_t c = 0; c < l->count; c++)
            mine->bound[c] = all[c].high;
        double limit = gersh__neighbors_select(mine->bound, l->count, s->k - 1) + (l->high - l->low);
        limit += 0x1p-40 * (fabs(l->high) + fabs(limit)); /* beyond the rounding of these sums */
        size_t kept = 0;
        for (size_t c = 0; c < l->count; c++)
            if (all[c].low <= limit)
                all[kept++] = all[c];
        l->count = kept;
        l->limit = round_up(limit);
        if (kept <= s->k + (s->room - s->k) / 2)
            return;
        decide(s, mine, l, all, x);
    }
}

/* The largest lower bound of a row within the radius of the list's query. */
static float radius_limit(const search *s, const list *l)
{
    double limit = s->radius[l->query] * s->index->scale * s->index->scale - l->low;
    return round_up(limit + 0x1p-40 * (fabs(l->low) + fabs(limit)));
}

/* Visits the rows of the list that are within the radius, and empties it. */
static void visit_rows(const search *s, const scratch *mine, list *l, candidate *all, const double *x)
{
    exact_distances(s->index, x, all, l->count, mine);
    for (size_t c = 0; c < l->count; c++)
        if (all[c].exact <= s->radius[l->query])
            s->visit(s->context, l->query, all[c].row, all[c].exact);
    l->count = 0;
}

static void make_room(const search *s, const scratch *mine, list *l, candidate *all, const double *x)
{
    if (s->radius != NULL)
        visit_rows(s, mine, l, all, x);
    else
        tighten(s, mine, l, all, x);
}

/* Looks at the products of one query with `count` rows from `begin` on. */
static void scan(const search *s, const scratch *mine, size_t query, size_t own, size_t begin, size_t count,
                 const double *x)
{
    const gersh_neighbors *index = s->index;
    const float *product = mine->tile + query * TILE_ROWS, *low = index->low + begin;
    list *l = &mine->list[query];
    candidate *all = mine->candidate + query * s->room;
    for (size_t j = 0; j < count; j += TILE_RUN) {
        size_t end = count - j < TILE_RUN ? count : j + TILE_RUN;
        float limit = l->limit;
        int any = 0;
#pragma omp simd reduction(| : any)
        for (size_t i = j; i < end; i++)
            any |= product[i] + low[i] <= limit;
        for (size_t i = j; any && i < end; i++) {
            if (!(product[i] + low[i] <= l->limit) || begin + i == own)
                continue;
            all[l->count++] = (candidate){.low = (double)product[i] + low[i],
                                          .high = (double)product[i] + index->high[begin + i],
                                          .exact = -1,
                                          .row = begin + i};
            if (l->count == s->room)
                make_room(s, mine, l, all, x);
        }
    }
}

/* The points of the queries of a tile, and their empty lists. */
static const float *start_tile(const search *s, const scratch *mine, size_t first, size_t count)
{
    const gersh_neighbors *index = s->index;
    size_t columns = index->map->columns;
    gersh__bounds bounds[GERSH__MAPPED];
    for (size_t q = 0; q < count; q++)
        mine->list[q] = (list){.query = first + q, .limit = INFINITY};
    if (s->x == NULL) {
        for (size_t q = 0; q < count; q++) {
            mine->list[q].low = index->low[first + q];
            mine->list[q].high = index->high[first + q];
        }
        return index->point + first * columns;
    }
    for (size_t q = 0; q < count; q += GERSH__MAPPED) {
        size_t rows = count - q < GERSH__MAPPED ? count - q : GERSH__MAPPED;
        gersh__neighbors_points(index, mine->query + q * columns, bounds, rows,
                                s->x + (first + q) * s->stride, s->stride, mine->room);
        for (size_t i = 0; i < rows; i++) {
            mine->list[q + i].low = bounds[i].low;
            mine->list[q + i].high = bounds[i].high;
        }
    }
    for (size_t q = 0; q < count && s->radius != NULL; q++)
        mine->list[q].limit = radius_limit(s, &mine->list[q]);
    return mine->query;
}

/* What is left in the lists of a tile: visited, or the k nearest of each. */
static void finish_tile(const search *s, const scratch *mine, size_t count, const double *x, size_t stride)
{
    for (size_t q = 0; q < count; q++, x += stride) {
        list *l = &mine->list[q];
        candidate *all = mine->candidate + q * s->room;
        if (s->radius != NULL) {
            visit_rows(s, mine, l, all, x);
            continue;
        }
        tighten(s, mine, l, all, x); /* exact distances are expensive where atoms are dense */
        decide(s, mine, l, all, x);
        for (size_t c = 0; c < s->k; c++) {
            s->neighbors[l->query * s->k + c] = all[c].row;
            if (s->distance != NULL)
                s->distance[l->query * s->k + c] = all[c].exact;
        }
    }
}

static void search_part(void *context, size_t part, int worker)
{
    search *s = context;
    const gersh_neighbors *index = s->index;
    const scratch *mine = &s->worker[worker];
    size_t first = part * s->block, columns = index->map->columns;
    size_t count = s->queries - first < s->block ? s->queries - first : s->block;
    const double *x = s->x != NULL ? s->x + first * s->stride : index->x + first * index->stride;
    size_t stride = s->x != NULL ? s->stride : index->stride;
    const float *query = start_tile(s, mine, first, count);
    if (columns == 0)
        memset(mine->tile, 0, count * TILE_ROWS * sizeof *mine->tile);
    for (size_t begin = 0; begin < index->rows; begin += TILE_ROWS) {
        size_t rows = index->rows - begin < TILE_ROWS ? index->rows - begin : TILE_ROWS;
        if (gersh_cancel_requested(s->cancel)) {
            __atomic_store_n(&s->cancelled, 1, __ATOMIC_RELAXED);
            return;
        }
        if (columns > 0)
            cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)count, (int)rows, (int)columns, -2,
                        query, (int)columns, index->point + begin * columns, (int)columns, 0, mine->tile,
                        TILE_ROWS);
        for (size_t q = 0; q < count; q++)
            scan(s, mine, q, s->x == NULL ? first + q : index->rows, begin, rows, x + q * stride);
    }
    finish_tile(s, mine, count, x, stride);
}

static gersh_status run_search(search *s)
{
    gersh__pool *pool = NULL;
    if (s->queries == 0)
        return GERSH_OK;
    gersh_status status = gersh__pool_new(&pool, s->index->threads);
    if (status != GERSH_OK)
        return status;
    s->room = 2 * s->k + SPARE;
    size_t most = GERSH__TILE_LIST_BYTES / (s->room * sizeof(candidate));
    s->block = (s->queries + GERSH__TILE_PARTS - 1) / GERSH__TILE_PARTS;
    s->block = s->block < GERSH__TILE_LEAST ? GERSH__TILE_LEAST
               : s->block > TILE_QUERIES    ? TILE_QUERIES
                                            : s->block;
    s->block = s->block > most ? most : s->block;
    s->block = s->block < 1 ? 1 : s->block;
    size_t parts = (s->queries + s->block - 1) / s->block;
    s->workers = gersh__pool_threads(pool);
    status = alloc_workers(s);
    if (status == GERSH_OK)
        gersh__pool_run(pool, parts, search_part, s);
    gersh__pool_free(pool);
    free_workers(s);
    if (status == GERSH_OK && s->cancelled)
        status = gersh__fail(GERSH_ERROR_CANCELLED, "the search for neighbours was cancelled");
    return status;
}

gersh_status gersh_neighbors_find(gersh_neighbors *index, double *distance, size_t *neighbors,
                                  size_t queries, const double *x, size_t stride, size_t k,
                                  const gersh_cancel *cancel)
{
    if (k == 0 || k > index->rows)
        return gersh__fail(GERSH_ERROR_ARGUMENT,
                           "%zu neighbours are asked for but there are %zu rows; ask for 1 to %zu", k,
                           index->rows, index->rows);
    gersh_status status = gersh__neighbors_check("query", queries, index->features, x, stride);
    if (status != GERSH_OK)
        return status;
    search s = {.index = index,
                .distance = distance,
                .neighbors = neighbors,
                .queries = queries,
                .x = x,
                .stride = stride,
                .k = k,
                .cancel = cancel};
    return run_search(&s);
}

gersh_status gersh_neighbors_find_own(gersh_neighbors *index, double *distance, size_t *neighbors, size_t k,
                                      const gersh_cancel *cancel)
{
    if (k == 0 || k >= index->rows)
        return gersh__fail(GERSH_ERROR_ARGUMENT,
                           "%zu other rows are asked for as neighbours but each of the %zu rows has %zu", k,
                           index->rows, index->rows - 1);
    search s = {.index = index,
                .distance = distance,
                .neighbors = neighbors,
                .queries = index->rows,
                .k = k,
                .cancel = cancel};
    return run_search(&s);
}

gersh_status gersh__neighbors_within(gersh_neighbors *index, const double *radius, size_t queries,
                                     const double *x, size_t stride, gersh__neighbor_visit visit,
                                     void *context, const gersh_cancel *cancel)
{
    search s = {.index = index,
                .queries = queries,
                .x = x,
                .stride = stride,
                .radius = radius,
                .visit = visit,
                .context = context,
                .cancel = cancel};
    return run_search(&s);
}
