/*
 * Objectives that are a sum over pairs: F(d) = Σ_p c_p φ(d_p) with φ(d) = exp(−d) or −√d, so that the
 * Hessian is diagonal. c_p = 0 takes a pair out.
 */
#ifndef GERSH_SRC_OBJECTIVE_SEPARABLE_H
#define GERSH_SRC_OBJECTIVE_SEPARABLE_H

#include "objective/objective.h"

typedef struct gersh__separable {
    gersh__objective base;
    int root;             /* φ(d) = −√d */
    double *c;            /* one a pair, set by the objective's init, or NULL: */
    double each;          /* all are this */
    const double *second; /* c_p φ'' of the last gradient; of exp(−d) that gradient, of the other sign */
    double *room;         /* for it, of −√d and of sketches */
} gersh__separable;

static inline double gersh__separable_factor(const gersh__separable *s, size_t pair)
{
    return s->c != NULL ? s->c[pair] : s->each;
}

/* For `init`: c is all 0. */
void gersh__separable_init(gersh__objective *objective, int root);

/*
 * For `init`: c_p = factor · w_i w_j for the pairs that are not similar. With distinct_only, 0 for pairs of
 * samples that have the same features.
 */
void gersh__separable_set_different(gersh__objective *objective, double factor, int distinct_only);

double gersh__separable_evaluate(gersh__objective *objective, const double *d, double *g);

/* The same for the first `count` pairs alone; `second` is c_p φ''(d_p), and stays 0 for the others. */
double gersh__separable_terms(gersh__separable *separable, size_t count, const double *d, double *g);
void gersh__separable_curvature(gersh__objective *objective, const double *d, const double *v, double *out);
gersh_status gersh__separable_hessian(gersh__objective *objective, const double *d, size_t m,
                                      const double *t, double *h);

/* With φ(d) = exp(−d), of which the second derivatives are the terms themselves. */
gersh_status gersh__separable_log_hessian(gersh__objective *objective, size_t m, const double *t,
                                          const double *slope, double *h);

/* c, φ and c φ''. */
gersh__pair_terms gersh__separable_pair_terms(const gersh__objective *objective);

/*
 * √d has no derivative at 0. Derivatives are taken at max(d_p, floor) instead, with this floor: 1e-16 times
 * the mean of d. What a bound from the gradient is off for it, some 1e-8 of a mean term, the kinds say (`doubt`).
 */
double gersh__root_floor(size_t count, const double *d);

#endif
