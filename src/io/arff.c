/*
 * ARFF files: the declarations of the attributes, then rows of values, separated by commas or blanks, or
 * sparse: "{index value, ...}" with indices ascending from 0. In a sparse row an absent number is 0, and an
 * absent nominal value the first declared one.
 */
#include "io/arff.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "io/formats.h"

static int fits(const gersh__content *content)
{
    gersh__lines lines = gersh__lines_of(content);
    gersh__line line;
    while (gersh__lines_next(&lines, &line)) {
        gersh__cursor cursor = gersh__arff_cursor(&line);
        gersh__token word = {cursor.at, 0, 0};
        if (gersh__arff_at_end(&cursor))
            continue;
        while (cursor.at + word.length < cursor.end && !gersh__scan_is_blank(cursor.at[word.length]))
            word.length++;
        return gersh__arff_is(&word, "@relation") || gersh__arff_is(&word, "@attribute");
    }
    return 0;
}

/* The declared values for a message: as many as have room, then "…". */
static const char *list_values(char *out, size_t size, const gersh__words *values)
{
    char excerpt[GERSH__EXCERPT_SIZE];
    size_t used = 0;
    for (size_t v = 0; v < values->count; v++) {
        const char *word = values->word[v];
        gersh__text_excerpt(excerpt, sizeof excerpt, word, strlen(word));
        if (used + strlen(excerpt) + 8 > size) {
            snprintf(out + used, size - used, ", …");
            break;
        }
        used += (size_t)snprintf(out + used, size - used, "%s%s", v > 0 ? ", " : "", excerpt);
    }
    return out;
}

static gersh_status fail_value(const gersh__arff *arff, size_t line, size_t column, const char *text,
                               size_t length)
{
    const gersh__arff_attribute *attribute = &arff->attribute[column];
    char excerpt[GERSH__EXCERPT_SIZE], list[256];
    gersh__text_excerpt(excerpt, sizeof excerpt, text, length);
    if (attribute->kind == GERSH__ARFF_NOMINAL)
        return gersh__table_fail(arff->table, line, column, "'%s' is not one of the declared values: %s",
                                 excerpt, list_values(list, sizeof list, &attribute->values));
    return gersh__table_fail(arff->table, line, column,
                             "'%s' is not a number, but the attribute is numeric", excerpt);
}

/* Puts a value that is there into the row at hand. */
static gersh_status set_value(gersh__arff *arff, size_t line, size_t column, const char *text,
                              size_t length)
{
    const gersh__arff_attribute *attribute = &arff->attribute[column];
    gersh__table *table = arff->table;
    gersh__column *there = &table->column[column];
    double *cell = &table->cells[table->rows * table->columns + column];
    double number = 0;
    gersh__number kind = gersh__parse_double(text, length, &number);
    if (attribute->kind == GERSH__ARFF_NOMINAL &&
        gersh__words_find(&attribute->values, text, length) == GERSH__NO_WORD)
        return fail_value(arff, line, column, text, length);
    if (attribute->kind == GERSH__ARFF_NUMBER && kind != GERSH__NUMBER_OK) {
        if (kind == GERSH__NUMBER_LARGE || kind == GERSH__NUMBER_INF)
            return gersh__scan_fail(table, line, column,
                                    kind == GERSH__NUMBER_LARGE ? GERSH__CELL_LARGE : GERSH__CELL_INFINITE,
                                    text, length);
        return fail_value(arff, line, column, text, length);
    }
    *cell = number;
    if (!there->text)
        return GERSH_OK;
    if (there->odd_row == GERSH__NONE && kind != GERSH__NUMBER_OK)
        there->odd_row = table->rows;
    return gersh__table_word(cell, table, column, text, length);
}

static gersh_status set_token(gersh__arff *arff, size_t line, size_t column, const gersh__token *token)
{
    gersh__table *table = arff->table;
    if (!token->quoted && token->length == 0)
        return gersh__table_fail(table, line, column, "the value is empty; write ? for a missing value");
    if (!token->quoted && token->length == 1 && *token->text == '?') {
        table->cells[table->rows * table->columns + column] = NAN;
        return GERSH_OK;
    }
    return set_value(arff, line, column, token->text, token->length);
}

/* Moves over what separates values: blanks, and at most one comma. */
static int skip_separator(gersh__cursor *cursor)
{
    gersh__arff_skip_blanks(cursor);
    int comma = cursor->at < cursor->end && *cursor->at == ',';
    cursor->at += comma;
    gersh__arff_skip_blanks(cursor);
    return comma;
}

static gersh_status fail_weight(const gersh__arff *arff, const gersh__cursor *cursor)
{
    return gersh__table_fail(
        arff->table, cursor->line, GERSH__NONE,
        "a brace comes after the values; weights of rows are not supported, and values with "
        "braces need quotes");
}

static gersh_status read_dense(gersh__arff *arff, gersh__cursor *cursor)
{
    const gersh__table *table = arff->table;
    size_t values = 0;
    int more = 1;
    while (more || !gersh__arff_at_end(cursor)) {
        gersh__token token;
        if (cursor->at < cursor->end && strchr("{}", *cursor->at) != NULL)
            return fail_weight(arff, cursor);
        gersh_status status = gersh__arff_token(&token, cursor, table);
        if (status == GERSH_OK && values < table->columns)
            status = set_token(arff, cursor->line, values, &token);
        if (status != GERSH_OK)
            return status;
        values++;
        more = skip_separator(cursor);
    }
    if (values != table->columns)
        return gersh__table_fail(table, cursor->line, GERSH__NONE,
                                 "%zu value%s where %zu attribute%s are declared", values,
                                 values == 1 ? "" : "s", table->columns, table->columns == 1 ? "" : "s");
    return GERSH_OK;
}

