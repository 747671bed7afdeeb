/* What a list of atoms must be to stand for a metric. */
#ifndef GERSH_SRC_METRIC_METRIC_H
#define GERSH_SRC_METRIC_METRIC_H

#include "gersh/metric.h"

/* Whether atom t is finite, of unit length but for rounding, and of features that there are; whatever its weight. */
int gersh__metric_atom_holds(const gersh_metric *metric, size_t t);

#endif
