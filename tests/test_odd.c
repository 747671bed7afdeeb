/*
 * Every solver with every objective on odd inputs: one feature, equal rows, classes of one row, fewer rows than
 * features, features that are constant, the same or of extreme size, rows of weight 0.
 *
 * A fit gives a metric or one sentence. Of a metric everything is checked from the atoms and the rows alone: the
 * limits of trace and eigenvalues (LAPACK), the signs (a colouring of its own), the value (each objective from its
 * definition), and each bound against the values of all solvers whose metrics it must hold for.
 */
#include "objectives.h"

#include <cblas.h>
#include <lapacke.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/threads.h"
#include "gersh/gersh.h"
#include "samples.h"

enum {
    MOST_DENSE = 400,
    MAX_ITER = 1000,
    MAX_ROUNDS = 2 /* of sgml and pgml, which take long over kinks */
};

static int most_iterations(const gersh_solver_info *solver)
{
    return gersh_solver_reads(solver, "rows-only") ? MAX_ROUNDS : MAX_ITER;
}

typedef enum outcome {
    FITS,
    REFUSED,
    ALONE /* no two rows of a class: objectives of such pairs are refused, as they would be 0 for every metric */
} outcome;

static gersh_settings *settings_of(const char *objective, const char *solver)
{
    gersh_settings *settings;
    assert_ok(gersh_settings_new(&settings));
    assert_ok(gersh_settings_set(settings, "objective", objective));
    assert_ok(gersh_settings_set(settings, "solver", solver));
    assert_ok(gersh_settings_set(settings, "threads", "1"));
    return settings;
}

/* One clear sentence about the arguments or the data. */
static void check_sentence(const char *what, gersh_status status)
{
    const char *text = gersh_last_error();
    size_t length = strlen(text);
    if (status != GERSH_ERROR_ARGUMENT && status != GERSH_ERROR_INPUT)
        fail_msg("%s: status %s: %s", what, gersh_status_name(status), text);
    if (length < 20 || strchr(text, '\n') != NULL || strstr(text, "internal") != NULL ||
        text[length - 1] == '.' || strstr(text, "nan") != NULL)
        fail_msg("%s: not a clear sentence: '%s'", what, text);
}

static outcome outcome_of(outcome expected, const char *objective)
{
    return expected != ALONE ? expected : objective_is(objective, needs_mates) ? REFUSED : FITS;
}

/* zᵀ (x − y) of an atom. */
static long double along(const gersh_metric *metric, size_t a, const double *x, const double *y)
{
    long double sum = 0;
    if (metric->dense != NULL) {
        for (size_t f = 0; f < metric->features; f++)
            sum += metric->dense[a * metric->features + f] * ((long double)x[f] - y[f]);
        return sum;
    }
    gersh_atom z = metric->atom[a];
    sum = z.a * ((long double)x[z.i] - y[z.i]);
    return z.i == z.j ? sum : sum + z.b * ((long double)x[z.j] - y[z.j]);
}

/* The rows whose weight is not 0 as a problem of the oracles. */
static problem problem_of(const gersh_dataset *data)
{
    problem q = {0};
    size_t rows[SAMPLES_ROWS];
    const double *weights = gersh_dataset_weights(data);
    for (size_t i = 0; i < gersh_dataset_rows(data); i++)
        if (weights == NULL || weights[i] > 0)
            rows[q.n++] = i;
    assert_ok(gersh_dataset_subset(&q.data, data, rows, q.n));
    if (weights != NULL) {
        q.weight = malloc(q.n * sizeof *q.weight);
        for (size_t i = 0; i < q.n; i++)
            q.weight[i] = weights[rows[i]];
    }
    assert_ok(gersh__pairs_new(&q.pairs, q.data, NULL, 0, NULL, NULL, NULL));
    return q;
}

