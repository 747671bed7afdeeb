/* Model files: round trips to the bit, damaged files, and failures to write. */
#include "models.h"
#include "scalings.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/settings.h"
#include "data/dataset.h"

static void same_reals(const double *a, const double *b, size_t count)
{
    assert_int_equal(a == NULL, b == NULL);
    if (a != NULL)
        assert_memory_equal(a, b, count * sizeof *a);
}

static void same_names(char *const *a, char *const *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_string_equal(a[i], b[i]);
}

static void same_data(const gersh_dataset *a, const gersh_dataset *b)
{
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->k, b->k);
    assert_int_equal(a->classes, b->classes);
    same_reals(a->x, b->x, a->n * a->k);
    same_reals(a->targets, b->targets, a->n);
    same_reals(a->weights, b->weights, a->n);
    same_names(a->feature_names, b->feature_names, a->k);
    same_names(a->class_names, b->class_names, a->classes);
    assert_int_equal(a->labels == NULL, b->labels == NULL);
    if (a->labels != NULL)
        assert_memory_equal(a->labels, b->labels, a->n * sizeof *a->labels);
}

static void same_info(const gersh_fit_info *a, const gersh_fit_info *b)
{
    assert_true(a->objective_value == b->objective_value && a->has_bound == b->has_bound);
    assert_true(!a->has_bound || (a->bound == b->bound && a->gap == b->gap));
    assert_true(a->iterations == b->iterations && a->newton_steps == b->newton_steps && a->stop == b->stop);
    assert_true(a->seconds == b->seconds && a->budget == b->budget && a->rho == b->rho);
    assert_true(a->seconds_gradient == b->seconds_gradient && a->seconds_minimizer == b->seconds_minimizer);
    assert_true(a->seconds_objective == b->seconds_objective && a->seconds_step == b->seconds_step);
    assert_true(a->choice == b->choice && a->pairs == b->pairs && a->pairs_all == b->pairs_all &&
                a->rows_used == b->rows_used && a->rounds == b->rounds &&
                a->value_error == b->value_error && a->memory == b->memory);
}

static void same_model(const gersh_model *a, const gersh_model *b, int with_data)
{
    const gersh_metric *m = a->metric, *o = b->metric;
    assert_true(m->rho == o->rho && m->features == o->features && m->atoms == o->atoms);
    same_reals(m->weight, o->weight, m->atoms);
    same_reals(m->dense, o->dense, m->atoms * m->features);
    assert_int_equal(m->atom == NULL, o->atom == NULL);
    if (m->atom != NULL)
        assert_memory_equal(m->atom, o->atom, m->atoms * sizeof *m->atom);
    same_reals(means_of(a->scaling), means_of(b->scaling), a->features);
    same_reals(scales_of(a->scaling), scales_of(b->scaling), a->features);
    assert_int_equal(has_unit_length(a->scaling), has_unit_length(b->scaling));
    assert_true(a->rows == b->rows && a->features == b->features && a->classes == b->classes);
    same_names(a->feature_names, b->feature_names, a->features);
    same_names(a->class_names, b->class_names, a->classes);
    assert_string_equal(a->version, b->version);
    assert_true(a->regress == b->regress && a->custom == b->custom);
    same_info(&a->info, &b->info);
    assert_int_equal(a->color == NULL, b->color == NULL);
    if (a->color != NULL)
        assert_memory_equal(a->color, gersh_model_colors(b), a->features * sizeof *a->color);
    for (int i = 0; i < gersh_settings_count(); i++) {
        const char *name = gersh_settings_info(i)->name;
        assert_string_equal(gersh_settings_get(a->settings, name), gersh_settings_get(b->settings, name));
    }
    assert_int_equal(b->data != NULL, with_data);
    if (with_data)
        same_data(a->data, b->data);
}

