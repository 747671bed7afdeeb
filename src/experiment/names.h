/* Lists of objectives and solvers, and the settings of one fit among many. */
#ifndef GERSH_SRC_EXPERIMENT_NAMES_H
#define GERSH_SRC_EXPERIMENT_NAMES_H

#include "base/words.h"
#include "gersh/settings.h"

/*
 * Adds the names in the text, separated by commas, each of them a choice of the setting other than "auto"; "all" is
 * all of these. What
 * is wrong is told with `option` in front, such as "--solvers". The words are to be cleared on failure too.
 */
gersh_status gersh__names_read(gersh__words *names, const char *text, int setting, const char *option);

/* The user's settings for a fit in one thread, with that objective and solver; NULL: as they are. */
gersh_status gersh__names_settings(gersh_settings **out, const gersh_settings *settings,
                                   const char *objective, const char *solver);

#endif
