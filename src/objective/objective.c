/*
 * The registry of objectives, making one, and its Hessian in the space of atoms from products with its
 * curvature: column b of Aᵀ H A is D*(H a_b) seen through the atoms, t_aᵀ L(H a_b) t_a for each a.
 */
#include "objective/objective.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "linalg/kernels.h"
#include "objective/kinds.h"

static const gersh__objective_kind *const registry[] = {&gersh__glr, &gersh__mcml, &gersh__deml,
                                                        &gersh__lsml, &gersh__lmnn};

enum { KINDS = sizeof registry / sizeof registry[0] };

const gersh__objective_kind *gersh__objective_find(const char *name)
{
    char excerpt[GERSH__EXCERPT_SIZE], list[128];
    const char *names[KINDS];
    size_t used = 0;
    for (int i = 0; i < KINDS; i++) {
        if (strcmp(registry[i]->name, name) == 0)
            return registry[i];
        names[i] = registry[i]->name;
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    const char *nearest = gersh__text_nearest(name, names, KINDS);
    gersh__text_excerpt(excerpt, sizeof excerpt, name, strlen(name));
    gersh__fail(GERSH_ERROR_ARGUMENT, "there is no objective '%s'%s%s%s; the objectives are %s", excerpt,
                nearest ? " (did you mean '" : "", nearest ? nearest : "", nearest ? "'?)" : "", list);
    return NULL;
}

gersh_status gersh__objective_new(gersh__objective **out, const gersh__objective_kind *kind,
                                  const gersh__pairs *pairs, const gersh_settings *settings)
{
    *out = NULL;
    gersh__objective *objective = gersh__alloc(1, kind->state_size);
    if (objective == NULL)
        return GERSH_ERROR_MEMORY;
    objective->kind = kind;
    objective->pairs = pairs;
    objective->scratch = gersh__alloc(pairs->count, 3 * sizeof *objective->scratch);
    gersh_status status = objective->scratch != NULL ? kind->init(objective, settings) : GERSH_ERROR_MEMORY;
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

gersh_status gersh__objective_need_classes(const gersh__objective *objective)
{
    const gersh__pairs *pairs = objective->pairs;
    if (pairs->classes > 0)
        return GERSH_OK;
    if (pairs->target != NULL)
        return gersh__fail(
            GERSH_ERROR_INPUT,
            "the objective %s needs classes, but the labels are real-valued targets; read them as "
            "classes with --task classify, or use the objective glr",
            objective->kind->name);
    return gersh__fail(
        GERSH_ERROR_INPUT,
        "the objective %s needs classes, but the data set has no labels; name their column with "
        "--label",
        objective->kind->name);
}

gersh_status gersh__objective_need_all_pairs(const gersh__objective *objective)
{
    if (objective->pairs->first == NULL)
        return GERSH_OK;
    return gersh__fail(
        GERSH_ERROR_ARGUMENT,
        "the objective %s compares each sample with all others and cannot use a list of pairs; "
        "use all pairs, or one of the objectives glr, deml and lsml",
        objective->kind->name);
}

gersh_status gersh__objective_hessian(gersh__objective *objective, const double *d, size_t m,
                                      const double *t, double *h)
{
    const gersh__pairs *pairs = objective->pairs;
    const gersh__kernels *kernels = gersh__kernels_here();
    if (objective->kind->hessian != NULL)
        return objective->kind->hessian(objective, d, m, t, h);
    gersh_status status = gersh__objective_work(objective, 2 * pairs->count + m * pairs->n);
    if (status != GERSH_OK)
        return status;
    double *atom = objective->work, *image = atom + pairs->count, *product = image + pairs->count;
    for (size_t b = 0; b < m; b++) {
        memset(atom, 0, pairs->count * sizeof *atom);
        gersh__pairs_add(pairs, 1.0, t + b * pairs->n, atom);
        objective->kind->curvature(objective, d, atom, image);
        /* Only a >= b: the rest follows from symmetry. */
        gersh__pairs_laplacian(pairs, image, m - b, t + b * pairs->n, product);
        for (size_t a = b; a < m; a++)
            h[a * m + b] = h[b * m + a] =
                kernels->dot(pairs->n, t + a * pairs->n, product + (a - b) * pairs->n);
    }
    return GERSH_OK;
}

double gersh__objective_value(gersh__objective *objective, const double *d)
{
    const gersh__objective_kind *kind = objective->kind;
    double value = kind->exact != NULL ? kind->exact(objective, d) : kind->evaluate(objective, d, NULL);
    return kind->maximized ? -value : value;
}