static void models_come_back_to_the_bit(void **state)
{
    (void)state;
    static const struct {
        const char *objective, *solver;
        size_t classes;
        int weights;
    } kinds[] = {{"glr", "balanced", 2, 0},
                 {"glr", "psd", 3, 1},
                 {"glr", "hull", 0, 1},
                 {"mcml", "hull", 2, 1},
                 {"deml", "diagonal", 2, 0}};
    for (size_t c = 0; c < sizeof kinds / sizeof kinds[0]; c++)
        for (int with_data = 0; with_data < 2; with_data++) {
            gersh_model *model = random_model(c, 14, 5, kinds[c].classes, kinds[c].objective,
                                              kinds[c].solver, kinds[c].weights),
                        *back = NULL;
            size_t size, again;
            assert_ok(gersh_model_write(model, model_path, with_data));
            assert_ok(gersh_model_read(&back, model_path));
            same_model(model, back, with_data);
            unsigned char *bytes = file_bytes(model_path, &size);
            assert_ok(gersh_model_write(back, model_path, with_data));
            unsigned char *bytes_again = file_bytes(model_path, &again);
            assert_int_equal(size, again);
            assert_memory_equal(bytes, bytes_again, size);
            free(bytes);
            free(bytes_again);
            gersh_model_free(back);
            gersh_model_free(model);
        }
}

/* In memory a model is the same bytes as in its file, and comes back from there. */
static void models_are_packed_as_in_their_file(void **state)
{
    (void)state;
    for (int with_data = 0; with_data < 2; with_data++) {
        gersh_model *model = random_model(11, 12, 4, 3, "glr", with_data ? "psd" : "balanced", 1),
                    *back = NULL;
        char *packed = NULL;
        size_t size, packed_size = 0;
        assert_ok(gersh_model_write(model, model_path, with_data));
        unsigned char *bytes = file_bytes(model_path, &size);
        assert_ok(gersh_model_pack(&packed, &packed_size, model, with_data));
        assert_int_equal(packed_size, size);
        assert_memory_equal(packed, bytes, size);
        assert_ok(gersh_model_unpack(&back, packed, packed_size));
        same_model(model, back, with_data);
        gersh_model_free(back);
        for (size_t length = 0; length < size; length += 1 + length / 7) {
            assert_int_equal(gersh_model_unpack(&back, packed, length), GERSH_ERROR_INPUT);
            assert_null(back);
            assert_non_null(strstr(gersh_last_error(), "the packed model: "));
        }
        gersh_status status = GERSH_ERROR_MEMORY;
        for (long n = 1; status != GERSH_OK; n++) {
            gersh__alloc_fail_at(n);
            status = gersh_model_unpack(&back, packed, packed_size);
            gersh__alloc_fail_at(0);
            assert_true(n < 1000 && (status == GERSH_OK || status == GERSH_ERROR_MEMORY));
        }
        gersh_model_free(back);
        free(packed);
        free(bytes);
        gersh_model_free(model);
    }
}

/* The layout by hand: the head's length, blanks up to a multiple of 8, and a tensor where the head says. */
static void the_layout_is_as_documented(void **state)
{
    (void)state;
    gersh_model *model = random_model(3, 9, 3, 2, "glr", "balanced", 0);
    size_t size, length = 0;
    assert_ok(gersh_model_write(model, model_path, 1));
    unsigned char *bytes = file_bytes(model_path, &size);
    for (int i = 7; i >= 0; i--)
        length = length * 256 + bytes[i];
    assert_int_equal(length % 8, 0);
    assert_true(length + 8 < size);
    char *head = calloc(1, length + 1), *place;
    memcpy(head, bytes + 8, length);
    assert_int_equal(head[0], '{');
    assert_non_null(place = strstr(head, "\"mean\":{\"dtype\":\"F64\",\"shape\":[3],\"data_offsets\":["));
    size_t offset = strtoul(strstr(place, "offsets\":[") + 10, NULL, 10);
    for (int j = 0; j < 3; j++) {
        double value;
        memcpy(&value, bytes + 8 + length + offset + 8 * j, sizeof value);
        assert_true(value == means_of(model->scaling)[j]);
    }
    free(head);
    free(bytes);
    gersh_model_free(model);
}

