/* What all storages of pairs have in common; see pairs.h. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "linalg/kernels.h"
#include "pairs/storage.h"

enum { CHANCES = 128 /* that are asked for at once */ };

enum {
    TRANSPOSED_STRIPE = 64,
    TRANSPOSED_TILE = 8
}; /* of transposing: samples of one part, and vectors that are done together */

gersh__pairs *gersh__storage_new(const gersh__pairs_ops *ops, size_t size, gersh__pool *pool)
{
    gersh__pairs *pairs = gersh__alloc(1, size);
    if (pairs == NULL)
        return NULL;
    pairs->ops = ops;
    pairs->pool = pool;
    pairs->supervision = gersh__alloc(1, sizeof *pairs->supervision);
    pairs->room = gersh__alloc(1, sizeof *pairs->room);
    if (pairs->supervision != NULL && pairs->room != NULL)
        return pairs;
    gersh__pairs_free(pairs);
    return NULL;
}

void gersh__pairs_free(gersh__pairs *pairs)
{
    if (pairs == NULL)
        return;
    pairs->ops->free(pairs);
    gersh__samples_free(pairs->samples);
    gersh__supervision_free(pairs->supervision);
    gersh__free(pairs->row);
    if (pairs->room != NULL) {
        gersh__free(pairs->room->maps);
        gersh__free(pairs->room->gram);
    }
    gersh__free(pairs->room);
    gersh__free(pairs);
}

size_t gersh__pairs_count(const gersh__pairs *pairs)
{
    return pairs->count;
}

size_t gersh__pairs_samples(const gersh__pairs *pairs)
{
    return pairs->n;
}

size_t gersh__pairs_features(const gersh__pairs *pairs)
{
    return pairs->k;
}

gersh__pool *gersh__pairs_pool(const gersh__pairs *pairs)
{
    return pairs->pool;
}

int gersh__pairs_many(const gersh__pairs *pairs)
{
    return pairs->chunks.count > 1;
}

const gersh__supervision *gersh__pairs_supervision(const gersh__pairs *pairs)
{
    return pairs->supervision;
}

size_t gersh__pairs_row(const gersh__pairs *pairs, size_t sample)
{
    return pairs->row[sample];
}

void gersh__pairs_ends(const gersh__pairs *pairs, size_t begin, size_t count, uint32_t *i, uint32_t *j)
{
    pairs->ops->ends(pairs, begin, count, i, j);
}

void gersh__pairs_ends_of(const gersh__pairs *pairs, const size_t *pair, size_t count, uint32_t *i,
                          uint32_t *j)
{
    pairs->ops->ends_of(pairs, pair, count, i, j);
}

typedef struct loop {
    const gersh__chunks *chunks;
    gersh__pairs_sum sum;
    gersh__pairs_task task;
    void *context;
    double partial[GERSH__MOST_CHUNKS];
} loop;

static void sum_chunk(void *context, size_t part, int worker)
{
    loop *l = context;
    (void)worker;
    l->partial[part] = l->sum(l->context, l->chunks->start[part], l->chunks->start[part + 1]);
}

double gersh__pairs_reduce(const gersh__pairs *pairs, gersh__pairs_sum chunk, void *context)
{
    loop l = {.chunks = &pairs->chunks, .sum = chunk, .context = context};
    double sum = 0;
    gersh__chunks_run(&pairs->chunks, pairs->pool, sum_chunk, &l);
    for (size_t part = 0; part < pairs->chunks.count; part++)
        sum += l.partial[part];
    return sum;
}

static void do_chunk(void *context, size_t part, int worker)
{
    const loop *l = context;
    (void)worker;
    l->task(l->context, l->chunks->start[part], l->chunks->start[part + 1]);
}

void gersh__pairs_each(const gersh__pairs *pairs, gersh__pairs_task chunk, void *context)
{
    gersh__chunks_run(&pairs->chunks, pairs->pool, do_chunk,
                      &(loop){.chunks = &pairs->chunks, .task = chunk, .context = context});
}

typedef struct subsample {
    const gersh__pairs *pairs;
    gersh__pairs_chances chances;
    void *context;
    gersh__pick *pick;
    size_t count;
    double unit;
    double before[GERSH__MOST_CHUNKS + 1]; /* sum of chances before each chunk */
} subsample;

/* Those of up to CHANCES pairs from `begin` on, of a chunk that ends at `last`; returns the end of what was written. */
static size_t write_chances(const subsample *s, size_t begin, size_t last, double *chance)
{
    size_t end = last - begin < CHANCES ? last : begin + CHANCES;
    s->chances(s->context, begin, end, chance);
    return end;
}

