/* What a model is, as JSON; see describe.h. */
#include "report/describe.h"

#include <math.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/json.h"
#include "gersh/importance.h"
#include "solver/fit.h"

static const char *setting(const gersh_model *model, const char *name)
{
    return gersh_settings_get(gersh_model_settings(model), name);
}

const char *gersh__stop_sentence(const gersh_model *model)
{
    const gersh_fit_info *info = gersh_model_info(model);
    switch (info->stop) {
    case GERSH_STOP_CONVERGED:
        return "the certificate is within the tolerance (--tol)";
    case GERSH_STOP_SETTLED:
        if (info->choice == GERSH_CHOICE_SAMPLED || info->choice == GERSH_CHOICE_MINED)
            return "more pairs would gain less than the tolerance, or do not fit the memory (--memory)";
        return info->has_bound
                   ? "no better graph was found; the certificate is wider than the tolerance (--tol)"
                   : "the objective has settled; this solver has no bound";
    case GERSH_STOP_MAX_ITER:
        return "the number of iterations was used up (--max-iter)";
    case GERSH_STOP_MAX_TIME:
        return "the time was used up (--max-time)";
    case GERSH_STOP_INTERRUPTED:
        return "it was interrupted; this is the best metric found until then";
    }
    return "";
}

const char *gersh__accuracy_sentence(char *text, size_t size, const gersh_model *model)
{
    const gersh_training_accuracy *a = gersh_model_training_accuracy(model);
    char some[64] = "the";
    if (a->samples < gersh_model_rows(model))
        snprintf(some, sizeof some, "%zu of the %zu", a->samples, gersh_model_rows(model));
    text[0] = '\0';
    if (a->samples > 0)
        snprintf(text, size,
                 "%s nearest neighbours classify %.1f %% of %s training samples right, and %.1f %% without "
                 "this metric (10-fold%s)",
                 setting(model, "neighbors"), 100 * a->accuracy, some, 100 * a->euclidean,
                 a->verdict != 0               ? ", beyond chance"
                 : a->accuracy == a->euclidean ? ""
                                               : ", within chance");
    return text;
}

int gersh__accuracy_remarks(char text[GERSH__REMARKS][GERSH__REMARK_SIZE], const gersh_model *model)
{
    const gersh_training_accuracy *a = gersh_model_training_accuracy(model);
    int count = 0;
    if (a->switched)
        snprintf(text[count++], GERSH__REMARK_SIZE,
                 "%s, which wants each class in one place, has only %.1f %%: classes seem to lie in "
                 "several places "
                 "each, and %s was learned instead",
                 a->other, 100 * a->other_accuracy, gersh_model_objective(model)->name);
    else if (a->other != NULL)
        snprintf(text[count++], GERSH__REMARK_SIZE,
                 "%s, which allows a class to lie in several places, was tried too: %.1f %%", a->other,
                 100 * a->other_accuracy);
    if (a->verdict < 0)
        snprintf(text[count++], GERSH__REMARK_SIZE,
                 "this metric classifies worse than none: take the scaled features as they are (--solver "
                 "identity), try "
                 "another --objective, or gersh tune");
    return count;
}

void gersh__edge_shares(double *frequency, double *agreement, const gersh_bootstrap *b, size_t i, size_t j,
                        int negative)
{
    const gersh_bootstrap_edge *edge = gersh_bootstrap_find(b, i, j);
    double have = edge != NULL ? (double)(edge->positive + edge->negative) : 0;
    *frequency = have / (double)b->done;
    *agreement = have > 0 ? (double)(negative ? edge->negative : edge->positive) / have : NAN;
}

static json_t *colors_json(const gersh_balance *balance)
{
    if (!balance->balanced)
        return json_null();
    json_t *colors = json_array();
    for (size_t i = 0; i < balance->nodes; i++)
        colors = gersh__json_append(colors, json_integer(balance->color[i]));
    return colors;
}

static json_t *tuples_json(const gersh_tuples *tuples)
{
    return tuples != NULL ? json_pack("{s:s, s:I}", "kind", gersh_tuple_kind_name(tuples->kind), "count",
                                      (json_int_t)tuples->count)
                          : json_null();
}

static json_t *bootstrap_json(const gersh_bootstrap *b)
{
    if (b == NULL)
        return json_null();
    json_t *edges = json_array();
    for (size_t e = 0; e < b->count; e++) {
        const gersh_bootstrap_edge *edge = &b->edge[e];
        size_t have = edge->positive + edge->negative,
               most = edge->positive > edge->negative ? edge->positive : edge->negative;
        edges = gersh__json_append(
            edges, json_pack("{s:I, s:I, s:I, s:I, s:f, s:f, s:f, s:f}", "first", (json_int_t)edge->first,
                             "second", (json_int_t)edge->second, "positive", (json_int_t)edge->positive,
                             "negative", (json_int_t)edge->negative, "frequency",
                             (double)have / (double)b->done, "sign_agreement", (double)most / (double)have,
                             "mean", edge->mean, "deviation", edge->deviation));
    }
    return json_pack("{s:I, s:I, s:I, s:o, s:f, s:o}", "asked", (json_int_t)b->asked, "done",
                     (json_int_t)b->done, "failed", (json_int_t)b->failed, "failure",
                     b->failed > 0 ? gersh__json_text(b->failure) : json_null(), "edge_size",
                     GERSH_BOOTSTRAP_EDGE, "edges", edges);
}

