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

static const char *stop_sentence(const gersh_model *model)
{
    const gersh_fit_info *info = gersh_model_info(model);
    switch (info->stop) {
    case GERSH_STOP_CONVERGED:
        if (info->choice == GERSH_CHOICE_SAMPLED || info->choice == GERSH_CHOICE_MINED)
            return info->rounds > 1 ? "more pairs gain less than was asked for, or more than fit the memory"
                                    : "no more pairs fit the memory";
        if (!info->has_bound)
            return "the objective has settled";
        return info->gap <= strtod(setting(model, "tol"), NULL) * fabs(info->objective_value)
                   ? "value and bound agree as well as was asked for"
                   : "the value has settled; the bound is of the convex hull, which may hold better "
                     "metrics";
    case GERSH_STOP_MAX_ITER:
        return "the number of iterations was used up (--max-iter)";
    case GERSH_STOP_MAX_TIME:
        return "the time was used up (--max-time)";
    case GERSH_STOP_INTERRUPTED:
        return "it was interrupted; this is the best metric found until then";
    }
    return "";
}

/* A whole number with commas between its thousands. */
static const char *grouped(char text[40], double number)
{
    char plain[32];
    int digits = snprintf(plain, sizeof plain, "%.0f", number), used = 0;
    for (int i = 0; i < digits && used < 38; i++) {
        if (i > 0 && (digits - i) % 3 == 0)
            text[used++] = ',';
        text[used++] = plain[i];
    }
    text[used] = '\0';
    return text;
}

/* Which pairs of rows were learned from; models of older files do not say. */
static void print_pairs(const gersh_model *model)
{
    const gersh_fit_info *info = gersh_model_info(model);
    char used[40], all[40], rows[40];
    if (info->pairs == 0)
        return;
    printf("pairs:       ");
    if (info->choice == GERSH_CHOICE_ALL) {
        printf("all %s\n", grouped(used, info->pairs));
    } else if (info->choice == GERSH_CHOICE_TUPLES) {
        printf("%s, of the tuples\n", grouped(used, info->pairs));
    } else {
        printf("%s of %s, of %s rows: %s, seed %s, %d round%s\n", grouped(used, info->pairs),
               grouped(all, info->pairs_all), grouped(rows, info->rows_used),
               info->choice == GERSH_CHOICE_MINED
                   ? "targets, nearest impostors, and random rows for the others"
                   : "drawn at random",
               setting(model, "seed"), info->rounds, info->rounds == 1 ? "" : "s");
    }
}

