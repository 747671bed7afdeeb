/* Reports as JSON; see json.h. */
#include "json.h"

#include <stdlib.h>
#include <string.h>

#include "tools.h"

enum { CHARACTER = 8 }; /* bytes of a character or its escape */

/* JSON holds UTF-8 alone: a text that is something else is there as it is shown. */
static json_t *text_json(const char *text)
{
    json_t *value = json_string(text);
    if (value != NULL)
        return value;
    size_t size = 4 * strlen(text) + 1;
    char *shown = repro_alloc(size, 1);
    value = shown != NULL ? json_string(gersh_text_clean(shown, size, text)) : NULL;
    free(shown);
    return value;
}

static json_t *texts_json(char *const *texts, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, text_json(texts[i]));
    return list;
}

static json_t *table_json(const repro_table *table)
{
    json_t *rows = json_array(), *columns = texts_json(table->column, table->columns);
    for (size_t r = 0; r < table->rows; r++)
        json_array_append_new(rows, texts_json(table->cell + r * table->columns, table->columns));
    return json_pack("{s:s, s:s, s:o, s:o, s:o}", "name", table->name, "title", table->title, "columns",
                     columns, "rows", rows, "notes", texts_json(table->note, table->notes));
}

json_t *repro_json_report(const repro_report *report)
{
    json_t *tables = json_array(), *claims = json_array();
    for (size_t t = 0; t < report->tables; t++)
        json_array_append_new(tables, table_json(report->table[t]));
    for (size_t c = 0; c < report->claims; c++)
        json_array_append_new(claims, json_pack("{s:s, s:s, s:s}", "claim", report->claim[c].text,
                                                "verdict", repro_verdict_name(report->claim[c].verdict),
                                                "numbers", report->claim[c].detail));
    return json_pack("{s:s, s:s, s:o, s:o, s:o}", "name", report->name, "title", report->title, "tables",
                     tables, "notes", texts_json(report->note, report->notes), "claims", claims);
}

json_t *repro_json_result(const repro_result *result)
{
    json_t *reports = json_array();
    for (size_t r = 0; r < result->reports; r++)
        json_array_append_new(reports, repro_json_report(result->report[r]));
    return json_pack("{s:o, s:o, s:o, s:I, s:I, s:b}", "reports", reports, "missing",
                     texts_json(result->missing_name, result->missing), "files",
                     texts_json(result->file, result->files), "computed", (json_int_t)result->computed,
                     "reused", (json_int_t)result->reused, "interrupted", result->interrupted);
}

static void *json_memory(size_t size)
{
    void *block = repro_realloc(NULL, size, 1);
    if (block == NULL) {
        fprintf(stderr, "gersh: %s\n", repro_error());
        exit(2);
    }
    return block;
}

void repro_json_start(void)
{
    json_set_alloc_funcs(json_memory, free);
}

/* jansson gives whole characters, and has escaped those below a blank. */
static int write_part(const char *text, size_t size, void *file)
{
    char character[CHARACTER], shown[CHARACTER];
    for (size_t used = 0, length; used < size; used += length) {
        for (length = 1; used + length < size && ((unsigned char)text[used + length] & 0xC0) == 0x80;)
            length++;
        snprintf(character, sizeof character, "%.*s", (int)length, text + used);
        if (text[used] == 0x7F)
            fputs("\\u007F", file);
        else
            fputs(length > 1 ? gersh_text_clean(shown, sizeof shown, character) : character, file);
    }
    return 0;
}

void repro_json_write(FILE *file, json_t *document)
{
    json_dump_callback(document, write_part, file, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    fputc('\n', file);
    json_decref(document);
}
