/* The data set's fields, and making one from a table; see gersh/data.h. */
#ifndef GERSH_SRC_DATA_DATASET_H
#define GERSH_SRC_DATA_DATASET_H

#include "data/table.h"
#include "gersh/data.h"

struct gersh_dataset {
    size_t n, k;
    double *x;             /* n × k by rows; NULL: the values are in `sparse` */
    gersh__sparse *sparse; /* a list for each row; NULL: the values are in `x` */
    char **feature_names;  /* k, none NULL */
    size_t classes;
    char **class_names; /* classes, in order: by value when all are numbers, else by bytes */
    char *label_name;   /* of the column that labels or targets came from, or NULL */
    int *labels;        /* n, or NULL */
    double *targets;    /* n, or NULL */
    double *weights;    /* n, at least 0 and not all 0, or NULL: all 1 */
    const char *format;
    size_t filled;
    unsigned char *missing; /* n × k: 1 where --missing mean filled the value in; NULL: nowhere */
};

/* For what needs x: where *data is sparse, *own becomes a dense copy of it, and *data points there; else *own is NULL. */
gersh_status gersh__dataset_dense(gersh_dataset **own, const gersh_dataset **data);

/*
 * Fills in the values that were missing anew, with the means of what is there in the training rows; a feature that
 * has no value there becomes 0. Both data sets are parts of the same one.
 */
gersh_status gersh__dataset_refill(gersh_dataset *train, gersh_dataset *test);

/*
 * Selects the label column, leaves out ignored ones, turns text columns into 0/1 features or refuses
 * them, and fills or refuses missing values, as the settings say. `labels`, from the setting of that
 * name, is a one-column table with the labels, or NULL.
 */
gersh_status gersh__dataset_from_table(gersh_dataset **out, const gersh__table *table,
                                       const gersh__table *labels, const gersh_settings *settings);

#endif
