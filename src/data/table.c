/* Tables: finding columns, the label column, and messages that name the place in the file; see table.h. */
#include "data/table.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/settings.h"
#include "base/text.h"

void gersh__table_free(gersh__table *table)
{
    if (table == NULL)
        return;
    for (size_t j = 0; table->column != NULL && j < table->columns; j++) {
        gersh__free(table->column[j].name);
        gersh__words_clear(&table->column[j].words);
    }
    gersh__free(table->column);
    gersh__free(table->lines);
    gersh__free(table->cells);
    gersh__sparse_free(table->sparse);
    gersh__free(table->path);
    gersh__free(table);
}

double gersh__table_cell(const gersh__table *table, size_t row, size_t column)
{
    if (table->sparse == NULL)
        return table->cells[row * table->columns + column];
    return column == table->label ? table->cells[row] : gersh__sparse_entry(table->sparse, row, column);
}

gersh_status gersh__table_fail(const gersh__table *table, size_t line, size_t column, const char *format,
                               ...)
{
    char body[GERSH__MESSAGE_SIZE];
    char place[GERSH__EXCERPT_SIZE + 64] = "";
    char name[GERSH__EXCERPT_SIZE];
    size_t used = 0;
    va_list args;
    va_start(args, format);
    vsnprintf(body, sizeof body, format, args);
    va_end(args);
    if (line > 0)
        used += (size_t)snprintf(place, sizeof place, "line %zu", line);
    if (column != GERSH__NONE) {
        used += (size_t)snprintf(place + used, sizeof place - used, "%scolumn %zu", used > 0 ? ", " : "",
                                 column + 1);
        if (column < table->columns && table->column[column].name != NULL) {
            const char *own = table->column[column].name;
            used += (size_t)snprintf(place + used, sizeof place - used, " ('%s')",
                                     gersh__text_excerpt(name, sizeof name, own, strlen(own)));
        }
    }
    return gersh__fail(GERSH_ERROR_INPUT, "%s: %s%s%s", table->path != NULL ? table->path : "the table",
                       place, used > 0 ? ": " : "", body);
}

/* Writes "'a', 'b' and 7 more" into out: as many names as a message has room for. */
static void list_names(char *out, size_t size, const char *const *names, size_t count)
{
    char excerpt[GERSH__EXCERPT_SIZE];
    size_t used = 0, shown = 0;
    out[0] = '\0';
    for (; shown < count && shown < 10 && used + GERSH__EXCERPT_SIZE + 40 < size; shown++)
        used += (size_t)snprintf(
            out + used, size - used, "%s'%s'", shown > 0 ? ", " : "",
            gersh__text_excerpt(excerpt, sizeof excerpt, names[shown], strlen(names[shown])));
    if (shown < count)
        snprintf(out + used, size - used, " and %zu more", count - shown);
}

/* The sentence for a word that is neither the name nor the position of a column. */
static gersh_status fail_unknown(const gersh__table *table, const char *option, const char *which)
{
    char excerpt[GERSH__EXCERPT_SIZE], near_excerpt[GERSH__EXCERPT_SIZE], list[600];
    gersh_status status = GERSH_ERROR_ARGUMENT;
    size_t count = 0;
    const char **names = gersh__alloc(table->columns, sizeof *names);
    if (names == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t j = 0; j < table->columns; j++)
        if (table->column[j].name != NULL)
            names[count++] = table->column[j].name;
    gersh__text_excerpt(excerpt, sizeof excerpt, which, strlen(which));
    const char *nearest = gersh__text_nearest(which, names, count);
    if (count == 0) {
        gersh__fail(
            status,
            "%s: there is no column '%s' in %s, whose columns have no names; give a position from 1 to %zu",
            option, excerpt, table->path, table->columns);
    } else if (nearest != NULL) {
        gersh__fail(status, "%s: there is no column '%s' in %s; did you mean '%s'?", option, excerpt,
                    table->path,
                    gersh__text_excerpt(near_excerpt, sizeof near_excerpt, nearest, strlen(nearest)));
    } else {
        list_names(list, sizeof list, names, count);
        gersh__fail(status,
                    "%s: there is no column '%s' in %s; its columns are %s; give a name or a position from "
                    "1 to %zu",
                    option, excerpt, table->path, list, table->columns);
    }
    gersh__free(names);
    return status;
}

