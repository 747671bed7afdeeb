/* What the commands share: options, help, messages and JSON. Only the command line prints. */
#ifndef GERSH_CLI_H
#define GERSH_CLI_H

#include <jansson.h>
#include <stddef.h>
#include <stdio.h>

#include "base/json.h"
#include "gersh/gersh.h"

/* EXIT_PARTIAL: inspect --verify could not check everything. */
enum { EXIT_DONE = 0, EXIT_BAD = 1, EXIT_INTERNAL = 2, EXIT_PARTIAL = 3, EXIT_INTERRUPTED = 130 };

/* What the signs of edges mean, for help texts: d = Σ M_ii δ_i² + 2 Σ M_ij δ_i δ_j, and an edge's weight is −M_ij. */
#define CLI_EDGES_HELP                                                                                     \
    "A positive edge (M_ij < 0): differences of two samples in the two features partly cancel when they "  \
    "have the same "                                                                                       \
    "sign, and count more when their signs are opposite. A negative edge (M_ij > 0) is the reverse: "      \
    "differences of "                                                                                      \
    "the same sign count more, and those of opposite signs partly cancel."

enum { CLI_OWN_OPTIONS = 10 };

/* An option that is no setting of the library. */
typedef struct cli_option {
    const char *name;
    char letter;       /* of its short form, or 0 */
    const char *value; /* what stands for the value in help texts; NULL: the option has none */
    const char *help;
} cli_option;

/* What a command got from its command line. */
typedef struct cli_args {
    const struct cli_command *command;
    gersh_settings *settings;
    const char *operand[4];
    int operands;
    const char *own[CLI_OWN_OPTIONS]; /* values of the command's own options; "" for one without */
    int json;
    int quiet;
} cli_args;

typedef struct cli_command {
    const char *name;
    const char *operand_names; /* such as "MODEL DATA" */
    int operands;              /* how many it takes, */
    int optional;              /* and how many more it may take */
    const char *summary;       /* a line for the list of commands */
    const char *about;         /* a few sentences for its own help */
    const char *settings;      /* names of the settings it takes as options, separated by blanks */
    const cli_option *options; /* its own, ending with one without a name; NULL: none */
    const char *reads;  /* those of its own that name a file to read, separated by blanks; NULL: none */
    const char *writes; /* and those that name a file to write */
    const char *example;
    int (*run)(const cli_args *args);
} cli_command;

extern const cli_command *const cli_commands[]; /* ends with NULL */
extern const cli_command cli_evaluate, cli_tune;
extern const cli_command cli_predict, cli_transform, cli_distance;
extern const cli_command cli_align, cli_compare, cli_describe, cli_fit, cli_inspect, cli_report,
    cli_reproduce;

/* The whole program; returns its exit status. */
int cli_run(int argc, char **argv);

/* Reads argv after the command's name. Returns -1 when the command is to run, else the exit status. */
int cli_parse(cli_args *args, const cli_command *command, int argc, char **argv);

/*
 * Refuses an output that is an input or another output, before any file is read or written. Every operand is an input.
 */
gersh_status cli_check_files(const cli_args *args);

/*
 * For files that hold samples: as JSON, those of the two paths (or NULL) whose mode lets other users read them; and a line on
 * stderr about one of them, but not with --quiet and --json; mend says what to do, NULL: to change the mode.
 */
json_t *cli_readable_json(const char *model, const char *report);
void cli_note_model(const cli_args *args, const char *path, const char *mend);
void cli_note_report(const cli_args *args, const char *path);

/* Whether the word is in a list whose words are separated by blanks; NULL is an empty list. */
int cli_lists(const char *list, const char *word);

/* The value of the command's own option, "" for one that takes none, or NULL when it was not given. */
const char *cli_value(const cli_args *args, const char *name);

void cli_print_overview(void);
void cli_print_help(const cli_command *command);

/* The name in `names` that the user may have meant, as " (did you mean '...'?)" with the prefix, or "". */
const char *cli_hint(char *out, size_t size, const char *prefix, const char *word, const char *const *names,
                     size_t count);

/*
 * Says what went wrong, one sentence on stderr, and with --json as {"error": ...} with the members of
 * `more` (may be NULL; taken over). Returns the exit status that belongs to `status`.
 */
int cli_fail(const cli_args *args, gersh_status status, json_t *more);

