/*
 * The independent verifier: gersh_model_verify. Each claim of a model is held against its definition; what the solvers
 * kept in their books is not asked.
 */
#include "verify/verify.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/blas.h"
#include "base/error.h"
#include "base/settings.h"
#include "data/dataset.h"
#include "experiment/fit.h"
#include "model/digest.h"

static const double limit_error = 1e-9; /* of ρ, C, values and bounds, relative */
/*
 * Of the scale of the gap: what a bound may be weaker than the recomputed one, as the solver leaves out what rounding may have
 * done; where that is more, bounds are not compared.
 */
#define UNSURE 1e-3

static const double rounding = 1e-12; /* of sums over samples, as a share of what was added up */

const char *gersh_check_result_name(gersh_check_result result)
{
    static const char *const names[] = {"failed", "passed", "not checked"};
    return (size_t)result < sizeof names / sizeof names[0] ? names[result] : "unknown";
}

const char *gersh_verification_verdict_name(gersh_verification_verdict verdict)
{
    static const char *const names[] = {"FAILED", "verified", "not fully checked"};
    return (size_t)verdict < sizeof names / sizeof names[0] ? names[verdict] : "unknown";
}

gersh_check *gersh__verify_add(gersh__verification *v, const char *name, gersh_check_result result,
                               const char *format, ...)
{
    gersh_verification *report = v->report;
    gersh_check *check = &report->check[report->count++];
    *check =
        (gersh_check){.name = name, .result = result, .stated = NAN, .recomputed = NAN, .tolerance = NAN};
    va_list list;
    va_start(list, format);
    vsnprintf(check->sentence, sizeof check->sentence, format, list);
    va_end(list);
    return check;
}

void gersh__verify_compare(gersh__verification *v, const char *name, const char *what, double stated,
                           double recomputed, double tolerance)
{
    int passed = fabs(recomputed - stated) <= tolerance;
    gersh_check *check =
        gersh__verify_add(v, name, passed ? GERSH_CHECK_PASSED : GERSH_CHECK_FAILED,
                          "%s is stated as %.10g, recomputed as %.10g", what, stated, recomputed);
    check->stated = stated;
    check->recomputed = recomputed;
    check->tolerance = tolerance;
}

/* The classes by name, or targets, or neither. */
static int same_task(const gersh_model *model, const gersh_dataset *data)
{
    size_t classes = data->labels != NULL ? data->classes : 0;
    int same = model->classes == classes && (model->regress != 0) == (data->targets != NULL);
    for (size_t c = 0; same && c < classes; c++)
        same = strcmp(model->class_names[c], data->class_names[c]) == 0;
    return same;
}

/* The samples that the model was fitted to, as far as their digest tells. */
static void check_samples(gersh__verification *v, const gersh_dataset *given)
{
    char found[GERSH__DIGEST_SIZE], wanted[GERSH__DIGEST_SIZE];
    const gersh_model *model = v->model;
    if (given == NULL)
        return;
    gersh__digest_samples(found, model, given);
    if (model->data != NULL)
        gersh__digest_samples(wanted, model, model->data);
    else
        memcpy(wanted, model->samples_digest, sizeof wanted);
    if (!same_task(model, given))
        gersh__verify_add(v, "samples", GERSH_CHECK_FAILED,
                          "these samples have other classes than the model, or another task");
    else if (strcmp(found, wanted) != 0)
        gersh__verify_add(
            v, "samples", GERSH_CHECK_FAILED,
            "these are not the samples that the model was fitted to: their digest is %.12s...", found);
    else
        gersh__verify_add(v, "samples", GERSH_CHECK_PASSED,
                          "these are the samples that the model was fitted to (digest %.12s...)", found);
}

