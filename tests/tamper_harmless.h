/*
 * What a model may say without harm, in words. Each makes the changed model and the honest one the same in that respect; what
 * is left of the change is not harmless.
 */
#ifndef GERSH_TESTS_TAMPER_HARMLESS_H
#define GERSH_TESTS_TAMPER_HARMLESS_H

#include "tamper.h"

static inline void same_clock(gersh_model *m, const fixture *f)
{
    const gersh_fit_info *info = &f->honest->info;
    m->info.seconds = info->seconds;
    m->info.seconds_gradient = info->seconds_gradient;
    m->info.seconds_minimizer = info->seconds_minimizer;
    m->info.seconds_objective = info->seconds_objective;
    m->info.seconds_step = info->seconds_step;
    m->info.memory = info->memory;
    m->info.iterations = info->iterations;
    m->info.newton_steps = info->newton_steps;
    m->info.pairs = info->pairs;
    m->info.pairs_all = info->pairs_all;
    m->info.rows_used = info->rows_used;
    m->info.rounds = info->rounds;
}

static inline void same_stop(gersh_model *m, const fixture *f)
{
    if (m->info.stop != GERSH_STOP_CONVERGED || m->info.relative_gap <= m->info.tol)
        m->info.stop = f->honest->info.stop;
}

static inline void same_course(gersh_model *m, const fixture *f)
{
    (void)f;
    gersh__trajectory_free(m->trajectory);
    m->trajectory = NULL;
}

static inline void same_version(gersh_model *m, const fixture *f)
{
    (void)f;
    gersh__free(m->version);
    m->version = gersh__text_copy("", 0);
}

static inline void same_split_of_gap(gersh_model *m, const fixture *f)
{
    if (strcmp(gersh__setting_text(f->honest->settings, GERSH__SOLVER), "balanced") == 0 &&
        m->info.search_gap >= 0 && m->info.search_gap <= m->info.gap * (1 + 1e-9))
        m->info.search_gap = f->honest->info.search_gap;
}

static inline void same_witness(gersh_model *m, const fixture *f)
{
    (void)f;
    if (m->info.has_bound)
        place_witness_at(m, GERSH__WITNESS_METRIC);
}

/* Named as a number or as a word. */
static inline void same_limit(gersh_model *m, const fixture *f, int which, double limit)
{
    const char *name = gersh_settings_info(which)->name, *text = gersh_settings_get(m->settings, name);
    double number = strcmp(text, "K") == 0      ? (double)m->features
                    : strcmp(text, "auto") == 0 ? limit
                                                : strtod(text, NULL);
    if (fabs(number - limit) <= 1e-9 * limit)
        set_setting(m, name, gersh_settings_get(f->honest->settings, name));
}

static inline void same_settings(gersh_model *m, const fixture *f)
{
    static const int free_to_say[] = {
        GERSH__LABEL,    GERSH__LABELS,     GERSH__FORMAT,      GERSH__HEADER,    GERSH__IGNORE,
        GERSH__TASK,     GERSH__MISSING,    GERSH__CATEGORICAL, GERSH__WEIGHTS,   GERSH__ZERO,
        GERSH__MAX_ITER, GERSH__MAX_TIME,   GERSH__INIT,        GERSH__ROWS_ONLY, GERSH__DIAGONALS_ONLY,
        GERSH__NUCLEAR,  GERSH__CLASSIFIER, GERSH__NEIGHBORS,   GERSH__VOTES,     GERSH__SEED,
        GERSH__THREADS,  GERSH__MEMORY};
    same_limit(m, f, GERSH__TRACE, m->info.budget);
    same_limit(m, f, GERSH__RHO, m->info.rho);
    for (size_t i = 0; i < sizeof free_to_say / sizeof free_to_say[0]; i++) {
        const char *name = gersh_settings_info(free_to_say[i])->name;
        set_setting(m, name, gersh_settings_get(f->honest->settings, name));
    }
}

