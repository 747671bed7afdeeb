/*
 * The readers on valid files: random tables written here in every format and form, and read back bit by
 * bit; finding the format; short memory; and random damage, which must never crash.
 */
#include "io_support.h"

#include <fcntl.h>
#include <zlib.h>

/* How a text table is written. */
typedef struct style {
    const char *format, *delimiter, *end;
    int header, quotes, mark, no_final_end, comments;
} style;

static const char *const classes[] = {"a", "b  \"c\"", "1.50", "+1", "été"};

static void write_cell(text *t, const char *cell, int quoted)
{
    if (!quoted) {
        print(t, "%s", cell);
        return;
    }
    print(t, "\"");
    for (const char *p = cell; *p != '\0'; p++)
        print(t, *p == '"' ? "\"\"" : "%c", *p);
    print(t, "\"");
}

static void write_rows(text *t, const style *s, size_t rows, size_t features, const double *x)
{
    char cell[64];
    for (size_t i = 0; i < rows; i++) {
        if (s->comments && i % 3 == 0)
            print(t, "# \"a comment%s%s", s->end, s->end);
        if (strcmp(s->format, "blank") == 0 && i % 2 == 0)
            print(t, "\t ");
        for (size_t j = 0; j < features; j++) {
            snprintf(cell, sizeof cell, "%.17g", x[i * features + j]);
            write_cell(t, cell, s->quotes && (i + j) % 3 == 0);
            print(t, "%s", s->delimiter);
        }
        const char *name = classes[i % 5];
        write_cell(t, name, strchr(name, '"') != NULL || s->quotes);
        if (i + 1 < rows || !s->no_final_end)
            print(t, "%s", s->end);
    }
}

static void check_style(const style *s, gersh__random *random)
{
    size_t rows = 5 + gersh__random_below(random, 40), features = 1 + gersh__random_below(random, 9);
    double *x = any_numbers(random, rows * features);
    text t = {0};
    gersh__table *table = NULL;
    if (s->mark)
        put(&t, "\xEF\xBB\xBF", 3);
    for (size_t j = 0; s->header && j <= features; j++)
        print(&t, "%s\"name %zu\"%s", j > 0 ? s->delimiter : "", j, j == features ? s->end : "");
    write_rows(&t, s, rows, features, x);
    io_write(t.bytes, t.size);
    assert_int_equal(io_read(&table, NULL), GERSH_OK);
    assert_string_equal(table->format, s->format);
    check_cells(table, rows, features + 1, features, x);
    assert_int_equal(table->label, features);
    for (size_t i = 0; i < rows; i++)
        assert_string_equal(word_at(table, i, features), classes[i % 5]);
    for (size_t j = 0; j <= features; j++) {
        char name[32];
        snprintf(name, sizeof name, "name %zu", j);
        if (s->header)
            assert_string_equal(table->column[j].name, name);
        else
            assert_null(table->column[j].name);
    }
    gersh__table_free(table);
    clear(&t);
    free(x);
}

static void test_text_round_trips(void **state)
{
    static const char *const formats[][2] = {{"csv", ","},       {"csv", " , "}, {"tsv", "\t"},
                                             {"semicolon", ";"}, {"blank", " "}, {"blank", " \t  "}};
    static const char *const ends[] = {"\n", "\r\n", "\r"};
    gersh__random random;
    (void)state;
    gersh__random_seed(&random, 1);
    for (size_t f = 0; f < 6; f++)
        for (size_t e = 0; e < 3; e++)
            for (int bits = 0; bits < 32; bits++) {
                style s = {formats[f][0], formats[f][1], ends[e],       bits & 1,
                           bits >> 1 & 1, bits >> 2 & 1, bits >> 3 & 1, bits >> 4 & 1};
                check_style(&s, &random);
            }
}

