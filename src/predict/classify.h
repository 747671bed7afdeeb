/* Classifiers that use a metric. A classifier is one file with a gersh__classifier, and its name in registry.c. */
#ifndef GERSH_SRC_PREDICT_CLASSIFY_H
#define GERSH_SRC_PREDICT_CLASSIFY_H

#include "gersh/data.h"
#include "gersh/metric.h"
#include "gersh/predict.h"

/* Who votes: the k nearest rows, each with its weight, or by_distance with its weight over the distance. */
typedef struct gersh__voters {
    size_t k;
    int by_distance;
} gersh__voters;

/*
 * What a classifier gets: scaled rows. Every row of `train` has a positive weight, or there are no weights.
 */
typedef struct gersh__classify_task {
    const gersh_metric *metric; /* NULL: Euclidean */
    const gersh_dataset *train, *test;
    gersh__voters voters; /* k from 1 to the rows of train */
    int threads;
    const gersh_cancel *cancel;
} gersh__classify_task;

typedef struct gersh__classifier {
    gersh_classifier_info info;

    /*
     * Fills in the class of each test row and, unless proba is NULL, test rows × classes, its probabilities, which are 0
     * before.
     */
    gersh_status (*classify)(int *label, double *proba, const gersh__classify_task *task);

    /* Fills in the value of each test row from the targets of train; NULL where it does not regress. */
    gersh_status (*regress)(double *value, const gersh__classify_task *task);
} gersh__classifier;

/* Those that others, or tests, mean by themselves. */
extern const gersh__classifier gersh__classifier_knn, gersh__classifier_mahalanobis,
    gersh__classifier_graph;

/* The classifiers one after the other, from 0; NULL beyond the last. */
const gersh__classifier *gersh__classifier_at(size_t index);

/* NULL when there is no such name. */
const gersh__classifier *gersh__classifier_find(const char *name);

/*
 * The class of each row of test, numbered as in train, whose rows have class labels; proba, unless NULL,
 * gets test rows × classes of train. Both data sets are scaled. A k beyond the rows of train counts as
 * their number. Rows of weight 0 do not count. threads = 0: one for each core. cancel may be NULL.
 */
gersh_status gersh__classify(int *label, double *proba, const gersh__classifier *kind,
                             const gersh_metric *metric, const gersh_dataset *train,
                             const gersh_dataset *test, gersh__voters voters, int threads,
                             const gersh_cancel *cancel);

/* The same for targets. */
gersh_status gersh__regress(double *value, const gersh__classifier *kind, const gersh_metric *metric,
                            const gersh_dataset *train, const gersh_dataset *test, gersh__voters voters,
                            int threads, const gersh_cancel *cancel);

/* The rows of positive weight in a new data set, or NULL where all are. */
gersh_status gersh__drop_weightless(gersh_dataset **out, const gersh_dataset *train);

/* How much the classifier `graph` may take. */
typedef struct gersh__graph_limits {
    size_t kept_bytes; /* of the distances of new rows; beyond, they are computed for each product */
    size_t eliminated; /* rows that are solved for by elimination; beyond, they are swept over */
} gersh__graph_limits;

gersh_status gersh__classify_graph(int *label, double *proba, const gersh__classify_task *task,
                                   const gersh__graph_limits *limits);

#endif
