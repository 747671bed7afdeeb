/*
 * A standing adversary of gersh_model_verify. Every kind of model is changed in every way that a forger could think of, with
 * the digests made to fit, and is then verified with the samples that it was fitted to. Each change must be refused on
 * reading, or FAILED, or make the verdict "not fully checked" by asking for what cannot be checked, or be harmless: of a
 * kind that is listed here with the reason. What goes unnoticed and is not listed fails the test.
 */
#include "tamper.h"

#include "gersh/bootstrap.h"
#include "gersh/importance.h"
#include "tuples.h"

static const char *const objectives[] = {"mcml", "deml", "lsml", "lmnn", "glr"};
static const char *const solvers[] = {"diagonal", "balanced", "hull",   "psd",     "sgml",
                                      "pgml",     "hbnb",     "pdcone", "identity"};
enum { OBJECTIVES = 5, SOLVERS = 9 };

/* ---- what is harmless, in words; each makes the changed model and the honest one the same in that respect ---- */

static void same_clock(gersh_model *m, const fixture *f)
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

static void same_stop(gersh_model *m, const fixture *f)
{
    if (m->info.stop != GERSH_STOP_CONVERGED || m->info.relative_gap <= m->info.tol)
        m->info.stop = f->honest->info.stop;
}

static void same_course(gersh_model *m, const fixture *f)
{
    (void)f;
    gersh__trajectory_free(m->trajectory);
    m->trajectory = NULL;
}

static void same_version(gersh_model *m, const fixture *f)
{
    (void)f;
    gersh__free(m->version);
    m->version = gersh__text_copy("", 0);
}

static void same_split_of_gap(gersh_model *m, const fixture *f)
{
    if (strcmp(gersh__setting_text(f->honest->settings, GERSH__SOLVER), "balanced") == 0 &&
        m->info.search_gap >= 0 && m->info.search_gap <= m->info.gap * (1 + 1e-9))
        m->info.search_gap = f->honest->info.search_gap;
}

static void same_witness(gersh_model *m, const fixture *f)
{
    (void)f;
    if (m->info.has_bound)
        place_witness_at(m, GERSH__WITNESS_METRIC);
}

/* Named as a number or as a word. */
static void same_limit(gersh_model *m, const fixture *f, int which, double limit)
{
    const char *name = gersh_settings_info(which)->name, *text = gersh_settings_get(m->settings, name);
    double number = strcmp(text, "K") == 0      ? (double)m->features
                    : strcmp(text, "auto") == 0 ? limit
                                                : strtod(text, NULL);
    if (fabs(number - limit) <= 1e-9 * limit)
        set_setting(m, name, gersh_settings_get(f->honest->settings, name));
}

static void same_settings(gersh_model *m, const fixture *f)
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

static void same_tolerance(gersh_model *m, const fixture *f)
{
    if (m->info.tol != gersh__setting_number(m->settings, GERSH__TOL))
        return;
    m->info.tol = f->honest->info.tol;
    set_setting(m, "tol", gersh_settings_get(f->honest->settings, "tol"));
    if (m->info.stop == GERSH_STOP_CONVERGED || m->info.stop == GERSH_STOP_SETTLED)
        m->info.stop = f->honest->info.stop;
}

/* Only where they agree with every edge, found here from the graph of the metric. */
static void same_colours(gersh_model *m, const fixture *f)
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

static void near_number(double *x, double honest, double tolerance)
{
    if (fabs(*x - honest) <= tolerance)
        *x = honest;
}

static void same_within_rounding(gersh_model *m, const fixture *f)
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

static void same_contributions(gersh_model *m, const fixture *f)
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
        size = fmax(size, fabs(honest[j]));
    for (size_t j = 0; j < m->features; j++)
        near_number(&c[j], honest[j], 4e-6 * size);
}

/* Moved hardly at all; that its value is the stated one is checked. */
static void same_metric(gersh_model *m, const fixture *f)
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
static void same_unchecked(gersh_model *m, const fixture *f)
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
    {"what is not checked", "bootstrap and permutation importance, where the verdict says so",
     same_unchecked},
    {"witness", "whatever metric proves the stated bound, it is proved", same_witness},
};
enum { HARMLESS = sizeof harmless / sizeof harmless[0] };

