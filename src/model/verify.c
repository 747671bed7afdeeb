/*
 * The independent verifier. It builds M from the atoms by code of its own, asks LAPACK for the eigenvalues,
 * and takes the objective's value from its definition (verify_value.c). It uses neither the objectives nor
 * the solvers of the library.
 */
#include "model/verify.h"

#include <lapacke.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/blas.h"
#include "base/error.h"
#include "base/settings.h"
#include "data/dataset.h"

static const double value_error = 1e-8; /* of the objective, relative */
static const double limit_error = 1e-9; /* of ρ, the budget and the bound, relative */
static const double rounding = 1e-12;   /* of entries of M and of sums over samples */

static void clear_dense(gersh__dense *dense)
{
    gersh__free(dense->feature);
    gersh__free(dense->place);
    gersh__free(dense->m);
}

/* Entry of the atom's vector. */
static double entry(const gersh_metric *metric, size_t atom, size_t feature)
{
    if (metric->dense != NULL)
        return metric->dense[atom * metric->features + feature];
    const gersh_atom *z = &metric->atom[atom];
    return (z->i == feature ? z->a : 0) + (z->j == feature && z->i != z->j ? z->b : 0);
}

static void find_touched(gersh__dense *dense, const gersh_metric *metric)
{
    size_t k = metric->features;
    for (size_t j = 0; j < k; j++)
        dense->place[j] = GERSH__NONE;
    for (size_t t = 0; t < metric->atoms; t++) {
        for (size_t j = 0; j < k && metric->dense != NULL; j++)
            if (metric->dense[t * k + j] != 0)
                dense->place[j] = 0;
        if (metric->dense == NULL)
            dense->place[metric->atom[t].i] = dense->place[metric->atom[t].j] = 0;
    }
    for (size_t j = 0; j < k; j++)
        if (dense->place[j] == 0) {
            dense->feature[dense->touched] = j;
            dense->place[j] = dense->touched++;
        }
}

static gersh_status build(gersh__dense *dense, const gersh_metric *metric)
{
    size_t k = metric->features;
    *dense = (gersh__dense){.features = k, .rho = metric->rho};
    dense->feature = gersh__alloc(k, sizeof *dense->feature);
    dense->place = gersh__alloc(k, sizeof *dense->place);
    if (dense->feature == NULL || dense->place == NULL)
        return GERSH_ERROR_MEMORY;
    find_touched(dense, metric);
    size_t s = dense->touched;
    if (s > INT_MAX)
        return gersh__fail(GERSH_ERROR_ARGUMENT, "the metric has %zu features, too many to verify", s);
    gersh_status status = gersh__check_matrix(s);
    if (status != GERSH_OK)
        return status;
    dense->m = gersh__alloc(s, s * sizeof *dense->m);
    if (dense->m == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t a = 0; a < s; a++)
        dense->m[a * s + a] = metric->rho;
    for (size_t t = 0; t < metric->atoms; t++) {
        size_t ends[2] = {0, 0}, count = s;
        if (metric->dense == NULL) {
            ends[0] = dense->place[metric->atom[t].i];
            ends[1] = dense->place[metric->atom[t].j];
            count = ends[0] == ends[1] ? 1 : 2;
        }
        for (size_t p = 0; p < count; p++)
            for (size_t q = 0; q < count; q++) {
                size_t a = metric->dense != NULL ? p : ends[p], b = metric->dense != NULL ? q : ends[q];
                dense->m[a * s + b] += metric->weight[t] * (entry(metric, t, dense->feature[a]) *
                                                            entry(metric, t, dense->feature[b]));
            }
    }
    return GERSH_OK;
}

static void add(gersh_verification *report, const char *name, gersh_check_result result, double number,
                const char *detail)
{
    report->check[report->count++] = (gersh_check){name, result, number, detail};
    if (result == GERSH_CHECK_FAILED)
        report->passed = 0;
}

static gersh_check_result passed_if(int condition)
{
    return condition ? GERSH_CHECK_PASSED : GERSH_CHECK_FAILED;
}

static void check_symmetry(gersh_verification *report, const gersh__dense *dense)
{
    size_t s = dense->touched;
    double worst = 0, largest = 0;
    for (size_t a = 0; a < s; a++)
        for (size_t b = 0; b < s; b++) {
            worst = fmax(worst, fabs(dense->m[a * s + b] - dense->m[b * s + a]));
            largest = fmax(largest, fabs(dense->m[a * s + b]));
        }
    add(report, "symmetric", passed_if(worst <= rounding * largest), worst, "largest |M_ij - M_ji|");
}

/* Whether M_ij is not 0 but for rounding; a and b are places. */
static int is_edge(const gersh__dense *dense, size_t a, size_t b)
{
    const double *m = dense->m;
    size_t s = dense->touched;
    return fabs(m[a * s + b]) > rounding * sqrt(m[a * s + a] * m[b * s + b]);
}

