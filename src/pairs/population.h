/*
 * The rows that a fit to many samples draws from: those whose weight is above 0, in the order of their
 * classes, and how many pairs they have. Sampled pairs carry shares, the number of pairs of the population that
 * each stands for, so that sums over them are unbiased estimates of sums over all pairs.
 */
#ifndef GERSH_SRC_PAIRS_POPULATION_H
#define GERSH_SRC_PAIRS_POPULATION_H

#include "base/random.h"
#include "gersh/metric.h"
#include "pairs/pairs.h"

/*
 * Rows that lmnn is learned from at most. Its impostors are as many as there are rows: with more of them the pull of
 * targets counts for less and less, and the search for neighbours takes longer.
 */

typedef struct gersh__population {
    const gersh_dataset *data; /* scaled; not owned */
    const double *weight;      /* of each row of the data, or NULL; not owned */
    size_t n;
    size_t *row;         /* rows of the data, by class */
    size_t classes;      /* 0 without classes */
    size_t *class_start; /* classes + 1, or 2 without classes */
    double similar;      /* pairs of one class, */
    double dissimilar;   /* and of two; without classes all pairs are here */
    double mean_square;  /* squared Euclidean distance of two rows, on average over all pairs */
    double *center;      /* of the features */
    int limited;         /* some rows were left out */

    /* Made by gersh__population_set_metric: */
    const gersh_metric *metric; /* that neighbours are looked for under */
    float *point;               /* n × features: the rows, less their mean */
    float *square, *norm;       /* of each point x: x·x, and x·M x */
} gersh__population;

gersh_status gersh__population_new(gersh__population **out, const gersh_dataset *data,
                                   const double *weight);
void gersh__population_free(gersh__population *population);

/* Keeps about `most` rows at random, where there are more: the same share of each class, and at least one row of it. */
void gersh__population_limit(gersh__population *population, size_t most, gersh__random *random);

/* Makes ready for searches under the metric, which must outlast them. */
gersh_status gersh__population_set_metric(gersh__population *population, const gersh_metric *metric,
                                          gersh__pool *pool);

/* Which pairs a sum is over. */
typedef struct gersh__wanted {
    int similar, dissimilar;
} gersh__wanted;

/*
 * About `count` pairs, as many of one class as of two where both are wanted. Random rows are dealt out to
 * small groups, and pairs are taken from within groups, every pair of the population being as likely as any
 * other of its sort.
 */
gersh_status gersh__pairs_new_sampled(gersh__pairs **out, const gersh__population *population,
                                      gersh__wanted wanted, size_t count, gersh__random *random,
                                      gersh__pool *pool);

/*
 * Triplets for lmnn with about `count` pairs. Anchors are random rows of each class, all where they are few
 * enough, each with its targets, the nearest rows of its class by Euclidean distance. Impostors are
 * the rows of other classes nearest under the metric that the population aims at, so far as they are within the margin or little beyond,
 * and some random ones, which stand for all the rest.
 *
 * The value of lmnn is then an unbiased estimate of that over all triplets, at every metric. *complete says
 * that at this metric it is that value: all rows are anchors, and no impostor within the margin was left out.
 */
gersh_status gersh__pairs_new_mined(gersh__pairs **out, int *complete, const gersh__population *population,
                                    size_t count, gersh__random *random, gersh__pool *pool);

#endif