static gersh_model *without_harmless(const gersh_model *model, const fixture *f, int with_data)
{
    gersh_model *copy = copy_model(model, with_data);
    for (size_t h = 0; h < HARMLESS; h++)
        harmless[h].restore(copy, f);
    return copy;
}

/* Whether the two say the same but for what is harmless. */
static int is_harmless(const gersh_model *changed, const fixture *f, int with_data)
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

/* ---- changes; each returns 0 where it does not apply ---- */

static int change_number(gersh_model *m, const fixture *f, int variant)
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

static int swap_numbers(gersh_model *m, const fixture *f, int variant)
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

static int change_words(gersh_model *m, const fixture *f, int variant)
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

static int change_accounts(gersh_model *m, const fixture *f, int variant)
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
static int agree(gersh_model *m, const fixture *f, int variant)
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
static int one_atom(gersh_model *m, const fixture *f, int variant)
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

static int other_solver(gersh_model *m, const fixture *f, int variant)
{
    (void)f;
    set_setting(m, "solver", solvers[variant]);
    return 1;
}

static int other_objective(gersh_model *m, const fixture *f, int variant)
{
    set_setting(m, "objective", objectives[variant % OBJECTIVES]);
    if (strcmp(objectives[variant % OBJECTIVES],
               gersh__setting_text(f->honest->settings, GERSH__OBJECTIVE)) == 0)
        return 0;
    if (variant < OBJECTIVES)
        return 1;
    set_setting_number(m, "trace", m->info.budget); /* or else it is that of the other objective */
    if (!state_true_value(m, f))
        return 0;
    if (m->info.has_bound)
        state_bound(m, m->info.objective_value, 0);
    return 1;
}

/* The list of atoms that is meant. */
static gersh_metric *atoms_of(gersh_model *m, int witness)
{
    return witness ? m->witness.metric : m->metric;
}

static void drop_atom(gersh_metric *metric, size_t which)
{
    size_t last = --metric->atoms, k = metric->features;
    metric->weight[which] = metric->weight[last];
    if (metric->dense != NULL)
        memmove(metric->dense + which * k, metric->dense + last * k, k * sizeof(double));
    else
        metric->atom[which] = metric->atom[last];
}

static void add_atom(gersh_metric **metric, size_t feature, double weight)
{
    gersh_metric *old = *metric, *new = NULL;
    size_t k = old->features, a = old->atoms;
    assert_ok(gersh_metric_new(&new, k, old->rho, a + 1, old->dense != NULL));
    memcpy(new->weight, old->weight, a * sizeof(double));
    new->weight[a] = weight;
    if (old->dense != NULL) {
        memcpy(new->dense, old->dense, a * k * sizeof(double));
        new->dense[a * k + feature] = 1;
    } else {
        memcpy(new->atom, old->atom, a * sizeof(gersh_atom));
        new->atom[a] = (gersh_atom){feature, feature, 1, 0};
    }
    gersh_metric_free(old);
    *metric = new;
}

static void rotate_atom(gersh_metric *metric, size_t which, double angle)
{
    gersh_atom *z = metric->dense == NULL ? &metric->atom[which] : NULL;
    double *d = metric->dense != NULL ? metric->dense + which * metric->features : NULL;
    double c = cos(angle), s = sin(angle);
    if (z != NULL && z->i == z->j) { /* becomes an edge */
        z->j = (z->i + 1) % metric->features;
        z->a = c;
        z->b = s;
        return;
    }
    double *a = z != NULL ? &z->a : &d[0], *b = z != NULL ? &z->b : &d[1], x = *a, y = *b;
    *a = c * x - s * y;
    *b = s * x + c * y;
}

