/*
 * Sketches of separable objectives F = Σ c_p φ(d_p); see sketch.h.
 *
 * Pair p is drawn with a chance proportional to c_p φ''(d_p) l_p², all at equal distances along the running sum, l_p
 * being its distances under M0 and under a multiple of the identity, together: so much it can bend F. Each stands for as
 * many as its chance says. What their gradient lacks, R = G − G', is a linear term ⟨R, M⟩. It takes the form of more
 * pairs, whose distances count as they are: R + sI = LLᵀ with s large enough, so that ⟨R, M⟩ = Σ_r l_rᵀ M l_r − s Σ_f M_ff
 * with the columns l_r of L.
 */
#include "solver/sketch.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "linalg/kernels.h"
#include "objective/sketch.h"
#include "pairs/differences.h"
#include "solver/atoms.h"

#ifndef GERSH__SKETCHED_PAIRS /* a build for tests has fewer */
#define GERSH__SKETCHED_PAIRS 16384
#endif

enum {
    LEAST_DRAWS = 1024,
    PAIRS_A_DRAW = 256, /* from these to GERSH__MOST_DRAWS */
    MOST_STEPS = 60,
    COLUMNS = 4,        /* of R, that are made together */
    MUCH_WORK = 1 << 15 /* numbers to look up that are worth waking threads for */
};

#define SHARE 0.1  /* of the gap, to which the sketch is solved, */
#define ENOUGH 0.5 /* or of the tolerance, if that is more */

/* A pair that is drawn. */
typedef struct pick {
    size_t i, j, pair;
    double times; /* how many draws it has */
} pick;

struct gersh__sketch {
    const gersh__engine *engine;          /* over all pairs */
    const double *second;                 /* its c φ'', or −c φ'' */
    double level;                         /* of the identity, over ρ */
    double before[GERSH__MOST_PARTS + 1]; /* sum of chances before each part */
    double unit;                          /* of that sum for each draw */
    size_t draws;
    pick *pick;          /* as many */
    gersh__pairs *pairs; /* as many drawn ones and 2K linear ones */
    gersh__sketch_objective *objective;
    gersh__engine *small; /* over these */
    double *r;            /* K × K */
    double *g;            /* of the drawn pairs at M0 */
    double *scratch;      /* K × draws */
};

int gersh__sketch_pays(const gersh__engine *e)
{
    return e->objective->kind->separable && e->pairs->count >= GERSH__SKETCHED_PAIRS &&
           gersh__gradient_kept(e->gradient) && e->pairs->k <= GERSH__MOST_SKETCHED && e->rho > 0;
}

void gersh__sketch_free(gersh__sketch *s)
{
    if (s == NULL)
        return;
    gersh__engine_free(s->small);
    if (s->objective != NULL)
        gersh__objective_free(&s->objective->terms.base);
    gersh__pairs_free(s->pairs);
    gersh__free(s->pick);
    gersh__free(s->r);
    gersh__free(s->g);
    gersh__free(s->scratch);
    gersh__free(s);
}

static gersh_status make(gersh__sketch **out, const gersh__engine *e)
{
    size_t k = e->pairs->k;
    gersh__sketch *s = *out = gersh__alloc(1, sizeof *s);
    if (s == NULL)
        return GERSH_ERROR_MEMORY;
    s->engine = e;
    s->draws = e->pairs->count / PAIRS_A_DRAW;
    s->draws = s->draws < LEAST_DRAWS         ? LEAST_DRAWS
               : s->draws > GERSH__MOST_DRAWS ? GERSH__MOST_DRAWS
                                              : s->draws;
    s->pick = gersh__alloc(s->draws, sizeof *s->pick);
    s->g = gersh__alloc(s->draws, sizeof *s->g);
    s->r = gersh__alloc(k, k * sizeof *s->r);
    s->scratch = gersh__alloc(k, s->draws * sizeof *s->scratch);
    gersh_status status = s->pick && s->g && s->r && s->scratch ? GERSH_OK : GERSH_ERROR_MEMORY;
    if (status == GERSH_OK)
        status = gersh__pairs_new_differences(&s->pairs, k, s->draws + 2 * k, e->pairs->pool);
    if (status == GERSH_OK)
        status = gersh__sketch_objective_new(&s->objective, e->objective, s->pairs, s->draws);
    if (status == GERSH_OK)
        status =
            gersh__engine_new(&s->small, s->pairs, &s->objective->terms.base, e->rho, e->budget, e->dense);
    return status; /* what is there is freed with the engine */
}

