/*
 * What the metric's signed graph looks like. The smallest eigenvalue of a balanced graph comes from its
 * aligned discs; of another one, from LOBPCG, whose Rayleigh quotient is an upper bound. So is the smallest
 * entry of the diagonal, and ρ is a lower bound by construction.
 */
#include <math.h>

#include "base/alloc.h"
#include "base/policy.h"
#include "gersh/linalg.h"
#include "model/model.h"

void gersh_model_summary_free(gersh_model_summary *summary)
{
    if (summary == NULL)
        return;
    gersh_graph_free(summary->graph);
    gersh_balance_free(summary->balance);
    gersh__free(summary->correlation);
    gersh__free(summary);
}

/*
 * A long path with one odd cycle takes more steps than anyone would wait for: the steps are limited by what one of them
 * costs, and the result is an upper bound in any case.
 */

static gersh_status unbalanced_smallest(double *out, gersh_graph *graph, double rho)
{
    gersh_lobpcg *state = NULL;
    gersh_lobpcg_result result;
    double steps = GERSH__SUMMARY_WORK / (double)(graph->nodes + 2 * graph->edges);
    gersh_lobpcg_options options = {
        .max_iter = (int)fmin(fmax(steps, GERSH__SUMMARY_LEAST_STEPS), GERSH__SUMMARY_MOST_STEPS)};
    double *vector = gersh__alloc(graph->nodes, sizeof *vector);
    gersh_status status = vector != NULL ? gersh_lobpcg_new(&state, graph->nodes) : GERSH_ERROR_MEMORY;
    if (status == GERSH_OK)
        status = gersh_lobpcg_solve(&result, vector, state, gersh_graph_apply, graph, &options);
    if (status == GERSH_OK) {
        *out = result.value;
        for (size_t i = 0; i < graph->nodes; i++)
            *out = fmin(*out, graph->diagonal[i]);
        *out = fmax(*out, rho);
    }
    gersh_lobpcg_free(state);
    gersh__free(vector);
    return status;
}

static gersh_status balanced_smallest(double *out, const gersh_graph *graph)
{
    gersh_discs *discs = NULL;
    gersh_status status = gersh_discs_align(&discs, graph, NULL);
    if (status == GERSH_OK)
        *out = discs->lambda_min;
    gersh_discs_free(discs);
    return status;
}

static gersh_status correlate(gersh_model_summary *summary, const gersh_model *model)
{
    const gersh_graph *graph = summary->graph;
    if (model->data == NULL)
        return GERSH_OK;
    summary->correlation = gersh__alloc(graph->start[graph->nodes], sizeof *summary->correlation);
    return summary->correlation != NULL ? gersh_model_correlations(summary->correlation, model, graph)
                                        : GERSH_ERROR_MEMORY;
}

gersh_status gersh_model_summarize(gersh_model_summary **out, const gersh_model *model)
{
    *out = NULL;
    gersh_model_summary *summary = gersh__alloc(1, sizeof *summary);
    if (summary == NULL)
        return GERSH_ERROR_MEMORY;
    gersh_status status = gersh_metric_graph(&summary->graph, model->metric);
    if (status == GERSH_OK)
        status = gersh_graph_balance(&summary->balance, summary->graph);
    if (status == GERSH_OK)
        status = summary->balance->balanced
                     ? balanced_smallest(&summary->lambda_min, summary->graph)
                     : unbalanced_smallest(&summary->lambda_min, summary->graph, model->metric->rho);
    if (status == GERSH_OK)
        status = correlate(summary, model);
    if (status != GERSH_OK) {
        gersh_model_summary_free(summary);
        return status;
    }
    const gersh_graph *graph = summary->graph;
    for (size_t e = 0; e < graph->start[graph->nodes]; e++)
        summary->negative_edges += graph->entry[e] > 0; /* the weight of an edge is −M_ij */
    summary->negative_edges /= 2;
    summary->trace = gersh_metric_trace(model->metric);
    *out = summary;
    return GERSH_OK;
}
