/* ARFF: the declarations "@relation", "@attribute" and "@data", and the tokens of all lines. */
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "io/arff.h"

gersh__cursor gersh__arff_cursor(const gersh__line *line)
{
    gersh__cursor cursor = {line->text, line->text + line->length, line->number};
    gersh__arff_skip_blanks(&cursor);
    return cursor;
}

void gersh__arff_skip_blanks(gersh__cursor *cursor)
{
    while (cursor->at < cursor->end && gersh__scan_is_blank(*cursor->at))
        cursor->at++;
}

int gersh__arff_at_end(const gersh__cursor *cursor)
{
    return cursor->at == cursor->end || *cursor->at == '%';
}

static char escaped(char c)
{
    return c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
}

gersh_status gersh__arff_token(gersh__token *token, gersh__cursor *cursor, const gersh__table *table)
{
    char quote = cursor->at < cursor->end ? *cursor->at : '\0';
    token->text = cursor->at;
    token->quoted = quote == '\'' || quote == '"';
    if (!token->quoted) {
        while (cursor->at < cursor->end && !gersh__scan_is_blank(*cursor->at) &&
               strchr(",{}", *cursor->at) == NULL)
            cursor->at++;
        token->length = (size_t)(cursor->at - token->text);
        return GERSH_OK;
    }
    char *to = token->text;
    for (cursor->at++; cursor->at < cursor->end && *cursor->at != quote; cursor->at++) {
        int escape = *cursor->at == '\\' && cursor->at + 1 < cursor->end;
        cursor->at += escape;
        *to++ = escape ? escaped(*cursor->at) : *cursor->at;
    }
    if (cursor->at == cursor->end)
        return gersh__table_fail(table, cursor->line, GERSH__NONE,
                                 "a quote (%c) is opened and never closed", quote);
    cursor->at++;
    token->length = (size_t)(to - token->text);
    if (cursor->at < cursor->end && !gersh__scan_is_blank(*cursor->at) &&
        strchr(",{}%", *cursor->at) == NULL)
        return gersh__table_fail(
            table, cursor->line, GERSH__NONE,
            "there is text behind a closing quote (%c); a quote inside quotes is written "
            "with a backslash before it",
            quote);
    return GERSH_OK;
}

int gersh__arff_is(const gersh__token *token, const char *word)
{
    char copy[16];
    if (token->quoted || token->length >= sizeof copy)
        return 0;
    memcpy(copy, token->text, token->length);
    copy[token->length] = '\0';
    return gersh__text_same(copy, word);
}

static gersh_status fail_token(const gersh__arff *arff, const gersh__cursor *cursor,
                               const gersh__token *token, const char *sentence)
{
    char excerpt[GERSH__EXCERPT_SIZE];
    return gersh__table_fail(arff->table, cursor->line, GERSH__NONE, sentence,
                             gersh__text_excerpt(excerpt, sizeof excerpt, token->text, token->length));
}

static gersh_status check_rest(const gersh__arff *arff, gersh__cursor *cursor, const char *what)
{
    char excerpt[GERSH__EXCERPT_SIZE];
    gersh__arff_skip_blanks(cursor);
    if (gersh__arff_at_end(cursor))
        return GERSH_OK;
    size_t length = (size_t)(cursor->end - cursor->at);
    return gersh__table_fail(arff->table, cursor->line, GERSH__NONE, "'%s' is not expected behind %s",
                             gersh__text_excerpt(excerpt, sizeof excerpt, cursor->at, length), what);
}

/* "{a, b, ...}"; the cursor is at the brace. */
static gersh_status read_values(gersh__arff *arff, gersh__arff_attribute *attribute, gersh__cursor *cursor)
{
    attribute->kind = GERSH__ARFF_NOMINAL;
    attribute->numeric = 1;
    do {
        gersh__token value;
        double number;
        cursor->at++;
        gersh__arff_skip_blanks(cursor);
        gersh_status status = gersh__arff_token(&value, cursor, arff->table);
        if (status != GERSH_OK)
            return status;
        if (value.length == 0 && !value.quoted && !gersh__arff_at_end(cursor))
            return gersh__table_fail(arff->table, cursor->line, GERSH__NONE,
                                     "a value in the braces is empty; write it as ''");
        gersh__arff_skip_blanks(cursor);
        if (gersh__arff_at_end(cursor))
            return gersh__table_fail(arff->table, cursor->line, GERSH__NONE,
                                     "the list of values has no closing brace");
        if (*cursor->at != ',' && *cursor->at != '}')
            return fail_token(
                arff, cursor, &value,
                "a comma is missing behind '%s' in the list of values; a value with blanks needs "
                "quotes");
        size_t before = attribute->values.count;
        size_t which = gersh__words_add(&attribute->values, value.text, value.length);
        if (which == GERSH__NO_WORD)
            return GERSH_ERROR_MEMORY;
        if (which < before)
            return fail_token(arff, cursor, &value, "the value '%s' is declared twice");
        if (gersh__parse_double(value.text, value.length, &number) != GERSH__NUMBER_OK)
            attribute->numeric = 0;
    } while (*cursor->at == ',');
    cursor->at++;
    return check_rest(arff, cursor, "the list of values");
}

