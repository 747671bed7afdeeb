/*
 * Text tables: comma-, tab-, semicolon- and blank-separated. libcsv splits the rows and takes the quotes
 * off; it gets one physical line at a time, so that the line of every row is known, also with line ends
 * inside quotes.
 *
 * The file is gone through up to three times: the first two rows, to know the columns and whether the first
 * row names them; all rows, with every column but the label's as numbers; and, when a column turned out to
 * hold text, all rows again with those columns kept as words.
 */
#include <csv.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/settings.h"
#include "io/formats.h"
#include "io/scan.h"

enum { csv_block = 1 << 16 };

/* One way through the rows. field and row return a status; anything but GERSH_OK ends the way. */
typedef struct walk {
    const gersh__table *table;
    char delimiter;
    gersh_status (*field)(void *context, size_t line, size_t field, const char *text, size_t length);
    gersh_status (*row)(void *context, size_t line, size_t fields);
    void *context;
    size_t most; /* rows to walk through */

    gersh_status status;
    size_t rows, fields; /* done so far; fields of the row at hand */
    size_t row_line;     /* where that row starts */
    size_t quote_line;   /* where its open quote is */
    int inside;          /* the row goes on behind the line's end */
} walk;

static void *csv_realloc(void *block, size_t size)
{
    return gersh__realloc(block, size, 1);
}

static int space_only(unsigned char c)
{
    return c == ' ';
}

static int no_space(unsigned char c)
{
    (void)c;
    return 0;
}

static void take_field(void *text, size_t length, void *context)
{
    walk *w = context;
    if (w->status == GERSH_OK && w->rows < w->most)
        w->status = w->field(w->context, w->row_line, w->fields, text, length);
    w->fields++;
}

static void take_row(int end, void *context)
{
    walk *w = context;
    (void)end;
    if (w->status == GERSH_OK && w->rows < w->most)
        w->status = w->row(w->context, w->row_line, w->fields);
    w->rows++;
    w->fields = 0;
    w->inside = 0;
}

static gersh_status csv_failure(const walk *w, struct csv_parser *parser, size_t line)
{
    if (w->status != GERSH_OK)
        return w->status;
    if (csv_error(parser) != CSV_EPARSE)
        return GERSH_ERROR_MEMORY;
    if (parser->quoted)
        return gersh__table_fail(w->table, line, w->fields,
                                 "there is text behind a closing quote; a quote inside a quoted field is "
                                 "written twice");
    return gersh__table_fail(
        w->table, line, w->fields,
        "there is a quote inside a field without quotes; put quotes around the field and "
        "write the inner quote twice");
}

static gersh_status walk_line(walk *w, struct csv_parser *parser, const gersh__line *line)
{
    if (!w->inside) {
        if (line->length > 0 && line->text[0] == '#')
            return GERSH_OK;
        w->row_line = w->quote_line = line->number;
        w->fields = 0;
    }
    size_t fields = w->fields;
    w->inside = 1;
    if (csv_parse(parser, line->text, line->full, take_field, take_row, w) != line->full)
        return csv_failure(w, parser, line->number);
    if (w->fields > fields)
        w->quote_line = line->number;
    /* libcsv says nothing of a blank line. */
    if (w->inside && !parser->quoted)
        w->inside = 0;
    return w->status;
}

/* Goes through the rows of the content; a row that libcsv cannot split is an error. */
static gersh_status walk_rows(walk *w, const gersh__content *content)
{
    struct csv_parser parser;
    csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL);
    csv_set_realloc_func(&parser, csv_realloc);
    csv_set_free_func(&parser, gersh__free);
    csv_set_blk_size(&parser, csv_block);
    csv_set_delim(&parser, (unsigned char)w->delimiter);
    if (w->delimiter == '\t')
        csv_set_space_func(&parser, space_only);
    if (w->delimiter == ' ')
        csv_set_space_func(&parser, no_space);

    gersh__lines lines = gersh__lines_of(content);
    gersh__line line;
    gersh_status status = GERSH_OK;
    while (status == GERSH_OK && w->rows < w->most && gersh__lines_next(&lines, &line))
        status = walk_line(w, &parser, &line);
    if (status == GERSH_OK && w->rows < w->most && csv_fini(&parser, take_field, take_row, w) != 0)
        status = gersh__table_fail(w->table, w->quote_line, w->fields,
                                   "the quote that opens this field is never closed");
    if (status == GERSH_OK)
        status = w->status;
    csv_free(&parser);
    return status;
}

