/*
 * Nesting on real data: diagonal ⊂ balanced ⊂ hull ⊂ psd, so values improve in that order, each within its
 * own certified gap; and psd is as good as an accelerated projected gradient over dense matrices.
 *
 * The oracle shares only the objective (checked against its definition elsewhere) with the library. It goes
 * by M ← P(M' − step · G), with G = Xᵀ L(g) X by dense products and P the projection onto
 * {M ⪰ ρI, tr M ≤ C}: eigenvalues onto the shifted simplex. Its own gap tr(GM) − min tr(GV), the minimum
 * from the smallest eigenvalue of G, says how far it is from the best possible.
 *
 * The files are those of GERSH_DATA (../shared/datasets beside the project by default). Without the folder
 * every test is skipped by name.
 */
#include "check.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/threads.h"
#include "gersh/gersh.h"
#include "registry.h"

enum { FOLDS_EACH = 3, MOST_STEPS = 3000 };

#define TOL 1e-3        /* of the fits */
#define FLOOR 1e-6      /* share of the value at (C/K) I below which a relative gap says nothing */
#define ORACLE_TOL 1e-5 /* gap at which the oracle stops */

/* Those that search a region to its end. */
static int ends_in_a_region(const gersh__solver *solver)
{
    return learns(solver) && !goes_by_rows(solver->info.name) &&
           (is_certified(solver) || !solver->info.dense);
}

/* What all problems of one test showed. */
typedef struct tally {
    int problems, comparisons;
    int loose;    /* comparisons where the oracle itself did not get near its bound */
    double worst; /* psd's value over the oracle's, as a share of it */
    char worst_name[64];
    visits objectives, solvers;
} tally;

/* With few cases the oracle makes few steps too. */
static int quick(void)
{
    return cases(MOST_STEPS) < MOST_STEPS;
}

static const char *folder(void)
{
    const char *given = getenv("GERSH_DATA");
    return given != NULL && *given != '\0' ? given : GERSH_SOURCE_DIR "/../shared/datasets";
}

/* Skips the test without a folder, unless one was asked for. */
static void need_folder(const char *name)
{
    struct stat info;
    if (stat(folder(), &info) == 0)
        return;
    if (getenv("GERSH_DATA") != NULL && *getenv("GERSH_DATA") != '\0')
        fail_msg("GERSH_DATA is %s, where there is no folder", folder());
    print_message("skipped: %s, for %s is not there\n", name, folder());
    skip();
}

static gersh_dataset *read_data(const char *name)
{
    char path[4096];
    gersh_settings *settings;
    gersh_dataset *data;
    snprintf(path, sizeof path, "%s/%s.csv", folder(), name);
    assert_ok(gersh_settings_new(&settings));
    assert_ok(gersh_settings_set(settings, "missing", "mean"));
    if (strcmp(name, "breast-cancer") == 0)
        assert_ok(gersh_settings_set(settings, "ignore", "1")); /* a number of the case */
    assert_ok(gersh_dataset_read(&data, path, settings));
    gersh_settings_free(settings);
    return data;
}

static void scale(gersh_dataset *data)
{
    gersh_scaling *scaling;
    assert_ok(gersh_scaling_fit(&scaling, data, "paper"));
    assert_ok(gersh_scaling_apply(scaling, data));
    gersh_scaling_free(scaling);
}

static void fit(gersh_fit_info *info, const gersh_dataset *data, const char *objective, const char *solver)
{
    gersh_settings *settings;
    gersh_metric *metric;
    assert_ok(gersh_settings_new(&settings));
    assert_ok(gersh_settings_set(settings, "objective", objective));
    assert_ok(gersh_settings_set(settings, "solver", solver));
    assert_ok(gersh_settings_set(settings, "trace", "K"));
    assert_ok(gersh_settings_set(settings, "tol", "1e-3"));
    assert_ok(gersh_fit(&metric, info, data, settings, NULL));
    gersh_metric_free(metric);
    gersh_settings_free(settings);
}

/* The oracle: dense K × K matrices and n × n Gram and Laplacian matrices. */
typedef struct oracle {
    gersh__pairs *pairs;
    gersh__objective *objective;
    size_t n, k;
    double rho, trace;
    double *d, *g;                /* pairs */
    double *square, *product;     /* n × n, n × k */
    double *eigenvalue, *vectors; /* k, k × k */
    double *simplex;              /* k */
} oracle;

