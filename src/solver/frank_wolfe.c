/*
 * Fully corrective Frank-Wolfe, second order in the weights. One iteration:
 *
 *   1. G = D*(∇F(d)), and the region's best atoms for it.
 *   2. The duality gap ⟨G, M − V⟩ = Σ θ_a z_aᵀGz_a − B min(0, zᵀGz) bounds F − F*; stop when it is small.
 *   3. The new atoms join with weight 0.
 *   4. Over the weights of all atoms: Newton steps. Each minimises the quadratic model with the Hessian AᵀHA
 *      (A the atoms' distances, H the curvature of F) over θ >= 0, Σθ <= B, and goes there by a safeguarded
 *      step. Atoms whose weight is 0 leave.
 *
 * F never rises, but for rounding. Where F is a smooth function near the objective (lmnn), the bound rests on the function
 * a + Σ g_p d_p, which is nowhere above the objective, instead of F's tangent (gersh__objective_kind.constant); the width of
 * the smoothing shrinks when the gap is below what lies between the two values at d.
 */
#include "solver/frank_wolfe.h"

#include <float.h>
#include <math.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/policy.h"
#include "linalg/kernels.h"
#include "solver/atoms.h"
#include "solver/doubt.h"
#include "solver/sketch.h"
#include "solver/weights.h"

#define RELATIVE_ROUNDING 1e-11 /* share of F below which a decrease drowns in rounding */

double gersh__engine_value(const gersh__engine *e)
{
    const gersh__objective_kind *kind = e->objective->kind;
    return kind->exact != NULL ? kind->exact(e->objective, e->d) : e->value;
}

int gersh__engine_close(const gersh__engine *e, double bound, double tol)
{
    double value = gersh__engine_value(e);
    return value - bound <= fmax(tol * fmax(fabs(value), e->floor), DBL_MIN);
}

/* F and its gradient at d. */
static double evaluate(gersh__engine *e, const double *d, double *g)
{
    double begin = gersh__clock_seconds();
    double value = e->objective->kind->evaluate(e->objective, d, g);
    if (g == e->g)
        e->scored = e->updated = 0;
    e->seconds_objective += gersh__clock_seconds() - begin;
    return value;
}

void gersh__engine_gradient(gersh__engine *e)
{
    if (!e->updated)
        gersh__gradient_update(e->gradient, e->g);
    e->updated = 1;
}

/* Arrays of all pairs: out = x + factor · y, or a product. */
typedef struct vectors {
    double *out;
    const double *x, *y, *less;
    double factor;
} vectors;

static void add_chunk(void *context, size_t begin, size_t end)
{
    const vectors *s = context;
    for (size_t p = begin; p < end; p++)
        s->out[p] = s->x[p] + s->factor * s->y[p];
}

static void add(const gersh__pairs *pairs, double *out, const double *x, double factor, const double *y)
{
    gersh__pairs_each(pairs, add_chunk, &(vectors){.out = out, .x = x, .y = y, .factor = factor});
}

static double multiply_chunk(void *context, size_t begin, size_t end)
{
    const vectors *s = context;
    const gersh__kernels *kernels = gersh__kernels_here();
    size_t count = end - begin;
    return s->less == NULL ? kernels->dot(count, s->x + begin, s->y + begin)
                           : kernels->difference_dot(count, s->x + begin, s->y + begin, s->less + begin);
}

/* x · y, or x · (y − less) unless that is NULL. */
static double multiply(const gersh__pairs *pairs, const double *x, const double *y, const double *less)
{
    return gersh__pairs_reduce(pairs, multiply_chunk, &(vectors){.x = x, .y = y, .less = less});
}

double gersh__engine_lower(const gersh__engine *e)
{
    const gersh__objective_kind *kind = e->objective->kind;
    return kind->constant != NULL
               ? kind->constant(e->objective, e->g) + multiply(e->pairs, e->g, e->d, NULL)
               : e->value;
}

/* d = base + Σ weight_a (distances of atom a) */
static void distances(gersh__engine *e, const double *weight, double *d)
{
    gersh__terms terms = {e->atoms, e->dense ? NULL : e->atom, e->t, weight};
    if (gersh__pairs_metric_distances(e->pairs, &terms, e->base, d))
        return;
    gersh__atoms_project(e);
    gersh__pairs_squared_distances(e->pairs, &terms, e->base, d);
}

void gersh__engine_refresh(gersh__engine *e)
{
    distances(e, e->theta, e->d);
    e->value = evaluate(e, e->d, e->g);
}

