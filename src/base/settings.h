/* Typed access to settings inside the library. Every `settings` here may be NULL: the defaults. */
#ifndef GERSH_SRC_BASE_SETTINGS_H
#define GERSH_SRC_BASE_SETTINGS_H

#include "gersh/settings.h"

/* Positions in the table of settings.c, in its order. */
enum {
    GERSH__LABEL,
    GERSH__LABELS,
    GERSH__FORMAT,
    GERSH__HEADER,
    GERSH__IGNORE,
    GERSH__TASK,
    GERSH__MISSING,
    GERSH__CATEGORICAL,
    GERSH__WEIGHTS,
    GERSH__SCALE,
    GERSH__ZERO,
    GERSH__OBJECTIVE,
    GERSH__SOLVER,
    GERSH__TRACE,
    GERSH__RHO,
    GERSH__TOL,
    GERSH__MAX_ITER,
    GERSH__MAX_TIME,
    GERSH__INIT,
    GERSH__ROWS_ONLY,
    GERSH__DIAGONALS_ONLY,
    GERSH__NUCLEAR,
    GERSH__CLASSIFIER,
    GERSH__NEIGHBORS,
    GERSH__VOTES,
    GERSH__SEED,
    GERSH__THREADS,
    GERSH__MEMORY,
    GERSH__SETTINGS
};

/* Choices of settings, separated by bars, from the registries; where there is no "auto", with one before the first too. */
extern const char gersh__format_choices[], gersh__objective_choices[], gersh__solver_choices[],
    gersh__init_choices[], gersh__classifier_choices[];

const char *gersh__setting_text(const gersh_settings *settings, int which);
double gersh__setting_number(const gersh_settings *settings, int which);
uint64_t gersh__setting_whole(const gersh_settings *settings, int which);
/* Whether the setting was set, rather than left at its default. */
int gersh__setting_given(const gersh_settings *settings, int which);
/* Whether the setting can have the value. */
gersh_status gersh__setting_check(int which, const char *value);
int gersh__setting_is(const gersh_settings *settings, int which, const char *choice);

#endif