/* Names that JSON cannot hold as text, and names that need escapes. */
static void odd_names_come_back(void **state)
{
    (void)state;
    const double x[] = {1, 2, 3, 4, 7, 1, 2, 2, 9};
    const char *const names[] = {"Gr\366\337e", "a \"b\" \\ \n\x01", "\x7F\xE2\x80\xAE"},
                      *const labels[] = {"\xFF", "yes", "\xFF"};
    gersh_dataset *data = NULL;
    gersh_model *model = NULL, *back = NULL;
    assert_ok(gersh_dataset_new(&data, 3, 3, x, 3, labels, NULL, names));
    assert_ok(gersh_model_fit(&model, NULL, data, NULL, NULL));
    assert_ok(gersh_settings_set(model->settings, "label", "L\xE4nge"));
    assert_ok(gersh_model_write(model, model_path, 1));
    assert_ok(gersh_model_read(&back, model_path));
    same_model(model, back, 1);
    assert_string_equal(gersh_model_feature_name(back, 0), names[0]);
    assert_null(gersh_model_feature_name(back, 3));
    assert_null(gersh_model_class_name(back, 2));
    gersh_model_free(back);
    gersh_model_free(model);
    gersh_dataset_free(data);
}

/* A damaged file is refused with one sentence, or what it says is possible and can be used. */
static void read_damaged(const char *what, size_t place)
{
    gersh_model *model = NULL;
    gersh_status status = gersh_model_read(&model, model_path);
    if (status == GERSH_OK) {
        gersh_model_summary *summary = NULL;
        gersh_verification report;
        assert_non_null(model);
        if (gersh_model_summarize(&summary, model) == GERSH_OK)
            assert_int_equal(summary->graph->nodes, model->features);
        (void)gersh_model_verify(&report, model, NULL);
        gersh_model_summary_free(summary);
        gersh_model_free(model);
        return;
    }
    const char *sentence = gersh_last_error();
    int names_member = strstr(sentence, "left unpacked: ") != NULL; /* which may end as it likes */
    assert_null(model);
    if (status != GERSH_ERROR_INPUT || strncmp(sentence, model_path, strlen(model_path)) != 0 ||
        strchr(sentence, '\n') != NULL || (sentence[strlen(sentence) - 1] == '.' && !names_member))
        fail_msg("%s at %zu: %s: %s", what, place, gersh_status_name(status), sentence);
}

static void truncated_files_are_refused(void **state)
{
    (void)state;
    size_t size;
    gersh_model *model = random_model(5, 6, 3, 2, "glr", "hull", 1);
    assert_ok(gersh_model_write(model, model_path, 1));
    gersh_model_free(model);
    unsigned char *bytes = file_bytes(model_path, &size);
    for (size_t cut = 0; cut < size; cut += (size_t)cases(100) == 100 ? 1 : 97) {
        write_bytes(model_path, bytes, cut);
        assert_int_equal(gersh_model_read(&model, model_path), GERSH_ERROR_INPUT);
        read_damaged("cut", cut);
    }
    bytes[size] = 0;
    write_bytes(model_path, bytes, size + 1);
    assert_int_equal(gersh_model_read(&model, model_path), GERSH_ERROR_INPUT);
    free(bytes);
}