/* sign(M_ij) = −σ_i σ_j wherever M_ij is not 0 but for rounding. */
static void check_colors(gersh_verification *report, const gersh_model *model, const gersh__dense *dense)
{
    size_t s = dense->touched, wrong = 0, edges = 0;
    for (size_t a = 0; a < s; a++)
        for (size_t b = 0; b < a; b++) {
            double value = dense->m[a * s + b];
            if (!is_edge(dense, a, b))
                continue;
            edges++;
            if (model->color != NULL)
                wrong +=
                    (value > 0) == (model->color[dense->feature[a]] == model->color[dense->feature[b]]);
        }
    if (model->color != NULL) {
        add(report, "colours", passed_if(wrong == 0), (double)wrong,
            "edges whose sign contradicts the colours");
        return;
    }
    static const char *const free_solvers[] = {"hull", "psd", "hbnb", "pdcone"};
    int free_signs = 0;
    for (size_t i = 0; i < sizeof free_solvers / sizeof free_solvers[0]; i++)
        free_signs |= gersh__setting_is(model->settings, GERSH__SOLVER, free_solvers[i]);
    add(report, "colours", free_signs ? GERSH_CHECK_SKIPPED : GERSH_CHECK_FAILED, (double)edges,
        "edges, but no colours: the graph is not balanced");
}

/* Every edge has a sign that the rules allow; once a pair is allowed by name, the edges that no rule names
 * are wrong. */
static void check_rules(gersh_verification *report, const gersh_model *model, const gersh__dense *dense)
{
    size_t s = dense->touched, edges = 0, named = 0, wrong = 0;
    int others = 1;
    for (size_t r = 0; r < model->rule_count; r++) {
        const gersh_edge_rule *rule = &model->rules[r];
        size_t a = dense->place[rule->first], b = dense->place[rule->second];
        others = others && rule->kind != GERSH_EDGE_ALLOWED;
        if (a == GERSH__NONE || b == GERSH__NONE || !is_edge(dense, a, b))
            continue;
        named++;
        /* The weight of an edge is −M_ij. */
        wrong += rule->kind == GERSH_EDGE_FORBIDDEN ||
                 (rule->kind == GERSH_EDGE_POSITIVE && dense->m[a * s + b] > 0) ||
                 (rule->kind == GERSH_EDGE_NEGATIVE && dense->m[a * s + b] < 0);
    }
    for (size_t a = 0; a < s && !others; a++)
        for (size_t b = 0; b < a; b++)
            edges += is_edge(dense, a, b) != 0;
    wrong += others || edges < named ? 0 : edges - named;
    if (model->rule_count > 0)
        add(report, "edge rules", passed_if(wrong == 0), (double)wrong,
            "edges that the rules do not allow");
}

static gersh_status check_eigenvalue(gersh_verification *report, const gersh__dense *dense, double rho,
                                     double trace)
{
    size_t s = dense->touched;
    double smallest = s < dense->features ? dense->rho : INFINITY;
    double *copy = gersh__alloc(s, (s + 1) * sizeof *copy); /* LAPACK overwrites the matrix */
    if (copy == NULL)
        return GERSH_ERROR_MEMORY;
    if (s > 0) {
        double scale = trace > 0 ? trace : 1; /* a matrix of tiny numbers is beyond LAPACK */
        for (size_t e = 0; e < s * s; e++)
            copy[e] = dense->m[e] / scale;
        int info =
            LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'L', (lapack_int)s, copy, (lapack_int)s, copy + s * s);
        smallest = info == 0 ? fmin(smallest, copy[s * s] * scale) : NAN;
    }
    gersh__free(copy);
    add(report, "smallest eigenvalue", passed_if(smallest >= rho * (1 - limit_error) - rounding * trace),
        smallest, "to be at least rho");
    return GERSH_OK;
}

static double trace_of(const gersh__dense *dense)
{
    double trace = dense->rho * (double)(dense->features - dense->touched);
    for (size_t a = 0; a < dense->touched; a++)
        trace += dense->m[a * dense->touched + a];
    return trace;
}

/* Less the mean, divided by the sample deviation where there is any; in units of the largest, as for
 * squares. */
static void standardize(size_t n, double *z)
{
    long double mean = 0, square = 0, largest = 0;
    for (size_t i = 0; i < n; i++)
        largest = fmaxl(largest, fabsl(z[i]));
    for (size_t i = 0; largest > 0 && i < n; i++) {
        z[i] = (double)(z[i] / largest);
        mean += (long double)z[i] / (long double)n;
    }
    for (size_t i = 0; i < n; i++)
        square += (z[i] - mean) * (z[i] - mean);
    long double deviation = n > 1 ? sqrtl(square / (long double)(n - 1)) : 0;
    for (size_t i = 0; i < n; i++)
        z[i] = (double)((z[i] - mean) / (deviation > 0 ? deviation : 1));
}

static gersh_status scale_copy(gersh_dataset **out, const gersh_model *model, const gersh_dataset *data)
{
    gersh_status status = gersh_dataset_copy(out, data);
    if (status == GERSH_OK)
        status = gersh_scaling_apply(model->scaling, *out);
    if (status == GERSH_OK && data->targets != NULL)
        standardize(data->n, (*out)->targets);
    return status;
}

