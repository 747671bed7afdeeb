/*
 * Running times on the two data sets of many features, beside the seconds behind the paper's figures. Fits are made
 * one at a time and in one thread each. A fit that the time limit ended would have taken longer: the sum is then a
 * lower bound, and so is the ratio of PD-cone's seconds to those of a solver that ended by itself.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "paper.h"
#include "run.h"

#define MANY 10               /* times the iterations of SGML */
#define GOAL 50               /* PD-cone's seconds over those of balanced */
#define SMALL_EIGEN_SHARE 0.3 /* the largest share of the eigenvector in the paper's own seconds is 28 % */

enum { LARGE = 2 }; /* data sets */

typedef struct times {
    repro_source *source[LARGE];
    repro_fits fits[LARGE][REPRO_OBJECTIVES][REPRO_SCHEMES];
} times;

static double estimate(repro_run *run)
{
    times all = {0};
    double sum = 0;
    repro_sources_pick(all.source, LARGE, run, 1);
    for (size_t d = 0; d < LARGE; d++)
        for (size_t o = 0; o < REPRO_OBJECTIVES; o++)
            for (size_t s = 0; s < REPRO_SCHEMES; s++)
                sum += repro_fits_cost(run, all.source[d], repro_objective_names[o], repro_scheme_names[s]);
    return sum;
}

/* a over b, with a mark where time limits make it a bound; "" where one of the two was not made. */
static void add_ratio(repro_builder *b, const repro_fits *a, const repro_fits *base)
{
    int known = repro_fits_has_value(a) && repro_fits_has_value(base) && base->seconds > 0;
    const char *mark = a->cut > 0 && base->cut > 0 ? "?" : a->cut > 0 ? "≥" : base->cut > 0 ? "≤" : "";
    if (known)
        repro_report_cell(b, "%s%.3g", mark, a->seconds / base->seconds);
    else
        repro_report_cell(b, "%s", "");
}

static void add_paper_ratio(repro_builder *b, const char *data, const char *objective)
{
    double text = NAN, cone, sgml;
    repro_paper_value(&text, "speedups", "value", data, objective, NULL);
    repro_report_number(b, text);
    if (repro_paper_value(&cone, "runtime", "total", data, objective, "pdcone") &&
        repro_paper_value(&sgml, "runtime", "total", data, objective, "sgml"))
        repro_report_number(b, cone / sgml);
}

static void add_ratios(repro_builder *b, const times *all)
{
    static const char *const columns[] = {"data set, objective", "PD-cone/SGML", "paper's text",
                                          "paper's seconds",     "HBNB/SGML",    "PD-cone/balanced"};
    repro_report_table(b, "runtime-ratios", 1, "Ratios of seconds");
    repro_report_columns(b, columns, sizeof columns / sizeof columns[0]);
    for (size_t d = 0; d < LARGE; d++)
        for (size_t o = 0; o < REPRO_OBJECTIVES; o++) {
            const repro_fits *fits = all->fits[d][o];
            repro_report_row(b, o == 0);
            repro_report_cell(b, "%s, %s", all->source[d]->name, repro_objective_names[o]);
            add_ratio(b, &fits[REPRO_PDCONE], &fits[REPRO_SGML]);
            add_paper_ratio(b, all->source[d]->name, repro_objective_names[o]);
            add_ratio(b, &fits[REPRO_HBNB], &fits[REPRO_SGML]);
            add_ratio(b, &fits[REPRO_PDCONE], &fits[REPRO_BALANCED]);
        }
    repro_report_table_note(
        b, "≥: fits of the first one were ended by the time limit; ≤: fits of the second one; ?: of "
           "both");
}

static void add_share(repro_builder *b, const repro_fits *fits, double share, double part, double total)
{
    if (repro_fits_has_value(fits))
        repro_report_cell(b, "%.0f", 100 * share);
    else
        repro_report_cell(b, "%s", "");
    if (isfinite(part / total))
        repro_report_cell(b, "%.0f", 100 * part / total);
    else
        repro_report_cell(b, "%s", "");
}