/* The distances of all pairs under ρI and the atoms; metric NULL: under the identity. */
static double *distances_under(const problem *q, const gersh_metric *metric, double rho)
{
    size_t k = gersh_dataset_features(q->data), a, b;
    const double *x = gersh_dataset_values(q->data);
    double *d = malloc(gersh__pairs_count(q->pairs) * sizeof *d);
    for (size_t p = 0; p < gersh__pairs_count(q->pairs); p++) {
        long double sum = 0;
        pair_rows(q, p, &a, &b);
        for (size_t f = 0; f < k; f++)
            sum += rho * ((long double)x[a * k + f] - x[b * k + f]) *
                   ((long double)x[a * k + f] - x[b * k + f]);
        for (size_t z = 0; metric != NULL && z < metric->atoms; z++) {
            long double t = along(metric, z, x + a * k, x + b * k);
            sum += metric->weight[z] * t * t;
        }
        d[p] = (double)sum;
    }
    return d;
}

/* M by rows. */
static double *matrix_of(const gersh_metric *metric)
{
    size_t k = metric->features, atoms = metric->atoms;
    double *m = calloc(k * k, sizeof *m), *scaled = calloc(atoms * k + 1, sizeof *scaled);
    for (size_t a = 0; a < atoms * k && metric->dense != NULL; a++)
        scaled[a] = sqrt(metric->weight[a / k]) * metric->dense[a];
    if (atoms > 0 && metric->dense != NULL)
        cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, (int)k, (int)atoms, 1, scaled, (int)k, 0, m,
                    (int)k);
    for (size_t a = 0; a < atoms && metric->dense == NULL; a++) {
        gersh_atom z = metric->atom[a];
        m[z.i * k + z.i] += metric->weight[a] * z.a * z.a;
        m[z.j * k + z.j] += z.i != z.j ? metric->weight[a] * z.b * z.b : 0;
        m[z.i > z.j ? z.i * k + z.j : z.j * k + z.i] += z.i != z.j ? metric->weight[a] * z.a * z.b : 0;
    }
    for (size_t i = 0; i < k; i++) {
        m[i * k + i] += metric->rho;
        for (size_t j = 0; j < i; j++)
            m[j * k + i] = m[i * k + j];
    }
    free(scaled);
    return m;
}

/* The sign of M_ij, 0 where it is 0 but for rounding. */
static int sign_of(const double *m, size_t k, size_t i, size_t j)
{
    double entry = m[i * k + j];
    if (fabs(entry) <= 1e-12 * sqrt(m[i * k + i]) * sqrt(m[j * k + j]))
        return 0;
    return entry > 0 ? 1 : -1;
}

/* Whether colours exist with sign(M_ij) = −σ_iσ_j: each node takes the colour that a coloured one asks of it. */
static int is_balanced(const double *m, size_t k)
{
    int *color = calloc(k, sizeof *color), right = 1;
    size_t *stack = malloc(k * sizeof *stack), height = 0;
    for (size_t root = 0; root < k; root++) {
        if (color[root] != 0)
            continue;
        color[root] = 1;
        stack[height++] = root;
        while (height > 0) {
            size_t i = stack[--height];
            for (size_t j = 0; j < k; j++) {
                int asked = j == i ? 0 : -sign_of(m, k, i, j) * color[i];
                if (asked != 0 && color[j] == 0) {
                    color[j] = asked;
                    stack[height++] = j;
                }
                right = right && (asked == 0 || color[j] == asked);
            }
        }
    }
    free(color);
    free(stack);
    return right;
}

static void check_signs(const char *what, const double *m, size_t k, gersh_graph_signs signs)
{
    if (signs == GERSH_SIGNS_FREE)
        return;
    for (size_t i = 0; i < k && signs != GERSH_SIGNS_BALANCED; i++)
        for (size_t j = 0; j < i; j++)
            if (signs == GERSH_SIGNS_NO_EDGES ? m[i * k + j] != 0 : sign_of(m, k, i, j) > 0)
                fail_msg("%s: M has the entry %g", what, m[i * k + j]);
    if (!is_balanced(m, k))
        fail_msg("%s: the graph is not balanced", what);
}

/*
 * λ_min(M) >= ρ: by its eigenvalues, or for many features by a factor of M − ρI, both but for rounding. M is first
 * divided by the trace, as LAPACK squares entries.
 */