/* A dense copy of the samples, whose scaling is held against them before it is applied. */
static gersh_status check_scaling(gersh__verification *v, const gersh_dataset *data)
{
    if (data == NULL) {
        gersh__verify_add(v, "scaling", GERSH_CHECK_SKIPPED, "%s", v->without);
        return GERSH_OK;
    }
    gersh_status status = gersh_dataset_copy(&v->scaled, data);
    if (status == GERSH_OK)
        status = gersh_dataset_densify(v->scaled);
    if (status != GERSH_OK)
        return status;
    double difference;
    status = gersh__verify_scale(&difference, v->scaled, v->model);
    if (status != GERSH_OK)
        return status;
    gersh_check *check = gersh__verify_add(
        v, "scaling", difference <= limit_error ? GERSH_CHECK_PASSED : GERSH_CHECK_FAILED,
        "means and scales of the features differ from those of the samples by %.2g at most", difference);
    check->recomputed = difference;
    check->tolerance = limit_error;
    return GERSH_OK;
}

static gersh_status check_limits(gersh__verification *v)
{
    double trace, rho;
    const gersh_fit_info *info = &v->model->info;
    int known;
    gersh_status status = gersh__limits_find(&trace, &rho, &known, v->model, v->reference, v->scaled);
    if (status != GERSH_OK)
        return status;
    if (known)
        gersh__verify_compare(v, "trace limit", "the largest trace that the settings allow", info->budget,
                              trace, limit_error * trace);
    else
        gersh__verify_add(v, "trace limit", GERSH_CHECK_SKIPPED, "%s",
                          v->reference == NULL ? v->unknown : v->without);
    gersh__verify_compare(v, "rho", "the smallest eigenvalue that the settings allow", info->rho, rho,
                          limit_error * rho);
    return GERSH_OK;
}

/* Why value and bound cannot be checked; NULL where they can. */
static const char *find_obstacle(const gersh__verification *v)
{
    const gersh_model *model = v->model;
    if (v->reference == NULL)
        return v->unknown;
    if (model->info.choice == GERSH_CHOICE_SAMPLED || model->info.choice == GERSH_CHOICE_MINED)
        return "it is an estimate from sampled pairs of samples";
    return v->scaled == NULL ? v->without : NULL;
}

/* From the minimised sign to the user's, and back. */
static double shown(const gersh__verification *v, double value)
{
    return v->reference->maximized ? -value : value;
}

static gersh_status check_value(gersh__verification *v)
{
    gersh__problem p = {0};
    double stated = v->model->info.objective_value;
    gersh_status status =
        gersh__problem_solve(&p, v->reference, &v->dense, v->scaled, v->model->tuples, 0, 0);
    if (status == GERSH_OK) {
        v->value = v->reference->maximized ? -p.value : p.value;
        v->slack = limit_error * fabs(p.value) + rounding * p.margins;
        gersh__verify_compare(v, "objective value", "the value at M", stated, p.value, v->slack);
    }
    gersh__problem_clear(&p);
    return status;
}

static gersh_status find_scale(gersh__verification *v)
{
    const gersh_fit_info *info = &v->model->info;
    gersh__dense even;
    gersh__problem p = {0};
    gersh_status status = gersh__dense_identity(&even, v->scaled->k, info->budget / (double)v->scaled->k);
    if (status == GERSH_OK)
        status = gersh__problem_solve(&p, v->reference, &even, v->scaled, v->model->tuples, 0, 0);
    v->scale = fmax(fmax(fabs(v->value), 1e-6 * fabs(p.value)), DBL_MIN);
    gersh__problem_clear(&p);
    gersh__dense_clear(&even);
    return status;
}

static void check_gap(gersh__verification *v)
{
    const gersh_fit_info *info = &v->model->info;
    gersh__verify_compare(v, "relative gap", "the gap relative to the value", info->relative_gap,
                          info->gap / v->scale,
                          limit_error + 2 * (v->slack / v->scale) * info->relative_gap);
}

/* F at the metric, where the bound is at stake. */
static gersh_status bound_at(gersh__verification *v, const gersh__dense *at, double *bound, double *error)
{
    gersh__problem p = {0};
    gersh_status status =
        gersh__problem_solve(&p, v->reference, at, v->scaled, v->model->tuples, 1, v->model->witness.width);
    if (status == GERSH_OK && p.endless) {
        *bound = -INFINITY;
        *error = 0;
    } else if (status == GERSH_OK) {
        status = gersh__bound_from(bound, error, &p, v->reference->maximized ? -p.value : p.value,
                                   v->solver->info.bound, v->model,
                                   v->model->info.budget - v->model->info.rho * (double)v->scaled->k);
    }
    gersh__problem_clear(&p);
    return status;
}

