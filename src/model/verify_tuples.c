/*
 * The objectives of tuples from their definitions, for the verifier. w of a tuple is the product of the
 * weights of its rows; d the distance under M.
 *
 *   pairs
 *     glr   4 Σ w exp(−d) over the dissimilar ones
 *     deml  Σ w √d over the dissimilar ones
 *     lsml  Σ w_s w_t (√d_s − √d_t)² over similar s and dissimilar t with d_s > d_t
 *     mcml  Σ_i w_i KL(P_i ‖ Q_i), P_ij ∝ w_j over i's similar partners, Q_ik ∝ w_k exp(−d_ik) over all of
 * them comparisons of a pair with distance x and one with distance y lsml  Σ w (√x − √y)² over those with x
 * > y lmnn  ½ Σ w_i w_j x_ij + ½ Σ w [1 + x − y]₊, the first sum over the different pairs that are to be
 * shorter (of triplets: the different pairs of a first and a second row, in that order)
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "model/verify.h"

typedef gersh__verify_problem problem;

static const size_t *rows_of(const problem *p, size_t tuple)
{
    return p->tuples->row + tuple * gersh_tuple_size(p->tuples->kind);
}

static double tuple_weight(const problem *p, size_t tuple)
{
    double product = 1;
    for (size_t c = 0; c < gersh_tuple_size(p->tuples->kind); c++)
        product *= gersh__verify_weight(p, rows_of(p, tuple)[c]);
    return product;
}

static double pair_distance(const problem *p, size_t tuple)
{
    return gersh__verify_distance(p, rows_of(p, tuple)[0], rows_of(p, tuple)[1]);
}

static double sum_dissimilar(const problem *p, int roots)
{
    double sum = 0;
    for (size_t t = 0; t < p->tuples->count; t++)
        if (!p->tuples->similar[t])
            sum += tuple_weight(p, t) * (roots ? sqrt(pair_distance(p, t)) : 4 * exp(-pair_distance(p, t)));
    return sum;
}

static gersh_status lsml_pairs(double *out, problem *p)
{
    size_t count = p->tuples->count;
    gersh__verify_span *spans = gersh__alloc(count, sizeof *spans);
    if (spans == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t t = 0; t < count; t++)
        spans[t] =
            (gersh__verify_span){sqrt(pair_distance(p, t)), tuple_weight(p, t), p->tuples->similar[t] != 0};
    gersh_status status = gersh__verify_lsml(out, &p->margins, spans, count);
    gersh__free(spans);
    return status;
}

/* Three sums for each row over its pairs: of w exp(nearest − d), of w over similar ones, and of w d over
 * these. */
static gersh_status mcml_pairs(double *out, const problem *p)
{
    double *sums = gersh__alloc(p->n, 3 * sizeof *sums), *nearest = p->row;
    if (sums == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t i = 0; i < p->n; i++)
        nearest[i] = INFINITY;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t e = 0; e < 2 * p->tuples->count; e++) {
            size_t t = e / 2, i = rows_of(p, t)[e % 2], k = rows_of(p, t)[1 - e % 2];
            double d = pair_distance(p, t), w = gersh__verify_weight(p, k);
            if (w == 0)
                continue;
            if (pass == 0) {
                nearest[i] = fmin(nearest[i], d);
                continue;
            }
            sums[3 * i] += w * exp(nearest[i] - d);
            sums[3 * i + 1] += p->tuples->similar[t] ? w : 0;
            sums[3 * i + 2] += p->tuples->similar[t] ? w * d : 0;
        }
    }
    *out = 0;
    for (size_t i = 0; i < p->n; i++) {
        const double *sum = sums + 3 * i;
        if (sum[1] > 0)
            *out += gersh__verify_weight(p, i) * (sum[2] / sum[1] - nearest[i] + log(sum[0]) - log(sum[1]));
    }
    gersh__free(sums);
    return GERSH_OK;
}

/* Distances of the two pairs that a tuple compares. */
static void compared(double *x, double *y, const problem *p, size_t tuple)
{
    const size_t *row = rows_of(p, tuple);
    int triplet = p->tuples->kind == GERSH_TRIPLETS;
    *x = gersh__verify_distance(p, row[0], row[1]);
    *y = triplet ? gersh__verify_distance(p, row[0], row[2]) : gersh__verify_distance(p, row[2], row[3]);
}

static double lsml_compared(problem *p)
{
    double sum = 0, x, y;
    for (size_t t = 0; t < p->tuples->count; t++) {
        compared(&x, &y, p, t);
        p->margins += tuple_weight(p, t) * (x + y);
        if (x > y)
            sum += tuple_weight(p, t) * (sqrt(x) - sqrt(y)) * (sqrt(x) - sqrt(y));
    }
    return sum;
}

typedef struct arrow {
    size_t from, to;
} arrow;

static int by_arrow(const void *left, const void *right)
{
    const arrow *a = left, *b = right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return a->to < b->to ? -1 : a->to > b->to;
}

static gersh_status lmnn_compared(double *out, problem *p)
{
    size_t count = p->tuples->count;
    double pull = 0, push = 0, x, y;
    arrow *near = gersh__alloc(count, sizeof *near);
    if (near == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t t = 0; t < count; t++) {
        const size_t *row = rows_of(p, t);
        compared(&x, &y, p, t);
        push += tuple_weight(p, t) * fmax(0, 1 + x - y);
        p->margins += 0.5 * tuple_weight(p, t) * (1 + x + y);
        int turned = p->tuples->kind == GERSH_QUADRUPLETS && row[0] > row[1];
        near[t] = (arrow){row[turned], row[!turned]};
        if (tuple_weight(p, t) == 0) /* a tuple that does not count pulls nothing */
            near[t] = (arrow){0, 0};
    }
    qsort(near, count, sizeof *near, by_arrow);
    for (size_t t = 0; t < count; t++)
        if (near[t].from != near[t].to && (t == 0 || by_arrow(&near[t - 1], &near[t]) != 0))
            pull += gersh__verify_weight(p, near[t].from) * gersh__verify_weight(p, near[t].to) *
                    gersh__verify_distance(p, near[t].from, near[t].to);
    *out = 0.5 * pull + 0.5 * push;
    gersh__free(near);
    return GERSH_OK;
}

gersh_status gersh__verify_tuples(double *out, const char *objective, problem *p)
{
    int pairs = p->tuples->kind == GERSH_PAIRS;
    if (pairs && strcmp(objective, "glr") == 0)
        *out = sum_dissimilar(p, 0);
    else if (pairs && strcmp(objective, "deml") == 0)
        *out = sum_dissimilar(p, 1);
    else if (pairs && strcmp(objective, "lsml") == 0)
        return lsml_pairs(out, p);
    else if (pairs && strcmp(objective, "mcml") == 0)
        return mcml_pairs(out, p);
    else if (!pairs && strcmp(objective, "lsml") == 0)
        *out = lsml_compared(p);
    else if (!pairs && strcmp(objective, "lmnn") == 0)
        return lmnn_compared(out, p);
    else
        return gersh__fail(GERSH_ERROR_INPUT, "the objective %s is not defined for %s", objective,
                           gersh_tuple_kind_name(p->tuples->kind));
    return GERSH_OK;
}
