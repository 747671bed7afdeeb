/*
 * mcml over all pairs at a given metric. With centres μ of the classes,
 *
 *     F = Σ_i w_i [ Σ_j w_j d_ij / W_i + log Z_i − log W_i ],    Z_i = Σ_{k≠i} w_k exp(−d_ik),
 *
 * the first part is exact from one pass over the rows: Σ_j w_j d_ij = W q_i + Σ_j w_j q_j, with q_i the squared distance of
 * row i from μ and W the weight of its class. So are W_i. The second part, Σ_i w_i log Z_i, is estimated in two steps. All
 * rows are dealt out to B blocks, every class evenly, and φ_ig is log Z_i as block g alone would have it. Then
 *
 *     mean_i w_i log Z_i = mean_ig w_i φ_ig + mean_i w_i (log Z_i − mean_g φ_ig).
 *
 * The first mean is taken over many rows with a block each, the second one over a few rows with all blocks. Both are means
 * over random rows, so that their sum is unbiased however rough the φ are. They are nearly log Z_i, so that the second mean
 * varies little from row to row and few rows say it well. Of the first mean, rows differ by their φ, and where nearly all
 * rows are chosen by nothing but which block they have: as Σ_g (φ_ig − mean_g φ_ig) = 0, what all rows find in a block
 * cancels when all blocks have equally many rows.
 */
#include "objective/mcml_rows.h"

#include <cblas.h>
#include <math.h>

#include "base/alloc.h"
#include "base/policy.h"
#include "linalg/kernels.h"

enum { ROWS_BLOCK = 128, ROWS_QUERIES = 64, ROWS_STRIPE = 1024 };

#define TWO_SIDED_63                                                                                       \
    2.0 /* of Student's distribution with GERSH__LEAST_FULL_ROWS − 1 degrees of freedom, 95 % */
#define NO_PARTNER 1e300 /* distance of a row from itself: it is none of its partners */

struct gersh__mcml_rows {
    const gersh__population *population;
    size_t n, k, blocks;
    size_t *class, *home;  /* class and block of each place */
    size_t *dealt;         /* places: those of block g are dealt[g], dealt[g + blocks], ... */
    size_t fulls, *full;   /* rows with all blocks: fulls == n for all rows, and then there are no */
    size_t briefs, *brief; /* rows with one block: brief[t] with block (t + offset) mod blocks */
    size_t offset;
};

/* One metric's numbers. */
typedef struct run {
    const gersh__mcml_rows *rows;
    const gersh_metric *metric;
    double *center;  /* of each class, k entries each */
    double *weight;  /* of each class */
    double *norm;    /* of each place: squared distance from the population's centre, */
    double *own;     /* and from that of its class */
    double *image;   /* M (x − centre) of the rows with all blocks */
    double *full;    /* φ of each of them, blocks after another */
    double *brief;   /* φ of the others */
    double *scratch; /* of each worker */
    size_t room;
} run;

static double weight_of(const gersh__population *p, size_t place)
{
    return p->weight != NULL ? p->weight[p->row[place]] : 1.0;
}

static const double *values_of(const gersh__population *p, size_t place)
{
    return gersh_dataset_values(p->data) + p->row[place] * gersh_dataset_features(p->data);
}

void gersh__mcml_rows_free(gersh__mcml_rows *rows)
{
    if (rows == NULL)
        return;
    gersh__free(rows->class);
    gersh__free(rows->home);
    gersh__free(rows->dealt);
    gersh__free(rows->full);
    gersh__free(rows->brief);
    gersh__free(rows);
}

static size_t *places(size_t n)
{
    size_t *place = gersh__alloc(n, sizeof *place);
    for (size_t i = 0; place != NULL && i < n; i++)
        place[i] = i;
    return place;
}

