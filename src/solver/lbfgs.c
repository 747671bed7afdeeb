/* L-BFGS by its two loops (Nocedal and Wright, Numerical Optimization, algorithm 7.4); see lbfgs.h. */
#include "solver/lbfgs.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

#define CURVED 1e-10 /* least cosine of a step and the change of the derivatives */

static double dot(const gersh__lbfgs *l, const double *x, const double *y)
{
    return cblas_ddot((int)l->size, x, 1, y, 1);
}

void gersh__lbfgs_direct(const gersh__lbfgs *l, const double *slope, double *along,
                         gersh__lbfgs_apply apply, const void *context, double *work)
{
    double part[GERSH__LBFGS_MOST];
    int size = (int)l->size;
    for (size_t c = 0; c < l->size; c++)
        along[c] = -slope[c];
    for (size_t c = 0; c < l->kept; c++) {
        size_t at = (l->newest + l->room - c) % l->room;
        part[c] = dot(l, l->steps + at * l->stride, along) * l->inverse[at];
        cblas_daxpy(size, -part[c], l->turns + at * l->stride, 1, along, 1);
    }
    if (l->kept > 0) {
        const double *turn = l->turns + l->newest * l->stride;
        apply(context, turn, work);
        double scale = 1 / (l->inverse[l->newest] * dot(l, turn, work));
        apply(context, along, work);
        for (size_t c = 0; c < l->size; c++)
            along[c] = scale * work[c];
    }
    for (size_t c = l->kept; c-- > 0;) {
        size_t at = (l->newest + l->room - c) % l->room;
        double back = dot(l, l->turns + at * l->stride, along) * l->inverse[at];
        cblas_daxpy(size, part[c] - back, l->steps + at * l->stride, 1, along, 1);
    }
}

void gersh__lbfgs_keep(gersh__lbfgs *l, const double *from, const double *to, const double *slope_from,
                       const double *slope_to)
{
    size_t at = l->kept > 0 ? (l->newest + 1) % l->room : 0;
    double *step = l->steps + at * l->stride, *turn = l->turns + at * l->stride;
    for (size_t c = 0; c < l->size; c++) {
        step[c] = to[c] - from[c];
        turn[c] = slope_to[c] - slope_from[c];
    }
    double product = dot(l, step, turn);
    if (!(product >
          CURVED * sqrt(dot(l, step, step)) * sqrt(dot(l, turn, turn)))) /* the oldest one is lost */
        l->kept -= l->kept == l->room;
    else {
        l->inverse[at] = 1 / product;
        l->newest = at;
        l->kept += l->kept < l->room;
    }
}
