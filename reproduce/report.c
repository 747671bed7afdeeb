/* Making reports; see report.h. */
#include "report.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

gersh_status repro_texts_add(char ***texts, size_t *count, char *text)
{
    char **larger = text != NULL ? repro_realloc(*texts, *count + 1, sizeof *larger) : NULL;
    if (larger == NULL) {
        free(text);
        return GERSH_ERROR_MEMORY;
    }
    larger[(*count)++] = text;
    *texts = larger;
    return GERSH_OK;
}

void repro_texts_free(char **texts, size_t count)
{
    for (size_t i = 0; texts != NULL && i < count; i++)
        free(texts[i]);
    free(texts);
}

static void free_table(repro_table *table)
{
    if (table == NULL)
        return;
    free(table->name);
    free(table->title);
    repro_texts_free(table->column, table->columns);
    repro_texts_free(table->cell, table->rows * table->columns);
    repro_texts_free(table->note, table->notes);
    free(table->rule);
    free(table);
}

void repro_report_free(repro_report *report)
{
    if (report == NULL)
        return;
    free(report->name);
    free(report->title);
    for (size_t t = 0; t < report->tables; t++)
        free_table(report->table[t]);
    free(report->table);
    repro_texts_free(report->note, report->notes);
    for (size_t c = 0; c < report->claims; c++) {
        free(report->claim[c].text);
        free(report->claim[c].detail);
    }
    free(report->claim);
    free(report);
}

void repro_builder_start(repro_builder *builder, const char *name, const char *title)
{
    *builder = (repro_builder){.report = repro_alloc(1, sizeof *builder->report)};
    builder->status = builder->report != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
    if (builder->status != GERSH_OK)
        return;
    builder->report->name = repro_copy(name);
    builder->report->title = repro_copy(title);
    if (builder->report->name == NULL || builder->report->title == NULL)
        builder->status = GERSH_ERROR_MEMORY;
}

gersh_status repro_builder_end(repro_report **out, repro_builder *builder)
{
    *out = NULL;
    if (builder->status != GERSH_OK)
        repro_report_free(builder->report);
    else
        *out = builder->report;
    builder->report = NULL;
    return builder->status;
}

void repro_report_table(repro_builder *builder, const char *name, int listed, const char *title)
{
    repro_report *report = builder->report;
    if (builder->status != GERSH_OK)
        return;
    repro_table *table = repro_alloc(1, sizeof *table);
    repro_table **larger =
        table != NULL ? repro_realloc(report->table, report->tables + 1, sizeof *larger) : NULL;
    builder->status = GERSH_ERROR_MEMORY;
    if (larger == NULL) {
        free(table);
        return;
    }
    report->table = larger;
    report->table[report->tables++] = table;
    builder->table = table;
    builder->next = 0;
    table->listed = listed;
    table->name = repro_copy(name);
    table->title = repro_copy(title);
    if (table->name != NULL && table->title != NULL)
        builder->status = GERSH_OK;
}

void repro_report_column(repro_builder *builder, const char *format, ...)
{
    va_list list;
    if (builder->status != GERSH_OK)
        return;
    va_start(list, format);
    builder->status =
        repro_texts_add(&builder->table->column, &builder->table->columns, repro_format_list(format, list));
    va_end(list);
}

void repro_report_columns(repro_builder *builder, const char *const *names, size_t count)
{
    for (size_t c = 0; c < count; c++)
        repro_report_column(builder, "%s", names[c]);
}

/* Every cell of a row begins as "". */
void repro_report_row(repro_builder *builder, int rule)
{
    repro_table *table = builder->table;
    if (builder->status != GERSH_OK)
        return;
    size_t cells = table->rows * table->columns;
    builder->status = GERSH_ERROR_MEMORY;
    int *rules = repro_realloc(table->rule, table->rows + 1, sizeof *rules);
    if (rules == NULL)
        return;
    table->rule = rules;
    table->rule[table->rows] = rule;
    char **larger = repro_realloc(table->cell, cells + table->columns, sizeof *larger);
    if (larger == NULL)
        return;
    table->cell = larger;
    for (size_t c = 0; c < table->columns; c++)
        table->cell[cells + c] = NULL;
    table->rows++;
    for (size_t c = 0; c < table->columns; c++)
        if ((table->cell[cells + c] = repro_copy("")) == NULL)
            return;
    builder->next = cells;
    builder->status = GERSH_OK;
}

void repro_report_cell(repro_builder *builder, const char *format, ...)
{
    va_list list;
    repro_table *table = builder->table;
    if (builder->status != GERSH_OK)
        return;
    if (builder->next >= table->rows * table->columns) {
        builder->status =
            repro_fail(GERSH_ERROR_ARGUMENT, "a row of the table '%s' has more than its %zu cells",
                       table->name, table->columns);
        return;
    }
    va_start(list, format);
    char *text = repro_format_list(format, list);
    va_end(list);
    if (text == NULL) {
        builder->status = GERSH_ERROR_MEMORY;
        return;
    }
    free(table->cell[builder->next]);
    table->cell[builder->next++] = text;
}

void repro_report_number(repro_builder *builder, double value)
{
    if (isfinite(value))
        repro_report_cell(builder, "%.3g", value);
    else
        repro_report_cell(builder, "%s", "");
}

void repro_report_table_note(repro_builder *builder, const char *format, ...)
{
    va_list list;
    if (builder->status != GERSH_OK)
        return;
    va_start(list, format);
    builder->status =
        repro_texts_add(&builder->table->note, &builder->table->notes, repro_format_list(format, list));
    va_end(list);
}

void repro_report_note(repro_builder *builder, const char *format, ...)
{
    va_list list;
    if (builder->status != GERSH_OK)
        return;
    va_start(list, format);
    builder->status =
        repro_texts_add(&builder->report->note, &builder->report->notes, repro_format_list(format, list));
    va_end(list);
}

void repro_report_claim(repro_builder *builder, repro_verdict verdict, const char *text, const char *format,
                        ...)
{
    va_list list;
    repro_report *report = builder->report;
    if (builder->status != GERSH_OK)
        return;
    va_start(list, format);
    repro_claim claim = {verdict, repro_copy(text), repro_format_list(format, list)};
    va_end(list);
    repro_claim *larger = claim.text != NULL && claim.detail != NULL
                              ? repro_realloc(report->claim, report->claims + 1, sizeof *larger)
                              : NULL;
    if (larger == NULL) {
        free(claim.text);
        free(claim.detail);
        builder->status = GERSH_ERROR_MEMORY;
        return;
    }
    report->claim = larger;
    report->claim[report->claims++] = claim;
}

void repro_report_unknown(repro_builder *builder, const char *text)
{
    repro_report_claim(builder, REPRO_CLAIM_OPEN, text, "%s", "not all of what it is about was computed");
}

repro_verdict repro_judge(int known, int yes)
{
    return !known ? REPRO_CLAIM_OPEN : yes ? REPRO_CLAIM_HOLDS : REPRO_CLAIM_FAILS;
}
