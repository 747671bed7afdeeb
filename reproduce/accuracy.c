/*
 * The paper's tables of accuracies: ten nearest neighbours on 15 data sets, over ten random splits, with metrics of
 * four objectives, its four schemes, and ours; beside the Euclidean metric, and one that a search chooses.
 */
#include "accuracy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gersh/evaluate.h"
#include "paper.h"

#define ROUNDING 1e-9
#define TEST_PER_TRAIN (GERSH_EVALUATE_TEST_SHARE / (1 - GERSH_EVALUATE_TEST_SHARE))

static const repro_way euclidean = {"euclidean", NULL, 0}, tuned = {"tuned", NULL, 1};

static double estimate(repro_run *run)
{
    repro_source *source[REPRO_ACCURACY_SETS];
    double sum = 0;
    repro_sources_pick(source, REPRO_ACCURACY_SETS, run, 0);
    for (size_t d = 0; d < REPRO_ACCURACY_SETS; d++) {
        sum += repro_accuracy_cost(run, source[d], euclidean) + repro_accuracy_cost(run, source[d], tuned);
        for (size_t i = 0; i < REPRO_ACCURACY_OBJECTIVES * REPRO_SCHEMES; i++)
            sum += repro_accuracy_cost(run, source[d],
                                       (repro_way){repro_accuracy_objectives[i / REPRO_SCHEMES],
                                                   repro_scheme_names[i % REPRO_SCHEMES], 0});
    }
    return sum;
}

int repro_accuracy_as_in_paper(const repro_source *source)
{
    size_t rows = source->data != NULL ? gersh_dataset_rows(source->data) : source->rows;
    size_t features = source->data != NULL ? gersh_dataset_features(source->data) : source->features;
    return rows == source->paper_rows && features == source->paper_features;
}

/* Whether the data set takes part in the means. */
static int is_in(const repro_accuracy *all, size_t objective, size_t d, repro_accuracy_span span)
{
    int whole = all->euclidean[d].there;
    for (size_t s = 0; s < REPRO_SCHEMES; s++)
        whole = whole && all->fitted[objective][d][s].there;
    return whole && (span == REPRO_ALL_SETS || repro_accuracy_as_in_paper(all->source[d]));
}

/* The mean of what is `step` scores apart. */
static double mean_of(const repro_accuracy *all, size_t objective, repro_accuracy_span span,
                      const repro_score *score, size_t step, size_t *sets)
{
    double sum = 0;
    size_t count = 0;
    for (size_t d = 0; d < REPRO_ACCURACY_SETS; d++)
        if (is_in(all, objective, d, span)) {
            sum += score[d * step].there ? score[d * step].accuracy : NAN;
            count++;
        }
    if (sets != NULL)
        *sets = count;
    return count > 0 ? sum / (double)count : NAN;
}

double repro_accuracy_mean(const repro_accuracy *all, size_t objective, size_t scheme,
                           repro_accuracy_span span, size_t *sets)
{
    return mean_of(all, objective, span, &all->fitted[objective][0][scheme], REPRO_SCHEMES, sets);
}

double repro_accuracy_euclidean_mean(const repro_accuracy *all, size_t objective, repro_accuracy_span span)
{
    return mean_of(all, objective, span, all->euclidean, 1, NULL);
}

double repro_accuracy_tuned_mean(const repro_accuracy *all, size_t objective, repro_accuracy_span span)
{
    return mean_of(all, objective, span, all->tuned, 1, NULL);
}

/* Splits overlap: the variance of their mean is that of one times 1/n + test/train, see gersh/evaluate.h. */
double repro_accuracy_error(const repro_accuracy *all, size_t objective, size_t scheme,
                            repro_accuracy_span span)
{
    double sum = 0;
    size_t count = 0;
    for (size_t d = 0; d < REPRO_ACCURACY_SETS; d++) {
        const repro_score *score = &all->fitted[objective][d][scheme];
        if (!is_in(all, objective, d, span))
            continue;
        sum += score->deviation * score->deviation * (1 / score->splits + TEST_PER_TRAIN);
        count++;
    }
    return count > 0 ? sqrt(sum) / (double)count : NAN;
}

static int paper_value(double *value, size_t objective, size_t scheme, const char *name)
{
    return repro_paper_value(value, "accuracy", "value", repro_accuracy_objectives[objective],
                             repro_scheme_names[scheme], name);
}

double repro_accuracy_paper_mean(const repro_accuracy *all, size_t objective, size_t scheme,
                                 repro_accuracy_span span)
{
    double sum = 0;
    size_t count = 0;
    for (size_t d = 0; d < REPRO_ACCURACY_SETS; d++) {
        double value = NAN;
        if (!is_in(all, objective, d, span))
            continue;
        paper_value(&value, objective, scheme, all->source[d]->name);
        sum += value;
        count++;
    }
    return count > 0 ? sum / (double)count : NAN;
}

