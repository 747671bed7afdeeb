/*
 * Running times on the two data sets of many features, beside the seconds behind the paper's figures. Fits are made
 * one at a time and in one thread each. A fit that the time limit ended would have taken longer: the sum is then a
 * lower bound, and so is the ratio of PD-cone's seconds to those of a solver that ended by itself.
 */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "use/reproduce_paper.h"
#include "use/reproduce_run.h"

#define MANY_ITERATIONS 10    /* times the iterations of SGML */
#define RUNTIME_GOAL 50       /* PD-cone's seconds over those of balanced */
#define SMALL_EIGEN_SHARE 0.3 /* the largest share of the eigenvector in the paper's own seconds is 28 % */

enum { LARGE = 2, PDCONE = 0, HBNB = 1, SGML = 3, BALANCED = 4 };

typedef struct times {
    gersh__source *source[LARGE];
    gersh__fits fits[LARGE][GERSH__OBJECTIVES][GERSH__SCHEMES];
} times;

static void find_sources(times *all, gersh__run *run)
{
    size_t found = 0;
    for (size_t s = 0; s < GERSH__SOURCES && found < LARGE; s++)
        if (run->source[s].large)
            all->source[found++] = &run->source[s];
}

static double estimate(gersh__run *run)
{
    times all = {0};
    double sum = 0;
    find_sources(&all, run);
    for (size_t d = 0; d < LARGE; d++)
        for (size_t o = 0; o < GERSH__OBJECTIVES; o++)
            for (size_t s = 0; s < GERSH__SCHEMES; s++)
                sum +=
                    gersh__fits_cost(run, all.source[d], gersh__objective_names[o], gersh__scheme_names[s]);
    return sum;
}

/* a over b, with a mark where time limits make it a bound; "" where one of the two was not made. */
static void add_ratio(gersh__builder *b, const gersh__fits *a, const gersh__fits *base)
{
    int known = gersh__fits_has_value(a) && gersh__fits_has_value(base) && base->seconds > 0;
    const char *mark = a->cut > 0 && base->cut > 0 ? "?" : a->cut > 0 ? "≥" : base->cut > 0 ? "≤" : "";
    if (known)
        gersh__report_cell(b, "%s%.3g", mark, a->seconds / base->seconds);
    else
        gersh__report_cell(b, "%s", "");
}

static void add_paper_ratio(gersh__builder *b, const char *data, const char *objective)
{
    double text = NAN, cone, sgml;
    gersh__paper_value(&text, "speedups", "value", data, objective, NULL);
    gersh__report_number(b, text);
    if (gersh__paper_value(&cone, "runtime", "total", data, objective, "pdcone") &&
        gersh__paper_value(&sgml, "runtime", "total", data, objective, "sgml"))
        gersh__report_number(b, cone / sgml);
}

static void add_ratios(gersh__builder *b, const times *all)
{
    static const char *const columns[] = {"data set, objective", "PD-cone/SGML", "paper's text",
                                          "paper's seconds",     "HBNB/SGML",    "PD-cone/balanced"};
    gersh__report_table(b, "runtime-ratios", 1, "Ratios of seconds");
    for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++)
        gersh__report_column(b, "%s", columns[c]);
    for (size_t d = 0; d < LARGE; d++)
        for (size_t o = 0; o < GERSH__OBJECTIVES; o++) {
            const gersh__fits *fits = all->fits[d][o];
            gersh__report_row(b, o == 0);
            gersh__report_cell(b, "%s, %s", all->source[d]->name, gersh__objective_names[o]);
            add_ratio(b, &fits[PDCONE], &fits[SGML]);
            add_paper_ratio(b, all->source[d]->name, gersh__objective_names[o]);
            add_ratio(b, &fits[HBNB], &fits[SGML]);
            add_ratio(b, &fits[PDCONE], &fits[BALANCED]);
        }
    gersh__report_table_note(
        b, "≥: fits of the first one were ended by the time limit; ≤: fits of the second one; ?: of "
           "both");
}