/* z_aᵀ G z_a of every atom that has none yet; returns the gap among all. */
static double score_atoms(gersh__engine *e)
{
    double gap = 0, least = 0;
    size_t missing = e->atoms - e->scored, n = gersh__pairs_samples(e->pairs);
    /* Where the entries of G are there already, they cost next to nothing, and the next call of the minimiser needs them. */
    int by_entries = !e->dense && gersh__pairs_scores_by_entries(
                                      e->pairs, e->atoms, gersh__gradient_kept(e->gradient), e->updated);
    if (missing > 0 && by_entries) {
        gersh__engine_gradient(e);
        gersh__gradient_forms(e->gradient, missing, e->atom + e->scored, e->score + e->scored);
    } else if (missing > 0) {
        gersh__atoms_project(e);
        gersh__pairs_scores(e->pairs, e->g, missing, e->t + e->scored * n, e->score + e->scored);
    }
    e->scored = e->atoms;
    for (size_t a = 0; a < e->atoms; a++) {
        gap += e->theta[a] * e->score[a];
        least = fmin(least, e->score[a]);
    }
    return gap - e->budget * least;
}

/* Sufficient decrease of the whole step (Armijo, c = 0.4): of a parabola, most of the derivative is then gone. */
static int sufficient_decrease(const gersh__engine *e, double derivative, double value)
{
    return -derivative > RELATIVE_ROUNDING * fabs(e->value) && value <= e->value + 0.4 * derivative;
}

/* Whether the step γ with the value and the directional derivative `here` there is good enough: a clear decrease, and
 * most of the derivative gone. */
static int good_step(const gersh__engine *e, double gamma, double derivative, double value, double here)
{
    if (-derivative <= RELATIVE_ROUNDING * fabs(e->value)) /* below what F can show: not worse is good */
        return value <= e->value + 8 * DBL_EPSILON * fabs(e->value);
    return value <= e->value + 1e-4 * gamma * derivative && here <= -0.5 * derivative &&
           (gamma == 1 || here >= 0.5 * derivative);
}

/*
 * Goes from d towards next_d, the directional derivative of F at the start being given: the step γ in (0, 1] by the secant
 * form of Newton-Raphson on φ'(γ), bisection where that leaves the bracket. On return next_d and next_g
 * belong to the step; returns γ, or 0 when F does not fall.
 */
static double search_step(gersh__engine *e, double derivative, double *next_value)
{
    double low = 0, low_derivative = derivative, high = 1, high_derivative = 0, gamma = 1, taken = 1;
    if (!(derivative < 0))
        return 0;
    for (int tries = 0; tries < GERSH__MOST_SEARCH; tries++) {
        if (tries == 1)
            add(e->pairs, e->delta, e->next_d, -1, e->d);
        if (tries > 0)
            add(e->pairs, e->next_d, e->d, gamma, e->delta);
        taken = gamma;
        *next_value = evaluate(e, e->next_d, e->next_g);
        if (tries == 0 && sufficient_decrease(e, derivative, *next_value))
            return gamma;
        double here = tries == 0 ? multiply(e->pairs, e->next_g, e->next_d, e->d)
                                 : multiply(e->pairs, e->next_g, e->delta, NULL);
        if (good_step(e, gamma, derivative, *next_value, here))
            return gamma;
        if (here > 0 || !(*next_value <= e->value)) {
            high = gamma;
            high_derivative = here;
        } else {
            low = gamma;
            low_derivative = here;
        }
        /* In turn the secant, which smooth functions like, and a cut of the bracket, for those with kinks.
         */
        double secant = low + (high - low) * (-low_derivative / (high_derivative - low_derivative));
        double cut = low > 0 ? 0.5 * (low + high) : 0.05 * high;
        gamma = tries % 2 == 0 && high_derivative > 0 && isfinite(secant) ? secant : cut;
        gamma = fmin(fmax(gamma, low + 0.02 * (high - low)), high - 0.02 * (high - low));
    }
    if (!(*next_value < e->value) && low > 0) { /* the last that was lower */
        taken = low;
        add(e->pairs, e->next_d, e->d, taken, e->delta);
        *next_value = evaluate(e, e->next_d, e->next_g);
    }
    return *next_value < e->value ? taken : 0;
}

/* Takes next_d and next_g for d and g. */
static void take_next(gersh__engine *e, double next_value)
{
    double *d = e->d, *g = e->g;
    e->d = e->next_d;
    e->g = e->next_g;
    e->next_d = d;
    e->next_g = g;
    e->scored = e->updated = 0;
    e->value = next_value;
}

/*
 * Second derivatives by the weights: where log F is convex too, those of log F times F, whose minimum is the same. Where
 * F = Σ c_p exp(−d_p) has to fall to a small part of itself, a step for F moves distances by about 1 only, and one for
 * log F goes all the way.
 */
