/*
 * Data sets: samples in rows, features in columns, and labels; scaling, splits and principal components.
 */
#ifndef GERSH_DATA_H
#define GERSH_DATA_H

#include "gersh/base.h"
#include "gersh/settings.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gersh_dataset gersh_dataset;

/*
 * Reads a file (CSV, TSV, semicolon- or blank-separated text, LIBSVM, ARFF, NPY; any of them gzipped) as
 * the settings of the group GERSH_SETTINGS_READ say. settings may be NULL.
 */
GERSH_API gersh_status gersh_dataset_read(gersh_dataset **out, const char *path,
                                          const gersh_settings *settings);

/*
 * Copies n rows of k features (row by row, `stride` doubles from one row to the next). At most one of
 * `labels` (class labels as text, one a row) and `targets` (real values) is given. feature_names may be
 * NULL: "x1", "x2", ...; no two of them are the same, and none is empty. All values must be finite.
 */
GERSH_API gersh_status gersh_dataset_new(gersh_dataset **out, size_t n, size_t k, const double *x,
                                         size_t stride, const char *const *labels, const double *targets,
                                         const char *const *feature_names);
GERSH_API void gersh_dataset_free(gersh_dataset *data);

/* The given rows, in the given order, with all classes and names kept. */
GERSH_API gersh_status gersh_dataset_subset(gersh_dataset **out, const gersh_dataset *data,
                                            const size_t *rows, size_t count);

GERSH_API gersh_status gersh_dataset_copy(gersh_dataset **out, const gersh_dataset *data);

/* Gives every row a weight: finite, at least 0, and not all 0. NULL takes the weights away: all are 1. */
GERSH_API gersh_status gersh_dataset_set_weights(gersh_dataset *data, const double *weights);

/* Whether a metric can be learned from it: two rows at least, and two classes or two different targets. */
GERSH_API gersh_status gersh_dataset_check(const gersh_dataset *data);

GERSH_API size_t gersh_dataset_rows(const gersh_dataset *data);
GERSH_API size_t gersh_dataset_features(const gersh_dataset *data);
/*
 * The values, rows × features, by rows; NULL where the data is sparse: a LIBSVM file of more than 512 features that
 * names at most a quarter of its values is kept so.
 */
GERSH_API const double *gersh_dataset_values(const gersh_dataset *data);
/*
 * Makes sparse data dense, so that its values can be had; dense data stays as it is. No function needs this: those that
 * work on dense values make a copy of sparse data. What is computed from the data afterwards can differ in the last
 * digits, as sums are taken in another order.
 */
GERSH_API gersh_status gersh_dataset_densify(gersh_dataset *data);
GERSH_API const char *gersh_dataset_feature_name(const gersh_dataset *data, size_t feature);
GERSH_API size_t gersh_dataset_classes(const gersh_dataset *data); /* 0 without class labels */
GERSH_API const char *gersh_dataset_class_name(const gersh_dataset *data, size_t which);
/* The name or "column N" of the file's column that labels or targets came from; NULL where there was none. */
GERSH_API const char *gersh_dataset_label_name(const gersh_dataset *data);
GERSH_API const int *gersh_dataset_labels(const gersh_dataset *data);     /* class of each row, or NULL */
GERSH_API const double *gersh_dataset_targets(const gersh_dataset *data); /* target of each row, or NULL */
GERSH_API const double *gersh_dataset_weights(const gersh_dataset *data); /* weight of each row, or NULL */
GERSH_API const char *gersh_dataset_format(const gersh_dataset *data);    /* "csv", ...; "memory" */
GERSH_API size_t gersh_dataset_filled(const gersh_dataset *data);         /* missing values filled in */

/*
 * What samples go through before a metric is learned from them: a list of feature maps, in order. There are
 *   "scale"        x ↦ (x − mean) / scale of every feature; a constant feature has scale 1, so that it becomes 0.
 *                  Its vectors are "mean" and "scale";
 *   "unit length"  each sample divided by its length; a zero sample stays.
 */
typedef struct gersh_scaling gersh_scaling;

/*
 * Fits the maps that the value `how` of the setting `scale` asks for: "zscore", "scale" with sample deviations (n − 1);
 * "paper", the same and then "unit length"; "none", "scale" that leaves everything as it is.
 */
GERSH_API gersh_status gersh_scaling_fit(gersh_scaling **out, const gersh_dataset *data, const char *how);

/* Maps the data in place. Where it fails, the data may have gone through some of the maps. */
GERSH_API gersh_status gersh_scaling_apply(const gersh_scaling *scaling, gersh_dataset *data);
GERSH_API void gersh_scaling_free(gersh_scaling *scaling);

/* Numbers of features before and after, and the names of those after; NULL for a number beyond them. */
GERSH_API size_t gersh_scaling_inputs(const gersh_scaling *scaling);
GERSH_API size_t gersh_scaling_width(const gersh_scaling *scaling);
GERSH_API const char *gersh_scaling_feature_name(const gersh_scaling *scaling, size_t feature);

/* How many maps there are, their names, and a vector that one of them has learned; NULL where there is none. */
GERSH_API size_t gersh_scaling_maps(const gersh_scaling *scaling);
GERSH_API const char *gersh_scaling_map_name(const gersh_scaling *scaling, size_t map);
GERSH_API const double *gersh_scaling_vector(const gersh_scaling *scaling, const char *name);

/* A division of rows into numbered parts: folds, or 0 (train) and 1 (test). */
typedef struct gersh_split {
    size_t rows;
    int parts;
    int *part; /* part of each row */
} gersh_split;

/*
 * `folds` folds of nearly equal size, stratified: of every class, the folds' counts differ by at most one.
 * Without class labels, plain random folds.
 */
GERSH_API gersh_status gersh_split_folds(gersh_split **out, const gersh_dataset *data, int folds,
                                         uint64_t seed);

/*
 * A stratified train/test split: round(test_share × rows) test rows, spread over the classes by largest
 * remainder. Repeated splits are those of seeds seed, seed + 1, ...
 */
GERSH_API gersh_status gersh_split_test(gersh_split **out, const gersh_dataset *data, double test_share,
                                        uint64_t seed);
GERSH_API void gersh_split_free(gersh_split *split);

/* The rows in (inside = 1) or not in (inside = 0) the part, ascending: *rows is the caller's (free()). */
GERSH_API gersh_status gersh_split_rows(size_t **rows, size_t *count, const gersh_split *split, int part,
                                        int inside);

/*
 * Principal components: `components` orthonormal directions by rows, of decreasing variance; each
 * direction's largest entry is positive.
 */
typedef struct gersh_pca {
    size_t features;
    size_t components;
    double *mean;
    double *direction; /* components × features */
    double *variance;  /* along each direction (n − 1) */
} gersh_pca;

GERSH_API gersh_status gersh_pca_fit(gersh_pca **out, const gersh_dataset *data, size_t components);
/* The data in the space of the components; features are named "pc1", "pc2", ... */
GERSH_API gersh_status gersh_pca_apply(gersh_dataset **out, const gersh_pca *pca,
                                       const gersh_dataset *data);
GERSH_API void gersh_pca_free(gersh_pca *pca);

#ifdef __cplusplus
}
#endif
#endif
