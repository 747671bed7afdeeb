/* Untrusted text for people to read; see clean.h. */
#include "base/clean.h"

#include <stdint.h>
#include <string.h>

#include "gersh/base.h"

/* Bytes of the UTF-8 character at text, and its code; 0 when it is not UTF-8. */
static size_t decode(uint32_t *code, const unsigned char *text, size_t left)
{
    /* The smallest code of each length: longer than needed is not UTF-8. */
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    *code = text[0];
    if (text[0] < 0x80)
        return 1;
    size_t need = text[0] < 0xC0 ? 0 : text[0] < 0xE0 ? 2 : text[0] < 0xF0 ? 3 : text[0] < 0xF8 ? 4 : 0;
    if (need == 0 || need > left)
        return 0;
    *code = text[0] & (0x7Fu >> need);
    for (size_t i = 1; i < need; i++) {
        if ((text[i] & 0xC0) != 0x80)
            return 0;
        *code = *code << 6 | (text[i] & 0x3Fu);
    }
    int surrogate = *code >= 0xD800 && *code <= 0xDFFF;
    return *code < smallest[need] || *code > 0x10FFFF || surrogate ? 0 : need;
}

size_t gersh__utf8_length(const char *text, size_t left)
{
    uint32_t code;
    return decode(&code, (const unsigned char *)text, left);
}

/* Characters that a reader would not see, but whose effect he would. */
static int is_hidden(uint32_t code)
{
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x61C || code == 0x200E ||
           code == 0x200F || (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

/* What stands in the form for a character that means something there; NULL for the others. */
static const char *find_mark(gersh__clean_form form, char character)
{
    static const struct {
        gersh__clean_form form;
        char character;
        const char *text;
    } marks[] = {{GERSH__CLEAN_DOT, '"', "\\\""},     {GERSH__CLEAN_DOT, '\\', "\\\\"},
                 {GERSH__CLEAN_DOT, '&', "&amp;"},    {GERSH__CLEAN_HTML, '<', "\\u003C"},
                 {GERSH__CLEAN_HTML, '>', "\\u003E"}, {GERSH__CLEAN_HTML, '&', "\\u0026"},
                 {GERSH__CLEAN_HTML, '\n', "\n"},     {GERSH__CLEAN_JSON, '\n', "\n"}};
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        if (marks[i].form == form && marks[i].character == character)
            return marks[i].text;
    return NULL;
}

size_t gersh__clean_character(char out[GERSH__CLEAN_SIZE], size_t *length, gersh__clean_form form,
                              const char *text, size_t left)
{
    uint32_t code;
    size_t bytes = decode(&code, (const unsigned char *)text, left);
    const char *mark = find_mark(form, *text), *backslash = form == GERSH__CLEAN_DOT ? "\\\\" : "\\";
    int json = form == GERSH__CLEAN_JSON || form == GERSH__CLEAN_HTML;
    if (mark != NULL) {
        *length = (size_t)snprintf(out, GERSH__CLEAN_SIZE, "%s", mark);
    } else if (bytes > 0 && !is_hidden(code)) {
        memcpy(out, text, bytes);
        out[bytes] = '\0';
        *length = bytes;
    } else if (json || bytes > 1) {
        unsigned shown = bytes > 0 ? (unsigned)code & 0xFFFF : 0xFFFD;
        *length = (size_t)snprintf(out, GERSH__CLEAN_SIZE, "%su%04X", backslash, shown);
    } else {
        *length = (size_t)snprintf(out, GERSH__CLEAN_SIZE, "%sx%02X", backslash, (unsigned char)*text);
    }
    return bytes > 0 ? bytes : 1;
}

char *gersh__clean_text(char *out, size_t size, gersh__clean_form form, const char *text)
{
    char piece[GERSH__CLEAN_SIZE];
    size_t left = strlen(text), used = 0, length;
    out[0] = '\0';
    while (left > 0) {
        size_t bytes = gersh__clean_character(piece, &length, form, text, left);
        if (used + length >= size)
            break;
        memcpy(out + used, piece, length + 1);
        used += length;
        text += bytes;
        left -= bytes;
    }
    return out;
}

char *gersh_text_clean(char *out, size_t size, const char *text)
{
    return gersh__clean_text(out, size, GERSH__CLEAN_SHOWN, text);
}

/* The same in every form. */
static int is_plain(char c)
{
    return c >= ' ' && c < 0x7F && strchr("\"\\&<>", c) == NULL;
}

void gersh__clean_each(gersh__clean_form form, const char *text, size_t length, gersh__clean_sink put,
                       void *context)
{
    char piece[GERSH__CLEAN_SIZE];
    size_t used, bytes;
    for (; length > 0; text += bytes, length -= bytes) {
        for (bytes = 0; bytes < length && is_plain(text[bytes]);)
            bytes++;
        if (bytes > 0) {
            put(context, text, bytes);
        } else {
            bytes = gersh__clean_character(piece, &used, form, text, length);
            put(context, piece, used);
        }
    }
}

static void write_piece(void *context, const char *piece, size_t length)
{
    fwrite(piece, 1, length, context);
}

void gersh__clean_put(FILE *file, gersh__clean_form form, const char *text, size_t length)
{
    gersh__clean_each(form, text, length, write_piece, file);
}
