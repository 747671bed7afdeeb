/*
 * The paper's table on a low-rank prior: lmnn on sonar with τ‖M‖_* added, by PD-cone, on its features and on ten
 * principal components of them, and SGML without a prior.
 *
 * For M ⪰ 0 the nuclear norm is the trace, and the trace is at most C, so that an exact minimiser of Q + τ‖M‖_* has a
 * Q that is above the optimum by at most τC: with the paper's τ that is next to nothing. Its figures rise far more.
 * One reading under which the objective does rise is a proximal step that lowers the eigenvalues by τ itself rather
 * than by τ times the step length t, which makes the weight τ/t; with the first step, t = 0.1/N, that is 10 N τ. The
 * paper does not say which it took; both rules are computed.
 */
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gersh/fit.h"
#include "paper.h"
#include "run.h"

#define RANK_SHARE 1e-6 /* of the largest eigenvalue: smaller ones do not count for the rank */
#define NO_RANK 1e-9    /* share of the trace limit: below this the largest does not count either */
#define USUAL_LIMIT 20
#define QUICK_LIMIT 1

enum { TAUS = 5, COMPONENTS = 10, VALUES = 5, SETS = 2, RULES = 2 };

static const char *const tau_texts[TAUS] = {"0", "0.001", "0.002", "0.003", "0.004"};
static const double taus[TAUS] = {0, 0.001, 0.002, 0.003, 0.004};
static const char *const names[VALUES] = {"objective", "rank", "seconds", "trace", "cut"};
static const char *const set_names[SETS] = {"original", "pca10"};

typedef struct fitted {
    int there;
    double objective, rank, seconds, trace, cut;
} fitted;

typedef struct experiment {
    repro_run *run;
    const repro_source *source;
    gersh_dataset *set[SETS];
    double limit;
    fitted cone[SETS][RULES][TAUS], sgml;
} experiment;

static repro_source *find_sonar(repro_run *run)
{
    for (size_t s = 0; s < REPRO_SOURCES; s++)
        if (strcmp(run->source[s].name, "sonar") == 0)
            return &run->source[s];
    return NULL;
}

static double estimate(repro_run *run)
{
    return find_sonar(run)->there ? (SETS * (RULES * (TAUS - 1) + 1)) * 0.5 + 5 : 0;
}

/* All rows, scaled as the paper does; and their principal components. */
static gersh_status make_sets(experiment *x)
{
    const gersh_dataset *data = x->source->data;
    size_t k = gersh_dataset_features(data);
    gersh_scaling *scaling = NULL;
    gersh_pca *pca = NULL;
    gersh_status status = gersh_dataset_copy(&x->set[0], data);
    if (status == GERSH_OK)
        status = gersh_scaling_fit(&scaling, x->set[0], "paper");
    if (status == GERSH_OK)
        status = gersh_scaling_apply(scaling, x->set[0]);
    if (status == GERSH_OK)
        status = gersh_pca_fit(&pca, x->set[0], k < COMPONENTS ? k : COMPONENTS);
    if (status == GERSH_OK)
        status = gersh_pca_apply(&x->set[1], pca, x->set[0]);
    gersh_pca_free(pca);
    gersh_scaling_free(scaling);
    return status;
}

