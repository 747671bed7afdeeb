/* The line on stderr that follows a running fit; only where stderr is a terminal. */
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { BAR = 20 };

static int terminal_width(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

void cli_line_draw(cli_progress *progress, double seconds, const char *text)
{
    if (progress->shown && seconds - progress->last < 0.1)
        return;
    fprintf(stderr, "\r%.*s\033[K", terminal_width() - 1, text);
    fflush(stderr);
    progress->shown = 1;
    progress->last = seconds;
}

/* The bar fills as the gap goes from all of the value to a millionth of it, by orders of magnitude. */
static void draw(void *context, const gersh_progress *now)
{
    cli_progress *progress = context;
    char line[256], bar[BAR + 1];
    double share = fabs(now->gap) / fmax(fabs(now->value), 1e-300);
    double done = isfinite(share) && share < 1 ? fmin(1, -log10(fmax(share, 1e-6)) / 6) : 0;
    memset(bar, '.', BAR);
    memset(bar, '#', (size_t)(done * BAR));
    bar[BAR] = '\0';
    int used = snprintf(line, sizeof line, "[%s] ", bar);
    char *words =
        line + (terminal_width() < 80 ? 0 : used); /* in a narrow terminal the numbers matter more */
    size_t room = sizeof line - (size_t)(words - line);
    if (isfinite(share))
        snprintf(words, room, "%s %d: value %.6g, gap %.3g %%, %zu atoms, %.1f s", now->stage,
                 now->iteration, now->value, 100 * share, now->atoms, now->seconds);
    else
        snprintf(words, room, "%s %d: value %.6g, %zu atoms, %.1f s", now->stage, now->iteration,
                 now->value, now->atoms, now->seconds);
    cli_line_draw(progress, now->seconds, line);
}

gersh_progress_callback cli_progress_start(cli_progress *progress, const cli_args *args)
{
    *progress = (cli_progress){0};
    return !args->quiet && !args->json && isatty(STDERR_FILENO) ? draw : NULL;
}

void cli_progress_end(cli_progress *progress)
{
    if (progress->shown)
        fprintf(stderr, "\r\033[K");
    progress->shown = 0;
}
