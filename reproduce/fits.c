/*
 * Cells of fits on the paper's folds; see run.h. All solvers get the same trace C = K and ρ = 1e-5; the trace is that of the
 * paper's table of parameters, and the folds of gersh_compare.
 */
#include <math.h>
#include <string.h>

#include "run.h"

/* Seconds that a fit may take, unless the user says otherwise; of ten folds, the large ones make a minute. */
static const double usual_limit[2] = {2, 5}, quick_limit[2] = {0.1, 0.5};

const char *const repro_objective_names[REPRO_OBJECTIVES] = {[REPRO_MCML] = "mcml",
                                                             [REPRO_DEML] = "deml",
                                                             [REPRO_LSML] = "lsml",
                                                             [REPRO_LMNN] = "lmnn",
                                                             [REPRO_GLR] = "glr"};
const char *const repro_scheme_names[REPRO_SCHEMES] = {"pdcone",   "hbnb", "pgml", "sgml",
                                                       "balanced", "hull", "psd"};
const char *const repro_scheme_titles[REPRO_SCHEMES] = {"PD-cone",  "HBNB", "PGML", "SGML",
                                                        "balanced", "hull", "psd"};

enum { VALUES = 14, FAILED = VALUES - 1, QUICK_FEATURES = 1000 };

static const char *const names[VALUES] = {"value",   "maximized",  "has_bound", "bound", "gap",
                                          "seconds", "iterations", "edges",     "folds", "cut",
                                          "eigen",   "minimizer",  "step",      "failed"};

static repro_fits unpack(const double *v)
{
    return (repro_fits){.there = 1,
                        .failed = v[FAILED] > 0 && v[8] == 0,
                        .value = v[0],
                        .maximized = v[1] > 0,
                        .has_bound = v[2] > 0,
                        .bound = v[3],
                        .gap = v[4],
                        .seconds = v[5],
                        .iterations = v[6],
                        .edges = v[7],
                        .folds = v[8],
                        .cut = v[9],
                        .eigen = v[10],
                        .minimizer = v[11],
                        .step = v[12]};
}

static void pack(double *v, const gersh_compare_row *row)
{
    const double values[VALUES] = {row->objective_value,
                                   row->maximized,
                                   row->has_bound,
                                   row->bound,
                                   row->gap,
                                   row->seconds,
                                   (double)row->iterations,
                                   row->edges,
                                   (double)row->folds,
                                   (double)row->stops[GERSH_STOP_MAX_TIME],
                                   row->share_eigen,
                                   row->share_minimizer,
                                   row->share_step,
                                   (double)row->failed};
    memcpy(v, values, sizeof values);
}

repro_plan repro_fits_plan(const repro_run *run, const repro_source *source)
{
    int quick = run->options->quick, large = source->large;
    return (repro_plan){.folds = quick   ? (large ? 1 : 2)
                                 : large ? 10
                                         : 0,
                        .limit = repro_run_limit(run, quick ? quick_limit[large] : usual_limit[large]),
                        .alone = large};
}

/* A quick run cannot wait for one iteration of the solvers whose matrices are dense. */
static int is_left_out(const repro_run *run, const repro_source *source, const char *solver)
{
    int dense = gersh_solver_find(solver)->dense;
    return run->options->quick && dense && source->features > QUICK_FEATURES;
}

void repro_fits_note(const repro_run *run, repro_builder *builder)
{
    if (run->options->quick)
        repro_report_note(
            builder, "a quick run leaves out PD-cone, HBNB and psd on colon-cancer, where one iteration of "
                     "theirs takes seconds");
}

/* Rough seconds, from runs on a machine of two cores: they only have to be right in proportion. */
double repro_fits_cost(repro_run *run, repro_source *source, const char *objective, const char *solver)
{
    const gersh_solver_info *facts = gersh_solver_find(solver);
    int fast = facts->bound != GERSH_BOUND_NONE, tree = !fast && !facts->dense;
    repro_plan plan = repro_fits_plan(run, source);
    if (!source->there || is_left_out(run, source, solver))
        return 0;
    double folds = plan.folds > 0 ? (double)plan.folds : (double)source->rows / 4;
    double each = source->large ? (fast ? 0.2 : 5) : fast ? 0.002 : tree ? 0.1 : 0.02;
    if (tree && !source->large && gersh_objective_find(objective)->smoothed)
        each = 0.5;
    return folds * fmin(each, plan.limit) / (plan.alone ? 1 : 2);
}

