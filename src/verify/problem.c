/* A metric on samples: distances, sums, and the gradient as the objectives add to it. */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "data/dataset.h"
#include "verify/verify.h"

/* What rounding may leave of sums that are 0, as a share of their number of terms: the value itself has no smaller size. */
static const double faint = 1e-12;

double gersh__problem_weight(const gersh__problem *p, size_t i)
{
    return p->data->weights != NULL ? p->data->weights[i] : 1;
}

/* M (x − first row) of each row: only differences count, and rows far from 0 would lose digits in them. */
static void make_image(gersh__problem *p)
{
    const gersh__dense *dense = p->dense;
    size_t s = dense->touched;
    for (size_t i = 0; i < p->n; i++) {
        const double *x = p->data->x + i * p->k;
        for (size_t a = 0; a < s; a++) {
            double sum = 0;
            for (size_t b = 0; b < s; b++)
                sum += dense->m[a * s + b] * (x[dense->feature[b]] - p->data->x[dense->feature[b]]);
            p->image[i * s + a] = sum;
        }
    }
}

double gersh__problem_distance(const gersh__problem *p, size_t i, size_t j)
{
    const gersh__dense *dense = p->dense;
    const double *x = p->data->x + i * p->k, *y = p->data->x + j * p->k;
    double touched = 0, others = 0;
    for (size_t f = 0; f < p->k; f++) {
        double difference = x[f] - y[f];
        size_t a = dense->place[f];
        if (a == GERSH__NONE)
            others += difference * difference;
        else
            touched += difference * (p->image[i * dense->touched + a] - p->image[j * dense->touched + a]);
    }
    return fmax(0, dense->rho * others + touched);
}

void gersh__problem_pull(gersh__problem *p, size_t i, size_t j, double d, double g, double size)
{
    if (p->y == NULL || g == 0)
        return;
    const double *x = p->data->x + i * p->k, *z = p->data->x + j * p->k;
    double *up = p->y + i * p->k, *down = p->y + j * p->k;
    for (size_t f = 0; f < p->k; f++) {
        double part = g * (x[f] - z[f]);
        up[f] += part;
        down[f] -= part;
    }
    p->pulled[i] += size;
    p->pulled[j] += size;
    p->linear += g * d;
    p->size += fabs(g) * d;
}

static int same_features(const gersh__problem *p, size_t i, size_t j)
{
    const double *x = p->data->x + i * p->k, *z = p->data->x + j * p->k;
    size_t f = 0;
    while (f < p->k && x[f] == z[f])
        f++;
    return f == p->k;
}

void gersh__problem_set_floor(gersh__problem *p, double sum, size_t count)
{
    p->floor = p->y != NULL && count > 0 ? 1e-16 * sum / (double)count : 0;
}

double gersh__problem_lift(const gersh__problem *p, size_t i, size_t j, double d)
{
    return d < p->floor && !same_features(p, i, j) ? p->floor : d;
}

double gersh__problem_root_slope(gersh__problem *p, size_t i, size_t j, double length)
{
    if (length > 0)
        return 0.5 / length;
    p->endless |= !same_features(p, i, j);
    return 0;
}

double gersh__problem_hinge(gersh__problem *p, double x, double weight, double size, double *slope)
{
    double half = p->width / 2;
    *slope = x > half ? 1 : x > -half ? 0.5 + x / p->width : 0;
    if (*slope > 0 && *slope < 1)
        p->shaken += weight * size / p->width;
    return *slope > 0 ? *slope * x : 0;
}

static int by_length(const void *left, const void *right)
{
    const gersh__span *a = left, *b = right;
    return a->length < b->length ? -1 : a->length > b->length;
}

/*
 * With all spans sorted, each similar one meets the others below it, of which the weight W, the mean c and the moment
 * m = Σ w_t (t − c)² are kept: Σ w_t (s − t)² = W (s − c)² + m, and its derivative by s is 2 W (s − c). The way back gives
 * each of the others the similar ones above it.
 */
