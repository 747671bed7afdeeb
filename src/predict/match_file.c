/*
 * Files as data for a model; see gersh/predict.h.
 *
 * A column of a file can be several features (a text column with --categorical onehot), so that files are
 * matched by column, before the rows become features, and the features once more by gersh_match_data.
 * Columns that the model does not know join the list of the setting `ignore`, so that messages still count
 * the columns of the file.
 */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/settings.h"
#include "base/text.h"
#include "base/words.h"
#include "data/dataset.h"
#include "data/names.h"
#include "gersh/predict.h"
#include "io/read.h"
#include "model/model.h"
#include "predict/match.h"

/*
 * The columns that the model's features come from, in order: of "colour=red" and "colour=blue" there is
 * one.
 */
static gersh_status model_columns(gersh__words *columns, const gersh_model *model)
{
    int onehot = strcmp(gersh_settings_get(gersh_model_settings(model), "categorical"), "onehot") == 0;
    for (size_t f = 0; f < gersh_model_features(model); f++) {
        const char *name = gersh_model_feature_name(model, f);
        size_t length = onehot ? strcspn(name, "=") : strlen(name);
        if (gersh__words_add(columns, name, length) == GERSH__NO_WORD)
            return GERSH_ERROR_MEMORY;
    }
    return GERSH_OK;
}

/* What is found out about a file. */
typedef struct file {
    const gersh_model *model;
    gersh__table *table, *labels;
    gersh_settings *settings;
    gersh__words columns; /* of the model */
    unsigned char *skip;  /* columns of the table that are ignored, by the user (1) or as unknown (2) */
    size_t label;         /* that was found, not given: GERSH__NONE where there is none */
    gersh_matched *matched;
} file;

/*
 * The settings that the file is read with: the user's, else the model's own where they are about all data.
 */
static gersh_status read_settings(file *f, const gersh_settings *settings)
{
    static const int read[] = {GERSH__LABEL, GERSH__LABELS, GERSH__FORMAT, GERSH__HEADER, GERSH__IGNORE};
    static const int kept[] = {GERSH__MISSING, GERSH__CATEGORICAL};
    const gersh_settings *own = gersh_model_settings(f->model);
    const char *task = gersh_model_task(f->model);
    gersh_status status = gersh_settings_new(&f->settings);
    for (size_t i = 0; i < sizeof read / sizeof read[0] && status == GERSH_OK; i++)
        if (gersh__setting_given(settings, read[i]))
            status = gersh_settings_set(f->settings, gersh_settings_info(read[i])->name,
                                        gersh__setting_text(settings, read[i]));
    for (size_t i = 0; i < sizeof kept / sizeof kept[0] && status == GERSH_OK; i++)
        status = gersh_settings_set(
            f->settings, gersh_settings_info(kept[i])->name,
            gersh__setting_text(gersh__setting_given(settings, kept[i]) ? settings : own, kept[i]));
    if (status == GERSH_OK && strcmp(task, "none") != 0)
        status = gersh_settings_set(f->settings, "task", task);
    return status;
}

static int is_given(const file *f)
{
    return gersh__setting_given(f->settings, GERSH__LABEL) ||
           gersh__setting_given(f->settings, GERSH__LABELS);
}

/* Columns that the user ignores in a file without names: positions, or last. */
static gersh_status skip_positions(file *f)
{
    const char *at = gersh__setting_text(f->settings, GERSH__IGNORE);
    gersh__table_names names;
    gersh_status status = gersh__table_names_new(&names, f->table);
    while (*at != '\0' && status == GERSH_OK) {
        size_t length = strcspn(at, ","), column = GERSH__NONE;
        char *item = gersh__text_copy(at, length);
        if (item == NULL) {
            status = GERSH_ERROR_MEMORY;
            break;
        }
        char *word = item + strspn(item, " \t");
        word[strcspn(word, " \t")] = '\0';
        status = gersh__table_find_among(&column, &names, f->table, "--ignore", word);
        if (status == GERSH_OK)
            f->skip[column] = 1;
        gersh__free(item);
        at += length + (at[length] == ',');
    }
    gersh__table_names_clear(&names);
    return status;
}