/* The first two rows. */
typedef struct head {
    char *names; /* the cells of the first row, each with a final NUL */
    size_t used, capacity;
    size_t rows;
    size_t line, fields; /* of the first row */
    int plain;           /* the first row has a number or no value somewhere */
    int number;          /* the second row has a number */
} head;

static gersh_status head_field(void *context, size_t line, size_t field, const char *text, size_t length)
{
    head *h = context;
    double value;
    gersh__cell_kind kind = gersh__scan_cell(text, length, &value);
    (void)line;
    if (h->rows == 1) {
        h->number |= kind == GERSH__CELL_NUMBER;
        return GERSH_OK;
    }
    h->plain |= kind != GERSH__CELL_TEXT && !(field == 0 && length == 0);
    if (gersh__grow(&h->names, &h->capacity, h->used + length + 1, 1) != 0)
        return GERSH_ERROR_MEMORY;
    memcpy(h->names + h->used, text, length);
    h->names[h->used + length] = '\0';
    h->used += length + 1;
    return GERSH_OK;
}

static gersh_status head_row(void *context, size_t line, size_t fields)
{
    head *h = context;
    if (h->rows++ == 0) {
        h->line = line;
        h->fields = fields;
    }
    return GERSH_OK;
}

static gersh_status copy_names(gersh__table *table, const head *h)
{
    const char *name = h->names;
    for (size_t j = 0; j < table->columns; j++) {
        size_t length = strlen(name);
        if (length > 0 && (table->column[j].name = gersh__text_copy(name, length)) == NULL)
            return GERSH_ERROR_MEMORY;
        name += length + 1;
    }
    return GERSH_OK;
}

/* All rows; the columns are known. */
typedef struct body {
    gersh__table *table;
    gersh__capacity capacity;
    size_t first_line; /* of the file's first row */
    size_t skip;       /* rows of the header still to come */
    int settled;       /* which columns hold text is known */
    int again;         /* something can only be judged when it is */
} body;

static gersh_status text_cell(body *b, double *cell, size_t column, gersh__cell_kind kind, const char *text,
                              size_t length)
{
    gersh__column *there = &b->table->column[column];
    if (kind == GERSH__CELL_MISSING) {
        *cell = NAN;
        return GERSH_OK;
    }
    if (kind != GERSH__CELL_NUMBER && there->odd_row == GERSH__NONE)
        there->odd_row = b->table->rows;
    return gersh__table_word(cell, b->table, column, text, length);
}

static gersh_status body_field(void *context, size_t line, size_t field, const char *text, size_t length)
{
    body *b = context;
    gersh__table *table = b->table;
    if (b->skip > 0 || field >= table->columns)
        return GERSH_OK;
    if (field == 0) {
        gersh_status status = gersh__table_make_row(table, &b->capacity);
        if (status != GERSH_OK)
            return status;
    }
    double *cell = &table->cells[table->rows * table->columns + field];
    gersh__cell_kind kind = gersh__scan_cell(text, length, cell);
    if (table->column[field].text && (b->settled || field == table->label))
        return text_cell(b, cell, field, kind, text, length);
    if (kind == GERSH__CELL_NUMBER || kind == GERSH__CELL_MISSING)
        return GERSH_OK;
    if (b->settled)
        return gersh__scan_fail(table, line, field, kind, text, length);
    /* Infinite and too large are errors only where the column is not text. */
    b->again = 1;
    table->column[field].text |= kind == GERSH__CELL_TEXT;
    return GERSH_OK;
}

static gersh_status body_row(void *context, size_t line, size_t fields)
{
    body *b = context;
    gersh__table *table = b->table;
    if (fields != table->columns)
        return gersh__table_fail(table, line, GERSH__NONE, "%zu field%s where line %zu has %zu", fields,
                                 fields == 1 ? "" : "s", b->first_line, table->columns);
    if (b->skip > 0) {
        b->skip--;
        return GERSH_OK;
    }
    table->lines[table->rows++] = line;
    return GERSH_OK;
}

static gersh_status read_body(gersh__table *table, const gersh__content *content, char delimiter,
                              size_t first_line, size_t skip)
{
    body b = {.table = table, .first_line = first_line};
    do {
        b.settled = b.again;
        b.skip = skip;
        table->rows = 0;
        walk w = {.table = table, .delimiter = delimiter, .most = (size_t)-1};
        w.field = body_field;
        w.row = body_row;
        w.context = &b;
        gersh_status status = walk_rows(&w, content);
        if (status != GERSH_OK)
            return status;
    } while (b.again && !b.settled);
    return GERSH_OK;
}