static gersh_status read_type(gersh__arff *arff, gersh__arff_attribute *attribute, gersh__cursor *cursor)
{
    gersh__token type;
    gersh__arff_skip_blanks(cursor);
    if (cursor->at < cursor->end && *cursor->at == '{')
        return read_values(arff, attribute, cursor);
    gersh_status status = gersh__arff_token(&type, cursor, arff->table);
    if (status != GERSH_OK)
        return status;
    if (type.length == 0 || *type.text == '%')
        return gersh__table_fail(arff->table, cursor->line, GERSH__NONE,
                                 "the attribute has no type; expected numeric, string, date or {values}");
    if (gersh__arff_is(&type, "numeric") || gersh__arff_is(&type, "real") ||
        gersh__arff_is(&type, "integer")) {
        attribute->kind = GERSH__ARFF_NUMBER;
    } else if (gersh__arff_is(&type, "string")) {
        attribute->kind = GERSH__ARFF_TEXT;
    } else if (gersh__arff_is(&type, "date")) {
        gersh__token format;
        attribute->kind = GERSH__ARFF_TEXT;
        gersh__arff_skip_blanks(cursor);
        if (!gersh__arff_at_end(cursor))
            status = gersh__arff_token(&format, cursor, arff->table);
        if (status != GERSH_OK)
            return status;
    } else {
        return fail_token(arff, cursor, &type,
                          "the type '%s' is not known; expected numeric, real, integer, string, date or "
                          "{values}");
    }
    return check_rest(arff, cursor, "the type");
}

static gersh_status read_attribute(gersh__arff *arff, gersh__cursor *cursor)
{
    gersh__token name;
    gersh__arff_skip_blanks(cursor);
    gersh_status status = gersh__arff_token(&name, cursor, arff->table);
    if (status != GERSH_OK)
        return status;
    if (name.length == 0)
        return gersh__table_fail(arff->table, cursor->line, GERSH__NONE, "the attribute has no name");
    if (gersh__words_find(&arff->names, name.text, name.length) != GERSH__NO_WORD)
        return fail_token(arff, cursor, &name,
                          "there is an attribute '%s' already; give each its own name");
    if (gersh__words_add(&arff->names, name.text, name.length) == GERSH__NO_WORD ||
        gersh__grow(&arff->attribute, &arff->attribute_capacity, arff->count + 1,
                    sizeof *arff->attribute) != 0)
        return GERSH_ERROR_MEMORY;
    gersh__arff_attribute *attribute = &arff->attribute[arff->count++];
    *attribute = (gersh__arff_attribute){0};
    attribute->name = gersh__text_copy(name.text, name.length);
    if (attribute->name == NULL)
        return GERSH_ERROR_MEMORY;
    return read_type(arff, attribute, cursor);
}

gersh_status gersh__arff_read_header(gersh__arff *arff, gersh__lines *lines)
{
    gersh__line line;
    while (gersh__lines_next(lines, &line)) {
        gersh__cursor cursor = gersh__arff_cursor(&line);
        gersh__token word;
        gersh_status status = GERSH_OK;
        if (gersh__arff_at_end(&cursor))
            continue;
        status = gersh__arff_token(&word, &cursor, arff->table);
        if (status != GERSH_OK)
            return status;
        if (gersh__arff_is(&word, "@data")) {
            status = check_rest(arff, &cursor, "@data");
            if (status == GERSH_OK && arff->count == 0)
                status = gersh__table_fail(arff->table, line.number, GERSH__NONE,
                                           "@data comes before any @attribute");
            return status;
        }
        if (gersh__arff_is(&word, "@attribute"))
            status = read_attribute(arff, &cursor);
        else if (!gersh__arff_is(&word, "@relation"))
            status = fail_token(arff, &cursor, &word,
                                "starts with '%s'; expected @relation, @attribute or @data");
        if (status != GERSH_OK)
            return status;
    }
    return gersh__table_fail(arff->table, 0, GERSH__NONE, "has no line '@data'");
}
