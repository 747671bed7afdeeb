/* What the commands that use a model on new data share. */
#include "cli.h"

#include <stdio.h>

gersh_status cli_match(gersh_matched **out, const gersh_model *model, const char *path,
                       const cli_args *args)
{
    gersh_status status = gersh_match_file(out, model, path, args->settings);
    if (status != GERSH_OK || args->quiet || args->json || (*out)->ignored == 0)
        return status;
    fprintf(stderr, "gersh %s: %s: ignored, as the model does not know %s:", args->command->name, path,
            (*out)->ignored == 1 ? "it" : "them");
    for (size_t i = 0; i < (*out)->ignored; i++) {
        fputs(i > 0 ? ", " : " ", stderr);
        cli_put_text(stderr, (*out)->ignored_name[i]);
    }
    fputc('\n', stderr);
    return GERSH_OK;
}
