/*
 * The gradient G = D*(g) = Xᵀ L(g) X of an objective with respect to M: entries on demand, as products of
 * columns of X and of Y = L(g) X. Nothing of size K × K. With few features Y and the diagonal of G are kept
 * from one update to the next; with many, those rows of Y that are asked for are made.
 *
 * Numbers near the ends of the range of double have no squares, which eigenvalues of G need. So regions ask for G
 * over `unit`, a power of two, which changes no digit; solvers ask for G itself.
 */
#ifndef GERSH_SRC_PAIRS_GRADIENT_H
#define GERSH_SRC_PAIRS_GRADIENT_H

#include "gersh/metric.h"
#include "pairs/pairs.h"

typedef struct gersh__gradient gersh__gradient;

/* keep: Y is to be kept however many features there are, unless they are sparse. */
gersh_status gersh__gradient_new(gersh__gradient **out, const gersh__pairs *pairs, int keep);
void gersh__gradient_free(gersh__gradient *gradient);

/* G for the gradient g in distance space, which must stay until the next update. */
void gersh__gradient_update(gersh__gradient *gradient, const double *g);

/*
 * Whether Y is kept: then an entry is one product of n terms, and entries may be asked for in several threads. Else a
 * row of Y is made for it, so that entries of one row i after another cost least.
 */
int gersh__gradient_kept(const gersh__gradient *gradient);

/* G_ij. */
double gersh__gradient_entry(gersh__gradient *gradient, size_t i, size_t j);

/* value_a = zᵀ G z of the `count` atoms. */
void gersh__gradient_forms(gersh__gradient *gradient, size_t count, const gersh_atom *atom, double *value);

/* Some columns of G from column `from` on, k entries each; Y must be kept. */
void gersh__gradient_block(const gersh__gradient *gradient, size_t from, size_t columns, double *out);

/*
 * The upper triangle of G (k × k by rows), or the lower one, over `unit`, as the mean of XᵀY and YᵀX; Y must be kept. x:
 * X, or NULL: that of the pairs. As the columns of Y have mean 0, those of X may be centred.
 */
void gersh__gradient_matrix(const gersh__gradient *gradient, int upper, double unit, const double *x,
                            double *out);

/*
 * What rounding is relative to: √R_f = √(Σ_s r_s x_sf²) + |m_f| √(Σ_s r_s) of each feature f, m_f the mean of x_f, in units
 * of r (n entries: Σ_t |g_st| over the pairs of sample s); the largest R_f, and their sum. Terms that add up to a sum
 * over samples for zᵀGz have sizes that add up to at most 2 (Σ_f |z_f| √R_f)², whether x is centred first or not.
 */
void gersh__gradient_sizes(gersh__gradient *gradient, const double *r, double *largest, double *sum);

/* What regions ask is of G over this unit. */
double gersh__gradient_unit(const gersh__gradient *gradient);
double gersh__gradient_scaled_entry(gersh__gradient *gradient, size_t i, size_t j);

/* The k entries of the diagonal, until the next update. */
const double *gersh__gradient_diagonal(gersh__gradient *gradient);

/* Bounds of the columns: q_f = Σ_p |g_p| Δ_pf², so that |G_ij| <= √(q_i q_j). */
gersh_status gersh__gradient_bounds(gersh__gradient *gradient, const double **bound);

/* Columns of X and of Y of the listed features, n entries each, and unless NULL their entries of the diagonal. */
void gersh__gradient_columns(gersh__gradient *gradient, const size_t *feature, size_t count, double *x,
                             double *y, double *diagonal);

/* All of X and Y, G = Xᵀ Y, feature by feature; returns 0 where Y is not kept. */
int gersh__gradient_factors(const gersh__gradient *gradient, const double **x, const double **y);

/* out = G v for `columns` vectors of k entries each, symmetric but for rounding; Y must be kept. */
void gersh__gradient_apply(gersh__gradient *gradient, size_t columns, const double *v, double *out);

#endif
