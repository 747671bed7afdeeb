/*
 * The objectives from their definitions, and their derivatives: loops over samples, with nothing shared with the code that
 * optimises them. w is the weight of a sample, 1 where there is none, and d_ij the distance under M.
 *
 *   mcml  Σ_i w_i KL(P_i ‖ Q_i), P_ij ∝ w_j over i's class mates, Q_ik ∝ w_k exp(−d_ik) over k ≠ i
 *   deml  Σ w_i w_j √d_ij over pairs of different classes, maximised
 *   lsml  Σ w_s w_t (√d_s − √d_t)² over pairs s of one class and t of two with d_s > d_t, w_s = w_i w_j
 *   lmnn  ½ Σ_{i, j→i} d_ij + ½ Σ_{i, j→i} Σ_{l of another class} [1 + d_ij − d_il]₊, j→i: i's three
 *         nearest samples of its class under the identity
 *   glr   Σ_{i<j} w_i w_j exp(−d_ij) (z_i − z_j)², (z_i − z_j)² = 4 for different classes, and z the
 *         standardised targets where there are such
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "data/dataset.h"
#include "verify/verify.h"

enum { TARGETS = 3 };
static const double push = 0.5;
static const double same = 1e-9; /* distances that differ by less, relatively, are the same */

static double weight(const gersh__problem *p, size_t i)
{
    return gersh__problem_weight(p, i);
}

static double distance(const gersh__problem *p, size_t i, size_t j)
{
    return gersh__problem_distance(p, i, j);
}

static int same_class(const gersh__problem *p, size_t i, size_t j)
{
    return p->data->labels[i] == p->data->labels[j];
}

static void fill_row(gersh__problem *p, size_t i)
{
    for (size_t j = 0; j < p->n; j++)
        p->row[j] = distance(p, i, j);
}

/* dKL/dd_ik = P_ik − Q_ik */
static gersh_status mcml(gersh__problem *p)
{
    for (size_t i = 0; i < p->n; i++) {
        double nearest = INFINITY, all = 0, mates = 0, mean = 0;
        fill_row(p, i);
        for (size_t k = 0; k < p->n; k++)
            if (k != i && weight(p, k) > 0)
                nearest = fmin(nearest, p->row[k]);
        for (size_t k = 0; k < p->n; k++) {
            if (k == i || weight(p, k) == 0)
                continue;
            all += weight(p, k) * exp(nearest - p->row[k]);
            if (same_class(p, i, k)) {
                mates += weight(p, k);
                mean += weight(p, k) * p->row[k];
            }
        }
        if (mates == 0)
            continue;
        p->value += weight(p, i) * (mean / mates - nearest + log(all) - log(mates));
        p->margins += weight(p, i) * (mean / mates + nearest + fabs(log(all)) + fabs(log(mates)) + 1);
        for (size_t k = 0; k < p->n && p->y != NULL; k++) {
            double w = weight(p, i) * weight(p, k);
            if (k == i || w == 0)
                continue;
            double mate = same_class(p, i, k) ? w / mates : 0, near = w * exp(nearest - p->row[k]) / all;
            gersh__problem_pull(p, i, k, p->row[k], mate - near, mate + near);
        }
    }
    return GERSH_OK;
}

static int counts(const gersh__problem *p, size_t i, size_t j)
{
    return !same_class(p, i, j) && weight(p, i) * weight(p, j) > 0;
}

static gersh_status deml(gersh__problem *p)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < p->n; i++)
        for (size_t j = 0; j < i; j++)
            if (counts(p, i, j)) {
                sum += distance(p, i, j);
                count++;
            }
    gersh__problem_set_floor(p, sum, count);
    for (size_t i = 0; i < p->n; i++)
        for (size_t j = 0; j < i; j++) {
            if (!counts(p, i, j))
                continue;
            double w = weight(p, i) * weight(p, j), d = gersh__problem_lift(p, i, j, distance(p, i, j));
            p->value += w * sqrt(d);
            double slope = w * gersh__problem_root_slope(p, i, j, sqrt(d));
            gersh__problem_pull(p, i, j, d, -slope, slope);
        }
    return GERSH_OK;
}

static gersh_status glr(gersh__problem *p)
{
    for (size_t i = 0; i < p->n; i++)
        for (size_t j = 0; j < i; j++) {
            double z = p->data->targets != NULL ? p->data->targets[i] - p->data->targets[j]
                                                : 2.0 * !same_class(p, i, j);
            double w = weight(p, i) * weight(p, j) * z * z;
            if (w == 0)
                continue;
            double d = distance(p, i, j), term = w * exp(-d);
            p->value += term;
            p->margins += term * (1 + d);
            gersh__problem_pull(p, i, j, d, -term, term);
        }
    return GERSH_OK;
}

