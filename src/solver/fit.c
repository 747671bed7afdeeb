/* gersh_fit: settings to numbers, the pairs, the objective and the engine, and the solver of that name. */
#include "gersh/fit.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/settings.h"
#include "data/dataset.h"
#include "data/tuples.h"
#include "objective/custom.h"
#include "solver/solver.h"

static const gersh__solver *const solvers[] = {
    &gersh__solver_balanced, &gersh__solver_hull,   &gersh__solver_psd,
    &gersh__solver_diagonal, &gersh__solver_pdcone, &gersh__solver_hbnb,
    &gersh__solver_sgml,     &gersh__solver_pgml,   &gersh__solver_identity};

/* Mean squared distances from here to its inverse can be learned from without leaving the range of double. */
#define SMALLEST_MEAN 1e-140

const char *gersh_stop_name(gersh_stop stop)
{
    static const char *const names[] = {"converged", "max_iter", "max_time", "interrupted"};
    return (size_t)stop < sizeof names / sizeof names[0] ? names[stop] : "unknown";
}

/* The trace C that is allowed, and ρ: what the settings say, or 2K over the mean squared length, and 1e-5
 * C/K. */
static gersh_status read_budget(double *trace, double *rho, const gersh__pairs *pairs,
                                const gersh_settings *settings)
{
    double k = (double)pairs->k, mean = 0;
    double *d = gersh__alloc(pairs->count, sizeof *d);
    if (d == NULL)
        return GERSH_ERROR_MEMORY;
    gersh__pairs_euclid(pairs, d);
    for (size_t p = 0; p < pairs->count; p++)
        mean += d[p] / (double)pairs->count;
    gersh__free(d);
    if (mean == 0)
        return gersh__fail(GERSH_ERROR_INPUT,
                           "all rows %sare the same; there is nothing to learn from them",
                           pairs->first != NULL ? "of each pair " : "");
    if (!(mean > SMALLEST_MEAN && mean < 1 / SMALLEST_MEAN))
        return gersh__fail(
            GERSH_ERROR_INPUT,
            "the mean squared distance of two rows is %g, beyond what can be computed with; use "
            "--scale zscore",
            mean);
    *trace = gersh__setting_is(settings, GERSH__TRACE, "K") ? k
             : gersh__setting_is(settings, GERSH__TRACE, "auto")
                 ? 2 * k / mean
                 : gersh__setting_number(settings, GERSH__TRACE);
    *rho = gersh__setting_is(settings, GERSH__RHO, "auto") ? 1e-5 * *trace / k
                                                           : gersh__setting_number(settings, GERSH__RHO);
    if (!(*trace > 0) || !(*trace - k * *rho > 0))
        return gersh__fail(
            GERSH_ERROR_ARGUMENT,
            "trace: %g leaves nothing to learn with %zu features and rho %g; it must be above %g", *trace,
            pairs->k, *rho, k * *rho);
    if (!(*trace / k * mean < 1 / SMALLEST_MEAN))
        return gersh__fail(GERSH_ERROR_ARGUMENT,
                           "trace: %g is too large for data with a mean squared distance of %g", *trace,
                           mean);
    return GERSH_OK;
}

static void read_limits(gersh__limits *limits, const gersh_settings *settings,
                        const gersh_fit_options *options)
{
    *limits = (gersh__limits){.tol = gersh__setting_number(settings, GERSH__TOL),
                              .max_iter = (int)gersh__setting_whole(settings, GERSH__MAX_ITER),
                              .start = gersh__clock_seconds(),
                              .max_seconds = gersh__setting_is(settings, GERSH__MAX_TIME, "none")
                                                 ? INFINITY
                                                 : gersh__setting_number(settings, GERSH__MAX_TIME),
                              .cutoff = INFINITY,
                              .cancel = options->cancel,
                              .progress = options->progress,
                              .progress_context = options->progress_context};
}

