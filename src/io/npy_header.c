/*
 * The header of an NPY file: the magic bytes, a version, the length of the text that follows, and that
 * text, a Python dictionary with the keys descr, fortran_order and shape. The little of Python's syntax
 * that can stand there is parsed strictly.
 */
#include "io/npy.h"

#include <stdint.h>
#include <string.h>

#include "base/text.h"

static const char magic[] = "\x93NUMPY";
enum { magic_size = 6, most_axes = 32 };

typedef struct parser {
    const gersh__table *table;
    const char *at, *end;
    int seen[3]; /* descr, fortran_order, shape */
    size_t axes;
    size_t shape[most_axes];
    gersh__npy *npy;
} parser;

static gersh_status fail(const parser *p, const char *sentence)
{
    char excerpt[GERSH__EXCERPT_SIZE];
    size_t left = (size_t)(p->end - p->at);
    return gersh__table_fail(p->table, 0, GERSH__NONE, "bad NPY header: %s at '%s'", sentence,
                             gersh__text_excerpt(excerpt, sizeof excerpt, p->at, left < 24 ? left : 24));
}

static void skip_space(parser *p)
{
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\n' || *p->at == '\t' || *p->at == '\r'))
        p->at++;
}

/* Moves over the character when it is next. */
static int accept(parser *p, char c)
{
    skip_space(p);
    if (p->at == p->end || *p->at != c)
        return 0;
    p->at++;
    return 1;
}

static int accept_word(parser *p, const char *word)
{
    size_t length = strlen(word);
    skip_space(p);
    if ((size_t)(p->end - p->at) < length || memcmp(p->at, word, length) != 0)
        return 0;
    p->at += length;
    return 1;
}

static gersh_status parse_string(parser *p, const char **text, size_t *length)
{
    skip_space(p);
    const char *start = p->at;
    if (start == p->end || (*start != '\'' && *start != '"'))
        return fail(p, "expected a quoted word");
    const char *close = memchr(start + 1, *start, (size_t)(p->end - start - 1));
    if (close == NULL)
        return fail(p, "a quote is not closed");
    *text = start + 1;
    *length = (size_t)(close - start - 1);
    p->at = close + 1;
    return GERSH_OK;
}

static gersh_status fail_type(const parser *p, const char *text, size_t length, const char *sentence)
{
    char excerpt[GERSH__EXCERPT_SIZE];
    return gersh__table_fail(p->table, 0, GERSH__NONE, "the elements are of type '%s', %s",
                             gersh__text_excerpt(excerpt, sizeof excerpt, text, length), sentence);
}

static int machine_is_big(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 0;
}

static gersh_status parse_type(parser *p)
{
    const char *text;
    size_t length;
    uint64_t size = 0;
    skip_space(p);
    if (p->at < p->end && *p->at == '[')
        return gersh__table_fail(
            p->table, 0, GERSH__NONE,
            "the elements are records of several fields; save a plain array of numbers");
    gersh_status status = parse_string(p, &text, &length);
    if (status != GERSH_OK)
        return status;
    if (length >= 2 && text[1] == 'O')
        return fail_type(p, text, length, "pickled objects, which are refused; save an array of numbers");
    char kind = length >= 3 ? text[1] : '\0';
    int known = length >= 3 && strchr("<>=|", text[0]) != NULL &&
                gersh__parse_whole(text + 2, length - 2, 1, SIZE_MAX / 8, &size) == 0;
    if (kind == 'f')
        known = known && (size == 2 || size == 4 || size == 8);
    else if (kind == 'i' || kind == 'u')
        known = known && (size == 1 || size == 2 || size == 4 || size == 8);
    else if (kind == 'b')
        known = known && size == 1;
    else
        known = known && (kind == 'S' || kind == 'U');
    if (!known)
        return fail_type(p, text, length,
                         "which is not supported; save them as float64, float32, float16, whole numbers, "
                         "booleans or text");
    p->npy->kind = kind;
    p->npy->item = kind == 'U' ? 4 * (size_t)size : (size_t)size;
    p->npy->big = text[0] == '>' || (text[0] != '<' && machine_is_big());
    return GERSH_OK;
}

static gersh_status parse_order(parser *p)
{
    p->npy->fortran = accept_word(p, "True");
    if (!p->npy->fortran && !accept_word(p, "False"))
        return fail(p, "expected True or False");
    return GERSH_OK;
}

static gersh_status parse_shape(parser *p)
{
    if (!accept(p, '('))
        return fail(p, "expected the shape in parentheses");
    while (!accept(p, ')')) {
        skip_space(p);
        const char *start = p->at;
        uint64_t size;
        while (p->at < p->end && *p->at >= '0' && *p->at <= '9')
            p->at++;
        if (gersh__parse_whole(start, (size_t)(p->at - start), 0, SIZE_MAX, &size) != 0) {
            p->at = start;
            return fail(p, "expected a whole number in the shape");
        }
        accept(p, 'L'); /* as Python 2 wrote them */
        if (p->axes == most_axes)
            return fail(p, "the shape has too many axes");
        p->shape[p->axes++] = (size_t)size;
        if (accept(p, ','))
            continue;
        if (!accept(p, ')'))
            return fail(p, "expected a comma or a parenthesis in the shape");
        break;
    }
    return GERSH_OK;
}

