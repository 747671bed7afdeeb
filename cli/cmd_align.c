/* gersh align: Gershgorin disc perfect alignment of a matrix. */
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

enum { MOST_ROWS = 40, NAME_WIDTH = 14 };

/* The axis of the drawing: columns 0..width-1 stand for low..high. */
typedef struct axis {
    double low, high;
    int width;
} axis;

static int column_of(const axis *a, double x)
{
    double share = a->high > a->low ? (x - a->low) / (a->high - a->low) : 0.5;
    int column = (int)floor(share * (a->width - 1) + 0.5);
    return column < 0 ? 0 : column >= a->width ? a->width - 1 : column;
}

/* One disc on the axis: [----o----], and | where λ_min is. */
static void draw_disc(const axis *a, const char *name, double center, double radius, double lambda)
{
    char line[512];
    int left = column_of(a, center - radius), right = column_of(a, center + radius);
    memset(line, ' ', (size_t)a->width);
    memset(line + left, '-', (size_t)(right - left + 1));
    line[column_of(a, lambda)] = '|';
    line[right] = ']';
    line[left] = '[';
    line[column_of(a, center)] = 'o';
    int end = a->width;
    while (end > 0 && line[end - 1] == ' ')
        end--;
    printf("  ");
    cli_print_cell(name, NAME_WIDTH);
    printf(" %.*s\n", end, line);
}

static void draw(const gersh_discs *d, const gersh_matrix *matrix, size_t rows)
{
    int width = cli_width() - NAME_WIDTH - 4;
    axis a = {INFINITY, -INFINITY, width > 100 ? 100 : width < 10 ? 10 : width};
    for (size_t i = 0; i < rows; i++) {
        double reach = fmax(d->radius[i], d->aligned[i]);
        a.low = fmin(a.low, d->center[i] - reach);
        a.high = fmax(a.high, d->center[i] + reach);
    }
    for (int after = 0; after < 2; after++) {
        printf("\n%s\n", after ? "discs after alignment"
                               : "discs before alignment ([ left-end, o centre, ] "
                                 "right-end, | lambda_min)");
        for (size_t i = 0; i < rows; i++)
            draw_disc(&a, matrix->names[i], d->center[i], after ? d->aligned[i] : d->radius[i],
                      d->lambda[d->balance->component[i]]);
    }
    printf("  %*s %-*.6g%*.6g\n", NAME_WIDTH, "", a.width / 2, a.low, a.width - a.width / 2, a.high);
}

static void print_table(const gersh_discs *d, const gersh_matrix *matrix, size_t rows)
{
    printf("  ");
    cli_print_cell("node", NAME_WIDTH);
    printf("  colour  part     centre   left-end before  left-end after       scalar\n");
    for (size_t i = 0; i < rows; i++) {
        printf("  ");
        cli_print_cell(matrix->names[i], NAME_WIDTH);
        printf("  %-6s %5zu %10.5g %17.6g %15.6g %12.5g\n", d->balance->color[i] > 0 ? "blue" : "red",
               d->balance->component[i] + 1, d->center[i], d->center[i] - d->radius[i],
               d->center[i] - d->aligned[i], d->scalar[i]);
    }
    if (rows < d->nodes)
        printf("  ... and %zu more nodes; --json has them all\n", d->nodes - rows);
}

static size_t negative_edges(const gersh_graph *graph)
{
    size_t count = 0;
    for (size_t e = 0; e < graph->start[graph->nodes]; e++)
        count += graph->entry[e] > 0; /* the weight of an edge is −M_ij */
    return count / 2;
}

static int print_text(const cli_args *args, const gersh_matrix *matrix, const gersh_graph *graph,
                      const gersh_discs *d)
{
    size_t rows = d->nodes < MOST_ROWS ? d->nodes : MOST_ROWS, parts = d->balance->components;
    if (args->quiet) {
        printf("%.17g\n", d->lambda_min);
        return cli_finish_output();
    }
    cli_put_text(stdout, args->operand[0]);
    printf(": %zu nodes, %zu edges (%zu negative), %zu connected part%s, balanced\n", d->nodes,
           graph->edges, negative_edges(graph), parts, parts == 1 ? "" : "s");
    printf("lambda_min = %.10g", d->lambda_min);
    printf(", at least %.10g by the aligned discs (%.1e below)\n\n", d->lambda_lower,
           d->lambda_min - d->lambda_lower);
    print_table(d, matrix, rows);
    printf("\nevery left-end is at the lambda_min of its part: at most %.1e below and %.1e above\n",
           d->below, d->above);
    if (d->smallest < 1e-6)
        printf("(the eigenvector has entries down to %.1e; discs of such nodes may end above)\n",
               d->smallest);
    draw(d, matrix, rows);
    return cli_finish_output();
}

static int print_json(const gersh_matrix *matrix, const gersh_graph *graph, const gersh_discs *d)
{
    size_t n = d->nodes;
    json_t *colors = json_array(), *parts = json_array(), *before = json_array(), *after = json_array();
    for (size_t i = 0; i < n; i++) {
        json_array_append_new(colors, json_integer(d->balance->color[i]));
        json_array_append_new(parts, json_integer((json_int_t)d->balance->component[i]));
        json_array_append_new(before, json_real(d->center[i] - d->radius[i]));
        json_array_append_new(after, json_real(d->center[i] - d->aligned[i]));
    }
    return cli_print_json(json_pack(
        "{s:I, s:I, s:I, s:f, s:f, s:b, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:f, s:f, s:f}",
        "nodes", (json_int_t)n, "edges", (json_int_t)graph->edges, "negative_edges",
        (json_int_t)negative_edges(graph), "lambda_min", d->lambda_min, "lambda_lower", d->lambda_lower,
        "balanced", 1, "components", (json_int_t)d->balance->components, "names",
        gersh__json_texts(matrix->names, n), "colors", colors, "component", parts, "component_lambda_min",
        gersh__json_reals(d->lambda, d->balance->components), "scalars", gersh__json_reals(d->scalar, n),
        "centers", gersh__json_reals(d->center, n), "radii_after", gersh__json_reals(d->aligned, n),
        "left_ends_before", before, "left_ends_after", after, "worst_below", d->below, "worst_above",
        d->above, "smallest_eigenvector_entry", d->smallest));
}

