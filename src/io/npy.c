/*
 * NPY files: arrays of one axis (one column) or two (rows and columns) of floating-point numbers of 2, 4 or
 * 8 bytes, whole numbers, booleans, or text of a fixed width, in either byte order, by rows or by columns.
 */
#include "io/npy.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "io/formats.h"
#include "io/scan.h"

/* The element's bytes as a whole number. */
static uint64_t load(const unsigned char *bytes, size_t size, int big)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < size; i++)
        bits = bits << 8 | bytes[big ? i : size - 1 - i];
    return bits;
}

/* Half precision: 1 bit of sign, 5 of exponent, 10 of mantissa; every value is exact as a double. */
static double from_half(uint64_t bits)
{
    int exponent = (int)(bits >> 10 & 31);
    double mantissa = (double)(bits & 1023);
    double value = exponent == 31  ? (mantissa == 0 ? (double)INFINITY : (double)NAN)
                   : exponent == 0 ? ldexp(mantissa, -24)
                                   : ldexp(mantissa + 1024, exponent - 25);
    return bits >> 15 ? -value : value;
}

static double from_bits(uint64_t bits, const gersh__npy *npy)
{
    uint32_t low = (uint32_t)bits;
    float single;
    double value;
    switch (npy->kind) {
    case 'f':
        if (npy->item == 2)
            return from_half(bits);
        memcpy(&single, &low, sizeof single);
        memcpy(&value, &bits, sizeof value);
        return npy->item == 4 ? (double)single : value;
    case 'i':
        /* The sign is the top bit of the element; two's complement of the rest. */
        if (bits >> (8 * npy->item - 1) & 1)
            return -(double)((~bits & (UINT64_MAX >> (64 - 8 * npy->item))) + 1);
        return (double)bits;
    default:
        return (double)bits;
    }
}

static gersh_status read_number(const gersh__table *table, const gersh__npy *npy,
                                const unsigned char *element, size_t row, size_t column, double *cell)
{
    uint64_t bits = load(element, npy->item, npy->big);
    *cell = from_bits(bits, npy);
    if (isinf(*cell))
        return gersh__table_fail(
            table, 0, column, "row %zu: the value is infinite; only finite numbers can be used", row + 1);
    if (npy->kind == 'b' && bits > 1)
        return gersh__table_fail(table, 0, column, "row %zu: the byte %d is not a boolean, 0 or 1", row + 1,
                                 (int)bits);
    return GERSH_OK;
}

/* Writes the character as UTF-8; returns its bytes, 0 when there is no such character. */
static size_t put_utf8(char *to, uint64_t c)
{
    if (c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF))
        return 0;
    if (c < 0x80) {
        to[0] = (char)c;
        return 1;
    }
    size_t more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const unsigned lead[] = {0, 0xC0, 0xE0, 0xF0};
    to[0] = (char)(lead[more] | c >> (6 * more));
    for (size_t i = 1; i <= more; i++)
        to[i] = (char)(0x80 | (c >> (6 * (more - i)) & 0x3F));
    return more + 1;
}

/* The element as a word; `buffer` has room for npy->item bytes. NUL characters at the end are padding. */
static gersh_status read_word(gersh__table *table, const gersh__npy *npy, const unsigned char *element,
                              size_t row, size_t column, char *buffer, double *cell)
{
    size_t width = npy->kind == 'U' ? 4 : 1, characters = npy->item / width, length = 0;
    while (characters > 0 && load(element + (characters - 1) * width, width, npy->big) == 0)
        characters--;
    for (size_t i = 0; i < characters; i++) {
        uint64_t c = load(element + i * width, width, npy->big);
        if (width == 1)
            buffer[length] = (char)c;
        size_t bytes = c == 0 ? 0 : width == 1 ? 1 : put_utf8(buffer + length, c);
        if (bytes == 0)
            return gersh__table_fail(table, 0, column,
                                     "row %zu: character %zu of the text, U+%04lX, is not allowed", row + 1,
                                     i + 1, (unsigned long)c);
        length += bytes;
    }
    gersh__cell_kind kind = gersh__scan_cell(buffer, length, cell);
    if (kind == GERSH__CELL_MISSING)
        return GERSH_OK;
    if (kind != GERSH__CELL_NUMBER && table->column[column].odd_row == GERSH__NONE)
        table->column[column].odd_row = row;
    return gersh__table_word(cell, table, column, buffer, length);
}

static gersh_status read_elements(gersh__table *table, const gersh__npy *npy, const unsigned char *bytes,
                                  char *buffer)
{
    gersh_status status = GERSH_OK;
    for (size_t i = 0; i < npy->rows; i++)
        for (size_t j = 0; j < npy->columns && status == GERSH_OK; j++) {
            size_t place = npy->fortran ? j * npy->rows + i : i * npy->columns + j;
            const unsigned char *element = bytes + place * npy->item;
            double *cell = &table->cells[i * npy->columns + j];
            status = buffer != NULL ? read_word(table, npy, element, i, j, buffer, cell)
                                    : read_number(table, npy, element, i, j, cell);
        }
    return status;
}

static gersh_status read_npy(gersh__table *table, gersh__content *content, const gersh_settings *settings)
{
    gersh__npy npy;
    char *buffer = NULL;
    gersh_status status = gersh__npy_read_header(&npy, table, content);
    if (status == GERSH_OK)
        status = gersh__table_make_columns(table, npy.columns);
    if (status == GERSH_OK)
        status = gersh__table_set_label(table, settings);
    if (status != GERSH_OK)
        return status;
    int text = npy.kind == 'S' || npy.kind == 'U';
    for (size_t j = 0; j < npy.columns; j++) /* numbers stay numbers in the label column too */
        table->column[j].text = table->column[j].named_text = text;
    table->rows = npy.rows;
    table->cells = gersh__alloc(npy.rows * npy.columns, sizeof *table->cells);
    if (text)
        buffer = gersh__alloc(npy.item, 1);
    if (table->cells == NULL || (text && buffer == NULL))
        status = GERSH_ERROR_MEMORY;
    else
        status = read_elements(table, &npy, (const unsigned char *)content->bytes + npy.offset, buffer);
    gersh__free(buffer);
    return status;
}

const gersh__reader gersh__reader_npy = {
    .format = "npy", .fits = gersh__npy_fits, .read = read_npy, .binary = 1};
