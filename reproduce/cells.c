/*
 * Cells and progress; see run.h. The file of a cell is CSV: a line with its key, and a line with name and
 * number for each value. A file that is not exactly that, or whose key is another, is as good as none.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "run.h"

enum { MOST_TEXT = 4096 }; /* bytes of a cell's file; what has more is none */

int repro_run_stopped(repro_run *run)
{
    if (gersh_cancel_requested(run->options->cancel))
        run->result->interrupted = 1;
    return run->result->interrupted;
}

double repro_run_limit(const repro_run *run, double usual)
{
    if (!gersh_settings_is_set(run->settings, "max-time"))
        return usual;
    double limit = gersh_settings_number(run->settings, "max-time");
    return isnan(limit) ? INFINITY : limit; /* the word "none" */
}

void repro_run_report(repro_run *run, double within)
{
    if (run->options->progress == NULL)
        return;
    double done = run->done + within * run->cost, left = run->total - done;
    repro_progress now = {.done = run->total > 0 ? fmin(1, done / run->total) : 0,
                          .seconds = repro_seconds() - run->start,
                          .left = run->worked > 0 ? fmax(0, left) * run->spent / run->worked : -1,
                          .what = run->what != NULL ? run->what : ""};
    run->options->progress(run->options->progress_context, &now);
}

gersh_status repro_run_settings(gersh_settings **out, const repro_run *run, const char *objective,
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

char *repro_run_path(const repro_run *run, const char *name, const char *ending)
{
    return repro_format("%s/%s.%s", run->options->output, name, ending);
}

static unsigned long hash(const char *key)
{
    return crc32_z(crc32_z(0, NULL, 0), (const unsigned char *)key, strlen(key));
}

/* The cell's file: its name ends with a hash of the key, so that runs of other settings have other files. */
static char *cell_path(const repro_run *run, const char *key)
{
    return repro_format("%s/cells/%08lx.csv", run->options->output, hash(key));
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
        if (text[length] != '\n' || !repro_parse_number(text, length, &value[i]))
            return 0;
        text += length + 1;
    }
    return *text == '\0';
}

static int read_cell(repro_run *run, const char *key, const char *const *names, double *value, size_t count)
{
    char text[MOST_TEXT] = "", *path = cell_path(run, key);
    FILE *file = path != NULL ? fopen(path, "rb") : NULL;
    size_t size = file != NULL ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file != NULL)
        fclose(file);
    free(path);
    return size > 0 && parse(text, key, names, value, count);
}

static gersh_status remember(repro_run *run, const char *key, const double *value, size_t count)
{
    repro_cell *larger = repro_realloc(run->cell, run->cells + 1, sizeof *larger);
    if (larger == NULL)
        return GERSH_ERROR_MEMORY;
    run->cell = larger;
    repro_cell cell = {repro_copy(key), repro_alloc(count, sizeof(double)), count};
    if (cell.key == NULL || cell.value == NULL) {
        free(cell.key);
        free(cell.value);
        return GERSH_ERROR_MEMORY;
    }
    memcpy(cell.value, value, count * sizeof *value);
    run->cell[run->cells++] = cell;
    return GERSH_OK;
}

static int find(double *value, repro_run *run, const repro_cell_kind *kind, const char *key)
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

/* What the file of a cell holds. */
typedef struct content {
    const repro_cell_kind *kind;
    const char *key;
    const double *value;
} content;

static void write_cell(void *context, FILE *file)
{
    const content *cell = context;
    fprintf(file, "key,%s\n", cell->key);
    for (size_t i = 0; i < cell->kind->count; i++)
        fprintf(file, "%s,%.17g\n", cell->kind->names[i], cell->value[i]);
}

static gersh_status keep(repro_run *run, const repro_cell_kind *kind, const char *key, const double *value)
{
    int finite = 1;
    gersh_status status = remember(run, key, value, kind->count);
    run->result->computed++;
    for (size_t i = 0; i < kind->count; i++)
        finite = finite && isfinite(value[i]);
    if (status != GERSH_OK || run->options->output == NULL || !finite)
        return status;
    char *path = cell_path(run, key);
    content cell = {kind, key, value};
    status = path != NULL ? gersh_file_write(path, write_cell, &cell) : GERSH_ERROR_MEMORY;
    free(path);
    return status;
}

static gersh_status compute(double *value, repro_cell_state *state, repro_run *run,
                            const repro_cell_kind *kind, const char *key, const void *context)
{
    double begin = repro_seconds();
    repro_run_report(run, 0);
    gersh_status status = kind->compute(value, state, run, context);
    if (status == GERSH_ERROR_CANCELLED) {
        run->result->interrupted = 1;
        *state = REPRO_CELL_EMPTY;
        return GERSH_OK;
    }
    if (status == GERSH_OK && *state == REPRO_CELL_KEPT)
        status = keep(run, kind, key, value);
    run->worked += run->cost;
    run->spent += repro_seconds() - begin;
    return status;
}

gersh_status repro_cell_get(double *value, repro_cell_state *state, repro_run *run,
                            const repro_cell_kind *kind, char *key, char *what, double cost,
                            const void *context)
{
    gersh_status status = key != NULL && what != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
    *state = REPRO_CELL_EMPTY;
    if (status == GERSH_OK && !repro_run_stopped(run)) {
        run->cost = cost;
        run->what = what;
        if (find(value, run, kind, key))
            *state = REPRO_CELL_KEPT;
        else
            status = compute(value, state, run, kind, key, context);
        run->done += cost;
        run->what = NULL;
        run->cost = 0;
    }
    free(key);
    free(what);
    return status;
}

gersh_status repro_run_write(repro_run *run, const char *name, const char *ending,
                             gersh_file_callback write, const void *context)
{
    if (run->options->output == NULL)
        return GERSH_OK;
    char *path = repro_run_path(run, name, ending);
    gersh_status status =
        path != NULL ? gersh_file_write(path, write, (void *)context) : GERSH_ERROR_MEMORY;
    if (status != GERSH_OK) {
        free(path);
        return status;
    }
    return repro_texts_add(&run->result->file, &run->result->files, path);
}
