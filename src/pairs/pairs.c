/*
 * The samples in the order of their classes, the list of pairs, and the maps between distances of pairs and
 * metrics; see pairs.h.
 *
 * With g on the pairs, (L(g) v)_i = Σ_j g_ij (v_i − v_j). For a few vectors, or a few samples, that sum is
 * taken as it stands, one pass over g for each vector. For many vectors L(g) is written out once as a
 * symmetric matrix, −g beside the diagonal and the sums of g on it, and BLAS multiplies.
 */
#include "pairs/pairs.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "linalg/kernels.h"
#include "pairs/between.h"
#include "pairs/columns.h"
#include "pairs/differences.h"
#include "pairs/listed.h"
#include "pairs/work.h"

#define GRAIN 16384         /* pairs of one part of a loop over all, where there are */
#define MANY_PAIRS 65536    /* at least so many, */
#define LISTED_GRAIN 4096   /* and over listed ones, whose samples are anywhere in memory */
#define FEW_SAMPLES 16      /* up to so many the Laplacian is never written out */
#define FEW_COLUMNS 4       /* nor for so few vectors */
#define SQUARE_STRIPE 64    /* samples of one part of writing it out, and of the product */
#define FEATURE_STRIPE 2048 /* features of one part of the distances of few pairs */
#define LEAST_WEIGHT 1e-30
#define MOST_WEIGHT 1e30
#define MUCH_WORK 4000000 /* multiplications that are worth waking threads for */

/* Objectives multiply up to four weights and square that, which must stay within the range of double. */
static gersh_status check_weights(const double *weight, size_t n)
{
    for (size_t i = 0; weight != NULL && i < n; i++)
        if (weight[i] != 0 && !(weight[i] >= LEAST_WEIGHT && weight[i] <= MOST_WEIGHT))
            return gersh__fail(GERSH_ERROR_ARGUMENT,
                               "row %zu: the weight is %g; a weight must be 0, or from %g to %g", i + 1,
                               weight[i], LEAST_WEIGHT, MOST_WEIGHT);
    return GERSH_OK;
}

static gersh_status check_list(size_t n, size_t count, const size_t *first, const size_t *second)
{
    if ((first == NULL) != (second == NULL) || (first != NULL && count == 0))
        return gersh__fail(
            GERSH_ERROR_ARGUMENT,
            "the list of pairs %s; give both rows of at least one pair, or no list for all pairs",
            first == NULL    ? "has no first rows"
            : second == NULL ? "has no second rows"
                             : "is empty");
    for (size_t p = 0; first != NULL && p < count; p++) {
        if (first[p] >= n || second[p] >= n)
            return gersh__fail(GERSH_ERROR_ARGUMENT,
                               "pair %zu has row %zu (counted from 0), but the data set has %zu rows",
                               p + 1, first[p] >= n ? first[p] : second[p], n);
        if (first[p] == second[p])
            return gersh__fail(GERSH_ERROR_ARGUMENT,
                               "pair %zu joins row %zu (counted from 0) with itself; a pair needs two rows",
                               p + 1, first[p]);
    }
    return GERSH_OK;
}

static size_t count_present(const double *weight, size_t n)
{
    size_t present = 0;
    for (size_t i = 0; i < n; i++)
        present += weight == NULL || weight[i] > 0;
    return present;
}

gersh_status gersh__order_rows(size_t **row, size_t *count, size_t **start, size_t *classes,
                               const gersh_dataset *data, const double *weight)
{
    const int *labels = gersh_dataset_labels(data);
    size_t rows = gersh_dataset_rows(data), sorts = labels != NULL ? gersh_dataset_classes(data) : 1;
    gersh_status status = check_weights(weight, rows);
    if (status != GERSH_OK)
        return status;
    *count = count_present(weight, rows);
    if (*count < 2)
        return gersh__fail(GERSH_ERROR_INPUT, "the data set has %zu row%s%s; pairs need at least two",
                           *count, *count == 1 ? "" : "s", weight != NULL ? " of a weight above 0" : "");
    *classes = labels != NULL ? sorts : 0;
    *row = gersh__alloc(*count, sizeof **row);
    size_t *begin = *start = gersh__alloc(sorts + 1, sizeof *begin);
    if (*row == NULL || begin == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t i = 0; i < rows; i++)
        if (weight == NULL || weight[i] > 0)
            begin[labels != NULL ? labels[i] + 1 : 1]++;
    for (size_t c = 0; c < sorts; c++)
        begin[c + 1] += begin[c];
    for (size_t i = 0; i < rows; i++)
        if (weight == NULL || weight[i] > 0)
            (*row)[begin[labels != NULL ? labels[i] : 0]++] = i;
    /* Each start has moved on to the next one. */
    for (size_t c = sorts; c > 0; c--)
        begin[c] = begin[c - 1];
    begin[0] = 0;
    return GERSH_OK;
}

