/*
 * mcml of listed pairs: for sample i
 *
 *     F(d) = Σ_i o_i [ Σ_j q_ij d_ij / W_i + log Σ_k q_ik exp(−d_ik) − log W_i ],
 *
 * k over its listed partners and j over its similar ones. Of the pairs of tuples o_i = w_i and q_ik = w_k, and W_i is the
 * sum of its similar q_ij: then F is Σ_i w_i KL(P_i ‖ Q_i), and with all pairs listed, those of one class as similar, mcml of
 * the classes. A sample without similar partners adds nothing; a pair that is listed twice counts as two partners.
 *
 * Of drawn pairs the sizes of classes are those of the population. Where i is of a class of n rows among N, and m of its
 * class and v of others are its partners, q_ik is w_k (n − 1) / m for the former and w_k (N − n) / v for the latter, W_i is
 * known exactly, and o_i is w_i times n over the number of such i in its class that have partners of both sorts. Which rows
 * have how many partners does not depend on which rows they are, so that every row's linear term and sum of exponentials is
 * estimated without bias, and its logarithm, by Jensen's inequality, not too high: the expectation of F is nowhere above
 * mcml of all pairs. Without weights F is never negative, as Σ_k q_ik exp(−d_ik) >= W_i exp(−Σ_j q_ij d_ij / W_i); with
 * weights it may be by chance, but never is what it estimates.
 *
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
    size_t *start;     /* n + 1: the pairs of sample i are those in */
    size_t *pair;      /* pair[start[i]..start[i + 1]) */
    double *own;       /* o_i, 0 for a sample that adds nothing */
    double *mates;     /* W_i */
    double *excess;    /* Σ_j q_ij / W_i − 1 */
    double *factor[2]; /* q_ik / w_k of partners that are not similar, and of similar ones */
    double
        *flow; /* two of each pair p = (i, j) of the last gradient: o_i Q_ij at 2 p, o_j Q_ji at 2 p + 1 */
    double *both; /* their sum */
} mcml_pairs;

static double weight(const gersh__pairs *pairs, size_t sample)
{
    return pairs->weight != NULL ? pairs->weight[sample] : 1.0;
}

static size_t partner(const mcml_pairs *s, size_t pair, size_t sample)
{
    const gersh__pairs *pairs = s->base.pairs;
    return pairs->first[pair] == sample ? pairs->second[pair] : pairs->first[pair];
}

/* q of the pair, as seen from the sample. */
static double partner_weight(const mcml_pairs *s, size_t pair, size_t sample)
{
    const gersh__pairs *pairs = s->base.pairs;
    return weight(pairs, partner(s, pair, sample)) * s->factor[pairs->similar[pair] != 0][sample];
}

/* o_i Q of the pair, as seen from the sample. */
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

/* How many partners of a sample are not similar, and are. */
static void count_partners(const mcml_pairs *s, size_t sample, size_t found[2])
{
    found[0] = found[1] = 0;
    for (size_t e = s->start[sample]; e < s->start[sample + 1]; e++)
        found[s->base.pairs->similar[s->pair[e]] != 0]++;
}

/* Of tuples. */
static void set_listed(mcml_pairs *s)
{
    const gersh__pairs *pairs = s->base.pairs;
    for (size_t i = 0; i < pairs->n; i++) {
        s->factor[0][i] = s->factor[1][i] = 1;
        for (size_t e = s->start[i]; e < s->start[i + 1]; e++)
            s->mates[i] += pairs->similar[s->pair[e]] ? partner_weight(s, s->pair[e], i) : 0.0;
        s->own[i] = s->mates[i] > 0 ? weight(pairs, i) : 0.0;
    }
}

/* Of a drawn sample; *counted: whether it has partners of both sorts. */
static void set_drawn_sample(mcml_pairs *s, size_t i, int *counted)
{
    const gersh__pairs *pairs = s->base.pairs;
    const gersh__stratum *own = &pairs->stratum[pairs->stratum_of[i]];
    size_t found[2], others = 0;
    double w = weight(pairs, i), sum = 0;
    count_partners(s, i, found);
    *counted = found[0] > 0 && found[1] > 0;
    if (!*counted)
        return;
    for (size_t c = 0; c < pairs->strata; c++)
        others += pairs->stratum[c].rows;
    others -= own->rows;
    s->factor[0][i] = (double)others / (double)found[0];
    s->factor[1][i] = (double)(own->rows - 1) / (double)found[1];
    s->mates[i] = w < own->heaviest ? own->weight - w : own->rest;
    for (size_t e = s->start[i]; e < s->start[i + 1]; e++)
        sum += pairs->similar[s->pair[e]] ? partner_weight(s, s->pair[e], i) : 0.0;
    s->excess[i] = pairs->weight != NULL ? sum / s->mates[i] - 1 : 0.0;
}

