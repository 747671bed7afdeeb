/* Changes of what a model claims: numbers, words, settings. Each returns 0 where it does not apply. */
#ifndef GERSH_TESTS_TAMPER_CLAIMS_H
#define GERSH_TESTS_TAMPER_CLAIMS_H

#include "tamper.h"

static inline int change_number(gersh_model *m, const fixture *f, int variant)
{
    gersh_fit_info *i = &m->info;
    double *const number[] = {&i->objective_value, &i->bound,      &i->gap,
                              &i->relative_gap,    &i->search_gap, &i->tol,
                              &i->budget,          &i->rho,        &i->value_error};
    double *at = number[variant / OPERATIONS], changed = operate(*at, variant % OPERATIONS);
    int differs = changed != *at;
    (void)f;
    *at = changed;
    return differs;
}

static inline int swap_numbers(gersh_model *m, const fixture *f, int variant)
{
    gersh_fit_info *i = &m->info;
    double *const number[] = {&i->objective_value, &i->bound, &i->gap, &i->relative_gap, &i->search_gap};
    static const int pair[10][2] = {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 2},
                                    {1, 3}, {1, 4}, {2, 3}, {2, 4}, {3, 4}};
    (void)f;
    if (!i->has_bound)
        return 0;
    swap_doubles(number[pair[variant][0]], number[pair[variant][1]]);
    return 1;
}

static inline int change_words(gersh_model *m, const fixture *f, int variant)
{
    (void)f;
    if (variant < GERSH_STOPS)
        m->info.stop = (gersh_stop)variant;
    else if (variant < GERSH_STOPS + 4)
        m->info.choice = (gersh_pair_choice)(variant - GERSH_STOPS);
    else if (variant == 9)
        m->custom = 1;
    else if (variant == 10)
        m->regress = !m->regress;
    else if (variant == 11)
        m->info.has_bound = !m->info.has_bound;
    else if (variant == 12)
        m->info.value_error = 1e-300;
    else { /* an estimate, as it says */
        m->info.choice = GERSH_CHOICE_SAMPLED;
        m->info.value_error = 1e-300;
        place_witness_at(m, GERSH__WITNESS_NONE);
    }
    return 1;
}

static inline int change_accounts(gersh_model *m, const fixture *f, int variant)
{
    gersh_fit_info *i = &m->info;
    double *const number[] = {&i->seconds,
                              &i->seconds_gradient,
                              &i->seconds_minimizer,
                              &i->seconds_objective,
                              &i->seconds_step,
                              &i->memory,
                              &i->pairs,
                              &i->pairs_all,
                              &i->rows_used};
    int *const whole[] = {&i->iterations, &i->newton_steps, &i->rounds};
    (void)f;
    if (variant < 9)
        *number[variant] = 2 * *number[variant] + 1;
    else if (variant < 12)
        *whole[variant - 9] += 3;
    else if (variant == 12) {
        gersh__free(m->version);
        m->version = gersh__text_copy("9.9.9", 5);
    } else if (variant == 13)
        m->rows++;
    else if (m->trajectory == NULL || m->trajectory->count == 0)
        return 0;
    else if (variant == 14)
        m->trajectory->count--;
    else
        m->trajectory->point[0].value *= 2;
    return 1;
}

/* Numbers that agree with one another. */
static inline int agree(gersh_model *m, const fixture *f, int variant)
{
    gersh_fit_info *i = &m->info;
    double scale = scale_of(f), gap = i->gap, sign = is_maximized(m) ? -1 : 1;
    if (!i->has_bound)
        return 0;
    switch (variant) {
    case 0: /* a tighter bound */
        state_bound(m, i->bound + sign * gap / 2, scale);
        break;
    case 1:
        state_bound(m, i->objective_value, scale);
        break;
    case 2: /* and the metric as its witness */
        state_bound(m, i->objective_value, scale);
        place_witness_at(m, GERSH__WITNESS_METRIC);
        break;
    case 3: /* a better value */
        i->objective_value -= sign * gap;
        state_bound(m, i->bound, scale);
        break;
    case 4: /* both, moved */
        i->objective_value *= 1 - 0.01 * sign;
        state_bound(m, i->bound * (1 - 0.01 * sign), scale);
        break;
    case 5: /* wider than it was */
        state_bound(m, i->bound - sign * (gap + 0.01 * fabs(i->objective_value)), scale);
        break;
    case 6:
        i->search_gap = 0;
        break;
    case 7:
        i->search_gap = gap / 2;
        break;
    case 8: /* the gap of a larger value */
        i->relative_gap /= 2;
        break;
    case 9: /* 0, with nothing that it rests on */
        state_bound(m, 0, scale);
        place_witness_at(m, GERSH__WITNESS_NONE);
        break;
    default:
        state_no_bound(m);
    }
    return 1;
}
enum { LESS_CERTAIN = 9, AGREEING };

