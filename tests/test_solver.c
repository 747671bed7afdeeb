/*
 * The small quadratic problem against an enumeration of all sets of bounds and against its duality gap; the
 * engine's list of atoms against the matrix that it stands for; the engine's promise that the value never
 * rises and the bound never falls; and steps that are hard to find.
 */
#include "check.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "base/threads.h"
#include "gersh/metric.h"
#include "objective/custom.h"
#include "objectives.h"
#include "solver/atoms.h"
#include "solver/weights.h"

enum { MOST = 40, MOST_LISTED = 6 }; /* unknowns, and those whose sets of bounds are enumerated */

typedef struct quadratic {
    size_t m;
    double h[MOST * MOST], s[MOST], w[MOST], budget;
} quadratic;

static double value_at(const quadratic *q, const double *x)
{
    double value = 0;
    for (size_t i = 0; i < q->m; i++) {
        double row = 0;
        for (size_t j = 0; j < q->m; j++)
            row += q->h[i * q->m + j] * (x[j] - q->w[j]);
        value += (q->s[i] + 0.5 * row) * (x[i] - q->w[i]);
    }
    return value;
}

/* What a change of the weights can bring at most where H is 0: the size of values. */
static double size_of(const quadratic *q)
{
    double largest = 0;
    for (size_t i = 0; i < q->m; i++)
        largest = fmax(largest, fabs(q->s[i]));
    return largest * q->budget;
}

/* H = VᵀV with `rank` rows of V; twins makes unknowns with the same row. */
static void make_quadratic(quadratic *q, gersh__random *random, size_t m, size_t rank, int twins)
{
    double v[MOST * MOST], slope = exp(2 * gersh__random_normal(random)), total = 0;
    q->m = m;
    q->budget = exp(gersh__random_normal(random));
    for (size_t i = 0; i < rank * m; i++)
        v[i] = gersh__random_normal(random);
    for (size_t i = 0; i < m; i++) {
        q->s[i] = slope * gersh__random_normal(random);
        q->w[i] = gersh__random_below(random, 3) == 0 ? 0 : gersh__random_uniform(random);
        total += q->w[i];
        if (twins && i > 0 && gersh__random_below(random, 2) == 0) {
            q->s[i] = q->s[i - 1];
            for (size_t r = 0; r < rank; r++)
                v[r * m + i] = v[r * m + i - 1];
        }
    }
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++) {
            q->h[i * m + j] = 0;
            for (size_t r = 0; r < rank; r++)
                q->h[i * m + j] += v[r * m + i] * v[r * m + j];
        }
    /* w on the budget, within it, or at 0. */
    uint64_t where = gersh__random_below(random, 4);
    double share = where == 0 ? 0 : where < 3 ? 1 : gersh__random_uniform(random);
    for (size_t i = 0; i < m; i++)
        q->w[i] *= total > 0 ? share * q->budget / total : 0;
    if (where == 2) { /* a corner */
        memset(q->w, 0, sizeof q->w);
        q->w[gersh__random_below(random, m)] = q->budget;
    }
}

/* Solves a x = b (n × n, destroyed) by elimination with full pivoting; 0 where a is all but singular. */
static int eliminate(double *a, double *b, double *x, size_t n)
{
    size_t place[MOST_LISTED + 1];
    double first = 0;
    for (size_t i = 0; i < n; i++)
        place[i] = i;
    for (size_t c = 0; c < n; c++) {
        size_t row = c, column = c;
        for (size_t i = c; i < n; i++)
            for (size_t j = c; j < n; j++)
                if (fabs(a[i * n + j]) > fabs(a[row * n + column])) {
                    row = i;
                    column = j;
                }
        double pivot = a[row * n + column];
        first = c == 0 ? fabs(pivot) : first;
        if (!(fabs(pivot) > 1e-11 * first))
            return 0;
        for (size_t j = 0; j < n; j++) {
            double kept = a[c * n + j];
            a[c * n + j] = a[row * n + j];
            a[row * n + j] = kept;
        }
        for (size_t i = 0; i < n; i++) {
            double kept = a[i * n + c];
            a[i * n + c] = a[i * n + column];
            a[i * n + column] = kept;
        }
        double right = b[c];
        b[c] = b[row];
        b[row] = right;
        size_t moved = place[c];
        place[c] = place[column];
        place[column] = moved;
        for (size_t i = c + 1; i < n; i++) {
            double factor = a[i * n + c] / pivot;
            for (size_t j = c; j < n; j++)
                a[i * n + j] -= factor * a[c * n + j];
            b[i] -= factor * b[c];
        }
    }
    for (size_t c = n; c-- > 0;) {
        double sum = b[c];
        for (size_t j = c + 1; j < n; j++)
            sum -= a[c * n + j] * x[place[j]];
        x[place[c]] = sum / a[c * n + c];
    }
    return 1;
}

