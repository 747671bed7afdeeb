/* The data sets of the paper: what is expected, and what is there; see run.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "paper.h"
#include "run.h"

static size_t whole(const char *row, const char *column)
{
    size_t length;
    double value = 0;
    const char *text = repro_paper_field(&length, "datasets", row, column);
    repro_parse_number(text, length, &value);
    return (size_t)value;
}

void repro_sources_init(repro_source *source)
{
    for (size_t s = 0; s < REPRO_SOURCES; s++) {
        size_t length;
        const char *row = repro_paper_row("datasets", s);
        const char *text = repro_paper_field(&length, "datasets", row, "dataset");
        source[s] = (repro_source){.rows = whole(row, "rows"),
                                   .features = whole(row, "features"),
                                   .paper_rows = whole(row, "paper_rows"),
                                   .paper_features = whole(row, "paper_features")};
        snprintf(source[s].name, sizeof source[s].name, "%.*s", (int)length, text);
        source[s].large = source[s].features >= 500;
        text = repro_paper_field(&length, "datasets", row, "crc32");
        for (size_t i = 0; i < length; i++)
            source[s].checksum = 16 * source[s].checksum +
                                 (unsigned long)(text[i] <= '9' ? text[i] - '0' : text[i] - 'a' + 10);
    }
}

void repro_sources_clear(repro_source *source)
{
    for (size_t s = 0; s < REPRO_SOURCES; s++)
        gersh_dataset_free(source[s].data);
}

void repro_sources_pick(repro_source **out, size_t most, repro_run *run, int large)
{
    size_t found = 0;
    for (size_t s = 0; s < REPRO_SOURCES && found < most; s++)
        if (run->source[s].large == large)
            out[found++] = &run->source[s];
}

static char *path_of(const repro_source *source, const char *folder)
{
    return repro_format("%s/%s.csv", folder, source->name);
}

/* The checksum of the file's content, which is unzipped when it is gzipped. */
static gersh_status check_file(unsigned long *checksum, const char *path)
{
    static unsigned char part[1 << 16];
    int count, code;
    struct stat info;
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        return repro_fail(GERSH_ERROR_IO, "%s: is a directory; name a file in it", path);
    gzFile file = gzopen(path, "rb");
    if (file == NULL)
        return repro_fail_errno(errno, path, "cannot be opened");
    *checksum = crc32_z(0, NULL, 0);
    while ((count = gzread(file, part, sizeof part)) > 0)
        *checksum = crc32_z(*checksum, part, (size_t)count);
    const char *reason = gzerror(file, &code);
    gersh_status status = GERSH_OK;
    if (code == Z_ERRNO)
        status = repro_fail_errno(errno, path, "cannot be read");
    else if (code != Z_OK)
        status = repro_fail(GERSH_ERROR_IO, "%s: the gzip data is damaged: %s", path, reason);
    gzclose(file);
    return status;
}

gersh_status repro_source_look(repro_source *source, const char *folder)
{
    struct stat info;
    if (source->looked_for)
        return GERSH_OK;
    char *path = path_of(source, folder);
    if (path == NULL)
        return GERSH_ERROR_MEMORY;
    gersh_status status = GERSH_OK;
    /* Only a file that is not there counts as missing: one that cannot be read is an error. */
    if (stat(path, &info) == 0 || (errno != ENOENT && errno != ENOTDIR)) {
        status = check_file(&source->found, path);
        source->there = status == GERSH_OK;
    }
    source->looked_for = status == GERSH_OK;
    free(path);
    return status;
}

static gersh_status read_file(repro_source *source, const char *folder)
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
            repro_fail(status, "%s: %s", path, gersh_last_error());
    }
    gersh_settings_free(settings);
    free(path);
    return status;
}

static gersh_status note_missing(repro_run *run, const repro_source *source)
{
    repro_result *result = run->result;
    for (size_t m = 0; m < result->missing; m++)
        if (strcmp(result->missing_name[m], source->name) == 0)
            return GERSH_OK;
    return repro_texts_add(&result->missing_name, &result->missing, repro_copy(source->name));
}

gersh_status repro_source_load(repro_source *source, repro_run *run)
{
    if (source->data != NULL)
        return GERSH_OK;
    gersh_status status = repro_source_look(source, run->options->data);
    if (status != GERSH_OK)
        return status;
    return source->there ? read_file(source, run->options->data) : note_missing(run, source);
}

const char *repro_source_remark(char *out, size_t size, const repro_source *source)
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
static gersh_status add_state(repro_builder *b, repro_source *source, const char *folder, size_t counts[3])
{
    gersh_status status = repro_source_look(source, folder);
    if (status != GERSH_OK) {
        counts[2]++;
        if (status != GERSH_ERROR_MEMORY)
            repro_forget();
        repro_report_cell(b, "%s", "unreadable");
        return status == GERSH_ERROR_MEMORY ? status : GERSH_OK;
    }
    counts[!source->there ? 1 : source->found == source->checksum ? 0 : 2]++;
    if (source->there && source->found != source->checksum)
        repro_report_cell(b, "differs (%08lx)", source->found);
    else
        repro_report_cell(b, "%s", source->there ? "as expected" : "missing");
    return GERSH_OK;
}

gersh_status repro_list(repro_report **out, const char *folder)
{
    repro_source source[REPRO_SOURCES];
    repro_builder b;
    gersh_status status = GERSH_OK;
    size_t counts[3] = {0}; /* as expected, missing, differing */
    repro_forget();
    repro_sources_init(source);
    repro_builder_start(&b, "data", "Data files of the paper's tables");
    repro_report_table(&b, "data", 1, "NAME.csv each: no header, a row for each sample, the label last");
    repro_report_column(&b, "file");
    repro_report_column(&b, "rows×features");
    repro_report_column(&b, "in the paper");
    repro_report_column(&b, "CRC-32");
    repro_report_column(&b, "state");
    repro_report_column(&b, "public source");
    for (size_t s = 0; s < REPRO_SOURCES && status == GERSH_OK; s++) {
        size_t length;
        const char *text = repro_paper_field(&length, "datasets", repro_paper_row("datasets", s), "source");
        repro_report_row(&b, 0);
        repro_report_cell(&b, "%s.csv", source[s].name);
        repro_report_cell(&b, "%zu×%zu", source[s].rows, source[s].features);
        repro_report_cell(&b, "%zu×%zu", source[s].paper_rows, source[s].paper_features);
        repro_report_cell(&b, "%08lx", source[s].checksum);
        if (folder == NULL)
            repro_report_cell(&b, "%s", "");
        else
            status = add_state(&b, &source[s], folder, counts);
        repro_report_cell(&b, "%.*s", (int)length, text);
    }
    repro_report_note(
        &b, "UCI: the UCI Machine Learning Repository, https://archive.ics.uci.edu; LIBSVM: the page "
            "LIBSVM Data: Classification (Binary Class), "
            "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary.html");
    repro_report_note(&b, "files of another checksum are used as they are, and the tables say so");
    if (folder != NULL)
        repro_report_note(&b, "%s: %zu files as expected, %zu missing, %zu that differ", folder, counts[0],
                          counts[1], counts[2]);
    if (b.status == GERSH_OK)
        b.status = status;
    return repro_builder_end(out, &b);
}
