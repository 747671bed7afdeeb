/*
 * The votes of nearest neighbours, and the one rule for ties that all predictions follow.
 *
 * Equal distances: the samples that are as far away as the k-th nearest share the places that are left for them. Where
 * r of the k places are left for m such samples, the vote of each is multiplied by r/m.
 *
 * Equal votes: of the classes with the most votes, the one with the largest total weight in the training samples wins,
 * and of several such classes the first one.
 *
 * Both are up to rounding, so that the order of the training samples does not matter; see gersh/predict.h.
 */
#ifndef GERSH_SRC_PREDICT_VOTES_H
#define GERSH_SRC_PREDICT_VOTES_H

#include "gersh/data.h"
#include "gersh/metric.h"

/* The training samples that vote on each test sample. */
typedef struct gersh__votes {
    const gersh_dataset *train;
    size_t columns;   /* sums of votes: one for each class; for targets Σ vote and Σ vote · target */
    size_t listed;    /* nearest training samples that are listed for each test sample */
    size_t *near;     /* tests × listed, nearest first */
    double *distance; /* their squared distances */
    size_t *tied;     /* of each test sample: how many are as far as the last listed; 0: all are listed */
    double *tied_sum; /* tests × columns: sums of their weights; NULL where there are none */
    double *running;  /* columns */
} gersh__votes;

/*
 * The neighbours of the test samples, for up to k votes; a k beyond the samples of train counts as their number. Both
 * data sets are scaled and dense, and all samples of train have a positive weight. metric may be NULL: Euclidean. train
 * must outlive the votes.
 */
gersh_status gersh__votes_find(gersh__votes *out, const gersh_metric *metric, const gersh_dataset *train,
                               const gersh_dataset *test, size_t k, int threads,
                               const gersh_cancel *cancel);
void gersh__votes_clear(gersh__votes *votes);

/*
 * The votes on a test sample for `count` numbers of neighbours, ascending: sum gets count × columns. A vote is the
 * weight of the sample, or by_distance its weight over its distance, up to a common factor; where samples are at distance
 * 0, only these vote by distance. One call at a time.
 */
void gersh__votes_count(double *sum, const gersh__votes *votes, size_t sample, int by_distance,
                        size_t count, const size_t *k);

/*
 * The same for one k from the squared distances d of the first `rows` training samples: sum gets one number for each
 * class, or for targets Σ vote and Σ vote · target. near has room for k numbers; 1 <= k <= rows.
 */
void gersh__votes_direct(double *sum, const gersh_dataset *train, size_t rows, const double *d, size_t k,
                         int by_distance, double *near);

/* The weight of a sample: 1 where there are no weights. */
double gersh__sample_weight(const gersh_dataset *data, size_t sample);

/* The total weight of each class. */
void gersh__class_weights(double *weight, const gersh_dataset *train);

/* A relative difference of votes, of total weights, and of distances to means that is taken for rounding. */
#define GERSH__EQUAL_VOTES 1e-9

/* The class with the most votes; of those equal up to a relative `tolerance`, as the rule above says. */
int gersh__winner(const double *vote, const double *class_weight, size_t classes, double tolerance);

#endif