static void mutated_files_do_no_harm(void **state)
{
    (void)state;
    static const char *const solvers[] = {"hull", "psd"};
    gersh__random random;
    gersh__random_seed(&random, 9);
    for (int which = 0; which < 2; which++) {
        size_t size;
        gersh_model *model = random_model(6, 6, 3, 2, "glr", solvers[which], which);
        assert_ok(gersh_model_write(model, model_path, 1));
        gersh_model_free(model);
        unsigned char *bytes = file_bytes(model_path, &size), *copy = calloc(1, size);
        for (int c = 0; c < cases(2500); c++) {
            size_t changes = 1 + gersh__random_below(&random, 4), at = 0;
            memcpy(copy, bytes, size);
            for (size_t i = 0; i < changes; i++) {
                static const unsigned char telling[] = "0123456789-.eE[]{},:\"\\ nul\0\377\200\177";
                at = gersh__random_below(&random, size);
                copy[at] = gersh__random_below(&random, 2)
                               ? (unsigned char)gersh__random_below(&random, 256)
                               : telling[gersh__random_below(&random, sizeof telling)];
            }
            write_bytes(model_path, copy, size);
            read_damaged("change", at);
        }
        free(copy);
        free(bytes);
    }
}

/* Replaces one text in the head by another of the same length and expects the sentence. */
static void replaced(const char *from, const char *to, const char *sentence)
{
    size_t size;
    char expected[400];
    gersh_model *model = random_model(5, 6, 3, 2, "glr", "balanced", 0), *back = NULL;
    assert_ok(gersh_model_write(model, model_path, 1));
    gersh_model_free(model);
    unsigned char *bytes = file_bytes(model_path, &size), *place = NULL;
    for (size_t i = 0; place == NULL && i + strlen(from) < size; i++)
        place = memcmp(bytes + i, from, strlen(from)) == 0 ? bytes + i : NULL;
    assert_non_null(place);
    assert_int_equal(strlen(from), strlen(to));
    memcpy(place, to, strlen(to));
    write_bytes(model_path, bytes, size);
    free(bytes);
    assert_int_equal(gersh_model_read(&back, model_path), GERSH_ERROR_INPUT);
    snprintf(expected, sizeof expected, "%s: %s", model_path, sentence);
    assert_string_equal(gersh_last_error(), expected);
}

static void damage_is_named(void **state)
{
    (void)state;
    const char *other = "is not a gersh model; name a file that 'gersh fit -o' wrote";
    replaced("{\"__metadata__\":{\"gersh\"", "{\"__metadata__\":{\"other\"", other);
    replaced("\\\"format\\\":3,", "\\\"format\\\":4,",
             "the model has format 4 but this gersh reads format 3; use the gersh that wrote it");
    replaced("\"mean\":{\"dtype\":\"F64\"", "\"mean\":{\"dtype\":\"F32\"",
             "tensor 'mean' has another type than F64");
    replaced("\"mean\":{", "\"meam\":{", "there is an unknown tensor 'meam'; the model is damaged");
    replaced("\"mean\":{\"dtype\":\"F64\",\"shape\":[3]", "\"mean\":{\"dtype\":\"F64\",\"shape\":[4]",
             "tensor 'mean' has 4 numbers but 24 bytes");
    replaced("\\\"task\\\":\\\"classify", "\\\"task\\\":\\\"classifi",
             "the description of the model has an impossible task, number of rows or rho");
    char choices[400];
    snprintf(choices, sizeof choices,
             "a setting of the model cannot be used: objective: 'gli' is not one of %s",
             gersh_settings_info(GERSH__OBJECTIVE)->choices);
    replaced("\\\"objective\\\":\\\"glr", "\\\"objective\\\":\\\"gli", choices);
    replaced("\\\"rows\\\":6", "\\\"rows\\\":7", "tensor 'x' has another shape than the model needs");
    replaced("settled", "gesetzt",
             "the record of the fit has an unknown reason to stop or a negative number");
    gersh_model *model = NULL;
    write_bytes(model_path, "a,b\n1,2\n{", 9);
    assert_int_equal(gersh_model_read(&model, model_path), GERSH_ERROR_INPUT);
    assert_non_null(strstr(gersh_last_error(), other));
    unlink(model_path);
    assert_int_equal(gersh_model_read(&model, model_path), GERSH_ERROR_IO);
    assert_non_null(strstr(gersh_last_error(), "cannot be opened: No such file or directory"));
}

