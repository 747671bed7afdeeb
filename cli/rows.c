/* What commands share that make tables of many fits: a bar on stderr, and numbers that may be missing. */
#include "cli.h"

#include <math.h>
#include <string.h>

enum { BAR = 20 };

void cli_bar_draw(cli_progress *progress, size_t done, size_t total, double seconds, const char *words)
{
    char line[256], marks[BAR + 1];
    memset(marks, '.', BAR);
    memset(marks, '#', done * BAR / total);
    marks[BAR] = '\0';
    snprintf(line, sizeof line, "[%s] %zu of %zu fits, %.1f s; %s", marks, done, total, seconds, words);
    cli_line_draw(progress, seconds, line);
}

int cli_fits_short_of_memory(const cli_args *args)
{
    fprintf(stderr, "gersh %s: out of memory: some fits failed, and the result is of the others\n",
            args->command->name);
    return EXIT_INTERNAL;
}

void cli_put_number(FILE *file, int there, double value)
{
    if (there && isfinite(value))
        fprintf(file, ",%.17g", value);
    else
        fputc(',', file);
}