static void check_definite(const char *what, double *m, size_t k, const gersh_fit_info *info)
{
    double rho = info->rho / info->budget, slack = 1e-12 + 1e-9 * rho, *values = malloc(k * sizeof *values);
    lapack_int order = (lapack_int)k;
    for (size_t i = 0; i < k * k; i++)
        m[i] /= info->budget;
    if (k > MOST_DENSE) {
        for (size_t f = 0; f < k; f++)
            m[f * k + f] -= rho - slack;
        if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', order, m, order) != 0)
            fail_msg("%s: M - rho I is not positive definite", what);
    } else {
        assert_int_equal(LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'L', order, m, order, values), 0);
        if (!(values[0] >= rho - slack))
            fail_msg("%s: of the trace, the smallest eigenvalue is %.17g, rho %.17g", what, values[0], rho);
    }
    free(values);
}

/* That the library gives the same matrix, with an exact symmetry. */
static void check_entries(const char *what, const gersh_metric *metric, const double *m, double budget)
{
    size_t k = metric->features;
    double *given = malloc(k * k * sizeof *given);
    gersh_metric_matrix(metric, given);
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < k; j++)
            if (given[i * k + j] != given[j * k + i] ||
                !(fabs(given[i * k + j] - m[i * k + j]) <= 1e-13 * budget))
                fail_msg("%s: M_%zu,%zu is %g, from its atoms %g", what, i, j, given[i * k + j],
                         m[i * k + j]);
    free(given);
}

static void check_matrix(const char *what, const gersh_metric *metric, const gersh_fit_info *info,
                         gersh_graph_signs signs)
{
    size_t k = metric->features;
    double *m = matrix_of(metric), trace = 0;
    if (k <= MOST_DENSE)
        check_entries(what, metric, m, info->budget);
    for (size_t i = 0; i < k * k; i++) {
        if (!isfinite(m[i]))
            fail_msg("%s: M_%zu,%zu is %g", what, i / k, i % k, m[i]);
        trace += i % (k + 1) == 0 ? m[i] : 0;
    }
    for (size_t a = 0; a < metric->atoms; a++)
        assert_true(metric->weight[a] > 0);
    if (!(trace <= info->budget * (1 + 1e-9)))
        fail_msg("%s: trace %.17g of %.17g", what, trace, info->budget);
    check_signs(what, m, k, signs);
    check_definite(what, m, k, info);
    free(m);
}

/* What rounding may do to a value near 0: logarithms of mcml, squares of small differences of lsml. */
static double rounding_of(const char *objective, const problem *q, const double *d)
{
    double count = (double)gersh__pairs_count(q->pairs), largest = 1;
    for (size_t p = 0; p < gersh__pairs_count(q->pairs); p++)
        largest = fmax(largest, d[p]);
    double cancels = oracle_cancels(objective, q, d);
    return cancels > 0                 ? 1e-12 * fmax(cancels, 1) * largest
           : oracle_is_long(objective) ? 1e-20 * count * count * largest
                                       : 1e-14 * count * largest;
}

/* One fit. */
typedef struct trial {
    char what[160]; /* for messages */
    const char *objective;
    const gersh_solver_info *solver;
    int limited; /* by time */
    gersh_dataset *scaled;
    gersh_metric *metric; /* NULL: refused */
    gersh_fit_info info;
    double value, bound, rounding; /* of F as it is minimised; bound −INFINITY: none */
} trial;

/* Trace and ρ by their defaults; returns the scale of relative gaps. */
static double check_budget(const trial *t, const problem *q)
{
    double k = (double)t->metric->features, mean = 0, *d = distances_under(q, NULL, 1);
    for (size_t p = 0; p < gersh__pairs_count(q->pairs); p++)
        mean += d[p] / (double)gersh__pairs_count(q->pairs);
    double trace = gersh_objective_find(t->objective)->mean * k / mean;
    if (!(fabs(t->info.budget - trace) <= 1e-9 * t->info.budget) ||
        !(fabs(t->info.rho - 1e-5 * t->info.budget / k) <= 1e-9 * t->info.rho) ||
        t->metric->rho != t->info.rho)
        fail_msg("%s: trace %g and rho %g at a mean distance of %g", t->what, t->info.budget, t->info.rho,
                 mean);
    for (size_t p = 0; p < gersh__pairs_count(q->pairs); p++)
        d[p] *= t->info.budget / k;
    double scale = fmax(fabs(t->value), 1e-6 * fabs(oracle(t->objective, q, d, 0)));
    free(d);
    return scale;
}