static gersh_status form_hessian(gersh__engine *e)
{
    const gersh__objective_kind *kind = e->objective->kind;
    gersh__atoms_project(e);
    if (kind->log_hessian == NULL || !(e->value > 0))
        return gersh__objective_hessian(e->objective, e->d, e->atoms, e->t, e->hessian);
    double *derivative = e->step; /* until the step is found */
    for (size_t a = 0; a < e->atoms; a++)
        derivative[a] = e->score[a] / e->value;
    return kind->log_hessian(e->objective, e->atoms, e->t, derivative, e->hessian);
}

/* One Newton step in the weights. Returns 0 when F cannot be lowered any more. */
static gersh_status newton_step(gersh__engine *e, int *moved)
{
    double next_value = 0;
    *moved = 0;
    double begin = gersh__clock_seconds(), inside = e->seconds_objective;
    gersh_status status = form_hessian(e);
    if (status != GERSH_OK)
        return status;
    gersh__weights_minimize(e->step, e->atoms, e->hessian, e->score, e->theta, e->budget, e->work,
                            e->free_set);
    distances(e, e->step, e->next_d);
    double derivative =
        0; /* of F towards the new weights; small, so from the scores rather than from distances */
    for (size_t a = 0; a < e->atoms; a++)
        derivative += e->score[a] * (e->step[a] - e->theta[a]);
    double gamma = search_step(e, derivative, &next_value);
    if (gamma > 0) {
        *moved = 1;
        for (size_t a = 0; a < e->atoms; a++)
            e->theta[a] = gamma == 1 ? e->step[a] : e->theta[a] + gamma * (e->step[a] - e->theta[a]);
        take_next(e, next_value);
        e->newton_steps++;
    } else {
        evaluate(e, e->d, e->g); /* the objective's own state belongs to d again */
    }
    e->seconds_step += gersh__clock_seconds() - begin - (e->seconds_objective - inside);
    return GERSH_OK;
}

/* Newton steps until the weights' own gap is small against the whole gap. */
static gersh_status correct_weights(gersh__engine *e, double gap)
{
    for (int inner = 0; inner < GERSH__MOST_INNER && e->atoms > 0; inner++) {
        double begin = gersh__clock_seconds();
        double own = score_atoms(e);
        e->seconds_gradient += gersh__clock_seconds() - begin;
        if (inner > 0 && own <= GERSH__INNER_SHARE * gap)
            break;
        int moved;
        gersh_status status = newton_step(e, &moved);
        if (status != GERSH_OK)
            return status;
        gersh__atoms_drop(e);
        if (!moved)
            break;
    }
    return GERSH_OK;
}

/* Goes from the metric at which the minimiser was called towards where a sketch has its minimum. *moved: whether F decreased. */
static gersh_status follow_sketch(gersh__engine *e, gersh__region *region, const gersh__limits *limits,
                                  double gap, int *moved)
{
    gersh_metric *there = NULL, *here = NULL;
    double derivative = 0, next_value = 0, begin = gersh__clock_seconds(), inside = e->seconds_objective;
    *moved = 0;
    gersh_status status = gersh__sketch_solve(&there, e, region, limits, gap);
    if (status == GERSH_OK && there != NULL)
        status = gersh__engine_metric(&here, e);
    if (status != GERSH_OK || there == NULL)
        goto out;
    for (size_t a = 0; a < e->atoms; a++)
        derivative -= e->theta[a] * e->score[a];
    status = gersh__engine_start(e, there);
    if (status != GERSH_OK)
        goto out;
    score_atoms(e);
    for (size_t a = 0; a < e->atoms; a++)
        derivative += e->theta[a] * e->score[a];
    distances(e, e->theta, e->next_d);
    double gamma = search_step(e, derivative, &next_value);
    *moved = gamma > 0;
    if (gamma == 0) {
        status = gersh__engine_start(e, here);
        evaluate(e, e->d, e->g); /* the objective's own state belongs to d again */
        goto out;
    }
    take_next(e, next_value);
    e->newton_steps++;
    for (size_t a = 0; gamma < 1 && a < e->atoms; a++)
        e->theta[a] *= gamma;
    for (size_t a = 0; gamma < 1 && a < here->atoms && status == GERSH_OK; a++)
        status = gersh__atoms_add(e, e->dense ? (gersh_atom){0, 0, 0, 0} : here->atom[a],
                                  e->dense ? here->dense + a * gersh__pairs_features(e->pairs) : NULL,
                                  (1 - gamma) * here->weight[a]);
out:
    gersh_metric_free(there);
    gersh_metric_free(here);
    e->seconds_step += gersh__clock_seconds() - begin - (e->seconds_objective - inside);
    return status;
}

