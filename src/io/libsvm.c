/*
 * LIBSVM and SVMlight files: "label index:value ..." in each line, indices ascending from 1, '#' starts a
 * comment. Absent entries are 0. The table has a column for every index up to the largest, and the labels
 * as its last column, unless the settings say that there are none or that they are in another file.
 *
 * The lines are gone through twice: first to check them and to find the largest index, then to fill the
 * table, which is sparse where the file has many features and few entries.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/policy.h"
#include "base/settings.h"
#include "base/text.h"
#include "io/file.h"
#include "io/formats.h"
#include "io/scan.h"

enum { lines_to_look_at = 20 };

#define NAME_BYTES 64 /* that the name of a feature comes to take */

/* The line without its comment and the blanks around it. */
static void strip(const gersh__line *line, const char **text, size_t *length)
{
    const char *comment = memchr(line->text, '#', line->length);
    *text = line->text;
    *length = comment != NULL ? (size_t)(comment - line->text) : line->length;
    gersh__scan_trim(text, length);
}

static int looks_like_pair(const char *token, size_t length)
{
    double value;
    uint64_t index;
    const char *colon = memchr(token, ':', length);
    if (colon == NULL)
        return 0;
    size_t digits = (size_t)(colon - token);
    if (digits == 3 && memcmp(token, "qid", 3) == 0)
        return 1;
    return gersh__parse_whole(token, digits, 0, UINT64_MAX, &index) == 0 &&
           gersh__parse_double(colon + 1, length - digits - 1, &value) != GERSH__NUMBER_NONE;
}

/* The first line with more than a label decides: behind the label, it must have a pair. */
static int fits(const gersh__content *content)
{
    gersh__lines lines = gersh__lines_of(content);
    gersh__line line;
    for (int seen = 0; seen < lines_to_look_at && gersh__lines_next(&lines, &line);) {
        const char *text, *token;
        size_t length, size, at = 0;
        strip(&line, &text, &length);
        token = gersh__scan_token(text, length, &at, &size);
        if (token == NULL)
            continue;
        seen++;
        if (memchr(token, ':', size) != NULL || memchr(token, '"', size) != NULL)
            return 0;
        token = gersh__scan_token(text, length, &at, &size);
        if (token != NULL)
            return looks_like_pair(token, size);
    }
    return 0;
}

static gersh_status parse_pair(const gersh__table *table, size_t line, const char *token, size_t length,
                               size_t *index, double *value)
{
    char excerpt[GERSH__EXCERPT_SIZE];
    uint64_t whole;
    gersh__text_excerpt(excerpt, sizeof excerpt, token, length);
    const char *colon = memchr(token, ':', length);
    if (colon == NULL)
        return gersh__table_fail(table, line, GERSH__NONE, "'%s' is not an index:value pair", excerpt);
    size_t digits = (size_t)(colon - token);
    if (digits == 3 && memcmp(token, "qid", 3) == 0)
        return gersh__table_fail(table, line, GERSH__NONE,
                                 "'%s' marks a group of rows for ranking, which is not supported; take the "
                                 "qid entries out",
                                 excerpt);
    if (gersh__parse_whole(token, digits, 0, SIZE_MAX - 1, &whole) != 0)
        return gersh__table_fail(table, line, GERSH__NONE,
                                 "the index of '%s' is not a whole number, or too large", excerpt);
    if (whole == 0)
        return gersh__table_fail(table, line, GERSH__NONE, "'%s' has the index 0; indices start at 1",
                                 excerpt);
    *index = (size_t)whole;
    gersh__number kind = gersh__parse_double(colon + 1, length - digits - 1, value);
    if (kind == GERSH__NUMBER_OK)
        return GERSH_OK;
    return gersh__table_fail(table, line, GERSH__NONE, "the value of '%s' is %s", excerpt,
                             kind == GERSH__NUMBER_LARGE  ? "too large; numbers go up to about 1.8e308"
                             : kind == GERSH__NUMBER_NONE ? "not a number"
                                                          : "not finite; only finite numbers can be used");
}

static gersh_status parse_label(gersh__table *table, size_t line, const char *token, size_t length,
                                double *cell)
{
    char excerpt[GERSH__EXCERPT_SIZE];
    double number;
    gersh__text_excerpt(excerpt, sizeof excerpt, token, length);
    if (memchr(token, ':', length) != NULL)
        return gersh__table_fail(table, line, GERSH__NONE,
                                 "starts with '%s'; the label must come before the first index:value pair",
                                 excerpt);
    if (memchr(token, ',', length) != NULL)
        return gersh__table_fail(table, line, GERSH__NONE,
                                 "'%s' are several labels; each line can have one only", excerpt);
    if (cell == NULL)
        return GERSH_OK;
    gersh__cell_kind kind = gersh__scan_cell(token, length, &number);
    *cell = NAN;
    if (kind == GERSH__CELL_MISSING)
        return GERSH_OK;
    gersh__column *column = &table->column[table->label];
    if (kind != GERSH__CELL_NUMBER && column->odd_row == GERSH__NONE)
        column->odd_row = table->rows;
    return gersh__table_word(cell, table, table->label, token, length);
}

/* What the first pass finds. */
typedef struct extent {
    size_t largest; /* index */
    size_t entries;
} extent;

/* Puts an entry of row table->rows, which is the last one so far, into the table. */
static void put(gersh__table *table, size_t column, double value)
{
    gersh__sparse *sparse = table->sparse;
    if (sparse == NULL) {
        table->cells[table->rows * table->columns + column] = value;
        return;
    }
    size_t *end = &sparse->start[table->rows + 1];
    sparse->index[*end] = column;
    sparse->value[(*end)++] = value;
}

