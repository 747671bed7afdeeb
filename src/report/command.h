/* The command that repeats a fit. */
#ifndef GERSH_SRC_REPORT_COMMAND_H
#define GERSH_SRC_REPORT_COMMAND_H

#include "gersh/bootstrap.h"

/* The model's settings, of which only those count as given that are not at their defaults. */
gersh_status gersh__given_settings(gersh_settings **out, const gersh_model *model);

/*
 * A command for a POSIX shell, *out is the caller's (gersh__free); NULL for a model with an objective that no command
 * knows. Files that the model does not name stand there in capitals. data_name may be NULL.
 */
gersh_status gersh__fit_command(char **out, const gersh_model *model, const char *data_name);

#endif
