/*
 * What an untrusted file or an absurd argument may not do: take memory beyond a bound, wrap a size around, pass control
 * characters on to a terminal. And the temporary file of an output, which nobody can foresee.
 */
#include "models.h"

#include <dirent.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/json.h"
#include "gersh/gersh.h"
#include "io/file.h"
#include "io/output.h"

enum { MB = 1 << 20 };

/* Of all sizes that wrap around, the block that is left over is small: the call must fail, not give that. */
static void sizes_that_wrap_around_are_refused(void **state)
{
    (void)state;
    const size_t half = SIZE_MAX / 2 + 1;
    static const struct {
        size_t count, size;
    } sizes[] = {{SIZE_MAX, 2},
                 {SIZE_MAX / 2 + 1, 2},
                 {SIZE_MAX / 8 + 1, 8},
                 {3, SIZE_MAX / 2},
                 {SIZE_MAX, SIZE_MAX}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        char *block = gersh__alloc(1, 1);
        assert_null(gersh__alloc(sizes[i].count, sizes[i].size));
        assert_null(gersh__realloc(block, sizes[i].count, sizes[i].size));
        assert_non_null(strstr(gersh_last_error(), "out of memory: could not get "));
        gersh__free(block);
    }
    size_t capacity = 0;
    double *grown = NULL;
    assert_int_equal(gersh__grow(&grown, &capacity, half, sizeof *grown), -1);
    assert_true(capacity == 0 && grown == NULL);
    assert_null(gersh__text_copy("", SIZE_MAX));
}

/* A system may promise more memory than it has; the library does not ask for such blocks. */
static void blocks_beyond_the_machine_are_refused(void **state)
{
    (void)state;
    assert_true(gersh__memory_size() >= MB);
    assert_null(gersh__alloc(gersh__memory_size() / 8 + 1, 8));
    gersh__memory_pretend(MB);
    char *block = gersh__alloc(MB, 1);
    assert_non_null(block);
    assert_null(gersh__alloc(MB + 1, 1));
    assert_null(gersh__realloc(block, MB / 4 + 1, 4));
    gersh__memory_pretend(0);
    gersh__free(block);
    block = gersh__alloc(MB + 1, 1);
    assert_non_null(block);
    gersh__free(block);
}

/* Arrays that no memory holds: the sizes wrap around, as products or with one more. */
static void absurd_arguments_are_refused(void **state)
{
    (void)state;
    const double x[] = {1, 2, 3, 4};
    const size_t row[] = {0, 1, 2, 3};
    size_t parent[4], neighbor[4];
    static const size_t large[] = {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX / 2 + 1, SIZE_MAX / 8 + 1,
                                   SIZE_MAX / 16 + 1};
    gersh_dataset *data = NULL, *four = NULL;
    gersh_metric *metric = NULL;
    gersh_graph *graph = NULL;
    gersh_lobpcg *lobpcg = NULL;
    gersh_neighbors *index = NULL, *own = NULL;
    gersh_transform *map = NULL;
    gersh_model *model = NULL;
    gersh_tuples *tuples = NULL;
    assert_ok(gersh_dataset_new(&four, 4, 1, x, 1, NULL, NULL, NULL));
    assert_ok(gersh_neighbors_new(&own, NULL, 4, 1, x, 1, 1));
    assert_ok(gersh_metric_new(&metric, 1, 1, 0, 0));
    assert_ok(gersh_transform_new(&map, metric, 0, 1, NULL));
    gersh_metric_free(metric);
    for (size_t i = 0; i < sizeof large / sizeof large[0]; i++) {
        size_t n = large[i];
        double y[4];
        const gersh_status statuses[] = {gersh_dataset_new(&data, n, 2, x, 2, NULL, NULL, NULL),
                                         gersh_dataset_new(&data, 2, 1, x, n, NULL, NULL, NULL),
                                         gersh_dataset_new(&data, n, n, x, n, NULL, NULL, NULL),
                                         gersh_dataset_subset(&data, four, row, n),
                                         gersh_metric_new(&metric, n, 1, n, 1),
                                         gersh_metric_new(&metric, 2, 1, n, 0),
                                         gersh_graph_from_dense(&graph, n, x, 0, NULL),
                                         gersh_graph_from_edges(&graph, n, x, 1, row, row + 1, x),
                                         gersh_graph_from_edges(&graph, 2, x, n, row, row + 1, x),
                                         gersh_graph_spanning_tree(parent, n, x, 0),
                                         gersh_lobpcg_new(&lobpcg, n),
                                         gersh_tuples_new(&tuples, GERSH_TRIPLETS, n, row, NULL, 4),
                                         gersh_neighbors_new(&index, NULL, n, 2, x, 2, 1),
                                         gersh_neighbors_new(&index, NULL, 2, 1, x, n, 1),
                                         gersh_neighbors_find(own, NULL, neighbor, n, x, 1, 1, NULL),
                                         gersh_transform_apply(map, y, n, x, 1),
                                         gersh_transform_apply(map, y, 2, x, n)};
        for (size_t s = 0; s < sizeof statuses / sizeof statuses[0]; s++)
            if (statuses[s] != GERSH_ERROR_ARGUMENT && statuses[s] != GERSH_ERROR_MEMORY)
                fail_msg("call %zu takes %zu elements: %s", s, n, gersh_status_name(statuses[s]));
        assert_true(data == NULL && metric == NULL && graph == NULL && lobpcg == NULL && index == NULL &&
                    tuples == NULL);
    }
    for (int i = 0; i < 3; i++)
        assert_int_equal(gersh_model_unpack(&model, "", large[i]), GERSH_ERROR_MEMORY);
    gersh_transform_free(map);
    gersh_neighbors_free(own);
    gersh_dataset_free(four);
}

