/*
 * S_b and S_w as sums over samples; see importance.h.
 *
 * The sum over all pairs of a set of samples of w_i w_j ΔΔᵀ is W A, with W = Σ w and A = Σ w (x − μ)(x − μ)ᵀ, so that no
 * pair is looked at. For classes c, with P_w = Σ_c (W_c² − Σ w²) / 2 and P_b = Σ_c W_c (W − W_c) / 2 the weights of the
 * pairs, S_w = Σ_c W_c A_c / P_w, and S_b is the rest of all pairs. As A = Σ_c A_c + Σ_c W_c m_c m_cᵀ with m_c = μ_c − μ,
 *
 *     S_b = Σ_c (W − W_c) A_c / P_b + Σ_c W W_c m_c m_cᵀ / P_b ,
 *
 * which subtracts nothing. For targets y, less their mean, with V = Σ w y² and b = Σ w y (x − μ),
 *
 *     S_b = Σ w (y²/V + 1/W) (x − μ)(x − μ)ᵀ + 2 b bᵀ / (W V) ,    S_w = 2 W A / (W² − Σ w²) .
 */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "model/importance.h"

void gersh__moments_clear(gersh__moments *m)
{
    gersh__free(m->gain);
    gersh__free(m->between);
    gersh__free(m->weight);
    gersh__free(m->total);
    gersh__free(m->target);
    gersh__free(m->first);
    gersh__free(m->second);
    *m = (gersh__moments){0};
}

size_t gersh__moments_rows(const gersh__moments *m)
{
    return m->first != NULL ? 0 : m->target != NULL ? 1 : m->groups;
}

/* Weights divided by the largest, so that no product of them overflows. */
static gersh_status make_weights(gersh__moments *m, const double *weights)
{
    size_t n = m->data->n;
    double largest = 0;
    m->weight = gersh__alloc(n, sizeof *m->weight);
    if (m->weight == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, weights != NULL ? weights[i] : 1);
    for (size_t i = 0; i < n; i++)
        m->weight[i] = (weights != NULL ? weights[i] : 1) / largest;
    return GERSH_OK;
}

/* Of the weight of the pairs within each class; `pairs` is overwritten. */
static void set_classes(gersh__moments *m, double *pairs)
{
    size_t n = m->data->n;
    double all = 0, after = 0, near = 0, far = 0, *rest = pairs;
    /* What the other classes weigh is added up: of the difference to all, little is left beside one that is far heavier. */
    for (size_t g = 0; g < m->groups; g++) {
        near += pairs[g];
        rest[g] = all;
        all += m->total[g];
    }
    for (size_t g = m->groups; g-- > 0;) {
        rest[g] += after;
        after += m->total[g];
        far += m->total[g] * rest[g] / 2;
    }
    if (!(near > 0) || !(far > 0)) {
        m->terms = 0;
        return;
    }
    for (size_t i = 0; i < n; i++) {
        m->between[i] = m->weight[i] * rest[m->group[i]] / far;
        m->gain[i] = m->between[i] - m->weight[i] * m->total[m->group[i]] / near;
    }
    for (size_t g = 0; g < m->groups; g++)
        m->gain[n + g] = m->between[n + g] = all * m->total[g] / far;
}

/* pairs: the weight of all ordered pairs. */
static void set_targets(gersh__moments *m, double pairs)
{
    size_t n = m->data->n;
    double all = m->total[0], mean = 0, variance = 0;
    for (size_t i = 0; i < n; i++)
        mean += m->weight[i] / all * m->target[i];
    for (size_t i = 0; i < n; i++) {
        m->target[i] -= mean;
        variance += m->weight[i] * m->target[i] * m->target[i];
    }
    if (!(pairs > 0) || !(variance > 0)) {
        m->terms = 0;
        return;
    }
    for (size_t i = 0; i < n; i++) {
        m->between[i] = m->weight[i] * (m->target[i] * m->target[i] / variance + 1 / all);
        m->gain[i] = m->between[i] - 2 * m->weight[i] * all / pairs;
    }
    m->gain[n] = m->between[n] = 2 / (all * variance);
}

