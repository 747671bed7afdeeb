/*
 * What the experiments share: the data sets, and cells. A cell is a small set of numbers with a key: a text that says
 * all it depends on (version, data, settings). Cells are kept in memory and, as files of the output folder, from one
 * run to the next, so that an interrupted run goes on where it was.
 *
 * Adding an experiment is a file with a repro_experiment, and a line in the registry of reproduce.c.
 */
#ifndef GERSH_REPRODUCE_RUN_H
#define GERSH_REPRODUCE_RUN_H

#include "gersh/compare.h"
#include "gersh/data.h"
#include "gersh/file.h"
#include "report.h"

enum { REPRO_SOURCES = 17 };

/* The schemes, the paper's first. */
enum {
    REPRO_PDCONE,
    REPRO_HBNB,
    REPRO_PGML,
    REPRO_SGML,
    REPRO_BALANCED,
    REPRO_HULL,
    REPRO_PSD,
    REPRO_SCHEMES,
    REPRO_PAPER_SCHEMES = REPRO_BALANCED
};

/* The paper's objectives, in its order. */
enum { REPRO_MCML, REPRO_DEML, REPRO_LSML, REPRO_LMNN, REPRO_GLR, REPRO_OBJECTIVES };

/* In the order of the numbers above. */
extern const char *const repro_objective_names[REPRO_OBJECTIVES];
extern const char *const repro_scheme_names[REPRO_SCHEMES];  /* as the setting `solver` has them */
extern const char *const repro_scheme_titles[REPRO_SCHEMES]; /* as the paper writes them */

/* A data set of the paper. */
typedef struct repro_source {
    char name[32];
    size_t rows, features;             /* of the file that is expected */
    size_t paper_rows, paper_features; /* that the paper states */
    unsigned long checksum;            /* CRC-32 that is expected */
    int large;                         /* learned from one fit at a time, on the first folds only */
    int looked_for, there;
    unsigned long found; /* its checksum */
    gersh_dataset *data;
} repro_source;

typedef struct repro_cell {
    char *key;
    double *value;
    size_t count;
} repro_cell;

typedef struct repro_run {
    const repro_options *options;
    const gersh_settings *settings; /* the caller's, or NULL */
    repro_result *result;
    repro_source source[REPRO_SOURCES];
    repro_cell *cell;
    size_t cells;
    double start, total, done; /* done, total: estimated seconds of all cells */
    double spent, worked; /* seconds of the cells that were computed, and what they were estimated at */
    const char *what;
    double cost; /* of the cell at work */
} repro_run;

typedef struct repro_experiment {
    const char *name, *title;
    int needs_data;
    /* Seconds of its cells; all data has been looked at. NULL: none to speak of. */
    double (*estimate)(repro_run *run);
    gersh_status (*run)(repro_run *run, repro_builder *builder);
} repro_experiment;

extern const repro_experiment repro_experiment_gdpa, repro_experiment_low_rank, repro_experiment_runtime,
    repro_experiment_objectives, repro_experiment_accuracy;

/* The table of data sets, without the data. */
void repro_sources_init(repro_source *source);
void repro_sources_clear(repro_source *source);

/* Up to `most` of the run's data sets, in order: the large ones, or the others. */
void repro_sources_pick(repro_source **out, size_t most, repro_run *run, int large);

/* The file in the folder: whether it is there, and its checksum. */
gersh_status repro_source_look(repro_source *source, const char *folder);

/* The data, read once; source->there is 0 and nothing is read where the file is missing. */
gersh_status repro_source_load(repro_source *source, repro_run *run);

/* "306×3, in the paper 206×3", ...; "" where the data is what the paper had, as far as can be seen. */
const char *repro_source_remark(char *out, size_t size, const repro_source *source);

/* Whether the run was asked to stop; it then is marked so. */
int repro_run_stopped(repro_run *run);

/* Seconds that a fit may take: the setting's, or else `usual`; INFINITY for none. */
double repro_run_limit(const repro_run *run, double usual);

/* Tells the caller where the run is; `within` is the share of the cell at work that is done. */
void repro_run_report(repro_run *run, double within);

/* The settings of a fit with the paper's C and ρ, and the run's seed. */
gersh_status repro_run_settings(gersh_settings **out, const repro_run *run, const char *objective,
                                const char *solver, double limit);

/* What became of a cell: no values; values for now, to be computed again in another run; values that are kept. */
typedef enum repro_cell_state { REPRO_CELL_EMPTY, REPRO_CELL_PASSING, REPRO_CELL_KEPT } repro_cell_state;

/* Cells of one kind: the names of their values in the file, and what computes them. */
typedef struct repro_cell_kind {
    const char *const *names;
    size_t count;
    /* Status GERSH_ERROR_CANCELLED marks the run as interrupted and is no error of it. */
    gersh_status (*compute)(double *value, repro_cell_state *state, repro_run *run, const void *context);
} repro_cell_kind;

/*
 * The values of a cell, found or computed; a stopped run computes none. `key` says all they depend on and `what` is for
 * the progress; both are freed, and NULL means that memory was short for them. `cost` are the seconds it was estimated at.
 */
gersh_status repro_cell_get(double *value, repro_cell_state *state, repro_run *run,
                            const repro_cell_kind *kind, char *key, char *what, double cost,
                            const void *context);

/* The path of a file in the output folder, or NULL when memory is short. */
char *repro_run_path(const repro_run *run, const char *name, const char *ending);

/* Writes a file of the output folder through `write`; it is listed in the result. Nothing without a folder. */
gersh_status repro_run_write(repro_run *run, const char *name, const char *ending,
                             gersh_file_callback write, const void *context);

/* Folds of one data set, for one objective with one solver. */
typedef struct repro_fits {
    int there;    /* whether they were made, */
    int failed;   /* and gave no value */
    double value; /* mean over the folds */
    int maximized;
    int has_bound;
    double bound, gap;
    double seconds, iterations;    /* sums */
    double edges;                  /* mean */
    double folds, cut;             /* fits, and those of them that the time limit ended */
    double eigen, minimizer, step; /* shares of the seconds */
} repro_fits;

/* How the fits of a data set are made. */
typedef struct repro_plan {
    size_t folds; /* the first ones; 0: all */
    double limit; /* seconds of a fit; INFINITY: none */
    int alone;    /* one fit at a time, so that the seconds mean something */
} repro_plan;

repro_plan repro_fits_plan(const repro_run *run, const repro_source *source);
double repro_fits_cost(repro_run *run, repro_source *source, const char *objective, const char *solver);

/* Makes the fits, or finds them. A stopped run, a missing file and fits that all fail are no errors. */
gersh_status repro_fits_get(repro_fits *out, repro_run *run, repro_builder *builder, repro_source *source,
                            const char *objective, const char *solver);

/* Says, of a quick run, which fits it leaves out. */
void repro_fits_note(const repro_run *run, repro_builder *builder);

/* Whether there is a value. */
int repro_fits_has_value(const repro_fits *fits);

/* Whether a is no worse than b, but for rounding. */
int repro_fits_no_worse(const repro_fits *a, const repro_fits *b);

/* Running-time bars of one data set, and discs: see svg.c. */
typedef struct repro_bars {
    const char *title;
    size_t groups, series;
    const char *const *group; /* names of the groups of bars */
    const char *const *series_name;
    const double *value; /* groups × series; NAN: none */
    const int *at_least; /* groups × series: the value is a lower bound */
} repro_bars;

void repro_svg_bars(void *bars, FILE *file);
void repro_svg_discs(void *discs, FILE *file); /* of a gersh_discs */

#endif
