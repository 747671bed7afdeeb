/* gersh_fit: settings to numbers, the pairs, the objective and the engine, and the solver of that name. */
#include "gersh/fit.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/policy.h"
#include "base/settings.h"
#include "data/dataset.h"
#include "data/tuples.h"
#include "metric/metric.h"
#include "objective/custom.h"
#include "solver/atoms.h"
#include "solver/fit.h"

/* Mean squared distances from here to its inverse can be learned from without leaving the range of double. */
#define SMALLEST_MEAN 1e-140

/* Mean distances under C/K times the identity up to here leave digits enough for what is compared with 1. */
#define LARGEST_MEAN 1e10

#define RELATIVE_RHO 1e-5 /* of --rho auto, in units of C/K: the paper's */

const char *gersh_stop_name(gersh_stop stop)
{
    static const char *const names[GERSH_STOPS] = {"converged", "max_iter", "max_time", "interrupted",
                                                   "settled"};
    return (size_t)stop < GERSH_STOPS ? names[stop] : "unknown";
}

/* C of --trace auto: under (C/K) I the mean squared distance is what the objective asks for. */
static double automatic_trace(const gersh__fit *fit, double mean)
{
    double wanted = fit->objective != NULL ? fit->objective->info.mean : GERSH__MEAN_DISTANCE;
    return wanted * (double)gersh_dataset_features(fit->data) / mean;
}

gersh_status gersh__fit_budget(gersh__fit *fit, double mean, const char *of)
{
    const gersh_settings *settings = fit->settings;
    size_t features = gersh_dataset_features(fit->data);
    double k = (double)features;
    if (mean == 0)
        return gersh__fail(GERSH_ERROR_INPUT,
                           "all rows %sare the same; there is nothing to learn from them", of);
    if (!(mean > SMALLEST_MEAN && mean < 1 / SMALLEST_MEAN))
        return gersh__fail(
            GERSH_ERROR_INPUT,
            "the mean squared distance of two rows is %g, beyond what can be computed with; use "
            "--scale zscore",
            mean);
    fit->trace = gersh__setting_is(settings, GERSH__TRACE, "K") ? k
                 : gersh__setting_is(settings, GERSH__TRACE, "auto")
                     ? automatic_trace(fit, mean)
                     : gersh__setting_number(settings, GERSH__TRACE);
    fit->rho = gersh__setting_is(settings, GERSH__RHO, "auto")
                   ? RELATIVE_RHO * fit->trace / k
                   : gersh__setting_number(settings, GERSH__RHO);
    if (!(fit->trace > 0) || !(fit->trace - k * fit->rho > 0))
        return gersh__fail(
            GERSH_ERROR_ARGUMENT,
            "trace: %g leaves nothing to learn with %zu features and rho %g; it must be above %g",
            fit->trace, features, fit->rho, k * fit->rho);
    double most =
        fit->objective == NULL || fit->objective->info.homogeneous ? 1 / SMALLEST_MEAN : LARGEST_MEAN;
    if (!(fit->trace / k * mean < most))
        return gersh__fail(
            GERSH_ERROR_ARGUMENT,
            "trace: %g is too large for data with a mean squared distance of %g; use less than %.3g",
            fit->trace, mean, most / mean * k);
    return GERSH_OK;
}

/* C and ρ. */
static gersh_status read_budget(gersh__fit *fit, const gersh__pairs *pairs)
{
    double mean;
    gersh_status status = gersh__pairs_mean(pairs, &mean);
    return status == GERSH_OK
               ? gersh__fit_budget(fit, mean, fit->options->tuples != NULL ? "of each pair " : "")
               : status;
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
                              .enough = -INFINITY,
                              .widest = 1,
                              .tries = 2,
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
    if ((start->dense != NULL) != solver->info.dense)
        return gersh__fail(GERSH_ERROR_INPUT,
                           "the metric to start from is %s, which the solver '%s' cannot use",
                           start->dense != NULL ? "dense" : "sparse", solver->info.name);
    if (start->atoms > 0 && (start->weight == NULL || (start->dense == NULL && start->atom == NULL)))
        return gersh__fail(
            GERSH_ERROR_ARGUMENT,
            "the metric to start from has %zu atoms, but no arrays of their weights and entries",
            start->atoms);
    for (size_t t = 0; t < start->atoms; t++)
        if (!(start->weight[t] >= 0) || !gersh__metric_atom_holds(start, t))
            return gersh__fail(
                GERSH_ERROR_ARGUMENT,
                "atom %zu of the metric to start from is impossible: its weight must be at least "
                "0, its features below %zu, and its entries finite and of length 1",
                t, features);
    if (!isfinite(start->rho) || start->rho < 0 || !isfinite(gersh_metric_trace(start)))
        return gersh__fail(
            GERSH_ERROR_ARGUMENT,
            "the metric to start from has rho %g and trace %g; both must be finite and at least 0",
            start->rho, gersh_metric_trace(start));
    return GERSH_OK;
}

