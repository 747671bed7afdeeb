/*
 * The importance of features: what each contributes to telling samples apart.
 *
 * The mean squared distance over a set of pairs is tr(M S), S the mean of ΔΔᵀ, and it splits over the features:
 * feature i has Σ_j M_ij S_ij of it. With S_b the mean over the pairs that are to be far apart and S_w over those that
 * are to be near each other, the contribution of feature i is c_i = Σ_j M_ij (S_b − S_w)_ij. Which pairs these are:
 *
 *   classes   S_b: pairs of different classes; S_w: pairs of the same class
 *   targets   S_b: all pairs, weighted by the squared difference of their targets; S_w: all pairs
 *   pairs     S_b: dissimilar pairs; S_w: similar pairs
 *   triplets, quadruplets   S_b: the pairs that are to be farther apart; S_w: those that are to be nearer
 *
 * A pair counts with the product of its samples' weights, a tuple with that of all of its samples. Noise contributes
 * about 0 whatever its weight M_ii, copies of a feature share its contribution, and units do not matter.
 */
#ifndef GERSH_IMPORTANCE_H
#define GERSH_IMPORTANCE_H

#include "gersh/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Contributions are second moments: they do not see classes that differ in none, such as an XOR of two features. Where
 * Σ c / tr(M S_b) is below this, they do not rank the features. Two classes whose means differ by δ standard deviations
 * along what the metric measures have δ² / (2 + δ²): 0.05 is a third of a standard deviation.
 */
#define GERSH_IMPORTANCE_BLIND 0.05

typedef enum gersh_importance_kind {
    GERSH_IMPORTANCE_WEIGHT,       /* M_ii, where neither of the others is known */
    GERSH_IMPORTANCE_CONTRIBUTION, /* c_i / Σ c */
    GERSH_IMPORTANCE_PERMUTATION   /* loss of accuracy on held-out samples when the feature is permuted */
} gersh_importance_kind;

GERSH_API const char *
gersh_importance_kind_name(gersh_importance_kind kind); /* "weight", ...; NULL for no kind */

typedef struct gersh_importance {
    gersh_importance_kind kind; /* what ranks the features; zero stands for M_ii */
    double *contribution; /* c_i of each feature; NULL where there are no pairs of one of the two kinds */
    double separation;    /* Σ c / tr(M S_b), at most 1; 0 without contributions */
    size_t splits;        /* that the permutation importance is of; 0: there is none */
    double score;         /* on held-out samples, mean over the splits: accuracy, of targets R² */
    double *permutation;  /* of each feature, what the score loses, mean over the splits; or NULL */
    double *deviation;    /* of that over the splits (n − 1), 0 for one split; or NULL */
} gersh_importance;

/*
 * What is known of the features' importance. It is computed by gersh_model_fit in O(N · entries of M), and when a file
 * is read that does not hold it, but the training samples. Never NULL; lives as long as the model.
 */
GERSH_API const gersh_importance *gersh_model_importance(const gersh_model *model);

/* Whether there are contributions that do not rank the features; see GERSH_IMPORTANCE_BLIND. */
GERSH_API int gersh_importance_is_blind(const gersh_importance *importance);

/*
 * What the features are ranked by, in the command line, the report and the bindings: `value` gets one number of each
 * feature, and what kind they are is returned. Of a new model that is its contribution as a share of their sum (where it
 * is blind, or there are none: M_ii).
 */
GERSH_API gersh_importance_kind gersh_importance_rank(double *value, const gersh_model *model);

/* Splits of gersh_importance_permute, and the share of the samples that each holds out. */
#define GERSH_IMPORTANCE_SPLITS 5
#define GERSH_IMPORTANCE_HELD_OUT 0.2

typedef struct gersh_importance_progress {
    size_t split, splits; /* which of them is at work, from 0 */
    size_t done, total;   /* held-out samples of this split; 0 of 0 while its metric is learned */
    double seconds;       /* since the first began */
} gersh_importance_progress;

typedef struct gersh_importance_options {
    void (*progress)(void *context,
                     const gersh_importance_progress *progress); /* in the caller's thread, or NULL */
    void *progress_context;
    const gersh_cancel *cancel; /* or NULL */
} gersh_importance_options;

/*
 * Permutation importance: on random splits of the training samples, which the model must hold, stratified by class, a
 * metric is learned from 80 % with the model's settings and edge rules, the k nearest neighbours (settings `neighbors`
 * and `votes`) predict the held-out rest, and then again with the values of one feature permuted among the held-out
 * samples. What the accuracy, or of targets R², loses is the importance of the feature; 0 where no atom of the metric has
 * it. Samples count by their weights. Features are ranked by it from then on.
 *
 * At most 1,000 samples are held out, and at most 20,000 others vote: O(1000 · 20,000 · features of the metric) for each
 * split, and the fits. `settings` are those that the model was fitted with; NULL: the model's own. The objective is the model's in any case. The setting `seed`
 * decides what is drawn; the result does not depend on the number of threads. Models of tuples or of a custom objective
 * have no samples to predict and are refused. A run that is cancelled leaves the model as it was. options may be NULL.
 */
GERSH_API gersh_status gersh_importance_permute(gersh_model *model, const gersh_settings *settings,
                                                const gersh_importance_options *options);

/* Ranks the features by another kind, which the model must have. Contributions that are blind are divided by |Σ c|. */
GERSH_API gersh_status gersh_importance_choose(gersh_model *model, gersh_importance_kind kind);

#ifdef __cplusplus
}
#endif
#endif
