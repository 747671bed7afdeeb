/* The table of settings, and the object that holds their values; see gersh/settings.h. */
#include "base/settings.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"

#define LARGEST_SEED 9007199254740992.0 /* 2^53: exact as a double, so in JSON and Python too */

static const gersh_setting_info table[GERSH__SETTINGS] = {
    [GERSH__LABEL] = {"label", GERSH_SETTING_TEXT, GERSH_SETTINGS_READ, "last", NULL, 0, 0, "COL",
                      "column with the labels: a name, a position from 1, 'last', or 'none'"},
    [GERSH__LABELS] = {"labels", GERSH_SETTING_TEXT, GERSH_SETTINGS_READ, "", NULL, 0, 0, "FILE",
                       "file with one label a row; every column of the data is then a feature"},
    [GERSH__FORMAT] = {"format", GERSH_SETTING_CHOICE, GERSH_SETTINGS_READ, "auto", gersh__format_choices,
                       0, 0, NULL, "format of the file; by default found from its content"},
    [GERSH__HEADER] = {"header", GERSH_SETTING_CHOICE, GERSH_SETTINGS_READ, "auto", "auto|yes|no", 0, 0,
                       NULL, "whether the first line names the columns"},
    [GERSH__IGNORE] = {"ignore", GERSH_SETTING_TEXT, GERSH_SETTINGS_READ, "", NULL, 0, 0, "COLS",
                       "columns to leave out: names or positions, separated by commas"},
    [GERSH__TASK] = {"task", GERSH_SETTING_CHOICE, GERSH_SETTINGS_READ, "auto", "auto|classify|regress", 0,
                     0, NULL, "whether labels are classes or real-valued targets"},
    [GERSH__MISSING] = {"missing", GERSH_SETTING_CHOICE, GERSH_SETTINGS_READ, "error", "error|zero|mean", 0,
                        0, NULL, "what to do with missing values: refuse, put 0, or put the column's mean"},
    [GERSH__CATEGORICAL] = {"categorical", GERSH_SETTING_CHOICE, GERSH_SETTINGS_READ, "error",
                            "error|onehot", 0, 0, NULL,
                            "what to do with text columns: refuse, or one 0/1 feature for each value"},
    [GERSH__WEIGHTS] = {"weights", GERSH_SETTING_TEXT, GERSH_SETTINGS_READ, "", NULL, 0, 0, "COL",
                        "column with a weight of at least 0 for each row; it is then no feature"},
    [GERSH__SCALE] = {"scale", GERSH_SETTING_CHOICE, GERSH_SETTINGS_SCALE, "zscore", "zscore|paper|none", 0,
                      0, NULL, "scaling of features; 'paper' is z-score, then unit length of each row"},
    [GERSH__ZERO] = {"zero", GERSH_SETTING_NUMBER, GERSH_SETTINGS_GRAPH, "0", NULL, 0, DBL_MAX, "SIZE",
                     "entries of the matrix of at most this size, off the diagonal, are no edges"},
    [GERSH__OBJECTIVE] = {"objective", GERSH_SETTING_CHOICE, GERSH_SETTINGS_FIT, "auto",
                          gersh__objective_choices, 0, 0, NULL,
                          "objective to optimise; auto chooses by what there is to learn from, and where "
                          "that classifies badly "
                          "tries another"},
    [GERSH__SOLVER] =
        {"solver", GERSH_SETTING_CHOICE, GERSH_SETTINGS_FIT, "balanced", gersh__solver_choices + 1, 0, 0,
         NULL,
         "which metrics are searched: diagonal ones, balanced signed graphs, their convex hull, or "
         "all positive definite ones"},
    [GERSH__TRACE] =
        {"trace", GERSH_SETTING_NUMBER, GERSH_SETTINGS_FIT, "auto", "auto|K", 0, DBL_MAX, "C",
         "largest trace of M: a number, K for the number of features, or auto: the C at which the mean "
         "squared distance of two samples under C/K times the identity is the one that suits the "
         "objective"},
    [GERSH__RHO] = {"rho", GERSH_SETTING_NUMBER, GERSH_SETTINGS_FIT, "auto", "auto", 0, DBL_MAX, "RHO",
                    "smallest eigenvalue that M must have; auto is 1e-5 C/K"},
    [GERSH__TOL] = {"tol", GERSH_SETTING_NUMBER, GERSH_SETTINGS_FIT, "1e-3", NULL, 1e-12, 1, "TOL",
                    "stop when the value is certified to be within this share of the best possible; "
                    "solvers without a bound stop when an iteration changes the objective by less than a "
                    "hundredth of it"},
    [GERSH__MAX_ITER] = {"max-iter", GERSH_SETTING_WHOLE, GERSH_SETTINGS_FIT, "1000", NULL, 1, 1e9, "N",
                         "maximum number of iterations"},
    [GERSH__MAX_TIME] = {"max-time", GERSH_SETTING_NUMBER, GERSH_SETTINGS_FIT, "none", "none", 0, DBL_MAX,
                         "S", "time limit in seconds"},
    [GERSH__INIT] = {"init", GERSH_SETTING_CHOICE, GERSH_SETTINGS_FIT, "tree", gersh__init_choices + 1, 0,
                     0, NULL,
                     "first graph: the covariances' spanning tree, a chain, the colours of "
                     "the hull's solution, or no edges"},
    [GERSH__ROWS_ONLY] = {"rows-only", GERSH_SETTING_FLAG, GERSH_SETTINGS_FIT, "no", NULL, 0, 0, NULL,
                          "stop after the rows, before the whole matrix"},
    [GERSH__DIAGONALS_ONLY] = {"diagonals-only", GERSH_SETTING_FLAG, GERSH_SETTINGS_FIT, "no", NULL, 0, 0,
                               NULL, "keep the edges of the first graph, learn the diagonal"},
    [GERSH__NUCLEAR] = {"nuclear", GERSH_SETTING_NUMBER, GERSH_SETTINGS_FIT, "0", NULL, 0, DBL_MAX, "TAU",
                        "weight of the nuclear norm of M, added to the objective"},
    [GERSH__CLASSIFIER] =
        {"classifier", GERSH_SETTING_CHOICE, GERSH_SETTINGS_USE, "knn", gersh__classifier_choices + 1, 0, 0,
         NULL,
         "how labels are predicted: by the nearest rows, by the nearest mean of a class, or by the "
         "labels that are smoothest on the graph of all rows"},
    [GERSH__NEIGHBORS] =
        {"neighbors", GERSH_SETTING_WHOLE, GERSH_SETTINGS_USE, "10", NULL, 1, 1e9, "N",
         "nearest rows that vote in knn, or all where there are fewer; rows at equal distances share the "
         "last places"},
    [GERSH__VOTES] = {"votes", GERSH_SETTING_CHOICE, GERSH_SETTINGS_USE, "equal", "equal|distance", 0, 0,
                      NULL, "votes of the nearest rows: one each, or the inverse of their distance"},
    [GERSH__SEED] = {"seed", GERSH_SETTING_WHOLE, GERSH_SETTINGS_RUN, "0", NULL, 0, LARGEST_SEED, "N",
                     "seed of the random numbers; the same seed gives the same result"},
    [GERSH__THREADS] = {"threads", GERSH_SETTING_WHOLE, GERSH_SETTINGS_RUN, "0", NULL, 0, 1024, "N",
                        "number of threads; 0 is one for each core"},
    [GERSH__MEMORY] =
        {"memory", GERSH_SETTING_NUMBER, GERSH_SETTINGS_RUN, "auto", "auto", 0, DBL_MAX, "GB",
         "most memory of a fit, in GB; all pairs of rows are used where they fit into it, else "
         "a sample of them; auto is half of the machine's"},
};

