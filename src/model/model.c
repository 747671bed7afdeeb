/* The model: learned, freed, and its getters; see gersh/model.h. */
#include "model/model.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/settings.h"
#include "base/text.h"
#include "data/dataset.h"
#include "data/tuples.h"
#include "model/importance.h"
#include "objective/custom.h"
#include "solver/fit.h"

static void free_names(char **names, size_t count)
{
    for (size_t i = 0; names != NULL && i < count; i++)
        gersh__free(names[i]);
    gersh__free(names);
}

void gersh__bootstrap_free(gersh_bootstrap *bootstrap)
{
    if (bootstrap == NULL)
        return;
    gersh__free(bootstrap->failure);
    gersh__free(bootstrap->edge);
    gersh__free(bootstrap);
}

void gersh_model_free(gersh_model *model)
{
    if (model == NULL)
        return;
    gersh_metric_free(model->metric);
    gersh_metric_free(model->witness.metric);
    gersh_scaling_free(model->scaling);
    gersh_settings_free(model->settings);
    free_names(model->feature_names, model->features);
    free_names(model->class_names, model->classes);
    gersh_dataset_free(model->data);
    gersh_tuples_free(model->tuples);
    gersh__bootstrap_free(model->bootstrap);
    gersh__trajectory_free(model->trajectory);
    gersh__importance_clear(&model->importance);
    gersh__free(model->rules);
    gersh__free(model->version);
    gersh__free(model->color);
    gersh__free(model);
}

static gersh_status copy_names(char ***out, size_t *counted, size_t count, const gersh_dataset *data,
                               const char *(*name)(const gersh_dataset *, size_t))
{
    *out = gersh__alloc(count, sizeof **out);
    if (*out == NULL)
        return GERSH_ERROR_MEMORY;
    for (*counted = 0; *counted < count; ++*counted) {
        const char *text = name(data, *counted);
        (*out)[*counted] = gersh__text_copy(text, strlen(text));
        if ((*out)[*counted] == NULL)
            return GERSH_ERROR_MEMORY;
    }
    return GERSH_OK;
}

/* Every setting explicitly, so that a later change of a default does not change what the model says. */
static gersh_status copy_settings(gersh_settings **out, const gersh_settings *settings, gersh__source known)
{
    gersh_status status = gersh_settings_new(out);
    for (int i = 0; i < gersh_settings_count() && status == GERSH_OK; i++) {
        const char *value = gersh__setting_text(settings, i);
        status = gersh_settings_set(*out, gersh_settings_info(i)->name,
                                    i == GERSH__OBJECTIVE ? gersh__objective_resolve(value, known) : value);
    }
    return status;
}

static gersh_status set_colors(gersh_model *model)
{
    gersh_graph *graph = NULL;
    gersh_balance *balance = NULL;
    gersh_status status = gersh_metric_graph(&graph, model->metric);
    if (status == GERSH_OK)
        status = gersh_graph_balance(&balance, graph);
    if (status == GERSH_OK && balance->balanced) {
        model->color = balance->color;
        balance->color = NULL;
    }
    gersh_balance_free(balance);
    gersh_graph_free(graph);
    return status;
}

static int same_atoms(const gersh_metric *a, const gersh_metric *b)
{
    if (a->atoms != b->atoms || (a->dense != NULL) != (b->dense != NULL) || a->rho != b->rho)
        return 0;
    int same = a->atoms == 0 || memcmp(a->weight, b->weight, a->atoms * sizeof *a->weight) == 0;
    for (size_t t = 0; a->dense == NULL && t < a->atoms && same; t++)
        same = a->atom[t].i == b->atom[t].i && a->atom[t].j == b->atom[t].j &&
               a->atom[t].a == b->atom[t].a && a->atom[t].b == b->atom[t].b;
    return same && (a->dense == NULL || a->atoms == 0 ||
                    memcmp(a->dense, b->dense, a->atoms * a->features * sizeof *a->dense) == 0);
}

/* A witness that is the metric itself is not kept twice. */
static void place_witness(gersh_model *model)
{
    gersh__witness *witness = &model->witness;
    if (!model->info.has_bound || witness->metric == NULL)
        return;
    model->witnessed =
        same_atoms(witness->metric, model->metric) ? GERSH__WITNESS_METRIC : GERSH__WITNESS_OWN;
    if (model->witnessed == GERSH__WITNESS_OWN)
        return;
    gersh_metric_free(witness->metric);
    witness->metric = NULL;
}

const char *gersh__witness_place_name(gersh__witness_place place)
{
    static const char *const names[] = {"none", "metric", "own"};
    return (size_t)place < sizeof names / sizeof names[0] ? names[place] : NULL;
}

