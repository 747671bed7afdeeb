/*
 * The readers under stress: damaged gzip files and paths that are no files, very long lines, short memory,
 * and random damage to small files of every format, which must never crash.
 */
#include "io_support.h"

#include <sys/stat.h>
#include <zlib.h>

#include "base/alloc.h"
#include "base/clock.h"

static void expect(const char *name, gersh_status status, const char *message)
{
    assert_true(is_as_expected(name, NULL, status, message));
}

static void test_gzip(void **state)
{
    char bytes[200];
    (void)state;
    gzFile gz = gzopen(io_path, "wb");
    assert_non_null(gz);
    assert_int_equal(gzwrite(gz, "1,a\n2,b\n3,c\n", 12), 12);
    assert_int_equal(gzclose(gz), Z_OK);
    FILE *file = fopen(io_path, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    expect("whole", GERSH_OK, NULL);
    for (size_t cut = 2; cut < size; cut++) {
        io_write(bytes, cut);
        expect("cut", GERSH_ERROR_IO, "FILE: the gzip data ends too early; the file was cut off");
    }
    memcpy(bytes + size, "x\0z", 3);
    io_write(bytes, size + 3);
    expect("tail", GERSH_ERROR_IO,
           "FILE: the gzip data is followed by 3 bytes that are not gzip data; the file is damaged");
    bytes[size - 1] ^= 1;
    io_write(bytes, size);
    expect("length", GERSH_ERROR_IO, "FILE: the gzip data is damaged: incorrect length check");
    bytes[size - 8] ^= 1;
    io_write(bytes, size);
    expect("sum", GERSH_ERROR_IO, "FILE: the gzip data is damaged: incorrect data check");
    io_write("\x1F\x8B\x08\xFF____________", 16);
    expect("flags", GERSH_ERROR_IO, "FILE: the gzip data is damaged: unknown header flags set");
    gz = gzopen(io_path, "wb");
    assert_int_equal(gzclose(gz), Z_OK);
    expect("empty", GERSH_ERROR_INPUT, "FILE: is empty");
}

static void test_files(void **state)
{
    (void)state;
    unlink(io_path);
    expect("no file", GERSH_ERROR_IO, "FILE: cannot be opened: No such file or directory");
    assert_int_equal(mkdir(io_path, 0700), 0);
    expect("directory", GERSH_ERROR_IO, "FILE: is a directory; name a file in it");
    assert_int_equal(rmdir(io_path), 0);
    io_write("1,2\n3,4\n", 8);
    unlink(io_labels_path);
    assert_true(is_as_expected("no labels", "labels=LABELS", GERSH_ERROR_IO,
                               "LABELS: cannot be opened: No such file or directory"));
    io_write_to(io_labels_path, "a,b\nc,d\n", 8);
    assert_true(
        is_as_expected("labels of two columns", "labels=LABELS", GERSH_ERROR_INPUT,
                       "LABELS: --labels needs a file with one label a row, but this one has 2 columns"));
    io_write_to(io_labels_path, "a\n?\n", 4);
    assert_true(is_as_expected("label missing", "labels=LABELS", GERSH_ERROR_INPUT,
                               "LABELS: line 2, column 1: the label is missing; complete it or remove the "
                               "row, or choose another column with --label"));
}

static void test_both_from_standard_input(void **state)
{
    gersh_settings *settings = io_settings("labels=-");
    gersh_dataset *data = NULL;
    (void)state;
    assert_int_equal(gersh_dataset_read(&data, "-", settings), GERSH_ERROR_ARGUMENT);
    assert_string_equal(gersh_last_error(),
                        "--labels: data and labels cannot both come from standard input");
    gersh_settings_free(settings);
}

/* The numbers of gigabytes are the machine's. */
static void test_dense_table_too_large(void **state)
{
    static const char start[] =
        "FILE: 2 rows and 1000000000001 columns need 144000.0 GB as a dense table; at most ";
    gersh__table *table = NULL;
    char shown[1200];
    (void)state;
    io_write("1 1:1\n2 1000000000000:1\n", 24);
    assert_int_equal(io_read(&table, NULL), GERSH_ERROR_INPUT);
    show(shown, sizeof shown, gersh_last_error());
    assert_memory_equal(shown, start, sizeof start - 1);
}

/* A field of ten million characters, and rows of five million fields: read in seconds, or refused. */
static void test_long_lines(void **state)
{
    enum { characters = 10000000, fields = 5000000 };
    gersh__table *table = NULL;
    text t = {0};
    (void)state;
    double start = gersh__clock_seconds();
    char *field = malloc(characters);
    assert_non_null(field);
    memset(field, 'x', characters);
    print(&t, "1,");
    put(&t, field, characters);
    print(&t, "\n2,\"");
    put(&t, field, characters);
    print(&t, "\"\"\"\n");
    io_write(t.bytes, t.size);
    assert_int_equal(io_read(&table, NULL), GERSH_OK);
    assert_int_equal(strlen(word_at(table, 0, 1)), characters);
    assert_int_equal(strlen(word_at(table, 1, 1)), characters + 1);
    gersh__table_free(table);
    memset(field, '7', characters);
    io_write(field, characters);
    assert_int_equal(io_read(&table, "label=none"), GERSH_ERROR_INPUT);
    clear(&t);
    for (size_t i = 0; i < fields; i++)
        memcpy(field + 2 * i, i + 1 < fields ? "1," : "a\n", 2);
    io_write(field, characters);
    free(field);
    assert_int_equal(io_read(&table, "header=no"), GERSH_OK);
    assert_int_equal(table->columns, fields);
    assert_true(table->cells[fields - 2] == 1);
    gersh__table_free(table);
    assert_true(gersh__clock_seconds() - start < 600); /* far more than needed, also under valgrind */
}

/* Small valid files of every format. */
typedef struct sample {
    const char *name, *settings;
    text bytes;
} sample;

enum { samples = 9 };

static void make_npy(text *t, const char *type, size_t count, const void *elements, size_t size)
{
    char dictionary[128];
    text all = {0};
    put(&all, elements, size);
    snprintf(dictionary, sizeof dictionary, "{'descr': '%s', 'fortran_order': False, 'shape': (%zu, 2), }",
             type, count);
    write_npy(t, 1, dictionary, &all);
    clear(&all);
}

static void make_gzip(text *t, const char *content)
{
    char bytes[512];
    gzFile gz = gzopen(io_path, "wb");
    assert_non_null(gz);
    assert_int_equal(gzwrite(gz, content, (unsigned)strlen(content)), strlen(content));
    assert_int_equal(gzclose(gz), Z_OK);
    FILE *file = fopen(io_path, "rb");
    assert_non_null(file);
    put(t, bytes, fread(bytes, 1, sizeof bytes, file));
    fclose(file);
}

static void make_samples(sample *all)
{
    static const double numbers[6] = {1.5, 2, -3, 4, 5e-300, 6};
    static const char *const texts[5][3] = {
        {"csv", "categorical=onehot|missing=mean",
         "\xEF\xBB\xBFname,\"si\"\"ze\",class\n1,red,a\n# x\n,\"bl\nue\",b\n3,?,a\n1e-5,7,b\n"},
        {"tsv", NULL, "1\t2\tx\n3\t4\ty\r\n5\t\"6\"\tx"},
        {"blank", "categorical=onehot", " 1  2\tu \n3 \"4 5\"  v\n\n6 7 u\n"},
        {"libsvm", NULL, "# c\n+1 1:0.5 3:2\n-1 2:1e3 # d\n+1\n"},
        {"arff", "categorical=onehot|missing=zero",
         "% c\n@relation r\n@attribute 'a b' numeric\n@attribute s {p,'q r'}\n@attribute t "
         "string\n@attribute c "
         "{x,y}\n@data\n1,p,'it\\'s',x\n?,'q r',7,y\n{0 3, 2 z, 3 y}\n"},
    };
    memset(all, 0, samples * sizeof *all);
    for (size_t i = 0; i < 5; i++) {
        all[i].name = texts[i][0];
        all[i].settings = texts[i][1];
        print(&all[i].bytes, "%s", texts[i][2]);
    }
    all[5].name = "npy";
    make_npy(&all[5].bytes, "<f8", 3, numbers, sizeof numbers);
    all[6].name = "npy of text";
    all[6].settings = "categorical=onehot";
    make_npy(&all[6].bytes, "|S2", 2, "abc\0d\0ef", 8);
    all[7].name = "gzip";
    make_gzip(&all[7].bytes, "1;2;a\n3;4;b\n5;6;b\n");
    all[8].name = "semicolon";
    print(&all[8].bytes, "x;y\n1.5;a\n2.5;b\n");
}

static void free_samples(sample *all)
{
    for (size_t i = 0; i < samples; i++)
        clear(&all[i].bytes);
}

/* One line that says all of a data set. */
static void describe(text *t, gersh_dataset *data)
{
    size_t k = gersh_dataset_features(data);
    assert_int_equal(gersh_dataset_densify(data), GERSH_OK);
    print(t, "%s %zu %zu:", gersh_dataset_format(data), gersh_dataset_rows(data), k);
    for (size_t i = 0; i < gersh_dataset_rows(data); i++) {
        for (size_t j = 0; j < k; j++)
            print(t, " %a", gersh_dataset_values(data)[i * k + j]);
        print(t, " %s;", gersh_dataset_class_name(data, (size_t)gersh_dataset_labels(data)[i]));
    }
    put(t, "", 1);
}

/*
 * Reads with the n-th allocation failing, for all n. libcsv answers a refusal by asking for less, so that a
 * read may also succeed; it then must be complete.
 */
static long check_short_memory(const sample *s)
{
    gersh_settings *settings = io_settings(s->settings);
    gersh_dataset *data = NULL;
    text whole = {0}, part = {0};
    long refused = 0;
    io_write(s->bytes.bytes, s->bytes.size);
    gersh__alloc_fail_at(1000000000);
    assert_int_equal(gersh_dataset_read(&data, io_path, settings), GERSH_OK);
    long count = gersh__alloc_fail_at(0);
    describe(&whole, data);
    gersh_dataset_free(data);
    for (long n = 1; n <= count; n++) {
        gersh__alloc_fail_at(n);
        gersh_status status = gersh_dataset_read(&data, io_path, settings);
        gersh__alloc_fail_at(0);
        if (status == GERSH_OK) {
            part.size = 0;
            describe(&part, data);
            assert_string_equal(part.bytes, whole.bytes);
            gersh_dataset_free(data);
            continue;
        }
        assert_int_equal(status, GERSH_ERROR_MEMORY);
        assert_null(data);
        assert_memory_equal(gersh_last_error(), "out of memory", 13);
        refused++;
    }
    clear(&whole);
    clear(&part);
    gersh_settings_free(settings);
    return count - refused;
}

static void test_short_memory(void **state)
{
    sample all[samples];
    (void)state;
    make_samples(all);
    for (size_t i = 0; i < samples; i++)
        assert_in_range(check_short_memory(&all[i]), 0, 3);
    free_samples(all);
}

static void damage(text *t, gersh__random *random)
{
    size_t edits = 1 + gersh__random_below(random, 4);
    for (size_t e = 0; e < edits && t->size > 0; e++) {
        static const char telling[] = "\0\n\r\t \"',;:#%{}?@0-9.eE\x7F\xFF";
        size_t at = gersh__random_below(random, t->size);
        size_t length = 1 + gersh__random_below(random, t->size - at);
        switch (gersh__random_below(random, 6)) {
        case 0:
            t->bytes[at] = (char)gersh__random_below(random, 256);
            break;
        case 1:
            t->bytes[at] = telling[gersh__random_below(random, sizeof telling)];
            break;
        case 2:
            t->bytes[at] ^= (char)(1 << gersh__random_below(random, 8));
            break;
        case 3:
            t->size = at;
            break;
        case 4: /* takes bytes out */
            memmove(t->bytes + at, t->bytes + at + length, t->size - at - length);
            t->size -= length;
            break;
        default: /* puts a part there twice */
            put(t, t->bytes, 0);
            length = length < 40 ? length : 40;
            char copy[40];
            memcpy(copy, t->bytes + at, length);
            put(t, copy, length);
            break;
        }
    }
}

static void test_damage(void **state)
{
    enum { trials = 20000 };
    sample all[samples];
    gersh__random random;
    size_t read = 0;
    (void)state;
    make_samples(all);
    gersh__random_seed(&random, 6);
    gersh_settings *formats[samples];
    for (size_t i = 0; i < samples; i++)
        formats[i] = io_settings(all[i].settings);
    for (int trial = 0; trial < trials; trial++) {
        size_t which = (size_t)trial % samples;
        gersh_dataset *data = NULL;
        text t = {0};
        put(&t, all[which].bytes.bytes, all[which].bytes.size);
        damage(&t, &random);
        io_write(t.bytes, t.size);
        gersh_status status = gersh_dataset_read(&data, io_path, formats[which]);
        if (status == GERSH_OK) {
            read++;
            gersh_dataset_free(data);
        } else {
            assert_null(data);
            assert_true(status == GERSH_ERROR_INPUT || status == GERSH_ERROR_ARGUMENT ||
                        status == GERSH_ERROR_IO);
            assert_true(strlen(gersh_last_error()) > 10);
        }
        clear(&t);
    }
    /* Both outcomes must come up, or the damage is too little or too much to test anything. */
    assert_in_range(read, trials / 50, trials * 9 / 10);
    for (size_t i = 0; i < samples; i++)
        gersh_settings_free(formats[i]);
    free_samples(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gzip),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_both_from_standard_input),
        cmocka_unit_test(test_dense_table_too_large),
        cmocka_unit_test(test_long_lines),
        cmocka_unit_test(test_short_memory),
        cmocka_unit_test(test_damage),
    };
    return cmocka_run_group_tests_name("io_faults", tests, io_start, io_end);
}
