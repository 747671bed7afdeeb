/*
 * A standing adversary of gersh_model_verify. Every kind of model is changed in every way that a forger could think of, with
 * the digests made to fit, and is then verified with the samples that it was fitted to. Each change must be refused on
 * reading, or FAILED, or make the verdict "not fully checked" by asking for what cannot be checked, or be harmless: of a
 * kind that is listed here with the reason. What goes unnoticed and is not listed fails the test.
 */
#include "tamper_claims.h"
#include "tamper_harmless.h"
#include "tamper_parts.h"

#include "gersh/bootstrap.h"
#include "gersh/importance.h"
#include "tuples.h"

/* A change in `variants` variants, and why one that goes unnoticed may: variants from `from` to before `to`. */
static const struct mutation {
    const char *name;
    int (*change)(gersh_model *m, const fixture *f, int variant);
    int variants;
    int from, to;
    const char *excuse;
} mutations[] = {
    {"number", change_number, 9 * OPERATIONS, 0, 0, NULL},
    {"swapped numbers", swap_numbers, 10, 0, 0, NULL},
    {"words", change_words, 14, 0, 0, NULL},
    {"accounts", change_accounts, 16, 0, 0, NULL},
    {"agreeing numbers", agree, AGREEING + 1, LESS_CERTAIN, AGREEING + 1,
     "no bound, or 0 of an objective that is never negative: less is claimed, and true"},
    {"one atom", one_atom, 11, 0, TRUE_OF_A_WORSE_METRIC,
     "a worse metric of the set with its true value, and its true distance to the bound or none"},
    {"solver", other_solver, EACH_SOLVER, 0, EACH_SOLVER,
     "whatever the other solver claims of its metrics and bounds was checked, and is true of this one"},
    {"objective", other_objective, EACH_OBJECTIVE_TWICE, EACH_OBJECTIVE, EACH_OBJECTIVE_TWICE,
     "the true value of another objective, whose solver claims no bound"},
    {"atoms", change_atoms, ATOM_VARIANTS, 0, 0, NULL},
    {"atoms of the witness", change_witness_atoms, ATOM_VARIANTS, 0, 0, NULL},
    {"witness", change_witness, 8, 0, 0, NULL},
    {"colours", change_colours, 6, 0, 0, NULL},
    {"names", change_names, 6, 0, 0, NULL},
    {"samples", change_samples, 8, 0, 0, NULL},
    {"scaling", change_scaling, 9, 0, 0, NULL},
    {"setting", change_setting, 6 * GERSH__SETTINGS, 0, 0, NULL},
    {"limits", change_limits, LIMITS, 0, LIMITS,
     "another set of metrics, of which all that is claimed is true"},
    {"contributions", change_contributions, 8, 0, 0, NULL},
    {"training accuracy", change_accuracy, 5, 0, 0, NULL},
    {"extras", change_extras, 5, 0, 0, NULL},
    {"tuples", change_tuples, 8, 0, 0, NULL},
    {"rules", change_rules, 6, 0, 6,
     "rules that the metric keeps, and a bound that was checked under them"},
};
enum { MUTATIONS = sizeof mutations / sizeof mutations[0] };

static struct tally {
    size_t models, changed, refused, failed, partial, same, excused, unlisted;
} tally;

/* What a model asks to be taken on trust, and the verdict must say so. */
static int asks_for_trust(const gersh_model *m)
{
    return m->custom || m->bootstrap != NULL || m->importance.permutation != NULL ||
           m->info.choice == GERSH_CHOICE_SAMPLED || m->info.choice == GERSH_CHOICE_MINED;
}

static size_t skipped(const gersh_verification *report)
{
    size_t count = 0;
    for (size_t c = 0; c < report->count; c++)
        count += report->check[c].result == GERSH_CHECK_SKIPPED;
    return count;
}

/* No bound that is tighter than the honest one, and of no other objective. */
static int claims_no_more(const gersh_model *m, const fixture *f)
{
    const gersh_fit_info *info = &m->info, *honest = &f->honest->info;
    double slack = 1e-9 * fmax(fabs(info->bound), fabs(info->objective_value));
    if (!info->has_bound)
        return 1;
    if (!honest->has_bound || is_maximized(m) != is_maximized(f->honest))
        return 0;
    return is_maximized(m) ? info->bound >= honest->bound - slack : info->bound <= honest->bound + slack;
}

static void unnoticed(const char *what, int variant, const fixture *f, int with_data,
                      const gersh_verification *report)
{
    const gersh_check *value = look_up(report, "objective value");
    tally.unlisted++;
    print_message("UNNOTICED %s: %s %d, %s samples: %s; value %.10g, recomputed %.10g +- %.2g; of the even "
                  "metric %g\n",
                  f->name, what, variant, with_data ? "with" : "without",
                  gersh_verification_verdict_name(report->verdict), value != NULL ? value->stated : NAN,
                  value != NULL ? value->recomputed : NAN, value != NULL ? value->tolerance : NAN, f->even);
}

