/*
 * What is shown of untrusted text: a table of what each form makes of it, and random bytes, whose cleaned text is
 * checked with the C library's own decoder of UTF-8, and whose JSON a parser must give back exactly.
 */
#include "check.h"

#include <jansson.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#include "base/alloc.h"
#include "base/clean.h"
#include "base/error.h"
#include "base/json.h"
#include "base/random.h"
#include "base/text.h"

enum { MOST = 64 };

static void characters_are_shown_as_the_table_says(void **state)
{
    (void)state;
    static const struct {
        const char *text, *shown, *json, *dot;
    } known[] = {
        {"", "", "", ""},
        {"plain 'text' {x|y} ~", "plain 'text' {x|y} ~", "plain 'text' {x|y} ~", "plain 'text' {x|y} ~"},
        {"a\\b\"c&<d>", "a\\b\"c&<d>", "a\\b\"c&<d>", "a\\\\b\\\"c&amp;<d>"},
        {"\x1B[2J", "\\x1B[2J", "\\u001B[2J", "\\\\x1B[2J"},
        {"\t\r\x01\x1F\x7F", "\\x09\\x0D\\x01\\x1F\\x7F", "\\u0009\\u000D\\u0001\\u001F\\u007F",
         "\\\\x09\\\\x0D\\\\x01\\\\x1F\\\\x7F"},
        {"a\nb", "a\\x0Ab", "a\nb", "a\\\\x0Ab"},
        /* C1 as UTF-8 and as bytes; U+00A0 is no control character. */
        {"\xC2\x80\xC2\x9B\xC2\x9F", "\\u0080\\u009B\\u009F", "\\u0080\\u009B\\u009F",
         "\\\\u0080\\\\u009B\\\\u009F"},
        {"\xC2\xA0", "\xC2\xA0", "\xC2\xA0", "\xC2\xA0"},
        {"\x9B"
         "31m",
         "\\x9B31m", "\\uFFFD31m", "\\\\x9B31m"},
        /* The direction of text, and the neighbours of what sets it. */
        {"\xD8\x9B\xD8\x9C\xD8\x9D", "\xD8\x9B\\u061C\xD8\x9D", "\xD8\x9B\\u061C\xD8\x9D",
         "\xD8\x9B\\\\u061C\xD8\x9D"},
        {"\xE2\x80\x8D\xE2\x80\x8E\xE2\x80\x8F\xE2\x80\x90", "\xE2\x80\x8D\\u200E\\u200F\xE2\x80\x90",
         "\xE2\x80\x8D\\u200E\\u200F\xE2\x80\x90", "\xE2\x80\x8D\\\\u200E\\\\u200F\xE2\x80\x90"},
        {"\xE2\x80\xA7\xE2\x80\xA8\xE2\x80\xA9\xE2\x80\xAA\xE2\x80\xAE\xE2\x80\xAF",
         "\xE2\x80\xA7\\u2028\\u2029\\u202A\\u202E\xE2\x80\xAF",
         "\xE2\x80\xA7\\u2028\\u2029\\u202A\\u202E\xE2\x80\xAF",
         "\xE2\x80\xA7\\\\u2028\\\\u2029\\\\u202A\\\\u202E\xE2\x80\xAF"},
        {"\xE2\x81\xA5\xE2\x81\xA6\xE2\x81\xA9\xE2\x81\xAA", "\xE2\x81\xA5\\u2066\\u2069\xE2\x81\xAA",
         "\xE2\x81\xA5\\u2066\\u2069\xE2\x81\xAA", "\xE2\x81\xA5\\\\u2066\\\\u2069\xE2\x81\xAA"},
        /* Not UTF-8: alone, overlong, surrogates, beyond the last character, cut off, five bytes. */
        {"caf\xE9", "caf\\xE9", "caf\\uFFFD", "caf\\\\xE9"},
        {"\xC0\x80", "\\xC0\\x80", "\\uFFFD\\uFFFD", "\\\\xC0\\\\x80"},
        {"\xC1\x9B", "\\xC1\\x9B", "\\uFFFD\\uFFFD", "\\\\xC1\\\\x9B"},
        {"\xE0\x82\x9B", "\\xE0\\x82\\x9B", "\\uFFFD\\uFFFD\\uFFFD", "\\\\xE0\\\\x82\\\\x9B"},
        {"\xF0\x80\x82\x9B", "\\xF0\\x80\\x82\\x9B", "\\uFFFD\\uFFFD\\uFFFD\\uFFFD",
         "\\\\xF0\\\\x80\\\\x82\\\\x9B"},
        {"\xED\x9F\xBF\xED\xA0\x80", "\xED\x9F\xBF\\xED\\xA0\\x80", "\xED\x9F\xBF\\uFFFD\\uFFFD\\uFFFD",
         "\xED\x9F\xBF\\\\xED\\\\xA0\\\\x80"},
        {"\xED\xBF\xBF\xEE\x80\x80", "\\xED\\xBF\\xBF\xEE\x80\x80", "\\uFFFD\\uFFFD\\uFFFD\xEE\x80\x80",
         "\\\\xED\\\\xBF\\\\xBF\xEE\x80\x80"},
        {"\xF4\x8F\xBF\xBF\xF4\x90\x80\x80", "\xF4\x8F\xBF\xBF\\xF4\\x90\\x80\\x80",
         "\xF4\x8F\xBF\xBF\\uFFFD\\uFFFD\\uFFFD\\uFFFD", "\xF4\x8F\xBF\xBF\\\\xF4\\\\x90\\\\x80\\\\x80"},
        {"\xC3", "\\xC3", "\\uFFFD", "\\\\xC3"},
        {"\xE2\x80", "\\xE2\\x80", "\\uFFFD\\uFFFD", "\\\\xE2\\\\x80"},
        {"\xE2\x80 \xF0\x9D\x84x", "\\xE2\\x80 \\xF0\\x9D\\x84x", "\\uFFFD\\uFFFD \\uFFFD\\uFFFD\\uFFFDx",
         "\\\\xE2\\\\x80 \\\\xF0\\\\x9D\\\\x84x"},
        {"\xF8\x88\x80\x80\x80", "\\xF8\\x88\\x80\\x80\\x80", "\\uFFFD\\uFFFD\\uFFFD\\uFFFD\\uFFFD",
         "\\\\xF8\\\\x88\\\\x80\\\\x80\\\\x80"},
        {"\xFF\xFE", "\\xFF\\xFE", "\\uFFFD\\uFFFD", "\\\\xFF\\\\xFE"},
        {"é…𝄞", "é…𝄞", "é…𝄞", "é…𝄞"},
    };
    char out[256];
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        assert_string_equal(gersh__clean_text(out, sizeof out, GERSH__CLEAN_SHOWN, known[i].text),
                            known[i].shown);
        assert_string_equal(gersh__clean_text(out, sizeof out, GERSH__CLEAN_JSON, known[i].text),
                            known[i].json);
        assert_string_equal(gersh__clean_text(out, sizeof out, GERSH__CLEAN_DOT, known[i].text),
                            known[i].dot);
    }
    assert_string_equal(gersh__clean_text(out, sizeof out, GERSH__CLEAN_HTML, "</script>&\x7F\n"),
                        "\\u003C/script\\u003E\\u0026\\u007F\n");
}

