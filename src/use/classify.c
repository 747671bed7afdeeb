/*
 * The registry of classifiers, and the two that need neighbours only.
 *
 * `knn`: the k nearest rows vote, with their weights or with these over the distance; of classes with the same
 * sum that one wins whose nearest member among the k is nearest. Probabilities are shares of the votes. A target is
 * the mean of the k by votes.
 *
 * `mahalanobis`: the class with the nearest mean; probabilities are proportional to exp(−d).
 */
#include "use/classify.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "data/dataset.h"
#include "gersh/neighbors.h"

static const gersh__classifier *const kinds[] = {&gersh__classifier_knn, &gersh__classifier_mahalanobis,
                                                 &gersh__classifier_graph};

const gersh__classifier *gersh__classifier_find(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i]->name, name) == 0)
            return kinds[i];
    return NULL;
}

static double row_weight(const gersh_dataset *data, size_t row)
{
    return gersh_dataset_weights(data) != NULL ? gersh_dataset_weights(data)[row] : 1;
}

void gersh__count_votes(double *vote, const gersh_dataset *train, const size_t *near,
                        const double *distance, size_t count, int by_distance)
{
    double nearest = distance[0]; /* vote may be the same array */
    for (size_t c = 0; c < count; c++) {
        double weight = row_weight(train, near[c]), here = distance[c];
        if (!by_distance)
            vote[c] = weight;
        else if (nearest > 0)
            vote[c] = weight * sqrt(nearest / here); /* a common factor, so that nothing overflows */
        else
            vote[c] = here > 0 ? 0 : weight;
    }
}

/* For every test row the k nearest training rows, and their votes; both are the caller's. */
static gersh_status find_voters(size_t **near, double **vote, const gersh__classify_task *task)
{
    gersh_neighbors *index = NULL;
    size_t n = gersh_dataset_rows(task->test), features = gersh_dataset_features(task->train),
           k = task->voters.k;
    *near = gersh__alloc(n, k * sizeof **near);
    *vote = gersh__alloc(n, k * sizeof **vote);
    if (*near == NULL || *vote == NULL)
        return GERSH_ERROR_MEMORY;
    gersh_status status =
        gersh_neighbors_new(&index, task->metric, gersh_dataset_rows(task->train), features,
                            gersh_dataset_values(task->train), features, task->threads);
    if (status == GERSH_OK)
        status = gersh_neighbors_find(index, *vote, *near, n, gersh_dataset_values(task->test), features, k,
                                      task->cancel);
    for (size_t i = 0; i < n && status == GERSH_OK; i++) {
        double *mine = *vote + i * k;
        gersh__count_votes(mine, task->train, *near + i * k, mine, k, task->voters.by_distance);
    }
    gersh_neighbors_free(index);
    return status;
}

static gersh_status classify_knn(int *label, double *proba, const gersh__classify_task *task)
{
    const int *known = gersh_dataset_labels(task->train);
    size_t classes = gersh_dataset_classes(task->train), k = task->voters.k, *near = NULL;
    double *vote = NULL;
    gersh_status status = find_voters(&near, &vote, task);
    for (size_t i = 0; i < gersh_dataset_rows(task->test) && status == GERSH_OK; i++) {
        const size_t *mine = near + i * k;
        double *votes = proba + i * classes, total = 0;
        for (size_t c = 0; c < k; c++) {
            votes[known[mine[c]]] += vote[i * k + c];
            total += vote[i * k + c];
        }
        label[i] = known[mine[0]];
        for (size_t c = 1; c < k; c++)
            if (votes[known[mine[c]]] > votes[label[i]])
                label[i] = known[mine[c]];
        for (size_t c = 0; c < classes; c++)
            votes[c] /= total;
    }
    gersh__free(vote);
    gersh__free(near);
    return status;
}

static gersh_status regress_knn(double *value, const gersh__classify_task *task)
{
    const double *target = gersh_dataset_targets(task->train);
    size_t *near = NULL, k = task->voters.k;
    double *vote = NULL;
    gersh_status status = find_voters(&near, &vote, task);
    for (size_t i = 0; i < gersh_dataset_rows(task->test) && status == GERSH_OK; i++) {
        double sum = 0, total = 0;
        for (size_t c = i * k; c < (i + 1) * k; c++) {
            sum += vote[c] * target[near[c]];
            total += vote[c];
        }
        value[i] = sum / total;
    }
    gersh__free(vote);
    gersh__free(near);
    return status;
}

const gersh__classifier gersh__classifier_knn = {"knn", classify_knn, regress_knn};

/* The weighted means of the classes that have rows; present[m] is the class of the m-th of them. */
static size_t class_means(double *mean, double *total, size_t *present, const gersh_dataset *train)
{
    size_t k = gersh_dataset_features(train), classes = gersh_dataset_classes(train), count = 0;
    const double *x = gersh_dataset_values(train);
    for (size_t i = 0; i < gersh_dataset_rows(train); i++)
        total[gersh_dataset_labels(train)[i]] += row_weight(train, i);
    for (size_t i = 0; i < gersh_dataset_rows(train); i++) {
        size_t c = (size_t)gersh_dataset_labels(train)[i];
        double share = row_weight(train, i) / total[c];
        for (size_t j = 0; j < k; j++)
            mean[c * k + j] += share * x[i * k + j];
    }
    for (size_t c = 0; c < classes; c++)
        if (total[c] > 0) {
            memmove(mean + count * k, mean + c * k, k * sizeof *mean);
            present[count++] = c;
        }
    return count;
}

