/* Distances of pairs; see distances.h. */
#include "report/distances.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/json.h"

/* The pairs of both kinds, with their distances in both spaces. */
typedef struct lists {
    const char *kind;
    size_t near_count, far_count, room; /* room: for each list */
    double *near[2], *far[2];           /* Euclidean, learned */
} lists;

static void free_lists(lists *l)
{
    for (int space = 0; space < 2; space++) {
        gersh__free(l->near[space]);
        gersh__free(l->far[space]);
    }
}

static gersh_status make_lists(lists *l, const char *kind, size_t room)
{
    *l = (lists){.kind = kind, .room = room};
    for (int space = 0; space < 2; space++) {
        l->near[space] = gersh__alloc(room, sizeof **l->near);
        l->far[space] = gersh__alloc(room, sizeof **l->far);
        if (l->near[space] == NULL || l->far[space] == NULL)
            return GERSH_ERROR_MEMORY;
    }
    return GERSH_OK;
}

/* Squared distances in both spaces. */
static void add_pair(lists *l, int near, double euclidean, double learned)
{
    size_t *count = near ? &l->near_count : &l->far_count;
    double *const *list = near ? l->near : l->far;
    list[0][*count] = sqrt(euclidean);
    list[1][*count] = sqrt(fmax(learned, 0));
    ++*count;
}

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

double gersh__nearer_share(double *near, size_t near_count, double *far, size_t far_count)
{
    double won = 0;
    qsort(near, near_count, sizeof *near, by_value);
    qsort(far, far_count, sizeof *far, by_value);
    for (size_t f = 0, below = 0, upto = 0; f < far_count; f++) {
        while (below < near_count && near[below] < far[f])
            below++;
        while (upto < near_count && near[upto] <= far[f])
            upto++;
        won += 0.5 * (double)below + 0.5 * (double)upto;
    }
    return won / (double)near_count / (double)far_count;
}

/* The median of |t_i − t_j| over all pairs. */
static gersh_status median_difference(double *out, const double *target, size_t n)
{
    size_t pairs = n * (n - 1) / 2, p = 0;
    double *difference = gersh__alloc(pairs, sizeof *difference);
    if (difference == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            difference[p++] = fabs(target[i] - target[j]);
    qsort(difference, pairs, sizeof *difference, by_value);
    *out = difference[pairs / 2];
    gersh__free(difference);
    return GERSH_OK;
}

/* All pairs of the rows that are shown. */
static gersh_status list_rows(lists *l, const gersh__shown *shown)
{
    const int *label = gersh_dataset_labels(shown->scaled);
    const double *target = gersh_dataset_targets(shown->scaled);
    size_t n = shown->count;
    double median = 0;
    gersh_status status = make_lists(l, label != NULL ? "classes" : "targets", n * (n - 1) / 2);
    if (status == GERSH_OK && label == NULL)
        status = median_difference(&median, target, n);
    for (size_t i = 0; status == GERSH_OK && i < n; i++)
        for (size_t j = 0; j < i; j++)
            add_pair(l, label != NULL ? label[i] == label[j] : fabs(target[i] - target[j]) <= median,
                     gersh__gram_distance(shown->euclidean, n, i, j),
                     gersh__gram_distance(shown->learned, n, i, j));
    return status;
}

/* The pairs that the model's tuples name. */
static gersh_status list_tuples(lists *l, const gersh_model *model, const gersh_dataset *data)
{
    const gersh_tuples *tuples = gersh_model_tuples(model);
    const gersh_metric *metric = gersh_model_metric(model);
    gersh_dataset *scaled = NULL;
    size_t size = gersh_tuple_size(tuples->kind), k = metric->features;
    gersh_status status = make_lists(l, "tuples", tuples->count);
    if (status == GERSH_OK)
        status = gersh_dataset_copy(&scaled, data);
    if (status == GERSH_OK)
        status = gersh_scaling_apply(gersh_model_scaling(model), scaled);
    if (status == GERSH_OK)
        status = gersh_dataset_densify(scaled);
    const double *x = status == GERSH_OK ? gersh_dataset_values(scaled) : NULL;
    for (size_t t = 0; status == GERSH_OK && t < tuples->count; t++)
        for (size_t second = 0; second < (tuples->kind == GERSH_PAIRS ? 1 : 2); second++) {
            const size_t *row = tuples->row + t * size;
            const double *a = x + row[second == 0 || size == 3 ? 0 : 2] * k,
                         *b = x + row[second == 0 ? 1 : size - 1] * k;
            double plain = 0;
            for (size_t j = 0; j < k; j++)
                plain += (a[j] - b[j]) * (a[j] - b[j]);
            double learned = gersh_metric_distance(metric, a, b);
            if (!isfinite(plain) || !isfinite(learned))
                status = gersh__rows_too_large();
            add_pair(l, tuples->kind == GERSH_PAIRS ? tuples->similar[t] : second == 0, plain, learned);
        }
    gersh_dataset_free(scaled);
    return status;
}

static json_t *bins_json(const double *list, size_t count, double largest)
{
    size_t bin[GERSH__BINS] = {0};
    json_t *array = json_array();
    for (size_t p = 0; p < count; p++) {
        size_t at = largest > 0 ? (size_t)(list[p] / largest * GERSH__BINS) : 0;
        bin[at < GERSH__BINS ? at : GERSH__BINS - 1]++;
    }
    for (int b = 0; b < GERSH__BINS; b++)
        array = gersh__json_append(array, json_integer((json_int_t)bin[b]));
    return array;
}

static json_t *space_json(const lists *l, int space)
{
    double *near = l->near[space], *far = l->far[space], largest = 0;
    double share = gersh__nearer_share(near, l->near_count, far, l->far_count); /* which sorts them */
    if (l->near_count > 0)
        largest = near[l->near_count - 1];
    if (l->far_count > 0)
        largest = fmax(largest, far[l->far_count - 1]);
    return json_pack("{s:f, s:o, s:o, s:o}", "largest", largest, "near",
                     bins_json(near, l->near_count, largest), "far", bins_json(far, l->far_count, largest),
                     "nearer", gersh__json_number(l->near_count > 0 && l->far_count > 0, share));
}

gersh_status gersh__distances_json(json_t **out, const gersh_model *model, const gersh_dataset *data,
                                   int own, const gersh__shown *shown)
{
    lists l = {0};
    gersh_status status = GERSH_OK;
    *out = NULL;
    if (gersh_model_tuples(model) != NULL && own)
        status = list_tuples(&l, model, data);
    else if (shown->count > 1 &&
             (gersh_dataset_labels(data) != NULL || gersh_dataset_targets(data) != NULL))
        status = list_rows(&l, shown);
    if (status == GERSH_OK) {
        *out = l.kind == NULL ? json_null()
                              : json_pack("{s:s, s:I, s:I, s:o, s:o}", "kind", l.kind, "near",
                                          (json_int_t)l.near_count, "far", (json_int_t)l.far_count,
                                          "euclidean", space_json(&l, 0), "learned", space_json(&l, 1));
        if (*out == NULL)
            status = gersh__fail(GERSH_ERROR_MEMORY, "out of memory: the distances of the report");
    }
    free_lists(&l);
    return status;
}
