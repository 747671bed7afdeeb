/* What the tests of evaluations share. */
#ifndef GERSH_TESTS_EVALUATE_H
#define GERSH_TESTS_EVALUATE_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "check.h"
#include "gersh/evaluate.h"

static inline gersh_settings *settings_of(const char *name, const char *value)
{
    gersh_settings *settings = NULL;
    assert_ok(gersh_settings_new(&settings));
    if (name != NULL)
        assert_ok(gersh_settings_set(settings, name, value));
    return settings;
}

static inline void assert_near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.17g and %.17g differ by more than %g", a, b, tolerance);
}

/* n rows of k features; `distance` moves the classes apart in the first feature. With 0 classes, targets. */
static inline gersh_dataset *make_data(uint64_t seed, size_t n, size_t k, size_t classes, double distance)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    gersh__random random;
    gersh_dataset *data = NULL;
    double *x = calloc(n * k, sizeof *x), *targets = calloc(n, sizeof *targets);
    const char **labels = calloc(n, sizeof *labels);
    gersh__random_seed(&random, seed);
    for (size_t i = 0; i < n; i++) {
        size_t c = classes > 0 ? (size_t)gersh__random_below(&random, classes) : 0;
        labels[i] = names[c];
        for (size_t j = 0; j < k; j++)
            x[i * k + j] =
                (gersh__random_normal(&random) + (j == 0 ? distance * (double)c : 0)) * (double)(1 + j);
        targets[i] = x[i * k] * x[i * k + k - 1] + 0.1 * gersh__random_normal(&random);
    }
    assert_ok(gersh_dataset_new(&data, n, k, x, k, classes > 0 ? labels : NULL,
                                classes > 0 ? NULL : targets, NULL));
    free(x);
    free(targets);
    free(labels);
    return data;
}

#endif
