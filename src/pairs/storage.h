/*
 * What pairs are made of, for src/pairs alone. A storage is a struct that begins with gersh__pairs, its operations, and a
 * file: all.c, between.c, explicit.c and differences.c.
 */
#ifndef GERSH_SRC_PAIRS_STORAGE_H
#define GERSH_SRC_PAIRS_STORAGE_H

#include "pairs/chunks.h"
#include "pairs/gram.h"
#include "pairs/pairs.h"
#include "pairs/samples.h"

typedef struct gersh__pairs_ops {
    const char *name;

    /* Those of pairs.h, whose samples, chunks and room are there. */
    void (*squared_distances)(const gersh__pairs *pairs, const gersh__terms *terms, const double *base,
                              double *d);
    void (*add)(const gersh__pairs *pairs, double factor, const double *t, double *d);
    int (*metric_distances)(const gersh__pairs *pairs, const gersh__terms *terms, const double *base,
                            double *d); /* NULL: never */
    void (*euclidean)(const gersh__pairs *pairs, double *d);
    gersh_status (*mean)(const gersh__pairs *pairs, double *mean);
    void (*adjoint)(const gersh__pairs *pairs, const double *g, size_t columns, const double *v, double *y);
    void (*scores)(const gersh__pairs *pairs, const double *g, size_t m, const double *t, double *score);
    int (*scores_by_entries)(const gersh__pairs *pairs, size_t m, int kept, int ready);
    void (*sizes)(const gersh__pairs *pairs, const double *g, double *r);
    void (*ends)(const gersh__pairs *pairs, size_t begin, size_t count, uint32_t *i, uint32_t *j);
    void (*ends_of)(const gersh__pairs *pairs, const size_t *pair, size_t count, uint32_t *i, uint32_t *j);

    /* See gram.h. */
    gersh_status (*gram)(gersh__gram *gram, double *h);
    void (*sample)(gersh__gram_sample *sample, size_t begin,
                   size_t end);        /* chunks; NULL: never estimated */
    void (*free)(gersh__pairs *pairs); /* what is the storage's own */
} gersh__pairs_ops;

/* Scratch memory, kept from call to call. */
typedef struct gersh__pairs_room {
    double *maps; /* of the maps of `atoms` atoms */
    size_t atoms;
    double *gram;
    size_t gram_capacity;
} gersh__pairs_room;

struct gersh__pairs {
    const gersh__pairs_ops *ops;
    size_t n, k;  /* samples, features */
    size_t count; /* pairs */
    gersh__samples *samples;
    size_t *row; /* in the data set, of each sample; NULL: there are none */
    gersh__supervision *supervision;
    int uncentered;       /* more than differences of samples counts */
    gersh__pool *pool;    /* not owned; NULL: no threads */
    gersh__chunks chunks; /* of loops over pairs */
    gersh__pairs_room *room;
};

/*
 * All pairs, or all between classes: row i holds the pairs of sample i with earlier samples, from the first one on. What
 * both kinds have in common is in rowed.c.
 */
typedef struct gersh__rowed {
    gersh__pairs base;
    size_t *row;        /* n + 1: the pairs of sample i with 0, 1, ... are row[i]..row[i + 1] */
    gersh__chunks rows; /* the chunks as samples */
    double *square;     /* of all pairs: n × n scratch of the maps; NULL for a few samples */
    double *diagonal;   /* n, scratch too */
} gersh__rowed;

static inline const gersh__rowed *gersh__rowed_of(const gersh__pairs *pairs)
{
    return (const gersh__rowed *)pairs;
}

/* How many pairs sample i has with earlier ones. */
static inline size_t gersh__rowed_reach(const gersh__rowed *rowed, size_t i)
{
    return rowed->row[i + 1] - rowed->row[i];
}

/* Sᵀ T for m × n matrices as B, of which d_ij = base_ij + b_ii + b_jj − 2 b_ij; `diagonal` is filled. */
typedef void (*gersh__rowed_product)(const gersh__rowed *rowed, size_t m, const double *s, const double *t,
                                     const double *base, double *d);

void gersh__rowed_distances(const gersh__pairs *pairs, const gersh__terms *terms, const double *base,
                            double *d, gersh__rowed_product product);
void gersh__rowed_add(const gersh__pairs *pairs, double factor, const double *t, double *d);
void gersh__rowed_euclidean(const gersh__pairs *pairs, double *d);
gersh_status gersh__rowed_mean(const gersh__pairs *pairs, double *mean);

int gersh__rowed_scores_by_entries(const gersh__pairs *pairs, size_t m, int kept, int ready);
void gersh__rowed_sizes(const gersh__pairs *pairs, const double *g, double *r);
void gersh__rowed_ends(const gersh__pairs *pairs, size_t begin, size_t count, uint32_t *i, uint32_t *j);
gersh_status gersh__rowed_gram(gersh__gram *gram, double *h);
void gersh__rowed_sample(gersh__gram_sample *sample, size_t begin, size_t end);
void gersh__rowed_free(gersh__pairs *pairs);

extern const gersh__pairs_ops gersh__pairs_all, gersh__pairs_between;

/*
 * To make a storage: the common part, `size` bytes in all, then what is its own, then its chunks. `row` becomes the pairs'
 * own. weight: of each row of the data, or NULL.
 */
gersh__pairs *gersh__storage_new(const gersh__pairs_ops *ops, size_t size, gersh__pool *pool);
gersh_status gersh__storage_samples(gersh__pairs *pairs, const gersh_dataset *data, const double *weight);
gersh_status gersh__all_finish(gersh__pairs *pairs);
gersh_status gersh__between_finish(gersh__pairs *pairs);
gersh__pairs *gersh__explicit_new(gersh__pool *pool);
gersh_status gersh__explicit_finish(gersh__pairs *pairs, size_t count, size_t *first, size_t *second);
gersh_status gersh__rowed_finish(gersh__rowed *rowed, int square);

/* The scores where the adjoint says them: t_aᵀ (L(g) t_a). */
void gersh__storage_scores(const gersh__pairs *pairs, const double *g, size_t m, const double *t,
                           double *score);

gersh_status gersh__storage_mean(const gersh__pairs *pairs, double *mean);
void gersh__storage_copy(const gersh__pairs *pairs, const double *base, double *d);

struct gersh__supervision {
    size_t classes;
    size_t *class_start; /* classes + 1 */
    uint32_t *class;     /* of each sample, where there are classes */
    double *target, *weight;
    int *similar;
    double *importance; /* of each pair: how many pairs it stands for; NULL: 1 */
    int all_dissimilar;
    double units;
    size_t *stratum_of;
    gersh__stratum *stratum;
    size_t strata;
    gersh_tuple_kind kind; /* of the comparisons */
    gersh__comparisons *comparisons;
    gersh__chunks chunks; /* of these */
};

void gersh__supervision_free(gersh__supervision *supervision);

/* Room for the chunks of the comparisons' sums, which begin and end with whole anchors; see gersh__comparisons_gram. */
gersh_status gersh__gram_chunks(const gersh__pairs *pairs, const gersh__chunks *chunks,
                                gersh__gram_chunk chunk, void *context, size_t m, double factor, double *h);

#endif
