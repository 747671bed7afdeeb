/*
 * The report: the page that the build made, with the model and its rows as JSON in it; see gersh/report.h.
 *
 * Names and labels come from files that anyone may have written. They reach the page inside JSON only, which is ASCII
 * and in which <, > and & stand as \u003C, \u003E and \u0026: nothing in it can end the element that it stands in. The
 * page shows them, and so they are there as they are shown (base/clean.h).
 */
#include "gersh/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clean.h"
#include "base/error.h"
#include "base/json.h"
#include "data/dataset.h"
#include "io/output.h"
#include "model/model.h"
#include "report/accuracy.h"
#include "report/command.h"
#include "report/describe.h"
#include "report/distances.h"
#include "report/page.h"

enum { MOST_EDGES = 20000 };

static gersh_status short_of_memory(void)
{
    return gersh__fail(GERSH_ERROR_MEMORY, "out of memory: could not make the report");
}

/* Of each feature: how many edges it has, and the strongest of them: the other feature and the weight; null for none. */
static json_t *partners_json(const gersh_graph *graph)
{
    json_t *degree = json_array(), *partner = json_array(), *weight = json_array();
    for (size_t i = 0; i < graph->nodes; i++) {
        size_t begin = graph->start[i], end = graph->start[i + 1], best = begin;
        for (size_t e = begin + 1; e < end; e++)
            if (fabs(graph->entry[e]) > fabs(graph->entry[best]))
                best = e;
        degree = gersh__json_append(degree, json_integer((json_int_t)(end - begin)));
        partner = gersh__json_append(partner, end > begin ? json_integer((json_int_t)graph->neighbor[best])
                                                          : json_null());
        weight = gersh__json_append(weight, end > begin ? json_real(-graph->entry[best]) : json_null());
    }
    return json_pack("{s:o, s:o, s:o}", "degree", degree, "partner", partner, "weight", weight);
}

/* Radii of all discs, and what the alignment makes of them where the graph is balanced. */
static gersh_status discs_json(json_t **out, const gersh_model_summary *summary)
{
    const gersh_graph *graph = summary->graph;
    gersh_discs *discs = NULL;
    *out = NULL;
    if (summary->balance->balanced) {
        gersh_status status = gersh_discs_align(&discs, graph, NULL);
        if (status != GERSH_OK)
            return status;
        *out =
            json_pack("{s:o, s:o, s:o, s:f}", "radius", gersh__json_reals(discs->radius, discs->nodes),
                      "aligned", gersh__json_reals(discs->aligned, discs->nodes), "scalar",
                      gersh__json_reals(discs->scalar, discs->nodes), "lambda_lower", discs->lambda_lower);
        gersh_discs_free(discs);
    } else {
        json_t *radius = json_array();
        for (size_t i = 0; i < graph->nodes; i++) {
            double sum = 0;
            for (size_t e = graph->start[i]; e < graph->start[i + 1]; e++)
                sum += fabs(graph->entry[e]);
            radius = gersh__json_append(radius, gersh__json_number(1, sum));
        }
        *out = json_pack("{s:o, s:n, s:n, s:n}", "radius", radius, "aligned", "scalar", "lambda_lower");
    }
    return *out != NULL ? GERSH_OK : short_of_memory();
}

static json_t *name_json(const char *name)
{
    return name != NULL ? gersh__json_text(name) : json_null();
}

/* Whether the dense samples are those that the model learned from, in their order. */
static int same_samples(const gersh_dataset *data, const gersh_dataset *train)
{
    return train != NULL && gersh_dataset_rows(data) == gersh_dataset_rows(train) &&
           memcmp(gersh_dataset_values(data), gersh_dataset_values(train),
                  gersh_dataset_rows(data) * gersh_dataset_features(data) * sizeof(double)) == 0;
}

/* How the metric classifies the training samples, a list of sentences. */
static json_t *accuracy_json(const gersh_model *model)
{
    char sentence[256], remark[GERSH__REMARKS][GERSH__REMARK_SIZE];
    json_t *list = json_array();
    if (*gersh__accuracy_sentence(sentence, sizeof sentence, model) == '\0')
        return list;
    list = gersh__json_append(list, json_string(sentence));
    int count = gersh__accuracy_remarks(remark, model);
    for (int r = 0; r < count; r++)
        list = gersh__json_append(list, json_string(remark[r]));
    return list;
}

/* What the page says of the model. */
static gersh_status model_json(json_t **out, const gersh_model *model,
                               const gersh_model_report_options *options, int own)
{
    gersh_model_summary *summary = NULL;
    json_t *discs = NULL, *document = NULL;
    char *command = NULL;
    gersh_status status = gersh_model_summarize(&summary, model);
    if (status == GERSH_OK)
        status = discs_json(&discs, summary);
    if (status == GERSH_OK)
        status = gersh__fit_command(&command, model, own ? options->data_name : NULL);
    if (status == GERSH_OK) {
        document = gersh__describe_model(model, summary, MOST_EDGES);
        if (json_is_object(json_object_get(document, "bootstrap"))) /* the edges have their shares */
            json_object_del(json_object_get(document, "bootstrap"), "edges");
        char certainty[GERSH_CERTAINTY_SIZE];
        json_t *more = json_pack(
            "{s:s, s:o, s:o, s:b, s:s, s:s, s:s, s:O, s:o, s:o, s:o}", "made_by", gersh_version(),
            "accuracy_sentences", accuracy_json(model), "name", name_json(options->name), "maximized",
            gersh_model_objective(model)->maximized, "stop_sentence", gersh__stop_sentence(model),
            "standing", gersh_model_standing(model, options->verification), "certainty",
            gersh_model_certainty(certainty, sizeof certainty, model, options->verification), "discs",
            discs, "trajectory",
            model->trajectory != NULL && model->trajectory->count > 0
                ? gersh__trajectory_json(model->trajectory)
                : json_null(),
            "partners", partners_json(summary->graph), "command",
            command != NULL ? gersh__json_text(command) : json_null());
        if (document == NULL || more == NULL || json_object_update(document, more) != 0 ||
            gersh__json_show(document) != 0)
            status = short_of_memory();
        json_decref(more);
    }
    if (status != GERSH_OK) {
        json_decref(document);
        document = NULL;
    }
    *out = document;
    gersh__free(command);
    json_decref(discs);
    gersh_model_summary_free(summary);
    return status;
}

