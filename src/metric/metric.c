/*
 * Metrics as lists of atoms: M = ρ I + Σ_a weight_a z_a z_aᵀ.
 *
 * Distances are sums of squares over the atoms, ρ‖x − y‖² + Σ_a weight_a (z_aᵀ(x − y))², so that they are
 * never negative. The graph's off-diagonal entries are the sums of the atoms on the same pair of features;
 * what is left of such a sum by cancellation is rounding, not an edge.
 */
#include "gersh/metric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "linalg/kernels.h"
#include "metric/metric.h"

static const double rounding = 1e-12;

gersh_status gersh_metric_new(gersh_metric **out, size_t features, double rho, size_t atoms, int dense)
{
    *out = NULL;
    if (features == 0)
        return gersh__fail(GERSH_ERROR_ARGUMENT, "a metric needs at least one feature");
    if (!isfinite(rho) || rho < 0)
        return gersh__fail(GERSH_ERROR_ARGUMENT, "rho is %g; it must be a number of at least 0", rho);
    if (dense && atoms > SIZE_MAX / features)
        return gersh__fail(GERSH_ERROR_MEMORY, "out of memory: %zu dense atoms of %zu features", atoms,
                           features);
    gersh_metric *metric = gersh__alloc(1, sizeof *metric);
    if (metric == NULL)
        return GERSH_ERROR_MEMORY;
    metric->features = features;
    metric->rho = rho;
    metric->atoms = atoms;
    metric->weight = gersh__alloc(atoms, sizeof *metric->weight);
    if (dense)
        metric->dense = gersh__alloc(atoms * features, sizeof *metric->dense);
    else
        metric->atom = gersh__alloc(atoms, sizeof *metric->atom);
    if (metric->weight == NULL || (metric->atom == NULL && metric->dense == NULL)) {
        gersh_metric_free(metric);
        return GERSH_ERROR_MEMORY;
    }
    *out = metric;
    return GERSH_OK;
}

void gersh_metric_free(gersh_metric *metric)
{
    if (metric == NULL)
        return;
    gersh__free(metric->weight);
    gersh__free(metric->atom);
    gersh__free(metric->dense);
    gersh__free(metric);
}

gersh_status gersh_metric_copy(gersh_metric **out, const gersh_metric *metric)
{
    size_t atoms = metric->atoms, features = metric->features;
    gersh_status status = gersh_metric_new(out, features, metric->rho, atoms, metric->dense != NULL);
    if (status != GERSH_OK || atoms == 0)
        return status;
    memcpy((*out)->weight, metric->weight, atoms * sizeof *metric->weight);
    if (metric->dense != NULL)
        memcpy((*out)->dense, metric->dense, atoms * features * sizeof *metric->dense);
    else
        memcpy((*out)->atom, metric->atom, atoms * sizeof *metric->atom);
    return GERSH_OK;
}

int gersh__metric_atom_holds(const gersh_metric *metric, size_t t)
{
    static const double unit_error = 1e-6; /* of the length */
    size_t k = metric->features;
    double square = 0;
    if (metric->dense != NULL) {
        for (size_t j = 0; j < k; j++)
            square += metric->dense[t * k + j] * metric->dense[t * k + j];
    } else {
        const gersh_atom *z = &metric->atom[t];
        if (z->i >= k || z->j >= k || (z->i == z->j && z->b != 0))
            return 0;
        square = z->a * z->a + z->b * z->b;
    }
    return fabs(sqrt(square) - 1) <= unit_error; /* not where a number is none */
}

/* The dense atoms one row of M at a time: M_i = Σ_t (w_t z_ti) z_t, symmetric to the bit. */
static void add_dense(const gersh_metric *metric, double *m)
{
    size_t k = metric->features;
    const gersh__kernels *kernel = gersh__kernels_here();
    for (size_t i = 0; i < k; i++)
        for (size_t t = 0; t < metric->atoms; t++)
            kernel->axpy(i + 1, metric->weight[t] * metric->dense[t * k + i], metric->dense + t * k,
                         m + i * k);
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < i; j++)
            m[j * k + i] = m[i * k + j];
}

void gersh_metric_matrix(const gersh_metric *metric, double *m)
{
    size_t k = metric->features;
    memset(m, 0, k * k * sizeof *m);
    for (size_t i = 0; i < k; i++)
        m[i * k + i] = metric->rho;
    if (metric->dense != NULL) {
        add_dense(metric, m);
        return;
    }
    for (size_t t = 0; t < metric->atoms; t++) {
        double w = metric->weight[t];
        const gersh_atom *z = &metric->atom[t];
        m[z->i * k + z->i] += w * z->a * z->a;
        if (z->i == z->j)
            continue;
        m[z->j * k + z->j] += w * z->b * z->b;
        m[z->i * k + z->j] += w * (z->a * z->b);
        m[z->j * k + z->i] += w * (z->a * z->b);
    }
}