/* The chance of a pair. */
static double weigh(const gersh__sketch *s, size_t p)
{
    double length = s->engine->d[p] + s->level * s->engine->base[p];
    return fabs(s->second[p]) * length * length;
}

static void sum_part(void *context, size_t part, int worker)
{
    gersh__sketch *s = context;
    size_t end = gersh__pairs_begin(s->engine->pairs, part + 1);
    double sum = 0;
    (void)worker;
    for (size_t p = gersh__pairs_begin(s->engine->pairs, part); p < end; p++)
        sum += weigh(s, p);
    s->before[part + 1] = sum;
}

/* Draws made before the running sum is this. */
static size_t draws_before(const gersh__sketch *s, double sum)
{
    double draws = floor(sum / s->unit + 0.5);
    return draws < (double)s->draws ? (size_t)draws : s->draws;
}

/* Each part has as many places as it has draws; where a pair is drawn more than once, some are empty. */
static void draw_part(void *context, size_t part, int worker)
{
    gersh__sketch *s = context;
    const gersh__pairs *pairs = s->engine->pairs;
    size_t made = draws_before(s, s->before[part]), last = draws_before(s, s->before[part + 1]);
    pick *next = s->pick + made;
    double sum = s->before[part], wanted = ((double)made + 0.5) * s->unit;
    (void)worker;
    memset(next, 0, (last - made) * sizeof *next);
    for (size_t i = pairs->part[part]; i < pairs->part[part + 1] && made < last; i++) {
        size_t begin = pairs->first != NULL ? i : pairs->row[i];
        size_t end = pairs->first != NULL ? i + 1 : pairs->row[i + 1];
        for (size_t p = begin; p < end && made < last; p++) {
            sum += weigh(s, p);
            if (sum < wanted)
                continue;
            size_t reached = draws_before(s, sum);
            reached = reached < made + 1 ? made + 1 : reached < last ? reached : last;
            *next++ =
                (pick){pairs->first != NULL ? pairs->first[p] : i,
                       pairs->first != NULL ? pairs->second[p] : p - begin, p, (double)(reached - made)};
            made = reached;
            wanted = ((double)made + 0.5) * s->unit;
        }
    }
}

/* Returns 0 where nothing bends. */
static int draw(gersh__sketch *s)
{
    const gersh__pairs *pairs = s->engine->pairs;
    gersh__pairs_run(pairs, sum_part, s);
    for (size_t part = 0; part < pairs->parts; part++)
        s->before[part + 1] += s->before[part];
    s->unit = s->before[pairs->parts] / (double)s->draws;
    if (!(s->unit > 0 && isfinite(s->unit)))
        return 0;
    gersh__pairs_run(pairs, draw_part, s);
    return 1;
}

static int many_numbers(const gersh__sketch *s)
{
    return s->engine->pairs->k * s->draws > MUCH_WORK;
}

/* One feature of the drawn pairs' differences. */
static void take_feature(void *context, size_t f, int worker)
{
    gersh__sketch *s = context;
    const double *from = s->engine->pairs->x + f * s->engine->pairs->n;
    double *to = s->pairs->x + f * s->pairs->n;
    (void)worker;
    for (size_t p = 0; p < s->draws; p++)
        to[p] = from[s->pick[p].i] - from[s->pick[p].j];
}

/* The drawn pairs: differences, and c so that each counts by its draws. */
static void take_pairs(gersh__sketch *s)
{
    const gersh__pairs *pairs = s->engine->pairs;
    const gersh__separable *all = (const gersh__separable *)s->engine->objective;
    gersh__pool_run(many_numbers(s) ? pairs->pool : NULL, pairs->k, take_feature, s);
    for (size_t p = 0; p < s->draws; p++) {
        size_t pair = s->pick[p].pair;
        double count = s->pick[p].times > 0 ? s->pick[p].times * s->unit / weigh(s, pair) : 0;
        s->objective->terms.c[p] = count * gersh__separable_factor(all, pair);
        s->g[p] = count * s->engine->g[pair];
    }
}

