/* What a model is, in words and as JSON: the same for the commands fit and inspect. */
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOP = 10, NAME_WIDTH = 26 };

static const char *setting(const gersh_model *model, const char *name)
{
    return gersh_settings_get(gersh_model_settings(model), name);
}

static const char *objective_of(const gersh_model *model)
{
    return gersh_model_is_custom(model) ? "custom" : setting(model, "objective");
}

static const char *stop_sentence(const gersh_fit_info *info)
{
    switch (info->stop) {
    case GERSH_STOP_CONVERGED:
        return info->has_bound ? "value and bound agree as well as was asked for"
                               : "the objective has settled";
    case GERSH_STOP_MAX_ITER:
        return "the number of iterations was used up (--max-iter)";
    case GERSH_STOP_MAX_TIME:
        return "the time was used up (--max-time)";
    case GERSH_STOP_INTERRUPTED:
        return "it was interrupted; this is the best metric found until then";
    }
    return "";
}

static void print_certificate(const gersh_model *model)
{
    const gersh_fit_info *info = gersh_model_info(model);
    int maximized = strcmp(objective_of(model), "deml") == 0;
    printf("objective:   %s = %.10g (%s is better)\n", objective_of(model), info->objective_value,
           maximized ? "larger" : "smaller");
    printf("solver:      %s, trace at most %.6g, smallest eigenvalue at least %.6g\n",
           setting(model, "solver"), info->budget, info->rho);
    if (!info->has_bound)
        printf("bound:       none\n");
    else if (fabs(info->gap) <= fabs(info->objective_value))
        printf("bound:       %.10g: certified to be within %.2g %% of the best possible\n", info->bound,
               info->gap != 0 ? 100 * fabs(info->gap / info->objective_value) : 0);
    else
        printf("bound:       %.10g: certified that no value is %s than this\n", info->bound,
               maximized ? "larger" : "smaller");
    printf("stopped:     %s, after %.3g s and %d iteration%s: %s\n", gersh_stop_name(info->stop),
           info->seconds, info->iterations, info->iterations == 1 ? "" : "s", stop_sentence(info));
}

/* A number to order by, and what it belongs to. */
typedef struct ranked {
    double size;
    size_t first, second;
    double entry;
} ranked;

/* The largest first; of equal ones, in the order of features. */
static int compare(const void *left, const void *right)
{
    const ranked *a = left, *b = right;
    if (a->size != b->size)
        return a->size > b->size ? -1 : 1;
    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    return a->second < b->second ? -1 : a->second > b->second;
}

static void print_features(const gersh_model *model, const gersh_model_summary *summary, ranked *list)
{
    const gersh_graph *graph = summary->graph;
    size_t k = graph->nodes, shown = k < TOP ? k : TOP;
    for (size_t i = 0; i < k; i++)
        list[i] = (ranked){graph->diagonal[i], i, i, graph->diagonal[i]};
    qsort(list, k, sizeof *list, compare);
    printf("\nmost weighted features%s\n  ", shown < k ? " (the first 10)" : "");
    cli_print_cell("feature", NAME_WIDTH);
    printf(" %12s %8s  %s\n", "M_ii", "share", summary->balance->balanced ? "colour" : "");
    for (size_t i = 0; i < shown; i++) {
        printf("  ");
        cli_print_cell(gersh_model_feature_name(model, list[i].first), NAME_WIDTH);
        printf(" %12.6g %6.2f %%  %s\n", list[i].size, 100 * list[i].size / summary->trace,
               !summary->balance->balanced                  ? ""
               : summary->balance->color[list[i].first] > 0 ? "blue"
                                                            : "red");
    }
}