static json_t *reals_or_null(const double *values, size_t count)
{
    return values != NULL ? gersh__json_reals(values, count) : json_null();
}

static json_t *importance_json(const gersh_model *model)
{
    const gersh_importance *importance = gersh_model_importance(model);
    size_t k = gersh_model_metric(model)->features;
    double *value = gersh__alloc(k, sizeof *value);
    if (value == NULL)
        return NULL;
    const char *kind = gersh_importance_kind_name(gersh_importance_rank(value, model));
    json_t *object = json_pack(
        "{s:s, s:o, s:o, s:b, s:o, s:o, s:o, s:I, s:o}", "kind", kind, "value", gersh__json_reals(value, k),
        "separation", gersh__json_number(importance->contribution != NULL, importance->separation), "blind",
        gersh_importance_is_blind(importance), "contribution", reals_or_null(importance->contribution, k),
        "permutation", reals_or_null(importance->permutation, k), "deviation",
        reals_or_null(importance->deviation, k), "splits", (json_int_t)importance->splits, "score",
        gersh__json_number(importance->permutation != NULL, importance->score));
    gersh__free(value);
    return object;
}

static json_t *accuracy_json(const gersh_model *model)
{
    const gersh_training_accuracy *a = gersh_model_training_accuracy(model);
    if (a->samples == 0)
        return json_null();
    return json_pack("{s:I, s:f, s:f, s:i, s:b, s:b, s:o, s:o}", "samples", (json_int_t)a->samples,
                     "accuracy", a->accuracy, "euclidean", a->euclidean, "verdict", a->verdict, "automatic",
                     a->automatic, "switched", a->switched, "other",
                     a->other != NULL ? json_string(a->other) : json_null(), "other_accuracy",
                     gersh__json_number(a->other != NULL, a->other_accuracy));
}

static json_t *pairs_json(const gersh_model *model)
{
    const gersh_fit_info *info = gersh_model_info(model);
    return json_pack("{s:s, s:I, s:I, s:I, s:i, s:f}", "choice", gersh_pair_choice_name(info->choice),
                     "count", (json_int_t)info->pairs, "all", (json_int_t)info->pairs_all, "rows",
                     (json_int_t)info->rows_used, "rounds", info->rounds, "memory", info->memory);
}

json_t *gersh__describe_fit(const gersh_model *model, const gersh_model_summary *summary)
{
    const gersh_fit_info *info = gersh_model_info(model);
    char certainty[GERSH_CERTAINTY_SIZE];
    json_t *document = json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:f, s:o, s:o, s:o, s:o, s:f, s:i, s:i, s:f, s:s}",
        "standing", gersh_model_standing(model, NULL), "certainty",
        gersh_model_certainty(certainty, sizeof certainty, model, NULL), "objective",
        gersh_model_objective(model)->name, "solver", setting(model, "solver"), "task",
        gersh_model_task(model), "n", (json_int_t)gersh_model_rows(model), "features",
        (json_int_t)gersh_model_metric(model)->features, "classes", (json_int_t)gersh_model_classes(model),
        "objective_value", info->objective_value, "bound", gersh__json_number(info->has_bound, info->bound),
        "gap", gersh__json_number(info->has_bound, info->gap), "relative_gap",
        gersh__json_number(info->has_bound, info->relative_gap), "search_gap",
        gersh__json_number(info->has_bound, info->search_gap), "tol", info->tol, "iterations",
        info->iterations, "newton_steps", info->newton_steps, "seconds", info->seconds, "stop",
        gersh_stop_name(info->stop));
    json_t *rest = json_pack(
        "{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:I, s:I, s:I, s:I, s:b, s:o, s:o, s:o, s:f, s:o, s:o, "
        "s:o}",
        "seconds_gradient", info->seconds_gradient, "seconds_minimizer", info->seconds_minimizer,
        "seconds_objective", info->seconds_objective, "seconds_step", info->seconds_step, "rho", info->rho,
        "budget", info->budget, "lambda_min", summary->lambda_min, "trace", summary->trace, "atoms",
        (json_int_t)gersh_model_metric(model)->atoms, "edges", (json_int_t)summary->graph->edges,
        "negative_edges", (json_int_t)summary->negative_edges, "components",
        (json_int_t)summary->balance->components, "balanced", summary->balance->balanced, "colors",
        colors_json(summary->balance), "tuples", tuples_json(gersh_model_tuples(model)), "bootstrap",
        bootstrap_json(gersh_model_bootstrap(model)), "value_error", info->value_error, "pairs",
        pairs_json(model), "importance", importance_json(model), "training_accuracy", accuracy_json(model));
    if (document == NULL || rest == NULL || json_object_update(document, rest) != 0) {
        json_decref(document);
        document = NULL;
    }
    json_decref(rest);
    return document;
}

