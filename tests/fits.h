/*
 * Fits of random problems with every solver and objective, and what must hold of their metrics whatever ended them,
 * from the atoms alone.
 */
#ifndef GERSH_TESTS_FITS_H
#define GERSH_TESTS_FITS_H

#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "check.h"
#include "gersh/gersh.h"
#include "registry.h"

enum { FITS_ROWS = 40, FITS_FEATURES = 10 };

/* Iterations at most, as a setting: those of sgml and pgml are searches of their own. */
static inline const char *fits_iterations(const gersh_solver_info *solver)
{
    return gersh_solver_reads(solver, "rows-only") ? "2" : "1000";
}

static inline const gersh_solver_info *fits_solver(size_t number)
{
    return gersh_solver_at((int)number);
}

static inline const char *fits_objective(size_t number)
{
    return objective_name(number, learns_classes);
}

/* Rows with labels, to be changed before they become a data set. */
typedef struct table {
    size_t n, k;
    double x[FITS_ROWS * FITS_FEATURES];
    int class[FITS_ROWS];
    double weight[FITS_ROWS]; /* all 1 where the first is below 0 */
} table;

/* The first rows are of the classes in turn, two of each, the others of random ones. */
static inline table table_random(gersh__random *random, size_t n, size_t k, size_t classes)
{
    table t = {.n = n, .k = k, .weight = {-1}};
    assert_true(n <= FITS_ROWS && k <= FITS_FEATURES && n >= 2 * classes);
    for (size_t i = 0; i < n; i++) {
        t.class[i] = (int)(i < 2 * classes ? i % classes : gersh__random_below(random, classes));
        for (size_t f = 0; f < k; f++)
            t.x[i * k + f] = gersh__random_normal(random) + (f % classes == (size_t)t.class[i] ? 1.5 : 0);
    }
    return t;
}

static inline gersh_dataset *table_data(const table *t, const char *const *names)
{
    static const char *const usual[] = {"a", "b", "c", "d", "e"};
    const char *labels[FITS_ROWS];
    gersh_dataset *data = NULL;
    for (size_t i = 0; i < t->n; i++)
        labels[i] = (names != NULL ? names : usual)[t->class[i]];
    assert_ok(gersh_dataset_new(&data, t->n, t->k, t->x, t->k, labels, NULL, NULL));
    if (t->weight[0] >= 0)
        assert_ok(gersh_dataset_set_weights(data, t->weight));
    return data;
}

/* Pairs of names and values, up to NULL, after objective and solver; one thread. */
static inline gersh_settings *fits_settings(const char *objective, const gersh_solver_info *solver,
                                            const char *const *pairs)
{
    gersh_settings *settings = NULL;
    assert_ok(gersh_settings_new(&settings));
    assert_ok(gersh_settings_set(settings, "objective", objective));
    assert_ok(gersh_settings_set(settings, "solver", solver->name));
    assert_ok(gersh_settings_set(settings, "max-iter", fits_iterations(solver)));
    if (solver->bound != GERSH_BOUND_NONE)
        assert_ok(gersh_settings_set(settings, "tol", "1e-3"));
    assert_ok(gersh_settings_set(settings, "threads", "1"));
    for (; pairs != NULL && *pairs != NULL; pairs += 2)
        assert_ok(gersh_settings_set(settings, pairs[0], pairs[1]));
    return settings;
}

/* M, added up from the atoms. */
static inline void fits_matrix(const gersh_metric *metric, double *m)
{
    size_t k = metric->features;
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < k; j++) {
            m[i * k + j] = i == j ? metric->rho : 0;
            for (size_t a = 0; a < metric->atoms; a++) {
                const gersh_atom *z = metric->dense == NULL ? &metric->atom[a] : NULL;
                double zi = z == NULL ? metric->dense[a * k + i] : z->i == i ? z->a : z->j == i ? z->b : 0;
                double zj = z == NULL ? metric->dense[a * k + j] : z->i == j ? z->a : z->j == j ? z->b : 0;
                m[i * k + j] += metric->weight[a] * zi * zj;
            }
        }
}

/* Whether some colours have sign(M_ij) = −σ_iσ_j: each of the 2^(k−1) is tried. */
static inline int fits_is_balanced(const double *m, size_t k, int positive)
{
    for (unsigned colors = 0; colors < (positive ? 1u : 1u << (k - 1)); colors++) {
        int right = 1;
        for (size_t i = 0; i < k && right; i++)
            for (size_t j = 0; j < i && right; j++) {
                int same = (colors >> i & 1) == (colors >> j & 1);
                double entry = m[i * k + j];
                right = fabs(entry) <= 1e-12 * sqrt(m[i * k + i] * m[j * k + j]) || (entry < 0) == same;
            }
        if (right)
            return 1;
    }
    return 0;
}

/* Trace, smallest eigenvalue (LAPACK, in units of the trace) and signs are those that the solver promises. */
static inline void fits_check(const char *what, const gersh_metric *metric, const gersh_fit_info *info,
                              gersh_graph_signs signs)
{
    size_t k = metric->features;
    double m[FITS_FEATURES * FITS_FEATURES], values[FITS_FEATURES], trace = 0;
    fits_matrix(metric, m);
    for (size_t i = 0; i < k; i++)
        trace += m[i * k + i];
    if (!(trace <= info->budget * (1 + 1e-12)) || !(trace > 0))
        fail_msg("%s: the trace is %.17g of %.17g", what, trace, info->budget);
    if (signs != GERSH_SIGNS_FREE && !fits_is_balanced(m, k, signs == GERSH_SIGNS_POSITIVE))
        fail_msg("%s: the signs of M are not those of the solver", what);
    for (size_t e = 0; e < k * k; e++) {
        if (signs == GERSH_SIGNS_NO_EDGES && e / k != e % k && m[e] != 0)
            fail_msg("%s: M has the entry %g off its diagonal", what, m[e]);
        m[e] /= trace;
    }
    assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'L', (lapack_int)k, m, (lapack_int)k, values), 0);
    if (!(values[0] * trace >= info->rho * (1 - 1e-9) - 1e-13 * trace))
        fail_msg("%s: the smallest eigenvalue is %g, below %g", what, values[0] * trace, info->rho);
}

/* The verifier finds no fault. */
static inline void fits_verify(const char *what, const gersh_model *model)
{
    gersh_verification report;
    assert_ok(gersh_model_verify(&report, model, NULL));
    for (size_t c = 0; c < report.count; c++)
        if (report.check[c].result == GERSH_CHECK_FAILED)
            fail_msg("%s: the verifier says %s: %s", what, report.check[c].name, report.check[c].sentence);
}

/* One clear sentence about the arguments or the data. */
static inline void fits_check_sentence(const char *what, gersh_status status)
{
    const char *text = gersh_last_error();
    size_t length = strlen(text);
    if (status != GERSH_ERROR_ARGUMENT && status != GERSH_ERROR_INPUT)
        fail_msg("%s: status %s: %s", what, gersh_status_name(status), text);
    if (length < 20 || strchr(text, '\n') != NULL || text[length - 1] == '.' || strstr(text, "nan") != NULL)
        fail_msg("%s: not a clear sentence: '%s'", what, text);
}

#endif
