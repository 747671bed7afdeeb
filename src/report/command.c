/* The command that repeats a fit; see command.h. */
#include "report/command.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/settings.h"
#include "gersh/importance.h"
#include "objective/objective.h"

/* Whether the setting has another value than it would have if it were not given. */
static int differs(const gersh_model *model, int which)
{
    const gersh_setting_info *info = gersh_settings_info(which);
    const gersh_settings *settings = gersh_model_settings(model);
    if (which == GERSH__OBJECTIVE && gersh_model_training_accuracy(model)->samples > 0)
        return !gersh_model_training_accuracy(model)->automatic;
    if (which == GERSH__OBJECTIVE) {
        gersh__source known = gersh_model_tuples(model) != NULL
                                  ? gersh__objective_source(NULL, gersh_model_tuples(model))
                              : strcmp(gersh_model_task(model), "regress") == 0 ? GERSH__TARGETS
                                                                                : GERSH__CLASSES;
        return strcmp(gersh__setting_text(settings, which), gersh__objective_resolve("auto", known)) != 0;
    }
    return info->kind == GERSH_SETTING_NUMBER && info->choices == NULL
               ? gersh__setting_number(settings, which) != gersh__setting_number(NULL, which)
               : strcmp(gersh__setting_text(settings, which), info->initial) != 0;
}

gersh_status gersh__given_settings(gersh_settings **out, const gersh_model *model)
{
    gersh_status status = gersh_settings_new(out);
    for (int i = 0; i < gersh_settings_count() && status == GERSH_OK; i++)
        if (differs(model, i))
            status = gersh_settings_set(*out, gersh_settings_info(i)->name,
                                        gersh__setting_text(gersh_model_settings(model), i));
    return status;
}

typedef struct line {
    char *text;
    size_t length, room;
    int failed;
} line;

static void add(line *l, const char *text, size_t length)
{
    if (l->failed || gersh__grow(&l->text, &l->room, l->length + length + 1, 1) != 0) {
        l->failed = 1;
        return;
    }
    memcpy(l->text + l->length, text, length);
    l->length += length;
    l->text[l->length] = '\0';
}

/* A word of a shell's command line: in single quotes unless it is plain. */
static void add_word(line *l, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=+,@%-";
    if (*word != '\0' && word[strspn(word, plain)] == '\0') {
        add(l, word, strlen(word));
        return;
    }
    add(l, "'", 1);
    for (; *word != '\0'; word++) {
        if (*word == '\'')
            add(l, "'\\''", 4);
        else
            add(l, word, 1);
    }
    add(l, "'", 1);
}

static void add_option(line *l, const char *name, const char *value)
{
    add(l, " --", 3);
    add(l, name, strlen(name));
    if (value == NULL)
        return;
    add(l, "=", 1); /* so that a value may begin with a dash */
    add_word(l, value);
}

gersh_status gersh__fit_command(char **out, const gersh_model *model, const char *data_name)
{
    const gersh_tuples *tuples = gersh_model_tuples(model);
    const gersh_bootstrap *bootstrap = gersh_model_bootstrap(model);
    line l = {0};
    size_t rules;
    char number[32];
    *out = NULL;
    if (gersh_model_is_custom(model))
        return GERSH_OK;
    gersh_model_rules(model, &rules);
    add(&l, "gersh fit ", 10);
    add_word(&l, data_name != NULL ? data_name : "DATA");
    for (int i = 0; i < gersh_settings_count(); i++) {
        const gersh_setting_info *info = gersh_settings_info(i);
        if (differs(model, i) && info->group != GERSH_SETTINGS_GRAPH && info->group != GERSH_SETTINGS_USE)
            add_option(&l, info->name,
                       info->kind == GERSH_SETTING_FLAG
                           ? NULL
                           : gersh__setting_text(gersh_model_settings(model), i));
    }
    if (tuples != NULL)
        add_option(&l, gersh_tuple_kind_name(tuples->kind), "TUPLES");
    if (rules > 0)
        add_option(&l, "edges", "EDGES");
    if (bootstrap != NULL) {
        snprintf(number, sizeof number, "%zu", bootstrap->asked);
        add_option(&l, "bootstrap", number);
    }
    if (gersh_model_importance(model)->permutation != NULL &&
        !gersh_importance_is_blind(gersh_model_importance(model)))
        add_option(&l, "importance", "permutation");
    add(&l, " -o model.gersh", 15);
    if (l.failed) {
        gersh__free(l.text);
        return GERSH_ERROR_MEMORY;
    }
    *out = l.text;
    return GERSH_OK;
}
