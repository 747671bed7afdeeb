/* Random problems for the objectives, and each objective straight from its definition. */
#ifndef GERSH_TESTS_OBJECTIVES_H
#define GERSH_TESTS_OBJECTIVES_H

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "check.h"
#include "definitions.h"
#include "objective/objective.h"

typedef struct problem {
    gersh_dataset *data;
    gersh__pairs *pairs;
    gersh__pool *pool;
    size_t n;
    double *weight; /* of each row, whole numbers, or NULL */
    size_t listed, *list_first, *list_second;
} problem;

typedef struct wish {
    size_t n, k;
    size_t classes;    /* 0: real targets */
    int lone;          /* the first row is the only one of its class */
    int weighted;      /* weights 1, 2, 3 */
    size_t listed;     /* pairs of the list; 0: all */
    size_t duplicates; /* so many rows have the features of row 0 */
    int threads;
} wish;

static inline void drop(problem *q)
{
    gersh__pairs_free(q->pairs);
    gersh__pool_free(q->pool);
    gersh_dataset_free(q->data);
    free(q->weight);
    free(q->list_first);
    free(q->list_second);
}

static inline problem make(gersh__random *random, wish w)
{
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    problem q = {.n = w.n, .listed = w.listed};
    double *x = malloc(w.n * w.k * sizeof *x), *targets = malloc(w.n * sizeof *targets);
    const char **labels = malloc(w.n * sizeof *labels);
    q.weight = w.weighted ? malloc(w.n * sizeof *q.weight) : NULL;
    for (size_t i = 0; i < w.n; i++) {
        labels[i] = names[w.classes > 0 ? gersh__random_below(random, w.classes) : 0];
        targets[i] = gersh__random_normal(random);
        for (size_t f = 0; f < w.k; f++)
            x[i * w.k + f] = i > 0 && i <= w.duplicates ? x[f] : gersh__random_normal(random);
        if (w.weighted)
            q.weight[i] = (double)(1 + gersh__random_below(random, 3));
    }
    if (w.lone)
        labels[0] = "lone";
    assert_ok(gersh_dataset_new(&q.data, w.n, w.k, x, w.k, w.classes > 0 ? labels : NULL,
                                w.classes == 0 ? targets : NULL, NULL));
    q.list_first = malloc((w.listed + 1) * sizeof *q.list_first);
    q.list_second = malloc((w.listed + 1) * sizeof *q.list_second);
    for (size_t p = 0; p < w.listed; p++) {
        q.list_first[p] = (size_t)gersh__random_below(random, w.n);
        q.list_second[p] = (q.list_first[p] + 1 + (size_t)gersh__random_below(random, w.n - 1)) % w.n;
    }
    assert_ok(gersh__pool_new(&q.pool, w.threads > 0 ? w.threads : 1));
    assert_ok(gersh__pairs_new(&q.pairs, q.data, q.weight, w.listed, w.listed ? q.list_first : NULL,
                               w.listed ? q.list_second : NULL, q.pool));
    free(x);
    free(targets);
    free(labels);
    return q;
}

/* Distances under a random metric of the given size. */
static inline double *random_distances(gersh__random *random, const problem *q, double size)
{
    const gersh__pairs *pairs = q->pairs;
    double *d = calloc(gersh__pairs_count(pairs), sizeof *d),
           *t = malloc(gersh__pairs_samples(pairs) * sizeof *t);
    for (size_t atom = 0; atom < gersh__pairs_features(pairs) + 1; atom++) {
        memset(t, 0, gersh__pairs_samples(pairs) * sizeof *t);
        for (size_t f = 0; f < gersh__pairs_features(pairs); f++) {
            double z = gersh__random_normal(random);
            for (size_t i = 0; i < gersh__pairs_samples(pairs); i++)
                t[i] += z * gersh__pairs_columns(pairs)[f * gersh__pairs_samples(pairs) + i];
        }
        gersh__pairs_add(pairs, size * gersh__random_uniform(random), t, d);
    }
    free(t);
    return d;
}

/* The rows of pair p. */
static inline void pair_rows(const problem *q, size_t p, size_t *a, size_t *b)
{
    if (q->listed > 0) {
        *a = q->list_first[p];
        *b = q->list_second[p];
        return;
    }
    size_t i = 1;
    for (; p >= i; p -= i++)
        ;
    *a = gersh__pairs_row(q->pairs, i);
    *b = gersh__pairs_row(q->pairs, p);
}

