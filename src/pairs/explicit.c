/*
 * Explicit pairs: the two samples of each.
 *
 * The values of the atoms are transposed, so that those of one sample lie side by side: a pair is
 * then two short arrays that are read from end to end, where atom by atom it would be two numbers from anywhere in
 * memory. For y = L(g) v each sample has its pairs, so that its sum is one thread's alone.
 */
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/policy.h"
#include "linalg/kernels.h"
#include "pairs/storage.h"

enum { ADJOINT_STRIPE = 64, PROJECTED_STRIPE = 512, TRANSPOSED = 32 };

/* Of the eigenvalues of a metric: k · EIGEN_ROOM numbers. */
enum { EIGEN_ROOM = 40 };

/* The pairs of each sample. */
typedef struct adjacency {
    size_t *start;   /* n + 1: those of sample i are at start[i]..start[i + 1] */
    uint32_t *pair;  /* their numbers, */
    uint32_t *other; /* and the other sample of each */
    double *v, *y;   /* n × TRANSPOSED each, of a few vectors */
} adjacency;

typedef struct explicit_pairs {
    gersh__pairs base;
    size_t *first, *second; /* the two samples of each pair, first > second */
    adjacency around;       /* where there are many */
} explicit_pairs;

static const explicit_pairs *explicit_of(const gersh__pairs *pairs)
{
    return (const explicit_pairs *)pairs;
}

static void release(gersh__pairs *pairs)
{
    explicit_pairs *e = (explicit_pairs *)pairs;
    gersh__free(e->first);
    gersh__free(e->second);
    gersh__free(e->around.start);
    gersh__free(e->around.pair);
    gersh__free(e->around.other);
    gersh__free(e->around.v);
    gersh__free(e->around.y);
}

static void ends(const gersh__pairs *pairs, size_t begin, size_t count, uint32_t *i, uint32_t *j)
{
    const explicit_pairs *e = explicit_of(pairs);
    for (size_t p = 0; p < count; p++) {
        i[p] = (uint32_t)e->first[begin + p];
        j[p] = (uint32_t)e->second[begin + p];
    }
}

static void ends_of(const gersh__pairs *pairs, const size_t *pair, size_t count, uint32_t *i, uint32_t *j)
{
    const explicit_pairs *e = explicit_of(pairs);
    for (size_t p = 0; p < count; p++) {
        i[p] = (uint32_t)e->first[pair[p]];
        j[p] = (uint32_t)e->second[pair[p]];
    }
}

typedef struct task {
    const explicit_pairs *pairs;
    size_t m;
    const double *t, *g;
    double factor;
    double *out;
} task;

static void add_chunk(void *context, size_t begin, size_t end)
{
    const task *k = context;
    const size_t *first = k->pairs->first, *second = k->pairs->second;
    for (size_t p = begin; p < end; p++) {
        double difference = k->t[first[p]] - k->t[second[p]];
        k->out[p] += k->factor * (difference * difference);
    }
}

static void add(const gersh__pairs *pairs, double factor, const double *t, double *d)
{
    gersh__pairs_each(pairs, add_chunk,
                      &(task){.pairs = explicit_of(pairs), .factor = factor, .t = t, .out = d});
}

/* d_p += Σ_a (u_ia − u_ja)², u being n × m. */
static void combine_chunk(void *context, size_t begin, size_t end)
{
    const task *k = context;
    const gersh__kernels *kernels = gersh__kernels_here();
    for (size_t p = begin; p < end; p++)
        k->out[p] +=
            kernels->distance(k->m, k->t + k->pairs->first[p] * k->m, k->t + k->pairs->second[p] * k->m);
}

static void combine(const gersh__pairs *pairs, size_t m, const double *transposed, double *d)
{
    gersh__pairs_each(pairs, combine_chunk,
                      &(task){.pairs = explicit_of(pairs), .m = m, .t = transposed, .out = d});
}

static void squared_distances(const gersh__pairs *pairs, const gersh__terms *terms, const double *base,
                              double *d)
{
    double *transposed = pairs->room->maps;
    gersh__storage_copy(pairs, base, d);
    gersh__pairs_transpose(pairs, terms->m, terms->t, terms->weight, transposed);
    combine(pairs, terms->m, transposed, d);
}

static void euclidean_chunk(void *context, size_t begin, size_t end)
{
    const task *k = context;
    const gersh__samples *samples = k->pairs->base.samples;
    for (size_t p = begin; p < end; p++)
        k->out[p] = samples->ops->distance(samples, k->pairs->first[p], k->pairs->second[p]);
}

