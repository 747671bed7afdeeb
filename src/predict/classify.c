/*
 * The classifiers that need neighbours only, and running one. Ties are decided as votes.h says.
 *
 * `knn`: the k nearest samples vote, with their weights or with these over the distance. Probabilities are shares of
 * the votes. A target is the mean of the k by votes.
 *
 * `mahalanobis`: the class with the nearest mean; probabilities are proportional to exp(−d).
 */
#include "predict/classify.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "data/dataset.h"
#include "gersh/neighbors.h"
#include "predict/votes.h"

#define MEAN_ERROR 1e-13 /* rounding of a mean of many samples, beside the largest of them */

static gersh_status classify_knn(int *label, double *proba, const gersh__classify_task *task)
{
    size_t classes = gersh_dataset_classes(task->train);
    gersh__votes votes = {0};
    double *weight = gersh__alloc(classes, 2 * sizeof *weight), *own = NULL;
    gersh_status status = GERSH_ERROR_MEMORY;
    if (weight != NULL) {
        own = weight + classes;
        status = gersh__votes_find(&votes, task->metric, task->train, task->test, task->voters.k,
                                   task->threads, task->cancel);
    }
    if (status == GERSH_OK)
        gersh__class_weights(weight, task->train);
    for (size_t i = 0; i < gersh_dataset_rows(task->test) && status == GERSH_OK; i++) {
        double *mine = proba != NULL ? proba + i * classes : own, total = 0;
        gersh__votes_count(mine, &votes, i, task->voters.by_distance, 1, &task->voters.k);
        label[i] = gersh__winner(mine, weight, classes, GERSH__EQUAL_VOTES);
        for (size_t c = 0; c < classes; c++)
            total += mine[c];
        for (size_t c = 0; c < classes && proba != NULL; c++)
            mine[c] /= total;
    }
    gersh__votes_clear(&votes);
    gersh__free(weight);
    return status;
}

static gersh_status regress_knn(double *value, const gersh__classify_task *task)
{
    gersh__votes votes;
    gersh_status status = gersh__votes_find(&votes, task->metric, task->train, task->test, task->voters.k,
                                            task->threads, task->cancel);
    for (size_t i = 0; i < gersh_dataset_rows(task->test) && status == GERSH_OK; i++) {
        double sum[2];
        gersh__votes_count(sum, &votes, i, task->voters.by_distance, 1, &task->voters.k);
        value[i] = sum[1] / sum[0];
    }
    gersh__votes_clear(&votes);
    return status;
}

const gersh__classifier gersh__classifier_knn = {
    .info = {.name = "knn", .help = "the nearest rows vote", .votes = 1, .regresses = 1},
    .classify = classify_knn,
    .regress = regress_knn,
};

/* The classes that have samples, with their weighted means. */
typedef struct means {
    size_t count, *class; /* the class of each mean */
    double *mean;         /* classes × features; `count` means in use */
    double *error;  /* of each class: how far rounding may move its mean, as a distance under the metric */
    double *weight; /* of each class */
    double *equal;  /* of each class: 1 where its mean is as near as the nearest one */
} means;

static void free_means(means *m)
{
    gersh__free(m->class);
    gersh__free(m->mean);
    gersh__free(m->error);
    gersh__free(m->weight);
    gersh__free(m->equal);
}

static gersh_status find_means(means *m, const gersh__classify_task *task)
{
    const gersh_dataset *train = task->train;
    size_t k = gersh_dataset_features(train), classes = gersh_dataset_classes(train);
    const double *x = gersh_dataset_values(train);
    double trace = task->metric != NULL ? gersh_metric_trace(task->metric) : (double)k;
    m->class = gersh__alloc(classes, sizeof *m->class);
    m->mean = gersh__alloc(classes, k * sizeof *m->mean);
    m->error = gersh__alloc(classes, sizeof *m->error);
    m->weight = gersh__alloc(classes, sizeof *m->weight);
    m->equal = gersh__alloc(classes, sizeof *m->equal);
    if (!m->class || !m->mean || !m->error || !m->weight || !m->equal)
        return GERSH_ERROR_MEMORY;
    gersh__class_weights(m->weight, train);
    for (size_t i = 0; i < gersh_dataset_rows(train); i++) {
        size_t c = (size_t)gersh_dataset_labels(train)[i];
        double share = gersh__sample_weight(train, i) / m->weight[c], square = 0;
        for (size_t j = 0; j < k; j++) {
            m->mean[c * k + j] += share * x[i * k + j];
            square += x[i * k + j] * x[i * k + j];
        }
        m->error[c] = fmax(m->error[c], MEAN_ERROR * sqrt(trace * square));
    }
    for (size_t c = 0; c < classes; c++)
        if (m->weight[c] > 0) {
            memmove(m->mean + m->count * k, m->mean + c * k, k * sizeof *m->mean);
            m->class[m->count++] = c;
        }
    return GERSH_OK;
}

