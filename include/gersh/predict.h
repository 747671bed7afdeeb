/*
 * Using a model on new rows: data brought to the model's features, and predictions of labels or targets.
 */
#ifndef GERSH_PREDICT_H
#define GERSH_PREDICT_H

#include "gersh/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Data with the features of a model. */
typedef struct gersh_matched {
    gersh_dataset *data; /* the model's features in its order, not scaled, and labels, if there are any */
    size_t ignored;      /* columns that the model does not know */
    char **ignored_name;
} gersh_matched;

/*
 * Puts the features of data into the model's order, by name. Unknown ones are left out and listed; a
 * missing one is an error that names it. Of a text column that became 0/1 features, a value that does not
 * occur in data is 0 in all rows. Names that are x1, x2, ... in the model or in data stand for columns
 * without names: where they do not agree and there are as many in both, features go by position. Values that
 * were missing and that the mean was to be put for (the setting `missing`) are the means of the rows that the model
 * learned from, so that a row does not depend on the rows that it comes with.
 */
GERSH_API gersh_status gersh_match_data(gersh_matched **out, const gersh_model *model,
                                        const gersh_dataset *data);

/*
 * Reads a file for the same end; "-" is standard input. Columns go by name, and by position where the file
 * or the model has no names: there must then be as many as the model has, or one more, which holds the
 * labels. In a LIBSVM file features that are not listed are 0.
 *
 * The label column is the one that the setting `label` names if it is given, or the file that `labels`
 * names. Else it is where the model's own label was (by name, by position, or last), if that column is no
 * feature of the model and holds at least one of the model's classes, or numbers for a model of real-valued
 * targets. `missing` and `categorical` are the model's own unless given. settings may be NULL.
 */
GERSH_API gersh_status gersh_match_file(gersh_matched **out, const gersh_model *model, const char *path,
                                        const gersh_settings *settings);
GERSH_API void gersh_matched_free(gersh_matched *matched);

/* What is true of a classifier. Constant: threads may share it, and nobody frees it. */
typedef struct gersh_classifier_info {
    const char *name; /* as in the setting `classifier` */
    const char *help; /* a line for lists */
    int votes;        /* the nearest rows vote: it reads the settings `neighbors` and `votes` */
    int regresses;    /* it predicts real-valued targets too */
} gersh_classifier_info;

/* The classifiers one after the other, from 0, in the order of the setting's choices; NULL beyond the last. */
GERSH_API const gersh_classifier_info *gersh_classifier_at(int index);

/* The one of that name; NULL where there is none. */
GERSH_API const gersh_classifier_info *gersh_classifier_find(const char *name);

typedef struct gersh_predict_options {
    const gersh_cancel *cancel; /* or NULL */
    int labels_only;            /* no probabilities, which take rows × classes numbers: proba is NULL */
} gersh_predict_options;

/* How many rows of one label were predicted as of one class. */
typedef struct gersh_confusion {
    size_t label;     /* a class of the model, or classes + u for unknown label u */
    size_t predicted; /* a class of the model */
    size_t rows;      /* at least 1 */
} gersh_confusion;

typedef struct gersh_prediction {
    size_t rows;
    size_t classes; /* of the model; 0 for real-valued targets */
    int *label;     /* class of each row, or NULL for targets */
    double *proba;  /* rows × classes, or NULL */
    double *value;  /* of each row, or NULL for classes */

    int has_truth; /* the data has labels, or targets: what follows is how good the predictions are */
    double accuracy;
    double balanced_accuracy; /* the mean over the labels of the data of the share that is right */
    size_t unknown;           /* labels of the data that are no classes of the model: always wrong */
    char **unknown_label;
    size_t unknown_rows;        /* with one of these */
    int *truth;                 /* of each row: a class of the model, or classes + u for unknown label u */
    size_t confusions;          /* pairs of label and predicted class that occur: at most as many as rows */
    gersh_confusion *confusion; /* these, ascending by label, then by predicted class */
    double r2, rmse;            /* of targets; r2 is not a number where all targets are the same */

    size_t ignored; /* features of the data that the model does not know */
    char **ignored_name;
} gersh_prediction;

/*
 * Predicts from the model's training rows, which it must hold, as the settings of the group
 * GERSH_SETTINGS_USE say, the model's own where these are not given. data is not scaled; gersh_match_data
 * brings it to the model's features. settings and options may be NULL.
 *
 * Ties. Training samples that are as far away as the k-th nearest share the places left among the k: where r places are
 * left for m such samples, the vote of each is multiplied by r/m. Of classes with equally many votes, the one with the
 * larger total weight in the training samples wins, and if these weights are equal too, the first in the order of the
 * classes (numbers by value, other names by bytes). Equal means equal up to rounding: squared distances within 1e-10 of
 * their size (or 0, if below 1e-20 tr(M) ‖x − y‖²), votes and weights within 1e-9. So predictions do not depend on the
 * order of the training samples. The classifiers `mahalanobis` and `graph` choose in the same way between classes whose
 * means are equally far away (within 1e-9) or whose probabilities are equal (within 1e-6). gersh_evaluate and gersh_tune
 * count votes by the same rule.
 */
GERSH_API gersh_status gersh_predict(gersh_prediction **out, const gersh_model *model,
                                     const gersh_dataset *data, const gersh_settings *settings,
                                     const gersh_predict_options *options);
GERSH_API void gersh_prediction_free(gersh_prediction *prediction);

#ifdef __cplusplus
}
#endif
#endif