static void euclidean(const gersh__pairs *pairs, double *d)
{
    gersh__pairs_each(pairs, euclidean_chunk, &(task){.pairs = explicit_of(pairs), .out = d});
}

static void direct_column(void *context, size_t column, int worker)
{
    const task *k = context;
    const explicit_pairs *e = k->pairs;
    const double *v = k->t + column * e->base.n;
    double *y = k->out + column * e->base.n;
    (void)worker;
    memset(y, 0, e->base.n * sizeof *y);
    for (size_t p = 0; p < e->base.count; p++) {
        double term = k->g[p] * (v[e->first[p]] - v[e->second[p]]);
        y[e->first[p]] += term;
        y[e->second[p]] -= term;
    }
}

static void adjoint(const gersh__pairs *pairs, const double *g, size_t columns, const double *v, double *y)
{
    task k = {.pairs = explicit_of(pairs), .g = g, .t = v, .out = y};
    if (gersh__pairs_many(pairs)) {
        gersh__pool_run(pairs->pool, columns, direct_column, &k);
        return;
    }
    for (size_t c = 0; c < columns; c++)
        direct_column(&k, c, 0);
}

static int scores_by_entries(const gersh__pairs *pairs, size_t m, int kept, int ready)
{
    (void)pairs;
    (void)m;
    return kept && ready;
}

static void sizes(const gersh__pairs *pairs, const double *g, double *r)
{
    const explicit_pairs *e = explicit_of(pairs);
    for (size_t p = 0; p < pairs->count; p++) {
        r[e->first[p]] += fabs(g[p]);
        r[e->second[p]] += fabs(g[p]);
    }
}

/* One sign of c of a chunk; tells whether there was a pair of the other. */
static int gram_sign(const gersh__gram *gm, size_t part, double sign, double *rows, double *h)
{
    const gersh__kernels *kernels = gersh__kernels_here();
    const explicit_pairs *e = explicit_of(gm->pairs);
    size_t m = gm->m, filled = 0, end = e->base.chunks.start[part + 1];
    int other = 0;
    for (size_t p = e->base.chunks.start[part]; p < end; p++) {
        double c = sign * gm->sign * gm->c[p];
        other |= c < 0;
        if (c > 0)
            kernels->set_squares(m, sqrt(c), gm->transposed + e->first[p] * m,
                                 gm->transposed + e->second[p] * m, rows + m * filled++);
        if (filled == GERSH__GRAM_BLOCK || (filled > 0 && p + 1 == end)) {
            cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)m, (int)filled, sign, rows, (int)m,
                        1.0, h, (int)m);
            filled = 0;
        }
    }
    return other;
}

static void gram_chunk(gersh__gram *gm, size_t part, double *rows, double *h)
{
    if (gram_sign(gm, part, 1.0, rows, h))
        gram_sign(gm, part, -1.0, rows, h);
}

/* Pairs with c_p = 0 are left out one by one. */
static gersh_status gram(gersh__gram *gm, double *h)
{
    return gersh__gram_sum(gm, gram_chunk, gm->pairs->chunks.count, 1, h);
}

static void sample(gersh__gram_sample *s, size_t begin, size_t end)
{
    const explicit_pairs *e = explicit_of(s->gram->pairs);
    size_t p = e->base.chunks.start[begin];
    while (p < e->base.chunks.start[end]) {
        size_t from = s->filled;
        p = gersh__gram_draw(s, s->gram->c, p, e->base.chunks.start[end]);
        for (size_t i = from; i < s->filled; i++) {
            s->first[i] = e->first[s->place[i]];
            s->second[i] = e->second[s->place[i]];
        }
        if (s->filled == GERSH__GRAM_BLOCK)
            gersh__gram_empty(s);
    }
}

static const gersh__pairs_ops few = {.name = "explicit",
                                     .squared_distances = squared_distances,
                                     .add = add,
                                     .euclidean = euclidean,
                                     .mean = gersh__storage_mean,
                                     .adjoint = adjoint,
                                     .scores = gersh__storage_scores,
                                     .scores_by_entries = scores_by_entries,
                                     .sizes = sizes,
                                     .ends = ends,
                                     .ends_of = ends_of,
                                     .gram = gram,
                                     .sample = sample,
                                     .free = release};