/* Nothing is cut in two: neither a character nor an escape. */
static void text_is_cut_between_characters(void **state)
{
    (void)state;
    static const char text[] = "a\x1B\xE2\x80\xAE𝄞\xC2\x9B";
    static const char *const cut[] = {"", "a", "a", "a", "a", "a\\x1B", "a\\x1B"};
    char out[64];
    for (size_t size = 1; size <= 7; size++) {
        memset(out, '!', sizeof out);
        assert_string_equal(gersh__clean_text(out, size, GERSH__CLEAN_SHOWN, text), cut[size - 1]);
    }
    assert_string_equal(gersh__clean_text(out, 12, GERSH__CLEAN_SHOWN, text), "a\\x1B\\u202E");
    assert_string_equal(gersh__clean_text(out, 15, GERSH__CLEAN_SHOWN, text), "a\\x1B\\u202E");
    assert_string_equal(gersh__clean_text(out, 16, GERSH__CLEAN_SHOWN, text), "a\\x1B\\u202E𝄞");
}

/* Bytes that are hostile more often than chance has it. */
static void draw(char *text, gersh__random *random)
{
    static const char *const parts[] = {
        "\x1B[",    "\x9B",         "\x7F",         "\xC2\x85", "\xE2\x80\xAE", "\xE2\x81\xA7",
        "\xD8\x9C", "\xE2\x80\xA8", "\xED\xA0\x80", "\xC0\xAF", "\xF0\x9F",     "é",
        "𝄞",        "\\x1B",        "\"</"};
    size_t used = 0;
    while (used < MOST - 8 && gersh__random_below(random, 12) > 0) {
        if (gersh__random_below(random, 2))
            used += (size_t)sprintf(text + used, "%s",
                                    parts[gersh__random_below(random, sizeof parts / sizeof parts[0])]);
        else
            text[used++] = (char)(1 + gersh__random_below(random, 255));
    }
    text[used] = '\0';
}

