/*
 * Which pairs a fit learns from, by the memory that it would take: all pairs where they fit the budget, else
 * as many drawn ones as do. lmnn compares every pair with several targets and is drawn for earlier: its nearest
 * impostors say nearly all, at a small part of the time.
 */
#include "solver/policy.h"

#include <math.h>

#include "base/policy.h"

/* Bytes for n samples: their features, gradient and reach, and the projections on as many atoms as there may be. */
static double sample_bytes(double k, double n)
{
    double atoms = 16;
    while (atoms < 2 * k + 16)
        atoms *= 2;
    return 8 * n * (3 * k + 3 * atoms);
}

static double rows_bytes(const gersh__facts *f)
{
    return GERSH__PROGRAM_BYTES + GERSH__ROW_COPIES * 8 * (double)f->n * ((double)f->k + 2);
}

/* What sketches of the objective take, where they may be used. */
static double sketch_bytes(const gersh__facts *f)
{
    double pairs = (double)(GERSH__MOST_SKETCH + 2 * f->k);
    if (!f->separable || f->k > GERSH__SKETCHED_FEATURES)
        return 0;
    return pairs * GERSH__PAIR_BYTES + sample_bytes((double)f->k, pairs);
}

static double all_bytes(const gersh__facts *f)
{
    double n = (double)f->n, pairs = n * (n - 1) / 2;
    return rows_bytes(f) + 8 * n * n + pairs * (GERSH__PAIR_BYTES + f->room) +
           sample_bytes((double)f->k, n) + sketch_bytes(f);
}

static double drawn_bytes(const gersh__facts *f, double pairs)
{
    double n = (double)f->n, k = (double)f->k, rows = fmin(n, pairs / 16), search = 0;
    if (f->triplets) {
        rows = fmin(fmin(n, GERSH__MINED_ROWS), GERSH__POOLED_ROWS + GERSH__MINED_ROW_SHARE * pairs);
        search = fmin(n, GERSH__MINED_ROWS) * (4 * k + 32) + 8 * pairs;
    }
    return rows_bytes(f) + 48 * n + search +
           pairs * (GERSH__PAIR_BYTES + GERSH__LISTED_PAIR_BYTES + f->room) + sample_bytes(k, rows) +
           8 * rows * 64 + sketch_bytes(f);
}

gersh__plan gersh__policy_plan(const gersh__facts *f)
{
    double all = (double)f->n * ((double)f->n - 1) / 2;
    size_t limit = f->triplets ? GERSH__MOST_MINED : GERSH__MOST_DRAWN;
    gersh__plan plan = {.choice = GERSH_CHOICE_ALL, .memory = all_bytes(f)};
    plan.fits = plan.memory <= f->memory;
    if (f->all_pairs || (plan.fits && !(f->triplets && all > GERSH__MOST_ALL_LMNN)))
        return plan;
    plan.choice = f->triplets ? GERSH_CHOICE_MINED : GERSH_CHOICE_SAMPLED;
    plan.most = GERSH__LEAST_DRAWN;
    plan.memory = drawn_bytes(f, GERSH__LEAST_DRAWN);
    plan.fits = plan.memory <= f->memory;
    while (plan.fits && 2 * plan.most <= limit && drawn_bytes(f, 2 * (double)plan.most) <= f->memory) {
        plan.most *= 2;
        plan.memory = drawn_bytes(f, (double)plan.most);
    }
    plan.first = f->triplets ? GERSH__FIRST_MINED : GERSH__FIRST_SAMPLE;
    plan.first = plan.first < plan.most ? plan.first : plan.most;
    return plan;
}

size_t gersh__policy_sketch(size_t pairs, size_t k)
{
    size_t draws = pairs / GERSH__PAIRS_A_DRAW;
    if (pairs < GERSH__SKETCHED_PAIRS || k > GERSH__SKETCHED_FEATURES)
        return 0;
    return draws < GERSH__LEAST_SKETCH  ? GERSH__LEAST_SKETCH
           : draws > GERSH__MOST_SKETCH ? GERSH__MOST_SKETCH
                                        : draws;
}