/* Another metric of the same set, worse than the honest one: variants 0 and 1 say so, the others lie. */
static inline int one_atom(gersh_model *m, const fixture *f, int variant)
{
    int dense = m->metric->dense != NULL;
    gersh_fit_info *i = &m->info;
    take_one_atom(m, (size_t)variant % m->features, 0.5);
    if (!state_true_value(m, f))
        return 0;
    if (variant < 2) {
        if (variant == 1)
            state_no_bound(m);
        return variant == 0 ? i->has_bound : 1;
    }
    if (!i->has_bound) /* of a solver that can have a bound */
        set_setting(m, "solver", dense ? "psd" : "hull");
    place_witness_at(m, GERSH__WITNESS_METRIC);
    state_bound(m, i->objective_value, scale_of(f));
    switch (variant) {
    case 2:
        break;
    case 3:
        place_witness_at(m, GERSH__WITNESS_NONE);
        m->custom = 1;
        break;
    case 4:
        i->value_error = 1e-300;
        break;
    case 5:
        place_witness_at(m, GERSH__WITNESS_NONE);
        i->choice = GERSH_CHOICE_MINED;
        i->value_error = 1e-300;
        break;
    case 6:
        i->budget = 1e300;
        break;
    case 7:
        i->budget = 1e300;
        set_setting(m, "trace", "1e300");
        break;
    case 8: /* the set that only this metric is in */
        i->budget = gersh_metric_trace(m->metric);
        break;
    case 9:
        i->budget = gersh_metric_trace(m->metric);
        set_setting_number(m, "trace", i->budget);
        break;
    default:
        set_setting(m, "solver", "diagonal");
    }
    return 1;
}
enum { TRUE_OF_A_WORSE_METRIC = 2 };

static inline int other_solver(gersh_model *m, const fixture *f, int variant)
{
    (void)f;
    set_setting(m, "solver", solver_name((size_t)variant, any_solver));
    return 1;
}

static inline int other_objective(gersh_model *m, const fixture *f, int variant)
{
    int count = number_of(EACH_OBJECTIVE);
    const char *objective = objective_name((size_t)(variant % count), learns_classes);
    set_setting(m, "objective", objective);
    if (strcmp(objective, gersh__setting_text(f->honest->settings, GERSH__OBJECTIVE)) == 0)
        return 0;
    if (variant < count)
        return 1;
    set_setting_number(m, "trace", m->info.budget); /* or else it is that of the other objective */
    if (!state_true_value(m, f))
        return 0;
    if (m->info.has_bound)
        state_bound(m, m->info.objective_value, 0);
    return 1;
}

/* Another value that the setting may have, with what must go with it. */
static inline int change_setting(gersh_model *m, const fixture *f, int variant)
{
    const gersh_setting_info *info = gersh_settings_info(variant / 6);
    static const char *const numbers[] = {"0.01", "0.5", "1", "2", "3", "12"};
    char value[64] = "";
    const char *at = info->choices;
    (void)f;
    for (int skip = variant % 6; skip > 0 && at != NULL; skip--) {
        at = strchr(at, '|');
        at = at != NULL ? at + 1 : NULL;
    }
    if ((info->kind == GERSH_SETTING_CHOICE && at == NULL) || variant / 6 == GERSH__SOLVER ||
        variant / 6 == GERSH__OBJECTIVE) /* which have changes of their own */
        return 0;
    if (at != NULL)
        snprintf(value, sizeof value, "%.*s", (int)strcspn(at, "|"), at);
    else if (info->kind == GERSH_SETTING_FLAG)
        snprintf(value, sizeof value, "%s", variant % 2 ? "yes" : "no");
    else
        snprintf(value, sizeof value, "%s", numbers[variant % 6]);
    if (gersh_settings_set(m->settings, info->name, value) != GERSH_OK)
        return 0;
    if (strcmp(info->name, "tol") == 0)
        m->info.tol = gersh__setting_number(m->settings, GERSH__TOL);
    return 1;
}

/* Limits that are what the settings say: of another set of metrics. */
static inline int change_limits(gersh_model *m, const fixture *f, int variant)
{
    double factor = variant % 3 == 0 ? 2 : variant % 3 == 1 ? 1 + 1e-6 : 1e6;
    (void)f;
    if (variant < 3) {
        m->info.budget *= factor;
        set_setting_number(m, "trace", m->info.budget);
        m->info.rho = gersh__setting_is(m->settings, GERSH__RHO, "auto")
                          ? 1e-5 * m->info.budget / (double)m->features
                          : m->info.rho;
    } else
        m->info.rho *= factor;
    set_setting_number(m, "rho", m->info.rho);
    m->metric->rho = m->info.rho;
    if (m->witness.metric != NULL)
        m->witness.metric->rho = m->info.rho;
    if (variant >= 6)
        state_true_value(m, f);
    return 1;
}
enum { LIMITS = 9 };

#endif
