/* Numbers in text against the C library's strtod, words, suggestions and excerpts. */
#include "check.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random.h"
#include "base/text.h"
#include "base/words.h"

static void check_number(const char *text)
{
    double got = -99, expected = strtod(text, NULL);
    gersh__number kind = gersh__parse_double(text, strlen(text), &got);
    if (isinf(expected)) {
        if (kind != GERSH__NUMBER_LARGE || got != -99)
            fail_msg("%.60s: kind %d and %a instead of too large", text, kind, got);
    } else if (kind != GERSH__NUMBER_OK || memcmp(&got, &expected, sizeof got) != 0) {
        fail_msg("%.60s: kind %d and %a instead of %a", text, kind, got, expected);
    }
}

static double random_double(gersh__random *random)
{
    double x;
    do {
        uint64_t bits = gersh__random_bits(random);
        if (gersh__random_below(random, 4) == 0)
            bits &= UINT64_C(0x801FFFFFFFFFFFFF); /* subnormal, or nearly */
        memcpy(&x, &bits, sizeof x);
    } while (!isfinite(x));
    return x;
}

static size_t put_digits(char *out, gersh__random *random, size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i] = (char)('0' + (gersh__random_below(random, 3) == 0 ? 0 : gersh__random_below(random, 10)));
    return count;
}

/* Any sign, up to `longest` digits on each side of the point, any exponent. */
static void put_decimal(char *out, gersh__random *random, size_t longest)
{
    static const char *const signs[] = {"", "", "-", "+"};
    size_t used = (size_t)sprintf(out, "%s", signs[gersh__random_below(random, 4)]);
    size_t whole = (size_t)gersh__random_below(random, longest + 1);
    size_t fraction = (size_t)gersh__random_below(random, longest + 1);
    used += put_digits(out + used, random, whole);
    if (fraction > 0 || whole == 0 || gersh__random_below(random, 2)) {
        out[used++] = '.';
        used += put_digits(out + used, random, fraction + (whole == 0 && fraction == 0));
    }
    int range = gersh__random_below(random, 2) ? 30 : 360;
    int exponent = (int)gersh__random_below(random, (uint64_t)(2 * range)) - range;
    if (gersh__random_below(random, 3) > 0)
        used += (size_t)sprintf(out + used, exponent >= 0 && exponent % 2 ? "e+%d" : "E%d", exponent);
    out[used] = '\0';
}

static void test_double_random(void **state)
{
    (void)state;
    char text[4200];
    gersh__random random;
    gersh__random_seed(&random, 21);
    for (int i = 0; i < cases(100000); i++) {
        put_decimal(text, &random, i % 4 == 0 ? 40 : 12);
        check_number(text);
    }
    for (int i = 0; i < cases(80000); i++) {
        int digits = (int)gersh__random_below(&random, 20);
        sprintf(text, "%.*g", digits, random_double(&random));
        check_number(text);
        sprintf(text, "%.*f", digits % 8, gersh__random_normal(&random) * 1000);
        check_number(text);
    }
    for (int i = 0; i < cases(4000); i++) {
        put_decimal(text, &random, 2000);
        check_number(text);
    }
}

/* The exact middle of two neighbouring doubles, and numbers that differ from it in a far digit only. */
static void test_double_halfway(void **state)
{
    (void)state;
    char text[1400];
    gersh__random random;
    gersh__random_seed(&random, 22);
    for (int i = 0; i < cases(16000); i++) {
        double x = fabs(random_double(&random)), next = nextafter(x, INFINITY);
        if (isinf(next))
            continue;
        long double middle = ((long double)x + (long double)next) / 2;
        sprintf(text, "%.780Le", middle);
        char *exponent = strchr(text, 'e'), tail[40];
        snprintf(tail, sizeof tail, "%s", exponent);
        check_number(text);
        size_t zeros = (size_t)gersh__random_below(&random, 200);
        memset(exponent, '0', zeros);
        snprintf(exponent + zeros, 80, "1%s", tail);
        check_number(text);
        for (char *p = exponent - 1; p > text && *p != '.'; p--) {
            if (*p != '0') {
                --*p;
                break;
            }
        }
        check_number(text);
    }
}

