/* Messages, JSON and cells of tables. */
#include "cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clean.h"
#include "base/error.h"

#define JSON_LAYOUT (JSON_INDENT(2) | JSON_REAL_PRECISION(17))

static int exit_status(gersh_status status)
{
    switch (status) {
    case GERSH_OK:
        return EXIT_DONE;
    case GERSH_ERROR_ARGUMENT:
    case GERSH_ERROR_INPUT:
    case GERSH_ERROR_IO:
    case GERSH_ERROR_UNBALANCED:
        return EXIT_BAD;
    case GERSH_ERROR_CANCELLED:
        return EXIT_INTERRUPTED;
    case GERSH_ERROR_MEMORY:
    case GERSH_ERROR_NUMERIC:
    case GERSH_ERROR_DISK:
        break;
    }
    return EXIT_INTERNAL;
}

/* The document is made before anything is said, so that short memory gives no second sentence. */
int cli_fail(const cli_args *args, gersh_status status, json_t *more)
{
    char *text = NULL;
    if (args->json) {
        json_t *document = json_pack("{s:s}", "error", gersh_last_error());
        json_object_update(document, more);
        text = gersh__json_dump(document, JSON_LAYOUT);
        json_decref(document);
        if (text == NULL)
            status = GERSH_ERROR_MEMORY;
    }
    fprintf(stderr, "gersh %s: %s\n", args->command->name, gersh_last_error());
    if (text != NULL) {
        puts(text);
        cli_finish_output();
        gersh__free(text);
    }
    json_decref(more);
    return exit_status(status);
}

int cli_finish_output(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return EXIT_DONE;
    fprintf(stderr, "gersh: cannot write the output: %s\n", strerror(errno));
    return EXIT_INTERNAL;
}

int cli_print_json(json_t *document)
{
    if (document == NULL) {
        fprintf(stderr, "gersh: out of memory: could not make the JSON document\n");
        return EXIT_INTERNAL;
    }
    gersh__json_write(stdout, document, JSON_LAYOUT);
    putchar('\n');
    json_decref(document);
    return cli_finish_output();
}

int cli_width(void)
{
    struct winsize size;
    int width = 80;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        width = size.ws_col;
    return width < 20 ? 20 : width;
}

void cli_put_text(FILE *file, const char *text)
{
    gersh__clean_put(file, GERSH__CLEAN_SHOWN, text, strlen(text));
}

void cli_put_around(FILE *file, const char *before, const char *text, const char *after)
{
    fputs(before, file);
    cli_put_text(file, text);
    fputs(after, file);
}

/* Takes the next character of the shown text, or the escape that stands for it; returns the columns that it takes. */
static int next_columns(char piece[GERSH__CLEAN_SIZE], const char **text)
{
    size_t length, bytes = gersh__clean_character(piece, &length, GERSH__CLEAN_SHOWN, *text, strlen(*text));
    *text += bytes;
    return length > bytes ? (int)length : 1; /* an escape is longer than what it stands for */
}

void cli_put_start(FILE *file, const char *text, int width)
{
    char piece[GERSH__CLEAN_SIZE];
    int left = width;
    while (*text != '\0') {
        int columns = next_columns(piece, &text);
        if (columns > left)
            break;
        fputs(piece, file);
        left -= columns;
    }
    fprintf(file, "%*s", left, "");
}

void cli_print_cell(const char *text, int width)
{
    char piece[GERSH__CLEAN_SIZE];
    const char *rest = text;
    int columns = 0;
    while (*rest != '\0' && columns <= width)
        columns += next_columns(piece, &rest);
    cli_put_start(stdout, text, columns > width ? width - 1 : width);
    if (columns > width)
        putchar('~');
}
