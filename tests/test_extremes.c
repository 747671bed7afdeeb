/*
 * Numbers from one end of double to the other: features, rows, weights, trace and rho of random sizes. A fit gives a
 * metric that is feasible and verifies, or says in one sentence what to do. And where any metric would be as good, it
 * says why there is none.
 */
#include "fits.h"

#include "base/threads.h"

typedef struct tally {
    int metrics, refusals;
} tally;

/* One fit as a model; what it gives is checked. */
static void run(const char *what, const table *t, const char *objective, const gersh_solver_info *solver,
                const char *const *pairs, tally *sum)
{
    gersh_dataset *data = table_data(t, NULL);
    gersh_settings *settings = fits_settings(objective, solver, pairs);
    gersh_model *model = NULL;
    gersh_fit_info info;
    gersh_status status = gersh_model_fit(&model, &info, data, settings, NULL);
    if (status == GERSH_OK) {
        if (!isfinite(info.objective_value) || (info.has_bound && !isfinite(info.bound)))
            fail_msg("%s: the value is %g, the bound %g", what, info.objective_value, info.bound);
        fits_check(what, gersh_model_metric(model), &info, solver->signs);
        fits_verify(what, model);
        sum->metrics++;
    } else {
        assert_null(model);
        fits_check_sentence(what, status);
        sum->refusals++;
    }
    gersh_model_free(model);
    gersh_settings_free(settings);
    gersh_dataset_free(data);
}

/* Every solver with every objective. */
static void run_all(const char *name, const table *t, const char *const *pairs, tally *sum)
{
    const char *objective;
    visits objectives = {0}, solvers = {0};
    for (size_t o = 0; (objective = fits_objective(o)) != NULL; o++)
        for (size_t s = 0; fits_solver(s) != NULL; s++) {
            char what[260];
            snprintf(what, sizeof what, "%s, %s, %s", name, objective, fits_solver(s)->name);
            run(what, t, objective, fits_solver(s), pairs, sum);
            visit(&objectives, objective);
            visit(&solvers, fits_solver(s)->name);
        }
    assert_all_objectives(&objectives, learns_classes);
    assert_all_solvers(&solvers, any_solver);
}

static double any_size(gersh__random *random, double least, double most)
{
    return pow(10, least + (most - least) * gersh__random_uniform(random));
}

/* All values, every feature or every row of a size of its own, from 1e-150 to 1e150. */
static void values_of_every_size(void **unused)
{
    (void)unused;
    static const char *const scales[] = {"none", "zscore", "paper"};
    gersh__random random;
    gersh__random_seed(&random, 81);
    tally sum = {0};
    for (int round = 0; round < cases(36); round++) {
        table t = table_random(&random, 12, 1 + (size_t)gersh__random_below(&random, 5), 2);
        double all = any_size(&random, -150, 150), size[FITS_ROWS];
        char name[100];
        for (size_t i = 0; i < FITS_ROWS; i++)
            size[i] = any_size(&random, -150, 150);
        for (size_t e = 0; e < t.n * t.k; e++)
            t.x[e] *= round % 3 == 0 ? all : round % 3 == 1 ? size[e % t.k] : size[e / t.k];
        snprintf(name, sizeof name, "round %d, scale %s", round, scales[round / 3 % 3]);
        run_all(name, &t, (const char *const[]){"scale", scales[round / 3 % 3], NULL}, &sum);
    }
    print_message("%d metrics, %d refusals\n", sum.metrics, sum.refusals);
    assert_true(cases(2) < 2 ||
                (sum.metrics > sum.refusals && sum.refusals > 0)); /* there are both kinds */
}

/* Trace, rho and weights. */
static void settings_of_every_size(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 82);
    tally sum = {0};
    for (int round = 0; round < cases(30); round++) {
        table t = table_random(&random, 12, 1 + (size_t)gersh__random_below(&random, 5), 2);
        char name[160], trace[32], rho[32];
        double size = any_size(&random, -300, 300), weight = any_size(&random, -40, 40);
        snprintf(trace, sizeof trace, "%g", size);
        snprintf(rho, sizeof rho, "%g", size * any_size(&random, -20, 1));
        snprintf(name, sizeof name, "round %d, trace %s, rho %s, weights of %g", round, trace, rho, weight);
        for (size_t i = 0; i < t.n && round % 3 == 2; i++)
            t.weight[i] = weight * (0.5 + gersh__random_uniform(&random));
        run_all(name, &t,
                round % 3 == 0   ? (const char *const[]){"trace", trace, NULL}
                : round % 3 == 1 ? (const char *const[]){"trace", trace, "rho", rho, NULL}
                                 : NULL,
                &sum);
    }
    print_message("%d metrics, %d refusals\n", sum.metrics, sum.refusals);
    assert_true(cases(2) < 2 || (sum.metrics > sum.refusals && sum.refusals > 0));
}

static void refuses(const table *t, const char *objective, const char *const *pairs, const char *sentence)
{
    gersh_dataset *data = table_data(t, NULL);
    gersh_settings *settings = fits_settings(objective, gersh_solver_find("balanced"), pairs);
    gersh_model *model = NULL;
    assert_int_not_equal(gersh_model_fit(&model, NULL, data, settings, NULL), GERSH_OK);
    assert_null(model);
    assert_string_equal(gersh_last_error(), sentence);
    gersh_settings_free(settings);
    gersh_dataset_free(data);
}

/* Where every metric would do, the fit says why. */
static void nothing_to_learn(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 83);
    table t = table_random(&random, 10, 3, 5), changed = t;
    for (size_t i = 0; i < t.n; i++)
        changed.class[i] = 0;
    refuses(&changed, "glr", NULL, "all 10 rows have the label 'a'; learning needs at least two classes");
    changed = t;
    changed.n = 5;
    const char *objective;
    for (size_t o = 0; (objective = objective_name(o, needs_mates)) != NULL; o++) {
        char sentence[300];
        snprintf(
            sentence, sizeof sentence,
            "every row that counts is the only one of its class, so that the objective %s is the same for "
            "every metric; use the objective deml or glr",
            objective);
        refuses(&changed, objective, NULL, sentence);
    }
    changed = t;
    for (size_t e = 0; e < t.n * t.k; e++)
        changed.x[e] = (double)(e % t.k) / 3;
    for (size_t o = 0; (objective = fits_objective(o)) != NULL; o++)
        refuses(&changed, objective, NULL, "all rows are the same; there is nothing to learn from them");
    refuses(&t, "lsml", (const char *const[]){"rho", "0", NULL},
            "rho: with 0 the best metric is 0, under which all rows are the same; use a rho above 0, or "
            "another "
            "objective");
    changed = t;
    for (size_t i = 0; i < t.n; i++)
        changed.weight[i] = i == 3 ? 1e31 : 1;
    refuses(&changed, "glr", NULL,
            "row 4: the weight is 1e+31; a weight must be 0, or from 1e-30 to 1e+30");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_every_size),
        cmocka_unit_test(settings_of_every_size),
        cmocka_unit_test(nothing_to_learn),
    };
    gersh__blas_hold(); /* small matrices: threads of BLAS would only slow the oracle down */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
