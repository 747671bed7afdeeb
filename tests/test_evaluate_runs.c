/* Running evaluations: threads, cancellation, failures, names and options, and failing allocations. */
#include "evaluate.h"

#include "base/alloc.h"
#include "data/dataset.h"

static void threads_do_not_matter(void **unused)
{
    (void)unused;
    gersh_dataset *data = make_data(61, 60, 4, 3, 1);
    gersh_settings *settings = settings_of("solver", "diagonal");
    gersh_evaluation *one = NULL, *more = NULL;
    gersh_evaluate_options options = {
        .objectives = "glr,lmnn", .solvers = "hull,psd", .tuned = 1, .splits = 5};
    assert_ok(gersh_settings_set(settings, "objective", "mcml")); /* keeps the search small */
    assert_ok(gersh_settings_set(settings, "threads", "1"));
    assert_ok(gersh_evaluate(&one, data, settings, &options));
    assert_ok(gersh_settings_set(settings, "threads", "4"));
    assert_ok(gersh_evaluate(&more, data, settings, &options));
    assert_true(one->count == 6 && more->count == 6);
    for (size_t r = 0; r < 6; r++) {
        gersh_evaluate_row *a = &one->row[r], *b = &more->row[r];
        assert_memory_equal(a->score, b->score, 5 * sizeof *a->score);
        assert_true(a->accuracy_mean == b->accuracy_mean && a->accuracy_std == b->accuracy_std &&
                    a->balanced_accuracy_mean == b->balanced_accuracy_mean && a->p == b->p &&
                    a->wins == b->wins && a->best == b->best);
        assert_true(a->splits == 5 && b->splits == 5);
    }
    gersh_evaluation_free(one);
    gersh_evaluation_free(more);
    gersh_settings_free(settings);
    gersh_dataset_free(data);
}

typedef struct watch {
    gersh_cancel cancel;
    size_t cancel_after; /* so many are done */
    int within_a_fit;    /* at its second iteration */
    size_t calls, fits, largest;
} watch;

static void watching(void *context, const gersh_evaluate_progress *now)
{
    watch *w = context;
    assert_true(now->total == 9 && now->done <= 9 && now->split < 3 && now->objective != NULL);
    assert_true(now->seconds >= 0 && now->done >= w->largest);
    w->calls++;
    w->fits += now->fit != NULL;
    w->largest = now->done;
    if (w->within_a_fit ? now->fit != NULL && now->fit->iteration >= 2 : now->done >= w->cancel_after)
        gersh_cancel_request(&w->cancel);
}

static void cancelling_keeps_what_is_done(void **unused)
{
    (void)unused;
    gersh_dataset *data = make_data(71, 40, 4, 2, 1);
    gersh_settings *settings = settings_of("threads", "1");
    gersh_evaluation *e = NULL;
    watch all = {.cancel_after = 100}, after = {.cancel_after = 4}, within = {.within_a_fit = 1};
    gersh_evaluate_options options = {.objectives = "mcml",
                                      .solvers = "hull,psd",
                                      .splits = 3,
                                      .progress = watching,
                                      .progress_context = &all,
                                      .cancel = &all.cancel};
    assert_ok(gersh_evaluate(&e, data, settings, &options));
    assert_true(!e->interrupted && all.calls > 18 && all.fits > 6 && all.largest == 9);
    gersh_evaluation_free(e);

    options.progress_context = &after;
    options.cancel = &after.cancel;
    assert_ok(gersh_evaluate(&e, data, settings, &options));
    assert_true(e->interrupted && e->row[0].splits == 2 && e->row[1].splits == 1 && e->row[2].splits == 1);
    assert_true(e->row[1].compared == 1 && !e->row[1].has_p && isnan(e->row[1].accuracy_std));
    assert_true(isnan(e->row[1].score[1]) && isfinite(e->row[1].score[0]));
    for (size_t r = 0; r < 3; r++)
        assert_true(!e->row[r].best && e->row[r].failed == 0);
    gersh_evaluation_free(e);

    options.progress_context = &within;
    options.cancel = &within.cancel;
    assert_ok(gersh_evaluate(&e, data, settings, &options)); /* an interrupted fit does not count */
    assert_true(e->interrupted && e->row[0].splits == 1 && e->row[1].splits == 0 && e->row[1].failed == 0);
    gersh_evaluation_free(e);

    assert_int_equal(gersh_evaluate(&e, data, settings, &options), GERSH_ERROR_CANCELLED);
    assert_null(e);
    assert_string_equal(gersh_last_error(), "interrupted before the first split was done");
    gersh_settings_free(settings);
    gersh_dataset_free(data);
}

