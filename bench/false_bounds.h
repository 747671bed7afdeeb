/*
 * A search for false bounds. A random problem is solved by every certified solver, some of them from several starts, and by
 * the paper's; the metrics found, and random changes of them within the limits, attain values, which are computed from
 * the definitions of the objectives in long double, with no code of the library; of objectives that are not defined here,
 * from the verifier's definition. No bound may be above a value attained in the set that it is claimed for: of psd any
 * metric, of hull and balanced any whose atoms have two entries, of diagonal those with one.
 */
#ifndef GERSH_BENCH_FALSE_BOUNDS_H
#define GERSH_BENCH_FALSE_BOUNDS_H

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "data/dataset.h"
#include "gersh/gersh.h"
#include "verify/verify.h"

enum {
    BOUNDS_ROWS = 50,
    BOUNDS_FEATURES = 8,
    BOUNDS_TUPLES = 40,
    BOUNDS_MOST = 32,   /* objectives, and solvers */
    BOUNDS_VALUES = 64, /* of one problem and objective */
    BOUNDS_CHANGES = 2  /* of each metric that is found */
};

/* The sets of metrics, by the entries of an atom. */
typedef enum bounds_set { BOUNDS_ONE, BOUNDS_TWO, BOUNDS_ANY } bounds_set;

/* Those of the solver's metrics, and that its bound holds for. */
static inline bounds_set bounds_set_of(const gersh_solver_info *solver)
{
    return solver->dense ? BOUNDS_ANY : solver->signs == GERSH_SIGNS_NO_EDGES ? BOUNDS_ONE : BOUNDS_TWO;
}

/* Whether a bound is claimed for it; others give values alone, of which those with dense atoms are left out. */
static inline int bounds_certified(const gersh_solver_info *solver)
{
    return solver->bound != GERSH_BOUND_NONE;
}

static inline int bounds_gives_values(const gersh_solver_info *solver)
{
    return solver->learns && !bounds_certified(solver) && !solver->dense;
}

/* A certified solver of those there are. */
static inline const gersh_solver_info *bounds_any_solver(gersh__random *random)
{
    const gersh_solver_info *solver[BOUNDS_MOST], *next;
    size_t count = 0;
    for (int i = 0; (next = gersh_solver_at(i)) != NULL; i++)
        if (bounds_certified(next) && count < BOUNDS_MOST)
            solver[count++] = next;
    return solver[gersh__random_below(random, count)];
}

typedef struct bounds_problem {
    size_t n, k, classes;
    double x[BOUNDS_ROWS * BOUNDS_FEATURES];
    int class[BOUNDS_ROWS];
    double weight[BOUNDS_ROWS];
    int weighted;
    gersh_tuples *tuples; /* or NULL: the classes */
    char trace[32], rho[32], tol[16], max_iter[16];
} bounds_problem;

typedef struct bounds_tally {
    long fits, refused, unbounded, zero; /* bounds of 0, of objectives that are never negative */
    long compared, wrong;
    double worst;   /* how far a bound is above a value, relative to it */
    double nearest; /* the same for the nearest below */
} bounds_tally;

typedef struct bounds_search {
    bounds_tally tally[BOUNDS_MOST][BOUNDS_MOST]; /* of the objective and the solver at these places */
    long shown;
    int with_paper; /* sgml and pgml too */
} bounds_search;

/* A value, minimised, and the sizes of what was added up, to which its rounding is relative. */
typedef struct bounds_value {
    long double value, size;
    bounds_set set;
} bounds_value;

static inline int bounds_chance(gersh__random *random, double share)
{
    return gersh__random_uniform(random) < share;
}

static inline double bounds_between(gersh__random *random, double low, double high)
{
    return low + (high - low) * gersh__random_uniform(random);
}

/* --- the problem --- */