static gersh_status read_table(gersh__table *table, const gersh__content *content,
                               const gersh_settings *settings, char delimiter)
{
    head h = {0};
    walk w = {.table = table, .delimiter = delimiter, .most = 2};
    w.field = head_field;
    w.row = head_row;
    w.context = &h;
    gersh_status status = walk_rows(&w, content);
    if (status != GERSH_OK)
        goto out;
    if (h.rows == 0) {
        status = gersh__table_fail(table, 0, GERSH__NONE, "has no rows, only blank lines and comments");
        goto out;
    }
    int header =
        gersh__setting_is(settings, GERSH__HEADER, "yes") ||
        (gersh__setting_is(settings, GERSH__HEADER, "auto") && !h.plain && (h.number || h.rows == 1));
    if (header && h.rows == 1) {
        status = gersh__table_fail(table, 0, GERSH__NONE,
                                   "has a header but no rows; use --header no if line %zu is data", h.line);
        goto out;
    }
    status = gersh__table_make_columns(table, h.fields);
    if (status == GERSH_OK && header)
        status = copy_names(table, &h);
    if (status == GERSH_OK)
        status = gersh__table_check_names(table);
    if (status == GERSH_OK)
        status = gersh__table_set_label(table, settings);
    if (status == GERSH_OK)
        status = read_body(table, content, delimiter, h.line, header ? 1 : 0);
out:
    gersh__free(h.names);
    return status;
}

static int ends_line(char c)
{
    return c == '\n' || c == '\r';
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && gersh__scan_is_blank(*at))
        at++;
    return at;
}

/*
 * Writes every run of blanks outside quotes as one space, none at the ends of a line. As in libcsv, a quote
 * opens a field only at its start. Comments stay as they are.
 */
static void collapse_blanks(gersh__content *content)
{
    const char *at = content->bytes, *end = at + content->size;
    char *to = content->bytes;
    int quoted = 0, line_start = 1, field_start = 1;
    while (at < end) {
        if (quoted) {
            quoted = *at != '"'; /* a quote written twice closes the field and opens it again */
            field_start = !quoted;
            *to++ = *at++;
        } else if (gersh__scan_is_blank(*at)) {
            at = skip_blanks(at, end);
            if (!line_start && at < end && !ends_line(*at))
                *to++ = ' ';
            field_start = 1;
        } else if (line_start && *at == '#') {
            while (at < end && !ends_line(*at))
                *to++ = *at++;
            line_start = 0;
        } else {
            quoted = field_start && *at == '"';
            field_start = line_start = ends_line(*at);
            *to++ = *at++;
        }
    }
    *to = '\0';
    content->size = (size_t)(to - content->bytes);
}

static gersh_status read_csv(gersh__table *table, gersh__content *content, const gersh_settings *settings)
{
    return read_table(table, content, settings, ',');
}

static gersh_status read_tsv(gersh__table *table, gersh__content *content, const gersh_settings *settings)
{
    return read_table(table, content, settings, '\t');
}

static gersh_status read_semicolon(gersh__table *table, gersh__content *content,
                                   const gersh_settings *settings)
{
    return read_table(table, content, settings, ';');
}

static gersh_status read_blank(gersh__table *table, gersh__content *content, const gersh_settings *settings)
{
    collapse_blanks(content);
    return read_table(table, content, settings, ' ');
}

static int fits_tsv(const gersh__content *content)
{
    return gersh__delimiter_find(content) == '\t';
}

static int fits_semicolon(const gersh__content *content)
{
    return gersh__delimiter_find(content) == ';';
}

static int fits_blank(const gersh__content *content)
{
    return gersh__delimiter_find(content) == ' ';
}

/* Asked last: what no other reader takes is comma-separated. */
static int fits_csv(const gersh__content *content)
{
    (void)content;
    return 1;
}

const gersh__reader gersh__reader_tsv = {.format = "tsv", .fits = fits_tsv, .read = read_tsv};
const gersh__reader gersh__reader_semicolon = {
    .format = "semicolon", .fits = fits_semicolon, .read = read_semicolon};
const gersh__reader gersh__reader_csv = {.format = "csv", .fits = fits_csv, .read = read_csv};
const gersh__reader gersh__reader_blank = {.format = "blank", .fits = fits_blank, .read = read_blank};