static void sum_chances(void *context, size_t part, int worker)
{
    subsample *s = context;
    const size_t *start = s->pairs->chunks.start + part;
    double sum = 0;
    (void)worker;
    double chance[CHANCES];
    for (size_t begin = start[0]; begin < start[1]; begin += CHANCES) {
        size_t end = write_chances(s, begin, start[1], chance);
        for (size_t p = begin; p < end; p++)
            sum += chance[p - begin];
    }
    s->before[part + 1] = sum;
}

/* Draws made before the running sum is this. */
static size_t draws_before(const subsample *s, double sum)
{
    double draws = floor(sum / s->unit + 0.5);
    return draws < (double)s->count ? (size_t)draws : s->count;
}

/* Each chunk has as many places as it has draws. */
static void pick_pairs(void *context, size_t part, int worker)
{
    subsample *s = context;
    const size_t *start = s->pairs->chunks.start + part;
    size_t made = draws_before(s, s->before[part]), last = draws_before(s, s->before[part + 1]);
    gersh__pick *first = s->pick + made, *next = first;
    double sum = s->before[part], wanted = ((double)made + 0.5) * s->unit;
    (void)worker;
    memset(first, 0, (last - made) * sizeof *first);
    double chance[CHANCES];
    for (size_t begin = start[0]; begin < start[1] && made < last; begin += CHANCES) {
        size_t end = write_chances(s, begin, start[1], chance);
        for (size_t p = begin; p < end && made < last; p++) {
            sum += chance[p - begin];
            if (sum < wanted)
                continue;
            size_t reached = draws_before(s, sum);
            reached = reached < made + 1 ? made + 1 : reached < last ? reached : last;
            *next++ = (gersh__pick){.pair = p, .times = (double)(reached - made)};
            made = reached;
            wanted = ((double)made + 0.5) * s->unit;
        }
    }
    for (gersh__pick *pick = first; pick < next; pick++)
        gersh__pairs_ends_of(s->pairs, &pick->pair, 1, &pick->i, &pick->j);
}

int gersh__pairs_subsample(gersh__pick *pick, double *unit, const gersh__pairs *pairs,
                           gersh__pairs_chances chances, void *context, size_t count)
{
    subsample s = {.pairs = pairs, .chances = chances, .context = context, .pick = pick, .count = count};
    gersh__chunks_run(&pairs->chunks, pairs->pool, sum_chances, &s);
    for (size_t part = 0; part < pairs->chunks.count; part++)
        s.before[part + 1] += s.before[part];
    *unit = s.unit = s.before[pairs->chunks.count] / (double)count;
    if (!(s.unit > 0 && isfinite(s.unit)))
        return 0;
    gersh__chunks_run(&pairs->chunks, pairs->pool, pick_pairs, &s);
    return 1;
}

int gersh__pairs_coincide(const gersh__pairs *pairs, size_t i, size_t j)
{
    return pairs->samples->ops->coincide(pairs->samples, i, j);
}

const double *gersh__pairs_column(const gersh__pairs *pairs, size_t f, double *scratch)
{
    return pairs->samples->ops->column(pairs->samples, f, scratch);
}

const double *gersh__pairs_columns(const gersh__pairs *pairs)
{
    return pairs->samples->values;
}

const gersh__sparse *gersh__pairs_lists(const gersh__pairs *pairs)
{
    return gersh__samples_lists(pairs->samples);
}

void gersh__pairs_project(const gersh__pairs *pairs, size_t i, double a, size_t j, double b, double *t)
{
    pairs->samples->ops->project(pairs->samples, i, a, j, b, t);
}

static void center(const gersh__pairs *pairs, double *t)
{
    double mean = 0;
    if (pairs->uncentered)
        return;
    for (size_t s = 0; s < pairs->n; s++)
        mean += t[s];
    mean /= (double)pairs->n;
    for (size_t s = 0; s < pairs->n; s++)
        t[s] -= mean;
}

void gersh__pairs_project_atom(const gersh__pairs *pairs, gersh_atom z, double *t)
{
    gersh__pairs_project(pairs, z.i, z.a, z.j, z.i != z.j ? z.b : 0, t);
    center(pairs, t);
}

void gersh__pairs_project_vector(const gersh__pairs *pairs, const double *z, double *t)
{
    pairs->samples->ops->project_vector(pairs->samples, z, t);
    center(pairs, t);
}

double gersh__pairs_column_dot(const gersh__pairs *pairs, size_t f, const double *y)
{
    return pairs->samples->ops->column_dot(pairs->samples, f, y);
}

typedef struct transposing {
    size_t n, m;
    const double *t, *weight;
    double *out;
} transposing;

