/*
 * The objectives from their definitions, for the verifier: loops over samples, with nothing shared with the
 * code that optimises them. w is the weight of a sample, 1 where there is none, and d_ij the distance under
 * M.
 *
 *   mcml  Σ_i w_i KL(P_i ‖ Q_i), P_ij ∝ w_j over i's class mates, Q_ik ∝ w_k exp(−d_ik) over k ≠ i
 *   deml  Σ w_i w_j √d_ij over pairs of different classes
 *   lsml  Σ w_s w_t (√d_s − √d_t)² over pairs s of one class and t of two with d_s > d_t, w_s = w_i w_j
 *   lmnn  ½ Σ_{i, j→i} d_ij + ½ Σ_{i, j→i} Σ_{l of another class} [1 + d_ij − d_il]₊, j→i: i's three
 *         nearest samples of its class under the identity, of those whose weight is not 0
 *   glr   Σ_{i<j} w_i w_j exp(−d_ij) (z_i − z_j)², (z_i − z_j)² = 4 for different classes, and z the
 * standardised targets where there are such
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "data/dataset.h"
#include "model/verify.h"

enum { targets = 3, naive_pairs = 3000 };
static const double push = 0.5;

typedef gersh__verify_problem problem;

double gersh__verify_weight(const problem *p, size_t i)
{
    return p->data->weights != NULL ? p->data->weights[i] : 1;
}

static int same_class(const problem *p, size_t i, size_t j)
{
    return p->data->labels[i] == p->data->labels[j];
}

static void make_image(problem *p)
{
    const gersh__dense *dense = p->dense;
    size_t s = dense->touched;
    for (size_t i = 0; i < p->n; i++) {
        const double *x = p->data->x + i * p->data->k;
        for (size_t a = 0; a < s; a++) {
            double sum = 0;
            for (size_t b = 0; b < s; b++)
                sum += dense->m[a * s + b] * x[dense->feature[b]];
            p->image[i * s + a] = sum;
        }
    }
}

/* (x − y)ᵀ M (x − y) */
double gersh__verify_distance(const problem *p, size_t i, size_t j)
{
    const gersh__dense *dense = p->dense;
    const double *x = p->data->x + i * p->data->k, *y = p->data->x + j * p->data->k;
    double touched = 0, others = 0;
    for (size_t f = 0; f < p->data->k; f++) {
        double difference = x[f] - y[f];
        size_t a = dense->place[f];
        if (a == GERSH__NONE)
            others += difference * difference;
        else
            touched += difference * (p->image[i * dense->touched + a] - p->image[j * dense->touched + a]);
    }
    return fmax(0, dense->rho * others + touched);
}

static void fill_row(problem *p, size_t i)
{
    for (size_t j = 0; j < p->n; j++)
        p->row[j] = gersh__verify_distance(p, i, j);
}

static double mcml(problem *p)
{
    double sum = 0;
    for (size_t i = 0; i < p->n; i++) {
        double nearest = INFINITY, all = 0, mates = 0, mean = 0;
        fill_row(p, i);
        for (size_t k = 0; k < p->n; k++)
            if (k != i && gersh__verify_weight(p, k) > 0)
                nearest = fmin(nearest, p->row[k]);
        for (size_t k = 0; k < p->n; k++) {
            if (k == i || gersh__verify_weight(p, k) == 0)
                continue;
            all += gersh__verify_weight(p, k) * exp(nearest - p->row[k]);
            if (same_class(p, i, k)) {
                mates += gersh__verify_weight(p, k);
                mean += gersh__verify_weight(p, k) * p->row[k];
            }
        }
        if (mates > 0)
            sum += gersh__verify_weight(p, i) * (mean / mates - nearest + log(all) - log(mates));
    }
    return sum;
}

static double deml(problem *p)
{
    double sum = 0;
    for (size_t i = 0; i < p->n; i++)
        for (size_t j = 0; j < i; j++)
            if (!same_class(p, i, j))
                sum += gersh__verify_weight(p, i) * gersh__verify_weight(p, j) *
                       sqrt(gersh__verify_distance(p, i, j));
    return sum;
}

static double glr(problem *p)
{
    double sum = 0;
    for (size_t i = 0; i < p->n; i++)
        for (size_t j = 0; j < i; j++) {
            double z = p->data->targets != NULL ? p->data->targets[i] - p->data->targets[j]
                                                : 2.0 * !same_class(p, i, j);
            if (z != 0)
                sum += gersh__verify_weight(p, i) * gersh__verify_weight(p, j) *
                       exp(-gersh__verify_distance(p, i, j)) * z * z;
        }
    return sum;
}

/* i's nearest class mates of a weight under the identity, the smaller row first where two are equally near. */
static size_t find_targets(const problem *p, size_t i, size_t found[targets])
{
    double near[targets] = {0};
    size_t count = 0;
    for (size_t j = 0; j < p->n; j++) {
        if (j == i || !same_class(p, i, j) || gersh__verify_weight(p, j) == 0)
            continue;
        double d = 0;
        for (size_t f = 0; f < p->data->k; f++) {
            double difference = p->data->x[i * p->data->k + f] - p->data->x[j * p->data->k + f];
            d += difference * difference;
        }
        if (count == targets && d >= near[targets - 1])
            continue;
        size_t at = count < targets ? count++ : targets - 1;
        for (; at > 0 && near[at - 1] > d; at--) {
            near[at] = near[at - 1];
            found[at] = found[at - 1];
        }
        near[at] = d;
        found[at] = j;
    }
    return count;
}