double gersh_metric_distance(const gersh_metric *metric, const double *x, const double *y)
{
    size_t k = metric->features;
    double sum = 0;
    for (size_t i = 0; i < k && metric->rho > 0; i++)
        sum += (x[i] - y[i]) * (x[i] - y[i]);
    sum *= metric->rho;
    for (size_t t = 0; t < metric->atoms; t++) {
        double along = 0;
        if (metric->dense == NULL) {
            const gersh_atom *z = &metric->atom[t];
            along = z->a * (x[z->i] - y[z->i]);
            if (z->i != z->j)
                along += z->b * (x[z->j] - y[z->j]);
        } else {
            const double *z = metric->dense + t * k;
            for (size_t i = 0; i < k; i++)
                along += z[i] * (x[i] - y[i]);
        }
        sum += metric->weight[t] * along * along;
    }
    return sum;
}

double gersh_metric_trace(const gersh_metric *metric)
{
    size_t k = metric->features;
    double trace = metric->rho * (double)k;
    for (size_t t = 0; t < metric->atoms; t++) {
        double square = 0;
        if (metric->dense == NULL) {
            const gersh_atom *z = &metric->atom[t];
            square = z->a * z->a + (z->i != z->j ? z->b * z->b : 0);
        } else {
            const double *z = metric->dense + t * k;
            for (size_t i = 0; i < k; i++)
                square += z[i] * z[i];
        }
        trace += metric->weight[t] * square;
    }
    return trace;
}

/* Part of an entry M_ij, i < j, that one atom gives. */
typedef struct part {
    size_t i, j, atom;
    double value;
} part;

/* By place; then by atom, so that the order of summation is fixed. */
static int compare_parts(const void *left, const void *right)
{
    const part *a = left, *b = right;
    if (a->i != b->i)
        return a->i < b->i ? -1 : 1;
    if (a->j != b->j)
        return a->j < b->j ? -1 : 1;
    return a->atom < b->atom ? -1 : a->atom > b->atom;
}

static size_t list_parts(part *parts, const gersh_metric *metric)
{
    size_t count = 0;
    for (size_t t = 0; t < metric->atoms; t++) {
        const gersh_atom *z = &metric->atom[t];
        if (z->i == z->j)
            continue;
        parts[count].i = z->i < z->j ? z->i : z->j;
        parts[count].j = z->i < z->j ? z->j : z->i;
        parts[count].atom = t;
        parts[count++].value = metric->weight[t] * (z->a * z->b);
    }
    return count;
}

/* Replaces equal places by one with their sum and drops sums that are 0 but for rounding. */
static size_t add_up(part *parts, size_t count, const double *diagonal)
{
    size_t kept = 0;
    for (size_t p = 0; p < count;) {
        part sum = parts[p];
        for (p++; p < count && parts[p].i == sum.i && parts[p].j == sum.j; p++)
            sum.value += parts[p].value;
        if (fabs(sum.value) > rounding * sqrt(diagonal[sum.i]) * sqrt(diagonal[sum.j]))
            parts[kept++] = sum;
    }
    return kept;
}

static gersh_status sparse_graph(gersh_graph **out, const gersh_metric *metric)
{
    size_t k = metric->features, atoms = metric->atoms;
    gersh_status status = GERSH_ERROR_MEMORY;
    double *diagonal = gersh__alloc(k, sizeof *diagonal), *entry = gersh__alloc(atoms, sizeof *entry);
    size_t *first = gersh__alloc(atoms, sizeof *first), *second = gersh__alloc(atoms, sizeof *second);
    part *parts = gersh__alloc(atoms, sizeof *parts);
    if (diagonal == NULL || entry == NULL || first == NULL || second == NULL || parts == NULL)
        goto out;
    for (size_t i = 0; i < k; i++)
        diagonal[i] = metric->rho;
    for (size_t t = 0; t < atoms; t++) {
        const gersh_atom *z = &metric->atom[t];
        diagonal[z->i] += metric->weight[t] * z->a * z->a;
        if (z->i != z->j)
            diagonal[z->j] += metric->weight[t] * z->b * z->b;
    }
    size_t count = list_parts(parts, metric);
    qsort(parts, count, sizeof *parts, compare_parts);
    count = add_up(parts, count, diagonal);
    for (size_t e = 0; e < count; e++) {
        first[e] = parts[e].i;
        second[e] = parts[e].j;
        entry[e] = parts[e].value;
    }
    status = gersh_graph_from_edges(out, k, diagonal, count, first, second, entry);
out:
    gersh__free(parts);
    gersh__free(second);
    gersh__free(first);
    gersh__free(entry);
    gersh__free(diagonal);
    return status;
}

static gersh_status dense_graph(gersh_graph **out, const gersh_metric *metric)
{
    size_t k = metric->features;
    gersh_status status = gersh__check_matrix(k);
    if (status != GERSH_OK)
        return status;
    double *m = gersh__alloc(k, k * sizeof *m);
    if (m == NULL)
        return GERSH_ERROR_MEMORY;
    gersh_metric_matrix(metric, m);
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < i; j++)
            if (fabs(m[i * k + j]) <= rounding * sqrt(m[i * k + i]) * sqrt(m[j * k + j]))
                m[i * k + j] = m[j * k + i] = 0;
    status = gersh_graph_from_dense(out, k, m, 0, NULL);
    gersh__free(m);
    return status;
}

gersh_status gersh_metric_graph(gersh_graph **out, const gersh_metric *metric)
{
    *out = NULL;
    return metric->dense != NULL ? dense_graph(out, metric) : sparse_graph(out, metric);
}