const char *gersh_pair_choice_name(gersh_pair_choice choice)
{
    static const char *const names[] = {"all", "tuples", "sampled", "mined"};
    return (size_t)choice < sizeof names / sizeof names[0] ? names[choice] : "unknown";
}

/* Whether pairs of different classes are enough. */
static int learns_apart(const gersh__objective_entry *objective)
{
    return (objective->classes->needs & (GERSH__NEEDS_SIMILAR | GERSH__NEEDS_TRIPLETS)) == 0;
}

/*
 * Labels teach by differences: two samples that count must be of different classes, and for objectives of pairs of one
 * class, which would be 0 for every metric, two of the same.
 */
static gersh_status check_classes(const gersh__objective_entry *objective, size_t classes,
                                  const size_t *start)
{
    char list[GERSH__NAME_LIST];
    size_t present = 0, largest = 0;
    for (size_t c = 0; c < classes; c++) {
        present += start[c + 1] > start[c];
        largest = start[c + 1] - start[c] > largest ? start[c + 1] - start[c] : largest;
    }
    if (present == 1)
        return gersh__fail(GERSH_ERROR_INPUT, "all rows that count are of one class; learning "
                                              "needs at least two");
    if (largest == 1 && !learns_apart(objective))
        return gersh__fail(
            GERSH_ERROR_INPUT,
            "every row that counts is the only one of its class, so that the objective %s is "
            "the same for every metric; use the objective %s",
            objective->info.name, gersh__objective_list(list, GERSH__CLASSES, learns_apart, " or "));
    return GERSH_OK;
}

int gersh__stop_by_itself(gersh_stop stop)
{
    return stop == GERSH_STOP_CONVERGED || stop == GERSH_STOP_SETTLED;
}

void gersh__info_certify(gersh_fit_info *info, double value, double bound, double floor)
{
    info->has_bound = isfinite(bound);
    info->gap = value - bound;
    info->relative_gap = info->has_bound ? info->gap / fmax(fmax(fabs(value), floor), DBL_MIN) : NAN;
    if (gersh__stop_by_itself(info->stop))
        info->stop = info->relative_gap <= info->tol ? GERSH_STOP_CONVERGED : GERSH_STOP_SETTLED;
}

static void add_info(gersh_fit_info *info, const gersh__solver_run *run, double trace, double tol)
{
    const gersh__engine *e = run->engine;
    double sign = e->objective->info->maximized ? -1 : 1, value = gersh__engine_value(e);
    double bound = fmin(run->bound, value); /* above it by rounding at most */
    info->objective_value = sign * value;
    info->bound = sign * bound;
    info->stop = run->stop;
    info->tol = tol;
    gersh__info_certify(info, value, bound, e->floor);
    info->search_gap = fmin(run->search_gap, info->gap);
    info->iterations += e->iterations;
    info->newton_steps += e->newton_steps;
    info->seconds = gersh__clock_seconds() - run->limits.start;
    info->budget = trace;
    info->rho = e->rho;
    info->seconds_gradient += e->seconds_gradient;
    info->seconds_minimizer += e->seconds_minimizer;
    info->seconds_objective += e->seconds_objective;
    info->seconds_step += e->seconds_step;
    info->seconds_eigen += e->seconds_eigen;
}

