/* gersh: metric learning with signed graphs. This header includes all of the library's. */
#ifndef GERSH_GERSH_H
#define GERSH_GERSH_H

#include "gersh/base.h"
#include "gersh/compare.h"
#include "gersh/data.h"
#include "gersh/fit.h"
#include "gersh/graph.h"
#include "gersh/linalg.h"
#include "gersh/matrix.h"
#include "gersh/metric.h"
#include "gersh/model.h"
#include "gersh/objective.h"
#include "gersh/settings.h"

#endif