/* By the C library's decoder, and the list of Unicode's characters with an effect on the direction of text. */
static int is_safe(const char *text)
{
    static const wchar_t bad[] = L"\x061C\x200E\x200F\x2028\x2029\x202A\x202B\x202C\x202D\x202E\x2066\x2067"
                                 L"\x2068\x2069";
    mbstate_t shift = {0};
    wchar_t wide[8 * MOST];
    if (mbsrtowcs(wide, &text, 8 * MOST, &shift) == (size_t)-1)
        return 0;
    for (const wchar_t *w = wide; *w != 0; w++)
        if (*w < 0x20 || (*w >= 0x7F && *w <= 0x9F) || wcschr(bad, *w) != NULL)
            return 0;
    return 1;
}

static void random_bytes_become_safe(void **state)
{
    (void)state;
    char text[MOST], out[8 * MOST];
    gersh__random random;
    gersh__random_seed(&random, 24);
    if (setlocale(LC_CTYPE, "C.UTF-8") == NULL)
        skip();
    for (int i = 0; i < cases(200000); i++) {
        draw(text, &random);
        gersh__clean_text(out, sizeof out, GERSH__CLEAN_SHOWN, text);
        if (!is_safe(out))
            fail_msg("not safe: %s", out);
        gersh__fail(GERSH_ERROR_INPUT, "%s", text);
        assert_string_equal(gersh_last_error(), out);
        assert_true(is_safe(gersh__text_excerpt(out, GERSH__EXCERPT_SIZE, text, strlen(text))));
        assert_true(is_safe(gersh__clean_text(out, sizeof out, GERSH__CLEAN_DOT, text)));
    }
    setlocale(LC_CTYPE, "C");
}

/* JSON of names is safe to print, and a parser has the exact name of it, or what is shown of one that is not UTF-8. */
static void json_keeps_names(void **state)
{
    (void)state;
    char text[MOST], out[8 * MOST];
    gersh__random random;
    gersh__random_seed(&random, 25);
    setlocale(LC_CTYPE, "C.UTF-8");
    for (int i = 0; i < cases(50000); i++) {
        draw(text, &random);
        json_t *value = json_pack("[o, s]", gersh__json_text(text), "x");
        char *document = gersh__json_dump(value, JSON_COMPACT);
        json_t *again = json_loads(document, 0, NULL);
        const char *name = json_string_value(json_array_get(again, 0));
        assert_true(is_safe(document));
        assert_string_equal(name, gersh__text_is_utf8(text)
                                      ? text
                                      : gersh__clean_text(out, sizeof out, GERSH__CLEAN_SHOWN, text));
        assert_int_equal(gersh__json_show(again), 0);
        assert_true(is_safe(json_string_value(json_array_get(again, 0))));
        json_decref(again);
        json_decref(value);
        gersh__free(document);
    }
    setlocale(LC_CTYPE, "C");
}

/* The public function, with the room that its comment asks for and with hardly any. */
static void public_text_is_what_is_shown(void **state)
{
    static const char *const texts[] = {"", "name", "\x1B[31m\x9B\xFF\x7F", "é\u202E\u2028\n\t"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char all[MOST], shown[MOST];
        size_t room = 4 * strlen(texts[i]) + 1;
        gersh__clean_text(shown, sizeof shown, GERSH__CLEAN_SHOWN, texts[i]);
        assert_true(room <= sizeof all);
        assert_ptr_equal(gersh_text_clean(all, room, texts[i]), all);
        assert_string_equal(all, shown);
        assert_string_equal(gersh_text_clean(all, 1, texts[i]), "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(characters_are_shown_as_the_table_says),
        cmocka_unit_test(text_is_cut_between_characters),
        cmocka_unit_test(random_bytes_become_safe),
        cmocka_unit_test(json_keeps_names),
        cmocka_unit_test(public_text_is_what_is_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