/* Prints the document (taken over) and a newline. Returns an exit status. */
int cli_print_json(json_t *document);

/* Flushes stdout; a failure to write is one sentence and an exit status. */
int cli_finish_output(void);

/* The files that a fit read and wrote, for the commands that may follow it. */
typedef struct cli_next {
    const char *data;
    const char *label; /* the option --label, or NULL */
    const char *model; /* NULL where none was written */
} cli_next;

/*
 * Prints what a model is: its data, value, certificate, most important features and strongest edges; nothing when it
 * fails. next may be NULL.
 */
gersh_status cli_print_summary(const gersh_model *model, const gersh_model_summary *summary,
                               const cli_next *next);

/* Write M, as CSV or NPY by the path's ending, and the graph in the DOT language. */
gersh_status cli_write_matrix(const gersh_model *model, const char *path);
gersh_status cli_write_dot(const gersh_model *model, const gersh_model_summary *summary, const char *path);

/* Whether the path has that ending, in capitals or not, and something before it. */
int cli_ends_with(const char *path, const char *ending);

/*
 * A cell of CSV, in quotes wherever a reader could take it for something else: exact, but on a terminal as it is shown.
 * And one with words of the program, which need no quotes, around it.
 */
void cli_put_cell(FILE *file, const char *text);

/* The name of a feature of the metric. */
const char *cli_feature_name(const gersh_model *model, size_t feature);
void cli_put_cell_around(FILE *file, const char *before, const char *text, const char *after);

/* Numbers by rows, as NPY version 1.0. */
void cli_put_npy(FILE *file, size_t rows, size_t columns, const double *m);

/* Data of a file for the model; says on stderr which columns are ignored, but with --quiet and --json. */
gersh_status cli_match(gersh_matched **out, const gersh_model *model, const char *path,
                       const cli_args *args);

/* Writes the report to path; data is NULL for the model's own rows, verification without one. The other paths, or NULL,
 * are shown. */
gersh_status cli_write_report(const gersh_model *model, const char *model_path, const char *path,
                              const gersh_dataset *data, const char *data_path, size_t splits,
                              const gersh_verification *verification, const cli_args *args);

/* A line on stderr that follows a running fit. */
typedef struct cli_progress {
    int shown;
    double last; /* when it was drawn, as seconds of the fit */
} cli_progress;

/* Draws the line over the last one, cut to the terminal of stderr, unless that was less than 0.1 s ago. */
void cli_line_draw(cli_progress *progress, double seconds, const char *text);

/* The callback, or NULL where nothing is to be shown; its context is the cli_progress. */
gersh_progress_callback cli_progress_start(cli_progress *progress, const cli_args *args);
void cli_progress_end(cli_progress *progress);

/* The same line for a command of many fits: a bar, how many are done, and what is at work. total is not 0. */
void cli_bar_draw(cli_progress *progress, size_t done, size_t total, double seconds, const char *words);

/* What the features are to be ranked by, from the option --importance. */
typedef enum cli_importance {
    CLI_IMPORTANCE_AUTO,
    CLI_IMPORTANCE_CONTRIBUTION,
    CLI_IMPORTANCE_PERMUTATION
} cli_importance;

gersh_status cli_importance_parse(cli_importance *out, const cli_args *args);

/* gersh_importance_permute with a line on stderr that follows it. */
gersh_status cli_importance_permute(gersh_model *model, const gersh_settings *settings,
                                    const cli_args *args);

/* Says that the result lacks fits that ran out of memory; returns the exit status. */
int cli_fits_short_of_memory(const cli_args *args);

/* A number as a cell of CSV with its comma; empty where there is none or it is not finite. */
void cli_put_number(FILE *file, int there, double value);

/* Set by SIGINT and SIGTERM. */
extern gersh_cancel cli_cancel;

/* Columns of the terminal on stdout, 80 when it is none; at least 20. */
int cli_width(void);

/*
 * Texts of files, and names of files, for people to read: as base/clean.h shows them. All of it; with words of the
 * program around it; what fits into `width` columns, padded with blanks; and the same on stdout, with ~ where something is left out.
 */
void cli_put_text(FILE *file, const char *text);
void cli_put_around(FILE *file, const char *before, const char *text, const char *after);
void cli_put_start(FILE *file, const char *text, int width);
void cli_print_cell(const char *text, int width);

#endif