static void test_lines_are_exact(void **state)
{
    static const char content[] =
        "# first\r\n\r\na,b,c\r\n1,\"x\ny\r\nz\",2\r\n  \r\n# more\r\n3,w,4\r\n5,\"v\",6";
    gersh__table *table = NULL;
    (void)state;
    io_write(content, sizeof content - 1);
    assert_int_equal(io_read(&table, "label=b"), GERSH_OK);
    assert_int_equal(table->rows, 3);
    assert_int_equal(table->lines[0], 4);
    assert_int_equal(table->lines[1], 9);
    assert_int_equal(table->lines[2], 10);
    assert_string_equal(word_at(table, 0, 1), "x\ny\r\nz");
    gersh__table_free(table);
}

static void test_text_columns_and_missing(void **state)
{
    static const char content[] = "p,q,r,s,y\n"
                                  "1,1e0,NA,,u\n"
                                  "2,inf,?,7,null\n"
                                  "N/A,red,nan,8,v\n"
                                  "4, ,Null,\"9\",u\n";
    gersh__table *table = NULL;
    (void)state;
    io_write(content, sizeof content - 1);
    assert_int_equal(io_read(&table, NULL), GERSH_OK);
    assert_int_equal(table->column[0].text, 0);
    assert_true(isnan(table->cells[2 * 5]));
    assert_int_equal(table->column[0].odd_row, GERSH__NONE);
    assert_string_equal(word_at(table, 0, 1), "1e0");
    assert_string_equal(word_at(table, 1, 1), "inf");
    assert_string_equal(word_at(table, 2, 1), "red");
    assert_null(word_at(table, 3, 1));
    assert_int_equal(table->column[1].odd_row, 1);
    for (size_t i = 0; i < 4; i++)
        assert_true(isnan(table->cells[i * 5 + 2]));
    assert_true(isnan(table->cells[3]));
    assert_true(table->cells[3 * 5 + 3] == 9);
    assert_null(word_at(table, 1, 4));
    assert_string_equal(word_at(table, 3, 4), "u");
    assert_int_equal(table->column[4].words.count, 2);
    gersh__table_free(table);
}

static void test_headers(void **state)
{
    static const struct {
        const char *content, *header;
        size_t rows;
        const char *first, *second;
    } cases[] = {
        {"a,b\n1,2\n", "auto", 1, "a", "b"},        {",b\n1,2\n", "auto", 1, NULL, "b"},
        {"a,\n1,2\n", "auto", 2, NULL, NULL},       {"a,?\n1,2\n", "auto", 2, NULL, NULL},
        {"a,b\nc,d\n", "auto", 2, NULL, NULL},      {"a,b\nc,d\n", "yes", 1, "a", "b"},
        {"1,2\n3,4\n", "auto", 2, NULL, NULL},      {"1,2\n3,4\n", "yes", 1, "1", "2"},
        {"a,b\n1,2\n", "no", 2, NULL, NULL},        {"a,inf\n1,2\n", "auto", 2, NULL, NULL},
        {"\"a\",\"\"\n1,2\n", "yes", 1, "a", NULL}, {"a,b\n\"1\",c\n", "auto", 1, "a", "b"},
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        char settings[64];
        const char *names[2] = {cases[c].first, cases[c].second};
        gersh__table *table = NULL;
        snprintf(settings, sizeof settings, "header=%s", cases[c].header);
        io_write(cases[c].content, strlen(cases[c].content));
        assert_int_equal(io_read(&table, settings), GERSH_OK);
        assert_int_equal(table->rows, cases[c].rows);
        for (size_t j = 0; j < 2; j++) {
            if (names[j] == NULL)
                assert_null(table->column[j].name);
            else
                assert_string_equal(table->column[j].name, names[j]);
        }
        gersh__table_free(table);
    }
}