/* An edge of the graph. */
typedef struct place {
    size_t first, at; /* at: its position in the graph's lists */
    double size;
} place;

static int by_size(const void *left, const void *right)
{
    const place *a = left, *b = right;
    if (a->size != b->size)
        return a->size > b->size ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at; /* positions ascend with the features */
}

static int by_place(const void *left, const void *right)
{
    const place *a = left, *b = right;
    return a->at < b->at ? -1 : a->at > b->at;
}

static json_t *edge_json(const gersh_model *model, const gersh_model_summary *summary, const place *edge)
{
    const gersh_graph *graph = summary->graph;
    const gersh_bootstrap *b = gersh_model_bootstrap(model);
    size_t i = edge->first, j = graph->neighbor[edge->at];
    double entry = graph->entry[edge->at], frequency, agreement;
    json_t *correlation = gersh__json_number(
        summary->correlation != NULL, summary->correlation != NULL ? summary->correlation[edge->at] : 0);
    json_t *object =
        json_pack("{s:I, s:I, s:f, s:f, s:o}", "first", (json_int_t)i, "second", (json_int_t)j, "weight",
                  -entry, "normalized", entry / (sqrt(graph->diagonal[i]) * sqrt(graph->diagonal[j])),
                  "correlation", correlation);
    if (object == NULL || b == NULL)
        return object;
    gersh__edge_shares(&frequency, &agreement, b, i, j, entry > 0);
    object = gersh__json_set(object, "frequency", json_real(frequency));
    return gersh__json_set(object, "sign_agreement", gersh__json_number(1, agreement));
}

static json_t *edges_json(const gersh_model *model, const gersh_model_summary *summary, size_t most)
{
    const gersh_graph *graph = summary->graph;
    size_t count = 0;
    place *list = gersh__alloc(graph->edges, sizeof *list);
    json_t *array = list != NULL ? json_array() : NULL;
    for (size_t i = 0; array != NULL && i < graph->nodes; i++)
        for (size_t at = graph->start[i]; at < graph->start[i + 1]; at++)
            if (graph->neighbor[at] > i)
                list[count++] = (place){i, at, fabs(graph->entry[at])};
    if (array != NULL && count > most) {
        qsort(list, count, sizeof *list, by_size);
        qsort(list, count = most, sizeof *list, by_place);
    }
    for (size_t e = 0; e < count; e++)
        array = gersh__json_append(array, edge_json(model, summary, &list[e]));
    gersh__free(list);
    return array;
}

static json_t *rules_json(const gersh_model *model)
{
    size_t count;
    const gersh_edge_rule *rules = gersh_model_rules(model, &count);
    json_t *list = json_array();
    for (size_t r = 0; r < count; r++)
        list = gersh__json_append(list, json_pack("{s:I, s:I, s:s}", "first", (json_int_t)rules[r].first,
                                                  "second", (json_int_t)rules[r].second, "rule",
                                                  gersh_edge_kind_name(rules[r].kind)));
    return list;
}

json_t *gersh__describe_model(const gersh_model *model, const gersh_model_summary *summary,
                              size_t most_edges)
{
    const gersh_scaling *scaling = gersh_model_scaling(model);
    json_t *document = gersh__describe_fit(model, summary);
    json_t *features = json_array(), *classes = json_array(), *settings = json_object();
    for (size_t j = 0; j < gersh_scaling_width(scaling); j++)
        features = gersh__json_append(features, gersh__json_text(gersh_scaling_feature_name(scaling, j)));
    for (size_t c = 0; c < gersh_model_classes(model); c++)
        classes = gersh__json_append(classes, gersh__json_text(gersh_model_class_name(model, c)));
    for (int i = 0; i < gersh_settings_count(); i++) {
        const char *name = gersh_settings_info(i)->name;
        settings = gersh__json_set(settings, name, gersh__json_text(setting(model, name)));
    }
    json_t *more = json_pack(
        "{s:s, s:b, s:o, s:o, s:o, s:o, s:o, s:o}", "version", gersh_model_version(model), "has_data",
        gersh_model_data(model) != NULL, "feature_names", features, "class_names", classes, "settings",
        settings, "diagonal", gersh__json_reals(summary->graph->diagonal, summary->graph->nodes),
        "edge_list", edges_json(model, summary, most_edges), "rules", rules_json(model));
    if (document == NULL || more == NULL || json_object_update(document, more) != 0) {
        json_decref(document);
        document = NULL;
    }
    json_decref(more);
    return document;
}
