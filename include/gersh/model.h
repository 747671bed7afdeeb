/*
 * Models: a learned metric with all that is needed to use it and to check it: the scaling, the names of
 * features and classes, the training rows, the settings and the certificate. One file holds a model; its
 * layout is in docs/model-file.md.
 */
#ifndef GERSH_MODEL_H
#define GERSH_MODEL_H

#include "gersh/fit.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gersh_model gersh_model;

/*
 * Learns from data that is not scaled: fits the scaling that the setting `scale` names, and then the metric
 * to the scaled rows. Real-valued targets are standardised: less their mean, divided by their sample
 * deviation. The weights are those of the options, else those of the data set. settings, options and info
 * may be NULL.
 *
 * With classes, the metric is compared with the Euclidean one (gersh_training_accuracy). Where the objective is auto and
 * the metric of mcml is not better, or its contributions are blind (gersh/importance.h), a metric is learned with glr too,
 * and kept if it classifies better than that of mcml. The seconds of info are then those of both fits.
 */
GERSH_API gersh_status gersh_model_fit(gersh_model **out, gersh_fit_info *info, const gersh_dataset *data,
                                       const gersh_settings *settings, const gersh_fit_options *options);
GERSH_API void gersh_model_free(gersh_model *model);

/*
 * Writes the model, with its training rows unless with_data is 0. The file appears whole or not at all: an
 * old file of that name stays until the new one is complete.
 */
GERSH_API gersh_status gersh_model_write(const gersh_model *model, const char *path, int with_data);

/* Reads what gersh_model_write wrote; everything in the file is checked. "-" is standard input. */
GERSH_API gersh_status gersh_model_read(gersh_model **out, const char *path);

/* The file of gersh_model_write in memory; *bytes is the caller's (free()). And a model from such bytes. */
GERSH_API gersh_status gersh_model_pack(char **bytes, size_t *size, const gersh_model *model,
                                        int with_data);
GERSH_API gersh_status gersh_model_unpack(gersh_model **out, const char *bytes, size_t size);

GERSH_API const gersh_metric *gersh_model_metric(const gersh_model *model);
/* What maps samples to the features of the metric; these have the names that gersh_scaling_feature_name says. */
GERSH_API const gersh_scaling *gersh_model_scaling(const gersh_model *model);
GERSH_API const gersh_fit_info *gersh_model_info(const gersh_model *model);

/* Of a difference of two classifiers, the chance by which it counts as one: McNemar's exact test, one-sided. */
#define GERSH_ACCURACY_LEVEL 0.01

/*
 * How the nearest neighbours classify the training samples, under the metric and under the Euclidean metric of the scaled
 * features: 10-fold, as the settings `neighbors` and `votes` say. The metric was learned from these samples, so that its
 * accuracy is that of samples it knows, and too high by what it overfits: whether it is worse can be trusted more than
 * whether it is better. What to expect of new samples is what gersh_evaluate measures.
 */
typedef struct gersh_training_accuracy {
    size_t
        samples; /* of positive weight that were classified: all, or a random part of many. 0: not compared, as without
                       classes, with tuples or a custom objective, or where the fit was cut short */
    double accuracy;  /* share that is right under the metric */
    double euclidean; /* and under the Euclidean metric */
    int verdict; /* 1: the metric is better than the Euclidean one, beyond chance; -1: worse; 0: neither */
    int automatic;         /* the objective was left to auto */
    int switched;          /* which learned with another objective than mcml, that was better */
    const char *other;     /* the objective that auto learned with too, and did not keep; NULL: none */
    double other_accuracy; /* of that; 0 where there is none */
} gersh_training_accuracy;

/* Never NULL; lives as long as the model. */
GERSH_API const gersh_training_accuracy *gersh_model_training_accuracy(const gersh_model *model);

/*
 * The history of the fit: what its progress callback was told, evenly thinned to at most GERSH_TRAJECTORY_POINTS steps;
 * the first and the last are among them. A bound that is not finite is none. NULL, and *count 0, where the fit took no
 * steps, or the model's file holds none. count may be NULL.
 */
#define GERSH_TRAJECTORY_POINTS 200
GERSH_API const gersh_progress *gersh_model_trajectory(const gersh_model *model, size_t *count);

GERSH_API const gersh_settings *gersh_model_settings(const gersh_model *model); /* those of the fit */

/* The objective of the fit, of the name "custom" where it was one of the user's own, and its solver. */
GERSH_API const gersh_objective_info *gersh_model_objective(const gersh_model *model);
GERSH_API const gersh_solver_info *gersh_model_solver(const gersh_model *model);
GERSH_API const char *gersh_model_version(const gersh_model *model); /* of the gersh that fitted it */
/* "classify" or "regress" by the labels of the training rows; "none" where they had none. */
GERSH_API const char *gersh_model_task(const gersh_model *model);
GERSH_API int gersh_model_is_custom(const gersh_model *model);   /* fitted to a custom objective */
GERSH_API size_t gersh_model_rows(const gersh_model *model);     /* that it was fitted to */
GERSH_API size_t gersh_model_features(const gersh_model *model); /* of the data, before scaling */
GERSH_API const char *gersh_model_feature_name(const gersh_model *model, size_t feature);
GERSH_API size_t gersh_model_classes(const gersh_model *model); /* 0 without class labels */
GERSH_API const char *gersh_model_class_name(const gersh_model *model, size_t which);

