/* Lists of names that are choices of a setting; see names.h. */
#include "experiment/names.h"

#include <string.h>

#include "base/error.h"
#include "base/settings.h"
#include "base/text.h"

/* The pieces of text between the separators, blanks around them left out. Fails at an empty or a second one. */
static gersh_status split_words(gersh__words *words, const char *text, char separator, const char *option)
{
    for (const char *p = text;; p++) {
        size_t length = 0, before = words->count;
        while (p[length] != separator && p[length] != '\0')
            length++;
        const char *word = p, *end = p + length;
        while (word < end && *word == ' ')
            word++;
        while (end > word && end[-1] == ' ')
            end--;
        if (word == end)
            return gersh__fail(GERSH_ERROR_ARGUMENT,
                               "%s: a name is missing; separate names by single commas, or say all",
                               option);
        if (gersh__words_add(words, word, (size_t)(end - word)) == GERSH__NO_WORD)
            return GERSH_ERROR_MEMORY;
        if (words->count == before) {
            char excerpt[GERSH__EXCERPT_SIZE];
            return gersh__fail(GERSH_ERROR_ARGUMENT, "%s: '%s' is named twice; name it once", option,
                               gersh__text_excerpt(excerpt, sizeof excerpt, word, (size_t)(end - word)));
        }
        p += length;
        if (*p == '\0')
            return GERSH_OK;
    }
}

gersh_status gersh__names_read(gersh__words *names, const char *text, int setting, const char *option)
{
    const char *choices = gersh_settings_info(setting)->choices;
    if (strncmp(choices, "auto|", strlen("auto|")) == 0)
        choices += strlen("auto|");
    gersh__words known = {0};
    if (strcmp(text, "all") == 0)
        return split_words(names, choices, '|', option);
    gersh_status status = split_words(&known, choices, '|', option);
    if (status == GERSH_OK)
        status = split_words(names, text, ',', option);
    for (size_t i = 0; i < names->count && status == GERSH_OK; i++) {
        const char *name = names->word[i];
        if (gersh__words_find(&known, name, strlen(name)) != GERSH__NO_WORD)
            continue;
        char excerpt[GERSH__EXCERPT_SIZE];
        const char *nearest = gersh__text_nearest(name, (const char *const *)known.word, known.count);
        status =
            gersh__fail(GERSH_ERROR_ARGUMENT, "%s: '%s' is not one of %s%s%s%s", option,
                        gersh__text_excerpt(excerpt, sizeof excerpt, name, strlen(name)), choices,
                        nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
    }
    gersh__words_clear(&known);
    return status;
}

gersh_status gersh__names_settings(gersh_settings **out, const gersh_settings *settings,
                                   const char *objective, const char *solver)
{
    gersh_status status = gersh_settings_copy(out, settings);
    if (status == GERSH_OK && objective != NULL)
        status = gersh_settings_set(*out, "objective", objective);
    if (status == GERSH_OK && solver != NULL)
        status = gersh_settings_set(*out, "solver", solver);
    if (status == GERSH_OK)
        status = gersh_settings_set(*out, "threads", "1");
    return status;
}