static void check_stop(const trial *t, double scale)
{
    const gersh_fit_info *info = &t->info;
    int certified = info->has_bound && info->relative_gap <= 1e-3;
    int right = (info->stop == GERSH_STOP_CONVERGED && certified) ||
                (info->stop == GERSH_STOP_SETTLED && !certified) ||
                (info->stop == GERSH_STOP_MAX_ITER && info->iterations >= most_iterations(t->solver)) ||
                (info->stop == GERSH_STOP_MAX_TIME && t->limited);
    if (!right)
        fail_msg("%s: %s after %d iterations", t->what, gersh_stop_name(info->stop), info->iterations);
    int own = solver_is(t->solver->name, is_convex); /* the bound of its region */
    if (info->stop == GERSH_STOP_CONVERGED && !(info->gap <= 1e-3 * scale + t->rounding))
        fail_msg("%s: converged at the gap %g of %g", t->what, info->gap, scale);
    if (own && info->stop == GERSH_STOP_SETTLED)
        fail_msg("%s: settled at the gap %g of %g", t->what, info->gap, scale);
}

/* Value, budget, bound and reason to stop. */
static void check_info(trial *t)
{
    const gersh_fit_info *info = &t->info;
    problem q = problem_of(t->scaled);
    double sign = objective_sign(t->objective), *d = distances_under(&q, t->metric, t->metric->rho);
    double right = oracle(t->objective, &q, d, 0);
    t->value = sign * info->objective_value;
    t->bound = info->has_bound ? sign * info->bound : -INFINITY;
    t->rounding = rounding_of(t->objective, &q, d) + 1e-9 * fabs(right);
    if (!(fabs(t->value - right) <= t->rounding))
        fail_msg("%s: the value is %.17g, not %.17g", t->what, t->value, right);
    if (info->has_bound &&
        (!(t->bound <= t->value + t->rounding) || !(fabs(t->value - t->bound - info->gap) <= t->rounding)))
        fail_msg("%s: the value is %.17g, the bound %.17g, the gap %g", t->what, t->value, t->bound,
                 info->gap);
    if (t->solver->bound != GERSH_BOUND_NONE ? !info->has_bound && !t->limited : info->has_bound)
        fail_msg("%s: there is %s bound", t->what, info->has_bound ? "a" : "no");
    check_stop(t, check_budget(t, &q));
    free(d);
    drop(&q);
}

/* Bounds against the values of all metrics that they hold for. */
static void check_bounds(const trial *t, size_t count)
{
    for (size_t s = 0; s < count; s++)
        for (size_t other = 0; other < count; other++)
            if (t[other].metric != NULL && t[s].metric != NULL &&
                bound_holds_for(t[s].solver, t[other].solver) &&
                !(t[s].bound <= t[other].value + t[other].rounding + 1e-9 * fabs(t[s].bound)))
                fail_msg("the bound %.17g is above the value %.17g: %s and %s", t[s].bound, t[other].value,
                         t[s].what, t[other].what);
}

static void check_verified(const trial *t, const gersh_model *model)
{
    gersh_verification report;
    assert_ok(gersh_model_verify(&report, model, NULL));
    for (size_t c = 0; c < report.count; c++)
        if (report.check[c].result == GERSH_CHECK_FAILED)
            fail_msg("%s: the verifier says %s, %s", t->what, report.check[c].name,
                     report.check[c].sentence);
}

/* How to fit: with a scaling a model, that is verified too, else the metric alone. */
typedef struct way {
    const char *scale;    /* or NULL */
    const char *max_time; /* or NULL */
    int dense;            /* with the solvers of dense matrices too */
} way;

