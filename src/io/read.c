/* Finding the format of a file, and reading a data set from it. */
#include "io/read.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/settings.h"
#include "data/dataset.h"
#include "io/file.h"
#include "io/formats.h"
#include "io/scan.h"

static int starts_with(const gersh__content *content, const char *bytes, size_t size)
{
    return content->size >= size && memcmp(content->bytes, bytes, size) == 0;
}

/* Removes the mark of UTF-8; the marks of other encodings are errors. */
static gersh_status remove_mark(const gersh__table *table, gersh__content *content)
{
    const char *encoding =
        starts_with(content, "\xFF\xFE\0\0", 4) || starts_with(content, "\0\0\xFE\xFF", 4) ? "UTF-32"
        : starts_with(content, "\xFF\xFE", 2) || starts_with(content, "\xFE\xFF", 2)       ? "UTF-16"
                                                                                           : NULL;
    if (encoding != NULL)
        return gersh__table_fail(table, 0, GERSH__NONE, "is encoded as %s; convert it to UTF-8", encoding);
    if (starts_with(content, "\xEF\xBB\xBF", 3)) {
        content->size -= 3;
        memmove(content->bytes, content->bytes + 3, content->size + 1);
    }
    return GERSH_OK;
}

static gersh_status check_text(const gersh__table *table, const gersh__content *content)
{
    if (content->size == 0)
        return gersh__table_fail(table, 0, GERSH__NONE, "is empty");
    if (memchr(content->bytes, '\0', content->size) == NULL)
        return GERSH_OK;
    gersh__lines lines = gersh__lines_of(content);
    gersh__line line;
    const char *nul = NULL;
    while (nul == NULL && gersh__lines_next(&lines, &line))
        nul = memchr(line.text, '\0', line.length);
    return gersh__table_fail(table, line.number, GERSH__NONE,
                             "byte %zu of the line is NUL, so this is not a text file",
                             (size_t)(nul - line.text) + 1);
}

static gersh_status read_content(gersh__table *table, gersh__content *content,
                                 const gersh_settings *settings)
{
    const gersh__reader *reader = gersh__setting_is(settings, GERSH__FORMAT, "auto")
                                      ? gersh__reader_fit(content, 1)
                                      : gersh__reader_find(gersh__setting_text(settings, GERSH__FORMAT));
    if (reader == NULL || !reader->binary) {
        gersh_status status = remove_mark(table, content);
        if (status == GERSH_OK)
            status = check_text(table, content);
        if (status != GERSH_OK)
            return status;
    }
    if (reader == NULL)
        reader = gersh__reader_fit(content, 0);
    table->own_label = reader->own_label;
    table->unlisted_are_zero = reader->unlisted_are_zero;
    table->format = reader->format;
    return reader->read(table, content, settings);
}

static gersh_status read_table(gersh__table **out, const char *path, const gersh_settings *settings,
                               int may_be_sparse)
{
    const char *shown = strcmp(path, "-") == 0 ? "standard input" : path;
    gersh__content content = {0};
    gersh_status status = GERSH_ERROR_MEMORY;
    *out = NULL;
    gersh__table *table = gersh__alloc(1, sizeof *table);
    if (table == NULL)
        goto out;
    table->label = GERSH__NONE;
    table->may_be_sparse = may_be_sparse;
    table->path = gersh__text_copy(shown, strlen(shown));
    if (table->path == NULL)
        goto out;
    status = gersh__file_load(&content, path, shown);
    if (status == GERSH_OK)
        status = read_content(table, &content, settings);
    if (status == GERSH_OK) {
        *out = table;
        table = NULL;
    }
out:
    gersh__free(content.bytes);
    gersh__table_free(table);
    return status;
}

gersh_status gersh__table_read(gersh__table **out, const char *path, const gersh_settings *settings)
{
    return read_table(out, path, settings, 0);
}

/*
 * The labels' file has its own format; the header is as the settings say. Its last column, the only one it
 * may have, is read as a label, so that the labels keep their spelling.
 */
gersh_status gersh__labels_read(gersh__table **out, const char *path, const gersh_settings *settings)
{
    gersh_settings *own = NULL;
    gersh_status status = gersh_settings_new(&own);
    if (status == GERSH_OK)
        status = gersh_settings_set(own, "header", gersh__setting_text(settings, GERSH__HEADER));
    if (status == GERSH_OK)
        status = gersh__table_read(out, path, own);
    gersh_settings_free(own);
    return status;
}

gersh_status gersh_dataset_read(gersh_dataset **out, const char *path, const gersh_settings *settings)
{
    const char *labels_path = gersh__setting_text(settings, GERSH__LABELS);
    gersh__table *table = NULL, *labels = NULL;
    *out = NULL;
    if (strcmp(path, "-") == 0 && strcmp(labels_path, "-") == 0)
        return gersh__fail(GERSH_ERROR_ARGUMENT,
                           "--labels: data and labels cannot both come from standard input");
    gersh_status status = read_table(&table, path, settings, 1);
    if (status == GERSH_OK && *labels_path != '\0')
        status = gersh__labels_read(&labels, labels_path, settings);
    if (status == GERSH_OK)
        status = gersh__dataset_from_table(out, table, labels, settings);
    gersh__table_free(table);
    gersh__table_free(labels);
    return status;
}