/* What becomes of the bytes of a changed model. */
static void judge(const char *bytes, size_t size, const fixture *f, int with_data, const char *what,
                  int variant, int excused)
{
    gersh_model *read = NULL;
    gersh_verification report;
    tally.changed++;
    if (gersh_model_unpack(&read, bytes, size) != GERSH_OK ||
        gersh_model_verify(&report, read, f->data) != GERSH_OK)
        tally.refused++;
    else if (report.verdict == GERSH_VERIFICATION_FAILED)
        tally.failed++;
    else if (report.verdict == GERSH_VERIFICATION_PARTIAL && skipped(&report) > skipped(&f->report) &&
             asks_for_trust(read))
        tally.partial++;
    else if (report.verdict == f->report.verdict && is_harmless(read, f, with_data))
        tally.same++;
    else if (report.verdict == f->report.verdict && excused && claims_no_more(read, f))
        tally.excused++;
    else
        unnoticed(what, variant, f, with_data, &report);
    gersh_model_free(read);
}

static void apply(const fixture *f, const struct mutation *mutation, int variant, int with_data)
{
    gersh_model *m = copy_model(f->honest, 1);
    char *bytes = NULL, *honest = NULL;
    size_t size = 0, honest_size = 0;
    assert_ok(gersh_model_pack(&honest, &honest_size, f->honest, with_data));
    if (mutation->change(m, f, variant)) {
        int excused = mutation->excuse != NULL && variant >= number_of(mutation->from) &&
                      variant < number_of(mutation->to);
        if (gersh_model_pack(&bytes, &size, m, with_data) != GERSH_OK) {
            tally.changed++;
            tally.refused++;
        } else if (size != honest_size || memcmp(bytes, honest, size) != 0)
            judge(bytes, size, f, with_data, mutation->name, variant, excused);
    }
    free(bytes);
    free(honest);
    gersh_model_free(m);
}

/* Bits of the file turned over, wherever they are. */
static void flip_bits(const fixture *f, int with_data, int count)
{
    gersh__random random;
    char *bytes = NULL;
    size_t size = 0;
    gersh__random_seed(&random, 77);
    assert_ok(gersh_model_pack(&bytes, &size, f->honest, with_data));
    for (int c = 0; c < count; c++) {
        size_t bit = (size_t)gersh__random_below(&random, 8 * size);
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ (1 << bit % 8));
        judge(bytes, size, f, with_data, "bit", (int)bit, 0);
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ (1 << bit % 8));
    }
    free(bytes);
}

/* An honest model is as good with its own samples as with those that are named, and in the file as in memory. */
static void check_honest(fixture *f, gersh_verification_verdict verdict)
{
    gersh_verification report;
    gersh_model *own = copy_model(f->honest, 1), *bare = copy_model(f->honest, 0);
    assert_ok(gersh_model_verify(&f->report, own, f->data));
    for (size_t c = 0; c < f->report.count; c++)
        if (f->report.check[c].result == GERSH_CHECK_FAILED)
            fail_msg("%s: %s: %s", f->name, f->report.check[c].name, f->report.check[c].sentence);
    assert_int_equal(f->report.verdict, verdict);
    assert_ok(gersh_model_verify(&report, own, NULL));
    assert_int_equal(report.verdict, verdict);
    assert_ok(gersh_model_verify(&report, bare, f->data));
    assert_int_equal(report.verdict, verdict);
    assert_ok(gersh_model_verify(&report, bare, NULL));
    assert_int_equal(report.verdict, GERSH_VERIFICATION_PARTIAL);
    gersh_model_free(own);
    gersh_model_free(bare);
}

static void attack(fixture *f, gersh_verification_verdict verdict, int turn)
{
    int share = cases(100); /* of the changes, in percent */
    gersh_model *even = copy_model(f->honest, 1);
    check_honest(f, verdict);
    take_even_atoms(even);
    if (state_true_value(even, f))
        f->even = even->info.objective_value;
    gersh_model_free(even);
    tally.models++;
    for (size_t c = 0; c < MUTATIONS; c++)
        for (int variant = 0; variant < number_of(mutations[c].variants); variant++, turn++)
            if (turn * 37 % 100 < share)
                for (int with_data = 0; with_data < 2; with_data++)
                    apply(f, &mutations[c], variant, with_data);
    flip_bits(f, 1, cases(40));
    flip_bits(f, 0, cases(40));
}

/* Fits, attacks, and frees the settings. */
static void attack_fit(const char *name, gersh_dataset *data, gersh_settings *settings,
                       const gersh_fit_options *options, const gersh_model *other, int extras, int turn)
{
    gersh_model *fitted = NULL;
    fixture f = {.other = other};
    assert_ok(gersh_model_fit(&fitted, NULL, data, settings, options));
    if (extras) {
        assert_ok(gersh_bootstrap_run(fitted, 10, settings, NULL));
        assert_ok(gersh_importance_permute(fitted, settings, NULL));
    }
    if (options != NULL && options->weights != NULL)
        assert_ok(gersh_dataset_set_weights(data, options->weights));
    f.honest = copy_model(fitted, 1);
    assert_ok(gersh_dataset_copy(&f.data, data));
    snprintf(f.name, sizeof f.name, "%s", name);
    attack(&f, extras ? GERSH_VERIFICATION_PARTIAL : GERSH_VERIFICATION_VERIFIED, turn);
    gersh_dataset_free(f.data);
    gersh_model_free(f.honest);
    gersh_model_free(fitted);
    gersh_settings_free(settings);
}