static gersh_status fit(trial *t, const gersh_dataset *data, const gersh_settings *settings, way w)
{
    size_t rows[SAMPLES_ROWS], n = gersh_dataset_rows(data);
    gersh_model *model = NULL;
    for (size_t i = 0; i < n; i++)
        rows[i] = i;
    assert_ok(gersh_dataset_subset(&t->scaled, data, rows, n));
    if (w.scale == NULL) {
        gersh_fit_options options = {.weights = gersh_dataset_weights(data)};
        return gersh_fit(&t->metric, &t->info, data, settings, &options);
    }
    gersh_status status = gersh_model_fit(&model, &t->info, data, settings, NULL);
    if (status != GERSH_OK)
        return status;
    assert_ok(gersh_scaling_apply(gersh_model_scaling(model), t->scaled));
    assert_ok(gersh_metric_copy(&t->metric, gersh_model_metric(model)));
    check_verified(t, model);
    gersh_model_free(model);
    return GERSH_OK;
}

/* What all fits of a test showed. */
typedef struct tally {
    int metrics, refusals;
    visits objectives, solvers;
} tally;

static void try_solver(trial *t, const samples *o, const gersh_dataset *data, way w, outcome expected,
                       tally *sum)
{
    char text[16];
    gersh_settings *settings = settings_of(t->objective, t->solver->name);
    t->limited = w.max_time != NULL;
    snprintf(t->what, sizeof t->what, "%s, %s, %s, scale %s", o->name, t->objective, t->solver->name,
             w.scale != NULL ? w.scale : "as it is");
    snprintf(text, sizeof text, "%d", most_iterations(t->solver));
    assert_ok(gersh_settings_set(settings, "max-iter", text));
    assert_ok(gersh_settings_set(settings, "scale", w.scale != NULL ? w.scale : "none"));
    if (w.max_time != NULL)
        assert_ok(gersh_settings_set(settings, "max-time", w.max_time));
    gersh_status status = fit(t, data, settings, w);
    if (status == GERSH_OK) {
        if (expected == REFUSED)
            fail_msg("%s: there is a metric", t->what);
        check_matrix(t->what, t->metric, &t->info, t->solver->signs);
        check_info(t);
        sum->metrics++;
    } else {
        assert_null(t->metric);
        check_sentence(t->what, status);
        if (expected == FITS)
            fail_msg("%s: %s", t->what, gersh_last_error());
        sum->refusals++;
    }
    gersh_settings_free(settings);
}

/* All solvers with one objective on one input. */
static void try_objective(const samples *o, const char *objective, way w, outcome expected, tally *sum)
{
    size_t count = count_solvers(any_solver);
    trial *t = calloc(count, sizeof *t);
    gersh_dataset *data = samples_data(o);
    visit(&sum->objectives, objective);
    for (size_t s = 0; s < count; s++) {
        t[s] = (trial){.objective = objective, .solver = &gersh__solver_at(s)->info};
        if (!w.dense && t[s].solver->dense)
            continue;
        try_solver(&t[s], o, data, w, expected, sum);
        visit(&sum->solvers, t[s].solver->name);
    }
    check_bounds(t, count);
    for (size_t s = 0; s < count; s++) {
        gersh_metric_free(t[s].metric);
        gersh_dataset_free(t[s].scaled);
    }
    free(t);
    gersh_dataset_free(data);
}

/* All solvers and objectives, by gersh_fit and as models; with few cases, in one of three ways each. */
static void try_all(samples o, outcome expected, outcome as_model, tally *sum)
{
    static const char *const scales[] = {NULL, "zscore", "paper"};
    const char *name;
    for (size_t objective = 0; (name = objective_name(objective, learns_classes)) != NULL; objective++)
        for (size_t scale = 0; scale < 3; scale++)
            if (cases(2) == 2 || objective % 3 == scale)
                try_objective(&o, name, (way){.scale = scales[scale], .dense = 1},
                              outcome_of(scale == 0 ? expected : as_model, name), sum);
    free(o.x);
}

static void finish(const char *test, const tally *sum)
{
    print_message("%d metrics, %d refusals\n", sum->metrics, sum->refusals);
    check_visits(test, &sum->objectives, learns_classes);
    check_solver_visits(test, &sum->solvers, any_solver);
}