static inline void bounds_draw_values(bounds_problem *q, gersh__random *random)
{
    int kind = (int)gersh__random_below(random, 3);
    double apart =
        bounds_chance(random, 0.5) ? bounds_between(random, 3, 30) : bounds_between(random, 0, 2);
    double size = ldexp(1, bounds_chance(random, 0.2) ? (int)gersh__random_below(random, 41) - 20 : 0);
    for (size_t f = 0; f < q->k; f++) {
        double factor = bounds_chance(random, 0.1)   ? 0
                        : bounds_chance(random, 0.2) ? ldexp(size, -10)
                                                     : size;
        double offset = bounds_chance(random, 0.1) ? 1000 * size : 0;
        int tells = f == 0 || bounds_chance(random, 0.3);
        for (size_t i = 0; i < q->n; i++) {
            double x = kind == 0   ? gersh__random_normal(random)
                       : kind == 1 ? (double)gersh__random_below(random, 3)
                                   : (double)gersh__random_below(random, 2);
            x += tells ? round(apart) * q->class[i] : 0;
            q->x[i * q->k + f] = factor * x + offset;
        }
    }
    for (size_t i = 1; i < q->n && bounds_chance(random, 0.3);
         i++) { /* duplicates, of any class; and near ones */
        size_t from = (size_t)gersh__random_below(random, q->n),
               to = (size_t)gersh__random_below(random, q->n);
        double shift = bounds_chance(random, 0.3) ? ldexp(size, -(int)gersh__random_below(random, 40)) : 0;
        for (size_t f = 0; f < q->k; f++)
            q->x[to * q->k + f] = q->x[from * q->k + f] + (f == 0 ? shift : 0);
    }
}

static inline void bounds_draw_tuples(bounds_problem *q, gersh__random *random)
{
    gersh_tuple_kind kind = (gersh_tuple_kind)gersh__random_below(random, 3);
    size_t size = gersh_tuple_size(kind),
           count = 2 + (size_t)gersh__random_below(random, BOUNDS_TUPLES - 1);
    size_t row[BOUNDS_TUPLES * 4];
    int similar[BOUNDS_TUPLES];
    for (size_t t = 0; t < count; t++) {
        size_t *r = row + t * size;
        for (size_t c = 0; c < size; c++) {
            int taken = 1;
            while (taken) {
                r[c] = (size_t)gersh__random_below(random, q->n);
                taken = 0;
                for (size_t e = 0; e < c; e++)
                    taken |= r[e] == r[c];
            }
        }
        similar[t] = q->class[r[0]] == q->class[r[1]];
    }
    if (gersh_tuples_new(&q->tuples, kind, count, row, kind == GERSH_PAIRS ? similar : NULL, q->n) !=
        GERSH_OK)
        q->tuples = NULL; /* contradictions */
}

static inline void bounds_draw(bounds_problem *q, gersh__random *random, int most_rows)
{
    static const char *const tols[] = {"1e-2", "1e-3", "1e-6", "1e-9", "1e-12"};
    static const char *const iterations[] = {"2", "5", "20", "60"};
    *q = (bounds_problem){0};
    q->n = 2 + (size_t)((most_rows - 1) * pow(gersh__random_uniform(random), 2.5));
    q->k = 1 + (size_t)gersh__random_below(random, BOUNDS_FEATURES);
    q->classes = q->n < 4 ? 2 : 2 + (size_t)gersh__random_below(random, 3);
    for (size_t i = 0; i < q->n; i++)
        q->class[i] = (int)(i < q->classes ? i : gersh__random_below(random, q->classes));
    bounds_draw_values(q, random);
    q->weighted = bounds_chance(random, 0.2);
    int wild = bounds_chance(random, 0.2);
    for (size_t i = 0; i < q->n; i++)
        q->weight[i] =
            wild ? pow(10, bounds_between(random, -6, 6)) : (double)(1 + gersh__random_below(random, 3));
    if (q->n >= 4 && bounds_chance(random, 0.25))
        bounds_draw_tuples(q, random);
    double trace = pow(10, bounds_between(random, -3, 4));
    if (bounds_chance(random, 0.05)) { /* another unit of all features */
        int power = (int)gersh__random_below(random, 401) - 200;
        trace = ldexp(trace, -2 * power);
        for (size_t e = 0; e < q->n * q->k; e++)
            q->x[e] = ldexp(q->x[e], power);
    }
    snprintf(q->trace, sizeof q->trace, "%.17g", trace);
    double share = bounds_chance(random, 0.5) ? 0 : pow(10, bounds_between(random, -6, -0.5));
    snprintf(q->rho, sizeof q->rho, "%.17g", share * trace / (double)q->k);
    if (bounds_chance(random, 0.6))
        snprintf(q->rho, sizeof q->rho, "auto");
    snprintf(q->tol, sizeof q->tol, "%s", tols[gersh__random_below(random, 5)]);
    snprintf(q->max_iter, sizeof q->max_iter, "%s", iterations[gersh__random_below(random, 4)]);
}

