/*
 * Cells and progress; see reproduce_run.h. The file of a cell is CSV: a line with its key, and a line with name and
 * number for each value. A file that is not exactly that, or whose key is another, is as good as none.
 */
#include <math.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/settings.h"
#include "base/text.h"
#include "io/file.h"
#include "io/output.h"
#include "use/reproduce_run.h"

int gersh__run_stopped(gersh__run *run)
{
    if (gersh_cancel_requested(run->options->cancel))
        run->result->interrupted = 1;
    return run->result->interrupted;
}

double gersh__run_limit(const gersh__run *run, double usual)
{
    if (!gersh__setting_given(run->settings, GERSH__MAX_TIME))
        return usual;
    return gersh__setting_is(run->settings, GERSH__MAX_TIME, "none")
               ? INFINITY
               : gersh__setting_number(run->settings, GERSH__MAX_TIME);
}

void gersh__run_report(gersh__run *run, double within)
{
    if (run->options->progress == NULL)
        return;
    double done = run->done + within * run->cost, left = run->total - done;
    gersh_reproduce_progress now = {.done = run->total > 0 ? fmin(1, done / run->total) : 0,
                                    .seconds = gersh__clock_seconds() - run->start,
                                    .left = run->worked > 0 ? fmax(0, left) * run->spent / run->worked : -1,
                                    .what = run->what != NULL ? run->what : ""};
    run->options->progress(run->options->progress_context, &now);
}

gersh_status gersh__run_settings(gersh_settings **out, const gersh__run *run, const char *objective,
                                 const char *solver, double limit)
{
    char seconds[32] = "none";
    if (isfinite(limit))
        snprintf(seconds, sizeof seconds, "%.17g", limit);
    const char *const pairs[][2] = {{"objective", objective},
                                    {"solver", solver},
                                    {"trace", "K"},
                                    {"rho", "1e-5"},
                                    {"scale", "paper"},
                                    {"max-time", seconds},
                                    {"seed", gersh_settings_get(run->settings, "seed")},
                                    {"threads", gersh_settings_get(run->settings, "threads")},
                                    {"tol", "1e-3"}};
    gersh_status status = gersh_settings_new(out);
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0] && status == GERSH_OK; i++)
        status = gersh_settings_set(*out, pairs[i][0], pairs[i][1]);
    return status;
}

char *gersh__run_path(const gersh__run *run, const char *name, const char *ending)
{
    return gersh__text_format("%s/%s.%s", run->options->output, name, ending);
}

static unsigned long hash(const char *key)
{
    return crc32_z(crc32_z(0, NULL, 0), (const unsigned char *)key, strlen(key));
}

/* The cell's file: its name ends with a hash of the key, so that runs of other settings have other files. */
static char *cell_path(const gersh__run *run, const char *key)
{
    return gersh__text_format("%s/cells/%08lx.csv", run->options->output, hash(key));
}

/* Whether the text goes on with the word and the character after it; moves behind them. */
static int skip_word(const char **text, const char *word, char after)
{
    size_t length = strlen(word);
    if (strncmp(*text, word, length) != 0 || (*text)[length] != after)
        return 0;
    *text += length + 1;
    return 1;
}

static int parse(const char *text, const char *key, const char *const *names, double *value, size_t count)
{
    if (!skip_word(&text, "key", ',') || !skip_word(&text, key, '\n'))
        return 0;
    for (size_t i = 0; i < count; i++) {
        size_t length;
        if (!skip_word(&text, names[i], ','))
            return 0;
        length = strcspn(text, "\n");
        if (text[length] != '\n' || gersh__parse_double(text, length, &value[i]) != GERSH__NUMBER_OK)
            return 0;
        text += length + 1;
    }
    return *text == '\0';
}

static int read_cell(gersh__run *run, const char *key, const char *const *names, double *value,
                     size_t count)
{
    gersh__content content = {0};
    char *path = cell_path(run, key);
    int found = path != NULL && access(path, R_OK) == 0 &&
                gersh__file_load(&content, path, path) == GERSH_OK &&
                parse(content.bytes, key, names, value, count);
    gersh__free(content.bytes);
    gersh__free(path);
    return found;
}