/*
 * Whether sums are shorter by features than by m atoms, for which their room is then enough: k (n + k + EIGEN_ROOM) numbers.
 */
static int by_features(const gersh__pairs *pairs, size_t m)
{
    size_t k = pairs->k;
    return pairs->samples->values != NULL && m > k && pairs->n >= k * k;
}

/* U = X W of a stripe of samples, W by columns. */
static void project_stripe(void *context, size_t part, int worker)
{
    const task *k = context;
    const gersh__pairs *pairs = &k->pairs->base;
    size_t n = pairs->n, begin = part * PROJECTED_STRIPE;
    size_t rows = n - begin < PROJECTED_STRIPE ? n - begin : PROJECTED_STRIPE;
    (void)worker;
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasTrans, (int)rows, (int)k->m, (int)k->m, 1.0,
                pairs->samples->values + begin, (int)n, k->t, (int)k->m, 0.0, k->out + begin * k->m,
                (int)k->m);
}

/* M = V diag(λ) Vᵀ, so that with U = X V diag(√λ) the distances are those of the rows of U. */
static int metric_distances(const gersh__pairs *pairs, const gersh__terms *terms, const double *base,
                            double *d)
{
    size_t n = pairs->n, k = pairs->k;
    double *u = pairs->room->maps, *factor = u + n * k, *values = factor + k * k, *room = values + k;
    if (terms->atom == NULL || !by_features(pairs, terms->m))
        return 0;
    memset(factor, 0, k * k * sizeof *factor);
    for (size_t a = 0; a < terms->m; a++) {
        gersh_atom z = terms->atom[a]; /* the lower triangle by columns */
        double weight = terms->weight[a];
        factor[z.i * k + z.i] += weight * z.a * z.a;
        if (z.i == z.j)
            continue;
        factor[z.j * k + z.j] += weight * z.b * z.b;
        factor[z.i < z.j ? z.i * k + z.j : z.j * k + z.i] += weight * z.a * z.b;
    }
    if (LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'L', (lapack_int)k, factor, (lapack_int)k, values, room,
                           (lapack_int)(k * (EIGEN_ROOM - 1))) != 0)
        return 0;
    for (size_t e = 0; e < k; e++)
        for (size_t f = 0; f < k; f++)
            factor[e * k + f] *= values[e] > 0 ? sqrt(values[e]) : 0.0;
    gersh__pool_run(pairs->pool, (n + PROJECTED_STRIPE - 1) / PROJECTED_STRIPE, project_stripe,
                    &(task){.pairs = explicit_of(pairs), .m = k, .t = factor, .out = u});
    gersh__storage_copy(pairs, base, d);
    combine(pairs, k, u, d);
    return 1;
}

static void adjoint_stripe(void *context, size_t part, int worker)
{
    const task *k = context;
    const adjacency *a = &k->pairs->around;
    const gersh__kernels *kernels = gersh__kernels_here();
    size_t n = k->pairs->base.n, m = k->m, begin = part * ADJOINT_STRIPE,
           end = n - begin < ADJOINT_STRIPE ? n : begin + ADJOINT_STRIPE;
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        double *y = a->y + i * m, total = 0;
        memset(y, 0, m * sizeof *y);
        for (size_t e = a->start[i]; e < a->start[i + 1]; e++) {
            double g = k->g[a->pair[e]];
            total += g;
            if (g != 0)
                kernels->axpy(m, -g, a->v + a->other[e] * m, y);
        }
        kernels->axpy(m, total, a->v + i * m, y);
        for (size_t c = 0; c < m; c++)
            k->out[c * n + i] = y[c];
    }
}

static void adjoint_many(const gersh__pairs *pairs, const double *g, size_t columns, const double *v,
                         double *y)
{
    const explicit_pairs *e = explicit_of(pairs);
    for (size_t first = 0; first < columns; first += TRANSPOSED) {
        size_t m = columns - first < TRANSPOSED ? columns - first : TRANSPOSED;
        gersh__pairs_transpose(pairs, m, v + first * pairs->n, NULL, e->around.v);
        gersh__pool_run(pairs->pool, (pairs->n + ADJOINT_STRIPE - 1) / ADJOINT_STRIPE, adjoint_stripe,
                        &(task){.pairs = e, .m = m, .g = g, .out = y + first * pairs->n});
    }
}

