/*
 * The root of ρI + WWᵀ with no more columns than features; see map.h. Singular values of W are right to rounding beside
 * the largest, where eigenvalues of WWᵀ would be so only squared: short distances stay right.
 */
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "embed/map.h"

/* The left singular vectors of W, by rows, and its singular values: the smaller of k and m of them. */
typedef struct decomposition {
    size_t rank;
    double *vector; /* rank × k */
    double *value;
} decomposition;

static void clear(decomposition *d)
{
    gersh__free(d->vector);
    gersh__free(d->value);
}

/* w: k × m by columns, which is lost. */
static gersh_status decompose(decomposition *d, size_t k, size_t m, double *w)
{
    double best = 0;
    gersh_status status = GERSH_ERROR_MEMORY;
    lapack_int rows = (lapack_int)k, columns = (lapack_int)m, info;
    *d = (decomposition){.rank = k < m ? k : m};
    d->vector = gersh__alloc(d->rank, k * sizeof *d->vector);
    d->value = gersh__alloc(d->rank, sizeof *d->value);
    if (d->vector == NULL || d->value == NULL)
        return status;
    LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, 'S', 'N', rows, columns, w, rows, d->value, d->vector, rows, NULL,
                        1, &best, -1);
    double *work = gersh__alloc((size_t)best, sizeof *work);
    if (work == NULL)
        return status;
    info = LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, 'S', 'N', rows, columns, w, rows, d->value, d->vector,
                               rows, NULL, 1, work, (lapack_int)best);
    gersh__free(work);
    if (info != 0)
        return gersh__fail(GERSH_ERROR_NUMERIC,
                           "LAPACK's dgesvd failed on %zu atoms of %zu features (info %d)", m, k,
                           (int)info);
    return GERSH_OK;
}

/* √(ρ + s²) − √ρ without cancellation. */
static double gain(double rho, double s)
{
    double root = hypot(sqrt(rho), s);
    return root > 0 ? s * (s / (root + sqrt(rho))) : 0;
}

gersh_status gersh__map_add_root(gersh__map *map, const gersh_metric *metric)
{
    size_t k = metric->features, m = metric->atoms;
    decomposition d = {0};
    double *w = gersh__alloc(m, k * sizeof *w);
    gersh_status status = w != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
    for (size_t t = 0; t < m && status == GERSH_OK; t++)
        for (size_t i = 0; i < k; i++)
            w[t * k + i] = sqrt(metric->weight[t]) * metric->dense[t * k + i];
    if (status == GERSH_OK)
        status = decompose(&d, k, m, w);
    gersh__free(w);
    if (status != GERSH_OK) {
        clear(&d);
        return status;
    }
    for (size_t r = 0; r < d.rank; r++)
        d.value[r] = gain(metric->rho, d.value[r]);
    map->rank = d.rank;
    map->root = sqrt(metric->rho);
    map->gain = d.value;
    map->basis = d.vector;
    return GERSH_OK;
}

/* The atoms of a component as columns of W. */
static double *component_atoms(const gersh_metric *metric, size_t count, size_t atoms, const size_t *atom,
                               const size_t *place)
{
    double *w = gersh__alloc(atoms, count * sizeof *w);
    for (size_t t = 0; t < atoms && w != NULL; t++) {
        const gersh_atom *z = &metric->atom[atom[t]];
        double root = sqrt(metric->weight[atom[t]]);
        w[t * count + place[z->i]] = root * z->a;
        if (z->i != z->j)
            w[t * count + place[z->j]] = root * z->b;
    }
    return w;
}

/* ρ = 0: s Uᵀ, which has as many columns as W has singular values; else √ρ I + U g Uᵀ. The vectors are lost. */
static void fill(gersh__map_block *block, decomposition *d, double rho)
{
    size_t count = block->features;
    for (size_t i = 0; i < count && rho > 0; i++)
        block->matrix[i * count + i] = sqrt(rho);
    for (size_t r = 0; r < d->rank; r++) /* of each vector, the root of what it carries */
        cblas_dscal((int)count, rho > 0 ? sqrt(gain(rho, d->value[r])) : d->value[r], d->vector + r * count,
                    1);
    if (rho == 0)
        memcpy(block->matrix, d->vector, d->rank * count * sizeof *block->matrix);
    else
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)count, (int)count, (int)d->rank, 1,
                    d->vector, (int)count, d->vector, (int)count, 1, block->matrix, (int)count);
}

gersh_status gersh__map_add_narrow(gersh__map *map, const gersh_metric *metric, size_t count,
                                   const size_t *node, size_t atoms, const size_t *atom,
                                   const size_t *place)
{
    decomposition d = {0};
    double *w = component_atoms(metric, count, atoms, atom, place);
    gersh_status status = w != NULL ? decompose(&d, count, atoms, w) : GERSH_ERROR_MEMORY;
    gersh__free(w);
    gersh__map_block *block = NULL;
    if (status == GERSH_OK) {
        block = gersh__map_add_block(map, count, metric->rho > 0 ? count : d.rank, 1);
        status = block != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
    }
    if (status == GERSH_OK) {
        memcpy(block->feature, node, count * sizeof *node);
        fill(block, &d, metric->rho);
    }
    clear(&d);
    return status;
}
