/*
 * What must not matter to a fit: the unit of the data, the order of rows and of features, the names of classes, whether
 * rows are there twice or weigh twice, a copy of a feature, the last digits of the data. Random problems; the same fit is
 * done on the data and on its twin.
 */
#include "fits.h"

#include "base/threads.h"

/* One fit of a pair of twins. */
typedef struct result {
    gersh_metric *metric;
    gersh_fit_info info;
    double value, bound; /* as minimised; without a bound −∞ */
    double m[FITS_FEATURES * FITS_FEATURES];
} result;

static result fit(const table *t, const char *const *names, const char *objective,
                  const gersh_solver_info *solver, const char *const *pairs)
{
    result r = {0};
    gersh_dataset *data = table_data(t, names);
    gersh_settings *settings = fits_settings(objective, solver, pairs);
    gersh_fit_options options = {.weights = gersh_dataset_weights(data)};
    double sign = gersh_objective_find(objective)->maximized ? -1 : 1;
    assert_ok(gersh_fit(&r.metric, &r.info, data, settings, &options));
    r.value = sign * r.info.objective_value;
    r.bound = r.info.has_bound ? sign * r.info.bound : -INFINITY;
    fits_matrix(r.metric, r.m);
    gersh_settings_free(settings);
    gersh_dataset_free(data);
    return r;
}

static void clear(result *r)
{
    gersh_metric_free(r->metric);
}

/* Where values are below it, tolerances are shares of this: a millionth of the value of the identity. */
static double floor_of(const table *t, const char *objective, const char *const *pairs)
{
    result r = fit(t, NULL, objective, gersh_solver_find("identity"), pairs);
    clear(&r);
    return 1e-6 * fabs(r.value);
}

/*
 * Values of the same problem: each above the other's bound, and together within the gaps, or without a bound of their
 * own within the tolerance, where both searches ended by it. Schemes without a bound end where the value settles; for
 * hbnb, and on the kinks of lsml, the last digits decide where that is.
 */
static void check_values(const char *what, const result *a, const result *b, const char *objective,
                         const gersh_solver_info *solver, double floor)
{
    double size = fmax(fmax(fabs(a->value), fabs(b->value)), floor), rounding = 1e-9 * size;
    int certified = solver->bound != GERSH_BOUND_NONE, convex = solver_is(solver->name, is_convex);
    int done = a->info.stop == GERSH_STOP_CONVERGED && b->info.stop == GERSH_STOP_CONVERGED &&
               (certified || (strcmp(objective, "lsml") != 0 && strcmp(solver->name, "hbnb") != 0));
    if (!(a->bound <= b->value + rounding) || !(b->bound <= a->value + rounding))
        fail_msg("%s: the bounds are %.17g and %.17g, the values %.17g and %.17g", what, a->bound, b->bound,
                 a->value, b->value);
    if (done && convex && !(fabs(a->value - b->value) <= fmax(a->info.gap, b->info.gap) + rounding))
        fail_msg("%s: the values are %.17g and %.17g, the gaps %g and %g", what, a->value, b->value,
                 a->info.gap, b->info.gap);
    if (done && !convex && !(fabs(a->value - b->value) <= 1e-2 * size + (certified ? 0 : 1e3 * floor)))
        fail_msg("%s: the values are %.17g and %.17g", what, a->value, b->value);
}

static table random_table(gersh__random *random)
{
    size_t classes = 2 + (size_t)gersh__random_below(random, 3);
    table t = table_random(random, 2 * classes + (size_t)gersh__random_below(random, 20),
                           1 + (size_t)gersh__random_below(random, 6), classes);
    for (size_t i = 0; i < t.n && gersh__random_below(random, 3) == 0; i++)
        t.weight[i] = 0.5 + gersh__random_uniform(random);
    if (t.weight[0] >= 0)
        for (size_t i = 0; i < t.n; i++)
            t.weight[i] = 0.5 + gersh__random_uniform(random);
    return t;
}

/* C and ρ as settings, divided by c². */
typedef struct limits {
    char trace[32], rho[32];
    const char *pairs[5];
} limits;

static const char *const *limits_of(limits *l, double trace, double rho, double c)
{
    snprintf(l->trace, sizeof l->trace, "%.17g", trace / c / c);
    snprintf(l->rho, sizeof l->rho, "%.17g", rho / c / c);
    l->pairs[0] = "trace";
    l->pairs[1] = l->trace;
    l->pairs[2] = "rho";
    l->pairs[3] = l->rho;
    l->pairs[4] = NULL;
    return l->pairs;
}

