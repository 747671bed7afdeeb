/* What a model is, in words: the same for the commands fit and inspect. */
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "report/describe.h"

enum { TOP = 10, NAME_WIDTH = 26 };

static const char *setting(const gersh_model *model, const char *name)
{
    return gersh_settings_get(gersh_model_settings(model), name);
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
    char used[40], all[40], rows[40], from[40];
    double drawn_from = floor((1 + sqrt(1 + 8 * info->pairs_all)) / 2 + 0.5);
    if (info->pairs == 0)
        return;
    printf("pairs:       ");
    if (info->choice == GERSH_CHOICE_ALL) {
        printf("all %s\n", grouped(used, info->pairs));
    } else if (info->choice == GERSH_CHOICE_TUPLES) {
        printf("%s, of the tuples\n", grouped(used, info->pairs));
    } else {
        printf("%s of %s, of %s rows", grouped(used, info->pairs), grouped(all, info->pairs_all),
               grouped(rows, info->rows_used));
        if (drawn_from < (double)gersh_model_rows(model))
            printf(" among %s of %s", grouped(from, drawn_from),
                   grouped(rows, (double)gersh_model_rows(model)));
        printf(": %s, seed %s, %d round%s\n",
               info->choice == GERSH_CHOICE_MINED
                   ? "targets, nearest impostors, and random rows for the others"
                   : "drawn at random",
               setting(model, "seed"), info->rounds, info->rounds == 1 ? "" : "s");
    }
}

static void print_certificate(const gersh_model *model)
{
    const gersh_fit_info *info = gersh_model_info(model);
    int maximized = gersh_model_objective(model)->maximized, estimate = info->value_error > 0;
    print_pairs(model);
    printf("objective:   %s = %.10g ", gersh_model_objective(model)->name, info->objective_value);
    if (estimate)
        printf("± %.2g on fresh pairs, 95 %% confidence ", info->value_error);
    printf("(%s is better)\n", maximized ? "larger" : "smaller");
    printf("solver:      %s, trace at most %.6g, smallest eigenvalue at least %.6g\n",
           setting(model, "solver"), info->budget, info->rho);
    if (info->has_bound)
        printf("bound:       %.10g: no %s metric %s\n", info->bound,
               gersh_model_solver(model)->signs == GERSH_SIGNS_BALANCED ? "balanced" : "such",
               maximized ? "has more" : "has less");
    printf("stopped:     %s, after %.3g s and %d iteration%s: %s\n", gersh_stop_name(info->stop),
           info->seconds, info->iterations, info->iterations == 1 ? "" : "s", gersh__stop_sentence(model));
}

