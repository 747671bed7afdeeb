/* Random tuples for the tests, and the objectives of tuples straight from their definitions. */
#ifndef GERSH_TESTS_TUPLES_H
#define GERSH_TESTS_TUPLES_H

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "check.h"
#include "definitions.h"
#include "gersh/gersh.h"
#include "samples.h"

#define assert_close(a, b, tolerance)                                                                      \
    do {                                                                                                   \
        double a_ = (a), b_ = (b), tolerance_ = (tolerance);                                               \
        if (!(fabs(a_ - b_) <= tolerance_))                                                                \
            fail_msg("%s:%d: %.17g is not %.17g within %g", __FILE__, __LINE__, a_, b_, tolerance_);       \
    } while (0)

/* Random rows without labels. */
static inline gersh_dataset *plain_data(gersh__random *random, size_t n, size_t k)
{
    double *x = malloc(n * k * sizeof *x);
    for (size_t e = 0; e < n * k; e++)
        x[e] = gersh__random_normal(random);
    gersh_dataset *data = unlabelled(n, k, x);
    free(x);
    return data;
}

static inline size_t row_but(gersh__random *random, size_t n, const size_t *taken, size_t count)
{
    for (;;) {
        size_t row = (size_t)gersh__random_below(random, n), i = 0;
        while (i < count && taken[i] != row)
            i++;
        if (i == count)
            return row;
    }
}

/*
 * Tuples of different rows that are true under the diagonal metric m; a pair is similar where its distance
 * is below `near`. At least four rows.
 */
static inline gersh_tuples *true_tuples(gersh__random *random, const gersh_dataset *data,
                                        gersh_tuple_kind kind, size_t count, const double *m, double near)
{
    size_t n = gersh_dataset_rows(data), k = gersh_dataset_features(data), size = gersh_tuple_size(kind);
    const double *x = gersh_dataset_values(data);
    size_t *row = calloc(count * size, sizeof *row);
    int *similar = calloc(count, sizeof *similar);
    gersh_tuples *tuples = NULL;
    for (size_t t = 0; t < count; t++) {
        size_t *r = row + t * size;
        for (size_t c = 0; c < size; c++)
            r[c] = row_but(random, n, r, c);
        const size_t ends[2][2] = {
            {r[0], r[1]}, {kind == GERSH_QUADRUPLETS ? r[2] : r[0], r[kind == GERSH_PAIRS ? 1 : size - 1]}};
        double d[2] = {0, 0};
        for (int e = 0; e < 2; e++)
            for (size_t f = 0; f < k; f++)
                d[e] += m[f] * pow(x[ends[e][0] * k + f] - x[ends[e][1] * k + f], 2);
        similar[t] = d[0] < near;
        if (kind == GERSH_TRIPLETS && d[0] > d[1]) {
            size_t swap = r[1];
            r[1] = r[2];
            r[2] = swap;
        } else if (kind == GERSH_QUADRUPLETS && d[0] > d[1]) {
            size_t swap[4] = {r[2], r[3], r[0], r[1]};
            memcpy(r, swap, sizeof swap);
        }
    }
    assert_ok(gersh_tuples_new(&tuples, kind, count, row, kind == GERSH_PAIRS ? similar : NULL, n));
    free(row);
    free(similar);
    return tuples;
}

/* A problem of rows, tuples and weights, with the distances of all rows under some metric. */
typedef struct tuple_case {
    size_t n;
    const gersh_tuples *tuples;
    const double *weight; /* or NULL */
    const double *d;      /* n × n */
} tuple_case;

static inline double case_weight(const tuple_case *c, size_t row)
{
    return c->weight != NULL ? c->weight[row] : 1;
}

static inline double naive_hinge(double x, double width)
{
    return fabs(x) >= width / 2 ? fmax(x, 0) : pow(x + width / 2, 2) / (2 * width);
}

/* Σ over rows of the divergence, the pairs of each row found by going through all. */
static inline double naive_mcml(const tuple_case *c, double width)
{
    (void)width;
    double sum = 0;
    for (size_t i = 0; i < c->n; i++) {
        long double z = 0, w = 0, divergence = 0;
        for (int pass = 0; pass < 2; pass++)
            for (size_t t = 0; t < c->tuples->count; t++) {
                size_t a = c->tuples->row[2 * t], b = c->tuples->row[2 * t + 1], k = a == i ? b : a;
                if ((a != i && b != i) || case_weight(c, k) == 0)
                    continue;
                long double q = case_weight(c, k) * expl(-(long double)c->d[i * c->n + k]);
                if (pass == 0) {
                    z += q;
                    w += c->tuples->similar[t] ? case_weight(c, k) : 0;
                } else if (c->tuples->similar[t]) {
                    long double p = case_weight(c, k) / w;
                    divergence += p * logl(p / (q / z));
                }
            }
        sum += case_weight(c, i) * (double)divergence;
    }
    return sum;
}

/* The weight of a tuple: the product of those of its rows. */
static inline double tuple_weight(const tuple_case *c, size_t tuple)
{
    size_t size = gersh_tuple_size(c->tuples->kind);
    double w = 1;
    for (size_t e = 0; e < size; e++)
        w *= case_weight(c, c->tuples->row[tuple * size + e]);
    return w;
}

/* Σ w φ(d) over the dissimilar pairs. */
static inline double naive_apart(const tuple_case *c, double (*term)(double d))
{
    double sum = 0;
    for (size_t t = 0; t < c->tuples->count; t++)
        if (!c->tuples->similar[t])
            sum +=
                tuple_weight(c, t) * term(c->d[c->tuples->row[2 * t] * c->n + c->tuples->row[2 * t + 1]]);
    return sum;
}