/*
 * The stationary point where the entries outside `set` are 0 and, with `full`, the budget is used up; its
 * value, or INFINITY where it is none or not feasible.
 */
static double stationary(const quadratic *q, unsigned set, int full)
{
    double a[(MOST_LISTED + 1) * (MOST_LISTED + 1)], b[MOST_LISTED + 1], y[MOST_LISTED + 1], x[MOST] = {0};
    size_t free_entry[MOST_LISTED], count = 0, m = q->m;
    for (size_t i = 0; i < m; i++)
        if (set >> i & 1)
            free_entry[count++] = i;
    size_t order = count + (full ? 1 : 0);
    if (full && count == 0)
        return INFINITY;
    for (size_t r = 0; r < count; r++) {
        size_t i = free_entry[r];
        b[r] = -q->s[i];
        for (size_t j = 0; j < m; j++)
            b[r] += q->h[i * m + j] * q->w[j];
        for (size_t c = 0; c < count; c++)
            a[r * order + c] = q->h[i * m + free_entry[c]];
        if (full)
            a[r * order + count] = a[count * order + r] = 1;
    }
    if (full) {
        a[count * order + count] = 0;
        b[count] = q->budget;
    }
    if (!eliminate(a, b, y, order))
        return INFINITY;
    double total = 0;
    for (size_t c = 0; c < count; c++) {
        if (!(y[c] >= -1e-12 * q->budget))
            return INFINITY;
        total += x[free_entry[c]] = fmax(y[c], 0);
    }
    if (!(total <= q->budget * (1 + 1e-11)))
        return INFINITY;
    for (size_t i = 0; i < m && total > q->budget; i++)
        x[i] *= q->budget / total;
    return value_at(q, x);
}

/*
 * The smallest value: a minimum lies on a face on which the problem is strictly convex, so that one of the
 * stationary points is it.
 */
static double enumerate(const quadratic *q)
{
    double least = INFINITY;
    for (unsigned set = 0; set < 1u << q->m; set++)
        least = fmin(least, fmin(stationary(q, set, 0), stationary(q, set, 1)));
    return least;
}

/* Solves, checks that x is feasible and no worse than w, and returns its value. */
static double solve(const quadratic *q, double *x)
{
    double work[MOST * MOST + 4 * MOST], total = 0;
    int free_set[2 * MOST];
    gersh__weights_minimize(x, q->m, q->h, q->s, q->w, q->budget, work, free_set);
    for (size_t i = 0; i < q->m; i++) {
        assert_true(x[i] >= 0);
        total += x[i];
    }
    assert_true(total <= q->budget * (1 + 1e-14));
    double value = value_at(q, x);
    assert_true(value <= 1e-9 * size_of(q));
    return value;
}

static void weights_against_all_sets(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 71);
    for (int t = 0; t < cases(6000); t++) {
        quadratic q;
        double x[MOST];
        size_t m = 1 + (size_t)gersh__random_below(&random, MOST_LISTED);
        make_quadratic(&q, &random, m, (size_t)gersh__random_below(&random, m + 1), t % 3 == 0);
        double value = solve(&q, x), expected = enumerate(&q);
        if (!(value <= expected + 1e-8 * size_of(&q)))
            fail_msg("problem %d of %zu: %.17g is not %.17g", t, m, value, expected);
    }
}

/* F(x) − min F <= ∇F·x − B min(0, ∇F): small, without a solver. */
static void weights_have_no_gap(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 72);
    for (int t = 0; t < cases(1000); t++) {
        quadratic q;
        double x[MOST], gap = 0, least = 0;
        size_t m = 1 + (size_t)gersh__random_below(&random, MOST);
        make_quadratic(&q, &random, m, (size_t)gersh__random_below(&random, m + 1), t % 3 == 0);
        solve(&q, x);
        for (size_t i = 0; i < m; i++) {
            double slope = q.s[i];
            for (size_t j = 0; j < m; j++)
                slope += q.h[i * m + j] * (x[j] - q.w[j]);
            gap += slope * x[i];
            least = fmin(least, slope);
        }
        gap -= q.budget * least;
        if (!(gap <= 1e-5 * size_of(&q)))
            fail_msg("problem %d of %zu: a gap of %g remains of %g", t, m, gap, size_of(&q));
    }
}

