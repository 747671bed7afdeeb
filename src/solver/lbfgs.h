/* L-BFGS: the direction of a step from what the last steps did to the derivatives. */
#ifndef GERSH_SRC_SOLVER_LBFGS_H
#define GERSH_SRC_SOLVER_LBFGS_H

#include <stddef.h>

#include "base/policy.h"

/* A ring of `room` steps, GERSH__LBFGS_MOST at most, `stride` numbers apart, of which the first `size` count; size may grow where the others are 0. */
typedef struct gersh__lbfgs {
    size_t room, stride, size;
    size_t kept, newest;
    double *steps, *turns; /* room × stride: steps, and the changes of the derivatives */
    double *inverse;       /* 1 / (step · turn) of each */
} gersh__lbfgs;

/* out = the inverse of what second derivatives are taken for, times v, up to a factor. */
typedef void (*gersh__lbfgs_apply)(const void *context, const double *v, double *out);

/* along = less the inverse of the second derivatives times `slope`; where no step is kept, −slope. work: size numbers. */
void gersh__lbfgs_direct(const gersh__lbfgs *l, const double *slope, double *along,
                         gersh__lbfgs_apply apply, const void *context, double *work);

/* Keeps the step between two points and their derivatives, if it can be learned from. */
void gersh__lbfgs_keep(gersh__lbfgs *l, const double *from, const double *to, const double *slope_from,
                       const double *slope_to);

#endif
