/* The population of rows; see population.h. */
#include "pairs/population.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* Σ ‖x − mean‖² over the rows, times 2 / (n − 1): the mean over all pairs of ‖x − y‖². */
static void measure(gersh__population *p)
{
    size_t k = gersh_dataset_features(p->data);
    const double *x = gersh_dataset_values(p->data);
    double n = (double)p->n, sum = 0;
    memset(p->center, 0, k * sizeof *p->center);
    p->similar = 0;
    for (size_t i = 0; i < p->n; i++)
        for (size_t f = 0; f < k; f++)
            p->center[f] += x[p->row[i] * k + f] / n;
    for (size_t i = 0; i < p->n; i++) {
        double square = 0;
        for (size_t f = 0; f < k; f++) {
            double difference = x[p->row[i] * k + f] - p->center[f];
            square += difference * difference;
        }
        sum += square / (n - 1);
    }
    p->mean_square = 2 * sum;
    double all = n * (n - 1) / 2;
    for (size_t c = 0; c < p->classes; c++) {
        double size = (double)(p->class_start[c + 1] - p->class_start[c]);
        p->similar += size * (size - 1) / 2;
    }
    p->dissimilar = all - p->similar;
}

gersh_status gersh__population_new(gersh__population **out, const gersh_dataset *data, const double *weight)
{
    gersh__population *p = *out = gersh__alloc(1, sizeof *p);
    if (p == NULL)
        return GERSH_ERROR_MEMORY;
    p->data = data;
    p->weight = weight;
    gersh_status status = gersh__order_rows(&p->row, &p->n, &p->class_start, &p->classes, data, weight);
    if (status == GERSH_OK) {
        p->center = gersh__alloc(gersh_dataset_features(data), sizeof *p->center);
        status = p->center != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
    }
    if (status == GERSH_OK) {
        measure(p);
        return GERSH_OK;
    }
    gersh__population_free(p);
    *out = NULL;
    return status;
}

void gersh__population_free(gersh__population *p)
{
    if (p == NULL)
        return;
    gersh__free(p->row);
    gersh__free(p->class_start);
    gersh__free(p->center);
    gersh__free(p->point);
    gersh__free(p->square);
    gersh__free(p->norm);
    gersh__free(p);
}

static int by_row(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

void gersh__population_limit(gersh__population *p, size_t most, gersh__random *random)
{
    size_t kept = 0, begin = 0;
    double share = (double)most / (double)p->n;
    if (p->n <= most)
        return;
    for (size_t c = 0; c < (p->classes > 0 ? p->classes : 1); c++) {
        size_t end = p->class_start[c + 1], size = end - begin,
               wanted = (size_t)(share * (double)size + 0.5);
        wanted = wanted == 0 && size > 0 ? 1 : wanted;
        for (size_t i = 0; i < wanted; i++) { /* the first of a shuffle */
            size_t other = begin + i + (size_t)gersh__random_below(random, size - i),
                   swap = p->row[begin + i];
            p->row[begin + i] = p->row[other];
            p->row[other] = swap;
        }
        qsort(p->row + begin, wanted, sizeof *p->row, by_row);
        memmove(p->row + kept, p->row + begin, wanted * sizeof *p->row);
        kept += wanted;
        p->class_start[c + 1] = kept;
        begin = end;
    }
    p->n = kept;
    p->limited = 1;
    measure(p);
}
