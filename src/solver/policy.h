/*
 * What a fit decides by the sizes of its problem alone. No rule asks for the number of threads: results do not depend on
 * it. The constants are those of base/policy.h.
 */
#ifndef GERSH_SRC_SOLVER_POLICY_H
#define GERSH_SRC_SOLVER_POLICY_H

#include "gersh/fit.h"

typedef struct gersh__facts {
    size_t n, k;   /* rows that count, and features */
    double memory; /* bytes that are allowed */
    double room;   /* bytes that the objective keeps of each pair */
    int all_pairs; /* it is a function of all pairs of rows, whatever they cost */
    int triplets;  /* it compares pairs with others */
    int separable; /* it is a sum over pairs, which a sketch may stand for */
} gersh__facts;

typedef struct gersh__plan {
    gersh_pair_choice choice; /* all pairs, sampled or mined ones */
    size_t first, most;       /* of drawn ones: in the first round, and at most */
    double memory;            /* bytes at most */
    int fits;                 /* in what is allowed */
} gersh__plan;

gersh__plan gersh__policy_plan(const gersh__facts *facts);

/* Draws of a sketch of so many pairs; 0 where a search over all of them costs no more. */
size_t gersh__policy_sketch(size_t pairs, size_t k);

#endif
