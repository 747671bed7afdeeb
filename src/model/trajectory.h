/*
 * The history of a fit: what its progress callback was told, thinned to a number of steps that does not grow with the
 * length of the fit.
 */
#ifndef GERSH_SRC_MODEL_TRAJECTORY_H
#define GERSH_SRC_MODEL_TRAJECTORY_H

#include <jansson.h>

#include "gersh/model.h"

typedef struct gersh__trajectory {
    size_t count;
    gersh_progress point[GERSH_TRAJECTORY_POINTS];
    char **stage; /* texts that the points of a model from a file point to, or NULL */
    size_t stages;
    /* While it is recorded: */
    size_t seen, stride; /* steps so far; every so many are kept */
    gersh_progress last;
    gersh_progress_callback told; /* the caller's own callback, or NULL */
    void *context;
} gersh__trajectory;

/* Makes the options record into a new trajectory, and tell their own callback as before. */
gersh_status gersh__trajectory_start(gersh__trajectory **out, gersh_fit_options *options);

/* Ends the recording: the last step is the last point. */
void gersh__trajectory_end(gersh__trajectory *trajectory);
void gersh__trajectory_free(gersh__trajectory *trajectory);

/* The member `trajectory` of a model's description; NULL when memory is short. */
json_t *gersh__trajectory_json(const gersh__trajectory *trajectory);
gersh_status gersh__trajectory_read(gersh__trajectory **out, const json_t *member);

#endif