/* All but the metric and what follows from it. */
static gersh_status describe_data(gersh_model *model, const gersh_dataset *data,
                                  const gersh_settings *settings, const gersh_tuples *tuples)
{
    model->rows = gersh_dataset_rows(data);
    model->regress = gersh_dataset_targets(data) != NULL;
    model->version = gersh__text_copy(gersh_version(), strlen(gersh_version()));
    if (model->version == NULL)
        return GERSH_ERROR_MEMORY;
    gersh_status status = copy_settings(&model->settings, settings, gersh__objective_source(data, tuples));
    if (status == GERSH_OK)
        status = copy_names(&model->feature_names, &model->features, gersh_dataset_features(data), data,
                            gersh_dataset_feature_name);
    if (status == GERSH_OK)
        status = copy_names(&model->class_names, &model->classes, gersh_dataset_classes(data), data,
                            gersh_dataset_class_name);
    if (status == GERSH_OK)
        status = gersh_dataset_copy(&model->data, data);
    if (status == GERSH_OK && model->data->x == NULL && model->data->sparse->shift != NULL)
        status = gersh_dataset_densify(model->data); /* scaled by the caller: not as a file holds it */
    return status;
}

/* Targets with mean 0 and sample deviation 1; they become the one feature of a data set, to be scaled as
 * such. */
static gersh_status standardize(gersh_dataset *data)
{
    gersh_dataset *column = NULL;
    gersh_scaling *scaling = NULL;
    gersh_status status = gersh_dataset_new(&column, data->n, 1, data->targets, 1, NULL, NULL, NULL);
    if (status == GERSH_OK)
        status = gersh_scaling_fit(&scaling, column, "zscore");
    if (status == GERSH_OK)
        status = gersh_scaling_apply(scaling, column);
    if (status == GERSH_OK)
        memcpy(data->targets, column->x, data->n * sizeof *data->targets);
    gersh_scaling_free(scaling);
    gersh_dataset_free(column);
    return status;
}

gersh_status gersh__model_scale(gersh_dataset **out, const gersh_model *model, const gersh_dataset *data)
{
    gersh_status status = gersh_dataset_copy(out, data);
    if (status == GERSH_OK)
        status = gersh_scaling_apply(model->scaling, *out);
    if (status == GERSH_OK && (*out)->targets != NULL && data->n > 1)
        status = standardize(*out);
    if (status != GERSH_OK) {
        gersh_dataset_free(*out);
        *out = NULL;
    }
    return status;
}

/* What the fit was told besides the data. */
static gersh_status copy_options(gersh_model *model, const gersh_fit_options *options)
{
    model->custom = options->custom != NULL;
    for (size_t r = 0; r < options->rule_count; r++)
        if (gersh_edge_kind_name(options->rules[r].kind) == NULL)
            return gersh__fail(GERSH_ERROR_ARGUMENT,
                               "edge rule %zu has the kind %d; expected one of gersh_edge_kind", r + 1,
                               (int)options->rules[r].kind);
    if (options->rule_count > 0) {
        model->rules = gersh__alloc(options->rule_count, sizeof *model->rules);
        if (model->rules == NULL)
            return GERSH_ERROR_MEMORY;
        memcpy(model->rules, options->rules, options->rule_count * sizeof *model->rules);
        model->rule_count = options->rule_count;
    }
    return options->tuples != NULL ? gersh__tuples_copy(&model->tuples, options->tuples) : GERSH_OK;
}

/* Labels are needed only where there are no tuples. */
static gersh_status check_data(const gersh_dataset *data, const gersh_tuples *tuples)
{
    return tuples != NULL ? gersh__tuples_check(tuples, gersh_dataset_rows(data), NULL)
                          : gersh_dataset_check(data);
}

