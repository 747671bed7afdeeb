/* The data sets of the paper: what is expected, and what is there; see reproduce_run.h. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "io/file.h"
#include "use/reproduce_paper.h"
#include "use/reproduce_run.h"

static size_t whole(const char *row, const char *column)
{
    size_t length;
    uint64_t value = 0;
    const char *text = gersh__paper_field(&length, "datasets", row, column);
    gersh__parse_whole(text, length, 0, SIZE_MAX, &value);
    return (size_t)value;
}

void gersh__sources_init(gersh__source *source)
{
    for (size_t s = 0; s < GERSH__SOURCES; s++) {
        size_t length;
        const char *row = gersh__paper_row("datasets", s);
        const char *text = gersh__paper_field(&length, "datasets", row, "dataset");
        source[s] = (gersh__source){.rows = whole(row, "rows"),
                                    .features = whole(row, "features"),
                                    .paper_rows = whole(row, "paper_rows"),
                                    .paper_features = whole(row, "paper_features")};
        snprintf(source[s].name, sizeof source[s].name, "%.*s", (int)length, text);
        source[s].large = source[s].features >= 500;
        text = gersh__paper_field(&length, "datasets", row, "crc32");
        for (size_t i = 0; i < length; i++)
            source[s].checksum = 16 * source[s].checksum +
                                 (unsigned long)(text[i] <= '9' ? text[i] - '0' : text[i] - 'a' + 10);
    }
}

void gersh__sources_clear(gersh__source *source)
{
    for (size_t s = 0; s < GERSH__SOURCES; s++)
        gersh_dataset_free(source[s].data);
}

static char *path_of(const gersh__source *source, const char *folder)
{
    return gersh__text_format("%s/%s.csv", folder, source->name);
}

gersh_status gersh__source_look(gersh__source *source, const char *folder)
{
    gersh__content content = {0};
    struct stat info;
    if (source->looked_for)
        return GERSH_OK;
    char *path = path_of(source, folder);
    if (path == NULL)
        return GERSH_ERROR_MEMORY;
    gersh_status status = GERSH_OK;
    /* Only a file that is not there counts as missing: one that cannot be read is an error. */
    if (stat(path, &info) == 0 || (errno != ENOENT && errno != ENOTDIR)) {
        status = gersh__file_load(&content, path, path);
        source->there = status == GERSH_OK;
        if (source->there)
            source->found =
                crc32_z(crc32_z(0, NULL, 0), (const unsigned char *)content.bytes, content.size);
        gersh__free(content.bytes);
    }
    source->looked_for = status == GERSH_OK;
    gersh__free(path);
    return status;
}

static gersh_status read_file(gersh__source *source, const char *folder)
{
    gersh_settings *settings = NULL;
    char *path = path_of(source, folder);
    gersh_status status = path != NULL ? gersh_settings_new(&settings) : GERSH_ERROR_MEMORY;
    if (status == GERSH_OK)
        status = gersh_settings_set(settings, "missing", "zero"); /* as the paper's authors do */
    if (status == GERSH_OK)
        status = gersh_settings_set(settings, "format", "csv");
    if (status == GERSH_OK)
        status = gersh_settings_set(settings, "header", "no");
    if (status == GERSH_OK)
        status = gersh_settings_set(settings, "task", "classify");
    if (status == GERSH_OK)
        status = gersh_dataset_read(&source->data, path, settings);
    if (status == GERSH_OK) {
        status = gersh_dataset_check(source->data);
        if (status != GERSH_OK)
            gersh__fail_prefix(status, "%s: ", path);
    }
    gersh_settings_free(settings);
    gersh__free(path);
    return status;
}

static gersh_status note_missing(gersh__run *run, const gersh__source *source)
{
    gersh_reproduction *result = run->result;
    for (size_t m = 0; m < result->missing; m++)
        if (strcmp(result->missing_name[m], source->name) == 0)
            return GERSH_OK;
    return gersh__texts_add(&result->missing_name, &result->missing,
                            gersh__text_copy(source->name, strlen(source->name)));
}