/* The head's length, the head padded with blanks, and the tensors. */
static size_t put_file(char *out, const char *head, size_t tensors)
{
    size_t length = strlen(head), padded = (length + 7) / 8 * 8;
    memset(out, 0, 8 + padded + tensors);
    for (int i = 0; i < 8; i++)
        out[i] = (char)(padded >> (8 * i));
    memset(out + 8, ' ', padded);
    memcpy(out + 8, head, length);
    return 8 + padded + tensors;
}

/* Shapes whose product wraps around to what the file has, and offsets beyond it. */
static void impossible_shapes_are_refused(void **state)
{
    (void)state;
    static const char *const shapes[] = {
        "[4611686018427387904, 4], \"data_offsets\": [0, 0]",
        "[2305843009213693952, 8], \"data_offsets\": [0, 0]",
        "[9223372036854775807, 2], \"data_offsets\": [0, 16]",
        "[-1, -1], \"data_offsets\": [0, 8]",
        "[1, 1], \"data_offsets\": [9223372036854775800, 9223372036854775807]",
        "[1, 1], \"data_offsets\": [-8, 0]",
        "[1, 1], \"data_offsets\": [16, 8]",
        "[1, 1e0], \"data_offsets\": [0, 8]"};
    char head[512], *bytes = calloc(1, 1024);
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        gersh_model *model = NULL;
        snprintf(head, sizeof head,
                 "{\"__metadata__\": {\"gersh\": \"{}\"}, \"x\": {\"dtype\": \"F64\", \"shape\": %s}}",
                 shapes[i]);
        size_t size = put_file(bytes, head, 16);
        if (gersh_model_unpack(&model, bytes, size) != GERSH_ERROR_INPUT ||
            strstr(gersh_last_error(), "tensor 'x'") == NULL)
            fail_msg("shape %s: %s", shapes[i], gersh_last_error());
        assert_null(model);
    }
    free(bytes);
}

/* A head of many small values takes eighty times its size as JSON, and is refused before that. */
static void heads_that_swell_are_refused(void **state)
{
    (void)state;
    static const char *const values[] = {"{},", "[],", "1,", "\"\",", "{\"\":{}},", "[[]],"};
    size_t size = MB;
    char *head = malloc(size + 64), *bytes = malloc(size + 128);
    for (size_t v = 0; v < sizeof values / sizeof values[0]; v++) {
        gersh_model *model = NULL;
        size_t used = (size_t)sprintf(head, "{\"__metadata__\": [");
        while (used < size)
            used += (size_t)sprintf(head + used, "%s", values[v]);
        sprintf(head + used, "0]}");
        gersh__memory_pretend(32 * MB);
        size_t length = put_file(bytes, head, 0);
        gersh_status status = gersh_model_unpack(&model, bytes, length);
        gersh__memory_pretend(0);
        assert_int_equal(status, GERSH_ERROR_INPUT);
        assert_null(model);
        if (strstr(gersh_last_error(), "is JSON that can take ") == NULL)
            fail_msg("%s: %s", values[v], gersh_last_error());
    }
    free(bytes);
    free(head);
}

static size_t json_taken;