static gersh_status copy_samples(gersh__pairs *pairs, const gersh_dataset *data, const double *weight)
{
    size_t n = pairs->n;
    const double *targets = gersh_dataset_targets(data);
    gersh_status status = gersh__pairs_copy_columns(pairs, data);
    if (status != GERSH_OK)
        return status;
    if (targets != NULL)
        pairs->target = gersh__alloc(n, sizeof *pairs->target);
    if (weight != NULL)
        pairs->weight = gersh__alloc(n, sizeof *pairs->weight);
    if ((targets != NULL && pairs->target == NULL) || (weight != NULL && pairs->weight == NULL))
        return GERSH_ERROR_MEMORY;
    for (size_t i = 0; i < n; i++) {
        size_t row = pairs->sample[i];
        if (targets != NULL)
            pairs->target[i] = targets[row];
        if (weight != NULL)
            pairs->weight[i] = weight[row];
    }
    return GERSH_OK;
}

static gersh_status copy_list(gersh__pairs *pairs, size_t rows, size_t count, const size_t *first,
                              const size_t *second)
{
    size_t *place =
        gersh__alloc(rows, sizeof *place); /* of each row among the samples, from 1; 0: left out */
    pairs->first = gersh__alloc(count, sizeof *pairs->first);
    pairs->second = gersh__alloc(count, sizeof *pairs->second);
    if (place == NULL || pairs->first == NULL || pairs->second == NULL) {
        gersh__free(place);
        return GERSH_ERROR_MEMORY;
    }
    for (size_t i = 0; i < pairs->n; i++)
        place[pairs->sample[i]] = i + 1;
    for (size_t p = 0; p < count; p++) {
        size_t a = place[first[p]], b = place[second[p]];
        if (a == 0 || b == 0)
            continue;
        pairs->first[pairs->count] = (a > b ? a : b) - 1;
        pairs->second[pairs->count++] = (a > b ? b : a) - 1;
    }
    gersh__free(place);
    if (pairs->count == 0)
        return gersh__fail(GERSH_ERROR_INPUT,
                           "every listed pair has a row of weight 0; at least one pair must count");
    return GERSH_OK;
}

/* Parts of nearly equal numbers of pairs. */
static gersh_status divide(gersh__pairs *pairs)
{
    size_t grain = pairs->first != NULL ? LISTED_GRAIN : GRAIN;
    size_t parts = pairs->first == NULL && pairs->count < MANY_PAIRS ? 1 : pairs->count / grain;
    pairs->parts = parts < 1 ? 1 : parts > GERSH__MOST_PARTS ? GERSH__MOST_PARTS : parts;
    pairs->part = gersh__alloc(pairs->parts + 1, sizeof *pairs->part);
    if (pairs->part == NULL)
        return GERSH_ERROR_MEMORY;
    size_t end = pairs->first != NULL ? pairs->count : pairs->n;
    for (size_t p = 1, i = 0; p < pairs->parts; p++) {
        size_t begin = (size_t)((double)pairs->count * (double)p / (double)pairs->parts);
        while (pairs->first == NULL && pairs->row[i] < begin)
            i++;
        pairs->part[p] = pairs->first != NULL ? begin : i;
    }
    pairs->part[pairs->parts] = end;
    return GERSH_OK;
}

/* Where the pairs of each sample are, without a list. */
static gersh_status number_pairs(gersh__pairs *pairs)
{
    pairs->row = gersh__alloc(pairs->n + 1, sizeof *pairs->row);
    if (pairs->row == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t i = 0; i < pairs->n; i++)
        pairs->row[i + 1] =
            pairs->row[i] + (pairs->between ? pairs->class_start[gersh__pairs_class(pairs, i)] : i);
    pairs->count = pairs->row[pairs->n];
    return GERSH_OK;
}

/* What follows from the samples and the list. */
static gersh_status finish(gersh__pairs *pairs)
{
    size_t n = pairs->n;
    gersh_status status = pairs->first == NULL ? number_pairs(pairs) : GERSH_OK;
    if (status == GERSH_OK)
        status = divide(pairs);
    if (status == GERSH_OK)
        status = gersh__pairs_work_new(&pairs->work);
    if (status == GERSH_OK && pairs->first != NULL && pairs->parts > 1 && pairs->count <= UINT32_MAX)
        status = gersh__listed_around(&pairs->around, pairs);
    if (status == GERSH_OK && pairs->first == NULL && n > FEW_SAMPLES) {
        pairs->square = pairs->between ? NULL : gersh__alloc(n, n * sizeof *pairs->square);
        pairs->diagonal = gersh__alloc(n, sizeof *pairs->diagonal);
        if ((pairs->square == NULL && !pairs->between) || pairs->diagonal == NULL)
            status = GERSH_ERROR_MEMORY;
    }
    return status;
}

