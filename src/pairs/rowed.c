/*
 * What all pairs and those between classes have in common: row i holds the pairs of sample i with earlier samples.
 *
 * d_ij = b_ii + b_jj − 2 b_ij, a stripe of rows at a time, with B = T diag(weight) Tᵀ, or X M Xᵀ
 * where there are far more atoms than features. X is centred, as T is, so that less cancels.
 */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/policy.h"
#include "linalg/kernels.h"
#include "pairs/rows.h"
#include "pairs/storage.h"

enum { IMAGE_STRIPE = 512 };

/* Chunks of nearly equal numbers of pairs. */
static void divide(gersh__rowed *r)
{
    gersh__pairs *pairs = &r->base;
    size_t chunks = pairs->count < GERSH__ROWED_PAIRS ? 1 : pairs->count / GERSH__ROWED_GRAIN;
    chunks = chunks < 1 ? 1 : chunks > GERSH__MOST_CHUNKS ? GERSH__MOST_CHUNKS : chunks;
    pairs->chunks.count = r->rows.count = chunks;
    for (size_t p = 1, i = 0; p < chunks; p++) {
        size_t begin = (size_t)((double)pairs->count * (double)p / (double)chunks);
        while (r->row[i] < begin)
            i++;
        r->rows.start[p] = i;
    }
    r->rows.start[chunks] = pairs->n;
    for (size_t p = 0; p <= chunks; p++)
        pairs->chunks.start[p] = r->row[r->rows.start[p]];
}

gersh_status gersh__rowed_finish(gersh__rowed *r, int square)
{
    gersh__pairs *pairs = &r->base;
    pairs->count = r->row[pairs->n];
    divide(r);
    r->square = square ? gersh__alloc(pairs->n, pairs->n * sizeof *r->square) : NULL;
    r->diagonal = gersh__alloc(pairs->n, sizeof *r->diagonal);
    return (r->square == NULL && square) || r->diagonal == NULL ? GERSH_ERROR_MEMORY : GERSH_OK;
}

void gersh__rowed_free(gersh__pairs *pairs)
{
    gersh__rowed *r = (gersh__rowed *)pairs;
    gersh__free(r->row);
    gersh__free(r->square);
    gersh__free(r->diagonal);
}