gersh_status gersh__model_learn(gersh_model **out, const gersh_dataset *data,
                                const gersh_settings *settings, const gersh_fit_options *options)
{
    gersh_fit_options own = options != NULL ? *options : (gersh_fit_options){0};
    gersh_dataset *scaled = NULL;
    *out = NULL;
    gersh_status status = check_data(data, own.tuples);
    if (status != GERSH_OK)
        return status;
    gersh_model *model = gersh__alloc(1, sizeof *model);
    if (model == NULL)
        return GERSH_ERROR_MEMORY;
    status = describe_data(model, data, settings, own.tuples);
    if (status == GERSH_OK && own.weights != NULL)
        status = gersh_dataset_set_weights(model->data, own.weights);
    if (status != GERSH_OK)
        goto out;
    own.weights = gersh_dataset_weights(model->data);
    status = copy_options(model, &own);
    if (status == GERSH_OK)
        status = gersh_scaling_fit(&model->scaling, data, gersh__setting_text(settings, GERSH__SCALE));
    if (status == GERSH_OK)
        status = gersh__model_scale(&scaled, model, data);
    if (status == GERSH_OK)
        status = gersh__trajectory_start(&model->trajectory, &own);
    if (status == GERSH_OK)
        status =
            gersh__fit_certified(&model->metric, &model->witness, &model->info, scaled, settings, &own);
    if (status == GERSH_OK) {
        model->fitted = 1;
        place_witness(model);
        gersh__trajectory_end(model->trajectory);
        status = set_colors(model);
    }
    if (status == GERSH_OK)
        status =
            gersh__importance_contribute(&model->importance, model->metric, scaled, own.weights, own.tuples,
                                         (int)gersh__setting_whole(settings, GERSH__THREADS));
out:
    gersh_dataset_free(scaled);
    if (status != GERSH_OK) {
        gersh_model_free(model);
        return status;
    }
    *out = model;
    return GERSH_OK;
}

gersh_status gersh_model_check_data(const gersh_model *model, const gersh_dataset *data)
{
    char here[GERSH__EXCERPT_SIZE], there[GERSH__EXCERPT_SIZE];
    size_t k = gersh_dataset_features(data);
    if (k != model->features)
        return gersh__fail(
            GERSH_ERROR_INPUT,
            "the data has %zu feature%s but the model has %zu; use data with the model's columns", k,
            k == 1 ? "" : "s", model->features);
    for (size_t j = 0; j < k; j++) {
        const char *name = gersh_dataset_feature_name(data, j), *wanted = model->feature_names[j];
        if (strcmp(name, wanted) != 0)
            return gersh__fail(
                GERSH_ERROR_INPUT,
                "feature %zu of the data is '%s' but that of the model is '%s'; use data with the "
                "model's columns in their order",
                j + 1, gersh__text_excerpt(here, sizeof here, name, strlen(name)),
                gersh__text_excerpt(there, sizeof there, wanted, strlen(wanted)));
    }
    return GERSH_OK;
}

const gersh_metric *gersh_model_metric(const gersh_model *model)
{
    return model->metric;
}

const gersh_scaling *gersh_model_scaling(const gersh_model *model)
{
    return model->scaling;
}

const gersh_fit_info *gersh_model_info(const gersh_model *model)
{
    return &model->info;
}

const gersh_training_accuracy *gersh_model_training_accuracy(const gersh_model *model)
{
    return &model->accuracy;
}

const gersh_progress *gersh_model_trajectory(const gersh_model *model, size_t *count)
{
    size_t points = model->trajectory != NULL ? model->trajectory->count : 0;
    if (count != NULL)
        *count = points;
    return points > 0 ? model->trajectory->point : NULL;
}

const gersh_objective_info *gersh_model_objective(const gersh_model *model)
{
    return model->custom ? &gersh__objective_custom.info
                         : gersh_objective_find(gersh__setting_text(model->settings, GERSH__OBJECTIVE));
}

const gersh_solver_info *gersh_model_solver(const gersh_model *model)
{
    return gersh_solver_find(gersh__setting_text(model->settings, GERSH__SOLVER));
}

const gersh_settings *gersh_model_settings(const gersh_model *model)
{
    return model->settings;
}

const char *gersh_model_version(const gersh_model *model)
{
    return model->version;
}

const char *gersh_model_task(const gersh_model *model)
{
    return model->regress ? "regress" : model->classes > 0 ? "classify" : "none";
}

int gersh_model_is_custom(const gersh_model *model)
{
    return model->custom;
}

size_t gersh_model_rows(const gersh_model *model)
{
    return model->rows;
}

size_t gersh_model_features(const gersh_model *model)
{
    return model->features;
}

const char *gersh_model_feature_name(const gersh_model *model, size_t feature)
{
    return feature < model->features ? model->feature_names[feature] : NULL;
}

size_t gersh_model_classes(const gersh_model *model)
{
    return model->classes;
}

const char *gersh_model_class_name(const gersh_model *model, size_t which)
{
    return which < model->classes ? model->class_names[which] : NULL;
}

const gersh_dataset *gersh_model_data(const gersh_model *model)
{
    return model->data;
}

const gersh_tuples *gersh_model_tuples(const gersh_model *model)
{
    return model->tuples;
}

const gersh_edge_rule *gersh_model_rules(const gersh_model *model, size_t *count)
{
    if (count != NULL)
        *count = model->rule_count;
    return model->rules;
}

const gersh_bootstrap *gersh_model_bootstrap(const gersh_model *model)
{
    return model->bootstrap;
}

const int *gersh_model_colors(const gersh_model *model)
{
    return model->color;
}
