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

/* Ranks the features by another kind, which the model must have. Contributions that are blind are divided by |Σ c|. */
GERSH_API gersh_status gersh_importance_choose(gersh_model *model, gersh_importance_kind kind);

#ifdef __cplusplus
}
#endif
#endif