static double lmnn(problem *p)
{
    double pull = 0, pushed = 0;
    for (size_t i = 0; i < p->n; i++) {
        size_t found[targets] = {0};
        size_t count = find_targets(p, i, found);
        fill_row(p, i);
        for (size_t t = 0; t < count; t++) {
            double d = p->row[found[t]], w = gersh__verify_weight(p, i) * gersh__verify_weight(p, found[t]);
            pull += w * d;
            for (size_t l = 0; l < p->n; l++)
                if (!same_class(p, i, l))
                    pushed += w * gersh__verify_weight(p, l) * fmax(0, 1 + d - p->row[l]);
        }
    }
    return (1 - push) * pull + push * pushed;
}

typedef gersh__verify_span span;

static int compare_spans(const void *left, const void *right)
{
    const span *a = left, *b = right;
    return a->length < b->length ? -1 : a->length > b->length;
}

static double compare_all(const span *spans, size_t count)
{
    double sum = 0;
    for (size_t s = 0; s < count; s++)
        for (size_t t = 0; t < count && spans[s].same; t++)
            if (!spans[t].same && spans[s].length > spans[t].length) {
                double excess = spans[s].length - spans[t].length;
                sum += spans[s].weight * spans[t].weight * excess * excess;
            }
    return sum;
}

/*
 * The same sum with the spans t sorted: of the first p of them it keeps the weight W, the mean c and the
 * moment Σ w_t (t − c)², so that Σ w_t (s − t)² = W (s − c)² + Σ w_t (t − c)² for the p that are below s.
 */
static gersh_status compare_sorted(double *out, const span *spans, size_t count, size_t others)
{
    double sum = 0, total = 0, mean = 0, moment = 0;
    size_t filled = 0;
    gersh_status status = GERSH_ERROR_MEMORY;
    span *sorted = gersh__alloc(others, sizeof *sorted);
    double *prefix = gersh__alloc(others + 1, 3 * sizeof *prefix);
    if (sorted == NULL || prefix == NULL)
        goto out;
    for (size_t e = 0; e < count; e++)
        if (!spans[e].same)
            sorted[filled++] = spans[e];
    qsort(sorted, filled, sizeof *sorted, compare_spans);
    for (size_t t = 0; t < filled; t++) {
        double w = sorted[t].weight, before = sorted[t].length - mean;
        total += w;
        mean += total > 0 ? w / total * before : 0;
        moment += w * before * (sorted[t].length - mean);
        prefix[3 * t + 3] = total;
        prefix[3 * t + 4] = mean;
        prefix[3 * t + 5] = moment;
    }
    for (size_t e = 0; e < count; e++) {
        size_t low = 0, high = filled;
        while (spans[e].same && low < high) {
            size_t middle = low + (high - low) / 2;
            if (sorted[middle].length < spans[e].length)
                low = middle + 1;
            else
                high = middle;
        }
        double above = spans[e].length - prefix[3 * low + 1];
        sum += spans[e].weight * (prefix[3 * low] * above * above + prefix[3 * low + 2]);
    }
    *out = sum;
    status = GERSH_OK;
out:
    gersh__free(prefix);
    gersh__free(sorted);
    return status;
}

gersh_status gersh__verify_lsml(double *out, const span *spans, size_t count)
{
    size_t kinds[2] = {0, 0};
    for (size_t e = 0; e < count; e++)
        kinds[spans[e].same != 0]++;
    if (kinds[0] > naive_pairs || kinds[1] > naive_pairs)
        return compare_sorted(out, spans, count, kinds[0]);
    *out = compare_all(spans, count);
    return GERSH_OK;
}

static gersh_status lsml(double *out, problem *p)
{
    size_t count = 0;
    span *spans = gersh__alloc(p->n, (p->n + 1) / 2 * sizeof *spans);
    if (spans == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t i = 0; i < p->n; i++)
        for (size_t j = 0; j < i; j++)
            spans[count++] =
                (span){sqrt(gersh__verify_distance(p, i, j)),
                       gersh__verify_weight(p, i) * gersh__verify_weight(p, j), same_class(p, i, j)};
    gersh_status status = gersh__verify_lsml(out, spans, count);
    gersh__free(spans);
    return status;
}

gersh_status gersh__verify_value(double *out, const char *objective, const gersh__dense *dense,
                                 const gersh_dataset *scaled, const gersh_tuples *tuples)
{
    problem p = {.n = scaled->n, .data = scaled, .tuples = tuples, .dense = dense};
    gersh_status status = gersh__dataset_densify(scaled);
    if (status != GERSH_OK)
        return status;
    status = GERSH_ERROR_MEMORY;
    if (tuples == NULL && scaled->labels == NULL &&
        (scaled->targets == NULL || strcmp(objective, "glr") != 0))
        return gersh__fail(GERSH_ERROR_INPUT, "the data has no classes, which the objective %s needs",
                           objective);
    p.image = gersh__alloc(p.n, (dense->touched + 1) * sizeof *p.image);
    p.row = gersh__alloc(p.n, sizeof *p.row);
    if (p.image == NULL || p.row == NULL)
        goto out;
    make_image(&p);
    status = GERSH_OK;
    if (tuples != NULL)
        status = gersh__verify_tuples(out, objective, &p);
    else if (strcmp(objective, "mcml") == 0)
        *out = mcml(&p);
    else if (strcmp(objective, "deml") == 0)
        *out = deml(&p);
    else if (strcmp(objective, "lsml") == 0)
        status = lsml(out, &p);
    else if (strcmp(objective, "lmnn") == 0)
        *out = lmnn(&p);
    else if (strcmp(objective, "glr") == 0)
        *out = glr(&p);
    else
        status =
            gersh__fail(GERSH_ERROR_ARGUMENT, "the verifier does not know the objective '%s'", objective);
out:
    gersh__free(p.row);
    gersh__free(p.image);
    return status;
}
