/*
 * mcml of listed pairs: F(d) = Σ_i w_i KL(P_i ‖ Q_i), where for sample i
 *
 *     Q_ik = w_k exp(−d_ik) / Z_i over its listed partners k,      P_ij = w_j / W_i over its similar ones,
 *
 * so that with all pairs listed, those of one class as similar, it is mcml of the classes. A sample without
 * similar partners has no P_i and adds nothing; a pair that is listed twice counts as two partners.
 * Derivatives and the handling of large distances are as in mcml.c.
 */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "objective/kinds.h"
#include "objective/mcml.h"

typedef struct mcml_pairs {
    gersh__objective base;
    size_t *start; /* n + 1: the pairs of sample i are those in */
    size_t *pair;  /* pair[start[i]..start[i + 1]) */
    double *mates; /* W_i, 0 for a sample without similar partners */
    double
        *flow; /* two of each pair p = (i, j) of the last gradient: w_i Q_ij at 2 p, w_j Q_ji at 2 p + 1 */
    double *both; /* their sum */
} mcml_pairs;

static double weight(const mcml_pairs *s, size_t sample)
{
    const gersh__pairs *pairs = s->base.pairs;
    return pairs->weight != NULL ? pairs->each * pairs->weight[sample] : pairs->each;
}

static size_t partner(const mcml_pairs *s, size_t pair, size_t sample)
{
    const gersh__pairs *pairs = s->base.pairs;
    return pairs->first[pair] == sample ? pairs->second[pair] : pairs->first[pair];
}

/* Weight of the sample's partner in the pair, as one of its partners. */
static double partner_weight(const mcml_pairs *s, size_t pair, size_t sample)
{
    double w = weight(s, partner(s, pair, sample));
    return s->base.pairs->share != NULL ? w * s->base.pairs->share[pair] : w;
}

/* w_i Q of the pair, as seen from the sample. */
static double *flow_of(const mcml_pairs *s, size_t pair, size_t sample)
{
    return &s->flow[2 * pair + (s->base.pairs->first[pair] != sample)];
}

/* The pairs of each sample, in their order. */
static void collect(mcml_pairs *s)
{
    const gersh__pairs *pairs = s->base.pairs;
    for (size_t p = 0; p < pairs->count; p++) {
        s->start[pairs->first[p] + 1]++;
        s->start[pairs->second[p] + 1]++;
    }
    for (size_t i = 0; i < pairs->n; i++)
        s->start[i + 1] += s->start[i];
    for (size_t p = 0; p < pairs->count; p++) {
        s->pair[s->start[pairs->first[p]]++] = p;
        s->pair[s->start[pairs->second[p]]++] = p;
    }
    for (size_t i = pairs->n; i > 0; i--) /* each start has moved on to the next one */
        s->start[i] = s->start[i - 1];
    s->start[0] = 0;
}

static gersh_status init(gersh__objective *objective, const gersh_settings *settings)
{
    mcml_pairs *s = (mcml_pairs *)objective;
    const gersh__pairs *pairs = objective->pairs;
    int useful = 0;
    (void)settings;
    s->flow = objective->scratch;
    s->both = objective->scratch + 2 * pairs->count;
    s->start = gersh__alloc(pairs->n + 1, sizeof *s->start);
    s->pair = gersh__alloc(pairs->count, 2 * sizeof *s->pair);
    s->mates = gersh__alloc(pairs->n, sizeof *s->mates);
    if (s->start == NULL || s->pair == NULL || s->mates == NULL)
        return GERSH_ERROR_MEMORY;
    collect(s);
    for (size_t i = 0; i < pairs->n; i++) {
        int dissimilar = 0;
        for (size_t e = s->start[i]; e < s->start[i + 1]; e++) {
            size_t p = s->pair[e];
            s->mates[i] += pairs->similar[p] ? partner_weight(s, p, i) : 0.0;
            dissimilar |= !pairs->similar[p];
        }
        useful |= dissimilar && s->mates[i] > 0;
    }
    if (!useful)
        return gersh__fail(
            GERSH_ERROR_INPUT,
            "the objective mcml needs a row that is in a similar pair and in a dissimilar one, but "
            "there is none; use the objective glr, deml or lsml");
    return GERSH_OK;
}

static void clear(gersh__objective *objective)
{
    mcml_pairs *s = (mcml_pairs *)objective;
    gersh__free(s->start);
    gersh__free(s->pair);
    gersh__free(s->mates);
}

