/*
 * What objectives learn from: classes, targets and weights of the samples, which pairs are similar, or comparisons of
 * pairs. Samples and pairs have the numbers that they have in the gersh__pairs it belongs to.
 */
#ifndef GERSH_SRC_PAIRS_SUPERVISION_H
#define GERSH_SRC_PAIRS_SUPERVISION_H

#include "base/threads.h"
#include "gersh/objective.h"
#include "gersh/tuples.h"

/* What is known of the samples, as bits: objectives say which of these they can learn from. */
typedef enum gersh__source {
    GERSH__CLASSES = GERSH_SUPERVISION_CLASSES,
    GERSH__TARGETS = GERSH_SUPERVISION_TARGETS,
    GERSH__PAIRS = GERSH_SUPERVISION_PAIRS,
    GERSH__TRIPLETS = GERSH_SUPERVISION_TRIPLETS,
    GERSH__QUADRUPLETS = GERSH_SUPERVISION_QUADRUPLETS,
    GERSH__NOTHING = 2 * GERSH__QUADRUPLETS
} gersh__source;

/* lmnn: targets of a sample, and the weight of its hinges, that of the targets' distances being the rest. */
enum { GERSH__LMNN_TARGETS = 3 };
#define GERSH__LMNN_MU 0.5

typedef struct gersh__supervision gersh__supervision;

gersh__source gersh__supervision_source(const gersh__supervision *supervision);

/* Of each sample, 0 at least; NULL: all 1. */
const double *gersh__supervision_weights(const gersh__supervision *supervision);
double gersh__supervision_weight(const gersh__supervision *supervision, size_t sample);

/* Real-valued target of each sample, or NULL. */
const double *gersh__supervision_targets(const gersh__supervision *supervision);

/* Number of classes, 0 without them; the samples of class c are (*start)[c]..(*start)[c + 1]. */
size_t gersh__supervision_classes(const gersh__supervision *supervision, const size_t **start);

/* Class of a sample; 0 without classes. */
size_t gersh__supervision_class(const gersh__supervision *supervision, size_t sample);

/* Of each pair whether it is similar, where tuples say so or it was sampled; NULL: by the classes. */
const int *gersh__supervision_similarity(const gersh__supervision *supervision);

/* Whether pair p, of the samples i and j, is similar, and its weight: that of its samples, times its importance weight. */
int gersh__supervision_similar(const gersh__supervision *supervision, size_t p, size_t i, size_t j);
double gersh__supervision_pair_weight(const gersh__supervision *supervision, size_t p, size_t i, size_t j);

/* Whether pairs have other weights than 1. */
int gersh__supervision_weighted(const gersh__supervision *supervision);

/* Whether it is known beforehand that no pair is similar. */
int gersh__supervision_all_dissimilar(const gersh__supervision *supervision);

/* A class of the population that pairs were sampled from. */
typedef struct gersh__stratum {
    size_t rows;
    double weight, heaviest; /* of the rows together, and the largest of one, */
    double rest;             /* and of all but one that has it */
} gersh__stratum;

/* The strata and that of each sample, where pairs were sampled by class; else NULL. */
const gersh__stratum *gersh__supervision_strata(const gersh__supervision *supervision, size_t *count,
                                                const size_t **of_sample);

/* Rows or anchors that were sampled one by one, where the pairs are a sample; else 0. */
double gersh__supervision_units(const gersh__supervision *supervision);

/* Triplets or quadruplets as numbers of pairs: d[near] is to be below d[far]. */
typedef struct gersh__comparisons {
    size_t count;
    size_t *near, *far;
    size_t *anchor; /* sample that both pairs of a triplet share; NULL for quadruplets */
    double *weight; /* product of the weights of the tuple's rows */
    double *pull;   /* of each pair: the factor of its distance in lmnn; NULL: by the tuples */
} gersh__comparisons;

/* NULL: there are none. */
const gersh__comparisons *gersh__supervision_comparisons(const gersh__supervision *supervision);

/*
 * A loop over all comparisons, in chunks begin..end side by side. No pair occurs in two chunks. Each adds to sums of its
 * own, `width` of them, 0 at first, which are then added to `sums` in the order of the chunks.
 */
enum { GERSH__MOST_SUMS = 4 };
typedef void (*gersh__comparisons_chunk)(void *context, size_t begin, size_t end, double *sums);

void gersh__comparisons_reduce(const gersh__supervision *supervision, gersh__pool *pool, size_t width,
                               gersh__comparisons_chunk chunk, void *context, double *sums);

#endif
