/*
 * Choosing an objective, making one, and its Hessian in the space of atoms from products with its
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
#include "linalg/kernels.h"
#include "pairs/rows.h"

/* Collects the names of objectives that take any of `takes` and pass the test, if any. */
static size_t list_names(const char *names[GERSH__LISTED_NAMES], unsigned takes,
                         int (*passes)(const gersh__objective_entry *entry))
{
    const gersh__objective_entry *entry;
    size_t count = 0;
    for (size_t i = 0; count < GERSH__LISTED_NAMES && (entry = gersh__objective_at(i)) != NULL; i++)
        if ((entry->info.takes & takes) != 0 && (passes == NULL || passes(entry)))
            names[count++] = entry->info.name;
    return count;
}

const char *gersh__objective_list(char list[GERSH__NAME_LIST], unsigned takes,
                                  int (*passes)(const gersh__objective_entry *entry), const char *last)
{
    const char *names[GERSH__LISTED_NAMES];
    return gersh__text_list(list, GERSH__NAME_LIST, names, list_names(names, takes, passes), last);
}

const char *gersh_supervision_name(gersh_supervision supervision)
{
    return supervision == GERSH_SUPERVISION_CLASSES       ? "classes"
           : supervision == GERSH_SUPERVISION_TARGETS     ? "targets"
           : supervision == GERSH_SUPERVISION_PAIRS       ? "pairs"
           : supervision == GERSH_SUPERVISION_TRIPLETS    ? "triplets"
           : supervision == GERSH_SUPERVISION_QUADRUPLETS ? "quadruplets"
                                                          : "unknown";
}

gersh__source gersh__objective_source(const gersh_dataset *data, const gersh_tuples *tuples)
{
    if (tuples != NULL)
        return tuples->kind == GERSH_PAIRS      ? GERSH__PAIRS
               : tuples->kind == GERSH_TRIPLETS ? GERSH__TRIPLETS
                                                : GERSH__QUADRUPLETS;
    return gersh_dataset_labels(data) != NULL    ? GERSH__CLASSES
           : gersh_dataset_targets(data) != NULL ? GERSH__TARGETS
                                                 : GERSH__NOTHING;
}

const char *gersh__objective_resolve(const char *name, gersh__source known)
{
    const gersh__objective_entry *entry;
    if (strcmp(name, "auto") != 0)
        return name;
    for (size_t i = 0; (entry = gersh__objective_at(i)) != NULL; i++)
        if ((entry->info.automatic & known) != 0)
            return entry->info.name;
    return gersh__objective_at(0)->info.name;
}

const char *gersh__objective_second(gersh__source known)
{
    const gersh__objective_entry *entry;
    for (size_t i = 0; (entry = gersh__objective_at(i)) != NULL; i++)
        if ((entry->info.second & known) != 0)
            return entry->info.name;
    return NULL;
}

/* One sentence on what the objective cannot learn from, and what to use instead. */
static gersh_status refuse(const gersh_objective_info *info, gersh__source known)
{
    char list[GERSH__NAME_LIST];
    if (known == GERSH__NOTHING)
        return gersh__fail(
            GERSH_ERROR_INPUT,
            "the objective %s needs %s, but the data set has no labels; name their column with --label",
            info->name, info->takes & GERSH__TARGETS ? "classes or targets" : "classes");
    gersh__objective_list(list, known, NULL, " or ");
    if (known == GERSH__TARGETS)
        return gersh__fail(
            GERSH_ERROR_INPUT,
            "the objective %s needs classes, but the labels are real-valued targets; read them as "
            "classes with --task classify, or use the objective %s",
            info->name, list);
    return gersh__fail(GERSH_ERROR_ARGUMENT, "the objective %s cannot learn from %s; use the objective %s",
                       info->name, gersh_supervision_name((gersh_supervision)known), list);
}

/* The kind for what is known, or NULL. */
static const gersh__objective_kind *choose(const gersh__objective_entry *entry, gersh__source known)
{
    if ((entry->info.takes & known) == 0)
        return NULL;
    return known == GERSH__PAIRS                                     ? entry->pairs
           : known == GERSH__TRIPLETS || known == GERSH__QUADRUPLETS ? entry->compared
                                                                     : entry->classes;
}

gersh_status gersh__objective_check(const gersh__objective_entry *entry, gersh__source known)
{
    return choose(entry, known) != NULL ? GERSH_OK : refuse(&entry->info, known);
}

/* Where pairs come from tuples, there must be some of each sort that the objective is a function of. */
static gersh_status check_similar(const gersh__objective *objective, int similar)
{
    size_t count = gersh__pairs_count(objective->pairs);
    const int *known = gersh__supervision_similarity(gersh__pairs_supervision(objective->pairs));
    int needs = similar ? GERSH__NEEDS_SIMILAR : GERSH__NEEDS_DISSIMILAR;
    if ((objective->kind->needs & needs) == 0 || known == NULL)
        return GERSH_OK;
    for (size_t p = 0; p < count; p++)
        if (known[p] == similar)
            return GERSH_OK;
    return gersh__fail(GERSH_ERROR_INPUT, "the objective %s needs %s pairs, but all %zu are %s; add some",
                       objective->info->name, similar ? "similar" : "dissimilar", count,
                       similar ? "dissimilar" : "similar");
}

static int uses_lists(const gersh__objective_entry *entry)
{
    return entry->classes != NULL && !entry->classes->all_pairs;
}

static gersh_status check_pairs(const gersh__objective *objective)
{
    char list[GERSH__NAME_LIST];
    if (objective->kind->all_pairs && !gersh__pairs_have_rows(objective->pairs))
        return gersh__fail(
            GERSH_ERROR_ARGUMENT,
            "the objective %s compares each sample with all others and cannot use a list of pairs; "
            "use all pairs, or one of the objectives %s",
            objective->info->name,
            gersh__objective_list(list,
                                  gersh__supervision_source(gersh__pairs_supervision(objective->pairs)),
                                  uses_lists, " and "));
    gersh_status status = check_similar(objective, 0);
    return status == GERSH_OK ? check_similar(objective, 1) : status;
}

gersh_status gersh__objective_new(gersh__objective **out, const gersh__objective_entry *entry,
                                  const gersh__pairs *pairs)
{
    gersh__source known = gersh__supervision_source(gersh__pairs_supervision(pairs));
    const gersh__objective_kind *kind = choose(entry, known);
    *out = NULL;
    if (kind == NULL)
        return refuse(&entry->info, known);
    gersh__objective *objective = gersh__alloc(1, kind->state_size);
    if (objective == NULL)
        return GERSH_ERROR_MEMORY;
    objective->info = &entry->info;
    objective->kind = kind;
    objective->pairs = pairs;
    gersh_status status = check_pairs(objective);
    if (status == GERSH_OK)
        objective->scratch =
            gersh__alloc(gersh__pairs_count(pairs), kind->arrays * sizeof *objective->scratch);
    if (status == GERSH_OK)
        status = objective->scratch != NULL ? kind->init(objective) : GERSH_ERROR_MEMORY;
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
    return objective->info->maximized ? -value : value;
}
