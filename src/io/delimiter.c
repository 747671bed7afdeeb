/*
 * Finding the delimiter of a text table. Each candidate splits the first rows; one that gives every row the
 * same number of fields, and more than one, is taken, in the order tab, ';', ',', blanks. When none does,
 * the file is ragged or has one column: a delimiter that every row has is then taken, so that the reader
 * can say which row is wrong.
 */
#include "base/text.h"
#include "io/formats.h"
#include "io/scan.h"

enum { rows_to_look_at = 20 };

typedef struct candidate {
    char delimiter;
    size_t fewest, most; /* fields of a row */
    size_t first;        /* fields of the first row */
    int numbers;         /* some field holds two numbers with blanks between them */
} candidate;

static int ends_line(char c)
{
    return c == '\n' || c == '\r';
}

static int separates(char c, char delimiter)
{
    return c == delimiter || (delimiter == ' ' && c == '\t');
}

/* Blanks that are not the delimiter itself. */
static const char *skip_blanks(const char *at, const char *end, char delimiter)
{
    while (at < end && gersh__scan_is_blank(*at) && (*at != delimiter || delimiter == ' '))
        at++;
    return at;
}

static const char *skip_line(const char *at, const char *end)
{
    while (at < end && !ends_line(*at))
        at++;
    return at < end ? at + 1 : at;
}

static const char *skip_quoted(const char *at, const char *end)
{
    for (at++; at < end; at++)
        if (*at == '"') {
            if (at + 1 == end || at[1] != '"')
                return at + 1;
            at++;
        }
    return end;
}

static int holds_numbers(const char *text, size_t length)
{
    size_t at = 0, size;
    int numbers = 0;
    const char *token;
    double value;
    while (numbers < 2 && (token = gersh__scan_token(text, length, &at, &size)) != NULL) {
        if (gersh__parse_double(token, size, &value) != GERSH__NUMBER_OK)
            return 0;
        numbers++;
    }
    return numbers == 2;
}

/* Counts the fields of the row at *at, which is neither blank nor a comment, and moves behind it. */
static size_t count_fields(candidate *c, const char **at, const char *end)
{
    size_t fields = 1;
    const char *p = skip_blanks(*at, end, c->delimiter);
    while (p < end && !ends_line(*p)) {
        const char *start = p;
        if (*p == '"')
            p = skip_quoted(p, end);
        while (p < end && !ends_line(*p) && !separates(*p, c->delimiter))
            p++;
        if (c->delimiter == '\t' && !c->numbers)
            c->numbers = holds_numbers(start, (size_t)(p - start));
        if (p == end || ends_line(*p))
            break;
        p = skip_blanks(p + 1, end, c->delimiter);
        if (c->delimiter != ' ' || (p < end && !ends_line(*p)))
            fields++;
    }
    *at = p < end ? p + 1 : p;
    return fields;
}

static candidate try_delimiter(const gersh__content *content, char delimiter)
{
    candidate c = {.delimiter = delimiter};
    const char *at = content->bytes, *end = at + content->size;
    size_t rows = 0;
    while (at < end && rows < rows_to_look_at) {
        const char *text = skip_blanks(at, end, ' ');
        if (text == end || ends_line(*text) || *at == '#' || (delimiter == ' ' && *text == '#')) {
            at = skip_line(at, end);
            continue;
        }
        size_t fields = count_fields(&c, &at, end);
        if (rows++ == 0)
            c.first = c.fewest = c.most = fields;
        c.fewest = fields < c.fewest ? fields : c.fewest;
        c.most = fields > c.most ? fields : c.most;
    }
    return c;
}

static int is_even(const candidate *c)
{
    return c->fewest == c->most && c->fewest > 1;
}

char gersh__delimiter_find(const gersh__content *content)
{
    candidate tab = try_delimiter(content, '\t');
    /* Columns aligned by blanks may have a tab in them. */
    if (is_even(&tab) && !tab.numbers)
        return '\t';
    candidate blank = try_delimiter(content, ' ');
    if (is_even(&tab) && !is_even(&blank))
        return '\t';
    candidate semicolon = try_delimiter(content, ';');
    if (is_even(&semicolon))
        return ';';
    candidate comma = try_delimiter(content, ',');
    if (is_even(&comma))
        return ',';
    if (semicolon.fewest > 1)
        return ';';
    if (comma.fewest > 1)
        return ',';
    if (is_even(&blank))
        return ' ';
    if (tab.first > 1)
        return '\t';
    if (semicolon.first > 1)
        return ';';
    if (comma.first > 1)
        return ',';
    return blank.fewest > 1 ? ' ' : ',';
}
