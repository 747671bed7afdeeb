/* Messages, JSON and cells of tables. */
#include "cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"

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

/* The last message as JSON; where it is not UTF-8, as names of files may be, without what is not ASCII. */
static json_t *message_json(void)
{
    char text[GERSH__MESSAGE_SIZE];
    snprintf(text, sizeof text, "%s", gersh_last_error());
    for (char *p = text; !gersh__text_is_utf8(text) && *p != '\0'; p++)
        if ((unsigned char)*p >= 0x80)
            *p = '?';
    return json_string(text);
}

/* The document is made before anything is said, so that short memory gives no second sentence. */
int cli_fail(const cli_args *args, gersh_status status, json_t *more)
{
    char *text = NULL;
    if (args->json) {
        json_t *document = json_pack("{s:o}", "error", message_json());
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
    json_dumpf(document, stdout, JSON_LAYOUT);
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

int cli_text_width(const char *text)
{
    int width = 0;
    for (; *text != '\0'; text++)
        width += ((unsigned char)*text & 0xC0) != 0x80;
    return width;
}

/* Puts one byte, or '?' for a control character; returns what follows. */
static const char *put_byte(FILE *file, const char *text)
{
    unsigned char first = (unsigned char)text[0], second = first != 0 ? (unsigned char)text[1] : 0;
    int wide = first == 0xC2 && second >= 0x80 && second < 0xA0;
    fputc(first < 0x20 || first == 0x7F || wide ? '?' : text[0], file);
    return text + 1 + wide;
}

void cli_put_text(FILE *file, const char *text)
{
    while (*text != '\0')
        text = put_byte(file, text);
}

void cli_put_start(FILE *file, const char *text, int width)
{
    int characters = 0;
    while (*text != '\0') {
        characters += ((unsigned char)*text & 0xC0) != 0x80;
        if (characters > width)
            return;
        text = put_byte(file, text);
    }
    fprintf(file, "%*s", width - characters, "");
}

void cli_print_cell(const char *text, int width)
{
    int space = width < 0 ? -width : width, used = cli_text_width(text);
    if (used > space) {
        cli_put_start(stdout, text, space - 1);
        putchar('~');
        return;
    }
    printf("%*s", width < 0 ? space - used : 0, "");
    cli_put_text(stdout, text);
    printf("%*s", width < 0 ? 0 : space - used, "");
}
