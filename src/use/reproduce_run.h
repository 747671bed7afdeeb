/*
 * What the experiments share: the data sets, and cells. A cell is a small set of numbers with a key: a text that says
 * all it depends on (version, data, settings). Cells are kept in memory and, as files of the output folder, from one
 * run to the next, so that an interrupted run goes on where it was.
 *
 * Adding an experiment is a file with a gersh__experiment, and a line in the registry of reproduce.c.
 */
#ifndef GERSH_SRC_USE_REPRODUCE_RUN_H
#define GERSH_SRC_USE_REPRODUCE_RUN_H

#include "gersh/compare.h"
#include "gersh/data.h"
#include "use/reproduce_report.h"

enum { GERSH__SOURCES = 17, GERSH__SCHEMES = 7, GERSH__PAPER_SCHEMES = 4 };

/* The paper's objectives, in its order. */
enum { GERSH__MCML, GERSH__DEML, GERSH__LSML, GERSH__LMNN, GERSH__GLR, GERSH__OBJECTIVES };

/* The paper's order; the paper's schemes come first. */
extern const char *const gersh__objective_names[GERSH__OBJECTIVES];
extern const char *const gersh__scheme_names[GERSH__SCHEMES];  /* as the setting `solver` has them */
extern const char *const gersh__scheme_titles[GERSH__SCHEMES]; /* as the paper writes them */

/* A data set of the paper. */
typedef struct gersh__source {
    char name[32];
    size_t rows, features;             /* of the file that is expected */
    size_t paper_rows, paper_features; /* that the paper states */
    unsigned long checksum;            /* CRC-32 that is expected */
    int large;                         /* learned from one fit at a time, on the first folds only */
    int looked_for, there;
    unsigned long found; /* its checksum */
    gersh_dataset *data;
} gersh__source;

typedef struct gersh__cell {
    char *key;
    double *value;
    size_t count;
} gersh__cell;

typedef struct gersh__run {
    const gersh_reproduce_options *options;
    const gersh_settings *settings; /* the caller's, or NULL */
    gersh_reproduction *result;
    gersh__source source[GERSH__SOURCES];
    gersh__cell *cell;
    size_t cells, room;
    double start, total, done; /* done, total: estimated seconds of all cells */
    double spent, worked; /* seconds of the cells that were computed, and what they were estimated at */
    const char *what;
    double cost; /* of the cell at work */
} gersh__run;

typedef struct gersh__experiment {
    const char *name, *title;
    int needs_data;
    double (*estimate)(gersh__run *run); /* seconds of its cells; NULL: none to speak of */
    gersh_status (*run)(gersh__run *run, gersh__builder *builder);
} gersh__experiment;

extern const gersh__experiment gersh__reproduce_gdpa, gersh__reproduce_low_rank, gersh__reproduce_runtime,
    gersh__reproduce_objectives, gersh__reproduce_accuracy;

/* The table of data sets, without the data. */
void gersh__sources_init(gersh__source *source);
void gersh__sources_clear(gersh__source *source);

/* The file in the folder: whether it is there, and its checksum. */
gersh_status gersh__source_look(gersh__source *source, const char *folder);

/* The data, read once; source->there is 0 and nothing is read where the file is missing. */
gersh_status gersh__source_load(gersh__source *source, gersh__run *run);

/* "306×3, in the paper 206×3", ...; "" where the data is what the paper had, as far as can be seen. */
const char *gersh__source_remark(char *out, size_t size, const gersh__source *source);

/* Whether the run was asked to stop; it then is marked so. */
int gersh__run_stopped(gersh__run *run);

/* Seconds that a fit may take: the setting's, or else `usual`; INFINITY for none. */
double gersh__run_limit(const gersh__run *run, double usual);

/* Tells the caller where the run is; `within` is the share of the cell at work that is done. */
void gersh__run_report(gersh__run *run, double within);

/* The settings of a fit with the paper's C and ρ, and the run's seed. */
gersh_status gersh__run_settings(gersh_settings **out, const gersh__run *run, const char *objective,
                                 const char *solver, double limit);

/* What became of a cell: no values; values for now, to be computed again in another run; values that are kept. */
typedef enum gersh__cell_state {
    GERSH__CELL_EMPTY,
    GERSH__CELL_PASSING,
    GERSH__CELL_KEPT
} gersh__cell_state;

/* Cells of one kind: the names of their values in the file, and what computes them. */
typedef struct gersh__cell_kind {
    const char *const *names;
    size_t count;
    /* Status GERSH_ERROR_CANCELLED marks the run as interrupted and is no error of it. */
    gersh_status (*compute)(double *value, gersh__cell_state *state, gersh__run *run, const void *context);
} gersh__cell_kind;

/*
 * The values of a cell, found or computed; a stopped run computes none. `key` says all they depend on and `what` is for
 * the progress; both are freed, and NULL means that memory was short for them. `cost` are the seconds it was estimated at.
 */
gersh_status gersh__cell_get(double *value, gersh__cell_state *state, gersh__run *run,
                             const gersh__cell_kind *kind, char *key, char *what, double cost,
                             const void *context);

/* The path of a file in the output folder, or NULL when memory is short. */
char *gersh__run_path(const gersh__run *run, const char *name, const char *ending);

/* Writes a file of the output folder through `write`; it is listed in the result. Nothing without a folder. */
gersh_status gersh__run_write(gersh__run *run, const char *name, const char *ending,
                              void (*write)(FILE *file, const void *context), const void *context);

/* Folds of one data set, for one objective with one solver. */
typedef struct gersh__fits {
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
} gersh__fits;

/* How the fits of a data set are made. */
typedef struct gersh__plan {
    size_t folds; /* the first ones; 0: all */
    double limit; /* seconds of a fit; INFINITY: none */
    int alone;    /* one fit at a time, so that the seconds mean something */
} gersh__plan;

gersh__plan gersh__fits_plan(const gersh__run *run, const gersh__source *source);
double gersh__fits_cost(gersh__run *run, gersh__source *source, const char *objective, const char *solver);

/* Makes the fits, or finds them. A stopped run, a missing file and fits that all fail are no errors. */
gersh_status gersh__fits_get(gersh__fits *out, gersh__run *run, gersh__builder *builder,
                             gersh__source *source, const char *objective, const char *solver);

/* Says, of a quick run, which fits it leaves out. */
void gersh__fits_note(const gersh__run *run, gersh__builder *builder);

/* Whether there is a value. */
int gersh__fits_has_value(const gersh__fits *fits);

/* Whether a is no worse than b, but for rounding. */
int gersh__fits_no_worse(const gersh__fits *a, const gersh__fits *b);

/* Running-time bars of one data set, and discs: see reproduce_svg.c. */
typedef struct gersh__bars {
    const char *title;
    size_t groups, series;
    const char *const *group; /* names of the groups of bars */
    const char *const *series_name;
    const double *value; /* groups × series; NAN: none */
    const int *at_least; /* groups × series: the value is a lower bound */
} gersh__bars;

void gersh__svg_bars(FILE *file, const void *bars);
void gersh__svg_discs(FILE *file, const void *discs); /* of a gersh_discs */

#endif
