/*
 * What features contribute to telling samples apart, from its definition: the mean of Δ_f (MΔ)_f over pairs of different
 * classes less that over pairs of one class, with the weights w_i w_j; for targets the former over all pairs with the
 * weights w_i w_j (y_i − y_j)², the latter over all pairs; for tuples over dissimilar and similar pairs. With u = Mx the
 * sums over all pairs of samples are products of sums over samples.
 */
#include <math.h>

#include "base/alloc.h"
#include "data/dataset.h"
#include "verify/verify.h"

typedef long double wide;

/* u = M x of a sample. */
static void multiply(double *u, const gersh__dense *dense, const double *x)
{
    size_t s = dense->touched;
    for (size_t f = 0; f < dense->features; f++)
        u[f] = dense->rho * x[f];
    for (size_t a = 0; a < s; a++) {
        double sum = 0;
        for (size_t b = 0; b < s; b++)
            sum += dense->m[a * s + b] * x[dense->feature[b]];
        u[dense->feature[a]] = sum;
    }
}

static wide weight(const gersh_dataset *data, size_t i)
{
    return data->weights != NULL ? data->weights[i] : 1;
}

/* Far and near means of one feature, and the weights of the pairs that they are over. */
typedef struct means {
    wide far, near, far_weight, near_weight;
} means;

/*
 * Of classes: Σ_{i<j} w_i w_j (x_i − x_j)(u_i − u_j) = W Σ w x u − Σ w x Σ w u over a set of samples. Between two classes it is
 * W Σ' w x u + W' Σ w x u − Σ w x Σ' w u − Σ' w x Σ w u; each class is taken with all before it. As sums, both stay
 * right where one class or sample weighs far more than others.
 */
static means of_classes(const gersh_dataset *data, const double *u, size_t f, wide *sums)
{
    means m = {0};
    wide before[5] = {0};
    size_t k = data->k;
    for (size_t e = 0; e < 5 * data->classes; e++)
        sums[e] = 0;
    for (size_t i = 0; i < data->n; i++) {
        wide w = weight(data, i), x = data->x[i * k + f] - (wide)data->x[f], v = u[i * k + f] - (wide)u[f];
        wide *s = sums + 5 * (size_t)data->labels[i];
        wide term[5] = {w, w * s[0], w * x, w * v, w * x * v}; /* the second: of pairs */
        for (int t = 0; t < 5; t++)
            s[t] += term[t];
    }
    for (size_t c = 0; c < data->classes; c++) {
        const wide *s = sums + 5 * c;
        m.near += s[0] * s[4] - s[2] * s[3];
        m.near_weight += s[1];
        m.far += before[0] * s[4] + s[0] * before[4] - before[2] * s[3] - s[2] * before[3];
        m.far_weight += before[0] * s[0];
        for (int t = 0; t < 5; t++)
            before[t] += s[t];
    }
    return m;
}

/* Of targets y; S(·) are sums over samples with their weights. */
static means of_targets(const gersh_dataset *data, const double *u, size_t f)
{
    wide s = 0, squares = 0, y1 = 0, y2 = 0, x1 = 0, u1 = 0, xu = 0, yx = 0, yu = 0, yxu = 0, yyx = 0,
         yyu = 0, yyxu = 0;
    size_t k = data->k;
    for (size_t i = 0; i < data->n; i++) {
        wide w = weight(data, i), y = data->targets[i] - (wide)data->targets[0];
        wide x = data->x[i * k + f] - (wide)data->x[f], v = u[i * k + f] - (wide)u[f];
        s += w;
        squares += w * w;
        y1 += w * y;
        y2 += w * y * y;
        x1 += w * x;
        u1 += w * v;
        xu += w * x * v;
        yx += w * y * x;
        yu += w * y * v;
        yxu += w * y * x * v;
        yyx += w * y * y * x;
        yyu += w * y * y * v;
        yyxu += w * y * y * x * v;
    }
    return (means){.far = s * yyxu + y2 * xu - yyx * u1 - yyu * x1 - 2 * yxu * y1 + 2 * yx * yu,
                   .near = s * xu - x1 * u1,
                   .far_weight = s * y2 - y1 * y1,
                   .near_weight = (s * s - squares) / 2};
}

static void add_pair(means *m, const gersh_dataset *data, const double *u, size_t f, size_t i, size_t j,
                     int far, wide w)
{
    size_t k = data->k;
    wide product =
        w * (data->x[i * k + f] - (wide)data->x[j * k + f]) * (u[i * k + f] - (wide)u[j * k + f]);
    *(far ? &m->far : &m->near) += product;
    *(far ? &m->far_weight : &m->near_weight) += w;
}

static means of_tuples(const gersh_dataset *data, const double *u, size_t f, const gersh_tuples *tuples)
{
    means m = {0};
    size_t size = gersh_tuple_size(tuples->kind);
    for (size_t t = 0; t < tuples->count; t++) {
        const size_t *row = tuples->row + t * size;
        wide w = 1;
        for (size_t c = 0; c < size; c++)
            w *= weight(data, row[c]);
        if (size == 2) {
            add_pair(&m, data, u, f, row[0], row[1], !tuples->similar[t], w);
            continue;
        }
        add_pair(&m, data, u, f, row[0], row[1], 0, w);
        add_pair(&m, data, u, f, row[size == 3 ? 0 : 2], row[size - 1], 1, w);
    }
    return m;
}

gersh_status gersh__contribution_difference(double *difference, const gersh_model *model,
                                            const gersh__dense *dense, const gersh_dataset *scaled)
{
    size_t n = scaled->n, k = scaled->k;
    wide sum = 0, between = 0, largest = 0, worst = 0;
    double *u = gersh__alloc(n, k * sizeof *u);
    wide *sums = gersh__alloc(scaled->classes + 1, 5 * sizeof *sums);
    *difference = INFINITY;
    gersh_status status = u != NULL && sums != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
    for (size_t i = 0; status == GERSH_OK && i < n; i++)
        multiply(u + i * k, dense, scaled->x + i * k);
    for (size_t f = 0; status == GERSH_OK && f < k; f++) {
        means m = model->tuples != NULL    ? of_tuples(scaled, u, f, model->tuples)
                  : scaled->labels != NULL ? of_classes(scaled, u, f, sums)
                                           : of_targets(scaled, u, f);
        wide far = m.far / m.far_weight, near = m.near_weight > 0 ? m.near / m.near_weight : 0,
             found = far - near;
        sum += found;
        between += far;
        largest = fmaxl(largest, fmaxl(fabsl(far), fabsl(near)));
        worst = fmaxl(worst, fabsl(found - (wide)model->importance.contribution[f]));
    }
    if (status == GERSH_OK)
        *difference =
            (double)fmaxl(worst / largest, fabsl(sum / between - (wide)model->importance.separation) /
                                               fmaxl(1, fabsl(sum / between)));
    gersh__free(sums);
    gersh__free(u);
    return status;
}
