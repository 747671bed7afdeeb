/* What objectives, solvers, classifiers and readers say of themselves: whole, without contradictions, and as the settings have it. */
#include "check.h"

#include <string.h>

#include "base/settings.h"
#include "io/read.h"
#include "objective/custom.h"
#include "predict/classify.h"
#include "solver/solver.h"
#include "verify/verify.h"

/* The names in the order of `name_at`, and no others, are the choices of the setting, after `before`. */
static void check_choices(int setting, const char *before, const char *(*name_at)(int index))
{
    char choices[512];
    size_t used = (size_t)snprintf(choices, sizeof choices, "%s", before);
    for (int i = 0; name_at(i) != NULL; i++)
        used += (size_t)snprintf(choices + used, sizeof choices - used, "%s%s", used > 0 ? "|" : "",
                                 name_at(i));
    assert_string_equal(gersh_settings_info(setting)->choices, choices);
}

static const char *objective_at(int index)
{
    const gersh_objective_info *info = gersh_objective_at(index);
    return info != NULL ? info->name : NULL;
}

static const char *solver_at(int index)
{
    const gersh_solver_info *info = gersh_solver_at(index);
    return info != NULL ? info->name : NULL;
}

static const char *classifier_at(int index)
{
    const gersh_classifier_info *info = gersh_classifier_at(index);
    return info != NULL ? info->name : NULL;
}

static void choices_are_the_registries(void **unused)
{
    (void)unused;
    check_choices(GERSH__OBJECTIVE, "auto", objective_at);
    check_choices(GERSH__SOLVER, "", solver_at);
    check_choices(GERSH__CLASSIFIER, "", classifier_at);
    for (const char *p = gersh_settings_info(GERSH__FORMAT)->choices; p != NULL; p = strchr(p, '|')) {
        char name[32];
        p += *p == '|';
        snprintf(name, sizeof name, "%.*s", (int)strcspn(p, "|"), p);
        const gersh__reader *reader = gersh__reader_find(name);
        assert_true((reader != NULL) == (strcmp(name, "auto") != 0));
        if (reader != NULL)
            assert_string_equal(reader->format, name);
    }
}

static void unknown_names_are_none(void **unused)
{
    (void)unused;
    static const char *const names[] = {"", "auto", "mclm", "hul", "kn", "xls"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_null(gersh_objective_find(names[i]));
        assert_null(gersh_solver_find(names[i]));
        assert_null(gersh_classifier_find(names[i]));
        assert_null(gersh__reader_find(names[i]));
    }
    assert_null(gersh_objective_at(-1));
    assert_null(gersh_solver_at(-1));
    assert_null(gersh_classifier_at(-1));
}

/* The smooth functions of a kind come with the true value, and with linear functions below it. */
static void check_kind(const gersh_objective_info *info, const gersh__objective_kind *kind,
                       unsigned supervision)
{
    assert_true((kind != NULL) == ((info->takes & supervision) != 0));
    if (kind == NULL)
        return;
    assert_true(kind->init != NULL && kind->evaluate != NULL && kind->curvature != NULL);
    assert_true((kind->exact != NULL) == (info->smoothed != 0));
    assert_true((kind->constant != NULL) == (info->smoothed != 0));
    assert_true(kind->state_size >= sizeof(gersh__objective));
}

static void objectives_are_whole(void **unused)
{
    (void)unused;
    unsigned automatic = 0;
    const gersh__objective_entry *entry;
    for (size_t i = 0; (entry = gersh__objective_at(i)) != NULL; i++) {
        const gersh_objective_info *info = &entry->info;
        assert_ptr_equal(gersh_objective_at((int)i), info);
        assert_ptr_equal(gersh_objective_find(info->name), info);
        assert_true(strlen(info->help) > 10 && info->mean > 0);
        assert_true(info->takes != 0 && info->takes < GERSH__NOTHING);
        assert_true((info->automatic & ~info->takes) == 0 && (info->second & ~info->takes) == 0);
        assert_true((info->automatic & automatic) == 0);
        automatic |= info->automatic;
        check_kind(info, entry->classes, GERSH__CLASSES | GERSH__TARGETS);
        check_kind(info, entry->pairs, GERSH__PAIRS);
        check_kind(info, entry->compared, GERSH__TRIPLETS | GERSH__QUADRUPLETS);
        if (entry->classes != NULL)
            assert_true(entry->classes->needs != 0);
    }
    assert_int_equal(automatic, GERSH__NOTHING - 1);
    for (unsigned bit = 1; bit < GERSH__NOTHING; bit *= 2)
        assert_string_not_equal(gersh_supervision_name((gersh_supervision)bit), "unknown");
    assert_string_equal(gersh_supervision_name((gersh_supervision)(GERSH__CLASSES | GERSH__PAIRS)),
                        "unknown");
    assert_null(gersh_objective_find(gersh__objective_custom.info.name));
}