static void oracle_free(oracle *o)
{
    gersh__objective_free(o->objective);
    gersh__pairs_free(o->pairs);
    free(o->d);
    free(o->g);
    free(o->square);
    free(o->product);
    free(o->eigenvalue);
    free(o->vectors);
    free(o->simplex);
}

static void oracle_make(oracle *o, const gersh_dataset *data, const char *name, double rho, double trace)
{
    memset(o, 0, sizeof *o);
    assert_ok(gersh__pairs_new(&o->pairs, data, NULL, 0, NULL, NULL, NULL));
    assert_ok(gersh__objective_new(&o->objective, gersh__objective_find(name), o->pairs));
    o->n = gersh__pairs_samples(o->pairs);
    o->k = gersh__pairs_features(o->pairs);
    o->rho = rho;
    o->trace = trace;
    o->d = calloc(gersh__pairs_count(o->pairs), sizeof(double));
    o->g = calloc(gersh__pairs_count(o->pairs), sizeof(double));
    o->square = calloc(o->n * o->n, sizeof(double));
    o->product = calloc(o->n * o->k, sizeof(double));
    o->eigenvalue = calloc(o->k, sizeof(double));
    o->vectors = calloc(o->k * o->k, sizeof(double));
    o->simplex = calloc(o->k, sizeof(double));
    assert_true(o->d && o->g && o->square && o->product && o->eigenvalue && o->vectors && o->simplex);
}

/* The distances under M: with B = X M Xᵀ, d_ij = b_ii + b_jj − 2 b_ij. gersh__pairs_columns(pairs) is n × k by columns. */
static void set_distances(oracle *o, const double *m)
{
    int n = (int)o->n, k = (int)o->k;
    const double *x = gersh__pairs_columns(o->pairs);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, k, k, 1, x, n, m, k, 0, o->product, n);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, n, n, k, 1, o->product, n, x, n, 0, o->square, n);
    for (size_t i = 1, p = 0; i < o->n; i++)
        for (size_t j = 0; j < i; j++, p++)
            o->d[p] =
                fmax(0, o->square[i * o->n + i] + o->square[j * o->n + j] - 2 * o->square[i * o->n + j]);
}

/* F(M), and with `slope` not NULL G = Xᵀ L(g) X. */
static double value_at(oracle *o, const double *m, double *slope)
{
    int n = (int)o->n, k = (int)o->k;
    set_distances(o, m);
    double value = o->objective->kind->evaluate(o->objective, o->d, slope != NULL ? o->g : NULL);
    if (slope == NULL)
        return value;
    memset(o->square, 0, o->n * o->n * sizeof(double));
    for (size_t i = 1, p = 0; i < o->n; i++)
        for (size_t j = 0; j < i; j++, p++) {
            o->square[i * o->n + j] = o->square[j * o->n + i] = -o->g[p];
            o->square[i * o->n + i] += o->g[p];
            o->square[j * o->n + j] += o->g[p];
        }
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, k, n, 1, o->square, n,
                gersh__pairs_columns(o->pairs), n, 0, o->product, n);
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, k, k, n, 1, gersh__pairs_columns(o->pairs), n,
                o->product, n, 0, slope, k);
    return value;
}

static void decompose(oracle *o, const double *m)
{
    lapack_int k = (lapack_int)o->k;
    memcpy(o->vectors, m, o->k * o->k * sizeof *m);
    assert_int_equal(LAPACKE_dsyev(LAPACK_COL_MAJOR, 'V', 'L', k, o->vectors, k, o->eigenvalue), 0);
}

/* m becomes the nearest matrix of {M ⪰ ρI, tr M ≤ C}. The eigenvalues come in ascending order. */
static void project(oracle *o, double *m)
{
    size_t k = o->k;
    double budget = o->trace - (double)k * o->rho, positive = 0, sum = 0, shift = 0;
    decompose(o, m);
    for (size_t i = 0; i < k; i++) {
        o->simplex[i] = o->eigenvalue[i] - o->rho;
        positive += fmax(o->simplex[i], 0);
    }
    if (positive > budget)
        for (size_t count = 1; count <= k; count++) {
            sum += o->simplex[k - count];
            double next = (sum - budget) / (double)count;
            if (o->simplex[k - count] <= next)
                break;
            shift = next;
        }
    memset(m, 0, k * k * sizeof *m);
    for (size_t i = 0; i < k; i++)
        cblas_dsyr(CblasColMajor, CblasLower, (int)k, o->rho + fmax(o->simplex[i] - shift, 0),
                   o->vectors + i * k, 1, m, (int)k);
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < i; j++)
            m[i * k + j] = m[j * k + i];
}