/* Each damaged number is written by the library itself from a damaged model. */
static void impossible_numbers_are_refused(void **state)
{
    (void)state;
    for (int which = 0; which < 8; which++) {
        gersh_model *model = random_model(5, 8, 3, 2, "glr", "hull", 1), *back = NULL;
        switch (which) {
        case 0:
            model->metric->weight[0] = -1;
            break;
        case 1:
            model->metric->atom[0].i = 3;
            break;
        case 2:
            model->metric->atom[0].a *= 1.001;
            break;
        case 3:
            scales_of(model->scaling)[1] = 0;
            break;
        case 4:
            model->data->labels[2] = 2;
            break;
        case 5:
            model->data->weights[2] = -0.5;
            break;
        case 6:
            model->data->x[4] = NAN;
            break;
        default:
            means_of(model->scaling)[0] = INFINITY;
            break;
        }
        assert_ok(gersh_model_write(model, model_path, 1));
        assert_int_equal(gersh_model_read(&back, model_path), GERSH_ERROR_INPUT);
        model->info.objective_value = NAN;
        assert_int_equal(gersh_model_write(model, model_path, 1), GERSH_ERROR_NUMERIC);
        gersh_model_free(model);
    }
}

static void refuse_to_write(const gersh_model *model, const char *path, gersh_status status,
                            const char *sentence)
{
    char expected[300];
    assert_int_equal(gersh_model_write(model, path, 1), status);
    snprintf(expected, sizeof expected, "%s: %s", path, sentence);
    assert_string_equal(gersh_last_error(), expected);
}

/* Nothing is left behind: models_end removes the folder, which must be empty but for the model. */
static void failed_writes_leave_the_old_file(void **state)
{
    (void)state;
    char path[80];
    struct stat info;
    gersh_model *model = random_model(7, 8, 3, 2, "glr", "balanced", 0);
    write_bytes(model_path, "old", 3);
    refuse_to_write(model, model_folder, GERSH_ERROR_IO, "is a directory; name a file in it");
    snprintf(path, sizeof path, "%s/none/model", model_folder);
    refuse_to_write(model, path, GERSH_ERROR_IO, "cannot be written: No such file or directory");
    refuse_to_write(model, "/dev/full", GERSH_ERROR_DISK, "cannot be written: No space left on device");
    gersh_status status = GERSH_ERROR_MEMORY;
    for (long n = 1; status != GERSH_OK; n++) {
        assert_int_equal(stat(model_path, &info), 0);
        assert_int_equal(info.st_size, 3);
        gersh__alloc_fail_at(n);
        status = gersh_model_write(model, model_path, 1);
        gersh__alloc_fail_at(0);
        assert_true(n < 100);
    }
    assert_int_equal(stat(model_path, &info), 0);
    assert_true(info.st_size > 1000);
    if (geteuid() != 0) {
        assert_int_equal(chmod(model_path, 0444), 0);
        refuse_to_write(model, model_path, GERSH_ERROR_IO, "cannot be written: Permission denied");
    }
    gersh_model_free(model);
}

