/* Edge rules from a CSV file: feature, feature, rule. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "data/build.h"
#include "data/names.h"
#include "io/plain.h"
#include "model/model.h"

static const char *const kinds[] = {[GERSH_EDGE_ALLOWED] = "allowed",
                                    [GERSH_EDGE_FORBIDDEN] = "forbidden",
                                    [GERSH_EDGE_POSITIVE] = "positive",
                                    [GERSH_EDGE_NEGATIVE] = "negative"};

const char *gersh_edge_kind_name(gersh_edge_kind kind)
{
    return (size_t)kind < sizeof kinds / sizeof kinds[0] ? kinds[kind] : NULL;
}

int gersh__edge_kind_find(gersh_edge_kind *kind, const char *word)
{
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        if (strcmp(kinds[k], word) == 0) {
            *kind = (gersh_edge_kind)k;
            return 0;
        }
    return -1;
}

/* A feature by position; a feature whose name is that number goes first. */
static size_t find_number(const gersh_dataset *data, const gersh__names *names, double number)
{
    size_t named = gersh__names_find_number(names, number);
    if (named != GERSH__NO_WORD)
        return named;
    return number >= 1 && number <= (double)data->k && number == floor(number) ? (size_t)number - 1
                                                                               : GERSH__NONE;
}

static size_t find_name(const gersh_dataset *data, const gersh__names *names, const char *text)
{
    double number;
    size_t named = gersh__names_find(names, text);
    if (named != GERSH__NO_WORD)
        return named;
    return gersh__parse_double(text, strlen(text), &number) == GERSH__NUMBER_OK
               ? find_number(data, names, number)
               : GERSH__NONE;
}

static gersh_status find_feature(size_t *out, const gersh__table *table, size_t row, size_t column,
                                 const gersh_dataset *data, const gersh__names *names)
{
    char excerpt[GERSH__EXCERPT_SIZE], other[GERSH__EXCERPT_SIZE];
    double cell = table->cells[row * table->columns + column];
    const char *text = NULL, *nearest = NULL;
    if (isnan(cell))
        return gersh__cell_fail(table, row, column,
                                "the feature is missing; expected a name or a position");
    if (table->column[column].text)
        text = table->column[column].words.word[(size_t)cell];
    *out = text != NULL ? find_name(data, names, text) : find_number(data, names, cell);
    if (*out != GERSH__NONE)
        return GERSH_OK;
    if (text == NULL)
        return gersh__cell_fail(table, row, column,
                                "there is no feature %.15g; expected a name or a position from 1 to %zu",
                                cell, data->k);
    nearest = gersh__text_nearest(text, (const char *const *)data->feature_names, data->k);
    gersh__text_excerpt(excerpt, sizeof excerpt, text, strlen(text));
    if (nearest != NULL)
        return gersh__cell_fail(table, row, column, "there is no feature '%s'; did you mean '%s'?", excerpt,
                                gersh__text_excerpt(other, sizeof other, nearest, strlen(nearest)));
    return gersh__cell_fail(table, row, column,
                            "there is no feature '%s'; expected a name or a position from 1 to %zu",
                            excerpt, data->k);
}

static gersh_status read_rule(gersh_edge_rule *rule, const gersh__table *table, size_t row,
                              const gersh_dataset *data, const gersh__names *names)
{
    char excerpt[GERSH__EXCERPT_SIZE];
    double cell = table->cells[row * table->columns + 2];
    const char *word =
        table->column[2].text && !isnan(cell) ? table->column[2].words.word[(size_t)cell] : "";
    gersh_status status = find_feature(&rule->first, table, row, 0, data, names);
    if (status == GERSH_OK)
        status = find_feature(&rule->second, table, row, 1, data, names);
    if (status != GERSH_OK)
        return status;
    if (rule->first == rule->second)
        return gersh__cell_fail(table, row, 1,
                                "both features are the same; an edge joins two different ones");
    if (gersh__edge_kind_find(&rule->kind, word) == 0)
        return GERSH_OK;
    return gersh__cell_fail(table, row, 2,
                            "the rule '%s' is not one of allowed, forbidden, positive, negative",
                            gersh__text_excerpt(excerpt, sizeof excerpt, word, strlen(word)));
}

gersh_status gersh_edge_rules_read(gersh_edge_rule **rules, size_t *count, const char *path,
                                   const gersh_dataset *data)
{
    gersh__table *table = NULL;
    gersh__names names = {0};
    *rules = NULL;
    *count = 0;
    gersh_status status = gersh__table_read_plain(&table, path, "no");
    if (status != GERSH_OK)
        return status;
    if (table->columns != 3) {
        status =
            gersh__table_fail(table, 0, GERSH__NONE,
                              "edge rules have three columns (feature, feature, rule), but there %s %zu",
                              table->columns == 1 ? "is" : "are", table->columns);
        goto out;
    }
    *rules = gersh__alloc(table->rows, sizeof **rules);
    status = *rules != NULL ? gersh__names_new(&names, "features", data->feature_names, data->k, 0)
                            : GERSH_ERROR_MEMORY;
    for (size_t i = 0; i < table->rows && status == GERSH_OK; i++)
        status = read_rule(&(*rules)[i], table, i, data, &names);
out:
    if (status == GERSH_OK) {
        *count = table->rows;
    } else {
        gersh__free(*rules);
        *rules = NULL;
    }
    gersh__names_clear(&names);
    gersh__table_free(table);
    return status;
}