/* tr(GM) − min tr(GV) over the set: at least F(M) − F*. */
static double gap_at(oracle *o, const double *m, const double *slope)
{
    double gap = cblas_ddot((int)(o->k * o->k), m, 1, slope, 1);
    decompose(o, slope);
    for (size_t i = 0; i < o->k; i++)
        gap -= o->rho * o->eigenvalue[i];
    return gap - (o->trace - (double)o->k * o->rho) * fmin(0, o->eigenvalue[0]);
}

/*
 * One run to the gap `tol` (a share of the value, at least of floor), from m and back to m: accelerated,
 * begun anew when F rises, the step halved until the quadratic bound holds. Returns the gap.
 */
static double descend(oracle *o, double *m, double tol, double floor)
{
    size_t size = o->k * o->k;
    double *ahead = malloc(4 * size * sizeof *ahead);
    assert_non_null(ahead);
    double *slope = ahead + size, *next = slope + size, *own = next + size;
    double value = value_at(o, m, own), gap = gap_at(o, m, own), momentum = 1;
    double step = o->trace / fmax(cblas_dnrm2((int)size, own, 1), 1e-300);
    memcpy(ahead, m, size * sizeof *m);
    for (int t = 0; t < cases(MOST_STEPS) && gap > tol * fmax(fabs(value), floor); t++) {
        double here = value_at(o, ahead, slope), reached = 0;
        for (int tries = 0; tries < 60; tries++, step *= 0.5) {
            double linear = 0, square = 0;
            for (size_t e = 0; e < size; e++)
                next[e] = ahead[e] - step * slope[e];
            project(o, next);
            for (size_t e = 0; e < size; e++) {
                linear += slope[e] * (next[e] - ahead[e]);
                square += (next[e] - ahead[e]) * (next[e] - ahead[e]);
            }
            reached = value_at(o, next, NULL);
            if (reached <= here + linear + square / (2 * step) + 1e-14 * fabs(here))
                break;
        }
        if (reached > value && momentum > 1) { /* the momentum overshot */
            momentum = 1;
            memcpy(ahead, m, size * sizeof *m);
            continue;
        }
        double later = 0.5 * (1 + sqrt(1 + 4 * momentum * momentum));
        for (size_t e = 0; e < size; e++) {
            ahead[e] = next[e] + (momentum - 1) / later * (next[e] - m[e]);
            m[e] = next[e];
        }
        project(o, ahead); /* F is only known where distances are not negative */
        momentum = later;
        step *= 1.1;
        value = reached;
        if (t % 10 == 9) {
            value = value_at(o, m, own);
            gap = gap_at(o, m, own);
        }
    }
    free(ahead);
    return gap;
}

/*
 * At the last gradient, of lmnn: Σ g_p (d_p − 1 if p is of two classes), the sum of the lines αx below its hinges and of what
 * is linear in F.
 */
static double lines_below(const oracle *o, const gersh_dataset *data)
{
    const int *label = gersh_dataset_labels(data);
    double sum = 0;
    for (size_t i = 1, p = 0; i < o->n; i++)
        for (size_t j = 0; j < i; j++, p++) {
            int apart = label[gersh__pairs_row(o->pairs, i)] != label[gersh__pairs_row(o->pairs, j)];
            sum += o->g[p] * (o->d[p] - apart);
        }
    return sum;
}

/* F at the oracle's best metric and at (C/K) I, as minimised, and the oracle's gap. */
static double oracle_value(const gersh_dataset *data, const char *name, const gersh_fit_info *info,
                           double *at_start, double *gap)
{
    oracle o;
    oracle_make(&o, data, name, info->rho, info->budget);
    const gersh_objective_info *facts = o.objective->info;
    double *m = calloc(o.k * o.k, sizeof *m), sign = facts->maximized ? -1 : 1;
    assert_non_null(m);
    for (size_t i = 0; i < o.k; i++)
        m[i * o.k + i] = info->budget / (double)o.k;
    set_distances(&o, m);
    *at_start = sign * gersh__objective_value(o.objective, o.d);
    for (double width = facts->smoothed ? 1 : 1e-5; width > 9e-6; width *= 0.1) {
        o.objective->width = width;
        *gap = descend(&o, m, ORACLE_TOL, FLOOR * fabs(*at_start));
    }
    double *slope = calloc(o.k * o.k, sizeof *slope);
    assert_non_null(slope);
    double below = value_at(&o, m, slope), value = sign * gersh__objective_value(o.objective, o.d);
    *gap = gap_at(&o, m, slope) + value - (facts->smoothed ? lines_below(&o, data) : below);
    free(slope);
    free(m);
    oracle_free(&o);
    return value;
}