/* A symbolic link stays one, and the mode of the file that is replaced is kept. */
static void links_and_modes_are_kept(void **state)
{
    (void)state;
    char link[80];
    struct stat info;
    gersh_model *model = random_model(7, 8, 3, 2, "glr", "balanced", 0), *back = NULL;
    snprintf(link, sizeof link, "%s/link", model_folder);
    write_bytes(model_path, "old", 3);
    assert_int_equal(chmod(model_path, 0600), 0);
    assert_int_equal(symlink("model", link), 0);
    assert_ok(gersh_model_write(model, link, 1));
    assert_int_equal(lstat(link, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_ok(gersh_model_read(&back, model_path));
    assert_int_equal(stat(model_path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    unlink(link);
    gersh_model_free(back);
    gersh_model_free(model);
}

static void failed_allocations_are_reported(void **state)
{
    (void)state;
    gersh__random random;
    gersh__random_seed(&random, 8);
    gersh_settings *settings = model_settings("glr", "balanced");
    gersh_dataset *data = ready_data(&random, 6, 3, 2);
    gersh_model *model = NULL;
    gersh_status status = GERSH_ERROR_MEMORY;
    for (long n = 1; status != GERSH_OK; n++) {
        gersh__alloc_fail_at(n);
        status = gersh_model_fit(&model, NULL, data, settings, NULL);
        gersh__alloc_fail_at(0);
        assert_true(n < 2000 && (status == GERSH_OK || status == GERSH_ERROR_MEMORY));
    }
    assert_ok(gersh_model_write(model, model_path, 1));
    status = GERSH_ERROR_MEMORY;
    for (long n = 1; status != GERSH_OK; n++) {
        gersh_model *back = NULL;
        gersh_model_summary *summary = NULL;
        gersh_verification report;
        gersh__alloc_fail_at(n);
        status = gersh_model_read(&back, model_path);
        if (status == GERSH_OK)
            status = gersh_model_summarize(&summary, back);
        if (status == GERSH_OK)
            status = gersh_model_verify(&report, back, NULL);
        gersh__alloc_fail_at(0);
        assert_true(n < 1000 && (status == GERSH_OK || status == GERSH_ERROR_MEMORY));
        gersh_model_summary_free(summary);
        gersh_model_free(back);
    }
    gersh_model_free(model);
    gersh_dataset_free(data);
    gersh_settings_free(settings);
}

static void data_with_other_columns_is_refused(void **state)
{
    (void)state;
    gersh__random random;
    gersh__random_seed(&random, 8);
    gersh_model *model = random_model(7, 8, 3, 2, "glr", "balanced", 0), *none = NULL;
    gersh_dataset *wide = random_data(&random, 8, 4, 2), *same = random_data(&random, 8, 3, 2);
    assert_ok(gersh_model_check_data(model, same));
    assert_int_equal(gersh_model_check_data(model, wide), GERSH_ERROR_INPUT);
    assert_string_equal(gersh_last_error(),
                        "the data has 4 features but the model has 3; use data with the model's columns");
    same->feature_names[1][1] = '9';
    assert_int_equal(gersh_model_check_data(model, same), GERSH_ERROR_INPUT);
    assert_string_equal(gersh_last_error(),
                        "feature 2 of the data is 'x9' but that of the model is 'x2'; use data "
                        "with the model's columns in their order");
    for (size_t i = 0; i < 8; i++)
        same->labels[i] = 0;
    assert_int_equal(gersh_model_fit(&none, NULL, same, NULL, NULL), GERSH_ERROR_INPUT);
    assert_null(none);
    gersh_model_free(NULL);
    gersh_dataset_free(wide);
    gersh_dataset_free(same);
    gersh_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_come_back_to_the_bit),
        cmocka_unit_test(models_are_packed_as_in_their_file),
        cmocka_unit_test(the_layout_is_as_documented),
        cmocka_unit_test(odd_names_come_back),
        cmocka_unit_test(truncated_files_are_refused),
        cmocka_unit_test(mutated_files_do_no_harm),
        cmocka_unit_test(damage_is_named),
        cmocka_unit_test(impossible_numbers_are_refused),
        cmocka_unit_test(failed_writes_leave_the_old_file),
        cmocka_unit_test(links_and_modes_are_kept),
        cmocka_unit_test(failed_allocations_are_reported),
        cmocka_unit_test(data_with_other_columns_is_refused),
    };
    return cmocka_run_group_tests(tests, models_start, models_end);
}
