/*
 * Learning from sampled pairs. Each round draws more of them than the last, learns from where the last ended, and
 * measures both metrics on pairs that no fit has seen: GERSH__CHECK_DRAWS independent draws b, each of which gives an
 * unbiased estimate F_b(M) of F(M) over all pairs. The rounds end when the value falls by less than the tolerance,
 * or no more pairs fit the memory. A round is solved as well as its sample deserves: to the relative error of the last
 * value. What is stated at the end comes from other draws again, as the least of two measured values is too low on
 * average: their mean, with an error at 95 % by Student's distribution.
 *
 * The bound: what the solver certifies is below the minimum of the sum over the sampled pairs. That is a minimum
 * of estimates that are unbiased, or too low on average (mcml), so that its expectation is at most the minimum over all
 * pairs. Its deviation is about that of the sum at the metric found, which the F_b show, once the sizes of the draws are
 * allowed for.
 *
 * Of mcml, whose F_b are too low, value and error are those of rows that are drawn with all their partners (mcml_rows.h).
 *
 * Of lmnn, where one draw has every row as an anchor and every impostor within the margin, value and bound are
 * those of all triplets: the others add nothing to F or its gradient here, and nowhere less (comparisons.c). Where rows are many,
 * `all` is those that the population was limited to.
 */
#include <float.h>
#include <math.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/policy.h"
#include "base/settings.h"
#include "objective/mcml_rows.h"
#include "solver/fit.h"

#define TWO_SIDED_15                                                                                       \
    2.131 /* of Student's distribution with GERSH__CHECK_DRAWS − 1 degrees of freedom, 95 % */
#define ONE_SIDED_15 1.753
#define ROWS_ROUNDING 1e-12 /* relative, of a value of all rows */

typedef struct rounds {
    gersh__fit *fit;
    const gersh__plan *plan;
    gersh__population *population;
    gersh__random random;
    double tol;       /* the tolerance */
    size_t count;     /* pairs of the next draw */
    double width;     /* of the smoothing at the end of the last fit */
    double units;     /* of the last draw, */
    double bound;     /* and the certified bound there, as minimised, or −infinity */
    double certified; /* largest bound of complete draws */
    int all_anchors;  /* the last draw was mined, with every row as an anchor */
} rounds;

/* One draw: its pairs and the objective on them. */
typedef struct draw {
    gersh__pairs *pairs;
    gersh__objective *objective;
    int complete;
} draw;

/* What the fresh pairs say. */
typedef struct measured {
    double value, error; /* as minimised */
    double bound;        /* of a complete draw; else infinite */
    double before;       /* value of the metric before, or infinite */
    double deviation;    /* of F over draws of one unit: one row dealt out, or one anchor */
} measured;

static void drop(draw *d)
{
    gersh__objective_free(d->objective);
    gersh__pairs_free(d->pairs);
    *d = (draw){0};
}

/* Draws look for neighbours under this metric from now on. */
static gersh_status set_metric(rounds *r, const gersh_metric *metric)
{
    return r->plan->choice == GERSH_CHOICE_MINED
               ? gersh__population_set_metric(r->population, metric, r->fit->pool)
               : GERSH_OK;
}

static gersh_status draw_pairs(draw *d, rounds *r, size_t count)
{
    int needs = r->fit->objective->classes->needs;
    gersh_status status =
        r->plan->choice == GERSH_CHOICE_MINED
            ? gersh__pairs_new_mined(&d->pairs, &d->complete, r->population, count, &r->random,
                                     r->fit->pool)
            : gersh__pairs_new_sampled(&d->pairs, r->population,
                                       (gersh__wanted){(needs & GERSH__NEEDS_SIMILAR) != 0,
                                                       (needs & GERSH__NEEDS_DISSIMILAR) != 0},
                                       count, &r->random, r->fit->pool);
    if (status == GERSH_OK)
        status = gersh__objective_new(&d->objective, r->fit->objective, d->pairs);
    if (status != GERSH_OK)
        drop(d);
    return status;
}

/* The value of the metric on the draw, and unless NULL the bound there; then the value of the metric before, if any. */
static gersh_status evaluate_draw(double *value, double *bound, double *old, const rounds *r, draw *d,
                                  const gersh_metric *metric, const gersh_metric *before)
{
    const gersh__fit *fit = r->fit;
    gersh__engine *engine = NULL;
    gersh__region *region = NULL;
    gersh_status status = gersh__engine_new(&engine, d->pairs, d->objective, fit->rho,
                                            fit->trace - (double)gersh__pairs_features(d->pairs) * fit->rho,
                                            fit->solver->info.dense);
    if (status == GERSH_OK)
        status = gersh__engine_start(engine, metric);
    if (status == GERSH_OK && bound != NULL)
        status = gersh__region_new(&region, fit->solver->region, d->pairs,
                                   &(gersh__region_params){.rules = fit->rules});
    if (status == GERSH_OK)
        status = gersh__engine_measure(engine, region, r->width, value, bound);
    if (status == GERSH_OK && before != NULL)
        status = gersh__engine_start(engine, before);
    if (status == GERSH_OK && before != NULL)
        status = gersh__engine_measure(engine, NULL, r->width, old, NULL);
    gersh__region_free(region);
    gersh__engine_free(engine);
    return status;
}