/* Those that are smooth, so that the value never rises. */
static int is_smooth_of_classes(const gersh__objective_entry *entry)
{
    return is_smooth(entry) && learns_classes(entry);
}

static gersh__engine *engine_of(const problem *q, gersh__objective *objective, double rho, double budget,
                                int dense)
{
    gersh__engine *engine;
    assert_ok(gersh__engine_new(&engine, q->pairs, objective, rho, budget, dense));
    return engine;
}

static void add_random_atoms(gersh__engine *e, gersh__random *random, size_t count)
{
    size_t k = gersh__pairs_features(e->pairs);
    for (size_t a = 0; a < count; a++) {
        size_t i = (size_t)gersh__random_below(random, k), j = (size_t)gersh__random_below(random, k);
        double angle = 6.4 * gersh__random_uniform(random);
        gersh_atom atom = {i, j, i == j ? 1 : cos(angle), i == j ? 0 : sin(angle)};
        assert_ok(gersh__atoms_add(e, atom, NULL, exp(2 * gersh__random_normal(random))));
    }
}

static void matrix_of(const gersh__engine *e, double *m)
{
    gersh_metric *metric;
    assert_ok(gersh__engine_metric(&metric, e));
    gersh_metric_matrix(metric, m);
    gersh_metric_free(metric);
}

/* t of every atom is X z but for a constant. */
static void check_projections(gersh__engine *e)
{
    gersh__atoms_project(e);
    size_t n = gersh__pairs_samples(e->pairs);
    const double *x = gersh__pairs_columns(e->pairs);
    for (size_t a = 0; a < e->atoms; a++) {
        gersh_atom z = e->atom[a];
        const double *t = e->t + a * n;
        assert_true(e->theta[a] > 0 && fabs(hypot(z.a, z.b) - 1) < 1e-14);
        for (size_t s = 1; s < n; s++) {
            double step = z.a * (x[z.i * n + s] - x[z.i * n]);
            step += z.i != z.j ? z.b * (x[z.j * n + s] - x[z.j * n]) : 0;
            assert_close(t[s] - t[0], step, 1e-12);
        }
    }
}

static void merging_keeps_the_matrix(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 73);
    for (int t = 0; t < cases(300); t++) {
        size_t k = 1 + (size_t)gersh__random_below(&random, 6);
        problem q = make(&random, (wish){.n = 6, .k = k, .classes = 2, .lone = 1});
        gersh__objective *objective = objective_of("deml", &q);
        gersh__engine *e = engine_of(&q, objective, 0.1, 1000, 0);
        double before[36], after[36], trace = 0;
        add_random_atoms(e, &random, (size_t)gersh__random_below(&random, 40));
        matrix_of(e, before);
        gersh__engine_refresh(e);
        double value = e->value;
        size_t most = 1 + (size_t)(t % 2);
        gersh__region *region;
        assert_ok(gersh__region_new(&region, &gersh__region_hull, q.pairs, NULL));
        assert_ok(gersh__atoms_merge(e, region, most));
        gersh__region_free(region);
        matrix_of(e, after);
        for (size_t i = 0; i < k; i++)
            trace += before[i * k + i];
        for (size_t i = 0; i < k * k; i++)
            assert_close(after[i], before[i], 1e-13 * trace);
        for (size_t a = 0; a < e->atoms; a++) {
            int same = 0;
            for (size_t b = 0; b < e->atoms; b++)
                same += e->atom[a].i == e->atom[b].i && e->atom[a].j == e->atom[b].j;
            assert_true(same <= (e->atom[a].i == e->atom[a].j ? 1 : (int)most));
        }
        check_projections(e);
        gersh__engine_refresh(e);
        assert_close(e->value, value, 1e-12 * fabs(value));
        gersh__engine_free(e);
        gersh__objective_free(objective);
        drop(&q);
    }
}

/* Edges with entries of one size alone: diagonally dominant matrices. */
static int allows_equal(const gersh__region *region, gersh_atom z)
{
    (void)region;
    return fabs(fabs(z.a) - fabs(z.b)) < 1e-9;
}