gersh_status gersh__mcml_rows_new(gersh__mcml_rows **out, const gersh__population *p, double work,
                                  gersh__random *random)
{
    gersh__mcml_rows *r = *out = gersh__alloc(1, sizeof *r);
    if (r == NULL)
        return GERSH_ERROR_MEMORY;
    double n = (double)p->n;
    r->population = p;
    r->n = p->n;
    r->k = gersh_dataset_features(p->data);
    r->blocks = p->n < 2 * ROWS_BLOCK ? 1 : p->n / ROWS_BLOCK;
    r->class = gersh__alloc(p->n, sizeof *r->class);
    r->home = gersh__alloc(p->n, sizeof *r->home);
    r->dealt = places(p->n);
    r->full = places(p->n);
    r->brief = places(p->n);
    if (r->class == NULL || r->home == NULL || r->dealt == NULL || r->full == NULL || r->brief == NULL) {
        gersh__mcml_rows_free(r);
        *out = NULL;
        return GERSH_ERROR_MEMORY;
    }
    for (size_t c = 0; c < p->classes; c++) {
        for (size_t i = p->class_start[c]; i < p->class_start[c + 1]; i++)
            r->class[i] = c;
        gersh__random_shuffle(random, r->dealt + p->class_start[c],
                              p->class_start[c + 1] - p->class_start[c]);
    }
    for (size_t t = 0; t < p->n; t++)
        r->home[r->dealt[t]] = t % r->blocks;
    gersh__random_shuffle(random, r->full, p->n);
    gersh__random_shuffle(random, r->brief, p->n);
    r->offset = (size_t)gersh__random_below(random, r->blocks);
    r->fulls = (size_t)fmax(GERSH__LEAST_FULL_ROWS, fmin(n, work / 2 / n));
    r->briefs = (size_t)fmin(n, work / 2 / ROWS_BLOCK);
    if (r->briefs > r->blocks)
        r->briefs -= r->briefs % r->blocks;
    if (2 * r->fulls >= r->n || r->blocks == 1) {
        r->fulls = r->n;
        r->briefs = 0;
    }
    return GERSH_OK;
}

static size_t block_size(const gersh__mcml_rows *rows, size_t block)
{
    return (rows->n - block + rows->blocks - 1) / rows->blocks;
}

/* M (x − centre) of a place. */
static void image(const run *r, size_t place, double *out)
{
    const gersh_metric *m = r->metric;
    const double *x = values_of(r->rows->population, place), *center = r->rows->population->center;
    size_t k = r->rows->k;
    for (size_t f = 0; f < k; f++)
        out[f] = m->rho * (x[f] - center[f]);
    for (size_t a = 0; a < m->atoms; a++) {
        if (m->dense != NULL) {
            const double *z = m->dense + a * k;
            double along = gersh__kernels_here()->difference_dot(k, z, x, center);
            gersh__kernels_here()->axpy(k, m->weight[a] * along, z, out);
            continue;
        }
        gersh_atom z = m->atom[a];
        double second = z.i != z.j ? z.b : 0;
        double along = z.a * (x[z.i] - center[z.i]) + second * (x[z.j] - center[z.j]);
        out[z.i] += m->weight[a] * along * z.a;
        out[z.j] += m->weight[a] * along * second;
    }
}

/* φ of the places in one block, whose values less the centre are in the tile. */
static void block_logs(const run *r, size_t block, size_t size, size_t queries, const size_t *place,
                       size_t step, const double *images, double *scratch, double *out, size_t stride)
{
    const gersh__mcml_rows *rows = r->rows;
    double *tile = scratch, *weight = tile + (ROWS_BLOCK + 1) * 2 * rows->k,
           *d = weight + 2 * (ROWS_BLOCK + 1);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)queries, (int)size, (int)rows->k, -2.0,
                images, (int)rows->k, tile, (int)rows->k, 0.0, d, 2 * (ROWS_BLOCK + 1));
    for (size_t i = 0; i < queries; i++, d += 2 * (ROWS_BLOCK + 1)) {
        size_t partners = size, own = place[i * step];
        double low = NO_PARTNER;
        for (size_t j = 0; j < size; j++) {
            size_t other = rows->dealt[block + j * rows->blocks];
            d[j] = fmax(0, d[j] + r->norm[own] + r->norm[other]);
            if (other == own) {
                d[j] = NO_PARTNER;
                partners--;
            }
            low = fmin(low, d[j]);
        }
        for (size_t j = 0; j < size; j++)
            d[j] -= low;
        out[i * stride] = log((double)(rows->n - 1) / (double)partners *
                              gersh__kernels_here()->exp_sum(size, weight, 1, d)) -
                          low;
    }
}