/* Where the model's own label was, in this file; GERSH__NONE where that is no place in it. */
static size_t label_place(const file *f, int named)
{
    const char *label = gersh_settings_get(gersh_model_settings(f->model), "label");
    const gersh__table *table = f->table;
    uint64_t position = 0;
    if (table->columns == 0 || strcmp(label, "none") == 0 ||
        strcmp(gersh_model_task(f->model), "none") == 0 ||
        *gersh_settings_get(gersh_model_settings(f->model), "labels") != '\0')
        return named || table->columns == 0 ? GERSH__NONE : table->columns - 1;
    for (size_t j = 0; j < table->columns; j++)
        if (table->column[j].name != NULL && strcmp(table->column[j].name, label) == 0)
            return j;
    if (strcmp(label, "last") == 0)
        return table->columns - 1;
    if (gersh__parse_whole(label, strlen(label), 1, table->columns, &position) == 0)
        return (size_t)position - 1;
    return named ? GERSH__NONE : table->columns - 1;
}

/* Columns without names get those of the model's columns. */
static gersh_status name_columns(file *f)
{
    gersh__table *table = f->table;
    size_t left = 0, wanted = f->columns.count, next = 0;
    gersh_status status = skip_positions(f);
    for (size_t j = 0; j < table->columns; j++)
        left += !f->skip[j] && j != table->label;
    if (status == GERSH_OK && !table->own_label && !is_given(f) && left == wanted + 1) {
        f->label = label_place(f, 0);
        left -= !f->skip[f->label];
    }
    if (status == GERSH_OK && left != wanted && !table->unlisted_are_zero)
        status = gersh__table_fail(
            table, 0, GERSH__NONE,
            "has %zu column%s without names%s but the model has %zu; leave some out with "
            "--ignore, or say with --label which one holds the labels",
            left, left == 1 ? "" : "s", table->label != GERSH__NONE ? " beside the labels" : "", wanted);
    for (size_t j = 0; j < table->columns && status == GERSH_OK; j++) {
        if (f->skip[j] || j == table->label || j == f->label || next == wanted)
            continue;
        gersh__free(table->column[j].name);
        const char *name = f->columns.word[next++];
        table->column[j].name = gersh__text_copy(name, strlen(name));
        status = table->column[j].name != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
    }
    return status;
}

/* How many columns of the file the model knows by name. */
static size_t count_known(const file *f)
{
    size_t known = 0;
    for (size_t j = 0; j < f->table->columns; j++) {
        const char *name = f->table->column[j].name;
        known += name != NULL && gersh__words_find(&f->columns, name, strlen(name)) != GERSH__NO_WORD;
    }
    return known;
}

static int all_automatic(const gersh__words *names)
{
    for (size_t i = 0; i < names->count; i++)
        if (!gersh__match_automatic(names->word[i]))
            return 0;
    return 1;
}

/* Fails at the first column of the model that a file with names does not have. */
static gersh_status check_columns(const file *f)
{
    const gersh__table *table = f->table;
    gersh__words there = {0};
    gersh_status status = GERSH_OK;
    size_t count = 0;
    const char **others = gersh__alloc(table->columns, sizeof *others);
    for (size_t j = 0; others != NULL && status == GERSH_OK && j < table->columns; j++) {
        const char *name = table->column[j].name;
        if (name == NULL)
            continue;
        if (f->skip[j] == 2 || j == f->label)
            others[count++] = name;
        if (gersh__words_add(&there, name, strlen(name)) == GERSH__NO_WORD)
            status = GERSH_ERROR_MEMORY;
    }
    if (others == NULL)
        status = GERSH_ERROR_MEMORY;
    for (size_t c = 0; c < f->columns.count && status == GERSH_OK; c++) {
        const char *name = f->columns.word[c];
        if (gersh__words_find(&there, name, strlen(name)) == GERSH__NO_WORD) {
            status = gersh__match_missing(name, others, count);
            gersh__fail_prefix(status, "%s: ", table->path);
        }
    }
    gersh__words_clear(&there);
    gersh__free(others);
    return status;
}

