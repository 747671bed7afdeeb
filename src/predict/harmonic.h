/* Harmonic values by elimination without a subtraction; see harmonic.c. */
#ifndef GERSH_SRC_PREDICT_HARMONIC_H
#define GERSH_SRC_PREDICT_HARMONIC_H

#include "gersh/base.h"

/*
 * f (count × classes): the chances that a walk from each of `count` rows ends in each class. p, which is
 * used up, has for each row its weights to the other rows and then to the classes, count + classes of them;
 * only their ratios count. A row that no weight ties to a class gets 0. A cancelled call leaves f
 * unfinished.
 */
void gersh__harmonic(double *f, double *p, size_t count, size_t classes, const gersh_cancel *cancel);

#endif