gersh_status gersh__table_names_new(gersh__table_names *out, const gersh__table *table)
{
    *out = (gersh__table_names){.column = gersh__alloc(table->columns, sizeof *out->column)};
    if (out->column == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t j = 0; j < table->columns; j++) {
        const char *name = table->column[j].name;
        size_t before = out->words.count,
               which = name != NULL ? gersh__words_add(&out->words, name, strlen(name)) : 0;
        if (which == GERSH__NO_WORD)
            return GERSH_ERROR_MEMORY;
        if (out->words.count > before)
            out->column[which] = j;
    }
    return GERSH_OK;
}

void gersh__table_names_clear(gersh__table_names *names)
{
    gersh__words_clear(&names->words);
    gersh__free(names->column);
    *names = (gersh__table_names){0};
}

gersh_status gersh__table_find_among(size_t *out, const gersh__table_names *names,
                                     const gersh__table *table, const char *option, const char *which)
{
    uint64_t position;
    *out = GERSH__NONE;
    if (table->columns == 0)
        return gersh__fail(GERSH_ERROR_INPUT, "%s: %s has no columns", option, table->path);
    if (strcmp(which, "last") == 0) {
        *out = table->columns - 1;
        return GERSH_OK;
    }
    size_t found = gersh__words_find(&names->words, which, strlen(which));
    if (found != GERSH__NO_WORD) {
        *out = names->column[found];
        return GERSH_OK;
    }
    if (gersh__parse_whole(which, strlen(which), 0, UINT64_MAX, &position) != 0)
        return fail_unknown(table, option, which);
    if (position == 0)
        return gersh__fail(GERSH_ERROR_ARGUMENT, "%s: column 0 is asked for but positions count from 1",
                           option);
    if (position > table->columns)
        return gersh__fail(GERSH_ERROR_ARGUMENT, "%s: column %s is asked for but %s has %zu column%s",
                           option, which, table->path, table->columns, table->columns == 1 ? "" : "s");
    *out = (size_t)position - 1;
    return GERSH_OK;
}

gersh_status gersh__table_find(size_t *out, const gersh__table *table, const char *option,
                               const char *which)
{
    gersh__table_names names;
    gersh_status status = gersh__table_names_new(&names, table);
    if (status == GERSH_OK)
        status = gersh__table_find_among(out, &names, table, option, which);
    gersh__table_names_clear(&names);
    return status;
}

gersh_status gersh__table_set_label(gersh__table *table, const gersh_settings *settings)
{
    const char *label = gersh__setting_text(settings, GERSH__LABEL);
    table->label = GERSH__NONE;
    if (*gersh__setting_text(settings, GERSH__LABELS) != '\0') {
        /* "last" is also the default, which --labels overrules. */
        if (strcmp(label, "last") != 0 && strcmp(label, "none") != 0)
            return gersh__fail(
                GERSH_ERROR_ARGUMENT,
                "--label names a column and --labels a file with the labels; give only one of them");
        return GERSH_OK;
    }
    if (strcmp(label, "none") == 0)
        return GERSH_OK;
    gersh_status status = gersh__table_find(&table->label, table, "--label", label);
    if (status == GERSH_OK)
        table->column[table->label].text = 1;
    return status;
}

gersh_status gersh__table_check_names(const gersh__table *table)
{
    gersh__words seen = {0};
    gersh_status status = GERSH_OK;
    size_t *first = gersh__alloc(table->columns, sizeof *first); /* position of each distinct name */
    if (first == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t j = 0; j < table->columns && status == GERSH_OK; j++) {
        const char *name = table->column[j].name;
        if (name == NULL)
            continue;
        size_t before = seen.count;
        size_t which = gersh__words_add(&seen, name, strlen(name));
        if (which == GERSH__NO_WORD) {
            status = GERSH_ERROR_MEMORY;
        } else if (which == before) {
            first[which] = j;
        } else {
            char excerpt[GERSH__EXCERPT_SIZE];
            status = gersh__table_fail(table, 0, GERSH__NONE,
                                       "columns %zu and %zu are both named '%s'; give each column its own "
                                       "name, or say --header no if "
                                       "the first line is data",
                                       first[which] + 1, j + 1,
                                       gersh__text_excerpt(excerpt, sizeof excerpt, name, strlen(name)));
        }
    }
    gersh__words_clear(&seen);
    gersh__free(first);
    return status;
}