/* Which columns are ignored, and where the labels are. */
static gersh_status plan(file *f)
{
    gersh__table *table = f->table;
    int named = 0;
    f->skip = gersh__alloc(table->columns, 1);
    if (f->skip == NULL)
        return GERSH_ERROR_MEMORY;
    f->label = GERSH__NONE;
    if (!is_given(f) && !table->own_label)
        table->label = GERSH__NONE; /* the reader took the last one, to keep the spelling of its words */
    for (size_t j = 0; j < table->columns; j++)
        named |= table->column[j].name != NULL && table->column[j].name[0] != '\0';
    if (!named || (count_known(f) == 0 && all_automatic(&f->columns))) {
        gersh_status status = name_columns(f);
        if (status != GERSH_OK)
            return status;
    } else if (!is_given(f) && table->label == GERSH__NONE) {
        f->label = label_place(f, 1);
    }
    for (size_t j = 0; j < table->columns; j++) {
        const char *name = table->column[j].name;
        int known = name != NULL && gersh__words_find(&f->columns, name, strlen(name)) != GERSH__NO_WORD;
        if (known && j == f->label)
            f->label = GERSH__NONE;
        if (!known && j != table->label && j != f->label && !f->skip[j])
            f->skip[j] = 2;
    }
    return table->unlisted_are_zero ? GERSH_OK : check_columns(f);
}

/* The list of --ignore with the columns that the model does not know, which are noted. */
static gersh_status ignore_unknown(file *f)
{
    const gersh__table *table = f->table;
    const char *given = gersh__setting_text(f->settings, GERSH__IGNORE);
    size_t size = strlen(given) + 1, used;
    for (size_t j = 0; j < table->columns; j++)
        size += 32 + 2 * (table->column[j].name != NULL ? strlen(table->column[j].name) : 0);
    char *text = gersh__alloc(size, 1);
    if (text == NULL)
        return GERSH_ERROR_MEMORY;
    gersh_status status = GERSH_OK;
    used = (size_t)snprintf(text, size, "%s", given);
    for (size_t j = 0; j < table->columns && status == GERSH_OK; j++) {
        const char *name = table->column[j].name;
        char position[32];
        snprintf(position, sizeof position, "x%zu", j + 1);
        if (f->skip[j] != 2)
            continue;
        status = gersh__match_note(f->matched, name != NULL && name[0] != '\0' ? name : position);
        used += (size_t)snprintf(text + used, size - used, "%s", used > 0 ? "," : "");
        if (name == NULL || name[0] == '\0' || strcmp(name, "last") == 0) {
            used += (size_t)snprintf(text + used, size - used, "%s", position + 1);
            continue;
        }
        text[used++] = '"';
        for (; *name != '\0'; name++) {
            if (*name == '"')
                text[used++] = '"';
            text[used++] = *name;
        }
        text[used++] = '"';
    }
    if (status == GERSH_OK)
        status = gersh_settings_set(f->settings, "ignore", text);
    gersh__free(text);
    return status;
}

/* The data set, with the column that was found as its labels if these are what the model's are. */
static gersh_status build(gersh_dataset **data, file *f)
{
    int regress = strcmp(gersh_model_task(f->model), "regress") == 0;
    if (f->label != GERSH__NONE) {
        f->table->label = f->label;
        gersh_status status = ignore_unknown(f);
        if (status == GERSH_OK)
            status = gersh__dataset_from_table(data, f->table, f->labels, f->settings);
        if (status == GERSH_OK && regress)
            return GERSH_OK;
        gersh__names known = {0};
        int shared = 0;
        if (status == GERSH_OK)
            status = gersh__names_new(&known, "classes", f->model->class_names, f->model->classes, 1);
        for (size_t c = 0; status == GERSH_OK && !shared && c < gersh_dataset_classes(*data); c++)
            shared = gersh__names_find(&known, gersh_dataset_class_name(*data, c)) != GERSH__NO_WORD;
        gersh__names_clear(&known);
        if (shared)
            return GERSH_OK;
        gersh_dataset_free(*data);
        *data = NULL;
        if (status == GERSH_ERROR_MEMORY)
            return status;
        gersh__free_texts(f->matched->ignored_name, f->matched->ignored);
        f->matched->ignored_name = NULL;
        f->matched->ignored = 0;
        f->table->label = GERSH__NONE;
        f->skip[f->label] = 2;
    }
    gersh_status status = ignore_unknown(f);
    return status == GERSH_OK ? gersh__dataset_from_table(data, f->table, f->labels, f->settings) : status;
}