static inline double glr_term(double d)
{
    return 4 * exp(-d);
}

static inline double deml_term(double d)
{
    return -sqrt(d);
}

static inline double naive_glr_of_pairs(const tuple_case *c, double width)
{
    (void)width;
    return naive_apart(c, glr_term);
}

static inline double naive_deml(const tuple_case *c, double width)
{
    (void)width;
    return naive_apart(c, deml_term);
}

/* The distances that a tuple compares. */
static inline void compared_distances(const tuple_case *c, size_t tuple, double *near, double *far)
{
    const size_t *r = c->tuples->row + tuple * gersh_tuple_size(c->tuples->kind);
    *near = c->d[r[0] * c->n + r[1]];
    *far = c->tuples->kind == GERSH_TRIPLETS ? c->d[r[0] * c->n + r[2]] : c->d[r[2] * c->n + r[3]];
}

static inline double naive_lsml(const tuple_case *c, double width)
{
    double sum = 0, x, y;
    (void)width;
    for (size_t t = 0; t < c->tuples->count; t++) {
        if (c->tuples->kind != GERSH_PAIRS) {
            compared_distances(c, t, &x, &y);
            sum += x > y ? tuple_weight(c, t) * pow(sqrt(x) - sqrt(y), 2) : 0;
            continue;
        }
        x = c->d[c->tuples->row[2 * t] * c->n + c->tuples->row[2 * t + 1]];
        for (size_t u = 0; c->tuples->similar[t] && u < c->tuples->count; u++) {
            y = c->d[c->tuples->row[2 * u] * c->n + c->tuples->row[2 * u + 1]];
            if (!c->tuples->similar[u] && x > y)
                sum += tuple_weight(c, t) * tuple_weight(c, u) * pow(sqrt(x) - sqrt(y), 2);
        }
    }
    return sum;
}

/* Whether the tuple is the first that counts of those that want its pair to be short. */
static inline int names_first(const tuple_case *c, size_t tuple)
{
    size_t size = gersh_tuple_size(c->tuples->kind);
    const size_t *r = c->tuples->row + tuple * size;
    for (size_t u = 0; u < tuple; u++) {
        const size_t *q = c->tuples->row + u * size;
        int same = (q[0] == r[0] && q[1] == r[1]) ||
                   (c->tuples->kind == GERSH_QUADRUPLETS && q[0] == r[1] && q[1] == r[0]);
        if (same && tuple_weight(c, u) != 0)
            return 0;
    }
    return tuple_weight(c, tuple) > 0;
}

static inline double naive_lmnn(const tuple_case *c, double width)
{
    double sum = 0, x, y;
    for (size_t t = 0; t < c->tuples->count; t++) {
        const size_t *r = c->tuples->row + t * gersh_tuple_size(c->tuples->kind);
        compared_distances(c, t, &x, &y);
        sum += 0.5 * tuple_weight(c, t) * naive_hinge(1 + x - y, width);
        sum += names_first(c, t) ? 0.5 * case_weight(c, r[0]) * case_weight(c, r[1]) * x : 0;
    }
    return sum;
}

/* The tests' own definitions. */
static const struct {
    const char *name;
    double (*value)(const tuple_case *c, double width);
    double cancels; /* for each row, the size of terms that cancel in the sum */
} naive_values[] = {{"glr", naive_glr_of_pairs, 0},
                    {"deml", naive_deml, 0},
                    {"mcml", naive_mcml, 1},
                    {"lsml", naive_lsml, 0},
                    {"lmnn", naive_lmnn, 0}};

/* F as it is minimised, and the size of terms that cancel; of other objectives by the definition of the verifier. */
static inline defined_value naive_sum(const char *name, const tuple_case *c, double width)
{
    for (size_t i = 0; i < sizeof naive_values / sizeof naive_values[0]; i++)
        if (strcmp(naive_values[i].name, name) == 0)
            return (defined_value){naive_values[i].value(c, width), naive_values[i].cancels * (double)c->n};
    return value_by_definition(name, c->n, NULL, c->weight, c->tuples, c->d, width);
}

static inline double naive_value(const char *name, const tuple_case *c, double width)
{
    return naive_sum(name, c, width).value;
}

/* Share of the comparisons that hold under the metric; NULL: the Euclidean one. */
static inline double share_kept(const gersh_dataset *data, const gersh_tuples *tuples,
                                const gersh_metric *metric)
{
    size_t k = gersh_dataset_features(data), size = gersh_tuple_size(tuples->kind), kept = 0;
    const double *x = gersh_dataset_values(data);
    for (size_t t = 0; t < tuples->count; t++) {
        const size_t *r = tuples->row + t * size;
        size_t third = tuples->kind == GERSH_TRIPLETS ? r[0] : r[2];
        double near = 0, far = 0;
        for (size_t f = 0; f < k; f++) {
            near += pow(x[r[0] * k + f] - x[r[1] * k + f], 2);
            far += pow(x[third * k + f] - x[r[size - 1] * k + f], 2);
        }
        if (metric != NULL) {
            near = gersh_metric_distance(metric, x + r[0] * k, x + r[1] * k);
            far = gersh_metric_distance(metric, x + third * k, x + r[size - 1] * k);
        }
        kept += near < far;
    }
    return (double)kept / (double)tuples->count;
}

#endif
