/*
 * The paper's tables of accuracies: ten nearest neighbours on 15 data sets, over ten random splits, with metrics of
 * four objectives, its four schemes, and ours; beside the Euclidean metric, and one that a search chooses.
 */
#include "use/reproduce_accuracy.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "gersh/evaluate.h"
#include "use/reproduce_paper.h"
#include "use/reproduce_report.h"

#define TEST_PER_TRAIN (GERSH_EVALUATE_TEST_SHARE / (1 - GERSH_EVALUATE_TEST_SHARE))

static const gersh__way euclidean = {"euclidean", NULL, 0}, tuned = {"tuned", NULL, 1};

static void find_sources(gersh__source **source, gersh__run *run)
{
    size_t found = 0;
    for (size_t s = 0; s < GERSH__SOURCES && found < GERSH__ACCURACY_SETS; s++)
        if (!run->source[s].large)
            source[found++] = &run->source[s];
}

static double estimate(gersh__run *run)
{
    gersh__source *source[GERSH__ACCURACY_SETS];
    double sum = 0;
    find_sources(source, run);
    for (size_t d = 0; d < GERSH__ACCURACY_SETS; d++) {
        sum +=
            gersh__accuracy_cost(run, source[d], euclidean) + gersh__accuracy_cost(run, source[d], tuned);
        for (size_t i = 0; i < GERSH__ACCURACY_OBJECTIVES * GERSH__SCHEMES; i++)
            sum += gersh__accuracy_cost(run, source[d],
                                        (gersh__way){gersh__accuracy_objectives[i / GERSH__SCHEMES],
                                                     gersh__scheme_names[i % GERSH__SCHEMES], 0});
    }
    return sum;
}

int gersh__accuracy_as_in_paper(const gersh__source *source)
{
    size_t rows = source->data != NULL ? gersh_dataset_rows(source->data) : source->rows;
    size_t features = source->data != NULL ? gersh_dataset_features(source->data) : source->features;
    return rows == source->paper_rows && features == source->paper_features;
}

/* Whether the data set takes part in the means. */
static int is_in(const gersh__accuracy *all, size_t objective, size_t d, gersh__accuracy_span span)
{
    int whole = all->euclidean[d].there;
    for (size_t s = 0; s < GERSH__SCHEMES; s++)
        whole = whole && all->fitted[objective][d][s].there;
    return whole && (span == GERSH__ALL_SETS || gersh__accuracy_as_in_paper(all->source[d]));
}

/* The mean of what is `step` scores apart. */
static double mean_of(const gersh__accuracy *all, size_t objective, gersh__accuracy_span span,
                      const gersh__score *score, size_t step, size_t *sets)
{
    double sum = 0;
    size_t count = 0;
    for (size_t d = 0; d < GERSH__ACCURACY_SETS; d++)
        if (is_in(all, objective, d, span)) {
            sum += score[d * step].there ? score[d * step].accuracy : NAN;
            count++;
        }
    if (sets != NULL)
        *sets = count;
    return count > 0 ? sum / (double)count : NAN;
}

double gersh__accuracy_mean(const gersh__accuracy *all, size_t objective, size_t scheme,
                            gersh__accuracy_span span, size_t *sets)
{
    return mean_of(all, objective, span, &all->fitted[objective][0][scheme], GERSH__SCHEMES, sets);
}

double gersh__accuracy_euclidean_mean(const gersh__accuracy *all, size_t objective,
                                      gersh__accuracy_span span)
{
    return mean_of(all, objective, span, all->euclidean, 1, NULL);
}

double gersh__accuracy_tuned_mean(const gersh__accuracy *all, size_t objective, gersh__accuracy_span span)
{
    return mean_of(all, objective, span, all->tuned, 1, NULL);
}

/* Splits overlap: the variance of their mean is that of one times 1/n + test/train, see gersh/evaluate.h. */
double gersh__accuracy_error(const gersh__accuracy *all, size_t objective, size_t scheme,
                             gersh__accuracy_span span)
{
    double sum = 0;
    size_t count = 0;
    for (size_t d = 0; d < GERSH__ACCURACY_SETS; d++) {
        const gersh__score *score = &all->fitted[objective][d][scheme];
        if (!is_in(all, objective, d, span))
            continue;
        sum += score->deviation * score->deviation * (1 / score->splits + TEST_PER_TRAIN);
        count++;
    }
    return count > 0 ? sqrt(sum) / (double)count : NAN;
}

static int paper_value(double *value, size_t objective, size_t scheme, const char *name)
{
    return gersh__paper_value(value, "accuracy", "value", gersh__accuracy_objectives[objective],
                              gersh__scheme_names[scheme], name);
}

