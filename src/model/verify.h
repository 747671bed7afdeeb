/* What the verifier's files share; see gersh_model_verify. */
#ifndef GERSH_SRC_MODEL_VERIFY_H
#define GERSH_SRC_MODEL_VERIFY_H

#include "model/model.h"

/*
 * M from the atoms. Features that no atom touches have M_ii = ρ and nothing else, so that the matrix is
 * kept for the touched ones only.
 */
typedef struct gersh__dense {
    size_t features;
    double rho;
    size_t touched;
    size_t *feature; /* touched of them: their features, ascending */
    size_t *place;   /* features of them: the place among the touched, GERSH__NONE for the others */
    double *m;       /* touched × touched */
} gersh__dense;

/* The value of the objective of that name on scaled data, by its definition. */
gersh_status gersh__verify_value(double *out, const char *objective, const gersh__dense *dense,
                                 const gersh_dataset *scaled);

#endif
