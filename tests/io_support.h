/*
 * For the tests of the readers: files in a folder of their own, removed at the end; settings from text; and
 * random tables, written and compared.
 */
#ifndef GERSH_TESTS_IO_SUPPORT_H
#define GERSH_TESTS_IO_SUPPORT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/random.h"
#include "gersh/gersh.h"
#include "io/read.h"

static char io_folder[] = "/tmp/gersh-io-XXXXXX";
static char io_path[64];
static char io_labels_path[64];

static inline int io_start(void **state)
{
    (void)state;
    if (mkdtemp(io_folder) == NULL)
        return -1;
    snprintf(io_path, sizeof io_path, "%s/data", io_folder);
    snprintf(io_labels_path, sizeof io_labels_path, "%s/labels", io_folder);
    return 0;
}

static inline int io_end(void **state)
{
    (void)state;
    unlink(io_path);
    unlink(io_labels_path);
    return rmdir(io_folder);
}

static inline void io_write_to(const char *path, const void *bytes, size_t size)
{
    unlink(path); /* a new file: some file systems write a file that is cut to 0 at once to the disk */
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static inline void io_write(const void *bytes, size_t size)
{
    io_write_to(io_path, bytes, size);
}

/* "name=value|name=value"; LABELS in a value stands for the path of the labels' file. */
static inline gersh_settings *io_settings(const char *text)
{
    char copy[256];
    gersh_settings *settings = NULL;
    assert_int_equal(gersh_settings_new(&settings), GERSH_OK);
    snprintf(copy, sizeof copy, "%s", text != NULL ? text : "");
    for (char *item = copy; item != NULL && *item != '\0';) {
        char *next = strchr(item, '|');
        if (next != NULL)
            *next++ = '\0';
        char *value = strchr(item, '=');
        assert_non_null(value);
        *value++ = '\0';
        if (strcmp(value, "LABELS") == 0)
            value = io_labels_path;
        assert_int_equal(gersh_settings_set(settings, item, value), GERSH_OK);
        item = next;
    }
    return settings;
}

static inline gersh_status io_read(gersh__table **table, const char *settings_text)
{
    gersh_settings *settings = io_settings(settings_text);
    gersh_status status = gersh__table_read(table, io_path, settings);
    gersh_settings_free(settings);
    return status;
}

/* A growing text. */
typedef struct text {
    char *bytes;
    size_t size, capacity;
} text;

static inline void put(text *t, const void *bytes, size_t size)
{
    if (t->size + size > t->capacity) {
        t->capacity = 2 * (t->size + size);
        t->bytes = realloc(t->bytes, t->capacity);
        assert_non_null(t->bytes);
    }
    memcpy(t->bytes + t->size, bytes, size);
    t->size += size;
}

static inline void print(text *t, const char *format, ...)
{
    char line[512];
    va_list args;
    va_start(args, format);
    int size = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    assert_in_range(size, 0, sizeof line - 1);
    put(t, line, (size_t)size);
}

static inline void clear(text *t)
{
    free(t->bytes);
    *t = (text){0};
}

/* Doubles of all sizes: small whole numbers, normals, and any finite bits. */
static inline double any_number(gersh__random *random)
{
    uint64_t bits;
    double x;
    switch (gersh__random_below(random, 4)) {
    case 0:
        return (double)gersh__random_below(random, 200) - 100;
    case 1:
        return gersh__random_normal(random);
    case 2:
        return 0;
    default:
        do {
            bits = gersh__random_bits(random);
            memcpy(&x, &bits, sizeof x);
        } while (!isfinite(x));
        return x;
    }
}

static inline double *any_numbers(gersh__random *random, size_t count)
{
    double *x = malloc(count * sizeof *x);
    assert_non_null(x);
    for (size_t i = 0; i < count; i++)
        x[i] = any_number(random);
    return x;
}

static inline void check_cells(const gersh__table *table, size_t rows, size_t columns, size_t features,
                               const double *x)
{
    assert_int_equal(table->rows, rows);
    assert_int_equal(table->columns, columns);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < features; j++)
            assert_memory_equal(&table->cells[i * columns + j], &x[i * features + j], sizeof *x);
}

static inline const char *word_at(const gersh__table *table, size_t row, size_t column)
{
    double cell = table->cells[row * table->columns + column];
    assert_true(table->column[column].text);
    return isnan(cell) ? NULL : table->column[column].words.word[(size_t)cell];
}

/* An NPY file of the given version, its header padded to 64 bytes. */
static inline void write_npy(text *t, int version, const char *dictionary, const text *elements)
{
    size_t start = version == 1 ? 10 : 12, length = strlen(dictionary);
    size_t padded = (start + length + 64) / 64 * 64 - start;
    put(t, "\x93NUMPY", 6);
    print(t, "%c%c%c%c", version, 0, (int)(padded & 255), (int)(padded >> 8));
    if (version > 1)
        put(t, "\0\0", 2);
    print(t, "%s", dictionary);
    while (length++ < padded - 1)
        print(t, " ");
    print(t, "\n");
    put(t, elements->bytes, elements->size);
}

/* Writes the message into out, with FILE and LABELS in place of the paths. */
static inline void show(char *out, size_t size, const char *message)
{
    static const char *const names[] = {"FILE", "LABELS"};
    const char *const paths[] = {io_path, io_labels_path};
    size_t used = 0;
    while (*message != '\0' && used + 8 < size) {
        int which = strncmp(message, paths[0], strlen(paths[0])) == 0   ? 0
                    : strncmp(message, paths[1], strlen(paths[1])) == 0 ? 1
                                                                        : -1;
        if (which < 0) {
            out[used++] = *message++;
        } else {
            used += (size_t)snprintf(out + used, size - used, "%s", names[which]);
            message += strlen(paths[which]);
        }
    }
    out[used] = '\0';
}

/* Reads what is at the path as a data set to learn from; 1 when status and sentence are as expected. */
static inline int is_as_expected(const char *name, const char *settings_text, gersh_status expected,
                                 const char *message)
{
    gersh_settings *settings = io_settings(settings_text);
    gersh_dataset *data = NULL;
    char shown[1200] = "";
    gersh_status status = gersh_dataset_read(&data, io_path, settings);
    if (status != GERSH_OK)
        assert_null(data);
    if (status == GERSH_OK)
        status = gersh_dataset_check(data);
    if (status != GERSH_OK)
        show(shown, sizeof shown, gersh_last_error());
    gersh_dataset_free(data);
    gersh_settings_free(settings);
    int good = status == expected && strcmp(shown, message != NULL ? message : "") == 0;
    if (!good)
        print_error("%s: status %s: %s\n", name, gersh_status_name(status), shown);
    return good;
}

#endif
