/*
 * mcml of explicit pairs: for sample i
 *
 *     F(d) = Σ_i o_i [ Σ_j q_ij d_ij / W_i + log Σ_k q_ik exp(−d_ik) − log W_i ],
 *
 * k over its listed partners and j over its similar ones. Of the pairs of tuples o_i = w_i and q_ik = w_k, and W_i is the
 * sum of its similar q_ij: then F is Σ_i w_i KL(P_i ‖ Q_i), and with all pairs listed, those of one class as similar, mcml of
 * the classes. A sample without similar partners adds nothing; a pair that is listed twice counts as two partners.
 *
 * Of sampled pairs the sizes of classes are those of the population. Where i is of a class of n rows among N, and m of its
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
    size_t *start;      /* n + 1: the pairs of sample i are those in */
    size_t *pair;       /* pair[start[i]..start[i + 1]), */
    uint32_t *partner;  /* each with the other of its samples */
    const int *similar; /* of each pair */
    double *own;        /* o_i, 0 for a sample that adds nothing */
    double *mates;      /* W_i */
    double *excess;     /* Σ_j q_ij / W_i − 1 */
    double *factor[2];  /* q_ik / w_k of partners that are not similar, and of similar ones */
    double
        *flow; /* two of each pair p = (i, j) of the last gradient: o_i Q_ij at 2 p, o_j Q_ji at 2 p + 1 */
    double *both; /* their sum */
    int sampled;  /* the pairs are a sample of a population */
} mcml_pairs;

static double weight(const mcml_pairs *s, size_t sample)
{
    return gersh__supervision_weight(gersh__pairs_supervision(s->base.pairs), sample);
}

/* q of place e among the pairs of a sample. */
static double partner_weight(const mcml_pairs *s, size_t e, size_t sample)
{
    return weight(s, s->partner[e]) * s->factor[s->similar[s->pair[e]] != 0][sample];
}

/* o_i Q of place e among the pairs of the sample. */
static double *flow_of(const mcml_pairs *s, size_t e, size_t sample)
{
    return &s->flow[2 * s->pair[e] + (s->partner[e] > sample)];
}

static void put(mcml_pairs *s, size_t sample, size_t pair, size_t partner)
{
    size_t e = s->start[sample]++;
    s->pair[e] = pair;
    s->partner[e] = (uint32_t)partner;
}

/* The pairs of each sample, in their order. */
static void collect(mcml_pairs *s)
{
    const gersh__pairs *pairs = s->base.pairs;
    size_t n = gersh__pairs_samples(pairs), count = gersh__pairs_count(pairs);
    gersh__walk w;
    gersh__walk_start(&w, pairs, 0, count);
    while (gersh__walk_next(&w)) {
        s->start[w.i + 1]++;
        s->start[w.j + 1]++;
    }
    for (size_t i = 0; i < n; i++)
        s->start[i + 1] += s->start[i];
    gersh__walk_start(&w, pairs, 0, count);
    while (gersh__walk_next(&w)) {
        put(s, w.i, w.pair, w.j);
        put(s, w.j, w.pair, w.i);
    }
    for (size_t i = n; i > 0; i--) /* each start has moved on to the next one */
        s->start[i] = s->start[i - 1];
    s->start[0] = 0;
}

/* How many partners of a sample are not similar, and are. */
static void count_partners(const mcml_pairs *s, size_t sample, size_t found[2])
{
    found[0] = found[1] = 0;
    for (size_t e = s->start[sample]; e < s->start[sample + 1]; e++)
        found[s->similar[s->pair[e]] != 0]++;
}

/* Σ_j q_ij over the similar partners of a sample. */
static double similar_weight(const mcml_pairs *s, size_t i)
{
    double sum = 0;
    for (size_t e = s->start[i]; e < s->start[i + 1]; e++)
        sum += s->similar[s->pair[e]] ? partner_weight(s, e, i) : 0.0;
    return sum;
}

/* Of tuples. */
static void set_tuples(mcml_pairs *s)
{
    for (size_t i = 0, n = gersh__pairs_samples(s->base.pairs); i < n; i++) {
        s->factor[0][i] = s->factor[1][i] = 1;
        s->mates[i] = similar_weight(s, i);
        s->own[i] = s->mates[i] > 0 ? weight(s, i) : 0.0;
    }
}