static void test_libsvm_round_trips(void **state)
{
    gersh__random random;
    (void)state;
    gersh__random_seed(&random, 2);
    for (int trial = 0; trial < 60; trial++) {
        size_t rows = 2 + gersh__random_below(&random, 30), features = 1 + gersh__random_below(&random, 12);
        double *x = any_numbers(&random, rows * features);
        const char *end = trial % 3 == 0 ? "\n" : trial % 3 == 1 ? "\r\n" : "\r";
        text t = {0};
        gersh__table *table = NULL;
        x[rows * features - 1] = 1; /* the largest index is there */
        print(&t, "# a comment%s%s", end, end);
        for (size_t i = 0; i < rows; i++) {
            print(&t, "%s", i % 2 ? "+1" : "-1");
            for (size_t j = 0; j < features; j++)
                if (x[i * features + j] != 0 || signbit(x[i * features + j]))
                    print(&t, " %s%zu:%.17g", j % 2 ? "\t" : "", j + 1, x[i * features + j]);
            print(&t, "%s%s", trial % 2 ? " # end" : "", i + 1 < rows ? end : "");
        }
        io_write(t.bytes, t.size);
        assert_int_equal(io_read(&table, NULL), GERSH_OK);
        assert_string_equal(table->format, "libsvm");
        check_cells(table, rows, features + 1, features, x);
        assert_int_equal(table->label, features);
        for (size_t i = 0; i < rows; i++) {
            assert_string_equal(word_at(table, i, features), i % 2 ? "+1" : "-1");
            assert_int_equal(table->lines[i], i + 3);
        }
        gersh__table_free(table);
        assert_int_equal(io_read(&table, "label=none"), GERSH_OK);
        check_cells(table, rows, features, features, x);
        assert_int_equal(table->label, GERSH__NONE);
        gersh__table_free(table);
        clear(&t);
        free(x);
    }
}

static void write_arff_header(text *t, size_t features)
{
    print(t, "%% a comment\n\n@RELATION 'a b'\n");
    for (size_t j = 0; j < features; j++)
        print(t, "@attribute %s%zu%s %s\n", j % 2 ? "'name " : "name", j, j % 2 ? "'" : "",
              j % 3 == 0   ? "NUMERIC"
              : j % 3 == 1 ? "\treal"
                           : "Integer % whole numbers");
    print(t, "@Attribute class {no, 'it\\'s', \"y z\"}\n@Data\n");
}

static void test_arff_round_trips(void **state)
{
    static const char *const written[] = {"no", "'it\\'s'", "\"y z\""};
    static const char *const values[] = {"no", "it's", "y z"};
    gersh__random random;
    (void)state;
    gersh__random_seed(&random, 3);
    for (int trial = 0; trial < 60; trial++) {
        size_t rows = 1 + gersh__random_below(&random, 30), features = 1 + gersh__random_below(&random, 9);
        double *x = any_numbers(&random, rows * features);
        int sparse = trial % 2;
        text t = {0};
        gersh__table *table = NULL;
        write_arff_header(&t, features);
        for (size_t i = 0; i < rows; i++) {
            print(&t, sparse ? "{ " : "");
            for (size_t j = 0; j < features; j++) {
                double value = x[i * features + j];
                if (!sparse)
                    print(&t, "%.17g%s", value, trial % 4 == 0 ? " , " : "\t");
                else if (value != 0 || signbit(value))
                    print(&t, "%zu %.17g, ", j, value);
            }
            /* The first declared value may be left out, but not behind a comma. */
            if (sparse)
                print(&t, "%zu %s}", features, written[i % 3]);
            else
                print(&t, "%s", written[i % 3]);
            print(&t, "\n%%\n\n");
        }
        io_write(t.bytes, t.size);
        assert_int_equal(io_read(&table, NULL), GERSH_OK);
        assert_string_equal(table->format, "arff");
        check_cells(table, rows, features + 1, features, x);
        for (size_t i = 0; i < rows; i++)
            assert_string_equal(word_at(table, i, features), values[i % 3]);
        if (features > 1)
            assert_string_equal(table->column[1].name, "name 1");
        gersh__table_free(table);
        clear(&t);
        free(x);
    }
}