/* A number to order by, and what it belongs to. */
typedef struct ranked {
    double size;
    size_t first, second; /* a feature, and of edges another or a place in the graph's lists */
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

static void print_local(void)
{
    const gersh_objective_info *objective;
    const char *before = " ";
    printf("  where classes lie in several places, try an objective that looks at near samples only: "
           "--objective");
    for (int i = 0; (objective = gersh_objective_at(i)) != NULL; i++) {
        if (!objective->local || (objective->takes & GERSH_SUPERVISION_CLASSES) == 0)
            continue;
        printf("%s%s", before, objective->name);
        before = " or ";
    }
    printf("\n");
}

/* What the features are ranked by; and where contributions are blind, that they are. */
static void print_ranking(const gersh_model *model, gersh_importance_kind kind, int all)
{
    const gersh_importance *importance = gersh_model_importance(model);
    const char *apart = gersh_model_tuples(model) != NULL ? "dissimilar from similar samples"
                        : gersh_model_classes(model) > 0  ? "classes"
                                                          : "targets";
    printf("\nfeatures by %s%s", kind == GERSH_IMPORTANCE_WEIGHT ? "weight M_ii" : "importance",
           all ? "" : " (the first 10)");
    if (kind == GERSH_IMPORTANCE_CONTRIBUTION)
        printf(": what each contributes to telling %s apart", apart);
    if (kind == GERSH_IMPORTANCE_PERMUTATION)
        printf(": what %s on held-out samples, %.3g, loses when it is permuted (%zu splits)",
               gersh_model_classes(model) > 0 ? "the accuracy" : "R2", importance->score,
               importance->splits);
    printf("\n");
    if (gersh_importance_is_blind(importance))
        printf(
            "  means and variances of single features and pairs hardly tell %s apart (separation %.2g)%s\n",
            apart, importance->separation,
            kind == GERSH_IMPORTANCE_WEIGHT && gersh_model_data(model) != NULL &&
                    gersh_model_tuples(model) == NULL
                ? "; try --importance permutation"
                : "");
    if (gersh_importance_is_blind(importance) && gersh_model_classes(model) > 0 &&
        !gersh_model_objective(model)->local && gersh_model_training_accuracy(model)->other == NULL)
        print_local();
    printf("  ");
}

static void print_features(const gersh_model *model, const gersh_model_summary *summary, ranked *list,
                           double *value)
{
    const gersh_graph *graph = summary->graph;
    size_t k = graph->nodes, shown = k < TOP ? k : TOP;
    gersh_importance_kind kind = gersh_importance_rank(value, model);
    for (size_t i = 0; i < k; i++)
        list[i] = (ranked){value[i], i, i, graph->diagonal[i]};
    qsort(list, k, sizeof *list, compare);
    print_ranking(model, kind, shown == k);
    cli_print_cell("feature", NAME_WIDTH);
    printf(" %10s %12s  %s\n", kind == GERSH_IMPORTANCE_WEIGHT ? "share" : "importance", "M_ii",
           summary->balance->balanced ? "colour" : "");
    for (size_t i = 0; i < shown; i++) {
        printf("  ");
        cli_print_cell(cli_feature_name(model, list[i].first), NAME_WIDTH);
        printf(" %8.2f %% %12.6g  %s\n",
               100 * list[i].size / (kind == GERSH_IMPORTANCE_WEIGHT ? summary->trace : 1), list[i].entry,
               !summary->balance->balanced                  ? ""
               : summary->balance->color[list[i].first] > 0 ? "blue"
                                                            : "red");
    }
}

static void print_shares(const gersh_bootstrap *b, size_t i, size_t j, int negative)
{
    double frequency, agreement;
    gersh__edge_shares(&frequency, &agreement, b, i, j, negative);
    printf(" %8.1f %%", 100 * frequency);
    if (!isnan(agreement))
        printf(" %8.1f %%", 100 * agreement);
}

/* The strongest edges of one sign. */
static void print_edges(const gersh_model *model, const gersh_model_summary *summary, int negative,
                        ranked *list)
{
    const gersh_bootstrap *b = gersh_model_bootstrap(model);
    const gersh_graph *graph = summary->graph;
    size_t count = 0;
    for (size_t i = 0; i < graph->nodes; i++)
        for (size_t e = graph->start[i]; e < graph->start[i + 1]; e++)
            if (graph->neighbor[e] > i && (graph->entry[e] > 0) == negative)
                list[count++] = (ranked){fabs(graph->entry[e]), i, e, graph->entry[e]};
    if (count == 0)
        return;
    qsort(list, count, sizeof *list, compare);
    printf("\nstrongest %s edges%s\n  ", negative ? "negative" : "positive",
           count > TOP ? " (the first 10)" : "");
    cli_print_cell("feature", NAME_WIDTH);
    putchar(' ');
    cli_print_cell("feature", NAME_WIDTH);
    printf(" %12s  M_ij/\u221a(M_ii M_jj)  correlation%s\n", "weight",
           b != NULL ? "  frequency  sign kept" : "");
    for (size_t e = 0; e < count && e < TOP; e++) {
        size_t i = list[e].first, j = graph->neighbor[list[e].second];
        double correlation = summary->correlation != NULL ? summary->correlation[list[e].second] : NAN;
        printf("  ");
        cli_print_cell(cli_feature_name(model, i), NAME_WIDTH);
        putchar(' ');
        cli_print_cell(cli_feature_name(model, j), NAME_WIDTH);
        printf(" %12.6g  %17.4f", -list[e].entry,
               list[e].entry / (sqrt(graph->diagonal[i]) * sqrt(graph->diagonal[j])));
        if (isnan(correlation))
            printf("  %11s", "");
        else
            printf("  %11.4f", correlation);
        if (b != NULL)
            print_shares(b, i, j, negative);
        putchar('\n');
    }
}

/* The edges that resamples have most often, and the metric has not. */
static void print_missing(const gersh_model *model, const gersh_graph *graph, ranked *list)
{
    const gersh_bootstrap *b = gersh_model_bootstrap(model);
    size_t count = 0;
    for (size_t e = 0; b != NULL && e < b->count; e++) {
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
        cli_print_cell(cli_feature_name(model, list[e].first), NAME_WIDTH);
        putchar(' ');
        cli_print_cell(cli_feature_name(model, list[e].second), NAME_WIDTH);
        printf(" %-8s", negative ? "negative" : "positive");
        print_shares(b, list[e].first, list[e].second, negative);
        putchar('\n');
    }
}

/* The classes with their numbers of samples, or the range of the targets; without training samples, how many. */
static void print_label(const gersh_model *model)
{
    const gersh_dataset *data = gersh_model_data(model);
    const gersh_tuples *tuples = gersh_model_tuples(model);
    const char *name = data != NULL ? gersh_dataset_label_name(data) : NULL;
    size_t classes = gersh_model_classes(model), n = gersh_model_rows(model);
    if (tuples != NULL) {
        printf("learns from: %zu %s\n", tuples->count, gersh_tuple_kind_name(tuples->kind));
        return;
    }
    printf("label:       ");
    cli_put_text(stdout, name != NULL ? name : setting(model, "label"));
    if (classes == 0) {
        const double *target = data != NULL ? gersh_dataset_targets(data) : NULL;
        double low = INFINITY, high = -INFINITY;
        for (size_t i = 0; target != NULL && i < n; i++) {
            low = fmin(low, target[i]);
            high = fmax(high, target[i]);
        }
        printf(", a number to predict");
        if (target != NULL)
            printf(", from %.6g to %.6g", low, high);
        putchar('\n');
        return;
    }
    printf(", %zu classes: ", classes);
    for (size_t c = 0; c < classes && c < TOP; c++) {
        size_t count = 0;
        printf("%s", c > 0 ? ", " : "");
        cli_put_text(stdout, gersh_model_class_name(model, c));
        for (size_t i = 0; data != NULL && i < n; i++)
            count += gersh_dataset_labels(data)[i] == (int)c;
        if (data != NULL)
            printf(" (%zu)", count);
    }
    printf("%s\n", classes > TOP ? ", ..." : "");
}

/* One sentence on what was learned, with the features that contribute most. */
static void print_learned(const gersh_model *model, const gersh_model_summary *summary, ranked *list,
                          const double *value, gersh_importance_kind kind)
{
    size_t k = summary->graph->nodes;
    printf("learned:     how far apart two samples are: %s\n",
           gersh_model_tuples(model) != NULL ? "similar ones are near, dissimilar ones far"
           : gersh_model_classes(model) > 0  ? "those of one class are near, those of different classes far"
                                             : "those with close numbers are near, others far");
    for (size_t i = 0; i < k; i++)
        list[i] = (ranked){value[i], i, i, 0};
    qsort(list, k, sizeof *list, compare);
    printf("             most important: ");
    double sum = 0;
    size_t shown = 0;
    for (; shown < k && shown < 3 && (shown == 0 || list[shown].size > 0.02 * list[0].size); shown++) {
        printf("%s", shown > 0 ? ", " : "");
        cli_put_text(stdout, cli_feature_name(model, list[shown].first));
        sum += list[shown].size;
    }
    if (kind == GERSH_IMPORTANCE_CONTRIBUTION && shown < k && sum <= 1) /* others may take away from it */
        printf(" (%.0f %% of what tells them apart)", 100 * sum);
    putchar('\n');
}

/* How the metric classifies, beside none. */
static void print_accuracy(const gersh_model *model)
{
    char sentence[256], remark[GERSH__REMARKS][GERSH__REMARK_SIZE];
    if (*gersh__accuracy_sentence(sentence, sizeof sentence, model) == '\0')
        return;
    printf("checked:     %s\n", sentence);
    int count = gersh__accuracy_remarks(remark, model);
    for (int r = 0; r < count; r++)
        printf("             %s\n", remark[r]);
}

static void print_next(const cli_next *next)
{
    const char *data = next->data, *model = next->model;
    cli_put_around(stdout, "next:        gersh evaluate ", data, "");
    if (next->label != NULL)
        cli_put_around(stdout, " --label ", next->label, "");
    printf("  (accuracy on held-out samples)\n             ");
    if (model == NULL) {
        printf("gersh fit ... -o model.gersh  (keeps the metric for predict, transform and report)\n");
        return;
    }
    cli_put_around(stdout, "gersh report ", model, " -o report.html  (a page to look at)\n");
    cli_put_around(stdout, "             gersh predict ", model, " NEW.csv\n");
}

static void print_bootstrap(const gersh_bootstrap *b)
{
    if (b == NULL)
        return;
    printf("bootstrap:   %zu of %zu resamples", b->done, b->asked);
    if (b->failed > 0) {
        printf("; %zu failed, the first: ", b->failed);
        cli_put_text(stdout, b->failure);
    }
    putchar('\n');
}

gersh_status cli_print_summary(const gersh_model *model, const gersh_model_summary *summary,
                               const cli_next *next)
{
    const gersh_graph *graph = summary->graph;
    const gersh_balance *balance = summary->balance;
    const gersh_bootstrap *b = gersh_model_bootstrap(model);
    size_t most = graph->nodes > graph->edges ? graph->nodes : graph->edges, blue = 0;
    size_t rules;
    ranked *list = gersh__alloc(b != NULL && b->count > most ? b->count : most, sizeof *list);
    double *value = gersh__alloc(graph->nodes, sizeof *value);
    if (list == NULL || value == NULL) {
        gersh__free(list);
        gersh__free(value);
        return GERSH_ERROR_MEMORY;
    }
    gersh_model_rules(model, &rules);
    char sentence[GERSH_CERTAINTY_SIZE];
    gersh_importance_kind kind = gersh_importance_rank(value, model);
    print_label(model);
    printf("data:        %zu samples, %zu features\n", gersh_model_rows(model),
           gersh_model_metric(model)->features);
    print_learned(model, summary, list, value, kind);
    print_accuracy(model);
    printf("certain:     %s\n", gersh_model_certainty(sentence, sizeof sentence, model, NULL));
    if (next != NULL)
        print_next(next);
    putchar('\n');
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
    print_bootstrap(b);
    print_features(model, summary, list, value);
    print_edges(model, summary, 0, list);
    print_edges(model, summary, 1, list);
    print_missing(model, graph, list);
    gersh__free(list);
    gersh__free(value);
    return GERSH_OK;
}
