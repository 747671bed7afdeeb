/*
 * The library where jansson's allocations fail, each in turn: a model file or a report is whole or not there at all.
 * The allocator is this program's, not malloc's, so that every block also has to go back to where it came from.
 */
#include "models.h"

#include <jansson.h>

#include "base/alloc.h"
#include "base/json.h"
#include "gersh/report.h"

enum { before = 64, never = 1000000000 };

static long blocks;

static void *take(size_t size)
{
    char *block = gersh__realloc(NULL, size + before, 1);
    blocks += block != NULL;
    return block != NULL ? block + before : NULL;
}

static void give(void *block)
{
    if (block == NULL)
        return;
    blocks--;
    gersh__free((char *)block - before);
}

static int start(void **state)
{
    json_set_alloc_funcs(take, give);
    return models_start(state);
}

static gersh_status write_model(const gersh_model *model)
{
    return gersh_model_write(model, model_path, 1);
}

static gersh_status pack_model(const gersh_model *model)
{
    char *bytes = NULL;
    size_t size = 0;
    gersh_status status = gersh_model_pack(&bytes, &size, model, 1);
    if (status == GERSH_OK)
        write_bytes(model_path, bytes, size);
    free(bytes);
    return status;
}

static gersh_status report_model(const gersh_model *model)
{
    gersh_model_report_options options = {.name = "model", .threads = 1};
    return gersh_model_report(model, model_path, &options);
}

/* Every allocation in turn; the file of a run that succeeds is the same as that of one with all memory. */
static void sweep(const char *name, gersh_status (*run)(const gersh_model *), const gersh_model *model)
{
    size_t size = 0;
    long succeeded = 0;
    gersh__alloc_fail_at(never);
    assert_ok(run(model));
    long count = gersh__alloc_fail_at(0), tries = cases((int)count);
    unsigned char *whole = file_bytes(model_path, &size);
    for (long i = 1; i <= tries; i++) {
        write_bytes(model_path, "old", 3);
        gersh__alloc_fail_at(i * count / tries);
        gersh_status status = run(model);
        gersh__alloc_fail_at(0);
        size_t got_size;
        unsigned char *got = file_bytes(model_path, &got_size);
        if (status != GERSH_OK && status != GERSH_ERROR_MEMORY)
            fail_msg("%s: allocation %ld: %s", name, i, gersh_last_error());
        if (status == GERSH_OK && (got_size != size || memcmp(got, whole, size) != 0))
            fail_msg("%s: allocation %ld: success, but the file differs", name, i);
        if (status != GERSH_OK && (got_size != 3 || memcmp(got, "old", 3) != 0))
            fail_msg("%s: allocation %ld: a failure, but the old file is gone", name, i);
        if (blocks != 0)
            fail_msg("%s: allocation %ld: %ld blocks of JSON leak", name, i, blocks);
        succeeded += status == GERSH_OK;
        free(got);
    }
    free(whole);
    assert_in_range(succeeded, 0, tries / 20);
}

static void rename_text(char **text, const char *name)
{
    gersh__free(*text);
    *text = gersh__text_copy(name, strlen(name));
    assert_non_null(*text);
}

/* Of all kinds: labels and targets, atoms of two features and dense ones, names that are not UTF-8. */
static void test_models(void **state)
{
    (void)state;
    gersh_model *models[] = {random_model(1, 12, 3, 2, "glr", "balanced", 1),
                             random_model(2, 12, 3, 0, "glr", "psd", 0)};
    rename_text(&models[0]->feature_names[1], "\xFF");
    rename_text(&models[0]->class_names[0], "\xC3\xA9\xC3");
    for (int m = 0; m < 2; m++) {
        sweep("write", write_model, models[m]);
        sweep("pack", pack_model, models[m]);
        if (gersh_model_report_check() == GERSH_OK)
            sweep("report", report_model, models[m]);
        gersh_model_free(models[m]);
    }
}

/* The helpers go on with NULL, and end with it. */
static void test_helpers(void **state)
{
    (void)state;
    assert_null(gersh__json_append(NULL, json_integer(1)));
    assert_null(gersh__json_append(json_array(), NULL));
    assert_null(gersh__json_set(NULL, "a", json_integer(1)));
    assert_null(gersh__json_set(json_object(), "a", NULL));
    json_t *shown = gersh__json_text("\xC3");
    assert_string_equal(json_string_value(shown), "\\xC3");
    json_decref(shown);
    assert_int_equal(blocks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_models), cmocka_unit_test(test_helpers)};
    return cmocka_run_group_tests_name("json_memory", tests, start, models_end);
}