/* The whole draw, where it is complete. */
static gersh_status measure_all(measured *out, rounds *r, const gersh_metric *metric,
                                const gersh_metric *before)
{
    draw d = {0};
    gersh_status status = draw_pairs(&d, r, r->count);
    if (status == GERSH_OK && d.complete) {
        out->bound = -INFINITY;
        status = evaluate_draw(&out->value, r->fit->solver->region != NULL ? &out->bound : NULL,
                               &out->before, r, &d, metric, before);
    }
    drop(&d);
    return status;
}

/* Value and error over all pairs by rows, and the value of the metric before. */
static gersh_status measure_rows(measured *out, rounds *r, const gersh_metric *metric,
                                 const gersh_metric *before)
{
    gersh__mcml_rows *rows = NULL;
    double error, work = fmax(GERSH__ROW_WORK * (double)r->count, GERSH__LEAST_ROW_WORK);
    gersh_status status = gersh__mcml_rows_new(&rows, r->population, work, &r->random);
    if (status == GERSH_OK)
        status = gersh__mcml_rows_measure(&out->value, &out->error, rows, metric, r->fit->pool);
    if (status == GERSH_OK && before != NULL)
        status = gersh__mcml_rows_measure(&out->before, &error, rows, before, r->fit->pool);
    gersh__mcml_rows_free(rows);
    /* Of all rows it is due to rounding alone, but not 0, which would say that the bound is of all pairs too. */
    out->error = fmax(fmax(out->error, ROWS_ROUNDING * fabs(out->value)), DBL_MIN);
    return status;
}

/* Measures on fresh pairs. */
static gersh_status measure(measured *out, rounds *r, const gersh_metric *metric,
                            const gersh_metric *before)
{
    double value[GERSH__CHECK_DRAWS], old = 0, square = 0, units = 0;
    const gersh_metric *other = r->fit->objective->classes->by_rows ? NULL : before;
    *out = (measured){.bound = INFINITY, .before = INFINITY};
    gersh_status status = set_metric(r, metric);
    if (status == GERSH_OK && r->all_anchors)
        status = measure_all(out, r, metric, before);
    if (status != GERSH_OK || out->bound < INFINITY)
        return status;
    for (int b = 0; b < GERSH__CHECK_DRAWS && status == GERSH_OK; b++) {
        draw d = {0};
        double there = 0;
        status = draw_pairs(&d, r, GERSH__CHECK_PAIRS < r->count ? GERSH__CHECK_PAIRS : r->count);
        if (status == GERSH_OK)
            status = evaluate_draw(&value[b], NULL, &there, r, &d, metric, other);
        if (status == GERSH_OK) {
            out->value += value[b] / GERSH__CHECK_DRAWS;
            old += there / GERSH__CHECK_DRAWS;
            units += gersh__supervision_units(gersh__pairs_supervision(d.pairs)) / GERSH__CHECK_DRAWS;
        }
        drop(&d);
    }
    if (status != GERSH_OK)
        return status;
    for (int b = 0; b < GERSH__CHECK_DRAWS; b++)
        square += (value[b] - out->value) * (value[b] - out->value) / (GERSH__CHECK_DRAWS - 1);
    out->error = TWO_SIDED_15 * sqrt(square / GERSH__CHECK_DRAWS);
    out->deviation = sqrt(square * units);
    out->before = before != NULL ? old : INFINITY;
    return r->fit->objective->classes->by_rows ? measure_rows(out, r, metric, before) : GERSH_OK;
}

/* What is stated of the last draw and of the pairs that were measured. */
static void fill_info(gersh_fit_info *info, const rounds *r, const measured *m)
{
    double sign = r->fit->objective->info.maximized ? -1 : 1, n = (double)r->population->n;
    double bound = m->bound < INFINITY ? r->certified /* complete */
                                       : r->bound - ONE_SIDED_15 * m->deviation / sqrt(r->units);
    if (r->fit->objective->info.nonnegative && isfinite(bound))
        bound = fmax(bound, 0);
    info->objective_value = sign * m->value;
    info->value_error = m->error;
    info->bound = sign * bound;
    info->tol = r->tol;
    gersh__info_certify(info, m->value, bound, 0);
    info->choice = r->plan->choice;
    info->pairs_all = n * (n - 1) / 2;
    info->memory = r->plan->memory;
    info->seconds = gersh__clock_seconds() - r->fit->limits.start;
}