typedef struct mate {
    double distance;
    size_t row;
} mate;

static int by_distance(const void *left, const void *right)
{
    const mate *a = left, *b = right;
    if (a->distance != b->distance)
        return a->distance < b->distance ? -1 : 1;
    return a->row < b->row ? -1 : 1;
}

/*
 * i's nearest class mates under the identity; a row of weight 0 is none. Those that are as near as the last of them, but
 * for rounding, are taken by their rows. `mates` has room for n.
 */
static size_t find_targets(const gersh__problem *p, size_t i, size_t found[TARGETS], mate *mates)
{
    size_t count = 0;
    for (size_t j = 0; j < p->n; j++) {
        if (j == i || !same_class(p, i, j) || weight(p, j) == 0)
            continue;
        double d = 0;
        for (size_t f = 0; f < p->k; f++) {
            double difference = p->data->x[i * p->k + f] - p->data->x[j * p->k + f];
            d += difference * difference;
        }
        mates[count++] = (mate){d, j};
    }
    qsort(mates, count, sizeof *mates, by_distance);
    size_t targets = count < TARGETS ? count : TARGETS;
    double last = targets > 0 ? mates[targets - 1].distance : 0;
    for (size_t c = 0; c < count; c++)
        if (fabs(mates[c].distance - last) <= same * last)
            mates[c].distance = last;
    qsort(mates, count, sizeof *mates, by_distance);
    for (size_t c = 0; c < targets; c++)
        found[c] = mates[c].row;
    return targets;
}

static gersh_status lmnn(gersh__problem *p)
{
    mate *mates = gersh__alloc(p->n, sizeof *mates);
    if (mates == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t i = 0; i < p->n; i++) {
        size_t found[TARGETS] = {0}, count = find_targets(p, i, found, mates);
        fill_row(p, i);
        for (size_t t = 0; t < count; t++) {
            size_t j = found[t];
            double d = p->row[j], w = weight(p, i) * weight(p, j), slopes = 0;
            p->value += (1 - push) * w * d;
            for (size_t l = 0; l < p->n; l++) {
                double slope, pushed = push * w * weight(p, l), size = 1 + d + p->row[l];
                if (same_class(p, i, l) || pushed == 0)
                    continue;
                p->value += pushed * gersh__problem_hinge(p, 1 + d - p->row[l], pushed, size, &slope);
                p->margins += pushed * size;
                gersh__problem_pull(p, i, l, p->row[l], -pushed * slope, pushed * slope);
                slopes += pushed * slope;
            }
            gersh__problem_pull(p, i, j, d, (1 - push) * w + slopes, (1 - push) * w + slopes);
        }
    }
    gersh__free(mates);
    return GERSH_OK;
}

static gersh_status lsml(gersh__problem *p)
{
    size_t count = 0;
    gersh__span *spans = gersh__alloc(p->n, (p->n + 1) / 2 * sizeof *spans);
    if (spans == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t i = 0; i < p->n; i++)
        for (size_t j = 0; j < i; j++)
            if (weight(p, i) * weight(p, j) > 0)
                spans[count++] = (gersh__span){sqrt(distance(p, i, j)), weight(p, i) * weight(p, j), i, j,
                                               same_class(p, i, j)};
    gersh_status status = gersh__problem_lsml(p, spans, count);
    gersh__free(spans);
    return status;
}

const gersh__reference gersh__reference_mcml = {
    .name = "mcml", .never_negative = 1, .mean = 6, .classes = mcml, .pairs = gersh__tuples_mcml};

const gersh__reference gersh__reference_deml = {
    .name = "deml", .maximized = 1, .mean = 6, .classes = deml, .pairs = gersh__tuples_deml};

const gersh__reference gersh__reference_lsml = {.name = "lsml",
                                                .never_negative = 1,
                                                .mean = 6,
                                                .classes = lsml,
                                                .pairs = gersh__tuples_lsml,
                                                .compared = gersh__tuples_lsml_compared};

const gersh__reference gersh__reference_lmnn = {.name = "lmnn",
                                                .never_negative = 1,
                                                .mean = 2,
                                                .classes = lmnn,
                                                .compared = gersh__tuples_lmnn_compared};

const gersh__reference gersh__reference_glr = {.name = "glr",
                                               .never_negative = 1,
                                               .mean = 20,
                                               .classes = glr,
                                               .targets = glr,
                                               .pairs = gersh__tuples_glr};
