/*
 * A primal active-set method.
 *
 * Each bound x_i >= 0, and the budget Σx <= B, is either active or not. A step goes to the minimum over the free entries: all of it,
 * projected on the bounds, where that lowers the sum (projected_step), else as far as the first bound in the way
 * (ratio_test_step). At a minimum for the active bounds those with negative multipliers are released; when none is negative
 * the problem is solved. Of bounds that are released together at least one is left for good: the step is one of descent, and
 * along it only they can lower the sum.
 */
#include "solver/weights.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/policy.h"
#include "linalg/kernels.h"

typedef struct problem {
    size_t m;
    const double *h, *s, *w;
    double budget;
    double scale;      /* the largest of |s| */
    double ridge;      /* the least on the diagonal of H */
    double *x;         /* where the search is */
    int *free_set;     /* whether each entry is */
    int budget_active; /* Σx stays at the budget */
    double *factor;    /* of H over the free entries, as LAPACK's upper triangle by columns, */
    size_t count;      /* of so many of them; 0: to be made, */
    int *order;        /* in this order, */
    double added;      /* with this ridge */
    int downdated;     /* entries were taken out of it */
    double *p, *unit, *gradient, *image;
} problem;

/* H over the free entries, with the ridge on its diagonal. */
static void free_matrix(problem *q)
{
    size_t m = q->m;
    q->count = 0;
    for (size_t i = 0; i < m; i++)
        if (q->free_set[i])
            q->order[q->count++] = (int)i;
    for (size_t c = 0; c < q->count; c++) {
        const double *row = q->h + (size_t)q->order[c] * m;
        for (size_t r = 0; r <= c; r++)
            q->factor[c * m + r] = row[q->order[r]];
        q->factor[c * m + c] += q->added;
    }
}

/* The factor of that matrix, the ridge as large as it takes. Returns 0 where none is enough, or nothing is free. */
static int factorize(problem *q)
{
    double ridge = q->ridge;
    int info = 1;
    q->downdated = 0;
    for (size_t i = 0; i < q->m; i++)
        if (q->free_set[i])
            ridge = fmax(ridge, 1e-13 * q->h[i * q->m + i]);
    for (; info != 0 && ridge < 1e300; ridge *= 100) {
        q->added = ridge;
        free_matrix(q);
        info = (int)LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', (lapack_int)q->count, q->factor,
                                        (lapack_int)q->m);
    }
    if (info != 0)
        q->count = 0;
    return q->count > 0;
}

/* right = R⁻ᵀ right with the factor RᵀR; for so few entries plain sums are faster than BLAS. */
static void forward_solve(const problem *q, double *right)
{
    for (size_t c = 0; c < q->count; c++) {
        const double *column = q->factor + c * q->m;
        right[c] = (right[c] - gersh__kernels_here()->dot(c, column, right)) / column[c];
    }
}

/* The bound at i is no longer active; the factor has i last. */
static void release(problem *q, size_t i)
{
    size_t m = q->m, count = q->count;
    double *column = q->factor + count * m, rest = q->h[i * m + i] + q->added;
    q->free_set[i] = 1;
    if (count == 0)
        return;
    for (size_t r = 0; r < count; r++)
        column[r] = q->h[i * m + (size_t)q->order[r]];
    forward_solve(q, column);
    rest -= cblas_ddot((int)count, column, 1, column, 1);
    if (!(rest >
          1e-13 * q->h[i * m + i])) { /* next to nothing but what the others have: with a larger ridge */
        q->count = 0;
        return;
    }
    column[count] = sqrt(rest);
    q->order[q->count++] = (int)i;
}

/*
 * The bound at i becomes active. Without its column the rest of the factor is a triangle but for one entry below it in each
 * later column, which rotations of two rows each bring to 0. They are in `unit` and `image`.
 */