struct gersh_settings {
    char *values[GERSH__SETTINGS]; /* NULL: the default */
};

gersh_status gersh_settings_new(gersh_settings **out)
{
    *out = gersh__alloc(1, sizeof **out);
    return *out != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
}

void gersh_settings_free(gersh_settings *settings)
{
    if (settings == NULL)
        return;
    for (int i = 0; i < GERSH__SETTINGS; i++)
        gersh__free(settings->values[i]);
    gersh__free(settings);
}

int gersh_settings_count(void)
{
    return GERSH__SETTINGS;
}

const gersh_setting_info *gersh_settings_info(int index)
{
    return index >= 0 && index < GERSH__SETTINGS ? &table[index] : NULL;
}

static int same_name(const char *name, const char *given)
{
    for (; *name != '\0' && (*given == *name || (*name == '-' && *given == '_')); name++)
        given++;
    return *name == *given;
}

static int find(const char *name)
{
    for (int i = 0; i < GERSH__SETTINGS; i++)
        if (same_name(table[i].name, name))
            return i;
    return -1;
}

static int is_choice(const char *choices, const char *value)
{
    size_t length = strcspn(value, "|");
    if (length == 0 || value[length] == '|')
        return 0;
    for (const char *p = choices; p != NULL; p = strchr(p, '|')) {
        p += *p == '|';
        if (strncmp(p, value, length) == 0 && (p[length] == '|' || p[length] == '\0'))
            return 1;
    }
    return 0;
}

static gersh_status bad_number(const gersh_setting_info *info, const char *excerpt)
{
    char range[64], words[64] = "";
    if (info->high < DBL_MAX)
        snprintf(range, sizeof range, "from %g to %g", info->low, info->high);
    else
        snprintf(range, sizeof range, "of at least %g", info->low);
    if (info->choices != NULL)
        snprintf(words, sizeof words, ", nor %s", info->choices);
    return gersh__fail(GERSH_ERROR_ARGUMENT, "%s: '%s' is not a number %s%s", info->name, excerpt, range,
                       words);
}

