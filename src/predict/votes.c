/*
 * The votes of nearest neighbours; see votes.h.
 *
 * One neighbour more than votes is found for each test sample. Where it is as far away as the last that votes, others may
 * be too, all training samples even: a second search, by radius, then counts them and sums up their weights, so that
 * memory does not grow with their number.
 */
#include "predict/votes.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "embed/neighbors.h"

enum { CHUNK = 4096 }; /* test samples of one search by radius */

/*
 * Squared distances with a smaller relative difference are equal: decimals such as 1012.3 in steps of 0.1 leave
 * differences of 1e-12 between distances that are the same, and metrics of small eigenvalues some more.
 */
static const double equal_distance = 1e-10;

static int same(double d, double reference)
{
    return d >= reference * (1 - equal_distance) && d <= reference * (1 + equal_distance);
}

double gersh__sample_weight(const gersh_dataset *data, size_t sample)
{
    return gersh_dataset_weights(data) != NULL ? gersh_dataset_weights(data)[sample] : 1;
}

void gersh__class_weights(double *weight, const gersh_dataset *train)
{
    memset(weight, 0, gersh_dataset_classes(train) * sizeof *weight);
    for (size_t i = 0; i < gersh_dataset_rows(train); i++)
        weight[gersh_dataset_labels(train)[i]] += gersh__sample_weight(train, i);
}

int gersh__winner(const double *vote, const double *class_weight, size_t classes, double tolerance)
{
    double most = 0, heaviest = 0;
    for (size_t c = 0; c < classes; c++)
        most = fmax(most, vote[c]);
    most *= 1 - tolerance;
    for (size_t c = 0; c < classes; c++)
        heaviest = vote[c] >= most ? fmax(heaviest, class_weight[c]) : heaviest;
    heaviest *= 1 - GERSH__EQUAL_VOTES;
    size_t first = 0;
    while (first + 1 < classes && !(vote[first] >= most && class_weight[first] >= heaviest))
        first++;
    return (int)first;
}

void gersh__votes_clear(gersh__votes *votes)
{
    gersh__free(votes->near);
    gersh__free(votes->distance);
    gersh__free(votes->tied);
    gersh__free(votes->tied_sum);
    gersh__free(votes->running);
    *votes = (gersh__votes){0};
}

/* Adds a training sample's weight times `factor`. */
static void add_vote(double *sum, const gersh_dataset *train, size_t row, double factor)
{
    double vote = factor * gersh__sample_weight(train, row);
    if (gersh_dataset_labels(train) != NULL) {
        sum[gersh_dataset_labels(train)[row]] += vote;
    } else {
        sum[0] += vote;
        sum[1] += vote * gersh_dataset_targets(train)[row];
    }
}

typedef struct tie_search {
    gersh__votes *votes;
    const size_t *sample; /* the test sample of each query */
} tie_search;

static void add_tied(void *context, size_t query, size_t row, double distance)
{
    const tie_search *s = context;
    gersh__votes *v = s->votes;
    size_t sample = s->sample[query];
    if (!same(distance, v->distance[(sample + 1) * v->listed - 1]))
        return;
    v->tied[sample]++;
    add_vote(v->tied_sum + sample * v->columns, v->train, row, 1);
}

/* Counts the samples that are as far away as the last one listed, for the test samples in `which`. */
static gersh_status count_tied(gersh__votes *v, gersh_neighbors *index, const gersh_dataset *test,
                               const size_t *which, size_t count, const gersh_cancel *cancel)
{
    size_t features = gersh_dataset_features(test), most = count < CHUNK ? count : CHUNK;
    double *x = gersh__alloc(most, features * sizeof *x), *radius = gersh__alloc(most, sizeof *radius);
    v->tied_sum = gersh__alloc(gersh_dataset_rows(test), v->columns * sizeof *v->tied_sum);
    gersh_status status = x && radius && v->tied_sum ? GERSH_OK : GERSH_ERROR_MEMORY;
    for (size_t begin = 0; begin < count && status == GERSH_OK; begin += CHUNK) {
        tie_search s = {v, which + begin};
        size_t queries = count - begin < CHUNK ? count - begin : CHUNK;
        for (size_t q = 0; q < queries; q++) {
            size_t sample = s.sample[q];
            radius[q] = v->distance[(sample + 1) * v->listed - 1] * (1 + equal_distance);
            memcpy(x + q * features, gersh_dataset_values(test) + sample * features, features * sizeof *x);
        }
        status = gersh__neighbors_within(index, radius, queries, x, features, add_tied, &s, cancel);
    }
    gersh__free(radius);
    gersh__free(x);
    return status;
}

/* The test samples whose lists end amid equal distances. */
static gersh_status find_tied(gersh__votes *v, gersh_neighbors *index, const gersh_dataset *test,
                              const gersh_cancel *cancel)
{
    size_t n = gersh_dataset_rows(test), count = 0;
    if (v->listed == gersh_dataset_rows(v->train))
        return GERSH_OK;
    size_t *which = gersh__alloc(n, sizeof *which);
    if (which == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t i = 0; i < n; i++) {
        const double *end = v->distance + (i + 1) * v->listed;
        if (same(end[-2], end[-1]))
            which[count++] = i;
    }
    gersh_status status = count > 0 ? count_tied(v, index, test, which, count, cancel) : GERSH_OK;
    gersh__free(which);
    return status;
}