static gersh_status set_drawn(mcml_pairs *s)
{
    const gersh__pairs *pairs = s->base.pairs;
    size_t *counted = gersh__alloc(pairs->strata, sizeof *counted);
    if (counted == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t i = 0; i < pairs->n; i++) {
        int counts;
        set_drawn_sample(s, i, &counts);
        counted[pairs->stratum_of[i]] += (size_t)counts;
    }
    for (size_t i = 0; i < pairs->n; i++) {
        size_t c = pairs->stratum_of[i];
        if (s->mates[i] > 0)
            s->own[i] = weight(pairs, i) * (double)pairs->stratum[c].rows / (double)counted[c];
    }
    gersh__free(counted);
    return GERSH_OK;
}

static int is_other(const gersh__objective_entry *entry)
{
    return entry->pairs != &gersh__mcml_pairs;
}

static gersh_status init(gersh__objective *objective)
{
    char list[GERSH__OBJECTIVE_LIST];
    mcml_pairs *s = (mcml_pairs *)objective;
    const gersh__pairs *pairs = objective->pairs;
    int useful = 0;
    s->flow = objective->scratch;
    s->both = objective->scratch + 2 * pairs->count;
    s->start = gersh__alloc(pairs->n + 1, sizeof *s->start);
    s->pair = gersh__alloc(pairs->count, 2 * sizeof *s->pair);
    s->own = gersh__alloc(pairs->n, 5 * sizeof *s->own);
    if (s->start == NULL || s->pair == NULL || s->own == NULL)
        return GERSH_ERROR_MEMORY;
    s->mates = s->own + pairs->n;
    s->excess = s->mates + pairs->n;
    s->factor[0] = s->excess + pairs->n;
    s->factor[1] = s->factor[0] + pairs->n;
    collect(s);
    gersh_status status = GERSH_OK;
    if (pairs->stratum != NULL)
        status = set_drawn(s);
    else
        set_listed(s);
    for (size_t i = 0; i < pairs->n; i++) {
        size_t found[2];
        count_partners(s, i, found);
        useful |= found[0] > 0 && s->own[i] > 0;
    }
    if (status == GERSH_OK && !useful)
        return gersh__fail(
            GERSH_ERROR_INPUT,
            "the objective %s needs a row that is in a similar pair and in a dissimilar one, but "
            "there is none; use the objective %s",
            objective->info->name, gersh__objective_list(list, GERSH__PAIRS, is_other, " or "));
    return status;
}

static void clear(gersh__objective *objective)
{
    mcml_pairs *s = (mcml_pairs *)objective;
    gersh__free(s->start);
    gersh__free(s->pair);
    gersh__free(s->own);
}

/* What sample i adds; with g what it gives to the gradient, and the flows. */
static double add_sample(mcml_pairs *s, size_t i, const double *d, double *g)
{
    const int *similar = s->base.pairs->similar;
    double low = INFINITY, z = 0, pull = 0, own = s->own[i];
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
    double term = pull / s->mates[i] + log(z / s->mates[i]) + s->excess[i] * low;
    return own * (s->base.pairs->stratum == NULL ? fmax(0.0, term) : term);
}

static double evaluate(gersh__objective *objective, const double *d, double *g)
{
    mcml_pairs *s = (mcml_pairs *)objective;
    double value = 0;
    if (g != NULL)
        memset(g, 0, objective->pairs->count * sizeof *g);
    for (size_t i = 0; i < objective->pairs->n; i++)
        if (s->own[i] > 0)
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
            if (s->own[i] == 0)
                continue;
            flow += s->flow[2 * p + (size_t)end];
            size += s->own[i] * (1 + d[p]) * (1 + partner_weight(s, p, i) / s->mates[i]);
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
        if (s->own[i] == 0)
            continue;
        for (size_t e = s->start[i]; e < s->start[i + 1]; e++)
            mean += *flow_of(s, s->pair[e], i) * v[s->pair[e]];
        mean /= s->own[i];
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
    double *b = objective->work; /* √o_i Σ_k Q_ik (t_i − t_k)² for each atom */
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
            b[a * n + i] = s->own[i] > 0 ? b[a * n + i] / sqrt(s->own[i]) : 0.0;
    }
    gersh__mcml_subtract(n, m, b, h);
    return GERSH_OK;
}

const gersh__objective_kind gersh__mcml_pairs = {
    .arrays = 3,
    .state_size = sizeof(mcml_pairs),
    .init = init,
    .clear = clear,
    .evaluate = evaluate,
    .curvature = curvature,
    .hessian = hessian,
    .doubt = doubt,
};