static gersh_status check_start(const gersh_metric *start, const gersh__solver *solver, size_t features)
{
    if (start == NULL)
        return GERSH_OK;
    if (start->features != features)
        return gersh__fail(GERSH_ERROR_INPUT,
                           "the metric to start from has %zu features but the data has %zu",
                           start->features, features);
    if ((start->dense != NULL) != solver->dense)
        return gersh__fail(GERSH_ERROR_INPUT,
                           "the metric to start from is %s, which the solver '%s' cannot use",
                           start->dense != NULL ? "dense" : "sparse", solver->name);
    return GERSH_OK;
}

/* Settings that only some solvers use must be at their defaults for the others. */
static gersh_status check_settings(const gersh__solver *solver, const gersh_settings *settings)
{
    static const struct {
        int setting;
        const char *solvers; /* that use it */
    } own[] = {{GERSH__NUCLEAR, "pdcone"},
               {GERSH__INIT, "sgml or pgml"},
               {GERSH__ROWS_ONLY, "sgml or pgml"},
               {GERSH__DIAGONALS_ONLY, "sgml or pgml"}};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        const gersh_setting_info *info = gersh_settings_info(own[i].setting);
        int initial = info->kind == GERSH_SETTING_NUMBER
                          ? gersh__setting_number(settings, own[i].setting) ==
                                gersh__setting_number(NULL, own[i].setting)
                          : gersh__setting_is(settings, own[i].setting, info->initial);
        if (!initial && strstr(own[i].solvers, solver->name) == NULL)
            return gersh__fail(GERSH_ERROR_ARGUMENT,
                               "%s: the solver '%s' does not use it; leave it out, or use the solver %s",
                               info->name, solver->name, own[i].solvers);
    }
    return GERSH_OK;
}

/* All pairs of rows, or those of the tuples. */
static gersh_status make_pairs(gersh__pairs **out, const gersh_dataset *data,
                               const gersh_fit_options *options, gersh__pool *pool)
{
    if (options->tuples == NULL)
        return gersh__pairs_new(out, data, options->weights, 0, NULL, NULL, pool);
    if (options->custom != NULL)
        return gersh__fail(
            GERSH_ERROR_ARGUMENT,
            "a custom objective is a function of all pairs of rows and cannot learn from tuples; leave "
            "one of the two out");
    gersh_status status = gersh__tuples_check(options->tuples, gersh_dataset_rows(data), NULL);
    if (status == GERSH_OK)
        status = gersh__pairs_new_tuples(out, data, options->weights, options->tuples, pool);
    return status;
}

/* Labels teach by differences: two samples that count must be of different classes. */
static gersh_status check_classes(const gersh__pairs *pairs)
{
    size_t classes = 0;
    for (size_t c = 0; c < pairs->classes; c++)
        classes += pairs->class_start[c + 1] > pairs->class_start[c];
    return classes == 1
               ? gersh__fail(GERSH_ERROR_INPUT, "all rows that count are of one class; learning needs "
                                                "at least two")
               : GERSH_OK;
}

static void fill_info(gersh_fit_info *info, const gersh__solver_run *run, double trace)
{
    const gersh__engine *e = run->engine;
    double sign = e->objective->kind->maximized ? -1 : 1, value = gersh__engine_value(e);
    *info = (gersh_fit_info){.objective_value = sign * value,
                             .has_bound = isfinite(run->bound),
                             .bound = sign * run->bound,
                             .gap = value - run->bound,
                             .iterations = e->iterations,
                             .newton_steps = e->newton_steps,
                             .seconds = gersh__clock_seconds() - run->limits.start,
                             .stop = run->stop,
                             .budget = trace,
                             .rho = e->rho,
                             .seconds_gradient = e->seconds_gradient,
                             .seconds_minimizer = e->seconds_minimizer,
                             .seconds_objective = e->seconds_objective,
                             .seconds_step = e->seconds_step,
                             .seconds_eigen = e->seconds_eigen};
}

static const gersh__solver *find_solver(const char *name)
{
    for (size_t i = 0; i < sizeof solvers / sizeof solvers[0]; i++)
        if (strcmp(solvers[i]->name, name) == 0)
            return solvers[i];
    return NULL;
}

