/*
 * The objectives of tuples from their definitions, and their derivatives. w of a tuple is the product of the weights of its
 * rows; d the distance under M.
 *
 *   pairs
 *     glr   4 Σ w exp(−d) over the dissimilar ones
 *     deml  Σ w √d over the dissimilar ones, maximised
 *     lsml  Σ w_s w_t (√d_s − √d_t)² over similar s and dissimilar t with d_s > d_t
 *     mcml  Σ_i w_i KL(P_i ‖ Q_i), P_ij ∝ w_j over i's similar partners, Q_ik ∝ w_k exp(−d_ik) over all of them
 *   comparisons of a pair with distance x and one with distance y
 *     lsml  Σ w (√x − √y)² over those with x > y
 *     lmnn  ½ Σ w_i w_j x_ij + ½ Σ w [1 + x − y]₊, the first sum over the different pairs that are to be
 *           shorter (of triplets: the different pairs of a first and a second row, in that order)
 */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "verify/verify.h"

static const size_t *rows_of(const gersh__problem *p, size_t tuple)
{
    return p->tuples->row + tuple * gersh_tuple_size(p->tuples->kind);
}

static double tuple_weight(const gersh__problem *p, size_t tuple)
{
    double product = 1;
    for (size_t c = 0; c < gersh_tuple_size(p->tuples->kind); c++)
        product *= gersh__problem_weight(p, rows_of(p, tuple)[c]);
    return product;
}

static double pair_distance(const gersh__problem *p, size_t tuple)
{
    return gersh__problem_distance(p, rows_of(p, tuple)[0], rows_of(p, tuple)[1]);
}

gersh_status gersh__tuples_glr(gersh__problem *p)
{
    for (size_t t = 0; t < p->tuples->count; t++) {
        if (p->tuples->similar[t])
            continue;
        double d = pair_distance(p, t), term = 4 * tuple_weight(p, t) * exp(-d);
        p->value += term;
        p->margins += term * (1 + d);
        gersh__problem_pull(p, rows_of(p, t)[0], rows_of(p, t)[1], d, -term);
    }
    return GERSH_OK;
}

/* The floor of roots, from all pairs that tuples name. */
static void set_floor(gersh__problem *p)
{
    double sum = 0;
    size_t size = gersh_tuple_size(p->tuples->kind), count = p->tuples->count;
    for (size_t t = 0; t < count; t++) {
        const size_t *row = rows_of(p, t);
        sum += pair_distance(p, t);
        if (size > 2)
            sum += gersh__problem_distance(p, row[size == 3 ? 0 : 2], row[size - 1]);
    }
    gersh__problem_set_floor(p, sum, size > 2 ? 2 * count : count);
}

gersh_status gersh__tuples_deml(gersh__problem *p)
{
    set_floor(p);
    for (size_t t = 0; t < p->tuples->count; t++) {
        const size_t *row = rows_of(p, t);
        double w = tuple_weight(p, t), d = gersh__problem_lift(p, row[0], row[1], pair_distance(p, t));
        if (p->tuples->similar[t] || w == 0)
            continue;
        p->value += w * sqrt(d);
        gersh__problem_pull(p, row[0], row[1], d,
                            -w * gersh__problem_root_slope(p, row[0], row[1], sqrt(d)));
    }
    return GERSH_OK;
}

gersh_status gersh__tuples_lsml(gersh__problem *p)
{
    size_t count = 0;
    gersh__span *spans = gersh__alloc(p->tuples->count, sizeof *spans);
    if (spans == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t t = 0; t < p->tuples->count; t++)
        if (tuple_weight(p, t) > 0)
            spans[count++] = (gersh__span){sqrt(pair_distance(p, t)), tuple_weight(p, t), rows_of(p, t)[0],
                                           rows_of(p, t)[1], p->tuples->similar[t] != 0};
    gersh_status status = gersh__problem_lsml(p, spans, count);
    gersh__free(spans);
    return status;
}

/* Of each row over its pairs: the nearest partner, and the sums of w exp(nearest − d), of w over similar ones, and of w d
 * over these. */
typedef struct partners {
    double nearest, all, mates, mean;
} partners;

