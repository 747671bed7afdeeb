/* What the paper says of its objective values, and what is said here of balanced and its bound, checked on the cells. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "objectives.h"
#include "paper.h"

#define ROUNDING 1e-9
#define TINY 1e-8 /* a gap that small is none, whatever the value */

/* Whether all of the paper's algorithms have a value. */
static int is_whole(const repro_fits *fits)
{
    int whole = 1;
    for (size_t s = 0; s < REPRO_PAPER_SCHEMES; s++)
        whole = whole && repro_fits_has_value(&fits[s]);
    return whole;
}

/* The mean over the data sets with all values; count gets how many there are. */
static double mean_value(const repro_objectives *all, size_t o, size_t s, size_t *sets)
{
    double sum = 0;
    *sets = 0;
    for (size_t d = 0; d < REPRO_SOURCES; d++)
        if (is_whole(all->fits[o][d])) {
            sum += all->fits[o][d][s].value;
            ++*sets;
        }
    return *sets > 0 ? sum / (double)*sets : NAN;
}

/* SGML is nearest to PD-cone among the three, by the mean ratio; by the mean value where no ratio can be taken. */
static void add_nearest(repro_builder *b, const repro_objectives *all, size_t o)
{
    static const size_t schemes[] = {REPRO_HBNB, REPRO_PGML, REPRO_SGML};
    int maximized = gersh_objective_find(repro_objective_names[o])->maximized;
    double over[3], mean[3];
    size_t used = 0, sets = 0;
    char text[128];
    snprintf(text, sizeof text, "SGML's mean is nearest to PD-cone among HBNB, PGML, SGML (%s)",
             repro_objective_names[o]);
    for (size_t i = 0; i < 3; i++) {
        over[i] = repro_objectives_over(all, o, schemes[i], &used);
        mean[i] = mean_value(all, o, schemes[i], &sets);
    }
    if (sets == 0) {
        repro_report_unknown(b, text);
        return;
    }
    const double *by = used > 0 ? over : mean;
    int best = maximized ? by[2] >= fmax(by[0], by[1]) - ROUNDING : by[2] <= fmin(by[0], by[1]) + ROUNDING;
    if (used > 0)
        repro_report_claim(
            b, repro_judge(1, best), text,
            "over PD-cone %.3g, %.3g, %.3g (%zu of 17 data sets); mean values %.3g, %.3g, %.3g (%zu)",
            over[0], over[1], over[2], used, mean[0], mean[1], mean[2], sets);
    else
        repro_report_claim(
            b, repro_judge(1, best), text,
            "mean values %.3g, %.3g, %.3g (%zu of 17 data sets; PD-cone is below 1e-9 in all)", mean[0],
            mean[1], mean[2], sets);
}

/* Which of the three has the most best values: SGML with mcml, deml and lsml, HBNB with lmnn and glr. */
static void add_most(repro_builder *b, const repro_objectives *all, size_t o)
{
    int hbnb = o == REPRO_LMNN || o == REPRO_GLR;
    size_t count[] = {repro_objectives_best(all, o, REPRO_HBNB), repro_objectives_best(all, o, REPRO_PGML),
                      repro_objectives_best(all, o, REPRO_SGML)};
    size_t claimed = count[hbnb ? 0 : 2],
           other = count[1] > count[hbnb ? 2 : 0] ? count[1] : count[hbnb ? 2 : 0];
    char text[128];
    snprintf(text, sizeof text, "%s has the most best values (%s)", hbnb ? "HBNB" : "SGML",
             repro_objective_names[o]);
    if (count[0] + count[1] + count[2] == 0)
        repro_report_unknown(b, text);
    else
        repro_report_claim(b, repro_judge(1, claimed > other), text, "HBNB %zu, PGML %zu, SGML %zu",
                           count[0], count[1], count[2]);
}

typedef struct tally {
    size_t yes, of;
} tally;

static void count(tally *t, int known, int yes)
{
    t->of += (size_t)(known != 0);
    t->yes += (size_t)(known && yes);
}

/* Whether balanced is no worse than the other, but for what its certificate leaves open. */
static int within_gap(const repro_fits *balanced, const repro_fits *other)
{
    double slack = (balanced->has_bound ? balanced->gap : 0) + 1e-9 * (1 + fabs(other->value));
    return balanced->maximized ? balanced->value >= other->value - slack
                               : balanced->value <= other->value + slack;
}

static int certified(const repro_fits *fits, double share)
{
    return fits->has_bound && (fits->gap <= share * fabs(fits->value) || fits->gap <= TINY);
}

/*
 * Cells other than lmnn: balanced against the paper's figure for SGML. Those where it is not better come in a table, with
 * whether PD-cone, run here, is off from the paper's PD-cone in the same direction: then the folds are harder.
 */