static gersh_status parse_dictionary(parser *p)
{
    static const char *const keys[] = {"descr", "fortran_order", "shape"};
    static gersh_status (*const parse[])(parser *) = {parse_type, parse_order, parse_shape};
    if (!accept(p, '{'))
        return fail(p, "expected a brace");
    while (!accept(p, '}')) {
        const char *key;
        size_t length, which = 0;
        gersh_status status = parse_string(p, &key, &length);
        if (status != GERSH_OK)
            return status;
        while (which < 3 && (strlen(keys[which]) != length || memcmp(keys[which], key, length) != 0))
            which++;
        if (which == 3 || p->seen[which]++) {
            p->at = key;
            return fail(p, which == 3 ? "an unknown key" : "a key that is there twice");
        }
        if (!accept(p, ':'))
            return fail(p, "expected a colon");
        status = parse[which](p);
        if (status != GERSH_OK)
            return status;
        if (accept(p, ','))
            continue;
        if (!accept(p, '}'))
            return fail(p, "expected a comma or a brace");
        break;
    }
    skip_space(p);
    if (p->at < p->end)
        return fail(p, "more text than one dictionary");
    for (int i = 0; i < 3; i++)
        if (!p->seen[i])
            return gersh__table_fail(p->table, 0, GERSH__NONE, "bad NPY header: the key '%s' is missing",
                                     keys[i]);
    return GERSH_OK;
}

/* Turns the shape into rows and columns, and compares with the size of the file. */
static gersh_status check_shape(parser *p, size_t size)
{
    gersh__npy *npy = p->npy;
    if (p->axes == 0 || p->axes > 2)
        return gersh__table_fail(
            p->table, 0, GERSH__NONE,
            "the array has %zu axes; one (a column) or two (rows and columns) are expected", p->axes);
    npy->rows = p->shape[0];
    npy->columns = p->axes == 2 ? p->shape[1] : 1;
    if (npy->rows == 0 || npy->columns == 0)
        return gersh__table_fail(p->table, 0, GERSH__NONE,
                                 "the array has %zu rows and %zu columns, so no values", npy->rows,
                                 npy->columns);
    size_t found = size - npy->offset;
    if (npy->rows > SIZE_MAX / npy->columns || npy->rows * npy->columns > SIZE_MAX / npy->item)
        return gersh__table_fail(
            p->table, 0, GERSH__NONE,
            "an array of %zu × %zu elements of %zu bytes cannot be; the header is damaged", npy->rows,
            npy->columns, npy->item);
    size_t expected = npy->rows * npy->columns * npy->item;
    if (expected != found)
        return gersh__table_fail(
            p->table, 0, GERSH__NONE,
            "%zu × %zu elements of %zu bytes are %zu bytes, but %zu follow the header; the "
            "file %s",
            npy->rows, npy->columns, npy->item, expected, found,
            found < expected ? "was cut off" : "has bytes behind the array");
    return GERSH_OK;
}

int gersh__npy_fits(const gersh__content *content)
{
    return content->size >= magic_size && memcmp(content->bytes, magic, magic_size) == 0;
}

gersh_status gersh__npy_read_header(gersh__npy *npy, const gersh__table *table,
                                    const gersh__content *content)
{
    const unsigned char *bytes = (const unsigned char *)content->bytes;
    if (!gersh__npy_fits(content))
        return gersh__table_fail(table, 0, GERSH__NONE,
                                 "is not an NPY file; it does not start with '\\x93NUMPY'");
    size_t start = content->size >= 8 && bytes[6] == 1 ? 10 : 12;
    if (content->size < start)
        return gersh__table_fail(table, 0, GERSH__NONE, "bad NPY header: the file ends after %zu bytes",
                                 content->size);
    if (bytes[6] < 1 || bytes[6] > 3 || bytes[7] != 0)
        return gersh__table_fail(table, 0, GERSH__NONE,
                                 "has version %d.%d of the NPY format; 1.0, 2.0 and 3.0 are known",
                                 bytes[6], bytes[7]);
    size_t length = 0;
    for (size_t i = start; i > 8; i--)
        length = length << 8 | bytes[i - 1];
    if (length > content->size - start)
        return gersh__table_fail(table, 0, GERSH__NONE,
                                 "bad NPY header: it should have %zu bytes, but only %zu follow", length,
                                 content->size - start);
    parser p = {
        .table = table, .at = content->bytes + start, .end = content->bytes + start + length, .npy = npy};
    *npy = (gersh__npy){.offset = start + length};
    gersh_status status = parse_dictionary(&p);
    return status == GERSH_OK ? check_shape(&p, content->size) : status;
}
