/* What a model file says must not contradict itself; whether it is true is the verifier's to find out. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/settings.h"
#include "model/reader.h"
#include "objective/objective.h"
#include "solver/solver.h"

static const double rounding = 1e-9; /* relative */

static gersh_status check_solver(const gersh_model *model)
{
    const gersh_solver_info *solver = gersh_model_solver(model);
    if ((model->metric->dense != NULL) != solver->dense)
        return gersh__fail(GERSH_ERROR_INPUT, "the metric has %s atoms, which the solver %s does not make",
                           solver->dense ? "sparse" : "dense", solver->name);
    if (model->info.has_bound && solver->bound == GERSH_BOUND_NONE)
        return gersh__fail(GERSH_ERROR_INPUT, "the model states a bound, but the solver %s has none",
                           solver->name);
    if (model->rule_count > 0 && !solver->rules)
        return gersh__fail(GERSH_ERROR_INPUT, "the model has edge rules, which the solver %s does not keep",
                           solver->name);
    return GERSH_OK;
}

/* The budget holds what M has of it, and ρ is that of M. */
static gersh_status check_budget(const gersh_model *model)
{
    const gersh_fit_info *info = &model->info;
    double trace = gersh_metric_trace(model->metric);
    if (!isfinite(info->budget) || trace > info->budget * (1 + rounding))
        return gersh__fail(GERSH_ERROR_INPUT,
                           "the metric has the trace %g, but the model says that at most %g was allowed",
                           trace, info->budget);
    if (fabs(model->metric->rho - info->rho) > rounding * info->rho)
        return gersh__fail(GERSH_ERROR_INPUT, "rho is %g for the metric but %g for the fit",
                           model->metric->rho, info->rho);
    if (info->tol != gersh__setting_number(model->settings, GERSH__TOL))
        return gersh__fail(GERSH_ERROR_INPUT, "the fit's tolerance is %g but the setting tol is %g",
                           info->tol, gersh__setting_number(model->settings, GERSH__TOL));
    return GERSH_OK;
}

static int is_sampled(const gersh_fit_info *info)
{
    return info->choice == GERSH_CHOICE_SAMPLED || info->choice == GERSH_CHOICE_MINED;
}

static gersh_status check_gap(const gersh_model *model)
{
    const gersh_fit_info *info = &model->info;
    int maximized = gersh_model_objective(model)->maximized;
    double size = fmax(fabs(info->objective_value), fabs(info->bound)), slack = rounding * size;
    double gap = maximized ? info->bound - info->objective_value : info->objective_value - info->bound;
    if (gap < -slack)
        return gersh__fail(
            GERSH_ERROR_INPUT,
            "the bound %.10g is on the wrong side of the value %.10g: no metric could have that value",
            info->bound, info->objective_value);
    if (fabs(gap - info->gap) > slack)
        return gersh__fail(GERSH_ERROR_INPUT,
                           "the gap is stated as %.10g, but value and bound are %.10g apart", info->gap,
                           gap);
    if (info->search_gap > info->gap + slack || info->search_gap < -slack)
        return gersh__fail(GERSH_ERROR_INPUT,
                           "the gap of the search, %.10g, is not between 0 and the gap, %.10g",
                           info->search_gap, info->gap);
    if (!is_sampled(info) && gersh_model_solver(model)->signs != GERSH_SIGNS_BALANCED &&
        info->search_gap < info->gap - slack)
        return gersh__fail(
            GERSH_ERROR_INPUT,
            "the gap of the search, %.10g, is not the gap, %.10g, which it is for the solver %s",
            info->search_gap, info->gap, gersh_model_solver(model)->name);
    if (info->relative_gap * fabs(info->objective_value) > info->gap + slack ||
        info->relative_gap < -rounding)
        return gersh__fail(GERSH_ERROR_INPUT,
                           "the relative gap %.10g is not that of the gap %.10g and the value %.10g",
                           info->relative_gap, info->gap, info->objective_value);
    return GERSH_OK;
}

/* Only 0 is a bound without a witness, of an objective that is never negative. */
static gersh_status check_witness(const gersh_model *model)
{
    const gersh_fit_info *info = &model->info;
    if (model->witnessed != GERSH__WITNESS_NONE)
        return info->has_bound && !is_sampled(info)
                   ? GERSH_OK
                   : gersh__fail(GERSH_ERROR_INPUT,
                                 "the model has a witness but no bound that it could be of");
    if (!info->has_bound || is_sampled(info) || info->bound == 0 || model->custom)
        return GERSH_OK;
    return gersh__fail(GERSH_ERROR_INPUT,
                       "the model states the bound %.10g, but not the witness that it rests on",
                       info->bound);
}

/* Only lmnn is smoothed where its bound is found. */
static gersh_status check_smoothing(const gersh_model *model)
{
    int smoothed = gersh_model_objective(model)->smoothed && model->witnessed != GERSH__WITNESS_NONE;
    return smoothed || model->witness.width == 0
               ? GERSH_OK
               : gersh__fail(
                     GERSH_ERROR_INPUT,
                     "the witness is said to be smoothed by %g, but nothing of this model is smoothed",
                     model->witness.width);
}

static gersh_status check_pairs(const gersh_model *model)
{
    const gersh_fit_info *info = &model->info;
    if ((info->choice == GERSH_CHOICE_TUPLES) != (model->tuples != NULL))
        return gersh__fail(
            GERSH_ERROR_INPUT, "the fit is said to have learned from %s, but the model has %s",
            gersh_pair_choice_name(info->choice),
            model->tuples != NULL ? gersh_tuple_kind_name(model->tuples->kind) : "no tuples");
    if (!is_sampled(info) && info->pairs != info->pairs_all)
        return gersh__fail(GERSH_ERROR_INPUT,
                           "the fit is said to have learned from all pairs, but from %g of %g", info->pairs,
                           info->pairs_all);
    return GERSH_OK;
}

gersh_status gersh__model_check_claims(const gersh_model *model)
{
    const gersh_fit_info *info = &model->info;
    gersh_status status = check_solver(model);
    if (status == GERSH_OK)
        status = check_budget(model);
    if (status == GERSH_OK && info->has_bound)
        status = check_gap(model);
    if (status == GERSH_OK)
        status = check_witness(model);
    if (status == GERSH_OK)
        status = check_smoothing(model);
    if (status == GERSH_OK)
        status = check_pairs(model);
    if (status != GERSH_OK)
        return status;
    if (info->value_error > 0 && !is_sampled(info))
        return gersh__fail(GERSH_ERROR_INPUT,
                           "the value is stated with an error of %g, but it is not of sampled pairs",
                           info->value_error);
    if (info->stop == GERSH_STOP_CONVERGED && !(info->relative_gap <= info->tol * (1 + rounding)))
        return gersh__fail(
            GERSH_ERROR_INPUT,
            "the fit is said to have converged, but the relative gap %.3g is not within the tolerance %.3g",
            info->relative_gap, info->tol);
    return GERSH_OK;
}