static inline double row_weight(const problem *q, size_t row)
{
    return q->weight != NULL ? q->weight[row] : 1;
}

static inline int same_class(const problem *q, size_t a, size_t b)
{
    const int *labels = gersh_dataset_labels(q->data);
    return labels[a] == labels[b];
}

/* The distances as a symmetric matrix over the rows of the data set; those that are not listed are 0. */
static inline double *full(const problem *q, const double *d)
{
    double *m = calloc(q->n * q->n, sizeof *m);
    size_t a, b;
    for (size_t p = 0; p < gersh__pairs_count(q->pairs); p++) {
        pair_rows(q, p, &a, &b);
        m[a * q->n + b] = m[b * q->n + a] = d[p];
    }
    return m;
}

static inline double oracle_glr(const problem *q, const double *d, double width)
{
    (void)width;
    const double *z = gersh_dataset_targets(q->data);
    double sum = 0;
    size_t a, b;
    for (size_t p = 0; p < gersh__pairs_count(q->pairs); p++) {
        pair_rows(q, p, &a, &b);
        double step = z != NULL ? z[a] - z[b] : same_class(q, a, b) ? 0 : 2;
        sum += row_weight(q, a) * row_weight(q, b) * exp(-d[p]) * step * step;
    }
    return sum;
}

static inline double oracle_deml(const problem *q, const double *d, double width)
{
    (void)width;
    double sum = 0;
    size_t a, b;
    for (size_t p = 0; p < gersh__pairs_count(q->pairs); p++) {
        pair_rows(q, p, &a, &b);
        if (!same_class(q, a, b))
            sum -= row_weight(q, a) * row_weight(q, b) * sqrt(d[p]);
    }
    return sum;
}

static inline double oracle_lsml(const problem *q, const double *d, double width)
{
    (void)width;
    double sum = 0;
    size_t a, b, i, j;
    for (size_t s = 0; s < gersh__pairs_count(q->pairs); s++) {
        pair_rows(q, s, &a, &b);
        for (size_t t = 0; same_class(q, a, b) && t < gersh__pairs_count(q->pairs); t++) {
            if (d[s] <= d[t])
                continue;
            pair_rows(q, t, &i, &j);
            if (!same_class(q, i, j))
                sum += row_weight(q, a) * row_weight(q, b) * row_weight(q, i) * row_weight(q, j) *
                       pow(sqrt(d[s]) - sqrt(d[t]), 2);
        }
    }
    return sum;
}

/* A row of weight w is w copies, which do not see each other. */
static inline double oracle_mcml(const problem *q, const double *d, double width)
{
    (void)width;
    double *m = full(q, d);
    size_t copies = 0, *row = malloc(3 * q->n * sizeof *row);
    long double sum = 0;
    for (size_t a = 0; a < q->n; a++)
        for (int copy = 0; copy < row_weight(q, a); copy++)
            row[copies++] = a;
    for (size_t i = 0; i < copies; i++) {
        long double total = 0, divergence = 0;
        size_t mates = 0;
        for (size_t k = 0; k < copies; k++) {
            if (row[k] == row[i])
                continue;
            total += expl(-(long double)m[row[i] * q->n + row[k]]);
            mates += same_class(q, row[i], row[k]) != 0;
        }
        for (size_t k = 0; k < copies; k++) {
            if (row[k] == row[i] || !same_class(q, row[i], row[k]))
                continue;
            long double share = expl(-(long double)m[row[i] * q->n + row[k]]) / total;
            divergence += logl(1.0L / (long double)mates / share) / (long double)mates;
        }
        sum += divergence;
    }
    free(m);
    free(row);
    return (double)sum;
}

static inline double oracle_hinge(double x, double width)
{
    if (fabs(x) >= width / 2)
        return fmax(x, 0);
    return pow(x + width / 2, 2) / (2 * width);
}

