/* Settings: the table, setting and getting by name, and the exact sentences of refusals. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/settings.h"

/* A default is valid when it can be set; where "" means none it need not be. */
static void test_settings_table(void **state)
{
    (void)state;
    gersh_settings *settings = NULL;
    assert_ok(gersh_settings_new(&settings));
    assert_int_equal(gersh_settings_count(), GERSH__SETTINGS);
    for (int i = 0; i < gersh_settings_count(); i++) {
        const gersh_setting_info *info = gersh_settings_info(i);
        assert_non_null(info);
        assert_non_null(info->name);
        assert_non_null(info->initial);
        assert_non_null(info->help);
        assert_true(strlen(info->name) > 0 && strlen(info->help) > 10);
        assert_null(strchr(info->name, '_'));
        for (int j = 0; j < i; j++)
            assert_string_not_equal(info->name, gersh_settings_info(j)->name);
        if (info->kind == GERSH_SETTING_CHOICE)
            assert_non_null(info->choices);
        else if (info->kind != GERSH_SETTING_NUMBER) /* a number may have words beside it */
            assert_null(info->choices);
        if (info->kind != GERSH_SETTING_CHOICE && info->kind != GERSH_SETTING_FLAG)
            assert_non_null(info->value);
        if (info->kind == GERSH_SETTING_WHOLE || info->kind == GERSH_SETTING_NUMBER)
            assert_true(info->low < info->high);
        assert_string_equal(gersh_settings_get(NULL, info->name), info->initial);
        assert_string_equal(gersh_settings_get(settings, info->name), info->initial);
        if (info->initial[0] != '\0' || info->kind == GERSH_SETTING_TEXT)
            assert_ok(gersh_settings_set(settings, info->name, info->initial));
        char name[64];
        snprintf(name, sizeof name, "%s", info->name);
        for (char *p = name; *p != '\0'; p++)
            *p = *p == '-' ? '_' : *p;
        assert_string_equal(gersh_settings_get(settings, name), info->initial);
    }
    assert_null(gersh_settings_info(-1));
    assert_null(gersh_settings_info(gersh_settings_count()));
    assert_null(gersh_settings_get(NULL, "no-such"));
    assert_null(gersh_settings_get(settings, ""));
    gersh_settings_free(settings);
    gersh_settings_free(NULL);
}

static void test_settings_set(void **state)
{
    (void)state;
    gersh_settings *settings = NULL;
    assert_ok(gersh_settings_new(&settings));
    assert_ok(gersh_settings_set(settings, "label", "first"));
    assert_ok(gersh_settings_set(settings, "label", "klass"));
    assert_ok(gersh_settings_set(settings, "missing", "mean"));
    assert_ok(gersh_settings_set(settings, "seed", "9007199254740992"));
    assert_ok(gersh_settings_set(settings, "zero", "1e-3"));
    assert_string_equal(gersh_settings_get(settings, "label"), "klass");
    assert_true(gersh__setting_is(settings, GERSH__MISSING, "mean"));
    assert_false(gersh__setting_is(NULL, GERSH__MISSING, "mean"));
    assert_true(gersh__setting_whole(settings, GERSH__SEED) == UINT64_C(9007199254740992));
    assert_true(gersh__setting_number(settings, GERSH__ZERO) == 1e-3);
    assert_true(gersh__setting_number(NULL, GERSH__ZERO) == 0);
    gersh__alloc_fail_at(1);
    assert_int_equal(gersh_settings_set(settings, "label", "other"), GERSH_ERROR_MEMORY);
    assert_string_equal(gersh_settings_get(settings, "label"), "klass");
    gersh_settings *none = NULL;
    gersh__alloc_fail_at(1);
    assert_int_equal(gersh_settings_new(&none), GERSH_ERROR_MEMORY);
    gersh__alloc_fail_at(0);
    assert_null(none);
    gersh_settings_free(settings);
}

