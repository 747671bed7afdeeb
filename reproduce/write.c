/* Reports as text, Markdown and CSV; see gersh/reproduce.h. */
#include <string.h>

#include "reproduce.h"

enum { LABELS = 1 }; /* columns that are repeated where a table is divided */

const char *repro_verdict_name(repro_verdict verdict)
{
    static const char *const names[] = {"holds", "does not hold here", "open"};
    return (size_t)verdict < sizeof names / sizeof names[0] ? names[verdict] : "unknown";
}

/* Characters of UTF-8 text. */
static int length_of(const char *text)
{
    int length = 0;
    for (; *text != '\0'; text++)
        length += ((unsigned char)*text & 0xC0) != 0x80;
    return length;
}

/* Text wrapped at the width, lines after the first indented. */
static void put_wrapped(FILE *file, const char *text, int indent, int width)
{
    int column = indent;
    while (*text != '\0') {
        size_t bytes = strcspn(text, " ");
        int word = 0;
        for (size_t b = 0; b < bytes; b++)
            word += ((unsigned char)text[b] & 0xC0) != 0x80;
        if (column > indent && column + 1 + word > width) {
            fprintf(file, "\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', file);
            column++;
        }
        fprintf(file, "%.*s", (int)bytes, text);
        column += word;
        text += bytes + (text[bytes] == ' ');
    }
    fputc('\n', file);
}

static int column_width(const repro_table *table, size_t column)
{
    int width = length_of(table->column[column]);
    for (size_t r = 0; r < table->rows; r++) {
        int length = length_of(table->cell[r * table->columns + column]);
        width = length > width ? length : width;
    }
    return width;
}

/* Labels and words to the left, numbers to the right: whether no cell of the column begins like a number. */
static int is_words(const repro_table *table, size_t column)
{
    for (size_t r = 0; r < table->rows; r++) {
        const char *text = table->cell[r * table->columns + column];
        text += strspn(text, "-+(~");
        if ((*text >= '0' && *text <= '9') || (unsigned char)*text >= 0x80)
            return column < LABELS;
    }
    return 1;
}

static void put_padded(FILE *file, const char *text, int width, int left)
{
    int space = width - length_of(text);
    fprintf(file, "  %*s%s%*s", left ? 0 : space, "", text, left ? space : 0, "");
}

static void put_line(FILE *file, const repro_table *table, char *const *cell, size_t first, size_t last)
{
    for (size_t c = 0; c < LABELS && c < table->columns; c++)
        put_padded(file, cell[c], column_width(table, c), 1);
    for (size_t c = first; c < last; c++)
        put_padded(file, cell[c], column_width(table, c), is_words(table, c));
    fputc('\n', file);
}

/* The columns first..last of all rows, after the labels. */
static void put_block(FILE *file, const repro_table *table, size_t first, size_t last)
{
    int total = 0;
    for (size_t c = 0; c < table->columns; c++)
        if (c < LABELS || (c >= first && c < last))
            total += 2 + column_width(table, c);
    put_line(file, table, table->column, first, last);
    for (size_t r = 0; r < table->rows; r++) {
        if (table->rule[r]) {
            fputs("  ", file);
            for (int i = 2; i < total; i++)
                fputc('-', file);
            fputc('\n', file);
        }
        put_line(file, table, table->cell + r * table->columns, first, last);
    }
}

static void put_text_table(FILE *file, const repro_table *table, int width)
{
    int labels = 0;
    for (size_t c = 0; c < LABELS && c < table->columns; c++)
        labels += 2 + column_width(table, c);
    for (size_t first = LABELS; first < table->columns;) {
        int used = labels;
        size_t last = first;
        for (; last < table->columns; last++) {
            used += 2 + column_width(table, last);
            if (used > width && last > first)
                break;
        }
        if (first > LABELS)
            fputc('\n', file);
        put_block(file, table, first, last);
        first = last;
    }
}

static void put_text(FILE *file, const repro_report *report, int width)
{
    fprintf(file, "%s\n", report->title);
    for (size_t t = 0; t < report->tables; t++) {
        const repro_table *table = report->table[t];
        if (!table->listed)
            continue;
        fputc('\n', file);
        put_wrapped(file, table->title, 0, width);
        put_text_table(file, table, width);
        for (size_t n = 0; n < table->notes; n++) {
            fputs("    ", file);
            put_wrapped(file, table->note[n], 4, width);
        }
    }
    if (report->notes > 0)
        fputc('\n', file);
    for (size_t n = 0; n < report->notes; n++) {
        fputs("- ", file);
        put_wrapped(file, report->note[n], 2, width);
    }
    if (report->claims > 0)
        fputs("\nclaims\n", file);
    for (size_t c = 0; c < report->claims; c++) {
        const repro_claim *claim = &report->claim[c];
        fprintf(file, "  %-18s  ", repro_verdict_name(claim->verdict));
        put_wrapped(file, claim->text, 22, width);
        if (*claim->detail != '\0') {
            fprintf(file, "%22s", "");
            put_wrapped(file, claim->detail, 22, width);
        }
    }
}

/* What Markdown or HTML would take for a mark is escaped. */
static void put_escaped(FILE *file, const char *text)
{
    for (; *text != '\0'; text++) {
        if (strchr("|*_<>[]`\\", *text) != NULL)
            fputc('\\', file);
        fputc(*text, file);
    }
}

static void put_markdown_line(FILE *file, const repro_table *table, char *const *cell)
{
    fputc('|', file);
    for (size_t c = 0; c < table->columns; c++) {
        fputc(' ', file);
        put_escaped(file, cell[c]);
        fputs(" |", file);
    }
    fputc('\n', file);
}

/* Markdown has no line inside of a table: a row of empty cells stands for it. */
static void put_markdown_table(FILE *file, const repro_table *table)
{
    put_markdown_line(file, table, table->column);
    fputc('|', file);
    for (size_t c = 0; c < table->columns; c++)
        fputs(c < LABELS ? "---|" : "---:|", file);
    fputc('\n', file);
    for (size_t r = 0; r < table->rows; r++) {
        if (table->rule[r]) {
            fputc('|', file);
            for (size_t c = 0; c < table->columns; c++)
                fputs("  |", file);
            fputc('\n', file);
        }
        put_markdown_line(file, table, table->cell + r * table->columns);
    }
}

static void put_item(FILE *file, const char *mark, const char *text)
{
    fputs(mark, file);
    put_escaped(file, text);
    fputc('\n', file);
}

static void put_markdown(FILE *file, const repro_report *report)
{
    put_item(file, "# ", report->title);
    for (size_t t = 0; t < report->tables; t++) {
        const repro_table *table = report->table[t];
        if (!table->listed)
            continue;
        fputc('\n', file);
        put_item(file, "## ", table->title);
        fputc('\n', file);
        put_markdown_table(file, table);
        if (table->notes > 0)
            fputc('\n', file);
        for (size_t n = 0; n < table->notes; n++)
            put_item(file, "- ", table->note[n]);
    }
    if (report->notes > 0)
        fputs("\n## Notes\n\n", file);
    for (size_t n = 0; n < report->notes; n++)
        put_item(file, "- ", report->note[n]);
    if (report->claims > 0)
        fputs("\n## Claims\n\n| claim | here | numbers |\n|---|---|---|\n", file);
    for (size_t c = 0; c < report->claims; c++) {
        const repro_claim *claim = &report->claim[c];
        fputs("| ", file);
        put_escaped(file, claim->text);
        fprintf(file, " | %s | ", repro_verdict_name(claim->verdict));
        put_escaped(file, claim->detail);
        fputs(" |\n", file);
    }
}

void repro_report_write(FILE *file, const repro_report *report, repro_layout format, int width)
{
    if (format == REPRO_MARKDOWN)
        put_markdown(file, report);
    else
        put_text(file, report, width < 40 ? 40 : width);
}

static void put_csv_field(FILE *file, const char *text)
{
    if (strpbrk(text, ",\"\n") == NULL) {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            fputc('"', file);
        fputc(*text, file);
    }
    fputc('"', file);
}

void repro_table_write_csv(FILE *file, const repro_table *table)
{
    for (size_t i = 0; i < (table->rows + 1) * table->columns; i++) {
        size_t column = i % table->columns;
        put_csv_field(file, i < table->columns ? table->column[column] : table->cell[i - table->columns]);
        fputc(column + 1 < table->columns ? ',' : '\n', file);
    }
}
