/* The engine's list of atoms: joining, dropping, merging, recolouring. */
#ifndef GERSH_SRC_SOLVER_ATOMS_H
#define GERSH_SRC_SOLVER_ATOMS_H

#include "solver/frank_wolfe.h"

/* Adds an atom (or, of a dense engine, the vector) with that weight; the same atom is not held twice. */
gersh_status gersh__atoms_add(gersh__engine *engine, gersh_atom atom, const double *vector, double weight);

/* t of all atoms: those that have joined or changed since have none yet. */
void gersh__atoms_project(gersh__engine *engine);

/* Adds the candidates with weight 0, and atoms between them and those that are there. */
gersh_status gersh__atoms_join(gersh__engine *engine, const gersh__region *region,
                               const gersh__lmo_answer *answer);

/* Removes atoms of weight 0. */
void gersh__atoms_drop(gersh__engine *engine);

/*
 * More than `most` edges on one pair of features become that many and a single feature, the same matrix, where the region
 * allows the edge that comes of it. While the search goes on two may stay, as to turn one into the other takes both.
 */
gersh_status gersh__atoms_merge(gersh__engine *engine, const gersh__region *region, size_t most);

/* Turns every edge that is not the region's into its two diagonal parts: the same trace, and no less
 * definite. */
gersh_status gersh__atoms_restrict(gersh__engine *engine, const gersh__region *region);

/* d, F and its gradient anew from the atoms. */
void gersh__engine_refresh(gersh__engine *engine);

#endif