/* The divergence of sample i; with g what it gives to the gradient, and the flows. */
static double add_sample(mcml_pairs *s, size_t i, const double *d, double *g)
{
    const int *similar = s->base.pairs->similar;
    double low = INFINITY, z = 0, pull = 0, own = weight(s, i);
    for (size_t e = s->start[i]; e < s->start[i + 1]; e++)
        low = fmin(low, d[s->pair[e]]);
    for (size_t e = s->start[i]; e < s->start[i + 1]; e++) {
        size_t p = s->pair[e];
        double w = partner_weight(s, p, i);
        z += w * exp(low - d[p]);
        pull += similar[p] ? w * (d[p] - low) : 0.0;
    }
    for (size_t e = s->start[i]; g != NULL && e < s->start[i + 1]; e++) {
        size_t p = s->pair[e];
        double w = partner_weight(s, p, i), *flow = flow_of(s, p, i);
        *flow = own * w * exp(low - d[p]) / z;
        g[p] += (similar[p] ? own * w / s->mates[i] : 0.0) - *flow;
    }
    return own * fmax(0.0, pull / s->mates[i] + log(z / s->mates[i]));
}

static double evaluate(gersh__objective *objective, const double *d, double *g)
{
    mcml_pairs *s = (mcml_pairs *)objective;
    double value = 0;
    if (g != NULL)
        memset(g, 0, objective->pairs->count * sizeof *g);
    for (size_t i = 0; i < objective->pairs->n; i++)
        if (s->mates[i] > 0)
            value += add_sample(s, i, d, g);
    return value;
}

/* As in mcml.c, with Q + P <= |g| + 2 Q; the terms of the value are at most 1 + |d − low| + |log| in size. */
static double doubt(gersh__objective *objective, const double *d, const double *g, double *r)
{
    const mcml_pairs *s = (const mcml_pairs *)objective;
    const gersh__pairs *pairs = objective->pairs;
    double size = 0;
    (void)g;
    for (size_t p = 0; p < pairs->count; p++) {
        double flow = 0;
        for (int end = 0; end < 2; end++) {
            size_t i = end == 0 ? pairs->first[p] : pairs->second[p];
            flow += s->mates[i] > 0 ? s->flow[2 * p + (size_t)end] : 0;
            size += s->mates[i] > 0
                        ? weight(s, i) * (1 + d[p]) * (1 + partner_weight(s, p, i) / s->mates[i])
                        : 0;
        }
        r[pairs->first[p]] += 2 * flow;
        r[pairs->second[p]] += 2 * flow;
    }
    return gersh__rounding(pairs->count) * size;
}

static void curvature(gersh__objective *objective, const double *d, const double *v, double *out)
{
    mcml_pairs *s = (mcml_pairs *)objective;
    (void)d;
    memset(out, 0, objective->pairs->count * sizeof *out);
    for (size_t i = 0; i < objective->pairs->n; i++) {
        double mean = 0;
        if (s->mates[i] == 0)
            continue;
        for (size_t e = s->start[i]; e < s->start[i + 1]; e++)
            mean += *flow_of(s, s->pair[e], i) * v[s->pair[e]];
        mean /= weight(s, i);
        for (size_t e = s->start[i]; e < s->start[i + 1]; e++)
            out[s->pair[e]] += *flow_of(s, s->pair[e], i) * (v[s->pair[e]] - mean);
    }
}

static gersh_status hessian(gersh__objective *objective, const double *d, size_t m, const double *t,
                            double *h)
{
    mcml_pairs *s = (mcml_pairs *)objective;
    const gersh__pairs *pairs = objective->pairs;
    size_t n = pairs->n;
    (void)d;
    gersh_status status = gersh__objective_work(objective, m * n);
    if (status != GERSH_OK)
        return status;
    double *b = objective->work; /* √w_i Σ_k Q_ik (t_i − t_k)² for each atom */
    for (size_t p = 0; p < pairs->count; p++)
        s->both[p] = s->flow[2 * p] + s->flow[2 * p + 1];
    status = gersh__pairs_gram(pairs, s->both, m, t, h);
    if (status != GERSH_OK)
        return status;
    memset(b, 0, m * n * sizeof *b);
    for (size_t a = 0; a < m; a++) {
        for (size_t p = 0; p < pairs->count; p++) {
            size_t i = pairs->first[p], j = pairs->second[p];
            double difference = t[a * n + i] - t[a * n + j], square = difference * difference;
            b[a * n + i] += s->flow[2 * p] * square;
            b[a * n + j] += s->flow[2 * p + 1] * square;
        }
        for (size_t i = 0; i < n; i++)
            b[a * n + i] /= sqrt(weight(s, i));
    }
    gersh__mcml_subtract(n, m, b, h);
    return GERSH_OK;
}

const gersh__objective_kind gersh__mcml_pairs = {
    .name = "mcml",
    .mean = GERSH__MEAN_DISTANCE,
    .help = "similar partners of a sample should be close, dissimilar ones far",
    .nonnegative = 1,
    .takes = GERSH__PAIRS,
    .arrays = 3,
    .state_size = sizeof(mcml_pairs),
    .init = init,
    .clear = clear,
    .evaluate = evaluate,
    .curvature = curvature,
    .hessian = hessian,
    .doubt = doubt,
};