static void block_part(void *context, size_t block, int worker)
{
    const run *r = context;
    const gersh__mcml_rows *rows = r->rows;
    const gersh__population *p = rows->population;
    double *scratch = r->scratch + (size_t)worker * r->room,
           *weight = scratch + (ROWS_BLOCK + 1) * 2 * rows->k,
           *images = scratch + r->room - ROWS_QUERIES * rows->k;
    size_t size = block_size(rows, block), blocks = rows->blocks;
    for (size_t j = 0; j < size; j++) {
        size_t place = rows->dealt[block + j * blocks];
        const double *x = values_of(p, place);
        weight[j] = weight_of(p, place);
        for (size_t f = 0; f < rows->k; f++)
            scratch[j * rows->k + f] = x[f] - p->center[f];
    }
    for (size_t a = 0; a < rows->fulls; a += ROWS_QUERIES) {
        size_t count = rows->fulls - a < ROWS_QUERIES ? rows->fulls - a : ROWS_QUERIES;
        block_logs(r, block, size, count, rows->full + a, 1, r->image + a * rows->k, scratch,
                   r->full + a * blocks + block, blocks);
    }
    for (size_t t = (block + blocks - rows->offset) % blocks; t < rows->briefs;
         t += ROWS_QUERIES * blocks) {
        size_t count = 0;
        for (; count < ROWS_QUERIES && t + count * blocks < rows->briefs; count++)
            image(r, rows->brief[t + count * blocks], images + count * rows->k);
        block_logs(r, block, size, count, rows->brief + t, blocks, images, scratch, r->brief + t, blocks);
    }
}

/* What the metric makes of each row by itself. */
static void prepare_part(void *context, size_t part, int worker)
{
    const run *r = context;
    const gersh__mcml_rows *rows = r->rows;
    const gersh__population *p = rows->population;
    (void)worker;
    for (size_t i = part * ROWS_STRIPE; i < rows->n && i < (part + 1) * ROWS_STRIPE; i++) {
        const double *x = values_of(p, i);
        r->norm[i] = gersh_metric_distance(r->metric, x, p->center);
        r->own[i] = gersh_metric_distance(r->metric, x, r->center + rows->class[i] * rows -> k);
        if (i < rows->fulls)
            image(r, rows->full[i], r->image + i * rows->k);
    }
}

static void find_centers(run *r)
{
    const gersh__mcml_rows *rows = r->rows;
    for (size_t i = 0; i < rows->n; i++) {
        double w = weight_of(rows->population, i);
        r->weight[rows->class[i]] += w;
        gersh__kernels_here()->axpy(rows->k, w, values_of(rows->population, i),
                                    r->center + rows->class[i] * rows -> k);
    }
    for (size_t e = 0; e < rows->population->classes * rows->k; e++)
        r->center[e] /= fmax(r->weight[e / rows->k], 1e-300);
}

/* Weight of the other rows of the class, added up anew for the one row that may be most of it. */
static double mates_of(const run *r, size_t place)
{
    const gersh__population *p = r->rows->population;
    size_t c = r->rows->class[place];
    double w = weight_of(p, place), sum = 0;
    if (w <= 0.5 * r->weight[c])
        return r->weight[c] - w;
    for (size_t i = p->class_start[c]; i < p->class_start[c + 1]; i++)
        sum += i != place ? weight_of(p, i) : 0;
    return sum;
}

static int has_mates(const run *r, size_t place)
{
    const size_t *start = r->rows->population->class_start + r->rows->class[place];
    return start[1] - start[0] > 1;
}

/* Σ_i w_i (Σ_j w_j d_ij / W_i − log W_i). */
static double known_part(const run *r)
{
    const gersh__population *p = r->rows->population;
    double sum = 0;
    for (size_t c = 0; c < p->classes; c++) {
        double pull = 0;
        for (size_t i = p->class_start[c]; i < p->class_start[c + 1]; i++)
            pull += weight_of(p, i) * r->own[i];
        for (size_t i = p->class_start[c]; i < p->class_start[c + 1] && has_mates(r, i); i++) {
            double mates = mates_of(r, i);
            sum += weight_of(p, i) * ((r->weight[c] * r->own[i] + pull) / mates - log(mates));
        }
    }
    return sum;
}

