/*
 * Whatever ends a fit, its metric is feasible and its model verifies; on the way the value only falls and the bound
 * only rises. Every solver with every objective on random problems, ended by the tolerance, by the number of
 * iterations, by time, and by interruption at a random step.
 */
#include "fits.h"

#include "base/threads.h"

typedef enum ending { TOLERANCE, ITERATIONS, TIME, INTERRUPT, ENDINGS } ending;

/* What the callback has seen, and when it interrupts. */
typedef struct course {
    const char *what;
    double sign;    /* −1 for a maximised objective: values and bounds are those that are minimised */
    int certified;  /* there are bounds */
    int smoothed;   /* what is lowered is a smooth bound, so that the value itself may rise in between */
    int tries;      /* the stage "balanced" is one search after the other, each with other colours */
    char stage[32]; /* of the last step */
    int steps;
    double value, bound, first; /* of the last step, and the first value */
    double lowest, least;       /* value, of all and of the stage "balanced" */
    int until;                  /* interrupts at this step; 0: never */
    gersh_cancel cancel;
} course;

static void follow(void *context, const gersh_progress *p)
{
    course *c = context;
    double value = c->sign * p->value, bound = c->sign * p->bound, slack = 1e-9 * fabs(value) + 1e-11;
    int balanced = strcmp(p->stage, "balanced") == 0;
    if (!isfinite(value))
        fail_msg("%s: the value is %g at step %d", c->what, value, c->steps);
    if (c->certified && !(bound <= value + slack))
        fail_msg("%s: the bound %.17g is above the value %.17g", c->what, bound, value);
    if (c->steps > 0 && strcmp(c->stage, p->stage) == 0 && !(c->tries && balanced)) {
        if (!c->smoothed && !(value <= c->value + slack))
            fail_msg("%s: the value rises from %.17g to %.17g in %s", c->what, c->value, value, p->stage);
        if (c->certified && !(bound >= c->bound))
            fail_msg("%s: the bound falls from %.17g to %.17g in %s", c->what, c->bound, bound, p->stage);
    }
    if (c->steps == 0)
        c->first = value;
    c->lowest = fmin(c->lowest, value);
    if (balanced)
        c->least = fmin(c->least, value);
    snprintf(c->stage, sizeof c->stage, "%s", p->stage);
    c->value = value;
    c->bound = bound;
    if (++c->steps == c->until)
        gersh_cancel_request(&c->cancel);
}

/* What the model keeps of the course is a part of it, so that it falls as well; its last step is the last one seen. */
static void check_trajectory(const course *c, const gersh_model *model)
{
    size_t count;
    const gersh_progress *step = gersh_model_trajectory(model, &count);
    assert_int_equal(count > 0, c->steps > 0);
    for (size_t s = 1; s < count && !c->smoothed && !c->tries; s++)
        if (strcmp(step[s].stage, step[s - 1].stage) == 0 &&
            !(c->sign * step[s].value <= c->sign * step[s - 1].value + 1e-9 * fabs(step[s].value) + 1e-11))
            fail_msg("%s: the trajectory rises from %.17g to %.17g", c->what, step[s - 1].value,
                     step[s].value);
    if (count > 0)
        assert_true(step[count - 1].value == c->sign * c->value && step[0].value == c->sign * c->first);
}

static void check_end(const course *c, const gersh_fit_info *info, ending end, int max_iter)
{
    static const gersh_stop asked[ENDINGS] = {GERSH_STOP_MAX_ITER, GERSH_STOP_MAX_ITER, GERSH_STOP_MAX_TIME,
                                              GERSH_STOP_INTERRUPTED};
    double value = c->sign * info->objective_value, slack = 1e-9 * fabs(value) + 1e-11;
    int limited = info->stop != GERSH_STOP_CONVERGED && info->stop != GERSH_STOP_SETTLED;
    if (limited && info->stop != GERSH_STOP_MAX_ITER && info->stop != asked[end])
        fail_msg("%s: stopped by %s", c->what, gersh_stop_name(info->stop));
    if (info->stop == GERSH_STOP_MAX_ITER && info->iterations < max_iter)
        fail_msg("%s: %d iterations of %d", c->what, info->iterations, max_iter);
    /* Without a bound, schemes follow the smooth value alone; else the end is the best that was seen. */
    if (c->steps > 0 && !c->tries && (c->certified || !c->smoothed) && limited &&
        !(value <= c->lowest + slack))
        fail_msg("%s: the value ends at %.17g, but there was a metric with %.17g", c->what, value,
                 c->lowest);
    /* A change of colours that gains less than a tenth of the tolerance does not count. */
    if (c->tries && !c->smoothed && !(value <= c->least + 1e-4 * fabs(value) + slack))
        fail_msg("%s: the value is %.17g, but there was a metric with %.17g", c->what, value, c->least);
}

/* How often each reason ended a fit. */
typedef struct tally {
    int fits, steps, stops[GERSH_STOPS];
} tally;

