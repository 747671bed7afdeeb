/*
 * How sure the edges of a learned graph are: the fit again on resamples of its training data, and how often
 * each edge appears in these and with which sign.
 */
#ifndef GERSH_BOOTSTRAP_H
#define GERSH_BOOTSTRAP_H

#include "gersh/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * An edge that any resample has. It counts where |M_ij| is above GERSH_BOOTSTRAP_EDGE of √(M_ii M_jj). mean
 * and deviation (n − 1) are those of M_ij over all resamples, 0 where there is no edge.
 */
#define GERSH_BOOTSTRAP_EDGE 1e-6

typedef struct gersh_bootstrap_edge {
    size_t first, second;      /* features, first < second */
    size_t positive, negative; /* resamples in which it has a positive, or a negative, weight −M_ij */
    double mean, deviation;
} gersh_bootstrap_edge;

typedef struct gersh_bootstrap {
    size_t asked;               /* resamples that were asked for, */
    size_t done;                /* that gave a metric: those that are counted, */
    size_t failed;              /* and that gave none, as there was nothing to learn from them */
    char *failure;              /* why the first of these failed, or "" */
    size_t count;               /* edges that any resample has, */
    gersh_bootstrap_edge *edge; /* by first, then by second */
} gersh_bootstrap;

typedef struct gersh_bootstrap_progress {
    size_t done, total; /* resamples */
    double seconds;     /* since the first began */
} gersh_bootstrap_progress;

typedef struct gersh_bootstrap_options {
    /* Of a model with a custom objective: that objective. Several threads may call it at a time. */
    const gersh_custom_objective *custom;
    void (*progress)(void *context,
                     const gersh_bootstrap_progress *progress); /* in the caller's thread, or NULL */
    void *progress_context;
    const gersh_cancel *cancel; /* or NULL; the resamples that were done until then are kept */
} gersh_bootstrap_options;

/*
 * Draws as many rows as there are, with replacement and within each class (of a model of tuples: tuples,
 * similar and dissimilar pairs apart), fits each such resample as the model was fitted, and stores the
 * result in the model, which must hold its training rows. The scaling of the features and the limits of
 * trace and smallest eigenvalue are those of the model. A row that was drawn r times has r times its
 * weight. `settings` are those that the model was fitted with; the setting `seed` decides what is drawn.
 * Resamples are spread over the threads that the settings name, one thread each; the result does not depend
 * on how many there are. options may be NULL.
 */
GERSH_API gersh_status gersh_bootstrap_run(gersh_model *model, size_t resamples,
                                           const gersh_settings *settings,
                                           const gersh_bootstrap_options *options);

/* What gersh_bootstrap_run found, also in a model that was read from a file; NULL where there is nothing.
 */
GERSH_API const gersh_bootstrap *gersh_model_bootstrap(const gersh_model *model);

/* The edge between two different features, in any order, or NULL when no resample has it. */
GERSH_API const gersh_bootstrap_edge *gersh_bootstrap_find(const gersh_bootstrap *bootstrap, size_t first,
                                                           size_t second);

#ifdef __cplusplus
}
#endif
#endif