static void print_certificate(const gersh_model *model)
{
    const gersh_fit_info *info = gersh_model_info(model);
    int maximized = gersh_objective_is_maximized(objective_of(model)), estimate = info->value_error > 0;
    print_pairs(model);
    printf("objective:   %s = %.10g ", objective_of(model), info->objective_value);
    if (estimate)
        printf("± %.2g on fresh pairs, 95 %% confidence ", info->value_error);
    printf("(%s is better)\n", maximized ? "larger" : "smaller");
    printf("solver:      %s, trace at most %.6g, smallest eigenvalue at least %.6g\n",
           setting(model, "solver"), info->budget, info->rho);
    if (!info->has_bound)
        printf("bound:       none\n");
    else if (fabs(info->gap) <= fabs(info->objective_value))
        printf("bound:       %.10g: %s within %.2g %% of the best possible\n", info->bound,
               estimate ? "with 95 % confidence" : "certified to be",
               info->gap != 0 ? 100 * fabs(info->gap / info->objective_value) : 0);
    else
        printf("bound:       %.10g: %s that no value is %s than this\n", info->bound,
               estimate ? "95 % confidence" : "certified", maximized ? "larger" : "smaller");
    printf("stopped:     %s, after %.3g s and %d iteration%s: %s\n", gersh_stop_name(info->stop),
           info->seconds, info->iterations, info->iterations == 1 ? "" : "s", stop_sentence(model));
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

/* Share of the resamples that have the edge, and of these, the share that agree on the sign; NaN for none.
 */
static void edge_shares(double *frequency, double *agreement, const gersh_bootstrap *b, size_t i, size_t j,
                        int negative)
{
    const gersh_bootstrap_edge *edge = gersh_bootstrap_find(b, i, j);
    double have = edge != NULL ? (double)(edge->positive + edge->negative) : 0;
    *frequency = have / (double)b->done;
    *agreement = have > 0 ? (double)(negative ? edge->negative : edge->positive) / have : NAN;
}

json_t *cli_json_edge(const gersh_model *model, size_t i, size_t j, double entry)
{
    const gersh_bootstrap *b = gersh_model_bootstrap(model);
    json_t *edge =
        json_pack("{s:I, s:I, s:f}", "first", (json_int_t)i, "second", (json_int_t)j, "weight", -entry);
    double frequency, agreement;
    if (edge == NULL || b == NULL)
        return edge;
    edge_shares(&frequency, &agreement, b, i, j, entry > 0);
    json_object_set_new(edge, "frequency", json_real(frequency));
    json_object_set_new(edge, "sign_agreement", isnan(agreement) ? json_null() : json_real(agreement));
    return edge;
}

static void print_shares(const gersh_bootstrap *b, size_t i, size_t j, int negative)
{
    double frequency, agreement;
    edge_shares(&frequency, &agreement, b, i, j, negative);
    printf(" %8.1f %%", 100 * frequency);
    if (!isnan(agreement))
        printf(" %8.1f %%", 100 * agreement);
}

/* The strongest edges of one sign. */
static void print_edges(const gersh_model *model, const gersh_graph *graph, int negative, ranked *list)
{
    const gersh_bootstrap *b = gersh_model_bootstrap(model);
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
    printf(" %12s %12s%s\n", "weight", "correlation", b != NULL ? "  frequency  sign kept" : "");
    for (size_t e = 0; e < count && e < TOP; e++) {
        double together = sqrt(graph->diagonal[list[e].first]) * sqrt(graph->diagonal[list[e].second]);
        printf("  ");
        cli_print_cell(gersh_model_feature_name(model, list[e].first), NAME_WIDTH);
        putchar(' ');
        cli_print_cell(gersh_model_feature_name(model, list[e].second), NAME_WIDTH);
        printf(" %12.6g %12.4f", -list[e].entry, list[e].entry / together);
        if (b != NULL)
            print_shares(b, list[e].first, list[e].second, negative);
        putchar('\n');
    }
}

/* The edges that resamples have most often, and the metric has not. */
static void print_missing(const gersh_model *model, const gersh_graph *graph)
{
    const gersh_bootstrap *b = gersh_model_bootstrap(model);
    size_t count = 0;
    ranked *list = b != NULL ? calloc(b->count + 1, sizeof *list) : NULL;
    for (size_t e = 0; list != NULL && e < b->count; e++) {
        const gersh_bootstrap_edge *edge = &b->edge[e];
        size_t at = graph->start[edge->first], end = graph->start[edge->first + 1];
        while (at < end && graph->neighbor[at] != edge->second)
            at++;
        if (at == end)
            list[count++] = (ranked){(double)(edge->positive + edge->negative), edge->first, edge->second,
                                     (double)edge->negative - (double)edge->positive};
    }
    if (count > 0) {
        qsort(list, count, sizeof *list, compare);
        printf("\nedges that only resamples have%s\n  ", count > TOP ? " (the first 10)" : "");
        cli_print_cell("feature", NAME_WIDTH);
        putchar(' ');
        cli_print_cell("feature", NAME_WIDTH);
        printf(" %-8s  frequency  same sign\n", "sign");
    }
    for (size_t e = 0; e < count && e < TOP; e++) {
        int negative = list[e].entry > 0;
        printf("  ");
        cli_print_cell(gersh_model_feature_name(model, list[e].first), NAME_WIDTH);
        putchar(' ');
        cli_print_cell(gersh_model_feature_name(model, list[e].second), NAME_WIDTH);
        printf(" %-8s", negative ? "negative" : "positive");
        print_shares(b, list[e].first, list[e].second, negative);
        putchar('\n');
    }
    free(list);
}

static void print_data(const gersh_model *model)
{
    const gersh_tuples *tuples = gersh_model_tuples(model);
    printf("data:        %zu rows, %zu features, ", gersh_model_rows(model), gersh_model_features(model));
    if (tuples != NULL)
        printf("%zu %s\n", tuples->count, gersh_tuple_kind_name(tuples->kind));
    else if (gersh_model_classes(model) > 0)
        printf("%zu classes\n", gersh_model_classes(model));
    else
        printf("real-valued targets\n");
}

static void print_bootstrap(const gersh_bootstrap *b)
{
    if (b == NULL)
        return;
    printf("bootstrap:   %zu of %zu resamples", b->done, b->asked);
    if (b->failed > 0)
        printf("; %zu failed, the first: %s", b->failed, b->failure);
    putchar('\n');
}

void cli_print_summary(const gersh_model *model, const gersh_model_summary *summary)
{
    const gersh_graph *graph = summary->graph;
    const gersh_balance *balance = summary->balance;
    size_t most = graph->nodes > graph->edges ? graph->nodes : graph->edges, blue = 0;
    size_t rules;
    gersh_model_rules(model, &rules);
    print_data(model);
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
    if (rules > 0)
        printf("edge rules:  %zu\n", rules);
    print_bootstrap(gersh_model_bootstrap(model));
    ranked *list = calloc(most + 1, sizeof *list);
    if (list == NULL)
        return;
    print_features(model, summary, list);
    print_edges(model, graph, 0, list);
    print_edges(model, graph, 1, list);
    print_missing(model, graph);
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
        json_array_append_new(
            edges, json_pack("{s:I, s:I, s:I, s:I, s:f, s:f, s:f, s:f}", "first", (json_int_t)edge->first,
                             "second", (json_int_t)edge->second, "positive", (json_int_t)edge->positive,
                             "negative", (json_int_t)edge->negative, "frequency",
                             (double)have / (double)b->done, "sign_agreement", (double)most / (double)have,
                             "mean", edge->mean, "deviation", edge->deviation));
    }
    return json_pack("{s:I, s:I, s:I, s:o, s:f, s:o}", "asked", (json_int_t)b->asked, "done",
                     (json_int_t)b->done, "failed", (json_int_t)b->failed, "failure",
                     b->failed > 0 ? cli_json_text(b->failure) : json_null(), "edge_size",
                     GERSH_BOOTSTRAP_EDGE, "edges", edges);
}