static int atom_variant(gersh_metric **list, int variant)
{
    gersh_metric *metric = *list;
    if (metric->atoms == 0)
        return 0;
    size_t last = metric->atoms - 1, largest = 0;
    for (size_t a = 0; a <= last; a++)
        largest = metric->weight[a] > metric->weight[largest] ? a : largest;
    switch (variant) {
    case 0:
        drop_atom(metric, largest);
        break;
    case 1:
        drop_atom(metric, last);
        break;
    case 2:
        add_atom(list, 0, 0.01 * metric->weight[largest]);
        break;
    case 3:
        add_atom(list, 1, 1e-6 * metric->weight[largest]);
        break;
    case 4:
    case 5:
    case 6:
    case 7:
        metric->weight[largest] = operate(metric->weight[largest], variant - 4);
        break;
    case 8:
        rotate_atom(metric, largest, 0.5);
        break;
    case 9:
        rotate_atom(metric, largest, 1e-4);
        break;
    case 10: /* another feature */
        if (metric->dense != NULL)
            return 0;
        metric->atom[largest].i = (metric->atom[largest].i + 1) % metric->features;
        metric->atom[largest].j = (metric->atom[largest].j + 1) % metric->features;
        break;
    case 11: /* the sign of the edge */
        if (metric->dense != NULL)
            metric->dense[largest * metric->features] *= -1;
        else if (metric->atom[largest].i != metric->atom[largest].j)
            metric->atom[largest].b *= -1;
        else
            return 0;
        break;
    case 12:
        for (size_t a = 0; a <= last; a++)
            metric->weight[a] *= 0.99;
        break;
    default:
        if (last == 0)
            return 0;
        swap_doubles(&metric->weight[0], &metric->weight[last]);
    }
    return 1;
}
enum { ATOM_VARIANTS = 14 };

static int change_atoms(gersh_model *m, const fixture *f, int variant)
{
    (void)f;
    return atom_variant(&m->metric, variant);
}

static int change_witness_atoms(gersh_model *m, const fixture *f, int variant)
{
    (void)f;
    return atoms_of(m, 1) != NULL && atom_variant(&m->witness.metric, variant);
}

static int change_witness(gersh_model *m, const fixture *f, int variant)
{
    const gersh_metric *foreign =
        f->other->witness.metric != NULL ? f->other->witness.metric : f->other->metric;
    switch (variant) {
    case 0:
        place_witness_at(m, GERSH__WITNESS_NONE);
        return m->info.has_bound;
    case 1:
        place_witness_at(m, GERSH__WITNESS_METRIC);
        return 1;
    case 2: /* of another model */
    case 3: /* in the name of one of the smaller atoms */
        gersh_metric_free(m->witness.metric);
        m->witness.metric = NULL;
        assert_ok(gersh_metric_copy(&m->witness.metric, foreign));
        m->witnessed = GERSH__WITNESS_OWN;
        if (variant == 3)
            state_bound(m, m->info.objective_value, 0);
        return 1;
    default:
        m->witness.width = variant == 4   ? 2 * m->witness.width
                           : variant == 5 ? 0.5 * m->witness.width
                           : variant == 6 ? 0
                                          : m->witness.width + 1;
        return 1;
    }
}

static int change_colours(gersh_model *m, const fixture *f, int variant)
{
    (void)f;
    if (variant == 4 || m->color == NULL) {
        if (variant != 5 && m->color == NULL)
            return 0;
        gersh__free(m->color);
        m->color = NULL;
        if (variant != 5)
            return 1;
        m->color = gersh__alloc(m->features, sizeof *m->color);
        for (size_t j = 0; j < m->features; j++)
            m->color[j] = 1;
        return 1;
    }
    for (size_t j = 0; j < m->features; j++)
        if (variant == 5 || j == (size_t)variant)
            m->color[j] = -m->color[j];
    return (size_t)variant < m->features || variant == 5;
}

static void rename_one(char **name, const char *to)
{
    gersh__free(*name);
    *name = gersh__text_copy(to, strlen(to));
}

static int change_names(gersh_model *m, const fixture *f, int variant)
{
    (void)f;
    if (variant < 2) {
        rename_one(&m->feature_names[1], "zz");
        if (variant == 1)
            rename_one(&m->data->feature_names[1], "zz");
        return 1;
    }
    if (m->classes == 0)
        return 0;
    rename_one(&m->class_names[0], variant < 4 ? "0new" : m->class_names[1]);
    if (variant % 2 == 1)
        rename_one(&m->data->class_names[0], m->class_names[0]);
    return 1;
}