/* --- values by definition --- */

typedef long double bounds_distances[BOUNDS_ROWS][BOUNDS_ROWS];

static inline void bounds_measure(const bounds_problem *q, const gersh_metric *m, bounds_distances d)
{
    size_t k = q->k;
    for (size_t i = 0; i < q->n; i++)
        for (size_t j = 0; j <= i; j++) {
            const double *x = q->x + i * k, *y = q->x + j * k;
            long double sum = 0;
            for (size_t f = 0; f < k; f++)
                sum += (long double)m->rho * ((long double)x[f] - y[f]) * ((long double)x[f] - y[f]);
            for (size_t a = 0; a < m->atoms; a++) {
                long double t = 0;
                for (size_t f = 0; m->dense != NULL && f < k; f++)
                    t += m->dense[a * k + f] * ((long double)x[f] - y[f]);
                if (m->dense == NULL) {
                    gersh_atom z = m->atom[a];
                    t = z.a * ((long double)x[z.i] - y[z.i]);
                    t += z.i != z.j ? z.b * ((long double)x[z.j] - y[z.j]) : 0;
                }
                sum += m->weight[a] * t * t;
            }
            d[i][j] = d[j][i] = sum;
        }
}

static inline long double bounds_weight(const bounds_problem *q, size_t i)
{
    return q->weighted ? q->weight[i] : 1;
}

static inline void bounds_add(bounds_value *v, long double term, long double size)
{
    v->value += term;
    v->size += fabsl(size);
}

/* Which pair of rows is similar (1), dissimilar (0), or unknown (−1), and how often it counts. */
typedef struct bounds_pairs {
    size_t count;
    struct {
        size_t i, j;
        int similar;
        long double w, d;
    } pair[BOUNDS_ROWS * BOUNDS_ROWS];
} bounds_pairs;

static inline void bounds_list(const bounds_problem *q, bounds_distances d, bounds_pairs *out)
{
    size_t count = 0;
    for (size_t t = 0; q->tuples != NULL && t < q->tuples->count; t++, count++) {
        out->pair[count].i = q->tuples->row[2 * t];
        out->pair[count].j = q->tuples->row[2 * t + 1];
        out->pair[count].similar = q->tuples->similar[t];
    }
    for (size_t i = 0; q->tuples == NULL && i < q->n; i++)
        for (size_t j = 0; j < i; j++, count++) {
            out->pair[count].i = i;
            out->pair[count].j = j;
            out->pair[count].similar = q->class[i] == q->class[j];
        }
    for (size_t p = 0; p < count; p++) {
        size_t i = out->pair[p].i, j = out->pair[p].j;
        out->pair[p].w = bounds_weight(q, i) * bounds_weight(q, j);
        out->pair[p].d = d[i][j];
    }
    out->count = count;
}

static inline void bounds_glr_deml(bounds_value *v, const bounds_pairs *l, int root)
{
    for (size_t p = 0; p < l->count; p++) {
        long double w = l->pair[p].w, x = l->pair[p].d;
        long double term = root ? -w * sqrtl(x) : 4 * w * expl(-x);
        if (!l->pair[p].similar)
            bounds_add(v, term, root ? term : term * (1 + x));
    }
}