static void fix(problem *q, size_t i)
{
    size_t m = q->m, at = 0;
    double *cosine = q->unit, *sine = q->image;
    q->free_set[i] = 0;
    if (q->count == 0)
        return;
    while (q->order[at] != (int)i)
        at++;
    q->count--;
    for (size_t c = at; c < q->count; c++) {
        double *column = q->factor + c * m;
        q->order[c] = q->order[c + 1];
        memcpy(column, q->factor + (c + 1) * m, (c + 2) * sizeof *column);
        for (size_t r = at; r < c; r++) {
            double x = column[r], y = column[r + 1];
            column[r] = cosine[r] * x + sine[r] * y;
            column[r + 1] = cosine[r] * y - sine[r] * x;
        }
        double x = column[c], y = column[c + 1],
               length = sqrt(x * x + y * y); /* its square is part of a diagonal entry of H */
        cosine[c] = x / length;
        sine[c] = y / length;
        column[c] = length;
    }
    q->downdated = 1;
}

/* right = R⁻¹ right */
static void back_solve(const problem *q, double *right)
{
    for (size_t c = q->count; c-- > 0;) {
        const double *column = q->factor + c * q->m;
        right[c] /= column[c];
        gersh__kernels_here()->axpy(c, -right[c], column, right);
    }
}

static void solve(const problem *q, double *right)
{
    forward_solve(q, right);
    back_solve(q, right);
}

/*
 * The step p over the free entries: (H + ridge) p = −gradient − ν on them, Σp = `rise` when the budget is active.
 * Returns the multiplier ν.
 */
static double free_step(problem *q, double rise)
{
    double multiplier = 0, *step = q->image;
    memset(q->p, 0, q->m * sizeof *q->p);
    if (q->count == 0 && !factorize(q)) /* nothing free, or not a matrix of numbers */
        return 0;
    for (size_t c = 0; c < q->count; c++) {
        step[c] = -q->gradient[q->order[c]];
        q->unit[c] = 1;
    }
    solve(q, step);
    if (q->budget_active) {
        double along = 0, across = 0;
        solve(q, q->unit);
        for (size_t c = 0; c < q->count; c++) {
            along += step[c];
            across += q->unit[c];
        }
        multiplier = (along - rise) / across;
    }
    for (size_t c = 0; c < q->count; c++)
        q->p[q->order[c]] = step[c] - (q->budget_active ? multiplier * q->unit[c] : 0);
    return multiplier;
}

/* s + H (x − w); p is overwritten. */
static void differentiate(problem *q)
{
    size_t m = q->m;
    for (size_t i = 0; i < m; i++) {
        q->gradient[i] = q->s[i];
        q->p[i] = q->x[i] - q->w[i];
    }
    cblas_dsymv(CblasColMajor, CblasUpper, (int)m, 1.0, q->h, (int)m, q->p, 1, 1.0, q->gradient, 1);
}

/*
 * Takes all of p, and puts entries that are then below 0 on their bounds, where that lowers the sum: many bounds become active for
 * one factorisation. A factor common to all entries keeps the budget. Returns 0, with nothing changed, where fewer than two
 * bounds are crossed or the sum does not decrease.
 */
static int projected_step(problem *q)
{
    size_t crossed = 0, m = q->m;
    double total = 0, before = 0, change = 0, *step = q->unit;
    for (size_t i = 0; i < m; i++) {
        double there = q->free_set[i] ? q->x[i] + q->p[i] : q->x[i];
        crossed += there < 0;
        step[i] = fmax(0, there);
        before += q->x[i];
        total += step[i];
    }
    double most = q->budget_active ? before : q->budget, factor = total > most ? most / total : 1;
    if (crossed < 2)
        return 0;
    for (size_t i = 0; i < m; i++) {
        step[i] = factor * step[i] - q->x[i];
        change += q->gradient[i] * step[i];
    }
    cblas_dsymv(CblasColMajor, CblasUpper, (int)m, 1.0, q->h, (int)m, step, 1, 0.0, q->image, 1);
    if (!(change + 0.5 * cblas_ddot((int)m, step, 1, q->image, 1) < 0))
        return 0;
    for (size_t i = 0; i < m; i++) {
        if (q->x[i] + q->p[i] < 0)
            q->free_set[i] = 0;
        q->x[i] = fmax(0, q->x[i] + step[i]);
    }
    q->budget_active = q->budget_active || factor < 1;
    q->count = 0;
    return 1;
}