/* The class of the nearest mean: near[c] is at the squared distance d[c], ascending. */
static int nearest_class(const means *m, const size_t *near, const double *d, size_t classes)
{
    size_t nearest = m->class[near[0]];
    memset(m->equal, 0, classes * sizeof *m->equal);
    for (size_t e = 0; e < m->count; e++) {
        size_t c = m->class[near[e]];
        double error = GERSH__EQUAL_VOTES * sqrt(d[0]) + m->error[nearest] + m->error[c];
        m->equal[c] = c == nearest || sqrt(d[e]) <= sqrt(d[0]) + error;
    }
    return gersh__winner(m->equal, m->weight, classes, GERSH__EQUAL_VOTES);
}

static gersh_status classify_mahalanobis(int *label, double *proba, const gersh__classify_task *task)
{
    size_t n = gersh_dataset_rows(task->test), k = gersh_dataset_features(task->train);
    size_t classes = gersh_dataset_classes(task->train);
    gersh_neighbors *index = NULL;
    means m = {0};
    double *distance = gersh__alloc(n, classes * sizeof *distance);
    size_t *near = gersh__alloc(n, classes * sizeof *near);
    gersh_status status = distance != NULL && near != NULL ? find_means(&m, task) : GERSH_ERROR_MEMORY;
    if (status == GERSH_OK)
        status = gersh_neighbors_new(&index, task->metric, m.count, k, m.mean, k, task->threads);
    if (status == GERSH_OK)
        status = gersh_neighbors_find(index, distance, near, n, gersh_dataset_values(task->test), k,
                                      m.count, task->cancel);
    for (size_t i = 0; i < n && status == GERSH_OK; i++) {
        const double *d = distance + i * m.count;
        const size_t *mine = near + i * m.count;
        double sum = 0;
        label[i] = nearest_class(&m, mine, d, classes);
        for (size_t c = 0; c < m.count; c++)
            sum += exp(d[0] - d[c]);
        for (size_t c = 0; c < m.count && proba != NULL; c++)
            proba[i * classes + m.class[mine[c]]] = exp(d[0] - d[c]) / sum;
    }
    gersh_neighbors_free(index);
    gersh__free(near);
    gersh__free(distance);
    free_means(&m);
    return status;
}

const gersh__classifier gersh__classifier_mahalanobis = {
    .info = {.name = "mahalanobis", .help = "the class with the nearest mean"},
    .classify = classify_mahalanobis,
};

gersh_status gersh__drop_weightless(gersh_dataset **out, const gersh_dataset *train)
{
    const double *weights = gersh_dataset_weights(train);
    size_t n = gersh_dataset_rows(train), count = 0;
    *out = NULL;
    for (size_t i = 0; weights != NULL && i < n; i++)
        count += weights[i] > 0;
    if (weights == NULL || count == n)
        return GERSH_OK;
    size_t *rows = gersh__alloc(count, sizeof *rows);
    if (rows == NULL)
        return GERSH_ERROR_MEMORY;
    count = 0;
    for (size_t i = 0; i < n; i++)
        if (weights[i] > 0)
            rows[count++] = i;
    gersh_status status = gersh_dataset_subset(out, train, rows, count);
    gersh__free(rows);
    return status;
}

static gersh_status check_task(const gersh__classify_task *task)
{
    size_t k = gersh_dataset_features(task->train);
    if (gersh_dataset_features(task->test) != k)
        return gersh__fail(
            GERSH_ERROR_ARGUMENT,
            "the training rows have %zu features but the new rows have %zu; use the same columns", k,
            gersh_dataset_features(task->test));
    if (task->metric != NULL && task->metric->features != k)
        return gersh__fail(GERSH_ERROR_ARGUMENT, "the metric has %zu features but the rows have %zu",
                           task->metric->features, k);
    return task->voters.k > 0
               ? GERSH_OK
               : gersh__fail(GERSH_ERROR_ARGUMENT, "0 neighbours are asked for; ask for at least 1");
}

/*
 * The training rows with those classes only that have rows: the others get no vote, and a file may name any number of
 * them. of[c]: the class of the caller's that class c then is; NULL where all have rows.
 */
static gersh_status drop_absent(size_t **of, gersh_dataset **kept, gersh__classify_task *task)
{
    size_t n = gersh_dataset_rows(task->train), classes = gersh_dataset_classes(task->train), count = 0;
    const int *label = gersh_dataset_labels(task->train);
    size_t *rank = label != NULL ? gersh__alloc(classes, sizeof *rank) : NULL;
    if (label == NULL || rank == NULL)
        return label == NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
    for (size_t i = 0; i < n; i++)
        rank[label[i]] = 1;
    for (size_t c = 0; c < classes; c++)
        count += rank[c];
    gersh_status status = GERSH_OK;
    if (count < classes) {
        *of = gersh__alloc(count, sizeof **of);
        status = *of == NULL     ? GERSH_ERROR_MEMORY
                 : *kept == NULL ? gersh_dataset_copy(kept, task->train)
                                 : GERSH_OK;
    }
    if (count < classes && status == GERSH_OK) {
        gersh_dataset *data = *kept;
        count = 0;
        for (size_t c = 0; c < classes; c++) {
            char *name = data->class_names[c];
            data->class_names[c] = NULL;
            if (rank[c]) {
                (*of)[count] = c;
                data->class_names[count] = name;
                rank[c] = count++;
            } else {
                gersh__free(name);
            }
        }
        for (size_t i = 0; i < n; i++)
            data->labels[i] = (int)rank[data->labels[i]];
        data->classes = count;
        task->train = data;
    }
    gersh__free(rank);
    return status;
}