static inline void bounds_lsml(bounds_value *v, const bounds_pairs *l)
{
    for (size_t s = 0; s < l->count; s++)
        for (size_t t = 0; l->pair[s].similar && t < l->count; t++) {
            if (l->pair[t].similar || l->pair[s].d <= l->pair[t].d)
                continue;
            long double x = sqrtl(l->pair[s].d), y = sqrtl(l->pair[t].d), w = l->pair[s].w * l->pair[t].w;
            bounds_add(v, w * (x - y) * (x - y), w * (x - y) * (x + y));
        }
}

static inline void bounds_mcml(const bounds_problem *q, bounds_value *v, const bounds_pairs *l)
{
    for (size_t i = 0; i < q->n; i++) {
        long double low = INFINITY, z = 0, mates = 0, pull = 0;
        for (int pass = 0; pass < 2; pass++)
            for (size_t p = 0; p < l->count; p++) {
                if (l->pair[p].i != i && l->pair[p].j != i)
                    continue;
                long double x = l->pair[p].d,
                            w = bounds_weight(q, l->pair[p].i != i ? l->pair[p].i : l->pair[p].j);
                low = pass == 0 ? fminl(low, x) : low;
                if (pass == 0)
                    continue;
                z += w * expl(low - x);
                mates += l->pair[p].similar ? w : 0;
                pull += l->pair[p].similar ? w * (x - low) : 0;
            }
        if (mates > 0)
            bounds_add(v, bounds_weight(q, i) * (pull / mates + logl(z / mates)),
                       bounds_weight(q, i) * (1 + pull / mates + fabsl(logl(z / mates)) + low));
    }
}

static inline void bounds_margin(bounds_value *v, long double w, long double near, long double far)
{
    if (1 + near - far > 0)
        bounds_add(v, w * (1 + near - far) / 2, w * (1 + near + far));
}

/* Euclidean, to a mate; infinite to any other row. */
static inline long double bounds_mate_distance(const bounds_problem *q, size_t i, size_t j)
{
    long double distance = 0;
    if (i == j || q->class[i] != q->class[j])
        return INFINITY;
    for (size_t f = 0; f < q->k; f++)
        distance += powl((long double)q->x[i * q->k + f] - q->x[j * q->k + f], 2);
    return distance;
}

/*
 * Whether j is one of the three targets of i: fewer than three mates come before it, the nearer ones first. As near as the
 * third nearest are those that differ from it by 1e-9 at most; of these the earlier rows come first.
 */
static inline int bounds_is_target(const bounds_problem *q, size_t i, size_t j)
{
    long double mine = bounds_mate_distance(q, i, j), near[3] = {INFINITY, INFINITY, INFINITY};
    size_t before = 0;
    for (size_t m = 0; m < q->n; m++) {
        long double d = bounds_mate_distance(q, i, m);
        for (int c = 0; c < 3; c++)
            if (d < near[c]) {
                long double swap = near[c];
                near[c] = d;
                d = swap;
            }
    }
    long double within = near[2] * (1 - 1e-9L), beyond = near[2] * (1 + 1e-9L);
    for (size_t m = 0; m < q->n; m++) {
        long double d = bounds_mate_distance(q, i, m);
        before += m != j && !isinf(d) && (d < within || (d <= beyond && m < j));
    }
    return !isinf(mine) && (mine < within || (mine <= beyond && before < 3));
}

static inline void bounds_lmnn(const bounds_problem *q, bounds_value *v, bounds_distances d)
{
    for (size_t i = 0; i < q->n; i++)
        for (size_t j = 0; j < q->n; j++) {
            if (!bounds_is_target(q, i, j))
                continue;
            long double w = bounds_weight(q, i) * bounds_weight(q, j);
            bounds_add(v, w * d[i][j] / 2, w * d[i][j]);
            for (size_t l = 0; l < q->n; l++)
                if (q->class[i] != q->class[l])
                    bounds_margin(v, w * bounds_weight(q, l), d[i][j], d[i][l]);
        }
}