static void test_arff_kinds_of_columns(void **state)
{
    static const char content[] = "@relation r\n"
                                  "@attribute grade {1, 2, 3}\n"
                                  "@attribute color {red, '2'}\n"
                                  "@attribute note string\n"
                                  "@attribute day date 'yyyy-MM-dd'\n"
                                  "@attribute class {x, y}\n"
                                  "@data\n"
                                  "2, 2, '', 2020-01-01, x % last\n"
                                  "?, red, '?', ?, y\n"
                                  "{2 'a, b', 3 5}\n";
    gersh__table *table = NULL;
    (void)state;
    io_write(content, sizeof content - 1);
    assert_int_equal(io_read(&table, NULL), GERSH_OK);
    assert_int_equal(table->rows, 3);
    assert_false(table->column[0].text);
    assert_true(table->cells[0] == 2 && isnan(table->cells[5]) && table->cells[10] == 1);
    assert_true(table->column[1].named_text);
    assert_int_equal(table->column[1].odd_row, 1);
    assert_string_equal(word_at(table, 0, 1), "2");
    assert_string_equal(word_at(table, 2, 1), "red");
    assert_string_equal(word_at(table, 0, 2), "");
    assert_string_equal(word_at(table, 1, 2), "?");
    assert_string_equal(word_at(table, 2, 2), "a, b");
    assert_null(word_at(table, 1, 3));
    assert_string_equal(word_at(table, 2, 3), "5");
    assert_string_equal(word_at(table, 2, 4), "x");
    assert_int_equal(table->lines[2], 10);
    gersh__table_free(table);
}

static void write_gzip(const char *mode, const void *bytes, size_t size)
{
    gzFile file = gzopen(io_path, mode);
    assert_non_null(file);
    assert_int_equal(gzwrite(file, bytes, (unsigned)size), size);
    assert_int_equal(gzclose(file), Z_OK);
}

static void test_gzip(void **state)
{
    gersh__random random;
    gersh__table *table = NULL;
    text t = {0};
    (void)state;
    gersh__random_seed(&random, 5);
    double *x = any_numbers(&random, 20000 * 3);
    for (size_t i = 0; i < 20000 * 3; i++)
        print(&t, "%.17g%s", x[i], i % 3 == 2 ? "\n" : ",");
    write_gzip("wb", t.bytes, t.size / 2);
    write_gzip("ab", t.bytes + t.size / 2, t.size - t.size / 2); /* a second member */
    FILE *file = fopen(io_path, "ab");
    assert_non_null(file);
    assert_int_equal(fwrite("\0\0\0\0", 1, 4, file), 4);
    fclose(file);
    assert_int_equal(io_read(&table, "label=none"), GERSH_OK);
    check_cells(table, 20000, 3, 3, x);
    gersh__table_free(table);
    clear(&t);
    free(x);
}

static void test_formats_are_found(void **state)
{
    static const struct {
        const char *content, *format;
        size_t columns;
    } cases[] = {
        {"1\t2\n3\t4\n", "tsv", 2},
        {"1;2\n3;4\n", "semicolon", 2},
        {"1,5;2,5\n3,5;4,5\n", "semicolon", 2},
        {"1,2\n3,4\n", "csv", 2},
        {"1, 2, 3\n3, 4, 5\n", "csv", 3},
        {"1 2\n3 4\n", "blank", 2},
        {"  1   2\t3\n3 4 5\n", "blank", 3},
        {"1 2\t\"a b\"\n3 4\t\"c d\"\n", "blank", 3},
        {"1\t2\t\t3\n4\t5\t6\n", "blank", 3},
        {"New York\t1\nParis\t2\n", "tsv", 2},
        {"a\nb\nc\n", "csv", 1},
        {"New York\nBoston\n", "csv", 1},
        {"\"a;b\",\"c;d\"\n\"e\tf\",\"g\"\n", "csv", 2},
        {"\"a,\n\tb\";1\n\"c\";2\n", "semicolon", 2},
        {"# x;y;z\n1,2\n# x\n3,4\n", "csv", 2},
        {"1 1:2 3:4\n-1 2:1\n", "libsvm", 4},
        {"# c\n1\n1\n-1 2:1 # 5\n", "libsvm", 3},
        {"a 1:nan_\n", "blank", 2},
        {"10:30 1\n10:45 2\n", "blank", 2},
        {"10:30 1:05\n10:45 2:06\n", "blank", 2},
        {"1,5 3\n2,6 4\n", "csv", 2},
        {"\n % c\n\n  @RelaTion x\n@attribute a real\n@data\n1\n", "arff", 1},
        {"@ATTRIBUTE a real\n@data\n1\n", "arff", 1},
        {"@relations,b\n1,2\n", "csv", 2},
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        gersh__table *table = NULL;
        io_write(cases[c].content, strlen(cases[c].content));
        if (io_read(&table, "header=no") != GERSH_OK && strstr(cases[c].content, "nan_") == NULL)
            fail_msg("%s: %s", cases[c].content, gersh_last_error());
        if (table != NULL &&
            (strcmp(table->format, cases[c].format) != 0 || table->columns != cases[c].columns))
            fail_msg("%s: %s with %zu columns", cases[c].content, table->format, table->columns);
        gersh__table_free(table);
    }
}