/* Where the label of row table->rows goes; NULL in the first pass, and without labels. */
static double *label_cell(const gersh__table *table)
{
    if (table->cells == NULL || table->label == GERSH__NONE)
        return NULL;
    return table->sparse != NULL ? &table->cells[table->rows]
                                 : &table->cells[table->rows * table->columns + table->label];
}

/* Checks a line; fills the row of the table in the second pass. */
static gersh_status parse_line(gersh__table *table, const gersh__line *line, const char *text,
                               size_t length, extent *found)
{
    size_t size, at = 0, before = 0;
    const char *token = gersh__scan_token(text, length, &at, &size);
    double *label = label_cell(table);
    if (table->sparse != NULL)
        table->sparse->start[table->rows + 1] = table->sparse->start[table->rows];
    gersh_status status = parse_label(table, line->number, token, size, label);
    while (status == GERSH_OK && (token = gersh__scan_token(text, length, &at, &size)) != NULL) {
        size_t index = 0;
        double value = 0;
        status = parse_pair(table, line->number, token, size, &index, &value);
        if (status != GERSH_OK)
            return status;
        if (index == before)
            return gersh__table_fail(table, line->number, GERSH__NONE, "the index %zu is there twice",
                                     index);
        if (index < before)
            return gersh__table_fail(table, line->number, GERSH__NONE,
                                     "the index %zu comes after %zu; indices must ascend", index, before);
        if (table->cells != NULL)
            put(table, index - 1, value);
        before = index;
        found->entries++;
        found->largest = index > found->largest ? index : found->largest;
    }
    return status;
}

/* Goes through all lines: counts rows and entries and finds the largest index, or fills the table's cells. */
static gersh_status parse_all(gersh__table *table, const gersh__content *content, extent *found)
{
    gersh__lines lines = gersh__lines_of(content);
    gersh__line line;
    table->rows = 0;
    while (gersh__lines_next(&lines, &line)) {
        const char *text;
        size_t length;
        strip(&line, &text, &length);
        if (length == 0)
            continue;
        gersh_status status = parse_line(table, &line, text, length, found);
        if (status != GERSH_OK)
            return status;
        if (table->cells != NULL)
            table->lines[table->rows] = line.number;
        table->rows++;
    }
    return GERSH_OK;
}

static gersh_status allocate_sparse(gersh__table *table, size_t columns, size_t entries)
{
    gersh_status status = gersh__table_make_columns(table, columns);
    if (status == GERSH_OK)
        status = gersh__sparse_new(&table->sparse, table->rows, entries);
    if (status != GERSH_OK)
        return status;
    table->lines = gersh__alloc(table->rows, sizeof *table->lines);
    table->cells = gersh__alloc(table->rows, sizeof *table->cells);
    return table->lines != NULL && table->cells != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
}

static gersh_status allocate(gersh__table *table, size_t columns, const extent *found)
{
    int sparse =
        table->may_be_sparse && found->largest > GERSH__SPARSE_FEATURES &&
        (double)found->entries * GERSH__SPARSE_SHARE <= (double)table->rows * (double)found->largest;
    double bytes = (sparse ? 0 : (double)table->rows * (double)columns * sizeof *table->cells) +
                   (double)columns * (sizeof *table->column + NAME_BYTES);
    if (bytes > gersh__memory_limit() || columns > SIZE_MAX / table->rows)
        return gersh__table_fail(
            table, 0, GERSH__NONE,
            "%zu rows and %zu columns need %.1f GB as a %s table; at most %.1f GB, half of "
            "this machine's memory, are taken",
            table->rows, columns, bytes / 1e9, sparse ? "sparse" : "dense", gersh__memory_limit() / 1e9);
    if (sparse)
        return allocate_sparse(table, columns, found->entries);
    gersh_status status = gersh__table_make_columns(table, columns);
    if (status != GERSH_OK)
        return status;
    table->lines = gersh__alloc(table->rows, sizeof *table->lines);
    table->cells = gersh__alloc(table->rows * columns, sizeof *table->cells);
    return table->lines != NULL && table->cells != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
}

static gersh_status read_libsvm(gersh__table *table, gersh__content *content,
                                const gersh_settings *settings)
{
    const char *label = gersh__setting_text(settings, GERSH__LABEL);
    char excerpt[GERSH__EXCERPT_SIZE];
    if (strcmp(label, "last") != 0 && strcmp(label, "none") != 0)
        return gersh__fail(
            GERSH_ERROR_ARGUMENT,
            "--label: '%s' cannot be the label of %s, as a LIBSVM file has its labels in front of "
            "each line; leave the option out, or use 'none'",
            gersh__text_excerpt(excerpt, sizeof excerpt, label, strlen(label)), table->path);
    extent found = {0, 0};
    gersh_status status = parse_all(table, content, &found);
    if (status != GERSH_OK)
        return status;
    if (table->rows == 0)
        return gersh__table_fail(table, 0, GERSH__NONE, "has no rows, only blank lines and comments");
    if (found.largest == 0)
        return gersh__table_fail(table, 0, GERSH__NONE, "has labels but no index:value pair");
    int labelled = strcmp(label, "last") == 0 && *gersh__setting_text(settings, GERSH__LABELS) == '\0';
    status = allocate(table, found.largest + (labelled ? 1 : 0), &found);
    if (status == GERSH_OK)
        status = gersh__table_set_label(table, settings);
    if (status == GERSH_OK)
        status = parse_all(table, content, &found);
    return status;
}

const gersh__reader gersh__reader_libsvm = {
    .format = "libsvm", .fits = fits, .read = read_libsvm, .own_label = 1, .unlisted_are_zero = 1};
