/*
 * The registry of objectives, making one, and its Hessian in the space of atoms from products with its
 * curvature: column b of Aᵀ H A is D*(H a_b) seen through the atoms, t_aᵀ L(H a_b) t_a for each a.
 */
#include "objective/objective.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "gersh/objective.h"
#include "linalg/kernels.h"
#include "objective/kinds.h"
#include "pairs/rows.h"

/* In the order in which "auto" tries them. */
static const gersh__objective_kind *const registry[] = {
    &gersh__mcml,          &gersh__mcml_pairs, &gersh__glr,           &gersh__lsml,
    &gersh__lsml_compared, &gersh__lmnn,       &gersh__lmnn_compared, &gersh__deml};

enum { KINDS = sizeof registry / sizeof registry[0], LIST_SIZE = 128 };

const gersh__objective_kind *gersh__objective_at(size_t index)
{
    return index < KINDS ? registry[index] : NULL;
}

static int is_named(const gersh__objective_kind *kind, const char *name)
{
    return strcmp(kind->name, name) == 0;
}

/* Collects the names of objectives that take any of `takes`, each once. */
static size_t list_names(const char *names[KINDS], int takes)
{
    size_t count = 0;
    for (int i = 0; i < KINDS; i++)
        if ((registry[i]->takes & takes) != 0 && (count == 0 || !is_named(registry[i], names[count - 1])))
            names[count++] = registry[i]->name;
    return count;
}

/* "a, b and c", with that word before the last. */
static const char *join_names(char list[LIST_SIZE], const char *const *names, size_t count,
                              const char *last)
{
    size_t used = 0;
    list[0] = '\0';
    for (size_t i = 0; i < count; i++)
        used += (size_t)snprintf(list + used, LIST_SIZE - used, "%s%s",
                                 i == 0          ? ""
                                 : i + 1 < count ? ", "
                                                 : last,
                                 names[i]);
    return list;
}

const gersh__objective_kind *gersh__objective_find(const char *name)
{
    char excerpt[GERSH__EXCERPT_SIZE], list[LIST_SIZE];
    const char *names[KINDS];
    for (int i = 0; i < KINDS; i++)
        if (is_named(registry[i], name))
            return registry[i];
    size_t count = list_names(names, ~0);
    const char *nearest = gersh__text_nearest(name, names, count);
    gersh__text_excerpt(excerpt, sizeof excerpt, name, strlen(name));
    gersh__fail(GERSH_ERROR_ARGUMENT, "there is no objective '%s'%s%s%s; the objectives are %s", excerpt,
                nearest ? " (did you mean '" : "", nearest ? nearest : "", nearest ? "'?)" : "",
                join_names(list, names, count, ", "));
    return NULL;
}

int gersh_objective_is_maximized(const char *name)
{
    for (int i = 0; i < KINDS; i++)
        if (is_named(registry[i], name))
            return registry[i]->maximized;
    return 0;
}

gersh__knowledge gersh__objective_knowledge(const gersh_dataset *data, const gersh_tuples *tuples)
{
    if (tuples != NULL)
        return tuples->kind == GERSH_PAIRS      ? GERSH__PAIRS
               : tuples->kind == GERSH_TRIPLETS ? GERSH__TRIPLETS
                                                : GERSH__QUADRUPLETS;
    return gersh_dataset_labels(data) != NULL    ? GERSH__CLASSES
           : gersh_dataset_targets(data) != NULL ? GERSH__TARGETS
                                                 : GERSH__NOTHING;
}

const char *gersh__objective_resolve(const char *name, gersh__knowledge known)
{
    if (strcmp(name, "auto") != 0)
        return name;
    for (int i = 0; i < KINDS; i++)
        if ((registry[i]->takes & (int)known) != 0)
            return registry[i]->name;
    return registry[0]->name;
}

const char *gersh__objective_local(gersh__knowledge known)
{
    for (int i = 0; i < KINDS; i++)
        if (registry[i]->local && (registry[i]->takes & (int)known) != 0)
            return registry[i]->name;
    return NULL;
}

/* One sentence on what the objective cannot learn from, and what to use instead. */
static gersh_status refuse(const gersh__objective_kind *kind, gersh__knowledge known)
{
    char list[LIST_SIZE];
    const char *names[KINDS];
    if (known == GERSH__NOTHING)
        return gersh__fail(
            GERSH_ERROR_INPUT,
            "the objective %s needs %s, but the data set has no labels; name their column with --label",
            kind->name, kind->takes & GERSH__TARGETS ? "classes or targets" : "classes");
    join_names(list, names, list_names(names, (int)known), " or ");
    if (known == GERSH__TARGETS)
        return gersh__fail(
            GERSH_ERROR_INPUT,
            "the objective %s needs classes, but the labels are real-valued targets; read them as "
            "classes with --task classify, or use the objective %s",
            kind->name, list);
    return gersh__fail(GERSH_ERROR_ARGUMENT, "the objective %s cannot learn from %s; use the objective %s",
                       kind->name,
                       gersh_tuple_kind_name(known == GERSH__PAIRS      ? GERSH_PAIRS
                                             : known == GERSH__TRIPLETS ? GERSH_TRIPLETS
                                                                        : GERSH_QUADRUPLETS),
                       list);
}

