/*
 * Settings: one object, set and listed by name. One table (src/base/settings.c) holds each setting's
 * name, kind, default, range and sentence of help; the command line's options and help read that table.
 */
#ifndef GERSH_SETTINGS_H
#define GERSH_SETTINGS_H

#include "gersh/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gersh_settings gersh_settings;

typedef enum gersh_setting_kind {
    GERSH_SETTING_TEXT, /* any text */
    GERSH_SETTING_CHOICE /* one of the words in `choices` */,
    GERSH_SETTING_FLAG,  /* yes or no */
    GERSH_SETTING_WHOLE, /* a whole number from `low` to `high` */
    GERSH_SETTING_NUMBER /* a number from `low` to `high`, or one of the words in `choices` */
} gersh_setting_kind;

typedef enum gersh_setting_group {
    GERSH_SETTINGS_READ, /* how a file becomes a data set */
    GERSH_SETTINGS_SCALE,
    GERSH_SETTINGS_GRAPH, /* how a matrix becomes a graph */
    GERSH_SETTINGS_FIT,   /* what is learned, and how far */
    GERSH_SETTINGS_USE,   /* how a learned metric is used */
    GERSH_SETTINGS_RUN
} gersh_setting_group;

typedef struct gersh_setting_info {
    const char *name;
    gersh_setting_kind kind;
    gersh_setting_group group;
    const char *initial; /* the default, as text; "" is none */
    const char *choices; /* words separated by '|', for GERSH_SETTING_CHOICE */
    double low, high;
    const char *value; /* what stands for the value in help texts, such as COL */
    const char *help;
} gersh_setting_info;

/*
 * Settings are memory alone: no function here waits or costs more than a copy of the values. Threads may read the same ones at a time;
 * while one sets, no other may use them.
 */
GERSH_API gersh_status gersh_settings_new(gersh_settings **out);
GERSH_API void gersh_settings_free(gersh_settings *settings);

/* Sets by name; '_' counts as '-'. An unknown name or a value out of range is an error that says so. */
GERSH_API gersh_status gersh_settings_set(gersh_settings *settings, const char *name, const char *value);

/* The value in force as text, or NULL when there is no such name. settings may be NULL: the defaults. */
GERSH_API const char *gersh_settings_get(const gersh_settings *settings, const char *name);

/* Whether it was set by gersh_settings_set, to whatever value, rather than left at its default. 0 where there is no such name, and for
 * settings NULL. */
GERSH_API int gersh_settings_is_set(const gersh_settings *settings, const char *name);

/*
 * The value in force as a number: of a GERSH_SETTING_WHOLE, or of a GERSH_SETTING_NUMBER that is none of its words. NAN for
 * anything else, and where there is no such name. settings may be NULL: the defaults.
 */
GERSH_API double gersh_settings_number(const gersh_settings *settings, const char *name);

/*
 * New settings in which the same ones are set to the same values; *out is the caller's (gersh_settings_free), and NULL on a failure,
 * which is one of memory. settings may be NULL: nothing is set.
 */
GERSH_API gersh_status gersh_settings_copy(gersh_settings **out, const gersh_settings *settings);

/* The table: entries 0..count-1. */
GERSH_API int gersh_settings_count(void);
GERSH_API const gersh_setting_info *gersh_settings_info(int index);

#ifdef __cplusplus
}
#endif
#endif