static void score_chunk(void *context, size_t part, int worker)
{
    const task *k = context;
    const explicit_pairs *e = k->pairs;
    const gersh__kernels *kernels = gersh__kernels_here();
    double *sum = k->out + part * k->m;
    (void)worker;
    for (size_t p = e->base.chunks.start[part]; p < e->base.chunks.start[part + 1]; p++)
        if (k->g[p] != 0)
            kernels->add_squares(k->m, k->g[p], k->t + e->first[p] * k->m, k->t + e->second[p] * k->m, sum);
}

static void scores_many(const gersh__pairs *pairs, const double *g, size_t m, const double *t,
                        double *score)
{
    double *transposed = pairs->room->maps, *sums = transposed + m * pairs->n;
    size_t chunks = pairs->chunks.count;
    gersh__pairs_transpose(pairs, m, t, NULL, transposed);
    memset(sums, 0, chunks * m * sizeof *sums);
    gersh__chunks_run(&pairs->chunks, pairs->pool, score_chunk,
                      &(task){.pairs = explicit_of(pairs), .m = m, .t = transposed, .g = g, .out = sums});
    memset(score, 0, m * sizeof *score);
    for (size_t part = 0; part < chunks; part++)
        for (size_t a = 0; a < m; a++)
            score[a] += sums[part * m + a];
}

static int scores_by_entries_many(const gersh__pairs *pairs, size_t m, int kept, int ready)
{
    return by_features(pairs, m) || (kept && ready);
}

static const gersh__pairs_ops many = {.name = "explicit, many",
                                      .squared_distances = squared_distances,
                                      .add = add,
                                      .metric_distances = metric_distances,
                                      .euclidean = euclidean,
                                      .mean = gersh__storage_mean,
                                      .adjoint = adjoint_many,
                                      .scores = scores_many,
                                      .scores_by_entries = scores_by_entries_many,
                                      .sizes = sizes,
                                      .ends = ends,
                                      .ends_of = ends_of,
                                      .gram = gram,
                                      .sample = sample,
                                      .free = release};

static void put(adjacency *a, size_t sample_number, size_t pair, size_t other)
{
    size_t at = a->start[sample_number]++;
    a->pair[at] = (uint32_t)pair;
    a->other[at] = (uint32_t)other;
}

static gersh_status connect(explicit_pairs *e)
{
    size_t n = e->base.n, count = e->base.count;
    adjacency *a = &e->around;
    a->start = gersh__alloc(n + 1, sizeof *a->start);
    a->pair = gersh__alloc(count, 2 * sizeof *a->pair);
    a->other = gersh__alloc(count, 2 * sizeof *a->other);
    a->v = gersh__alloc(n, TRANSPOSED * sizeof *a->v);
    a->y = gersh__alloc(n, TRANSPOSED * sizeof *a->y);
    if (!a->start || !a->pair || !a->other || !a->v || !a->y)
        return GERSH_ERROR_MEMORY;
    for (size_t p = 0; p < count; p++) {
        a->start[e->first[p] + 1]++;
        a->start[e->second[p] + 1]++;
    }
    for (size_t i = 0; i < n; i++)
        a->start[i + 1] += a->start[i];
    for (size_t p = 0; p < count; p++) {
        put(a, e->first[p], p, e->second[p]);
        put(a, e->second[p], p, e->first[p]);
    }
    for (size_t i = n; i > 0; i--) /* each start has moved on to the next one */
        a->start[i] = a->start[i - 1];
    a->start[0] = 0;
    return GERSH_OK;
}

gersh__pairs *gersh__explicit_new(gersh__pool *pool)
{
    return gersh__storage_new(&few, sizeof(explicit_pairs), pool);
}

gersh_status gersh__explicit_finish(gersh__pairs *pairs, size_t count, size_t *first, size_t *second)
{
    explicit_pairs *e = (explicit_pairs *)pairs;
    size_t chunks = count / GERSH__EXPLICIT_GRAIN;
    e->first = first;
    e->second = second;
    pairs->count = count;
    pairs->chunks.count = chunks < 1 ? 1 : chunks > GERSH__MOST_CHUNKS ? GERSH__MOST_CHUNKS : chunks;
    for (size_t p = 1; p < pairs->chunks.count; p++)
        pairs->chunks.start[p] = (size_t)((double)count * (double)p / (double)pairs->chunks.count);
    pairs->chunks.start[pairs->chunks.count] = count;
    if (pairs->chunks.count == 1 || count > UINT32_MAX)
        return GERSH_OK;
    pairs->ops = &many;
    return connect(e);
}