static gersh_status remember(gersh__run *run, const char *key, const double *value, size_t count)
{
    if (gersh__grow(&run->cell, &run->room, run->cells + 1, sizeof *run->cell) != 0)
        return GERSH_ERROR_MEMORY;
    gersh__cell cell = {gersh__text_copy(key, strlen(key)), gersh__alloc(count, sizeof(double)), count};
    if (cell.key == NULL || cell.value == NULL) {
        gersh__free(cell.key);
        gersh__free(cell.value);
        return GERSH_ERROR_MEMORY;
    }
    memcpy(cell.value, value, count * sizeof *value);
    run->cell[run->cells++] = cell;
    return GERSH_OK;
}

static int find(double *value, gersh__run *run, const gersh__cell_kind *kind, const char *key)
{
    for (size_t c = 0; c < run->cells; c++)
        if (strcmp(run->cell[c].key, key) == 0 && run->cell[c].count == kind->count) {
            memcpy(value, run->cell[c].value, kind->count * sizeof *value);
            return 1;
        }
    if (run->options->output == NULL || run->options->fresh)
        return 0;
    int found = read_cell(run, key, kind->names, value, kind->count);
    run->result->reused += (size_t)found;
    return found;
}

static gersh_status keep(gersh__run *run, const gersh__cell_kind *kind, const char *key,
                         const double *value)
{
    gersh__output output = {0};
    int finite = 1;
    gersh_status status = remember(run, key, value, kind->count);
    run->result->computed++;
    for (size_t i = 0; i < kind->count; i++)
        finite = finite && isfinite(value[i]);
    if (status != GERSH_OK || run->options->output == NULL || !finite)
        return status;
    char *path = cell_path(run, key);
    status = path != NULL ? gersh__output_open(&output, path) : GERSH_ERROR_MEMORY;
    if (status == GERSH_OK) {
        fprintf(output.file, "key,%s\n", key);
        for (size_t i = 0; i < kind->count; i++)
            fprintf(output.file, "%s,%.17g\n", kind->names[i], value[i]);
        status = gersh__output_close(&output, GERSH_OK);
    }
    gersh__free(path);
    return status;
}

static gersh_status compute(double *value, gersh__cell_state *state, gersh__run *run,
                            const gersh__cell_kind *kind, const char *key, const void *context)
{
    double begin = gersh__clock_seconds();
    gersh__run_report(run, 0);
    gersh_status status = kind->compute(value, state, run, context);
    if (status == GERSH_ERROR_CANCELLED) {
        run->result->interrupted = 1;
        *state = GERSH__CELL_EMPTY;
        return GERSH_OK;
    }
    if (status == GERSH_OK && *state == GERSH__CELL_KEPT)
        status = keep(run, kind, key, value);
    run->worked += run->cost;
    run->spent += gersh__clock_seconds() - begin;
    return status;
}

gersh_status gersh__cell_get(double *value, gersh__cell_state *state, gersh__run *run,
                             const gersh__cell_kind *kind, char *key, char *what, double cost,
                             const void *context)
{
    gersh_status status = key != NULL && what != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
    *state = GERSH__CELL_EMPTY;
    if (status == GERSH_OK && !gersh__run_stopped(run)) {
        run->cost = cost;
        run->what = what;
        if (find(value, run, kind, key))
            *state = GERSH__CELL_KEPT;
        else
            status = compute(value, state, run, kind, key, context);
        run->done += cost;
        run->what = NULL;
        run->cost = 0;
    }
    gersh__free(key);
    gersh__free(what);
    return status;
}

gersh_status gersh__run_write(gersh__run *run, const char *name, const char *ending,
                              void (*write)(FILE *file, const void *context), const void *context)
{
    gersh__output output = {0};
    if (run->options->output == NULL)
        return GERSH_OK;
    char *path = gersh__run_path(run, name, ending);
    gersh_status status = path != NULL ? gersh__output_open(&output, path) : GERSH_ERROR_MEMORY;
    if (status == GERSH_OK) {
        write(output.file, context);
        status = gersh__output_close(&output, GERSH_OK);
    }
    if (status != GERSH_OK) {
        gersh__free(path);
        return status;
    }
    return gersh__texts_add(&run->result->file, &run->result->files, path);
}
