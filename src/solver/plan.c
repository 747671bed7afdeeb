/*
 * Which pairs a fit learns from, by reckoning its memory beforehand: all pairs where they fit the budget, else
 * as many drawn ones as do. lmnn compares every pair with several targets and is drawn for earlier: its nearest
 * impostors say nearly all, at a small part of the time.
 */
#include <math.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/settings.h"
#include "solver/fit.h"
#include "solver/sketch.h"

#define GB 1e9
#define PROGRAM 48e6          /* the program itself, and its matrix products */
#define COPIES 3              /* of the rows: as read, kept with the model, and scaled */
#define ENGINE_BYTES 80       /* of each pair: distances and gradients, and the objective's scratch */
#define LIST_BYTES 72         /* of each listed pair beyond that, while the list grows */
#define MOST_ALL_LMNN 1048576 /* pairs up to which lmnn uses all */
#define LEAST_DRAWN 16384     /* pairs without which no fit is worth while, */
#define MOST_DRAWN 2097152    /* and beyond which a sample gains nothing that could be seen; */
#define MOST_MINED 262144     /* of lmnn, whose pairs are the ones that matter */
#define POOLED 8192           /* rows of lmnn beside those near to anchors: those of mined.c */

static double budget(const gersh__fit *fit)
{
    if (!gersh__setting_is(fit->settings, GERSH__MEMORY, "auto"))
        return GB * gersh__setting_number(fit->settings, GERSH__MEMORY);
    return gersh__memory_limit();
}

/* Bytes for n samples: their features, gradient and reach, and the projections on as many atoms as there may be. */
static double sample_bytes(double k, double n)
{
    double atoms = 16;
    while (atoms < 2 * k + 16)
        atoms *= 2;
    return 8 * n * (3 * k + 3 * atoms);
}

static double rows_bytes(const gersh__fit *fit, double n)
{
    return PROGRAM + COPIES * 8 * n * ((double)gersh_dataset_features(fit->data) + 2);
}

/* What sketches of the objective take, where they may be used. */
static double sketch_bytes(const gersh__fit *fit)
{
    size_t k = gersh_dataset_features(fit->data);
    double pairs = (double)(GERSH__MOST_DRAWS + 2 * k);
    if (fit->objective == NULL || fit->objective->classes->pair_terms == NULL || k > GERSH__MOST_SKETCHED)
        return 0;
    return pairs * ENGINE_BYTES + sample_bytes((double)k, pairs);
}

static double all_bytes(const gersh__fit *fit, double n)
{
    double pairs = n * (n - 1) / 2,
           room = fit->objective != NULL ? (double)fit->objective->classes->room : 32;
    return rows_bytes(fit, n) + 8 * n * n + pairs * (ENGINE_BYTES + room) +
           sample_bytes((double)gersh_dataset_features(fit->data), n) + sketch_bytes(fit);
}

static double drawn_bytes(const gersh__fit *fit, double n, double pairs)
{
    double k = (double)gersh_dataset_features(fit->data), rows = fmin(n, pairs / 16), search = 0;
    if (fit->objective->classes->needs & GERSH__NEEDS_TRIPLETS) {
        rows = fmin(fmin(n, GERSH__MOST_MINED_ROWS), POOLED + 0.7 * pairs);
        search = fmin(n, GERSH__MOST_MINED_ROWS) * (4 * k + 32) + 8 * pairs;
    }
    return rows_bytes(fit, n) + 48 * n + search +
           pairs * (ENGINE_BYTES + LIST_BYTES + (double)fit->objective->classes->room) +
           sample_bytes(k, rows) + 8 * rows * 64 + sketch_bytes(fit);
}

static gersh_status refuse(double needed, double allowed, size_t n, int custom)
{
    return gersh__fail(
        GERSH_ERROR_MEMORY,
        "memory: a fit to %zu rows%s needs %.3g GB, but %.3g GB are allowed; allow more with "
        "--memory, or use fewer rows",
        n, custom ? ", all pairs of which a custom objective is a function of," : "", needed / GB,
        allowed / GB);
}

gersh_status gersh__plan_make(gersh__plan *plan, const gersh__fit *fit, size_t n)
{
    double allowed = budget(fit), rows = (double)n, all = rows * (rows - 1) / 2;
    int mined = fit->objective != NULL && (fit->objective->classes->needs & GERSH__NEEDS_TRIPLETS) != 0;
    *plan = (gersh__plan){.choice = GERSH_CHOICE_ALL, .memory = all_bytes(fit, rows)};
    if (plan->memory <= allowed && !(mined && all > MOST_ALL_LMNN))
        return GERSH_OK;
    if (fit->objective == NULL)
        return refuse(plan->memory, allowed, n, 1);
    plan->choice = mined ? GERSH_CHOICE_MINED : GERSH_CHOICE_SAMPLED;
    plan->most = LEAST_DRAWN;
    plan->memory = drawn_bytes(fit, rows, LEAST_DRAWN);
    if (plan->memory > allowed)
        return refuse(plan->memory, allowed, n, 0);
    while (2 * plan->most <= (mined ? MOST_MINED : MOST_DRAWN) &&
           drawn_bytes(fit, rows, 2 * (double)plan->most) <= allowed) {
        plan->most *= 2;
        plan->memory = drawn_bytes(fit, rows, (double)plan->most);
    }
    return GERSH_OK;
}