/* The sample whose pairs with earlier ones pair p is among. */
static size_t sample_of(const gersh__rowed *r, size_t p)
{
    size_t low = 0, high = r->base.n;
    while (high > low + 1) {
        size_t middle = low + (high - low) / 2;
        if (r->row[middle] <= p)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void gersh__rowed_ends(const gersh__pairs *pairs, size_t begin, size_t count, uint32_t *i, uint32_t *j)
{
    const gersh__rowed *r = gersh__rowed_of(pairs);
    for (size_t p = 0, sample = sample_of(r, begin); p < count; sample++) {
        size_t from = begin + p - r->row[sample], left = r->row[sample + 1] - (begin + p);
        for (size_t e = 0; e < left && p < count; e++, p++) {
            i[p] = (uint32_t)sample;
            j[p] = (uint32_t)(from + e);
        }
    }
}

typedef struct map {
    const gersh__rowed *rowed;
    double factor;
    const double *t;
    double *d;
} map;

static void add_rows(void *context, size_t part, int worker)
{
    map *m = context;
    const gersh__kernels *kernels = gersh__kernels_here();
    const gersh__rowed *r = m->rowed;
    const double *t = m->t;
    (void)worker;
    for (size_t i = r->rows.start[part]; i < r->rows.start[part + 1]; i++)
        kernels->square_add(gersh__rowed_reach(r, i), m->factor, t[i], t, m->d + r->row[i]);
}

void gersh__rowed_add(const gersh__pairs *pairs, double factor, const double *t, double *d)
{
    const gersh__rowed *r = gersh__rowed_of(pairs);
    gersh__chunks_run(&r->rows, pairs->pool, add_rows, &(map){r, factor, t, d});
}

static void euclidean_rows(void *context, size_t part, int worker)
{
    map *m = context;
    const gersh__rowed *r = m->rowed;
    const gersh__samples *samples = r->base.samples;
    (void)worker;
    for (size_t i = r->rows.start[part]; i < r->rows.start[part + 1]; i++)
        samples->ops->distances(samples, i, gersh__rowed_reach(r, i), m->d + r->row[i]);
}

/* The share of a stripe of features in the distances of all pairs, in its own part of m->d. */
static void euclidean_stripe(void *context, size_t stripe, int worker)
{
    const map *m = context;
    const gersh__rowed *r = m->rowed;
    const double *x = r->base.samples->values;
    size_t begin = stripe * GERSH__FEATURE_STRIPE, end = begin + GERSH__FEATURE_STRIPE, n = r->base.n;
    double *d = m->d + stripe * r->base.count;
    (void)worker;
    for (size_t f = begin; f < end && f < r->base.k; f++)
        for (size_t i = 0; i < n; i++)
            gersh__kernels_here()->square_add(gersh__rowed_reach(r, i), 1.0, x[f * n + i], x + f * n,
                                              d + r->row[i]);
}

void gersh__rowed_euclidean(const gersh__pairs *pairs, double *d)
{
    const gersh__rowed *r = gersh__rowed_of(pairs);
    size_t stripes = (pairs->k + GERSH__FEATURE_STRIPE - 1) / GERSH__FEATURE_STRIPE;
    double *shares = NULL;
    if (r->rows.count == 1 && pairs->samples->values != NULL && stripes > 1)
        shares = gersh__alloc(stripes, pairs->count * sizeof *shares);
    if (shares == NULL) {
        gersh__chunks_run(&r->rows, pairs->pool, euclidean_rows, &(map){r, 1, NULL, d});
        return;
    }
    gersh__pool_run(pairs->pool, stripes, euclidean_stripe, &(map){r, 1, NULL, shares});
    memset(d, 0, pairs->count * sizeof *d);
    for (size_t s = 0; s < stripes; s++)
        gersh__kernels_here()->axpy(pairs->count, 1.0, shares + s * pairs->count, d);
    gersh__free(shares);
}

/* Of all pairs of samples, twice the variances of the features. Less their first sample, equal ones have none at all. */
gersh_status gersh__rowed_mean(const gersh__pairs *pairs, double *mean)
{
    size_t n = pairs->n;
    double *scratch = gersh__alloc(n, sizeof *scratch), sum = 0;
    if (scratch == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t f = 0; f < pairs->k; f++) {
        const double *x = gersh__pairs_column(pairs, f, scratch);
        double first = x[0], center = 0;
        for (size_t i = 0; i < n; i++)
            center += (x[i] - first) / (double)n;
        for (size_t i = 0; i < n; i++)
            sum += 2 * ((x[i] - first) - center) * ((x[i] - first) - center) / (double)(n - 1);
    }
    gersh__free(scratch);
    *mean = sum;
    return GERSH_OK;
}

/* X M and b_ii, for some of the samples. */
typedef struct images {
    const gersh__rowed *rowed;
    const gersh__terms *terms;
    const double *mean;
    double *image, *x; /* k × n: X M, and X less its means */
} images;

static void image_stripe(void *context, size_t part, int worker)
{
    const images *p = context;
    const gersh__kernels *kernels = gersh__kernels_here();
    const gersh__pairs *pairs = &p->rowed->base;
    const double *values = pairs->samples->values, *weight = p->terms->weight;
    size_t n = pairs->n, from = part * IMAGE_STRIPE, rest = n - from;
    size_t count = rest < IMAGE_STRIPE ? rest : IMAGE_STRIPE;
    double *diagonal = p->rowed->diagonal + from;
    (void)worker;
    for (size_t f = 0; f < pairs->k; f++) {
        memset(p->image + f * n + from, 0, count * sizeof *p->image);
        for (size_t i = f * n + from; i < f * n + from + count; i++)
            p->x[i] = values[i] - p->mean[f];
    }
    memset(diagonal, 0, count * sizeof *diagonal);
    for (size_t a = 0; a < p->terms->m; a++) {
        gersh_atom z = p->terms->atom[a];
        const double *t = p->terms->t + a * n + from;
        if (weight[a] == 0)
            continue;
        kernels->axpy(count, weight[a] * z.a, t, p->image + z.i * n + from);
        if (z.i != z.j)
            kernels->axpy(count, weight[a] * z.b, t, p->image + z.j * n + from);
        kernels->square_add(count, weight[a], 0.0, t, diagonal);
    }
}

/* For far more atoms than features: (2 n + 1) k numbers of room, which is less than that of the atoms. */
static void distances_by_features(const gersh__rowed *r, const gersh__terms *terms, const double *base,
                                  double *d, gersh__rowed_product product)
{
    const gersh__pairs *pairs = &r->base;
    size_t n = pairs->n, k = pairs->k;
    double *image = pairs->room->maps, *x = image + k * n, *mean = x + k * n;
    for (size_t f = 0; f < k; f++)
        mean[f] = gersh__kernels_here()->sum(n, pairs->samples->values + f * n) / (double)n;
    gersh__pool_run(gersh__pool_for(pairs->pool, (double)(terms->m * n)),
                    (n + IMAGE_STRIPE - 1) / IMAGE_STRIPE, image_stripe,
                    &(images){r, terms, mean, image, x});
    product(r, k, image, x, base, d);
}

void gersh__rowed_distances(const gersh__pairs *pairs, const gersh__terms *terms, const double *base,
                            double *d, gersh__rowed_product product)
{
    const gersh__rowed *r = gersh__rowed_of(pairs);
    size_t n = pairs->n, m = terms->m;
    if (n <= GERSH__SUMMED_SAMPLES) {
        gersh__storage_copy(pairs, base, d);
        for (size_t a = 0; a < m; a++)
            gersh__rowed_add(pairs, terms->weight[a], terms->t + a * n, d);
        return;
    }
    if (terms->atom != NULL && pairs->samples->values != NULL && m > 2 * pairs->k) {
        distances_by_features(r, terms, base, d, product);
        return;
    }
    double *diagonal = r->diagonal, *scaled = pairs->room->maps;
    memset(diagonal, 0, n * sizeof *diagonal);
    for (size_t a = 0; a < m; a++) {
        double root = sqrt(terms->weight[a]);
        for (size_t i = 0; i < n; i++) {
            scaled[a * n + i] = root * terms->t[a * n + i];
            diagonal[i] += scaled[a * n + i] * scaled[a * n + i];
        }
    }
    product(r, m, scaled, scaled, base, d);
}

int gersh__rowed_scores_by_entries(const gersh__pairs *pairs, size_t m, int kept, int ready)
{
    return kept && (ready || 2 * m > pairs->k);
}

void gersh__rowed_sizes(const gersh__pairs *pairs, const double *g, double *sizes)
{
    const gersh__rowed *r = gersh__rowed_of(pairs);
    const gersh__kernels *kernels = gersh__kernels_here();
    for (size_t i = 0; i < pairs->n; i++)
        sizes[i] += kernels->sizes(gersh__rowed_reach(r, i), g + r->row[i], sizes);
}

/* Pairs with c = 0 at either end of a row are left out: those are the pairs of, or between, classes. */
static void gram_rows(gersh__gram *gm, size_t part, double *rows, double *h)
{
    const gersh__rowed *r = gersh__rowed_of(gm->pairs);
    gersh__gram_block b;
    b.runs = b.pairs = 0;
    for (size_t i = r->rows.start[part]; i < r->rows.start[part + 1]; i++) {
        size_t base = r->row[i], begin = 0, end = gersh__rowed_reach(r, i);
        while (begin < end && gm->c[base + begin] == 0)
            begin++;
        while (end > begin && gm->c[base + end - 1] == 0)
            end--;
        gersh__gram_add(gm, &b, (gersh__gram_run){i, begin, end - begin, base + begin}, rows, h);
    }
    gersh__gram_end(gm, &b, rows, h);
}

gersh_status gersh__rowed_gram(gersh__gram *gm, double *h)
{
    return gersh__gram_sum(gm, gram_rows, gm->pairs->chunks.count, 0, h);
}

/* The pairs of sample i with the first `count` samples, around the centre of the one or of the others. */
static void sample_row(gersh__gram_sample *s, const double *c, size_t i, size_t count, int others)
{
    for (size_t p = 0; p < count;) {
        size_t from = s->filled;
        p = gersh__gram_draw(s, c, p, count);
        for (size_t e = from; e < s->filled; e++) {
            s->first[e] = i;
            s->second[e] = s->place[e];
            s->self[e] = others ? s->place[e] : i;
        }
        if (s->filled == GERSH__GRAM_BLOCK)
            gersh__gram_empty(s);
    }
}

void gersh__rowed_sample(gersh__gram_sample *s, size_t begin, size_t end)
{
    const gersh__gram *gm = s->gram;
    const gersh__rowed *r = gersh__rowed_of(gm->pairs);
    for (size_t i = r->rows.start[begin]; i < r->rows.start[end]; i++) {
        sample_row(s, gm->c + r->row[i], i, gersh__rowed_reach(r, i), 0);
        if (gm->other != NULL)
            sample_row(s, gm->other + r->row[i], i, gersh__rowed_reach(r, i), 1);
    }
}

/* The loops of rows.h. */
struct gersh__rows {
    const gersh__rowed *rowed;
    size_t width;
    double *columns; /* width × n for each chunk */
};

int gersh__pairs_have_rows(const gersh__pairs *pairs)
{
    return pairs->ops == &gersh__pairs_all;
}

gersh_status gersh__rows_new(gersh__rows **out, const gersh__pairs *pairs, size_t width)
{
    gersh__rows *rows = *out = gersh__alloc(1, sizeof *rows);
    if (rows == NULL)
        return GERSH_ERROR_MEMORY;
    rows->rowed = gersh__rowed_of(pairs);
    rows->width = width;
    rows->columns = gersh__alloc(pairs->n, width * pairs->chunks.count * sizeof *rows->columns);
    return rows->columns != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
}

void gersh__rows_free(gersh__rows *rows)
{
    if (rows == NULL)
        return;
    gersh__free(rows->columns);
    gersh__free(rows);
}

typedef struct loop {
    const gersh__rows *rows;
    gersh__rows_chunk chunk;
    void *context;
    double partial[GERSH__MOST_CHUNKS];
} loop;

static double *columns_of(const gersh__rows *rows, size_t part)
{
    return rows->columns + part * rows->width * rows->rowed->base.n;
}

static void run_chunk(void *context, size_t part, int worker)
{
    loop *l = context;
    const size_t *start = l->rows->rowed->rows.start + part;
    (void)worker;
    l->partial[part] = l->chunk(l->context, start[0], start[1], columns_of(l->rows, part));
}

double gersh__rows_reduce(const gersh__rows *rows, gersh__rows_chunk chunk, gersh__rows_join join,
                          void *context)
{
    const gersh__chunks *chunks = &rows->rowed->rows;
    loop l = {.rows = rows, .chunk = chunk, .context = context};
    double sum = 0;
    gersh__chunks_run(chunks, rows->rowed->base.pool, run_chunk, &l);
    for (size_t part = 0; part < chunks->count; part++) {
        sum += l.partial[part];
        if (join != NULL)
            join(context, chunks->start[part + 1], columns_of(rows, part));
    }
    return sum;
}

gersh_status gersh__rows_gram(const gersh__rows *rows, gersh__gram_chunk chunk, void *context, size_t m,
                              double *h)
{
    return gersh__gram_chunks(&rows->rowed->base, &rows->rowed->rows, chunk, context, m, 1, h);
}
