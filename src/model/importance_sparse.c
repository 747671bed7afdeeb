/*
 * What features contribute that only rho weighs, on sparse data: rho times the diagonal of S_b − S_w, from the lists of
 * entries. The value of sample i at a feature is entry − factor_i shift; sums over the samples without an entry are
 * those of all less those of the samples with one.
 */
#include "base/alloc.h"
#include "model/importance.h"

/* Sums over the samples of a group, f being their factor: of the weights w, the gains g, and those of S_b, b. */
typedef struct sums {
    size_t count;
    double w, wf, wy, wyf;
    double g, gf, gff;
    double b, bf, bff;
} sums;

typedef struct column {
    const gersh__moments *moments;
    const gersh__sparse *lists; /* one for each feature */
    sums *all;                  /* of each group */
    sums *here;                 /* of its samples that have an entry in this column */
    double *mean;               /* of each group, in this column */
} column;

static size_t group_of(const gersh__moments *m, size_t i)
{
    return m->group != NULL ? (size_t)m->group[i] : 0;
}

static double factor_of(const column *c, size_t i)
{
    return c->lists->factor != NULL ? c->lists->factor[i] : 1;
}

static void add_sample(const column *c, sums *to, size_t i)
{
    const gersh__moments *m = c->moments;
    double f = factor_of(c, i), y = m->target != NULL ? m->target[i] : 0;
    to->count++;
    to->w += m->weight[i];
    to->wf += m->weight[i] * f;
    to->wy += m->weight[i] * y;
    to->wyf += m->weight[i] * y * f;
    to->g += m->gain[i];
    to->gf += m->gain[i] * f;
    to->gff += m->gain[i] * f * f;
    to->b += m->between[i];
    to->bf += m->between[i] * f;
    to->bff += m->between[i] * f * f;
}

/* The sums over the samples of group g without an entry. */
static sums rest_of(const column *c, size_t g)
{
    const sums *a = &c->all[g], *h = &c->here[g];
    if (a->count == h->count)
        return (sums){0};
    return (sums){a->count - h->count, a->w - h->w,   a->wf - h->wf,  a->wy - h->wy,
                  a->wyf - h->wyf,     a->g - h->g,   a->gf - h->gf,  a->gff - h->gff,
                  a->b - h->b,         a->bf - h->bf, a->bff - h->bff};
}

/* The groups' means, as deviations from one value, so that a constant feature has it to the bit. Returns that value. */
static double make_means(const column *c, size_t feature, double shift)
{
    const gersh__moments *m = c->moments;
    const gersh__sparse *x = c->lists;
    size_t begin = x->start[feature], end = x->start[feature + 1];
    double origin = end > begin ? x->value[begin] - factor_of(c, x->index[begin]) * shift : 0;
    for (size_t g = 0; g < m->groups; g++) {
        c->here[g] = (sums){0};
        c->mean[g] = 0;
    }
    for (size_t e = begin; e < end; e++) {
        size_t i = x->index[e], g = group_of(m, i);
        add_sample(c, &c->here[g], i);
        c->mean[g] += m->weight[i] * (x->value[e] - factor_of(c, i) * shift - origin);
    }
    for (size_t g = 0; g < m->groups; g++) {
        sums rest = rest_of(c, g);
        c->mean[g] = m->total[g] > 0 ? (c->mean[g] - shift * rest.wf - origin * rest.w) / m->total[g] : 0;
    }
    return origin;
}

/* The last terms: the means less that of all; or b, of which `along` is the sum over the entries. */
static void add_last(const column *c, double origin, double shift, double along, double *gain,
                     double *between)
{
    const gersh__moments *m = c->moments;
    size_t n = m->data->n;
    double all = 0, mean = 0;
    if (m->target != NULL) {
        sums rest = rest_of(c, 0);
        double b = along - shift * rest.wyf - (origin + c->mean[0]) * rest.wy;
        *gain += m->gain[n] * b * b;
        *between += m->between[n] * b * b;
        return;
    }
    for (size_t g = 0; g < m->groups; g++)
        all += m->total[g];
    for (size_t g = 0; g < m->groups; g++)
        mean += m->total[g] / all * c->mean[g];
    for (size_t g = 0; g < m->groups; g++) {
        double u = c->mean[g] - mean;
        *gain += m->gain[n + g] * u * u;
        *between += m->between[n + g] * u * u;
    }
}

