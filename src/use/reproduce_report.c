/* Making reports; see reproduce_report.h. */
#include "use/reproduce_report.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

static char *format_list(const char *format, va_list list)
{
    va_list again;
    va_copy(again, list);
    int length = vsnprintf(NULL, 0, format, list);
    char *text = length >= 0 ? gersh__alloc((size_t)length + 1, 1) : NULL;
    if (text != NULL)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

char *gersh__text_format(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    char *text = format_list(format, list);
    va_end(list);
    return text;
}

gersh_status gersh__texts_add(char ***texts, size_t *count, char *text)
{
    char **larger = text != NULL ? gersh__realloc(*texts, *count + 1, sizeof *larger) : NULL;
    if (larger == NULL) {
        gersh__free(text);
        return GERSH_ERROR_MEMORY;
    }
    larger[(*count)++] = text;
    *texts = larger;
    return GERSH_OK;
}

void gersh__texts_free(char **texts, size_t count)
{
    for (size_t i = 0; texts != NULL && i < count; i++)
        gersh__free(texts[i]);
    gersh__free(texts);
}

static void free_table(gersh_report_table *table)
{
    if (table == NULL)
        return;
    gersh__free(table->name);
    gersh__free(table->title);
    gersh__texts_free(table->column, table->columns);
    gersh__texts_free(table->cell, table->rows * table->columns);
    gersh__texts_free(table->note, table->notes);
    gersh__free(table->rule);
    gersh__free(table);
}

void gersh_report_free(gersh_report *report)
{
    if (report == NULL)
        return;
    gersh__free(report->name);
    gersh__free(report->title);
    for (size_t t = 0; t < report->tables; t++)
        free_table(report->table[t]);
    gersh__free(report->table);
    gersh__texts_free(report->note, report->notes);
    for (size_t c = 0; c < report->claims; c++) {
        gersh__free(report->claim[c].text);
        gersh__free(report->claim[c].detail);
    }
    gersh__free(report->claim);
    gersh__free(report);
}

static char *copy(const char *text)
{
    return gersh__text_copy(text, strlen(text));
}

void gersh__builder_start(gersh__builder *builder, const char *name, const char *title)
{
    *builder = (gersh__builder){.report = gersh__alloc(1, sizeof *builder->report)};
    builder->status = builder->report != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
    if (builder->status != GERSH_OK)
        return;
    builder->report->name = copy(name);
    builder->report->title = copy(title);
    if (builder->report->name == NULL || builder->report->title == NULL)
        builder->status = GERSH_ERROR_MEMORY;
}

gersh_status gersh__builder_end(gersh_report **out, gersh__builder *builder)
{
    *out = NULL;
    if (builder->status != GERSH_OK)
        gersh_report_free(builder->report);
    else
        *out = builder->report;
    builder->report = NULL;
    return builder->status;
}

void gersh__report_table(gersh__builder *builder, const char *name, int listed, const char *title)
{
    gersh_report *report = builder->report;
    if (builder->status != GERSH_OK)
        return;
    gersh_report_table *table = gersh__alloc(1, sizeof *table);
    gersh_report_table **larger =
        table != NULL ? gersh__realloc(report->table, report->tables + 1, sizeof *larger) : NULL;
    builder->status = GERSH_ERROR_MEMORY;
    if (larger == NULL) {
        gersh__free(table);
        return;
    }
    report->table = larger;
    report->table[report->tables++] = table;
    builder->table = table;
    builder->next = 0;
    table->listed = listed;
    table->name = copy(name);
    table->title = copy(title);
    if (table->name != NULL && table->title != NULL)
        builder->status = GERSH_OK;
}

void gersh__report_column(gersh__builder *builder, const char *format, ...)
{
    va_list list;
    if (builder->status != GERSH_OK)
        return;
    va_start(list, format);
    builder->status =
        gersh__texts_add(&builder->table->column, &builder->table->columns, format_list(format, list));
    va_end(list);
}

/* Every cell of a row begins as "". */
void gersh__report_row(gersh__builder *builder, int rule)
{
    gersh_report_table *table = builder->table;
    if (builder->status != GERSH_OK)
        return;
    size_t cells = table->rows * table->columns;
    builder->status = GERSH_ERROR_MEMORY;
    int *rules = gersh__realloc(table->rule, table->rows + 1, sizeof *rules);
    if (rules == NULL)
        return;
    table->rule = rules;
    table->rule[table->rows] = rule;
    char **larger = gersh__realloc(table->cell, cells + table->columns, sizeof *larger);
    if (larger == NULL)
        return;
    table->cell = larger;
    for (size_t c = 0; c < table->columns; c++)
        table->cell[cells + c] = NULL;
    table->rows++;
    for (size_t c = 0; c < table->columns; c++)
        if ((table->cell[cells + c] = copy("")) == NULL)
            return;
    builder->next = cells;
    builder->status = GERSH_OK;
}

void gersh__report_cell(gersh__builder *builder, const char *format, ...)
{
    va_list list;
    gersh_report_table *table = builder->table;
    if (builder->status != GERSH_OK)
        return;
    if (builder->next >= table->rows * table->columns) {
        builder->status =
            gersh__fail(GERSH_ERROR_ARGUMENT, "a row of the table '%s' has more than its %zu cells",
                        table->name, table->columns);
        return;
    }
    va_start(list, format);
    char *text = format_list(format, list);
    va_end(list);
    if (text == NULL) {
        builder->status = GERSH_ERROR_MEMORY;
        return;
    }
    gersh__free(table->cell[builder->next]);
    table->cell[builder->next++] = text;
}

void gersh__report_number(gersh__builder *builder, double value)
{
    if (isfinite(value))
        gersh__report_cell(builder, "%.3g", value);
    else
        gersh__report_cell(builder, "%s", "");
}

void gersh__report_table_note(gersh__builder *builder, const char *format, ...)
{
    va_list list;
    if (builder->status != GERSH_OK)
        return;
    va_start(list, format);
    builder->status =
        gersh__texts_add(&builder->table->note, &builder->table->notes, format_list(format, list));
    va_end(list);
}

void gersh__report_note(gersh__builder *builder, const char *format, ...)
{
    va_list list;
    if (builder->status != GERSH_OK)
        return;
    va_start(list, format);
    builder->status =
        gersh__texts_add(&builder->report->note, &builder->report->notes, format_list(format, list));
    va_end(list);
}

void gersh__report_claim(gersh__builder *builder, gersh_verdict verdict, const char *text,
                         const char *format, ...)
{
    va_list list;
    gersh_report *report = builder->report;
    if (builder->status != GERSH_OK)
        return;
    va_start(list, format);
    gersh_claim claim = {verdict, copy(text), format_list(format, list)};
    va_end(list);
    gersh_claim *larger = claim.text != NULL && claim.detail != NULL
                              ? gersh__realloc(report->claim, report->claims + 1, sizeof *larger)
                              : NULL;
    if (larger == NULL) {
        gersh__free(claim.text);
        gersh__free(claim.detail);
        builder->status = GERSH_ERROR_MEMORY;
        return;
    }
    report->claim = larger;
    report->claim[report->claims++] = claim;
}

void gersh__report_unknown(gersh__builder *builder, const char *text)
{
    gersh__report_claim(builder, GERSH_CLAIM_OPEN, text, "%s", "not all of what it is about was computed");
}

gersh_verdict gersh__verdict(int known, int yes)
{
    return !known ? GERSH_CLAIM_OPEN : yes ? GERSH_CLAIM_HOLDS : GERSH_CLAIM_FAILS;
}
