/*
 * Metrics: M = ρ I + Σ_a weight_a z_a z_aᵀ, a list of atoms. Sparse by nature: an atom has one or two
 * entries, but for metrics of the region `psd`, whose atoms are dense.
 */
#ifndef GERSH_METRIC_H
#define GERSH_METRIC_H

#include "gersh/base.h"
#include "gersh/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

/* z = a e_i + b e_j, of unit length; i == j (and b = 0) for a single entry. */
typedef struct gersh_atom {
    size_t i, j;
    double a, b;
} gersh_atom;

typedef struct gersh_metric {
    size_t features;
    double rho;
    size_t atoms;
    double *weight;   /* of each atom, > 0 */
    gersh_atom *atom; /* NULL when the atoms are dense */
    double *dense;    /* atoms × features: the dense atoms, NULL when they are sparse */
} gersh_metric;

/* A metric with room for that many atoms, all zero; dense says of which kind they are. */
GERSH_API gersh_status gersh_metric_new(gersh_metric **out, size_t features, double rho, size_t atoms,
                                        int dense);
GERSH_API void gersh_metric_free(gersh_metric *metric);
GERSH_API gersh_status gersh_metric_copy(gersh_metric **out, const gersh_metric *metric);

/* M, features × features by rows. */
GERSH_API void gersh_metric_matrix(const gersh_metric *metric, double *m);

/* (x − y)ᵀ M (x − y) */
GERSH_API double gersh_metric_distance(const gersh_metric *metric, const double *x, const double *y);

GERSH_API double gersh_metric_trace(const gersh_metric *metric);

/*
 * The signed graph of M. Entries of M that are 0 but for rounding (1e-12 of √(M_ii M_jj)) are no edges.
 */
GERSH_API gersh_status gersh_metric_graph(gersh_graph **out, const gersh_metric *metric);

#ifdef __cplusplus
}
#endif
#endif