static gersh__pairs *make_empty(const gersh_dataset *data, gersh__pool *pool)
{
    gersh__pairs *pairs = gersh__alloc(1, sizeof *pairs);
    if (pairs == NULL)
        return NULL;
    pairs->k = gersh_dataset_features(data);
    pairs->pool = pool;
    return pairs;
}

static gersh_status make_pairs(gersh__pairs **out, const gersh_dataset *data, const double *weight,
                               size_t count, const size_t *list_first, const size_t *list_second,
                               int between, gersh__pool *pool)
{
    gersh__pairs *pairs = make_empty(data, pool);
    *out = NULL;
    if (pairs == NULL)
        return GERSH_ERROR_MEMORY;
    pairs->between = between;
    gersh_status status =
        gersh__order_rows(&pairs->sample, &pairs->n, &pairs->class_start, &pairs->classes, data, weight);
    if (status == GERSH_OK)
        status = copy_samples(pairs, data, weight);
    if (status == GERSH_OK && list_first != NULL)
        status = copy_list(pairs, gersh_dataset_rows(data), count, list_first, list_second);
    if (status == GERSH_OK)
        status = finish(pairs);
    if (status == GERSH_OK)
        *out = pairs;
    else
        gersh__pairs_free(pairs);
    return status;
}

gersh_status gersh__pairs_new(gersh__pairs **out, const gersh_dataset *data, const double *weight,
                              size_t count, const size_t *list_first, const size_t *list_second,
                              gersh__pool *pool)
{
    *out = NULL;
    gersh_status status = check_list(gersh_dataset_rows(data), count, list_first, list_second);
    return status == GERSH_OK ? make_pairs(out, data, weight, count, list_first, list_second, 0, pool)
                              : status;
}

gersh_status gersh__pairs_new_between(gersh__pairs **out, const gersh_dataset *data, const double *weight,
                                      gersh__pool *pool)
{
    return make_pairs(out, data, weight, 0, NULL, NULL, 1, pool);
}

void gersh__list_clear(gersh__list *list)
{
    gersh__free(list->sample);
    gersh__free(list->first);
    gersh__free(list->second);
    gersh__free(list->similar);
    gersh__free(list->share);
    *list = (gersh__list){0};
}

gersh_status gersh__pairs_new_list(gersh__pairs **out, const gersh_dataset *data, const double *weight,
                                   gersh__list list, gersh__pool *pool)
{
    gersh__pairs *pairs = *out = make_empty(data, pool);
    if (pairs == NULL) {
        gersh__list_clear(&list);
        return GERSH_ERROR_MEMORY;
    }
    pairs->n = list.n;
    pairs->count = list.count;
    pairs->sample = list.sample;
    pairs->first = list.first;
    pairs->second = list.second;
    pairs->similar = list.similar;
    pairs->share = list.share;
    pairs->class_start = gersh__alloc(2, sizeof *pairs->class_start);
    gersh_status status =
        pairs->class_start != NULL ? copy_samples(pairs, data, weight) : GERSH_ERROR_MEMORY;
    if (status == GERSH_OK) {
        pairs->class_start[1] = pairs->n;
        status = finish(pairs);
    }
    if (status != GERSH_OK) {
        gersh__pairs_free(pairs);
        *out = NULL;
    }
    return status;
}

void gersh__pairs_free(gersh__pairs *pairs)
{
    if (pairs == NULL)
        return;
    gersh__free(pairs->x);
    gersh__sparse_free(pairs->sparse);
    gersh__sparse_free(pairs->rows);
    gersh__free(pairs->sample);
    gersh__free(pairs->class_start);
    gersh__free(pairs->target);
    gersh__free(pairs->weight);
    gersh__free(pairs->first);
    gersh__free(pairs->second);
    gersh__free(pairs->row);
    gersh__free(pairs->similar);
    gersh__free(pairs->share);
    gersh__free(pairs->stratum_of);
    gersh__free(pairs->stratum);
    gersh__comparisons_free(pairs->compared);
    gersh__free(pairs->square);
    gersh__free(pairs->diagonal);
    gersh__free(pairs->part);
    gersh__around_free(pairs->around);
    gersh__pairs_work_free(pairs->work);
    gersh__free(pairs);
}