/* A fit by one solver; value and bound as minimised, the bound −INFINITY where there is none. */
typedef struct end {
    const gersh_solver_info *solver;
    double value, bound;
} end;

/* Every bound against the values of all metrics that it holds for. */
static void check_bounds(const char *name, const char *objective, const end *ends, size_t count,
                         double rounding)
{
    for (size_t s = 0; s < count; s++)
        for (size_t o = 0; o < count; o++)
            if (bound_holds_for(ends[s].solver, ends[o].solver) && ends[s].bound > ends[o].value + rounding)
                fail_msg("%s, %s: %s has %.9g (bound %.9g), %s has %.9g", name, objective,
                         ends[s].solver->name, ends[s].value, ends[s].bound, ends[o].solver->name,
                         ends[o].value);
}

/* Values of these are seldom near 0; those of others are compared with no less than the floor. */
static int is_seldom_0(const gersh_objective_info *objective)
{
    return !objective->nonnegative || strcmp(objective->name, "glr") == 0 ||
           strcmp(objective->name, "mcml") == 0;
}

/* One problem: the regions one within the other, and psd beside the oracle. Everything as minimised. */
static void check_problem(tally *all, const gersh_dataset *data, const char *name, const char *objective)
{
    size_t count = count_solvers(ends_in_a_region);
    end *ends = calloc(count, sizeof *ends), diagonal = {0}, balanced = {0}, psd = {0};
    gersh_fit_info info;
    double sign = objective_sign(objective), start = NAN, gap = NAN, best = NAN;
    for (size_t s = 0; s < count; s++) {
        const gersh_solver_info *solver = gersh_solver_find(solver_name(s, ends_in_a_region));
        fit(&info, data, objective, solver->name);
        assert_int_equal(info.has_bound, solver->bound != GERSH_BOUND_NONE);
        assert_true(!info.has_bound || info.gap >= 0);
        ends[s] =
            (end){solver, sign * info.objective_value, info.has_bound ? sign * info.bound : -INFINITY};
        diagonal = solver->bound == GERSH_BOUND_DIAGONAL ? ends[s] : diagonal;
        balanced = strcmp(solver->name, "balanced") == 0 ? ends[s] : balanced;
        visit(&all->solvers, solver->name);
        if (strcmp(solver->name, "psd") == 0) {
            psd = ends[s];
            best = oracle_value(data, objective, &info, &start, &gap);
        }
    }
    visit(&all->objectives, objective);
    double floor = FLOOR * fabs(start), rounding = 1e-9 * fmax(fabs(diagonal.value), floor);
    check_bounds(name, objective, ends, count, rounding);
    /* Diagonal metrics have every colouring, so that balanced is no worse to its own tolerance. */
    if (!(balanced.value <= diagonal.value + TOL * fmax(fabs(balanced.value), floor) + rounding))
        fail_msg("%s, %s: balanced %.9g (bound %.9g), diagonal %.9g", name, objective, balanced.value,
                 balanced.bound, diagonal.value);
    if (psd.bound > best + rounding)
        fail_msg("%s, %s: the oracle's %.9g is below the bound %.9g of psd", name, objective, best,
                 psd.bound);
    double least = is_seldom_0(gersh_objective_find(objective)) ? floor : floor / TOL;
    double size = fmax(fabs(best), least), excess = psd.value - best;
    if (!(excess <= TOL * size))
        fail_msg("%s, %s: psd has %.9g, the oracle %.9g", name, objective, psd.value, best);
    all->comparisons++;
    all->loose += gap > TOL * fmax(fabs(best), floor / TOL);
    if (excess > all->worst * size) {
        all->worst = excess / size;
        snprintf(all->worst_name, sizeof all->worst_name, "%s, %s", name, objective);
    }
    free(ends);
}

/* Prints what was seen; an oracle that is often far from its own bound would prove nothing. */
static void summarize(const char *what, const tally *all)
{
    print_message(
        "%s: %d problems, %d comparisons with the projected gradient, whose own gap was too large in "
        "%d; psd at worst %.4f %% above it (%s)\n",
        what, all->problems, all->comparisons, all->loose, 100 * all->worst, all->worst_name);
    if (!quick())
        assert_true(10 * all->loose <= all->comparisons);
}