static double meet(gersh__problem *p, const gersh__span *spans, size_t count, int up)
{
    double total = 0, mean = 0, moment = 0, sum = 0;
    for (size_t e = 0; e < count; e++) {
        const gersh__span *s = &spans[up ? e : count - 1 - e];
        double away = s->length - mean;
        if ((s->same != 0) == up) {
            sum += s->weight * (total * away * away + moment);
            if (total > 0 && away != 0) {
                double g =
                    s->weight * total * 2 * away * gersh__problem_root_slope(p, s->i, s->j, s->length);
                gersh__problem_pull(p, s->i, s->j, s->length * s->length, g, fabs(g));
            }
            continue;
        }
        total += s->weight;
        mean += s->weight / total * away;
        moment += s->weight * away * (s->length - mean);
    }
    return sum;
}

gersh_status gersh__problem_lsml(gersh__problem *p, gersh__span *spans, size_t count)
{
    double weights[2] = {0, 0}, squares[2] = {0, 0}, sum = 0;
    for (size_t e = 0; e < count; e++)
        sum += spans[e].length * spans[e].length;
    gersh__problem_set_floor(p, sum, count);
    for (size_t e = 0; e < count; e++)
        spans[e].length =
            sqrt(gersh__problem_lift(p, spans[e].i, spans[e].j, spans[e].length * spans[e].length));
    qsort(spans, count, sizeof *spans, by_length);
    for (size_t e = 0; e < count; e++) {
        int same = spans[e].same != 0;
        weights[same] += spans[e].weight;
        squares[same] += spans[e].weight * spans[e].length * spans[e].length;
    }
    p->value = meet(p, spans, count, 1);
    if (p->y != NULL)
        meet(p, spans, count, 0);
    double size = squares[0] * weights[1] + squares[1] * weights[0];
    p->margins = 2 * sqrt(p->value * size) + faint * size;
    return GERSH_OK;
}

void gersh__problem_clear(gersh__problem *p)
{
    gersh__free(p->y);
    gersh__free(p->pulled);
    gersh__free(p->row);
    gersh__free(p->image);
}

static gersh_status choose(gersh_status (**definition)(gersh__problem *), const gersh__reference *reference,
                           const gersh_dataset *data, const gersh_tuples *tuples)
{
    *definition = tuples != NULL ? tuples->kind == GERSH_PAIRS ? reference->pairs : reference->compared
                  : data->labels != NULL  ? reference->classes
                  : data->targets != NULL ? reference->targets
                                          : NULL;
    if (*definition != NULL)
        return GERSH_OK;
    return gersh__fail(GERSH_ERROR_INPUT, "the objective %s is not defined for %s", reference->name,
                       tuples != NULL          ? gersh_tuple_kind_name(tuples->kind)
                       : data->labels != NULL  ? "classes"
                       : data->targets != NULL ? "targets"
                                               : "samples without labels");
}

gersh_status gersh__problem_solve(gersh__problem *p, const gersh__reference *reference,
                                  const gersh__dense *dense, const gersh_dataset *scaled,
                                  const gersh_tuples *tuples, int gradient, double width)
{
    gersh_status (*definition)(gersh__problem *);
    *p = (gersh__problem){
        .n = scaled->n, .k = scaled->k, .data = scaled, .tuples = tuples, .dense = dense, .width = width};
    gersh_status status = choose(&definition, reference, scaled, tuples);
    if (status != GERSH_OK)
        return status;
    p->image = gersh__alloc(p->n, (dense->touched + 1) * sizeof *p->image);
    p->row = gersh__alloc(p->n, sizeof *p->row);
    if (gradient)
        p->y = gersh__alloc(p->n, p->k * sizeof *p->y);
    if (gradient)
        p->pulled = gersh__alloc(p->n, sizeof *p->pulled);
    if (p->image == NULL || p->row == NULL || (gradient && (p->y == NULL || p->pulled == NULL)))
        return GERSH_ERROR_MEMORY;
    make_image(p);
    status = definition(p);
    double largest = 0;
    for (size_t i = 0; i < p->n; i++)
        largest = fmax(largest, gersh__problem_weight(p, i));
    p->margins += faint * (double)p->n * (double)p->n * largest * largest;
    return status;
}