static gersh_status rank_of(double *rank, const gersh_metric *metric, double budget)
{
    size_t k = metric->features;
    double *m = repro_alloc(k, k * sizeof *m), *w = repro_alloc(k, sizeof *w);
    gersh_status status = m != NULL && w != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
    *rank = 0;
    if (status == GERSH_OK) {
        gersh_metric_matrix(metric, m);
        if (LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', (lapack_int)k, m, (lapack_int)k, w) != 0)
            status = GERSH_ERROR_NUMERIC;
        for (size_t i = 0; i < k && status == GERSH_OK; i++)
            *rank += w[i] > RANK_SHARE * w[k - 1] && w[k - 1] > NO_RANK * budget;
    }
    free(m);
    free(w);
    return status;
}

/* What a cell is of. */
typedef struct subject {
    const gersh_dataset *data;
    const char *solver;
    double weight, limit;
} subject;

static gersh_status compute(double *value, repro_cell_state *state, repro_run *run, const void *context)
{
    const subject *own = context;
    gersh_settings *settings = NULL;
    gersh_metric *metric = NULL;
    gersh_fit_info info;
    gersh_fit_options options = {.cancel = run->options->cancel};
    char text[32];
    snprintf(text, sizeof text, "%.17g", own->weight);
    gersh_status status = repro_run_settings(&settings, run, "lmnn", own->solver, own->limit);
    if (status == GERSH_OK) /* any other would fill up the rank, which is what is asked for */
        status = gersh_settings_set(settings, "rho", "0");
    if (status == GERSH_OK)
        status = gersh_settings_set(settings, "threads", "1");
    if (status == GERSH_OK)
        status = gersh_settings_set(settings, "nuclear", text);
    if (status == GERSH_OK)
        status = gersh_fit(&metric, &info, own->data, settings, &options);
    if (status == GERSH_OK)
        status = rank_of(&value[1], metric, info.budget);
    if (status == GERSH_OK) {
        value[0] = info.objective_value;
        value[2] = info.seconds;
        value[3] = gersh_metric_trace(metric);
        value[4] = info.stop == GERSH_STOP_MAX_TIME;
        *state = REPRO_CELL_KEPT;
        if (info.stop == GERSH_STOP_INTERRUPTED)
            status = GERSH_ERROR_CANCELLED;
    }
    gersh_metric_free(metric);
    gersh_settings_free(settings);
    return status;
}

static gersh_status get(fitted *out, experiment *x, size_t set, const char *solver, double weight,
                        double cost)
{
    static const repro_cell_kind kind = {names, VALUES, compute};
    double value[VALUES];
    repro_cell_state state;
    subject own = {x->set[set], solver, weight, x->limit};
    char *key =
        repro_format("gersh %s; sonar %08lx; %s; lmnn with %s; nuclear %.17g; trace K; rho 0; limit %g s",
                     gersh_version(), x->source->found, set_names[set], solver, weight, x->limit);
    gersh_status status = repro_cell_get(value, &state, x->run, &kind, key,
                                         repro_format("sonar, lmnn with a nuclear norm"), cost, &own);
    if (status == GERSH_OK && state != REPRO_CELL_EMPTY)
        *out = (fitted){1, value[0], value[1], value[2], value[3], value[4]};
    return status;
}

static void add_row(repro_builder *b, const fitted *ours, const char *label, const char *set,
                    const char *scheme, const char *tau)
{
    static const char *const columns[] = {"objective", "rank", "seconds"};
    const double values[] = {ours->objective, ours->rank, ours->seconds};
    repro_report_row(b, strcmp(tau, "0") == 0 || strcmp(tau, "") == 0);
    repro_report_cell(b, "%s", label);
    repro_report_cell(b, "%s", *tau != '\0' ? tau : "-");
    for (size_t c = 0; c < 3; c++) {
        double paper = NAN;
        repro_paper_value(&paper, "low-rank", columns[c], set, scheme, tau);
        repro_report_number(b, ours->there ? values[c] : NAN);
        repro_report_number(b, paper);
    }
    repro_report_number(b, ours->there ? ours->trace : NAN);
    repro_report_cell(b, "%s", ours->there && ours->cut > 0 ? "time limit" : "");
}

static void add_table(repro_builder *b, const experiment *x, size_t rule)
{
    static const char *const columns[] = {
        "features, scheme", "tau",   "objective", "paper",   "rank", "paper",
        "seconds",          "paper", "trace",     "ended by"};
    repro_report_table(b, rule == 0 ? "low-rank" : "low-rank-unscaled", 1,
                       rule == 0 ? "Weight τ: eigenvalues lowered by τ times the step"
                                 : "Weight 10 N τ: eigenvalues lowered by τ, whatever the step");
    repro_report_columns(b, columns, sizeof columns / sizeof columns[0]);
    for (size_t set = 0; set < SETS; set++) {
        char label[64];
        snprintf(label, sizeof label, "%zu%s, PD-cone", gersh_dataset_features(x->set[set]),
                 set == 0 ? "" : " components");
        for (size_t t = 0; t < TAUS; t++)
            add_row(b, &x->cone[set][rule][t], label, set_names[set], "pdcone", tau_texts[t]);
    }
    if (rule == 0) {
        char label[64];
        snprintf(label, sizeof label, "%zu components, SGML", gersh_dataset_features(x->set[1]));
        add_row(b, &x->sgml, label, "pca10", "sgml", "");
    }
}

/* How much the objective rises from no weight to the largest, as a share. */
static double rise(const fitted *cone)
{
    return (cone[TAUS - 1].objective - cone[0].objective) / fmax(fabs(cone[0].objective), 1e-300);
}

static int all_there(const fitted *cone)
{
    int there = 1;
    for (size_t t = 0; t < TAUS; t++)
        there = there && cone[t].there;
    return there;
}

static void add_rule_claims(repro_builder *b, const experiment *x, size_t rule)
{
    static const char *const texts[RULES][3] = {
        {"a nuclear-norm prior worsens the objective (60 features)",
         "a nuclear-norm prior lowers the rank (60 features)",
         "after PCA the objective worsens faster as τ grows"},
        {"the same with a weight of 10 N τ: the objective worsens",
         "the same with a weight of 10 N τ: the rank falls",
         "the same with a weight of 10 N τ: after PCA the objective worsens faster"}};
    const fitted *full = x->cone[0][rule], *pca = x->cone[1][rule];
    if (!all_there(full) || !all_there(pca)) {
        for (size_t t = 0; t < 3; t++)
            repro_report_unknown(b, texts[rule][t]);
        return;
    }
    double weight = rule == 0 ? 1 : 10 * (double)gersh_dataset_rows(x->set[0]);
    double most = weight * taus[TAUS - 1] * (double)gersh_dataset_features(x->set[0]);
    repro_report_claim(
        b, repro_judge(1, rise(full) > 1e-6), texts[rule][0],
        "%.5g at τ = 0, %.5g at τ = 0.004; an exact minimiser rises by at most %.3g (weight × C)",
        full[0].objective, full[TAUS - 1].objective, most);
    repro_report_claim(b, repro_judge(1, full[TAUS - 1].rank < full[0].rank), texts[rule][1],
                       "rank %.0f at τ = 0, %.0f at τ = 0.004", full[0].rank, full[TAUS - 1].rank);
    repro_report_claim(b, repro_judge(1, rise(pca) > rise(full) + 1e-6), texts[rule][2],
                       "by %.3g %% with %zu components, by %.3g %% with %zu features", 100 * rise(pca),
                       gersh_dataset_features(x->set[1]), 100 * rise(full),
                       gersh_dataset_features(x->set[0]));
}

static void add_claims(repro_builder *b, const experiment *x)
{
    static const char *const texts[] = {
        "SGML needs less time than PD-cone with the prior (10 components)",
        "SGML's objective is below that of PD-cone with τ = 0.002 (10 components)"};
    double slowest = 0;
    for (size_t rule = 0; rule < RULES; rule++)
        add_rule_claims(b, x, rule);
    if (!all_there(x->cone[1][0]) || !x->sgml.there) {
        repro_report_unknown(b, texts[0]);
        repro_report_unknown(b, texts[1]);
        return;
    }
    for (size_t t = 1; t < TAUS; t++)
        slowest = fmax(slowest, x->cone[1][0][t].seconds);
    repro_report_claim(b, repro_judge(1, x->sgml.seconds < slowest), texts[0],
                       "SGML %.3g s%s, PD-cone at most %.3g s", x->sgml.seconds,
                       x->sgml.cut > 0 ? " (ended by the time limit)" : "", slowest);
    repro_report_claim(b, repro_judge(1, x->sgml.objective < x->cone[1][0][2].objective), texts[1],
                       "SGML %.4g, PD-cone %.4g", x->sgml.objective, x->cone[1][0][2].objective);
}

static void add_notes(repro_builder *b, const experiment *x)
{
    size_t n = gersh_dataset_rows(x->set[0]);
    repro_report_note(
        b,
        "all %zu rows at once, scaled by 'paper' (the paper does not say which rows it used, and its "
        "largest values are not those of M = 0 on all rows: compare the trends, not the values); "
        "principal components are those of the scaled rows",
        n);
    repro_report_note(b, "trace at most C = K, by projection, and rho 0; rank: eigenvalues above 1e-6 of "
                         "the largest, none where "
                         "that is below 1e-9 C");
    if (isfinite(x->limit))
        repro_report_note(b, "time limit of a fit: %g s", x->limit);
}

static gersh_status run_low_rank(repro_run *run, repro_builder *b)
{
    experiment x = {.run = run,
                    .source = find_sonar(run),
                    .limit = repro_run_limit(run, run->options->quick ? QUICK_LIMIT : USUAL_LIMIT)};
    gersh_status status = repro_source_load(find_sonar(run), run);
    if (status != GERSH_OK)
        return status;
    if (x.source->data == NULL) {
        repro_report_note(b, "sonar.csv is missing, so that there is no table");
        return GERSH_OK;
    }
    status = make_sets(&x);
    for (size_t set = 0; set < SETS && status == GERSH_OK; set++)
        for (size_t rule = 0; rule < RULES && status == GERSH_OK; rule++)
            for (size_t t = 0; t < TAUS && status == GERSH_OK; t++) {
                double weight = taus[t] * (rule == 0 ? 1 : 10 * (double)gersh_dataset_rows(x.set[0]));
                status =
                    get(&x.cone[set][rule][t], &x, set, "pdcone", weight, t == 0 && rule > 0 ? 0 : 0.5);
            }
    if (status == GERSH_OK)
        status = get(&x.sgml, &x, 1, "sgml", 0, 5);
    if (status == GERSH_OK) {
        for (size_t rule = 0; rule < RULES; rule++)
            add_table(b, &x, rule);
        add_claims(b, &x);
        add_notes(b, &x);
    }
    for (size_t set = 0; set < SETS; set++)
        gersh_dataset_free(x.set[set]);
    return status;
}

const repro_experiment repro_experiment_low_rank = {.name = "low-rank",
                                                    .title =
                                                        "A low-rank prior: lmnn on sonar with τ‖M‖_* added",
                                                    .needs_data = 1,
                                                    .estimate = estimate,
                                                    .run = run_low_rank};