/* Goes along p to the minimum, or to the first bound in the way, which becomes active; tells whether there was one. */
static int ratio_test_step(problem *q)
{
    double step = 1, sum = 0, total = 0;
    int stopped = 0;
    for (size_t i = 0; i < q->m; i++) {
        total += q->x[i];
        sum += q->p[i];
        if (q->free_set[i] && q->p[i] < 0)
            step = fmin(step, -q->x[i] / q->p[i]);
    }
    if (!q->budget_active && sum > 0 && q->budget - total < step * sum) {
        step = fmax(0, (q->budget - total) / sum);
        stopped = q->budget_active = 1;
    }
    for (size_t i = 0; i < q->m; i++) {
        if (!q->free_set[i])
            continue;
        int crosses = q->p[i] < 0 && -q->x[i] / q->p[i] <= step && step < 1;
        q->x[i] = crosses ? 0 : fmax(0, q->x[i] + step * q->p[i]);
        if (crosses) {
            fix(q, i);
            stopped = 1;
        }
    }
    return stopped;
}

/* At the minimum for these bounds: releases those with negative multipliers. Returns 0 when there are none. */
static int release_negative(problem *q, double multiplier)
{
    double level = q->budget_active ? multiplier : 0, worst = -1e-12 * q->scale;
    for (size_t i = 0; i < q->m; i++)
        if (!q->free_set[i])
            worst = fmin(worst, q->gradient[i] + level);
    if (q->budget_active && multiplier < worst) {
        q->budget_active = 0;
        return 1;
    }
    if (!(worst < -1e-12 * q->scale))
        return 0;
    for (size_t i = 0; i < q->m; i++)
        if (!q->free_set[i] && q->gradient[i] + level < -1e-12 * q->scale)
            release(q, i);
    return 1;
}

/* The largest derivative that is left over the free entries. */
static double residual(const problem *q, double multiplier)
{
    double left = 0;
    for (size_t i = 0; i < q->m; i++)
        if (q->free_set[i])
            left = fmax(left, fabs(q->gradient[i] + (q->budget_active ? multiplier : 0)));
    return left;
}

/* What rounding has put above the budget comes off every entry alike. */
static void keep_budget(double *x, size_t m, double budget)
{
    double total = 0;
    for (size_t i = 0; i < m; i++)
        total += x[i];
    for (size_t i = 0; total > budget && i < m; i++)
        x[i] *= budget / total;
}

void gersh__weights_minimize(double *x, size_t m, const double *h, const double *s, const double *w,
                             double budget, double *work, int *free_set)
{
    problem q = {.m = m,
                 .h = h,
                 .s = s,
                 .w = w,
                 .budget = budget,
                 .x = x,
                 .free_set = free_set,
                 .order = free_set + m};
    double total = 0;
    int repeats = 0;
    q.factor = work;
    q.p = work + m * m;
    q.unit = q.p + m;
    q.gradient = q.unit + m;
    q.image = q.gradient + m;
    for (size_t i = 0; i < m; i++) {
        total += w[i];
        q.scale = fmax(q.scale, fabs(s[i]));
    }
    q.budget_active = total >= budget * (1 - 1e-14);
    /* Where there is no curvature a step still must not leave the range of numbers: a million budgets at
     * most. */
    q.ridge = 1e-6 * q.scale / budget + 1e-300;
    memcpy(x, w, m * sizeof *x);
    for (size_t i = 0; i < m; i++)
        free_set[i] = 1;
    differentiate(&q);
    for (size_t round = 0; round < 10 * m + 20; round++) {
        double multiplier = free_step(&q, 0);
        int stopped = projected_step(&q) || ratio_test_step(&q);
        differentiate(&q);
        if (stopped)
            continue;
        /* The minimum for these bounds, except for the ridge and for rounding in a downdated factor: refined where these show. */
        double left = residual(&q, multiplier);
        if (q.downdated && left > 1e-13 * q.scale) {
            q.count = 0;
            q.downdated = 0;
            continue;
        }
        if (left > 1e-9 * q.scale && repeats++ < GERSH__STEP_REPEATS)
            continue;
        repeats = 0;
        if (!release_negative(&q, multiplier))
            break;
    }
    keep_budget(x, m, budget);
}