/* The classes that samples were taken from. */
typedef struct strata {
    const gersh__stratum *stratum;
    const size_t *of;
    size_t count, rows;
} strata;

/* Of a sample among sampled pairs; *counted: whether it has partners of both sorts. */
static void set_sample(mcml_pairs *s, size_t i, const strata *all, int *counted)
{
    const gersh__stratum *own = &all->stratum[all->of[i]];
    size_t found[2];
    double w = weight(s, i);
    count_partners(s, i, found);
    *counted = found[0] > 0 && found[1] > 0;
    if (!*counted)
        return;
    s->factor[0][i] = (double)(all->rows - own->rows) / (double)found[0];
    s->factor[1][i] = (double)(own->rows - 1) / (double)found[1];
    s->mates[i] = w < own->heaviest ? own->weight - w : own->rest;
    int weighted = gersh__supervision_weights(gersh__pairs_supervision(s->base.pairs)) != NULL;
    s->excess[i] = weighted ? similar_weight(s, i) / s->mates[i] - 1 : 0.0;
}

static gersh_status set_sampled(mcml_pairs *s, strata *all)
{
    size_t n = gersh__pairs_samples(s->base.pairs);
    size_t *counted = gersh__alloc(all->count, sizeof *counted);
    if (counted == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t c = 0; c < all->count; c++)
        all->rows += all->stratum[c].rows;
    for (size_t i = 0; i < n; i++) {
        int counts;
        set_sample(s, i, all, &counts);
        counted[all->of[i]] += (size_t)counts;
    }
    for (size_t i = 0; i < n; i++) {
        size_t c = all->of[i];
        if (s->mates[i] > 0)
            s->own[i] = weight(s, i) * (double)all->stratum[c].rows / (double)counted[c];
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
    char list[GERSH__NAME_LIST];
    mcml_pairs *s = (mcml_pairs *)objective;
    const gersh__supervision *known = gersh__pairs_supervision(objective->pairs);
    size_t n = gersh__pairs_samples(objective->pairs), count = gersh__pairs_count(objective->pairs);
    int useful = 0;
    strata all = {0};
    s->similar = gersh__supervision_similarity(known);
    s->flow = objective->scratch;
    s->both = objective->scratch + 2 * count;
    s->start = gersh__alloc(n + 1, sizeof *s->start);
    s->pair = gersh__alloc(count, 2 * sizeof *s->pair);
    s->partner = gersh__alloc(count, 2 * sizeof *s->partner);
    s->own = gersh__alloc(n, 5 * sizeof *s->own);
    if (s->start == NULL || s->pair == NULL || s->partner == NULL || s->own == NULL)
        return GERSH_ERROR_MEMORY;
    s->mates = s->own + n;
    s->excess = s->mates + n;
    s->factor[0] = s->excess + n;
    s->factor[1] = s->factor[0] + n;
    collect(s);
    gersh_status status = GERSH_OK;
    all.stratum = gersh__supervision_strata(known, &all.count, &all.of);
    s->sampled = all.stratum != NULL;
    if (s->sampled)
        status = set_sampled(s, &all);
    else
        set_tuples(s);
    for (size_t i = 0; i < n; i++) {
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
    gersh__free(s->partner);
    gersh__free(s->own);
}

/* What sample i adds; with g what it gives to the gradient, and the flows. */
static double add_sample(mcml_pairs *s, size_t i, const double *d, double *g)
{
    double low = INFINITY, z = 0, pull = 0, own = s->own[i];
    for (size_t e = s->start[i]; e < s->start[i + 1]; e++)
        low = fmin(low, d[s->pair[e]]);
    for (size_t e = s->start[i]; e < s->start[i + 1]; e++) {
        size_t p = s->pair[e];
        double w = partner_weight(s, e, i);
        z += w * exp(low - d[p]);
        pull += s->similar[p] ? w * (d[p] - low) : 0.0;
    }
    for (size_t e = s->start[i]; g != NULL && e < s->start[i + 1]; e++) {
        size_t p = s->pair[e];
        double w = partner_weight(s, e, i), *flow = flow_of(s, e, i);
        *flow = own * w * exp(low - d[p]) / z;
        g[p] += (s->similar[p] ? own * w / s->mates[i] : 0.0) - *flow;
    }
    double term = pull / s->mates[i] + log(z / s->mates[i]) + s->excess[i] * low;
    return own * (s->sampled ? term : fmax(0.0, term));
}

static double evaluate(gersh__objective *objective, const double *d, double *g)
{
    mcml_pairs *s = (mcml_pairs *)objective;
    double value = 0;
    if (g != NULL)
        memset(g, 0, gersh__pairs_count(objective->pairs) * sizeof *g);
    for (size_t i = 0, last = gersh__pairs_samples(objective->pairs); i < last; i++)
        if (s->own[i] > 0)
            value += add_sample(s, i, d, g);
    return value;
}

/* o_i (1 + d) (1 + q / W_i) of an end of a pair. */
static double term_size(const mcml_pairs *s, size_t pair, size_t i, size_t partner, double d)
{
    double q = weight(s, partner) * s->factor[s->similar[pair] != 0][i];
    return s->own[i] != 0 ? s->own[i] * (1 + d) * (1 + q / s->mates[i]) : 0.0;
}

/* As in mcml.c, with Q + P <= |g| + 2 Q; the terms of the value are at most 1 + |d − low| + |log| in size. */
static double doubt(gersh__objective *objective, const double *d, const double *g, double *r)
{
    const mcml_pairs *s = (const mcml_pairs *)objective;
    size_t count = gersh__pairs_count(objective->pairs);
    double size = 0;
    gersh__walk w;
    (void)g;
    gersh__walk_start(&w, objective->pairs, 0, count);
    while (gersh__walk_next(&w)) {
        double flow = (s->own[w.i] != 0 ? s->flow[2 * w.pair] : 0.0) +
                      (s->own[w.j] != 0 ? s->flow[2 * w.pair + 1] : 0.0);
        size += term_size(s, w.pair, w.i, w.j, d[w.pair]);
        size += term_size(s, w.pair, w.j, w.i, d[w.pair]);
        r[w.i] += 2 * flow;
        r[w.j] += 2 * flow;
    }
    return gersh__rounding(count) * size;
}

static void curvature(gersh__objective *objective, const double *d, const double *v, double *out)
{
    mcml_pairs *s = (mcml_pairs *)objective;
    (void)d;
    memset(out, 0, gersh__pairs_count(objective->pairs) * sizeof *out);
    for (size_t i = 0, last = gersh__pairs_samples(objective->pairs); i < last; i++) {
        double mean = 0;
        if (s->own[i] == 0)
            continue;
        for (size_t e = s->start[i]; e < s->start[i + 1]; e++)
            mean += *flow_of(s, e, i) * v[s->pair[e]];
        mean /= s->own[i];
        for (size_t e = s->start[i]; e < s->start[i + 1]; e++)
            out[s->pair[e]] += *flow_of(s, e, i) * (v[s->pair[e]] - mean);
    }
}

static gersh_status hessian(gersh__objective *objective, const double *d, size_t m, const double *t,
                            double *h)
{
    mcml_pairs *s = (mcml_pairs *)objective;
    const gersh__pairs *pairs = objective->pairs;
    size_t n = gersh__pairs_samples(pairs);
    (void)d;
    gersh_status status = gersh__objective_work(objective, m * n);
    if (status != GERSH_OK)
        return status;
    double *b = objective->work; /* √o_i Σ_k Q_ik (t_i − t_k)² for each atom */
    for (size_t p = 0, last = gersh__pairs_count(pairs); p < last; p++)
        s->both[p] = s->flow[2 * p] + s->flow[2 * p + 1];
    status = gersh__pairs_gram(pairs, s->both, m, t, h);
    if (status != GERSH_OK)
        return status;
    memset(b, 0, m * n * sizeof *b);
    for (size_t a = 0; a < m; a++) {
        const double *ta = t + a * n;
        double *sum = b + a * n;
        gersh__walk w;
        gersh__walk_start(&w, pairs, 0, gersh__pairs_count(pairs));
        while (gersh__walk_next(&w)) {
            double difference = ta[w.i] - ta[w.j], square = difference * difference;
            sum[w.i] += s->flow[2 * w.pair] * square;
            sum[w.j] += s->flow[2 * w.pair + 1] * square;
        }
        for (size_t i = 0; i < n; i++)
            sum[i] = s->own[i] > 0 ? sum[i] / sqrt(s->own[i]) : 0.0;
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