size_t gersh__pairs_class(const gersh__pairs *pairs, size_t sample)
{
    size_t low = 0, high = pairs->classes;
    while (high > low + 1) {
        size_t middle = low + (high - low) / 2;
        if (pairs->class_start[middle] <= sample)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void gersh__pairs_run(const gersh__pairs *pairs, gersh__part part, void *context)
{
    if (pairs->parts == 1)
        part(context, 0, 0);
    else
        gersh__pool_run(pairs->pool, pairs->parts, part, context);
}

typedef struct map {
    const gersh__pairs *pairs;
    double factor;
    const double *t;
    double *d;
} map;

static void add_part(void *context, size_t part, int worker)
{
    map *m = context;
    const gersh__pairs *pairs = m->pairs;
    const double *t = m->t;
    (void)worker;
    if (pairs->first == NULL) {
        const gersh__kernels *kernels = gersh__kernels_here();
        for (size_t i = pairs->part[part]; i < pairs->part[part + 1]; i++)
            kernels->square_add(gersh__pairs_reach(pairs, i), m->factor, t[i], t, m->d + pairs->row[i]);
        return;
    }
    for (size_t p = pairs->part[part]; p < pairs->part[part + 1]; p++) {
        double difference = t[pairs->first[p]] - t[pairs->second[p]];
        m->d[p] += m->factor * (difference * difference);
    }
}

void gersh__pairs_add(const gersh__pairs *pairs, double factor, const double *t, double *d)
{
    if (pairs->differences) {
        gersh__differences_add(pairs, factor, t, d);
        return;
    }
    gersh__pairs_run(pairs, add_part, &(map){pairs, factor, t, d});
}

static void euclid_part(void *context, size_t part, int worker)
{
    map *m = context;
    const gersh__pairs *pairs = m->pairs;
    size_t begin = pairs->part[part], end = pairs->part[part + 1];
    (void)worker;
    if (pairs->sparse != NULL) {
        gersh__pairs_sparse_distances(pairs, begin, end, m->d);
        return;
    }
    if (pairs->first == NULL) {
        const gersh__kernels *kernels = gersh__kernels_here();
        for (size_t i = begin; i < end; i++) {
            double *d = m->d + pairs->row[i];
            size_t reach = gersh__pairs_reach(pairs, i);
            memset(d, 0, reach * sizeof *d);
            for (size_t f = 0; f < pairs->k; f++)
                kernels->square_add(reach, 1.0, pairs->x[f * pairs->n + i], pairs->x + f * pairs->n, d);
        }
        return;
    }
    for (size_t p = begin; p < end; p++) {
        double sum = 0;
        for (size_t f = 0; f < pairs->k; f++) {
            const double *x = pairs->x + f * pairs->n;
            double difference = x[pairs->first[p]] - x[pairs->second[p]];
            sum += difference * difference;
        }
        m->d[p] = sum;
    }
}

/* The share of a stripe of features in the distances of all pairs, in its own part of m->d. */
static void euclid_stripe(void *context, size_t stripe, int worker)
{
    const map *m = context;
    const gersh__pairs *pairs = m->pairs;
    size_t begin = stripe * FEATURE_STRIPE, end = begin + FEATURE_STRIPE, n = pairs->n;
    double *d = m->d + stripe * pairs->count;
    (void)worker;
    for (size_t f = begin; f < end && f < pairs->k; f++)
        for (size_t i = 0; i < n; i++)
            gersh__kernels_here()->square_add(gersh__pairs_reach(pairs, i), 1.0, pairs->x[f * n + i],
                                              pairs->x + f * n, d + pairs->row[i]);
}

void gersh__pairs_euclid(const gersh__pairs *pairs, double *d)
{
    size_t stripes = (pairs->k + FEATURE_STRIPE - 1) / FEATURE_STRIPE;
    double *shares = NULL;
    if (pairs->differences) {
        gersh__differences_euclid(pairs, d);
        return;
    }
    if (pairs->parts == 1 && pairs->first == NULL && pairs->sparse == NULL && stripes > 1)
        shares = gersh__alloc(stripes, pairs->count * sizeof *shares);
    if (shares == NULL) {
        gersh__pairs_run(pairs, euclid_part, &(map){pairs, 1, NULL, d});
        return;
    }
    gersh__pool_run(pairs->pool, stripes, euclid_stripe, &(map){pairs, 1, NULL, shares});
    memset(d, 0, pairs->count * sizeof *d);
    for (size_t s = 0; s < stripes; s++)
        gersh__kernels_here()->axpy(pairs->count, 1.0, shares + s * pairs->count, d);
    gersh__free(shares);
}

typedef struct product {
    const gersh__pairs *pairs;
    const double *g;
    size_t columns;
    const double *v;
    double *y;
} product;

/* One vector, the sum as it stands. */
static void direct_part(void *context, size_t column, int worker)
{
    product *m = context;
    const gersh__pairs *pairs = m->pairs;
    const double *v = m->v + column * pairs->n;
    double *y = m->y + column * pairs->n;
    (void)worker;
    memset(y, 0, pairs->n * sizeof *y);
    if (pairs->first == NULL) {
        const gersh__kernels *kernels = gersh__kernels_here();
        for (size_t i = 0; i < pairs->n; i++)
            y[i] += kernels->laplacian(gersh__pairs_reach(pairs, i), m->g + pairs->row[i], v[i], v, y);
        return;
    }
    for (size_t p = 0; p < pairs->count; p++) {
        double term = m->g[p] * (v[pairs->first[p]] - v[pairs->second[p]]);
        y[pairs->first[p]] += term;
        y[pairs->second[p]] -= term;
    }
}

/* Writes out the rows of a stripe of samples up to the diagonal, where the sums over all pairs go. */
static void square_part(void *context, size_t stripe, int worker)
{
    product *m = context;
    const gersh__kernels *kernels = gersh__kernels_here();
    size_t n = m->pairs->n, begin = stripe * SQUARE_STRIPE;
    size_t end = n < begin + SQUARE_STRIPE ? n : begin + SQUARE_STRIPE;
    double sums[SQUARE_STRIPE] = {0};
    (void)worker;
    for (size_t i = begin > 0 ? begin : 1; i < n; i++) {
        const double *g = m->g + m->pairs->row[i];
        kernels->axpy((i < end ? i : end) - begin, 1.0, g + begin, sums);
        if (i >= end)
            continue;
        double *row = m->pairs->square + i * n;
        for (size_t j = 0; j < i; j++)
            row[j] = -g[j];
        sums[i - begin] += kernels->sum(i, g);
    }
    for (size_t i = begin; i < end; i++)
        m->pairs->square[i * n + i] = sums[i - begin];
}

/* The rows of y of a stripe of samples: by their entries before the stripe, within it, and after it. */
static void multiply_part(void *context, size_t stripe, int worker)
{
    product *m = context;
    int n = (int)m->pairs->n, columns = (int)m->columns;
    size_t begin = stripe * SQUARE_STRIPE;
    size_t end = m->pairs->n < begin + SQUARE_STRIPE ? m->pairs->n : begin + SQUARE_STRIPE;
    int before = (int)begin, own = (int)(end - begin), after = n - (int)end;
    const double *rows = m->pairs->square + begin * m->pairs->n;
    double *y = m->y + begin;
    (void)worker;
    /* The lower triangle by rows is the upper one by columns. */
    cblas_dsymm(CblasColMajor, CblasLeft, CblasUpper, own, columns, 1.0, rows + begin, n, m->v + begin, n,
                0.0, y, n);
    if (before > 0)
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, own, columns, before, 1.0, rows, n, m->v, n,
                    1.0, y, n);
    if (after > 0)
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, own, columns, after, 1.0,
                    m->pairs->square + end * m->pairs->n + begin, n, m->v + end, n, 1.0, y, n);
}