static void add_share(gersh__builder *b, const gersh__fits *fits, double share, double part, double total)
{
    if (gersh__fits_has_value(fits))
        gersh__report_cell(b, "%.0f", 100 * share);
    else
        gersh__report_cell(b, "%s", "");
    if (isfinite(part / total))
        gersh__report_cell(b, "%.0f", 100 * part / total);
    else
        gersh__report_cell(b, "%s", "");
}

static void add_seconds_row(gersh__builder *b, const times *all, size_t d, size_t o, size_t s)
{
    static const char *const parts[] = {"total", "eigen", "lp", "step"};
    const char *data = all->source[d]->name, *objective = gersh__objective_names[o],
               *scheme = gersh__scheme_names[s];
    const gersh__fits *fits = &all->fits[d][o][s];
    int known = gersh__fits_has_value(fits);
    double paper[4] = {NAN, NAN, NAN, NAN}, value = NAN, sgml = NAN;
    for (size_t p = 0; p < 4; p++)
        gersh__paper_value(&paper[p], "runtime", parts[p], data, objective, scheme);
    gersh__paper_value(&value, "objectives", "value", objective, scheme, data);
    gersh__paper_value(&sgml, "objectives", "value", objective, "sgml", data);
    gersh__report_row(b, s == 0 || s == GERSH__PAPER_SCHEMES);
    gersh__report_cell(b, "%s, %s, %s", data, objective, gersh__scheme_titles[s]);
    if (known)
        gersh__report_cell(b, "%s%.3g", fits->cut > 0 ? "≥" : "", fits->seconds);
    else
        gersh__report_cell(b, "%s", "");
    gersh__report_number(b, paper[0]);
    gersh__report_number(b, known ? fits->iterations / fits->folds : NAN);
    add_share(b, fits, fits->eigen, paper[1], paper[0]);
    add_share(b, fits, fits->minimizer, paper[2], paper[0]);
    add_share(b, fits, fits->step, paper[3], paper[0]);
    gersh__report_number(b, known ? fits->edges : NAN);
    gersh__report_number(b, known ? fits->value : NAN);
    gersh__report_number(b, value);
    gersh__report_number(b, sgml);
    if (known)
        gersh__report_cell(b, "%.0f of %.0f", fits->cut, fits->folds);
}

static void add_seconds(gersh__builder *b, const times *all)
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
    gersh__report_table(b, "runtime", 1,
                        "Seconds (sum over the folds), where they went, and the objective (mean)");
    for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++)
        gersh__report_column(b, "%s", columns[c]);
    for (size_t d = 0; d < LARGE; d++)
        for (size_t o = 0; o < GERSH__OBJECTIVES; o++)
            for (size_t s = 0; s < GERSH__SCHEMES; s++)
                add_seconds_row(b, all, d, o, s);
    gersh__report_table_note(
        b, "iterations and edges: mean of a fold; LP: the linear minimiser; the paper's seconds are "
           "of Matlab and Gurobi on 24 cores, those here of one thread");
}

/* The five ratios that the paper's text states, and the one that it says is below 1. */
static void add_speed_claim(gersh__builder *b, const times *all, size_t d, size_t o)
{
    const char *data = all->source[d]->name, *objective = gersh__objective_names[o];
    const gersh__fits *cone = &all->fits[d][o][PDCONE], *sgml = &all->fits[d][o][SGML];
    double paper = NAN;
    int slower = o == GERSH__LSML && strcmp(data, "madelon") == 0;
    char text[160];
    if (!gersh__paper_value(&paper, "speedups", "value", data, objective, NULL) && !slower)
        return;
    if (slower)
        snprintf(text, sizeof text, "SGML is slower than PD-cone on %s with %s", data, objective);
    else
        snprintf(text, sizeof text, "SGML is faster than PD-cone on %s with %s (%.2f times, by the text)",
                 data, objective, paper);
    if (!gersh__fits_has_value(cone) || !gersh__fits_has_value(sgml)) {
        gersh__report_unknown(b, text);
        return;
    }
    /* Seconds of fits that were cut off only say that they take at least as long. */
    int faster = cone->seconds > sgml->seconds, known = faster ? sgml->cut == 0 : cone->cut == 0;
    gersh__report_claim(b, gersh__verdict(known, slower ? !faster : faster), text,
                        "PD-cone %s%.3g s, SGML %s%.3g s", cone->cut > 0 ? "at least " : "", cone->seconds,
                        sgml->cut > 0 ? "at least " : "", sgml->seconds);
}

