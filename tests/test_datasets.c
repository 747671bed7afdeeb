/*
 * The files of the folder GERSH_DATA (../shared/datasets beside the project by default): their shapes,
 * their missing values, and the ready folds. Without the folder every test is skipped by name.
 */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "gersh/data.h"

typedef struct facts {
    const char *name;
    size_t rows, features, classes;
    const char *missing; /* the start of the message, after the path, that refuses the missing values */
} facts;

static const facts files[] = {
    {"australian", 690, 14, 2, NULL},
    {"breast-cancer", 683, 10, 2, NULL},
    {"diabetes", 768, 8, 2, NULL},
    {"fourclass", 862, 2, 2, NULL},
    {"german", 1000, 24, 2, NULL},
    {"haberman", 306, 3, 2, NULL},
    {"heart", 270, 13, 2, NULL},
    {"ilpd", 583, 10, 2, ": line 210, column 10: the value is missing"},
    {"liver-disorders", 145, 5, 2, NULL},
    {"monk1", 556, 6, 2, NULL},
    {"pima", 768, 8, 2, ": line 15, column 8: the value is missing"},
    {"planning", 182, 12, 2, NULL},
    {"voting", 435, 16, 2, NULL},
    {"wdbc", 569, 30, 2, NULL},
    {"sonar", 208, 60, 2, NULL},
    {"madelon", 2000, 500, 2, NULL},
    {"colon-cancer", 62, 2000, 2, NULL},
    {"iris", 150, 4, 3, NULL},
    {"wine", 178, 13, 3, NULL},
};
enum { file_count = sizeof files / sizeof files[0], fold_count = 17 };

static const char *folder(void)
{
    const char *given = getenv("GERSH_DATA");
    return given != NULL && *given != '\0' ? given : GERSH_SOURCE_DIR "/../shared/datasets";
}

/* The path of a file of the folder; skips the test without a folder, unless one was asked for. */
static void find(char *path, size_t size, const char *inside, const char *name)
{
    struct stat info;
    snprintf(path, size, "%s/%s%s.csv", folder(), inside, name);
    if (stat(folder(), &info) == 0)
        return;
    if (getenv("GERSH_DATA") != NULL && *getenv("GERSH_DATA") != '\0')
        fail_msg("GERSH_DATA is %s, where there is no folder", folder());
    print_message("skipped: %s is not there\n", path);
    skip();
}

/* Reads with one setting ("" for none) and checks what can be said of any of the files. */
static void assert_reads(const char *path, const facts *file, const char *name, const char *value)
{
    gersh_settings *settings = NULL;
    gersh_dataset *data = NULL;
    gersh_scaling *scaling = NULL;
    assert_ok(gersh_settings_new(&settings));
    if (*name != '\0')
        assert_ok(gersh_settings_set(settings, name, value));
    assert_ok(gersh_dataset_read(&data, path, settings));
    assert_int_equal(gersh_dataset_rows(data), file->rows);
    assert_int_equal(gersh_dataset_features(data), file->features);
    assert_int_equal(gersh_dataset_classes(data), file->classes);
    assert_int_equal(gersh_dataset_filled(data) > 0, file->missing != NULL);
    assert_string_equal(gersh_dataset_format(data), "csv");
    assert_ok(gersh_dataset_check(data));
    assert_ok(gersh_scaling_fit(&scaling, data, "paper"));
    assert_ok(gersh_scaling_apply(scaling, data));
    for (size_t i = 0; i < file->rows * file->features; i++)
        assert_true(fabs(gersh_dataset_values(data)[i]) <= 1 + 1e-15);
    gersh_scaling_free(scaling);
    gersh_dataset_free(data);
    gersh_settings_free(settings);
}

static void test_file(void **state)
{
    const facts *file = *state;
    char path[4096];
    gersh_dataset *data = NULL;
    find(path, sizeof path, "", file->name);
    if (file->missing != NULL) {
        assert_int_equal(gersh_dataset_read(&data, path, NULL), GERSH_ERROR_INPUT);
        assert_null(data);
        assert_int_equal(strncmp(gersh_last_error(), path, strlen(path)), 0);
        assert_int_equal(strncmp(gersh_last_error() + strlen(path), file->missing, strlen(file->missing)),
                         0);
        assert_non_null(strstr(gersh_last_error(), "--missing"));
        assert_reads(path, file, "missing", "mean");
        assert_reads(path, file, "missing", "zero");
    } else {
        assert_reads(path, file, "", "");
    }
}

static void test_ignored_id(void **state)
{
    (void)state;
    char path[4096];
    facts without = {"breast-cancer", 683, 9, 2, NULL};
    find(path, sizeof path, "", without.name);
    assert_reads(path, &without, "ignore", "1");
}

/* A ready fold: as many features as the whole file, labels -1 and 1. */
static void test_fold(void **state)
{
    const facts *file = *state;
    char path[4096], name[64];
    gersh_dataset *data = NULL;
    snprintf(name, sizeof name, "%02d-%s", (int)(file - files) + 1, file->name);
    find(path, sizeof path, "folds/", name);
    assert_ok(gersh_dataset_read(&data, path, NULL));
    assert_true(gersh_dataset_rows(data) >= 3 && gersh_dataset_rows(data) <= 5);
    assert_int_equal(gersh_dataset_features(data), file->features);
    assert_int_equal(gersh_dataset_classes(data), 2);
    assert_string_equal(gersh_dataset_class_name(data, 0), "-1");
    assert_string_equal(gersh_dataset_class_name(data, 1), "1");
    gersh_dataset_free(data);
}

int main(void)
{
    struct CMUnitTest tests[file_count + fold_count + 1];
    char names[fold_count][64];
    for (int i = 0; i < file_count; i++)
        tests[i] = (struct CMUnitTest){files[i].name, test_file, NULL, NULL, (void *)&files[i]};
    for (int i = 0; i < fold_count; i++) {
        snprintf(names[i], sizeof names[i], "fold %d %s", i + 1, files[i].name);
        tests[file_count + i] = (struct CMUnitTest){names[i], test_fold, NULL, NULL, (void *)&files[i]};
    }
    tests[file_count + fold_count] = (struct CMUnitTest)cmocka_unit_test(test_ignored_id);
    return cmocka_run_group_tests_name("datasets", tests, NULL, NULL);
}