static void test_formats_are_obeyed(void **state)
{
    gersh__table *table = NULL;
    (void)state;
    io_write("1,2;3\n4,5;6\n", 12);
    assert_int_equal(io_read(&table, "format=csv|label=none"), GERSH_OK);
    assert_string_equal(table->format, "csv");
    assert_int_equal(table->columns, 2);
    assert_string_equal(word_at(table, 1, 1), "5;6");
    gersh__table_free(table);
    assert_int_equal(io_read(&table, "format=blank|label=none"), GERSH_OK);
    assert_int_equal(table->columns, 1);
    gersh__table_free(table);
}

static void test_standard_input(void **state)
{
    gersh_dataset *data = NULL;
    (void)state;
    io_write("1,a\n2,b\n", 8);
    int before = dup(STDIN_FILENO), file = open(io_path, O_RDONLY);
    assert_true(before >= 0 && file >= 0 && dup2(file, STDIN_FILENO) == STDIN_FILENO);
    assert_int_equal(gersh_dataset_read(&data, "-", NULL), GERSH_OK);
    assert_int_equal(gersh_dataset_rows(data), 2);
    gersh_dataset_free(data);
    assert_int_not_equal(gersh_dataset_read(&data, "-", NULL), GERSH_OK);
    assert_string_equal(gersh_last_error(), "standard input: is empty");
    dup2(before, STDIN_FILENO);
    close(before);
    close(file);
}

static void test_labels_file(void **state)
{
    static const char *const spelled[] = {"9007199254740993", "9007199254740992", "01"};
    gersh_settings *settings = io_settings("labels=LABELS");
    gersh_dataset *data = NULL;
    (void)state;
    io_write("1,2\n3,4\n5,6\n", 12);
    io_write_to(io_labels_path, "class\n9007199254740993\n9007199254740992\n01\n", 43);
    assert_int_equal(gersh_dataset_read(&data, io_path, settings), GERSH_OK);
    assert_int_equal(gersh_dataset_features(data), 2);
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(gersh_dataset_class_name(data, (size_t)gersh_dataset_labels(data)[i]),
                            spelled[i]);
    gersh_dataset_free(data);
    gersh_settings_free(settings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_round_trips),         cmocka_unit_test(test_lines_are_exact),
        cmocka_unit_test(test_text_columns_and_missing), cmocka_unit_test(test_headers),
        cmocka_unit_test(test_libsvm_round_trips),       cmocka_unit_test(test_arff_round_trips),
        cmocka_unit_test(test_arff_kinds_of_columns),    cmocka_unit_test(test_gzip),
        cmocka_unit_test(test_formats_are_found),        cmocka_unit_test(test_formats_are_obeyed),
        cmocka_unit_test(test_standard_input),           cmocka_unit_test(test_labels_file),
    };
    return cmocka_run_group_tests_name("io", tests, io_start, io_end);
}
