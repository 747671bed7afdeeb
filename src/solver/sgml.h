/*
 * Signed graph metric learning (Algorithm 1 of the paper): a sparse balanced matrix M, kept as colours σ, scalars u,
 * edges |M_ij| and the slacks of the discs,
 *
 *     M_ii = ρ + t_i + Σ_j |M_ij| u_j/u_i ,   t_i >= 0,   Σ_i t_i + Σ_{i<j} (u_i/u_j + u_j/u_i) |M_ij| <= B,
 *
 * so that every state is a graph metric by its own account.
 */
#ifndef GERSH_SRC_SOLVER_SGML_H
#define GERSH_SRC_SOLVER_SGML_H

#include "solver/solver.h"

typedef struct gersh__sgml_edge {
    size_t i, j;
    double size; /* |M_ij| > 0 */
} gersh__sgml_edge;

/* Where the free part of M may put its trace: on nothing, on a feature or on an edge; see sgml_step.c. */
typedef struct gersh__sgml_vertex {
    int place;
    size_t i, j;  /* the feature i, or the edge */
    double value; /* ⟨G, zzᵀ⟩ at trace 1 */
    double held;  /* trace on a vertex in use */
    size_t edge;  /* its number in the list, of an edge in use that is not in `row` */
    double ratio; /* u_j/u_i that the edge wants, where the two are not connected; else 0 */
    int turn;     /* the part of j must change its colours for it */
} gersh__sgml_vertex;

typedef struct gersh__sgml {
    gersh__solver_run *run;
    gersh__engine *engine;
    const gersh__pairs *pairs;
    size_t k;
    int positive;  /* every node is blue: pgml */
    double *color; /* ±1 */
    double *u;
    double *slack;
    size_t *part; /* connected part of each node; colour and scale are relative to it */
    gersh__sgml_edge *edge;
    size_t edges, capacity;
    double *d; /* distances under M */
    double value;
    void (*observe)(void *context, const struct gersh__sgml *state); /* after every step, or NULL */
    void *observe_context;
    double *scratch, *column; /* n */
    /* of the steps */
    double *fixed, *moving, *vertex, *next_d, *next_g, *g, *product; /* a value each pair */
    gersh__sgml_vertex *used;
    size_t used_count, used_capacity;
    double *row, *kept_row; /* |M_rj| of the row at hand, and of the first try */
    double *kept_color, *kept_u, *kept_slack, *kept_moving;
    size_t *kept_part;
} gersh__sgml;

gersh_status gersh__sgml_new(gersh__sgml **out, gersh__solver_run *run, int positive);
void gersh__sgml_free(gersh__sgml *state);

/* The first graph, as the setting `init` says. */
gersh_status gersh__sgml_start(gersh__sgml *state);

/* Lines 2-12: rows in turn with both colours, until colours and objective settle. Lines 13-16: the whole matrix. */
gersh_status gersh__sgml_rows(gersh__sgml *state);
gersh_status gersh__sgml_whole(gersh__sgml *state);

/* The diagonal alone, with the edges as they are (the paper's "Optimization of Diagonals"). */
gersh_status gersh__sgml_diagonals(gersh__sgml *state);

/* Lines 4-9 for row r; *changed says whether M is another now, *flipped whether the row's colour is. */
gersh_status gersh__sgml_row(gersh__sgml *state, size_t r, int *changed, int *flipped);

/* Edges that are next to nothing go to the diagonal. */
void gersh__sgml_drop_negligible_edges(gersh__sgml *state);

/* New scalars from the first eigenvectors of the connected parts, where they certify no less than the old. */
gersh_status gersh__sgml_scalars(gersh__sgml *state);

/* d and F anew from the state. */
void gersh__sgml_refresh(gersh__sgml *state);

/* M as a metric. */
gersh_status gersh__sgml_metric(gersh_metric **out, const gersh__sgml *state);

/* d += factor · distances of the edge's atom under the scalars u (θ = 1 is |M_ij| = 1). */
void gersh__sgml_add_edge(const gersh__sgml *state, const double *u, const double *color, size_t i,
                          size_t j, double factor, double *d);

#endif