/* The kind of the same name that takes what is known, or NULL. */
static const gersh__objective_kind *choose(const gersh__objective_kind *kind, gersh__knowledge known)
{
    if ((kind->takes & (int)known) != 0)
        return kind;
    for (int i = 0; i < KINDS; i++)
        if (is_named(registry[i], kind->name) && (registry[i]->takes & (int)known) != 0)
            return registry[i];
    return NULL;
}

gersh_status gersh__objective_check(const gersh__objective_kind *kind, gersh__knowledge known)
{
    return choose(kind, known) != NULL ? GERSH_OK : refuse(kind, known);
}

static gersh_status check_rows(const gersh__objective_kind *kind, const gersh__pairs *pairs)
{
    if (!kind->needs_rows || gersh__pairs_have_rows(pairs))
        return GERSH_OK;
    return gersh__fail(
        GERSH_ERROR_ARGUMENT,
        "the objective %s compares each sample with all others and cannot use a list of pairs; "
        "use all pairs, or one of the objectives glr, deml and lsml",
        kind->name);
}

gersh_status gersh__objective_new(gersh__objective **out, const gersh__objective_kind *kind,
                                  const gersh__pairs *pairs, const gersh_settings *settings)
{
    gersh__knowledge known = gersh__supervision_knowledge(gersh__pairs_supervision(pairs));
    const gersh__objective_kind *chosen = choose(kind, known);
    *out = NULL;
    gersh_status status = chosen != NULL ? check_rows(chosen, pairs) : refuse(kind, known);
    if (status != GERSH_OK)
        return status;
    gersh__objective *objective = gersh__alloc(1, chosen->state_size);
    if (objective == NULL)
        return GERSH_ERROR_MEMORY;
    objective->kind = chosen;
    objective->pairs = pairs;
    objective->scratch =
        gersh__alloc(gersh__pairs_count(pairs), chosen->arrays * sizeof *objective->scratch);
    status = objective->scratch != NULL ? chosen->init(objective, settings) : GERSH_ERROR_MEMORY;
    if (status == GERSH_OK)
        *out = objective;
    else
        gersh__objective_free(objective);
    return status;
}

void gersh__objective_free(gersh__objective *objective)
{
    if (objective == NULL)
        return;
    if (objective->kind->clear != NULL)
        objective->kind->clear(objective);
    gersh__free(objective->scratch);
    gersh__free(objective->work);
    gersh__free(objective);
}

gersh_status gersh__objective_work(gersh__objective *objective, size_t need)
{
    int failed = gersh__grow(&objective->work, &objective->work_capacity, need, sizeof *objective->work);
    return failed ? GERSH_ERROR_MEMORY : GERSH_OK;
}

gersh_status gersh__objective_need_pairs(const gersh__objective *objective, int similar)
{
    size_t count = gersh__pairs_count(objective->pairs);
    const int *known = gersh__supervision_similarity(gersh__pairs_supervision(objective->pairs));
    if (known == NULL)
        return GERSH_OK;
    for (size_t p = 0; p < count; p++)
        if (known[p] == similar)
            return GERSH_OK;
    return gersh__fail(GERSH_ERROR_INPUT, "the objective %s needs %s pairs, but all %zu are %s; add some",
                       objective->kind->name, similar ? "similar" : "dissimilar", count,
                       similar ? "dissimilar" : "similar");
}

gersh_status gersh__objective_hessian(gersh__objective *objective, const double *d, size_t m,
                                      const double *t, double *h)
{
    const gersh__pairs *pairs = objective->pairs;
    const gersh__kernels *kernels = gersh__kernels_here();
    if (objective->kind->hessian != NULL)
        return objective->kind->hessian(objective, d, m, t, h);
    gersh_status status =
        gersh__objective_work(objective, 2 * gersh__pairs_count(pairs) + m * gersh__pairs_samples(pairs));
    if (status != GERSH_OK)
        return status;
    double *atom = objective->work, *image = atom + gersh__pairs_count(pairs),
           *product = image + gersh__pairs_count(pairs);
    for (size_t b = 0; b < m; b++) {
        memset(atom, 0, gersh__pairs_count(pairs) * sizeof *atom);
        gersh__pairs_add(pairs, 1.0, t + b * gersh__pairs_samples(pairs), atom);
        objective->kind->curvature(objective, d, atom, image);
        /* Only a >= b: the rest follows from symmetry. */
        gersh__pairs_adjoint(pairs, image, m - b, t + b * gersh__pairs_samples(pairs), product);
        for (size_t a = b; a < m; a++)
            h[a * m + b] = h[b * m + a] =
                kernels->dot(gersh__pairs_samples(pairs), t + a * gersh__pairs_samples(pairs),
                             product + (a - b) * gersh__pairs_samples(pairs));
    }
    return GERSH_OK;
}

double gersh__rounding(size_t count)
{
    double terms = (double)count + 8;
    return fmin(terms, 10 * sqrt(terms)) * 0.5 * DBL_EPSILON;
}

double gersh__objective_value(gersh__objective *objective, const double *d)
{
    const gersh__objective_kind *kind = objective->kind;
    double value = kind->exact != NULL ? kind->exact(objective, d) : kind->evaluate(objective, d, NULL);
    return kind->maximized ? -value : value;
}