static double largest_weight(const gersh_dataset *data)
{
    double largest = data == NULL || data->weights == NULL ? 1 : 0;
    for (size_t i = 0; data != NULL && data->weights != NULL && i < data->n; i++)
        largest = fmax(largest, data->weights[i]);
    return largest;
}

/*
 * What rounding may do to a value near 0: mcml is a difference of logarithms for each row; lmnn a sum of differences
 * of distances; lsml a sum of squares of differences for pairs of pairs; the others have terms of one sign.
 */
static double slack(const gersh_model *model, double value, double margins)
{
    double n = (double)(model->tuples != NULL && model->tuples->count > model->rows ? model->tuples->count
                                                                                    : model->rows);
    double w = largest_weight(model->data);
    if (model->custom || gersh__setting_is(model->settings, GERSH__OBJECTIVE, "mcml"))
        return rounding * (n * w + margins);
    if (gersh__setting_is(model->settings, GERSH__OBJECTIVE, "lsml"))
        return rounding * (2 * sqrt(fabs(value) * margins) + rounding * margins);
    return rounding * (rounding * n * n * w * w + margins);
}

/* value: the stated one, replaced by the recomputed one; margins: see gersh__verify_value. */
static gersh_status check_value(gersh_verification *report, double *value, double *margins,
                                const gersh_model *model, const gersh__dense *dense,
                                const gersh_dataset *data)
{
    gersh_dataset *scaled = NULL;
    double found = 0;
    int estimate = model->info.value_error > 0;
    if (model->custom || data == NULL || estimate) {
        add(report, "objective value", GERSH_CHECK_SKIPPED, *value,
            model->custom ? "of a custom objective, which is not known here"
            : estimate    ? "as stated; an estimate from random pairs of rows"
                          : "as stated; the model was written without its training rows");
        return GERSH_OK;
    }
    gersh_status status = scale_copy(&scaled, model, data);
    if (status == GERSH_OK)
        status =
            gersh__verify_value(&found, margins, gersh__setting_text(model->settings, GERSH__OBJECTIVE),
                                dense, scaled, model->tuples);
    if (status == GERSH_OK) {
        double difference = fabs(found - *value), size = fmax(fabs(found), fabs(*value));
        add(report, "objective value",
            passed_if(difference <= value_error * size + slack(model, size, *margins)),
            size > 0 ? difference / size : 0, "relative difference from the definition");
        *value = found;
    }
    gersh_dataset_free(scaled);
    return status;
}

static void check_bound(gersh_verification *report, const gersh_model *model, double value, double margins)
{
    const gersh_fit_info *info = &model->info;
    if (!info->has_bound) {
        add(report, "bound", GERSH_CHECK_SKIPPED, 0, "there is none");
        return;
    }
    int maximized = !model->custom &&
                    gersh_objective_is_maximized(gersh__setting_text(model->settings, GERSH__OBJECTIVE));
    double gap = maximized ? info->bound - value : value - info->bound;
    double size = fmax(fabs(value), fabs(info->bound));
    int right = gap >= -(limit_error * size + slack(model, size, margins));
    int stated = fabs(fabs(gap) - fabs(info->gap)) <= value_error * size + slack(model, size, margins);
    add(report, "bound", passed_if(right && stated), gap, "from the bound to the value, as stated");
}

static gersh_status check_rows(const gersh_model *model, const gersh_dataset *data)
{
    gersh_status status = gersh_model_check_data(model, data);
    if (status == GERSH_OK && data->n != model->rows)
        status = gersh__fail(
            GERSH_ERROR_INPUT,
            "the data has %zu rows but the model was fitted to %zu; verify it with the data that "
            "it was fitted to",
            data->n, model->rows);
    return status;
}

gersh_status gersh_model_verify(gersh_verification *report, const gersh_model *model,
                                const gersh_dataset *data)
{
    gersh__dense dense = {0};
    double value = model->info.objective_value, margins = 0;
    *report = (gersh_verification){.passed = 1};
    gersh_status status = data != NULL ? check_rows(model, data) : GERSH_OK;
    if (status == GERSH_OK)
        status = gersh__blas_check();
    if (status != GERSH_OK)
        return status;
    status = build(&dense, model->metric);
    if (status != GERSH_OK)
        goto out;
    double trace = trace_of(&dense), budget = model->info.budget;
    check_symmetry(report, &dense);
    check_colors(report, model, &dense);
    check_rules(report, model, &dense);
    status = check_eigenvalue(report, &dense, model->info.rho, trace);
    if (status != GERSH_OK)
        goto out;
    add(report, "trace", passed_if(trace <= budget * (1 + limit_error)), trace, "to be at most the budget");
    status = check_value(report, &value, &margins, model, &dense, data != NULL ? data : model->data);
    if (status == GERSH_OK)
        check_bound(report, model, value, margins);
out:
    clear_dense(&dense);
    return status;
}
