/*
 * Cells of evaluations: one data set, and one way to a metric, over random splits; see accuracy.h. Split s
 * has the seed s of the paper's ten, and all ways the same splits. Rows are scaled as in the paper, C = K, ρ = 1e-5,
 * and ten nearest neighbours vote; a search (tuned) chooses all that by itself.
 */
#include <math.h>
#include <string.h>

#include "accuracy.h"
#include "gersh/evaluate.h"

/* Of a fit and of a search, unless the user says otherwise. */
#define USUAL_LIMIT 1.5
#define QUICK_LIMIT 0.2
#define BUDGET 5

#define HALF_LIMIT 8000.0 /* rows × features of data on which the mean fit takes about half of its limit */
#define LONGEST_GUESS 10  /* seconds of a fit without a limit, to estimate with */

enum { QUICK_SPLITS = 2, QUICK_SETS = 4, VALUES = 5 };

const char *const repro_accuracy_objectives[REPRO_ACCURACY_OBJECTIVES] = {"mcml", "deml", "lmnn", "glr"};

static const char *const names[VALUES] = {"accuracy", "deviation", "splits", "cut", "seconds"};

repro_accuracy_plan repro_accuracy_plan_of(const repro_run *run)
{
    int quick = run->options->quick;
    return (repro_accuracy_plan){.splits = quick ? QUICK_SPLITS : GERSH_EVALUATE_SPLITS,
                                 .limit = repro_run_limit(run, quick ? QUICK_LIMIT : USUAL_LIMIT),
                                 .budget = quick ? 0 : BUDGET};
}

int repro_accuracy_wants(const repro_run *run, const repro_source *source)
{
    size_t smaller = 0;
    for (size_t s = 0; s < REPRO_SOURCES; s++)
        smaller += !run->source[s].large && run->source[s].rows < source->rows;
    return !source->large && (!run->options->quick || smaller < QUICK_SETS);
}

/* Rough seconds, from runs on a machine of two cores: they only have to be right in proportion. */
double repro_accuracy_cost(repro_run *run, repro_source *source, repro_way way)
{
    repro_accuracy_plan plan = repro_accuracy_plan_of(run);
    double size = (double)(source->rows * source->features), share = size / (size + HALF_LIMIT);
    if (!repro_accuracy_wants(run, source) || (way.tuned && plan.budget == 0) || !source->there)
        return 0;
    double most = way.tuned ? plan.budget : way.solver != NULL ? fmin(plan.limit, LONGEST_GUESS) : 0.01;
    return (double)plan.splits * most * share / 2;
}

static char *make_key(const repro_run *run, const repro_source *source, const repro_accuracy_plan *plan,
                      const char *what)
{
    return repro_format(
        "gersh %s; accuracy; %s %08lx; %s; splits %zu; neighbors %d; trace K; rho 1e-5; limit %g s; budget "
        "%g s; seed %s",
        gersh_version(), source->name, source->found, what, plan->splits, (int)REPRO_ACCURACY_NEIGHBORS,
        plan->limit, plan->budget, gersh_settings_get(run->settings, "seed"));
}

static void on_progress(void *context, const gersh_evaluate_progress *now)
{
    repro_run_report(context, now->total > 0 ? (double)now->done / (double)now->total : 0);
}

/* What a search would choose must not be given to it. */
static gersh_status search_settings(gersh_settings **out, const repro_run *run, double limit)
{
    static const char *const kept[] = {"seed", "threads"};
    char seconds[32] = "none";
    if (isfinite(limit))
        snprintf(seconds, sizeof seconds, "%.17g", limit);
    gersh_status status = gersh_settings_new(out);
    if (status == GERSH_OK)
        status = gersh_settings_set(*out, "max-time", seconds);
    for (size_t i = 0; i < sizeof kept / sizeof kept[0] && status == GERSH_OK; i++)
        status = gersh_settings_set(*out, kept[i], gersh_settings_get(run->settings, kept[i]));
    return status;
}

