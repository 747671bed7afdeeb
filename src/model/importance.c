/*
 * What features contribute to telling samples apart, and what to rank them by; see gersh/importance.h.
 *
 * With S_b − S_w = Σ_t g_t u_t u_tᵀ, the contribution of feature i is Σ_t g_t u_ti (M u_t)_i: one product of M with a
 * vector for each sample, and no matrix of features times features (slots.h). What features of sparse data contribute
 * that no atom has is rho times a variance (importance_sparse.c).
 *
 * Terms are divided into parts by their number alone, and the parts' sums are added in order.
 */
#include "model/importance.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/policy.h"
#include "base/threads.h"
#include "model/model.h"
#include "model/slots.h"

typedef struct work {
    gersh__slots slots;
    gersh__moments moments;
    double *mean; /* groups × slots */
    double *row;  /* of the last terms, as slots */
    size_t parts;
    size_t rows;     /* terms at once */
    size_t room;     /* doubles of scratch for a thread */
    double *scratch; /* threads × room */
    double *gain;    /* parts × slots */
    double *between; /* parts */
} work;

/* Means of the groups. Deviations from one member are added, so that a constant feature has its value to the bit. */
static void make_means(work *w, double *origin, double *values)
{
    const gersh__moments *m = &w->moments;
    size_t n = m->data->n;
    for (size_t i = 0; i < n; i++) {
        size_t g = m->group != NULL ? (size_t)m->group[i] : 0;
        if (m->weight[i] == 0)
            continue;
        double *mean = w->mean + g * w->slots.count, share = m->weight[i] / m->total[g];
        double *first = origin + g * w->slots.count;
        gersh__slots_write(&w->slots, m->data, i, values);
        if (!isfinite(first[0]))
            memcpy(first, values, w->slots.count * sizeof *first);
        for (size_t s = 0; s < w->slots.count; s++)
            mean[s] += share * (values[s] - first[s]);
    }
    for (size_t e = 0; e < m->groups * w->slots.count; e++)
        w->mean[e] += m->total[e / w->slots.count] > 0 ? origin[e] : 0;
}

/* The last terms of classes: the groups' means less the mean of all. */
static void make_class_rows(work *w)
{
    const gersh__moments *m = &w->moments;
    size_t first = 0;
    double all = 0;
    for (size_t g = 0; g < m->groups; g++)
        all += m->total[g];
    while (m->total[first] == 0)
        first++;
    for (size_t s = 0; s < w->slots.count; s++) {
        double origin = w->mean[first * w->slots.count + s], mean = 0;
        for (size_t g = 0; g < m->groups; g++)
            mean += m->total[g] / all * (w->mean[g * w->slots.count + s] - origin);
        for (size_t g = 0; g < m->groups; g++)
            w->row[g * w->slots.count + s] =
                m->total[g] > 0 ? w->mean[g * w->slots.count + s] - origin - mean : 0;
    }
}

/* The last term of targets: b. */
static void make_target_row(work *w, double *values)
{
    const gersh__moments *m = &w->moments;
    for (size_t i = 0; i < m->data->n; i++) {
        double factor = m->weight[i] * m->target[i];
        if (factor == 0)
            continue;
        gersh__slots_write(&w->slots, m->data, i, values);
        for (size_t s = 0; s < w->slots.count; s++)
            w->row[s] += factor * (values[s] - w->mean[s]);
    }
}

static gersh_status make_rows(work *w)
{
    const gersh__moments *m = &w->moments;
    gersh_status status = GERSH_ERROR_MEMORY;
    if (m->first != NULL)
        return GERSH_OK;
    double *origin = gersh__alloc(m->groups, w->slots.count * sizeof *origin);
    double *values = gersh__alloc(w->slots.count, sizeof *values);
    w->mean = gersh__alloc(m->groups, w->slots.count * sizeof *w->mean);
    w->row = gersh__alloc(gersh__moments_rows(m), w->slots.count * sizeof *w->row);
    if (origin == NULL || values == NULL || w->mean == NULL || w->row == NULL)
        goto out;
    for (size_t g = 0; g < m->groups && w->slots.count > 0; g++)
        origin[g * w->slots.count] = NAN; /* no member yet */
    make_means(w, origin, values);
    if (m->target != NULL)
        make_target_row(w, values);
    else
        make_class_rows(w);
    status = GERSH_OK;
out:
    gersh__free(origin);
    gersh__free(values);
    return status;
}