static void add_seconds_row(repro_builder *b, const times *all, size_t d, size_t o, size_t s)
{
    static const char *const parts[] = {"total", "eigen", "lp", "step"};
    const char *data = all->source[d]->name, *objective = repro_objective_names[o],
               *scheme = repro_scheme_names[s];
    const repro_fits *fits = &all->fits[d][o][s];
    int known = repro_fits_has_value(fits);
    double paper[4] = {NAN, NAN, NAN, NAN}, value = NAN, sgml = NAN;
    for (size_t p = 0; p < 4; p++)
        repro_paper_value(&paper[p], "runtime", parts[p], data, objective, scheme);
    repro_paper_value(&value, "objectives", "value", objective, scheme, data);
    repro_paper_value(&sgml, "objectives", "value", objective, "sgml", data);
    repro_report_row(b, s == 0 || s == REPRO_PAPER_SCHEMES);
    repro_report_cell(b, "%s, %s, %s", data, objective, repro_scheme_titles[s]);
    if (known)
        repro_report_cell(b, "%s%.3g", fits->cut > 0 ? "≥" : "", fits->seconds);
    else
        repro_report_cell(b, "%s", "");
    repro_report_number(b, paper[0]);
    repro_report_number(b, known ? fits->iterations / fits->folds : NAN);
    add_share(b, fits, fits->eigen, paper[1], paper[0]);
    add_share(b, fits, fits->minimizer, paper[2], paper[0]);
    add_share(b, fits, fits->step, paper[3], paper[0]);
    repro_report_number(b, known ? fits->edges : NAN);
    repro_report_number(b, known ? fits->value : NAN);
    repro_report_number(b, value);
    repro_report_number(b, sgml);
    if (known)
        repro_report_cell(b, "%.0f of %.0f", fits->cut, fits->folds);
}

static void add_seconds(repro_builder *b, const times *all)
{
    static const char *const columns[] = {"data set, objective, scheme",
                                          "seconds",
                                          "paper",
                                          "iterations",
                                          "eigen %",
                                          "paper",
                                          "LP %",
                                          "paper",
                                          "step %",
                                          "paper",
                                          "edges",
                                          "objective",
                                          "paper",
                                          "paper's SGML",
                                          "ended by limit"};
    repro_report_table(b, "runtime", 1,
                       "Seconds (sum over the folds), where they went, and the objective (mean)");
    repro_report_columns(b, columns, sizeof columns / sizeof columns[0]);
    for (size_t d = 0; d < LARGE; d++)
        for (size_t o = 0; o < REPRO_OBJECTIVES; o++)
            for (size_t s = 0; s < REPRO_SCHEMES; s++)
                add_seconds_row(b, all, d, o, s);
    repro_report_table_note(
        b, "iterations and edges: mean of a fold; LP: the linear minimiser; the paper's seconds are "
           "of Matlab and Gurobi on 24 cores, those here of one thread");
}

/* The five ratios that the paper's text states, and the one that it says is below 1. */
static void add_speed_claim(repro_builder *b, const times *all, size_t d, size_t o)
{
    const char *data = all->source[d]->name, *objective = repro_objective_names[o];
    const repro_fits *cone = &all->fits[d][o][REPRO_PDCONE], *sgml = &all->fits[d][o][REPRO_SGML];
    double paper = NAN;
    int slower = o == REPRO_LSML && strcmp(data, "madelon") == 0;
    char text[160];
    if (!repro_paper_value(&paper, "speedups", "value", data, objective, NULL) && !slower)
        return;
    if (slower)
        snprintf(text, sizeof text, "SGML is slower than PD-cone on %s with %s", data, objective);
    else
        snprintf(text, sizeof text, "SGML is faster than PD-cone on %s with %s (%.2f times, by the text)",
                 data, objective, paper);
    if (!repro_fits_has_value(cone) || !repro_fits_has_value(sgml)) {
        repro_report_unknown(b, text);
        return;
    }
    /* Seconds of fits that were cut off only say that they take at least as long. */
    int faster = cone->seconds > sgml->seconds, known = faster ? sgml->cut == 0 : cone->cut == 0;
    repro_report_claim(b, repro_judge(known, slower ? !faster : faster), text,
                       "PD-cone %s%.3g s, SGML %s%.3g s", cone->cut > 0 ? "at least " : "", cone->seconds,
                       sgml->cut > 0 ? "at least " : "", sgml->seconds);
}