/*
 * As long as pairs of the working set have a value below this one no full pass is needed: the gap among them is still
 * a good part of what it was after the last one, and more than would end the search. What smoothing loses counts
 * against the tolerance: the bound is the gap below `lower`.
 */
static double lmo_threshold(const gersh__engine *e, const gersh__limits *limits, double lower, double seen,
                            double score)
{
    double value = gersh__engine_value(e), allowed = limits->tol * fmax(fabs(value), e->floor);
    double done = fmax(GERSH__DONE_SHARE * allowed - (value - lower), 0);
    return (score - fmax(GERSH__PASS_SHARE * seen, done)) / e->budget;
}

void gersh__witness_move(gersh__witness *to, gersh__witness *from)
{
    gersh_metric_free(to->metric);
    *to = *from;
    *from = (gersh__witness){0};
}

static gersh_status take_bound(gersh__engine *e, double bound)
{
    gersh__witness here = {.width = e->objective->info->smoothed ? e->objective->width : 0};
    gersh_status status = gersh__engine_metric(&here.metric, e);
    if (status != GERSH_OK)
        return status;
    gersh__witness_move(&e->witness, &here);
    e->bound = bound;
    return GERSH_OK;
}

static void drop_bound(gersh__engine *e, double bound)
{
    gersh__witness_move(&e->witness, &(gersh__witness){0});
    e->bound = bound;
}

/*
 * G, the region's candidates, the gap to the best of them, and the certified bound where the region has one. *seen:
 * the gap at the last full pass over all pairs, 0 before the first; −INFINITY asks for another one.
 */
static gersh_status call_lmo(gersh__engine *e, gersh__region *region, const gersh__limits *limits,
                             double *seen, gersh__lmo_answer *answer, double *gap)
{
    const gersh__region_ops *ops = gersh__region_ops_of(region);
    double begin = gersh__clock_seconds(), score = 0, lower = gersh__engine_lower(e);
    if (!ops->dense != !e->dense)
        return gersh__fail(GERSH_ERROR_ARGUMENT, "internal error: atoms of the region '%s' are %s",
                           ops->name, ops->dense ? "dense" : "not dense");
    gersh__engine_gradient(e);
    score_atoms(e);
    for (size_t a = 0; a < e->atoms; a++)
        score += e->theta[a] * e->score[a];
    double middle = gersh__clock_seconds();
    const gersh__lmo_request request = {
        .threshold = *seen >= 0 ? lmo_threshold(e, limits, lower, *seen, score) : -INFINITY,
        .want = GERSH__NEW_ATOMS,
        .active = e->vector,
        .active_count = e->dense ? e->atoms : 0};
    gersh_status status = gersh__region_minimize(region, e->gradient, &request, answer);
    e->seconds_gradient += middle - begin;
    e->seconds_minimizer += gersh__clock_seconds() - middle;
    if (status != GERSH_OK)
        return status;
    double least = answer->least;
    *gap = fmax(score - e->budget * fmin(0, answer->candidate[0].value), 0);
    e->full_passes += least > -INFINITY;
    if (least > -INFINITY && !answer->improved)
        *seen =
            DBL_MIN; /* the working set contains the minimiser: no need for a full pass before the end */
    else if (least > -INFINITY || *seen == 0)
        *seen = *gap;
    double bound = lower - fmax(score - e->budget * fmin(0, least), 0), doubt = 0;
    if (isnan(score) || isnan(least) || !(bound > e->bound))
        return GERSH_OK;
    status = gersh__engine_doubt(&doubt, e, least);
    return status == GERSH_OK && bound - doubt > e->bound ? take_bound(e, bound - doubt) : status;
}

gersh_status gersh__engine_measure(gersh__engine *e, gersh__region *region, double width, double *value,
                                   double *bound)
{
    gersh__lmo_answer answer;
    double gap, seen = -INFINITY;
    e->objective->width = width;
    gersh__engine_refresh(e);
    *value = gersh__engine_value(e);
    if (bound == NULL)
        return GERSH_OK;
    drop_bound(e, -INFINITY);
    gersh_status status = call_lmo(e, region, &(gersh__limits){0}, &seen, &answer, &gap);
    *bound = e->bound;
    return status;
}

static void report(const gersh__engine *e, const char *stage, const gersh__limits *limits)
{
    if (limits->progress == NULL)
        return;
    double sign = e->objective->info->maximized ? -1 : 1, value = gersh__engine_value(e);
    gersh_progress progress = {stage,
                               e->iterations,
                               sign * value,
                               sign * e->bound,
                               value - e->bound,
                               e->atoms,
                               gersh__clock_seconds() - limits->start};
    limits->progress(limits->progress_context, &progress);
}

