/*
 * Distance space: the linear maps between a metric M and the squared distances d of pairs of samples.
 *
 *     D  : M ↦ d,   d_p = (x_i − x_j)ᵀ M (x_i − x_j)
 *     D* : g ↦ G,   G = Σ_p g_p (x_i − x_j)(x_i − x_j)ᵀ = Xᵀ L(g) X
 *
 * with L(g) the Laplacian of the graph on the samples that has the weights g. Everything that sums over samples or pairs
 * happens here or in src/objective; a solver sees neither, and nobody else how pairs are stored: all of them, those
 * between classes, listed ones, or differences alone.
 *
 * The samples are kept in an order of their own, by class (and by row within a class), so that the pairs of
 * one sample with one class lie side by side.
 */
#ifndef GERSH_SRC_PAIRS_PAIRS_H
#define GERSH_SRC_PAIRS_PAIRS_H

#include <stdint.h>

#include "base/threads.h"
#include "data/sparse.h"
#include "gersh/data.h"
#include "gersh/metric.h"
#include "gersh/tuples.h"
#include "pairs/supervision.h"

typedef struct gersh__pairs gersh__pairs;

/*
 * All pairs of the rows of `data` (already scaled), or, with list_first and list_second (rows of the data
 * set), those `count` pairs, in that order. weight: one a row, at least 0, or NULL. Rows of weight 0 are dropped, with
 * their pairs.
 */
gersh_status gersh__pairs_new(gersh__pairs **out, const gersh_dataset *data, const double *weight,
                              size_t count, const size_t *list_first, const size_t *list_second,
                              gersh__pool *pool);
void gersh__pairs_free(gersh__pairs *pairs);

/* All pairs of rows of different classes: for objectives that have no part in the others. */
gersh_status gersh__pairs_new_between(gersh__pairs **out, const gersh_dataset *data, const double *weight,
                                      gersh__pool *pool);

/*
 * Explicit pairs of samples, ready to be used: sample[i] is the row of sample i, and the pairs are of these
 * samples, the first above the second. The arrays become the pairs' own, also where this fails; importance and
 * similar may be NULL. Samples are in the order given and have no classes.
 */
