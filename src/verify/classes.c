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
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "data/dataset.h"
#include "verify/verify.h"

enum { TARGETS = 3 };
static const double push = 0.5;

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
        for (size_t k = 0; k < p->n && p->y != NULL; k++)
            if (k != i && weight(p, k) > 0)
                gersh__problem_pull(
                    p, i, k, p->row[k],
                    weight(p, i) * weight(p, k) *
                        ((same_class(p, i, k) ? 1 / mates : 0) - exp(nearest - p->row[k]) / all));
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
            gersh__problem_pull(p, i, j, d, -w * gersh__problem_root_slope(p, i, j, sqrt(d)));
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
            gersh__problem_pull(p, i, j, d, -term);
        }
    return GERSH_OK;
}

/* i's nearest class mates under the identity, the smaller row first where two are equally near; a row of weight 0 is
 * none. */
static size_t find_targets(const gersh__problem *p, size_t i, size_t found[TARGETS])
{
    double near[TARGETS] = {0};
    size_t count = 0;
    for (size_t j = 0; j < p->n; j++) {
        if (j == i || !same_class(p, i, j) || weight(p, j) == 0)
            continue;
        double d = 0;
        for (size_t f = 0; f < p->k; f++) {
            double difference = p->data->x[i * p->k + f] - p->data->x[j * p->k + f];
            d += difference * difference;
        }
        if (count == TARGETS && d >= near[TARGETS - 1])
            continue;
        size_t at = count < TARGETS ? count++ : TARGETS - 1;
        for (; at > 0 && near[at - 1] > d; at--) {
            near[at] = near[at - 1];
            found[at] = found[at - 1];
        }
        near[at] = d;
        found[at] = j;
    }
    return count;
}

static gersh_status lmnn(gersh__problem *p)
{
    for (size_t i = 0; i < p->n; i++) {
        size_t found[TARGETS] = {0}, count = find_targets(p, i, found);
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
                gersh__problem_pull(p, i, l, p->row[l], -pushed * slope);
                slopes += pushed * slope;
            }
            gersh__problem_pull(p, i, j, d, (1 - push) * w + slopes);
        }
    }
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

static const gersh__reference references[] = {
    {"mcml", 0, 1, 6, mcml, gersh__tuples_mcml, NULL},
    {"deml", 1, 0, 6, deml, gersh__tuples_deml, NULL},
    {"lsml", 0, 1, 6, lsml, gersh__tuples_lsml, gersh__tuples_lsml_compared},
    {"lmnn", 0, 1, 2, lmnn, NULL, gersh__tuples_lmnn_compared},
    {"glr", 0, 1, 20, glr, gersh__tuples_glr, NULL},
};

const gersh__reference *gersh__reference_find(const char *name)
{
    for (size_t r = 0; r < sizeof references / sizeof references[0]; r++)
        if (strcmp(references[r].name, name) == 0)
            return &references[r];
    return NULL;
}
