/*
 * From a table to a data set: which columns are features, text columns as 0/1 features, and missing values.
 *
 * With --missing mean a missing value of a numeric column becomes the mean of the present ones; in a text
 * column every 0/1 feature becomes the share of its value, which is the mean of that feature.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/settings.h"
#include "base/text.h"
#include "data/build.h"
#include "data/names.h"

/* What is to become of one column. */
typedef struct plan {
    int skip;             /* the label, the weights, or ignored */
    int categorical;      /* one feature for each of `values` */
    gersh__values values; /* of a categorical column */
} plan;

/* Copies the next name of the list *at into item (strlen(*at) + 1 bytes) and moves *at behind its comma. */
static gersh_status next_item(char *item, const char **at)
{
    const char *p = *at;
    size_t used = 0;
    while (*p == ' ' || *p == '\t')
        p++;
    if (*p == '"') {
        for (p++; *p != '\0' && (*p != '"' || p[1] == '"'); p++) {
            p += *p == '"';
            item[used++] = *p;
        }
        if (*p != '"')
            return gersh__fail(GERSH_ERROR_ARGUMENT, "--ignore: a quoted name has no closing quote");
        for (p++; *p == ' ' || *p == '\t'; p++)
            ;
        if (*p != ',' && *p != '\0')
            return gersh__fail(
                GERSH_ERROR_ARGUMENT,
                "--ignore: a comma is missing after a quoted name; separate names with commas");
    } else {
        for (; *p != ',' && *p != '\0'; p++)
            item[used++] = *p;
        while (used > 0 && (item[used - 1] == ' ' || item[used - 1] == '\t'))
            used--;
        if (used == 0)
            return gersh__fail(
                GERSH_ERROR_ARGUMENT,
                "--ignore: there is an empty name in the list; separate names with single commas");
    }
    item[used] = '\0';
    *at = *p == ',' ? p + 1 : NULL;
    return GERSH_OK;
}

static gersh_status plan_ignored(plan *plans, const gersh__table *table, const gersh_settings *settings)
{
    const char *at = gersh__setting_text(settings, GERSH__IGNORE);
    if (*at == '\0')
        return GERSH_OK;
    gersh__table_names names = {0};
    char *item = gersh__alloc(strlen(at) + 1, 1);
    gersh_status status = item != NULL ? gersh__table_names_new(&names, table) : GERSH_ERROR_MEMORY;
    while (at != NULL && status == GERSH_OK) {
        size_t column = GERSH__NONE;
        status = next_item(item, &at);
        if (status == GERSH_OK)
            status = gersh__table_find_among(&column, &names, table, "--ignore", item);
        if (status == GERSH_OK && column == table->label)
            status = gersh__fail(
                GERSH_ERROR_ARGUMENT,
                "--ignore: column %zu of %s is the label column; name another one with --label, "
                "or say --label none",
                column + 1, table->path);
        if (status == GERSH_OK)
            plans[column].skip = 1;
    }
    gersh__table_names_clear(&names);
    gersh__free(item);
    return status;
}

/* The column that the setting `weights` names, GERSH__NONE without one. */
static gersh_status plan_weights(size_t *column, plan *plans, const gersh__table *table,
                                 const gersh_settings *settings)
{
    const char *which = gersh__setting_text(settings, GERSH__WEIGHTS);
    *column = GERSH__NONE;
    if (*which == '\0')
        return GERSH_OK;
    gersh_status status = gersh__table_find(column, table, "--weights", which);
    if (status != GERSH_OK)
        return status;
    if (plans[*column].skip)
        return gersh__fail(GERSH_ERROR_ARGUMENT, "--weights: column %zu of %s is %s; name another column",
                           *column + 1, table->path,
                           *column == table->label ? "the label column" : "ignored");
    plans[*column].skip = 1;
    return GERSH_OK;
}

/* 1 when the text is a number but for a comma in place of its point. */
static int has_decimal_comma(const char *text)
{
    char copy[64];
    double value;
    size_t length = strlen(text);
    const char *comma = strchr(text, ',');
    if (comma == NULL || length >= sizeof copy || strchr(text, '.') != NULL)
        return 0;
    memcpy(copy, text, length);
    copy[comma - text] = '.';
    return gersh__parse_double(copy, length, &value) == GERSH__NUMBER_OK;
}

/* What to write after --ignore for this column: its name where that needs no quotes, else its position. */
static const char *ignore_word(char *out, size_t size, const gersh__table *table, size_t column)
{
    const char *name = table->column[column].name;
    int plain = name != NULL && *name != '\0' && strlen(name) <= 40 && strcmp(name, "last") != 0;
    for (const char *p = name; plain && *p != '\0'; p++)
        plain = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') ||
                strchr("_.-", *p) != NULL;
    if (plain)
        snprintf(out, size, "%s", name);
    else
        snprintf(out, size, "%zu", column + 1);
    return out;
}