static void few_rows(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 91);
    tally sum = {0};
    try_all(samples_make(&random, "two rows of two classes", 2, 3, 2), ALONE, ALONE, &sum);
    try_all(samples_make(&random, "two rows, one feature", 2, 1, 2), ALONE, ALONE, &sum);
    try_all(samples_make(&random, "two rows of one class", 2, 3, 1), REFUSED, REFUSED, &sum);
    try_all(samples_make(&random, "three rows of one class", 3, 2, 1), REFUSED, REFUSED, &sum);
    try_all(samples_make(&random, "every class of one row", 5, 3, 5), ALONE, ALONE, &sum);
    try_all(samples_make(&random, "fewer rows than features", 4, 12, 2), FITS, FITS, &sum);
    samples lone = samples_make(&random, "a class of one row", 9, 3, 2);
    for (size_t i = 1; i < lone.n; i++)
        lone.labels[i] = "b";
    try_all(lone, FITS, FITS, &sum);
    finish(__func__, &sum);
}

static void equal_rows(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 92);
    tally sum = {0};
    samples two = samples_make(&random, "two equal rows of two classes", 2, 3, 2);
    samples_copy_row(&two, 1, 0);
    try_all(two, REFUSED, REFUSED, &sum);
    samples some = samples_make(&random, "equal rows of two classes", 8, 3, 2);
    samples_copy_row(&some, 1, 0);
    samples_copy_row(&some, 2, 0);
    try_all(some, FITS, FITS, &sum);
    samples all = samples_make(&random, "all rows equal", 6, 4, 2);
    for (size_t i = 1; i < all.n; i++)
        samples_copy_row(&all, i, 0);
    try_all(all, REFUSED, REFUSED, &sum);
    samples twins = samples_make(&random, "every row twice, in two classes", 8, 3, 2);
    for (size_t i = 1; i < twins.n; i += 2)
        samples_copy_row(&twins, i, i - 1);
    try_all(twins, FITS, FITS, &sum);
    finish(__func__, &sum);
}

static void odd_features(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 93);
    tally sum = {0};
    try_all(samples_make(&random, "one feature", 10, 1, 2), FITS, FITS, &sum);
    try_all(samples_make(&random, "four classes", 16, 4, 4), FITS, FITS, &sum);
    samples constant = samples_make(&random, "constant features", 10, 4, 2);
    samples_fill_column(&constant, 0, 7);
    samples_fill_column(&constant, 2, -1e6);
    try_all(constant, FITS, FITS, &sum);
    samples all = samples_make(&random, "all features constant", 6, 3, 2);
    for (size_t f = 0; f < all.k; f++)
        samples_fill_column(&all, f, (double)f / 3);
    try_all(all, REFUSED, REFUSED, &sum);
    samples copies = samples_make(&random, "the same features again", 10, 6, 2);
    for (size_t i = 0; i < copies.n; i++)
        for (size_t f = 0; f < 3; f++)
            copies.x[i * copies.k + 3 + f] =
                f == 2 ? -copies.x[i * copies.k + f] : copies.x[i * copies.k + f];
    try_all(copies, FITS, FITS, &sum);
    samples far = samples_make(&random, "rows far from 0", 8, 3, 2);
    for (size_t i = 0; i < far.n * far.k; i++)
        far.x[i] += 1e6;
    try_all(far, FITS, FITS, &sum);
    finish(__func__, &sum);
}

