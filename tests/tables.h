/* Tables written as text, and the data sets made from them. */
#ifndef GERSH_TESTS_TABLES_H
#define GERSH_TESTS_TABLES_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "check.h"
#include "data/dataset.h"

/* Names separated by bars, or "" for none. */
static inline void set_names(gersh__table *table, const char *names)
{
    for (size_t j = 0; j < table->columns && *names != '\0'; j++) {
        size_t length = strcspn(names, "|");
        table->column[j].name = gersh__text_copy(names, length);
        names += length + (names[length] == '|');
    }
}

static inline void set_cell(gersh__table *table, size_t i, size_t j, const char *text, size_t length)
{
    double *cell = &table->cells[i * table->columns + j];
    if (length == 0)
        *cell = NAN;
    else if (table->column[j].text)
        *cell = (double)gersh__words_add(&table->column[j].words, text, length);
    else
        assert_int_equal(gersh__parse_double(text, length, cell), GERSH__NUMBER_OK);
}

/*
 * A table as a reader makes it: names and rows have cells separated by '|', rows end in ';'. A column is
 * text when it is the label or a cell of it is no number. Row i is on line 2 i + 3.
 */
static inline gersh__table *make_table(const char *names, const char *rows, const gersh_settings *settings)
{
    gersh__table *table = gersh__alloc(1, sizeof *table);
    size_t columns = 1, count = 0;
    for (const char *p = rows; *p != ';'; p++)
        columns += *p == '|';
    for (const char *p = rows; *p != '\0'; p++)
        count += *p == ';';
    *table = (gersh__table){.path = gersh__text_copy("f.csv", 5),
                            .format = "csv",
                            .rows = count,
                            .columns = columns,
                            .label = GERSH__NONE};
    table->cells = gersh__alloc(count * columns, sizeof *table->cells);
    table->lines = gersh__alloc(count, sizeof *table->lines);
    table->column = gersh__alloc(columns, sizeof *table->column);
    set_names(table, names);
    for (size_t j = 0; j < columns; j++)
        table->column[j].odd_row = GERSH__NONE;
    if (gersh__table_set_label(table, settings) != GERSH_OK)
        return table;
    for (int pass = 0; pass < 2; pass++) {
        const char *p = rows;
        for (size_t i = 0; i < count; i++) {
            table->lines[i] = 2 * i + 3;
            for (size_t j = 0; j < columns; j++) {
                size_t length = strcspn(p, "|;");
                double value;
                gersh__column *column = &table->column[j];
                if (pass == 1)
                    set_cell(table, i, j, p, length);
                else if (length > 0 && gersh__parse_double(p, length, &value) != GERSH__NUMBER_OK) {
                    column->text = 1;
                    column->odd_row = column->odd_row == GERSH__NONE ? i : column->odd_row;
                }
                p += length + 1;
            }
        }
    }
    return table;
}

/* Settings from pairs of name and value, ended by NULL. */
static inline gersh_settings *settings_of(const char *const *pairs)
{
    gersh_settings *settings = NULL;
    assert_ok(gersh_settings_new(&settings));
    for (; pairs != NULL && pairs[0] != NULL; pairs += 2)
        assert_ok(gersh_settings_set(settings, pairs[0], pairs[1]));
    return settings;
}

#define WITH(...) ((const char *const[]){__VA_ARGS__, NULL})

static inline gersh_dataset *load(const char *names, const char *rows, const char *const *pairs)
{
    gersh_dataset *data = NULL;
    gersh_settings *settings = settings_of(pairs);
    gersh__table *table = make_table(names, rows, settings);
    assert_ok(gersh__dataset_from_table(&data, table, NULL, settings));
    gersh__table_free(table);
    gersh_settings_free(settings);
    return data;
}

/* Loading must fail with exactly this sentence. */
static inline void refused(const char *names, const char *rows, const char *const *pairs,
                           const char *sentence)
{
    gersh_dataset *data = NULL;
    gersh_settings *settings = settings_of(pairs);
    gersh__table *table = make_table(names, rows, settings);
    gersh_status status = table->label == GERSH__NONE && table->cells[0] == 0 && table->lines[0] == 0
                              ? GERSH_ERROR_ARGUMENT /* set_label failed already */
                              : gersh__dataset_from_table(&data, table, NULL, settings);
    assert_int_not_equal(status, GERSH_OK);
    assert_null(data);
    assert_string_equal(gersh_last_error(), sentence);
    gersh__table_free(table);
    gersh_settings_free(settings);
}

/* Feature and class names and the values, as one text. */
static inline void assert_data(const gersh_dataset *data, const char *expected)
{
    char text[2000];
    size_t used = 0;
    for (size_t j = 0; j < gersh_dataset_features(data); j++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", j ? " " : "",
                                 gersh_dataset_feature_name(data, j));
    for (size_t c = 0; c < gersh_dataset_classes(data); c++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", c ? " " : " -> ",
                                 gersh_dataset_class_name(data, c));
    for (size_t i = 0; i < gersh_dataset_rows(data); i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, " |");
        for (size_t j = 0; j < gersh_dataset_features(data); j++)
            used += (size_t)snprintf(text + used, sizeof text - used, " %g",
                                     gersh_dataset_values(data)[i * gersh_dataset_features(data) + j]);
        if (gersh_dataset_labels(data) != NULL)
            used +=
                (size_t)snprintf(text + used, sizeof text - used, " : %d", gersh_dataset_labels(data)[i]);
        if (gersh_dataset_targets(data) != NULL)
            used +=
                (size_t)snprintf(text + used, sizeof text - used, " : %g", gersh_dataset_targets(data)[i]);
    }
    assert_string_equal(text, expected);
}

static inline void loads(const char *names, const char *rows, const char *const *pairs,
                         const char *expected)
{
    gersh_dataset *data = load(names, rows, pairs);
    assert_data(data, expected);
    gersh_dataset_free(data);
}

#endif
