/* Frank-Wolfe over the free part of an sgml state; see sgml_step.c. */
#ifndef GERSH_SRC_SOLVER_SGML_STEP_H
#define GERSH_SRC_SOLVER_SGML_STEP_H

#include "solver/sgml.h"

/* Which part of M is free, apart from the diagonal: the edges at this row, or one of these. */
enum { GERSH__SGML_WHOLE = -1, GERSH__SGML_DIAGONALS = -2 };

/*
 * Minimises over the free part, which may hold the trace `budget`, until the certified rest is below tol of the
 * objective. On entry d, g and value are those of the state and `moving` holds the distances of the free part; a free
 * row is in s->row. region: for the whole matrix, gdpa with the state's colours and scalars; else NULL.
 */
gersh_status gersh__sgml_minimize(gersh__sgml *s, int row, gersh__region *region, double budget,
                                  double tol);

/* F at the distances d, and its gradient. */
double gersh__sgml_evaluate(gersh__sgml *s, const double *d, double *g);

/* |M_ij| of an edge that holds the trace 1. */
double gersh__sgml_edge_size(const gersh__sgml *s, size_t i, size_t j);

/* Whether the run was cancelled or is out of time; run->stop then says which. */
int gersh__sgml_must_stop(gersh__sgml *s);

#endif
