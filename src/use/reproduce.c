/* Running experiments and writing their files; see gersh/reproduce.h. */
#include "gersh/reproduce.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "use/reproduce_run.h"

/* In this order: `objectives` uses cells of `runtime`. */
static const gersh__experiment *const experiments[] = {
    &gersh__reproduce_gdpa, &gersh__reproduce_low_rank, &gersh__reproduce_runtime,
    &gersh__reproduce_objectives, &gersh__reproduce_accuracy};

enum { EXPERIMENTS = sizeof experiments / sizeof experiments[0] };

const char *gersh_reproduce_name(size_t which)
{
    return which < EXPERIMENTS ? experiments[which]->name : NULL;
}

void gersh_reproduction_free(gersh_reproduction *reproduction)
{
    if (reproduction == NULL)
        return;
    for (size_t r = 0; r < reproduction->reports; r++)
        gersh_report_free(reproduction->report[r]);
    gersh__free(reproduction->report);
    gersh__texts_free(reproduction->missing_name, reproduction->missing);
    gersh__texts_free(reproduction->file, reproduction->files);
    gersh__free(reproduction);
}

static int is_wanted(const char *name, size_t which)
{
    return strcmp(name, "all") == 0 || strcmp(name, experiments[which]->name) == 0;
}

static gersh_status check_name(const char *name)
{
    const char *names[EXPERIMENTS + 1], *nearest;
    char excerpt[GERSH__EXCERPT_SIZE], list[128] = "";
    for (size_t e = 0; e < EXPERIMENTS; e++) {
        size_t used = strlen(list);
        if (is_wanted(name, e))
            return GERSH_OK;
        names[e] = experiments[e]->name;
        snprintf(list + used, sizeof list - used, "%s, ", names[e]);
    }
    names[EXPERIMENTS] = "all";
    nearest = gersh__text_nearest(name, names, EXPERIMENTS + 1);
    return gersh__fail(GERSH_ERROR_ARGUMENT, "'%s' is not one of %sall%s%s%s",
                       gersh__text_excerpt(excerpt, sizeof excerpt, name, strlen(name)), list,
                       nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

/* Fails where an experiment needs data, and there is none at all. */
static gersh_status check_data(gersh__run *run, const char *name)
{
    int needed = 0, there = 0;
    for (size_t e = 0; e < EXPERIMENTS; e++)
        needed |= is_wanted(name, e) && experiments[e]->needs_data;
    if (!needed)
        return GERSH_OK;
    const char *folder = run->options->data;
    if (folder == NULL)
        return gersh__fail(GERSH_ERROR_ARGUMENT,
                           "'%s' needs the paper's data sets; give their folder with --data, and see "
                           "'gersh reproduce --list' for the files",
                           name);
    for (size_t s = 0; s < GERSH__SOURCES; s++) {
        gersh_status status = gersh__source_look(&run->source[s], folder);
        if (status != GERSH_OK)
            return status;
        there |= run->source[s].there;
    }
    if (there)
        return GERSH_OK;
    return gersh__fail(
        GERSH_ERROR_INPUT,
        "%s: has none of the paper's data sets; 'gersh reproduce --list' names the files, and --data "
        "is their folder",
        folder);
}

static gersh_status make_folder(const char *path)
{
    struct stat info;
    if (mkdir(path, 0777) == 0 || (errno == EEXIST && stat(path, &info) == 0 && S_ISDIR(info.st_mode)))
        return GERSH_OK;
    if (errno == EEXIST)
        return gersh__fail(GERSH_ERROR_IO, "%s: is not a folder; name another one to write to", path);
    return gersh__fail_errno(errno, path, "the folder cannot be made");
}

static gersh_status make_folders(const gersh__run *run)
{
    if (run->options->output == NULL)
        return GERSH_OK;
    gersh_status status = make_folder(run->options->output);
    if (status != GERSH_OK)
        return status;
    char *cells = gersh__text_format("%s/cells", run->options->output);
    status = cells != NULL ? make_folder(cells) : GERSH_ERROR_MEMORY;
    gersh__free(cells);
    return status;
}

static void write_markdown(FILE *file, const void *report)
{
    gersh_report_write(file, report, GERSH_REPORT_MARKDOWN, 0);
}

static void write_table(FILE *file, const void *table)
{
    gersh_report_write_csv(file, table);
}

static void write_claims(FILE *file, const void *context)
{
    const gersh_report *report = context;
    char *columns[] = {"claim", "verdict", "numbers"};
    gersh_report_table line = {.columns = 3, .column = columns};
    gersh_report_write_csv(file, &line);
    for (size_t c = 0; c < report->claims; c++) {
        char *cells[] = {report->claim[c].text, (char *)gersh_verdict_name(report->claim[c].verdict),
                         report->claim[c].detail};
        line.column = cells;
        gersh_report_write_csv(file, &line);
    }
}

static gersh_status write_report(gersh__run *run, const gersh_report *report)
{
    gersh_status status = gersh__run_write(run, report->name, "md", write_markdown, report);
    for (size_t t = 0; t < report->tables && status == GERSH_OK; t++)
        status = gersh__run_write(run, report->table[t]->name, "csv", write_table, report->table[t]);
    char *claims = status == GERSH_OK ? gersh__text_format("%s-claims", report->name) : NULL;
    if (status == GERSH_OK)
        status = claims != NULL ? gersh__run_write(run, claims, "csv", write_claims, report)
                                : GERSH_ERROR_MEMORY;
    gersh__free(claims);
    return status;
}

static gersh_status run_one(gersh__run *run, const gersh__experiment *experiment)
{
    gersh__builder builder;
    gersh_report *report = NULL;
    gersh__builder_start(&builder, experiment->name, experiment->title);
    gersh_status status = builder.status == GERSH_OK ? experiment->run(run, &builder) : builder.status;
    if (status != GERSH_OK)
        builder.status = status;
    status = gersh__builder_end(&report, &builder);
    if (status != GERSH_OK)
        return status;
    run->result->report[run->result->reports++] = report;
    return write_report(run, report);
}

static gersh_status run_all(gersh__run *run, const char *name)
{
    gersh_status status = check_name(name);
    if (status == GERSH_OK)
        status = check_data(run, name);
    if (status == GERSH_OK)
        status = make_folders(run);
    if (status != GERSH_OK)
        return status;
    run->result->report = gersh__alloc(EXPERIMENTS, sizeof *run->result->report);
    if (run->result->report == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t e = 0; e < EXPERIMENTS; e++)
        if (is_wanted(name, e) && experiments[e]->estimate != NULL)
            run->total += experiments[e]->estimate(run);
    for (size_t e = 0; e < EXPERIMENTS && status == GERSH_OK; e++)
        if (is_wanted(name, e))
            status = run_one(run, experiments[e]);
    return status;
}

gersh_status gersh_reproduce(gersh_reproduction **out, const char *name, const gersh_settings *settings,
                             const gersh_reproduce_options *options)
{
    static const gersh_reproduce_options none = {0};
    gersh__run run = {.options = options != NULL ? options : &none,
                      .settings = settings,
                      .start = gersh__clock_seconds(),
                      .result = gersh__alloc(1, sizeof *run.result)};
    *out = NULL;
    if (run.result == NULL)
        return GERSH_ERROR_MEMORY;
    gersh__sources_init(run.source);
    gersh_status status = run_all(&run, name);
    gersh__sources_clear(run.source);
    for (size_t c = 0; c < run.cells; c++) {
        gersh__free(run.cell[c].key);
        gersh__free(run.cell[c].value);
    }
    gersh__free(run.cell);
    if (status != GERSH_OK) {
        gersh_reproduction_free(run.result);
        return status;
    }
    *out = run.result;
    return GERSH_OK;
}
