/*
 * Sketches of separable objectives F = Σ c_p φ(d_p); see sketch.h.
 *
 * Pair p is drawn with a chance proportional to c_p φ''(d_p) l_p², all at equal distances along the running sum, l_p
 * being its distances under M0 and under a multiple of the identity, together: so much it can change the curvature of F. Each stands for as
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
#include "base/policy.h"
#include "linalg/kernels.h"
#include "objective/sketch.h"
#include "pairs/differences.h"
#include "solver/atoms.h"
#include "solver/policy.h"

enum { DIFFERENCE_COLUMNS = 4 }; /* of R, that are made together */

struct gersh__sketch {
    const gersh__engine *engine; /* over all pairs */
    gersh__pair_terms terms;     /* its objective's: with c φ'', or −c φ'' */
    double level;                /* of the identity, over ρ */
    double unit;                 /* of the sum of chances for each draw */
    size_t draws;
    gersh__pick *pick;   /* as many */
    gersh__pairs *pairs; /* as many sampled ones and 2K linear ones */
    gersh__sketch_objective *objective;
    gersh__engine *small; /* over these */
    double *r;            /* K × K */
    double *g;            /* of the sampled pairs at M0 */
    double *scratch;      /* K × draws */
};

int gersh__sketch_pays(const gersh__engine *e)
{
    return e->objective->kind->pair_terms != NULL &&
           gersh__policy_sketch(gersh__pairs_count(e->pairs), gersh__pairs_features(e->pairs)) > 0 &&
           gersh__gradient_kept(e->gradient) && e->rho > 0;
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
    size_t k = gersh__pairs_features(e->pairs);
    gersh__sketch *s = *out = gersh__alloc(1, sizeof *s);
    if (s == NULL)
        return GERSH_ERROR_MEMORY;
    s->engine = e;
    s->draws = gersh__policy_sketch(gersh__pairs_count(e->pairs), k);
    s->pick = gersh__alloc(s->draws, sizeof *s->pick);
    s->g = gersh__alloc(s->draws, sizeof *s->g);
    s->r = gersh__alloc(k, k * sizeof *s->r);
    s->scratch = gersh__alloc(k, s->draws * sizeof *s->scratch);
    gersh_status status = s->pick && s->g && s->r && s->scratch ? GERSH_OK : GERSH_ERROR_MEMORY;
    if (status == GERSH_OK)
        status = gersh__pairs_new_differences(&s->pairs, k, s->draws + 2 * k, gersh__pairs_pool(e->pairs));
    if (status == GERSH_OK)
        status = gersh__sketch_objective_new(&s->objective, e->objective, s->pairs, s->draws);
    if (status == GERSH_OK)
        status =
            gersh__engine_new(&s->small, s->pairs, &s->objective->terms.base, e->rho, e->budget, e->dense);
    return status; /* what is there is freed with the engine */
}

/* The chances of the pairs begin..end − 1. */
static void set_chances(void *context, size_t begin, size_t end, double *chance)
{
    const gersh__sketch *s = context;
    const double *d = s->engine->d, *base = s->engine->base, *second = s->terms.second, level = s->level;
    for (size_t p = begin; p < end; p++) {
        double length = d[p] + level * base[p];
        chance[p - begin] = fabs(second[p]) * length * length;
    }
}

/* The sampled pairs: differences, and c so that each counts by its draws. */
static void take_pairs(gersh__sketch *s)
{
    gersh__differences_take(s->pairs, s->engine->pairs, s->draws, s->pick);
    for (size_t p = 0; p < s->draws; p++) {
        size_t pair = s->pick[p].pair;
        double chance = 1;
        if (s->pick[p].times > 0)
            set_chances(s, pair, pair + 1, &chance);
        double count = s->pick[p].times * s->unit / chance;
        s->objective->terms.c[p] = count * (s->terms.c != NULL ? s->terms.c[pair] : s->terms.each);
        s->g[p] = count * s->engine->g[pair];
    }
}

/* R = G − G', G' being that of the sampled pairs: a few of its columns. */
static void take_difference(void *context, size_t part, int worker)
{
    const gersh__sketch *s = context;
    const gersh__engine *e = s->engine;
    size_t k = gersh__pairs_features(e->pairs), from = part * DIFFERENCE_COLUMNS,
           columns = k - from < DIFFERENCE_COLUMNS ? k - from : DIFFERENCE_COLUMNS;
    double *r = s->r + from * k;
    (void)worker;
    gersh__gradient_block(e->gradient, from, columns, r);
    gersh__differences_subtract(s->pairs, s->g, s->draws, from, columns, s->scratch + from * s->draws, r);
}

/* The linear pairs from the lower triangle of R. Returns 0 where it is no matrix of numbers. */
static int add_linear_correction(gersh__sketch *s)
{
    size_t k = gersh__pairs_features(s->engine->pairs);
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
        double *row = gersh__differences_feature(s->pairs, f) + s->draws;
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
    gersh__pairs_euclidean(s->pairs, s->small->base);
    for (size_t p = 0, last = gersh__pairs_count(s->pairs); p < last; p++)
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
    s->terms = e->objective->kind->pair_terms(e->objective);
    s->level = e->budget / ((double)gersh__pairs_features(e->pairs) * e->rho);
    if (!gersh__pairs_subsample(s->pick, &s->unit, e->pairs, set_chances, s, s->draws))
        return GERSH_OK;
    take_pairs(s);
    gersh__pool_run(
        gersh__pool_for(gersh__pairs_pool(e->pairs), (double)(gersh__pairs_features(e->pairs) * s->draws)),
        (gersh__pairs_features(e->pairs) + DIFFERENCE_COLUMNS - 1) / DIFFERENCE_COLUMNS, take_difference,
        s);
    if (!add_linear_correction(s))
        return GERSH_OK;
    status = start(s);
    if (status == GERSH_OK)
        status = gersh__region_new_like(&own, region, s->pairs);
    if (status == GERSH_OK) {
        gersh__limits limited = {.tol = fmax(GERSH__SKETCH_GAP * gap / fmax(fabs(e->value), e->floor),
                                             GERSH__SKETCH_TOL * limits->tol),
                                 .max_iter = limits->max_iter,
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
