/*
 * A linear map F with FᵀF = M, into a space where the distances of a metric are Euclidean ones:
 * (x − y)ᵀ M (x − y) = ‖Fx − Fy‖².
 *
 * Of a sparse metric every connected component has a factor of its own: its Cholesky factor, the features
 * of few edges eliminated first and what is left of the component as a dense block, so that there are as
 * many columns as features and nothing is dense in the number of all features. Where the atoms are no more
 * than the features and ρ = 0, where M is singular but for rounding, or where the dense block would be too
 * large, the columns are the atoms √θ_a z_a themselves, and √ρ times each feature. Dense atoms are one
 * dense block in the same way. What carries nothing (ρ = 0, and no atom has the feature) has no column.
 *
 * A narrow map has no more columns than features: in place of atoms and √ρ times each feature it has the root of
 * ρI + WWᵀ, where the columns of W are the atoms, from the singular vectors U and values s of W: √ρ I + U g Uᵀ with
 * g = √(ρ + s²) − √ρ, or s Uᵀ for ρ = 0 (map_narrow.c).
 */
#ifndef GERSH_SRC_EMBED_MAP_H
#define GERSH_SRC_EMBED_MAP_H

#include "gersh/metric.h"

/* Columns from `first` on: matrix (columns × features, by rows) times some of the features. */
typedef struct gersh__map_block {
    size_t features, columns, first;
    size_t *feature; /* which ones; NULL: all, in order */
    double *matrix;
} gersh__map_block;

typedef struct gersh__map {
    size_t features;
    int narrow;
    size_t columns; /* of the result: the sparse ones, then those of the blocks */
    int identity;   /* the result is the row itself */
    size_t sparse;  /* column c is Σ entry · x[index] over start[c]..start[c+1] */
    size_t *start, *index;
    double *entry;
    size_t start_room, entry_room, index_room, block_room;
    size_t blocks;
    gersh__map_block *block;
    size_t rank; /* of a root that is applied as it stands: y = root x + Σ_r gain_r u_r (u_rᵀ x) */
    double root, *gain, *basis; /* basis: rank × features, the u_r by rows */
    size_t widest; /* room for a row: features of the largest block that does not take all, or the rank */
    double square; /* Σ of all squared entries: the trace of M */
} gersh__map;

/* metric NULL: the identity of that many features. */
gersh_status gersh__map_new(gersh__map **out, const gersh_metric *metric, size_t features);

/* The same with at most as many columns as features, but where components of more than GERSH__MAP_NARROW features are
 * singular or too large. */
gersh_status gersh__map_new_narrow(gersh__map **out, const gersh_metric *metric);
void gersh__map_free(gersh__map *map);

/* y (columns of the map from one row to the next) = F x of each row. scratch: rows × map->widest. */
void gersh__map_apply(const gersh__map *map, double *y, size_t rows, const double *x, size_t stride,
                      double *scratch);

/* Where the entries of a new sparse column go. */
typedef struct gersh__map_column {
    size_t *index;
    double *entry;
} gersh__map_column;

/* Building: one more sparse column with that many entries. Returns 0, or -1 when memory is short. */
int gersh__map_add_column(gersh__map_column *out, gersh__map *map, size_t entries);

/* Building: one more block of zeros, of all features or of some; NULL when memory is short. */
gersh__map_block *gersh__map_add_block(gersh__map *map, size_t features, size_t columns, int some);

/*
 * Adds the factor of one connected component: the features in node[0..count), with the atoms atom[0..atoms)
 * on them. place: of each feature of the metric, its place in node.
 */
gersh_status gersh__map_add_component(gersh__map *map, const gersh_metric *metric, size_t count,
                                      const size_t *node, size_t atoms, const size_t *atom,
                                      const size_t *place);

/* Building: the root of ρI and the atoms of a dense metric, applied as it stands. */
gersh_status gersh__map_add_root(gersh__map *map, const gersh_metric *metric);

/* Building: the same of one component, as a block of at most `count` columns. */
gersh_status gersh__map_add_narrow(gersh__map *map, const gersh_metric *metric, size_t count,
                                   const size_t *node, size_t atoms, const size_t *atom,
                                   const size_t *place);

#endif