/* The metric (C/K) I, where the first impostors are looked for. */
static gersh_status first_metric(gersh_metric **out, const gersh__fit *fit)
{
    gersh_status status =
        gersh_metric_new(out, gersh_dataset_features(fit->data), 0, 0, fit->solver->info.dense);
    if (status == GERSH_OK)
        (*out)->rho = fit->trace / (double)gersh_dataset_features(fit->data);
    return status;
}

/* Draws pairs, learns from them from `start` on, and measures beside the metric of the last round, if any. */
static gersh_status run_round(gersh_metric **out, gersh_fit_info *info, measured *m, rounds *r,
                              const gersh_metric *start, const gersh_metric *last)
{
    draw d = {0};
    gersh_status status = draw_pairs(&d, r, r->count);
    if (status == GERSH_OK)
        status = gersh__fit_pairs(out, info, NULL, &r->width, r->fit, d.pairs, d.objective, start);
    if (status == GERSH_OK) {
        r->units = gersh__supervision_units(gersh__pairs_supervision(d.pairs));
        r->bound =
            info->has_bound ? (r->fit->objective->info.maximized ? -info->bound : info->bound) : -INFINITY;
        info->pairs = (double)gersh__pairs_count(d.pairs);
        info->rows_used = (double)gersh__pairs_samples(d.pairs);
        info->rounds++;
        r->all_anchors = r->plan->choice == GERSH_CHOICE_MINED && !r->population->limited &&
                         r->units == (double)r->population->n;
    }
    drop(&d); /* before others are drawn */
    if (status == GERSH_OK)
        status = measure(m, r, *out, last);
    if (status == GERSH_OK && m->bound < INFINITY)
        r->certified = fmax(r->certified, m->bound);
    return status;
}

/* Whether there is to be another round, and what it is to be like. */
static int go_on(rounds *r, const gersh_fit_info *info, const measured *m)
{
    int last_size = 2 * r->count > r->plan->most;
    if (!gersh__stop_by_itself(info->stop) || m->before - m->value <= r->tol * fabs(m->value) ||
        info->rounds == GERSH__MOST_ROUNDS || (last_size && !r->all_anchors))
        return 0;
    r->fit->limits.tol = fmax(r->tol, fmin(GERSH__FIRST_TOL, m->error / fabs(m->value)));
    r->fit->limits.widest = fmin(1, GERSH__WIDENING * r->width);
    r->count = last_size ? r->count : 2 * r->count;
    return 1;
}

gersh_status gersh__fit_drawn(gersh_metric **out, gersh_fit_info *info, gersh__fit *fit,
                              const gersh__plan *plan, gersh__population *population)
{
    rounds r = {.fit = fit,
                .plan = plan,
                .population = population,
                .tol = fit->limits.tol,
                .count = plan->first,
                .certified = -INFINITY};
    gersh_metric *identity = NULL;
    measured m = {0};
    int more = 1, again = 0; /* `again`: what was measured decided something */
    *out = NULL;
    fit->limits.tol = fmax(r.tol, GERSH__FIRST_TOL);
    fit->limits.tries = 0; /* the next round's pairs may want other colours */
    gersh__random_seed(&r.random, gersh__setting_whole(fit->settings, GERSH__SEED));
    gersh_status status = first_metric(&identity, fit);
    if (status == GERSH_OK)
        status = set_metric(&r, fit->options->start != NULL ? fit->options->start : identity);
    while (status == GERSH_OK && more) {
        gersh_metric *last = *out, *worse = last;
        *out = NULL;
        status = run_round(out, info, &m, &r, last != NULL ? last : fit->options->start, last);
        if (status == GERSH_OK && m.before < m.value) { /* on fresh pairs the last was better */
            worse = *out;
            *out = last;
        }
        more = status == GERSH_OK && go_on(&r, info, &m);
        again = info->rounds > 1 && (m.bound == INFINITY || m.before < m.value);
        gersh_metric_free(worse);
    }
    if (status == GERSH_OK && again)
        status = measure(&m, &r, *out, NULL);
    if (status == GERSH_OK)
        fill_info(info, &r, &m);
    gersh_metric_free(identity);
    if (status != GERSH_OK) {
        gersh_metric_free(*out);
        *out = NULL;
    }
    return status;
}
