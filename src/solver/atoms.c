/* The engine's memory and its list of atoms; see atoms.h and frank_wolfe.h. */
#include "solver/atoms.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/policy.h"
#include "solver/sketch.h"

/* Atoms whose entries differ by less are the same atom. */
#define SAME_ATOM 1e-7

void gersh__engine_free(gersh__engine *e)
{
    if (e == NULL)
        return;
    gersh_metric_free(e->witness.metric);
    gersh__gradient_free(e->gradient);
    gersh__sketch_free(e->sketch);
    gersh__free(e->atom);
    gersh__free(e->vector);
    gersh__free(e->theta);
    gersh__free(e->t);
    gersh__free(e->score);
    gersh__free(e->step);
    gersh__free(e->hessian);
    gersh__free(e->work);
    gersh__free(e->free_set);
    gersh__free(e->base);
    gersh__free(e->d);
    gersh__free(e->g);
    gersh__free(e->next_d);
    gersh__free(e->next_g);
    gersh__free(e->delta);
    gersh__working_set_free(e->working_set);
    gersh__free(e->turned);
    gersh__free(e);
}

/* `kept`: with what is in it. */
static gersh_status resize(double **block, size_t count, int kept)
{
    if (!kept) {
        gersh__free(*block);
        *block = NULL;
    }
    double *moved = gersh__realloc(*block, count, sizeof **block);
    if (moved == NULL)
        return GERSH_ERROR_MEMORY;
    *block = moved;
    return GERSH_OK;
}

