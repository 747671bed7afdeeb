/* A temporary folder with small data sets under the paper's names, and checks of the files that a run writes. */
#ifndef GERSH_TESTS_REPRODUCE_SUPPORT_H
#define GERSH_TESTS_REPRODUCE_SUPPORT_H

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../reproduce/report.h"
#include "../reproduce/reproduce.h"
#include "base/random.h"
#include "check.h"

static char work_folder[64];

static inline const char *in_folder(const char *name)
{
    static char path[4][256];
    static int next;
    next = (next + 1) % 4;
    snprintf(path[next], sizeof path[next], "%s/%s", work_folder, name);
    return path[next];
}

/* Two classes that differ in the first feature; no header, the label last. */
static inline void write_data(const char *name, size_t rows, size_t features, uint64_t seed)
{
    gersh__random random;
    char file_name[96];
    snprintf(file_name, sizeof file_name, "data/%s.csv", name);
    FILE *file = fopen(in_folder(file_name), "w");
    assert_non_null(file);
    gersh__random_seed(&random, seed);
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < features; j++)
            fprintf(file, "%.6f,", gersh__random_normal(&random) + (j == 0 ? (double)(i % 2) : 0));
        fprintf(file, "%d\n", i % 2 == 0 ? 1 : 2);
    }
    fclose(file);
}

static inline int make_work_folder(void **state)
{
    (void)state;
    strcpy(work_folder, "/tmp/gersh-reproduce-XXXXXX");
    if (mkdtemp(work_folder) == NULL || mkdir(in_folder("data"), 0777) != 0)
        return -1;
    return 0;
}

static inline void remove_tree(const char *path)
{
    struct dirent *entry;
    DIR *folder = opendir(path);
    if (folder == NULL) {
        unlink(path);
        return;
    }
    while ((entry = readdir(folder)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        char *inside = repro_format("%s/%s", path, entry->d_name);
        remove_tree(inside);
        free(inside);
    }
    closedir(folder);
    rmdir(path);
}

static inline int remove_work_folder(void **state)
{
    (void)state;
    remove_tree(work_folder);
    return 0;
}

static inline char *load_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = calloc(1 << 20, 1);
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    return text;
}

/* Every line of the CSV file has as many fields as the first. */
static inline void check_csv(const char *path)
{
    char *text = load_text(path);
    size_t first = 0, fields = 1;
    int quoted = 0;
    for (const char *p = text; *p != '\0'; p++) {
        if (*p == '"')
            quoted = !quoted;
        else if (*p == ',' && !quoted)
            fields++;
        else if (*p == '\n' && !quoted) {
            first = first == 0 ? fields : first;
            if (fields != first)
                fail_msg("%s: a line of %zu fields, the first has %zu", path, fields, first);
            fields = 1;
        }
    }
    assert_int_equal(quoted, 0);
    assert_int_equal(text[strlen(text) - 1], '\n');
    free(text);
}

/* Lines of a Markdown table that follow each other have as many bars, escaped ones apart. */
static inline void check_markdown(const char *path)
{
    char *text = load_text(path);
    size_t before = 0, tables = 0;
    for (char *line = strtok(text, "\n"), *last = NULL; line != NULL;
         last = line, line = strtok(NULL, "\n")) {
        size_t bars = 0;
        for (const char *p = line; *line == '|' && *p != '\0'; p++)
            bars += *p == '|' && (p == line || p[-1] != '\\');
        /* strtok skips empty lines; between two tables there always is a line of another kind */
        if (bars > 0 && before > 0 && bars != before)
            fail_msg("%s: %zu bars after %zu: %s (after %s)", path, bars, before, line, last);
        tables += bars > 0 && before == 0;
        before = bars;
    }
    assert_true(tables > 0);
    free(text);
}

static inline void check_svg(const char *path)
{
    char *text = load_text(path);
    assert_int_equal(strncmp(text, "<svg ", 5), 0);
    assert_string_equal(text + strlen(text) - 7, "</svg>\n");
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    free(text);
}

static inline void check_files(const repro_result *result)
{
    for (size_t f = 0; f < result->files; f++) {
        const char *ending = strrchr(result->file[f], '.');
        if (strcmp(ending, ".csv") == 0)
            check_csv(result->file[f]);
        else if (strcmp(ending, ".md") == 0)
            check_markdown(result->file[f]);
        else
            check_svg(result->file[f]);
    }
}

static inline const repro_table *find_table(const repro_result *result, const char *name)
{
    for (size_t r = 0; r < result->reports; r++)
        for (size_t t = 0; t < result->report[r]->tables; t++)
            if (strcmp(result->report[r]->table[t]->name, name) == 0)
                return result->report[r]->table[t];
    fail_msg("there is no table %s", name);
    return NULL;
}

static inline const repro_claim *find_claim(const repro_result *result, const char *start)
{
    for (size_t r = 0; r < result->reports; r++)
        for (size_t c = 0; c < result->report[r]->claims; c++)
            if (strncmp(result->report[r]->claim[c].text, start, strlen(start)) == 0)
                return &result->report[r]->claim[c];
    fail_msg("there is no claim '%s'", start);
    return NULL;
}

#endif