/* Where features that the file does not list are 0: columns for those behind its last one. */
static gersh_status widen(gersh_dataset *data, const file *f)
{
    size_t k = data->k, wide = gersh_model_features(f->model);
    if (!f->table->unlisted_are_zero || k >= wide)
        return GERSH_OK;
    double *x = gersh__alloc(data->n, wide * sizeof *x);
    char **names = gersh__alloc(wide, sizeof *names);
    if (x == NULL || names == NULL || gersh_dataset_densify(data) != GERSH_OK) {
        gersh__free(x);
        gersh__free(names);
        return GERSH_ERROR_MEMORY;
    }
    for (size_t i = 0; i < data->n; i++)
        memcpy(x + i * wide, data->x + i * k, k * sizeof *x);
    memcpy(names, data->feature_names, k * sizeof *names);
    gersh__free(data->x);
    gersh__free(data->feature_names);
    data->x = x;
    data->feature_names = names;
    for (data->k = k; data->k < wide; data->k++) {
        const char *name = gersh_model_feature_name(f->model, data->k);
        names[data->k] = gersh__text_copy(name, strlen(name));
        if (names[data->k] == NULL)
            return GERSH_ERROR_MEMORY;
    }
    return GERSH_OK;
}

/* Keeps what was ignored in the file, and takes over the data in the model's order. */
static gersh_status order(file *f, const gersh_dataset *data)
{
    gersh_matched *ordered = NULL;
    gersh_status status = gersh_match_data(&ordered, f->model, data);
    if (status != GERSH_OK)
        return status == GERSH_ERROR_INPUT ? gersh__fail_prefix(status, "%s: ", f->table->path) : status;
    for (size_t i = 0; i < ordered->ignored && status == GERSH_OK; i++)
        status = gersh__match_note(f->matched, ordered->ignored_name[i]);
    f->matched->data = ordered->data;
    ordered->data = NULL;
    gersh_matched_free(ordered);
    return status;
}

gersh_status gersh_match_file(gersh_matched **out, const gersh_model *model, const char *path,
                              const gersh_settings *settings)
{
    file f = {.model = model};
    gersh_dataset *data = NULL;
    *out = NULL;
    f.matched = gersh__alloc(1, sizeof *f.matched);
    gersh_status status = f.matched != NULL ? model_columns(&f.columns, model) : GERSH_ERROR_MEMORY;
    if (status == GERSH_OK)
        status = read_settings(&f, settings);
    if (status == GERSH_OK)
        status = gersh__table_read(&f.table, path, f.settings);
    if (status == GERSH_OK)
        f.table->means_later = 1; /* those of the model */
    if (status == GERSH_OK && gersh__setting_given(f.settings, GERSH__LABELS))
        status = gersh__labels_read(&f.labels, gersh__setting_text(f.settings, GERSH__LABELS), f.settings);
    if (status == GERSH_OK)
        status = plan(&f);
    if (status == GERSH_OK)
        status = build(&data, &f);
    if (status == GERSH_OK)
        status = widen(data, &f);
    if (status == GERSH_OK)
        status = order(&f, data);
    gersh_dataset_free(data);
    gersh__table_free(f.table);
    gersh__table_free(f.labels);
    gersh_settings_free(f.settings);
    gersh__words_clear(&f.columns);
    gersh__free(f.skip);
    if (status == GERSH_OK)
        *out = f.matched;
    else
        gersh_matched_free(f.matched);
    return status;
}