static void run(gersh__random *random, const gersh_dataset *data, int round, const char *objective,
                const gersh_solver_info *solver, ending end, tally *sum)
{
    static const char *const scales[] = {"none", "zscore", "paper"};
    char what[200], number[32];
    int max_iter = atoi(fits_iterations(solver));
    const char *scale = scales[gersh__random_below(random, 3)];
    gersh_settings *settings =
        fits_settings(objective, solver, (const char *const[]){"scale", scale, NULL});
    course c = {.what = what,
                .sign = gersh_objective_find(objective)->maximized ? -1 : 1,
                .certified = solver->bound != GERSH_BOUND_NONE,
                .smoothed = gersh_objective_find(objective)->smoothed,
                .tries = strcmp(solver->name, "balanced") == 0,
                .lowest = INFINITY,
                .least = INFINITY};
    gersh_fit_options options = {.progress = follow, .progress_context = &c, .cancel = &c.cancel};
    if (end == ITERATIONS) {
        max_iter = 1 + (int)gersh__random_below(random, 6);
        snprintf(number, sizeof number, "%d", max_iter);
        assert_ok(gersh_settings_set(settings, "max-iter", number));
    } else if (end == TIME) {
        snprintf(number, sizeof number, "%g", 1e-3 * fmax(0, gersh__random_uniform(random) - 0.3));
        assert_ok(gersh_settings_set(settings, "max-time", number));
    } else if (end == INTERRUPT) {
        c.until = (int)gersh__random_below(random, 6);
        c.cancel.requested = c.until == 0;
    }
    snprintf(what, sizeof what, "round %d, %s, %s, scale %s, ended by %d", round, objective, solver->name,
             scale, (int)end);
    gersh_model *model = NULL;
    gersh_fit_info info;
    assert_ok(gersh_model_fit(&model, &info, data, settings, &options));
    snprintf(what + strlen(what), sizeof what - strlen(what), ": value %g, bound %g", info.objective_value,
             info.bound);
    fits_check(what, gersh_model_metric(model), &info, solver->signs);
    fits_verify(what, model);
    check_trajectory(&c, model);
    check_end(&c, &info, end, max_iter);
    sum->fits++;
    sum->steps += c.steps;
    sum->stops[info.stop]++;
    gersh_model_free(model);
    gersh_settings_free(settings);
}

/* Rows are plain, weighted, doubled, with features that nearly agree, or far from 0. */
static table random_shape(gersh__random *random, int shape)
{
    size_t k = 1 + (size_t)gersh__random_below(random, 7),
           classes = 2 + (size_t)gersh__random_below(random, 3);
    table t = table_random(random, 2 * classes + (size_t)gersh__random_below(random, 20), k, classes);
    for (size_t i = 0; i < t.n; i++) {
        if (shape == 1)
            t.weight[i] = (double)gersh__random_below(random, 4) + (i < 2 * classes ? 0.5 : 0);
        if (shape == 2 && i % 2 == 1)
            memcpy(t.x + i * k, t.x + (i - 1) * k, k * sizeof *t.x);
        for (size_t f = 0; f < k; f++)
            if (shape == 3 && f > 0)
                t.x[i * k + f] = t.x[i * k] * (1 + 1e-9 * gersh__random_normal(random));
            else if (shape == 4)
                t.x[i * k + f] += 1e5;
    }
    return t;
}

static void every_end_leaves_a_feasible_metric(void **unused)
{
    (void)unused;
    gersh__random random;
    gersh__random_seed(&random, 51);
    tally sum = {0};
    visits objectives = {0}, solvers = {0};
    for (int round = 0; round < cases(40); round++) {
        table t = random_shape(&random, round % 5);
        gersh_dataset *data = table_data(&t, NULL);
        const char *objective;
        for (size_t o = 0; (objective = fits_objective(o)) != NULL; o++)
            for (size_t s = 0; fits_solver(s) != NULL; s++)
                for (size_t end = 0; end < ENDINGS; end++)
                    if (cases(2) == 2 || (o + s + end) % 4 == 0) {
                        run(&random, data, round, objective, fits_solver(s), (ending)end, &sum);
                        visit(&objectives, objective);
                        visit(&solvers, fits_solver(s)->name);
                    }
        gersh_dataset_free(data);
    }
    print_message("%d fits of %d steps: %d converged, %d ended by iterations, %d by time, %d interrupted\n",
                  sum.fits, sum.steps, sum.stops[0], sum.stops[1], sum.stops[2], sum.stops[3]);
    for (int stop = 0; stop < 4; stop++)
        assert_true(sum.stops[stop] > 0);
    assert_all_objectives(&objectives, learns_classes);
    assert_all_solvers(&solvers, any_solver);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_end_leaves_a_feasible_metric)};
    gersh__blas_hold(); /* small matrices: threads of BLAS would only slow the oracle down */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
