/* How Gram matrices over pairs are added up, for the storages; see gram.c. */
#ifndef GERSH_SRC_PAIRS_GRAM_H
#define GERSH_SRC_PAIRS_GRAM_H

#include "base/threads.h"
#include "pairs/pairs.h"

typedef struct gersh__gram {
    const gersh__pairs *pairs;
    const double *c;
    double sign; /* −1: c has the opposite of what is meant */
    size_t m;
    const double *t;
    size_t parts;             /* each with a sum of its own: the chunks of the pairs, or fewer */
    double *sums;             /* m × m for each part */
    double *blocks;           /* GERSH__GRAM_BLOCK × m for each worker */
    const double *transposed; /* n × m, the values of each sample side by side, where they were asked for */
    const double *other;      /* of an estimate around centres: the c of each pair for its second sample, */
    const double *center;     /* as t; else both are NULL */
    const double *minus_mean; /* of the atoms' distances, or NULL */
    double *before;           /* of an estimate: the sum of c before each chunk, and */
    double unit, per;         /* how much of it there is for each draw, and 1 / unit */
} gersh__gram;

/* Pairs whose c lie side by side, of one sample with `length` others side by side. */
typedef struct gersh__gram_run {
    size_t sample;  /* the larger one of every pair; GERSH__NO_SAMPLE: it counts as 0 */
    size_t partner; /* the smaller one of the first pair */
    size_t length;
    size_t pair; /* number of the first pair */
} gersh__gram_run;

#define GERSH__NO_SAMPLE SIZE_MAX

/* The runs of a block, a product at a time. */
typedef struct gersh__gram_block {
    gersh__gram_run run[GERSH__GRAM_BLOCK];
    size_t runs, pairs;
} gersh__gram_block;

/* What one part of the pairs adds to the sums, its number being `part`. */
typedef void (*gersh__gram_part)(gersh__gram *gram, size_t part, double *rows, double *h);

/* Adds the parts up in order; `transposed`: they need the values of each sample side by side. */
gersh_status gersh__gram_sum(gersh__gram *gram, gersh__gram_part part, size_t parts, int transposed,
                             double *h);

/* The runs of a part one after the other, then the end. */
void gersh__gram_add(const gersh__gram *gram, gersh__gram_block *block, gersh__gram_run run, double *rows,
                     double *h);
void gersh__gram_end(const gersh__gram *gram, gersh__gram_block *block, double *rows, double *h);

/* A block of the sampled pairs of a part, and where among all draws it is. */
typedef struct gersh__gram_sample {
    gersh__gram *gram;
    double *rows, *h;
    size_t filled, place[GERSH__GRAM_BLOCK], first[GERSH__GRAM_BLOCK], second[GERSH__GRAM_BLOCK];
    size_t self[GERSH__GRAM_BLOCK];  /* one of the two, around whose centre the pair is drawn */
    double times[GERSH__GRAM_BLOCK]; /* how often the pair is */
    double at;                       /* the running sum of c, in draws */
    long reached;                    /* draws made */
} gersh__gram_sample;

/*
 * Draws from c[p], ..., c[end − 1] until the block is full; returns where to go on. The places that were drawn are behind
 * those that were there before; the caller fills in their samples, and empties a full block.
 */
size_t gersh__gram_draw(gersh__gram_sample *sample, const double *c, size_t p, size_t end);
void gersh__gram_empty(gersh__gram_sample *sample);

#endif