/* The rows of the data, or of a dense copy where the solver works with dense vectors and the data is sparse. */
static gersh_status find_rows(const gersh_dataset **rows, gersh_dataset **own, const gersh_dataset *data,
                              const gersh__solver *solver)
{
    *rows = data;
    if (!solver->dense || data->x != NULL)
        return GERSH_OK;
    gersh_status status = gersh_dataset_copy(own, data);
    *rows = *own;
    return status == GERSH_OK ? gersh__dataset_densify(*own) : status;
}

gersh_status gersh_fit(gersh_metric **out, gersh_fit_info *info, const gersh_dataset *data,
                       const gersh_settings *settings, const gersh_fit_options *options)
{
    static const gersh_fit_options none = {0};
    const gersh_fit_options *o = options != NULL ? options : &none;
    const gersh__solver *solver = find_solver(gersh__setting_text(settings, GERSH__SOLVER));
    gersh__solver_run run = {0};
    gersh__pool *pool = NULL;
    gersh__pairs *pairs = NULL;
    gersh__objective *objective = NULL;
    gersh__rules *rules = NULL;
    const gersh_dataset *rows = NULL;
    gersh_dataset *own = NULL;
    double trace = 0, rho = 0;
    *out = NULL;
    gersh__blas_hold(); /* the pool spreads the work */
    read_limits(&run.limits, settings, o);
    gersh_status status =
        gersh_dataset_rows(data) < 2
            ? gersh__fail(GERSH_ERROR_INPUT, "there are no pairs: the data has fewer than two rows")
            : check_start(o->start, solver, gersh_dataset_features(data));
    if (status == GERSH_OK)
        status = check_settings(solver, settings);
    if (status == GERSH_OK)
        status = gersh__pool_new(&pool, (int)gersh__setting_whole(settings, GERSH__THREADS));
    if (status == GERSH_OK)
        status = find_rows(&rows, &own, data, solver);
    if (status == GERSH_OK)
        status = make_pairs(&pairs, rows, o, pool);
    if (status == GERSH_OK && o->custom == NULL && o->tuples == NULL && gersh_dataset_labels(data) != NULL)
        status = check_classes(pairs);
    if (status == GERSH_OK && o->custom != NULL)
        status = gersh__objective_new_custom(&objective, o->custom, pairs);
    else if (status == GERSH_OK)
        status = gersh__objective_new(
            &objective, gersh__objective_find(gersh__setting_text(settings, GERSH__OBJECTIVE)), pairs,
            settings);
    if (status == GERSH_OK && o->rule_count > 0 && solver->dense)
        status = gersh__fail(
            GERSH_ERROR_ARGUMENT,
            "the solver '%s' cannot keep rules for pairs of features; use balanced or hull", solver->name);
    if (status == GERSH_OK && o->rule_count > 0)
        status = gersh__rules_new(&rules, pairs->k, o->rules, o->rule_count);
    if (status == GERSH_OK)
        status = read_budget(&trace, &rho, pairs, settings);
    if (status == GERSH_OK)
        status = gersh__engine_new(&run.engine, pairs, objective, rho, trace - (double)pairs->k * rho,
                                   solver->dense);
    if (status == GERSH_OK && o->start != NULL)
        status = gersh__engine_start(run.engine, o->start);
    if (status == GERSH_OK) {
        run.pairs = pairs;
        run.rules = rules;
        run.settings = settings;
        status = solver->run(&run);
    }
    if (status == GERSH_OK)
        status = gersh__engine_metric(out, run.engine);
    if (status == GERSH_OK)
        fill_info(info, &run, trace);
    gersh__blas_release();
    gersh__engine_free(run.engine);
    gersh__rules_free(rules);
    gersh__objective_free(objective);
    gersh__pairs_free(pairs);
    gersh_dataset_free(own);
    gersh__pool_free(pool);
    return status;
}
