/*
 * Distance space: the linear maps between a metric M and the distances of pairs of samples.
 *
 *     D  : M ↦ d,   d_p = (x_i − x_j)ᵀ M (x_i − x_j)
 *     D* : g ↦ G,   G = Σ_p g_p (x_i − x_j)(x_i − x_j)ᵀ = Xᵀ L(g) X
 *
 * with L(g) the Laplacian of the graph on the samples that has the weights g. Everything that sums over
 * samples or pairs happens here or in src/objective; a solver sees neither.
 *
 * The samples are kept in an order of their own, by class (and by row within a class), so that the pairs of
 * one row with one class lie side by side. With all pairs, pair (i, j), j < i, has the number
 * i(i − 1)/2 + j: row i holds its pairs with all earlier samples, contiguous. Of the pairs between classes alone, row
 * i holds those with the samples of earlier classes, so that the rows of a class are a matrix (between.c).
 */
#ifndef GERSH_SRC_PAIRS_PAIRS_H
#define GERSH_SRC_PAIRS_PAIRS_H

#include <stdint.h>

#include "base/threads.h"
#include "data/sparse.h"
#include "gersh/data.h"
#include "gersh/objective.h"
#include "gersh/tuples.h"

/* What is known of the samples, as bits: objectives say which of these they can learn from. */
typedef enum gersh__knowledge {
    GERSH__CLASSES = GERSH_SUPERVISION_CLASSES,
    GERSH__TARGETS = GERSH_SUPERVISION_TARGETS,
    GERSH__PAIRS = GERSH_SUPERVISION_PAIRS,
    GERSH__TRIPLETS = GERSH_SUPERVISION_TRIPLETS,
    GERSH__QUADRUPLETS = GERSH_SUPERVISION_QUADRUPLETS,
    GERSH__NOTHING = 2 * GERSH__QUADRUPLETS
} gersh__knowledge;

enum { GERSH__MOST_PARTS = 64 }; /* of a loop over pairs */

/* lmnn: targets of a sample, and the weight of its hinges, that of the targets' distances being the rest. */
enum { GERSH__LMNN_TARGETS = 3 };
#define GERSH__LMNN_MU 0.5

/* Triplets or quadruplets as pairs of listed pairs: d[near] is to be below d[far]. */
typedef struct gersh__comparisons {
    gersh_tuple_kind kind;
    size_t count;
    size_t *near, *far; /* numbers of listed pairs */
    size_t *anchor;     /* sample that both pairs of a triplet share; NULL for quadruplets */
    double *weight;     /* product of the weights of the tuple's rows */
    double *pull;       /* of each listed pair: the factor of its distance in lmnn; NULL: by the tuples */
    size_t parts;       /* of loops over comparisons: no pair occurs in two of them */
    size_t *part;       /* parts + 1: where each begins; NULL: one part */
} gersh__comparisons;

/* A class of the population that pairs are drawn from. */
typedef struct gersh__stratum {
    size_t rows;
    double weight, heaviest; /* of the rows together, and the largest of one, */
    double rest;             /* and of all but one that has it */
} gersh__stratum;

typedef struct gersh__pairs {
    size_t n, k;  /* samples, features */
    size_t count; /* pairs */
    double *x;    /* k × n: feature by feature, in the own order of samples; NULL for sparse data: */
    gersh__sparse *sparse; /* a list for each feature, of its samples (own order) */
    gersh__sparse *rows;   /* the same, a list for each sample */
    size_t *sample;        /* row in the data set of each sample */
    size_t classes;
    size_t *class_start; /* classes + 1: the samples of class c are class_start[c]..class_start[c+1] */
    double *target;      /* real-valued target of each sample, or NULL */
    double *weight;      /* of each sample, or NULL: all 1; a pair's weight is the product */
    size_t *first;       /* listed pairs: the two samples of each (own order), first > second; */
    size_t *second;      /* NULL: all pairs, or all between classes */
    size_t *row;         /* of these: n + 1; the pairs of sample i with 0, 1, ... are row[i]..row[i + 1] */
    int between;         /* only pairs of different classes */
    int differences;    /* every sample is the difference of a pair, which has its number (differences.h) */
    int *similar;       /* of each listed pair, where tuples say so or it was drawn; NULL: by the classes */
    double *share;      /* of each listed pair: how many pairs it stands for; NULL: 1 */
    double units;       /* drawn pairs: rows dealt out, or anchors, that were drawn one by one; else 0 */
    size_t *stratum_of; /* drawn pairs of rows with classes: the class of each sample, */
    gersh__stratum *stratum; /* and the classes; else NULL */
    size_t strata;
    gersh__comparisons *compared; /* or NULL */
    gersh__pool *pool;            /* not owned; NULL: no threads */
    double *square;               /* n × n scratch of the maps, for all pairs of more than a few samples */
    double *diagonal;             /* n, scratch too */
    size_t parts;                 /* of loops over pairs, from their number alone */
    size_t *part; /* parts + 1: where each begins, in samples for all pairs, else in listed pairs */
    struct gersh__around *around;   /* of many listed pairs; NULL: few, or all */
    struct gersh__pairs_work *work; /* kept scratch of gersh__pairs_gram */
} gersh__pairs;