static void *count_malloc(size_t size)
{
    json_taken += size + 16; /* and what the C library puts around it */
    return malloc(size);
}

/* The bound is one: jansson itself is counted. */
static void the_bound_of_json_holds(void **state)
{
    (void)state;
    static const char *const texts[] = {"{},",
                                        "[],",
                                        "1,",
                                        "1.5,",
                                        "\"\",",
                                        "null,",
                                        "[1],",
                                        "\"a long text that is copied\",",
                                        "{\"\":{}},",
                                        "[[[]]],",
                                        "{\"a\":1,\"b\":2,\"c\":3},"};
    for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++) {
        char *text = malloc(MB), keyed[32];
        size_t used = (size_t)sprintf(text, "[");
        while (used < MB / 2)
            used += (size_t)sprintf(text + used, "%s", texts[t]);
        used += (size_t)sprintf(text + used, "{");
        for (int i = 0; i < 20000; i++) {
            snprintf(keyed, sizeof keyed, "%s\"%d\":%d", i > 0 ? "," : "", i, i);
            used += (size_t)sprintf(text + used, "%s", keyed);
        }
        used += (size_t)sprintf(text + used, "}]");
        json_malloc_t old_malloc;
        json_free_t old_free;
        json_get_alloc_funcs(&old_malloc, &old_free);
        json_taken = 0;
        json_set_alloc_funcs(count_malloc, free);
        json_t *value = json_loadb(text, used, 0, NULL);
        json_decref(value);
        json_set_alloc_funcs(old_malloc, old_free);
        if (value == NULL || (double)json_taken > gersh__json_bytes(text, used))
            fail_msg("%s: %zu bytes, but at most %.0f were expected", texts[t], json_taken,
                     gersh__json_bytes(text, used));
        free(text);
    }
}

/* Half of the machine's memory is the most that a file may become, however small it is while packed. */
static void files_beyond_the_limit_are_refused(void **state)
{
    (void)state;
    char *bytes = calloc(1, 3 * MB);
    gersh__content content;
    gersh_dataset *data = NULL;
    write_bytes(model_path, bytes, 3 * MB);
    gersh__memory_pretend(4 * MB);
    assert_int_equal(gersh__file_load(&content, model_path, "file"), GERSH_ERROR_INPUT);
    gersh__free(content.bytes);
    assert_non_null(strstr(gersh_last_error(), "half of this machine's memory"));
    write_bytes(model_path, "1 1:1\n2 99999999:1\n", 19);
    assert_int_equal(gersh_dataset_read(&data, model_path, NULL), GERSH_ERROR_INPUT);
    assert_non_null(
        strstr(gersh_last_error(), "GB as a sparse table; at most 0.0 GB, half of this machine's"));
    assert_null(data);
    gersh__memory_pretend(0);
    free(bytes);
}

/* A file of 24 bytes for each feature asks for a matrix of as many rows and columns. */
static void matrices_beyond_the_limit_are_refused(void **state)
{
    (void)state;
    gersh_model *model = random_model(6, 10, 3, 2, "glr", "psd", 0), *bare = NULL;
    gersh_graph *graph = NULL;
    gersh_verification report;
    assert_ok(gersh_model_write(model, model_path, 0));
    assert_ok(gersh_model_read(&bare, model_path));
    assert_ok(gersh__check_matrix(1000));
    gersh__memory_pretend(2 * 9 * sizeof(double)); /* room for one of 3 × 3, and no more */
    assert_ok(gersh__check_matrix(3));
    assert_int_equal(gersh__check_matrix(4), GERSH_ERROR_MEMORY);
    assert_int_equal(gersh__check_matrix(SIZE_MAX), GERSH_ERROR_MEMORY);
    gersh__memory_pretend(9 * sizeof(double));
    assert_int_equal(gersh_metric_graph(&graph, model->metric), GERSH_ERROR_MEMORY);
    assert_non_null(strstr(gersh_last_error(), "a matrix of 3 features takes"));
    assert_int_equal(gersh_model_verify(&report, model, NULL), GERSH_ERROR_MEMORY);
    assert_int_equal(gersh_model_verify(&report, bare, NULL),
                     GERSH_ERROR_MEMORY); /* no samples to be copied first */
    assert_non_null(strstr(gersh_last_error(), "a matrix of 3 features takes"));
    gersh__memory_pretend(0);
    assert_ok(gersh_metric_graph(&graph, model->metric));
    gersh_graph_free(graph);
    gersh_model_free(bare);
    gersh_model_free(model);
}