/* Triplets and quadruplets. */
static inline void bounds_compared(const bounds_problem *q, bounds_value *v, bounds_distances d, int margin)
{
    size_t size = gersh_tuple_size(q->tuples->kind);
    int three = q->tuples->kind == GERSH_TRIPLETS;
    for (size_t t = 0; t < q->tuples->count; t++) {
        const size_t *r = q->tuples->row + t * size;
        long double w = 1, x = d[r[0]][r[1]], y = three ? d[r[0]][r[2]] : d[r[2]][r[3]];
        for (size_t e = 0; e < size; e++)
            w *= bounds_weight(q, r[e]);
        if (!margin) {
            if (x > y)
                bounds_add(v, w * (sqrtl(x) - sqrtl(y)) * (sqrtl(x) - sqrtl(y)), w * (x - y));
            continue;
        }
        int first = 1;
        for (size_t u = 0; u < t; u++) {
            const size_t *o = q->tuples->row + u * size;
            first &= !((o[0] == r[0] && o[1] == r[1]) || (!three && o[0] == r[1] && o[1] == r[0]));
        }
        long double own = bounds_weight(q, r[0]) * bounds_weight(q, r[1]);
        if (first)
            bounds_add(v, own * x / 2, own * x);
        bounds_margin(v, w, x, y);
    }
}

/* Whether the objective can learn from the problem. */
static inline int bounds_takes(const bounds_problem *q, const gersh_objective_info *objective)
{
    unsigned known = q->tuples == NULL ? GERSH_SUPERVISION_CLASSES
                                       : (unsigned)GERSH_SUPERVISION_PAIRS << q->tuples->kind;
    return (objective->takes & known) != 0;
}

/*
 * Of an objective that is not defined here: by the verifier's definition, in double. Distances are those of unit vectors under
 * the matrix −d/2.
 */
static inline void bounds_by_verifier(const bounds_problem *q, bounds_value *v, bounds_distances d,
                                      const char *name)
{
    static double x[BOUNDS_ROWS * BOUNDS_ROWS], m[BOUNDS_ROWS * BOUNDS_ROWS];
    size_t all[BOUNDS_ROWS];
    int labels[BOUNDS_ROWS];
    double weights[BOUNDS_ROWS];
    for (size_t i = 0; i < q->n; i++) {
        for (size_t j = 0; j < q->n; j++) {
            x[i * q->n + j] = i == j;
            m[i * q->n + j] = -0.5 * (double)d[i][j];
        }
        all[i] = i;
        labels[i] = q->class[i];
        weights[i] = (double)bounds_weight(q, i);
    }
    gersh_dataset data = {.n = q->n, .k = q->n, .x = x, .labels = labels, .weights = weights};
    gersh__dense dense = {q->n, 0, q->n, all, all, m};
    const gersh__reference *reference = gersh__reference_find(name);
    gersh__problem p = {0};
    if (reference == NULL ||
        gersh__problem_solve(&p, reference, &dense, &data, q->tuples, 0, 0) != GERSH_OK)
        abort();
    v->value = reference->maximized ? -p.value : p.value;
    v->size = (long double)p.margins * (DBL_EPSILON / LDBL_EPSILON);
    gersh__problem_clear(&p);
}

static inline bounds_value bounds_evaluate(const bounds_problem *q, const char *name, const gersh_metric *m)
{
    static bounds_distances d;
    static bounds_pairs list;
    bounds_value v = {0};
    bounds_measure(q, m, d);
    int compared = q->tuples != NULL && q->tuples->kind != GERSH_PAIRS;
    if (!compared)
        bounds_list(q, d, &list);
    if (strcmp(name, "glr") == 0 || strcmp(name, "deml") == 0)
        bounds_glr_deml(&v, &list, strcmp(name, "deml") == 0);
    else if (strcmp(name, "mcml") == 0)
        bounds_mcml(q, &v, &list);
    else if (strcmp(name, "lsml") == 0 && !compared)
        bounds_lsml(&v, &list);
    else if (strcmp(name, "lmnn") == 0 && !compared)
        bounds_lmnn(q, &v, d);
    else if (strcmp(name, "lsml") == 0 || strcmp(name, "lmnn") == 0)
        bounds_compared(q, &v, d, strcmp(name, "lmnn") == 0);
    else
        bounds_by_verifier(q, &v, d, name);
    return v;
}