static void check_bits(const char *what, const result *a, const result *b, double c)
{
    for (size_t e = 0; e < a->metric->features * a->metric->features; e++)
        if (b->m[e] * c * c != a->m[e])
            fail_msg("%s: entry %zu is %.17g, not %.17g", what, e, b->m[e] * c * c, a->m[e]);
    if (a->value != b->value || a->info.iterations != b->info.iterations)
        fail_msg("%s: the values are %.17g and %.17g", what, a->value, b->value);
}

/*
 * All data times c, C and ρ by c²: the same distances. With a power of two no digit changes, so that M is the same to
 * the last bit but for its scale, unless it takes eigenvectors, whose routines have limits of their own; with another
 * c, values agree to the tolerance.
 */
static void the_unit_does_not_matter(void **unused)
{
    (void)unused;
    const char *objective;
    visits objectives = {0}, solvers = {0};
    gersh__random random;
    gersh__random_seed(&random, 61);
    int count = 0;
    for (int round = 0; round < cases(16); round++) {
        table t = random_table(&random), scaled = t;
        int exact = round % 2;
        double c = exact ? ldexp(1, (int)gersh__random_below(&random, 81) - 40)
                         : exp(12 * (gersh__random_uniform(&random) - 0.5));
        for (size_t e = 0; e < t.n * t.k; e++)
            scaled.x[e] *= c;
        int given = round / 2 % 2; /* C and ρ; else they follow the data by themselves */
        limits here, there;
        const char *const *pairs[] = {given ? limits_of(&here, 3, 1e-3, 1) : NULL,
                                      given ? limits_of(&there, 3, 1e-3, c) : NULL};
        for (size_t o = 0; (objective = fits_objective(o)) != NULL; o++) {
            double floor = floor_of(&t, objective, pairs[0]);
            for (size_t s = 0; fits_solver(s) != NULL; s++) {
                char what[100];
                snprintf(what, sizeof what, "round %d, %s, %s, %g times", round, objective,
                         fits_solver(s)->name, c);
                visit(&objectives, objective);
                visit(&solvers, fits_solver(s)->name);
                result a = fit(&t, NULL, objective, fits_solver(s), pairs[0]);
                result b = fit(&scaled, NULL, objective, fits_solver(s), pairs[1]);
                check_values(what, &a, &b, objective, fits_solver(s), floor);
                if (exact && a.metric->dense == NULL)
                    check_bits(what, &a, &b, c);
                clear(&a);
                clear(&b);
                count++;
            }
        }
    }
    print_message("%d fits and their twins in another unit\n", count);
    assert_all_objectives(&objectives, learns_classes);
    assert_all_solvers(&solvers, any_solver);
}

static void shuffle(gersh__random *random, size_t *order, size_t count)
{
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    for (size_t i = count; i > 1; i--) {
        size_t j = (size_t)gersh__random_below(random, i), moved = order[i - 1];
        order[i - 1] = order[j];
        order[j] = moved;
    }
}

/* Row i of the twin is row `row[i]`, its feature f feature `feature[f]`. */
static table reorder(const table *t, const size_t *row, const size_t *feature)
{
    table out = *t;
    for (size_t i = 0; i < t->n; i++) {
        out.class[i] = t->class[row[i]];
        out.weight[i] = t->weight[0] >= 0 ? t->weight[row[i]] : -1;
        for (size_t f = 0; f < t->k; f++)
            out.x[i * t->k + f] = t->x[row[i] * t->k + feature[f]];
    }
    return out;
}

/* At a tight tolerance the metrics agree as well, where there are more pairs than entries of M. */
static void check_metrics(const char *what, const result *a, const result *b, const size_t *feature,
                          double tolerance)
{
    size_t k = a->metric->features;
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < k; j++)
            if (!(fabs(b->m[i * k + j] - a->m[feature[i] * k + feature[j]]) <= tolerance * a->info.budget))
                fail_msg("%s: M_ij is %.17g, not %.17g", what, b->m[i * k + j],
                         a->m[feature[i] * k + feature[j]]);
}

static int is_of_columns(const gersh__solver *solver)
{
    return !goes_by_rows(solver->info.name);
}