static gersh_status check(const gersh_setting_info *info, const char *value)
{
    char excerpt[GERSH__EXCERPT_SIZE];
    uint64_t whole;
    double number;
    size_t length = strlen(value);
    gersh__text_excerpt(excerpt, sizeof excerpt, value, length);
    switch (info->kind) {
    case GERSH_SETTING_CHOICE:
        if (!is_choice(info->choices, value))
            return gersh__fail(GERSH_ERROR_ARGUMENT, "%s: '%s' is not one of %s", info->name, excerpt,
                               info->choices);
        break;
    case GERSH_SETTING_FLAG:
        if (strcmp(value, "yes") != 0 && strcmp(value, "no") != 0)
            return gersh__fail(GERSH_ERROR_ARGUMENT, "%s: '%s' is neither yes nor no", info->name, excerpt);
        break;
    case GERSH_SETTING_WHOLE:
        if (gersh__parse_whole(value, length, (uint64_t)info->low, (uint64_t)info->high, &whole) != 0)
            return gersh__fail(GERSH_ERROR_ARGUMENT, "%s: '%s' is not a whole number from %.0f to %.0f",
                               info->name, excerpt, info->low, info->high);
        break;
    case GERSH_SETTING_NUMBER:
        if (is_choice(info->choices, value))
            break;
        if (gersh__parse_double(value, length, &number) != GERSH__NUMBER_OK || number < info->low ||
            number > info->high)
            return bad_number(info, excerpt);
        break;
    case GERSH_SETTING_TEXT:
        break;
    }
    return GERSH_OK;
}

gersh_status gersh__setting_check(int which, const char *value)
{
    return check(&table[which], value);
}

gersh_status gersh_settings_set(gersh_settings *settings, const char *name, const char *value)
{
    if (settings == NULL || name == NULL || value == NULL)
        return gersh__fail(GERSH_ERROR_ARGUMENT,
                           "gersh_settings_set got a null pointer; give it settings, a name and a value");
    int which = find(name);
    if (which < 0) {
        char excerpt[GERSH__EXCERPT_SIZE];
        const char *names[GERSH__SETTINGS];
        for (int i = 0; i < GERSH__SETTINGS; i++)
            names[i] = table[i].name;
        const char *nearest = gersh__text_nearest(name, names, GERSH__SETTINGS);
        gersh__text_excerpt(excerpt, sizeof excerpt, name, strlen(name));
        return gersh__fail(GERSH_ERROR_ARGUMENT, "there is no setting '%s'%s%s%s", excerpt,
                           nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
    }
    gersh_status status = check(&table[which], value);
    if (status != GERSH_OK)
        return status;
    char *copy = gersh__text_copy(value, strlen(value));
    if (copy == NULL)
        return GERSH_ERROR_MEMORY;
    gersh__free(settings->values[which]);
    settings->values[which] = copy;
    return GERSH_OK;
}

const char *gersh_settings_get(const gersh_settings *settings, const char *name)
{
    int which = find(name);
    return which < 0 ? NULL : gersh__setting_text(settings, which);
}

const char *gersh__setting_text(const gersh_settings *settings, int which)
{
    if (settings != NULL && settings->values[which] != NULL)
        return settings->values[which];
    return table[which].initial;
}

double gersh__setting_number(const gersh_settings *settings, int which)
{
    const char *text = gersh__setting_text(settings, which);
    double value = 0;
    gersh__parse_double(text, strlen(text), &value);
    return value;
}

uint64_t gersh__setting_whole(const gersh_settings *settings, int which)
{
    const char *text = gersh__setting_text(settings, which);
    uint64_t value = 0;
    gersh__parse_whole(text, strlen(text), 0, UINT64_MAX, &value);
    return value;
}

int gersh__setting_given(const gersh_settings *settings, int which)
{
    return settings != NULL && settings->values[which] != NULL;
}

int gersh_settings_is_set(const gersh_settings *settings, const char *name)
{
    int which = find(name);
    return which >= 0 && gersh__setting_given(settings, which);
}

double gersh_settings_number(const gersh_settings *settings, const char *name)
{
    int which = find(name);
    double value = NAN;
    if (which < 0 ||
        (table[which].kind != GERSH_SETTING_WHOLE && table[which].kind != GERSH_SETTING_NUMBER))
        return NAN;
    const char *text = gersh__setting_text(settings, which);
    gersh__parse_double(text, strlen(text), &value);
    return value;
}

gersh_status gersh_settings_copy(gersh_settings **out, const gersh_settings *settings)
{
    gersh_status status = gersh_settings_new(out);
    for (int i = 0; i < GERSH__SETTINGS && status == GERSH_OK; i++)
        if (gersh__setting_given(settings, i))
            status = gersh_settings_set(*out, table[i].name, settings->values[i]);
    if (status != GERSH_OK) {
        gersh_settings_free(*out);
        *out = NULL;
    }
    return status;
}

int gersh__setting_is(const gersh_settings *settings, int which, const char *choice)
{
    return strcmp(gersh__setting_text(settings, which), choice) == 0;
}