static void test_settings_refuse(void **state)
{
    (void)state;
    static const struct {
        const char *name, *value, *message;
    } bad[] = {
        {"header", "maybe", "header: 'maybe' is not one of auto|yes|no"},
        {"header", "", "header: '' is not one of auto|yes|no"},
        {"header", "ye", "header: 'ye' is not one of auto|yes|no"},
        {"header", "yes|no", "header: 'yes|no' is not one of auto|yes|no"},
        {"header", "|", "header: '|' is not one of auto|yes|no"},
        {"header", "YES\n", "header: 'YES\\x0A' is not one of auto|yes|no"},
        {"seed", "-1", "seed: '-1' is not a whole number from 0 to 9007199254740992"},
        {"seed", "9007199254740993",
         "seed: '9007199254740993' is not a whole number from 0 to 9007199254740992"},
        {"seed", "1.0", "seed: '1.0' is not a whole number from 0 to 9007199254740992"},
        {"threads", "1025", "threads: '1025' is not a whole number from 0 to 1024"},
        {"zero", "-1e-9", "zero: '-1e-9' is not a number of at least 0"},
        {"zero", "nan", "zero: 'nan' is not a number of at least 0"},
        {"trace", "much", "trace: 'much' is not a number of at least 0, nor auto|K"},
        {"tol", "2", "tol: '2' is not a number from 1e-12 to 1"},
        {"max_time", "-1", "max-time: '-1' is not a number of at least 0, nor none"},
        {"zero", "1e400", "zero: '1e400' is not a number of at least 0"},
        {"lable", "x", "there is no setting 'lable'; did you mean 'label'?"},
        {"thread", "1", "there is no setting 'thread'; did you mean 'threads'?"},
        {"qqqqqq", "x", "there is no setting 'qqqqqq'"},
        {"", "x", "there is no setting ''"},
        {"a\x1b[31m", "x", "there is no setting 'a\\x1B[31m'"},
        {NULL, "x", "gersh_settings_set got a null pointer; give it settings, a name and a value"},
        {"seed", NULL, "gersh_settings_set got a null pointer; give it settings, a name and a value"},
    };
    gersh_settings *settings = NULL;
    assert_ok(gersh_settings_new(&settings));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(gersh_settings_set(settings, bad[i].name, bad[i].value), GERSH_ERROR_ARGUMENT);
        assert_string_equal(gersh_last_error(), bad[i].message);
    }
    assert_int_equal(gersh_settings_set(NULL, "seed", "1"), GERSH_ERROR_ARGUMENT);
    for (int i = 0; i < gersh_settings_count(); i++)
        assert_string_equal(gersh_settings_get(settings, gersh_settings_info(i)->name),
                            gersh_settings_info(i)->initial);
    gersh_settings_free(settings);
}

/* What was set, whatever its value, and its number. */
static void test_settings_are_asked_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *name, *value;
        double number; /* NAN: none */
    } known[] = {{"seed", "7", 7},
                 {"max-time", "2.5", 2.5},
                 {"max_time", "none", NAN},
                 {"rho", "1e-5", 1e-5},
                 {"solver", "psd", NAN},
                 {"label", "12", NAN},
                 {"threads", "0", 0},
                 {"rows-only", "yes", NAN},
                 {"trace", "K", NAN},
                 {"trace", "3", 3},
                 {"seed", "4294967296", 4294967296.0}};
    gersh_settings *settings = NULL;
    assert_ok(gersh_settings_new(&settings));
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        assert_ok(gersh_settings_set(settings, known[i].name, known[i].value));
        assert_int_equal(gersh_settings_is_set(settings, known[i].name), 1);
        double number = gersh_settings_number(settings, known[i].name);
        assert_true(isnan(known[i].number) ? isnan(number) : number == known[i].number);
    }
    assert_int_equal(gersh_settings_is_set(settings, "tol"), 0);
    assert_true(gersh_settings_number(settings, "tol") == strtod(gersh_settings_get(NULL, "tol"), NULL));
    assert_true(gersh_settings_number(NULL, "seed") == 0);
    assert_int_equal(gersh_settings_is_set(NULL, "seed"), 0);
    assert_int_equal(gersh_settings_is_set(settings, "sed"), 0);
    assert_true(isnan(gersh_settings_number(settings, "sed")));
    gersh_settings_free(settings);
}

/* A copy has the same values, says the same of what is set, and goes its own way. */
static void test_settings_copy(void **state)
{
    (void)state;
    gersh_settings *settings = NULL, *copy = NULL;
    assert_ok(gersh_settings_new(&settings));
    assert_ok(gersh_settings_set(settings, "solver", "hull"));
    assert_ok(
        gersh_settings_set(settings, "seed", gersh_settings_get(NULL, "seed"))); /* set, to its default */
    assert_ok(gersh_settings_copy(&copy, settings));
    for (int i = 0; i < gersh_settings_count(); i++) {
        const char *name = gersh_settings_info(i)->name;
        assert_string_equal(gersh_settings_get(copy, name), gersh_settings_get(settings, name));
        assert_int_equal(gersh_settings_is_set(copy, name), gersh_settings_is_set(settings, name));
    }
    assert_ok(gersh_settings_set(copy, "solver", "psd"));
    assert_string_equal(gersh_settings_get(settings, "solver"), "hull");
    gersh_settings_free(copy);
    assert_ok(gersh_settings_copy(&copy, NULL));
    assert_int_equal(gersh_settings_is_set(copy, "solver"), 0);
    gersh_settings_free(copy);
    for (long n = 1; n <= 3; n++) { /* the copy itself, and its two values */
        copy = settings;
        gersh__alloc_fail_at(n);
        assert_int_equal(gersh_settings_copy(&copy, settings), GERSH_ERROR_MEMORY);
        gersh__alloc_fail_at(0);
        assert_null(copy);
    }
    gersh_settings_free(settings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_settings_table),  cmocka_unit_test(test_settings_set),
        cmocka_unit_test(test_settings_refuse), cmocka_unit_test(test_settings_are_asked_by_name),
        cmocka_unit_test(test_settings_copy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