/* --- metrics --- */

/* Less than the trace C by exact sums: what rounding made too much is taken off. */
static inline void bounds_shrink(gersh_metric *m, const gersh_fit_info *info)
{
    long double sum = 0, most = (long double)info->budget - (long double)info->rho * m->features;
    for (size_t a = 0; a < m->atoms; a++) {
        long double square = 0;
        for (size_t f = 0; m->dense != NULL && f < m->features; f++)
            square += (long double)m->dense[a * m->features + f] * m->dense[a * m->features + f];
        if (m->dense == NULL)
            square = (long double)m->atom[a].a * m->atom[a].a + (long double)m->atom[a].b * m->atom[a].b;
        sum += m->weight[a] * square;
    }
    for (size_t a = 0; a < m->atoms && sum > most; a++)
        m->weight[a] *= (double)(most / sum) * (1 - DBL_EPSILON);
}

static inline void bounds_random_atom(gersh_metric *m, size_t a, bounds_set set, gersh__random *random)
{
    size_t k = m->features, i = (size_t)gersh__random_below(random, k),
           j = (size_t)gersh__random_below(random, k);
    double angle = 6.283185307 * gersh__random_uniform(random), square = 0;
    if (m->dense != NULL) {
        for (size_t f = 0; f < k; f++) {
            m->dense[a * k + f] = gersh__random_normal(random);
            square += m->dense[a * k + f] * m->dense[a * k + f];
        }
        for (size_t f = 0; f < k; f++)
            m->dense[a * k + f] /= sqrt(square);
        return;
    }
    m->atom[a] =
        set == BOUNDS_ONE || i == j ? (gersh_atom){i, i, 1, 0} : (gersh_atom){i, j, cos(angle), sin(angle)};
}

/* An atom more, which gets a share of the budget, or an edge turned by a little. */
static inline gersh_metric *bounds_change(const gersh_metric *m, const gersh_fit_info *info, bounds_set set,
                                          gersh__random *random)
{
    gersh_metric *out = NULL;
    size_t k = m->features;
    double share = pow(10, bounds_between(random, -10, 0));
    if (gersh_metric_new(&out, k, m->rho, m->atoms + 1, m->dense != NULL) != GERSH_OK)
        return NULL;
    for (size_t a = 0; a < m->atoms; a++) {
        out->weight[a] = (1 - share) * m->weight[a];
        if (m->dense == NULL)
            out->atom[a] = m->atom[a];
        else
            memcpy(out->dense + a * k, m->dense + a * k, k * sizeof *m->dense);
    }
    out->weight[m->atoms] = share * (info->budget - (double)k * info->rho);
    bounds_random_atom(out, m->atoms, set, random);
    size_t turned = m->atoms > 0 ? (size_t)gersh__random_below(random, m->atoms) : 0;
    if (m->atoms > 0 && m->dense == NULL && m->atom[turned].i != m->atom[turned].j &&
        bounds_chance(random, 0.5)) {
        double angle =
            atan2(m->atom[turned].b, m->atom[turned].a) + share * (bounds_chance(random, 0.5) ? 1 : -1);
        out->atom[turned].a = cos(angle);
        out->atom[turned].b = sin(angle);
        out->weight[turned] = m->weight[turned];
    }
    bounds_shrink(out, info);
    return out;
}

/* --- the search --- */

typedef struct bounds_found {
    bounds_value value[BOUNDS_VALUES];
    size_t values;
    struct {
        const gersh_solver_info *solver;
        int place;    /* of the solver */
        double bound; /* as minimised */
    } bound[BOUNDS_VALUES];
    size_t bounds;
} bounds_found;

static inline void bounds_attain(bounds_found *found, const bounds_problem *q, const char *objective,
                                 const gersh_metric *m, bounds_set set)
{
    if (found->values == BOUNDS_VALUES)
        return;
    found->value[found->values] = bounds_evaluate(q, objective, m);
    found->value[found->values++].set = set;
}

static inline int bounds_place(const gersh_solver_info *solver)
{
    int place = 0;
    while (gersh_solver_at(place) != solver)
        place++;
    return place;
}