gersh_status gersh__tuples_mcml(gersh__problem *p)
{
    partners *sums = gersh__alloc(p->n, sizeof *sums);
    if (sums == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t i = 0; i < p->n; i++)
        sums[i].nearest = INFINITY;
    for (int pass = 0; pass < 3; pass++)
        for (size_t e = 0; e < 2 * p->tuples->count; e++) {
            size_t t = e / 2, i = rows_of(p, t)[e % 2], k = rows_of(p, t)[1 - e % 2];
            double d = pair_distance(p, t), w = gersh__problem_weight(p, k);
            int similar = p->tuples->similar[t];
            partners *s = &sums[i];
            if (w == 0)
                continue;
            if (pass == 0) {
                s->nearest = fmin(s->nearest, d);
            } else if (pass == 1) {
                s->all += w * exp(s->nearest - d);
                s->mates += similar ? w : 0;
                s->mean += similar ? w * d : 0;
            } else if (s->mates > 0) {
                gersh__problem_pull(p, i, k, d,
                                    gersh__problem_weight(p, i) * w *
                                        ((similar ? 1 / s->mates : 0) - exp(s->nearest - d) / s->all));
            }
        }
    for (size_t i = 0; i < p->n; i++) {
        const partners *s = &sums[i];
        if (!(s->mates > 0))
            continue;
        double w = gersh__problem_weight(p, i);
        p->value += w * (s->mean / s->mates - s->nearest + log(s->all) - log(s->mates));
        p->margins += w * (s->mean / s->mates + s->nearest + fabs(log(s->all)) + fabs(log(s->mates)) + 1);
    }
    gersh__free(sums);
    return GERSH_OK;
}

/* The two pairs that a tuple compares: rows, and distances. */
typedef struct comparison {
    size_t i, j, k, l;
    double x, y;
} comparison;

static comparison compared(const gersh__problem *p, size_t tuple)
{
    const size_t *row = rows_of(p, tuple);
    int triplet = p->tuples->kind == GERSH_TRIPLETS;
    comparison c = {row[0], row[1], triplet ? row[0] : row[2], triplet ? row[2] : row[3], 0, 0};
    c.x = gersh__problem_distance(p, c.i, c.j);
    c.y = gersh__problem_distance(p, c.k, c.l);
    return c;
}

gersh_status gersh__tuples_lsml_compared(gersh__problem *p)
{
    double size = 0;
    set_floor(p);
    for (size_t t = 0; t < p->tuples->count; t++) {
        comparison c = compared(p, t);
        c.x = gersh__problem_lift(p, c.i, c.j, c.x);
        c.y = gersh__problem_lift(p, c.k, c.l, c.y);
        double w = tuple_weight(p, t), s = sqrt(c.x), far = sqrt(c.y);
        size += w * (c.x + c.y);
        if (w == 0 || !(s > far))
            continue;
        p->value += w * (s - far) * (s - far);
        gersh__problem_pull(p, c.i, c.j, c.x,
                            2 * w * (s - far) * gersh__problem_root_slope(p, c.i, c.j, s));
        gersh__problem_pull(p, c.k, c.l, c.y,
                            -2 * w * (s - far) * gersh__problem_root_slope(p, c.k, c.l, far));
    }
    p->margins = 2 * sqrt(p->value * size) + 1e-12 * size;
    return GERSH_OK;
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

gersh_status gersh__tuples_lmnn_compared(gersh__problem *p)
{
    size_t count = p->tuples->count, arrows = 0;
    arrow *near = gersh__alloc(count, sizeof *near);
    if (near == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t t = 0; t < count; t++) {
        comparison c = compared(p, t);
        double w = 0.5 * tuple_weight(p, t), slope, size = 1 + c.x + c.y;
        if (w == 0) /* a tuple that does not count pulls nothing */
            continue;
        p->value += w * gersh__problem_hinge(p, 1 + c.x - c.y, w, size, &slope);
        p->margins += w * size;
        gersh__problem_pull(p, c.i, c.j, c.x, w * slope);
        gersh__problem_pull(p, c.k, c.l, c.y, -w * slope);
        int turned = p->tuples->kind == GERSH_QUADRUPLETS && c.i > c.j;
        near[arrows++] = turned ? (arrow){c.j, c.i} : (arrow){c.i, c.j};
    }
    qsort(near, arrows, sizeof *near, by_arrow);
    for (size_t t = 0; t < arrows; t++) {
        if (t > 0 && by_arrow(&near[t - 1], &near[t]) == 0)
            continue;
        double d = gersh__problem_distance(p, near[t].from, near[t].to);
        double w = 0.5 * gersh__problem_weight(p, near[t].from) * gersh__problem_weight(p, near[t].to);
        p->value += w * d;
        p->margins += w * d;
        gersh__problem_pull(p, near[t].from, near[t].to, d, w);
    }
    gersh__free(near);
    return GERSH_OK;
}
