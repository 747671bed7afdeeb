/* gersh: metric learning with signed graphs. This header includes all of the library's. */
#ifndef GERSH_GERSH_H
#define GERSH_GERSH_H

#include "gersh/base.h"
#include "gersh/bootstrap.h"
#include "gersh/compare.h"
#include "gersh/data.h"
#include "gersh/evaluate.h"
#include "gersh/file.h"
#include "gersh/fit.h"
#include "gersh/graph.h"
#include "gersh/importance.h"
#include "gersh/linalg.h"
#include "gersh/matrix.h"
#include "gersh/metric.h"
#include "gersh/model.h"
#include "gersh/neighbors.h"
#include "gersh/objective.h"
#include "gersh/predict.h"
#include "gersh/report.h"
#include "gersh/settings.h"
#include "gersh/solver.h"
#include "gersh/transform.h"
#include "gersh/tune.h"
#include "gersh/tuples.h"

#endif