/* Sums over the cells (a data set with an objective) that have all of PD-cone, HBNB, SGML and balanced. */
typedef struct totals {
    size_t cells;
    int reached; /* PD-cone takes RUNTIME_GOAL times as long as balanced in all of them */
    double seconds[GERSH__SCHEMES], eigen[GERSH__SCHEMES], cut[GERSH__SCHEMES], iterations[GERSH__SCHEMES];
    double folds, least,
        dense; /* least: smallest ratio of PD-cone to balanced; dense: largest share of edges */
} totals;

static void add_cell(totals *sum, const gersh__fits *fits, double features)
{
    if (!gersh__fits_has_value(&fits[PDCONE]) || !gersh__fits_has_value(&fits[HBNB]) ||
        !gersh__fits_has_value(&fits[SGML]) || !gersh__fits_has_value(&fits[BALANCED]))
        return;
    for (size_t s = 0; s < GERSH__SCHEMES; s++) {
        sum->seconds[s] += fits[s].seconds;
        sum->eigen[s] += fits[s].eigen * fits[s].seconds;
        sum->cut[s] += fits[s].cut;
        sum->iterations[s] += fits[s].iterations;
    }
    sum->cells++;
    sum->folds += fits[SGML].folds;
    sum->dense = fmax(sum->dense, fits[SGML].edges / (features * (features - 1) / 2));
    sum->least = fmin(sum->least, fits[PDCONE].seconds / fmax(fits[BALANCED].seconds, 1e-300));
    sum->reached = sum->reached && fits[PDCONE].seconds >= RUNTIME_GOAL * fits[BALANCED].seconds;
}

static totals add_up(const times *all)
{
    totals sum = {.reached = 1, .least = INFINITY};
    for (size_t d = 0; d < LARGE; d++)
        for (size_t o = 0; o < GERSH__OBJECTIVES; o++)
            if (all->source[d]->data != NULL)
                add_cell(&sum, all->fits[d][o], (double)gersh_dataset_features(all->source[d]->data));
    return sum;
}

static void add_total_claims(gersh__builder *b, const times *all)
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
            gersh__report_unknown(b, texts[t]);
        return;
    }
    const double *seconds = sum.seconds, *cut = sum.cut, *steps = sum.iterations;
    double cone = sum.eigen[PDCONE] / seconds[PDCONE], sgml = sum.eigen[SGML] / seconds[SGML];
    int many = fmin(steps[PDCONE], steps[HBNB]) > MANY_ITERATIONS * steps[SGML];
    int fastest = seconds[SGML] < seconds[PDCONE] && seconds[SGML] < seconds[HBNB];
    gersh__report_claim(b, gersh__verdict(1, cone > 0.5), texts[0],
                        "%.0f %% (over %zu of 10 data sets with an objective, as all that follows)",
                        100 * cone, sum.cells);
    gersh__report_claim(b, gersh__verdict(1, sgml < SMALL_EIGEN_SHARE), texts[1],
                        "%.0f %%; in the paper's seconds at most 28 %%", 100 * sgml);
    gersh__report_claim(b, gersh__verdict(many || cut[PDCONE] + cut[HBNB] == 0, many), texts[2],
                        "iterations of a fold, mean: PD-cone %.0f, HBNB %.0f, SGML %.0f",
                        steps[PDCONE] / sum.folds, steps[HBNB] / sum.folds, steps[SGML] / sum.folds);
    gersh__report_claim(
        b, gersh__verdict(fastest ? cut[SGML] == 0 : cut[PDCONE] + cut[HBNB] == 0, fastest), texts[3],
        "PD-cone %.4g s, HBNB %.4g s, SGML %.4g s; ended by the limit: %.0f, %.0f and %.0f of %.0f fits",
        seconds[PDCONE], seconds[HBNB], seconds[SGML], cut[PDCONE], cut[HBNB], cut[SGML], sum.folds);
    gersh__report_claim(b, gersh__verdict(1, sum.dense < 0.05), texts[4],
                        "at most %.3g %% of the pairs of features are edges", 100 * sum.dense);
    gersh__report_claim(b, gersh__verdict(sum.reached || cut[PDCONE] == 0, sum.reached), texts[5],
                        "at least %.4g times as fast for every objective", sum.least);
}

