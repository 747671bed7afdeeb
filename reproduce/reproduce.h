/*
 * The tables of the paper (Yang, Cheung, Hu: Signed Graph Metric Learning via Gershgorin Disc Perfect Alignment),
 * computed anew beside the paper's own figures, with its claims as a checklist.
 */
#ifndef GERSH_REPRODUCE_REPRODUCE_H
#define GERSH_REPRODUCE_REPRODUCE_H

#include <stdio.h>

#include "gersh/base.h"
#include "gersh/settings.h"

typedef enum repro_verdict {
    REPRO_CLAIM_HOLDS,
    REPRO_CLAIM_FAILS,
    REPRO_CLAIM_OPEN /* what it is about was not computed, or was cut off too early to tell */
} repro_verdict;

typedef struct repro_claim {
    repro_verdict verdict;
    char *text;
    char *detail; /* the numbers that decide */
} repro_claim;

typedef struct repro_table {
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
} repro_table;

/* One experiment. */
typedef struct repro_report {
    char *name; /* "objectives", ... */
    char *title;
    size_t tables;
    repro_table **table;
    size_t notes;
    char **note;
    size_t claims;
    repro_claim *claim;
} repro_report;

typedef struct repro_result {
    size_t reports;
    repro_report **report;
    size_t missing;
    char **missing_name; /* data sets that were wanted but not there */
    size_t files;
    char **file;             /* that were written, cells apart */
    size_t computed, reused; /* cells */
    int interrupted;         /* cells that were not computed are empty in the tables */
} repro_result;

typedef struct repro_progress {
    double done;      /* share of the work, by estimated seconds */
    double seconds;   /* since the start */
    double left;      /* estimated seconds until the end; negative: not known yet */
    const char *what; /* the cell at work */
} repro_progress;

/* Called by one thread at a time, but not always by the same one. */
typedef void (*repro_callback)(void *context, const repro_progress *progress);

typedef struct repro_options {
    const char *data; /* folder with NAME.csv: no header, the label last; may be NULL for "gdpa" */
    /* Folder for tables, figures and finished cells, made if need be; NULL: nothing is written. */
    const char *output;
    int quick;               /* few folds and short time limits */
    int fresh;               /* finished cells of an earlier run are not used */
    repro_callback progress; /* or NULL */
    void *progress_context;
    const gersh_cancel *cancel; /* or NULL; what was done until then is returned */
} repro_options;

/*
 * Runs the experiment of that name, or "all". Of the settings, `max-time` (of each fit, instead of the experiment's
 * own), `seed` and `threads` count. settings and options may be NULL. What went wrong says repro_error (tools.h).
 */
gersh_status repro_tables(repro_result **out, const char *name, const gersh_settings *settings,
                          const repro_options *options);
void repro_result_free(repro_result *reproduction);

/* The names of the experiments, in order; NULL beyond the last. */
const char *repro_name(size_t which);

/* The data files: where they come from, what they should be, and, with a folder, what they are. */
gersh_status repro_list(repro_report **out, const char *folder);
void repro_report_free(repro_report *report);

typedef enum repro_layout { REPRO_TEXT, REPRO_MARKDOWN } repro_layout;

/* Writes titles, tables, notes and claims. Tables of a text are divided where they are wider than `width`. */
void repro_report_write(FILE *file, const repro_report *report, repro_layout format, int width);
void repro_table_write_csv(FILE *file, const repro_table *table);

const char *repro_verdict_name(repro_verdict verdict); /* "holds", "does not hold here", "open" */
#endif