static void transpose_stripe(void *context, size_t part, int worker)
{
    const transposing *k = context;
    size_t n = k->n, begin = part * TRANSPOSED_STRIPE,
           end = n - begin < TRANSPOSED_STRIPE ? n : begin + TRANSPOSED_STRIPE;
    (void)worker;
    for (size_t first = 0; first < k->m; first += TRANSPOSED_TILE) {
        size_t last = k->m - first < TRANSPOSED_TILE ? k->m : first + TRANSPOSED_TILE;
        double root[TRANSPOSED_TILE];
        for (size_t a = first; a < last; a++)
            root[a - first] = k->weight != NULL ? sqrt(k->weight[a]) : 1.0;
        for (size_t i = begin; i < end; i++)
            for (size_t a = first; a < last; a++)
                k->out[i * k->m + a] = root[a - first] * k->t[a * n + i];
    }
}

void gersh__pairs_transpose(const gersh__pairs *pairs, size_t m, const double *t, const double *weight,
                            double *transposed)
{
    gersh__pool_run(pairs->pool, (pairs->n + TRANSPOSED_STRIPE - 1) / TRANSPOSED_STRIPE, transpose_stripe,
                    &(transposing){pairs->n, m, t, weight, transposed});
}

gersh_status gersh__pairs_reserve(const gersh__pairs *pairs, size_t atoms)
{
    gersh__pairs_room *room = pairs->room;
    if (atoms <= room->atoms)
        return GERSH_OK;
    gersh__free(room->maps);
    room->atoms = 0;
    room->maps = gersh__realloc(NULL, atoms, (pairs->n + GERSH__MOST_CHUNKS) * sizeof *room->maps);
    if (room->maps == NULL)
        return GERSH_ERROR_MEMORY;
    room->atoms = atoms;
    return GERSH_OK;
}

void gersh__pairs_squared_distances(const gersh__pairs *pairs, const gersh__terms *terms,
                                    const double *base, double *d)
{
    pairs->ops->squared_distances(pairs, terms, base, d);
}

int gersh__pairs_metric_distances(const gersh__pairs *pairs, const gersh__terms *terms, const double *base,
                                  double *d)
{
    return pairs->ops->metric_distances != NULL && pairs->ops->metric_distances(pairs, terms, base, d);
}

void gersh__pairs_add(const gersh__pairs *pairs, double factor, const double *t, double *d)
{
    pairs->ops->add(pairs, factor, t, d);
}

void gersh__pairs_euclidean(const gersh__pairs *pairs, double *d)
{
    pairs->ops->euclidean(pairs, d);
}

gersh_status gersh__pairs_mean(const gersh__pairs *pairs, double *mean)
{
    return pairs->ops->mean(pairs, mean);
}

void gersh__pairs_adjoint(const gersh__pairs *pairs, const double *g, size_t columns, const double *v,
                          double *y)
{
    pairs->ops->adjoint(pairs, g, columns, v, y);
}

void gersh__pairs_scores(const gersh__pairs *pairs, const double *g, size_t m, const double *t,
                         double *score)
{
    pairs->ops->scores(pairs, g, m, t, score);
}

int gersh__pairs_scores_by_entries(const gersh__pairs *pairs, size_t m, int kept, int ready)
{
    return pairs->ops->scores_by_entries(pairs, m, kept, ready);
}

void gersh__pairs_sizes(const gersh__pairs *pairs, const double *g, double *r)
{
    pairs->ops->sizes(pairs, g, r);
}

void gersh__storage_scores(const gersh__pairs *pairs, const double *g, size_t m, const double *t,
                           double *score)
{
    size_t n = pairs->n;
    double *y = pairs->room->maps;
    gersh__pairs_adjoint(pairs, g, m, t, y);
    for (size_t a = 0; a < m; a++)
        score[a] = gersh__kernels_here()->dot(n, t + a * n, y + a * n);
}

typedef struct copying {
    const double *from;
    double *to;
} copying;

static void copy_chunk(void *context, size_t begin, size_t end)
{
    const copying *c = context;
    memcpy(c->to + begin, c->from + begin, (end - begin) * sizeof *c->to);
}

void gersh__storage_copy(const gersh__pairs *pairs, const double *base, double *d)
{
    if (base != d)
        gersh__pairs_each(pairs, copy_chunk, &(copying){base, d});
}

gersh_status gersh__storage_mean(const gersh__pairs *pairs, double *mean)
{
    size_t count = pairs->count;
    double *d = gersh__alloc(count, sizeof *d), sum = 0;
    if (d == NULL)
        return GERSH_ERROR_MEMORY;
    gersh__pairs_euclidean(pairs, d);
    for (size_t p = 0; p < count; p++)
        sum += d[p] / (double)count;
    gersh__free(d);
    *mean = sum;
    return GERSH_OK;
}