/* Sums over the cells (a data set with an objective) that have all of PD-cone, HBNB, SGML and balanced. */
typedef struct totals {
    size_t cells;
    int reached; /* PD-cone takes GOAL times as long as balanced in all of them */
    double seconds[REPRO_SCHEMES], eigen[REPRO_SCHEMES], cut[REPRO_SCHEMES], iterations[REPRO_SCHEMES];
    double folds, least,
        dense; /* least: smallest ratio of PD-cone to balanced; dense: largest share of edges */
} totals;

static void add_cell(totals *sum, const repro_fits *fits, double features)
{
    if (!repro_fits_has_value(&fits[REPRO_PDCONE]) || !repro_fits_has_value(&fits[REPRO_HBNB]) ||
        !repro_fits_has_value(&fits[REPRO_SGML]) || !repro_fits_has_value(&fits[REPRO_BALANCED]))
        return;
    for (size_t s = 0; s < REPRO_SCHEMES; s++) {
        sum->seconds[s] += fits[s].seconds;
        sum->eigen[s] += fits[s].eigen * fits[s].seconds;
        sum->cut[s] += fits[s].cut;
        sum->iterations[s] += fits[s].iterations;
    }
    sum->cells++;
    sum->folds += fits[REPRO_SGML].folds;
    sum->dense = fmax(sum->dense, fits[REPRO_SGML].edges / (features * (features - 1) / 2));
    sum->least = fmin(sum->least, fits[REPRO_PDCONE].seconds / fmax(fits[REPRO_BALANCED].seconds, 1e-300));
    sum->reached = sum->reached && fits[REPRO_PDCONE].seconds >= GOAL * fits[REPRO_BALANCED].seconds;
}

static totals add_up(const times *all)
{
    totals sum = {.reached = 1, .least = INFINITY};
    for (size_t d = 0; d < LARGE; d++)
        for (size_t o = 0; o < REPRO_OBJECTIVES; o++)
            if (all->source[d]->data != NULL)
                add_cell(&sum, all->fits[d][o], (double)gersh_dataset_features(all->source[d]->data));
    return sum;
}

static void add_total_claims(repro_builder *b, const times *all)
{
    static const char *const texts[] = {"eigen-decomposition is most of PD-cone's time",
                                        "the eigenvector is a small share of SGML's time",
                                        "PD-cone and HBNB take large numbers of iterations to converge",
                                        "SGML converges much faster than PD-cone and HBNB over all",
                                        "the learned M is sparse (SGML)",
                                        "goal here: balanced is 50 times as fast as PD-cone"};
    totals sum = add_up(all);
    if (sum.cells == 0) {
        for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++)
            repro_report_unknown(b, texts[t]);
        return;
    }
    const double *seconds = sum.seconds, *cut = sum.cut, *steps = sum.iterations;
    double cone = sum.eigen[REPRO_PDCONE] / seconds[REPRO_PDCONE],
           sgml = sum.eigen[REPRO_SGML] / seconds[REPRO_SGML];
    int many = fmin(steps[REPRO_PDCONE], steps[REPRO_HBNB]) > MANY * steps[REPRO_SGML];
    int fastest = seconds[REPRO_SGML] < seconds[REPRO_PDCONE] && seconds[REPRO_SGML] < seconds[REPRO_HBNB];
    repro_report_claim(b, repro_judge(1, cone > 0.5), texts[0],
                       "%.0f %% (over %zu of 10 data sets with an objective, as all that follows)",
                       100 * cone, sum.cells);
    repro_report_claim(b, repro_judge(1, sgml < SMALL_EIGEN_SHARE), texts[1],
                       "%.0f %%; in the paper's seconds at most 28 %%", 100 * sgml);
    repro_report_claim(b, repro_judge(many || cut[REPRO_PDCONE] + cut[REPRO_HBNB] == 0, many), texts[2],
                       "iterations of a fold, mean: PD-cone %.0f, HBNB %.0f, SGML %.0f",
                       steps[REPRO_PDCONE] / sum.folds, steps[REPRO_HBNB] / sum.folds,
                       steps[REPRO_SGML] / sum.folds);
    repro_report_claim(
        b, repro_judge(fastest ? cut[REPRO_SGML] == 0 : cut[REPRO_PDCONE] + cut[REPRO_HBNB] == 0, fastest),
        texts[3],
        "PD-cone %.4g s, HBNB %.4g s, SGML %.4g s; ended by the limit: %.0f, %.0f and %.0f of %.0f fits",
        seconds[REPRO_PDCONE], seconds[REPRO_HBNB], seconds[REPRO_SGML], cut[REPRO_PDCONE], cut[REPRO_HBNB],
        cut[REPRO_SGML], sum.folds);
    repro_report_claim(b, repro_judge(1, sum.dense < 0.05), texts[4],
                       "at most %.3g %% of the pairs of features are edges", 100 * sum.dense);
    repro_report_claim(b, repro_judge(sum.reached || cut[REPRO_PDCONE] == 0, sum.reached), texts[5],
                       "at least %.4g times as fast for every objective", sum.least);
}