static gersh_status draw(gersh__run *run, const times *all, size_t d)
{
    enum { PAPER = 2, SERIES = PAPER + GERSH__SCHEMES };
    static const char *const shown[PAPER] = {"pdcone", "sgml"};
    const char *series[SERIES] = {"paper's PD-cone", "paper's SGML"}, *data = all->source[d]->name;
    double value[GERSH__OBJECTIVES * SERIES];
    int at_least[GERSH__OBJECTIVES * SERIES] = {0};
    char title[128], name[64];
    for (size_t s = 0; s < GERSH__SCHEMES; s++)
        series[PAPER + s] = gersh__scheme_titles[s];
    for (size_t i = 0; i < (size_t)GERSH__OBJECTIVES * SERIES; i++) {
        size_t o = i / SERIES, s = i % SERIES;
        value[i] = NAN;
        if (s < PAPER) {
            gersh__paper_value(&value[i], "runtime", "total", data, gersh__objective_names[o], shown[s]);
            continue;
        }
        const gersh__fits *fits = &all->fits[d][o][s - PAPER];
        if (gersh__fits_has_value(fits))
            value[i] = fits->seconds;
        at_least[i] = fits->cut > 0;
    }
    snprintf(title, sizeof title, "Running time on %s, sum over the folds", data);
    snprintf(name, sizeof name, "runtime-%s", data);
    gersh__bars bars = {title, GERSH__OBJECTIVES, SERIES, gersh__objective_names, series, value, at_least};
    return gersh__run_write(run, name, "svg", gersh__svg_bars, &bars);
}

static void add_notes(gersh__run *run, gersh__builder *b, const times *all)
{
    for (size_t d = 0; d < LARGE; d++) {
        char remark[128];
        gersh__plan plan = gersh__fits_plan(run, all->source[d]);
        gersh__source_remark(remark, sizeof remark, all->source[d]);
        if (!all->source[d]->there)
            gersh__report_note(b, "%s.csv is missing", all->source[d]->name);
        else
            gersh__report_note(
                b, "%s: folds 1 to %zu, one fit at a time in one thread, %g s at most for each%s%s",
                all->source[d]->name, plan.folds, plan.limit, *remark != '\0' ? "; " : "", remark);
    }
    gersh__fits_note(run, b);
    gersh__report_note(
        b, "trace C = K and rho 1e-5 for all; a fit looks at its limit between iterations, so that PD-cone "
           "may pass it by one eigen-decomposition");
}

static gersh_status run_runtime(gersh__run *run, gersh__builder *b)
{
    times *all = gersh__alloc(1, sizeof *all);
    gersh_status status = all != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
    if (status != GERSH_OK)
        return status;
    find_sources(all, run);
    for (size_t d = 0; d < LARGE; d++)
        for (size_t o = 0; o < GERSH__OBJECTIVES; o++)
            for (size_t s = 0; s < GERSH__SCHEMES && status == GERSH_OK; s++)
                status = gersh__fits_get(&all->fits[d][o][s], run, b, all->source[d],
                                         gersh__objective_names[o], gersh__scheme_names[s]);
    if (status == GERSH_OK) {
        add_seconds(b, all);
        add_ratios(b, all);
        for (size_t d = 0; d < LARGE; d++)
            for (size_t o = 0; o < GERSH__OBJECTIVES; o++)
                add_speed_claim(b, all, d, o);
        add_total_claims(b, all);
        add_notes(run, b, all);
    }
    for (size_t d = 0; d < LARGE && status == GERSH_OK; d++)
        if (all->source[d]->there)
            status = draw(run, all, d);
    gersh__free(all);
    return status;
}

const gersh__experiment gersh__reproduce_runtime = {.name = "runtime",
                                                    .title = "Running times on madelon and colon-cancer",
                                                    .needs_data = 1,
                                                    .estimate = estimate,
                                                    .run = run_runtime};