typedef struct gersh__list {
    size_t n, count;
    size_t *sample, *first, *second;
    int *similar;
    double *importance;
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
 * order, those of triplets and quadruplets each once. Tuples with a row of weight 0 are dropped. Classes and
 * targets of the data then count for nothing.
 */
gersh_status gersh__pairs_new_tuples(gersh__pairs **out, const gersh_dataset *data, const double *weight,
                                     const gersh_tuples *tuples, gersh__pool *pool);

size_t gersh__pairs_count(const gersh__pairs *pairs);
size_t gersh__pairs_samples(const gersh__pairs *pairs);
size_t gersh__pairs_features(const gersh__pairs *pairs);
gersh__pool *gersh__pairs_pool(const gersh__pairs *pairs); /* NULL: no threads */

/* Whether there are so many pairs that threads pay for what is done with all of them. */
int gersh__pairs_many(const gersh__pairs *pairs);

/* What objectives learn from. */
const gersh__supervision *gersh__pairs_supervision(const gersh__pairs *pairs);

/* Row of a sample in the data set. */
size_t gersh__pairs_row(const gersh__pairs *pairs, size_t sample);

/* The samples i[p] > j[p] of the `count` pairs from `begin` on. Differences (differences.h) have none. */
void gersh__pairs_ends(const gersh__pairs *pairs, size_t begin, size_t count, uint32_t *i, uint32_t *j);

/* The same of the listed pairs. */
void gersh__pairs_ends_of(const gersh__pairs *pairs, const size_t *pair, size_t count, uint32_t *i,
                          uint32_t *j);

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

/* Pairs that were sampled, one for each place. */
typedef struct gersh__pick {
    size_t pair;
    uint32_t i, j; /* its samples */
    double times;  /* draws of the pair; 0: an empty place */
} gersh__pick;

/*
 * `count` draws of pairs with chances in proportion to what `chances` writes for the pairs begin..end − 1, at equal distances
 * along their running sum. A pair takes one place, and as many more are left empty as it has draws more. *unit: how much of
 * the sum there is for each draw. Returns 0 where the sum is 0 or no number.
 */
typedef void (*gersh__pairs_chances)(void *context, size_t begin, size_t end, double *chance);
int gersh__pairs_subsample(gersh__pick *pick, double *unit, const gersh__pairs *pairs,
                           gersh__pairs_chances chances, void *context, size_t count);

/* Whether all features of two samples are the same. */
int gersh__pairs_coincide(const gersh__pairs *pairs, size_t i, size_t j);

/* The n values of feature f: in the pairs' own memory, or written into scratch (n entries). */
const double *gersh__pairs_column(const gersh__pairs *pairs, size_t f, double *scratch);

/* The features × samples values, feature by feature, where samples are dense; else NULL. */
const double *gersh__pairs_columns(const gersh__pairs *pairs);

/* The lists of the features where samples are sparse; else NULL. */
const gersh__sparse *gersh__pairs_lists(const gersh__pairs *pairs);

/* t = a x_i + b x_j of the features i and j, which may be one; n entries. */
void gersh__pairs_project(const gersh__pairs *pairs, size_t i, double a, size_t j, double b, double *t);

/*
 * t = X z for an atom or a vector of k entries. Its mean is taken off where it is to be seen in differences alone: they
 * stay, and less cancels in them.
 */
void gersh__pairs_project_atom(const gersh__pairs *pairs, gersh_atom z, double *t);
void gersh__pairs_project_vector(const gersh__pairs *pairs, const double *z, double *t);

/* Σ_i x_if y_i for n entries of y. */
double gersh__pairs_column_dot(const gersh__pairs *pairs, size_t f, const double *y);

/* The m vectors t of n entries each as n × m, times the square roots of weight unless NULL. */
void gersh__pairs_transpose(const gersh__pairs *pairs, size_t m, const double *t, const double *weight,
                            double *transposed);

/* Room for maps of so many atoms at a time. */
gersh_status gersh__pairs_reserve(const gersh__pairs *pairs, size_t atoms);

/* M = Σ_a weight_a z_a z_aᵀ of m atoms: their projections t = X z, n entries each with mean 0, and weights >= 0. */
typedef struct gersh__terms {
    size_t m;
    const gersh_atom *atom; /* of one or two features, or NULL: t alone */
    const double *t, *weight;
} gersh__terms;

/* d = base + D(M), with room for m atoms. base may be d. */
void gersh__pairs_squared_distances(const gersh__pairs *pairs, const gersh__terms *terms,
                                    const double *base, double *d);

/* The same where it takes less by features than by projections, which are not looked at, and 1; else 0. */
int gersh__pairs_metric_distances(const gersh__pairs *pairs, const gersh__terms *terms, const double *base,
                                  double *d);

/* d_p += factor · (t_i − t_j)² for every pair: the distances of the atom z zᵀ with t = X z. */
void gersh__pairs_add(const gersh__pairs *pairs, double factor, const double *t, double *d);

/* d_p = Σ_f (x_if − x_jf)²: the distances under the identity. */
void gersh__pairs_euclidean(const gersh__pairs *pairs, double *d);

/* The mean of these, over explicit pairs or differences, or over all pairs of samples. */
gersh_status gersh__pairs_mean(const gersh__pairs *pairs, double *mean);

/* y = L(g) v for `columns` vectors of n entries each (contiguous), so that D*(g) = Xᵀ L(g) X. y and v are different. */
void gersh__pairs_adjoint(const gersh__pairs *pairs, const double *g, size_t columns, const double *v,
                          double *y);

/* score_a = Σ_p g_p (t_ia − t_ja)² = z_aᵀ D*(g) z_a for the m atoms with the projections t; with room for m atoms. */
void gersh__pairs_scores(const gersh__pairs *pairs, const double *g, size_t m, const double *t,
                         double *score);

/*
 * Whether the scores of the last of m atoms of one or two features take less by entries of D*(g): `kept`, the product with
 * X is kept for the asking once it is made, `ready`, it is there.
 */
int gersh__pairs_scores_by_entries(const gersh__pairs *pairs, size_t m, int kept, int ready);

/* r_s += Σ_t |g_st| over the pairs of each sample. */
void gersh__pairs_sizes(const gersh__pairs *pairs, const double *g, double *r);

/*
 * h (m × m) = Σ_p c_p a_p a_pᵀ, a_p the vector of the m atoms' distances of pair p: (t_ia − t_ja)². t holds
 * the m projections of n entries each. Both triangles are filled.
 */
gersh_status gersh__pairs_gram(const gersh__pairs *pairs, const double *c, size_t m, const double *t,
                               double *h);

/*
 * The same for the second order of a step, which need not be exact, of |c_p|, all c_p being >= 0 or all <= 0: where
 * there are many pairs (gersh__pairs_estimates), some stand for all. Unless minus_mean is NULL, m entries, it is
 * Σ_p |c_p| (a_p − ā)(a_p − ā)ᵀ with ā = −minus_mean the mean Σ_p c_p a_p / Σ_p c_p.
 */
int gersh__pairs_estimates(const gersh__pairs *pairs);
gersh_status gersh__pairs_gram_estimate(const gersh__pairs *pairs, const double *c, size_t m,
                                        const double *t, const double *minus_mean, double *h);

/*
 * An estimate of Σ_p own_p (a_p − c_i)(a_p − c_i)ᵀ + other_p (a_p − c_j)(a_p − c_j)ᵀ, with own, other >= 0 and a centre c
 * for each sample (laid out as t), where all pairs are there.
 */
gersh_status gersh__pairs_spread_estimate(const gersh__pairs *pairs, const double *own, const double *other,
                                          size_t m, const double *t, const double *center, double *h);

/*
 * What chunks of anything add to a Gram matrix: to the lower triangle by columns of h (m × m, 0 at first), with room for
 * GERSH__GRAM_BLOCK rows of m numbers.
 */
enum { GERSH__GRAM_BLOCK = 256 };
typedef void (*gersh__gram_chunk)(void *context, size_t begin, size_t end, size_t m, double *rows,
                                  double *h);

/* h (m × m, both triangles) = factor · Σ over chunks of all comparisons. */
gersh_status gersh__comparisons_gram(const gersh__pairs *pairs, gersh__gram_chunk chunk, void *context,
                                     size_t m, double factor, double *h);

#endif
