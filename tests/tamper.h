/* Changes of an honest model, each as a forger would make it: what the writer derives, the digests, follows the change. */
#ifndef GERSH_TESTS_TAMPER_H
#define GERSH_TESTS_TAMPER_H

#include <math.h>

#include "base/alloc.h"
#include "base/settings.h"
#include "data/dataset.h"
#include "models.h"
#include "registry.h"

/* Numbers of variants that the registries say. */
enum { EACH_SOLVER = 1000, EACH_OBJECTIVE, EACH_OBJECTIVE_TWICE };

static inline int number_of(int variants)
{
    int objectives = (int)count_objectives(learns_classes);
    return variants == EACH_SOLVER            ? (int)count_solvers(any_solver)
           : variants == EACH_OBJECTIVE       ? objectives
           : variants == EACH_OBJECTIVE_TWICE ? 2 * objectives
                                              : variants;
}

/* An honest model, another one of as many features, and what it was fitted to. */
typedef struct fixture {
    char name[96];
    gersh_model *honest;
    const gersh_model *other;
    gersh_dataset *data;
    gersh_verification report;
    double even; /* the value of (C/K) I */
} fixture;

static inline const gersh_check *look_up(const gersh_verification *report, const char *name)
{
    for (size_t c = 0; c < report->count; c++)
        if (strcmp(report->check[c].name, name) == 0)
            return &report->check[c];
    return NULL;
}

/* A copy by way of the file. */
static inline gersh_model *copy_model(const gersh_model *model, int with_data)
{
    gersh_model *copy = NULL;
    char *bytes = NULL;
    size_t size = 0;
    assert_ok(gersh_model_pack(&bytes, &size, model, with_data));
    assert_ok(gersh_model_unpack(&copy, bytes, size));
    free(bytes);
    return copy;
}

static inline int is_maximized(const gersh_model *m)
{
    return gersh_model_objective(m)->maximized;
}

/* All that follows from value and bound follows them. */
static inline void state_bound(gersh_model *m, double bound, double scale)
{
    gersh_fit_info *info = &m->info;
    info->has_bound = 1;
    info->bound = bound;
    info->gap = is_maximized(m) ? bound - info->objective_value : info->objective_value - bound;
    info->relative_gap = info->gap / fmax(fabs(info->objective_value), scale);
    info->search_gap = info->gap;
    info->stop = info->relative_gap <= info->tol ? GERSH_STOP_CONVERGED : GERSH_STOP_SETTLED;
}

static inline void place_witness_at(gersh_model *m, gersh__witness_place place)
{
    if (place != GERSH__WITNESS_OWN) {
        gersh_metric_free(m->witness.metric);
        m->witness.metric = NULL;
    }
    if (place == GERSH__WITNESS_NONE)
        m->witness.width = 0;
    m->witnessed = place;
}

static inline void state_no_bound(gersh_model *m)
{
    m->info.has_bound = 0;
    m->info.bound = m->info.gap = m->info.relative_gap = m->info.search_gap = NAN;
    m->info.stop = GERSH_STOP_SETTLED;
    place_witness_at(m, GERSH__WITNESS_NONE);
}

static inline void forget_contributions(gersh_model *m)
{
    gersh__free(m->importance.contribution);
    m->importance.contribution = NULL;
    m->importance.separation = 0;
    if (m->importance.kind == GERSH_IMPORTANCE_CONTRIBUTION)
        m->importance.kind = GERSH_IMPORTANCE_WEIGHT;
}

/* The scale of the relative gap, where that is not the value. */
static inline double scale_of(const fixture *f)
{
    const gersh_fit_info *info = &f->honest->info;
    double scale = info->has_bound && info->relative_gap > 0 ? info->gap / info->relative_gap : 0;
    return scale > 1.000001 * fabs(info->objective_value) ? scale : 0;
}

/* Value, and with it the certificate, of the metric that is there, as the verifier computes it; 0: it has none. */
static inline int state_true_value(gersh_model *m, const fixture *f)
{
    gersh_verification report;
    if (gersh_model_verify(&report, m, f->data) != GERSH_OK)
        return 0;
    const gersh_check *check = look_up(&report, "objective value");
    if (check == NULL || !isfinite(check->recomputed))
        return 0;
    m->info.objective_value = check->recomputed;
    forget_contributions(m);
    if (m->info.has_bound)
        state_bound(m, m->info.bound, scale_of(f));
    return 1;
}

/* M becomes one atom on the diagonal: a metric of every solver. */
static inline void take_one_atom(gersh_model *m, size_t feature, double share)
{
    int dense = m->metric->dense != NULL;
    gersh_metric *metric = NULL;
    assert_ok(gersh_metric_new(&metric, m->features, m->metric->rho, 1, dense));
    metric->weight[0] = share * (m->info.budget - m->metric->rho * (double)m->features);
    if (dense)
        metric->dense[feature] = 1;
    else
        metric->atom[0] = (gersh_atom){feature, feature, 1, 0};
    gersh_metric_free(m->metric);
    m->metric = metric;
    if (m->color == NULL)
        m->color = gersh__alloc(m->features, sizeof *m->color);
    for (size_t j = 0; j < m->features; j++)
        m->color[j] = 1;
}

/* M becomes (C/K) I. */
static inline void take_even_atoms(gersh_model *m)
{
    size_t k = m->features;
    gersh_metric *metric = NULL;
    assert_ok(gersh_metric_new(&metric, k, m->metric->rho, k, m->metric->dense != NULL));
    for (size_t j = 0; j < k; j++) {
        metric->weight[j] = m->info.budget / (double)k - m->metric->rho;
        if (metric->dense != NULL)
            metric->dense[j * k + j] = 1;
        else
            metric->atom[j] = (gersh_atom){j, j, 1, 0};
    }
    gersh_metric_free(m->metric);
    m->metric = metric;
}

static inline void set_setting(gersh_model *m, const char *name, const char *value)
{
    assert_ok(gersh_settings_set(m->settings, name, value));
}

static inline void set_setting_number(gersh_model *m, const char *name, double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.17g", value);
    set_setting(m, name, text);
}

/* An operation on a number. */
enum { OPERATIONS = 8 };

static inline double operate(double x, int operation)
{
    const double results[OPERATIONS] = {x * (1 + 1e-6), x * (1 - 1e-6), 2 * x, x / 2, 0, -x, x + 1, 1e300};
    return results[operation];
}

static inline void swap_doubles(double *a, double *b)
{
    double kept = *a;
    *a = *b;
    *b = kept;
}

#endif