/* Rows in another order, their classes under names that sort the other way; and features in another order. */
static void order_and_names_do_not_matter(void **unused)
{
    (void)unused;
    const char *objective;
    visits objectives = {0}, solvers = {0};
    static const char *const turned[] = {"9", "Z", "7", "-1", "5"};
    gersh__random random;
    gersh__random_seed(&random, 62);
    int count = 0;
    for (int round = 0; round < cases(40); round++) {
        table t = random_table(&random);
        size_t row[FITS_ROWS], feature[FITS_FEATURES], same[FITS_FEATURES];
        shuffle(&random, row, t.n);
        shuffle(&random, feature, t.k);
        for (size_t f = 0; f < t.k; f++)
            same[f] = f;
        table moved = reorder(&t, row, round % 2 ? same : feature);
        for (size_t o = 0; (objective = fits_objective(o)) != NULL; o++) {
            double floor = floor_of(&t, objective, NULL);
            for (size_t s = 0; fits_solver(s) != NULL; s++) {
                char what[100];
                if (round % 2 == 0 && goes_by_rows(fits_solver(s)->name))
                    continue; /* row by row */
                snprintf(what, sizeof what, "round %d, %s, %s in another order", round, objective,
                         fits_solver(s)->name);
                visit(&objectives, objective);
                visit(&solvers, fits_solver(s)->name);
                result a = fit(&t, NULL, objective, fits_solver(s), NULL);
                result b = fit(&moved, turned, objective, fits_solver(s), NULL);
                check_values(what, &a, &b, objective, fits_solver(s), floor);
                clear(&a);
                clear(&b);
                count++;
            }
        }
    }
    print_message("%d fits and their twins in another order\n", count);
    assert_all_objectives(&objectives, learns_classes);
    assert_all_solvers(&solvers, is_of_columns);
}

/* The objectives that are strictly convex in the distances, over convex sets. */
static void metrics_do_not_depend_on_the_order(void **unused)
{
    (void)unused;
    static const char *const strict[] = {"glr", "mcml"};
    const char *const tight[] = {"tol", "1e-10", NULL};
    gersh__random random;
    gersh__random_seed(&random, 63);
    int count = 0;
    for (int round = 0; round < cases(40); round++) {
        table t = table_random(&random, 30, 1 + (size_t)gersh__random_below(&random, 5), 2);
        size_t row[FITS_ROWS], feature[FITS_FEATURES];
        shuffle(&random, row, t.n);
        shuffle(&random, feature, t.k);
        table moved = reorder(&t, row, feature);
        for (int o = 0; o < 2; o++)
            for (size_t s = 0; fits_solver(s) != NULL; s++) {
                char what[100];
                if (!solver_is(fits_solver(s)->name, is_convex))
                    continue;
                snprintf(what, sizeof what, "round %d, %s, %s in another order", round, strict[o],
                         fits_solver(s)->name);
                result a = fit(&t, NULL, strict[o], fits_solver(s), tight);
                result b = fit(&moved, NULL, strict[o], fits_solver(s), tight);
                check_values(what, &a, &b, strict[o], fits_solver(s), 0);
                check_metrics(what, &a, &b, feature, 1e-3);
                clear(&a);
                clear(&b);
                count++;
            }
    }
    print_message("%d metrics of tight fits and their twins\n", count);
}

/* Where copies count for nothing, a row that is there twice weighs twice. */
static void copies_are_weights(void **unused)
{
    (void)unused;
    const char *objective;
    gersh__random random;
    gersh__random_seed(&random, 64);
    int count = 0;
    for (int round = 0; round < cases(40); round++) {
        limits l;
        table t = table_random(&random, 6 + (size_t)gersh__random_below(&random, 12),
                               1 + (size_t)gersh__random_below(&random, 6), 2 + (size_t)round % 2);
        table twice = t;
        const char *const *pairs = limits_of(&l, (double)t.k, 1e-4, 1);
        for (size_t i = 0; i < t.n; i++) {
            int copied = gersh__random_below(&random, 2) == 0;
            t.weight[i] = 1 + copied;
            if (!copied)
                continue;
            memcpy(twice.x + twice.n * t.k, t.x + i * t.k, t.k * sizeof *t.x);
            twice.class[twice.n++] = t.class[i];
        }
        for (size_t o = 0; (objective = objective_name(o, copies_count_for_nothing)) != NULL; o++) {
            double floor = floor_of(&t, objective, pairs);
            for (size_t s = 0; fits_solver(s) != NULL; s++) {
                char what[100];
                snprintf(what, sizeof what, "round %d, %s, %s of copies", round, objective,
                         fits_solver(s)->name);
                result a = fit(&t, NULL, objective, fits_solver(s), pairs);
                result b = fit(&twice, NULL, objective, fits_solver(s), pairs);
                check_values(what, &a, &b, objective, fits_solver(s), floor);
                clear(&a);
                clear(&b);
                count++;
            }
        }
    }
    print_message("%d fits of weights and of copies\n", count);
}