static void tampered_fits_of_labels(void **state)
{
    (void)state;
    const char *objective, *solver;
    visits objectives = {0}, solvers = {0};
    for (int o = 0; (objective = objective_name((size_t)o, learns_classes)) != NULL; o++)
        for (int s = 0; (solver = solver_name((size_t)s, any_solver)) != NULL; s++) {
            gersh__random random;
            char name[64];
            size_t n = strcmp(objective, "lsml") == 0 ? 12 : 16; /* whose sum is long */
            gersh_model *other = random_model((uint64_t)(200 + o), n, 4, 2, objective, solver, 0);
            visit(&objectives, objective);
            visit(&solvers, solver);
            gersh__random_seed(&random, (uint64_t)(100 + o));
            gersh_dataset *data = ready_data(&random, n, 4, 2 + (size_t)(s % 2));
            double w[16];
            for (size_t i = 0; i < n; i++)
                w[i] = gersh__random_uniform(&random) + 0.1;
            gersh_fit_options options = {.weights = (o + s) % 3 == 0 ? w : NULL};
            snprintf(name, sizeof name, "%s %s", objective, solver);
            attack_fit(name, data, model_settings(objective, solver), &options, other, 0, 11 * o + s);
            gersh_dataset_free(data);
            gersh_model_free(other);
        }
    assert_all_objectives(&objectives, learns_classes);
    assert_all_solvers(&solvers, any_solver);
}

/* Of tuples of each kind, in turn with edge rules; of targets; of other scalings; with a bootstrap. */
static void tampered_fits_of_other_kinds(void **state)
{
    static const struct {
        const char *objective, *solver;
        gersh_tuple_kind kind;
    } all[] = {{"glr", "hull", GERSH_PAIRS},        {"mcml", "balanced", GERSH_PAIRS},
               {"deml", "psd", GERSH_PAIRS},        {"lmnn", "diagonal", GERSH_TRIPLETS},
               {"lsml", "hull", GERSH_QUADRUPLETS}, {"lmnn", "balanced", GERSH_QUADRUPLETS}};
    static const double near[] = {1, 1, 1, 1};
    gersh__random random;
    gersh_model *other = random_model(300, 16, 4, 2, "glr", "hull", 0);
    gersh_edge_rule rules[] = {{0, 1, GERSH_EDGE_FORBIDDEN}, {1, 2, GERSH_EDGE_POSITIVE}};
    (void)state;
    gersh__random_seed(&random, 301);
    for (size_t c = 0; c < sizeof all / sizeof all[0]; c++) {
        gersh_dataset *data = plain_data(&random, 16, 4);
        gersh_tuples *tuples = true_tuples(&random, data, all[c].kind, 12, near, 5);
        gersh_fit_options options = {
            .tuples = tuples, .rules = rules, .rule_count = strcmp(all[c].solver, "hull") == 0 ? 2 : 0};
        char name[64];
        snprintf(name, sizeof name, "%s %s, %s", all[c].objective, all[c].solver,
                 gersh_tuple_kind_name(all[c].kind));
        attack_fit(name, data, model_settings(all[c].objective, all[c].solver), &options, other, 0, (int)c);
        gersh_tuples_free(tuples);
        gersh_dataset_free(data);
    }
    static const char *const scales[] = {"none", "paper"};
    for (int c = 0; c < 5; c++) {
        gersh_dataset *data = ready_data(&random, 16, 4, c < 2 ? 0 : 2);
        gersh_settings *settings = model_settings(c == 3 ? "mcml" : "glr", c == 0 ? "psd" : "balanced");
        gersh_fit_options options = {.rules = rules, .rule_count = c == 3 ? 2 : 0};
        static const char *const names[] = {"targets, psd", "targets, balanced", "scale none",
                                            "scale paper, rules", "bootstrap"};
        if (c == 2 || c == 3)
            assert_ok(gersh_settings_set(settings, "scale", scales[c - 2]));
        attack_fit(names[c], data, settings, &options, other, c == 4, c);
        gersh_dataset_free(data);
    }
    gersh_model_free(other);
}

static void nothing_goes_unnoticed(void **state)
{
    (void)state;
    print_message("%zu models, %zu tampered: %zu refused, %zu FAILED, %zu not fully checked, %zu harmless, "
                  "%zu true of another model, %zu unnoticed\n",
                  tally.models, tally.changed, tally.refused, tally.failed, tally.partial, tally.same,
                  tally.excused, tally.unlisted);
    assert_int_equal(tally.unlisted, 0);
    if (cases(100) == 100)
        assert_true(tally.changed >= 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tampered_fits_of_labels),
        cmocka_unit_test(tampered_fits_of_other_kinds),
        cmocka_unit_test(nothing_goes_unnoticed),
    };
    return cmocka_run_group_tests_name("tamper", tests, NULL, NULL);
}