static inline void same_tolerance(gersh_model *m, const fixture *f)
{
    if (m->info.tol != gersh__setting_number(m->settings, GERSH__TOL))
        return;
    m->info.tol = f->honest->info.tol;
    set_setting(m, "tol", gersh_settings_get(f->honest->settings, "tol"));
    if (m->info.stop == GERSH_STOP_CONVERGED || m->info.stop == GERSH_STOP_SETTLED)
        m->info.stop = f->honest->info.stop;
}

/* Only where they agree with every edge, found here from the graph of the metric. */
static inline void same_colours(gersh_model *m, const fixture *f)
{
    gersh_graph *graph = NULL;
    if (m->color == NULL || f->honest->color == NULL)
        return;
    assert_ok(gersh_metric_graph(&graph, m->metric));
    for (size_t i = 0; i < m->features; i++)
        for (size_t e = graph->start[i]; e < graph->start[i + 1]; e++)
            if ((graph->entry[e] < 0) != (m->color[i] == m->color[graph->neighbor[e]])) {
                gersh_graph_free(graph);
                return;
            }
    gersh_graph_free(graph);
    memcpy(m->color, f->honest->color, m->features * sizeof *m->color);
}

static inline void near_number(double *x, double honest, double tolerance)
{
    if (fabs(*x - honest) <= tolerance)
        *x = honest;
}

static inline void same_within_rounding(gersh_model *m, const fixture *f)
{
    const gersh_fit_info *h = &f->honest->info;
    const gersh_check *value = look_up(&f->report, "objective value"),
                      *bound = look_up(&f->report, "bound"), *share = look_up(&f->report, "relative gap");
    double of_value = value != NULL ? value->tolerance : 0, of_bound = bound != NULL ? bound->tolerance : 0;
    near_number(&m->info.objective_value, h->objective_value, 2 * of_value);
    near_number(&m->info.bound, h->bound, 2 * of_bound);
    near_number(&m->info.gap, h->gap, 2 * (of_value + of_bound));
    near_number(&m->info.search_gap, h->search_gap, 2 * (of_value + of_bound));
    near_number(&m->info.relative_gap, h->relative_gap, share != NULL ? 2 * share->tolerance : 0);
    near_number(&m->info.budget, h->budget, 2e-9 * h->budget);
    near_number(&m->info.rho, h->rho, 2e-9 * h->rho);
    near_number(&m->metric->rho, h->rho, 2e-9 * h->rho);
    if (m->witness.metric != NULL)
        m->witness.metric->rho = h->rho;
    near_number(&m->importance.separation, f->honest->importance.separation, 2e-6);
}

static inline void same_contributions(gersh_model *m, const fixture *f)
{
    const double *honest = f->honest->importance.contribution;
    double *c = m->importance.contribution, size = 0;
    m->importance.kind = f->honest->importance.kind;
    if (honest == NULL)
        return;
    if (c == NULL) { /* an honest model that says less */
        c = m->importance.contribution = gersh__alloc(m->features, sizeof *c);
        memcpy(c, honest, m->features * sizeof *c);
        m->importance.separation = f->honest->importance.separation;
    }
    for (size_t j = 0; j < m->features; j++)
        size += honest[j] / f->honest->importance.separation; /* tr(M S_b), above which no mean is */
    for (size_t j = 0; j < m->features; j++)
        near_number(&c[j], honest[j], 2e-6 * fabs(size));
}

/* Moved hardly at all; that its value is the stated one is checked. */
static inline void same_metric(gersh_model *m, const fixture *f)
{
    size_t k = m->features;
    double *matrix[2] = {calloc(k * k, sizeof(double)), calloc(k * k, sizeof(double))}, off = 0;
    gersh_metric_matrix(m->metric, matrix[0]);
    gersh_metric_matrix(f->honest->metric, matrix[1]);
    for (size_t e = 0; e < k * k; e++)
        off = fmax(off, fabs(matrix[0][e] - matrix[1][e]));
    free(matrix[0]);
    free(matrix[1]);
    if (off > 2e-6 * gersh_metric_trace(f->honest->metric))
        return;
    gersh_metric_free(m->metric);
    m->metric = NULL;
    assert_ok(gersh_metric_copy(&m->metric, f->honest->metric));
}

