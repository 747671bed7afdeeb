/* A quick run of all tables on the paper's data sets, those of the folder GERSH_DATA; skipped by name without it. */
#include "reproduce_support.h"

static const char *data_folder(void)
{
    const char *given = getenv("GERSH_DATA");
    return given != NULL && *given != '\0' ? given : GERSH_SOURCE_DIR "/../shared/datasets";
}

static void test_all(void **state)
{
    (void)state;
    struct stat info;
    gersh_settings *settings = NULL;
    repro_result *result = NULL;
    repro_options options = {.data = data_folder(), .output = in_folder("out"), .quick = 1};
    if (stat(data_folder(), &info) != 0) {
        if (getenv("GERSH_DATA") != NULL && *getenv("GERSH_DATA") != '\0')
            fail_msg("GERSH_DATA is %s, where there is no folder", data_folder());
        print_message("skipped: %s is not there\n", data_folder());
        skip();
    }
    /* Under valgrind only what a few fits can tell. */
    const char *table = getenv("GERSH_TEST_QUICK") != NULL ? "gdpa" : "all";
    assert_ok(gersh_settings_new(&settings));
    assert_ok(gersh_settings_set(settings, "max-time", "0.02"));
    assert_ok(repro_tables(&result, table, settings, &options));
    assert_int_equal(result->missing, 0);
    assert_int_equal(result->interrupted, 0);
    check_files(result);
    if (result->reports > 1) {
        const repro_table *cells = find_table(result, "objectives");
        assert_int_equal(cells->rows, 17 * 35 - 15); /* of colon-cancer, three solvers are left out */
        for (size_t r = 0; r < cells->rows; r++) {
            const char *remark = cells->cell[r * cells->columns + 12],
                       *name = cells->cell[r * cells->columns + 1];
            int other = strcmp(name, "haberman") == 0 || strcmp(name, "liver-disorders") == 0 ||
                        strcmp(name, "madelon") == 0;
            assert_int_equal(*remark != '\0', other);
        }
        assert_int_equal(find_table(result, "accuracy")->rows, 4 * 29); /* the four smallest data sets */
        assert_string_equal(find_table(result, "accuracy-glr")->column[17], "average of 3 as in the paper");
    }
    repro_result_free(result);
    gersh_settings_free(settings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all)};
    return cmocka_run_group_tests_name("reproduce_data", tests, make_work_folder, remove_work_folder);
}