/* Of HBNB, PGML and SGML, as the paper's bold figures. */
static int is_best(const repro_score *score, size_t scheme)
{
    if (scheme < REPRO_HBNB || scheme > REPRO_SGML)
        return 0;
    for (size_t s = REPRO_HBNB; s <= REPRO_SGML; s++)
        if (!score[s].there || score[s].accuracy > score[scheme].accuracy + ROUNDING)
            return 0;
    return 1;
}

/* Ours, and the paper's in brackets where it has one; ours is NAN where there is none. */
static void add_pair(repro_builder *b, double ours, const char *marks, double paper)
{
    char text[64] = "-";
    if (isfinite(ours))
        snprintf(text, sizeof text, "%.2f%s", ours, marks);
    if (isfinite(paper))
        repro_report_cell(b, "%s (%.2f)", text, paper);
    else
        repro_report_cell(b, "%s", text);
}

static void add_scheme(repro_builder *b, const repro_accuracy *all, size_t o, size_t s)
{
    static const repro_accuracy_span spans[] = {REPRO_ALL_SETS, REPRO_SETS_AS_IN_PAPER};
    repro_report_row(b, s == REPRO_PAPER_SCHEMES);
    repro_report_cell(b, "%s", repro_scheme_titles[s]);
    for (size_t d = 0; d < REPRO_ACCURACY_SETS; d++) {
        const repro_score *score = &all->fitted[o][d][s];
        double paper = NAN;
        char marks[8];
        snprintf(marks, sizeof marks, "%s%s", is_best(all->fitted[o][d], s) ? "*" : "",
                 score->cut > 0 ? "†" : "");
        paper_value(&paper, o, s, all->source[d]->name);
        add_pair(b, score->there ? score->accuracy : NAN, marks, paper);
    }
    for (size_t i = 0; i < 2; i++)
        add_pair(b, repro_accuracy_mean(all, o, s, spans[i], NULL), "",
                 repro_accuracy_paper_mean(all, o, s, spans[i]));
}

static void add_other(repro_builder *b, const char *title, int rule, const repro_score *score,
                      const double mean[2])
{
    repro_report_row(b, rule);
    repro_report_cell(b, "%s", title);
    for (size_t d = 0; d < REPRO_ACCURACY_SETS; d++)
        add_pair(b, score[d].there ? score[d].accuracy : NAN, "", NAN);
    for (size_t i = 0; i < 2; i++)
        add_pair(b, mean[i], "", NAN);
}

static void add_table(repro_builder *b, const repro_accuracy *all, size_t o)
{
    char name[64], title[128], remark[128];
    size_t sets[2];
    const double plain[] = {repro_accuracy_euclidean_mean(all, o, REPRO_ALL_SETS),
                            repro_accuracy_euclidean_mean(all, o, REPRO_SETS_AS_IN_PAPER)},
                 found[] = {repro_accuracy_tuned_mean(all, o, REPRO_ALL_SETS),
                            repro_accuracy_tuned_mean(all, o, REPRO_SETS_AS_IN_PAPER)};
    snprintf(name, sizeof name, "accuracy-%s", repro_accuracy_objectives[o]);
    snprintf(title, sizeof title, "%s, %% of the test rows: ours, and the paper's in brackets",
             repro_accuracy_objectives[o]);
    repro_report_table(b, name, 1, title);
    repro_report_column(b, "scheme");
    for (size_t d = 0; d < REPRO_ACCURACY_SETS; d++) {
        repro_source_remark(remark, sizeof remark, all->source[d]);
        repro_report_column(b, "%s%s", all->source[d]->name, *remark != '\0' ? "‡" : "");
    }
    repro_accuracy_mean(all, o, REPRO_SGML, REPRO_ALL_SETS, &sets[0]);
    repro_accuracy_mean(all, o, REPRO_SGML, REPRO_SETS_AS_IN_PAPER, &sets[1]);
    repro_report_column(b, "average of %zu", sets[0]);
    repro_report_column(b, "average of %zu as in the paper", sets[1]);
    for (size_t s = 0; s < REPRO_SCHEMES; s++)
        add_scheme(b, all, o, s);
    add_other(b, "Euclidean", 1, all->euclidean, plain);
    if (!all->quick)
        add_other(b, "tuned", 0, all->tuned, found);
}

static void add_cell_row(repro_builder *b, const repro_source *source, const repro_score *score,
                         const char *objective, const char *scheme)
{
    char remark[128];
    double paper;
    if (!score->there)
        return;
    repro_report_row(b, 0);
    repro_report_cell(b, "%s", objective);
    repro_report_cell(b, "%s", source->name);
    repro_report_cell(b, "%s", scheme);
    repro_report_cell(b, "%.17g", score->accuracy);
    if (repro_paper_value(&paper, "accuracy", "value", objective, scheme, source->name))
        repro_report_cell(b, "%.17g", paper);
    else
        repro_report_cell(b, "%s", "");
    repro_report_cell(b, "%.6g", score->deviation);
    repro_report_cell(b, "%.0f", score->splits);
    repro_report_cell(b, "%.0f", score->cut);
    repro_report_cell(b, "%.6g", score->seconds);
    repro_report_cell(b, "%s", repro_source_remark(remark, sizeof remark, source));
}

