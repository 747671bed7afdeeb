/* The NPY reader: every type, byte order, version and order of elements, written here by hand. */
#include "io_support.h"

static void put_bits(text *t, uint64_t bits, size_t size, int big)
{
    for (size_t i = 0; i < size; i++)
        print(t, "%c", (int)(bits >> 8 * (big ? size - 1 - i : i) & 255));
}

/* A value of the type, as bits and as the double it stands for. */
static uint64_t any_element(gersh__random *random, char kind, size_t size, double *value)
{
    uint64_t bits = gersh__random_bits(random) & (size == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * size) - 1);
    if (kind == 'f' && size == 8) {
        *value = any_number(random);
        memcpy(&bits, value, sizeof bits);
    } else if (kind == 'f' && size == 4) {
        float single = (float)gersh__random_normal(random);
        uint32_t low;
        memcpy(&low, &single, sizeof low);
        *value = single;
        bits = low;
    } else if (kind == 'f') {
        char hex[32];
        int exponent = (int)(bits >> 10 & 31) % 31, mantissa = (int)(bits & 1023);
        bits = (bits & 0x83FF) | (uint64_t)exponent << 10;
        snprintf(hex, sizeof hex, "%s0x%d.%03xp%d", bits >> 15 ? "-" : "", exponent > 0, mantissa << 2,
                 exponent > 0 ? exponent - 15 : -14);
        *value = strtod(hex, NULL);
    } else if (kind == 'b') {
        bits &= 1;
        *value = (double)bits;
    } else if (kind == 'u') {
        bits &= (UINT64_C(1) << 53) - 1;
        *value = (double)bits;
    } else {
        int64_t whole =
            (int64_t)(bits >> (size == 8 ? 11 : 0)) - (INT64_C(1) << (size == 8 ? 52 : 8 * size - 1));
        *value = (double)whole;
        bits = (uint64_t)whole;
    }
    return bits;
}

static void check_npy(gersh__random *random, const char *type, int version, int fortran, int axes)
{
    size_t rows = 1 + gersh__random_below(random, 12),
           columns = axes == 1 ? 1 : 1 + gersh__random_below(random, 7);
    size_t item = (size_t)(type[2] - '0');
    int big = type[0] == '>';
    uint64_t *bits = malloc(rows * columns * sizeof *bits);
    double *x = malloc(rows * columns * sizeof *x);
    char dictionary[200], shape[64];
    text elements = {0}, t = {0};
    gersh__table *table = NULL;
    for (size_t i = 0; i < rows * columns; i++)
        bits[i] = any_element(random, type[1], item, &x[i]);
    for (size_t i = 0; i < rows * columns; i++)
        put_bits(&elements, bits[fortran ? i % rows * columns + i / rows : i], item, big);
    snprintf(shape, sizeof shape, axes == 1 ? "(%zu,)" : "(%zu, %zu)", rows, columns);
    if (version == 1)
        snprintf(dictionary, sizeof dictionary, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", type,
                 fortran ? "True" : "False", shape);
    else
        snprintf(dictionary, sizeof dictionary, "{ \"shape\":%s,'fortran_order' : %s, \"descr\": \"%s\"}",
                 shape, fortran ? "True" : "False", type);
    write_npy(&t, version, dictionary, &elements);
    io_write(t.bytes, t.size);
    assert_int_equal(io_read(&table, "label=none"), GERSH_OK);
    assert_string_equal(table->format, "npy");
    check_cells(table, rows, columns, columns, x);
    assert_null(table->lines);
    gersh__table_free(table);
    clear(&t);
    clear(&elements);
    free(bits);
    free(x);
}

static void test_npy_round_trips(void **state)
{
    static const char *const types[] = {"<f2", ">f2", "<f4", ">f4", "<f8", ">f8", "|i1",
                                        "<i2", ">i2", "<i4", ">i4", "<i8", ">i8", "|u1",
                                        "<u2", ">u2", "<u4", ">u4", "<u8", ">u8", "|b1"};
    gersh__random random;
    (void)state;
    gersh__random_seed(&random, 4);
    for (size_t type = 0; type < sizeof types / sizeof types[0]; type++)
        for (int version = 1; version <= 3; version++)
            for (int fortran = 0; fortran <= 1; fortran++)
                for (int axes = 1; axes <= 2; axes++)
                    for (int trial = 0; trial < 4; trial++)
                        check_npy(&random, types[type], version, fortran, axes);
}

static void test_npy_own_order_and_missing(void **state)
{
    double x[4] = {1.5, NAN, -2, 0};
    text elements = {0}, t = {0};
    gersh__table *table = NULL;
    (void)state;
    put(&elements, x, sizeof x);
    write_npy(&t, 1, "{'descr': '=f8', 'fortran_order': False, 'shape': (2L, 2L), }", &elements);
    io_write(t.bytes, t.size);
    assert_int_equal(io_read(&table, NULL), GERSH_OK);
    assert_int_equal(table->label, 1);
    assert_false(table->column[1].text);
    assert_true(table->cells[0] == 1.5 && isnan(table->cells[1]) && table->cells[2] == -2);
    gersh__table_free(table);
    clear(&t);
    clear(&elements);
}

static void test_npy_text(void **state)
{
    static const uint32_t letters[3][4] = {{'a', 0xE9, 0x20AC, 0x1F600}, {'b', 0, 0, 0}, {0, 0, 0, 0}};
    (void)state;
    for (int big = 0; big <= 1; big++) {
        text elements = {0}, t = {0};
        gersh__table *table = NULL;
        for (size_t i = 0; i < 12; i++)
            put_bits(&elements, letters[i / 4][i % 4], 4, big);
        write_npy(&t, 3,
                  big ? "{'descr': '>U4', 'fortran_order': False, 'shape': (3,), }"
                      : "{'descr': '<U4', 'fortran_order': True, 'shape': (3, 1), }",
                  &elements);
        io_write(t.bytes, t.size);
        assert_int_equal(io_read(&table, NULL), GERSH_OK);
        assert_string_equal(word_at(table, 0, 0), "aé€😀");
        assert_string_equal(word_at(table, 1, 0), "b");
        assert_null(word_at(table, 2, 0));
        assert_true(table->column[0].named_text);
        gersh__table_free(table);
        clear(&t);
        clear(&elements);
    }
    text elements = {0}, t = {0};
    gersh__table *table = NULL;
    put(&elements, "dogcat\0\0\0x\0\0", 12);
    write_npy(&t, 2, "{'descr': '|S3', 'fortran_order': False, 'shape': (4,), }", &elements);
    io_write(t.bytes, t.size);
    assert_int_equal(io_read(&table, NULL), GERSH_OK);
    assert_string_equal(word_at(table, 0, 0), "dog");
    assert_string_equal(word_at(table, 1, 0), "cat");
    assert_null(word_at(table, 2, 0));
    assert_string_equal(word_at(table, 3, 0), "x");
    gersh__table_free(table);
    clear(&t);
    clear(&elements);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_npy_round_trips),
        cmocka_unit_test(test_npy_own_order_and_missing),
        cmocka_unit_test(test_npy_text),
    };
    return cmocka_run_group_tests_name("io_npy", tests, io_start, io_end);
}