static gersh_status make_samples(gersh__moments *m)
{
    size_t n = m->data->n;
    m->group = m->data->labels;
    m->groups = m->group != NULL ? m->data->classes : 1;
    m->terms = n + (m->group != NULL ? m->groups : 1);
    m->total = gersh__alloc(m->groups, sizeof *m->total);
    m->gain = gersh__alloc(m->terms, sizeof *m->gain);
    m->between = gersh__alloc(m->terms, sizeof *m->between);
    if (m->data->targets != NULL)
        m->target = gersh__alloc(n, sizeof *m->target);
    double *pairs = gersh__alloc(m->groups, sizeof *pairs);
    gersh_status status = GERSH_OK;
    if (m->total == NULL || m->gain == NULL || m->between == NULL || pairs == NULL ||
        (m->data->targets != NULL && m->target == NULL)) {
        status = GERSH_ERROR_MEMORY;
        goto out;
    }
    for (size_t i = 0; i < n; i++) {
        size_t g = m->group != NULL ? (size_t)m->group[i] : 0;
        pairs[g] += m->weight[i] * m->total[g];
        m->total[g] += m->weight[i];
    }
    if (m->target != NULL) {
        memcpy(m->target, m->data->targets, n * sizeof *m->target);
        set_targets(m, 2 * pairs[0]);
    } else {
        set_classes(m, pairs);
    }
out:
    gersh__free(pairs);
    return status;
}

static void add_pair(gersh__moments *m, size_t first, size_t second, int far, double weight)
{
    m->first[m->terms] = first;
    m->second[m->terms] = second;
    m->between[m->terms] = far ? weight : 0;
    m->gain[m->terms++] = far ? weight : -weight;
}

static void add_tuple(gersh__moments *m, const gersh_tuples *tuples, size_t t)
{
    size_t size = gersh_tuple_size(tuples->kind);
    const size_t *row = tuples->row + t * size;
    double weight = 1;
    for (size_t c = 0; c < size; c++)
        weight *= m->weight[row[c]];
    if (tuples->kind == GERSH_PAIRS) {
        add_pair(m, row[0], row[1], !tuples->similar[t], weight);
        return;
    }
    add_pair(m, row[0], row[1], 0, weight);
    add_pair(m, row[tuples->kind == GERSH_TRIPLETS ? 0 : 2], row[size - 1], 1, weight);
}

static gersh_status make_tuples(gersh__moments *m, const gersh_tuples *tuples)
{
    double near = 0, far = 0;
    m->gain = gersh__alloc(tuples->count, 2 * sizeof *m->gain);
    m->between = gersh__alloc(tuples->count, 2 * sizeof *m->between);
    m->first = gersh__alloc(tuples->count, 2 * sizeof *m->first);
    m->second = gersh__alloc(tuples->count, 2 * sizeof *m->second);
    if (m->gain == NULL || m->between == NULL || m->first == NULL || m->second == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t t = 0; t < tuples->count; t++)
        add_tuple(m, tuples, t);
    for (size_t t = 0; t < m->terms; t++) {
        far += m->between[t];
        near += m->between[t] - m->gain[t];
    }
    for (size_t t = 0; t < m->terms; t++) {
        m->between[t] /= far;
        m->gain[t] /= m->gain[t] > 0 ? far : near;
    }
    if (!(near > 0) || !(far > 0))
        m->terms = 0;
    return GERSH_OK;
}

gersh_status gersh__moments_make(gersh__moments *out, const gersh_dataset *scaled, const double *weights,
                                 const gersh_tuples *tuples)
{
    *out = (gersh__moments){.data = scaled};
    if (tuples == NULL && scaled->labels == NULL && scaled->targets == NULL)
        return GERSH_OK;
    gersh_status status = make_weights(out, weights);
    if (status == GERSH_OK)
        status = tuples != NULL ? make_tuples(out, tuples) : make_samples(out);
    if (status != GERSH_OK)
        gersh__moments_clear(out);
    return status;
}
