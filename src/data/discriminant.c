/*
 * Discriminants: sums of all features that tell the classes apart best, or follow the targets best.
 *
 * S: the covariances of the scaled features, SHRINK of what is off the diagonal taken away. B: a column
 * √w_c (m_c − m) for each class, m_c its mean, w_c its share of all weights; with targets, one column of the
 * covariances with them, divided by their deviation. A discriminant v has the largest vᵀBBᵀv / vᵀSv, each further one
 * the largest of those with vᵀSv' = 0 to the ones before. With S = LLᵀ and W = L⁻¹B they are L⁻ᵀ times the left singular
 * vectors of W: Wu with the eigenvectors u of WᵀW or, where columns are more than features, those of WWᵀ.
 */
#include "data/discriminant.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/random.h"
#include "base/text.h"
#include "base/threads.h"
#include "data/build.h"

#define SHRINK 0.2
#define NOTHING 1e-10 /* an eigenvalue, or a share of the largest one, that is as good as 0 */

enum { BLOCK = 256 };         /* rows at a time */
enum { MOST_ROWS = 1 << 16 }; /* that are looked at: enough for sums of a few hundred features */

typedef struct sums {
    size_t k, columns;
    size_t order;      /* of the gram matrix: the smaller of the two */
    double weight;     /* of all rows */
    double *mean;      /* k */
    double *s;         /* k × k by columns, the lower triangle */
    double *b;         /* k × columns by columns */
    double *share;     /* weight of each class */
    double *gram;      /* order × order: WᵀW or WWᵀ, then its eigenvectors */
    double *eigen;     /* order */
    double *block;     /* BLOCK × k */
    double factor;     /* of the targets, so that their squares are within the range of double, */
    double target;     /* their mean then, */
    double spread;     /* and variance */
    double *direction; /* k */
} sums;

static double weight_of(const gersh_dataset *data, size_t row)
{
    return data->weights != NULL ? data->weights[row] : 1;
}

static gersh_status alloc_sums(sums *m, const gersh_dataset *data)
{
    *m = (sums){.k = data->k, .columns = data->labels != NULL ? data->classes : 1};
    m->order = m->columns < m->k ? m->columns : m->k;
    m->mean = gersh__alloc(m->k, sizeof *m->mean);
    m->s = gersh__alloc(m->k, m->k * sizeof *m->s);
    m->b = gersh__alloc(m->k, m->columns * sizeof *m->b);
    m->share = gersh__alloc(m->columns, sizeof *m->share);
    m->gram = gersh__alloc(m->order, m->order * sizeof *m->gram);
    m->eigen = gersh__alloc(m->order, sizeof *m->eigen);
    m->block = gersh__alloc(BLOCK, m->k * sizeof *m->block);
    m->direction = gersh__alloc(m->k, sizeof *m->direction);
    return m->mean && m->s && m->b && m->share && m->gram && m->eigen && m->block && m->direction
               ? GERSH_OK
               : GERSH_ERROR_MEMORY;
}

static void clear_sums(sums *m)
{
    gersh__free(m->mean);
    gersh__free(m->s);
    gersh__free(m->b);
    gersh__free(m->share);
    gersh__free(m->gram);
    gersh__free(m->eigen);
    gersh__free(m->block);
    gersh__free(m->direction);
}

static void add_means(sums *m, const gersh_dataset *data)
{
    double largest = 0;
    for (size_t i = 0; i < data->n; i++) {
        m->weight += weight_of(data, i);
        largest = data->targets != NULL ? fmax(largest, fabs(data->targets[i])) : 0;
    }
    m->factor = gersh__safe_factor(largest);
    for (size_t i = 0; i < data->n; i++) {
        double weight = weight_of(data, i) / m->weight;
        cblas_daxpy((int)m->k, weight, data->x + i * m->k, 1, m->mean, 1);
        m->target += data->targets != NULL ? weight * (m->factor * data->targets[i]) : 0;
    }
}

/* S, and the sums that B is made of. */
static void add_covariances(sums *m, const gersh_dataset *data)
{
    size_t k = m->k;
    for (size_t from = 0; from < data->n; from += BLOCK) {
        size_t rows = data->n - from < BLOCK ? data->n - from : BLOCK;
        for (size_t r = 0; r < rows; r++) {
            const double *x = data->x + (from + r) * k;
            double *centered = m->block + r * k, weight = weight_of(data, from + r) / m->weight;
            size_t column = data->labels != NULL ? (size_t)data->labels[from + r] : 0;
            double target = data->labels != NULL ? 1 : m->factor * data->targets[from + r] - m->target;
            m->share[column] += weight;
            m->spread += weight * target * target;
            for (size_t f = 0; f < k; f++)
                centered[f] = x[f] - m->mean[f];
            cblas_daxpy((int)k, weight * target, centered, 1, m->b + column * k, 1);
            cblas_dscal((int)k, sqrt(weight), centered, 1);
        }
        cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)k, (int)rows, 1, m->block, (int)k, 1,
                    m->s, (int)k);
    }
    for (size_t c = 0; c < m->columns; c++) {
        double size = data->labels != NULL ? m->share[c] : m->spread;
        cblas_dscal((int)k, size > 0 ? 1 / sqrt(size) : 0, m->b + c * k, 1);
    }
    for (size_t f = 0; f < k; f++) {
        cblas_dscal((int)(k - f - 1), 1 - SHRINK, m->s + f * k + f + 1, 1);
        if (!(m->s[f * k + f] > 0)) /* a constant feature has no part in anything */
            m->s[f * k + f] = 1;
    }
}