static void failures_stay_in_their_rows(void **unused)
{
    (void)unused;
    gersh_dataset *real = make_data(81, 30, 3, 0, 1), *rare = NULL;
    gersh_settings *settings = settings_of("neighbors", "3");
    gersh_evaluation *e = NULL;
    gersh_evaluate_options options = {.objectives = "mcml,glr", .solvers = "hull", .splits = 3};
    assert_ok(gersh_evaluate(&e, real, settings, &options));
    assert_true(e->row[1].splits == 0 && e->row[1].failed == 3 && !e->row[1].best &&
                e->row[1].compared == 0);
    assert_non_null(strstr(e->row[1].failure, "mcml needs classes"));
    assert_true(e->row[2].splits == 3 && e->row[2].failed == 0 && !e->interrupted);
    gersh_evaluation_free(e);
    options.objectives = "mcml";
    assert_int_not_equal(gersh_evaluate(&e, real, settings, &options), GERSH_OK);
    assert_null(e);
    assert_non_null(strstr(gersh_last_error(), "mcml needs classes"));

    /* The only row of class a is always a test row, and an error; with two classes nothing can then be learned. */
    static const char *const labels[] = {"b", "c", "b", "c", "a", "b", "c", "b", "c"};
    double x[18];
    for (size_t i = 0; i < 18; i++)
        x[i] = (double)((i * 7) % 11);
    assert_ok(gersh_dataset_new(&rare, 9, 2, x, 2, labels, NULL, NULL));
    options = (gersh_evaluate_options){.splits = 6, .test_share = 0.5};
    assert_ok(gersh_evaluate(&e, rare, settings, &options));
    assert_true(e->unseen == 6 && e->test == 5 && e->row[1].splits == 6 && e->row[1].failed == 0);
    for (size_t s = 0; s < 6; s++)
        assert_true(e->row[0].score[s] < 0.81 && e->row[1].score[s] < 0.81);
    gersh_evaluation_free(e);
    gersh_dataset_free(rare);
    assert_ok(gersh_dataset_new(&rare, 5, 2, x, 2, (const char *[]){"b", "b", "a", "b", "b"}, NULL, NULL));
    assert_int_equal(gersh_evaluate(&e, rare, settings, &options), GERSH_ERROR_INPUT);
    assert_string_equal(gersh_last_error(),
                        "all 2 rows have the label 'b'; learning needs at least two classes");
    gersh_settings_free(settings);
    gersh_dataset_free(rare);
    gersh_dataset_free(real);
}

static void refuses(const gersh_dataset *data, gersh_evaluate_options options, const char *message)
{
    gersh_evaluation *e = NULL;
    assert_int_equal(gersh_evaluate(&e, data, NULL, &options), GERSH_ERROR_ARGUMENT);
    assert_null(e);
    if (strstr(gersh_last_error(), message) == NULL)
        fail_msg("'%s' is not in '%s'", message, gersh_last_error());
}

static void names_and_options_are_checked(void **unused)
{
    (void)unused;
    gersh_dataset *data = make_data(91, 20, 3, 2, 1);
    gersh_settings *settings = settings_of("solver", "diagonal");
    gersh_evaluation *e = NULL;
    refuses(data, (gersh_evaluate_options){.solvers = "hul"}, "--solvers: 'hul' is not one of ");
    refuses(data, (gersh_evaluate_options){.objectives = "mclm"}, "did you mean 'mcml'?");
    refuses(data, (gersh_evaluate_options){.objectives = "glr,,mcml"}, "--objectives: a name is missing");
    refuses(data, (gersh_evaluate_options){.budget = 3}, "add --tuned");
    refuses(data, (gersh_evaluate_options){.budget = -1, .tuned = 1}, "the budget is -1 seconds");
    refuses(data, (gersh_evaluate_options){.test_share = 1.5}, "the share of test rows is 1.5");
    refuses(data, (gersh_evaluate_options){.test_share = 0.01}, "leaves no rows for the test");
    assert_ok(gersh_settings_set(settings, "objective", "deml"));
    assert_ok(gersh_evaluate(&e, data, settings, &(gersh_evaluate_options){.splits = 1}));
    assert_true(e->count == 2 && e->row[1].splits == 1 && !e->row[1].has_p &&
                isnan(e->row[1].accuracy_std));
    assert_string_equal(e->row[1].objective, "deml");
    assert_string_equal(e->row[1].solver, "diagonal");
    gersh_evaluation_free(e);
    gersh_evaluation_free(NULL);
    gersh_settings_free(settings);
    gersh_dataset_free(data);
}

/* Every allocation in turn: the evaluation fails, or one of its parts does, and nothing leaks. */
static void failing_allocations_leak_nothing(void **unused)
{
    (void)unused;
    gersh_dataset *data = make_data(95, 12, 2, 2, 1);
    gersh_settings *settings = settings_of("threads", "1");
    gersh_evaluate_options options = {.solvers = "hull", .splits = 2, .test_share = 0.25};
    data->missing = gersh__alloc(12, 2);
    data->missing[3] = 1;
    long made = 1;
    for (long n = 1; made >= n || n == 1; n++) {
        gersh_evaluation *e = NULL;
        assert_true(n < 5000);
        gersh__alloc_fail_at(n);
        gersh_status status = gersh_evaluate(&e, data, settings, &options);
        made = gersh__alloc_fail_at(0);
        size_t failed = 0;
        for (size_t r = 0; e != NULL && r < e->count; r++) {
            failed += e->row[r].failed;
            assert_true(e->row[r].failed == 0 || strncmp(e->row[r].failure, "out of memory", 13) == 0);
        }
        assert_int_equal(status == GERSH_OK, e != NULL);
        assert_true(status == GERSH_OK ? failed == (made >= n) : status == GERSH_ERROR_MEMORY);
        gersh_evaluation_free(e);
    }
    gersh_settings_free(settings);
    gersh_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(cancelling_keeps_what_is_done),
        cmocka_unit_test(failures_stay_in_their_rows),
        cmocka_unit_test(names_and_options_are_checked),
        cmocka_unit_test(failing_allocations_leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