static int change_samples(gersh_model *m, const fixture *f, int variant)
{
    gersh_dataset *data = m->data;
    (void)f;
    switch (variant) {
    case 0:
        data->x[3] *= 1 + 1e-12;
        return 1;
    case 1:
        data->x[5] += 1;
        return 1;
    case 2:
        for (size_t j = 0; j < data->k; j++)
            swap_doubles(&data->x[j], &data->x[data->k + j]);
        return 1;
    case 3: /* the largest weight doubled, or weights where there were none */
    case 4:
        if (data->weights == NULL) {
            data->weights = gersh__alloc(data->n, sizeof(double));
            for (size_t i = 0; i < data->n; i++)
                data->weights[i] = 1;
        } else if (variant == 4) {
            gersh__free(data->weights);
            data->weights = NULL;
            return 1;
        }
        data->weights[2] *= variant == 3 ? 2 : 1;
        return 1;
    case 5:
        if (data->targets != NULL)
            swap_doubles(&data->targets[0], &data->targets[1]);
        for (size_t i = 1; data->labels != NULL && i < data->n; i++)
            if (data->labels[i] != data->labels[0]) {
                int label = data->labels[0];
                data->labels[0] = data->labels[i];
                data->labels[i] = label;
                break;
            }
        return 1;
    case 6:
        for (size_t i = 0; data->labels != NULL && i < data->n; i++)
            data->labels[i] = (data->labels[i] + 1) % (int)data->classes;
        return data->labels != NULL;
    default: /* of a model without samples: the digest of others */
        m->samples_digest[0] = m->samples_digest[0] == '0' ? '1' : '0';
        gersh_dataset_free(m->data);
        m->data = NULL;
        return 1;
    }
}

static int change_scaling(gersh_model *m, const fixture *f, int variant)
{
    (void)f;
    if (variant == 0)
        m->scaling->unit_rows = !m->scaling->unit_rows;
    else if (variant < 5)
        m->scaling->mean[1] = operate(m->scaling->mean[1] + 1e-3, variant - 1);
    else
        m->scaling->scale[1] = operate(m->scaling->scale[1], variant - 5);
    return 1;
}

