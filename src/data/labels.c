/* Class labels and targets from a column of a table. */
#define _GNU_SOURCE
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/settings.h"
#include "base/text.h"
#include "data/build.h"

/* Whole-number labels are targets when there are more of them than this and than half of the rows. */
#define MANY_CLASSES 20

gersh_status gersh__cell_fail(const gersh__table *table, size_t row, size_t column, const char *format, ...)
{
    char body[GERSH__MESSAGE_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(body, sizeof body, format, args);
    va_end(args);
    if (table->lines != NULL)
        return gersh__table_fail(table, table->lines[row], column, "%s", body);
    return gersh__table_fail(table, 0, column, "row %zu: %s", row + 1, body);
}

/*
 * The shortest decimal number that reads back as value, with a point in every locale; returns its length.
 * %g drops zeros at the end, so fewer than 15 digits need no try of their own.
 */
static size_t print_number(char *out, size_t size, double value)
{
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t before = uselocale(c_locale);
    size_t length = 0;
    for (int digits = 15; digits <= 17; digits++) {
        double back = 0;
        length = (size_t)snprintf(out, size, "%.*g", digits, value);
        if (gersh__parse_double(out, length, &back) == GERSH__NUMBER_OK && back == value)
            break;
    }
    uselocale(before);
    freelocale(c_locale);
    return length;
}

/* The label of each row as a number of a word: the table's own, or the printed numbers in `own`. */
static gersh_status words_of_rows(size_t *word, gersh__words *own, const gersh__table *table, size_t column)
{
    char text[64];
    for (size_t i = 0; i < table->rows; i++) {
        double cell = gersh__table_cell(table, i, column);
        if (isnan(cell))
            return gersh__cell_fail(
                table, i, column,
                "the label is missing; complete it or remove the row, or choose another "
                "column with --label");
        if (table->column[column].text) {
            word[i] = (size_t)cell;
            continue;
        }
        if (isinf(cell))
            return gersh__cell_fail(table, i, column,
                                    "the label is infinite; labels must be finite numbers");
        word[i] = gersh__words_add(own, text, print_number(text, sizeof text, cell == 0 ? 0.0 : cell));
        if (word[i] == GERSH__NO_WORD)
            return GERSH_ERROR_MEMORY;
    }
    return GERSH_OK;
}

/* Whether the setting `task`, or for `auto` the labels themselves, ask for classes. */
static int are_classes(const gersh__values *values, size_t rows, int named_text,
                       const gersh_settings *settings)
{
    if (!gersh__setting_is(settings, GERSH__TASK, "auto"))
        return gersh__setting_is(settings, GERSH__TASK, "classify");
    if (named_text || !values->numeric)
        return 1;
    for (size_t v = 0; v < values->count; v++)
        if (values->number[v] != floor(values->number[v]))
            return 0;
    return values->count <= MANY_CLASSES || values->count <= rows / 2;
}

gersh_status gersh__dataset_set_classes(gersh_dataset *data, const gersh__values *values,
                                        const size_t *word)
{
    if (values->count > INT_MAX)
        return gersh__fail(GERSH_ERROR_INPUT, "there are %zu classes; at most %d are possible",
                           values->count, INT_MAX);
    data->labels = gersh__alloc(data->n, sizeof *data->labels);
    data->class_names = gersh__alloc(values->count, sizeof *data->class_names);
    if (data->labels == NULL || data->class_names == NULL)
        return GERSH_ERROR_MEMORY;
    data->classes = values->count;
    for (size_t c = 0; c < values->count; c++) {
        data->class_names[c] = gersh__text_copy(values->name[c], strlen(values->name[c]));
        if (data->class_names[c] == NULL)
            return GERSH_ERROR_MEMORY;
    }
    for (size_t i = 0; i < data->n; i++)
        data->labels[i] = (int)values->of_word[word[i]];
    return GERSH_OK;
}

/* Targets: every row's own spelling is read, so that long decimals keep all their digits. */
static gersh_status set_targets(gersh_dataset *data, const gersh__table *table, size_t column,
                                const gersh__words *words, const size_t *word)
{
    data->targets = gersh__alloc(data->n, sizeof *data->targets);
    if (data->targets == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t i = 0; i < data->n; i++) {
        char excerpt[GERSH__EXCERPT_SIZE];
        const char *text = words->word[word[i]];
        gersh__number kind = gersh__parse_double(text, strlen(text), &data->targets[i]);
        if (kind != GERSH__NUMBER_OK)
            return gersh__cell_fail(
                table, i, column,
                "the label '%s' is not a %snumber; --task regress needs numbers, or say "
                "--task classify",
                gersh__text_excerpt(excerpt, sizeof excerpt, text, strlen(text)),
                kind == GERSH__NUMBER_NONE ? "" : "finite ");
    }
    return GERSH_OK;
}

gersh_status gersh__dataset_set_labels(gersh_dataset *data, const gersh__table *table, size_t column,
                                       const gersh_settings *settings)
{
    gersh_status status = GERSH_ERROR_MEMORY;
    gersh__words own = {0};
    gersh__values values = {0};
    unsigned char *used = NULL;
    const gersh__words *words = table->column[column].text ? &table->column[column].words : &own;
    size_t *word = gersh__alloc(table->rows, sizeof *word);
    if (word == NULL)
        goto out;
    status = words_of_rows(word, &own, table, column);
    if (status != GERSH_OK)
        goto out;
    status = GERSH_ERROR_MEMORY;
    used = gersh__alloc(words->count, 1);
    if (used == NULL)
        goto out;
    for (size_t i = 0; i < table->rows; i++)
        used[word[i]] = 1;
    status = gersh__values_find(&values, words, used);
    if (status != GERSH_OK)
        goto out;
    if (are_classes(&values, table->rows, table->column[column].named_text, settings))
        status = gersh__dataset_set_classes(data, &values, word);
    else
        status = set_targets(data, table, column, words, word);
out:
    gersh__values_clear(&values);
    gersh__words_clear(&own);
    gersh__free(used);
    gersh__free(word);
    return status;
}
