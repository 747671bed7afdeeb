/*
 * Fuzz target: the input is the file of a matrix, as for `gersh align`: read, made a graph, checked for balance, its
 * discs aligned. The colours or the cycle must be what they are said to be, and the bounds in order.
 */
#include "fuzz.h"

static void check_balance(const gersh_graph *graph, const gersh_balance *balance)
{
    int negative = 0;
    for (size_t i = 0; balance->balanced && i < graph->nodes; i++)
        for (size_t e = graph->start[i]; e < graph->start[i + 1]; e++)
            if ((graph->entry[e] < 0) != (balance->color[i] == balance->color[graph->neighbor[e]]))
                fuzz_fail("the colours of %zu and %zu contradict their edge", i, graph->neighbor[e]);
    for (size_t p = 0; p < balance->witness_length; p++) {
        size_t i = balance->witness[p], j = balance->witness[(p + 1) % balance->witness_length];
        size_t e = graph->start[i];
        while (e < graph->start[i + 1] && graph->neighbor[e] != j)
            e++;
        if (e == graph->start[i + 1])
            fuzz_fail("the cycle has no edge from %zu to %zu", i, j);
        negative += graph->entry[e] > 0;
    }
    if (balance->balanced != (balance->witness_length == 0) || (!balance->balanced && negative % 2 == 0))
        fuzz_fail("the cycle has %d negative edges", negative);
}

static void align(const gersh_graph *graph)
{
    gersh_discs *discs = NULL;
    gersh_status status = gersh_discs_align(&discs, graph, NULL);
    if (status != GERSH_OK)
        fuzz_check_failure(status, discs);
    else if (!(discs->lambda_lower <= discs->lambda_min))
        fuzz_fail("lambda_min is %g, but at least %g", discs->lambda_min, discs->lambda_lower);
    gersh_discs_free(discs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    gersh_matrix *matrix = NULL;
    gersh_graph *graph = NULL;
    gersh_balance *balance = NULL;
    gersh_status status = gersh_matrix_read(&matrix, fuzz_file(data, size), NULL);
    if (status != GERSH_OK) {
        fuzz_check_failure(status, matrix);
        return 0;
    }
    status = gersh_graph_from_dense(&graph, matrix->n, matrix->values, 0, NULL);
    if (status != GERSH_OK)
        fuzz_check_failure(status, graph);
    else if (gersh_graph_balance(&balance, graph) != GERSH_OK)
        fuzz_fail("the balance of a graph of %zu nodes is not found", graph->nodes);
    if (balance != NULL) {
        check_balance(graph, balance);
        align(graph);
    }
    gersh_balance_free(balance);
    gersh_graph_free(graph);
    gersh_matrix_free(matrix);
    return 0;
}