/* Two atoms on a pair stay where the one edge that they come to is none of the region's. */
static void merging_stays_in_the_region(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 78);
    gersh__region_ops dominant = gersh__region_hull;
    dominant.name = "dominant";
    dominant.allows = allows_equal;
    problem q = make(&random, (wish){.n = 5, .k = 3, .classes = 2, .lone = 1});
    gersh__objective *objective = objective_of("glr", &q);
    for (int same = 0; same < 2; same++) {
        gersh__engine *e = engine_of(&q, objective, 0, 4, 0);
        gersh__region *region;
        assert_ok(gersh__region_new(&region, same ? &gersh__region_hull : &dominant, q.pairs, NULL));
        assert_ok(gersh__atoms_add(e, (gersh_atom){0, 2, sqrt(0.5), sqrt(0.5)}, NULL, 1));
        assert_ok(gersh__atoms_add(e, (gersh_atom){0, 2, sqrt(0.5), -sqrt(0.5)}, NULL, 2));
        assert_ok(gersh__atoms_merge(e, region, 1));
        assert_int_equal(e->atoms, 2);
        assert_int_equal(e->atom[0].i != e->atom[0].j && e->atom[1].i != e->atom[1].j, !same);
        gersh__region_free(region);
        gersh__engine_free(e);
    }
    gersh__objective_free(objective);
    drop(&q);
}

/* In every region an edge of it stays as it is, and another one leaves its squares on the diagonal. */
static void restricting_keeps_the_diagonal(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 74);
    for (int t = 0; t < cases(150); t++) {
        const size_t k = 6;
        problem q = make(&random, (wish){.n = 5, .k = k, .classes = 2, .lone = 1});
        gersh__objective *objective = objective_of("glr", &q);
        const gersh_edge_rule rule[] = {
            {0, 1, GERSH_EDGE_FORBIDDEN}, {1, 2, GERSH_EDGE_POSITIVE}, {3, 2, GERSH_EDGE_NEGATIVE}};
        gersh__rules *rules;
        double color[6], u[6];
        assert_ok(gersh__rules_new(&rules, k, rule, 3));
        for (size_t i = 0; i < k; i++) {
            color[i] = gersh__random_below(&random, 2) == 0 ? -1 : 1;
            u[i] = exp(gersh__random_normal(&random));
        }
        const gersh__region_params params = {.rules = t % 2 ? rules : NULL, .color = color, .u = u};
        for (size_t r = 0; gersh__region_at(r) != NULL; r++) {
            if (gersh__region_at(r)->dense)
                continue;
            gersh__engine *e = engine_of(&q, objective, 0, 1000, 0);
            gersh__region *region;
            double expected[36], after[36], trace = 0;
            assert_ok(gersh__region_new(&region, gersh__region_at(r), q.pairs, &params));
            add_random_atoms(e, &random, 30);
            size_t i = (size_t)t % 5, j = i + 1;
            double length = hypot(u[i], u[j]); /* one that the region gdpa has */
            assert_ok(gersh__atoms_add(
                e, (gersh_atom){i, j, u[j] / length, -color[i] * color[j] * u[i] / length}, NULL, 3));
            matrix_of(e, expected);
            for (size_t f = 0; f < k; f++) {
                trace += expected[f * k + f];
                for (size_t h = 0; h < f; h++)
                    expected[f * k + h] = expected[h * k + f] = 0;
            }
            for (size_t a = 0; a < e->atoms; a++) { /* what may stay is added again */
                gersh_atom z = e->atom[a];
                if (z.i != z.j && gersh__region_allows(region, z))
                    expected[z.j * k + z.i] = expected[z.i * k + z.j] += e->theta[a] * z.a * z.b;
            }
            assert_ok(gersh__atoms_restrict(e, region));
            matrix_of(e, after);
            for (size_t f = 0; f < k * k; f++)
                assert_close(after[f], expected[f], 1e-13 * trace);
            for (size_t a = 0; a < e->atoms; a++)
                assert_true(gersh__region_allows(region, e->atom[a]));
            check_projections(e);
            gersh__region_free(region);
            gersh__engine_free(e);
        }
        gersh__rules_free(rules);
        gersh__objective_free(objective);
        drop(&q);
    }
}