static gersh_status refuse_text(const gersh__table *table, size_t column)
{
    char excerpt[GERSH__EXCERPT_SIZE], word[64];
    const gersh__column *info = &table->column[column];
    ignore_word(word, sizeof word, table, column);
    if (info->odd_row == GERSH__NONE || info->odd_row >= table->rows)
        return gersh__table_fail(table, 0, column,
                                 "the file declares this column as text; use --categorical onehot for text "
                                 "columns, or --ignore %s",
                                 word);
    double cell = gersh__table_cell(table, info->odd_row, column);
    const char *text = isnan(cell) ? "" : info->words.word[(size_t)cell];
    gersh__text_excerpt(excerpt, sizeof excerpt, text, strlen(text));
    if (has_decimal_comma(text))
        return gersh__cell_fail(table, info->odd_row, column,
                                "'%s' has a decimal comma; write numbers with a point", excerpt);
    return gersh__cell_fail(
        table, info->odd_row, column,
        "'%s' is not a number; use --categorical onehot for text columns, or --ignore %s", excerpt, word);
}

/* The distinct values of a text column. */
static gersh_status plan_categorical(plan *plans, const gersh__table *table, size_t column)
{
    const gersh__words *words = &table->column[column].words;
    unsigned char *used = gersh__alloc(words->count, 1);
    if (used == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t i = 0; i < table->rows; i++) {
        double cell = gersh__table_cell(table, i, column);
        if (!isnan(cell))
            used[(size_t)cell] = 1;
    }
    gersh_status status = gersh__values_find(&plans[column].values, words, used);
    gersh__free(used);
    plans[column].categorical = 1;
    if (status == GERSH_OK && plans[column].values.count == 0) {
        char word[64];
        return gersh__table_fail(table, 0, column, "the column has no values at all; use --ignore %s",
                                 ignore_word(word, sizeof word, table, column));
    }
    return status;
}

/* Decides on every column and counts the features. */
static gersh_status plan_columns(plan *plans, size_t *features, size_t *weights, const gersh__table *table,
                                 const gersh_settings *settings)
{
    int onehot = gersh__setting_is(settings, GERSH__CATEGORICAL, "onehot");
    size_t kept = 0;
    *features = 0;
    if (table->label != GERSH__NONE)
        plans[table->label].skip = 1;
    gersh_status status = plan_ignored(plans, table, settings);
    if (status == GERSH_OK)
        status = plan_weights(weights, plans, table, settings);
    for (size_t j = 0; j < table->columns && status == GERSH_OK; j++) {
        const gersh__column *info = &table->column[j];
        if (plans[j].skip)
            continue;
        kept++;
        if (info->text && (info->named_text || info->odd_row != GERSH__NONE))
            status = onehot ? plan_categorical(plans, table, j) : refuse_text(table, j);
        *features += plans[j].categorical ? plans[j].values.count : 1;
    }
    if (status != GERSH_OK || kept > 0)
        return status;
    if (*weights != GERSH__NONE)
        return gersh__table_fail(table, 0, GERSH__NONE,
                                 "no feature columns are left beside the label and the weights");
    if (table->columns > (table->label != GERSH__NONE))
        return gersh__fail(GERSH_ERROR_ARGUMENT,
                           "--ignore: every feature of %s is ignored; keep at least one", table->path);
    return gersh__table_fail(
        table, 0, GERSH__NONE, "there are no feature columns: the file has %zu column%s%s", table->columns,
        table->columns == 1 ? "" : "s",
        table->label != GERSH__NONE ? ", which holds the labels; use --label none if it does not" : "");
}

/* The first missing value in the order of the file is refused. */
static gersh_status refuse_missing(const plan *plans, const gersh__table *table)
{
    for (size_t i = 0; i < table->rows; i++)
        for (size_t j = 0; j < table->columns; j++)
            if (!plans[j].skip && isnan(gersh__table_cell(table, i, j)))
                return gersh__cell_fail(
                    table, i, j,
                    "the value is missing; use --missing mean or --missing zero to fill it in");
    return GERSH_OK;
}

static gersh_status name_feature(gersh_dataset *data, size_t feature, const gersh__table *table,
                                 size_t column, const char *value)
{
    char position[32];
    const char *name = table->column[column].name;
    if (name == NULL || *name == '\0') {
        snprintf(position, sizeof position, "x%zu", column + 1);
        name = position;
    }
    size_t length = strlen(name);
    size_t size = length + (value != NULL ? 1 + strlen(value) : 0) + 1;
    char *copy = gersh__alloc(size, 1);
    if (copy == NULL)
        return GERSH_ERROR_MEMORY;
    snprintf(copy, size, "%s%s%s", name, value != NULL ? "=" : "", value != NULL ? value : "");
    data->feature_names[feature] = copy;
    return GERSH_OK;
}