/* The cycle in words: "a -(+)- b -(-)- c -(-)- a". */
static char *describe_cycle(const gersh_balance *balance, const gersh_matrix *matrix)
{
    size_t length = balance->witness_length, shown = length < 12 ? length : 12, size = 64, used = 0;
    for (size_t k = 0; k < shown; k++)
        size += strlen(matrix->names[balance->witness[k]]) + 8;
    size += strlen(matrix->names[balance->witness[0]]);
    char *text = gersh__alloc(size, 1);
    if (text == NULL)
        return NULL;
    for (size_t k = 0; k < shown; k++) {
        size_t i = balance->witness[k], j = balance->witness[(k + 1) % length];
        used += (size_t)snprintf(text + used, size - used, "%s -(%c)- ", matrix->names[i],
                                 matrix->values[i * matrix->n + j] > 0 ? '-' : '+');
    }
    snprintf(text + used, size - used, "%s%s", shown < length ? "... -(?)- " : "",
             matrix->names[balance->witness[0]]);
    return text;
}

/* An unbalanced graph: the cycle that shows it, on stderr and in JSON. */
static int refuse_unbalanced(const cli_args *args, const gersh_matrix *matrix, const gersh_graph *graph)
{
    gersh_balance *balance;
    gersh_status status = gersh_graph_balance(&balance, graph);
    if (status != GERSH_OK)
        return cli_fail(args, status, NULL);
    char *cycle = describe_cycle(balance, matrix);
    json_t *witness = json_array(), *names = json_array();
    for (size_t k = 0; k < balance->witness_length; k++) {
        json_array_append_new(witness, json_integer((json_int_t)balance->witness[k]));
        json_array_append_new(names, gersh__json_text(matrix->names[balance->witness[k]]));
    }
    json_t *more = json_pack("{s:s, s:b, s:I, s:o, s:o}", "error", "the signed graph is not balanced",
                             "balanced", 0, "components", (json_int_t)balance->components, "witness",
                             witness, "witness_names", names);
    status = cycle != NULL
                 ? gersh__fail(GERSH_ERROR_UNBALANCED,
                               "%s: the signed graph is not balanced, so its discs cannot be aligned: this "
                               "cycle has an odd number of negative edges: %s",
                               args->operand[0], cycle)
                 : GERSH_ERROR_MEMORY;
    gersh__free(cycle);
    gersh_balance_free(balance);
    return cli_fail(args, status, more);
}

static int run(const cli_args *args)
{
    gersh_matrix *matrix = NULL;
    gersh_graph *graph = NULL;
    gersh_discs *discs = NULL;
    size_t pair[2] = {0, 0};
    int result;
    gersh_status status = gersh_matrix_read(&matrix, args->operand[0], args->settings);
    if (status != GERSH_OK) {
        result = cli_fail(args, status, NULL);
        goto out;
    }
    double zero = strtod(gersh_settings_get(args->settings, "zero"), NULL);
    status = gersh_graph_from_dense(&graph, matrix->n, matrix->values, zero, pair);
    if (status == GERSH_ERROR_INPUT) {
        json_t *more =
            json_pack("{s:b, s:[I,I], s:[f,f]}", "symmetric", 0, "asymmetric", (json_int_t)pair[0],
                      (json_int_t)pair[1], "entries", matrix->values[pair[0] * matrix->n + pair[1]],
                      matrix->values[pair[1] * matrix->n + pair[0]]);
        result = cli_fail(args, gersh__fail_prefix(status, "%s: ", args->operand[0]), more);
        goto out;
    }
    if (status == GERSH_OK)
        status = gersh_discs_align(&discs, graph, &cli_cancel);
    if (status == GERSH_ERROR_UNBALANCED)
        result = refuse_unbalanced(args, matrix, graph);
    else if (status != GERSH_OK)
        result = cli_fail(args, status, NULL);
    else
        result = args->json ? print_json(matrix, graph, discs) : print_text(args, matrix, graph, discs);
out:
    gersh_discs_free(discs);
    gersh_graph_free(graph);
    gersh_matrix_free(matrix);
    return result;
}

const cli_command cli_align = {
    .name = "align",
    .operand_names = "MATRIX",
    .operands = 1,
    .summary = "align the Gershgorin discs of a symmetric matrix at its smallest eigenvalue",
    .about =
        "Reads a symmetric matrix (text or NPY, gzipped or not) as a signed graph, an edge of weight -M_ij "
        "wherever M_ij is not 0. When the graph is balanced, scales the rows and columns so that every "
        "Gershgorin disc has its left-end at the smallest eigenvalue of its connected part, and prints the "
        "discs before and after. A matrix that is not symmetric, or whose graph is not balanced, is "
        "refused "
        "with the entries or the cycle that show it (exit status 1).",
    .settings = "format header zero",
    .example = "gersh align matrix.csv --json",
    .run = run,
};