/* A point, zeros and exponents so long that they must not be cut short in the count. */
static void test_double_long(void **state)
{
    (void)state;
    enum { most = 200000 };
    static const int lengths[] = {1, 500, 999, 1000, 1001, 2000, 99999, 100001, 150000};
    char *text = malloc(most);
    assert_non_null(text);
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        int zeros = lengths[i];
        for (int shift = -1010; shift <= 1010; shift += 101) {
            snprintf(text, most, "0.%0*d17e%d", zeros, 0, zeros + shift);
            check_number(text);
            snprintf(text, most, "17%0*de%d", zeros, 0, shift - zeros);
            check_number(text);
            snprintf(text, most, "0.%0*d17e%d", zeros, 0, shift);
            check_number(text);
            snprintf(text, most, "9007199254740993%0*d.%0*d1e%d", zeros / 2, 0, zeros / 2, 0, -zeros / 2);
            check_number(text);
        }
    }
    free(text);
    double x = -1;
    assert_int_equal(gersh__parse_double("0e99999999999999999999", 22, &x), GERSH__NUMBER_OK);
    assert_true(x == 0 && !signbit(x));
    assert_int_equal(gersh__parse_double("-0.0e-99999999999999999999", 26, &x), GERSH__NUMBER_OK);
    assert_true(x == 0 && signbit(x));
    assert_int_equal(gersh__parse_double("1e99999999999999999999", 22, &x), GERSH__NUMBER_LARGE);
    assert_int_equal(gersh__parse_double("1e-99999999999999999999", 23, &x), GERSH__NUMBER_OK);
    assert_true(x == 0);
    assert_int_equal(gersh__parse_double("1797693134862315807e290", 23, &x), GERSH__NUMBER_OK);
    assert_true(x == DBL_MAX);
    assert_int_equal(gersh__parse_double("1797693134862315808e290", 23, &x), GERSH__NUMBER_LARGE);
}

static void test_double_malformed(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",     "+",     "-",     ".",   "e",      "e5",  ".e5",  "+.",    "1e",    "1e+",
        "1e-",  "1e+-2", "--1",   "+-1", "1 ",     " 1",  "1,5",  "1.2.3", "0x10",  "1e5.",
        "1e 5", "1d5",   "1_000", "1f",  "nan(1)", "na",  "nane", "in",    "infin", "infinityy",
        "1inf", "\t1",   "1\n",   "٣",   "1e5e5",  "- 1", "++1",  "0b1",   "1'000",
    };
    double x = 7;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (gersh__parse_double(bad[i], strlen(bad[i]), &x) != GERSH__NUMBER_NONE)
            fail_msg("'%s' counts as a number", bad[i]);
    }
    assert_int_equal(gersh__parse_double("1\0", 2, &x), GERSH__NUMBER_NONE);
    static const char *const infinite[] = {"inf", "-Inf", "+INF", "infinity", "-Infinity"};
    for (size_t i = 0; i < sizeof infinite / sizeof infinite[0]; i++)
        assert_int_equal(gersh__parse_double(infinite[i], strlen(infinite[i]), &x), GERSH__NUMBER_INF);
    static const char *const undefined[] = {"nan", "NaN", "-nan", "+NAN"};
    for (size_t i = 0; i < sizeof undefined / sizeof undefined[0]; i++)
        assert_int_equal(gersh__parse_double(undefined[i], strlen(undefined[i]), &x), GERSH__NUMBER_NAN);
    assert_int_equal(gersh__parse_double("1e309", 5, &x), GERSH__NUMBER_LARGE);
    assert_true(x == 7);
    static const char *const good[] = {"1.",   ".5",    "-.5e1", "+0",      "-0",
                                       "1.e2", "00012", "1E+05", "4.9e-324"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        check_number(good[i]);
    /* Only the given length counts, whatever follows. */
    assert_int_equal(gersh__parse_double("12345", 3, &x), GERSH__NUMBER_OK);
    assert_true(x == 123);
    assert_int_equal(gersh__parse_double("1e5x", 3, &x), GERSH__NUMBER_OK);
    assert_true(x == 1e5);
}