/* The column as one feature. present: room for all rows. */
static gersh_status fill_numeric(gersh_dataset *data, size_t feature, const gersh__table *table,
                                 size_t column, int mean, double *present)
{
    const gersh__column *info = &table->column[column];
    double *x = data->x + feature;
    double fill = 0, scratch[2];
    size_t count = 0;
    for (size_t i = 0; i < data->n; i++) {
        double cell = gersh__table_cell(table, i, column);
        if (!isnan(cell) && info->text) {
            const char *text = info->words.word[(size_t)cell];
            if (gersh__parse_double(text, strlen(text), &cell) != GERSH__NUMBER_OK)
                return gersh__cell_fail(table, i, column, "the value is not a number");
        }
        if (isinf(cell))
            return gersh__cell_fail(table, i, column,
                                    "the value is infinite; values must be finite numbers");
        x[i * data->k] = cell;
        if (!isnan(cell))
            present[count++] = cell;
    }
    if (count == data->n)
        return GERSH_OK;
    if (mean && count == 0) {
        char word[64];
        return gersh__table_fail(table, 0, column,
                                 "the column has no values, so no mean; use --missing zero or --ignore %s",
                                 ignore_word(word, sizeof word, table, column));
    }
    if (mean)
        gersh__column_means(&fill, scratch, count, 1, present);
    for (size_t i = 0; i < data->n; i++)
        if (isnan(x[i * data->k]))
            x[i * data->k] = fill;
    data->filled += data->n - count;
    return GERSH_OK;
}

/* The column as one 0/1 feature for each value, from `feature` on. share: room for one entry a value. */
static void fill_categorical(gersh_dataset *data, size_t feature, const gersh__table *table, size_t column,
                             const gersh__values *values, int mean, double *share)
{
    size_t count = 0;
    memset(share, 0, values->count * sizeof *share);
    for (size_t i = 0; i < data->n; i++) {
        double cell = gersh__table_cell(table, i, column);
        if (isnan(cell))
            continue;
        size_t value = values->of_word[(size_t)cell];
        data->x[i * data->k + feature + value] = 1;
        share[value] += 1;
        count++;
    }
    data->filled += data->n - count;
    if (!mean)
        return;
    for (size_t i = 0; i < data->n; i++)
        if (isnan(gersh__table_cell(table, i, column)))
            for (size_t v = 0; v < values->count; v++)
                data->x[i * data->k + feature + v] = share[v] / (double)count;
}

static gersh_status fill_features(gersh_dataset *data, const plan *plans, const gersh__table *table,
                                  int mean)
{
    gersh_status status = GERSH_OK;
    size_t feature = 0;
    double *scratch = gersh__alloc(data->n > data->k ? data->n : data->k, sizeof *scratch);
    if (scratch == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t j = 0; j < table->columns && status == GERSH_OK; j++) {
        if (plans[j].skip)
            continue;
        if (!plans[j].categorical) {
            status = name_feature(data, feature, table, j, NULL);
            if (status == GERSH_OK)
                status = fill_numeric(data, feature++, table, j, mean, scratch);
            continue;
        }
        const gersh__values *values = &plans[j].values;
        fill_categorical(data, feature, table, j, values, mean, scratch);
        for (size_t v = 0; v < values->count && status == GERSH_OK; v++)
            status = name_feature(data, feature++, table, j, values->name[v]);
    }
    gersh__free(scratch);
    return status;
}

/* The features of a sparse table: its columns as they are, but for those left out. */
static gersh_status fill_sparse(gersh_dataset *data, const plan *plans, const gersh__table *table)
{
    gersh_status status = GERSH_OK;
    size_t feature = 0, kept = 0, *place = gersh__alloc(table->columns, sizeof *place);
    const gersh__sparse *from = table->sparse;
    if (place == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t j = 0; j < table->columns && status == GERSH_OK; j++) {
        place[j] = plans[j].skip ? GERSH__NONE : feature;
        if (!plans[j].skip)
            status = name_feature(data, feature++, table, j, NULL);
    }
    if (status == GERSH_OK)
        status = gersh__sparse_new(&data->sparse, data->n, from->start[data->n]);
    for (size_t i = 0; i < data->n && status == GERSH_OK; i++) {
        for (size_t e = from->start[i]; e < from->start[i + 1]; e++) {
            if (place[from->index[e]] == GERSH__NONE)
                continue;
            data->sparse->index[kept] = place[from->index[e]];
            data->sparse->value[kept++] = from->value[e];
        }
        data->sparse->start[i + 1] = kept;
    }
    gersh__free(place);
    return status;
}

