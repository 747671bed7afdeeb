/*
 * An objective from the definition that the verifier has of it, at any distances: for objectives of which the tests have
 * no definition of their own.
 */
#ifndef GERSH_TESTS_DEFINITIONS_H
#define GERSH_TESTS_DEFINITIONS_H

#include "data/dataset.h"
#include "registry.h"
#include "verify/verify.h"

/* A value, and how large what was added up for it is. */
typedef struct defined_value {
    double value, size;
} defined_value;

/*
 * F as it is minimised, at the n × n distances d between rows: of the labels or targets of a data set, or of tuples; without
 * weights all are 1. Between unit vectors the distances under the matrix −d/2 are d, which need not be those of any metric.
 */
static inline defined_value value_by_definition(const char *name, size_t n, const gersh_dataset *labelled,
                                                const double *weight, const gersh_tuples *tuples,
                                                const double *d, double width)
{
    const gersh__reference *reference = gersh__reference_find(name);
    if (reference == NULL)
        fail_msg("there is no definition of the objective %s: it needs one in src/verify, or one in the "
                 "table of "
                 "the tests",
                 name);
    double *x = calloc(n * n, sizeof *x), *m = malloc(n * n * sizeof *m);
    size_t *all = malloc(n * sizeof *all);
    for (size_t i = 0; i < n; i++) {
        x[i * n + i] = 1;
        all[i] = i;
    }
    for (size_t e = 0; e < n * n; e++)
        m[e] = -0.5 * fmax(d[e], 0);
    gersh_dataset data = {.n = n, .k = n, .x = x, .weights = (double *)weight};
    if (labelled != NULL) {
        data.labels = labelled->labels;
        data.targets = labelled->targets;
    }
    const gersh__dense dense = {n, 0, n, all, all, m};
    gersh__problem p = {0};
    assert_ok(gersh__problem_solve(&p, reference, &dense, &data, tuples, 0, width));
    defined_value result = {reference->maximized ? -p.value : p.value, p.margins};
    gersh__problem_clear(&p);
    free(x);
    free(m);
    free(all);
    return result;
}

#endif
