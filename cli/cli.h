/* What the commands share: options, help, messages and JSON. Only the command line prints. */
#ifndef GERSH_CLI_H
#define GERSH_CLI_H

#include <jansson.h>
#include <stddef.h>

#include "gersh/gersh.h"

enum { EXIT_DONE = 0, EXIT_BAD = 1, EXIT_INTERNAL = 2, EXIT_INTERRUPTED = 130 };

/* What a command got from its command line. */
typedef struct cli_args {
    const struct cli_command *command;
    gersh_settings *settings;
    const char *operand[4];
    int operands;
    int json;
    int quiet;
} cli_args;

typedef struct cli_command {
    const char *name;
    const char *operand_names; /* such as "MODEL DATA" */
    int operands;              /* how many it takes */
    const char *summary;       /* a line for the list of commands */
    const char *about;         /* a few sentences for its own help */
    const char *settings;      /* names of the settings it takes as options, separated by blanks */
    const char *example;
    int (*run)(const cli_args *args);
} cli_command;

extern const cli_command *const cli_commands[]; /* ends with NULL */
extern const cli_command cli_align, cli_describe;

/* Reads argv after the command's name. Returns -1 when the command is to run, else the exit status. */
int cli_parse(cli_args *args, const cli_command *command, int argc, char **argv);

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

json_t *cli_json_reals(const double *values, size_t count);
json_t *cli_json_texts(char *const *texts, size_t count);

/* Set by SIGINT and SIGTERM. */
extern gersh_cancel cli_cancel;

/* Columns of the terminal on stdout, 80 when it is none; at least 20. */
int cli_width(void);

/* Characters that the UTF-8 text takes on the screen, every one counted as one column. */
int cli_text_width(const char *text);

/* Prints the text cut or padded to `width` columns; negative pads on the left. */
void cli_print_cell(const char *text, int width);

#endif
