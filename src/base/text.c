/* Parsing numbers, comparing words and quoting foreign text in messages. */
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"

static int lower(int c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int same_letters(const char *text, size_t length, const char *word)
{
    if (strlen(word) != length)
        return 0;
    for (size_t i = 0; i < length; i++)
        if (lower((unsigned char)text[i]) != word[i])
            return 0;
    return 1;
}

static gersh__number parse_word(const char *text, size_t length)
{
    if (length > 0 && (*text == '+' || *text == '-')) {
        text++;
        length--;
    }
    if (same_letters(text, length, "nan"))
        return GERSH__NUMBER_NAN;
    if (same_letters(text, length, "inf") || same_letters(text, length, "infinity"))
        return GERSH__NUMBER_INF;
    return GERSH__NUMBER_NONE;
}

/*
 * A decimal number taken apart: its value is the digits from `first` on, the point left out, times
 * 10^scale. There are `significant` digits; `mantissa` holds the first of them, all when there are no more
 * than 18.
 */
typedef struct decimal {
    int negative;
    const char *first;
    size_t significant;
    uint64_t mantissa;
    int64_t scale;
} decimal;

static const char *scan_digits(decimal *number, const char *p, const char *end)
{
    for (; p < end && is_digit(*p); p++) {
        if (number->significant == 0) {
            if (*p == '0')
                continue;
            number->first = p;
        }
        if (++number->significant <= 18)
            number->mantissa = number->mantissa * 10 + (uint64_t)(*p - '0');
    }
    return p;
}

/* Returns 0, or -1 when the text is not a decimal number. */
static int scan_decimal(decimal *number, const char *text, size_t length)
{
    const char *end = text + length;
    const char *p = text;
    *number = (decimal){.negative = p < end && *p == '-'};
    if (p < end && (*p == '+' || *p == '-'))
        p++;
    const char *whole = p;
    p = scan_digits(number, p, end);
    size_t digits = (size_t)(p - whole);
    if (p < end && *p == '.') {
        const char *fraction = ++p;
        p = scan_digits(number, p, end);
        number->scale = -(int64_t)(p - fraction);
        digits += (size_t)(p - fraction);
    }
    if (digits == 0)
        return -1;
    if (p < end && (*p == 'e' || *p == 'E')) {
        p++;
        int minus = p < end && *p == '-';
        if (p < end && (*p == '+' || *p == '-'))
            p++;
        if (p == end || !is_digit(*p))
            return -1;
        int64_t exponent = 0;
        for (; p < end && is_digit(*p); p++)
            exponent = exponent < INT64_C(100000000000000000) ? exponent * 10 + (*p - '0') : exponent;
        number->scale += minus ? -exponent : exponent;
    }
    return p == end ? 0 : -1;
}

/*
 * The C library's correctly rounded conversion, of text that has no point and so no locale. No double, and
 * no middle between two, has more than 768 digits: of longer numbers it is enough to know that something
 * follows.
 */
static gersh__number convert_slowly(const decimal *number, double *value)
{
    enum { longest = 800, far = 100000 };
    char copy[longest + 32];
    size_t used = 0, kept = 0;
    const char *p = number->first;
    for (; kept < number->significant && kept < longest; p++) {
        if (*p != '.') {
            copy[used++] = *p;
            kept++;
        }
    }
    int64_t scale = number->scale + (int64_t)(number->significant - kept);
    for (size_t left = number->significant - kept; left > 0; p++) {
        left -= *p != '.';
        if (*p != '.' && *p != '0') {
            copy[used++] = '1';
            scale--;
            break;
        }
    }
    scale = scale > far ? far : scale < -far ? -far : scale;
    snprintf(copy + used, sizeof copy - used, "e%d", (int)scale);
    double x = strtod(copy, NULL);
    if (isinf(x))
        return GERSH__NUMBER_LARGE;
    *value = number->negative ? -x : x;
    return GERSH__NUMBER_OK;
}

gersh__number gersh__parse_double(const char *text, size_t length, double *value)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    decimal number;
    if (scan_decimal(&number, text, length) != 0)
        return parse_word(text, length);
    /* Both factors exact: one rounding, so the result is the nearest double (Clinger). */
    if (number.significant <= 18 && number.mantissa <= (UINT64_C(1) << 53) && number.scale >= -22 &&
        number.scale <= 22) {
        double x = (double)number.mantissa;
        x = number.scale < 0 ? x / powers[-number.scale] : x * powers[number.scale];
        *value = number.negative ? -x : x;
        return GERSH__NUMBER_OK;
    }
    if (number.significant == 0) {
        *value = number.negative ? -0.0 : 0.0;
        return GERSH__NUMBER_OK;
    }
    return convert_slowly(&number, value);
}