/* Each weight is possible, their sum is not. */
static void an_infinite_metric_is_refused(void **state)
{
    (void)state;
    gersh_model *model = random_model(5, 10, 3, 2, "glr", "balanced", 0), *back = NULL;
    char *bytes = NULL;
    size_t size;
    assert_true(model->metric->atoms >= 2);
    for (size_t t = 0; t < model->metric->atoms; t++)
        model->metric->weight[t] = 1.7e308;
    assert_ok(gersh_model_pack(&bytes, &size, model, 1));
    assert_int_equal(gersh_model_unpack(&back, bytes, size), GERSH_ERROR_INPUT);
    assert_string_equal(gersh_last_error(),
                        "the packed model: the weights of the metric are too large: its trace is infinite");
    free(bytes);
    gersh_model_free(model);
}

/* Counts that no whole number holds; found by fuzz/model.c. */
static void impossible_counts_are_refused(void **state)
{
    (void)state;
    gersh_model *model = random_model(7, 10, 3, 2, "glr", "balanced", 0);
    double *const counts[] = {&model->info.pairs, &model->info.pairs_all, &model->info.rows_used};
    for (size_t i = 0; i < 3; i++) {
        gersh_model *back = NULL;
        char *bytes = NULL;
        size_t size;
        double kept = *counts[i];
        *counts[i] = 9.3e18;
        assert_ok(gersh_model_pack(&bytes, &size, model, 1));
        assert_int_equal(gersh_model_unpack(&back, bytes, size), GERSH_ERROR_INPUT);
        assert_non_null(strstr(gersh_last_error(), "the record of the pairs has"));
        *counts[i] = kept;
        free(bytes);
    }
    gersh_model_free(model);
}

static void messages_have_no_control_characters(void **state)
{
    (void)state;
    gersh_model *model = NULL;
    static const char head[] = "\x08\0\0\0\0\0\0\0{\x1b[31m}  ";
    gersh__fail(GERSH_ERROR_INPUT, "%s",
                "a\x1b[2Jb\x7f\n\xC2\x9B"
                "c\xC3\xA4");
    assert_string_equal(gersh_last_error(), "a\\x1B[2Jb\\x7F\\x0A\\u009Bc\xC3\xA4");
    assert_int_equal(gersh_model_unpack(&model, head, sizeof head - 1), GERSH_ERROR_INPUT);
    assert_null(strchr(gersh_last_error(), '\x1b'));
}

/* The name of the only file in the folder that ends in .tmp; "" for none. */
static void find_temporary(char *out, size_t size)
{
    DIR *folder = opendir(model_folder);
    assert_non_null(folder);
    *out = '\0';
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        size_t length = strlen(entry->d_name);
        if (length > 4 && strcmp(entry->d_name + length - 4, ".tmp") == 0)
            snprintf(out, size, "%s", entry->d_name);
    }
    closedir(folder);
}

static void temporary_names_cannot_be_guessed(void **state)
{
    (void)state;
    char names[2][300], left[300];
    for (int i = 0; i < 2; i++) {
        gersh__output output = {0};
        assert_ok(gersh__output_open(&output, model_path));
        find_temporary(names[i], sizeof names[i]);
        /* model.0123456789abcdef.tmp */
        assert_int_equal(strlen(names[i]), strlen("model") + 1 + 16 + 4);
        assert_int_equal(strspn(names[i] + 6, "0123456789abcdef"), 16);
        gersh__output_close(&output, GERSH_ERROR_CANCELLED);
        find_temporary(left, sizeof left);
        assert_string_equal(left, "");
    }
    assert_string_not_equal(names[0], names[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_that_wrap_around_are_refused),
        cmocka_unit_test(blocks_beyond_the_machine_are_refused),
        cmocka_unit_test(absurd_arguments_are_refused),
        cmocka_unit_test(impossible_shapes_are_refused),
        cmocka_unit_test(heads_that_swell_are_refused),
        cmocka_unit_test(the_bound_of_json_holds),
        cmocka_unit_test(files_beyond_the_limit_are_refused),
        cmocka_unit_test(matrices_beyond_the_limit_are_refused),
        cmocka_unit_test(an_infinite_metric_is_refused),
        cmocka_unit_test(impossible_counts_are_refused),
        cmocka_unit_test(messages_have_no_control_characters),
        cmocka_unit_test(temporary_names_cannot_be_guessed),
    };
    return cmocka_run_group_tests(tests, models_start, models_end);
}
