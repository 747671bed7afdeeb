/*
 * Making reports. A builder keeps the first failure, so that an experiment can add cell after cell and look at the
 * status once; after a failure everything else is a no-op.
 */
#ifndef GERSH_SRC_USE_REPRODUCE_REPORT_H
#define GERSH_SRC_USE_REPRODUCE_REPORT_H

#include "gersh/reproduce.h"

typedef struct gersh__builder {
    gersh_report *report;
    gersh_report_table *table; /* the last one */
    size_t next;               /* its next cell */
    gersh_status status;
} gersh__builder;

/* Differences that are due to rounding alone. */
#define GERSH__PRINTED_ROUNDING 1e-9

#define GERSH__PRINTF(at) __attribute__((format(printf, at, at + 1)))

/* A text made by a format; NULL when memory is short. */
char *gersh__text_format(const char *format, ...) GERSH__PRINTF(1);

/* Adds the text (taken over; NULL counts as a failure) to a list. */
gersh_status gersh__texts_add(char ***texts, size_t *count, char *text);
void gersh__texts_free(char **texts, size_t count);

void gersh__builder_start(gersh__builder *builder, const char *name, const char *title);

/* The report, which is the caller's, or the failure, and nothing is left. */
gersh_status gersh__builder_end(gersh_report **out, gersh__builder *builder);

/* A new table; columns come before rows. `listed` as in gersh_report_table. */
void gersh__report_table(gersh__builder *builder, const char *name, int listed, const char *title);
void gersh__report_column(gersh__builder *builder, const char *format, ...) GERSH__PRINTF(2);
void gersh__report_row(gersh__builder *builder, int rule);
void gersh__report_cell(gersh__builder *builder, const char *format, ...) GERSH__PRINTF(2);

/* A number in the report's usual three digits, or an empty cell where it is not finite. */
void gersh__report_number(gersh__builder *builder, double value);

/* A note below the last table. */
void gersh__report_table_note(gersh__builder *builder, const char *format, ...) GERSH__PRINTF(2);

/* A note at the end of the report. */
void gersh__report_note(gersh__builder *builder, const char *format, ...) GERSH__PRINTF(2);
void gersh__report_claim(gersh__builder *builder, gersh_verdict verdict, const char *text,
                         const char *format, ...) GERSH__PRINTF(4);

/* A claim that is open, as what it is about was not computed. */
void gersh__report_unknown(gersh__builder *builder, const char *text);

/* holds where `yes`, and fails where not; open where it is not `known`. */
gersh_verdict gersh__verdict(int known, int yes);

#endif