/* R = G − G', G' being that of the drawn pairs: a few of its columns. */
static void take_difference(void *context, size_t part, int worker)
{
    const gersh__sketch *s = context;
    const gersh__engine *e = s->engine;
    size_t k = e->pairs->k, own = s->pairs->n, from = part * COLUMNS,
           columns = k - from < COLUMNS ? k - from : COLUMNS;
    double *scaled = s->scratch + from * s->draws, *r = s->r + from * k;
    (void)worker;
    for (size_t f = 0; f < columns; f++)
        for (size_t p = 0; p < s->draws; p++)
            scaled[f * s->draws + p] = s->g[p] * s->pairs->x[(from + f) * own + p];
    gersh__gradient_block(e->gradient, from, columns, r);
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)k, (int)columns, (int)s->draws, -1.0,
                s->pairs->x, (int)own, scaled, (int)s->draws, 1.0, r, (int)k);
}

/* The linear pairs from the lower triangle of R. Returns 0 where it is no matrix of numbers. */
static int take_linear(gersh__sketch *s)
{
    size_t k = s->engine->pairs->k;
    double shift = 0, *r = s->r, *lambda = s->objective->lambda;
    for (size_t i = 0; i < k; i++) {
        double sum = 0;
        for (size_t j = 0; j < k; j++)
            sum += fabs(i > j ? r[j * k + i] : r[i * k + j]);
        shift = fmax(shift, sum);
    }
    shift = 1.01 * shift + 1e-300;
    for (size_t i = 0; i < k; i++)
        r[i * k + i] += shift;
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (lapack_int)k, r, (lapack_int)k) != 0)
        return 0;
    for (size_t f = 0; f < k; f++) {
        double *row = s->pairs->x + f * s->pairs->n + s->draws;
        for (size_t c = 0; c <= f; c++)
            row[c] = r[c * k + f];
        row[k + f] = 1;
        lambda[f] = 1;
        lambda[k + f] = -shift;
    }
    return 1;
}

/* The small engine goes to M0, where its value is that of the large one. */
static gersh_status start(gersh__sketch *s)
{
    const gersh__engine *e = s->engine;
    gersh_metric *here = NULL;
    gersh__pairs_euclid(s->pairs, s->small->base);
    for (size_t p = 0; p < s->pairs->count; p++)
        s->small->base[p] *= e->rho;
    gersh_status status = gersh__engine_metric(&here, e);
    if (status == GERSH_OK)
        status = gersh__engine_start(s->small, here);
    gersh_metric_free(here);
    if (status != GERSH_OK)
        return status;
    s->objective->constant = 0;
    gersh__engine_refresh(s->small);
    s->objective->constant = e->value - s->small->value;
    s->small->floor = e->floor;
    s->small->iterations = 0;
    return GERSH_OK;
}

gersh_status gersh__sketch_solve(gersh_metric **out, gersh__engine *e, const gersh__region *region,
                                 const gersh__limits *limits, double gap)
{
    gersh__region *own = NULL;
    gersh_stop stop;
    gersh_status status = e->sketch == NULL ? make(&e->sketch, e) : GERSH_OK;
    gersh__sketch *s = e->sketch;
    *out = NULL;
    if (status != GERSH_OK)
        return status;
    s->second = ((const gersh__separable *)e->objective)->second;
    s->level = e->budget / ((double)e->pairs->k * e->rho);
    if (!draw(s))
        return GERSH_OK;
    take_pairs(s);
    gersh__pool_run(many_numbers(s) ? e->pairs->pool : NULL, (e->pairs->k + COLUMNS - 1) / COLUMNS,
                    take_difference, s);
    if (!take_linear(s))
        return GERSH_OK;
    status = start(s);
    if (status == GERSH_OK)
        status = gersh__region_new_like(&own, region, s->pairs);
    if (status == GERSH_OK) {
        gersh__limits limited = {
            .tol = fmax(SHARE * gap / fmax(fabs(e->value), e->floor), ENOUGH * limits->tol),
            .max_iter = MOST_STEPS,
            .start = limits->start,
            .max_seconds = limits->max_seconds,
            .cutoff = INFINITY,
            .enough = -INFINITY,
            .widest = 1,
            .cancel = limits->cancel};
        status = gersh__engine_solve(s->small, own, "sketch", &limited, &stop);
    }
    if (status == GERSH_OK)
        status = gersh__engine_metric(out, s->small);
    gersh__region_free(own);
    return status;
}
