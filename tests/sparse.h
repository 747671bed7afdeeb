/* The same rows as dense and as sparse data. */
#ifndef GERSH_TESTS_SPARSE_H
#define GERSH_TESTS_SPARSE_H

#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "check.h"
#include "data/build.h"

typedef struct twins {
    size_t n, k;
    gersh_dataset *dense, *sparse;
} twins;

static inline void twins_free(twins *t)
{
    gersh_dataset_free(t->dense);
    gersh_dataset_free(t->sparse);
}

/*
 * Random values of which a share is there, more of them for the first class in the first features; some features are
 * constant, some without a value, some copies of the one before.
 */
static inline void fill_values(double *x, gersh__random *random, size_t n, size_t k, double share)
{
    for (size_t f = 0; f < k; f++) {
        int kind = (int)gersh__random_below(random, 14);
        double size = 1 + 3 * gersh__random_uniform(random);
        for (size_t i = 0; i < n; i++) {
            double often = f < 4 && i % 3 == 0 ? 0.8 : share;
            int there = gersh__random_uniform(random) < often;
            x[i * k + f] = there ? size * (1 + gersh__random_normal(random)) : 0;
            if (kind == 0 && f > 4)
                x[i * k + f] = 0;
            else if (kind == 1 && f > 4)
                x[i * k + f] = 2.5;
            else if (kind == 2 && f > 4)
                x[i * k + f] = x[i * k + f - 1];
        }
    }
}

static inline void twins_make(twins *t, gersh__random *random, size_t n, size_t k, double share,
                              int targets)
{
    static const char *const names[] = {"a", "b", "c"};
    double *x = calloc(n * k, sizeof *x), *z = calloc(n, sizeof *z);
    const char **labels = calloc(n, sizeof *labels);
    assert_true(x != NULL && z != NULL && labels != NULL);
    fill_values(x, random, n, k, share);
    for (size_t i = 0; i < n; i++) {
        labels[i] = names[i % 3];
        z[i] = gersh__random_normal(random);
    }
    *t = (twins){.n = n, .k = k};
    assert_ok(gersh_dataset_new(&t->dense, n, k, x, k, targets ? NULL : labels, targets ? z : NULL, NULL));
    size_t entries = 0;
    for (size_t e = 0; e < n * k; e++)
        entries += x[e] != 0;
    assert_ok(gersh_dataset_copy(&t->sparse, t->dense));
    free(t->sparse->x);
    t->sparse->x = NULL;
    assert_ok(gersh__sparse_new(&t->sparse->sparse, n, entries));
    gersh__sparse *s = t->sparse->sparse;
    for (size_t i = 0, e = 0; i < n; i++) {
        for (size_t f = 0; f < k; f++) {
            if (x[i * k + f] == 0)
                continue;
            s->index[e] = f;
            s->value[e++] = x[i * k + f];
        }
        s->start[i + 1] = e;
    }
    free(x);
    free(z);
    free(labels);
}

#endif
