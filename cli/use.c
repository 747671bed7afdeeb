/* What the commands that use a model on new data share. */
#include "cli.h"

#include <stdio.h>

gersh_status cli_match(gersh_matched **out, const gersh_model *model, const char *path,
                       const cli_args *args)
{
    gersh_status status = gersh_match_file(out, model, path, args->settings);
    if (status != GERSH_OK || args->quiet || args->json || (*out)->ignored == 0)
        return status;
    fprintf(stderr, "gersh %s", args->command->name);
    cli_put_around(stderr, ": ", path, ": ignored, as the model does not know ");
    fputs((*out)->ignored == 1 ? "it:" : "them:", stderr);
    for (size_t i = 0; i < (*out)->ignored; i++)
        cli_put_around(stderr, i > 0 ? ", " : " ", (*out)->ignored_name[i], "");
    fputc('\n', stderr);
    return GERSH_OK;
}
