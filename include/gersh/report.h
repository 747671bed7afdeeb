/*
 * What was learned, as a page to look at: one HTML file that needs no other file, no network and no server.
 */
#ifndef GERSH_REPORT_H
#define GERSH_REPORT_H

#include "gersh/evaluate.h"
#include "gersh/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gersh_model_report_options {
    /*
     * Rows to show, with the model's features (gersh_match_data); not scaled. NULL: the model's own training rows, if
     * it holds them.
     */
    const gersh_dataset *data;
    /* What gersh_model_verify found, for the page to say; or NULL. */
    const gersh_verification *verification;
    /* What the page calls the model and the rows, such as the names of their files; or NULL. */
    const char *name, *data_name;
    /*
     * Where the rows are those that the model learned from, metrics are learned anew on that many random splits to
     * measure how well they predict; 0: not measured. Rows that are new to the model are always predicted.
     */
    size_t splits;
    int threads;                      /* 0: one for each core */
    gersh_evaluate_callback progress; /* of the splits, or NULL */
    void *progress_context;
    const gersh_cancel *cancel; /* or NULL; the page then shows the splits that were done */
} gersh_model_report_options;

/* Fails, and says what is missing, where the library was built without Node.js and so has no page. */
GERSH_API gersh_status gersh_model_report_check(void);

/*
 * Writes the report. The file appears whole or not at all: an old file of that name stays until the new one is complete.
 * options may be NULL. docs/report.md says what the page shows.
 */
GERSH_API gersh_status gersh_model_report(const gersh_model *model, const char *path,
                                          const gersh_model_report_options *options);

#ifdef __cplusplus
}
#endif
#endif