/* Another value that the setting may have, with what must go with it. */
static int change_setting(gersh_model *m, const fixture *f, int variant)
{
    const gersh_setting_info *info = gersh_settings_info(variant / 6);
    static const char *const numbers[] = {"0.01", "0.5", "1", "2", "3", "12"};
    char value[64] = "";
    const char *at = info->choices;
    (void)f;
    for (int skip = variant % 6; skip > 0 && at != NULL; skip--) {
        at = strchr(at, '|');
        at += at != NULL;
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
static int change_limits(gersh_model *m, const fixture *f, int variant)
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

static int change_contributions(gersh_model *m, const fixture *f, int variant)
{
    gersh_importance *importance = &m->importance;
    (void)f;
    if (variant == 0)
        forget_contributions(m);
    else if (variant == 1)
        importance->kind = importance->kind == GERSH_IMPORTANCE_WEIGHT ? GERSH_IMPORTANCE_CONTRIBUTION
                                                                       : GERSH_IMPORTANCE_WEIGHT;
    else if (variant == 2)
        importance->kind = GERSH_IMPORTANCE_PERMUTATION;
    else if (importance->contribution == NULL)
        return 0;
    else if (variant == 3)
        swap_doubles(&importance->contribution[0], &importance->contribution[1]);
    else if (variant == 4)
        importance->contribution[0] = 0;
    else if (variant == 5)
        importance->contribution[m->features - 1] += 1;
    else if (variant == 6)
        importance->separation = 1;
    else
        importance->separation *= 1 - 1e-5;
    return 1;
}

/* What a fit leaves to be asked for, invented or changed. */
static int change_extras(gersh_model *m, const fixture *f, int variant)
{
    gersh_bootstrap *b = m->bootstrap;
    gersh_importance *importance = &m->importance;
    (void)f;
    if (variant < 3) {
        if (b == NULL) {
            b = m->bootstrap = gersh__alloc(1, sizeof *b);
            b->edge = gersh__alloc(1, sizeof *b->edge);
            b->failure = gersh__text_copy("", 0);
            b->edge[0] = (gersh_bootstrap_edge){.first = 0, .second = 1, .positive = 5, .mean = 1};
            b->count = 1;
            b->asked = b->done = 10;
        }
        b->edge[0].positive += variant == 0;
        b->edge[0].mean += variant == 1;
        b->asked += variant == 2;
        return b->count > 0;
    }
    if (importance->permutation == NULL) {
        importance->permutation = gersh__alloc(m->features, sizeof(double));
        importance->deviation = gersh__alloc(m->features, sizeof(double));
        importance->splits = 1;
    }
    importance->permutation[0] += 0.5;
    importance->score = variant == 3 ? 1 : importance->score;
    return 1;
}

static int change_tuples(gersh_model *m, const fixture *f, int variant)
{
    gersh_tuples *t = m->tuples;
    (void)f;
    if (t == NULL)
        return 0;
    size_t size = gersh_tuple_size(t->kind), a = size - 2, b = size - 1, kept;
    if (variant == 0)
        t->count--;
    else if (variant < 4 && t->kind == GERSH_PAIRS)
        t->similar[variant] = !t->similar[variant];
    else if (variant < 4) { /* near and far change places */
        if (size == 4)
            a = 0, b = 2;
        kept = t->row[(size_t)variant * size + a];
        t->row[(size_t)variant * size + a] = t->row[(size_t)variant * size + b];
        t->row[(size_t)variant * size + b] = kept;
        if (size == 4) {
            kept = t->row[(size_t)variant * size + 1];
            t->row[(size_t)variant * size + 1] = t->row[(size_t)variant * size + 3];
            t->row[(size_t)variant * size + 3] = kept;
        }
    } else
        t->row[(size_t)variant * size] = (t->row[(size_t)variant * size] + 1) % m->rows;
    return 1;
}

static int change_rules(gersh_model *m, const fixture *f, int variant)
{
    (void)f;
    if (m->rule_count == 0) {
        if (variant > 2)
            return 0;
        m->rules = gersh__alloc(1, sizeof *m->rules);
        m->rule_count = 1;
        m->rules[0] = (gersh_edge_rule){0, 1, (gersh_edge_kind)(GERSH_EDGE_FORBIDDEN + variant)};
        return 1;
    }
    if (variant == 0)
        m->rule_count = 0;
    else if (variant < 5)
        m->rules[0].kind = (gersh_edge_kind)(variant - 1);
    else
        m->rules[0].second = (m->rules[0].second + 1) % m->features;
    return 1;
}

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
    {"solver", other_solver, SOLVERS, 0, SOLVERS,
     "whatever the other solver claims of its metrics and bounds was checked, and is true of this one"},
    {"objective", other_objective, 2 * OBJECTIVES, OBJECTIVES, 2 * OBJECTIVES,
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
    else if (report.verdict == f->report.verdict && excused)
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
        int excused = mutation->excuse != NULL && variant >= mutation->from && variant < mutation->to;
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
        for (int variant = 0; variant < mutations[c].variants; variant++, turn++)
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
    for (int o = 0; o < OBJECTIVES; o++)
        for (int s = 0; s < SOLVERS; s++) {
            gersh__random random;
            char name[64];
            size_t n = strcmp(objectives[o], "lsml") == 0 ? 12 : 16;
            gersh_model *other = random_model((uint64_t)(200 + o), n, 4, 2, objectives[o], solvers[s], 0);
            gersh__random_seed(&random, (uint64_t)(100 + o));
            gersh_dataset *data = ready_data(&random, n, 4, 2 + (size_t)(s % 2));
            double w[16];
            for (size_t i = 0; i < n; i++)
                w[i] = gersh__random_uniform(&random) + 0.1;
            gersh_fit_options options = {.weights = (o + s) % 3 == 0 ? w : NULL};
            snprintf(name, sizeof name, "%s %s", objectives[o], solvers[s]);
            attack_fit(name, data, model_settings(objectives[o], solvers[s]), &options, other, 0,
                       11 * o + s);
            gersh_dataset_free(data);
            gersh_model_free(other);
        }
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
