/* The option --importance of the commands fit and inspect: what the features are ranked by. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"

static const char *const words[] = {"auto", "contribution", "permutation"};

gersh_status cli_importance_parse(cli_importance *out, const cli_args *args)
{
    const char *text = cli_value(args, "importance");
    char excerpt[GERSH__EXCERPT_SIZE];
    *out = CLI_IMPORTANCE_AUTO;
    if (text == NULL)
        return GERSH_OK;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(text, words[i]) == 0) {
            *out = (cli_importance)i;
            return GERSH_OK;
        }
    return gersh__fail(GERSH_ERROR_ARGUMENT,
                       "--importance: '%s' is not one of auto, contribution, permutation",
                       gersh__text_excerpt(excerpt, sizeof excerpt, text, strlen(text)));
}

static void draw(void *context, const gersh_importance_progress *now)
{
    char line[128];
    if (now->total == 0)
        snprintf(line, sizeof line, "permutation importance: split %zu of %zu, learning, %.1f s",
                 now->split + 1, now->splits, now->seconds);
    else
        snprintf(line, sizeof line,
                 "permutation importance: split %zu of %zu, %zu of %zu held-out samples, %.1f s",
                 now->split + 1, now->splits, now->done, now->total, now->seconds);
    cli_line_draw(context, now->seconds, line);
}

gersh_status cli_importance_permute(gersh_model *model, const gersh_settings *settings,
                                    const cli_args *args)
{
    cli_progress progress;
    gersh_importance_options options = {.progress_context = &progress, .cancel = &cli_cancel};
    if (cli_progress_start(&progress, args) != NULL)
        options.progress = draw;
    gersh_status status = gersh_importance_permute(model, settings, &options);
    cli_progress_end(&progress);
    return status;
}
