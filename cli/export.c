/* The learned matrix and its graph in files of other programs: CSV, NPY and Graphviz. */
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clean.h"
#include "base/error.h"
#include "io/output.h"

int cli_ends_with(const char *path, const char *ending)
{
    size_t length = strlen(path), size = strlen(ending);
    return length > size && strcasecmp(path + length - size, ending) == 0;
}

/* The name in a cell: exact, quotes doubled, or as it is shown where the file is a terminal. */
static void put_name(FILE *file, const char *text, int shown)
{
    for (const char *end = text; *text != '\0'; text = end) {
        int quote = *text == '"';
        end = text + (quote ? 1 : strcspn(text, "\""));
        if (quote)
            fputs("\"\"", file);
        else if (shown)
            gersh__clean_put(file, GERSH__CLEAN_SHOWN, text, (size_t)(end - text));
        else
            fwrite(text, 1, (size_t)(end - text), file);
    }
}

void cli_put_cell_around(FILE *file, const char *before, const char *text, const char *after)
{
    size_t length = strlen(text);
    int blank = length == 0 || text[0] == ' ' || text[length - 1] == ' ';
    int plain = strpbrk(text, ",;\t\"\r\n") == NULL && (!blank || *before != '\0');
    fprintf(file, "%s%s", plain ? "" : "\"", before);
    put_name(file, text, isatty(fileno(file)));
    fprintf(file, "%s%s", after, plain ? "" : "\"");
}

void cli_put_cell(FILE *file, const char *text)
{
    cli_put_cell_around(file, "", text, "");
}

const char *cli_feature_name(const gersh_model *model, size_t feature)
{
    return gersh_scaling_feature_name(gersh_model_scaling(model), feature);
}

static void put_csv(FILE *file, const gersh_model *model, const double *m)
{
    size_t k = gersh_model_metric(model)->features;
    for (size_t j = 0; j < k; j++) {
        cli_put_cell(file, cli_feature_name(model, j));
        fputc(j + 1 < k ? ',' : '\n', file);
    }
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < k; j++)
            fprintf(file, "%.17g%c", m[i * k + j], j + 1 < k ? ',' : '\n');
}

/* The head is padded so that the numbers start at a multiple of 64 bytes. */
void cli_put_npy(FILE *file, size_t rows, size_t columns, const double *m)
{
    char head[118]; /* and 10 bytes before it: 128 */
    int used = snprintf(head, sizeof head,
                        "{'descr': '<f8', 'fortran_order': False, 'shape': (%zu, %zu), }", rows, columns);
    memset(head + used, ' ', sizeof head - (size_t)used);
    head[sizeof head - 1] = '\n';
    fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, file);
    fwrite(head, 1, sizeof head, file);
    for (size_t e = 0; e < rows * columns; e++) {
        unsigned char bytes[8];
        uint64_t bits;
        memcpy(&bits, &m[e], sizeof bits);
        for (int i = 0; i < 8; i++)
            bytes[i] = (unsigned char)(bits >> (8 * i));
        fwrite(bytes, 1, sizeof bytes, file);
    }
}

gersh_status cli_write_matrix(const gersh_model *model, const char *path)
{
    size_t k = gersh_model_metric(model)->features;
    gersh__output output = {0};
    int npy = cli_ends_with(path, ".npy");
    if (!npy && !cli_ends_with(path, ".csv"))
        return gersh__fail(GERSH_ERROR_ARGUMENT,
                           "--matrix: %s ends neither in .csv nor in .npy; the ending says the format",
                           path);
    gersh_status status = gersh__check_matrix(k);
    if (status != GERSH_OK)
        return status;
    double *m = gersh__alloc(k, k * sizeof *m);
    if (m == NULL)
        return gersh__fail_prefix(GERSH_ERROR_MEMORY, "--matrix: ");
    gersh_metric_matrix(gersh_model_metric(model), m);
    status = gersh__output_open(&output, path);
    if (status == GERSH_OK) {
        if (npy)
            cli_put_npy(output.file, k, k, m);
        else
            put_csv(output.file, model, m);
        status = gersh__output_close(&output, GERSH_OK);
    }
    gersh__free(m);
    return status != GERSH_OK ? gersh__fail_prefix(status, "--matrix: ") : GERSH_OK;
}

static void put_dot(FILE *file, const gersh_model *model, const gersh_model_summary *summary)
{
    const gersh_graph *graph = summary->graph;
    const int *color = summary->balance->color;
    double largest = 0;
    for (size_t e = 0; e < graph->start[graph->nodes]; e++)
        largest = fmax(largest, fabs(graph->entry[e]));
    fputs("graph metric {\n    graph [layout=neato, overlap=false, splines=true];\n"
          "    node [style=filled, fontcolor=white, fontname=\"sans-serif\"];\n",
          file);
    for (size_t i = 0; i < graph->nodes; i++) {
        if (graph->start[i] == graph->start[i + 1]) /* a feature without an edge would only take up space */
            continue;
        const char *name = cli_feature_name(model, i);
        fprintf(file, "    f%zu [label=\"", i + 1);
        gersh__clean_put(file, GERSH__CLEAN_DOT, name, strlen(name));
        fprintf(file, "\", fillcolor=%s];\n", color == NULL ? "gray40" : color[i] > 0 ? "blue" : "red");
    }
    for (size_t i = 0; i < graph->nodes; i++)
        for (size_t e = graph->start[i]; e < graph->start[i + 1]; e++) {
            size_t j = graph->neighbor[e];
            double weight = -graph->entry[e];
            if (j > i)
                fprintf(file, "    f%zu -- f%zu [style=%s, penwidth=%.3g, tooltip=\"%.6g\"];\n", i + 1,
                        j + 1, weight > 0 ? "solid" : "dashed", 0.5 + 4.5 * fabs(weight) / largest, weight);
        }
    fputs("}\n", file);
}

gersh_status cli_write_dot(const gersh_model *model, const gersh_model_summary *summary, const char *path)
{
    gersh__output output = {0};
    gersh_status status = gersh__output_open(&output, path);
    if (status == GERSH_OK) {
        put_dot(output.file, model, summary);
        status = gersh__output_close(&output, GERSH_OK);
    }
    return status != GERSH_OK ? gersh__fail_prefix(status, "--dot: ") : GERSH_OK;
}
