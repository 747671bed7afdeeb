/*
 * The tables of the paper (Yang, Cheung, Hu: Signed Graph Metric Learning via Gershgorin Disc Perfect Alignment),
 * computed anew beside the paper's own figures, with its claims as a checklist.
 */
#ifndef GERSH_REPRODUCE_H
#define GERSH_REPRODUCE_H

#include <stdio.h>

#include "gersh/base.h"
#include "gersh/settings.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gersh_verdict {
    GERSH_CLAIM_HOLDS,
    GERSH_CLAIM_FAILS,
    GERSH_CLAIM_OPEN /* what it is about was not computed, or was cut off too early to tell */
} gersh_verdict;

typedef struct gersh_claim {
    gersh_verdict verdict;
    char *text;
    char *detail; /* the numbers that decide */
} gersh_claim;

typedef struct gersh_report_table {
    char *name; /* of its file, without ending */
    char *title;
    int listed; /* shown in texts; a table that is not is for its CSV file only */
    size_t columns;
    char **column;
    size_t rows;
    char **cell; /* rows × columns, "" where there is nothing */
    int *rule;   /* rows: a line stands above the row */
    size_t notes;
    char **note;
} gersh_report_table;

/* One experiment. */
typedef struct gersh_report {
    char *name; /* "objectives", ... */
    char *title;
    size_t tables;
    gersh_report_table **table;
    size_t notes;
    char **note;
    size_t claims;
    gersh_claim *claim;
} gersh_report;

typedef struct gersh_reproduction {
    size_t reports;
    gersh_report **report;
    size_t missing;
    char **missing_name; /* data sets that were wanted but not there */
    size_t files;
    char **file;             /* that were written, cells apart */
    size_t computed, reused; /* cells */
    int interrupted;         /* cells that were not computed are empty in the tables */
} gersh_reproduction;

typedef struct gersh_reproduce_progress {
    double done;      /* share of the work, by estimated seconds */
    double seconds;   /* since the start */
    double left;      /* estimated seconds until the end; negative: not known yet */
    const char *what; /* the cell at work */
} gersh_reproduce_progress;

/* Called by one thread at a time, but not always by the same one. */
typedef void (*gersh_reproduce_callback)(void *context, const gersh_reproduce_progress *progress);

typedef struct gersh_reproduce_options {
    const char *data; /* folder with NAME.csv: no header, the label last; may be NULL for "gdpa" */
    const char *
        output; /* folder for tables, figures and finished cells, made if need be; NULL: nothing is written */
    int quick;                         /* few folds and short time limits */
    int fresh;                         /* finished cells of an earlier run are not used */
    gersh_reproduce_callback progress; /* or NULL */
    void *progress_context;
    const gersh_cancel *cancel; /* or NULL; what was done until then is returned */
} gersh_reproduce_options;

/*
 * Runs the experiment of that name, or "all". Of the settings, `max-time` (of each fit, instead of the experiment's
 * own), `seed` and `threads` count. settings and options may be NULL.
 */
GERSH_API gersh_status gersh_reproduce(gersh_reproduction **out, const char *name,
                                       const gersh_settings *settings,
                                       const gersh_reproduce_options *options);
GERSH_API void gersh_reproduction_free(gersh_reproduction *reproduction);

/* The names of the experiments, in order; NULL beyond the last. */
GERSH_API const char *gersh_reproduce_name(size_t which);

/* The data files: where they come from, what they should be, and, with a folder, what they are. */
GERSH_API gersh_status gersh_reproduce_list(gersh_report **out, const char *folder);
GERSH_API void gersh_report_free(gersh_report *report);

typedef enum gersh_report_format { GERSH_REPORT_TEXT, GERSH_REPORT_MARKDOWN } gersh_report_format;

/* Writes titles, tables, notes and claims. Tables of a text are divided where they are wider than `width`. */
GERSH_API void gersh_report_write(FILE *file, const gersh_report *report, gersh_report_format format,
                                  int width);
GERSH_API void gersh_report_write_csv(FILE *file, const gersh_report_table *table);

GERSH_API const char *gersh_verdict_name(gersh_verdict verdict); /* "holds", "does not hold here", "open" */

#ifdef __cplusplus
}
#endif
#endif