void gersh__pairs_laplacian(const gersh__pairs *pairs, const double *g, size_t columns, const double *v,
                            double *y)
{
    product m = {pairs, g, columns, v, y};
    if (pairs->differences) {
        gersh__differences_laplacian(pairs, g, columns, v, y);
        return;
    }
    if (gersh__listed_many(pairs)) {
        gersh__listed_laplacian(pairs, g, columns, v, y);
        return;
    }
    if (pairs->diagonal == NULL || columns <= FEW_COLUMNS) {
        if (pairs->parts > 1) {
            gersh__pool_run(pairs->pool, columns, direct_part, &m);
            return;
        }
        for (size_t c = 0; c < columns; c++)
            direct_part(&m, c, 0);
        return;
    }
    /* Few samples may have many columns. */
    gersh__pool *pool = pairs->parts > 1 || columns * pairs->n * pairs->n > MUCH_WORK ? pairs->pool : NULL;
    if (pairs->between) {
        gersh__between_laplacian(pairs, g, columns, v, y, pool);
        return;
    }
    size_t stripes = (pairs->n + SQUARE_STRIPE - 1) / SQUARE_STRIPE;
    gersh__pool_run(pool, stripes, square_part, &m);
    gersh__pool_run(pool, stripes, multiply_part, &m);
}