/*
 * All pairs of the rows of `data` (already scaled), or, with list_first and list_second (rows of the data
 * set), those `count` pairs, in that order. weight: one a row, at least 0, or NULL. A row of weight 0 is as
 * good as absent: it becomes no sample, and its pairs are none.
 */
gersh_status gersh__pairs_new(gersh__pairs **out, const gersh_dataset *data, const double *weight,
                              size_t count, const size_t *list_first, const size_t *list_second,
                              gersh__pool *pool);
void gersh__pairs_free(gersh__pairs *pairs);

/* All pairs of rows of different classes: for objectives that have no part in the others. */
gersh_status gersh__pairs_new_between(gersh__pairs **out, const gersh_dataset *data, const double *weight,
                                      gersh__pool *pool);

/*
 * A list of pairs of samples, ready to be used: sample[i] is the row of sample i, and the pairs are of these
 * samples, the first above the second. The arrays become the pairs' own, also where this fails; share and
 * similar may be NULL. Samples are in the order given and have no classes.
 */
typedef struct gersh__list {
    size_t n, count;
    size_t *sample, *first, *second;
    int *similar;
    double *share;
} gersh__list;

gersh_status gersh__pairs_new_list(gersh__pairs **out, const gersh_dataset *data, const double *weight,
                                   gersh__list list, gersh__pool *pool);
void gersh__list_clear(gersh__list *list);

/*
 * The rows whose weight is not 0 by class, earlier rows first within one: *count of them in *row, those of
 * class c at (*start)[c]..(*start)[c + 1]. Without labels *classes is 0 and all are at (*start)[0]..(*start)[1].
 * Fails where there are fewer than two, or a weight is not a number of at least 0.
 */
gersh_status gersh__order_rows(size_t **row, size_t *count, size_t **start, size_t *classes,
                               const gersh_dataset *data, const double *weight);

/*
 * The pairs that occur in the tuples, which must be good (gersh__tuples_check): pairs one by one in their
 * order, those of triplets and quadruplets each once. Tuples with a row of weight 0 are none. Classes and
 * targets of the data then count for nothing.
 */
gersh_status gersh__pairs_new_tuples(gersh__pairs **out, const gersh_dataset *data, const double *weight,
                                     const gersh_tuples *tuples, gersh__pool *pool);
void gersh__comparisons_free(gersh__comparisons *compared);

/* What objectives are to learn from. */
gersh__knowledge gersh__pairs_knowledge(const gersh__pairs *pairs);

size_t gersh__pairs_count(const gersh__pairs *pairs);
size_t gersh__pairs_samples(const gersh__pairs *pairs);
size_t gersh__pairs_features(const gersh__pairs *pairs);
gersh__pool *gersh__pairs_pool(const gersh__pairs *pairs); /* NULL: no threads */

/* Row of a sample in the data set. */
size_t gersh__pairs_row(const gersh__pairs *pairs, size_t sample);

/* The features × samples values, feature by feature, where they are dense; else NULL. */
const double *gersh__pairs_columns(const gersh__pairs *pairs);

/* The samples i[p] > j[p] of the `count` pairs from `begin` on. */
void gersh__pairs_ends(const gersh__pairs *pairs, size_t begin, size_t count, uint32_t *i, uint32_t *j);

/* Pairs begin..end − 1 one after the other, with their samples: start, then `next` while it returns 1. */
enum { GERSH__WALK_BLOCK = 128 };

typedef struct gersh__walk {
    const gersh__pairs *pairs;
    size_t pair, i, j; /* where the walk is */
    size_t next, end;  /* pairs that are still to come */
    size_t at, held;   /* of the block */
    uint32_t first[GERSH__WALK_BLOCK], second[GERSH__WALK_BLOCK];
} gersh__walk;

static inline void gersh__walk_start(gersh__walk *walk, const gersh__pairs *pairs, size_t begin, size_t end)
{
    walk->pairs = pairs;
    walk->next = begin;
    walk->end = end;
    walk->at = walk->held = 0;
}

static inline int gersh__walk_next(gersh__walk *walk)
{
    if (walk->at == walk->held) {
        size_t left = walk->end - walk->next;
        walk->held = left < GERSH__WALK_BLOCK ? left : GERSH__WALK_BLOCK;
        walk->at = 0;
        if (walk->held == 0)
            return 0;
        gersh__pairs_ends(walk->pairs, walk->next, walk->held, walk->first, walk->second);
    }
    walk->pair = walk->next++;
    walk->i = walk->first[walk->at];
    walk->j = walk->second[walk->at++];
    return 1;
}

/*
 * Loops over all pairs. They run in chunks of pairs begin..end, side by side on the pool's threads; the chunks follow from
 * the number of pairs alone, and the sums that they return are added in their order.
 */
typedef double (*gersh__pairs_sum)(void *context, size_t begin, size_t end);
typedef void (*gersh__pairs_task)(void *context, size_t begin, size_t end);