/* Room for `need` atoms. */
static gersh_status reserve(gersh__engine *e, size_t need)
{
    size_t capacity = e->capacity < 16 ? 16 : e->capacity, n = gersh__pairs_samples(e->pairs);
    while (capacity < need)
        capacity *= 2;
    if (capacity == e->capacity)
        return GERSH_OK;
    struct {
        double **block;
        size_t each;
        int kept;
    } rows[] = {{&e->theta, 1, 1},
                {&e->t, n, 1},
                {&e->score, 1, 1},
                {&e->step, 1, 1},
                {&e->hessian, capacity, 0},
                {&e->work, capacity + 4, 0},
                {&e->vector, e->dense ? gersh__pairs_features(e->pairs) : 0, 1}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
        if (rows[r].each > 0 &&
            resize(rows[r].block, capacity * rows[r].each, rows[r].kept && e->atoms > 0) != GERSH_OK)
            return GERSH_ERROR_MEMORY;
    gersh_atom *atom = gersh__realloc(e->atom, capacity, sizeof *atom);
    e->atom = atom != NULL ? atom : e->atom;
    int *free_set = gersh__realloc(e->free_set, capacity, 2 * sizeof *free_set);
    e->free_set = free_set != NULL ? free_set : e->free_set;
    if (atom == NULL || free_set == NULL)
        return GERSH_ERROR_MEMORY;
    e->capacity = capacity;
    return gersh__pairs_reserve(e->pairs, capacity);
}

typedef struct scaling {
    const double *from;
    double factor;
    double *to;
} scaling;

static void scale_chunk(void *context, size_t begin, size_t end)
{
    const scaling *s = context;
    for (size_t p = begin; p < end; p++)
        s->to[p] = s->factor * s->from[p];
}

/* to = factor · from, for all pairs */
static void scale(const gersh__pairs *pairs, double *to, double factor, const double *from)
{
    gersh__pairs_each(pairs, scale_chunk, &(scaling){from, factor, to});
}

gersh_status gersh__engine_new(gersh__engine **out, const gersh__pairs *pairs, gersh__objective *objective,
                               double rho, double budget, int dense)
{
    size_t count = gersh__pairs_count(pairs);
    *out = NULL;
    gersh__engine *e = gersh__alloc(1, sizeof *e);
    if (e == NULL)
        return GERSH_ERROR_MEMORY;
    e->pairs = pairs;
    e->objective = objective;
    e->rho = rho;
    e->budget = budget;
    e->dense = dense;
    e->base = gersh__realloc(NULL, count, sizeof(double));
    e->d = gersh__realloc(NULL, count, sizeof(double));
    e->g = gersh__realloc(NULL, count, sizeof(double));
    e->next_d = gersh__realloc(NULL, count, sizeof(double));
    e->next_g = gersh__realloc(NULL, count, sizeof(double));
    e->delta = gersh__realloc(NULL, count, sizeof(double));
    e->turned = dense ? gersh__alloc(gersh__pairs_features(pairs), sizeof *e->turned) : NULL;
    gersh_status status = gersh__gradient_new(&e->gradient, pairs, dense);
    if (status == GERSH_OK)
        status = gersh__working_set_new(&e->working_set, gersh__pairs_features(pairs));
    if (!e->base || !e->d || !e->g || !e->next_d || !e->next_g || !e->delta || (dense && !e->turned))
        status = GERSH_ERROR_MEMORY;
    if (status == GERSH_OK)
        status = reserve(e, 1);
    if (status != GERSH_OK) {
        gersh__engine_free(e);
        return status;
    }
    gersh__pairs_euclidean(pairs, e->base);
    /* The scale of the objective, at the multiple of the identity that uses up the budget. */
    scale(pairs, e->d, rho + budget / (double)gersh__pairs_features(pairs), e->base);
    const gersh__objective_kind *kind = objective->kind;
    e->floor = 1e-6 * fabs(kind->exact != NULL ? kind->exact(objective, e->d)
                                               : kind->evaluate(objective, e->d, NULL));
    scale(pairs, e->base, rho, e->base);
    *out = e;
    return GERSH_OK;
}

/* Whether atom a is this one. */
static int is_same(const gersh__engine *e, size_t a, gersh_atom atom, const double *vector)
{
    if (e->dense)
        return fabs(cblas_ddot((int)gersh__pairs_features(e->pairs),
                               e->vector + a * gersh__pairs_features(e->pairs), 1, vector, 1)) >
               1 - SAME_ATOM * SAME_ATOM;
    return e->atom[a].i == atom.i && e->atom[a].j == atom.j && fabs(e->atom[a].a - atom.a) < SAME_ATOM &&
           fabs(e->atom[a].b - atom.b) < SAME_ATOM;
}

static void project_atom(void *context, size_t number, int worker)
{
    gersh__engine *e = context;
    size_t a = e->projected + number;
    double *t = e->t + a * gersh__pairs_samples(e->pairs);
    (void)worker;
    if (e->dense)
        gersh__pairs_project_vector(e->pairs, e->vector + a * gersh__pairs_features(e->pairs), t);
    else
        gersh__pairs_project_atom(e->pairs, e->atom[a], t);
}

void gersh__atoms_project(gersh__engine *e)
{
    size_t count = e->atoms - e->projected;
    gersh__pool_run(
        gersh__pool_for(gersh__pairs_pool(e->pairs), (double)(count * gersh__pairs_samples(e->pairs))),
        count, project_atom, e);
    e->projected = e->atoms;
}

/* Adds the atom behind the others. */
static gersh_status append(gersh__engine *e, gersh_atom atom, const double *vector, double weight)
{
    gersh_status status = reserve(e, e->atoms + 1);
    if (status != GERSH_OK)
        return status;
    size_t a = e->atoms++;
    e->atom[a] = atom;
    e->theta[a] = weight;
    if (e->dense && vector != NULL)
        memcpy(e->vector + a * gersh__pairs_features(e->pairs), vector,
               gersh__pairs_features(e->pairs) * sizeof *vector);
    return GERSH_OK;
}

gersh_status gersh__atoms_add(gersh__engine *e, gersh_atom atom, const double *vector, double weight)
{
    if (!e->dense && atom.i > atom.j)
        atom = (gersh_atom){atom.j, atom.i, atom.b, atom.a};
    if (!e->dense && atom.a < 0)
        atom = (gersh_atom){atom.i, atom.j, -atom.a, -atom.b};
    for (size_t a = 0; a < e->atoms; a++) {
        if (is_same(e, a, atom, vector)) {
            e->theta[a] += weight;
            return GERSH_OK;
        }
    }
    return append(e, atom, vector, weight);
}

/*
 * Where an atom near the candidate is there already, atoms between the two join as well: to turn an atom by
 * a small angle is to move all its weight to one that is close; towards a distant one most of a step is
 * lost to curvature.
 */
static const double between[] = {GERSH__TURN_FAR, GERSH__TURN_NEAR};
enum { BETWEEN = sizeof between / sizeof between[0] };

static gersh_status add_between_edges(gersh__engine *e, const gersh__region *region, gersh_atom z)
{
    gersh_status status = GERSH_OK;
    size_t atoms = e->atoms;
    if (z.a < 0)
        z = (gersh_atom){z.i, z.j, -z.a, -z.b};
    for (size_t a = 0; a < atoms && status == GERSH_OK; a++) {
        gersh_atom old = e->atom[a];
        if (old.i != z.i || old.j != z.j || old.b * z.b <= 0 || !(e->theta[a] > 0))
            continue;
        double from = atan2(old.b, old.a), turn = atan2(z.b, z.a) - from;
        for (size_t s = 0; s < BETWEEN && status == GERSH_OK; s++) {
            double angle = from + between[s] * turn;
            gersh_atom next = {z.i, z.j, cos(angle), sin(angle)};
            if (gersh__region_allows(region, next))
                status = gersh__atoms_add(e, next, NULL, 0);
        }
    }
    return status;
}

/* The same for dense atoms: from the active one that is nearest. */
static gersh_status add_between_vectors(gersh__engine *e, const double *z)
{
    double *turned = e->turned;
    int k = (int)gersh__pairs_features(e->pairs);
    size_t nearest = e->atoms;
    double cosine = 0;
    for (size_t a = 0; a < e->atoms; a++) {
        double c =
            e->theta[a] > 0 ? cblas_ddot(k, e->vector + a * gersh__pairs_features(e->pairs), 1, z, 1) : 0;
        if (fabs(c) > fabs(cosine)) {
            cosine = c;
            nearest = a;
        }
    }
    gersh_status status = GERSH_OK;
    for (size_t s = 0; s < BETWEEN && nearest < e->atoms && status == GERSH_OK; s++) {
        memcpy(turned, e->vector + nearest * gersh__pairs_features(e->pairs),
               gersh__pairs_features(e->pairs) * sizeof *turned);
        cblas_dscal(k, 1 - between[s], turned, 1);
        cblas_daxpy(k, cosine > 0 ? between[s] : -between[s], z, 1, turned, 1);
        cblas_dscal(k, 1 / cblas_dnrm2(k, turned, 1), turned, 1);
        status = gersh__atoms_add(e, (gersh_atom){0, 0, 0, 0}, turned, 0);
    }
    return status;
}

gersh_status gersh__atoms_join(gersh__engine *e, const gersh__region *region,
                               const gersh__lmo_answer *answer)
{
    const gersh__candidate *candidate = answer->candidate;
    gersh_status status = GERSH_OK;
    for (size_t c = 0; c < answer->found && status == GERSH_OK; c++) {
        gersh_atom z = candidate[c].atom;
        if (candidate[c].value >= 0)
            continue;
        if (z.i > z.j)
            z = (gersh_atom){z.j, z.i, z.b, z.a};
        if (e->dense)
            status = add_between_vectors(e, candidate[c].vector);
        else if (z.i != z.j)
            status = add_between_edges(e, region, z);
        if (status == GERSH_OK)
            status = gersh__atoms_add(e, z, candidate[c].vector, 0);
    }
    return status;
}

static void move_atom(gersh__engine *e, size_t to, size_t from)
{
    size_t n = gersh__pairs_samples(e->pairs), k = gersh__pairs_features(e->pairs);
    e->atom[to] = e->atom[from];
    e->theta[to] = e->theta[from];
    e->score[to] = e->score[from];
    if (from < e->projected)
        memcpy(e->t + to * n, e->t + from * n, n * sizeof *e->t);
    else
        e->projected = e->projected < to ? e->projected : to;
    if (e->dense)
        memcpy(e->vector + to * k, e->vector + from * k, k * sizeof *e->vector);
}

/* The last ones take the places of those that leave. */
void gersh__atoms_drop(gersh__engine *e)
{
    size_t count = e->atoms;
    for (size_t a = 0; a < count; a++) {
        while (count > a && e->theta[count - 1] <= 1e-15 * e->budget)
            count--;
        if (a >= count || e->theta[a] > 1e-15 * e->budget)
            continue;
        move_atom(e, a, --count);
        e->scored = e->scored < a ? e->scored : a;
    }
    e->atoms = count;
    e->projected = e->projected < count ? e->projected : count;
    e->scored = e->scored < count ? e->scored : count;
}

/* Atom b's matrix joins atom a's on the same pair: [p q; q r] = an edge with all of p and q, and the rest
 * of r; unless the region does not have that edge. */
static gersh_status merge_two(gersh__engine *e, const gersh__region *region, size_t a, size_t b,
                              int *merged)
{
    gersh_atom first = e->atom[a], second = e->atom[b];
    double v = e->theta[a], w = e->theta[b];
    double p = v * first.a * first.a + w * second.a * second.a;
    double q = v * first.a * first.b + w * second.a * second.b;
    double r = v * first.b * first.b + w * second.b * second.b;
    double root = sqrt(p), length = hypot(root, q / root), rest = r - q / p * q;
    gersh_atom edge = {first.i, first.j, root / length, q / root / length};
    if (!gersh__region_allows(region, edge))
        return GERSH_OK;
    *merged = 1;
    e->theta[b] = 0;
    e->theta[a] = length * length;
    e->atom[a] = edge;
    e->scored = e->scored < a ? e->scored : a;
    e->projected = e->projected < a ? e->projected : a;
    if (rest > 1e-14 * r)
        return gersh__atoms_add(e, (gersh_atom){first.j, first.j, 1, 0}, NULL, rest);
    return GERSH_OK;
}

/* Atoms on the pair of atom a. */
static size_t edges_beside(const gersh__engine *e, size_t a)
{
    size_t count = 0;
    for (size_t b = 0; b < e->atoms; b++)
        count += e->atom[b].i == e->atom[a].i && e->atom[b].j == e->atom[a].j && e->theta[b] > 0;
    return count;
}

gersh_status gersh__atoms_merge(gersh__engine *e, const gersh__region *region, size_t most)
{
    gersh_status status = GERSH_OK;
    int merged = 0;
    for (size_t a = 0; a < e->atoms && !e->dense && status == GERSH_OK; a++) {
        for (size_t b = a + 1; b < e->atoms && status == GERSH_OK; b++) {
            if (e->atom[a].i != e->atom[b].i || e->atom[a].j != e->atom[b].j ||
                e->atom[a].i == e->atom[a].j || !(e->theta[a] > 0) || !(e->theta[b] > 0) ||
                edges_beside(e, a) <= most)
                continue;
            status = merge_two(e, region, a, b, &merged);
        }
    }
    if (merged)
        gersh__atoms_drop(e);
    return status;
}

gersh_status gersh__atoms_restrict(gersh__engine *e, const gersh__region *region)
{
    gersh_status status = GERSH_OK;
    size_t atoms = e->dense ? 0 : e->atoms;
    for (size_t a = 0; a < atoms && status == GERSH_OK; a++) {
        gersh_atom z = e->atom[a];
        double weight = e->theta[a];
        if (gersh__region_allows(region, z))
            continue;
        e->theta[a] = 0;
        status = gersh__atoms_add(e, (gersh_atom){z.i, z.i, 1, 0}, NULL, weight * z.a * z.a);
        if (status == GERSH_OK)
            status = gersh__atoms_add(e, (gersh_atom){z.j, z.j, 1, 0}, NULL, weight * z.b * z.b);
    }
    gersh__atoms_drop(e);
    return status;
}

gersh_status gersh__engine_start(gersh__engine *e, const gersh_metric *metric)
{
    double total = 0;
    e->atoms = e->projected = e->scored = 0;
    gersh_status status = reserve(e, metric->atoms);
    for (size_t a = 0; a < metric->atoms; a++)
        total += metric->weight[a];
    double factor = total > e->budget ? e->budget / total : 1;
    for (size_t a = 0; a < metric->atoms && status == GERSH_OK; a++) {
        gersh_atom atom = metric->atom != NULL ? metric->atom[a] : (gersh_atom){0, 0, 0, 0};
        const double *vector = metric->dense != NULL ? metric->dense + a * metric->features : NULL;
        status = e->dense
                     ? append(e, atom, vector, factor * metric->weight[a]) /* they are many, and differ */
                     : gersh__atoms_add(e, atom, vector, factor * metric->weight[a]);
    }
    return status;
}

gersh_status gersh__engine_metric(gersh_metric **out, const gersh__engine *e)
{
    gersh_status status =
        gersh_metric_new(out, gersh__pairs_features(e->pairs), e->rho, e->atoms, e->dense);
    if (status != GERSH_OK)
        return status;
    memcpy((*out)->weight, e->theta, e->atoms * sizeof *e->theta);
    if (e->dense)
        memcpy((*out)->dense, e->vector, e->atoms * gersh__pairs_features(e->pairs) * sizeof *e->vector);
    else
        memcpy((*out)->atom, e->atom, e->atoms * sizeof *e->atom);
    return GERSH_OK;
}