gersh_status gersh__source_load(gersh__source *source, gersh__run *run)
{
    if (source->data != NULL)
        return GERSH_OK;
    gersh_status status = gersh__source_look(source, run->options->data);
    if (status != GERSH_OK)
        return status;
    return source->there ? read_file(source, run->options->data) : note_missing(run, source);
}

const char *gersh__source_remark(char *out, size_t size, const gersh__source *source)
{
    size_t rows = source->data != NULL ? gersh_dataset_rows(source->data) : source->rows;
    size_t features = source->data != NULL ? gersh_dataset_features(source->data) : source->features;
    out[0] = '\0';
    if (rows != source->paper_rows || features != source->paper_features)
        snprintf(out, size, "%zu×%zu, in the paper %zu×%zu", rows, features, source->paper_rows,
                 source->paper_features);
    else if (source->there && source->found != source->checksum)
        snprintf(out, size, "the file is not the one that is expected");
    return out;
}

/* What the file of a data set is. */
static gersh_status add_state(gersh__builder *b, gersh__source *source, const char *folder,
                              size_t counts[3])
{
    gersh_status status = gersh__source_look(source, folder);
    if (status != GERSH_OK) {
        counts[2]++;
        gersh__report_cell(b, "%s", "unreadable");
        return status == GERSH_ERROR_MEMORY ? status : GERSH_OK;
    }
    counts[!source->there ? 1 : source->found == source->checksum ? 0 : 2]++;
    if (source->there && source->found != source->checksum)
        gersh__report_cell(b, "differs (%08lx)", source->found);
    else
        gersh__report_cell(b, "%s", source->there ? "as expected" : "missing");
    return GERSH_OK;
}

gersh_status gersh_reproduce_list(gersh_report **out, const char *folder)
{
    gersh__source source[GERSH__SOURCES];
    gersh__builder b;
    gersh_status status = GERSH_OK;
    size_t counts[3] = {0}; /* as expected, missing, differing */
    gersh__sources_init(source);
    gersh__builder_start(&b, "data", "Data files of the paper's tables");
    gersh__report_table(&b, "data", 1, "NAME.csv each: no header, a row for each sample, the label last");
    gersh__report_column(&b, "file");
    gersh__report_column(&b, "rows×features");
    gersh__report_column(&b, "in the paper");
    gersh__report_column(&b, "CRC-32");
    gersh__report_column(&b, "state");
    gersh__report_column(&b, "public source");
    for (size_t s = 0; s < GERSH__SOURCES && status == GERSH_OK; s++) {
        size_t length;
        const char *text =
            gersh__paper_field(&length, "datasets", gersh__paper_row("datasets", s), "source");
        gersh__report_row(&b, 0);
        gersh__report_cell(&b, "%s.csv", source[s].name);
        gersh__report_cell(&b, "%zu×%zu", source[s].rows, source[s].features);
        gersh__report_cell(&b, "%zu×%zu", source[s].paper_rows, source[s].paper_features);
        gersh__report_cell(&b, "%08lx", source[s].checksum);
        if (folder == NULL)
            gersh__report_cell(&b, "%s", "");
        else
            status = add_state(&b, &source[s], folder, counts);
        gersh__report_cell(&b, "%.*s", (int)length, text);
    }
    gersh__report_note(
        &b, "UCI: the UCI Machine Learning Repository, https://archive.ics.uci.edu; LIBSVM: the page "
            "LIBSVM Data: Classification (Binary Class), "
            "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary.html");
    gersh__report_note(&b, "files of another checksum are used as they are, and the tables say so");
    if (folder != NULL)
        gersh__report_note(&b, "%s: %zu files as expected, %zu missing, %zu that differ", folder, counts[0],
                           counts[1], counts[2]);
    if (b.status == GERSH_OK)
        b.status = status;
    return gersh__builder_end(out, &b);
}