double gersh__pairs_reduce(const gersh__pairs *pairs, gersh__pairs_sum chunk, void *context);
void gersh__pairs_each(const gersh__pairs *pairs, gersh__pairs_task chunk, void *context);

/*
 * Runs the parts: each handles part[p]..part[p + 1]. Where there is but one, in the caller and at no cost.
 */
void gersh__pairs_run(const gersh__pairs *pairs, gersh__part part, void *context);

/* Number of pair (i, j), i > j, when all pairs are there. */
static inline size_t gersh__pair(size_t i, size_t j)
{
    return i * (i - 1) / 2 + j;
}

/* Number of the first pair of a part, that of part `parts` being the number of pairs. */
static inline size_t gersh__pairs_begin(const gersh__pairs *pairs, size_t part)
{
    return pairs->first != NULL ? pairs->part[part] : pairs->row[pairs->part[part]];
}

/* Without a list: how many pairs sample i has with earlier ones. */
static inline size_t gersh__pairs_reach(const gersh__pairs *pairs, size_t i)
{
    return pairs->row[i + 1] - pairs->row[i];
}

/* Weight of pair p, of the samples i and j: the product of theirs, times its share. */
static inline double gersh__pairs_weight(const gersh__pairs *pairs, size_t p, size_t i, size_t j)
{
    double weight = pairs->weight != NULL ? pairs->weight[i] * pairs->weight[j] : 1.0;
    return pairs->share != NULL ? weight * pairs->share[p] : weight;
}

/* Class of a sample (own order); 0 without classes. */
size_t gersh__pairs_class(const gersh__pairs *pairs, size_t sample);

/* Whether it follows from the storage that no pair is similar and that all weigh 1. */
int gersh__pairs_all_dissimilar(const gersh__pairs *pairs);

/* Real-valued target of each sample, or NULL. */
const double *gersh__pairs_targets(const gersh__pairs *pairs);

/* Weight of each sample, or NULL: all 1. */
const double *gersh__pairs_weights(const gersh__pairs *pairs);

/* Whether pair p, of the samples i and j, is similar: by the tuples, else of one class. */
static inline int gersh__pairs_similar(const gersh__pairs *pairs, size_t p, size_t i, size_t j)
{
    return pairs->similar != NULL ? pairs->similar[p]
                                  : gersh__pairs_class(pairs, i) == gersh__pairs_class(pairs, j);
}

/* Whether all features of two samples are the same. */
int gersh__pairs_coincide(const gersh__pairs *pairs, size_t i, size_t j);

/* The n values of feature f: in the pairs' own memory, or written into scratch (n entries). */
const double *gersh__pairs_column(const gersh__pairs *pairs, size_t f, double *scratch);

/* t = a x_i + b x_j of the features i and j, which may be one; n entries. */
void gersh__pairs_project(const gersh__pairs *pairs, size_t i, double a, size_t j, double b, double *t);

/* Σ_i x_if y_i for n entries of y. */
double gersh__pairs_column_dot(const gersh__pairs *pairs, size_t f, const double *y);

/* d_p += factor · (t_i − t_j)² for every pair: the distances of the atom z zᵀ with t = X z. */
void gersh__pairs_add(const gersh__pairs *pairs, double factor, const double *t, double *d);

/* d_p = Σ_f (x_if − x_jf)²: the distances under the identity. */
void gersh__pairs_euclid(const gersh__pairs *pairs, double *d);

/* The mean of these, over the listed pairs, or over all pairs of samples. */
gersh_status gersh__pairs_mean(const gersh__pairs *pairs, double *mean);

/* y = L(g) v for `columns` vectors of n entries each (contiguous). y and v are different. */
void gersh__pairs_laplacian(const gersh__pairs *pairs, const double *g, size_t columns, const double *v,
                            double *y);

/*
 * h (m × m) = Σ_p c_p a_p a_pᵀ, a_p the vector of the m atoms' distances of pair p: (t_ia − t_ja)². t holds
 * the m projections of n entries each. Both triangles are filled.
 */
gersh_status gersh__pairs_gram(const gersh__pairs *pairs, const double *c, size_t m, const double *t,
                               double *h);

/*
 * The same for the second order of a step, which need not be exact, of |c_p|, all c_p being >= 0 or all <= 0: where
 * there are many pairs (gersh__pairs_draws), some stand for all. Unless minus_mean is NULL, m entries, it is
 * Σ_p |c_p| (a_p − ā)(a_p − ā)ᵀ with ā = −minus_mean the mean Σ_p c_p a_p / Σ_p c_p.
 */
int gersh__pairs_draws(const gersh__pairs *pairs);
gersh_status gersh__pairs_gram_estimate(const gersh__pairs *pairs, const double *c, size_t m,
                                        const double *t, const double *minus_mean, double *h);

/*
 * An estimate of Σ_p own_p (a_p − c_i)(a_p − c_i)ᵀ + other_p (a_p − c_j)(a_p − c_j)ᵀ, with own, other >= 0 and a centre c
 * for each sample (laid out as t), without a list.
 */
gersh_status gersh__pairs_spread_estimate(const gersh__pairs *pairs, const double *own, const double *other,
                                          size_t m, const double *t, const double *center, double *h);

#endif