/* With a copy of a feature, or nearly one, there is all that there was: no bound is above the value without it. */
static void copies_of_features_do_no_harm(void **unused)
{
    (void)unused;
    const char *objective;
    visits objectives = {0}, solvers = {0};
    gersh__random random;
    gersh__random_seed(&random, 65);
    int count = 0;
    for (int round = 0; round < cases(40); round++) {
        table t = random_table(&random), more = t;
        limits l;
        double noise = round % 4 == 0 ? 0 : pow(10, -16 + 3 * (double)(round % 4));
        const char *const *pairs = limits_of(&l, (double)t.k, 0, 1);
        more.k = t.k + 1;
        for (size_t i = 0; i < t.n; i++) {
            memcpy(more.x + i * more.k, t.x + i * t.k, t.k * sizeof *t.x);
            more.x[i * more.k + t.k] = t.x[i * t.k] * (1 + noise * gersh__random_normal(&random));
        }
        for (size_t o = 0; (objective = fits_objective(o)) != NULL; o++)
            for (size_t s = 0; fits_solver(s) != NULL; s++) {
                char what[100];
                /* Without rho the best metric of others may be 0, and the targets of lmnn are other ones. */
                if (!solver_is(fits_solver(s)->name, is_certified) ||
                    !objective_is(objective, learns_apart))
                    continue;
                snprintf(what, sizeof what, "round %d, %s, %s and a copy", round, objective,
                         fits_solver(s)->name);
                visit(&objectives, objective);
                visit(&solvers, fits_solver(s)->name);
                result a = fit(&t, NULL, objective, fits_solver(s), pairs);
                result b = fit(&more, NULL, objective, fits_solver(s), pairs);
                fits_check(what, b.metric, &b.info, fits_solver(s)->signs);
                if (!(b.bound <= a.value + 1e-9 * fabs(a.value) + 1e-12))
                    fail_msg("%s: the bound is %.17g, but without it there is %.17g", what, b.bound,
                             a.value);
                clear(&a);
                clear(&b);
                count++;
            }
    }
    print_message("%d fits with and without a copy of a feature\n", count);
    assert_all_objectives(&objectives, learns_apart);
    assert_all_solvers(&solvers, is_certified);
}

/* Rows in single precision: the optimum moves by no more than the digits that are lost. */
static void single_precision_is_enough(void **unused)
{
    (void)unused;
    const char *objective;
    visits objectives = {0}, solvers = {0};
    gersh__random random;
    gersh__random_seed(&random, 66);
    int count = 0;
    for (int round = 0; round < cases(40); round++) {
        table t = random_table(&random), single = t;
        limits l;
        const char *const *pairs = limits_of(&l, (double)t.k, 1e-4, 1);
        for (size_t e = 0; e < t.n * t.k; e++)
            single.x[e] = (float)t.x[e];
        for (size_t o = 0; (objective = fits_objective(o)) != NULL; o++)
            for (size_t s = 0; fits_solver(s) != NULL; s++) {
                char what[100];
                if (!solver_is(fits_solver(s)->name, is_convex))
                    continue;
                snprintf(what, sizeof what, "round %d, %s, %s in single precision", round, objective,
                         fits_solver(s)->name);
                visit(&objectives, objective);
                visit(&solvers, fits_solver(s)->name);
                result a = fit(&t, NULL, objective, fits_solver(s), pairs);
                result b = fit(&single, NULL, objective, fits_solver(s), pairs);
                double lost = 1e-5 * (fabs(a.value) + (double)t.n);
                if (!(a.bound <= b.value + lost) || !(b.bound <= a.value + lost))
                    fail_msg("%s: the bounds are %.17g and %.17g, the values %.17g and %.17g", what,
                             a.bound, b.bound, a.value, b.value);
                clear(&a);
                clear(&b);
                count++;
            }
    }
    print_message("%d fits in double and in single precision\n", count);
    assert_all_objectives(&objectives, learns_classes);
    assert_all_solvers(&solvers, is_convex);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_unit_does_not_matter),
        cmocka_unit_test(order_and_names_do_not_matter),
        cmocka_unit_test(metrics_do_not_depend_on_the_order),
        cmocka_unit_test(copies_are_weights),
        cmocka_unit_test(copies_of_features_do_no_harm),
        cmocka_unit_test(single_precision_is_enough),
    };
    gersh__blas_hold(); /* small matrices: threads of BLAS would only slow the oracle down */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