/* Term t at the slots; `other` has room for one more. */
static void write_term(const work *w, size_t t, double *out, double *other)
{
    const gersh__moments *m = &w->moments;
    size_t n = m->data->n;
    const double *less = other;
    if (m->first != NULL) {
        gersh__slots_write(&w->slots, m->data, m->first[t], out);
        gersh__slots_write(&w->slots, m->data, m->second[t], other);
    } else if (t < n) {
        gersh__slots_write(&w->slots, m->data, t, out);
        less = w->mean + (m->group != NULL ? (size_t)m->group[t] : 0) * w->slots.count;
    } else {
        memcpy(out, w->row + (t - n) * w->slots.count, w->slots.count * sizeof *out);
        return;
    }
    for (size_t s = 0; s < w->slots.count; s++)
        out[s] -= less[s];
}

static void run_part(void *context, size_t part, int worker)
{
    work *w = context;
    const gersh__moments *m = &w->moments;
    size_t at = part * m->terms / w->parts, end = (part + 1) * m->terms / w->parts, slots = w->slots.count;
    double *u = w->scratch + (size_t)worker * w->room, *v = u + w->rows * slots,
           *along = v + w->rows * slots;
    double *gain = w->gain + part * slots, between = 0;
    while (at < end) {
        size_t rows = 0, term[GERSH__DENSE_TERMS];
        for (; rows < w->rows && at < end; at++)
            if (m->gain[at] != 0 || m->between[at] != 0) {
                write_term(w, at, u + rows * slots, v);
                term[rows++] = at;
            }
        gersh__slots_multiply(&w->slots, rows, u, v, along);
        for (size_t r = 0; r < rows; r++) {
            const double *x = u + r * slots, *y = v + r * slots;
            double factor = m->gain[term[r]], distance = 0;
            for (size_t s = 0; s < slots; s++) {
                gain[s] += factor * (x[s] * y[s]);
                distance += x[s] * y[s];
            }
            between += m->between[term[r]] * distance;
        }
    }
    w->between[part] = between;
}

/* Adds what the written-out features have of c and of tr(M S_b). */
static gersh_status add_slots(work *w, double *gain, double *between, int threads)
{
    const gersh__moments *m = &w->moments;
    gersh__pool *pool = NULL;
    size_t atoms = w->slots.metric->atoms;
    int much = (double)m->terms * (double)(w->slots.count + atoms) > GERSH__MUCH_WORK;
    gersh_status status = make_rows(w);
    if (status == GERSH_OK)
        status = gersh__pool_new(&pool, much ? threads : 1);
    if (status != GERSH_OK)
        return status;
    w->parts = m->terms / GERSH__PART_TERMS + 1 < GERSH__MOST_PARTS ? m->terms / GERSH__PART_TERMS + 1
                                                                    : GERSH__MOST_PARTS;
    w->rows = w->slots.atom != NULL ? 1 : GERSH__DENSE_TERMS;
    w->room = w->rows * (2 * w->slots.count + (w->slots.atom != NULL ? 0 : atoms));
    w->scratch = gersh__alloc((size_t)gersh__pool_threads(pool), w->room * sizeof *w->scratch);
    w->gain = gersh__alloc(w->parts, w->slots.count * sizeof *w->gain);
    w->between = gersh__alloc(w->parts, sizeof *w->between);
    if (w->scratch == NULL || w->gain == NULL || w->between == NULL)
        status = GERSH_ERROR_MEMORY;
    else
        gersh__pool_run(pool, w->parts, run_part, w);
    for (size_t p = 0; p < w->parts && status == GERSH_OK; p++) {
        for (size_t s = 0; s < w->slots.count; s++)
            gain[w->slots.feature != NULL ? w->slots.feature[s] : s] += w->gain[p * w->slots.count + s];
        *between += w->between[p];
    }
    gersh__pool_free(pool);
    return status;
}

static gersh_status contribute(work *w, const gersh_metric *metric, double *gain, double *between,
                               int threads)
{
    gersh_status status = gersh__slots_choose(&w->slots, metric, w->moments.data);
    if (status == GERSH_OK && w->slots.count > 0)
        status = add_slots(w, gain, between, threads);
    if (status == GERSH_OK && w->slots.feature != NULL && w->slots.metric->rho > 0)
        status = gersh__importance_sparse(gain, between, &w->moments, w->slots.metric->rho, w->slots.slot);
    gersh__slots_clear(&w->slots);
    gersh__free(w->mean);
    gersh__free(w->row);
    gersh__free(w->scratch);
    gersh__free(w->gain);
    gersh__free(w->between);
    return status;
}