static gersh_status classify_mahalanobis(int *label, double *proba, const gersh__classify_task *task)
{
    size_t n = gersh_dataset_rows(task->test), k = gersh_dataset_features(task->train);
    size_t classes = gersh_dataset_classes(task->train);
    gersh_status status = GERSH_ERROR_MEMORY;
    gersh_neighbors *index = NULL;
    double *mean = gersh__alloc(classes, k * sizeof *mean), *total = gersh__alloc(classes, sizeof *total);
    double *distance = gersh__alloc(n, classes * sizeof *distance);
    size_t *present = gersh__alloc(classes, sizeof *present),
           *near = gersh__alloc(n, classes * sizeof *near);
    if (mean == NULL || total == NULL || distance == NULL || present == NULL || near == NULL)
        goto out;
    size_t count = class_means(mean, total, present, task->train);
    status = gersh_neighbors_new(&index, task->metric, count, k, mean, k, task->threads);
    if (status == GERSH_OK)
        status = gersh_neighbors_find(index, distance, near, n, gersh_dataset_values(task->test), k, count,
                                      task->cancel);
    for (size_t i = 0; i < n && status == GERSH_OK; i++) {
        const double *d = distance + i * count;
        double sum = 0;
        label[i] = (int)present[near[i * count]];
        for (size_t c = 0; c < count; c++)
            sum += exp(d[0] - d[c]);
        for (size_t c = 0; c < count; c++)
            proba[i * classes + present[near[i * count + c]]] = exp(d[0] - d[c]) / sum;
    }
out:
    gersh_neighbors_free(index);
    gersh__free(near);
    gersh__free(present);
    gersh__free(distance);
    gersh__free(total);
    gersh__free(mean);
    return status;
}

const gersh__classifier gersh__classifier_mahalanobis = {"mahalanobis", classify_mahalanobis, NULL};

/* The rows of positive weight in a new data set, or NULL where all are. */
static gersh_status drop_weightless(gersh_dataset **out, const gersh_dataset *train)
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
 * The task without rows of weight 0 and with k within the rows there are; *kept is what it uses, or NULL.
 */
static gersh_status prepare(gersh__classify_task *task, gersh_dataset **kept)
{
    gersh_status status = check_task(task);
    if (status == GERSH_OK)
        status = drop_weightless(kept, task->train);
    if (status != GERSH_OK)
        return status;
    if (*kept != NULL)
        task->train = *kept;
    if (task->voters.k > gersh_dataset_rows(task->train))
        task->voters.k = gersh_dataset_rows(task->train);
    return GERSH_OK;
}

/* Neighbours are found among dense rows. */
static gersh_status make_dense(const gersh__classify_task *task)
{
    gersh_status status = gersh__dataset_densify(task->train);
    return status == GERSH_OK ? gersh__dataset_densify(task->test) : status;
}

gersh_status gersh__classify(int *label, double *proba, const gersh__classifier *kind,
                             const gersh_metric *metric, const gersh_dataset *train,
                             const gersh_dataset *test, gersh__voters voters, int threads,
                             const gersh_cancel *cancel)
{
    gersh__classify_task task = {metric, train, test, voters, threads, cancel};
    gersh_dataset *kept = NULL;
    double *own = NULL;
    size_t rows = gersh_dataset_rows(test), classes = gersh_dataset_classes(train);
    if (gersh_dataset_labels(train) == NULL)
        return gersh__fail(GERSH_ERROR_ARGUMENT, "the training rows have no class labels");
    gersh_status status = prepare(&task, &kept);
    if (status == GERSH_OK)
        status = make_dense(&task);
    if (status == GERSH_OK && proba == NULL) {
        own = gersh__alloc(rows, classes * sizeof *own);
        status = own != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
    } else if (status == GERSH_OK) {
        memset(proba, 0, rows * classes * sizeof *proba);
    }
    if (status == GERSH_OK)
        status = kind->classify(label, own != NULL ? own : proba, &task);
    gersh__free(own);
    gersh_dataset_free(kept);
    return status;
}

gersh_status gersh__regress(double *value, const gersh__classifier *kind, const gersh_metric *metric,
                            const gersh_dataset *train, const gersh_dataset *test, gersh__voters voters,
                            int threads, const gersh_cancel *cancel)
{
    gersh__classify_task task = {metric, train, test, voters, threads, cancel};
    gersh_dataset *kept = NULL;
    if (gersh_dataset_targets(train) == NULL)
        return gersh__fail(GERSH_ERROR_ARGUMENT, "the training rows have no real-valued targets");
    if (kind->regress == NULL)
        return gersh__fail(
            GERSH_ERROR_ARGUMENT,
            "--classifier: '%s' tells classes apart, but the targets are real numbers; use knn",
            kind->name);
    gersh_status status = prepare(&task, &kept);
    if (status == GERSH_OK)
        status = make_dense(&task);
    if (status == GERSH_OK)
        status = kind->regress(value, &task);
    gersh_dataset_free(kept);
    return status;
}