/* The Euclidean metric comes with every evaluation; without a fit beside it, that of the identity is the cheapest. */
static gersh_status evaluate(gersh_evaluation **result, repro_run *run, const repro_source *source,
                             const repro_accuracy_plan *plan, repro_way way)
{
    const char *objective = way.solver != NULL ? way.objective : "glr",
               *solver = way.solver != NULL ? way.solver : "identity";
    char neighbors[16];
    gersh_settings *settings = NULL;
    gersh_evaluate_options options = {.objectives = objective,
                                      .solvers = solver,
                                      .tuned = way.tuned,
                                      .budget = way.tuned ? plan->budget : 0,
                                      .splits = plan->splits,
                                      .progress = on_progress,
                                      .progress_context = run,
                                      .cancel = run->options->cancel};
    snprintf(neighbors, sizeof neighbors, "%d", (int)REPRO_ACCURACY_NEIGHBORS);
    gersh_status status = way.tuned ? search_settings(&settings, run, plan->limit)
                                    : repro_run_settings(&settings, run, objective, solver, plan->limit);
    if (status == GERSH_OK && !way.tuned)
        status = gersh_settings_set(settings, "neighbors", neighbors);
    if (status == GERSH_OK)
        status = gersh_evaluate(result, source->data, settings, &options);
    gersh_settings_free(settings);
    return status;
}

/* What a cell is of. */
typedef struct subject {
    repro_builder *builder;
    const repro_source *source;
    repro_accuracy_plan plan;
    repro_way way;
} subject;

/* Failures are told in a note; means over other splits than those of the others would not compare. */
static gersh_status compute(double *value, repro_cell_state *state, repro_run *run, const void *context)
{
    const subject *own = context;
    gersh_evaluation *result = NULL;
    gersh_status status = evaluate(&result, run, own->source, &own->plan, own->way);
    if (status == GERSH_OK && result->interrupted)
        status = GERSH_ERROR_CANCELLED;
    if (status == GERSH_OK) {
        size_t at = own->way.solver != NULL ? 1 : own->way.tuned ? result->count - 1 : 0;
        const gersh_evaluate_row *row = &result->row[at];
        const double values[VALUES] = {100 * row->accuracy_mean, 100 * row->accuracy_std,
                                       (double)row->splits, (double)row->stops[GERSH_STOP_MAX_TIME],
                                       row->seconds_mean};
        memcpy(value, values, sizeof values);
        if (row->failed == 0)
            *state = REPRO_CELL_KEPT;
        else
            repro_report_note(own->builder,
                              "%s: %zu of %zu splits gave no prediction, so that there is no mean: %s",
                              run->what, row->failed, row->failed + row->splits, row->failure);
    } else if (status != GERSH_ERROR_MEMORY && status != GERSH_ERROR_CANCELLED) {
        repro_report_note(own->builder, "%s: %s", run->what, gersh_last_error());
        status = GERSH_OK;
    }
    gersh_evaluation_free(result);
    return status;
}

gersh_status repro_accuracy_get(repro_score *out, repro_run *run, repro_builder *builder,
                                repro_source *source, repro_way way)
{
    static const repro_cell_kind kind = {names, VALUES, compute};
    double value[VALUES];
    repro_cell_state state;
    subject own = {builder, source, repro_accuracy_plan_of(run), way};
    *out = (repro_score){0};
    if (!repro_accuracy_wants(run, source) || (way.tuned && own.plan.budget == 0))
        return GERSH_OK;
    gersh_status status = repro_source_load(source, run);
    if (status != GERSH_OK || !source->there)
        return status;
    char *what = repro_format("%s, %s%s%s", source->name, way.objective, way.solver != NULL ? " with " : "",
                              way.solver ? way.solver : "");
    char *key = what != NULL ? make_key(run, source, &own.plan, strchr(what, ' ') + 1) : NULL;
    status =
        repro_cell_get(value, &state, run, &kind, key, what, repro_accuracy_cost(run, source, way), &own);
    if (status == GERSH_OK && state != REPRO_CELL_EMPTY)
        *out = (repro_score){1, value[0], value[1], value[2], value[3], value[4]};
    return status;
}
