/*
 * The linear minimiser of regions whose atoms have one or two entries, by their scores of pairs of features. A region has
 * it by naming the functions of the first group in its gersh__region_ops.
 */
#ifndef GERSH_SRC_REGION_PAIRWISE_H
#define GERSH_SRC_REGION_PAIRWISE_H

#include "region/own.h"

gersh_status gersh__pairwise_init(gersh__region *region);
gersh_status gersh__pairwise_minimize(gersh__region *region, gersh__gradient *gradient,
                                      const gersh__lmo_request *request, gersh__lmo_answer *answer);
void gersh__pairwise_free(gersh__region *region);

/* The same over single features alone. */
gersh_status gersh__pairwise_minimize_singles(gersh__region *region, gersh__gradient *gradient,
                                              const gersh__lmo_request *request, gersh__lmo_answer *answer);

/* The unit eigenvector of [a, b; b, c] for its smallest eigenvalue, on the features i and j. */
gersh_atom gersh__pairwise_eigenvector(size_t i, size_t j, double a, double b, double c);

/* The better one of the two features alone. */
static inline gersh_atom gersh__pairwise_single(size_t i, size_t j, double a, double c)
{
    size_t f = c < a ? j : i;
    return (gersh_atom){f, f, 1, 0};
}

/* What follows is for scan.c and screen.c. */

/* A number with its place, to be sorted. */
typedef struct gersh__ranked {
    double value;
    size_t place;
} gersh__ranked;

typedef struct gersh__pairwise {
    double *row_value;   /* best of each feature's pairs */
    size_t *row_partner; /* the feature itself where none is better than it alone */
    gersh__ranked *ranked;
    gersh__working_set *working_set, *own_set; /* own_set: what is to be freed of it, or NULL */
    int threads;
    double *memory; /* of a scan or a screening */
    size_t memory_size;
    double *mean, *length; /* of each feature's column, of a screening */
} gersh__pairwise;

/* Room for `count` doubles in pairwise->memory. */
gersh_status gersh__pairwise_reserve(gersh__pairwise *pairwise, size_t count);

/* By value, then by place. */
void gersh__ranked_sort(gersh__ranked *ranked, size_t count);

/*
 * All pairs of the `count` listed features (NULL: of all features): the best of each feature's pairs with those
 * behind it in the list, in row_value and row_partner.
 */
gersh_status gersh__pairwise_scan(gersh__region *region, gersh__gradient *gradient, const size_t *list,
                                  size_t count);

/*
 * All pairs of all features, of which most are passed over: row_value and row_partner, which hold what is known,
 * get what is better. No pair has a value below both what they then hold and `level`, which must be below
 * every entry of the diagonal. `bound`: of the gradient's columns.
 */
gersh_status gersh__pairwise_screen(gersh__region *region, gersh__gradient *gradient, const double *bound,
                                    double level);

#endif
