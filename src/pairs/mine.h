/* The search for targets and impostors of anchors; see mine.c. Places are positions in the population. */
#ifndef GERSH_SRC_PAIRS_MINE_H
#define GERSH_SRC_PAIRS_MINE_H

#include "pairs/population.h"

enum { GERSH__MINE_ANCHORS = 128, GERSH__MINE_ROWS = 1024 }; /* of one matrix product */

/* A row, and its distance or what is the same but for a constant. */
typedef struct gersh__nearest {
    double distance;
    size_t place;
} gersh__nearest;

/* Anchors of one class; or the memory of one worker. */
typedef struct gersh__mine_block {
    size_t class, first, count;
    float *tile;          /* GERSH__MINE_ANCHORS × GERSH__MINE_ROWS */
    float *query;         /* GERSH__MINE_ANCHORS × features */
    gersh__nearest *heap; /* GERSH__MINE_ANCHORS × most */
    float *limit;         /* of each anchor: farther rows are passed over */
    size_t *found;
} gersh__mine_block;

typedef struct gersh__mine {
    const gersh__population *population;
    uint64_t seed;
    size_t k, targets, near, rest; /* of each anchor at most: targets, nearest impostors, random ones */
    size_t most;                   /* room of a heap */
    size_t impostors;              /* near + rest */
    size_t anchors;
    size_t *anchor; /* places, by class */
    size_t pooled;
    size_t *pool; /* places, ascending, that random impostors are from: few, so that few rows are used */
    size_t blocks;
    gersh__mine_block *block;
    gersh__mine_block *scratch; /* of each worker */

    /* What is found, of each anchor: */
    size_t *target; /* targets places, */
    size_t *target_count;
    size_t *impostor; /* impostors places: near_count nearest ones, then rest_count random ones */
    size_t *near_count, *rest_count;
    double *rest_share; /* how many rows each random one stands for */
    int *cut;           /* whether some impostors within the margin may be among the rest */
} gersh__mine;

void gersh__mine_run(gersh__mine *mine, gersh__pool *pool);

#endif