/* Fills in the attributes from `from` up to `to` that a sparse row leaves out. */
static gersh_status set_absent(gersh__arff *arff, size_t line, size_t from, size_t to)
{
    gersh_status status = GERSH_OK;
    for (size_t column = from; column < to && status == GERSH_OK; column++) {
        const gersh__arff_attribute *attribute = &arff->attribute[column];
        if (attribute->kind == GERSH__ARFF_TEXT)
            return gersh__table_fail(
                arff->table, line, column,
                "a sparse row leaves out this text attribute, so that its value is not "
                "known; write it out");
        const char *text = attribute->kind == GERSH__ARFF_NUMBER ? "0" : attribute->values.word[0];
        status = set_value(arff, line, column, text, strlen(text));
    }
    return status;
}

/* One "index value" of a sparse row; *next is the attribute behind the last one. */
static gersh_status read_pair(gersh__arff *arff, gersh__cursor *cursor, size_t *next)
{
    const gersh__table *table = arff->table;
    gersh__token index, value;
    char excerpt[GERSH__EXCERPT_SIZE];
    uint64_t column = 0;
    gersh_status status = gersh__arff_token(&index, cursor, table);
    if (status != GERSH_OK)
        return status;
    gersh__text_excerpt(excerpt, sizeof excerpt, index.text, index.length);
    if (index.quoted || gersh__parse_whole(index.text, index.length, 0, table->columns - 1, &column) != 0)
        return gersh__table_fail(table, cursor->line, GERSH__NONE,
                                 "'%s' is not an index from 0 to %zu of a sparse row", excerpt,
                                 table->columns - 1);
    if (column < *next)
        return gersh__table_fail(table, cursor->line, GERSH__NONE,
                                 "the index %s comes too late; the indices of a sparse row must ascend",
                                 excerpt);
    gersh__arff_skip_blanks(cursor);
    status = gersh__arff_token(&value, cursor, table);
    if (status == GERSH_OK)
        status = set_absent(arff, cursor->line, *next, (size_t)column);
    if (status == GERSH_OK)
        status = set_token(arff, cursor->line, (size_t)column, &value);
    *next = (size_t)column + 1;
    return status;
}

static gersh_status read_sparse(gersh__arff *arff, gersh__cursor *cursor)
{
    const gersh__table *table = arff->table;
    size_t next = 0;
    int more = 0;
    cursor->at++;
    gersh__arff_skip_blanks(cursor);
    while (more || (cursor->at < cursor->end && *cursor->at != '}')) {
        gersh_status status = read_pair(arff, cursor, &next);
        if (status != GERSH_OK)
            return status;
        more = skip_separator(cursor);
        if (!more && cursor->at < cursor->end && *cursor->at != '}')
            return gersh__table_fail(table, cursor->line, GERSH__NONE,
                                     "a comma is missing between the entries of a sparse row");
    }
    if (cursor->at == cursor->end)
        return gersh__table_fail(table, cursor->line, GERSH__NONE, "the sparse row has no closing brace");
    cursor->at++;
    skip_separator(cursor);
    if (!gersh__arff_at_end(cursor))
        return *cursor->at == '{'
                   ? fail_weight(arff, cursor)
                   : gersh__table_fail(table, cursor->line, GERSH__NONE,
                                       "there is text behind the sparse row's closing brace");
    return set_absent(arff, cursor->line, next, table->columns);
}

static gersh_status make_columns(gersh__arff *arff, const gersh_settings *settings)
{
    gersh__table *table = arff->table;
    gersh_status status = gersh__table_make_columns(table, arff->count);
    if (status != GERSH_OK)
        return status;
    for (size_t j = 0; j < arff->count; j++) {
        gersh__arff_attribute *attribute = &arff->attribute[j];
        gersh__column *column = &table->column[j];
        column->name = attribute->name;
        attribute->name = NULL;
        column->named_text = attribute->kind == GERSH__ARFF_NOMINAL && !attribute->numeric;
        column->text = column->named_text || attribute->kind == GERSH__ARFF_TEXT;
    }
    status = gersh__table_check_names(table);
    return status == GERSH_OK ? gersh__table_set_label(table, settings) : status;
}

static gersh_status read_rows(gersh__arff *arff, gersh__lines *lines)
{
    gersh__table *table = arff->table;
    gersh__line line;
    while (gersh__lines_next(lines, &line)) {
        gersh__cursor cursor = gersh__arff_cursor(&line);
        if (gersh__arff_at_end(&cursor))
            continue;
        gersh_status status = gersh__table_make_row(table, &arff->capacity);
        if (status == GERSH_OK)
            status = *cursor.at == '{' ? read_sparse(arff, &cursor) : read_dense(arff, &cursor);
        if (status != GERSH_OK)
            return status;
        table->lines[table->rows++] = line.number;
    }
    if (table->rows == 0)
        return gersh__table_fail(table, 0, GERSH__NONE, "has no rows behind the line '@data'");
    return GERSH_OK;
}

static gersh_status read_arff(gersh__table *table, gersh__content *content, const gersh_settings *settings)
{
    gersh__arff arff = {.table = table};
    gersh__lines lines = gersh__lines_of(content);
    gersh_status status = gersh__arff_read_header(&arff, &lines);
    if (status == GERSH_OK)
        status = make_columns(&arff, settings);
    if (status == GERSH_OK)
        status = read_rows(&arff, &lines);
    for (size_t j = 0; j < arff.count; j++) {
        gersh__free(arff.attribute[j].name);
        gersh__words_clear(&arff.attribute[j].values);
    }
    gersh__free(arff.attribute);
    gersh__words_clear(&arff.names);
    return status;
}

const gersh__reader gersh__reader_arff = {.format = "arff", .fits = fits, .read = read_arff};