static gersh_status check_bound(gersh__verification *v)
{
    const gersh_model *model = v->model;
    const gersh_fit_info *info = &model->info;
    double bound = v->reference->never_negative ? 0 : -INFINITY, error = 0;
    gersh_status status = GERSH_OK;
    if (model->witnessed != GERSH__WITNESS_NONE) {
        gersh__dense own = {0};
        double at, unsure;
        if (model->witnessed == GERSH__WITNESS_OWN)
            status = gersh__dense_build(&own, model->witness.metric);
        if (status == GERSH_OK)
            status = bound_at(v, model->witnessed == GERSH__WITNESS_OWN ? &own : &v->dense, &at, &unsure);
        gersh__dense_clear(&own);
        if (status != GERSH_OK)
            return status;
        if (at > bound) {
            bound = at;
            error = unsure;
        }
    }
    bound = fmin(bound, v->value); /* above it by rounding at most */
    double size = fmax(fabs(info->bound), fabs(info->objective_value));
    if (error > UNSURE * fmax(size, v->scale)) {
        gersh__verify_add(
            v, "bound", GERSH_CHECK_SKIPPED,
            "rounding may change the bound by %.2g, too much to compare it with the stated %.10g", error,
            info->bound);
        return GERSH_OK;
    }
    double tolerance = limit_error * size + error, stated = shown(v, info->bound);
    int passed =
        stated <= bound + tolerance && stated >= bound - fmax(tolerance, UNSURE * fmax(size, v->scale));
    gersh_check *check = gersh__verify_add(
        v, "bound", passed ? GERSH_CHECK_PASSED : GERSH_CHECK_FAILED,
        "the bound at the witness is stated as %.10g, recomputed as %.10g", info->bound, shown(v, bound));
    check->stated = info->bound;
    check->recomputed = shown(v, bound);
    check->tolerance = tolerance;
    return GERSH_OK;
}

static gersh_status check_certificate(gersh__verification *v)
{
    const char *obstacle = find_obstacle(v);
    if (obstacle != NULL) {
        gersh__verify_add(v, "objective value", GERSH_CHECK_SKIPPED, "%s", obstacle);
        if (v->model->info.has_bound)
            gersh__verify_add(v, "bound", GERSH_CHECK_SKIPPED, "%s", obstacle);
        return GERSH_OK;
    }
    gersh_status status = check_value(v);
    if (status != GERSH_OK || !v->model->info.has_bound)
        return status;
    status = find_scale(v);
    if (status == GERSH_OK)
        status = check_bound(v);
    if (status == GERSH_OK)
        check_gap(v);
    return status;
}

static gersh_status check_contributions(gersh__verification *v)
{
    const gersh_importance *importance = &v->model->importance;
    double difference;
    if (importance->permutation != NULL)
        gersh__verify_add(v, "permutation importance", GERSH_CHECK_SKIPPED,
                          "it is of metrics learned anew on random splits");
    if (v->model->bootstrap != NULL)
        gersh__verify_add(v, "bootstrap", GERSH_CHECK_SKIPPED, "it is of metrics learned from resamples");
    if (importance->contribution == NULL)
        return GERSH_OK;
    if (v->scaled == NULL) {
        gersh__verify_add(v, "contributions", GERSH_CHECK_SKIPPED, "%s", v->without);
        return GERSH_OK;
    }
    gersh_status status = gersh__contribution_difference(&difference, v->model, &v->dense, v->scaled);
    if (status != GERSH_OK)
        return status;
    gersh_check *check = gersh__verify_add(
        v, "contributions", difference <= 1e-6 ? GERSH_CHECK_PASSED : GERSH_CHECK_FAILED,
        "what features contribute differs from its definition by %.2g of the largest at most", difference);
    check->recomputed = difference;
    check->tolerance = 1e-6;
    return GERSH_OK;
}

