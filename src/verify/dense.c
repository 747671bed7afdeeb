/* M from the atoms, by code of the verifier's own; its eigenvalues are LAPACK's. */
#include <lapacke.h>
#include <limits.h>
#include <math.h>

#include "base/alloc.h"
#include "base/error.h"
#include "data/dataset.h"
#include "verify/verify.h"

static const double rounding = 1e-12; /* of entries of M */

void gersh__dense_clear(gersh__dense *dense)
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

gersh_status gersh__dense_identity(gersh__dense *dense, size_t features, double factor)
{
    *dense = (gersh__dense){.features = features, .rho = factor};
    dense->feature = gersh__alloc(features, sizeof *dense->feature);
    dense->place = gersh__alloc(features, sizeof *dense->place);
    if (dense->feature == NULL || dense->place == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t j = 0; j < features; j++)
        dense->place[j] = GERSH__NONE;
    return GERSH_OK;
}

gersh_status gersh__dense_build(gersh__dense *dense, const gersh_metric *metric)
{
    gersh_status status = gersh__dense_identity(dense, metric->features, metric->rho);
    if (status != GERSH_OK)
        return status;
    find_touched(dense, metric);
    size_t s = dense->touched;
    if (s > INT_MAX)
        return gersh__fail(GERSH_ERROR_ARGUMENT, "the metric has %zu features, too many to verify", s);
    status = gersh__check_matrix(s);
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

int gersh__dense_is_edge(const gersh__dense *dense, size_t a, size_t b)
{
    const double *m = dense->m;
    size_t s = dense->touched;
    return fabs(m[a * s + b]) > rounding * sqrt(m[a * s + a] * m[b * s + b]);
}

double gersh__dense_trace(const gersh__dense *dense)
{
    double trace = dense->rho * (double)(dense->features - dense->touched);
    for (size_t a = 0; a < dense->touched; a++)
        trace += dense->m[a * dense->touched + a];
    return trace;
}

gersh_status gersh__dense_smallest(double *eigenvalue, const gersh__dense *dense)
{
    size_t s = dense->touched;
    double trace = gersh__dense_trace(dense);
    *eigenvalue = s < dense->features ? dense->rho : INFINITY;
    double *copy = gersh__alloc(s, (s + 1) * sizeof *copy); /* LAPACK overwrites the matrix */
    if (copy == NULL)
        return GERSH_ERROR_MEMORY;
    if (s > 0) {
        double scale = trace > 0 ? trace : 1; /* a matrix of tiny numbers is beyond LAPACK */
        for (size_t e = 0; e < s * s; e++)
            copy[e] = dense->m[e] / scale;
        int info =
            LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'L', (lapack_int)s, copy, (lapack_int)s, copy + s * s);
        *eigenvalue = info == 0 ? fmin(*eigenvalue, copy[s * s] * scale) : NAN;
    }
    gersh__free(copy);
    return GERSH_OK;
}