/* Everything, a line for each cell; for programs. */
static void add_cells(repro_builder *b, const repro_accuracy *all)
{
    static const char *const columns[] = {"objective", "dataset", "scheme", "accuracy", "paper",
                                          "deviation", "splits",  "cut",    "seconds",  "remark"};
    repro_report_table(b, "accuracy", 0, "Cells");
    repro_report_columns(b, columns, sizeof columns / sizeof columns[0]);
    for (size_t o = 0; o < REPRO_ACCURACY_OBJECTIVES; o++)
        for (size_t d = 0; d < REPRO_ACCURACY_SETS; d++)
            for (size_t s = 0; s < REPRO_SCHEMES; s++)
                add_cell_row(b, all->source[d], &all->fitted[o][d][s], repro_accuracy_objectives[o],
                             repro_scheme_names[s]);
    for (size_t d = 0; d < REPRO_ACCURACY_SETS; d++)
        add_cell_row(b, all->source[d], &all->euclidean[d], euclidean.objective, "");
    for (size_t d = 0; d < REPRO_ACCURACY_SETS; d++)
        add_cell_row(b, all->source[d], &all->tuned[d], tuned.objective, "");
}

static void add_notes(const repro_run *run, repro_builder *b, const repro_accuracy *all)
{
    repro_accuracy_plan plan = repro_accuracy_plan_of(run);
    char remark[128], limit[128] = "fits have no time limit";
    for (size_t d = 0; d < REPRO_ACCURACY_SETS; d++)
        if (*repro_source_remark(remark, sizeof remark, all->source[d]) != '\0')
            repro_report_note(b, "‡ %s: %s", all->source[d]->name, remark);
    if (isfinite(plan.limit))
        snprintf(limit, sizeof limit,
                 "† some fits were ended by the time limit of %g s, and gave their best metrics so far",
                 plan.limit);
    repro_report_note(b, "* best of HBNB, PGML and SGML, ties counting for all; %s", limit);
    repro_report_note(
        b,
        "means over %zu random splits, 90 %% of the rows to learn from and 10 %% to predict, stratified, "
        "seeds from %s on; %d nearest neighbours; scaling 'paper', fitted to the rows to learn from, trace "
        "C = K and rho 1e-5 for all solvers; missing values are 0",
        plan.splits, gersh_settings_get(run->settings, "seed"), (int)REPRO_ACCURACY_NEIGHBORS);
    repro_report_note(b, "averages are over the data sets where all rows but tuned have a value, the "
                         "paper's over the same ones; as in the paper: without data of another size");
    if (run->options->quick)
        repro_report_note(b, "a quick run: the four data sets with the fewest rows, and no tuned row; "
                             "accuracies are not those of a full run");
    else
        repro_report_note(b,
                          "tuned: scaling, objective, solver, trace and number of neighbours by "
                          "cross-validation on the rows to learn from, %g s at most in each split; the "
                          "row does not depend on the objective of the table",
                          plan.budget);
}

static gersh_status get_all(repro_accuracy *all, repro_run *run, repro_builder *b)
{
    gersh_status status = GERSH_OK;
    for (size_t d = 0; d < REPRO_ACCURACY_SETS && status == GERSH_OK; d++) {
        status = repro_accuracy_get(&all->euclidean[d], run, b, all->source[d], euclidean);
        for (size_t o = 0; o < REPRO_ACCURACY_OBJECTIVES; o++)
            for (size_t s = 0; s < REPRO_SCHEMES && status == GERSH_OK; s++)
                status =
                    repro_accuracy_get(&all->fitted[o][d][s], run, b, all->source[d],
                                       (repro_way){repro_accuracy_objectives[o], repro_scheme_names[s], 0});
        if (status == GERSH_OK)
            status = repro_accuracy_get(&all->tuned[d], run, b, all->source[d], tuned);
    }
    return status;
}

static gersh_status run_accuracy(repro_run *run, repro_builder *b)
{
    repro_accuracy *all = repro_alloc(1, sizeof *all);
    if (all == NULL)
        return GERSH_ERROR_MEMORY;
    all->quick = run->options->quick;
    repro_sources_pick(all->source, REPRO_ACCURACY_SETS, run, 0);
    gersh_status status = get_all(all, run, b);
    if (status == GERSH_OK) {
        for (size_t o = 0; o < REPRO_ACCURACY_OBJECTIVES; o++)
            add_table(b, all, o);
        repro_accuracy_summary(b, all);
        add_cells(b, all);
        repro_accuracy_claims(b, all);
        add_notes(run, b, all);
    }
    free(all);
    return status;
}

const repro_experiment repro_experiment_accuracy = {.name = "accuracy",
                                                    .title = "Accuracies of ten nearest neighbours",
                                                    .needs_data = 1,
                                                    .estimate = estimate,
                                                    .run = run_accuracy};