/* The same atom in all its spellings is one; a start above the budget is scaled down to it. */
static void atoms_are_held_once(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 75);
    problem q = make(&random, (wish){.n = 5, .k = 3, .classes = 2, .lone = 1});
    gersh__objective *objective = objective_of("glr", &q);
    gersh__engine *e = engine_of(&q, objective, 0, 4, 0);
    gersh_metric *metric, *started;
    const gersh_atom spelled[] = {
        {0, 2, 0.6, -0.8}, {0, 2, -0.6, 0.8}, {2, 0, -0.8, 0.6}, {2, 0, 0.8, -0.6}};
    for (int s = 0; s < 4; s++)
        assert_ok(gersh__atoms_add(e, spelled[s], NULL, 1 + s));
    assert_ok(gersh__atoms_add(e, (gersh_atom){0, 2, 0.6, 0.8}, NULL, 6));
    assert_int_equal(e->atoms, 2);
    assert_true(e->theta[0] == 10 && e->theta[1] == 6);
    assert_ok(gersh__engine_metric(&metric, e));
    assert_ok(gersh__engine_start(e, metric));
    assert_ok(gersh__engine_metric(&started, e));
    assert_close(gersh_metric_trace(started), 4, 1e-14);
    assert_close(e->theta[0], 2.5, 1e-14);
    gersh_metric_free(metric);
    gersh_metric_free(started);
    gersh__engine_free(e);
    gersh__objective_free(objective);
    drop(&q);
}

typedef struct watch {
    double value, bound, largest, sign;
    int calls;
} watch;

static void watch_progress(void *context, const gersh_progress *progress)
{
    watch *w = context;
    double value = w->sign * progress->value, bound = w->sign * progress->bound;
    w->largest = fmax(w->largest, fabs(value));
    assert_true(isfinite(value) && bound <= value);
    if (w->calls++ > 0) {
        if (!(value <= w->value + 1e-13 * w->largest))
            fail_msg("%s, iteration %d: the value rises from %.17g by %g", progress->stage,
                     progress->iteration, w->value, value - w->value);
        assert_true(bound >= w->bound);
    }
    w->value = value;
    w->bound = bound;
}

/* The distances of all pairs under the engine's metric, row by row. */
static double *distances_of(const gersh__engine *e, const problem *q)
{
    const double *x = gersh_dataset_values(q->data);
    size_t k = gersh__pairs_features(e->pairs), a, b;
    double *d = malloc(gersh__pairs_count(q->pairs) * sizeof *d);
    gersh_metric *metric;
    assert_ok(gersh__engine_metric(&metric, e));
    for (size_t p = 0; p < gersh__pairs_count(q->pairs); p++) {
        pair_rows(q, p, &a, &b);
        d[p] = gersh_metric_distance(metric, x + a * k, x + b * k);
    }
    gersh_metric_free(metric);
    return d;
}

static void solve_stage(const problem *q, gersh__random *random, const char *name,
                        const gersh__region_ops *ops)
{
    size_t k = gersh__pairs_features(q->pairs);
    double color[8], u[8], budget = 0.2 + gersh__random_uniform(random), total = 0;
    for (size_t i = 0; i < k; i++) {
        color[i] = gersh__random_below(random, 2) == 0 ? -1 : 1;
        u[i] = exp(0.5 * gersh__random_normal(random));
    }
    gersh__objective *objective = objective_of(name, q);
    gersh__engine *e = engine_of(q, objective, 0.01, budget, ops->dense);
    gersh__region *region;
    assert_ok(gersh__region_new(&region, ops, q->pairs, &(gersh__region_params){.color = color, .u = u}));
    watch w = {.sign = objective->info->maximized ? -1 : 1};
    gersh__limits limits = {.tol = 1e-7,
                            .max_iter = 60,
                            .max_seconds = INFINITY,
                            .cutoff = INFINITY,
                            .enough = -INFINITY,
                            .widest = 1,
                            .progress = watch_progress,
                            .progress_context = &w};
    gersh_stop stop;
    assert_ok(gersh__engine_solve(e, region, name, &limits, &stop));
    assert_int_equal(w.calls, e->iterations);
    for (size_t a = 0; a < e->atoms; a++) {
        assert_true(e->theta[a] > 0 && (ops->dense || gersh__region_allows(region, e->atom[a])));
        total += e->theta[a];
    }
    assert_true(total <= budget * (1 + 1e-12));
    double *d = distances_of(e, q);
    assert_close(e->value, oracle(name, q, d, 0), 1e-9 * w.largest);
    assert_true(e->bound <= e->value + 1e-12 * w.largest);
    if (stop == GERSH_STOP_CONVERGED) /* by its own bound */
        assert_true(e->value - e->bound <= 1e-7 * fmax(fabs(e->value), e->floor) * (1 + 1e-9));
    free(d);
    gersh__region_free(region);
    gersh__engine_free(e);
    gersh__objective_free(objective);
}