static json_t *pairs_json(const gersh_model *model)
{
    const gersh_fit_info *info = gersh_model_info(model);
    return json_pack("{s:s, s:I, s:I, s:I, s:i, s:f}", "choice", gersh_pair_choice_name(info->choice),
                     "count", (json_int_t)info->pairs, "all", (json_int_t)info->pairs_all, "rows",
                     (json_int_t)info->rows_used, "rounds", info->rounds, "memory", info->memory);
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
    json_t *rest = json_pack(
        "{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:I, s:I, s:I, s:I, s:b, s:o, s:o, s:o, s:f, s:o}",
        "seconds_gradient", info->seconds_gradient, "seconds_minimizer", info->seconds_minimizer,
        "seconds_objective", info->seconds_objective, "seconds_step", info->seconds_step, "rho", info->rho,
        "budget", info->budget, "lambda_min", summary->lambda_min, "trace", summary->trace, "atoms",
        (json_int_t)gersh_model_metric(model)->atoms, "edges", (json_int_t)summary->graph->edges,
        "negative_edges", (json_int_t)summary->negative_edges, "components",
        (json_int_t)summary->balance->components, "balanced", summary->balance->balanced, "colors",
        colors_json(summary->balance), "tuples", tuples_json(gersh_model_tuples(model)), "bootstrap",
        bootstrap_json(gersh_model_bootstrap(model)), "value_error", info->value_error, "pairs",
        pairs_json(model));
    if (document == NULL || rest == NULL || json_object_update(document, rest) != 0) {
        json_decref(document);
        document = NULL;
    }
    json_decref(rest);
    return document;
}