int gersh__parse_whole(const char *text, size_t length, uint64_t low, uint64_t high, uint64_t *value)
{
    uint64_t x = 0;
    if (length == 0)
        return -1;
    for (size_t i = 0; i < length; i++) {
        if (!is_digit(text[i]))
            return -1;
        uint64_t digit = (uint64_t)(text[i] - '0');
        if (x > (UINT64_MAX - digit) / 10)
            return -1;
        x = x * 10 + digit;
    }
    if (x < low || x > high)
        return -1;
    *value = x;
    return 0;
}

int gersh__text_same(const char *a, const char *b)
{
    while (*a != '\0' && lower((unsigned char)*a) == lower((unsigned char)*b)) {
        a++;
        b++;
    }
    return *a == *b;
}

/* Letters to insert, delete, change or swap with the next to get from a to b. */
static size_t edit_distance(const char *a, const char *b)
{
    enum { longest = 40 };
    size_t n = strlen(a), m = strlen(b);
    if (n > longest || m > longest)
        return SIZE_MAX;
    size_t row[3][longest + 1];
    for (size_t j = 0; j <= m; j++)
        row[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t *now = row[i % 3], *before = row[(i + 2) % 3], *earlier = row[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t best = before[j - 1] + (lower(a[i - 1]) != lower(b[j - 1]));
            best = before[j] + 1 < best ? before[j] + 1 : best;
            best = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                lower(a[i - 2]) == lower(b[j - 1]) && earlier[j - 2] + 1 < best)
                best = earlier[j - 2] + 1;
            now[j] = best;
        }
    }
    return row[n % 3][m];
}

const char *gersh__text_nearest(const char *word, const char *const *names, size_t count)
{
    const char *nearest = NULL;
    size_t best = (strlen(word) + 2) / 3 + 1;
    for (size_t i = 0; i < count; i++) {
        size_t distance = edit_distance(word, names[i]);
        if (distance < best) {
            best = distance;
            nearest = names[i];
        }
    }
    return nearest;
}

int gersh__text_is_utf8(const char *text)
{
    size_t left = strlen(text), bytes = 1;
    for (; left > 0 && bytes > 0; text += bytes, left -= bytes)
        bytes = gersh__utf8_length(text, left);
    return bytes > 0;
}

const char *gersh__text_excerpt(char *out, size_t size, const char *text, size_t length)
{
    size_t used = 0, characters = 0, at = 0, bytes;
    size_t room = size - GERSH__CLEAN_SIZE - strlen("…");
    for (; at < length && characters < 40 && used < room; characters++) {
        at += gersh__clean_character(out + used, &bytes, GERSH__CLEAN_SHOWN, text + at, length - at);
        used += bytes;
    }
    snprintf(out + used, size - used, "%s", at < length ? "…" : "");
    return out;
}

const char *gersh__text_list(char *list, size_t size, const char *const *names, size_t count,
                             const char *last)
{
    size_t used = 0;
    list[0] = '\0';
    for (size_t i = 0; i < count && used < size; i++)
        used += (size_t)snprintf(list + used, size - used, "%s%s",
                                 i == 0          ? ""
                                 : i + 1 < count ? ", "
                                                 : last,
                                 names[i]);
    return list;
}