/* Where the verdict on the honest model says already that these were not checked. */
static inline void same_unchecked(gersh_model *m, const fixture *f)
{
    gersh_importance *importance = &m->importance;
    if (f->report.verdict != GERSH_VERIFICATION_PARTIAL)
        return;
    gersh__bootstrap_free(m->bootstrap);
    m->bootstrap = NULL;
    gersh__free(importance->permutation);
    gersh__free(importance->deviation);
    importance->permutation = importance->deviation = NULL;
    importance->splits = 0;
    importance->score = 0;
    importance->kind = GERSH_IMPORTANCE_WEIGHT;
}

/* Left out, a record claims nothing. */
static inline void same_history(gersh_model *m, const fixture *f)
{
    gersh_training_accuracy *a = &m->accuracy;
    const gersh_training_accuracy *honest = &f->honest->accuracy;
    if (a->samples == 0)
        *a = *honest;
    a->automatic = honest->automatic;
    a->switched = honest->switched;
    a->other = honest->other;
    a->other_accuracy = honest->other_accuracy;
}

static const struct harmless {
    const char *what, *why;
    void (*restore)(gersh_model *m, const fixture *f);
} harmless[] = {
    {"times and counts", "they tell how long the fit took and how it went about it; nothing rests on them",
     same_clock},
    {"stop", "why a search ended says nothing of the metric, but for 'converged', which is checked",
     same_stop},
    {"course", "what the search went through is not what it found", same_course},
    {"version", "a name of the program", same_version},
    {"search gap", "balanced only: how the gap is shared out between search and hull; the whole is checked",
     same_split_of_gap},
    {"settings",
     "of reading, of running and of predicting: samples, value and bound are checked for themselves",
     same_settings},
    {"tolerance", "the tolerance that a user asked for; what was reached is stated and checked",
     same_tolerance},
    {"colours", "of a part of the graph that no edge joins to the others, which has two colourings",
     same_colours},
    {"rounding", "less than the tolerance that the check states", same_within_rounding},
    {"contributions", "left out, or within the stated tolerance, or ranked by another of the true numbers",
     same_contributions},
    {"metric",
     "another metric of the same set, within 2e-6 of its trace, with the stated value to 1e-9: it is as "
     "good",
     same_metric},
    {"what else was tried", "how another objective classified is history; how this metric does is measured",
     same_history},
    {"what is not checked", "bootstrap and permutation importance, where the verdict says so",
     same_unchecked},
    {"witness", "whatever metric proves the stated bound, it is proved", same_witness},
};
enum { HARMLESS = sizeof harmless / sizeof harmless[0] };

static inline gersh_model *without_harmless(const gersh_model *model, const fixture *f, int with_data)
{
    gersh_model *copy = copy_model(model, with_data);
    for (size_t h = 0; h < HARMLESS; h++)
        harmless[h].restore(copy, f);
    return copy;
}

/* Whether the two say the same but for what is harmless. */
static inline int is_harmless(const gersh_model *changed, const fixture *f, int with_data)
{
    char *bytes[2] = {NULL, NULL};
    size_t size[2] = {0, 0};
    const gersh_model *model[2] = {changed, f->honest};
    for (int i = 0; i < 2; i++) {
        gersh_model *bare = without_harmless(model[i], f, with_data);
        if (gersh_model_pack(&bytes[i], &size[i], bare, with_data) != GERSH_OK)
            size[i] = (size_t)i;
        gersh_model_free(bare);
    }
    int same = size[0] == size[1] && memcmp(bytes[0], bytes[1], size[0]) == 0;
    free(bytes[0]);
    free(bytes[1]);
    return same;
}

#endif