static void values_never_rise(void **unused)
{
    (void)unused;
    gersh__random random;
    visits objectives = {0}, regions = {0};
    gersh__random_seed(&random, 76);
    for (int t = 0; t < cases(150); t++) {
        problem q = make(&random, (wish){.n = 4 + (size_t)gersh__random_below(&random, 12),
                                         .k = 1 + (size_t)gersh__random_below(&random, 8),
                                         .classes = 2,
                                         .lone = t % 4 == 0,
                                         .duplicates = t % 5 == 0,
                                         .weighted = t % 3 == 0});
        const char *name;
        for (size_t o = 0;
             gersh_dataset_classes(q.data) > 1 && (name = objective_name(o, is_smooth_of_classes)) != NULL;
             o++)
            for (size_t r = 0; gersh__region_at(r) != NULL; r++) {
                visit(&objectives, name);
                visit(&regions, gersh__region_at(r)->name);
                solve_stage(&q, &random, name, gersh__region_at(r));
            }
        drop(&q);
    }
    assert_all_objectives(&objectives, is_smooth_of_classes);
    assert_all_regions(&regions, any_region);
}

/* F = max(c − s, 1000 (s − c)), s the sum of all distances: towards the kink no step is a good one. */
typedef struct kink {
    double place; /* c */
    int calls;
} kink;

static double at_kink(void *context, size_t pairs, const size_t *first, const size_t *second,
                      const double *d, double *g)
{
    kink *k = context;
    double sum = 0;
    (void)first;
    (void)second;
    k->calls++;
    for (size_t p = 0; p < pairs; p++)
        sum += d[p];
    for (size_t p = 0; p < pairs && g != NULL; p++)
        g[p] = sum > k->place ? 1000 : -1;
    return fmax(k->place - sum, 1000 * (sum - k->place));
}

static void no_curvature(void *context, size_t pairs, const double *d, const double *v, double *out)
{
    (void)context;
    (void)d;
    (void)v;
    memset(out, 0, pairs * sizeof *out);
}

/* Where the search for a step runs out of tries, weights and distances still belong together. */
static void long_searches_end_in_order(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 77);
    int moved = 0;
    for (int t = 0; t < cases(200); t++) {
        problem q = make(&random, (wish){.n = 6, .k = 3, .classes = 2, .lone = 1});
        double sum = 0;
        kink k = {.place = 0};
        gersh_custom_objective custom = {.context = &k, .evaluate = at_kink, .curvature = no_curvature};
        gersh__objective *objective;
        gersh__region *region;
        gersh_stop stop;
        gersh__limits limits = {.tol = 1e-12,
                                .max_iter = 2,
                                .max_seconds = INFINITY,
                                .cutoff = INFINITY,
                                .enough = -INFINITY,
                                .widest = 1};
        assert_ok(gersh__objective_new_custom(&objective, &custom, q.pairs));
        gersh__engine *e = engine_of(&q, objective, 0.01, 1, 0);
        for (size_t p = 0; p < gersh__pairs_count(q.pairs); p++)
            sum += e->base[p];
        k.place = sum * (2 + 20 * gersh__random_uniform(&random)); /* within reach: the budget is 100 ρ */
        assert_ok(gersh__region_new(&region, &gersh__region_hull, q.pairs, NULL));
        k.calls = 0;
        assert_ok(gersh__engine_solve(e, region, "kink", &limits, &stop));
        assert_true(k.calls >= 25); /* the search ran out of tries */
        moved += e->newton_steps > 0;
        double *d = distances_of(e, &q);
        double value = at_kink(&k, gersh__pairs_count(q.pairs), NULL, NULL, d, NULL);
        for (size_t p = 0; p < gersh__pairs_count(q.pairs); p++)
            assert_close(e->d[p], d[p], 1e-13 * k.place);
        assert_close(e->value, value, 1e-10 * k.place);
        free(d);
        gersh__region_free(region);
        gersh__engine_free(e);
        gersh__objective_free(objective);
        drop(&q);
    }
    assert_true(moved >= cases(50));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_against_all_sets),
        cmocka_unit_test(weights_have_no_gap),
        cmocka_unit_test(merging_keeps_the_matrix),
        cmocka_unit_test(merging_stays_in_the_region),
        cmocka_unit_test(restricting_keeps_the_diagonal),
        cmocka_unit_test(atoms_are_held_once),
        cmocka_unit_test(values_never_rise),
        cmocka_unit_test(long_searches_end_in_order),
    };
    gersh__blas_hold(); /* small matrices: threads of BLAS would only slow the oracle down */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