static gersh_status draw(repro_run *run, const times *all, size_t d)
{
    enum { PAPER = 2, SERIES = PAPER + REPRO_SCHEMES };
    static const char *const shown[PAPER] = {"pdcone", "sgml"};
    const char *series[SERIES] = {"paper's PD-cone", "paper's SGML"}, *data = all->source[d]->name;
    double value[REPRO_OBJECTIVES * SERIES];
    int at_least[REPRO_OBJECTIVES * SERIES] = {0};
    char title[128], name[64];
    for (size_t s = 0; s < REPRO_SCHEMES; s++)
        series[PAPER + s] = repro_scheme_titles[s];
    for (size_t i = 0; i < (size_t)REPRO_OBJECTIVES * SERIES; i++) {
        size_t o = i / SERIES, s = i % SERIES;
        value[i] = NAN;
        if (s < PAPER) {
            repro_paper_value(&value[i], "runtime", "total", data, repro_objective_names[o], shown[s]);
            continue;
        }
        const repro_fits *fits = &all->fits[d][o][s - PAPER];
        if (repro_fits_has_value(fits))
            value[i] = fits->seconds;
        at_least[i] = fits->cut > 0;
    }
    snprintf(title, sizeof title, "Running time on %s, sum over the folds", data);
    snprintf(name, sizeof name, "runtime-%s", data);
    repro_bars bars = {title, REPRO_OBJECTIVES, SERIES, repro_objective_names, series, value, at_least};
    return repro_run_write(run, name, "svg", repro_svg_bars, &bars);
}

static void add_notes(repro_run *run, repro_builder *b, const times *all)
{
    for (size_t d = 0; d < LARGE; d++) {
        char remark[128];
        repro_plan plan = repro_fits_plan(run, all->source[d]);
        repro_source_remark(remark, sizeof remark, all->source[d]);
        if (!all->source[d]->there)
            repro_report_note(b, "%s.csv is missing", all->source[d]->name);
        else
            repro_report_note(
                b, "%s: folds 1 to %zu, one fit at a time in one thread, %g s at most for each%s%s",
                all->source[d]->name, plan.folds, plan.limit, *remark != '\0' ? "; " : "", remark);
    }
    repro_fits_note(run, b);
    repro_report_note(
        b, "trace C = K and rho 1e-5 for all; a fit looks at its limit between iterations, so that PD-cone "
           "may pass it by one eigen-decomposition");
}

static gersh_status run_runtime(repro_run *run, repro_builder *b)
{
    times *all = repro_alloc(1, sizeof *all);
    gersh_status status = all != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
    if (status != GERSH_OK)
        return status;
    repro_sources_pick(all->source, LARGE, run, 1);
    for (size_t d = 0; d < LARGE; d++)
        for (size_t o = 0; o < REPRO_OBJECTIVES; o++)
            for (size_t s = 0; s < REPRO_SCHEMES && status == GERSH_OK; s++)
                status = repro_fits_get(&all->fits[d][o][s], run, b, all->source[d],
                                        repro_objective_names[o], repro_scheme_names[s]);
    if (status == GERSH_OK) {
        add_seconds(b, all);
        add_ratios(b, all);
        for (size_t d = 0; d < LARGE; d++)
            for (size_t o = 0; o < REPRO_OBJECTIVES; o++)
                add_speed_claim(b, all, d, o);
        add_total_claims(b, all);
        add_notes(run, b, all);
    }
    for (size_t d = 0; d < LARGE && status == GERSH_OK; d++)
        if (all->source[d]->there)
            status = draw(run, all, d);
    free(all);
    return status;
}

const repro_experiment repro_experiment_runtime = {.name = "runtime",
                                                   .title = "Running times on madelon and colon-cancer",
                                                   .needs_data = 1,
                                                   .estimate = estimate,
                                                   .run = run_runtime};