static char *make_key(const repro_run *run, const repro_source *source, const repro_plan *plan,
                      const char *objective, const char *solver)
{
    return repro_format(
        "gersh %s; %s %08lx; %s with %s; folds %zu; trace K; rho 1e-5; limit %g s; seed %s; %s",
        gersh_version(), source->name, source->found, objective, solver, plan->folds, plan->limit,
        gersh_settings_get(run->settings, "seed"), plan->alone ? "one at a time" : "several at a time");
}

static void on_progress(void *context, const gersh_compare_progress *now)
{
    repro_run_report(context, now->total > 0 ? (double)now->done / (double)now->total : 0);
}

static gersh_status compare(gersh_comparison **result, repro_run *run, const repro_source *source,
                            const repro_plan *plan, const char *objective, const char *solver)
{
    gersh_settings *settings = NULL;
    gersh_compare_options options = {.objectives = objective,
                                     .solvers = solver,
                                     .folds = GERSH_COMPARE_PAPER,
                                     .max_folds = plan->folds,
                                     .no_eigenvalue = 1,
                                     .progress = on_progress,
                                     .progress_context = run,
                                     .cancel = run->options->cancel};
    gersh_status status = repro_run_settings(&settings, run, objective, solver, plan->limit);
    if (status == GERSH_OK && plan->alone)
        status = gersh_settings_set(settings, "threads", "1");
    if (status == GERSH_OK)
        status = gersh_compare(result, source->data, settings, &options);
    gersh_settings_free(settings);
    return status;
}

/* What a cell is of. */
typedef struct subject {
    repro_builder *builder;
    const repro_source *source;
    repro_plan plan;
    const char *objective, *solver;
} subject;

/* Fits that fail are told in a note, and the cell is not kept, so that the note comes again. */
static gersh_status compute(double *value, repro_cell_state *state, repro_run *run, const void *context)
{
    const subject *own = context;
    gersh_comparison *result = NULL;
    gersh_status status = compare(&result, run, own->source, &own->plan, own->objective, own->solver);
    if (status == GERSH_OK && result->interrupted)
        status = GERSH_ERROR_CANCELLED;
    if (status == GERSH_ERROR_CANCELLED || status == GERSH_ERROR_MEMORY) {
        gersh_comparison_free(result);
        return status;
    }
    const char *failure = status != GERSH_OK ? gersh_last_error() : result->row[0].failure;
    if (*failure != '\0' || status != GERSH_OK)
        repro_report_note(own->builder, "%s, %s with %s: %s", own->source->name, own->objective,
                          own->solver, failure);
    memset(value, 0, VALUES * sizeof *value);
    if (status == GERSH_OK)
        pack(value, &result->row[0]);
    else
        value[FAILED] = 1;
    *state = value[FAILED] == 0 ? REPRO_CELL_KEPT : REPRO_CELL_PASSING;
    gersh_comparison_free(result);
    return GERSH_OK;
}

gersh_status repro_fits_get(repro_fits *out, repro_run *run, repro_builder *builder, repro_source *source,
                            const char *objective, const char *solver)
{
    static const repro_cell_kind kind = {names, VALUES, compute};
    double value[VALUES];
    repro_cell_state state;
    *out = (repro_fits){0};
    gersh_status status = repro_source_load(source, run);
    if (status != GERSH_OK || !source->there || is_left_out(run, source, solver))
        return status;
    subject own = {builder, source, repro_fits_plan(run, source), objective, solver};
    status = repro_cell_get(value, &state, run, &kind, make_key(run, source, &own.plan, objective, solver),
                            repro_format("%s, %s with %s", source->name, objective, solver),
                            repro_fits_cost(run, source, objective, solver), &own);
    if (status == GERSH_OK && state != REPRO_CELL_EMPTY)
        *out = unpack(value);
    return status;
}

int repro_fits_has_value(const repro_fits *fits)
{
    return fits->there && !fits->failed;
}

int repro_fits_no_worse(const repro_fits *a, const repro_fits *b)
{
    double slack = 1e-9 * (1 + fabs(b->value));
    return a->maximized ? a->value >= b->value - slack : a->value <= b->value + slack;
}
