/* Running experiments and writing their files; see gersh/reproduce.h. */
#include "reproduce.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "run.h"

/* In this order: `objectives` uses cells of `runtime`. */
static const repro_experiment *const experiments[] = {
    &repro_experiment_gdpa, &repro_experiment_low_rank, &repro_experiment_runtime,
    &repro_experiment_objectives, &repro_experiment_accuracy};

enum { EXPERIMENTS = sizeof experiments / sizeof experiments[0], LONGEST = 40 };

const char *repro_name(size_t which)
{
    return which < EXPERIMENTS ? experiments[which]->name : NULL;
}

void repro_result_free(repro_result *reproduction)
{
    if (reproduction == NULL)
        return;
    for (size_t r = 0; r < reproduction->reports; r++)
        repro_report_free(reproduction->report[r]);
    free(reproduction->report);
    repro_texts_free(reproduction->missing_name, reproduction->missing);
    repro_texts_free(reproduction->file, reproduction->files);
    free(reproduction);
}

static int is_wanted(const char *name, size_t which)
{
    return strcmp(name, "all") == 0 || strcmp(name, experiments[which]->name) == 0;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Letters to insert, delete, change or swap with the next to get from a to b. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b), d[LONGEST + 1][LONGEST + 1];
    if (n > LONGEST || m > LONGEST)
        return SIZE_MAX;
    for (size_t i = 0; i <= n; i++)
        for (size_t j = 0; j <= m; j++) {
            d[i][j] = i == 0 ? j : i;
            if (i == 0 || j == 0)
                continue;
            d[i][j] =
                smaller(smaller(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = smaller(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[n][m];
}

/* The name with at most a third of the letters wrong, or NULL. */
static const char *find_nearest(const char *word, const char *const *names, size_t count)
{
    const char *nearest = NULL;
    size_t best = (strlen(word) + 2) / 3 + 1;
    for (size_t i = 0; i < count; i++) {
        size_t distance = edit_distance(word, names[i]);
        if (distance < best) {
            best = distance;
            nearest = names[i];
        }
    }
    return nearest;
}

/* Bytes of the first characters, as many as a message shows. */
static size_t length_of_start(const char *text)
{
    size_t length = 0;
    for (int c = 0; c < LONGEST && text[length] != '\0'; c++)
        do
            length++;
        while (((unsigned char)text[length] & 0xC0) == 0x80);
    return length;
}

static gersh_status check_name(const char *name)
{
    const char *names[EXPERIMENTS + 1], *nearest;
    char list[128] = "";
    for (size_t e = 0; e < EXPERIMENTS; e++) {
        size_t used = strlen(list);
        if (is_wanted(name, e))
            return GERSH_OK;
        names[e] = experiments[e]->name;
        snprintf(list + used, sizeof list - used, "%s, ", names[e]);
    }
    names[EXPERIMENTS] = "all";
    nearest = find_nearest(name, names, EXPERIMENTS + 1);
    size_t shown = length_of_start(name);
    return repro_fail(GERSH_ERROR_ARGUMENT, "'%.*s%s' is not one of %sall%s%s%s", (int)shown, name,
                      name[shown] != '\0' ? "…" : "", list, nearest ? "; did you mean '" : "",
                      nearest ? nearest : "", nearest ? "'?" : "");
}

/* Fails where an experiment needs data, and there is none at all. */
static gersh_status check_data(repro_run *run, const char *name)
{
    int needed = 0, there = 0;
    for (size_t e = 0; e < EXPERIMENTS; e++)
        needed |= is_wanted(name, e) && experiments[e]->needs_data;
    if (!needed)
        return GERSH_OK;
    const char *folder = run->options->data;
    if (folder == NULL)
        return repro_fail(GERSH_ERROR_ARGUMENT,
                          "'%s' needs the paper's data sets; give their folder with --data, and see "
                          "'gersh reproduce --list' for the files",
                          name);
    for (size_t s = 0; s < REPRO_SOURCES; s++) {
        gersh_status status = repro_source_look(&run->source[s], folder);
        if (status != GERSH_OK)
            return status;
        there |= run->source[s].there;
    }
    if (there)
        return GERSH_OK;
    return repro_fail(
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
        return repro_fail(GERSH_ERROR_IO, "%s: is not a folder; name another one to write to", path);
    return repro_fail_errno(errno, path, "the folder cannot be made");
}

static gersh_status make_folders(const repro_run *run)
{
    if (run->options->output == NULL)
        return GERSH_OK;
    gersh_status status = make_folder(run->options->output);
    if (status != GERSH_OK)
        return status;
    char *cells = repro_format("%s/cells", run->options->output);
    status = cells != NULL ? make_folder(cells) : GERSH_ERROR_MEMORY;
    free(cells);
    return status;
}

static void write_markdown(void *report, FILE *file)
{
    repro_report_write(file, report, REPRO_MARKDOWN, 0);
}

static void write_table(void *table, FILE *file)
{
    repro_table_write_csv(file, table);
}

static void write_claims(void *context, FILE *file)
{
    const repro_report *report = context;
    char *columns[] = {"claim", "verdict", "numbers"};
    repro_table line = {.columns = 3, .column = columns};
    repro_table_write_csv(file, &line);
    for (size_t c = 0; c < report->claims; c++) {
        char *cells[] = {report->claim[c].text, (char *)repro_verdict_name(report->claim[c].verdict),
                         report->claim[c].detail};
        line.column = cells;
        repro_table_write_csv(file, &line);
    }
}

static gersh_status write_report(repro_run *run, const repro_report *report)
{
    gersh_status status = repro_run_write(run, report->name, "md", write_markdown, report);
    for (size_t t = 0; t < report->tables && status == GERSH_OK; t++)
        status = repro_run_write(run, report->table[t]->name, "csv", write_table, report->table[t]);
    char *claims = status == GERSH_OK ? repro_format("%s-claims", report->name) : NULL;
    if (status == GERSH_OK)
        status =
            claims != NULL ? repro_run_write(run, claims, "csv", write_claims, report) : GERSH_ERROR_MEMORY;
    free(claims);
    return status;
}

static gersh_status run_one(repro_run *run, const repro_experiment *experiment)
{
    repro_builder builder;
    repro_report *report = NULL;
    repro_builder_start(&builder, experiment->name, experiment->title);
    gersh_status status = builder.status == GERSH_OK ? experiment->run(run, &builder) : builder.status;
    if (status != GERSH_OK)
        builder.status = status;
    status = repro_builder_end(&report, &builder);
    if (status != GERSH_OK)
        return status;
    run->result->report[run->result->reports++] = report;
    return write_report(run, report);
}

static gersh_status run_all(repro_run *run, const char *name)
{
    gersh_status status = check_name(name);
    if (status == GERSH_OK)
        status = check_data(run, name);
    if (status == GERSH_OK)
        status = make_folders(run);
    if (status != GERSH_OK)
        return status;
    run->result->report = repro_alloc(EXPERIMENTS, sizeof *run->result->report);
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

gersh_status repro_tables(repro_result **out, const char *name, const gersh_settings *settings,
                          const repro_options *options)
{
    static const repro_options none = {0};
    repro_forget();
    repro_run run = {.options = options != NULL ? options : &none,
                     .settings = settings,
                     .start = repro_seconds(),
                     .result = repro_alloc(1, sizeof *run.result)};
    *out = NULL;
    if (run.result == NULL)
        return GERSH_ERROR_MEMORY;
    repro_sources_init(run.source);
    gersh_status status = run_all(&run, name);
    repro_sources_clear(run.source);
    for (size_t c = 0; c < run.cells; c++) {
        free(run.cell[c].key);
        free(run.cell[c].value);
    }
    free(run.cell);
    if (status != GERSH_OK) {
        repro_result_free(run.result);
        return status;
    }
    *out = run.result;
    return GERSH_OK;
}