void gersh__importance_clear(gersh_importance *importance)
{
    gersh__free(importance->contribution);
    gersh__free(importance->permutation);
    gersh__free(importance->deviation);
    *importance = (gersh_importance){0};
}

gersh_status gersh__importance_contribute(gersh_importance *out, const gersh_metric *metric,
                                          const gersh_dataset *scaled, const double *weights,
                                          const gersh_tuples *tuples, int threads)
{
    work w = {0};
    size_t k = metric->features;
    double between = 0, sum = 0;
    gersh_status status = gersh__moments_make(&w.moments, scaled, weights, tuples);
    if (status != GERSH_OK || w.moments.terms == 0) {
        gersh__moments_clear(&w.moments);
        return status;
    }
    double *gain = gersh__alloc(k, sizeof *gain);
    status = gain != NULL ? contribute(&w, metric, gain, &between, threads) : GERSH_ERROR_MEMORY;
    gersh__moments_clear(&w.moments);
    for (size_t i = 0; i < k && status == GERSH_OK; i++)
        sum += gain[i];
    if (status == GERSH_OK && isfinite(sum) && isfinite(between) && between > 0) {
        out->contribution = gain;
        out->separation = sum / between;
        out->kind =
            gersh_importance_is_blind(out) ? GERSH_IMPORTANCE_WEIGHT : GERSH_IMPORTANCE_CONTRIBUTION;
        return GERSH_OK;
    }
    gersh__free(gain);
    return status;
}

const gersh_importance *gersh_model_importance(const gersh_model *model)
{
    return &model->importance;
}

int gersh_importance_is_blind(const gersh_importance *importance)
{
    return importance->contribution != NULL && importance->separation < GERSH_IMPORTANCE_BLIND;
}

const char *gersh_importance_kind_name(gersh_importance_kind kind)
{
    static const char *const names[] = {"weight", "contribution", "permutation"};
    return (size_t)kind < sizeof names / sizeof names[0] ? names[kind] : NULL;
}

/* The diagonal of M. */
static void write_weights(double *value, const gersh_metric *metric)
{
    size_t k = metric->features;
    for (size_t i = 0; i < k; i++)
        value[i] = metric->rho;
    for (size_t t = 0; t < metric->atoms; t++) {
        if (metric->dense != NULL) {
            for (size_t i = 0; i < k; i++)
                value[i] += metric->weight[t] * metric->dense[t * k + i] * metric->dense[t * k + i];
            continue;
        }
        const gersh_atom *z = &metric->atom[t];
        value[z->i] += metric->weight[t] * z->a * z->a;
        if (z->i != z->j)
            value[z->j] += metric->weight[t] * z->b * z->b;
    }
}

static const double *values_of(const gersh_importance *importance, gersh_importance_kind kind)
{
    return kind == GERSH_IMPORTANCE_CONTRIBUTION  ? importance->contribution
           : kind == GERSH_IMPORTANCE_PERMUTATION ? importance->permutation
                                                  : NULL;
}

gersh_importance_kind gersh_importance_rank(double *value, const gersh_model *model)
{
    const gersh_importance *importance = &model->importance;
    const double *own = values_of(importance, importance->kind);
    double sum = 0;
    if (own == NULL) {
        write_weights(value, model->metric);
        return GERSH_IMPORTANCE_WEIGHT;
    }
    for (size_t i = 0; i < model->metric->features; i++)
        sum += own[i];
    int shares = importance->kind == GERSH_IMPORTANCE_CONTRIBUTION && sum != 0;
    for (size_t i = 0; i < model->metric->features; i++)
        value[i] = shares ? own[i] / fabs(sum) : own[i];
    return importance->kind;
}

gersh_status gersh_importance_choose(gersh_model *model, gersh_importance_kind kind)
{
    if (gersh_importance_kind_name(kind) == NULL)
        return gersh__fail(GERSH_ERROR_ARGUMENT,
                           "there is no kind %d of importance; expected one of "
                           "gersh_importance_kind",
                           (int)kind);
    if (kind != GERSH_IMPORTANCE_WEIGHT && values_of(&model->importance, kind) == NULL)
        return gersh__fail(
            GERSH_ERROR_INPUT,
            kind == GERSH_IMPORTANCE_CONTRIBUTION
                ? "the model has no contributions of the features: there are no pairs of samples that are "
                  "to be near each other, or none that are to be far apart, or its file holds neither "
                  "contributions nor training samples"
                : "the model has no permutation importance yet; compute it first");
    model->importance.kind = kind;
    return GERSH_OK;
}
