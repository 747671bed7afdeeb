/*
 * The history of a fit; see trajectory.h. Every stride-th step is kept. When the room is used up, every second point
 * goes and the stride doubles: the points are spread evenly over the steps, and are at least half of those that there
 * is room for.
 */
#include "model/trajectory.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

enum { ROOM = GERSH_TRAJECTORY_POINTS - 1 }; /* one point is the last step's */

static void record(void *context, const gersh_progress *progress)
{
    gersh__trajectory *t = context;
    if (isfinite(progress->value)) {
        t->last = *progress;
        if (t->seen % t->stride == 0) {
            if (t->count == ROOM) {
                t->count = (t->count + 1) / 2;
                for (size_t i = 0; i < t->count; i++)
                    t->point[i] = t->point[2 * i];
                t->stride *= 2;
            }
            if (t->seen % t->stride == 0)
                t->point[t->count++] = *progress;
        }
        t->seen++;
    }
    if (t->told != NULL)
        t->told(t->context, progress);
}

gersh_status gersh__trajectory_start(gersh__trajectory **out, gersh_fit_options *options)
{
    gersh__trajectory *t = *out = gersh__alloc(1, sizeof *t);
    if (t == NULL)
        return GERSH_ERROR_MEMORY;
    t->stride = 1;
    t->told = options->progress;
    t->context = options->progress_context;
    options->progress = record;
    options->progress_context = t;
    return GERSH_OK;
}

void gersh__trajectory_end(gersh__trajectory *t)
{
    if (t->seen > 0 && (t->seen - 1) % t->stride != 0)
        t->point[t->count++] = t->last;
}

void gersh__trajectory_free(gersh__trajectory *t)
{
    if (t == NULL)
        return;
    for (size_t s = 0; t->stage != NULL && s < t->stages; s++)
        gersh__free(t->stage[s]);
    gersh__free(t->stage);
    gersh__free(t);
}

/* The position of the stage's name in the list, which gets it if need be; -1 when memory is short. */
static int find_stage(json_t *stages, const char *name)
{
    size_t count = json_array_size(stages), s = 0;
    while (s < count && strcmp(json_string_value(json_array_get(stages, s)), name) != 0)
        s++;
    return s < count || json_array_append_new(stages, json_string(name)) == 0 ? (int)s : -1;
}

json_t *gersh__trajectory_json(const gersh__trajectory *t)
{
    json_t *stages = json_array(), *points = json_array();
    int failed = stages == NULL || points == NULL;
    for (size_t i = 0; i < t->count && !failed; i++) {
        const gersh_progress *p = &t->point[i];
        int stage = find_stage(stages, p->stage);
        failed = stage < 0 ||
                 json_array_append_new(
                     points, json_pack("[i, i, f, f, o, I]", stage, p->iteration, p->seconds, p->value,
                                       isfinite(p->bound) ? json_real(p->bound) : json_null(),
                                       (json_int_t)p->atoms)) != 0;
    }
    if (!failed)
        return json_pack("{s:o, s:o}", "stages", stages, "points", points);
    json_decref(stages);
    json_decref(points);
    return NULL;
}

static gersh_status damaged(void)
{
    return gersh__fail(
        GERSH_ERROR_INPUT,
        "the history of the fit in the model is damaged; expected its stages and at most %d points",
        GERSH_TRAJECTORY_POINTS);
}

static gersh_status read_stages(gersh__trajectory *t, const json_t *list)
{
    size_t count = json_array_size(list);
    t->stage = gersh__alloc(count, sizeof *t->stage);
    if (t->stage == NULL)
        return GERSH_ERROR_MEMORY;
    for (t->stages = 0; t->stages < count; t->stages++) {
        const json_t *name = json_array_get(list, t->stages);
        if (!json_is_string(name))
            return damaged();
        t->stage[t->stages] = gersh__text_copy(json_string_value(name), json_string_length(name));
        if (t->stage[t->stages] == NULL)
            return GERSH_ERROR_MEMORY;
    }
    return GERSH_OK;
}

static int read_point(gersh_progress *out, const gersh__trajectory *t, json_t *list)
{
    json_t *bound = NULL;
    json_int_t atoms = -1;
    int stage = -1;
    if (json_unpack(list, "[i, i, F, F, o, I!]", &stage, &out->iteration, &out->seconds, &out->value,
                    &bound, &atoms) != 0 ||
        stage < 0 || (size_t)stage >= t->stages || out->iteration < 0 || !(out->seconds >= 0) ||
        atoms < 0 || (!json_is_null(bound) && !json_is_number(bound)))
        return -1;
    out->stage = t->stage[stage];
    out->atoms = (size_t)atoms;
    out->bound = json_is_null(bound) ? -INFINITY : json_number_value(bound);
    out->gap = fabs(out->value - out->bound);
    return 0;
}

gersh_status gersh__trajectory_read(gersh__trajectory **out, const json_t *member)
{
    const json_t *stages = json_object_get(member, "stages"), *points = json_object_get(member, "points");
    if (json_object_size(member) != 2 || !json_is_array(stages) || !json_is_array(points) ||
        json_array_size(points) > GERSH_TRAJECTORY_POINTS ||
        json_array_size(stages) > json_array_size(points))
        return damaged();
    gersh__trajectory *t = *out = gersh__alloc(1, sizeof *t);
    if (t == NULL)
        return GERSH_ERROR_MEMORY;
    gersh_status status = read_stages(t, stages);
    for (; status == GERSH_OK && t->count < json_array_size(points); t->count++)
        if (read_point(&t->point[t->count], t, json_array_get(points, t->count)) != 0)
            return damaged();
    return status;
}