static inline double oracle_lmnn(const problem *q, const double *d, double width)
{
    size_t n = q->n, k = gersh_dataset_features(q->data);
    const double *x = gersh_dataset_values(q->data);
    double *m = full(q, d), sum = 0;
    for (size_t i = 0; i < n; i++) {
        int taken[1000] = {0};
        for (int c = 0; c < 3; c++) {
            size_t best = n;
            double nearest = INFINITY;
            for (size_t j = 0; j < n; j++) {
                double distance = 0;
                for (size_t f = 0; f < k; f++)
                    distance += (x[i * k + f] - x[j * k + f]) * (x[i * k + f] - x[j * k + f]);
                if (j != i && same_class(q, i, j) && !taken[j] && distance < nearest) {
                    nearest = distance;
                    best = j;
                }
            }
            if (best == n)
                break;
            taken[best] = 1;
            double w = row_weight(q, i) * row_weight(q, best);
            sum += 0.5 * w * m[i * n + best];
            for (size_t l = 0; l < n; l++)
                if (!same_class(q, i, l))
                    sum += 0.5 * w * row_weight(q, l) *
                           oracle_hinge(1 + m[i * n + best] - m[i * n + l], width);
        }
    }
    free(m);
    return sum;
}

/* The tests' own definitions. */
static const struct {
    const char *name;
    double (*value)(const problem *q, const double *d, double width);
    double cancels; /* for each row, the size of terms that cancel in the sum */
    int long_sum;   /* over pairs of pairs: for small problems */
} oracles[] = {{"glr", oracle_glr, 0, 0},
               {"deml", oracle_deml, 0, 0},
               {"lsml", oracle_lsml, 0, 1},
               {"mcml", oracle_mcml, 1, 0},
               {"lmnn", oracle_lmnn, 0, 0}};

enum { ORACLES = sizeof oracles / sizeof oracles[0] };

/* Where that of an objective stands; ORACLES where it has none, and the verifier's is to be taken. */
static inline size_t oracle_place(const char *name)
{
    size_t place = 0;
    while (place < ORACLES && strcmp(oracles[place].name, name) != 0)
        place++;
    return place;
}

/* The verifier's value, of the classes, or of the listed pairs as if they were tuples. */
static inline defined_value oracle_of_verifier(const char *name, const problem *q, const double *d,
                                               double width)
{
    if (q->listed > 0 && gersh_dataset_labels(q->data) == NULL)
        fail_msg("there is no definition of the objective %s of listed pairs with targets: it needs one in "
                 "tests/objectives.h",
                 name);
    double *m = full(q, d);
    gersh_tuples tuples = {GERSH_PAIRS, q->listed, malloc((2 * q->listed + 1) * sizeof *tuples.row),
                           malloc((q->listed + 1) * sizeof *tuples.similar)};
    for (size_t p = 0; p < q->listed; p++) {
        tuples.row[2 * p] = q->list_first[p];
        tuples.row[2 * p + 1] = q->list_second[p];
        tuples.similar[p] = same_class(q, q->list_first[p], q->list_second[p]);
    }
    defined_value v =
        value_by_definition(name, q->n, q->data, q->weight, q->listed > 0 ? &tuples : NULL, m, width);
    free(m);
    free(tuples.row);
    free(tuples.similar);
    return v;
}

/* F as the library minimises it. */
static inline double oracle(const char *name, const problem *q, const double *d, double width)
{
    size_t place = oracle_place(name);
    return place < ORACLES ? oracles[place].value(q, d, width)
                           : oracle_of_verifier(name, q, d, width).value;
}

/* The size of terms that cancel, so that rounding is a share of it rather than of the value. */
static inline double oracle_cancels(const char *name, const problem *q, const double *d)
{
    size_t place = oracle_place(name);
    return place < ORACLES ? oracles[place].cancels * (double)q->n : oracle_of_verifier(name, q, d, 0).size;
}

static inline int oracle_is_long(const char *name)
{
    size_t place = oracle_place(name);
    return place < ORACLES && oracles[place].long_sum;
}

static inline gersh__objective *objective_of(const char *name, const problem *q)
{
    gersh__objective *objective;
    const gersh__objective_entry *entry = gersh__objective_find(name);
    assert_non_null(entry);
    assert_ok(gersh__objective_new(&objective, entry, q->pairs));
    return objective;
}

#define assert_close(a, b, tolerance)                                                                      \
    do {                                                                                                   \
        double a_ = (a), b_ = (b), tolerance_ = (tolerance);                                               \
        if (!(fabs(a_ - b_) <= tolerance_))                                                                \
            fail_msg("%s:%d: %.17g is not %.17g within %g", __FILE__, __LINE__, a_, b_, tolerance_);       \
    } while (0)

#endif