static void test_whole(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "", "-1", "+1", "1.0", " 1", "1 ", "1e3", "0x1", "18446744073709551616", "99999999999999999999999",
        "a"};
    uint64_t x = 7;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(gersh__parse_whole(bad[i], strlen(bad[i]), 0, UINT64_MAX, &x), -1);
    assert_int_equal(gersh__parse_whole("4", 1, 5, 9, &x), -1);
    assert_int_equal(gersh__parse_whole("10", 2, 5, 9, &x), -1);
    assert_true(x == 7);
    assert_int_equal(gersh__parse_whole("18446744073709551615", 20, 0, UINT64_MAX, &x), 0);
    assert_true(x == UINT64_MAX);
    assert_int_equal(gersh__parse_whole("0009", 4, 5, 9, &x), 0);
    assert_true(x == 9);
    assert_int_equal(gersh__parse_whole("51", 1, 5, 9, &x), 0);
    assert_true(x == 5);
}

static void test_same(void **state)
{
    (void)state;
    assert_true(gersh__text_same("", ""));
    assert_true(gersh__text_same("LaBel", "lAbEL"));
    assert_false(gersh__text_same("label", "labels"));
    assert_false(gersh__text_same("labels", "label"));
    assert_false(gersh__text_same("a[", "a{"));
    assert_false(gersh__text_same("@", "`"));
}

static void test_nearest(void **state)
{
    (void)state;
    static const char *const names[] = {"threads", "label", "labels", "seed", "Class", "a", "x1"};
    static const struct {
        const char *word, *nearest;
    } known[] = {
        {"label", "label"},    {"labels", "labels"}, {"lables", "labels"}, {"LABEL", "label"},
        {"sede", "seed"},      {"sEDe", "seed"},     {"class", "Class"},   {"thread", "threads"},
        {"treads", "threads"}, {"", NULL},           {"b", "a"},           {"zzzz", NULL},
        {"laxyz", NULL},       {"x", "a"},           {"x2", "x1"},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const char *got = gersh__text_nearest(known[i].word, names, sizeof names / sizeof names[0]);
        if (known[i].nearest == NULL ? got != NULL : got == NULL || strcmp(got, known[i].nearest) != 0)
            fail_msg("'%s' gives '%s'", known[i].word, got ? got : "nothing");
    }
    assert_null(gersh__text_nearest("label", names, 0));
    char word[200];
    for (size_t length = 30; length < sizeof word; length++) {
        memset(word, 'q', length);
        word[length] = '\0';
        assert_null(gersh__text_nearest(word, names, sizeof names / sizeof names[0]));
    }
}