gersh_status gersh__fit_pairs(gersh_metric **out, gersh_fit_info *info, gersh__witness *witness,
                              double *width, const gersh__fit *fit, const gersh__pairs *pairs,
                              gersh__objective *objective, const gersh_metric *start)
{
    gersh__solver_run run = {.pairs = pairs,
                             .rules = fit->rules,
                             .settings = fit->settings,
                             .limits = fit->limits,
                             .search_gap = INFINITY};
    run.limits.max_iter -= info->iterations;
    gersh_status status = gersh__engine_new(&run.engine, pairs, objective, fit->rho,
                                            fit->trace - (double)gersh__pairs_features(pairs) * fit->rho,
                                            fit->solver->info.dense);
    if (status == GERSH_OK && start != NULL)
        status = gersh__engine_start(run.engine, start);
    if (status == GERSH_OK)
        status = fit->solver->run(&run);
    if (status == GERSH_OK) {
        gersh__engine_refresh(run.engine); /* the value of the metric as it is, not as steps added it up */
        status = gersh__engine_metric(out, run.engine);
    }
    if (status == GERSH_OK)
        add_info(info, &run, fit->trace, fit->limits.tol);
    if (width != NULL)
        *width = objective->width;
    if (witness != NULL && status == GERSH_OK)
        gersh__witness_move(witness, &run.witness);
    gersh_metric_free(run.witness.metric);
    gersh__engine_free(run.engine);
    return status;
}

/* Learns from pairs that are at hand, all or those of the tuples. */
static gersh_status fit_listed(gersh_metric **out, gersh_fit_info *info, gersh__fit *fit,
                               const gersh__pairs *pairs)
{
    gersh__objective *objective = NULL;
    gersh_status status = fit->objective == NULL
                              ? gersh__objective_new_custom(&objective, fit->options->custom, pairs)
                              : gersh__objective_new(&objective, fit->objective, pairs);
    if (status == GERSH_OK)
        status = read_budget(fit, pairs);
    if (status == GERSH_OK)
        status =
            gersh__fit_pairs(out, info, &fit->witness, NULL, fit, pairs, objective, fit->options->start);
    double n = (double)gersh__pairs_samples(pairs);
    info->pairs = info->pairs_all =
        fit->options->tuples != NULL ? (double)gersh__pairs_count(pairs) : n * (n - 1) / 2;
    info->rows_used = n;
    info->rounds = 1;
    gersh__objective_free(objective);
    return status;
}

static gersh_status fit_tuples(gersh_metric **out, gersh_fit_info *info, gersh__fit *fit)
{
    const gersh_fit_options *o = fit->options;
    gersh__pairs *pairs = NULL;
    if (o->custom != NULL)
        return gersh__fail(
            GERSH_ERROR_ARGUMENT,
            "a custom objective is a function of all pairs of rows and cannot learn from tuples; leave "
            "one of the two out");
    gersh_status status = gersh__tuples_check(o->tuples, gersh_dataset_rows(fit->data), NULL);
    if (status == GERSH_OK)
        status = gersh__pairs_new_tuples(&pairs, fit->data, o->weights, o->tuples, fit->pool);
    if (status == GERSH_OK)
        status = fit_listed(out, info, fit, pairs);
    info->choice = GERSH_CHOICE_TUPLES;
    gersh__pairs_free(pairs);
    return status;
}

static gersh_status fit_all(gersh_metric **out, gersh_fit_info *info, gersh__fit *fit)
{
    gersh__pairs *pairs = NULL;
    const double *weights = fit->options->weights;
    int between = fit->objective != NULL && fit->objective->classes->needs == GERSH__NEEDS_DISSIMILAR &&
                  gersh__objective_source(fit->data, NULL) == GERSH__CLASSES;
    gersh_status status = between ? gersh__pairs_new_between(&pairs, fit->data, weights, fit->pool)
                                  : gersh__pairs_new(&pairs, fit->data, weights, 0, NULL, NULL, fit->pool);
    if (status == GERSH_OK && fit->objective != NULL) {
        const size_t *start;
        size_t classes = gersh__supervision_classes(gersh__pairs_supervision(pairs), &start);
        status = check_classes(fit->objective, classes, start);
    }
    if (status == GERSH_OK)
        status = fit_listed(out, info, fit, pairs);
    gersh__pairs_free(pairs);
    return status;
}

static gersh_status fit_some(gersh_metric **out, gersh_fit_info *info, gersh__fit *fit,
                             const gersh__plan *plan)
{
    gersh__population *population = NULL;
    const gersh_dataset *given = fit->data;
    gersh_dataset *own = NULL;
    gersh__random random;
    gersh_status status = gersh__dataset_dense(&own, &fit->data);
    if (status == GERSH_OK)
        status = gersh__population_new(&population, fit->data, fit->options->weights);
    gersh__random_seed(&random, gersh__setting_whole(fit->settings, GERSH__SEED));
    if (status == GERSH_OK && plan->choice == GERSH_CHOICE_MINED)
        gersh__population_limit(population, GERSH__MINED_ROWS, &random);
    if (status == GERSH_OK)
        status = check_classes(fit->objective, population->classes, population->class_start);
    if (status == GERSH_OK)
        status = gersh__fit_budget(fit, population->mean_square, "");
    if (status == GERSH_OK)
        status = gersh__fit_drawn(out, info, fit, plan, population);
    gersh__population_free(population);
    gersh_dataset_free(own);
    fit->data = given;
    return status;
}

