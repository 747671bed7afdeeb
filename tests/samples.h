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

#endif