/* The smoothing shrinks once more is lost to it than the gap. */
static void reduce_smoothing(gersh__engine *e, double gap)
{
    gersh__objective *o = e->objective;
    if (!o->info->smoothed || o->width <= GERSH__NARROWEST)
        return;
    if (gap < gersh__engine_value(e) - gersh__engine_lower(e)) {
        o->width *= 0.25;
        e->value = evaluate(e, e->d, e->g);
    }
}

/* Whether to stop now, and why. */
static int must_stop(const gersh__engine *e, const gersh__limits *limits, gersh_stop *stop)
{
    if (gersh__engine_close(e, e->bound, limits->tol) || e->bound >= limits->cutoff ||
        gersh__engine_value(e) <= limits->enough)
        *stop = GERSH_STOP_CONVERGED;
    else if (gersh_cancel_requested(limits->cancel))
        *stop = GERSH_STOP_INTERRUPTED;
    else if (gersh__clock_seconds() - limits->start >= limits->max_seconds)
        *stop = GERSH_STOP_MAX_TIME;
    else if (e->iterations >= limits->max_iter)
        *stop = GERSH_STOP_MAX_ITER;
    else
        return 0;
    return 1;
}

/* The best metric so far. Only of a smoothed objective, whose own value may rise, is it not the last one. */
typedef struct kept {
    gersh_metric *metric;
    double value;
} kept;

static gersh_status keep_best(kept *best, const gersh__engine *e)
{
    if (!e->objective->info->smoothed || gersh__engine_value(e) >= best->value)
        return GERSH_OK;
    gersh_metric_free(best->metric);
    best->metric = NULL;
    best->value = gersh__engine_value(e);
    return gersh__engine_metric(&best->metric, e);
}

/* The end of a search: the last metric, or the best one where a limit ended it. */
static gersh_status finish(gersh__engine *e, const gersh__region *region, const kept *best, gersh_stop stop)
{
    if (stop == GERSH_STOP_CONVERGED || best->metric == NULL || best->value >= gersh__engine_value(e))
        return gersh__atoms_merge(e, region, 1);
    gersh_status status = gersh__engine_start(e, best->metric);
    gersh__engine_refresh(e);
    return status;
}

static gersh_status search(gersh__engine *e, gersh__region *region, const char *stage,
                           const gersh__limits *limits, gersh_stop *stop, kept *best)
{
    gersh__lmo_answer answer;
    double gap, seen = 0, before = INFINITY, width = limits->widest, last_gap = 0;
    int sketched = 0;
    e->objective->width = limits->widest;
    drop_bound(e, e->objective->info->nonnegative ? 0 : -INFINITY);
    gersh_status status = gersh__atoms_restrict(e, region);
    gersh__engine_refresh(e);
    while (status == GERSH_OK) {
        /* Without progress, or in the last iteration, request a full pass. */
        int stands =
            before - e->value <= RELATIVE_ROUNDING * fabs(e->value) && width == e->objective->width;
        before = e->value;
        width = e->objective->width;
        seen = stands || e->iterations + 1 >= limits->max_iter ? -INFINITY : seen;
        status = call_lmo(e, region, limits, &seen, &answer, &gap);
        if (status == GERSH_OK)
            status = keep_best(best, e);
        if (status != GERSH_OK)
            return status;
        e->iterations++;
        report(e, stage, limits);
        if (must_stop(e, limits, stop))
            return finish(e, region, best, *stop);
        /* Where a sketch no longer halves the gap, as at the limits of rounding, all pairs have to do. */
        int moved = 0;
        if (gersh__sketch_pays(e) && !(sketched && gap > 0.5 * last_gap))
            status = follow_sketch(e, region, limits, gap, &moved);
        sketched = moved;
        last_gap = gap;
        if (status == GERSH_OK && !moved)
            status = gersh__atoms_join(e, region, &answer);
        if (status == GERSH_OK && !moved)
            status = correct_weights(e, gap);
        if (status == GERSH_OK)
            status = gersh__atoms_merge(e, region, 2);
        reduce_smoothing(e, gap);
    }
    return status;
}

gersh_status gersh__engine_solve(gersh__engine *e, gersh__region *region, const char *stage,
                                 const gersh__limits *limits, gersh_stop *stop)
{
    kept best = {NULL, INFINITY};
    gersh_status status = search(e, region, stage, limits, stop, &best);
    gersh_metric_free(best.metric);
    return status;
}