/* log Z of a row with all blocks, by its φ; *mean: of the φ, *variance: of a φ drawn at random. */
static double full_log(const run *r, size_t a, double *mean, double *variance)
{
    const gersh__mcml_rows *rows = r->rows;
    const double *phi = r->full + a * rows->blocks;
    double most = -INFINITY, sum = 0;
    size_t b = rows->blocks;
    *mean = *variance = 0;
    for (size_t g = 0; g < b; g++)
        most = fmax(most, phi[g]);
    for (size_t g = 0; g < b; g++) {
        size_t partners = block_size(rows, g) - (rows->home[rows->full[a]] == g);
        sum += exp(phi[g] - most) * (double)partners / (double)(rows->n - 1);
        *mean += phi[g] / (double)b;
    }
    for (size_t g = 0; g < b; g++)
        *variance += (phi[g] - *mean) * (phi[g] - *mean) / (double)b;
    return most + log(sum);
}

/* Adds up a sample: its mean and variance. */
typedef struct sample {
    double count, mean, square;
} sample;

static void add(sample *s, double x)
{
    double step = x - s->mean;
    s->mean += step / ++s->count;
    s->square += step * (x - s->mean);
}

static void summarize(double *value, double *error, const run *r)
{
    const gersh__mcml_rows *rows = r->rows;
    double n = (double)rows->n;
    sample whole = {0}, within = {0}, brief = {0};
    for (size_t a = 0; a < rows->fulls; a++) {
        size_t place = rows->full[a];
        double w = has_mates(r, place) ? weight_of(rows->population, place) : 0, mean, variance;
        double log_z = full_log(r, a, &mean, &variance);
        add(&whole, w * (rows->briefs > 0 ? log_z - mean : log_z));
        add(&within, w * w * variance);
    }
    for (size_t t = 0; t < rows->briefs; t++) {
        size_t place = rows->brief[t];
        add(&brief, has_mates(r, place) ? weight_of(rows->population, place) * r->brief[t] : 0);
    }
    *value = known_part(r) + n * (whole.mean + brief.mean);
    *error = 0;
    if (rows->briefs == 0)
        return;
    double share = brief.count / n;
    double square = (1 - whole.count / n) * whole.square / (whole.count - 1) / whole.count +
                    ((1 - share) * brief.square / (brief.count - 1) + share * within.mean) / brief.count;
    *error = TWO_SIDED_63 * n * sqrt(square);
}

gersh_status gersh__mcml_rows_measure(double *value, double *error, const gersh__mcml_rows *rows,
                                      const gersh_metric *metric, gersh__pool *pool)
{
    size_t k = rows->k, width = 2 * (ROWS_BLOCK + 1), classes = rows->population->classes;
    run r = {.rows = rows,
             .metric = metric,
             .room = width * k + width + ROWS_QUERIES * width + ROWS_QUERIES * k};
    r.center = gersh__alloc(classes, k * sizeof *r.center);
    r.weight = gersh__alloc(classes, sizeof *r.weight);
    r.norm = gersh__alloc(rows->n, 2 * sizeof *r.norm);
    r.image = gersh__alloc(rows->fulls, k * sizeof *r.image);
    r.full = gersh__alloc(rows->fulls, rows->blocks * sizeof *r.full);
    r.brief = gersh__alloc(rows->briefs, sizeof *r.brief);
    r.scratch = gersh__alloc((size_t)gersh__pool_threads(pool), r.room * sizeof *r.scratch);
    gersh_status status = r.center && r.weight && r.norm && r.image && r.full && r.brief && r.scratch
                              ? GERSH_OK
                              : GERSH_ERROR_MEMORY;
    if (status == GERSH_OK) {
        r.own = r.norm + rows->n;
        find_centers(&r);
        gersh__pool_run(pool, (rows->n + ROWS_STRIPE - 1) / ROWS_STRIPE, prepare_part, &r);
        gersh__pool_run(pool, rows->blocks, block_part, &r);
        summarize(value, error, &r);
    }
    gersh__free(r.center);
    gersh__free(r.weight);
    gersh__free(r.norm);
    gersh__free(r.image);
    gersh__free(r.full);
    gersh__free(r.brief);
    gersh__free(r.scratch);
    return status;
}