/* The rows of one fold, scaled by themselves; NULL when they are all of one class. */
static gersh_dataset *take_fold(const gersh_dataset *data, const gersh_split *split, int part)
{
    size_t *rows, count;
    gersh_dataset *fold;
    int classes = 0;
    assert_ok(gersh_split_rows(&rows, &count, split, part, 1));
    for (size_t i = 1; i < count; i++)
        classes |= gersh_dataset_labels(data)[rows[i]] != gersh_dataset_labels(data)[rows[0]];
    if (classes) {
        assert_ok(gersh_dataset_subset(&fold, data, rows, count));
        scale(fold);
    }
    free(rows);
    return classes ? fold : NULL;
}

static void folds_are_nested(void **unused)
{
    static const char *const names[] = {
        "australian",      "breast-cancer", "diabetes", "fourclass", "german",
        "haberman",        "heart",         "ilpd",     "iris",      "wine",
        "liver-disorders", "monk1",         "planning", "voting",    "wdbc"};
    tally all = {.worst_name = "none"};
    int sets = cases((int)(sizeof names / sizeof names[0])), wanted = cases(FOLDS_EACH);
    (void)unused;
    need_folder("folds_are_nested");
    for (int s = 0; s < sets; s++) {
        gersh_dataset *data = read_data(names[s]);
        gersh_split *split;
        size_t n = gersh_dataset_rows(data);
        int taken = 0;
        assert_ok(gersh_split_folds(&split, data, (int)((n + 2) / 4), 0));
        for (int part = 0; part < split->parts && taken < wanted; part++) {
            char name[64];
            gersh_dataset *fold = take_fold(data, split, part);
            if (fold == NULL)
                continue;
            snprintf(name, sizeof name, "fold %d of %s", part + 1, names[s]);
            const char *objective;
            for (size_t o = 0; (objective = objective_name(o, learns_classes)) != NULL; o++)
                check_problem(&all, fold, name, objective);
            gersh_dataset_free(fold);
            taken++;
        }
        assert_int_equal(taken, wanted);
        all.problems += taken;
        gersh_split_free(split);
        gersh_dataset_free(data);
    }
    summarize("folds", &all);
    assert_all_objectives(&all.objectives, learns_classes);
    assert_all_solvers(&all.solvers, ends_in_a_region);
}

static void wholes_are_nested(void **unused)
{
    static const char *const names[] = {"iris", "haberman", "liver-disorders", "planning", "wine", "heart"};
    tally all = {.worst_name = "none"};
    int sets = cases((int)(sizeof names / sizeof names[0])),
        objectives = cases((int)count_objectives(learns_classes));
    (void)unused;
    need_folder("wholes_are_nested");
    for (int s = 0; s < sets; s++) {
        gersh_dataset *data = read_data(names[s]);
        scale(data);
        for (int o = 0; o < objectives; o++)
            check_problem(&all, data, names[s], objective_name((size_t)o, learns_classes));
        all.problems++;
        gersh_dataset_free(data);
    }
    summarize("data sets", &all);
}

/* lmnn and deml are not smooth everywhere. */
static int has_kinks(const gersh__objective_entry *entry)
{
    return learns_classes(entry) && (entry->info.smoothed || entry->classes->singular_at_zero);
}

/* They still come within 1 % of the hull's bound. */
static void hull_gaps_are_small(void **unused)
{
    static const char *const names[] = {"heart", "sonar", "wdbc"};
    double worst = 0;
    int sets = cases((int)(sizeof names / sizeof names[0])), hard = cases((int)count_objectives(has_kinks));
    (void)unused;
    need_folder("hull_gaps_are_small");
    for (int s = 0; s < sets; s++) {
        gersh_dataset *data = read_data(names[s]);
        scale(data);
        for (int o = 0; o < hard; o++) {
            const char *objective = objective_name((size_t)o, has_kinks);
            gersh_fit_info info;
            fit(&info, data, objective, "hull");
            assert_true(info.has_bound);
            double share = info.gap / fabs(info.objective_value);
            if (!(share < 0.01))
                fail_msg("%s, %s: the gap is %g %%", names[s], objective, 100 * share);
            worst = fmax(worst, share);
        }
        gersh_dataset_free(data);
    }
    print_message("hull: %d fits, largest gap %.4f %%\n", sets * hard, 100 * worst);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folds_are_nested),
        cmocka_unit_test(wholes_are_nested),
        cmocka_unit_test(hull_gaps_are_small),
    };
    gersh__blas_hold(); /* small matrices: threads of BLAS would only slow the oracle down */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