gersh_status gersh__votes_find(gersh__votes *out, const gersh_metric *metric, const gersh_dataset *train,
                               const gersh_dataset *test, size_t k, int threads, const gersh_cancel *cancel)
{
    gersh_neighbors *index = NULL;
    size_t n = gersh_dataset_rows(test), rows = gersh_dataset_rows(train),
           features = gersh_dataset_features(train);
    gersh__votes v = {.train = train,
                      .columns = gersh_dataset_labels(train) != NULL ? gersh_dataset_classes(train) : 2,
                      .listed = k < rows ? k + 1 : rows};
    v.near = gersh__alloc(n, v.listed * sizeof *v.near);
    v.distance = gersh__alloc(n, v.listed * sizeof *v.distance);
    v.tied = gersh__alloc(n, sizeof *v.tied);
    v.running = gersh__alloc(v.columns, sizeof *v.running);
    gersh_status status = v.near && v.distance && v.tied && v.running ? GERSH_OK : GERSH_ERROR_MEMORY;
    if (status == GERSH_OK)
        status = gersh_neighbors_new(&index, metric, rows, features, gersh_dataset_values(train), features,
                                     threads);
    if (status == GERSH_OK) {
        gersh__neighbors_round(index);
        status = gersh_neighbors_find(index, v.distance, v.near, n, gersh_dataset_values(test), features,
                                      v.listed, cancel);
    }
    if (status == GERSH_OK)
        status = find_tied(&v, index, test, cancel);
    gersh_neighbors_free(index);
    if (status != GERSH_OK)
        gersh__votes_clear(&v);
    *out = v;
    return status;
}

/* The samples that are as far away as the one at a place: those listed, and how many there are. */
typedef struct group {
    size_t begin, end, size;
    int cut; /* not all are listed */
} group;

static group find_group(const gersh__votes *v, size_t sample, size_t place)
{
    const double *d = v->distance + sample * v->listed;
    size_t last = v->listed - 1, begin = place, end = place + 1;
    if (v->tied[sample] > 0 && same(d[place], d[last])) {
        while (begin > 0 && same(d[begin - 1], d[last]))
            begin--;
        return (group){begin, v->listed, v->tied[sample], 1};
    }
    while (begin > 0 && same(d[begin - 1], d[place]))
        begin--;
    while (end < v->listed && same(d[end], d[place]))
        end++;
    return (group){begin, end, end - begin, 0};
}

/* What the weight of a sample at distance d is multiplied by; the nearest one's factor is 1, so that nothing overflows. */
static double vote_factor(double d, double nearest, int by_distance)
{
    if (!by_distance || d == nearest)
        return 1;
    return sqrt(nearest / d);
}

void gersh__votes_count(double *sum, const gersh__votes *v, size_t sample, int by_distance, size_t count,
                        const size_t *k)
{
    const size_t *near = v->near + sample * v->listed;
    const double *d = v->distance + sample * v->listed;
    size_t rows = gersh_dataset_rows(v->train), taken = 0;
    memset(v->running, 0, v->columns * sizeof *v->running);
    for (size_t g = 0; g < count; g++, sum += v->columns) {
        size_t places = k[g] < rows ? k[g] : rows;
        group last = find_group(v, sample, places - 1);
        double share = (double)(places - last.begin) / (double)last.size;
        for (; taken < last.begin; taken++)
            add_vote(v->running, v->train, near[taken], vote_factor(d[taken], d[0], by_distance));
        memcpy(sum, v->running, v->columns * sizeof *sum);
        for (size_t c = last.begin; c < last.end && !last.cut; c++)
            add_vote(sum, v->train, near[c], share * vote_factor(d[c], d[0], by_distance));
        for (size_t c = 0; c < v->columns && last.cut; c++)
            sum[c] += share * vote_factor(d[v->listed - 1], d[0], by_distance) *
                      v->tied_sum[sample * v->columns + c];
    }
}

/* The k smallest of the distances, ascending. */
static void find_smallest(double *near, size_t k, size_t rows, const double *d)
{
    size_t have = 0;
    for (size_t r = 0; r < rows; r++) {
        if (have == k && !(d[r] < near[k - 1]))
            continue;
        size_t at = have < k ? have++ : k - 1;
        for (; at > 0 && near[at - 1] > d[r]; at--)
            near[at] = near[at - 1];
        near[at] = d[r];
    }
}

void gersh__votes_direct(double *sum, const gersh_dataset *train, size_t rows, const double *d, size_t k,
                         int by_distance, double *near)
{
    size_t columns = gersh_dataset_labels(train) != NULL ? gersh_dataset_classes(train) : 2;
    size_t nearer = 0, tied = 0;
    find_smallest(near, k, rows, d);
    double last = near[k - 1];
    memset(sum, 0, columns * sizeof *sum);
    for (size_t r = 0; r < rows; r++) {
        int equal = same(d[r], last);
        tied += equal;
        nearer += !equal && d[r] < last;
    }
    double share = (double)(k - nearer) / (double)tied;
    for (size_t r = 0; r < rows; r++)
        if (d[r] < last || same(d[r], last))
            add_vote(sum, train, r,
                     (same(d[r], last) ? share : 1) * vote_factor(d[r], near[0], by_distance));
}