/* The training rows, not scaled, with their labels, targets and weights; NULL when they were left out. */
GERSH_API const gersh_dataset *gersh_model_data(const gersh_model *model);

/* The tuples that it was fitted to, or NULL; and the edge rules, *count of them, or NULL. count may be NULL. */
GERSH_API const gersh_tuples *gersh_model_tuples(const gersh_model *model);
GERSH_API const gersh_edge_rule *gersh_model_rules(const gersh_model *model, size_t *count);

/* 1 (blue) or −1 (red) of each feature, or NULL when the metric's graph is not balanced. */
GERSH_API const int *gersh_model_colors(const gersh_model *model);

/* Fails unless the data set has the model's features, by name and in its order. */
GERSH_API gersh_status gersh_model_check_data(const gersh_model *model, const gersh_dataset *data);

GERSH_API const char *gersh_edge_kind_name(gersh_edge_kind kind); /* "allowed", ...; NULL for no kind */

/*
 * Reads edge rules from a CSV file without a header: two features, by name or by position from 1, and one
 * of allowed, forbidden, positive, negative. *rules is the caller's (free()).
 */
GERSH_API gersh_status gersh_edge_rules_read(gersh_edge_rule **rules, size_t *count, const char *path,
                                             const gersh_dataset *data);

/* What the metric's signed graph looks like. */
typedef struct gersh_model_summary {
    gersh_graph *graph;
    gersh_balance *balance;
    size_t negative_edges;
    double lambda_min;
    double trace;
    double *
        correlation; /* of each entry of the graph, as gersh_model_correlations has them; NULL without samples */
} gersh_model_summary;

/*
 * The correlation (Pearson, by the samples' weights) of two features in the training samples, not scaled, for each entry
 * of a graph of the model's features: `out` has 2 · edges numbers, in the order of graph->neighbor. NaN where a feature is
 * constant, or the model does not hold the samples. O(N · edges).
 */
GERSH_API gersh_status gersh_model_correlations(double *out, const gersh_model *model,
                                                const gersh_graph *graph);

GERSH_API gersh_status gersh_model_summarize(gersh_model_summary **out, const gersh_model *model);
GERSH_API void gersh_model_summary_free(gersh_model_summary *summary);

typedef enum gersh_check_result {
    GERSH_CHECK_FAILED,
    GERSH_CHECK_PASSED,
    GERSH_CHECK_SKIPPED /* it could not be checked; the sentence says why */
} gersh_check_result;

GERSH_API const char *
gersh_check_result_name(gersh_check_result result); /* "failed", "passed", "not checked" */

#define GERSH_CHECK_SENTENCE 200
#define GERSH_CHECKS 16

/* One thing that was checked. A number that there is none of is not a number (NaN). */
typedef struct gersh_check {
    const char *name; /* "objective value", "bound", ... */
    gersh_check_result result;
    double stated, recomputed; /* what the model says, and what was found */
    double tolerance;          /* by how much they may differ, or the one exceed the other */
    char sentence[GERSH_CHECK_SENTENCE];
} gersh_check;

typedef enum gersh_verification_verdict {
    GERSH_VERIFICATION_FAILED,   /* a check failed: do not trust the model */
    GERSH_VERIFICATION_VERIFIED, /* all checks passed */
    GERSH_VERIFICATION_PARTIAL   /* none failed, but not everything could be checked */
} gersh_verification_verdict;

GERSH_API const char *gersh_verification_verdict_name(
    gersh_verification_verdict verdict); /* "FAILED", "verified", "not fully checked" */

typedef struct gersh_verification {
    gersh_verification_verdict verdict;
    size_t count;
    gersh_check check[GERSH_CHECKS];
} gersh_verification;

/*
 * Checks the model from the definitions alone, with none of the code that fitted it, on the training samples in the model
 * or on `data`, which is not scaled and must be what the model was fitted to (its digest is compared). Checked are: the
 * scaling, C and ρ against the settings; the signs, colours, edge rules, smallest eigenvalue and trace of M; the objective's
 * value at M; the bound, from one gradient at the witness and one linear minimum over the set of metrics that the bound is
 * for; the gap, and the contributions of the features. What cannot be checked says why: no samples, sampled pairs, a custom
 * objective. A failed check is a result, not an error.
 *
 * data may be NULL. The model is only read, so threads may share it. O(N² K + N K² + K³) at most, and memory for a copy of
 * the samples and their gradient.
 */
GERSH_API gersh_status gersh_model_verify(gersh_verification *report, const gersh_model *model,
                                          const gersh_dataset *data);

/*
 * How the certificate is known: the verdict of a verification; without one (NULL) "certified" by the fit that made this
 * model, or "stated" by the file that it was read from. Never NULL.
 */
GERSH_API const char *gersh_model_standing(const gersh_model *model,
                                           const gersh_verification *verification);

/* How near the value is to the best possible, and how that is known, in words for people. Returns text. */
#define GERSH_CERTAINTY_SIZE 256
GERSH_API const char *gersh_model_certainty(char *text, size_t size, const gersh_model *model,
                                            const gersh_verification *verification);

#ifdef __cplusplus
}
#endif
#endif