static json_t *classes_json(const gersh_dataset *data)
{
    json_t *list = json_array();
    for (size_t c = 0; c < gersh_dataset_classes(data); c++)
        list = gersh__json_append(list, gersh__json_text(gersh_dataset_class_name(data, c)));
    return list;
}

/* What the page says of the rows, null without any; `train` are those of the model. Both are dense. */
static gersh_status data_json(json_t **out, const gersh_model *model, const gersh_dataset *data,
                              const gersh_dataset *train, const gersh_model_report_options *options,
                              int own)
{
    gersh__shown *shown = NULL;
    json_t *space = NULL, *distances = NULL, *accuracy = NULL;
    *out = NULL;
    if (data == NULL) {
        *out = json_null();
        return GERSH_OK;
    }
    gersh_status status = gersh__shown_new(&shown, model, data, options->threads);
    if (status == GERSH_OK)
        status = gersh__space_json(&space, shown);
    if (status == GERSH_OK)
        status = gersh__distances_json(&distances, model, data, own, shown);
    if (status == GERSH_OK)
        status = gersh__accuracy_json(&accuracy, model, data, train, options);
    if (status == GERSH_OK) {
        *out = json_pack("{s:b, s:o, s:I, s:O, s:O, s:O, s:o}", "own", own, "name",
                         name_json(options->data_name), "rows", (json_int_t)gersh_dataset_rows(data),
                         "space", space, "distances", distances, "accuracy", accuracy, "class_names",
                         classes_json(data));
        if (*out == NULL || gersh__json_show(*out) != 0)
            status = short_of_memory();
    }
    json_decref(space);
    json_decref(distances);
    json_decref(accuracy);
    gersh__shown_free(shown);
    return status;
}

/* As text; reals get as many digits as they are to be read with: 17 are all. NULL when memory is short. */
static char *json_text(const json_t *document, size_t digits)
{
    return gersh__json_dump(document, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_ENCODE_ANY |
                                          JSON_REAL_PRECISION(digits));
}

static void put_json(FILE *file, const char *id, const char *text)
{
    fprintf(file, "<script type=\"application/json\" id=\"%s\">", id);
    gersh__clean_put(file, GERSH__CLEAN_HTML, text, strlen(text));
    fputs("</script>\n", file);
}

/* The page, with the two documents in it. They are text before the file is opened, which takes no memory then. */
static gersh_status write_page(const char *path, const json_t *about, const json_t *rows)
{
    gersh__output output = {0};
    char *about_text = json_text(about, 17), *rows_text = json_text(rows, 6);
    gersh_status status =
        about_text != NULL && rows_text != NULL ? gersh__output_open(&output, path) : short_of_memory();
    if (status == GERSH_OK) {
        fwrite(gersh__page_before, 1, gersh__page_before_size, output.file);
        put_json(output.file, "model", about_text);
        put_json(output.file, "rows", rows_text);
        fwrite(gersh__page_after, 1, gersh__page_after_size, output.file);
        status = gersh__output_close(&output, GERSH_OK);
    }
    gersh__free(about_text);
    gersh__free(rows_text);
    return status;
}

gersh_status gersh_model_report_check(void)
{
    return gersh__page_before_size > 0
               ? GERSH_OK
               : gersh__fail(GERSH_ERROR_ARGUMENT,
                             "this gersh was built without the page of its reports; build it again where "
                             "Node.js and "
                             "npm are installed (Debian: nodejs, npm) and npm can fetch packages");
}

gersh_status gersh_model_report(const gersh_model *model, const char *path,
                                const gersh_model_report_options *options)
{
    static const gersh_model_report_options none = {0};
    const gersh_model_report_options *o = options != NULL ? options : &none;
    json_t *about = NULL, *rows = NULL;
    const gersh_dataset *data = o->data, *train = gersh_model_data(model);
    gersh_dataset *dense_data = NULL, *dense_train = NULL;
    int own = 0;
    gersh_status status = gersh_model_report_check();
    if (status == GERSH_OK)
        status = gersh__output_try(path);
    if (status == GERSH_OK && data != NULL)
        status = gersh_model_check_data(model, data);
    if (status == GERSH_OK && data != NULL)
        status = gersh__dataset_dense(&dense_data, &data);
    if (status == GERSH_OK && train != NULL)
        status = gersh__dataset_dense(&dense_train, &train);
    if (status == GERSH_OK) {
        own = data == NULL || same_samples(data, train);
        status = model_json(&about, model, o, own);
    }
    if (status == GERSH_OK)
        status = data_json(&rows, model, data != NULL ? data : train, train, o, own);
    if (status == GERSH_OK)
        status = write_page(path, about, rows);
    gersh_dataset_free(dense_data);
    gersh_dataset_free(dense_train);
    json_decref(rows);
    json_decref(about);
    return status;
}