static void add_paper_sgml(repro_builder *b, const repro_objectives *all)
{
    tally beats = {0}, same_way = {0};
    repro_report_table(
        b, "objectives-behind", 1,
        "Cells (without lmnn) where balanced is not better than the paper's figure for SGML");
    static const char *const columns[] = {"objective, data set", "balanced",
                                          "paper's SGML",        "PD-cone",
                                          "paper's PD-cone",     "PD-cone is off in the same direction"};
    repro_report_columns(b, columns, sizeof columns / sizeof columns[0]);
    for (size_t o = 0; o < REPRO_OBJECTIVES; o++)
        for (size_t d = 0; d < REPRO_SOURCES; d++) {
            const repro_fits *balanced = &all->fits[o][d][REPRO_BALANCED],
                             *ours = &all->fits[o][d][REPRO_PDCONE];
            double sgml, cone;
            const char *objective = repro_objective_names[o], *name = all->source[d].name;
            if (o == REPRO_LMNN || !repro_fits_has_value(balanced) ||
                !repro_paper_value(&sgml, "objectives", "value", objective, "sgml", name) ||
                !repro_paper_value(&cone, "objectives", "value", objective, "pdcone", name))
                continue;
            double sign = balanced->maximized ? -1 : 1;
            int better = sign * balanced->value < sign * sgml;
            count(&beats, 1, better);
            if (better)
                continue;
            int known = repro_fits_has_value(ours), same = known && sign * ours->value > sign * cone;
            count(&same_way, known, same);
            repro_report_row(b, 0);
            repro_report_cell(b, "%s, %s", objective, name);
            repro_report_number(b, balanced->value);
            repro_report_number(b, sgml);
            repro_report_number(b, known ? ours->value : NAN);
            repro_report_number(b, cone);
            repro_report_cell(b, "%s", !known ? "-" : same ? "yes" : "no");
        }
    repro_report_claim(
        b, repro_judge(beats.of > 0, beats.yes == beats.of),
        "here: balanced is better than the paper's figure for SGML (without lmnn)",
        "in %zu of %zu cells; of the other %zu, our PD-cone too is worse than the paper's in %zu",
        beats.yes, beats.of, beats.of - beats.yes, same_way.yes);
}

static void add_ours(repro_builder *b, const repro_objectives *all)
{
    static const size_t others[] = {REPRO_SGML, REPRO_PGML, REPRO_HBNB};
    tally baseline = {0}, nested = {0}, better[3] = {{0}}, close[2] = {{0}};
    for (size_t o = 0; o < REPRO_OBJECTIVES; o++)
        for (size_t d = 0; d < REPRO_SOURCES; d++) {
            const repro_fits *fits = all->fits[o][d], *balanced = &fits[REPRO_BALANCED];
            int have[REPRO_SCHEMES];
            for (size_t s = 0; s < REPRO_SCHEMES; s++)
                have[s] = repro_fits_has_value(&fits[s]);
            for (size_t s = REPRO_HBNB; s <= REPRO_SGML; s++)
                count(&baseline, have[REPRO_PDCONE] && have[s],
                      repro_fits_no_worse(&fits[REPRO_PDCONE], &fits[s]));
            count(&nested, have[REPRO_SGML] && have[REPRO_PGML],
                  repro_fits_no_worse(&fits[REPRO_SGML], &fits[REPRO_PGML]));
            for (size_t i = 0; i < 3; i++)
                count(&better[i], have[REPRO_BALANCED] && have[others[i]],
                      within_gap(balanced, &fits[others[i]]));
            count(&close[0], have[REPRO_BALANCED], certified(balanced, 1e-3));
            count(&close[1], have[REPRO_BALANCED], certified(balanced, 1e-2));
        }
    repro_report_claim(b, repro_judge(baseline.of > 0, baseline.yes == baseline.of),
                       "PD-cone has a better value than HBNB, PGML and SGML", "in %zu of %zu comparisons",
                       baseline.yes, baseline.of);
    repro_report_claim(b, repro_judge(nested.of > 0, nested.yes == nested.of),
                       "SGML, whose search space is larger, is no worse than PGML", "in %zu of %zu cells",
                       nested.yes, nested.of);
    repro_report_claim(b,
                       repro_judge(better[0].of > 0, better[0].yes == better[0].of &&
                                                         better[1].yes == better[1].of &&
                                                         better[2].yes == better[2].of),
                       "here: balanced is no worse than SGML, PGML and HBNB, beyond its certified gap",
                       "in %zu of %zu, %zu of %zu and %zu of %zu cells", better[0].yes, better[0].of,
                       better[1].yes, better[1].of, better[2].yes, better[2].of);
    add_paper_sgml(b, all);
    repro_report_claim(b, repro_judge(close[1].of > 0, close[1].yes == close[1].of),
                       "here: the bound certifies balanced within 1 %",
                       "within 0.1 %% in %zu, within 1 %% in %zu of %zu cells (or a gap below 1e-8)",
                       close[0].yes, close[1].yes, close[1].of);
}

void repro_objectives_claims(repro_builder *b, const repro_objectives *all)
{
    for (size_t o = 0; o < REPRO_OBJECTIVES; o++)
        add_nearest(b, all, o);
    for (size_t o = 0; o < REPRO_OBJECTIVES; o++)
        add_most(b, all, o);
    add_ours(b, all);
}