/* How the metric classifies is measured anew, by the code that did so after the fit. */
static gersh_status check_accuracy(gersh__verification *v, const gersh_dataset *data)
{
    const gersh_training_accuracy *stated = &v->model->accuracy;
    gersh_training_accuracy found;
    if (stated->samples == 0)
        return GERSH_OK;
    if (data == NULL) {
        gersh__verify_add(v, "training accuracy", GERSH_CHECK_SKIPPED, "%s", v->without);
        return GERSH_OK;
    }
    gersh_status status = gersh__training_accuracy(&found, v->model, data);
    if (status != GERSH_OK)
        return status;
    int same = found.samples == stated->samples && found.verdict == stated->verdict &&
               found.accuracy == stated->accuracy && found.euclidean == stated->euclidean;
    gersh_check *check =
        gersh__verify_add(v, "training accuracy", same ? GERSH_CHECK_PASSED : GERSH_CHECK_FAILED,
                          "stated as %.4g with the metric and %.4g without, measured as %.4g and %.4g",
                          stated->accuracy, stated->euclidean, found.accuracy, found.euclidean);
    check->stated = stated->accuracy;
    check->recomputed = found.accuracy;
    check->tolerance = 0;
    return GERSH_OK;
}

/* Samples of another kind are no case for checks. */
static gersh_status check_kind(const gersh_model *model, const gersh_dataset *data)
{
    gersh_status status = gersh_model_check_data(model, data);
    if (status == GERSH_OK && data->n != model->rows)
        status = gersh__fail(
            GERSH_ERROR_INPUT,
            "the data has %zu samples but the model was fitted to %zu; verify it with the data that "
            "it was fitted to",
            data->n, model->rows);
    if (status == GERSH_OK && model->tuples == NULL &&
        (model->regress ? data->targets == NULL : data->labels == NULL))
        status = gersh__fail(GERSH_ERROR_INPUT, "the data has no %s, which the model was fitted to",
                             model->regress ? "targets" : "classes");
    return status;
}

static gersh_status run_checks(gersh__verification *v, const gersh_dataset *given)
{
    check_samples(v, given);
    gersh_status status = check_scaling(v, given != NULL ? given : v->model->data);
    if (status == GERSH_OK)
        status = gersh__dense_build(&v->dense, v->model->metric);
    if (status == GERSH_OK)
        status = check_limits(v);
    if (status == GERSH_OK)
        status = gersh__verify_metric(v);
    if (status == GERSH_OK)
        status = check_certificate(v);
    if (status == GERSH_OK)
        status = check_contributions(v);
    return status == GERSH_OK ? check_accuracy(v, given != NULL ? given : v->model->data) : status;
}

gersh_status gersh_model_verify(gersh_verification *report, const gersh_model *model,
                                const gersh_dataset *data)
{
    const char *objective = gersh__setting_text(model->settings, GERSH__OBJECTIVE);
    gersh__verification v = {
        .report = report,
        .model = model,
        .solver = gersh__solver_find(gersh__setting_text(model->settings, GERSH__SOLVER)),
        .reference = model->custom ? NULL : gersh__reference_find(objective),
        .unknown = model->custom ? "the objective is a custom one, which is not known here"
                                 : "the verifier has no definition of the objective",
        .without = "the model does not hold its training samples; name them with --data"};
    *report = (gersh_verification){.count = 0};
    gersh_status status = data != NULL ? check_kind(model, data) : GERSH_OK;
    if (status == GERSH_OK)
        status = gersh__blas_check();
    if (status == GERSH_OK)
        status = run_checks(&v, data);
    report->verdict = GERSH_VERIFICATION_VERIFIED;
    for (size_t c = 0; c < report->count; c++)
        if (report->check[c].result == GERSH_CHECK_FAILED)
            report->verdict = GERSH_VERIFICATION_FAILED;
        else if (report->check[c].result == GERSH_CHECK_SKIPPED &&
                 report->verdict == GERSH_VERIFICATION_VERIFIED)
            report->verdict = GERSH_VERIFICATION_PARTIAL;
    if (status != GERSH_OK)
        report->verdict = GERSH_VERIFICATION_FAILED;
    gersh_dataset_free(v.scaled);
    gersh__dense_clear(&v.dense);
    return status;
}