/*
 * The task without rows of weight 0 and with k within the rows there are; *kept is what it uses, or NULL.
 */
static gersh_status prepare(gersh__classify_task *task, gersh_dataset **kept)
{
    gersh_status status = check_task(task);
    if (status == GERSH_OK)
        status = gersh__drop_weightless(kept, task->train);
    if (status != GERSH_OK)
        return status;
    if (*kept != NULL)
        task->train = *kept;
    if (task->voters.k > gersh_dataset_rows(task->train))
        task->voters.k = gersh_dataset_rows(task->train);
    return GERSH_OK;
}

/* Neighbours are found among dense samples: copies of training and test samples where these are sparse. */
static gersh_status make_dense(gersh_dataset *own[2], gersh__classify_task *task)
{
    gersh_status status = gersh__dataset_dense(&own[0], &task->train);
    return status == GERSH_OK ? gersh__dataset_dense(&own[1], &task->test) : status;
}

/* Labels and probabilities of the task's own classes as those of the caller's. */
static void rename_classes(int *label, double *proba, const double *own, size_t rows, size_t classes,
                           const size_t *of, size_t count)
{
    for (size_t i = 0; i < rows; i++) {
        label[i] = (int)of[label[i]];
        for (size_t c = 0; c < count && proba != NULL; c++)
            proba[i * classes + of[c]] = own[i * count + c];
    }
}

gersh_status gersh__classify(int *label, double *proba, const gersh__classifier *kind,
                             const gersh_metric *metric, const gersh_dataset *train,
                             const gersh_dataset *test, gersh__voters voters, int threads,
                             const gersh_cancel *cancel)
{
    gersh__classify_task task = {metric, train, test, voters, threads, cancel};
    gersh_dataset *kept = NULL, *dense[2] = {NULL, NULL};
    size_t *of = NULL;
    double *own = proba;
    size_t rows = gersh_dataset_rows(test), classes = gersh_dataset_classes(train);
    if (gersh_dataset_labels(train) == NULL)
        return gersh__fail(GERSH_ERROR_ARGUMENT, "the training rows have no class labels");
    gersh_status status = prepare(&task, &kept);
    if (status == GERSH_OK)
        status = drop_absent(&of, &kept, &task);
    if (status == GERSH_OK)
        status = make_dense(dense, &task);
    if (status == GERSH_OK && proba != NULL)
        memset(proba, 0, rows * classes * sizeof *proba);
    size_t count = gersh_dataset_classes(task.train);
    if (status == GERSH_OK && proba != NULL && of != NULL) {
        own = gersh__alloc(rows, count * sizeof *own);
        status = own != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
    }
    if (status == GERSH_OK)
        status = kind->classify(label, own, &task);
    if (status == GERSH_OK && of != NULL)
        rename_classes(label, proba, own, rows, classes, of, count);
    if (own != proba)
        gersh__free(own);
    gersh__free(of);
    gersh_dataset_free(dense[0]);
    gersh_dataset_free(dense[1]);
    gersh_dataset_free(kept);
    return status;
}

static const char *list_regressors(char list[GERSH__NAME_LIST])
{
    const char *names[GERSH__LISTED_NAMES];
    const gersh__classifier *kind;
    size_t count = 0;
    for (size_t i = 0; count < GERSH__LISTED_NAMES && (kind = gersh__classifier_at(i)) != NULL; i++)
        if (kind->info.regresses)
            names[count++] = kind->info.name;
    return gersh__text_list(list, GERSH__NAME_LIST, names, count, " or ");
}

gersh_status gersh__regress(double *value, const gersh__classifier *kind, const gersh_metric *metric,
                            const gersh_dataset *train, const gersh_dataset *test, gersh__voters voters,
                            int threads, const gersh_cancel *cancel)
{
    gersh__classify_task task = {metric, train, test, voters, threads, cancel};
    gersh_dataset *kept = NULL, *dense[2] = {NULL, NULL};
    if (gersh_dataset_targets(train) == NULL)
        return gersh__fail(GERSH_ERROR_ARGUMENT, "the training rows have no real-valued targets");
    if (kind->regress == NULL) {
        char list[GERSH__NAME_LIST];
        return gersh__fail(
            GERSH_ERROR_ARGUMENT,
            "--classifier: '%s' tells classes apart, but the targets are real numbers; use %s",
            kind->info.name, list_regressors(list));
    }
    gersh_status status = prepare(&task, &kept);
    if (status == GERSH_OK)
        status = make_dense(dense, &task);
    if (status == GERSH_OK)
        status = kind->regress(value, &task);
    gersh_dataset_free(dense[0]);
    gersh_dataset_free(dense[1]);
    gersh_dataset_free(kept);
    return status;
}
