/* A program outside of the project: the smallest eigenvalue of a 3 × 3 matrix by disc alignment. */
#include <gersh/gersh.h>
#include <math.h>
#include <stdio.h>

int main(void)
{
    const double m[9] = {2, -2, -1, -2, 5, -2, -1, -2, 4};
    gersh_graph *graph = NULL;
    gersh_discs *discs = NULL;
    int right = 0;
    if (gersh_graph_from_dense(&graph, 3, m, 0, NULL) == GERSH_OK &&
        gersh_discs_align(&discs, graph, NULL) == GERSH_OK) {
        printf("gersh %s: lambda_min %.10f\n", gersh_version(), discs->lambda_min);
        right = fabs(discs->lambda_min - 0.1078) < 1e-4;
    } else {
        fprintf(stderr, "%s\n", gersh_last_error());
    }
    gersh_discs_free(discs);
    gersh_graph_free(graph);
    return right ? 0 : 1;
}