/* Learns from labels: from all pairs of rows, or from sampled ones. */
static gersh_status fit_rows(gersh_metric **out, gersh_fit_info *info, gersh__fit *fit)
{
    const double *weights = fit->options->weights;
    size_t rows = gersh_dataset_rows(fit->data), present = 0;
    gersh__plan plan;
    for (size_t i = 0; i < rows; i++)
        present += weights == NULL || weights[i] > 0;
    gersh_status status =
        fit->objective != NULL
            ? gersh__objective_check(fit->objective, gersh__objective_source(fit->data, NULL))
            : GERSH_OK;
    if (status == GERSH_OK)
        status = gersh__plan_make(&plan, fit, present);
    if (status != GERSH_OK)
        return status;
    info->memory = plan.memory;
    return plan.choice == GERSH_CHOICE_ALL ? fit_all(out, info, fit) : fit_some(out, info, fit, &plan);
}

/* Where ρ is 0, the metric 0 may be the best one: lsml is 0 for it. It tells no rows apart. */
static gersh_status check_metric(gersh_metric **metric, const gersh_fit_info *info)
{
    if ((*metric)->rho > 0 || (*metric)->atoms > 0 || !gersh__stop_by_itself(info->stop))
        return GERSH_OK;
    gersh_metric_free(*metric);
    *metric = NULL;
    return gersh__fail(
        GERSH_ERROR_ARGUMENT,
        "rho: with 0 the best metric is 0, under which all rows are the same; use a rho above 0, "
        "or another objective");
}

gersh_status gersh__fit_certified(gersh_metric **out, gersh__witness *witness, gersh_fit_info *info,
                                  const gersh_dataset *data, const gersh_settings *settings,
                                  const gersh_fit_options *options)
{
    static const gersh_fit_options none = {0};
    const gersh_fit_options *o = options != NULL ? options : &none;
    gersh_dataset *own = NULL;
    gersh__fit fit = {.data = data,
                      .settings = settings,
                      .options = o,
                      .solver = gersh__solver_find(gersh__setting_text(settings, GERSH__SOLVER))};
    *out = NULL;
    *info = (gersh_fit_info){0};
    read_limits(&fit.limits, settings, o);
    if (o->custom == NULL)
        fit.objective = gersh__objective_find(gersh__objective_resolve(
            gersh__setting_text(settings, GERSH__OBJECTIVE), gersh__objective_source(data, o->tuples)));
    gersh_status status =
        gersh_dataset_rows(data) < 2
            ? gersh__fail(GERSH_ERROR_INPUT, "there are no pairs: the data has fewer than two rows")
            : check_start(o->start, fit.solver, gersh_dataset_features(data));
    if (status == GERSH_OK)
        status = gersh__solver_check(fit.solver, settings, o->rule_count > 0);
    if (status == GERSH_OK && o->rule_count > 0)
        status = gersh__rules_new(&fit.rules, gersh_dataset_features(data), o->rules, o->rule_count);
    if (status == GERSH_OK)
        status = gersh__pool_new(&fit.pool, (int)gersh__setting_whole(settings, GERSH__THREADS));
    if (status == GERSH_OK && fit.solver->info.dense)
        status = gersh__dataset_dense(&own, &fit.data);
    if (status == GERSH_OK)
        status = o->tuples != NULL ? fit_tuples(out, info, &fit) : fit_rows(out, info, &fit);
    if (status == GERSH_OK)
        status = check_metric(out, info);
    *witness = fit.witness;
    gersh__rules_free(fit.rules);
    gersh__pool_free(fit.pool);
    gersh_dataset_free(own);
    return status;
}

gersh_status gersh_fit(gersh_metric **out, gersh_fit_info *info, const gersh_dataset *data,
                       const gersh_settings *settings, const gersh_fit_options *options)
{
    gersh__witness witness;
    gersh_fit_info own;
    gersh_status status =
        gersh__fit_certified(out, &witness, info != NULL ? info : &own, data, settings, options);
    gersh_metric_free(witness.metric);
    return status;
}
