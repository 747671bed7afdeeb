/* Data sets made in memory for the tests. */
#ifndef GERSH_TESTS_SAMPLES_H
#define GERSH_TESTS_SAMPLES_H

#include <math.h>

#include "base/random.h"
#include "check.h"
#include "gersh/data.h"

static inline gersh_dataset *unlabelled(size_t n, size_t k, const double *x)
{
    gersh_dataset *data = NULL;
    assert_ok(gersh_dataset_new(&data, n, k, x, k, NULL, NULL, NULL));
    return data;
}

/* Random rows; column j has size 10^j, and the class of row i is drawn from `classes` with falling odds. */
static inline gersh_dataset *random_data(gersh__random *random, size_t n, size_t k, size_t classes)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
    gersh_dataset *data = NULL;
    double *x = calloc(n * k, sizeof *x), *targets = calloc(n, sizeof *targets);
    const char **labels = calloc(n, sizeof *labels);
    for (size_t i = 0; i < n; i++) {
        size_t c = 0;
        while (classes > 0 && c + 1 < classes && gersh__random_below(random, 3) > 0)
            c++;
        labels[i] = names[c];
        targets[i] = gersh__random_normal(random);
        for (size_t j = 0; j < k; j++)
            x[i * k + j] = (gersh__random_normal(random) + 3) * pow(10, (double)(j % 5));
    }
    assert_ok(gersh_dataset_new(&data, n, k, x, k, classes > 0 ? labels : NULL,
                                classes == 0 ? targets : NULL, NULL));
    free(x);
    free(targets);
    free(labels);
    return data;
}

enum { SAMPLES_ROWS = 24 }; /* at most */

/* Rows to be made odd before they become a data set. */
typedef struct samples {
    const char *name;
    size_t n, k;
    double *x; /* free() */
    const char *labels[SAMPLES_ROWS];
    double weights[SAMPLES_ROWS]; /* all 1 where the first is below 0 */
} samples;

/* Random rows, the classes in turn; every class has features of its own where it is larger. */
static inline samples samples_make(gersh__random *random, const char *name, size_t n, size_t k,
                                   size_t classes)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
    samples s = {.name = name, .n = n, .k = k, .x = malloc(n * k * sizeof(double)), .weights = {-1}};
    assert_true(n <= SAMPLES_ROWS && classes <= sizeof names / sizeof names[0]);
    for (size_t i = 0; i < n; i++) {
        s.labels[i] = names[i % classes];
        for (size_t f = 0; f < k; f++)
            s.x[i * k + f] = gersh__random_normal(random) + (f % classes == i % classes ? 1 : 0);
    }
    return s;
}

static inline void samples_copy_row(samples *s, size_t to, size_t from)
{
    for (size_t f = 0; f < s->k; f++)
        s->x[to * s->k + f] = s->x[from * s->k + f];
}

static inline void samples_fill_column(samples *s, size_t column, double value)
{
    for (size_t i = 0; i < s->n; i++)
        s->x[i * s->k + column] = value;
}

/* All features from `first` on. */
static inline void samples_multiply(samples *s, size_t first, double factor)
{
    for (size_t i = 0; i < s->n; i++)
        for (size_t f = first; f < s->k; f++)
            s->x[i * s->k + f] *= factor;
}

static inline gersh_dataset *samples_data(const samples *s)
{
    gersh_dataset *data = NULL;
    assert_ok(gersh_dataset_new(&data, s->n, s->k, s->x, s->k, s->labels, NULL, NULL));
    if (s->weights[0] >= 0)
        assert_ok(gersh_dataset_set_weights(data, s->weights));
    return data;
}

#endif