/* (S_b − S_w)_ii and (S_b)_ii of one feature. */
static void column_sums(const column *c, size_t feature, double *gain, double *between)
{
    const gersh__moments *m = c->moments;
    const gersh__sparse *x = c->lists;
    double shift = x->shift != NULL ? x->shift[feature] : 0, along = 0;
    double origin = make_means(c, feature, shift);
    *gain = *between = 0;
    for (size_t e = x->start[feature]; e < x->start[feature + 1]; e++) {
        size_t i = x->index[e];
        double u = x->value[e] - factor_of(c, i) * shift - origin - c->mean[group_of(m, i)];
        *gain += m->gain[i] * u * u;
        *between += m->between[i] * u * u;
        along += m->target != NULL ? m->weight[i] * m->target[i] * u : 0;
    }
    for (size_t g = 0; g < m->groups; g++) { /* the others have the value −f shift */
        sums rest = rest_of(c, g);
        double mean = origin + c->mean[g];
        *gain += shift * shift * rest.gff + 2 * shift * mean * rest.gf + mean * mean * rest.g;
        *between += shift * shift * rest.bff + 2 * shift * mean * rest.bf + mean * mean * rest.b;
    }
    add_last(c, origin, shift, along, gain, between);
}

static gersh_status add_samples(double *gain, double *between, const gersh__moments *m, double rho,
                                const size_t *slot)
{
    gersh__sparse *lists = NULL;
    column c = {.moments = m};
    gersh_status status = gersh__sparse_transpose(&lists, m->data->sparse, m->data->k);
    c.lists = lists;
    c.all = gersh__alloc(m->groups, sizeof *c.all);
    c.here = gersh__alloc(m->groups, sizeof *c.here);
    c.mean = gersh__alloc(m->groups, sizeof *c.mean);
    if (status == GERSH_OK && (c.all == NULL || c.here == NULL || c.mean == NULL))
        status = GERSH_ERROR_MEMORY;
    for (size_t i = 0; i < m->data->n && status == GERSH_OK; i++)
        add_sample(&c, &c.all[group_of(m, i)], i);
    for (size_t f = 0; f < m->data->k && status == GERSH_OK; f++) {
        double own, far;
        if (slot[f] != GERSH__NONE)
            continue;
        column_sums(&c, f, &own, &far);
        gain[f] += rho * own;
        *between += rho * far;
    }
    gersh__free(c.all);
    gersh__free(c.here);
    gersh__free(c.mean);
    gersh__sparse_free(lists);
    return status;
}

/* Of every feature, sums over the pairs, with e the difference of the entries and δ that of the factors. */
typedef struct pair_sums {
    double *gee, *ged, *bee, *bed;
    double gdd, bdd;
} pair_sums;

static void add_difference(pair_sums *p, size_t f, double gain, double between, double e, double delta)
{
    p->gee[f] += gain * e * e;
    p->ged[f] += gain * e * delta;
    p->bee[f] += between * e * e;
    p->bed[f] += between * e * delta;
}

static void add_pair(pair_sums *p, const gersh__moments *m, size_t t)
{
    const gersh__sparse *x = m->data->sparse;
    size_t i = m->first[t], j = m->second[t], a = x->start[i], b = x->start[j];
    size_t a_end = x->start[i + 1], b_end = x->start[j + 1];
    double gain = m->gain[t], between = m->between[t];
    double delta = x->factor != NULL ? x->factor[i] - x->factor[j] : 0;
    while (a < a_end || b < b_end) {
        size_t left = a < a_end ? x->index[a] : GERSH__NONE, right = b < b_end ? x->index[b] : GERSH__NONE;
        double e = 0;
        if (left <= right)
            e += x->value[a++];
        if (right <= left)
            e -= x->value[b++];
        add_difference(p, left < right ? left : right, gain, between, e, delta);
    }
    p->gdd += gain * delta * delta;
    p->bdd += between * delta * delta;
}

static gersh_status add_pairs(double *gain, double *between, const gersh__moments *m, double rho,
                              const size_t *slot)
{
    size_t k = m->data->k;
    double *room = gersh__alloc(k, 4 * sizeof *room);
    if (room == NULL)
        return GERSH_ERROR_MEMORY;
    pair_sums p = {.gee = room, .ged = room + k, .bee = room + 2 * k, .bed = room + 3 * k};
    for (size_t t = 0; t < m->terms; t++)
        add_pair(&p, m, t);
    for (size_t f = 0; f < k; f++) {
        double shift = m->data->sparse->shift != NULL ? m->data->sparse->shift[f] : 0;
        if (slot[f] != GERSH__NONE)
            continue;
        gain[f] += rho * (p.gee[f] + shift * (shift * p.gdd - 2 * p.ged[f]));
        *between += rho * (p.bee[f] + shift * (shift * p.bdd - 2 * p.bed[f]));
    }
    gersh__free(room);
    return GERSH_OK;
}

gersh_status gersh__importance_sparse(double *gain, double *between, const gersh__moments *m, double rho,
                                      const size_t *slot)
{
    return m->first != NULL ? add_pairs(gain, between, m, rho, slot)
                            : add_samples(gain, between, m, rho, slot);
}
