/* Changes of what a model is made of: atoms, witness, colours, names, samples, tuples. Each returns 0 where it does not apply. */
#ifndef GERSH_TESTS_TAMPER_PARTS_H
#define GERSH_TESTS_TAMPER_PARTS_H

#include "scalings.h"
#include "tamper.h"

/* The list of atoms that is meant. */
static inline gersh_metric *atoms_of(gersh_model *m, int witness)
{
    return witness ? m->witness.metric : m->metric;
}

static inline void drop_atom(gersh_metric *metric, size_t which)
{
    size_t last = --metric->atoms, k = metric->features;
    metric->weight[which] = metric->weight[last];
    if (metric->dense != NULL)
        memmove(metric->dense + which * k, metric->dense + last * k, k * sizeof(double));
    else
        metric->atom[which] = metric->atom[last];
}

static inline void add_atom(gersh_metric **metric, size_t feature, double weight)
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

static inline void rotate_atom(gersh_metric *metric, size_t which, double angle)
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

static inline int atom_variant(gersh_metric **list, int variant)
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

static inline int change_atoms(gersh_model *m, const fixture *f, int variant)
{
    (void)f;
    return atom_variant(&m->metric, variant);
}

static inline int change_witness_atoms(gersh_model *m, const fixture *f, int variant)
{
    (void)f;
    return atoms_of(m, 1) != NULL && atom_variant(&m->witness.metric, variant);
}

static inline int change_witness(gersh_model *m, const fixture *f, int variant)
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
    case 3: /* with the value as the bound */
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

static inline int change_colours(gersh_model *m, const fixture *f, int variant)
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

static inline void rename_one(char **name, const char *to)
{
    gersh__free(*name);
    *name = gersh__text_copy(to, strlen(to));
}

static inline int change_names(gersh_model *m, const fixture *f, int variant)
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

static inline int change_samples(gersh_model *m, const fixture *f, int variant)
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

/* Takes the last map away, or appends it. */
static inline void toggle_unit_length(gersh_scaling *scaling)
{
    if (has_unit_length(scaling))
        scaling->count--;
    else
        assert_ok(gersh__scaling_append(scaling, &gersh__map_unit_length));
}

static inline int change_scaling(gersh_model *m, const fixture *f, int variant)
{
    (void)f;
    if (variant == 0)
        toggle_unit_length(m->scaling);
    else if (variant < 5)
        means_of(m->scaling)[1] = operate(means_of(m->scaling)[1] + 1e-3, variant - 1);
    else
        scales_of(m->scaling)[1] = operate(scales_of(m->scaling)[1], variant - 5);
    return 1;
}

static inline int change_contributions(gersh_model *m, const fixture *f, int variant)
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

/* How the metric classifies. */
static inline int change_accuracy(gersh_model *m, const fixture *f, int variant)
{
    gersh_training_accuracy *a = &m->accuracy;
    double step = 1 / (double)(a->samples > 0 ? a->samples : 1);
    (void)f;
    if (a->samples == 0)
        return 0;
    if (variant == 0)
        a->accuracy = a->accuracy < 1 ? a->accuracy + step : a->accuracy - step;
    else if (variant == 1)
        a->euclidean = a->euclidean > 0 ? a->euclidean - step : a->euclidean + step;
    else if (variant == 2)
        a->samples++;
    else if (variant == 3)
        a->verdict = a->verdict > 0 ? -1 : a->verdict + 1;
    else
        a->accuracy = 1 - a->accuracy / 2;
    return 1;
}

/* What a fit leaves to be asked for, invented or changed. */
static inline int change_extras(gersh_model *m, const fixture *f, int variant)
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

static inline int change_tuples(gersh_model *m, const fixture *f, int variant)
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

static inline int change_rules(gersh_model *m, const fixture *f, int variant)
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

#endif
