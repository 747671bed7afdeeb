/*
 * Making reports. A builder keeps the first failure, so that an experiment can add cell after cell and look at the
 * status once; after a failure everything else is a no-op.
 */
#ifndef GERSH_REPRODUCE_REPORT_H
#define GERSH_REPRODUCE_REPORT_H

#include "reproduce.h"
#include "tools.h"

typedef struct repro_builder {
    repro_report *report;
    repro_table *table; /* the last one */
    size_t next;        /* its next cell */
    gersh_status status;
} repro_builder;

/* Adds the text (taken over; NULL counts as a failure) to a list. */
gersh_status repro_texts_add(char ***texts, size_t *count, char *text);
void repro_texts_free(char **texts, size_t count);

void repro_builder_start(repro_builder *builder, const char *name, const char *title);

/* The report, which is the caller's, or the failure, and nothing is left. */
gersh_status repro_builder_end(repro_report **out, repro_builder *builder);

/* A new table; columns come before rows. `listed` as in repro_table. */
void repro_report_table(repro_builder *builder, const char *name, int listed, const char *title);
void repro_report_column(repro_builder *builder, const char *format, ...) REPRO_PRINTF(2);
void repro_report_columns(repro_builder *builder, const char *const *names, size_t count);
void repro_report_row(repro_builder *builder, int rule);
void repro_report_cell(repro_builder *builder, const char *format, ...) REPRO_PRINTF(2);

/* A number in the report's usual three digits, or an empty cell where it is not finite. */
void repro_report_number(repro_builder *builder, double value);

/* A note below the last table. */
void repro_report_table_note(repro_builder *builder, const char *format, ...) REPRO_PRINTF(2);

/* A note at the end of the report. */
void repro_report_note(repro_builder *builder, const char *format, ...) REPRO_PRINTF(2);
void repro_report_claim(repro_builder *builder, repro_verdict verdict, const char *text, const char *format,
                        ...) REPRO_PRINTF(4);

/* A claim that is open, as what it is about was not computed. */
void repro_report_unknown(repro_builder *builder, const char *text);

/* holds where `yes`, and fails where not; open where it is not `known`. */
repro_verdict repro_judge(int known, int yes);

#endif