double gersh__accuracy_paper_mean(const gersh__accuracy *all, size_t objective, size_t scheme,
                                  gersh__accuracy_span span)
{
    double sum = 0;
    size_t count = 0;
    for (size_t d = 0; d < GERSH__ACCURACY_SETS; d++) {
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
static int is_best(const gersh__score *score, size_t scheme)
{
    if (scheme < GERSH__HBNB || scheme > GERSH__SGML)
        return 0;
    for (size_t s = GERSH__HBNB; s <= GERSH__SGML; s++)
        if (!score[s].there || score[s].accuracy > score[scheme].accuracy + GERSH__PRINTED_ROUNDING)
            return 0;
    return 1;
}

/* Ours, and the paper's in brackets where it has one; ours is NAN where there is none. */
static void add_pair(gersh__builder *b, double ours, const char *marks, double paper)
{
    char text[64] = "-";
    if (isfinite(ours))
        snprintf(text, sizeof text, "%.2f%s", ours, marks);
    if (isfinite(paper))
        gersh__report_cell(b, "%s (%.2f)", text, paper);
    else
        gersh__report_cell(b, "%s", text);
}

static void add_scheme(gersh__builder *b, const gersh__accuracy *all, size_t o, size_t s)
{
    static const gersh__accuracy_span spans[] = {GERSH__ALL_SETS, GERSH__SETS_AS_IN_PAPER};
    gersh__report_row(b, s == GERSH__PAPER_SCHEMES);
    gersh__report_cell(b, "%s", gersh__scheme_titles[s]);
    for (size_t d = 0; d < GERSH__ACCURACY_SETS; d++) {
        const gersh__score *score = &all->fitted[o][d][s];
        double paper = NAN;
        char marks[8];
        snprintf(marks, sizeof marks, "%s%s", is_best(all->fitted[o][d], s) ? "*" : "",
                 score->cut > 0 ? "†" : "");
        paper_value(&paper, o, s, all->source[d]->name);
        add_pair(b, score->there ? score->accuracy : NAN, marks, paper);
    }
    for (size_t i = 0; i < 2; i++)
        add_pair(b, gersh__accuracy_mean(all, o, s, spans[i], NULL), "",
                 gersh__accuracy_paper_mean(all, o, s, spans[i]));
}

static void add_other(gersh__builder *b, const char *title, int rule, const gersh__score *score,
                      const double mean[2])
{
    gersh__report_row(b, rule);
    gersh__report_cell(b, "%s", title);
    for (size_t d = 0; d < GERSH__ACCURACY_SETS; d++)
        add_pair(b, score[d].there ? score[d].accuracy : NAN, "", NAN);
    for (size_t i = 0; i < 2; i++)
        add_pair(b, mean[i], "", NAN);
}

static void add_table(gersh__builder *b, const gersh__accuracy *all, size_t o)
{
    char name[64], title[128], remark[128];
    size_t sets[2];
    const double plain[] = {gersh__accuracy_euclidean_mean(all, o, GERSH__ALL_SETS),
                            gersh__accuracy_euclidean_mean(all, o, GERSH__SETS_AS_IN_PAPER)},
                 found[] = {gersh__accuracy_tuned_mean(all, o, GERSH__ALL_SETS),
                            gersh__accuracy_tuned_mean(all, o, GERSH__SETS_AS_IN_PAPER)};
    snprintf(name, sizeof name, "accuracy-%s", gersh__accuracy_objectives[o]);
    snprintf(title, sizeof title, "%s, %% of the test rows: ours, and the paper's in brackets",
             gersh__accuracy_objectives[o]);
    gersh__report_table(b, name, 1, title);
    gersh__report_column(b, "scheme");
    for (size_t d = 0; d < GERSH__ACCURACY_SETS; d++) {
        gersh__source_remark(remark, sizeof remark, all->source[d]);
        gersh__report_column(b, "%s%s", all->source[d]->name, *remark != '\0' ? "‡" : "");
    }
    gersh__accuracy_mean(all, o, GERSH__SGML, GERSH__ALL_SETS, &sets[0]);
    gersh__accuracy_mean(all, o, GERSH__SGML, GERSH__SETS_AS_IN_PAPER, &sets[1]);
    gersh__report_column(b, "average of %zu", sets[0]);
    gersh__report_column(b, "average of %zu as in the paper", sets[1]);
    for (size_t s = 0; s < GERSH__SCHEMES; s++)
        add_scheme(b, all, o, s);
    add_other(b, "Euclidean", 1, all->euclidean, plain);
    if (!all->quick)
        add_other(b, "tuned", 0, all->tuned, found);
}

static void add_cell_row(gersh__builder *b, const gersh__source *source, const gersh__score *score,
                         const char *objective, const char *scheme)
{
    char remark[128];
    double paper;
    if (!score->there)
        return;
    gersh__report_row(b, 0);
    gersh__report_cell(b, "%s", objective);
    gersh__report_cell(b, "%s", source->name);
    gersh__report_cell(b, "%s", scheme);
    gersh__report_cell(b, "%.17g", score->accuracy);
    if (gersh__paper_value(&paper, "accuracy", "value", objective, scheme, source->name))
        gersh__report_cell(b, "%.17g", paper);
    else
        gersh__report_cell(b, "%s", "");
    gersh__report_cell(b, "%.6g", score->deviation);
    gersh__report_cell(b, "%.0f", score->splits);
    gersh__report_cell(b, "%.0f", score->cut);
    gersh__report_cell(b, "%.6g", score->seconds);
    gersh__report_cell(b, "%s", gersh__source_remark(remark, sizeof remark, source));
}

/* Everything, a line for each cell; for programs. */
static void add_cells(gersh__builder *b, const gersh__accuracy *all)
{
    static const char *const columns[] = {"objective", "dataset", "scheme", "accuracy", "paper",
                                          "deviation", "splits",  "cut",    "seconds",  "remark"};
    gersh__report_table(b, "accuracy", 0, "Cells");
    for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++)
        gersh__report_column(b, "%s", columns[c]);
    for (size_t o = 0; o < GERSH__ACCURACY_OBJECTIVES; o++)
        for (size_t d = 0; d < GERSH__ACCURACY_SETS; d++)
            for (size_t s = 0; s < GERSH__SCHEMES; s++)
                add_cell_row(b, all->source[d], &all->fitted[o][d][s], gersh__accuracy_objectives[o],
                             gersh__scheme_names[s]);
    for (size_t d = 0; d < GERSH__ACCURACY_SETS; d++)
        add_cell_row(b, all->source[d], &all->euclidean[d], euclidean.objective, "");
    for (size_t d = 0; d < GERSH__ACCURACY_SETS; d++)
        add_cell_row(b, all->source[d], &all->tuned[d], tuned.objective, "");
}

static void add_notes(const gersh__run *run, gersh__builder *b, const gersh__accuracy *all)
{
    gersh__accuracy_plan plan = gersh__accuracy_plan_of(run);
    char remark[128], limit[128] = "fits have no time limit";
    for (size_t d = 0; d < GERSH__ACCURACY_SETS; d++)
        if (*gersh__source_remark(remark, sizeof remark, all->source[d]) != '\0')
            gersh__report_note(b, "‡ %s: %s", all->source[d]->name, remark);
    if (isfinite(plan.limit))
        snprintf(limit, sizeof limit,
                 "† some fits were ended by the time limit of %g s, and gave their best metrics so far",
                 plan.limit);
    gersh__report_note(b, "* best of HBNB, PGML and SGML, ties counting for all; %s", limit);
    gersh__report_note(
        b,
        "means over %zu random splits, 90 %% of the rows to learn from and 10 %% to predict, stratified, "
        "seeds from %s on; %d nearest neighbours; scaling 'paper', fitted to the rows to learn from, trace "
        "C = K and rho 1e-5 for all solvers; missing values are 0",
        plan.splits, gersh_settings_get(run->settings, "seed"), (int)GERSH__ACCURACY_NEIGHBORS);
    gersh__report_note(b, "averages are over the data sets where all rows but tuned have a value, the "
                          "paper's over the same ones; as in the paper: without data of another size");
    if (run->options->quick)
        gersh__report_note(b, "a quick run: the four data sets with the fewest rows, and no tuned row; "
                              "accuracies are not those of a full run");
    else
        gersh__report_note(b,
                           "tuned: scaling, objective, solver, trace and number of neighbours by "
                           "cross-validation on the rows to learn from, %g s at most in each split; the "
                           "row does not depend on the objective of the table",
                           plan.budget);
}

static gersh_status get_all(gersh__accuracy *all, gersh__run *run, gersh__builder *b)
{
    gersh_status status = GERSH_OK;
    for (size_t d = 0; d < GERSH__ACCURACY_SETS && status == GERSH_OK; d++) {
        status = gersh__accuracy_get(&all->euclidean[d], run, b, all->source[d], euclidean);
        for (size_t o = 0; o < GERSH__ACCURACY_OBJECTIVES; o++)
            for (size_t s = 0; s < GERSH__SCHEMES && status == GERSH_OK; s++)
                status = gersh__accuracy_get(
                    &all->fitted[o][d][s], run, b, all->source[d],
                    (gersh__way){gersh__accuracy_objectives[o], gersh__scheme_names[s], 0});
        if (status == GERSH_OK)
            status = gersh__accuracy_get(&all->tuned[d], run, b, all->source[d], tuned);
    }
    return status;
}

static gersh_status run_accuracy(gersh__run *run, gersh__builder *b)
{
    gersh__accuracy *all = gersh__alloc(1, sizeof *all);
    if (all == NULL)
        return GERSH_ERROR_MEMORY;
    all->quick = run->options->quick;
    find_sources(all->source, run);
    gersh_status status = get_all(all, run, b);
    if (status == GERSH_OK) {
        for (size_t o = 0; o < GERSH__ACCURACY_OBJECTIVES; o++)
            add_table(b, all, o);
        gersh__accuracy_summary(b, all);
        add_cells(b, all);
        gersh__accuracy_claims(b, all);
        add_notes(run, b, all);
    }
    gersh__free(all);
    return status;
}

const gersh__experiment gersh__reproduce_accuracy = {.name = "accuracy",
                                                     .title = "Accuracies of ten nearest neighbours",
                                                     .needs_data = 1,
                                                     .estimate = estimate,
                                                     .run = run_accuracy};