/* The verifier's own definitions are written apart from the objectives, and must be of the same ones. */
static void the_verifier_knows_them(void **unused)
{
    (void)unused;
    const gersh_objective_info *info;
    for (int i = 0; (info = gersh_objective_at(i)) != NULL; i++) {
        const gersh__reference *reference = gersh__reference_find(info->name);
        assert_non_null(reference);
        assert_true((reference->maximized != 0) == (info->maximized != 0));
        assert_true((reference->never_negative != 0) == (info->nonnegative != 0));
        assert_true(reference->mean == info->mean);
        assert_true((reference->classes != NULL) == ((info->takes & GERSH__CLASSES) != 0));
        assert_true((reference->targets != NULL) == ((info->takes & GERSH__TARGETS) != 0));
        assert_true((reference->pairs != NULL) == ((info->takes & GERSH__PAIRS) != 0));
        assert_true((reference->compared != NULL) ==
                    ((info->takes & (GERSH__TRIPLETS | GERSH__QUADRUPLETS)) != 0));
    }
    assert_null(gersh__reference_find("custom"));
}

static void solvers_are_whole(void **unused)
{
    (void)unused;
    const gersh__solver *solver;
    uint64_t known = 0;
    for (size_t i = 0; (solver = gersh__solver_at(i)) != NULL; i++) {
        const gersh_solver_info *info = &solver->info;
        assert_ptr_equal(gersh_solver_at((int)i), info);
        assert_ptr_equal(gersh_solver_find(info->name), info);
        assert_true(strlen(info->help) > 10 && solver->run != NULL);
        assert_true(info->learns || info->bound == GERSH_BOUND_NONE);
        assert_true(!info->dense || (!info->rules && info->signs == GERSH_SIGNS_FREE));
        assert_true((info->bound == GERSH_BOUND_DIAGONAL) <= (info->signs == GERSH_SIGNS_NO_EDGES));
        known |= solver->reads;
        for (int s = 0; s < gersh_settings_count(); s++)
            assert_int_equal(gersh_solver_reads(info, gersh_settings_info(s)->name),
                             (solver->reads & GERSH__READS(s)) != 0);
        assert_false(gersh_solver_reads(info, "no such setting"));
    }
    /* Settings that are named have a solver that reads them, and a user is told so. */
    for (int s = 0; s < gersh_settings_count(); s++)
        if ((known & GERSH__READS(s)) != 0)
            assert_int_equal(gersh_settings_info(s)->group, GERSH_SETTINGS_FIT);
    assert_true(gersh_solver_reads(gersh_solver_find("sgml"), "init"));
    assert_true(gersh_solver_reads(gersh_solver_find("pdcone"), "nuclear"));
    assert_false(gersh_solver_reads(gersh_solver_find("psd"), "nuclear"));
}

/* Each solver is refused what it does not read, with those that do, and given what it reads. */
static void settings_of_other_solvers_are_refused(void **unused)
{
    static const char *const given[][2] = {
        {"init", "chain"}, {"rows-only", "yes"}, {"diagonals-only", "yes"}, {"nuclear", "0.5"}};
    (void)unused;
    for (size_t g = 0; g < sizeof given / sizeof given[0]; g++) {
        const gersh__solver *solver;
        gersh_settings *settings = NULL;
        assert_ok(gersh_settings_new(&settings));
        assert_ok(gersh_settings_set(settings, given[g][0], given[g][1]));
        for (size_t i = 0; (solver = gersh__solver_at(i)) != NULL; i++) {
            int reads = gersh_solver_reads(&solver->info, given[g][0]);
            assert_int_equal(gersh__solver_check(solver, settings, 0),
                             reads ? GERSH_OK : GERSH_ERROR_ARGUMENT);
            if (!reads) {
                assert_non_null(strstr(gersh_last_error(), given[g][0]));
                assert_non_null(
                    strstr(gersh_last_error(), gersh_solver_reads(gersh_solver_find("pdcone"), given[g][0])
                                                   ? "use the solver pdcone"
                                                   : "use the solver sgml or pgml"));
            }
            assert_ok(gersh__solver_check(solver, NULL, 0));
            assert_int_equal(gersh__solver_check(solver, NULL, 1),
                             solver->info.rules ? GERSH_OK : GERSH_ERROR_ARGUMENT);
        }
        gersh_settings_free(settings);
    }
}

static void classifiers_are_whole(void **unused)
{
    (void)unused;
    const gersh__classifier *kind;
    for (size_t i = 0; (kind = gersh__classifier_at(i)) != NULL; i++) {
        assert_ptr_equal(gersh_classifier_at((int)i), &kind->info);
        assert_ptr_equal(gersh_classifier_find(kind->info.name), &kind->info);
        assert_true(strlen(kind->info.help) > 10 && kind->classify != NULL);
        assert_true((kind->regress != NULL) == (kind->info.regresses != 0));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(choices_are_the_registries),
        cmocka_unit_test(unknown_names_are_none),
        cmocka_unit_test(objectives_are_whole),
        cmocka_unit_test(the_verifier_knows_them),
        cmocka_unit_test(solvers_are_whole),
        cmocka_unit_test(settings_of_other_solvers_are_refused),
        cmocka_unit_test(classifiers_are_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