/* The strongest edges of one sign. */
static void print_edges(const gersh_model *model, const gersh_graph *graph, int negative, ranked *list)
{
    size_t count = 0;
    for (size_t i = 0; i < graph->nodes; i++)
        for (size_t e = graph->start[i]; e < graph->start[i + 1]; e++)
            if (graph->neighbor[e] > i && (graph->entry[e] > 0) == negative)
                list[count++] = (ranked){fabs(graph->entry[e]), i, graph->neighbor[e], graph->entry[e]};
    if (count == 0)
        return;
    qsort(list, count, sizeof *list, compare);
    printf("\nstrongest %s edges%s\n  ", negative ? "negative" : "positive",
           count > TOP ? " (the first 10)" : "");
    cli_print_cell("feature", NAME_WIDTH);
    putchar(' ');
    cli_print_cell("feature", NAME_WIDTH);
    printf(" %12s %12s\n", "weight", "correlation");
    for (size_t e = 0; e < count && e < TOP; e++) {
        double together = sqrt(graph->diagonal[list[e].first]) * sqrt(graph->diagonal[list[e].second]);
        printf("  ");
        cli_print_cell(gersh_model_feature_name(model, list[e].first), NAME_WIDTH);
        putchar(' ');
        cli_print_cell(gersh_model_feature_name(model, list[e].second), NAME_WIDTH);
        printf(" %12.6g %12.4f\n", -list[e].entry, list[e].entry / together);
    }
}

void cli_print_summary(const gersh_model *model, const gersh_model_summary *summary)
{
    const gersh_graph *graph = summary->graph;
    const gersh_balance *balance = summary->balance;
    size_t most = graph->nodes > graph->edges ? graph->nodes : graph->edges, blue = 0;
    printf("data:        %zu rows, %zu features, ", gersh_model_rows(model), gersh_model_features(model));
    if (gersh_model_classes(model) > 0)
        printf("%zu classes\n", gersh_model_classes(model));
    else
        printf("real-valued targets\n");
    print_certificate(model);
    printf("graph:       %zu edge%s (%zu negative), %zu connected part%s, ", graph->edges,
           graph->edges == 1 ? "" : "s", summary->negative_edges, balance->components,
           balance->components == 1 ? "" : "s");
    for (size_t i = 0; balance->balanced && i < graph->nodes; i++)
        blue += balance->color[i] > 0;
    if (balance->balanced)
        printf("balanced: %zu blue and %zu red features\n", blue, graph->nodes - blue);
    else
        printf("not balanced\n");
    printf("matrix:      trace %.10g, smallest eigenvalue %.6g, %zu atoms\n", summary->trace,
           summary->lambda_min, gersh_model_metric(model)->atoms);
    ranked *list = calloc(most + 1, sizeof *list);
    if (list == NULL)
        return;
    print_features(model, summary, list);
    print_edges(model, graph, 0, list);
    print_edges(model, graph, 1, list);
    free(list);
}

static json_t *colors_json(const gersh_balance *balance)
{
    if (!balance->balanced)
        return json_null();
    json_t *colors = json_array();
    for (size_t i = 0; i < balance->nodes; i++)
        json_array_append_new(colors, json_integer(balance->color[i]));
    return colors;
}

json_t *cli_json_summary(const gersh_model *model, const gersh_model_summary *summary)
{
    const gersh_fit_info *info = gersh_model_info(model);
    json_t *document = json_pack(
        "{s:s, s:s, s:s, s:I, s:I, s:I, s:f, s:o, s:o, s:i, s:i, s:f, s:s}", "objective",
        objective_of(model), "solver", setting(model, "solver"), "task", gersh_model_task(model), "n",
        (json_int_t)gersh_model_rows(model), "features", (json_int_t)gersh_model_features(model), "classes",
        (json_int_t)gersh_model_classes(model), "objective_value", info->objective_value, "bound",
        info->has_bound ? json_real(info->bound) : json_null(), "gap",
        info->has_bound ? json_real(info->gap) : json_null(), "iterations", info->iterations,
        "newton_steps", info->newton_steps, "seconds", info->seconds, "stop", gersh_stop_name(info->stop));
    json_t *rest =
        json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:I, s:I, s:I, s:I, s:b, s:o}",
                  "seconds_gradient", info->seconds_gradient, "seconds_minimizer", info->seconds_minimizer,
                  "seconds_objective", info->seconds_objective, "seconds_step", info->seconds_step, "rho",
                  info->rho, "budget", info->budget, "lambda_min", summary->lambda_min, "trace",
                  summary->trace, "atoms", (json_int_t)gersh_model_metric(model)->atoms, "edges",
                  (json_int_t)summary->graph->edges, "negative_edges", (json_int_t)summary->negative_edges,
                  "components", (json_int_t)summary->balance->components, "balanced",
                  summary->balance->balanced, "colors", colors_json(summary->balance));
    if (document == NULL || rest == NULL || json_object_update(document, rest) != 0) {
        json_decref(document);
        document = NULL;
    }
    json_decref(rest);
    return document;
}