/* Remembers which values were filled in, so that they can be filled in anew from some of the rows. */
static gersh_status mark_missing(gersh_dataset *data, const plan *plans, const gersh__table *table)
{
    size_t feature = 0;
    data->missing = gersh__alloc(data->n, data->k);
    if (data->missing == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t j = 0; j < table->columns; j++) {
        size_t features = plans[j].skip ? 0 : plans[j].categorical ? plans[j].values.count : 1;
        for (size_t i = 0; i < data->n && features > 0; i++)
            if (isnan(gersh__table_cell(table, i, j)))
                memset(data->missing + i * data->k + feature, 1, features);
        feature += features;
    }
    return GERSH_OK;
}

static gersh_status check_labels_table(const gersh__table *table, const gersh__table *labels)
{
    if (table->label != GERSH__NONE)
        return gersh__table_fail(table, 0, table->label,
                                 "the file has labels of its own; leave out --labels to use them");
    if (labels->columns != 1)
        return gersh__table_fail(labels, 0, GERSH__NONE,
                                 "--labels needs a file with one label a row, but this one has %zu columns",
                                 labels->columns);
    if (labels->rows != table->rows)
        return gersh__table_fail(
            labels, 0, GERSH__NONE,
            "--labels needs one label for each row, but there are %zu label%s and %zu row%s "
            "in %s",
            labels->rows, labels->rows == 1 ? "" : "s", table->rows, table->rows == 1 ? "" : "s",
            table->path);
    return GERSH_OK;
}

/* The column's name, or its position. */
static gersh_status name_label(gersh_dataset *data, const gersh__table *table)
{
    char position[48];
    const char *name = table->column[table->label].name;
    if (name == NULL) {
        snprintf(position, sizeof position, "column %zu", table->label + 1);
        name = position;
    }
    data->label_name = gersh__text_copy(name, strlen(name));
    return data->label_name != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
}

gersh_status gersh__dataset_from_table(gersh_dataset **out, const gersh__table *table,
                                       const gersh__table *labels, const gersh_settings *settings)
{
    gersh_status status;
    gersh_dataset *data = NULL;
    size_t features = 0, weights = GERSH__NONE;
    plan *plans = NULL;
    *out = NULL;
    if (table->rows == 0)
        return gersh__table_fail(table, 0, GERSH__NONE, "there are no rows of data");
    if (labels != NULL) {
        status = check_labels_table(table, labels);
        if (status != GERSH_OK)
            return status;
    }
    plans = gersh__alloc(table->columns, sizeof *plans);
    if (plans == NULL)
        return GERSH_ERROR_MEMORY;
    status = plan_columns(plans, &features, &weights, table, settings);
    if (status == GERSH_OK && table->sparse == NULL && gersh__setting_is(settings, GERSH__MISSING, "error"))
        status = refuse_missing(plans, table);
    if (status != GERSH_OK)
        goto out;
    status = table->sparse != NULL ? gersh__dataset_alloc_empty(&data, table->rows, features)
                                   : gersh__dataset_alloc(&data, table->rows, features);
    if (status != GERSH_OK)
        goto out;
    data->format = table->format;
    int mean = gersh__setting_is(settings, GERSH__MISSING, "mean");
    status = table->sparse != NULL ? fill_sparse(data, plans, table)
                                   : fill_features(data, plans, table, mean && !table->means_later);
    if (status == GERSH_OK &&
        table->sparse == NULL) { /* the name of a column may be the place of one without a name */
        status = gersh__names_check("features", data->feature_names, features, 0);
        if (status == GERSH_ERROR_INPUT)
            gersh__fail_prefix(status, "%s: ", table->path);
    }
    if (status == GERSH_OK && mean && data->filled > 0) /* with means_later, by 0 until then */
        status = mark_missing(data, plans, table);
    if (status == GERSH_OK && labels != NULL)
        status = gersh__dataset_set_labels(data, labels, 0, settings);
    else if (status == GERSH_OK && table->label != GERSH__NONE)
        status = gersh__dataset_set_labels(data, table, table->label, settings);
    if (status == GERSH_OK && labels == NULL && table->label != GERSH__NONE)
        status = name_label(data, table);
    if (status == GERSH_OK && weights != GERSH__NONE)
        status = gersh__dataset_read_weights(data, table, weights);
out:
    for (size_t j = 0; j < table->columns; j++)
        gersh__values_clear(&plans[j].values);
    gersh__free(plans);
    if (status == GERSH_OK)
        *out = data;
    else
        gersh_dataset_free(data);
    return status;
}