/* One fit; of a metric that is not certified only the value counts. */
static inline void bounds_fit(bounds_search *s, bounds_found *found, const bounds_problem *q,
                              const gersh_dataset *data, int objective, const gersh_solver_info *solver,
                              int other_start, gersh__random *random)
{
    const gersh_objective_info *goal = gersh_objective_at(objective);
    int certified = bounds_certified(solver);
    const struct {
        const char *name, *value;
    } given[] = {{"objective", goal->name},
                 {"solver", solver->name},
                 {"trace", q->trace},
                 {"rho", q->rho},
                 {"threads", "1"},
                 {"tol", certified ? q->tol : NULL},
                 {"max-iter", certified ? q->max_iter : "2"}};
    bounds_set set = bounds_set_of(solver);
    bounds_tally *tally = certified ? &s->tally[objective][bounds_place(solver)] : NULL;
    gersh_settings *settings = NULL;
    gersh_metric *metric = NULL, *start = NULL;
    gersh_fit_info info;
    gersh_status status = gersh_settings_new(&settings);
    for (size_t i = 0; i < sizeof given / sizeof given[0] && status == GERSH_OK; i++)
        if (given[i].value != NULL)
            status = gersh_settings_set(settings, given[i].name, given[i].value);
    if (status == GERSH_OK && other_start) {
        status = gersh_metric_new(&start, q->k, 0, 3, set == BOUNDS_ANY);
        for (size_t a = 0; status == GERSH_OK && a < 3; a++) {
            bounds_random_atom(start, a, set, random);
            start->weight[a] = atof(q->trace) / 6;
        }
    }
    gersh_fit_options options = {
        .weights = q->weighted ? q->weight : NULL, .tuples = q->tuples, .start = start};
    if (status == GERSH_OK)
        status = gersh_fit(&metric, &info, data, settings, &options);
    if (status == GERSH_ERROR_MEMORY)
        abort();
    if (tally != NULL) {
        tally->fits++;
        tally->refused += status != GERSH_OK;
        tally->unbounded += status == GERSH_OK && !info.has_bound;
    }
    if (status == GERSH_OK) {
        if (tally != NULL && info.has_bound && found->bounds < BOUNDS_VALUES) {
            tally->zero += goal->nonnegative && info.bound == 0;
            found->bound[found->bounds].solver = solver;
            found->bound[found->bounds].place = bounds_place(solver);
            found->bound[found->bounds++].bound = goal->maximized ? -info.bound : info.bound;
        }
        bounds_shrink(metric, &info);
        bounds_attain(found, q, goal->name, metric, set);
        for (int c = 0; c < BOUNDS_CHANGES; c++) {
            gersh_metric *changed = bounds_change(metric, &info, set, random);
            if (changed == NULL)
                abort();
            bounds_attain(found, q, goal->name, changed, set);
            gersh_metric_free(changed);
        }
    }
    gersh_metric_free(metric);
    gersh_metric_free(start);
    gersh_settings_free(settings);
}

/*
 * Every bound against every value of its set. Allowed is the rounding of the values alone: 64 times the precision of
 * long double, relative to the sizes of what was added up.
 */
static inline void bounds_compare(bounds_search *s, const bounds_found *found, const bounds_problem *q,
                                  int objective, unsigned long long seed)
{
    for (size_t b = 0; b < found->bounds; b++) {
        const gersh_solver_info *solver = found->bound[b].solver;
        bounds_tally *t = &s->tally[objective][found->bound[b].place];
        for (size_t v = 0; v < found->values; v++) {
            const bounds_value *value = &found->value[v];
            if (value->set > bounds_set_of(solver))
                continue;
            long double above = found->bound[b].bound - value->value,
                        scale = fabsl(value->value) + LDBL_MIN;
            t->compared++;
            if (!(above > 64 * LDBL_EPSILON * value->size)) {
                t->nearest = above < 0 ? fmax(t->nearest, (double)(above / scale)) : t->nearest;
                continue;
            }
            t->wrong++;
            t->worst = fmax(t->worst, (double)(above / scale));
            if (s->shown++ < 20)
                printf("false: seed %llu, %s, %s: bound %.17g, value %.17Lg, off by %.2Lg; n %zu, k %zu, "
                       "trace %s, rho %s, "
                       "tol %s, max-iter %s%s%s\n",
                       seed, gersh_objective_at(objective)->name, solver->name, found->bound[b].bound,
                       value->value, above / scale, q->n, q->k, q->trace, q->rho, q->tol, q->max_iter,
                       q->weighted ? ", weights" : "", q->tuples != NULL ? ", tuples" : "");
        }
    }
}

