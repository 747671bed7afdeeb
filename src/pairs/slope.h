/*
 * The gradient G = D*(g) = Xᵀ L(g) X of an objective with respect to M: entries on demand, as products of
 * columns of X and of Y = L(g) X. Nothing of size K × K. With few features Y and the diagonal of G are made
 * at each update; with many, those rows of Y that are asked for.
 *
 * Numbers near the ends of the range of double have no squares, which eigenvalues of G need. So all that is given out
 * here (Y, its columns, G, diagonal and reach) is in units of `unit`, a power of two, which changes no digit.
 */
#ifndef GERSH_SRC_PAIRS_SLOPE_H
#define GERSH_SRC_PAIRS_SLOPE_H

#include "pairs/pairs.h"

/* Up to so many features are few. */
enum { GERSH__FEW_FEATURES = 512 };

typedef struct gersh__slope {
    const gersh__pairs *pairs;
    const double *g;  /* of the last update */
    double unit;      /* of all below; 1 where the diagonal is there and has squares */
    double *y;        /* k × n: L(g) x_f; NULL: not kept */
    double *diagonal; /* G_ff, once gersh__slope_diagonal was called */
    double *reach; /* q_f = Σ_p |g_p| Δ_pf²: then |G_ij| <= √(q_i q_j); filled by gersh__slope_reach */
    int has_diagonal;
    size_t row;     /* feature whose L(g) x_f is in row_y */
    double *row_y;  /* n */
    double *column; /* n, scratch */
    size_t block;   /* features whose x and y are held at a time */
    double *block_x, *block_y;
    size_t *list; /* of features, block of them */
    double *size; /* |g|, for the reach */
} gersh__slope;

/* keep: Y is to be there as a whole however many features there are, unless they are sparse. */
gersh_status gersh__slope_new(gersh__slope **out, const gersh__pairs *pairs, int keep);
void gersh__slope_free(gersh__slope *slope);

/* G for the gradient g in distance space, which must stay until the next update. */
void gersh__slope_update(gersh__slope *slope, const double *g);

/* Fills `diagonal`, or `reach`, for the last update. The reach is of use where Y is not kept. */
void gersh__slope_diagonal(gersh__slope *slope);
gersh_status gersh__slope_reach(gersh__slope *slope);

/*
 * What rounding is relative to: √R_f = √(Σ_s r_s x_sf²) + |m_f| √(Σ_s r_s) of each feature f, m_f the mean of x_f, in units
 * of r (n entries: Σ_t |g_st| over the pairs of sample s); the largest R_f, and their sum. Terms that add up to a sum
 * over samples for zᵀGz have sizes that add up to at most 2 (Σ_f |z_f| √R_f)², whether x is centred first or not.
 */
void gersh__slope_sizes(gersh__slope *slope, const double *r, double *largest, double *sum);

/* Columns of X and of Y of the listed features, n entries each. */
void gersh__slope_columns(const gersh__slope *slope, const size_t *feature, size_t count, double *x,
                          double *y);

/* G_ij. Where Y is not kept, entries of one row i after another cost least. */
double gersh__slope_entry(gersh__slope *slope, size_t i, size_t j);

#endif
