/*
 * An active-set method. Bounds x_i >= 0 and the budget Σx <= B are either held (active) or free; each step
 * goes to the minimum over the free entries, or as far as the first bound in the way, which is then held.
 * At a minimum the bound with the most negative multiplier is let go; when none is negative the problem is
 * solved.
 */
#include "solver/weights.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

enum { MOST_REPEATS = 8 };

/* H over the free entries, ridge on the diagonal, as LAPACK's upper triangle by columns. Returns their
 * number. */
static size_t free_matrix(double *factor, size_t m, const double *h, const int *free_set, double ridge)
{
    size_t count = 0;
    for (size_t i = 0; i < m; i++) {
        if (!free_set[i])
            continue;
        size_t c = 0;
        for (size_t j = 0; j <= i; j++)
            if (free_set[j])
                factor[count * m + c++] = h[i * m + j];
        factor[count * m + count] += ridge;
        count++;
    }
    return count;
}

/*
 * The step p over the free entries: (H + ridge) p = −gradient − ν on them, Σp = 0 when the budget is held.
 * Returns the multiplier ν.
 */
static double free_step(double *p, double *unit, double *factor, size_t m, const double *h,
                        const double *gradient, const int *free_set, int held, double least_ridge)
{
    size_t count = 0;
    double ridge = least_ridge;
    for (size_t i = 0; i < m; i++) {
        if (free_set[i]) {
            ridge = fmax(ridge, 1e-13 * h[i * m + i]);
            p[count] = -gradient[i];
            unit[count++] = 1;
        }
    }
    if (count == 0)
        return 0;
    lapack_int order = (lapack_int)count, stride = (lapack_int)m;
    int info = 1;
    for (; info != 0 && ridge < 1e300; ridge *= 100) {
        free_matrix(factor, m, h, free_set, ridge);
        info = (int)LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', order, factor, stride);
    }
    if (info != 0) { /* not a matrix of numbers: stay */
        memset(p, 0, m * sizeof *p);
        return 0;
    }
    LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'U', order, 1, factor, stride, p, order);
    if (held)
        LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'U', order, 1, factor, stride, unit, order);
    double multiplier = 0;
    if (held) {
        double along = 0, across = 0;
        for (size_t i = 0; i < count; i++) {
            along += p[i];
            across += unit[i];
        }
        multiplier = along / across;
        for (size_t i = 0; i < count; i++)
            p[i] -= multiplier * unit[i];
    }
    for (size_t i = m; i-- > 0;) /* back to their places */
        p[i] = free_set[i] ? p[--count] : 0;
    return multiplier;
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
    double *factor = work, *p = work + m * m, *unit = p + m, *gradient = unit + m, total = 0, scale = 0;
    memcpy(x, w, m * sizeof *x);
    for (size_t i = 0; i < m; i++) {
        free_set[i] = 1;
        total += w[i];
        scale = fmax(scale, fabs(s[i]));
    }
    int held = total >= budget * (1 - 1e-14);
    /* Where there is no curvature a step still must not leave the range of numbers: a million budgets at
     * most. */
    double ridge = 1e-6 * scale / budget + 1e-300;
    int repeats = 0;
    for (size_t round = 0; round < 10 * m + 20; round++) {
        for (size_t i = 0; i < m; i++) {
            gradient[i] = s[i];
            for (size_t j = 0; j < m; j++)
                gradient[i] += h[i * m + j] * (x[j] - w[j]);
        }
        double multiplier = free_step(p, unit, factor, m, h, gradient, free_set, held, ridge);
        /* How far: to the minimum, or to the first bound in the way. */
        double step = 1, sum = 0;
        size_t stopped = m; /* entry in the way; m + 1 is the budget */
        total = 0;
        for (size_t i = 0; i < m; i++) {
            total += x[i];
            sum += p[i];
            if (free_set[i] && p[i] < 0 && -x[i] / p[i] < step) {
                step = -x[i] / p[i];
                stopped = i;
            }
        }
        if (!held && sum > 0 && budget - total < step * sum) {
            step = fmax(0, (budget - total) / sum);
            stopped = m + 1;
        }
        for (size_t i = 0; i < m; i++)
            x[i] = free_set[i] ? fmax(0, x[i] + step * p[i]) : x[i];
        if (stopped == m + 1) {
            held = 1;
            continue;
        }
        if (stopped < m) {
            x[stopped] = 0;
            free_set[stopped] = 0;
            continue;
        }
        /* The minimum for these bounds, but for the ridge: again, where that was felt. */
        double worst = -1e-12 * scale, left = 0;
        size_t loose = m;
        for (size_t i = 0; i < m; i++) {
            double cost = s[i] + (held ? multiplier : 0);
            for (size_t j = 0; j < m; j++)
                cost += h[i * m + j] * (x[j] - w[j]);
            left = free_set[i] ? fmax(left, fabs(cost)) : left;
            if (!free_set[i] && cost < worst) {
                worst = cost;
                loose = i;
            }
        }
        if (left > 1e-9 * scale && repeats++ < MOST_REPEATS)
            continue;
        repeats = 0;
        /* Let go of the bound that costs most. */
        if (held && multiplier < worst)
            held = 0;
        else if (loose < m)
            free_set[loose] = 1;
        else
            break;
    }
    keep_budget(x, m, budget);
}