static void extreme_sizes(void **unused)
{
    (void)unused;
    static const struct {
        double factor;
        outcome all, mixed, as_model; /* all features of that size; the first one of size 1 */
    } sizes[] = {{1e60, FITS, FITS, FITS},        {1e-60, FITS, FITS, FITS},
                 {1e150, REFUSED, REFUSED, FITS}, {1e-150, REFUSED, FITS, FITS},
                 {1e300, REFUSED, REFUSED, FITS}, {1e-300, REFUSED, FITS, FITS}};
    gersh__random random;
    gersh__random_seed(&random, 94);
    tally sum = {0};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        char name[32];
        snprintf(name, sizeof name, "features of size %g", sizes[s].factor);
        samples o = samples_make(&random, name, 8, 3, 2);
        samples_multiply(&o, 0, sizes[s].factor);
        try_all(o, sizes[s].all, sizes[s].as_model, &sum);
        snprintf(name, sizeof name, "sizes of 1 and %g", sizes[s].factor);
        o = samples_make(&random, name, 8, 3, 2);
        samples_multiply(&o, 1, sizes[s].factor);
        try_all(o, sizes[s].mixed, sizes[s].as_model, &sum);
    }
    samples both = samples_make(&random, "sizes of 1e-150 and 1e150", 8, 3, 2);
    samples_multiply(&both, 0, 1e-150);
    samples_multiply(&both, 1, 1e300);
    try_all(both, REFUSED, FITS, &sum);
    finish(__func__, &sum);
}

static void weights_of_0(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 95);
    tally sum = {0};
    for (int which = 0; which < 4; which++) {
        static const char *const names[] = {"weights with zeros", "one class of weight 0",
                                            "one row of weight above 0", "a class of which one row counts"};
        samples o = samples_make(&random, names[which], 12, 3, 3);
        for (size_t i = 0; i < o.n; i++)
            o.weights[i] = which == 0   ? (double)gersh__random_below(&random, 4)
                           : which == 1 ? i % 3 != 0
                           : which == 2 ? i == 4
                                        : i % 3 != 1 || i == 4;
        try_all(o, which == 2 ? REFUSED : FITS, which == 2 ? REFUSED : FITS, &sum);
    }
    samples one = samples_make(&random, "weights that leave one class", 8, 3, 2);
    for (size_t i = 0; i < one.n; i++)
        one.weights[i] = i % 2;
    try_all(one, REFUSED, REFUSED, &sum);
    finish(__func__, &sum);
}

/* Whole matrices of thousands of features take seconds each: one objective must do. */
static void many_features(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 96);
    tally sum = {0};
    samples many = samples_make(&random, "hundreds of features", 6, cases(2) == 2 ? 300 : 120, 2);
    const char *name;
    for (size_t objective = 0; (name = objective_name(objective, learns_classes)) != NULL; objective++)
        try_objective(&many, name, (way){.max_time = "0.2", .dense = 1}, FITS, &sum);
    free(many.x);
    samples more = samples_make(&random, "thousands of features", 6, 2000, 2);
    for (size_t objective = 0; cases(2) == 2 && (name = objective_name(objective, learns_classes)) != NULL;
         objective++)
        try_objective(&more, name, (way){.max_time = "0.2", .dense = objective == 0}, FITS, &sum);
    free(more.x);
    finish(__func__, &sum);
}

/* Each allocation in turn fails: nothing leaks, and the fit says so. */
static void short_memory(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 97);
    samples o = samples_make(&random, "short memory", 12, 3, 2);
    gersh_dataset *data = samples_data(&o);
    const char *solver;
    for (size_t s = 0; (solver = solver_name(s, any_solver)) != NULL; s++) {
        gersh_settings *settings = settings_of("glr", solver);
        gersh_status status = GERSH_ERROR_MEMORY;
        assert_ok(gersh_settings_set(settings, "max-iter", "2"));
        for (long n = 1; status != GERSH_OK; n++) {
            gersh_metric *metric;
            gersh_fit_info info;
            assert_true(n < 5000);
            gersh__alloc_fail_at(n);
            status = gersh_fit(&metric, &info, data, settings, NULL);
            gersh__alloc_fail_at(0);
            /* balanced looks once more after its hull */
            assert_true(status == GERSH_OK ? info.iterations <= 3 : status == GERSH_ERROR_MEMORY);
            gersh_metric_free(metric);
        }
        gersh_settings_free(settings);
    }
    gersh_dataset_free(data);
    free(o.x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_rows),      cmocka_unit_test(equal_rows),   cmocka_unit_test(odd_features),
        cmocka_unit_test(extreme_sizes), cmocka_unit_test(weights_of_0), cmocka_unit_test(many_features),
        cmocka_unit_test(short_memory),
    };
    gersh__blas_hold(); /* small matrices: threads of BLAS would only slow the oracle down */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