static void test_excerpt(void **state)
{
    (void)state;
    static const struct {
        const char *text, *excerpt;
    } known[] = {
        {"", ""},
        {"plain \\ 'text'", "plain \\ 'text'"},
        {"tab\tnew\nline\x7F", "tab\\x09new\\x0Aline\\x7F"},
        {"é…𝄞", "é…𝄞"},
        {"caf\xE9", "caf\\xE9"},
        {"\xC3", "\\xC3"},
        {"\xC0\x80", "\\xC0\\x80"},
        {"\xE0\x80\x80", "\\xE0\\x80\\x80"},
        {"\xED\xA0\x80", "\\xED\\xA0\\x80"},
        {"\xF0\x80\x80\x80", "\\xF0\\x80\\x80\\x80"},
        {"\xF4\x90\x80\x80", "\\xF4\\x90\\x80\\x80"},
        {"\xF8\x88", "\\xF8\\x88"},
        {"\xC2\x9B"
         "31m",
         "\\u009B31m"},
        {"\xC2\xA0", "\xC2\xA0"},
        {"\xF4\x8F\xBF\xBF", "\xF4\x8F\xBF\xBF"},
        {"0123456789012345678901234567890123456789", "0123456789012345678901234567890123456789"},
        {"01234567890123456789012345678901234567890", "0123456789012345678901234567890123456789…"},
    };
    char out[GERSH__EXCERPT_SIZE];
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const char *got = gersh__text_excerpt(out, sizeof out, known[i].text, strlen(known[i].text));
        assert_ptr_equal(got, out);
        assert_string_equal(got, known[i].excerpt);
    }
    assert_string_equal(gersh__text_excerpt(out, sizeof out, "a\0b", 3), "a\\x00b");
    /* The widest content there is, and buffers of every size. */
    char text[400];
    for (size_t i = 0; i < sizeof text; i += 4)
        memcpy(text + i, "𝄞", 4);
    gersh__text_excerpt(out, sizeof out, text, sizeof text);
    assert_int_equal(strlen(out), 40 * 4 + strlen("…"));
    for (size_t size = 12; size < sizeof out; size++) {
        memset(out, '!', sizeof out);
        gersh__text_excerpt(out, size, text, sizeof text);
        assert_true(strlen(out) < size);
        assert_string_equal(out + strlen(out) - strlen("…"), "…");
    }
}

/* Words. */

static void test_words(void **state)
{
    (void)state;
    enum { rounds = 10000, longest = 6 };
    static char drawn[rounds][longest + 1];
    static size_t number[rounds];
    size_t distinct = 0;
    gersh__words words = {0};
    gersh__random random;
    gersh__random_seed(&random, 11);
    assert_true(gersh__words_find(&words, "x", 1) == GERSH__NO_WORD);
    for (int i = 0; i < rounds; i++) {
        size_t length = (size_t)gersh__random_below(&random, longest + 1);
        for (size_t j = 0; j < length; j++)
            drawn[i][j] = (char)(j < 2 ? 1 + gersh__random_below(&random, 255) : 'a');
        number[i] = gersh__words_add(&words, drawn[i], length);
        assert_true(number[i] <= distinct);
        distinct += number[i] == distinct;
        assert_string_equal(words.word[number[i]], drawn[i]);
    }
    assert_int_equal(words.count, distinct);
    /* A linear search finds the same first appearance. */
    int sample = cases(rounds) > 500 ? 500 : cases(rounds);
    for (int s = 0; s < sample; s++) {
        int i = (int)gersh__random_below(&random, rounds), first = 0;
        while (strcmp(drawn[first], drawn[i]) != 0)
            first++;
        assert_int_equal(number[i], number[first]);
        assert_int_equal(gersh__words_find(&words, drawn[i], strlen(drawn[i])), number[first]);
    }
    assert_true(gersh__words_find(&words, "not among them", 14) == GERSH__NO_WORD);
    gersh__words_clear(&words);
    assert_int_equal(words.count, 0);
    gersh__words_clear(&words);
}

static void test_words_short_of_memory(void **state)
{
    (void)state;
    gersh__words words = {0};
    char name[16];
    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof name, "word %d", i);
        for (long n = 1;; n++) {
            gersh__alloc_fail_at(n);
            size_t got = gersh__words_add(&words, name, strlen(name));
            long made = gersh__alloc_fail_at(0);
            if (made < n) {
                assert_int_equal(got, i);
                break;
            }
            assert_true(got == GERSH__NO_WORD);
            assert_int_equal(words.count, i);
            assert_true(gersh__words_find(&words, name, strlen(name)) == GERSH__NO_WORD);
        }
    }
    gersh__words_clear(&words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_double_random), cmocka_unit_test(test_double_halfway),
        cmocka_unit_test(test_double_long),   cmocka_unit_test(test_double_malformed),
        cmocka_unit_test(test_whole),         cmocka_unit_test(test_same),
        cmocka_unit_test(test_nearest),       cmocka_unit_test(test_excerpt),
        cmocka_unit_test(test_words),         cmocka_unit_test(test_words_short_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
