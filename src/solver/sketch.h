/*
 * A sketch of the objective around the engine's metric M0: some pairs, sampled by how much curvature they give the objective, stand
 * for all, and a linear term makes its gradient at M0 the exact one. Over it a search costs little, and leads near to
 * where the search over all pairs would; there the next one is drawn.
 */
#ifndef GERSH_SRC_SOLVER_SKETCH_H
#define GERSH_SRC_SOLVER_SKETCH_H

#include "solver/frank_wolfe.h"

/* The memory of sketches, kept from one to the next. */
typedef struct gersh__sketch gersh__sketch;

void gersh__sketch_free(gersh__sketch *sketch);

/* Whether there are so many pairs that a sketch pays, and it can be made. */
int gersh__sketch_pays(const gersh__engine *engine);

/*
 * The minimum of a sketch over the region, from the engine's metric, g and gradient on, found to a share of the gap there;
 * NULL where none can be made.
 */
gersh_status gersh__sketch_solve(gersh_metric **out, gersh__engine *engine, const gersh__region *region,
                                 const gersh__limits *limits, double gap);

#endif