/* One problem with every objective; `most_rows`: at most so many. */
static inline void bounds_run(bounds_search *s, unsigned long long seed, int most_rows)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    bounds_problem q;
    gersh__random random;
    gersh_dataset *data = NULL;
    const char *labels[BOUNDS_ROWS];
    gersh__random_seed(&random, seed);
    bounds_draw(&q, &random, most_rows);
    for (size_t i = 0; i < q.n; i++)
        labels[i] = names[q.class[i]];
    if (gersh_dataset_new(&data, q.n, q.k, q.x, q.k, labels, NULL, NULL) != GERSH_OK)
        abort();
    const gersh_objective_info *objective;
    const gersh_solver_info *solver;
    for (int o = 0; o < BOUNDS_MOST && (objective = gersh_objective_at(o)) != NULL; o++) {
        bounds_found found = {.values = 0};
        if (!bounds_takes(&q, objective))
            continue;
        for (int i = 0; i < BOUNDS_MOST && (solver = gersh_solver_at(i)) != NULL; i++)
            if (bounds_certified(solver))
                bounds_fit(s, &found, &q, data, o, solver, 0, &random);
        bounds_fit(s, &found, &q, data, o, bounds_any_solver(&random), 1, &random);
        for (int i = 0; i < BOUNDS_MOST && (solver = gersh_solver_at(i)) != NULL; i++)
            if (bounds_gives_values(solver) && s->with_paper && seed % 8 == 0 && q.n <= 16)
                bounds_fit(s, &found, &q, data, o, solver, 0, &random);
        bounds_compare(s, &found, &q, o, seed);
    }
    gersh_tuples_free(q.tuples);
    gersh_dataset_free(data);
}

static inline long bounds_fits(const bounds_search *s)
{
    long fits = 0;
    for (int o = 0; o < BOUNDS_MOST; o++)
        for (int c = 0; c < BOUNDS_MOST; c++)
            fits += s->tally[o][c].fits;
    return fits;
}

static inline long bounds_report(const bounds_search *s)
{
    long wrong = 0;
    printf("%-6s %-9s %8s %8s %9s %8s %10s %6s %10s %10s\n", "", "", "fits", "refused", "no bound",
           "bound 0", "compared", "false", "worst", "nearest");
    const gersh_objective_info *objective;
    const gersh_solver_info *solver;
    for (int o = 0; o < BOUNDS_MOST && (objective = gersh_objective_at(o)) != NULL; o++)
        for (int c = 0; c < BOUNDS_MOST && (solver = gersh_solver_at(c)) != NULL; c++) {
            const bounds_tally *t = &s->tally[o][c];
            if (!bounds_certified(solver))
                continue;
            printf("%-6s %-9s %8ld %8ld %9ld %8ld %10ld %6ld %10.2g %10.2g\n", objective->name,
                   solver->name, t->fits, t->refused, t->unbounded, t->zero, t->compared, t->wrong,
                   t->worst, t->nearest);
            wrong += t->wrong;
        }
    printf("%ld fits, %ld false bounds\n", bounds_fits(s), wrong);
    return wrong;
}

static inline bounds_search bounds_start(int with_paper)
{
    bounds_search s = {.with_paper = with_paper};
    for (int o = 0; o < BOUNDS_MOST; o++)
        for (int c = 0; c < BOUNDS_MOST; c++)
            s.tally[o][c].nearest = -INFINITY;
    return s;
}

#endif