/* W in the place of B, and the eigenvectors in that of the gram matrix, in order of their eigenvalues. */
static gersh_status decompose(sums *m)
{
    int k = (int)m->k, columns = (int)m->columns, order = (int)m->order, wide = columns > k;
    lapack_int info = LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', k, m->s, k);
    if (info == 0) {
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, k, columns, 1, m->s,
                    k, m->b, k);
        cblas_dsyrk(CblasColMajor, CblasLower, wide ? CblasNoTrans : CblasTrans, order, wide ? columns : k,
                    1, m->b, k, 0, m->gram, order);
        info = LAPACKE_dsyev(LAPACK_COL_MAJOR, 'V', 'L', order, m->gram, order, m->eigen);
    }
    if (info != 0)
        return gersh__fail(GERSH_ERROR_NUMERIC,
                           "the discriminants of the features cannot be computed (LAPACK info %d); use "
                           "--discriminants no",
                           (int)info);
    return GERSH_OK;
}

/* The discriminant of an eigenvector, of length 1 and with its largest entry positive. Returns 0 where there is none. */
static int make_direction(sums *m, size_t column)
{
    int k = (int)m->k;
    double *v = m->direction;
    const double *u = m->gram + column * m->order;
    if (m->columns > m->k)
        memcpy(v, u, m->k * sizeof *v);
    else
        cblas_dgemv(CblasColMajor, CblasNoTrans, k, (int)m->columns, 1, m->b, k, u, 1, 0, v, 1);
    cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, k, m->s, k, v, 1);
    double length = cblas_dnrm2(k, v, 1);
    if (!(length > 0 && isfinite(length)))
        return 0;
    double largest = v[cblas_idamax(k, v, 1)];
    cblas_dscal(k, (largest < 0 ? -1 : 1) / length, v, 1);
    return 1;
}

static gersh_status find_directions(gersh_scaling *scaling, sums *m)
{
    size_t count = 0, k = m->k,
           most = m->order < GERSH__MOST_DISCRIMINANTS ? m->order : GERSH__MOST_DISCRIMINANTS;
    double largest = m->eigen[m->order - 1];
    double *all = gersh__alloc(most, k * sizeof *all);
    if (all == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t c = m->order; c-- > 0 && count < most;) {
        if (!(m->eigen[c] > NOTHING * fmax(largest, 1)) || !make_direction(m, c))
            break;
        memcpy(all + count++ * k, m->direction, k * sizeof *all);
    }
    gersh__free(scaling->discriminant);
    scaling->discriminant = all;
    scaling->discriminants = count;
    return GERSH_OK;
}

/* All rows, or one of every so many of them. */
static gersh_status take_rows(gersh_dataset **out, const gersh_dataset *data)
{
    size_t step = (data->n + MOST_ROWS - 1) / MOST_ROWS, count = (data->n + step - 1) / step;
    size_t *rows = gersh__alloc(count, sizeof *rows);
    gersh__random random;
    if (rows == NULL)
        return GERSH_ERROR_MEMORY;
    gersh__random_seed(&random, 0);
    for (size_t i = 0; i < count; i++) {
        size_t begin = i * step, end = begin + step < data->n ? begin + step : data->n;
        rows[i] = begin + (end - begin > 1 ? (size_t)gersh__random_below(&random, end - begin) : 0);
    }
    gersh_status status = gersh_dataset_subset(out, data, rows, count);
    gersh__free(rows);
    return status;
}

gersh_status gersh_scaling_discriminate(gersh_scaling *scaling, const gersh_dataset *data)
{
    gersh_dataset *scaled = NULL;
    sums m = {0};
    if (data->labels == NULL && data->targets == NULL)
        return gersh__fail(
            GERSH_ERROR_INPUT,
            "discriminants: they tell classes or targets apart, and the data has neither; use "
            "--discriminants no");
    scaling->discriminants = 0;
    gersh_status status = take_rows(&scaled, data);
    if (status == GERSH_OK)
        status = gersh_scaling_apply(scaling, scaled);
    if (status == GERSH_OK)
        status = gersh__dataset_densify(scaled);
    if (status == GERSH_OK)
        status = alloc_sums(&m, scaled);
    if (status == GERSH_OK)
        add_means(&m, scaled);
    if (status == GERSH_OK && m.weight > 0) {
        gersh__blas_hold();
        add_covariances(&m, scaled);
        status = decompose(&m);
        if (status == GERSH_OK)
            status = find_directions(scaling, &m);
        gersh__blas_release();
    }
    clear_sums(&m);
    gersh_dataset_free(scaled);
    return status;
}

/* Whether one of the names is this. */
static int is_taken(char **names, size_t count, const char *name)
{
    for (size_t j = 0; j < count; j++)
        if (strcmp(names[j], name) == 0)
            return 1;
    return 0;
}

gersh_status gersh__discriminant_names(char ***names, size_t *count, size_t discriminants)
{
    char name[64];
    if (discriminants == 0)
        return GERSH_OK;
    char **more = gersh__realloc(*names, *count + discriminants, sizeof *more);
    if (more == NULL)
        return GERSH_ERROR_MEMORY;
    *names = more;
    for (size_t d = 1; d <= discriminants; d++) {
        int length = discriminants == 1 ? snprintf(name, sizeof name, "discriminant")
                                        : snprintf(name, sizeof name, "discriminant %zu", d);
        while (is_taken(more, *count, name) && (size_t)length + 1 < sizeof name) {
            name[length++] = '\'';
            name[length] = '\0';
        }
        more[*count] = gersh__text_copy(name, (size_t)length);
        if (more[*count] == NULL)
            return GERSH_ERROR_MEMORY;
        ++*count;
    }
    return GERSH_OK;
}
